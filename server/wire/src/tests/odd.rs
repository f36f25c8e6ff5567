//! Bytes that no client would send: messages that are malformed, misplaced, fragmented, too long, truncated, or random.

use super::*;
use crate::frame::Frames;
use bytes::BytesMut;
use deniable_testing::sized_to_slow;
use pgwire::messages::{PgWireFrontendMessage, ProtocolVersion};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::codec::Decoder;

/// Upper bound of the time of any step on a busy machine; a longer one counts as hanging.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// Protocol versions, and the request codes in their place.
const VERSION: u32 = 3 << 16;
const CANCEL: u32 = 80_877_102;
const TLS: u32 = 80_877_103;
const GSS: u32 = 80_877_104;
const SYNC: [u8; 5] = [b'S', 0, 0, 0, 4];

fn first(code: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 8).unwrap().to_be_bytes();
    [length.as_slice(), &code.to_be_bytes(), body].concat()
}

pub(super) fn message(letter: u8, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(body.len() + 4).unwrap().to_be_bytes();
    [&[letter], length.as_slice(), body].concat()
}

fn query(sql: &str) -> Vec<u8> {
    message(b'Q', format!("{sql}\0").as_bytes())
}

/// The first messages of a client.
pub(super) fn begin() -> Vec<u8> {
    first(VERSION, b"user\0ana\0database\0clinic\0\0")
}

/// An authenticated connection.
async fn raw(address: SocketAddr) -> TcpStream {
    let mut tcp = TcpStream::connect(address).await.unwrap();
    tcp.write_all(&begin()).await.unwrap();
    assert_eq!(until_ready(&mut tcp).await.last().unwrap().0, b'Z');
    tcp
}

pub(super) type ServerMessages = Vec<(u8, Vec<u8>)>;

/// The next message; `None` at the end of the connection.
pub(super) async fn next(tcp: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let read = async {
        let letter = tcp.read_u8().await?;
        let length = usize::try_from(tcp.read_i32().await?).unwrap() - 4;
        let mut body = vec![0; length];
        tcp.read_exact(&mut body).await?;
        Ok::<_, std::io::Error>((letter, body))
    };
    timeout(PATIENCE, read).await.expect("it hangs").ok()
}

/// The messages until the server is ready, or ends the connection.
async fn until_ready(tcp: &mut TcpStream) -> ServerMessages {
    let mut told = Vec::new();
    while let Some(message) = next(tcp).await {
        told.push(message);
        if told.last().unwrap().0 == b'Z' {
            break;
        }
    }
    told
}

/// The messages until the connection ends.
pub(super) async fn until_end(tcp: &mut TcpStream) -> ServerMessages {
    let mut told = Vec::new();
    while let Some(message) = next(tcp).await {
        told.push(message);
    }
    told
}

fn letters(told: &ServerMessages) -> String {
    told.iter().map(|(letter, _)| char::from(*letter)).collect()
}

fn says(told: &ServerMessages, letter: u8, part: &str) -> bool {
    told.iter().any(|(of, body)| *of == letter && body.windows(part.len()).any(|bytes| bytes == part.as_bytes()))
}

/// Whether the server sent only a fatal error with this code.
pub(super) fn is_fatal(told: &ServerMessages, code: &str) -> bool {
    letters(told) == "E" && says(told, b'E', "SFATAL\0") && says(told, b'E', &format!("C{code}\0"))
}

/// Whether the connection remains usable.
async fn goes_on(tcp: &mut TcpStream) -> bool {
    tcp.write_all(&query("SELECT 7")).await.unwrap();
    letters(&until_ready(tcp).await) == "TDCZ"
}

/// Some drivers describe an SQL cursor as a portal.
#[tokio::test]
async fn cursors_can_be_described_as_portals() {
    let (address, _stop) = served(None).await;
    let mut tcp = raw(address).await;
    tcp.write_all(&query("BEGIN; DECLARE cur CURSOR FOR SELECT n FROM visits")).await.unwrap();
    until_ready(&mut tcp).await;
    let asked = [message(b'D', b"Pcur\0"), message(b'E', b"cur\0\0\0\0\x02"), SYNC.to_vec()].concat();
    tcp.write_all(&asked).await.unwrap();
    let told = until_ready(&mut tcp).await;
    assert!(says(&told, b'C', "FETCH 2") && says(&told, b'T', "region"), "{told:?}");
}

