//! The order of steps, observed through a kind of release with a single number: each step is on disk before the next,
//! refusals come before the first charge, and no release is paid twice.

mod redteam;
mod toy;

use crate::Kind;
use crate::{Origin, ProtocolError, release, stored};
use deniable_core::exact::ratio;
use deniable_core::secret::Secret;
use deniable_ledger::{AccountId, ChargeOutcome, ChargeRequest, Form, Ledger, Part, Sharing, show};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use toy::{Ends, Rejection, Toy, Wish, guarantee};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("l")
    }

    fn ledger(&self) -> Ledger {
        Ledger::open_or_create(&self.path(), "people").unwrap()
    }

    /// The names of charges, and whether each is answered, by account.
    fn on_disk(&self) -> Vec<Vec<(String, bool)>> {
        let accounts = show(&self.path()).unwrap().accounts.into_iter();
        let releases = |account: deniable_ledger::Account| {
            account.releases.into_iter().map(|one| (one.query.name, one.answer.is_some())).collect()
        };
        accounts.map(releases).collect()
    }

    fn run(&self, toy: &mut Toy) -> Result<Run, Rejection> {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let released = release(toy, &mut self.ledger(), &mut rng, &|_| {})?;
        let answers = released.answers;
        Ok(Run { answers, exhausted: released.exhausted.into_iter().map(|(at, ())| at).collect() })
    }
}

#[derive(Debug, PartialEq)]
struct Run {
    answers: Vec<(usize, i64, Origin)>,
    exhausted: Vec<usize>,
}

fn answered(names: &[&str]) -> Vec<(String, bool)> {
    names.iter().map(|name| ((*name).to_owned(), true)).collect()
}

#[test]
fn each_step_is_on_disk_before_the_next() {
    let place = Place::new();
    let mut toy = Toy::of(&[("a", Wish::Number(1)), ("b", Wish::Number(2))]).seen_at(place.path());
    let run = place.run(&mut toy).unwrap();
    assert_eq!(run.answers, [(0, 1, Origin::Charged), (1, 2, Origin::Charged)]);
    // Charges and answers on disk at each step.
    assert_eq!(
        toy.seen(),
        ["ready 0/0", "compute a 1/0", "finish a 1/0", "show a 1/1", "compute b 2/1", "finish b 2/1", "show b 2/2"]
            .map(str::to_owned)
    );
}

#[test]
fn an_answer_is_free_once_it_is_stored_and_needs_nothing_read() {
    let place = Place::new();
    let wishes = [("a", Wish::Number(1))];
    place.run(&mut Toy::of(&wishes)).unwrap();
    let before = place.ledger().head().clone();
    let mut again = Toy::of(&wishes).refusing_to_read();
    assert_eq!(place.run(&mut again).unwrap().answers, [(0, 1, Origin::Stored)]);
    assert_eq!(stored(&again, &place.ledger().summary()).unwrap(), [Some(1)]);
    assert_eq!(*place.ledger().head(), before);
    // With a second release the data are read, for that one alone.
    let mut more = Toy::of(&[("a", Wish::Number(9)), ("b", Wish::Number(2))]);
    assert_eq!(place.run(&mut more).unwrap().answers, [(0, 1, Origin::Stored), (1, 2, Origin::Charged)]);
    assert_eq!(more.pending(), [1]);
}

#[test]
fn refusals_come_before_the_first_charge() {
    let place = Place::new();
    let wishes = [("a", Wish::Number(1)), ("b", Wish::Number(2))];
    assert_eq!(place.run(&mut Toy::of(&wishes).refusing_to_read()), Err(Rejection::Reading));
    assert_eq!(place.run(&mut Toy::of(&wishes).not_admitted()), Err(Rejection::Admission));
    assert!(show(&place.path()).unwrap().accounts.is_empty(), "not even an account is opened");
}

