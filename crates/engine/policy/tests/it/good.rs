//! Valid policies: every key is read, and every number is exact.

use deniable_core::adversary::{Adjacency, MovesTogether, Preset};
use deniable_core::exact::{Rational, parse_rational, ratio, whole};
use deniable_core::promise::Promise;
use deniable_core::schema::{Column, ColumnType, Compression, CsvOptions, EngineKind, Format, Key, Role};
use deniable_core::sensitivity::Caps;
use deniable_policy::{Policy, PolicyErrors, QueryError, Sampling, Size, TargetsTooDear, Test};
use std::path::{Path, PathBuf};

const FULL: &str = include_str!("../../testdata/good/full.toml");
const SMALL: &str = include_str!("../../testdata/good/small.toml");

fn parse(text: &str) -> Result<Policy, PolicyErrors> {
    Policy::parse(Path::new("folder/policy.toml"), text)
}

fn full() -> Policy {
    parse(FULL).unwrap()
}

/// The small policy with one text replaced, which must occur in it.
fn small_with(from: &str, to: &str) -> Policy {
    assert!(SMALL.contains(from), "{from}");
    parse(&SMALL.replace(from, to)).unwrap()
}

/// A policy whose queries come later has no query: all else is required, and as a file it is still refused.
#[test]
fn a_policy_may_have_no_queries_yet() {
    let (before, queries) = SMALL.split_once("[[query]]").unwrap();
    assert!(!queries.contains("[[query]]"));
    let file = Path::new("folder/policy.toml");
    let policy = Policy::parse_to_ask_later(file, before).unwrap();
    assert!(policy.queries().is_empty());
    let asked = policy.with_query("somebody", "q", "SELECT COUNT(*) FROM visits", &ratio(1, 40)).unwrap();
    assert!(asked.is_asked() && !policy.is_asked());
    assert_eq!(asked.queries().len(), 1);
    let refused = parse(before).unwrap_err().to_string();
    assert!(refused.contains("the policy has no query"), "{refused}");
    let refused = Policy::parse_to_ask_later(file, &before.replace("population", "pop")).unwrap_err().to_string();
    assert!(refused.contains("population") && !refused.contains("the policy has no query"), "{refused}");
    assert!(
        Policy::parse_to_ask_later(file, "query = []").unwrap_err().to_string().contains("the policy has no query")
    );
}

#[test]
fn names_and_paths() {
    let policy = full();
    assert_eq!((policy.name(), policy.population()), ("clinic, summer", "clinic-patients"));
    assert_eq!(policy.ledger(), PathBuf::from("folder/ledgers/clinic.ledger"));
    assert_eq!(policy.folder(), Path::new("folder"));
    assert_eq!((policy.data().path.as_str(), policy.data().version.as_str()), ("data/visits-*.tsv", "2024-06"));
    assert_eq!(policy.source(), FULL);
    let small = parse(SMALL).unwrap();
    assert_eq!(small.ledger(), PathBuf::from("folder/clinic-patients.ledger"));
    assert_eq!(small_with("population", "ledger = \"/var/x\"\npopulation").ledger(), PathBuf::from("/var/x"));
}

#[test]
fn typical_values_are_read() {
    let policy = full();
    let of = |table: &str, column: &str| {
        let typical = policy.typical().column(table, column)?;
        Some((typical.value.clone(), typical.spread.clone()))
    };
    assert_eq!(policy.typical().entities, Some(2_000));
    assert_eq!(of("visits", "age"), Some((ratio(91, 2), Some(ratio(41, 2)))));
    assert_eq!(of("visits", "born"), Some((whole(10), None)), "days since 1970");
    assert_eq!(of("visits", "seen"), Some((whole(1_656_547_200_000_000_i64), None)), "the beginning of the day");
    assert_eq!(
        (of("stays", "year"), of("visits", "cost"), of("visits", "year")),
        (Some((whole(2012), None)), None, None)
    );
    let query = &policy.queries()[2];
    assert_eq!(query.typical_share, Some(ratio(3, 10)));
    assert_eq!((query.sampling, policy.queries()[0].sampling), (Some(Sampling::Simple), None));
    assert_eq!((query.test, policy.queries()[0].test), (Some(Test::Independence), None));
    assert_eq!(query.typical, [("age > 65".to_owned(), ratio(1, 4)), ("age * 2".to_owned(), whole(91))]);
    assert_eq!((&policy.queries()[0].typical_share, policy.queries()[0].typical.len()), (&None, 0));
    let nothing = parse(SMALL).unwrap();
    assert_eq!(*nothing.typical(), deniable_policy::Typical::default());
}

