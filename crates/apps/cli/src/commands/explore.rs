//! `deniable explore`: a local page on which the promise can be moved.

use crate::args::policy::{Explore as Args, PolicyPlace};
use crate::console::say;
use crate::error::Failure;
use crate::policies::plan;
use crate::progress::Progress;
use deniable_explore::{Explorer, serve};
use std::cell::RefCell;
use std::io::Write;
use tempfile::NamedTempFile;

/// Runs it, until it is interrupted.
pub fn run(args: &Args) -> Result<(), Failure> {
    let plan = plan(&PolicyPlace { policy: args.policy.clone(), data: None, ledger: None })?;
    let progress = Progress::new();
    progress.says("answering the queries on made-up rows");
    let explorer = Explorer::new(&plan);
    progress.done();
    let explorer = explorer?;
    // The page that leads to the address stays until the end.
    let kept = RefCell::new(None);
    let ready = |address: &str| {
        say(format!(
            "the page is {address}\nit is there until you press Ctrl-C; whoever has the address can change the policy"
        ));
        if !args.no_open {
            match way_in(address) {
                Ok(page) => *kept.borrow_mut() = Some(page),
                Err(_) => say("no browser could be opened: open the address yourself"),
            }
        }
    };
    serve(explorer, args.port, &ready)
        .map_err(|error| Failure::refused(error, "`--port` chooses another port; 0 is any that is free"))
}

/// Opens a private file that leads to the address: what is on a browser's command line, every user of the machine can see.
fn way_in(address: &str) -> std::io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().suffix(".html").tempfile()?;
    write!(
        file,
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={address}\"><a href=\"{address}\">Explore</a>"
    )?;
    file.flush()?;
    opener::open(file.path()).map_err(std::io::Error::other)?;
    Ok(file)
}
