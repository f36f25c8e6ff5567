//! Reading of filesets, and their logs.

use super::fixture::{Files, Shape, small};
use deniable_genome::counting::Genotype;
use deniable_genome::{Column, ContingencyTable, Counts, Fileset, Fill, MissingCalls, Snp};
use std::num::NonZeroUsize;

pub const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

fn all(files: &Fileset, threads: usize) -> Vec<Snp> {
    let mut snps = Vec::new();
    files.scan(NonZeroUsize::new(threads).unwrap(), &mut |snp| snps.push(snp)).unwrap();
    snps
}

fn naive(row: &[Genotype], fam: &str) -> Counts {
    let mut counts = Counts {
        table: ContingencyTable { cases: [0; 3], controls: [0; 3] },
        missing: MissingCalls::default(),
        founders: [0; 3],
    };
    for (genotype, line) in row.iter().zip(fam.lines()) {
        let columns: Vec<&str> = line.split(' ').collect();
        let copies = match genotype {
            Genotype::None => Some(0),
            Genotype::One => Some(1),
            Genotype::Two => Some(2),
            Genotype::Missing => None,
        };
        match (columns[5], copies) {
            ("2", Some(copies)) => counts.table.cases[copies] += 1,
            ("2", None) => counts.missing.cases += 1,
            ("1", Some(copies)) => counts.table.controls[copies] += 1,
            ("1", None) => counts.missing.controls += 1,
            _ => {}
        }
        if let (["0", "0"], Some(copies)) = (&columns[2..4], copies) {
            counts.founders[copies] += 1;
        }
    }
    counts
}

#[test]
fn every_snp_of_every_block_is_counted_once_and_in_order() {
    // 4,000 people take 1,000 bytes: 3,000 SNPs are several blocks.
    let shape = Shape {
        people: 4000,
        chromosomes: &["3", "X"],
        snps_each: 1500,
        missing: 0.05,
        phenotypes: &["1", "2", "0"],
        odd_people: true,
    };
    let files = Files::random(&shape, 7);
    let fam = std::fs::read_to_string(files.path("t.fam")).unwrap();
    let opened = Fileset::open(&files.prefix(), None).unwrap();
    let one = all(&opened, 1);
    assert_eq!(one.len(), 1500);
    for (snp, row) in one.iter().zip(&files.genotypes) {
        assert_eq!(snp.counts, naive(row, &fam), "{}", snp.variant.id);
    }
    for threads in [2, 3, 8] {
        assert_eq!(all(&opened, threads), one);
    }
}

#[test]
fn the_log_counts_what_is_left_out_by_reason() {
    let shape = Shape {
        people: 40,
        chromosomes: &["0", "1", "23", "Y", "XY", "MT", "GL000191.1"],
        snps_each: 2,
        missing: 0.2,
        phenotypes: &["1", "2", "-9"],
        odd_people: true,
    };
    let files = Files::random(&shape, 8);
    let opened = Fileset::open(&files.prefix(), None).unwrap();
    let mut missing = 0;
    let mut people = Vec::new();
    let log = opened
        .scan(TWO, &mut |snp| {
            missing += u64::from(snp.counts.missing.cases + snp.counts.missing.controls);
            let filled = Fill::default().table(&snp.counts);
            people.push((filled.all_cases(), filled.all_controls()));
        })
        .unwrap();
    assert_eq!((log.snps, log.used, log.x, log.y, log.mt, log.contigs), (14, 6, 2, 2, 2, 2));
    assert_eq!((log.people, log.cases + log.controls + log.unphenotyped), (40, 40));
    assert!(log.unphenotyped > 0 && log.sex_unknown > 0 && log.missing_calls == missing && missing > 0);
    // Filled tables contain all people at every SNP.
    assert_eq!(people, vec![(log.cases, log.controls); 6]);
}

#[test]
fn a_phenotype_file_replaces_the_column_and_counts_strangers() {
    let files = small();
    // The column of the .fam file may then contain anything.
    let fam = std::fs::read_to_string(files.path("t.fam")).unwrap();
    files.write("t.fam", fam.replace(" 1 1\n", " 1 3.25\n"));
    let pheno = files.pheno("FID IID a b\nF1 I1 1 2\nF2 I2 2 1\nF3 I3 2 -9\nZ Z 1 1\n", Column::Named("b".to_owned()));
    let opened = Fileset::open(&files.prefix(), Some(&pheno)).unwrap();
    let log = opened.log();
    assert_eq!((log.cases, log.controls, log.unphenotyped, log.strangers), (1, 1, 9, 1));
    assert_eq!(opened.people().len(), 11);
}

/// Editors may add a byte order mark and blank lines to a file.
#[test]
fn byte_order_marks_and_blank_lines_are_ignored() {
    let files = small();
    let names =
        |opened: &Fileset| (opened.people().len(), opened.log().cases, opened.log().controls, opened.log().snps);
    let plain = files.pheno("FID IID b\nF1 I1 2\nF2 I2 1\n", Column::First);
    let expected = names(&Fileset::open(&files.prefix(), Some(&plain)).unwrap());
    assert_eq!((expected.1, expected.2), (1, 1));
    for file in ["t.fam", "t.bim"] {
        let text = std::fs::read_to_string(files.path(file)).unwrap();
        files.write(file, format!("\u{feff}{text}\n \n"));
    }
    for marked in ["\u{feff}FID IID b\r\nF1 I1 2\r\n\r\nF2 I2 1\r\n", "\n\nF1 I1 2\n \t\nF2 I2 1\n\n"] {
        let marked = files.pheno(marked, Column::First);
        assert_eq!(names(&Fileset::open(&files.prefix(), Some(&marked)).unwrap()), expected);
    }
}

#[test]
fn a_fileset_that_changes_while_it_is_read_is_rejected() {
    let files = small();
    let opened = Fileset::open(&files.prefix(), None).unwrap();
    let bim = std::fs::read_to_string(files.path("t.bim")).unwrap();
    for changed in [format!("{bim}1 rs 0 1 A C\n"), bim.lines().skip(1).map(|line| format!("{line}\n")).collect()] {
        files.write("t.bim", changed);
        let error = opened.scan(TWO, &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("changed while it was read"), "{error}");
    }
    files.write("t.bim", bim);
    files.write("t.bed", [0x6c, 0x1b, 1, 0]);
    let error = opened.scan(TWO, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("changed while it was read"), "{error}");
}
