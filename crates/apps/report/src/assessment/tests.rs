use super::*;
use deniable_assess::{Counts, Input, Requirement, TableRole};

const HOSTILE: &str = "<img src=x>&\"<script>alert(1)</script>";

/// Rows with their multiplicities in the table.
fn counts(columns: &[&str], rows: &[(&[&str], u64)]) -> Counts {
    let mut counts = Counts::new(columns).unwrap();
    for (row, times) in rows {
        counts.push(row, *times).unwrap();
    }
    counts
}

fn published() -> Counts {
    let rows: [(&[&str], u64); 4] =
        [(&["3*", "flu"], 3), (&["3*", "gout"], 1), (&["4*", "flu"], 2), (&["{50,51}", "gout"], 6)];
    counts(&["age", "disease"], &rows)
}

fn page_of<'a>(counts: &'a Counts, demands: &str, change: impl FnOnce(&mut Input<'a>)) -> String {
    let mut input = Input::new(counts, &["age"], &["disease"]);
    input.names = vec![(TableRole::Published, "folder/patients.csv".to_owned())];
    if !demands.is_empty() {
        input.requirements = Requirement::parse(demands).unwrap();
    }
    change(&mut input);
    assessment(&deniable_assess::assess(&input).unwrap())
}

#[test]
fn every_section_has_its_numbers() {
    let people = counts(&["age"], &[(&["30"], 2), (&["50"], 1), (&["99"], 1)]);
    let town = counts(&["age"], &[(&["30"], 10), (&["41"], 8), (&["50"], 8), (&["51"], 1)]);
    let table = published();
    let page = page_of(&table, "k=5,l=2,t=1", |input| {
        (input.auxiliary, input.background) = (Some(&people), Some(&town));
    });
    for words in [
        "<h1>What patients.csv reveals</h1>",
        "<code>folder/patients.csv</code>",
        "12 people in 3 classes",
        "2 of 3 requirements not met",
        "<li>k=5: measured 2</li>",
        "<td class=\"number\">2</td><td>age=4*</td>",
        "Below the wanted size of 5: 6 people in 2 classes.",
        "disease=flu · age=4*: 42% → 100%, certain.",
        "<td class=\"number\">ruled out</td>",
        "<td class=\"number\">1</td><td class=\"number\">25.0%</td>",
        "<td>age=4*<br>age=3*</td>",
        "<td>2 masked, 1 set</td>",
        "highest belief",
        "Odds of some value of disease move (margins) by more than 2 for",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("<script") && !page.contains("src="), "{page}");
}

#[test]
fn met_requirements_and_absent_parts() {
    let one = page_of(&published(), "k=2", |_| {});
    assert!(one.contains("The requirement is met") && !one.contains("not met"), "{one}");
    let page = page_of(&published(), "k=2,t=1", |_| {});
    assert!(page.contains("All 2 requirements are met") && !page.contains("not met"), "{page}");
    let bare = page_of(&published(), "", |input| input.sensitive.clear());
    for words in
        ["No belief was computed.", "There are no requirements.", "without a background, presence is not bounded"]
    {
        assert!(bare.contains(words), "{words}: {bare}");
    }
    for absent in ["id=\"linkage\"", "id=\"original\"", "NaN"] {
        assert!(!bare.contains(absent), "{absent}: {bare}");
    }
}

/// Names of columns and files, cells, sensitive values and people may contain markup.
#[test]
fn nothing_becomes_markup() {
    let rows: [(&[&str], u64); 2] = [(&[HOSTILE, HOSTILE], 2), (&["other", "flu"], 1)];
    let (table, people) = (counts(&[HOSTILE, "disease"], &rows), counts(&[HOSTILE], &[(&[HOSTILE], 1)]));
    let mut input = Input::new(&table, &[HOSTILE], &["disease"]);
    input.names = vec![(TableRole::Published, HOSTILE.to_owned()), (TableRole::Auxiliary, HOSTILE.to_owned())];
    input.requirements = Requirement::parse("k=5,l=2").unwrap();
    (input.auxiliary, input.background, input.original) = (Some(&people), Some(&table), Some(&table));
    let page = assessment(&deniable_assess::assess(&input).unwrap());
    assert!(!page.contains("<img") && !page.contains("<script"), "{page}");
    assert!(page.matches("&lt;img src=x&gt;&amp;").count() >= 20, "{page}");
}

/// A page stays small, however much was computed.
#[test]
fn long_lists_are_cut_and_say_so() {
    let names: Vec<String> = (0..400).map(|at| format!("s{at}")).collect();
    let columns: Vec<&str> = std::iter::once("age").chain(names.iter().map(String::as_str)).collect();
    let mut table = Counts::new(&columns).unwrap();
    for age in 0..30 {
        let value = if age % 2 == 0 { "a" } else { "b" };
        let row: Vec<String> = std::iter::once(age.to_string()).chain((0..400).map(|_| value.to_owned())).collect();
        table.push(&row.iter().map(String::as_str).collect::<Vec<_>>(), 1).unwrap();
    }
    let secrets: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut input = Input::new(&table, &["age"], &secrets);
    input.requirements = Requirement::parse("k=2").unwrap();
    let page = assessment(&deniable_assess::assess(&input).unwrap());
    assert!(page.contains("The first 200 of 800 beliefs."), "{page}");
    assert!(page.contains("and 20 more") && page.contains("The first 300 of 401 columns."), "{page}");
}
