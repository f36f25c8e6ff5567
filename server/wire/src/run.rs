//! Execution of statements: the state of a connection (settings, transaction, cursors, catalogs), for both protocols.

use crate::Limits;
use crate::backend::{Column, OwnSettings, PreparedQuery, Query, Reply, Rows, Session, Submission};
use crate::failure::{Code, Failure};
use crate::kind::{QueryKind, query_kind};
use crate::parameters::{self, with_stand_ins, with_values};
use crate::settings::{OWN, Settings};
use crate::statement::{Argument, CopyFormat, Kind, Statement, Transaction};
use deniable_catalog::limits::{CallOff, CatalogQueryError};
use deniable_catalog::{Catalog, Description, Type};
use pgwire::api::ConnectionHandle;
use pgwire::messages::response::TransactionStatus;
use sqlparser::ast::Statement as SqlStatement;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

/// Maximum number of classified queries that a connection caches, and their bytes.
const MOST_KNOWN: usize = 64;
const LONGEST_KNOWN: usize = 4_096;

/// The plan of a query about tables, if it exists.
pub type Plan = Option<Arc<dyn PreparedQuery>>;

/// The outcome of a statement.
pub enum Outcome {
    Done {
        tag: &'static str,
        /// Settings whose new values are reported to the client.
        told: Vec<(String, String)>,
    },
    /// It returned rows.
    Rows {
        /// The rows.
        reply: Reply,
        tag: &'static str,
    },
    /// It returned rows in the format of COPY.
    Copy {
        /// The rows.
        reply: Reply,
        format: CopyFormat,
    },
}

struct Cursor {
    reply: Reply,
    at: usize,
    holds: bool,
}

/// The state of a connection.
pub struct Run {
    session: Arc<dyn Session>,
    settings: Settings,
    handle: Arc<ConnectionHandle>,
    limits: Limits,
    description: Arc<Description>,
    /// Created on first use.
    catalog: Option<Catalog>,
    cursors: BTreeMap<String, Cursor>,
    status: TransactionStatus,
    /// Cached classifications of queries, since clients repeat queries. They depend on the text and the description
    /// alone.
    known: BTreeMap<String, QueryKind>,
}

impl Run {
    pub fn new(session: Arc<dyn Session>, settings: Settings, handle: Arc<ConnectionHandle>, limits: Limits) -> Self {
        let description = Arc::new(session.description());
        let (catalog, cursors, status) = (None, BTreeMap::new(), TransactionStatus::Idle);
        Self { session, settings, handle, limits, description, catalog, cursors, status, known: BTreeMap::new() }
    }

    /// Checks that the account has not changed since the connection began.
    pub fn check(&self) -> Result<(), Failure> {
        self.session.check()
    }

    /// Classifies a query as about catalogs or tables.
    fn query_kind(&mut self, sql: &str) -> Result<QueryKind, Failure> {
        if let Some(known) = self.known.get(sql) {
            return Ok(known.clone());
        }
        let found = query_kind(sql, &self.description)?;
        if matches!(found, QueryKind::Tables { .. }) && sql.len() <= LONGEST_KNOWN {
            // Clearing the cache is simpler than tracking the least recently used entries.
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            self.known.insert(sql.to_owned(), found.clone());
        }
        Ok(found)
    }

    pub fn status(&self) -> TransactionStatus {
        self.status
    }

    pub fn in_transaction(&self) -> bool {
        self.status != TransactionStatus::Idle
    }

    /// Whether the client requested warnings only.
    pub fn is_quiet(&self) -> bool {
        matches!(self.settings.show("client_min_messages"), Ok("warning" | "error" | "fatal" | "panic"))
    }

    /// Marks the transaction as failed.
    pub fn failed(&mut self) {
        self.status = self.status.to_error_state();
    }

    /// The types of a statement's parameters.
    pub fn types(&self, sql: &str, count: usize) -> Vec<Type> {
        parameters::types(sql, count, &self.description)
    }

