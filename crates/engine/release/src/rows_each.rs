//! Averages of rows per entity that are written as quotients, such as `COUNT(*) / COUNT(DISTINCT key)`: caps limit the
//! rows, and nothing limits the entities, so the quotient is biased towards the caps. A query with one row of each entity
//! has no caps. All of this follows from the query alone.

use deniable_query::output::{Operator, Term};
use deniable_query::{MeasureKind, Query};
use num_traits::Signed;

/// Whether a term divides a number or sum of capped rows by a number of entities.
pub(crate) fn is_rows_each(query: &Query, term: &Term) -> bool {
    dividend(query, term).is_some()
}

/// The hint about such quotients in a query, with a query that works; `None` without one.
pub(crate) fn hint(query: &Query) -> Option<String> {
    let key = query.entity()?;
    let output = query.output();
    let columns = output.columns.iter().zip(&output.names);
    let mut found = columns.filter_map(|(term, name)| Some((dividend(query, term)?, name)));
    let (measure, name) = found.next()?;
    let (value, inner) = match &query.measures()[measure].kind {
        MeasureKind::Sum { .. } => {
            let value = if query.bounds(measure).0.is_negative() { "GREATEST(total, -50)" } else { "total" };
            (value, format!("SUM({}) AS total", query.argument_in_words(measure)))
        }
        MeasureKind::NotNull { .. } => ("n", format!("COUNT({}) AS n", query.argument_in_words(measure))),
        _ => ("n", "COUNT(*) AS n".to_owned()),
    };
    let (table, most) = (&query.main_table().name, query.caps().rows_per_group);
    Some(format!(
        "`{name}` divides rows, of which at most {most} of each {key} count in a group, by a number of entities that no \
         cap on rows limits: it is too low if one {key} has more rows. A query with one row of each {key} counts all \
         of them: SELECT AVG(LEAST({value}, 50)) FROM (SELECT {key}, {inner} FROM {table} GROUP BY {key}) AS p, \
         with the most that one {key} may have in place of 50"
    ))
}

/// The first measure of capped rows that a term divides by a number of entities.
fn dividend(query: &Query, term: &Term) -> Option<usize> {
    if query.entity().is_none() || query.is_of_entity_rows() || query.is_per_entity() {
        return None;
    }
    let inside = |term: &Term| dividend(query, term);
    match term {
        Term::Arithmetic(operator, sides) => {
            let own = if *operator == Operator::Divide { quotient(query, sides) } else { None };
            own.or_else(|| sides.iter().find_map(inside))
        }
        Term::Function(_, inner) => inside(inner),
        Term::Case(branches, otherwise) => {
            branches.iter().find_map(|(_, value)| inside(value)).or_else(|| inside(otherwise))
        }
        Term::Window(window) => inside(&query.output().windows[*window].argument),
        Term::Key(_)
        | Term::Answer(_)
        | Term::Number(_)
        | Term::Text(_)
        | Term::Level
        | Term::Grouping(_)
        | Term::Lookup(..)
        | Term::Null => None,
    }
}

/// The first measure of rows in the dividend, if the divisor depends on numbers of entities alone.
fn quotient(query: &Query, [dividend, divisor]: &[Term; 2]) -> Option<usize> {
    let is_entities = |measure: &usize| matches!(query.measures()[*measure].kind, MeasureKind::Entities { .. });
    query.output().levels.iter().find_map(|level| {
        let by = query.measures_of(divisor, *level);
        let is_each = !by.is_empty() && by.iter().all(is_entities);
        query.measures_of(dividend, *level).into_iter().find(|measure| is_each && !is_entities(measure))
    })
}
