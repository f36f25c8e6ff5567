//! Parallel composition within a query: measures under conditions that exclude each other (C-2f).
//!
//! `COUNT(*) FILTER (WHERE sex = 'F')` and the same for men amount to one grouping: a row counts in at most one of
//! them. Conditions that exclude each other therefore share one part of the query's share, and each measure has all of
//! it. Where one entity replaces another, its old rows may count under one condition and its new rows under the other:
//! each measure then has the sensitivity that it has beside other groups, twice that of adding.
//!
//! Caps are applied to rows before any condition is evaluated, so an entity's capped rows are divided among the
//! conditions.

use crate::facts::exclusive::Exclusions;
use crate::{Measure, MeasureKind, Rows};
use deniable_core::exact::Rational;
use deniable_expression::{Id, Node, Operation};
use num_traits::Zero;

/// Most conditions that are compared with each other, since comparing takes quadratic time. With more, none share a
/// part.
const MOST_CONDITIONS: usize = 100;

/// The part of the query's share that a measure gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The part of the query's share.
    pub share: Rational,
    /// The class of measures that share this part, if there are others.
    pub class: Option<Class>,
}

/// Measures of one level whose conditions exclude each other: no row meets two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Its number within the query.
    pub number: usize,
    /// The part of the query's share that all of its measures have together: the sum of those under one condition.
    pub share: Rational,
}

/// Measures of a level under the same conditions. Each level caps its rows separately.
struct Member {
    level: usize,
    conditions: Vec<Id>,
    weight: Rational,
}

/// The part of each measure, in their order, and the steps of the comparison of their conditions.
pub fn parts(measures: &[Measure], rows: &Rows) -> (Vec<Part>, u64) {
    let mut members: Vec<Member> = Vec::new();
    let mut member_of = Vec::new();
    for measure in measures {
        let conditions = conditions(&measure.kind, rows);
        let is_known = |member: &Member| member.level == measure.level && member.conditions == conditions;
        let known = members.iter().position(is_known);
        let at = known.unwrap_or_else(|| {
            members.push(Member { level: measure.level, conditions, weight: Rational::zero() });
            members.len() - 1
        });
        members[at].weight += &measure.weight;
        member_of.push(at);
    }
    let lists: Vec<&[Id]> = members.iter().map(|member| member.conditions.as_slice()).collect();
    let exclusions = match lists.len() {
        2..=MOST_CONDITIONS => Exclusions::new(&rows.program, &lists),
        other => Exclusions::none(other),
    };
    let excluded =
        |one: usize, other: usize| members[one].level == members[other].level && exclusions.contains(one, other);
    // Each member joins the first class whose members all exclude it.
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for member in 0..members.len() {
        match classes.iter_mut().find(|class| class.iter().all(|other| excluded(*other, member))) {
            Some(class) => class.push(member),
            None => classes.push(vec![member]),
        }
    }
    let heaviest =
        |class: &Vec<usize>| class.iter().map(|member| members[*member].weight.clone()).max().unwrap_or_default();
    let total: Rational = classes.iter().map(heaviest).sum();
    let part = |(measure, member): (&Measure, &usize)| {
        let class = classes.iter().position(|class| class.contains(member)).unwrap_or_default();
        let share = heaviest(&classes[class]) / &total;
        Part {
            // Lighter members get as much as the heaviest: giving them less would not help any other measure.
            share: &measure.weight * &share / &members[*member].weight,
            class: (classes[class].len() > 1).then_some(Class { number: class, share }),
        }
    };
    (measures.iter().zip(&member_of).map(part).collect(), exclusions.steps)
}

/// The conditions that every row counted by a measure meets.
fn conditions(kind: &MeasureKind, rows: &Rows) -> Vec<Id> {
    let arguments = match kind {
        // Several rows of one entity may meet several conditions, and the entity counts under each.
        MeasureKind::Rows | MeasureKind::Entities { .. } => Vec::new(),
        MeasureKind::NotNull { argument }
        | MeasureKind::Ranked { argument, .. }
        | MeasureKind::Tree { argument, .. } => vec![*argument],
        MeasureKind::Sum { of, .. } => vec![of.argument],
        MeasureKind::Product { of: [one, other], .. } => vec![one.argument, other.argument],
    };
    let mut all = Vec::new();
    for argument in arguments {
        let Some(argument) = rows.arguments.get(argument) else { continue };
        let mut value = argument.value;
        // `CASE WHEN c THEN x END` is NULL unless c holds.
        while let Node::Call(Operation::Case, parts) = rows.program.node(value)
            && let [condition, then, otherwise] = parts.as_slice()
            && rows.program.constant_of(*otherwise) == Some(None)
        {
            all.push(*condition);
            value = *then;
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
