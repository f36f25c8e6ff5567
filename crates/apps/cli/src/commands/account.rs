//! `deniable account`: who may connect to a server, and which part of the promise is whose.

use crate::args::output::LedgerFormat;
use crate::args::serve::{Account as Args, Accounts as Place, Role as StatedRole};
use crate::commands::serve::config;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::policies::load;
use deniable::Policy;
use deniable::exact::{Rational, Rounding, percent, whole};
use deniable_core::text::grid::{Grid, cell};
use deniable_ledger::{AccountId, Ledger, PartError, PartFault, Sharing};
use deniable_publication::remaining::share_left;
use deniable_release::open_ledger;
use deniable_serve::accounts::{Account, Accounts, PasswordError, Role, Verifier, new_verifier};
use deniable_serve::server::account;
use num_traits::Zero;
use serde::Serialize;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

/// The server that is meant.
struct Server {
    policy: Policy,
    path: PathBuf,
    /// The file that keeps the ledger's head besides the one beside it.
    head: Option<PathBuf>,
    accounts: Accounts,
}

impl Server {
    fn of(place: &Place) -> Result<Self, Failure> {
        let policy = load(&place.place)?;
        let config = config(place.config.as_deref(), &place.place.policy)?;
        let Some((path, head)) = config.and_then(|config| Some((config.accounts?, config.head))) else {
            let help = "write a serve.toml beside the policy, or name one with --config; an empty one will do";
            return Err(Failure::refused("there is no serve.toml, and so no accounts", help));
        };
        let accounts = Accounts::read(&path).map_err(plain)?;
        Ok(Self { policy, path, head, accounts })
    }

    fn keep(&self) -> Result<(), Failure> {
        self.accounts.write(&self.path).map_err(plain)
    }

    fn ledger(&self) -> Result<(Ledger, AccountId), Failure> {
        let mut ledger = open_ledger(&self.policy, false, self.head.as_deref())?;
        let id = account(&mut ledger, &self.policy)?;
        Ok((ledger, id))
    }

    /// Sets a part aside; what is there already is as good.
    /// A part that is there stays as it stands to others, unless it is to overlap.
    fn set_aside(&self, name: &str, share: &Rational, overlapping: bool) -> Result<(), Failure> {
        let (mut ledger, id) = self.ledger()?;
        let known = ledger.account(&id).and_then(|account| account.part(name)).map(|part| part.sharing);
        let sharing = if overlapping { Sharing::Overlapping } else { known.unwrap_or(Sharing::Reserved) };
        let overlapping = sharing == Sharing::Overlapping;
        match ledger.set_aside(&id, name, share, sharing) {
            Ok(()) | Err(PartError::Fault(PartFault::Same(_))) => {}
            Err(error) => return Err(Failure::refused(error, "`deniable account list` shows what is set aside")),
        }
        let shown = percent(share, 1, Rounding::Down);
        say(format!("{share} of the promise ({shown}) is set aside for \"{name}\"; ledger head {}", ledger.head()));
        if overlapping {
            say(
                "it overlaps with what others take: what others ask decides what is left, and there is no bound for this analyst alone",
            );
        }
        Ok(())
    }
}

