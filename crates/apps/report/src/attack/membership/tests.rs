use super::*;

fn measured(value: f64, at_most: f64) -> Number {
    Number { value, low: value - 0.05, high: value + 0.05, at_most: Some(at_most) }
}

fn odds() -> Bound {
    Bound::Odds { odds: 2.0, written: "2".into(), recorded: "entry 4 of pool.ledger".into() }
}

/// `lift` moves every number up.
fn example(bound: Bound, lift: f64) -> Membership {
    let test = |name: &str| Test {
        name: name.into(),
        members: 198,
        others: 1000,
        area: Some(measured(0.55 + lift, 2.0 / 3.0)),
        powers: vec![
            Power::Measured { at: "5%".into(), found: measured(0.05 + lift, 0.1), wrong: measured(0.056, 0.01) },
            Power::TooFew { at: "1%".into(), people: 120, needed: 197 },
        ],
        advantage: Some(measured(lift - 0.0002, 1.0 / 3.0)),
        roc: vec![(0.0, 0.0), (0.5, 0.6), (1.0, 1.0)],
        notes: vec!["12 frequencies of 0 or 1 were moved to 0.001 or 0.999".into()],
    };
    Membership {
        title: "Who took part in <study>?".into(),
        files: vec![("released frequencies".into(), "a & <b>.frq".into())],
        snps: Snps { released: 1000, used: 950, turned: 7, left_out: vec![(50, "not in the reference".into())] },
        members: 200,
        others: 1000,
        confidence: "95%".into(),
        bound,
        tests: vec![test("homer"), test("lr")],
    }
}

#[test]
fn numbers_stand_beside_their_bounds() {
    let page = membership(&example(odds(), 0.0));
    for words in [
        "<td class=\"number\">0.550</td><td class=\"number\">0.500 to 0.600</td><td class=\"number\">0.667</td><td>within the bound</td>",
        "<td class=\"number\">5.0%</td><td class=\"number\">0.0% to 10.0%</td><td class=\"number\">10.0%</td><td>within the bound</td>",
        // No rate of false positives is promised.
        "<td class=\"number\">5.6%</td><td class=\"number\">0.6% to 10.6%</td><td class=\"number\">-</td><td></td>",
        "<td class=\"number\">0.000</td><td class=\"number\">-0.050 to 0.050</td><td class=\"number\">0.334</td>",
        "<td colspan=\"4\">too few known non-members: 120 of 197 needed</td>",
        "All 6 numbers lie within their bounds",
        "Odds of at most 2 about who is in the pool (entry 4 of pool.ledger)",
        "more than odds of at most 2 allow any test",
        "A statistic for 198 of 200 members and 1000 of 1000 others.",
        "left out: not in the reference",
        "It finds 5.0% of the members, and takes 5.6% of the others for members as well.",
        "12 frequencies of 0 or 1 were moved",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn what_is_beyond_and_what_is_undecided_is_said() {
    let beyond = membership(&example(odds(), 0.5));
    assert!(beyond.contains("6 of 6 numbers lie beyond their bounds") && beyond.contains("not a proof"), "{beyond}");
    assert!(beyond.contains("<span class=\"outside\">beyond the bound</span>"));
    let undecided = membership(&example(odds(), 0.03));
    assert!(undecided.contains("for 2 of 6 there are too few people to tell"), "{undecided}");
    // An interval that is no number decides nothing.
    let mut odd = example(odds(), 0.0);
    for test in &mut odd.tests {
        test.area = Some(Number { value: f64::NAN, low: f64::NAN, high: f64::NAN, at_most: Some(0.5) });
    }
    assert!(membership(&odd).contains("for 2 of 6 there are too few people to tell"));
}

#[test]
fn without_a_bound_it_is_said_why() {
    let none = membership(&example(Bound::NoEntry, 0.5));
    assert!(none.contains("No entry of a ledger was named") && none.contains("<td colspan=\"2\">too few known"));
    let labels = membership(&example(Bound::Labels, 0.5));
    assert!(labels.contains("about who is a case, not about who took part"));
    for page in [none, labels] {
        for words in ["at most", "At most", "the bound", "allow any test", "beyond"] {
            assert!(!page.contains(words), "{words}: {page}");
        }
    }
}

#[test]
fn nothing_becomes_markup_and_nothing_is_loaded() {
    let page = membership(&example(odds(), 0.0));
    assert!(!page.contains("<study>") && !page.contains("<b>") && page.contains("a &amp; &lt;b&gt;.frq"), "{page}");
    for loaded in ["<script", "http:", "src=", "@import", "url("] {
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(loaded), "{loaded}");
    }
}

#[test]
fn hardly_anybody_has_a_page_as_well() {
    let mut few = example(odds(), 0.0);
    few.tests.truncate(1);
    for test in &mut few.tests {
        let at = |at: &str, needed| Power::TooFew { at: at.into(), people: 1, needed };
        *test = Test {
            members: 1,
            others: 1,
            area: None,
            advantage: None,
            powers: vec![at("5%", 37), at("1%", 197)],
            roc: vec![],
            ..test.clone()
        };
    }
    let page = membership(&few);
    for words in [
        "too few people of whom the truth is known to say anything",
        "too few people: it takes two members and two others, there are 1 and 1",
        "too few known non-members: 1 of 37 needed",
        "There is no curve",
        "Nothing could be measured to be compared with them.",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    few.tests.clear();
    assert!(membership(&few).contains("No test was made."));
}
