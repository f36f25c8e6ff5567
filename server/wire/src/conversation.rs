//! The messages of a connection: the simple and the extended protocol, over the same statements.

use crate::backend::Column;
use crate::connect::{Connection, Socket};
use crate::failure::{Code, Failure, Notice};
use crate::frame::FrameError;
use crate::parameters;
use crate::run::{Outcome, Plan, Run};
use crate::statement::{Kind, Statement, statements};
use crate::values::{from_binary, put_sized, to_binary};
use crate::{Limits, Server};
use bytes::{Bytes, BytesMut};
use deniable_catalog::Type;
use futures_util::{SinkExt, StreamExt};
use pgwire::messages::copy::{CopyData, CopyDone, CopyOutResponse};
use pgwire::messages::data::{DataRow, FieldDescription, NoData, ParameterDescription, RowDescription};
use pgwire::messages::extendedquery::{
    Bind, BindComplete, CloseComplete, Describe, Execute, Parse, ParseComplete, PortalSuspended,
};
use pgwire::messages::response::{CommandComplete, EmptyQueryResponse, ReadyForQuery};
use pgwire::messages::startup::ParameterStatus;
use pgwire::messages::{PgWireBackendMessage as Message, PgWireFrontendMessage as ClientMessage};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// A prepared statement; `statement` is `None` if its text is empty.
struct PreparedStatement {
    statement: Option<Statement>,
    types: Vec<Type>,
    /// The plan made by Describe of the statement or of a portal of it, until Execute takes it.
    plan: Mutex<Plan>,
}

impl PreparedStatement {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Portal {
    prepared: Arc<PreparedStatement>,
    values: Vec<Option<String>>,
    formats: Vec<i16>,
    /// The outcome of its execution, and the number of rows sent.
    begun: Option<(Outcome, usize)>,
}

/// The state of a connection's message loop.
pub struct Conversation {
    run: Run,
    socket: Socket,
    limits: Limits,
    prepared: BTreeMap<String, Arc<PreparedStatement>>,
    portals: BTreeMap<String, Portal>,
    /// After an error in the extended protocol, messages are skipped until Sync.
    skipping: bool,
}

enum End {
    /// The client disconnected or terminated the connection.
    Gone,
    Told(Failure),
}

impl From<FrameError> for End {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Io(_) => Self::Gone,
            FrameError::TooLong { .. } => Self::Told(Failure::new(Code::TooMany, error.to_string())),
            FrameError::Malformed(_) | FrameError::Wire(_) => {
                Self::Told(Failure::new(Code::Protocol, error.to_string()))
            }
        }
    }
}

/// Serves an authenticated client until either side ends the connection.
pub async fn converse(connected: Connection, server: &Server) {
    let Connection { socket, session, settings, handle, _guard } = connected;
    let limits = server.limits;
    let run = Run::new(session, settings, handle, limits);
    let (prepared, portals) = (BTreeMap::new(), BTreeMap::new());
    let mut conversation = Conversation { run, socket, limits, prepared, portals, skipping: false };
    let mut stopping = server.stopping.clone();
    let end = tokio::select! {
        end = conversation.talk() => end,
        _ = stopping.wait_for(|stopping| *stopping) => {
            End::Told(Failure::new(Code::ShutDown, "the server is shutting down"))
        }
    };
    match end {
        End::Told(failure) => farewell(&mut conversation.socket, limits.stall, &failure).await,
        End::Gone => drop(timeout(limits.stall, conversation.socket.close()).await),
    }
}

/// Sends an error to a client and ends the connection.
pub async fn sent_away(connected: Connection, server: &Server, why: &Failure) {
    let mut socket = connected.socket;
    farewell(&mut socket, server.limits.stall, why).await;
}

/// Time for which the end of a connection waits for the client to read the reason.
const LINGER: Duration = Duration::from_millis(500);

