//! Data in PostgreSQL: the same answers, charges and ledger, whether the server is reachable or not.
//! `scripts/postgres cargo test -p deniable-cli --features postgres --test it -- postgres`.

use crate::support::{Place, Run, workspace};
use deniable_testing::{postgres, psql};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;

const ROWS: usize = 60_000;
/// A secret that no error may contain.
const SECRET: &str = "sec-ret";

/// A place whose policy reads `SCHEMA.visits`, which is created anew.
fn place(schema: &str) -> Place {
    let _ = psql(&format!(
        "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};
         CREATE TABLE {schema}.visits AS SELECT 'p' || i % 20000 AS patient, (i % 100)::numeric / 2 AS cost,
            CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex, 'secret {SECRET}' AS note FROM generate_series(1, {ROWS}) i"
    ));
    let place = Place::empty();
    place.write("policy.toml", policy(schema));
    place
}

fn policy(schema: &str) -> String {
    format!(
        r#"name = "study"
population = "patients"

[data]
table = "visits"
format = "postgres"
relation = "{schema}.visits"
connect = "env:CLINIC"
version = "1"

[entity]
key = "patient"
rows_per_group = 3
groups = 2

[columns.patient]
type = "text"

[columns.cost]
type = "decimal"
bounds = [0, 100]
step = 0.5

[columns.sex]
type = "text"
keys = ["F", "M"]

[adversary]
preset = "acquaintance"

[promise]
posterior_at_most = 0.75

[[query]]
name = "by sex"
sql = "SELECT sex, SUM(cost), COUNT(*) FROM visits GROUP BY sex"
"#
    )
}

/// Runs the command with an address in the variable that the policy names.
fn at(place: &Place, address: &str, args: &[&str]) -> Run {
    let mut command = place.command(args);
    let run = Run::of(command.env("CLINIC", address).output().unwrap());
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:?}");
    run
}

/// The address of the owner.
fn owner() -> String {
    std::env::var("DENIABLE_POSTGRES").unwrap()
}

fn port() -> u16 {
    std::env::var("DENIABLE_POSTGRES_PORT").unwrap().parse().unwrap()
}

const RELEASE: [&str; 3] = ["release", "policy.toml", "--register"];

#[test]
fn a_release_is_paid_once_and_needs_no_server_again() {
    let Some(_) = postgres() else { return };
    let place = place("once");
    let first = at(&place, &owner(), &RELEASE).done();
    assert!(first.stdout.contains("sex"), "{first:?}");
    assert_eq!(place.charges(), 1);
    // The database is not read: there is no server at this address.
    let again = at(&place, "host=127.0.0.1 port=1 user=nobody", &["release", "policy.toml"]).done();
    assert_eq!((first.stdout, place.charges()), (again.stdout, 1));
    let names: String = ["patients.ledger", "policy.toml"]
        .iter()
        .map(|name| String::from_utf8_lossy(&std::fs::read(place.path(name)).unwrap()).into_owned())
        .collect();
    assert!(!names.contains("user=owner"), "no address is kept");
}