#[tokio::test]
async fn malformed_messages_end_the_connection() {
    let (address, _stop) = served(None).await;
    for bad in [
        message(b'Q', b"SELECT 1"),
        message(b'Q', b"\xff\0"),
        message(b'E', b"\0\0"),
        message(b'P', b"\0SELECT 1\0\0\x09"),
        message(b'B', b"\0\0\0\0\0\x01\0\0\0\x09a"),
        message(b'Z', b""),
        message(b'F', b"\0\0\0\x01\0\0\0\0\0\0"),
        message(b'S', b"more"),
        vec![b'Q', 0, 0, 0, 1],
    ] {
        let mut tcp = raw(address).await;
        tcp.write_all(&bad).await.unwrap();
        let told = until_end(&mut tcp).await;
        assert!(is_fatal(&told, "08P01"), "{bad:?}: {told:?}");
    }
}

#[tokio::test]
async fn misplaced_messages_are_refused_and_the_connection_continues() {
    let (address, _stop) = served(None).await;
    let (parse, bind) = (message(b'P', b"\0SELECT 1\0\0\0"), message(b'B', b"\0\0\0\0\0\0\0\0"));
    let named = message(b'P', b"s\0SELECT 1\0\0\0");
    let portal = message(b'B', b"p\0s\0\0\0\0\0\0\0");
    // The messages sent, and the types of the replies before that to the next Sync.
    for (odd, told) in [
        (message(b'p', b"secret\0"), "E"),
        (message(b'E', b"\0\0\0\0\0"), "E"),
        (message(b'B', b"\0no such\0\0\0\0\0\0\0"), "E"),
        (message(b'D', b"Snone\0"), "E"),
        (message(b'D', b"Pnone\0"), "E"),
        (message(b'P', b"\0SELECT 1; SELECT 2\0\0\0"), "E"),
        ([named.clone(), named.clone(), named.clone()].concat(), "1E"),
        ([message(b'C', b"Ss\0"), named, portal.clone(), portal].concat(), "312E"),
        // A portal ends with the next Sync; an error skips all messages until then.
        ([parse.clone(), bind.clone(), SYNC.to_vec(), message(b'E', b"\0\0\0\0\0")].concat(), "12ZE"),
        ([parse.clone(), message(b'E', b"none\0\0\0\0\0"), bind.clone(), message(b'H', b"")].concat(), "1E"),
        (
            [parse.clone(), message(b'B', b"\0\0\0\0\0\0\0\x02\0\x01\0\x01"), message(b'E', b"\0\x7f\xff\xff\xff")]
                .concat(),
            "12E",
        ),
        (
            [message(b'P', b"\0SELECT $1::int8\0\0\0"), message(b'B', b"\0\0\0\x01\0\x01\0\x01\0\0\0\x01a\0\0")]
                .concat(),
            "1E",
        ),
        // No COPY into the server is open to which the data could belong.
        ([message(b'd', b"data"), message(b'c', b""), message(b'f', b"why\0")].concat(), ""),
        ([SYNC, SYNC].concat(), "ZZ"),
        ([parse, bind, message(b'E', b"\0\xff\xff\xff\xff"), query("SELECT 1")].concat(), "12DCTDCZ"),
        (message(b'P', b"\0\0\0\0"), "1"),
        (query(""), "IZ"),
        (query(" ; -- nothing\n"), "IZ"),
    ] {
        let mut tcp = raw(address).await;
        tcp.write_all(&[odd.as_slice(), &SYNC].concat()).await.unwrap();
        let mut heard = String::new();
        while heard.matches('Z').count() <= told.matches('Z').count() {
            heard += &letters(&until_ready(&mut tcp).await);
        }
        assert_eq!(heard, format!("{told}Z"), "{}", String::from_utf8_lossy(&odd));
        assert!(goes_on(&mut tcp).await, "{}", String::from_utf8_lossy(&odd));
    }
}

