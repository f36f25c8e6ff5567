//! Tests with a common client against a fixed backend; `odd` sends bytes that no client would send.

mod limits;
mod odd;

use super::*;
use crate::catalog::{Description, Table, Type};
use async_trait::async_trait;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::net::TcpListener;
use tokio_postgres::{Client as Postgres, NoTls, SimpleQueryMessage};

/// A backend that answers every query with the same rows, and counts plans and wrong passwords.
struct FixedAnswers {
    password: Option<&'static str>,
    /// The number of recorded wrong passwords.
    wrong: Arc<AtomicUsize>,
    removed: Arc<AtomicBool>,
    /// The number of queries for which a plan was requested.
    plans: Arc<AtomicUsize>,
}

struct FixedSession {
    removed: Arc<AtomicBool>,
    plans: Arc<AtomicUsize>,
}

/// Rows of a large answer, and bytes of each row.
const LARGE: usize = 40;
const WIDE: usize = 1 << 20;

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

impl Backend for FixedAnswers {
    fn tls(&self) -> Option<TlsAcceptor> {
        None
    }

    fn certificate(&self) -> Option<Vec<u8>> {
        None
    }

    fn needs_tls(&self) -> bool {
        false
    }

    fn proof(&self, user: &str) -> Proof {
        match self.password {
            None => Proof::None,
            Some(password) if user == "ana" => Proof::Password(Verifier::of_password(password, b"salt")),
            Some(_) => Proof::Password(Verifier::unmet(b"salt", &[7; 32])),
        }
    }

    fn attempt(&self, _: &str, _: SocketAddr) -> Result<Duration, Failure> {
        Ok(Duration::ZERO)
    }

    fn wrong_password(&self, _: &str, _: SocketAddr) {
        self.wrong.fetch_add(1, Ordering::Relaxed);
    }

    fn right_password(&self, _: &str, _: SocketAddr) {}

    fn begin(&self, client: Client) -> Result<Arc<dyn Session>, Failure> {
        if client.database != "clinic" {
            return Err(Failure::new(Code::NoDatabase, format!("there is no database \"{}\"", client.database)));
        }
        Ok(Arc::new(FixedSession { removed: Arc::clone(&self.removed), plans: Arc::clone(&self.plans) }))
    }
}

#[async_trait]
impl Session for FixedSession {
    fn check(&self) -> Result<(), Failure> {
        match self.removed.load(Ordering::Relaxed) {
            true => Err(Failure::new(Code::NotLetIn, "the account was removed")),
            false => Ok(()),
        }
    }

    async fn place(&self) -> Result<Place, Failure> {
        Ok(Box::new(()))
    }

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

    async fn rows(&self, _: &str, _: &str, _: &OwnSettings) -> Result<Rows, Failure> {
        Ok(vec![vec![Some("0.75".into())]])
    }

    fn query(&self, query: Query) -> Arc<dyn PreparedQuery> {
        self.plans.fetch_add(1, Ordering::Relaxed);
        Arc::new(FixedQuery(query))
    }

    async fn call(&self, name: &str, arguments: &[String], settings: &OwnSettings) -> Result<(), Failure> {
        let message = format!(
            "{name}: {} at {}",
            arguments.join(", "),
            settings.get("spend").filter(|spend| !spend.is_empty()).unwrap_or("nothing")
        );
        if name == "deniable.approve" { Ok(()) } else { Err(Failure::new(Code::NotSupported, message)) }
    }

    fn own_settings(&self) -> &'static [(&'static str, &'static str)] {
        &[("spend", "")]
    }

    fn setting(&self, name: &str, value: &str) -> Result<String, Failure> {
        if name == "spend" { Ok(value.into()) } else { Err(Failure::new(Code::Setting, format!("no setting {name}"))) }
    }
}

struct FixedQuery(Query);

#[async_trait]
impl PreparedQuery for FixedQuery {
    fn query(&self) -> &Query {
        &self.0
    }

