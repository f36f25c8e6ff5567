//! All charts with made-up numbers, on one page: `cargo run -p deniable-chart --example gallery > gallery.html`.

use deniable_chart::answers::{Grid, Point, Series, bars, heatmap, histogram, lines};
use deniable_chart::belief::{Beliefs, Mark, curve};
use deniable_chart::composition::{self, Composition};
use deniable_chart::errors::{Errors, errors};
use deniable_chart::gauge::{Gauge, gauge};
use deniable_chart::genome::{self, Genome, Snp, genome};
use deniable_chart::palette;
use deniable_chart::people::{People, people};
use deniable_chart::posteriors::{BeliefChart, Line, moved};
use deniable_chart::power::{self, Curves};
use deniable_chart::roc::{Curve, Roc, roc};
use deniable_chart::shares::{ShareBar, Shares, shares};
use deniable_chart::sizes::{Sizes, buckets, sizes};
use deniable_chart::spending::{Spending, spending};
use deniable_chart::surface::{self, Axis, Cell, Spot, Surface, cells};

#[expect(clippy::print_stdout, reason = "the page is the output")]
fn main() {
    println!("<!doctype html><meta charset=utf-8><title>Gallery</title><style>{}</style>", palette::style());
    println!(
        "<style>body{{font-family:system-ui;max-width:42rem;margin:auto;padding:0 1rem;background:#fff}}\
         figure{{margin:1.5rem 0}}\
         @media screen and (prefers-color-scheme:dark){{body{{background:#14181e;color:#e6e9ee}}}}</style>"
    );
    let groups = [
        beliefs(),
        gauges(),
        crowds(),
        answers(),
        grids(),
        genomes(),
        spendings(),
        sweeps(),
        surfaces(),
        compositions(),
        powers(),
        attacks(),
        anonymised(),
    ];
    for svg in groups.into_iter().flatten() {
        println!("<figure>{svg}</figure>");
    }
}

/// Pseudo-random numbers between -1 and 1, the same in every run.
fn noise(at: u32) -> f64 {
    (f64::from(at) * 12.9898).sin() * 43758.5453 % 1.0
}

fn beliefs() -> Vec<String> {
    let mark = |name: &str, before, low, high| Mark { name: name.to_owned(), before, low, high };
    vec![curve(&Beliefs {
        odds: 3.0,
        but_for: Some(2.0),
        priors: (0.0, 0.5),
        promised: vec![(0.0, 0.75), (0.5, 0.75)],
        floor: Vec::new(),
        marks: vec![
            mark("stranger", 0.01, 0.0034, 0.0294),
            mark("acquaintance", 0.5, 0.25, 0.75),
            mark("insider", 0.9, 0.5, 0.988),
        ],
    })]
}

fn gauges() -> Vec<String> {
    let of = |name: &str, (before, low, high): (f64, f64, f64), ceiling, floor| {
        gauge(&Gauge { name: name.to_owned(), before, low, high, written: None, ceiling, floor })
    };
    vec![
        of("An acquaintance", (0.5, 0.25, 0.75), Some(0.8), Some(0.2)),
        of("A stranger", (0.01, 0.0033, 0.0294), Some(0.03), None),
        of("A neighbour who is all but sure", (0.99, 0.9706, 0.9966), None, Some(0.97)),
        of("Before any answer", (0.2, 0.2, 0.2), Some(0.5), None),
        of("One who knows nothing of the size of the data", (0.05, 0.0, 1.0), None, None),
    ]
}

fn crowds() -> Vec<String> {
    vec![
        people(&People { what: "in the data", before: 20, at_most: 43, at_least: 8, of: 100 }),
        people(&People { what: "cases", before: 10, at_most: 29, at_least: 3, of: 1000 }),
    ]
}

fn point(label: &str, value: Option<f64>, low: Option<f64>, high: Option<f64>) -> Point {
    Point { label: label.to_owned(), value, low, high, ..Point::default() }
}

fn around(label: &str, value: f64, margin: f64) -> Point {
    point(label, Some(value), Some(value - margin), Some(value + margin))
}

