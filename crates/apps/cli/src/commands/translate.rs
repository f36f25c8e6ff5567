//! `deniable translate`: one promise in the terms of others.

use crate::args::check::Translate as Args;
use crate::error::Failure;
use crate::output::publish_report;
use deniable::translate::{Options, but_for_a_chance, translate};

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let options = Options {
        from: args.from.clone(),
        to: args.to.clone(),
        prior: args.prior.clone(),
        compose: args.compose,
        chance: args.chance.clone(),
    };
    if options.is_about_a_chance() {
        return publish_report(&but_for_a_chance(&options)?, args.format);
    }
    publish_report(&translate(&options)?, args.format)
}
