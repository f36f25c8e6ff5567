//! The part of the promise that queries about one version of the data may use (`per_version`).

use super::{POLICY, asked, csv, serving};
use deniable::Policy;
use deniable_core::exact::ratio;
use std::fs;
use std::time::Duration;

/// Each analyst has the same share of each version within the own part, whatever the others ask (C-7).
#[tokio::test(flavor = "multi_thread")]
async fn a_version_has_its_share_of_each_part() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), csv(20, 0)).unwrap();
    let text = POLICY.replace("\n[[query]]", "budget = { per_version = \"1/4\" }\n\n[[query]]");
    let policy = Policy::parse(&folder.path().join("policy.toml"), &text).unwrap();
    let parts = [("ana", ratio(1, 4)), ("bo", ratio(1, 4))];
    let server = serving(folder, policy, &[], Duration::ZERO, &parts, |served| served).await;
    let query =
        |share: &str, age: u8| format!("/* deniable.spend = {share} */ SELECT COUNT(*) AS n FROM t WHERE age > {age}");
    for name in ["ana", "bo"] {
        let client = server.client(name).await;
        asked(&client, &query("1/16", 1)).await.unwrap();
        let refused = client.simple_query(&query("1/1000", 2)).await.unwrap_err();
        let error = refused.as_db_error().unwrap();
        assert!(error.message().contains("what version \"1\" of `t` may use"), "{error:?}");
        assert!(error.hint().is_some_and(|hint| hint.contains("the next version has its own part")), "{error:?}");
        let budget = asked(&client, "SELECT part, share, \"left\" FROM deniable.budget").await.unwrap();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(budget[0], [text(name), text("0.25"), text("0.1875")]);
        assert_eq!(budget[1], [text("version \"1\" of `t`"), text("0.0625"), text("0")]);
        let plan = asked(&client, &format!("EXPLAIN {}", query("1/1000", 2))).await.unwrap();
        assert!(plan[0][0].as_ref().unwrap().starts_with("Refused: the rest of what version"), "{plan:?}");
    }
    assert_eq!(server.ledger().accounts[0].releases.len(), 2);
}
