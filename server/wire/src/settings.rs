//! The settings of a connection: those of PostgreSQL that clients set and read, and those that begin with `deniable.`.

use crate::failure::{Code, Failure};
use std::collections::BTreeMap;
use std::time::Duration;

/// The prefix of settings that belong to the backend.
pub const OWN: &str = "deniable.";

/// PostgreSQL's settings and their initial values. Setting one changes the value shown, but not the format of dates and
/// texts.
const KNOWN: [(&str, &str); 40] = [
    ("allow_system_table_mods", "off"),
    ("application_name", ""),
    ("bytea_output", "hex"),
    ("check_function_bodies", "on"),
    ("client_encoding", "UTF8"),
    ("client_min_messages", "notice"),
    ("constraint_exclusion", "partition"),
    ("datestyle", "ISO, MDY"),
    ("default_transaction_deferrable", "off"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_read_only", "on"),
    ("enable_seqscan", "on"),
    ("extra_float_digits", "1"),
    ("geqo", "on"),
    ("idle_in_transaction_session_timeout", "0"),
    ("in_hot_standby", "off"),
    ("integer_datetimes", "on"),
    ("intervalstyle", "postgres"),
    ("is_superuser", "off"),
    ("jit", "off"),
    ("lc_collate", "C"),
    ("lc_ctype", "C.UTF-8"),
    ("lc_messages", "C"),
    ("lc_monetary", "C"),
    ("lock_timeout", "0"),
    ("max_identifier_length", "63"),
    ("max_index_keys", "32"),
    ("password_encryption", "scram-sha-256"),
    ("role", "none"),
    ("row_security", "on"),
    ("search_path", "public"),
    ("server_encoding", "UTF8"),
    ("session_authorization", ""),
    ("standard_conforming_strings", "on"),
    ("statement_timeout", "0"),
    ("synchronize_seqscans", "on"),
    ("timezone", "UTC"),
    ("transaction_isolation", "read committed"),
    ("transaction_read_only", "on"),
    ("work_mem", "4MB"),
];

/// Settings whose other values are refused, because the server could not honour them.
const FIXED: [(&str, &[&str]); 8] = [
    ("client_encoding", &["utf8", "utf-8", "unicode", "auto"]),
    ("standard_conforming_strings", &["on", "true", "yes", "1"]),
    ("server_encoding", &[]),
    ("integer_datetimes", &[]),
    ("server_version", &[]),
    ("server_version_num", &[]),
    ("is_superuser", &[]),
    ("max_identifier_length", &[]),
];

/// Settings reported to clients at startup, with PostgreSQL's spelling of their names.
const TOLD: [(&str, &str); 11] = [
    ("server_encoding", "server_encoding"),
    ("client_encoding", "client_encoding"),
    ("application_name", "application_name"),
    ("is_superuser", "is_superuser"),
    ("session_authorization", "session_authorization"),
    ("DateStyle", "datestyle"),
    ("IntervalStyle", "intervalstyle"),
    ("TimeZone", "timezone"),
    ("integer_datetimes", "integer_datetimes"),
    ("standard_conforming_strings", "standard_conforming_strings"),
    ("default_transaction_read_only", "default_transaction_read_only"),
];
/// Maximum length of a value in bytes.
const LONGEST: usize = 1_000;
const MAX_SETTINGS: usize = 200;

/// The settings of a connection.
#[derive(Debug, Clone)]
pub struct Settings {
    first: BTreeMap<String, String>,
    now: BTreeMap<String, String>,
    /// The settings at the start of the transaction, and the settings after its end.
    before: Option<BTreeMap<String, String>>,
    local: BTreeMap<String, String>,
}

impl Settings {
    /// The initial settings: the defaults, the backend's settings `own`, and then the values requested in the startup
    /// message.
    ///
    /// # Errors
    /// When the client requests an invalid value of a setting that decides which tables it queries or what it pays.
    pub fn new(
        version: &str,
        user: &str,
        own: &[(&str, &str)],
        asked: &BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let mut first: BTreeMap<String, String> =
            KNOWN.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok()).unwrap_or(16);
        first.insert("server_version".to_owned(), version.to_owned());
        first.insert("server_version_num".to_owned(), (major * 10_000).to_string());
        first.insert("session_authorization".to_owned(), user.to_owned());
        first.extend(own.iter().map(|(name, value)| (format!("{OWN}{name}"), (*value).to_owned())));
        let mut settings = Self { first: first.clone(), now: first, before: None, local: BTreeMap::new() };
        for (name, value) in asked {
            let name = name.to_ascii_lowercase();
            match settings.set(&name, Some(value), false) {
                Err(failure) if name == "search_path" || name.starts_with(OWN) => return Err(failure),
                // Other unknown settings are ignored, so that the client can connect.
                Ok(_) | Err(_) => {}
            }
        }
        settings.first = settings.now.clone();
        Ok(settings)
    }

    /// The settings reported to clients at startup.
    #[must_use]
    pub fn told(&self) -> Vec<(String, String)> {
        let told = TOLD.iter().chain(&[("server_version", "server_version")]);
        told.filter_map(|(shown, name)| Some(((*shown).to_owned(), self.now.get(*name)?.clone()))).collect()
    }

    /// The value of a setting.
    ///
    /// # Errors
    /// When the setting does not exist.
    pub fn show(&self, name: &str) -> Result<&str, Failure> {
        self.now.get(name).map(String::as_str).ok_or_else(|| unknown(name))
    }

    /// All settings, ordered by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.now.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The settings of the backend, by the rest of their names.
    #[must_use]
    pub fn own(&self) -> Vec<(String, String)> {
        let own = self.now.iter().filter_map(|(name, value)| Some((name.strip_prefix(OWN)?.to_owned(), value.clone())));
        own.collect()
    }

    /// Sets a setting, or resets it if `value` is `None`. Returns the name and value to report to the client, if any.
    ///
    /// # Errors
    /// When the setting does not exist, or the value is invalid.
    pub fn set(
        &mut self,
        name: &str,
        value: Option<&str>,
        is_local: bool,
    ) -> Result<Option<(String, String)>, Failure> {
        let fixed = FIXED.iter().find(|(known, _)| *known == name);
        if let (Some((_, allowed)), Some(value)) = (fixed, value)
            && !allowed.contains(&value.to_ascii_lowercase().as_str())
        {
            return Err(Failure::new(Code::Setting, format!("{name} is {} and cannot be changed", self.show(name)?)));
        }
        if !self.first.contains_key(name) && (!name.contains('.') || name.starts_with(OWN)) {
            return Err(unknown(name));
        }
        // A user who believes that unqualified names refer to other tables would pay for the wrong tables.
        if name == "search_path" && value.is_some_and(|value| !is_public(value)) {
            let message = "unqualified tables always belong to public, and search_path cannot change that";
            return Err(
                Failure::new(Code::Setting, message).hint("qualify the table with its schema: simulated.visits")
            );
        }
        if value.is_some_and(|value| value.len() > LONGEST) || self.now.len() > MAX_SETTINGS {
            return Err(Failure::new(
                Code::Setting,
                format!("the value of {name} is too long, or there are too many settings"),
            ));
        }
        let new = match (fixed, value) {
            (None, Some(value)) => Some(value.to_owned()),
            _ => self.first.get(name).cloned(),
        };
        let change = |settings: &mut BTreeMap<String, String>| match &new {
            Some(new) => settings.insert(name.to_owned(), new.clone()),
            None => settings.remove(name),
        };
        if is_local {
            self.local.entry(name.to_owned()).or_insert_with(|| self.now.get(name).cloned().unwrap_or_default());
        } else {
            self.local.remove(name);
        }
        change(&mut self.now);
        let told = TOLD.iter().find(|(_, known)| *known == name);
        Ok(told.and_then(|(shown, _)| Some(((*shown).to_owned(), self.now.get(name)?.clone()))))
    }

    /// Resets all settings to their initial values.
    pub fn reset(&mut self) {
        self.now = self.first.clone();
        self.local.clear();
    }

    /// Begins a transaction.
    pub fn begin(&mut self) {
        self.before = Some(self.now.clone());
    }

    /// Ends a transaction; changes made in it are kept only if it was committed.
    pub fn end(&mut self, committed: bool) {
        let before = self.before.take();
        match before {
            Some(before) if !committed => self.now = before,
            _ => {
                for (name, value) in &self.local {
                    self.now.insert(name.clone(), value.clone());
                }
            }
        }
        self.local.clear();
    }

    /// The time limit of a statement; `None` for no limit.
    #[must_use]
    pub fn statement_timeout(&self) -> Option<Duration> {
        let text = self.now.get("statement_timeout")?.trim();
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let number: u64 = digits.parse().ok()?;
        let milliseconds = match text[digits.len()..].trim() {
            "s" => number.saturating_mul(1_000),
            "min" => number.saturating_mul(60_000),
            "h" => number.saturating_mul(3_600_000),
            _ => number,
        };
        (milliseconds > 0).then_some(Duration::from_millis(milliseconds))
    }
}

