//! The versions of the formats that programs and people keep: each is read by every later version with the same first
//! number, and a change that older versions would misread gets a new number.

/// The format of ledgers (`docs/reference/ledger-format.md`).
pub const LEDGER: u32 = deniable_ledger::FORMAT;
/// The canonical bytes of queries, from which their identities follow: equal identities have equal noise.
#[cfg(feature = "sql")]
pub const IDENTITY: u32 = deniable_query::FORMAT as u32;
/// The keys of policies and their meaning (`docs/reference/policy.md`).
pub const POLICY: u32 = deniable_policy::FORMAT;
/// The JSON of answers.
#[cfg(feature = "sql")]
pub const ANSWERS: u32 = deniable_publication::FORMAT;
/// The JSON Schema of answers, as `release`, `ask`, `suggest` and `report` write them with `--format json`.
#[cfg(feature = "sql")]
pub const ANSWERS_SCHEMA: &str = deniable_publication::SCHEMA;
/// The JSON Schema of policies, for editors: keys, types and ranges.
pub const POLICY_SCHEMA: &str = deniable_policy::SCHEMA;
