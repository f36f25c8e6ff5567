//! Certificates written by hand: each notion once, right and wrong, with the error of the wrong one.

use deniable_recheck::format::Certificate;
use deniable_recheck::{LIMIT, recheck};
use serde_json::{Value, json};

/// Two people; with probability 3/4 the answer is whether anyone is in (`yes`), otherwise the opposite.
fn anybody() -> Value {
    json!({"entities": ["ann", "bob"], "outputs": ["no", "yes"], "rows": ["3/4 1/4", "1/4 3/4", "1/4 3/4", "1/4 3/4"]})
}

/// One person has less effect than the other: with one of them in, `yes` has probability 1/2 or 1/5.
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

const RIGHT: &str = "witness: right\nupper bound: right: nothing is worse\n";

#[test]
fn errors_say_what_is_wrong_and_by_how_much() {
    let notion = json!({"unbounded": {"sign": "both"}});
    let family = json!("all");
    let attained = json!({"attained": "3"});
    let witness = |high, low| pair("yes", &["ann"], &[], high, low);
    let told = |value: &Value, witness: &Value| says(&anybody(), &notion, &family, value, witness);
    assert_eq!(told(&attained, &witness("3/4", "1/4")), RIGHT);
    assert_eq!(told(&attained, &witness("1/2", "1/4")), "Pr[yes | {ann}] is 3/4 in the table, 1/2 in the witness");
    assert_eq!(told(&json!({"attained": "4"}), &witness("3/4", "1/4")), "the claim is 4, but the witness shows 3");
    let equal = pair("yes", &["ann", "bob"], &["bob"], "3/4", "3/4");
    assert_eq!(told(&json!({"attained": "1"}), &equal), "the claim is at most 1, but `yes` for {ann} and {} gives 3");
    let far = pair("yes", &["ann", "bob"], &[], "3/4", "1/4");
    assert_eq!(told(&attained, &far), "the witness does not fit: the notion does not compare {ann, bob} with {}");
    assert_eq!(told(&attained, &Value::Null), "the claim is 3, but the witness shows nothing");
}

