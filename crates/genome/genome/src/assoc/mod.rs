//! The curator's own table: the output of PLINK 1.9 for `--assoc` and `--model`, from the same counts. It is exact and
//! must not be published; private releases use [`crate::fill`]ed tables.
//!
//! PLINK's A1 is the rarer allele among founders, unless `--keep-allele-order` is given: [`Order`]. Missing calls are
//! left out SNP by SNP.

mod chi2;
pub mod digits;
#[cfg(test)]
mod tests;

use crate::cohort::{Snp, Variant};
use crate::table::ContingencyTable;
use chi2::{allelic, allelic_in_assoc, dominant, genotypic, recessive, tail, trend};
use digits::four;
use std::io::Write;

/// The order of the alleles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// A1 is the rarer allele among founders; the file's A1 if both are equally common. PLINK's default.
    #[default]
    MinorFirst,
    /// A1 is the file's. PLINK's `--keep-allele-order`.
    AsInFile,
}

impl Order {
    /// The SNP with its alleles in this order.
    #[must_use]
    pub fn of(self, snp: Snp) -> Snp {
        let [none, one, two] = snp.counts.founders.map(u64::from);
        let (a1, a2) = (2 * two + one, 2 * none + one);
        if self == Self::AsInFile || a1 <= a2 {
            return snp;
        }
        let mut swapped = snp;
        std::mem::swap(&mut swapped.variant.a1, &mut swapped.variant.a2);
        swapped.counts.table.cases.reverse();
        swapped.counts.table.controls.reverse();
        swapped.counts.founders.reverse();
        swapped
    }
}

/// A row of `--assoc`. `None` is PLINK's NA.
#[derive(Debug, Clone, PartialEq)]
pub struct AssocRow {
    /// The SNP.
    pub variant: Variant,
    /// Frequency of A1 among cases.
    pub case_frequency: Option<f64>,
    /// Frequency of A1 among controls.
    pub control_frequency: Option<f64>,
    /// χ² of the alleles, one degree of freedom.
    pub chi2: Option<f64>,
    /// Its p-value.
    pub p: Option<f64>,
    /// The odds ratio.
    pub odds_ratio: Option<f64>,
}

impl AssocRow {
    /// The row of a SNP whose alleles are in the order of the row.
    #[must_use]
    pub fn of(snp: Snp) -> Self {
        let Alleles { cases, controls } = Alleles::of(&snp.counts.table);
        let chi2 = allelic_in_assoc(cases, controls);
        let odds = |[a1, a2]: [u64; 2], [b1, b2]: [u64; 2]| ratio(a1 as f64 * b2 as f64, a2 as f64 * b1 as f64);
        Self {
            variant: snp.variant,
            case_frequency: frequency(cases),
            control_frequency: frequency(controls),
            chi2,
            p: chi2.map(|chi2| tail(chi2, 1)),
            odds_ratio: odds(cases, controls).filter(|_| chi2.is_some()),
        }
    }
}

/// A test of `--model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// The three genotypes.
    Geno,
    /// Cochran and Armitage's trend.
    Trend,
    /// The two alleles.
    Allelic,
    /// A1 dominant: one or two copies against none.
    Dom,
    /// A1 recessive: two copies against one or none.
    Rec,
}

impl Model {
    /// All tests, in PLINK's order.
    pub const ALL: [Self; 5] = [Self::Geno, Self::Trend, Self::Allelic, Self::Dom, Self::Rec];

    /// PLINK's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Geno => "GENO",
            Self::Trend => "TREND",
            Self::Allelic => "ALLELIC",
            Self::Dom => "DOM",
            Self::Rec => "REC",
        }
    }
}

/// PLINK prints NA for GENO, DOM and REC if one of the six genotype counts is smaller (`--cell`).
pub const SMALLEST_CELL: u32 = 5;

/// A row of `--model`. `None` is PLINK's NA.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRow {
    /// The test.
    pub model: Model,
    /// Counts of cases: two copies, one, none; or A1, A2; or with, without.
    pub cases: Vec<u64>,
    /// Counts of controls, in the same order.
    pub controls: Vec<u64>,
    /// χ².
    pub chi2: Option<f64>,
    /// Degrees of freedom.
    pub freedom: u32,
    /// The p-value.
    pub p: Option<f64>,
}

impl ModelRow {
    /// The row of a table whose counted allele is A1.
    #[must_use]
    pub fn of(model: Model, table: &ContingencyTable) -> Self {
        let wide = |counts: [u32; 3]| counts.map(u64::from);
        let (cases, controls) = (wide(table.cases), wide(table.controls));
        let alleles = Alleles::of(table);
        let enough = table.cases.iter().chain(&table.controls).all(|count| *count >= SMALLEST_CELL);
        let split = |[none, one, two]: [u64; 3]| match model {
            Model::Geno => vec![two, one, none],
            Model::Trend | Model::Allelic => vec![2 * two + one, 2 * none + one],
            Model::Dom => vec![two + one, none],
            Model::Rec => vec![two, one + none],
        };
        let chi2 = match model {
            Model::Geno => genotypic(cases, controls).filter(|_| enough),
            Model::Trend => trend(cases, controls),
            Model::Allelic => allelic(alleles.cases, alleles.controls),
            Model::Dom => dominant(cases, controls).filter(|_| enough),
            Model::Rec => recessive(cases, controls).filter(|_| enough),
        };
        let freedom = if model == Model::Geno { 2 } else { 1 };
        let p = chi2.map(|chi2| tail(chi2, freedom));
        Self { model, cases: split(cases), controls: split(controls), chi2, freedom, p }
    }
}

