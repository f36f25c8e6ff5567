//! The description of a kind of release: SQL over tables, association results over genotypes.

use crate::error::ProtocolError;
use deniable_core::budget::Spend;
use deniable_core::guarantee::Guarantee;
use deniable_ledger::{Charge, Form, Key, Ledger, Part, Summary, VersionLimit};
use rand_core::CryptoRng;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An account that pays for a release, with the cost.
#[derive(Debug, Clone)]
pub struct Payment {
    /// The guarantee of the account.
    pub guarantee: Guarantee,
    /// The odds ratio that the release may reveal about a group of its people.
    pub cost: Spend,
    /// The most that the asker may spend of that account.
    pub own_limit: Spend,
    /// The limit for all charges on each version that the release reads, if the asker states one.
    pub version_limit: Option<VersionLimit>,
}

/// The origin of an answer. For the curator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Computed now, and charged now.
    Charged,
    /// Computed now; an earlier run had charged it and was cut off.
    Resumed,
    /// Stored by an earlier run: free.
    Stored,
}

/// A run of one or more releases of a kind. The driver calls the methods in the order of their declaration.
///
/// Releases are identified by their positions, from 0. A release may depend on the answers of earlier ones.
pub trait Kind {
    /// An answer: its numbers, with its record.
    type Answer: Clone;
    /// The part of an answer that the ledger stores besides its numbers.
    type Record: Serialize + DeserializeOwned;
    /// The error with which a release is rejected, before the first charge.
    type Rejection: From<ProtocolError>;
    /// The error that leaves a charged release without an answer: a fault of the machine, never of the data.
    type MachineError;
    /// The exact numbers of a release, before noise.
    type Exact;

    /// The form in which its answers are stored; answers in other forms are refused.
    const FORM: Form;

    /// Whether [`Self::finish`] needs the data, and so [`Self::ready`], if the noise was drawn before.
    const FINISHES_FROM_DATA: bool = false;

    /// The name under which the ledger records the asker.
    fn asker(&self) -> &str;

    /// The part of the budget that pays; decisions about its releases depend on its view of the ledger
    /// ([`Summary::seen_by`]).
    fn part(&self) -> Part;

    /// The number of releases.
    fn releases(&self) -> usize;

    /// The name of a release for people.
    fn name(&self, at: usize) -> String;

    /// The release as the ledger stores it. Its identity covers everything that determines the distribution of the
    /// answer; `None` while it depends on a missing answer.
    fn identity(&self, at: usize, answers: &[Option<Self::Answer>]) -> Option<Charge>;

    /// Every account that pays, with the cost, from public facts; at least one. The first account's answer is shown.
    fn price(&self, at: usize) -> Result<Vec<Payment>, Self::Rejection>;

    /// The answer with these numbers and this record.
    ///
    /// # Errors
    /// As text, when they do not belong to this release.
    fn answer(&self, at: usize, numbers: &[i128], record: Self::Record) -> Result<Self::Answer, String>;

    /// Refuses queries that the ledger, as the payer sees it, excludes.
    ///
    /// # Errors
    /// When nothing may be released.
    fn admit(&self, ledger: &Summary) -> Result<(), Self::Rejection>;

    /// All other checks: files are registered and opened, public tables read, noise computed. It may read private data,
    /// but reports them only to the curator. `pending` are the releases whose noise is still to be drawn; with nothing
    /// pending it reads no data.
    ///
    /// # Errors
    /// When the pending releases cannot be made. Nothing is charged then.
    fn ready(&mut self, ledger: &mut Ledger, pending: &[usize]) -> Result<(), Self::Rejection>;

    /// Refuses a charge when accounts that other processes opened since [`Self::price`] change the payers. Runs while
    /// no other process can write the ledger.
    ///
    /// # Errors
    /// When the payers have changed; the release is not charged then.
    fn agree(&self, _ledger: &Ledger) -> Result<(), Self::Rejection> {
        Ok(())
    }

    /// A digest of the inputs of a release's numbers besides its identity: the laws of the noise, the form in which
    /// they are stored, and the registered contents of the data. A charge resumes only on the same basis.
    fn basis(&self, at: usize, ledger: &Ledger) -> String;

    /// Computes the exact numbers of a release that is paid for, without random bits.
    ///
    /// # Errors
    /// When the machine is exhausted.
    fn compute(
        &mut self,
        at: usize,
        answers: &[Option<Self::Answer>],
        key: &Key,
    ) -> Result<Self::Exact, Self::MachineError>;

    /// The count of numbers drawn for a release. It follows from the query alone.
    fn numbers(&self, at: usize) -> usize;

    /// Draws the numbers of a release.
    ///
    /// # Errors
    /// Only errors that follow from public facts; the release is charged anew then.
    fn draw<R: CryptoRng>(&self, at: usize, exact: Self::Exact, rng: &mut R) -> Result<Vec<i128>, Self::MachineError>;

    /// Computes the record of an answer from its numbers, for the payer at this place of [`Self::price`]: it must not
    /// reveal the other payers.
    ///
    /// # Errors
    /// As text, when it cannot be computed. The numbers remain stored.
    fn finish(
        &self,
        at: usize,
        payer: usize,
        numbers: &[i128],
        answers: &[Option<Self::Answer>],
    ) -> Result<Self::Record, String>;

    /// Computes the record for this payer from that of another payer.
    ///
    /// # Errors
    /// As [`Self::answer`].
    fn for_payer(
        &self,
        at: usize,
        payer: usize,
        numbers: &[i128],
        record: &Self::Record,
    ) -> Result<Self::Record, String>;
}
