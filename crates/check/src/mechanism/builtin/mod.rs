//! Built-in mechanisms.
