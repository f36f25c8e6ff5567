//! Sizes of the classes of an anonymised table: the numbers of people by the size of their class.

use crate::canvas::TEXT;
use crate::legend::{Key, bar};
use crate::palette::{INK, MUTED, RED};
use crate::pen::{dashes, line, write};
use crate::plot::Frame;
use crate::scale::Scale;
use crate::sheet::{WIDE, Words, sheet};
use crate::words::{count, number, width};
use plotters::style::text_anchor::HPos;

/// Height above the first bar, for the labels of the columns.
const TOP: f64 = 30.0;
/// Height below the last bar, for ticks and their label.
const FOOT: f64 = 50.0;
/// The height of a row, in pixels.
const ROW: f64 = 26.0;
/// Default starts of buckets.
const BEGINS: [u64; 14] = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/// Classes of a similar size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// The smallest size.
    pub from: u64,
    /// The largest size; `None` if unbounded.
    pub to: Option<u64>,
    /// The number of classes of these sizes.
    pub classes: u64,
    /// The number of people in these classes.
    pub people: u64,
}

impl Bucket {
    /// Its sizes: "1", "3-4", "10,000 and more".
    #[must_use]
    pub fn label(&self) -> String {
        match self.to {
            Some(to) if to <= self.from => grouped(self.from),
            Some(to) => format!("{}-{}", grouped(self.from), grouped(to)),
            None => format!("{} and more", grouped(self.from)),
        }
    }
}

/// Sizes of classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// Title of the chart.
    pub title: String,
    /// Buckets in any order.
    pub buckets: Vec<Bucket>,
    /// The required size: buckets with smaller sizes are marked.
    pub wanted: Option<u64>,
}

/// Groups sizes of classes into buckets. No bucket is empty or has sizes on both sides of the required one.
#[must_use]
pub fn buckets(sizes: impl IntoIterator<Item = u64>, wanted: Option<u64>) -> Vec<Bucket> {
    let mut begins: Vec<u64> = BEGINS.into_iter().chain(wanted.filter(|wanted| *wanted > 0)).collect();
    begins.sort_unstable();
    begins.dedup();
    let ends = begins.iter().skip(1).map(|next| Some(next - 1)).chain([None]);
    let mut buckets: Vec<Bucket> =
        begins.iter().zip(ends).map(|(from, to)| Bucket { from: *from, to, classes: 0, people: 0 }).collect();
    for size in sizes {
        let place = begins.partition_point(|from| *from <= size);
        if let Some(bucket) = place.checked_sub(1).and_then(|place| buckets.get_mut(place)) {
            bucket.classes += 1;
            bucket.people = bucket.people.saturating_add(size);
        }
    }
    buckets.retain(|bucket| bucket.classes > 0);
    buckets
}

/// A bar for each bucket, in proportion to its people, with the numbers of people and classes.
#[must_use]
pub fn sizes(sizes: &Sizes) -> String {
    let mut buckets: Vec<&Bucket> = sizes.buckets.iter().collect();
    buckets.sort_by_key(|bucket| bucket.from);
    let below = |bucket: &Bucket| sizes.wanted.is_some_and(|wanted| bucket.from < wanted);
    let few = buckets.iter().filter(|bucket| below(bucket)).count();
    let mut legend = vec![(Key::Bar, "people".to_owned())];
    if let Some(wanted) = sizes.wanted.filter(|_| few > 0) {
        let cut = if buckets.iter().any(|bucket| straddles(bucket, wanted)) {
            "sizes that begin below"
        } else {
            "classes of fewer than"
        };
        legend.push((Key::Warned, format!("people in {cut} {}", grouped(wanted))));
    }
    let bottom = TOP + ROW * buckets.len().max(1) as f64;

    let cells: Vec<[String; 3]> =
        buckets.iter().map(|bucket| [bucket.label(), grouped(bucket.people), grouped(bucket.classes)]).collect();
    let heads = ["class size", "people", "classes"];
    let column = |at: usize| {
        let words = cells.iter().filter_map(|row| row.get(at)).map(String::as_str).chain(heads.get(at).copied());
        words.map(|words| width(words, TEXT)).fold(0.0, f64::max)
    };
    let classes = f64::from(WIDE) - 12.0;
    let people = classes - column(2) - 16.0;
    let (left, right) = (column(0) + 20.0, people - column(1) - 16.0);
    let most = buckets.iter().map(|bucket| bucket.people as f64).fold(1.0, f64::max);
    let scale = Scale::linear((0.0, most), (left, right));

    let frame = Frame { left, right, top: TOP, bottom, page: f64::from(WIDE) };
    let description = description(&buckets, sizes.wanted);
    let words = Words { title: &sizes.title, otherwise: "Class sizes", description: &description };
    sheet(&words, bottom + FOOT, &legend, |area| {
        for (x, head) in [left - 10.0, people, classes].into_iter().zip(heads) {
            write(area, (x, 14.0), head, (TEXT, MUTED), HPos::Right)?;
        }
        frame.columns(area, &scale.ticks_across(TEXT), "people")?;
        for (at, (bucket, [label, many, of])) in buckets.iter().zip(&cells).enumerate() {
            let y = TOP + ROW * (at as f64 + 0.5);
            let colour = if below(bucket) { RED } else { INK };
            write(area, (left - 10.0, y), label, (TEXT, colour), HPos::Right)?;
            bar(area, (left, scale.at(bucket.people as f64)), y, ROW * 0.34, below(bucket))?;
            write(area, (people, y), many, (TEXT, colour), HPos::Right)?;
            write(area, (classes, y), of, (TEXT, colour), HPos::Right)?;
        }
        line(area, &[(left, TOP), (left, bottom)], MUTED, 1)?;
        // Not by colour alone: a line separates classes that are too small.
        if few > 0 && few < buckets.len() {
            let y = TOP + ROW * few as f64;
            dashes(area, &[(8.0, y), (classes, y)], RED, 1, (6, 4))?;
        }
        if buckets.is_empty() { frame.nothing(area, "no classes") } else { Ok(()) }
    })
}

