//! Association results of case-control cohorts (docs/how-to/gwas.md): releases that are charged to a ledger, and the
//! preparation of them.
//!
//! | to | use |
//! |---|---|
//! | check a cohort and register its version | [`check()`] |
//! | compute the cost and the noise of a release | [`forecast`] |
//! | release picks, statistics or counts | [`release`] |
//! | compute the probability that a selection finds the causes | [`power`], [`charts`] |
//! | simulate a cohort with planted causes | [`simulate`] |
//! | compute the true values, which must not be published | [`true_values`] |
//! | replace the recorded promise | [`change_promise`] |
//!
//! ```
//! use deniable::exact::{ratio, whole};
//! use deniable::gwas::{Declaration, Genotypes, Protects, ReleaseOptions, SimulateOptions, release, simulate};
//! use deniable::Promise;
//!
//! # let folder = tempfile::tempdir()?;
//! let cohort = folder.path().join("cohort");
//! let mut made = SimulateOptions { out: cohort.clone(), ..SimulateOptions::default() };
//! (made.settings.cases, made.settings.controls, made.settings.snps) = (60, 50, 300);
//! simulate(&made)?;
//!
//! let options = ReleaseOptions {
//!     genotypes: Genotypes { bfile: Some(cohort), ..Genotypes::default() },
//!     promise: vec![Promise::Gain(whole(2))],
//!     adjacency: Some(Protects::Genotype),
//!     top: std::num::NonZeroUsize::new(2),
//!     p_value: Some(ratio(1, 20)),
//!     register: true,
//!     ..ReleaseOptions::default()
//! };
//! let released = release(&options, &mut |_| {})?;
//! assert!(released.holds() && released.publication.answers[0].rows.len() == 2); // two SNPs, picked with noise
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod options;
mod power;
mod simulate;
mod words;

pub use deniable_genome::simulate::Settings;
pub use deniable_genome::{CohortAdjacency, Fill, Log, Test};
pub use deniable_gwas::forecast::{Forecast, ForecastAccount, ForecastCharge, ForecastRelease};
pub use deniable_gwas::power::{PowerReport, Progress as PowerProgress};
pub use deniable_gwas::{CohortPromise, Event as Step, GwasError, Protects};
pub use error::{Error, OptionError};
pub use options::{CheckOptions, Declaration, Genotypes, PickBy, ReleaseOptions, priors};
pub use power::{PowerEvent, PowerOptions, charts, power};
pub use simulate::{PlantedCause, SimulateOptions, Simulated, simulate};
pub use words::{fill, pick_by, protects, test};

use crate::ledger::PromiseChange;
use deniable_core::diagnostic::{Diagnose, Surface};
use deniable_core::noise::SystemRng;
use deniable_genome::FileError;
use deniable_gwas::{CohortFiles, DeclaredCohort, Means, Query, tab_separated};
use deniable_ledger::{Head, Ledger, RegistrationOutcome, Summary};
use deniable_protocol::Origin;
use deniable_publication::Publication;
use serde::Serialize;
use std::cell::RefCell;
use std::fmt::{self, Display, Formatter};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// A step of a release or of a check. For the curator: it depends on private files.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A new ledger begins here.
    NewLedger(&'a Path),
    /// Other ledgers are in the folder of the new one, with these names.
    OtherLedgers(&'a [String]),
    /// A step of the release.
    Step(Step<'a>),
    /// The last entry of the ledger, after a record or an answer was added.
    Head(&'a Head),
}

impl Event<'_> {
    /// The event as a message to the curator; `None` for progress.
    #[must_use]
    pub fn message(&self, surface: Surface) -> Option<String> {
        Some(match self {
            Self::NewLedger(path) => format!("a new ledger begins: {}", path.display()),
            Self::OtherLedgers(names) => format!(
                "there are other ledgers beside it: {}. The same people must be charged to one ledger, or their promise is broken \
                 silently: name their ledger with {} or {}",
                names.join(", "),
                surface.option("population"),
                surface.option("ledger")
            ),
            Self::Head(head) => format!("ledger head {head}"),
            Self::Step(Step::Read(log)) => log.to_string(),
            Self::Step(Step::Registered(DeclaredCohort { source, version, .. })) => {
                format!("registered version \"{version}\" of `{source}`")
            }
            Self::Step(Step::WrittenSince(DeclaredCohort { source, version, .. })) => {
                let option = surface.option(if surface == Surface::Command { "data-version" } else { "version" });
                format!(
                    "the files of `{source}` were written to after version \"{version}\" was registered, and the stored answers are about \
                     their earlier contents. `deniable gwas check` shows whether they changed; if so, name a new {option}"
                )
            }
            Self::Step(Step::Answered(name, origin)) => match origin {
                Origin::Charged => format!("{name}: charged and answered"),
                Origin::Resumed => format!("{name}: answered; an earlier run had charged it"),
                Origin::Stored => format!("{name}: stored answer, free"),
            },
            Self::Step(Step::Reading(_) | Step::Scoring(_) | Step::Picking | Step::Storing) => return None,
        })
    }
}

/// The outcome of a release. As JSON it is the publication; as text its tables and the guarantee.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ReleaseReport {
    /// The answers, which may be published.
    pub publication: Publication,
    /// The protected secrets.
    #[serde(skip)]
    pub protects: Protects,
    /// Releases that are charged and have no answer, with the reason. The same releases resume at no cost.
    #[serde(skip)]
    pub unanswered: Vec<GwasError>,
    /// The last entry of the ledger.
    #[serde(skip)]
    pub head: Head,
}

impl ReleaseReport {
    /// Whether all releases have answers.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.unanswered.is_empty()
    }

    /// The answers as one tab-separated table: a line for each SNP, with PLINK's names of columns.
    #[must_use]
    pub fn tab_separated(&self) -> String {
        tab_separated(&self.publication.answers, self.protects)
    }
}

