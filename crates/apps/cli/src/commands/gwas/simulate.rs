//! `deniable gwas simulate`: a cohort with planted causes.

use crate::args::gwas::Simulate;
use crate::args::output::LedgerFormat;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::output::publish;
use crate::progress::Progress;
use crate::render;
use deniable_genome::plink;
use deniable_genome::simulate::{Cause, Settings, SimulateError, write};
use serde::Serialize;
use std::fmt::Write as _;

/// A planted cause, as it is written.
#[derive(Serialize)]
struct PlantedCause {
    snp: String,
    frequency: f64,
    odds_ratio: f64,
}

/// Runs it.
pub fn run(args: &Simulate) -> Result<(), Failure> {
    let settings = Settings {
        cases: args.cases,
        controls: args.controls,
        snps: args.snps,
        frequencies: args.frequencies,
        block: args.block,
        founders: args.founders,
        switch: args.switch,
        missing: args.missing,
        risk: args.risk,
        causes: args.odds_ratios.clone(),
    };
    if let Some(file) = plink::files(&args.out).into_iter().find(|file| file.exists()) {
        let help = "name another prefix with --out, or remove the old files";
        return Err(Failure::usage(format!("{} is there already", file.display()), help));
    }
    let progress = Progress::new();
    if u64::from(args.snps) * u64::from(args.cases.saturating_add(args.controls)) > 50_000_000 {
        progress.says("making genotypes");
    }
    let causes = write(&settings, args.seed, &args.out).map_err(failure)?;
    progress.done();
    let planted: Vec<PlantedCause> = causes
        .iter()
        .map(|Cause { snp, frequency, odds_ratio }| PlantedCause {
            snp: deniable_genome::simulate::name(*snp),
            frequency: *frequency,
            odds_ratio: *odds_ratio,
        })
        .collect();
    let mut table = String::from("SNP\tFREQUENCY\tODDS_RATIO\n");
    for PlantedCause { snp, frequency, odds_ratio } in &planted {
        // Writing to a string does not fail.
        let _ = writeln!(table, "{snp}\t{frequency}\t{odds_ratio}");
    }
    let mut planted_in = args.out.as_os_str().to_owned();
    planted_in.push(".causal.tsv");
    publish(&table, Some(&planted_in.into()))?;
    say(format!(
        "{} cases, {} controls and {} SNPs are in {}.bed, .bim and .fam; what was planted is in {}.causal.tsv",
        args.cases,
        args.controls,
        args.snps,
        shown(&args.out),
        shown(&args.out)
    ));
    match args.format {
        LedgerFormat::Table => publish(&table, None),
        LedgerFormat::Json => publish(&render::json(&planted)?, None),
    }
}

fn failure(error: SimulateError) -> Failure {
    match error {
        SimulateError::Setting { name, range } => {
            let flag = match name {
                "causes" => "odds-ratios",
                other => other,
            };
            Failure::usage(
                format!("--{flag} must be {range}"),
                "`deniable gwas simulate --help` lists the usual values",
            )
        }
        error @ SimulateError::Write { .. } => Failure::refused(error, "name another prefix with --out"),
    }
}
