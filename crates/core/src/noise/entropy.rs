//! Random bits from the operating system, expanded by ChaCha20.

use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, TryCryptoRng, TryRng};
use std::convert::Infallible;

/// The operating system returned no random bits; no release is possible.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bits: {0}")]
pub struct EntropyError(#[from] getrandom::Error);

/// The only generator of releases, seeded by the operating system alone.
///
/// It cannot be cloned, printed, stored or seeded. Tests pass another generator where a function takes one.
pub struct SystemRng(ChaCha20Rng);

impl SystemRng {
    /// A generator with 256 fresh bits of seed.
    ///
    /// # Errors
    /// When the operating system returns no random bits.
    pub fn new() -> Result<Self, EntropyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        Ok(Self(ChaCha20Rng::from_seed(seed)))
    }
}

impl std::fmt::Debug for SystemRng {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SystemRng")
    }
}

impl TryRng for SystemRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(target)
    }
}

impl TryCryptoRng for SystemRng {}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    #[test]
    fn generators_differ_and_hide_their_state() {
        let (mut first, mut second) = (SystemRng::new().unwrap(), SystemRng::new().unwrap());
        assert_ne!(first.next_u64(), second.next_u64()); // equal once in 2^64 runs
        assert_eq!(format!("{first:?}"), "SystemRng");
    }
}
