//! Typical values of the measures of a cell, from public guesses: numbers of rows and people, and typical values of
//! columns.
//!
//! | measure | typical value |
//! |---|---|
//! | `COUNT(*)`, `COUNT(x)` | the rows, shared equally by the cells; with a condition, the part that meets it |
//! | `COUNT(DISTINCT person)` | the people, shared equally by the cells, and at most one for each row |
//! | `SUM(x)` | the typical number of rows, times the mean of `x` |
//! | sums of squares | the typical number of rows, times `σ² + μ²` around the centre |
//!
//! The mean of an expression follows from those of its columns where it is linear in them; the mean of a condition is
//! the part of the rows that meet it, so a CASE is a mixture. Guesses about a condition are about all rows of the
//! query, and the rows that meet it are assumed to be like the others. A mean that does not follow is not guessed: it
//! is reported as missing, so that the curator can state it.

use crate::declared;
use crate::{CentredArgument, MeasureKind, Query};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_core::schema::ColumnType;
use deniable_expression::{Id, Node, Operation, Type, Value};
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeSet;

/// Most characters of an expression for which a guess can be stated.
const MOST_WORDS: usize = 1_000;

/// Public guesses about the rows of a query.
pub struct Guesses<'a> {
    /// Number of rows that count, in all cells together.
    pub rows: Option<Rational>,
    /// Number of rows before caps.
    pub all_rows: Option<Rational>,
    /// Number of people with these rows.
    pub entities: Option<Rational>,
    /// The guess about a column, by its table and name.
    pub column: &'a dyn Fn(&str, &str) -> Option<ColumnGuess>,
    /// Means of expressions, keyed by [`Query::argument_in_words`]; for conditions, the part of the rows that meet
    /// them.
    pub expressions: &'a [(String, Rational)],
}

/// Public guess about a column's values.
pub struct ColumnGuess {
    /// The mean.
    pub mean: Rational,
    /// The standard deviation.
    pub deviation: Option<Rational>,
}

/// A guess that a typical value needs and that the policy lacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingGuess {
    /// The number of rows.
    Rows,
    /// The number of people.
    Entities,
    /// The mean of a column.
    Column {
        /// Its table.
        table: String,
        /// Its name.
        column: String,
    },
    /// The standard deviation of a column.
    Spread {
        /// Its table.
        table: String,
        /// Its name.
        column: String,
    },
    /// The mean of an expression, or the part of the rows that meet a condition.
    Expression(String),
    /// The standard deviation of an expression that does not follow from those of its columns.
    SpreadOf(String),
    /// A value chosen by its rank: its error depends on values that cannot be stated publicly.
    Rank,
}

/// A number, or all guesses that are missing for it.
type Guess = Result<Rational, BTreeSet<MissingGuess>>;

/// The typical statistics of an expression.
#[derive(Debug, Clone)]
struct TypicalStatistics {
    /// The part of the rows where it is not NULL.
    present: Guess,
    /// The mean of the values that are not NULL.
    mean: Guess,
    variance: Guess,
}

impl Query {
    /// The typical value of every measure in a cell, in its units, or what is missing for it.
    #[must_use]
    pub fn typical(&self, guesses: &Guesses<'_>) -> Vec<Result<i128, BTreeSet<MissingGuess>>> {
        if self.is_per_entity() {
            // Quantiles of rows and values of single people have no typical value.
            return vec![Err(BTreeSet::from([MissingGuess::Rank])); self.measures().len()];
        }
        let usual = self.usual(guesses);
        (0..self.measures().len())
            .map(|measure| {
                let value = self.typical_measure(measure, &usual, guesses)?;
                // No table has a number of rows beyond 128 bits.
                value.round().to_integer().to_i128().ok_or_else(|| BTreeSet::from([MissingGuess::Rows]))
            })
            .collect()
    }

