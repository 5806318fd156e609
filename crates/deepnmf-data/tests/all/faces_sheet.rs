//! For eyes, not for machines: writes the built-in faces where one can look at them.
//!
//! `cargo test -p deepnmf-data faces_sheet -- --ignored`

use std::error::Error;

use deepnmf_data::builtin::Faces;
use deepnmf_data::picture::{Scale, Sheet};
use deepnmf_data::write_npy;

const GREY: Scale = Scale::Range { low: 0.0, high: 1.0 };

fn add(sheet: &mut Sheet, caption: &str, faces: &Faces) -> Result<(), Box<dyn Error>> {
    let faces = faces.generate::<f32>()?;
    let shape = faces.image_shape.ok_or("faces are pictures")?;
    Ok(sheet.add_section(caption, faces.x.columns(), shape, GREY)?)
}

#[test]
#[ignore = "writes deepnmf-faces.png and .npy to the folder for temporary files, to look at"]
fn write_a_sheet_of_faces() -> Result<(), Box<dyn Error>> {
    let one = Faces::default().identities(1).poses(1).expressions(1).illuminations(1);
    let mut sheet = Sheet::new().columns(10).enlargement(3);
    add(&mut sheet, "identity", &one.clone().identities(20))?;
    add(&mut sheet, "pose: left to right", &one.clone().poses(10))?;
    let expressions = "expression: neutral, smile, surprise, frown, wink, laugh";
    add(&mut sheet, expressions, &one.clone().expressions(6))?;
    add(&mut sheet, "illumination", &one.illuminations(8))?;

    let folder = std::env::temp_dir();
    sheet.write_png(&folder.join("deepnmf-faces.png"))?;
    let all = Faces::default().generate::<f64>()?;
    Ok(write_npy(&folder.join("deepnmf-faces.npy"), &all.x)?)
}
