//! Keys of groups: the keys of each expression, their order in results, and the rows that belong to each.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringViewArray};
use deniable_answers::{Noisy, ShownValue};
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_query::Query;
use std::sync::Arc;

/// Days counted from 1970-01-01, which was a Thursday.
fn dated(name: &str, low: i64, high: i64) -> Column {
    Column::new(name, ColumnType::Date).within(Bounds::new(whole(low), whole(high), whole(1)).unwrap())
}

fn table() -> TableSchema {
    let columns = vec![
        // Friday 1970-03-06 to Sunday 1972-05-28.
        dated("d", 64, 878),
        // Saturday to Tuesday.
        dated("few", 2, 5),
        Column::new("at", ColumnType::Timestamp),
        Column::new("sex", ColumnType::Integer).with_keys(vec![Key::Integer(1), Key::Integer(0)]),
    ];
    TableSchema::protected("t", columns, None)
}

/// The first column of the rows of an answer in which every number is 0.
fn shown(sql: &str, table: &TableSchema) -> Vec<String> {
    let query = deniable_sql::plan(sql, std::slice::from_ref(table)).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let measures = query.measures();
    let values = measures.iter().map(|measure| vec![0; query.cells(measure.level)]).collect();
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); measures.len()];
    let rows = deniable_answers::show(&query, &Noisy { values, consistent: None, decays }, &ratio(19, 20));
    let first = |shown: &ShownValue| match shown {
        ShownValue::Key(key) => key.to_string(),
        ShownValue::All => "(all)".to_owned(),
        other => panic!("{other:?}"),
    };
    rows.iter().map(|row| first(&row.0[0])).collect()
}

fn by(group: &str) -> Vec<String> {
    shown(&format!("SELECT {group} AS k, COUNT(*) AS n FROM t GROUP BY {group}"), &table())
}

#[test]
fn parts_of_dates_come_in_the_order_of_the_calendar() {
    let numbers = |low: i64, high: i64| (low..=high).map(|number| number.to_string()).collect::<Vec<_>>();
    for part in ["EXTRACT(isodow FROM d)", "DATE_PART('isodow', d)", "ISODOW(d)", "ISODOW(at)"] {
        assert_eq!(by(part), numbers(1, 7), "{part}");
    }
    assert_eq!(by("EXTRACT(dow FROM d)"), numbers(0, 6));
    assert_eq!(by("MONTH(d)"), numbers(1, 12));
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    for time in ["d", "at"] {
        assert_eq!(by(&format!("DAYNAME({time})")), days);
        assert_eq!(by(&format!("MONTHNAME({time})")), months);
    }
    // Only days of the week that occur.
    assert_eq!(by("DAYNAME(few)"), ["Monday", "Tuesday", "Saturday", "Sunday"]);
    assert_eq!(by("ISODOW(few)"), ["1", "2", "6", "7"]);
    assert_eq!(by("EXTRACT(dow FROM few)"), ["0", "1", "2", "6"]);
}

