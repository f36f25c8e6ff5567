//! Engines besides this program: `scripts/engines scripts/postgres cargo test -p deniable-sql --lib -- it::engines`.

mod equal;
mod hostile;
mod lies;
mod postgres;
mod proxy;
mod spark;
mod versions;
