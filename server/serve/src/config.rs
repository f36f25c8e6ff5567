//! `serve.toml`: where the server listens, the time of answers, TLS, and limits.

use crate::log::LogFilter;
use crate::metrics::Metrics;
use deniable::Resources;
use deniable_core::text::{nearest, shown};
use deniable_ledger::Part;
use deniable_toml::{Node, Shape, parse};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The default address.
pub const LISTEN: &str = "127.0.0.1:5433";
/// The default maximum of groups of an answer.
const CELLS: usize = 100_000;
/// The default step of the grid.
const ANSWERS_TAKE: Duration = Duration::from_secs(1);

/// The configuration of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The step of the grid on which answers are shown; zero shows each answer as soon as it is computed.
    pub answers_take: Duration,
    /// The accounts file. With `None` (no `serve.toml`), every client on this machine is the curator.
    pub accounts: Option<PathBuf>,
    /// The analysts whose queries need approval before they are charged.
    pub needs_approval: NeedsApproval,
    /// The levels of log events, by target.
    pub log: LogFilter,
    /// Whether the log contains the SQL of charged queries, with the constants that analysts chose.
    pub log_sql: bool,
    /// The file for reports of data checks, which contain exact counts; with `None` they go to a terminal only.
    pub check_log: Option<PathBuf>,
    /// A file besides `<ledger>.head` that keeps the ledger's head, in a place that is not restored with the ledger.
    pub head: Option<PathBuf>,
    /// The TLS files.
    pub tls: Option<Tls>,
    /// The endpoint of the metrics.
    pub metrics: Option<Metrics>,
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections of one account.
    pub connections_per_account: usize,
    /// Maximum number of waiting queries of one account.
    pub queue_per_account: usize,
    /// Maximum number of groups of an answer, summed over all levels.
    pub cells: usize,
    /// Maximum time for which a connection may be idle.
    pub idle: Duration,
    /// Threads of a computation; `None` uses all.
    pub threads: Option<usize>,
    /// Bytes of memory of a computation.
    pub memory: Option<usize>,
}

/// The analysts whose queries need approval before they are charged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NeedsApproval {
    /// No analyst.
    #[default]
    Nobodys,
    /// All analysts.
    Everybodys,
    /// The analysts with these names.
    Of(BTreeSet<String>),
}

impl NeedsApproval {
    /// Whether queries paid by this part need approval. Queries of curators, paid by [`Part::Whole`], do not.
    #[must_use]
    pub fn of(&self, part: &Part) -> bool {
        match (self, part) {
            (Self::Nobodys, _) | (_, Part::Whole) => false,
            (Self::Everybodys, Part::Named(_)) => true,
            (Self::Of(names), Part::Named(name)) => names.contains(name),
        }
    }
}

/// The files of TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificate and its chain, as PEM.
    pub certificate: PathBuf,
    /// Its key, as PEM.
    pub key: PathBuf,
    /// Certificates of the authorities for client certificates. If set, every client needs a certificate.
    pub clients: Option<PathBuf>,
    /// Whether clients on this machine need TLS, too, as clients behind a proxy on it do.
    pub local: bool,
}

/// A configuration file with an error.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {error}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// A setting is invalid.
    #[error("{}, line {line}: {reason}", .path.display())]
    Place {
        /// The file's path.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// The cause.
        reason: String,
    },
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 5433)),
            answers_take: ANSWERS_TAKE,
            accounts: None,
            needs_approval: NeedsApproval::Nobodys,
            check_log: None,
            head: None,
            tls: None,
            metrics: None,
            connections: 100,
            connections_per_account: 20,
            queue_per_account: 16,
            cells: CELLS,
            log: LogFilter::default(),
            log_sql: false,
            idle: Duration::from_secs(3_600),
            threads: None,
            memory: None,
        }
    }
}

impl Config {
    /// The configuration for trying the server out: no accounts, and answers shown as soon as they are computed.
    #[must_use]
    pub fn trying() -> Self {
        Self { answers_take: Duration::ZERO, ..Self::default() }
    }

    /// The threads and memory of a computation.
    #[must_use]
    pub fn resources(&self) -> Resources {
        let default = Resources::default();
        Resources {
            threads: self.threads.unwrap_or(default.threads),
            memory: self.memory.or(default.memory),
            ..default
        }
    }

