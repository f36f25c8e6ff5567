//! The report on a plan: costs, noise and expected errors of each query, and the remaining promise.

use crate::but_for_spending::ButForSpending;
use crate::horizon::Horizon;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, percent, ratio, whole};
use deniable_core::text::grid::{Grid, cell, cell_of_lines, right};
use deniable_core::text::{printable, push_paragraph};
use deniable_ledger::{Account, Allowance, VersionName};
use deniable_policy::{Policy, QuerySubject};
use deniable_publication::REHEARSAL;
use deniable_publication::statement::odds_decimal;
use deniable_query::Estimator;
use deniable_release::forecast::{AnswerForecast, ErrorBound, about, expected, short};
use deniable_release::plan::protected_versions;
use deniable_release::typical::notes;
use deniable_release::{Plan, QueryPlan};
use num_traits::Zero;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// Decimal places of an ε.
const EPSILON_PLACES: u32 = 4;

/// The costs of a plan's queries and the expected errors of their answers. It depends on the policy and on the costs of
/// the ledger's answers, and may be published.
///
/// `Display` prints a table, `Serialize` the object of `deniable plan --format json`.
#[derive(Debug, Serialize)]
pub struct PlanReport {
    /// Whether the plan is of a rehearsal; omitted if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rehearsal: bool,
    policy: String,
    population: String,
    confidence: String,
    promise: Vec<String>,
    /// The largest odds ratio of all releases together.
    odds: String,
    /// The same as text with its ε, and the logarithm that shares refer to.
    #[serde(skip)]
    limit: [String; 2],
    typical_rows: Option<u64>,
    queries: Vec<QueryRow>,
    /// The queries that are repeated for each period of a horizon.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    horizons: Vec<Horizon>,
    spending: Spending,
    /// Public guesses that would improve the report.
    notes: Vec<String>,
    hints: Vec<String>,
}

#[derive(Debug, Serialize)]
struct QueryRow {
    name: String,
    sql: String,
    share: String,
    /// The odds ratio, rounded up.
    odds: String,
    /// Its logarithm ε, rounded up.
    epsilon: String,
    /// Whether the ledger already contains the answer, so that it is free.
    paid: bool,
    /// The earlier answer that contains it, so that it is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<String>,
    /// The statement for the engine that holds the rows; absent if rows are read here.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<ShownEngine>,
    answers: Vec<ShownAnswer>,
}

#[derive(Debug, Serialize)]
struct ShownEngine {
    name: &'static str,
    /// The statement, with a parameter for the salt that decides which rows of an entity count.
    sql: String,
}

#[derive(Debug, Serialize)]
struct ShownAnswer {
    answer: String,
    cells: usize,
    noise: Vec<ShownNoise>,
    /// At the confidence level; absent if it depends on an unstated number of rows.
    error: Option<String>,
    /// `value`: in the answer's units, for any values. `typical`: in the answer's units, for typical values. `rows`: by
    /// rank.
    error_in: Option<&'static str>,
    /// The typical answer, by the policy's guesses.
    typical: Option<String>,
    /// Its error at typical values.
    typical_error: Option<String>,
    /// The ratio of the two; for ranks, the error divided by the rows of a cell.
    relative: Option<String>,
    #[serde(skip)]
    row: [String; 3],
}

#[derive(Debug, Serialize)]
struct ShownNoise {
    measure: String,
    /// Absent for a value selected by its rank.
    standard_deviation: Option<String>,
    /// The scale of the noise; absent for a value selected by its rank.
    scale: Option<String>,
}

/// Shares of ln R.
#[derive(Debug, Serialize)]
struct Spending {
    /// The cost of these queries, charged or not.
    queries: String,
    /// The part of it that is not charged yet.
    to_pay: String,
    /// The policy's maximum.
    spend: String,
    /// The rest of the policy's maximum after these queries.
    left_of_spend: Option<String>,
    /// The rest of the promise after these queries; needs a ledger.
    left_of_promise: Option<String>,
    /// The tables of which each version contains only new entities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    new_entities: Vec<String>,
    /// The versions that the queries read, if the policy limits the spending on each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<VersionSpending>,
    /// The odds of all answers together but for a chance, if the guarantee promises that.
    #[serde(skip_serializing_if = "Option::is_none")]
    but_for: Option<ButForSpending>,
    /// The same amounts as ε, the logarithm of their odds ratios.
    epsilon: EpsilonSpending,
    #[serde(skip)]
    percents: [Option<String>; 2],
}

