//! A ledger or a policy that is replaced while the server runs.

use super::{POLICY, asked, csv, running};
use deniable::{Policy, Query};
use deniable_core::exact::ratio;
use deniable_serve::server::Setup;
use std::fs;
use std::time::Duration;

fn query(age: u8) -> String {
    format!("/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t WHERE age > {age}")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_ledger_is_not_charged_under_a_running_server() {
    let server = running(&csv(20, 0), Duration::ZERO, &[("ana", ratio(1, 2))]).await;
    let ana = server.client("ana").await;
    let answer = asked(&ana, &query(1)).await.unwrap();
    let older = fs::read(&server.ledger).unwrap();
    let later = asked(&ana, &query(2)).await.unwrap();
    let newest = fs::read(&server.ledger).unwrap();
    fs::write(&server.ledger, &older).unwrap();
    assert_eq!(asked(&ana, &query(3)).await.unwrap_err(), "XX000");
    // Cached answers are shown as before; other queries get the fixed error.
    for (age, known) in [(2, &later), (1, &answer)] {
        match asked(&ana, &query(age)).await {
            Ok(shown) => assert_eq!(shown, *known, "{age}"),
            Err(code) => assert_eq!(code, "XX000", "{age}"),
        }
    }
    assert_eq!(fs::read(&server.ledger).unwrap(), older, "nothing is charged");
    // With the newest ledger back, the server continues.
    fs::write(&server.ledger, &newest).unwrap();
    assert_eq!(asked(&ana, &query(1)).await.unwrap(), answer);
    asked(&ana, &query(3)).await.unwrap();
    assert_eq!(server.ledger().accounts[0].releases.len(), 3);
}

/// A statement described under one policy and executed under another is charged under the second policy.
#[tokio::test(flavor = "multi_thread")]
async fn a_described_statement_is_charged_under_the_policy_of_its_execution() {
    let server = running(&csv(20, 0), Duration::ZERO, &[("ana", ratio(1, 2))]).await;
    let ana = server.client("ana").await;
    let sql = query(1);
    let statement = ana.prepare(&sql).await.unwrap();
    let before = server.served.given();
    let text = POLICY.replace("rows_per_group = 2", "rows_per_group = 1");
    let policy = Policy::parse(before.policy.file(), &text).unwrap();
    server.served.change(Setup { accounts: before.accounts, ..Setup::new(policy.clone(), None, None) });
    ana.query(&statement, &[]).await.unwrap();
    let plan = Query::new("query", sql, ratio(1, 40)).plan(&policy).unwrap();
    let identity = plan.queries()[0].for_ledger(&policy).identity;
    let ledger = server.ledger();
    let releases = &ledger.accounts[0].releases;
    assert_eq!((releases.len(), &releases[0].query.identity), (1, &identity));
}
