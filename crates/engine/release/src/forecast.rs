//! Expected errors of answers, computed from the policy alone, before any data is read or any odds are charged.
//!
//! | answer | expected error, at the policy's confidence |
//! |---|---|
//! | counts, sums | the margin `m` of their noise |
//! | averages of values in `[low, high]` | `m(sum, h·count) / (n − m_count)` |
//! | variances | `m(squares, 2h·sum, h²·count) / (n − m_count) + e²`, `e` being the error of the mean |
//! | standard deviations | the root of the variance's error, for `|√a − √b| ≤ √|a − b|` |
//! | quantiles | rows by rank |
//!
//! `h` is the distance from the public centre to the further bound, and `n` the rows of a cell: `typical_rows` of the
//! policy, shared equally by all cells, as if every row had a value and passed every condition. `m(…)` is the reach of
//! a weighted sum of noises ([`deniable_core::interval`]). The bounds hold whatever the values are: with noises `a` and
//! `b` of sum and count, `(S+a)/(n+b) − S/n = (a − b·S/n)/(n+b)` and `|S| ≤ h·n`; and with `c` of the squares,
//! `μ = S/n` and `v ≤ h²`, the variance's error is `(c − 2μa + (μ² − v)b)/(n+b)` less the square of the mean's error.
//! As in the intervals, most of the allowed error is for that sum and a little for the rest. No error exceeds the range
//! that the bounds allow.
//!
//! Targets refer to these errors ([`crate::target`]). Their size relative to the answers, and the errors of arithmetic
//! on answers, depend on the answers: [`crate::typical`].

use crate::headings::headings;
use crate::plan::{MeasurePlan, QueryPlan};
use crate::typical::{TypicalAnswer, own_rows, relative, usual};
use deniable_core::exact::{Rational, Rounding, decimal, ratio, square_root, whole};
use deniable_core::interval::{self, Law};
use deniable_core::noise::{Decay, margin};
use deniable_policy::Policy;
use deniable_query::output::Term;
use deniable_query::{Estimator, MeasureKind, Moments};
use deniable_query::{MissingGuess, Query};
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};

const ROOT_PLACES: u32 = 12;

/// The forecast for one answer of a query: an aggregate, or arithmetic on aggregates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerForecast {
    /// The name of its column, or the aggregate if it is part of a larger term; with several groupings, followed by the
    /// grouping.
    pub name: String,
    /// The unit that the policy states for its column, or else the column's name; `None` for a part of a column.
    pub unit: Option<String>,
    /// The cells of its grouping.
    pub cells: usize,
    /// The noise of each of its measures; empty for arithmetic, whose parts have their own.
    pub noise: Vec<Deviation>,
    /// The largest error of a value, at the policy's confidence.
    pub error: ErrorBound,
    /// The typical value with its error, or the guesses that are missing for it.
    pub typical: TypicalAnswer,
    /// The typical error over the typical answer; for a rank, over the rows of a cell. `None` if unknown or
    /// meaningless.
    pub relative: Option<Rational>,
    /// Whether bounds of values determine the scale of its noise.
    pub bounded: bool,
}

/// The noise of one measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The measure.
    pub measure: String,
    /// The standard deviation, rounded up, in the measure's own units; `None` for a value that is chosen by its rank.
    pub deviation: Option<Rational>,
    /// The scale, rounded up, as an answer's noise states it; `None` for a value that is chosen by its rank.
    pub scale: Option<Rational>,
}

/// A bound on the error of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorBound {
    /// A distance, in the answer's units.
    Value(Rational),
    /// A number of rows by rank.
    Rows(Rational),
    /// Depends on the number of rows, which the policy does not state.
    NeedsTypicalRows,
    /// Depends on the number of entities, which the policy does not state.
    NeedsTypicalEntities,
    /// A distance for typical values, in the answer's units: for arithmetic, which has no bound for all values.
    Typical(Rational),
    /// As [`Self::Typical`], but the policy states no typical values.
    NeedsTypical,
    /// The divisor may be zero under the noise.
    Unbounded,
    /// Depends on values chosen by rank, whose distances no guess determines.
    ByRank,
}

impl ErrorBound {
    /// The bound as a number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<&Rational> {
        match self {
            Self::Value(error) | Self::Rows(error) | Self::Typical(error) => Some(error),
            Self::NeedsTypicalRows
            | Self::NeedsTypicalEntities
            | Self::NeedsTypical
            | Self::Unbounded
            | Self::ByRank => None,
        }
    }
}

