//! Properties of every fileset and phenotype file. Run by `fuzz/targets/plink.rs` and by
//! `crates/genome/genome/tests/it/fuzz.rs`.

use deniable_genome::assoc::{AssocRow, Order};
use deniable_genome::{Column, FileError, Fileset, PhenoFile, Snp};
use std::num::NonZeroUsize;

/// Five people and four SNPs: the contents of the other files when one is fuzzed. The last is a phenotype file.
pub const GOOD: [(&str, &[u8]); 4] = [
    ("t.bed", b"\x6c\x1b\x01\x1b\x00\xe4\x02\xff\x03\xaa\x01"),
    ("t.bim", b"1\trs1\t0\t100\tA\tC\n22\trs2\t0\t200\t0\tC\nX\trs3\t0\t300\tA\tC\nXY\trs4\t0\t-1\tA\tC\n"),
    ("t.fam", b"F0 I0 0 0 1 1\nF1 I1 0 0 2 2\nF2 I2 I0 I1 0 -9\nF3 I3 0 0 1 2\nF4 I4 0 0 1 1\n"),
    ("t.pheno", b"FID IID flu gout\nF0 I0 2 1\nF1 I1 1 2\nF9 I9 NA 0\n"),
];

/// The fileset is refused with a message, or counted with the same result for any number of threads. The first byte
/// selects the file of the rest. Returns whether it is counted.
pub fn check(bytes: &[u8]) -> bool {
    let (choice, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let fuzzed = usize::from(choice % 4);
    let folder = tempfile::tempdir().expect("a folder");
    for (place, (name, good)) in GOOD.iter().enumerate() {
        std::fs::write(folder.path().join(name), if place == fuzzed { bytes } else { good }).expect("a file");
    }
    let column = match choice / 4 % 4 {
        0 => Column::First,
        1 => Column::Number(2),
        2 => Column::Named("gout".to_owned()),
        _ => Column::Number(usize::MAX),
    };
    let pheno = PhenoFile { path: folder.path().join("t.pheno"), column };
    let opened = Fileset::open(&folder.path().join("t"), (fuzzed == 3).then_some(&pheno));
    let files = match opened {
        Ok(files) => files,
        Err(error) => return said(&error),
    };
    let [one, three] = [1, 3].map(|threads| {
        let mut snps = Vec::new();
        let log = files.scan(NonZeroUsize::new(threads).expect("not zero"), &mut |snp| snps.push(snp));
        log.map(|log| (snps, log))
    });
    assert_eq!(one, three);
    let (snps, log) = one.expect("a fileset that opens is counted");
    assert_eq!(snps.len() as u64, log.used);
    let left_out = log.x + log.y + log.mt + log.contigs + log.switched_off;
    assert_eq!(log.snps, log.used + left_out);
    assert_eq!(log.people, log.cases + log.controls + log.unphenotyped);
    snps.into_iter().for_each(|snp| counted(snp, log.cases, log.controls));
    true
}

/// Every person is counted once, and the output is finite.
pub fn counted(snp: Snp, cases: u64, controls: u64) {
    let (table, missing) = (snp.counts.table, snp.counts.missing);
    assert_eq!(table.all_cases() + u64::from(missing.cases), cases);
    assert_eq!(table.all_controls() + u64::from(missing.controls), controls);
    let width = snp.variant.id.len();
    let row = AssocRow::of(Order::MinorFirst.of(snp));
    assert!(row.p.is_none_or(|p| (0.0..=1.0).contains(&p)), "{row:?}");
    let mut line = Vec::new();
    deniable_genome::assoc::write_assoc(&mut line, width, &row).expect("memory");
    assert!(
        line.split_last().is_some_and(|(last, line)| *last == b'\n' && line.iter().all(|b| (b' '..=b'~').contains(b)))
    );
}

/// A refusal names the file and the remedy, and quotes a limited part of the file.
pub fn said(error: &FileError) -> bool {
    let words = error.to_string();
    let place = words.strip_prefix(&error.file.display().to_string());
    assert!(place.is_some_and(|place| place.contains("\n  help: ")), "{words:?}");
    assert!(words.len() < 2000 && !words.chars().any(|c| c.is_control() && c != '\n'), "{words:?}");
    false
}