fn answers() -> Vec<String> {
    let of = |value: &str, points, truth| Series {
        title: "Made-up answers".to_owned(),
        value: value.to_owned(),
        points,
        truth,
        intervals: true,
        has_legend: true,
    };
    let few = vec![
        around("Café", 31.0, 4.0),
        around("Park", 52.5, 6.0),
        around("A very long name of a place, as they occur", 18.0, 3.0),
        point("Only an interval", None, Some(20.0), Some(44.0)),
        point("No lower bound", Some(25.0), None, Some(33.0)),
        point("No bound at all", Some(12.0), None, None),
        point("Nothing", None, None, None),
    ];
    let signed = vec![around("North", -12.0, 5.0), around("East", 8.0, 6.0), around("South", 1.0, 3.0)];
    let many = |number: u32, name: &str| -> Vec<Point> {
        let value = |at| 200.0 + 80.0 * (f64::from(at) / 9.0).sin() + 20.0 * noise(at);
        (1..=number).map(|at| around(&format!("{name} {at}"), value(at), 25.0)).collect()
    };
    let truth = |number| (1..=number).map(|at| 200.0 + 80.0 * (f64::from(at) / 9.0).sin()).collect();
    let days = vec![
        around("Mon", 1.2e6, 1e5),
        around("Tue", 1.4e6, 1e5),
        point("Wed", None, Some(1.2e6), Some(1.7e6)),
        point("Thu", Some(1.5e6), Some(1.4e6), None),
        around("Fri", 1.9e6, 1e5),
        point("Sat", None, None, None),
        around("Sun", 0.9e6, 1e5),
    ];
    vec![
        bars(&of("minutes", few, Some(vec![33.0, 50.0, 19.0, 30.0, 26.0, 11.0]))),
        bars(&of("change in minutes", signed, None)),
        bars(&of("trips", vec![around("all", 12_345.0, 120.0)], None)),
        bars(&of("trips", many(60, "zone"), Some(truth(60)))),
        lines(&of("visits", days, None)),
        lines(&of("trips", many(90, "day"), Some(truth(90)))),
        lines(&of("change", (1..=8).map(|at| around(&at.to_string(), noise(at) * 5.0, 1.5)).collect(), None)),
        lines(&of("trips", vec![around("2026", 120.0, 30.0)], None)),
        histogram(&of("trips", many(12, "band"), Some(truth(12)))),
    ]
}

fn grids() -> Vec<String> {
    let grid = |rows: u32, columns: u32, scale: f64| {
        let value = |row: u32, column: u32| ((noise(row * 31 + column) + 1.0) * scale).round();
        let cell = |row: u32, column: u32| {
            let value = ((row + column) % 11 != 7).then_some(value(row, column));
            Point { is_unusable: (row * column) % 7 == 6, ..point("", value, None, None) }
        };
        heatmap(&Grid {
            title: "Made-up grid".to_owned(),
            value: "trips".to_owned(),
            rows: (0..rows).map(|row| format!("zone {}", row + 1)).collect(),
            columns: (0..columns).map(|column| format!("{} h", column * 24 / columns)).collect(),
            cells: (0..rows).map(|row| (0..columns).map(|column| cell(row, column)).collect()).collect(),
            has_legend: true,
        })
    };
    vec![grid(5, 6, 250.0), grid(7, 24, 2000.0), grid(2, 3, 1e6)]
}

/// Picks and numbers along the genome: few, many, crowded on one chromosome, and with an unknown chromosome.
fn genomes() -> Vec<String> {
    let snp = |chromosome: u32, millions: f64, point: Point| Snp {
        chromosome: chromosome as u8,
        position: (millions * 1e6) as u64,
        point,
    };
    let spread = |at: u32, point| snp(at * 7 % 22 + 1, 22.0 + 20.0 * noise(at), point);
    let name = |at: u32| format!("rs{}", 1_000_000 + at * 7919 % 9_000_000);
    let place = |at: u32| point(&name(at), Some(f64::from(at)), None, None);
    let numbers = |label: &str, threshold: Option<(f64, &str)>| genome::Axis::Numbers {
        label: label.to_owned(),
        threshold: threshold.map(|(at, words)| (at, words.to_owned())),
    };
    let of = |axis: genome::Axis, snps: Vec<Snp>| genome(&Genome { title: "Made-up SNPs".to_owned(), axis, snps });
    let strength = |at: u32| 6.0 + 3.0 * noise(at * 3 + 1);
    let crowd = |at: u32| snp(6, 30.0 + f64::from(at) * 0.3, around(&name(at), strength(at), 0.8));
    let odd = vec![
        snp(1, 5.0, around("rs17", 21.0, 6.0)),
        snp(9, 80.0, point("rs333", Some(34.0), Some(28.0), None)),
        snp(14, 30.0, point("rs4444", None, Some(4.0), Some(20.0))),
        snp(19, 44.9, around("a very long name of a SNP, as they occur", -3.0, 6.0)),
        snp(22, 50.0, around(".", 12.0, 6.0)),
        snp(25, 1.5, around("rs777", 9.0, 6.0)),
        snp(0, 0.0, point("rs1", None, None, None)),
    ];
    let public = Some((7.301, "genome-wide: p = 5e-8"));
    vec![
        of(genome::Axis::Places, (1..=5).map(|at| spread(at, place(at))).collect()),
        of(genome::Axis::Places, (1..=20).map(|at| spread(at, place(at))).collect()),
        of(genome::Axis::Places, (1..=60).map(|at| spread(at, place(at))).collect()),
        of(numbers("−log10 P", public), (1..=14).map(|at| spread(at, around(&name(at), strength(at), 0.8))).collect()),
        of(
            numbers("−log10 P", public),
            (1..=12).map(crowd).chain((13..=16).map(|at| spread(at, around(&name(at), 2.0, 0.8)))).collect(),
        ),
        of(numbers("χ²", Some((29.7, "significant at p = 5e-8"))), odd),
    ]
}

