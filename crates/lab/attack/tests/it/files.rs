//! From files to matched genotypes: alleles are swapped if needed, and SNPs that do not match are left out and counted.

use deniable_attack::{Panel, PanelCounts, Side, Source, TableErrorKind, Targets, frequencies, listed, reference};
use std::path::PathBuf;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A VCF file of two people, `s1` and `s2`: lines of a name, the reference and the alternate allele, and two calls.
    fn vcf(&self, name: &str, lines: &[(&str, &str, &str, &str, &str)]) -> PathBuf {
        let mut text =
            "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\n".to_owned();
        for (at, (id, reference, alternate, first, second)) in (1..).zip(lines) {
            text += &format!("1\t{at}\t{id}\t{reference}\t{alternate}\t.\t.\t.\tGT\t{first}\t{second}\n");
        }
        self.write(name, &text)
    }
}

#[test]
fn snps_are_matched_by_name_and_alleles() {
    let folder = Folder::new();
    let names = ["same", "turned", "turned2", "palindrome", "strand", "other", "absent", "lost", "twice"];
    let alleles = |name: &str| if name == "palindrome" { "A T" } else { "A G" };
    let table: String = names.iter().map(|name| format!("{name} {} 0.25\n", alleles(name))).collect();
    let released = frequencies::read(&folder.write("r.frq", &format!("SNP A1 A2 MAF\n{table}")), Side::Cases).unwrap();
    let reference = folder.vcf(
        "reference.vcf",
        &[
            ("same", "G", "A", "0/1", "0/0"),
            ("turned", "A", "G", "0/1", "0/0"),
            ("turned2", "G", "A", "1/1", "./."),
            ("palindrome", "T", "A", "0/1", "0/0"),
            ("strand", "C", "T", "0/1", "0/0"),
            ("other", "G", "A", "0/1", "0/0"),
            ("lost", "G", "A", "./.", "./."),
            ("twice", "G", "A", "0/1", "0/0"),
            ("unwanted", "G", "A", "0/1", "0/0"),
        ],
    );
    let people = Source::Vcf(reference).open().unwrap();
    let reference = reference::of_people(&people, &|_| true, &released).unwrap();
    assert_eq!(reference.without, 1);
    let panel = Panel::new(&released, &reference);
    let targets = folder.vcf(
        "targets.vcf",
        &[
            ("turned2", "A", "G", "0/0", "0/1"),
            ("palindrome", "A", "T", "0/1", "0/0"),
            ("other", "G", "C", "0/1", "0/0"),
            ("twice", "G", "A", "1/1", "1/1"),
            ("same", "G", "A", "./.", "1/1"),
            ("twice", "G", "A", "0/1", "0/0"),
            ("turned", "G", "A", "0/1", "1/1"),
        ],
    );
    let people = Source::Vcf(targets.clone()).open().unwrap();
    let read = Targets::read(&people, &panel, &targets).unwrap();
    let rows: Vec<(f64, f64, Vec<Option<u8>>)> = read
        .rows()
        .map(|(released, reference, row)| (released, reference, row.iter().map(|call| call.copies()).collect()))
        .collect();
    assert_eq!(
        rows,
        [(0.25, 1.0, vec![Some(2), Some(1)]), (0.25, 0.25, vec![None, Some(2)]), (0.25, 0.75, vec![Some(1), Some(2)]),]
    );
    let expected = PanelCounts {
        released: 9,
        used: 3,
        swapped: 2,
        not_in_reference: 2,
        twice: 1,
        ambiguous: 1,
        strand: 1,
        alleles: 1,
        not_in_targets: 0,
    };
    assert_eq!(*read.matched(), expected);
    assert!(
        read.matched().to_string().starts_with("3 of 9 released SNPs used; 2 of them turned"),
        "{}",
        read.matched()
    );
}

#[test]
fn people_are_listed_and_lists_without_targets_are_rejected() {
    let folder = Folder::new();
    let frq = folder.write("r.frq", "SNP A1 A2 MAF\nrs1 A G 0.25\n");
    let released = frequencies::read(&frq, Side::Cases).unwrap();
    let panel = Panel::new(&released, &released);
    let file = folder.vcf("t.vcf", &[("rs1", "G", "A", "0/1", "0/0")]);
    let people = Source::Vcf(file.clone()).open().unwrap();
    let targets = Targets::read(&people, &panel, &file).unwrap();
    let listed = |text: &str| listed(targets.names(), &folder.write("list", text));
    assert_eq!(listed("s2\n\nnobody\n").unwrap(), (vec![false, true], 1));
    assert_eq!(listed("s1 s1\n").unwrap(), (vec![true, false], 0));
    assert!(listed("nobody\n").is_err());
    assert_eq!(listed("s1\na b c\n").unwrap_err().line, Some(2));
    let none = folder.vcf("u.vcf", &[("rs2", "G", "A", "0/1", "0/0")]);
    let people = Source::Vcf(none.clone()).open().unwrap();
    let refused = Targets::read(&people, &panel, &none).unwrap_err();
    assert!(matches!(refused.kind, TableErrorKind::Empty(_)), "{refused}");
    assert!(Source::Plink(folder.0.path().join("none")).open().is_err());
}
