//! Rows of PostgreSQL: `scripts/postgres cargo test -p deniable-postgres`.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use deniable_core::schema::{Column, ColumnType, Data, Format, TableSchema};
use deniable_core::zone::Zone;
use deniable_data::{Connections, Meter, ReadColumn, Resources, ScanError, Source, SourceError, Sources, WantedColumn};
use deniable_postgres::DATABASES;
use deniable_testing::{postgres, psql};
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

const KEY: [u8; 32] = [1; 32];

fn locate(table: TableSchema, data: &Data) -> Result<Source, SourceError> {
    let sources = Sources { databases: Some(DATABASES), ..Sources::default() };
    Source::locate_with(table, data, Path::new(""), &mut Connections::new(sources))
}

fn columns(declared: &[(&str, ColumnType)]) -> Vec<Column> {
    declared.iter().map(|(name, kind)| Column::new(*name, *kind)).collect()
}

fn located(relation: &str, declared: &[(&str, ColumnType)], connect: &str) -> Result<Source, SourceError> {
    of_columns(relation, columns(declared), connect)
}

fn of_columns(relation: &str, declared: Vec<Column>, connect: &str) -> Result<Source, SourceError> {
    let data = Data {
        table: "t".to_owned(),
        path: relation.to_owned(),
        version: "1".to_owned(),
        format: Format::Postgres { connect: format!("env:{connect}") },
        partitions: Vec::new(),
        typical_rows: None,
    };
    locate(TableSchema::protected("t", declared, None), &data)
}

/// The values of a column over all rows, of a relation that one connection reads in order.
fn column(relation: &str, name: &str, kind: ColumnType, connect: &str) -> ArrayRef {
    let source = located(relation, &[(name, kind)], connect).unwrap();
    let mut rows = all(&source, 1);
    rows.swap_remove(0)
}

fn all(source: &Source, threads: usize) -> Vec<ArrayRef> {
    let wanted: Vec<WantedColumn> = (0..source.table().columns.len()).map(WantedColumn::typed).collect();
    let batches = source
        .scan(&wanted, &Meter::new())
        .unwrap()
        .run(threads, Vec::new, |batches, batch| {
            batches.push(batch.columns.iter().map(ReadColumn::to_array).collect::<Vec<_>>());
            Ok::<(), ()>(())
        })
        .unwrap();
    let batches: Vec<Vec<ArrayRef>> = batches.into_iter().flatten().collect();
    (0..wanted.len())
        .map(|at| {
            let parts: Vec<&dyn Array> = batches.iter().map(|batch| batch[at].as_ref()).collect();
            arrow_select::concat::concat(&parts).unwrap()
        })
        .collect()
}

/// Tests share a server; each has its own schema.
fn schema(name: &str, sql: &str) {
    let _ =
        psql(&format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}; SET search_path = {name}; {sql}"));
}

