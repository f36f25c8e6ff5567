//! The adversaries of the paper's evaluation: their priors over possible worlds.

use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::Promise;

/// An adversary who knows all rows but not which person is missing, with priors over the remaining worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Adversary {
    /// `A_w`: every world is equally likely.
    Weak,
    /// `A_s`: some worlds are impossible, and no world has a prior above one in ten.
    Strong,
    /// An adversary with any prior.
    Unknown,
}

impl Adversary {
    /// In the order of the page.
    pub const ALL: [Self; 3] = [Self::Weak, Self::Strong, Self::Unknown];

    /// For names of files.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
            Self::Unknown => "prior-free",
        }
    }

    /// The paper's notation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Weak => "A_w",
            Self::Strong => "A_s",
            Self::Unknown => "prior-free",
        }
    }

    /// `P_min`: the smallest prior of a world, among `worlds` of them.
    #[must_use]
    pub fn least(self, worlds: usize) -> Rational {
        match self {
            Self::Weak => whole(worlds).recip(),
            Self::Strong | Self::Unknown => whole(0),
        }
    }

    /// `P_max`: the largest prior of a world, if one is stated.
    #[must_use]
    pub fn most(self, worlds: usize) -> Option<Rational> {
        match self {
            Self::Weak => Some(whole(worlds).recip()),
            Self::Strong => Some(ratio(1, 10)),
            Self::Unknown => None,
        }
    }

    /// The β from which on the promise is vacuous: `1/P_max − 1` (B-6).
    #[must_use]
    pub fn beta_below(self, worlds: usize) -> Option<Rational> {
        self.most(worlds).map(|most| most.recip() - whole(1))
    }

    /// The promise that belief in a world stays between `(1−α)` and `(1+β)` times what it was.
    #[must_use]
    pub fn promise(self, worlds: usize, alpha: Rational, beta: Rational) -> Promise {
        Promise::AlphaBeta { alpha, beta, least: self.least(worlds), most: self.most(worlds) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_beta_is_that_of_the_paper() {
        assert_eq!(Adversary::Strong.beta_below(32_562), Some(whole(9)));
        assert_eq!(Adversary::Weak.beta_below(32_562), Some(whole(32_561)));
        assert_eq!(Adversary::Unknown.beta_below(32_562), None);
        assert_eq!(Adversary::Weak.least(32_562), ratio(1, 32_562));
    }
}
