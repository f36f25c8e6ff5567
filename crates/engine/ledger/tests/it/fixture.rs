//! `testdata/ledgers/version-1.ledger`: a ledger with every kind of entry, as version 1 of the format stores them.
//!
//! Its entries are compared with those that this version writes, byte for byte. After a change of the format, change
//! `docs/reference/ledger-format.md` and write the fixture anew:
//!
//! ```text
//! cargo test -p deniable-ledger --lib it::fixture::renew -- --ignored
//! ```

use super::{FORM, PEOPLE, Place, account, answer, request, terms, terms_of};
use deniable_core::budget::Spend;
use deniable_core::exact::{Fraction, ratio};
use deniable_core::guarantee::Guarantee;
use deniable_core::loss::Chance;
use deniable_core::promise::Promise;
use deniable_ledger::answer::AnswerFile;
use deniable_ledger::chain::{Head, Row, forge};
use deniable_ledger::entry::{
    AnswerWithdrawn, Answered, AnsweredInFile, ApprovalDecided, ApprovalRequested, Charged, ChargesClosed, Drawing,
    Drawn, DrawnInFile, EngineTried, Event, FORMAT, Genesis, GuaranteeChanged, GuaranteeStated, Part, PartSetAside,
    RowEntities, SizesFixed, VersionRegistered,
};
use deniable_ledger::numbers::{NumbersFile, NumbersLocation, Room};
use deniable_ledger::{AccountId, ChargeRequest, CoinsOfCost, Draw, Ledger, Secret, Sharing, Size, show, verify};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const NAME: &str = "version-1.ledger";
/// The secret bytes of the key.
const KEY: [u8; 32] = [7; 32];
/// This count of numbers is stored in a separate file.
const LARGE_COUNT: i128 = 1_600;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/ledgers")
}

/// Large enough for a file of its own.
fn large() -> Value {
    json!({ "cells": vec![123_456; 10_000] })
}

fn charged(identity: &str, part: Part) -> Event {
    let ChargeRequest { account, policy, query, cost, basis, .. } = request(identity, (1, 8));
    Event::Charged(Charged { account, policy, query, cost, part, basis })
}

