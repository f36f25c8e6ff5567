//! The quality class of a released number, from all public facts that limit its accuracy.
//!
//! | fact | effect |
//! |---|---|
//! | the standard error of the noise, and the interval | the larger of the two errors decides the class |
//! | an interval that is open, or contains 0 or all possible values | not usable: noise alone could give the number |
//! | a rank | its error relative to the rows of the cell, by a noisy count or a public guess; without either not usable |
//! | caps or bounds that can leave rows or values out | "bias unknown", until a public statement bounds the loss |
//! | capped rows divided by a number of entities | the same, and a statement about all queries does not suffice |
//!
//! A class follows from the policy, the query and noisy numbers alone (C-3). It does not depend on whether caps and
//! bounds leave something out of the data, only on whether they can.

use crate::notes::LeftOutCount;
use crate::plan::{Plan, QueryPlan};
use crate::rows_each::is_rows_each;
use crate::typical::own_rows;
use deniable_answers::{Limits, ShownValue};
use deniable_core::exact::{Rational, whole};
use deniable_core::sensitivity::Caps;
use deniable_policy::Quality as Classes;
use deniable_publication::Quality;
use deniable_query::output::Term;
use deniable_query::{MeasureKind, ValueKind};
use num_traits::{Signed, ToPrimitive, Zero};

/// The public facts from which the numbers of a column are classed.
pub(crate) struct Judge<'a> {
    classes: &'a Classes,
    /// The reach of a two-sided geometric noise at the policy's confidence, in standard errors.
    reach: Rational,
    left_out: LeftOut,
    /// The rows of a cell by a public guess, and whether it is shared by several cells.
    typical_rows: Option<(Rational, bool)>,
    /// The largest part that caps and bounds leave out, by a public guess.
    stated: Option<Rational>,
}

/// The part of a number that caps and bounds leave out.
enum LeftOut {
    Nothing,
    /// At most this part of the true number.
    Part(Rational),
    /// At most this amount, in the number's own units.
    Count(Rational),
    Unknown(Unbounded),
}

/// The reason why no public statement bounds what caps and bounds leave out of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unbounded {
    /// There is no statement.
    Loss,
    /// The number divides capped rows by entities: a general statement is not about such averages.
    RowsEach,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(plan: &'a Plan, planned: &QueryPlan, term: &Term, counted: Option<&LeftOutCount>) -> Self {
        let policy = plan.policy();
        let outside = 1.0 - policy.confidence().to_f64().unwrap_or_default();
        let reach = Rational::from_float(-outside.ln() / std::f64::consts::SQRT_2).unwrap_or_else(Rational::zero);
        let own = planned.declared().typical_left_out.clone();
        let is_rows_each = is_rows_each(planned.query(), term);
        let general = policy.quality().typical_left_out.clone().filter(|_| !is_rows_each);
        let stated = own.or(general);
        let left_out = match (loses(plan, planned, term), &stated) {
            (Loses::Nothing, _) => LeftOut::Nothing,
            (_, Some(part)) => LeftOut::Part(part.clone()),
            // Each entity that loses groups is missing at most once in each of them.
            (Loses::Entities, None) => {
                counted.map_or(LeftOut::Unknown(Unbounded::Loss), |counted| LeftOut::Count(counted.most_beyond()))
            }
            (Loses::Rows, None) if is_rows_each => LeftOut::Unknown(Unbounded::RowsEach),
            (Loses::Rows, None) => LeftOut::Unknown(Unbounded::Loss),
        };
        let part = planned.typical_share();
        let cells =
            planned.query().output().levels.iter().map(|level| planned.query().cells(*level)).max().unwrap_or(1);
        // A guess at all rows does not describe those that conditions leave, unless the policy states their part.
        let is_described = planned.declared().typical_share.is_some() || planned.query().ranks_all_rows();
        let typical_rows = own_rows(planned.query(), policy)
            .filter(|_| is_described)
            .map(|rows| (rows * part / whole(cells.max(1)), cells > 1));
        Self { classes: policy.quality(), reach, left_out, typical_rows, stated }
    }

    /// Why no public statement bounds what caps or bounds can leave out; `None` if one does.
    pub(crate) fn unbounded(&self) -> Option<Unbounded> {
        match self.left_out {
            LeftOut::Unknown(reason) => Some(reason),
            LeftOut::Nothing | LeftOut::Part(_) | LeftOut::Count(_) => None,
        }
    }

    /// The stated part that the classes rest on; `None` if they rest on none.
    pub(crate) fn stated(&self) -> Option<&Rational> {
        match &self.left_out {
            LeftOut::Part(part) => Some(part),
            LeftOut::Nothing | LeftOut::Count(_) | LeftOut::Unknown(_) => None,
        }
    }

    /// The part of a true number that caps and bounds leave out, in the sense of the stated part: the class of `shown`,
    /// the number without noise, allows for an error of `part / (1 - part)` of its size.
    pub(crate) fn part_left_out(&self, shown: &ShownValue, answer: &Rational, truth: &Rational) -> Rational {
        let error = (answer - truth).abs();
        let is_number = matches!(shown, ShownValue::Number { value: ValueKind::Number, .. });
        let of_truth = match truth.is_zero() {
            true => whole(1),
            false if is_number => &error / truth.abs(),
            false => Rational::zero(),
        };
        let of_size = size(shown).map_or_else(Rational::zero, |size| &error / (size + &error));
        of_truth.max(of_size)
    }

    /// The class of a number; `None` for exact numbers and for numbers without a value.
    pub(crate) fn class(&self, shown: &ShownValue) -> Option<Quality> {
        let ShownValue::Number { estimate, low, high, rows, deviation, value: kind, limits, .. } = shown else {
            return None;
        };
        let value = estimate.as_ref()?;
        if let Some(rows) = rows {
            return Some(self.of_rank(&whole(rows.clone()), limits, limits.is_at_bound));
        }
        let (Some(low), Some(high)) = (low, high) else { return Some(Quality::Unusable) };
        if low == high && deviation.is_none() {
            return None;
        }
        let covers = |end: &Option<Rational>, is_covered: fn(&Rational, &Rational) -> bool, by: &Rational| {
            end.as_ref().is_some_and(|end| is_covered(by, end))
        };
        let is_everything =
            covers(&limits.low, |by, end| by <= end, low) && covers(&limits.high, |by, end| by >= end, high);
        let has_zero = *kind == ValueKind::Number && !low.is_positive() && !high.is_negative();
        if is_everything || has_zero {
            return Some(Quality::Unusable);
        }
        let Some(size) = size(shown) else { return Some(Quality::Unusable) };
        let wide = (value - low).max(high - value);
        let wide = if self.reach.is_positive() { wide / &self.reach } else { Rational::zero() };
        let error = deviation.as_deref().cloned().unwrap_or_else(Rational::zero).max(wide);
        Some(self.with_left_out(error, &size, false))
    }

    /// The class of a value at this distance, in rows, from the wanted rank.
    fn of_rank(&self, off: &Rational, limits: &Limits, is_at_bound: bool) -> Quality {
        let counted = limits.rows.as_ref().map(|(rows, reach)| (whole(rows.clone()) - whole(reach.clone()), false));
        // A guess for several cells together describes no single cell.
        let Some((rows, is_shared)) = counted.or_else(|| self.typical_rows.clone()) else { return Quality::Unusable };
        // A value half of the rows away from the wanted rank may be anywhere.
        if !rows.is_positive() || off * whole(2) >= rows {
            return Quality::Unusable;
        }
        let class = self.with_left_out(off.clone(), &rows, is_at_bound);
        if is_shared { class.max(Quality::C) } else { class }
    }

    /// The class of this error relative to a number of this size, including what caps and bounds leave out.
    fn with_left_out(&self, error: Rational, size: &Rational, is_at_bound: bool) -> Quality {
        let part = |part: &Rational| size * part / (whole(1) - part);
        let left_out = match (&self.left_out, is_at_bound) {
            (LeftOut::Nothing, false) => Some(Rational::zero()),
            (LeftOut::Part(most), _) => Some(part(most)),
            (LeftOut::Count(most), false) => Some(most.clone()),
            // A quantile at a bound may be beyond it.
            (LeftOut::Nothing | LeftOut::Count(_), true) => self.stated.as_ref().map(part),
            (LeftOut::Unknown(_), _) => None,
        };
        match left_out {
            Some(left_out) => self.of_error(&(error + left_out), size),
            None if self.of_error(&error, size) == Quality::Unusable => Quality::Unusable,
            None => Quality::BiasUnknown,
        }
    }

    fn of_error(&self, error: &Rational, size: &Rational) -> Quality {
        let within = |most: &Rational| *error <= most * size;
        match () {
            () if within(&self.classes.a) => Quality::A,
            () if within(&self.classes.b) => Quality::B,
            () if within(&self.classes.c) => Quality::C,
            () => Quality::Unusable,
        }
    }
}

