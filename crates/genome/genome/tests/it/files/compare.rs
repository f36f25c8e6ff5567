//! The curator's tables equal those of PLINK 1.9, byte for byte.

use super::fixture::{Files, Random, Shape, plink};
use deniable_genome::assoc::{
    AssocRow, Model, ModelRow, Order, write_assoc, write_assoc_header, write_model, write_model_header,
};
use deniable_genome::{Column, Fileset, PhenoFile, Snp};
use std::num::NonZeroUsize;
use std::path::Path;

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// The tables of `--assoc` and `--model`.
pub struct Tables {
    pub assoc: Vec<u8>,
    pub model: Vec<u8>,
    width: usize,
}

impl Tables {
    pub fn new(width: usize) -> Self {
        let mut tables = Self { assoc: Vec::new(), model: Vec::new(), width };
        write_assoc_header(&mut tables.assoc, width).unwrap();
        write_model_header(&mut tables.model, width).unwrap();
        tables
    }

    pub fn add(&mut self, snp: Snp, order: Order) {
        let snp = order.of(snp);
        write_assoc(&mut self.assoc, self.width, &AssocRow::of(snp.clone())).unwrap();
        for model in Model::ALL {
            let row = ModelRow::of(model, &snp.counts.table);
            write_model(&mut self.model, self.width, &snp.variant, &row).unwrap();
        }
    }
}

fn tables(prefix: &Path, pheno: Option<&PhenoFile>, order: Order) -> Tables {
    let files = Fileset::open(prefix, pheno).unwrap();
    let mut tables = Tables::new(files.name_width());
    files.scan(TWO, &mut |snp| tables.add(snp, order)).unwrap();
    tables
}

/// Compares line by line, so that a failure shows the difference. PLINK's rows on X, Y and MT have no counterpart.
pub fn same(ours: &[u8], theirs: &Path) -> usize {
    let ours = String::from_utf8(ours.to_vec()).unwrap();
    let theirs = std::fs::read_to_string(theirs).unwrap();
    let left_out = |line: &&str| !matches!(line.split_whitespace().next(), Some("23" | "24" | "26"));
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.lines().collect(), theirs.lines().filter(left_out).collect());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
    ours.len() - 1
}

/// Runs PLINK on a fileset and compares both tables; `false` without PLINK.
fn compare(folder: &Path, prefix: &Path, pheno: Option<&PhenoFile>, more: &[&str]) -> bool {
    let order = if more.contains(&"--keep-allele-order") { Order::AsInFile } else { Order::MinorFirst };
    let text = prefix.to_str().unwrap();
    for (analysis, name) in [("--assoc", "p.assoc"), ("--model", "p.model")] {
        let mut arguments = vec!["--bfile", text, "--allow-no-sex", "--out", "p", analysis];
        arguments.extend(more);
        if !plink(folder, &arguments) {
            return false;
        }
        let ours = tables(prefix, pheno, order);
        let ours = if analysis == "--assoc" { &ours.assoc } else { &ours.model };
        let lines = same(ours, &folder.join(name));
        assert!(lines > 0);
    }
    true
}

#[test]
fn every_snp_of_the_simulated_study_equals_plink() {
    let Some(prefix) = deniable_testing::gwas() else { return };
    let folder = tempfile::tempdir().unwrap();
    compare(folder.path(), &prefix, None, &[]);
    compare(folder.path(), &prefix, None, &["--keep-allele-order"]);
}

const PLAIN: Shape = Shape {
    people: 60,
    chromosomes: &["0", "1", "22", "23", "24", "25", "26"],
    snps_each: 60,
    missing: 0.1,
    phenotypes: &["1", "2", "1", "2", "0", "-9", "NA"],
    odd_people: true,
};

#[test]
fn random_studies_with_every_oddity_equal_plink() {
    for seed in 0..6 {
        let files = Files::random(&PLAIN, seed);
        let folder = files.folder.path();
        if !compare(folder, &files.prefix(), None, &[]) {
            return;
        }
        compare(folder, &files.prefix(), None, &["--keep-allele-order"]);
    }
}

#[test]
fn studies_of_many_sizes_equal_plink() {
    for (seed, people) in [2, 3, 4, 5, 7, 63, 64, 65, 160, 401, 2500].into_iter().enumerate() {
        let shape = Shape { people, chromosomes: &["7"], snps_each: 400, missing: 0.01, ..PLAIN };
        let files = Files::random(&shape, 100 + seed as u64);
        if !compare(files.folder.path(), &files.prefix(), None, &[]) {
            return;
        }
    }
}

#[test]
fn studies_whose_numbers_are_rounding_ties_equal_plink() {
    // Frequencies in steps of 1/160 and 1/320 often have a 5 after the fourth digit.
    for (seed, people) in [160, 320, 800].into_iter().enumerate() {
        let shape = Shape {
            people,
            chromosomes: &["7"],
            snps_each: 2000,
            missing: 0.0,
            phenotypes: &["1", "2"],
            odd_people: false,
        };
        let files = Files::random(&shape, 200 + seed as u64);
        let fam: String = (0..people).map(|person| format!("F{person} I{person} 0 0 1 {}\n", 1 + person % 2)).collect();
        files.write("t.fam", fam);
        if !compare(files.folder.path(), &files.prefix(), None, &[]) {
            return;
        }
    }
}

#[test]
fn phenotype_files_are_read_as_plink_reads_them() {
    let files = Files::random(&PLAIN, 50);
    let mut random = Random::new(51);
    let mut lines = String::new();
    for person in 0..70 {
        if random.below(5) > 0 {
            let (first, second) = (random.of(&["1", "2", "-9", "NA", "0"]), random.of(&["1", "2", "-9"]));
            lines.push_str(&format!("F{person} I{person} {first}\t{second}\r\n"));
        }
    }
    let folder = files.folder.path();
    let headed = format!("FID IID flu gout\n{lines}");
    for (text, column, more) in [
        (lines.as_str(), Column::First, vec!["--pheno", "t.pheno"]),
        (&lines, Column::Number(2), vec!["--pheno", "t.pheno", "--mpheno", "2"]),
        (&headed, Column::First, vec!["--pheno", "t.pheno"]),
        (&headed, Column::Number(2), vec!["--pheno", "t.pheno", "--mpheno", "2"]),
        (&headed, Column::Named("gout".to_owned()), vec!["--pheno", "t.pheno", "--pheno-name", "gout"]),
    ] {
        let pheno = files.pheno(text, column);
        if !compare(folder, &files.prefix(), Some(&pheno), &more) {
            return;
        }
    }
}

#[test]
fn odd_lines_are_read_as_plink_reads_them() {
    let files = Files::random(&Shape { chromosomes: &["1", "2"], snps_each: 9, ..PLAIN }, 60);
    let bim = std::fs::read_to_string(files.path("t.bim")).unwrap();
    // Windows line ends, other chromosome names, spaces, no end of the last line, a disabled SNP.
    let mut lines: Vec<String> = bim.lines().map(|line| line.replace('\t', "  ")).collect();
    lines[2] = lines[2].replace("  10", "  -10");
    files.write("t.bim", lines.join("\r\n").replace("2  rs", "chr2\trs"));
    let log = Fileset::open(&files.prefix(), None).unwrap().log().clone();
    assert_eq!((log.switched_off, log.used), (1, 17), "{log}");
    compare(files.folder.path(), &files.prefix(), None, &[]);
}
