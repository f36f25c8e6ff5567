//! The start of a connection: TLS, startup message and authentication.

use crate::backend::{Client, Proof, Session};
use crate::conversation::farewell;
use crate::failure::{Code, Failure};
use crate::frame::Frames;
use crate::settings::{OWN, Settings};
use crate::stream::{Patient, Stream};
use crate::verifier::Verifier;
use crate::{Limits, Server};
use async_trait::async_trait;
use futures_util::{SinkExt, StreamExt};
use pgwire::api::auth::mechanism::{AuthMechanismFactory, AuthState};
use pgwire::api::auth::sasl::SaslMechanisms;
use pgwire::api::auth::sasl::scram::{ScramAuth, ScramSecret};
use pgwire::api::auth::{AuthSource, LoginInfo, Password};
use pgwire::api::{ConnectionGuard, ConnectionHandle, DefaultClient, PidSecretKeyGenerator};
use pgwire::error::{PgWireError, PgWireResult};
use pgwire::messages::response::{ReadyForQuery, TransactionStatus};
use pgwire::messages::startup::{
    Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, PasswordMessageFamily, SecretKey,
};
use pgwire::messages::{PgWireBackendMessage, PgWireFrontendMessage, ProtocolVersion};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::codec::Framed;

/// A connection's messages.
pub type Socket = Framed<Patient, Frames>;

/// Request codes in the place of a protocol version.
const CANCEL: u32 = 80_877_102;
const TLS: u32 = 80_877_103;
const GSS: u32 = 80_877_104;
/// Maximum length of the first message in bytes, as in PostgreSQL.
const LONGEST_STARTUP: usize = 10_000;
/// The first byte of a direct TLS handshake, and the ALPN protocol that it must name.
const DIRECT_TLS: u8 = 0x16;
const ALPN: &[u8] = b"postgresql";

/// An authenticated connection.
pub struct Connection {
    pub socket: Socket,
    pub session: Arc<dyn Session>,
    pub settings: Settings,
    pub handle: Arc<ConnectionHandle>,
    /// Unregisters the connection's cancellation key on drop.
    pub _guard: ConnectionGuard,
}

/// Starts a connection; `None` if it is finished: it was a cancellation request, or the client disconnected.
pub async fn connect(tcp: TcpStream, server: &Server) -> std::io::Result<Option<Connection>> {
    tcp.set_nodelay(true)?;
    let address = tcp.peer_addr()?;
    let tls = server.backend.tls();
    let mut first = [0_u8; 1];
    let (mut stream, is_secure): (Box<dyn Stream>, bool) = match &tls {
        Some(tls) if tcp.peek(&mut first).await? == 1 && first[0] == DIRECT_TLS => {
            let stream = tls.accept(tcp).await?;
            if stream.get_ref().1.alpn_protocol() != Some(ALPN) {
                return Ok(None);
            }
            (Box::new(stream), true)
        }
        _ => {
            // Only a plain stream can be upgraded to TLS. The request is read byte by byte, so that bytes sent before
            // the handshake are not mistaken for bytes sent within TLS.
            let mut tcp = tcp;
            match negotiated(&mut tcp, tls.is_some()).await? {
                Negotiation::Tls => match &tls {
                    Some(tls) => (Box::new(tls.accept(tcp).await?), true),
                    None => return Ok(None),
                },
                Negotiation::Startup(startup) => return begun(Box::new(tcp), startup, false, address, server).await,
                Negotiation::Cancel(pid, key) => {
                    server.connections.cancel(pid, &key).await;
                    return Ok(None);
                }
                Negotiation::Nothing => return Ok(None),
            }
        }
    };
    match message(&mut stream).await? {
        Some((CANCEL, body)) => {
            if let Some((pid, key)) = cancelled(&body) {
                server.connections.cancel(pid, &key).await;
            }
            Ok(None)
        }
        Some((version, body)) => begun(stream, Startup { version, body }, is_secure, address, server).await,
        None => Ok(None),
    }
}

