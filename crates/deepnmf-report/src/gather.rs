//! Gathers what a page shows: every step from features to sentences, in their order.

use deepnmf::graph::nearest_neighbours;
use deepnmf::matrix::product;
use deepnmf::{Matrix, Model, Scalar};
use deepnmf_data::preprocess::{Pipeline, Prepare, Step};
use deepnmf_data::{DatasetOf, DisplayHints, ImageShape};

use crate::attributes::{Known, cut, known};
use crate::bases::basis;
use crate::clusters::{Clustering, Found, Grouping, Material, flows};
use crate::content::{Content, Fit, LayerView, ModelView};
use crate::draft::Draft;
use crate::error::Result;
use crate::features::{Layer, Layers, columns, dense_columns};
use crate::maps::{NEIGHBOURS, principal, tsne_map};
use crate::numbers::short;
use crate::pictures::{Atlas, Levels, Picture, Tiles};
use crate::predictions::{Predicted, predictions};
use crate::samples::{Rebuilt, Samples, Shown};
use crate::scores::{Cell, MOST_CLASSIFIED, clustering, judge};
use crate::swaps::swaps;
use crate::topics::{Topics, Weighed, are_topics};
use crate::words::{Facts, Words, best_attribute, name};

/// Clusters of a layer where nothing is known of the samples.
const USUAL_CLUSTERS: usize = 8;
/// Nearest samples named for every sample.
const NEAREST: usize = 6;
/// The most pixels of the mean pictures of a layer's clusters.
const MEAN_PIXELS: usize = 100_000;

/// Called with the name of every step.
type Tell<'t> = &'t mut dyn FnMut(&str);

/// What every step needs.
pub(crate) struct Gathering<'a, T> {
    draft: &'a Draft<T>,
    model: &'a Model<T>,
    /// What is known of the data, and how many features and samples they have.
    data: DatasetOf<(usize, usize)>,
    known: Vec<Known>,
    layers: Layers<T>,
    /// The judged samples.
    judged: Matrix<T>,
    /// The shown ones.
    prepared: Matrix<T>,
    original_picture: Option<Picture>,
    prepared_picture: Option<Picture>,
    /// Whether components are topics.
    topical: bool,
}

/// What is known of the data, without them.
fn about<X: Prepare>(data: &DatasetOf<X>) -> DatasetOf<(usize, usize)> {
    DatasetOf {
        feature_names: data.feature_names.clone(),
        image_shape: data.image_shape,
        ..DatasetOf::new((data.features(), data.samples()))
    }
}

impl<'a, T: Scalar> Gathering<'a, T> {
    pub(crate) fn new<X: Prepare<Number = T>>(
        draft: &'a Draft<T>,
        model: &'a Model<T>,
        data: &DatasetOf<X>,
        tell: Tell,
    ) -> Result<Self> {
        tell("computing the features");
        let choice = &draft.choice;
        let judged = dense_columns(&data.x, &choice.judged);
        let read_as = draft.shape.or_else(|| remembered(model));
        let seen_as = data.image_shape.or_else(|| of_orientations(model)).or(read_as);
        Ok(Self {
            known: known(&data.attributes, choice),
            layers: Layers::of(model, data.x.data(), &judged, choice, draft.options.scale)?,
            prepared: columns(&judged, &choice.shown),
            original_picture: Picture::of(read_as, draft.originals.rows()),
            topical: seen_as.is_none() && are_topics(model, &judged),
            prepared_picture: Picture::of(seen_as, data.features()),
            judged,
            draft,
            model,
            data: about(data),
        })
    }

