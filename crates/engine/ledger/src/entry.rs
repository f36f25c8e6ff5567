//! The kinds of entries and their stored form.
//!
//! A stored entry is a kind and a payload, JSON with the fields in the order of the structs below. A field
//! that is missing or unknown makes an entry unreadable. Six fields are omitted when empty or at their default:
//! `other_than`, `rehearsal`, `accepted`, `entities`, `coins` and `part`. `docs/reference/ledger-format.md` describes every entry.

use crate::answer::{AnswerFile, Form, Json, MOST};
use crate::canonical::Canonical;
use crate::losses::{CoinsOfCost, Size};
use crate::numbers::NumbersFile;
use crate::parts::Sharing;
use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::Fraction;
use deniable_core::guarantee::Guarantee;
use deniable_core::secret::Secret;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The format of ledgers, kept in SQLite's `user_version` and in the first entry. Every ledger has a head outside
/// ([`crate::outside`]).
pub const FORMAT: u32 = 1;

/// The key of an account. Odds multiply within an account.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountId {
    /// The people it is about.
    pub universe: String,
    /// The secret that the promise is about.
    pub kind: Secret,
    /// The column that identifies people; `None` if each row is one person.
    pub entity: Option<String>,
    /// The pairs of data sets that must be indistinguishable.
    pub adjacency: Adjacency,
}

impl AccountId {
    /// The account of a guarantee.
    #[must_use]
    pub fn of(guarantee: &Guarantee) -> Self {
        Self {
            universe: guarantee.subject().population().to_owned(),
            kind: guarantee.secret(),
            entity: guarantee.subject().entity().map(str::to_owned),
            adjacency: guarantee.adjacency(),
        }
    }

    /// Whether both are of the same universe and kind: a universe has one account of each kind, with one entity and
    /// adjacency.
    #[must_use]
    pub fn same_place(&self, other: &Self) -> bool {
        self.universe == other.universe && self.kind == other.kind
    }
}

impl std::fmt::Display for AccountId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.kind, &self.entity) {
            (Secret::Membership, Some(entity)) => write!(f, "membership of {entity}")?,
            (Secret::Membership, None) => f.write_str("membership, one row per person,")?,
            (Secret::Label, Some(entity)) => write!(f, "who is a case, by {entity},")?,
            (Secret::Label, None) => f.write_str("who is a case, one row per person,")?,
        }
        match (self.kind, self.adjacency) {
            // One case and one control exchanged: the number of cases is public.
            (Secret::Label, Adjacency::ReplaceOne) => write!(f, " in {} (label swap)", self.universe),
            (_, adjacency) => write!(f, " in {} ({adjacency})", self.universe),
        }
    }
}

/// The part of an account's budget that pays.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The whole budget, outside all parts.
    #[default]
    Whole,
    /// The part of this name.
    Named(String),
}

impl Part {
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// The query of a charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// Its name in the policy.
    pub name: String,
    /// The SQL as written.
    pub sql: String,
    /// Hex digest of everything that determines the answer's distribution; equal exactly for identical queries
    /// (version 1 of identities, `docs/reference/ledger-format.md`).
    pub identity: String,
    /// The canonical bytes of the measured query; empty for associations.
    #[serde(default, skip_serializing_if = "Canonical::is_empty")]
    pub canonical: Canonical,
    /// The coins that dominate its answer (C-11); none for one coin of the whole cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coins: Vec<CoinsOfCost>,
    /// The table of the query.
    pub source: String,
    /// The version of that table.
    pub version: String,
}

/// The first entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genesis {
    /// The people this ledger is about.
    pub population: String,
    /// Identifies the key of this ledger without revealing it.
    pub key_check: String,
    /// The format the ledger was created in.
    pub format: u32,
    /// The populations of ledgers with the same policy or tables, which the curator stated to be other people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_than: Vec<String>,
    /// Whether all answers are about made-up rows; fixed for the life of the ledger.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
}

/// A promise that holds from here on; it opens the guarantee's account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuaranteeStated {
    /// The promise. Its account is [`AccountId::of`] it.
    pub guarantee: Guarantee,
}

/// A guarantee that replaces the one of the same account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuaranteeChanged {
    /// The promise before.
    pub from: Guarantee,
    /// The promise from here on.
    pub to: Guarantee,
    /// The reason, in the curator's words.
    pub reason: String,
    /// Whether the new one promises less.
    pub weaker: bool,
}

