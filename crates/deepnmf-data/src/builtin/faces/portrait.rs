//! Puts a head together and takes its picture under one or several lamps.

use super::identity::{HairStyle, Identity};
use super::light::{Light, Seen};
use super::scene::{Expression, Pose};
use super::skin::{Face, mix, ramp};
use super::solid::{Hit, Solid};

/// Rays per pixel and direction; their mean smooths the outlines.
const RAYS: usize = 3;
/// Half the width of what the camera sees: hair and chin just fit.
const FIELD: f64 = 0.97;

/// A person holding still for pictures.
pub(super) struct Portrait<'a> {
    person: &'a Identity,
    face: Face<'a>,
    pose: Pose,
    head: Solid,
    nose: Solid,
    ears: [Solid; 2],
    hair: Solid,
    mane: Option<Solid>,
    neck: Solid,
    shoulders: Solid,
}

impl<'a> Portrait<'a> {
    /// Sets up a picture.
    pub(super) fn new(person: &'a Identity, pose: Pose, expression: &'a Expression) -> Self {
        let head = head(person);
        Self {
            person,
            face: Face { person, expression },
            pose,
            head,
            nose: nose(person, &head),
            ears: [-1.0, 1.0].map(|side| ear(person, &head, side)),
            hair: hair(person, &head),
            mane: mane(person),
            neck: solid([0.0, -0.70, -0.12], [person.neck_width * person.head_width, 0.55, 0.3]),
            shoulders: solid(
                [0.0, person.shoulder_height - 0.5, -0.1],
                [person.shoulder_width, 0.5, 0.42],
            ),
        }
    }

    /// Takes a picture under each of `lights`: `size * size` brightnesses from 0 to 1, row by row
    /// from the top. What is seen does not depend on the light and is found out only once.
    pub(super) fn take(&self, size: usize, lights: &[Light]) -> Vec<Vec<f64>> {
        let step = 2.0 * FIELD / (size * RAYS) as f64;
        let place = |index: usize| (index as f64 + 0.5) * step - FIELD;
        let share = 1.0 / (RAYS * RAYS) as f64;
        let mut images = vec![Vec::with_capacity(size * size); lights.len()];
        for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
            let mut rays = [Seen::Wall { x: 0.0, y: 0.0 }; RAYS * RAYS];
            for (index, ray) in rays.iter_mut().enumerate() {
                let x = place(column * RAYS + index % RAYS);
                let y = -place(row * RAYS + index / RAYS);
                *ray = self.seen(x, y);
            }
            for (image, light) in images.iter_mut().zip(lights) {
                let sum: f64 = rays.iter().map(|&ray| light.brightness(ray)).sum();
                image.push((share * sum).clamp(0.0, 1.0));
            }
        }
        images
    }

    /// The nearest thing at one point of the image.
    fn seen(&self, x: f64, y: f64) -> Seen {
        let mut nearest = f64::NEG_INFINITY;
        let mut seen = Seen::Wall { x, y };
        let mut show = |hit: Option<Hit>, tone: &dyn Fn(&Hit) -> f64| {
            if let Some(hit) = hit.filter(|hit| hit.depth > nearest) {
                nearest = hit.depth;
                seen = Seen::Surface { tone: tone(&hit), normal: hit.normal };
            }
        };
        let pose = self.pose;
        let skin = self.person.skin;
        let hair = self.hair.hit(x, y, pose).filter(|hit| self.is_hair(hit));
        // Hair first: what lies behind it need not be painted.
        show(hair, &|hit| self.hair_tone(hit));
        show(self.head.hit(x, y, pose), &|hit| self.head_tone(hit));
        show(self.nose.hit(x, y, pose), &|hit| self.nose_tone(hit));
        for ear in &self.ears {
            show(ear.hit(x, y, pose), &|_| 0.9 * skin);
        }
        show(self.mane.and_then(|mane| mane.hit(x, y, pose)), &|hit| self.hair_tone(hit));
        // The body keeps facing the camera.
        show(self.neck.hit(x, y, Pose::FRONT), &|_| 0.8 * skin);
        show(self.shoulders.hit(x, y, Pose::FRONT), &|hit| self.clothes_tone(hit));
        seen
    }

    /// The face in front, bare skin at the back.
    fn head_tone(&self, hit: &Hit) -> f64 {
        let [right, up, front] = hit.point;
        if front > 0.0 {
            self.face.brightness(right, up - self.head.centre[1])
        } else {
            self.person.skin
        }
    }

    /// Skin with nostrils.
    fn nose_tone(&self, hit: &Hit) -> f64 {
        let [right, up, _] = hit.point;
        let dx = (right.abs() - 0.5 * self.person.nose_width) / 0.035;
        let dy = (up - self.nose.centre[1] + 0.86 * self.nose.axes[1]) / 0.03;
        let nostril = 1.0 - ramp(0.6, 1.4, dx * dx + dy * dy);
        mix(self.person.skin, 0.15, 0.8 * nostril)
    }

    /// Whether the hair's outer surface has hair there, and not face or neck.
    fn is_hair(&self, hit: &Hit) -> bool {
        let [right, up, front] = hit.point;
        let front = front / self.hair.axes[2];
        let person = self.person;
        let (line, sides, from, to) = match person.hair_style {
            HairStyle::Short => (person.hair_line, -0.05, 0.0, 0.45),
            HairStyle::Parted => {
                (person.hair_line + 0.3 * right * person.hair_side, -0.05, 0.05, 0.45)
            }
            HairStyle::Fringe => (person.hair_line - 0.15, -0.12, 0.05, 0.5),
            HairStyle::Long => (person.hair_line + 0.02, -0.4, 0.1, 0.6),
            HairStyle::Receding => (0.62, -0.05, -0.15, 0.25),
        };
        // At the back it grows down to the neck.
        let sides = sides - 0.35 * ramp(0.1, 0.6, -front);
        up - self.head.centre[1] > mix(sides, line, ramp(from, to, front))
    }

    /// Skin inside the neckline, then its border, then the shirt.
    fn clothes_tone(&self, hit: &Hit) -> f64 {
        let [right, up, _] = hit.point;
        let person = self.person;
        let below = person.shoulder_height - up;
        let outside = right.abs() / (0.9 * person.head_width) + below / (person.neckline + 0.05);
        let shirt = mix(person.collar, person.clothes, ramp(1.30, 1.40, outside));
        mix(0.8 * person.skin, shirt, ramp(0.95, 1.05, outside))
    }

    /// Hair shines most where it bends from the top to the side.
    fn hair_tone(&self, hit: &Hit) -> f64 {
        let bend = (hit.normal[1] - 0.55) / 0.3;
        self.person.hair * (0.85 + 0.5 * (1.0 - bend * bend).max(0.0))
    }
}

