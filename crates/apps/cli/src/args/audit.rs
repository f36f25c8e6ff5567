//! Arguments of `audit`, which tests a mechanism by its outputs alone.

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
lines, each an output: a number, a string, or a list of both (docs/how-to/audit.md). An audit can find faults; finding no \
fault proves nothing.

Exit codes: 0 no evidence against the claim; 1 the claim is broken, or the mechanism failed; 2 bad usage.";

/// `deniable audit`.
#[derive(Debug, clap::Args)]
pub struct Audit {
    /// The program and its arguments, after `--`.
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<String>,
    /// Audit this built-in mechanism instead, against its own claim and with its own neighbours.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["program", "neighbours", "entries", "pair", "processes"])]
    pub builtin: Option<String>,
    /// List the built-in mechanisms.
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// The promise to test: `epsilon=0.1`, `epsilon=ln(3)`, `odds=3`, or `gain=2` with --prior.
    #[arg(long, value_name = "PARAMETER=VALUE")]
    pub claim: Option<String>,
    /// Prior beliefs of observers: 1/2, 1/5..4/5 or any. For claims about beliefs, and for the beliefs in the result.
    #[arg(long, value_name = "BELIEF|LOW..HIGH|any", allow_hyphen_values = true)]
    pub prior: Option<String>,
    /// The inputs that count as neighbours.
    #[arg(long, value_enum, default_value_t = Neighbours::EachByOne)]
    pub neighbours: Neighbours,
    /// Number of entries of an input.
    #[arg(long, value_name = "N", default_value = "1")]
    pub entries: NonZeroUsize,
    /// Try this pair instead, as 0,0,5/1,0,5; may be given several times.
    #[arg(long, value_name = "INPUT/INPUT", allow_hyphen_values = true, conflicts_with_all = ["entries", "neighbours"])]
    pub pair: Vec<String>,
    /// Entries may be negative: answers to any queries, not counts.
    #[arg(long, conflicts_with = "pair")]
    pub negative: bool,
    /// Total number of outputs to draw.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub samples: u64,
    /// Confidence that all reported bounds hold.
    #[arg(long, value_name = "PROBABILITY", default_value = "99.9%")]
    pub confidence: String,
    /// Round floating-point outputs to multiples of this step before the audit, to find faults beyond their last bits.
    #[arg(long, value_name = "STEP", allow_hyphen_values = true)]
    pub round_to: Option<String>,
    /// Number of copies of the program that run in parallel.
    #[arg(long, value_name = "N", default_value = "2")]
    pub processes: NonZeroUsize,
    /// End a program that writes nothing for this many seconds while outputs are due; at least 30 before its first
    /// output.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub deadline: u64,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table)]
    pub format: LedgerFormat,
}

/// Neighbouring inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Neighbours {
    /// Every entry may differ by one, in either direction: arbitrary counting queries.
    EachByOne,
    /// Every entry may differ by one, all in the same direction: counts that a person is added to.
    SameDirection,
    /// One entry differs by one: a histogram.
    OneEntry,
}
