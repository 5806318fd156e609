//! Rules for some rows of a factor, where the others stay.
//!
//! What the fixed rows `F` explain is taken off, and the free ones `L` see a problem of the same form:
//!
//! ```text
//! B_L - G_LF H_F,    G_LL
//! ```

use std::ops::Range;

use super::{BasisProducts, HSolver};
use crate::matrix::{Matrix, Scalar, add_mul, scale};

/// Which components of a factorization have a fixed basis, and which fixed features: the first and the last ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fixed {
    pub(crate) bases: usize,
    pub(crate) features: usize,
}

impl Fixed {
    /// The components of `k` whose basis is free.
    pub(crate) fn free_bases(self, k: usize) -> Range<usize> {
        self.bases..k
    }

    /// Those whose features are free.
    pub(crate) fn free_features(self, k: usize) -> Range<usize> {
        0..k - self.features
    }

    /// Those whose features stay.
    pub(crate) fn fixed_features(self, k: usize) -> Range<usize> {
        k - self.features..k
    }
}

/// Some rows of a matrix.
pub(crate) fn rows_of<T: Scalar>(a: &Matrix<T>, rows: &Range<usize>) -> Matrix<T> {
    let taken: Vec<T> = a.columns().flat_map(|column| column[rows.clone()].to_vec()).collect();
    let shape = (rows.len(), a.cols());
    Matrix::from_vec(shape.0, shape.1, taken)
        .unwrap_or_else(|error| unreachable!("as many numbers: {error}"))
}

/// Updates the rows `free` of `h` by a rule; `products` are those of all rows.
pub(crate) fn update_rows<T: Scalar>(
    solver: HSolver,
    h: &mut Matrix<T>,
    products: &BasisProducts<T>,
    free: &Range<usize>,
) {
    let k = h.rows();
    if *free == (0..k) {
        solver.update(h, products.plain());
        return;
    }
    if free.is_empty() {
        return;
    }
    let mut phi_t_x = rows_of(&products.phi_t_x, free);
    for fixed in [0..free.start, free.end..k].iter().filter(|fixed| !fixed.is_empty()) {
        let mut between =
            rows_of(&products.phi_t_phi.view_columns(fixed.clone()).to_matrix(), free);
        scale(&mut between, -1.0);
        add_mul(&mut phi_t_x, between.view(), rows_of(h, fixed).view());
    }
    let gram = products.phi_t_phi.view_columns(free.clone()).to_matrix();
    let of_free = BasisProducts { phi_t_x, phi_t_phi: rows_of(&gram, free) };
    let mut rows = rows_of(h, free);
    solver.update(&mut rows, of_free.plain());
    for (to, from) in h.as_mut_slice().chunks_exact_mut(k).zip(rows.columns()) {
        to[free.clone()].copy_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::DataMatrix;
    use crate::testing::{normal, positive};

    /// With the data less what the fixed rows explain, and the columns of the basis that are free.
    #[test]
    fn free_rows_see_the_problem_without_the_fixed_ones() {
        let (x, phi, start) = (normal::<f64>(9, 40, 1), normal::<f64>(9, 5, 2), positive(5, 40, 3));
        for free in [0..5, 2..5, 0..3, 1..4, 3..3] {
            for solver in [HSolver::HALS, HSolver::ACCELERATED, HSolver::MULTIPLICATIVE] {
                let mut h: Matrix<f64> = start.clone();
                update_rows(solver, &mut h, &BasisProducts::of(&x, &phi).unwrap(), &free);
                let fixed =
                    Matrix::from_fn(
                        5,
                        40,
                        |r, j| {
                            if free.contains(&r) { 0.0 } else { start[(r, j)] }
                        },
                    );
                let rest = crate::matrix::Less::new(&x, &phi, &fixed);
                let own = phi.view_columns(free.clone()).to_matrix();
                let mut expected = rows_of(&start, &free);
                if !free.is_empty() {
                    let alone = BasisProducts::of(&rest.own_dense().unwrap(), &own).unwrap();
                    solver.update(&mut expected, alone.plain());
                }
                for j in 0..40 {
                    for r in 0..5 {
                        let (found, was) = (h[(r, j)], start[(r, j)]);
                        if free.contains(&r) {
                            let wanted = expected[(r - free.start, j)];
                            assert!((found - wanted).abs() < 1e-9 * (1.0 + wanted), "{free:?}");
                        } else {
                            assert_eq!(found.to_bits(), was.to_bits());
                        }
                    }
                }
            }
        }
    }
}
