//! A ledger of every format that was ever written is kept in `testdata/ledgers`: each is read, goes on, or is refused by name.

use super::tampering::{rechain, tamper};
use super::{stated, terms_of};
use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
use deniable_core::exact::{ratio, whole};
use deniable_core::guarantee::{Guarantee, Subject};
use deniable_core::promise::Promise;
use deniable_ledger::entry::FORMAT;
use deniable_ledger::{
    AccountError, Charge, ChargeError, ChargeRequest, EngineTried, Fault, Form, Ledger, Part, Secret, Sharing,
    StoreError, Terms, VerifyError, show, verify,
};
use rusqlite::Connection;
use serde_json::json;
use std::path::{Path, PathBuf};

fn kept(format: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/ledgers/format-{format}"))
}

/// A copy of a ledger that is kept, with its key.
fn copy(folder: &Path, format: u32, name: &str) -> PathBuf {
    let to = folder.join(format!("{name}.ledger"));
    for ending in ["ledger", "ledger.key"] {
        let file = format!("{name}.{ending}");
        std::fs::copy(kept(format).join(&file), folder.join(&file)).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(folder.join(&file), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    to
}

/// What the clinic's ledger promised in the end: first 3/4, then 4/5.
fn clinic(ceiling: (i64, i64)) -> Guarantee {
    let of = stated(MovesTogether::Alone, vec![Promise::PosteriorAtMost(ratio(ceiling.0, ceiling.1))]);
    of.of(Subject::new("clinic-patients", Some("patient".into())).unwrap())
}

/// What the cohort's ledger promises about both of its secrets.
fn cohort(secret: Secret) -> Guarantee {
    let priors = PriorRange::new(Some(ratio(1, 5)), Some(ratio(1, 2))).unwrap();
    let adversary = Adversary::new(true, priors, MovesTogether::Alone).unwrap();
    Guarantee::new(Subject::new("cohort", None).unwrap(), secret, adversary, None, vec![Promise::Gain(whole(2))])
        .unwrap()
}

fn format(path: &Path) -> u32 {
    Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn every_format_is_kept() {
    for format in 1..FORMAT {
        let files = std::fs::read_dir(kept(format)).unwrap();
        let ledgers = files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|end| end == "ledger"));
        assert!(ledgers.count() > 0, "no ledger of format {format}");
    }
}

/// A ledger in which no engine was ever tried goes on with the first trial, and is then of the present format.
#[test]
fn a_ledger_without_trials_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 3, "clinic-patients");
    let before = verify(&path, None).unwrap();
    assert_eq!((before.entries, format(&path)), (14, 3));
    let mut ledger = Ledger::open_or_create(&path, "clinic-patients").unwrap();
    assert_eq!((ledger.head(), format(&path)), (&before.head, 3), "nothing was written");
    let tried = |engine: &str, statement: &str, passed| EngineTried {
        engine: engine.into(),
        about: "Spark 4.3.0".into(),
        statement: statement.into(),
        passed,
    };
    for statement in ["one", "two", "one"] {
        ledger.record_trial(tried("this", statement, true)).unwrap();
    }
    assert_eq!((ledger.head().seq, format(&path)), (16, FORMAT), "what was passed is not passed again");
    ledger.record_trial(tried("that", "one", true)).unwrap();
    assert!(ledger.has_passed("this", "two") && !ledger.has_passed("that", "two"));
    // It is found out: nothing that it passed counts any more, and what others passed does.
    ledger.record_trial(tried("this", "two", false)).unwrap();
    assert!(!ledger.has_passed("this", "one") && !ledger.has_passed("this", "two") && ledger.has_passed("that", "one"));
    ledger.record_trial(tried("this", "one", true)).unwrap();
    assert!(ledger.has_passed("this", "one") && !ledger.has_passed("this", "two"));
    drop(ledger);
    let summary = show(&path).unwrap();
    let counts: Vec<_> = summary.engines.iter().map(|engine| (engine.passed, engine.failed)).collect();
    assert_eq!(counts, [(1, 0), (1, 1)]);
    assert_eq!(verify(&path, Some(&before.head.to_string())).unwrap().entries, 19);
}

