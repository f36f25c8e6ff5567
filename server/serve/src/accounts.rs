//! Accounts: names, roles and password verifiers, in a file that only its owner may read.

use crate::server::SALT;
use deniable_core::text::printable;
pub use deniable_wire::Verifier;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The header line of the file.
const HEAD: &str =
    "# name role verifier, written by `deniable account`. Keep this file private: it allows guessing passwords.\n";
/// Maximum length of a name in characters, as for a PostgreSQL role.
const LONGEST: usize = 63;
/// Permission bits of users other than the owner.
#[cfg(unix)]
const OTHERS: u32 = 0o077;

/// The role of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Queries the data, and pays from a part of the promise that is set aside.
    Analyst,
    /// Queries the data for all users: answers are published to all, and paid from the share that is not reserved.
    Curator,
    /// Gets no answers, and decides which queries of analysts may be charged.
    Approver,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Analyst, Self::Curator, Self::Approver];

    /// The name of the role in the accounts file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Analyst => "analyst",
            Self::Curator => "curator",
            Self::Approver => "approver",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|role| role.name() == text);
        known.ok_or_else(|| format!("\"{}\" is not a role; use analyst, curator or approver", printable(text)))
    }
}

/// An account, without its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its role.
    pub role: Role,
    /// The verifier of its password (SCRAM).
    pub verifier: Verifier,
}

/// All accounts, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Accounts(BTreeMap<String, Account>);

/// An accounts file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AccountsError {
    /// The file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// Users other than the owner may read the file.
    #[error("{}: users other than its owner may read it; chmod 600 it", .path.display())]
    Open {
        /// Its path.
        path: PathBuf,
    },
    /// A line is malformed.
    #[error("{}, line {line}: {reason}", .path.display())]
    Line {
        /// The file's path.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// The cause.
        reason: String,
    },
    /// The name of an account is invalid.
    #[error("an account needs a name of 1 to {LONGEST} letters, digits and `_.@-`, and not \"{0}\"")]
    Name(String),
}

/// Whether a text is a valid name of an account.
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(|c| c.is_alphanumeric() || "_.@-".contains(c))
}

impl Accounts {
    /// Reads a file. A missing file contains no accounts.
    ///
    /// # Errors
    /// When the file cannot be read, may be read by users other than its owner, or has a malformed line.
    pub fn read(path: &Path) -> Result<Self, AccountsError> {
        let file = |error| AccountsError::File { path: path.to_owned(), error };
        match fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(file(error)),
            Ok(known) if is_open(&known) => return Err(AccountsError::Open { path: path.to_owned() }),
            Ok(_) => {}
        }
        let text = fs::read_to_string(path).map_err(file)?;
        let mut all = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            let wrong = |reason: String| AccountsError::Line { path: path.to_owned(), line: at + 1, reason };
            let words: Vec<&str> = line.split_whitespace().collect();
            let (name, account) = match words.as_slice() {
                [] => continue,
                [first, ..] if first.starts_with('#') => continue,
                [name, role, verifier] if is_name(name) => {
                    let role = role.parse().map_err(wrong)?;
                    let verifier = verifier
                        .parse()
                        .map_err(|error: deniable_wire::verifier::NoVerifier| wrong(error.to_string()))?;
                    ((*name).to_owned(), Account { role, verifier })
                }
                _ => return Err(wrong("expected `name role verifier`".to_owned())),
            };
            if all.insert(name.clone(), account).is_some() {
                return Err(wrong(format!("account \"{name}\" is declared twice")));
            }
        }
        Ok(Self(all))
    }

    /// Writes the file atomically, readable by its owner alone.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), AccountsError> {
        let file = |error| AccountsError::File { path: path.to_owned(), error };
        let mut text = HEAD.to_owned();
        for (name, Account { role, verifier }) in &self.0 {
            text.push_str(&format!("{name} {role} {verifier}\n"));
        }
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let beside = PathBuf::from(beside);
        let _ = fs::remove_file(&beside);
        let written = private(&beside).and_then(|mut new| {
            new.write_all(text.as_bytes())?;
            new.sync_all()
        });
        written.and_then(|()| fs::rename(&beside, path)).map_err(file)
    }

    /// The account with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Account> {
        self.0.get(name)
    }

    /// All accounts, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Account)> {
        self.0.iter().map(|(name, account)| (name.as_str(), account))
    }

    /// Adds an account, or replaces the account with this name.
    ///
    /// # Errors
    /// When the name is invalid.
    pub fn put(&mut self, name: &str, account: Account) -> Result<(), AccountsError> {
        if !is_name(name) {
            return Err(AccountsError::Name(printable(name).into_owned()));
        }
        self.0.insert(name.to_owned(), account);
        Ok(())
    }

    /// Removes an account. Returns whether it existed.
    pub fn remove(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }
}

/// Minimum length of a new password in characters.
pub const SHORTEST_PASSWORD: usize = 12;

/// A password for which no verifier can be made.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The password is too short.
    #[error("a password has at least {SHORTEST_PASSWORD} characters")]
    Short,
    /// The system provides no random bits.
    #[error(transparent)]
    Entropy(#[from] getrandom::Error),
}

/// Makes the verifier of a password, with a new random salt.
///
/// # Errors
/// When the password is too short, or the system provides no random bits.
pub fn new_verifier(password: &str) -> Result<Verifier, PasswordError> {
    if password.chars().count() < SHORTEST_PASSWORD {
        return Err(PasswordError::Short);
    }
    let mut salt = [0; SALT];
    getrandom::fill(&mut salt)?;
    Ok(Verifier::of_password(password, &salt))
}

fn private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether users other than its owner may read a file.
#[cfg(unix)]
pub(crate) fn is_open(known: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&known.permissions()) & OTHERS != 0
}

#[cfg(not(unix))]
pub(crate) fn is_open(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_file_is_readable_by_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("accounts");
        let mut accounts = Accounts::read(&path).unwrap();
        assert_eq!(accounts, Accounts::default());
        let account = Account { role: Role::Analyst, verifier: Verifier::of_password("secret", b"salt") };
        accounts.put("ana", account.clone()).unwrap();
        accounts.put("bo@clinic", Account { role: Role::Curator, ..account.clone() }).unwrap();
        assert!(accounts.put("two words", account.clone()).is_err() && accounts.put("", account).is_err());
        accounts.write(&path).unwrap();
        assert_eq!(Accounts::read(&path).unwrap(), accounts);
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("secret") && text.contains("\nbo@clinic curator SCRAM-SHA-256$4096:"), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            assert!(matches!(Accounts::read(&path), Err(AccountsError::Open { .. })));
        }
    }

    #[test]
    fn short_passwords_are_refused() {
        for short in ["", "a", "secret", "elevenchars", "éééééé"] {
            assert!(matches!(new_verifier(short), Err(PasswordError::Short)), "{short}");
        }
        assert!(new_verifier("twelve chars").is_ok() && new_verifier(&"é".repeat(12)).is_ok());
    }

    #[test]
    fn malformed_lines_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("accounts");
        let verifier = Verifier::of_password("secret", b"salt");
        for text in ["ana", "ana owner x", "ana analyst x", &format!("ana analyst {verifier}\nana curator {verifier}")]
        {
            let _ = fs::remove_file(&path);
            private(&path).unwrap().write_all(text.as_bytes()).unwrap();
            assert!(matches!(Accounts::read(&path), Err(AccountsError::Line { .. })), "{text}");
        }
    }
}
