//! Reads the sections of a policy's file.

use super::{Policy, folder};
use crate::columns::Home;
use crate::data::{Names, path_text};
use crate::entity;
use crate::error::PolicyErrorKind;
use crate::promise::PromisesButFor;
use crate::query::{self, NO_QUERY_HELP};
use crate::reader::{Field, ReadResult, Report, Section, all, shown, told};
use crate::tables::Main;
use crate::typical::{self, Typical};
use crate::{adversary, budget, columns, data, every, imprint, keys, new_entities, promise, quality, tables, tree};
use deniable_core::guarantee::{Guarantee, Subject};
use deniable_core::schema::{Column, Data, DeclaredTable};
use deniable_core::secret::Secret;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) const SECTIONS: [&str; 14] = [
    "name",
    "population",
    "ledger",
    "data",
    "entity",
    "columns",
    "tables",
    "adversary",
    "promise",
    "budget",
    "quality",
    "display",
    "publication",
    "query",
];

/// Reads every section of a policy.
pub(super) fn read(report: &Report<'_>, file: &Path, root: &tree::Node, may_ask_nothing: bool) -> ReadResult<Policy> {
    let section = Section::open(report, "the policy", root, &SECTIONS)?;
    // Each part is read before any is reported missing, so that one error does not hide another.
    let name = section.need("name", "add `name = \"clinic\"`").and_then(|field| field.line().map(str::to_owned));
    let population =
        section.need("population", "add `population = \"clinic-patients\"`").and_then(|field| population(&field));
    let ledger = section.optional("ledger", |field| path_text(field).map(str::to_owned));
    let data =
        section.need("data", "add `[data]` with `table`, `path` and `version`").and_then(|field| data::read(&field));
    let names = Names::main();
    let home = Home { names: &names, format: data.as_ref().ok().map(|data| &data.format) };
    let columns = columns::read(&section, home);
    let partitions = section.optional("data", |field| match (&data, &columns) {
        (Ok(_), Ok(columns)) => {
            data::check_partitions(&Section::open_free(report, "[data]", field.node)?, &names, columns)
        }
        // Their absence was reported.
        _ => Ok(()),
    });
    let entity = section.optional("entity", |field| entity::read(field, told(&columns).map(Vec::as_slice)));
    let main = Main {
        data: told(&data),
        columns: told(&columns).map(Vec::as_slice),
        entity: told(&entity).map(Option::as_ref),
    };
    let more = section.optional("tables", |field| tables::read(field, &main)).map(Option::unwrap_or_default);
    let is_capped = !matches!(entity, Ok(None));
    let table_caps = match &more {
        Ok(_) => section.optional("tables", |field| tables::read_caps(field, is_capped)).map(Option::unwrap_or_default),
        // Their absence was reported.
        Err(_) => Ok(BTreeMap::new()),
    };
    let sources = match (&columns, &more) {
        (Ok(columns), Ok(more)) => check_sources(&section, columns, more),
        // Their absence was reported.
        _ => Ok(()),
    };
    let typical = match (&data, &columns, &more) {
        (Ok(data), Ok(columns), Ok(more)) => read_typical(&section, &data.table, columns, more),
        // Their absence was reported.
        _ => Ok(Typical::default()),
    };
    let adversary = section
        .need(
            "adversary",
            "add `[adversary]` with `preset = \"acquaintance\"`; for `epsilon` alone, `knows_size = false` is enough",
        )
        .and_then(|field| adversary::read(&field));
    let promised = match section.get("promise") {
        Ok(Some(field)) => promise::read(&field, told(&adversary).map(|(adversary, _)| adversary)),
        Ok(None) => Err(section.missing("promise", "add `[promise]` with `posterior_at_most = 0.75`, for example")),
        Err(reported) => Err(reported),
    };
    let budget = section.optional("budget", budget::read).map(Option::unwrap_or_default);
    let quality = section.optional("quality", quality::read).map(Option::unwrap_or_default);
    let display =
        section.optional("display", |field| quality::read_display(field, "[display]")).map(Option::unwrap_or_default);
    let imprint = section.optional("publication", imprint::read).map(Option::unwrap_or_default);
    let headings = match (&columns, &more) {
        (Ok(_), Ok(_)) => imprint::read_headings(&section),
        // Their absence was reported.
        _ => Ok(BTreeMap::new()),
    };
    let periods = match &data {
        Ok(_) => section.need("data", "").and_then(|field| every::read_data(&field)),
        // Its absence was reported.
        Err(reported) => Err(*reported),
    };
    let caps_of = |data: &Data| {
        let of_table = told(&table_caps).ok()?.get(&data.table).copied().unwrap_or_default();
        Some(of_table.or(told(&entity).ok()?.as_ref()?.caps))
    };
    let calendar = every::Calendar {
        data: told(&data),
        columns: told(&columns).map(Vec::as_slice),
        caps: told(&data).ok().and_then(caps_of),
        periods: told(&periods),
    };
    let queries = match section.get("query") {
        Ok(Some(field)) => query::read(&field, told(&budget).map(budget::Budget::for_queries), is_capped, &calendar),
        Ok(None) if may_ask_nothing => Ok(Vec::new()),
        Ok(None) => Err(report.fail(&section.span, PolicyErrorKind::NoQuery, NO_QUERY_HELP)),
        Err(reported) => Err(reported),
    };

    let (adversary, preset) = adversary?;
    let (promised, budget, population) = (promised?, budget?, population?);
    partitions?;
    sources?;
    periods?;
    let (entity, queries) = (entity?, queries?);
    every::check_spend(report, &queries, &budget.spend)?;
    let key = entity.as_ref().map(|entity| entity.key.clone());
    // Each part was validated in its section; the remaining checks are about the whole.
    let guarantee = Subject::new(population.clone(), key)
        .map_err(|error| (error.to_string(), "entity"))
        .and_then(|subject| {
            Guarantee::new(subject, Secret::Membership, adversary, preset, promised.surely)
                .map_err(|error| (error.to_string(), "promise"))
        })
        .map_err(|(problem, key)| {
            let kind = PolicyErrorKind::Text { key: key.to_owned(), problem };
            report.fail(&section.place_of(key), kind, "")
        })?;
    let guarantee = match promised.but_for {
        None => guarantee,
        Some(PromisesButFor { chance, people, promises, place }) => {
            guarantee.but_for(chance, people, promises).map_err(|error| {
                let help = promise::but_for_help(&error);
                let kind = PolicyErrorKind::Text {
                    key: "promise.but_for".to_owned(),
                    problem: format!("cannot be promised: {error}"),
                };
                report.fail(&place, kind, help)
            })?
        }
    };
    let (data, entity, more) = (data?, entity, more?);
    let new_entities = new_entities::read(&section, &data, entity.as_ref(), &more, &guarantee)?;
    let ledger = ledger?.unwrap_or_else(|| format!("{population}.ledger"));
    Ok(Policy {
        file: file.to_owned(),
        source: report.source.to_owned(),
        name: name?,
        ledger: folder(file).join(ledger),
        data,
        entity,
        columns: columns?,
        more,
        new_entities,
        table_caps: table_caps?,
        guarantee,
        spend: budget.spend,
        per_version: budget.per_version,
        confidence: budget.confidence,
        quality: quality?,
        display: display?,
        imprint: imprint?,
        headings: headings?,
        typical: typical?,
        queries,
        is_asked: false,
        rehearsal: None,
    })
}

