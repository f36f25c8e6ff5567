//! `deniable attack homer` and `lr`: who took part?

mod findings;
mod page;

use crate::args::attack::{Membership, Pool};
use crate::commands::attack::bounds::promised;
use crate::commands::attack::files::{outputs, table_failure};
use crate::commands::attack::share::confidence;
use crate::console::say;
use crate::error::Failure;
use crate::genotypes::not_a_prefix;
use crate::output::{publish, results};
use crate::progress::Progress;
use deniable_attack::frequencies::{self, Frequencies};
use deniable_attack::{Clamp, Findings, Panel, Side, Source, Targets, Test, listed, parted, reference, statistics};
use deniable_genome::plink;
use findings::MembershipFindings;
use std::path::{Path, PathBuf};

/// Runs it.
pub fn run(test: Test, args: &Membership) -> Result<(), Failure> {
    let confidence = confidence(&args.output)?;
    let clamp = Clamp::new(args.clamp).ok_or_else(|| {
        Failure::usage(
            format!("--clamp {} is not above 0 and below 1/2", args.clamp),
            "leave it out, or write --clamp 0.001",
        )
    })?;
    outputs(&args.output, args.scores.as_ref(), &own_files(args))?;
    let promised = promised(args.ledger.as_deref(), args.entry)?;
    let fault = |error| table_failure(&error);
    let side = match args.pool {
        Pool::Cases => Side::Cases,
        Pool::Controls => Side::Controls,
    };
    let progress = Progress::new();
    let released = frequencies::read(&args.released, side).map_err(fault)?;
    let people = source(&args.targets)?
        .ok_or_else(|| {
            let message = format!("--targets {}: there are no genotypes of that name", args.targets.display());
            Failure::usage(message, "name a PLINK prefix (PREFIX.bed, .bim and .fam) or a VCF file")
        })?
        .open()
        .map_err(|error| table_failure(&deniable_attack::TableError::from(error)))?;
    // Lists are read first: a mistyped one should not cost the time of reading genotypes.
    let labels = labels(args, people.names())?;
    progress.says("reading frequencies of people at large");
    let labels = apart_from_reference(args, &people, labels)?;
    let reference = reference_of(args, &released)?;
    progress.says("reading the genotypes of targets");
    let panel = Panel::new(&released, &reference);
    if panel.is_empty() {
        let help = "SNPs are matched by their names and alleles; check that both are of the same panel";
        return Err(Failure::refused("the released table and the reference share no SNP", help));
    }
    let targets = Targets::read(&people, &panel, &args.targets).map_err(fault)?;
    let statistics = statistics(test, &targets, clamp);
    progress.done();
    let (members, others) = parted(&statistics.each, &labels);
    let measured = args.members.is_some().then(|| Findings::of(&members, &others, confidence));
    let attacked = MembershipFindings {
        test,
        released: &args.released,
        targets: &targets,
        statistics: &statistics,
        measured,
        promised,
        confidence,
        files: files(args),
    };
    results(&args.output.results, &attacked.table(), &attacked.written(), &|| attacked.page())?;
    if let Some(scores) = &args.scores {
        publish(&attacked.scores(&labels), Some(scores))?;
        say(format!("every target's statistic is in {}", scores.display()));
    }
    Ok(())
}

/// A VCF file or a PLINK fileset; `None` where there is neither.
fn source(path: &Path) -> Result<Option<Source>, Failure> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    if [".vcf", ".vcf.gz", ".vcf.bgz"].iter().any(|ending| name.ends_with(ending)) {
        return Ok(Some(Source::Vcf(path.to_owned())));
    }
    let [bed, ..] = plink::files(path);
    if bed.is_file() {
        return Ok(Some(Source::Plink(path.to_owned())));
    }
    if let Some(prefix) = plink::meant(path) {
        return Err(not_a_prefix(path, &prefix));
    }
    Ok(None)
}