#[test]
fn every_type_is_read_as_it_is_stored() {
    let Some(connect) = postgres() else { return };
    schema(
        "types",
        "CREATE TYPE mood AS ENUM ('sad', 'Ok');
         CREATE DOMAIN years AS int2 CHECK (VALUE >= 0); CREATE DOMAIN old AS years;
         CREATE DOMAIN cents AS numeric(9,0);
         CREATE TABLE t (id int, b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, n2 numeric(10,2), n0 numeric(18,0),
            s text, v varchar(9), c char(4), u uuid, d date, ts timestamp, tz timestamptz, m mood, y old, e cents,
            g int GENERATED ALWAYS AS (id * 2) STORED, \"Odd \"\"name\" text);
         INSERT INTO t VALUES
          (1, true, 32767, 2147483647, 9223372036854775807, 0.5, 1e308, 12345678901234567890.5, 0.15, 999999999999999999,
           'a', 'A', 'a', 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6', '1970-01-01', '1970-01-01 00:00:00.000001', '1970-01-01 02:00+02',
           'Ok', 30, 7, DEFAULT, 'x'),
          (2, false, -32768, -2147483648, -9223372036854775808, 'NaN', 'Infinity', 'NaN', -99999999.99, -999999999999999999,
           '', 'ä', 'ä  ', '00000000-0000-0000-0000-000000000000', 'infinity', '-infinity', 'infinity', 'sad', 0, 0, DEFAULT, ''),
          (3, NULL, NULL, NULL, NULL, '-Infinity', '-0', '-Infinity', NULL, NULL, NULL, NULL, NULL, NULL, '5874897-12-31', '294276-12-31',
           NULL, NULL, NULL, NULL, DEFAULT, NULL),
          (4, true, 0, 0, 0, '-0', 1e-308, 1e400, 0.00, 0, E'a\\u0308', 'a ', '', NULL, '4713-01-01 BC', '4713-01-01 BC', NULL, NULL, NULL,
           NULL, DEFAULT, 'İß\"'),
          (5, true, 0, 0, 0, 0, 0, 0.05, 0, 0, repeat('x', 70000), 'a', 'a  b', NULL, '9999-12-31', '0001-01-01', NULL, NULL, NULL, NULL,
           DEFAULT, NULL);
         ALTER TABLE t ALTER s SET STORAGE EXTERNAL;",
    );
    let read = |name: &str, kind| column("types.t", name, kind, connect);
    let integers = |name: &str| read(name, ColumnType::Integer).as_primitive::<Int64Type>().iter().collect::<Vec<_>>();
    let decimals =
        |name: &str| read(name, ColumnType::Decimal).as_primitive::<Float64Type>().iter().collect::<Vec<_>>();
    let texts = |name: &str| -> Vec<Option<String>> {
        read(name, ColumnType::Text).as_string_view().iter().map(|text| text.map(str::to_owned)).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(integers("id"), [1, 2, 3, 4, 5].map(Some));
    assert_eq!(
        read("b", ColumnType::Boolean).as_boolean().iter().collect::<Vec<_>>(),
        [Some(true), Some(false), None, Some(true), Some(true)]
    );
    assert_eq!(integers("i2"), [Some(32767), Some(-32768), None, Some(0), Some(0)]);
    assert_eq!(integers("i4"), [Some(2_147_483_647), Some(-2_147_483_648), None, Some(0), Some(0)]);
    assert_eq!(integers("i8"), [Some(i64::MAX), Some(i64::MIN), None, Some(0), Some(0)]);
    assert_eq!(integers("n0"), [Some(999_999_999_999_999_999), Some(-999_999_999_999_999_999), None, Some(0), Some(0)]);
    assert_eq!(integers("y"), [Some(30), Some(0), None, None, None]);
    assert_eq!(integers("e"), [Some(7), Some(0), None, None, None]);
    assert_eq!(integers("g"), [2, 4, 6, 8, 10].map(Some));
    assert_eq!(decimals("f4"), [Some(0.5), None, None, Some(0.0), Some(0.0)]);
    assert_eq!(decimals("f8"), [Some(1e308), None, Some(0.0), Some(1e-308), Some(0.0)]);
    assert!(decimals("f8").iter().flatten().all(|number| number.is_sign_positive()), "one zero");
    assert_eq!(decimals("n"), [Some(12_345_678_901_234_567_890.5), None, None, None, Some(0.05)]);
    assert_eq!(decimals("n2"), [Some(0.15), Some(-99_999_999.99), None, Some(0.0), Some(0.0)]);
    assert_eq!(decimals("i8")[0], Some(i64::MAX as f64));
    assert_eq!(texts("s"), [some("a"), some(""), None, some("a\u{308}"), None], "too long to be a value");
    assert_eq!(texts("v"), [some("A"), some("ä"), None, some("a "), some("a")]);
    assert_eq!(texts("c"), [some("a"), some("ä"), None, some(""), some("a  b")]);
    assert_eq!(
        texts("u")[..2],
        [some("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), some("00000000-0000-0000-0000-000000000000")]
    );
    assert_eq!(texts("m"), [some("Ok"), some("sad"), None, None, None]);
    assert_eq!(texts("Odd \"name"), [some("x"), some(""), None, some("İß\""), None]);
    let days = read("d", ColumnType::Date);
    assert_eq!(
        days.as_primitive::<Date32Type>().iter().collect::<Vec<_>>(),
        [Some(0), None, None, None, Some(2_932_896)]
    );
    let moments = |name: &str| {
        read(name, ColumnType::Timestamp).as_primitive::<TimestampMicrosecondType>().iter().collect::<Vec<_>>()
    };
    assert_eq!(moments("ts")[..4], [Some(1), None, None, None]);
    let unstated = located("types.t", &[("tz", ColumnType::Timestamp)], connect).unwrap_err().to_string();
    assert!(unstated.contains("`tz` stores moments with the zone UTC"), "{unstated}");
    let tz = |zone: &str| {
        let stated = Column { zone: Zone::named(zone), ..Column::new("tz", ColumnType::Timestamp) };
        let source = of_columns("types.t", vec![stated], connect).unwrap();
        all(&source, 1)[0].as_primitive::<TimestampMicrosecondType>().iter().take(2).collect::<Vec<_>>()
    };
    assert_eq!(tz("UTC"), [Some(0), None]);
    assert_eq!(tz("Europe/Berlin"), [Some(3_600_000_000), None]);
}

#[test]
fn unsupported_columns_are_refused_by_name() {
    let Some(connect) = postgres() else { return };
    schema(
        "refused",
        "CREATE TABLE t (i int, j jsonb, a int[], m money, v interval, by bytea, n numeric, x xml, o oid, \"I\" int);
         CREATE VIEW v AS SELECT i, 1 / i AS one FROM t;
         CREATE SEQUENCE s; CREATE INDEX ON t (i);",
    );
    let refused = |relation: &str, name: &str, kind| match located(relation, &[(name, kind)], connect) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{relation}.{name}"),
    };
    for (name, type_name) in [
        ("j", "jsonb"),
        ("a", "integer[]"),
        ("m", "money"),
        ("v", "interval"),
        ("by", "bytea"),
        ("x", "xml"),
        ("o", "oid"),
    ] {
        let said = refused("refused.t", name, ColumnType::Text);
        assert_eq!(
            said,
            format!(
                "the column \"{name}\" of the PostgreSQL relation refused.t has the type {type_name}, which is not supported"
            )
        );
    }
    assert_eq!(
        refused("refused.t", "n", ColumnType::Integer),
        "refused.t: column `n` is stored as numeric, which cannot be read as integer"
    );
    assert_eq!(
        refused("refused.t", "i", ColumnType::Text),
        "refused.t: column `i` is stored as integer, which cannot be read as text"
    );
    let said = refused("refused.t", "gone", ColumnType::Integer);
    assert!(
        said.starts_with("the PostgreSQL relation refused.t has no column \"gone\"; it has \"i\", \"j\""),
        "{said}"
    );
    for relation in ["refused.gone", "gone.t", "refused.s", "refused.t_i_idx", "refused.\"T\""] {
        let said = refused(relation, "i", ColumnType::Integer);
        assert!(said.starts_with("the PostgreSQL database has no table or view"), "{said}");
    }
    assert!(refused("t", "i", ColumnType::Integer).ends_with("is not a schema and name of a table or view"));
    assert!(located("Refused.T", &[("i", ColumnType::Integer)], connect).is_ok(), "as SQL folds it");
}

/// A table of several parts, which several connections copy.
const ROWS: i64 = 300_000;

fn large() {
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        schema(
            "large",
            &format!(
                "CREATE TABLE t AS SELECT i AS n, 'text ' || i AS x, repeat('y', 100) AS pad FROM generate_series(0, {ROWS} - 1) i;
                 CREATE TABLE other (x text, n int);
                 INSERT INTO other SELECT 'text ' || i, i FROM generate_series({ROWS} - 1, 0, -1) i;
                 CREATE VIEW v AS SELECT n, x FROM t; CREATE MATERIALIZED VIEW m AS SELECT n, x FROM t;
                 CREATE TABLE p (n int, x text) PARTITION BY RANGE (n);
                 CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (1000);
                 CREATE TABLE p2 (x text, gone int, n int); ALTER TABLE p2 DROP gone;
                 ALTER TABLE p ATTACH PARTITION p2 FOR VALUES FROM (1000) TO ({ROWS});
                 INSERT INTO p SELECT n, x FROM t;
                 CREATE TABLE parent (n int, x text); CREATE TABLE child () INHERITS (parent);
                 INSERT INTO parent SELECT n, x FROM t WHERE n < 5; INSERT INTO child SELECT n, x FROM t WHERE n >= 5;
                 ANALYZE;"
            ),
        );
    });
}

const LARGE: [(&str, ColumnType); 2] = [("n", ColumnType::Integer), ("x", ColumnType::Text)];

#[test]
fn every_row_comes_once_on_any_number_of_connections() {
    let Some(connect) = postgres() else { return };
    large();
    for relation in ["large.t", "large.other", "large.v", "large.m", "large.p", "large.parent"] {
        let source = located(relation, &LARGE, connect).unwrap();
        for threads in [1, 3] {
            let rows = all(&source, threads);
            let mut seen: Vec<(i64, String)> = rows[0]
                .as_primitive::<Int64Type>()
                .values()
                .iter()
                .copied()
                .zip(rows[1].as_string_view().iter().map(|text| text.unwrap().to_owned()))
                .collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq((0..ROWS).map(|n| (n, format!("text {n}")))), "{relation} on {threads}");
        }
    }
}

