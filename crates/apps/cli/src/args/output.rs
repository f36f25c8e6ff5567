//! Output formats and files.

use clap::ValueEnum;
use std::path::PathBuf;

/// Output format of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    Table,
    /// Everything, for programs.
    Json,
    /// One query's rows; the guarantee goes to standard error.
    Csv,
}

/// Output format of commands without CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LedgerFormat {
    /// For reading.
    Table,
    /// For programs.
    Json,
}

/// Format and files of the results of `assess` and `attack`.
#[derive(Debug, clap::Args)]
pub struct Results {
    /// Output format.
    #[arg(long, value_enum, default_value_t = LedgerFormat::Table, help_heading = "Output")]
    pub format: LedgerFormat,
    /// Write the results to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Also write a page with charts.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
}
