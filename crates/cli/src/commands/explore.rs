//! `deniable explore`: a local page on which the promise can be moved.

use super::{plan, say};
use crate::args::{Explore as Args, PolicyPlace};
use crate::error::{Complaint, Failure};
use crate::progress::Progress;
use deniable_explore::{Explorer, serve};

/// Runs it, until it is interrupted.
pub fn run(args: &Args) -> Result<(), Failure> {
    let plan = plan(&PolicyPlace { policy: args.policy.clone(), data: None, ledger: None })?;
    let progress = Progress::new();
    progress.says("answering the questions on made-up rows");
    let explorer = Explorer::new(&plan);
    progress.done();
    let explorer = explorer?;
    let ready = |address: &str| {
        say(format!(
            "the page is {address}\nit is there until you press Ctrl-C; whoever has the address can change the policy"
        ));
        if !args.no_open && opener::open(address).is_err() {
            say("no browser could be opened: open the address yourself");
        }
    };
    serve(explorer, args.port, &ready).map_err(|error| {
        Failure::Refused(vec![Complaint::new(error).help("`--port` chooses another port; 0 is any that is free")])
    })
}
