//! What anyone can learn: in words, in natural frequencies, as a curve, and observer by observer.

use crate::frame::{figure, list};
use crate::observers::{Observer, observers};
use deniable_chart::belief::{Beliefs, Mark, curve};
use deniable_chart::gauge::{Gauge, gauge};
use deniable_chart::people::{People, people};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::belief::posterior_range;
use deniable_core::exact::{Rational, Rounding, percent, ratio, whole};
use deniable_core::promise::Promise;
use deniable_ledger::Account;
use deniable_publication::Guarantee;
use deniable_publication::guarantee::examples;
use maud::{Markup, html};
use num_traits::{One, ToPrimitive, Zero};

/// Beyond this an odds ratio is drawn as this: nothing is left to see.
const MOST_ODDS: f64 = 1e12;

/// What a page knows of a promise.
pub struct Promised<'a> {
    /// The account that it is made for.
    pub account: &'a Account,
    /// The guarantee in words, where it was remembered.
    pub guarantee: Option<&'a Guarantee>,
}

impl Promised<'_> {
    /// The largest odds ratio, rounded up.
    pub fn odds(&self) -> Rational {
        self.account.terms.limit.odds_at_most()
    }

    fn priors(&self) -> PriorRange {
        PriorRange::of_family(&self.account.terms.adversary).unwrap_or_else(PriorRange::any)
    }

    fn promises(&self) -> Vec<Promise> {
        self.account.terms.promise.split("; ").filter_map(|stated| stated.parse().ok()).collect()
    }

    /// The belief before that serves as the page's example: the likeliest that the promise is about, one half at most.
    fn example(&self) -> Rational {
        let all = examples(&self.priors());
        let half = ratio(1, 2);
        all.iter().filter(|prior| **prior <= half).max().or(all.first()).cloned().unwrap_or(half)
    }
}

/// A share as a number for a picture.
fn drawn(share: &Rational) -> f64 {
    share.to_f64().unwrap_or(0.0)
}

/// The guarantee in one sentence with natural frequencies, exact and rounded outward.
pub fn in_frequencies(promised: &Promised<'_>) -> (String, People) {
    let before = promised.example();
    let (low, high) = posterior_range(&before, &promised.odds());
    // Rare things need more people to be whole ones.
    let of: u32 = if before < ratio(1, 20) { 1000 } else { 100 };
    let count = |share: &Rational, up: bool| {
        let people = share * whole(of);
        let people = if up { people.ceil() } else { people.floor() };
        people.to_integer().to_u32().unwrap_or(of)
    };
    let people = People {
        before: (&before * whole(of)).round().to_integer().to_u32().unwrap_or(0),
        at_most: count(&high, true),
        at_least: count(&low, false),
        of,
    };
    let sentence = format!(
        "Take {of} people like you, of each of whom an observer thinks it {} likely that they are in the data: {} of the {of}. \
         Whatever is released, the observer can become at most as sure as if {} of the {of} were in it, and at least as sure \
         as if {} were.",
        percent(&before, 2, Rounding::Nearest),
        people.before,
        people.at_most,
        people.at_least
    );
    (sentence, people)
}

/// The promise in a box, for the top of the page.
pub fn promise(promised: &Promised<'_>) -> Markup {
    let stated = [promised.account.terms.promise.clone()];
    let promises: &[String] = promised.guarantee.map_or(&stated, |guarantee| &guarantee.promises);
    html! {
        div.promise {
            p { "What is promised, about everything released here, now and later, together" }
            (list(promises))
            p { (in_frequencies(promised).0) }
        }
    }
}

/// The pictures of beliefs, and who is outside.
pub fn section(promised: &Promised<'_>) -> Markup {
    let account = promised.account;
    let (odds, priors) = (promised.odds(), promised.priors());
    let observers = observers(account.id.adjacency, &priors, &odds);
    let (sentence, frequencies) = in_frequencies(promised);
    let spent = account.spent.odds_at_most();
    html! {
        div.pair {
            div {
                h3 { "In people" }
                (figure(people(&frequencies), &sentence))
            }
            div {
                h3 { "In beliefs" }
                (figure(curve(&beliefs(promised, &observers)), "Band: what any belief can become. Dashed: what the promise \
                    itself allows. Shaded: the beliefs beforehand that the promise is about."))
            }
        }
        h3 { "Observer by observer" }
        div.pair { @for observer in &observers { (one(observer, promised)) } }
        div.scroll tabindex="0" role="region" aria-label="Table: observers" {
            table {
                caption { "What a belief can become: by what is released so far, and whatever will be" }
                thead { tr {
                    th scope="col" { "observer" } th.number scope="col" { "before" }
                    th.number scope="col" { "so far" } th.number scope="col" { "in all" }
                    th scope="col" { "promise" }
                } }
                tbody { @for observer in &observers { tr {
                    th scope="row" { (observer.name) }
                    td.number { (percent(&observer.before, 1, Rounding::Nearest)) }
                    td.number { (so_far(observer, account.id.adjacency, &spent)) }
                    td.number { (range(observer.after.as_ref())) }
                    td { @if observer.covered { "covered" } @else { span.outside { "outside" } } }
                } } }
            }
        }
        (words(promised))
    }
}

