//! An iteration of fits to data of PIE's size (1024 x 2856, 40 components) with missing entries, beside one without:
//! what does filling them in cost?

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use deepnmf::matrix::Incomplete;
use deepnmf::{
    DataMatrix, Factorization, FitOptions, Matrix, Nmf, NonNegativeOptions, NonNegativeStart,
    SemiNmf, Settings, Start, StopRule,
};

const P: usize = 1024;
const N: usize = 2856;

/// Numbers between 0 and 1 that need no generator.
fn mixed(i: usize, j: usize) -> f64 {
    ((i * 2_654_435_761 + j * 40_503 + 12_345) % 65_521) as f64 / 65_521.0
}

fn settings(nmf: bool, iterations: usize) -> Settings {
    let stop = StopRule { kappa: 0.0, max_iterations: iterations, max_seconds: None };
    if nmf {
        let options = NonNegativeOptions::default().stop(stop).start(NonNegativeStart::Random);
        return Nmf::new(40).with(NonNegativeOptions { measure_bound: false, ..options }).into();
    }
    let options = FitOptions::default().stop(stop).start(Start::Random);
    SemiNmf::new(40).with(FitOptions { measure_bound: false, ..options }).into()
}

/// The time of so many iterations, without what comes before them.
fn timed(x: &dyn DataMatrix<f64>, nmf: bool, iterations: u64) -> Duration {
    let count = usize::try_from(iterations).unwrap_or(usize::MAX);
    let Ok(model) = Factorization::fit(&settings(nmf, count), x) else { return Duration::ZERO };
    let clock = &model.summary.clock;
    Duration::from_secs_f64(clock[clock.len() - 1] - clock[0])
}

fn all(c: &mut Criterion) {
    let mut group = c.benchmark_group("missing");
    group.sample_size(10);
    for (name, nmf) in [("semi-nmf", false), ("nmf", true)] {
        for percent in [0, 10, 50, 90] {
            let x = Matrix::from_fn(P, N, |i, j| {
                let missing = mixed(j + 7, i) * 100.0 < f64::from(percent);
                if missing { f64::NAN } else { mixed(i, j) }
            });
            let Ok(x) = Incomplete::from_nan(x) else { continue };
            group.bench_function(BenchmarkId::new(name, percent), |b| {
                b.iter_custom(|iterations| timed(&x, nmf, iterations));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);
