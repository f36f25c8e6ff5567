//! What follows from statements that hold but for a chance.

use super::normal;
use super::statement::{Loss, Releases};
use super::total::{TooLarge, Total};
use crate::render::Row;
use crate::statement::epsilon;
use deniable_core::adversary::PriorRange;
use deniable_core::belief::posterior;
use deniable_core::budget::Spend;
use deniable_core::exact::{Enclosure, Rational, Rounding, decimal, fraction, ratio, square_root, whole};
use deniable_core::loss::Chance;
use deniable_core::loss::filter::{most_rho_lower, odds_of_rho_upper, slack_odds_upper};
use num_traits::{One, Zero};

/// The bounds that follow, as targets.
pub const BOUNDS: [&str; 6] = ["odds", "posterior-at-most", "posterior-at-least", "epsilon", "zcdp", "advantage"];

/// Decimal places of values.
const PLACES: u32 = 6;
/// Decimal places of square roots.
const ROOT_PLACES: u32 = 30;
/// Bits of logarithms.
const BITS: u32 = 128;
/// Halvings in the search for the smallest ε of a distribution.
const HALVINGS: u32 = 40;

/// A bound with its proof.
struct ProvedBound {
    value: Rational,
    theorems: Vec<&'static str>,
}

/// The smaller of the bounds that are known.
fn least(all: impl IntoIterator<Item = Option<ProvedBound>>) -> Option<ProvedBound> {
    all.into_iter().flatten().min_by(|one, other| one.value.cmp(&other.value))
}

