//! Several releases together: odds ratios multiply (C-1), beliefs do not (E-2, E-3, E-4).

use crate::amount::Amount;
use crate::notion::{Notion, Sign};
use crate::shape::{Shape, follows};
use crate::statement::{Stated, Statement, Target};
use deniable_core::adversary::{Adjacency, PriorRange};

/// Releases that have no common total.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// There is no statement to compose.
    #[error("name at least one release to compose, such as `odds=3`")]
    Nothing,
    /// A statement about beliefs, which do not compose.
    #[error("release {position}, `{statement}`, must not be composed ({theorem}): {why}; {hint}")]
    NotOdds {
        /// Which release, counted from 1.
        position: usize,
        /// The statement, as it is shown.
        statement: String,
        /// The entry with the counterexample.
        theorem: &'static str,
        /// What goes wrong when it is composed.
        why: &'static str,
        /// What to state instead, in odds or epsilon.
        hint: String,
    },
    /// Bounds over different pairs, of which none implies another.
    #[error(
        "`{first}` and `{second}` bound different pairs of datasets, and neither bound follows from the other (C-1); \
         state both under one adjacency, such as `odds=3` or `bounded-odds=3`"
    )]
    NothingInCommon {
        /// The statement of the first release.
        first: String,
        /// One that does not go with it.
        second: String,
    },
    /// The total is no single number.
    #[error("the total of these odds is not exact; state them as rational odds")]
    NotExact,
}

/// The statement that all releases together keep, whatever each asked after seeing the others (C-1).
///
/// # Errors
/// When one of them is about beliefs, or they bound pairs that have nothing in common.
pub fn compose(releases: &[Statement]) -> Result<Statement, ComposeError> {
    let first = releases.first().ok_or(ComposeError::Nothing)?;
    for (position, release) in (1..).zip(releases) {
        if let Some((theorem, why)) = refusal(&release.target.notion) {
            let hint = hint(release);
            return Err(ComposeError::NotOdds { position, statement: release.to_string(), theorem, why, hint });
        }
    }
    let shapes: Vec<Shape> = releases.iter().map(|release| release.target.shape()).collect();
    // The strongest shape that every release bounds: one of their own, or one below them.
    let candidates = shapes.iter().cloned().chain([Shape::Both, Shape::Up, Shape::Down, Shape::Replace]);
    let common = candidates
        .into_iter()
        .find(|candidate| shapes.iter().all(|shape| follows(shape, candidate).is_ok()))
        .ok_or_else(|| {
            let stranger = releases.iter().find(|release| follows(&release.target.shape(), &shapes[0]).is_err());
            ComposeError::NothingInCommon { first: first.to_string(), second: stranger.unwrap_or(first).to_string() }
        })?;
    let mut total = Amount::of(deniable_core::exact::whole(1));
    for (release, shape) in releases.iter().zip(&shapes) {
        let (Stated::Odds(odds), Ok(step)) = (&release.value, follows(shape, &common)) else {
            return Err(ComposeError::NotExact);
        };
        total = total.and(&step.carry.apply(&odds.clone().into()));
    }
    let Amount::Exact(total) = total else { return Err(ComposeError::NotExact) };
    let (notion, adjacency) = match common {
        Shape::Up => (Notion::Odds(Sign::Positive), Adjacency::AddRemove),
        Shape::Down => (Notion::Odds(Sign::Negative), Adjacency::AddRemove),
        Shape::Replace => (Notion::Odds(Sign::Both), Adjacency::ReplaceOne),
        Shape::All => (Notion::FreeLunch, Adjacency::AddRemove),
        Shape::Group(size) => (Notion::Group { size }, Adjacency::AddRemove),
        Shape::ReplaceGroup(size) => (Notion::Group { size }, Adjacency::ReplaceOne),
        _ => (Notion::Odds(Sign::Both), Adjacency::AddRemove),
    };
    let target = Target { notion, adjacency, priors: PriorRange::any() };
    Ok(Statement { target, value: Stated::Odds(total) })
}

/// Why a notion does not compose: the counterexample, and what it shows.
fn refusal(notion: &Notion) -> Option<(&'static str, &'static str)> {
    match notion {
        Notion::Odds(_) | Notion::Epsilon(_) | Notion::FreeLunch | Notion::Group { .. } => None,
        Notion::AlphaBeta { .. } => {
            Some(("E-2", "after the first answer worlds no longer have the prior to which the second was calibrated"))
        }
        Notion::UniformGain => {
            Some(("E-3", "under the uniform prior (k-Max) two answers of γ = 3/2 can prove somebody's presence"))
        }
        Notion::SampledGain { .. } | Notion::Sampling { .. } => Some((
            "I-DPS",
            "two answers from one sample tell more than the product: odds of 3, at rate 1/2, are 2 each and 5 together",
        )),
        Notion::Gain
        | Notion::NegativeGain
        | Notion::Membership
        | Notion::Ceiling
        | Notion::Floor
        | Notion::Rho { .. } => {
            Some(("E-4", "after the first answer beliefs have left the range that the second assumes"))
        }
    }
}

fn hint(release: &Statement) -> String {
    let odds = match (&release.target.notion, release.target.shape()) {
        (Notion::Sampling { .. } | Notion::SampledGain { .. } | Notion::UniformGain, _) => {
            return "compose the odds of the mechanisms (`odds=` or `epsilon=`) and translate the total".to_owned();
        }
        (_, Shape::Up) => "positive-odds",
        (_, Shape::Down) => "negative-odds",
        (_, Shape::Replace | Shape::OneOf(_)) => "bounded-odds",
        _ => "odds",
    };
    let value = match crate::bounds::enough(release) {
        Ok(Amount::Exact(value)) => value.to_string(),
        _ => "R".to_owned(),
    };
    format!(
        "if its mechanism was calibrated to `{odds}={value}`, which is enough for it, compose that and translate the total"
    )
}
