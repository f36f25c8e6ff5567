//! Writing a choice into the policy, and undoing it: the promise and the priors; the rest of the file stays unchanged.

use crate::view::{Choice, EarlierFile, Explorer, PolicyFile, change, chosen, exact};
use deniable_core::exact::{Rational, parse_rational};
use deniable_policy::Policy;
use deniable_release::{Plan, with_public_keys};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use toml_edit::{DocumentMut, Item, TableLike, Value, value};

/// A choice that was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The choice cannot be kept.
    #[error("{0}")]
    Choice(String),
    /// The file was edited since it was last read or written here.
    #[error(
        "the policy was changed since this page was opened; nothing was written. End `deniable explore` and start it \
         again"
    )]
    Changed,
    /// There is no write to undo.
    #[error("nothing was written by this page since it was opened, or it was undone already")]
    NothingWritten,
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
        .filter(|key| key != "but_for" || chosen.guarantee().but_for_a_chance().is_none())
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

fn section<'a>(document: &'a mut DocumentMut, name: &str) -> Result<&'a mut dyn TableLike, String> {
    document.get_mut(name).and_then(Item::as_table_like_mut).ok_or_else(|| format!("there is no [{name}] section"))
}

/// Sets a key, keeping the comment behind it.
fn set(table: &mut dyn TableLike, key: &str, new: Value) {
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
    // Held until the file is written: two pages write one after the other.
    let mut file = explorer.file();
    let policy = file.plan.policy();
    let chosen = chosen(policy, choice).map_err(WriteError::Choice)?;
    is_unchanged(&file)?;
    let text = edited(&file.text, choice, &chosen).map_err(WriteError::Unsure)?;
    let again = Policy::parse(policy.file(), &text).map_err(|errors| WriteError::Unsure(errors.to_string()))?;
    let same = again.guarantee().same_as(chosen.guarantee()) && again.queries().len() == policy.queries().len();
    if !same {
        return Err(WriteError::Unsure("it would promise something else".to_owned()));
    }
    // A policy whose queries cannot be planned would be refused by every command.
    let again = with_public_keys(again).map_err(|error| WriteError::Unsure(error.to_string()))?;
    let plan = Plan::new(again)
        .map_err(|errors| WriteError::Choice(errors.to_string().replace('\n', "; ") + "; nothing was written"))?;
    replace(policy.file(), &text)?;
    let change = change(policy.guarantee(), plan.policy().guarantee());
    let (plan, text) = (std::mem::replace(&mut file.plan, Arc::new(plan)), std::mem::replace(&mut file.text, text));
    file.earlier = Some(EarlierFile { plan, text, change });
    Ok(())
}

/// Restores the contents of the policy's file before the last write.
///
/// # Errors
/// When nothing was written, or the file was changed since.
pub fn undo(explorer: &Explorer) -> Result<(), WriteError> {
    let mut file = explorer.file();
    is_unchanged(&file)?;
    let earlier = file.earlier.as_ref().ok_or(WriteError::NothingWritten)?;
    replace(file.plan.policy().file(), &earlier.text)?;
    if let Some(EarlierFile { plan, text, .. }) = file.earlier.take() {
        *file = PolicyFile { plan, text, earlier: None };
    }
    Ok(())
}

fn is_unchanged(file: &PolicyFile) -> Result<(), WriteError> {
    if std::fs::read_to_string(file.plan.policy().file())? == file.text { Ok(()) } else { Err(WriteError::Changed) }
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

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "# mine
name = 'n'
population = 'p'
data = { table = 't', path = 't.csv', version = '1', typical_rows = 1_000 }
adversary = { preset = 'acquaintance' }
promise = { posterior_at_most = 0.9, but_for = { chance = '1/1000000', posterior_at_most = 0.75 } }

[[query]]
sql = 'SELECT COUNT(*) FROM t'
share = '1/50'
";

    fn explorer(folder: &Path, text: &str) -> Explorer {
        let path = folder.join("policy.toml");
        std::fs::write(&path, text).unwrap();
        Explorer::new(&Plan::new(Policy::parse(&path, text).unwrap()).unwrap()).unwrap()
    }

    fn at_most(value: &str) -> Choice {
        Choice { key: "posterior_at_most".to_owned(), value: value.to_owned(), low: None, high: None, draw: 0 }
    }

    #[test]
    fn a_write_is_undone_once() {
        let folder = tempfile::tempdir().unwrap();
        let explorer = explorer(folder.path(), POLICY);
        let read = || std::fs::read_to_string(folder.path().join("policy.toml")).unwrap();
        assert!(matches!(undo(&explorer), Err(WriteError::NothingWritten)));
        write(&explorer, &at_most("0.8")).unwrap();
        assert!(read().contains("posterior_at_most = 0.8,"), "{}", read());
        assert_eq!(explorer.view(&at_most("0.8")).unwrap().change, "");
        undo(&explorer).unwrap();
        assert_eq!(read(), POLICY);
        assert!(matches!(undo(&explorer), Err(WriteError::NothingWritten)));
        assert_ne!(explorer.view(&at_most("0.8")).unwrap().change, "");
    }

    #[test]
    fn edited_files_are_neither_written_nor_restored() {
        let folder = tempfile::tempdir().unwrap();
        let explorer = explorer(folder.path(), POLICY);
        let path = folder.path().join("policy.toml");
        write(&explorer, &at_most("0.8")).unwrap();
        let edited = std::fs::read_to_string(&path).unwrap() + "# theirs\n";
        std::fs::write(&path, &edited).unwrap();
        assert!(matches!(write(&explorer, &at_most("0.85")), Err(WriteError::Changed)));
        assert!(matches!(undo(&explorer), Err(WriteError::Changed)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
    }

    /// A promise but for a chance is kept where it still says more than what holds for certain.
    #[test]
    fn promises_but_for_a_chance_are_kept() {
        let in_sections = POLICY.replace(
            "promise = { posterior_at_most = 0.9, but_for = { chance = '1/1000000', posterior_at_most = 0.75 } }\n",
            "[promise]\nposterior_at_most = 0.9 # high\n[promise.but_for]\nchance = '1/1000000'\nposterior_at_most = 0.75\n",
        );
        for text in [POLICY, &in_sections] {
            let folder = tempfile::tempdir().unwrap();
            let explorer = explorer(folder.path(), text);
            let written = |choice: Choice| {
                let view = explorer.view(&choice).unwrap();
                write(&explorer, &choice).unwrap();
                (view, std::fs::read_to_string(folder.path().join("policy.toml")).unwrap())
            };
            let (view, file) = written(Choice { key: "gain".to_owned(), ..at_most("4") });
            assert!(file.contains("but_for") && file.contains("gain = 4"), "{file}");
            assert!(view.but_for.contains("the largest odds ratio is 3"), "{}", view.but_for);
            assert!(!view.change.contains("but for"), "{}", view.change);
            let (view, file) = written(at_most("0.7"));
            assert!(!file.contains("but_for"), "{file}");
            assert!(view.but_for.contains("Writing removes it"), "{}", view.but_for);
            assert_eq!(
                view.change,
                "belief grows at most by a factor of 4; but for one chance in 1,000,000, no observer becomes surer than \
                 75% → no observer becomes surer than 70%"
            );
        }
    }
}
