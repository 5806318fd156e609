//! The basis of a layer in the space of the data: `Z_1 ... Z_layer`, as tiles or as top features.

use deepnmf::{Matrix, Scalar};
use serde::Serialize;

use crate::error::Result;
use crate::numbers::{largest, short};
use crate::pictures::{Atlas, Levels, Picture, Tiles};

/// The most components of a layer that the page shows.
const MOST_SHOWN: usize = 240;
/// The most pixels of a layer's tiles.
const PIXELS: usize = 400_000;
/// Features named for a component of data that are no pictures.
const NAMED: usize = 8;

/// The components of a layer, those with the largest share first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Basis {
    /// Which components are shown, counted from 0.
    pub shown: Vec<usize>,
    /// The share of each shown one in what the layer reconstructs.
    pub shares: Vec<f32>,
    /// Their pictures.
    pub tiles: Option<Atlas>,
    /// Their features of largest weight, as `(feature, weight)`, for data that are no pictures.
    pub features: Vec<Vec<(usize, f32)>>,
}

/// Draws a basis, `p x k`, that was used with features `h`, `k x n`.
pub(crate) fn basis<T: Scalar>(
    phi: &Matrix<T>,
    h: &Matrix<T>,
    picture: Option<Picture>,
) -> Result<Basis> {
    let shares = shares(phi, h);
    let shown = largest(&shares, MOST_SHOWN);
    let shares = shown.iter().map(|&component| short(shares[component])).collect();
    let tiles = picture
        .map(|picture| {
            let size = picture.fitting(shown.len(), PIXELS);
            let mut tiles = Tiles::new(picture, size, true);
            for &component in &shown {
                tiles.add(phi.col(component), Levels::Signed);
            }
            tiles.atlas()
        })
        .transpose()?;
    let features = match picture {
        Some(_) => vec![],
        None => shown.iter().map(|&component| top_features(phi.col(component))).collect(),
    };
    Ok(Basis { shown, shares, tiles, features })
}

/// What each component adds to the samples, as a share of what all add: `|phi_j| |h_j|`.
fn shares<T: Scalar>(phi: &Matrix<T>, h: &Matrix<T>) -> Vec<f64> {
    let mut used = vec![0.0; h.rows()];
    for sample in h.columns() {
        used.iter_mut().zip(sample).for_each(|(u, v)| *u += v.to_f64().powi(2));
    }
    let lengths = lengths(phi);
    let products: Vec<f64> = used.iter().zip(lengths).map(|(u, l)| u.sqrt() * l).collect();
    let sum: f64 = products.iter().sum();
    products.into_iter().map(|v| if sum > 0.0 { v / sum } else { 0.0 }).collect()
}

/// The lengths of all components.
pub(crate) fn lengths<T: Scalar>(phi: &Matrix<T>) -> Vec<f64> {
    let length = |column: &[T]| column.iter().map(|v| v.to_f64().powi(2)).sum::<f64>().sqrt();
    phi.columns().map(length).collect()
}

fn top_features<T: Scalar>(component: &[T]) -> Vec<(usize, f32)> {
    let sizes: Vec<f64> = component.iter().map(|v| v.to_f64().abs()).collect();
    let named = largest(&sizes, NAMED).into_iter();
    named.map(|feature| (feature, short(component[feature].to_f64()))).collect()
}

#[cfg(test)]
mod tests {
    use deepnmf_data::{ImageShape, PixelOrder};

    use super::*;

    #[test]
    fn components_with_the_largest_share_come_first() {
        let phi = Matrix::from_vec(2, 3, vec![1.0, 0.0, 0.0, 10.0, 0.0, 0.0]).unwrap();
        let h = Matrix::from_vec(3, 2, vec![3.0, 1.0, 9.0, 4.0, 0.0, 9.0]).unwrap();
        let found = basis(&phi, &h, None).unwrap();
        assert_eq!(found.shown, [1, 0, 2]);
        assert!((found.shares.iter().sum::<f32>() - 1.0).abs() < 1e-3);
        assert_eq!(found.features[0][0], (1, 10.0));
    }

    #[test]
    fn a_wide_layer_is_thinned_and_within_its_pixels() {
        let shape = ImageShape { width: 64, height: 64, order: PixelOrder::RowMajor };
        let picture = Picture::of(Some(shape), 4096);
        let phi = Matrix::from_fn(4096, 300, |i, j| ((i + j) % 5) as f64 - 2.0);
        let h = Matrix::from_fn(300, 2, |_, _| 1.0);
        let found = basis(&phi, &h, picture).unwrap();
        assert_eq!(found.shown.len(), MOST_SHOWN);
        let tiles = found.tiles.unwrap();
        assert!(tiles.signed && tiles.count == MOST_SHOWN);
        assert!(tiles.width * tiles.height * tiles.count <= PIXELS);
    }
}