/// Whether a list of schemas has the same effect as `public`. Catalogs and the user's own schema, which does not exist,
/// have none.
fn is_public(path: &str) -> bool {
    let schemas = path.split(',').map(|schema| schema.trim().trim_matches(['"', '\'']).to_ascii_lowercase());
    let known = ["", "public", "$user", "pg_catalog", "information_schema"];
    schemas.into_iter().all(|schema| known.contains(&schema.as_str()))
}

fn unknown(name: &str) -> Failure {
    Failure::new(Code::Setting, format!("unknown setting \"{name}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let asked = [("DateStyle", "ISO"), ("unknown_thing", "1"), ("deniable.spend", "1/40")];
        let asked = asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::new("16.0", "ana", &[("spend", "")], &asked).unwrap()
    }

    #[test]
    fn reset_restores_the_settings_of_the_startup_message() {
        let mut settings = settings();
        assert_eq!(settings.own(), [("spend".to_owned(), "1/40".to_owned())]);
        assert_eq!(settings.set("datestyle", Some("SQL"), false).unwrap(), Some(("DateStyle".into(), "SQL".into())));
        settings.reset();
        assert_eq!((settings.show("datestyle"), settings.show("server_version_num")), (Ok("ISO"), Ok("160000")));
        assert!(settings.show("unknown_thing").is_err() && settings.set("unknown_thing", Some("1"), false).is_err());
    }

    /// An invalid setting that decides about the price or the tables of a query is never ignored.
    #[test]
    fn invalid_startup_settings_that_decide_prices_are_refused() {
        let asked = |name: &str, value: &str| {
            Settings::new("16.0", "ana", &[("spend", "")], &BTreeMap::from([(name.to_owned(), value.to_owned())]))
        };
        assert_eq!(asked("user_thing", "1").unwrap().show("deniable.spend"), Ok(""));
        for (name, value) in
            [("deniable.sped", "1/40"), ("search_path", "simulated"), ("SEARCH_PATH", "public, simulated")]
        {
            assert_eq!(asked(name, value).unwrap_err().code, Code::Setting, "{name}");
        }
        let mut settings = settings();
        for same in ["", "public", "\"$user\", public", "pg_catalog, 'public'"] {
            settings.set("search_path", Some(same), false).unwrap();
        }
        assert!(settings.set("search_path", Some("deniable"), false).is_err());
        assert!(settings.set("deniable.sped", Some("1"), false).is_err());
    }

    #[test]
    fn fixed_settings_keep_their_values() {
        let mut settings = settings();
        assert!(settings.set("client_encoding", Some("LATIN1"), false).is_err());
        assert!(settings.set("client_encoding", Some("utf8"), false).is_ok());
        assert!(settings.set("server_version", Some("9"), false).is_err());
        assert_eq!(settings.show("client_encoding"), Ok("UTF8"));
    }

    #[test]
    fn settings_of_rolled_back_transactions_are_discarded() {
        let mut settings = settings();
        for (committed, is_local, after) in [(true, false, "1/8"), (false, false, "1/40"), (true, true, "1/40")] {
            let mut settings = settings.clone();
            settings.begin();
            settings.set("deniable.spend", Some("1/8"), is_local).unwrap();
            assert_eq!(settings.show("deniable.spend"), Ok("1/8"));
            settings.end(committed);
            assert_eq!(settings.show("deniable.spend"), Ok(after));
        }
        settings.set("statement_timeout", Some("2s"), false).unwrap();
        assert_eq!(settings.statement_timeout(), Some(Duration::from_secs(2)));
        settings.set("statement_timeout", None, false).unwrap();
        assert_eq!(settings.statement_timeout(), None);
    }
}
