//! The lowest aggregates of a plan: their groups and the aggregates of each group.

use super::aggregate::{CollectedMeasures, Context};
use super::inline::inline;
use super::join::arrange;
use super::place::place_of;
use super::{entity_rows, grouping, own_rows};
use crate::lower::{ComputedColumns, Lowering, Scope};
use datafusion_expr::expr::GroupingSet;
use datafusion_expr::utils::enumerate_grouping_sets;
use datafusion_expr::{Aggregate, Expr};
use deniable_core::schema::{Key, TableSchema};
use deniable_expression::{Id, Program};
use deniable_query::facts::keys::Derivation;
use deniable_query::facts::labels::labels;
use deniable_query::facts::left_out::leaves_out;
use deniable_query::facts::range::Ranges;
use deniable_query::facts::reachable::Conditions;
use deniable_query::output::Term;
use deniable_query::{EntityRows, Group, Joins, Nesting, QueryError, sorted};
use std::collections::BTreeSet;

/// The positions of the groups at each level.
type Levels = Vec<Vec<usize>>;

/// Most characters of the name of a group.
const MOST_NAME: usize = 1_000;
/// Most combinations of one entity's rows in a join.
const MOST_PAIRS: u64 = 10_000_000;
/// Most groupings in one query.
const MOST_LEVELS: usize = 64;

/// Aggregates and everything below them.
pub(super) struct Core {
    pub(super) tables: Vec<TableSchema>,
    pub(super) entity_rows: Option<Box<EntityRows>>,
    pub(super) joins: Joins,
    pub(super) program: Program,
    pub(super) filters: Vec<Id>,
    pub(super) groups: Vec<Group>,
    pub(super) levels: Vec<Vec<usize>>,
    pub(super) nesting: Nesting,
    pub(super) collected: CollectedMeasures,
}

/// The groupings and output columns of one aggregate, as terms of the query's levels.
pub(super) struct AggregateTerms {
    pub(super) levels: Vec<usize>,
    /// Its columns: keys, the grouping if there are several, answers.
    pub(super) columns: Vec<Term>,
}

/// Aggregates of the same rows, the main one first, and everything below them.
pub(super) fn core(
    aggregates: &[&Aggregate],
    tables: &[TableSchema],
) -> Result<(Core, Vec<AggregateTerms>), QueryError> {
    let Some(Aggregate { input, .. }) = aggregates.first() else { return Err(QueryError::meaning("no aggregate")) };
    if let Some(form) = own_rows::found(input, tables)? {
        let (rows, table, computed) = own_rows::understood(&form, tables, None)?;
        let (all, _) = core_over(aggregates, tables, Some((rows, table, computed.clone())))?;
        // Values that the query does not read are neither computed nor part of its identity.
        let kept = own_rows::kept(&computed, &all.inputs());
        return core_over(aggregates, tables, Some(own_rows::understood(&form, tables, Some(&kept))?));
    }
    let made = entity_rows::below(input).map(|inner| {
        entity_rows::check_joined(input, inner, tables)?;
        entity_rows::understood(inner, tables)
    });
    core_over(aggregates, tables, made.transpose()?)
}

impl Core {
    /// The inputs that the query reads.
    fn inputs(&self) -> BTreeSet<usize> {
        let joined = self.joins.others.iter().map(|join| join.on);
        let groups = self.groups.iter().map(|group| group.value);
        let arguments = self.collected.arguments.iter().map(|argument| argument.value);
        let roots: Vec<Id> = joined.chain(self.filters.iter().copied()).chain(groups).chain(arguments).collect();
        self.program.inputs(&roots).into_iter().collect()
    }
}

