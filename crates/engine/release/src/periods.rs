//! Queries that are repeated for each period of a horizon (`every`), and the running totals of their stored answers
//! (C-10).
//!
//! A release measures the nodes that end with its period, each a query with a charge of its own. The numbers of other
//! periods come from the stored answers of the account, which are found by the canonical bytes of their queries and
//! verified by their identities: free, and without opening earlier files (C-3).
//!
//! - Of several answers about one period, such as one about a revised version, that with the newest charge counts.
//! - A node of several periods is used unless it was withdrawn, or a period of it was measured again later in another
//!   version.
//! - A period without an answer has no total, and neither have the periods after it, unless a longer node contains it.
//!
//! All of this depends on the policy and the ledger's entries alone.

use crate::plan::{Plan, PlanErrorKind, QueryPlan, measured, plan_sql, price};
use crate::release::{FORM, ReleaseError, by_measure};
use deniable_answers::{Noisy, ShownRow, ShownValue, show_sums, sum_margin};
use deniable_core::exact::{Rational, whole};
use deniable_core::horizon::{Schedule, Span};
use deniable_ledger::{Account, Ledger, Release, Summary};
use deniable_policy::{Every, PeriodNode, Policy, QuerySubject};
use deniable_protocol::ProtocolError;
use deniable_publication::{Cell, Heading, KeyValue, NumberCell, WithdrawalNotice};
use deniable_query::Query;
use deniable_query::output::Term;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The name of the column of periods.
const PERIOD: &str = "period";

/// The released numbers of a repeated query, by node.
#[derive(Debug, Clone)]
pub struct Series {
    every: Arc<Every>,
    nodes: BTreeMap<Span, ReleasedNode>,
}

#[derive(Debug, Clone)]
struct ReleasedNode {
    noisy: Noisy,
    version: String,
    /// The number of the charge's entry.
    seq: u64,
    withdrawn: Option<WithdrawalNotice>,
    /// Whether an earlier answer about the same periods is replaced by this one.
    is_revised: bool,
}

/// A row of running totals, before it is shown.
pub(crate) struct PeriodRow<'a> {
    period: String,
    /// The numbers of the period itself.
    own: Option<ShownRow>,
    /// The totals up to it.
    total: Option<ShownRow>,
    keys: &'a ShownRow,
}

/// The first node of each level of a query's horizon, planned and priced.
pub(crate) fn levels(planned: &QueryPlan, policy: &Policy) -> Result<Vec<QueryPlan>, PlanErrorKind> {
    let Some(node) = &planned.declared().every else { return Ok(Vec::new()) };
    let schedule = node.every.schedule();
    let level = |level: u32| {
        let declared = planned.declared().in_node(Span { first: 0, length: schedule.length(level) });
        let query = measured(policy, &declared, plan_sql(policy, &declared)?)?;
        QueryPlan::of(policy, declared, query)
    };
    (0..schedule.levels()).map(level).collect()
}

