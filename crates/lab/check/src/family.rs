//! Families of prior beliefs, which define the observers of a promise (section F of `docs/theorems`).

use crate::mechanism::Dataset;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Zero};

/// The possible priors of an observer about who is in the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Family {
    /// All priors (F-DU).
    All,
    /// Entities are independent of each other; uncertain ones have priors in the range (F-DI, `F-DI[a,b]`).
    Independent(PriorRange),
    /// As `Independent`, with exactly two possible datasets (F-DI2).
    TwoDatasets(PriorRange),
    /// Independent, conditioned on a public size; uncertain priors in the range (F-DB, `F-DB[a,b]`).
    Bounded(PriorRange),
    /// One of two entities is in; all others are certain (F-DB2).
    OneOfTwo(PriorRange),
    /// One of `m` entities is in, all with equal probability; all others are certain (F-DCm).
    OneOf(usize),
    /// All but `m` entities are in, and one of these `m`, all with equal probability: F-DCm as published (LQS13 family
    /// 5.5).
    OneOfRest(usize),
    /// Every entity is in with probability one half (F-DN).
    Uniform,
    /// Every entity is out for certain or in with this probability (F-DFβ).
    Sampled(Rational),
    /// Groups of up to `k` entities that may depend on each other; the groups are independent (F-NIk).
    Groups(usize),
    /// Independent entities, each with an uncertain prior in a range of its own (X-BOX).
    Box(Vec<PriorRange>),
    /// These priors, and all mixtures of them (F-EXPL).
    Explicit(Vec<Prior>),
}

/// The beliefs in the entities beside the `m` candidates of F-DCm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherEntities {
    /// Certain: some are in, the others out.
    Certain,
    In,
}

impl Family {
    /// The identifier of the family in `docs/theorems`, such as `F-DI`.
    #[must_use]
    pub fn theorem(&self) -> &'static str {
        match self {
            Self::All => "F-DU",
            Self::Independent(range) if *range == PriorRange::any() => "F-DI",
            Self::Independent(_) => "F-DI[a,b]",
            Self::TwoDatasets(_) => "F-DI2",
            Self::Bounded(range) if *range == PriorRange::any() => "F-DB",
            Self::Bounded(_) => "F-DB[a,b]",
            Self::OneOfTwo(_) => "F-DB2",
            Self::OneOf(_) | Self::OneOfRest(_) => "F-DCm",
            Self::Uniform => "F-DN",
            Self::Sampled(_) => "F-DFβ",
            Self::Groups(_) => "F-NIk",
            Self::Box(_) => "X-BOX",
            Self::Explicit(_) => "F-EXPL",
        }
    }
}

/// A prior belief: a distribution over datasets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prior {
    /// Each entity is in independently, with its own probability.
    Independent(Vec<Rational>),
    /// Datasets with their probabilities, which sum to 1.
    Table(Vec<(Dataset, Rational)>),
}

impl Prior {
    /// The probability that entity `t` is in.
    #[must_use]
    pub fn belief(&self, t: usize) -> Rational {
        match self {
            Self::Independent(beliefs) => beliefs[t].clone(),
            Self::Table(table) => {
                table.iter().filter(|(data, _)| data >> t & 1 == 1).map(|(_, probability)| probability).sum()
            }
        }
    }

    /// The possible datasets, with their probabilities.
    #[must_use]
    pub fn table(&self) -> Vec<(Dataset, Rational)> {
        match self {
            Self::Table(table) => table.clone(),
            Self::Independent(beliefs) => {
                let mut all = vec![(0, whole(1))];
                for (t, belief) in beliefs.iter().enumerate() {
                    let with: Vec<_> = all.iter().map(|(data, weight)| (data | 1 << t, weight * belief)).collect();
                    let rest = whole(1) - belief;
                    let without = all.into_iter().map(|(data, weight)| (data, weight * &rest));
                    all = without.chain(with).filter(|(_, weight)| !weight.is_zero()).collect();
                }
                all
            }
        }
    }

    /// Whether the probabilities sum to 1.
    #[must_use]
    pub fn is_distribution(&self) -> bool {
        self.table().iter().map(|(_, probability)| probability).sum::<Rational>().is_one()
    }
}