#[test]
fn a_policy_begins_with_the_columns_of_a_relation() {
    let Some(_) = postgres() else { return };
    let place = place("begin");
    let _ = psql("CREATE VIEW begin.\"Wide 1\" AS SELECT patient, cost, now()::time AS hour FROM begin.visits");
    let init = |args: &[&str]| at(&place, &owner(), &[&["init"], args].concat());
    let run = init(&["begin.visits", "--connect", "env:CLINIC"]).done();
    let stated =
        ["table = \"visits\"", "relation = \"begin.visits\"", "connect = \"env:CLINIC\"", "format = \"postgres\""];
    let columns = ["\npatient = { type = \"text\"", "\ncost = { type = \"decimal\"", "\nnote = {"];
    for part in stated.iter().chain(&columns) {
        assert!(run.stdout.contains(part), "{part} {run:?}");
    }
    let run = init(&["begin.\"Wide 1\"", "--connect", "env:CLINIC", "--out", "wide.toml"]).done();
    assert!(run.stderr.contains("column `hour` is left out: its type is not supported"), "{run:?}");
    assert!(place.read("wide.toml").contains("table = \"wide_1\""));
    // Only decisions remain open: everything else is a valid policy.
    let plan = at(&place, &owner(), &["plan", "wide.toml"]).refused();
    assert!(plan.stderr.contains("population") && !plan.stderr.contains("connect"), "{plan:?}");
    let refused = init(&["begin.none", "--connect", "env:CLINIC"]).refused();
    assert!(refused.stderr.contains("has no table or view begin.none"), "{refused:?}");
    let address = format!("postgresql://u:{SECRET}@h/d");
    init(&["begin.visits", "--connect", &address]).misused();
    let refused = init(&["begin.visits"]).refused();
    assert!(refused.stderr.contains("add --connect env:NAME"), "{refused:?}");
}

#[test]
fn exact_losses_are_those_of_a_file() {
    let Some(_) = postgres() else { return };
    let place = place("same");
    // All rows count, so that caps, whose choice depends on the ledger, have no effect; some values are beyond bounds.
    let uncapped = policy("same").replace("bounds = [0, 100]", "bounds = [0, 40]");
    place.write("policy.toml", &uncapped);
    let of_table = at(&place, &owner(), &["data", "check", "policy.toml", "--format", "json"]).done().json();
    let csv = psql("COPY (SELECT patient, cost, sex FROM same.visits ORDER BY cost) TO STDOUT (FORMAT csv, HEADER)");
    let relation = "format = \"postgres\"\nrelation = \"same.visits\"\nconnect = \"env:CLINIC\"";
    let file = Place::new(&uncapped.replace(relation, "path = \"data.csv\""), csv + "\n");
    let of_file = file.run(&["data", "check", "policy.toml", "--format", "json"]).done().json();
    assert_eq!(of_table["queries"], of_file["queries"]);
    for found in ["rows", "entities"] {
        assert_eq!(of_table["tables"][0][found], of_file["tables"][0][found]);
    }
    assert!(of_table["queries"][0]["beyond_bounds"][0]["outside"].as_u64().is_some_and(|outside| outside > 0));
}

#[test]
fn rows_that_changed_are_paid_for_not_shown_and_resumed() {
    let Some(_) = postgres() else { return };
    let place = place("changed");
    at(&place, &owner(), &["data", "check", "policy.toml"]).done();
    assert_eq!(place.charges(), 0);
    let _ = psql(
        "CREATE TABLE changed.kept AS TABLE changed.visits; UPDATE changed.visits SET cost = 3 WHERE patient = 'p7'",
    );
    let refused = at(&place, &owner(), &RELEASE).refused();
    assert!(refused.says("not those that were registered as this version"), "{refused:?}");
    assert_eq!(place.charges(), 1, "only reading the rows tells: it was charged before");
    let head = place.read("policy.toml");
    let _ = psql("TRUNCATE changed.visits; INSERT INTO changed.visits TABLE changed.kept ORDER BY random()");
    let resumed = at(&place, &owner(), &RELEASE).done();
    assert!(resumed.stdout.contains("sex"));
    assert_eq!(place.charges(), 1, "the charge is kept, and not repeated");
    assert_eq!(place.read("policy.toml"), head);
    // Another check finds other rows under the same version.
    let _ = psql("UPDATE changed.visits SET cost = 3 WHERE patient = 'p7'");
    let checked = at(&place, &owner(), &["data", "check", "policy.toml"]).refused();
    assert!(checked.stderr.contains("have changed since version \"1\""), "{checked:?}");
}