#[test]
fn zones_pivots_and_files_without_quoting() {
    let columns = "[columns.at]\ntype = \"timestamp\"\nzone = \"Europe/Berlin\"\n\n[columns.born]\ntype = \"date\"\nformat = \"%d/%m/%y\"\n\
                   pivot = 2024\n\n[[query]]";
    let policy = small_with("[[query]]", columns);
    let of = |name: &str| policy.columns().iter().find(|column| column.name == name).unwrap();
    assert_eq!(of("at").zone.map(|zone| zone.name()), Some("Europe/Berlin"));
    assert_eq!((of("born").pivot, of("born").zone), (Some(2024), None));
    let policy = small_with("[[query]]", "[data.csv]\nquote = \"none\"\n\n[[query]]");
    assert_eq!(policy.data().format, Format::Csv(CsvOptions { quote: None, ..CsvOptions::with_delimiter(b',') }));
}

#[test]
fn csv_options() {
    let Format::Csv(csv) = full().data().format.clone() else { panic!("csv") };
    assert_eq!((csv.delimiter, csv.trim, csv.nulls), (b';', true, vec![String::new(), "?".to_owned()]));
    assert_eq!((csv.quote, csv.decimal_comma, csv.encoding.as_str()), (Some(b'\''), true, "windows-1252"));
    assert_eq!((csv.compression, csv.columns.unwrap().len()), (Compression::Gzip, 9));
    assert_eq!((full().data().typical_rows, parse(SMALL).unwrap().data().typical_rows), (Some(10_000), None));
    assert_eq!(parse(SMALL).unwrap().data().format, Format::Csv(CsvOptions::with_delimiter(b',')));
    let format = |path: &str| small_with("visits.csv", path).data().format.clone();
    assert_eq!(format("part-*.TSV"), Format::Csv(CsvOptions::with_delimiter(b'\t')));
    assert_eq!(format("**/*.parquet"), Format::Parquet);
    let packed =
        |delimiter, compression| Format::Csv(CsvOptions { compression, ..CsvOptions::with_delimiter(delimiter) });
    assert_eq!(format("visits.csv.gz"), packed(b',', Compression::Gzip));
    assert_eq!(format("visits/*.TSV.ZST"), packed(b'\t', Compression::Zstd));
    assert_eq!(format("visits.gz\"\nformat = \"csv"), packed(b',', Compression::Gzip));
    // A stated compression has priority over the ending.
    assert_eq!(format("visits.csv.gz\"\ncsv.compression = \"none"), packed(b',', Compression::None));
    let folder = small_with("visits.csv\"", "visits\"\nformat = \"parquet\"");
    assert_eq!(folder.data().format, Format::Parquet);
}

#[test]
fn every_label_of_an_encoding_is_stored_under_one_name() {
    for (label, name) in
        [("latin1", "windows-1252"), ("ISO-8859-1", "windows-1252"), ("utf8", "UTF-8"), ("UTF-16", "UTF-16LE")]
    {
        let policy = small_with("visits.csv\"", &format!("visits.csv\"\ncsv.encoding = \"{label}\""));
        let Format::Csv(csv) = policy.data().format.clone() else { panic!("csv") };
        assert_eq!(csv.encoding, name);
    }
}

#[test]
fn partitions_are_declared_columns_of_parquet() {
    let text =
        SMALL.replace("visits.csv\"", "visits\"\nformat = \"parquet\"\npartitions = [\"year\", \"region\", \"late\"]");
    let columns = "columns = { year.type = \"integer\", region.type = \"text\", late.type = \"boolean\" }\n";
    assert_eq!(parse(&format!("{columns}{text}")).unwrap().data().partitions, ["year", "region", "late"]);
    assert!(parse(&text).is_err());
    assert!(full().data().partitions.is_empty());
}