/// Before authentication, these messages end the connection or are ignored.
#[tokio::test]
async fn messages_before_authentication_are_refused() {
    let (address, _stop) = served(Some("secret")).await;
    let begun = async |bytes: &[u8]| {
        let mut tcp = TcpStream::connect(address).await.unwrap();
        tcp.write_all(bytes).await.unwrap();
        tcp
    };
    let sasl = |name: &[u8], length: i32, rest: &[u8]| {
        message(b'p', &[name, b"\0", length.to_be_bytes().as_slice(), rest].concat())
    };
    for odd in [
        query("SELECT 7"),
        message(b'P', b"\0SELECT 1\0\0\0"),
        SYNC.to_vec(),
        message(b'd', b"data"),
        message(b'p', b""),
        message(b'p', b"secret\0"),
        sasl(b"SCRAM-SHA-1", 3, b"n,,"),
        sasl(b"SCRAM-SHA-256", -1, b""),
        sasl(b"SCRAM-SHA-256", i32::MAX, b"n,,n=,r=a"),
        sasl(b"SCRAM-SHA-256", 9, b"\xff,,n=,r=a"),
        sasl(b"SCRAM-SHA-256-PLUS", 9, b"p=tls-unique,,n=,r=a"),
        // Longer than any message of a proof.
        [b'p', 0, 0, 0x27, 0x12].to_vec(),
    ] {
        let mut tcp = begun(&begin()).await;
        assert_eq!(next(&mut tcp).await.unwrap().0, b'R');
        tcp.write_all(&[odd.as_slice(), &query("SELECT 7")].concat()).await.unwrap();
        let told = until_end(&mut tcp).await;
        // The connection may end before the error arrives, if more was sent than was read.
        assert!(is_fatal(&told, "28000") || told.is_empty(), "{}: {told:?}", String::from_utf8_lossy(&odd));
    }
    for (odd, code) in [
        (first(2 << 16, b"user\0ana\0\0"), "08P01"),
        (first(VERSION, b""), "28000"),
        (first(VERSION, b"\0"), "28000"),
        (first(VERSION, b"user\0\0\0"), "28000"),
        (first(VERSION, b"user\0ana"), "08P01"),
        (first(VERSION, b"us\xffer\0ana\0\0"), "08P01"),
    ] {
        let told = until_end(&mut begun(&odd).await).await;
        assert!(is_fatal(&told, code), "{}: {told:?}", String::from_utf8_lossy(&odd));
    }
    // Startup messages that are too short or too long, and endless requests for TLS.
    for none in [
        first(VERSION, &[b'x'; 9_993]),
        7_u32.to_be_bytes().to_vec(),
        u32::MAX.to_be_bytes().to_vec(),
        first(CANCEL, b""),
        first(CANCEL, b"\0\0\0"),
        first(CANCEL, &[0; 300]),
    ] {
        assert_eq!(until_end(&mut begun(&none).await).await, ServerMessages::new(), "{none:?}");
    }
    let mut tcp = begun(&[first(TLS, b""), first(GSS, b""), first(TLS, b""), first(GSS, b"")].concat()).await;
    let mut told = Vec::new();
    let _ = timeout(PATIENCE, tcp.read_to_end(&mut told)).await.expect("it hangs");
    assert_eq!(told, b"NNN");
}

#[tokio::test]
async fn unknown_versions_and_options_are_reported() {
    let (address, _stop) = served(None).await;
    let mut tcp = TcpStream::connect(address).await.unwrap();
    // Neither TLS nor GSS is offered; then a future version with an unknown option.
    let later = first(VERSION + 9, b"user\0ana\0database\0clinic\0_pq_.more\0on\0\0");
    tcp.write_all(&[first(TLS, b""), first(GSS, b""), later].concat()).await.unwrap();
    assert_eq!((tcp.read_u8().await.unwrap(), tcp.read_u8().await.unwrap()), (b'N', b'N'));
    let told = until_ready(&mut tcp).await;
    assert!(letters(&told).starts_with("vR") && says(&told, b'v', "_pq_.more"), "{told:?}");
    assert!(goes_on(&mut tcp).await);
}