/// Validates `keys_from` in all tables.
fn check_sources(section: &Section<'_>, columns: &[Column], more: &[DeclaredTable]) -> ReadResult<()> {
    let main = keys::check_sources(section, &Names::main(), columns, more);
    let further = section.optional("tables", |field| {
        let section = Section::open_free(field.report, "[tables]", field.node)?;
        let checked = section.fields().zip(more).map(|(field, table)| {
            let names = Names::of(&field.key);
            let section = Section::open_free(field.report, &format!("[{}]", names.table), field.node)?;
            keys::check_sources(&section, &names, &table.columns, more)
        });
        all(checked).map(drop)
    });
    main?;
    further.map(drop)
}

/// Reads the guesses at people and columns.
fn read_typical(section: &Section<'_>, table: &str, columns: &[Column], more: &[DeclaredTable]) -> ReadResult<Typical> {
    let entities = section.optional("entity", |field| {
        Section::open_free(field.report, "[entity]", field.node)?.optional("typical_entities", typical::read_count)
    });
    let main = typical::read_columns(section, table, &Names::main(), columns);
    let more = section.optional("tables", |field| tables::read_typical(field, more)).map(Option::unwrap_or_default);
    Ok(Typical { entities: entities?.flatten(), columns: main?.into_iter().chain(more?).collect() })
}

/// Whether a text can name a population; it names the ledger's file, too.
#[must_use]
pub fn is_population(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

/// The population names the ledger file, and is stored in it.
fn population(field: &Field<'_>) -> ReadResult<String> {
    let name = field.line()?;
    if !is_population(name) {
        let problem = format!("= \"{}\" is not a plain name", shown(name));
        return Err(field.bad_text(problem, "use letters, digits, - and _, as in \"clinic-patients\""));
    }
    Ok(name.to_owned())
}
