//! The ledger through its public interface: spending, tampering, damaged files, and processes that race or are killed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analysts;
mod answers;
mod approvals;
mod by_version;
mod crowd;
mod disjoint;
mod draws;
mod entities;
mod files;
mod fixture;
#[cfg(target_os = "linux")]
mod full;
#[cfg(unix)]
mod killed;
mod losses;
mod parts;
mod people;
mod processes;
mod promises;
mod random;
mod restored;
mod spending;
mod tampering;
mod trials;
mod withdrawals;

use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
use deniable_core::budget::Spend;
use deniable_core::exact::{ratio, whole};
use deniable_core::guarantee::{Guarantee, Subject};
use deniable_core::promise::Promise;
use deniable_ledger::{
    AccountId, Canonical, Charge, ChargeOutcome, ChargeRequest, ComparedEntities, Contents, Form, Ledger, Part,
    RegistrationOutcome, Release, Secret, VersionError,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

const PEOPLE: &str = "patients";
/// The form of every answer in these tests.
const FORM: Form = Form::new("toy", 1);

/// A folder of its own with a place for a ledger in it.
struct Place {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clinic.ledger");
        Self { folder, path }
    }

    /// The ledger with its account open on an odds ratio of 3.
    fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::open_or_create(&self.path, PEOPLE).unwrap();
        ledger.open_account(&terms()).unwrap();
        ledger
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("clinic.ledger.key")
    }

    fn head(&self) -> PathBuf {
        self.folder.path().join("clinic.ledger.head")
    }

    /// The names of all files in the folder.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn account() -> AccountId {
    AccountId::of(&terms())
}

fn three() -> Spend {
    Spend::odds(whole(3)).unwrap()
}

/// An odds ratio of 3: every belief that begins at 50% or less stays at 75% or less.
fn terms() -> Guarantee {
    terms_of(3)
}

/// An odds ratio of this much.
fn terms_of(odds: i64) -> Guarantee {
    stated(MovesTogether::Alone, vec![Promise::PosteriorAtMost(ratio(odds, odds + 1))])
}

/// These promises to the patients, against observers with a prior of at most 50%.
fn stated(together: MovesTogether, promises: Vec<Promise>) -> Guarantee {
    let priors = PriorRange::new(None, Some(ratio(1, 2))).unwrap();
    let adversary = Adversary::new(false, priors, together).unwrap();
    let subject = Subject::new(PEOPLE, Some("patient".into())).unwrap();
    Guarantee::new(subject, Secret::Membership, adversary, None, promises).unwrap()
}

/// A query for `part` of the odds ratio 3, by a policy whose own limit is large enough.
fn request(identity: &str, part: (i64, i64)) -> ChargeRequest {
    ChargeRequest {
        account: account(),
        policy: "clinic".into(),
        policy_limit: Spend::odds(whole(1000)).unwrap(),
        version_limit: None,
        query: Charge {
            name: format!("ask {identity}"),
            sql: "SELECT COUNT(*) FROM visits".into(),
            identity: identity.into(),
            canonical: Canonical::new(identity.as_bytes()),
            coins: Vec::new(),
            source: "visits".into(),
            version: "2024".into(),
        },
        cost: three().share(&ratio(part.0, part.1)).unwrap(),
        part: Part::Whole,
        basis: "basis".into(),
    }
}

/// The stored answer to a release.
fn answer(release: &Release) -> Option<serde_json::Value> {
    release.answer.as_ref().map(|stored| stored.read().unwrap())
}

/// Registers contents of a version of `visits` without accepted columns.
fn register(ledger: &mut Ledger, version: &str, fingerprint: &str) -> Result<RegistrationOutcome, VersionError> {
    let contents =
        Contents { source: "visits", version, fingerprint, reading: "text", entities: ComparedEntities::Any };
    ledger.register_contents(&contents, &BTreeSet::new())
}

/// Charges a new query and stores its answer.
fn release(ledger: &mut Ledger, identity: &str, part: (i64, i64)) -> u64 {
    let ChargeOutcome::New { seq } = ledger.charge(&request(identity, part)).unwrap() else {
        panic!("{identity} is not new")
    };
    ledger.store_answer(seq, &FORM, &serde_json::json!({ "cells": [1, 2.5] })).unwrap();
    seq
}