    pub(crate) fn content(&self, tell: Tell) -> Result<Content> {
        let (found, cells) = self.clusters(tell)?;
        let groupings = self.groupings(&found, &cells)?;
        tell("describing the clusters");
        let clusterings = self.clusterings(&found)?;
        tell("drawing the samples");
        let shown = self.shown();
        let samples = self.samples(&shown)?;
        let layers = self.views(&shown, &samples, tell)?;
        let predictions = predictions(self.model, &self.prepared)?;
        let swaps = swaps(&self.layers.layers, self.prepared_picture)?;
        let divergence = self.model.settings.divergence();
        let (model, fit) = (ModelView::of(self.model), Fit::of(&self.model.summary, divergence));
        let options = &self.draft.options;
        let mut content = Content {
            made_by: format!("deepnmf {}", env!("CARGO_PKG_VERSION")),
            title: self.title(&model),
            data_name: options.data_name.as_deref().map(cut),
            samples_total: self.data.x.1,
            judged: self.judged.cols(),
            classified: MOST_CLASSIFIED,
            features: self.data.x.0,
            feature_names: vec![],
            of_the_fit: self.layers.of_the_fit,
            scale: options.scale.to_string(),
            words: Words {
                predictions: predictions.iter().map(Predicted::sentence).collect(),
                topics: self.words_of_topics(&layers),
                ..self.facts(&model, &fit, &cells).words()
            },
            predictions,
            model,
            fit,
            attributes: self.known.iter().map(|k| k.of_shown(&self.draft.choice.shown)).collect(),
            samples,
            layers,
            swaps,
            clusterings,
            groupings,
            cells,
        };
        content.feature_names = self.feature_names(&content);
        Ok(content)
    }

    /// Clusters of every layer by every attribute, or into a number of clusters where that was
    /// asked for or nothing is known; and how well they agree with the attributes.
    fn clusters(&self, tell: Tell) -> Result<(Vec<Found>, Vec<Cell>)> {
        let seed = self.draft.options.seed;
        let usable: Vec<_> = self.known.iter().enumerate().filter(|(_, k)| k.usable).collect();
        let asked = self.draft.options.clusters;
        let (mut all, mut cells) = (vec![], vec![]);
        for (layer, features) in self.layers.layers.iter().enumerate() {
            let h = &features.scaled;
            if let Some(part) = &features.part {
                let clusters = (part.clusters.as_slice(), features.h.rows());
                all.push(Found::as_found(layer, None, clusters, h));
                for &(attribute, known) in &usable {
                    tell(&format!("part {}: {}", layer + 1, known.name));
                    cells.push(judge((layer, h), (attribute, known), clusters.0, seed)?);
                    all.push(Found::as_found(layer, Some((attribute, known)), clusters, h));
                }
                continue;
            }
            if self.topical && asked.is_none() {
                tell(&format!("topics of layer {}", layer + 1));
                let main = Weighed::new(&features.phi, &features.h).main();
                all.push(Found::as_found(layer, None, (&main, features.h.rows()), h));
            } else if asked.is_some() || usable.is_empty() {
                tell(&format!("clustering layer {}", layer + 1));
                let found = clustering(h, asked.unwrap_or(USUAL_CLUSTERS), seed)?;
                all.push(Found::new(layer, None, &found)?);
            }
            for &(attribute, known) in &usable {
                tell(&format!("layer {}: {}", layer + 1, known.name));
                let found = clustering(h, known.classes.len(), seed)?;
                cells.push(judge((layer, h), (attribute, known), &found.labels, seed)?);
                all.push(Found::new(layer, Some((attribute, known)), &found)?);
            }
        }
        Ok((all, cells))
    }

    /// The ways to look at all layers: as asked for, each layer by the attribute it predicts best,
    /// and all by one attribute after the other.
    fn groupings(&self, all: &[Found], cells: &[Cell]) -> Result<Vec<Grouping>> {
        let depth = self.layers.layers.len();
        let place = |layer: usize, attribute: Option<usize>| {
            all.iter().position(|f| f.layer == layer && f.attribute == attribute)
        };
        let of = |attribute: &dyn Fn(usize) -> Option<usize>| -> Option<Vec<usize>> {
            (0..depth).map(|layer| place(layer, attribute(layer))).collect()
        };
        let usable: Vec<usize> = (0..self.known.len()).filter(|&a| self.known[a].usable).collect();
        let mut ways = vec![];
        if let Some(places) = of(&|_| None) {
            let first = &all[places[0]];
            ways.push((None, (!first.own).then_some(first.count()), places));
        }
        if usable.len() > 1 {
            let own = of(&|layer| best_attribute(cells, layer));
            ways.extend(own.map(|places| (None, None, places)));
        }
        for attribute in usable {
            ways.extend(of(&|_| Some(attribute)).map(|places| (Some(attribute), None, places)));
        }
        let grouping = |(attribute, asked, clusterings): (Option<usize>, _, Vec<usize>)| {
            let pairs = clusterings.windows(2).map(|pair| flows(&all[pair[0]], &all[pair[1]]));
            let flows = pairs.collect::<Result<_>>()?;
            let as_found = attribute.is_none() && all[clusterings[0]].own;
            Ok(Grouping { attribute, asked, as_found, clusterings, flows })
        };
        ways.into_iter().map(grouping).collect()
    }

