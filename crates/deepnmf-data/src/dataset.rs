//! Data in memory, and what is known about its samples and features.

use std::collections::BTreeMap;

use deepnmf::{Matrix, Scalar};

use crate::{AnyDataset, Columns, DataError, ImageShape};

/// Samples in memory, with what is known about them.
pub type Dataset<T> = DatasetOf<Matrix<T>>;

/// Samples, whatever holds them, with what is known about them.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetOf<X> {
    /// The data, `p x n`: a column is a sample.
    pub x: X,
    /// The `p` names of the features, for example from the header of a text file.
    pub feature_names: Option<Vec<String>>,
    /// The `n` names of the samples: file names of pictures, the index of `AnnData`'s `obs`.
    pub sample_names: Option<Vec<String>>,
    /// Labels found beside the data, each for all `n` samples.
    pub attributes: Vec<Attribute>,
    /// How a sample is a picture; folders of pictures and built-in data know it, files are told by
    /// [`LoadOptions::image_shape`](crate::LoadOptions).
    pub image_shape: Option<ImageShape>,
}

impl<X> DatasetOf<X> {
    /// Data about which nothing else is known.
    pub fn new(x: X) -> Self {
        Self {
            x,
            feature_names: None,
            sample_names: None,
            attributes: Vec::new(),
            image_shape: None,
        }
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

impl<X> DatasetOf<X> {
    /// The same with the samples held in another way.
    pub fn holding<Y>(self, hold: impl FnOnce(X) -> Y) -> DatasetOf<Y> {
        let Self { x, feature_names, sample_names, attributes, image_shape } = self;
        DatasetOf { x: hold(x), feature_names, sample_names, attributes, image_shape }
    }
}

impl<T: Scalar> AnyDataset<T> {
    /// The same with all zeros written out.
    ///
    /// # Errors
    /// If that takes more memory than there is.
    pub fn into_dense(self) -> Result<Dataset<T>, DataError> {
        let (mut failed, none) = (None, || Matrix::zeros(0, 0));
        let dense = self.holding(|x| {
            x.into_dense().unwrap_or_else(|error| {
                failed = Some(error);
                none()
            })
        });
        failed.map_or(Ok(dense), Err)
    }
}

impl<X: Columns> DatasetOf<X> {
    /// The number of samples, `n`.
    pub fn samples(&self) -> usize {
        self.x.samples()
    }

    /// The number of features, `p`.
    pub fn features(&self) -> usize {
        self.x.features()
    }

    /// The samples of these indices, in this order, with their labels. The classes of an attribute
    /// stay what they are, so that codes mean the same in every part of a data set.
    ///
    /// # Errors
    /// If there is no such sample.
    pub fn select(&self, samples: &[usize]) -> Result<Self, DataError> {
        if let Some(&index) = samples.iter().find(|&&index| index >= self.samples()) {
            return Err(DataError::NoSample { index, samples: self.samples() });
        }
        let pick = |names: &Vec<String>| samples.iter().map(|&i| names[i].clone()).collect();
        Ok(Self {
            x: self.x.chosen(samples),
            feature_names: self.feature_names.clone(),
            sample_names: self.sample_names.as_ref().map(pick),
            attributes: self.attributes.iter().map(|a| a.select(samples)).collect(),
            image_shape: self.image_shape,
        })
    }

    /// The samples of several data sets one after the other, with their names and labels; each comes
    /// with what messages call it. An attribute that only some have is missing in the others.
    ///
    /// # Errors
    /// If there are none, or they differ in their features or in the shape of their pictures.
    pub fn concat(sets: &[(String, Self)]) -> Result<Self, DataError> {
        let Some((first, head)) = sets.first() else {
            return Err(DataError::NoSample { index: 0, samples: 0 });
        };
        sets.iter().try_for_each(|(second, set)| head.goes_with(set, first, second))?;
        let names: Option<Vec<Vec<String>>> =
            sets.iter().map(|(_, set)| set.sample_names.clone()).collect();
        let mut attributes: Vec<&str> = Vec::new();
        for attribute in sets.iter().flat_map(|(_, set)| &set.attributes) {
            if !attributes.contains(&attribute.name.as_str()) {
                attributes.push(&attribute.name);
            }
        }
        let joined = |name: &&str| {
            let labels = sets.iter().flat_map(|(_, set)| {
                let attribute = set.attribute(name);
                (0..set.samples()).map(move |sample| attribute?.class_of(sample))
            });
            Attribute::from_strings(*name, labels)
        };
        Ok(Self {
            x: X::joined(&sets.iter().map(|(_, set)| &set.x).collect::<Vec<_>>())?,
            feature_names: sets.iter().find_map(|(_, set)| set.feature_names.clone()),
            sample_names: names.map(|names| names.concat()),
            attributes: attributes.iter().map(joined).collect(),
            image_shape: head.image_shape,
        })
    }

    fn goes_with(&self, other: &Self, first: &str, second: &str) -> Result<(), DataError> {
        let refuse = |why: String| {
            Err(DataError::Concat { first: first.into(), second: second.into(), why })
        };
        let (ours, theirs) = (self.features(), other.features());
        if ours != theirs {
            return refuse(format!(
                "its samples have {theirs} features, not {ours}: give files with the same features"
            ));
        }
        if let (Some(ours), Some(theirs)) = (&self.feature_names, &other.feature_names)
            && let Some(at) = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs)
        {
            return refuse(format!(
                "its feature {} is {:?}, not {:?}: bring the columns into the same order",
                at + 1,
                theirs[at],
                ours[at]
            ));
        }
        if self.image_shape != other.image_shape {
            return refuse("their pictures differ in shape: give pictures of one size".into());
        }
        Ok(())
    }
}

/// What one attribute (identity, pose, ...) says of every sample; it may be silent about some.
///
/// ```
/// use deepnmf_data::Attribute;
/// let pose = Attribute::from_strings("pose", [Some("up"), None, Some("left"), Some("up")]);
/// assert_eq!(pose.classes(), ["left", "up"]);
/// assert_eq!(pose.codes(), [Some(1), None, Some(0), Some(1)]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// What the attribute is called.
    pub name: String,
    classes: Vec<String>,
    codes: Vec<Option<u32>>,
}