#[test]
fn a_column_may_be_wanted_twice_or_not_at_all() {
    let Some(connect) = postgres() else { return };
    large();
    let source = located("large.t", &LARGE, connect).unwrap();
    let wanted = [WantedColumn::stored(1), WantedColumn::typed(0), WantedColumn::typed(1)];
    let rows = |wanted: &[WantedColumn]| {
        let seen = source.scan(wanted, &Meter::new()).unwrap().run(
            2,
            || 0,
            |rows, batch| {
                assert_eq!(batch.columns.len(), wanted.len());
                assert!(batch.columns.iter().all(|column| column.len() == batch.rows));
                *rows += batch.rows;
                Ok::<(), ()>(())
            },
        );
        seen.unwrap().into_iter().sum::<usize>()
    };
    assert_eq!(rows(&wanted), ROWS as usize);
    assert_eq!(rows(&[]), ROWS as usize, "rows without fields");
}

#[test]
fn fingerprints_depend_on_rows_but_not_on_their_order() {
    let Some(connect) = postgres() else { return };
    large();
    let of = |relation: &str| located(relation, &LARGE, connect).unwrap().fingerprint(&KEY).unwrap();
    let contents = |fingerprint: &str| fingerprint.split_once('.').unwrap().1.to_owned();
    let known = of("large.t");
    assert_eq!(known, of("large.t"));
    assert_eq!(contents(&known), contents(&of("large.other")), "other columns, another order of rows");
    assert_ne!(known, of("large.other"), "another relation");
    assert_eq!(contents(&known), contents(&of("large.p")));
    assert_ne!(
        contents(&known),
        contents(&located("large.t", &LARGE[..1], connect).unwrap().fingerprint(&KEY).unwrap())
    );
    let source = located("large.t", &LARGE, connect).unwrap();
    assert!(known.starts_with(&format!("{}.", source.marks(&KEY).unwrap())));
    assert_ne!(known, source.fingerprint(&[2; 32]).unwrap());
    // A scan of all rows computes the same fingerprint, on any number of connections.
    for threads in [1, 4] {
        let source = located("large.t", &LARGE, connect).unwrap().of_version(KEY, None);
        let report = source.check(&Resources { threads, ..Resources::default() }, &|_| {}).unwrap();
        assert_eq!(report.rows, ROWS as u64);
        assert_eq!(source.fingerprint(&KEY).unwrap(), known);
    }
}

