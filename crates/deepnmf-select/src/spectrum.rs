//! How many directions of the data stand out of noise: parallel analysis (Horn 1965).

use deepnmf::matrix::{SvdMethod, truncated_svd};
use deepnmf::rng::{below, generator};
use deepnmf::{DataMatrix, Matrix, Result, Scalar};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// At most so many samples are looked at, spread evenly over all.
const MOST_SAMPLES: usize = 1000;

/// Data with more features than this have no spectrum here: the decomposition would take longer than the fits.
const MOST_FEATURES: usize = 4096;

/// Orders that are drawn. Noise exceeds the largest of nine once in ten times.
const DRAWS: usize = 9;

/// What the random numbers of permutations are drawn for.
const PERMUTATIONS: u64 = 102;

/// Singular values of the data about their mean, and of the same numbers without any structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// Those of the data, largest first.
    pub values: Vec<f64>,
    /// Those of data in which each feature has its values in an order of its own: the largest of several draws.
    pub noise: Vec<f64>,
}

impl Spectrum {
    /// How many of the first lie above those of noise.
    pub fn above_noise(&self) -> usize {
        self.values.iter().zip(&self.noise).take_while(|(value, noise)| value > noise).count()
    }

    /// The leading ones of some data, unless they have too many features.
    pub(crate) fn of<T: Scalar>(
        x: &dyn DataMatrix<T>,
        most: usize,
        seed: u64,
    ) -> Result<Option<Self>> {
        let (p, n) = x.shape();
        if !(2..=MOST_FEATURES).contains(&p) || n < 2 {
            return Ok(None);
        }
        let centred = some_centred(x)?;
        let count = most.min(p).min(centred.cols());
        let of = |x: &Matrix<f64>| truncated_svd(x, count, SvdMethod::Rough, seed).map(|svd| svd.s);
        let values = of(&centred)?;
        let (mut rng, mut without) = (generator(seed, PERMUTATIONS), centred);
        let mut noise = vec![0.0f64; count];
        for _ in 0..DRAWS {
            permute(&mut without, &mut rng);
            noise.iter_mut().zip(of(&without)?).for_each(|(most, s)| *most = most.max(s));
        }
        Ok(Some(Self { values, noise }))
    }
}

/// Some of the samples without the mean of each feature.
fn some_centred<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Matrix<f64>> {
    let (p, n) = x.shape();
    let count = n.min(MOST_SAMPLES);
    let chosen: Vec<usize> = (0..count).map(|at| at * n / count).collect();
    let mut some = Matrix::zeros(p, count);
    let mut at = 0;
    x.blocks(&mut |start, block| {
        while let Some(sample) = chosen.get(at).filter(|sample| **sample < start + block.cols()) {
            let column = block.col(sample - start);
            some.col_mut(at).iter_mut().zip(column).for_each(|(to, v)| *to = v.to_f64());
            at += 1;
        }
        std::ops::ControlFlow::Continue(())
    })?;
    for i in 0..p {
        let mean = (0..count).map(|j| some[(i, j)]).sum::<f64>() / count as f64;
        (0..count).for_each(|j| some[(i, j)] -= mean);
    }
    Ok(some)
}

/// Brings the values of every feature into an order of its own.
fn permute(x: &mut Matrix<f64>, rng: &mut ChaCha8Rng) {
    for i in 0..x.rows() {
        for j in (1..x.cols()).rev() {
            let other = below(rng, j + 1);
            let held = x[(i, j)];
            x[(i, j)] = x[(i, other)];
            x[(i, other)] = held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepnmf::rng::uniform;

    #[test]
    fn planted_directions_stand_out_and_noise_does_not() {
        let mut rng = generator(5, 1);
        let mut draw = |rows, cols| Matrix::from_fn(rows, cols, |_, _| uniform(&mut rng) - 0.5);
        let (z, h, noise) = (draw(40, 4), draw(4, 300), draw(40, 300));
        let mut x = deepnmf::matrix::product(z.view(), h.view());
        x.as_mut_slice().iter_mut().zip(noise.as_slice()).for_each(|(x, e)| *x += 0.1 * e);
        assert_eq!(Spectrum::of(&x, 20, 0).unwrap().unwrap().above_noise(), 4);
        assert!(Spectrum::of(&noise, 20, 0).unwrap().unwrap().above_noise() <= 1);
    }
}