impl Series {
    /// The released numbers of the query's horizon in an account. `None` unless the query is repeated and about one
    /// period.
    ///
    /// # Errors
    /// When the numbers of a stored answer cannot be read.
    fn held(planned: &QueryPlan, policy: &Policy, account: Option<&Account>) -> Result<Option<Self>, ReleaseError> {
        let Some(node) = node_of(planned).filter(|node| node.is_period()) else { return Ok(None) };
        let mut series = Self { every: Arc::clone(&node.every), nodes: BTreeMap::new() };
        let table = &policy.data().table;
        let is_candidate = |release: &&Release| {
            release.query.source == *table && release.answer.as_ref().is_some_and(|answer| *answer.form() == FORM)
        };
        let candidates: Vec<&Release> =
            account.iter().flat_map(|account| &account.releases).filter(is_candidate).collect();
        if candidates.is_empty() {
            return Ok(Some(series));
        }
        let nodes = nodes(planned, policy);
        for release in candidates {
            let Some(declared) = nodes.get(release.query.canonical.bytes()) else { continue };
            let Some(PeriodNode { span, every }) = &declared.every else { continue };
            // The policy states the period of a version; of other versions, the name must.
            let is_of_period = release.policy == policy.name()
                || every.period(&release.query.version).is_some_and(|period| period + 1 == span.end());
            if !is_of_period {
                continue;
            }
            let Some(earlier) = QueryPlan::charged(declared, &release.query, &release.cost, policy) else { continue };
            let mut tables = policy.tables();
            tables[0].data.version.clone_from(&release.query.version);
            if earlier.charge_on(policy, &tables).identity != release.query.identity {
                continue;
            }
            let noisy = numbers(&earlier, release)
                .map_err(|reason| ProtocolError::Stored { release: release.query.name.clone(), reason })?;
            let withdrawn = release
                .withdrawn
                .as_ref()
                .map(|withdrawal| WithdrawalNotice { on: withdrawal.day(), reason: withdrawal.reason.clone() });
            series.insert(*span, noisy, release.query.version.clone(), release.seq, withdrawn);
        }
        Ok(Some(series))
    }

    /// The series of a query, with its own answer; `None` unless the query is repeated and about one period.
    ///
    /// # Errors
    /// As of [`Self::held`].
    pub(crate) fn with_answer(
        plan: &Plan,
        at: usize,
        own: &Noisy,
        seen: &Summary,
    ) -> Result<Option<Self>, ReleaseError> {
        let (planned, policy) = (&plan.queries()[at], plan.policy());
        let series = Self::held(planned, policy, account(plan, seen))?;
        let node = node_of(planned);
        Ok(series.zip(node).map(|(series, node)| {
            let is_stored = series.nodes.contains_key(&node.span);
            if is_stored { series } else { series.with_new(node, own, &policy.data().version) }
        }))
    }

    /// The stored series of all queries of a plan, by position.
    ///
    /// # Errors
    /// As of [`Self::held`].
    pub(crate) fn all(plan: &Plan, ledger: &Ledger) -> Result<BTreeMap<usize, Self>, ReleaseError> {
        if plan.queries().iter().all(|planned| planned.declared().every.is_none()) {
            return Ok(BTreeMap::new());
        }
        let seen = ledger.summary().seen_by(plan.part());
        let mut all = BTreeMap::new();
        for (at, planned) in plan.queries().iter().enumerate() {
            all.extend(Self::held(planned, plan.policy(), account(plan, &seen))?.map(|series| (at, series)));
        }
        Ok(all)
    }

    /// The series of a query with its new answer, and those of the longer nodes that the same run has measured before.
    pub(crate) fn with_run(self, plan: &Plan, at: usize, own: &Noisy, answers: &[Option<Noisy>]) -> Self {
        let version = &plan.policy().data().version;
        let node = |at: usize| node_of(&plan.queries()[at]);
        let Some(own_node) = node(at) else { return self };
        let others = answers.iter().enumerate().filter_map(|(other, noisy)| Some((node(other)?, noisy.as_ref()?)));
        let longer = others.filter(|(other, _)| other.every == own_node.every && !other.is_period());
        let series = longer.fold(self, |all, (node, noisy)| all.with_new(node, noisy, version));
        series.with_new(own_node, own, version)
    }

    fn insert(&mut self, span: Span, noisy: Noisy, version: String, seq: u64, withdrawn: Option<WithdrawalNotice>) {
        let known = self.nodes.get(&span);
        if known.is_some_and(|known| known.seq >= seq) {
            return;
        }
        let is_revised = known.is_some_and(|known| known.is_revised || known.version != version);
        self.nodes.insert(span, ReleasedNode { noisy, version, seq, withdrawn, is_revised });
    }

    /// The same series with an answer that has just been computed, and is newer than all stored ones.
    fn with_new(mut self, node: &PeriodNode, noisy: &Noisy, version: &str) -> Self {
        self.insert(node.span, noisy.clone(), version.to_owned(), u64::MAX, None);
        self
    }

