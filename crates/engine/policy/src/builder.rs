//! Policies that are built in code: the same keys and the same validation as in a file.

use crate::error::PolicyErrors;
use crate::policy::Policy;
use crate::query::Size;
use crate::tree::{self, Table, Value};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::{Column, ColumnType, Key};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The name of a policy without a file in errors.
const NAME: &str = "policy built in code";

/// Builds a policy key by key. [`Self::build`] validates it as a file is validated. Places of errors are in the policy as TOML
/// ([`Policy::source`]), which is written for the reader and never parsed.
///
/// ```
/// use deniable_core::exact::{ratio, whole};
/// use deniable_core::schema::{Bounds, Column, ColumnType};
/// use deniable_policy::PolicyBuilder;
///
/// let policy = PolicyBuilder::new("clinic", "clinic-patients")
///     .table("visits", "visits.csv", "2024-06")
///     .column(&Column::new("patient", ColumnType::Text))
///     .column(&Column::new("age", ColumnType::Integer).within(Bounds::new(whole(0), whole(110), whole(1))?))
///     .entity("patient", 3, 2)
///     .adversary("acquaintance")
///     .promise("posterior_at_most", &ratio(3, 4))
///     .query("visits", "SELECT COUNT(*) FROM visits")
///     .build()?;
/// assert_eq!(policy.guarantee().limit().to_string(), "3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PolicyBuilder {
    /// All keys but `query`.
    keys: Table,
    queries: Vec<Table>,
    folder: PathBuf,
}

impl PolicyBuilder {
    /// A policy of this name about the people of this population.
    #[must_use]
    pub fn new(name: &str, population: &str) -> Self {
        Self::default().set(&[], "name", name).set(&[], "population", population)
    }

    /// The folder of relative paths, the ledger's among them. The default is the working folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// The main table: its name in SQL, its files (a file, folder or glob) and their declared version.
    #[must_use]
    pub fn table(self, table: &str, path: &str, version: &str) -> Self {
        self.set(&["data"], "table", table).set(&["data"], "path", path).set(&["data"], "version", version)
    }

    /// The main table, whose rows are given in memory.
    #[must_use]
    pub fn table_in_memory(self, table: &str, version: &str) -> Self {
        self.table(table, "rows in memory", version).set(&["data"], "format", "parquet")
    }

    /// A column of the main table.
    #[must_use]
    pub fn column(self, column: &Column) -> Self {
        self.set(&["columns"], &column.name, described(column))
    }

    /// A column of a further table.
    #[must_use]
    pub fn column_of(self, table: &str, column: &Column) -> Self {
        self.set(&["tables", table, "columns"], &column.name, described(column))
    }

    /// A public guess at the number of rows, from which the plan computes errors.
    #[must_use]
    pub fn typical_rows(self, rows: u32) -> Self {
        self.set(&["data"], "typical_rows", i64::from(rows))
    }

    /// A public guess at the number of people with rows.
    #[must_use]
    pub fn typical_entities(self, people: u32) -> Self {
        self.set(&["entity"], "typical_entities", i64::from(people))
    }

    /// A column of the main table with public guesses at its values: their mean, and their standard deviation if
    /// variances are asked for.
    #[must_use]
    pub fn column_typically(self, column: &Column, value: &Rational, spread: Option<&Rational>) -> Self {
        let mut table = described(column);
        table.insert("typical", written(value, column.kind));
        if let Some(spread) = spread {
            table.insert("typical_spread", spread.to_string());
        }
        self.set(&["columns"], &column.name, table)
    }

    /// The privacy unit: the column that identifies the protected person, the number of rows of one person that count
    /// in one group of an answer, and the number of groups (S-CAP). Without it one row is one person.
    #[must_use]
    pub fn entity(self, key: &str, rows_per_group: u32, groups: u32) -> Self {
        self.set(&["entity"], "key", key).set(&["entity"], "rows_per_group", i64::from(rows_per_group)).set(
            &["entity"],
            "groups",
            i64::from(groups),
        )
    }

    /// The adversary, by the name of a preset: see docs/reference/policy.md. Other adversaries are stated with [`Self::set`].
    #[must_use]
    pub fn adversary(self, preset: &str) -> Self {
        self.set(&["adversary"], "preset", preset)
    }

