//! Files as typed columns: the same from every coat, row by row, whatever is in them, and the curator's look at them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod check;
mod hostile;
mod law;
mod registration;
mod remote;
mod scan;
mod sources;