/// Delay of the reply to a wrong password, to slow down guessing.
const AFTER_WRONG: std::time::Duration = std::time::Duration::from_millis(500);

struct Startup {
    version: u32,
    body: Vec<u8>,
}

enum Negotiation {
    Tls,
    Startup(Startup),
    Cancel(i32, SecretKey),
    Nothing,
}

/// The first message: a protocol version or request code, and the body.
async fn message(stream: &mut (impl AsyncReadExt + Unpin + ?Sized)) -> std::io::Result<Option<(u32, Vec<u8>)>> {
    let length = stream.read_u32().await?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if !(8..=LONGEST_STARTUP).contains(&length) {
        return Ok(None);
    }
    let code = stream.read_u32().await?;
    let mut body = vec![0; length - 8];
    stream.read_exact(&mut body).await?;
    Ok(Some((code, body)))
}

async fn negotiated(tcp: &mut TcpStream, has_tls: bool) -> std::io::Result<Negotiation> {
    // Each kind of encryption may be requested once.
    for _ in 0..3 {
        match message(tcp).await? {
            Some((TLS, _)) if has_tls => {
                tcp.write_all(b"S").await?;
                return Ok(Negotiation::Tls);
            }
            Some((TLS | GSS, _)) => tcp.write_all(b"N").await?,
            Some((CANCEL, body)) => {
                return Ok(cancelled(&body).map_or(Negotiation::Nothing, |(pid, key)| Negotiation::Cancel(pid, key)));
            }
            Some((version, body)) => return Ok(Negotiation::Startup(Startup { version, body })),
            None => return Ok(Negotiation::Nothing),
        }
    }
    Ok(Negotiation::Nothing)
}

fn cancelled(body: &[u8]) -> Option<(i32, SecretKey)> {
    let (pid, key) = body.split_first_chunk::<4>()?;
    let secret = match key.first_chunk::<4>() {
        Some(short) if key.len() == 4 => SecretKey::I32(i32::from_be_bytes(*short)),
        _ => SecretKey::Bytes(key.to_vec().into()),
    };
    Some((i32::from_be_bytes(*pid), secret))
}

/// The names and values of a startup message.
fn parameters(body: &[u8]) -> Option<BTreeMap<String, String>> {
    let mut texts = body.split(|byte| *byte == 0).map(|text| std::str::from_utf8(text).ok());
    let mut all = BTreeMap::new();
    loop {
        let name = texts.next()??;
        if name.is_empty() {
            return Some(all);
        }
        all.insert(name.to_owned(), texts.next()??.to_owned());
    }
}

