use super::*;
use crate::testing::{AWKWARD, ODD, check, texts};

fn point(label: &str, value: Option<f64>, low: Option<f64>, high: Option<f64>) -> Point {
    Point { label: label.to_owned(), value, low, high }
}

fn answer(points: Vec<Point>) -> Series {
    Series { title: "Waiting".to_owned(), value: "minutes".to_owned(), points, truth: None, intervals: true }
}

fn draw(answer: &Series) -> [String; 2] {
    let drawn = [bars(answer), lines(answer)];
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
            let grid = Grid {
                cells: vec![vec![Some(one), Some(other)], vec![None]],
                margins: vec![vec![Some(other), None]],
                ..grid(2, 2, None)
            };
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
        cells: vec![vec![value; columns]; rows],
        margins: vec![vec![Some(1.0); columns]; rows],
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

#[test]
fn weak_cells_are_marked_and_counted() {
    let mut grid = grid(1, 4, None);
    grid.cells = vec![vec![Some(10.0), Some(10.0), Some(-1.0), None]];
    grid.margins = vec![vec![Some(4.0), Some(5.0), Some(2.0), None]];
    let svg = heatmap(&grid);
    assert!(svg.contains("Highest 10 for row 0, column 1; lowest -1 for row 0, column 2."), "{svg}");
    assert!(svg.contains("2 cells with an interval as wide as the value"), "{svg}");
    assert!(svg.contains(">interval as wide as the value") && svg.contains(">no value<"), "{svg}");
    // Two marks, and one in the legend.
    assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
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
