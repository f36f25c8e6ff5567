//! `[[query]]`: the queries, and the part of the promise that each answer uses.

use crate::budget::{QueryBudget, part};
use crate::error::{Place, PolicyErrorKind};
use crate::every::{self, Calendar, Every, PeriodNode};
use crate::imprint;
use crate::quality::{Display, read_display, read_left_out};
use crate::reader::{Field, ReadResult, Section, all, shown};
use crate::shares::{Portions, TargetsTooDear};
use crate::tree::{Shape, text_start};
use crate::typical;
use deniable_core::exact::{Rational, whole};
use deniable_core::sensitivity::Caps;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;
use std::ops::Range;

/// One query of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// Unique in the policy; `query 1`, `query 2`, ... by position if not stated.
    pub name: String,
    /// The title for readers; not part of the query's identity.
    pub title: Option<String>,
    /// The SQL, as written; not blank.
    pub sql: String,
    /// The size of the answer's budget, as written.
    pub size: Size,
    /// The position of the size, in bytes of the policy's text; `None` if not stated.
    pub size_at: Option<Range<usize>>,
    /// The part of ln R that the answer uses, in (0, 1]: the answer costs `R^share` (C-1). Zero for a target error
    /// until [`crate::Policy::with_solved`] computes it.
    pub share: Rational,
    /// Whether the levels of GROUPING SETS, ROLLUP and CUBE are made to add up, if possible; `true` unless stated.
    pub consistent: bool,
    /// The rules for showing its numbers; `None` for those of the policy.
    pub display: Option<Display>,
    /// The query's own caps, if stated.
    pub caps: OwnCaps,
    /// The sampling of the rows, for intervals of averages and parts of rows that cover the population; not part of the
    /// query's identity.
    pub sampling: Option<Sampling>,
    /// A test of its numbers, shown as a note; not part of the query's identity.
    pub test: Option<Test>,
    /// The periods that it measures, if it is repeated for every period of a horizon.
    pub every: Option<PeriodNode>,
    /// The subject of the answer.
    pub about: QuerySubject,
    /// The part of the rows that it is about, by a public guess: the rows that pass WHERE and stay within the caps.
    pub typical_share: Option<Rational>,
    /// Typical values of expressions in it, as the plan prints them; for a condition, the part of the rows that meets
    /// it.
    pub typical: Vec<(String, Rational)>,
    /// The largest part of a number that caps and bounds leave out, by a public guess; `None` means the value of
    /// `[quality]`.
    pub typical_left_out: Option<Rational>,
    /// The line of the policy file in which the SQL text begins, from 1.
    pub line: usize,
    /// The column in that line, in characters from 1.
    pub column: usize,
}

/// The subject of an answer: a query itself, or statistics on its entities for the curator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuerySubject {
    /// The query itself.
    Cells,
    /// The number of entities of which the caps leave out rows (S-OUT), for the query of this name, whose `left_out`
    /// pays for it.
    LeftOut {
        /// The query's name.
        of: String,
    },
    /// Quantiles of values of its entities, for advice on the caps and bounds of the query of this name (S-OUT).
    Values {
        /// The query's name.
        of: String,
    },
}

impl QuerySubject {
    /// The name of the other query that it is about; `None` for the query itself.
    #[must_use]
    pub fn of(&self) -> Option<&str> {
        match self {
            Self::Cells => None,
            Self::LeftOut { of } | Self::Values { of } => Some(of),
        }
    }
}

/// Contribution bounds of one query, in place of those of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnCaps {
    /// Most rows of one entity in each group.
    pub rows_per_group: Option<u32>,
    /// Most groups of one entity.
    pub groups: Option<u32>,
}

impl OwnCaps {
    /// The caps in force, given those of the policy.
    #[must_use]
    pub fn or(self, caps: Caps) -> Caps {
        Caps {
            rows_per_group: self.rows_per_group.unwrap_or(caps.rows_per_group),
            groups: self.groups.unwrap_or(caps.groups),
        }
    }
}

/// The selection of the people in the data from the population of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// Each as likely as any other, independently or without replacement: a simple random sample.
    Simple,
}

