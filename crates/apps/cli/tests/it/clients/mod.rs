//! Clients of analysts: `scripts/clients cargo test -p deniable-cli --features serve --test it -- clients::`.

use crate::serve::{Server, account, long};
use crate::support::{Place, Run, workspace};
use deniable_testing::skipped;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The value of a variable; if it is not set, reports that the test is skipped.
fn client(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    assert!(found.is_some() || std::env::var_os("DENIABLE_CLIENTS_REQUIRED").is_none(), "{variable} is required here");
    if found.is_none() {
        skipped("a client is asked for", &format!("scripts/clients sets {variable} where it is there"));
    }
    found
}

/// A server with one analyst, who has half of the promise.
fn served() -> (Place, Server) {
    let place = Place::clinic();
    place.write("serve.toml", "answers_take = \"50ms\"\n");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/2"], "secret").done();
    let server = Server::of(&place);
    (place, server)
}

fn run(command: &mut Command, server: &Server) -> Run {
    let run = Run::of(command.args(["127.0.0.1", &server.port, "ana", &long("secret"), "clinic"]).output().unwrap());
    assert!(run.code == Some(0) && run.stdout.ends_with("done\n"), "{run:?}");
    run
}

fn program(name: &str) -> std::path::PathBuf {
    workspace().join("crates/apps/cli/tests/it/clients").join(name)
}

#[test]
fn python() {
    let Some(python) = client("DENIABLE_CLIENTS_PYTHON") else { return };
    let (_place, server) = served();
    let run = run(Command::new(python).arg(program("clients.py")), &server);
    assert_eq!(run.stdout.lines().count(), 14, "{run:?}");
}

#[test]
fn jdbc() {
    let Some(jar) = client("DENIABLE_CLIENTS_JDBC") else { return };
    let (_place, server) = served();
    run(Command::new("java").args(["-cp", &jar]).arg(program("Clients.java")), &server);
}

#[test]
fn r() {
    let Some(r) = client("DENIABLE_CLIENTS_R") else { return };
    let (_place, server) = served();
    let run = run(Command::new(r).arg("--vanilla").arg(program("clients.R")), &server);
    assert_eq!(run.stdout.lines().count(), 5, "{run:?}");
}

