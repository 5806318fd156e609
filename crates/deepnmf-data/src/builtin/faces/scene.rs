//! What one person does from picture to picture: pose and expression.

/// How far the head turns at yaw 1, as the tangent of half the angle: 28 degrees.
const TAN_HALF_TURN: f64 = 0.249_328_003;

/// A turn of the head about its vertical axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    pub(super) sin: f64,
    pub(super) cos: f64,
}

impl Pose {
    /// Looking straight ahead.
    pub(super) const FRONT: Self = Self { sin: 0.0, cos: 1.0 };

    /// Turned to the left (-100) or to the right (100) of the image.
    ///
    /// Sine and cosine come from the half-angle formulas, which need no library function and are
    /// therefore the same on every platform.
    pub(super) fn from_yaw_percent(yaw: i64) -> Self {
        let t = TAN_HALF_TURN * yaw as f64 / 100.0;
        let scale = 1.0 / (1.0 + t * t);
        Self { sin: 2.0 * t * scale, cos: (1.0 - t * t) * scale }
    }
}

/// The yaw of pose `index` of `count`, in percent of the full turn: evenly from -100 to 100.
pub(super) fn yaw_percent(index: u32, count: u32) -> i64 {
    let last = i64::from(count) - 1;
    if last < 1 {
        return 0;
    }
    (200 * i64::from(index) + last / 2) / last - 100
}

/// What the muscles of a face do, as changes to the person's resting face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expression {
    pub(super) name: &'static str,
    /// How far the eyes are open: the left and the right one of the image; 1 at rest.
    pub(super) eye_opening: [f64; 2],
    pub(super) brow_raise: f64,
    /// The inner ends of the brows move down by this much.
    pub(super) brow_tilt: f64,
    /// The corners of the mouth move up by this much.
    pub(super) mouth_curve: f64,
    /// Half the height of the open mouth.
    pub(super) mouth_opening: f64,
    /// Factor on the width of the mouth.
    pub(super) mouth_stretch: f64,
}

/// All expressions, in the order they are used.
pub(super) const EXPRESSIONS: [Expression; 6] = [
    Expression {
        name: "neutral",
        eye_opening: [1.0, 1.0],
        brow_raise: 0.0,
        brow_tilt: 0.0,
        mouth_curve: 0.0,
        mouth_opening: 0.0,
        mouth_stretch: 1.0,
    },
    Expression {
        name: "smile",
        eye_opening: [0.8, 0.8],
        brow_raise: 0.01,
        brow_tilt: 0.0,
        mouth_curve: 0.13,
        mouth_opening: 0.06,
        mouth_stretch: 1.35,
    },
    Expression {
        name: "surprise",
        eye_opening: [1.55, 1.55],
        brow_raise: 0.08,
        brow_tilt: -0.02,
        mouth_curve: 0.0,
        mouth_opening: 0.15,
        mouth_stretch: 0.7,
    },
    Expression {
        name: "frown",
        eye_opening: [0.65, 0.65],
        brow_raise: -0.025,
        brow_tilt: 0.07,
        mouth_curve: -0.08,
        mouth_opening: 0.0,
        mouth_stretch: 1.05,
    },
    Expression {
        name: "wink",
        eye_opening: [0.0, 1.1],
        brow_raise: 0.02,
        brow_tilt: 0.0,
        mouth_curve: 0.05,
        mouth_opening: 0.0,
        mouth_stretch: 1.2,
    },
    Expression {
        name: "laugh",
        eye_opening: [0.35, 0.35],
        brow_raise: 0.035,
        brow_tilt: 0.0,
        mouth_curve: 0.14,
        mouth_opening: 0.12,
        mouth_stretch: 1.35,
    },
];