/// A statistical test of released numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// Whether two groups are independent of each other.
    Independence,
}

/// The size of a query's budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Size {
    /// A weight against those of other queries, for the budget that shares and targets leave; positive, 1 unless
    /// stated.
    Weight(Rational),
    /// A part of ln R, in (0, 1].
    Share(Rational),
    /// The share that a margin of this size needs, at the policy's confidence and in the answer's own units; positive.
    TargetError(Rational),
}

/// A query that cannot be charged for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Blank SQL, or a name that is not one line.
    #[error("a query needs SQL, and a name of one line")]
    Blank,
    /// A name that is too long for lists of answers.
    #[error("a query's name has at most {MOST_LETTERS} characters, and this one has {0}")]
    LongName(usize),
    /// A share with too many digits for fast arithmetic.
    #[error("a share is a fraction of at most {MOST_BITS} binary digits above and below the line")]
    LongShare,
    /// Caps where one row is one person.
    #[error(
        "`rows_per_group` and `groups` bound the rows of an entity, and the policy has no [entity]: one row is one person"
    )]
    NoEntity,
    /// A share outside (0, 1].
    #[error("a share of {0} is not a part of the promise: above 0 and at most 1")]
    Share(Rational),
    /// Explicit shares of more than queries may spend together.
    #[error(
        "the explicit shares of these queries are {shares} of the promise, more than the {spend} that they may spend"
    )]
    Explicit {
        /// The sum of the explicit shares.
        shares: Rational,
        /// The part of the promise for all of them.
        spend: Rational,
    },
    /// A query whose share follows from its target error, or from the horizon over which it is repeated.
    #[error("the share of \"{0}\" follows from its target error or its horizon")]
    OwnShare(String),
    /// Nothing is left for queries by weight.
    #[error(transparent)]
    Targets(#[from] TargetsTooDear),
}

/// Limit on the name of a query outside a policy.
const MOST_LETTERS: usize = 200;

/// Limit on each part of a share: more than 300 decimals.
const MOST_BITS: u64 = 1_000;

/// Checks a part of the promise that is not of a file.
pub(crate) fn check_part(part: &Rational) -> Result<(), QueryError> {
    if part.numer().bits().max(part.denom().bits()) > MOST_BITS {
        return Err(QueryError::LongShare);
    }
    if !part.is_positive() || *part > whole(1) {
        return Err(QueryError::Share(part.clone()));
    }
    Ok(())
}

impl Query {
    /// A query outside a file, for a share of the promise.
    pub(crate) fn single(name: &str, sql: &str, share: &Rational) -> Result<Self, QueryError> {
        if sql.trim().is_empty() || name.trim().is_empty() || name.contains(char::is_control) {
            return Err(QueryError::Blank);
        }
        let letters = name.chars().count();
        if letters > MOST_LETTERS {
            return Err(QueryError::LongName(letters));
        }
        check_part(share)?;
        Ok(Self {
            name: name.to_owned(),
            sql: sql.to_owned(),
            size: Size::Share(share.clone()),
            size_at: None,
            share: share.clone(),
            consistent: true,
            title: None,
            display: None,
            caps: OwnCaps::default(),
            sampling: None,
            test: None,
            every: None,
            about: QuerySubject::Cells,
            typical_share: None,
            typical: Vec::new(),
            typical_left_out: None,
            // Not in a file.
            line: 0,
            column: 0,
        })
    }

    /// The query about the losses of this query's caps, for a share of its own.
    fn left_out(&self, share: Rational) -> Self {
        Self {
            name: beside(&self.name),
            size: Size::Share(share.clone()),
            size_at: None,
            share,
            title: None,
            display: None,
            sampling: None,
            test: None,
            about: QuerySubject::LeftOut { of: self.name.clone() },
            ..self.clone()
        }
    }

    /// The query for advice on this query's caps and bounds, for a share of its own.
    pub(crate) fn values(&self, share: Rational) -> Self {
        let about = QuerySubject::Values { of: self.name.clone() };
        Self { name: format!("{}, values", self.name), about, ..self.left_out(share) }
    }
}

