//! How large a table may be, so that it fits in memory.

use super::error::MechanismError;

/// Most entities of a mechanism that is given dataset by dataset: its table has 2^24 rows.
pub const MOST_ENTITIES: usize = 24;
/// Most probabilities of a table, so that it fits in memory: 4 GiB where they have a common denominator below 2^63.
pub const MOST_PROBABILITIES: usize = 1 << 29;
/// The same where they have none, so that each is kept as a fraction of its own: about 4 GiB too.
pub const MOST_FRACTIONS: usize = 1 << 25;

/// That a table over so many entities and outputs can be held.
pub(crate) fn size_fits(entities: usize, outputs: usize) -> Result<(), MechanismError> {
    fits(entities, outputs, MOST_PROBABILITIES)
}

/// The same for probabilities without a common denominator.
pub(super) fn fractions_fit(entities: usize, outputs: usize) -> Result<(), MechanismError> {
    fits(entities, outputs, MOST_FRACTIONS)
}

fn fits(entities: usize, outputs: usize, probabilities: usize) -> Result<(), MechanismError> {
    fits_with(entities, |_| outputs, probabilities)
}

/// The same where there are more outputs for more entities.
pub(crate) fn fits_with(
    entities: usize,
    outputs: impl Fn(usize) -> usize,
    probabilities: usize,
) -> Result<(), MechanismError> {
    let fits = |entities: usize| {
        let rows = 1_usize << entities.min(MOST_ENTITIES);
        entities <= MOST_ENTITIES && outputs(entities).max(1).checked_mul(rows).is_some_and(|all| all <= probabilities)
    };
    if fits(entities) {
        return Ok(());
    }
    let most = (0..=MOST_ENTITIES).rev().find(|entities| fits(*entities)).unwrap_or(0);
    Err(MechanismError::TooLarge { entities, outputs: outputs(entities), most })
}
