//! A client of the tokio family against a made-up server, and bytes that no client would send.

use super::*;
use crate::catalog::{Description, Table, Type};
use async_trait::async_trait;
use bytes::{BufMut, BytesMut};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_postgres::{Client as Postgres, NoTls, SimpleQueryMessage};

/// Answers every question with the same rows, and says what it was asked.
struct Made {
    password: Option<&'static str>,
}

struct Sitting;

fn columns() -> Vec<Column> {
    let column = |name: &str, data_type| Column { name: name.into(), data_type };
    vec![
        column("region", Type::TEXT),
        column("n", Type::INT8),
        column("mean", Type::FLOAT8),
        column("total", Type::NUMERIC),
        column("day", Type::DATE),
    ]
}

impl Backend for Made {
    fn tls(&self) -> Option<TlsAcceptor> {
        None
    }

    fn certificate(&self) -> Option<Vec<u8>> {
        None
    }

    fn proof(&self, user: &str) -> Proof {
        match self.password {
            None => Proof::None,
            Some(password) if user == "ana" => Proof::Password(Verifier::of_password(password, b"salt")),
            Some(_) => Proof::Password(Verifier::unmet(b"salt", &[7; 32])),
        }
    }

    fn begin(&self, client: Client) -> Result<Arc<dyn Session>, Failure> {
        if client.database != "clinic" {
            return Err(Failure::new(Code::NoDatabase, format!("there is no database \"{}\"", client.database)));
        }
        Ok(Arc::new(Sitting))
    }
}

#[async_trait]
impl Session for Sitting {
    fn description(&self) -> Description {
        let column = |name: &str, data_type| catalog::Column { name: name.into(), data_type, comment: None };
        let table = |schema: &str, name: &str, columns| Table {
            schema: schema.into(),
            name: name.into(),
            comment: None,
            rows: None,
            columns,
        };
        let visits = table("public", "visits", vec![column("age", Type::INT8), column("region", Type::TEXT)]);
        let budget = table("deniable", "budget", vec![column("left", Type::NUMERIC)]);
        Description {
            database: "clinic".into(),
            user: "ana".into(),
            version: "16.0".into(),
            tables: vec![visits, budget],
        }
    }

    async fn rows(&self, _: &str, _: &str) -> Result<Rows, Failure> {
        Ok(vec![vec![Some("0.75".into())]])
    }

    async fn columns(&self, question: &Question) -> Result<Vec<Column>, Failure> {
        if question.sql.contains("nothing") {
            return Err(Failure::new(Code::NoTable, "there is no table nothing").hint("visits is one"));
        }
        Ok(columns())
    }

    async fn answer(&self, question: &Question) -> Result<Reply, Failure> {
        let columns = self.columns(question).await?;
        if question.sql.contains("slow") {
            std::future::pending::<()>().await;
        }
        let text = |text: &str| Some(text.to_owned());
        let rows = (0..5).map(|at| {
            let region = if at == 4 { None } else { text(["a", "b", "c", "d"][at]) };
            vec![region, Some((at * 10).to_string()), text("0.5"), text("12345.60"), text("2024-06-30")]
        });
        let spend = question.setting("spend").unwrap_or("nothing");
        let notices = vec![Notice::new(format!("{} at {spend}", question.sql))];
        Ok(Reply { columns, rows: Arc::new(rows.collect()), notices })
    }

    async fn explain(&self, question: &Question) -> Result<Reply, Failure> {
        let columns = vec![Column { name: "QUERY PLAN".into(), data_type: Type::TEXT }];
        Ok(Reply { columns, rows: Arc::new(vec![vec![Some(question.sql.clone())]]), notices: Vec::new() })
    }

    fn setting(&self, name: &str, value: &str) -> Result<String, Failure> {
        if name == "spend" { Ok(value.into()) } else { Err(Failure::new(Code::Setting, format!("no setting {name}"))) }
    }
}

async fn served(password: Option<&'static str>) -> (SocketAddr, watch::Sender<bool>) {
    let (address, stop, _) = watched(password).await;
    (address, stop)
}

