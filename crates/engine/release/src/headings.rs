//! Headings of an answer's columns: the labels and units that the policy states for columns of its tables.

use deniable_publication::Heading;
use deniable_query::output::{Function, Term};
use deniable_query::{Estimator, Query};
use std::collections::BTreeMap;

/// One heading for each column of the output; empty if none is stated.
pub(crate) fn headings(query: &Query, of_columns: &BTreeMap<String, Heading>) -> Vec<Heading> {
    let output = query.output();
    let one = |(term, name): (&Term, &String)| match term {
        Term::Key(group) => {
            let stated = of_columns.get(&query.groups()[*group].name).cloned().unwrap_or_default();
            // The label of a column is not that of an alias.
            if query.groups()[*group].name == *name { stated } else { Heading { label: None, ..stated } }
        }
        _ => measured_column(query, term).and_then(|column| Some((of_columns.get(&column)?, column))).map_or_else(
            Heading::default,
            |(stated, column)| Heading {
                label: stated.label.clone().filter(|_| column == *name),
                unit: stated.unit.clone(),
            },
        ),
    };
    let all: Vec<Heading> = output.columns.iter().zip(&output.names).map(one).collect();
    if all.iter().all(Heading::is_empty) { Vec::new() } else { all }
}

/// The column in whose unit a number is, as its expression in words; `None` for counts, and where the unit does not follow
/// from one aggregate.
fn measured_column(query: &Query, term: &Term) -> Option<String> {
    match term {
        Term::Answer(answer) => {
            let level = *query.output().levels.first()?;
            match query.answers(level).get(*answer)? {
                Estimator::Sum { measure } | Estimator::Quantile { measure, .. } => {
                    Some(query.argument_in_words(*measure))
                }
                Estimator::Average(moments) | Estimator::Variance { moments, root: true, .. } => {
                    Some(query.argument_in_words(moments.sum))
                }
                Estimator::Weighted(moments) => Some(query.weighted_value_in_words(moments)),
                Estimator::Count { .. } | Estimator::Variance { .. } | Estimator::Regression(_) => None,
            }
        }
        Term::Function(Function::Round(_) | Function::Absolute, inner) => measured_column(query, inner),
        _ => None,
    }
}