/// Aggregates over rows of tables, or over rows that are computed from those of each entity.
fn core_over(
    aggregates: &[&Aggregate],
    tables: &[TableSchema],
    made: Option<(EntityRows, TableSchema, ComputedColumns)>,
) -> Result<(Core, Vec<AggregateTerms>), QueryError> {
    let Some(Aggregate { input, .. }) = aggregates.first() else { return Err(QueryError::meaning("no aggregate")) };
    // Computed rows replace protected tables.
    let public = || tables.iter().filter(|table| !table.is_protected()).cloned();
    let (entity_rows, tables, computed): (_, Vec<TableSchema>, _) = match made {
        Some((rows, table, computed)) => {
            (Some(Box::new(rows)), std::iter::once(table).chain(public()).collect(), Some(computed))
        }
        None => (None, tables.to_vec(), None),
    };
    let tables = tables.as_slice();
    let mut lowering = Lowering { computed: computed.as_ref(), ..Lowering::new(tables) };
    let mut ranges = Ranges::default();
    let inlined = inline(input, &mut lowering)?;
    let mut conditions = inlined.filters;
    let has_joined = computed.as_ref().is_some_and(|computed| !computed.joined.is_empty());
    if has_joined {
        own_rows::match_entities(&mut conditions, &mut lowering)?;
    }
    let joins = arrange(&inlined.tables, inlined.lookups, &mut conditions, &mut lowering)?;
    few_enough_pairs(&joins, tables)?;
    let scope = Scope { schema: input.schema(), columns: &inlined.columns };
    let CombinedAggregates { groups: group_exprs, families, aggregated } = asked(aggregates)?;
    let filters = sorted(conditions.iter().map(|condition| condition.id), &lowering.program);
    let mut groups: Vec<Group> = Vec::new();
    for expr in &group_exprs {
        let value = lowering.expr(expr, scope)?;
        let conditions =
            Conditions { program: &lowering.program, tables, filters: &filters, groups: group_exprs.len() };
        let refused = |error: QueryError| error.at(place_of([expr])).about("GROUP");
        let all = Derivation { program: &lowering.program, tables }.keys(value).map_err(refused)?;
        let declared = all.len();
        let keys = conditions.shown(value, all).map_err(refused)?;
        let labels = labels(value, &lowering.program, tables);
        groups.push(Group { name: lowering.program.words(value, MOST_NAME), keys, declared, value, hidden: 0, labels });
    }
    let program = lowering.program.clone();
    let conditions = Conditions { program: &program, tables, filters: &filters, groups: groups.len() };
    let mut keys_of = |id| conditions.shown(id, Derivation { program: &program, tables }.keys(id)?);
    let mut levels: Levels = families.iter().flat_map(|family| family.sets.iter().cloned()).collect();
    let nesting = Nesting::of(&groups, &mut levels, &program, &mut keys_of)?;
    if nesting.is_flat() {
        let is_counted = |column| entity_rows.as_ref().is_some_and(|rows| rows.is_count(column));
        let is_left_out = |group: &Group| leaves_out(&program, group.value, &group.keys, tables, &is_counted);
        keep_left_out(&mut groups, &families, conditions, &is_left_out);
    }
    let mut collected = CollectedMeasures::default();
    let mut entities: Vec<Id> = Vec::new();
    for at in joins.tables() {
        if let Some(entity) = &tables[at].entity {
            entities.push(lowering.column(at, &entity.key)?);
        }
    }
    if has_joined {
        entities.push(own_rows::joined_key(&mut lowering)?);
    }
    let mut context = Context { scope, lowering: &mut lowering, ranges: &mut ranges, entities: &entities };
    for Family { sets, asked } in &families {
        for _ in sets {
            collected.answers.push(Vec::new());
            for expr in asked {
                collected.add(expr, &mut context)?;
            }
        }
    }
    let program = lowering.program;
    let tables = tables.to_vec();
    Ok((Core { tables, entity_rows, joins, program, filters, groups, levels, nesting, collected }, aggregated))
}

