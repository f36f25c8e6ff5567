//! Limits of one catalog query: time, steps, bytes, regular expressions, and the functions and tables that it may use.
//!
//! A client writes the query, and SQLite evaluates it on a thread that cannot be stopped from outside. Each limit is
//! therefore checked where the work is done: by the progress handler between the steps of SQLite's virtual machine, and
//! by each function before it allocates its result. Functions of SQLite that allocate without being counted
//! (`randomblob`, `zeroblob`, `printf`, ...) are not allowed.

use regex::{Error as PatternError, Regex, RegexBuilder};
use rusqlite::Error;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum evaluation time of one query.
pub const MOST_TIME: Duration = Duration::from_secs(2);
/// Steps of SQLite's virtual machine between two calls of the progress handler, and maximum number of steps of one
/// query: about a second.
pub(crate) const STEPS: i32 = 100;
const MOST_STEPS: u64 = 50_000_000;
/// Maximum number of bytes that the functions of one query may return, together with the long values in its temporary
/// rows.
const MOST_BYTES: u64 = 256 << 20;
/// Maximum length of a short value: the limits of time and steps suffice for temporary rows of short values.
const SHORT: u64 = 1 << 10;
/// Minimum number of steps in which SQLite stores a temporary row.
const STEPS_OF_ROW: u64 = 4;
/// Maximum number of regular expressions that one query may compile, and of compiled ones kept at once.
const MOST_PATTERNS: usize = 100;
const KEPT_PATTERNS: usize = 16;
/// Maximum length in bytes of a regular expression, and of a text that one is matched against.
const LONGEST_PATTERN: usize = 4_000;
const LONGEST_MATCHED: usize = 10_000;
/// Maximum size in bytes of a compiled regular expression: a match takes at most about as many steps for each byte of
/// the text.
const COMPILED_PATTERN: usize = 1 << 17;

/// The functions of SQLite that a query may call, besides those of this crate.
const FUNCTIONS: [&str; 31] = [
    "abs",
    "avg",
    "coalesce",
    "count",
    "current_date",
    "current_time",
    "current_timestamp",
    "dense_rank",
    "first_value",
    "json_group_array",
    "json_object",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "lower",
    "max",
    "min",
    "nth_value",
    "ntile",
    "nullif",
    "rank",
    "round",
    "row_number",
    "sign",
    "substr",
    "substring",
    "sum",
    "total",
    "upper",
];

/// Cancels a query from another thread.
#[derive(Debug, Clone, Default)]
pub struct CallOff(Arc<AtomicBool>);

