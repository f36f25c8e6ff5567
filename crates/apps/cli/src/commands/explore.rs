//! `deniable explore`: a local page to vary the promise.

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
    // The file that redirects to the address is deleted when the server ends.
    let kept = RefCell::new(None);
    let ready = |address: &str| {
        say(format!(
            "the page is {address}\nit is served until you press Ctrl-C; everyone with this address can change the \
            policy"
        ));
        if !args.no_open {
            match way_in(address) {
                Ok(page) => *kept.borrow_mut() = Some(page),
                Err(_) => say("no browser can be opened: open the address yourself"),
            }
        }
    };
    serve(explorer, args.port, &ready)
        .map_err(|error| Failure::refused(error, "choose another port with --port; 0 takes a free port"))
}

/// Opens the address through a private file that redirects to it: every user of the machine can see the arguments of
/// the browser.
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
