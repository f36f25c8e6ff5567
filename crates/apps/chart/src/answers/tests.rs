use super::*;
use crate::testing::{AWKWARD, ODD, check, texts};

fn point(label: &str, value: Option<f64>, low: Option<f64>, high: Option<f64>) -> Point {
    Point { label: label.to_owned(), value, low, high, ..Point::default() }
}

fn answer(points: Vec<Point>) -> Series {
    Series {
        title: "Waiting".to_owned(),
        value: "minutes".to_owned(),
        points,
        truth: None,
        intervals: true,
        has_legend: true,
    }
}

fn draw(answer: &Series) -> [String; 3] {
    let drawn = [bars(answer), lines(answer), histogram(answer)];
    drawn.iter().for_each(|svg| check(svg));
    drawn
}

#[test]
fn descriptions_say_the_numbers() {
    let few = vec![point("Mon", Some(12.5), Some(10.0), Some(15.0)), point("Tue", Some(-3.0), None, Some(1.0))];
    for svg in draw(&Series { truth: Some(vec![13.25, -2.0]), ..answer(few) }) {
        assert!(svg.contains("Mon: 12.5, from 10 to 15 (simulated truth 13.25)"), "{svg}");
        assert!(svg.contains("Tue: -3, at most 1"), "{svg}");
    }
    let many = (0..60).map(|at| point(&format!("day {at}"), Some(f64::from(at)), None, None)).collect();
    for svg in draw(&answer(many)) {
        assert!(svg.contains("60 answers in minutes. The highest and the lowest: day 59: 59. day 0: 0."), "{svg}");
    }
}

#[test]
fn the_legend_names_what_is_drawn_and_no_more() {
    let exact = |at: f64| point("a", Some(at), Some(at), Some(at));
    for svg in draw(&answer(vec![exact(1.0), exact(2.0)])) {
        assert!(!svg.contains("simulated truth") && !svg.contains("no bound"), "{svg}");
    }
    for svg in draw(&Series { truth: Some(vec![1.5]), ..answer(vec![point("a", Some(1.0), None, Some(2.0))]) }) {
        assert!(svg.contains(">simulated truth<") && svg.contains(">no bound on that side<"), "{svg}");
    }
}

#[test]
fn any_number_of_points_can_be_drawn() {
    for many in [0, 1, 2, 24, 25, 60, 400] {
        for value in [None, Some(0.0), Some(7.0), Some(-7.0)] {
            let points = (0..many).map(|at| point(&format!("group {at}"), value, value, None));
            draw(&answer(points.collect()));
            draw(&answer((0..many).map(|_| point("", None, None, None)).collect()));
        }
    }
}

#[test]
fn odd_numbers_are_drawn_or_missing() {
    for one in ODD {
        for other in ODD {
            let points = vec![
                point("one", Some(one), Some(other), Some(one)),
                point("other", Some(other), None, Some(one)),
                point("none", None, Some(one), Some(other)),
            ];
            draw(&Series { truth: Some(vec![one, f64::NAN, other]), ..answer(points) });
            let cell = |value| point("", Some(value), None, None);
            let grid = Grid { cells: vec![vec![cell(one), cell(other)], vec![]], ..grid(2, 2, None) };
            check(&heatmap(&grid));
        }
    }
    let missing = draw(&answer(vec![point("a", Some(f64::NAN), Some(f64::NEG_INFINITY), Some(f64::INFINITY))]));
    assert!(missing.iter().all(|svg| svg.contains("a: no value.")), "{missing:?}");
}

#[test]
fn labels_are_escaped_and_shortened() {
    let long = "word ".repeat(40);
    for label in AWKWARD.into_iter().chain([long.as_str()]) {
        let points = (0..5).map(|at| point(label, Some(f64::from(at)), None, None)).collect();
        let answer = Series { title: format!("x{label}"), value: label.to_owned(), ..answer(points) };
        for svg in draw(&answer) {
            assert!(!svg.contains("<script>"), "{svg}");
        }
        let names = |number| vec![label.to_owned(); number];
        let grid = Grid { rows: names(4), columns: names(6), value: label.to_owned(), ..grid(4, 6, Some(1.0)) };
        check(&heatmap(&grid));
    }
    let svg = bars(&answer(vec![point(&long, Some(1.0), None, None)]));
    assert!(texts(&svg).iter().any(|(_, _, text)| text.ends_with('…')), "{svg}");
    assert!(!svg.contains(long.trim()), "{svg}");
}

fn grid(rows: usize, columns: usize, value: Option<f64>) -> Grid {
    let names = |what: &str, number: usize| (0..number).map(|at| format!("{what} {at}")).collect::<Vec<_>>();
    Grid {
        title: "Trips".to_owned(),
        value: "trips".to_owned(),
        rows: names("row", rows),
        columns: names("column", columns),
        cells: vec![vec![point("", value, None, None); columns]; rows],
        has_legend: true,
    }
}

