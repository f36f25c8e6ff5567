//! Errors of association results. For the curator: some depend on private files.

use crate::ledger::ChangeError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::Rational;
use deniable_core::notion::parse::ParseError;
use deniable_genome::simulate::SimulateError;
use deniable_gwas::power::PowerFailure;
use deniable_gwas::{CohortPromiseError, GwasError, NameError};
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// Maximum number of binary digits of a numerator or denominator.
pub(super) const MOST_BITS: u64 = 128;

/// A call that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The options are invalid.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The options or the policy state a promise that cannot be made to a cohort.
    #[error(transparent)]
    Promise(#[from] CohortPromiseError),
    /// The files, the ledger or the promise do not allow it.
    #[error(transparent)]
    Gwas(#[from] GwasError),
    /// The policy or the ledger cannot be read, or the operating system gave no random bits.
    #[error(transparent)]
    Library(#[from] crate::Error),
    /// The recorded promise cannot be replaced.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The power cannot be computed.
    #[error(transparent)]
    Power(#[from] PowerFailure),
    /// The cohort cannot be made.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// Options that are invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionError {
    /// Two options that exclude each other.
    Together(&'static str, &'static str),
    /// An option that needs another.
    Needs(&'static str, &'static str),
    /// No genotypes.
    NoGenotypes,
    /// A VCF file without phenotypes.
    NoPhenotypes,
    /// One file of a PLINK fileset instead of its prefix.
    NotAPrefix {
        /// The file.
        file: PathBuf,
        /// The prefix.
        prefix: PathBuf,
    },
    /// A population with an invalid name.
    Population(String),
    /// An empty version.
    EmptyVersion,
    /// No adjacency.
    NoAdjacency,
    /// No release is selected.
    Nothing,
    /// SNPs are named, but no release uses them.
    NothingOfSnps,
    /// Picks by distance without a threshold.
    NoThreshold,
    /// A number that is not above 0.
    NotPositive {
        /// The option.
        name: &'static str,
        /// The number.
        value: Rational,
    },
    /// A number with too many digits.
    Long(&'static str),
    /// A part of the promise that is not above 0 and at most 1.
    Spend(Rational),
    /// A value that an option does not accept.
    Word {
        /// The option.
        name: &'static str,
        /// The value.
        word: String,
        /// The accepted values.
        known: &'static [&'static str],
    },
    /// Prior beliefs that cannot be parsed.
    Prior(ParseError),
    /// A file of names that cannot be used.
    Extract {
        /// The file.
        file: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A target that is not between 0 and 1.
    Target(String),
    /// SNPs to find, without a cohort.
    CausalWithoutCohort,
    /// A cohort, without SNPs to find.
    NoCausal,
    /// A SNP to find that is not in the cohort.
    Causal(NameError),
    /// The output file of a simulated cohort already exists.
    Exists(PathBuf),
}

impl OptionError {
    /// The message and the remedy.
    fn words(&self, surface: Surface) -> (String, String) {
        let (option, set) = (|name| surface.option(name), |name, value: &str| surface.set(name, value));
        let [bfile, vcf] = match surface {
            Surface::Command => ["--bfile PREFIX".to_owned(), "--vcf FILE".to_owned()],
            Surface::Python | Surface::Library => [option("bfile"), option("vcf")],
        };
        let (message, help) = match self {
            Self::Together(one, other) => (
                format!("{} and {} exclude each other", option(one), option(other)),
                "leave one of them out".to_owned(),
            ),
            Self::Needs(one, other) => {
                (format!("{} needs {}", option(one), option(other)), format!("add {}", option(other)))
            }
            Self::NoGenotypes => (
                "no genotypes are named".to_owned(),
                format!("name a cohort with {bfile} or {vcf}; `deniable gwas simulate --out cohort` makes one"),
            ),
            Self::NoPhenotypes => {
                let pheno = if surface == Surface::Command { "--pheno FILE".to_owned() } else { option("pheno") };
                let help = format!("add {pheno} with the columns FID, IID and 1 (control) or 2 (case)");
                ("a VCF file has no phenotypes".to_owned(), help)
            }
            Self::NotAPrefix { file, prefix } => (
                format!("{} is one of three files; name their prefix", file.display()),
                format!("write {}", prefix.display()),
            ),
            Self::Population(name) => {
                let (option, example) = (option("population"), set("population", "biobank"));
                let help = format!("name the people with {option}, in letters, digits, - and _, as in {example}");
                (format!("\"{name}\" is not a valid name of a population"), help)
            }
            Self::EmptyVersion => {
                let name = if surface == Surface::Command { "data-version" } else { "version" };
                (format!("{} is empty", option(name)), format!("write {}, or 2024-06", set(name, "1")))
            }
            Self::NoAdjacency => {
                let [genotype, label, both] =
                    ["genotype", "label-swap", "genotype,label-swap"].map(|word| set("adjacency", word));
                let help = format!(
                    "add {genotype} to protect who took part (who is a case is public); {label} to protect who is a \
                     case (who took part is public, with all genotypes); or {both} to protect both"
                );
                (format!("{} is not set: it names the protected secret, and has no default", option("adjacency")), help)
            }
            Self::Nothing => {
                let [top, p, snps] = [set("top", "5"), set("p-value", "0.05"), set("snps", "rs1,rs2")];
                let help = format!(
                    "add {top} with {p}, or {snps} with {} or {}",
                    surface.switch("statistics"),
                    surface.switch("counts")
                );
                ("no release is selected".to_owned(), help)
            }
            Self::NothingOfSnps => {
                let [statistics, counts] = ["statistics", "counts"].map(|name| surface.switch(name));
                ("SNPs are named, but no release uses them".to_owned(), format!("add {statistics}, {counts} or both"))
            }
            Self::NoThreshold => {
                let (p, threshold) = (set("p-value", "0.05"), set("threshold", "29.7"));
                let help = format!(
                    "add {p}, which is divided by the number of SNPs, or {threshold} on χ² itself; it must not come from the data"
                );
                let top = option("top");
                (
                    format!("{top} picks SNPs by their distance from a threshold of significance, and none is stated"),
                    help,
                )
            }
            Self::NotPositive { name, value } => {
                (format!("{} {value} is not above 0", option(name)), "write a number above 0".to_owned())
            }
            Self::Long(name) => {
                let message =
                    format!("{} has more than {MOST_BITS} binary digits above or below the line", option(name));
                (message, "write a number of fewer digits".to_owned())
            }
            Self::Spend(share) => (
                format!("{} {share} is not above 0 and at most 1", option("spend")),
                format!("write {}", set("spend", "1/4")),
            ),
            Self::Word { name, word, known } => {
                (format!("{} has no \"{word}\"", option(name)), format!("write one of {}", known.join(", ")))
            }
            Self::Prior(error) => {
                let ways = ["1/2", "1/5..4/5", "..1/2", "any"].map(|text| set("prior", text));
                (format!("{} {error}", option("prior")), format!("write {}", ways.join(", ")))
            }
            Self::Extract { file, problem } => (
                format!("{} {}: {problem}", option("extract"), file.display()),
                "name a file with one name of a SNP a line".to_owned(),
            ),
            Self::Target(target) => {
                let [half, most] = ["0.5", "0.9"].map(|text| set("target", text));
                (format!("{} {target} is not a probability", option("target")), format!("write {half} or {most}"))
            }
            Self::CausalWithoutCohort => {
                (format!("{} names SNPs of your own cohort", option("causal")), format!("add {bfile} or {vcf}"))
            }
            Self::NoCausal => ("no SNPs to find are named".to_owned(), format!("add {}", set("causal", "rs1,rs2"))),
            Self::Causal(error) => (error.to_string(), "names are those of the file's own SNPs".to_owned()),
            Self::Exists(file) => {
                let help = format!("name another prefix with {}, or remove the old files", option("out"));
                (format!("{} already exists", file.display()), help)
            }
        };
        (message, help)
    }
}

impl Display for OptionError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(Surface::Library).0)
    }
}

impl std::error::Error for OptionError {}

impl Diagnose for Error {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let usage =
            |message: &dyn Display, help: &dyn Display| vec![Diagnostic::new(Code::Usage, message).with_help(help)];
        let lists = |command: &str| match surface {
            Surface::Command => format!("`deniable gwas {command} --help` lists the usual values"),
            Surface::Python | Surface::Library => String::new(),
        };
        match self {
            Self::Option(error) => {
                let (message, help) = error.words(surface);
                usage(&message, &help)
            }
            Self::Promise(error) => error.diagnostics(surface),
            Self::Gwas(error) => error.diagnostics(surface),
            Self::Library(error) => error.diagnostics(surface),
            Self::Change(error) => error.diagnostics(surface),
            Self::Power(error @ PowerFailure::Simulate(SimulateError::Setting { .. })) => usage(error, &lists("power")),
            Self::Power(error) if surface == Surface::Command => {
                usage(error, &"`deniable gwas power --help` has examples")
            }
            Self::Power(error) => usage(error, &""),
            Self::Simulate(SimulateError::Setting { name, range }) => {
                let name = if *name == "causes" { "odds-ratios" } else { name };
                usage(&format!("{} must be {range}", surface.option(name)), &lists("simulate"))
            }
            Self::Simulate(error @ SimulateError::Write { .. }) => {
                let help = format!("name another prefix with {}", surface.option("out"));
                vec![Diagnostic::new(Code::Other, error).with_help(help)]
            }
        }
    }
}