impl std::fmt::Display for ErrorBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(error) => f.write_str(&short(error)),
            Self::Rows(rows) => write!(f, "{} rows by rank", short(rows)),
            Self::NeedsTypicalRows => f.write_str("needs typical_rows in [data]"),
            Self::NeedsTypicalEntities => f.write_str("needs typical_entities in [entity]"),
            Self::Typical(error) => write!(f, "about {}", short(error)),
            Self::NeedsTypical => f.write_str("needs typical values"),
            Self::Unbounded => f.write_str("unbounded"),
            Self::ByRank => f.write_str("of values by rank"),
        }
    }
}

/// A number for readers, rounded up: three significant digits, and no decimals from a hundred on.
#[must_use]
pub fn short(value: &Rational) -> String {
    digits(value, Rounding::Up)
}

/// A number for readers, rounded to the nearest: for numbers that are not errors.
#[must_use]
pub fn about(value: &Rational) -> String {
    digits(value, Rounding::Nearest)
}

fn digits(value: &Rational, rounding: Rounding) -> String {
    let mut places = 0;
    let mut size = value.abs();
    while !size.is_zero() && size < whole(100) && places < 12 {
        size *= whole(10);
        places += 1;
    }
    decimal(value, places, rounding)
}

/// The forecasts for all answers of a query, level by level: aggregates first, then arithmetic on them.
#[must_use]
pub fn expected(planned: &QueryPlan, policy: &Policy) -> Vec<AnswerForecast> {
    let query = planned.query();
    let forecast = Forecast::new(query, planned.measures(), policy);
    let answers = |level: usize| (0..query.answers(level).len()).map(Term::Answer);
    let composed = || query.output().columns.iter().filter(|term| !matches!(term, Term::Answer(_))).cloned();
    let is_measured = |(level, term): &(usize, Term)| !query.measures_of(term, *level).is_empty();
    let terms: Vec<(usize, Term)> = (0..query.levels().len())
        .flat_map(|level| {
            let shown = query.output().levels.contains(&level);
            answers(level).chain(composed().filter(move |_| shown)).map(move |term| (level, term))
        })
        .filter(is_measured)
        .collect();
    let typical = usual(planned, policy, &terms);
    let part = planned.typical_share();
    terms.iter().zip(typical).map(|((level, term), typical)| forecast.of(*level, term, typical, &part)).collect()
}

/// The error bound of every aggregate of a query, by name, when its measures have these prices.
pub(crate) fn bounds(query: &Query, measures: &[MeasurePlan], policy: &Policy) -> Vec<(String, ErrorBound)> {
    let forecast = Forecast::new(query, measures, policy);
    let of = |level: usize| {
        let answers = query.answers(level).iter().enumerate();
        answers.map(move |(at, answer)| (level, at, answer))
    };
    let all = (0..query.levels().len()).flat_map(of);
    all.map(|(level, at, answer)| {
        (forecast.name(level, &Term::Answer(at)), forecast.error(answer, forecast.rows(level).as_ref()))
    })
    .collect()
}

struct Forecast<'a> {
    query: &'a Query,
    decays: Vec<&'a Decay>,
    policy: &'a Policy,
}

impl<'a> Forecast<'a> {
    fn new(query: &'a Query, measures: &'a [MeasurePlan], policy: &'a Policy) -> Self {
        Self { query, decays: measures.iter().map(MeasurePlan::decay).collect(), policy }
    }

    /// The forecast for a query about this part of the rows.
    fn of(&self, level: usize, term: &Term, typical: TypicalAnswer, part: &Rational) -> AnswerForecast {
        let (name, unit, cells) = (self.name(level, term), self.unit(term), self.query.cells(level));
        let beside = typical.as_ref().ok().and_then(relative);
        let answer = match term {
            Term::Answer(at) => Some(&self.query.answers(level)[*at]),
            _ => None,
        };
        let Some(answer) = answer.filter(|answer| !matches!(answer, Estimator::Regression(_) | Estimator::Weighted(_)))
        else {
            if let Some(rows) =
                deniable_answers::rank_margin_of(self.query, level, term, &self.decays, self.policy.confidence())
            {
                let relative = self.rows(level).map(|among| whole(rows.clone()) / (among * part));
                let error = ErrorBound::Rows(whole(rows));
                let noise = Vec::new();
                return AnswerForecast { name, unit, cells, noise, error, typical, relative, bounded: false };
            }
            let error = match &typical {
                Ok(planned) => planned.error.clone().map_or(ErrorBound::Unbounded, ErrorBound::Typical),
                Err(missing) if missing.contains(&MissingGuess::Rank) => ErrorBound::ByRank,
                Err(_) => ErrorBound::NeedsTypical,
            };
            let noise = self.noise_of(level, term);
            return AnswerForecast { name, unit, cells, noise, error, typical, relative: beside, bounded: false };
        };
        let rows = self.rows(level);
        let error = self.error(answer, rows.as_ref());
        let relative = match &error {
            ErrorBound::Rows(error) => rows.map(|rows| error / (rows * part)),
            _ => beside,
        };
        let noise = self.noise_of(level, term);
        AnswerForecast {
            name,
            unit,
            cells,
            noise,
            error,
            typical,
            relative,
            bounded: !matches!(answer, Estimator::Count { .. }),
        }
    }

