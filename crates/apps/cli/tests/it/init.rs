//! `deniable init`: a draft contains the names of a file's columns and nothing else of the file.

use crate::support::Place;
use std::fmt::Write;
use std::fs;

/// "a\tb\n1\t2\n" in the form of RFC 1952.
const PACKED: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xe4\x4c\xe2\x32\xe4\x34\xe2\x02\x00\x4b\x95\x94\xa9\x08\x00\x00\x00";

#[test]
fn a_policy_begins() {
    let place = Place::empty();
    place.write("Visits 2024.csv", "patient,hours per week\nSECRET-1,41\n");
    let run = place.run(&["init", "Visits 2024.csv"]).done();
    assert!(
        run.stdout.contains("table = \"visits\"") && run.stdout.contains("\n\"hours per week\" = { type = \"?\" }\n")
    );
    assert!(!run.stdout.contains("SECRET") && !run.stderr.contains("SECRET"), "{run:?}");
    assert!(run.stderr.contains("next: replace every \"?\""), "{run:?}");
    let same = place.run(&["init", "Visits 2024.csv", "--out", "policy.toml"]).done();
    assert_eq!((same.stdout.as_str(), place.read("policy.toml").as_str()), ("", run.stdout.as_str()));
    // Every other command names the open blanks.
    let blanks = place.run(&["plan", "policy.toml"]).refused();
    assert_eq!(blanks.stderr.matches("is not decided yet").count(), run.stdout.matches("= \"?\"").count());
}

/// Further files become tables of the same policy.
#[test]
fn several_files_are_one_policy() {
    let place = Place::empty();
    place.write("events.csv", "person,cost\nSECRET-1,41\n");
    place.write("people-2024.csv", "person;town\nSECRET-1;N1\n");
    fs::create_dir(place.path("old")).unwrap();
    place.write("old/events.csv", "person,cost\nSECRET-1,41\n");
    let refused = place.run(&["init", "events.csv", "people-2024.csv"]).refused();
    assert!(refused.says("people-2024.csv has a single column"), "{refused:?}");
    place.run(&["init", "events.csv", "old/events.csv"]).misused();
    place.write("people-2024.csv", "person,town\nSECRET-1,N1\n");
    let run = place.run(&["init", "events.csv", "people-2024.csv", "--columns", "person,town"]).done();
    assert!(run.stdout.contains("[tables.people]\npath = \"people-2024.csv\""), "{run:?}");
    assert!(run.stdout.contains("[tables.people.columns]\nperson = { type = \"?\" }\ntown = { type = \"?\" }\n"));
    assert!(!run.stdout.contains("\ncost = { type") && !run.stdout.contains("SECRET"), "{run:?}");
    assert!(run.says("3 columns of events.csv and people-2024.csv found"), "{run:?}");
    place.write("policy.toml", &run.stdout);
    let blanks = place.run(&["plan", "policy.toml"]).refused();
    assert!(blanks.says("`entity` is not decided yet"), "{blanks:?}");
}

/// All open column types are one error.
#[test]
fn many_columns_are_one_complaint() {
    let place = Place::empty();
    let names: Vec<String> = (1..=23).map(|number| format!("c{number}")).collect();
    place.write("wide.csv", format!("{}\n{}\n", names.join(","), vec!["1"; 23].join(",")));
    place.run(&["init", "wide.csv", "--out", "policy.toml"]).done();
    let told = place.run(&["plan", "policy.toml"]).refused().stderr;
    assert!(told.contains("`type` of 23 columns is not decided yet: c1, c2, c3,"), "{told}");
    assert!(told.contains("and 3 more"), "{told}");
    assert_eq!(told.matches("`type`").count(), 1, "{told}");
}

/// A completed draft is a policy that answers.
#[test]
fn a_policy_is_completed() {
    let place = Place::empty();
    place.write("t.csv", "a;b\n1;2\n");
    place.run(&["init", "t.csv", "--delimiter", ";", "--out", "policy.toml"]).done();
    let text = place.read("policy.toml");
    let (start, end) = (text.find("[entity]").unwrap(), text.find("# The columns").unwrap());
    let mut text = format!("{}{}", &text[..start], &text[end..]);
    for decided in ["name = \"n\"", "population = \"p\"", "version = \"1\""] {
        let key = decided.split(' ').next().unwrap();
        text = text.replacen(&format!("\n{key} = \"?\""), &format!("\n{decided}"), 1);
    }
    text = text.replace("type = \"?\"", "type = \"integer\"").replace("preset = \"?\"", "preset = \"acquaintance\"");
    place.write("policy.toml", text.replace("posterior_at_most = \"?\"", "posterior_at_most = 0.75"));
    place.release(&[]).done();
    assert_eq!(place.charges(), 1);
}

