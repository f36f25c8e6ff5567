//! `deniable gwas power`: the probability that a selection finds the causal SNPs, and the participants that this needs.

use crate::args::gwas::Power as Args;
use crate::args::output::LedgerFormat;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::output::{publish, writable};
use crate::progress::Progress;
use deniable::gwas::Settings;
use deniable::gwas::{PowerEvent, PowerOptions, charts, power, priors};
use std::path::PathBuf;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let options = options(args)?;
    let is_own = options.is_own_cohort();
    if is_own && args.chart.is_some() {
        let help = "leave --chart out: results about your own cohort must not be published";
        return Err(Failure::usage("--chart draws simulated cohorts only, not --bfile or --vcf", help));
    }
    if is_own {
        writable(&[("--out", args.out.as_deref())], &options.genotypes.files()?.all())?;
    }
    let progress = Progress::new();
    let measured = power(&options, &mut |event| match event {
        PowerEvent::Reading(snps) => progress.rows("reading SNPs", snps),
        PowerEvent::Computing(done) => progress.rows("probabilities computed", done.done as u64),
        _ => {}
    });
    progress.done();
    let report = measured?;
    let text = match args.format {
        LedgerFormat::Json => deniable::json(&report),
        LedgerFormat::Table => report.to_string(),
    };
    // Standard output is for publishable results; those about the curator's own cohort are not publishable.
    match (&args.out, report.power.simulated) {
        (None, false) => say(text.trim_end()),
        (out, _) => publish(&text, out.as_ref())?,
    }
    if let Some(prefix) = &args.chart {
        for (name, picture) in charts(&report) {
            let mut path = prefix.as_os_str().to_owned();
            path.push(format!("-{name}.svg"));
            let path = PathBuf::from(path);
            publish(&picture, Some(&path))?;
            say(format!("the curves are in {}", shown(&path)));
        }
    }
    Ok(())
}

fn options(args: &Args) -> Result<PowerOptions, Failure> {
    Ok(PowerOptions {
        genotypes: args.input.genotypes(),
        causal: args.causal.clone(),
        fill: args.fill.into(),
        settings: Settings {
            snps: args.simulated_snps,
            causes: args.odds_ratios.clone(),
            frequencies: args.frequencies,
            block: args.block,
            risk: args.risk,
            ..Settings::default()
        },
        participants: args.participants.clone(),
        seeds: args.seeds,
        gain: args.gain.clone(),
        epsilon: args.epsilon.clone(),
        prior: args.prior.iter().map(|text| priors(text)).collect::<Result<_, _>>()?,
        adjacency: args.adjacency.iter().map(|one| (*one).into()).collect(),
        top: args.top.clone(),
        score: args.score.iter().map(|one| (*one).into()).collect(),
        threshold: args.threshold.clone(),
        p_value: args.p_value.clone(),
        test: args.test.into(),
        grid: args.grid.clone(),
        target: args.target,
        threads: args.threads,
    })
}
