//! Pages from constructed ledgers: with missing, unreadable, changed or large answers.

use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
use deniable_core::exact::ratio;
use deniable_core::guarantee::{Guarantee, Subject};
use deniable_core::promise::Promise;
use deniable_ledger::{AccountId, Charge, ChargeOutcome, ChargeRequest, Form, Ledger, Part, Secret};
use deniable_publication::shown::{PublishedForm, ShownAnswer};
use deniable_publication::{Answer, Cell, KeyValue, NumberCell, Scalar};
use deniable_report::Report;
use serde_json::{Value, json};
use tempfile::TempDir;

struct WrittenLedger {
    ledger: Ledger,
    guarantee: Guarantee,
    _folder: TempDir,
}

fn ceiling(numerator: i64, denominator: i64) -> Guarantee {
    let priors = PriorRange::new(None, Some(ratio(1, 2))).unwrap();
    let adversary = Adversary::new(false, priors, MovesTogether::Alone).unwrap();
    let people = Subject::new("people & <others>", None).unwrap();
    let promises = vec![Promise::PosteriorAtMost(ratio(numerator, denominator))];
    Guarantee::new(people, Secret::Membership, adversary, None, promises).unwrap()
}

fn written() -> WrittenLedger {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open_or_create(&folder.path().join("l.ledger"), "people & <others>").unwrap();
    let guarantee = ceiling(3, 4);
    ledger.open_account(&guarantee).unwrap();
    WrittenLedger { ledger, guarantee, _folder: folder }
}

impl WrittenLedger {
    fn answer(&mut self, name: &str, answer: &Value) {
        self.answer_in(&Form::new("sql", 1), name, answer);
    }

    fn answer_in(&mut self, form: &Form, name: &str, answer: &Value) {
        let query = Charge {
            name: name.into(),
            sql: "SELECT '<script>alert(1)</script>'".into(),
            identity: name.into(),
            canonical: deniable_ledger::Canonical::default(),
            coins: Vec::new(),
            source: "t".into(),
            version: "1".into(),
        };
        let request = ChargeRequest {
            account: AccountId::of(&self.guarantee),
            policy: "p".into(),
            policy_limit: self.guarantee.limit().clone(),
            version_limit: None,
            query,
            cost: self.guarantee.limit().share(&ratio(1, 300)).unwrap(),
            part: Part::Whole,
            basis: "basis".into(),
        };
        let ChargeOutcome::New { seq } = self.ledger.charge(&request).unwrap() else { panic!("it is new") };
        self.ledger.store_answer(seq, form, answer).unwrap();
    }

    fn page(&self) -> Result<String, String> {
        let summary = self.ledger.summary();
        Report::of_ledger(&summary).map(|report| report.html()).map_err(|error| error.to_string())
    }
}

/// A table of `rows` rows under one text key.
fn recorded(name: &str, key: &str, rows: usize, odds: &str) -> Value {
    of_keys(name, (0..rows).map(|at| KeyValue::Text(format!("{key}{at}"))), odds)
}

/// A table of one row for each key.
fn of_keys(name: &str, keys: impl Iterator<Item = KeyValue>, odds: &str) -> Value {
    let number = |value: usize| Some(Scalar::Number(value.to_string().parse().unwrap()));
    let row = |(at, key): (usize, KeyValue)| {
        let cell = NumberCell { value: number(at), low: number(at), ..NumberCell::default() };
        vec![Cell::Key(Some(key)), Cell::Number(cell)]
    };
    let shown = ShownAnswer {
        confidence: "95%".parse().unwrap(),
        table: Answer {
            name: name.into(),
            title: None,
            sql: "SELECT".into(),
            share: ratio(1, 300),
            odds: odds.parse().unwrap(),
            columns: vec!["key".into(), "n".into()],
            headings: Vec::new(),
            rows: keys.enumerate().map(row).collect(),
            noise: Vec::new(),
            consistent: None,
            classes: None,
            independence: None,
            taken_from: None,
            withdrawn: None,
            warnings: vec!["values of `key` that <b> are left out".into()],
            advice: vec!["a larger share".into()],
        },
    };
    json!({ "published": PublishedForm::new(shown, None) })
}

#[test]
fn nothing_on_a_page_becomes_markup() {
    let mut written = written();
    written.answer("a <i> name", &recorded("a <i> name", "<img src=x>\"&", 3, "3"));
    let page = written.page().unwrap();
    for raw in ["<i>", "<img", "<script", "<b>", "people & <others>"] {
        assert!(!page.contains(raw), "{raw}");
    }
    assert!(page.contains("&lt;img src=x&gt;") && page.contains("<code>key</code>"));
}