#[test]
fn columns_in_file_order() {
    let policy = full();
    let names: Vec<&str> = policy.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["patient", "age", "sex", "hours per week", "cost", "smoker", "born", "seen"]);
    let entity = policy.entity().unwrap();
    assert_eq!((entity.key.as_str(), entity.caps), ("patient", Caps { rows_per_group: 3, groups: 2 }));
    let bounds = |name: &str| policy.column(name).unwrap().bounds.clone().unwrap();
    let keys = |name: &str| policy.column(name).unwrap().keys.clone().unwrap();
    assert_eq!((bounds("age").in_units(), bounds("age").step().clone()), ((0, 110), whole(1)));
    // 17 and 2 have no common divisor but 1, although the step is 2.
    assert_eq!((bounds("hours per week").in_units(), bounds("hours per week").unit().clone()), ((17, 89), whole(1)));
    assert_eq!((bounds("cost").in_units(), bounds("cost").unit().clone()), ((0, 10_005), ratio(1, 10)));
    assert_eq!(policy.column("cost").unwrap().kind, ColumnType::Decimal);
    assert_eq!(keys("sex"), [Key::Text("F".to_owned()), Key::Text("M".to_owned()), Key::Null]);
    assert_eq!(keys("hours per week"), [Key::Integer(-1), Key::Integer(10)]);
    assert_eq!(keys("smoker"), [Key::Boolean(true), Key::Boolean(false)]);
}

/// Labels belong to keys in their order, however the table of them is written.
#[test]
fn labels_of_keys() {
    let text = |text: &str| Key::Text(text.to_owned());
    let declared = |columns: &str| {
        let text = if columns.starts_with('[') { format!("{SMALL}\n{columns}") } else { format!("{columns}\n{SMALL}") };
        let policy = parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
        let column = policy.columns()[0].clone();
        let label = |key: &Key| column.labels.get(key).cloned();
        (column.keys.clone().unwrap(), column.keys.iter().flatten().map(label).collect::<Vec<_>>())
    };
    let some = |labels: &[&str]| labels.iter().map(|label| Some((*label).to_owned())).collect::<Vec<_>>();
    let keys = [Key::Integer(9), Key::Integer(-1), Key::Integer(0)];
    for written in [
        "columns.c = { type = \"integer\", keys = { 9 = \"nine\", \"-1\" = \"men\", \"0\" = \"women\" } }",
        "[columns.c]\ntype = \"integer\"\nkeys.9 = \"nine\"\nkeys.\"-1\" = \"men\"\nkeys.0 = \"women\"",
        "[columns.c]\ntype = \"integer\"\n[columns.c.keys]\n9 = \"nine\"\n\"-1\" = \"men\"\n0 = \"women\"",
    ] {
        assert_eq!(declared(written), (keys.to_vec(), some(&["nine", "men", "women"])), "{written}");
    }
    // Quotes and case of texts are those of the data; rows without a value and all other values have one key each.
    let (found, labels) = declared(
        "columns.c = { type = \"text\", keys = { \"it's\" = \"its\", A = \"a\", a = \"A\" }, null_key = \"?!\", other = \"*\" }",
    );
    assert_eq!(found, [text("it's"), text("A"), text("a"), Key::Null, Key::Other]);
    assert_eq!(labels, some(&["its", "a", "A", "?!", "*"]));
    let (found, labels) =
        declared("columns.c = { type = \"boolean\", keys = { true = \"yes\", false = \"no\" }, null_key = true }");
    assert_eq!(found, [Key::Boolean(true), Key::Boolean(false), Key::Null]);
    assert_eq!(labels, [some(&["yes", "no"]), vec![None]].concat());
    let (found, labels) =
        declared("columns.c = { type = \"integer\", keys = [1], null_key = false, other = \"1 or more\" }");
    assert_eq!((found, labels.len()), (vec![Key::Integer(1), Key::Other], 2));
}