    /// The columns of a statement that returns rows; `values` are those of its parameters, if known. For a query about
    /// tables, also the plan that the columns are taken from.
    pub async fn columns(
        &mut self,
        statement: &Statement,
        types: &[Type],
        values: Option<&[Option<String>]>,
        plan: Plan,
    ) -> Result<(Option<Vec<Column>>, Plan), Failure> {
        let one = |name: &str| Some(vec![Column { name: name.to_owned(), data_type: Type::TEXT }]);
        let columns = match &statement.kind {
            Kind::Query => match self.query_kind(&statement.sql)? {
                QueryKind::Catalog { statement, .. } => {
                    let values = values.map_or_else(|| vec![None; types.len()], <[_]>::to_vec);
                    Some(self.catalog(*statement, Vec::new(), values, true).await?.columns)
                }
                QueryKind::Tables { sql, simulated } => {
                    let sql = match values {
                        Some(values) => with_values(&sql, types, values)?,
                        None => with_stand_ins(&sql, types)?,
                    };
                    let plan = self.plan(self.query(sql, simulated, statement), plan);
                    let columns = self.in_time(plan.columns(), None).await;
                    let columns = columns.map_err(|failure| placed(failure, &plan.query().sql, &statement.sql))?;
                    return Ok((Some(columns), Some(plan)));
                }
            },
            Kind::Explain { .. } => one("QUERY PLAN"),
            Kind::Show(name) if name == "all" => Some(shown_all(&self.settings).columns),
            Kind::Show(name) => one(name),
            Kind::Fetch { name, is_move: false, .. } => Some(self.cursor(name)?.reply.columns.clone()),
            _ => None,
        };
        Ok((columns, None))
    }

    /// The plan of a query: the known one if it has the same SQL and settings.
    fn plan(&self, query: Query, known: Plan) -> Arc<dyn PreparedQuery> {
        known.filter(|known| *known.query() == query).unwrap_or_else(|| self.session.query(query))
    }

    fn query(&self, sql: String, simulated: bool, statement: &Statement) -> Query {
        Query { sql, simulated, settings: self.own_settings(statement) }
    }

    /// The backend settings for a statement: those of the connection, and then those from comments of the statement.
    fn own_settings(&self, statement: &Statement) -> OwnSettings {
        let mut settings = self.settings.own();
        settings.extend(statement.settings.iter().cloned());
        OwnSettings(settings)
    }

