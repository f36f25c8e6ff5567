//! An answer that the curator withdraws while the server runs.

use super::stream::{HeardBytes, WatchedConnection};
use super::{asked, csv, running};
use deniable_core::exact::{ratio, whole};
use deniable_ledger::Ledger;
use std::time::Duration;

const QUERY: &str = "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t";
const UNPRICED: &str = "SELECT COUNT(*) AS n FROM t";
const RELEASES: &str = "SELECT withdrawn IS NOT NULL, withdrawal_reason FROM deniable.releases";

/// The replies that the server cached are marked, too, and only the accounts that see the answer see the mark.
#[tokio::test(flavor = "multi_thread")]
async fn a_withdrawn_answer_is_free_and_marked() {
    let parts = [("cora", whole(0)), ("ana", ratio(1, 4)), ("bo", ratio(1, 4))];
    let server = running(&csv(20, 0), Duration::ZERO, &parts).await;
    let heard = HeardBytes::default();
    let (ana, _) = server.connected("ana", |tcp| WatchedConnection::heard_by(tcp, &heard)).await;
    let bo = server.client("bo").await;
    let heard_since = || String::from_utf8_lossy(&std::mem::take(&mut *heard.lock().unwrap())).into_owned();
    let answer = asked(&ana, QUERY).await.unwrap();
    asked(&bo, "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t WHERE age > 9").await.unwrap();
    // Cached, with and without a price.
    for sql in [QUERY, UNPRICED] {
        assert_eq!(asked(&ana, sql).await.unwrap(), answer);
        let heard = heard_since();
        assert!(!heard.contains("withdrew"), "{heard}");
    }
    let mut ledger = Ledger::open_or_create(&server.ledger, "patients").unwrap();
    let charge = server.ledger().accounts[0].releases[0].seq;
    ledger.withdraw(charge, "wrong caps").unwrap();
    // Counts of answers are reused for a second.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    for sql in [QUERY, UNPRICED] {
        assert_eq!(asked(&ana, sql).await.unwrap(), answer, "the numbers stay");
        let heard = heard_since();
        assert!(heard.contains("WARNING") && heard.contains("the curator withdrew this answer on"), "{heard}");
        assert!(heard.contains(": wrong caps"), "{heard}");
    }
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(asked(&ana, RELEASES).await.unwrap(), [[text("t"), text("wrong caps")]]);
    assert_eq!(asked(&bo, RELEASES).await.unwrap(), [[text("f"), None]]);
    assert_eq!(server.ledger().accounts[0].releases.len(), 2, "nothing is charged");
}
