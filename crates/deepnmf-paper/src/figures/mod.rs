//! Figures in the paper's form, as SVG written by hand: five kinds of marks need no plotting
//! library, and text stays text. Colours are those of Okabe and Ito, which people with any colour
//! vision can tell apart; lines differ by marker and dash as well.

mod bars;
mod canvas;
mod lines;
mod scatter;
mod strip;

pub(crate) use bars::{Bars, bars};
pub(crate) use lines::{Line, lines};
pub(crate) use scatter::{Cloud, scatter};
pub(crate) use strip::strip;

use canvas::Canvas;

/// Width of a figure in pixels.
const WIDTH: f64 = 800.0;
/// Height of a figure in pixels.
const HEIGHT: f64 = 380.0;

/// Colours that everybody can tell apart (Okabe & Ito 2008), the darkest first.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#7f7f7f"];

/// The rectangle that data are drawn in, and what its edges stand for.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        (
            self.left + self.width * share(x, self.x),
            self.top + self.height * (1.0 - share(y, self.y)),
        )
    }

    /// Border, horizontal grid with numbers, and the name of the vertical axis.
    fn draw(&self, canvas: &mut Canvas, y_name: &str) {
        for tick in ticks(self.y) {
            let (_, y) = self.place(self.x.0, tick);
            canvas.line((self.left, y), (self.left + self.width, y), "#dddddd");
            canvas.text((self.left - 6.0, y + 4.0), &number(tick), "end");
        }
        canvas.frame(self.left, self.top, self.width, self.height);
        canvas.upright((self.left - 40.0, self.top + self.height / 2.0), y_name);
    }

    /// A number or word below the horizontal axis.
    fn mark_x(&self, canvas: &mut Canvas, x: f64, text: &str) {
        let (x, y) = self.place(x, self.y.0);
        canvas.line((x, y), (x, y + 4.0), "#333333");
        canvas.text((x, y + 18.0), text, "middle");
    }

    /// The name of the horizontal axis.
    fn name_x(&self, canvas: &mut Canvas, name: &str) {
        let place = (self.left + self.width / 2.0, self.top + self.height + 38.0);
        canvas.text(place, name, "middle");
    }
}

/// Round numbers that cover a range in four to nine steps.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil();
    (0..20)
        .map(|i| (first + f64::from(i)) * step)
        .take_while(|t| *t <= high + 1e-9 * step)
        .collect()
}

/// A number without needless digits.
fn number(value: f64) -> String {
    let text = format!("{:.3}", if value == 0.0 { 0.0 } else { value });
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A range that holds all values with some room around them.
fn around(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    let room = ((high - low) * 0.06).max(0.01 * high.abs()).max(1e-6);
    (low - room, high + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((0.0, 100.0)), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        for range in [(0.0, 1.0), (-3.0, 7.0), (71.3, 74.9), (0.001, 0.004)] {
            let ticks = ticks(range);
            assert!((3..=9).contains(&ticks.len()), "{range:?}: {ticks:?}");
            assert!(ticks.iter().all(|t| *t >= range.0 && *t <= range.1 + 1e-9), "{ticks:?}");
        }
    }

    #[test]
    fn numbers_have_no_needless_digits() {
        assert_eq!([number(20.0), number(0.25), number(-0.0)], ["20", "0.25", "0"]);
    }

    #[test]
    fn every_figure_is_well_formed() {
        let points = vec![(20.0, 50.0), (30.0, 60.0)];
        let line = Line { name: "A & B".into(), points, area: Some(55.0) };
        let clouds = [Cloud {
            name: "one".into(),
            colour: 0,
            plus: true,
            points: vec![[0.0, 1.0], [2.0, -1.0]],
        }];
        let groups = [Bars { name: "layer 1".into(), values: vec![Some(10.0), None] }];
        let names = ["pose".to_owned(), "identity".to_owned()];
        for svg in [
            lines("AC <by> k", "components", "AC", &[line.clone(), line]),
            strip("layers", "layers", "AC", &[(2, vec![70.0, 71.0]), (3, vec![])]),
            bars("bars", "accuracy", &names, &groups),
            scatter("xor", &[("H_1".into(), clouds.to_vec())]),
        ] {
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
            assert!(!svg.contains("NaN") && !svg.contains("A & B"), "{svg}");
            assert!(svg.contains("<title>"), "for those who cannot see it");
        }
    }
}