    /// Executes a statement; `plan` is the plan made by Describe, if any.
    pub async fn done(
        &mut self,
        statement: &Statement,
        types: &[Type],
        values: &[Option<String>],
        plan: Plan,
    ) -> Result<Outcome, Failure> {
        let ends = matches!(
            statement.kind,
            Kind::Transaction(Transaction::Commit | Transaction::Rollback | Transaction::Part { recovers: true, .. })
        );
        if self.status == TransactionStatus::Error && !ends {
            let message = "the transaction has failed, and statements are ignored until its end";
            return Err(Failure::new(Code::FailedTransaction, message).hint("end it with ROLLBACK"));
        }
        let tag = |tag: &'static str| Ok(Outcome::Done { tag, told: Vec::new() });
        match &statement.kind {
            Kind::Query => {
                let reply = self.answer(&statement.sql, statement, types, values, plan).await?;
                Ok(Outcome::Rows { reply, tag: "SELECT" })
            }
            Kind::Copy { sql, format } => {
                let reply = self.answer(sql, statement, types, values, plan).await?;
                Ok(Outcome::Copy { reply, format: format.clone() })
            }
            Kind::Explain { sql } => {
                let reply = match self.query_kind(sql)? {
                    QueryKind::Catalog { .. } => {
                        let line = "Catalogs: free, because they contain only declarations".to_owned();
                        let columns = vec![Column { name: "QUERY PLAN".to_owned(), data_type: Type::TEXT }];
                        Reply { columns, rows: Arc::new(vec![vec![Some(line)]]), notices: Vec::new() }
                    }
                    QueryKind::Tables { sql, simulated } => {
                        let query = self.query(with_values(&sql, types, values)?, simulated, statement);
                        let plan = self.plan(query, plan);
                        self.in_time(plan.explain(), None).await?
                    }
                };
                Ok(Outcome::Rows { reply, tag: "EXPLAIN" })
            }
            Kind::Declare { name, hold, sql } => {
                if !*hold && !self.in_transaction() {
                    let hint = "BEGIN a transaction, or declare the cursor WITH HOLD";
                    return Err(Failure::new(Code::NoTransaction, "a cursor needs a transaction").hint(hint));
                }
                if self.cursors.contains_key(name) {
                    return Err(Failure::new(Code::Duplicate, format!("cursor \"{name}\" already exists")));
                }
                if self.cursors.len() >= self.limits.portals {
                    return Err(Failure::new(Code::TooMany, "too many cursors are open").hint("close some"));
                }
                let reply = self.answer(sql, statement, types, values, plan).await?;
                self.cursors.insert(name.clone(), Cursor { reply, at: 0, holds: *hold });
                tag("DECLARE CURSOR")
            }
            Kind::Fetch { name, count, is_move } => {
                let reply = self.fetched(name, *count)?;
                Ok(if *is_move {
                    Outcome::Done { tag: "MOVE", told: Vec::new() }
                } else {
                    Outcome::Rows { reply, tag: "FETCH" }
                })
            }
            Kind::Close(name) => {
                match name {
                    Some(name) => {
                        self.cursor(name)?;
                        self.cursors.remove(name);
                    }
                    None => self.cursors.clear(),
                }
                tag("CLOSE CURSOR")
            }
            Kind::Set { is_local: true, .. } if !self.in_transaction() => {
                // As in PostgreSQL: the value would be discarded after the statement.
                Err(Failure::new(Code::NoTransaction, "SET LOCAL needs an open transaction")
                    .hint("BEGIN a transaction, or omit LOCAL"))
            }
            Kind::Set { name, value, is_local } => {
                let value = match (name.starts_with(OWN), value) {
                    (true, Some(value)) => Some(self.session.setting(&name[OWN.len()..], value)?),
                    (_, value) => value.clone(),
                };
                let told = self.settings.set(name, value.as_deref(), *is_local)?;
                Ok(Outcome::Done {
                    tag: if value.is_some() { "SET" } else { "RESET" },
                    told: told.into_iter().collect(),
                })
            }
            Kind::ResetAll => {
                self.settings.reset();
                Ok(Outcome::Done { tag: "RESET", told: self.settings.told() })
            }
            Kind::Show(name) => {
                let reply = if name == "all" {
                    shown_all(&self.settings)
                } else {
                    let value = self.settings.show(name)?.to_owned();
                    let columns = vec![Column { name: name.clone(), data_type: Type::TEXT }];
                    Reply { columns, rows: Arc::new(vec![vec![Some(value)]]), notices: Vec::new() }
                };
                Ok(Outcome::Rows { reply, tag: "SHOW" })
            }
            Kind::Transaction(step) => Ok(self.transaction(*step)),
            Kind::DiscardAll => {
                self.cursors.clear();
                self.settings.reset();
                Ok(Outcome::Done { tag: "DISCARD ALL", told: self.settings.told() })
            }
            Kind::Deallocate(_) => tag("DEALLOCATE"),
            Kind::Call { name, arguments } => {
                let (session, settings) = (Arc::clone(&self.session), self.own_settings(statement));
                let stated = |argument: &Argument| match argument {
                    Argument::Constant(text) => Some(text.clone()),
                    Argument::Parameter(number) => values.get(number.checked_sub(1)?).cloned().flatten(),
                };
                let stated: Option<Vec<String>> = arguments.iter().map(stated).collect();
                let none = || Failure::new(Code::Value, format!("no argument of {name} may be NULL"));
                session.call(name, &stated.ok_or_else(none)?, &settings).await?;
                tag("CALL")
            }
            Kind::Nothing(name) => tag(name),
            Kind::Other(word) => Err(unsupported(word)),
        }
    }