/// The same, with the number of connections that ended by a panic.
async fn watched(password: Option<&'static str>) -> (SocketAddr, watch::Sender<bool>, Arc<AtomicUsize>) {
    let broken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&broken);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopping) = watch::channel(false);
    let limits = Limits { startup: Duration::from_millis(500), ..Limits::default() };
    let server = Arc::new(Server::new(Arc::new(Made { password }), limits, stopping));
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let server = Arc::clone(&server);
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                if tokio::spawn(async move { server.serve(tcp).await }).await.is_err() {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    (address, stop, broken)
}

async fn connected(address: SocketAddr, options: &str) -> Result<Postgres, tokio_postgres::Error> {
    let config = format!("host=127.0.0.1 port={} {options}", address.port());
    let (client, connection) = tokio_postgres::connect(&config, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn client() -> (Postgres, watch::Sender<bool>) {
    let (address, stop) = served(None).await;
    (connected(address, "user=ana dbname=clinic").await.unwrap(), stop)
}

fn code(error: &tokio_postgres::Error) -> &str {
    error.code().map_or("none", |code| code.code())
}

#[tokio::test]
async fn passwords_and_databases() {
    let (address, _stop) = served(Some("secret")).await;
    let begun = |options: &'static str| connected(address, options);
    assert!(begun("user=ana password=secret dbname=clinic").await.is_ok());
    let mut told = Vec::new();
    for options in ["user=ana password=wrong dbname=clinic", "user=nobody password=secret dbname=clinic"] {
        let error = begun(options).await.err().unwrap();
        let message = error.as_db_error().unwrap().message().replace("ana", "?").replace("nobody", "?");
        told.push((code(&error).to_owned(), message));
    }
    assert_eq!(told[0], told[1], "nobody learns who has an account");
    assert_eq!(told[0].0, "28000");
    assert_eq!(code(&begun("user=ana password=secret dbname=other").await.err().unwrap()), "3D000");
}

#[tokio::test]
async fn answers_in_text_and_binary() {
    let (client, _stop) = client().await;
    let messages =
        client.simple_query("SELECT region, COUNT(*) FROM visits GROUP BY region; SELECT 1 AS one").await.unwrap();
    let rows: Vec<_> = messages
        .iter()
        .filter_map(|message| if let SimpleQueryMessage::Row(row) = message { Some(row) } else { None })
        .collect();
    assert_eq!((rows.len(), rows[0].get(0), rows[4].get(0), rows[5].get("one")), (6, Some("a"), None, Some("1")));
    // Binary, with parameters that the server gives types.
    let rows = client
        .query("SELECT region, COUNT(*) FROM visits WHERE age > $1 AND region = ANY($2)", &[&40_i64, &vec!["a", "b"]])
        .await
        .unwrap();
    assert_eq!(rows.len(), 5);
    assert_eq!(
        (rows[1].get::<_, Option<&str>>(0), rows[1].get::<_, i64>(1), rows[1].get::<_, f64>(2)),
        (Some("b"), 10, 0.5)
    );
    let error = client.query("SELECT COUNT(*) FROM nothing", &[]).await.unwrap_err();
    let told = error.as_db_error().unwrap();
    assert_eq!((told.code().code(), told.hint()), ("42P01", Some("visits is one")));
    // After a failure all goes on.
    assert_eq!(client.query_one("SELECT 2 + 3 AS five", &[]).await.unwrap().get::<_, i32>(0), 5);
    let plan = client.query_one("EXPLAIN SELECT COUNT(*) FROM visits WHERE age < 3", &[]).await.unwrap();
    assert_eq!(plan.get::<_, &str>(0), "SELECT COUNT(*) FROM visits WHERE age < 3");
}

#[tokio::test]
async fn catalogs_and_tables_of_the_server() {
    let (client, _stop) = client().await;
    let rows = client
        .query("SELECT table_name FROM information_schema.tables WHERE table_schema = $1", &[&"public"])
        .await
        .unwrap();
    assert_eq!(rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>(), ["visits"]);
    let rows = client.simple_query("SELECT * FROM deniable.budget").await.unwrap();
    assert!(rows.iter().any(|row| matches!(row, SimpleQueryMessage::Row(row) if row.get(0) == Some("0.75"))));
    assert_eq!(code(&client.simple_query("SELECT * FROM visits, pg_class").await.unwrap_err()), "0A000");
    assert_eq!(code(&client.simple_query("DROP TABLE visits").await.unwrap_err()), "0A000");
}

#[tokio::test]
async fn transactions_settings_and_cursors() {
    let (mut client, _stop) = client().await;
    client.simple_query("SET deniable.spend = '1/40'").await.unwrap();
    assert_eq!(code(&client.simple_query("SET deniable.other = 1").await.unwrap_err()), "22023");
    let shown = client.query_one("SHOW deniable.spend", &[]).await.unwrap();
    assert_eq!(shown.get::<_, &str>(0), "1/40");
    assert_eq!(code(&client.simple_query("DECLARE c CURSOR FOR SELECT n FROM visits").await.unwrap_err()), "25P01");
    let transaction = client.transaction().await.unwrap();
    transaction.simple_query("DECLARE c CURSOR FOR SELECT n FROM visits").await.unwrap();
    let counts =
        |rows: Vec<SimpleQueryMessage>| rows.iter().filter(|row| matches!(row, SimpleQueryMessage::Row(_))).count();
    assert_eq!(counts(transaction.simple_query("FETCH 2 FROM c").await.unwrap()), 2);
    assert_eq!(counts(transaction.simple_query("FETCH ALL FROM c").await.unwrap()), 3);
    // A portal some rows at a time.
    let portal = transaction.bind("SELECT n FROM visits", &[]).await.unwrap();
    let parts = [3, 3, 3].map(|most| transaction.query_portal(&portal, most));
    let mut sizes = Vec::new();
    for part in parts {
        sizes.push(part.await.unwrap().len());
    }
    assert_eq!(sizes, [3, 2, 0]);
    assert!(transaction.simple_query("SELECT n FROM nothing").await.is_err());
    assert_eq!(code(&transaction.simple_query("SELECT n FROM visits").await.unwrap_err()), "25P02");
    transaction.rollback().await.unwrap();
    assert_eq!(code(&client.simple_query("FETCH 1 FROM c").await.unwrap_err()), "26000");
}

#[tokio::test]
async fn copies() {
    use futures_util::TryStreamExt;
    let (client, _stop) = client().await;
    let sql = "COPY (SELECT region, n FROM visits) TO STDOUT WITH (FORMAT csv, HEADER)";
    let parts: Vec<bytes::Bytes> = Box::pin(client.copy_out(sql).await.unwrap()).try_collect().await.unwrap();
    let text = String::from_utf8(parts.concat()).unwrap();
    assert!(
        text.starts_with("region,n,mean,total,day\na,0,0.5,12345.60,2024-06-30\n") && text.lines().count() == 6,
        "{text}"
    );
}

#[tokio::test]
async fn what_takes_long_can_be_called_off() {
    let (client, stop) = client().await;
    let token = client.cancel_token();
    let (slow, cancelled) = tokio::join!(client.simple_query("SELECT slow FROM visits"), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        token.cancel_query(NoTls).await
    });
    cancelled.unwrap();
    assert_eq!(code(&slow.unwrap_err()), "57014");
    client.simple_query("SET statement_timeout = '50ms'").await.unwrap();
    assert_eq!(code(&client.simple_query("SELECT slow FROM visits").await.unwrap_err()), "57014");
    // The server goes down.
    stop.send(true).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(client.simple_query("SELECT 1").await.is_err());
}

/// Some drivers describe a cursor of SQL as the portal that it is.
#[tokio::test]
async fn cursors_are_portals() {
    let (address, _stop) = served(None).await;
    let mut tcp = raw(address).await;
    heard(&mut tcp).await;
    let sql = b"BEGIN; DECLARE cur CURSOR FOR SELECT n FROM visits\0";
    let asked =
        [message(b'Q', sql), message(b'D', b"Pcur\0"), message(b'E', b"cur\0\0\0\0\x02"), message(b'S', b"")].concat();
    tcp.write_all(&asked).await.unwrap();
    let (told, _) = heard(&mut tcp).await;
    assert!(
        told.windows(7).any(|part| part == b"FETCH 2") && told.windows(6).any(|part| part == b"region"),
        "{told:?}"
    );
}

async fn raw(address: SocketAddr) -> TcpStream {
    let mut tcp = TcpStream::connect(address).await.unwrap();
    let body = b"user\0ana\0database\0clinic\0\0";
    let mut first = BytesMut::new();
    first.put_u32(u32::try_from(body.len() + 8).unwrap());
    first.put_u32(3 << 16);
    first.put_slice(body);
    tcp.write_all(&first).await.unwrap();
    tcp
}

/// What is read until the server is silent or ends the connection; and whether it ended.
async fn heard(tcp: &mut TcpStream) -> (Vec<u8>, bool) {
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match timeout(Duration::from_millis(300), tcp.read(&mut buffer)).await {
            Err(_) => return (all, false),
            Ok(Ok(0) | Err(_)) => return (all, true),
            Ok(Ok(read)) => all.extend_from_slice(&buffer[..read]),
        }
    }
}