/// The size that the error of a number is relative to; `None` if it has none. It is the largest possible error where
/// that is smaller than the number: its bounds are far from zero, as those of years.
fn size(shown: &ShownValue) -> Option<Rational> {
    let ShownValue::Number { estimate: Some(value), value: kind, limits, .. } = shown else { return None };
    let furthest = limits.low.as_ref().zip(limits.high.as_ref()).map(|(low, high)| (value - low).max(high - value));
    match (furthest, kind) {
        (Some(furthest), ValueKind::Number) => Some(furthest.min(value.abs())),
        (Some(furthest), ValueKind::Date | ValueKind::Timestamp) => Some(furthest),
        (None, ValueKind::Number) => Some(value.abs()),
        (None, ValueKind::Date | ValueKind::Timestamp) => None,
    }
}

/// The losses that caps and bounds can cause in a column, from the policy and the query alone.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Loses {
    Nothing,
    /// Entities that have rows in more groups than count.
    Entities,
    /// Rows or parts of values.
    Rows,
}

fn loses(plan: &Plan, planned: &QueryPlan, term: &Term) -> Loses {
    let query = planned.query();
    // Queries per entity have caps and bounds without losses.
    if query.is_per_entity() {
        return Loses::Nothing;
    }
    let is_capped = plan.policy().entity().is_some() && !query.is_of_entity_rows();
    let Caps { groups, .. } = query.caps();
    let is_below = |cells: usize| usize::try_from(groups).is_ok_and(|groups| groups < cells);
    let together = || query.groups().iter().map(|group| group.keys.len()).product();
    let of_measure = |at: usize| {
        let measure = &query.measures()[at];
        let cells = if query.is_capped_together() { together() } else { query.cells(measure.level) };
        match measure.kind {
            _ if query.rows_in_joins().is_some() || query.depends_on_bounds(at) => Loses::Rows,
            MeasureKind::Entities { .. } if is_capped && is_below(cells) => Loses::Entities,
            MeasureKind::Entities { .. } => Loses::Nothing,
            _ if is_capped => Loses::Rows,
            _ => Loses::Nothing,
        }
    };
    // A column may rest on other levels of the output and, through windows, on other columns.
    let measures = query.output().levels.iter().flat_map(|level| query.measures_of(term, *level));
    let most = measures.map(of_measure).max().unwrap_or(Loses::Nothing);
    // Arithmetic on counts of entities can lose more than one for each entity.
    if most == Loses::Entities && !matches!(term, Term::Answer(_)) { Loses::Rows } else { most }
}