#[test]
fn odbc() {
    let Some(driver) = client("DENIABLE_CLIENTS_ODBC") else { return };
    let (_place, server) = served();
    let place = format!(
        "Driver={driver};Servername=127.0.0.1;Port={};Database=clinic;Uid=ana;Pwd={};SSLmode=disable",
        server.port,
        long("secret")
    );
    let asked = |lines: &str| {
        let mut command = Command::new("isql");
        command.args(["-k", &place, "-b", "-d,", "-v"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        Run::of(child.wait_with_output().unwrap())
    };
    let answer =
        asked("/* deniable.spend = 1/10 */ SELECT department, COUNT(*) AS n FROM visits GROUP BY department\n");
    assert!(answer.stdout.lines().any(|line| line.starts_with("neurology,")), "{answer:?}");
    let tables = asked("help\n");
    assert!(tables.stdout.contains("public,visits"), "{tables:?}");
}

/// Runs a program that finds the server by the environment variables of libpq; `lines` are its standard input.
fn told(mut command: Command, server: &Server, lines: &str) -> Run {
    command.env("PGHOST", "127.0.0.1").env("PGPORT", &server.port).env("PGDATABASE", "clinic").env("PGUSER", "ana");
    command.env("PGPASSWORD", long("secret")).env("PGCONNECT_TIMEOUT", "20");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

/// psql, if it is installed.
fn psql() -> Option<Command> {
    let found = Command::new("psql").arg("--version").stdout(Stdio::null()).status().is_ok_and(|run| run.success());
    assert!(found || std::env::var_os("DENIABLE_CLIENTS_REQUIRED").is_none(), "psql is required here");
    if !found {
        skipped("there is no psql", "install postgresql-client");
        return None;
    }
    let mut command = Command::new("psql");
    command.args(["-X", "-A", "-f", "-"]);
    Some(command)
}

/// psql's backslash commands, and its ways to read rows.
#[test]
fn commands_of_psql() {
    let Some(command) = psql() else { return };
    let (_place, server) = served();
    let ask = "SELECT department, COUNT(*) AS n FROM visits GROUP BY department";
    let asked = [
        "\\d",
        "\\dt",
        "\\d visits",
        "\\d+ visits",
        "\\dt+ *.*",
        "\\d deniable.budget",
        "\\l",
        "\\dn",
        "\\dn+",
        "\\df",
        "\\du",
        "\\dp",
        "\\dT",
        "\\db",
        "\\dx",
        "\\dv",
        "\\di",
        "\\ds",
        "\\dm",
        "\\conninfo",
        "SET deniable.spend = '1/10';",
        &format!("{ask} \\gdesc"),
        &format!("{ask};"),
        "RESET deniable.spend;",
        &format!("\\copy ({ask}) TO STDOUT CSV HEADER"),
        "\\set FETCH_COUNT 2",
        &format!("{ask};"),
        "\\unset FETCH_COUNT",
        &format!("{ask} \\gx"),
        &format!("{ask} \\gset last_"),
        &format!("PREPARE old AS {ask};"),
    ];
    let script: String = asked.iter().enumerate().map(|(at, line)| format!("\\echo #{at}\n{line}\n")).collect();
    let run = told(command, &server, &script);
    let part = |line: &str| -> &str {
        let at = asked.iter().position(|known| *known == line).unwrap();
        run.stdout.split(&format!("#{at}\n")).nth(1).unwrap().split("\n#").next().unwrap()
    };
    let errors: Vec<&str> = run.stderr.lines().filter(|line| line.contains("ERROR")).collect();
    // An unsupported statement gets an error that says so; no other statement fails.
    assert!(errors.len() == 1 && errors[0].contains("PREPARE is not supported"), "{run:?}");
    for line in ["\\d", "\\dt"] {
        assert!(part(line).contains("public|visits|table|ana\n(1 row)"), "{line}: {}", part(line));
    }
    assert!(part("\\d visits").contains("\nage|bigint|||"), "{}", part("\\d visits"));
    assert!(part("\\d+ visits").contains("|0 to 110\n"), "{}", part("\\d+ visits"));
    assert!(part("\\d deniable.budget").contains("\nqueries_at_1_40|bigint|"), "{}", part("\\d deniable.budget"));
    assert!(part("\\dt+ *.*").contains("simulated|visits|table|ana|"), "{}", part("\\dt+ *.*"));
    assert!(part("\\l").contains("\nclinic|ana|UTF8|"), "{}", part("\\l"));
    assert!(part("\\dn").contains("\ndeniable|ana\npublic|ana\nsimulated|ana\n(3 rows)"), "{}", part("\\dn"));
    assert!(part("\\df").contains("(0 rows)"), "{}", part("\\df"));
    assert!(part("\\du").contains("\nana|"), "{}", part("\\du"));
    assert!(part("\\conninfo").contains("connected to database \"clinic\" as user \"ana\""), "{}", part("\\conninfo"));
    let described = part(&format!("{ask} \\gdesc"));
    assert!(described.contains("department|text\nn|bigint\n(2 rows)"), "{described}");
    let copied = part(&format!("\\copy ({ask}) TO STDOUT CSV HEADER"));
    assert!(copied.starts_with("department,n\n") && copied.lines().count() == 6, "{copied}");
    // Row by row, and in batches, it is the same answer.
    let tables: Vec<&str> = run.stdout.split("department|n\n").skip(1).collect();
    let rows = |table: &str| table.split("(5 rows)").next().unwrap().to_owned();
    assert!(tables.len() == 2 && rows(tables[0]) == rows(tables[1]), "{run:?}");
    assert_eq!(copied.lines().skip(1).collect::<Vec<_>>().join("\n").replace(',', "|"), rows(tables[0]).trim());
    assert!(part(&format!("{ask} \\gx")).contains("department|neurology\nn|"), "{}", part(&format!("{ask} \\gx")));
}

/// Queries that tools send when they connect and when a user browses (`testdata/introspection`) cause no error on the
/// wire.
#[test]
fn introspection() {
    if psql().is_none() {
        return;
    }
    let (_place, server) = served();
    let mut asked = 0;
    for entry in std::fs::read_dir(workspace().join("testdata/introspection")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let run = told(psql().unwrap(), &server, &text).done();
        assert!(!run.stderr.contains("ERROR"), "{}: {run:?}", path.display());
        asked += run.stdout.matches(" row)").count() + run.stdout.matches(" rows)").count();
    }
    assert!(asked > 60, "{asked} questions had an answer");
}

/// The blocks of a page in this language.
fn blocks<'a>(text: &'a str, language: &'a str) -> impl Iterator<Item = &'a str> {
    let fence = format!("```{language}\n");
    let parts: Vec<&str> = text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    parts.into_iter()
}

/// Every command and program of the how-to, in order, except the installation and the port.
#[test]
fn the_how_to_works_as_it_stands() {
    let needed = ["DENIABLE_CLIENTS_PYTHON", "DENIABLE_CLIENTS_JDBC", "DENIABLE_CLIENTS_ODBC", "DENIABLE_CLIENTS_R"];
    let Some(found) = needed.iter().map(|variable| client(variable)).collect::<Option<Vec<String>>>() else { return };
    let (place, server) = served();
    let text = std::fs::read_to_string(workspace().join("docs/how-to/clients.md")).unwrap();
    let mut programs = 0;
    for language in ["python", "java", "r"] {
        for block in blocks(&text, language) {
            let first = block.lines().next().unwrap();
            let name = first.trim_start_matches(['#', '/', ' ']);
            place.write(name, block);
            programs += 1;
        }
    }
    assert_eq!(programs, 6);
    let installs = ["sudo ", "python3 -m venv ", "clients/bin/pip install "];
    let mut commands = "set -euo pipefail\n".to_owned();
    for line in blocks(&text, "sh").flat_map(str::lines) {
        if !installs.iter().any(|begin| line.starts_with(begin)) {
            commands += &line.replace("5433", &server.port);
            commands += "\n";
        }
    }
    let tools = Path::new(&found[0]).parent().and_then(Path::parent).unwrap();
    std::os::unix::fs::symlink(tools, place.path("clients")).unwrap();
    let mut command = Command::new("bash");
    // The input from which `read` reads the password.
    command.args(["-c", &commands]).current_dir(place.path(""));
    for variable in ["PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD"] {
        command.env_remove(variable);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{}\n", long("secret")).as_bytes()).unwrap();
    let run = Run::of(child.wait_with_output().unwrap()).done();
    // Each client got the same number for one department.
    let numbers: Vec<&str> = run.stdout.lines().filter_map(|line| line.strip_prefix("neurology ")).collect();
    assert!(numbers.len() == 9 && numbers.iter().all(|number| *number == numbers[0]), "{run:?}");
    let paid = told(psql().unwrap(), &server, "SELECT spent FROM deniable.budget;\n").done();
    assert!(paid.stdout.contains("spent\n0.025\n"), "{paid:?}");
}
