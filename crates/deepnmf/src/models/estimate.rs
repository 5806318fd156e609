//! What a fit will take, before it begins.

use super::Settings;
use crate::matrix::Dtype;
use crate::objective::Divergence;

/// What a fit takes, roughly: within a factor of two where it matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Bytes of memory at the peak, the data included.
    pub memory: u64,
    /// Bytes of the model file.
    pub file: u64,
    /// Floating-point operations of one iteration of the longest loop.
    pub iteration: f64,
    /// The most iterations of that loop.
    pub most_iterations: usize,
}

impl Settings {
    /// Estimates what a fit to `samples` samples of `features` features takes.
    ///
    /// ```
    /// use deepnmf::{Dtype, SemiNmf, Settings};
    /// let settings = Settings::from(SemiNmf::new(40));
    /// let estimate = settings.estimate(1024, 2856, Dtype::F64);
    /// assert!(estimate.memory > 8 * 1024 * 2856);
    /// ```
    pub fn estimate(&self, features: usize, samples: usize, dtype: Dtype) -> Estimate {
        self.estimate_held(features, samples, None, dtype)
    }

    /// The same for sparse data of which so many entries are held.
    pub fn estimate_held(
        &self,
        features: usize,
        samples: usize,
        held: Option<usize>,
        dtype: Dtype,
    ) -> Estimate {
        let layers = self.layers();
        let [p, n] = [features, samples].map(|v| v as u64);
        let number = match dtype {
            Dtype::F32 => 4,
            Dtype::F64 => 8,
        };
        let first = layers.first().map_or(0, |k| *k as u64);
        let widths = std::iter::once(p).chain(layers.iter().map(|k| *k as u64));
        let factors: u64 =
            layers.iter().zip(widths).map(|(k, below)| *k as u64 * (below + n)).sum();
        // A decomposition for the initialization: in f64, with the Gram matrix of the shorter side.
        let side = p.min(n).min(2048);
        let start = 8 * (3 * first * (p + n) + 2 * side * side);
        // Loops keep the factors, their products with the data, and where they were before; gradient
        // methods some steps of all that moves.
        let copies = if self.descends() { 25 } else { 5 };
        let loops = number * copies * factors;
        let entries = held.map_or(p * n, |held| held as u64);
        // Every entry of sparse data has its place.
        let data = if held.is_some() { (number + 4) * entries + 8 * n } else { number * entries };
        // The Kullback-Leibler divergence has lists of entries by feature, and of dense data those by sample, too.
        let lists = match (self.divergence(), held) {
            (Divergence::Frobenius, _) => 0,
            (Divergence::KullbackLeibler, Some(_)) => (number + 4) * entries + 8 * p,
            (Divergence::KullbackLeibler, None) => 2 * (number + 4) * entries + 8 * (p + n),
        };
        let graphs = number * self.graph_numbers(entries / n.max(1), n);
        let top = layers.last().map_or(0, |k| *k as u64);
        // A line search evaluates more than once, and a gradient costs as much as its value.
        let (width, products) = if self.descends() { (first, 3.0) } else { (top, 1.0) };
        Estimate {
            memory: data + start.max(loops + lists).max(graphs) + number * factors,
            file: number * (factors + if self.compares_data() { first * n } else { 0 }) + (1 << 16),
            iteration: products
                * (4.0 * (entries * width) as f64 + 2.0 * (n * width * width) as f64),
            most_iterations: self.most_iterations(),
        }
    }

    /// Numbers that its neighbour graphs take at the peak: what a layer sees of the samples, lists of neighbours, and
    /// rows that are smoothed.
    fn graph_numbers(&self, p: u64, n: u64) -> u64 {
        let of = self.neighbours().or(self.joint_neighbours());
        let (Some(of), layers) = (of, self.layers()) else { return 0 };
        let of_layer = |layer: usize| match of.of_layer(layer) as u64 {
            0 => 0,
            q => (if layer == 1 { p } else { layers[layer - 2] as u64 }) + 16 * q + 80,
        };
        n * (1..=layers.len()).map(of_layer).max().unwrap_or(0)
    }

    /// The most iterations that its settings allow, wherever they stand among them.
    fn most_iterations(&self) -> usize {
        let settings = serde_json::to_value(self).unwrap_or_default();
        let place = if self.descends() { "descent" } else { "stop" };
        let most = entry(&settings, place).and_then(|rule| rule.get("max_iterations")?.as_u64());
        most.and_then(|most| usize::try_from(most).ok()).unwrap_or(0)
    }
}

/// The first entry of this name in an object, or in those within it.
fn entry<'a>(value: &'a serde_json::Value, name: &str) -> Option<&'a serde_json::Value> {
    let object = value.as_object()?;
    object.get(name).or_else(|| object.values().find_map(|value| entry(value, name)))
}

#[cfg(test)]
mod tests {
    use crate::Dtype;
    use crate::activation::Activation;
    use crate::models::{DeepSemiNmf, DeepWsf, Descent, Neighbourhood, Nmf, Settings, WhitenedPca};
    use crate::objective::Divergence;

    #[test]
    fn iterations_are_those_of_the_settings() {
        let most = |settings: Settings| settings.estimate(50, 200, Dtype::F32).most_iterations;
        assert_eq!(most(Nmf::new(3).into()), 1000);
        assert_eq!(most(DeepWsf::new([5, 3], [0.1, 0.1]).into()), 1000);
        let descent = Descent { max_iterations: 17, ..Descent::default() };
        let relu = DeepSemiNmf::new([5, 3]).activation(Activation::Relu).descent(descent);
        assert_eq!(most(relu.into()), 17);
        assert_eq!(most(WhitenedPca::new(3).into()), 0);
    }

    #[test]
    fn the_entries_once_more_take_memory() {
        let of = |nmf: Nmf| {
            Settings::from(nmf).estimate_held(5_000, 20_000, Some(100_000_000), Dtype::F64).memory
        };
        let both = of(Nmf::new(3).divergence(Divergence::KullbackLeibler));
        assert!(both > of(Nmf::new(3)) + 1_000_000_000);
    }

    #[test]
    fn neighbours_take_memory() {
        let deep = |neighbours: &[usize]| {
            let near = Neighbourhood::of(neighbours);
            Settings::from(DeepSemiNmf::new([5, 3]).neighbourhood(near)).estimate(
                50,
                100_000,
                Dtype::F32,
            )
        };
        assert!(deep(&[0, 50]).memory > deep(&[]).memory);
        assert!(deep(&[5, 0]).file > deep(&[0, 5]).file); // what tells samples of the fit
    }

    #[test]
    fn more_of_anything_takes_more() {
        let of = |k, p, n| Settings::from(Nmf::new(k)).estimate(p, n, Dtype::F64);
        let least = of(3, 50, 200);
        for more in [of(4, 50, 200), of(3, 60, 200), of(3, 50, 300)] {
            assert!(more.memory > least.memory && more.file > least.file);
            assert!(more.iteration > least.iteration);
        }
    }
}