/// Adds hidden keys for rows without a key of a group if a subquery covers all groups, because its total includes these
/// rows. All groupings of one aggregate (ROLLUP) count the same rows: those with a key of each group.
fn keep_left_out(
    groups: &mut [Group],
    families: &[Family<'_>],
    conditions: Conditions<'_>,
    is_left_out: &dyn Fn(&Group) -> bool,
) {
    for (at, group) in groups.iter_mut().enumerate() {
        let has = |family: &Family<'_>| family.sets.iter().filter(|set| set.contains(&at)).count();
        let is_mixed = families.iter().any(|family| has(family) > 0 && has(family) < family.sets.len());
        let is_everywhere = families.iter().all(|family| has(family) > 0);
        if is_mixed || is_everywhere || !is_left_out(group) {
            continue;
        }
        let shown = group.keys.len();
        group
            .keys
            .extend([Key::Null, Key::Other].into_iter().filter(|key| !group.keys.contains(key)).collect::<Vec<_>>());
        let mut reachable = conditions.reachable(group.value, &group.keys).keys.into_iter();
        group.keys.retain(|_| reachable.next().unwrap_or(true));
        group.hidden = group.keys.len().saturating_sub(shown);
    }
}

/// Groupings with the same aggregates.
struct Family<'a> {
    /// The positions of the groups of each.
    sets: Levels,
    asked: Vec<&'a Expr>,
}

/// The groupings and families of several aggregates over the same rows.
struct CombinedAggregates<'a> {
    groups: Vec<Expr>,
    families: Vec<Family<'a>>,
    aggregated: Vec<AggregateTerms>,
}

/// Merges aggregates of the same rows: equal groups, groupings and answers are measured once.
fn asked<'a>(aggregates: &[&'a Aggregate]) -> Result<CombinedAggregates<'a>, QueryError> {
    let mut all = CombinedAggregates { groups: Vec::new(), families: Vec::new(), aggregated: Vec::new() };
    for Aggregate { group_expr, aggr_expr, .. } in aggregates {
        let (groups, sets, several) = groupings(group_expr)?;
        let mut places = Vec::new();
        for group in groups {
            let known = all.groups.iter().position(|known| *known == group);
            places.push(known.unwrap_or(all.groups.len()));
            if known.is_none() {
                all.groups.push(group);
            }
        }
        let moved = |set: &Vec<usize>| {
            let mut set: Vec<usize> = set.iter().map(|group| places[*group]).collect();
            set.sort_unstable();
            set
        };
        let sets: Levels = sets.iter().map(moved).collect();
        // Keys are in the order of this aggregate's own groups.
        let mut columns: Vec<Term> = places.iter().map(|place| Term::Key(*place)).collect();
        // With several groupings, DataFusion adds a column that distinguishes them.
        columns.extend(several.then_some(Term::Level));
        let own: Vec<Expr> = places.iter().map(|place| all.groups[*place].clone()).collect();
        let mut wanted: Vec<&Expr> = Vec::new();
        let mut terms: Vec<Result<usize, &Expr>> = Vec::new();
        for expr in aggr_expr {
            match grouping::group_of(expr, &own)? {
                Some(group) => terms.push(Ok(places[group])),
                None => {
                    wanted.push(expr);
                    terms.push(Err(expr));
                }
            }
        }
        if wanted.is_empty() {
            let help = "declared keys are public already; ask for COUNT, SUM or AVG in each";
            return Err(QueryError::refused("a query without an aggregate", help).about("SELECT"));
        }
        let family = all.family(&sets, &wanted);
        let before: usize = all.families[..family].iter().map(|family| family.sets.len()).sum();
        let Family { sets: known, asked } = &mut all.families[family];
        for expr in wanted {
            if !asked.contains(&expr) {
                asked.push(expr);
            }
        }
        let position = |expr: &Expr| asked.iter().position(|known| *known == expr).unwrap_or_default();
        columns.extend(terms.into_iter().map(|term| match term {
            Ok(group) => Term::Grouping(group),
            Err(expr) => Term::Answer(position(expr)),
        }));
        let level = |set: &Vec<usize>| before + known.iter().position(|known| known == set).unwrap_or_default();
        all.aggregated.push(AggregateTerms { levels: sets.iter().map(level).collect(), columns });
    }
    Ok(all)
}