    /// The components of a layer, counted from 0, as topics.
    fn topics(&self, layer: usize) -> Option<Topics> {
        if !self.topical {
            return None;
        }
        let weighed = |layer: usize| {
            let Layer { phi, h, .. } = &self.layers.layers[layer];
            Weighed::new(phi, h)
        };
        let below = (layer > 0).then(|| weighed(layer - 1));
        let of_below = below.as_ref().map(|below| (below, &self.model.factors.z[layer]));
        Some(weighed(layer).topics(&self.judged, &self.draft.choice.shown, of_below))
    }

    fn clusterings(&self, all: &[Found]) -> Result<Vec<Clustering>> {
        let material = Material {
            known: &self.known,
            shown: &self.draft.choice.shown,
            data: self.prepared_picture.is_none().then_some(&self.judged),
        };
        let describe = |found: &Found| {
            let told = material.describe(found, &self.layers.layers[found.layer].scaled)?;
            Ok(Clustering { means: self.means(&told)?, ..told })
        };
        all.iter().map(describe).collect()
    }

    /// The mean picture of the shown members of every cluster.
    fn means(&self, told: &Clustering) -> Result<Option<Atlas>> {
        let Some(picture) = self.original_picture else { return Ok(None) };
        let k = told.clusters.len();
        let mut sums = Matrix::<f64>::zeros(self.draft.originals.rows(), k);
        for (sample, &label) in self.draft.originals.columns().zip(&told.labels) {
            sums.col_mut(label).iter_mut().zip(sample).for_each(|(s, v)| *s += v.to_f64());
        }
        let mut tiles = Tiles::new(picture, picture.fitting(k, MEAN_PIXELS), false);
        // The blacks and whites of a tile are its own: a sum looks like a mean.
        sums.columns().for_each(|sum| tiles.add(sum, Levels::Own));
        tiles.atlas().map(Some)
    }

