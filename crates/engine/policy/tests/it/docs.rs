//! The examples of `docs/reference/policy.md` are valid.

use deniable_policy::{Policy, PolicyErrorKind};
use std::path::Path;

/// The sections that an example omits.
const REST: [(&str, &str); 6] = [
    ("[data]", "table = \"visits\"\npath = \"visits.csv\"\nversion = \"1\"\n"),
    ("[entity]", "key = \"patient\"\nrows_per_group = 1\ngroups = 1\n"),
    ("[columns.patient]", "type = \"text\"\n"),
    ("[adversary]", "preset = \"acquaintance\"\n"),
    ("[promise]", "posterior_at_most = 0.75\n"),
    ("[[query]]", "sql = \"SELECT COUNT(*) FROM visits\"\n"),
];

#[test]
fn every_example_is_a_policy_or_the_blank_that_it_shows() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/policy.md");
    let page = std::fs::read_to_string(page).unwrap();
    let examples: Vec<&str> = page.split("```toml\n").skip(1).map(|after| after.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 6);
    for example in examples {
        let mut text = format!("name = \"n\"\npopulation = \"p\"\n{example}\n");
        for (section, keys) in REST.iter().filter(|(section, _)| !example.contains(section)) {
            text.push_str(&format!("{section}\n{keys}"));
        }
        match Policy::parse(Path::new("p.toml"), &text) {
            Ok(_) => assert!(!example.contains("\"?\""), "{text}"),
            Err(errors) => {
                let blank = |kind: &PolicyErrorKind| matches!(kind, PolicyErrorKind::Blank { .. });
                let blanks = errors.errors().iter().all(|error| blank(&error.kind));
                assert!(blanks && errors.errors().len() == example.matches("\"?\"").count(), "{errors} in\n{text}");
            }
        }
    }
}
