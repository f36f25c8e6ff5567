use super::*;
use crate::testing::{AWKWARD, ODD, check, texts};
use roxmltree::Document;

fn snp(chromosome: u8, position: u64, name: &str, value: Option<f64>, low: Option<f64>, high: Option<f64>) -> Snp {
    Snp { chromosome, position, point: Point { label: name.to_owned(), value, low, high, ..Point::default() } }
}

fn pick(chromosome: u8, position: u64, name: &str, place: f64) -> Snp {
    snp(chromosome, position, name, Some(place), None, None)
}

fn picks(snps: Vec<Snp>) -> String {
    let svg = genome(&Genome { title: "Picks".to_owned(), axis: Axis::Places, snps });
    check(&svg);
    svg
}

fn numbers(threshold: Option<(f64, &str)>, snps: Vec<Snp>) -> String {
    let threshold = threshold.map(|(at, words)| (at, words.to_owned()));
    let axis = Axis::Numbers { label: "χ²".to_owned(), threshold };
    let svg = genome(&Genome { title: "Strengths".to_owned(), axis, snps });
    check(&svg);
    svg
}

/// Dots in the order of the SNPs, in pixels: right, down.
fn dots(svg: &str) -> Vec<(f64, f64)> {
    let document = Document::parse(svg).unwrap();
    let found = document.descendants().filter(|node| node.has_tag_name("circle"));
    let number =
        |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap() / 4.0;
    found.map(|node| (number(&node, "cx"), number(&node, "cy"))).collect()
}

/// The boxes that names take.
fn names(svg: &str, size: u32) -> Vec<Patch> {
    let named = texts(svg).into_iter().filter(|(_, _, text)| text.starts_with("rs"));
    named
        .map(|(x, y, text)| {
            let wide = width(&text, size);
            // Text is anchored at its left end and, up to a constant shift, at its middle.
            Patch { left: x, right: x + wide, top: y - 7.0, bottom: y + 7.0 }
        })
        .collect()
}