pub(crate) const KEYS: [&str; 17] = [
    "name",
    "title",
    "sql",
    "weight",
    "share",
    "target_error",
    "consistent",
    "display",
    "rows_per_group",
    "groups",
    "left_out",
    "sampling",
    "test",
    "every",
    "typical_share",
    "typical",
    "typical_left_out",
];

/// A query before its share is known.
struct Draft<'a> {
    section: Section<'a>,
    name: String,
    title: Option<String>,
    sql: String,
    start: usize,
    size: Size,
    consistent: bool,
    display: Option<Display>,
    caps: OwnCaps,
    left_out: Option<Rational>,
    sampling: Option<Sampling>,
    test: Option<Test>,
    /// The horizon with the period of the data.
    every: Option<(Every, u32)>,
    typical_share: Option<Rational>,
    typical: Vec<(String, Rational)>,
    typical_left_out: Option<Rational>,
}

impl Draft<'_> {
    /// The part of the promise that is taken from the budget of the queries before weights divide the rest: of a
    /// repeated query all of it, or what the release of one period uses at most where a version is limited.
    fn taken(&self, budget: QueryBudget<'_>) -> Option<Rational> {
        match (&self.size, &self.every) {
            (Size::Share(_), Some((every, _))) if budget.key == "per_version" => Some(every.largest_release()),
            (Size::Share(share), _) => Some(share.clone()),
            (Size::Weight(_) | Size::TargetError(_), _) => None,
        }
    }
}

/// Reads `[[query]]`. Shares are computed only if the budget could be read. `is_capped` states whether there is an
/// `[entity]`.
pub(crate) fn read(
    field: &Field<'_>,
    budget: ReadResult<QueryBudget<'_>>,
    is_capped: bool,
    calendar: &Calendar<'_>,
) -> ReadResult<Vec<Query>> {
    if let Shape::Table(_) = field.node.shape {
        return Err(field.wrong_type("a list of tables", "write `[[query]]`, in double brackets, above every query"));
    }
    let entries = field.list("a list of tables")?;
    if entries.is_empty() {
        return Err(field.fail(PolicyErrorKind::NoQuery, NO_QUERY_HELP));
    }
    let mut names = BTreeMap::new();
    let drafts = all(entries
        .iter()
        .enumerate()
        .map(|(index, entry)| read_draft(entry, index + 1, &mut names, is_capped, calendar)))?;
    share_out(drafts, budget?)
}

/// The hint for a policy without queries.
pub(crate) const NO_QUERY_HELP: &str = "add a query: `[[query]]`, and below it `sql = \"SELECT COUNT(*) FROM ...\"`";

fn read_draft<'a>(
    entry: &Field<'a>,
    number: usize,
    names: &mut BTreeMap<String, usize>,
    is_capped: bool,
    calendar: &Calendar<'_>,
) -> ReadResult<Draft<'a>> {
    let section = entry.section("[[query]]", &KEYS)?;
    let (caps, left_out) = (read_caps(&section, is_capped), left_out(&section, is_capped));
    let name = section
        .optional("name", |field| field.line().map(str::to_owned))
        .map(|name| name.unwrap_or_else(|| format!("query {number}")))
        .and_then(|name| unique(&section, name, number, names))
        .and_then(|name| match left_out {
            Ok(Some(_)) => unique(&section, beside(&name), number, names).map(|_| name),
            _ => Ok(name),
        });
    let sql = section.need("sql", "add `sql = \"SELECT COUNT(*) FROM ...\"`").and_then(|field| {
        let sql = field.text()?;
        if sql.trim().is_empty() {
            return Err(field.bad_text("is empty", "write the query in SQL"));
        }
        Ok((sql.to_owned(), text_start(field.report.source, &field.node.span)))
    });
    let title = section.optional("title", imprint::read_line);
    let size = read_size(&section);
    let consistent = section.optional("consistent", Field::boolean);
    let display = section.optional("display", |field| read_display(field, "[query.display]"));
    let sampling = section.optional("sampling", read_sampling);
    let test = section.optional("test", read_test);
    let every = section.optional("every", |field| every::read(field, &section, calendar, caps?));
    let typical_share = section.optional("typical_share", typical::read_share);
    let typical = section.optional("typical", typical::read_expressions);
    let typical_left_out = section.optional("typical_left_out", read_left_out);
    let (sql, start) = sql?;
    let consistent = consistent?.unwrap_or(true);
    let (typical_share, typical) = (typical_share?, typical?.unwrap_or_default());
    Ok(Draft {
        name: name?,
        title: title?,
        sql,
        start,
        size: size?,
        consistent,
        display: display?,
        caps: caps?,
        left_out: left_out?,
        sampling: sampling?,
        test: test?,
        every: every?,
        typical_share,
        typical,
        typical_left_out: typical_left_out?,
        section,
    })
}

