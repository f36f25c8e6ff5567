//! Warm-up.
