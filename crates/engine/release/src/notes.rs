//! Notes beside an answer: effects of caps, bounds and keys, numbers that are not usable, groupings that add up.

use crate::plan::{Plan, QueryPlan};
use crate::quality::Unbounded;
use crate::release::QueryAnswer;
use crate::rows_each;
use crate::show::{confidence, scalar, value_kind};
use deniable_answers::Consistency;
use deniable_core::exact::{Rational, Rounding, percent, whole};
use deniable_core::noise::margin;
use deniable_core::schema::Key;
use deniable_core::sensitivity::Caps;
use deniable_core::text::shown;
use deniable_policy::{Quality as Classes, QuerySubject, Sampling};
use deniable_publication::{Cell, Quality};
use deniable_query::output::{MOST_BITS, Step};
use deniable_query::{CentredArgument, Estimator, MeasureKind, Moments, Query, ValueKind};
use num_traits::{Signed, Zero};

/// A note on classes, and what the curator could do for better ones.
#[derive(Debug)]
pub(crate) struct ClassNote {
    pub note: String,
    pub advice: String,
}

/// The number of unusable numbers; `None` if all are usable.
pub(crate) fn not_usable(rows: &[Vec<Cell>], classes: &Classes) -> Option<ClassNote> {
    let all: Vec<(Quality, bool)> = rows
        .iter()
        .flatten()
        .filter_map(Cell::number)
        .filter_map(|number| Some((number.quality?, number.rows.is_some())))
        .collect();
    let bad = || all.iter().filter(|(class, _)| *class == Quality::Unusable);
    let ranks = if bad().any(|(_, is_rank)| *is_rank) {
        ". A rank is classed by the rows of its cell: a count of them in the query, or else `typical_rows`, which \
         describes rows that pass a condition only with `typical_share`"
    } else {
        ""
    };
    (bad().count() > 0).then(|| ClassNote {
        note: format!(
            "{} of {} numbers {} not usable: noise alone could give that much, or the error is more than {} of the value{ranks}",
            bad().count(),
            all.len(),
            if bad().count() == 1 { "is" } else { "are" },
            percent(&classes.c, 2, Rounding::Nearest)
        ),
        advice: "a larger share, fewer or larger groups, or smaller caps and bounds make the noise smaller".to_owned(),
    })
}

/// Explains why numbers have no class. The note depends only on whether caps or bounds can leave
/// out an amount that no public statement bounds, and not on the numbers.
pub(crate) fn bias_unknown(reason: Option<Unbounded>) -> Option<ClassNote> {
    let advice = match reason? {
        Unbounded::Loss => {
            "for a class in place of \"bias unknown\", state how much is left out with `typical_left_out` in [quality] or [[query]]"
        }
        Unbounded::RowsEach => {
            "for a class in place of \"bias unknown\", numbers of rows per entity need a `typical_left_out` in [[query]], or a \
             query with one row of each entity"
        }
    };
    Some(ClassNote {
        note: "\"bias unknown\": the noise alone would allow class A, B or C, but no public statement bounds the rows and \
               values that caps and bounds leave out"
            .to_owned(),
        advice: advice.to_owned(),
    })
}

/// States that classes rest on a statement of the curator, which no noise and no data confirm.
pub(crate) fn stated(part: Option<&Rational>) -> Option<String> {
    let part = percent(part?, 2, Rounding::Nearest);
    Some(format!(
        "the classes rest on the curator's statement that caps and bounds leave out at most {part} of a number \
         (`typical_left_out`); the intervals do not include that part"
    ))
}

/// Whether the groupings of a query add up, with the reason if they do not; `None` for a single grouping.
pub(crate) fn adding_up(plan: &Plan, planned: &QueryPlan, answered: &QueryAnswer) -> Option<String> {
    let left = "the groupings do not add up exactly, as each has noise of its own";
    Some(match deniable_answers::consistency(planned.query()) {
        Consistency::NothingToAddUp => return None,
        Consistency::Entities => {
            let each = plan.policy().entity().as_ref().map_or("entity", |entity| entity.key.as_str());
            format!(
                "the groupings do not add up: caps apply to the rows of each {each} in each grouping separately; \
                 `levels = \"together\"` in [entity] applies them once"
            )
        }
        Consistency::TooManyCells => format!("{left}; making them consistent would take too long for this many cells"),
        Consistency::Applies if !planned.declared().consistent => {
            format!("{left}; `consistent = false` keeps them so")
        }
        Consistency::Applies if answered.noisy.consistent.is_none() => {
            format!("{left}; numbers this large are not made consistent")
        }
        Consistency::Applies => {
            "the noisy answers were changed as little as possible so that the groupings add up and counts are not \
             negative, at no cost in budget. The intervals are those of the noisy answers, extended to the shown \
             numbers"
                .to_owned()
        }
    })
}

