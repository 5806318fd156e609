//! The sets that can be downloaded.

use super::{FetchError, Unpack};

/// A data set that anybody can download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicSet {
    /// What it is called here.
    pub name: &'static str,
    /// What it holds, in one sentence.
    pub description: &'static str,
    /// Whose it is and what may be done with it; show it before downloading.
    pub licence: &'static str,
    /// Its files.
    pub files: &'static [PublicFile],
}

/// A file of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicFile {
    /// What it is called in the cache.
    pub name: &'static str,
    /// Where it comes from.
    pub url: &'static str,
    /// The most bytes it may have: its size if that is known.
    pub most_bytes: u64,
    /// The checksum in hexadecimal digits, where it is known. Otherwise that of the first download
    /// is written down beside it.
    pub sha256: Option<&'static str>,
    /// What becomes of it, if it is an archive.
    pub unpack: Option<Unpack>,
}

const SETS: &[PublicSet] = &[
    PublicSet {
        name: "pie-pose27",
        description: "CMU PIE, pose 27: 2856 pictures of 32x32 pixels, 68 people under 42 lights \
                      (MATLAB v5; variables fea and gnd)",
        licence: "CMU PIE belongs to Carnegie Mellon University and is for research under its own \
                  terms; this copy is published by the authors of the deep semi-NMF paper",
        files: &[PublicFile {
            name: "PIE_pose27.mat",
            url: "https://raw.githubusercontent.com/trigeorgis/Deep-Semi-NMF/master/data/\
                  PIE_pose27.mat",
            most_bytes: 2_583_034,
            sha256: Some("035fdd73d5f4234d958b3c88f20bd8aae3871080246139896a23e61487134680"),
            unpack: None,
        }],
    },
    PublicSet {
        name: "cmu-faces",
        description: "CMU Face Images: 624 pictures in three sizes of 20 people in 4 poses with 4 \
                      expressions (a folder: use --pattern {identity}_{pose}_{expression}_{eyes}_2 \
                      for those of 64x60 pixels, ..._4 for 32x30)",
        licence: "CMU Face Images (T. Mitchell, UCI Machine Learning Repository, data set 124) is \
                  under the terms of CC BY 4.0: name its authors",
        files: &[PublicFile {
            name: "cmu-face-images.zip",
            url: "https://archive.ics.uci.edu/static/public/124/cmu+face+images.zip",
            // Neither size nor checksum were at hand when this was written.
            most_bytes: 200_000_000,
            sha256: None,
            // Two tar archives, one with all pictures, one with the smallest; some are `.bad`.
            unpack: Some(Unpack { folder: "pictures", ending: ".pgm", most_bytes: 500_000_000 }),
        }],
    },
];

/// All sets.
pub fn sets() -> &'static [PublicSet] {
    SETS
}

/// The set of this name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static PublicSet, FetchError> {
    SETS.iter().find(|set| set.name == name).ok_or_else(|| {
        let names: Vec<_> = SETS.iter().map(|set| set.name).collect();
        FetchError::UnknownSet { name: name.into(), known: names.join(", ") }
    })
}