/// Shares of ln R of one version.
#[derive(Debug, Serialize)]
struct VersionSpending {
    table: String,
    version: String,
    /// The most that all charges on it may use together.
    per_version: String,
    /// The part of it that these queries would be charged.
    to_pay: String,
    /// The rest after these queries, negative if they do not fit; absent if it is not a rational share.
    left: Option<String>,
    #[serde(skip)]
    in_words: String,
}

/// Decimals: costs are rounded up, and remaining amounts are rounded down.
#[derive(Debug, Serialize)]
struct EpsilonSpending {
    queries: String,
    to_pay: String,
    spend: String,
    left_of_spend: Option<String>,
    left_of_promise: Option<String>,
}

impl PlanReport {
    /// The report on a plan; `account` is the account in its ledger.
    #[must_use]
    pub fn new(plan: &Plan, account: Option<&Account>) -> Self {
        let policy = plan.policy();
        let all: Vec<Vec<AnswerForecast>> = plan.queries().iter().map(|planned| expected(planned, policy)).collect();
        let paid = paid(plan, account);
        Self {
            rehearsal: policy.rehearsal().is_some(),
            policy: policy.name().to_owned(),
            population: policy.population().to_owned(),
            confidence: percent(policy.confidence(), 4, Rounding::Down),
            promise: policy.guarantee().promises_in_words(),
            odds: policy.guarantee().limit().to_string(),
            limit: [policy.guarantee().limit().with_epsilon(), policy.guarantee().limit().logarithm_in_words()],
            typical_rows: policy.data().typical_rows,
            queries: plan
                .queries()
                .iter()
                .zip(&all)
                .zip(&paid)
                .map(|((planned, all), paid)| query_row(policy, planned, all, *paid))
                .collect(),
            horizons: plan.queries().iter().filter_map(|planned| Horizon::new(planned, policy)).collect(),
            spending: Spending::new(plan, account),
            notes: notes(&plan.queries().iter().zip(all.iter().map(Vec::as_slice)).collect::<Vec<_>>(), policy),
            hints: plan.queries().iter().zip(&all).flat_map(|(planned, all)| hints(plan, planned, all)).collect(),
        }
    }

    /// The statements for engines that hold rows, each with the query's name; empty if rows are read here.
    #[must_use]
    pub fn statements(&self) -> String {
        let mut text = String::new();
        for planned in &self.queries {
            if let Some(ShownEngine { name, sql }) = &planned.engine {
                text += &format!("-- {}, for {name}\n{sql};\n\n", printable(&planned.name));
            }
        }
        text.trim_end().to_owned()
    }
}

/// For each query of a plan, whether a charge of the account pays for it.
fn paid(plan: &Plan, account: Option<&Account>) -> Vec<bool> {
    let is_paid = |planned: &QueryPlan| {
        account.is_some_and(|account| account.release(&planned.for_ledger(plan.policy()).identity).is_some())
    };
    plan.queries().iter().map(is_paid).collect()
}

/// The share of the promise that the queries of a plan would be charged.
pub(crate) fn to_pay(plan: &Plan, account: Option<&Account>) -> Rational {
    unpaid(plan, account).map(|planned| planned.declared().share.clone()).sum()
}

/// The queries of a plan that would be charged.
pub(crate) fn unpaid<'a>(plan: &'a Plan, account: Option<&Account>) -> impl Iterator<Item = &'a QueryPlan> {
    let mut seen = BTreeSet::new();
    let queries = plan.queries().iter().zip(paid(plan, account)).filter(|(_, paid)| !paid);
    // The same query under two names is charged once.
    let charged = queries.filter(move |(planned, _)| seen.insert(planned.for_ledger(plan.policy()).identity));
    charged.map(|(planned, _)| planned)
}

/// The rest of each version that the queries of a plan read, after these queries.
fn versions(plan: &Plan, account: Option<&Account>) -> Vec<VersionSpending> {
    let Some(share) = plan.policy().per_version() else { return Vec::new() };
    let limit = plan.policy().guarantee().limit();
    let is_read = |version: &VersionName| {
        plan.queries().iter().any(|planned| planned.query().tables().any(|table| table == version.source))
    };
    let allowances = account.map_or_else(|| vec![Allowance::unspent(limit.clone())], Account::allowances);
    let shown = |version: VersionName| {
        let reads = |planned: &&QueryPlan| planned.query().tables().any(|table| table == version.source);
        let to_pay: Rational =
            unpaid(plan, account).filter(reads).map(|planned| planned.declared().share.clone()).sum();
        let rest = |allowance: &Allowance| {
            let Allowance { spent, limit: part, .. } = allowance.on_version(&version, share);
            Some(part.exact_part_of(limit)? - spent.exact_part_of(limit)? - &to_pay)
        };
        let left = allowances.iter().map(rest).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().min());
        VersionSpending {
            in_words: version.to_string(),
            table: version.source,
            version: version.version,
            per_version: share.to_string(),
            to_pay: to_pay.to_string(),
            left: left.map(|left| left.to_string()),
        }
    };
    protected_versions(plan.policy()).into_iter().filter(is_read).map(shown).collect()
}

