//! Invalid files: each is rejected with its name, the line and a help.

use super::fixture::{BED, Files, small};
use deniable_genome::{Column, FileErrorKind, Fileset, PhenoFile};
use std::path::Path;

fn refused(prefix: &Path, pheno: Option<&PhenoFile>) -> (String, Option<u64>, FileErrorKind, String) {
    let error = Fileset::open(prefix, pheno).unwrap_err();
    let words = error.to_string();
    assert!(words.lines().count() == 2 && words.contains("\n  help: "), "{words}");
    assert!(!words.chars().any(|c| c.is_control() && c != '\n'), "{words:?}");
    let file = error.file.file_name().unwrap().to_str().unwrap().to_owned();
    (file, error.line, error.kind, words)
}

/// The file `name` with these contents is rejected at that line, with these words.
fn bad(name: &str, contents: impl AsRef<[u8]>, line: Option<u64>, words: &str) {
    let files = small();
    files.write(name, contents);
    let (file, at, _, error) = refused(&files.prefix(), None);
    assert_eq!((file.as_str(), at), (name, line), "{error}");
    assert!(error.contains(words), "{error}");
}

fn text(files: &Files, name: &str) -> String {
    std::fs::read_to_string(files.path(name)).unwrap()
}

#[test]
fn bed_files() {
    let files = small();
    let good = std::fs::read(files.path("t.bed")).unwrap();
    assert_eq!(good.len(), 3 + 6 * 3);
    for end in 0..good.len() {
        let words = if end < 3 { "begins with" } else { "take 3 + 6 × 3 = 21" };
        bad("t.bed", &good[..end], None, words);
    }
    bad("t.bed", [good.as_slice(), &[0]].concat(), None, "22 bytes are not 6 SNPs of 11 people");
    bad("t.bed", b"", None, "begins with nothing at all");
    bad("t.bed", b"PK\x03\x04", None, "begins with 50 4b 03");
    bad("t.bed", [0x6c, 0x1b, 0x00, 0, 0, 0], None, "sample-major");
    bad("t.bed", [0x6c, 0x1b, 0x02, 0, 0, 0], None, "sample-major");
    // Saved as text on Windows.
    let damaged: Vec<u8> = BED.iter().copied().chain(vec![b'\r'; 19]).collect();
    bad("t.bed", damaged, None, "22 bytes are not 6 SNPs");
}

#[test]
fn fam_files() {
    let good = text(&small(), "t.fam");
    bad("t.fam", "", None, "no people");
    bad("t.fam", format!("{good}F0 I0 0 0 1 1\n"), Some(12), "duplicate F0 I0; the first is in line 1");
    bad("t.fam", good.replace("F3 I3 0", "F3 I3"), Some(4), "5 columns, and 6 are expected: FID, IID, father");
    bad("t.fam", good.replacen('\n', "\n\n", 1), Some(2), "blank, but other lines follow");
    bad("t.fam", good.replace("I3 0 0", "I3 0 0 0"), Some(4), "7 columns");
    bad("t.fam", good.replace("I3", "Jürgen"), Some(4), "a character outside ASCII at byte 5");
    bad("t.fam", good.replace("I3", "I\u{1b}[31m"), Some(4), "a control character at byte 5");
    bad("t.fam", good.replace('\n', "\r"), Some(1), "a control character");
    bad("t.fam", b"\xff\xfeF\0", Some(1), "a character outside ASCII at byte 1");
    for (found, name) in [("37.5", "37.5"), ("3", "3"), ("-9.0", "-9.0"), ("2.0", "2.0"), ("yes", "yes")] {
        let line = good.lines().next().unwrap();
        let other = line.rsplit_once(' ').unwrap().0;
        bad("t.fam", good.replace(line, &format!("{other} {found}")), Some(1), &format!("the phenotype `{name}` is"));
    }
    bad("t.fam", good.replace(" 1 2\n", " 1 1\n"), None, "there are 0 cases and 11 controls");
    bad("t.fam", good.replace(" 1 2\n", " 1 0\n"), None, "there are 0 cases");
}

