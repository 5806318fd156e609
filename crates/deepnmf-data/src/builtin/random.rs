//! Random numbers with one independent stream per identity and per image.
//!
//! Only integer operations and exactly rounded arithmetic are used, so that a seed means the same
//! bits on every platform and with every version of the `rand` crates.

use deepnmf::rng::keyed;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// What a stream of random numbers is for; no two streams overlap.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) enum Stream {
    /// The looks of one person, by index.
    Identity(usize),
    /// The camera noise of one image, by column.
    Noise(usize),
    /// The samples of the set `xor`.
    Xor,
}

impl Stream {
    fn number(self) -> u64 {
        const NOISE: u64 = 1 << 63;
        const XOR: u64 = 1 << 62;
        match self {
            Self::Identity(index) => index as u64,
            Self::Noise(index) => NOISE | index as u64,
            Self::Xor => XOR,
        }
    }
}

/// A source of random numbers for one purpose.
pub(in crate::builtin) struct Draw(ChaCha8Rng);

impl Draw {
    /// Starts `stream` of `seed`.
    pub(in crate::builtin) fn new(seed: u64, stream: Stream) -> Self {
        let mut rng = keyed(seed, 0);
        rng.set_stream(stream.number());
        Self(rng)
    }

    /// Uniform in `low..high`.
    pub(in crate::builtin) fn between(&mut self, low: f64, high: f64) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        let unit = (self.0.next_u64() >> 11) as f64 * STEP;
        low + (high - low) * unit
    }

    /// True with the given probability.
    pub(in crate::builtin) fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }

    /// One of `items`, each as likely as the others.
    pub(in crate::builtin) fn pick<V: Copy, const N: usize>(&mut self, items: [V; N]) -> V {
        let wide = u128::from(self.0.next_u64()) * N as u128;
        // The upper half of the product is below N, whatever was drawn.
        items[usize::try_from(wide >> 64).unwrap_or(0)]
    }

    /// Nearly normal with mean 0 and variance 1: the sum of twelve uniform numbers.
    ///
    /// Twelve 16-bit pieces of three words add up exactly, where the logarithms and exponentials
    /// of other methods differ in the last bit between platforms. No value lies beyond 6.
    pub(in crate::builtin) fn normal(&mut self) -> f64 {
        let sum: u32 = (0..3)
            .map(|_| self.0.next_u64())
            .flat_map(|word| [word, word >> 16, word >> 32, word >> 48])
            .map(|piece| u32::from((piece & 0xffff) as u16))
            .sum();
        // Each piece has mean (2^16 - 1) / 2.
        (f64::from(sum) - 6.0 * 65535.0) / 65536.0
    }
}