fn query_row(policy: &Policy, planned: &QueryPlan, all: &[AnswerForecast], paid: bool) -> QueryRow {
    let engine = planned.for_engine(policy).map(|engine| ShownEngine { name: engine.kind.title(), sql: engine.sql });
    QueryRow {
        name: planned.declared().name.clone(),
        sql: planned.declared().sql.trim().to_owned(),
        share: planned.declared().share.to_string(),
        odds: odds_decimal(&planned.cost().odds_at_most()),
        epsilon: planned.cost().epsilon_decimal(4),
        paid,
        within: planned.within().map(|within| within.name().to_owned()),
        engine,
        answers: all.iter().map(shown_answer).collect(),
    }
}

fn shown_answer(answer: &AnswerForecast) -> ShownAnswer {
    let noise: Vec<ShownNoise> = answer
        .noise
        .iter()
        .map(|noise| ShownNoise {
            measure: noise.measure.clone(),
            standard_deviation: noise.deviation.as_ref().map(short),
            scale: noise.scale.as_ref().map(short),
        })
        .collect();
    let line = |noise: &ShownNoise| match &noise.scale {
        None => "by rank".to_owned(),
        Some(scale) if answer.noise.len() == 1 => scale.clone(),
        Some(scale) => format!("{}: {scale}", noise.measure),
    };
    let relative = answer.relative.as_ref().map(|relative| percent(relative, 1, Rounding::Up));
    let planned = answer.typical.as_ref().ok();
    let typical = planned.and_then(|planned| planned.answer.as_ref()).map(about);
    // For ranks, no other scale is known.
    let of = typical.clone().unwrap_or_else(|| "the rows".to_owned());
    ShownAnswer {
        row: [
            noise.iter().map(line).collect::<Vec<_>>().join("\n"),
            answer.error.to_string(),
            relative.as_ref().map_or_else(|| "-".to_owned(), |relative| format!("{relative} of {of}")),
        ],
        answer: answer.name.clone(),
        cells: answer.cells,
        noise,
        error: answer.error.number().map(short),
        error_in: match answer.error {
            ErrorBound::Value(_) => Some("value"),
            ErrorBound::Rows(_) => Some("rows"),
            ErrorBound::Typical(_) => Some("typical"),
            ErrorBound::NeedsTypicalRows
            | ErrorBound::NeedsTypicalEntities
            | ErrorBound::NeedsTypical
            | ErrorBound::Unbounded
            | ErrorBound::ByRank => None,
        },
        typical_error: planned.and_then(|planned| planned.error.as_ref()).map(short),
        typical,
        relative,
    }
}

impl Spending {
    fn new(plan: &Plan, account: Option<&Account>) -> Self {
        let policy = plan.policy();
        let share = |planned: &QueryPlan| planned.declared().share.clone();
        let queries: Rational = plan.queries().iter().map(share).sum();
        let to_pay = to_pay(plan, account);
        let part = |spent: Spend| spent.exact_part_of(policy.guarantee().limit());
        let read = protected_versions(policy);
        let own = account.map_or(Some(Rational::zero()), |account| part(account.spent_by(policy.name()).before(&read)));
        let left_of_spend = own.map(|own| policy.spend() - own - &to_pay);
        // A query must fit into each allowance.
        let left_of = |allowed: Allowance| Some(part(allowed.limit)? - part(allowed.spent)? - &to_pay);
        let left_of_promise = account.and_then(|account| {
            let left: Option<Vec<Rational>> =
                account.allowances().into_iter().map(|allowed| left_of(allowed.before(&read))).collect();
            left?.into_iter().min()
        });
        let rounded = |left: &Option<Rational>| left.as_ref().map(|left| percent(left, 1, Rounding::Down));
        let limit = policy.guarantee().limit();
        let epsilon = |part: &Rational, rounding| {
            limit.share(part).map_or_else(|_| "0".to_owned(), |part| part.epsilon_rounded(EPSILON_PLACES, rounding))
        };
        // The rest is zero if these queries cost more.
        let epsilon_left =
            |left: &Option<Rational>| left.as_ref().map(|left| epsilon(&left.clone().max(whole(0)), Rounding::Down));
        let epsilon = EpsilonSpending {
            queries: epsilon(&queries, Rounding::Up),
            to_pay: epsilon(&to_pay, Rounding::Up),
            spend: epsilon(policy.spend(), Rounding::Up),
            left_of_spend: epsilon_left(&left_of_spend),
            left_of_promise: epsilon_left(&left_of_promise),
        };
        Self {
            queries: queries.to_string(),
            to_pay: to_pay.to_string(),
            spend: policy.spend().to_string(),
            epsilon,
            new_entities: policy.new_entities().iter().cloned().collect(),
            versions: versions(plan, account),
            but_for: ButForSpending::new(plan, account),
            percents: [rounded(&left_of_spend), rounded(&left_of_promise)],
            left_of_spend: left_of_spend.map(|left| left.to_string()),
            left_of_promise: left_of_promise.map(|left| left.to_string()),
        }
    }
}