fn solid(centre: [f64; 3], axes: [f64; 3]) -> Solid {
    Solid { centre, axes, taper: 0.0 }
}

fn head(person: &Identity) -> Solid {
    Solid {
        // A little above the middle of the image.
        centre: [0.0, 0.06 + person.stature, 0.0],
        axes: [person.head_width, person.head_height, person.head_depth],
        taper: person.jaw_taper,
    }
}

/// From between the eyes down, standing out of the face and wider at the tip.
fn nose(person: &Identity, head: &Solid) -> Solid {
    let half = 0.5 * person.nose_length;
    let middle = head.centre[1] + person.eye_height + 0.02 - half;
    let root = head.front_at(0.0, middle) - 0.05;
    Solid {
        centre: [0.0, middle, root],
        axes: [person.nose_width, half, person.nose_depth],
        taper: -0.65,
    }
}

fn ear(person: &Identity, head: &Solid, side: f64) -> Solid {
    solid(
        [side * person.head_width, head.centre[1] + person.eye_height - 0.09, -0.06],
        [0.055, 0.15, 0.11],
    )
}

fn hair(person: &Identity, head: &Solid) -> Solid {
    let wider = person.hair_volume;
    solid(
        [0.0, head.centre[1] + 0.01, -0.03],
        [person.head_width + wider, person.head_height + wider, person.head_depth + wider],
    )
}

/// Long hair hangs behind the face down to the shoulders.
fn mane(person: &Identity) -> Option<Solid> {
    let wider = person.hair_volume + 0.07;
    let mane = Solid {
        centre: [0.0, -0.12, -0.22],
        axes: [person.head_width + wider, 0.92, 0.8 * person.head_depth],
        taper: -0.3,
    };
    (person.hair_style == HairStyle::Long).then_some(mane)
}
