//! The curves as a picture: SVG, which every browser and word processor shows.

use std::fmt::Write as _;

use crate::{Choice, Point};

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 240.0;

/// Around a panel: room for numbers and names.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 44.0;

// Attributes and no style element: pages that show the picture may allow no styles but their own.
const AXIS: &str = "stroke=\"#888\" fill=\"none\"";
const LINE: &str = "stroke=\"#1f6fb2\" stroke-width=\"1.5\" fill=\"none\"";
const POINT: &str = "fill=\"#1f6fb2\"";
const BAR: &str = "stroke=\"#1f6fb2\"";
const OTHER: &str =
    "stroke=\"#b26a1f\" stroke-width=\"1.5\" fill=\"none\" stroke-dasharray=\"4 3\"";
const CHOSEN: &str = "stroke=\"#2a8a4a\" stroke-dasharray=\"2 3\"";

/// One picture with a row for each layer: held-out loss, stability, spectrum.
pub(crate) fn svg(choices: &[Choice]) -> String {
    let height = HEIGHT * choices.len().max(1) as f64;
    let width = 3.0 * WIDTH;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    );
    for (row, choice) in choices.iter().enumerate() {
        let layer = if choices.len() > 1 { format!("layer {}: ", row + 1) } else { String::new() };
        for (column, panel) in panels(choice).iter().enumerate() {
            let (x, y) = (column as f64 * WIDTH, row as f64 * HEIGHT);
            let _ = write!(svg, "<g transform=\"translate({x} {y})\">");
            panel.draw(&layer, choice.chosen, &mut svg);
            svg.push_str("</g>");
        }
    }
    svg + "</svg>\n"
}

/// A curve over numbers of components, each with its deviation.
type Curve = Vec<(f64, f64, f64)>;

struct Panel {
    title: &'static str,
    below: &'static str,
    curve: Curve,
    /// A second curve to compare with.
    other: Curve,
    marks_choice: bool,
}

fn panels(choice: &Choice) -> [Panel; 3] {
    let of = |value: &dyn Fn(&Point) -> Option<(f64, f64)>| -> Curve {
        let known =
            choice.curve.iter().filter_map(|point| Some((point.size as f64, value(point)?)));
        known.map(|(size, (value, deviation))| (size, value, deviation)).collect()
    };
    let held_out = of(&|point| Some((point.held_out, point.deviation)));
    let ends = [held_out.first(), held_out.last()].into_iter().flatten();
    let means = ends.map(|(size, ..)| (*size, 1.0, 0.0)).collect();
    let numbered = |values: &[f64]| -> Curve {
        values.iter().enumerate().map(|(at, value)| (at as f64 + 1.0, *value, 0.0)).collect()
    };
    let spectrum = choice.spectrum.as_ref();
    [
        Panel {
            title: "held-out loss / that of means",
            below: "components",
            curve: held_out,
            other: means,
            marks_choice: true,
        },
        Panel {
            title: "agreement of fits (cosine)",
            below: "components",
            curve: of(&|point| Some((point.stability?, point.stability_deviation?))),
            other: vec![],
            marks_choice: true,
        },
        Panel {
            title: "singular values, noise dashed",
            below: "number",
            curve: spectrum.map_or(vec![], |s| numbered(&s.values)),
            other: spectrum.map_or(vec![], |s| numbered(&s.noise)),
            marks_choice: false,
        },
    ]
}

impl Panel {
    fn draw(&self, layer: &str, chosen: usize, svg: &mut String) {
        let Self { title, below, curve, other, marks_choice } = self;
        let _ =
            write!(svg, "<text font-weight=\"bold\" x=\"{LEFT}\" y=\"20\">{layer}{title}</text>");
        if curve.is_empty() {
            let _ = write!(svg, "<text x=\"{LEFT}\" y=\"{}\">not computed</text>", HEIGHT / 2.0);
            return;
        }
        let all = || curve.iter().chain(other);
        let across = Axis::over(all().map(|(x, ..)| *x), LEFT, WIDTH - RIGHT);
        let up = Axis::over(all().flat_map(|(_, y, d)| [y - d, y + d]), HEIGHT - BOTTOM, TOP);
        let (bottom, top) = (HEIGHT - BOTTOM, TOP);
        let _ = write!(
            svg,
            "<path {AXIS} d=\"M{LEFT} {top}V{bottom}H{}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">\
             {below}</text>",
            WIDTH - RIGHT,
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0
        );
        for end in [across.low, across.high] {
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{end:.0}</text>",
                across.place(end),
                bottom + 16.0
            );
        }
        for end in [up.low, up.high] {
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                up.place(end) + 4.0,
                short(end)
            );
        }
        if *marks_choice && chosen > 0 {
            let x = across.place(chosen as f64);
            let _ = write!(
                svg,
                "<path {CHOSEN} d=\"M{x:.1} {top}V{bottom}\"/><text x=\"{x:.1}\" y=\"{}\" \
                 text-anchor=\"middle\">{chosen}</text>",
                top - 4.0
            );
        }
        for (stroke, curve) in [(OTHER, other), (LINE, curve)] {
            let mut path = String::new();
            for (at, (x, y, _)) in curve.iter().enumerate() {
                let step = if at == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{step}{:.1} {:.1}", across.place(*x), up.place(*y));
            }
            let _ = write!(svg, "<path {stroke} d=\"{path}\"/>");
        }
        for (x, y, deviation) in curve {
            let (x, low, high) =
                (across.place(*x), up.place(y - deviation), up.place(y + deviation));
            let y = up.place(*y);
            let _ = write!(
                svg,
                "<path {BAR} d=\"M{x:.1} {low:.1}V{high:.1}\"/><circle {POINT} cx=\"{x:.1}\" cy=\"{y:.1}\" \
                 r=\"2.5\"/>"
            );
        }
    }
}

/// From values to places on paper.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        Self { low, high, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share =
            if self.high > self.low { (value - self.low) / (self.high - self.low) } else { 0.5 };
        self.from + share * (self.to - self.from)
    }
}

fn short(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && !(1e-3..1e5).contains(&size) => format!("{value:.1e}"),
        size if size < 100.0 => format!("{value:.3}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::tests::trials;

    #[test]
    fn a_picture_has_a_point_for_every_number_and_no_place_outside() {
        let found = trials(&[(1, &[0.9, 0.91]), (2, &[0.5, 0.51]), (3, &[0.6, 0.7])]);
        let picture = svg(&[found.answer(3, None), found.answer(5, None)]);
        // Two layers, two panels with curves.
        assert_eq!(picture.matches("<circle").count(), 2 * 2 * 3);
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        assert!(picture.contains("layer 2: held-out loss"));
    }
}
