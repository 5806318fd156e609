//! Gradient orientations and sizes of pictures that are stored column by column.

use crate::preprocess::Pipeline;
use crate::{Dataset, ImageShape, PixelOrder};

use deepnmf::Matrix;

/// Neither square nor symmetric: no two directions can be mistaken for each other.
const WIDTH: usize = 5;
const HEIGHT: usize = 3;

/// A picture by row and column.
fn pixel(row: usize, column: usize) -> f64 {
    ((7 * row * row + 5 * column * row + 3 * column) % 11) as f64
}

/// The rows and columns of the pixels in the order of the features.
fn places(order: PixelOrder) -> Vec<(usize, usize)> {
    let by_row = (0..HEIGHT).flat_map(|row| (0..WIDTH).map(move |column| (row, column)));
    let by_column = (0..WIDTH).flat_map(|column| (0..HEIGHT).map(move |row| (row, column)));
    match order {
        PixelOrder::RowMajor => by_row.collect(),
        PixelOrder::ColumnMajor => by_column.collect(),
    }
}

fn prepared(steps: &str, order: PixelOrder) -> Vec<f64> {
    let values = places(order).into_iter().map(|(row, column)| pixel(row, column)).collect();
    let x = Matrix::from_vec(WIDTH * HEIGHT, 1, values).unwrap();
    let image_shape = Some(ImageShape { width: WIDTH, height: HEIGHT, order });
    let mut data = Dataset { image_shape, ..Dataset::new(x) };
    steps.parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap();
    data.x.as_slice().to_vec()
}

/// The paper's formula at one pixel, word for word: `phi = atan2(dI/dy, dI/dx)`, and the feature
/// `[cos phi; sin phi] / sqrt(p)`.
fn literal(row: usize, column: usize) -> [f64; 2] {
    let slope = |before: f64, after: f64, distance: usize| (after - before) / distance as f64;
    let (left, right) = (column.saturating_sub(1), (column + 1).min(WIDTH - 1));
    let dx = slope(pixel(row, left), pixel(row, right), right - left);
    let (above, below) = (row.saturating_sub(1), (row + 1).min(HEIGHT - 1));
    let dy = slope(pixel(above, column), pixel(below, column), below - above);
    let phi = f64::atan2(dy, dx);
    let root = ((WIDTH * HEIGHT) as f64).sqrt();
    [phi.cos() / root, phi.sin() / root]
}

#[test]
fn orientations_are_those_of_the_paper_whatever_the_order_of_the_pixels() {
    for order in [PixelOrder::RowMajor, PixelOrder::ColumnMajor] {
        let found = prepared("igo", order);
        for (i, (row, column)) in places(order).into_iter().enumerate() {
            let expected = literal(row, column);
            for (found, expected) in [found[i], found[WIDTH * HEIGHT + i]].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-14, "{order:?} at {row}, {column}");
            }
        }
    }
}

#[test]
fn the_order_of_the_pixels_changes_the_order_of_the_orientations_and_nothing_else() {
    let (by_row, by_column) =
        (prepared("igo", PixelOrder::RowMajor), prepared("igo", PixelOrder::ColumnMajor));
    for (i, place) in places(PixelOrder::ColumnMajor).into_iter().enumerate() {
        let same = places(PixelOrder::RowMajor).iter().position(|&p| p == place).unwrap();
        for half in [0, WIDTH * HEIGHT] {
            assert_eq!(by_column[half + i].to_bits(), by_row[half + same].to_bits(), "{place:?}");
        }
    }
}

#[test]
fn pictures_stored_by_columns_are_resized_as_those_stored_by_rows() {
    let (width, height) = (2, 4);
    let by_row = prepared("resize=2x4", PixelOrder::RowMajor);
    let by_column = prepared("resize=2x4", PixelOrder::ColumnMajor);
    for row in 0..height {
        for column in 0..width {
            let (a, b) = (by_row[row * width + column], by_column[column * height + row]);
            assert!((a - b).abs() < 1e-12, "{row}, {column}: {a} and {b}");
        }
    }
}
