//! Tables by counts, from TOML, JSON or CSV.
//!
//! ```toml
//! groups = { women = 3, men = 2 }
//!
//! [[dataset]]
//! counts = { women = 1, men = 0 }
//! probabilities = { yes = "1/3", no = "2/3" }
//! ```
//!
//! In CSV, each group is a column of counts, and has as many entities as its largest count.

use super::model::{CountMechanism, Group, checked, counts_of, named};
use crate::mechanism::MechanismError;
use crate::mechanism::file::csv::{Sheet, column, probability, sheet};
use crate::mechanism::file::tree::{Node, printable};
use crate::mechanism::file::{FileError, FileErrorKind, Format, Names, Place, chances, datasets, tree, without_mark};
use deniable_core::exact::{Rational, whole};
use deniable_core::text::did_you_mean;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// `Pr[output | counts]` and its place in the file.
struct Record {
    place: Place,
    counts: Vec<u32>,
    output: String,
    probability: Rational,
}

/// One row: its place, and each output's place and probability.
type Row<'a> = (Place, BTreeMap<usize, (Place, &'a Rational)>);

/// Parses a mechanism by counts.
///
/// # Errors
/// When the text is not of its format, or is not a mechanism; the error names the place.
pub fn read(source: &str, format: Format) -> Result<CountMechanism, FileError> {
    match tree(source, format)? {
        Some(root) => document(&root),
        None => table(sheet(without_mark(source))?),
    }
}

fn document(root: &Node) -> Result<CountMechanism, FileError> {
    let top = root.table("the file", &["groups", "outputs", "dataset"])?;
    let mut groups = Vec::new();
    for (name, node) in top.need("groups")?.members("groups")? {
        groups.push(Group { name: printable(name, node.place)?, size: whole_number(node)? });
    }
    let outputs = top.get("outputs").map(|node| node.names("outputs")).transpose()?;
    let mut records = Vec::new();
    for item in datasets(&top)? {
        let section = item.table("a dataset", &["counts", "probabilities"])?;
        let given = section.need("counts")?;
        let counts = counts(&groups, given)?;
        for (place, output, probability) in chances(&section, || named(&groups, &counts))? {
            records.push(Record { place, counts: counts.clone(), output, probability });
        }
    }
    mechanism(groups, outputs.as_deref(), &records)
}

/// One count for each group.
fn counts(groups: &[Group], node: &Node) -> Result<Vec<u32>, FileError> {
    let members = node.members("counts")?;
    let known = || groups.iter().map(|group| group.name.as_str());
    if let Some((name, value)) = members.iter().find(|(name, _)| known().all(|known| known != name)) {
        let kind = FileErrorKind::Unknown { what: "group", name: name.clone() };
        return Err(kind.at(value.place).hint(did_you_mean(name, known())));
    }
    let count = |group: &Group| {
        let Some((_, value)) = members.iter().find(|(name, _)| *name == group.name) else {
            let problem = format!("the count of group `{}` is missing", group.name);
            return Err(FileErrorKind::Counts { problem }.at(node.place).hint("write 0 for no members"));
        };
        let count = whole_number(value)?;
        if count > group.size {
            let problem = format!("group `{}` has {} entities, not {count}", group.name, group.size);
            return Err(FileErrorKind::Counts { problem }.at(value.place));
        }
        Ok(count)
    };
    groups.iter().map(count).collect()
}

fn whole_number(node: &Node) -> Result<u32, FileError> {
    count_in(&node.number("a count")?, node.place)
}

fn count_in(number: &Rational, place: Place) -> Result<u32, FileError> {
    let count = number.is_integer().then(|| number.to_integer().to_u32()).flatten();
    let problem = || format!("a count is a whole number from 0 to {}, not {number}", u32::MAX);
    count.ok_or_else(|| FileErrorKind::Counts { problem: problem() }.at(place))
}

fn table(Sheet { header, rows }: Sheet) -> Result<CountMechanism, FileError> {
    let (output, chance) = (column(&header, "output")?, column(&header, "probability")?);
    let columns: Vec<usize> = (0..header.len()).filter(|at| *at != output && *at != chance).collect();
    if columns.is_empty() {
        let problem = "columns of counts are missing: each group needs one, beside `output` and `probability`";
        return Err(FileErrorKind::Counts { problem: problem.to_owned() }.at(Place::Line(1)));
    }
    let mut records = Vec::with_capacity(rows.len());
    for (place, row) in rows {
        let count = |at: &usize| match row[*at].parse() {
            Ok(count) => Ok(count),
            // 1e3 and 2/1 are counts too.
            Err(_) => count_in(&probability(&row[*at], place)?, place),
        };
        records.push(Record {
            place,
            counts: columns.iter().map(count).collect::<Result<_, _>>()?,
            output: printable(&row[output], place)?,
            probability: probability(&row[chance], place)?,
        });
    }
    let largest = |group: usize| records.iter().map(|record| record.counts[group]).max().unwrap_or(0);
    let mut groups = Vec::new();
    for (group, at) in columns.iter().enumerate() {
        groups.push(Group { name: printable(&header[*at], Place::Line(1))?, size: largest(group) });
    }
    mechanism(groups, None, &records)
}

fn mechanism(
    groups: Vec<Group>,
    outputs: Option<&[(Place, String)]>,
    records: &[Record],
) -> Result<CountMechanism, FileError> {
    if records.is_empty() {
        return Err(FileErrorKind::Empty.anywhere());
    }
    let occurring = records.iter().map(|record| (record.place, &record.output));
    let outputs = Names::new("output", outputs, occurring)?;
    let anywhere = |error: MechanismError| FileErrorKind::from(error).anywhere();
    let cells = checked(&groups, &outputs.list).map_err(anywhere)?;
    let radix = |counts: &[u32]| {
        let digits = groups.iter().zip(counts).rev();
        digits.fold(0, |cell, (group, count)| cell * (group.size as usize + 1) + *count as usize)
    };
    let mut rows: BTreeMap<usize, Row<'_>> = BTreeMap::new();
    for Record { place, counts, output, probability } in records {
        let data = || named(&groups, counts);
        if probability.is_negative() {
            let (output, value) = (output.clone(), probability.clone());
            return Err(FileErrorKind::Negative { data: data(), output, value }.at(*place));
        }
        let (_, row) = rows.entry(radix(counts)).or_insert_with(|| (*place, BTreeMap::new()));
        if let Some((first, _)) = row.insert(outputs.positions[output.as_str()], (*place, probability)) {
            return Err(FileErrorKind::Duplicate { data: data(), output: output.clone(), first }.at(*place));
        }
    }
    let mut table = vec![None; cells];
    for (cell, (place, chances)) in rows {
        let mut row = vec![Rational::zero(); outputs.list.len()];
        for (output, (_, probability)) in chances {
            row[output] = probability.clone();
        }
        let sum: Rational = row.iter().sum();
        if sum != whole(1) {
            let kind =
                FileErrorKind::from(MechanismError::Sum { data: named(&groups, &counts_of(&groups, cell)), sum });
            return Err(kind.at(place).hint("an output that is not listed has probability 0"));
        }
        table[cell] = Some(row);
    }
    CountMechanism::new(groups, outputs.list, table).map_err(anywhere)
}
