//! The graphs of a deep model, at most one a layer.

use crate::graph::Graph;

/// The graph of each layer, its weight included; layers count from 1.
pub(crate) struct Graphs<'a, T>(&'a [Option<&'a dyn Graph<T>>]);

impl<T> Clone for Graphs<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Graphs<'_, T> {}

impl<'a, T> Graphs<'a, T> {
    /// No layer has one.
    pub(crate) const NONE: Self = Self(&[]);

    pub(crate) fn new(of_layers: &'a [Option<&'a dyn Graph<T>>]) -> Self {
        Self(of_layers)
    }

    /// The graph of a layer.
    pub(crate) fn of(self, layer: usize) -> Option<&'a dyn Graph<T>> {
        self.0.get(layer - 1).copied().flatten()
    }

    /// Whether any layer has one.
    pub(crate) fn any(self) -> bool {
        self.0.iter().any(Option::is_some)
    }
}
