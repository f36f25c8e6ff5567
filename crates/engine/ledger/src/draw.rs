//! One draw of noise for each charge, however the run ends (P-1).
//!
//! ```text
//! room on disk ─▶ `drawing`: every open charge of the identity, on disk ─▶ lock held ─▶ noise in memory
//!              ─▶ `drawn`, on disk
//! ```
//!
//! The ledger's lock is held from before the first entry until after the second, so that no other act comes between
//! them. A charge whose second entry is missing is dead: its noise is never drawn again, and the identical query is
//! charged anew. The number of bytes written depends only on the count of numbers, and is allocated on disk before the
//! first entry.

use crate::answer::Form;
use crate::entry::{Drawing, Drawn, DrawnInFile, Event};
use crate::ledger::{KeptLock, Ledger};
use crate::numbers::{Numbers, NumbersLocation, Room};
use crate::store::StoreError;
use std::sync::Arc;

/// A draw that failed.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The file cannot be read or written. If the draw had begun, its charges are dead.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entry is not a charge, or the charge is closed.
    #[error("entry {0} is not a charge whose noise may be drawn; charge the query first")]
    NotOpen(u64),
    /// Numbers that were drawn on another basis.
    #[error(
        "the numbers of the query of charge {0} were drawn by another version of deniable or from other contents; \
         compute their answer with that version and contents"
    )]
    OtherBasis(u64),
}

impl Ledger {
    /// Draws the noise of an open charge, and of every other open charge of the same identity, at most once, even if
    /// the run is interrupted. Numbers that were drawn for the identity before are returned, and `noise` is not called.
    /// The numbers are on disk when this returns.
    ///
    /// `count` is how many numbers `noise` returns. It must follow from the query alone. An error of `noise` leaves the
    /// charges dead, so it must not depend on random bits.
    ///
    /// # Errors
    /// When the charge is not open, there is no room for the numbers (it stays open then), or they cannot be written.
    pub fn draw<E>(
        &mut self,
        charge: u64,
        form: &Form,
        count: usize,
        noise: impl FnOnce() -> Result<Vec<i128>, E>,
    ) -> Result<Result<Arc<Numbers>, E>, DrawError> {
        let lock = KeptLock(self);
        let act = lock.0.book.begin()?;
        let release =
            act.state.release(charge).filter(|release| !release.is_dead()).ok_or(DrawError::NotOpen(charge))?;
        let identity = release.query.identity.clone();
        if let Some((numbers, basis)) = act.state.drawn(&identity) {
            let is_same = basis == release.basis;
            return if is_same { Ok(Ok(numbers.clone())) } else { Err(DrawError::OtherBasis(charge)) };
        }
        let charges = act.state.open_charges(&identity);
        if !charges.contains(&charge) || act.state.is_answered_without_draw(&identity) {
            return Err(DrawError::NotOpen(charge));
        }
        act.keep_lock()?;
        let room = Room::allocate(act.path, charges[0], count)?;
        act.reserve(room.in_ledger())?;
        let act = lock.0.book.begin()?;
        // The journal of the act that writes the numbers is as large as that of this one.
        act.rewrite_reserve(room.in_ledger())?;
        let drawing = act.append(Event::Drawing(Drawing { charges }))?;
        // From here on these charges are dead, unless this act ends with their numbers.
        let act = lock.0.book.begin()?;
        // The head on disk covers the draw, so that no older copy of the ledger can be continued without it.
        act.keep_heads()?;
        let numbers = match noise() {
            Ok(numbers) => numbers,
            Err(error) => return Ok(Err(error)),
        };
        let form = form.clone();
        let event = match room.fill(&numbers)? {
            NumbersLocation::Entry(numbers) => Event::Drawn(Drawn { drawing, form, numbers }),
            NumbersLocation::File(file) => Event::DrawnInFile(DrawnInFile { drawing, form, file }),
        };
        act.release_reserve()?;
        act.append(event)?;
        let numbers = lock.0.book.state.drawn(&identity).map(|(numbers, _)| numbers.clone());
        numbers.map(Ok).ok_or(DrawError::NotOpen(charge))
    }
}