    /// A promise, by its key: `posterior_at_most`, `epsilon` and so on.
    #[must_use]
    pub fn promise(self, key: &str, number: &Rational) -> Self {
        self.set(&["promise"], key, number.to_string())
    }

    /// The part of the promise that this policy may use up, in (0, 1]; 1 unless set.
    #[must_use]
    pub fn spend(self, part: &Rational) -> Self {
        self.set(&["budget"], "spend", part.to_string())
    }

    /// The part of the promise that all charges on one version of the data may use together, in (0, 1]; no limit unless
    /// set.
    #[must_use]
    pub fn per_version(self, part: &Rational) -> Self {
        self.set(&["budget"], "per_version", part.to_string())
    }

    /// A query, which takes a part of the budget like every other one.
    #[must_use]
    pub fn query(self, name: &str, sql: &str) -> Self {
        self.query_of(name, sql, Size::Weight(whole(1)))
    }

    /// A query with a stated size.
    #[must_use]
    pub fn query_of(self, name: &str, sql: &str, size: Size) -> Self {
        let (key, number) = match size {
            Size::Weight(weight) => ("weight", weight),
            Size::Share(share) => ("share", share),
            Size::TargetError(error) => ("target_error", error),
        };
        let number = number.to_string();
        self.query_with(Table::from_iter([("name", name), ("sql", sql), (key, &number)]))
    }

    /// A query by its keys, as in a file.
    #[must_use]
    pub fn query_with(mut self, keys: Table) -> Self {
        self.queries.push(keys);
        self
    }

    /// A public guess at the part of the rows that the last query is about.
    #[must_use]
    pub fn typical_share(self, share: &Rational) -> Self {
        self.of_last("typical_share", share.to_string())
    }

    /// Public guesses at expressions of the last query, as the plan prints them; for a condition, the part of the rows
    /// that meets it.
    #[must_use]
    pub fn typical_of(self, expressions: &[(&str, Rational)]) -> Self {
        let all = expressions.iter().map(|(expression, value)| (*expression, value.to_string()));
        self.of_last("typical", Table::from_iter(all))
    }

    /// A key of the last query.
    fn of_last(mut self, key: &str, value: impl Into<Value>) -> Self {
        if let Some(query) = self.queries.last_mut() {
            query.insert(key, value);
        }
        self
    }

    /// Any key of any section, as in a file: `set(&["data", "csv"], "delimiter", ";")`. An empty path is the top level.
    /// The last value of a key counts.
    #[must_use]
    pub fn set(mut self, path: &[&str], key: &str, to: impl Into<Value>) -> Self {
        self.keys.insert_at(path, key, to);
        self
    }

    /// Validates the policy.
    ///
    /// # Errors
    /// All errors of the policy, as for a file.
    pub fn build(self) -> Result<Policy, PolicyErrors> {
        self.validated(false)
    }

    /// Validates the policy, and accepts one without queries: see [`Policy::parse_to_ask_later`].
    ///
    /// # Errors
    /// As of [`Self::build`].
    pub fn build_to_ask_later(self) -> Result<Policy, PolicyErrors> {
        self.validated(true)
    }

    fn validated(mut self, may_ask_nothing: bool) -> Result<Policy, PolicyErrors> {
        if !self.queries.is_empty() {
            self.keys.insert("query", Value::from_iter(self.queries));
        }
        let (source, root) = tree::write(&self.keys);
        Policy::validated(&self.folder.join(NAME), &source, &root, may_ask_nothing)
    }
}

