//! NeNMF (Guan, Tao, Luo & Yuan 2012): NMF in which each factor is solved for by Nesterov's optimal
//! gradient method until its projected gradient is short.
//!
//! The length asked for begins at a thousandth of the whole gradient at the start, and is divided by ten
//! for a factor that needs no more than ten steps for it. Here to compare with; [`Nmf`](crate::Nmf) is
//! faster.

mod algorithm;
mod params;
#[cfg(test)]
mod tests;

pub use params::NeNmf;