/// A wrong cancellation key cancels no query.
#[tokio::test]
async fn a_wrong_key_cancels_no_query() {
    let (address, _stop) = served(None).await;
    let mut tcp = TcpStream::connect(address).await.unwrap();
    tcp.write_all(&begin()).await.unwrap();
    let told = until_ready(&mut tcp).await;
    let key = told.iter().find(|(letter, _)| *letter == b'K').unwrap().1.clone();
    let wrong: Vec<u8> = key.iter().enumerate().map(|(at, byte)| if at < 4 { *byte } else { !byte }).collect();
    for (key, why) in [(wrong, "statement_timeout exceeded"), (key, "cancelled by the client")] {
        tcp.write_all(&query("SET statement_timeout = '2s'")).await.unwrap();
        until_ready(&mut tcp).await;
        tcp.write_all(&query("SELECT slow FROM visits")).await.unwrap();
        // Sent repeatedly, because the start of the query cannot be observed.
        let asking = async {
            loop {
                let mut other = TcpStream::connect(address).await.unwrap();
                other.write_all(&first(CANCEL, &key)).await.unwrap();
                assert_eq!(until_end(&mut other).await, ServerMessages::new());
            }
        };
        let told = tokio::select! {
            told = until_ready(&mut tcp) => told,
            () = asking => unreachable!("it never ends"),
        };
        assert!(says(&told, b'E', why), "{told:?}");
    }
}