fn events(numbers: NumbersFile, large: AnswerFile) -> Vec<Event> {
    let ana = || Part::Named("ana".into());
    let ChargeRequest { account, policy, query, cost, .. } = request("1", (1, 8));
    let key_check = blake3::Hasher::new_keyed(&KEY).update(b"deniable-key-v1 check\n").finalize().to_hex().to_string();
    let registered = |reading: &str, accepted: &[&str]| {
        Event::VersionRegistered(VersionRegistered {
            source: "visits".into(),
            version: "2024".into(),
            fingerprint: "f00d".into(),
            reading: reading.into(),
            accepted: accepted.iter().map(|name| (*name).to_owned()).collect(),
            entities: RowEntities::Any,
        })
    };
    vec![
        Event::Genesis(Genesis {
            population: PEOPLE.into(),
            key_check,
            format: FORMAT,
            other_than: vec!["staff".into()],
            rehearsal: false,
        }),
        Event::GuaranteeStated(Box::new(GuaranteeStated { guarantee: terms() })),
        Event::GuaranteeChanged(Box::new(GuaranteeChanged {
            from: terms(),
            to: terms_of(4),
            reason: "the board agreed".into(),
            weaker: true,
        })),
        registered("as text", &[]),
        registered("as numbers", &["cost", "day"]),
        Event::EngineTried(EngineTried {
            engine: "e".into(),
            about: "Spark 4.3.0".into(),
            statement: "57a7".into(),
            passed: true,
        }),
        Event::PartSetAside(PartSetAside {
            account: account.clone(),
            part: "ana".into(),
            share: Fraction(ratio(1, 4)),
            sharing: Sharing::Reserved,
            answers: 1,
        }),
        Event::ApprovalRequested(ApprovalRequested { account, part: "ana".into(), policy, query, cost }),
        Event::ApprovalDecided(ApprovalDecided { request: 8, allowed: true, by: "bo".into(), reason: String::new() }),
        charged("1", ana()),
        Event::Drawing(Drawing { charges: vec![10] }),
        Event::Drawn(Drawn { drawing: 11, form: FORM, numbers: format!("+{:039} -{:039} ", 41, 7) }),
        // The order of keys and the digits of an answer are kept.
        serde_json::from_str::<Answered>(r#"{"charge":10,"form":"toy/1","answer":{"b":[41,-7],"a":0.10}}"#)
            .map(Event::Answered)
            .unwrap(),
        charged("2", Part::Whole),
        Event::Drawing(Drawing { charges: vec![14] }),
        Event::DrawnInFile(DrawnInFile { drawing: 15, form: FORM, file: numbers }),
        Event::AnsweredInFile(AnsweredInFile { charge: 14, form: FORM, file: large }),
        charged("3", Part::Whole),
        Event::GuaranteeStated(Box::new(GuaranteeStated { guarantee: about_cases() })),
        Event::SizesFixed(SizesFixed {
            account: AccountId::of(&about_cases()),
            sizes: vec![Size {
                cost: terms_of(4).limit().share(&ratio(1, 4)).unwrap(),
                coins: vec![CoinsOfCost { count: 2, part: Fraction(ratio(1, 2)) }],
            }],
        }),
        Event::ChargesClosed(ChargesClosed { reason: "restored from a backup".into() }),
        Event::AnswerWithdrawn(AnswerWithdrawn { charges: vec![14], reason: "wrong caps".into() }),
    ]
}

/// Promises about who is a case, which hold for certain and but for a chance.
fn about_cases() -> Guarantee {
    let chance = Chance::new(ratio(1, 1_000_000)).unwrap();
    let promises = vec![Promise::PosteriorAtMost(ratio(3, 4))];
    terms_of(4).about(Secret::Label).but_for(chance, Some(300), promises).unwrap()
}

/// The place of a kind of entry among all kinds: a new kind does not compile here until it is in the fixture.
fn kind(event: &Event) -> usize {
    match event {
        Event::Genesis(_) => 0,
        Event::GuaranteeStated(_) => 1,
        Event::GuaranteeChanged(_) => 2,
        Event::VersionRegistered(_) => 3,
        Event::Charged(_) => 4,
        Event::Answered(_) => 5,
        Event::AnsweredInFile(_) => 6,
        Event::EngineTried(_) => 7,
        Event::PartSetAside(_) => 8,
        Event::ApprovalRequested(_) => 9,
        Event::ApprovalDecided(_) => 10,
        Event::Drawing(_) => 11,
        Event::Drawn(_) => 12,
        Event::DrawnInFile(_) => 13,
        Event::ChargesClosed(_) => 14,
        Event::AnswerWithdrawn(_) => 15,
        Event::SizesFixed(_) => 16,
    }
}

/// The stored entries, one second apart.
fn rows(events: &[Event]) -> Vec<Row> {
    let mut head = Head::start();
    let entry = |(event, second): (&Event, i64)| {
        let at = jiff::Timestamp::from_second(1_795_680_000 + second).unwrap();
        let (row, next) = forge(&head, at, event.kind(), event.encode().unwrap());
        head = next;
        row
    };
    events.iter().zip(1..).map(entry).collect()
}

/// The files of numbers and of a large answer, as their entries name them.
fn files() -> (NumbersFile, AnswerFile) {
    let answers = folder().join("version-1.ledger.answers");
    let numbers = fs::read(answers.join("14.numbers")).unwrap();
    let hash = blake3::Hasher::new_derive_key("deniable-ledger-v1 numbers file").update(&numbers).finalize();
    let numbers = NumbersFile { charge: 14, count: LARGE_COUNT as u64, hash: hash.to_hex().to_string() };
    let names = fs::read_dir(answers).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let hash = names.filter_map(|name| name.strip_suffix(".json.zst").map(str::to_owned)).next().unwrap();
    let bytes = large().to_string().len();
    (numbers, serde_json::from_value(json!({ "hash": hash, "bytes": bytes })).unwrap())
}

/// A writable copy of the fixture.
fn copied() -> Place {
    let place = Place::new();
    let answers = "version-1.ledger.answers";
    fs::create_dir(place.folder.path().join("clinic.ledger.answers")).unwrap();
    let inside = fs::read_dir(folder().join(answers)).unwrap();
    let inside = inside.map(|entry| format!("{answers}/{}", entry.unwrap().file_name().into_string().unwrap()));
    for file in inside.chain(["", ".key", ".head"].map(|end| format!("{NAME}{end}"))) {
        let to = file.replace("version-1", "clinic");
        fs::copy(folder().join(file), place.folder.path().join(to)).unwrap();
    }
    place
}

#[test]
fn every_entry_is_what_this_version_writes() {
    let (numbers, large) = files();
    let events = events(numbers, large);
    let kinds: BTreeSet<usize> = events.iter().map(kind).collect();
    assert!(kinds.into_iter().eq(0..17), "every kind of entry is in the fixture");
    let file = Connection::open(&copied().path).unwrap();
    let mut query = file.prepare("SELECT seq, prev, hash, at, kind, payload FROM entries ORDER BY seq").unwrap();
    let stored = query.query_map([], deniable_ledger::book::read_row).unwrap().map(|row| row.unwrap());
    let stored: Vec<Row> = stored.collect();
    assert_eq!(stored.len(), events.len());
    for ((stored, row), event) in stored.iter().zip(rows(&events)).zip(&events) {
        let seq = row.seq;
        assert_eq!(stored.payload, row.payload, "entry {seq}, `{}`: write the fixture anew", row.kind);
        let parts = |row: &Row| (row.seq, row.prev.clone(), row.hash.clone(), row.at.clone(), row.kind.clone());
        assert_eq!(parts(stored), parts(&row));
        assert_eq!(Event::decode(&stored.kind, &stored.payload).unwrap(), *event, "entry {seq}");
    }
}

/// The page of the format has a section for each kind, and a row for each field.
#[test]
fn the_page_has_every_kind_and_field() {
    let page = fs::read_to_string(folder().join("../../docs/reference/ledger-format.md")).unwrap();
    let section = |name: &str| {
        let begin = page.find(&format!("\n### `{name}`\n")).unwrap_or_else(|| panic!("{name} has no section"));
        let section = &page[begin + 1..];
        section.split("\n#").next().unwrap().to_owned()
    };
    let (numbers, large) = files();
    let mut fields: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    // Fields that the ledger of the fixture leaves out.
    let with_left_out = |event: Event| match event {
        Event::Genesis(genesis) => {
            vec![Event::Genesis(genesis.clone()), Event::Genesis(Genesis { rehearsal: true, ..genesis })]
        }
        Event::VersionRegistered(new) => {
            let flagged = VersionRegistered { entities: RowEntities::New, ..new.clone() };
            vec![Event::VersionRegistered(new), Event::VersionRegistered(flagged)]
        }
        Event::PartSetAside(new) => {
            vec![Event::PartSetAside(new.clone()), Event::PartSetAside(PartSetAside { answers: 38, ..new })]
        }
        other => vec![other],
    };
    for event in events(numbers, large).into_iter().flat_map(with_left_out) {
        let payload: BTreeMap<String, Value> = serde_json::from_str(&event.encode().unwrap()).unwrap();
        fields.entry(event.kind()).or_default().extend(payload.into_keys());
    }
    for (kind, fields) in fields {
        let section = section(kind);
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        assert_eq!(rows.map(str::to_owned).collect::<BTreeSet<_>>(), fields, "{kind}");
    }
}

/// The tables, triggers and numbers of the SQLite file are those of a new ledger.
#[test]
fn the_file_is_as_a_new_one() {
    let about = |path: &Path| {
        let file = Connection::open(path).unwrap();
        let number = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        let mut schema = file.prepare("SELECT sql FROM sqlite_master WHERE name <> 'room' ORDER BY name").unwrap();
        let schema: Vec<String> = schema.query_map([], |row| row.get(0)).unwrap().map(|sql| sql.unwrap()).collect();
        (number("application_id"), number("user_version"), schema)
    };
    let (new, fixture) = (Place::new(), copied());
    drop(new.ledger());
    assert_eq!(about(&fixture.path), about(&new.path));
    assert_eq!(about(&fixture.path).0, i64::from(u32::from_be_bytes(*b"dnbl")));
}

#[test]
fn the_fixture_opens_with_its_key_and_adds_up() {
    let place = copied();
    let verified = verify(&place.path, Some(fs::read_to_string(place.head()).unwrap().trim())).unwrap();
    assert_eq!((verified.entries, verified.files, verified.strays), (22, 1, 0));
    let ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
    let summary = ledger.summary();
    assert_eq!(summary, show(&place.path).unwrap());
    assert_eq!(summary.other_than, ["staff"]);
    assert_eq!(ledger.accepted("visits", "2024", "as numbers").unwrap().len(), 2);
    assert!(ledger.has_passed("e", "57a7"));
    assert_eq!((summary.accepted.len(), summary.accepted[0].seq), (1, 21));
    let [known, cases] = summary.accounts.as_slice() else { panic!("{summary:?}") };
    assert_eq!(cases.guarantee, about_cases());
    assert!(
        cases.but_for_chance().unwrap().unwrap().1.odds.unwrap() < ratio(3, 2),
        "a quarter of odds of 4 in two coins"
    );
    assert_eq!((&known.id, &known.guarantee, known.changes.len()), (&account(), &terms_of(4), 1));
    assert_eq!(known.spent, Spend::odds(ratio(3, 1)).unwrap().share(&ratio(3, 8)).unwrap());
    let drawn: Vec<Option<Vec<i128>>> = known
        .releases
        .iter()
        .map(|release| match &release.draw {
            Draw::Done(numbers) => Some(numbers.read().unwrap()),
            Draw::Open | Draw::Begun(_) | Draw::Closed => None,
        })
        .collect();
    assert_eq!(drawn, [Some(vec![41, -7]), Some((0..LARGE_COUNT).collect()), None]);
    let answers: Vec<Option<Value>> = known.releases.iter().map(answer).collect();
    let small: Value = serde_json::from_str(r#"{"b":[41,-7],"a":0.10}"#).unwrap();
    assert!(answers == [Some(small), Some(large()), None], "another answer");
    let withdrawn: Vec<Option<(u64, &str)>> = known
        .releases
        .iter()
        .map(|release| release.withdrawn.as_ref().map(|withdrawal| (withdrawal.seq, withdrawal.reason.as_str())))
        .collect();
    assert_eq!(withdrawn, [None, Some((22, "wrong caps")), None]);
    assert!(known.requests[0].decision.as_ref().unwrap().allowed);
}

#[test]
#[ignore = "writes testdata/ledgers/version-1.ledger anew"]
fn renew() {
    let path = folder().join(NAME);
    for file in ["", ".key", ".head"] {
        let _ = fs::remove_file(folder().join(format!("{NAME}{file}")));
    }
    let _ = fs::remove_dir_all(folder().join(format!("{NAME}.answers")));
    fs::create_dir_all(folder()).unwrap();
    // The first entry does not name the files of the other entries.
    let nothing = serde_json::from_value(json!({ "hash": "0".repeat(64), "bytes": 0 })).unwrap();
    let first = events(NumbersFile { charge: 14, count: 0, hash: String::new() }, nothing).remove(0);
    assert!(deniable_ledger::store::create(&path, &rows(&[first])[0]).unwrap());
    let many: Vec<i128> = (0..LARGE_COUNT).collect();
    let written = Room::allocate(&path, 14, many.len()).unwrap().fill(&many).unwrap();
    let NumbersLocation::File(numbers) = written else { panic!("{LARGE_COUNT} numbers fit into an entry") };
    let draft = deniable_ledger::answer::Draft::of(&FORM, &large()).unwrap();
    draft.keep(&path).unwrap();
    let Event::AnsweredInFile(AnsweredInFile { file, .. }) = draft.event(14) else { panic!("it is not large") };
    let rows = rows(&events(numbers, file));
    let mut connection = Connection::open(&path).unwrap();
    let transaction = connection.transaction().unwrap();
    for row in &rows[1..] {
        deniable_ledger::store::insert(&transaction, row).unwrap();
    }
    transaction.commit().unwrap();
    let last = rows.last().unwrap();
    fs::write(folder().join(format!("{NAME}.head")), format!("{}:{}\n", last.seq, last.hash)).unwrap();
    fs::write(folder().join(format!("{NAME}.key")), format!("{}\n", "07".repeat(32))).unwrap();
}