/// The contents of a declared version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRegistered {
    /// The table.
    pub source: String,
    /// Its version, as the policy declares it.
    pub version: String,
    /// The contents, hashed under the curator's key. Never printed.
    pub fingerprint: String,
    /// A hex digest of the reading that the policy declares.
    pub reading: String,
    /// The columns that the curator accepts despite any values that cannot be read, and the queries that are accepted
    /// despite any large losses, as `loss:QUERY#DIGEST`; independent of the values themselves.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub accepted: BTreeSet<String>,
    /// The entities in its rows; omitted where any may be. The same in all registrations of a table.
    #[serde(default, skip_serializing_if = "RowEntities::are_any")]
    pub entities: RowEntities,
}

/// The entities to which the rows of a version belong (C-9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowEntities {
    /// Any entity.
    #[default]
    Any,
    /// Only entities that are in no version of another name, of this table or of another such table.
    New,
    /// No entity: the table is public.
    None,
}

impl RowEntities {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn are_any(&self) -> bool {
        *self == Self::Any
    }
}

/// Odds spent on a query, whether or not it has been answered since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charged {
    /// The account that pays.
    pub account: AccountId,
    /// The policy of the query.
    pub policy: String,
    /// The query.
    pub query: Charge,
    /// The odds ratio spent.
    pub cost: Spend,
    /// The part of the account's budget that pays; omitted for the whole.
    #[serde(default, skip_serializing_if = "Part::is_whole")]
    pub part: Part,
    /// A digest of the laws of the noise, the form of the answer and the contents of the data: the charge resumes only
    /// on the same basis.
    pub basis: String,
}

/// The sizes of the first charges of an account, before any of them (C-11). Those that are not used count as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizesFixed {
    /// The account.
    pub account: AccountId,
    /// The sizes; at least one.
    pub sizes: Vec<Size>,
}

/// The noise of these charges is about to be drawn, once for all of them (P-1). No two entries name the same charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawing {
    /// The numbers of the charges' entries, in order: all open charges of one identity.
    pub charges: Vec<u64>,
}

/// The noisy numbers of a draw. Every shown number is computed from them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// The number of the entry that began the draw.
    pub drawing: u64,
    /// The form of the numbers.
    pub form: Form,
    /// The numbers at fixed width: see [`crate::numbers`].
    pub numbers: String,
}

/// Noisy numbers that are too many for an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnInFile {
    /// The number of the entry that began the draw.
    pub drawing: u64,
    /// The form of the numbers.
    pub form: Form,
    /// The file that holds them.
    pub file: NumbersFile,
}

/// All open charges are closed, and their noise is never drawn: the ledger continues an older copy, and a newer copy
/// may hold the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChargesClosed {
    /// The reason, as text.
    pub reason: String,
}

/// The one answer to a charge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The number of the charge's entry.
    pub charge: u64,
    /// The form of the answer.
    pub form: Form,
    /// The answer to show.
    pub answer: Json,
}

/// The one answer to a charge, too large for an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnsweredInFile {
    /// The number of the charge's entry.
    pub charge: u64,
    /// The form of the answer.
    pub form: Form,
    /// The file that holds it.
    pub file: AnswerFile,
}

/// The curator withdraws an answer, which stays charged and stored, and is marked where it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerWithdrawn {
    /// The numbers of the charges' entries, in order: all charges of one identity whose answers are not withdrawn yet.
    pub charges: Vec<u64>,
    /// The curator's reason, which is public.
    pub reason: String,
}

/// The outcome of an engine's trial on rows of no person, or its failure during a computation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineTried {
    /// The engine: its address, version and settings, hashed under the curator's key. Never printed.
    pub engine: String,
    /// Its version and settings, as text.
    pub about: String,
    /// SHA-256 of the statement, as hexadecimal digits.
    pub statement: String,
    /// Whether the result was right. If not, its earlier trials no longer count.
    pub passed: bool,
}

/// A share of an account's promise is set aside under a name from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartSetAside {
    /// The account.
    pub account: AccountId,
    /// The name.
    pub part: String,
    /// The share of ln R; 0 returns a part that was never charged.
    pub share: Fraction,
    /// Whether the part is reserved or overlaps with others.
    pub sharing: Sharing,
    /// Under a promise but for a chance, the number of equal answers that give as much as all charges of a reserved part
    /// may.
    #[serde(default = "one_answer", skip_serializing_if = "is_one_answer")]
    pub answers: u32,
}

fn one_answer() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one_answer(answers: &u32) -> bool {
    *answers == 1
}

/// A request for approval of a query; not a charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequested {
    /// The account that would pay.
    pub account: AccountId,
    /// The part of its budget that would pay.
    pub part: String,
    /// The policy of the query.
    pub policy: String,
    /// The query.
    pub query: Charge,
    /// The odds ratio that the query would cost.
    pub cost: Spend,
}

