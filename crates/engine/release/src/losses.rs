//! Large losses: where caps or bounds leave out more than [`MOST_LEFT_OUT`] of a query, a curator decides before a
//! version is registered.
//!
//! The decision is the curator's, and is made while a version is registered, by `deniable data check` or a release of
//! the policy. Nothing else computes losses or reads the recorded names: near the limit a single row decides, and an
//! answer, a price or a refusal would reveal it.

use crate::plan::{Plan, QueryPlan};
use crate::quality::Judge;
use deniable_answers::{ShownValue, SumLoss, Summed, TrueErrors};
use deniable_core::exact::{Rational, Rounding, percent, ratio, whole};
use deniable_core::sensitivity::Caps;
use deniable_execute::{ClampedValues, Losses};
use deniable_publication::Quality;
use deniable_query::{MeasureKind, QuantileShare, Query, Target};
use num_traits::Zero;
use std::fmt;

/// The largest part of a query's rows, entities or sum, in percent, that caps and bounds may leave out of a version that
/// is registered without a curator's acceptance.
pub const MOST_LEFT_OUT: u32 = 10;

/// The purpose of the digests of queries in accepted names.
const LOSS: &str = "deniable 2026-11 accepted loss of a query";

/// A query of which caps or bounds leave out more than [`MOST_LEFT_OUT`]. Exact, and dependent on private rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeLoss {
    /// The query's name.
    pub query: String,
    /// The quantity that is left out.
    pub of: Quantity,
    /// The part of it that is left out.
    pub part: Rational,
    /// The caps and bounds that leave it out.
    pub by: Vec<Cause>,
}

/// A quantity of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// Rows.
    Rows,
    /// Entities, by their key, each in every group that counts it.
    Entities(String),
    /// The sum of this expression.
    Sum(String),
    /// The values of this expression that are ranked.
    Values(String),
    /// A shown number of which more is left out than the policy states.
    Number(Understated),
}

/// A number of which caps and bounds leave out more than its class of quality rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Understated {
    /// The column.
    pub column: String,
    /// The keys of its cell, as text; empty for the only cell, and if the loss is that of all cells together.
    pub cell: String,
    /// Whether the loss is a part of the rows of all cells together, and not a change of the number: for ranks, and for
    /// queries whose true numbers are not computed.
    pub is_of_rows: bool,
    /// The part that the policy states: `typical_left_out`.
    pub stated: Rational,
    /// The number of cells of the column of which more is left out.
    pub cells: usize,
}

/// A cap, or bounds, that leave something out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The cap on the rows of an entity in a group.
    RowsPerGroup(u32),
    /// The cap on the groups of an entity.
    Groups(u32),
    /// The bounds of this expression.
    Bounds(String),
    /// Values of GROUP BY that are NULL, not declared, or outside bounds.
    NoGroup,
    /// An inner join with a public table that has no row for them.
    NoPartner,
    /// The period of the data, by its name.
    Period(String),
}

impl Quantity {
    /// The quantity in words, within a sentence.
    fn in_words(&self) -> String {
        match self {
            Self::Rows => "its rows".to_owned(),
            Self::Entities(key) => format!("its entities, by `{key}`"),
            Self::Sum(expression) => format!("the sum of {expression}"),
            Self::Values(expression) => format!("the ranked values of {expression}"),
            Self::Number(Understated { column, cell, .. }) if cell.is_empty() => format!("`{column}`"),
            Self::Number(Understated { column, cell, .. }) => format!("`{column}` in {cell}"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowsPerGroup(rows) => write!(f, "`rows_per_group = {rows}`"),
            Self::Groups(groups) => write!(f, "`groups = {groups}`"),
            Self::Bounds(expression) => write!(f, "the bounds of {expression}"),
            Self::NoGroup => write!(f, "values in no declared group"),
            Self::NoPartner => write!(f, "keys that a joined public table does not list"),
            Self::Period(period) => write!(f, "the period {period}"),
        }
    }
}

impl fmt::Display for LargeLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { query, of, part, by } = self;
        let by: Vec<String> = by.iter().map(Cause::to_string).collect();
        let by = if by.is_empty() { "its caps and bounds".to_owned() } else { by.join(" and ") };
        let verb = if self.by.len() == 1 && !matches!(self.by[0], Cause::Bounds(_) | Cause::NoGroup | Cause::NoPartner)
        {
            "leaves"
        } else {
            "leave"
        };
        let part = percent(part, 1, Rounding::Up);
        if let Quantity::Number(Understated { stated, cells, is_of_rows, .. }) = of {
            let stated = percent(stated, 1, Rounding::Nearest);
            let of = of.in_words();
            if *is_of_rows {
                write!(f, "{query}: {by} leave out {part} of the rows behind {of}")?;
            } else {
                write!(f, "{query}: {by} change {of} by {part}")?;
            }
            write!(f, ", more than `typical_left_out = \"{stated}\"`")?;
            return if *cells > 1 { write!(f, ", in {cells} cells") } else { Ok(()) };
        }
        write!(f, "{query}: {by} {verb} out {part} of {}", of.in_words())
    }
}

