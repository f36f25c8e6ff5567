//! Membership inference, tested on people whose membership is known, compared with the promise of a ledger.

use super::error::Error;
use super::promised::promised;
use super::{coverage, default_confidence};
use deniable_attack::frequencies::{self, Frequencies};
use deniable_attack::report::{MembershipReport, Warning};
use deniable_attack::{Clamp, Panel, Side, Source, TableError, Targets, Test, listed, reference, statistics};
use deniable_core::exact::Rational;
use deniable_genome::individuals::Name;
use deniable_genome::{Individuals, plink};
use std::path::{Path, PathBuf};

/// Targets who are known not to be in the pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Others {
    /// All targets who are not among the members.
    Rest,
    /// The targets of a list.
    Listed(PathBuf),
}

/// An attack on membership.
#[derive(Debug, Clone, PartialEq)]
pub struct MembershipOptions {
    /// The statistic.
    pub test: Test,
    /// The released frequencies: what `deniable gwas --counts` writes, or PLINK's `.frq` or `.assoc`.
    pub released: PathBuf,
    /// People at large: a table of frequencies, a PLINK prefix, or a VCF file.
    pub reference: PathBuf,
    /// Restricts the reference to these people: FID and IID, or the individual, one per line.
    pub reference_people: Option<PathBuf>,
    /// The genotypes of the targets: a PLINK prefix or a VCF file.
    pub targets: PathBuf,
    /// Targets who are known to be in the pool. Needs `others`.
    pub members: Option<PathBuf>,
    /// Targets who are known not to be. Needs `members`.
    pub others: Option<Others>,
    /// The side whose frequencies are used, for a table that has both.
    pub pool: Side,
    /// Frequencies are clamped to this distance from 0 and 1 before logarithms are taken; above 0 and below 1/2.
    pub clamp: f64,
    /// The ledger that the release was charged to.
    pub ledger: Option<PathBuf>,
    /// Uses the bound of this ledger entry alone, instead of the bound of all releases.
    pub entry: Option<u64>,
    /// The coverage of intervals, from 1/2 to less than 1.
    pub confidence: Rational,
}

/// Without files: the likelihood ratio on the cases' frequencies, at 95%.
impl Default for MembershipOptions {
    fn default() -> Self {
        Self {
            test: Test::LikelihoodRatio,
            released: PathBuf::new(),
            reference: PathBuf::new(),
            reference_people: None,
            targets: PathBuf::new(),
            members: None,
            others: None,
            pool: Side::Cases,
            clamp: Clamp::default().least(),
            ledger: None,
            entry: None,
            confidence: default_confidence(),
        }
    }
}

impl MembershipOptions {
    fn listed_others(&self) -> Option<&Path> {
        match &self.others {
            Some(Others::Listed(file)) => Some(file),
            Some(Others::Rest) | None => None,
        }
    }

    /// The files read, each with a description, for reports.
    fn named(&self) -> Vec<(&'static str, String)> {
        let rest = matches!(self.others, Some(Others::Rest)).then_some(Path::new("rest"));
        let named = [
            ("released frequencies", Some(self.released.as_path())),
            ("people at large", Some(&self.reference)),
            ("targets", Some(&self.targets)),
            ("known to be in the pool", self.members.as_deref()),
            ("known not to be", self.listed_others().or(rest)),
            ("ledger", self.ledger.as_deref()),
        ];
        named.into_iter().filter_map(|(what, path)| Some((what, path?.display().to_string()))).collect()
    }

    /// The files read; for genotypes, under all names that they may have.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let listed = [&self.members, &self.ledger, &self.reference_people].into_iter().flatten().cloned();
        let genotypes = [&self.reference, &self.targets];
        let genotypes = genotypes.into_iter().flat_map(|path| plink::files(path).into_iter().chain([path.clone()]));
        let others = self.listed_others().map(Path::to_owned);
        std::iter::once(self.released.clone()).chain(listed).chain(others).chain(genotypes).collect()
    }
}

