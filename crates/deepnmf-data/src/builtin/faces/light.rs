//! Lamps, and how a surface looks under them.

/// Light that comes from everywhere.
const AMBIENT: f64 = 0.2;
/// All the light a surface facing the lamp gets; bright skin nearly reaches white.
const FULL_LIGHT: f64 = 1.14;
/// How far light reaches around the edge of a surface turned away from the lamp.
const WRAP: f64 = 0.12;

/// A distant lamp; the direction points from the face to it (right, up, towards the viewer).
#[derive(Debug, Clone, Copy)]
pub(super) struct Light {
    pub(super) name: &'static str,
    direction: [f64; 3],
}

/// All lights, in the order they are used. Every direction has length 1.
pub(super) const LIGHTS: [Light; 8] = [
    Light { name: "left", direction: [-0.864, 0.192, 0.4654] },
    Light { name: "front", direction: [0.0, 0.28, 0.96] },
    Light { name: "right", direction: [0.864, 0.192, 0.4654] },
    Light { name: "above", direction: [0.0, 0.8, 0.6] },
    Light { name: "below", direction: [0.0, -0.8, 0.6] },
    Light { name: "upper left", direction: [-0.48, 0.64, 0.6] },
    Light { name: "upper right", direction: [0.48, 0.64, 0.6] },
    Light { name: "half left", direction: [-0.48, 0.168, 0.861] },
];

/// What the viewer sees at one point of the image, before it is lit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seen {
    /// The background.
    Wall {
        /// To the right of the middle.
        x: f64,
        /// Above the middle.
        y: f64,
    },
    /// A part of the person.
    Surface {
        /// The share of light sent back.
        tone: f64,
        /// The outward direction, of length 1.
        normal: [f64; 3],
    },
}

impl Light {
    /// How bright a point is under this lamp.
    pub(super) fn brightness(self, seen: Seen) -> f64 {
        match seen {
            // A little brighter on the side of the lamp.
            Seen::Wall { x, y } => 0.48 + 0.08 * (x * self.direction[0] + y * self.direction[1]),
            Seen::Surface { tone, normal } => tone * self.shade(normal),
        }
    }

    /// The share of light a surface gets: Lambert's law, slightly wrapped around the edge.
    fn shade(self, normal: [f64; 3]) -> f64 {
        let facing: f64 = normal.iter().zip(&self.direction).map(|(n, l)| n * l).sum();
        AMBIENT + (FULL_LIGHT - AMBIENT) * ((facing + WRAP) / (1.0 + WRAP)).max(0.0)
    }
}
