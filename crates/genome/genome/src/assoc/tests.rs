//! Lines printed by PLINK 1.9, for machines without it. `tests/it/files/compare.rs` compares every SNP with PLINK.

use super::*;
use crate::cohort::{Counts, MissingCalls};

/// Cases and controls with two copies of A1, one and none.
fn snp(id: &str, position: u32, [a, b, c]: [u32; 3], [d, e, f]: [u32; 3]) -> Snp {
    let counts = Counts {
        table: ContingencyTable { cases: [c, b, a], controls: [f, e, d] },
        missing: MissingCalls::default(),
        founders: [c + f, b + e, a + d],
    };
    let (a1, a2) = ("1".to_owned(), "2".to_owned());
    Snp { variant: Variant { chromosome: 9, id: id.to_owned(), position, a1, a2 }, counts }
}

fn lines(snp: Snp, order: Order) -> String {
    let snp = order.of(snp);
    let mut out = Vec::new();
    write_assoc(&mut out, 10, &AssocRow::of(snp.clone())).unwrap();
    for model in Model::ALL {
        write_model(&mut out, 10, &snp.variant, &ModelRow::of(model, &snp.counts.table)).unwrap();
    }
    String::from_utf8(out).unwrap()
}

const COMMON: &str = "\
\x20  9   rs588412     239391    1   0.4805   0.4825    2      0.01602       0.8993        0.992 
   9   rs588412    1    2     GENO    234/493/273    232/501/267       0.1396    2       0.9326
   9   rs588412    1    2    TREND       961/1039       965/1035      0.01595    1       0.8995
   9   rs588412    1    2  ALLELIC       961/1039       965/1035      0.01602    1       0.8993
   9   rs588412    1    2      DOM        727/273        733/267      0.09132    1       0.7625
   9   rs588412    1    2      REC        234/766        232/768      0.01119    1       0.9157
";

const MONOMORPHIC: &str = "\
\x20  9 rs10491686     378502    1        0        0    2           NA           NA           NA 
   9 rs10491686    1    2     GENO       0/0/1000       0/0/1000           NA   NA           NA
   9 rs10491686    1    2    TREND         0/2000         0/2000           NA   NA           NA
   9 rs10491686    1    2  ALLELIC         0/2000         0/2000           NA   NA           NA
   9 rs10491686    1    2      DOM         0/1000         0/1000           NA   NA           NA
   9 rs10491686    1    2      REC         0/1000         0/1000           NA   NA           NA
";

#[test]
fn rows_equal_those_of_plink() {
    let common = snp("rs588412", 239_391, [234, 493, 273], [232, 501, 267]);
    assert_eq!(lines(common.clone(), Order::MinorFirst), COMMON);
    assert_eq!(lines(common, Order::AsInFile), COMMON);
    assert_eq!(lines(snp("rs10491686", 378_502, [0, 0, 1000], [0, 0, 1000]), Order::MinorFirst), MONOMORPHIC);
}

#[test]
fn the_rarer_allele_among_founders_is_a1() {
    let mut reversed = snp("rs588412", 239_391, [273, 493, 234], [267, 501, 232]);
    std::mem::swap(&mut reversed.variant.a1, &mut reversed.variant.a2);
    assert_eq!(lines(reversed.clone(), Order::MinorFirst), COMMON);
    assert_ne!(lines(reversed.clone(), Order::AsInFile), COMMON);
    // Only founders decide; if both alleles are equally common among them, the order of the file is kept.
    for founders in [[9, 5, 9], [10, 5, 9], [0, 0, 0]] {
        reversed.counts.founders = founders;
        assert_eq!(Order::MinorFirst.of(reversed.clone()), reversed);
    }
}

#[test]
fn small_cells_and_missing_groups_are_na_as_in_plink() {
    // One genotype count is below 5: GENO, DOM and REC are NA, the other tests are not.
    let table = snp("rs", 1, [1, 56, 943], [1, 59, 940]).counts.table;
    let printed: Vec<bool> = Model::ALL.iter().map(|model| ModelRow::of(*model, &table).chi2.is_some()).collect();
    assert_eq!(printed, [false, true, true, false, false]);
    // No case has a call: --assoc prints 0, --model NA.
    let snp = snp("rs", 1, [0, 0, 0], [0, 1, 0]);
    assert_eq!(ModelRow::of(Model::Allelic, &snp.counts.table).chi2, None);
    let row = AssocRow::of(snp);
    assert_eq!((row.case_frequency, row.chi2, row.p, row.odds_ratio), (None, Some(0.0), Some(1.0), None));
}

#[test]
fn names_widen_their_column_as_in_plink() {
    let width = |lengths: &[usize]| lengths.iter().fold(NARROWEST, |width, length| wider(width, &"x".repeat(*length)));
    for (lengths, expected) in [
        (vec![1], 4),
        (vec![5], 7),
        (vec![8, 10], 10),
        (vec![12, 13, 14], 14),
        (vec![13, 12], 15),
        (vec![10, 9, 8], 12),
        (vec![3, 4, 5, 6, 7], 7),
    ] {
        assert_eq!(width(&lengths), expected, "{lengths:?}");
    }
}