async fn begun(
    stream: Box<dyn Stream>,
    startup: Startup,
    is_secure: bool,
    address: std::net::SocketAddr,
    server: &Server,
) -> std::io::Result<Option<Connection>> {
    let Limits { message, stall, .. } = server.limits;
    let (major, minor) = (startup.version >> 16, startup.version & 0xffff);
    let version = if minor >= 2 { ProtocolVersion::PROTOCOL3_2 } else { ProtocolVersion::PROTOCOL3_0 };
    // Before authentication, messages are short.
    let frames = Frames::new(version, LONGEST_STARTUP);
    let mut socket = Framed::new(Patient::new(stream, stall), frames);
    let begun = async {
        if major != 3 {
            return Err(Failure::new(Code::Protocol, format!("protocol version {major}.{minor} is not supported")));
        }
        let wrong = || Failure::new(Code::Protocol, "the startup message is malformed");
        let mut asked = parameters(&startup.body).ok_or_else(wrong)?;
        let odd: Vec<String> = asked.keys().filter(|name| name.starts_with("_pq_.")).cloned().collect();
        if minor > 2 || !odd.is_empty() {
            let negotiated = NegotiateProtocolVersion::new(startup_version(version), odd);
            let _ = socket.send(PgWireBackendMessage::NegotiateProtocolVersion(negotiated)).await;
        }
        let user = asked.remove("user").filter(|user| !user.is_empty());
        let user = user.ok_or_else(|| Failure::new(Code::NotLetIn, "the startup message has no user name"))?;
        let database = asked.remove("database").unwrap_or_else(|| user.clone());
        let application = asked.get("application_name").cloned().unwrap_or_default();
        let client = Client { user, database, application, is_secure, is_local: address.ip().is_loopback() };
        if !client.is_secure && (!client.is_local || server.backend.needs_tls()) {
            let hint = "connect with sslmode=verify-full, or at least sslmode=require";
            let who = if client.is_local { "all connections" } else { "connections from other machines" };
            return Err(Failure::new(Code::NotLetIn, format!("{who} need TLS")).hint(hint));
        }
        let last = proven(&mut socket, &client, address, server).await?;
        if let Some(options) = asked.remove("options") {
            asked.extend(of_command_line(&options));
        }
        let user = client.user.clone();
        let session = server.backend.begin(client)?;
        for (name, value) in &mut asked {
            if let Some(own) = name.to_ascii_lowercase().strip_prefix(OWN) {
                *value = session.setting(own, value)?;
            }
        }
        let settings = Settings::new(&session.description().version, &user, session.own_settings(), &asked)?;
        Ok((session, settings, last))
    };
    let (session, settings, last) = match begun.await {
        Ok(begun) => begun,
        Err(failure) => {
            farewell(&mut socket, stall, &failure).await;
            return Ok(None);
        }
    };
    let mut known: DefaultClient<()> = DefaultClient::new(address, is_secure);
    known.protocol_version = version;
    let (pid, key) = server.keys.generate(&known);
    let (handle, guard) = server.connections.register(pid, key.clone());
    let mut first: Vec<PgWireBackendMessage> = Vec::new();
    first.extend(last.map(PgWireBackendMessage::Authentication));
    first.push(PgWireBackendMessage::Authentication(Authentication::Ok));
    let told = settings.told().into_iter().map(|(name, value)| ParameterStatus::new(name, value));
    first.extend(told.map(PgWireBackendMessage::ParameterStatus));
    first.push(PgWireBackendMessage::BackendKeyData(BackendKeyData::new(pid, key)));
    first.push(PgWireBackendMessage::ReadyForQuery(ReadyForQuery::new(TransactionStatus::Idle)));
    for message in first {
        socket.feed(message).await.map_err(std::io::Error::other)?;
    }
    socket.flush().await.map_err(std::io::Error::other)?;
    let socket = socket.map_codec(|_| Frames::new(version, message));
    Ok(Some(Connection { socket, session, settings, handle, _guard: guard }))
}

fn startup_version(version: ProtocolVersion) -> i32 {
    let (major, minor) = version.version_number();
    i32::from(major) << 16 | i32::from(minor)
}

/// Settings of command-line options: `-c name=value`, `--name=value`.
fn of_command_line(options: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let stated = match word {
            "-c" => words.next(),
            word => word.strip_prefix("--").or_else(|| word.strip_prefix("-c")),
        };
        found.extend(
            stated.and_then(|stated| stated.split_once('=')).map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
    }
    found
}

/// The source of verifiers for the SCRAM mechanism.
#[derive(Debug)]
struct Source(Verifier);

#[async_trait]
impl AuthSource for Source {
    async fn get_password(&self, login: &LoginInfo) -> PgWireResult<Password> {
        // Passwords are not stored, so a password in plain text cannot be checked.
        Err(PgWireError::InvalidPassword(login.user().unwrap_or_default().to_owned()))
    }

    async fn get_scram_secret(&self, _login: &LoginInfo) -> PgWireResult<(ScramSecret, Option<()>)> {
        Ok((self.0.secret(), None))
    }
}