    /// Whether a node is used for totals.
    fn is_used(&self, span: Span) -> bool {
        let Some(node) = self.nodes.get(&span) else { return false };
        let is_older = |period: u32| {
            let own = self.nodes.get(&Span::period(period));
            own.is_none_or(|own| own.seq < node.seq || own.version == node.version)
        };
        span.length == 1 || (node.withdrawn.is_none() && span.periods().all(is_older))
    }

    /// The number of periods up to the last released one.
    fn length(&self) -> u32 {
        self.nodes.keys().map(|span| span.end()).max().unwrap_or(0)
    }

    fn total(&self, period: u32) -> Result<Vec<Span>, u32> {
        self.every.schedule().total(period, &|span| self.is_used(span))
    }

    /// The rows, period by period.
    pub(crate) fn rows(
        &self,
        planned: &QueryPlan,
        confidence: &Rational,
        shown: &dyn Fn(&ShownRow) -> Vec<Cell>,
    ) -> Vec<Vec<Cell>> {
        let query = planned.query();
        let sums = |spans: &[Span]| {
            let parts: Vec<&Noisy> = spans.iter().filter_map(|span| Some(&self.nodes.get(span)?.noisy)).collect();
            show_sums(query, &parts, confidence)
        };
        let Some(any) = self.nodes.keys().next() else { return Vec::new() };
        let keys = sums(&[*any]);
        let mut rows = Vec::new();
        for period in 0..self.length() {
            let span = Span::period(period);
            let own = self.nodes.contains_key(&span).then(|| sums(&[span]));
            let total = self.total(period).ok().map(|spans| sums(&spans));
            for (at, keys) in keys.iter().enumerate() {
                let of = |rows: &Option<Vec<ShownRow>>| rows.as_ref().and_then(|rows| rows.get(at).cloned());
                let row = PeriodRow { period: self.every.period_name(period), own: of(&own), total: of(&total), keys };
                rows.push(row.cells(shown));
            }
        }
        rows
    }

    /// Notes on missing, withdrawn and revised periods, and on the totals.
    pub(crate) fn notes(&self, policy: &Policy) -> Vec<String> {
        let name = |period: u32| self.every.period_name(period);
        let mut notes = vec![
            "totals are sums of the released numbers, at no cost; negative counts enter them as they were released"
                .to_owned(),
        ];
        if let Some(entity) = policy.entity() {
            notes.push(format!("the caps apply to the rows of each {} in each period", entity.key));
        }
        if let Some(missing) = (0..self.length()).find_map(|period| self.total(period).err()) {
            notes.push(format!(
                "no answer about {} is stored under this policy, so totals that need it are not shown",
                name(missing)
            ));
        }
        for (span, node) in &self.nodes {
            let words = self.every.words(*span);
            if let Some(withdrawn) = &node.withdrawn {
                let use_of = if span.length == 1 { "the totals contain it" } else { "no total contains it" };
                notes.push(format!("{words}: {withdrawn}; {use_of}"));
            }
            if node.is_revised && span.length == 1 {
                notes.push(format!(
                    "{words}: measured again in version \"{}\", whose number replaces the earlier one",
                    node.version
                ));
            }
        }
        let longer: Vec<String> = self
            .nodes
            .keys()
            .filter(|span| span.length > 1 && self.is_used(**span))
            .map(|span| self.every.words(*span))
            .collect();
        if !longer.is_empty() {
            notes.push(format!(
                "numbers of several periods, measured together, are parts of totals: {}. They have the caps of their periods \
                 together, so a total can differ from the sum of the numbers shown by more than noise",
                longer.join(", ")
            ));
        }
        notes
    }
}

/// The node that a query's answer is the number of; `None` for other queries, and for advice on a repeated one.
fn node_of(planned: &QueryPlan) -> Option<&PeriodNode> {
    planned.declared().every.as_ref().filter(|_| planned.declared().about == QuerySubject::Cells)
}

