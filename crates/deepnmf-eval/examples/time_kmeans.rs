//! Times k-means on the rows of a NumPy file; `benches/kmeans_vs_sklearn.py` calls it.

use std::path::Path;
use std::time::Instant;

use deepnmf_data::{LoadOptions, load};
use deepnmf_eval::{Instances, KMeans};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, dtype, clusters, restarts, seed, bounds, swaps] = arguments.as_slice() else {
        return Err(
            "usage: time_kmeans FILE.npy f32|f64 CLUSTERS RESTARTS SEED bounds|plain SWAPS".into(),
        );
    };
    let settings = KMeans::new(clusters.parse()?)
        .restarts(restarts.parse()?)
        .seed(seed.parse()?)
        .bounds(bounds == "bounds")
        .swaps(swaps.parse()?);
    match dtype.as_str() {
        "f32" => time::<f32>(Path::new(path), settings),
        _ => time::<f64>(Path::new(path), settings),
    }
}

/// Prints one line of JSON: seconds, inertia and iterations.
#[allow(clippy::print_stdout)] // this is a program
fn time<T: Instances>(path: &Path, settings: KMeans) -> Result<(), Failure> {
    let x = load::<T>(path, &LoadOptions::default())?.x;
    // The first product of a process starts the threads; that is no part of k-means.
    settings.restarts(1).max_iterations(1).fit(&x)?;
    let start = Instant::now();
    let found = settings.fit(&x)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{{\"seconds\": {seconds}, \"inertia\": {}, \"iterations\": {}}}",
        found.inertia, found.iterations
    );
    Ok(())
}