/// Sends the reason for the end of a connection, and ends it. Unread bytes of the client are read first; otherwise the
/// operating system would discard the sent message.
pub async fn farewell(socket: &mut Socket, stall: Duration, why: &Failure) {
    let told = async {
        let _ = socket.send(Message::ErrorResponse(why.info(true).into())).await;
        let _ = socket.close().await;
    };
    let _ = timeout(stall, told).await;
    let _ = timeout(LINGER, socket.get_mut().drain()).await;
}

/// Runs `work`, and drops it if the client disconnects before it is done.
async fn unless_gone<T>(socket: &mut Socket, work: impl Future<Output = T>) -> Result<T, FrameError> {
    tokio::select! {
        biased;
        done = work => Ok(done),
        error = socket.get_mut().gone() => Err(FrameError::Io(error)),
    }
}

impl Conversation {
    async fn talk(&mut self) -> End {
        loop {
            let asked = match timeout(self.limits.idle, self.socket.next()).await {
                Err(_) => return End::Told(Failure::new(Code::Idle, "the connection was idle for too long")),
                Ok(None) => return End::Gone,
                Ok(Some(Err(error))) => return error.into(),
                Ok(Some(Ok(asked))) => asked,
            };
            if let (false, Err(failure)) = (matches!(asked, ClientMessage::Terminate(_)), self.run.check()) {
                return End::Told(failure);
            }
            let heard = match asked {
                ClientMessage::Terminate(_) => return End::Gone,
                ClientMessage::Query(query) => {
                    self.skipping = false;
                    self.simple(&query.query).await
                }
                ClientMessage::Sync(_) => self.sync().await,
                ClientMessage::Flush(_) => self.socket.flush().await,
                _ if self.skipping => Ok(()),
                asked => match self.extended(asked).await {
                    Ok(Err(failure)) => {
                        self.skipping = true;
                        self.run.failed();
                        self.send(Message::ErrorResponse(failure.info(false).into())).await
                    }
                    Ok(Ok(())) => Ok(()),
                    Err(error) => Err(error),
                },
            };
            if let Err(error) = heard {
                return error.into();
            }
        }
    }

    async fn send(&mut self, message: Message) -> Result<(), FrameError> {
        self.socket.feed(message).await
    }

    async fn ready(&mut self) -> Result<(), FrameError> {
        self.send(Message::ReadyForQuery(ReadyForQuery::new(self.run.status()))).await?;
        self.socket.flush().await
    }

    async fn sync(&mut self) -> Result<(), FrameError> {
        self.skipping = false;
        // Outside of a transaction, portals end with Sync.
        if !self.run.in_transaction() {
            self.portals.clear();
        }
        self.ready().await
    }

    /// Executes the statements of one text until one fails.
    async fn simple(&mut self, sql: &str) -> Result<(), FrameError> {
        self.portals.remove("");
        match statements(sql) {
            Err(failure) => self.fail(&failure).await?,
            Ok(all) if all.is_empty() => {
                self.send(Message::EmptyQueryResponse(EmptyQueryResponse::new())).await?;
            }
            Ok(all) => {
                for statement in all {
                    let done = match unless_gone(&mut self.socket, self.run.done(&statement, &[], &[], None)).await? {
                        Ok(outcome) => self.shown(outcome).await?,
                        Err(failure) => Err(failure),
                    };
                    if let Err(failure) = done {
                        self.fail(&failure).await?;
                        break;
                    }
                }
            }
        }
        self.ready().await
    }

    async fn fail(&mut self, failure: &Failure) -> Result<(), FrameError> {
        self.run.failed();
        self.send(Message::ErrorResponse(failure.info(false).into())).await
    }

    /// Sends an outcome in the simple protocol: with names and types, as text.
    async fn shown(&mut self, outcome: Outcome) -> Result<Result<(), Failure>, FrameError> {
        if let Outcome::Rows { reply, .. } = &outcome {
            let description = described(&reply.columns, &[]);
            self.notices(&reply.notices).await?;
            self.send(Message::RowDescription(description)).await?;
        }
        self.sent(&outcome, &[], 0, usize::MAX).await.map(|sent| sent.map(drop))
    }