/// States the earlier answer that a query is taken from.
pub(crate) fn taken_from(planned: &QueryPlan) -> Option<String> {
    let within = planned.within()?;
    Some(format!(
        "these numbers are part of the earlier answer \"{}\", with the same noise: free, and not a second \
         measurement. If its groupings were made to add up, so are these",
        within.name()
    ))
}

/// Whether a query counts the entities of which the caps of the other query leave something out.
pub(crate) fn is_left_out_of(beside: &QueryPlan, planned: &QueryPlan) -> bool {
    matches!(&beside.declared().about, QuerySubject::LeftOut { of } if *of == planned.declared().name)
}

/// The paid counts of the entities that a query counts in full, and of those of which its caps leave something out.
pub(crate) struct LeftOutCount {
    name: String,
    within: i128,
    beyond: i128,
    /// The reach of each count's noise, chosen so that both hold together at the policy's confidence.
    reach: Rational,
}

impl LeftOutCount {
    pub(crate) fn new(plan: &Plan, of: &QueryPlan, answered: &QueryAnswer) -> Option<Self> {
        let [within, beyond] = *answered.noisy.values.first()?.as_slice() else { return None };
        // Each count takes half of the allowed error.
        let half = (whole(1) + plan.policy().confidence()) / whole(2);
        let reach = whole(margin(of.measures().first()?.decay(), &half));
        Some(Self { name: of.declared().name.clone(), within, beyond, reach })
    }

    fn least(&self, count: i128) -> Rational {
        (whole(count) - &self.reach).max(Rational::zero())
    }

    fn most(&self, count: i128) -> Rational {
        (whole(count) + &self.reach).max(Rational::zero())
    }

    /// The most entities of which something is left out, at the policy's confidence.
    pub(crate) fn most_beyond(&self) -> Rational {
        self.most(self.beyond)
    }

    /// The note for the answer of the query.
    pub(crate) fn note(&self, plan: &Plan) -> Option<String> {
        let Self { name, within, beyond, .. } = self;
        let part = |beyond: Rational, within: Rational| {
            let all = &beyond + within;
            all.is_positive().then(|| beyond / all)
        };
        let low = part(self.least(*beyond), self.most(*within)).unwrap_or_else(Rational::zero);
        let high = part(self.most(*beyond), self.least(*within)).unwrap_or_else(|| whole(1));
        let about = part(whole((*beyond).max(0)), whole((*within).max(0))).map_or_else(
            || "an unknown part".to_owned(),
            |part| format!("about {}", percent(&part, 1, Rounding::Nearest)),
        );
        let key = &plan.policy().entity()?.key;
        Some(format!(
            "the caps leave out rows of {about} of the entities with rows in this query, by `{key}` ({} .. {} at {}): \
             see \"{name}\"",
            percent(&low, 1, Rounding::Down),
            percent(&high, 1, Rounding::Up),
            confidence(plan),
        ))
    }
}

/// Explains intervals for the population (M-POP).
fn of_the_population(plan: &Plan) -> String {
    let each = if plan.policy().entity().is_some() { "entity" } else { "row" };
    format!(
        "the intervals for the population treat the data as a simple random sample of it, drawn by {each} (`sampling \
         = \"simple\"`): they cover the population's number with {} confidence, including noise and sampling error. \
         The sampling error is bounded for all values, or, beside VAR or STDDEV of the same values, Student's \
         approximation",
        confidence(plan)
    )
}

