//! The commands, each in its own file or folder, and their dispatch.

#[cfg(feature = "serve")]
mod account;
mod answers;
mod ask;
pub mod assess;
mod attack;
mod audit;
mod check;
mod data;
mod explain;
mod explore;
mod findings;
pub mod gwas;
mod init;
mod ledger;
mod plan;
mod prompt;
mod question;
mod recheck;
mod release;
mod report;
#[cfg(feature = "serve")]
mod serve;
mod simulate;
mod statements;
mod suggest;
mod translate;

use crate::args::policy::Data;
use crate::args::{Args, Command, Format};
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::publish;
use deniable::formats::{ANSWERS_SCHEMA, POLICY_SCHEMA};

/// Runs the command.
pub fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::Check(check) => return check::run(&check),
        Command::Audit(audit) => return audit::run(&audit),
        Command::Assess(assess) => return assess::run(&assess),
        Command::Attack(attack) => attack::run(&attack),
        Command::Recheck(recheck) => return recheck::run(&recheck),
        Command::Translate(translate) => translate::run(&translate),
        Command::Explain(explain) => explain::run(&explain),
        Command::Schema { of: Format::Policy } => publish(POLICY_SCHEMA, None),
        Command::Schema { of: Format::Answers } => publish(ANSWERS_SCHEMA, None),
        Command::Init(init) => init::run(&init),
        Command::Plan(plan) => plan::run(&plan),
        Command::Ask(ask) => ask::run(&ask),
        Command::Suggest(suggest) => suggest::run(&suggest),
        Command::Simulate(simulate) => simulate::run(&simulate),
        Command::Release(release) => release::run(&release),
        Command::Gwas(gwas) => gwas::run(&gwas),
        Command::Explore(explore) => explore::run(&explore),
        Command::Report(report) => report::run(&report),
        #[cfg(feature = "serve")]
        Command::Serve(serve) => serve::run(&serve),
        #[cfg(feature = "serve")]
        Command::Account(account) => account::run(&account),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) | Command::Account(_) => Err(Failure::refused(
            "this program was built without its server",
            "build it with `cargo build --features serve`, or run it with `cargo run --features serve -- serve POLICY`",
        )),
        Command::Data(Data::Check(check)) => data::check(&check),
        Command::Data(Data::Pull(pull)) => data::pull(&pull),
        Command::Ledger(command) => ledger::run(&command),
    }?;
    Ok(Exit::Done)
}
