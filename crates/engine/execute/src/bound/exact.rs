//! Exact cells, which are secret, and the noise that makes them fit to be shown.

use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, Segment, TwoSidedGeometric, permute_and_flip, segments, tree};
use deniable_query::{MeasureKind, Query};
use num_traits::ToPrimitive;
use rand_core::Rng;

/// The exact answers of a query's measures. They are secret: this type has no `Debug` and no `Display`.
pub struct Exact {
    pub(super) cells: Vec<Cells>,
}

/// What a measure has gathered, by cell.
pub(super) enum Cells {
    /// Sums of whole numbers of units.
    Sums(Vec<i128>),
    /// The values, in grid units and ascending, and how often each occurs, where ranks are asked.
    Values(Vec<Vec<(i64, u64)>>),
}

impl Exact {
    /// The sums, for what a curator is told ([`crate::losses`]); no sums where values were gathered.
    pub(crate) fn sums(self) -> Vec<Vec<i128>> {
        let sums = |cells| match cells {
            Cells::Sums(sums) => sums,
            Cells::Values(_) => Vec::new(),
        };
        self.cells.into_iter().map(sums).collect()
    }

    /// Whether two answers are the same, for answers on made-up rows alone.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let same = |(one, other): (&Cells, &Cells)| match (one, other) {
            (Cells::Sums(one), Cells::Sums(other)) => one == other,
            (Cells::Values(one), Cells::Values(other)) => one == other,
            (Cells::Sums(_), Cells::Values(_)) | (Cells::Values(_), Cells::Sums(_)) => false,
        };
        self.cells.len() == other.cells.len() && self.cells.iter().zip(&other.cells).all(same)
    }

    /// How far the sums of each measure are from another answer's, over all cells (L1), for answers on made-up rows alone.
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

    /// The same once more, for answers on made-up rows alone: noise that is drawn twice about somebody averages out.
    pub(crate) fn again(&self) -> Self {
        let cells = self.cells.iter().map(|cells| match cells {
            Cells::Sums(sums) => Cells::Sums(sums.clone()),
            Cells::Values(values) => Cells::Values(values.clone()),
        });
        Self { cells: cells.collect() }
    }

    /// The released numbers: one vector for each measure, [`Query::width`] whole numbers for each of its cells.
    ///
    /// `confidence` is that of the intervals of several quantiles, which are drawn together with them: of any two, both
    /// cover with it, so that the interval of their difference or ratio does. Sums stay within ±2^126, where no total
    /// lies; that is post-processing.
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
                // A measure of sums gathers sums.
                (Cells::Values(_), _) => Vec::new(),
            });
        }
        released
    }

    /// The exact totals of each cell: one sum, or the sorted values. Only this crate's tests and fuzzers can call it.
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
