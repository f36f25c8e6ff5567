//! The table of one SNP: numbers of cases and controls with 0, 1 and 2 copies of the counted allele.

use serde::{Deserialize, Serialize};

/// Genotype counts of one SNP among people with a known genotype.
///
/// With `R` cases and `S` controls: `cases = (r0,r1,r2)`, `controls = (s0,s1,s2)`, which sum to `R` and `S`. No test
/// depends on which allele is counted, as long as it is the same one everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContingencyTable {
    /// Cases with 0, 1 and 2 copies.
    pub cases: [u32; 3],
    /// Controls with 0, 1 and 2 copies.
    pub controls: [u32; 3],
}

impl ContingencyTable {
    /// `R`: the cases.
    #[must_use]
    pub fn all_cases(&self) -> u64 {
        self.cases.iter().map(|count| u64::from(*count)).sum()
    }

    /// `S`: the controls.
    #[must_use]
    pub fn all_controls(&self) -> u64 {
        self.controls.iter().map(|count| u64::from(*count)).sum()
    }

    /// `x = 2r2 + r1`: copies of the counted allele among cases.
    #[must_use]
    pub fn case_alleles(&self) -> u64 {
        2 * u64::from(self.cases[2]) + u64::from(self.cases[1])
    }

    /// `y = 2s2 + s1`: copies among controls.
    #[must_use]
    pub fn control_alleles(&self) -> u64 {
        2 * u64::from(self.controls[2]) + u64::from(self.controls[1])
    }
}

/// The adjacency of cohorts. The two variants protect different secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CohortAdjacency {
    /// One participant's genotypes are replaced by others; the labels (case or control) are public. Protects
    /// participation.
    Genotype,
    /// One case and one control exchange labels; the cohort is public. Protects the labels (case or control).
    LabelSwap,
}

impl CohortAdjacency {
    /// Both adjacencies.
    pub const ALL: [Self; 2] = [Self::Genotype, Self::LabelSwap];
}

/// A test of association.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// χ² of the 2×2 table of alleles, one degree of freedom.
    Allelic,
    /// χ² of the 2×3 table of genotypes, two degrees of freedom.
    Genotypic,
}

impl Test {
    /// Both tests.
    pub const ALL: [Self; 2] = [Self::Allelic, Self::Genotypic];
}
