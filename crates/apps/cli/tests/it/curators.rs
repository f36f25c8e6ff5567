//! Actions of curators on a running server, and errors that must not go unnoticed: `cargo test -p deniable-cli
//! --features serve --test it -- curators::`.

use crate::serve::{Server, account, has_psql, long};
use crate::support::{Place, Run};
use std::io::Write;
use std::process::Command;

fn queries(at: usize) -> String {
    format!("/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM visits WHERE age > {at};\n")
}

fn place() -> Place {
    let place = Place::clinic();
    place.write("serve.toml", "answers_take = \"20ms\"\n");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "a").done();
    account(&place, &["add", "policy.toml", "bo", "--share", "1/4"], "b").done();
    place
}

/// A connection ends when its account is removed or its password changed.
#[test]
fn removed_accounts_lose_their_connections() {
    if !has_psql() {
        return;
    }
    let place = place();
    let server = Server::of(&place);
    let mut open: Vec<_> = [("ana", "a"), ("bo", "b")].map(|(user, password)| server.connected(user, password)).into();
    for client in &mut open {
        client.stdin.as_mut().unwrap().write_all(format!("{}\\echo first\n", queries(1)).as_bytes()).unwrap();
    }
    // Both queries were charged before anything changes.
    server.logged("\"answered\",\"part\":\"ana\"");
    server.logged("\"answered\",\"part\":\"bo\"");
    account(&place, &["remove", "policy.toml", "bo"], "").done();
    account(&place, &["set", "policy.toml", "ana", "--password"], "another").done();
    server.reloads("\"reloaded\"");
    for mut client in open {
        let rest = format!("{}SELECT spent FROM deniable.budget;\n", queries(2));
        client.stdin.take().unwrap().write_all(rest.as_bytes()).unwrap();
        let run = Run::of(client.wait_with_output().unwrap());
        assert!(run.stdout.contains("n\n") && run.stdout.contains("first"), "{run:?}");
        assert!(run.stderr.contains("FATAL") && run.stderr.contains("was removed or changed"), "{run:?}");
        assert!(!run.stdout.contains("spent"), "the connection ended: {run:?}");
    }
    assert!(server.psql("bo", "b", "SELECT 1;\n").stderr.contains("password authentication failed"));
    let told = server.logged("\"wrong password\"");
    assert!(told.contains("\"user\":\"bo\",\"from\":\"127.0.0.1\"") && told.contains(",\"at\":\"20"), "{told}");
    server.psql("ana", "another", "SELECT 1;\n").done();
    drop(server);
    let listed = account(&place, &["list", "policy.toml", "--format", "json"], "").done().json();
    let of = |at: usize| (listed[at]["name"].as_str(), listed[at]["role"].as_str(), listed[at]["left"].as_str());
    assert_eq!(
        (of(0), of(1)),
        ((Some("ana"), Some("analyst"), Some("9/40")), (Some("bo"), Some("removed"), Some("9/40")))
    );
}

/// A change that SIGHUP cannot apply is reported, and the server keeps its state.
#[test]
fn reload_applies_changes_or_keeps_the_state() {
    if !has_psql() {
        return;
    }
    let place = place();
    account(&place, &["add", "policy.toml", "eve", "--role", "approver"], "e").done();
    let server = Server::of(&place);
    server.psql("ana", "a", &queries(1)).done();
    let toml = place.read("serve.toml");
    place.write("serve.toml", format!("{toml}needs_approval = true\n"));
    server.reloads("\"reloaded\"");
    assert!(server.psql("ana", "a", &queries(2)).stderr.contains("this query needs approval"));
    place.write("serve.toml", format!("{toml}need_approval = true\n"));
    assert!(server.reloads("not reloaded").contains("did you mean needs_approval?"));
    place.write("serve.toml", toml.replace("20ms", "1s"));
    assert!(server.reloads("not reloaded").contains("a restart of the server"));
    assert!(server.psql("ana", "a", &queries(3)).stderr.contains("this query needs approval"), "all stays");
    place.write("serve.toml", &toml);
    // A promise that the ledger does not record is shown to no client.
    let policy = place.read("policy.toml");
    assert!(policy.contains("posterior_at_most = 0.75"));
    place.write("policy.toml", policy.replace("posterior_at_most = 0.75", "posterior_at_most = 0.9"));
    assert!(server.reloads("not reloaded").contains("another promise"));
    place.write("policy.toml", policy.replace("name = \"clinic\"", "name = \"hospital\""));
    assert!(server.reloads("not reloaded").contains("a restart of the server"));
    let told = server.psql("ana", "a", "SELECT text FROM deniable.promise WHERE about = 'promise';\n").done();
    assert!(told.stdout.contains("75%"), "{told:?}");
}

