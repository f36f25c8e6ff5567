//! The ledger of a population: its promises, charges and answers in one append-only SQLite file, with large answers in
//! separate files beside it.
//!
//! | topic | module |
//! |---|---|
//! | kinds of entries and their stored form | [`entry`] |
//! | the fold of the entries | [`state`], [`accounts`] |
//! | the hash chain over the entries | [`chain`] |
//! | detection of older copies | [`outside`] |
//! | the population of a new ledger | [`people`] |
//! | the SQLite file and its failures | [`store`] |
//! | noisy numbers at fixed width | [`numbers`] |
//! | one draw of noise for each charge | [`draw`] |
//! | stored answers and their forms | [`answer`] |
//! | the curator's secret key | [`key`] |
//! | the entities of registered versions, hashed | [`entities`] |
//! | parts of a budget, and what each owner sees | [`parts`] |
//! | queries that wait for approval | [`approvals`] |
//! | spending by version of the data | [`by_version`], [`disjoint`] |
//! | operations | [`Ledger`], [`accounts`], [`charges`], [`versions`], [`trials`], [`withdrawals`] |
//! | verification, and reading without writing | [`verify()`], [`show`] |
//!
//! # Invariants
//! 1. Entries are only ever added. All else is a fold of the entries ([`state::State`]). Values that other entries
//!    determine are not stored: the numbers of an answer are in the entry of their draw, and its record has the rest.
//! 2. Every write reads, verifies, decides and appends within one `BEGIN IMMEDIATE` transaction, so that two
//!    processes cannot both spend the remaining budget. It is on disk before the call returns.
//! 3. Within an account odds multiply, and never exceed the limit in force; the odds charged to a part never exceed the
//!    limit of that part. Charges whose comparison with a limit cannot be decided are refused.
//! 4. A charge is never refunded. Its answer is stored once, before it is shown, and every later identical query gets
//!    that answer. A charge without a draw is resumed at no cost by the identical query on the same basis; a charge
//!    whose draw was begun and has no numbers is dead, and the identical query is charged anew (P-1). A withdrawal
//!    marks an answer and changes neither its charge nor its numbers.
//! 5. Nothing is decided on a copy that is older than the last head, which is kept outside the file ([`outside`]); a
//!    curator may accept one on the record ([`accept_head`]), which closes every open charge.
//! 6. A file that is new, and the key beside it, appear whole or not at all.
//! 7. A large answer is in a file of its own, durably, before the entry that holds its hash. It is read on demand, and
//!    rejected when its hash differs.
//!
//! The chain reveals edits to every holder of an older head. Neither the chain nor the head outside stops the curator,
//! who holds the files and the key, from writing another history; nor do the triggers that refuse changes, which only
//! guard against accidents.
//!
//! ```
//! use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
//! use deniable_core::exact::ratio;
//! use deniable_core::guarantee::{Guarantee, Subject};
//! use deniable_core::promise::Promise;
//! use deniable_ledger::{AccountId, Canonical, Charge, ChargeOutcome, ChargeRequest, Form, Ledger, Part, Secret};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("clinic.ledger");
//! let mut ledger = Ledger::open_or_create(&path, "patients of the clinic")?;
//! // Every belief that begins at 50% or less stays at 75% or less.
//! let adversary = Adversary::new(false, PriorRange::new(None, Some(ratio(1, 2)))?, MovesTogether::Alone)?;
//! let subject = Subject::new("patients of the clinic", Some("patient".into()))?;
//! let promises = vec![Promise::PosteriorAtMost(ratio(3, 4))];
//! let guarantee = Guarantee::new(subject, Secret::Membership, adversary, None, promises)?;
//! ledger.open_account(&guarantee)?;
//!
//! let query = Charge {
//!     name: "visits".into(),
//!     sql: "SELECT COUNT(*) FROM visits".into(),
//!     identity: "5eed".into(),
//!     canonical: Canonical::default(),
//!     coins: Vec::new(), // one coin of the whole cost
//!     source: "visits".into(),
//!     version: "2024-01".into(),
//! };
//! let (account, policy_limit) = (AccountId::of(&guarantee), guarantee.limit().clone());
//! let cost = policy_limit.share(&ratio(1, 2))?;
//! let (policy, basis) = ("clinic".into(), "geometric noise of these rows".into());
//! let (part, version_limit) = (Part::Whole, None);
//! let request = ChargeRequest { account, policy, policy_limit, version_limit, query, cost, part, basis };
//! let ChargeOutcome::New { seq } = ledger.charge(&request)? else { return Err("a first query is new".into()) };
//! let form = Form::new("sql", 1);
//! let numbers = ledger.draw(seq, &form, 1, || Ok::<_, std::io::Error>(vec![41]))??.read()?; // the noise is drawn here
//! ledger.store_answer(seq, &form, &serde_json::json!({ "name": "visits" }))?; // the rest of the answer
//! println!("{} visits", numbers[0]); // and only now show it
//! assert!(matches!(ledger.charge(&request)?, ChargeOutcome::Answered { .. })); // the identical query is free
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accounts;
pub mod answer;
pub mod approvals;
mod book;
pub mod by_version;
mod canonical;
pub mod chain;
pub mod charges;
mod contradiction;
mod diagnose;
pub mod disjoint;
pub mod draw;
pub mod entities;
pub mod entry;
pub mod key;
mod ledger;
pub mod losses;
pub mod numbers;
pub mod outside;
pub mod parts;
pub mod people;
pub mod state;
pub mod store;
pub mod trials;
pub mod verify;
pub mod versions;
pub mod withdrawals;

pub use accounts::{Account, AccountError, Draw, PromiseChange, Release};
pub use answer::{Form, StoredAnswer, UnreadableAnswer};
pub use approvals::{ApprovalError, Decision, Request};
pub use by_version::{SpentByVersion, VersionLimit, VersionName};
pub use canonical::Canonical;
pub use chain::{Fault, Head};
pub use charges::{AnswerError, ChargeError, ChargeOutcome, ChargeRequest, Limit};
pub use deniable_core::secret::Secret;
pub use disjoint::{DisjointFault, DisjointTables};
pub use draw::DrawError;
pub use entities::{EntitiesError, KnownEntities};
pub use entry::{AccountId, Charge, EngineTried, FORMAT, Part, RowEntities};
pub use key::{Key, KeyError};
pub use ledger::{Ledger, OpenError};
pub use losses::{
    CoinsOfCost, FixError, FixedSize, ODDS_PLACES, OverChance, Reading, Size, SizeError, further_but_for_chance,
    keep_but_for_chance, odds_of_fixed_sizes, read_but_for_chance,
};
pub use numbers::Numbers;
pub use outside::{AcceptHeadError, AcceptedHead, accept_head};
pub use parts::{Allowance, PartError, PartFault, SetAside, Sharing};
pub use people::Purpose;
pub use state::{Acceptance, Contradiction, Summary, Version};
pub use store::StoreError;
pub use trials::TriedEngine;
pub use verify::{VerifiedLedger, VerifyError, show, verify};
pub use versions::{ComparedEntities, Contents, RegistrationOutcome, VersionError};
pub use withdrawals::{WithdrawError, Withdrawal};

// `tests/it` is part of the unit tests' program: one program per crate to link. It names the crate as other crates do.
#[cfg(test)]
extern crate self as deniable_ledger;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
