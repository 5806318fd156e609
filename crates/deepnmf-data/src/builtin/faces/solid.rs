//! Ellipsoids seen from the front, after the head has turned.
//!
//! The viewer looks along `-z` at an image with `x` to the right and `y` up. The head has its own
//! frame: at yaw angle `t` its point `(X, y, Z)` is seen at `x = X cos t + Z sin t`, at distance
//! `z = Z cos t - X sin t` towards the viewer.

use super::scene::Pose;

/// An ellipsoid, possibly narrower towards one end, fixed to the head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solid {
    pub(super) centre: [f64; 3],
    pub(super) axes: [f64; 3],
    /// The share of the width missing at the lowest point (or, if negative, at the highest).
    pub(super) taper: f64,
}

/// Where the line of sight through one image point first meets a solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// The point in the frame of the head.
    pub(super) point: [f64; 3],
    /// The outward direction as the viewer sees it, of length 1.
    pub(super) normal: [f64; 3],
    /// The nearer to the viewer, the larger.
    pub(super) depth: f64,
}

impl Solid {
    /// The point of the surface seen at `(x, y)`, if there is one.
    pub(super) fn hit(&self, x: f64, y: f64, pose: Pose) -> Option<Hit> {
        let Pose { sin, cos } = pose;
        let [centre_x, centre_y, centre_z] = self.centre;
        let height = (y - centre_y) / self.axes[1];
        let radius_sq = 1.0 - height * height;
        if radius_sq <= 0.0 {
            return None;
        }
        // At a fixed height the solid is an ellipse in X and Z: a quadratic equation for z.
        let [wide, deep] = self.curvatures(height);
        let (right, front) = (x * cos - centre_x, x * sin - centre_z);
        let a = sin * sin * wide + cos * cos * deep;
        let b = front * cos * deep - right * sin * wide;
        let c = right * right * wide + front * front * deep - radius_sq;
        let discriminant = b * b - a * c;
        if discriminant <= 0.0 {
            return None;
        }
        let depth = (discriminant.sqrt() - b) / a;
        let (right, front) = (right - depth * sin, front + depth * cos);
        let gradient = [right * wide, height / self.axes[1], front * deep];
        Some(Hit {
            point: [right + centre_x, y, front + centre_z],
            normal: seen(normalised(gradient), pose),
            depth,
        })
    }

    /// How far the surface reaches to the front (`Z`) at `(right, y)` of the head's own frame;
    /// the middle plane where it does not reach at all.
    pub(super) fn front_at(&self, right: f64, y: f64) -> f64 {
        self.hit(right, y, Pose::FRONT).map_or(self.centre[2], |hit| hit.point[2])
    }

    /// One over the squared half width and half depth at a height from -1 to 1.
    fn curvatures(&self, height: f64) -> [f64; 2] {
        let toward_narrow_end = (-height * self.taper.signum()).max(0.0);
        let narrowing = 1.0 - self.taper.abs() * toward_narrow_end * toward_narrow_end;
        let (width, depth) = (self.axes[0] * narrowing, self.axes[2]);
        [1.0 / (width * width), 1.0 / (depth * depth)]
    }
}

/// A direction of the head's frame, as the viewer sees it.
fn seen([right, up, front]: [f64; 3], pose: Pose) -> [f64; 3] {
    [right * pose.cos + front * pose.sin, up, front * pose.cos - right * pose.sin]
}

fn normalised([x, y, z]: [f64; 3]) -> [f64; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}