/// Runs openssl in a folder; returns whether it is installed.
fn openssl(place: &Place, args: &str) -> bool {
    let mut command = Command::new("openssl");
    command.args(args.split(' ')).current_dir(place.path("."));
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "openssl {args}: {}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(_) => false,
    }
}

/// Creates a certificate of this issuer, with its key.
fn certificate(place: &Place, name: &str, issuer: &str, subject: &str) {
    let new = "req -newkey rsa:2048 -nodes -addext subjectAltName=IP:127.0.0.1";
    openssl(place, &format!("{new} -keyout {name}.key -out {name}.csr -subj {subject}"));
    let signed = "x509 -req -days 2 -CAcreateserial -copy_extensions copy";
    openssl(place, &format!("{signed} -in {name}.csr -CA {issuer}.crt -CAkey {issuer}.key -out {name}.crt"));
    Command::new("chmod").args(["600", &place.path(&format!("{name}.key")).display().to_string()]).status().unwrap();
}

#[test]
fn tls_and_certificates_of_clients() {
    if !has_psql() {
        return;
    }
    let place = place();
    for issuer in ["ca", "other"] {
        let own = "req -x509 -newkey rsa:2048 -nodes -days 2";
        if !openssl(&place, &format!("{own} -keyout {issuer}.key -out {issuer}.crt -subj /CN={issuer}")) {
            return deniable_testing::skipped("there is no openssl", "install openssl");
        }
    }
    certificate(&place, "server", "ca", "/CN=localhost");
    certificate(&place, "ana", "ca", "/CN=ana");
    certificate(&place, "stranger", "other", "/CN=ana");
    let tls = "answers_take = \"20ms\"\n[tls]\ncertificate = \"server.crt\"\nkey = \"server.key\"\n";
    place.write("serve.toml", tls);
    let file = |name: &str| place.path(name).display().to_string();
    let psql = |server: &Server, more: &str| {
        let conninfo = format!("host=127.0.0.1 port={} user=ana dbname=clinic {more}", server.port);
        let mut command = Command::new("psql");
        command.args(["-X", "-A", "-c", "SELECT 'let in'", &conninfo]).env("PGPASSWORD", long("a"));
        Run::of(command.output().unwrap())
    };
    let server = Server::of(&place);
    let verified = |issuer: &str| format!("sslmode=verify-full sslrootcert={}", file(&format!("{issuer}.crt")));
    // The proof of the password is bound to the channel, so a man in the middle cannot forward it.
    assert!(psql(&server, &format!("{} channel_binding=require", verified("ca"))).stdout.contains("let in"));
    assert!(psql(&server, &verified("other")).stderr.contains("certificate verify failed"));
    // Behind a proxy every client appears to be local: without TLS none can connect, unless serve.toml allows it.
    assert!(psql(&server, "sslmode=disable").stderr.contains("all connections need TLS"));
    place.write("serve.toml", format!("{tls}local = false\n"));
    server.reloads("\"reloaded\"");
    assert!(psql(&server, "sslmode=disable").stdout.contains("let in"), "on this machine it is not needed");
    place.write("serve.toml", format!("{tls}local = true\n"));
    server.reloads("\"reloaded\"");
    assert!(psql(&server, "sslmode=disable").stderr.contains("all connections need TLS"));
    // A key that others may read is rejected, and the server keeps its current key.
    let key = file("server.key");
    Command::new("chmod").args(["644", &key]).status().unwrap();
    assert!(server.reloads("not reloaded").contains("users other than its owner may read it"));
    Command::new("chmod").args(["600", &key]).status().unwrap();
    assert!(psql(&server, &verified("ca")).stdout.contains("let in"));
    // From now on every client needs a certificate.
    place.write("serve.toml", format!("{tls}clients = \"ca.crt\"\n"));
    server.reloads("\"reloaded\"");
    let with = |name: &str| {
        let (certificate, key) = (file(&format!("{name}.crt")), file(&format!("{name}.key")));
        psql(&server, &format!("{} sslcert={certificate} sslkey={key}", verified("ca")))
    };
    assert!(with("ana").stdout.contains("let in"), "{:?}", with("ana"));
    assert!(!with("stranger").stdout.contains("let in"));
    assert!(!psql(&server, &verified("ca")).stdout.contains("let in"));
    let plain = psql(&server, "sslmode=disable");
    assert!(plain.stderr.contains("all connections need TLS"), "{plain:?}");
}

