//! `deniable attack`: measures what a known adversary learns from a release.

use crate::args::attack::{Attack, Linkage, Membership, Output, Pool, Ratings};
use crate::args::output::Results;
use crate::console::say;
use crate::error::Failure;
use crate::ledgers;
use crate::output::{publish, results, writable};
use crate::progress::Progress;
use deniable::Surface;
use deniable::attack::{
    Columns, LinkageOptions, LinkageReport, MembershipOptions, Others, RatingsOptions, Settings, Side, Test, linkage,
    linkage_page, membership, membership_page, ratings,
};
use std::path::PathBuf;

/// Runs it.
pub fn run(args: &Attack) -> Result<(), Failure> {
    match args {
        Attack::Homer(args) => by_frequencies(Test::Homer, args),
        Attack::Lr(args) => by_frequencies(Test::LikelihoodRatio, args),
        Attack::Linkage(args) => by_columns(args),
        Attack::Ratings(args) => by_ratings(args),
    }
}

/// Rejects, before anything is read, output files that cannot be written or would overwrite an input.
fn outputs(output: &Output, scores: Option<&PathBuf>, own: &[PathBuf]) -> Result<(), Failure> {
    let Results { out, report, .. } = &output.results;
    let scores = scores.map(PathBuf::as_path);
    writable(&[("--out", out.as_deref()), ("--report", report.as_deref()), ("--scores", scores)], own)
}

fn by_frequencies(test: Test, args: &Membership) -> Result<(), Failure> {
    let others = |file: &PathBuf| if file.as_os_str() == "rest" { Others::Rest } else { Others::Listed(file.clone()) };
    let options = MembershipOptions {
        test,
        released: args.released.clone(),
        reference: args.reference.clone(),
        reference_people: args.reference_people.clone(),
        targets: args.targets.clone(),
        members: args.members.clone(),
        others: args.others.as_ref().map(others),
        pool: match args.pool {
            Pool::Cases => Side::Cases,
            Pool::Controls => Side::Controls,
        },
        clamp: args.clamp,
        ledger: args.ledger.as_deref().map(ledgers::path).transpose()?,
        entry: args.entry,
        confidence: args.output.confidence.clone(),
    };
    outputs(&args.output, args.scores.as_ref(), &options.files())?;
    let progress = Progress::new();
    let found = membership(&options, &|what| progress.says(what))?;
    progress.done();
    found.warnings.iter().for_each(|warning| say(warning.text(Surface::Command)));
    results(&args.output.results, &found, || membership_page(&found))?;
    if let Some(scores) = &args.scores {
        publish(&found.score_table(), Some(scores))?;
        say(format!("every target's statistic is in {}", scores.display()));
    }
    Ok(())
}

fn by_columns(args: &Linkage) -> Result<(), Failure> {
    let options = LinkageOptions {
        released: args.released.clone(),
        auxiliary: args.auxiliary.clone(),
        on: args.on.clone(),
        truth: args.truth.clone(),
        outsiders: args.outsiders.clone(),
        confidence: args.output.confidence.clone(),
    };
    linked(&args.output, [&args.released, &args.auxiliary], args.outsiders.as_ref(), |progress| {
        Ok(linkage(&options, progress)?)
    })
}

fn by_ratings(args: &Ratings) -> Result<(), Failure> {
    let options = RatingsOptions {
        released: args.released.clone(),
        auxiliary: args.auxiliary.clone(),
        columns: Columns {
            person: args.person.clone(),
            item: args.item.clone(),
            rating: args.rating.clone(),
            day: args.day.clone(),
        },
        same_names: args.same_names,
        outsiders: args.outsiders.clone(),
        settings: Settings {
            rating: args.rating_within,
            days: args.days_within,
            items: args.items,
            eccentricity: args.ahead,
        },
        confidence: args.output.confidence.clone(),
    };
    linked(&args.output, [&args.released, &args.auxiliary], args.outsiders.as_ref(), |progress| {
        Ok(ratings(&options, progress)?)
    })
}

/// Runs one of the linkage attacks and writes the results.
fn linked(
    output: &Output,
    tables: [&PathBuf; 2],
    outsiders: Option<&PathBuf>,
    attack: impl FnOnce(&dyn Fn(&str)) -> Result<LinkageReport, Failure>,
) -> Result<(), Failure> {
    let own: Vec<PathBuf> = tables.into_iter().chain(outsiders).cloned().collect();
    outputs(output, None, &own)?;
    let progress = Progress::new();
    let found = attack(&|what| progress.says(what))?;
    progress.done();
    results(&output.results, &found, || linkage_page(&found))
}