fn spendings() -> Vec<String> {
    let of = |times: Vec<(f64, f64)>, changes: Vec<(f64, &str)>, ticks: Vec<(f64, &str)>| {
        let named = |(at, (time, spent)): (usize, (f64, f64))| (time, spent, format!("release {}", at + 1));
        let owned =
            |pairs: Vec<(f64, &str)>| pairs.into_iter().map(|(time, text)| (time, text.to_owned())).collect::<Vec<_>>();
        spending(&Spending {
            times: times.into_iter().enumerate().map(named).collect(),
            changes: owned(changes),
            limit_label: "the promise: odds of at most 3".to_owned(),
            ticks: owned(ticks),
        })
    };
    let weeks = || vec![(0.0, "1 May"), (7.0, "8 May"), (14.0, "15 May"), (21.0, "22 May"), (28.0, "29 May")];
    let days = |pairs: Vec<(f64, &'static str)>| pairs.into_iter().map(|(d, t)| (d * 86400.0, t)).collect::<Vec<_>>();
    let some = [(1.0, 0.1), (4.0, 0.25), (4.2, 0.4), (12.0, 0.3), (18.0, 0.55), (27.0, 0.9)];
    vec![
        of(
            some.map(|(day, spent)| (day * 86400.0, spent)).to_vec(),
            days(vec![(10.0, "odds 3, was 2"), (11.5, "priors up to 50%")]),
            days(weeks()),
        ),
        of(vec![(5.0, 0.3)], Vec::new(), Vec::new()),
        of(
            (0..200).map(|at| (f64::from(at) * 12_000.0, f64::from(at) / 180.0)).collect(),
            days(vec![(20.0, "odds 3, was 2")]),
            days(weeks()),
        ),
        of((1..=9).map(|at| (100.0, f64::from(at) * 0.11)).collect(), vec![(100.5, "odds 3, was 2")], Vec::new()),
    ]
}

fn sweeps() -> Vec<String> {
    let of = |names: &[&str], from: f64, factor: f64, current| {
        let x: Vec<f64> = (0..13).map(|at| from * factor.powi(at)).collect();
        let line = |(at, name): (usize, &&str)| {
            let size = 1.5_f64.powi(at as i32);
            let values = x.iter().map(|x| (at != 1 || *x > 0.2).then_some(size * (1.0 + 20.0 / x))).collect();
            ((*name).to_owned(), values)
        };
        errors(&Errors {
            x_label: "largest odds ratio".to_owned(),
            unit: "trips".to_owned(),
            lines: names.iter().enumerate().map(line).collect(),
            current,
            x,
        })
    };
    vec![
        of(&["count", "sum of minutes", "median", "people per zone"], 0.05, 1.7, Some(3.0)),
        of(&["count", "sum of minutes"], 2.0, 1.1, Some(2.0)),
        of(&["count", "sum", "mean", "median", "maximum", "people per zone", "share"], 1.5, 1.3, Some(3.0)),
    ]
}

/// Noise that decreases with either parameter, with a warned region and an undefined one.
fn surfaces() -> Vec<String> {
    let values: Vec<f64> = (0..31).map(|at| 10_f64.powf(f64::from(at) / 10.0 - 3.0)).collect();
    let cell = |up: f64, across: f64| Cell {
        value: (up < 0.9).then(|| 1.0 / up.min(across)),
        warned: up < across && across > 0.1 && up < 0.9,
    };
    let rows = values.iter().map(|up| values.iter().map(|across| cell(*up, *across)).collect());
    let axis = |name: &str| Axis { name: name.to_owned(), values: values.clone() };
    vec![cells(&Surface {
        title: "Noise over α and β".to_owned(),
        description: "Less noise where both are large.".to_owned(),
        across: axis("β"),
        up: axis("α"),
        panels: vec![surface::Panel {
            title: "expected".to_owned(),
            cells: rows.collect(),
            spots: vec![Spot { at: (0.01, 0.01), name: "100".to_owned() }],
        }],
        colours: "error ratio".to_owned(),
        limits: [3.0, 10.0, 30.0, 100.0, 300.0].map(|limit| (limit, limit.to_string())).to_vec(),
        warning: "unsafe".to_owned(),
        outside: "no promise".to_owned(),
    })]
}

fn compositions() -> Vec<String> {
    let powers = |base: f64| (1..=10).map(|answer| base.powi(answer)).collect();
    vec![composition::curve(&Composition {
        title: "Belief after 1 to 10 answers".to_owned(),
        description: "It falls below the claim.".to_owned(),
        panels: vec![composition::Panel { title: "two worlds".to_owned(), claimed: powers(0.5), reached: powers(0.4) }],
        claimed: "claimed".to_owned(),
        reached: "reached".to_owned(),
    })]
}

/// Probabilities of finding the planted SNPs: over sizes, and for one size.
fn powers() -> Vec<String> {
    let names = ["γ = 2, any prior (ε 0.6932)", "γ = 2, prior 1/2 (ε 1.0987)", "ε = 3, any prior"];
    let of = |sizes: &[u32]| {
        let curve = |(at, name): (usize, &&str)| {
            let point = |size: &u32| {
                let participants = f64::from(*size);
                let found = 1.0 / (1.0 + (6.0 - participants / 1500.0 * (1.0 + at as f64 * 0.4)).exp());
                let half = found * (1.0 - found) * 0.3;
                power::Point { participants, found, low: found - half, high: found + half }
            };
            ((*name).to_owned(), sizes.iter().map(point).collect())
        };
        power::curves(&Curves {
            title: "Chance of finding all planted SNPs".to_owned(),
            what: "probability that all planted SNPs are found".to_owned(),
            intervals: "two standard errors either way".to_owned(),
            curves: names.iter().enumerate().map(curve).collect(),
            target: Some(0.9),
        })
    };
    vec![of(&[2500, 5000, 7500, 10_000, 12_500, 15_000]), of(&[7500])]
}

fn attacks() -> Vec<String> {
    let curve = |name: &str, power: f64, people: u32| {
        let point = |at| {
            let wrong = f64::from(at) / f64::from(people);
            (wrong, (wrong.powf(power) + noise(at) * 0.02).clamp(0.0, 1.0))
        };
        Curve { name: name.to_owned(), points: (0..=people).map(point).collect() }
    };
    let of = |powers: [f64; 2], odds| {
        let curves = vec![curve("homer", powers[0], 400), curve("lr", powers[1], 40)];
        roc(&Roc { title: "Who took part?".to_owned(), curves, odds })
    };
    let share = |label: &str, value, low, high| ShareBar { label: label.to_owned(), value, low, high };
    let matches = shares(&Shares {
        title: "Matches".to_owned(),
        intervals: "95% interval".to_owned(),
        shares: vec![
            share("in the data, matched uniquely", 0.453, 0.439, 0.467),
            share("not in the data, matched uniquely all the same", 0.088, 0.082, 0.094),
        ],
    });
    vec![of([0.2, 0.1], None), of([0.95, 0.8], Some(2.0)), of([0.2, 0.1], Some(20.0)), matches]
}

fn anonymised() -> Vec<String> {
    let each = || (1..60).flat_map(|at| std::iter::repeat_n(1 + at * at % 37, 1 + at as usize % 5));
    let of = |wanted| sizes(&Sizes { title: "Class sizes".to_owned(), buckets: buckets(each(), wanted), wanted });
    let line = |label: &str, prior, posterior| Line { label: label.to_owned(), prior, posterior };
    let lines = vec![
        line("HIV · 1300*, 20-29", 0.012, 1.0),
        line("flu · 1485*, 30-39, female", 0.2, 0.62),
        line("cancer · 1485*", 0.3, 0.0),
        line("none · 1485*, 30-39", 0.48, 0.51),
        line("flu · 13**", 0.8, 0.35),
        line("diabetes · 13**", 0.999_999_9, 0.000_034),
    ];
    vec![of(None), of(Some(5)), moved(&BeliefChart { title: "Beliefs before and after".to_owned(), lines })]
}