/// Errors that are found before the data are read.
#[test]
fn a_server_that_cannot_begin() {
    if !has_psql() {
        return;
    }
    let place = place();
    let run = place.run(&["serve", "policy.toml", "--log", "conections=off"]).misused();
    assert!(run.stderr.contains("the log has no target \"conections\": did you mean connections?"), "{run:?}");
    let begun = |toml: &str| {
        place.write("serve.toml", toml);
        place.run(&["serve", "policy.toml", "--listen", "127.0.0.1:0"]).refused().stderr
    };
    assert!(begun("accounts = \"acounts\"\n").contains("there is no file"));
    assert!(begun("log = \"inof\"\n").contains("line 1: the log has no level \"inof\": did you mean info?"));
    let metrics = "[metrics]\nlisten = \"127.0.0.1:9433\"\nsecret = \"env:DENIABLE_TEST_NO_SUCH_SECRET\"\n";
    assert!(begun(metrics).contains("DENIABLE_TEST_NO_SUCH_SECRET needs a secret of at least 16 characters"));
    // Only the server needs the setting.
    account(&place, &["list", "policy.toml"], "").done();
    let tls = "[tls]\ncertificate = \"server.crt\"\nkey = \"server.key\"\n";
    for file in ["server.crt", "server.key"] {
        place.write(file, "");
    }
    assert!(begun(tls).contains("it contains no PEM certificate"));
    assert!(!place.path("policy.ledger").exists());
}

/// Deeply nested statements are answered or refused, and the server continues: its threads have large stacks.
#[test]
fn deep_statements_do_not_stop_the_server() {
    if !has_psql() {
        return;
    }
    let place = place();
    let server = Server::of(&place);
    let chain = |of: &str, times: usize| of.repeat(times);
    let script = [
        format!("SELECT {}1;", chain("1 + ", 3_900)),
        format!("SELECT {}1;", chain("- ", 3_000)),
        format!("SELECT {}TRUE;", chain("NOT ", 45)),
        format!("SELECT 1{};", chain("::int", 1_900)),
        format!("SELECT COUNT(*) FROM visits WHERE TRUE{};", chain(" AND TRUE", 3_900)),
        format!("SELECT COUNT(*) FROM public.visits WHERE age > {}1;", chain("1 + ", 3_900)),
        format!("SELECT COUNT(*) AS n, low(n) FROM visits WHERE age > {}1;", chain("1 + ", 3_900)),
        format!("EXPLAIN SELECT COUNT(*) FROM visits WHERE age IN ({}1);", chain("1, ", 3_900)),
        format!("SELECT '{}';", chain("\u{e4}", 100_000)),
    ];
    let run = server.psql("ana", "a", &script.join("\n"));
    assert!(
        !run.stderr.contains("server closed the connection") && !run.stderr.contains("could not receive"),
        "{run:?}"
    );
    server.psql("bo", "b", "SELECT 1;\n").done();
}
