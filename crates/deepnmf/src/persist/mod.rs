//! Model files: safetensors, readable by any reader of that format.
//!
//! | tensor | shape | what |
//! |---|---|---|
//! | `z1` .. `zm` | `k_i x k_{i-1}` (`k_0 = p`) | the bases, one component a row (`Z_i` transposed) |
//! | `h1` .. `hm` | `n x k_i` | the features, one sample a row (`H_i` transposed) |
//! | `offset` | `1 x p` | what is taken off every sample first, in models that do so |
//! | `a1` | `d x p` | the metric in which samples choose their clusters, in models whose samples are sums of parts |
//!
//! Both are stored as the C-ordered arrays that Python expects, which is our memory as it is. The
//! header's `__metadata__` has one entry, `deepnmf`: a JSON object with the format version, the
//! number type, the settings, the summary of the fit, feature names and preprocessing.

mod atomic;
mod header;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use atomic::{check_writable, write_atomically};
pub use read::{AnyModel, load_model, model_from_bytes};
