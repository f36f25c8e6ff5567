//! Explicit priors from a file: beliefs of observers about who is in the data (F-EXPL).

use crate::family::Prior;
use crate::mechanism::Dataset;
use crate::mechanism::file::csv::{column, probability, sheet};
use crate::mechanism::file::tree::{Node, printable};
use crate::mechanism::file::{FileError, FileErrorKind, Format, Place, tree, without_mark};
use deniable_core::exact::{Rational, fraction, whole};
use deniable_core::text::did_you_mean;
use num_traits::{One, Signed};
use std::collections::BTreeMap;

/// Parses priors over these entities.
///
/// TOML and JSON: a list `prior`, each with `independent = { ann = "1/2" }` (entities that are not named are out), or
/// with `dataset`, a list of `members` and `probability`. CSV: the columns `prior` (a name or number), `dataset` and
/// `probability`.
///
/// # Errors
/// When the text is not of its format, an entity is unknown, a probability is not between 0 and 1, or those of a prior
/// do not sum to 1; the error names the place.
pub fn read(source: &str, format: Format, entities: &[String]) -> Result<Vec<Prior>, FileError> {
    match tree(source, format)? {
        Some(root) => document(&root, entities),
        None => table(source, entities),
    }
}

fn document(root: &Node, entities: &[String]) -> Result<Vec<Prior>, FileError> {
    let top = root.table("the file", &["prior"])?;
    let mut priors = Vec::new();
    for item in top.need("prior")?.list("prior")? {
        let section = item.table("a prior", &["independent", "dataset"])?;
        priors.push(match (section.get("independent"), section.get("dataset")) {
            (Some(beliefs), None) => independent(beliefs, entities)?,
            (_, Some(datasets)) if section.get("independent").is_none() => {
                let mut masses = BTreeMap::new();
                for row in datasets.list("dataset")? {
                    let row = row.table("a dataset", &["members", "probability"])?;
                    let members = row.need("members")?.names("members")?;
                    let names = members.iter().map(|(_, name)| name.as_str());
                    let data = dataset(names, entities, row.place)?;
                    let chance = row.need("probability")?;
                    add(&mut masses, data, chance.number("probability")?, chance.place)?;
                }
                distribution(masses, item.place)?
            }
            _ => {
                let kind = FileErrorKind::MissingKey { key: "independent", section: "a prior" };
                return Err(kind.at(item.place).hint("give either `independent` or `dataset`".to_owned()));
            }
        });
    }
    if priors.is_empty() {
        return Err(FileErrorKind::Empty.anywhere());
    }
    Ok(priors)
}

fn independent(node: &Node, entities: &[String]) -> Result<Prior, FileError> {
    let mut beliefs = vec![whole(0); entities.len()];
    for (name, value) in node.members("independent")? {
        let t = entity(name, entities, value.place)?;
        beliefs[t] = belief(value.number("a belief")?, value.place)?;
    }
    Ok(Prior::Independent(beliefs))
}

fn table(source: &str, entities: &[String]) -> Result<Vec<Prior>, FileError> {
    const COLUMNS: [&str; 3] = ["prior", "dataset", "probability"];
    let found = sheet(without_mark(source))?;
    if let Some(key) = found.header.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
        let kind = FileErrorKind::UnknownKey { key: key.clone(), section: "the header" };
        return Err(kind.at(Place::Line(1)).hint(did_you_mean(key, COLUMNS)));
    }
    let [prior, data, chance] = COLUMNS;
    let [prior, data, chance] =
        [column(&found.header, prior)?, column(&found.header, data)?, column(&found.header, chance)?];
    // In the order of their first appearance.
    let mut priors: Vec<(String, Place, BTreeMap<Dataset, Rational>)> = Vec::new();
    for (place, row) in &found.rows {
        let name = printable(&row[prior], *place)?;
        let members = if row[data] == "{}" { "" } else { &row[data] };
        let members = dataset(members.split_whitespace(), entities, *place)?;
        let at = priors.iter().position(|(known, ..)| *known == name).unwrap_or_else(|| {
            priors.push((name, *place, BTreeMap::new()));
            priors.len() - 1
        });
        add(&mut priors[at].2, members, probability(&row[chance], *place)?, *place)?;
    }
    if priors.is_empty() {
        return Err(FileErrorKind::Empty.anywhere());
    }
    priors.into_iter().map(|(_, place, masses)| distribution(masses, place)).collect()
}

