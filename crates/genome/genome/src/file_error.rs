//! What can be wrong with a genotype or phenotype file: the place, the complaint and the help.

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use std::path::{Path, PathBuf};

/// A file that cannot be used, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; `None` when the file as a whole is wrong, or has no lines.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: FileErrorKind,
}

/// `file:line: complaint`, and the help on a line of its own.
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

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileErrorKind {
    /// Missing, no permission, a failing disk.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Not what it was when it was opened.
    #[error("changed while it was read")]
    Changed,
    /// A line that is longer than any sensible one.
    #[error("this line is longer than {limit} bytes")]
    LongLine {
        /// How long a line may be.
        limit: usize,
    },
    /// A character that names and numbers have no use for.
    #[error("there is {what} at byte {column} of this line")]
    Character {
        /// What was found.
        what: &'static str,
        /// Where in the line, from 1.
        column: usize,
    },
    /// A quote in a phenotype file, whose columns are plain words.
    #[error("there is a quote at byte {column} of this line")]
    Quote {
        /// Where in the line, from 1.
        column: usize,
    },
    /// A blank line among lines that are numbered by their place.
    #[error("this line is blank, and others follow")]
    Blank,
    /// Too few or too many columns.
    #[error("this line has {found} columns, and {expected} are expected: {names}")]
    Columns {
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: &'static str,
        /// What they are.
        names: &'static str,
    },
    /// A file without a person or a SNP.
    #[error("there are no {0} in this file")]
    Empty(&'static str),
    /// Somebody stands here twice.
    #[error("{id} stands here a second time; the first is in line {first}")]
    Duplicate {
        /// Who.
        id: String,
        /// The line of the first.
        first: u64,
    },
    /// A phenotype that is neither case, control nor missing.
    #[error("the phenotype `{found}` is neither 1 (control), 2 (case) nor missing (0, -9, NA): it is quantitative")]
    Quantitative {
        /// What was found.
        found: String,
    },
    /// Nobody to compare with.
    #[error("there are {cases} cases and {controls} controls; an association needs at least one of each")]
    OneGroup {
        /// The cases.
        cases: u64,
        /// The controls.
        controls: u64,
    },
    /// More people than can be counted.
    #[error("there are more than {limit} people")]
    TooManyPeople {
        /// How many there may be.
        limit: usize,
    },
    /// A phenotype column that is not there.
    #[error("there is no phenotype column {wanted}; there are: {found}")]
    NoColumn {
        /// What was asked for.
        wanted: String,
        /// What there is.
        found: String,
    },
    /// A column is asked for by name, and no line names the columns.
    #[error("the phenotype column `{name}` is asked for by name, and the first line is not a header")]
    NoHeader {
        /// What was asked for.
        name: String,
    },
    /// A position that is no whole number.
    #[error("the position `{found}` is not a whole number below 2147483647")]
    Position {
        /// What was found.
        found: String,
    },
    /// Not a PLINK 1 file at all.
    #[error("this is not a PLINK 1 .bed file: it begins with {found}, not 6c 1b")]
    Magic {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// The other order of a PLINK 1 file.
    #[error(
        "this .bed file is in the sample-major order, or older than PLINK 1.0 (its third byte is {mode:02x}, not 01)"
    )]
    SampleMajor {
        /// The third byte.
        mode: u8,
    },
    /// A .bed file that does not fit the people and the SNPs.
    #[error("{found} bytes are not {snps} SNPs of {people} people, which take 3 + {snps} × {row} = {expected}")]
    Length {
        /// Its length.
        found: u64,
        /// SNPs in the .bim file.
        snps: u64,
        /// People in the .fam file.
        people: u64,
        /// Bytes of one SNP.
        row: u64,
        /// What the length must be.
        expected: u128,
    },
    /// What the reader of VCF says.
    #[error("this is not VCF: {0}")]
    Vcf(String),
    /// A VCF file nobody is named in.
    #[error("this VCF file names no samples: it holds variants without genotypes")]
    NoSamples,
    /// Compressed, but not in blocks.
    #[error("this file is compressed, but not with bgzip")]
    NotBgzip,
    /// A compressed block that does not decompress.
    #[error("a compressed block of this file is damaged, near line {line}")]
    Damaged {
        /// The line that was being read.
        line: u64,
    },
    /// The mark at the end of a bgzipped file is not there.
    #[error("this bgzipped file ends without its end mark: it is cut off")]
    Truncated,
    /// A genotype that is none.
    #[error("sample {sample} has the genotype `{found}`")]
    Genotype {
        /// The sample.
        sample: String,
        /// What was found.
        found: String,
    },
    /// More or fewer genotypes than samples.
    #[error("this line has {found} genotypes, and the header names {expected} samples")]
    Samples {
        /// How many genotypes there are.
        found: usize,
        /// How many samples there are.
        expected: usize,
    },
    /// Two lines of a phenotype file could be meant by one sample of a VCF file.
    #[error("the sample {sample} of the VCF file is the individual of lines {first} and {second}")]
    Ambiguous {
        /// The sample.
        sample: String,
        /// A line.
        first: u64,
        /// Another one.
        second: u64,
    },
    /// Phenotypes that belong to nobody in the genotype file.
    #[error("none of the people in this file is in {genotypes}")]
    Strangers {
        /// The file with the genotypes.
        genotypes: String,
    },
}

impl FileError {
    /// About a file as a whole.
    pub(crate) fn whole(file: &Path, kind: FileErrorKind) -> Self {
        Self { file: file.to_owned(), line: None, kind }
    }

    pub(crate) fn at(file: &Path, line: u64, kind: FileErrorKind) -> Self {
        Self { file: file.to_owned(), line: Some(line), kind }
    }

    /// About a file that the operating system refuses.
    pub(crate) fn unreadable(file: &Path, error: &std::io::Error) -> Self {
        Self::whole(file, FileErrorKind::Unreadable(shown(&error.to_string())))
    }

    /// What to do.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match &self.kind {
            FileErrorKind::Unreadable(_) => {
                "give the prefix that .bed, .bim and .fam share, or the path of a VCF or phenotype file, and check the \
                 permissions"
            }
            FileErrorKind::Changed => "wait until nothing writes to it, and start again",
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
            FileErrorKind::Duplicate { .. } => "remove or rename one of the two: nobody is counted twice",
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
            FileErrorKind::Ambiguous { .. } => "keep one line for each individual: VCF knows no families",
            FileErrorKind::Strangers { .. } => {
                "check that both files name people alike: FID and IID, or the samples of a VCF file"
            }
        }
    }
}

/// What a file holds, fit for a line of a terminal: what is not seen is escaped, and it is not too long.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let short: String = text.chars().take(LONGEST).collect();
    let mut shown = deniable_core::text::printable(&short).into_owned();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
