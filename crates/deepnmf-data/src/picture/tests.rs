use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use super::{PictureError, Scale, Sheet, terminal_preview};
use crate::{ImageShape, PixelOrder};

const GREY: Scale = Scale::Range { low: 0.0, high: 1.0 };

fn shape(width: usize, height: usize) -> ImageShape {
    ImageShape { width, height, order: PixelOrder::RowMajor }
}

/// Colour type, width, height and bytes of a PNG file.
fn decode(path: &Path) -> (png::ColorType, u32, u32, Vec<u8>) {
    let file = BufReader::new(File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    bytes.truncate(info.buffer_size());
    (info.color_type, info.width, info.height, bytes)
}

/// One tile without margin, as it comes back from its file.
fn drawn(values: &[f64], shape: ImageShape, scale: Scale) -> (png::ColorType, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tile.png");
    let mut sheet = Sheet::new().enlargement(1).margin(0);
    sheet.add_section("", [values], shape, scale).unwrap();
    sheet.write_png(&path).unwrap();
    let (colour, _, _, bytes) = decode(&path);
    (colour, bytes)
}

#[test]
fn a_png_file_decodes_back_with_the_right_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sheet.png");
    let tile: &[f32] = &[0.5; 12];
    let mut sheet = Sheet::new().columns(3).enlargement(5).margin(2);
    sheet.add_section("", [tile; 7], shape(4, 3), GREY).unwrap();
    sheet.write_png(&path).unwrap();
    let (colour, width, height, bytes) = decode(&path);
    assert_eq!((width, height), (2 + 3 * (4 * 5 + 2), 2 + 3 * (3 * 5 + 2)));
    assert_eq!(colour, png::ColorType::Grayscale);
    assert_eq!(bytes.len(), (width * height) as usize);
    assert_eq!(bytes.iter().map(|&level| usize::from(level == 128)).sum::<usize>(), 7 * 12 * 25);
}

#[test]
fn a_caption_and_a_second_section_make_the_sheet_higher() {
    let folder = tempfile::tempdir().unwrap();
    let tile: &[f64] = &[0.0, 1.0, 0.5, 0.2];
    let height = |captions: &[&str]| {
        let mut sheet = Sheet::new();
        for caption in captions {
            sheet.add_section(caption, [tile], shape(2, 2), Scale::OwnRange).unwrap();
        }
        let path = folder.path().join("sheet.png");
        sheet.write_png(&path).unwrap();
        decode(&path).2
    };
    assert!(height(&[""]) < height(&["mode 1: identity"]));
    assert!(height(&["a", "b"]) > 2 * height(&["a"]));
}

#[test]
fn grey_levels_follow_the_range() {
    let values = [-1.0, 0.0, 0.5, 1.0, 7.0, f64::INFINITY];
    assert_eq!(drawn(&values, shape(6, 1), GREY).1, [0, 0, 128, 255, 255, 255]);
    assert_eq!(drawn(&[3.0, 4.0, 5.0], shape(3, 1), Scale::OwnRange).1, [0, 128, 255]);
    assert_eq!(drawn(&[3.0, 3.0], shape(2, 1), Scale::OwnRange).1, [0, 0]);
    let huge = [-f64::MAX, f64::MAX];
    assert_eq!(drawn(&huge, shape(2, 1), Scale::OwnRange).1, [0, 255]);
}

#[test]
fn a_signed_scale_is_white_at_zero_and_coloured_on_either_side() {
    let (colour, bytes) = drawn(&[-2.0, 0.0, 1.0, 2.0], shape(4, 1), Scale::Signed);
    assert_eq!(colour, png::ColorType::Rgb);
    let [blue, white, pale, red] = bytes.as_chunks::<3>().0 else { panic!("{bytes:?}") };
    assert!(blue[2] > 2 * blue[0] && red[0] > 2 * red[2]);
    assert_eq!(*white, [248; 3]);
    assert!(pale[1] > red[1], "half of the largest magnitude is paler");
}

#[test]
fn a_value_that_is_not_a_number_stands_out() {
    let (_, bytes) = drawn(&[0.0, f64::NAN, 1.0], shape(3, 1), Scale::OwnRange);
    assert_eq!(bytes, [0, 0, 0, 255, 210, 0, 255, 255, 255]);
    assert_eq!(drawn(&[f64::NAN], shape(1, 1), Scale::Signed).1, [255, 210, 0]);
}

