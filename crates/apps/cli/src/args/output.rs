//! How results are written, and where.

use clap::ValueEnum;
use std::path::PathBuf;

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    Table,
    /// Everything, for programs.
    Json,
    /// One query's rows; the guarantee goes to standard error.
    Csv,
}

/// How a look at the ledger is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LedgerFormat {
    /// For reading.
    Table,
    /// For programs.
    Json,
}

/// How the results of a look at something are written.
#[derive(Debug, clap::Args)]
pub struct Results {
    /// How to write the results.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table, help_heading = "Output")]
    pub format: LedgerFormat,
    /// Write the results to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write a page as well, with pictures.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
}
