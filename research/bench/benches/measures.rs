//! The measures of anonymised tables, separately, on a table of a million rows: `cargo bench -p deniable-bench --bench
//! measures`. The benchmark `assess` compares them with the engine's GROUP BY.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use deniable_assess::assessment::{Input, assess, default_threshold};
use deniable_assess::background::{Matching, types};
use deniable_assess::beliefs::{Beliefs, Prior};
use deniable_assess::cells::Reading;
use deniable_assess::closeness::{Closeness, Distance};
use deniable_assess::diversity::Diversity;
use deniable_assess::matching::link;
use deniable_assess::membership::presence;
use deniable_assess::require::Requirement;
use deniable_assess::risk::{Population, Risk};
use deniable_assess::sizes::Sizes;
use deniable_assess::{Classes, Counts, Quasi, TableRole};
use deniable_core::adversary::PriorRange;
use divan::Bencher;
use std::sync::LazyLock;

const ROWS: u64 = 1_000_000;
const NAMES: [&str; 5] = ["zip", "age", "sex", "job", "disease"];

fn main() {
    divan::main();
}

/// A small linear congruential generator: the same table every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A published table, and its original.
fn fill() -> (Counts, Counts) {
    let (mut published, mut raw) = (Counts::new(&NAMES).unwrap(), Counts::new(&NAMES).unwrap());
    let mut dice = Dice(1);
    for _ in 0..ROWS {
        let (zip, age, sex) = (dice.below(20_000), dice.below(90), dice.below(2));
        let (job, disease, times) = (dice.below(20), dice.below(40) * dice.below(40) / 40, 1 + dice.below(3));
        let low = age / 5 * 5;
        let (sex, job, disease) = (["f", "m"][usize::from(sex == 1)], job.to_string(), disease.to_string());
        let cell = [format!("{:04}*", zip / 10), format!("{low}-{}", low + 4)];
        published.push(&[&cell[0], &cell[1], sex, &job, &disease], times).unwrap();
        raw.push(&[&format!("{zip:05}"), &age.to_string(), sex, &job, &disease], times).unwrap();
    }
    (published, raw)
}

fn group(published: &Counts) -> Classes {
    let quasi: Vec<Quasi> = NAMES[..4].iter().map(|name| Quasi::new(name, Reading::Notation)).collect();
    Classes::of(published, &quasi, &["disease".to_owned()], TableRole::Published).unwrap()
}

fn people(raw: &Counts) -> Classes {
    types(raw, &NAMES[..4], &["disease"], TableRole::Background).unwrap()
}

static TABLES: LazyLock<(Counts, Counts)> = LazyLock::new(fill);
static CLASSES: LazyLock<Classes> = LazyLock::new(|| group(&TABLES.0));
static PEOPLE: LazyLock<Classes> = LazyLock::new(|| people(&TABLES.1));
static MATCHING: LazyLock<Matching<'static>> = LazyLock::new(|| Matching::new(&CLASSES, &PEOPLE));

macro_rules! measures {
    ($($name:ident: $work:expr;)+) => { $(
        #[divan::bench(sample_count = 3)]
        fn $name(bencher: Bencher<'_, '_>) {
            LazyLock::force(&MATCHING);
            bencher.bench_local(|| $work);
        }
    )+ };
}

measures! {
    filling_two_tables: fill();
    classes: group(&TABLES.0);
    sizes: Sizes::of(&CLASSES);
    risk: Risk::of(&CLASSES, Population::Unknown, &default_threshold());
    diversity: Diversity::of(&CLASSES, &CLASSES.secrets[0], &[2]);
    closeness_equal: Closeness::new(&CLASSES, &CLASSES.secrets[0], &Distance::Equal).unwrap().t();
    closeness_ordered: Closeness::new(&CLASSES, &CLASSES.secrets[0], &Distance::Ordered(None)).unwrap().t();
    beliefs_from_margins: Beliefs::of(&CLASSES, &CLASSES.secrets[0], Prior::Margins).unwrap();
    types_of_the_background: people(&TABLES.1);
    matching_types_with_classes: Matching::new(&CLASSES, &PEOPLE);
    beliefs_from_the_background:
        Beliefs::of(&CLASSES, &CLASSES.secrets[0], Prior::Background(&MATCHING, &PEOPLE.secrets[0])).unwrap();
    presence_of_people: presence(&MATCHING, &PriorRange::uniform());
    linkage: link(&CLASSES, &TABLES.1).unwrap();
    everything_with_both_and_ten_demands: everything();
}

fn everything() -> deniable_assess::Assessment {
    let mut input = Input::new(&TABLES.0, &NAMES[..4], &["disease"]);
    (input.background, input.original) = (Some(&TABLES.1), Some(&TABLES.1));
    input.requirements = Requirement::parse(
        "k=5,l=2,entropy-l=2,recursive-l=3:2,t=0.2,prosecutor=0.2,journalist=0.2,epsilon-bop=1,odds=3,gain=2",
    )
    .unwrap();
    assess(&input).unwrap()
}