impl Display for ReleaseReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.publication.fmt(f)
    }
}

/// Releases association results: charges, computes, stores and returns them. Repeating a release is free. `tell` is
/// called with every step.
///
/// # Errors
/// When the options are invalid, or the files, the ledger or the promise do not allow it. The error states the charges
/// made.
pub fn release(options: &ReleaseOptions, tell: &mut dyn FnMut(Event<'_>)) -> Result<ReleaseReport, Error> {
    let Setup { files, protects, promised, request } = Setup::new(options)?;
    let tell = RefCell::new(tell);
    let tell = |event: Event<'_>| (tell.borrow_mut())(event);
    let mut ledger = open(promised.ledger(), promised.population(), &options.declared, &files, &tell)?;
    let before = ledger.head().clone();
    let step = |step: Step<'_>| tell(Event::Step(step));
    let threads = options::threads(options.threads);
    let means = Means { files: &files, threads, register: options.register, tell: &step };
    let mut rng = SystemRng::new().map_err(crate::Error::from)?;
    let released = deniable_gwas::release(&means, &promised, &request, &mut ledger, &mut rng);
    // Callers receive the head even after a failure, so that no entry goes unnoticed.
    if released.is_ok() || *ledger.head() != before {
        tell(Event::Head(ledger.head()));
    }
    let deniable_gwas::ReleaseOutcome { publication, unanswered } = released?;
    Ok(ReleaseReport { publication, protects, unanswered, head: ledger.head().clone() })
}

/// Forecasts a release: its cost and its noise. Nothing is charged.
///
/// # Errors
/// As for [`release`], before its charge.
pub fn forecast(options: &ReleaseOptions, tell: &mut dyn FnMut(Event<'_>)) -> Result<Forecast, Error> {
    let Setup { files, promised, request, .. } = Setup::new(options)?;
    let summary = match promised.ledger().exists() {
        true => deniable_ledger::show(promised.ledger()).map_err(crate::Error::from)?,
        false => Summary::before_any(promised.population()),
    };
    let tell = RefCell::new(tell);
    let step = |step: Step<'_>| (tell.borrow_mut())(Event::Step(step));
    let means = Means { files: &files, threads: options::threads(options.threads), register: false, tell: &step };
    Ok(deniable_gwas::forecast(&means, &promised, &request, &summary)?)
}

/// The validated options of a release.
struct Setup {
    files: CohortFiles,
    protects: Protects,
    promised: CohortPromise,
    request: Query,
}

impl Setup {
    fn new(options: &ReleaseOptions) -> Result<Self, Error> {
        let files = CohortFiles::new(options.genotypes.files()?);
        let protects = options.protects()?;
        let promised = options.cohort_promise()?;
        let request = options.request(files.files(), protects)?;
        Ok(Self { files, protects, promised, request })
    }
}

impl ReleaseOptions {
    /// The files that a release with these options needs, the ledger included.
    ///
    /// # Errors
    /// When the options are invalid.
    pub fn own_files(&self) -> Result<Vec<PathBuf>, Error> {
        let Setup { files, promised, .. } = Setup::new(self)?;
        let ledger = promised.ledger().to_owned();
        let named = [self.declared.policy.clone(), self.extract.clone()].into_iter().flatten();
        Ok(files.files().all().into_iter().chain([ledger]).chain(named).collect())
    }
}

/// The outcome of a check. For the curator: it depends on private genotypes.
#[derive(Debug)]
pub struct CohortCheck {
    /// The name of the cohort in the ledger.
    pub cohort: String,
    /// Its declared version.
    pub version: String,
    /// The contents of the files, and the parts that releases leave out.
    pub log: Log,
    /// Whether the ledger registered the version.
    pub registration: Result<RegistrationOutcome, GwasError>,
    /// The last entry of the ledger.
    pub head: Head,
}

/// The contents of the files, whether their version is registered, and if not the reason.
impl Serialize for CohortCheck {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let log = &self.log;
        let left_out = serde_json::json!({
            "x": log.x,
            "y": log.y,
            "mitochondrial": log.mt,
            "other_contigs": log.contigs,
            "negative_position": log.switched_off,
            "several_alternate_alleles": log.multiallelic,
            "without_genotypes": log.without_genotypes,
        });
        let all = serde_json::json!({
            "cohort": self.cohort,
            "version": self.version,
            "people": log.people,
            "cases": log.cases,
            "controls": log.controls,
            "without_phenotype": log.unphenotyped,
            "only_in_phenotypes": log.strangers,
            "sex_unknown": log.sex_unknown,
            "snps": log.snps,
            "snps_used": log.used,
            "snps_left_out": left_out,
            "monomorphic": log.monomorphic,
            "missing_genotypes": log.missing_calls,
            "half_calls": log.half_calls,
            "registered": self.holds(),
            "refused": self.registration.as_ref().err().map(|error| error.diagnostics(Surface::Library)),
        });
        all.serialize(serializer)
    }
}

impl CohortCheck {
    /// Whether the version is registered.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.registration.is_ok()
    }

    /// The registration in one sentence; `None` where the version is registered with other contents.
    #[must_use]
    pub fn registered(&self) -> Option<String> {
        let Self { cohort, version, .. } = self;
        Some(match self.registration.as_ref().ok()? {
            RegistrationOutcome::New => format!("registered version \"{version}\" of `{cohort}`"),
            RegistrationOutcome::Again => {
                format!("registered version \"{version}\" of `{cohort}` again: with this phenotype")
            }
            RegistrationOutcome::Same => {
                format!("version \"{version}\" of `{cohort}` is already registered with these files")
            }
        })
    }
}

