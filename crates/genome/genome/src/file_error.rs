//! Errors of genotype and phenotype files: the place, the problem and the remedy.

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use std::path::{Path, PathBuf};

/// A problem of a file, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; `None` if the whole file is invalid, or has no lines.
    pub line: Option<u64>,
    /// The problem.
    pub kind: FileErrorKind,
}

/// `file:line: problem`, and the help on its own line.
impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\n  help: {}", self.kind, self.help())
    }
}

impl std::error::Error for FileError {}

impl Diagnose for FileError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let line = self.line.map_or_else(String::new, |line| format!(":{line}"));
        let diagnostic = Diagnostic::new(Code::Data, format!("{}{line}: {}", self.file.display(), self.kind));
        let option = match self.kind {
            FileErrorKind::Quantitative { .. } => format!(" with {}", surface.option("pheno")),
            _ => String::new(),
        };
        vec![diagnostic.with_help(format!("{}{option}", self.help()))]
    }
}

/// A problem of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileErrorKind {
    /// A file that is missing, forbidden, or on a failing disk.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A file that changed after it was opened.
    #[error("changed while it was read")]
    Changed,
    /// A line that is longer than any plausible one.
    #[error("this line is longer than {limit} bytes")]
    LongLine {
        /// Longest allowed line, in bytes.
        limit: usize,
    },
    /// A character that is not allowed in names and numbers.
    #[error("there is {what} at byte {column} of this line")]
    Character {
        /// The kind of character.
        what: &'static str,
        /// The byte in the line, from 1.
        column: usize,
    },
    /// A quote in a phenotype file, whose columns are plain words.
    #[error("there is a quote at byte {column} of this line")]
    Quote {
        /// The byte in the line, from 1.
        column: usize,
    },
    /// A blank line in a file whose lines are identified by their number.
    #[error("this line is blank, but other lines follow")]
    Blank,
    /// Too few or too many columns.
    #[error("this line has {found} columns, and {expected} are expected: {names}")]
    Columns {
        /// Number of columns found.
        found: usize,
        /// Number of columns expected.
        expected: &'static str,
        /// The names of the columns.
        names: &'static str,
    },
    /// A file without people or SNPs.
    #[error("there are no {0} in this file")]
    Empty(&'static str),
    /// A person listed twice.
    #[error("duplicate {id}; the first is in line {first}")]
    Duplicate {
        /// The person.
        id: String,
        /// The line of the first.
        first: u64,
    },
    /// A phenotype that is neither case, control nor missing.
    #[error("the phenotype `{found}` is neither 1 (control), 2 (case) nor missing (0, -9, NA): it is quantitative")]
    Quantitative {
        /// The text found.
        found: String,
    },
    /// A cohort without cases or without controls.
    #[error("there are {cases} cases and {controls} controls; an association needs at least one of each")]
    OneGroup {
        /// Number of cases.
        cases: u64,
        /// Number of controls.
        controls: u64,
    },
    /// More people than can be counted.
    #[error("there are more than {limit} people")]
    TooManyPeople {
        /// Largest number of people.
        limit: usize,
    },
    /// A missing phenotype column.
    #[error("there is no phenotype column {wanted}; there are: {found}")]
    NoColumn {
        /// The column requested.
        wanted: String,
        /// The columns of the file.
        found: String,
    },
    /// A column selected by name in a file without a header.
    #[error("the phenotype column `{name}` is selected by name, but the first line is not a header")]
    NoHeader {
        /// The name requested.
        name: String,
    },
    /// A position that is not an integer.
    #[error("the position `{found}` is not a whole number below 2147483647")]
    Position {
        /// The text found.
        found: String,
    },
    /// A file that is not a PLINK 1 file.
    #[error("this is not a PLINK 1 .bed file: it begins with {found}, not 6c 1b")]
    Magic {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// A PLINK 1 file in the other order.
    #[error(
        "this .bed file is in the sample-major order, or older than PLINK 1.0 (its third byte is {mode:02x}, not 01)"
    )]
    SampleMajor {
        /// The third byte.
        mode: u8,
    },
    /// A .bed file whose length contradicts the people and the SNPs.
    #[error("{found} bytes are not {snps} SNPs of {people} people, which take 3 + {snps} × {row} = {expected}")]
    Length {
        /// Its length in bytes.
        found: u64,
        /// SNPs in the .bim file.
        snps: u64,
        /// People in the .fam file.
        people: u64,
        /// Bytes of one SNP.
        row: u64,
        /// The expected length in bytes.
        expected: u128,
    },
    /// An error of the VCF parser.
    #[error("this is not VCF: {0}")]
    Vcf(String),
    /// A VCF file without samples.
    #[error("this VCF file names no samples: it holds variants without genotypes")]
    NoSamples,
    /// A compressed file without bgzip's blocks.
    #[error("this file is compressed, but not with bgzip")]
    NotBgzip,
    /// A compressed block that does not decompress.
    #[error("a compressed block of this file is damaged, near line {line}")]
    Damaged {
        /// The line being read.
        line: u64,
    },
    /// A bgzipped file without its end mark.
    #[error("this bgzipped file ends without its end mark: it is cut off")]
    Truncated,
    /// An invalid genotype.
    #[error("sample {sample} has the genotype `{found}`")]
    Genotype {
        /// The sample.
        sample: String,
        /// The text found.
        found: String,
    },
    /// More or fewer genotypes than samples.
    #[error("this line has {found} genotypes, and the header names {expected} samples")]
    Samples {
        /// Number of genotypes.
        found: usize,
        /// Number of samples.
        expected: usize,
    },
    /// Two lines of a phenotype file that match one sample of a VCF file.
    #[error("the sample {sample} of the VCF file is the individual of lines {first} and {second}")]
    Ambiguous {
        /// The sample.
        sample: String,
        /// The first line.
        first: u64,
        /// The second line.
        second: u64,
    },
    /// A phenotype file without any person of the genotype file.
    #[error("none of the people in this file is in {genotypes}")]
    Strangers {
        /// The file with the genotypes.
        genotypes: String,
    },
}