impl CallOff {
    /// Cancels the query that was given this handle, within a few steps.
    pub fn call_off(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_called_off(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The reason why a query has no answer. It depends on the query and on declarations, except for time limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogQueryError {
    /// It uses a function that is not supported.
    #[error("function {0} is not supported in queries about catalogs")]
    Function(String),
    /// It reads a table that is not one of PostgreSQL's.
    #[error("table {0} is not supported in queries about catalogs")]
    Table(String),
    /// It exceeds a limit.
    #[error("a query about catalogs may use at most {0}")]
    Limit(&'static str),
    /// It was cancelled.
    #[error("cancelled")]
    CalledOff,
}

/// The resources that a query has used so far.
#[derive(Debug)]
struct Usage {
    deadline: Instant,
    call_off: CallOff,
    steps: u64,
    bytes: u64,
    /// Length in bytes of the longest known value.
    longest: u64,
    compiled: usize,
    ended: Option<CatalogQueryError>,
}

/// Measures the query of a connection; shared by its hooks and functions.
#[derive(Debug)]
pub(crate) struct Meter {
    usage: Mutex<Usage>,
    patterns: Mutex<BTreeMap<(bool, String), Regex>>,
    /// The functions of this crate, and the modules of SQLite that provide tables.
    own: Mutex<BTreeSet<String>>,
    modules: Mutex<BTreeSet<String>>,
    /// Whether this crate itself is changing tables.
    is_trusted: AtomicBool,
}

fn whole<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    // The data are consistent between any two changes, so a poisoned lock can be used.
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Meter {
    pub(crate) fn new() -> Self {
        let (call_off, deadline) = (CallOff::default(), Instant::now() + MOST_TIME);
        let usage = Usage { deadline, call_off, steps: 0, bytes: 0, longest: 0, compiled: 0, ended: None };
        Self {
            usage: Mutex::new(usage),
            patterns: Mutex::default(),
            own: Mutex::default(),
            modules: Mutex::default(),
            is_trusted: AtomicBool::new(true),
        }
    }

    /// Registers the functions of this crate, which queries may call, and the modules of SQLite, which they may not.
    pub(crate) fn offer(&self, own: BTreeSet<String>, modules: BTreeSet<String>) {
        *whole(&self.own) = own;
        *whole(&self.modules) = modules;
    }

    /// Marks the following statements as work of this crate, without limits.
    pub(crate) fn trust(&self) {
        self.begin(CallOff::default(), 0);
        self.is_trusted.store(true, Ordering::Relaxed);
    }

    /// Begins a query; `longest` is the length in bytes of the longest known value.
    pub(crate) fn begin(&self, call_off: CallOff, longest: usize) {
        let (deadline, longest) = (Instant::now() + MOST_TIME, longest as u64);
        *whole(&self.usage) = Usage { deadline, call_off, steps: 0, bytes: 0, longest, compiled: 0, ended: None };
        whole(&self.patterns).clear();
        self.is_trusted.store(false, Ordering::Relaxed);
    }

    /// The limit that ended the query, if any.
    pub(crate) fn ended(&self) -> Option<CatalogQueryError> {
        whole(&self.usage).ended.clone()
    }

    /// Ends the query for this reason.
    pub(crate) fn end(&self, why: CatalogQueryError) -> Error {
        let told = why.to_string();
        whole(&self.usage).ended.get_or_insert(why);
        Error::UserFunctionError(told.into())
    }

    /// The progress handler. Returns whether the query ends here.
    pub(crate) fn step(&self) -> bool {
        let mut usage = whole(&self.usage);
        let steps = u64::from(STEPS.unsigned_abs());
        usage.steps += steps;
        if usage.longest > SHORT {
            usage.bytes = usage.bytes.saturating_add(steps / STEPS_OF_ROW * usage.longest);
        }
        usage.is_over()
    }

    /// Counts a value of this length, before or after it is built.
    pub(crate) fn made(&self, bytes: usize) -> Result<(), Error> {
        let mut usage = whole(&self.usage);
        usage.bytes = usage.bytes.saturating_add(bytes as u64);
        usage.longest = usage.longest.max(bytes as u64);
        match usage.is_over() {
            true => Err(Error::UserFunctionError("a limit is exceeded".into())),
            false => Ok(()),
        }
    }

    /// Whether a pattern occurs in a text. A malformed pattern occurs nowhere.
    pub(crate) fn occurs(&self, text: &str, pattern: &str, any_case: bool) -> Result<bool, Error> {
        if pattern.len() > LONGEST_PATTERN {
            return Err(self.end(CatalogQueryError::Limit("4,000 bytes of a regular expression")));
        }
        if text.len() > LONGEST_MATCHED {
            return Err(
                self.end(CatalogQueryError::Limit("10,000 bytes of a text that a regular expression is matched with"))
            );
        }
        self.made(0)?;
        let key = (any_case, pattern.to_owned());
        if let Some(known) = whole(&self.patterns).get(&key) {
            return Ok(known.is_match(text));
        }
        let compiled = {
            let mut usage = whole(&self.usage);
            usage.compiled += 1;
            usage.compiled
        };
        if compiled > MOST_PATTERNS {
            return Err(self.end(CatalogQueryError::Limit("100 different regular expressions")));
        }
        let mut builder = RegexBuilder::new(pattern);
        builder.case_insensitive(any_case).size_limit(COMPILED_PATTERN).dfa_size_limit(COMPILED_PATTERN);
        let pattern = match builder.build() {
            Ok(pattern) => pattern,
            Err(PatternError::CompiledTooBig(_)) => {
                return Err(self.end(CatalogQueryError::Limit("131,072 bytes of a compiled regular expression")));
            }
            Err(_) => return Ok(false),
        };
        let found = pattern.is_match(text);
        let mut patterns = whole(&self.patterns);
        if patterns.len() >= KEPT_PATTERNS {
            patterns.clear();
        }
        patterns.insert(key, pattern);
        Ok(found)
    }

    /// The authorizer: whether a query may do this. It may read PostgreSQL's tables, and change nothing.
    pub(crate) fn authorize(&self, context: &AuthContext<'_>) -> Authorization {
        if self.is_trusted.load(Ordering::Relaxed) {
            return Authorization::Allow;
        }
        let why = match context.action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Function { function_name: name } => {
                let name = name.to_ascii_lowercase();
                if FUNCTIONS.contains(&name.as_str()) || whole(&self.own).contains(&name) {
                    return Authorization::Allow;
                }
                CatalogQueryError::Function(name)
            }
            // SQLite's own tables are in `main`, made by modules, or named sqlite_*. An unqualified name may be defined
            // by the query.
            AuthAction::Read { table_name: name, .. } => {
                let lower = name.to_ascii_lowercase();
                let is_main = context.database_name.is_some_and(|schema| ["main", "temp"].contains(&schema));
                let is_sqlite = lower.starts_with("sqlite_") || lower.starts_with("pragma_");
                let is_own = is_main || is_sqlite || whole(&self.modules).contains(&lower);
                if lower == "json_each" || !is_own {
                    return Authorization::Allow;
                }
                CatalogQueryError::Table(name.to_owned())
            }
            _ => CatalogQueryError::Limit("a SELECT"),
        };
        let _ = self.end(why);
        Authorization::Deny
    }
}

impl Usage {
    /// Whether the query has exceeded a limit; if it has, the reason is stored.
    fn is_over(&mut self) -> bool {
        let why = if self.call_off.is_called_off() {
            CatalogQueryError::CalledOff
        } else if self.steps > MOST_STEPS {
            CatalogQueryError::Limit("50,000,000 steps")
        } else if self.bytes > MOST_BYTES {
            CatalogQueryError::Limit("256 MiB of temporary values")
        } else if Instant::now() > self.deadline {
            CatalogQueryError::Limit("2 seconds")
        } else {
            return self.ended.is_some();
        };
        self.ended.get_or_insert(why);
        true
    }
}
