//! A kind of release whose answers are given numbers.

use crate::{Kind, Payment, ProtocolError};
use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::guarantee::{Guarantee, Subject};
use deniable_core::noise::{Decay, TwoSidedGeometric};
use deniable_core::promise::Promise;
use deniable_core::secret::Secret;
use deniable_ledger::{Charge, Form, Key, Ledger, Part, Summary, VersionLimit, VersionName, show};
use rand_core::CryptoRng;
use serde_json::json;
use std::cell::RefCell;
use std::path::PathBuf;

/// The result of computing a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wish {
    Number(i64),
    /// One more than the first answer, on which its identity depends.
    AfterFirst,
    Exhausting,
}

#[derive(Debug, PartialEq)]
pub enum Rejection {
    Reading,
    Admission,
    Accounts,
    Ledger(String),
}

impl From<ProtocolError> for Rejection {
    fn from(error: ProtocolError) -> Self {
        Self::Ledger(error.to_string())
    }
}

pub fn guarantee(secret: Secret) -> Guarantee {
    promising(secret, 3)
}

fn promising(secret: Secret, gain: i64) -> Guarantee {
    let adversary = Adversary::new(true, PriorRange::any(), MovesTogether::Alone).unwrap();
    let people = Subject::new("people", None).unwrap();
    Guarantee::new(people, secret, adversary, None, vec![Promise::Gain(whole(gain))]).unwrap()
}

pub struct Toy {
    wishes: Vec<(String, Wish)>,
    payers: Vec<Secret>,
    part: Part,
    gain: i64,
    /// The denominator of the share of the promise that each release costs.
    parts: i64,
    readable: bool,
    admitted: bool,
    agreeing: bool,
    ledger: Option<PathBuf>,
    overtaken: Option<Form>,
    /// The share of the promise that each version may use.
    per_version: Option<Rational>,
    pending: Vec<usize>,
    seen: RefCell<Vec<String>>,
    basis: String,
    /// Noise of the number, as wide as its cost demands; `None` unless the test is about noise.
    noise: Option<TwoSidedGeometric>,
    ends: Option<Ends>,
    /// The releases whose draw was begun.
    draws: RefCell<Vec<String>>,
}

/// The point at which a run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    WhileDrawing,
    AfterDraw,
    /// While drawing, if the noisy number is above a line: the strongest kill, which depends on the noise.
    WhileDrawingAbove(i128),
    /// After the draw, where the noisy number is above a line: an answer that is too large to store.
    AfterDrawAbove(i128),
}

impl Toy {
    pub fn of(wishes: &[(&str, Wish)]) -> Self {
        Self {
            wishes: wishes.iter().map(|(name, wish)| ((*name).to_owned(), *wish)).collect(),
            payers: vec![Secret::Membership],
            part: Part::Whole,
            gain: 3,
            parts: 4,
            readable: true,
            admitted: true,
            agreeing: true,
            ledger: None,
            overtaken: None,
            per_version: None,
            pending: Vec::new(),
            seen: RefCell::default(),
            basis: "basis".to_owned(),
            noise: None,
            ends: None,
            draws: RefCell::default(),
        }
    }

    /// On another basis: other contents, another program.
    pub fn on_basis(self, basis: &str) -> Self {
        Self { basis: basis.to_owned(), ..self }
    }

    /// With noise that hides one person up to the odds paid.
    pub fn noisy(self, noise: &TwoSidedGeometric) -> Self {
        Self { noise: Some(noise.clone()), ..self }
    }

    /// The noise that a release of this cost must have.
    pub fn noise(&self) -> TwoSidedGeometric {
        TwoSidedGeometric::new(Decay::hiding(&self.cost(), &1.into()).unwrap())
    }

    pub fn ending(self, ends: Ends) -> Self {
        Self { ends: Some(ends), ..self }
    }

    /// The releases whose draw was begun.
    pub fn draws(&self) -> Vec<String> {
        self.draws.borrow().clone()
    }

    pub fn sharing(self, parts: i64) -> Self {
        Self { parts, ..self }
    }

    pub fn paid_by(self, payers: &[Secret]) -> Self {
        Self { payers: payers.to_vec(), ..self }
    }

    /// Asked by the owner of this part.
    pub fn asked_by(self, name: &str) -> Self {
        Self { part: Part::Named(name.to_owned()), ..self }
    }

    /// With a limit for each version.
    pub fn per_version(self, share: Rational) -> Self {
        Self { per_version: Some(share), ..self }
    }

    pub fn promising_nine(self) -> Self {
        Self { gain: 9, ..self }
    }

    /// All reading of data fails.
    pub fn refusing_to_read(self) -> Self {
        Self { readable: false, ..self }
    }

    pub fn not_admitted(self) -> Self {
        Self { admitted: false, ..self }
    }

    /// Accounts that another process opened change the payers.
    pub fn disagreeing(self) -> Self {
        Self { agreeing: false, ..self }
    }

    /// Every step looks at the ledger through another connection.
    pub fn seen_at(self, ledger: PathBuf) -> Self {
        Self { ledger: Some(ledger), ..self }
    }

    /// Another process stores its answer while this one computes.
    pub fn overtaken_at(self, ledger: PathBuf) -> Self {
        self.overtaken_by(Self::FORM, ledger)
    }

    /// As [`Self::overtaken_at`], in a form of its own.
    pub fn overtaken_by(self, form: Form, ledger: PathBuf) -> Self {
        Self { ledger: Some(ledger), overtaken: Some(form), ..self }
    }

    pub fn seen(&self) -> Vec<String> {
        self.seen.borrow().clone()
    }

