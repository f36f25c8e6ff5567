//! How long the measures take: `cargo run --release -p deniable-assess --example scale [rows]`, one million if it is not said.

use deniable_assess::assessment::{Input, assess};
use deniable_assess::background::{Matching, types};
use deniable_assess::beliefs::{Beliefs, Prior};
use deniable_assess::cells::Reading;
use deniable_assess::closeness::{Closeness, Distance};
use deniable_assess::diversity::Diversity;
use deniable_assess::membership::presence;
use deniable_assess::risk::Risk;
use deniable_assess::sizes::Sizes;
use deniable_assess::{AssessError, Classes, Counts, Quasi, TableRole};
use deniable_core::adversary::PriorRange;
use std::time::Instant;

/// A small linear congruential generator: the same table every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[expect(clippy::print_stdout, reason = "an example")]
fn timed<T>(what: &str, work: impl FnOnce() -> Result<T, AssessError>) -> Result<T, AssessError> {
    let start = Instant::now();
    let result = work()?;
    println!("{what:<42} {:>9.1} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(result)
}

fn main() -> Result<(), AssessError> {
    let rows: u64 = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let names = ["zip", "age", "sex", "job", "disease"];
    let (mut published, mut raw) = (Counts::new(&names)?, Counts::new(&names)?);
    let mut dice = Dice(1);
    timed("filling two tables of rows", || {
        for _ in 0..rows {
            let (zip, age, sex) = (dice.below(20_000), dice.below(90), dice.below(2));
            let (job, disease, times) = (dice.below(20), dice.below(40) * dice.below(40) / 40, 1 + dice.below(3));
            let low = age / 5 * 5;
            let (sex, job, disease) = (["f", "m"][usize::from(sex == 1)], job.to_string(), disease.to_string());
            let cell = [format!("{:04}*", zip / 10), format!("{low}-{}", low + 4)];
            published.push(&[&cell[0], &cell[1], sex, &job, &disease], times)?;
            raw.push(&[&format!("{zip:05}"), &age.to_string(), sex, &job, &disease], times)?;
        }
        Ok(())
    })?;
    let quasi: Vec<Quasi> = names[..4].iter().map(|name| Quasi::new(name, Reading::Notation)).collect();
    let sensitive = ["disease".to_owned()];
    let classes = timed("classes", || Classes::of(&published, &quasi, &sensitive, TableRole::Published))?;
    let secret = &classes.secrets[0];
    timed("sizes", || Ok(Sizes::of(&classes)))?;
    timed("risk", || {
        Ok(Risk::of(
            &classes,
            deniable_assess::risk::Population::Unknown,
            &deniable_assess::assessment::default_threshold(),
        ))
    })?;
    timed("diversity (distinct, entropy, recursive)", || Ok(Diversity::of(&classes, secret, &[2])))?;
    timed("closeness, equal", || Ok(Closeness::new(&classes, secret, &Distance::Equal)?.t()))?;
    timed("closeness, ordered", || Ok(Closeness::new(&classes, secret, &Distance::Ordered(None))?.t()))?;
    timed("beliefs from margins", || Beliefs::of(&classes, secret, Prior::Margins))?;
    let people = timed("types of the background", || types(&raw, &names[..4], &["disease"], TableRole::Background))?;
    let matching = timed("matching types with classes", || Ok(Matching::new(&classes, &people)))?;
    timed("beliefs from the background", || {
        Beliefs::of(&classes, secret, Prior::Background(&matching, &people.secrets[0]))
    })?;
    timed("presence", || Ok(presence(&matching, &PriorRange::uniform())))?;
    timed("linkage", || deniable_assess::linking::link(&classes, &raw))?;
    let mut input = Input::new(&published, &names[..4], &["disease"]);
    (input.background, input.original) = (Some(&raw), Some(&raw));
    input.requirements = deniable_assess::require::Requirement::parse(
        "k=5,l=2,entropy-l=2,recursive-l=3:2,t=0.2,prosecutor=0.2,journalist=0.2,epsilon-bop=1,odds=3,gain=2",
    )?;
    timed("everything with both, and ten demands", || assess(&input))?;
    Ok(())
}
