//! Accuracy by layer: a group a layer, a bar an attribute.

use super::canvas::Canvas;
use super::{COLOURS, Frame, HEIGHT, WIDTH};

/// The bars of one group, some of which may be missing.
#[derive(Debug, Clone)]
pub(crate) struct Bars {
    pub(crate) name: String,
    pub(crate) values: Vec<Option<f64>>,
}

/// Draws groups of bars from 0 to 100, named in the legend above.
pub(crate) fn bars(title: &str, y_name: &str, names: &[String], groups: &[Bars]) -> String {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, title);
    let frame = Frame {
        left: 60.0,
        top: 56.0,
        width: WIDTH - 80.0,
        height: HEIGHT - 110.0,
        x: (-0.5, groups.len() as f64 - 0.5),
        y: (0.0, 105.0),
    };
    canvas.text((frame.left, 22.0), title, "start");
    frame.draw(&mut canvas, y_name);
    for (i, name) in names.iter().enumerate() {
        let x = frame.left + 130.0 * i as f64;
        canvas.bar(x, 34.0, (12.0, 12.0), COLOURS[i % COLOURS.len()]);
        canvas.text((x + 18.0, 44.0), name, "start");
    }
    for (i, group) in groups.iter().enumerate() {
        frame.mark_x(&mut canvas, i as f64, &group.name);
        let width = 0.7 / group.values.len().max(1) as f64;
        for (j, value) in group.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let left = i as f64 - 0.35 + width * j as f64;
            let (corner, end) = (frame.place(left, *value), frame.place(left + width, 0.0));
            let size = (end.0 - corner.0 - 2.0, end.1 - corner.1);
            canvas.bar(corner.0 + 1.0, corner.1, size, COLOURS[j % COLOURS.len()]);
            let middle = f64::midpoint(corner.0, end.0);
            canvas.text((middle, corner.1 - 4.0), &format!("{value:.1}"), "middle");
        }
    }
    canvas.finish()
}