    async fn columns(&self) -> Result<Vec<Column>, Failure> {
        if self.0.sql.contains("nothing") {
            return Err(Failure::new(Code::NoTable, "there is no table nothing").hint("visits is one"));
        }
        Ok(columns())
    }

    async fn answer(&self, submitted: &Submission) -> Result<Reply, Failure> {
        let columns = self.columns().await?;
        if self.0.sql.contains("charged") {
            submitted.set();
        }
        if self.0.sql.contains("slow") {
            std::future::pending::<()>().await;
        }
        let text = |text: &str| Some(text.to_owned());
        if self.0.sql.contains("large") {
            // More than all buffers between the two ends hold.
            let rows = (0..LARGE).map(|at| vec![text(&"x".repeat(WIDE)), text(&at.to_string()), None, None, None]);
            return Ok(Reply { columns, rows: Arc::new(rows.collect()), notices: Vec::new() });
        }
        let rows = (0..5).map(|at| {
            let region = if at == 4 { None } else { text(["a", "b", "c", "d"][at]) };
            vec![region, Some((at * 10).to_string()), text("0.5"), text("12345.60"), text("2024-06-30")]
        });
        let spend = self.0.setting("spend").filter(|spend| !spend.is_empty()).unwrap_or("nothing");
        let notices = vec![Notice::new(format!("{} at {spend}", self.0.sql))];
        Ok(Reply { columns, rows: Arc::new(rows.collect()), notices })
    }

    async fn explain(&self) -> Result<Reply, Failure> {
        let columns = vec![Column { name: "QUERY PLAN".into(), data_type: Type::TEXT }];
        Ok(Reply { columns, rows: Arc::new(vec![vec![Some(self.0.sql.clone())]]), notices: Vec::new() })
    }
}

async fn served(password: Option<&'static str>) -> (SocketAddr, watch::Sender<bool>) {
    let WatchedServer { address, stop, .. } = watched(password, Limits::default()).await;
    (address, stop)
}

/// A server, and the number of its connections that have ended.
struct WatchedServer {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    /// The number of ended connections, and of those that ended by a panic.
    ended: Arc<AtomicUsize>,
    broken: Arc<AtomicUsize>,
    wrong: Arc<AtomicUsize>,
    removed: Arc<AtomicBool>,
    plans: Arc<AtomicUsize>,
}

