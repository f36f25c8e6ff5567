//! Engines beside this program's own: `scripts/engines scripts/postgres cargo test -p deniable-pushdown`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod equal;
mod hostile;
mod lies;
mod postgres;
mod proxy;
mod spark;
mod versions;
