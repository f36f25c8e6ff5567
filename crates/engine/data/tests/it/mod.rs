//! Files as typed columns: equal in every format and compression, row by row, for any contents; and the curator's check
//! of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod check;
mod hostile;
mod law;
mod registration;
mod remote;
mod scan;
mod sources;
