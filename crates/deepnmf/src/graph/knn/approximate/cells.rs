//! Samples in cells, each near a centre: what a search looks through cell by cell.
//!
//! Centres come from a few rounds of k-means on some of the samples. A cell holds about as many samples as there are
//! cells, or a few hundred where that is more. One with far more (copies of one sample, say) is cut into pieces, so
//! that no sample is ever compared with more than a piece at a time.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::tiles::{Columns, tiles};
use crate::matrix::{Matrix, MatrixView, Scalar, mul_block};
use crate::rng::{Purpose, below, stream};

/// Samples of a cell at least: fewer are not worth a product.
const FEWEST: usize = 256;

/// Samples for each centre that k-means sees, and its rounds.
const SEEN: usize = 64;
const ROUNDS: usize = 5;

/// Numbers that the centres of sparse samples have at most, half a gigabyte: centres have no zeros.
const SPARSE_CENTRES: usize = 1 << 26;

/// What all work of the search asks whether to go on.
pub(super) type GoOn<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// The cells of all samples, and which of them are nearest to each sample.
pub(super) struct Cells {
    /// About the mean of all samples.
    centres: Matrix<f64>,
    /// The samples, those of one piece after those of another.
    members: Vec<u32>,
    pieces: Vec<Piece>,
    /// The pieces of cell `c` are `first_piece[c]..first_piece[c + 1]`.
    first_piece: Vec<usize>,
    /// The cells nearest to each sample, the nearest first, `ranked` for each.
    nearest: Vec<u32>,
    ranked: usize,
}

/// Some samples of one cell.
struct Piece {
    cell: usize,
    members: Range<usize>,
}

impl Cells {
    /// Cells for these samples; each sample knows the `ranked` nearest ones.
    pub(super) fn new<T: Scalar>(
        columns: &Columns<'_, T>,
        ranked: usize,
        seed: u64,
        go_on: GoOn<'_>,
    ) -> Result<Self> {
        let n = columns.count();
        let affordable = match columns.as_sparse() {
            Some(_) => (SPARSE_CENTRES / columns.rows().max(1)).max(1),
            None => n,
        };
        let count = n.div_ceil(FEWEST.max(n.isqrt())).min(affordable);
        let size = n.div_ceil(count);
        let ranked = ranked.min(count);
        let centres = centres(columns, count, seed, go_on)?;
        let all: Vec<usize> = (0..n).collect();
        let nearest = ranks(columns, &all, &centres, ranked, go_on)?;
        let mut of_cells = vec![vec![]; count];
        for (sample, nearest) in (0..).zip(nearest.chunks_exact(ranked)) {
            of_cells[nearest[0] as usize].push(sample);
        }
        let (mut members, mut pieces, mut first_piece) = (Vec::with_capacity(n), vec![], vec![0]);
        for (cell, of_cell) in of_cells.into_iter().enumerate() {
            let pieces_of_cell =
                if of_cell.len() > 2 * size { of_cell.len().div_ceil(size) } else { 1 };
            for piece in of_cell.chunks(of_cell.len().div_ceil(pieces_of_cell).max(1)) {
                let start = members.len();
                members.extend_from_slice(piece);
                pieces.push(Piece { cell, members: start..members.len() });
            }
            first_piece.push(pieces.len());
        }
        Ok(Self { centres, members, pieces, first_piece, nearest, ranked })
    }

    /// How many pieces there are.
    pub(super) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The samples of a piece.
    pub(super) fn members(&self, piece: usize) -> &[u32] {
        &self.members[self.pieces[piece].members.clone()]
    }

    /// The centre of the cell that a piece is of.
    pub(super) fn centre(&self, piece: usize) -> &[f64] {
        self.centres.col(self.pieces[piece].cell)
    }

    /// The piece that a sample looks through in some round, if it is not done by then: those of the nearest cell come
    /// first.
    pub(super) fn piece_of(&self, sample: usize, mut round: usize) -> Option<usize> {
        for cell in &self.nearest[sample * self.ranked..(sample + 1) * self.ranked] {
            let [first, next] = [0, 1].map(|i| self.first_piece[*cell as usize + i]);
            if round < next - first {
                return Some(first + round);
            }
            round -= next - first;
        }
        None
    }
}

