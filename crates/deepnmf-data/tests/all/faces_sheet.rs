//! The built-in faces on a sheet, where one can look at them.
//!
//! `DEEPNMF_SHEET=FOLDER cargo test -p deepnmf-data sheet_of_faces` leaves it in a folder.

use std::env;
use std::error::Error;
use std::path::PathBuf;

use deepnmf_data::builtin::Faces;
use deepnmf_data::picture::{Scale, Sheet};

const GREY: Scale = Scale::Range { low: 0.0, high: 1.0 };

fn add(sheet: &mut Sheet, caption: &str, faces: &Faces) -> Result<usize, Box<dyn Error>> {
    let faces = faces.generate::<f32>()?;
    let shape = faces.image_shape.ok_or("faces are pictures")?;
    sheet.add_section(caption, faces.x.columns(), shape, GREY)?;
    // No two of them look alike.
    for j in 1..faces.samples() {
        assert_ne!(faces.x.col(j), faces.x.col(j - 1), "{caption}: {j}");
    }
    Ok(faces.samples())
}

#[test]
fn a_sheet_of_faces_holds_every_attribute() -> Result<(), Box<dyn Error>> {
    let one = Faces::default().identities(1).poses(1).expressions(1).illuminations(1);
    let mut sheet = Sheet::new().columns(10).enlargement(3);
    assert_eq!(add(&mut sheet, "identity", &one.clone().identities(20))?, 20);
    assert_eq!(add(&mut sheet, "pose: left to right", &one.clone().poses(10))?, 10);
    let expressions = "expression: neutral, smile, surprise, frown, wink, laugh";
    assert_eq!(add(&mut sheet, expressions, &one.clone().expressions(6))?, 6);
    assert_eq!(add(&mut sheet, "illumination", &one.illuminations(8))?, 8);

    let kept = env::var_os("DEEPNMF_SHEET").map(PathBuf::from);
    let folder = tempfile::tempdir()?;
    let path = kept.as_deref().unwrap_or(folder.path()).join("deepnmf-faces.png");
    sheet.write_png(&path)?;
    let png = std::fs::read(&path)?;
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert!(png.len() > 10_000, "44 faces do not fit into {} bytes", png.len());
    Ok(())
}
