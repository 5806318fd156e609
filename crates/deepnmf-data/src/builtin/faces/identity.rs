//! What makes a person: geometry and brightness drawn once per identity.

use super::super::random::{Draw, Stream};

/// How the hair falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HairStyle {
    /// Close to the skull, down to the ears.
    Short,
    /// Short, combed to one side.
    Parted,
    /// Over the forehead.
    Fringe,
    /// Past the ears to the shoulders.
    Long,
    /// Only at the sides and the back.
    Receding,
}

/// Hair on the chin and lips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beard {
    /// Shaved.
    None,
    /// Over the upper lip only.
    Moustache,
    /// All over the jaw.
    Full,
}

/// The looks of one person.
///
/// Lengths are in half image widths; heights are counted upwards from the middle of the head.
/// Brightness is the share of light sent back.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) head_width: f64,
    pub(super) head_height: f64,
    pub(super) head_depth: f64,
    /// How much narrower the head is at the chin.
    pub(super) jaw_taper: f64,
    pub(super) skin: f64,

    pub(super) hair_style: HairStyle,
    pub(super) hair: f64,
    pub(super) hair_volume: f64,
    pub(super) hair_line: f64,
    /// The side the hair is parted to, -1 or 1.
    pub(super) hair_side: f64,

    /// From the middle of the face to the middle of an eye.
    pub(super) eye_distance: f64,
    pub(super) eye_height: f64,
    pub(super) eye_width: f64,
    pub(super) eye_opening: f64,
    pub(super) iris: f64,
    pub(super) glasses: bool,

    pub(super) brow_gap: f64,
    pub(super) brow_weight: f64,
    pub(super) brow_arch: f64,

    pub(super) nose_length: f64,
    pub(super) nose_width: f64,
    pub(super) nose_depth: f64,

    pub(super) mouth_height: f64,
    pub(super) mouth_width: f64,
    pub(super) lip_fullness: f64,
    pub(super) lip: f64,
    pub(super) beard: Beard,

    pub(super) clothes: f64,
    /// Brightness of the border of the neckline.
    pub(super) collar: f64,
    /// How deep the neckline reaches.
    pub(super) neckline: f64,
    pub(super) shoulder_height: f64,
    pub(super) shoulder_width: f64,
    /// As a share of the head's width.
    pub(super) neck_width: f64,
    /// How much higher than others this person's head is in the image.
    pub(super) stature: f64,
}

impl Identity {
    /// Draws person number `index`; the others have no influence.
    pub(super) fn draw(seed: u64, index: usize) -> Self {
        use HairStyle::{Fringe, Long, Parted, Receding, Short};
        let mut draw = Draw::new(seed, Stream::Identity(index));
        let d = &mut draw;
        let hair_style = d.pick([Short, Parted, Fringe, Long, Short, Parted, Long, Receding]);
        let may_have_beard = hair_style != Long;
        // The fields below draw in the order they are written: a new one belongs at the end.
        Self {
            head_width: d.between(0.47, 0.60),
            head_height: d.between(0.66, 0.78),
            head_depth: d.between(0.58, 0.68),
            jaw_taper: d.between(0.12, 0.42),
            skin: d.between(0.66, 0.86),
            hair_style,
            hair: d.between(0.08, 0.32),
            hair_volume: d.between(0.03, 0.09),
            hair_line: d.between(0.30, 0.47),
            hair_side: d.pick([-1.0, 1.0]),
            eye_distance: d.between(0.195, 0.25),
            eye_height: d.between(0.0, 0.11),
            eye_width: d.between(0.095, 0.125),
            eye_opening: d.between(0.045, 0.065),
            iris: d.between(0.05, 0.30),
            glasses: d.chance(0.2),
            brow_gap: d.between(0.11, 0.17),
            brow_weight: d.between(0.015, 0.055),
            brow_arch: d.between(0.01, 0.05),
            nose_length: d.between(0.26, 0.36),
            nose_width: d.between(0.085, 0.13),
            nose_depth: d.between(0.13, 0.21),
            mouth_height: d.between(-0.48, -0.36),
            mouth_width: d.between(0.15, 0.21),
            lip_fullness: d.between(0.03, 0.055),
            lip: d.between(0.45, 0.68),
            beard: match d.pick([0, 1, 2, 3, 4]) {
                0 if may_have_beard => Beard::Moustache,
                1 if may_have_beard => Beard::Full,
                _ => Beard::None,
            },
            clothes: d.between(0.2, 0.5),
            collar: d.between(0.2, 0.9),
            neckline: d.between(0.0, 0.45),
            shoulder_height: d.between(-0.90, -0.66),
            shoulder_width: d.between(0.80, 1.15),
            neck_width: d.between(0.52, 0.72),
            stature: d.between(-0.06, 0.06),
        }
    }
}
