//! Properties of every table, hierarchy and requirement that `assess` reads. Run by `fuzz/targets/assess.rs` and by
//! `crates/lab/assess/tests/it/fuzz.rs`.

use deniable_assess::{AssessError, Counts, Distance, Hierarchy, Input, Quasi, Reading, Requirement, assess};

/// A valid text of each kind, with its leading byte: rows of a table, a hierarchy, requirements.
pub const GOOD: [(u8, &str); 4] = [
    (0, "021**|30-39|flu\n021**|[40,50)|cold\n*|<30|flu\n{02138,02139}|30-39|cold\n"),
    (3, "a;b;*|1|3\na|2|7\n"),
    (1, "02138;0213*;*\n02139;0213*;*\n14850;1485*;*\n"),
    (2, "k=2,l=2,entropy-l=1.5,recursive-l=3:2,t=1/5,prosecutor=0.5,epsilon-bop=1,belief-odds=3"),
];

/// Cells of two columns and a sensitive column are parsed or refused with a message; parsed tables are assessed without
/// a panic, and the measures are consistent. The first byte selects the kind of the rest. Returns whether it is parsed.
pub fn check(bytes: &[u8]) -> bool {
    let (choice, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let text = String::from_utf8_lossy(bytes);
    match choice % 4 {
        1 => match Hierarchy::parse(&text, ';') {
            Ok(hierarchy) => {
                let leaf = text.lines().find(|line| !line.trim().is_empty()).and_then(|line| line.split(';').next());
                let leaf = leaf.unwrap_or_default().trim_start_matches('\u{feff}').trim();
                assert!(hierarchy.is_leaf(leaf), "{leaf:?}");
                assert_eq!(hierarchy.distance(leaf, leaf), Some(0));
                true
            }
            Err(error) => said(&error),
        },
        2 => match Requirement::parse(&text) {
            Ok(demands) => {
                let again: Vec<String> = demands.iter().map(|demand| demand.text.clone()).collect();
                assert_eq!(Requirement::parse(&again.join(",")).as_ref(), Ok(&demands));
                true
            }
            Err(error) => said(&error),
        },
        kind => table(&text, kind == 3),
    }
}

/// Rows of `zip|age|condition`, each with its multiplicity: one more than its number of tabs.
fn table(text: &str, literal: bool) -> bool {
    let mut counts = Counts::new(&["zip", "age", "condition"]).expect("three names");
    for line in text.lines().take(200) {
        let cells: Vec<&str> = line.splitn(3, '|').collect();
        let [zip, age, condition] = cells[..] else { continue };
        let times = 1 + line.matches('\t').count() as u64;
        if let Err(error) = counts.push(&[zip, age, condition], times) {
            return said(&error);
        }
    }
    let mut input = Input::new(&counts, &["zip", "age"], &["condition"]);
    if literal {
        input.quasi = ["zip", "age"].map(|name| Quasi::new(name, Reading::Literal)).to_vec();
        input.sensitive[0].distance = Distance::Ordered(None);
    }
    input.requirements = Requirement::parse("k=2,l=2,t=1/2,epsilon-bop=1,prosecutor=1/2").expect("good demands");
    if literal {
        input.auxiliary = Some(&counts);
    }
    let found = match assess(&input) {
        Ok(found) => found,
        Err(error) => return said(&error),
    };
    let k = found.sizes.smallest.value;
    assert_eq!(found.sizes.people, counts.people());
    assert_eq!(found.verdicts[0].met, k >= 2);
    assert_eq!(found.verdicts[4].met, k >= 2, "a chance of 1/k");
    assert!(found.sensitive[0].diversity.distinct.value <= found.sensitive[0].values);
    assert!(serde_json::to_string(&found).is_ok() && found.to_string().ends_with('\n'));
    // Every published cell with a single value is a person whom the table covers.
    if let Some(linking) = &found.linkage {
        assert_eq!((linking.people, linking.nobody), (counts.people(), 0));
    }
    true
}

/// A refusal is one line of limited length.
fn said(error: &AssessError) -> bool {
    let words = error.to_string();
    assert!(!words.is_empty() && words.len() < 2000 && !words.chars().any(char::is_control), "{words:?}");
    false
}
