//! Keys of groups: which there are, in which order they are shown, and what a row needs to be in one.

use deniable_core::exact::{ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, Key, TableSchema};
use deniable_sql::Query;
use deniable_sql::output::{Noisy, Shown};

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
    let query = Query::new(sql, std::slice::from_ref(table)).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let measures = query.measures();
    let values = measures.iter().map(|measure| vec![0; query.cells(measure.level)]).collect();
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); measures.len()];
    let rows = query.show(&Noisy { values, consistent: None, decays }, &ratio(19, 20));
    let first = |shown: &Shown| match shown {
        Shown::Key(key) => key.to_string(),
        Shown::All => "(all)".to_owned(),
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
    // Only those that there are.
    assert_eq!(by("DAYNAME(few)"), ["Monday", "Tuesday", "Saturday", "Sunday"]);
    assert_eq!(by("ISODOW(few)"), ["1", "2", "6", "7"]);
    assert_eq!(by("EXTRACT(dow FROM few)"), ["0", "1", "2", "6"]);
}

#[test]
fn each_group_of_several_has_its_order() {
    let sql = "SELECT DAYNAME(few) AS k, sex, COUNT(*) FROM t GROUP BY ROLLUP (DAYNAME(few), sex)";
    let twice = ["Monday", "Monday", "Tuesday", "Tuesday", "Saturday", "Saturday", "Sunday", "Sunday"];
    let expected = [&twice[..], &["Monday", "Tuesday", "Saturday", "Sunday", "(all)"]].concat();
    assert_eq!(shown(sql, &table()), expected);
    let sql = "SELECT sex AS k, DAYNAME(few), COUNT(*) FROM t GROUP BY sex, DAYNAME(few)";
    assert_eq!(shown(sql, &table()), ["1", "1", "1", "1", "0", "0", "0", "0"]);
    // What is asked for goes first.
    let sql = "SELECT DAYNAME(few) AS k, COUNT(*) FROM t GROUP BY 1 ORDER BY k";
    assert_eq!(shown(sql, &table()), ["Monday", "Saturday", "Sunday", "Tuesday"]);
}

/// The order in which cells are counted is that of stored answers, and a part of what a query is.
#[test]
fn the_order_in_which_cells_are_counted_stays() {
    let query = Query::new("SELECT COUNT(*) FROM t GROUP BY EXTRACT(dow FROM d)", &[table()]).unwrap();
    let keys: Vec<String> = query.groups()[0].keys.iter().map(Key::to_string).collect();
    assert_eq!(keys, ["5", "6", "0", "1", "2", "3", "4"]);
}

#[test]
fn days_of_the_week_in_conditions() {
    let count = |condition: &str| {
        let sql = format!("SELECT COUNT(*) FILTER (WHERE {condition}) FROM t WHERE {condition}");
        Query::new(&sql, &[table()]).unwrap_or_else(|error| panic!("{sql}: {error}")).identity().to_vec()
    };
    let all =
        ["EXTRACT(isodow FROM d) = 7", "EXTRACT(dow FROM d) = 0", "DAYNAME(d) = 'Sunday'", "MONTHNAME(d) = 'May'"];
    let identities: std::collections::BTreeSet<Vec<u8>> = all.iter().map(|condition| count(condition)).collect();
    assert_eq!(identities.len(), all.len());
    assert_eq!(count("ISODOW(d) = 7"), count("EXTRACT(isodow FROM d) = 7"));
    let refused = Query::new("SELECT COUNT(*) FROM t GROUP BY DAYNAME(sex)", &[table()]).unwrap_err().to_string();
    assert!(refused.contains("calendar function") || refused.contains("dayname"), "{refused}");
}