/// A ledger in which nothing was ever set aside goes on with the first part, and is then of the present format.
#[test]
fn a_ledger_without_parts_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 4, "clinic-patients");
    let before = verify(&path, None).unwrap();
    assert_eq!((before.entries, format(&path)), (18, 4));
    assert_eq!(show(&path).unwrap().engines.len(), 1);
    let mut ledger = Ledger::open_or_create(&path, "clinic-patients").unwrap();
    let (spent, id) = (ledger.summary().accounts[0].spent.clone(), ledger.summary().accounts[0].id.clone());
    // 3^(3/4) and 4^(1/4) of 4 are spent: not a tenth is left.
    let refused = ledger.set_aside(&id, "ana", &ratio(1, 5), Sharing::Reserved).unwrap_err();
    assert!(refused.to_string().contains("left for everybody"), "{refused}");
    assert_eq!((ledger.head(), format(&path)), (&before.head, 4), "nothing was written");
    ledger.set_aside(&id, "ana", &ratio(1, 10), Sharing::Reserved).unwrap();
    assert_eq!((ledger.head().seq, format(&path)), (19, FORMAT));
    let account = ledger.summary().accounts.remove(0);
    assert_eq!(
        (&account.spent, account.seen_by(&Part::Whole).spent),
        (&spent, spent.clone()),
        "it was all for everybody"
    );
    assert_eq!(verify(&path, Some(&before.head.to_string())).unwrap().entries, 19);
}

/// A ledger in which nobody asked to be allowed anything goes on with the first request, and is then of the present format.
#[test]
fn a_ledger_without_requests_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 5, "clinic-patients");
    let before = verify(&path, None).unwrap();
    assert_eq!((before.entries, format(&path)), (26, 5));
    let mut ledger = Ledger::open_or_create(&path, "clinic-patients").unwrap();
    let account = ledger.summary().accounts.remove(0);
    let shares: Vec<_> = account.parts().iter().map(|(name, part)| (name.as_str(), part.share.clone())).collect();
    assert_eq!(shares, [("ana", ratio(1, 20)), ("bo", ratio(1, 20))]);
    let own = account.releases.iter().filter(|release| release.part != Part::Whole).count();
    assert_eq!((own, ledger.head(), format(&path)), (3, &before.head, 5), "nothing was written");
    let last = account.releases.last().unwrap();
    let request = ChargeRequest {
        account: account.id.clone(),
        policy: "clinic".into(),
        policy_limit: account.terms.limit().clone(),
        ask: deniable_ledger::Ask { identity: "three".into(), ..last.ask.clone() },
        cost: last.cost.clone(),
        part: Part::Named("bo".into()),
        basis: "basis".into(),
    };
    let seq = ledger.request_approval(&request).unwrap().seq;
    ledger.decide(seq, true, "eve", "as agreed").unwrap();
    assert_eq!((ledger.head().seq, format(&path)), (28, FORMAT));
    assert_eq!(ledger.summary().accounts[0].spent, account.spent, "nothing is charged by it");
    assert_eq!(verify(&path, Some(&before.head.to_string())).unwrap().entries, 28);
}

#[test]
fn a_ledger_of_words_is_read_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 1, "clinic-patients");
    let before = verify(&path, None).unwrap();
    assert_eq!(before.entries, 14);
    let summary = show(&path).unwrap();
    let account = &summary.accounts[0];
    let Terms::Words(words) = &account.terms else { panic!("{:?}", account.terms) };
    assert_eq!((words.promise.as_str(), words.adversary.as_str()), ("posterior_at_most = 4/5", "F-DI[0,1/2]"));
    assert_eq!((account.releases.len(), account.changes.len()), (5, 1));
    assert!(account.releases.iter().all(|release| release.part == Part::Whole && release.answer.is_some()));
    // To look is not to write.
    assert_eq!((verify(&path, None).unwrap(), format(&path)), (before, 1));
}

