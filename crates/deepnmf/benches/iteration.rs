//! One fine-tuning iteration of a 625-40 model on data of PIE's size (1024 x 2856), beside plain
//! matrix products of the same shapes: how much of the time is not a product?
//!
//! Throughput is in floating-point operations, so that criterion's `Gelem/s` reads as GFLOP/s.
//! Operations of an iteration count the products that the formulas need, nothing else.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use deepnmf::models::SemiNmfLoop;
use deepnmf::{DataMatrix, HSolver, Matrix, Scalar};

const P: usize = 1024;
const N: usize = 2856;

/// Numbers between 0 and 1 that need no generator.
fn filled<T: Scalar>(rows: usize, cols: usize) -> Matrix<T> {
    Matrix::from_fn(rows, cols, |i, j| {
        let mixed = (i * 2_654_435_761 + j * 40_503 + 12_345) % 65_521;
        T::from_f64(mixed as f64 / 65_521.0)
    })
}

/// The products of one iteration: `X H^T` and `Z^T X` (`2 p n k` each), half of `H H^T` and of
/// `Z^T Z`, the solution for `Z`, and the rule's own products with `G`.
fn operations(k: usize, solver: HSolver) -> u64 {
    let with_data = 4 * P * N * k;
    let grams = k * k * N + k * k * P;
    let solve = 2 * P * k * k;
    let rule = match solver {
        HSolver::Multiplicative { .. } => 4 * k * k * N,
        HSolver::Hals { sweeps } => 2 * k * k * N * sweeps,
        HSolver::Accelerated { steps } => 2 * k * k * N * (steps + 2),
    };
    (with_data + grams + solve + rule) as u64
}

fn products<T: Scalar>(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("product/{}", T::DTYPE));
    let x = filled::<T>(P, N);
    for k in [40, 625] {
        let (z, h) = (filled::<T>(P, k), filled::<T>(k, N));
        let (mut z_t_x, mut x_ht) = (Matrix::zeros(k, N), Matrix::zeros(P, k));
        group.throughput(Throughput::Elements((2 * P * N * k) as u64));
        group.bench_function(BenchmarkId::new("ZtX", k), |b| b.iter(|| x.tr_mul(&z, &mut z_t_x)));
        group.bench_function(BenchmarkId::new("XHt", k), |b| b.iter(|| x.mul_tr(&h, &mut x_ht)));
    }
    group.finish();
}

fn iterations<T: Scalar>(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("iteration/{}", T::DTYPE));
    group.sample_size(20);
    let x = filled::<T>(P, N);
    for k in [40, 625] {
        for (name, solver) in [
            ("multiplicative", HSolver::MULTIPLICATIVE),
            ("hals-1", HSolver::Hals { sweeps: 1 }),
            ("accelerated-2", HSolver::Accelerated { steps: 2 }),
        ] {
            let mut fit = match SemiNmfLoop::new(&x, filled::<T>(k, N), solver) {
                Ok(fit) => fit,
                Err(error) => unreachable!("{error}"),
            };
            group.throughput(Throughput::Elements(operations(k, solver)));
            group.bench_function(BenchmarkId::new(name, k), |b| b.iter(|| fit.iterate().is_ok()));
        }
    }
    group.finish();
}

fn all(c: &mut Criterion) {
    products::<f64>(c);
    products::<f32>(c);
    iterations::<f64>(c);
    iterations::<f32>(c);
}

criterion_group!(benches, all);
criterion_main!(benches);