/// Groups of TO_CHAR are the texts that the pattern gives for all dates within the bounds, each once, in the order of
/// the calendar.
#[test]
fn written_dates_come_in_the_order_of_the_calendar() {
    let months = by("TO_CHAR(d, 'YYYY-MM')");
    assert_eq!((months.len(), months[0].as_str(), months[26].as_str()), (27, "1970-03", "1972-05"));
    assert!(months.is_sorted());
    let turned = by("TO_CHAR(d, 'FMMonth YYYY')");
    assert_eq!((turned.len(), turned[0].as_str(), turned[1].as_str()), (27, "March 1970", "April 1970"));
    assert_eq!(by("TO_CHAR(d, 'DD.MM.YYYY')").len(), 815);
    assert_eq!(by("TO_CHAR(d, 'YYYY\"Q\"Q')").len(), 10);
    assert_eq!(by("TO_CHAR(d, 'Q')"), ["1", "2", "3", "4"]);
    assert_eq!(by("TO_CHAR(d, 'IYYY-IW')")[..2], ["1970-10", "1970-11"]);
    let short = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = ["Monday   ", "Tuesday  ", "Wednesday", "Thursday ", "Friday   ", "Saturday ", "Sunday   "];
    for time in ["d", "at"] {
        assert_eq!(by(&format!("TO_CHAR({time}, 'Mon')")), short);
        assert_eq!(by(&format!("TO_CHAR({time}, 'Day')")), days);
        assert_eq!(by(&format!("TO_CHAR({time}, 'ID HH24')")).len(), if time == "d" { 7 } else { 7 * 24 });
    }
    assert_eq!(by("TO_CHAR(few, 'Dy')"), ["Mon", "Tue", "Sat", "Sun"]);
    assert_eq!(by("TO_CHAR(DATE_TRUNC('month', d), 'YYYY-MM-DD')").len(), 27);
    assert_eq!(by("LOWER(TO_CHAR(few, 'Dy'))"), ["sat", "sun", "mon", "tue"]);
    // Every row is in the same group as with DATE_TRUNC.
    let keys = |sql: &str| deniable_sql::plan(sql, &[table()]).unwrap().groups()[0].keys.len();
    assert_eq!(
        keys("SELECT COUNT(*) FROM t GROUP BY DATE_TRUNC('month', d)"),
        keys("SELECT COUNT(*) FROM t GROUP BY TO_CHAR(d, 'MM/YYYY')")
    );
    let refused = |pattern: &str| {
        format!(
            "{:?}",
            deniable_sql::plan(&format!("SELECT COUNT(*) FROM t GROUP BY TO_CHAR({pattern})"), &[table()]).unwrap_err()
        )
    };
    assert!(refused("d, 'YYYY-WW'").contains("`WW`"));
    assert!(refused("d, '-'").contains("without a part of a date"));
    assert!(refused("d, CASE WHEN sex = 1 THEN 'MM' ELSE 'DD' END").contains("a computed pattern"));
    assert!(refused("at, 'YYYY-MM'").contains("declare bounds"), "{}", refused("at, 'YYYY-MM'"));
    // Too many moments to enumerate.
    let wide = Column::new("at", ColumnType::Timestamp);
    let wide = wide.within(Bounds::new(whole(0), whole(20 * 366 * 86_400_000_000_i64), whole(1)).unwrap());
    let table = TableSchema::protected("t", vec![wide], None);
    let of = |pattern: &str| {
        deniable_sql::plan(
            &format!("SELECT COUNT(*) FROM t GROUP BY TO_CHAR(at, '{pattern}')"),
            std::slice::from_ref(&table),
        )
    };
    assert!(of("YYYY-MM-DD HH24").is_err());
    assert_eq!(of("HH24").unwrap().groups()[0].keys.len(), 24);
}

#[test]
fn each_group_of_several_has_its_order() {
    let sql = "SELECT DAYNAME(few) AS k, sex, COUNT(*) FROM t GROUP BY ROLLUP (DAYNAME(few), sex)";
    let twice = ["Monday", "Monday", "Tuesday", "Tuesday", "Saturday", "Saturday", "Sunday", "Sunday"];
    let expected = [&twice[..], &["Monday", "Tuesday", "Saturday", "Sunday", "(all)"]].concat();
    assert_eq!(shown(sql, &table()), expected);
    let sql = "SELECT sex AS k, DAYNAME(few), COUNT(*) FROM t GROUP BY sex, DAYNAME(few)";
    assert_eq!(shown(sql, &table()), ["1", "1", "1", "1", "0", "0", "0", "0"]);
    // An ORDER BY comes before the order of keys.
    let sql = "SELECT DAYNAME(few) AS k, COUNT(*) FROM t GROUP BY 1 ORDER BY k";
    assert_eq!(shown(sql, &table()), ["Monday", "Saturday", "Sunday", "Tuesday"]);
}

/// The order in which cells are counted is that of stored answers, and is part of a query's identity.
#[test]
fn the_order_in_which_cells_are_counted_stays() {
    let query = deniable_sql::plan("SELECT COUNT(*) FROM t GROUP BY EXTRACT(dow FROM d)", &[table()]).unwrap();
    let keys: Vec<String> = query.groups()[0].keys.iter().map(Key::to_string).collect();
    assert_eq!(keys, ["5", "6", "0", "1", "2", "3", "4"]);
}

