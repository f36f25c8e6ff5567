//! Cells in all their spellings.

use deniable_assess::cells::{Cell, Kind, Reading};
use deniable_assess::cover::CellColumn;
use deniable_assess::hierarchy::Hierarchy;
use proptest::prelude::*;

fn cell(text: &str) -> Cell {
    Cell::read(text, &Reading::Notation, "c").unwrap()
}

#[test]
fn spellings() {
    let rows: &[(&str, Kind, &[&str], &[&str])] = &[
        ("*", Kind::Suppressed, &["", "x", "30"], &[]),
        ("021**", Kind::Masked, &["02138", "021ab"], &["0213", "021388", "12138"]),
        ("*2*", Kind::Masked, &["121", "a2b"], &["12", "131"]),
        ("****", Kind::Masked, &["abcd"], &["abc"]),
        ("30-39", Kind::Range, &["30", "39", "39.0", "3.05e1"], &["29.999", "39.5", "x", ""]),
        ("30–39", Kind::Range, &["30", "39"], &["40"]),
        ("30 - 39", Kind::Range, &["30"], &["40"]),
        ("30..39", Kind::Range, &["30", "39"], &["40"]),
        ("[30,39]", Kind::Range, &["30", "39"], &["29"]),
        ("[30-39]", Kind::Range, &["30", "39"], &["29"]),
        ("[30, 40)", Kind::Range, &["30", "39.99"], &["40"]),
        ("[30, 40[", Kind::Range, &["30", "39.99"], &["40"]),
        ("(30,40]", Kind::Range, &["30.01", "40"], &["30"]),
        ("[-10,-5]", Kind::Range, &["-7"], &["7"]),
        ("<30", Kind::Range, &["29.9", "-1"], &["30"]),
        ("<=30", Kind::Range, &["30"], &["30.1"]),
        (">=60", Kind::Range, &["60"], &["59"]),
        (">60", Kind::Range, &["61"], &["60"]),
        ("60+", Kind::Range, &["60", "99"], &["59"]),
        ("(60.0, inf]", Kind::Range, &["60.5", "1e9"], &["60"]),
        ("[60, Inf)", Kind::Range, &["60", "1e9"], &["59"]),
        ("[60, +∞)", Kind::Range, &["60"], &["59"]),
        ("(-Inf,30]", Kind::Range, &["30", "-1e9"], &["31"]),
        ("(-infinity; 30)", Kind::Range, &["29"], &["30"]),
        ("[60,)", Kind::Range, &["60", "99"], &["59"]),
        ("(,30]", Kind::Range, &["30", "-4"], &["31"]),
        ("-5..-1", Kind::Range, &["-5", "-1"], &["-6", "0", "5"]),
        ("-5--1", Kind::Range, &["-5", "-1"], &["-6", "0", "5"]),
        ("-5-1", Kind::Range, &["-5", "0", "1"], &["-6", "2"]),
        ("[-5--1)", Kind::Range, &["-5", "-2"], &["-1", "3"]),
        ("30 to 39", Kind::Range, &["30", "39"], &["40"]),
        ("30:39", Kind::Range, &["30", "39"], &["40"]),
        ("under 30", Kind::Range, &["29", "-1"], &["30"]),
        ("Less than 30", Kind::Range, &["29"], &["30"]),
        ("30 or less", Kind::Range, &["30"], &["31"]),
        ("up to 30", Kind::Range, &["30"], &["31"]),
        ("60 and over", Kind::Range, &["60", "99"], &["59"]),
        ("60 or older", Kind::Range, &["60", "99"], &["59"]),
        ("at least 60", Kind::Range, &["60"], &["59"]),
        ("Over 60", Kind::Range, &["61"], &["60"]),
        ("≥60", Kind::Range, &["60"], &["59"]),
        ("≥ 60", Kind::Range, &["60"], &["59"]),
        ("{a,b}", Kind::Set, &["a", "b", " b "], &["c", "a,b"]),
        ("{a;b,c}", Kind::Set, &["a", "b,c"], &["b"]),
        ("{a}", Kind::Exact, &["a"], &["{a}"]),
        ("2024-06-11", Kind::Exact, &["2024-06-11"], &["2024"]),
        ("2024-06", Kind::Exact, &["2024-06"], &["2024"]),
        ("-5", Kind::Exact, &["-5"], &["5"]),
        ("30", Kind::Exact, &["30"], &["30.0", "030"]),
        ("08:15", Kind::Exact, &["08:15"], &["8", "10"]),
        ("12:30:45", Kind::Exact, &["12:30:45"], &["20"]),
        ("39 to 30", Kind::Exact, &["39 to 30"], &["35"]),
        ("(inf, 60]", Kind::Exact, &["(inf, 60]"], &["50"]),
        ("(60, -inf)", Kind::Exact, &["(60, -inf)"], &["61"]),
        ("[,]", Kind::Exact, &["[,]"], &["1"]),
        ("over there", Kind::Exact, &["over there"], &["1"]),
        ("{5.0,6}", Kind::Set, &["5", "6"], &["5.5"]),
        ("a-b", Kind::Exact, &["a-b"], &["a"]),
        ("[40,30]", Kind::Exact, &["[40,30]"], &["35"]),
        ("(30,30]", Kind::Exact, &[], &["30"]),
        ("{}", Kind::Exact, &["{}"], &[""]),
        ("{a,}", Kind::Exact, &["{a,}"], &["a"]),
        ("<x", Kind::Exact, &["<x"], &["1"]),
        ("", Kind::Exact, &[""], &["x"]),
        ("+", Kind::Exact, &["+"], &["1"]),
        ("é*", Kind::Masked, &["éa"], &["e*"]),
    ];
    for (text, kind, inside, outside) in rows {
        let cell = cell(text);
        assert_eq!(cell.kind(), *kind, "{text}");
        for raw in *inside {
            assert!(cell.covers(raw), "{text} {raw}");
        }
        for raw in *outside {
            assert!(!cell.covers(raw), "{text} {raw}");
        }
    }
    assert_eq!(Cell::read("*", &Reading::Literal, "c").unwrap().kind(), Kind::Exact);
}

