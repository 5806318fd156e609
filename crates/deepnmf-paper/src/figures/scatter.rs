//! Clouds of points in panels side by side: subjects by marker, poses by colour, as in the paper.

use super::canvas::{Canvas, Marker};
use super::{COLOURS, Frame, around};

/// Side of a panel in pixels.
const SIDE: f64 = 300.0;
/// Room around a panel.
const ROOM: f64 = 60.0;
/// Room below the panels for the legend.
const LEGEND: f64 = 30.0;

/// Points that belong together.
#[derive(Debug, Clone)]
pub(crate) struct Cloud {
    pub(crate) name: String,
    /// Which of the colours.
    pub(crate) colour: usize,
    /// Whether the points are crosses rather than discs.
    pub(crate) plus: bool,
    pub(crate) points: Vec<[f64; 2]>,
}

/// Draws every panel with its caption.
pub(crate) fn scatter(title: &str, panels: &[(String, Vec<Cloud>)]) -> String {
    let width = panels.len().max(1) as f64 * (SIDE + ROOM) + ROOM / 2.0;
    let height = SIDE + 80.0 + LEGEND;
    let mut canvas = Canvas::new(width, height, title);
    for (i, (caption, clouds)) in panels.iter().enumerate() {
        let points = || clouds.iter().flat_map(|cloud| &cloud.points);
        let frame = Frame {
            left: ROOM + i as f64 * (SIDE + ROOM),
            top: 36.0,
            width: SIDE,
            height: SIDE,
            x: around(points().map(|p| p[0])),
            y: around(points().map(|p| p[1])),
        };
        canvas.text((frame.left, 22.0), caption, "start");
        frame.draw(&mut canvas, "");
        for tick in super::ticks(frame.x) {
            frame.mark_x(&mut canvas, tick, &super::number(tick));
        }
        for cloud in clouds {
            let (marker, colour) = look(cloud);
            for point in &cloud.points {
                canvas.marker(marker, frame.place(point[0], point[1]), 3.0, colour);
            }
        }
    }
    for (i, cloud) in panels.first().map_or(&[][..], |(_, clouds)| clouds).iter().enumerate() {
        let (marker, colour) = look(cloud);
        let (x, y) = (ROOM + 160.0 * i as f64, height - 14.0);
        canvas.marker(marker, (x, y), 4.0, colour);
        canvas.text((x + 10.0, y + 4.0), &cloud.name, "start");
    }
    canvas.finish()
}

fn look(cloud: &Cloud) -> (Marker, &'static str) {
    let marker = if cloud.plus { Marker::Plus } else { Marker::Disc };
    (marker, COLOURS[cloud.colour % COLOURS.len()])
}
