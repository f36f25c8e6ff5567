//! `deniable attack homer` and `lr`: who took part?

use super::promised::{Promised, promised, written};
use super::{confidence, coverage, outputs, table_failure, usage};
use crate::args::attack::{Membership, Pool};
use crate::commands::{publish, results, say};
use crate::error::Failure;
use crate::progress::Progress;
use crate::render::table::{grid, wrapped};
use comfy_table::CellAlignment;
use deniable_attack::released::{self, Frequencies};
use deniable_attack::{
    Bounds, Clamp, Measured, Panel, Row, Share, Side, Source, Statistics, Targets, Test, listed, parted, reference,
    statistics,
};
use deniable_core::exact::{Rational, Rounding, decimal, percent};
use deniable_report::attack as page;
use num_traits::ToPrimitive;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Everything, for programs. Bounds are exact fractions; what is measured is a float.
#[derive(Serialize)]
struct Written {
    test: &'static str,
    released: String,
    snps: Snps,
    clamped: u64,
    targets: usize,
    without_value: usize,
    members: usize,
    others: usize,
    confidence: f64,
    measured: Vec<WrittenRow>,
    not_measured: Vec<String>,
    doubts: Vec<String>,
    odds: Option<String>,
    bound: String,
    roc: Vec<[f64; 2]>,
}

/// Which SNPs were used, and why others were not.
#[derive(Serialize)]
struct Snps {
    released: u64,
    used: u64,
    turned: u64,
    not_in_reference: u64,
    not_in_targets: u64,
    several_in_targets: u64,
    ambiguous_strand: u64,
    other_strand: u64,
    other_alleles: u64,
}

#[derive(Serialize)]
struct WrittenRow {
    name: String,
    value: f64,
    low: f64,
    high: f64,
    at_most: Option<String>,
    against: Option<&'static str>,
}

/// One attack with everything that is said of it.
struct Attacked<'a> {
    test: Test,
    released: &'a Path,
    targets: &'a Targets,
    statistics: &'a Statistics,
    measured: Option<Measured>,
    promised: Promised,
    confidence: f64,
    /// What went in, and the names of its files.
    files: Vec<(String, String)>,
}