    pub fn pending(&self) -> &[usize] {
        &self.pending
    }

    pub fn cost(&self) -> Spend {
        guarantee(Secret::Membership).limit().share(&ratio(1, self.parts)).unwrap()
    }

    pub fn query(&self, name: &str) -> Charge {
        let words = || name.to_owned();
        Charge {
            name: words(),
            sql: words(),
            identity: words(),
            canonical: deniable_ledger::Canonical::default(),
            coins: Vec::new(),
            source: "t".into(),
            version: "1".into(),
        }
    }

    fn look(&self, step: &str) {
        let Some(path) = &self.ledger else { return };
        let accounts = show(path).unwrap().accounts;
        let all: Vec<_> = accounts.iter().flat_map(|account| &account.releases).collect();
        let answers = all.iter().filter(|release| release.answer.is_some()).count();
        self.seen.borrow_mut().push(format!("{step} {}/{answers}", all.len()));
    }
}

impl Kind for Toy {
    type Answer = i64;
    type Record = Vec<String>;
    type Rejection = Rejection;
    type MachineError = ();
    type Exact = i64;

    const FORM: Form = Form::new("toy", 1);

    fn asker(&self) -> &'static str {
        "toy"
    }

    fn part(&self) -> Part {
        self.part.clone()
    }

    fn releases(&self) -> usize {
        self.wishes.len()
    }

    fn name(&self, at: usize) -> String {
        self.wishes[at].0.clone()
    }

    fn identity(&self, at: usize, answers: &[Option<i64>]) -> Option<Charge> {
        let (name, wish) = &self.wishes[at];
        match wish {
            Wish::AfterFirst => answers[0].map(|first| self.query(&format!("{name} after {first}"))),
            Wish::Number(_) | Wish::Exhausting => Some(self.query(name)),
        }
    }

    fn price(&self, _: usize) -> Result<Vec<Payment>, Rejection> {
        let payment = |secret: &Secret| {
            let guarantee = promising(*secret, self.gain);
            let own_limit = guarantee.limit().clone();
            let version_limit = self.per_version.clone().map(|share| {
                let Charge { source, version, .. } = self.query("");
                VersionLimit { share, versions: vec![VersionName { source, version }] }
            });
            Payment { guarantee, cost: self.cost(), own_limit, version_limit }
        };
        Ok(self.payers.iter().map(payment).collect())
    }

    fn answer(&self, at: usize, numbers: &[i128], _: Vec<String>) -> Result<i64, String> {
        self.look(&format!("show {}", self.wishes[at].0));
        numbers.first().and_then(|number| i64::try_from(*number).ok()).ok_or_else(|| "it is not a number".to_owned())
    }

    fn admit(&self, _: &Summary) -> Result<(), Rejection> {
        if self.admitted { Ok(()) } else { Err(Rejection::Admission) }
    }

    fn agree(&self, _: &Ledger) -> Result<(), Rejection> {
        if self.agreeing { Ok(()) } else { Err(Rejection::Accounts) }
    }

    fn ready(&mut self, _: &mut Ledger, pending: &[usize]) -> Result<(), Rejection> {
        self.look("ready");
        self.pending = pending.to_vec();
        if pending.is_empty() || self.readable { Ok(()) } else { Err(Rejection::Reading) }
    }

    fn basis(&self, _: usize, _: &Ledger) -> String {
        self.basis.clone()
    }

    fn compute(&mut self, at: usize, answers: &[Option<i64>], _: &Key) -> Result<i64, ()> {
        let (name, wish) = &self.wishes[at];
        self.look(&format!("compute {name}"));
        if let (Some(form), Some(path)) = (&self.overtaken, &self.ledger) {
            let mut other = Ledger::open_or_create(path, "people").unwrap();
            let charge = other.summary().accounts[0].releases[0].seq;
            other.draw(charge, form, 1, || Ok::<_, ()>(vec![1000])).unwrap().unwrap();
            other.store_answer(charge, form, &json!([])).unwrap();
        }
        match wish {
            Wish::Number(number) => Ok(*number),
            Wish::AfterFirst => answers[0].map(|first| first + 1).ok_or(()),
            Wish::Exhausting => Err(()),
        }
    }

    fn numbers(&self, _: usize) -> usize {
        1
    }

    fn draw<R: CryptoRng>(&self, at: usize, exact: i64, rng: &mut R) -> Result<Vec<i128>, ()> {
        self.draws.borrow_mut().push(self.wishes[at].0.clone());
        let number = i128::from(exact) + self.noise.as_ref().map_or(0, |noise| noise.sample(rng));
        match self.ends {
            Some(Ends::WhileDrawing) => Err(()),
            Some(Ends::WhileDrawingAbove(line)) if number > line => Err(()),
            _ => Ok(vec![number]),
        }
    }

    fn finish(&self, at: usize, payer: usize, numbers: &[i128], _: &[Option<i64>]) -> Result<Vec<String>, String> {
        self.look(&format!("finish {}", self.wishes[at].0));
        match self.ends {
            Some(Ends::AfterDraw) => Err("the machine is gone".to_owned()),
            Some(Ends::AfterDrawAbove(line)) if numbers[0] > line => Err("the answer is too large".to_owned()),
            _ if payer == 0 => Ok(Vec::new()),
            _ => Ok(vec![format!("for payer {payer}")]),
        }
    }

    fn for_payer(&self, _: usize, payer: usize, _: &[i128], _: &Vec<String>) -> Result<Vec<String>, String> {
        Ok(vec![format!("for payer {payer}")])
    }
}
