//! Two analysts who choose each query by their earlier answers: all pairs of strategies in all orders, played against
//! the ledger's own rules, and the exact odds ratios that each of them, and both together, learn (C-7, C-8).
//!
//! The promise is an odds ratio of 8. Whether one person is in the data is a bit; each query is about that bit, costs
//! an odds ratio of 2, and is answered truly with probability 2/3. One answer is public.

use super::{account, request, terms_of};
use crate::entry::{Charged, Event, FORMAT, Genesis, GuaranteeStated, PartSetAside};
use crate::state::State;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_ledger::{Part, Sharing};
use num_traits::{One, Zero};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// The move of an analyst at one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Move {
    Nothing,
    Ask(u8),
}

const MOVES: [Move; 3] = [Move::Nothing, Move::Ask(1), Move::Ask(2)];
/// The query whose answer is public.
const PUBLIC: u8 = 0;

/// An analyst's view of one turn: everything that the ledger shows this analyst, and the answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct AnalystView {
    asked: Move,
    answer: Option<bool>,
    left: String,
}

/// A second move for each outcome of the first: nothing, the answers 0 and 1, a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Strategy {
    first: Move,
    then: [Move; 4],
}

impl Strategy {
    /// All strategies, each once: outcomes that cannot occur get no moves of their own.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for first in MOVES {
            for a in MOVES {
                if first == Move::Nothing {
                    all.push(Self { first, then: [a; 4] });
                    continue;
                }
                for b in MOVES {
                    all.extend(MOVES.map(|c| Self { first, then: [Move::Nothing, a, b, c] }));
                }
            }
        }
        all
    }

    fn next(&self, view: &[AnalystView]) -> Move {
        match view.first() {
            None => self.first,
            Some(AnalystView { asked: Move::Nothing, .. }) => self.then[0],
            Some(AnalystView { answer: Some(false), .. }) => self.then[1],
            Some(AnalystView { answer: Some(true), .. }) => self.then[2],
            Some(AnalystView { answer: None, .. }) => self.then[3],
        }
    }
}

/// The analysts of the four turns.
const ORDERS: [[usize; 4]; 6] = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0]];
const NAMES: [&str; 2] = ["ana", "bo"];

/// The analyst and query of each charge, in order; `None` is a public query.
type Charges = Vec<(Option<usize>, u8)>;
/// The probabilities of a view if the person is in the data, and if not.
type Chances = (Rational, Rational);
/// The views of one analyst, with the public answer.
type OfOne = BTreeMap<(bool, Vec<AnalystView>), Chances>;
/// Per state of the charges: whether the ledger admits a further query, and the remaining budget that the analyst sees.
type AskOutcomes = BTreeMap<(Charges, usize, Option<u8>), (bool, String)>;
/// The outcome of a game: the views of each analyst, and of both together with the public answer.
#[derive(Default)]
struct Views {
    of: [OfOne; 2],
    both: BTreeMap<(bool, Vec<AnalystView>, Vec<AnalystView>), Chances>,
}

struct Rules {
    parts: [(Rational, Sharing); 2],
    /// Cached outcomes: whether the last of these charges is admitted, and the budget that its analyst then sees.
    known: RefCell<AskOutcomes>,
}

impl Rules {
    fn new(parts: [(Rational, Sharing); 2]) -> Self {
        Self { parts, known: RefCell::default() }
    }

    fn part(who: Option<usize>) -> Part {
        who.map_or(Part::Whole, |who| Part::Named(NAMES[who].into()))
    }

    /// The ledger's own fold after these charges, all of which it must accept.
    fn state(&self, charges: &Charges) -> State {
        let mut state = State::before_any(Path::new("l"));
        let genesis = Genesis {
            population: "patients".into(),
            key_check: "k".into(),
            format: FORMAT,
            other_than: vec![],
            rehearsal: false,
        };
        let stated = GuaranteeStated { guarantee: terms_of(8) };
        let mut events = vec![Event::Genesis(genesis), Event::GuaranteeStated(stated.into())];
        for (name, (share, sharing)) in NAMES.iter().zip(&self.parts) {
            let (part, share) = ((*name).to_owned(), share.clone().into());
            events.push(Event::PartSetAside(PartSetAside {
                account: account(),
                part,
                share,
                sharing: *sharing,
                answers: 1,
            }));
        }
        events.extend(charges.iter().map(|(who, question)| Event::Charged(Self::charge(*who, *question))));
        for (at, event) in events.into_iter().enumerate() {
            state.check(&event).unwrap();
            state.record(at as u64 + 1, jiff::Timestamp::UNIX_EPOCH, event);
        }
        state
    }

    fn charge(who: Option<usize>, question: u8) -> Charged {
        let request = request(&question.to_string(), (1, 1));
        let cost = Spend::odds(whole(2)).unwrap();
        let basis = "basis".into();
        Charged { account: account(), policy: "p".into(), query: request.query, cost, part: Self::part(who), basis }
    }

    /// Whether an analyst may be charged for a query, or was charged for it already; and the remaining budget that this
    /// analyst sees before.
    fn let_ask(&self, charges: &Charges, who: usize, question: Option<u8>) -> (bool, String) {
        let key = (charges.clone(), who, question);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let state = self.state(charges);
        let seen = state.account(&account()).unwrap().seen_by(&Self::part(Some(who)));
        let is_let = question.is_some_and(|question| {
            seen.release(&question.to_string()).is_some()
                || state.check(&Event::Charged(Self::charge(Some(who), question))).is_ok()
        });
        let found = (is_let, format!("{:?} {:?}", seen.allowances(), seen.parts()));
        self.known.borrow_mut().insert(key, found.clone());
        found
    }