/// The account of a plan in a ledger.
fn account<'a>(plan: &Plan, ledger: &'a Summary) -> Option<&'a Account> {
    let id = plan.account();
    ledger.accounts.iter().find(|account| account.id == id)
}

/// The queries of all nodes, by their canonical bytes.
fn nodes(planned: &QueryPlan, policy: &Policy) -> HashMap<Vec<u8>, deniable_policy::Query> {
    let Some(node) = &planned.declared().every else { return HashMap::new() };
    let schedule: &Schedule = node.every.schedule();
    let mut bases: BTreeMap<u32, Option<Query>> = BTreeMap::new();
    let mut known = HashMap::new();
    for span in schedule.nodes() {
        let declared = planned.declared().in_node(span);
        // The caps of a level are the same for all of its nodes.
        let base = bases.entry(span.length).or_insert_with(|| plan_sql(policy, &declared).ok());
        let query = base.clone().and_then(|base| measured(policy, &declared, base).ok());
        if let Some(query) = query {
            known.insert(query.canonical().to_vec(), declared);
        }
    }
    known
}

/// The numbers of a stored answer.
fn numbers(earlier: &QueryPlan, release: &Release) -> Result<Noisy, String> {
    let numbers = release.numbers.as_ref().ok_or("its numbers are missing; restore the ledger from a backup")?;
    let values = by_measure(earlier, &numbers.read().map_err(|error| error.to_string())?)?;
    let decays = earlier.measures().iter().map(|measure| measure.decay().clone()).collect();
    Ok(Noisy { values, consistent: None, decays })
}

impl PeriodRow<'_> {
    /// The period, the columns of the query, and the total of each number.
    fn cells(&self, shown: &dyn Fn(&ShownRow) -> Vec<Cell>) -> Vec<Cell> {
        let is_number: Vec<bool> = self.keys.0.iter().map(|value| matches!(value, ShownValue::Number { .. })).collect();
        let missing = || Cell::Number(NumberCell::default());
        let own = match &self.own {
            Some(own) => shown(own),
            None => {
                let keys = shown(self.keys).into_iter().zip(&is_number);
                keys.map(|(cell, is_number)| if *is_number { missing() } else { cell }).collect()
            }
        };
        let total = self.total.as_ref().map(shown);
        let totals = is_number.iter().enumerate().filter(|(_, is_number)| **is_number);
        let totals = totals.map(|(at, _)| total.as_ref().map_or_else(missing, |total| total[at].clone()));
        let period = Cell::Key(Some(KeyValue::Text(self.period.clone())));
        std::iter::once(period).chain(own).chain(totals).collect()
    }
}

/// The positions of the numbers among the columns of a query's output.
fn numbers_of(query: &Query) -> impl Iterator<Item = usize> + '_ {
    let columns = query.output().columns.iter().enumerate();
    columns.filter(|(_, term)| matches!(term, Term::Answer(_))).map(|(at, _)| at)
}

/// The names of the columns of a table of periods.
pub(crate) fn columns(query: &Query) -> Vec<String> {
    let names = &query.output().names;
    let totals = numbers_of(query).map(|at| format!("{} so far", names[at]));
    std::iter::once(PERIOD.to_owned()).chain(names.iter().cloned()).chain(totals).collect()
}

/// For each column of an answer's table, the column of the query's output that it shows.
pub(crate) fn shown_columns(query: &Query, columns: usize) -> Vec<Option<usize>> {
    let own = query.output().columns.len();
    if columns == own {
        return (0..own).map(Some).collect();
    }
    std::iter::once(None).chain((0..own).map(Some)).chain(numbers_of(query).map(Some)).collect()
}

/// The headings of an answer's table: those of the query's own columns, for a table of periods with those of the period
/// and of the running totals, which have the units only.
pub(crate) fn shown_headings(query: &Query, own: Vec<Heading>, has_periods: bool) -> Vec<Heading> {
    if own.is_empty() || !has_periods {
        return own;
    }
    let totals = numbers_of(query).map(|at| Heading { label: None, ..own[at].clone() }).collect::<Vec<_>>();
    std::iter::once(Heading::default()).chain(own).chain(totals).collect()
}