async fn watched(password: Option<&'static str>, limits: Limits) -> WatchedServer {
    let (ended, broken) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counts = (Arc::clone(&ended), Arc::clone(&broken));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopping) = watch::channel(false);
    let (wrong, removed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let plans = Arc::new(AtomicUsize::new(0));
    let made =
        FixedAnswers { password, wrong: Arc::clone(&wrong), removed: Arc::clone(&removed), plans: Arc::clone(&plans) };
    let server = Arc::new(Server::new(Arc::new(made), limits, stopping));
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let server = Arc::clone(&server);
            let (ended, broken) = counts.clone();
            tokio::spawn(async move {
                if tokio::spawn(async move { server.serve(tcp).await }).await.is_err() {
                    broken.fetch_add(1, Ordering::Relaxed);
                }
                ended.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    WatchedServer { address, stop, ended, broken, wrong, removed, plans }
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
    assert_eq!(told[0], told[1], "the error reveals whether a user exists");
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
    // Binary values, with parameter types from the server.
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
    // After an error the connection remains usable.
    assert_eq!(client.query_one("SELECT 2 + 3 AS five", &[]).await.unwrap().get::<_, i32>(0), 5);
    let plan = client.query_one("EXPLAIN SELECT COUNT(*) FROM visits WHERE age < 3", &[]).await.unwrap();
    assert_eq!(plan.get::<_, &str>(0), "SELECT COUNT(*) FROM visits WHERE age < 3");
}

/// A statement keeps the plan that Describe made until it is executed. Other values of its parameters, or other
/// settings, need a new plan.
#[tokio::test]
async fn describe_and_execute_share_one_plan() {
    let limits = Limits { portals: 2, ..Limits::default() };
    let watched = watched(None, limits).await;
    let client = connected(watched.address, "user=ana dbname=clinic").await.unwrap();
    let plans = || watched.plans.swap(0, Ordering::Relaxed);
    client.simple_query("SELECT COUNT(*) FROM visits").await.unwrap();
    assert_eq!(plans(), 1, "simple protocol");
    let sql = "SELECT region, COUNT(*) FROM visits GROUP BY region";
    let described = client.prepare(sql).await.unwrap();
    client.query(&described, &[]).await.unwrap();
    assert_eq!(plans(), 1, "Describe and Execute");
    client.query(&described, &[]).await.unwrap();
    assert_eq!(plans(), 1, "the first Execute takes the plan");
    let described = client.prepare(sql).await.unwrap();
    client.simple_query("SET deniable.spend = '1/40'").await.unwrap();
    let rows = client.query(&described, &[]).await.unwrap();
    assert_eq!((rows.len(), plans()), (5, 2), "another setting");
    let described = client.prepare("SELECT COUNT(*) FROM visits WHERE age > $1").await.unwrap();
    client.query(&described, &[&40_i64]).await.unwrap();
    assert_eq!(plans(), 2, "placeholders for the columns, and then the value");
    // Plans beyond a limit are dropped.
    let mut described = Vec::new();
    for at in 0..4 {
        described.push(client.prepare(&format!("SELECT COUNT(*) FROM visits WHERE age = {at}")).await.unwrap());
    }
    for statement in &described {
        client.query(statement, &[]).await.unwrap();
    }
    assert_eq!(plans(), 6, "2 of 4 plans are kept");
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
    // A portal, executed a few rows at a time.
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

/// Unsupported queries of clients about PostgreSQL's catalogs return no rows; other unsupported queries are errors.
#[tokio::test]
async fn unknown_names_are_errors_except_in_catalogs() {
    let (client, _stop) = client().await;
    for (sql, wanted) in [
        ("SELECT nosuch(1)", "42601"),
        ("SELECT deniable.approve(1)", "42601"),
        ("SELECT lift FROM deniable.budget", "42601"),
        ("SELECT * FROM deniable.budgets", "42P01"),
        ("SET LOCAL deniable.spend = '1/8'", "25P01"),
        ("SET search_path = simulated", "22023"),
        ("SHOW deniable.sped", "22023"),
        ("SELECT set_config('deniable.spend', '1/8', false)", "0A000"),
        ("SELEC 1", "42601"),
        ("INSERT INTO visits VALUES (1)", "0A000"),
    ] {
        let refused = client.simple_query(sql).await.unwrap_err();
        assert_eq!(code(&refused), wanted, "{sql}: {refused:?}");
    }
    for sql in [
        "SELECT set_config('search_path', '', false)",
        "SELECT * FROM pg_nothing",
        "SELECT pg_no_such_function(1)",
        "SHOW deniable.spend",
    ] {
        client.simple_query(sql).await.unwrap();
    }
}

#[tokio::test]
async fn procedures() {
    let (client, _stop) = client().await;
    client.batch_execute("CALL deniable.approve(3, 'as agreed')").await.unwrap();
    client.execute("CALL deniable.approve($1)", &[&"3"]).await.unwrap();
    let told = |error: tokio_postgres::Error| error.as_db_error().unwrap().message().to_owned();
    client.batch_execute("SET deniable.spend = '1/8'").await.unwrap();
    assert_eq!(told(client.batch_execute("CALL other(3, 'x')").await.unwrap_err()), "other: 3, x at 1/8");
    let null: Option<&str> = None;
    let refused = client.execute("CALL deniable.approve($1)", &[&null]).await.unwrap_err();
    assert_eq!(told(refused), "no argument of deniable.approve may be NULL");
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
async fn slow_queries_can_be_cancelled() {
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
    // The server shuts down.
    stop.send(true).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(client.simple_query("SELECT 1").await.is_err());
}