/// Whether a bucket has sizes on both sides of the required one.
fn straddles(bucket: &Bucket, wanted: u64) -> bool {
    bucket.from < wanted && bucket.to.is_none_or(|to| to >= wanted)
}

/// A whole number, with all digits if there is room.
fn grouped(value: u64) -> String {
    if value >= 10_000_000 {
        return number(value as f64);
    }
    let (thousands, rest) = (value / 1000, value % 1000);
    match thousands {
        0 => rest.to_string(),
        1..1000 => format!("{thousands},{rest:03}"),
        _ => format!("{},{:03},{rest:03}", thousands / 1000, thousands % 1000),
    }
}

/// Describes the chart in words: every bucket, and the total of those too small.
fn description(buckets: &[&Bucket], wanted: Option<u64>) -> String {
    let many =
        |count: u64, one: &str, more: &str| format!("{} {}", grouped(count), if count == 1 { one } else { more });
    let said = |people: u64, classes: u64| {
        format!("{} in {}", many(people, "person", "people"), many(classes, "class", "classes"))
    };
    let mut words = format!("Classes by size: {}.", count(buckets.len(), "bucket"));
    if let Some(wanted) = wanted {
        let add = |(people, classes): (u64, u64), bucket: &&&Bucket| {
            (people.saturating_add(bucket.people), classes.saturating_add(bucket.classes))
        };
        let few = buckets.iter().filter(|bucket| bucket.from < wanted);
        let (people, classes) = few.fold((0, 0), |sum, bucket| add(sum, &bucket));
        let most = if buckets.iter().any(|bucket| straddles(bucket, wanted)) { "at most " } else { "" };
        words.push_str(&format!(" Below the wanted size of {}: {most}{}.", grouped(wanted), said(people, classes)));
    }
    for bucket in buckets {
        words.push_str(&format!(" Size {}: {}.", bucket.label(), said(bucket.people, bucket.classes)));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{AWKWARD, check};

    fn bucket(from: u64, to: Option<u64>, classes: u64, people: u64) -> Bucket {
        Bucket { from, to, classes, people }
    }

    fn example(wanted: Option<u64>) -> Sizes {
        let all = [(1, 12), (2, 30), (4, 40), (7, 55), (30, 20), (15_000, 1)];
        let each = all.iter().flat_map(|(size, many)| std::iter::repeat_n(*size, *many));
        Sizes { title: "Class sizes".to_owned(), buckets: buckets(each, wanted), wanted }
    }

    #[test]
    fn buckets_end_where_the_wanted_size_begins() {
        assert_eq!(
            buckets([1, 2, 2, 3, 4, 6, 7], Some(4)),
            [
                bucket(1, Some(1), 1, 1),
                bucket(2, Some(2), 2, 4),
                bucket(3, Some(3), 1, 3),
                bucket(4, Some(4), 1, 4),
                bucket(5, Some(9), 2, 13),
            ]
        );
        assert_eq!(buckets([0], None), []);
        assert_eq!(buckets([u64::MAX, u64::MAX], Some(0)), [bucket(10_000, None, 2, u64::MAX)]);
    }

    #[test]
    fn the_description_says_every_bucket() {
        let svg = sizes(&example(Some(5)));
        check(&svg);
        for words in [
            "Below the wanted size of 5: 232 people in 82 classes.",
            "Size 1: 12 people in 12 classes.",
            "Size 3-4: 160 people in 40 classes.",
            "Size 10,000 and more: 15,000 people in 1 class.",
            ">people in classes of fewer than 5<",
            "#B42A1D",
        ] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        let calm = sizes(&example(None));
        check(&calm);
        assert!(!calm.contains("#B42A1D") && !calm.contains("wanted"), "{calm}");
        // If no class is too small, no bucket is marked, and the description says so.
        let fine = sizes(&Sizes { buckets: buckets([7, 7], Some(5)), ..example(Some(5)) });
        assert!(fine.contains("Below the wanted size of 5: 0 people in 0 classes.") && !fine.contains("#B42A1D"));
    }

    /// For a bucket on both sides of the required size, the number of people below it is unknown.
    #[test]
    fn a_bucket_on_both_sides_is_not_counted_as_sure() {
        let svg = sizes(&Sizes { title: String::new(), buckets: vec![bucket(3, Some(6), 2, 9)], wanted: Some(5) });
        check(&svg);
        assert!(svg.contains("Below the wanted size of 5: at most 9 people in 2 classes."), "{svg}");
        assert!(svg.contains(">people in sizes that begin below 5<"), "{svg}");
    }

    #[test]
    fn anything_can_be_drawn() {
        check(&sizes(&Sizes { title: String::new(), buckets: vec![], wanted: Some(3) }));
        let odd = vec![bucket(9, Some(2), 0, 0), bucket(u64::MAX, None, u64::MAX, u64::MAX), bucket(0, None, 1, 0)];
        for wanted in [None, Some(0), Some(u64::MAX)] {
            for title in AWKWARD {
                check(&sizes(&Sizes { title: title.to_owned(), buckets: odd.clone(), wanted }));
            }
        }
    }

    #[test]
    fn counts_are_whole() {
        for (value, text) in [(0, "0"), (999, "999"), (12_005, "12,005"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(value), text);
        }
    }
}
