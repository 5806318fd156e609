//! Where the data of the experiments come from: the paper's sets where they are found, named
//! stand-ins elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deepnmf::Matrix;
use deepnmf_data::preprocess::{Pipeline, Step};
use deepnmf_data::{
    Attribute, Dataset, ImageOptions, ImageShape, LoadOptions, PixelOrder, builtin, load,
};

use crate::error::{PaperError, Result};
use crate::printed::ATTRIBUTES;
use crate::record::DataFacts;

/// How names of XM2VTS pictures hold the identity by default.
const XM2VTS_PATTERN: &str = "{identity}_{session}_{shot}";
/// How names of Multi-PIE pictures hold the attributes by default.
const MULTI_PIE_PATTERN: &str = "{identity}_{pose}_{expression}";
/// Width and height that the paper brings XM2VTS to.
const XM2VTS_SIZE: (usize, usize) = (30, 42);
/// Width and height that the paper brings Multi-PIE to.
const MULTI_PIE_SIZE: (usize, usize) = (30, 40);
/// Those of PIE, for pre-training on other pictures.
const PIE_SIZE: (usize, usize) = (32, 32);
/// Those of what stands in for it in a quick run.
const SMALL_SIZE: (usize, usize) = (16, 16);

/// A set of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// CMU PIE, pose 27: public.
    Pie,
    /// XM2VTS: licensed.
    Xm2vts,
    /// CMU Multi-PIE: licensed.
    MultiPie,
    /// The four clouds of section 6.1: drawn, and always at hand.
    Xor,
}

/// What is made of the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum View {
    /// Pixels, every sample of norm 1.
    Pixels,
    /// Image gradient orientations.
    Igo,
    /// Pixels of pictures as large as those of PIE.
    PixelsAsPie,
    /// As they are.
    Raw,
}

/// Where to look for data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataOptions {
    /// A folder with any of `PIE_pose27.mat`, `cmu-faces/`, `xm2vts/` and `multi-pie/`.
    pub folder: Option<PathBuf>,
    /// XM2VTS as a folder of pictures, if it is not below `folder`.
    pub xm2vts: Option<PathBuf>,
    /// How the names of its pictures hold the identity; `{identity}_{session}_{shot}` by default.
    pub xm2vts_pattern: Option<String>,
    /// Multi-PIE as a folder of pictures, if it is not below `folder`.
    pub multi_pie: Option<PathBuf>,
    /// How the names of its pictures hold the attributes; `{identity}_{pose}_{expression}` by
    /// default.
    pub multi_pie_pattern: Option<String>,
}

/// Samples of an experiment.
#[derive(Debug)]
pub(crate) struct Set {
    /// Which set of the paper they are, or stand in for.
    pub(crate) role: Role,
    /// What was made of its pictures.
    pub(crate) view: View,
    /// What they are, for records and outputs.
    pub(crate) facts: DataFacts,
    /// The samples.
    pub(crate) x: Matrix<f64>,
    /// Their labels.
    pub(crate) attributes: Vec<Attribute>,
    /// Their shape as pictures, if they are pictures.
    image_shape: Option<ImageShape>,
}

impl Set {
    fn new((role, view): (Role, View), found: Found) -> Self {
        let Found { name, stand_in_for, data } = found;
        let name = format!("{name}{}", view.suffix());
        let facts = DataFacts {
            name,
            fingerprint: fingerprint(&data.x),
            stand_in_for: stand_in_for.map(Into::into),
            samples: data.samples(),
            features: data.features(),
        };
        let Dataset { x, attributes, image_shape, .. } = data;
        Self { role, view, facts, x, attributes, image_shape }
    }

    /// The samples with what is known of them.
    pub(crate) fn data(&self) -> Dataset<f64> {
        let (attributes, image_shape) = (self.attributes.clone(), self.image_shape);
        Dataset { attributes, image_shape, ..Dataset::new(self.x.clone()) }
    }

