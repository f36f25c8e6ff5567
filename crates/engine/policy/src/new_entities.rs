//! `new_entities_only`: tables of which each version contains only entities that no other version contains (C-9).

use crate::data::Names;
use crate::error::PolicyErrorKind;
use crate::reader::{ReadResult, Section, all};
use deniable_core::adversary::Adjacency;
use deniable_core::guarantee::Guarantee;
use deniable_core::schema::{Data, DeclaredTable, Entity, Format, Role};
use std::collections::BTreeSet;

pub(crate) const KEY: &str = "new_entities_only";

/// Separates the names of tables, and of their versions, in a ledger.
const SEPARATOR: &str = " + ";

/// Reads the names of the tables with `new_entities_only = true`.
pub(crate) fn read(
    policy: &Section<'_>,
    data: &Data,
    entity: Option<&Entity>,
    more: &[DeclaredTable],
    guarantee: &Guarantee,
) -> ReadResult<BTreeSet<String>> {
    let main = policy.optional("data", |field| {
        let section = Section::open_free(field.report, "[data]", field.node)?;
        one(&section, data, entity.is_some(), guarantee)
    });
    let further = policy.optional("tables", |field| {
        let section = Section::open_free(field.report, "[tables]", field.node)?;
        let tables = section.fields().zip(more).map(|(field, table)| {
            let names = Names::of(&field.key);
            let section = Section::open_free(field.report, &format!("[{}]", names.table), field.node)?;
            let is_protected = matches!(table.role, Role::Protected { entity: Some(_) });
            one(&section, &table.data, is_protected, guarantee)
        });
        all(tables)
    });
    let all = main?.into_iter().chain(further?.into_iter().flatten());
    Ok(all.flatten().collect())
}

/// The name of the table, if it has the option.
fn one(section: &Section<'_>, data: &Data, has_key: bool, guarantee: &Guarantee) -> ReadResult<Option<String>> {
    let Some(field) = section.get(KEY)? else { return Ok(None) };
    if !field.boolean()? {
        return Ok(None);
    }
    let refused = |problem: &str, help: &str| {
        let kind = PolicyErrorKind::Text { key: KEY.to_owned(), problem: problem.to_owned() };
        Err(field.fail(kind, help))
    };
    if !has_key {
        return refused(
            "needs a column that names the person of each row",
            "add [entity] with its `key`, by which people are found again in later versions; for a table that is \
             `unprotected`, remove it",
        );
    }
    if guarantee.adjacency() != Adjacency::AddRemove {
        return refused(
            "does not hold where the adversary knows the size",
            "remove it, or choose an [adversary] with `knows_size = false`: where the number of people in all versions \
             together is public, the number in one version can show in which a person is (C-9)",
        );
    }
    if matches!(data.format, Format::Engine { .. }) {
        return refused(
            "is not possible for a table that remains in an engine",
            "export its rows as Parquet and name these files as `path`: entities are compared here, by keyed hashes",
        );
    }
    if data.version.contains(SEPARATOR) {
        return refused("does not fit a version that contains ` + `", "choose another `version`");
    }
    Ok(Some(data.table.clone()))
}
