//! A ledger that is put in place of another one while the server runs.

use super::{asked, csv, running};
use deniable_core::exact::ratio;
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
    // Answers that the server remembers are shown as they were; others meet the same sentence.
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
