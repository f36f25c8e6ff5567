//! The output of every genotype reader: SNPs with their counts, and a log of the numbers left out.

use crate::counting::Masks;
use crate::file_error::{FileError, FileErrorKind};
use crate::table::ContingencyTable;
use std::path::Path;

/// Largest number of people: their alleles are counted in 32 bits.
pub const MOST_PEOPLE: usize = 1 << 30;

/// The group of a person in an association study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Phenotype 1.
    Control,
    /// Phenotype 2.
    Case,
}

impl Status {
    /// Parses a phenotype of PLINK; `Ok(None)` if it is missing.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, FileErrorKind> {
        match text {
            "1" => Ok(Some(Self::Control)),
            "2" => Ok(Some(Self::Case)),
            "0" | "-9" | "NA" => Ok(None),
            _ => Err(FileErrorKind::Quantitative { found: crate::file_error::shown(text) }),
        }
    }
}

/// One SNP, as its file names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// The chromosome by PLINK's number: 1 to 22; 0 if it is unknown; 25 for the region shared by X and Y.
    pub chromosome: u8,
    /// The name; `.` if it is missing.
    pub id: String,
    /// The position in base pairs.
    pub position: u32,
    /// The counted allele: the fifth column of a .bim file, the alternate allele of a VCF file.
    pub a1: String,
    /// The other allele: the sixth column of a .bim file, the reference allele of a VCF file.
    pub a2: String,
}

/// Counts of missing genotype calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MissingCalls {
    /// Cases without a known genotype.
    pub cases: u32,
    /// Controls without a known genotype.
    pub controls: u32,
}

/// The counts of one SNP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Cases and controls with 0, 1 and 2 copies of `a1`, and a known genotype.
    pub table: ContingencyTable,
    /// Cases and controls without a known genotype.
    pub missing: MissingCalls,
    /// Founders with 0, 1 and 2 copies, including those without a phenotype. PLINK chooses the minor allele among them.
    pub founders: [u32; 3],
}

/// One SNP and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snp {
    /// The SNP.
    pub variant: Variant,
    /// Its counts.
    pub counts: Counts,
}

/// The numbers of people and SNPs read and left out, by reason. For the curator only: the numbers are exact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// People in the genotype file.
    pub people: u64,
    /// Cases among them.
    pub cases: u64,
    /// Controls among them.
    pub controls: u64,
    /// People left out because they have no phenotype.
    pub unphenotyped: u64,
    /// People of the phenotype file who are not in the genotype file.
    pub strangers: u64,
    /// People of unknown sex. They are used: the chromosomes in use do not depend on sex. PLINK uses them only with
    /// `--allow-no-sex`.
    pub sex_unknown: u64,
    /// Lines of SNPs in the genotype file.
    pub snps: u64,
    /// SNPs that are used.
    pub used: u64,
    /// Left out: on X (23), where men have one copy.
    pub x: u64,
    /// Left out: on Y (24), which only men have.
    pub y: u64,
    /// Left out: in the mitochondria (26), of which every person has one copy.
    pub mt: u64,
    /// Left out: on contigs other than chromosomes.
    pub contigs: u64,
    /// Left out: a negative position, by which PLINK disables a SNP.
    pub switched_off: u64,
    /// Left out: more than two alleles (VCF).
    pub multiallelic: u64,
    /// Left out: no genotypes (VCF).
    pub without_genotypes: u64,
    /// Used: SNPs with only one allele among cases and controls. Whether a SNP is monomorphic depends on private data,
    /// so a release cannot leave it out.
    pub monomorphic: u64,
    /// Missing calls of cases and controls in the SNPs that are used.
    pub missing_calls: u64,
    /// Calls, of any person, with one known allele (VCF: `./1`): they count as missing.
    pub half_calls: u64,
}

impl Log {
    /// Counts a SNP by its chromosome; returns the number if the SNP is used.
    pub(crate) fn chromosome(&mut self, name: &str) -> Option<u8> {
        let left_out = match chromosome(name) {
            Chromosome::Diploid(number) => return Some(number),
            Chromosome::X => &mut self.x,
            Chromosome::Y => &mut self.y,
            Chromosome::Mt => &mut self.mt,
            Chromosome::Contig => &mut self.contigs,
        };
        *left_out += 1;
        None
    }

    /// Counts a used SNP.
    pub(crate) fn count(&mut self, counts: &Counts) {
        let ContingencyTable { cases, controls } = counts.table;
        let alleles = counts.table.case_alleles() + counts.table.control_alleles();
        let people: u64 = cases.iter().chain(&controls).map(|count| u64::from(*count)).sum();
        self.monomorphic += u64::from(alleles == 0 || alleles == 2 * people);
        self.missing_calls += u64::from(counts.missing.cases) + u64::from(counts.missing.controls);
    }
}

