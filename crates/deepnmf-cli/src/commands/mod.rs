//! The commands, one a file.

pub(crate) mod cluster;
pub(crate) mod completions;
pub(crate) mod datasets;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod impute;
pub(crate) mod info;
pub(crate) mod man;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod transform;