    fn play(&self, strategies: [&Strategy; 2], order: &[usize; 4]) -> Views {
        let mut views = Views::default();
        for public in [false, true] {
            let table = Table {
                charges: vec![(None, PUBLIC)],
                answers: BTreeMap::from([(PUBLIC, public)]),
                seen: [Vec::new(), Vec::new()],
                chances: chances(public),
            };
            self.turn(table, strategies, order, &mut views);
        }
        views
    }

    fn turn(&self, mut table: Table, strategies: [&Strategy; 2], order: &[usize], views: &mut Views) {
        let Some((who, later)) = order.split_first() else {
            table.add_to(views);
            return;
        };
        let asked = strategies[*who].next(&table.seen[*who]);
        let question = match asked {
            Move::Nothing => None,
            Move::Ask(question) => Some(question),
        };
        let (is_let, left) = self.let_ask(&table.charges, *who, question);
        let Some(question) = question.filter(|_| is_let) else {
            table.seen[*who].push(AnalystView { asked, answer: None, left });
            return self.turn(table, strategies, later, views);
        };
        let is_charged = table.charges.contains(&(Some(*who), question));
        if !is_charged {
            table.charges.push((Some(*who), question));
        }
        // A query has one answer for all analysts.
        let possible = table.answers.get(&question).map_or(vec![false, true], |known| vec![*known]);
        for answer in possible {
            let mut next = table.clone();
            if next.answers.insert(question, answer).is_none() {
                let (inside, outside) = chances(answer);
                next.chances = (next.chances.0 * inside, next.chances.1 * outside);
            }
            next.seen[*who].push(AnalystView { asked, answer: Some(answer), left: left.clone() });
            self.turn(next, strategies, later, views);
        }
    }
}

/// The probabilities of one answer: it is true with probability 2/3.
fn chances(answer: bool) -> Chances {
    let of = |is_in: bool| if answer == is_in { ratio(2, 3) } else { ratio(1, 3) };
    (of(true), of(false))
}

#[derive(Clone)]
struct Table {
    charges: Charges,
    answers: BTreeMap<u8, bool>,
    seen: [Vec<AnalystView>; 2],
    chances: Chances,
}

impl Table {
    fn add_to(self, views: &mut Views) {
        let zero = || (Rational::zero(), Rational::zero());
        let add = |known: &mut Chances| {
            known.0 += &self.chances.0;
            known.1 += &self.chances.1;
        };
        let public = self.answers[&PUBLIC];
        let [ana, bo] = self.seen;
        add(views.of[0].entry((public, ana.clone())).or_insert_with(zero));
        add(views.of[1].entry((public, bo.clone())).or_insert_with(zero));
        add(views.both.entry((public, ana, bo)).or_insert_with(zero));
    }
}

/// The largest odds ratio that any view gives.
fn largest<V>(views: &BTreeMap<V, Chances>) -> Rational {
    let odds = views.values().map(|(inside, outside)| (inside / outside).max(outside / inside));
    odds.max().unwrap_or_else(Rational::one)
}

/// The largest ratios over all games, for each analyst and for both together.
struct LargestRatios {
    alone: [Rational; 2],
    both: Rational,
    /// The largest for an analyst without any charge.
    unpaid: Rational,
}

fn every_game(rules: &Rules, mut look: impl FnMut(&Strategy, usize, &OfOne)) -> LargestRatios {
    let one = Rational::one;
    let mut found = LargestRatios { alone: [one(), one()], both: one(), unpaid: one() };
    let all = Strategy::all();
    assert_eq!(all.len(), 57);
    for ana in &all {
        for bo in &all {
            for order in &ORDERS {
                let views = rules.play([ana, bo], order);
                for (who, strategy) in [ana, bo].into_iter().enumerate() {
                    found.alone[who] = largest(&views.of[who]).max(found.alone[who].clone());
                    let is_unpaid = |view: &Vec<AnalystView>| view.iter().all(|seen| seen.answer.is_none());
                    let unpaid = views.of[who].iter().filter(|((_, view), _)| is_unpaid(view));
                    let unpaid = unpaid.map(|(view, chances)| (view, chances.clone())).collect();
                    found.unpaid = largest(&unpaid).max(found.unpaid.clone());
                    look(strategy, who, &views.of[who]);
                }
                found.both = largest(&views.both).max(found.both);
            }
        }
    }
    found
}

/// The odds that each analyst learns are at most those of the analyst's part and the public share, and attain them; no
/// view depends on the other's strategy, or on which analyst is faster.
#[test]
fn reserved_parts_bound_each_and_all() {
    let rules = Rules::new([(ratio(1, 3), Sharing::Reserved), (ratio(1, 3), Sharing::Reserved)]);
    let mut first: BTreeMap<(Strategy, usize), OfOne> = BTreeMap::new();
    let found = every_game(&rules, |strategy, who, views| {
        let known = first.entry((*strategy, who)).or_insert_with(|| views.clone());
        assert_eq!(known, views, "{strategy:?} {}", NAMES[who]);
    });
    assert_eq!(found.alone, [whole(4), whole(4)]);
    assert_eq!(found.both, whole(8));
    assert_eq!(found.unpaid, whole(2), "the public share");
}

/// If parts overlap, the bound holds for all analysts together and for none alone: an analyst without any charge learns
/// the other's answers from refusals.
#[test]
fn overlapping_parts_bound_all_and_not_each() {
    let rules = Rules::new([(ratio(2, 3), Sharing::Overlapping), (ratio(1, 3), Sharing::Overlapping)]);
    let found = every_game(&rules, |_, _, _| {});
    assert_eq!(found.both, whole(8));
    // Bo's part and the public share would allow 4.
    assert_eq!(found.alone[1], whole(8));
    assert_eq!(found.unpaid, whole(4), "more than the public share");
}