/// Tests membership of the targets. `progress` is called with each step.
///
/// # Errors
/// When options are invalid, files cannot be read or do not match, or a ledger does not verify.
pub fn membership(options: &MembershipOptions, progress: &dyn Fn(&str)) -> Result<MembershipReport, Error> {
    let confidence = coverage(&options.confidence)?;
    let clamp = Clamp::new(options.clamp).ok_or(Error::Clamp(options.clamp))?;
    if options.members.is_some() != options.others.is_some() {
        return Err(Error::Unpaired);
    }
    let promised = promised(options.ledger.as_deref(), options.entry)?;
    let released = frequencies::read(&options.released, options.pool)?;
    let source = genotypes(&options.targets)?.ok_or_else(|| Error::NoGenotypes(options.targets.clone()))?;
    let people = source.open().map_err(TableError::from)?;
    let mut warnings = Vec::new();
    // Lists are read first: a typo should not cost the time of reading genotypes.
    let labels = labels(options, people.names(), &mut warnings)?;
    progress("reading frequencies of people at large");
    let labels = apart_from_reference(options, &people, labels, &mut warnings)?;
    let reference = reference_of(options, &released)?;
    progress("reading the genotypes of targets");
    let panel = Panel::new(&released, &reference);
    if panel.is_empty() {
        return Err(Error::NoSharedSnp);
    }
    let targets = Targets::read(&people, &panel, &options.targets)?;
    let statistics = statistics(options.test, &targets, clamp);
    let report = MembershipReport::new(
        options.test,
        &targets,
        &statistics,
        labels.as_deref(),
        confidence,
        promised,
        options.named(),
    );
    Ok(MembershipReport { warnings, ..report })
}

/// A VCF file or a PLINK fileset; `None` if neither exists.
fn genotypes(path: &Path) -> Result<Option<Source>, Error> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    if [".vcf", ".vcf.gz", ".vcf.bgz"].iter().any(|ending| name.ends_with(ending)) {
        return Ok(Some(Source::Vcf(path.to_owned())));
    }
    let [bed, ..] = plink::files(path);
    if bed.is_file() {
        return Ok(Some(Source::Plink(path.to_owned())));
    }
    match plink::meant(path) {
        Some(prefix) => Err(Error::NotAPrefix { file: path.to_owned(), prefix }),
        None => Ok(None),
    }
}

/// The frequencies of the reference population, from a table or from genotypes.
fn reference_of(options: &MembershipOptions, released: &Frequencies) -> Result<Frequencies, Error> {
    let Some(source) = genotypes(&options.reference)? else {
        if options.reference_people.is_some() {
            return Err(Error::ReferenceIsTable);
        }
        return Ok(frequencies::read(&options.reference, Side::Controls)?);
    };
    let people = source.open().map_err(TableError::from)?;
    let kept = reference_people(options, people.names())?;
    let kept = |place: usize| kept.get(place) == Some(&true);
    Ok(reference::of_people(&people, &kept, released).map_err(TableError::from)?)
}

/// Marks the people whom the reference consists of.
fn reference_people(options: &MembershipOptions, names: &[Name]) -> Result<Vec<bool>, Error> {
    Ok(match &options.reference_people {
        Some(file) => listed(names, file)?.0,
        None => vec![true; names.len()],
    })
}

/// People of the reference cannot be targets as well. If both are the same files, the overlap is known: members in it
/// are rejected, and others do not calibrate the test.
fn apart_from_reference(
    options: &MembershipOptions,
    people: &Individuals,
    labels: Option<Vec<Option<bool>>>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Vec<Option<bool>>>, Error> {
    let Some(mut labels) = labels else { return Ok(None) };
    if options.reference != options.targets {
        return Ok(Some(labels));
    }
    let kept = reference_people(options, people.names())?;
    let shared =
        |wanted: bool| labels.iter().zip(&kept).filter(|(label, kept)| **kept && **label == Some(wanted)).count();
    let (members, others) = (shared(true), shared(false));
    if members > 0 {
        return Err(Error::MembersInReference(members));
    }
    if others > 0 {
        warnings.push(Warning::OthersInReference(others));
        for (label, _) in labels.iter_mut().zip(&kept).filter(|(_, kept)| **kept) {
            *label = None;
        }
    }
    Ok(Some(labels))
}

/// The known membership of each person; `None` if no list is given.
fn labels(
    options: &MembershipOptions,
    names: &[Name],
    warnings: &mut Vec<Warning>,
) -> Result<Option<Vec<Option<bool>>>, Error> {
    let (Some(members), Some(others)) = (&options.members, &options.others) else { return Ok(None) };
    let mut list = |option, file: &Path| {
        let (listed, unknown) = listed(names, file)?;
        if unknown > 0 {
            warnings.push(Warning::UnknownTargets { option, file: file.display().to_string(), names: unknown });
        }
        Ok::<_, Error>(listed)
    };
    let members = list("members", members)?;
    let others = match others {
        Others::Rest => members.iter().map(|member| !member).collect(),
        Others::Listed(file) => list("others", file)?,
    };
    let both = members.iter().zip(&others).position(|(member, other)| *member && *other);
    if let Some(name) = both.and_then(|place| names.get(place)) {
        return Err(Error::OnBothLists(name.to_string()));
    }
    let label = |(member, other): (&bool, &bool)| (*member || *other).then_some(*member);
    Ok(Some(members.iter().zip(&others).map(label).collect()))
}