fn plain(error: impl std::fmt::Display) -> Failure {
    Failure::refused(error, "")
}

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    match args {
        Args::Add { of, name, role, share, overlapping } => add(of, name, *role, share.as_ref(), *overlapping),
        Args::List { of, format } => list(of, *format),
        Args::Set { of, name, share, overlapping, password: new } => {
            let mut server = Server::of(of)?;
            let known = known(&server.accounts, name)?.clone();
            if !*new && share.is_none() {
                return Err(Failure::usage("nothing says what is to change", "add --share 1/4, or --password"));
            }
            if let Some(share) = share {
                if let Some(why) = without_part(known.role) {
                    return Err(Failure::usage(why, "leave --share out"));
                }
                server.set_aside(name, share, *overlapping)?;
            }
            if *new {
                let verifier = verifier_of(name)?;
                server.accounts.put(name, Account { verifier, ..known }).map_err(plain)?;
                server.keep()?;
                say(format!("\"{name}\" has a new password; a server that runs takes it at SIGHUP"));
            }
            Ok(())
        }
        Args::Remove { of, name } => {
            let mut server = Server::of(of)?;
            known(&server.accounts, name)?;
            server.accounts.remove(name);
            server.keep()?;
            let (mut ledger, id) = server.ledger()?;
            match ledger.set_aside(&id, name, &Rational::zero(), Sharing::Reserved) {
                Ok(()) => say(format!("\"{name}\" is removed, and the part that was never used is given back")),
                // It was a curator, or the part was used.
                Err(PartError::Fault(PartFault::Nothing(_))) => say(format!("\"{name}\" is removed")),
                Err(PartError::Fault(PartFault::InUse(_))) => {
                    say(format!("\"{name}\" is removed; what is left of the part is handed on to nobody"));
                }
                Err(error) => return Err(plain(error)),
            }
            say("a server that runs takes it at SIGHUP");
            Ok(())
        }
    }
}

fn known<'a>(accounts: &'a Accounts, name: &str) -> Result<&'a Account, Failure> {
    let none = || {
        let names: Vec<&str> = accounts.iter().map(|(name, _)| name).collect();
        let help =
            if names.is_empty() { "there are none yet".to_owned() } else { format!("there are {}", names.join(", ")) };
        Failure::refused(format!("there is no account \"{name}\""), help)
    };
    accounts.get(name).ok_or_else(none)
}

fn add(of: &Place, name: &str, role: StatedRole, share: Option<&Rational>, overlapping: bool) -> Result<(), Failure> {
    let mut server = Server::of(of)?;
    if server.accounts.get(name).is_some() {
        return Err(Failure::refused(
            format!("there is an account \"{name}\" already"),
            "`deniable account set` changes it",
        ));
    }
    if !deniable_serve::accounts::is_name(name) {
        return Err(Failure::usage("an account needs a name of 1 to 63 letters, digits and `_.@-`", "name it so"));
    }
    let role = match role {
        StatedRole::Analyst => Role::Analyst,
        StatedRole::Curator => Role::Curator,
        StatedRole::Approver => Role::Approver,
    };
    match (without_part(role), share) {
        (None, Some(_)) | (Some(_), None) => {}
        (Some(why), Some(_)) => return Err(Failure::usage(why, "leave --share out")),
        (None, None) => {
            let help = "add --share 1/4: the part of the promise that is set aside for this analyst";
            return Err(Failure::usage("nothing says what part of the promise is set aside", help));
        }
    }
    let verifier = verifier_of(name)?;
    let earlier = server.ledger().ok().and_then(|(ledger, id)| ledger.account(&id)?.part(name).cloned());
    if earlier.is_some_and(|part| !part.spent.is_nothing()) {
        say(format!(
            "an earlier account \"{name}\" used its part: whoever has it now sees those answers, and has what is left"
        ));
    }
    // Somebody with an account and no part is refused everything; one with a part and no account can try again.
    if let Some(share) = share {
        server.set_aside(name, share, overlapping)?;
    }
    server.accounts.put(name, Account { role, verifier }).map_err(plain)?;
    server.keep()?;
    say(format!("\"{name}\" may connect as {role}; a server that runs takes it at SIGHUP"));
    Ok(())
}

/// Why nothing is set aside for accounts of a role; nothing where a part is.
fn without_part(role: Role) -> Option<&'static str> {
    match role {
        Role::Analyst => None,
        Role::Curator => Some("a curator pays from what is not reserved"),
        Role::Approver => Some("an approver asks nothing, and pays for nothing"),
    }
}

