//! One file for each command.

mod ask;
mod assess;
mod attack;
mod audit;
mod check;
mod data;
mod evaluate;
mod explain;
mod explore;
mod gwas;
mod init;
mod ledger;
mod plan;
mod prompt;
mod recheck;
mod release;
mod report;
mod statements;
mod sweep;
mod translate;

use crate::args::output::LedgerFormat;
use crate::args::policy::PolicyPlace;
use crate::args::{Args, Command};
use crate::error::{Complaint, Failure, plan_failure, write_failure};
use deniable_core::text::{printable, printable_lines};
use deniable_ledger::{Account, AccountId, Ledger};
use deniable_policy::Policy;
use deniable_release::{Plan, Versioned};
use deniable_sql::SourceError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: Args) -> Result<ExitCode, Failure> {
    match args.command {
        Command::Check(check) => return check::run(&check),
        Command::Audit(audit) => return audit::run(&audit),
        Command::Assess(assess) => return assess::run(&assess),
        Command::Attack(attack) => attack::run(&attack),
        Command::Recheck(recheck) => return recheck::run(&recheck),
        Command::Translate(translate) => translate::run(&translate),
        Command::Explain(explain) => explain::run(&explain),
        Command::Init(init) => init::run(&init),
        Command::Plan(plan) => plan::run(&plan),
        Command::Ask(ask) => ask::run(&ask),
        Command::Release(release) => release::run(&release),
        Command::Gwas(gwas) => gwas::run(&gwas),
        Command::Evaluate(evaluate) => evaluate::run(&evaluate),
        Command::Explore(explore) => explore::run(&explore),
        Command::Report(report) => report::run(&report),
        Command::Data(crate::args::policy::Data::Check(check)) => data::check(&check),
        Command::Ledger(command) => ledger::run(&command),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the policy. The flags' paths start at the working folder.
fn load(place: &PolicyPlace) -> Result<Policy, Failure> {
    let mut policy = Policy::load(&place.policy)?;
    if let Some(data) = &place.data {
        let path = absolute(data).to_string_lossy().into_owned();
        policy = policy.with_data_at(path).map_err(|format| {
            let help = "name data of the policy's format, or write another policy for these";
            Failure::refused(format!("--data {} is {format}, and the policy's data is not", data.display()), help)
        })?;
    }
    if let Some(ledger) = &place.ledger {
        policy = policy.with_ledger(absolute(ledger));
    }
    Ok(policy)
}

/// Reads the policy and prices its asks.
fn plan(place: &PolicyPlace) -> Result<Plan, Failure> {
    let policy = load(place)?;
    let copy = policy.clone();
    Plan::new(policy).map_err(|errors| plan_failure(&errors, &copy))
}

/// Keeps the asks that were chosen by name.
fn choose(plan: &mut Plan, names: &[String]) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    for name in names {
        if !plan.asks().iter().any(|ask| ask.ask().name == *name) {
            let known: Vec<&str> = plan.asks().iter().map(|ask| ask.ask().name.as_str()).collect();
            let complaint = Complaint::new(format!("there is no ask \"{name}\""))
                .help(format!("the policy has \"{}\"", known.join("\", \"")));
            return Err(Failure::Usage(complaint));
        }
    }
    let chosen = plan.asks().iter().enumerate().filter(|(_, ask)| names.contains(&ask.ask().name));
    let chosen: Vec<usize> = chosen.map(|(at, _)| at).collect();
    *plan = plan.with_only(&chosen);
    Ok(())
}

/// The account of the ledger that a plan is charged to, if there is one already. Begins no ledger.
fn account(policy: &Policy) -> Result<Option<Account>, Failure> {
    if !policy.ledger().exists() {
        return Ok(None);
    }
    let summary = deniable_ledger::show(policy.ledger())?;
    let id = AccountId::of(policy.guarantee());
    Ok(summary.accounts.into_iter().find(|account| account.id == id))
}

/// Finds the policy's data.
fn locate(plan: &Plan) -> Result<Vec<Versioned>, SourceError> {
    Versioned::locate_all(plan)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The ledger itself, or the one that a policy names.
fn ledger_path(path: &Path) -> Result<PathBuf, Failure> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Policy::load(path)?.ledger().to_owned());
    }
    Ok(path.to_owned())
}

/// Opens the policy's ledger, and says so when it begins a new one.
fn open_ledger(plan: &Plan) -> Result<Ledger, Failure> {
    if !plan.policy().ledger().exists() {
        // A mistyped path to the data should not leave an empty ledger behind.
        locate(plan)?;
    }
    let ledger = Ledger::open_or_create(plan.policy().ledger(), plan.policy().population())?;
    if ledger.is_new() {
        say(format!("a new ledger begins: {}", shown(plan.policy().ledger())));
    }
    Ok(ledger)
}

fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let name = here
        .and_then(|here| path.strip_prefix(here).ok().map(|short| short.display().to_string()))
        .unwrap_or_else(|| path.display().to_string());
    printable(&name).into_owned()
}

