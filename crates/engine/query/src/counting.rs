//! Static analysis of results: which results count rows, and which sums depend on declared bounds.
//!
//! A result counts rows unless its structure shows that it does not, so an office's rule about small counts applies to
//! `SUM(1)`, `1.0 * COUNT(*)` and `SUM(x) / AVG(x)` as it does to `COUNT(*)`.
//!
//! | result | kind |
//! |---|---|
//! | counts; sums of constants, Booleans, or values with one or two grid points | a number of rows, times a constant |
//! | sums of values of a column | a total |
//! | averages, spreads, fits, quantiles, ratios of counts or of totals | not a number of rows, not a total |
//! | a count, or a total of the same columns, combined in another way | undecided: treated as a number of rows |

use crate::Fold;
use crate::declared;
use crate::facts::keys::passed_on_by_case;
use crate::facts::presence;
use crate::output::{Condition, Function, Operator, Term, Window, WindowFunction};
use crate::{Estimator, MeasureKind, Query};
use deniable_core::exact::{Rational, whole};
use deniable_expression::{Comparison, Id, Node, Operation, Type, Value};
use num_traits::{Signed, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// A result that counts rows: `times · rows + plus`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowCount {
    /// The factor; not zero.
    pub times: Rational,
    /// The added constant.
    pub plus: Rational,
}