/// The frequencies of people at large, from a table or from genotypes.
fn reference_of(args: &Membership, released: &Frequencies) -> Result<Frequencies, Failure> {
    let chosen = args.reference_people.as_deref();
    let Some(source) = source(&args.reference)? else {
        if chosen.is_some() {
            let help = "leave --reference-people out, or name genotypes with --reference";
            return Err(Failure::usage(
                "--reference-people chooses people, and --reference is a table of frequencies",
                help,
            ));
        }
        return frequencies::read(&args.reference, Side::Controls).map_err(|error| table_failure(&error));
    };
    let fault = |error| table_failure(&deniable_attack::TableError::from(error));
    let people = source.open().map_err(fault)?;
    let kept = match chosen {
        Some(file) => listed(people.names(), file).map_err(|error| table_failure(&error))?.0,
        None => vec![true; people.names().len()],
    };
    reference::of_people(&people, &|place| kept.get(place) == Some(&true), released).map_err(fault)
}

/// Whom the reference is of cannot be targets as well. Where both are the same files it is known who they are: members among them
/// are refused, and others do not calibrate the test.
fn apart_from_reference(
    args: &Membership,
    people: &deniable_genome::Individuals,
    mut labels: Vec<Option<bool>>,
) -> Result<Vec<Option<bool>>, Failure> {
    if args.reference != args.targets {
        return Ok(labels);
    }
    let kept = match &args.reference_people {
        Some(file) => listed(people.names(), file).map_err(|error| table_failure(&error))?.0,
        None => vec![true; labels.len()],
    };
    let shared =
        |wanted: bool| labels.iter().zip(&kept).filter(|(label, kept)| **kept && **label == Some(wanted)).count();
    let (members, others) = (shared(true), shared(false));
    if members > 0 {
        let help = "choose other people with --reference-people: a reference with members in it makes members look like anybody";
        return Err(Failure::usage(format!("{members} of --members are people of the reference"), help));
    }
    if others > 0 {
        say(format!(
            "{others} of --others are people of the reference, and are left out: the test would look better than it is"
        ));
        for (label, _) in labels.iter_mut().zip(&kept).filter(|(_, kept)| **kept) {
            *label = None;
        }
    }
    Ok(labels)
}

/// Who is known to be a member, who not to be one.
fn labels(args: &Membership, names: &[deniable_genome::individuals::Name]) -> Result<Vec<Option<bool>>, Failure> {
    let (Some(members), Some(others)) = (&args.members, &args.others) else { return Ok(vec![None; names.len()]) };
    let list = |flag: &str, file: &Path| {
        let (listed, unknown) = listed(names, file).map_err(|error| table_failure(&error))?;
        if unknown > 0 {
            say(format!("{flag}: {unknown} of the names in {} belong to no target", file.display()));
        }
        Ok::<_, Failure>(listed)
    };
    let members = list("--members", members)?;
    let others = match others.as_os_str() == "rest" {
        true => members.iter().map(|member| !member).collect(),
        false => list("--others", others)?,
    };
    let both = members.iter().zip(&others).position(|(member, other)| *member && *other);
    if let Some(name) = both.and_then(|place| names.get(place)) {
        let help = "take them out of one of the two";
        return Err(Failure::usage(format!("{name} is on both lists, --members and --others"), help));
    }
    let label = |(member, other): (&bool, &bool)| (*member || *other).then_some(*member);
    Ok(members.iter().zip(&others).map(label).collect())
}

/// Files that must not be written over.
fn own_files(args: &Membership) -> Vec<PathBuf> {
    let mut own = vec![args.released.clone()];
    own.extend([&args.members, &args.others, &args.ledger, &args.reference_people].into_iter().flatten().cloned());
    for path in [&args.reference, &args.targets] {
        own.push(path.clone());
        own.extend(plink::files(path));
    }
    own
}

/// What went in, for a page.
fn files(args: &Membership) -> Vec<(String, String)> {
    let named = [
        ("released frequencies", Some(&args.released)),
        ("people at large", Some(&args.reference)),
        ("targets", Some(&args.targets)),
        ("known to be in the pool", args.members.as_ref()),
        ("known not to be", args.others.as_ref()),
        ("ledger", args.ledger.as_ref()),
    ];
    let named = named.into_iter().filter_map(|(what, path)| Some((what.to_owned(), path?.display().to_string())));
    named.collect()
}