#[test]
fn words_are_stated_as_data_once_and_only_by_who_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 1, "clinic-patients");
    let head = verify(&path, None).unwrap().head;
    let mut ledger = Ledger::open_or_create(&path, "clinic-patients").unwrap();
    let weak = terms_of(9).of(clinic((4, 5)).subject().clone());
    for other in [clinic((3, 4)), weak] {
        let refused = ledger.open_account(&other).unwrap_err();
        assert!(matches!(refused, AccountError::TermsDiffer { .. }), "{refused}");
        assert!(refused.to_string().contains("posterior_at_most = 4/5"), "{refused}");
    }
    // A promise is not changed, and nothing is charged, under words alone.
    let refused = ledger.change_promise(&clinic((9, 10)), "why").unwrap_err();
    assert!(matches!(refused, AccountError::InWords(_)), "{refused}");
    let last = ledger.summary().accounts[0].releases[0].clone();
    let request = ChargeRequest {
        account: ledger.summary().accounts[0].id.clone(),
        policy: "another".into(),
        policy_limit: clinic((4, 5)).limit().clone(),
        ask: deniable_ledger::Ask { identity: "another".into(), ..last.ask.clone() },
        cost: last.cost.clone(),
        part: Part::Whole,
        basis: "basis".into(),
    };
    assert!(matches!(ledger.charge(&request), Err(ChargeError::InWords(_))));
    assert_eq!((ledger.head().seq, format(&path)), (14, 1), "nothing was written");

    ledger.open_account(&clinic((4, 5))).unwrap();
    assert_eq!((ledger.head().seq, format(&path)), (15, FORMAT));
    ledger.open_account(&clinic((4, 5))).unwrap();
    assert_eq!(ledger.head().seq, 15, "once");
    let account = &ledger.summary().accounts[0];
    assert_eq!(account.terms, Terms::Data(clinic((4, 5)).into()));
    assert_eq!((account.releases.len(), account.changes.len()), (5, 1), "what was paid stays paid");
    // The history that was there is the same, and the ledger goes on.
    verify(&path, Some(&head.to_string())).unwrap();
    assert!(ledger.change_promise(&clinic((9, 10)), "the board agreed").unwrap());
    ledger.charge(&request).unwrap();
    assert_eq!(verify(&path, None).unwrap().entries, 17);
}

/// Answers of before forms were recorded stand in their entries, are read, and are never rewritten.
#[test]
fn answers_without_a_form_are_read_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    for (version, name, entries, changes) in
        [(1, "clinic-patients", 14, 1), (2, "clinic-patients", 14, 1), (2, "cohort", 8, 0)]
    {
        let path = copy(folder.path(), version, name);
        let before = verify(&path, None).unwrap();
        assert_eq!((before.entries, before.files, before.strays), (entries, 0, 0), "{name}");
        let summary = show(&path).unwrap();
        let releases: Vec<_> = summary.accounts.iter().flat_map(|account| &account.releases).collect();
        for release in &releases {
            let stored = release.answer.as_ref().unwrap();
            assert_eq!((stored.form(), stored.file()), (None, None));
            assert!(stored.read().unwrap().get("published").is_some(), "{name}: {}", release.ask.name);
        }
        assert_eq!(summary.accounts.iter().map(|account| account.changes.len()).sum::<usize>(), changes);
        assert_eq!((verify(&path, None).unwrap(), format(&path)), (before, version), "to look is not to write");
    }
}

/// A ledger of format 2 goes on: what is stored from now on says its form, and what was there stays as it was.
#[test]
fn a_ledger_without_forms_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 2, "clinic-patients");
    let head = verify(&path, None).unwrap().head;
    let mut ledger = Ledger::open_or_create(&path, "clinic-patients").unwrap();
    ledger.open_account(&clinic((4, 5))).unwrap();
    assert_eq!((ledger.head(), format(&path)), (&head, 2), "nothing was written");
    let account = ledger.summary().accounts[0].clone();
    let first = &account.releases[0];
    let mut request = ChargeRequest {
        account: account.id.clone(),
        policy: "another".into(),
        policy_limit: clinic((4, 5)).limit().clone(),
        ask: first.ask.clone(),
        cost: first.cost.clone(),
        part: Part::Whole,
        basis: "basis".into(),
    };
    assert_eq!(
        ledger.charge(&request).unwrap(),
        Charge::Answered { seq: first.seq, answer: super::answer(first).unwrap() }
    );
    request.ask.identity = "another".into();
    request.cost = clinic((4, 5)).limit().share(&ratio(1, 100)).unwrap();
    for (identity, answer) in [("one", json!(1)), ("two", json!("x".repeat(100_000)))] {
        request.ask.identity = identity.into();
        let Charge::New { seq } = ledger.charge(&request).unwrap() else { panic!("{identity}") };
        ledger.store_answer(seq, &Form::new("sql", 1), &answer).unwrap();
        let again = ledger.charge(&request).unwrap();
        assert_eq!(again, Charge::Answered { seq, answer });
    }
    assert_eq!(format(&path), FORMAT);
    let verified = verify(&path, Some(&head.to_string())).unwrap();
    assert_eq!((verified.entries, verified.files), (18, 1));
}

