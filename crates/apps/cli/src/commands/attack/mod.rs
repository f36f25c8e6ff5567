//! `deniable attack`: what a known adversary learns from a release.

mod bounds;
mod files;
mod linkage;
mod membership;
mod share;

use crate::args::attack::Attack;
use crate::error::Failure;
use deniable_attack::Test;

/// Runs it.
pub fn run(args: &Attack) -> Result<(), Failure> {
    match args {
        Attack::Homer(membership) => membership::run(Test::Homer, membership),
        Attack::Lr(membership) => membership::run(Test::LikelihoodRatio, membership),
        Attack::Linkage(linkage) => linkage::by_columns(linkage),
        Attack::Ratings(ratings) => linkage::by_ratings(ratings),
    }
}
