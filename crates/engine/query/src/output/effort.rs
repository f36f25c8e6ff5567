//! Upper bounds on the cost of results, computed from the query alone: evaluation steps, bytes of text, bits of
//! exact numbers.
//!
//! A step is about one operation on short numbers, 20 to 100 ns. The bounds grow with the number of cells, the rows
//! that windows read, the size of expressions, the bits of numbers, and the noisy numbers that an interval depends
//! on; nested windows multiply. Counts of rows are assumed to have at most 40 bits. Longer noisy numbers are
//! possible; they stay within the limit of bits, too.
//!
//! The functions of this module follow those of `evaluate` and of the modules that it calls.

mod part;

use super::{Condition, Frame, Output, Sort, Step, Term, Window};
use crate::QueryError;
use crate::{Estimator, MeasureKind, Moments, Query};
use part::{OF_RATIO, Part, Rows, bits, combined, digits, divisor, escaped, of_function, of_keys, product, through};
use std::collections::BTreeMap;

/// Most evaluation steps of one query.
pub const MOST_STEPS: u64 = 2_000_000_000;
/// Most planning steps, apart from those for the last value that conditions compare.
pub const MOST_PLANNING: u64 = crate::facts::exclusive::MOST_STEPS;
/// Most bytes of text over all rows: shown texts, and those in ORDER BY, GROUP BY and PARTITION BY.
pub const MOST_TEXT: u64 = 200_000_000;
/// Assumed bits of a count of rows.
const COUNT_BITS: u64 = 40;
/// Steps of the reach of a weighted sum: for each noisy number, and for each distinct weight.
const REACH: u64 = 2;
const DIFFERING: u64 = 80;
/// Steps to invert the characteristic function of the sum of more than [`MOST_DIRECT`] noises.
const INVERSION: u64 = 2_000;
/// Most noises whose sum is bounded without that inversion.
const MOST_DIRECT: u64 = 12;
/// Evaluations of the reach for the interval of a ratio.
const TRIES: u64 = 60;

/// Upper bounds on the cost of a query's planning and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Planning steps: comparisons of constants in conditions.
    pub planning: u64,
    /// Evaluation steps.
    pub steps: u64,
    /// Bytes of text.
    pub text: u64,
    /// Bits of the longest exact number.
    pub bits: u64,
}

struct Walk<'a> {
    query: &'a Query,
    /// The values of the windows so far.
    seen: BTreeMap<usize, Part>,
    /// The cost of each group's keys.
    keys: Vec<Part>,
    effort: Effort,
}

impl Query {
    /// The cost of its results, from the query alone.
    #[must_use]
    pub fn effort(&self) -> Effort {
        let keys = (0..self.groups().len()).map(|group| of_keys(self, group)).collect();
        let effort = Effort { planning: self.planning(), ..Effort::default() };
        let mut walk = Walk { query: self, seen: BTreeMap::new(), keys, effort };
        let Output { levels, steps, columns, .. } = self.output();
        let rows = walk.run(levels, steps);
        for column in columns {
            let part = walk.over(column, levels);
            let times = |steps: u64| rows.most.saturating_mul(steps);
            walk.add(times(walk.shown(part)), times(part.text.saturating_add(digits(part))), part);
        }
        walk.effort
    }

    /// Refuses queries whose results exceed a limit.
    pub fn check_effort(&self) -> Result<(), QueryError> {
        let Effort { planning: _, steps, text, bits: _ } = self.effort();
        if steps > MOST_STEPS {
            let help = format!(
                "the limit is {MOST_STEPS} steps: group by fewer keys, nest fewer windows, multiply fewer factors, or round \
                 what is multiplied or added up"
            );
            return Err(QueryError::refused(format!("a query whose results take {steps} steps"), help));
        }
        if text > MOST_TEXT {
            let help = format!("the limit is {MOST_TEXT} bytes: write shorter texts, or group by fewer keys");
            return Err(QueryError::refused(format!("a query whose results show {text} bytes of text"), help));
        }
        Ok(())
    }
}