#[test]
fn numbers_are_written_in_one_way() {
    use deniable_assess::interval::plain;
    for (text, expected) in [
        ("5", "5"),
        ("5.0", "5"),
        ("5.00", "5"),
        ("5.", "5"),
        ("-5.0", "-5"),
        ("-0.0", "0"),
        ("0.0", "0"),
        ("5.50", "5.5"),
        ("05.0", "05.0"),
        ("0213.0", "0213.0"),
        (".50", ".50"),
        ("5.0.0", "5.0.0"),
        ("5.0a", "5.0a"),
        ("1.0e3", "1.0e3"),
        ("", ""),
    ] {
        assert_eq!(plain(text), expected, "{text}");
    }
}

#[test]
fn spellings_of_one_set_are_one_cell() {
    for (one, two, same) in [
        ("{a,b}", "{ b ; a}", true),
        ("30-39", "[30.0, 39]", true),
        (">=60", "60+", true),
        ("{a}", "a", true),
        ("30-39", "[30,40)", false),
        ("30", "30.0", false),
    ] {
        assert_eq!(cell(one).same(&cell(two)), same, "{one} {two}");
    }
    let tree = Hierarchy::parse("flu;lungs;*\nasthma;lungs;*\nulcer;stomach;*", ';').unwrap();
    let read = |text: &str| Cell::read(text, &Reading::Hierarchy(tree.clone()), "illness");
    assert_eq!(read("lungs").unwrap().kind(), Kind::Node);
    assert!(read("stomach").unwrap().same(&read("ulcer").unwrap()));
    assert_eq!(read("*").unwrap().kind(), Kind::Suppressed);
    assert!(read("lungs").unwrap().covers("asthma") && !read("lungs").unwrap().covers("ulcer"));
    let error = read("gout").unwrap_err().to_string();
    assert!(error.contains("`illness`") && error.contains("`gout`"), "{error}");
}

/// Cells over a small universe of raw values.
fn spelled() -> impl Strategy<Value = String> {
    let ends = (0_u8..8, 0_u8..8);
    prop_oneof![
        Just("*".to_owned()),
        (0_u8..8).prop_map(|v| v.to_string()),
        ends.clone().prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b))),
        ends.clone().prop_map(|(a, b)| format!("[{},{})", a.min(b), a.max(b) + 1)),
        ends.clone().prop_map(|(a, b)| format!("({},{}]", a.min(b), a.max(b) + 1)),
        ends.prop_map(|(a, b)| format!("{{{a},{b}}}")),
        (0_u8..8).prop_map(|v| format!("<{v}")),
        (0_u8..8).prop_map(|v| format!("{v}+")),
        "[ab*][ab*]".prop_map(|mask| mask),
        "[ab][ab]".prop_map(|value| value),
    ]
}

fn world() -> Vec<String> {
    let numbers = (0..40).map(|quarter| format!("{}", f64::from(quarter) / 4.0));
    let words = ["a", "b", "aa", "ab", "ba", "bb", "abc"].map(str::to_owned);
    numbers.chain(words).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Equal cells cover the same values, overlapping cells share a value if both can be enumerated, and the index
    /// agrees.
    #[test]
    fn cells_behave_as_sets_of_values(texts in prop::collection::vec(spelled(), 1..8)) {
        let (column, codes) = CellColumn::read("c", &texts, &Reading::Notation).unwrap();
        let cells: Vec<Cell> = texts.iter().map(|text| cell(text)).collect();
        let index = column.covering();
        for raw in world() {
            for (cell, code) in cells.iter().zip(&codes) {
                prop_assert_eq!(cell.covers(&raw), column.cells[*code as usize].covers(&raw));
            }
            let mut found = Vec::new();
            index.of(&raw, &mut found);
            let expected: Vec<u32> = (0..).zip(&column.cells).filter(|(_, cell)| cell.covers(&raw)).map(|(code, _)| code).collect();
            prop_assert_eq!(found, expected);
        }
        let mut any = false;
        for (i, one) in column.cells.iter().enumerate() {
            for two in &column.cells[i + 1..] {
                prop_assert!(!one.same(two));
                let shared = world().iter().any(|raw| one.covers(raw) && two.covers(raw));
                prop_assert_eq!(one.overlaps(two), two.overlaps(one));
                prop_assert!(one.overlaps(two) || !shared, "{} {}", one.text(), two.text());
                // Ends are integers and the universe has quarters, so ranges with a common value share one of these.
                let undecided = [one.kind(), two.kind()].contains(&Kind::Masked) && [one.kind(), two.kind()].contains(&Kind::Range);
                prop_assert!(undecided || one.overlaps(two) == shared || one.kind() == Kind::Suppressed || two.kind() == Kind::Suppressed || one.text().contains('<') || two.text().contains('<') || two.text().contains('+') || one.text().contains('+') , "{} {}", one.text(), two.text());
                any |= one.overlaps(two);
            }
        }
        let found = column.overlap();
        prop_assert_eq!(found.is_some(), any);
        if let Some((one, two)) = found {
            prop_assert!(one != two && column.cells[one as usize].overlaps(&column.cells[two as usize]));
        }
    }
}
