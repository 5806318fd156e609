//! Accuracy by number of layers: a dot an architecture, a line through the means.

use super::canvas::{Canvas, Marker};
use super::{COLOURS, Frame, HEIGHT, WIDTH, around};

/// Draws all values of every group side by side, and the means.
pub(crate) fn strip(
    title: &str,
    x_name: &str,
    y_name: &str,
    groups: &[(usize, Vec<f64>)],
) -> String {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, title);
    let frame = Frame {
        left: 60.0,
        top: 36.0,
        width: WIDTH - 80.0,
        height: HEIGHT - 90.0,
        x: (-0.5, groups.len() as f64 - 0.5),
        y: around(groups.iter().flat_map(|(_, values)| values).copied()),
    };
    canvas.text((frame.left, 22.0), title, "start");
    frame.draw(&mut canvas, y_name);
    frame.name_x(&mut canvas, x_name);
    let mut means = Vec::new();
    for (i, (group, values)) in groups.iter().enumerate() {
        frame.mark_x(&mut canvas, i as f64, &group.to_string());
        for (j, value) in values.iter().enumerate() {
            // Spread evenly, so that equal values do not hide each other.
            let aside = 0.6 * ((j as f64 + 0.5) / values.len() as f64 - 0.5);
            let place = frame.place(i as f64 + aside, *value);
            canvas.marker(Marker::Disc, place, 2.6, COLOURS[6]);
        }
        if !values.is_empty() {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            means.push(frame.place(i as f64, mean));
        }
    }
    canvas.path(&means, COLOURS[1], "none");
    for place in means {
        canvas.marker(Marker::Diamond, place, 5.0, COLOURS[1]);
    }
    canvas.finish()
}
