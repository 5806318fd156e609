//! Products with sparse data beside a plain pass over their entries.
//!
//! `cargo bench -p deepnmf --bench sparse`. Throughput of products is in floating-point operations, so that criterion's
//! `Gelem/s` reads as GFLOP/s; that of the pass is in bytes of values and places. Entries are spread evenly, which is
//! the worst for a cache: words and genes are not.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use deepnmf::matrix::{Stored, Whole};
use deepnmf::models::SemiNmfLoop;
use deepnmf::{DataMatrix, HSolver, Matrix, Scalar, Sparse};

/// Features, samples and entries of a sample: documents, cells, and many samples of few entries.
const SHAPES: [(&str, usize, usize, usize); 3] =
    [("text", 5000, 20_000, 25), ("cells", 2000, 50_000, 160), ("many", 20_000, 100_000, 100)];

/// A hundred million entries, for who asks for them with `DEEPNMF_LARGE=1`: 0.8 GB in `f32`, by sample alone.
const LARGE: (&str, usize, usize, usize) = ("large", 20_000, 1_000_000, 100);

/// Numbers between 0 and 1 that need no generator.
fn filled<T: Scalar>(rows: usize, cols: usize) -> Matrix<T> {
    Matrix::from_fn(rows, cols, |i, j| {
        let mixed = (i * 2_654_435_761 + j * 40_503 + 12_345) % 65_521;
        T::from_f64(mixed as f64 / 65_521.0)
    })
}

/// Every sample has so many entries, one at some place of each stretch of the features.
fn sparse<T: Scalar>(p: usize, n: usize, each: usize) -> Sparse<'static, T> {
    let (mut values, mut places, mut starts) = (vec![], vec![], vec![0u64]);
    let mut state = 1u64;
    for _ in 0..n {
        for e in 0..each {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (first, next) = (e * p / each, (e + 1) * p / each);
            let place = first + (state >> 33) as usize % (next - first);
            values.push(T::from_f64((state >> 40) as f64 / 16_777_216.0));
            places.push(u32::try_from(place).unwrap_or(0));
        }
        starts.push(values.len() as u64);
    }
    match Sparse::new((p, n), Stored::BySample, values, places.into(), Whole::from(starts)) {
        Ok(x) => x,
        Err(error) => unreachable!("{error}"),
    }
}

/// Reads every value and every place once.
fn pass<T: Scalar>(x: &Sparse<'_, T>) -> (f64, u64) {
    use rayon::prelude::*;
    let Whole::Narrow(places) = x.places() else { return (0.0, 0) };
    let of = |(values, places): (&[T], &[u32])| {
        let sum = deepnmf::matrix::sum_of_pairs(values, values, |v, _| v);
        (sum, places.iter().fold(0u64, |sum, place| sum.wrapping_add(u64::from(*place))))
    };
    let chunks = x.values().par_chunks(1 << 16).zip(places.par_chunks(1 << 16));
    chunks.map(of).reduce(|| (0.0, 0), |a, b| (a.0 + b.0, a.1.wrapping_add(b.1)))
}

fn products<T: Scalar>(c: &mut Criterion) {
    for (name, p, n, each) in SHAPES {
        let mut group = c.benchmark_group(format!("sparse/{}/{name}", T::DTYPE));
        group.sample_size(10);
        let by_sample = sparse::<T>(p, n, each);
        let entries = by_sample.entries();
        group.throughput(Throughput::Bytes((entries * (size_of::<T>() + 4)) as u64));
        group.bench_function("pass", |b| b.iter(|| pass(&by_sample)));
        for x in [by_sample.turned_around(), by_sample] {
            for k in [20, 50] {
                let (z, h) = (filled::<T>(p, k), filled::<T>(k, n));
                let (mut z_t_x, mut x_ht) = (Matrix::zeros(k, n), Matrix::zeros(p, k));
                group.throughput(Throughput::Elements((2 * entries * k) as u64));
                let id = |what| BenchmarkId::new(format!("{what} {:?}", x.stored()), k);
                group.bench_function(id("ZtX"), |b| b.iter(|| x.tr_mul(&z, &mut z_t_x)));
                group.bench_function(id("XHt"), |b| b.iter(|| x.mul_tr(&h, &mut x_ht)));
            }
        }
        group.finish();
    }
}

/// Whole iterations of Semi-NMF, beside both products and a pass for each.
fn large(c: &mut Criterion) {
    let (name, p, n, each) = LARGE;
    let (x, k) = (sparse::<f32>(p, n, each), 50);
    let mut group = c.benchmark_group(format!("sparse/f32/{name}"));
    group.sample_size(10);
    group.throughput(Throughput::Bytes((x.entries() * 8) as u64));
    group.bench_function("pass", |b| b.iter(|| pass(&x)));
    let (z, h) = (filled::<f32>(p, k), filled::<f32>(k, n));
    let (mut z_t_x, mut x_ht) = (Matrix::zeros(k, n), Matrix::zeros(p, k));
    group.throughput(Throughput::Elements((2 * x.entries() * k) as u64));
    group.bench_function("ZtX", |b| b.iter(|| x.tr_mul(&z, &mut z_t_x)));
    group.bench_function("XHt", |b| b.iter(|| x.mul_tr(&h, &mut x_ht)));
    let mut fit = match SemiNmfLoop::new(&x, h, HSolver::Hals { sweeps: 1 }) {
        Ok(fit) => fit,
        Err(error) => unreachable!("{error}"),
    };
    group.throughput(Throughput::Elements((4 * x.entries() * k) as u64));
    group.bench_function("iteration", |b| b.iter(|| fit.iterate().is_ok()));
    group.finish();
}

fn all(c: &mut Criterion) {
    if std::env::var_os("DEEPNMF_LARGE").is_some() {
        return large(c);
    }
    products::<f64>(c);
    products::<f32>(c);
}

criterion_group!(benches, all);
criterion_main!(benches);
