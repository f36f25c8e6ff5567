//! What a kind of release says of itself: SQL over tables, association results over genotypes.

use crate::error::ProtocolError;
use deniable_core::budget::Spend;
use deniable_core::guarantee::Guarantee;
use deniable_ledger::{Charge, Form, Key, Ledger, Part, Summary};
use rand_core::CryptoRng;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Who pays for a release, and what.
#[derive(Debug, Clone)]
pub struct Payment {
    /// What is promised to those whose account pays.
    pub guarantee: Guarantee,
    /// The odds ratio that the release may give about a group of them.
    pub cost: Spend,
    /// What whoever asks may spend of that account in all.
    pub own_limit: Spend,
}

/// Where an answer came from. For the curator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Computed now, and charged now.
    Charged,
    /// Computed now; an earlier run had charged it and was cut off.
    Resumed,
    /// Stored by an earlier run: free.
    Stored,
}

/// A run of one or more releases of a kind. The driver asks its questions in the order in which they stand here.
///
/// Releases are known by their positions, from 0. Those behind another may depend on its answer.
pub trait Kind {
    /// An answer: its numbers, with what is recorded beside them.
    type Answer: Clone;
    /// What the ledger stores of an answer beside its numbers.
    type Record: Serialize + DeserializeOwned;
    /// The error with which a release is rejected, before the first charge.
    type Rejection: From<ProtocolError>;
    /// The error that leaves a charged release without an answer: a fault of the machine, never of the data.
    type MachineError;
    /// The exact numbers of a release, before noise.
    type Exact;

    /// The form in which its answers are stored: whatever is stored in another is refused.
    const FORM: Form;

    /// Whether [`Self::finish`] needs the data, and so [`Self::ready`], where the noise was drawn before.
    const FINISHES_FROM_DATA: bool = false;

    /// Who asks, as the ledger knows it.
    fn asker(&self) -> &str;

    /// The part of the budget that pays, and so what of the ledger decides about its releases ([`Summary::seen_by`]).
    fn part(&self) -> Part;

    /// How many releases there are.
    fn releases(&self) -> usize;

    /// What a release is called, for people.
    fn name(&self, at: usize) -> String;

    /// The release as the ledger remembers it. Its identity covers everything that decides the distribution of the answer; `None`
    /// while it follows from an answer that is not there.
    fn identity(&self, at: usize, answers: &[Option<Self::Answer>]) -> Option<Charge>;

    /// Every account that pays, and what, from public facts; at least one. The first one's answer is the one that is shown.
    fn price(&self, at: usize) -> Result<Vec<Payment>, Self::Rejection>;

    /// The answer that has these numbers and this record.
    ///
    /// # Errors
    /// As text, when they are not those of this release.
    fn answer(&self, at: usize, numbers: &[i128], record: Self::Record) -> Result<Self::Answer, String>;

    /// Refuses queries that an account of the ledger, as the payer sees it, rules out.
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

    /// A digest of the inputs of a release's numbers, beside its identity: the laws of the noise, the form in which
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

    /// How many numbers are drawn for a release. It follows from the query alone.
    fn numbers(&self, at: usize) -> usize;

    /// Draws them.
    ///
    /// # Errors
    /// Only errors that follow from public facts; the release is charged anew then.
    fn draw<R: CryptoRng>(&self, at: usize, exact: Self::Exact, rng: &mut R) -> Result<Vec<i128>, Self::MachineError>;

    /// Computes the record of an answer from its numbers, for the payer at this place of [`Self::price`]: it must not
    /// reveal the other payers.
    ///
    /// # Errors
    /// As text, when it cannot be computed. The numbers stay.
    fn finish(
        &self,
        at: usize,
        payer: usize,
        numbers: &[i128],
        answers: &[Option<Self::Answer>],
    ) -> Result<Self::Record, String>;

    /// Computes the same from the record of another payer.
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