    /// The noise of each measure of an aggregate; for arithmetic, that of the aggregates in it.
    fn noise_of(&self, level: usize, term: &Term) -> Vec<Deviation> {
        let Term::Answer(at) = term else { return Vec::new() };
        let measures = self.query.answers(level)[*at].measures();
        measures.into_iter().map(|measure| self.deviation(measure)).collect()
    }

    /// The typical rows of one cell; for a query about entities, the number of entities.
    fn rows(&self, level: usize) -> Option<Rational> {
        if self.query.is_per_entity() {
            return self.policy.typical().entities.map(whole);
        }
        own_rows(self.query, self.policy).map(|rows| rows / whole(self.query.cells(level).max(1)))
    }

    /// The margin of a measure, in its own units.
    fn reach(&self, measure: usize) -> Rational {
        whole(margin(self.decays[measure], self.policy.confidence())) * &self.query.measures()[measure].unit
    }

    fn error(&self, answer: &Estimator, rows: Option<&Rational>) -> ErrorBound {
        match (answer, rows) {
            (Estimator::Count { measure } | Estimator::Sum { measure }, _) => ErrorBound::Value(self.reach(*measure)),
            (Estimator::Quantile { measure, position, .. }, _) => {
                ErrorBound::Rows(self.rank_error(*measure, *position))
            }
            // The error depends on the joint distribution of its values.
            (Estimator::Regression(_) | Estimator::Weighted(_), _) => ErrorBound::NeedsTypical,
            (Estimator::Average(_) | Estimator::Variance { .. }, None) if self.query.is_of_entity_rows() => {
                ErrorBound::NeedsTypicalEntities
            }
            (Estimator::Average(_) | Estimator::Variance { .. }, None) => ErrorBound::NeedsTypicalRows,
            (Estimator::Average(moments), Some(rows)) => ErrorBound::Value(self.mean_error(moments, rows, 1.0)),
            (Estimator::Variance { moments, squares, sample, root }, Some(rows)) => {
                let error = self.variance_error(moments, *squares, *sample, rows);
                ErrorBound::Value(if *root { square_root(&error, ROOT_PLACES, Rounding::Up) } else { error })
            }
        }
    }

    fn rank_error(&self, measure: usize, position: usize) -> Rational {
        let (decay, confidence) = (self.decays[measure], self.policy.confidence());
        whole(deniable_answers::rank_margin(self.query, measure, position, decay, confidence).unwrap_or_default())
    }

    /// The reach of a weighted sum of measures' noises when this part of the allowed error is for it; rounded up.
    fn together(&self, weights: &[(usize, Rational)], part: f64) -> Rational {
        let law = |(at, weight): &(usize, Rational)| {
            let weight = weight * &self.query.measures()[*at].unit;
            (weight.to_f64().unwrap_or(f64::MAX), Law::of(self.decays[*at]))
        };
        let noises: Vec<(f64, Law)> = weights.iter().map(law).collect();
        let outside = (whole(1) - self.policy.confidence()).to_f64().unwrap_or_default();
        // A reach beyond floats is more than any bounds allow.
        Rational::from_f64(interval::reach(&noises, outside * part)).unwrap_or_else(|| whole(u64::MAX))
    }

