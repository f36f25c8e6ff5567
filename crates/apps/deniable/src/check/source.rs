//! Mechanisms by name, from files, and in memory.

use super::error::{File, FileKind};
use super::{Error, Mechanism, Prior, Subject};
use deniable_check::mechanism::file::Format;
use std::collections::BTreeMap;
use std::path::Path;

/// A mechanism or protocol.
#[derive(Debug, Clone)]
pub enum Source {
    /// A built-in mechanism by its name, or a file by its path: TOML, JSON, CSV, or Parquet with the feature `sql`. A
    /// name without an extension that is not the name of a file is taken as a built-in name.
    Named {
        /// The name or the path.
        name: String,
        /// The parameters of a built-in mechanism by name, as [`Builtin`](super::Builtin) lists them.
        parameters: BTreeMap<String, String>,
    },
    /// The JSON of a file.
    Json(String),
    /// Rows of a table: the members of a dataset with spaces between them, an output, and its probability.
    Rows(Vec<[String; 3]>),
    /// A mechanism in memory.
    Subject(Subject),
}

impl Source {
    /// [`Source::Named`].
    pub fn named<'a>(name: &str, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self::Named { name: name.to_owned(), parameters }
    }

    /// The name in titles and messages.
    pub(super) fn name(&self) -> &str {
        if let Self::Named { name, .. } = self { name } else { "mechanism" }
    }

    pub(super) fn read(&self) -> Result<Subject, Error> {
        match self {
            Self::Named { name, parameters } => named(name, parameters),
            Self::Json(text) => Subject::read(text, Format::Json).map_err(|error| Error::Content { file: None, error }),
            Self::Rows(rows) => {
                let rows: Vec<Vec<String>> = rows.iter().map(|row| row.to_vec()).collect();
                Subject::from_rows(&rows).map_err(|error| Error::Content { file: None, error })
            }
            Self::Subject(subject) => Ok(subject.clone()),
        }
    }

    /// Rejects a certificate path that cannot be written to, or is the file of the mechanism or of the priors.
    pub(super) fn spare(&self, certificate: &Path, priors: Option<&Path>) -> Result<(), Error> {
        let wrong = |problem| Err(Error::Certificate { path: certificate.to_owned(), problem });
        if certificate.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
            return wrong("its folder does not exist");
        }
        if certificate.is_dir() {
            return wrong("it is a folder");
        }
        let is_same = |own: &Path| match (certificate.canonicalize(), own.canonicalize()) {
            (Ok(certificate), Ok(own)) => certificate == own,
            _ => false,
        };
        if is_same(Path::new(self.name())) {
            return wrong("it is the file of the mechanism");
        }
        if priors.is_some_and(is_same) {
            return wrong("it is the file of the priors");
        }
        Ok(())
    }
}

fn named(name: &str, parameters: &BTreeMap<String, String>) -> Result<Subject, Error> {
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        return Subject::builtin(name, parameters).map_err(Error::Builtin);
    }
    if let Some(parameter) = parameters.keys().next() {
        return Err(Error::ParameterOfFile(parameter.clone()));
    }
    let file = File { path: path.to_owned(), kind: FileKind::Mechanism };
    #[cfg(feature = "sql")]
    if ["parquet", "pq"].iter().any(|parquet| file.extension().eq_ignore_ascii_case(parquet)) {
        let rows = deniable_data::texts(path, &["dataset", "output", "probability"])
            .map_err(|error| Error::Parquet(Box::new(error)))?;
        return Subject::from_rows(&rows).map_err(|error| Error::Content { file: Some(file), error });
    }
    let (text, format) = file.text()?;
    Subject::read(&text, format).map_err(|error| Error::Content { file: Some(file), error })
}

/// The priors of a file.
pub(super) fn priors(path: &Path, mechanism: &Mechanism) -> Result<Vec<Prior>, Error> {
    let file = File { path: path.to_owned(), kind: FileKind::Priors };
    let (text, format) = file.text()?;
    deniable_check::priors::read(&text, format, mechanism.entities())
        .map_err(|error| Error::Content { file: Some(file), error })
}

impl File {
    fn extension(&self) -> String {
        self.path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn text(&self) -> Result<(String, Format), Error> {
        let format = Format::of_extension(&self.extension()).ok_or_else(|| Error::Extension(self.clone()))?;
        let text =
            std::fs::read_to_string(&self.path).map_err(|source| Error::Unread { file: self.clone(), source })?;
        Ok((text, format))
    }
}