/// Each of the three releases fits alone.
#[test]
fn releases_that_do_not_fit_together_are_not_begun() {
    let place = Place::new();
    let three = [("a", Wish::Number(1)), ("b", Wish::Number(2)), ("c", Wish::Number(3))];
    let refused = place.run(&mut Toy::of(&three).sharing(2));
    assert!(
        matches!(refused, Err(Rejection::Ledger(ref text)) if text.contains("cost an odds ratio of 3^(3/2) (at most 5.1962) together")),
        "{refused:?}"
    );
    assert!(place.on_disk().is_empty());
    // The same release twice is paid once.
    let twice = [("a", Wish::Number(1)), ("a", Wish::Number(1)), ("b", Wish::Number(2))];
    let run = place.run(&mut Toy::of(&twice).sharing(2)).unwrap();
    assert_eq!(run.answers, [(0, 1, Origin::Charged), (1, 1, Origin::Stored), (2, 2, Origin::Charged)]);
    assert_eq!(place.on_disk(), [answered(&["a", "b"])]);
}

#[test]
fn an_exhausted_machine_does_not_prevent_other_answers() {
    let place = Place::new();
    let run = place.run(&mut Toy::of(&[("a", Wish::Exhausting), ("b", Wish::Number(2))])).unwrap();
    assert_eq!((run.answers, run.exhausted), (vec![(1, 2, Origin::Charged)], vec![0]));
    assert_eq!(place.on_disk(), [vec![("a".to_owned(), false), ("b".to_owned(), true)]]);
    // It was paid, and resumes at no cost once there is memory.
    let run = place.run(&mut Toy::of(&[("a", Wish::Number(1)), ("b", Wish::Number(2))])).unwrap();
    assert_eq!(run.answers, [(0, 1, Origin::Resumed), (1, 2, Origin::Stored)]);
    assert_eq!(place.on_disk(), [answered(&["a", "b"])]);
}

#[test]
fn dependent_releases_wait_for_their_answer() {
    let place = Place::new();
    let run = place.run(&mut Toy::of(&[("a", Wish::Exhausting), ("b", Wish::AfterFirst)])).unwrap();
    assert_eq!((run.answers, run.exhausted), (vec![], vec![0]), "the answer that it depends on is missing");
    let run = place.run(&mut Toy::of(&[("a", Wish::Number(5)), ("b", Wish::AfterFirst)])).unwrap();
    assert_eq!(run.answers, [(0, 5, Origin::Resumed), (1, 6, Origin::Charged)]);
    assert_eq!(place.on_disk(), [answered(&["a", "b after 5"])]);
}

#[test]
fn every_account_pays_and_keeps_its_own_record() {
    let place = Place::new();
    let both = [Secret::Membership, Secret::Label];
    let wishes = [("a", Wish::Number(1))];
    place.run(&mut Toy::of(&wishes).paid_by(&both)).unwrap();
    assert_eq!(place.on_disk(), [answered(&["a"]), answered(&["a"])]);
    let accounts = place.ledger().summary().accounts;
    let kept = accounts.iter().map(|account| account.releases[0].answer.as_ref().unwrap().read().unwrap());
    assert_eq!(kept.collect::<Vec<_>>(), [serde_json::json!([]), serde_json::json!(["for payer 1"])]);
}

/// A run that was killed between its two charges.
#[test]
fn an_account_that_has_not_paid_yet_pays() {
    let place = Place::new();
    let wishes = [("a", Wish::Number(1))];
    place.run(&mut Toy::of(&wishes)).unwrap();
    let both = [Secret::Membership, Secret::Label];
    let run = place.run(&mut Toy::of(&[("a", Wish::Number(7))]).paid_by(&both)).unwrap();
    assert_eq!(run.answers, [(0, 1, Origin::Charged)], "the answer stays what it was");
    assert_eq!(place.on_disk(), [answered(&["a"]), answered(&["a"])]);
}

#[test]
fn the_first_stored_answer_is_shown() {
    let place = Place::new();
    let mut toy = Toy::of(&[("a", Wish::Number(1))]).overtaken_at(place.path());
    assert_eq!(place.run(&mut toy).unwrap().answers, [(0, 1000, Origin::Charged)]);
}

/// A record that cannot be read, and one whose numbers were never drawn.
#[test]
fn a_stored_answer_of_another_shape_is_not_shown() {
    for (record, has_numbers) in [(serde_json::json!("no list"), true), (serde_json::json!([]), false)] {
        refused_with(&record, has_numbers);
    }
}

