//! Frequencies of the general population: from another cohort's genotypes, or from a table as in
//! [`mod@crate::frequencies`].

use crate::frequencies::{Frequencies, Site};
use deniable_genome::{FileError, Individuals};
use std::collections::{HashMap, HashSet};

/// The frequencies of A1 among the `chosen` people (by their indices in the file, from 0) at the SNPs of `released`.
/// Missing calls are left out; a SNP without any call counts as [`Frequencies::without`]; names that several SNPs
/// share, as [`Frequencies::nameless`].
///
/// The people must not be members of the pool: a reference that contains members hides them.
///
/// # Errors
/// If the files cannot be read.
pub fn of_people(
    individuals: &Individuals,
    chosen: &dyn Fn(usize) -> bool,
    released: &Frequencies,
) -> Result<Frequencies, FileError> {
    let wanted: HashSet<&str> = released.sites.iter().map(|site| site.name.as_str()).collect();
    let mut all = Frequencies::default();
    let mut places: HashMap<String, u64> = HashMap::new();
    individuals.genotypes(&mut |variant| wanted.contains(variant.id.as_str()), &mut |variant, row| {
        let calls = row.iter().enumerate().filter(|(place, _)| chosen(*place)).filter_map(|(_, call)| call.copies());
        let (copies, people) =
            calls.fold((0.0, 0.0), |(copies, people), call| (copies + f64::from(call), people + 1.0));
        *places.entry(variant.id.clone()).or_default() += 1;
        if people > 0.0 {
            let (name, a1, a2) = (variant.id.clone(), variant.a1.clone(), variant.a2.clone());
            all.sites.push(Site { name, a1, a2, frequency: copies / (2.0 * people) });
        } else {
            all.without += 1;
        }
    })?;
    all.nameless = places.values().filter(|count| **count > 1).sum();
    all.sites.retain(|site| places.get(&site.name) == Some(&1));
    Ok(all)
}