fn end(source: &Source, wanted: &[WantedColumn], threads: usize) -> Result<(), SourceError> {
    let done = source.scan(wanted, &Meter::new())?.run(threads, || (), |(), _| Ok::<(), ()>(()));
    done.map(drop).map_err(|error| match error {
        ScanError::Source(error) => error,
        ScanError::Work(()) => unreachable!(),
    })
}

#[test]
fn a_scan_ends_with_the_rows_that_were_registered_or_fails() {
    let Some(connect) = postgres() else { return };
    schema("changing", "CREATE TABLE t AS SELECT i AS n, 'text ' || i AS x FROM generate_series(1, 5000) i");
    let source = || located("changing.t", &LARGE, connect).unwrap();
    let registered = source().fingerprint(&KEY).unwrap();
    let at_a_run = || end(&source().of_version(KEY, Some(&registered)), &[WantedColumn::typed(0)], 2);
    at_a_run().unwrap();
    let is_changed = |result: Result<(), SourceError>| matches!(result, Err(SourceError::Changed { .. }));
    // A change of a column that is not read, another row, the same number of rows, exchanged values, and no rows.
    for change in [
        "UPDATE changing.t SET x = 'other' WHERE n = 7",
        "INSERT INTO changing.t VALUES (7, 'text 7')",
        "UPDATE changing.t SET n = 8 WHERE n = 7",
        "UPDATE changing.t SET x = CASE n WHEN 1 THEN 'text 2' ELSE 'text 1' END WHERE n IN (1, 2)",
        "DELETE FROM changing.t",
    ] {
        let _ = psql(&format!("CREATE TABLE changing.kept AS TABLE changing.t; {change}"));
        assert!(is_changed(at_a_run()), "{change}");
        let _ = psql("TRUNCATE changing.t; INSERT INTO changing.t TABLE changing.kept; DROP TABLE changing.kept");
        at_a_run().unwrap();
    }
    // A rewritten table in another order has the same rows.
    let _ = psql(
        "CREATE TABLE changing.u AS SELECT * FROM changing.t ORDER BY x; DROP TABLE changing.t; ALTER TABLE changing.u RENAME TO t",
    );
    at_a_run().unwrap();
}

