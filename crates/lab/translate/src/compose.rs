//! Composition of several releases: odds ratios multiply (C-1), beliefs do not (E-2, E-3, E-4), except for statements
//! about any prior, which are equivalent to statements of odds (C-6).

use crate::amount::{Amount, plain};
use crate::bounds;
use crate::notion::{Facts, Notion, Sign};
use crate::parse::is_readable;
use crate::shape::{Shape, follows};
use crate::statement::{Statement, StatementParameter, Target};
use crate::translation::{self, Direction, Translation};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::promise::PromiseError;
use num_traits::Zero;

/// Releases without a common total.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// There is no statement to compose.
    #[error("name at least one release to compose, such as `odds=3`")]
    Nothing,
    /// A statement about beliefs, which do not compose.
    #[error("release {position}, `{statement}`, must not be composed ({theorem}): {why}; {hint}")]
    NotOdds {
        /// The position of the release, counted from 1.
        position: usize,
        /// The statement, as displayed.
        statement: String,
        /// The entry with the counterexample.
        theorem: &'static str,
        /// The failure of its composition, in words.
        why: &'static str,
        /// The statement to make instead, in odds or epsilon.
        hint: String,
    },
    /// Bounds over different pairs, none of which implies another.
    #[error(
        "`{first}` and `{second}` bound different pairs of datasets, and neither bound follows from the other (C-1); \
         state both under one adjacency, such as `odds=3` or `bounded-odds=3`"
    )]
    NothingInCommon {
        /// The statement of the first release.
        first: String,
        /// A statement that does not compose with it.
        second: String,
    },
    /// The total is not a single number.
    #[error("the total of these odds is not exact; state them as rational odds")]
    NotExact,
    /// The total is beyond the largest odds that can be stated.
    #[error("these releases together allow odds beyond e^4096, which promise nothing; compose fewer, or stricter ones")]
    TooLarge,
}

/// The statement that all releases together satisfy, even if each was chosen after the answers of the others (C-1).
/// Their order does not matter.
///
/// Its implications may be weaker than those of the releases: [`translate`] translates the releases themselves to each
/// target.
///
/// # Errors
/// When a release is about beliefs, the releases bound unrelated pairs, or their total is too large.
pub fn compose(releases: &[Statement]) -> Result<Statement, ComposeError> {
    strongest(releases).map(|total| total.statement)
}

/// The total of all releases over one shape.
struct Total {
    statement: Statement,
    /// Whether known releases attain it together.
    tight: bool,
}

fn strongest(releases: &[Statement]) -> Result<Total, ComposeError> {
    let first = releases.first().ok_or(ComposeError::Nothing)?;
    // A release that satisfies a vacuous statement may disclose anything, and so may all of them together.
    let vacuous = releases.iter().filter(|release| bounds::nobody(&release.target)).min_by_key(ToString::to_string);
    if let Some(vacuous) = vacuous {
        return Ok(Total { statement: vacuous.clone(), tight: false });
    }
    let mut strongest: Option<Total> = None;
    for total in totals(releases, None)? {
        // At the same odds, the statement about more pairs is the stronger one.
        let stronger = strongest.as_ref().is_none_or(|before| implies(&total.statement, &before.statement));
        if stronger {
            strongest = Some(total);
        }
    }
    strongest.ok_or_else(|| {
        let shape = first.target.shape();
        let stranger = releases.iter().find(|release| follows(&release.target.shape(), &shape).is_err());
        ComposeError::NothingInCommon { first: first.to_string(), second: stranger.unwrap_or(first).to_string() }
    })
}

/// Translates the composition of all releases to `to`: [`translation::translate`] of the total with the strongest
/// result.
///
/// For example, `odds=3` and `group-privacy=2,odds=2` together have two totals, odds of 6 and odds of 18 between
/// datasets that differ by two people, and neither implies the other.
///
/// # Errors
/// As for [`compose`], and [`translation::translate`].
pub fn translate(releases: &[Statement], to: &Target) -> Result<Vec<Translation>, ComposeTranslateError> {
    let Total { statement: shown, tight } = strongest(releases)?;
    let mut lines = translation::translate(&shown, to)?;
    if bounds::nobody(&shown.target) || bounds::nobody(to) {
        return Ok(lines);
    }
    for line in &mut lines {
        // A translation is tight only if the total is.
        line.tight &= tight;
    }
    for Total { statement: total, tight } in totals(releases, Some(to.shape()))? {
        let Some(forward) = translation::translate(&total, to)?.into_iter().next() else { continue };
        let better = match (&forward.value, lines.first().and_then(|line| line.value.as_ref())) {
            (None, _) => false,
            (Some(_), _) if forward.direction == Direction::ImpliedBy => false,
            (Some(_), None) => true,
            (Some(one), Some(other)) => one.certainly_stronger(other, &to.notion),
        };
        if better {
            lines.retain(|line| line.direction == Direction::ImpliedBy);
            let tight = tight && forward.tight;
            let line = Translation { from: shown.clone(), direction: Direction::Implies, tight, ..forward };
            lines.insert(0, line);
        }
    }
    Ok(lines)
}