#[test]
fn tables_are_mechanisms() {
    let told = |mechanism: Value| {
        says(&mechanism, &json!("free-lunch"), &json!("all"), &json!({"attained": "1"}), &Value::Null)
    };
    let table = |rows: Value| json!({"entities": ["ann"], "outputs": ["no", "yes"], "rows": rows});
    assert_eq!(told(table(json!(["1/2 1/2", "1/2 1/2"]))), RIGHT);
    for (rows, error) in [
        (json!(["1/2 1/3", "1/2 1/2"]), "dataset {}: the probabilities sum to 5/6, not 1"),
        (json!(["3/2 -1/2", "1/2 1/2"]), "dataset {}: the probability of yes is -1/2, below 0"),
        (json!(["2/4 1/2", "1/2 1/2"]), "dataset {}: `2/4` must be written `1/2`"),
        (json!(["1/2 1/2", "1"]), "dataset {ann}: 1 probabilities are given for 2 outputs"),
        (json!(["1/2 1/2"]), "1 rows are given for 2 datasets"),
    ] {
        assert_eq!(told(table(rows)), format!("the table is not a mechanism: {error}"));
    }
    let twice = json!({"entities": ["ann", "ann"], "outputs": ["a"], "rows": ["1", "1", "1", "1"]});
    assert_eq!(told(twice), "the table is not a mechanism: entity `ann` is named twice");
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
    // Odds of 3 at belief 1/2: the posterior is 3/4, the gain 2.
    assert_eq!(told(anybody(), &membership, even.clone(), json!({"attained": "2"}), &yes), RIGHT);
    assert_eq!(told(anybody(), &membership, even.clone(), json!({"attained": "2"}), &one_sure), RIGHT);
    assert_eq!(told(anybody(), &highest, even.clone(), json!({"attained": "3/4"}), &yes), RIGHT);
    assert_eq!(told(anybody(), &lowest, even.clone(), json!({"attained": "1/4"}), &no), RIGHT);
    assert_eq!(
        told(anybody(), &lowest, even, json!({"attained": "1/3"}), &no),
        "the claim is 1/3, but the witness shows 1/4"
    );
    // For the lowest belief the lower limit counts.
    assert_eq!(told(anybody(), &lowest, json!("all"), json!({"approached": "0"}), &no), RIGHT);
    assert!(
        told(anybody(), &lowest, json!("all"), json!({"approached": "1"}), &no).starts_with("the claim is at most 1,")
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
    // One of two: with 1/2 over 1/5, 1/2 becomes 5/7, and absence falls from 1/2 to 2/7.
    let gain = json!({"attained": "7/4"});
    assert_eq!(told(unlike(), &membership, json!({"one-of": 2}), gain.clone(), &sized), RIGHT);
    let negative = json!({"membership": {"sign": "negative"}});
    for family in [json!({"one-of": 2}), json!({"one-of-two": {"low": "1/2", "high": "1/2"}})] {
        let bob = json!({"prior": {"prior": mixed, "entity": "bob", "output": "yes", "likelihoods": ["1/5", "1/2"]}});
        assert_eq!(told(unlike(), &negative, family, gain.clone(), &bob), RIGHT);
    }
    // With `no`, absence rises from 1/2 to 8/13.
    let no_ann = prior(&mixed, "no", "1/2", "4/5");
    let told = told(unlike(), &negative, json!({"one-of": 2}), gain, &no_ann);
    assert_eq!(told, "the claim is 7/4, but the witness shows 13/10");
}

#[test]
fn sized_notions() {
    let yes = pair("yes", &["ann"], &["bob"], "1/2", "1/5");
    let told = |notion: Value, value: Value| says(&unlike(), &notion, &json!("all"), &value, &yes);
    assert_eq!(told(json!("bounded"), json!({"attained": "5/2"})), RIGHT);
    assert_eq!(told(json!({"rho": {"among": 2}}), json!({"attained": "5/7"})), RIGHT);
    // Both worlds have at least the least prior; the other may have more.
    let worlds = |sign: &str| json!({"alpha-beta": {"least": "1/10", "sign": sign}});
    let unlikely = prior(&json!({"table": [[["ann"], "1/10"], [["bob"], "9/10"]]}), "yes", "1/2", "1/5");
    // 1/20 of 1/20 + 9/50 is 5/23: 50/23 of the prior.
    let told_of = |witness| says(&unlike(), &worlds("positive"), &json!("all"), &json!({"attained": "27/23"}), witness);
    assert_eq!(told_of(&unlikely), RIGHT);
    let three = prior(&json!({"table": [[["ann"], "1/10"], [["bob"], "4/5"], [[], "1/10"]]}), "yes", "1/2", "1/5");
    assert_eq!(told_of(&three), "the witness does not fit: the notion has two worlds, but the prior has 3");
    // Posterior over prior: (5/7)/(1/2) = 10/7 and (2/7)/(1/2) = 4/7.
    let worlds = |least: &str, sign: &str| json!({"alpha-beta": {"least": least, "sign": sign}});
    assert_eq!(told(worlds("1/2", "positive"), json!({"attained": "3/7"})), RIGHT);
    assert_eq!(told(worlds("1/2", "negative"), json!({"attained": "3/7"})), RIGHT);
    assert_eq!(told(worlds("0", "positive"), json!({"approached": "3/2"})), RIGHT);
    assert_eq!(told(worlds("0", "negative"), json!({"attained": "3/5"})), RIGHT);
    assert_eq!(
        told(worlds("1/2", "positive"), json!({"attained": "4/7"})),
        "the claim is 4/7, but the witness shows 3/7"
    );
}

#[test]
fn sums_over_outputs() {
    let event = |outputs: Value, high: &str, low: &str| json!({"event": {"outputs": outputs, "more": ["ann"], "less": ["bob"], "probabilities": [high, low]}});
    let near = |given: &Value| json!({"approximate": {"adjacency": "replace-one", "given": given}});
    let shows = |given: Value, value: &str, witness: &Value| {
        says(&unlike(), &near(&given), &json!("all"), &json!({"attained": value}), witness)
    };
    let yes = event(json!(["yes"]), "1/2", "1/5");
    let told = |given: Value, value: &str| shows(given, value, &yes);
    assert_eq!(told(json!({"odds": "1"}), "3/10"), RIGHT);
    assert_eq!(told(json!({"odds": "2"}), "1/10"), RIGHT);
    assert_eq!(told(json!({"odds": "2"}), "1/5"), "the claim is 1/5, but the witness shows 1/10");
    assert_eq!(told(json!({"delta": "1/10"}), "2"), RIGHT);
    assert_eq!(told(json!({"delta": "0"}), "5/2"), RIGHT);
    assert_eq!(told(json!({"delta": "1/10"}), "3"), "the claim is 3, but the witness shows 2");
    assert_eq!(told(json!({"delta": "1/2"}), "1"), "the claim is 1, but the witness shows nothing");
    assert_eq!(shows(json!({"delta": "1/2"}), "1", &Value::Null), RIGHT);
    let less = "the claim is at most a delta of 0, but {ann} beside {bob} with odds 3/2 gives 1/5";
    assert_eq!(shows(json!({"odds": "3/2"}), "0", &Value::Null), less);
    let twice = event(json!(["yes", "yes"]), "1", "2/5");
    let error = "the witness does not fit: the event has output yes twice";
    assert_eq!(shows(json!({"odds": "2"}), "1/5", &twice), error);
    let both = event(json!(["yes", "no"]), "1", "1/2");
    let error = "Pr[yes or no | {bob}] is 1 in the table, 1/2 in the witness";
    assert_eq!(shows(json!({"odds": "2"}), "0", &both), error);
    // An output that the other dataset never gives, with a probability above δ: no finite odds are enough.
    let never = json!({"entities": ["ann"], "outputs": ["no", "yes"], "rows": ["1 0", "1/2 1/2"]});
    let ann = json!({"event": {"outputs": ["yes"], "more": ["ann"], "less": [], "probabilities": ["1/2", "0"]}});
    for (delta, said) in [("1/10", RIGHT), ("1/2", "the claim is infinite, but the witness shows nothing")] {
        let notion = json!({"approximate": {"adjacency": "add-remove", "given": {"delta": delta}}});
        assert_eq!(says(&never, &notion, &json!("all"), &json!({"attained": "infinite"}), &ann), said);
    }
}

#[test]
fn odds_but_for_a_chance() {
    let shows = |mechanism: Value, odds: &str, reading: &str, value: Value, witness: &Value| {
        let notion = json!({"but-for": {"adjacency": "add-remove", "odds": odds, "reading": reading}});
        says(&mechanism, &notion, &json!("all"), &value, witness)
    };
    let event = |outputs: &[&str], partly: Value, high: &str, low: &str| json!({"event": {"outputs": outputs, "partly": partly, "more": ["ann"], "less": [], "probabilities": [high, low]}});
    // `yes` has odds of 3; with a fifth of `no`, 4/5 over 2/5.
    let part = event(&["yes"], json!(["no", "1/5"]), "4/5", "2/5");
    let told = |value: Value, witness: &Value| shows(anybody(), "2", "event", value, witness);
    assert_eq!(told(json!({"approached": "4/5"}), &part), RIGHT);
    let between = json!({"between": {"low": "4/5", "high": "9/10", "theorem": "B-7"}});
    assert_eq!(told(between, &part), RIGHT);
    let alone = event(&["yes"], Value::Null, "3/4", "1/4");
    assert_eq!(told(json!({"approached": "4/5"}), &alone), "the claim is 4/5 as a limit, but the witness shows 3/4");
    let error = "the claim is at most a chance of 3/4, but all neighbours, mixed, at odds 2 gives 4/5";
    assert_eq!(told(json!({"approached": "3/4"}), &alone), error);
    assert_eq!(
        told(json!({"attained": "4/5"}), &part),
        "the claim is 4/5, but the witness shows another kind of value"
    );
    let more = event(&["yes"], json!(["no", "2/5"]), "17/20", "11/20");
    assert_eq!(
        told(json!({"approached": "17/20"}), &more),
        "the claim is 17/20 as a limit, but the witness shows no odds above 2"
    );
    let twice = event(&["yes"], json!(["yes", "1/5"]), "9/10", "3/10");
    let error = "the witness does not fit: the event has output yes twice";
    assert_eq!(told(json!({"approached": "9/10"}), &twice), error);
    let all = event(&["yes"], json!(["no", "1"]), "1", "1");
    assert_eq!(told(json!({"approached": "1"}), &all), "the witness does not fit: 1 of no is not a part of it");
    // The output alone.
    let told = |odds: &str, value: &str, witness: &Value| {
        shows(anybody(), odds, "output", json!({"attained": value}), witness)
    };
    assert_eq!(told("2", "3/4", &alone), RIGHT);
    assert_eq!(told("3", "0", &Value::Null), RIGHT);
    assert_eq!(told("3", "3/4", &alone), "the claim is 3/4, but the witness shows no odds above 3");
    let error = "the claim is at most a chance of 0, but {} beside {ann} gives 3/4";
    assert_eq!(told("2", "0", &Value::Null), error);
    assert_eq!(told("2", "4/5", &part), "the claim is 4/5, but the witness shows no odds above 2");
    let below = told("1/2", "0", &Value::Null);
    assert!(below.contains("odds below 1"), "{below}");
}

fn apart(more: &[&str], less: &[&str], high: &str, low: &str) -> Value {
    json!({"output": "yes", "more": more, "less": less, "probabilities": [high, low]})
}

fn crowd(data: &[&str], removed: &Value, outside: &[Value]) -> Value {
    json!({"crowd": {"entity": "ann", "data": data, "removed": removed, "outside": outside}})
}

#[test]
fn crowds() {
    let told = |mechanism: Value, crowd: usize, value: &str, witness: &Value| {
        let notion = json!({"crowd-blending": {"crowd": crowd}});
        says(&mechanism, &notion, &json!("all"), &json!({"attained": value}), witness)
    };
    let alone = crowd(&["ann"], &apart(&["ann"], &[], "3/4", "1/4"), &[]);
    assert_eq!(told(anybody(), 2, "3", &alone), RIGHT);
    assert_eq!(told(anybody(), 1, "1", &Value::Null), RIGHT);
    let hidden = "the claim is 3, but the witness shows a crowd of 1 that may hide ann, and a crowd of 1 is enough";
    assert_eq!(told(anybody(), 1, "3", &alone), hidden);
    assert_eq!(told(anybody(), 2, "2", &alone), "the claim is 2, but the witness shows 3");
    assert_eq!(told(anybody(), 2, "1", &Value::Null), "the claim is at most 1, but ann in {ann} gives 3");
    // In a dataset of two, neither removal nor the other member hides ann.
    let removed = apart(&["ann", "bob"], &["bob"], "1/2", "1/5");
    let exchanged = json!(["bob", apart(&["ann"], &["bob"], "1/2", "1/5")]);
    let two = |outside: &[Value]| crowd(&["ann", "bob"], &removed, outside);
    assert_eq!(told(unlike(), 2, "5/2", &two(std::slice::from_ref(&exchanged))), RIGHT);
    let hidden = "the claim is 5/2, but the witness shows a crowd of 2 that may hide ann, and a crowd of 2 is enough";
    assert_eq!(told(unlike(), 2, "5/2", &two(&[])), hidden);
    assert_eq!(told(unlike(), 3, "5/2", &two(&[])), RIGHT);
    for (witness, error) in [
        (two(&[exchanged.clone(), exchanged.clone()]), "bob must be another member of {ann, bob}, listed once"),
        (two(&[json!(["ann", exchanged[1]])]), "ann must be another member of {ann, bob}, listed once"),
        (two(&[json!(["bob", removed])]), "{ann, bob} and {bob} do not exchange ann for bob"),
        (
            crowd(&["ann", "bob"], &apart(&["ann"], &["bob"], "1/2", "1/5"), &[]),
            "{ann} and {bob} are not {ann, bob} with ann and without",
        ),
        (crowd(&["bob"], &removed, &[]), "ann is not a member of {bob}"),
    ] {
        assert_eq!(told(unlike(), 2, "5/2", &witness), format!("the witness does not fit: {error}"));
    }
    let wrong = two(&[json!(["bob", apart(&["ann"], &["bob"], "1/2", "1/4")])]);
    assert_eq!(told(unlike(), 2, "5/2", &wrong), "Pr[yes | {bob}] is 1/5 in the table, 1/4 in the witness");
}

#[test]
fn simulators_and_what_excludes_better_ones() {
    let table = |nobody: &str, ann: &str| json!({"entities": ["ann"], "outputs": ["no", "yes"], "rows": [nobody, ann]});
    let weight = |data: Value, output: &str, above: &str, below: &str| json!({"data": data, "output": output, "above": above, "below": below});
    let witness = |weights: &[Value], answers: Value| json!({"simulation": {"rows": 0, "entity": "ann", "weights": weights, "simulators": answers}});
    let says = |mechanism: Value, value: Value, witness: &Value| {
        says(&mechanism, &json!({"zero-knowledge": {"rows": 0}}), &json!("all"), &value, witness)
    };
    let answer = |answer: &str| json!([[[[], answer]]]);
    // 1/2 ≤ R·q and q ≤ R/8 imply R² ≥ 4, and (1/4, 3/4) attains 2.
    let four = || table("1/2 1/2", "1/8 7/8");
    let (above, below) = (weight(json!([]), "no", "1", "0"), weight(json!(["ann"]), "no", "0", "1"));
    let weights = [above.clone(), below.clone()];
    let two = json!({"attained": "2"});
    assert_eq!(says(four(), two.clone(), &witness(&weights, answer("1/4 3/4"))), RIGHT);
    for (weights, answers, value, error) in [
        (
            [weight(json!([]), "no", "2", "0"), below.clone()],
            answer("1/4 3/4"),
            two.clone(),
            "the claim is 2, but the witness shows only 1/8·R² + 1·R ≥ 1 for the ratio R without ann",
        ),
        (
            weights.clone(),
            answer("1/4 3/4"),
            json!({"attained": "3"}),
            "the claim is 3, but the witness shows only 1/8·R² + 0·R ≥ 1/2 for the ratio R without ann",
        ),
        (
            weights.clone(),
            answer("1/4 3/4"),
            json!({"attained": "3/2"}),
            "the claim is at most 3/2, but Pr[no | {}] beside 1/4 without ann gives 2",
        ),
        (
            weights.clone(),
            answer("1/3 2/3"),
            two.clone(),
            "the claim is at most 2, but Pr[no | {ann}] beside 1/3 without ann gives 8/3",
        ),
        (
            weights.clone(),
            answer("1/4 1/2"),
            two.clone(),
            "the witness does not fit: the simulator without ann for the sample {}: \
             the probabilities sum to 3/4, not 1",
        ),
        (
            weights.clone(),
            json!([[[["ann"], "1/4 3/4"]]]),
            two.clone(),
            "the witness does not fit: the simulator without ann for the sample {ann}: this sample is impossible",
        ),
        (
            weights.clone(),
            json!([[]]),
            two.clone(),
            "the witness does not fit: the simulator without ann has no answer for the sample {}",
        ),
        (weights.clone(), json!([]), two.clone(), "the witness does not fit: 0 simulators are given for 1 entities"),
        (
            [weight(json!([]), "no", "-1", "0"), below.clone()],
            answer("1/4 3/4"),
            two,
            "the witness does not fit: a bound by Pr[no | {}] has weight -1, below 0",
        ),
    ] {
        assert_eq!(says(four(), value, &witness(&weights, answers)), error);
    }
    // The root of two, from 7/5 to 3/2.
    let root = |low: &str| json!({"between": {"low": low, "high": "3/2", "theorem": "I-ZKP"}});
    let told = |low: &str| says(table("1/2 1/2", "1/4 3/4"), root(low), &witness(&weights, answer("1/3 2/3")));
    assert_eq!(told("7/5"), RIGHT);
    let error = "the claim is at least 3/2, but the witness shows only 1/4·R² + 0·R ≥ 1/2 for the ratio R without ann";
    assert_eq!(told("3/2"), error);
    // `no` must be possible and must not: by its probabilities, or because no other answer is allowed.
    let infinite =
        |weights: &[Value]| says(table("1 0", "0 1"), json!({"attained": "infinite"}), &witness(weights, json!([])));
    assert_eq!(infinite(&weights), RIGHT);
    assert_eq!(infinite(&[below.clone(), weight(json!([]), "yes", "0", "1")]), RIGHT);
    let error = "the claim is infinite, but the witness shows only 0·R² + 0·R ≥ 0 for the ratio R without ann";
    assert_eq!(infinite(&[below]), error);
}

#[test]
fn answers_are_averaged_over_samples() {
    // With two of three in, the answer is a coin; a sample of one of them shows half of the members.
    let rows = ["1 0", "1 0", "1 0", "1/2 1/2", "1 0", "1/2 1/2", "1/2 1/2", "1/2 1/2"];
    let mechanism = json!({"entities": ["ann", "bob", "cy"], "outputs": ["no", "yes"], "rows": rows});
    let witness = json!({"simulation": {"rows": 1, "entity": "ann", "simulators": [], "weights": [
        {"data": ["ann", "bob"], "output": "yes", "above": "1", "below": "0"},
        {"data": ["bob"], "output": "yes", "above": "0", "below": "1"}]}});
    let notion = json!({"zero-knowledge": {"rows": 1}});
    let told = |witness: &Value| says(&mechanism, &notion, &json!("all"), &json!({"attained": "infinite"}), witness);
    assert_eq!(told(&witness), RIGHT);
    // With all in, only half of the samples show bob: the weight must be twice as large, and for cy as well.
    let text = witness.to_string().replacen("[\"ann\",\"bob\"]", "[\"ann\",\"bob\",\"cy\"]", 1);
    let error = "the claim is infinite, but the witness shows only 0·R² + 1/2·R ≥ 1/2 for the ratio R without ann";
    assert_eq!(told(&serde_json::from_str(&text).unwrap()), error);
}

#[test]
fn constraints() {
    let told = |mechanism: Value, notion: Value, value: &str, witness: &Value| {
        says(&mechanism, &notion, &json!("all"), &json!({"attained": value}), witness)
    };
    // Only the empty dataset and both together are allowed: they are neighbours, two moves apart.
    let both = pair("yes", &["ann", "bob"], &[], "3/4", "1/4");
    assert_eq!(told(anybody(), json!({"induced": {"allowed": [[], ["ann", "bob"]]}}), "3", &both), RIGHT);
    assert_eq!(
        told(anybody(), json!({"induced": {"allowed": [[], ["ann"], ["ann", "bob"]]}}), "3", &both),
        "the witness does not fit: the notion does not compare {ann, bob} with {}"
    );
}

#[test]
fn mixtures_gain_more_than_their_parts() {
    // Each prior is certain of every entity; an equal mixture of the two is not.
    let sure = |members: Value| json!({"table": [[members, "1"]]});
    let family = json!({"explicit": [sure(json!(["ann"])), sure(json!([]))]});
    let even = prior(&json!({"table": [[[], "1/2"], [["ann"], "1/2"]]}), "yes", "3/4", "1/4");
    let notion = json!({"membership": {"sign": "positive"}});
    let told = |value: Value, witness: &Value| says(&anybody(), &notion, &family, &value, witness);
    assert_eq!(
        told(json!({"attained": "2"}), &even),
        "the claim is at most 2, but `yes` about ann, a mixture of two priors gives more"
    );
    assert_eq!(told(json!({"between": {"low": "2", "high": "3", "theorem": "F-EXPL"}}), &even), RIGHT);
    let other = prior(&json!({"table": [[["bob"], "1/2"], [["ann"], "1/2"]]}), "yes", "3/4", "3/4");
    assert_eq!(
        told(json!({"attained": "1"}), &other),
        "the witness does not fit: the prior is neither a given one nor a mixture of two of them"
    );
}

#[test]
fn unknown_versions_fields_and_changes_are_refused() {
    let text = seal(&anybody(), &json!("bounded"), &json!("all"), &json!({"attained": "1"}), &Value::Null);
    assert_eq!(recheck(&text, LIMIT).unwrap().to_string(), RIGHT);
    let changed = |from: &str, to: &str| recheck(&text.replacen(from, to, 1), LIMIT).unwrap_err().to_string();
    assert_eq!(changed("\"format\":1", "\"format\":2"), "format 2 is not known; this program reads format 1");
    assert!(changed("{\"format\"", "{\"note\":1,\"format\"").contains("unknown field `note`"));
    assert!(changed("\"bob\"", "\"bab\"").starts_with("the file was altered: its checksum is"));
}

/// Found by fuzzing: no error quotes a character that could move a terminal's cursor.
#[test]
fn characters_that_do_not_print_are_refused() {
    for text in ["{\"a\u{7f}\":1}", "{\"a\\u0007\":1}", "{\"a\\n\":1}", "{\u{1b}}"] {
        let error = deniable_recheck::recheck(text, 1).unwrap_err().to_string();
        assert!(error.starts_with("this is not a certificate: a character that does not print"), "{error}");
    }
}