/// The keys of a column.
fn described(column: &Column) -> Table {
    // Facts about computed values are not part of a declaration.
    let Column { name: _, kind, bounds, keys, keys_from, labels, parents, step: _, least: _, format, pivot, zone } =
        column;
    let mut table = Table::from_iter([("type", kind.name())]);
    if let Some(bounds) = bounds {
        table.insert("bounds", Value::from_iter([bounds.low(), bounds.high()].map(|end| written(end, *kind))));
        if kind.is_number() {
            table.insert("step", bounds.step().to_string());
        }
    }
    if let Some(from) = keys_from {
        let label = from.label.as_deref().map(|label| ("label", label));
        let source = [("table", from.table.as_str()), ("column", from.column.as_str())].into_iter().chain(label);
        table.insert("keys_from", Table::from_iter(source));
        insert_further(&mut table, &from.further, labels);
    } else if let Some(keys) = keys {
        let listed: Vec<&Key> = keys.iter().filter(|key| !matches!(key, Key::Null | Key::Other)).collect();
        if listed.iter().any(|key| labels.contains_key(key)) {
            let label = |key: &Key| labels.get(key).cloned().unwrap_or_else(|| key.to_string());
            table.insert("keys", Table::from_iter(listed.iter().map(|key| (key.to_string(), label(key)))));
        } else if !listed.is_empty() {
            table.insert("keys", Value::from_iter(listed.into_iter().map(key_value)));
        }
        insert_further(&mut table, keys, labels);
    }
    if !parents.is_empty() {
        let within = parents.iter().enumerate().map(|(position, parents)| {
            let of_table = keys_from.as_ref().and_then(|from| from.parents.get(position));
            let value = match of_table {
                Some(column) => Value::from(column.as_str()),
                None => Table::from_iter(parents.of.iter().map(|(key, of)| (key.to_string(), of.as_str()))).into(),
            };
            (parents.name.as_str(), value)
        });
        table.insert("within", Table::from_iter(within));
    }
    format.iter().for_each(|format| table.insert("format", format.as_str()));
    pivot.iter().for_each(|year| table.insert("pivot", i64::from(*year)));
    zone.iter().for_each(|zone| table.insert("zone", zone.name()));
    table
}

/// A key in a list of keys.
pub(crate) fn key_value(key: &Key) -> Value {
    match key {
        Key::Integer(number) => (*number).into(),
        Key::Boolean(truth) => (*truth).into(),
        Key::Null | Key::Other | Key::Text(_) | Key::Decimal(_) | Key::Date(_) | Key::Timestamp(_) => {
            key.to_string().into()
        }
    }
}

/// Inserts the groups of NULL and of all values that are not keys.
fn insert_further(table: &mut Table, keys: &[Key], labels: &BTreeMap<Key, String>) {
    if keys.contains(&Key::Null) {
        table.insert("null_key", labels.get(&Key::Null).map_or(Value::from(true), |label| label.as_str().into()));
    }
    if keys.contains(&Key::Other) {
        table.insert("other", labels.get(&Key::Other).cloned().unwrap_or_else(|| Key::Other.to_string()));
    }
}

