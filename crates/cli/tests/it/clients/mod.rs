//! The clients that analysts have: `scripts/clients cargo test -p deniable-cli --features serve --test it -- clients::`.

use crate::serve::{Server, account};
use crate::support::{Place, Run, workspace};
use std::io::Write;
use std::process::{Command, Stdio};

/// What a variable names; where it is not set, the test says that it is skipped.
fn client(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    assert!(found.is_some() || std::env::var_os("DENIABLE_CLIENTS_REQUIRED").is_none(), "{variable} is required here");
    if found.is_none() {
        eprintln!("skipped: {variable} is not set (scripts/clients)");
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
    let run = Run::of(command.args(["127.0.0.1", &server.port, "ana", "secret", "clinic"]).output().unwrap());
    assert!(run.code == Some(0) && run.stdout.ends_with("done\n"), "{run:?}");
    run
}

fn program(name: &str) -> std::path::PathBuf {
    workspace().join("crates/cli/tests/it/clients").join(name)
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
fn odbc() {
    let Some(driver) = client("DENIABLE_CLIENTS_ODBC") else { return };
    let (_place, server) = served();
    let place = format!(
        "Driver={driver};Servername=127.0.0.1;Port={};Database=clinic;Uid=ana;Pwd=secret;SSLmode=disable",
        server.port
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