/// One line for people, one for SNPs, and the reasons.
impl std::fmt::Display for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} people: {} cases, {} controls", self.people, self.cases, self.controls)?;
        for (count, what) in [
            (self.unphenotyped, "left out without a phenotype"),
            (self.strangers, "with a phenotype, but no genotypes"),
            (self.sex_unknown, "of unknown sex (used, as with PLINK's --allow-no-sex)"),
        ] {
            if count > 0 {
                write!(f, "; {count} {what}")?;
            }
        }
        write!(f, "\n{} SNPs: {} used", self.snps, self.used)?;
        for (count, what) in [
            (self.x, "left out on X"),
            (self.y, "left out on Y"),
            (self.mt, "left out in the mitochondria"),
            (self.contigs, "left out on contigs other than chromosomes"),
            (self.switched_off, "left out with a negative position"),
            (self.multiallelic, "left out with more than two alleles"),
            (self.without_genotypes, "left out without genotypes"),
            (self.monomorphic, "with one allele only (used)"),
        ] {
            if count > 0 {
                write!(f, "; {count} {what}")?;
            }
        }
        if self.missing_calls > 0 {
            write!(f, "\n{} missing calls among cases and controls", self.missing_calls)?;
        }
        if self.half_calls > 0 {
            write!(f, "\n{} calls with one known allele, which count as missing", self.half_calls)?;
        }
        Ok(())
    }
}

/// The meaning of a chromosome's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chromosome {
    Diploid(u8),
    X,
    Y,
    Mt,
    Contig,
}

/// PLINK's human names, with and without `chr`: `--assoc` counts men once on X, and all people once on Y and in the
/// mitochondria; `--model` leaves out Y, mitochondria, and men on X. A [`ContingencyTable`] contains diploid genotypes,
/// so all three are left out here.
fn chromosome(name: &str) -> Chromosome {
    // Most names are plain numbers.
    if let ([_] | [_, _], Ok(number @ 0..=22)) = (name.as_bytes(), name.parse::<u8>())
        && !name.starts_with('+')
    {
        return Chromosome::Diploid(number);
    }
    let lower = name.to_ascii_lowercase();
    let short = lower.strip_prefix("chr").unwrap_or(&lower);
    match short {
        "x" | "23" => Chromosome::X,
        "y" | "24" => Chromosome::Y,
        "xy" | "25" => Chromosome::Diploid(25),
        "m" | "mt" | "26" => Chromosome::Mt,
        _ => match short.parse::<u8>() {
            Ok(number @ 0..=22) if !short.starts_with('+') => Chromosome::Diploid(number),
            _ => Chromosome::Contig,
        },
    }
}

/// The masks for counting, from each person's status and whether they are a founder, in the order of the genotype file.
pub(crate) fn masks(file: &Path, people: &[(Option<Status>, bool)], log: &mut Log) -> Result<Masks, FileError> {
    if people.len() > MOST_PEOPLE {
        return Err(FileError::whole(file, FileErrorKind::TooManyPeople { limit: MOST_PEOPLE }));
    }
    let mut masks = Masks::new(people.len());
    for (person, (status, founder)) in people.iter().enumerate() {
        match status {
            Some(Status::Case) => {
                masks.cases.add(person);
                log.cases += 1;
            }
            Some(Status::Control) => {
                masks.controls.add(person);
                log.controls += 1;
            }
            None => log.unphenotyped += 1,
        }
        if *founder {
            masks.founders.add(person);
        }
    }
    masks.settle();
    log.people = people.len() as u64;
    if log.cases == 0 || log.controls == 0 {
        return Err(FileError::whole(file, FileErrorKind::OneGroup { cases: log.cases, controls: log.controls }));
    }
    Ok(masks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_chromosomes_are_those_of_plink() {
        for (name, expected) in [
            ("1", Chromosome::Diploid(1)),
            ("chr22", Chromosome::Diploid(22)),
            ("0", Chromosome::Diploid(0)),
            ("XY", Chromosome::Diploid(25)),
            ("25", Chromosome::Diploid(25)),
            ("23", Chromosome::X),
            ("chrX", Chromosome::X),
            ("Y", Chromosome::Y),
            ("MT", Chromosome::Mt),
            ("chrM", Chromosome::Mt),
            ("26", Chromosome::Mt),
            ("27", Chromosome::Contig),
            ("+1", Chromosome::Contig),
            ("GL000191.1", Chromosome::Contig),
            ("chr1_KI270706v1_random", Chromosome::Contig),
            ("", Chromosome::Contig),
        ] {
            assert_eq!(chromosome(name), expected, "{name}");
        }
    }

    #[test]
    fn the_log_states_reasons() {
        let log = Log { people: 5, cases: 2, controls: 2, unphenotyped: 1, snps: 4, used: 2, x: 2, ..Log::default() };
        let words = "5 people: 2 cases, 2 controls; 1 left out without a phenotype\n4 SNPs: 2 used; 2 left out on X";
        assert_eq!(log.to_string(), words);
    }
}