#[test]
fn days_of_the_week_in_conditions() {
    let count = |condition: &str| {
        let sql = format!("SELECT COUNT(*) FILTER (WHERE {condition}) FROM t WHERE {condition}");
        deniable_sql::plan(&sql, &[table()]).unwrap_or_else(|error| panic!("{sql}: {error}")).canonical().to_vec()
    };
    let all =
        ["EXTRACT(isodow FROM d) = 7", "EXTRACT(dow FROM d) = 0", "DAYNAME(d) = 'Sunday'", "MONTHNAME(d) = 'May'"];
    let identities: std::collections::BTreeSet<Vec<u8>> = all.iter().map(|condition| count(condition)).collect();
    assert_eq!(identities.len(), all.len());
    assert_eq!(count("ISODOW(d) = 7"), count("EXTRACT(isodow FROM d) = 7"));
    let refused =
        deniable_sql::plan("SELECT COUNT(*) FROM t GROUP BY DAYNAME(sex)", &[table()]).unwrap_err().to_string();
    assert!(refused.contains("calendar function") || refused.contains("dayname"), "{refused}");
}

/// A column of codes with labels, another with other labels, and one of each in a second table.
fn labelled() -> TableSchema {
    let labels = |all: &[(Key, &str)]| all.iter().map(|(key, label)| (key.clone(), (*label).to_owned())).collect();
    let text = |text: &str| Key::Text(text.to_owned());
    let sex = Column::new("sex", ColumnType::Integer).with_keys(vec![Key::Integer(1), Key::Integer(0), Key::Null]);
    let city = Column::new("city", ColumnType::Text).with_keys(vec![text("N"), text("it's"), Key::Null, Key::Other]);
    let columns = vec![
        Column::new("who", ColumnType::Integer),
        Column { labels: labels(&[(Key::Integer(1), "women"), (Key::Integer(0), "men"), (Key::Null, "?!")]), ..sex },
        Column { labels: labels(&[(text("N"), "north"), (text("it's"), "its"), (Key::Other, "elsewhere")]), ..city },
    ];
    TableSchema::protected("t", columns, Some(Entity::new("who", Caps { rows_per_group: 1, groups: 1 })))
}

fn query(sql: &str, table: &TableSchema) -> Query {
    deniable_sql::plan(sql, std::slice::from_ref(table)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[test]
fn labels_are_not_part_of_a_query_s_identity() {
    let (with, mut without) = (labelled(), labelled());
    without.columns.iter_mut().for_each(|column| column.labels.clear());
    for sql in [
        "SELECT sex, COUNT(*) FROM t GROUP BY sex",
        "SELECT city, sex, COUNT(*) FROM t WHERE sex = 0 GROUP BY ROLLUP (city, sex)",
        "SELECT s, COUNT(*) FROM (SELECT who, MIN(sex) AS s FROM t GROUP BY who) AS p GROUP BY s",
    ] {
        let (with, without) = (query(sql, &with), query(sql, &without));
        assert_eq!(with.canonical(), without.canonical(), "{sql}");
        let first = |query: &Query| query.groups()[0].label(&query.groups()[0].keys[0]).map(str::to_owned);
        assert!(first(&with).is_some() && first(&without).is_none(), "{sql}");
    }
    // Expressions of a column show values, not labels.
    let made =
        query("SELECT COUNT(*) FROM t GROUP BY UPPER(city), sex + 1, CASE WHEN sex = 0 THEN city ELSE 'x' END", &with);
    assert!(made.groups().iter().all(|group| group.keys.iter().all(|key| group.label(key).is_none())));
}

#[test]
fn comparisons_with_labels_get_a_hint() {
    let doubt = |condition: &str| query(&format!("SELECT COUNT(*) FROM t WHERE {condition}"), &labelled()).undeclared();
    assert_eq!(doubt("city = 'N' AND sex = 0"), Vec::<String>::new());
    let said = |condition: &str| doubt(condition).join("; ");
    assert!(
        said("city = 'north'").ends_with("`north` is the label of 'N': write city = 'N'"),
        "{}",
        said("city = 'north'")
    );
    assert!(said("city IN ('its')").ends_with("is the label of 'it''s': write city = 'it''s'"));
    assert!(said("city <> 'elsewhere'").ends_with("the values outside the keys: write city NOT IN (...)"));
    let refused = |condition: &str| {
        let sql = format!("SELECT COUNT(*) FROM t WHERE {condition}");
        deniable_sql::plan(&sql, &[labelled()]).unwrap_err().help().unwrap().to_owned()
    };
    assert_eq!(refused("sex = 'men'"), "`men` is the label of 0: write sex = 0");
    assert_eq!(refused("sex = '?!'"), "`?!` is the label of rows without a value: write sex IS NULL");
    assert!(!refused("sex = 'mice'").contains("label"));
}

/// The counts of each key of a column in these rows, which all belong to one person.
fn counts(sql: &str, rows: &[(Option<i64>, Option<&str>)]) -> Vec<i128> {
    let table = TableSchema { entity: None, ..labelled() };
    let whole =
        |of: &dyn Fn(usize) -> Option<i64>| -> ArrayRef { Arc::new((0..rows.len()).map(of).collect::<Int64Array>()) };
    let texts: ArrayRef = Arc::new(rows.iter().map(|(_, text)| *text).collect::<StringViewArray>());
    let columns = vec![("who", whole(&|_| Some(1))), ("sex", whole(&|row| rows[row].0)), ("city", texts)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)));
    let source = Source::memory(table.clone(), vec![batch.unwrap()]);
    let found = exact(&[source], &query(sql, &table), &Salt([1; 32]), &Resources::default(), &|_| {}).unwrap();
    found.reveal()[0].iter().map(|cell| cell[0]).collect()
}

