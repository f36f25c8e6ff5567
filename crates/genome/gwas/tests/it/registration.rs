//! Registration: a cohort is checked before its first release, and stored answers need no files.

use super::release::{Place, TWO, gain, names, top};
use deniable_core::exact::ratio;
use deniable_genome::{Column, PhenoFile};
use deniable_gwas::{
    CohortFiles, Event, Files, GwasError, Means, Origin, Part, Query, ReleaseOutcome, Snps, check, release,
};
use deniable_ledger::{AccountId, ChargeOutcome, ChargeRequest, Ledger, RegistrationOutcome};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::cell::RefCell;

fn seed() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(1)
}

fn named(wanted: &[&str]) -> Query {
    let names = wanted.iter().map(|name| (*name).to_owned()).collect();
    Query { snps: Snps::Named(names), counts: true, statistics: true, share: ratio(1, 4), ..top(1) }
}

impl Place {
    /// `deniable gwas check`.
    fn check(&self, request: &Query) -> Result<RegistrationOutcome, GwasError> {
        let mut ledger = Ledger::open_or_create(&self.ledger(), "people").unwrap();
        let files = CohortFiles::new(self.files.clone());
        let means = Means { files: &files, threads: TWO, register: false, tell: &|_| {} };
        let (log, registered) = check(&means, request.declared(), &mut ledger)?;
        // Every outcome includes the log.
        assert_eq!((log.cases, log.controls, log.used), (60, 50, 300));
        assert!(log.missing_calls > 1000);
        Ok(registered?)
    }

    /// A run that ends if it registers the cohort.
    fn stops(&self, request: &Query) -> (Result<ReleaseOutcome, GwasError>, Vec<Origin>) {
        self.released(&gain(), request, false, &mut seed())
    }

    fn remove_files(&self) {
        self.files.all().iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }

    /// Changes one call of one person: from missing to no copy, or conversely.
    fn change_a_call(&self) {
        let bed = self.files.all().into_iter().find(|file| file.extension().is_some_and(|end| end == "bed")).unwrap();
        let mut bytes = std::fs::read(&bed).unwrap();
        bytes[50] ^= 0b10;
        std::fs::write(&bed, bytes).unwrap();
    }
}

#[test]
fn a_cohort_is_registered_before_its_first_release() {
    for request in [top(2), named(&["sim3", "sim7"])] {
        let place = Place::new();
        let (stopped, _) = place.stops(&request);
        assert!(matches!(stopped, Err(GwasError::OnlyRegistered)), "{stopped:?}");
        let summary = place.summary();
        assert_eq!((summary.accounts.len(), summary.versions.len()), (0, 1), "nothing is promised yet");
        // The same request again continues.
        let (released, origins) = place.stops(&request);
        assert!(released.is_ok_and(|released| released.unanswered.is_empty()));
        assert!(origins.iter().all(|origin| *origin == Origin::Charged));
        assert_eq!(place.summary().versions.len(), 1);
    }
}

#[test]
fn a_check_registers_the_contents_of_the_files() {
    let place = Place::new();
    assert_eq!(place.check(&top(1)).unwrap(), RegistrationOutcome::New);
    assert_eq!(place.check(&top(1)).unwrap(), RegistrationOutcome::Same);
    assert_eq!(place.stops(&top(1)).1, [Origin::Charged]);
    place.change_a_call();
    assert!(matches!(place.check(&top(1)), Err(GwasError::Version(_))));
    for request in [top(2), named(&["sim3"])] {
        let (refused, _) = place.stops(&request);
        assert!(matches!(&refused, Err(GwasError::Version(_))), "{refused:?}");
        assert!(refused.unwrap_err().to_string().contains("version `1` of `cohort`"));
    }
    assert_eq!(place.summary().accounts[0].releases.len(), 1);
    // Other contents have another version, which is checked, too.
    let second = Query { version: "2".into(), ..top(2) };
    assert!(matches!(place.stops(&second).0, Err(GwasError::OnlyRegistered)));
    assert_eq!(place.stops(&second).1, [Origin::Charged]);
}

/// Another phenotype of the same file changes the labels, and was not checked.
#[test]
fn another_phenotype_is_registered_separately() {
    let mut place = Place::new();
    let Files::Plink { prefix, .. } = place.files.clone() else { panic!() };
    let fam = std::fs::read_to_string(prefix.with_extension("fam")).unwrap();
    let line = |(at, line): (usize, &str)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        format!("{} {} {} {}\n", words[0], words[1], words[5], 1 + at % 2)
    };
    let path = prefix.with_extension("pheno");
    let lines: String = fam.lines().enumerate().map(line).collect();
    std::fs::write(&path, format!("FID IID one two\n{lines}")).unwrap();
    let mut of = |name: &str| {
        let column = Column::Named(name.to_owned());
        let pheno = PhenoFile { path: path.clone(), column };
        place.files = Files::Plink { prefix: prefix.clone(), pheno: Some(pheno) };
        place.stops(&Query { phenotype: Some(name.to_owned()), ..top(1) })
    };
    assert!(matches!(of("one").0, Err(GwasError::OnlyRegistered)));
    assert!(of("one").0.is_ok());
    assert!(matches!(of("two").0, Err(GwasError::OnlyRegistered)));
}