/// Whole days and whole microseconds since 1970, as `date -u -d` counts them.
#[test]
fn dates_are_counted_from_1970() {
    let policy = full();
    let (born, seen) = (policy.column("born").unwrap(), policy.column("seen").unwrap());
    assert_eq!((born.kind, seen.kind), (ColumnType::Date, ColumnType::Timestamp));
    assert!(!born.kind.is_number() && !seen.kind.is_number());
    let bounds = |column: &Column| column.bounds.clone().unwrap();
    assert_eq!((bounds(born).in_units(), bounds(born).step().clone()), ((-25_567, 20_088), whole(1)));
    let micros = (1_577_836_800_000_000, 1_735_669_800_500_000);
    assert_eq!((bounds(seen).in_units(), bounds(seen).unit().clone()), (micros, whole(1)));
    assert_eq!((born.format.as_deref(), seen.format.as_deref()), (Some("%d.%m.%Y"), Some("%d.%m.%Y %H:%M")));
    assert!(policy.column("sex").unwrap().format.is_none());
    // A timestamp's last day is within its bounds, to the last microsecond; one day alone is a range.
    let one = small_with(
        "[adversary]",
        "[columns.seen]\ntype = \"timestamp\"\nbounds = [\"1970-01-02\", 1970-01-02]\n[adversary]",
    );
    assert_eq!(bounds(one.column("seen").unwrap()).in_units(), (86_400_000_000, 2 * 86_400_000_000 - 1));
}

#[test]
fn further_tables_declare_their_role() {
    let policy = full();
    let [main, stays, towns] = &policy.tables()[..] else { panic!("three tables") };
    assert_eq!(policy.more(), [stays.clone(), towns.clone()]);
    assert_eq!((&main.data, &main.columns), (policy.data(), &policy.columns().to_vec()));
    assert_eq!(main.role, Role::Protected { entity: Some("patient".to_owned()) });
    assert_eq!(stays.role, Role::Protected { entity: Some("person".to_owned()) });
    assert_eq!(towns.role, Role::Public { key: "town".to_owned() });
    assert_eq!((stays.data.table.as_str(), stays.data.path.as_str()), ("stays", "data/stays"));
    assert_eq!((&stays.data.format, stays.data.version.as_str()), (&Format::Parquet, "2024-07"));
    assert_eq!((stays.data.partitions.len(), stays.data.typical_rows), (2, None));
    let names: Vec<&str> = stays.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["person", "year", "ward"]);
    let zstd = CsvOptions { compression: Compression::Zstd, ..CsvOptions::with_delimiter(b'|') };
    assert_eq!(towns.data.format, Format::Csv(zstd));
    // Without further tables there is one, and one row of it one person.
    let [alone] = &parse(SMALL).unwrap().tables()[..] else { panic!("one table") };
    assert_eq!(alone.role, Role::Protected { entity: None });
    // A public table needs no entity, and as many as fifteen are allowed.
    let table = |at: usize| {
        format!(
            "t{at} = {{ path = \"t.csv\", version = \"1\", unprotected = true, key = \"k\", columns.k.type = \"text\" }}\n"
        )
    };
    let tables: String = (0..15).map(table).collect();
    assert_eq!(small_with("[adversary]", &format!("[tables]\n{tables}[adversary]")).more().len(), 15);
}

