//! The log of the server, for its curator: JSON lines on standard error, without rows, and without SQL unless `log_sql`
//! is set.
//!
//! Events go to a subscriber of their own, never to a global one: events of other crates, which may contain rows, SQL or
//! passwords, cannot reach the log.

use crate::metrics::Counts;
use deniable_core::text::{nearest, printable, shown};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::str::FromStr;
use tracing::{Dispatch, debug, dispatcher, error, info, level_filters::LevelFilter, warn};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

const CONNECTIONS: &str = "connections";
const QUERIES: &str = "queries";
/// Target of events about approvals.
const APPROVALS: &str = "approvals";
const SERVER: &str = "server";
const TARGETS: [&str; 4] = [CONNECTIONS, QUERIES, APPROVALS, SERVER];
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The least severe level of each target that the log contains. As a text, a level for all targets, levels of single targets, or
/// both: `info`, `warn,queries=info`. Targets without a level have `info`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter(BTreeMap<&'static str, LevelFilter>);

impl LogFilter {
    fn all(level: LevelFilter) -> Self {
        Self(TARGETS.map(|target| (target, level)).into())
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self::all(LevelFilter::INFO)
    }
}

impl FromStr for LogFilter {
    type Err = String;

    /// # Errors
    /// Names the unknown level or target.
    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = |what: &str, name: &str, known: &[&str]| {
            let near = nearest(name, known).map_or_else(|| known.join(", "), |near| format!("did you mean {near}?"));
            format!("the log has no {what} \"{}\": {near}", shown(name))
        };
        let level = |name: &str| match LEVELS.contains(&name) {
            true => name.parse().map_err(|_| unknown("level", name, &LEVELS)),
            false => Err(unknown("level", name, &LEVELS)),
        };
        let parts = || text.split(',').map(str::trim);
        let mut filter = Self::default();
        for name in parts().filter(|part| !part.contains('=')) {
            filter = Self::all(level(name)?);
        }
        for (name, of_target) in parts().filter_map(|part| part.split_once('=')) {
            let target = TARGETS.into_iter().find(|known| *known == name.trim());
            let target = target.ok_or_else(|| unknown("target", name.trim(), &TARGETS))?;
            filter.0.insert(target, level(of_target.trim())?);
        }
        Ok(filter)
    }
}

/// The log, and the counts of the same events, which no filter changes.
#[derive(Debug)]
pub struct Log {
    /// The counts.
    pub counts: Counts,
    subscriber: Dispatch,
    with_sql: bool,
}

impl Log {
    /// A log on standard error. `with_sql` adds the SQL of queries that are charged.
    #[must_use]
    pub fn to_stderr(filter: &LogFilter, with_sql: bool) -> Self {
        Self::to_writer(filter, with_sql, std::io::stderr)
    }

    /// A log that counts and writes nothing.
    #[must_use]
    pub fn quiet() -> Self {
        Self { counts: Counts::default(), subscriber: Dispatch::none(), with_sql: false }
    }

    fn to_writer(
        filter: &LogFilter,
        with_sql: bool,
        writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static,
    ) -> Self {
        let lines = tracing_subscriber::fmt::layer().json().flatten_event(true).without_time();
        let lines = lines.with_current_span(false).with_span_list(false).with_writer(writer);
        // Reporting a closed standard error on standard error would end the thread.
        let lines = lines.log_internal_errors(false);
        let targets = Targets::new().with_targets(filter.0.iter().map(|(target, level)| (*target, *level)));
        let subscriber = tracing_subscriber::registry().with(lines).with(targets);
        Self { counts: Counts::default(), subscriber: Dispatch::new(subscriber), with_sql }
    }

    /// Writes an event with its timestamp.
    fn write(&self, event: impl FnOnce(&str)) {
        let at = Timestamp::now().to_string();
        dispatcher::with_default(&self.subscriber, || event(&at));
    }

    /// A user connected.
    pub fn connected(&self, user: &str) {
        self.counts.connections.inc();
        let user = printable(user);
        self.write(|at| info!(target: CONNECTIONS, at, event = "connected", %user));
    }

    /// A connection ended.
    pub fn disconnected(&self, user: &str) {
        let user = printable(user);
        self.write(|at| debug!(target: CONNECTIONS, at, event = "disconnected", %user));
    }

    /// A client gave a wrong password, or a name without an account.
    pub fn wrong_password(&self, user: &str, address: SocketAddr) {
        self.counts.wrong_passwords.inc();
        let (user, from) = (printable(user), address.ip());
        self.write(|at| warn!(target: CONNECTIONS, at, event = "wrong password", %user, %from));
    }

    /// The policy, accounts and certificates were read anew.
    pub fn reloaded(&self) {
        self.write(|at| info!(target: SERVER, at, event = "reloaded"));
    }

    /// The policy, accounts and certificates could not be reloaded, so the old ones stay in use.
    pub fn not_reloaded(&self, why: &str) {
        let why = printable(why);
        self.write(|at| warn!(target: SERVER, at, event = "not reloaded: settings are unchanged", %why));
    }

    /// A query was charged, and answered or refused after that.
    pub fn done(&self, part: &str, identity: &str, steps: u32, failed: bool) {
        self.counts.charged.inc();
        self.counts.steps.inc_by(u64::from(steps));
        let (event, part, identity) =
            (if failed { "refused" } else { "answered" }, printable(part), printable(identity));
        self.write(|at| info!(target: QUERIES, at, event, %part, %identity, %steps));
    }