/// The decision about a request, in force until the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalDecided {
    /// The number of the request's entry.
    pub request: u64,
    /// Whether the query may be charged.
    pub allowed: bool,
    /// The approver.
    pub by: String,
    /// The approver's reason; may be empty.
    pub reason: String,
}

/// The event that an entry records.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The ledger begins.
    Genesis(Genesis),
    /// A guarantee is stated.
    GuaranteeStated(Box<GuaranteeStated>),
    /// A guarantee is changed.
    GuaranteeChanged(Box<GuaranteeChanged>),
    /// A version's contents are fixed.
    VersionRegistered(VersionRegistered),
    /// Sizes of charges are fixed.
    SizesFixed(SizesFixed),
    /// Odds are spent.
    Charged(Charged),
    /// An answer is stored.
    Answered(Answered),
    /// A large answer is stored.
    AnsweredInFile(AnsweredInFile),
    /// An answer is withdrawn.
    AnswerWithdrawn(AnswerWithdrawn),
    /// An engine was tried.
    EngineTried(EngineTried),
    /// A part of a budget is set aside.
    PartSetAside(PartSetAside),
    /// An approval is requested.
    ApprovalRequested(ApprovalRequested),
    /// A request is decided.
    ApprovalDecided(ApprovalDecided),
    /// Noise is about to be drawn.
    Drawing(Drawing),
    /// Noise was drawn.
    Drawn(Drawn),
    /// Noise was drawn, and its numbers are in a file.
    DrawnInFile(DrawnInFile),
    /// Open charges are closed.
    ChargesClosed(ChargesClosed),
}

/// An entry that cannot be written so that it reads back the same.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// A value that JSON cannot hold, or that reads back as an error (a number of too many digits).
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A value that reads back as another value.
    #[error("it reads back differently")]
    Altered,
    /// An answer that is too long.
    #[error("an answer may have at most {MOST} bytes")]
    TooLong,
    /// A count of numbers that differs from the allocated one.
    #[error("the count of numbers differs from that of the query")]
    OtherLength,
}

impl Event {
    /// Whether it can change which sizes of charges a promise but for a chance allows.
    pub(crate) fn changes_sizes_allowed(&self) -> bool {
        matches!(self, Self::GuaranteeChanged(_) | Self::SizesFixed(_) | Self::PartSetAside(_))
    }