/// One sentence for each answer that is mostly noise.
fn hints(plan: &Plan, planned: &QueryPlan, all: &[AnswerForecast]) -> Vec<String> {
    // Advice that is too noisy has its own message.
    if let QuerySubject::Values { .. } = planned.declared().about {
        return Vec::new();
    }
    let noisy = |answer: &&AnswerForecast| answer.relative.as_ref().is_some_and(|relative| *relative > ratio(1, 2));
    let hint = |answer: &AnswerForecast| {
        let mut helps = Vec::new();
        if plan.policy().queries().len() > 1 {
            helps.push("a larger weight".to_owned());
        }
        if answer.cells > 1 {
            helps.push(format!("fewer groups than {}", answer.cells));
        }
        if answer.bounded {
            helps.push("tighter bounds".to_owned());
        }
        if plan.policy().entity().is_some() {
            helps.push("smaller caps".to_owned());
        }
        let last = "a weaker promise";
        let helps = if helps.is_empty() { last.to_owned() } else { format!("{} or {last}", helps.join(", ")) };
        format!("{}, {}: mostly noise; {helps} would help", planned.declared().name, answer.name)
    };
    let apart = counted_apart(planned).map(|hint| format!("{}: {hint}", planned.declared().name));
    let undeclared = planned.doubts().into_iter().map(|note| format!("{}: {note}", planned.declared().name));
    undeclared.chain(apart).chain(all.iter().filter(noisy).map(hint)).collect()
}

/// The number of values of an average is shared with COUNT of the values, but not with COUNT(*), which also counts
/// missing values.
fn counted_apart(planned: &QueryPlan) -> Option<String> {
    let query = planned.query();
    let answers: Vec<&Estimator> = (0..query.levels().len()).flat_map(|level| query.answers(level)).collect();
    let shared = answers.iter().find_map(|answer| match answer {
        Estimator::Average(moments) | Estimator::Variance { moments, .. } => {
            Some(query.argument_in_words(moments.count))
        }
        _ => None,
    })?;
    let all_rows = |answer: &&&Estimator| match answer {
        Estimator::Count { measure } => query.measure_in_words(*measure).starts_with("COUNT(*)"),
        _ => false,
    };
    answers.iter().find(all_rows)?;
    Some(format!(
        "COUNT(*) is a measure of its own beside the average; COUNT({shared}), the rows that have a value, is part of the \
         average already, and asked instead it leaves more for both"
    ))
}

impl Display for PlanReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.rehearsal {
            writeln!(f, "{REHEARSAL}\n")?;
        }
        f.write_str(&table(self))
    }
}

fn table(shown: &PlanReport) -> String {
    let error = format!("error at {}", shown.confidence);
    let mut grid =
        Grid::new(["query", "answer", "cells", "share", "odds", "ε", "scale of the noise", error.as_str(), "relative"]);
    for planned in &shown.queries {
        for (position, answer) in planned.answers.iter().enumerate() {
            // All answers of one query have a common price.
            let once = |text: &str| if position == 0 { text.to_owned() } else { String::new() };
            let share = match planned {
                QueryRow { within: Some(_), .. } => "free".to_owned(),
                QueryRow { paid: true, .. } => format!("{} (paid)", planned.share),
                QueryRow { .. } => planned.share.clone(),
            };
            let [noise, error, relative] = &answer.row;
            grid.add_row([
                cell(once(&planned.name)),
                cell(&answer.answer),
                right(answer.cells),
                right(once(&share)),
                right(once(&planned.odds)),
                right(once(&planned.epsilon)),
                cell_of_lines(noise).aligned_right(),
                right(error),
                right(relative),
            ]);
        }
    }
    let mut text =
        format!("plan of \"{}\", about \"{}\"\n{grid}\n", printable(&shown.policy), printable(&shown.population));
    for horizon in &shown.horizons {
        push_paragraph(&mut text, "  ", &horizon.words());
        text += &format!("{}\n", horizon.grid(&shown.confidence));
    }
    for line in sums(shown) {
        push_paragraph(&mut text, "  ", &line);
    }
    for QueryRow { name, within, .. } in &shown.queries {
        let within = within.iter().map(|earlier| {
            format!(
                "{name}: part of the stored answer \"{earlier}\", at least as exact: free, with the errors shown here"
            )
        });
        within.for_each(|line| push_paragraph(&mut text, "  ", &line));
    }
    for hint in &shown.hints {
        push_paragraph(&mut text, "  ", &format!("hint: {hint}"));
    }
    text
}

