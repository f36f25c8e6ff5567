//! Bounds of a term that follow from its form: a number of rows over a number that contains them is between 0 and 1, a
//! sum of values over their number is between the bounds of the values, and a quantile is at least every quantile of a
//! lower rank.
//!
//! The bound of the exact answers follows from the query alone, so intervals are cut there and keep their coverage.

use crate::evaluate::{Evaluator, Place, constant, cut};
use crate::number::Number;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_query::output::{Function, Operator, Term, Window, WindowFunction};
use deniable_query::{Estimator, Measure, MeasureKind, Target};
use num_traits::{One, Signed, Zero};

impl Evaluator<'_> {
    /// Clamps the number to the bounds of its term's form; returns it unchanged where the form bounds nothing.
    pub(crate) fn within_whole(&self, number: Number, term: &Term, row: Place) -> Number {
        let Some([low, high]) = self.form_ends(term, row) else { return number };
        let estimate = number.estimate.map(|estimate| estimate.clamp(low.clone(), high.clone()));
        match (number.low, number.high) {
            (Some(least), Some(most)) => cut(estimate, least, most, &low, &high),
            (least, most) => {
                cut(estimate, least.unwrap_or_else(|| low.clone()), most.unwrap_or_else(|| high.clone()), &low, &high)
            }
        }
    }

    /// The least and the greatest value of a term by its form, also with constant factors and summands; `None` where
    /// the form gives no bounds.
    fn form_ends(&self, term: &Term, row: Place) -> Option<[Rational; 2]> {
        let constant = |term: &Term| constant(self.query, term, row);
        match term {
            Term::Arithmetic(Operator::Multiply, sides) => {
                let [left, right] = &**sides;
                match (constant(left), constant(right)) {
                    (Some(factor), None) => self.form_ends(right, row).map(|ends| scaled(&ends, &factor)),
                    (None, Some(factor)) => self.form_ends(left, row).map(|ends| scaled(&ends, &factor)),
                    _ => None,
                }
            }
            Term::Arithmetic(Operator::Divide, sides) => {
                let [part, all] = &**sides;
                if let Some(divisor) = constant(all) {
                    let ends = self.form_ends(part, row).filter(|_| !divisor.is_zero())?;
                    return Some(scaled(&ends, &divisor.recip()));
                }
                let ((factor, part), (divisor, all)) = (self.without_factor(part, row), self.without_factor(all, row));
                let ends = self.ratio_ends(part, all, row).filter(|_| !divisor.is_zero())?;
                Some(scaled(&ends, &(factor / divisor)))
            }
            Term::Arithmetic(Operator::Subtract, sides) => {
                let [left, right] = &**sides;
                match (constant(left), constant(right)) {
                    (Some(whole), None) => self.form_ends(right, row).map(|[low, high]| [&whole - high, &whole - low]),
                    (None, Some(less)) => self.form_ends(left, row).map(|ends| ends.map(|end| end - &less)),
                    _ => self.order_ends(left, right, row),
                }
            }
            Term::Arithmetic(Operator::Add, sides) => {
                let [left, right] = &**sides;
                match (constant(left), constant(right)) {
                    (Some(more), None) => self.form_ends(right, row).map(|ends| ends.map(|end| end + &more)),
                    (None, Some(more)) => self.form_ends(left, row).map(|ends| ends.map(|end| end + &more)),
                    _ => None,
                }
            }
            // These functions are increasing.
            Term::Function(function @ (Function::Round(_) | Function::Floor | Function::Ceil), inner) => {
                let end = |end: Rational| Number::exact(Some(end)).apply(*function).estimate;
                let [low, high] = self.form_ends(inner, row)?.map(end);
                Some([low?, high?])
            }
            Term::Function(..)
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

    /// The constant factor of a term, and the rest of the term.
    fn without_factor<'t>(&self, term: &'t Term, row: Place) -> (Rational, &'t Term) {
        if let Term::Arithmetic(Operator::Multiply, sides) = term {
            let [left, right] = &**sides;
            match (constant(self.query, left, row), constant(self.query, right, row)) {
                (Some(factor), None) => return (factor, right),
                (None, Some(factor)) => return (factor, left),
                _ => {}
            }
        }
        (Rational::one(), term)
    }

    /// Bounds of the difference of two quantiles of the same values: the one of the higher rank is at least the other.
    fn order_ends(&self, left: &Term, right: &Term, row: Place) -> Option<[Rational; 2]> {
        let ((one, measure), (other, beside)) = (self.rank_of(left, row)?, self.rank_of(right, row)?);
        (self.argument_of(measure) == self.argument_of(beside)).then_some(())?;
        let (low, high) = self.query.bounds(measure);
        let span = high - low;
        match one.cmp(&other) {
            std::cmp::Ordering::Greater => Some([Rational::zero(), span]),
            std::cmp::Ordering::Less => Some([-span, Rational::zero()]),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// The rank of a quantile, below 0 for the least and above 1 for the greatest value, and its measure.
    fn rank_of(&self, term: &Term, row: Place) -> Option<(Rational, usize)> {
        let Term::Answer(position) = term else { return None };
        let Estimator::Quantile { measure, position, .. } = self.query.answers(row.level).get(*position)? else {
            return None;
        };
        let target = match &self.query.measures()[*measure].kind {
            MeasureKind::Ranked { target, .. } => *target,
            MeasureKind::Tree { shares, .. } => Target::Share(*shares.get(*position)?),
            _ => return None,
        };
        let rank = match target {
            Target::Share(share) => whole(share.part) / whole(share.whole),
            Target::Lowest => ratio(-1, 1),
            Target::Highest => whole(2),
        };
        Some((rank, *measure))
    }

    fn argument_of(&self, measure: usize) -> Option<usize> {
        match self.query.measures()[measure].kind {
            MeasureKind::Ranked { argument, .. } | MeasureKind::Tree { argument, .. } => Some(argument),
            _ => None,
        }
    }

    /// Bounds of the quotient of two terms, where the divisor counts at least the rows that the dividend includes.
    fn ratio_ends(&self, part: &Term, all: &Term, row: Place) -> Option<[Rational; 2]> {
        if let Term::Answer(other) = all {
            let Term::Answer(own) = part else { return None };
            return self.mean_ends(self.measure_of(row.level, *own)?, self.measure_of(row.level, *other)?);
        }
        self.is_part(part, all, row).then(|| [Rational::zero(), Rational::one()])
    }

    /// Bounds of the quotient of two measures: 0 and 1 for a part of a count, the bounds of the values for their sum
    /// over their number.
    fn mean_ends(&self, part: &Measure, all: &Measure) -> Option<[Rational; 2]> {
        let is_among = |one: usize, other: usize| self.query.is_among(one, other);
        let share = || Some([Rational::zero(), Rational::one()]);
        match (&all.kind, &part.kind) {
            (all, part) if all == part && self.counts(all) => share(),
            (all, part) if contains(all, part) => share(),
            (MeasureKind::NotNull { argument: all }, MeasureKind::NotNull { argument: part })
            | (MeasureKind::Entities { present: Some(all) }, MeasureKind::Entities { present: Some(part) })
                if is_among(*part, *all) =>
            {
                share()
            }
            (MeasureKind::Rows, MeasureKind::Sum { range, .. }) => {
                Some([range.low.min(0), range.high.max(0)].map(|end| whole(end) * &part.unit))
            }
            (MeasureKind::NotNull { argument }, MeasureKind::Sum { of, range }) if is_among(of.argument, *argument) => {
                // If some counted rows have no value to add, they add 0.
                let ends = if is_among(*argument, of.argument) {
                    [range.low, range.high]
                } else {
                    [range.low.min(0), range.high.max(0)]
                };
                Some(ends.map(|end| whole(end) * &part.unit))
            }
            _ => None,
        }
    }

    /// Whether a measure is a count, or a sum of non-negative values.
    fn counts(&self, kind: &MeasureKind) -> bool {
        match kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Entities { .. } => true,
            MeasureKind::Sum { range, .. } => range.low >= 0,
            _ => false,
        }
    }

    /// Whether what one answer counts is a part of what the window beside it counts.
    fn is_part(&self, part: &Term, all: &Term, row: Place) -> bool {
        let Term::Answer(own) = part else { return false };
        let Some(part_kind) = self.counted(row.level, *own) else { return false };
        match all {
            Term::Window(window) => {
                let Window { function, argument, frame, levels, .. } = &self.query.output().windows[*window];
                let Term::Answer(other) = argument else { return false };
                match function {
                    // The summed rows include this row.
                    WindowFunction::Sum => own == other && levels.contains(&row.level) && frame.contains_its_row(),
                    // A total in one row, over all groups. If each level is capped separately, the caps can choose
                    // other rows for the total: at least as many rows, but possibly fewer that satisfy a condition, or
                    // rows with smaller values.
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
        let kind = &self.measure_of(level, answer)?.kind;
        self.counts(kind).then_some(kind)
    }

    /// The measure of a count or a sum.
    fn measure_of(&self, level: usize, answer: usize) -> Option<&Measure> {
        match self.query.answers(level).get(answer)? {
            Estimator::Count { measure } | Estimator::Sum { measure } => self.query.measures().get(*measure),
            Estimator::Average(_)
            | Estimator::Weighted(_)
            | Estimator::Variance { .. }
            | Estimator::Regression(_)
            | Estimator::Quantile { .. } => None,
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