impl RowCount {
    fn itself() -> Self {
        Self { times: whole(1), plus: Rational::zero() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A number in the query itself, or a key.
    Constant,
    /// A number of rows.
    Rows(RowCount),
    /// A sum of values of these input columns.
    Total(BTreeSet<u32>),
    /// Neither a number of rows nor a total.
    Mean,
    /// May count rows.
    Undecided,
}

/// The columns whose values flow into a value, each with the number of paths, and whether a constant replaces them in
/// some branch of CASE.
#[derive(Debug, Clone, Default)]
struct Flow {
    columns: BTreeMap<u32, u32>,
    is_mixed: bool,
}

impl Query {
    /// The result of an output column as a number of rows; `None` where its structure shows that it does not count
    /// rows.
    #[must_use]
    pub fn row_count(&self, column: usize) -> Option<RowCount> {
        let output = self.output();
        let level = output.levels.first().copied().unwrap_or_default();
        match output.columns.get(column).map_or(Kind::Undecided, |term| self.kind(term, level)) {
            Kind::Rows(count) => Some(count),
            Kind::Undecided => Some(RowCount::itself()),
            Kind::Constant | Kind::Total(_) | Kind::Mean => None,
        }
    }

    /// Whether declared bounds of columns can change the sum of a measure.
    #[must_use]
    pub fn depends_on_bounds(&self, measure: usize) -> bool {
        let arguments = match &self.measures()[measure].kind {
            MeasureKind::Sum { of, .. } => vec![of.argument],
            MeasureKind::Product { of: [one, other], .. } => vec![one.argument, other.argument],
            MeasureKind::Rows
            | MeasureKind::NotNull { .. }
            | MeasureKind::Entities { .. }
            // Clamping keeps the order of values.
            | MeasureKind::Ranked { .. }
            | MeasureKind::Tree { .. } => return false,
        };
        if self.is_per_entity() {
            return false;
        }
        let is_bounded = |column: &u32| match declared(&self.rows.tables, *column as usize) {
            // Values computed from an entity's own rows are within the bounds that follow from those rows.
            Some((0, _)) if self.is_of_entity_rows() => !self.bounded_inside().is_empty(),
            Some((_, column)) => column.bounds.is_some(),
            None => true,
        };
        let flows = self.flows();
        arguments.iter().any(|at| flows[self.rows.arguments[*at].value.position()].columns.keys().any(is_bounded))
    }

    /// Whether every row with a value of one argument has a value of the other; `false` where that is unknown.
    pub fn is_among(&self, argument: usize, other: usize) -> bool {
        // Arguments of a query about entities refer to the rows of entities.
        let value = |argument: usize| self.rows.arguments.get(argument).map(|argument| argument.value);
        !self.is_per_entity()
            && value(argument)
                .zip(value(other))
                .is_some_and(|(one, other)| presence::implies(&self.rows.program, one, other))
    }

    /// Whether an argument is a column or a plain expression of columns, without a condition.
    pub fn is_of_all_rows(&self, argument: usize) -> bool {
        let value = self.rows.arguments[argument].value;
        !matches!(self.rows.program.node(value), Node::Call(Operation::Case, _))
    }

    fn kind(&self, term: &Term, level: usize) -> Kind {
        match term {
            Term::Number(_) | Term::Key(_) | Term::Level | Term::Grouping(_) | Term::Text(_) | Term::Null => {
                Kind::Constant
            }
            Term::Answer(position) => {
                self.answers(level).get(*position).map_or(Kind::Undecided, |of| self.estimated(of))
            }
            Term::Arithmetic(operator, sides) => {
                let [left, right] = &**sides;
                combined(*operator, (self.kind(left, level), literal(left)), (self.kind(right, level), literal(right)))
            }
            Term::Function(function, inner) => of_function(*function, self.kind(inner, level)),
            Term::Window(window) => {
                let Window { function, argument, levels, .. } = &self.output().windows[*window];
                let inner = self.kind(argument, levels.first().copied().unwrap_or(level));
                windowed(*function, inner)
            }
            Term::Case(branches, otherwise) => {
                let values = branches.iter().map(|(_, value)| value).chain([&**otherwise]);
                let chosen = values.map(|value| self.kind(value, level)).reduce(either).unwrap_or(Kind::Constant);
                // Constants that are chosen by a count reveal the count.
                let by_count = || branches.iter().any(|(condition, _)| self.compares_counts(condition, level));
                if chosen == Kind::Constant && by_count() { Kind::Undecided } else { chosen }
            }
            Term::Lookup(of, values) => match self.kind(of, level) {
                Kind::Constant | Kind::Mean | Kind::Total(_) => {
                    values.values().map(|value| self.kind(value, level)).reduce(either).unwrap_or(Kind::Constant)
                }
                Kind::Rows(_) | Kind::Undecided => Kind::Undecided,
            },
        }
    }

    fn compares_counts(&self, condition: &Condition, level: usize) -> bool {
        let counts = |term: &Term| matches!(self.kind(term, level), Kind::Rows(_) | Kind::Undecided);
        match condition {
            Condition::Compare(_, sides) => sides.iter().any(counts),
            Condition::And(sides) | Condition::Or(sides) => sides.iter().any(|side| self.compares_counts(side, level)),
            Condition::Not(inner) => self.compares_counts(inner, level),
            Condition::IsNull(term) | Condition::Holds(term) => counts(term),
        }
    }

    fn estimated(&self, answer: &Estimator) -> Kind {
        match answer {
            Estimator::Count { .. } => Kind::Rows(RowCount::itself()),
            Estimator::Sum { measure } => match &self.measures()[*measure].kind {
                MeasureKind::Sum { of, .. } => self.summed(of.argument),
                _ => Kind::Undecided,
            },
            Estimator::Average(_)
            | Estimator::Weighted(_)
            | Estimator::Variance { .. }
            | Estimator::Regression(_)
            | Estimator::Quantile { .. } => Kind::Mean,
        }
    }

    fn summed(&self, argument: usize) -> Kind {
        let argument = &self.rows.arguments[argument];
        let flows = self.flows();
        let Flow { columns, is_mixed } = &flows[argument.value.position()];
        if let Some(grid) = &argument.grid {
            let is_one_value = grid.low == grid.high || (grid.low >= -1 && grid.high <= 1);
            let most = grid.low.unsigned_abs().max(grid.high.unsigned_abs());
            if (columns.is_empty() || is_one_value) && most > 0 {
                let sign = if grid.high <= 0 { -1 } else { 1 };
                return Kind::Rows(RowCount { times: whole(most) * whole(sign) * &grid.unit, plus: Rational::zero() });
            }
        }
        let is_repeated = columns.values().any(|paths| *paths > 1);
        if columns.is_empty() || *is_mixed || is_repeated || columns.keys().any(|column| self.counts_inside(*column)) {
            return Kind::Undecided;
        }
        if self.is_compared(argument.value, columns) {
            return Kind::Undecided;
        }
        Kind::Total(columns.keys().copied().collect())
    }

    /// Whether a column is a value of an entity that counts the entity's own rows.
    fn counts_inside(&self, column: u32) -> bool {
        let Some(made) = &self.entity_rows else { return false };
        // Column 0 is the entity.
        let fold = (column as usize).checked_sub(1).and_then(|at| made.folds.get(at));
        match fold {
            Some(Fold::Rows | Fold::Present(_) | Fold::Distinct(..) | Fold::Place(_)) => true,
            Some(Fold::Sum(at, _) | Fold::Own(at) | Fold::Shifted { value: at, .. }) => {
                !matches!(made.of.summed(*at), Kind::Total(_))
            }
            Some(
                Fold::Average(_) | Fold::Least(_) | Fold::Greatest(_) | Fold::AtLeast { .. } | Fold::AtGreatest { .. },
            )
            | None => false,
        }
    }

    /// Whether a condition of the query, or of a value, compares one of these columns with a constant: then the sum
    /// counts rows.
    fn is_compared(&self, value: Id, columns: &BTreeMap<u32, u32>) -> bool {
        let program = &self.rows.program;
        let roots: Vec<Id> = self.rows.filters.iter().copied().chain([value]).collect();
        let is_column = |id: &Id| match program.node(*id) {
            Node::Column(column) => columns.contains_key(column),
            Node::Constant(..) | Node::Call(..) => false,
        };
        program.ids().zip(program.reached(&roots)).filter(|(_, is_reached)| *is_reached).any(
            |((_, node), _)| match node {
                Node::Call(
                    Operation::In | Operation::Compare(Comparison::Equal | Comparison::NotDistinct),
                    arguments,
                ) => arguments.iter().any(is_column),
                Node::Column(_) | Node::Constant(..) | Node::Call(..) => false,
            },
        )
    }

    /// The columns that flow into each node of the program.
    fn flows(&self) -> Vec<Flow> {
        let program = &self.rows.program;
        let mut all: Vec<Flow> = Vec::new();
        for (id, node) in program.ids() {
            let flow = match node {
                // A Boolean operand is 0 or 1.
                _ if program.kind(id) == Type::Boolean => Flow::default(),
                Node::Column(column) => Flow { columns: [(*column, 1)].into(), is_mixed: false },
                Node::Constant(..) => Flow::default(),
                Node::Call(Operation::Case, arguments) => {
                    let values = passed_on_by_case(arguments);
                    let has_constant = values.iter().any(|value| match program.constant_of(*value) {
                        Some(Some(Value::Integer(number))) => *number != 0,
                        Some(Some(Value::Decimal(number))) => number.get() != 0.0,
                        _ => false,
                    });
                    let mut flow = joined(&all, &values, u32::max);
                    flow.is_mixed |= has_constant && !flow.columns.is_empty();
                    flow
                }
                Node::Call(Operation::Coalesce | Operation::Least | Operation::Greatest, arguments) => {
                    joined(&all, arguments, u32::max)
                }
                Node::Call(Operation::NullIf, arguments) => joined(&all, &arguments[..1], u32::max),
                // A square grows with its value.
                Node::Call(Operation::Multiply, arguments) if arguments[0] == arguments[1] => {
                    joined(&all, &arguments[..1], u32::max)
                }
                Node::Call(_, arguments) => joined(&all, arguments, u32::saturating_add),
            };
            all.push(flow);
        }
        all
    }
}

fn joined(all: &[Flow], of: &[Id], paths: fn(u32, u32) -> u32) -> Flow {
    let mut joined = Flow::default();
    for id in of {
        let Some(flow) = all.get(id.position()) else { continue };
        joined.is_mixed |= flow.is_mixed;
        for (column, more) in &flow.columns {
            let known = joined.columns.entry(*column).or_default();
            *known = paths(*known, *more);
        }
    }
    joined
}

/// The number of a term without keys and answers.
fn literal(term: &Term) -> Option<Rational> {
    match term {
        Term::Number(value) => Some(value.clone()),
        Term::Arithmetic(operator, sides) => {
            let (left, right) = (literal(&sides[0])?, literal(&sides[1])?);
            match operator {
                Operator::Add => Some(left + right),
                Operator::Subtract => Some(left - right),
                Operator::Multiply => Some(left * right),
                Operator::Divide => (!right.is_zero()).then(|| left / right),
            }
        }
        _ => None,
    }
}

/// `times · count + plus`, if that still depends on the count.
fn scaled(RowCount { times, plus }: &RowCount, by: &Rational) -> Kind {
    if by.is_zero() {
        return Kind::Undecided;
    }
    Kind::Rows(RowCount { times: times * by, plus: plus * by })
}

fn combined(operator: Operator, left: (Kind, Option<Rational>), right: (Kind, Option<Rational>)) -> Kind {
    use Kind::{Constant, Mean, Rows, Total, Undecided};
    use Operator::{Add, Divide, Multiply, Subtract};
    let ((left, left_value), (right, right_value)) = (left, right);
    match (operator, left, right) {
        (_, Constant, Constant) => Constant,
        (Add | Subtract, Rows(count), Constant) => right_value.map_or(Undecided, |by| {
            let by = if operator == Add { by } else { -by };
            Rows(RowCount { plus: count.plus + by, ..count })
        }),
        (Add, Constant, Rows(count)) => {
            left_value.map_or(Undecided, |by| Rows(RowCount { plus: count.plus + by, ..count }))
        }
        (Subtract, Constant, Rows(count)) => {
            left_value.map_or(Undecided, |by| Rows(RowCount { times: -count.times, plus: by - count.plus }))
        }
        (Multiply, Rows(count), Constant) => right_value.map_or(Undecided, |by| scaled(&count, &by)),
        (Multiply, Constant, Rows(count)) => left_value.map_or(Undecided, |by| scaled(&count, &by)),
        (Divide, Rows(count), Constant) => {
            right_value.filter(|by| !by.is_zero()).map_or(Undecided, |by| scaled(&count, &by.recip()))
        }
        // Where a column flows into only one of them, their sum or difference depends on its values.
        (Add | Subtract, Total(one), Total(other)) => {
            if one == other {
                Undecided
            } else {
                Total(one.union(&other).copied().collect())
            }
        }
        (Add | Subtract | Multiply, Total(columns), Constant)
        | (Add | Subtract | Multiply, Constant, Total(columns))
        | (Divide, Total(columns), Constant) => Total(columns),
        (Divide, Rows(one), Rows(other)) if one.plus.is_zero() && other.plus.is_zero() => Mean,
        (Divide, Total(_), Rows(count)) | (Divide, Rows(count), Total(_)) if count.plus.is_zero() => Mean,
        (Divide, Total(_), Total(_)) => Mean,
        (_, Mean, Mean | Constant) | (_, Constant, Mean) => Mean,
        _ => Undecided,
    }
}

fn of_function(function: Function, inner: Kind) -> Kind {
    match (function, inner) {
        (Function::Round(_) | Function::Floor | Function::Ceil, inner) => inner,
        (Function::Absolute, Kind::Rows(RowCount { times, plus })) if plus.is_zero() => {
            Kind::Rows(RowCount { times: times.abs(), plus })
        }
        (Function::Absolute, Kind::Rows(_)) => Kind::Undecided,
        (Function::Absolute, inner) => inner,
        (Function::Ln | Function::Exp | Function::Sqrt, inner @ (Kind::Constant | Kind::Mean)) => inner,
        (Function::Ln | Function::Exp | Function::Sqrt, _) => Kind::Undecided,
    }
}

fn windowed(function: WindowFunction, inner: Kind) -> Kind {
    match function {
        // The number of result rows, and positions among them, do not count rows of the data.
        WindowFunction::Count
        | WindowFunction::Present
        | WindowFunction::Rank
        | WindowFunction::DenseRank
        | WindowFunction::RowNumber
        | WindowFunction::Tile(_)
        | WindowFunction::PercentRank
        | WindowFunction::CumulativeShare => Kind::Mean,
        WindowFunction::Lag(_)
        | WindowFunction::FromStart(_)
        | WindowFunction::Last
        | WindowFunction::Only
        | WindowFunction::Least
        | WindowFunction::Greatest => inner,
        WindowFunction::Sum | WindowFunction::Average => match inner {
            Kind::Constant | Kind::Mean => Kind::Mean,
            Kind::Rows(count) if count.plus.is_zero() => Kind::Rows(count),
            Kind::Rows(_) | Kind::Undecided => Kind::Undecided,
            Kind::Total(columns) => Kind::Total(columns),
        },
    }
}

/// The kind of a choice between two results.
fn either(one: Kind, other: Kind) -> Kind {
    match (one, other) {
        (one, other) if one == other => one,
        (Kind::Constant, kind) | (kind, Kind::Constant) => kind,
        (Kind::Rows(_) | Kind::Undecided, _) | (_, Kind::Rows(_) | Kind::Undecided) => Kind::Undecided,
        (Kind::Total(one), Kind::Total(other)) => Kind::Total(one.union(&other).copied().collect()),
        (Kind::Total(columns), Kind::Mean) | (Kind::Mean, Kind::Total(columns)) => Kind::Total(columns),
        (Kind::Mean, Kind::Mean) => Kind::Mean,
    }
}