/// What was rewritten, in words or as data, is met where it stands.
#[test]
fn words_and_data_that_disagree_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 1, "clinic-patients");
    Ledger::open_or_create(&path, "clinic-patients").unwrap().open_account(&clinic((4, 5))).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let other = serde_json::to_string(&clinic((3, 4))).unwrap();
    let tales = [
        (
            "UPDATE entries SET payload = replace(payload, '\"weaker\":true', '\"weaker\":false') WHERE seq = 14"
                .into(),
            14,
        ),
        ("UPDATE entries SET payload = replace(payload, '3/4', '2/3') WHERE kind = 'promise-changed'".into(), 14),
        // Data that are right by themselves, of another promise than the words.
        (format!("UPDATE entries SET payload = '{{\"guarantee\":{other}}}' WHERE seq = 15"), 15),
    ];
    for (tale, named) in tales {
        let tale: String = tale;
        tamper(&path, &tale);
        rechain(&path);
        match verify(&path, None) {
            Err(VerifyError::Store(StoreError::Broken { seq, fault: Fault::Contradiction(_), .. })) => {
                assert_eq!(seq, named, "{tale}");
            }
            other => panic!("{tale}: {other:?}"),
        }
        std::fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn each_secret_is_stated_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 1, "cohort");
    let mut ledger = Ledger::open_or_create(&path, "cohort").unwrap();
    ledger.open_account(&cohort(Secret::Label)).unwrap();
    let terms =
        |ledger: &Ledger| ledger.summary().accounts.into_iter().map(|account| account.terms).collect::<Vec<_>>();
    assert!(matches!(terms(&ledger).as_slice(), [Terms::Words(_), Terms::Data(_)]));
    ledger.open_account(&cohort(Secret::Membership)).unwrap();
    assert_eq!(terms(&ledger), [Secret::Membership, Secret::Label].map(|secret| Terms::Data(cohort(secret).into())));
}

/// Nothing is set aside, so nobody can be charged from it.
#[test]
fn a_part_that_nobody_set_aside_pays_for_nothing() {
    let place = super::Place::new();
    let mut ledger = place.ledger();
    let mut request = super::request("1", (1, 2));
    request.part = Part::Named("analyst".into());
    assert!(matches!(ledger.charge(&request), Err(ChargeError::NoPart(name)) if name == "analyst"));
}

/// A ledger of before heads were kept gets one when it is opened for writing, and needs it from its next entry on.
#[test]
fn a_ledger_without_a_head_gets_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 7, "clinic-patients");
    let head = path.with_extension("ledger.head");
    let before = verify(&path, None).unwrap();
    assert_eq!((before.entries, format(&path), head.exists()), (27, 7, false), "to look is not to write");
    let kept = || std::fs::read_to_string(&head).unwrap();
    let mut ledger = Ledger::open_or_create(&path, "clinic-patients").unwrap();
    assert_eq!((kept(), format(&path)), (format!("{}\n", before.head), 7));
    let older = std::fs::read(&path).unwrap();
    assert!(ledger.change_promise(&clinic((9, 10)), "the board agreed").unwrap());
    assert_eq!((kept(), format(&path)), (format!("{}\n", ledger.head()), FORMAT));
    drop(ledger);
    std::fs::write(&path, older).unwrap();
    let refused = Ledger::open_or_create(&path, "clinic-patients").unwrap_err().to_string();
    assert!(refused.contains("older than its head"), "{refused}");
}

/// Earlier versions drew noise before they recorded the draw, so their unanswered charges are closed, and charged anew.
#[test]
fn unanswered_charges_of_earlier_formats_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = copy(folder.path(), 6, "clinic-patients");
    let before = verify(&path, None).unwrap();
    assert_eq!((before.entries, format(&path)), (29, 6));
    let mut ledger = Ledger::open_or_create(&path, "clinic-patients").unwrap();
    let account = ledger.summary().accounts.remove(0);
    let open = account.releases.last().unwrap();
    assert!(open.is_dead() && !open.is_open() && account.release(&open.ask.identity).is_none());
    let request = ChargeRequest {
        account: account.id.clone(),
        policy: open.policy.clone(),
        policy_limit: account.terms.limit().clone(),
        ask: open.ask.clone(),
        cost: open.cost.clone(),
        part: open.part.clone(),
        basis: "basis".into(),
    };
    let drawn = ledger.draw(open.seq, &Form::new("sql", 1), 1, || Ok::<_, ()>(vec![1]));
    assert!(matches!(drawn, Err(deniable_ledger::DrawError::NotOpen(29))));
    assert_eq!(ledger.charge(&request).unwrap(), Charge::New { seq: 30 });
    assert_eq!((ledger.charge(&request).unwrap(), format(&path)), (Charge::Resumed { seq: 30 }, FORMAT));
    assert_eq!(ledger.summary().accounts[0].spent, account.spent.and(&open.cost));
    verify(&path, Some(&before.head.to_string())).unwrap();
}