/// The name under which the ledger records that a curator accepts the losses of a query. It depends on the query with
/// its caps, bounds and keys, and on the part that the policy states, so that an edited query or statement is accepted
/// anew; not on the losses.
pub(crate) fn recorded_name(plan: &Plan, planned: &QueryPlan) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(LOSS);
    hasher.update(planned.query().canonical());
    let stated = planned.declared().typical_left_out.as_ref().or(plan.policy().quality().typical_left_out.as_ref());
    if let Some(stated) = stated {
        hasher.update(stated.to_string().as_bytes());
    }
    let digest = hasher.finalize().to_hex();
    format!("loss:{}#{}", planned.declared().name, &digest[..16])
}

/// The largest part that may be left out.
fn most() -> Rational {
    ratio(MOST_LEFT_OUT.into(), 100)
}

/// The large losses of a repeated query because of rows that are not of its period: most often, `path` is the file of
/// another one. `all` counts the rows of all days.
pub(crate) fn outside_period(planned: &QueryPlan, own: &Losses, all: &Losses) -> Option<LargeLoss> {
    let node = planned.declared().every.as_ref()?;
    let outside = whole(all.rows.saturating_sub(own.rows));
    if outside <= most() * whole(all.rows) {
        return None;
    }
    Some(LargeLoss {
        query: planned.declared().name.clone(),
        of: Quantity::Rows,
        part: outside / whole(all.rows),
        by: vec![Cause::Period(node.every.words(node.span))],
    })
}

/// The ranked expressions of a query, each with the part of its values beyond which bounds may change a rank.
fn ranked(query: &Query) -> Vec<(String, Rational)> {
    let end = |share: &QuantileShare| {
        let part = ratio(i64::try_from(share.part).unwrap_or(0), i64::try_from(share.whole).unwrap_or(1));
        part.clone().min(whole(1) - part)
    };
    let of = |kind: &MeasureKind| match kind {
        MeasureKind::Ranked { argument, target: Target::Share(share) } => Some((*argument, end(share))),
        MeasureKind::Ranked { argument, target: Target::Lowest | Target::Highest } => Some((*argument, whole(0))),
        MeasureKind::Tree { argument, shares, .. } => Some((*argument, shares.iter().map(end).min()?)),
        _ => None,
    };
    let all = query.measures().iter().filter_map(|measure| of(&measure.kind));
    all.map(|(argument, end)| (query.expression(argument), end.max(most()))).collect()
}