#[test]
fn another_relation_is_refused_before_the_charge() {
    let Some(_) = postgres() else { return };
    let place = place("replaced");
    at(&place, &owner(), &["data", "check", "policy.toml"]).done();
    let is_changed = |run: &Run| run.stderr.contains("have changed since version \"1\" was registered");
    for (change, back) in [
        ("ALTER TABLE replaced.visits ALTER cost TYPE float8", "ALTER TABLE replaced.visits ALTER cost TYPE numeric"),
        (
            "ALTER TABLE replaced.visits RENAME TO t; CREATE VIEW replaced.visits AS SELECT * FROM replaced.t",
            "DROP VIEW replaced.visits; ALTER TABLE replaced.t RENAME TO visits",
        ),
    ] {
        let _ = psql(change);
        let run = at(&place, &owner(), &RELEASE).refused();
        assert!(is_changed(&run), "{run:?}");
        let _ = psql(back);
    }
    for (change, said) in [
        ("ALTER TABLE replaced.visits RENAME cost TO price", "has no column \"cost\"; it has \"patient\", \"price\""),
        (
            "ALTER TABLE replaced.visits RENAME price TO cost; ALTER TABLE replaced.visits ALTER cost TYPE money",
            "has the type money",
        ),
        ("DROP TABLE replaced.visits", "no table or view replaced.visits"),
    ] {
        let _ = psql(change);
        let run = at(&place, &owner(), &RELEASE).refused();
        assert!(run.stderr.replace("\n  ", " ").contains(said), "{run:?}");
    }
    assert_eq!(place.charges(), 0);
}

