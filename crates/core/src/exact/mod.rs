//! Exact numbers: rationals that are parsed and printed without floating point, outward-rounded enclosures of
//! irrational logarithms and exponentials, ratios that may be infinite, and the stored form of numbers.

mod bound;
mod enclosure;
mod rational;
mod root;
mod stored;

pub use bound::Bound;
pub use enclosure::Enclosure;
pub use rational::{
    ParseRationalError, Rational, Rounding, decimal, fraction, inside_ln, parse_rational, percent, percent_exactly,
    power, ratio, whole,
};
pub use root::square_root;
pub use stored::Fraction;