fn entity(name: &str, entities: &[String], place: Place) -> Result<usize, FileError> {
    entities.iter().position(|known| known == name).ok_or_else(|| {
        let kind = FileErrorKind::Unknown { what: "entity", name: name.to_owned() };
        kind.at(place).hint(did_you_mean(name, entities.iter().map(String::as_str)))
    })
}

fn dataset<'a>(names: impl Iterator<Item = &'a str>, entities: &[String], place: Place) -> Result<Dataset, FileError> {
    let mut data = 0;
    for name in names {
        let bit = 1 << entity(name, entities, place)?;
        if data & bit != 0 {
            let kind = FileErrorKind::Twice { what: "entity", name: name.to_owned(), list: "dataset" };
            return Err(kind.at(place));
        }
        data |= bit;
    }
    Ok(data)
}

fn belief(value: Rational, place: Place) -> Result<Rational, FileError> {
    if !value.is_negative() && value <= whole(1) {
        return Ok(value);
    }
    let problem = format!("{} is not a probability", fraction(&value));
    Err(FileErrorKind::Counts { problem }.at(place))
}

fn add(masses: &mut BTreeMap<Dataset, Rational>, data: Dataset, mass: Rational, place: Place) -> Result<(), FileError> {
    let mass = belief(mass, place)?;
    if masses.insert(data, mass).is_some() {
        let problem = "duplicate dataset in this prior".to_owned();
        return Err(FileErrorKind::Counts { problem }.at(place));
    }
    Ok(())
}

fn distribution(masses: BTreeMap<Dataset, Rational>, place: Place) -> Result<Prior, FileError> {
    let sum: Rational = masses.values().sum();
    if !sum.is_one() {
        let problem = format!("the probabilities of this prior sum to {}, not 1", fraction(&sum));
        return Err(FileErrorKind::Counts { problem }.at(place));
    }
    Ok(Prior::Table(masses.into_iter().filter(|(_, mass)| mass.is_positive()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn names() -> Vec<String> {
        vec!["ann".to_owned(), "bob".to_owned()]
    }

    const TOML: &str = "[[prior]]\nindependent = { ann = \"1/2\" }\n[[prior]]\ndataset = [\n  { members = [], probability = 0.25 },\n  \
        { members = [\"ann\", \"bob\"], probability = \"3/4\" },\n]\n";
    const CSV: &str = "prior,dataset,probability\nfirst,,1/2\nfirst,ann,1/2\nsecond,{},0.25\nsecond,ann bob,0.75\n";

    #[test]
    fn both_shapes_give_the_same_priors() {
        let second = Prior::Table(vec![(0, ratio(1, 4)), (3, ratio(3, 4))]);
        let toml = read(TOML, Format::Toml, &names()).unwrap();
        assert_eq!(toml, [Prior::Independent(vec![ratio(1, 2), whole(0)]), second.clone()]);
        let csv = read(CSV, Format::Csv, &names()).unwrap();
        assert_eq!(csv, [Prior::Table(vec![(0, ratio(1, 2)), (1, ratio(1, 2))]), second]);
    }

    #[test]
    fn mistakes_have_places() {
        let wrong = |source: &str, format, from: &str, to: &str| {
            assert!(source.contains(from), "{from}");
            read(&source.replacen(from, to, 1), format, &names()).unwrap_err().to_string()
        };
        let toml = |from, to| wrong(TOML, Format::Toml, from, to);
        let csv = |from, to| wrong(CSV, Format::Csv, from, to);
        assert!(toml("0.25", "0.5").contains("sum to 5/4, not 1"), "{}", toml("0.25", "0.5"));
        assert!(toml("ann =", "anne =").contains("did you mean `ann`"), "{}", toml("ann =", "anne ="));
        assert!(toml("\"1/2\"", "2").contains("2 is not a probability"), "{}", toml("\"1/2\"", "2"));
        assert!(csv("first,ann,1/2", "first,ann,x").starts_with("line 3: "), "{}", csv("first,ann,1/2", "first,ann,x"));
        assert!(csv("first,ann,1/2", "first,,1/2").contains("duplicate dataset"));
        assert!(csv("dataset,", "data,").contains("`data` is unknown"), "{}", csv("dataset,", "data,"));
        assert!(read("[[prior]]\n", Format::Toml, &names()).unwrap_err().to_string().contains("either `independent`"));
    }
}
