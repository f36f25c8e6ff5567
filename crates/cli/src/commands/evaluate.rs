//! `deniable evaluate`: the evaluation of the (α,β) paper, made again from UCI Adult.

use crate::args::policy::Evaluate as Args;
use crate::console::say;
use crate::error::{Complaint, Failure};
use crate::progress::Progress;
use deniable_evaluate::{EvaluateError, Settings};

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let progress = Progress::new();
    let tell = |done: usize, all: usize| progress.says(&format!("evaluating: {done} of {all}"));
    let evaluation = deniable_evaluate::run(&args.adult, &Settings::default(), &tell);
    progress.done();
    let written = evaluation.and_then(|evaluation| evaluation.write(&args.out)).map_err(refused)?;
    say(format!("{} files are in {}; begin with README.md", written.len(), args.out.display()));
    Ok(())
}

fn refused(error: EvaluateError) -> Failure {
    let help = match &error {
        EvaluateError::Read(_) => "name `adult.data` of UCI Adult, as it is distributed: 15 fields, no header",
        EvaluateError::Write { .. } => "name a folder that can be written to",
        _ => "this should not happen with the settings of the command",
    };
    Failure::Refused(vec![Complaint::new(error).help(help)])
}