/// Errors in translating several releases together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeTranslateError {
    /// They do not compose.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// The total cannot be translated.
    #[error(transparent)]
    Promise(#[from] PromiseError),
}

/// The totals over all shapes that every release bounds, the strongest pairs first: single people before groups,
/// smaller groups before larger ones.
fn totals(releases: &[Statement], wanted: Option<Shape>) -> Result<Vec<Total>, ComposeError> {
    for (position, release) in (1..).zip(releases) {
        if let Some((theorem, why)) = refusal(&release.target) {
            let hint = hint(release);
            return Err(ComposeError::NotOdds { position, statement: release.to_string(), theorem, why, hint });
        }
    }
    let own = releases.iter().map(|release| release.target.shape());
    let usual = [Shape::Both, Shape::Up, Shape::Down, Shape::Replace];
    let mut candidates: Vec<Shape> = own.chain(usual).chain(wanted).collect();
    candidates.sort_by_key(rank);
    candidates.dedup();
    let mut all = Vec::new();
    let mut beyond = false;
    for candidate in candidates {
        match total(releases, candidate) {
            // Over other pairs, such as smaller groups, the total may be small enough.
            Err(ComposeError::TooLarge) => beyond = true,
            found => all.extend(found?),
        }
    }
    if all.is_empty() && beyond { Err(ComposeError::TooLarge) } else { Ok(all) }
}

/// Whether one statement of odds implies another.
fn implies(one: &Statement, other: &Statement) -> bool {
    let (StatementParameter::Odds(odds), StatementParameter::Odds(wanted)) = (&one.value, &other.value) else {
        return false;
    };
    follows(&one.target.shape(), &other.target.shape()).is_ok_and(|step| {
        let least = step.carry.apply(&odds.clone().into()).certainly_cmp(&wanted.clone().into());
        least.is_some_and(std::cmp::Ordering::is_le)
    })
}

/// The notion of odds of a shape whose ratios multiply: those of single pairs of datasets, or of a protocol's views.
/// `None` for ratios of averages, which do not multiply.
fn odds_of(shape: &Shape) -> Option<(Notion, Adjacency)> {
    Some(match *shape {
        Shape::Up => (Notion::Odds(Sign::Positive), Adjacency::AddRemove),
        Shape::Down => (Notion::Odds(Sign::Negative), Adjacency::AddRemove),
        Shape::Both => (Notion::Odds(Sign::Both), Adjacency::AddRemove),
        Shape::Replace => (Notion::Odds(Sign::Both), Adjacency::ReplaceOne),
        Shape::All => (Notion::FreeLunch, Adjacency::AddRemove),
        Shape::Group(size) => (Notion::Group { size }, Adjacency::AddRemove),
        Shape::ReplaceGroup(size) => (Notion::Group { size }, Adjacency::ReplaceOne),
        Shape::Induced(people) => (Notion::Induced(Facts::Apart(people)), Adjacency::AddRemove),
        Shape::Move => (Notion::InducedExchange(Facts::None), Adjacency::AddRemove),
        Shape::Exchanged(moves) => (Notion::InducedExchange(Facts::Apart(moves)), Adjacency::AddRemove),
        Shape::View { both } => (Notion::SemiHonest { both }, Adjacency::AddRemove),
        Shape::OneOf(_)
        | Shape::Sampled { .. }
        | Shape::SampledUp { .. }
        | Shape::Uniform
        | Shape::Simulated(_)
        | Shape::SimulatedRows(_)
        | Shape::Crowd(_)
        | Shape::Table { .. } => return None,
    })
}

/// The order in which totals are tried, independently of the order of the releases.
fn rank(shape: &Shape) -> (u32, u32) {
    match shape {
        Shape::All => (0, 0),
        Shape::Both => (1, 0),
        Shape::Move => (1, 1),
        Shape::Up => (2, 0),
        Shape::Down => (3, 0),
        Shape::Group(size) => (4, *size),
        Shape::ReplaceGroup(size) => (6, *size),
        Shape::Induced(people) => (7, *people),
        Shape::Exchanged(moves) => (8, *moves),
        Shape::View { both } => (9, u32::from(!both)),
        _ => (5, 0),
    }
}