#[test]
fn grids_of_any_size_can_be_drawn() {
    for rows in [0, 1, 5, 60] {
        for columns in [0, 1, 5, 60] {
            for value in [None, Some(0.0), Some(123_456.0)] {
                check(&heatmap(&grid(rows, columns, value)));
            }
        }
    }
}

fn unusable(value: f64) -> Point {
    Point { is_unusable: true, ..point("b", Some(value), Some(value - 90.0), Some(value + 90.0)) }
}

/// Zero, small and unusable cells differ: a blank cell with a number, a shaded one, and a sign without a number.
#[test]
fn zero_small_and_unusable_cells_differ() {
    let cells = vec![["0", "1", "400"].map(|text| point("", text.parse().ok(), None, None)).to_vec()];
    let mut grid = Grid { cells, ..grid(1, 4, None) };
    grid.cells[0].push(unusable(77.0));
    let svg = heatmap(&grid);
    assert!(
        svg.contains("Highest 400 for row 0, column 2; lowest 0 for row 0, column 0. 1 cell too noisy to use."),
        "{svg}"
    );
    assert!(svg.contains(">nothing can be said<") && !svg.contains(">77<"), "{svg}");
    let fills = |value| {
        heatmap(&Grid {
            cells: vec![vec![point("", Some(value), None, None), point("", Some(400.0), None, None)]],
            ..grid.clone()
        })
    };
    assert_eq!(fills(1.0).matches("#CFE1F5").count(), fills(0.0).matches("#CFE1F5").count() + 1);
}

/// Names of columns that fit only as names of rows become those.
#[test]
fn long_names_of_columns_are_horizontal() {
    let names: Vec<String> = (0..6).map(|at| format!("a rather long name {at}")).collect();
    let svg = heatmap(&Grid { columns: names, ..grid(3, 6, Some(1.0)) });
    assert!(!svg.contains("rotate"), "{svg}");
}

#[test]
fn nothing_of_an_unusable_answer_is_drawn() {
    let points = vec![point("a", Some(400.0), Some(350.0), Some(450.0)), unusable(77.0), point("c", None, None, None)];
    for svg in draw(&answer(points)) {
        assert!(svg.contains("b: nothing can be said. c: no value."), "{svg}");
        assert!(!svg.contains("77") && !svg.contains("-13"), "{svg}");
    }
}

#[test]
fn numbers_are_those_of_the_table() {
    let written = Point { written: Some("1,234,567.25".to_owned()), ..point("a", Some(1_234_567.25), None, None) };
    assert!(bars(&answer(vec![written])).contains(">1,234,567.25<"));
    let all = Signs { bars: true, intervals: true, bands: true, unusable: true };
    let signs = legend("95%", all);
    signs.iter().for_each(|(sign, _)| check(sign));
    assert!(signs.len() == 4 && signs.iter().any(|(_, words)| words == "95% interval of its noise"));
    let words: Vec<String> =
        legend("95%", Signs { bands: true, ..Signs::default() }).into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["answers in order, with their intervals"]);
}

/// A place without an answer interrupts the line, and is not counted; an axis that leaves zero out says so.
#[test]
fn gaps_interrupt_a_line() {
    let one = |label: &str| point(label, Some(50.0), Some(49.0), Some(51.0));
    let points = vec![one("2001"), one("2002"), Point::gap("2003".to_owned()), one("2004"), one("2005")];
    let whole = lines(&answer(points.iter().map(|point| Point { is_gap: false, ..one(&point.label) }).collect()));
    let broken = lines(&answer(points));
    check(&broken);
    assert!(broken.contains("4 answers in") && whole.contains("5 answers in"), "{broken}");
    assert_eq!(broken.matches("<polyline").count(), whole.matches("<polyline").count() + 1, "{broken}");
    assert!(broken.contains("the axis does not include 0"));
    let near =
        lines(&answer(vec![point("a", Some(1.0), Some(0.5), Some(2.0)), point("b", Some(1.0), Some(0.5), Some(2.0))]));
    assert!(!near.contains("the axis does not include 0"));
}

#[test]
fn words_below_an_ordered_axis_do_not_touch() {
    for many in [2, 7, 30, 60, 365] {
        let points = (0..many).map(|at| point(&format!("2026-01-{at:02}"), Some(1.0), Some(0.5), Some(2.0)));
        let svg = lines(&answer(points.collect()));
        let mut row: Vec<(f64, f64)> = texts(&svg)
            .into_iter()
            .filter(|(_, _, text)| text.starts_with("2026"))
            .map(|(x, _, text)| (x, crate::words::width(&text, 14)))
            .collect();
        row.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(row.len() > 1 && row.windows(2).all(|pair| pair[1].0 - pair[0].0 >= pair[0].1), "{many}: {row:?}");
    }
}