    fn transaction(&mut self, step: Transaction) -> Outcome {
        let told = |settings: &Settings| settings.told();
        match step {
            Transaction::Begin { tag } => {
                if self.status == TransactionStatus::Idle {
                    self.settings.begin();
                }
                self.status = TransactionStatus::Transaction;
                Outcome::Done { tag, told: Vec::new() }
            }
            Transaction::Commit | Transaction::Rollback => {
                let committed = step == Transaction::Commit && self.status != TransactionStatus::Error;
                if self.in_transaction() {
                    self.settings.end(committed);
                    self.cursors.retain(|_, cursor| cursor.holds && committed);
                }
                self.status = TransactionStatus::Idle;
                Outcome::Done { tag: if committed { "COMMIT" } else { "ROLLBACK" }, told: told(&self.settings) }
            }
            Transaction::Part { tag, recovers } => {
                if recovers && self.in_transaction() {
                    self.status = TransactionStatus::Transaction;
                }
                Outcome::Done { tag, told: Vec::new() }
            }
        }
    }

    /// The columns of a cursor, for Describe of the portal with its name.
    pub fn cursor_columns(&self, name: &str) -> Option<Vec<Column>> {
        self.cursors.get(name).map(|cursor| cursor.reply.columns.clone())
    }

    /// The next rows of a cursor. The end is reached when a later call returns no rows.
    pub fn fetched(&mut self, name: &str, count: Option<usize>) -> Result<Reply, Failure> {
        let cursor = self.cursor(name)?;
        let rest = cursor.reply.rows.len() - cursor.at;
        let taken = count.map_or(rest, |count| count.min(rest));
        let rows = cursor.reply.rows[cursor.at..cursor.at + taken].to_vec();
        let notices = std::mem::take(&mut cursor.reply.notices);
        cursor.at += taken;
        Ok(Reply { columns: cursor.reply.columns.clone(), rows: Arc::new(rows), notices })
    }

    fn cursor(&mut self, name: &str) -> Result<&mut Cursor, Failure> {
        let none = || Failure::new(Code::NoStatement, format!("there is no cursor \"{name}\""));
        self.cursors.get_mut(name).ok_or_else(none)
    }

    async fn answer(
        &mut self,
        sql: &str,
        statement: &Statement,
        types: &[Type],
        values: &[Option<String>],
        plan: Plan,
    ) -> Result<Reply, Failure> {
        let sent = sql;
        match self.query_kind(sql)? {
            QueryKind::Catalog { statement: parsed, reads, is_about_catalogs } => {
                let settings = self.own_settings(statement);
                let mut fresh = Vec::new();
                for (schema, table) in reads {
                    let session = Arc::clone(&self.session);
                    let rows = self.in_time(session.rows(&schema, &table, &settings), None).await?;
                    fresh.push((schema, table, rows));
                }
                self.catalog(*parsed, fresh, values.to_vec(), is_about_catalogs).await
            }
            QueryKind::Tables { sql, simulated } => {
                let query = self.query(with_values(&sql, types, values)?, simulated, statement);
                let plan = self.plan(query, plan);
                let submitted = Submission::default();
                let answer = self.in_time(plan.answer(&submitted), Some(&submitted)).await;
                answer.map_err(|failure| placed(failure, &plan.query().sql, sent))
            }
        }
    }

