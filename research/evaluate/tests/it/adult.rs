//! The evaluation on UCI Adult, if the file exists: `DENIABLE_ADULT`, or `../shared/data/adult/adult.data`.

use deniable_core::exact::{Rational, ratio, whole};
use deniable_evaluate::adult::Adult;
use deniable_evaluate::queries::Query;
use deniable_evaluate::quoted::QuotedRatio;
use deniable_evaluate::{Settings, run};
use deniable_testing::adult;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Values computed independently, with awk and sort.
#[test]
fn the_values_are_those_of_the_data() {
    let Some(path) = adult() else { return };
    let adult = Adult::open(&path).unwrap();
    assert_eq!(adult.rows(), 32_561);
    let found: Vec<Rational> = Query::all().into_iter().map(|query| query.value(&adult)).collect();
    let sums = [1_256_257, 35_089_324, 2_842_700, 1_316_684];
    let expected = sums.map(whole).into_iter().chain(sums.map(|sum| ratio(sum, 32_561)));
    let others = [17, 0, 0, 1, 90, 99_999, 4356, 99, 37, 0, 0, 40].map(whole);
    assert_eq!(found, expected.chain(others).collect::<Vec<_>>());
}

/// The figures of the paper's text: one is confirmed, the other is not.
#[test]
fn the_anchors_on_the_data() {
    let Some(path) = adult() else { return };
    let adult = Adult::open(&path).unwrap();
    let [hours, loss] = QuotedRatio::all().map(|quoted| quoted.compare(&adult, adult.rows() + 1).unwrap());
    assert!((hours.expected - 9.34e-3).abs() < 5e-6 && hours.agrees(), "{}", hours.expected);
    assert!((loss.expected - 1.44).abs() < 5e-3 && !loss.agrees(), "{}", loss.expected);
}

/// `docs/evaluation` equals the output of the code on the data, byte for byte.
#[test]
fn the_page_in_the_repository_is_this_one() {
    let Some(path) = adult() else { return };
    let made = run(&path, &Settings::default(), &|_, _| {}).unwrap();
    let folder = workspace().join("docs/evaluation");
    let differs: Vec<String> = made
        .files()
        .unwrap()
        .into_iter()
        .filter(|(name, text)| std::fs::read_to_string(folder.join(name)).ok().as_ref() != Some(text))
        .map(|(name, _)| name)
        .collect();
    assert!(differs.is_empty(), "make docs/evaluation again (see its end): {differs:?} differ");
}
