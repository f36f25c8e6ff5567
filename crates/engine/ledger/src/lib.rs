//! What has been promised, spent and answered about a population: one SQLite file, append-only, and large answers beside it.
//!
//! | question | module |
//! |---|---|
//! | what is written down? | [`entry`] |
//! | what do the entries add up to? | [`state`], [`accounts`] |
//! | how is an entry tied to all before it? | [`chain`] |
//! | is it the newest copy? | [`outside`] |
//! | whose budget is it? | [`people`] |
//! | which file is it in, and what can go wrong with it? | [`store`] |
//! | where are noisy numbers, and at which width? | [`numbers`] |
//! | how is noise drawn once for each charge? | [`draw`] |
//! | where does an answer lie, and in which form? | [`answer`] |
//! | what is the curator's secret, and where does it lie? | [`key`] |
//! | whose is which part of a budget, and what does each see? | [`parts`] |
//! | which questions wait to be allowed? | [`approvals`] |
//! | what can be done? | [`Ledger`], [`accounts`], [`charges`], [`versions`], [`trials`] |
//! | is it still what it was? what does it say? | [`verify()`], [`show`] |
//!
//! # Invariants
//! 1. Entries are only ever added. All else is a fold of the entries ([`state::State`]). What follows from other entries is
//!    not stored: the numbers of an answer are in the entry of their draw, and its record has the rest.
//! 2. Every write reads, verifies, decides and appends within one `BEGIN IMMEDIATE` transaction, so that two
//!    processes cannot both spend what is left. It is on disk before the call returns.
//! 3. Within an account odds multiply, and never exceed the limit in force, nor those of a part that of the part. What
//!    cannot be decided is refused.
//! 4. A charge is never refunded. Its answer is stored once, before it is shown, and every later identical ask gets
//!    that answer. A charge whose noise was not begun to be drawn is resumed at no cost by the identical ask on the
//!    same basis; one whose draw was begun and has no numbers is dead, and the identical ask is charged anew (P-1).
//! 5. Nothing is decided on a copy that is older than the last head, which is kept outside the file ([`outside`]); a
//!    curator may accept one on the record ([`accept_head`]), which closes every open charge.
//! 6. A file that is new, and the key beside it, appear whole or not at all.
//! 7. A large answer is in a file of its own, durably, before the entry that holds its hash. It is read on demand, and
//!    rejected when its hash differs.
//!
//! The chain shows edits to anyone who kept an older head. Neither it nor the head outside stops the curator, who holds
//! the files and the key, from writing another history; nor do the triggers that refuse changes, which only guard
//! against accidents.
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
//! // Nobody who thought it at most 50% likely may become more than 75% sure.
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
//!     source: "visits".into(),
//!     version: "2024-01".into(),
//! };
//! let (account, policy_limit) = (AccountId::of(&guarantee), guarantee.limit().clone());
//! let cost = policy_limit.share(&ratio(1, 2))?;
//! let (policy, basis) = ("clinic".into(), "geometric noise of these rows".into());
//! let request = ChargeRequest { account, policy, policy_limit, query, cost, part: Part::Whole, basis };
//! let ChargeOutcome::New { seq } = ledger.charge(&request)? else { return Err("a first query is new".into()) };
//! let form = Form::new("sql", 1);
//! let numbers = ledger.draw(seq, &form, 1, || Ok::<_, std::io::Error>(vec![41]))??.read()?; // the noise is drawn here
//! ledger.store_answer(seq, &form, &serde_json::json!({ "name": "visits" }))?; // what the answer has beside its numbers
//! println!("{} visits", numbers[0]); // and only now show it
//! assert!(matches!(ledger.charge(&request)?, ChargeOutcome::Answered { .. })); // the identical query is free
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accounts;
pub mod answer;
pub mod approvals;
mod book;
pub mod chain;
pub mod charges;
mod diagnose;
pub mod draw;
pub mod entry;
pub mod key;
mod ledger;
pub mod numbers;
pub mod outside;
pub mod parts;
pub mod people;
pub mod state;
pub mod store;
pub mod trials;
pub mod verify;
pub mod versions;

pub use accounts::{Account, AccountError, Draw, PromiseChange, Release};
pub use answer::{Form, StoredAnswer, UnreadableAnswer};
pub use approvals::{ApprovalError, Decision, Request};
pub use chain::{Fault, Head};
pub use charges::{AnswerError, ChargeError, ChargeOutcome, ChargeRequest, Limit};
pub use deniable_core::secret::Secret;
pub use draw::DrawError;
pub use entry::{AccountId, Canonical, Charge, EngineTried, Part};
pub use key::{Key, KeyError};
pub use ledger::{Ledger, OpenError};
pub use numbers::Numbers;
pub use outside::{AcceptHeadError, AcceptedHead, accept_head};
pub use parts::{Allowance, PartError, PartFault, SetAside, Sharing};
pub use people::Purpose;
pub use state::{Acceptance, Contradiction, Summary, Version};
pub use store::StoreError;
pub use trials::TriedEngine;
pub use verify::{VerifiedLedger, VerifyError, show, verify};
pub use versions::{Contents, RegistrationOutcome, VersionError};

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_ledger;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