    /// The kind, as stored.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Genesis(_) => "genesis",
            Self::GuaranteeStated(_) => "guarantee-stated",
            Self::GuaranteeChanged(_) => "guarantee-changed",
            Self::VersionRegistered(_) => "version-registered",
            Self::SizesFixed(_) => "sizes-fixed",
            Self::Charged(_) => "charged",
            Self::Answered(_) => "answered",
            Self::AnsweredInFile(_) => "answered-in-file",
            Self::AnswerWithdrawn(_) => "answer-withdrawn",
            Self::EngineTried(_) => "engine-tried",
            Self::PartSetAside(_) => "part-set-aside",
            Self::ApprovalRequested(_) => "approval-requested",
            Self::ApprovalDecided(_) => "approval-decided",
            Self::Drawing(_) => "drawing",
            Self::Drawn(_) => "drawn",
            Self::DrawnInFile(_) => "drawn-in-file",
            Self::ChargesClosed(_) => "charges-closed",
        }
    }

    /// The payload as stored; checked to read back as the same event.
    ///
    /// # Errors
    /// When it would read back as another event.
    pub fn encode(&self) -> Result<String, EncodeError> {
        let payload = match self {
            Self::Genesis(body) => serde_json::to_string(body),
            Self::GuaranteeStated(body) => serde_json::to_string(body),
            Self::GuaranteeChanged(body) => serde_json::to_string(body),
            Self::VersionRegistered(body) => serde_json::to_string(body),
            Self::SizesFixed(body) => serde_json::to_string(body),
            Self::Charged(body) => serde_json::to_string(body),
            Self::Answered(body) => serde_json::to_string(body),
            Self::AnsweredInFile(body) => serde_json::to_string(body),
            Self::AnswerWithdrawn(body) => serde_json::to_string(body),
            Self::EngineTried(body) => serde_json::to_string(body),
            Self::PartSetAside(body) => serde_json::to_string(body),
            Self::ApprovalRequested(body) => serde_json::to_string(body),
            Self::ApprovalDecided(body) => serde_json::to_string(body),
            Self::Drawing(body) => serde_json::to_string(body),
            Self::Drawn(body) => serde_json::to_string(body),
            Self::DrawnInFile(body) => serde_json::to_string(body),
            Self::ChargesClosed(body) => serde_json::to_string(body),
        }?;
        if Self::decode(self.kind(), &payload)? == *self { Ok(payload) } else { Err(EncodeError::Altered) }
    }

    /// Decodes a stored entry.
    ///
    /// # Errors
    /// When the kind is unknown or the payload is not one of that kind.
    pub fn decode(kind: &str, payload: &str) -> Result<Self, serde_json::Error> {
        match kind {
            "genesis" => serde_json::from_str(payload).map(Self::Genesis),
            "guarantee-stated" => serde_json::from_str(payload).map(Self::GuaranteeStated),
            "guarantee-changed" => serde_json::from_str(payload).map(Self::GuaranteeChanged),
            "version-registered" => serde_json::from_str(payload).map(Self::VersionRegistered),
            "sizes-fixed" => serde_json::from_str(payload).map(Self::SizesFixed),
            "charged" => serde_json::from_str(payload).map(Self::Charged),
            "answered" => serde_json::from_str(payload).map(Self::Answered),
            "answered-in-file" => serde_json::from_str(payload).map(Self::AnsweredInFile),
            "answer-withdrawn" => serde_json::from_str(payload).map(Self::AnswerWithdrawn),
            "engine-tried" => serde_json::from_str(payload).map(Self::EngineTried),
            "part-set-aside" => serde_json::from_str(payload).map(Self::PartSetAside),
            "approval-requested" => serde_json::from_str(payload).map(Self::ApprovalRequested),
            "approval-decided" => serde_json::from_str(payload).map(Self::ApprovalDecided),
            "drawing" => serde_json::from_str(payload).map(Self::Drawing),
            "drawn" => serde_json::from_str(payload).map(Self::Drawn),
            "drawn-in-file" => serde_json::from_str(payload).map(Self::DrawnInFile),
            "charges-closed" => serde_json::from_str(payload).map(Self::ChargesClosed),
            _ => Err(serde::de::Error::custom(format!("`{kind}` is not a kind of entry"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};

    fn charged(cost: Spend) -> Event {
        let account = AccountId {
            universe: "u".into(),
            kind: Secret::Membership,
            entity: None,
            adjacency: Adjacency::ReplaceOne,
        };
        let query = Charge {
            name: "n".into(),
            sql: "s".into(),
            identity: "i".into(),
            canonical: Canonical::new(&[1, 0, 255]),
            coins: Vec::new(),
            source: "t".into(),
            version: "1".into(),
        };
        Event::Charged(Charged { account, policy: "p".into(), query, cost, part: Part::Whole, basis: "b".into() })
    }

    #[test]
    fn the_stored_form_is_fixed() {
        let cost = Spend::parse("3", "1/8").unwrap().and(&Spend::parse("e", "2").unwrap());
        assert_eq!(
            charged(cost).encode().unwrap(),
            r#"{"account":{"universe":"u","kind":"membership","entity":null,"adjacency":"replace-one"},"policy":"p","#
                .to_owned()
                + r#""query":{"name":"n","sql":"s","identity":"i","canonical":"AQD/","source":"t","version":"1"},"#
                + r#""cost":[{"base":"e","share":"2"},{"base":"3","share":"1/8"}],"basis":"b"}"#
        );
    }

    #[test]
    fn amounts_are_checked_when_read() {
        for bad in [r#"[{"base":"1","share":"1"}]"#, r#"[{"base":"3","share":"-1"}]"#, r#"[{"base":"3"}]"#, "3.0"] {
            let payload = charged(Spend::nothing()).encode().unwrap().replace("[]", bad);
            assert!(Event::decode("charged", &payload).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_that_read_back_differently_are_not_written() {
        let endless = (1..=20).fold(whole(2), |value, i| value * whole(1_000_000_007) + ratio(1, 3 + i));
        assert!(charged(Spend::odds(endless).unwrap()).encode().is_err());
        assert!(charged(Spend::odds(ratio(27, 8)).unwrap()).encode().is_ok());
    }

    /// The text of an answer is stored as written, including order and digits.
    #[test]
    fn answers_are_kept_as_they_are_written() {
        let text = r#"{"charge":1,"form":"sql/1","answer":{"b":1,"a":0.10,"b":2}}"#;
        assert_eq!(Event::decode("answered", text).unwrap().encode().unwrap(), text);
        assert!(Event::decode("answered", r#"{"charge":1,"answer":1}"#).is_err());
    }

    #[test]
    fn strangers_are_refused() {
        assert!(Event::decode("refunded", "{}").is_err());
        assert!(Event::decode("answered", r#"{"charge":1,"form":"sql/1","answer":1,"extra":2}"#).is_err());
        assert!(Event::decode("answered", r#"{"charge":-1,"form":"sql/1","answer":1}"#).is_err());
    }
}