fn message(letter: u8, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(body.len() + 4).unwrap().to_be_bytes();
    [&[letter], length.as_slice(), body].concat()
}

#[tokio::test]
async fn messages_that_are_none_end_the_connection() {
    let (address, _stop) = served(None).await;
    for bad in [
        message(b'Q', b"SELECT 1"),
        message(b'Q', b"\xff\0"),
        message(b'E', b"\0\0"),
        message(b'P', b"\0SELECT 1\0\0\x09"),
        message(b'B', b"\0\0\0\0\0\x01\0\0\0\x09a"),
        message(b'Z', b""),
        vec![b'Q', 0, 0, 0, 1],
        vec![b'Q', 0x7f, 0xff, 0xff, 0xff],
        vec![b'Q', 0xff, 0xff, 0xff, 0xff],
    ] {
        let mut tcp = raw(address).await;
        heard(&mut tcp).await;
        tcp.write_all(&bad).await.unwrap();
        let (told, ended) = heard(&mut tcp).await;
        assert!(
            ended && told.starts_with(b"E") && told.windows(6).any(|part| part == b"VFATAL" || part == b"SFATAL"),
            "{bad:?}: {told:?}"
        );
    }
}

#[tokio::test]
async fn messages_in_the_wrong_place_are_refused_and_all_goes_on() {
    let (address, _stop) = served(None).await;
    let sync = message(b'S', b"");
    for odd in [
        message(b'p', b"secret\0"),
        message(b'E', b"\0\0\0\0\0"),
        message(b'B', b"\0no such\0\0\0\0\0\0\0"),
        message(b'D', b"Snone\0"),
        message(b'P', b"\0SELECT 1; SELECT 2\0\0\0"),
        [
            message(b'P', b"\0SELECT 1\0\0\0"),
            message(b'B', b"\0\0\0\0\0\0\0\x02\0\x01\0\x01"),
            message(b'E', b"\0\x7f\xff\xff\xff"),
        ]
        .concat(),
        [message(b'P', b"\0SELECT $1::int8\0\0\0"), message(b'B', b"\0\0\0\x01\0\x01\0\x01\0\0\0\x01a\0\0")].concat(),
    ] {
        let mut tcp = raw(address).await;
        heard(&mut tcp).await;
        tcp.write_all(&[odd.as_slice(), &sync, &message(b'Q', b"SELECT 7\0")].concat()).await.unwrap();
        let (told, ended) = heard(&mut tcp).await;
        assert!(!ended && told.windows(5).any(|part| part == b"\0\x01\0\0\0" || part == b"ERROR"), "{told:?}");
        assert!(told.ends_with(b"Z\0\0\0\x05I") && told.windows(5).any(|part| part == b"SELEC"), "{odd:?}");
    }
}

