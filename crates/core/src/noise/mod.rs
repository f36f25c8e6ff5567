//! Exact noise from the operating system's entropy (M-GEO), and exact choices (M-EXP, M-PF).
//!
//! | step | module |
//! |---|---|
//! | an odds ratio and a sensitivity become a rational decay `r̂` on the safe side | [`ratio`] |
//! | a coin of any exact probability, from as few random bits as it takes | [`coin`] |
//! | two-sided geometric draws out of such coins | [`geometric`] |
//! | the margin that covers a draw with a stated confidence | [`mod@margin`] |
//! | the margin that covers a weighted sum of draws | [`sum`] |
//! | distances of candidates from a quantile or a k-th value | [`rank`] |
//! | a candidate, with a probability that decreases with its distance | [`choice`] |
//! | the same by permute-and-flip, with a smaller error | [`flip`] |
//! | several quantiles from one tree of noisy counts | [`tree`] |
//! | random bits | [`entropy`] |
//!
//! No floating point is used. Each draw has exactly the stated distribution.
//!
//! ```
//! use deniable_core::budget::Spend;
//! use deniable_core::exact::{ratio, whole};
//! use deniable_core::noise::{Decay, SystemRng, TwoSidedGeometric};
//!
//! // One person moves this count by at most 1, and the answer may give odds of 3 : 1.
//! let decay = Decay::hiding(&Spend::odds(whole(3))?, &1.into())?;
//! assert_eq!(decay.ratio(), &ratio(1, 3)); // Pr[k] ∝ (1/3)^|k|
//! let noise = TwoSidedGeometric::new(decay).sample(&mut SystemRng::new()?);
//! assert!(noise.abs() < 1_000); // fails once in 10^477 runs
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod choice;
pub mod coin;
pub mod entropy;
pub mod flip;
pub mod geometric;
pub mod margin;
pub mod rank;
pub mod ratio;
pub mod sum;
pub mod tree;
mod weights;

pub use choice::{Segment, choose, probabilities};
pub use entropy::{EntropyError, SystemRng};
pub use flip::{flip_probabilities, permute_and_flip};
pub use geometric::TwoSidedGeometric;
pub use margin::{distance_margin, flip_margin, margin, spread};
pub use rank::{Rank, counted, segments};
pub use ratio::{Decay, DecayError};
pub use sum::sum_margin;
