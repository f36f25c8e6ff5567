//! A whole policy, read and validated.

use crate::budget::QueryBudget;
use crate::error::{PolicyErrorKind, PolicyErrors};
use crate::quality::{Display, Quality};
use crate::query::{OwnCaps, Query, Size};
use crate::reader::Report;
use crate::shares::TargetsTooDear;
use crate::typical::Typical;
use crate::{shares, slips, tree};
use deniable_core::adversary::{Adversary, Preset};
use deniable_core::exact::Rational;
use deniable_core::guarantee::{Guarantee, GuaranteeError};
use deniable_core::promise::Promise;
use deniable_core::schema::{Column, Data, DeclaredTable, Entity, Key, Role};
use deniable_core::sensitivity::Caps;
use deniable_publication::{Heading, Imprint};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

mod changed;
mod rehearsal;
pub(crate) mod sections;

pub use rehearsal::MadeUpRows;
pub use sections::is_population;

/// Largest policy file, in bytes: 1 MiB.
pub const LARGEST_FILE: u64 = 1 << 20;

/// A validated policy. All numbers are exact. Fields cannot be changed from outside, so that its guarantee, its limit
/// and its queries stay those that were validated together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    file: PathBuf,
    source: String,
    name: String,
    ledger: PathBuf,
    data: Data,
    entity: Option<Entity>,
    columns: Vec<Column>,
    more: Vec<DeclaredTable>,
    table_caps: BTreeMap<String, OwnCaps>,
    guarantee: Guarantee,
    spend: Rational,
    per_version: Option<Rational>,
    new_entities: BTreeSet<String>,
    confidence: Rational,
    quality: Quality,
    display: Display,
    imprint: Imprint,
    headings: BTreeMap<String, Heading>,
    typical: Typical,
    queries: Vec<Query>,
    is_asked: bool,
    rehearsal: Option<MadeUpRows>,
}

impl Policy {
    /// Reads a policy file.
    ///
    /// # Errors
    /// All errors of the policy, in the order of the file, each with its help.
    pub fn load(file: &Path) -> Result<Self, PolicyErrors> {
        Self::loaded(file, false)
    }

    /// Reads a policy file that may have no `[[query]]`: see [`Self::parse_to_ask_later`].
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_to_ask_later(file: &Path) -> Result<Self, PolicyErrors> {
        Self::loaded(file, true)
    }