#[test]
fn concurrent_changes_are_not_visible() {
    let Some(connect) = postgres() else { return };
    schema(
        "meanwhile",
        // Wide enough for several parts, copied by several connections.
        &format!(
            "CREATE TABLE t AS SELECT i AS n, 'text ' || i AS x, repeat('y', 100) AS pad FROM generate_series(1, {ROWS}) i"
        ),
    );
    let registered = located("meanwhile.t", &LARGE, connect).unwrap().fingerprint(&KEY).unwrap();
    let source = located("meanwhile.t", &LARGE, connect).unwrap().of_version(KEY, Some(&registered));
    // Its further connections are opened after the change, and use the snapshot of the first one.
    let early = located("meanwhile.t", &LARGE, connect).unwrap().of_version(KEY, Some(&registered));
    // From here on the table cannot be truncated or altered, even before it is read.
    let waits = "SET lock_timeout = '50ms'; DO $$ BEGIN TRUNCATE meanwhile.t; EXCEPTION WHEN lock_not_available THEN RAISE NOTICE 'locked'; END $$; SELECT count(*) > 0 FROM meanwhile.t";
    assert_eq!(psql(waits), "t");
    let first = AtomicBool::new(true);
    let scan = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap();
    scan.run(
        2,
        || (),
        |(), _| {
            if first.swap(false, Ordering::Relaxed) {
                let _ = psql("UPDATE meanwhile.t SET x = ''; DELETE FROM meanwhile.t WHERE n % 2 = 0");
            }
            Ok::<(), ()>(())
        },
    )
    .unwrap();
    // All scans of a run use one snapshot.
    end(&source, &[WantedColumn::typed(1)], 2).unwrap();
    end(&early, &[WantedColumn::typed(1)], 3).unwrap();
    let later = located("meanwhile.t", &LARGE, connect).unwrap().of_version(KEY, Some(&registered));
    assert!(matches!(end(&later, &[], 2), Err(SourceError::Changed { .. })));
    assert_eq!(psql(waits), "t");
    drop((source, early, later));
}