#[test]
fn the_path_is_relative_to_the_policy() {
    let place = Place::empty();
    fs::create_dir(place.path("in")).unwrap();
    fs::create_dir(place.path("other")).unwrap();
    place.write("in/t.tsv", "a\tb\n1\t2\n");
    place.run(&["init", "in/t.tsv", "--out", "policy.toml"]).done();
    assert!(place.read("policy.toml").contains("path = \"in/t.tsv\""), "{}", place.read("policy.toml"));
    place.run(&["init", "in/t.tsv", "--out", "in/policy.toml"]).done();
    assert!(place.read("in/policy.toml").contains("path = \"t.tsv\""));
    place.run(&["init", "in/t.tsv", "--out", "other/policy.toml"]).done();
    assert!(place.read("other/policy.toml").contains("path = \"../in/t.tsv\""), "{}", place.read("other/policy.toml"));
}

#[test]
fn init_refuses_unusable_input() {
    let place = Place::empty();
    fs::create_dir(place.path("folder")).unwrap();
    place.write("t.csv", "a,b\n1,2\n");
    place.write("empty.csv", "");
    place.write("latin.csv", b"gr\xf6sse,b\n");
    place.write("t.parquet", "a,b\n1,2\n");
    place.write("is_parquet.csv", "PAR1");
    place.write("twice.csv", "zip,age,zip\n1,2,3\n");
    place.write("t.csv.gz", b"\x1f\x8b");
    place.write("t.parquet.zst", b"");
    place.write("kept.toml", "mine");
    let mut told = String::new();
    for args in [
        &["nowhere.csv"] as &[&str],
        &["folder"],
        &["empty.csv"],
        &["latin.csv"],
        &["t.parquet"],
        &["is_parquet.csv"],
        &["twice.csv"],
        &["t.csv.gz"],
        &["t.parquet.zst"],
        &["t.csv", "--out", "kept.toml"],
        &["t.csv", "--out", "t.csv"],
        &["t.csv", "--out", "nowhere/policy.toml"],
    ] {
        let run = place.run(&[&["init"], args].concat()).refused();
        writeln!(told, "# {}\n{}", args.join(" "), place.plain(&run.stderr)).unwrap();
    }
    for args in [
        &["t.csv", "--table", "My Table"] as &[&str],
        &["t.csv", "--delimiter", "ö"],
        &["t.csv", "--delimiter", "semicolon"],
        &["t.csv", "--delimiter", "\""],
        &["t.parquet", "--delimiter", ";"],
        &["kept.toml"],
    ] {
        let run = place.run(&[&["init"], args].concat()).misused();
        writeln!(told, "# {}\n{}", args.join(" "), place.plain(&run.stderr)).unwrap();
    }
    place.run(&["init"]).misused();
    insta::assert_snapshot!(told);
    assert_eq!(place.read("kept.toml"), "mine");
    assert_eq!(place.read("t.csv"), "a,b\n1,2\n");
    assert!(!place.files().contains(&"policy.toml".to_owned()));
}

/// The first line is decompressed, and the policy names the compressed file.
#[test]
fn packed_files_begin_too() {
    let place = Place::empty();
    place.write("Visits.tsv.gz", PACKED);
    let run = place.run(&["init", "Visits.tsv.gz"]).done();
    for expected in ["table = \"visits\"", "path = \"Visits.tsv.gz\"", "\na = {", "\nb = {"] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
}

/// The extension of a path decides its compression, whatever the policy's own path.
#[test]
fn other_data_may_be_packed() {
    let place = Place::new(
        "name = \"n\"\npopulation = \"p\"\ndata = { table = \"t\", path = \"t.tsv\", version = \"1\" }\n\
         columns.a = { type = \"integer\" }\nadversary = { preset = \"acquaintance\" }\n\
         promise = { posterior_at_most = 0.75 }\n[[query]]\nsql = \"SELECT COUNT(*) FROM t\"\n",
        "",
    );
    place.write("t.tsv.gz", PACKED);
    place.write("t.parquet", "");
    place.run(&["data", "check", "policy.toml", "--data", "t.tsv.gz"]).done();
    let run = place.run(&["data", "check", "policy.toml", "--data", "t.parquet"]).refused();
    assert!(run.stderr.contains("t.parquet is Parquet"), "{run:?}");
}

