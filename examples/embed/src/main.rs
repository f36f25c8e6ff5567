//! The clinic's policy, released by a program: typed cells with their intervals, and the remaining promise.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use deniable::{Policy, RegistrationMode, Session};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A separate folder: a new ledger is compared with the ledgers beside it.
    let folder = std::env::temp_dir().join(format!("embed-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let ledger = folder.join("clinic.ledger");
    let policy = Policy::load("examples/clinic/policy.toml".as_ref())?.with_ledger(ledger);
    let session = Session::new(policy)?.allowing(RegistrationMode::GoOn);
    for answer in session.release().wait()?.answers() {
        println!("{}", answer.name);
        for row in &answer.rows {
            for (column, cell) in answer.columns.iter().zip(row) {
                match cell.number() {
                    Some(number) => print!("  {column} = {} in {}", number.value_text(), number.interval_text()),
                    None => print!("  {column} = {cell}"),
                }
            }
            println!();
        }
    }
    println!("left: {}", session.left()?);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