struct Alleles {
    cases: [u64; 2],
    controls: [u64; 2],
}

impl Alleles {
    fn of(table: &ContingencyTable) -> Self {
        let cases = table.case_alleles();
        let controls = table.control_alleles();
        Self {
            cases: [cases, 2 * table.all_cases() - cases],
            controls: [controls, 2 * table.all_controls() - controls],
        }
    }
}

fn frequency([a1, a2]: [u64; 2]) -> Option<f64> {
    ratio(a1 as f64, (a1 + a2) as f64)
}

fn ratio(above: f64, below: f64) -> Option<f64> {
    (below > 0.0).then(|| above / below)
}

/// The initial width of PLINK's column of names.
pub const NARROWEST: usize = 4;

/// The width of that column after a name: PLINK 1.9 widens it to two more than the length of a name that does not fit.
#[must_use]
pub fn wider(width: usize, name: &str) -> usize {
    if name.len() > width { name.len() + 2 } else { width }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "NA".to_owned(), four)
}

/// The header of `--assoc`; `width` is [`crate::Fileset::name_width`].
///
/// # Errors
/// If it cannot be written.
pub fn write_assoc_header(out: &mut dyn Write, width: usize) -> std::io::Result<()> {
    let mut line = aligned(&ASSOC, width, ["CHR", "SNP", "BP", "A1", "F_A", "F_U", "A2", "CHISQ", "P", "OR"]);
    line.push_str(" \n");
    out.write_all(line.as_bytes())
}

/// A row of `--assoc`.
///
/// # Errors
/// If it cannot be written.
pub fn write_assoc(out: &mut dyn Write, width: usize, row: &AssocRow) -> std::io::Result<()> {
    let Variant { chromosome, id, position, a1, a2 } = &row.variant;
    let (chromosome, position) = (chromosome.to_string(), position.to_string());
    let (case_frequency, control_frequency) = (number(row.case_frequency), number(row.control_frequency));
    let (chi2, p, odds_ratio) = (number(row.chi2), number(row.p), number(row.odds_ratio));
    let cells = [&chromosome, id, &position, a1, &case_frequency, &control_frequency, a2, &chi2, &p, &odds_ratio];
    let mut line = aligned(&ASSOC, width, cells.map(String::as_str));
    line.push_str(" \n");
    out.write_all(line.as_bytes())
}

/// The header of `--model`.
///
/// # Errors
/// If it cannot be written.
pub fn write_model_header(out: &mut dyn Write, width: usize) -> std::io::Result<()> {
    let mut line = aligned(&MODEL, width, ["CHR", "SNP", "A1", "A2", "TEST", "AFF", "UNAFF", "CHISQ", "DF", "P"]);
    line.push('\n');
    out.write_all(line.as_bytes())
}

/// A row of `--model`.
///
/// # Errors
/// If it cannot be written.
pub fn write_model(out: &mut dyn Write, width: usize, variant: &Variant, row: &ModelRow) -> std::io::Result<()> {
    let Variant { chromosome, id, position: _, a1, a2 } = variant;
    let chromosome = chromosome.to_string();
    let counts = |counts: &[u64]| counts.iter().map(u64::to_string).collect::<Vec<_>>().join("/");
    let (cases, controls) = (counts(&row.cases), counts(&row.controls));
    let freedom = row.chi2.map_or_else(|| "NA".to_owned(), |_| row.freedom.to_string());
    let (chi2, p) = (number(row.chi2), number(row.p));
    let mut line =
        aligned(&MODEL, width, [&chromosome, id, a1, a2, row.model.name(), &cases, &controls, &chi2, &freedom, &p]);
    line.push('\n');
    out.write_all(line.as_bytes())
}

/// PLINK's column widths for `--assoc`; 0 is the column of names.
const ASSOC: [usize; 10] = [4, 0, 10, 4, 8, 8, 4, 12, 12, 12];
/// PLINK's column widths for `--model`.
const MODEL: [usize; 10] = [4, 0, 4, 4, 8, 14, 14, 12, 4, 12];

/// Right-aligned columns; a wider cell shifts the following ones.
fn aligned(widths: &[usize; 10], name_width: usize, cells: [&str; 10]) -> String {
    let mut line = String::with_capacity(128);
    for (place, (cell, width)) in cells.into_iter().zip(widths).enumerate() {
        let width = if *width == 0 { name_width } else { *width };
        let blanks = width.saturating_sub(cell.len()) + usize::from(place > 0);
        line.extend(std::iter::repeat_n(' ', blanks));
        line.push_str(cell);
    }
    line
}
