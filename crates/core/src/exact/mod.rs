//! Exact numbers: rationals that are parsed and printed without ever passing through a float, and
//! outward-rounded enclosures of the logarithms and exponentials that are not rational; ratios that may be infinite; and numbers as they are stored.

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