    /// Reads a file. Relative paths in it start at its folder.
    ///
    /// # Errors
    /// When it cannot be read, or a setting is invalid.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError::File { path: path.to_owned(), error })?;
        Self::of_text(path, &text)
    }

    /// Parses a text as the contents of the file at `path`.
    ///
    /// # Errors
    /// When a setting is invalid.
    pub fn of_text(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let reader = Reader { path, text };
        let root = parse(text).map_err(|error| reader.wrong(error.span.start, error.message))?;
        let mut config = Self { accounts: Some(reader.beside("accounts")), ..Self::default() };
        for (key, value) in reader.members(
            &root,
            &[
                "listen",
                "answers_take",
                "accounts",
                "needs_approval",
                "log",
                "log_sql",
                "check_log",
                "head",
                "tls",
                "metrics",
                "limits",
            ],
        )? {
            match key {
                "listen" => config.listen = reader.address(value)?,
                "answers_take" => config.answers_take = reader.duration(value)?,
                "accounts" => config.accounts = Some(reader.beside(&reader.text(value)?)),
                "needs_approval" => config.needs_approval = reader.needs_approval(value)?,
                "log" => config.log = reader.log_filter(value)?,
                "log_sql" => config.log_sql = reader.truth(value)?,
                "check_log" => config.check_log = Some(reader.beside(&reader.text(value)?)),
                "head" => config.head = Some(reader.beside(&reader.text(value)?)),
                "tls" => config.tls = Some(reader.tls(value)?),
                "metrics" => config.metrics = Some(reader.metrics(value)?),
                _ => reader.limits(value, &mut config)?,
            }
        }
        if !config.listen.ip().is_loopback() && config.tls.is_none() {
            let message = format!("other machines can connect to {}, which needs [tls]", config.listen);
            return Err(reader.wrong(0, message));
        }
        Ok(config)
    }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn wrong(&self, at: usize, reason: impl Into<String>) -> ConfigError {
        let line = self.text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        ConfigError::Place { path: self.path.to_owned(), line, reason: reason.into() }
    }

    fn unexpected(&self, node: &Node, wanted: &str) -> ConfigError {
        self.wrong(node.span.start, format!("expected {wanted}, found {}", node.shape.describe()))
    }

    fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or_else(|| Path::new("")).join(path)
    }

    fn members<'a>(
        &self,
        node: &'a Node,
        known: &[&'static str],
    ) -> Result<Vec<(&'static str, &'a Node)>, ConfigError> {
        let Shape::Table(members) = &node.shape else { return Err(self.unexpected(node, "a table")) };
        let mut found = Vec::new();
        for member in members {
            let Some(key) = known.iter().find(|known| **known == member.key) else {
                let near = nearest(&member.key, known)
                    .map_or_else(|| known.join(", "), |near| format!("did you mean {near}?"));
                let message = format!("unknown setting \"{}\": {near}", shown(&member.key));
                return Err(self.wrong(member.key_span.start, message));
            };
            found.push((*key, &member.value));
        }
        Ok(found)
    }

    fn text(&self, node: &Node) -> Result<String, ConfigError> {
        match &node.shape {
            Shape::Text(text) => Ok(text.clone()),
            _ => Err(self.unexpected(node, "a text")),
        }
    }

    fn truth(&self, node: &Node) -> Result<bool, ConfigError> {
        match node.shape {
            Shape::Boolean(truth) => Ok(truth),
            _ => Err(self.unexpected(node, "true or false")),
        }
    }

    fn number(&self, node: &Node) -> Result<usize, ConfigError> {
        let Shape::Number(digits) = &node.shape else { return Err(self.unexpected(node, "a whole number")) };
        let number = digits.replace('_', "").parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| self.wrong(node.span.start, "expected a whole number above 0"))
    }

    fn duration(&self, node: &Node) -> Result<Duration, ConfigError> {
        let text = self.text(node)?;
        let known = text.parse::<jiff::SignedDuration>().ok().and_then(|duration| Duration::try_from(duration).ok());
        known.ok_or_else(|| self.wrong(node.span.start, "expected a time such as \"2s\", \"500ms\" or \"1h\""))
    }

    /// Bytes of a size such as `"4GiB"` or `"500MB"`.
    fn bytes(&self, node: &Node) -> Result<usize, ConfigError> {
        let text = self.text(node)?;
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match text[digits.len()..].trim() {
            "B" | "" => Some(1),
            "kB" | "KB" => Some(1_000),
            "MB" => Some(1_000_000),
            "GB" => Some(1_000_000_000),
            "KiB" => Some(1 << 10),
            "MiB" => Some(1 << 20),
            "GiB" => Some(1_usize << 30),
            _ => None,
        };
        let bytes = digits.parse::<usize>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
        bytes.ok_or_else(|| self.wrong(node.span.start, "expected a size such as \"4GiB\" or \"500MB\""))
    }

    fn address(&self, node: &Node) -> Result<SocketAddr, ConfigError> {
        let address = self.text(node)?.parse();
        address.map_err(|_| self.wrong(node.span.start, "expected an address and a port, such as \"127.0.0.1:5433\""))
    }

    fn log_filter(&self, node: &Node) -> Result<LogFilter, ConfigError> {
        self.text(node)?.parse().map_err(|wrong: String| self.wrong(node.span.start, wrong))
    }

    fn needs_approval(&self, node: &Node) -> Result<NeedsApproval, ConfigError> {
        match &node.shape {
            Shape::Boolean(false) => Ok(NeedsApproval::Nobodys),
            Shape::Boolean(true) => Ok(NeedsApproval::Everybodys),
            Shape::List(names) => {
                names.iter().map(|name| self.text(name)).collect::<Result<_, _>>().map(NeedsApproval::Of)
            }
            _ => Err(self.unexpected(node, "true, false or a list of accounts")),
        }
    }

    fn metrics(&self, node: &Node) -> Result<Metrics, ConfigError> {
        let (mut listen, mut variable_of_secret) = (None, None);
        for (name, value) in self.members(node, &["listen", "secret"])? {
            if name == "listen" {
                let address = self.address(value)?;
                if !address.ip().is_loopback() {
                    return Err(self.wrong(
                        value.span.start,
                        "metrics must listen on an address of this machine, such as 127.0.0.1:9464",
                    ));
                }
                listen = Some(address);
            } else {
                let variable = self.text(value)?;
                let variable = variable.strip_prefix("env:").ok_or_else(|| {
                    self.wrong(value.span.start, "the secret must be in an environment variable: secret = \"env:NAME\"")
                })?;
                variable_of_secret = Some(variable.to_owned());
            }
        }
        match (listen, variable_of_secret) {
            (Some(listen), Some(variable)) => Ok(Metrics { listen, variable }),
            _ => Err(self.wrong(node.span.start, "[metrics] needs `listen` and `secret`")),
        }
    }

    fn tls(&self, node: &Node) -> Result<Tls, ConfigError> {
        let (mut certificate, mut key, mut clients, mut local) = (None, None, None, true);
        for (name, value) in self.members(node, &["certificate", "key", "clients", "local"])? {
            if name == "local" {
                local = self.truth(value)?;
                continue;
            }
            let path = Some(self.beside(&self.text(value)?));
            match name {
                "certificate" => certificate = path,
                "key" => key = path,
                _ => clients = path,
            }
        }
        if let (Some(_), false) = (&clients, local) {
            let message = "local = false cannot be combined with clients: a client certificate needs TLS";
            return Err(self.wrong(node.span.start, message));
        }
        match (certificate, key) {
            (Some(certificate), Some(key)) => Ok(Tls { certificate, key, clients, local }),
            _ => Err(self.wrong(node.span.start, "[tls] needs `certificate` and `key`")),
        }
    }

    fn limits(&self, node: &Node, config: &mut Config) -> Result<(), ConfigError> {
        let known =
            ["connections", "connections_per_account", "queue_per_account", "cells", "idle", "threads", "memory"];
        for (name, value) in self.members(node, &known)? {
            match name {
                "connections" => config.connections = self.number(value)?,
                "connections_per_account" => config.connections_per_account = self.number(value)?,
                "queue_per_account" => config.queue_per_account = self.number(value)?,
                "cells" => config.cells = self.number(value)?,
                "idle" => config.idle = self.duration(value)?,
                "threads" => config.threads = Some(self.number(value)?),
                _ => config.memory = Some(self.bytes(value)?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        Config::of_text(Path::new("at/serve.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_file() {
        let text = "listen = \"0.0.0.0:5432\"\nanswers_take = \"2s\"\naccounts = \"who\"\n[tls]\ncertificate = \"c\"\nkey = \"k\"\n\
                    [limits]\nconnections = 7\ncells = 50\nidle = \"5m\"\nmemory = \"2GiB\"\nthreads = 2\n";
        let config = read(text).unwrap();
        assert_eq!(
            (config.listen.port(), config.answers_take, config.idle),
            (5432, Duration::from_secs(2), Duration::from_secs(300))
        );
        assert_eq!(config.accounts, Some(PathBuf::from("at/who")));
        assert_eq!(config.tls.map(|tls| tls.key), Some(PathBuf::from("at/k")));
        assert_eq!((config.connections, config.cells, config.memory), (7, 50, Some(2 << 30)));
        for (text, ana, bo) in
            [("true", true, true), ("[\"ana\"]", true, false), ("false", false, false), ("[]", false, false)]
        {
            let needs = read(&format!("needs_approval = {text}")).unwrap().needs_approval;
            let of = |name: &str| needs.of(&Part::Named(name.into()));
            assert_eq!((of("ana"), of("bo"), needs.of(&Part::Whole)), (ana, bo, false), "{text}");
        }
        assert_eq!(read("log = \"warn,queries=info\"").unwrap().log, "queries=info,warn".parse().unwrap());
        let none = read("").unwrap();
        assert_eq!((none.listen.to_string(), none.answers_take), (LISTEN.to_owned(), ANSWERS_TAKE));
    }

    /// Clients behind a proxy on this machine are not mistaken for local clients.
    #[test]
    fn clients_on_this_machine_need_tls_unless_local_is_false() {
        let tls = "[tls]\ncertificate = \"c\"\nkey = \"k\"\n";
        for (more, local) in [("", true), ("local = true", true), ("local = false", false)] {
            let config = read(&format!("check_log = \"seen\"\nhead = \"/safe/head\"\n{tls}{more}")).unwrap();
            assert_eq!(config.tls.map(|tls| tls.local), Some(local), "{more}");
            assert_eq!(config.check_log, Some(PathBuf::from("at/seen")));
            assert_eq!(config.head, Some(PathBuf::from("/safe/head")));
        }
    }

    #[test]
    fn invalid_settings_are_reported() {
        for (text, wanted) in [
            ("\nlistens = \"x\"", "line 2: unknown setting \"listens\": did you mean listen?"),
            ("listen = 5433", "line 1: expected a text, found a number"),
            ("listen = \"0.0.0.0:5433\"", "line 1: other machines can connect to 0.0.0.0:5433, which needs [tls]"),
            ("answers_take = \"soon\"", "line 1: expected a time such as \"2s\", \"500ms\" or \"1h\""),
            ("[limits]\nmemory = \"much\"", "line 2: expected a size such as \"4GiB\" or \"500MB\""),
            ("[tls]\nkey = \"k\"", "line 1: [tls] needs `certificate` and `key`"),
            ("[tls]\ncertificate = \"c\"\nkey = \"k\"\nlocal = 1", "line 4: expected true or false"),
            (
                "[tls]\ncertificate = \"c\"\nkey = \"k\"\nclients = \"a\"\nlocal = false",
                "line 1: local = false cannot be combined with clients",
            ),
            ("check_log = true", "line 1: expected a text"),
            ("head = true", "line 1: expected a text"),
            ("\nlog = \"inof\"", "line 2: the log has no level \"inof\": did you mean info?"),
            ("log_sql = 1", "line 1: expected true or false, found a number"),
            ("needs_approval = \"ana\"", "line 1: expected true, false or a list of accounts"),
            ("[metrics]\nlisten = \"0.0.0.0:9\"", "line 2: metrics must listen on an address of this machine"),
            ("[metrics]\nsecret = \"in the open\"", "line 2: the secret must be in an environment variable"),
            ("[metrics]\nsecret = \"env:X\"", "line 1: [metrics] needs `listen` and `secret`"),
            ("a = ", "line 1: "),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("at/serve.toml, ") && error.contains(wanted), "{error}");
        }
    }
}