    /// A query will be charged.
    pub fn asked(&self, part: &str, identity: &str, sql: &str) {
        let (part, identity) = (printable(part), printable(identity));
        let sql = self.with_sql.then(|| tracing::field::display(printable(sql)));
        self.write(|at| info!(target: QUERIES, at, event = "asked", %part, %identity, sql));
    }

    /// An analyst requests approval of a query.
    pub fn requested(&self, part: &str, identity: &str) {
        let (part, identity) = (printable(part), printable(identity));
        self.write(|at| info!(target: APPROVALS, at, event = "requested", %part, %identity));
    }

    /// An approver decided about a query.
    pub fn decided(&self, by: &str, allowed: bool) {
        let (event, user) = (if allowed { "approved" } else { "rejected" }, printable(by));
        self.write(|at| info!(target: APPROVALS, at, event, %user));
    }

    /// A failure whose cause is hidden from analysts.
    pub fn failed(&self, user: &str, why: &str) {
        self.counts.failures.inc();
        let (user, why) = (printable(user), printable(why));
        self.write(|at| error!(target: SERVER, at, event = "failed", %user, %why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write};
    use std::process::Command;
    use std::sync::{Arc, Mutex};

    /// A writer that stores its output.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The lines of every event under a filter, their times replaced.
    fn lines(filter: &str, with_sql: bool) -> Vec<String> {
        let written = Lines::default();
        let writer = written.clone();
        let log = Log::to_writer(&filter.parse().unwrap(), with_sql, move || writer.clone());
        every_event(&log);
        assert_eq!((log.counts.connections.get(), log.counts.steps.get(), log.counts.failures.get()), (1, 3, 1));
        // An event of another crate, with a row, which must not appear.
        tracing::error!(target: "connections", row = "ann,52");
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let without_time = |line: &str| {
            let (before, rest) = line.split_once("\"at\":\"").unwrap();
            let (at, after) = rest.split_once('"').unwrap();
            assert!(at.parse::<Timestamp>().is_ok(), "{line}");
            format!("{before}\"at\":\"\"{after}")
        };
        text.lines().map(without_time).collect()
    }

    fn every_event(log: &Log) {
        log.connected("ana");
        log.disconnected("ana");
        log.wrong_password("a\n\"b\"\u{202e}", ([127, 0, 0, 1], 5).into());
        log.asked("ana", "q1", "SELECT COUNT(*) FROM t WHERE x = 'secret'");
        log.done("ana", "q1", 3, false);
        log.requested("ana", "q2");
        log.decided("eve", false);
        log.not_reloaded("accounts is gone");
        log.failed("ana", "disk full");
    }

    #[test]
    fn events_are_json_lines_with_their_fields() {
        let expected = [
            r#"{"level":"INFO","at":"","event":"connected","user":"ana","target":"connections"}"#,
            r#"{"level":"WARN","at":"","event":"wrong password","user":"a\\n\"b\"\\u{202e}","from":"127.0.0.1","target":"connections"}"#,
            r#"{"level":"INFO","at":"","event":"asked","part":"ana","identity":"q1","target":"queries"}"#,
            r#"{"level":"INFO","at":"","event":"answered","part":"ana","identity":"q1","steps":"3","target":"queries"}"#,
            r#"{"level":"INFO","at":"","event":"requested","part":"ana","identity":"q2","target":"approvals"}"#,
            r#"{"level":"INFO","at":"","event":"rejected","user":"eve","target":"approvals"}"#,
            r#"{"level":"WARN","at":"","event":"not reloaded: settings are unchanged","why":"accounts is gone","target":"server"}"#,
            r#"{"level":"ERROR","at":"","event":"failed","user":"ana","why":"disk full","target":"server"}"#,
        ];
        assert_eq!(lines("info", false), expected);
    }

    #[test]
    fn sql_is_logged_only_if_log_sql_is_set() {
        assert!(!lines("trace", false).join("").contains("secret"));
        assert!(lines("info", true).join("").contains(r#""sql":"SELECT COUNT(*) FROM t WHERE x = 'secret'""#));
    }

    #[test]
    fn filters_choose_levels_by_target() {
        for (filter, count) in [
            ("off", 0),
            ("error", 1),
            ("warn", 3),
            ("info", 8),
            ("debug", 9),
            ("off, queries=info", 2),
            ("queries = off", 6),
        ] {
            assert_eq!(lines(filter, false).len(), count, "{filter}");
        }
        for (filter, wanted) in [
            ("", "the log has no level \"\""),
            ("inof", "the log has no level \"inof\": did you mean info?"),
            ("5", "the log has no level \"5\""),
            ("connection=warn", "the log has no target \"connection\": did you mean connections?"),
            ("queries[{sql}]=info", "the log has no target"),
            ("queries=info=warn", "the log has no level \"info=warn\""),
        ] {
            assert!(filter.parse::<LogFilter>().unwrap_err().starts_with(wanted), "{filter}");
        }
    }

    #[test]
    fn a_closed_standard_error_does_not_stop_the_thread() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "log::tests::events_on_standard_error", "--ignored", "--nocapture"]).stderr(writer);
        let output = child.output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
    }

    #[test]
    #[ignore = "runs in a process that `a_closed_standard_error_does_not_stop_the_thread` starts"]
    fn events_on_standard_error() {
        every_event(&Log::to_stderr(&LogFilter::default(), false));
    }
}
