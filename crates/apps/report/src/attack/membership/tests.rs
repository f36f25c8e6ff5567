use super::*;
use deniable_attack::report::{PromiseSource, Score};
use deniable_attack::{Bounds, PanelCounts, Test};
use deniable_core::exact::whole;

fn odds(odds: u32) -> Promised {
    let source = PromiseSource::Entry { entry: 4, name: "pool".into() };
    Promised::Bounded(Bounds::of_odds(whole(odds)).unwrap(), source)
}

/// Members score above `above` of the others; 120 people calibrate 5% but not 1%.
fn example(promised: Promised, above: u32) -> MembershipReport {
    let others: Vec<f64> = (0..120).map(f64::from).collect();
    let members: Vec<f64> = (0..120).map(|score| f64::from(score + above)).collect();
    MembershipReport {
        test: Test::LikelihoodRatio,
        released: "a & <b>.frq".into(),
        snps: PanelCounts { released: 1000, used: 950, swapped: 7, not_in_reference: 50, ..PanelCounts::default() },
        agreement: None,
        clamped: 12,
        scores: vec![Score { target: "<p>".into(), value: None, snps: 1, is_member: None }],
        confidence: 0.95,
        findings: Some(Findings::of(&members, &others, 0.95)),
        promised,
        files: vec![("released frequencies", "a & <b>.frq".into())],
        warnings: Vec::new(),
    }
}

#[test]
fn numbers_are_compared_with_their_bounds() {
    let page = membership(&example(odds(2), 0));
    for words in [
        "<th scope=\"row\">AUC</th><td class=\"number\">0.500</td>",
        "<td class=\"number\">0.667</td><td>within the bound</td>",
        "<td class=\"number\">10%</td>",
        // There is no promise about the rate of false positives.
        "<td class=\"number\">-</td><td></td>",
        "<td class=\"number\">0.334</td>",
        "<td colspan=\"4\">too few known non-members: 120 of 197 needed</td>",
        "All 3 numbers are within their bounds",
        "Odds of at most 2 about membership in the pool (entry 4, &quot;pool&quot;)",
        "more than odds of at most 2 allow any test",
        "A statistic for 120 members and 120 others.",
        "left out: not in the reference",
        "of the members, and wrongly takes",
        "At 12 SNPs a frequency was 0 or 1",
        "1 targets have no value",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn exceeded_and_undecided_bounds_are_reported() {
    let beyond = membership(&example(odds(2), 100));
    assert!(beyond.contains("3 of 3 numbers exceed their bounds") && beyond.contains("not a proof"), "{beyond}");
    assert!(beyond.contains("<span class=\"outside\">beyond the bound</span>"));
    let undecided = membership(&example(odds(1), 0));
    assert!(undecided.contains("of 3 there are too few people to decide"), "{undecided}");
}

#[test]
fn missing_bounds_are_explained() {
    let none = membership(&example(Promised::NoLedger, 100));
    assert!(none.contains("No ledger was named") && none.contains("<td colspan=\"2\">too few known"), "{none}");
    let labels = membership(&example(Promised::Labels(Some(3)), 100));
    assert!(labels.contains("about case status, not about participation"));
    for page in [none, labels] {
        for words in ["at most", "At most", "the bound", "allow any test", "beyond"] {
            assert!(!page.contains(words), "{words}: {page}");
        }
    }
}

#[test]
fn nothing_becomes_markup_and_nothing_is_loaded() {
    let page = membership(&example(odds(2), 0));
    assert!(!page.contains("<b>") && page.contains("a &amp; &lt;b&gt;.frq"), "{page}");
    for loaded in ["<script", "http:", "src=", "@import", "url("] {
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(loaded), "{loaded}");
    }
}

#[test]
fn too_few_people_are_reported() {
    let mut few = example(odds(2), 0);
    few.findings = Some(Findings::of(&[1.0], &[], 0.95));
    let page = membership(&few);
    for words in [
        "too few people whose membership is known for a result",
        "too few people: two members and two others are needed, there are 1 and 0",
        "too few known non-members: 0 of 37 needed",
        "There is no curve",
        "No measure can be compared with them.",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    few.findings = None;
    assert!(membership(&few).contains("Nothing was measured"));
}
