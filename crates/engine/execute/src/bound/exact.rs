//! Exact cells, which are secret, and the noise that makes them releasable.

use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, Segment, TwoSidedGeometric, permute_and_flip, segments, tree};
use deniable_query::{MeasureKind, Query};
use num_traits::ToPrimitive;
use rand_core::Rng;

/// The exact answers of a query's measures. They are secret: this type has no `Debug` and no `Display`.
pub struct Exact {
    pub(super) cells: Vec<Cells>,
}

/// The contents of a measure's cells.
pub(super) enum Cells {
    /// Sums of integer units.
    Sums(Vec<i128>),
    /// For ranks, the distinct values in grid units, ascending, and the number of occurrences of each.
    Values(Vec<Vec<(i64, u64)>>),
}

impl Exact {
    /// The sums, for reports to the curator ([`crate::losses`]); empty for ranks.
    pub(crate) fn sums(self) -> Vec<Vec<i128>> {
        let sums = |cells| match cells {
            Cells::Sums(sums) => sums,
            Cells::Values(_) => Vec::new(),
        };
        self.cells.into_iter().map(sums).collect()
    }

    /// Whether two answers are equal, for answers on made-up rows alone.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let same = |(one, other): (&Cells, &Cells)| match (one, other) {
            (Cells::Sums(one), Cells::Sums(other)) => one == other,
            (Cells::Values(one), Cells::Values(other)) => one == other,
            (Cells::Sums(_), Cells::Values(_)) | (Cells::Values(_), Cells::Sums(_)) => false,
        };
        self.cells.len() == other.cells.len() && self.cells.iter().zip(&other.cells).all(same)
    }

    /// The L1 distance of each measure's sums from those of another answer, over all cells, for answers on made-up
    /// rows alone.
    #[must_use]
    pub fn changes(&self, other: &Self) -> Vec<u128> {
        let change = |(one, other): (&Cells, &Cells)| match (one, other) {
            (Cells::Sums(one), Cells::Sums(other)) => {
                one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).sum()
            }
            (Cells::Values(_), _) | (_, Cells::Values(_)) => 0,
        };
        self.cells.iter().zip(&other.cells).map(change).collect()
    }

    /// A copy, for answers on made-up rows alone: drawing noise twice for real data would let it average out.
    pub(crate) fn again(&self) -> Self {
        let cells = self.cells.iter().map(|cells| match cells {
            Cells::Sums(sums) => Cells::Sums(sums.clone()),
            Cells::Values(values) => Cells::Values(values.clone()),
        });
        Self { cells: cells.collect() }
    }

    /// The sums of a measure, to be changed in answers on made-up rows alone; `None` for ranks.
    pub(crate) fn sums_mut(&mut self, measure: usize) -> Option<&mut Vec<i128>> {
        match self.cells.get_mut(measure)? {
            Cells::Sums(sums) => Some(sums),
            Cells::Values(_) => None,
        }
    }

    /// Draws the released numbers: one vector for each measure, with [`Query::width`] integers for each of its cells.
    ///
    /// `confidence` applies to the intervals of several quantiles, which are drawn together with them: any two of them
    /// cover jointly with this confidence, and so does the interval of their difference or ratio. Sums are clamped to
    /// ±2^126, beyond any true total; clamping is post-processing.
    pub fn with_noise<R: Rng>(
        self,
        query: &Query,
        decays: &[Decay],
        confidence: &Rational,
        rng: &mut R,
    ) -> Vec<Vec<i128>> {
        let end = 1_i128 << 126;
        let mut released = Vec::with_capacity(self.cells.len());
        for (at, (cells, decay)) in self.cells.into_iter().zip(decays).enumerate() {
            let (low, high) = query.grid_ends(at);
            released.push(match (cells, &query.measures()[at].kind) {
                (Cells::Sums(sums), _) => {
                    let sampler = TwoSidedGeometric::new(decay.clone());
                    sums.into_iter().map(|sum| sum.saturating_add(sampler.sample(rng)).clamp(-end, end)).collect()
                }
                (Cells::Values(cells), MeasureKind::Ranked { target, .. }) => {
                    let rank = query.rank(at, *target, decay);
                    let chosen = cells.into_iter().map(|values| {
                        let segments = segments(&values, low, high, &rank);
                        let (begins, segments): (Vec<i64>, Vec<Segment>) = segments.into_iter().unzip();
                        let choice = permute_and_flip(&segments, decay, rng);
                        choice.map_or(i128::from(low), |(at, offset)| i128::from(begins[at]) + i128::from(offset))
                    });
                    chosen.collect()
                }
                (Cells::Values(cells), MeasureKind::Tree { shares, .. }) => {
                    let of_two = (confidence + whole(1)) / whole(2);
                    let shares: Vec<(u64, u64)> = shares.iter().copied().map(Into::into).collect();
                    let reaches: Vec<i128> = shares
                        .iter()
                        .map(|share| tree::reach(query.grid_size(at), *share, decay, &of_two))
                        .map(|reach| reach.to_i128().unwrap_or(i128::MAX >> 32).min(i128::MAX >> 32))
                        .collect();
                    let found = cells
                        .into_iter()
                        .flat_map(|values| tree::quantiles(&values, (low, high), &shares, decay, &reaches, rng));
                    found.flat_map(|found| [found.value, found.low, found.high]).map(i128::from).collect()
                }
                // Not reached: measures of sums collect sums.
                (Cells::Values(_), _) => Vec::new(),
            });
        }
        released
    }

    /// The exact contents of each cell: one sum, or the sorted values. Only this crate's tests and fuzzers can call it.
    #[cfg(any(test, fuzzing))]
    #[must_use]
    pub fn reveal(self) -> Vec<Vec<Vec<i128>>> {
        let cells = |cells: Cells| match cells {
            Cells::Sums(sums) => sums.into_iter().map(|sum| vec![sum]).collect(),
            Cells::Values(cells) => cells
                .into_iter()
                .map(|values| {
                    let repeated = |(value, count)| std::iter::repeat_n(i128::from(value), count as usize);
                    values.into_iter().flat_map(repeated).collect()
                })
                .collect(),
        };
        self.cells.into_iter().map(cells).collect()
    }
}