/// Answers are stored and shown under their names, which must be unique. `names` maps each to the number of its query.
fn unique(
    section: &Section<'_>,
    name: String,
    number: usize,
    names: &mut BTreeMap<String, usize>,
) -> ReadResult<String> {
    if let Some(first) = names.get(&name) {
        let kind = PolicyErrorKind::Repeated { what: format!("name `{}`", shown(&name)) };
        let help = format!("query number {first} has this name already; every query needs a name of its own");
        return Err(section.report.fail(&section.place_of("name"), kind, help));
    }
    names.insert(name.clone(), number);
    Ok(name)
}

/// Reads the query's own caps, which replace those of `[entity]`.
pub(crate) fn read_caps(section: &Section<'_>, is_capped: bool) -> ReadResult<OwnCaps> {
    let cap = |key| section.optional(key, |field| capped(field, key, is_capped)?.count());
    let (rows, groups) = (cap("rows_per_group"), cap("groups"));
    Ok(OwnCaps { rows_per_group: rows?, groups: groups? })
}

fn left_out(section: &Section<'_>, is_capped: bool) -> ReadResult<Option<Rational>> {
    section.optional("left_out", |field| part(capped(field, "left_out", is_capped)?))
}

fn read_sampling(field: &Field<'_>) -> ReadResult<Sampling> {
    match field.text()? {
        "simple" => Ok(Sampling::Simple),
        other => {
            let help = "write `sampling = \"simple\"` if the people in the data are a simple random sample of the \
                        population; remove it where the answers are about the people in the data alone, or where the \
                        sample has weights or clusters";
            Err(field.bad_text(format!("= \"{}\" is not known", shown(other)), help))
        }
    }
}

fn read_test(field: &Field<'_>) -> ReadResult<Test> {
    match field.text()? {
        "independence" => Ok(Test::Independence),
        other => {
            let help = "write `test = \"independence\"` for a test of whether the two columns of GROUP BY are independent \
                        of each other, or remove it";
            Err(field.bad_text(format!("= \"{}\" is not known", shown(other)), help))
        }
    }
}

/// A key that is valid only if the rows of one entity are capped.
fn capped<'f, 'a>(field: &'f Field<'a>, key: &'static str, is_capped: bool) -> ReadResult<&'f Field<'a>> {
    if is_capped {
        return Ok(field);
    }
    let kind = PolicyErrorKind::Misplaced { key, when: "where one row is one person" };
    let help = "remove it, or name the column that identifies the person of each row as `key` under [entity]";
    Err(field.report.fail(&field.key_span, kind, help))
}

