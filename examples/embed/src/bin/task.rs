//! The same in an asynchronous task: calls are futures of any runtime.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use deniable::{Policy, RegistrationMode, Session};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A separate folder: a new ledger is compared with the ledgers beside it.
    let folder = std::env::temp_dir().join(format!("embed-task-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let ledger = folder.join("clinic.ledger");
    let policy = Policy::load("examples/clinic/policy.toml".as_ref())?.with_ledger(ledger);
    let session = Session::new(policy)?.allowing(RegistrationMode::GoOn);
    let asked = session.clone();
    let released = tokio::spawn(async move { asked.release().await }).await??;
    let left = tokio::task::spawn_blocking(move || session.left()).await??; // reads a file
    println!("{} answers; left: {left}", released.answers().len());
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
