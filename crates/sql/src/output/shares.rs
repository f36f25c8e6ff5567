//! Parts of a whole: a number of rows over a number that contains them is between 0 and 1, with and without noise.
//!
//! The bound of the exact answers follows from the query alone, so intervals are cut there and keep their coverage.

use super::evaluate::{Evaluator, Place, cut};
use super::number::Number;
use super::{Function, Operator, Term, Window, WindowFunction};
use crate::plan::{Estimator, MeasureKind};
use deniable_core::exact::Rational;
use num_traits::{One, Signed, Zero};

impl Evaluator<'_> {
    /// Clamps a part of a whole to its possible values; returns the number unchanged for other terms.
    pub(super) fn within_whole(&self, number: Number, term: &Term, row: Place) -> Number {
        let Some([low, high]) = self.share_ends(term, row) else { return number };
        let estimate = number.estimate.map(|estimate| estimate.clamp(low.clone(), high.clone()));
        match (number.low, number.high) {
            (Some(least), Some(most)) => cut(estimate, least, most, &low, &high),
            (least, most) => {
                cut(estimate, least.unwrap_or_else(|| low.clone()), most.unwrap_or_else(|| high.clone()), &low, &high)
            }
        }
    }

    /// The least and the greatest value that a part of a whole, times a constant, can have; `None` for other terms.
    fn share_ends(&self, term: &Term, row: Place) -> Option<[Rational; 2]> {
        let constant = |term: &Term| self.query.constant(term, row);
        match term {
            Term::Arithmetic(Operator::Multiply, sides) => {
                let [left, right] = &**sides;
                match (constant(left), constant(right)) {
                    (Some(factor), None) => self.share_ends(right, row).map(|ends| scaled(&ends, &factor)),
                    (None, Some(factor)) => self.share_ends(left, row).map(|ends| scaled(&ends, &factor)),
                    _ => None,
                }
            }
            Term::Arithmetic(Operator::Divide, sides) => {
                let [part, all] = &**sides;
                if let Some(divisor) = constant(all) {
                    let ends = self.share_ends(part, row).filter(|_| !divisor.is_zero())?;
                    return Some(scaled(&ends, &divisor.recip()));
                }
                let ((factor, part), (divisor, all)) = (self.without_factor(part, row), self.without_factor(all, row));
                let is_share = !divisor.is_zero() && self.is_part(part, all, row);
                is_share.then(|| scaled(&[Rational::zero(), Rational::one()], &(factor / divisor)))
            }
            // These functions grow with their argument.
            Term::Function(function @ (Function::Round(_) | Function::Floor | Function::Ceil), inner) => {
                let end = |end: Rational| Number::exact(Some(end)).apply(*function).estimate;
                let [low, high] = self.share_ends(inner, row)?.map(end);
                Some([low?, high?])
            }
            Term::Function(..)
            | Term::Arithmetic(Operator::Add | Operator::Subtract, _)
            | Term::Key(_)
            | Term::Answer(_)
            | Term::Number(_)
            | Term::Text(_)
            | Term::Level
            | Term::Window(_)
            | Term::Grouping(_)
            | Term::Null
            | Term::Case(..)
            | Term::Lookup(..) => None,
        }
    }

    /// A term without the constant that it is multiplied with.
    fn without_factor<'t>(&self, term: &'t Term, row: Place) -> (Rational, &'t Term) {
        if let Term::Arithmetic(Operator::Multiply, sides) = term {
            let [left, right] = &**sides;
            match (self.query.constant(left, row), self.query.constant(right, row)) {
                (Some(factor), None) => return (factor, right),
                (None, Some(factor)) => return (factor, left),
                _ => {}
            }
        }
        (Rational::one(), term)
    }

    /// Whether the rows or values of one answer are a part of those of the other term.
    fn is_part(&self, part: &Term, all: &Term, row: Place) -> bool {
        let Term::Answer(own) = part else { return false };
        let Some(part_kind) = self.counted(row.level, *own) else { return false };
        match all {
            Term::Answer(other) => {
                let all_kind = self.counted(row.level, *other);
                all_kind.is_some_and(|all_kind| part_kind == all_kind || contains(all_kind, part_kind))
            }
            Term::Window(window) => {
                let Window { function, argument, levels, .. } = &self.query.output().windows[*window];
                let Term::Answer(other) = argument else { return false };
                match function {
                    // The rows that are added up have this one among them.
                    WindowFunction::Sum => own == other && levels.contains(&row.level),
                    // A total: of one row, and of all groups. Where each level is capped on its own, the caps can
                    // choose other rows for the total: not fewer of all rows, but fewer that satisfy a condition, or
                    // ones with smaller values.
                    WindowFunction::Only => levels.iter().all(|level| {
                        let is_of_same_rows = self.query.entity().is_none() || self.query.is_capped_together();
                        let is_whole = |all: &MeasureKind| {
                            contains(all, part_kind) || (part_kind == all && (is_of_same_rows || is_of_all(all)))
                        };
                        self.query.levels()[*level].is_empty() && self.counted(*level, *other).is_some_and(is_whole)
                    }),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// The measure of a count, or of a sum of values that are not negative.
    fn counted(&self, level: usize, answer: usize) -> Option<&MeasureKind> {
        let measure = match self.query.answers(level).get(answer)? {
            Estimator::Count { measure } | Estimator::Sum { measure } => *measure,
            Estimator::Average(_)
            | Estimator::Weighted(_)
            | Estimator::Variance { .. }
            | Estimator::Regression(_)
            | Estimator::Quantile { .. } => return None,
        };
        let kind = &self.query.measures()[measure].kind;
        match kind {
            MeasureKind::Sum { range, .. } if range.low < 0 => None,
            _ => Some(kind),
        }
    }
}

/// Whether all rows, or entities, are counted.
fn is_of_all(kind: &MeasureKind) -> bool {
    matches!(kind, MeasureKind::Rows | MeasureKind::Entities { present: None })
}

/// Whether all rows, or entities, are counted, and the other counts some of them.
fn contains(all: &MeasureKind, part: &MeasureKind) -> bool {
    matches!(
        (all, part),
        (MeasureKind::Rows, MeasureKind::NotNull { .. })
            | (MeasureKind::Entities { present: None }, MeasureKind::Entities { .. })
    )
}

fn scaled([low, high]: &[Rational; 2], factor: &Rational) -> [Rational; 2] {
    let ends = [low * factor, high * factor];
    if factor.is_negative() {
        let [high, low] = ends;
        return [low, high];
    }
    ends
}