impl Display for CohortCheck {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.log.fmt(f)?;
        match (&self.registration, self.registered()) {
            (Err(error), _) => write!(f, "\nnot registered: {error}"),
            (Ok(_), Some(registered)) => write!(f, "\n{registered}"),
            (Ok(_), None) => Ok(()),
        }
    }
}

/// Reads a cohort, and registers its version in the ledger. No budget is charged. If the ledger refuses the version
/// because the files changed, this function succeeds, and [`CohortCheck`]'s `registration` contains the refusal, while
/// its text does not.
///
/// # Errors
/// When the options are invalid, or the files or the ledger cannot be used.
pub fn check(options: &CheckOptions, tell: &mut dyn FnMut(Event<'_>)) -> Result<CohortCheck, Error> {
    let CheckOptions { genotypes, declared, threads } = options;
    let files = CohortFiles::new(genotypes.files()?);
    let (population, ledger) = match declared.policy()? {
        None => declared.people(files.files())?,
        Some(policy) => {
            let ledger = declared.ledger.clone().unwrap_or_else(|| policy.ledger().to_owned());
            (policy.population().to_owned(), ledger)
        }
    };
    let (cohort, version) = (options::stem(files.files()).1, declared.version()?.to_owned());
    let tell = RefCell::new(tell);
    let tell = |event: Event<'_>| (tell.borrow_mut())(event);
    let mut ledger = open(&ledger, &population, declared, &files, &tell)?;
    let step = |step: Step<'_>| tell(Event::Step(step));
    let means = Means { files: &files, threads: options::threads(*threads), register: false, tell: &step };
    let phenotype = genotypes.phenotype();
    let about = DeclaredCohort { source: &cohort, version: &version, phenotype: phenotype.as_deref() };
    let (log, registration) = deniable_gwas::check(&means, about, &mut ledger).map_err(of_file)?;
    let registration = registration.map_err(GwasError::from);
    Ok(CohortCheck { log, registration, head: ledger.head().clone(), cohort, version })
}

/// Replaces the recorded promise of the cohort's population in all of its accounts, and records the reason.
///
/// # Errors
/// When the options are invalid, or the change is refused: see [`crate::ledger::change_promise`].
pub fn change_promise(options: &ReleaseOptions, reason: &str) -> Result<PromiseChange, Error> {
    Ok(crate::ledger::change_cohort_promise(&options.cohort_promise()?, reason)?)
}

/// The at most `most` SNPs of largest χ² with their true values, as PLINK computes them: for the curator, and never to
/// be published. `progress` is called with the number of SNPs so far.
///
/// # Errors
/// When the options are invalid, or a file cannot be used.
pub fn true_values(
    genotypes: &Genotypes,
    test: Test,
    most: usize,
    threads: Option<NonZeroUsize>,
    progress: &dyn Fn(u64),
) -> Result<String, Error> {
    let files = genotypes.files()?;
    deniable_gwas::curator::view(&files, test, most, options::threads(threads), progress).map_err(of_file)
}

fn of_file(error: FileError) -> Error {
    GwasError::from(error).into()
}

/// Opens the ledger.
fn open(
    path: &Path,
    population: &str,
    declared: &Declaration,
    files: &CohortFiles,
    tell: &dyn Fn(Event<'_>),
) -> Result<Ledger, Error> {
    if !path.exists() {
        // The files are opened first, so that a mistyped name does not leave an empty ledger behind.
        files.open().map_err(of_file)?;
    }
    let source = options::stem(files.files()).1;
    let ledger = Ledger::open_for(path, &declared.purpose(population, &source)).map_err(crate::Error::from)?;
    if ledger.is_new() {
        tell(Event::NewLedger(path));
        let others = other_ledgers(path);
        if !others.is_empty() {
            tell(Event::OtherLedgers(&others));
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