/// A single column suggests another delimiter: the draft is refused unless a delimiter is stated.
#[test]
fn another_delimiter_is_suspected() {
    let place = Place::empty();
    for (file, header, delimiter) in [
        ("a.csv", "a;b\n", "';'"),
        ("b.csv", "a\tb\n", "tab"),
        ("c.csv", "a|b;c|d\n", "'|'"),
        ("d.tsv", "a,b\n", "','"),
    ] {
        place.write(file, format!("{header}1\n"));
        let run = place.run(&["init", file, "--out", "policy.toml"]).refused();
        assert!(run.stderr.contains(&format!("if that is the delimiter, add --delimiter {delimiter}")), "{run:?}");
    }
    assert!(!place.files().contains(&"policy.toml".to_owned()));
    for tab in ["tab", "\\t", "\t"] {
        let run = place.run(&["init", "b.csv", "--delimiter", tab]).done();
        assert!(run.stdout.contains("delimiter = \"\\t\"") && run.stdout.contains("\nb = {"), "{run:?}");
    }
    let meant = place.run(&["init", "a.csv", "--delimiter", ","]).done();
    assert!(meant.stdout.contains("\n\"a;b\" = {"), "{meant:?}");
    let wrong = place.run(&["init", "d.tsv", "--delimiter", ";"]).done();
    assert!(wrong.stderr.contains("a single column, and its name contains `,`"), "{wrong:?}");
}

/// A first line of data would be quoted in a policy that others may read: it is refused, and the message quotes nothing
/// of it. Each of these files contains SECRET, and is described by its error.
#[test]
fn files_without_header_are_refused() {
    let place = Place::empty();
    let utf_16: Vec<u8> = "SECRET,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let many = format!("SECRET{}\n1\n", ",SECRET".repeat(1_000_000));
    let columns = format!("SECRET{}\n1\n", (0..10_000).map(|at| format!(",c{at}x")).collect::<String>());
    let files: Vec<(&str, Vec<u8>, &str)> = vec![
        ("one.csv", b"{\"name\": \"SECRET\", \"age\": 41}".into(), "is JSON"),
        ("lines.csv", b"{\"name\": \"SECRET\"}\n{\"name\": \"SECRET\"}\n".into(), "is JSON"),
        ("list.csv", b"\xef\xbb\xbf[[\"SECRET\", 1], [\"SECRET\", 2]]\n".into(), "is JSON"),
        ("page.csv", b"<html><td>SECRET</td>\n</html>\n".into(), "is HTML or XML"),
        ("sheet.csv", b"PK\x03\x04\x14\0\x06\0SECRET,b\n".into(), "is a ZIP archive, as .xlsx and .ods are"),
        ("sheet.xlsx", b"PK\x03\x04\x14\0\x06\0SECRET,b\n".into(), "save the sheet with the table as CSV"),
        ("old.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1SECRET".into(), "is an old Office file"),
        ("db.csv", b"SQLite format 3\0SECRET".into(), "is an SQLite database"),
        ("paper.csv", b"%PDF-1.7 SECRET".into(), "is PDF"),
        ("bytes.csv", b"SECRET,\0\x01\x02\x03\n1,2\n".into(), "is no text"),
        ("packed.csv", b"\x1f\x8b\x08SECRET".into(), "is gzip"),
        ("wide.csv", utf_16.clone(), "is text in UTF-16"),
        ("marked.csv", [b"\xff\xfe".to_vec(), utf_16].concat(), "is text in UTF-16"),
        ("empty.csv", b"".into(), "is empty"),
        ("blank.csv", b"\n\n\n".into(), "is empty"),
        ("alone.csv", b"SECRET,b\n".into(), "nothing below its first line"),
        ("data.csv", b"SECRET,F,1985\nSECRET,M,1990\n".into(), "column 3 reads as a number"),
        ("comma.csv", b"SECRET;12,50\nSECRET;1,0\n".into(), "column 2 reads as a number"),
        ("floats.csv", b"SECRET,1e5\nSECRET,1.0\n".into(), "column 2 reads as a number"),
        ("mail.csv", b"SECRET,SECRET@example.org\nb,c\n".into(), "column 2 looks like an e-mail address"),
        ("days.csv", b"SECRET,2024-02-03T10:00\nb,c\n".into(), "column 2 looks like a day or a time"),
        ("months.csv", b"SECRET,3 Feb 2024\nb,c\n".into(), "column 2 looks like a day or a time"),
        ("ids.csv", b"SECRET,12345678901234567890\nb,c\n".into(), "column 2 reads as a number"),
        ("codes.csv", b"SECRET,P1234567\nb,c\n".into(), "column 2 looks like an identifier"),
        ("gap.csv", b"SECRET,,c\n1,2,3\n".into(), "column 2 is empty"),
        ("words.csv", b"SECRET,NULL\n1,2\n".into(), "column 2 is a word for a value"),
        ("quoted.csv", b"a,\"SECRET\nSECRET\"\n1,2\n".into(), "column 2 contains line breaks"),
        ("escape.csv", b"a,\x1b[2JSECRET\n1,2\n".into(), "column 2 contains line breaks or other"),
        ("twice.csv", b"SECRET,b,SECRET\n1,2,3\n".into(), "columns 1 and 3 have the same name"),
        ("long.csv", format!("a,{}\n1,2\n", "SECRET".repeat(34)).into(), "column 2 is longer than 128 characters"),
        ("million.csv", many.into(), "its first line is longer than 1 MiB"),
        ("columns.csv", columns.into(), "it has 10001 columns"),
        ("t.csv.gz", packed(b"{\"name\": \"SECRET\"}\n"), "is JSON"),
        ("t.parquet", b"SECRET,b\n1,2\n".into(), "is something else, and not Parquet"),
        ("cut.parquet", b"PAR1SECRET".into(), "is cut off, or damaged, and not Parquet"),
    ];
    for (name, bytes, problem) in files {
        place.write(name, bytes);
        // The usual delimiter is stated, so that the refusal is not the suspicion of another delimiter.
        let delimiter = if name == "comma.csv" { ";" } else { "," };
        let more: &[&str] = if name.ends_with(".parquet") { &[] } else { &["--delimiter", delimiter] };
        let run = place.run(&[&["init", name, "--out", "policy.toml"], more].concat()).refused();
        let told = run.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(told.contains(problem) && told.contains("help: "), "{name}: {run:?}");
        assert!(!run.stderr.contains("SECRET") && !run.stderr.contains("1985"), "{name}: {run:?}");
        assert!(!run.stderr.contains('\u{1b}'), "{name}: {run:?}");
        assert!(!place.files().contains(&"policy.toml".to_owned()), "{name}");
    }
}

