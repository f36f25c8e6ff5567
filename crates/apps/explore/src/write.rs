//! Writing a choice into the policy: the promise and the priors; the rest of the file stays unchanged.

use crate::view::{Choice, Explorer, exact};
use deniable_core::exact::{Rational, parse_rational};
use deniable_policy::Policy;
use deniable_release::{Plan, with_public_keys};
use std::io::Write;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table, Value, value};

/// A choice that was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The choice cannot be kept.
    #[error("{0}")]
    Choice(String),
    /// The file was edited since the page was opened.
    #[error(
        "the policy was changed since this page was opened; nothing was written. End `deniable explore` and start it \
         again"
    )]
    Changed,
    /// The changed file would not state the choice.
    #[error(
        "the choice cannot be written into the policy correctly ({0}); nothing was written. Edit its [promise] by hand"
    )]
    Unsure(String),
    /// The file cannot be written.
    #[error("the policy cannot be written: {0}")]
    File(#[from] std::io::Error),
}

/// The keys that belong to a promise.
fn keys_of(key: &str) -> &'static [&'static str] {
    match key {
        "rho" => &["rho", "among"],
        "alpha" | "beta" => &["alpha", "beta", "p_min", "p_max"],
        _ => &[],
    }
}

/// The policy's text with the choice in it. Comments and all other keys stay unchanged.
fn edited(text: &str, choice: &Choice, chosen: &Policy) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let number = parse_rational(&choice.value).map_err(|error| error.to_string())?;
    let promise = section(&mut document, "promise")?;
    let others: Vec<String> = promise
        .iter()
        .map(|(key, _)| key.to_owned())
        .filter(|key| *key != choice.key && !keys_of(&choice.key).contains(&key.as_str()))
        .collect();
    for key in others {
        promise.remove(&key);
    }
    set(promise, &choice.key, written(&number));
    let priors = chosen.guarantee().adversary().priors();
    if choice.low.is_some() {
        let end = |end: &Rational, open: bool| if open { String::new() } else { exact(end) };
        let (low, high) = (priors.low(), priors.high());
        let range = format!(
            "{}..{}",
            end(low, *low == Rational::from_integer(0.into())),
            end(high, *high == Rational::from_integer(1.into()))
        );
        set(section(&mut document, "adversary")?, "prior", range.into());
    }
    Ok(document.to_string())
}

fn section<'a>(document: &'a mut DocumentMut, name: &str) -> Result<&'a mut Table, String> {
    document.get_mut(name).and_then(Item::as_table_mut).ok_or_else(|| format!("there is no [{name}] section"))
}

/// Sets a key, keeping the comment behind it.
fn set(table: &mut Table, key: &str, new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(key, value(new));
        }
    }
}

/// A number in the notation of a policy: a decimal, or a fraction in quotes.
fn written(number: &Rational) -> Value {
    let text = exact(number);
    text.parse().unwrap_or_else(|_| text.into())
}

/// Writes a choice into the policy's file, whole or not at all.
///
/// # Errors
/// When the file was changed since it was read, or would not state exactly the choice.
pub fn write(explorer: &Explorer, choice: &Choice) -> Result<(), WriteError> {
    let policy = explorer.policy();
    let chosen = explorer.chosen(choice).map_err(WriteError::Choice)?;
    // Held until the file is written: two pages write one after the other.
    let mut known = explorer.text.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if std::fs::read_to_string(policy.file())? != *known {
        return Err(WriteError::Changed);
    }
    let text = edited(&known, choice, &chosen).map_err(WriteError::Unsure)?;
    let again = Policy::parse(policy.file(), &text).map_err(|errors| WriteError::Unsure(errors.to_string()))?;
    let same = again.guarantee().same_as(chosen.guarantee()) && again.queries().len() == policy.queries().len();
    if !same {
        return Err(WriteError::Unsure("it would promise something else".to_owned()));
    }
    // A policy whose queries cannot be planned would be refused by every command.
    let again = with_public_keys(again).map_err(|error| WriteError::Unsure(error.to_string()))?;
    Plan::new(again)
        .map_err(|errors| WriteError::Choice(errors.to_string().replace('\n', "; ") + "; nothing was written"))?;
    replace(policy.file(), &text)?;
    *known = text;
    Ok(())
}

/// Replaces a file, keeping its permissions.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}
