//! The worked numbers of `testdata/odds.toml`, through the whole policy reader.

use deniable_core::exact::parse_rational;
use deniable_policy::Policy;
use std::path::Path;
use toml_edit::DocumentMut;

#[test]
fn every_case_gives_its_odds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/odds.toml");
    let cases: DocumentMut = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let cases = cases["case"].as_array_of_tables().unwrap();
    assert!(cases.len() >= 20);
    for case in cases {
        let promise = case["promise"].as_str().unwrap();
        let prior = case.get("prior").and_then(|prior| prior.as_str()).unwrap_or("..");
        let knows_size = case.get("knows_size").and_then(|knows| knows.as_bool()).unwrap_or(false);
        let text = format!(
            "name = \"case\"\npopulation = \"case\"\ndata = {{ table = \"t\", path = \"t.csv\", version = \"1\" }}\n\
             [adversary]\nknows_size = {knows_size}\nprior = \"{prior}\"\n[promise]\n{promise}\n\
             [[query]]\nsql = \"SELECT COUNT(*) FROM t\"\n"
        );
        let policy = Policy::parse(Path::new("case.toml"), &text);
        if case.get("refused").is_some() {
            assert!(policy.is_err(), "{promise} against {prior} must be refused");
            continue;
        }
        let expected = parse_rational(case["odds"].as_str().unwrap()).unwrap();
        let policy = policy.unwrap_or_else(|errors| panic!("{promise} against {prior}: {errors}"));
        assert_eq!(policy.guarantee().limit().exact_odds(), Some(expected), "{promise} against {prior}");
    }
}
