//! `deniable gwas simulate`: a cohort with planted causal SNPs.

use crate::args::gwas::Simulate;
use crate::args::output::LedgerFormat;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::output::publish;
use crate::progress::Progress;
use deniable::gwas::{SimulateOptions, simulate};

/// Runs it.
pub fn run(args: &Simulate) -> Result<(), Failure> {
    let options = SimulateOptions { out: args.out.clone(), settings: args.settings(), seed: args.seed };
    let progress = Progress::new();
    if u64::from(args.snps) * u64::from(args.cases.saturating_add(args.controls)) > 50_000_000 {
        progress.says("making genotypes");
    }
    let simulated = simulate(&options);
    progress.done();
    let (simulated, out) = (simulated?, shown(&args.out));
    say(format!(
        "{} cases, {} controls and {} SNPs are in {out}.bed, .bim and .fam; the planted SNPs are in {out}.causal.tsv",
        args.cases, args.controls, args.snps,
    ));
    match args.format {
        LedgerFormat::Table => publish(&simulated.to_string(), None),
        LedgerFormat::Json => publish(&deniable::json(&simulated), None),
    }
}
