//! `deniable assess`: what an anonymised table gives away.

mod findings;
mod measures;
mod page;
mod read;
mod table;
mod words;

use crate::args::assess::Assess;
use crate::args::output::Results;
use crate::console::say;
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::{Rendering, results, writable};
use crate::progress::Progress;
use deniable::diagnostic::{Code, Diagnostic};
use deniable_assess::{
    AssessError, Assessment, Counts, Distance, Hierarchy, Input, Quasi, Reading, Requirement, SensitiveColumn, assess,
    link,
};
use deniable_core::adversary::PriorRange;
use findings::TableFindings;
pub use read::MemoryTables;
use read::Reader;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Runs it.
pub fn run(args: &Assess) -> Result<Exit, Failure> {
    let own = args.hierarchy.iter().map(|(_, file)| file);
    let own: Vec<PathBuf> = tables(args).chain(own).cloned().collect();
    let Results { out, report, .. } = &args.results;
    writable(&[("--out", out.as_deref()), ("--report", report.as_deref())], &own)?;
    let assessed = found(args, &MemoryTables::new())?;
    results(&args.results, &table::text(&args.table, &assessed), &assessed.json(), &|| {
        page::page(&args.table, &assessed)
    })?;
    let is_met = assessed.assessment.verdicts.iter().all(|verdict| verdict.met);
    Ok(if is_met { Exit::Done } else { Exit::Refused })
}

/// The same, of tables that may be in memory, as text, JSON and a page; with whether every demand is met.
pub fn written(args: &Assess, given: &MemoryTables) -> Result<(Rendering, String, Exit), Failure> {
    let assessed = found(args, given)?;
    let is_met = assessed.assessment.verdicts.iter().all(|verdict| verdict.met);
    let written = Rendering { table: table::text(&args.table, &assessed), json: deniable::json(&assessed.json()) };
    Ok((written, page::page(&args.table, &assessed), if is_met { Exit::Done } else { Exit::Refused }))
}

/// All tables that are looked at.
fn tables(args: &Assess) -> impl Iterator<Item = &PathBuf> {
    let all = [Some(&args.table), args.background.as_ref(), args.original.as_ref(), args.auxiliary.as_ref()];
    all.into_iter().flatten()
}

/// What a table gives away; those that are given are not read from files.
fn found(args: &Assess, given: &MemoryTables) -> Result<TableFindings, Failure> {
    let trimmed = |names: &[String]| names.iter().map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    let (quasi, sensitive) = (trimmed(&args.quasi), trimmed(&args.sensitive));
    known_columns(args, &quasi, &sensitive)?;
    let requirements = match &args.require {
        Some(text) => Requirement::parse(text).map_err(|error| usage(&error))?,
        None => Vec::new(),
    };
    let priors = args.prior.as_deref().map_or_else(|| Ok(PriorRange::uniform()), priors)?;
    let hierarchies = hierarchies(args)?;
    let distances = distances(args, &hierarchies)?;
    let progress = Progress::new();
    let reader = Reader::new(args, given, &quasi, &progress)?;
    let published = reader.published(&args.table, &sensitive)?;
    let raw = |file: Option<&PathBuf>| file.map(|file| reader.raw(file, &sensitive)).transpose();
    let (background, original) = (raw(args.background.as_ref())?, raw(args.original.as_ref())?);
    let auxiliary = args.auxiliary.as_ref().map(|file| reader.some(file)).transpose()?;
    progress.says("working out what it gives away");
    let reading = |name: &String| match hierarchies.get(name) {
        Some(hierarchy) => Reading::Hierarchy(hierarchy.clone()),
        None if args.literal.iter().any(|literal| literal.trim() == name) => Reading::Literal,
        None => Reading::Notation,
    };
    let distance = |name: &String| distances.get(name.as_str()).cloned().unwrap_or_default();
    let input = Input {
        published: &published,
        quasi: quasi.iter().map(|name| Quasi::new(name, reading(name))).collect(),
        sensitive: sensitive
            .iter()
            .map(|name| SensitiveColumn { name: name.clone(), distance: distance(name) })
            .collect(),
        background: background.as_ref(),
        original: original.as_ref(),
        priors,
        threshold: args.threshold.clone(),
        recursive: args.recursive.clone(),
        requirements,
    };
    let assessment = assess(&input).map_err(failure)?;
    let linked = |people: &Counts| link(&assessment.classes, people);
    let linking = auxiliary.as_ref().map(linked).transpose().map_err(failure)?;
    progress.done();
    for (what, counts) in [("--background", &background), ("--original", &original), ("--auxiliary", &auxiliary)] {
        if let Some(counts) = counts {
            uncovered(what, counts, &assessment).into_iter().for_each(say);
        }
    }
    Ok(TableFindings { assessment, linking, files: files(args) })
}