    /// The stated expressions that do not occur in the query.
    #[must_use]
    pub fn unknown<'g>(&self, stated: &'g [(String, Rational)]) -> Vec<&'g str> {
        let program = &self.rows.program;
        let reached = program.ids().zip(program.reached(&self.roots())).filter(|(_, reached)| *reached);
        let known: Vec<String> = reached.map(|((id, _), _)| bare(&program.words(id, MOST_WORDS))).collect();
        stated.iter().map(|(words, _)| words.as_str()).filter(|words| !known.contains(&bare(words))).collect()
    }

    /// The stated expressions with an impossible value: for a condition a part of the rows outside `[0, 1]`, for a sum
    /// a mean outside its bounds.
    #[must_use]
    pub fn impossible<'g>(&self, stated: &'g [(String, Rational)]) -> Vec<&'g str> {
        let program = &self.rows.program;
        let bounds = |id: Id| {
            if program.kind(id) == Type::Boolean {
                return Some((whole(0), whole(1)));
            }
            let grid = self.rows.arguments.iter().find(|argument| argument.value == id)?.grid.as_ref()?;
            Some((whole(grid.low) * &grid.unit, whole(grid.high) * &grid.unit))
        };
        let is_impossible = |(words, value): &&(String, Rational)| {
            let named =
                program.ids().map(|(id, _)| id).filter(|id| bare(&program.words(*id, MOST_WORDS)) == bare(words));
            named.filter_map(bounds).any(|(low, high)| *value < low || *value > high)
        };
        stated.iter().filter(is_impossible).map(|(words, _)| words.as_str()).collect()
    }

    fn typical_measure(&self, at: usize, usual: &[Option<TypicalStatistics>], guesses: &Guesses<'_>) -> Guess {
        let measure = &self.measures()[at];
        let cells = whole(self.cells(measure.level).max(1));
        let unknown = if self.is_of_entity_rows() { MissingGuess::Entities } else { MissingGuess::Rows };
        let rows = || guesses.rows.as_ref().map(|rows| rows / &cells).ok_or_else(|| BTreeSet::from([unknown.clone()]));
        let of = |argument: &usize| {
            let value = self.rows.arguments[*argument].value;
            usual[value.position()].as_ref().ok_or_else(|| BTreeSet::from([MissingGuess::Expression(String::new())]))
        };
        match &measure.kind {
            MeasureKind::Rows => rows(),
            MeasureKind::NotNull { argument } => times(rows(), of(argument)?.present.clone()),
            MeasureKind::Entities { present } => {
                let people = guesses.entities.as_ref().ok_or_else(|| BTreeSet::from([MissingGuess::Entities]));
                let people = people.and_then(|people| {
                    let each = self.typical_groups(people, guesses.all_rows.as_ref(), &cells)?;
                    let people = people * each / &cells;
                    Ok(rows().map_or(people.clone(), |rows| people.min(rows)))
                });
                match present {
                    Some(argument) => times(people, of(argument)?.present.clone()),
                    None => people,
                }
            }
            MeasureKind::Sum { of: centred, .. } => {
                let usual = of(&centred.argument)?;
                times(times(rows(), usual.present.clone()), self.typical_of(*centred, usual))
            }
            MeasureKind::Product { of: [one, other], .. } => {
                let (left, right) = (of(&one.argument)?, of(&other.argument)?);
                let product = times(self.typical_of(*one, left), self.typical_of(*other, right));
                // The correlation of two values is unknown and taken as zero. Both are taken to be NULL in the same
                // rows.
                let unit = self.grid_unit(one.argument) / whole(one.times);
                let each = if one == other {
                    both(product, left.variance.clone(), |square, variance| square + variance / (&unit * &unit))
                } else {
                    product
                };
                times(times(rows(), left.present.clone()), each)
            }
            MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => Err(BTreeSet::from([MissingGuess::Rank])),
        }
    }

    /// The number of cells in which an entity typically counts: those that its rows reach if all cells are equally
    /// likely, at most `groups`.
    fn typical_groups(&self, people: &Rational, rows: Option<&Rational>, cells: &Rational) -> Guess {
        let most = whole(self.caps().groups).min(cells.clone());
        if self.is_of_entity_rows() || most <= whole(1) {
            return Ok(whole(1));
        }
        let rows = rows.ok_or_else(|| BTreeSet::from([MissingGuess::Rows]))?;
        let (each, cells) = ((rows / people).to_f64().unwrap_or(1.0).max(1.0), cells.to_f64().unwrap_or(1.0));
        let reached = cells * (1.0 - (1.0 - cells.recip()).powf(each));
        Ok(Rational::from_float(reached).unwrap_or_else(|| whole(1)).max(whole(1)).min(most))
    }

    /// The typical centred value of an argument, in its steps.
    fn typical_of(&self, of: CentredArgument, usual: &TypicalStatistics) -> Guess {
        let unit = self.grid_unit(of.argument) / whole(of.times);
        usual.mean.clone().map(|mean| mean / unit - whole(of.centre))
    }

    /// The typical statistics of every expression that a measure depends on, parts included.
    fn usual(&self, guesses: &Guesses<'_>) -> Vec<Option<TypicalStatistics>> {
        let program = &self.rows.program;
        let roots: Vec<Id> = self.rows.arguments.iter().map(|argument| argument.value).collect();
        let mut all: Vec<Option<TypicalStatistics>> = Vec::new();
        // Arguments come before the nodes that use them.
        for ((id, node), reached) in program.ids().zip(program.reached(&roots)) {
            let usual =
                reached.then(|| self.stated(id, guesses).unwrap_or_else(|| self.derived(id, node, &all, guesses)));
            all.push(usual);
        }
        all
    }

    /// The guess that the query states about an expression.
    fn stated(&self, id: Id, guesses: &Guesses<'_>) -> Option<TypicalStatistics> {
        if guesses.expressions.is_empty() {
            return None;
        }
        let words = self.rows.program.words(id, MOST_WORDS);
        let (_, mean) = guesses.expressions.iter().find(|(stated, _)| bare(stated) == bare(&words))?;
        let variance = match self.rows.program.kind(id) {
            Type::Boolean => Ok(of_condition(mean)),
            _ => Err(BTreeSet::from([MissingGuess::SpreadOf(words)])),
        };
        Some(TypicalStatistics { present: Ok(whole(1)), mean: Ok(mean.clone()), variance })
    }

    fn derived(
        &self,
        id: Id,
        node: &Node,
        earlier: &[Option<TypicalStatistics>],
        guesses: &Guesses<'_>,
    ) -> TypicalStatistics {
        let program = &self.rows.program;
        let words = || program.words(id, MOST_WORDS);
        let unknown = || TypicalStatistics {
            present: Ok(whole(1)),
            mean: Err(BTreeSet::from([MissingGuess::Expression(words())])),
            variance: Err(BTreeSet::from([MissingGuess::Expression(words())])),
        };
        let of = |id: &Id| earlier.get(id.position()).cloned().flatten().unwrap_or_else(unknown);
        let (operation, arguments) = match node {
            Node::Column(position) => return self.column(*position as usize, guesses).unwrap_or_else(unknown),
            Node::Constant(_, None) => {
                return TypicalStatistics { present: Ok(Rational::zero()), ..constant(Rational::zero()) };
            }
            Node::Constant(_, Some(value)) => return number(value).map_or_else(unknown, constant),
            Node::Call(operation, arguments) => (operation, arguments.as_slice()),
        };
        let only = |argument: &Id| number_of(program.constant_of(*argument)).filter(|value| !value.is_zero());
        match (operation, arguments) {
            (Operation::Add, [left, right]) => sum(&of(left), &of(right), &whole(1), words),
            (Operation::Subtract, [left, right]) => sum(&of(left), &of(right), &whole(-1), words),
            (Operation::DaysBetween, [from, to]) => sum(&of(to), &of(from), &whole(-1), words),
            (Operation::Negate, [inner]) => scaled(of(inner), &whole(-1)),
            (Operation::Multiply, [left, right]) => match (only(left), only(right)) {
                (Some(factor), _) => scaled(of(right), &factor),
                (_, Some(factor)) => scaled(of(left), &factor),
                (None, None) => unknown(),
            },
            // Integer division drops the fraction.
            (Operation::Divide, [left, right]) if program.kind(id) == Type::Decimal => {
                only(right).map_or_else(unknown, |divisor| scaled(of(left), &divisor.recip()))
            }
            (Operation::Round(_) | Operation::IsTrue, [inner]) => of(inner),
            (Operation::Cast(to), [inner]) if counts_alike(program.kind(*inner), *to) => of(inner),
            (Operation::Not, [inner]) => {
                let TypicalStatistics { present, mean, variance } = of(inner);
                TypicalStatistics { present, mean: mean.map(|met| whole(1) - met), variance }
            }
            (Operation::IsNull, [inner]) => {
                let missing = of(inner).present.map(|present| whole(1) - present);
                TypicalStatistics {
                    present: Ok(whole(1)),
                    variance: missing.clone().map(|met| of_condition(&met)),
                    mean: missing,
                }
            }
            (Operation::And, [left, right]) => {
                // A condition that always holds does not change the other.
                let always = |usual: &TypicalStatistics| usual.mean == Ok(whole(1)) && usual.present == Ok(whole(1));
                match (of(left), of(right)) {
                    (left, right) if always(&left) => right,
                    (left, right) if always(&right) => left,
                    _ => unknown(),
                }
            }
            (Operation::Case, [condition, then, otherwise]) => mixed(of(condition).mean, &of(then), &of(otherwise)),
            (Operation::Coalesce, [first, second]) => {
                let (first, second) = (of(first), of(second));
                mixed(first.present.clone(), &TypicalStatistics { present: Ok(whole(1)), ..first }, &second)
            }
            _ => unknown(),
        }
    }

    fn column(&self, position: usize, guesses: &Guesses<'_>) -> Option<TypicalStatistics> {
        let (at, declared) = declared(&self.rows.tables, position)?;
        if matches!(declared.kind, ColumnType::Text | ColumnType::Boolean) {
            return None;
        }
        let read = self.entity_rows.as_ref().filter(|_| at == 0).and_then(|made| made.read_column(position));
        // A value computed from each entity's rows is not a column with a declared guess.
        let is_made = self.entity_rows.is_some() && at == 0 && read.is_none();
        let (table, column) = read.unwrap_or_else(|| (self.rows.tables[at].name.clone(), declared.name.clone()));
        let guess = (guesses.column)(&table, &column);
        let spread = guess.as_ref().and_then(|guess| guess.deviation.as_ref()).map(|deviation| deviation * deviation);
        let mean = guess.map(|guess| guess.mean);
        let no_spread = || {
            let (table, column) = (table.clone(), column.clone());
            BTreeSet::from([if is_made {
                MissingGuess::SpreadOf(column)
            } else {
                MissingGuess::Spread { table, column }
            }])
        };
        Some(TypicalStatistics {
            present: Ok(whole(1)),
            variance: spread.ok_or_else(no_spread),
            mean: mean.ok_or_else(|| {
                BTreeSet::from([if is_made {
                    MissingGuess::Expression(column.clone())
                } else {
                    MissingGuess::Column { table: table.clone(), column: column.clone() }
                }])
            }),
        })
    }
}