/// Samples about the mean of all and about `centre`.
pub(super) fn relative<T: Scalar>(
    columns: &Columns<'_, T>,
    samples: impl Iterator<Item = usize>,
    centre: &[f64],
    out: &mut Vec<f64>,
) {
    out.clear();
    for sample in samples {
        let start = out.len();
        out.resize(start + centre.len(), 0.0);
        columns.add_column(sample, &mut out[start..]);
        out[start..].iter_mut().zip(centre).for_each(|(v, c)| *v -= c);
    }
}

/// Centres of `count` cells by k-means.
fn centres<T: Scalar>(
    columns: &Columns<'_, T>,
    count: usize,
    seed: u64,
    go_on: GoOn<'_>,
) -> Result<Matrix<f64>> {
    let (p, n) = (columns.rows(), columns.count());
    let mut rng = stream(seed, Purpose::Neighbours);
    // One of each stretch: samples may stand in the order of their classes, or in turns.
    let mut some_of = |all: usize, wanted: usize| -> Vec<usize> {
        let stretch = |i: usize| i * all / wanted..(i + 1) * all / wanted;
        (0..wanted).map(stretch).map(|s| s.start + below(&mut rng, s.len())).collect()
    };
    let seen = some_of(n, n.min(SEEN * count));
    let begun: Vec<usize> = some_of(seen.len(), count).into_iter().map(|i| seen[i]).collect();
    let (origin, mut values) = (vec![0.0; p], vec![]);
    relative(columns, begun.into_iter(), &origin, &mut values);
    let mut centres = Matrix::from_fn(p, count, |i, c| values[c * p + i]);
    for _ in 0..ROUNDS {
        let nearest = ranks(columns, &seen, &centres, 1, go_on)?;
        let (mut sums, mut counts) = (Matrix::<f64>::zeros(p, count), vec![0usize; count]);
        for (sample, cell) in seen.iter().zip(nearest) {
            let cell = cell as usize;
            columns.add_column(*sample, sums.col_mut(cell));
            counts[cell] += 1;
        }
        for (cell, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            let entries = centres.col_mut(cell).iter_mut().zip(sums.col(cell));
            entries.for_each(|(c, sum)| *c = sum / count as f64);
        }
    }
    Ok(centres)
}

/// The `wanted` nearest centres of each of some samples, the nearest first; of equally near ones the first.
fn ranks<T: Scalar>(
    columns: &Columns<'_, T>,
    samples: &[usize],
    centres: &Matrix<f64>,
    wanted: usize,
    go_on: GoOn<'_>,
) -> Result<Vec<u32>> {
    let (p, count) = centres.shape();
    let squares: Vec<f64> = centres.columns().map(|c| c.iter().map(|v| v * v).sum()).collect();
    let origin = vec![0.0; p];
    // Of sparse samples every entry meets the numbers that all centres have there.
    let turned = columns.as_sparse().map(|x| (x, centres.t().to_matrix()));
    let of_tile = |tile: Range<usize>| {
        go_on()?;
        let mut products = vec![0.0; count * tile.len()];
        if let Some((x, turned)) = &turned {
            let each = samples[tile.clone()].iter().zip(products.chunks_exact_mut(count));
            each.for_each(|(j, products)| x.add_products_of(*j, turned.as_slice(), products));
        } else {
            let mut values = Vec::with_capacity(p * tile.len());
            relative(columns, samples[tile.clone()].iter().copied(), &origin, &mut values);
            mul_block(&mut products, centres.t(), MatrixView::contiguous(&values, p, tile.len()));
        }
        let mut nearest = Vec::with_capacity(wanted * tile.len());
        let mut far: Vec<(f64, u32)> = Vec::with_capacity(count);
        for products in products.chunks_exact(count) {
            far.clear();
            let distances =
                products.iter().zip(&squares).map(|(product, square)| square - 2.0 * product);
            far.extend(distances.zip(0..));
            let by_distance =
                |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if wanted < count {
                far.select_nth_unstable_by(wanted - 1, by_distance);
            }
            far[..wanted].sort_unstable_by(by_distance);
            nearest.extend(far[..wanted].iter().map(|(_, cell)| *cell));
        }
        Ok(nearest)
    };
    let found: Vec<Vec<u32>> = tiles(samples.len())
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(of_tile)
        .collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}
