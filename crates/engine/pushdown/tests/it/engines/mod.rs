//! Engines beside this program's own: `scripts/engines scripts/postgres cargo test -p deniable-sql --lib -- it::engines`.

mod equal;
mod hostile;
mod lies;
mod postgres;
mod proxy;
mod spark;
mod versions;
