//! The server plans the SQL of a request once, however many steps from Describe to the answer use the plan.

use super::{POLICY, RunningServer, asked, csv, running};
use deniable::{Policy, Session};
use deniable_core::exact::ratio;
use deniable_release::plan::times_planned;
use deniable_testing::in_own_process;
use std::time::Duration;

/// Stored answers in the ledger, for the second half of the test.
const STORED: usize = 20;

/// The number of times that SQL was planned since `before`.
fn since(before: usize) -> usize {
    times_planned() - before
}

/// Releases queries to all users, in one run.
fn publish(server: &RunningServer, queries: usize) {
    let query = |at: usize| format!("[[query]]\nsql = \"SELECT COUNT(*) FROM t WHERE age > {at}\"\n");
    let (head, _) = POLICY.split_once("[[query]]").unwrap();
    let text = format!("{head}budget = {{ spend = \"1/4\" }}\n{}", (0..queries).map(query).collect::<String>());
    let policy = Policy::parse(&server.ledger.with_file_name("policy.toml"), &text).unwrap();
    Session::new(policy).unwrap().release().wait().unwrap();
}

#[test]
fn a_request_plans_once() {
    if !in_own_process("it::plans::a_request_plans_once") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let server = running(&csv(20, 0), Duration::from_millis(50), &[("ana", ratio(1, 2))]).await;
        let client = server.client("ana").await;
        client.simple_query("SET deniable.spend = '1/1000'").await.unwrap();
        for stored in [0, STORED] {
            if stored > 0 {
                publish(&server, stored);
            }
            let releases = || server.ledger().accounts[0].releases.len();
            let before = (times_planned(), releases());
            asked(&client, &format!("SELECT sex, AVG(age) FROM t WHERE age < {} GROUP BY sex", 50 + stored))
                .await
                .unwrap();
            assert_eq!((since(before.0), releases()), (1, before.1 + 1), "simple protocol, {stored} stored answers");
            let before = (times_planned(), releases());
            let sql = format!("SELECT sex, SUM(age) FROM t WHERE age < {} GROUP BY sex", 60 + stored);
            let statement = client.prepare(&sql).await.unwrap();
            client.query(&statement, &[]).await.unwrap();
            assert_eq!((since(before.0), releases()), (1, before.1 + 1), "extended protocol, {stored} stored answers");
            // A repeated query gets the cached reply.
            let before = times_planned();
            client.query(&statement, &[]).await.unwrap();
            assert_eq!(since(before), 0, "asked again, {stored} stored answers");
            let before = times_planned();
            asked(&client, "EXPLAIN SELECT COUNT(*) FROM t WHERE age < 7").await.unwrap();
            assert_eq!(since(before), 1, "EXPLAIN, {stored} stored answers");
        }
    });
}
