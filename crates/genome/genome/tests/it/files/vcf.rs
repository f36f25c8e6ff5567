//! VCF: read as by PLINK 1.9, and rejected with a message if invalid.

use super::compare::{Tables, same};
use super::fixture::{Files, Random, plink, small};
use deniable_genome::assoc::Order;
use deniable_genome::{Column, FileError, FileErrorKind, PhenoFile, Vcf};
use std::io::Write as _;

const HEADER: &str = "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n\
    ##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Depth\">\n##contig=<ID=1>\n\
    #CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";

fn samples(number: usize) -> String {
    (0..number).map(|sample| format!("\ts{sample}")).collect::<String>() + "\n"
}

fn pheno(files: &Files, number: usize) -> PhenoFile {
    let lines: String = (0..number).map(|sample| format!("s{sample} s{sample} {}\n", 1 + sample % 2)).collect();
    files.pheno(&lines, Column::First)
}

fn bgzip(text: &str) -> Vec<u8> {
    let mut writer = noodles_bgzf::io::Writer::new(Vec::new());
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap()
}

fn open(files: &Files, contents: &[u8], people: usize) -> Result<Vcf, FileError> {
    let pheno = pheno(files, people);
    Vcf::open(&files.write("t.vcf", contents), &pheno)
}

#[test]
fn random_files_equal_plink() {
    for seed in 0..4 {
        let files = small();
        let mut random = Random::new(seed);
        let people = 45;
        let mut text = HEADER.to_owned() + &samples(people);
        for snp in 0..300 {
            let id = if snp % 7 == 0 { ".".to_owned() } else { format!("rs{snp}") };
            let alternate = random.of(&["C", "C", "C", "CAT", "<DEL>", "C,G", "."]);
            let format = random.of(&["GT", "GT:DP", "GT", "DP"]);
            text.push_str(&format!("1\t{}\t{id}\tA\t{alternate}\t.\tq10\t.\t{format}", 100 + snp));
            let calls: &[&str] = match (format, alternate) {
                ("DP", _) => &["7", "."],
                (_, ".") => &["0/0", "./.", "0"],
                _ => &["0/0", "0|0", "0/1", "1|0", "1/1", "1|1", "./.", ".|.", ".", "0", "1", "./1", "0/."],
            };
            for _ in 0..people {
                let depth = if format == "GT:DP" && random.below(2) == 0 { ":12" } else { "" };
                text.push_str(&format!("\t{}{depth}", random.of(calls)));
            }
            text.push('\n');
        }
        let vcf = open(&files, text.as_bytes(), people).unwrap();
        // rs100 is the first name that does not fit into four characters.
        let width = 7;
        let read = |vcf: &Vcf, order| {
            let mut tables = Tables::new(width);
            let log = vcf.scan(&mut |snp| tables.add(snp, order)).unwrap();
            (tables, log)
        };
        let (ours, log) = read(&vcf, Order::MinorFirst);
        assert!(log.multiallelic > 0 && log.without_genotypes > 0 && log.half_calls > 0 && log.missing_calls > 0);
        assert_eq!(log.snps, log.used + log.multiallelic + log.without_genotypes);
        // The same for a compressed file.
        files.write("z.vcf.gz", bgzip(&text));
        let zipped = Vcf::open(&files.path("z.vcf.gz"), &pheno(&files, people)).unwrap();
        let (again, log_again) = read(&zipped, Order::MinorFirst);
        assert!(again.assoc == ours.assoc && log_again == log);
        // PLINK counts a line without genotypes as a SNP of which every call is missing.
        let with_genotypes: String =
            text.lines().filter(|line| !line.contains("\tDP\t")).map(|line| format!("{line}\n")).collect();
        files.write("t.vcf", with_genotypes);
        for (order, more) in [(Order::MinorFirst, None), (Order::AsInFile, Some("--keep-allele-order"))] {
            let mut arguments = vec!["--vcf", "t.vcf", "--vcf-half-call", "missing", "--biallelic-only", "strict"];
            arguments.extend(["--double-id", "--pheno", "t.pheno", "--allow-no-sex", "--out", "p"]);
            arguments.extend(more);
            for analysis in ["--assoc", "--model"] {
                if !plink(files.folder.path(), &[arguments.as_slice(), &[analysis]].concat()) {
                    return;
                }
            }
            let (ours, _) = read(&vcf, order);
            assert!(same(&ours.assoc, &files.path("p.assoc")) > 100);
            assert!(same(&ours.model, &files.path("p.model")) > 500);
        }
    }
}

