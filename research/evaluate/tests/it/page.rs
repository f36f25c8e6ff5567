//! The files of the page on a few made-up rows: complete, self-contained, and deterministic.

use deniable_evaluate::adult::Adult;
use deniable_evaluate::surface::Grid;
use deniable_evaluate::{EvaluateError, Evaluation, Settings, evaluate, run};
use std::cell::RefCell;
use std::path::Path;
use std::sync::LazyLock;

fn adult() -> Adult {
    let line =
        |at: i64| format!("{}, a, 1, b, 1, c, d, e, f, g, {}, {}, {}, h, i\n", 20 + at, 100 * at, 50 * at, 30 + 2 * at);
    Adult::read((0..9).map(line).collect::<String>().as_bytes()).unwrap()
}

fn settings() -> Settings {
    Settings { repetitions: 5, ..Settings::default() }
}

/// A shared evaluation of most tests.
fn made() -> &'static Evaluation {
    static MADE: LazyLock<Evaluation> = LazyLock::new(made_anew);
    &MADE
}

fn made_anew() -> Evaluation {
    evaluate(adult(), &settings(), &|_, _| {}).unwrap()
}

#[test]
fn progress_counts_to_the_end() {
    let seen = RefCell::new(Vec::new());
    evaluate(adult(), &settings(), &|done, of| seen.borrow_mut().push((done, of))).unwrap();
    let seen = seen.into_inner();
    assert_eq!(seen, (1..=seen.len()).map(|done| (done, seen.len())).collect::<Vec<_>>());
    assert_eq!(seen.len(), 21);
}

#[test]
fn every_link_of_the_page_leads_somewhere_and_nothing_leads_out() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("new/evaluation");
    let written = made().write(&place).unwrap();
    let page = std::fs::read_to_string(place.join("README.md")).unwrap();
    let mut links = 0;
    for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let inside = !link.starts_with("../") && !link.starts_with('#');
        assert!(!inside || place.join(link).is_file(), "{link} is missing");
        links += usize::from(inside);
    }
    assert_eq!(links, written.len() - 1, "every file but the page is linked, once");
    for path in &written {
        let text = std::fs::read_to_string(path).unwrap().replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for outside in ["http:", "https:", "href", "url(", "@import", "<script", "<image"] {
            assert!(!text.contains(outside), "{} has {outside}", path.display());
        }
        assert!(!text.contains("NaN") && !text.contains("inf,"), "{}", path.display());
    }
}

#[test]
fn the_record_is_complete() {
    let files = made().files().unwrap();
    let content = |name: &str| &files.iter().find(|(file, _)| file == name).unwrap().1;
    let json: serde_json::Value = serde_json::from_str(content("evaluation.json")).unwrap();
    let many = |section: &str| json[section].as_array().unwrap().len();
    assert_eq!((many("queries"), many("surfaces"), many("compositions"), many("quoted")), (20, 12, 9, 2));
    assert_eq!(json["data"][0]["worlds"], 10);
    let rows = &json["compositions"][1]["unsafe"];
    assert_eq!((rows.as_array().unwrap().len(), rows[0].as_str().unwrap().len()), (33, 46));
    let table = content("queries.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 20 * 3 * 2);
    assert!(lines[1].starts_with("SUM(age),17,90,216,73,90,73,A_w,1/125,1/125,"), "{}", lines[1]);
}

#[test]
fn the_same_settings_give_the_same_files() {
    assert_eq!(made().files().unwrap(), made_anew().files().unwrap());
}

#[test]
fn impossible_evaluations_are_refused() {
    let none = Settings { repetitions: 0, ..settings() };
    assert!(matches!(evaluate(adult(), &none, &|_, _| {}), Err(EvaluateError::NoDraws)));
    let missing = run(Path::new("no/such/file"), &settings(), &|_, _| {}).unwrap_err();
    assert!(missing.to_string().contains("no/such/file"), "{missing}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let empty = run(file.path(), &settings(), &|_, _| {}).unwrap_err();
    assert_eq!(empty.to_string(), "the data has no rows");
    let refused = made().write(file.path()).unwrap_err();
    assert!(matches!(refused, EvaluateError::Write { .. }), "{refused}");
    assert!(refused.to_string().contains(&file.path().display().to_string()), "{refused}");
    // A grid without the points of the text gives dashes in the table.
    let grid = Grid { alphas: Grid::default().alphas.split_off(20), betas: Grid::default().betas };
    let sparse = evaluate(adult(), &Settings { grid, ..settings() }, &|_, _| {}).unwrap();
    assert!(sparse.files().unwrap()[0].1.contains("| – | – |"));
}