    /// The labels of an attribute.
    pub(crate) fn labels(&self, name: &str) -> Result<&Attribute> {
        let found = self.attributes.iter().find(|attribute| attribute.name == name);
        found.ok_or_else(|| PaperError::Missing(format!("{} has no {name}", self.facts.name)))
    }

    /// The name, with what it stands in for.
    pub(crate) fn title(&self) -> String {
        self.facts.title()
    }
}

impl DataFacts {
    /// The name, with what it stands in for.
    pub fn title(&self) -> String {
        match &self.stand_in_for {
            None => self.name.clone(),
            Some(set) => format!("{} (stand-in for {set})", self.name),
        }
    }
}

/// All sets that experiments ask for, read once.
#[derive(Debug)]
pub(crate) struct Library {
    options: DataOptions,
    quick: bool,
    read: BTreeMap<(Role, View), Vec<Arc<Set>>>,
}

impl Library {
    /// Looks at what there is.
    pub(crate) fn open(options: DataOptions, quick: bool) -> Result<Self> {
        if let Some(folder) = options.folder.as_ref().filter(|_| !quick) {
            let known = ["PIE_pose27.mat", "cmu-faces", "xm2vts", "multi-pie"];
            let named = options.xm2vts.is_some() || options.multi_pie.is_some();
            if !named && !known.iter().any(|name| folder.join(name).exists()) {
                return Err(PaperError::NothingThere { folder: folder.clone() });
            }
        }
        Ok(Self { options, quick, read: BTreeMap::new() })
    }

    /// Whether all sets are to be small.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick
    }

    /// The sets for a role: the paper's own, or its stand-ins, or none where there is none.
    pub(crate) fn sets(&mut self, role: Role, view: View) -> Result<Vec<Arc<Set>>> {
        if let Some(sets) = self.read.get(&(role, view)) {
            return Ok(sets.clone());
        }
        let found = if self.quick { small(role)? } else { self.find(role)? };
        let mut sets = Vec::with_capacity(found.len());
        for mut found in found {
            let size = if self.quick { SMALL_SIZE } else { PIE_SIZE };
            view.steps(&found.data, size).fit_apply(&mut found.data)?;
            sets.push(Arc::new(Set::new((role, view), found)));
        }
        self.read.insert((role, view), sets.clone());
        Ok(sets)
    }

    fn find(&self, role: Role) -> Result<Vec<Found>> {
        let below = |name: &str| self.options.folder.as_ref().map(|f| f.join(name));
        let there = |path: Option<PathBuf>| path.filter(|path| path.exists());
        match role {
            Role::Pie => there(below("PIE_pose27.mat")).iter().map(|p| pie(p)).collect(),
            Role::Xm2vts => match self.options.xm2vts.clone().or(there(below("xm2vts"))) {
                Some(path) => {
                    let pattern = self.options.xm2vts_pattern.as_deref().unwrap_or(XM2VTS_PATTERN);
                    Ok(vec![pictures("XM2VTS", &path, pattern, XM2VTS_SIZE, &["identity"])?])
                }
                // As many pictures of each person as XM2VTS has, but a third of the people: enough to
                // stand in, in a third of the time.
                None => {
                    Ok(vec![drawn("drawn XM2VTS", "XM2VTS", "faces-pie:identities=100,seed=1")?])
                }
            },
            Role::MultiPie => {
                if let Some(path) = self.options.multi_pie.clone().or(there(below("multi-pie"))) {
                    let pattern = self.options.multi_pie_pattern.as_deref();
                    let (pattern, wanted) = (pattern.unwrap_or(MULTI_PIE_PATTERN), ATTRIBUTES);
                    let found = pictures("Multi-PIE", &path, pattern, MULTI_PIE_SIZE, &wanted)?;
                    return Ok(vec![found]);
                }
                let cmu = there(below("cmu-faces")).map(|path| cmu_faces(&path)).transpose()?;
                let drawn = drawn("drawn Multi-PIE", "Multi-PIE", "faces-multipie")?;
                Ok(cmu.into_iter().chain([drawn]).collect())
            }
            Role::Xor => Ok(vec![xor()?]),
        }
    }
}