    async fn notices(&mut self, notices: &[Notice]) -> Result<(), FrameError> {
        let quiet = self.run.is_quiet();
        for notice in notices.iter().filter(|notice| notice.is_warning || !quiet) {
            self.send(Message::NoticeResponse(notice.info().into())).await?;
        }
        Ok(())
    }

    /// Sends the rows of an outcome from a given row on. Returns whether there are more.
    async fn sent(
        &mut self,
        outcome: &Outcome,
        formats: &[i16],
        from: usize,
        most: usize,
    ) -> Result<Result<usize, Failure>, FrameError> {
        let tag = match outcome {
            Outcome::Done { tag, told } => {
                for (name, value) in told {
                    self.send(Message::ParameterStatus(ParameterStatus::new(name.clone(), value.clone()))).await?;
                }
                (*tag).to_owned()
            }
            Outcome::Rows { reply, tag } => {
                let rows = reply.rows.get(from..).unwrap_or_default();
                let rows = &rows[..rows.len().min(most)];
                for row in rows {
                    match encoded(row, &reply.columns, formats) {
                        Ok(row) => self.send(Message::DataRow(row)).await?,
                        Err(failure) => return Ok(Err(failure)),
                    }
                }
                let sent = from + rows.len();
                if sent < reply.rows.len() {
                    self.send(Message::PortalSuspended(PortalSuspended::new())).await?;
                    return Ok(Ok(sent));
                }
                // A portal reports the number of rows of its last part only.
                format!("{tag} {}", rows.len())
            }
            Outcome::Copy { reply, format } => {
                self.notices(&reply.notices).await?;
                let messages = match crate::copy::messages(&reply.columns, &reply.rows, format) {
                    Ok(messages) => messages,
                    Err(failure) => return Ok(Err(failure)),
                };
                let is_binary = i8::from(format.form == crate::statement::CopyForm::Binary);
                let columns = i16::try_from(reply.columns.len()).unwrap_or(i16::MAX);
                let formats = vec![i16::from(is_binary); reply.columns.len()];
                self.send(Message::CopyOutResponse(CopyOutResponse::new(is_binary, columns, formats))).await?;
                for data in messages {
                    self.send(Message::CopyData(CopyData::new(data))).await?;
                }
                self.send(Message::CopyDone(CopyDone::new())).await?;
                format!("COPY {}", reply.rows.len())
            }
        };
        self.send(Message::CommandComplete(CommandComplete::new(tag))).await?;
        Ok(Ok(from))
    }

    async fn extended(&mut self, asked: ClientMessage) -> Result<Result<(), Failure>, FrameError> {
        let done = match asked {
            ClientMessage::Parse(parse) => self.parse(parse).map(|()| Message::ParseComplete(ParseComplete::new())),
            ClientMessage::Bind(bind) => self.bind(bind).map(|()| Message::BindComplete(BindComplete::new())),
            ClientMessage::Close(close) => {
                let name = close.name.unwrap_or_default();
                if close.target_type == b'S' {
                    self.prepared.remove(&name);
                } else {
                    self.portals.remove(&name);
                }
                Ok(Message::CloseComplete(CloseComplete::new()))
            }
            ClientMessage::Describe(describe) => match self.describe(&describe).await? {
                Ok((parameters, columns)) => {
                    if let Some(parameters) = parameters {
                        let oids = parameters.iter().map(|of| of.oid()).collect();
                        self.send(Message::ParameterDescription(ParameterDescription::new(oids))).await?;
                    }
                    Ok(match columns {
                        Some(description) => Message::RowDescription(description),
                        None => Message::NoData(NoData::new()),
                    })
                }
                Err(failure) => Err(failure),
            },
            ClientMessage::Execute(execute) => return self.execute(&execute).await,
            // Messages of COPY into the server, or after its end.
            ClientMessage::CopyData(_) | ClientMessage::CopyDone(_) | ClientMessage::CopyFail(_) => return Ok(Ok(())),
            _ => Err(Failure::new(Code::Protocol, "this message is not valid here")),
        };
        match done {
            Ok(message) => self.send(message).await.map(Ok),
            Err(failure) => Ok(Err(failure)),
        }
    }