/// Text without its spaces, which need not match.
fn bare(words: &str) -> String {
    words.split_whitespace().collect()
}

fn constant(value: Rational) -> TypicalStatistics {
    TypicalStatistics { present: Ok(whole(1)), mean: Ok(value), variance: Ok(Rational::zero()) }
}

fn number(value: &Value) -> Option<Rational> {
    match value {
        Value::Boolean(truth) => Some(whole(u8::from(*truth))),
        Value::Integer(number) => Some(whole(*number)),
        // The shortest decimal that parses to this float is the number that the query contains.
        Value::Decimal(number) => parse_rational(&format!("{}", number.get())).ok(),
        Value::Date(day) => Some(whole(day.get())),
        Value::Timestamp(moment) => Some(whole(moment.get())),
        Value::Text(_) => None,
    }
}

fn number_of(constant: Option<Option<&Value>>) -> Option<Rational> {
    constant.flatten().and_then(number)
}

/// Whether a cast keeps a number, except for its fraction.
fn counts_alike(from: Type, to: Type) -> bool {
    let is_number = |kind: Type| matches!(kind, Type::Integer | Type::Decimal);
    // TRUE counts as 1.
    from == to
        || (is_number(to) && (is_number(from) || from == Type::Boolean))
        || (to == Type::Integer && is_time(from))
}