    fn loaded(file: &Path, may_ask_nothing: bool) -> Result<Self, PolicyErrors> {
        let about = |kind, help| PolicyErrors::about_file(file, kind, help);
        let unreadable = |error: std::io::Error| {
            let help = match error.kind() {
                std::io::ErrorKind::NotFound => "check the path, or write a policy there first",
                std::io::ErrorKind::PermissionDenied => "ask its owner for permission to read it",
                _ => "check the file and its disk",
            };
            about(PolicyErrorKind::Unreadable(error.to_string()), help)
        };
        if file.is_dir() {
            return Err(about(PolicyErrorKind::Folder, "name the policy file inside it"));
        }
        let mut bytes = Vec::new();
        let opened = std::fs::File::open(file).map_err(unreadable)?;
        // One byte above the limit reveals a file that is too large, whatever its metadata state.
        opened.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(about(PolicyErrorKind::TooLarge, "this may be a data file; name the policy instead"));
        }
        match std::str::from_utf8(&bytes) {
            Ok(source) => Self::parsed(file, source, may_ask_nothing),
            Err(error) => {
                // Up to the first invalid byte the lossy text equals the file, so the place is right.
                let source = String::from_utf8_lossy(&bytes);
                let report = Report::new(&source);
                let bad = error.valid_up_to()..error.valid_up_to() + char::REPLACEMENT_CHARACTER.len_utf8();
                report.fail(&bad, PolicyErrorKind::NotUtf8, "save the file in the encoding UTF-8");
                Err(PolicyErrors::new(file, &source, report.into_errors()))
            }
        }
    }

    /// Reads the text of a policy; `file` names it in errors, and paths are relative to its folder.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(file: &Path, source: &str) -> Result<Self, PolicyErrors> {
        Self::parsed(file, source, false)
    }

    /// Reads the text of a policy that may have no `[[query]]`: all its queries come later ([`Policy::with_query`]).
    ///
    /// # Errors
    /// As [`Self::load`], except for missing queries.
    pub fn parse_to_ask_later(file: &Path, source: &str) -> Result<Self, PolicyErrors> {
        Self::parsed(file, source, true)
    }

    fn parsed(file: &Path, source: &str, may_ask_nothing: bool) -> Result<Self, PolicyErrors> {
        if source.trim_start_matches('\u{feff}').trim().is_empty() {
            return Err(PolicyErrors::about_file(file, PolicyErrorKind::EmptyFile, "write a policy into it"));
        }
        match tree::parse(source) {
            Ok(root) => Self::validated(file, source, &root, may_ask_nothing),
            Err(tree::SyntaxError { message, span }) => {
                let report = Report::new(source);
                report.fail(&span, PolicyErrorKind::Syntax(message), slips::help(source, &span));
                Err(PolicyErrors::new(file, source, report.into_errors()))
            }
        }
    }

    /// The policy of a tree, whose places are in `source`.
    pub(crate) fn validated(
        file: &Path,
        source: &str,
        root: &tree::Node,
        may_ask_nothing: bool,
    ) -> Result<Self, PolicyErrors> {
        let report = Report::new(source);
        report.find_blanks(root);
        let policy = sections::read(&report, file, root, may_ask_nothing);
        report.fail_blanks();
        let errors = report.into_errors();
        match policy {
            Ok(policy) if errors.is_empty() => Ok(policy),
            _ => Err(PolicyErrors::new(file, source, errors)),
        }
    }

    /// The folder of the policy file, which [`Data::path`] is relative to; empty for the working directory.
    #[must_use]
    pub fn folder(&self) -> &Path {
        folder(&self.file)
    }

    /// Every table, the main one first.
    #[must_use]
    pub fn tables(&self) -> Vec<DeclaredTable> {
        let role = Role::Protected { entity: self.entity.as_ref().map(|entity| entity.key.clone()) };
        let main = DeclaredTable { data: self.data.clone(), columns: self.columns.clone(), role };
        std::iter::once(main).chain(self.more.iter().cloned()).collect()
    }

    /// The declared column of this name in the main table.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// This policy with final shares: `solved[i]` is the share that was found for `queries[i]` if it has a target
    /// error, and is ignored otherwise. Queries by weight divide the spend that explicit shares and targets leave.
    ///
    /// # Errors
    /// When a target has no positive share, when targets need more than explicit shares leave, and when no budget is
    /// left for queries by weight.
    pub fn with_solved(&self, solved: &[Option<Rational>]) -> Result<Self, TargetsTooDear> {
        Ok(Self { queries: shares::with_solved(&self.queries, solved, self.query_budget())?, ..self.clone() })
    }

    /// This policy with shares by weight that divide another part of the promise; those that were found for target
    /// errors, and explicit ones, are unchanged. `None` if these leave nothing of it.
    #[must_use]
    pub fn with_part(&self, part: &Rational) -> Option<Self> {
        let found = |query: &Query| matches!(query.size, Size::TargetError(_)).then(|| query.share.clone());
        let solved: Vec<Option<Rational>> = self.queries.iter().map(found).collect();
        let budget = QueryBudget { key: self.query_budget().key, part };
        Some(Self { queries: shares::with_solved(&self.queries, &solved, budget).ok()?, ..self.clone() })
    }

    /// This policy reading its main table from another path, with the compression that its ending states, if any.
    ///
    /// # Errors
    /// The path's format, `CSV` or `Parquet`, when its ending states another one than the data's; `no Parquet` for rows
    /// of a database.
    pub fn with_data_at(mut self, path: String) -> Result<Self, &'static str> {
        self.data.set_path(path)?;
        Ok(self)
    }

    /// This policy reading one of its tables from another path; unchanged if it does not have the table.
    ///
    /// # Errors
    /// As of [`Self::with_data_at`].
    pub fn with_table_at(mut self, table: &str, path: String) -> Result<Self, &'static str> {
        let further = self.more.iter_mut().map(|further| &mut further.data);
        if let Some(data) = std::iter::once(&mut self.data).chain(further).find(|data| data.table == table) {
            data.set_path(path)?;
        }
        Ok(self)
    }

    /// This policy with the keys of a column that takes them from a public table, in the order of that table, each with
    /// its label if it has one. Unchanged if the column does not take its keys from a table.
    #[must_use]
    pub fn with_keys(mut self, table: &str, column: &str, listed: &[(Key, Option<String>)]) -> Self {
        let main = (self.data.table == table).then_some(&mut self.columns);
        let further =
            self.more.iter_mut().find(|further| further.data.table == table).map(|further| &mut further.columns);
        let mut columns = main.or(further).into_iter().flatten();
        if let Some(found) = columns.find(|known| known.name == column)
            && let Some(from) = &found.keys_from
        {
            found.keys = Some(listed.iter().map(|(key, _)| key.clone()).chain(from.further.iter().cloned()).collect());
            let labels = listed.iter().filter_map(|(key, label)| Some((key.clone(), label.clone()?)));
            found.labels.extend(labels);
        }
        self
    }

    /// This policy with the parents of a column's keys, for each of its coarser columns in their order, if they are
    /// taken from a public table.
    #[must_use]
    pub fn with_parents(mut self, table: &str, column: &str, listed: Vec<BTreeMap<Key, String>>) -> Self {
        let main = (self.data.table == table).then_some(&mut self.columns);
        let further =
            self.more.iter_mut().find(|further| further.data.table == table).map(|further| &mut further.columns);
        let mut columns = main.or(further).into_iter().flatten();
        if let Some(found) = columns.find(|known| known.name == column && known.keys_from.is_some()) {
            found.parents.iter_mut().zip(listed).for_each(|(parents, of)| parents.of = of);
        }
        self
    }

    /// This policy with its ledger at another path.
    #[must_use]
    pub fn with_ledger(self, ledger: PathBuf) -> Self {
        Self { ledger, ..self }
    }

    /// Whether its query was asked outside of the policy ([`Self::with_query`]), perhaps by an analyst.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// This policy with another promise to the same people; queries and shares are unchanged.
    ///
    /// # Errors
    /// When the promises cannot be kept against that adversary.
    pub fn with_promise(
        &self,
        adversary: Adversary,
        preset: Option<Preset>,
        promises: Vec<Promise>,
    ) -> Result<Self, GuaranteeError> {
        let subject = self.guarantee.subject().clone();
        let guarantee = Guarantee::new(subject, self.guarantee.secret(), adversary, preset, promises)?;
        let guarantee = match self.guarantee.but_for_a_chance() {
            None => guarantee,
            Some(but_for) => {
                let promises = but_for.promises().to_vec();
                match guarantee.clone().but_for(but_for.chance().clone(), but_for.people(), promises) {
                    // What holds for certain now needs no chance.
                    Err(GuaranteeError::SurelyAlready { .. }) => guarantee,
                    other => other?,
                }
            }
        };
        Ok(Self { guarantee, ..self.clone() })
    }

    /// The path of the policy file, as given.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The text of the file, into which places point.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The name of this policy in the ledger: one line.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The people the promise is about: letters, digits, `-`, `_` and `.`.
    #[must_use]
    pub fn population(&self) -> &str {
        self.guarantee.subject().population()
    }

    /// The ledger file, relative to the working directory like [`Self::file`], or absolute.
    #[must_use]
    pub fn ledger(&self) -> &Path {
        &self.ledger
    }

    /// The location of the rows of the main table.
    #[must_use]
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The privacy unit; `None` if one row is one person.
    #[must_use]
    pub fn entity(&self) -> Option<&Entity> {
        self.entity.as_ref()
    }

    /// The privacy unit with the caps of one query.
    #[must_use]
    pub fn table_caps(&self) -> &BTreeMap<String, OwnCaps> {
        &self.table_caps
    }

    /// The caps of a query whose rows are those of a table: each of them is stated by the query, by the table, or else by `[entity]`.
    /// `None` when one row is one person.
    #[must_use]
    pub fn caps_of(&self, query: OwnCaps, table: &str) -> Option<Caps> {
        let entity = self.entity.as_ref()?;
        let of_table = self.table_caps.get(table).copied().unwrap_or_default();
        Some(query.or(of_table.or(entity.caps)))
    }

    /// The declared columns of the main table, in the order of the file.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The further tables, in the order of the file; at most [`MOST_TABLES`](crate::MOST_TABLES), of different names.
    #[must_use]
    pub fn more(&self) -> &[DeclaredTable] {
        &self.more
    }

    /// The promise, the protected people and the adversary.
    #[must_use]
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The part of ln R that this policy may use, in (0, 1].
    #[must_use]
    pub fn spend(&self) -> &Rational {
        &self.spend
    }

    /// The share of ln R that all charges on one version of the data may use together, in (0, 1]; of a part of the
    /// budget, this share of the part. `None` without a limit.
    #[must_use]
    pub fn per_version(&self) -> Option<&Rational> {
        self.per_version.as_ref()
    }

    /// The tables of which each version contains only entities that no other version contains (C-9).
    #[must_use]
    pub fn new_entities(&self) -> &BTreeSet<String> {
        &self.new_entities
    }

    /// The part of ln R that the queries divide: `per_version` if it is smaller than `spend`, so that the policy can be
    /// released once for each version.
    #[must_use]
    pub fn query_budget(&self) -> QueryBudget<'_> {
        QueryBudget::new(&self.spend, self.per_version.as_ref())
    }

    /// The least coverage of the intervals, in (0, 1).
    #[must_use]
    pub fn confidence(&self) -> &Rational {
        &self.confidence
    }

    /// The limits of the quality classes of released numbers.
    #[must_use]
    pub fn quality(&self) -> &Quality {
        &self.quality
    }

    /// The default rules for showing released numbers, which a query may replace.
    #[must_use]
    pub fn display(&self) -> &Display {
        &self.display
    }

    /// Title, publisher and other facts for readers.
    #[must_use]
    pub fn imprint(&self) -> &Imprint {
        &self.imprint
    }

    /// The labels and units of columns, by name, of those that have one.
    #[must_use]
    pub fn headings(&self) -> &BTreeMap<String, Heading> {
        &self.headings
    }

    /// The public guesses at typical values; that of the rows is in [`Self::data`].
    #[must_use]
    pub fn typical(&self) -> &Typical {
        &self.typical
    }

    /// The queries, at least one; their shares add up to at most [`Self::query_budget`]. Shares are final unless a query
    /// has a target error: see [`Self::with_solved`].
    #[must_use]
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}
