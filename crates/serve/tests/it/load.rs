//! Many clients at once: nobody spends more than a part, one question has one answer, and all of it is in the ledger.

use super::{alone, asked, csv, running};
use deniable_core::exact::{ratio, whole};
use deniable_ledger::Part;
use deniable_testing::sized;
use std::collections::BTreeMap;
use std::time::Duration;

/// Clients, and the accounts that they share.
const CLIENTS: usize = 64;
const NAMES: [&str; 4] = ["ana", "bo", "cy", "dee"];
/// Different questions, each at 1/100: more than a part of 1/5 pays for.
const QUESTIONS: usize = 30;

#[tokio::test(flavor = "multi_thread")]
async fn nobody_overspends() {
    let _alone = alone().await;
    let parts: Vec<_> = NAMES.iter().map(|name| (*name, ratio(1, 5))).collect();
    let running = running(&csv(500, 0), Duration::from_millis(10), &parts).await;
    let times = sized(4, 40);
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let client = running.client(NAMES[number % NAMES.len()]).await;
        clients.push(tokio::spawn(async move {
            let mut answers = Vec::new();
            for time in 0..times {
                let question = (number * 7 + time * 11) % QUESTIONS;
                let sql = format!("SELECT sex, COUNT(*) AS n FROM t WHERE age > {question} GROUP BY sex");
                let paid = asked(&client, &format!("/* deniable.spend = 1/100 */ {sql}")).await;
                if let Ok(rows) = &paid {
                    assert_eq!(asked(&client, &sql).await.as_ref(), Ok(rows), "what is paid for is free");
                }
                answers.push((question, paid));
            }
            (number, answers)
        }));
    }
    // By question: what was answered to whomever asked first is what everybody is answered.
    let mut known = BTreeMap::new();
    let mut refused = 0;
    for client in clients {
        let (_, answers) = client.await.unwrap();
        for (question, answer) in answers {
            match answer {
                Ok(rows) => assert_eq!(known.entry(question).or_insert_with(|| rows.clone()), &rows),
                Err(code) => {
                    assert_eq!(code, "42501", "nothing but the budget refuses");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0 || times < 40, "parts are used up");
    let ledger = running.ledger();
    let account = &ledger.accounts[0];
    let promise = account.terms.limit();
    for name in NAMES {
        let spent = account.part(name).unwrap().spent.exact_part_of(promise).unwrap();
        let charged = account.releases.iter().filter(|release| release.part == Part::Named(name.to_owned())).count();
        assert_eq!(spent, ratio(i64::try_from(charged).unwrap(), 100), "{name}");
        assert!(spent <= ratio(1, 5), "{name}");
    }
    assert!(account.spent.exact_part_of(promise).unwrap() <= whole(1));
    assert!(account.releases.iter().all(|release| release.answer.is_some()));
}