impl FileError {
    /// An error of a file as a whole.
    pub(crate) fn whole(file: &Path, kind: FileErrorKind) -> Self {
        Self { file: file.to_owned(), line: None, kind }
    }

    pub(crate) fn at(file: &Path, line: u64, kind: FileErrorKind) -> Self {
        Self { file: file.to_owned(), line: Some(line), kind }
    }

    /// An error of the operating system.
    pub(crate) fn unreadable(file: &Path, error: &std::io::Error) -> Self {
        Self::whole(file, FileErrorKind::Unreadable(shown(&error.to_string())))
    }

    /// The remedy.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match &self.kind {
            FileErrorKind::Unreadable(_) => {
                "give the prefix that .bed, .bim and .fam share, or the path of a VCF or phenotype file, and check the \
                 permissions"
            }
            FileErrorKind::Changed => "wait until no program writes to it, and start again",
            FileErrorKind::LongLine { .. } => {
                "check that this is the right file, and that its lines end with line feeds"
            }
            FileErrorKind::Character { .. } => {
                "rename people, SNPs and alleles to plain ASCII without control characters, and save the file as text"
            }
            FileErrorKind::Quote { .. } => {
                "write names and phenotypes without quotes; in R, with write.table(..., quote = FALSE)"
            }
            FileErrorKind::Blank => "remove the blank line, or copy the three files anew from one source",
            FileErrorKind::Columns { .. } => "fix the line; names must not contain spaces or tabs",
            FileErrorKind::Empty(_) => "check that this is the right file, and that it was written to the end",
            FileErrorKind::Duplicate { .. } => "remove or rename one of the two: each person is counted once",
            FileErrorKind::Quantitative { .. } => {
                "only cases and controls are supported: recode the phenotype as 1 and 2, or choose another column or file"
            }
            FileErrorKind::OneGroup { .. } => {
                "code controls 1 and cases 2; files coded 0 and 1 (PLINK's --1) must be recoded"
            }
            FileErrorKind::TooManyPeople { .. } => "split the cohort",
            FileErrorKind::NoColumn { .. } => "name one of these columns; the first phenotype column has number 1",
            FileErrorKind::NoHeader { .. } => {
                "add a first line `FID IID` and the names of the phenotypes, or choose the column by number"
            }
            FileErrorKind::Position { .. } => "give the base-pair position in the fourth column",
            FileErrorKind::Magic { .. } => "convert the data with `plink --make-bed`",
            FileErrorKind::SampleMajor { .. } => "write it anew with `plink --bfile PREFIX --make-bed --out OTHER`",
            FileErrorKind::Length { .. } => {
                "copy the three files anew from one source: they do not belong together, or one is cut off"
            }
            FileErrorKind::Vcf(_) => "check the file with `bcftools view`",
            FileErrorKind::NoSamples => "give the VCF file with the genotypes of the cohort",
            FileErrorKind::NotBgzip => "compress it with bgzip: `gunzip -c FILE | bgzip > NEW.vcf.gz`",
            FileErrorKind::Damaged { .. } | FileErrorKind::Truncated => "copy or write it anew",
            FileErrorKind::Genotype { .. } => {
                "write diploid or haploid genotypes of the alleles 0 and 1, as in 0/1, 1|1, 0 or ./. (`bcftools norm` helps)"
            }
            FileErrorKind::Samples { .. } => "write the file anew; its lines do not fit its header",
            FileErrorKind::Ambiguous { .. } => "keep one line for each individual: VCF has no families",
            FileErrorKind::Strangers { .. } => {
                "check that both files use the same names: FID and IID, or the samples of a VCF file"
            }
        }
    }
}

/// Text of a file for display on one terminal line: invisible characters are escaped, and long text is cut.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let short: String = text.chars().take(LONGEST).collect();
    let mut shown = deniable_core::text::printable(&short).into_owned();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