fn is_time(kind: Type) -> bool {
    matches!(kind, Type::Date | Type::Timestamp)
}

/// The variance of a condition that is true in this part of the rows.
fn of_condition(met: &Rational) -> Rational {
    (met * (whole(1) - met)).max(Rational::zero())
}

/// A function of two guesses, or all missing guesses of both.
fn both(one: Guess, other: Guess, with: impl Fn(Rational, Rational) -> Rational) -> Guess {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok(with(one, other)),
        (Err(one), Err(other)) => Err(one.union(&other).cloned().collect()),
        (Err(missing), Ok(_)) | (Ok(_), Err(missing)) => Err(missing),
    }
}

fn times(one: Guess, other: Guess) -> Guess {
    both(one, other, |one, other| one * other)
}

fn scaled(usual: TypicalStatistics, factor: &Rational) -> TypicalStatistics {
    TypicalStatistics {
        present: usual.present,
        mean: usual.mean.map(|mean| mean * factor),
        variance: usual.variance.map(|variance| variance * factor * factor),
    }
}

/// `left + sign · right`; the correlation of two values that both vary is unknown and taken as zero.
fn sum(
    left: &TypicalStatistics,
    right: &TypicalStatistics,
    sign: &Rational,
    words: impl Fn() -> String,
) -> TypicalStatistics {
    let varies = |usual: &TypicalStatistics| usual.variance.as_ref().map_or(true, Signed::is_positive);
    TypicalStatistics {
        present: times(left.present.clone(), right.present.clone()),
        mean: both(left.mean.clone(), right.mean.clone(), |left, right| left + right * sign),
        variance: if varies(left) && varies(right) {
            Err(BTreeSet::from([MissingGuess::SpreadOf(words())]))
        } else {
            both(left.variance.clone(), right.variance.clone(), |left, right| left + right)
        },
    }
}