#[test]
fn the_first_pick_is_the_highest_and_chromosomes_go_from_left_to_right() {
    let svg = picks(vec![pick(22, 50_000_000, "rs3", 3.0), pick(1, 1, "rs1", 1.0), pick(6, 32_000_000, "rs2", 2.0)]);
    let [last, first, middle] = dots(&svg)[..] else { panic!("three dots: {svg}") };
    assert!(first.1 < middle.1 && middle.1 < last.1, "{svg}");
    assert!(first.0 < middle.0 && middle.0 < last.0, "{svg}");
    for words in
        ["3 SNPs along the genome, by place among the picks. rs1 on chromosome 1 at 1: place 1. rs2 on", ">rs3<"]
    {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    assert!(!svg.contains("interval"), "places have none: {svg}");
}

#[test]
fn numbers_are_said_with_their_intervals_and_the_line() {
    let snps = vec![
        snp(6, 32_000_000, "rs1", Some(40.0), Some(30.5), Some(50.0)),
        snp(0, 0, ".", Some(12.5), Some(12.5), Some(12.5)),
        snp(25, 7, "rs3", None, Some(3.0), None),
    ];
    let svg = numbers(Some((29.7, "p = 5e-8")), snps);
    for words in [
        "A line at 29.7: p = 5e-8. Released numbers at or above it: 1.",
        "rs1 on chromosome 6 at 32,000,000: 40, from 30.5 to 50.",
        "?:0 on an unknown chromosome at 0: 12.5.",
        "rs3 on what X and Y share at 7: no value, at least 3.",
        ">interval of the number<",
        ">no bound on that side<",
        ">no value<",
        ">p = 5e-8<",
    ] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
}

#[test]
fn chromosomes_that_no_snp_needs_are_not_there() {
    let numbered = |svg: &str| -> Vec<String> { texts(svg).into_iter().map(|(_, _, text)| text).collect() };
    let usual = numbered(&picks(vec![pick(22, 50_000_000, "rs1", 1.0)]));
    assert!(usual.contains(&"22".to_owned()) && !usual.contains(&"XY".to_owned()) && !usual.contains(&"?".to_owned()));
    for (odd, name) in [(0, "?"), (25, "XY")] {
        let all = (1..=22).chain([odd]).map(|at| pick(at, 1_000_000, "rs1", f64::from(at) + 1.0));
        let all = numbered(&picks(all.collect()));
        assert!(all.contains(&name.to_owned()), "{all:?}");
    }
}

/// The lengths are those of one reference: a position beyond the length still belongs to its chromosome.
#[test]
fn a_chromosome_reaches_as_far_as_its_snps() {
    let svg = picks(vec![pick(1, 400_000_000, "rs1", 1.0), pick(2, 1, "rs2", 2.0)]);
    let [one, two] = dots(&svg)[..] else { panic!("two dots: {svg}") };
    assert!(one.0 <= two.0, "{one:?} {two:?}");
}

#[test]
fn names_do_not_touch_and_those_left_out_are_counted() {
    // Spread over the genome, crowded at one position, and all at the same position.
    let spread =
        |at: u32| pick((at * 7 % 22 + 1) as u8, u64::from(at) * 700_000, &format!("rs{}", 10_000_000 + at), 1.0);
    for together in [1, 12, 60] {
        for count in [1_u32, 5, 24, 25, 60] {
            let snps: Vec<Snp> = (0..count)
                .map(|at| Snp {
                    chromosome: if together == 60 { 22 } else { (at / together * 5 % 22 + 1) as u8 },
                    ..spread(at)
                })
                .map(|mut snp| {
                    snp.point.value = Some(if together == 60 { 8.0 } else { 6.0 + (snp.position % 11) as f64 / 3.0 });
                    snp
                })
                .collect();
            let svg = numbers(Some((7.3, "genome-wide")), snps);
            let names = names(&svg, if count <= 24 { TEXT } else { TEXT - 1 });
            for (at, one) in names.iter().enumerate() {
                assert!(one.left >= 0.0 && one.right <= f64::from(WIDE), "{one:?}");
                for other in &names[at + 1..] {
                    let apart = one.right <= other.left || other.right <= one.left;
                    assert!(apart || one.bottom <= other.top || other.bottom <= one.top, "{one:?} {other:?}: {svg}");
                }
            }
            let missing = count as usize - names.len();
            let said = format!(
                "{} drawn without a name",
                if missing == 1 { "1 SNP is".to_owned() } else { format!("{missing} SNPs are") }
            );
            assert_eq!(svg.contains("without a name"), missing > 0, "{svg}");
            assert!(missing == 0 || svg.contains(&said), "{said}: {svg}");
            assert!(!names.is_empty(), "{svg}");
            assert!(missing > 0 || together * count < 3600, "60 names in one place: {svg}");
        }
    }
}

/// Numbers of chromosomes are omitted before they touch.
#[test]
fn numbers_below_do_not_touch() {
    let svg =
        picks((1..=22).chain([0, 25]).map(|at| pick(at, 1_000, &format!("rs{at}"), f64::from(at) + 1.0)).collect());
    let mut below: Vec<(f64, f64)> = texts(&svg)
        .into_iter()
        .filter(|(x, _, text)| *x > 60.0 && (text.parse::<u8>().is_ok() || text == "XY" || text == "?"))
        .map(|(x, _, text)| (x, width(&text, TEXT)))
        .collect();
    below.sort_by(|one, other| one.0.total_cmp(&other.0));
    assert!(below.len() > 12, "{below:?}");
    assert!(below.windows(2).all(|pair| pair[1].0 - pair[0].0 >= f64::midpoint(pair[0].1, pair[1].1)), "{below:?}");
}

#[test]
fn anything_can_be_drawn() {
    picks(Vec::new());
    numbers(None, Vec::new());
    numbers(Some((f64::NAN, "nothing")), Vec::new());
    let long = "word ".repeat(40);
    for name in AWKWARD.into_iter().chain([long.as_str()]) {
        for chromosome in [0, 1, 22, 25, 255] {
            for position in [0, 1, 51_000_000, u64::MAX] {
                let some = || {
                    vec![
                        snp(chromosome, position, name, Some(3.0), Some(1.0), Some(4.0)),
                        snp(19, 1_000_000, name, Some(-3.0), None, Some(4.0)),
                    ]
                };
                picks(some());
                numbers(Some((2.0, name)), some());
            }
        }
        let axis = Axis::Numbers { label: name.to_owned(), threshold: None };
        let untitled = Genome { title: "t".to_owned(), axis, snps: vec![pick(3, 5, name, 1.0)] };
        check(&genome(&untitled));
    }
    for one in ODD {
        for other in ODD {
            let some = || {
                vec![snp(5, 5, "rs1", Some(one), Some(other), None), snp(22, 9, "rs2", Some(other), None, Some(one))]
            };
            picks(some());
            numbers(Some((one, "line")), some());
            numbers(Some((other, "line")), vec![snp(5, 5, "rs1", None, None, None)]);
        }
    }
}
