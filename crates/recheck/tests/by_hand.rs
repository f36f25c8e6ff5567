//! Certificates written by hand: each notion once, right and wrong, with what is said about the wrong one.
#![allow(clippy::unwrap_used, reason = "a test")]

use deniable_recheck::format::Certificate;
use deniable_recheck::{LIMIT, recheck};
use serde_json::{Value, json};

/// Two people; three quarters of the time the answer says whether there is anybody (`yes`), else the reverse.
fn anybody() -> Value {
    json!({"entities": ["ann", "bob"], "outputs": ["no", "yes"], "rows": ["3/4 1/4", "1/4 3/4", "1/4 3/4", "1/4 3/4"]})
}

/// One person less obvious than the other: of one size, `yes` with 1/2 or with 1/5.
fn unlike() -> Value {
    json!({"entities": ["ann", "bob"], "outputs": ["no", "yes"], "rows": ["1/2 1/2", "1/2 1/2", "4/5 1/5", "1/2 1/2"]})
}

fn seal(mechanism: &Value, notion: &Value, family: &Value, value: &Value, witness: &Value) -> String {
    let file = json!({"format": 1, "mechanism": mechanism, "notion": notion, "family": family, "value": value,
        "witness": witness, "theorems": [], "checksum": ""});
    serde_json::from_value::<Certificate>(file).unwrap().seal().unwrap()
}

fn pair(output: &str, more: &[&str], less: &[&str], high: &str, low: &str) -> Value {
    json!({"datasets": {"output": output, "more": more, "less": less, "probabilities": [high, low]}})
}

fn prior(prior: &Value, output: &str, present: &str, absent: &str) -> Value {
    json!({"prior": {"prior": prior, "entity": "ann", "output": output, "likelihoods": [present, absent]}})
}

fn says(mechanism: &Value, notion: &Value, family: &Value, value: &Value, witness: &Value) -> String {
    match recheck(&seal(mechanism, notion, family, value, witness), LIMIT) {
        Ok(report) => report.to_string(),
        Err(error) => error.to_string(),
    }
}

const RIGHT: &str = "the witness and the upper bound are right";

#[test]
fn errors_say_what_is_wrong_and_by_how_much() {
    let notion = json!({"unbounded": {"sign": "both"}});
    let family = json!("all");
    let attained = json!({"attained": "3"});
    let witness = |high, low| pair("yes", &["ann"], &[], high, low);
    let told = |value: &Value, witness: &Value| says(&anybody(), &notion, &family, value, witness);
    assert_eq!(told(&attained, &witness("3/4", "1/4")), RIGHT);
    assert_eq!(told(&attained, &witness("1/2", "1/4")), "Pr[yes | {ann}] is 3/4 in the table, 1/2 in the witness");
    assert_eq!(told(&json!({"attained": "4"}), &witness("3/4", "1/4")), "the claim is 4, and the witness shows 3");
    let equal = pair("yes", &["ann", "bob"], &["bob"], "3/4", "3/4");
    assert_eq!(told(&json!({"attained": "1"}), &equal), "the claim is at most 1, and `yes` for {ann} and {} gives 3");
    let far = pair("yes", &["ann", "bob"], &[], "3/4", "1/4");
    assert_eq!(told(&attained, &far), "the witness does not fit: the notion does not compare {ann, bob} with {}");
    assert_eq!(told(&attained, &Value::Null), "the claim is 3, and the witness shows nothing");
}

#[test]
fn tables_are_mechanisms() {
    let told = |mechanism: Value| {
        says(&mechanism, &json!("free-lunch"), &json!("all"), &json!({"attained": "1"}), &Value::Null)
    };
    let table = |rows: Value| json!({"entities": ["ann"], "outputs": ["no", "yes"], "rows": rows});
    assert_eq!(told(table(json!(["1/2 1/2", "1/2 1/2"]))), RIGHT);
    for (rows, error) in [
        (json!(["1/2 1/3", "1/2 1/2"]), "the probabilities of dataset {} sum to 5/6, not to 1"),
        (json!(["3/2 -1/2", "1/2 1/2"]), "Pr[yes | {}] is -1/2, below 0"),
        (json!(["2/4 1/2", "1/2 1/2"]), "dataset {}: `2/4` must be written `1/2`"),
        (json!(["1/2 1/2", "1"]), "dataset {ann} has 1 probabilities for 2 outputs"),
        (json!(["1/2 1/2"]), "1 rows stand for 2 datasets"),
    ] {
        assert_eq!(told(table(rows)), format!("the table is no mechanism: {error}"));
    }
    let twice = json!({"entities": ["ann", "ann"], "outputs": ["a"], "rows": ["1", "1", "1", "1"]});
    assert_eq!(told(twice), "the table is no mechanism: entity `ann` is named twice");
}

