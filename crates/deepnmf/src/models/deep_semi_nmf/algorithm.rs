//! Algorithm 1 in closed form.
//!
//! With `Q_i = Z_i ... Z_m` (and `Q_{m+1} = I`) of full column rank and `H_m` of full row rank,
//! the printed updates of all `Z_i` come to
//!
//! ```text
//! C   = X H_m^+
//! Z_1 = C Q_2^+
//! Z_i = Z_i Q_{i+1} Q_{i+1}^+        1 < i < m;   Z_m stays
//! Z_1 ... Z_i = C Q_{i+1}^+,         so that  Z_1 ... Z_m = C
//! ```
//!
//! and the projections in the third line change nothing after the first iteration. The update of
//! `H_m` therefore *is* that of Semi-NMF on `X` with `k_m` components, started from the
//! pre-trained `H_m`: `O(p n k_m)` an iteration instead of `O(p n k_1)`. The features of the
//! layers below are never read by the loop; they are computed once, for the final bases, from what
//! the layer above implies or from what pre-training has left, whichever fits better.
//!
//! Algorithm 2 differs in the updates of the features alone, so all of this holds for it as well:
//! its top layer is WSF with the graph of that layer, and the graphs of the layers below shape the
//! features of those layers for bases that no longer move.

use super::params::Variant;
use crate::driver::{FitSession, Run};
use crate::error::Result;
use crate::matrix::{
    DataMatrix, Matrix, Parts, Scalar, Whitening, gram_of_columns, gram_of_rows, product,
    pseudo_inverse,
};
use crate::models::factors::{Pair, chain};
use crate::models::graphs::Graphs;
use crate::models::semi_nmf::SemiNmfLoop;
use crate::models::{Factors, FitOptions};
use crate::observe::Stage;
use crate::stop::StopRule;

/// By how much earlier the features of the lower layers are taken for converged.
const LENIENCE: f64 = 100.0;

/// Whether the closed form is exact for these factors: `Z_2 ... Z_m` has full column rank and
/// `H_m` full row rank. (If a longer chain has full column rank, so has each of its ends.)
pub(super) fn applies_to<T: Scalar>(factors: &Factors<T>, parts: Parts<'_>) -> Result<bool> {
    let h = factors.top_features();
    let k = h.rows();
    let mut gram = Matrix::zeros(k, k);
    gram_of_rows(&mut gram, h, parts)?;
    if Whitening::of::<T>(&gram)?.rank() < k {
        return Ok(false);
    }
    if factors.depth() == 1 {
        return Ok(true);
    }
    gram_of_columns(&mut gram, &chain(&factors.z[1..]).cast::<f64>());
    Ok(Whitening::of::<T>(&gram)?.rank() == k)
}

/// Fine-tunes pre-trained factors for which [`applies_to`] holds.
pub(super) fn fine_tune<T: Scalar>(
    x: &dyn DataMatrix<T>,
    factors: Factors<T>,
    graphs: Graphs<'_, T>,
    options: &FitOptions,
    session: &mut FitSession<'_>,
) -> Result<(Factors<T>, Vec<Run>)> {
    let Factors { z, mut h, .. } = factors;
    let top = h.pop().unwrap_or_else(|| unreachable!("a model has layers"));
    let graph = graphs.penalty_of(z.len(), Variant::Printed);
    let (tuned, run) = session.run(Stage::FineTuning, &options.stop, x.parts(), || {
        SemiNmfLoop::penalised(x, top, options.solver, graph)
    })?;
    let Pair { z: c, h: top } = tuned.into_pair();
    let mut runs = vec![run];
    let Unfolded { z, bases } = unfold(&c, &z)?;
    h.push(top);
    // Features that nothing else depends on need not be as exact.
    let rule = StopRule { kappa: LENIENCE * options.stop.kappa, ..options.stop };
    for (i, basis) in bases.into_iter().enumerate().rev() {
        let pretrained = std::mem::replace(&mut h[i], Matrix::zeros(0, 0));
        let implied = product(z[i + 1].view(), h[i + 1].view()).map(|v| v.larger(T::ZERO));
        let stage = Stage::LowerFeatures { layer: i + 1 };
        let (fitted, run) = session.run(stage, &rule, x.parts(), || {
            let fixed = SemiNmfLoop::with_fixed_basis(x, basis, implied, options.solver)?;
            let mut fixed = fixed.or_rather(pretrained)?;
            fixed.regularize(graphs.penalty_of(i + 1, Variant::Printed))?;
            Ok(fixed)
        })?;
        h[i] = fitted.into_pair().h;
        runs.push(run);
    }
    Ok((Factors::new(z, h), runs))
}

/// The bases of all layers of a linear model.
struct Unfolded<T> {
    z: Vec<Matrix<T>>,
    /// `Z_1 ... Z_i` for each layer but the top.
    bases: Vec<Matrix<T>>,
}

/// The bases of all layers from their product `c`.
fn unfold<T: Scalar>(c: &Matrix<T>, z: &[Matrix<T>]) -> Result<Unfolded<T>> {
    let m = z.len();
    let mut new = z.to_vec();
    let mut bases = Vec::with_capacity(m);
    for i in (0..m - 1).rev() {
        let above = chain(&z[i + 1..]); // Q_{i+2} in the letters of the head
        let inverse = pseudo_inverse(above.view())?;
        let basis = product(c.view(), inverse.view());
        new[i] = match i {
            0 => basis.clone(),
            _ => product(z[i].view(), product(above.view(), inverse.view()).view()),
        };
        bases.push(basis);
    }
    if m == 1 {
        new[0] = c.clone();
    }
    bases.reverse();
    Ok(Unfolded { z: new, bases })
}
