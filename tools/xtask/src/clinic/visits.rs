//! The clinic's patients and their visits.
//!
//! The data is designed to need protection and to be worth querying: people come several times, some more often than
//! the policy's caps allow; departments depend on age; the bill depends on the minutes; some fields are empty; a few
//! values are outside the declared bounds; and two visits name a department that the policy does not declare. A release
//! of this file shows every rule of the product once.

use super::dice::Dice;
use std::fmt::Write;

/// Changing it changes the committed file.
const SEED: u64 = 2_024;
const PATIENTS: u32 = 2_000;

/// The departments that the policy declares, in the order of the tables below.
const DEPARTMENTS: [&str; 5] = ["cardiology", "dermatology", "orthopaedics", "paediatrics", "neurology"];
/// Typical minutes of a visit, as (least, most).
const MINUTES: [(u32, u32); 5] = [(20, 50), (5, 25), (10, 40), (10, 35), (25, 60)];
/// The price of a minute in steps of 0.05.
const RATE: [u32; 5] = [70, 40, 55, 36, 64];
/// A department that was closed again, which the policy does not declare.
const UNDECLARED: &str = "pilot";

/// One row of the file.
struct Visit {
    patient: u32,
    age: u32,
    sex: &'static str,
    department: &'static str,
    minutes: u32,
    /// In steps of 0.05.
    cost: u32,
    smoker: &'static str,
}

/// The file: a header, then one line per visit, each ended by a line feed.
pub fn csv() -> String {
    let mut text = String::from("patient,age,sex,department,minutes,cost,smoker\n");
    for visit in visits(SEED) {
        let Visit { patient, age, sex, department, minutes, cost, smoker } = visit;
        let (whole, cents) = (cost / 20, cost % 20 * 5);
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "P-{patient:05},{age},{sex},{department},{minutes},{whole}.{cents:02},{smoker}");
    }
    text
}

/// All visits in no particular order.
fn visits(seed: u64) -> Vec<Visit> {
    let mut dice = Dice::new(seed);
    // Card numbers are independent of the date of the first visit.
    let mut cards: Vec<u32> = (0..100_000).collect();
    dice.shuffle(&mut cards);
    let mut all: Vec<Visit> = (0..PATIENTS).zip(cards).flat_map(|(_, card)| patient(card, &mut dice)).collect();
    dice.shuffle(&mut all);
    for visit in all.iter_mut().take(2) {
        visit.department = UNDECLARED;
    }
    dice.shuffle(&mut all);
    all
}

fn patient(card: u32, dice: &mut Dice) -> Vec<Visit> {
    let age = match dice.pick(&[18, 14, 26, 24, 17, 1]) {
        0 => dice.between(0, 15),
        1 => dice.between(16, 29),
        2 => dice.between(30, 54),
        3 => dice.between(55, 74),
        4 => dice.between(75, 92),
        _ => dice.between(93, 104),
    };
    let sex = ["F", "M", ""][dice.pick(&[105, 92, 3])];
    let smoker = smoker(age, dice);
    let home = dice.pick(&leaning(age));
    let count = [1, 2, 3, 4, 5, 6, 8][dice.pick(&[34, 27, 19, 10, 5, 3, 2])];
    // A person with a birthday during the year is a year older from then on.
    let birthday = if dice.chance(1, 4) { dice.between(1, 8) } else { 9 };
    (1..=count)
        .map(|number| {
            // Most visits go to the department of the patient's main complaint; some are referrals.
            let department = if dice.chance(4, 5) { home } else { dice.pick(&leaning(age)) };
            let (minutes, cost) = effort(department, dice);
            Visit {
                patient: card,
                age: age + u32::from(number > birthday),
                sex,
                department: DEPARTMENTS[department],
                minutes,
                cost,
                smoker,
            }
        })
        .collect()
}