#[test]
fn adversary_and_promises() {
    let policy = full();
    assert_eq!(policy.guarantee().preset(), Some(Preset::Insider));
    assert_eq!(policy.guarantee().adversary().adjacency(), Adjacency::ReplaceOne);
    assert_eq!(policy.guarantee().adversary().moves_together(), MovesTogether::AllOfSize(2));
    let (odds, each) = (policy.guarantee().limit(), policy.guarantee().per_entity(policy.guarantee().limit()));
    assert_eq!(each.unwrap(), odds.share(&ratio(1, 2)).unwrap());
    let priors = policy.guarantee().adversary().priors();
    assert_eq!((priors.low().clone(), priors.high().clone()), (ratio(1, 5), ratio(1, 2)));
    assert_eq!(policy.guarantee().promises().len(), 7);
    // alpha = 1/2 allows R = 2, less than any other promise here.
    assert!(matches!(policy.guarantee().binding(), Promise::AlphaBeta { .. }));
    assert_eq!(policy.guarantee().limit().exact_odds(), Some(whole(2)));
    insta::assert_snapshot!(policy.guarantee().adversary_in_words().join("\n"), @r"
    insider, changed by this policy as follows
    they know exactly how many people are in the data; one person exchanged for another must stay hidden (replace-one)
    before the first release they gave a chance between 20% and 50% to anyone of whom they were not certain
    they may know that everyone belongs to a group of exactly 2 people who are in the data or not together; the promise is kept for whole groups, and groups are independent of each other
    ");
    insta::assert_snapshot!(policy.guarantee().promises_in_words().join("\n"), @r"
    no observer becomes more than 75% sure that a given person is in the data
    no observer becomes less than 2% sure that a given person is in the data
    no observer's belief that a given person is in the data grows to more than 5/2 times what it was, nor does their belief that the person is not in it shrink below 2/5 of what it was
    no observer's belief that a given person is not in the data grows to more than 3 times what it was, nor does their belief that the person is in it shrink below 1/3 of what it was
    an observer who knows that exactly one of 10 equally likely people is in the data becomes at most 2/3 sure of any one of them
    belief in the true data, against all data that differ from it in one person, ends between 50% and 500% of what it was, if that was at most 10%
    no answer is more than e^1 times as likely with a given person as with another in their place, nor the reverse
    ");
}

#[test]
fn unchanged_presets_keep_their_description() {
    insta::assert_snapshot!(parse(SMALL).unwrap().guarantee().adversary_in_words().join("\n"), @r"
    acquaintance: someone who gave it at most an even chance beforehand and does not know how many people are in the data
    they do not know how many people are in the data; one person more or less must stay hidden (add-remove)
    before the first release they gave a chance of at most 50% to anyone of whom they were not certain
    as far as they know, people are in the data or not independently of each other
    ");
    let changed = small_with("\"acquaintance\"", "\"acquaintance\"\nprior = \"1/3..0.6\"\nmoves_together = 3");
    insta::assert_snapshot!(changed.guarantee().adversary_in_words().join("\n"), @r"
    acquaintance, changed by this policy as follows
    they do not know how many people are in the data; one person more or less must stay hidden (add-remove)
    before the first release they gave a chance between 1/3 and 60% to anyone of whom they were not certain
    they may know groups of up to 3 people who are in the data or not together; the promise is kept for whole groups, and groups are independent of each other
    ");
}

/// A stated prior replaces the preset's as a whole, so an end that is not repeated is open.
#[test]
fn a_prior_replaces_that_of_the_preset() {
    let text = SMALL.replace("posterior_at_most = 0.75", "gain = 2");
    let policy = parse(&text.replace("\"acquaintance\"", "\"acquaintance\"\nprior = { at_least = 0.1 }")).unwrap();
    assert_eq!(*policy.guarantee().adversary().priors().high(), whole(1));
}

#[test]
fn every_form_of_prior() {
    for (written, low, high) in [
        ("\"1/5..1/2\"", ratio(1, 5), ratio(1, 2)),
        ("\" 20% .. 0.5 \"", ratio(1, 5), ratio(1, 2)),
        ("\"..1/2\"", whole(0), ratio(1, 2)),
        ("\"1/2\"", ratio(1, 2), ratio(1, 2)),
        ("{ at_least = 0.2, at_most = \"1/2\" }", ratio(1, 5), ratio(1, 2)),
        ("{ at_most = 5e-1 }", whole(0), ratio(1, 2)),
    ] {
        let policy = small_with("\"acquaintance\"", &format!("\"anyone\"\nprior = {written}"));
        assert_eq!(
            (policy.guarantee().adversary().priors().low(), policy.guarantee().adversary().priors().high()),
            (&low, &high),
            "{written}"
        );
    }
}

/// The headline example: at most 75% sure, from at most 50%, is an odds ratio of exactly 3.
#[test]
fn the_headline_is_exactly_three() {
    for written in ["0.75", "\"3/4\"", "\"75%\"", "7.5e-1", "0.750", "\" 6/8 \""] {
        let policy = small_with("= 0.75", &format!("= {written}"));
        assert_eq!(policy.guarantee().limit().exact_odds(), Some(whole(3)), "{written}");
        assert_eq!(policy.guarantee().promises(), [Promise::PosteriorAtMost(ratio(3, 4))]);
    }
}

/// ln 3 is not a fraction, and yet the limit is exactly 3, also in the stored guarantee.
#[test]
fn a_logarithm_is_exact() {
    for written in ["ln(3)", "ln 3", " ln( 6/2 ) "] {
        let policy = small_with("posterior_at_most = 0.75", &format!("epsilon = \"{written}\""));
        let guarantee = policy.guarantee();
        assert_eq!(guarantee.promises(), [Promise::Odds(whole(3))], "{written}");
        assert_eq!(guarantee.limit().exact_odds(), Some(whole(3)));
        assert_eq!(guarantee.promises_in_short(), "epsilon = ln(3)");
    }
}

/// No number passes through a float: these would be changed by it.
#[test]
fn numbers_are_exact() {
    let epsilon = |written: &str| match &small_with("posterior_at_most = 0.75", written).guarantee().promises() {
        [Promise::Epsilon(value)] => value.clone(),
        _ => panic!("one epsilon"),
    };
    assert_eq!(epsilon("epsilon = 0.1") + epsilon("epsilon = 0.2"), epsilon("epsilon = 0.3"));
    // 2^53 + 1 in thousandths of a millionth of a millionth: one digit more than a float holds.
    assert_eq!(
        epsilon("epsilon = 9.007199254740993"),
        whole(9_007_199_254_740_993_i64) / whole(1_000_000_000_000_000_i64)
    );
    assert_eq!(
        epsilon("epsilon = 1.00000000000000000000000001"),
        parse_rational("1.00000000000000000000000001").unwrap()
    );
    assert_eq!(epsilon("epsilon = 1e-50"), parse_rational("1e-50").unwrap());
    assert_eq!(epsilon("epsilon = +1_000.5"), ratio(2001, 2));
}

#[test]
fn shares_use_the_spend_exactly() {
    let policy = full();
    assert_eq!((policy.spend().clone(), policy.confidence().clone()), (ratio(1, 2), ratio(99, 100)));
    // Weights 2 and 1 divide 1/2 − 1/8.
    let shares: Vec<Rational> = policy.queries().iter().map(|query| query.share.clone()).collect();
    assert_eq!(shares, [ratio(1, 4), ratio(1, 8), ratio(1, 8), whole(0)]);
    assert_eq!(shares.iter().sum::<Rational>(), *policy.spend());
    assert_eq!(policy.queries().iter().map(|query| query.consistent).collect::<Vec<_>>(), [true, true, false, true]);
    let small = parse(SMALL).unwrap();
    assert_eq!(
        (small.spend(), small.confidence(), small.queries()[0].share.clone()),
        (&whole(1), &ratio(19, 20), whole(1))
    );
}

/// Sizes are kept as written; the share of a target is known later, and weights divide the rest then.
#[test]
fn targets_are_paid_before_weights() {
    let policy = full();
    let sizes: Vec<Size> = policy.queries().iter().map(|query| query.size.clone()).collect();
    let target = Size::TargetError(ratio(11, 2));
    assert_eq!(sizes, [Size::Weight(whole(2)), Size::Weight(whole(1)), Size::Share(ratio(1, 8)), target]);
    let with = |share: Rational| policy.with_solved(&[None, Some(ratio(1, 99)), None, Some(share)]);
    // Weights 2 and 1 divide 1/2 − 1/8 − 1/16; the entry of a query without a target is ignored.
    let solved = with(ratio(1, 16)).unwrap();
    let shares: Vec<Rational> = solved.queries().iter().map(|query| query.share.clone()).collect();
    assert_eq!(shares, [ratio(10, 48), ratio(5, 48), ratio(1, 8), ratio(1, 16)]);
    assert_eq!(shares.iter().sum::<Rational>(), *policy.spend());
    // Only the shares change, and solving again starts from the sizes.
    assert_eq!(
        (&solved.source(), &solved.queries()[0].sql, &solved.queries()[0].size),
        (&policy.source(), &policy.queries()[0].sql, &sizes[0])
    );
    assert_eq!(solved.with_solved(&[None, None, None, Some(ratio(1, 4))]).unwrap(), with(ratio(1, 4)).unwrap());
}

/// Queries by weight divide what a version may use, so that the policy can be released for each version.
#[test]
fn queries_divide_the_smaller_of_spend_and_per_version() {
    let with = |budget: &str| small_with("FROM visits\"", &format!("FROM visits\"\n[budget]\n{budget}\n"));
    let shares = |budget: &str| {
        let policy = with(budget);
        let per_version = policy.per_version().cloned();
        (policy.queries()[0].share.clone(), policy.query_budget().key, per_version)
    };
    assert_eq!(shares("spend = \"1/2\""), (ratio(1, 2), "spend", None));
    assert_eq!(shares("per_version = \"1/12\""), (ratio(1, 12), "per_version", Some(ratio(1, 12))));
    assert_eq!(shares("spend = \"1/20\"\nper_version = 0.1"), (ratio(1, 20), "spend", Some(ratio(1, 10))));
    let asked = with("per_version = \"1/12\"").with_query("clinic/ask", "q", "SELECT 1", &ratio(1, 40)).unwrap();
    assert_eq!(asked.per_version(), Some(&ratio(1, 12)), "queries outside of the policy have the limit, too");
}

#[test]
fn chosen_queries_divide_a_part_of_the_promise() {
    let policy = small_with(
        "FROM visits\"",
        "FROM visits\"\nweight = 3\n[[query]]\nname = \"b\"\nsql = \"SELECT 1\"\n\
         [[query]]\nname = \"c\"\nsql = \"SELECT 2\"\nshare = 0.1\n[budget]\nper_version = \"1/2\"",
    );
    let first = policy.queries()[0].name.clone();
    let shares = |names: &[&str], spend: Rational| -> Result<Vec<Rational>, QueryError> {
        let chosen = policy.with_spend(names, &spend)?;
        assert_eq!((chosen.spend(), chosen.per_version()), (&whole(1), Some(&ratio(1, 2))));
        Ok(chosen.queries().iter().map(|query| query.share.clone()).collect())
    };
    assert_eq!(shares(&[&first, "b"], ratio(1, 2)), Ok(vec![ratio(3, 8), ratio(1, 8)]));
    assert_eq!(shares(&["c", "b"], ratio(1, 2)), Ok(vec![ratio(2, 5), ratio(1, 10)]));
    assert_eq!(shares(&["c"], ratio(1, 10)), Ok(vec![ratio(1, 10)]));
    let exceeded = QueryError::Explicit { shares: ratio(1, 10), spend: ratio(1, 11) };
    assert_eq!(shares(&["c"], ratio(1, 11)), Err(exceeded));
    assert!(matches!(shares(&["c", "b"], ratio(1, 10)), Err(QueryError::Targets(TargetsTooDear::NothingLeft { .. }))));
    assert_eq!(shares(&["b"], whole(0)), Err(QueryError::Share(whole(0))));
    let target = small_with("FROM visits\"", "FROM visits\"\ntarget_error = 5");
    let name = target.queries()[0].name.clone();
    assert_eq!(target.with_spend(&[&name], &whole(1)), Err(QueryError::OwnShare(name)));
}

#[test]
fn policies_without_targets_stay_as_they_are() {
    let policy = small_with("FROM visits\"", "FROM visits\"\nweight = 3\n[[query]]\nsql = \"SELECT 1\"\nshare = 0.1");
    assert_eq!(policy.with_solved(&[]).unwrap(), policy);
    assert_eq!(policy.with_solved(&[Some(whole(1)), None]).unwrap(), policy);
}

#[test]
fn targets_that_are_too_dear_are_named() {
    let policy = full();
    let with = |policy: &Policy, share: Rational| policy.with_solved(&[None, None, None, Some(share)]).unwrap_err();
    let exceed = with(&policy, ratio(3, 8) + ratio(1, 1_000_000));
    let TargetsTooDear::Exceed { wanted, available, queries, .. } = &exceed else { panic!("{exceed}") };
    assert_eq!((wanted.clone(), available.clone()), (ratio(375_001, 1_000_000), ratio(3, 8)));
    assert_eq!(queries, &["to within five"]);
    insta::assert_snapshot!(exceed, @"the target errors of `to within five` need 37.51% of the promise, but only 37.5% of it is left for them: raise them, or `spend` under [budget], or lower the explicit shares");
    // All of the spend is used: an error if there are queries by weight, and fine otherwise.
    let nothing_left = with(&policy, ratio(3, 8));
    insta::assert_snapshot!(nothing_left, @"explicit shares and target errors use all of spend = 1/2: nothing is left for `by sex` and `query 2`; raise the target errors, or give these queries a share or target of their own");
    let TargetsTooDear::NothingLeft { queries, .. } = nothing_left else { panic!("nothing left") };
    assert_eq!(queries, ["by sex", "query 2"]);
    let targets = "FROM visits\"\ntarget_error = 5\n[[query]]\nsql = \"SELECT 1\"\ntarget_error = 0.5";
    let targets = small_with("FROM visits\"", targets);
    let half = Some(ratio(1, 2));
    assert_eq!(targets.with_solved(&[half.clone(), half.clone()]).unwrap().queries()[1].share, ratio(1, 2));
    insta::assert_snapshot!(targets.with_solved(&[half.clone(), Some(whole(7))]).unwrap_err(), @"the target errors of `query 1` and `query 2` need 750% of the promise, but only 100% of it is left for them: raise them, or `spend` under [budget], or lower the explicit shares");
    // A target without a share, and negative shares that would enlarge the others.
    let negative = Some(whole(-1));
    for missing in [&[half.clone()][..], &[half.clone(), None], &[half.clone(), Some(whole(0))], &[half, negative]] {
        let error = targets.with_solved(missing).unwrap_err();
        assert_eq!(error, TargetsTooDear::NotSolved { queries: vec!["query 2".to_owned()] });
    }
    let missing = targets.with_solved(&[]).unwrap_err();
    insta::assert_snapshot!(missing, @"no share was found that keeps the target error of `query 1` and `query 2`: raise it, or give a share instead");
}

#[test]
fn queries_have_the_position_of_their_sql() {
    let policy = full();
    let names: Vec<&str> = policy.queries().iter().map(|query| query.name.as_str()).collect();
    assert_eq!(names, ["by sex", "query 2", "fixed", "to within five"]);
    for query in policy.queries() {
        let first = query.sql.lines().next().unwrap();
        let line: Vec<char> = FULL.lines().nth(query.line - 1).unwrap().chars().collect();
        let there: String = line[query.column - 1..].iter().take(first.chars().count()).collect();
        assert_eq!(there, first);
    }
    let [by_sex, ..] = policy.queries() else { panic!("four queries") };
    let windows = parse(&FULL.replace('\n', "\r\n")).unwrap();
    assert_eq!((windows.queries()[0].line, windows.queries()[0].column), (by_sex.line, by_sex.column));
}

#[test]
fn inline_tables_and_dotted_keys_mean_the_same() {
    let text = r#"
        name = "clinic"
        population = "clinic-patients"
        data = { table = "visits", path = "visits.csv", version = "2024-06" }
        adversary.preset = "acquaintance"
        promise.posterior_at_most = 0.75
        query = [{ sql = "SELECT COUNT(*) FROM visits" }]
    "#;
    let (dotted, small) = (parse(text).unwrap(), parse(SMALL).unwrap());
    assert_eq!((dotted.guarantee(), dotted.data()), (small.guarantee(), small.data()));
    assert_eq!(
        (&dotted.queries()[0].sql, &dotted.queries()[0].share),
        (&small.queries()[0].sql, &small.queries()[0].share)
    );
}

#[test]
fn a_byte_order_mark_is_accepted() {
    let policy = parse(&format!("\u{feff}{SMALL}")).unwrap();
    assert_eq!(policy.name(), "clinic");
}

/// A table of a database is named as in SQL, and its address is in a variable.
#[test]
fn tables_of_databases() {
    let data = "format = \"postgres\"\nrelation = \"Clinic.\\\"Visits\\\"\"\nconnect = \"env:CLINIC_PG\"";
    let policy = parse(&SMALL.replace("path = \"visits.csv\"", data)).unwrap();
    assert_eq!(policy.data().path, "Clinic.\"Visits\"");
    assert_eq!(policy.data().format, Format::Postgres { connect: "env:CLINIC_PG".to_owned() });
    let pulled = policy.clone().with_table_at("visits", "extract/visits.parquet".to_owned()).unwrap();
    assert_eq!((pulled.data().path.as_str(), &pulled.data().format), ("extract/visits.parquet", &Format::Parquet));
    assert_eq!(policy.with_data_at("visits.csv".to_owned()).unwrap_err(), "no Parquet");
}

/// A table of an engine is named letter by letter, in up to three parts, and its address is in a variable.
#[test]
fn tables_of_engines() {
    for (engine, kind, relation) in [
        ("spark", EngineKind::Spark, "lake.Clinic.visits"),
        ("spark", EngineKind::Spark, "parquet.\\\"/data/visits\\\""),
        ("duckdb", EngineKind::DuckDb, "visits"),
    ] {
        let data = format!("engine = \"{engine}\"\nrelation = \"{relation}\"\nconnect = \"env:SPARK_MASTER\"");
        let policy = parse(&SMALL.replace("path = \"visits.csv\"", &data)).unwrap();
        assert_eq!(policy.data().path, relation.replace('\\', ""));
        assert_eq!(policy.data().format, Format::Engine { kind, connect: "env:SPARK_MASTER".to_owned() });
    }
}