#[test]
fn people_are_matched_by_individual() {
    let files = small();
    let text = HEADER.to_owned() + &samples(5) + "1\t5\trs\tA\tC\t.\t.\t.\tGT\t0/1\t0/1\t1/1\t0/0\t./.\n";
    let path = files.write("t.vcf", &text);
    let pheno = files.pheno("F1 s0 1\nF1 s1 2\nF2 s2 -9\nF2 stranger 1\n", Column::First);
    let vcf = Vcf::open(&path, &pheno).unwrap();
    let log = vcf.log();
    assert_eq!((log.people, log.cases, log.controls, log.unphenotyped, log.strangers), (5, 1, 1, 3, 1));
    assert_eq!(vcf.samples().len(), 5);
    vcf.scan(&mut |snp| {
        assert_eq!((snp.variant.a1.as_str(), snp.variant.a2.as_str(), snp.variant.chromosome), ("C", "A", 1));
        assert_eq!((snp.counts.table.cases, snp.counts.table.controls), ([0, 1, 0], [0, 1, 0]));
        assert_eq!(snp.counts.founders, [1, 2, 1]);
    })
    .unwrap();
    let pheno = files.pheno("F1 s0 1\nF1 s1 2\nF2 s0 2\n", Column::First);
    let error = Vcf::open(&path, &pheno).unwrap_err().to_string();
    assert!(error.contains("sample s0 of the VCF file is the individual of lines 1 and 3"), "{error}");
    let pheno = files.pheno("F1 z 1\nF1 y 2\n", Column::First);
    assert!(Vcf::open(&path, &pheno).unwrap_err().to_string().contains("none of the people"));
}

#[test]
fn files_that_are_not_vcf_are_rejected_with_a_message() {
    let files = small();
    let start = HEADER.to_owned() + &samples(3);
    let line = |genotypes: &str| format!("{start}1\t5\trs\tA\tC\t.\t.\t.\tGT\t{genotypes}\n");
    for (contents, at, words) in [
        (String::new(), None, "no line that begins with #CHROM"),
        ("hello\n".to_owned(), Some(1), "does not begin with #"),
        ("#hello\n#CHROM\n".to_owned(), Some(2), "this is not VCF"),
        (HEADER.replace("\tFORMAT", "\n"), Some(5), "names no samples"),
        (format!("{HEADER}\ts0\ts0\ts2\n"), Some(5), "this is not VCF"),
        (start.clone(), None, "no SNPs"),
        (line("0/1\t0/1"), Some(6), "2 genotypes, and the header names 3 samples"),
        (line("0/1\t0/1\t0/1\t0/1"), Some(6), "4 genotypes, and the header names 3 samples"),
        (line("0/1\t0/2\t0/1"), Some(6), "sample s1 has the genotype `0/2`"),
        (line("0/1\t0/1/1\t0/1"), Some(6), "sample s1 has the genotype `0/1/1`"),
        (line("0/1\t0/1\tA/A"), Some(6), "sample s2 has the genotype `A/A`"),
        (line("0/1\t0/1\t0/1").replace("\t5\t", "\t5x\t"), Some(6), "this is not VCF"),
        (line("0/1\t0/1\t0/1").replace("\t5\t", "\t5000000000\t"), Some(6), "the position `5000000000`"),
        (line("0/1\t0/1\t0/1").replace("\trs\t", "\tré\t"), Some(6), "unusual character"),
        (format!("{start}1\t5\trs\n"), Some(6), "this is not VCF"),
    ] {
        let error = open(&files, contents.as_bytes(), 3).and_then(|vcf| vcf.scan(&mut |_| {})).unwrap_err();
        assert_eq!(error.line, at, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn truncated_and_other_compressed_files_are_rejected() {
    let files = small();
    let mut text = HEADER.to_owned() + &samples(3);
    for snp in 0..20_000 {
        text.push_str(&format!("1\t{snp}\trs\tA\tC\t.\t.\t.\tGT\t0/1\t{}/1\t0/0\n", snp % 2));
    }
    let good = bgzip(&text);
    assert!(open(&files, &good, 3).and_then(|vcf| vcf.scan(&mut |_| {})).is_ok());
    for end in [good.len() - 1, good.len() - 28, good.len() / 2, 20] {
        let error = open(&files, &good[..end], 3).unwrap_err();
        assert_eq!(error.kind, FileErrorKind::Truncated);
    }
    let mut damaged = good.clone();
    let middle = good.len() / 2;
    damaged[middle] ^= 0xff;
    damaged[middle + 1] ^= 0xff;
    let error = open(&files, &damaged, 3).and_then(|vcf| vcf.scan(&mut |_| {})).unwrap_err();
    assert!(matches!(error.kind, FileErrorKind::Damaged { line: 6.. }), "{error}");
    // A gzip header without the sizes of blocks.
    let error = open(&files, &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3).unwrap_err();
    assert_eq!(error.kind, FileErrorKind::NotBgzip);
}

#[test]
fn an_overlong_line_is_rejected() {
    let files = small();
    let mut text = (HEADER.to_owned() + &samples(3)).into_bytes();
    text.extend(b"1\t5\trs\tA\tC\t.\t.\t");
    text.resize((64 << 20) + 1000, b'x');
    let vcf = open(&files, &text, 3).unwrap();
    let error = vcf.scan(&mut |_| {}).unwrap_err();
    assert_eq!((error.line, error.kind), (Some(6), FileErrorKind::LongLine { limit: 64 << 20 }));
}