    fn shown(&self) -> Shown<'_, T> {
        Shown {
            originals: &self.draft.originals,
            prepared: &self.prepared,
            original_picture: self.original_picture,
            prepared_picture: self.prepared_picture,
            layers: self.layers.layers.len(),
        }
    }

    fn samples(&self, shown: &Shown<T>) -> Result<Samples> {
        let drawn = shown.samples(&self.judged)?;
        let numbers = self.draft.choice.shown_in_data().into_iter().map(|i| i + 1).collect();
        Ok(Samples { numbers, names: self.draft.names.clone(), ..drawn })
    }

    fn views(&self, shown: &Shown<T>, samples: &Samples, tell: Tell) -> Result<Vec<LayerView>> {
        let places = &self.draft.choice.shown;
        let mut views = vec![];
        for (i, layer) in self.layers.layers.iter().enumerate() {
            tell(&format!("drawing layer {}", i + 1));
            let near = nearest_neighbours(&columns(&layer.scaled, places), NEIGHBOURS);
            let principal = principal(&layer.scaled, places, self.draft.options.seed)?;
            let h = columns(&layer.h, places);
            views.push(LayerView {
                components: layer.h.rows(),
                relative_error: short(layer.relative_error),
                share: layer.part.as_ref().map(|part| short(part.share)),
                basis: basis(&layer.phi, &layer.h, self.prepared_picture)?,
                topics: self.topics(i),
                tsne: tsne_map(&near, &principal)?,
                principal,
                near: near
                    .iter()
                    .map(|n| n.iter().take(NEAREST).map(|n| n.sample).collect())
                    .collect(),
                likeness: shown.likeness(&layer.phi, &h, &self.rebuilt(i, &h)?, samples)?,
            });
        }
        Ok(views)
    }

    /// The shown samples as a layer, counted from 0, reconstructs them.
    fn rebuilt(&self, layer: usize, h: &Matrix<T>) -> Result<Rebuilt<T>> {
        let Layer { phi, part, .. } = &self.layers.layers[layer];
        let samples = match part {
            Some(_) => product(phi.view(), h.view()),
            None => self.model.factors.reconstruct(layer + 1, h)?,
        };
        Ok(Rebuilt { samples, added: part.is_some() && layer > 0 })
    }

    fn facts<'f>(&'f self, model: &'f ModelView, fit: &'f Fit, cells: &'f [Cell]) -> Facts<'f> {
        Facts {
            samples: self.data.x.1,
            features: self.data.x.0,
            picture: self.original_picture.map(Picture::size),
            known: &self.known,
            model: &model.name,
            preprocessing: &model.preprocessing,
            nonlinear: model.nonlinear,
            components: self.layers.layers.iter().map(|layer| layer.h.rows()).collect(),
            parts: self.layers.layers.iter().filter_map(|layer| layer.part.as_ref()).collect(),
            fit,
            cells,
        }
    }

    /// A sentence for the topics of every layer.
    fn words_of_topics(&self, layers: &[LayerView]) -> Vec<String> {
        let names = self.data.feature_names.as_ref().filter(|_| self.topical);
        let named = |feature: usize| match names.and_then(|names| names.get(feature)) {
            Some(name) => cut(name),
            None => format!("feature {}", feature + 1),
        };
        let topics = layers.iter().enumerate();
        topics.filter_map(|(i, layer)| Some(layer.topics.as_ref()?.sentence(i, named))).collect()
    }

    fn title(&self, model: &ModelView) -> String {
        if let Some(title) = &self.draft.options.title {
            return cut(title);
        }
        let layers: Vec<String> =
            self.layers.layers.iter().map(|layer| layer.h.rows().to_string()).collect();
        let model = format!("{} {}", name(&model.name), layers.join("-"));
        match &self.draft.options.data_name {
            Some(data) => cut(&format!("{data}: {model}")),
            None => model,
        }
    }

    /// The names of the features that the page mentions.
    fn feature_names(&self, content: &Content) -> Vec<(usize, String)> {
        let Some(names) = &self.data.feature_names else { return vec![] };
        let of_bases =
            content.layers.iter().flat_map(|layer| layer.basis.features.iter().flatten());
        let of_samples = content.samples.values.iter().flatten();
        let clusters = content.clusterings.iter().flat_map(|c| &c.clusters);
        let of_clusters = clusters.flat_map(|cluster| &cluster.top_features);
        let topics = content.layers.iter().flat_map(|layer| &layer.topics);
        let topics = topics.flat_map(|topics| &topics.topics);
        let of_topics = topics.flat_map(|topic| topic.top.iter().chain(&topic.own));
        let mut mentioned: Vec<usize> = of_bases
            .chain(of_samples)
            .chain(of_clusters)
            .chain(of_topics)
            .map(|(feature, _)| *feature)
            .collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        let named = mentioned.into_iter();
        named.filter_map(|feature| Some((feature, cut(names.get(feature)?)))).collect()
    }
}

/// The pictures that the samples of a model were, as its file remembers them.
fn remembered<T>(model: &Model<T>) -> Option<ImageShape> {
    model.provenance.display.read::<DisplayHints>().ok()??.image
}

/// The pictures whose gradient orientations a model sees.
fn of_orientations<T>(model: &Model<T>) -> Option<ImageShape> {
    let steps: Pipeline = model.provenance.preprocessing.read().ok()??;
    steps.steps().iter().rev().find_map(|step| match step {
        Step::Igo(shape) => *shape,
        _ => None,
    })
}