#[tokio::test]
async fn silent_or_slow_clients_time_out_at_startup() {
    let limits = Limits { startup: Duration::from_millis(500), ..Limits::default() };
    let WatchedServer { address, stop: _stop, .. } = watched(None, limits).await;
    for half in [&b""[..], b"\0\0", b"\0\0\0\x20\0\x03\0\0user", b"\0\0\0\x08\x04\xd2\x16\x2f", b"\x16\x03\x01"] {
        let mut tcp = TcpStream::connect(address).await.unwrap();
        tcp.write_all(half).await.unwrap();
        let mut told = Vec::new();
        let _ = timeout(PATIENCE, tcp.read_to_end(&mut told)).await.expect("the server still waits");
        assert!(told.is_empty() || told == b"N", "{half:?}: {told:?}");
    }
    // Clients that send a byte from time to time exceed the total time, too.
    let mut tcp = TcpStream::connect(address).await.unwrap();
    for byte in begin() {
        if tcp.write_all(&[byte]).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(until_end(&mut tcp).await, ServerMessages::new());
}

/// Messages may arrive in pieces of any size.
#[tokio::test]
async fn slow_starts() {
    let (address, _stop) = served(None).await;
    let mut tcp = TcpStream::connect(address).await.unwrap();
    tcp.set_nodelay(true).unwrap();
    let slowly = async |tcp: &mut TcpStream, bytes: &[u8]| {
        for byte in bytes {
            tcp.write_all(&[*byte]).await.unwrap();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    slowly(&mut tcp, &first(TLS, b"")).await;
    assert_eq!(tcp.read_u8().await.unwrap(), b'N');
    slowly(&mut tcp, &begin()).await;
    assert_eq!(letters(&until_ready(&mut tcp).await).chars().last(), Some('Z'));
    let parse = message(b'P', b"\0SELECT n FROM visits\0\0\0");
    let asked = [parse, message(b'B', b"\0\0\0\0\0\0\0\0"), message(b'E', b"\0\0\0\0\x02"), SYNC.to_vec()].concat();
    slowly(&mut tcp, &asked).await;
    assert_eq!(letters(&until_ready(&mut tcp).await), "12NDDsZ");
    slowly(&mut tcp, &query("SELECT 7")).await;
    assert_eq!(letters(&until_ready(&mut tcp).await), "TDCZ");
}

/// A client that closes its sending side gets complete replies to what it sent, and then the connection ends.
#[tokio::test]
async fn half_closed_connections() {
    let WatchedServer { address, ended, broken, stop: _stop, .. } = watched(None, Limits::default()).await;
    let parse = message(b'P', b"\0SELECT n FROM visits\0\0\0");
    let bind = message(b'B', b"\0\0\0\0\0\0\0\0");
    let execute = message(b'E', b"\0\0\0\0\0");
    for (sent, told) in [
        (query("SELECT 7"), "TDCZ"),
        ([query("SELECT 7"), b"Q\0\0\0\x20SELECT".to_vec()].concat(), "TDCZ"),
        ([query("SELECT 7"), b"Q\0\0".to_vec()].concat(), "TDCZ"),
        ([parse.clone(), bind.clone(), execute.clone()].concat(), "12NDDDDDC"),
        ([parse, bind, execute, SYNC.to_vec()].concat(), "12NDDDDDCZ"),
        (query("SET statement_timeout = '100ms'; SELECT slow FROM visits"), "CEZ"),
        ([query("SELECT 7"), message(b'X', b""), query("SELECT 8")].concat(), "TDCZ"),
        (Vec::new(), ""),
    ] {
        let mut tcp = raw(address).await;
        tcp.write_all(&sent).await.unwrap();
        tcp.shutdown().await.unwrap();
        assert_eq!(letters(&until_end(&mut tcp).await), told, "{}", String::from_utf8_lossy(&sent));
    }
    let whole = begin();
    for length in 0..whole.len() {
        let mut tcp = TcpStream::connect(address).await.unwrap();
        tcp.write_all(&whole[..length]).await.unwrap();
        tcp.shutdown().await.unwrap();
        assert_eq!(until_end(&mut tcp).await, ServerMessages::new(), "{length} bytes");
    }
    let connections = 8 + whole.len();
    let begun = Instant::now();
    while ended.load(Ordering::Relaxed) < connections {
        assert!(begun.elapsed() < PATIENCE, "connections of disconnected clients are still open");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(broken.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn limits_on_lengths_and_numbers_hold() {
    let limits = Limits { message: 1 << 16, prepared: 5, portals: 4, ..Limits::default() };
    let WatchedServer { address, stop: _stop, .. } = watched(None, limits).await;
    let mut tcp = raw(address).await;
    // The longest allowed message, and one a byte longer.
    let padded = |length: usize| query(&format!("SELECT 7 /* {} */", "x".repeat(length - 4 - 16)));
    let longest = padded(limits.message);
    assert_eq!(longest.len(), limits.message + 1);
    tcp.write_all(&longest).await.unwrap();
    assert_eq!(letters(&until_ready(&mut tcp).await), "TDCZ");
    let too_long = u32::try_from(limits.message).unwrap() + 1;
    for (length, code) in [(too_long, "54000"), (i32::MAX.unsigned_abs(), "54000"), (u32::MAX, "08P01")] {
        let mut tcp = raw(address).await;
        tcp.write_all(&[b"Q", length.to_be_bytes().as_slice()].concat()).await.unwrap();
        let told = until_end(&mut tcp).await;
        assert!(is_fatal(&told, code), "{length}: {told:?}");
    }
    // Statements and portals beyond the limits are refused, and the connection remains usable.
    let many = |kept: usize, one: &dyn Fn(usize) -> Vec<u8>| (0..=kept).flat_map(one).collect::<Vec<u8>>();
    let parse = |at: usize| message(b'P', format!("s{at}\0SELECT n FROM visits\0\0\0").as_bytes());
    let bind = |at: usize| message(b'B', format!("p{at}\0s0\0\0\0\0\0\0\0").as_bytes());
    tcp.write_all(&[many(limits.prepared, &parse), SYNC.to_vec()].concat()).await.unwrap();
    let told = until_ready(&mut tcp).await;
    assert!(letters(&told) == "11111EZ" && says(&told, b'E', "C54000\0"), "{told:?}");
    tcp.write_all(&[many(limits.portals, &bind), SYNC.to_vec()].concat()).await.unwrap();
    let told = until_ready(&mut tcp).await;
    assert!(letters(&told) == "2222EZ" && says(&told, b'E', "C54000\0"), "{told:?}");
    // More parameters than a message can count, and a deeply nested text.
    for sql in [
        format!("SELECT {}", (1..=70_000).map(|at| format!("${at},")).collect::<String>()),
        format!("SELECT {}", "(".repeat(10_000)),
        format!("{}SELECT 1", "/*".repeat(10_000)),
        format!("SELECT '{}", "'".repeat(9_999)),
        format!("{}1", "SELECT 1;".repeat(3_000)),
    ] {
        let sql = &sql[..sql.len().min(limits.message - 100)];
        tcp.write_all(&query(sql)).await.unwrap();
        assert_eq!(letters(&until_ready(&mut tcp).await).chars().last(), Some('Z'));
        tcp.write_all(&[message(b'P', format!("\0{sql}\0\0\0").as_bytes()), SYNC.to_vec()].concat()).await.unwrap();
        assert_eq!(letters(&until_ready(&mut tcp).await).chars().last(), Some('Z'));
    }
    assert!(goes_on(&mut tcp).await);
}

/// A client that does not read does not keep an answer in memory for ever; a client that reads slowly gets all of it.
#[tokio::test(flavor = "multi_thread")]
async fn slow_readers() {
    let limits = Limits { stall: Duration::from_secs(2), ..Limits::default() };
    let WatchedServer { address, ended, broken, stop: _stop, .. } = watched(None, limits).await;
    let mut slow = raw(address).await;
    let mut never = raw(address).await;
    for tcp in [&mut slow, &mut never] {
        tcp.write_all(&query("SELECT large FROM visits")).await.unwrap();
    }
    let begun = Instant::now();
    let (mut read, mut buffer) = (0, vec![0; 64 * 1024]);
    while read < LARGE * WIDE {
        read += timeout(PATIENCE, slow.read(&mut buffer)).await.expect("it hangs").unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(begun.elapsed() > limits.stall, "the answer was read too fast to test the limit");
    while ended.load(Ordering::Relaxed) == 0 {
        assert!(begun.elapsed() < PATIENCE, "an answer is kept for a client that does not read it");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let told = until_end(&mut never).await;
    assert!(told.len() < LARGE && !letters(&told).contains('C'), "{}", letters(&told));
    assert_eq!((ended.load(Ordering::Relaxed), broken.load(Ordering::Relaxed)), (1, 0));
}

/// Pseudorandom numbers, equal in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// One of these messages, possibly changed.
    fn message(&mut self, good: &[Vec<u8>]) -> Vec<u8> {
        let mut one = good[self.below(good.len())].clone();
        let (letter, mut body) = (one[0], one[5..].to_vec());
        let byte = u8::try_from(self.below(256)).unwrap();
        match self.below(8) {
            // Changes the type letter, the length, or any other byte.
            0 => {
                let at = self.below(one.len());
                one[at] = byte;
                one
            }
            // A body that is cut, extended or replaced, with a matching length.
            1 => {
                body.truncate(self.below(body.len() + 1));
                message(letter, &body)
            }
            2 => {
                body.insert(self.below(body.len() + 1), byte);
                message(letter, &body)
            }
            3 if !body.is_empty() => {
                let at = self.below(body.len());
                body[at] = byte;
                message(letter, &body)
            }
            4 => [one.clone(), one].concat(),
            _ => one,
        }
    }
}

/// The number of messages that a server finds in these bytes, and whether it continues to read after them.
fn found(sent: &[u8]) -> (usize, bool) {
    let mut frames = Frames::new(ProtocolVersion::PROTOCOL3_0, Limits::default().message);
    let mut buffer = BytesMut::from(sent);
    let mut count = 0;
    loop {
        match frames.decode(&mut buffer) {
            Ok(None) => return (count, buffer.is_empty()),
            Ok(Some(PgWireFrontendMessage::Terminate(_))) | Err(_) => return (count + 1, false),
            Ok(Some(_)) => count += 1,
        }
    }
}

const OF_CONNECTION: usize = 100;
const AT_ONCE: u64 = 4;

/// Valid messages, some of them changed, cut, doubled or reordered, in pieces of any size, from clients that close
/// their sending side or disconnect: the server never panics or hangs. It reads a few thousand messages, a hundred
/// thousand at full scale, and ten million at `slow`.
#[tokio::test(flavor = "multi_thread")]
async fn messages_of_all_kinds() {
    let WatchedServer { address, broken, stop: _stop, .. } = watched(None, Limits::default()).await;
    let each = sized_to_slow(4_000, 100_000, 10_000_000_usize) / usize::try_from(AT_ONCE).unwrap();
    let all = (0..AT_ONCE).map(|seed| tokio::spawn(sending(address, Draws(22 + seed), each, Arc::clone(&broken))));
    let mut read = 0;
    for one in all.collect::<Vec<_>>() {
        read += one.await.unwrap();
    }
    assert!(read >= each * usize::try_from(AT_ONCE).unwrap());
}

/// Sends messages until the server has read this many. Returns how many it read.
async fn sending(address: SocketAddr, mut draws: Draws, messages: usize, broken: Arc<AtomicUsize>) -> usize {
    let good: Vec<Vec<u8>> = vec![
        query("SELECT region, n FROM visits; SET deniable.spend = 1; SHOW all"),
        query("BEGIN; DECLARE c CURSOR FOR SELECT n FROM visits; FETCH 2 FROM c"),
        query("COPY (SELECT n FROM visits) TO STDOUT (FORMAT binary)"),
        query("ROLLBACK; DISCARD ALL; EXPLAIN SELECT n FROM visits"),
        message(b'P', b"s\0SELECT n FROM visits WHERE age > $1 AND region = $2\0\0\x02\0\0\0\x14\0\0\0\x19"),
        message(b'B', b"p\0s\0\0\x02\0\x01\0\0\0\x02\0\0\0\x08\0\0\0\0\0\0\0\x05\0\0\0\x01a\0\x01\0\x01"),
        message(b'D', b"Ss\0"),
        message(b'D', b"Pp\0"),
        message(b'E', b"p\0\0\0\0\x02"),
        message(b'C', b"Pp\0"),
        message(b'C', b"Ss\0"),
        message(b'H', b""),
        SYNC.to_vec(),
        SYNC.to_vec(),
        message(b'd', b"data"),
        message(b'c', b""),
        message(b'f', b"why\0"),
    ];
    // Each connection that queries catalogs builds their tables, which is the slowest step: one in ten does.
    let catalogs = query("SELECT relname FROM pg_class WHERE oid = 'visits'::regclass");
    let with_catalogs = [good.as_slice(), &[catalogs]].concat();
    let mut read = 0;
    while read < messages {
        let good = if draws.below(10) == 0 { &with_catalogs } else { &good };
        let (mut sent, mut count) = (Vec::new(), 0);
        while count < OF_CONNECTION {
            let one = draws.message(good);
            let (found, goes_on) = found(&one);
            // Messages that end the connection are rare, so that others precede them.
            if goes_on || draws.below(40) == 0 {
                sent.extend(one);
                count += found;
            }
        }
        let mut start = begin();
        // Some connections are not authenticated.
        let is_let_in = draws.below(50) != 0;
        if !is_let_in {
            let at = draws.below(start.len());
            start[at] = u8::try_from(draws.below(256)).unwrap();
        }
        let (count, _) = found(&sent);
        let tcp = TcpStream::connect(address).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let (mut hears, mut says) = tcp.into_split();
        let mut told = Vec::new();
        let piece = [usize::MAX, usize::MAX, 1_000, 7][draws.below(4)];
        let goes_away = draws.below(20) == 0;
        let saying = async {
            // The server may end the connection before all is sent.
            for part in [start.as_slice(), &sent].concat().chunks(piece) {
                if says.write_all(part).await.is_err() {
                    break;
                }
            }
            let _ = says.shutdown().await;
        };
        let hearing = async {
            if !goes_away {
                let _ = hears.read_to_end(&mut told).await;
            }
        };
        let ended = timeout(PATIENCE, async { tokio::join!(saying, hearing) }).await;
        let shown = || String::from_utf8_lossy(&sent).into_owned();
        assert!(ended.is_ok(), "it hangs after {}", shown());
        assert_eq!(broken.load(Ordering::Relaxed), 0, "it panics after {}", shown());
        if is_let_in && !goes_away {
            read += count;
        }
    }
    read
}
