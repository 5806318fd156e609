//! Accuracy over components, a line a method, the area under it in the legend as in the paper.

use super::canvas::{Canvas, Marker};
use super::{COLOURS, Frame, HEIGHT, WIDTH, around, number};

/// Room for the legend at the right.
const LEGEND: f64 = 255.0;
/// How lines are dashed when colours come round again.
const DASHES: [&str; 3] = ["none", "6 3", "2 3"];

/// One line.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// The area under it, if it has enough points.
    pub(crate) area: Option<f64>,
}

/// Draws lines over a common horizontal axis.
pub(crate) fn lines(title: &str, x_name: &str, y_name: &str, all: &[Line]) -> String {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, title);
    let points = || all.iter().flat_map(|line| &line.points);
    let frame = Frame {
        left: 60.0,
        top: 36.0,
        width: WIDTH - 80.0 - LEGEND,
        height: HEIGHT - 90.0,
        x: around(points().map(|p| p.0)),
        y: around(points().map(|p| p.1)),
    };
    canvas.text((12.0, 22.0), title, "start");
    frame.draw(&mut canvas, y_name);
    let mut marks: Vec<f64> = points().map(|p| p.0).collect();
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    for x in marks {
        frame.mark_x(&mut canvas, x, &number(x));
    }
    frame.name_x(&mut canvas, x_name);
    for (i, line) in all.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let dash = DASHES[i / Marker::ALL.len() % DASHES.len()];
        let marker = Marker::ALL[i % Marker::ALL.len()];
        let places: Vec<_> = line.points.iter().map(|(x, y)| frame.place(*x, *y)).collect();
        canvas.path(&places, colour, dash);
        for place in places {
            canvas.marker(marker, place, 3.6, colour);
        }
        let (x, y) = (WIDTH - LEGEND, frame.top + 10.0 + 22.0 * i as f64);
        canvas.path(&[(x, y), (x + 28.0, y)], colour, dash);
        canvas.marker(marker, (x + 14.0, y), 3.6, colour);
        let area = line.area.map_or(String::new(), |area| format!(" ({area:.1})"));
        canvas.text((x + 34.0, y + 4.0), &format!("{}{area}", line.name), "start");
    }
    canvas.finish()
}