/// The need for each department at an age.
fn leaning(age: u32) -> [u32; 5] {
    match age {
        0..=15 => [2, 12, 10, 70, 6],
        16..=39 => [8, 44, 32, 0, 16],
        40..=64 => [30, 22, 32, 0, 16],
        _ => [44, 12, 26, 0, 18],
    }
}

/// Children have no value, and a few adults do not answer.
fn smoker(age: u32, dice: &mut Dice) -> &'static str {
    let smokers = match age {
        0..=15 => return "false",
        16..=39 => 21,
        40..=64 => 26,
        _ => 12,
    };
    ["true", "false", ""][dice.pick(&[smokers, 95 - smokers, 5])]
}

/// Minutes and cost of a visit, the cost in steps of 0.05.
fn effort(department: usize, dice: &mut Dice) -> (u32, u32) {
    let (least, most) = MINUTES[department];
    let minutes = match dice.below(150) {
        0 => dice.between(61, 240),
        1 => dice.between(1, 4),
        _ => dice.about(least, most),
    };
    let cost = match dice.below(120) {
        0 => 20 * dice.between(500, 2_400), // an operation
        1 | 2 => 0,                         // a free visit
        _ => 300 + minutes * RATE[department] + dice.between(0, 400),
    };
    (minutes, cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn the_same_bytes_every_time() {
        assert_eq!(csv(), csv());
        let other: Vec<u32> = visits(SEED + 1).iter().map(|v| v.patient).collect();
        assert_ne!(visits(SEED).iter().map(|v| v.patient).collect::<Vec<_>>(), other);
    }

    #[test]
    fn is_small_and_shaped_as_promised() {
        let text = csv();
        assert!(text.len() < 200_000 && text.is_ascii() && text.ends_with('\n') && !text.contains('\r'));
        let rows = text.lines().count() - 1;
        assert!((4_500..=5_000).contains(&rows), "{rows} rows");
        assert!(text.lines().all(|line| line.split(',').count() == 7));
    }

    /// The irregularities that the example must contain for its policy.
    #[test]
    fn meets_every_rule_of_a_policy() {
        let all = visits(SEED);
        let has = |what: &dyn Fn(&Visit) -> bool| all.iter().filter(|v| what(v)).count();
        assert!(has(&|v| v.sex.is_empty()) > 10 && has(&|v| v.smoker.is_empty()) > 50);
        assert_eq!(has(&|v| v.department == UNDECLARED), 2);
        assert!(has(&|v| v.minutes > 60) > 5 && has(&|v| v.minutes < 5) > 5);
        assert!(has(&|v| v.cost > 20 * 400) > 5 && has(&|v| v.cost == 0) > 5);
        assert!(all.iter().all(|v| v.age <= 110));

        let mut of: BTreeMap<u32, Vec<&Visit>> = BTreeMap::new();
        all.iter().for_each(|visit| of.entry(visit.patient).or_default().push(visit));
        assert_eq!(of.len(), PATIENTS as usize);
        let departments = |rows: &[&Visit]| rows.iter().map(|v| v.department).collect::<BTreeSet<_>>().len();
        assert!(of.values().filter(|rows| rows.len() > 4).count() > 100, "more rows than a cap of 4");
        assert!(of.values().filter(|rows| departments(rows) > 2).count() > 20, "more groups than a cap of 2");
        for rows in of.values() {
            let ages: BTreeSet<u32> = rows.iter().map(|v| v.age).collect();
            assert!(ages.last().zip(ages.first()).is_some_and(|(old, young)| old - young <= 1));
            assert!(rows.iter().all(|v| v.sex == rows[0].sex && v.smoker == rows[0].smoker));
        }
    }

    #[test]
    fn longer_visits_cost_more() {
        let all = visits(SEED);
        let mean = |long: bool| {
            let costs: Vec<u64> =
                all.iter().filter(|v| (v.minutes > 30) == long && v.cost < 8_000).map(|v| u64::from(v.cost)).collect();
            costs.iter().sum::<u64>() / costs.len() as u64
        };
        assert!(mean(true) > mean(false) * 3 / 2);
    }
}