/// The product over one shape; `None` if a release does not bound it.
fn total(releases: &[Statement], shape: Shape) -> Result<Option<Total>, ComposeError> {
    // A simulator's ratio is not a ratio of two rows of the mechanism: the product of two bounds nothing.
    let Some((notion, adjacency)) = odds_of(&shape) else { return Ok(None) };
    let mut tight = true;
    let mut total = Amount::of(deniable_core::exact::whole(1));
    for release in releases {
        let Ok(step) = follows(&release.target.shape(), &shape) else { return Ok(None) };
        let Some(odds) = odds(release) else { return Err(ComposeError::NotExact) };
        tight &= step.tight;
        total = total.and(&step.carry.apply(&odds));
    }
    let Amount::Exact(total) = total else { return Err(ComposeError::NotExact) };
    let total = plain(&total);
    if !is_readable(&total) {
        return Err(ComposeError::TooLarge);
    }
    let target = Target { notion, adjacency, priors: PriorRange::any() };
    Ok(Some(Total { statement: Statement { target, value: StatementParameter::Odds(total) }, tight }))
}

/// The odds that a release bounds over its shape. A statement about any prior is equivalent to its odds (F-DI, F-DB;
/// C-6): observers who consider two datasets possible come arbitrarily close to the bound, so its odds are necessary
/// and sufficient.
fn odds(release: &Statement) -> Option<Amount> {
    match &release.value {
        StatementParameter::Odds(odds) if !is_about_any_prior(&release.target) => Some(odds.clone().into()),
        _ if is_about_any_prior(&release.target) => bounds::enough(release).ok(),
        _ => None,
    }
}

/// Whether the notion is about beliefs and holds for every prior, over any two worlds.
fn is_about_any_prior(target: &Target) -> bool {
    match &target.notion {
        Notion::Gain | Notion::NegativeGain | Notion::Membership | Notion::Indistinguishable { .. } => {
            target.priors.is_any()
        }
        Notion::AlphaBeta { least, most } => least.is_zero() && most.is_none(),
        _ => false,
    }
}

/// The reason why a notion does not compose: the entry with the counterexample, and its content.
fn refusal(target: &Target) -> Option<(&'static str, &'static str)> {
    match &target.notion {
        _ if is_about_any_prior(target) => None,
        Notion::Odds(_)
        | Notion::Epsilon(_)
        | Notion::FreeLunch
        | Notion::Group { .. }
        | Notion::ZeroKnowledge { .. }
        | Notion::ZeroKnowledgeRows { .. }
        | Notion::Induced(_)
        | Notion::InducedExchange(_)
        | Notion::SemiHonest { .. } => None,
        Notion::CrowdBlending { .. } => {
            Some(("I-CBP", "two answers may each hide a person in a different crowd, and together in none"))
        }
        Notion::BayesOptimal { .. } => {
            Some(("I-BOP", "two tables may each leave two values possible, and together only one"))
        }
        Notion::AlphaBeta { .. } => {
            Some(("E-2", "after the first answer worlds no longer have the prior to which the second was calibrated"))
        }
        Notion::UniformGain => {
            Some(("E-3", "under the uniform prior (k-Max) two answers of γ = 3/2 can prove a person's presence"))
        }
        Notion::SampledGain { .. } | Notion::Sampling { .. } | Notion::PositiveSampling { .. } => Some((
            "I-DPS",
            "two answers from one sample have larger odds than the product: odds of 3, at rate 1/2, are 2 each and 5 \
             together",
        )),
        Notion::Gain
        | Notion::NegativeGain
        | Notion::Membership
        | Notion::Ceiling
        | Notion::Floor
        | Notion::Indistinguishable { .. }
        | Notion::Rho { .. } => {
            Some(("E-4", "after the first answer beliefs have left the range that the second assumes"))
        }
    }
}

fn hint(release: &Statement) -> String {
    let odds = match (&release.target.notion, release.target.shape()) {
        (
            Notion::Sampling { .. }
            | Notion::PositiveSampling { .. }
            | Notion::SampledGain { .. }
            | Notion::UniformGain,
            _,
        ) => {
            return "compose the odds of the mechanisms (`odds=` or `epsilon=`) and translate the total".to_owned();
        }
        (Notion::CrowdBlending { .. } | Notion::BayesOptimal { .. }, _) => {
            return "state what the mechanisms keep between neighbours (`odds=` or `bounded-odds=`)".to_owned();
        }
        (_, Shape::Up) => "positive-odds",
        (_, Shape::Down) => "negative-odds",
        (_, Shape::Replace | Shape::OneOf(_)) => "bounded-odds",
        _ => "odds",
    };
    let Ok(Amount::Exact(value)) = bounds::enough(release) else {
        return format!("compose what its mechanism was calibrated to, as `{odds}=`, and translate the total");
    };
    format!(
        "if its mechanism was calibrated to `{odds}={value}`, which is enough for it, compose that and translate the total"
    )
}
