//! Differential privacy between induced neighbours (I-INP), for data with some public facts.
//!
//! The facts leave some datasets possible. Two of them are neighbours if no other possible dataset is between them,
//! differing from the first by a subset of the entities by which the second does. A move is one entity more or less; if
//! all datasets are possible, that is add/remove DP, and if the size is public, exchanges.
//!
//! Where exchanging one entity for another is a single move (I-INX), two datasets that differ by `x` entities of the
//! one and `y` of the other are `max(x, y)` moves apart, and the moves can be chosen in several ways: any dataset that
//! some of them lead to is between. That is a dataset `c` for which the number of moves to it plus the number of moves
//! from it is the same. With all datasets possible, neighbours are then one more, one less, or one exchanged.

use super::error::CheckError;
use super::gain::odds;
use super::pairs;
use crate::mechanism::{Dataset, Mechanism};
use crate::verdict::Verdict;

pub(super) fn decide(mechanism: &Mechanism, allowed: &[Dataset], moves: Moves) -> Result<Verdict, CheckError> {
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
    Ok(match moves {
        Moves::AddRemove => odds(pairs::listed(mechanism, &neighbours(&allowed)), vec!["I-INP"]),
        Moves::WithExchange => odds(pairs::listed(mechanism, &neighbours_by_exchange(&allowed)), vec!["I-INX"]),
    })
}

/// The moves that define neighbours.
#[derive(Debug, Clone, Copy)]
pub(super) enum Moves {
    /// One entity more or less is one move.
    AddRemove,
    /// One entity more or less, or one exchanged for another, is one move.
    WithExchange,
}

/// All pairs of neighbours, in both orders, where an exchange is one move.
fn neighbours_by_exchange(allowed: &[Dataset]) -> Vec<(Dataset, Dataset)> {
    let apart = |one: Dataset, other: Dataset| (one & !other).count_ones().max((other & !one).count_ones());
    let mut pairs = Vec::new();
    for (one, other) in allowed.iter().flat_map(|one| allowed.iter().map(move |other| (*one, *other))) {
        let all = apart(one, other);
        let mut between = allowed.iter().filter(|data| **data != one && **data != other);
        if one != other && between.all(|data| apart(one, *data) + apart(*data, other) > all) {
            pairs.push((one, other));
        }
    }
    pairs
}

/// All pairs of neighbours, in both orders.
fn neighbours(allowed: &[Dataset]) -> Vec<(Dataset, Dataset)> {
    let mut pairs = Vec::new();
    for data in allowed {
        let mut differences: Vec<Dataset> = allowed.iter().map(|other| data ^ other).filter(|all| *all != 0).collect();
        // Supersets come after their subsets, so the kept sets are minimal.
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
