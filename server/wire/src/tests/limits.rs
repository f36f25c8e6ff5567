//! Slow catalog queries, removed accounts, and messages with wrong lengths.

use super::odd::{PATIENCE, begin, is_fatal, message, next, until_end};
use super::*;
use std::time::Instant;
use tokio::io::AsyncWriteExt;

/// An authenticated client, and the state of its server.
async fn watched_client() -> (Postgres, WatchedServer) {
    let watched = watched(None, Limits::default()).await;
    (connected(watched.address, "user=ana dbname=clinic").await.unwrap(), watched)
}

/// Two queries of attackers that ran for ever, and the slowest query that is not refused at once.
const LONG: [&str; 3] = [
    "SELECT count(*) FROM (SELECT DISTINCT hex(randomblob(300000)) AS x FROM pg_attribute a, pg_attribute b) t",
    "SELECT count(*) FROM pg_attribute a, pg_attribute b WHERE a.attname ~ ('(\\w{1,60}\\W?){5}' || b.attname)",
    "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d",
];

#[tokio::test(flavor = "multi_thread")]
async fn long_catalog_queries_end_with_an_error() {
    let (client, _watched) = watched_client().await;
    for (sql, wanted) in LONG.into_iter().zip(["0A000", "54000", "54000"]) {
        let begun = Instant::now();
        let refused = timeout(PATIENCE, client.simple_query(sql)).await.expect("it does not end").unwrap_err();
        assert_eq!(code(&refused), wanted, "{sql}: {refused:?}");
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?} for {sql}", begun.elapsed());
    }
    // The connection stays usable.
    client.simple_query("SELECT relname FROM pg_class").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn catalog_queries_obey_timeouts_and_cancel() {
    let (client, _watched) = watched_client().await;
    client.simple_query("SELECT relname FROM pg_class; SET statement_timeout = '100ms'").await.unwrap();
    let begun = Instant::now();
    let refused = client.simple_query(LONG[2]).await.unwrap_err();
    let told = refused.as_db_error().unwrap();
    assert_eq!((told.code().code(), told.hint()), ("57014", Some("nothing was charged")));
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    client.simple_query("SET statement_timeout = 0; SELECT relname FROM pg_class").await.unwrap();
    let token = client.cancel_token();
    let begun = Instant::now();
    let (long, cancelled) = tokio::join!(client.simple_query(LONG[2]), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        token.cancel_query(NoTls).await
    });
    cancelled.unwrap();
    assert_eq!(code(&long.unwrap_err()), "57014");
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

/// Submitted queries are charged, others are not: the hint of a timeout distinguishes them.
#[tokio::test]
async fn timeout_hints_report_whether_the_query_was_charged() {
    let (client, _watched) = watched_client().await;
    client.simple_query("SET statement_timeout = '50ms'").await.unwrap();
    for (sql, wanted) in
        [("SELECT slow FROM visits", "nothing was charged"), ("SELECT slow, charged FROM visits", "its charge is kept")]
    {
        let refused = client.simple_query(sql).await.unwrap_err();
        let hint = refused.as_db_error().unwrap().hint().unwrap().to_owned();
        assert!(hint.contains(wanted), "{sql}: {hint}");
    }
}