/// Runs it.
pub fn run(test: Test, args: &Membership) -> Result<(), Failure> {
    let confidence = confidence(&args.output)?;
    let clamp = Clamp::new(args.clamp).ok_or_else(|| {
        usage(format!("--clamp {} is not above 0 and below 1/2", args.clamp), "leave it out, or write --clamp 0.001")
    })?;
    outputs(&args.output, args.scores.as_ref(), &own_files(args))?;
    let promised = promised(args.ledger.as_deref(), args.entry)?;
    let fault = |error| table_failure(&error);
    let side = match args.pool {
        Pool::Cases => Side::Cases,
        Pool::Controls => Side::Controls,
    };
    let progress = Progress::new();
    let released = released::read(&args.released, side).map_err(fault)?;
    let people = source(&args.targets)?
        .ok_or_else(|| {
            let message = format!("--targets {}: there are no genotypes of that name", args.targets.display());
            usage(message, "name a PLINK prefix (PREFIX.bed, .bim and .fam) or a VCF file")
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
    let measured = args.members.is_some().then(|| Measured::of(&members, &others, confidence));
    let attacked = Attacked {
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
    let with = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    if with(path, ".bed").is_file() {
        return Ok(Some(Source::Plink(path.to_owned())));
    }
    // `people.bed` in place of `people` is a common slip.
    let prefix = path.with_extension("");
    if [".bed", ".bim", ".fam"].iter().any(|ending| name.ends_with(ending)) && with(&prefix, ".bed").is_file() {
        let help = format!("write {}", prefix.display());
        return Err(usage(format!("{} is one of three files; name their prefix", path.display()), help));
    }
    Ok(None)
}

/// The frequencies of people at large, from a table or from genotypes.
fn reference_of(args: &Membership, released: &Frequencies) -> Result<Frequencies, Failure> {
    let chosen = args.reference_people.as_deref();
    let Some(source) = source(&args.reference)? else {
        if chosen.is_some() {
            let help = "leave --reference-people out, or name genotypes with --reference";
            return Err(usage("--reference-people chooses people, and --reference is a table of frequencies", help));
        }
        return released::read(&args.reference, Side::Controls).map_err(|error| table_failure(&error));
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
        return Err(usage(format!("{members} of --members are people of the reference"), help));
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
        return Err(usage(format!("{name} is on both lists, --members and --others"), help));
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
        for ending in [".bed", ".bim", ".fam"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            own.push(PathBuf::from(name));
        }
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

impl Attacked<'_> {
    fn rows(&self) -> Vec<Row> {
        self.measured.as_ref().map_or_else(Vec::new, |measured| measured.rows(self.promised.bounds.as_ref()))
    }

    fn missing(&self) -> Vec<String> {
        let Some(measured) = &self.measured else {
            return vec![
                "nothing is measured: --members and --others name targets of whom it is known whether they are in"
                    .to_owned(),
            ];
        };
        let mut missing: Vec<String> =
            measured.powers.iter().filter_map(|power| power.as_ref().err()).map(ToString::to_string).collect();
        if measured.area.is_none() {
            missing.push(format!(
                "{} members and {} others have a value; an area under the curve takes two of each",
                measured.members, measured.others
            ));
        }
        missing
    }

    /// What makes the numbers doubtful: mistakes that no file shows.
    fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if let Some(area) = self.measured.as_ref().and_then(|measured| measured.area)
            && area.high < 0.5
        {
            doubts.push(
                "members score below others, which no test of membership should give: are --members and --others exchanged, or are \
                 members part of the reference?"
                    .to_owned(),
            );
        }
        if let Some(agreement) = self.targets.agreement().filter(|agreement| *agreement < -0.2) {
            doubts.push(format!(
                "released and reference frequencies run against each other (correlation {agreement:.2}): does one of them count the \
                 other allele?"
            ));
        }
        doubts
    }

    fn without_value(&self) -> usize {
        self.statistics.each.iter().filter(|statistic| statistic.value.is_none()).count()
    }

    fn title(&self) -> &'static str {
        match self.test {
            Test::Homer => "Homer's statistic",
            Test::LikelihoodRatio => "Likelihood ratio",
        }
    }

    fn table(&self) -> String {
        let mut text = format!("{} on {}: who took part?\n", self.title(), self.released.display());
        wrapped(&mut text, "  ", &self.targets.matched().to_string());
        if self.statistics.clamped > 0 {
            let line =
                format!("{} SNPs with a frequency of 0 or 1, or close to it, were moved", self.statistics.clamped);
            wrapped(&mut text, "  ", &line);
        }
        if let Some(measured) = &self.measured {
            let line = format!(
                "{} targets: {} known to be in, {} known not to be",
                self.targets.names().len(),
                measured.members,
                measured.others
            );
            wrapped(&mut text, "  ", &line);
        }
        if self.without_value() > 0 {
            wrapped(&mut text, "  ", &format!("{} targets have no value: too few calls", self.without_value()));
        }
        let rows = self.rows();
        if !rows.is_empty() {
            let mut grid = grid();
            grid.set_header(vec![
                "".to_owned(),
                "measured".into(),
                coverage(self.confidence) + " interval",
                "allowed".into(),
            ]);
            let right = |text: String| comfy_table::Cell::new(text).set_alignment(CellAlignment::Right);
            for row in &rows {
                let (low, high) = row.interval;
                let bound = row.bound.as_ref().map_or_else(String::new, |(bound, against)| {
                    format!("at most {}: {}", decimal(bound, 3, Rounding::Up), against.words())
                });
                grid.add_row(vec![
                    comfy_table::Cell::new(&row.name),
                    right(format!("{:.3}", row.value)),
                    right(format!("{low:.3} to {high:.3}")),
                    comfy_table::Cell::new(bound),
                ]);
            }
            let _ = writeln!(text, "{grid}");
        }
        for line in self.missing().into_iter().chain(self.doubts()) {
            wrapped(&mut text, "  ", &line);
        }
        wrapped(&mut text, "  ", &self.promised.line());
        text
    }

    fn written(&self) -> Written {
        let matched = self.targets.matched();
        let measured = self.measured.as_ref();
        let row = |row: Row| WrittenRow {
            name: row.name,
            value: row.value,
            low: row.interval.0,
            high: row.interval.1,
            at_most: row.bound.as_ref().map(|(bound, _)| bound.to_string()),
            against: row.bound.map(|(_, against)| against.words()),
        };
        Written {
            test: self.test.name(),
            released: self.released.display().to_string(),
            snps: Snps {
                released: matched.released,
                used: matched.used,
                turned: matched.swapped,
                not_in_reference: matched.not_in_reference,
                not_in_targets: matched.not_in_targets,
                several_in_targets: matched.twice,
                ambiguous_strand: matched.ambiguous,
                other_strand: matched.strand,
                other_alleles: matched.alleles,
            },
            clamped: self.statistics.clamped,
            targets: self.targets.names().len(),
            without_value: self.without_value(),
            members: measured.map_or(0, |measured| measured.members),
            others: measured.map_or(0, |measured| measured.others),
            confidence: self.confidence,
            measured: self.rows().into_iter().map(row).collect(),
            not_measured: self.missing(),
            doubts: self.doubts(),
            odds: self.promised.bounds.as_ref().map(|bounds| bounds.odds().to_string()),
            bound: self.promised.line(),
            roc: measured.map_or_else(Vec::new, |measured| {
                measured.roc.iter().map(|point| [point.false_positives, point.true_positives]).collect()
            }),
        }
    }

    /// Every target with their statistic, tab-separated.
    fn scores(&self, labels: &[Option<bool>]) -> String {
        let mut text = "TARGET\tSTATISTIC\tSNPS\tMEMBER\n".to_owned();
        for ((name, statistic), label) in self.targets.names().iter().zip(&self.statistics.each).zip(labels) {
            let value = statistic.value.map_or_else(|| "NA".to_owned(), |value| value.to_string());
            let member = match label {
                Some(true) => "1",
                Some(false) => "0",
                None => "NA",
            };
            let _ = writeln!(text, "{name}\t{value}\t{}\t{member}", statistic.snps);
        }
        text
    }

    fn page(&self) -> String {
        let matched = self.targets.matched();
        let left_out = [
            (matched.not_in_reference, "not in the reference"),
            (matched.not_in_targets, "not in the targets' file"),
            (matched.twice, "several times in the targets' file"),
            (matched.ambiguous, "with A and T or C and G in an order that may be the other strand's"),
            (matched.strand, "with the alleles of the other strand"),
            (matched.alleles, "with other alleles"),
        ];
        let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
        let bound = match &self.promised.bounds {
            Some(bounds) => page::Bound::Odds {
                odds: bounds.odds().to_f64().unwrap_or(f64::INFINITY),
                written: written(bounds.odds()),
                recorded: self.promised.words.clone(),
            },
            None if self.promised.is_about_labels => page::Bound::Labels,
            None => page::Bound::NoEntry,
        };
        let (members, others) = self.measured.as_ref().map_or((0, 0), |one| (one.members as u64, one.others as u64));
        page::membership(&page::Membership {
            title: format!("{}: who took part?", self.title()),
            files: self.files.clone(),
            snps: page::Snps {
                released: matched.released,
                used: matched.used,
                turned: matched.swapped,
                left_out: left_out.map(|(count, why)| (count, why.to_owned())).collect(),
            },
            members,
            others,
            confidence: coverage(self.confidence),
            bound,
            tests: self.measured.as_ref().map(|measured| self.test(measured)).into_iter().collect(),
        })
    }

    /// The test for a page.
    fn test(&self, measured: &Measured) -> page::Test {
        let bounds = self.promised.bounds.as_ref();
        let number = |value: f64, (low, high): (f64, f64), bound: Option<Rational>| page::Number {
            value,
            low,
            high,
            at_most: bound.and_then(|bound| bound.to_f64()),
        };
        let share =
            |share: Share, bound| number(share.value().unwrap_or_default(), share.interval(measured.confidence), bound);
        let powers = measured.powers.iter().map(|power| match power {
            Ok(power) => page::Power::Measured {
                at: percent(&power.alpha, 4, Rounding::Nearest),
                found: share(power.true_positives, bounds.map(|bounds| bounds.power(&power.alpha))),
                wrong: share(power.false_positives, None),
            },
            Err(few) => page::Power::TooFew {
                at: percent(&few.alpha, 4, Rounding::Nearest),
                people: few.people,
                needed: few.needed,
            },
        });
        let mut notes = self.doubts();
        if self.statistics.clamped > 0 {
            notes.push(format!(
                "At {} SNPs a frequency was 0 or 1, or close to it, and was moved before logarithms were taken.",
                self.statistics.clamped
            ));
        }
        if self.without_value() > 0 {
            notes.push(format!("{} targets have no value: they have too few calls.", self.without_value()));
        }
        page::Test {
            name: self.title().to_owned(),
            members: measured.members as u64,
            others: measured.others as u64,
            area: measured.area.map(|area| number(area.value, (area.low, area.high), bounds.map(Bounds::area))),
            powers: powers.collect(),
            advantage: measured
                .advantage
                .map(|one| number(one.value, (one.low, one.high), bounds.map(Bounds::advantage))),
            roc: measured.roc.iter().map(|point| (point.false_positives, point.true_positives)).collect(),
            notes,
        }
    }
}