/// The large losses of a query: of its rows, its entities, its sums and its ranked values.
pub(crate) fn large(planned: &QueryPlan, losses: &Losses, sums: &[SumLoss]) -> Vec<LargeLoss> {
    let query = planned.query();
    let name = &planned.declared().name;
    let mut all = Vec::new();
    let mut judge = |of: Quantity, left_out: &Rational, of_all: &Rational, by: Vec<Cause>| {
        if *left_out > most() * of_all {
            // Where nothing should remain, all of it is wrong.
            let part = if of_all.is_zero() { whole(1) } else { left_out / of_all };
            all.push(LargeLoss { query: name.clone(), of, part, by });
        }
    };
    let is_capped = query.entity().is_some() && !query.is_of_entity_rows();
    let Caps { rows_per_group, groups } = query.caps();
    let cells = (0..query.levels().len()).map(|level| query.cells(level)).max().unwrap_or(1);
    let can_bind = usize::try_from(groups).is_ok_and(|groups| groups < cells);
    let of_groups = (is_capped && can_bind).then_some(Cause::Groups(groups));
    let caps: Vec<Cause> =
        is_capped.then_some(Cause::RowsPerGroup(rows_per_group)).into_iter().chain(of_groups.clone()).collect();
    let left_out = losses.rows_left_out.unwrap_or(0);
    let in_no_group = losses.rows_in_no_group;
    let no_group = (in_no_group > 0).then_some(Cause::NoGroup);
    let of_caps = caps.iter().filter(|_| left_out > 0).cloned();
    let alone = losses.rows_without_partner;
    let no_partner = (alone > 0).then_some(Cause::NoPartner);
    let by = of_caps.chain(no_group.clone()).chain(no_partner).collect();
    let lost = left_out.saturating_add(in_no_group).saturating_add(alone);
    judge(Quantity::Rows, &whole(lost), &whole(losses.rows.saturating_add(alone)), by);
    for (expression, most) in ranked(query) {
        // Values beyond the bounds count as the nearest bound, which is their right side of a rank far from it.
        let beyond = losses.beyond.iter().find(|beyond| beyond.expression == expression);
        let beyond = beyond.filter(|beyond| whole(beyond.outside) > most * whole(beyond.values));
        if let Some(ClampedValues { values, outside, .. }) = beyond {
            let by = vec![Cause::Bounds(expression.clone())];
            judge(Quantity::Values(expression), &whole(*outside), &whole(*values), by);
        }
    }
    for SumLoss { of, left_out: missing, all } in sums {
        match of {
            Summed::Entities => {
                let key = query.entity().unwrap_or("entity").to_owned();
                judge(Quantity::Entities(key), missing, all, of_groups.clone().into_iter().collect());
            }
            Summed::Values(expression) => {
                let bounds =
                    losses.beyond.iter().filter(|beyond| beyond.expression == *expression || query.is_of_entity_rows());
                let bounds = bounds.map(|beyond| Cause::Bounds(beyond.expression.clone()));
                let caps = caps.iter().filter(|_| left_out > 0).cloned();
                judge(
                    Quantity::Sum(expression.clone()),
                    missing,
                    all,
                    caps.chain(bounds).chain(no_group.clone()).collect(),
                );
            }
        }
    }
    all
}

/// The part that caps and bounds leave out of a query by the policy's statement, if the class of any of its numbers
/// rests on one, and whether there are numbers whose loss no public statement bounds.
pub(crate) fn statements(plan: &Plan, planned: &QueryPlan) -> (Option<Rational>, bool) {
    let judges = planned.query().output().columns.iter().map(|term| Judge::new(plan, planned, term, None));
    let judges: Vec<Judge<'_>> = judges.collect();
    let stated = judges.iter().find_map(|judge| judge.stated().cloned());
    (stated, judges.iter().any(|judge| judge.unbounded().is_some()))
}

/// The columns of a query with a number of which more is left out than the policy states. A number that is not usable
/// for its noise alone rests on no statement. Ranks, and queries without true errors, are judged by the rows that caps
/// leave out of all cells together.
pub(crate) fn understated(
    plan: &Plan,
    planned: &QueryPlan,
    losses: &Losses,
    errors: Option<&TrueErrors>,
) -> Vec<LargeLoss> {
    let output = planned.query().output();
    let in_groups = losses.rows.saturating_sub(losses.rows_in_no_group);
    let rows = whole(losses.rows_left_out.unwrap_or(0)) / whole(in_groups.max(1));
    let mut all = Vec::new();
    for (at, (term, column)) in output.columns.iter().zip(&output.names).enumerate() {
        let judge = Judge::new(plan, planned, term, None);
        let Some(stated) = judge.stated() else { continue };
        let wrong = errors.iter().flat_map(|errors| &errors.wrong).filter(|wrong| wrong.column == at);
        let is_usable = |shown: &ShownValue| judge.class(shown).is_some_and(|class| class < Quality::Unusable);
        let is_rank = |shown: &ShownValue| matches!(shown, ShownValue::Number { rows: Some(_), .. });
        let cells = wrong.filter(|wrong| !is_rank(&wrong.expected) && is_usable(&wrong.expected));
        let cells = cells.map(|wrong| {
            let part = judge.part_left_out(&wrong.expected, &wrong.cell.answer, &wrong.cell.truth);
            (part, wrong.cell.cell.as_str(), false)
        });
        let ranks = planned.query().is_ranked(term) || errors.is_none();
        let all_cells = ranks.then(|| (rows.clone(), "", true));
        let larger: Vec<(Rational, &str, bool)> = cells.chain(all_cells).filter(|(part, ..)| part > stated).collect();
        let count = larger.len();
        if let Some((part, cell, is_of_rows)) = larger.into_iter().max_by(|one, other| one.0.cmp(&other.0)) {
            let (column, stated) = (column.clone(), stated.clone());
            let number = Understated { column, cell: cell.to_owned(), is_of_rows, stated, cells: count };
            let (query, by) = (planned.declared().name.clone(), Vec::new());
            all.push(LargeLoss { query, of: Quantity::Number(number), part, by });
        }
    }
    all
}
