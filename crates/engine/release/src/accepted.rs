//! The columns that cannot be read as declared, the quirks of delimited text, and the large losses of queries, that a
//! curator accepts by name.

use crate::losses::recorded_name;
use crate::plan::Plan;
use deniable_core::schema::{DeclaredTable, Format, Role};
use deniable_core::text::nearest;
use deniable_data::check::{ENTITIES, Quirk, SAME_ROWS};
use deniable_policy::QuerySubject;
use std::collections::{BTreeMap, BTreeSet};

/// Columns, quirks and losses that are accepted regardless of a scan's findings, by table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptedFindings {
    by_table: BTreeMap<String, BTreeSet<String>>,
    given: GivenNames,
}

/// The names as the curator gave them, which a further call has to repeat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenNames {
    /// Of columns and quirks.
    pub findings: Vec<String>,
    /// Of queries with large losses.
    pub queries: Vec<String>,
}

/// A name that does not identify one column or query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcceptError {
    /// No declared column has this name.
    #[error("no declared column is called `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// A declared column with a similar name.
        nearest: Option<String>,
    },
    /// Several tables have such a column.
    #[error("several tables have a column `{name}`")]
    Ambiguous {
        /// The name.
        name: String,
        /// The full names of these columns.
        candidates: Vec<String>,
    },
    /// No query of the policy has this name.
    #[error("the policy has no query \"{name}\"")]
    UnknownQuery {
        /// The name.
        name: String,
        /// A query with a similar name.
        nearest: Option<String>,
        /// The names of all queries.
        known: Vec<String>,
    },
}

/// A column's unambiguous name, with its table.
#[must_use]
pub fn full_name(table: &str, column: &str) -> String {
    format!("{table}.{column}")
}

impl AcceptedFindings {
    /// Resolves names of columns, each as `column` or `table.column`, of quirks, as `csv:line-ends` or
    /// `table.csv:line-ends`, and `version:same-rows` and `key:entities` in the same way.
    ///
    /// # Errors
    /// When a name matches no declared column, or several.
    pub fn named(names: &[String], tables: &[DeclaredTable]) -> Result<Self, AcceptError> {
        let all = || {
            let columns = |table: &DeclaredTable| -> Vec<(String, String)> {
                let column = |column: &deniable_core::schema::Column| (table.data.table.clone(), column.name.clone());
                let quirk = |quirk: Quirk| (table.data.table.clone(), quirk.name().to_owned());
                let quirks = Quirk::ALL.into_iter().filter(|_| matches!(table.data.format, Format::Csv(_))).map(quirk);
                let is_protected = matches!(table.role, Role::Protected { .. });
                let whole = [SAME_ROWS, ENTITIES].into_iter().filter(|_| is_protected);
                let whole = whole.map(|name| (table.data.table.clone(), name.to_owned()));
                table.columns.iter().map(column).chain(quirks).chain(whole).collect()
            };
            tables.iter().flat_map(columns)
        };
        let given = GivenNames { findings: names.to_vec(), queries: Vec::new() };
        let mut accepted = Self { given, ..Self::default() };
        for name in names {
            let meant = all().filter(|(table, column)| column == name || full_name(table, column) == *name);
            let meant: BTreeSet<(String, String)> = meant.collect();
            let meant: Vec<(String, String)> = meant.into_iter().collect();
            match meant.as_slice() {
                [(table, column)] => {
                    accepted.by_table.entry(table.clone()).or_default().insert(column.clone());
                }
                [] => {
                    let known: Vec<String> =
                        all().flat_map(|(table, column)| [full_name(&table, &column), column]).collect();
                    let known: Vec<&str> = known.iter().map(String::as_str).collect();
                    let nearest = nearest(name, &known).map(str::to_owned);
                    return Err(AcceptError::Unknown { name: name.clone(), nearest });
                }
                several => {
                    let candidates = several.iter().map(|(table, column)| full_name(table, column)).collect();
                    return Err(AcceptError::Ambiguous { name: name.clone(), candidates });
                }
            }
        }
        Ok(accepted)
    }

    /// Accepts also that caps and bounds leave out much of these queries of a plan, for every table that they read.
    ///
    /// # Errors
    /// When the plan has no query of a name.
    pub fn with_losses(mut self, queries: &[String], plan: &Plan) -> Result<Self, AcceptError> {
        let own = || plan.queries().iter().filter(|planned| planned.declared().about == QuerySubject::Cells);
        for name in queries {
            let Some(planned) = own().find(|planned| planned.declared().name == *name) else {
                let known: Vec<&str> = own().map(|planned| planned.declared().name.as_str()).collect();
                let nearest = nearest(name, &known).map(str::to_owned);
                let known = known.into_iter().map(str::to_owned).collect();
                return Err(AcceptError::UnknownQuery { name: name.clone(), nearest, known });
            };
            for table in planned.query().tables() {
                self.by_table.entry(table.to_owned()).or_default().insert(recorded_name(plan, planned));
            }
        }
        self.given.queries.extend_from_slice(queries);
        Ok(self)
    }

    /// The names as they were given.
    #[must_use]
    pub fn given(&self) -> &GivenNames {
        &self.given
    }

    /// The accepted columns, quirks and losses of a table, as the ledger records them.
    #[must_use]
    pub fn of(&self, table: &str) -> BTreeSet<String> {
        self.by_table.get(table).cloned().unwrap_or_default()
    }
}