/// Large answers are read when the page is written; if one is missing, no page is written.
#[test]
fn answers_that_are_not_there_or_not_known_are_refused_by_name() {
    let mut written = written();
    written.answer("in a file", &recorded("in a file", "k", 2_000, "3"));
    assert!(written.page().unwrap().contains("in a file"));
    let file = written.ledger.summary().accounts[0].releases[0].answer.as_ref().unwrap().file().unwrap();
    let whole = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let refused = written.page().unwrap_err();
    assert!(refused.contains("entry 3") && refused.contains(".json.zst is missing"), "{refused}");
    std::fs::write(&file, whole).unwrap();
    written.answer_in(&Form::new("sql", 2), "from the future", &recorded("from the future", "k", 2, "3"));
    let refused = written.page().unwrap_err();
    assert!(refused.contains("\"from the future\" in the form sql/2, which this version does not know"), "{refused}");
}

#[test]
fn answers_too_large_for_a_page_are_named_and_unreadable_ones_refused() {
    let mut written = written();
    written.answer("a large one", &json!({}));
    let page = written.page().unwrap();
    assert!(page.contains("a large one") && page.contains("too large for a page"));
    written.answer("a broken one", &json!({ "published": { "confidence": 3 } }));
    let refusal = written.page().unwrap_err();
    assert!(refusal.contains("a broken one") && refusal.contains("entry"), "{refusal}");
}

/// The words on the page are those of the promise in force, not of an earlier one.
#[test]
fn a_changed_promise_changes_the_words() {
    let mut written = written();
    written.answer("before", &recorded("before", "k", 2, "3"));
    let words = |limit: &str| format!("No observer becomes more than {limit} sure");
    let page = written.page().unwrap();
    assert!(page.contains(&words("75%")) && page.contains("one row is one person"));
    written.ledger.change_promise(&ceiling(4, 5), "more <room>").unwrap();
    let page = written.page().unwrap();
    assert!(!page.contains(&words("75%")));
    assert!(
        page.contains("posterior_at_most = 4/5")
            && page.contains(&words("80%"))
            && page.contains("one row is one person")
            && page.contains("weaker than before")
            && page.contains("more &lt;room&gt;")
    );
}

/// The page states the assumptions of all answers, also of one whose table is too large, and the other secret's promise
/// in force.
#[test]
fn a_page_states_what_any_of_its_answers_assumes() {
    let mut written = written();
    let labels = ceiling(3, 4).about(Secret::Label);
    written.ledger.open_account(&labels).unwrap();
    written.answer(
        "a cohort",
        &json!({ "published": { "confidence": "95%", "assumptions": ["one <sample> is one person"] } }),
    );
    written.answer("a table", &recorded("a table", "k", 2, "3"));
    let page = written.page().unwrap();
    assert!(page.contains("one &lt;sample&gt; is one person") && page.contains("one row is one person"));
    assert!(page.contains("a cohort") && page.contains("too large for a page"));
    let sentence = |clause: &str| format!("{}{}", clause[..1].to_uppercase(), &clause[1..]);
    let promise = |guarantee: &Guarantee| sentence(&guarantee.promises_in_words().join(" "));
    assert!(page.matches(&promise(&labels)).count() > 0, "{page}");
    let weaker = ceiling(4, 5).about(Secret::Label);
    written.ledger.change_promise(&weaker, "more room").unwrap();
    let page = written.page().unwrap();
    let beliefs = |of: &Guarantee| format!("<p>{}.</p>", sentence(&of.promises_in_words()[0]));
    assert!(!page.contains(&beliefs(&labels)) && page.contains(&beliefs(&weaker)), "{page}");
}

/// A line over keys at unequal distances has gaps, of which no sum is taken that overflows.
#[test]
fn keys_may_be_far_apart() {
    let mut written = written();
    let keys = [i64::MIN / 2 - 1, 0, 1, i64::MAX / 2, i64::MAX].map(KeyValue::Integer);
    written.answer("far", &of_keys("far", keys.into_iter(), "3"));
    assert!(written.page().unwrap().contains("<svg"));
}

/// A page stays below a megabyte: answers without room are named.
#[test]
fn many_and_large_answers() {
    let mut written = written();
    written.answer("large", &recorded("large", "k", 5_000, "3"));
    for at in 0..290 {
        let name = format!("answer {at}");
        written.answer(&name, &recorded(&name, "k", 12, "3"));
    }
    let page = written.page().unwrap();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(page.contains("more rows are in the JSON form") && page.contains("There is no room on this page"));
    assert!(page.contains("answer 289"));
    let too_large = recorded("huge", "k", 20_001, "3");
    assert!(too_large["published"].get("table").is_none());
}

#[test]
fn an_empty_ledger_has_a_page() {
    let page = written().page().unwrap();
    assert!(page.contains("No answer was released yet") && page.contains("Nothing was released yet"));
}