    fn parse(&mut self, parse: Parse) -> Result<(), Failure> {
        let name = parse.name.unwrap_or_default();
        if !name.is_empty() && self.prepared.contains_key(&name) {
            return Err(Failure::new(Code::Duplicate, format!("prepared statement \"{name}\" already exists")));
        }
        if self.prepared.len() >= self.limits.prepared {
            return Err(Failure::new(Code::TooMany, "too many prepared statements are open").hint("close some"));
        }
        let mut all = statements(&parse.query)?;
        if all.len() > 1 {
            return Err(Failure::new(Code::Syntax, "only one statement can be prepared at a time"));
        }
        let statement = all.pop();
        let count = statement.as_ref().map_or(0, |statement| statement.parameters).max(parse.type_oids.len());
        if count > parameters::MOST {
            return Err(Failure::new(
                Code::TooMany,
                format!("a statement has at most {} parameters", parameters::MOST),
            ));
        }
        let mut types = Vec::new();
        if let Some(statement) = &statement {
            types = self.run.types(&statement.sql, count);
        }
        for (at, oid) in parse.type_oids.iter().enumerate() {
            // 0 and `unknown` leave the type to the server.
            if let (Some(of), false) = (Type::of_oid(*oid), [0, 705].contains(oid)) {
                match types.get_mut(at) {
                    Some(known) => *known = of,
                    None => types.push(of),
                }
            }
        }
        let bytes =
            |prepared: &PreparedStatement| prepared.statement.as_ref().map_or(0, |statement| statement.sql.len());
        let kept: usize = self.prepared.values().map(|prepared| bytes(prepared)).sum();
        if kept + parse.query.len() > self.limits.bytes {
            return Err(Failure::new(Code::TooMany, "the prepared statements are too long in total").hint("close some"));
        }
        let replaced =
            self.prepared.insert(name, Arc::new(PreparedStatement { statement, types, plan: Mutex::new(None) }));
        // Portals may keep the replaced statement alive, and there its plan is not counted.
        if let Some(replaced) = replaced {
            replaced.plan().take();
        }
        Ok(())
    }

    fn bind(&mut self, bind: Bind) -> Result<(), Failure> {
        let name = bind.statement_name.unwrap_or_default();
        let prepared = known(&self.prepared, &name)?;
        let portal = bind.portal_name.unwrap_or_default();
        if !portal.is_empty() && self.portals.contains_key(&portal) {
            return Err(Failure::new(Code::Duplicate, format!("portal \"{portal}\" already exists")));
        }
        if self.portals.len() >= self.limits.portals {
            return Err(Failure::new(Code::TooMany, "too many portals are open").hint("close some"));
        }
        let wanted = prepared.statement.as_ref().map_or(0, |statement| statement.parameters);
        if bind.parameters.len() < wanted || bind.parameters.len() > prepared.types.len() {
            let given = bind.parameters.len();
            return Err(Failure::new(Code::Protocol, format!("{given} values are given for {wanted} parameters")));
        }
        let values = bind.parameters.iter().enumerate().map(|(at, value)| {
            let Some(bytes) = value else { return Ok(None) };
            match format_of(&bind.parameter_format_codes, at)? {
                0 => text(bytes).map(Some),
                _ => from_binary(bytes, prepared.types.get(at).copied().unwrap_or(Type::TEXT)).map(Some),
            }
        });
        let values = values.collect::<Result<Vec<_>, Failure>>()?;
        let bytes = |values: &[Option<String>]| values.iter().flatten().map(String::len).sum::<usize>();
        if self.portals.values().map(|portal| bytes(&portal.values)).sum::<usize>() + bytes(&values) > self.limits.bytes
        {
            return Err(
                Failure::new(Code::TooMany, "the values of open portals are too long in total").hint("close some")
            );
        }
        let formats = bind.result_column_format_codes;
        if formats.iter().any(|format| !(0..=1).contains(format)) {
            return Err(Failure::new(Code::Protocol, "the format of a value must be text or binary"));
        }
        self.portals.insert(portal, Portal { prepared, values, formats, begun: None });
        Ok(())
    }