/// A value of a column. Numbers are texts, which are exact for all denominators.
fn written(value: &Rational, kind: ColumnType) -> Value {
    Value::from(if kind.is_time() { kind.written(value) } else { value.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use deniable_core::schema::{Bounds, KeysFrom};

    fn builder() -> PolicyBuilder {
        PolicyBuilder::new("clinic", "clinic-patients")
            .table("visits", "visits.csv", "2024-06")
            .entity("patient", 3, 2)
            .adversary("acquaintance")
            .promise("posterior_at_most", &ratio(3, 4))
            .query("visits", "SELECT COUNT(*) FROM visits")
    }

    /// The policy states each column as it was declared.
    #[test]
    fn columns_are_read_back_as_declared() {
        let bounds = |low, high, step| Bounds::new(low, high, step).unwrap();
        let texts = |keys: &[&str]| keys.iter().map(|key| Key::Text((*key).to_owned())).collect::<Vec<_>>();
        let columns = [
            Column::new("patient", ColumnType::Text),
            Column::new("a \"quoted\" name.", ColumnType::Decimal).within(bounds(
                ratio(-1, 3),
                ratio(2, 3),
                ratio(1, 3),
            )),
            Column::new("age", ColumnType::Integer).within(bounds(whole(0), whole(110), whole(1))),
            Column::new("sex", ColumnType::Text).with_keys([texts(&["F", "M"]), vec![Key::Null]].concat()),
            Column::new("smoker", ColumnType::Boolean).with_keys(vec![Key::Boolean(false), Key::Boolean(true)]),
            Column::new("ward", ColumnType::Integer).with_keys(vec![Key::Integer(-3), Key::Integer(4)]),
            Column {
                labels: [(Key::Integer(1), "one"), (Key::Null, "none"), (Key::Other, "more")]
                    .map(|(key, label)| (key, label.to_owned()))
                    .into(),
                ..Column::new("code", ColumnType::Integer).with_keys(vec![Key::Integer(1), Key::Null, Key::Other])
            },
            Column {
                labels: [(Key::Text("a = 1".to_owned()), "a".to_owned())].into(),
                ..Column::new("note", ColumnType::Text).with_keys(texts(&["a = 1"]))
            },
            Column {
                labels: [(Key::Other, "elsewhere".to_owned())].into(),
                keys_from: Some(KeysFrom {
                    parents: Vec::new(),
                    table: "regions".to_owned(),
                    column: "code".to_owned(),
                    label: None,
                    further: vec![Key::Null, Key::Other],
                }),
                ..Column::new("region", ColumnType::Text)
            },
            Column::new("day", ColumnType::Date).within(bounds(whole(-1), whole(19_000), whole(1))),
            Column::new("at", ColumnType::Timestamp).within(bounds(whole(-1), whole(1_500_000), whole(1))),
        ];
        let public = builder()
            .set(&["tables", "regions"], "path", "regions.csv")
            .set(&["tables", "regions"], "version", "1")
            .set(&["tables", "regions"], "unprotected", true)
            .set(&["tables", "regions"], "key", "code")
            .set(&["tables", "regions", "columns", "code"], "type", "text");
        let policy = columns.iter().fold(public, PolicyBuilder::column).build().unwrap();
        assert_eq!(policy.columns(), columns);
        // Keys from a table come before the groups declared after them, and belong to that column only.
        let listed = [(Key::Text("N".to_owned()), Some("north".to_owned())), (Key::Text("S".to_owned()), None)];
        let filled = policy.clone().with_keys("visits", "region", &listed).with_keys("visits", "sex", &listed);
        let region = filled.column("region").unwrap();
        assert_eq!(region.keys.as_deref().unwrap(), [texts(&["N", "S"]), vec![Key::Null, Key::Other]].concat());
        assert_eq!(region.labels.values().map(String::as_str).collect::<Vec<_>>(), ["north", "elsewhere"]);
        assert_eq!(filled.column("sex"), policy.column("sex"));
        assert_eq!(Policy::parse(policy.file(), policy.source()).unwrap().columns(), columns);
    }

    #[test]
    fn guesses_are_read_back_as_they_were_given() {
        let bounds = |low, high| Bounds::new(whole(low), whole(high), whole(1)).unwrap();
        let policy = builder()
            .column(&Column::new("patient", ColumnType::Text))
            .column_typically(
                &Column::new("age", ColumnType::Integer).within(bounds(0, 110)),
                &ratio(91, 2),
                Some(&whole(20)),
            )
            .column_typically(&Column::new("day", ColumnType::Date).within(bounds(-1, 19_000)), &whole(9_000), None)
            .typical_rows(5_000)
            .typical_entities(2_000)
            .typical_share(&ratio(1, 3))
            .typical_of(&[("age > 65", ratio(1, 4)), ("'a \"b\"'", whole(-3))])
            .build()
            .unwrap();
        let typical = policy.typical();
        assert_eq!((policy.data().typical_rows, typical.entities), (Some(5_000), Some(2_000)));
        let age = typical.column("visits", "age").unwrap();
        assert_eq!((&age.value, &age.spread), (&ratio(91, 2), &Some(whole(20))));
        let day = typical.column("visits", "day").unwrap();
        assert_eq!((&day.value, &day.spread), (&whole(9_000), &None));
        assert!(typical.column("visits", "patient").is_none() && typical.column("others", "age").is_none());
        let query = &policy.queries()[0];
        assert_eq!(query.typical_share, Some(ratio(1, 3)));
        assert_eq!(query.typical, [("age > 65".to_owned(), ratio(1, 4)), ("'a \"b\"'".to_owned(), whole(-3))]);
    }

    #[test]
    fn errors_are_those_of_a_file() {
        let errors = builder().set(&["budget"], "spent", "1/2").build().unwrap_err();
        assert!(errors.to_string().contains("spent"), "{errors}");
        let rows = builder().column(&Column::new("patient", ColumnType::Text)).table_in_memory("visits", "1").build();
        assert_eq!(rows.unwrap().data().table, "visits");
    }
}