/// A gzip file (RFC 1952) with uncompressed blocks and correct checksums.
fn packed(content: &[u8]) -> Vec<u8> {
    let crc = content.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    });
    let length = u16::try_from(content.len()).unwrap();
    let mut packed = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01".to_vec();
    packed.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
    packed.extend(content);
    packed.extend([(!crc).to_le_bytes(), u32::from(length).to_le_bytes()].concat());
    packed
}

/// Usual headers: with a byte order mark, spaces, brackets, and the unnamed row numbers that pandas and R write.
#[test]
fn usual_headers_begin() {
    let place = Place::empty();
    for header in ["\u{feff}name,sex", ",name,sex,born2,of_1990", "Weight [kg],Größe (cm)", "\"hours, per week\",b"] {
        place.write("t.csv", format!("{header}\r\n1,2\r\n"));
        let run = place.run(&["init", "t.csv"]).done();
        assert!(!run.stderr.contains("WARNING") && run.stdout.contains("{ type = \"?\" }"), "{run:?}");
    }
}

/// The written path is readable, also from another folder.
#[test]
fn the_path_leads_back() {
    let place = Place::empty();
    fs::create_dir_all(place.path("policies/deep")).unwrap();
    place.write("t.csv", "a\n1\n");
    place.run(&["init", "t.csv", "--out", "policies/deep/policy.toml"]).done();
    let written = place.read("policies/deep/policy.toml");
    assert!(written.contains("path = \"../../t.csv\""), "{written}");
    let (top, rest) = written.split_once("[entity]").unwrap();
    let (_, rest) = rest.split_once("groups = \"?\"").unwrap();
    let decided = [("name", "n"), ("population", "p"), ("version", "1"), ("preset", "acquaintance")];
    let text = decided.iter().fold(format!("{top}{rest}"), |text, (key, value)| {
        text.replace(&format!("\n{key} = \"?\""), &format!("\n{key} = \"{value}\""))
    });
    let text = text.replace("posterior_at_most = \"?\"", "posterior_at_most = 0.75");
    let text = text.replace("type = \"?\"", "type = \"integer\"");
    place.write("policies/deep/policy.toml", text);
    place.run(&["data", "check", "policies/deep/policy.toml"]).done();
}

/// Chosen columns alone, of a file in another encoding, whose table has the same name every month.
#[test]
fn columns_and_the_encoding_are_chosen() {
    let place = Place::empty();
    place.write("besuche-2024-01.csv", b"patient,gr\xf6\xdfe,note\n1,2,3\n");
    let run = |more: &[&str]| place.run(&[&["init", "besuche-2024-01.csv", "--encoding", "latin1"], more].concat());
    let draft = run(&["--columns", "gr\u{f6}\u{df}e,patient"]).done().stdout;
    assert!(draft.contains("table = \"besuche\"") && draft.contains("encoding = \"latin1\""), "{draft}");
    assert!(
        draft.contains("patient = {") && draft.contains("\"gr\u{f6}\u{df}e\" = {") && !draft.contains("note"),
        "{draft}"
    );
    let refused = run(&["--columns", "patent"]).misused();
    assert!(refused.stderr.contains("did you mean `patient`?"), "{}", refused.stderr);
    let refused = place.run(&["init", "besuche-2024-01.csv", "--encoding", "klingon"]).misused();
    assert!(refused.stderr.contains("klingon"), "{}", refused.stderr);
}
