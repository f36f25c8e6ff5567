//! `x IN (SELECT key FROM public)` and `EXISTS (SELECT 1 FROM public WHERE key = x)`, also with NOT: conditions of one
//! row, which look a value up in a public table as LEFT JOIN does.

use super::inline::{InlinedPlan, equated, inline};
use super::join::Lookup;
use super::place::of_span;
use crate::lower::{Lowering, Scope};
use datafusion_expr::Subquery;
use deniable_expression::{Id, Operation, Type};
use deniable_query::{QueryError, declared};

const PUBLIC: &str = "compare with the key of a public table, as in x NOT IN (SELECT key FROM public) or \
                      NOT EXISTS (SELECT 1 FROM public WHERE public.key = x)";
const JOIN: &str = "a protected table is joined on the entity key, with JOIN: count those with a partner so, and subtract \
                    them from all for those without";
const OWN_ROWS: &str = "aggregate the rows of one person first: FROM (SELECT patient, COUNT(*) FILTER (WHERE ...) AS n FROM \
                        visits GROUP BY patient) AS p WHERE n > 0, or n = 0";

/// Public tables in which conditions look values up, while the conditions of WHERE are lowered.
#[derive(Debug, Default)]
pub(crate) struct Memberships {
    lookups: Vec<Lookup>,
    /// The columns of the outer query, while a subquery is lowered.
    outer: Vec<(datafusion_common::Column, Id)>,
}

impl Memberships {
    /// Adds the tables that conditions look values up in.
    pub(super) fn join(self, plan: &mut InlinedPlan) {
        plan.tables.extend(self.lookups.iter().map(|lookup| lookup.table));
        plan.lookups.extend(self.lookups);
    }

    /// A column of the outer query, in a subquery.
    pub(crate) fn outer(&self, column: &datafusion_common::Column) -> Option<Id> {
        self.outer.iter().find(|(known, _)| known == column).map(|(_, id)| *id)
    }
}

/// Whether a public table has a row with this key that meets the subquery's conditions; `value` is the left side of IN.
///
/// # Errors
/// When the subquery reads anything but one public table, or compares anything but its key.
pub(crate) fn membership(
    subquery: &Subquery,
    value: Option<Id>,
    scope: Scope<'_>,
    lowering: &mut Lowering<'_>,
) -> Result<Id, QueryError> {
    let place = subquery.spans.first().map(of_span);
    let refused = |help: &str| QueryError::refused("this subquery in a condition", help).about("SELECT").at(place);
    let refusal = || refused(PUBLIC);
    let Some(memberships) = &mut lowering.memberships else {
        let help = "write the condition into WHERE, or join the public table with LEFT JOIN";
        return Err(QueryError::refused("a subquery outside of WHERE", help).about("SELECT").at(place));
    };
    if !memberships.outer.is_empty() {
        return Err(refusal());
    }
    memberships.outer = scope.schema.columns().into_iter().zip(scope.columns.iter().copied()).collect();
    let inlined = inline(&subquery.subquery, lowering);
    if let Some(memberships) = &mut lowering.memberships {
        memberships.outer.clear();
    }
    let InlinedPlan { columns, filters, tables, lookups } = inlined?;
    let ([table], []) = (tables.as_slice(), lookups.as_slice()) else { return Err(refusal()) };
    if lowering.tables[*table].is_protected() {
        let is_own = lowering.program.inputs(scope.columns).into_iter();
        let mut is_own = is_own.filter_map(|input| declared(lowering.tables, input)).map(|(at, _)| at);
        return Err(refused(if is_own.any(|at| at == *table) { OWN_ROWS } else { JOIN }));
    }
    let Some(key) = lowering.tables[*table].public_key.clone() else { return Err(refusal()) };
    let key = lowering.column(*table, &key)?;
    let mut conditions: Vec<Id> = filters.iter().map(|filter| filter.id).collect();
    let is_own = |id: Id, lowering: &Lowering<'_>| {
        let mut inputs = lowering.program.inputs(&[id]).into_iter();
        inputs.any(|input| declared(lowering.tables, input).is_some_and(|(at, _)| at == *table))
    };
    let on = match (value, columns.as_slice()) {
        (Some(value), [column]) if *column == key => {
            let equal = lowering.call(Operation::Compare(deniable_expression::Comparison::Equal), &[value, key])?;
            // Both sides have one type now.
            equated(equal, lowering).filter(|sides| sides[1] == key).map(|[value, _]| value)
        }
        (Some(_), _) => None,
        (None, _) => {
            let partner = |filter: &Id| {
                let [left, right] = equated(*filter, lowering)?;
                let other = if left == key { right } else { Some(left).filter(|_| right == key)? };
                (!is_own(other, lowering)).then_some(other)
            };
            let found = conditions.iter().enumerate().find_map(|(at, filter)| Some((at, partner(filter)?)));
            found.map(|(at, other)| {
                conditions.remove(at);
                other
            })
        }
    };
    let on =
        on.filter(|on| !is_own(*on, lowering) && !lowering.program.inputs(&[*on]).is_empty()).ok_or_else(refusal)?;
    let is_missing = lowering.call(Operation::IsNull, &[key])?;
    let mut found = lowering.call(Operation::Not, &[is_missing])?;
    for condition in conditions {
        let is_met = lowering.call(Operation::IsTrue, &[condition])?;
        found = lowering.call(Operation::And, &[found, is_met])?;
    }
    if value.is_some() {
        // A missing value is neither in the list nor outside of it.
        let (is_null, unknown) = (lowering.call(Operation::IsNull, &[on])?, lowering.null(Type::Boolean)?);
        found = lowering.call(Operation::Case, &[is_null, unknown, found])?;
    }
    if let Some(memberships) = &mut lowering.memberships {
        memberships.lookups.push(Lookup { table: *table, on });
    }
    Ok(found)
}
