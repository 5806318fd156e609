//! One coordinate of the Kullback-Leibler divergence, moved towards its minimum and never past it.
//!
//! For a column `h` of features, and the entries `x_e > 0` of its sample, the divergence is, up to a constant,
//!
//! ```text
//! f(h) = sum_r a_r h_r - sum_e x_e log y_e        y_e = sum_r b_er h_r,   a_r the sum of column r of Z, b_er its entries
//! ```
//!
//! (`a` counts every entry of `Z`, also those where the sample is zero: that is all that zeros cost). Along one
//! coordinate `f` is convex, and its slope is `a - p(s)` with a pull `p(s) = sum_e x_e b_e / (c_e + b_e s)` that falls
//! with `s`. A pass over the entries gives the pull `g` at the present `h` and its fall `q = -p'(h)`. With the weights
//! `x_e b_e / y_e`, whose sum is `g`, and the shares `u_e = b_e / y_e`, which lie between 0 and `1 / h` and have the mean
//! `q / g`,
//!
//! ```text
//! p(h + d) = sum_e (x_e b_e / y_e) / (1 + d u_e)
//! ```
//!
//! is a mean of a convex function of the shares, so it is at least what the mean share makes of it (Jensen), and at
//! most what the two ends of their range make of it:
//!
//! ```text
//! g > a:   p(h + d) >= g / (1 + d q / g)       is a at     h + g (g - a) / (a q)
//! g < a:   p(s) <= g - q h + q h^2 / s         is a at     q h^2 / (a - g + q h)
//! ```
//!
//! So the first point lies between `h` and the minimum, and so does the second: `f` is convex, so neither step raises
//! it, and nobody needs to evaluate `f` for that. Both bounds have the value and the slope of `p` at `h`, so the steps
//! converge like Newton's, which would pass the minimum in the second case. The first goes further than Newton's, by
//! the factor `g / a`: from a coordinate that is zero, or a reconstruction that is, it finds its scale at once. The second
//! goes further than the multiplicative rule's `h g / a`, and squares a coordinate that belongs at zero.
//!
//! A penalty `l1 s + l2 s^2 / 2` adds `l1` to `a`, and `l2 s` to the slope: both points are then roots of quadratics.

/// What a pass over the entries says of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slopes {
    /// `g`, the pull of the entries.
    pub(super) pull: f64,
    /// `q`, by how much it falls as the coordinate grows.
    pub(super) fall: f64,
}

/// Where a coordinate `h` goes, with slope `a + l2 h` of what pulls it to zero.
#[inline(always)]
pub(super) fn next(h: f64, a: f64, l2: f64, Slopes { pull: g, fall: q }: Slopes) -> f64 {
    let against = a + l2 * h;
    if g > against {
        // l2 m d^2 + (against m + l2) d = g - against, with the mean share m
        let (mean, more) = (q / g, g - against);
        let linear = against * mean + l2;
        return h + 2.0 * more / (linear + root(linear, l2 * mean * more));
    }
    // l2 s^2 + rest s = pole
    let pole = q * h * h;
    if pole <= 0.0 {
        return 0.0; // nothing pulls it, or it is zero already
    }
    let rest = (a - g) + q * h; // in this order: what is small must not be lost in `g`
    let root = root(rest, l2 * pole);
    if rest > 0.0 { 2.0 * pole / (rest + root) } else { (root - rest) / (2.0 * l2) }
}

/// `sqrt(b^2 + 4 c)`, without a square that could vanish; mostly `c` is zero.
#[inline(always)]
fn root(b: f64, c: f64) -> f64 {
    if c > 0.0 { b.hypot(2.0 * c.sqrt()) } else { b }
}
