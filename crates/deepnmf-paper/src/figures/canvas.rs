//! An SVG picture, mark by mark.

use std::fmt::Write as _;

use crate::page::escape;

/// A picture that is being drawn.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

/// The shapes of markers; lines cycle through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Disc,
    Square,
    Diamond,
    Triangle,
    Plus,
}

impl Marker {
    pub(super) const ALL: [Self; 5] =
        [Self::Disc, Self::Square, Self::Diamond, Self::Triangle, Self::Plus];
}

// Writing to a string cannot fail, so results of `write!` are let go throughout.
impl Canvas {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, title: escape(title), body: String::new() }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}"/>"#,
            from.0, from.1, to.0, to.1
        );
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], colour: &str, dash: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            self.body,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>"#,
            points.join(" ")
        );
    }

    pub(super) fn frame(&mut self, left: f64, top: f64, width: f64, height: f64) {
        let _ = writeln!(
            self.body,
            r##"<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" fill="none" stroke="#333333"/>"##
        );
    }

    pub(super) fn bar(&mut self, left: f64, top: f64, (width, height): (f64, f64), colour: &str) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" fill="{colour}"/>"#
        );
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), text: &str, anchor: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    /// Text that runs upwards.
    pub(super) fn upright(&mut self, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            r#"<text transform="translate({x:.1} {y:.1}) rotate(-90)" text-anchor="middle">{text}</text>"#
        );
    }

    pub(super) fn marker(&mut self, shape: Marker, (x, y): (f64, f64), size: f64, colour: &str) {
        let path = match shape {
            Marker::Disc => {
                let _ = writeln!(
                    self.body,
                    r#"<circle cx="{x:.1}" cy="{y:.1}" r="{size:.1}" fill="{colour}" fill-opacity="0.85"/>"#
                );
                return;
            }
            Marker::Square => {
                polygon((x, y), &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)], size)
            }
            Marker::Diamond => {
                polygon((x, y), &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)], size)
            }
            Marker::Triangle => polygon((x, y), &[(0.0, -1.2), (1.1, 0.9), (-1.1, 0.9)], size),
            Marker::Plus => {
                for (dx, dy) in [(size, 0.0), (0.0, size)] {
                    let _ = writeln!(
                        self.body,
                        r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" stroke-width="1.8"/>"#,
                        x - dx,
                        y - dy,
                        x + dx,
                        y + dy
                    );
                }
                return;
            }
        };
        let _ = writeln!(
            self.body,
            r#"<polygon points="{path}" fill="{colour}" fill-opacity="0.85"/>"#
        );
    }

    /// The whole picture.
    pub(super) fn finish(self) -> String {
        let Self { width, height, title, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" font-family=\"system-ui, sans-serif\" \
             font-size=\"12\" fill=\"#222222\">\n<title>{title}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}

fn polygon((x, y): (f64, f64), corners: &[(f64, f64)], size: f64) -> String {
    let corners: Vec<String> = corners
        .iter()
        .map(|(dx, dy)| format!("{:.1},{:.1}", x + dx * size, y + dy * size))
        .collect();
    corners.join(" ")
}
