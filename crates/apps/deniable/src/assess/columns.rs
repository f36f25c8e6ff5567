//! Options about columns: names that belong together, hierarchies, distances, and priors.

use super::Options;
use super::error::{Error, OptionError};
use deniable_assess::{Distance, Hierarchy};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::whole;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The options with trimmed column names.
pub fn trimmed(options: &Options) -> Options {
    let mut options = options.clone();
    let lists = [&mut options.quasi, &mut options.sensitive, &mut options.literal, &mut options.nulls];
    let names = lists.into_iter().chain(&mut options.columns).flatten();
    for name in names {
        *name = name.trim().to_owned();
    }
    options
}

/// Rejects columns with two roles, and options about columns that are not assessed, since a typo must not be ignored.
pub fn check(options: &Options) -> Result<(), OptionError> {
    let Options { quasi, sensitive, .. } = options;
    let twice = |option, names: &[String]| {
        let found = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        found.map_or(Ok(()), |(_, name)| Err(OptionError::Twice { option, column: name.clone() }))
    };
    twice("quasi", quasi)?;
    twice("sensitive", sensitive)?;
    if let Some(column) = sensitive.iter().find(|name| quasi.contains(name)) {
        return Err(OptionError::BothRoles { column: column.clone() });
    }
    let all: Vec<&String> = quasi.iter().chain(sensitive).collect();
    let wanted: &[&str] = &["quasi", "sensitive"];
    let misplaced =
        |option, column: &String, wanted| Err(OptionError::Misplaced { option, column: column.clone(), wanted });
    if let Some(column) = options.literal.iter().find(|name| !all.contains(name)) {
        return misplaced("literal", column, wanted);
    }
    if let Some((column, _)) = options.distance.iter().find(|(name, _)| !sensitive.contains(name)) {
        return misplaced("distance", column, &["sensitive"]);
    }
    if let Some((column, _)) = options.hierarchy.iter().find(|(name, _)| !all.contains(&name)) {
        return misplaced("hierarchy", column, wanted);
    }
    Ok(())
}

/// Prior beliefs about presence.
pub fn priors(options: &Options) -> Result<PriorRange, OptionError> {
    let Some(text) = &options.prior else { return Ok(PriorRange::uniform()) };
    if options.background.is_none() {
        return Err(OptionError::PriorWithoutBackground);
    }
    // An end at 0 or 1 is a certain belief, which no table changes.
    let is_uncertain = |priors: &PriorRange| *priors.low() > whole(0) && *priors.high() < whole(1);
    let priors = text.parse().ok().filter(is_uncertain);
    priors.ok_or_else(|| OptionError::Prior(text.clone()))
}

/// The hierarchies, by column.
pub fn hierarchies(options: &Options) -> Result<BTreeMap<String, Hierarchy>, Error> {
    let mut all = BTreeMap::new();
    for (column, file) in &options.hierarchy {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error::Unreadable { file: file.clone(), reason: error.to_string() })?;
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let delimiter = if first.contains(';') { ';' } else { ',' };
        let hierarchy =
            Hierarchy::parse(&text, delimiter).map_err(|error| Error::Hierarchy { file: file.clone(), error })?;
        match all.entry(column.clone()) {
            Entry::Vacant(place) => place.insert(hierarchy),
            Entry::Occupied(_) => {
                return Err(OptionError::Twice { option: "hierarchy", column: column.clone() }.into());
            }
        };
    }
    Ok(all)
}

/// The distances between sensitive values, by column.
pub fn distances(
    options: &Options,
    hierarchies: &BTreeMap<String, Hierarchy>,
) -> Result<BTreeMap<String, Distance>, OptionError> {
    let mut all = BTreeMap::new();
    for (column, text) in &options.distance {
        let (name, order) = text.split_once(':').map_or((text.as_str(), None), |(name, order)| (name, Some(order)));
        let distance = match (name, order) {
            ("equal", None) => Distance::Equal,
            ("ordered", None) => Distance::Ordered(None),
            ("ordered", Some(order)) => {
                Distance::Ordered(Some(order.split('|').map(|value| value.trim().to_owned()).collect()))
            }
            ("hierarchy" | "hierarchical", None) => {
                let missing = || OptionError::NoHierarchy { column: column.clone(), text: text.clone() };
                Distance::Hierarchical(hierarchies.get(column).ok_or_else(missing)?.clone())
            }
            _ => return Err(OptionError::Distance { column: column.clone(), text: text.clone() }),
        };
        if all.insert(column.clone(), distance).is_some() {
            return Err(OptionError::Twice { option: "distance", column: column.clone() });
        }
    }
    Ok(all)
}