/// Raw values that no published cell covers, column by column: a misspelt one would otherwise be somebody who is not in the table.
fn uncovered(what: &str, counts: &Counts, assessment: &Assessment) -> Vec<String> {
    let mut said = Vec::new();
    for column in &assessment.classes.columns {
        let Some(raw) = counts.columns().iter().find(|raw| raw.name() == column.name) else { continue };
        let (covering, mut found) = (column.covering(), Vec::new());
        let mut is_outside = |value: &&String| {
            found.clear();
            covering.of(value, &mut found);
            found.is_empty()
        };
        let outside: Vec<&String> = raw.values().iter().filter(&mut is_outside).collect();
        if let [first, ..] = outside.as_slice() {
            let (count, all) = (outside.len(), raw.values().len());
            said.push(format!(
                "{what}: no cell of `{}` covers {count} of its {all} values there, such as `{first}`",
                column.name
            ));
        }
    }
    said
}

/// Errors of the library end with what to do about them, after the last semicolon.
fn said(code: Code, error: &AssessError) -> Failure {
    let text = error.to_string();
    let (message, help) = text.rsplit_once("; ").unwrap_or((&text, ""));
    vec![Diagnostic::new(code, message).with_help(help)].into()
}

fn usage(error: &AssessError) -> Failure {
    said(Code::Usage, error)
}

fn failure(error: AssessError) -> Failure {
    match error {
        // A demand that nothing can be said of is no demand that is not met: the exit status tells them apart.
        AssessError::NeedsBackground { .. } | AssessError::NeedsSensitive { .. } => usage(&error),
        _ => said(Code::Other, &error),
    }
}

/// Refuses flags about columns that are not assessed: a mistyped name must not be ignored.
fn known_columns(args: &Assess, quasi: &[String], sensitive: &[String]) -> Result<(), Failure> {
    let misplaced = |flag: &str, name: &str, wanted: &str| {
        Failure::usage(
            format!("{flag} names `{name}`, which is not among {wanted}"),
            format!("check its spelling, or add it to {wanted}"),
        )
    };
    let flags = quasi.iter().map(|name| ("--quasi", name)).chain(sensitive.iter().map(|name| ("--sensitive", name)));
    let flags: Vec<(&str, &String)> = flags.collect();
    for (at, (flag, name)) in flags.iter().enumerate() {
        if let Some((first, _)) = flags.iter().take(at).find(|(_, other)| other == name) {
            let (message, help) = if first == flag {
                (format!("{flag} names `{name}` twice"), "name it once")
            } else {
                let help = "a column is known to others or secret: keep it in one of them";
                (format!("`{name}` is in --quasi and in --sensitive"), help)
            };
            return Err(Failure::usage(message, help));
        }
    }
    if let Some(name) = args
        .literal
        .iter()
        .map(|name| name.trim())
        .find(|name| !quasi.iter().chain(sensitive).any(|known| known == name))
    {
        return Err(misplaced("--literal", name, "--quasi or --sensitive"));
    }
    if let Some((name, _)) = args.distance.iter().find(|(name, _)| !sensitive.contains(name)) {
        return Err(misplaced("--distance", name, "--sensitive"));
    }
    let all: Vec<&String> = quasi.iter().chain(sensitive).collect();
    if let Some((name, _)) = args.hierarchy.iter().find(|(name, _)| !all.contains(&name)) {
        return Err(misplaced("--hierarchy", name, "--quasi or --sensitive"));
    }
    Ok(())
}

