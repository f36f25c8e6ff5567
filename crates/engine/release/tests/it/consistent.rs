//! Consistent levels are stored with the answer: they never change, whether shown or not, and reading does not need
//! them.

use deniable_core::noise::SystemRng;
use deniable_data::Resources;
use deniable_ledger::{Ledger, show};
use deniable_policy::Policy;
use deniable_protocol::ProtocolError;
use deniable_release::release::{Event, FORM, Origin, QueryAnswer, ReleaseError};
use deniable_release::{Plan, RegistrationMode, TableVersion, published, release};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

const POLICY: &str = r#"
name = "levels"
population = "patients"
data = { table = "t", path = "t.csv", version = "1" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
[[query]]
name = "by sex"
sql = "SELECT sex, COUNT(*) FROM t GROUP BY ROLLUP (sex)"
"#;

struct Place {
    folder: TempDir,
    plan: Plan,
    without: Plan,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.csv"), "sex,age\nF,3\nM,30\nM,50\n").unwrap();
        let plan = |text: &str| Plan::new(Policy::parse(&folder.path().join("policy.toml"), text).unwrap()).unwrap();
        let (plan, without) = (plan(POLICY), plan(&format!("{POLICY}consistent = false\n")));
        Self { folder, plan, without }
    }

    fn release(&self, plan: &Plan, tell: &dyn Fn(Event<'_>)) -> Result<QueryAnswer, ReleaseError> {
        let locate = || TableVersion::locate_all(plan, &BTreeMap::new());
        let answers = release(
            plan,
            &locate,
            &Resources::default(),
            &mut self.ledger(),
            &mut SystemRng::new().unwrap(),
            tell,
            RegistrationMode::GoOn,
        )?;
        Ok(answers.complete()?.into_iter().next().unwrap())
    }

    fn ledger(&self) -> Ledger {
        Ledger::open_or_create(&self.folder.path().join("l"), "patients").unwrap()
    }

    fn stored(&self) -> Value {
        show(&self.folder.path().join("l")).unwrap().accounts[0].releases[0].answer.as_ref().unwrap().read().unwrap()
    }

    /// A release that another process overtakes after the noise is drawn: it stores this record.
    fn overtaken(&self, record: &Value) -> Result<QueryAnswer, ReleaseError> {
        self.release(&self.plan, &|event| {
            if let Event::AddingUp("by sex", cells) = event {
                assert_eq!(cells, 3);
                let seq = show(&self.folder.path().join("l")).unwrap().accounts[0].releases[0].seq;
                self.ledger().store_answer(seq, &FORM, record).unwrap();
            }
        })
    }

    fn note(&self, plan: &Plan, answer: &QueryAnswer) -> (bool, String) {
        let publication = published(plan, std::slice::from_ref(answer));
        let planned = &publication.answers[0];
        (planned.consistent.unwrap(), planned.warnings.last().unwrap().clone())
    }
}

#[test]
fn both_numbers_are_stored_and_the_query_selects_those_shown() {
    let place = Place::new();
    let first = place.release(&place.without, &|_| {}).unwrap();
    assert_eq!((first.noisy.consistent.as_ref(), first.origin), (None, Origin::Charged));
    let stored = place.stored();
    let with = place.release(&place.plan, &|_| {}).unwrap();
    assert_eq!((&with.noisy.values, with.origin), (&first.noisy.values, Origin::Stored));
    let consistent = with.noisy.consistent.clone().unwrap();
    assert_eq!(stored["consistent"], json!(consistent));
    assert_eq!(consistent[0].iter().sum::<i128>(), consistent[1][0]);
    assert!(consistent.iter().flatten().all(|count| *count >= 0));
    let (shown, note) = place.note(&place.plan, &with);
    assert!(shown && note.starts_with("the noisy answers were changed as little as possible"), "{note}");
    let (shown, note) = place.note(&place.without, &first);
    assert!(!shown && note.ends_with("`consistent = false` keeps them so"), "{note}");
}

#[test]
fn answers_stored_without_consistent_numbers_are_shown_as_they_are() {
    let place = Place::new();
    let answer = place.overtaken(&json!({})).unwrap();
    assert_eq!(answer.noisy.consistent, None);
    let again = place.release(&place.plan, &|_| {}).unwrap();
    assert_eq!((again.noisy, again.origin), (answer.noisy.clone(), Origin::Stored));
    let (shown, note) = place.note(&place.plan, &answer);
    assert!(!shown && note.ends_with("numbers this large are not made consistent"), "{note}");
}

#[test]
fn stored_levels_are_not_computed_again() {
    let place = Place::new();
    let answer = place.overtaken(&json!({ "consistent": [[1, 2], [3]] })).unwrap();
    assert_eq!(answer.noisy.consistent, Some(vec![vec![1, 2], vec![3]]));
}

#[test]
fn stored_levels_of_another_shape_are_refused() {
    for consistent in [json!([[1, 2]]), json!([[1], [3]]), json!([[1, "two"], [3]])] {
        let failed = Place::new().overtaken(&json!({ "consistent": consistent }));
        assert!(
            matches!(&failed, Err(ReleaseError::Protocol(ProtocolError::Stored { release, .. })) if release == "by sex"),
            "{failed:?}"
        );
    }
}
