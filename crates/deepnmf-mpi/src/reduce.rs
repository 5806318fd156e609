//! Reductions in an order that never changes.
//!
//! MPI promises no order for the sums of `MPI_Allreduce`, so only numbers travel by MPI and every sum is formed here,
//! rank after rank. Few numbers go to all ranks, each of which reduces them. Many are cut into slices: each rank gets
//! its slice from all others, reduces it, and sends the result to all. That is the volume of the best known
//! algorithms, `2 (m - 1) / m` of the numbers from each of `m` ranks.

use deepnmf::matrix::Reduction;

/// Up to so many numbers (1 KiB) a second message costs more than numbers that are sent in vain.
const FEW: usize = 128;

/// Numbers on their way at a time: what bounds memory, and keeps counts within MPI's 32 bits.
const PIECE: usize = 1 << 22;

/// What reductions ask of a network. All ranks ask together.
pub(crate) trait Network {
    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Sets `all` to the numbers of all ranks, in their order; each has as many.
    fn all_gather(&self, own: &[f64], all: &mut [f64]);

    /// Sends one slice of `own` to each rank, in their order, and sets `all` to the slices for this one.
    fn all_to_all(&self, own: &[f64], all: &mut [f64]);
}

/// Reduces numbers over all ranks; returns how many this one has sent.
pub(crate) fn reduce(network: &impl Network, reduction: Reduction, values: &mut [f64]) -> usize {
    let of_piece = |piece: &mut [f64]| {
        let reduce = if piece.len() <= FEW { reduce_few } else { reduce_slices };
        reduce(network, reduction, piece)
    };
    values.chunks_mut(PIECE).map(of_piece).sum()
}

fn reduce_few(network: &dyn Network, reduction: Reduction, values: &mut [f64]) -> usize {
    let mut all = vec![0.0; network.ranks() * values.len()];
    network.all_gather(values, &mut all);
    combine(reduction, &all, values);
    (network.ranks() - 1) * values.len()
}

fn reduce_slices(network: &dyn Network, reduction: Reduction, values: &mut [f64]) -> usize {
    let slice = values.len().div_ceil(network.ranks());
    let mut numbers = values.to_vec();
    numbers.resize(slice * network.ranks(), 0.0);
    let mut all = vec![0.0; numbers.len()];
    network.all_to_all(&numbers, &mut all);
    let own = &mut numbers[..slice];
    combine(reduction, &all, own);
    network.all_gather(own, &mut all);
    values.copy_from_slice(&all[..values.len()]);
    2 * (network.ranks() - 1) * slice
}

/// Reduces the numbers of all ranks, which stand one after the other.
fn combine(reduction: Reduction, all: &[f64], into: &mut [f64]) {
    let (first, others) = all.split_at(into.len());
    into.copy_from_slice(first);
    for other in others.chunks_exact(into.len()) {
        for (value, other) in into.iter_mut().zip(other) {
            *value = match reduction {
                Reduction::Sum => *value + other,
                Reduction::Min => value.min(*other),
                Reduction::Max => value.max(*other),
            };
        }
    }
}