    async fn describe(&mut self, describe: &Describe) -> Result<Result<StatementDescription, Failure>, FrameError> {
        let work = described_by(&mut self.run, &self.prepared, &self.portals, describe, self.limits.portals);
        unless_gone(&mut self.socket, work).await
    }

    async fn execute(&mut self, execute: &Execute) -> Result<Result<(), Failure>, FrameError> {
        let name = execute.name.clone().unwrap_or_default();
        // Removed while it runs, because a cursor may close all portals.
        let Some(mut portal) = self.portals.remove(&name) else {
            let count = usize::try_from(execute.max_rows).ok().filter(|most| *most > 0);
            let reply = match self.run.fetched(&name, count) {
                Ok(reply) => reply,
                Err(_) => return Ok(Err(no_portal(&name))),
            };
            let outcome = Outcome::Rows { reply, tag: "FETCH" };
            return self.sent(&outcome, &[], 0, usize::MAX).await.map(|sent| sent.map(drop));
        };
        let Some(statement) = &portal.prepared.statement else {
            self.portals.insert(name, portal);
            return self.send(Message::EmptyQueryResponse(EmptyQueryResponse::new())).await.map(Ok);
        };
        let (outcome, from) = match portal.begun.take() {
            Some(begun) => begun,
            None => {
                let plan = portal.prepared.plan().take();
                let work = self.run.done(statement, &portal.prepared.types, &portal.values, plan);
                match unless_gone(&mut self.socket, work).await? {
                    Ok(outcome) => {
                        if let Outcome::Rows { reply, .. } = &outcome {
                            if let Err(failure) = check_formats(&portal.formats, reply.columns.len()) {
                                return Ok(Err(failure));
                            }
                            self.notices(&reply.notices).await?;
                        }
                        (outcome, 0)
                    }
                    Err(failure) => return Ok(Err(failure)),
                }
            }
        };
        let most = usize::try_from(execute.max_rows).ok().filter(|most| *most > 0).unwrap_or(usize::MAX);
        match self.sent(&outcome, &portal.formats, from, most).await? {
            Ok(sent) => {
                let forgets = matches!(statement.kind, Kind::DiscardAll | Kind::Transaction(_));
                if !forgets {
                    // Executed again, the portal is at its end.
                    let at = match &outcome {
                        Outcome::Rows { reply, .. } if sent == from => reply.rows.len(),
                        _ => sent,
                    };
                    portal.begun = Some((outcome, at));
                    self.portals.insert(name, portal);
                } else if !self.run.in_transaction() {
                    self.portals.clear();
                }
                Ok(Ok(()))
            }
            Err(failure) => Ok(Err(failure)),
        }
    }
}

/// The types of a statement's parameters, and its columns.
type StatementDescription = (Option<Vec<Type>>, Option<RowDescription>);

