//! Whom files are about, as the ledger knows them, and the ledger itself.

use crate::args::gwas::{DeclaredFiles, Input};
use crate::console::{NEW_LEDGER, say, say_of, shown};
use crate::error::Failure;
use crate::genotypes::file_failure;
use crate::progress::Progress;
use deniable_gwas::{CohortFiles, Event, Files, Origin};
use deniable_ledger::{Ledger, Purpose};
use std::path::{Path, PathBuf};

/// The people and their ledger, by flags, or by the files' name.
pub fn people(declared: &DeclaredFiles, files: &Files) -> Result<(String, PathBuf), Failure> {
    let (folder, stem) = stem(files);
    let population = declared.population.clone().unwrap_or(stem);
    if !deniable_policy::is_population(&population) {
        let help = "name the people with --population, in letters, digits, - and _, as in --population biobank";
        return Err(Failure::usage(format!("\"{population}\" is no name for a population"), help));
    }
    let ledger = declared.ledger.clone().unwrap_or_else(|| folder.join(format!("{population}.ledger")));
    Ok((population, ledger))
}

/// The version that the files are declared to be.
pub fn version(declared: &DeclaredFiles) -> Result<String, Failure> {
    if declared.data_version.trim().is_empty() {
        return Err(Failure::usage("--data-version is empty", "write --data-version 1, or 2024-06"));
    }
    Ok(declared.data_version.clone())
}

/// The folder and the name of the files: `cohort` for `data/cohort.bed` and for `data/cohort.vcf.gz`.
pub fn stem(files: &Files) -> (PathBuf, String) {
    let path = match files {
        Files::Plink { prefix, .. } => prefix,
        Files::Vcf { file, .. } => file,
    };
    let name = path.file_name().map_or_else(|| "cohort".into(), |name| name.to_string_lossy().into_owned());
    let name = match files {
        Files::Plink { .. } => name.as_str(),
        Files::Vcf { .. } => name.trim_end_matches(".gz").trim_end_matches(".bgz").trim_end_matches(".vcf"),
    };
    (path.parent().map(Path::to_owned).unwrap_or_default(), name.to_owned())
}

/// Which phenotype of a file with several; the first needs no name.
pub fn phenotype(input: &Input) -> Option<String> {
    let number = input.mpheno.filter(|number| number.get() > 1).map(|number| format!("number {number}"));
    input.pheno_name.clone().or(number)
}

/// Opens the ledger, and says so when it begins a new one.
pub fn open(path: &Path, population: &str, declared: &DeclaredFiles, files: &CohortFiles) -> Result<Ledger, Failure> {
    if !path.exists() {
        // Mistyped names should not leave an empty ledger behind.
        files.open().map_err(|error| file_failure(&error))?;
    }
    let source = stem(files.files()).1;
    let (sources, other_people) = (vec![source.as_str()], declared.other_people);
    let purpose = Purpose { sources, other_people, ..Purpose::people(population) };
    let ledger = Ledger::open_for(path, &purpose)?;
    if ledger.is_new() {
        say_of(NEW_LEDGER, format!("a new ledger begins: {}", shown(path)));
        let others = other_ledgers(path);
        if !others.is_empty() {
            say(format!(
                "there are other ledgers beside it: {}. The same people must be charged to one ledger, or what they were promised is \
                 broken without a word: name theirs with --population or --ledger",
                others.join(", ")
            ));
        }
    }
    Ok(ledger)
}

/// The names of other ledgers in the same folder.
fn other_ledgers(ledger: &Path) -> Vec<String> {
    let folder = ledger.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_other = |name: &std::ffi::OsString| {
        Path::new(name).extension().is_some_and(|ending| ending == "ledger")
            && Some(name.as_os_str()) != ledger.file_name()
    };
    let mut others: Vec<String> = names.filter(is_other).map(|name| name.to_string_lossy().into_owned()).collect();
    others.sort();
    others
}

/// Says what happens while files of a version are read, and answers come.
pub fn tell(progress: &Progress, event: Event<'_>, (source, version): (&str, &str)) {
    match event {
        Event::Reading(snps) => progress.rows("reading SNPs", snps),
        Event::Read(log) => {
            progress.done();
            say(log.to_string());
        }
        Event::Registered => say(format!("registered version \"{version}\" of `{source}`")),
        Event::WrittenSince => say(format!(
            "the files of `{source}` were written to after version \"{version}\" was registered, and the stored answers are about \
             what they held then. `deniable gwas check` tells whether they changed; if so, name a new --data-version"
        )),
        Event::Scoring(snps) if snps >= 200_000 => progress.says("computing distances"),
        Event::Scoring(_) | Event::Picking | Event::Storing => {}
        Event::Answered(name, origin) => {
            progress.done();
            say(match origin {
                Origin::Charged => format!("{name}: charged and answered"),
                Origin::Resumed => format!("{name}: answered; an earlier run had charged it"),
                Origin::Stored => format!("{name}: stored answer, free"),
            });
        }
    }
}
