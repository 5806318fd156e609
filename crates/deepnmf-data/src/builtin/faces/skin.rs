//! What is painted on the front of the head: eyes, brows, mouth, beard and glasses.
//!
//! Each layer mixes its brightness into the one below by how far a point lies inside the layer's
//! outline; the soft edge keeps lines thinner than a pixel from flickering.

use super::identity::{Beard, Identity};
use super::scene::Expression;

/// Half the width of a soft edge, in half image widths.
const EDGE: f64 = 0.014;

/// One face: a person with an expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face<'a> {
    pub(super) person: &'a Identity,
    pub(super) expression: &'a Expression,
}

impl Face<'_> {
    /// The brightness of the skin or what is on it, `x` to the right and `y` above the middle.
    pub(super) fn brightness(&self, x: f64, y: f64) -> f64 {
        let mut tone = self.person.skin;
        tone = self.paint_sockets(tone, x, y);
        tone = self.paint_beard(tone, x, y);
        tone = self.paint_mouth(tone, x, y);
        for side in [-1.0, 1.0] {
            tone = self.paint_eye(tone, x, y, side);
            tone = self.paint_brow(tone, x, y, side);
        }
        if self.person.glasses { self.paint_glasses(tone, x, y) } else { tone }
    }

    /// Eyes lie deep: the skin around them gets less light.
    fn paint_sockets(&self, tone: f64, x: f64, y: f64) -> f64 {
        let person = self.person;
        let dx = (x.abs() - person.eye_distance * 0.92) / 0.17;
        let dy = (y - person.eye_height - 0.02) / 0.12;
        tone * (1.0 - 0.28 * bump(dx * dx + dy * dy))
    }

    fn paint_eye(&self, tone: f64, x: f64, y: f64, side: f64) -> f64 {
        let person = self.person;
        let dx = x - side * person.eye_distance;
        let dy = y - person.eye_height;
        let along = dx / person.eye_width;
        if along.abs() > 1.3 || dy.abs() > 0.2 {
            return tone;
        }
        let open = self.expression.eye_opening[usize::from(side > 0.0)];
        let half_height = person.eye_opening * open * (1.0 - along * along);
        let inside = cover(half_height - dy.abs()) * cover((1.0 - along.abs()) * person.eye_width);
        let eyeball = self.eyeball(dx, dy);
        let eye = mix(tone, eyeball, if open > 0.0 { inside } else { 0.0 });
        // The lashes follow the upper lid and are all that is left of a closed eye.
        let lashes = cover(0.016 - (dy - half_height).abs()) * cover(0.1 * (1.05 - along.abs()));
        mix(eye, 0.10, 0.85 * lashes)
    }

    /// White, iris and pupil, looking straight ahead.
    fn eyeball(&self, dx: f64, dy: f64) -> f64 {
        let distance = (dx * dx + dy * dy).sqrt();
        let iris_radius = 0.052;
        let eyeball = mix(0.95, self.person.iris, cover(iris_radius - distance));
        mix(eyeball, 0.02, cover(0.5 * iris_radius - distance))
    }

    fn paint_brow(&self, tone: f64, x: f64, y: f64, side: f64) -> f64 {
        let (person, expression) = (self.person, self.expression);
        // From -1 at the inner end to 1 at the outer end.
        let along = (x * side - person.eye_distance) / (1.25 * person.eye_width);
        if along.abs() > 1.2 {
            return tone;
        }
        let middle = person.eye_height + person.brow_gap + expression.brow_raise
            - expression.brow_tilt * 0.5 * (1.0 - along)
            - person.brow_arch * along * along;
        let weight = person.brow_weight * (1.0 - 0.45 * along.max(0.0));
        let inside = cover(weight - (y - middle).abs()) * cover(0.15 * (1.0 - along.abs()));
        mix(tone, person.hair * 0.7, 0.9 * inside)
    }

    fn paint_mouth(&self, tone: f64, x: f64, y: f64) -> f64 {
        let (person, expression) = (self.person, self.expression);
        let half_width = person.mouth_width * expression.mouth_stretch;
        let along = x / half_width;
        if along.abs() > 1.2 {
            return tone;
        }
        let arch = (1.0 - along * along).max(0.0);
        let dy = y - person.mouth_height - expression.mouth_curve * (0.5 - arch);
        let opening = expression.mouth_opening * arch.sqrt();
        let ends = cover(half_width * (1.0 - along.abs()) + 0.5 * EDGE);
        let lips = cover(opening + person.lip_fullness * arch.sqrt() - dy.abs()) * ends;
        let with_lips = mix(tone, person.skin * person.lip, lips);
        // Teeth show under the upper lip of a stretched mouth.
        let teeth = expression.mouth_stretch > 1.0 && dy > -0.15 * opening;
        let gap = if teeth { 0.9 } else { 0.08 };
        let inner = if expression.mouth_opening > 0.0 { gap } else { 0.15 };
        mix(with_lips, inner, cover(opening.max(0.012) - dy.abs()) * ends)
    }

    fn paint_beard(&self, tone: f64, x: f64, y: f64) -> f64 {
        let person = self.person;
        let dy = y - person.mouth_height;
        let moustache = cover(0.035 - (dy - 0.075 + 0.8 * x * x).abs()) * cover(0.19 - x.abs());
        let inside = match person.beard {
            Beard::None => return tone,
            Beard::Moustache => moustache,
            // Up the cheeks towards the ears, but not on the cheeks themselves.
            Beard::Full => moustache.max(ramp(-0.06, 0.02, 1.9 * x * x - 0.02 - dy)),
        };
        mix(tone, person.hair, 0.75 * inside)
    }

    fn paint_glasses(&self, tone: f64, x: f64, y: f64) -> f64 {
        let person = self.person;
        let radius = 0.60 * person.eye_distance + 0.015;
        let dy = y - person.eye_height;
        let outward = x.abs() - person.eye_distance;
        let distance = (outward * outward + dy * dy).sqrt();
        let rim = cover(0.02 - (distance - radius).abs());
        let beside = cover(outward.abs() - radius);
        let bridge_and_arms = cover(0.017 - (dy - 0.02).abs()) * beside;
        mix(tone, 0.06, rim.max(bridge_and_arms))
    }
}

/// `below` where `share` is 0, `above` where it is 1.
pub(super) fn mix(below: f64, above: f64, share: f64) -> f64 {
    below + (above - below) * share
}

/// How much of a point is covered that lies `depth` inside an outline.
fn cover(depth: f64) -> f64 {
    ramp(-EDGE, EDGE, depth)
}

/// Rises smoothly from 0 at `low` to 1 at `high`.
pub(super) fn ramp(low: f64, high: f64, value: f64) -> f64 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A bell over a squared distance, zero from 1 on.
fn bump(distance_sq: f64) -> f64 {
    let inside = (1.0 - distance_sq).max(0.0);
    inside * inside
}
