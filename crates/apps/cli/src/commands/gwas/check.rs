//! `deniable gwas check`: the curator's look at a cohort, and the registration of its version. Everything said here depends on
//! private genotypes.

use super::people::{open, people, phenotype, stem, tell, version};
use super::release::failure;
use crate::args::gwas::Check;
use crate::args::limits::all_threads;
use crate::args::output::LedgerFormat;
use crate::console::say;
use crate::error::Failure;
use crate::genotypes::files;
use crate::output::publish;
use crate::progress::Progress;
use crate::render;
use deniable_genome::Log;
use deniable_gwas::{CohortFiles, DeclaredCohort, Event, Means, check};
use deniable_ledger::RegistrationOutcome;
use deniable_policy::Policy;
use serde_json::Value;
use std::cell::RefCell;

/// What was found, for programs.
fn json(source: &str, version: &str, log: &Log) -> Value {
    serde_json::json!({
        "cohort": source,
        "version": version,
        "people": log.people,
        "cases": log.cases,
        "controls": log.controls,
        "without_phenotype": log.unphenotyped,
        "only_in_phenotypes": log.strangers,
        "sex_unknown": log.sex_unknown,
        "snps": log.snps,
        "snps_used": log.used,
        "snps_left_out": {
            "x": log.x,
            "y": log.y,
            "mitochondrial": log.mt,
            "other_contigs": log.contigs,
            "negative_position": log.switched_off,
            "several_alternate_alleles": log.multiallelic,
            "without_genotypes": log.without_genotypes,
        },
        "monomorphic": log.monomorphic,
        "missing_genotypes": log.missing_calls,
        "half_calls": log.half_calls,
    })
}

/// Runs it.
pub fn run(args: &Check) -> Result<(), Failure> {
    let files = CohortFiles::new(files(&args.input)?);
    let (population, ledger) = match &args.policy {
        None => people(&args.declared, files.files())?,
        Some(policy) => {
            let policy = Policy::load(policy)?;
            let ledger = args.declared.ledger.clone().unwrap_or_else(|| policy.ledger().to_owned());
            (policy.population().to_owned(), ledger)
        }
    };
    let (source, version) = (stem(files.files()).1, version(&args.declared)?);
    let phenotype = phenotype(&args.input);
    let mut ledger = open(&ledger, &population, &args.declared, &files)?;
    let progress = Progress::new();
    let found = RefCell::new(None);
    let tell = |event: Event<'_>| match event {
        Event::Read(log) if args.format == LedgerFormat::Json => {
            progress.done();
            found.replace(Some(log.clone()));
        }
        event => tell(&progress, event, (&source, &version)),
    };
    let means = Means { files: &files, threads: all_threads(args.threads), register: false, tell: &tell };
    let declared = DeclaredCohort { source: &source, version: &version, phenotype: phenotype.as_deref() };
    let checked = check(&means, declared, &mut ledger);
    progress.done();
    if let Some(log) = found.into_inner() {
        // Also of what is not registered: that is where the numbers matter most.
        publish(&render::json(&json(&source, &version, &log))?, None)?;
    }
    say(match checked.map_err(failure)? {
        RegistrationOutcome::New => format!("registered version \"{version}\" of `{source}`"),
        RegistrationOutcome::Again => {
            format!("registered version \"{version}\" of `{source}` again: with this phenotype")
        }
        RegistrationOutcome::Same => {
            format!("version \"{version}\" of `{source}` is registered already, with these files")
        }
    });
    say(format!("ledger head {}", ledger.head()));
    Ok(())
}