/// One of three keys, or the weight 1.
fn read_size(section: &Section<'_>) -> ReadResult<Size> {
    let target = section.optional("target_error", |field| {
        let value = field.number()?;
        if value.is_positive() {
            return Ok(value);
        }
        let help = "write the margin that the answer should have, in its own units, such as 5";
        Err(field.out_of_range(value, "above 0", help))
    });
    let share = section.optional("share", part);
    let weight = section.optional("weight", |field| {
        let value = field.number()?;
        if value.is_positive() { Ok(value) } else { Err(field.out_of_range(value, "above 0", "leave it out for 1")) }
    });
    let (target, share, weight) = (target?, share?, weight?);
    let misplaced = |key, when, help: &str| {
        let kind = PolicyErrorKind::Misplaced { key, when };
        Err(section.report.fail(&section.place_of(key), kind, help))
    };
    match (target, share, weight) {
        (Some(_), Some(_), _) => misplaced(
            "share",
            "beside `target_error`",
            "keep `target_error` for a fixed margin, or `share` for a fixed part of the promise",
        ),
        (Some(_), None, Some(_)) => misplaced(
            "weight",
            "beside `target_error`",
            "keep `target_error` for a fixed margin, or `weight` for a part of the remaining budget",
        ),
        (None, Some(_), Some(_)) => misplaced(
            "weight",
            "beside `share`",
            "keep `share` for a fixed part of the promise, or `weight` for a part of the remaining budget",
        ),
        (Some(target), None, None) => Ok(Size::TargetError(target)),
        (None, Some(share), None) => Ok(Size::Share(share)),
        (None, None, weight) => Ok(Size::Weight(weight.unwrap_or_else(|| whole(1)))),
    }
}

/// Explicit shares are taken first; weights divide the rest of the budget, before targets are solved.
fn share_out(drafts: Vec<Draft<'_>>, budget: QueryBudget<'_>) -> ReadResult<Vec<Query>> {
    let QueryBudget { key: budget_key, part: spend } = budget;
    let mut taken = Rational::zero();
    for draft in &drafts {
        let own = draft.taken(budget);
        for share in own.iter().chain(&draft.left_out) {
            taken += share;
            if taken > *spend {
                let kind = PolicyErrorKind::SharesExceed { sum: taken, key: budget_key, part: spend.clone() };
                let mut help = format!("lower the shares, or raise `{budget_key}` under [budget] (1 at most)");
                if budget_key == "per_version" && drafts.iter().any(|draft| draft.every.is_some()) {
                    help += "; a query with `every` counts with the most that one period uses of its share";
                }
                let key = if own.is_some() { "share" } else { "left_out" };
                return Err(draft.section.report.fail(&draft.section.place_of(key), kind, help));
            }
        }
    }
    let beside: Vec<Size> = drafts.iter().filter_map(|draft| draft.left_out.clone()).map(Size::Share).collect();
    let own = drafts.iter().map(|draft| draft.taken(budget).map_or_else(|| draft.size.clone(), Size::Share));
    let sizes: Vec<Size> = own.chain(beside).collect();
    let portions = Portions::new(sizes.iter(), &[], spend);
    let queries = all(drafts.into_iter().map(|draft| {
        let (key, is_share) = match &draft.size {
            Size::Share(_) => ("share", true),
            Size::Weight(_) => ("weight", false),
            Size::TargetError(_) => ("target_error", false),
        };
        if !is_share && taken == *spend {
            let kind = PolicyErrorKind::NothingLeft { key: budget_key, part: spend.clone() };
            let help = "lower the explicit shares, or give this query one";
            return Err(draft.section.report.fail(&draft.section.place_of(key), kind, help));
        }
        let reserved = draft.taken(budget);
        let share = portions.share(&draft.size, &[], usize::MAX);
        let place = Place::new(draft.section.report.source, draft.start..draft.start);
        let size_at = draft.section.has(key).then(|| draft.section.place_of(key));
        let Draft {
            name,
            sql,
            size,
            consistent,
            title,
            display,
            caps,
            left_out,
            sampling,
            test,
            every,
            typical_share,
            typical,
            typical_left_out,
            section: _,
            start: _,
        } = draft;
        let (line, column, about) = (place.line, place.column, QuerySubject::Cells);
        let query = Query {
            name,
            sql,
            size,
            size_at,
            share,
            consistent,
            title,
            display,
            caps,
            sampling,
            test,
            every: None,
            about,
            typical_share,
            typical,
            typical_left_out,
            line,
            column,
        };
        let left_out = left_out.map(|share| query.left_out(share));
        Ok(match (every, reserved) {
            (Some((every, period)), Some(reserved)) => query.in_periods(every, period, reserved),
            _ => std::iter::once(query).chain(left_out).collect(),
        })
    }))?;
    Ok(queries.into_iter().flatten().collect())
}

/// The name of the query about another query's caps.
fn beside(name: &str) -> String {
    format!("{name}, left out")
}