#[test]
fn beliefs_by_bayes() {
    let membership = json!({"membership": {"sign": "positive"}});
    let highest = json!({"posterior": {"sign": "positive"}});
    let lowest = json!({"posterior": {"sign": "negative"}});
    let yes = pair("yes", &["ann"], &[], "3/4", "1/4");
    let no = pair("no", &[], &["ann"], "3/4", "1/4");
    let even = json!({"independent": {"low": "1/2", "high": "1/2"}});
    let open = json!({"independent": {"low": "0", "high": "1"}});
    let one_sure = prior(&json!({"independent": ["1/2", "0"]}), "yes", "3/4", "1/4");
    let both_open = prior(&json!({"independent": ["1/2", "1/2"]}), "yes", "3/4", "1/2");
    let mixed = json!({"table": [[["ann"], "1/2"], [["bob"], "1/2"]]});
    let sized = prior(&mixed, "yes", "1/2", "1/5");
    let told = |mechanism: Value, notion: &Value, family: Value, value: Value, witness: &Value| {
        says(&mechanism, notion, &family, &value, witness)
    };
    // Odds of 3 at belief 1/2: 3/4 afterwards, gain 2.
    assert_eq!(told(anybody(), &membership, even.clone(), json!({"attained": "2"}), &yes), RIGHT);
    assert_eq!(told(anybody(), &membership, even.clone(), json!({"attained": "2"}), &one_sure), RIGHT);
    assert_eq!(told(anybody(), &highest, even.clone(), json!({"attained": "3/4"}), &yes), RIGHT);
    assert_eq!(told(anybody(), &lowest, even.clone(), json!({"attained": "1/4"}), &no), RIGHT);
    assert_eq!(
        told(anybody(), &lowest, even, json!({"attained": "1/3"}), &no),
        "the claim is 1/3, and the witness shows 1/4"
    );
    for family in [open, json!("all"), json!({"groups": 1}), json!({"groups": 2})] {
        assert_eq!(told(anybody(), &membership, family, json!({"approached": "3"}), &yes), RIGHT);
    }
    assert_eq!(told(anybody(), &membership, json!({"groups": 2}), json!({"approached": "3"}), &one_sure), RIGHT);
    // Both at 1/2: 3/4 over 1/2 is 3/2, and 1/2 becomes 3/5; absence falls from 1/2 to 2/5.
    let boxed = json!({"box": [{"low": "1/2", "high": "1/2"}, {"low": "1/2", "high": "1/2"}]});
    for family in [json!("uniform"), boxed, json!({"explicit": [{"independent": ["1/2", "1/2"]}]})] {
        assert_eq!(told(anybody(), &membership, family.clone(), json!({"attained": "5/4"}), &both_open), RIGHT);
        assert_eq!(told(anybody(), &highest, family, json!({"attained": "3/5"}), &both_open), RIGHT);
    }
    let sampled = json!({"sampled": "1/2"});
    assert_eq!(told(anybody(), &membership, sampled, json!({"attained": "2"}), &one_sure), RIGHT);
    // One of two: 1/2 over 1/5 makes 5/7 of 1/2, and absence falls from 1/2 to 2/7.
    let gain = json!({"attained": "7/4"});
    assert_eq!(told(unlike(), &membership, json!({"one-of": 2}), gain.clone(), &sized), RIGHT);
    let negative = json!({"membership": {"sign": "negative"}});
    for family in [json!({"one-of": 2}), json!({"one-of-two": {"low": "1/2", "high": "1/2"}})] {
        let bob = json!({"prior": {"prior": mixed, "entity": "bob", "output": "yes", "likelihoods": ["1/5", "1/2"]}});
        assert_eq!(told(unlike(), &negative, family, gain.clone(), &bob), RIGHT);
    }
    // `no` makes absence 8/13 of 1/2.
    let no_ann = prior(&mixed, "no", "1/2", "4/5");
    let told = told(unlike(), &negative, json!({"one-of": 2}), gain, &no_ann);
    assert_eq!(told, "the claim is 7/4, and the witness shows 13/10");
}