#[test]
fn bim_files() {
    let good = text(&small(), "t.bim");
    bad("t.bim", "", None, "no SNPs");
    let line = good.lines().nth(2).unwrap();
    bad("t.bim", good.replace(line, "1 rs 0 1 A"), Some(3), "5 columns");
    bad("t.bim", good.replace(line, ""), Some(3), "blank, but other lines follow");
    bad("t.bim", good.replace(line, "1 rs 0 1 A C G"), Some(3), "7 columns");
    for position in ["1e5", "x", "2147483647", "99999999999999999999", "1.0"] {
        let other = good.replace(line, &format!("1 rs 0 {position} A C"));
        bad("t.bim", other, Some(3), &format!("the position `{position}`"));
    }
    bad("t.bim", good.replace(line, "1 rsé 0 1 A C"), Some(3), "outside ASCII");
    let files = small();
    files.write("t.bim", format!("{good}1 more 0 9 A C\n"));
    let (file, _, kind, _) = refused(&files.prefix(), None);
    assert_eq!(file, "t.bed");
    assert_eq!(kind, FileErrorKind::Length { found: 21, snps: 7, people: 11, row: 3, expected: 24 });
}

#[test]
fn pheno_files() {
    let refusal = |contents: &str, column: Column, line, words: &str| {
        let files = small();
        let pheno = files.pheno(contents, column);
        let (file, at, _, error) = refused(&files.prefix(), Some(&pheno));
        assert_eq!((file.as_str(), at), ("t.pheno", line), "{error}");
        assert!(error.contains(words), "{error}");
    };
    let named = |name: &str| Column::Named(name.to_owned());
    refusal("", Column::First, None, "no people");
    refusal("FID IID flu\n", Column::First, None, "no people");
    refusal("F1 I1\n", Column::First, Some(1), "2 columns, and 3 or more are expected");
    refusal("F1 I1 1 2\nF2 I2 1\n", Column::Number(2), Some(2), "as many as in the first line");
    refusal("F1 I1 1 2\nF2\n", Column::Number(2), Some(2), "1 columns, and 3 or more");
    refusal("F1 I1 1\nF2 I2 2\nF1 I1 1\n", Column::First, Some(3), "duplicate F1 I1; the first is in line 1");
    refusal("F1 I1 1\nF2 I2 2.5\n", Column::First, Some(2), "quantitative");
    refusal("F1 I1 1\n\"F2\" \"I2\" 2\n", Column::First, Some(2), "there is a quote at byte 1");
    refusal("F1 I1 1\nF2 I2\" 2\n", Column::First, Some(2), "there is a quote at byte 6");
    refusal("F1 I1 1\rF2 I2 2\n", Column::First, Some(1), "a control character at byte 8");
    refusal("F1 I1 1\n", named("flu"), Some(1), "selected by name");
    refusal("FID IID flu gout\nF1 I1 1 1\n", named("cold"), Some(1), "no phenotype column cold; there are: flu, gout");
    refusal("FID IID flu gout\nF1 I1 1 1\n", Column::Number(3), Some(1), "no phenotype column 3; there are: flu, gout");
    refusal("F1 I1 1\n", Column::Number(0), Some(1), "no phenotype column 0; there are: 1 columns without names");
    refusal("A B 1\nC D 2\n", Column::First, None, "none of the people in this file is in");
    refusal("F1 I1 1\nF2 I2 1\n", Column::First, None, "there are 0 cases and 2 controls");
    let files = small();
    let missing = PhenoFile { path: files.path("none"), column: Column::First };
    let (file, _, _, error) = refused(&files.prefix(), Some(&missing));
    assert!(file == "none" && error.contains("cannot be read"), "{error}");
}

#[test]
fn missing_files_are_rejected() {
    for name in ["t.bed", "t.bim", "t.fam"] {
        let files = small();
        std::fs::remove_file(files.path(name)).unwrap();
        let (file, _, kind, _) = refused(&files.prefix(), None);
        assert!(file == name && matches!(kind, FileErrorKind::Unreadable(_)));
        // A folder instead of a file.
        std::fs::create_dir(files.path(name)).unwrap();
        assert_eq!(refused(&files.prefix(), None).0, name);
    }
}

#[test]
fn a_line_of_ten_million_columns_is_refused_before_it_is_read() {
    let line = "1 ".repeat(10_000_000);
    for name in ["t.fam", "t.bim"] {
        bad(name, &line, Some(1), "longer than 1048576 bytes");
    }
    let files = small();
    let pheno = files.pheno(&format!("F1 I1 1\n{line}"), Column::First);
    let (file, at, kind, _) = refused(&files.prefix(), Some(&pheno));
    assert_eq!((file.as_str(), at, kind), ("t.pheno", Some(2), FileErrorKind::LongLine { limit: 1 << 20 }));
    // A line of the permitted length is parsed into columns.
    let short = "1 ".repeat(500_000);
    bad("t.fam", &short, Some(1), "500000 columns");
}