/// The server does not wait for a client that disconnects while its query runs.
#[tokio::test]
async fn connections_of_disconnected_clients_end() {
    let watched = watched(None, Limits::default()).await;
    let mut tcp = TcpStream::connect(watched.address).await.unwrap();
    tcp.write_all(&[begin(), message(b'Q', b"SELECT slow FROM visits\0")].concat()).await.unwrap();
    while next(&mut tcp).await.unwrap().0 != b'Z' {}
    drop(tcp);
    let begun = Instant::now();
    while watched.ended.load(Ordering::Relaxed) == 0 {
        assert!(begun.elapsed() < PATIENCE, "the connection of a disconnected client is still open");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn connections_of_removed_accounts_end() {
    let (client, watched) = watched_client().await;
    client.simple_query("SHOW server_version").await.unwrap();
    watched.removed.store(true, Ordering::Relaxed);
    assert_eq!(code(&client.simple_query("SHOW server_version").await.unwrap_err()), "28000");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(client.is_closed());
}

/// A query that contains a statement with an effect is refused, also if it reads other tables.
#[tokio::test]
async fn statements_with_effects_in_queries_are_refused() {
    let (client, _watched) = watched_client().await;
    for sql in [
        "WITH gone AS (DELETE FROM pg_class RETURNING oid) SELECT * FROM gone",
        "WITH gone AS (DELETE FROM visits RETURNING age) SELECT count(*) FROM pg_class",
        "WITH new AS (INSERT INTO visits VALUES (1) RETURNING age) SELECT count(*) FROM new",
        "WITH new AS (UPDATE pg_class SET oid = 1 RETURNING oid) SELECT 1",
        "SELECT * INTO copy FROM pg_class",
        "SELECT 1 AS a INTO copy",
        "SELECT * FROM (SELECT * INTO copy FROM pg_class) t",
        "SELECT count(*) INTO copy FROM visits",
        "SELECT pg_sleep(100)",
        "SELECT pg_catalog.pg_sleep_for('5 minutes')",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        "SELECT pg_cancel_backend(1)",
        "SELECT pg_reload_conf()",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_ls_dir('/')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT setval('s', 1)",
        "COPY (WITH gone AS (DELETE FROM pg_class RETURNING oid) SELECT * FROM gone) TO STDOUT",
        "EXPLAIN SELECT pg_sleep(1)",
    ] {
        let refused = client.simple_query(sql).await.expect_err(sql);
        assert_eq!(code(&refused), "0A000", "{sql}: {refused:?}");
    }
}

/// A message with a wrong length gets an error with the reason, also if many bytes follow it.
#[tokio::test]
async fn messages_with_wrong_lengths_get_errors() {
    let watched = watched(None, Limits::default()).await;
    let more = vec![b'x'; 300_000];
    let bind = |rest: &[u8]| message(b'B', &[b"\0\0", rest].concat());
    let formats = [&[0xff, 0xff][..], &vec![0; 131_070]].concat();
    for (lie, wanted) in [
        (bind(b"\xff\xff"), "08P01"),
        // As many formats as declared, for no values.
        (bind(&[&formats[..], b"\0\0\0\0"].concat()), "26000"),
        (bind(b"\0\0\0\x01\xff\xff\xff\xfea\0\0"), "08P01"),
        (bind(b"\0\0\xff\xff"), "08P01"),
        (message(b'P', b"\0SELECT 1"), "08P01"),
        (message(b'P', b"\0SELECT 1\0\xff\xff"), "08P01"),
        (message(b'D', b""), "08P01"),
        (message(b'E', b"\0\0\0"), "08P01"),
        (b"P\xff\xff\xff\xfe".to_vec(), "08P01"),
        (b"P\x7f\xff\xff\xff".to_vec(), "54000"),
        (b"P\0\0\0\x03".to_vec(), "08P01"),
        (vec![0; 40], "08P01"),
    ] {
        let mut tcp = TcpStream::connect(watched.address).await.unwrap();
        tcp.write_all(&begin()).await.unwrap();
        while next(&mut tcp).await.unwrap().0 != b'Z' {}
        // The server need not read all of it.
        let _ = tcp.write_all(&[lie.as_slice(), &more].concat()).await;
        let told = until_end(&mut tcp).await;
        let is_told = told.iter().any(|(letter, body)| {
            *letter == b'E' && body.windows(6).any(|part| part == [b"C", wanted.as_bytes()].concat())
        });
        assert!(is_told, "{wanted} for {:?}: {told:?}", &lie[..lie.len().min(40)]);
    }
    assert_eq!(watched.broken.load(Ordering::Relaxed), 0);
}

/// Malformed messages instead of a proof are rejected, count as wrong passwords, and cause no panic.
#[tokio::test]
async fn malformed_proofs_count_as_wrong_passwords() {
    let watched = watched(Some("secret"), Limits::default()).await;
    let sasl =
        |length: i32, rest: &[u8]| message(b'p', &[b"SCRAM-SHA-256\0", &length.to_be_bytes()[..], rest].concat());
    let lies = [
        message(b'p', b""),
        message(b'p', b"secret\0"),
        message(b'p', b"secret"),
        message(b'p', b"SCRAM-SHA-256\0\0\0"),
        sasl(i32::MAX, b"n,,n=,r=a"),
        sasl(i32::MIN, b""),
        sasl(-2, b"n,,n=,r=a"),
        sasl(100, b"n,,n=,r=a"),
        sasl(-1, b""),
        sasl(3, b"n,,n=,r=a"),
        message(b'Q', b"SELECT 1\0"),
        message(b'B', b"\0\0\xff\xff"),
    ];
    for (at, lie) in lies.iter().enumerate() {
        let mut tcp = TcpStream::connect(watched.address).await.unwrap();
        tcp.write_all(&begin()).await.unwrap();
        assert_eq!(next(&mut tcp).await.unwrap().0, b'R');
        tcp.write_all(lie).await.unwrap();
        let told = until_end(&mut tcp).await;
        assert!(is_fatal(&told, "28000"), "{lie:?}: {told:?}");
        assert_eq!(watched.wrong.load(Ordering::Relaxed), at + 1, "{lie:?}");
    }
    assert_eq!(watched.broken.load(Ordering::Relaxed), 0);
}
