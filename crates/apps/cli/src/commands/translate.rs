//! `deniable translate`: one promise in the terms of others.

use crate::args::check::Translate as Args;
use crate::error::Failure;
use crate::output::{Rendering, publish};
use crate::render;
use deniable_core::adversary::PriorRange;
use deniable_translate::render::{Row, text};
use deniable_translate::translation::translate;
use deniable_translate::{compose, parse};

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    publish(found(args)?.as_asked(args.format), None)
}

/// What follows from what, and the other way round.
pub fn found(args: &Args) -> Result<Rendering, Failure> {
    let usage = |error: &dyn std::fmt::Display, help: &str| Failure::usage(error, help);
    let help = "`deniable translate --help` has examples; `deniable explain` lists the notions";
    let priors = match &args.prior {
        Some(text) => {
            parse::priors(text).map_err(|error| usage(&format!("--prior: {error}"), "write --prior 1/5..4/5"))?
        }
        None => PriorRange::any(),
    };
    let releases: Vec<_> = args
        .from
        .iter()
        .map(|text| parse::statement(text, &priors).map_err(|error| usage(&format!("--from: {error}"), help)))
        .collect::<Result<_, _>>()?;
    let from = match (args.compose, releases.as_slice()) {
        (false, [one]) => one.clone(),
        (false, _) => return Err(usage(&"several --from", "add --compose to translate all of them together")),
        (true, all) => compose::compose(all).map_err(|error| {
            Failure::refused(error, "odds compose (C-1): state each release by its odds or epsilon")
        })?,
    };
    let targets: Vec<String> =
        if args.to.is_empty() { parse::targets().into_iter().map(str::to_owned).collect() } else { args.to.clone() };
    let mut rows = Vec::new();
    for target in &targets {
        let target = parse::target(target, &priors).map_err(|error| usage(&format!("--to: {error}"), help))?;
        let lines = if args.compose {
            compose::translate(&releases, &target).map_err(|error| Failure::refused(error, help))?
        } else {
            translate(&from, &target).map_err(|error| Failure::refused(error, help))?
        };
        rows.extend(lines.iter().map(Row::new));
    }
    Ok(Rendering { table: format!("{from}\n\n{}", text(&rows)), json: render::json(&rows)? })
}