/// What it rests on, and who is outside, as they were said with the latest answer.
fn words(promised: &Promised<'_>) -> Markup {
    let Some(guarantee) = promised.guarantee else {
        return html! { p.muted { "The assumptions in words were not kept in this ledger; a report on the policy has them." } };
    };
    html! {
        div.pair {
            div { h3 { "Against" } (list(&guarantee.adversary)) h3 { "Provided that" } (list(&guarantee.assumptions)) }
            div { h3 { "Outside this are" } (list(&guarantee.outside)) }
        }
    }
}

fn so_far(observer: &Observer, adjacency: Adjacency, spent: &Rational) -> String {
    // The square where the observer knows the size beyond the family, as in `observers`.
    let squared = observer.name == "insider" && adjacency == Adjacency::AddRemove;
    let odds = if squared { spent * spent } else { spent.clone() };
    range(observer.after.as_ref().map(|_| posterior_range(&observer.before, &odds)).as_ref())
}

fn range(after: Option<&(Rational, Rational)>) -> String {
    after.map_or_else(
        || "nothing is promised".to_owned(),
        |(low, high)| format!("{} to {}", percent(low, 1, Rounding::Down), percent(high, 1, Rounding::Up)),
    )
}

fn one(observer: &Observer, promised: &Promised<'_>) -> Markup {
    let Some((low, high)) = &observer.after else { return html! {} };
    let allowed = observer.covered.then(|| allowed(promised, &observer.before)).flatten();
    let (floor, ceiling) = allowed.map_or((None, None), |(floor, ceiling)| {
        ((!floor.is_zero()).then(|| drawn(&floor)), (!ceiling.is_one()).then(|| drawn(&ceiling)))
    });
    let name =
        if observer.covered { observer.name.clone() } else { format!("{} (outside the promise)", observer.name) };
    // The picture writes them to a tenth of a percent; they are rounded outward beforehand.
    let tenths = |share: &Rational, up: bool| {
        let tenths = share * whole(1000);
        drawn(&(if up { tenths.ceil() } else { tenths.floor() } / whole(1000)))
    };
    let (low, high) = (tenths(low, false), tenths(high, true));
    let gauge_of = Gauge { name, before: drawn(&observer.before), low, high, ceiling, floor };
    html! { (figure(gauge(&gauge_of), &observer.who)) }
}

/// The tightest floor and ceiling that the promises allow at a belief; `None` where none speaks of it.
fn allowed(promised: &Promised<'_>, before: &Rational) -> Option<(Rational, Rational)> {
    let all: Vec<(Rational, Rational)> =
        promised.promises().iter().filter_map(|promise| promise.allows(before)).collect();
    let floor = all.iter().map(|(floor, _)| floor).max()?;
    let ceiling = all.iter().map(|(_, ceiling)| ceiling).min()?;
    Some((floor.clone(), ceiling.clone()))
}

fn beliefs(promised: &Promised<'_>, observers: &[Observer]) -> Beliefs {
    /// Points of the promise's lines.
    const STEPS: i64 = 40;
    let priors = promised.priors();
    let (from, to) = (priors.low(), priors.high());
    let inside = (0..=STEPS).map(|step| from + (to - from) * ratio(step, STEPS));
    let allowed: Vec<(Rational, (Rational, Rational))> = inside
        .filter(|before| !before.is_zero() && !before.is_one())
        .filter_map(|before| allowed(promised, &before).map(|range| (before, range)))
        .collect();
    let line = |of: &dyn Fn(&(Rational, Rational)) -> Option<Rational>| -> Vec<(f64, f64)> {
        allowed.iter().filter_map(|(before, range)| Some((drawn(before), drawn(&of(range)?)))).collect()
    };
    let marked = observers.iter().filter(|observer| observer.after.is_some() && observer.name != "insider");
    Beliefs {
        odds: promised.odds().to_f64().unwrap_or(MOST_ODDS).min(MOST_ODDS),
        priors: (drawn(from), drawn(to)),
        promised: line(&|(_, ceiling)| (!ceiling.is_one()).then(|| ceiling.clone())),
        floor: line(&|(floor, _)| (!floor.is_zero()).then(|| floor.clone())),
        marks: marked.map(|observer| Mark { name: observer.name.clone(), before: drawn(&observer.before) }).collect(),
    }
}
