//! The rechecker accepts every certificate: of every notion, every family, every built-in mechanism of up to three
//! entities, and tables of one entity or with missing rows.

use deniable_check::certificate::certificate;
use deniable_check::decide::decide;
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::{Mechanism, builtin};
use deniable_check::notion::Notion;
use deniable_check::protocol::Party;
use deniable_check::subject::{PROTOCOLS, Subject, View};
use deniable_check::words;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_recheck::{LIMIT, UpperCheck, recheck};
use std::collections::BTreeMap;

fn parameters(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Every built-in mechanism of one, two and three entities for which its other parameters fit.
fn built_in() -> Vec<(String, Mechanism)> {
    let mut all = Vec::new();
    for mechanism in builtin::LIST {
        let has = |name: &str| mechanism.parameters.iter().any(|parameter| parameter.name == name);
        let each = ["1", "2", "3"];
        let mut tried: Vec<BTreeMap<String, String>> = match mechanism.name {
            "and" | "or" => vec![parameters(&[("entities", "1"), ("members", "1")]), parameters(&[("entities", "3")])],
            _ if has("entities") => each.iter().map(|n| parameters(&[("entities", n)])).collect(),
            _ => vec![parameters(&[])],
        };
        if mechanism.name == "kmax" {
            tried.push(parameters(&[("variant", "original"), ("entities", "3")]));
            tried.push(parameters(&[("k", "1"), ("entities", "1")]));
        }
        let before = all.len();
        for given in tried {
            if let Ok(built) = builtin::build(mechanism.name, &given) {
                all.push((format!("{} {given:?}", mechanism.name), built));
            }
        }
        assert!(all.len() > before, "{} was never built", mechanism.name);
    }
    all
}

fn names(count: usize) -> Vec<String> {
    ["ann", "bob", "cy"][..count].iter().map(|name| (*name).to_owned()).collect()
}

/// Tables without entities, of one entity, and with missing rows.
fn tables() -> Vec<(String, Mechanism)> {
    let row = |part: i64| vec![ratio(part, 4), ratio(4 - part, 4)];
    let outputs = || vec!["no".to_owned(), "yes".to_owned()];
    let of = |name: &str, entities: usize, parts: &[Option<i64>]| {
        let rows: Vec<Option<Vec<Rational>>> = parts.iter().map(|part| part.map(row)).collect();
        (name.to_owned(), Mechanism::partial(names(entities), outputs(), rows).unwrap())
    };
    vec![
        of("nobody", 0, &[Some(1)]),
        of("a truthful answer of four", 1, &[Some(3), Some(1)]),
        of("a sure answer", 1, &[Some(4), Some(0)]),
        of("a half sure answer", 1, &[Some(4), Some(2)]),
        of("the same answer", 1, &[Some(2), Some(2)]),
        of("no row for ann", 1, &[Some(1), None]),
        of("none or one", 2, &[Some(1), Some(3), Some(2), None]),
        of("none or both", 2, &[Some(1), None, None, Some(3)]),
        of("one alone", 2, &[None, Some(3), Some(1), None]),
        of("of a size", 3, &[None, Some(1), Some(2), None, Some(3), None, None, None]),
        of("all but one", 3, &[Some(1), Some(2), Some(3), Some(2), Some(1), Some(4), None, Some(0)]),
    ]
}

fn protocols() -> Vec<(String, Mechanism)> {
    let mut all = Vec::new();
    for (name, _) in PROTOCOLS {
        for party in Party::BOTH {
            let subject = Subject::builtin(name, &BTreeMap::new()).unwrap();
            if let Ok(View::Table(mechanism)) = View::of(&subject, party) {
                all.push((format!("{name} {party:?}"), mechanism));
            }
        }
    }
    all
}

/// Every notion or family with small parameters.
fn filled(form: &str) -> Vec<String> {
    let Some((name, parameter)) = form.split_once(':') else { return vec![form.to_owned()] };
    let values: &[&str] = match parameter {
        "ODDS" => &["1", "3/2", "3", "1000"],
        "DELTA" => &["0", "1/4", "1"],
        "P_MIN" => &["0", "1/10", "1/2"],
        "RATE" | "BETA" => &["1/3"],
        _ => &["1", "2", "3"],
    };
    values.iter().map(|value| format!("{name}:{value}")).collect()
}

fn notions(mechanism: &Mechanism) -> Vec<Notion> {
    let forms = words::NOTIONS.iter().flat_map(|word| filled(word.form));
    let mut all: Vec<Notion> = forms.filter_map(|text| words::notion(&text).ok()).collect();
    all.push(Notion::Induced { allowed: mechanism.datasets().collect() });
    all.push(Notion::InducedExchange { allowed: mechanism.datasets().collect() });
    all
}

fn families(n: usize) -> Vec<Family> {
    let range = |low, high| PriorRange::new(low, high).unwrap();
    let ranges = [
        PriorRange::any(),
        range(Some(ratio(1, 5)), Some(ratio(4, 5))),
        range(Some(ratio(1, 5)), Some(ratio(1, 2))),
        range(None, Some(ratio(2, 5))),
        range(Some(ratio(1, 2)), None),
    ];
    let mut all = Vec::new();
    for form in words::FAMILIES.iter().flat_map(|word| filled(word.form)) {
        all.extend(words::family(&form, None).ok());
        all.extend(ranges.iter().filter_map(|range| words::family(&form, Some(range)).ok()));
    }
    all.extend(ranges.iter().map(|range| Family::Box(vec![range.clone(); n])));
    let independent = |belief: Rational| Prior::Independent(vec![belief; n]);
    all.push(Family::Explicit(vec![independent(ratio(1, 3))]));
    all.push(Family::Explicit(vec![independent(ratio(1, 3)), independent(ratio(3, 4))]));
    all.push(Family::Explicit(vec![independent(whole(0)), independent(whole(1))]));
    all.push(Family::Explicit(vec![independent(whole(0))]));
    all
}

#[test]
fn every_certificate_is_accepted() {
    let (mut accepted, mut vacuous) = (0, 0);
    for (name, mechanism) in [built_in(), tables(), protocols()].concat() {
        for notion in notions(&mechanism) {
            let families = if notion.is_about_beliefs() { families(mechanism.size()) } else { vec![Family::All] };
            for family in families {
                // Errors have no certificate.
                let Ok(verdict) = decide(&mechanism, &notion, &family) else { continue };
                let text = certificate(&mechanism, &notion, &family, &verdict).unwrap();
                let report = recheck(&text, LIMIT);
                let full = if verdict.value.is_vacuous() { UpperCheck::Vacuous } else { UpperCheck::Holds };
                let right = report.as_ref().is_ok_and(|report| report.upper == full);
                assert!(right, "{name}: {notion:?} over {family:?}: {verdict:?}\n{report:?}\n{text}");
                accepted += 1;
                vacuous += usize::from(verdict.value.is_vacuous());
            }
        }
    }
    assert!(accepted > 5_000 && vacuous > 200, "{accepted} accepted, {vacuous} of them vacuous");
}

/// The rechecker verifies that a vacuous claim has nothing to compare.
#[test]
fn a_vacuous_claim_about_something_is_refused() {
    let mut refused = 0;
    for (name, mechanism) in tables() {
        for notion in notions(&mechanism) {
            for family in families(mechanism.size()) {
                let Ok(mut verdict) = decide(&mechanism, &notion, &family) else { continue };
                if verdict.value.is_vacuous() {
                    continue;
                }
                verdict.value = deniable_check::verdict::Value::Vacuous(verdict.value.high().clone());
                verdict.witness = None;
                let text = certificate(&mechanism, &notion, &family, &verdict).unwrap();
                assert!(recheck(&text, LIMIT).is_err(), "{name}: {notion:?} over {family:?}\n{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 1_000, "{refused}");
}