/// The expected errors of a repeated query over its horizon, from public facts alone, at the policy's confidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HorizonForecast {
    /// The name of the query.
    pub name: String,
    /// The horizon.
    pub every: Arc<Every>,
    /// The period of the release, counted from 0, and the part of the promise that it uses.
    pub period: u32,
    /// The part of the promise that the release of the period uses.
    pub share: Rational,
    /// The errors of each number of the query.
    pub numbers: Vec<NumberForecast>,
}

/// The expected errors of one number of a repeated query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberForecast {
    /// The name of its column.
    pub name: String,
    /// The error of one period.
    pub period: Rational,
    /// The errors of totals, after the last period of each quarter of the horizon.
    pub totals: Vec<TotalForecast>,
}

/// The expected error of a running total.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotalForecast {
    /// The last period of the total, counted from 0.
    pub after: u32,
    /// The number of measured numbers in it.
    pub nodes: usize,
    /// Its error.
    pub error: Rational,
    /// The error of the total if it were measured anew in each period, at the same share for the whole horizon.
    pub anew: Rational,
}

/// The forecast of a repeated query; `None` for other queries, and for longer nodes of one.
///
/// # Errors
/// When the noise of a longer node, or of a total that is measured anew, cannot be computed.
pub fn forecast(planned: &QueryPlan, policy: &Policy) -> Result<Option<HorizonForecast>, PlanErrorKind> {
    let Some(node) = node_of(planned).filter(|node| node.is_period()) else { return Ok(None) };
    let every = &node.every;
    let (schedule, confidence, query) = (every.schedule(), policy.confidence(), planned.query());
    let levels = levels(planned, policy)?;
    let periods = schedule.periods();
    let mut quarters: Vec<u32> = (1..=4).map(|quarter| (periods * quarter).div_ceil(4) - 1).collect();
    quarters.dedup();
    let share_of_one = every.share() / whole(periods);
    let number = |at: usize| {
        let Term::Answer(answer) = &query.output().columns[at] else { return Ok(None) };
        let Some(measure) = query.answers(0)[*answer].measures().first().copied() else { return Ok(None) };
        let unit = &query.measures()[measure].unit;
        let error = |spans: &[Span]| {
            let level = |span: &Span| levels.iter().find(|level| length_of(level) == span.length);
            let decays = spans.iter().filter_map(level).map(|level| level.measures()[measure].decay());
            whole(sum_margin(decays, confidence)) * unit
        };
        let total = |after: u32| {
            let spans = schedule.total(after, &|_| true).unwrap_or_default();
            let anew = planned.declared().anew(after, &share_of_one);
            let (measures, _) = price(&measured(policy, &anew, plan_sql(policy, &anew)?)?, &anew.share, policy)?;
            let anew = whole(sum_margin(std::iter::once(measures[measure].decay()), confidence)) * unit;
            Ok(TotalForecast { after, nodes: spans.len(), error: error(&spans), anew })
        };
        let totals = quarters.iter().map(|after| total(*after)).collect::<Result<_, PlanErrorKind>>()?;
        let period = error(&[Span::period(0)]);
        Ok(Some(NumberForecast { name: query.output().names[at].clone(), period, totals }))
    };
    let numbers = numbers_of(query).map(number).collect::<Result<Vec<_>, PlanErrorKind>>()?;
    Ok(Some(HorizonForecast {
        name: every.name().to_owned(),
        every: Arc::clone(every),
        period: node.span.first,
        share: every.share() * schedule.part_of_release(node.span.first),
        numbers: numbers.into_iter().flatten().collect(),
    }))
}

fn length_of(planned: &QueryPlan) -> u32 {
    planned.declared().every.as_ref().map_or(1, |node| node.span.length)
}