/// The files that a plan needs: its tables as far as they can be found, the policy and the ledger.
fn own_files(plan: &Plan) -> Vec<PathBuf> {
    let folder = plan.policy().folder();
    let files = |(table, data): (deniable_sql::Table, deniable_policy::Data)| {
        let found = deniable_sql::Source::locate(table, &data, folder).map(|source| source.files().to_vec());
        // Not found as a table, it may still be a file.
        found.unwrap_or_else(|_| vec![folder.join(&data.path)])
    };
    let tables = plan.tables().into_iter().flat_map(files);
    tables.chain([plan.policy().file().to_owned(), plan.policy().ledger().to_owned()]).collect()
}

/// Refuses files, each with its flag, that could not be written, or would overwrite each other or something that is needed:
/// data, policies, ledgers with their keys. For before anything is charged.
fn writable(outs: &[(&str, Option<&Path>)], own: &[PathBuf]) -> Result<(), Failure> {
    let usage = |message: String, help: &str| Err(Failure::Usage(Complaint::new(message).help(help)));
    let place = |path: &Path| {
        let path = std::path::absolute(path).ok()?;
        Some((path.parent()?.canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    let outs: Vec<(&str, &Path)> = outs.iter().filter_map(|(flag, path)| Some((*flag, (*path)?))).collect();
    for (at, (flag, path)) in outs.iter().enumerate() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return usage(
                format!("{flag} {}: its folder is not there", path.display()),
                "make the folder first, or name another",
            );
        }
        if path.is_dir() {
            return usage(format!("{flag} {} is a folder", path.display()), "name a file in it");
        }
        let same = |(_, other): &&(&str, &Path)| place(path).is_some_and(|path| Some(path) == place(other));
        if let Some((other, _)) = outs.iter().take(at).find(same) {
            return usage(format!("{other} and {flag} both name {}", path.display()), "give each a file of its own");
        }
        spare(flag, path, own)?;
    }
    Ok(())
}

/// Refuses to write over files that are needed, and over the keys beside them.
fn spare(flag: &str, out: &Path, own: &[PathBuf]) -> Result<(), Failure> {
    let Ok(out) = out.canonicalize() else { return Ok(()) };
    let with_key = |path: &PathBuf| {
        let mut key = path.clone().into_os_string();
        key.push(".key");
        [path.clone(), PathBuf::from(key)]
    };
    if own.iter().flat_map(with_key).filter_map(|path| path.canonicalize().ok()).all(|path| path != out) {
        return Ok(());
    }
    let complaint = Complaint::new(format!("{flag} would overwrite {}, which is needed", out.display()));
    Err(Failure::Usage(complaint.help("name another file")))
}

/// Writes the results of a look at something, and the page where one is wanted.
fn results(
    args: &crate::args::output::Results,
    table: &str,
    written: &impl serde::Serialize,
    page: &dyn Fn() -> String,
) -> Result<(), Failure> {
    let text = match args.format {
        LedgerFormat::Table => table.to_owned(),
        LedgerFormat::Json => crate::render::json(written)?,
    };
    publish(&text, args.out.as_ref())?;
    if let Some(report) = &args.report {
        publish(&page(), Some(report))?;
        say(format!("the page is {}", shown(report)));
    }
    Ok(())
}

/// One file of a PLINK fileset, where its prefix should be.
fn not_a_prefix(file: &Path, prefix: &Path) -> Failure {
    let complaint = Complaint::new(format!("{} is one of three files; name their prefix", file.display()));
    Failure::Usage(complaint.help(format!("write {}", prefix.display())))
}

/// What stands between fields, as a byte.
fn delimiter(character: char) -> Result<u8, Failure> {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | b'?') => Ok(byte),
        _ => {
            let complaint = Complaint::new(format!("--delimiter {character:?} cannot stand between fields"));
            Err(Failure::Usage(complaint.help("name one ASCII character, such as ';'")))
        }
    }
}

/// Speaks to the curator. Of what is not seen, line breaks and tabs alone pass as they are.
#[expect(clippy::print_stderr, reason = "this is where the program speaks to the curator")]
fn say(text: impl AsRef<str>) {
    eprintln!("{}", printable_lines(text.as_ref()));
}

/// Writes what may be published: to standard output, or to a file that appears whole or not at all. Whatever hidden character
/// reaches this place is escaped; JSON comes with its own escapes.
fn publish(text: &str, out: Option<&PathBuf>) -> Result<(), Failure> {
    let text = &*printable_lines(text);
    let Some(path) = out else {
        let mut stdout = std::io::stdout().lock();
        return stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .map_err(|error| write_failure(&error, None));
    };
    // What a link names is written, not the link; and what is no file, such as a pipe, is written to and not replaced.
    let path = &path.canonicalize().unwrap_or_else(|_| path.clone());
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        let opened = std::fs::OpenOptions::new().write(true).open(path);
        return opened
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| write_failure(&error, Some(path)));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    tempfile::NamedTempFile::new_in(folder)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            // Temporary files are private; what is written here is meant to be read.
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
            }
            file.persist(path).map_err(|error| error.error)
        })
        .map(drop)
        .map_err(|error| write_failure(&error, Some(path)))
}
