//! Lists of people in the format of PLINK's `--keep`.

use crate::table_error::{TableError, TableErrorKind};
use deniable_core::text::shown;
use deniable_genome::individuals::Name;
use std::collections::HashSet;
use std::path::Path;

/// Whether each of `names` is in a list: a line for each person, `FID IID`, or the individual alone. The result is in
/// the order of the names, with the number of listed names that are not among them.
///
/// # Errors
/// If the list cannot be read, a line has other than one or two words, or none of the names is listed.
pub fn listed(names: &[Name], file: &Path) -> Result<(Vec<bool>, u64), TableError> {
    let text = std::fs::read_to_string(file).map_err(|error| TableError::unreadable(file, &error))?;
    let mut wanted = HashSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [_] | [_, _] => {
                wanted.insert(words.join(" "));
            }
            _ => return Err(TableError::at(file, number, TableErrorKind::Person(words.len()))),
        }
    }
    let mut met = HashSet::new();
    let mut is_listed = |name: &Name| {
        let forms = [name.to_string(), name.id.clone(), format!("{} {}", name.id, name.id)];
        let hit = forms.into_iter().find(|name| wanted.contains(name));
        let listed = hit.is_some();
        met.extend(hit);
        listed
    };
    let listed: Vec<bool> = names.iter().map(&mut is_listed).collect();
    if met.is_empty() {
        let first = wanted.iter().min().map(|name| shown(name));
        return Err(TableError::whole(file, TableErrorKind::Nobody(first)));
    }
    Ok((listed, (wanted.len() - met.len()) as u64))
}