#[test]
fn values_outside_the_keys_count_together() {
    let long = "a text of more than twelve bytes";
    let rows: Vec<(Option<i64>, Option<&str>)> = vec![
        (Some(0), Some("N")),
        (Some(1), Some("n")),
        (None, Some(long)),
        (Some(7), Some("it's")),
        (Some(0), None),
        (Some(0), Some("")),
        (Some(0), Some("elsewhere")),
    ];
    // N, it's, NULL, others.
    assert_eq!(counts("SELECT city, COUNT(*) FROM t GROUP BY city", &rows), [1, 1, 1, 4]);
    // Conditions compare the values themselves. NULL differs from no value, so it is no group (S-ONE).
    assert_eq!(counts("SELECT city, COUNT(*) FROM t WHERE city <> 'n' GROUP BY city", &rows), [1, 1, 3]);
    assert_eq!(counts("SELECT COUNT(*) FROM t WHERE city = 'elsewhere'", &rows), [1]);
    // Expressions use the values themselves: values outside the branches of a CASE are in its ELSE.
    assert_eq!(counts("SELECT COUNT(*) FROM t GROUP BY CASE WHEN city = 'N' THEN 'a' ELSE 'b' END", &rows), [1, 6]);
    assert_eq!(counts("SELECT COUNT(*) FROM t GROUP BY city = 'N'", &rows), [5, 1, 1]);
    // NULL and values outside the keys are in no group of UPPER.
    assert_eq!(counts("SELECT COUNT(*) FROM t GROUP BY UPPER(city)", &rows), [2, 1, 1]);
    assert_eq!(counts("SELECT COUNT(*) FROM t GROUP BY COALESCE(city, 'none')", &rows), [1, 1, 1]);
    // Without `other` they are left out: 1, 0, NULL.
    assert_eq!(counts("SELECT sex, COUNT(*) FROM t GROUP BY sex", &rows), [1, 4, 1]);
}

#[test]
fn the_group_of_other_values_is_part_of_a_query_s_identity() {
    let mut closed = labelled();
    closed.columns[2].keys.as_mut().unwrap().pop();
    let same = |sql: &str| query(sql, &labelled()).canonical() == query(sql, &closed).canonical();
    assert!(!same("SELECT city, COUNT(*) FROM t GROUP BY city"));
    assert!(same("SELECT COUNT(*) FROM t WHERE city = 'N'") && same("SELECT sex, COUNT(*) FROM t GROUP BY sex"));
    // Any of one person's rows may have a value outside the keys.
    let distinct = "SELECT COUNT(*) FROM (SELECT who, COUNT(DISTINCT city) AS n FROM t GROUP BY who) AS p GROUP BY n";
    assert!(same(distinct), "only declared keys are told apart");
    let sql = "SELECT city AS k, COUNT(*) AS n FROM t GROUP BY city";
    let place = |suffix: &str| shown(&format!("{sql}{suffix}"), &TableSchema { entity: None, ..labelled() });
    assert_eq!(place(""), ["N", "it's", "NULL", "(other)"]);
    assert_eq!(place(" ORDER BY k"), ["N", "it's", "(other)", "NULL"]);
    assert_eq!(place(" ORDER BY k DESC"), ["NULL", "(other)", "it's", "N"]);
    assert_eq!(place(" HAVING city <> 'N'"), ["it's", "(other)"]);
    assert_eq!(place(" HAVING city = 'elsewhere'"), Vec::<String>::new());
    assert!(!query(sql, &labelled()).may_leave_out(&query(sql, &labelled()).groups()[0]));
}

