//! Checks that fail.

use deniable_check::claim::ClaimError;
use deniable_check::constraint::FormulaError;
use deniable_check::decide::CheckError;
use deniable_check::mechanism::MechanismError;
use deniable_check::mechanism::builtin::BuiltinError;
use deniable_check::mechanism::file::FileError;
use deniable_check::report::PairingError;
use deniable_check::scalable::TooManyPriors;
use deniable_core::budget::SpendError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::notion::parse::ParseError;
use std::path::PathBuf;

/// A check that failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.words(Surface::Library).1)]
#[non_exhaustive]
pub enum Error {
    /// Options that do not match each other or the mechanism.
    Misfit(Misfit),
    /// A notion, a family or a prior that cannot be parsed.
    Parse {
        /// The option: `notion`, `family` or `prior`.
        option: &'static str,
        /// The error.
        error: ParseError,
    },
    /// A formula of possible datasets that cannot be parsed.
    Formula(#[from] FormulaError),
    /// A claim that cannot be parsed, or is about another parameter.
    Claim(#[from] ClaimError),
    /// A claim that is too close to the parameter to be compared with it.
    Comparison(SpendError),
    /// A family of priors for a notion that is not about beliefs.
    FamilyOfNotion(String),
    /// No built-in mechanism has this name, or it has other parameters.
    Builtin(BuiltinError),
    /// A parameter of built-in mechanisms for a file.
    ParameterOfFile(String),
    /// A file with another extension than that of a format.
    Extension(File),
    /// A file that cannot be read.
    Unread {
        /// The file.
        file: File,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file, or a mechanism in memory, with invalid content.
    Content {
        /// The file.
        file: Option<File>,
        /// The error.
        error: FileError,
    },
    /// A Parquet file that cannot be read.
    #[cfg(feature = "sql")]
    Parquet(Box<deniable_data::SourceError>),
    /// A protocol with too many inputs.
    TooLarge(MechanismError),
    /// A mechanism by counts that cannot be written out.
    Expanded(MechanismError),
    /// The mechanism cannot be sampled.
    Sample(CheckError),
    /// A box of priors for too many entities.
    LargeBox {
        /// The number of entities.
        entities: usize,
        /// The largest number.
        most: usize,
    },
    /// The notion cannot be decided about this mechanism.
    Undecided(CheckError),
    /// Too many given priors.
    Scalable(#[from] TooManyPriors),
    /// A coupling of several priors.
    SeveralPriors(usize),
    /// The mechanism has no such entity.
    NoEntity {
        /// The name.
        entity: String,
        /// The names of its entities.
        known: Vec<String>,
    },
    /// The prior cannot be paired.
    Pairing(#[from] PairingError),
    /// This decision has no certificate.
    NoCertificate(String),
    /// A certificate that must not, or cannot, be written to this file.
    Certificate {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: &'static str,
    },
    /// A certificate that could not be written.
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// An input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub kind: FileKind,
}

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A mechanism or protocol.
    Mechanism,
    /// Priors over its entities.
    Priors,
}

/// Options that do not match each other or the mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misfit {
    /// A claim or a certificate about all notions.
    OneNotion,
    /// A notion, a family or a formula where all notions are decided.
    AllNotions,
    /// A party for a mechanism that is not a protocol.
    Party,
    /// A file of priors for another family than `explicit`.
    PriorsOfOthers,
    /// A range of priors for the family `explicit`.
    PriorOfExplicit,
    /// The family `explicit` without its file.
    ExplicitWithoutPriors,
    /// The family `box` without a range.
    BoxWithoutPrior,
    /// A range of priors for a notion that is not about beliefs.
    PriorOfNotion,
    /// A family about entities, for a mechanism by counts.
    ByCounts,
    /// A formula for another notion than induced neighbours.
    Possible,
    /// A sample of a protocol.
    SampleOfProtocol,
    /// Semi-honest privacy of a mechanism that is not a protocol.
    NoProtocol,
    /// Semi-honest privacy of a protocol without inputs.
    NoInputs,
    /// Priors or a certificate for semi-honest privacy.
    SemiHonest,
    /// A certificate about counts.
    CertificateOfCounts,
    /// A coupling by the neighbours of another notion than `dp` and `bounded-dp`.
    CouplingNotion,
    /// A coupling over another family than `explicit`.
    CouplingFamily,
}

impl From<Misfit> for Error {
    fn from(misfit: Misfit) -> Self {
        Self::Misfit(misfit)
    }
}

impl File {
    fn help(&self) -> &'static str {
        match self.kind {
            FileKind::Mechanism => MECHANISM,
            FileKind::Priors => "docs/how-to/check.md shows how priors are written",
        }
    }
}

const MECHANISM: &str = "a mechanism is TOML, JSON, CSV or Parquet: docs/how-to/check.md shows the shapes";
const LIST: &str = "`deniable check --list` lists what is built in; a file has an ending";

impl Misfit {
    fn words(self, surface: Surface) -> (String, String) {
        let (option, set) = (|name| surface.option(name), |name, value| surface.set(name, value));
        let explicit = || set("family", "explicit");
        let leave = |name| format!("leave {} out", option(name));
        match self {
            Self::OneNotion => {
                let help = format!("add {}, as in {}", option("notion"), set("notion", "dp"));
                ("a claim or a certificate is about one notion".to_owned(), help)
            }
            Self::AllNotions => {
                let names = ["notion", "family", "possible"].map(option).join(", ");
                (format!("all notions are decided, and {names} are about one"), "leave them out".to_owned())
            }
            Self::Party => (format!("{} is for protocols", option("party")), "leave it out".to_owned()),
            Self::PriorsOfOthers => {
                let help = format!("add {}, or {}", explicit(), leave("priors"));
                (format!("{} is for {}", option("priors"), explicit()), help)
            }
            Self::PriorOfExplicit => {
                let message =
                    format!("{} is not for {}, whose priors are those of the file", option("prior"), explicit());
                let help =
                    format!("{}: the file of {} contains the priors of observers", leave("prior"), option("priors"));
                (message, help)
            }
            Self::ExplicitWithoutPriors => {
                (format!("{} needs priors", explicit()), format!("add {}", set("priors", "FILE")))
            }
            Self::BoxWithoutPrior => {
                (format!("{} needs a range", set("family", "box")), format!("add {}", set("prior", "1/5..4/5")))
            }
            Self::PriorOfNotion => (format!("{}: this notion has no priors", option("prior")), leave("prior")),
            Self::ByCounts => (
                "this family is about entities, and the mechanism is about counts".to_owned(),
                "give it dataset by dataset".to_owned(),
            ),
            Self::Possible => (
                format!("{} is for induced neighbours", option("possible")),
                format!("add {}", set("notion", "induced-neighbours")),
            ),
            Self::SampleOfProtocol => {
                (format!("{} is for mechanisms, and this is a protocol", option("sample")), "leave it out".to_owned())
            }
            Self::NoProtocol => (
                "semi-honest privacy is decided for protocols, and this is a mechanism".to_owned(),
                "name a protocol; `deniable check --list` lists the built-in ones".to_owned(),
            ),
            Self::NoInputs => ("the protocol has no inputs".to_owned(), "add inputs to it".to_owned()),
            Self::SemiHonest => {
                ("semi-honest privacy has no priors and no certificate".to_owned(), "leave them out".to_owned())
            }
            Self::CertificateOfCounts => (
                "certificates are about datasets, and this mechanism is about counts".to_owned(),
                format!("give the mechanism dataset by dataset, or {}", leave("certificate")),
            ),
            Self::CouplingNotion => (
                format!("{} pairs datasets that are neighbours of `dp` or `bounded-dp`", option("coupling")),
                format!(
                    "add {} (one exchanged) or {} (one more or less)",
                    set("notion", "bounded-dp"),
                    set("notion", "dp")
                ),
            ),
            Self::CouplingFamily => (
                format!("{} needs one prior", option("coupling")),
                format!("add {} {}", explicit(), set("priors", "FILE")),
            ),
        }
    }

    fn code(self) -> Code {
        match self {
            Self::NoInputs | Self::CertificateOfCounts => Code::Other,
            _ => Code::Usage,
        }
    }
}

impl Error {
    fn words(&self, surface: Surface) -> (Code, String, String) {
        let (option, set) = (|name| surface.option(name), |name, value: &str| surface.set(name, value));
        let leave = |name| format!("leave {} out", option(name));
        let usage = |message: String, help: String| (Code::Usage, message, help);
        let other = |message: String, help: String| (Code::Other, message, help);
        match self {
            Self::Misfit(misfit) => {
                let (message, help) = misfit.words(surface);
                (misfit.code(), message, help)
            }
            Self::Parse { option: name, error } => {
                let help = match *name {
                    "prior" => format!("write {}", set("prior", "1/5..4/5")),
                    "family" => "`deniable check --list` lists families".to_owned(),
                    _ => "`deniable check --list` lists them".to_owned(),
                };
                usage(format!("{} {error}", option(name)), help)
            }
            Self::Formula(error) => {
                usage(format!("{} {error}", option("possible")), "docs/how-to/check.md shows formulas".to_owned())
            }
            Self::Claim(ClaimError { text, problem, examples }) => {
                let examples: Vec<String> = examples.iter().map(|example| set("claim", example)).collect();
                usage(format!("{}: {problem}", set("claim", text)), format!("write {}", examples.join(" or ")))
            }
            Self::Comparison(error) => {
                usage(format!("{}: {error}", option("claim")), format!("state the odds: {}", set("claim", "odds=...")))
            }
            Self::FamilyOfNotion(family) => {
                usage(format!("{}: this notion has no family of priors", set("family", family)), leave("family"))
            }
            Self::Builtin(error) => usage(error.to_string(), LIST.to_owned()),
            Self::ParameterOfFile(name) => {
                usage(format!("{} is for built-in mechanisms", option(name)), "leave it out".to_owned())
            }
            Self::Extension(file) => {
                let parquet = file.kind == FileKind::Mechanism && cfg!(feature = "sql");
                let known = if parquet { ".toml, .json, .csv or .parquet" } else { ".toml, .json or .csv" };
                usage(format!("{} does not end in {known}", file.path.display()), file.help().to_owned())
            }
            Self::Unread { file, source } => {
                other(format!("{} cannot be read: {source}", file.path.display()), file.help().to_owned())
            }
            Self::Content { file: Some(file), error } => {
                let help = error.help().unwrap_or_else(|| file.help().to_owned());
                other(format!("{}: {}", file.path.display(), error.what()), help)
            }
            Self::Content { file: None, error } => {
                other(error.what(), error.help().unwrap_or_else(|| "docs/how-to/check.md shows the shapes".to_owned()))
            }
            #[cfg(feature = "sql")]
            Self::Parquet(error) => other(error.to_string(), MECHANISM.to_owned()),
            Self::TooLarge(error) => other(error.to_string(), "take a protocol of fewer inputs".to_owned()),
            Self::Expanded(error) => other(error.to_string(), "give it dataset by dataset".to_owned()),
            Self::Sample(error) => {
                other(error.to_string(), format!("{}, or give a row for every dataset", leave("sample")))
            }
            Self::LargeBox { entities, most } => other(
                format!("{}: {entities} entities are more than {most}", set("family", "box")),
                format!("take smaller groups, or {}, whose odds are no smaller", set("family", "independent")),
            ),
            Self::Undecided(error) => {
                other(error.to_string(), "`deniable check --list` lists the requirements of each notion".to_owned())
            }
            Self::Scalable(error) => other(error.to_string(), "leave priors out that others mix to".to_owned()),
            Self::SeveralPriors(count) => other(
                format!("{} is about one prior, and the file has {count}", option("coupling")),
                "leave one in the file".to_owned(),
            ),
            Self::NoEntity { entity, known } => usage(
                format!("{}: there is no such entity", set("coupling", entity)),
                format!("they are {}", known.join(", ")),
            ),
            Self::Pairing(error @ PairingError::Certain(_)) => {
                other(error.to_string(), "name an entity of whom it is unsure".to_owned())
            }
            Self::Pairing(error) => other(error.to_string(), "report this prior".to_owned()),
            Self::NoCertificate(why) => other(why.clone(), leave("certificate")),
            Self::Certificate { path, problem } => {
                let file = path.display().to_string();
                usage(format!("{}: {problem}", set("certificate", &file)), "name another file".to_owned())
            }
            Self::Unwritten { path, source } => other(
                format!("{} cannot be written: {source}", path.display()),
                format!("name another file with {}; its folder must exist", option("certificate")),
            ),
        }
    }
}

impl Diagnose for Error {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let (code, message, help) = self.words(surface);
        vec![Diagnostic::new(code, message).with_help(help)]
    }
}
