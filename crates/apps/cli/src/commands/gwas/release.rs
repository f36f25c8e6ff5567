//! `deniable gwas`: releases.

use super::tell;
use crate::args::gwas::{Adjacency, GwasFormat, PromiseFlags, Release};
use crate::console::say;
use crate::error::Failure;
use crate::output::{publish, publish_page, writable};
use crate::progress::Progress;
use deniable::gwas::{Error, Protects, ReleaseOptions, ReleaseReport, change_promise, forecast, priors, release};
use deniable::report::of_ledger;
use deniable_core::exact::whole;
use deniable_core::promise::Promise;

/// Runs it.
pub fn run(args: &Release) -> Result<(), Failure> {
    let options = options(args)?;
    if let Some(reason) = &args.change_promise {
        let change = change_promise(&options, reason)?;
        say(change.to_string());
        say(format!("ledger head {}", change.head));
        return Ok(());
    }
    writable(&[("--out", args.out.as_deref()), ("--report", args.report.as_deref())], &options.own_files()?)?;
    let progress = Progress::new();
    if args.dry_run {
        let forecast = forecast(&options, &mut |event| tell(&progress, &event));
        progress.done();
        return publish(&forecast?.to_string(), None);
    }
    let released = release(&options, &mut |event| tell(&progress, &event));
    progress.done();
    let mut report = released?;
    // All failures are reported; the last is returned, after the other answers are written.
    let mut failed = None;
    for error in report.unanswered.drain(..) {
        failed.replace(Failure::from(Error::from(error))).iter().for_each(Failure::tell);
    }
    if !report.publication.answers.is_empty() {
        publish(&written(&report, args), args.out.as_ref())?;
    }
    if let Some(page) = &args.report {
        publish_page(&of_ledger(options.cohort_promise()?.ledger())?, page)?;
    }
    failed.map_or(Ok(()), Err)
}

fn options(args: &Release) -> Result<ReleaseOptions, Failure> {
    let has = |one| args.adjacency.contains(&one);
    let adjacency = match (has(Adjacency::Genotype), has(Adjacency::LabelSwap)) {
        (true, true) => Some(Protects::Both),
        (true, false) => Some(Protects::Genotype),
        (false, true) => Some(Protects::LabelSwap),
        (false, false) => None,
    };
    Ok(ReleaseOptions {
        genotypes: args.input.genotypes(),
        declared: args.declared.declaration(args.policy.as_ref()),
        promise: promises(&args.promise),
        prior: args.promise.prior.as_deref().map(priors).transpose()?,
        adjacency,
        spend: args.spend.clone().unwrap_or_else(|| whole(1)),
        register: args.register,
        top: args.top,
        score: args.score.into(),
        threshold: args.threshold.clone(),
        p_value: args.p_value.clone(),
        snps: args.snps.clone(),
        extract: args.extract.clone(),
        statistics: args.statistics,
        counts: args.counts,
        test: args.test.into(),
        fill: args.fill.into(),
        grid: args.grid.clone(),
        threads: args.threads,
    })
}

/// The promises of the flags that are given.
fn promises(flags: &PromiseFlags) -> Vec<Promise> {
    let PromiseFlags { gain, negative_gain, posterior_at_most, posterior_at_least, epsilon, .. } = flags;
    let all = [
        gain.clone().map(Promise::Gain),
        negative_gain.clone().map(Promise::NegativeGain),
        posterior_at_most.clone().map(Promise::PosteriorAtMost),
        posterior_at_least.clone().map(Promise::PosteriorAtLeast),
        epsilon.clone().map(Promise::Epsilon),
    ];
    all.into_iter().flatten().collect()
}

/// The results in the format of the flags.
fn written(report: &ReleaseReport, args: &Release) -> String {
    let ending = args.out.as_ref().and_then(|out| out.extension()).and_then(|ending| ending.to_str());
    let format = args.format.unwrap_or(match ending {
        Some("tsv" | "txt" | "assoc") => GwasFormat::Tsv,
        Some("json") => GwasFormat::Json,
        _ => GwasFormat::Table,
    });
    match format {
        GwasFormat::Table => report.to_string(),
        GwasFormat::Json => deniable::json(report),
        GwasFormat::Tsv => {
            say(report.publication.guarantee_in_words());
            say(report.protects.sentence());
            for answer in &report.publication.answers {
                if let Some(withdrawn) = &answer.withdrawn {
                    say(format!("{}: WITHDRAWN: {withdrawn}", answer.name));
                }
            }
            report.tab_separated()
        }
    }
}