fn refused_with(record: &serde_json::Value, has_numbers: bool) {
    let place = Place::new();
    let (mut ledger, guarantee) = (place.ledger(), guarantee(Secret::Membership));
    ledger.open_account(&guarantee).unwrap();
    let toy = Toy::of(&[("a", Wish::Number(1))]);
    let request = ChargeRequest {
        account: AccountId::of(&guarantee),
        policy: "toy".into(),
        policy_limit: guarantee.limit().clone(),
        version_limit: None,
        query: toy.query("a"),
        cost: toy.cost(),
        part: Part::Whole,
        basis: "basis".into(),
    };
    let ChargeOutcome::New { seq } = ledger.charge(&request).unwrap() else { panic!("it is new") };
    if has_numbers {
        ledger.draw(seq, &Toy::FORM, 1, || Ok::<_, ()>(vec![1])).unwrap().unwrap();
    }
    ledger.store_answer(seq, &Toy::FORM, record).unwrap();
    let mut toy = toy;
    let refused = place.run(&mut toy);
    let reason = if has_numbers { "expected a sequence" } else { "its numbers are missing" };
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains(reason)), "{refused:?}");
}

/// Whatever its content: a later version may give another meaning to the same record. It is not computed anew either.
#[test]
fn a_stored_answer_of_another_form_is_refused_by_name() {
    for form in [Form::new("toy", 2), Form::new("sql", 1)] {
        let place = Place::new();
        let wishes = [("a", Wish::Number(1))];
        place.run(&mut Toy::of(&[("a", Wish::Exhausting)])).unwrap();
        let charge = place.ledger().summary().accounts[0].releases[0].seq;
        place.ledger().store_answer(charge, &form, &serde_json::json!([1])).unwrap();
        let refused = place.run(&mut Toy::of(&wishes));
        let words = format!("it has the form {form}, and this version knows toy/1");
        assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains(&words)), "{refused:?}");
    }
    // The same if another process stores it after the ledger was read.
    let place = Place::new();
    let mut toy = Toy::of(&[("a", Wish::Number(1))]).overtaken_by(Form::new("toy", 2), place.path());
    let refused = place.run(&mut toy);
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("the form toy/2")), "{refused:?}");
}

/// Parts of a budget: no decision depends on another part's queries, and yet a query has one answer.
#[test]
fn queries_that_another_part_paid_for_are_charged_like_new_ones() {
    let place = Place::new();
    let (mut ledger, guarantee) = (place.ledger(), guarantee(Secret::Membership));
    ledger.open_account(&guarantee).unwrap();
    for name in ["ana", "bo"] {
        ledger.set_aside(&AccountId::of(&guarantee), name, &ratio(1, 2), Sharing::Reserved, None).unwrap();
    }
    let run = place.run(&mut Toy::of(&[("a", Wish::Number(1))]).asked_by("ana")).unwrap();
    assert_eq!(run.answers, [(0, 1, Origin::Charged)]);
    // It is computed, and the existing answer is returned.
    let mut bo = Toy::of(&[("a", Wish::Number(2))]).asked_by("bo").seen_at(place.path());
    assert_eq!(place.run(&mut bo).unwrap().answers, [(0, 1, Origin::Charged)]);
    assert_eq!((bo.pending(), bo.seen()[1].as_str()), ([0].as_slice(), "compute a 2/1"));
    let stored =
        |at: usize| show(&place.path()).unwrap().accounts[0].releases[at].answer.as_ref().unwrap().read().unwrap();
    assert_eq!((stored(0), stored(1)), (serde_json::json!([]), serde_json::json!(["for payer 0"])));
    assert!(bo.draws().is_empty(), "one draw serves both");
    // If the other part has no answer because the machine was exhausted, neither has this one: the charge resumes.
    let run = place.run(&mut Toy::of(&[("b", Wish::Exhausting)]).asked_by("ana")).unwrap();
    assert_eq!(run.exhausted, [0]);
    let run = place.run(&mut Toy::of(&[("b", Wish::Exhausting)]).asked_by("bo")).unwrap();
    assert_eq!(run.exhausted, [0]);
    let charges = place.on_disk();
    let refused = place.run(&mut Toy::of(&[("c", Wish::Number(1))]).asked_by("bo").refusing_to_read());
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("set aside for you")), "{refused:?}");
    let refused = place.run(&mut Toy::of(&[("c", Wish::Number(1))]).asked_by("absent").refusing_to_read());
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("set aside for you")), "{refused:?}");
    let refused = place.run(&mut Toy::of(&[("c", Wish::Number(1))]).refusing_to_read());
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("the unreserved part of")), "{refused:?}");
    assert_eq!(place.on_disk(), charges);
}

