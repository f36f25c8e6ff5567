//! Limits on the size of tables, so that they fit in memory.

use super::error::MechanismError;

/// Most entities of a mechanism given by datasets: its table has 2^24 rows.
pub const MOST_ENTITIES: usize = 24;
/// Most probabilities of a table: 4 GiB where they have a common denominator below 2^63.
pub const MOST_PROBABILITIES: usize = 1 << 29;
/// Most probabilities without such a denominator, each stored as a fraction: about 4 GiB too.
pub const MOST_FRACTIONS: usize = 1 << 25;

/// Fails unless a table with this many entities and outputs fits in memory.
pub(crate) fn size_fits(entities: usize, outputs: usize) -> Result<(), MechanismError> {
    fits(entities, outputs, MOST_PROBABILITIES)
}

/// [`size_fits`] for probabilities without a common denominator.
pub(super) fn fractions_fit(entities: usize, outputs: usize) -> Result<(), MechanismError> {
    fits(entities, outputs, MOST_FRACTIONS)
}

fn fits(entities: usize, outputs: usize, probabilities: usize) -> Result<(), MechanismError> {
    fits_with(entities, |_| outputs, probabilities)
}

/// [`size_fits`] where the number of outputs depends on the number of entities.
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