    /// Waits until `work` is done, the client cancels it, or the statement times out. A submitted query continues.
    async fn in_time<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
        submitted: Option<&Submission>,
    ) -> Result<T, Failure> {
        let (handle, timeout) = (Arc::clone(&self.handle), self.settings.statement_timeout());
        let cancelled = handle.start_query().await;
        let patience = async {
            match timeout {
                Some(timeout) => tokio::time::sleep(timeout).await,
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            done = work => return done,
            called = cancelled => if called.is_ok() { "cancelled by the client" } else { "cancelled" },
            () = patience => "statement_timeout exceeded",
        };
        let failure = Failure::new(Code::Cancelled, why);
        Err(match submitted.is_some_and(Submission::is_set) {
            true => failure.hint("the query was submitted, and its charge is kept: repeat it to get its answer free"),
            false => failure.hint("nothing was charged"),
        })
    }

    /// Evaluates a query about catalogs, with these rows in tables outside of `public`. It runs on a blocking thread,
    /// in a place of the account, and stops when its future is dropped.
    async fn catalog(
        &mut self,
        statement: SqlStatement,
        fresh: Vec<(String, String, Rows)>,
        values: Vec<Option<String>>,
        is_about_catalogs: bool,
    ) -> Result<Reply, Failure> {
        let (known, description) = (self.catalog.take(), Arc::clone(&self.description));
        let (session, waited) = (Arc::clone(&self.session), CallOffOnDrop(CallOff::default()));
        let call_off = waited.0.clone();
        let failed = || Failure::new(Code::Internal, "the catalogs could not be queried");
        let work = async move {
            let _waited = waited;
            let place = session.place().await?;
            let asked = move || {
                let _place = place;
                let catalog = match known {
                    Some(catalog) => catalog,
                    None => Catalog::new(&description)?,
                };
                for (schema, table, rows) in &fresh {
                    catalog.put(schema, table, rows)?;
                }
                let answer = catalog.answer(&statement, &values, &call_off);
                Ok::<_, deniable_catalog::CatalogError>((catalog, answer))
            };
            tokio::task::spawn_blocking(asked).await.map_err(|_| failed())?.map_err(|_| failed())
        };
        let (catalog, answer) = self.in_time(work, None).await?;
        self.catalog = Some(catalog);
        let answer = answer.map_err(|ended| over(&ended))?;
        if answer.is_unknown && !is_about_catalogs {
            let failure = Failure::new(Code::Syntax, "this query contains an unknown column or function");
            return Err(
                failure.hint("\\d lists the tables and their columns; procedures are called: CALL deniable.approve(1)")
            );
        }
        let columns = answer.columns.into_iter().map(|(name, data_type)| Column { name, data_type }).collect();
        Ok(Reply { columns, rows: Arc::new(answer.rows), notices: Vec::new() })
    }
}

/// Cancels a query when its future is dropped.
struct CallOffOnDrop(CallOff);

impl Drop for CallOffOnDrop {
    fn drop(&mut self) {
        self.0.call_off();
    }
}

/// The error of a query about catalogs that was stopped by a limit.
fn over(ended: &CatalogQueryError) -> Failure {
    let failure = |code: Code| Failure::new(code, ended.to_string());
    match ended {
        CatalogQueryError::Function(_) | CatalogQueryError::Table(_) => failure(Code::NotSupported),
        CatalogQueryError::Limit(_) => failure(Code::TooMany).hint("query fewer tables and columns at once"),
        CatalogQueryError::CalledOff => failure(Code::Cancelled),
    }
}

/// Moves the position of an error from the executed text to the sent text; removes it if the texts differ.
fn placed(failure: Failure, asked: &str, sent: &str) -> Failure {
    let position = failure.position.filter(|_| asked == sent);
    Failure { position, ..failure }
}

/// The error for a statement that begins with this unsupported word.
fn unsupported(word: &str) -> Failure {
    let hint = "query with SELECT; \\d lists the tables, and EXPLAIN SELECT ... shows the cost of an answer";
    match word {
        "PREPARE" | "EXECUTE" => Failure::new(Code::NotSupported, format!("{word} is not supported as a statement"))
            .hint("prepare statements with the extended protocol, as drivers and psql's \\bind do"),
        "ALTER" => Failure::new(Code::NotSupported, "ALTER is not supported: clients cannot change the data")
            .hint("the curator changes passwords: deniable account set --password"),
        _ if CHANGING.contains(&word) => {
            Failure::new(Code::NotSupported, format!("{word} is not supported: clients cannot change the data"))
                .hint(hint)
        }
        _ => Failure::new(Code::Syntax, format!("no supported statement begins with \"{word}\"")).hint(hint),
    }
}

/// First words of statements that change something.
const CHANGING: [&str; 18] = [
    "ANALYZE", "CLUSTER", "COMMENT", "CREATE", "DELETE", "DO", "DROP", "GRANT", "INSERT", "LOCK", "MERGE", "NOTIFY",
    "REFRESH", "REINDEX", "REVOKE", "TRUNCATE", "UPDATE", "VACUUM",
];

fn shown_all(settings: &Settings) -> Reply {
    let column = |name: &str| Column { name: name.to_owned(), data_type: Type::TEXT };
    let row = |(name, value): (&str, &str)| vec![Some(name.to_owned()), Some(value.to_owned()), Some(String::new())];
    let rows = Arc::new(settings.all().map(row).collect());
    Reply { columns: ["name", "setting", "description"].map(column).to_vec(), rows, notices: Vec::new() }
}