/// Authenticates the client. Returns the final message of the proof, to be sent before the client is let in.
async fn proven(
    socket: &mut Socket,
    client: &Client,
    address: std::net::SocketAddr,
    server: &Server,
) -> Result<Option<Authentication>, Failure> {
    let Proof::Password(verifier) = server.backend.proof(&client.user) else { return Ok(None) };
    let mut scram = ScramAuth::new(Arc::new(Source(verifier)));
    if let (true, Some(certificate)) = (client.is_secure, server.backend.certificate())
        && scram.configure_certificate(&certificate).is_err()
    {
        // With an unsupported certificate signature there is no channel binding, but the password is still proven.
        scram = ScramAuth::new(Arc::new(Source(match server.backend.proof(&client.user) {
            Proof::Password(verifier) => verifier,
            Proof::None => return Ok(None),
        })));
    }
    let mut known: DefaultClient<()> = DefaultClient::new(address, client.is_secure);
    known.metadata.insert("user".to_owned(), client.user.clone());
    let mut mechanism = SaslMechanisms::new(vec![Arc::new(scram)]).create();
    let wrong = || {
        let message = format!("password authentication failed for user \"{}\"", client.user);
        Failure { code: Code::NotLetIn, ..Failure::new(Code::NotLetIn, message) }
    };
    let refused = async || {
        server.backend.wrong_password(&client.user, address);
        tokio::time::sleep(AFTER_WRONG).await;
        Err(wrong())
    };
    let mut state = mechanism.begin(&known).await;
    // A proof takes two messages.
    for step in 0..3 {
        match state {
            Ok(AuthState::InProgress(next)) => {
                let sent = socket.send(PgWireBackendMessage::Authentication(next)).await;
                sent.map_err(|_| wrong())?;
            }
            Ok(AuthState::Ok { final_message, .. }) => {
                server.backend.right_password(&client.user, address);
                return Ok(final_message);
            }
            Ok(AuthState::Failed(_)) | Err(_) => return refused().await,
        }
        let answer = match socket.next().await {
            Some(Ok(PgWireFrontendMessage::PasswordMessageFamily(answer))) if step > 0 || begins_proof(&answer) => {
                answer
            }
            // A client without a password disconnects, which does not count as a wrong password.
            None => return Err(wrong()),
            Some(_) => return refused().await,
        };
        if step > 0 {
            let wait = server.backend.attempt(&client.user, address)?;
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
        }
        // Between the turn of an attempt and its verdict no message of the client is awaited, so that concurrent
        // attempts count each other.
        state = mechanism.next(&known, answer).await;
    }
    refused().await
}

/// Whether a message is the first of a proof: the name of a method, a length, and as many bytes, or none for a length
/// of -1. The parser of later messages relies on it.
fn begins_proof(message: &PasswordMessageFamily) -> bool {
    let PasswordMessageFamily::Raw(body) = message else { return false };
    let rest = body.iter().position(|byte| *byte == 0).and_then(|end| body.get(end + 1..));
    let Some((length, data)) = rest.and_then(|rest| rest.split_first_chunk::<4>()) else { return false };
    match i32::from_be_bytes(*length) {
        -1 => data.is_empty(),
        length => usize::try_from(length) == Ok(data.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_messages() {
        let all = parameters(b"user\0ana\0database\0clinic\0\0").unwrap();
        assert_eq!(
            all.into_iter().collect::<Vec<_>>(),
            [("database".to_owned(), "clinic".to_owned()), ("user".to_owned(), "ana".to_owned())]
        );
        for none in [&b""[..], b"user", b"user\0", b"\xff\0a\0\0"] {
            assert!(parameters(none).is_none() || parameters(none).unwrap().is_empty(), "{none:?}");
        }
        let options = of_command_line("-c statement_timeout=5s --search_path=public -csearch=x odd");
        let names: Vec<&str> = options.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["statement_timeout", "search_path", "search"]);
    }
}