/// Names the columns without an interval for the population, and shows how to write them with one.
fn not_of_the_population(names: &[&str]) -> Option<String> {
    let columns: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    (!columns.is_empty()).then(|| {
        format!(
            "no interval for the population: {}. Such intervals exist for means of one value per row: AVG(x), or a \
             share of the rows that are counted beside it, as in COUNT(*) FILTER (WHERE c AND x IS NOT NULL) / \
             COUNT(x)",
            columns.join(", ")
        )
    })
}

/// The rows that a join, or the values of rows beside others, read before any cap of the query.
fn read_first(query: &Query, each: &str) -> Option<String> {
    let rows = counted(query.rows_in_joins()?, "row");
    let read = match query.entity_rows() {
        Some(_) => format!("at most {rows} of each {each} are read, the first in order"),
        None => format!("at most {rows} of each {each} and table enter the join"),
    };
    Some(format!("{read} (`rows_in_joins`); no other figure covers the rows left out"))
}

/// `1 row`, `2 rows`.
fn counted(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The rules by which caps, bounds and keys can bias an answer. Listed whenever they can, whatever the data contain.
pub(crate) fn warnings(plan: &Plan, planned: &QueryPlan) -> Vec<String> {
    let mut all = Vec::new();
    if let QuerySubject::Values { .. } = &planned.declared().about {
        return vec!["each entity counts once, with one value; all values are rounded to public candidates".to_owned()];
    }
    if let (QuerySubject::LeftOut { of }, Some(entity)) = (&planned.declared().about, plan.policy().entity()) {
        let about = planned.query().of_rows();
        let Caps { rows_per_group, groups } = about.main_table().caps();
        let rows = about.counts_rows().then(|| format!("more than {} in a group", counted(rows_per_group, "row")));
        let groups = (!about.groups().is_empty()).then(|| format!("rows in more than {}", counted(groups, "group")));
        let many: Vec<String> = rows.into_iter().chain(groups).collect();
        let rule = if many.is_empty() {
            format!("no cap of \"{of}\" leaves out any rows")
        } else {
            format!("the caps of \"{of}\" leave out rows of each {} with {}", entity.key, many.join(", or "))
        };
        return std::iter::once(rule).chain(read_first(about, &entity.key)).collect();
    }
    let grouped = !planned.query().groups().is_empty();
    if let Some(entity) = &plan.policy().entity() {
        let each = &entity.key;
        if planned.query().is_of_entity_rows() {
            all.push(format!(
                "each {each} counts once, with a value computed from all of its rows: no cap leaves out rows"
            ));
        }
        let rows = planned.query().caps().rows_per_group;
        let verb = if rows == 1 { "counts" } else { "count" };
        if planned.query().counts_rows() && !planned.query().is_of_entity_rows() {
            let rows = counted(rows, "row");
            all.push(format!("at most {rows} of each {each} {verb} in a group, so counts and sums may be too low"));
        }
        if grouped && !planned.query().is_of_entity_rows() {
            let groups = planned.query().caps().groups;
            all.push(format!(
                "each {each} counts in at most {groups} of the groups, so counts and sums may be too low"
            ));
        }
        all.extend(read_first(planned.query(), each));
    }
    let decimal_of = |end: &Rational| {
        scalar(end, ValueKind::Number, 6, Rounding::Nearest).map_or_else(|| end.to_string(), |end| end.to_string())
    };
    let mut clamped: Vec<String> = Vec::new();
    for answer in (0..planned.query().levels().len()).flat_map(|level| planned.query().answers(level)) {
        // A weighted value has no sum of its own.
        let Estimator::Weighted(about) = answer else { continue };
        clamped.push(format!(
            "{}: values below {} or above {} count as these bounds",
            planned.query().weighted_value_in_words(about),
            decimal_of(&about.low),
            decimal_of(&about.high)
        ));
    }
    for (at, measure) in planned.query().measures().iter().enumerate() {
        match &measure.kind {
            MeasureKind::Sum { .. } if !planned.query().is_clamped(at) => {}
            MeasureKind::Sum { .. } | MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => {
                let (low, high) = planned.query().bounds(at);
                let kind = value_kind(planned, at);
                let end = |end: &Rational| {
                    scalar(end, kind, 6, Rounding::Nearest).map_or_else(|| end.to_string(), |end| end.to_string())
                };
                clamped.push(format!(
                    "{}: values below {} or above {} count as these bounds",
                    planned.query().argument_in_words(at),
                    end(&low),
                    end(&high)
                ));
            }
            // Each value of a product has a sum of its own, or is weighted.
            MeasureKind::Rows
            | MeasureKind::NotNull { .. }
            | MeasureKind::Entities { .. }
            | MeasureKind::Product { .. } => {}
        }
    }
    clamped.extend(planned.query().bounded_inside().iter().map(|(words, low, high)| {
        format!(
            "{words}, of each row inside: values below {} or above {} count as these bounds",
            decimal_of(low),
            decimal_of(high)
        )
    }));
    clamped.sort();
    clamped.dedup();
    all.extend(clamped);
    all.extend(sums_apart(planned));
    all.extend(rows_each::hint(planned.query()));
    for group in planned.query().groups().iter().filter(|group| planned.query().may_leave_out(group)) {
        let whose = match plan.policy().entity() {
            Some(entity) if planned.query().is_of_entity_rows() => format!("entities, by `{}`,", entity.key),
            _ => "rows".to_owned(),
        };
        let is_time = matches!(group.keys.first(), Some(Key::Date(_) | Key::Timestamp(_)));
        let left_out = match group.takes_others() {
            true => "has no value",
            false if is_time => "is outside the declared bounds",
            false => "is not among the declared keys",
        };
        let in_total = if group.counts_left_out() { " of the groups, and count in the total beside them" } else { "" };
        all.push(format!("{whose} whose `{}` {left_out} are left out{in_total}", group.name));
    }
    if !all.is_empty() {
        all.push(
            "the intervals account for noise only, not for the rows and values that the rules above leave out"
                .to_owned(),
        );
    }
    all.extend(planned.query().replaced());
    if let Some(Sampling::Simple) = planned.declared().sampling {
        all.push(of_the_population(plan));
        all.extend(not_of_the_population(&deniable_answers::without_population(planned.query())));
    }
    let cut = planned.query().output().steps.iter().any(|step| matches!(step, Step::Limit { .. } | Step::Filter(_)));
    if cut {
        all.push("the choice of the rows shown depends on noisy values".to_owned());
    }
    if planned.query().effort().bits >= MOST_BITS {
        all.push(format!("exact numbers have at most {MOST_BITS} bits: longer results are NULL"));
    }
    all
}

/// Averages beside sums and counts of the same values, which a reader may divide: AVG is a sum less a public centre,
/// with separate noise, unless that centre is 0 and one sum serves both.
fn sums_apart(planned: &QueryPlan) -> Vec<String> {
    let (answers, measures) = (planned.query().answers(0), planned.query().measures());
    let mut all = Vec::new();
    for answer in answers {
        let Estimator::Average(Moments { sum, .. }) = answer else { continue };
        let MeasureKind::Sum { of: CentredArgument { argument: averaged, .. }, .. } = measures[*sum].kind else {
            continue;
        };
        let is_its_sum = |other: &Estimator| match other {
            Estimator::Sum { measure } => {
                measure != sum
                    && matches!(measures[*measure].kind, MeasureKind::Sum { of, .. } if of.argument == averaged)
            }
            Estimator::Count { .. }
            | Estimator::Average(_)
            | Estimator::Weighted(_)
            | Estimator::Variance { .. }
            | Estimator::Regression(_)
            | Estimator::Quantile { .. } => false,
        };
        let count = answers.iter().find_map(|other| match other {
            Estimator::Count { measure } => match measures[*measure].kind {
                MeasureKind::Rows => Some("*".to_owned()),
                MeasureKind::NotNull { argument } if argument == averaged => {
                    Some(planned.query().argument_in_words(*sum))
                }
                _ => None,
            },
            Estimator::Sum { .. }
            | Estimator::Average(_)
            | Estimator::Weighted(_)
            | Estimator::Variance { .. }
            | Estimator::Regression(_)
            | Estimator::Quantile { .. } => None,
        });
        if let Some(count) = count.filter(|_| answers.iter().any(is_its_sum)) {
            let about = planned.query().argument_in_words(*sum);
            all.push(format!(
                "AVG({about}) differs from SUM({about}) / COUNT({count}): their sums have separate noise, and each \
                 number has the error that its interval states"
            ));
        }
    }
    all
}