/// Samples as they were read.
struct Found {
    name: &'static str,
    stand_in_for: Option<&'static str>,
    data: Dataset<f64>,
}

impl View {
    fn suffix(self) -> &'static str {
        match self {
            Self::Pixels => ", pixels",
            Self::Igo => ", IGO",
            Self::PixelsAsPie => ", pixels at the size of PIE",
            Self::Raw => "",
        }
    }

    /// What is done to pictures, if those of PIE have this size.
    fn steps(self, data: &Dataset<f64>, pie: (usize, usize)) -> Pipeline {
        let (width, height) = pie;
        let same = |shape: ImageShape| (shape.width, shape.height) == pie;
        match self {
            Self::Raw => Pipeline::default(),
            Self::Igo => Pipeline::new([Step::Igo(None)]),
            Self::PixelsAsPie if !data.image_shape.is_some_and(same) => {
                Pipeline::new([Step::Resize { width, height, from: None }, Step::Unit])
            }
            Self::Pixels | Self::PixelsAsPie => Pipeline::new([Step::Unit]),
        }
    }
}

fn pie(path: &Path) -> Result<Found> {
    let (width, height) = PIE_SIZE;
    let shape = ImageShape { width, height, order: PixelOrder::ColumnMajor };
    let options = LoadOptions { image_shape: Some(shape), ..LoadOptions::default() };
    let mut data = load::<f64>(path, &options)?;
    if let Some(labels) = data.attributes.first_mut() {
        labels.name = "identity".into();
    }
    Ok(Found { name: "PIE", stand_in_for: None, data })
}

fn cmu_faces(path: &Path) -> Result<Found> {
    // Of the three sizes there are, 32 x 30 pixels are nearest to the paper's 40 x 30.
    let pattern = Some("{identity}_{pose}_{expression}_{eyes}_4".into());
    let images = ImageOptions { pattern, resize: None };
    let data = load(path, &LoadOptions { images, ..LoadOptions::default() })?;
    Ok(Found { name: "CMU faces", stand_in_for: Some("Multi-PIE"), data })
}

