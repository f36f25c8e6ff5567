//! The server as analysts use it, by psql: `cargo test -p deniable-cli --features serve --test it -- serve::`.

use crate::support::{Place, Run};
use deniable_testing::sized_to_slow;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Whether psql is installed; fails if it is required and missing.
pub fn has_psql() -> bool {
    let found =
        Command::new("psql").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(found || std::env::var_os("DENIABLE_PSQL_REQUIRED").is_none(), "psql is required here");
    if !found {
        eprintln!("skipped: there is no psql (install postgresql-client)");
    }
    found
}

/// A server that is stopped when dropped.
pub struct Server {
    child: Child,
    pub port: String,
    database: String,
    /// The lines of its log.
    log: Arc<Mutex<Vec<String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Server {
    pub fn of(place: &Place) -> Self {
        let args = ["serve", "policy.toml", "--listen", "127.0.0.1:0"];
        let mut child = place.command(&args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (tell, told) = mpsc::channel();
        let log = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&log);
        // Reads continually, so that the server never blocks on its output.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some(rest) = line.strip_prefix("listening: psql -h 127.0.0.1 -p ") {
                    let (port, database) = rest.split_once(' ').unwrap_or((rest, ""));
                    let _ = tell.send((port.to_owned(), database.to_owned()));
                }
                kept.lock().unwrap().push(line);
            }
        });
        let (port, database) = told.recv_timeout(Duration::from_secs(60)).expect("the server listens");
        Self { child, port, database, log }
    }

    /// Waits for a line of the log that contains this text.
    pub fn logged(&self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let log = self.log.lock().unwrap();
            if let Some(line) = log.iter().find(|line| line.contains(text)) {
                return line.clone();
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{text} is not among {log:?}");
            drop(log);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the process as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Requests the server to stop, and returns whether it did within this time.
    pub fn ends_within(mut self, patience: Duration) -> bool {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let begun = Instant::now();
        while begun.elapsed() < patience {
            if self.child.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// The log so far.
    pub fn told(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    /// Makes the server reload its files, and waits for `wanted` in the log.
    pub fn reloads(&self, wanted: &str) -> String {
        self.log.lock().unwrap().clear();
        let sent = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.logged(wanted)
    }

    /// A psql that stays connected; its output is read when it ends.
    pub fn connected(&self, user: &str, password: &str) -> Child {
        let mut command = Command::new("psql");
        command.args(["-X", "-A", "-h", "127.0.0.1", "-p", &self.port, "-U", user, &self.database, "-f", "-"]);
        command.env("PGPASSWORD", long(password)).env("PGCONNECT_TIMEOUT", "20");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs psql without table borders and returns all its output.
    pub fn psql(&self, user: &str, password: &str, script: &str) -> Run {
        let mut child = self.connected(user, password);
        child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        Run::of(child.wait_with_output().unwrap())
    }
}

pub fn account(place: &Place, args: &[&str], password: &str) -> Run {
    let mut command = place.command(&[&["account"], args].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{}\n", long(password)).as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

/// Pads a password to the minimum length.
pub fn long(password: &str) -> String {
    if password.is_empty() { String::new() } else { format!("{password}-and-some-more") }
}

/// Guesses of passwords are slow, but short passwords are guessed quickly.
#[test]
fn short_passwords_are_refused() {
    let place = Place::clinic();
    place.write("serve.toml", "");
    let with = |password: &str| {
        let mut command = place.command(&["account", "add", "policy.toml", "ana", "--share", "1/4"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{password}\n").as_bytes()).unwrap();
        Run::of(child.wait_with_output().unwrap())
    };
    for short in ["", "hello", "elevenchars"] {
        assert!(with(short).refused().stderr.contains("a password has at least 12 characters"), "{short}");
    }
    with("twelve chars").done();
}

/// The server stops on request, also while clients query the catalogs.
#[test]
fn the_server_ends_while_catalogs_are_asked() {
    if !has_psql() {
        return;
    }
    let place = Place::clinic();
    let server = Server::of(&place);
    let asking = "SELECT count(*) FROM pg_attribute a, pg_attribute b WHERE a.attname ~ ('(\\w{1,60}\\W?){5}' || b.attname);\n\
                  SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d;\n";
    let mut clients: Vec<Child> = (0..6).map(|_| server.connected("me", "")).collect();
    for client in &mut clients {
        client.stdin.as_mut().unwrap().write_all(asking.repeat(5).as_bytes()).unwrap();
    }
    std::thread::sleep(Duration::from_secs(1));
    // Running queries are cancelled. For one that is not, the server waits five seconds.
    assert!(server.ends_within(Duration::from_secs(4)), "it does not end");
    for mut client in clients {
        let _ = client.kill();
        let _ = client.wait();
    }
}

/// A check of the data reports exact counts, which are for the curator alone, and not for the readers of a service's
/// log.
#[test]
fn exact_counts_are_not_in_the_log() {
    if !has_psql() {
        return;
    }
    // Rows and patients of the example.
    let counts = |text: &str| text.contains("4828") || text.contains("2000 entities");
    let place = Place::clinic();
    place.write("serve.toml", "");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "a").done();
    let server = Server::of(&place);
    let log = server.told();
    assert!(log.contains("the data of `visits` were checked") && log.contains("check_log"), "{log}");
    assert!(!counts(&log), "{log}");
    drop(server);
    // The file that the curator names contains the counts, readable by its owner alone.
    let place = Place::clinic();
    place.write("serve.toml", "check_log = \"checks.txt\"\n");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "a").done();
    let server = Server::of(&place);
    let log = server.told();
    assert!(log.contains("checks.txt") && !counts(&log), "{log}");
    assert!(counts(&place.read("checks.txt")), "{}", place.read("checks.txt"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.path("checks.txt")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    drop(server);
    // Counts of data that are not served are not in the log either.
    let place = Place::clinic();
    place.write("serve.toml", "");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "a").done();
    let broken: String = place
        .read("visits.csv")
        .lines()
        .enumerate()
        .map(
            |(at, line)| {
                if (1..=137).contains(&at) { format!("{}\n", line.replace(',', ",x")) } else { format!("{line}\n") }
            },
        )
        .collect();
    place.write("visits.csv", broken);
    let refused = place.run(&["serve", "policy.toml", "--listen", "127.0.0.1:0"]).refused();
    assert!(refused.stderr.contains("cannot be read as the policy declares"), "{refused:?}");
    assert!(!refused.stderr.contains("137") && !counts(&refused.stderr), "{refused:?}");
}

/// The two commands of the how-to: a server for trials, and a query by psql.
#[test]
fn trial_server_answers_psql() {
    if !has_psql() {
        return;
    }
    let place = Place::clinic();
    let server = Server::of(&place);
    let unpaid = server.psql("me", "", "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex;\n");
    assert!(unpaid.stderr.contains("it states no price"), "{unpaid:?}");
    assert!(unpaid.stderr.contains("SET deniable.spend = '1/40'"), "{unpaid:?}");
    let ask = "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex;\n";
    let paid = server
        .psql("me", "", &format!("\\d visits\nSET deniable.spend = '1/40';\n{ask}RESET deniable.spend;\n{ask}"))
        .done();
    assert!(paid.stdout.contains("patient|text|"), "{paid:?}");
    let tables: Vec<&str> =
        paid.stdout.split("sex|n\n").skip(1).map(|rest| rest.split("RESET").next().unwrap()).collect();
    assert_eq!(tables.len(), 2);
    assert_eq!(tables[0].trim(), tables[1].trim(), "what was paid for is free, and the same");
    let left = server.psql("me", "", "SELECT \"left\", queries_at_1_40 FROM deniable.budget;\n").done();
    assert!(left.stdout.contains("0.975|39"), "{left:?}");
    let rows =
        server.psql("me", "", "SELECT * FROM visits;\nDROP TABLE visits;\nSELECT AVG(age) FROM simulated.visits;\n");
    assert!(
        rows.stderr.contains("rows are never published") && rows.stderr.contains("DROP is not supported"),
        "{rows:?}"
    );
    assert!(rows.stderr.contains("about made-up rows") && rows.stdout.contains("AVG(age)"), "{rows:?}");
}

/// Each analyst has a part: queries of one are neither visible nor free to the other, and have the same answer for
/// both.
#[test]
fn analysts_have_parts_and_see_their_own() {
    if !has_psql() {
        return;
    }
    let place = Place::clinic();
    place.write("serve.toml", "answers_take = \"400ms\"\n");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "secret").done();
    account(&place, &["add", "policy.toml", "bo", "--share", "1/2"], "hush").done();
    account(&place, &["add", "policy.toml", "cy", "--share", "1/2"], "x").refused();
    account(&place, &["add", "policy.toml", "cy"], "x").misused();
    assert!(!place.read("accounts").contains("secret"));
    let server = Server::of(&place);
    for (user, password) in [("ana", "hush"), ("nobody", "secret")] {
        let refused = server.psql(user, password, "SELECT 1;\n");
        assert!(refused.stderr.contains("password authentication failed"), "{refused:?}");
    }
    let ask = "SET deniable.spend = '1/8';\nSELECT sex, COUNT(*) AS n FROM visits GROUP BY sex ORDER BY sex;\n";
    let begun = Instant::now();
    let ana = server.psql("ana", "secret", ask).done();
    assert!(begun.elapsed() >= Duration::from_millis(400), "charged answers come on the grid");
    // Releases paid by another analyst are not visible, and cost the same.
    let bo = server.psql("bo", "hush", "SELECT count(*) FROM deniable.releases;\n").done();
    assert!(bo.stdout.contains("count(*)\n0\n") || bo.stdout.contains("count\n0\n"), "{bo:?}");
    let bo = server.psql("bo", "hush", ask).done();
    assert_eq!(ana.stdout, bo.stdout, "one question has one answer");
    let budget = |user: &str, password: &str| {
        server.psql(user, password, "SELECT share, spent, \"left\" FROM deniable.budget;\n").done().stdout
    };
    assert!(budget("ana", "secret").contains("0.25|0.125|0.125"), "{}", budget("ana", "secret"));
    assert!(budget("bo", "hush").contains("0.5|0.125|0.375"), "{}", budget("bo", "hush"));
    let more = "SET deniable.spend = '1/8';\nSELECT COUNT(*) AS n FROM visits;\nSELECT COUNT(*) AS n FROM visits WHERE age > 9;\n";
    let over = server.psql("ana", "secret", more);
    assert!(over.stderr.contains("does not cover this query"), "{over:?}");
    assert!(!over.stderr.contains("\"bo\""), "{over:?}");
    let alone = server.psql("ana", "secret", "SELECT text FROM deniable.promise WHERE about = 'you alone';\n").done();
    assert!(alone.stdout.contains("3^(1/2)") && alone.stdout.contains("cannot be more than 64% sure"), "{alone:?}");
    let listed = account(&place, &["list", "policy.toml", "--format", "json"], "").done().json();
    assert_eq!((listed[0]["left"].as_str(), listed[1]["left"].as_str()), (Some("0"), Some("3/8")));
    drop(server);
    // The rest of a used part is not given to any other account.
    let gone = account(&place, &["remove", "policy.toml", "ana"], "").done();
    assert!(gone.stderr.contains("not given to any other account"), "{gone:?}");
    account(&place, &["add", "policy.toml", "dee", "--share", "1/2"], "x").refused();
}

/// Statements that an attacker would try: on data that differ in one person all output is the same except for noise.
#[test]
fn neighbours_look_alike_through_the_wire() {
    if !has_psql() {
        return;
    }
    let statements = [
        "SELECT COUNT(*) FROM visits WHERE patient = 'P-44622'",
        "SELECT sex, department, COUNT(*), SUM(cost) FROM visits GROUP BY sex, department",
        "SELECT department, COUNT(*) FROM visits WHERE patient = 'P-44622' GROUP BY department",
        "SELECT 1 / (COUNT(*) - COUNT(*)) FROM visits WHERE patient = 'P-44622'",
        "SELECT SUM(CAST(patient AS INTEGER)) FROM visits",
        "SELECT SUM(1 / (age - 30)) FROM visits WHERE patient = 'P-44622'",
        "SELECT COUNT(*) FROM visits WHERE 1 / (age - age) > 0",
        "SELECT MAX(age), MEDIAN(minutes) FROM visits WHERE patient = 'P-44622'",
        "SELECT patient, COUNT(*) FROM visits GROUP BY patient",
        "SELECT COUNT(*) FROM visits HAVING COUNT(*) > 100000",
        "SELECT (SELECT COUNT(*) FROM visits WHERE patient = 'P-44622') AS x",
        "SELECT * FROM visits WHERE patient = 'P-44622'",
        "EXPLAIN SELECT COUNT(*) FROM visits WHERE patient = 'P-44622'",
        "SELECT reltuples, relpages FROM pg_class WHERE relname = 'visits'",
        "SELECT * FROM pg_stats WHERE tablename = 'visits'",
        "SELECT * FROM pg_stat_user_tables",
        "SELECT * FROM pg_stat_activity",
        "SELECT number, sql, share, answered FROM deniable.releases",
        "SELECT * FROM deniable.budget",
    ];
    let script: String =
        std::iter::once("\\set VERBOSITY verbose\n\\d+ visits\nSET deniable.spend = '1/100';\n".to_owned())
            .chain(statements.iter().map(|sql| format!("{sql};\n")))
            .collect();
    let mut told = Vec::new();
    for leaves_out in [false, true] {
        let place = Place::clinic();
        if leaves_out {
            let rows = place.read("visits.csv");
            let first = rows.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
            let rest: Vec<&str> = rows.lines().filter(|line| line.split(',').next() != Some(first.as_str())).collect();
            assert!(rest.len() < rows.lines().count());
            place.write("visits.csv", rest.join("\n") + "\n");
        }
        let server = Server::of(&place);
        let run = server.psql("me", "", &script);
        // Numbers of answers are noise; their count and all other output are not.
        let masked = |text: &str| -> String {
            let mut shown = String::new();
            for c in text.chars() {
                let is_number = c.is_ascii_digit() || c == '.' || c == '-';
                if !is_number {
                    shown.push(c);
                } else if !shown.ends_with('#') {
                    shown.push('#');
                }
            }
            shown
        };
        told.push((masked(&run.stdout), masked(&run.stderr)));
    }
    assert!(told[0].0.lines().count() > 40 && told[0].1.contains("ERROR"), "{told:?}");
    let usable = |text: &str| -> String {
        // Whether a released number is usable is a function of the number.
        text.lines().filter(|line| !line.contains("not usable")).collect::<Vec<_>>().join("\n")
    };
    pretty(&usable(&told[0].0), &usable(&told[1].0));
    pretty(&usable(&told[0].1), &usable(&told[1].1));
}

/// Pseudo-random numbers, the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The numerator and the denominator of a share.
fn fraction(text: &str) -> (u64, u64) {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    (above.parse().unwrap(), below.parse().unwrap())
}

/// `kill -9` at 3 random moments under load, at 40 at full scale, and at 200 at `slow`: the ledger verifies, shown
/// answers are charged and free to query again, charged queries are answered unless they were killed during their draw,
/// and no account spends more than its part.
#[test]
fn killed_under_load() {
    if !has_psql() {
        return;
    }
    const ASKS: usize = 6;
    const CLIENTS: [(&str, &str); 4] = [("ana", "secret"), ("ana", "secret"), ("bo", "hush"), ("bo", "hush")];
    let place = Place::clinic();
    place.write("serve.toml", "answers_take = \"20ms\"\n");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "secret").done();
    account(&place, &["add", "policy.toml", "bo", "--share", "1/2"], "hush").done();
    let rounds = sized_to_slow(3_usize, 15, 200);
    // Some rounds share their queries, which both analysts send. One part pays for three quarters of all queries, the
    // other for all.
    let questions = rounds.div_ceil(8_usize) * ASKS;
    let price = 3 * u64::try_from(questions).unwrap();
    let sql = |question: usize| format!("SELECT COUNT(*) AS n FROM visits WHERE age > {question}");
    let paid = |question: usize| format!("/* deniable.spend = 1/{price} */ {};\n", sql(question));
    let mut draws = Draws(22);
    let mut known = BTreeMap::new();
    for round in 0..rounds {
        let first = round / 8 * ASKS;
        let mut server = Server::of(&place);
        let script: String = (0..ASKS).map(|at| format!("\\echo asked {at}\n{}", paid(first + at))).collect();
        let moment = Duration::from_millis(draws.below(800));
        let shown: Vec<Run> = std::thread::scope(|scope| {
            let clients: Vec<_> =
                CLIENTS.iter().map(|(user, password)| scope.spawn(|| server.psql(user, password, &script))).collect();
            std::thread::sleep(moment);
            let _ = Command::new("kill").args(["-9", &server.child.id().to_string()]).status();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        let _ = server.child.wait();
        place.run(&["ledger", "verify", "policy.toml"]).done();
        let server = Server::of(&place);
        for (run, (user, password)) in shown.iter().zip(CLIENTS) {
            for (at, part) in run.stdout.split("asked ").skip(1).enumerate() {
                let Some((_, number)) = part.split_once("\nn\n") else { continue };
                let number = number.lines().next().unwrap().to_owned();
                let again = server.psql(user, password, &format!("{};\n", sql(first + at))).done();
                assert!(again.stdout.contains(&format!("n\n{number}\n")), "{user} {at}: {number} and {again:?}");
                let before = known.insert((user, first + at), number.clone());
                assert!(before.is_none_or(|before| before == number), "{user} was answered differently before");
            }
        }
    }
    // The number of paid queries: shares are exact, so no query was charged twice or in part.
    let charged = |user: &str| {
        let listed = account(&place, &["list", "policy.toml", "--format", "json"], "").done().json();
        let own = listed.as_array().unwrap().iter().find(|one| one["name"] == user).unwrap().clone();
        let of = |name: &str| fraction(own[name].as_str().unwrap());
        let ((share, of_share), (left, of_left)) = (of("share"), of("left"));
        let (spent, of_spent) = (share * of_left - left * of_share, of_share * of_left);
        assert!(spent * price % of_spent == 0, "{user}: {own}");
        spent * price / of_spent
    };
    for user in ["ana", "bo"] {
        let seen = known.keys().filter(|(who, _)| *who == user).count() as u64;
        assert!(charged(user) >= seen, "{user} was shown {seen} answers, and {} are charged", charged(user));
    }
    // A query killed during its draw is paid for and never answered: the same query is charged anew.
    let dead = |user: &str| {
        let accounts = deniable_ledger::show(&place.path("clinic-patients.ledger")).unwrap().accounts;
        let part = deniable_ledger::Part::Named(user.to_owned());
        accounts[0].releases.iter().filter(|release| release.part == part && release.is_dead()).count()
    };
    // Every other charge from before the kill is answered at no cost when its query is sent again.
    let server = Server::of(&place);
    for (user, password) in [CLIENTS[0], CLIENTS[3]] {
        let script: String = (0..questions).map(paid).collect();
        let all = server.psql(user, password, &script);
        let answers = all.stdout.matches("\nn\n").count() + usize::from(all.stdout.starts_with("n\n"));
        let dead = dead(user);
        assert_eq!(charged(user), (answers + dead) as u64, "{user}: {all:?}");
        let over = all.stderr.matches("does not cover this query").count();
        assert_eq!(
            (answers, over),
            if user == "ana" {
                (questions * 3 / 4 - dead, questions - (questions * 3 / 4 - dead))
            } else {
                (questions, 0)
            }
        );
    }
}

/// A backup of the whole folder restores the head beside the ledger, but not the head elsewhere.
#[test]
fn a_server_with_a_head_elsewhere_does_not_start_on_a_restored_folder() {
    let (place, safe) = (Place::clinic(), Place::empty());
    let head = safe.path("clinic.head");
    place.write("serve.toml", format!("head = \"{}\"\n", head.display()));
    let files = ["clinic-patients.ledger", "clinic-patients.ledger.head", "clinic-patients.ledger.key"];
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "long enough as a password").done();
    let backup = files.map(|name| std::fs::read(place.path(name)).unwrap());
    drop(Server::of(&place));
    let kept = std::fs::read_to_string(&head).unwrap();
    assert_eq!(kept, place.read("clinic-patients.ledger.head"));
    for (name, bytes) in files.iter().zip(&backup) {
        std::fs::write(place.path(name), bytes).unwrap();
    }
    let serve = || place.run(&["serve", "policy.toml", "--listen", "127.0.0.1:0"]).refused();
    assert!(serve().says("is older than its head"), "{:?}", serve());
    assert_eq!(std::fs::read(place.path(files[0])).unwrap(), backup[0], "nothing is written");
    // A missing ledger is not created again.
    for name in files {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    assert!(serve().says("moved or lost"), "{:?}", serve());
    assert!(!place.path(files[0]).exists());
    let accept = ["ledger", "accept-head", "policy.toml", "--reason", "the disk died", "--head"];
    for (name, bytes) in files.iter().zip(&backup) {
        std::fs::write(place.path(name), bytes).unwrap();
    }
    place.run(&[&accept[..], &[head.to_str().unwrap()]].concat()).done();
    drop(Server::of(&place));
}

#[test]
fn a_ledger_of_other_people_is_not_begun_by_a_server() {
    let place = Place::clinic();
    place.release(&["--query", "patients"]).done();
    place.edit("policy.toml", "population = \"clinic-patients\"", "population = \"clinic-july\"");
    let refused = place.run(&["serve", "policy.toml", "--listen", "127.0.0.1:0"]).refused();
    assert!(refused.says("--other-people"), "{refused:?}");
    place.write("serve.toml", "");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "a").refused();
    assert!(!place.files().iter().any(|file| file.contains("july")), "{:?}", place.files());
}

#[track_caller]
fn pretty(one: &str, other: &str) {
    for (left, right) in one.lines().zip(other.lines()) {
        assert_eq!(left, right);
    }
    assert_eq!(one.lines().count(), other.lines().count());
}