/// The spent and remaining budget, and the meaning of relative errors.
fn sums(shown: &PlanReport) -> Vec<String> {
    let PlanReport { limit: [limit, logarithm], spending, .. } = shown;
    let mut lines = vec![format!(
        "everything ever released about \"{}\" may give an odds ratio of {limit}; shares are parts of {logarithm}",
        shown.population
    )];
    let unpaid = if spending.to_pay == spending.queries {
        String::new()
    } else {
        format!(
            "; {} (ε = {}) is still to be charged, as the ledger has the others",
            spending.to_pay, spending.epsilon.to_pay
        )
    };
    lines.push(format!("these queries use {} (ε = {}){unpaid}", spending.queries, spending.epsilon.queries));
    let [of_spend, of_promise] = &spending.percents;
    // A query of `ask` is charged to the whole promise: the policy's own spend does not apply.
    let has_spend = !shown.policy.ends_with("/ask");
    lines.extend(has_spend.then(|| match (&spending.left_of_spend, of_spend) {
        (Some(left), Some(rounded)) if !left.starts_with('-') => {
            let epsilon = spending.epsilon.left_of_spend.as_deref().unwrap_or_default();
            format!("left of this policy's spend of {} after that: {left} ({rounded}, ε = {epsilon})", spending.spend)
        }
        (Some(_), _) => format!("this policy's spend of {} does not cover these queries", spending.spend),
        (None, _) => "the rest of this policy's spend cannot be computed: the promise was changed".to_owned(),
    }));
    if let (Some(left), Some(rounded)) = (&spending.left_of_promise, of_promise) {
        lines.push(if left.starts_with('-') {
            "the rest of the promise does not cover these queries".to_owned()
        } else {
            let epsilon = spending.epsilon.left_of_promise.as_deref().unwrap_or_default();
            format!("left of the promise after these queries: {left} ({rounded}, ε = {epsilon})")
        });
    }
    lines.extend(spending.but_for.iter().map(|but_for| but_for.in_words.clone()));
    lines.extend((!spending.new_entities.is_empty()).then(|| {
        let tables: Vec<String> = spending.new_entities.iter().map(|table| format!("`{table}`")).collect();
        format!(
            "each version may use 1/2 of the promise: no person is in two versions of {}, so only the two versions with the \
             largest charges count (C-9). What is left of the promise is for this version",
            tables.join(", ")
        )
    }));
    lines.extend(spending.versions.iter().map(|on| {
        let VersionSpending { in_words, per_version, left, .. } = on;
        match left {
            Some(left) if left.starts_with('-') => {
                format!("what {in_words} may use (per_version = {per_version}) does not cover these queries")
            }
            Some(left) => {
                format!("left of what {in_words} may use (per_version = {per_version}) after these queries: {left}")
            }
            None => format!("the rest of what {in_words} may use cannot be computed: the promise was changed"),
        }
    }));
    if let Some(rows) = shown.typical_rows {
        lines.push(format!(
            "relative: the error where values are typical, as the policy guesses, of the answer that they have in a cell; {rows} \
             rows are shared equally by the cells"
        ));
    }
    lines.extend(shown.notes.iter().cloned());
    let held: Vec<(&str, &str)> = shown
        .queries
        .iter()
        .filter_map(|planned| Some((planned.engine.as_ref()?.name, planned.name.as_str())))
        .collect();
    if let Some((engine, _)) = held.first() {
        let queries: Vec<&str> = held.iter().map(|(_, query)| *query).collect();
        lines.push(format!(
            "computed by {engine}, which holds the rows: {}; totals come back, and noise is added here. `deniable plan --sql` shows the statements",
            queries.join(", ")
        ));
    }
    lines
}
