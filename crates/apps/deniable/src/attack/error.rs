//! Errors of attacks.

use deniable_attack::TableError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{Rational, Rounding, percent};
use deniable_ledger::StoreError;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// An attack that failed. Options are named as the fields of the options.
#[derive(Debug)]
pub enum Error {
    /// A confidence below 1/2, or of 1 or more.
    Confidence(Rational),
    /// A clamp that is not above 0 and below 1/2.
    Clamp(f64),
    /// No join column.
    NoColumn,
    /// A repeated join column.
    Twice(String),
    /// The column of truth is also a join column.
    TruthIsKnown,
    /// A tolerance of ratings is out of its range.
    Tolerance,
    /// One list of targets without the other.
    Unpaired,
    /// No genotypes have this name.
    NoGenotypes(PathBuf),
    /// A file of a PLINK fileset where its prefix should be.
    NotAPrefix {
        /// The file.
        file: PathBuf,
        /// The prefix.
        prefix: PathBuf,
    },
    /// People of a reference that is a table of frequencies cannot be selected.
    ReferenceIsTable,
    /// Members of the pool are also people of the reference; the number is how many.
    MembersInReference(usize),
    /// A target is on both lists.
    OnBothLists(String),
    /// The released table and the reference have no SNP in common.
    NoSharedSnp,
    /// The ledger has no membership charge with this entry.
    NoEntry {
        /// The selected entry.
        entry: u64,
        /// The first membership charges: their entries and names.
        known: Vec<(u64, String)>,
    },
    /// A table or a file of genotypes cannot be used.
    Table(TableError),
    /// The ledger cannot be read.
    Ledger(StoreError),
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Ledger(error)
    }
}

/// The message, with options as the library names them.
impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.diagnostics(Surface::Library).iter().try_for_each(|diagnostic| f.write_str(diagnostic.message()))
    }
}

impl std::error::Error for Error {}

impl Diagnose for Error {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let option = |name: &str| surface.option(name);
        let (message, help) = match self {
            Self::Table(error) => return error.diagnostics(surface),
            Self::Ledger(error) => return error.diagnostics(surface),
            Self::NoSharedSnp => {
                let help = "SNPs are matched by their names and alleles; check that both are of the same panel";
                let message = "the released table and the reference share no SNP";
                return vec![Diagnostic::new(Code::Data, message).with_help(help)];
            }
            Self::Confidence(confidence) => (
                format!(
                    "{} is not from 50% to less than 100%",
                    surface.set("confidence", percent(confidence, 4, Rounding::Nearest))
                ),
                format!("write {}", surface.set("confidence", "95%")),
            ),
            Self::Clamp(clamp) => (
                format!("{} is not above 0 and below 1/2", surface.set("clamp", clamp)),
                format!("leave it out, or write {}", surface.set("clamp", "0.001")),
            ),
            Self::NoColumn => {
                (format!("{} names no column", option("on")), "name the columns that both tables have".to_owned())
            }
            Self::Twice(column) => {
                (format!("{} names {column} twice", option("on")), "name each column once".to_owned())
            }
            Self::TruthIsKnown => (
                format!("{} is one of the columns of {}", option("truth"), option("on")),
                format!("an adversary does not know it; name another column, or leave it out of {}", option("on")),
            ),
            Self::Tolerance => {
                let help = match surface {
                    Surface::Command => "--rating-within is at least 0, --ahead above 0",
                    Surface::Python | Surface::Library => "`rating` is at least 0, `eccentricity` above 0",
                };
                ("a tolerance is out of its range".to_owned(), help.to_owned())
            }
            Self::Unpaired => (
                format!("{} and {} need each other", option("members"), option("others")),
                "name both lists; the second may be `rest`".to_owned(),
            ),
            Self::NoGenotypes(path) => (
                format!("{} {}: there are no genotypes of that name", option("targets"), path.display()),
                "name a PLINK prefix (PREFIX.bed, .bim and .fam) or a VCF file".to_owned(),
            ),
            Self::NotAPrefix { file, prefix } => (
                format!("{} is one of three files; name their prefix", file.display()),
                format!("write {}", prefix.display()),
            ),
            Self::ReferenceIsTable => (
                format!(
                    "{} chooses people, and {} is a table of frequencies",
                    option("reference-people"),
                    option("reference")
                ),
                format!("leave {} out, or name genotypes with {}", option("reference-people"), option("reference")),
            ),
            Self::MembersInReference(count) => (
                format!("{count} of {} are people of the reference", option("members")),
                format!(
                    "choose other people with {}: members in the reference look like non-members",
                    option("reference-people")
                ),
            ),
            Self::OnBothLists(name) => (
                format!("{name} is on both lists, {} and {}", option("members"), option("others")),
                "take them out of one of the two".to_owned(),
            ),
            Self::NoEntry { entry, known } => {
                let named: Vec<String> = known.iter().map(|(entry, name)| format!("{entry} ({name})")).collect();
                let help = match named.is_empty() {
                    true => {
                        "the ledger has no charge for membership; `deniable ledger show` has all entries".to_owned()
                    }
                    false => format!("charges for membership are {}", named.join(", ")),
                };
                (format!("{} is not a charge of this ledger", surface.set("entry", entry)), help)
            }
        };
        vec![Diagnostic::new(Code::Usage, message).with_help(help)]
    }
}