/// Hints name the section of the column's table.
#[test]
fn hints_name_the_section() {
    let columns = |prefix: &str| {
        let column = |name: &str, kind| Column::new(format!("{prefix}{name}"), kind);
        vec![
            Column::new("who", ColumnType::Integer),
            column("n", ColumnType::Integer),
            column("x y", ColumnType::Text),
            column("d", ColumnType::Date),
        ]
    };
    let entity = || Some(Entity::new("who", Caps { rows_per_group: 1, groups: 1 }));
    let public = TableSchema { public_key: Some("who".to_owned()), ..TableSchema::protected("p", columns("p"), None) };
    let tables = [
        TableSchema::protected("t", columns("t"), entity()),
        TableSchema::protected("u", columns("u"), entity()),
        public,
    ];
    let help = |sql: &str| deniable_sql::plan(sql, &tables).unwrap_err().help().unwrap().to_owned();
    let joined = "FROM t JOIN u ON t.who = u.who JOIN p ON t.tn = p.who";
    for (column, section) in [("tn", "[columns.tn]"), ("un", "[tables.u.columns.un]"), ("pn", "[tables.p.columns.pn]")]
    {
        let said = help(&format!("SELECT SUM({column}) {joined}"));
        assert_eq!(said, format!("declare bounds = [low, high] and a step in {section}"));
        let said = help(&format!("SELECT COUNT(*) {joined} GROUP BY {column}"));
        let entity = format!("; if `{column}` identifies people, declare key = \"{column}\" under [entity]");
        let entity = if column == "tn" { entity.as_str() } else { "" };
        assert_eq!(said, format!("declare its groups, from public knowledge: keys = [...] in {section}{entity}"));
    }
    for (table, section) in [("t", "[columns."), ("u", "[tables.u.columns."), ("p", "[tables.p.columns.")] {
        let said = help(&format!("SELECT COUNT(*) {joined} GROUP BY \"{table}x y\""));
        assert!(said.contains(&format!("in {section}\"{table}x y\"]")), "{said}");
        let said = help(&format!("SELECT COUNT(*) {joined} GROUP BY {table}d"));
        assert!(said.ends_with(&format!("declare bounds in {section}{table}d]")), "{said}");
        let said = help(&format!("SELECT COUNT(*) {joined} GROUP BY DATE_TRUNC('month', {table}d)"));
        assert!(said.contains(&format!("in {section}{table}d], from public knowledge")), "{said}");
    }
    let said = help(
        "SELECT COUNT(*) FROM (SELECT who, COUNT(*) AS k FROM t GROUP BY who) AS e JOIN p ON e.k = p.who GROUP BY pn",
    );
    assert!(said.ends_with("in [tables.p.columns.pn]"), "{said}");
}

/// Results are compared with keys, as rows are: comparisons with labels and typos give a hint.
#[test]
fn results_are_compared_with_keys() {
    let notes = |condition: &str| {
        query(&format!("SELECT city, COUNT(*) AS n FROM t GROUP BY city HAVING {condition}"), &labelled()).undeclared()
    };
    let told = notes("city = 'north' OR COUNT(*) > 3 AND NOT city = 'N'");
    assert!(told.len() == 1 && told[0].contains("is the label of 'N': write city = 'N'"), "{told:?}");
    assert!(notes("city = 'elsewhere'")[0].contains("NOT IN"));
    assert!(notes("city = 'nowhere'")[0].contains("the keys are"));
    assert!(notes("COUNT(*) > 3").is_empty());
    let chosen =
        "SELECT CASE city WHEN 'its' THEN 1 END AS x FROM (SELECT city, COUNT(*) AS n FROM t GROUP BY city) AS c";
    assert_eq!(query(chosen, &labelled()).undeclared().len(), 1);
}
