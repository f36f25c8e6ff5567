//! `deniable account`: the accounts that may connect to a server, and their parts of the promise.

use crate::args::output::LedgerFormat;
use crate::args::serve::{Account as Args, Accounts as Place, Part as PartArgs, Role as StatedRole};
use crate::commands::serve::config;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::policies::load;
use deniable::exact::{Rational, Rounding, percent, whole};
use deniable::ledger::{AccountId, GivenBack, Sharing, give_back, set_aside, show};
use deniable::{Policy, share_left};
use deniable_core::text::grid::{Grid, cell};
use deniable_serve::accounts::{Account, Accounts, PasswordError, Role, Verifier, new_verifier};
use serde::Serialize;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

/// The policy and the accounts of a server.
struct Server {
    policy: Policy,
    path: PathBuf,
    /// A second file with the ledger's head, beside the one next to the ledger.
    head: Option<PathBuf>,
    accounts: Accounts,
}

impl Server {
    fn of(place: &Place) -> Result<Self, Failure> {
        let policy = load(&place.place)?;
        let config = config(place.config.as_deref(), &place.place.policy)?;
        let Some((path, head)) = config.and_then(|config| Some((config.accounts?, config.head))) else {
            let help = "create a serve.toml beside the policy, which may be empty, or name one with --config";
            return Err(Failure::refused("there is no serve.toml, so there are no accounts", help));
        };
        let accounts = Accounts::read(&path).map_err(plain)?;
        Ok(Self { policy, path, head, accounts })
    }

    fn keep(&self) -> Result<(), Failure> {
        self.accounts.write(&self.path).map_err(plain)
    }

    /// Sets a part aside. An existing part keeps its sharing unless `overlapping` is set; setting the same part again
    /// is not an error.
    fn set_aside(&self, name: &str, share: &Rational, terms: &PartArgs) -> Result<(), Failure> {
        let stated = terms.overlapping.then_some(Sharing::Overlapping);
        let part = set_aside(&self.policy, self.head.as_deref(), name, share, stated, terms.answers)?;
        let shown = percent(share, 1, Rounding::Down);
        say(format!("{share} of the promise ({shown}) is set aside for \"{name}\"; ledger head {}", part.head));
        if self.policy.guarantee().but_for_a_chance().is_some() && part.sharing == Sharing::Reserved {
            say(format!(
                "but for the chance, all answers of the part may reveal as much as {} equal ones; --answers changes this",
                part.answers
            ));
        }
        if part.sharing == Sharing::Overlapping {
            say("the part overlaps with other accounts: their queries reduce what is left of it, and no bound covers \
                this analyst alone");
        }
        Ok(())
    }

    /// The policy's account in the ledger; `None` before it is opened.
    fn account(&self) -> Result<Option<deniable::ledger::Account>, Failure> {
        if !self.policy.ledger().exists() {
            return Ok(None);
        }
        let id = AccountId::of(self.policy.guarantee());
        Ok(show(self.policy.ledger())?.accounts.into_iter().find(|account| account.id == id))
    }
}

fn plain(error: impl std::fmt::Display) -> Failure {
    Failure::refused(error, "")
}

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    match args {
        Args::Add { of, name, role, part } => add(of, name, *role, part),
        Args::List { of, format } => list(of, *format),
        Args::Set { of, name, part, password: new } => {
            let mut server = Server::of(of)?;
            let known = known(&server.accounts, name)?.clone();
            if !*new && part.share.is_none() {
                return Err(Failure::usage("there is nothing to change", "add --share 1/4, or --password"));
            }
            if let Some(share) = &part.share {
                if let Some(why) = without_part(known.role) {
                    return Err(Failure::usage(why, "leave --share out"));
                }
                server.set_aside(name, share, part)?;
            }
            if *new {
                let verifier = verifier_of(name)?;
                server.accounts.put(name, Account { verifier, ..known }).map_err(plain)?;
                server.keep()?;
                say(format!("\"{name}\" has a new password; a running server reads it at SIGHUP"));
            }
            Ok(())
        }
        Args::Remove { of, name } => {
            let mut server = Server::of(of)?;
            known(&server.accounts, name)?;
            server.accounts.remove(name);
            server.keep()?;
            match give_back(&server.policy, server.head.as_deref(), name)? {
                GivenBack::Returned => {
                    say(format!("\"{name}\" is removed, and the unused part is returned to the promise"));
                }
                GivenBack::InUse => {
                    say(format!("\"{name}\" is removed; the rest of its part is not given to any other account"));
                }
                // The account was a curator's.
                GivenBack::Nothing => say(format!("\"{name}\" is removed")),
            }
            say("a running server reads the change at SIGHUP");
            Ok(())
        }
    }
}

fn known<'a>(accounts: &'a Accounts, name: &str) -> Result<&'a Account, Failure> {
    let none = || {
        let names: Vec<&str> = accounts.iter().map(|(name, _)| name).collect();
        let help = match names.as_slice() {
            [] => "there are no accounts yet".to_owned(),
            names => format!("choose one of {}", names.join(", ")),
        };
        Failure::refused(format!("there is no account \"{name}\""), help)
    };
    accounts.get(name).ok_or_else(none)
}