#[test]
fn sized_notions() {
    let yes = pair("yes", &["ann"], &["bob"], "1/2", "1/5");
    let told = |notion: Value, value: Value| says(&unlike(), &notion, &json!("all"), &value, &yes);
    assert_eq!(told(json!("bounded"), json!({"attained": "5/2"})), RIGHT);
    assert_eq!(told(json!({"rho": {"among": 2}}), json!({"attained": "5/7"})), RIGHT);
    // Posterior over prior: (5/7)/(1/2) = 10/7 and (2/7)/(1/2) = 4/7.
    let worlds = |least: &str, sign: &str| json!({"alpha-beta": {"least": least, "sign": sign}});
    assert_eq!(told(worlds("1/2", "positive"), json!({"attained": "3/7"})), RIGHT);
    assert_eq!(told(worlds("1/2", "negative"), json!({"attained": "3/7"})), RIGHT);
    assert_eq!(told(worlds("0", "positive"), json!({"approached": "3/2"})), RIGHT);
    assert_eq!(told(worlds("0", "negative"), json!({"attained": "3/5"})), RIGHT);
    assert_eq!(
        told(worlds("1/2", "positive"), json!({"attained": "4/7"})),
        "the claim is 4/7, and the witness shows 3/7"
    );
}

#[test]
fn sums_over_outputs() {
    let yes = pair("yes", &["ann"], &["bob"], "1/2", "1/5");
    let near = |given: Value| json!({"approximate": {"adjacency": "replace-one", "given": given}});
    let told =
        |given: Value, value: &str| says(&unlike(), &near(given), &json!("all"), &json!({"attained": value}), &yes);
    assert_eq!(told(json!({"odds": "1"}), "3/10"), RIGHT);
    assert_eq!(told(json!({"odds": "2"}), "1/10"), RIGHT);
    assert_eq!(told(json!({"odds": "2"}), "1/5"), "the claim is 1/5, and the witness shows 1/10");
    assert_eq!(told(json!({"delta": "1/10"}), "2"), RIGHT);
    assert_eq!(told(json!({"delta": "0"}), "5/2"), RIGHT);
    assert_eq!(
        told(json!({"delta": "1/10"}), "3"),
        "the claim is 3, and the witness shows a delta of 0 there, and 1/10 is given"
    );
}

#[test]
fn crowds_and_constraints() {
    let alone = pair("yes", &["ann"], &[], "3/4", "1/4");
    let told = |mechanism: Value, notion: Value, value: &str, witness: &Value| {
        says(&mechanism, &notion, &json!("all"), &json!({"attained": value}), witness)
    };
    assert_eq!(told(anybody(), json!({"crowd-blending": {"crowd": 2}}), "3", &alone), RIGHT);
    assert_eq!(told(anybody(), json!({"crowd-blending": {"crowd": 1}}), "1", &Value::Null), RIGHT);
    // Only nobody and both are allowed: they are neighbours, two moves apart.
    let both = pair("yes", &["ann", "bob"], &[], "3/4", "1/4");
    assert_eq!(told(anybody(), json!({"induced": {"allowed": [[], ["ann", "bob"]]}}), "3", &both), RIGHT);
    assert_eq!(
        told(anybody(), json!({"induced": {"allowed": [[], ["ann"], ["ann", "bob"]]}}), "3", &both),
        "the witness does not fit: the notion does not compare {ann, bob} with {}"
    );
}

#[test]
fn mixtures_gain_more_than_their_parts() {
    // Each prior is certain of everything; even odds of the two are not.
    let sure = |members: Value| json!({"table": [[members, "1"]]});
    let family = json!({"explicit": [sure(json!(["ann"])), sure(json!([]))]});
    let even = prior(&json!({"table": [[[], "1/2"], [["ann"], "1/2"]]}), "yes", "3/4", "1/4");
    let notion = json!({"membership": {"sign": "positive"}});
    let told = |value: Value, witness: &Value| says(&anybody(), &notion, &family, &value, witness);
    assert_eq!(
        told(json!({"attained": "2"}), &even),
        "the claim is at most 2, and `yes` about ann, a mixture of two priors gives more"
    );
    assert_eq!(told(json!({"between": {"low": "2", "high": "3", "theorem": "F-EXPL"}}), &even), RIGHT);
    let other = prior(&json!({"table": [[["bob"], "1/2"], [["ann"], "1/2"]]}), "yes", "3/4", "3/4");
    assert_eq!(
        told(json!({"attained": "1"}), &other),
        "the witness does not fit: the prior is no given one, nor a mixture of two of them"
    );
}

#[test]
fn unknown_things_are_refused() {
    let text = seal(&anybody(), &json!("bounded"), &json!("all"), &json!({"attained": "1"}), &Value::Null);
    assert_eq!(recheck(&text, LIMIT).unwrap().to_string(), RIGHT);
    let changed = |from: &str, to: &str| recheck(&text.replacen(from, to, 1), LIMIT).unwrap_err().to_string();
    assert_eq!(changed("\"format\":1", "\"format\":2"), "format 2 is not known; this program reads format 1");
    assert!(changed("{\"format\"", "{\"note\":1,\"format\"").contains("unknown field `note`"));
    assert!(changed("\"bob\"", "\"bab\"").starts_with("the file was altered: its checksum is"));
}
