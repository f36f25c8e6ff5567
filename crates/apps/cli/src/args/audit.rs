//! The words of `audit`: what a mechanism gives away, from its outputs alone.

use super::output::LedgerFormat;
use clap::ValueEnum;
use std::num::NonZeroUsize;

pub const EXAMPLES: &str = "\
Examples:
  deniable audit --claim epsilon=0.5 -- python3 examples/audit/half_noise.py
  deniable audit --claim gain=2 --prior 1/2 --neighbours same-direction --entries 5 -- ./mechanism --fast
  deniable audit --builtin sparse-vector-no-reset
  deniable audit --list

The program is started once for each process. It reads lines such as {\"input\":[3,0,5],\"times\":1000} and writes that many \
lines, each an output: a number, a string, or a list of both (docs/how-to/audit.md). An audit finds faults; it proves nothing where \
it finds none.

Exit codes: 0 nothing was found against the claim; 1 the claim is broken, or the mechanism failed; 2 bad usage.";

/// `deniable audit`.
#[derive(Debug, clap::Args)]
pub struct Audit {
    /// The program and its arguments, after `--`.
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<String>,
    /// Audit this mechanism of the zoo instead, against its own claim and with its own neighbours.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["program", "neighbours", "entries", "pair", "processes"])]
    pub builtin: Option<String>,
    /// List the zoo.
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// What it is said to keep to: `epsilon=0.1`, `epsilon=ln(3)`, `odds=3`, or `gain=2` with --prior.
    #[arg(long, value_name = "PARAMETER=VALUE")]
    pub claim: Option<String>,
    /// What observers may have believed beforehand: 1/2, 1/5..4/5 or any; for claims about beliefs, and for what is said of them.
    #[arg(long, value_name = "BELIEF|LOW..HIGH|any", allow_hyphen_values = true)]
    pub prior: Option<String>,
    /// Which inputs are neighbours.
    #[arg(long, value_enum, default_value_t = Neighbours::EachByOne)]
    pub neighbours: Neighbours,
    /// How many entries an input has.
    #[arg(long, value_name = "N", default_value = "1")]
    pub entries: NonZeroUsize,
    /// Try this pair instead, as 0,0,5/1,0,5; may be given several times.
    #[arg(long, value_name = "INPUT/INPUT", allow_hyphen_values = true, conflicts_with_all = ["entries", "neighbours"])]
    pub pair: Vec<String>,
    /// Entries may be negative: answers to any queries, not counts.
    #[arg(long, conflicts_with = "pair")]
    pub negative: bool,
    /// Outputs drawn in all.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub samples: u64,
    /// How surely every bound holds.
    #[arg(long, value_name = "PROBABILITY", default_value = "99.9%")]
    pub confidence: String,
    /// Start the program so many times, to run side by side.
    #[arg(long, value_name = "N", default_value = "2")]
    pub processes: NonZeroUsize,
    /// End a program that is silent for so many seconds while it owes outputs; before its first one it has at least 30.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub deadline: u64,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
}

/// Which inputs are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Neighbours {
    /// Every entry may differ by one, in either direction: arbitrary counting queries.
    EachByOne,
    /// Every entry may differ by one, all in the same direction: counts that a person is added to.
    SameDirection,
    /// One entry differs by one: a histogram.
    OneEntry,
}
