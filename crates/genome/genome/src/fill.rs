//! Missing calls in releases: filled by a public rule before counting.
//!
//! A release is calibrated to the influence of one person. If missing calls were left out, a person would change the
//! number of people in a table, and the exact distances of G-2 would not hold. So every call gets a genotype by a
//! public rule: never by a frequency of the cohort, which is protected. The curator's own statistics ([`crate::assoc`])
//! leave missing calls out, as PLINK does.
//!
//! The rule names A1 or A2 of the file. If a program chose A1 by the cohort's frequencies (PLINK does unless
//! `--keep-allele-order` is given), their order itself depends on private data; order alleles by a public reference
//! first.

use crate::cohort::Counts;
use crate::table::ContingencyTable;
use serde::{Deserialize, Serialize};

/// The genotype of a missing call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fill {
    /// Two copies of the file's A2, the sixth column of .bim or VCF's reference allele: no copy of A1.
    #[default]
    HomozygousA2,
    /// One copy of each allele.
    Heterozygous,
    /// Two copies of the file's A1.
    HomozygousA1,
}

impl Fill {
    /// The table of all people: every SNP has the same numbers of cases and controls.
    #[must_use]
    pub fn table(self, counts: &Counts) -> ContingencyTable {
        let mut table = counts.table;
        let copies: usize = match self {
            Self::HomozygousA2 => 0,
            Self::Heterozygous => 1,
            Self::HomozygousA1 => 2,
        };
        for (people, missing) in
            [(&mut table.cases, counts.missing.cases), (&mut table.controls, counts.missing.controls)]
        {
            if let Some(people) = people.get_mut(copies) {
                *people += missing;
            }
        }
        table
    }

    /// The rule in words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::HomozygousA2 => "missing calls count as two copies of A2",
            Self::Heterozygous => "missing calls count as one copy of each allele",
            Self::HomozygousA1 => "missing calls count as two copies of A1",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cohort::MissingCalls;

    #[test]
    fn all_people_are_in_the_filled_table() {
        let counts = Counts {
            table: ContingencyTable { cases: [1, 2, 3], controls: [4, 5, 6] },
            missing: MissingCalls { cases: 10, controls: 20 },
            founders: [0; 3],
        };
        for (fill, cases, controls) in [
            (Fill::HomozygousA2, [11, 2, 3], [24, 5, 6]),
            (Fill::Heterozygous, [1, 12, 3], [4, 25, 6]),
            (Fill::HomozygousA1, [1, 2, 13], [4, 5, 26]),
        ] {
            let table = fill.table(&counts);
            assert_eq!(table, ContingencyTable { cases, controls }, "{}", fill.in_words());
            assert_eq!((table.all_cases(), table.all_controls()), (16, 35));
        }
    }
}
