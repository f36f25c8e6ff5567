//! Random acts in random order: never overspent, always verifiable, answers never change.

use super::{FORM, PEOPLE, Place, answer, request, terms, terms_of};
use deniable_core::budget::Spend;
use deniable_core::exact::{ratio, whole};
use deniable_ledger::{ChargeOutcome, ComparedEntities, Contents, Ledger, verify};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
enum Step {
    Charge { identity: u8, part: (i64, i64), policy: u8 },
    Answer { seq: u64, value: i64 },
    Withdraw { seq: u64 },
    Change { odds: i64 },
    Register { version: u8, fingerprint: u8, reading: u8, accepted: u8 },
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..20_u8, 1..4_i64, 2..12_i64, 0..3_u8)
            .prop_map(|(identity, n, d, policy)| Step::Charge { identity, part: (n, d), policy }),
        4 => (0..40_u64, any::<i64>()).prop_map(|(seq, value)| Step::Answer { seq, value }),
        2 => (0..40_u64).prop_map(|seq| Step::Withdraw { seq }),
        1 => (2..30_i64).prop_map(|odds| Step::Change { odds }),
        3 => (0..3_u8, 0..2_u8, 0..2_u8, 0..3_u8)
            .prop_map(|(version, fingerprint, reading, accepted)| Step::Register { version, fingerprint, reading, accepted }),
        1 => Just(Step::Reopen),
    ]
}

/// The expected state, computed independently of the ledger's own fold.
struct Truth {
    /// The charge of each identity that is not closed, and its price.
    paid: BTreeMap<u8, (u64, Spend)>,
    /// The total of the closed charges.
    closed: Spend,
    by_policy: BTreeMap<u8, Spend>,
    answers: BTreeMap<u64, Value>,
    withdrawn: BTreeSet<u64>,
    versions: BTreeMap<String, String>,
}

impl Truth {
    fn spent(&self) -> Spend {
        self.paid.values().fold(self.closed.clone(), |sum, (_, cost)| sum.and(cost))
    }
}

/// Every fourth answer is large enough for a file of its own.
fn answer_of(value: i64) -> serde_json::Value {
    if value % 4 == 0 { json!(value.to_string().repeat(70_000)) } else { json!(value) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: deniable_testing::sized(16, 48), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn never_overspent_and_always_in_order(steps in prop::collection::vec(step(), 1..40)) {
        let place = Place::new();
        // Two handles take turns, as two processes would.
        let (mut ledger, mut other) = (place.ledger(), place.ledger());
        let mut truth = Truth {
            paid: BTreeMap::new(),
            closed: Spend::nothing(),
            by_policy: BTreeMap::new(),
            answers: BTreeMap::new(),
            withdrawn: BTreeSet::new(),
            versions: BTreeMap::new(),
        };
        let mut limit = terms().limit().clone();
        let policy_limit = Spend::odds(whole(3)).unwrap().share(&ratio(3, 4)).unwrap();
        for step in steps {
            std::mem::swap(&mut ledger, &mut other);
            match step {
                Step::Charge { identity, part, policy } => {
                    let mut query = request(&format!("{identity:02x}"), part);
                    query.policy = policy.to_string();
                    query.policy_limit = policy_limit.clone();
                    let own = truth.by_policy.entry(policy).or_insert_with(Spend::nothing).and(&query.cost);
                    let fits = truth.spent().and(&query.cost).fits(&limit).unwrap() && own.fits(&policy_limit).unwrap();
                    match ledger.charge(&query) {
                        Ok(ChargeOutcome::New { seq }) => {
                            prop_assert!(fits);
                            // An open charge at another price is closed by it, and stays spent.
                            if let Some((before, cost)) = truth.paid.insert(identity, (seq, query.cost.clone())) {
                                prop_assert!(cost != query.cost && !truth.answers.contains_key(&before));
                                truth.closed = truth.closed.and(&cost);
                            }
                            truth.by_policy.insert(policy, own);
                        }
                        Ok(ChargeOutcome::Resumed { seq }) => {
                            prop_assert_eq!(truth.paid.get(&identity), Some(&(seq, query.cost)));
                            prop_assert!(!truth.answers.contains_key(&seq));
                        }
                        Ok(ChargeOutcome::Answered { seq, answer }) => prop_assert_eq!(&truth.answers[&seq], &answer),
                        Ok(ChargeOutcome::Drawn { seq, .. }) => prop_assert!(false, "no test draws for {}", seq),
                        Err(_) => prop_assert!(!fits),
                    }
                }
                Step::Answer { seq, value } => {
                    if let Ok(shown) = ledger.store_answer(seq, &FORM, &answer_of(value)) {
                        prop_assert_eq!(truth.answers.entry(seq).or_insert(answer_of(value)), &shown);
                    }
                }
                // No charge and no answer changes.
                Step::Withdraw { seq } => {
                    let is_new = truth.answers.contains_key(&seq) && !truth.withdrawn.contains(&seq);
                    prop_assert_eq!(ledger.withdraw(seq, "because").is_ok(), is_new);
                    if is_new {
                        truth.withdrawn.insert(seq);
                    }
                }
                Step::Change { odds } => {
                    let to = terms_of(odds);
                    if ledger.change_promise(&to, "because").is_ok() {
                        limit = to.limit().clone();
                    }
                }
                Step::Register { version, fingerprint, reading, accepted } => {
                    let (version, fingerprint) = (version.to_string(), fingerprint.to_string());
                    let (reading, accepted) = (reading.to_string(), (0..accepted).map(|column| column.to_string()));
                    let contents = Contents {
                        source: "visits",
                        version: &version,
                        fingerprint: &fingerprint,
                        reading: &reading,
                        entities: ComparedEntities::Any,
                    };
                    let accepted: BTreeSet<String> = accepted.collect();
                    let done = ledger.register_contents(&contents, &accepted);
                    let known = ledger.accepted("visits", &version, &reading);
                    let covered = known.is_some_and(|known| accepted.is_subset(known));
                    prop_assert!(covered || done.is_err());
                    // The first contents stay the only ones, under every reading.
                    let first = truth.versions.entry(version).or_insert_with(|| fingerprint.clone());
                    prop_assert_eq!(done.is_ok(), *first == fingerprint);
                }
                Step::Reopen => ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap(),
            }
            prop_assert!(truth.spent().fits(&limit).unwrap());
        }
        ledger.refresh().unwrap();
        prop_assert_eq!(verify(&place.path, Some(&ledger.head().to_string())).unwrap().head, ledger.head().clone());
        let summary = Ledger::open_or_create(&place.path, PEOPLE).unwrap().summary();
        prop_assert_eq!(&summary, &ledger.summary());
        prop_assert_eq!(&summary.accounts[0].spent, &truth.spent());
        let withdrawn = summary.accounts[0].releases.iter().filter(|release| release.withdrawn.is_some());
        prop_assert_eq!(withdrawn.map(|release| release.seq).collect::<BTreeSet<_>>(), truth.withdrawn);
        let answers = summary.accounts[0].releases.iter().filter_map(|r| Some((r.seq, answer(r)?)));
        prop_assert_eq!(answers.collect::<BTreeMap<_, _>>(), truth.answers);
    }
}
