use super::*;
use deniable_core::exact::{ratio, whole};

fn golden(name: &str) -> String {
    let path = format!("{}/../../../testdata/check/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn wrong(source: &str, format: Format) -> String {
    read(source, format).unwrap_err().to_string()
}

#[test]
fn all_formats_read_the_same_mechanism() {
    let names = ["response.toml", "response.json", "response-list.json", "response.csv"];
    let rows = vec![vec![ratio(3, 4), ratio(1, 4)], vec![ratio(1, 4), ratio(3, 4)]];
    let expected = Mechanism::new(&["ann"], &["no", "yes"], rows).unwrap();
    for name in names {
        let format = Format::of_extension(name.rsplit('.').next().unwrap()).unwrap();
        assert_eq!(read(&golden(name), format).unwrap(), expected, "{name}");
    }
    assert_eq!(Format::of_extension("XML"), None);
}

#[test]
fn datasets_may_be_missing_and_probabilities_are_exact() {
    let mechanism = read(&golden("thirds.toml"), Format::Toml).unwrap();
    assert_eq!(mechanism.entities(), ["ann", "bob", "cem"]);
    assert_eq!(mechanism.datasets().collect::<Vec<_>>(), [0b011, 0b101, 0b110]);
    assert_eq!(mechanism.probability(0, 0b011), ratio(1, 3));
    assert_eq!(mechanism.probability(1, 0b110), ratio(1, 10));
    assert_eq!(mechanism.probability(0, 0b101), whole(0));
}

#[test]
fn columns_and_members_come_in_any_order() {
    let mechanism = read(&golden("size.csv"), Format::Csv).unwrap();
    assert_eq!((mechanism.entities().len(), mechanism.outputs().len()), (2, 3));
    assert_eq!(mechanism.probability(2, 0b11), whole(1));
    let marked = format!("\u{feff}{}", golden("size.csv"));
    assert_eq!(read(&marked, Format::Csv).unwrap(), mechanism);
}

/// 20 nines: as a float this is 1, and the row would sum to more than 1.
#[test]
fn numbers_never_pass_through_floats() {
    let [long, rest] = ["0.99999999999999999999", "0.00000000000000000001"];
    let toml = format!("[[dataset]]\nmembers = []\nprobabilities = {{ a = {long}, b = {rest} }}\n");
    let json = format!(r#"{{"dataset":[{{"members":[],"probabilities":{{"a":{long},"b":{rest}}}}}]}}"#);
    let csv = format!("dataset,output,probability\n,a,{long}\n,b,{rest}\n");
    let expected = ratio(1, 10).pow(20);
    for (source, format) in [(toml, Format::Toml), (json, Format::Json), (csv, Format::Csv)] {
        assert_eq!(read(&source, format).unwrap().probability(1, 0), expected, "{format:?}");
    }
}

#[test]
fn wrong_sums_and_signs_are_reported_with_their_places() {
    let source = "dataset,output,probability\n,a,1\nann,a,1/2\nann,b,1/3\n";
    assert_eq!(
        wrong(source, Format::Csv),
        "line 3: the probabilities of dataset {ann} sum to 5/6, which is 1/6 short of 1; an output that is not listed has \
         probability 0"
    );
    let source = "[[dataset]]\nmembers = []\nprobabilities = { a = 1.5,\n b = -0.5 }\n";
    assert_eq!(wrong(source, Format::Toml), "line 4: the probability of output `b` at {} is -1/2, below 0");
    let source = "{\"dataset\": [\n{\"members\": [\"ann\"],\n\"probabilities\": {\"a\": 2}}]}";
    assert!(
        wrong(source, Format::Json).starts_with("line 3: the probabilities of dataset {ann} sum to 2, which is 1 more")
    );
}

#[test]
fn duplicates_are_reported_with_both_places() {
    let source = "dataset,output,probability\nann bob,a,1/2\nann bob,b,1/2\nbob ann,a,1/2\n";
    assert_eq!(
        wrong(source, Format::Csv),
        "line 4: duplicate probability of output `a` at {ann, bob}, first given at line 2"
    );
    let json = "[{\"dataset\":[],\"output\":\"a\",\"probability\":1,\n\"probability\":0}]";
    assert_eq!(wrong(json, Format::Json), "line 2: duplicate `probability`");
    let toml = "[[dataset]]\nmembers = []\nprobabilities = { a = 1, a = 0 }\n";
    assert!(
        wrong(toml, Format::Toml).starts_with("line 3: this is not TOML: duplicate key"),
        "{}",
        wrong(toml, Format::Toml)
    );
    assert_eq!(wrong("dataset,output,output\n", Format::Csv), "line 1: duplicate `output`");
}

#[test]
fn names_are_checked() {
    let toml = "entities = [\"ann\", \"bob\"]\n[[dataset]]\nmembers = [\"anne\"]\nprobabilities = { a = 1 }\n";
    assert_eq!(wrong(toml, Format::Toml), "line 4: entity `anne` is not among those declared; did you mean `ann`?");
    let toml = "outputs = [\"yes\", \"no\"]\n[[dataset]]\nmembers = []\nprobabilities = { yess = 1 }\n";
    assert_eq!(wrong(toml, Format::Toml), "line 4: output `yess` is not among those declared; did you mean `yes`?");
    let twice = "dataset,output,probability\nann ann,a,1\n";
    assert_eq!(wrong(twice, Format::Csv), "line 2: duplicate entity `ann` in one dataset");
    let listed = "entities = [\"ann\",\n \"ann\"]\n[[dataset]]\nmembers = []\nprobabilities = { a = 1 }\n";
    assert_eq!(wrong(listed, Format::Toml), "line 2: duplicate entity `ann` in one list");
    let escape = "[[dataset]]\nmembers = [\"\\u001b[2J\"]\nprobabilities = { a = 1 }\n";
    assert!(wrong(escape, Format::Toml).contains("is not a valid name"));
    assert!(wrong("dataset,output,probability\n,,1\n", Format::Csv).starts_with("line 2: `` is not a valid name"));
}

#[test]
fn unknown_and_missing_keys_are_reported() {
    let toml = "[[dataset]]\nmember = []\nprobabilities = { a = 1 }\n";
    assert_eq!(wrong(toml, Format::Toml), "line 2: `member` is unknown in a dataset; did you mean `members`?");
    let toml = "\n[[dataset]]\nprobabilities = { a = 1 }\n";
    assert_eq!(wrong(toml, Format::Toml), "line 2: `members` is missing in a dataset");
    let toml = "[[dataset]]\nmembers = []\nprobabilities = {}\n";
    assert_eq!(wrong(toml, Format::Toml), "line 1: dataset {} has no probabilities");
    assert_eq!(
        wrong("dataset,ouput,probability\n,a,1\n", Format::Csv),
        "line 1: `ouput` is unknown in the header; did you mean `output`?"
    );
    assert_eq!(
        wrong("dataset,output\n,a\n", Format::Csv),
        "line 1: `probability` is missing in the header; the columns here are dataset, output"
    );
}

#[test]
fn unreadable_values_are_reported() {
    let csv = |chance: &str| format!("dataset,output,probability\n,a,{chance}\n");
    assert!(
        wrong(&csv("half"), Format::Csv).starts_with("line 2: the probability is unreadable: `half` is not a number")
    );
    assert!(wrong(&csv("1/0"), Format::Csv).contains("divides by zero"));
    assert!(wrong(&csv("1,2"), Format::Csv).contains("this row has 4 fields, but the header has 3"));
    let toml = |chance: &str| format!("[[dataset]]\nmembers = []\nprobabilities = {{ a = {chance} }}\n");
    for chance in ["inf", "nan", "0x1", "'x'"] {
        assert!(wrong(&toml(chance), Format::Toml).contains("is not a number"), "{chance}");
    }
    assert!(wrong(&toml("true"), Format::Toml).contains("not a truth value"));
    assert!(wrong("{\"dataset\": [}", Format::Json).starts_with("line 1: this is not JSON: expected value"));
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(wrong(&deep, Format::Json).contains("nested too deeply"));
}

#[test]
fn empty_files_and_large_universes_are_refused() {
    for format in [Format::Toml, Format::Json, Format::Csv] {
        assert!(wrong(" \n", format).starts_with("the file holds no dataset"), "{format:?}");
    }
    assert_eq!(wrong("dataset,output,probability\n", Format::Csv), "the file holds no dataset");
    assert!(wrong("entities = [\"ann\"]\n", Format::Toml).starts_with("the file holds no dataset"));
    assert_eq!(wrong("[]", Format::Json), "the file holds no dataset");
    let everybody = (0..40).map(|number| format!("p{number}")).collect::<Vec<_>>().join(" ");
    let large = wrong(&format!("dataset,output,probability\n{everybody},a,1\n"), Format::Csv);
    assert!(large.starts_with("40 entities with 1 outputs are too many for a table; 24 entities fit"), "{large}");
}

#[test]
fn another_delimiter_is_named() {
    for (sign, name) in [(";", "`;`"), ("\t", "a tab"), ("|", "`|`")] {
        let text = "dataset,output,probability\n,yes,1\n".replace(',', sign);
        let error = crate::subject::Subject::read(&text, Format::Csv).unwrap_err();
        assert!(error.help().is_some_and(|help| help.contains(name)), "{error}");
        assert!(!error.what().contains("delimiter"), "{}", error.what());
    }
}
