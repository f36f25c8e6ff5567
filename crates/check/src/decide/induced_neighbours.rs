//! Differential privacy between induced neighbours (I-INP), for data of which some facts are public already.
//!
//! The facts leave some datasets possible. Two of them are neighbours if no other possible one lies between: none that
//! differs from the first by some of the entities by which the second does. A move is one entity more or less; if all datasets
//! are possible, that is add/remove DP, and if the size is public, exchanges.

use super::error::CheckError;
use super::gain::odds;
use super::pairs;
use crate::mechanism::{Dataset, Mechanism};
use crate::verdict::Verdict;

pub(super) fn decide(mechanism: &Mechanism, allowed: &[Dataset]) -> Result<Verdict, CheckError> {
    let mut allowed = allowed.to_vec();
    allowed.sort_unstable();
    allowed.dedup();
    let universe = 1_usize << mechanism.size();
    if let Some(data) = allowed.iter().find(|data| **data as usize >= universe) {
        return Err(CheckError::Outside { data: *data, entities: mechanism.size() });
    }
    let missing: Vec<Dataset> = allowed.iter().copied().filter(|data| !mechanism.gives(*data)).collect();
    if let Some(first) = missing.first() {
        return Err(CheckError::Missing { first: mechanism.members(*first), count: missing.len() });
    }
    Ok(odds(pairs::listed(mechanism, &neighbours(&allowed)), vec!["I-INP"]))
}

/// All pairs of neighbours, in both orders.
fn neighbours(allowed: &[Dataset]) -> Vec<(Dataset, Dataset)> {
    let mut pairs = Vec::new();
    for data in allowed {
        let mut differences: Vec<Dataset> = allowed.iter().map(|other| data ^ other).filter(|all| *all != 0).collect();
        // A set comes after its subsets, so what is kept is minimal.
        differences.sort_unstable_by_key(|all| (all.count_ones(), *all));
        let mut least: Vec<Dataset> = Vec::new();
        for difference in differences {
            if !least.iter().any(|moves| moves & difference == *moves) {
                least.push(difference);
            }
        }
        pairs.extend(least.into_iter().map(|moves| (*data, data ^ moves)));
    }
    pairs
}
