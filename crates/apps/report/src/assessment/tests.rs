use super::*;
use deniable_chart::sizes::buckets;

const HOSTILE: &str = "<img src=x>&\"<script>alert(1)</script>";

fn measure(name: &str, value: &str, class: Option<&str>) -> Measure {
    Measure { name: name.into(), value: value.into(), meaning: "of each class".into(), class: class.map(Into::into) }
}

fn belief(before: f64, after: f64, odds: f64) -> Belief {
    Belief {
        value: "disease=HIV".into(),
        person: "age=34, zip=13053".into(),
        class: "age=3*, zip=130**".into(),
        before,
        after,
        odds,
    }
}

fn example() -> Assessment {
    let requirement = |text: &str, met, offending: &[&str], classes| Requirement {
        text: text.into(),
        measured: "2".into(),
        met,
        offending: offending.iter().map(|class| (*class).into()).collect(),
        classes,
    };
    Assessment {
        title: "What patients.csv gives away".into(),
        files: vec![("table".into(), "patients.csv".into())],
        people: 1200,
        classes: 56,
        overview: vec![
            measure("k", "2", Some("age=3*, zip=130**")),
            measure("prosecutor's risk, highest", "1/2", Some("age=3*, zip=130**")),
            measure("journalist's risk", "not computed", None),
        ],
        sizes: buckets([2, 3, 3, 7, 40, 40], Some(5)),
        wanted: Some(5),
        beliefs: Beliefs {
            before: vec!["Beliefs beforehand are the shares in the whole table.".into()],
            moved: vec![belief(0.012, 1.0, f64::INFINITY), belief(0.2, 0.5, 4.0), belief(0.3, 0.0, 0.0)],
            shares: vec!["12% of the people are in classes where some odds grow by more than 2.".into()],
        },
        presence: Err("no table of the population was given.".into()),
        original: vec!["age: 40.0% as they were".to_owned()],
        linkage: Some(Linkage {
            people: 400,
            found: vec![("match nobody".into(), 100), ("match exactly one row".into(), 3)],
            said: vec!["The highest confidence is 1/1.".into()],
        }),
        requirements: vec![
            requirement("k=5", false, &["age=3*, zip=130**", "age=4*"], 12),
            requirement("l=2", true, &[], 0),
            requirement("t=0.2", false, &[], 0),
        ],
        notes: vec!["`1` and `1-2` of age overlap".to_owned()],
        readings: vec![Reading {
            column: "age".into(),
            role: "may be known".into(),
            cells: vec![("ranges".into(), 4), ("suppressed".into(), 1)],
        }],
    }
}

#[test]
fn every_section_has_its_numbers() {
    let page = assessment(&example());
    for words in [
        "1200 people in 56 classes",
        "2 of 3 requirements not met",
        "<li>k=5: measured 2</li>",
        "<td class=\"number\">1/2</td><td>age=3*, zip=130**</td>",
        "Below the wanted size of 5: 8 people in 3 classes.",
        "disease=HIV · age=3*, zip=130**: 1.2% → 100%, certain.",
        "<td class=\"number\">1.2%</td><td class=\"number\">100%</td><td class=\"number\">certain</td>",
        "<td class=\"number\">20.0%</td><td class=\"number\">50.0%</td><td class=\"number\">× 4.00</td>",
        "<td class=\"number\">ruled out</td>",
        "Not computed: no table of the population was given.",
        "<td class=\"number\">3</td><td class=\"number\">0.8%</td>",
        "age=3*, zip=130**<br>age=4*<br>and 10 more",
        "<td>4 ranges, 1 suppressed</td>",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("<script") && !page.contains("src="), "{page}");
}

#[test]
fn what_is_met_is_said() {
    let mut table = example();
    table.requirements.retain(|one| one.met);
    assert!(assessment(&table).contains("The requirement is met"));
    table.requirements.push(table.requirements[0].clone());
    let page = assessment(&table);
    assert!(page.contains("All 2 requirements are met") && !page.contains("not met"), "{page}");
}

#[test]
fn a_page_without_anything() {
    let nothing = Assessment {
        title: "Nothing".into(),
        files: vec![],
        people: 0,
        classes: 0,
        overview: vec![],
        sizes: vec![],
        wanted: None,
        beliefs: Beliefs::default(),
        presence: Ok(Presence::default()),
        original: Vec::new(),
        linkage: None,
        requirements: vec![],
        readings: vec![],
        notes: vec![],
    };
    let page = assessment(&nothing);
    for words in [
        "Nothing was measured.",
        "There are no classes.",
        "No belief was computed.",
        "Nothing was required.",
        "No column",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("id=\"linkage\"") && !page.contains("NaN") && !page.contains("<figure>"));
    let nobody = Linkage { people: 0, found: vec![("match nobody".into(), 0)], said: vec![] };
    let page = assessment(&Assessment { linkage: Some(nobody), ..nothing });
    assert!(page.contains("Looked for: 0 people.") && !page.contains("NaN"));
}

#[test]
fn nothing_becomes_markup() {
    let text = || HOSTILE.to_owned();
    let hostile = || Measure { name: text(), value: text(), meaning: text(), class: Some(text()) };
    let page = assessment(&Assessment {
        title: text(),
        files: vec![(text(), text())],
        overview: vec![hostile()],
        beliefs: Beliefs {
            before: vec![text()],
            moved: vec![Belief {
                value: text(),
                person: text(),
                class: text(),
                before: 0.1,
                after: 0.2,
                odds: f64::NAN,
            }],
            shares: vec![text()],
        },
        presence: Ok(Presence { said: vec![text()], measures: vec![hostile()] }),
        original: vec![text()],
        linkage: Some(Linkage { people: 1, found: vec![(text(), 1)], said: vec![text()] }),
        requirements: vec![Requirement {
            text: text(),
            measured: text(),
            met: false,
            offending: vec![text()],
            classes: 1,
        }],
        readings: vec![Reading { column: text(), role: text(), cells: vec![(text(), 1)] }],
        notes: vec![text()],
        ..example()
    });
    assert!(!page.contains("<img") && !page.contains("<script"), "{page}");
    assert!(page.matches("&lt;img src=x&gt;&amp;").count() >= 20, "{page}");
    let refused = assessment(&Assessment { presence: Err(text()), ..example() });
    assert!(!refused.contains("<img"));
}

/// A page stays small, however much was computed.
#[test]
fn long_lists_are_cut_and_say_so() {
    let mut table = example();
    table.beliefs.moved = (0..5000).map(|_| belief(0.1, 0.2, 2.25)).collect();
    table.requirements[0].offending = (0..5000).map(|at| format!("class {at}")).collect();
    table.requirements[0].classes = 6000;
    let page = assessment(&table);
    assert!(page.len() < 200_000, "{}", page.len());
    assert!(page.contains("The first 200 of 5000 beliefs.") && page.contains("and 5980 more"), "{page}");
}