#[test]
fn stored_answers_need_no_files() {
    let place = Place::new();
    let picks = Query { statistics: true, counts: true, share: ratio(1, 4), ..top(3) };
    let list = named(&["sim7", "sim3"]);
    let first: Vec<_> = [&picks, &list].map(|request| place.run(&gain(), request).0.unwrap()).into();
    place.remove_files();
    let head = place.summary().head;
    let again = named(&["sim3", "sim7", "sim3"]);
    for (request, shown) in [(&picks, &first[0]), (&list, &first[1]), (&again, &first[1])] {
        let (released, origins) = place.stops(request);
        assert_eq!(released.unwrap().complete().unwrap(), *shown);
        assert!(origins.iter().all(|origin| *origin == Origin::Stored));
    }
    assert_eq!(place.summary().head, head);
    // New requests need the files, and fail before any charge without them.
    for request in [top(2), named(&["sim3"]), Query { share: ratio(1, 8), ..named(&["sim3", "sim7"]) }] {
        let (refused, _) = place.stops(&request);
        assert!(matches!(refused, Err(GwasError::File(_))), "{refused:?}");
    }
    assert_eq!(place.summary().head, head);
}

/// A stored answer is about the registered version: if the files were modified since, an event reports it.
#[test]
fn modified_files_are_reported() {
    let place = Place::new();
    place.run(&gain(), &top(1)).0.unwrap();
    let told = |place: &Place| {
        let told = RefCell::new(false);
        let tell = |event: Event<'_>| *told.borrow_mut() |= matches!(event, Event::WrittenSince(_));
        let files = CohortFiles::new(place.files.clone());
        let means = Means { files: &files, threads: TWO, register: false, tell: &tell };
        let mut ledger = Ledger::open_or_create(&place.ledger(), "people").unwrap();
        release(&means, &place.promised(gain()), &top(1), &mut ledger, &mut seed()).unwrap();
        told.into_inner()
    };
    assert!(!told(&place));
    place.change_a_call();
    let bed = std::fs::File::options().append(true).open(&place.files.all()[0]).unwrap();
    bed.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(5)).unwrap();
    assert!(told(&place));
}

#[test]
fn files_are_opened_once() {
    let place = Place::new();
    let files = CohortFiles::new(place.files.clone());
    assert!(std::ptr::eq(files.open().unwrap(), files.open().unwrap()));
}

/// Copies the first answer of one ledger to that of another place, with a change.
fn copy_changed(from: &Place, to: &Place, request: &Query, change: impl Fn(&mut serde_json::Value, &mut Vec<i128>)) {
    let account = from.summary().accounts[0].clone();
    let picks = &account.releases[0];
    let mut answer = picks.answer.as_ref().unwrap().read().unwrap();
    let mut numbers = picks.numbers.as_ref().unwrap().read().unwrap();
    change(&mut answer, &mut numbers);
    to.check(request).unwrap();
    let mut ledger = Ledger::open_or_create(&to.ledger(), "people").unwrap();
    let guarantee = &account.guarantee;
    ledger.open_account(guarantee).unwrap();
    let charge = ChargeRequest {
        account: AccountId::of(guarantee),
        policy: picks.policy.clone(),
        policy_limit: guarantee.limit().clone(),
        version_limit: None,
        query: picks.query.clone(),
        cost: picks.cost.clone(),
        part: picks.part.clone(),
        basis: String::new(),
    };
    let ChargeOutcome::New { seq } = ledger.charge(&charge).unwrap() else { panic!("it is new") };
    let form = deniable_gwas::release::FORM;
    ledger.draw(seq, &form, numbers.len(), || Ok::<_, ()>(numbers)).unwrap().unwrap();
    ledger.store_answer(seq, &form, &answer).unwrap();
}

/// Numbers are not shown under a different law of noise, or for different sizes.
#[test]
fn a_changed_record_is_rejected() {
    let whole = Place::new();
    let request = top(1);
    whole.run(&gain(), &request).0.unwrap();
    let changes: [(&str, serde_json::Value, &str); 4] = [
        ("decay", "1/2".into(), "another law"),
        ("threshold", "none".into(), "threshold"),
        ("sizes", serde_json::json!({ "cases": u64::MAX, "controls": 1, "snps": 3 }), "its shape"),
        ("snps", serde_json::json!([]), "its shape"),
    ];
    for (field, value, reason) in changes {
        let place = Place::new();
        copy_changed(&whole, &place, &request, |answer, _| answer[field] = value.clone());
        let refused = place.stops(&request).0.unwrap_err().to_string();
        assert!(refused.contains(reason), "{field}: {refused}");
    }
}

/// Picks whose stored answer has an index beyond the files: the releases that depend on it are charged and fail.
#[test]
fn a_release_that_fails_after_its_charge_does_not_block_others() {
    let (whole, place) = (Place::new(), Place::new());
    // The whole promise pays for the three releases.
    let request = Query { statistics: true, counts: true, share: deniable_core::exact::whole(1), ..top(2) };
    let shown = whole.run(&gain(), &request).0.unwrap();
    copy_changed(&whole, &place, &request, |answer, numbers| {
        answer["snps"][0]["place"] = serde_json::json!(4711);
        numbers[0] = 4711;
    });
    let (released, origins) = place.stops(&request);
    let ReleaseOutcome { publication, unanswered } = released.unwrap();
    assert_eq!((publication.answers.len(), names(&publication, 0)), (1, names(&shown, 0)));
    assert_eq!(origins, [Origin::Stored]);
    let said: Vec<String> = unanswered.iter().map(ToString::to_string).collect();
    let expected = [Part::Statistics, Part::Counts].map(|part| {
        let name = request.name(part, 2);
        format!("{name} is paid for but not answered: the answer of {name} cannot be written as JSON")
    });
    assert_eq!(said, expected);
    // Both were paid, and are resumed, although the budget is exhausted.
    let releases = place.summary().accounts[0].releases.len();
    assert_eq!(place.stops(&request).0.unwrap().unanswered.len(), 2);
    let again = &place.summary().accounts[0].releases;
    assert_eq!((releases, again.iter().filter(|release| release.answer.is_none()).count()), (3, 2));
    assert_eq!(again.len(), 3);
}