impl Walk<'_> {
    fn add(&mut self, steps: u64, text: u64, part: Part) {
        self.effort.steps = self.effort.steps.saturating_add(steps);
        self.effort.text = self.effort.text.saturating_add(text);
        self.effort.bits = self.effort.bits.max(part.over).max(part.under);
    }

    /// Steps of one shown number with its interval, standard error and population interval.
    fn shown(&self, part: Part) -> u64 {
        let visits = part.visits.min(super::MOST_VALUES as u64);
        // Numbers that depend on more parts get no interval, so the evaluator never visits more.
        let at_most = |steps: u64| {
            let scaled = u128::from(steps) * u128::from(visits) / u128::from(part.visits.max(1));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        let (form, interval) = (at_most(part.form), at_most(part.interval));
        let form = form.saturating_mul(3 + 2 * part.depth);
        let width = part.width.min(visits);
        let differing = DIFFERING.saturating_mul(part.differing.min(width));
        let reach = REACH.saturating_mul(width).saturating_add(if width > MOST_DIRECT {
            INVERSION + differing
        } else {
            8 * width
        });
        let tries = if part.is_ratio { TRIES } else { 2 };
        // Consistent tables evaluate each number twice: as shown and as measured.
        part.number
            .saturating_mul(3)
            .saturating_add(form)
            .saturating_add(interval)
            .saturating_add(tries.saturating_mul(reach) + 2 * visits)
    }

    /// The cost of a term in any row of these levels.
    fn over(&self, term: &Term, levels: &[usize]) -> Part {
        levels.iter().map(|level| self.part(term, *level)).fold(Part::default(), Part::either)
    }

    fn part(&self, term: &Term, level: usize) -> Part {
        let again = |inner: &Term| self.part(inner, level);
        match term {
            Term::Key(group) => Part { varies: true, ..self.keys.get(*group).copied().unwrap_or_default() },
            Term::Number(value) => {
                let (over, under) = bits(value);
                Part::number(over, under, 1 + product(over, under))
            }
            Term::Text(text) => Part { text: escaped(text), visits: 1, number: 1, ..Part::default() },
            Term::Level | Term::Grouping(_) => Part::number(16, 1, 2),
            Term::Null => Part { visits: 1, number: 1, ..Part::default() },
            Term::Answer(position) => self.answer(level, *position),
            Term::Window(window) => self.seen.get(window).copied().unwrap_or_default(),
            Term::Arithmetic(operator, sides) => {
                let [left, right] = &**sides;
                let (one, other) = (again(left), again(right));
                let both = combined(*operator, one, other, self.query.measures().len() as u64);
                // With a constant on one side, the evaluator recurses with a new form.
                let is_again = may_be_constant(left) || may_be_constant(right);
                let interval = if is_again { both.interval.saturating_add(both.form) } else { both.interval };
                Part { interval, ..both }
            }
            Term::Function(function, inner) => of_function(*function, again(inner)),
            Term::Case(branches, otherwise) => {
                let conditions = branches.iter().map(|(condition, _)| self.condition(condition, level));
                let decided = conditions.fold(2, u64::saturating_add);
                let values = branches.iter().map(|(_, value)| again(value)).chain([again(otherwise)]);
                Part { varies: true, ..values.fold(Part::default(), Part::either).settled(decided) }
            }
            Term::Lookup(of, values) => {
                let found = values.values().map(again).fold(Part::default(), Part::either);
                Part { varies: true, ..found.settled(again(of).value().saturating_add(20)) }
            }
        }
    }

    fn answer(&self, level: usize, position: usize) -> Part {
        let Some(answer) = self.query.answers(level).get(position) else { return Part::default() };
        let unit = |measure: usize| bits(&self.query.measures()[measure].unit);
        let sum = |measure: usize| {
            let range = match &self.query.measures()[measure].kind {
                MeasureKind::Sum { range, .. } | MeasureKind::Product { range, .. } => {
                    64 - u64::from(range.low.unsigned_abs().max(range.high.unsigned_abs()).leading_zeros())
                }
                _ => 0,
            };
            let (over, under) = unit(measure);
            (COUNT_BITS + range + over, under)
        };
        let mean = |Moments { sum: total, count, centre, .. }: &Moments| {
            let ((over, under), (count, of_count), (centre, by)) = (sum(*total), sum(*count), bits(centre));
            (over.max(centre + count + under) + of_count + by + 1, under + count + by)
        };
        let (over, under, number, interval, width) = match answer {
            Estimator::Count { .. } => (COUNT_BITS, 1, 4, 12, 1),
            Estimator::Sum { measure } => {
                let (over, under) = sum(*measure);
                (over, under, 10, 20, 1)
            }
            Estimator::Average(moments) | Estimator::Weighted(moments) => {
                let (over, under) = mean(moments);
                (over, under, 40, OF_RATIO, 2)
            }
            Estimator::Variance { moments, squares, .. } => {
                let ((over, under), (of_squares, by)) = (mean(moments), sum(*squares));
                (2 * over + of_squares, 2 * under + by + COUNT_BITS, 150, 4 * OF_RATIO, 3)
            }
            Estimator::Regression(about) => {
                let values = about.values.len() as u64 + 1;
                let size: u64 =
                    about.measures().into_iter().map(|measure| sum(measure).0 + sum(measure).1).max().unwrap_or(1);
                let long = (values + 1).saturating_mul(2 * size);
                let number = values.pow(3).saturating_mul(divisor(long, long)).saturating_mul(2);
                (long * 2, long * 2, number, values.pow(3) * OF_RATIO, values * values)
            }
            Estimator::Quantile { measure, .. } => {
                let (over, under) = unit(*measure);
                (64 + over, under, 6, 20, 1)
            }
        };
        let noisy = Part { rows: 1, width, differing: width, ..Part::default() };
        Part { over, under: under.max(1), number, visits: 1, form: 8, interval, ..noisy }.capped()
    }

    fn condition(&self, condition: &Condition, level: usize) -> u64 {
        match condition {
            Condition::Compare(_, sides) => {
                let [left, right] = sides.each_ref().map(|side| self.part(side, level));
                let compared = product(left.over, right.under).saturating_add(product(right.over, left.under));
                left.value().saturating_add(right.value()).saturating_add(compared)
            }
            Condition::And(sides) | Condition::Or(sides) => {
                sides.iter().map(|side| self.condition(side, level)).fold(1, u64::saturating_add)
            }
            Condition::Not(inner) => self.condition(inner, level).saturating_add(1),
            Condition::IsNull(term) | Condition::Holds(term) => self.part(term, level).value(),
        }
    }

    /// Adds the cost of the steps before the final columns; returns the remaining rows.
    fn run(&mut self, levels: &[usize], steps: &[Step]) -> Rows {
        let cells = levels.iter().map(|level| self.query.cells(*level) as u64).sum();
        let mut rows = Rows { most: cells, exactly: true };
        self.add(cells.saturating_mul(2), 0, Part::default());
        for step in steps {
            match step {
                Step::Look(window) => self.look(*window, rows),
                Step::Group(by) => {
                    self.ordered(by.iter(), levels, rows);
                    let groups = if by.is_empty() { 1 } else { self.groups_of(by, levels) };
                    rows = Rows {
                        most: rows.most.min(groups).max(1),
                        exactly: rows.exactly && (by.is_empty() || all_public(by)),
                    };
                }
                Step::Subquery { window, levels, steps } => {
                    self.run(levels, steps);
                    let argument = &self.query.output().windows[*window].argument;
                    let part = self.over(argument, levels).settled(2);
                    self.add(rows.most.saturating_mul(2), 0, part);
                    self.seen.insert(*window, part);
                }
                Step::Sort(by) => self.ordered(by.iter().map(|by| &by.term), levels, rows),
                Step::Filter(condition) => {
                    let each = levels.iter().map(|level| self.condition(condition, *level)).max().unwrap_or(0);
                    self.add(rows.most.saturating_mul(each), 0, Part::default());
                    rows.exactly = false;
                }
                Step::Limit { fetch, .. } => {
                    let fetched = fetch.map_or(rows.most, |fetch| rows.most.min(fetch as u64));
                    rows = Rows { most: fetched, exactly: false };
                }
            }
        }
        rows
    }

    /// Adds the cost of sorting or grouping all rows by these terms.
    fn ordered<'t>(&mut self, by: impl Iterator<Item = &'t Term>, levels: &[usize], Rows { most: rows, .. }: Rows) {
        for term in by {
            let part = self.over(term, levels);
            let compared = 2 + part.text / 64 + 2 * product(part.over, part.under);
            let each = part.value().saturating_add(compared.saturating_mul(u64::from(rows.max(1).ilog2()) + 1));
            self.add(rows.saturating_mul(each), rows.saturating_mul(part.text), part);
        }
    }

    /// The largest number of groups; unlimited unless all terms are public.
    fn groups_of(&self, by: &[Term], levels: &[usize]) -> u64 {
        let of = |level: &usize| self.keys_in(by, *level);
        if all_public(by) { levels.iter().map(of).fold(0, u64::saturating_add) } else { u64::MAX }
    }

    /// The number of combinations of the group keys among these terms.
    fn keys_in(&self, by: &[Term], level: usize) -> u64 {
        let is_among = |group: &&usize| by.iter().any(|term| matches!(term, Term::Key(key) if key == *group));
        let sizes = self.query.levels()[level]
            .iter()
            .filter(is_among)
            .map(|group| self.query.groups()[*group].keys.len() as u64);
        sizes.fold(1, u64::saturating_mul)
    }

    fn look(&mut self, at: usize, rows: Rows) {
        let Window { function, argument, partition, order, frame, levels } = &self.query.output().windows[at];
        self.ordered(partition.iter().chain(order.iter().map(|Sort { term, .. }| term)), levels, rows);
        // The size of the largest partition.
        let of_level =
            |level: &usize| (self.query.cells(*level) as u64).div_ceil(self.keys_in(partition, *level).max(1));
        let most = levels.iter().map(of_level).fold(0, u64::saturating_add).min(rows.most);
        let most = frame.width().map_or(most, |width| most.min(width));
        let exactly = rows.exactly && levels.len() == 1 && all_public(partition) && order.is_empty();
        let argument = self.over(argument, levels);
        let (part, each) = through(*function, argument, Rows { most, exactly });
        // Frames that do not begin with the partition are added up row by row.
        let times = if matches!(frame, Frame::Rows { from: Some(_), .. }) { most.max(1) } else { 1 };
        self.add(rows.most.saturating_mul(each.saturating_mul(times).saturating_add(6)), 0, part);
        self.seen.insert(at, part);
    }
}

/// Whether the evaluator may treat a term as a public constant.
fn may_be_constant(term: &Term) -> bool {
    match term {
        Term::Number(_)
        | Term::Key(_)
        | Term::Level
        | Term::Grouping(_)
        | Term::Case(..)
        | Term::Lookup(..)
        | Term::Window(_) => true,
        Term::Answer(_) | Term::Text(_) | Term::Null | Term::Arithmetic(..) | Term::Function(..) => false,
    }
}

/// Whether all terms are public keys, independent of noise.
fn all_public(terms: &[Term]) -> bool {
    terms.iter().all(|term| matches!(term, Term::Key(_) | Term::Level | Term::Grouping(_)))
}