/// Joins the lines of a message.
fn words(run: &Run) -> String {
    run.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

#[test]
fn servers_that_cannot_be_reached_say_why_and_no_password() {
    let Some(_) = postgres() else { return };
    let place = place("unreached");
    let port = port();
    let tcp = |more: &str| format!("host=localhost port={port} user=owner dbname=postgres {more}");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let deaf = silent.local_addr().unwrap().port();
    for (address, said) in [
        (tcp(&format!("password={SECRET}")), "rejects this user"),
        (tcp(""), "demands a password"),
        (tcp(&format!("password={SECRET} sslmode=require")), "TLS connection"),
        (format!("host=127.0.0.1 port=1 user=owner password={SECRET}"), "cannot be reached"),
        (format!("host=127.0.0.1 port={deaf} user=owner password={SECRET} connect_timeout=1"), "cannot be reached"),
        (format!("{} dbname=nowhere", owner()), "PostgreSQL database does not exist"),
        (format!("postgresql://owner:{SECRET}@host:port/x"), "does not contain the address"),
        (format!("password={SECRET} sslmode=verify-full"), "does not contain the address"),
    ] {
        let run = at(&place, &address, &RELEASE).refused();
        assert!(words(&run).contains(said), "{address}: {run:?}");
    }
    let unset = place.run(&RELEASE).refused();
    assert!(words(&unset).contains("variable CLINIC is not set"), "{unset:?}");
    assert_eq!(place.charges(), 0);
    place.edit("policy.toml", "env:CLINIC", &format!("postgresql://owner:{SECRET}@host/x"));
    let literal = at(&place, &owner(), &RELEASE).refused();
    assert!(words(&literal).contains("does not name an environment variable"), "{literal:?}");
}

#[test]
fn certificates_are_verified() {
    let Some(_) = postgres() else { return };
    let place = place("verified");
    let run = |host: &str, authority: Option<&str>| {
        let mut command: Command = place.command(&["data", "check", "policy.toml"]);
        if let Some(authority) = authority {
            command.env("PGSSLROOTCERT", authority);
        }
        let address =
            format!("host={host} hostaddr=127.0.0.1 port={} user=owner dbname=postgres sslmode=require", port());
        Run::of(command.env("CLINIC", address).env("PGPASSWORD", "owner's password").output().unwrap())
    };
    let certificate = std::env::var("DENIABLE_POSTGRES_CERTIFICATE").unwrap();
    run("localhost", Some(&certificate)).done();
    for (host, authority) in [("localhost", None), ("other.example", Some(certificate.as_str()))] {
        let refused = run(host, authority).refused();
        assert!(words(&refused).contains("TLS connection"), "{refused:?}");
    }
    let policy = place.path("policy.toml");
    let refused = run("localhost", policy.to_str()).refused();
    assert!(words(&refused).contains("contains no certificates"), "{refused:?}");
}

#[test]
fn a_statement_that_takes_too_long_is_paid_for_and_resumed() {
    let Some(_) = postgres() else { return };
    let place = place("slow");
    let _ = psql(
        "DO $$ BEGIN CREATE ROLE slow LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         ALTER ROLE slow RESET statement_timeout; GRANT USAGE ON SCHEMA slow TO slow; GRANT SELECT ON slow.visits TO slow;",
    );
    let address = owner().replace("user=owner", "user=slow");
    at(&place, &address, &["data", "check", "policy.toml"]).done();
    let _ = psql("ALTER ROLE slow SET statement_timeout = '15ms'");
    // Repeated, because the time limit may strike in any phase: often enough during the rows.
    let mut said = Vec::new();
    for _ in 0..20 {
        let run = at(&place, &address, &RELEASE);
        if run.code == Some(1) {
            assert_eq!(run.stdout, "");
            said.push(words(&run));
        }
        if place.charges() > 0 {
            break;
        }
    }
    assert!(said.iter().all(|said| said.contains("statement_timeout")), "{said:?}");
    let _ = psql("ALTER ROLE slow RESET statement_timeout");
    at(&place, &address, &RELEASE).done();
    assert_eq!(place.charges(), 1);
}

/// A proxy that forwards at most this many bytes of the server, then cuts the connection.
fn cut(most: u64) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (here, there) = (listener.local_addr().unwrap().port(), port());
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", there)).unwrap());
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
            });
            thread::spawn(move || {
                let _ = std::io::copy(&mut server.try_clone().unwrap().take(most), &mut client.try_clone().unwrap());
                let _ = client.shutdown(std::net::Shutdown::Both);
                let _ = server.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    here
}

#[test]
fn a_network_that_is_cut_leaves_the_charge_and_no_answer() {
    let Some(_) = postgres() else { return };
    let place = place("cut");
    let through = |port: u16| {
        format!("host=127.0.0.1 port={port} user=owner dbname=postgres password='owner''s password' sslmode=disable")
            .replace("''", "\\'")
    };
    at(&place, &through(port()), &["data", "check", "policy.toml"]).done();
    // Cut before the query is sent: nothing is charged. Cut among the rows: the charge stays.
    for (most, charges) in [(10, 0), (500_000, 1)] {
        let run = at(&place, &through(cut(most)), &RELEASE).refused();
        assert!(words(&run).contains("cannot be reached") || words(&run).contains("was lost"), "{run:?}");
        assert_eq!(place.charges(), charges, "{most}");
    }
    at(&place, &through(port()), &RELEASE).done();
    assert_eq!(place.charges(), 1);
}

#[test]
fn pulled_rows_answer_from_then_on() {
    let Some(_) = postgres() else { return };
    let place = place("pulled");
    let pulled = at(&place, &owner(), &["data", "pull", "policy.toml", "--to", "extract"]).done();
    assert!(words(&pulled).contains(&format!("pulled {ROWS} rows of `visits`")), "{pulled:?}");
    let file = place.path("extract/visits.parquet");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // The table changes, but is not read.
    let _ = psql("DROP TABLE pulled.visits");
    let released = place.run(&["release", "policy.toml", "--data", "extract/visits.parquet"]).done();
    assert!(released.stdout.contains("sex"));
    let again = at(&place, &owner(), &["data", "pull", "policy.toml", "--to", "extract"]).refused();
    assert!(words(&again).contains("exists already"), "{again:?}");
    let csv = place.run(&["release", "policy.toml", "--data", "other.csv"]).refused();
    assert!(words(&csv).contains("other.csv is no Parquet"), "{csv:?}");
}

#[test]
fn pulled_columns_keep_their_faults() {
    let Some(_) = postgres() else { return };
    let place = place("badly");
    let _ = psql("UPDATE badly.visits SET cost = 'NaN' WHERE patient < 'p15'");
    let checked = at(&place, &owner(), &["data", "check", "policy.toml"]).refused();
    let pulled = at(&place, &owner(), &["data", "pull", "policy.toml", "--to", "extract"]).refused();
    for run in [&checked, &pulled] {
        assert!(words(run).contains("column `cost` of `visits` cannot be read as declared"), "{run:?}");
    }
    assert!(words(&checked).contains("badly.visits, ctid ("), "{checked:?}");
}

/// A socket whose peer does not read must not block the command.
#[test]
fn server_of_another_protocol_is_reported() {
    let Some(_) = postgres() else { return };
    let place = place("other");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let mut start = [0; 8];
            let _ = client.read(&mut start);
            let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let run = at(&place, &format!("host=127.0.0.1 port={port} user=owner sslmode=disable"), &RELEASE).refused();
    assert!(words(&run).contains("cannot be reached"), "{run:?}");
}

/// The page's commands, unchanged, for a user created as the page describes.
#[test]
fn the_page_works_as_it_is_written() {
    let Some(_) = postgres() else { return };
    let page = std::fs::read_to_string(workspace().join("docs/how-to/postgresql.md")).unwrap();
    let blocks = |kind: &str| -> Vec<String> {
        let begin = format!("```{kind}\n");
        page.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
    };
    let place = Place::clinic();
    let csv = place.read("visits.csv");
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let kinds = |name: &str| match name {
        "age" | "minutes" => "integer",
        "cost" => "numeric(9,2)",
        "smoker" => "boolean",
        _ => "text",
    };
    let columns: Vec<String> = names.iter().map(|name| format!("{name} {}", kinds(name))).collect();
    let _ = psql(&format!(
        "SET client_min_messages = warning; DROP SCHEMA IF EXISTS clinic CASCADE; DROP ROLE IF EXISTS deniable; CREATE SCHEMA clinic;
         CREATE TABLE clinic.visits ({}); COPY clinic.visits FROM STDIN (FORMAT csv, HEADER);\n{}\n\\.\n{}",
        columns.join(", "),
        csv.trim_end(),
        blocks("sql")[0]
    ));
    let of_page = |place: Place| {
        place.edit("policy.toml", "table = \"visits\" ", "\n# ");
        place.edit("policy.toml", "path = ", "# ");
        place.edit("policy.toml", "version = ", "# ");
        place.edit("policy.toml", "[data]\n", &blocks("toml")[0]);
        place
    };
    let commands: Vec<Vec<String>> =
        blocks("console").iter().map(|block| block.lines().map(str::to_owned).collect()).collect();
    let run = |place: &Place, line: &str, server: bool| {
        let args: Vec<&str> = line.strip_prefix("deniable ").unwrap().split(' ').collect();
        let port = if server { port() } else { 1 };
        let mut command = place.command(&args);
        command
            .env("CLINIC_PG", format!("postgresql://deniable@localhost:{port}/postgres"))
            .env("PGPASSWORD", "correct horse");
        Run::of(command.output().unwrap())
    };
    let [of_table, of_file] = &commands[..] else { panic!("two blocks: {commands:?}") };
    let [check, first, again] = &of_table[..] else { panic!("{of_table:?}") };
    let place = of_page(place);
    run(&place, check, true).done();
    let shown = run(&place, first, true).done().stdout;
    assert_eq!(run(&place, again, false).done().stdout, shown, "stored answers need no server");
    let [pull, release] = &of_file[..] else { panic!("{of_file:?}") };
    let place = of_page(Place::clinic());
    run(&place, pull, true).done();
    assert!(run(&place, release, false).done().stdout.contains("visits"), "a file needs no server");
}