async fn described_by(
    run: &mut Run,
    all: &BTreeMap<String, Arc<PreparedStatement>>,
    portals: &BTreeMap<String, Portal>,
    describe: &Describe,
    most_plans: usize,
) -> Result<StatementDescription, Failure> {
    let name = describe.name.as_deref().unwrap_or_default();
    let (prepared, values, formats) = if describe.target_type == b'S' {
        (known(all, name)?, None, Vec::new())
    } else {
        let Some(portal) = portals.get(name) else {
            // A cursor declared by SQL is a portal with the same name.
            let columns = run.cursor_columns(name).ok_or_else(|| no_portal(name))?;
            return Ok((None, Some(described(&columns, &[]))));
        };
        (Arc::clone(&portal.prepared), Some(portal.values.clone()), portal.formats.clone())
    };
    let columns = match &prepared.statement {
        Some(statement) => {
            let known = prepared.plan().take();
            let (columns, plan) = run.columns(statement, &prepared.types, values.as_deref(), known).await?;
            // Plans may be large: beyond this number, statements are planned again when they are executed.
            if all.values().filter(|other| other.plan().is_some()).count() < most_plans {
                *prepared.plan() = plan;
            }
            columns
        }
        None => None,
    };
    let columns = columns.map(|columns| {
        check_formats(&formats, columns.len())?;
        Ok(described(&columns, &formats))
    });
    let parameters = values.is_none().then(|| prepared.types.clone());
    Ok((parameters, columns.transpose()?))
}

/// The prepared statement of this name.
fn known(all: &BTreeMap<String, Arc<PreparedStatement>>, name: &str) -> Result<Arc<PreparedStatement>, Failure> {
    let none = || Failure::new(Code::NoStatement, format!("there is no prepared statement \"{name}\""));
    all.get(name).cloned().ok_or_else(none)
}

fn no_portal(name: &str) -> Failure {
    Failure::new(Code::NoStatement, format!("there is no portal \"{name}\""))
}

fn text(bytes: &Bytes) -> Result<String, Failure> {
    let wrong = |_| Failure::new(Code::Value, "a parameter is not valid UTF-8");
    let text = std::str::from_utf8(bytes).map_err(wrong)?;
    if text.contains('\0') {
        return Err(Failure::new(Code::Value, "a parameter has a zero byte"));
    }
    Ok(text.to_owned())
}

/// The format of the value at this index: no format means text, and a single format applies to all.
fn format_of(formats: &[i16], at: usize) -> Result<i16, Failure> {
    let format = match formats {
        [] => 0,
        [one] => *one,
        all => *all.get(at).ok_or_else(|| Failure::new(Code::Protocol, "a value has no format"))?,
    };
    if (0..=1).contains(&format) {
        Ok(format)
    } else {
        Err(Failure::new(Code::Protocol, "the format of a value must be text or binary"))
    }
}

fn check_formats(formats: &[i16], columns: usize) -> Result<(), Failure> {
    if formats.len() > 1 && formats.len() != columns {
        let message = format!("{} formats are given for {columns} columns", formats.len());
        return Err(Failure::new(Code::Protocol, message));
    }
    Ok(())
}

fn described(columns: &[Column], formats: &[i16]) -> RowDescription {
    let field = |(at, column): (usize, &Column)| {
        let about = column.data_type.about();
        let size = about.map_or(-1, |about| i16::try_from(about.length).unwrap_or(-1));
        let format = format_of(formats, at).unwrap_or(0);
        // Names end at a zero byte, so they cannot contain one.
        FieldDescription::new(column.name.replace('\0', ""), 0, 0, column.data_type.oid(), size, -1, format)
    };
    RowDescription::new(columns.iter().enumerate().map(field).collect())
}

fn encoded(row: &[Option<String>], columns: &[Column], formats: &[i16]) -> Result<DataRow, Failure> {
    let mut data = BytesMut::new();
    for (at, (value, column)) in row.iter().zip(columns).enumerate() {
        let is_binary = format_of(formats, at)? == 1;
        put_sized(value.as_deref(), &mut data, |text, data| {
            if is_binary {
                return to_binary(text, column.data_type, data);
            }
            data.extend_from_slice(text.as_bytes());
            Ok(())
        })?;
    }
    Ok(DataRow::new(data, i16::try_from(columns.len()).unwrap_or(i16::MAX)))
}
