//! Parts of a promise that holds but for a chance.

use super::{POLICY, asked, csv, serving};
use deniable::Policy;
use deniable_core::exact::ratio;
use std::fs;
use std::time::Duration;

/// What an analyst asks, is refused and is shown does not depend on what the others ask (C-7), also by the second promise.
#[tokio::test(flavor = "multi_thread")]
async fn a_reserved_part_is_refused_by_its_own_charges() {
    let promise =
        "promise = { posterior_at_most = 0.9, but_for = { chance = \"1/1000000\", posterior_at_most = 0.75 } }";
    let text = POLICY.replace("promise = { posterior_at_most = 0.75 }", promise);
    let query = |share: &str, age: usize| {
        format!("/* deniable.spend = {share} */ SELECT COUNT(*) AS n FROM t WHERE age > {age}")
    };
    let seen = async |others: bool| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.csv"), csv(20, 0)).unwrap();
        let policy = Policy::parse(&folder.path().join("policy.toml"), &text).unwrap();
        let parts = [("ana", ratio(1, 4)), ("bo", ratio(1, 4)), ("cy", ratio(0, 1))];
        let server = serving(folder, policy, &[], Duration::ZERO, &parts, |served| served).await;
        let (ana, bo, cy) = (server.client("ana").await, server.client("bo").await, server.client("cy").await);
        let mut told = Vec::new();
        // One of 1/8 is larger than what 38 equal answers of a quarter may give; then as many of 1/32 as fit.
        for at in 0..6 {
            if others {
                for client in [&bo, &cy] {
                    asked(client, &query("1/64", 30 + at)).await.unwrap();
                }
            }
            let own = query(if at == 0 { "1/8" } else { "1/32" }, at);
            let plan = asked(&ana, &format!("EXPLAIN {own}")).await.unwrap();
            // The stated expense of a query depends on its own size only.
            told.push(plan.concat().into_iter().flatten().collect::<Vec<_>>().join("\n"));
            told.push(match ana.simple_query(&own).await {
                Ok(_) => "answered".to_owned(),
                Err(error) => error.as_db_error().unwrap().message().to_owned(),
            });
        }
        for table in ["budget", "promise"] {
            let rows = asked(&ana, &format!("SELECT * FROM deniable.{table}")).await.unwrap();
            told.extend(rows.concat().into_iter().flatten());
        }
        told
    };
    let alone = seen(false).await;
    assert_eq!(alone, seen(true).await);
    let refused: Vec<&String> = alone.iter().filter(|told| told.contains("could give an odds ratio of")).collect();
    assert!(!refused.is_empty(), "{alone:?}");
    assert!(alone.iter().any(|told| told == "answered"), "{alone:?}");
    assert!(alone.iter().any(|told| told.contains("odds of") && told.contains("are counted, of")), "{alone:?}");
}
