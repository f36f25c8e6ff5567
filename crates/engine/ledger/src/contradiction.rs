//! Entries that cannot follow from those before them.

use crate::disjoint::DisjointFault;
use crate::losses::OverChance;
use crate::parts::PartFault;
use deniable_core::budget::SpendError;

/// The reason why an entry cannot follow from those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// A ledger begins once, with its population.
    #[error("a ledger begins once, with its population")]
    Beginning,
    /// The first entry is of another format than the file.
    #[error("it was begun in format {0}, which this version does not know")]
    Format(u32),
    /// The account was never opened.
    #[error("the account was never opened")]
    NoAccount,
    /// The universe has an account of this kind already.
    #[error("the universe already has an account of this kind")]
    AccountTwice,
    /// A change of promise that misstates the terms in force, or whether it weakens them.
    #[error("it misstates the change of promise")]
    MisstatedChange,
    /// More is spent than the limit in force.
    #[error("more is spent than the limit in force")]
    OverLimit,
    /// A charge to a part of the budget that does not exist.
    #[error("no part of the budget is set aside as \"{0}\"")]
    NoPart(String),
    /// A part that cannot be set aside.
    #[error(transparent)]
    Part(#[from] PartFault),
    /// A registration that contradicts another one, or the charges, of a table whose versions share no entity.
    #[error(transparent)]
    Disjoint(#[from] DisjointFault),
    /// More could be learned than the promise but for a chance allows.
    #[error(transparent)]
    OverChance(#[from] OverChance),
    /// Sizes that are not valid, or that are fixed after the first charge.
    #[error("sizes of charges that are not valid, or that were fixed after the first charge")]
    Sizes,
    /// The same query at two prices.
    #[error("the identical query was charged another price")]
    OtherPrice,
    /// The comparison with the limit cannot be decided.
    #[error("{0}")]
    Undecided(#[from] SpendError),
    /// The version was registered with other contents, or with nothing new.
    #[error("the version was registered before")]
    VersionTwice,
    /// The identical query was charged before.
    #[error("the identical query was charged before")]
    ChargedTwice,
    /// A trial that the engine had passed before.
    #[error("the engine had passed this trial")]
    PassedTwice,
    /// An answer to an entry that is not a charge.
    #[error("it answers entry {0}, which is not a charge")]
    NotACharge(u64),
    /// A second request for the same query.
    #[error("approval of the identical query was requested before")]
    RequestedTwice,
    /// A decision about an entry that is not a request.
    #[error("it decides about entry {0}, which is not a request for approval")]
    NotARequest(u64),
    /// A decision equal to the last one.
    #[error("request {0} had this decision before")]
    DecidedTwice(u64),
    /// A draw of other charges than all open ones of one identity.
    #[error("it draws the noise of other charges than the open ones of one query")]
    NotOpen,
    /// Numbers of a draw that was not begun, or whose numbers are stored already.
    #[error("entry {0} began no draw whose numbers are missing")]
    NotDrawing(u64),
    /// An answer to a charge that is closed, or whose draw was not completed.
    #[error("charge {0} is closed without an answer")]
    Dead(u64),
    /// A withdrawal of other charges than the answered ones of one identity, or without a reason that can be shown.
    #[error("it withdraws other answers than all of one query that are not withdrawn yet, or states no valid reason")]
    NotWithdrawable,
    /// A second answer to a charge.
    #[error("charge {0} was answered before")]
    AnsweredTwice(u64),
}