impl Attribute {
    /// Whole-number labels, a sample each; the classes are sorted by number.
    pub fn from_ints(
        name: impl Into<String>,
        labels: impl IntoIterator<Item = Option<i64>>,
    ) -> Self {
        let labels: Vec<_> = labels.into_iter().collect();
        Self::from_keys(name.into(), &labels, i64::to_string)
    }

    /// Labels in words, a sample each; the classes are sorted, numbers by size and before words.
    pub fn from_strings<S: AsRef<str>>(
        name: impl Into<String>,
        labels: impl IntoIterator<Item = Option<S>>,
    ) -> Self {
        // `false` sorts before `true`, so numbers come first; equal numbers sort by their text.
        let key = |label: S| {
            let text = label.as_ref().to_owned();
            let number = text.parse::<i64>();
            (number.is_err(), number.unwrap_or_default(), text)
        };
        let labels: Vec<_> = labels.into_iter().map(|label| label.map(key)).collect();
        Self::from_keys(name.into(), &labels, |(_, _, text)| text.clone())
    }

    fn from_keys<K: Ord>(name: String, labels: &[Option<K>], class: impl Fn(&K) -> String) -> Self {
        let mut order: BTreeMap<&K, Option<u32>> =
            labels.iter().flatten().map(|key| (key, None)).collect();
        for (number, code) in order.values_mut().enumerate() {
            // Four thousand million classes do not fit into memory; one more would be missing.
            *code = u32::try_from(number).ok();
        }
        let classes = order.keys().map(|&key| class(key)).collect();
        let code = |label: &Option<K>| *order.get(label.as_ref()?)?;
        let codes = labels.iter().map(code).collect();
        Self { name, classes, codes }
    }

    fn select(&self, samples: &[usize]) -> Self {
        let codes = samples.iter().map(|&sample| self.codes[sample]).collect();
        Self { name: self.name.clone(), classes: self.classes.clone(), codes }
    }

    /// The same attribute, silent about all samples but those for which `known` holds.
    pub(crate) fn only(&self, known: impl Fn(usize) -> bool) -> Self {
        let codes = self.codes.iter().enumerate();
        let codes = codes.map(|(sample, code)| code.filter(|_| known(sample))).collect();
        Self { name: self.name.clone(), classes: self.classes.clone(), codes }
    }

    /// The names of the classes, each held by at least one sample of the whole data set.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// For every sample the index of its class, or `None` where it is missing.
    pub fn codes(&self) -> &[Option<u32>] {
        &self.codes
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The name of a sample's class, if there is such a sample and its class is known.
    pub fn class_of(&self, sample: usize) -> Option<&str> {
        let code = (*self.codes.get(sample)?)?;
        self.classes.get(code as usize).map(String::as_str)
    }

    /// How many samples each class has.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        for &code in self.codes.iter().flatten() {
            counts[code as usize] += 1;
        }
        counts
    }

    /// Whether nearly every sample has a class of its own, so that the labels name the samples rather
    /// than a property of theirs: more classes than 90% of the labelled samples, of which there are
    /// more than 20.
    pub fn is_identifier(&self) -> bool {
        let labelled = self.len() - self.missing();
        labelled > 20 && 10 * self.classes.len() > 9 * labelled
    }

    /// How many samples have no label.
    pub fn missing(&self) -> usize {
        self.codes.iter().filter(|code| code.is_none()).count()
    }
}

#[cfg(test)]
mod tests;