impl<'a> CombinedAggregates<'a> {
    /// The position of the family with these groupings that can have these aggregates at no extra cost; a new family if
    /// there is no such family.
    fn family(&mut self, sets: &Levels, wanted: &[&'a Expr]) -> usize {
        let fits = |family: &Family<'a>| {
            family.sets == *sets
                || sets.iter().all(|set| family.sets.contains(set))
                    && wanted.iter().all(|expr| family.asked.contains(expr))
        };
        self.families.iter().position(fits).unwrap_or_else(|| {
            self.families.push(Family { sets: sets.clone(), asked: Vec::new() });
            self.families.len() - 1
        })
    }
}

/// Rejects joins in which the pairs of one entity's rows may be too many to compute.
fn few_enough_pairs(joins: &Joins, tables: &[TableSchema]) -> Result<(), QueryError> {
    let entities = joins.tables().filter_map(|at| tables[at].entity.as_ref());
    let most: Vec<u64> = entities.map(|entity| entity.rows_in_joins.into()).collect();
    let pairs = most.iter().fold(1_u64, |pairs, most| pairs.saturating_mul(*most));
    if most.len() < 2 || pairs <= MOST_PAIRS {
        return Ok(());
    }
    let help = format!(
        "declare a smaller `rows_in_joins` in [entity]: its product over the protected tables is {pairs}, and the most \
         is {MOST_PAIRS}"
    );
    Err(QueryError::refused("a join in which one person may have this many rows", help).about("JOIN"))
}

/// The GROUP BY expressions, and the positions of those at each level.
fn groupings(group_expr: &[Expr]) -> Result<(Vec<Expr>, Levels, bool), QueryError> {
    let exprs = enumerate_grouping_sets(group_expr.to_vec()).map_err(|error| super::meaning(&error, &[]))?;
    let [Expr::GroupingSet(set)] = exprs.as_slice() else {
        let all = (0..exprs.len()).collect();
        return Ok((exprs, vec![all], false));
    };
    let all: Vec<Expr> = set.distinct_expr().into_iter().cloned().collect();
    let sets: Vec<Vec<Expr>> = match set {
        GroupingSet::GroupingSets(sets) => sets.clone(),
        GroupingSet::Rollup(exprs) => (0..=exprs.len()).rev().map(|most| exprs[..most].to_vec()).collect(),
        GroupingSet::Cube(exprs) => {
            if exprs.len() > 6 {
                let help = "list the GROUPING SETS you need";
                return Err(QueryError::refused("a CUBE of this many columns", help).about("CUBE"));
            }
            let member =
                |set: usize| exprs.iter().enumerate().filter(move |(at, _)| set >> (exprs.len() - 1 - at) & 1 == 1);
            (0..1_usize << exprs.len()).rev().map(|set| member(set).map(|(_, expr)| expr.clone()).collect()).collect()
        }
    };
    if sets.len() > MOST_LEVELS {
        let help = "the budget is split over them; ask for fewer";
        return Err(QueryError::refused("this many grouping sets", help).about("GROUP"));
    }
    let place = |expr: &Expr| all.iter().position(|known| known == expr);
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for set in &sets {
        let mut level: Vec<usize> = set.iter().filter_map(place).collect();
        level.sort_unstable();
        level.dedup();
        if levels.contains(&level) {
            let help = "it would be charged twice; list it once";
            return Err(QueryError::refused("the same grouping set twice", help).at(place_of(set)).about("GROUP"));
        }
        levels.push(level);
    }
    Ok((all, levels, true))
}