/// A licensed set in a folder of the user's.
fn pictures(
    name: &'static str,
    path: &Path,
    pattern: &str,
    size: (usize, usize),
    wanted: &[&'static str],
) -> Result<Found> {
    let read = |pattern: Option<String>| {
        let images = ImageOptions { resize: Some(size), pattern };
        load::<f64>(path, &LoadOptions { images, ..LoadOptions::default() })
    };
    let mut data = match (read(Some(pattern.into())), wanted) {
        (Ok(data), _) => data,
        // Where only the identity is needed, a folder for each person does as well.
        (Err(_), ["identity"]) => read(None)?,
        (Err(error), _) => return Err(error.into()),
    };
    if let Some(labels) = data.attributes.iter_mut().find(|labels| labels.name == "folder") {
        labels.name = "identity".into();
    }
    let missing = wanted.iter().find(|wanted| data.attribute(wanted).is_none());
    if let Some(wanted) = missing {
        let (path, pattern) = (path.to_owned(), pattern.to_owned());
        return Err(PaperError::NoLabels { path, wanted, pattern });
    }
    Ok(Found { name, stand_in_for: None, data })
}

fn drawn(name: &'static str, stand_in_for: &'static str, spec: &str) -> Result<Found> {
    Ok(Found { name, stand_in_for: Some(stand_in_for), data: builtin::generate(spec)? })
}

fn xor() -> Result<Found> {
    Ok(Found { name: "XOR", stand_in_for: None, data: builtin::generate("xor")? })
}

/// What `--quick` runs on: drawn, and small enough for seconds.
fn small(role: Role) -> Result<Vec<Found>> {
    let found = match role {
        Role::Pie => {
            drawn("small drawn faces A", "PIE", "faces-pie:identities=12,illuminations=8,size=16")
        }
        Role::Xm2vts => drawn(
            "small drawn faces B",
            "XM2VTS",
            "faces-pie:identities=15,illuminations=6,size=16,seed=1",
        ),
        Role::MultiPie => drawn(
            "small drawn faces C",
            "Multi-PIE",
            "faces-multipie:identities=12,poses=3,expressions=4,size=16",
        ),
        Role::Xor => xor(),
    };
    Ok(vec![found?])
}

/// A checksum of all numbers and the shape (FNV-1a), to tell data apart, not to keep them safe.
fn fingerprint(x: &Matrix<f64>) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut mix = |word: u64| hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    mix(x.rows() as u64);
    mix(x.cols() as u64);
    x.as_slice().iter().for_each(|v| mix(v.to_bits()));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stand_in_says_so_in_its_name() {
        let mut library = Library::open(DataOptions::default(), true).unwrap();
        for role in [Role::Pie, Role::Xm2vts, Role::MultiPie] {
            let sets = library.sets(role, View::Pixels).unwrap();
            assert!(sets.iter().all(|set| set.title().contains("stand-in for")));
            assert!(sets.iter().all(|set| (set.x.norm_sq() - set.x.cols() as f64).abs() < 1e-9));
        }
        assert_eq!(library.sets(Role::Xor, View::Raw).unwrap()[0].title(), "XOR");
    }

    #[test]
    fn without_a_folder_pie_is_missing_and_the_others_are_drawn() {
        let mut library = Library::open(DataOptions::default(), false).unwrap();
        assert!(library.sets(Role::Pie, View::Pixels).unwrap().is_empty());
        let multi = library.sets(Role::MultiPie, View::Pixels).unwrap();
        assert_eq!(multi.len(), 1);
        assert_eq!(multi[0].labels("pose").unwrap().classes().len(), 5);
        assert!(multi[0].labels("nose").is_err());
    }

    #[test]
    fn a_folder_with_nothing_known_is_refused_with_advice() {
        let folder = tempfile::tempdir().unwrap();
        let options = DataOptions { folder: Some(folder.path().into()), ..DataOptions::default() };
        let message = Library::open(options, false).unwrap_err().to_string();
        assert!(message.contains("datasets fetch pie-pose27"), "{message}");
    }

    #[test]
    fn other_numbers_have_another_fingerprint() {
        let x = Matrix::from_fn(3, 4, |i, j| (i * j) as f64);
        let mut y = x.clone();
        y.as_mut_slice()[5] += 1e-12;
        assert_ne!(fingerprint(&x), fingerprint(&y));
        assert_eq!(fingerprint(&x), fingerprint(&x.clone()));
    }

    #[test]
    fn pictures_in_a_folder_for_each_person_have_identities() {
        let folder = tempfile::tempdir().unwrap();
        for person in ["a", "b"] {
            std::fs::create_dir(folder.path().join(person)).unwrap();
            for picture in 0..2 {
                let path = folder.path().join(person).join(format!("{picture}.pgm"));
                let pixels: Vec<u8> = (0..12).map(|i| i * 7 + picture).collect();
                std::fs::write(path, [b"P5 3 4 255\n".as_slice(), &pixels].concat()).unwrap();
            }
        }
        let wanted = ["identity"];
        let found = pictures("XM2VTS", folder.path(), XM2VTS_PATTERN, (3, 4), &wanted).unwrap();
        assert_eq!(found.data.attribute("identity").unwrap().counts(), [2, 2]);
        let wanted = ATTRIBUTES;
        assert!(pictures("Multi-PIE", folder.path(), "{pose}", (3, 4), &wanted).is_err());
    }
}