fn add(of: &Place, name: &str, role: StatedRole, part: &PartArgs) -> Result<(), Failure> {
    let mut server = Server::of(of)?;
    if server.accounts.get(name).is_some() {
        return Err(Failure::refused(
            format!("the account \"{name}\" exists already"),
            "change it with `deniable account set`",
        ));
    }
    if !deniable_serve::accounts::is_name(name) {
        return Err(Failure::usage(
            "the account's name is not 1 to 63 letters, digits and `_.@-`",
            "choose another name",
        ));
    }
    let role = match role {
        StatedRole::Analyst => Role::Analyst,
        StatedRole::Curator => Role::Curator,
        StatedRole::Approver => Role::Approver,
    };
    match (without_part(role), &part.share) {
        (None, Some(_)) | (Some(_), None) => {}
        (Some(why), Some(_)) => return Err(Failure::usage(why, "leave --share out")),
        (None, None) => {
            let help = "add --share 1/4: the part of the promise that is set aside for this analyst";
            return Err(Failure::usage("--share is missing: an analyst needs a part of the promise", help));
        }
    }
    let verifier = verifier_of(name)?;
    let account = server.account()?;
    let earlier = account.as_ref().and_then(|account| account.part(name));
    if earlier.is_some_and(|part| !part.spent.is_nothing()) {
        say(format!(
            "an earlier account \"{name}\" used a part of the promise: the new account sees those answers and has the \
            rest"
        ));
    }
    // The part is set aside first: an account without a part could do nothing, while a part without an account can be
    // added again.
    if let Some(share) = &part.share {
        server.set_aside(name, share, part)?;
    }
    server.accounts.put(name, Account { role, verifier }).map_err(plain)?;
    server.keep()?;
    say(format!("\"{name}\" may connect as {role}; a running server reads it at SIGHUP"));
    Ok(())
}

/// The reason that a role cannot have a part of the promise; `None` for analysts, who need one.
fn without_part(role: Role) -> Option<&'static str> {
    match role {
        Role::Analyst => None,
        Role::Curator => Some("a curator pays from the unreserved part of the promise"),
        Role::Approver => Some("an approver cannot query and needs no part of the promise"),
    }
}

/// Prompts for a password and returns its verifier.
fn verifier_of(name: &str) -> Result<Verifier, Failure> {
    let help = "type a longer one, or generate one: openssl rand -base64 18";
    new_verifier(&password(name)?).map_err(|error| match error {
        PasswordError::Short => Failure::refused(error, help),
        PasswordError::Entropy(_) => plain(error),
    })
}

/// Reads a password: typed twice at a terminal, or the first line of standard input.
fn password(name: &str) -> Result<String, Failure> {
    let unread = |error: std::io::Error| Failure::refused(format!("the password cannot be read: {error}"), "try again");
    let password = if std::io::stdin().is_terminal() {
        let once = rpassword::prompt_password(format!("password of \"{name}\": ")).map_err(unread)?;
        let twice = rpassword::prompt_password("once more: ").map_err(unread)?;
        if once != twice {
            return Err(Failure::refused("the two passwords differ", "type the same password twice"));
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
    /// `removed` if only the part remains and the account is gone.
    role: String,
    /// The part of the promise; absent for curators, for approvers, and for accounts without a part.
    share: Option<String>,
    sharing: Option<&'static str>,
    /// Under a promise but for a chance, the number of equal answers that reveal as much as all of a reserved part's.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<u32>,
    left: Option<String>,
    /// Number of undecided requests for approval.
    waiting: usize,
}

fn list(of: &Place, format: LedgerFormat) -> Result<(), Failure> {
    let server = Server::of(of)?;
    let account = server.account()?;
    let account = account.as_ref();
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
            answers: part.filter(|part| part.answers > 1).map(|part| part.answers),
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
    // Removed accounts with a part are listed too: their owners still know the answers.
    let removed = account.iter().flat_map(|account| account.parts().keys()).map(String::as_str);
    let removed = removed.filter(|name| server.accounts.get(name).is_none()).map(|name| (name, None));
    let all: Vec<AccountLine> =
        server.accounts.iter().map(|(name, known)| (name, Some(known.role))).chain(removed).map(listed).collect();
    let text = match format {
        LedgerFormat::Json => deniable::json(&all),
        LedgerFormat::Table => {
            let mut table = Grid::new(["account", "role", "part", "", "left", "waiting requests"]);
            for one in &all {
                let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
                let sharing = one.sharing.unwrap_or_default();
                let row = [
                    one.name.clone(),
                    one.role.clone(),
                    text(&one.share),
                    one.answers
                        .map_or_else(|| sharing.to_owned(), |answers| format!("{sharing}, as {answers} answers")),
                    text(&one.left),
                    if one.waiting == 0 { "-".to_owned() } else { one.waiting.to_string() },
                ];
                table.add_row(row.map(cell));
            }
            let free = account.map_or_else(|| whole(1), |account| account.unreserved_share());
            format!("{table}\nnot reserved: {free} of the promise\n")
        }
    };
    publish(&text, None)
}
