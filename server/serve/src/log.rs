//! What the server tells its curator: one JSON object a line on standard error, without rows, and without SQL unless the
//! curator asks for it.

use deniable_core::text::printable;
use jiff::Timestamp;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where it is told, and what is counted.
#[derive(Debug, Default)]
pub struct Log {
    /// Connections that were let in.
    pub connections: AtomicU64,
    /// Wrong passwords, and names without an account.
    pub wrong_passwords: AtomicU64,
    /// Queries that were charged and answered.
    pub answered: AtomicU64,
    /// Steps of the grid that their answers took, together.
    pub steps: AtomicU64,
    /// Failures that analysts were told nothing about.
    pub failures: AtomicU64,
    quiet: bool,
    with_sql: bool,
}

impl Log {
    /// One that counts and says nothing.
    #[must_use]
    pub fn quiet() -> Self {
        Self { quiet: true, ..Self::default() }
    }

    /// The same, with the SQL of what is charged, where the curator wants it.
    #[must_use]
    pub fn with_sql(self, with_sql: bool) -> Self {
        Self { with_sql, ..self }
    }

    fn say(&self, event: &str, fields: &[(&str, &str)]) {
        if self.quiet {
            return;
        }
        let text = |text: &str| format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\""));
        let mut line = format!("{{\"at\":{},\"event\":{}", text(&Timestamp::now().to_string()), text(event));
        for (name, value) in fields {
            line.push_str(&format!(",{}:{}", text(name), text(value)));
        }
        line.push_str("}\n");
        // Nobody may read it any more.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }

    /// Somebody was let in.
    pub fn connected(&self, user: &str) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.say("connected", &[("user", user)]);
    }

    /// Somebody gave a wrong password, or is none whom it could be right for.
    pub fn wrong_password(&self, user: &str, address: SocketAddr) {
        self.wrong_passwords.fetch_add(1, Ordering::Relaxed);
        self.say("wrong password", &[("user", user), ("from", &address.ip().to_string())]);
    }

    /// The policy, accounts and certificates were read anew.
    pub fn reloaded(&self) {
        self.say("reloaded", &[]);
    }

    /// They were read anew, and nothing of them is taken.
    pub fn not_reloaded(&self, why: &str) {
        self.say("not reloaded: all stays as it was", &[("why", why)]);
    }

    /// Something was charged and done.
    pub fn done(&self, user: &str, identity: &str, steps: u32, failed: bool) {
        self.answered.fetch_add(1, Ordering::Relaxed);
        self.steps.fetch_add(u64::from(steps), Ordering::Relaxed);
        let steps = steps.to_string();
        self.say(
            if failed { "refused" } else { "answered" },
            &[("part", user), ("identity", identity), ("steps", &steps)],
        );
    }

    /// Something will be charged.
    pub fn asked(&self, part: &str, identity: &str, sql: &str) {
        let mut fields = vec![("part", part), ("identity", identity)];
        if self.with_sql {
            fields.push(("sql", sql));
        }
        self.say("asked", &fields);
    }

    /// Somebody asks to be allowed a query.
    pub fn requested(&self, part: &str, identity: &str) {
        self.say("requested", &[("part", part), ("identity", identity)]);
    }

    /// An approver decided about one.
    pub fn decided(&self, by: &str, allowed: bool) {
        self.say(if allowed { "approved" } else { "rejected" }, &[("user", by)]);
    }

    /// Something went wrong that analysts are told nothing of.
    pub fn failed(&self, user: &str, why: &str) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.say("failed", &[("user", user), ("why", why)]);
    }
}