/// The stored verifier of a new password.
fn verifier_of(name: &str) -> Result<Verifier, Failure> {
    let help = "type a longer one, or let one be made: openssl rand -base64 18";
    new_verifier(&password(name)?).map_err(|error| match error {
        PasswordError::Short => Failure::refused(error, help),
        PasswordError::Entropy(_) => plain(error),
    })
}

/// A password: typed twice at a terminal, or the first line of standard input.
fn password(name: &str) -> Result<String, Failure> {
    let unread = |error: std::io::Error| Failure::refused(format!("no password could be read: {error}"), "try again");
    let password = if std::io::stdin().is_terminal() {
        let once = rpassword::prompt_password(format!("password of \"{name}\": ")).map_err(unread)?;
        let twice = rpassword::prompt_password("once more: ").map_err(unread)?;
        if once != twice {
            return Err(Failure::refused("these are two different passwords", "type the same twice"));
        }
        once
    } else {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(unread)?;
        line.trim_end_matches(['\r', '\n']).to_owned()
    };
    Ok(password)
}

/// A line of the list.
#[derive(Debug, Serialize)]
struct AccountLine {
    name: String,
    /// `removed` where there is a part and no account any more.
    role: String,
    /// The part of the promise; absent of curators and approvers, and of those for whom nothing is set aside.
    share: Option<String>,
    sharing: Option<&'static str>,
    left: Option<String>,
    /// Requests for approval that nobody has decided.
    waiting: usize,
}

fn list(of: &Place, format: LedgerFormat) -> Result<(), Failure> {
    let server = Server::of(of)?;
    let id = AccountId::of(server.policy.guarantee());
    let summary = match server.policy.ledger().exists() {
        true => Some(deniable_ledger::show(server.policy.ledger())?),
        false => None,
    };
    let account = summary.as_ref().and_then(|summary| summary.accounts.iter().find(|account| account.id == id));
    let limit = server.policy.guarantee().limit();
    let listed = |(name, role): (&str, Option<Role>)| {
        let part = account.and_then(|account| account.part(name));
        let left = part.map(|part| {
            let own = limit.share(&part.share).ok();
            own.and_then(|own| share_left(&part.spent, &own, limit)).unwrap_or_default()
        });
        AccountLine {
            name: name.to_owned(),
            role: role.map_or_else(|| "removed".to_owned(), |role| role.to_string()),
            share: part.map(|part| part.share.to_string()),
            sharing: part.map(|part| match part.sharing {
                Sharing::Reserved => "reserved",
                Sharing::Overlapping => "overlapping",
            }),
            left: left.map(|left| left.to_string()),
            waiting: account.map_or(0, |account| {
                account
                    .requests
                    .iter()
                    .filter(|request| request.part == name && account.decision(request).is_none())
                    .count()
            }),
        }
    };
    // Parts of those who were removed, too: what they were answered stays known to them.
    let removed = account.iter().flat_map(|account| account.parts().keys()).map(String::as_str);
    let removed = removed.filter(|name| server.accounts.get(name).is_none()).map(|name| (name, None));
    let all: Vec<AccountLine> =
        server.accounts.iter().map(|(name, known)| (name, Some(known.role))).chain(removed).map(listed).collect();
    let text = match format {
        LedgerFormat::Json => deniable::json(&all),
        LedgerFormat::Table => {
            let mut table = Grid::new(["account", "role", "part", "", "left", "requests that wait"]);
            for one in &all {
                let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
                let row = [
                    one.name.clone(),
                    one.role.clone(),
                    text(&one.share),
                    one.sharing.unwrap_or_default().to_owned(),
                    text(&one.left),
                    if one.waiting == 0 { "-".to_owned() } else { one.waiting.to_string() },
                ];
                table.add_row(row.map(cell));
            }
            let free = account.map_or_else(|| whole(1), |account| account.unreserved_share());
            format!("{table}\nnot reserved for anybody: {free} of the promise\n")
        }
    };
    publish(&text, None)
}