fn priors(text: &str) -> Result<PriorRange, Failure> {
    let help = "write --prior 1/2 or --prior 1/10..1/2; beliefs are above 0 and below 1 here";
    let wrong = |error: &dyn std::fmt::Display| Failure::usage(format!("--prior {text}: {error}"), help);
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| deniable_core::exact::parse_rational(text.trim()).map_err(|error| wrong(&error));
    let (low, high) = (number(low)?, number(high)?);
    // No end can be left out here, as it can where a promise is made.
    PriorRange::new(Some(low.clone()), Some(high.clone()))
        .map_err(|_| wrong(&AssessError::Priors { low: low.to_string(), high: high.to_string() }))
}

/// The hierarchies, by column.
fn hierarchies(args: &Assess) -> Result<BTreeMap<String, Hierarchy>, Failure> {
    let mut all = BTreeMap::new();
    for (column, file) in &args.hierarchy {
        let unreadable = |error: std::io::Error| {
            Failure::refused(format!("{}: {error}", file.display()), "check the path and the permissions")
        };
        let text = std::fs::read_to_string(file).map_err(unreadable)?;
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let delimiter = if first.contains(';') { ';' } else { ',' };
        let hierarchy = Hierarchy::parse(&text, delimiter).map_err(|error| {
            let help = "a hierarchy has a line for each value: the value, what is wider, up to the widest, parted by ;";
            Failure::refused(format!("{}: {error}", file.display()), help)
        })?;
        if all.insert(column.clone(), hierarchy).is_some() {
            return Err(Failure::usage(
                format!("--hierarchy names `{column}` twice"),
                "give each column one hierarchy",
            ));
        }
    }
    Ok(all)
}

/// The distances between sensitive values, by column.
fn distances(args: &Assess, hierarchies: &BTreeMap<String, Hierarchy>) -> Result<BTreeMap<String, Distance>, Failure> {
    let mut all = BTreeMap::new();
    for (column, text) in &args.distance {
        let wrong = |message: String, help: &str| Failure::usage(message, help);
        let (name, order) = text.split_once(':').map_or((text.as_str(), None), |(name, order)| (name, Some(order)));
        let distance = match (name, order) {
            ("equal", None) => Distance::Equal,
            ("ordered", None) => Distance::Ordered(None),
            ("ordered", Some(order)) => {
                Distance::Ordered(Some(order.split('|').map(|value| value.trim().to_owned()).collect()))
            }
            ("hierarchy" | "hierarchical", None) => match hierarchies.get(column) {
                Some(hierarchy) => Distance::Hierarchical(hierarchy.clone()),
                None => {
                    let message = format!("--distance {column}={text}: there is no hierarchy of {column}");
                    return Err(wrong(message, "add --hierarchy COLUMN=FILE for this column"));
                }
            },
            _ => {
                let help = "write equal, ordered, ordered:low|mid|high, or hierarchy";
                return Err(wrong(format!("--distance {column}={text} is no distance"), help));
            }
        };
        if all.insert(column.clone(), distance).is_some() {
            return Err(wrong(format!("--distance names `{column}` twice"), "give each column one distance"));
        }
    }
    Ok(all)
}

/// What went in, for a page.
fn files(args: &Assess) -> Vec<(String, String)> {
    let named = [
        ("published table", Some(&args.table)),
        ("background", args.background.as_ref()),
        ("original", args.original.as_ref()),
        ("people who are looked for", args.auxiliary.as_ref()),
    ];
    named.into_iter().filter_map(|(what, path)| Some((what.to_owned(), path?.display().to_string()))).collect()
}