#[test]
fn ended_connections_are_reported_without_quotes() {
    let Some(connect) = postgres() else { return };
    schema("ended", &format!("CREATE TABLE t AS SELECT i AS n, 'text ' || i AS x FROM generate_series(1, {ROWS}) i"));
    let ended = |how: &str| {
        let source = located("ended.t", &LARGE, connect).unwrap();
        let first = AtomicBool::new(true);
        let scan = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap();
        let done = scan.run(
            2,
            || (),
            |(), _| {
                if first.swap(false, Ordering::Relaxed) {
                    let _ = psql(how);
                }
                Ok::<(), ()>(())
            },
        );
        match done {
            Err(ScanError::Source(SourceError::Remote { problem, .. })) => problem,
            other => panic!("{other:?}"),
        }
    };
    let of_others = |function: &str| {
        format!(
            "SELECT {function}(pid) FROM pg_stat_activity WHERE application_name = 'deniable' AND query LIKE 'COPY%ended%'"
        )
    };
    // The server's last message may or may not arrive.
    let terminated = ended(&of_others("pg_terminate_backend"));
    assert!(terminated.ends_with("ended the connection") || terminated.ends_with("was lost"), "{terminated}");
    let cancelled = ended(&of_others("pg_cancel_backend"));
    assert!(cancelled.starts_with("the PostgreSQL server ended the statement"), "{cancelled}");
}

#[test]
fn a_failing_view_is_reported_without_quotes() {
    let Some(connect) = postgres() else { return };
    schema(
        "failing",
        "CREATE TABLE t (n int, s text); INSERT INTO t VALUES (1, '1'), (0, 'secret');
         CREATE VIEW v AS SELECT n, s::int AS c FROM t;",
    );
    let source = located("failing.v", &[("n", ColumnType::Integer), ("c", ColumnType::Integer)], connect).unwrap();
    let error = end(&source, &[WantedColumn::typed(1)], 1).unwrap_err();
    assert!(!format!("{error:?}").contains("secret") && error.to_string().contains("expressions fails"), "{error:?}");
}

/// Where row-level security hides rows, the copy fails.
#[test]
fn hidden_rows_are_an_error() {
    let Some(connect) = postgres() else { return };
    schema(
        "hidden",
        "CREATE TABLE t (n int); INSERT INTO t VALUES (1), (2); ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
         CREATE POLICY one ON t USING (n = 1);
         DO $$ BEGIN CREATE ROLE unprivileged; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         GRANT USAGE ON SCHEMA hidden TO unprivileged; GRANT SELECT ON t TO unprivileged;
         CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1';
         CREATE VIEW v AS SELECT n FROM t; ALTER VIEW v OWNER TO unprivileged; ALTER TABLE t OWNER TO unprivileged;",
    );
    let source = located("hidden.v", &[("n", ColumnType::Integer)], connect).unwrap();
    let error = end(&source, &[WantedColumn::typed(0)], 1).unwrap_err();
    assert!(error.to_string().contains("may not read all rows"), "{error}");
}

#[test]
fn places_locate_rows_in_the_database() {
    let Some(connect) = postgres() else { return };
    schema(
        "places",
        "CREATE TABLE towns (id text, x numeric); INSERT INTO towns SELECT i::text, i FROM generate_series(1, 2000) i;
         INSERT INTO towns VALUES ('7', 'NaN'); CREATE VIEW v AS SELECT * FROM towns;",
    );
    let declared = [("id", ColumnType::Text), ("x", ColumnType::Decimal)];
    let check = |relation: &str| {
        let mut source = located(relation, &declared, connect).unwrap();
        let data = Data {
            table: "towns".to_owned(),
            path: relation.to_owned(),
            version: "1".to_owned(),
            format: Format::Postgres { connect: format!("env:{connect}") },
            partitions: Vec::new(),
            typical_rows: None,
        };
        let table = TableSchema {
            name: "towns".to_owned(),
            columns: columns(&declared),
            entity: None,
            public_key: Some("id".to_owned()),
        };
        source = locate(table, &data).unwrap_or(source);
        let report = source.check(&Resources::default(), &|_| {}).unwrap();
        (report.problems[0].to_string(), report.notes.join("; "))
    };
    let place = |n: &str| psql(&format!("SELECT ctid FROM places.towns WHERE id = '7' AND x = '{n}'"));
    let (problem, notes) = check("places.towns");
    assert_eq!(
        problem,
        format!(
            "places.towns, ctid {}: the key `id` is the same as at places.towns, ctid {}",
            place("NaN"),
            place("7")
        )
    );
    assert!(notes.contains(&format!("places.towns, ctid {}", place("NaN"))), "{notes}");
    let (problem, _) = check("places.v");
    assert_eq!(problem, "places.v:2001: the key `id` is the same as at places.v:7");
}