#[test]
fn column_major_pixels_are_transposed() {
    let by_column = ImageShape { order: PixelOrder::ColumnMajor, ..shape(3, 2) };
    let rows = drawn(&[0.0, 0.1, 0.2, 0.3, 0.4, 1.0], shape(3, 2), GREY);
    let columns = drawn(&[0.0, 0.3, 0.1, 0.4, 0.2, 1.0], by_column, GREY);
    assert_eq!(rows, columns);
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let occupied = folder.path().join("occupied");
    fs::create_dir(&occupied).unwrap();
    let mut sheet = Sheet::new();
    sheet.add_section("x", [&[1.0f64][..]], shape(1, 1), GREY).unwrap();
    assert!(matches!(sheet.write_png(&occupied), Err(PictureError::Write(_))));
    assert!(sheet.write_png(&folder.path().join("missing/sheet.png")).is_err());
    assert!(Sheet::new().write_png(&folder.path().join("empty.png")).is_err());
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["occupied"]);
}

#[test]
fn wrong_tiles_are_named() {
    let good: &[f64] = &[0.0; 4];
    let bad: &[f64] = &[0.0; 5];
    let add = |tiles: &[&[f64]], shape, scale| {
        Sheet::new().add_section("", tiles.iter().copied(), shape, scale).unwrap_err().to_string()
    };
    let message = add(&[good, bad], shape(2, 2), GREY);
    assert!(message.contains("tile 2") && message.contains("2 x 2"), "{message}");
    assert!(add(&[good], shape(usize::MAX, 2), GREY).contains("4 pixels"));
    assert!(add(&[], shape(2, 2), GREY).contains("no tile"));
    let empty = Scale::Range { low: 1.0, high: 1.0 };
    assert!(add(&[good], shape(2, 2), empty).contains("from 1 to 1"));
}

#[test]
fn a_sheet_beyond_all_measure_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (enlargement, margin) in [(usize::MAX, 0), (1, usize::MAX), (20_000, 1)] {
        let mut sheet = Sheet::new().enlargement(enlargement).margin(margin);
        sheet.add_section("caption", [&[1.0f64, 2.0][..]], shape(2, 1), GREY).unwrap();
        let result = sheet.write_png(&folder.path().join("sheet.png"));
        assert!(matches!(result, Err(PictureError::TooLarge { .. })));
    }
}

/// The characters a terminal shows, without the colour codes.
fn visible(line: &str) -> usize {
    line.chars().filter(|&letter| letter == '▀' || letter == ' ').count()
}

#[test]
fn a_preview_is_at_most_80_characters_wide() {
    let tile: &[f32] = &[0.25; 32 * 32];
    for width in [0, 1, 7, 16, 32, 80, 500] {
        let text = terminal_preview([tile; 100], shape(32, 32), GREY, width).unwrap();
        assert!(text.lines().all(|line| visible(line) <= 80), "{width}");
        assert!(text.lines().all(|line| line.ends_with("\x1b[0m")));
    }
    let text = terminal_preview([tile; 100], shape(32, 32), GREY, 16).unwrap();
    assert_eq!((text.lines().count(), visible(text.lines().next().unwrap())), (8, 67));
}

#[test]
fn a_preview_shows_the_upper_pixel_in_front_of_the_lower() {
    let tile: &[f64] = &[0.0, 1.0];
    let text = terminal_preview([tile], shape(1, 2), GREY, 4).unwrap();
    assert_eq!(text, "\x1b[38;2;0;0;0m\x1b[48;2;255;255;255m▀\x1b[0m");
    let odd = terminal_preview([&tile[..1]], shape(1, 1), GREY, 4).unwrap();
    assert_eq!(odd, "\x1b[38;2;0;0;0m▀\x1b[0m");
}

#[test]
fn a_preview_averages_the_pixels_it_has_no_room_for() {
    let tile: &[f64] = &[0.0, 1.0, 1.0, 0.0];
    let text = terminal_preview([tile], shape(4, 1), GREY, 2).unwrap();
    assert_eq!(text.matches("\x1b[38;2;127;127;127m").count(), 2);
}