/// A mixture: one value in this part of the rows, another in the rest.
fn mixed(part: Guess, then: &TypicalStatistics, otherwise: &TypicalStatistics) -> TypicalStatistics {
    let rest = part.clone().map(|part| whole(1) - part);
    let (first, second) = (times(part, then.present.clone()), times(rest, otherwise.present.clone()));
    let present = both(first.clone(), second.clone(), |first, second| first + second);
    let average = |one: Guess, other: Guess| {
        // A branch that is never taken needs no guess.
        let part = |weight: &Guess, value: Guess| match weight {
            Ok(weight) if weight.is_zero() => Ok(Rational::zero()),
            weight => times(weight.clone(), value),
        };
        let total = both(part(&first, one), part(&second, other), |one, other| one + other);
        both(total, present.clone(), |total, present| if present.is_zero() { present } else { total / present })
    };
    let mean = average(then.mean.clone(), otherwise.mean.clone());
    let square = |usual: &TypicalStatistics| {
        both(usual.mean.clone(), usual.variance.clone(), |mean, variance| &mean * &mean + variance)
    };
    let squares = average(square(then), square(otherwise));
    let variance = both(squares, mean.clone(), |squares, mean| (squares - &mean * &mean).max(Rational::zero()));
    TypicalStatistics { present, mean, variance }
}