    fn mean_error(&self, moments: &Moments, rows: &Rational, part: f64) -> Rational {
        let weights = [(moments.sum, whole(1)), (moments.count, half(moments))];
        let width = &moments.high - &moments.low;
        // The best split of the allowed error depends on the number of rows; any split gives a bound.
        let error = |own: f64| {
            let reach = self.together(&weights, part * own);
            let fewest = rows - self.together(&[(moments.count, whole(1))], part * (1.0 - own));
            fewest.is_positive().then(|| reach / fewest)
        };
        let least = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98].into_iter().filter_map(error).min();
        least.map_or_else(|| width.clone(), |error| error.min(width.clone()))
    }

    fn variance_error(&self, moments: &Moments, squares: usize, sample: bool, rows: &Rational) -> Rational {
        let count = self.together(&[(moments.count, whole(1))], 0.04);
        let width = &moments.high - &moments.low;
        // Half of the values at either end; a sample's divisor is one less, at least half.
        let (population, most) = (&width * &width / whole(4), &width * &width / whole(if sample { 2 } else { 4 }));
        let fewest = rows - &count;
        if fewest <= whole(1) {
            return most;
        }
        let (half, mean) = (half(moments), self.mean_error(moments, rows, 0.06));
        let weights = [(squares, whole(1)), (moments.sum, &half * whole(2)), (moments.count, &half * &half)];
        let error = self.together(&weights, 0.9) / &fewest + &mean * &mean;
        // The factor rows/(rows − 1) is itself noisy: between 1 and fewest/(fewest − 1).
        let error = if sample {
            let less = &fewest - whole(1);
            error * &fewest / &less + population / less
        } else {
            error
        };
        error.min(most)
    }

    fn deviation(&self, at: usize) -> Deviation {
        let measure = &self.query.measures()[at];
        let unit = match measure.kind {
            MeasureKind::Ranked { .. } => None,
            // The noise is in counts of rows, whatever the grid is in.
            MeasureKind::Tree { .. } => Some(whole(1)),
            _ => Some(measure.unit.clone()),
        };
        let r = self.decays[at].ratio();
        let variance = whole(2) * r / ((whole(1) - r) * (whole(1) - r));
        let deviation = unit.as_ref().map(|unit| square_root(&variance, ROOT_PLACES, Rounding::Up) * unit);
        let scale = unit.map(|unit| self.decays[at].scale_bound() * unit);
        Deviation { measure: self.query.measure_in_words(at), deviation, scale }
    }

    fn unit(&self, term: &Term) -> Option<String> {
        let output = self.query.output();
        let column = output.columns.iter().position(|column| column == term)?;
        let stated = headings(self.query, self.policy.headings()).get(column).and_then(|heading| heading.unit.clone());
        stated.or_else(|| output.names.get(column).cloned())
    }

    fn name(&self, level: usize, term: &Term) -> String {
        let (query, output) = (self.query, self.query.output());
        let column = output.columns.iter().position(|column| column == term);
        let name = match (column, term) {
            (Some(column), _) => output.names[column].clone(),
            (None, Term::Answer(at)) => aggregate(query, &query.answers(level)[*at]),
            (None, _) => String::new(),
        };
        name + &grouping(query, level)
    }
}

/// The distance from the public centre to the further bound.
fn half(moments: &Moments) -> Rational {
    (&moments.high - &moments.centre).max(&moments.centre - &moments.low)
}

/// An aggregate in SQL.
fn aggregate(query: &Query, answer: &Estimator) -> String {
    match answer {
        Estimator::Count { measure } | Estimator::Sum { measure } => bare(query, *measure),
        Estimator::Average(moments) => format!("AVG({})", query.argument_in_words(moments.count)),
        Estimator::Variance { moments, sample, root, .. } => {
            let name = if *root { "STDDEV" } else { "VAR" };
            let kind = if *sample { "SAMP" } else { "POP" };
            format!("{name}_{kind}({})", query.argument_in_words(moments.count))
        }
        Estimator::Regression(about) => query.regression_in_words(about),
        Estimator::Weighted(moments) => query.weighted_in_words(moments),
        Estimator::Quantile { measure, position, .. } => match &query.measures()[*measure].kind {
            MeasureKind::Tree { shares, .. } => {
                let share = ratio(shares[*position].part as i64, shares[*position].whole as i64);
                format!("PERCENTILE_CONT({}, {share})", query.argument_in_words(*measure))
            }
            _ => bare(query, *measure),
        },
    }
}

/// A measure in words, without its grouping.
fn bare(query: &Query, measure: usize) -> String {
    let words = query.measure_in_words(measure);
    let grouping = grouping(query, query.measures()[measure].level);
    words.strip_suffix(&grouping).unwrap_or(&words).to_owned()
}

/// The suffix that distinguishes one of several groupings.
fn grouping(query: &Query, level: usize) -> String {
    if query.levels().len() == 1 {
        return String::new();
    }
    let names: Vec<&str> = query.levels()[level].iter().map(|group| query.groups()[*group].name.as_str()).collect();
    if names.is_empty() { ", all".to_owned() } else { format!(" by {}", names.join(", ")) }
}