fn found(value: Rational, theorems: &[&'static str]) -> ProvedBound {
    ProvedBound { value, theorems: theorems.to_vec() }
}

/// What follows from releases that hold but for a chance, as rows; and what is enough for a single statement of odds
/// with a chance. The beliefs are those of observers with priors at the ends of the range, or of 1/10 and 1/2.
///
/// # Errors
/// When the releases together protect nobody.
pub fn follows(all: &[Releases], chance: &Chance, priors: &PriorRange) -> Result<Vec<Row>, TooLarge> {
    let total = Total::of(all)?;
    let from: Vec<String> = all.iter().map(ToString::to_string).collect();
    let row = Rows { from: from.join(" and "), chance };
    let mut rows = vec![row.surely(total.surely())];
    let odds = odds_but_for(all, &total, chance)?;
    rows.push(row.odds_but_for(odds.as_ref()));
    let beliefs = odds.as_ref().map(|odds| &odds.value);
    rows.extend(ends(priors, true).iter().map(|prior| row.belief(prior, beliefs, true)));
    rows.extend(ends(priors, false).iter().map(|prior| row.belief(prior, beliefs, false)));
    rows.push(row.epsilon_at(epsilon_at(&total, chance).as_ref()));
    rows.push(row.concentrated(&total));
    rows.push(row.advantage(&advantage(&total)));
    if let [Releases { count: 1, loss: Loss::ButFor(odds, stated) }] = all {
        rows.extend(row.enough(odds, stated));
    }
    Ok(rows)
}

/// The priors that are shown.
fn ends(priors: &PriorRange, of_presence: bool) -> Vec<Rational> {
    let end = if of_presence { priors.high() } else { priors.low() };
    if end.is_zero() || end.is_one() { vec![ratio(1, 10), ratio(1, 2)] } else { vec![end.clone()] }
}

/// Odds that are exceeded with at most this chance.
fn odds_but_for(all: &[Releases], total: &Total, chance: &Chance) -> Result<Option<ProvedBound>, TooLarge> {
    // Odds multiply and chances add, where every bound is of this kind and holds whatever came before.
    let is_stated = |one: &Releases| matches!(one.loss, Loss::Pure(_) | Loss::ButFor(..));
    let is_within = all.iter().all(is_stated) && total.failures <= *chance.value();
    let itself = total.odds.as_ref().filter(|_| is_within).map(|odds| found(odds.odds_at_most(), &["B-9"]));
    let product = total.odds.as_ref().and_then(|odds| {
        let odds = odds.odds_at_most();
        slack_odds_upper(&odds, &total.failures, chance).map(|odds| found(odds, &["B-8"]))
    });
    let filter = total.filter()?.odds_but_for(chance).map(|odds| found(odds, &["C-12", "B-7"]));
    let walk = total.walk.as_ref().and_then(|walk| walk.odds_but_for(chance)).map(|odds| found(odds, &["C-11", "B-7"]));
    let mu = total.mu.as_ref().filter(|_| normal::is_computed(chance.value()));
    let normal = mu.map(|mu| found(normal::odds_but_for(mu, chance.value()), &["B-9", "B-7"]));
    Ok(least([itself, product, walk, normal, filter]))
}

/// `e^ε` with which (ε,δ) holds, for a δ of this chance.
fn epsilon_at(total: &Total, delta: &Chance) -> Option<ProvedBound> {
    let rest = Chance::new(delta.value() - &total.failures).ok();
    let is_within = total.failures <= *delta.value();
    let product = total.odds.as_ref().filter(|_| is_within).map(|odds| found(odds.odds_at_most(), &["C-1"]));
    // The tail of the loss is at least the hockey stick.
    let filter = rest.map(|rest| found(odds_of_rho_upper(&total.rho, &rest), &["C-12"]));
    let walk = total.walk.as_ref().and_then(|walk| {
        let most = total.odds.as_ref()?.odds_at_most();
        least_odds(&|odds| walk.delta_upper(odds), delta, most).map(|odds| found(odds, &["C-11"]))
    });
    let mu = total.mu.as_ref().filter(|_| normal::is_computed(delta.value()));
    let normal = mu.zip(filter.as_ref()).and_then(|(mu, filter)| {
        let most = filter.value.clone();
        least_odds(&|odds| normal::delta_upper(mu, odds), delta, most).map(|odds| found(odds, &["B-9"]))
    });
    least([product, walk, normal, filter])
}

/// Near the least odds of at most `most` at which a hockey stick is at most `delta`, and no smaller.
fn least_odds(stick: &dyn Fn(&Rational) -> Rational, delta: &Chance, most: Rational) -> Option<Rational> {
    let keeps = |odds: &Rational| stick(odds) <= *delta.value();
    let (mut low, mut high) = (whole(1), most);
    if !keeps(&high) {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = Enclosure::of(&((&low + &high) / whole(2)), BITS).high().min(high.clone());
        if keeps(&middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The largest difference between the chances of an event with and without the person.
fn advantage(total: &Total) -> ProvedBound {
    let product = total.odds.as_ref().map(|odds| {
        let odds = odds.odds_at_most();
        let both = &odds - whole(1) + whole(2) * &total.failures;
        found((both / (odds + whole(1))).min(whole(1)), &["B-9"])
    });
    // Pinsker: the divergence of order 1 is at most ρ.
    let pinsker = square_root(&(&total.rho / whole(2)), ROOT_PLACES, Rounding::Up) + &total.failures;
    let walk = total.walk.as_ref().map(|walk| found(walk.advantage_upper(), &["C-11"]));
    let pinsker = found(pinsker.min(whole(1)), &["B-9"]);
    let normal = total.mu.as_ref().map(|mu| found(normal::advantage_upper(mu), &["B-9"]));
    least([product, walk, normal]).filter(|other| other.value <= pinsker.value).unwrap_or(pinsker)
}

/// Makes rows of one statement.
struct Rows<'a> {
    from: String,
    chance: &'a Chance,
}

const IMPLIES: &str = "implies";
const NOTHING: &str = "no implication";

impl Rows<'_> {
    fn row(&self, notion: String, value: String, decimal: String, theorems: &[&'static str], note: &str) -> Row {
        Row {
            from: self.from.clone(),
            statement: None,
            direction: IMPLIES,
            tight: false,
            partial: false,
            theorems: theorems.to_vec(),
            note: note.to_owned(),
            notion,
            value,
            decimal,
        }
    }

    fn nothing(&self, notion: String, theorems: &[&'static str], note: &str) -> Row {
        Row { direction: NOTHING, ..self.row(notion, "-".to_owned(), "-".to_owned(), theorems, note) }
    }

    /// A bound that is rounded up.
    fn at_most(&self, notion: String, value: &Rational, theorems: &[&'static str], note: &str) -> Row {
        let shown = decimal(value, PLACES, Rounding::Up);
        let exact = fraction(value);
        let value = if exact.len() <= 2 * shown.len() { exact } else { shown.clone() };
        self.row(notion, value, shown, theorems, note)
    }

    fn surely(&self, odds: Option<&Spend>) -> Row {
        match odds {
            Some(odds) => {
                let shown = decimal(&odds.odds_at_most(), PLACES, Rounding::Up);
                self.row("odds".to_owned(), odds.to_string(), shown, &["C-1"], "surely")
            }
            None => {
                self.nothing("odds".to_owned(), &["B-8"], "nothing holds surely: with some chance odds are unbounded")
            }
        }
    }

    fn odds_but_for(&self, odds: Option<&ProvedBound>) -> Row {
        let notion = format!("odds,chance={}", self.chance);
        match odds {
            Some(odds) => self.at_most(notion, &odds.value, &odds.theorems, "whatever is computed from the output"),
            None => {
                let note = "with a chance of at least this much the output may prove presence: state a larger chance";
                self.nothing(notion, &["B-8"], note)
            }
        }
    }

    fn belief(&self, prior: &Rational, odds: Option<&Rational>, of_presence: bool) -> Row {
        let name = if of_presence { "posterior-at-most" } else { "posterior-at-least" };
        let notion = format!("{name},chance={}@{prior}..{prior}", self.chance);
        let note = "right about all others; each observer separately";
        match odds {
            None => self.nothing(notion, &["B-7"], "no odds hold but for this chance"),
            Some(odds) if of_presence => self.at_most(notion, &posterior(prior, odds), &["B-7"], note),
            Some(odds) => {
                let least = posterior(prior, &odds.recip());
                let shown = decimal(&least, PLACES, Rounding::Down);
                self.row(notion, shown.clone(), shown, &["B-7"], note)
            }
        }
    }

    fn epsilon_at(&self, odds: Option<&ProvedBound>) -> Row {
        let notion = format!("epsilon,delta={}", self.chance);
        let Some(ProvedBound { value, theorems }) = odds else {
            return self.nothing(notion, &["B-8"], "the statement allows a larger δ: state a larger chance");
        };
        let exact = Spend::odds(value.clone()).unwrap_or_else(|_| Spend::nothing());
        let shown = exact.epsilon_rounded(PLACES, Rounding::Up);
        let written = epsilon(&exact);
        let value = if written.len() <= 2 * shown.len() { written } else { shown.clone() };
        self.row(notion, value, shown, theorems, "the hockey stick, of every event")
    }

    fn concentrated(&self, total: &Total) -> Row {
        if !total.failures.is_zero() {
            let note = "an output that proves presence with this chance has no finite Rényi divergence";
            return self.nothing("zcdp".to_owned(), &["B-8"], note);
        }
        let row = self.at_most("zcdp".to_owned(), &total.rho, &["B-9"], "");
        let note = if total.is_rho_exact { "" } else { "rounded up" };
        Row { note: note.to_owned(), ..row }
    }

    fn advantage(&self, ProvedBound { value, theorems }: &ProvedBound) -> Row {
        self.at_most("advantage".to_owned(), value, theorems, "of a guess whether the person is in, over chance")
    }

    /// What is enough for odds that hold but for a chance.
    fn enough(&self, odds: &Spend, chance: &Chance) -> Vec<Row> {
        let implied_by = |row: Row| Row { direction: "implied by", ..row };
        let down = |value: &Rational| decimal(value, PLACES, Rounding::Down);
        let plain = |notion: &str, value: &Rational| {
            self.row(notion.to_owned(), down(value), down(value), &["C-12", "B-9"], "")
        };
        let unit = Spend::epsilon(whole(1)).unwrap_or_else(|_| Spend::nothing());
        let rho = most_rho_lower(&unit, &odds.odds_at_least(), chance);
        let by_rho = square_root(&(whole(2) * &rho), ROOT_PLACES, Rounding::Down);
        let mu = normal::most_mu_lower(&odds.odds_at_least(), chance.value()).unwrap_or(by_rho);
        let pure = self.row("odds".to_owned(), odds.to_string(), down(&odds.odds_at_least()), &["B-7"], "");
        let normal = self.row("gaussian".to_owned(), down(&mu), down(&mu), &["B-9"], "");
        vec![implied_by(pure), implied_by(plain("zcdp", &rho)), implied_by(normal)]
    }
}