#[tokio::test]
async fn who_says_nothing_or_half_of_it_is_not_waited_for() {
    let (address, _stop) = served(None).await;
    for half in [&b""[..], b"\0\0", b"\0\0\0\x20\0\x03\0\0user", b"\0\0\0\x08\x04\xd2\x16\x2f", b"\x16\x03\x01"] {
        let mut tcp = TcpStream::connect(address).await.unwrap();
        tcp.write_all(half).await.unwrap();
        tokio::time::sleep(Duration::from_millis(700)).await;
        assert!(heard(&mut tcp).await.1, "{half:?}");
    }
}

/// Numbers that look random, and are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Messages as clients send them, some of them changed, cut, doubled or in another order: nothing panics, and nothing hangs. A few thousand, and
/// a hundred thousand at full scale.
#[tokio::test(flavor = "multi_thread")]
async fn messages_of_all_kinds() {
    let (address, _stop, broken) = watched(None).await;
    let good: Vec<Vec<u8>> = vec![
        message(b'Q', b"SELECT region, n FROM visits; SET deniable.spend = 1; SHOW all\0"),
        message(b'Q', b"BEGIN; DECLARE c CURSOR FOR SELECT n FROM visits; FETCH 2 FROM c\0"),
        message(b'Q', b"COPY (SELECT n FROM visits) TO STDOUT (FORMAT binary)\0"),
        message(b'Q', b"SELECT relname FROM pg_class WHERE oid = 'visits'::regclass\0"),
        message(b'Q', b"ROLLBACK; DISCARD ALL; EXPLAIN SELECT n FROM visits\0"),
        message(b'P', b"s\0SELECT n FROM visits WHERE age > $1 AND region = $2\0\0\x02\0\0\0\x14\0\0\0\x19"),
        message(b'B', b"p\0s\0\0\x02\0\x01\0\0\0\x02\0\0\0\x08\0\0\0\0\0\0\0\x05\0\0\0\x01a\0\x01\0\x01"),
        message(b'D', b"Ss\0"),
        message(b'D', b"Pp\0"),
        message(b'E', b"p\0\0\0\0\x02"),
        message(b'C', b"Pp\0"),
        message(b'H', b""),
        message(b'S', b""),
        message(b'd', b"data"),
        message(b'c', b""),
        message(b'f', b"why\0"),
    ];
    let connections = deniable_testing::sized(100, 2_500);
    let mut draws = Draws(22);
    for _ in 0..connections {
        let mut tcp = raw(address).await;
        let mut sent = Vec::new();
        for _ in 0..40 {
            let mut one = good[draws.below(good.len())].clone();
            match draws.below(6) {
                // The letter, the length, or anything else.
                0 => {
                    let at = draws.below(one.len());
                    one[at] = u8::try_from(draws.below(256)).unwrap();
                }
                // A body of another length, under a head that says so.
                1 => {
                    let letter = one[0];
                    let mut body = one[5..].to_vec();
                    body.truncate(draws.below(body.len() + 1));
                    one = message(letter, &body);
                }
                2 => {
                    let at = 5 + draws.below(one.len() - 4);
                    let (letter, mut body) = (one[0], one[5..].to_vec());
                    body.insert(at - 5, u8::try_from(draws.below(256)).unwrap());
                    one = message(letter, &body);
                }
                _ => {}
            }
            sent.extend(one);
        }
        // It may end the connection before all is sent.
        let _ = tcp.write_all(&sent).await;
        let _ = tcp.shutdown().await;
        let mut told = Vec::new();
        let ended = timeout(Duration::from_secs(20), tcp.read_to_end(&mut told)).await;
        assert!(ended.is_ok(), "it hangs after {sent:?}");
        assert_eq!(broken.load(Ordering::Relaxed), 0, "it panics after {sent:?}");
    }
}
