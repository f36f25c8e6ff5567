//! The keys that state promises in policies, for matching on them.

/// A ceiling on belief in presence (B-4).
pub const POSTERIOR_AT_MOST: &str = "posterior_at_most";
/// A floor under belief in presence (B-4).
pub const POSTERIOR_AT_LEAST: &str = "posterior_at_least";
/// The γ of positive membership privacy (B-3).
pub const GAIN: &str = "gain";
/// The γ of negative membership privacy (B-3n).
pub const NEGATIVE_GAIN: &str = "negative_gain";
/// The ρ of (ρ,m)-differential identifiability (B-5).
pub const RHO: &str = "rho";
/// The m of (ρ,m): how many people are equally likely.
pub const AMONG: &str = "among";
/// The α of (α,β)-differential identifiability (B-6).
pub const ALPHA: &str = "alpha";
/// The β of (α,β)-differential identifiability (B-6).
pub const BETA: &str = "beta";
/// The least prior of a world, for (α,β).
pub const P_MIN: &str = "p_min";
/// The largest prior of a world, for (α,β).
pub const P_MAX: &str = "p_max";
/// The ε of differential privacy (C-1).
pub const EPSILON: &str = "epsilon";