/// The releases of a run count together for the version that they read, in every account that pays.
#[test]
fn a_version_whose_part_is_used_is_refused_before_any_charge() {
    let toy = |wishes: &[(&str, Wish)]| Toy::of(wishes).sharing(8).per_version(ratio(1, 4));
    let place = Place::new();
    let three = [("a", Wish::Number(1)), ("b", Wish::Number(2)), ("c", Wish::Number(3))];
    let refused = place.run(&mut toy(&three).refusing_to_read());
    let Err(Rejection::Ledger(text)) = &refused else { panic!("{refused:?}") };
    assert!(text.contains("of what version \"1\" of `") && text.contains("(per_version = 1/4) is left"), "{text}");
    assert_eq!(place.on_disk(), Vec::<Vec<(String, bool)>>::new());
    place.run(&mut toy(&three[..2])).unwrap();
    // Stored answers stay free; another query is refused, and one without the limit is not.
    place.run(&mut toy(&three[..2])).unwrap();
    for payers in [&[Secret::Membership][..], &[Secret::Label, Secret::Membership]] {
        let refused = place.run(&mut toy(&three[2..]).paid_by(payers).refusing_to_read());
        let is_it = |text: &str| text.contains("what version \"1\" of `") && text.contains("is used up");
        assert!(matches!(&refused, Err(Rejection::Ledger(text)) if is_it(text)), "{refused:?}");
    }
    place.run(&mut Toy::of(&three[2..])).unwrap();
}

/// Another promise is in force: no query is computed, no data is read.
#[test]
fn an_account_that_disagrees_comes_first() {
    let place = Place::new();
    place.run(&mut Toy::of(&[("a", Wish::Number(1))])).unwrap();
    let mut other = Toy::of(&[("a", Wish::Number(1))]).promising_nine().refusing_to_read();
    let refused = place.run(&mut other);
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("another promise")), "{refused:?}");
}

#[test]
fn errors_state_the_remaining_budget() {
    let three = deniable_core::budget::Spend::odds(deniable_core::exact::whole(3)).unwrap();
    let error = |spent: &deniable_core::budget::Spend| {
        let (cost, spent, limit) = (three.clone(), spent.clone(), three.clone());
        let (fits, beyond_spend) = (None, None);
        ProtocolError::OverBudget { cost, spent, limit, which: "the promise".into(), fits, beyond_spend }.to_string()
    };
    let half = three.share(&deniable_core::exact::ratio(1, 2)).unwrap();
    assert!(error(&half).ends_with("only 3^(1/2) (at most 1.7321) of the promise is left"), "{}", error(&half));
    assert!(error(&three).ends_with("the promise is used up (an odds ratio of 3)"));
}

/// P-1. A run that ends while noise is drawn leaves a dead charge: nothing is drawn for it again, and the query is
/// charged anew.
#[test]
fn a_draw_that_broke_off_is_paid_for_again() {
    let place = Place::new();
    let wishes = [("a", Wish::Number(1))];
    let mut broken = Toy::of(&wishes).ending(Ends::WhileDrawing);
    assert_eq!(place.run(&mut broken).unwrap().exhausted, [0]);
    assert_eq!(broken.draws(), ["a"]);
    let mut again = Toy::of(&wishes);
    assert_eq!(place.run(&mut again).unwrap().answers, [(0, 1, Origin::Charged)]);
    assert_eq!(place.on_disk(), [vec![("a".to_owned(), false), ("a".to_owned(), true)]]);
    assert_eq!(place.ledger().summary().accounts[0].spent, again.cost().and(&again.cost()));
    // When the rest of the budget does not pay for it again, the run is refused before any computation.
    let place = Place::new();
    place.run(&mut Toy::of(&wishes).sharing(1).ending(Ends::WhileDrawing)).unwrap();
    let refused = place.run(&mut Toy::of(&wishes).sharing(1).refusing_to_read());
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("is used up")), "{refused:?}");
}

/// P-1. A run that ends after the draw: the answer is computed from the stored numbers, at no cost and without a draw.
#[test]
fn drawn_numbers_are_shown_at_no_cost() {
    let place = Place::new();
    let wishes = [("a", Wish::Number(1))];
    let refused = place.run(&mut Toy::of(&wishes).ending(Ends::AfterDraw));
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("the machine is gone")), "{refused:?}");
    // The stored number is shown, not one computed now, and the data may be missing.
    let mut again = Toy::of(&[("a", Wish::Number(2))]).refusing_to_read();
    assert_eq!(place.run(&mut again).unwrap().answers, [(0, 1, Origin::Resumed)]);
    assert!(again.draws().is_empty());
    assert_eq!(place.on_disk(), [answered(&["a"])]);
}

/// P-1. An open charge resumes only on the same basis and at the same price.
#[test]
fn a_charge_resumes_on_its_own_basis() {
    let wishes = [("a", Wish::Number(1))];
    let exhausted = || {
        let place = Place::new();
        place.run(&mut Toy::of(&[("a", Wish::Exhausting)])).unwrap();
        place
    };
    let place = exhausted();
    assert_eq!(place.run(&mut Toy::of(&wishes)).unwrap().answers, [(0, 1, Origin::Resumed)]);
    for mut other in [Toy::of(&wishes).on_basis("other rows"), Toy::of(&wishes).sharing(5), Toy::of(&wishes).sharing(3)]
    {
        let place = exhausted();
        assert_eq!(place.run(&mut other).unwrap().answers, [(0, 1, Origin::Charged)]);
        let accounts = place.ledger().summary().accounts;
        assert_eq!(accounts[0].spent, Toy::of(&wishes).cost().and(&other.cost()));
        assert_eq!(place.on_disk(), [vec![("a".to_owned(), false), ("a".to_owned(), true)]]);
    }
}

/// Queries whose open charges do not pay for them, since the data changed, are counted before the first charge.
#[test]
fn charges_on_another_basis_pay_for_nothing() {
    let place = Place::new();
    let [one, two] = [("a", Wish::Exhausting), ("b", Wish::Exhausting)];
    place.run(&mut Toy::of(&[one, two]).sharing(3)).unwrap();
    let (asked, before) = ([("a", Wish::Number(1)), ("b", Wish::Number(2))], place.ledger().head().clone());
    let refused = place.run(&mut Toy::of(&asked).sharing(3).on_basis("other rows"));
    assert!(matches!(&refused, Err(Rejection::Ledger(text)) if text.contains("odds ratio")), "{refused:?}");
    assert_eq!(*place.ledger().head(), before, "nothing was charged");
    let resumed = [(0, 1, Origin::Resumed), (1, 2, Origin::Resumed)];
    assert_eq!(place.run(&mut Toy::of(&asked).sharing(3)).unwrap().answers, resumed);
}

/// An account that another process opens between the price and the charge.
#[test]
fn payers_are_settled_with_the_charge() {
    let place = Place::new();
    let refused = place.run(&mut Toy::of(&[("a", Wish::Number(1))]).disagreeing());
    assert_eq!(refused, Err(Rejection::Accounts));
    assert!(show(&place.path()).unwrap().accounts.is_empty(), "not even an account is opened");
}

/// P-1. Membership and labels, or two parts: one draw for both, however the runs end.
#[test]
fn one_draw_serves_every_account_and_part() {
    let both = [Secret::Membership, Secret::Label];
    let wishes = [("a", Wish::Number(1))];
    let place = Place::new();
    let mut toy = Toy::of(&wishes).paid_by(&both).ending(Ends::AfterDraw);
    assert!(place.run(&mut toy).is_err());
    assert_eq!(toy.draws(), ["a"]);
    for payers in [&both[..1], &both[..]] {
        let mut later = Toy::of(&[("a", Wish::Number(2))]).paid_by(payers);
        assert_eq!(place.run(&mut later).unwrap().answers[0].1, 1);
        assert!(later.draws().is_empty());
    }
    // A draw begun for one account and not completed was begun for the other, too.
    let place = Place::new();
    let mut broken = Toy::of(&wishes).paid_by(&both).ending(Ends::WhileDrawing);
    assert_eq!(place.run(&mut broken).unwrap().exhausted, [0]);
    let mut again = Toy::of(&wishes).paid_by(&both[..1]);
    assert_eq!(place.run(&mut again).unwrap().answers, [(0, 1, Origin::Charged)]);
    let names = |at: usize| place.on_disk()[at].iter().map(|(_, is_answered)| *is_answered).collect::<Vec<_>>();
    assert_eq!((names(0), names(1)), (vec![false, true], vec![false]));
}
