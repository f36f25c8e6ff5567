//! Each row of an entity beside values of its other rows (S-OWN).
//!
//! | SQL | value |
//! |---|---|
//! | `LAG(x) OVER (PARTITION BY patient ORDER BY day)`, `LEAD` | x of the row before, or after |
//! | `ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day)` | the place of the row |
//! | `MIN(x) OVER (PARTITION BY patient)` and the other aggregates | a value of all rows of the patient |
//! | `visits JOIN (SELECT patient, MIN(x) ... FROM visits GROUP BY patient) USING (patient)` | the same |
//!
//! All rows of one entity stay its own, so the caps of the query apply to them as to rows of the table. Rows with equal
//! sort keys are ordered by the values that the query reads.

use super::aggregate::{CollectedMeasures, Context, truth_where};
use super::entity_rows::{self, MOST_NAME, folded};
use super::inline::{Condition, InlinedPlan, equated, inline};
use super::join::arrange;
use super::place::place_of;
use super::released::has_aggregate;
use super::windows::{FURTHEST, frame};
use crate::lower::{ComputedColumn, ComputedColumns, Lowering, Scope, constant_integer};
use datafusion_expr::expr::{AggregateFunction, AggregateFunctionParams, WindowFunction, WindowFunctionParams};
use datafusion_expr::{Aggregate, Expr, LogicalPlan, Window, WindowFunctionDefinition};
use deniable_core::schema::TableSchema;
use deniable_expression::{Id, Operation, Type};
use deniable_query::facts::range::Ranges;
use deniable_query::output::Frame;
use deniable_query::{EntityRows, Fold, OwnSort, Query, QueryError, Rows, Yield, sorted};
use std::collections::BTreeSet;

/// The nodes of a plan that compute rows of entities.
pub(super) enum Form<'p> {
    /// Windows, the last to be computed first, over rows that are read.
    Windows { windows: Vec<&'p Window>, input: &'p LogicalPlan },
    /// Rows of a table, and an aggregate of the same table by the entity key.
    Joined { rows: &'p LogicalPlan, aggregate: &'p Aggregate },
}

/// The computed columns of a plan that a query reads, by their positions: those of the rows, then those of the joined
/// aggregate; all of them if `None`.
pub(super) type ReadColumns<'k> = Option<&'k BTreeSet<usize>>;

/// The nodes that compute rows below an aggregate, if there are any.
pub(super) fn found<'p>(plan: &'p LogicalPlan, tables: &[TableSchema]) -> Result<Option<Form<'p>>, QueryError> {
    let mut beside = Beside::default();
    beside.read(plan);
    let protected = |scan: &&&LogicalPlan| {
        let LogicalPlan::TableScan(scan) = scan else { return false };
        tables.iter().any(|table| table.is_protected() && table.name == scan.table_name.table())
    };
    let scans: Vec<&&LogicalPlan> = beside.scans.iter().filter(protected).collect();
    match (beside.windows.as_slice(), beside.aggregates.as_slice(), scans.as_slice()) {
        ([], [aggregate], [rows]) if reads_only(&aggregate.input, rows) => Ok(Some(Form::Joined { rows, aggregate })),
        ([], ..) => Ok(None),
        ([window], [], []) => {
            let mut windows = vec![*window];
            let mut input = &*window.input;
            while let LogicalPlan::Window(inner) = input {
                windows.push(inner);
                input = &inner.input;
            }
            if has_aggregate(input) {
                return Err(of_several(tables));
            }
            Ok(Some(Form::Windows { windows, input }))
        }
        _ => {
            let help =
                "compute all values in one inner query: windows with the same PARTITION BY stay beside each other";
            Err(QueryError::refused("a join of a query with windows and other rows", help).about("JOIN"))
        }
    }
}

/// The nodes that a plan reads through filters, projections and joins.
#[derive(Default)]
struct Beside<'p> {
    windows: Vec<&'p Window>,
    aggregates: Vec<&'p Aggregate>,
    scans: Vec<&'p LogicalPlan>,
}

impl<'p> Beside<'p> {
    fn read(&mut self, plan: &'p LogicalPlan) {
        match plan {
            LogicalPlan::Window(window) => self.windows.push(window),
            LogicalPlan::Aggregate(aggregate) => self.aggregates.push(aggregate),
            LogicalPlan::TableScan(_) => self.scans.push(plan),
            other => other.inputs().into_iter().for_each(|input| self.read(input)),
        }
    }
}

/// Whether a plan reads the same table as `rows`, and no other.
fn reads_only(plan: &LogicalPlan, rows: &LogicalPlan) -> bool {
    let mut beside = Beside::default();
    beside.read(plan);
    match (beside.scans.as_slice(), rows) {
        ([LogicalPlan::TableScan(own)], LogicalPlan::TableScan(rows)) => own.table_name == rows.table_name,
        _ => false,
    }
}

/// Parses how rows are computed: the values, the table of the computed rows, and its columns in the plan.
pub(super) fn understood(
    form: &Form<'_>,
    tables: &[TableSchema],
    keep: ReadColumns<'_>,
) -> Result<(EntityRows, TableSchema, ComputedColumns), QueryError> {
    let input = match form {
        Form::Windows { input, .. } => input,
        Form::Joined { rows, .. } => rows,
    };
    let mut lowering = Lowering::new(tables);
    let inlined = inline(input, &mut lowering)?;
    let mut conditions = inlined.filters;
    let joins = arrange(&inlined.tables, inlined.lookups, &mut conditions, &mut lowering)?;
    let table = &tables[joins.first];
    let Some(entity) = &table.entity else {
        let help = "declare the key of people under [entity]: without it one row is one person";
        return Err(QueryError::refused("a window over rows", help).about("OVER"));
    };
    if let Some(join) = joins.others.iter().find(|join| tables[join.table].is_protected()) {
        let help = format!(
            "compute the windows in an inner query over `{}` alone, to which public tables may be joined",
            table.name
        );
        let construct = format!("a window over a join with the protected table `{}`", tables[join.table].name);
        return Err(QueryError::refused(construct, help).about("JOIN"));
    }
    let key = lowering.column(joins.first, &entity.key)?;
    let mut building = Building {
        key: (key, &entity.key),
        keep,
        position: 0,
        collected: CollectedMeasures::default(),
        folds: Vec::new(),
        names: Vec::new(),
        lowering: &mut lowering,
        ranges: &mut Ranges::default(),
    };
    let scope = Scope { schema: input.schema(), columns: &inlined.columns };
    let mut rows = building.own(&inlined.columns);
    let (mut joined, mut presence) = (Vec::new(), None);
    match form {
        Form::Windows { windows, .. } => {
            for expr in windows.iter().rev().flat_map(|window| &window.window_expr) {
                rows.push(building.window(expr, scope)?);
            }
        }
        Form::Joined { aggregate, .. } => (joined, presence) = building.joined(aggregate)?,
    }
    let Building { collected, folds, names, .. } = building;
    let filters = sorted(conditions.iter().map(|condition| condition.id), &lowering.program);
    let arguments = collected.arguments;
    let of =
        Query::of_bare_rows(Rows { tables: tables.to_vec(), program: lowering.program, joins, filters, arguments });
    let made = EntityRows { of, folds, yields: Yield::EachRow };
    let table = made.table(names).ok_or_else(|| entity_rows::unknown("rows"))?;
    Ok((made, table, ComputedColumns { rows, joined, presence }))
}

/// The columns of computed rows, as they are parsed.
struct Building<'a, 'b> {
    /// The entity key, and its name.
    key: (Id, &'a str),
    keep: ReadColumns<'a>,
    /// The position of the next column of the plan.
    position: usize,
    collected: CollectedMeasures,
    folds: Vec<Fold>,
    names: Vec<String>,
    lowering: &'a mut Lowering<'b>,
    ranges: &'a mut Ranges,
}

impl Building<'_, '_> {
    /// Whether the query reads the next column of the plan.
    fn next_is_kept(&mut self) -> bool {
        let at = self.position;
        self.position += 1;
        self.keep.is_none_or(|keep| keep.contains(&at))
    }

    fn add(&mut self, fold: Fold, name: String) -> ComputedColumn {
        self.folds.push(fold);
        self.names.push(name);
        // The first column is the entity's key.
        ComputedColumn::At(self.folds.len())
    }

    /// The columns of the rows themselves.
    fn own(&mut self, columns: &[Id]) -> Vec<ComputedColumn> {
        let mut own = Vec::new();
        for id in columns {
            let is_kept = self.next_is_kept();
            own.push(if *id == self.key.0 {
                ComputedColumn::At(0)
            } else if is_kept {
                let name = self.lowering.program.words(*id, MOST_NAME);
                let fold = Fold::Own(self.collected.argument(*id, None));
                self.add(fold, name)
            } else {
                ComputedColumn::Unused(self.lowering.program.kind(*id))
            });
        }
        own
    }

    /// A window over the rows of each entity.
    fn window(&mut self, expr: &Expr, scope: Scope<'_>) -> Result<ComputedColumn, QueryError> {
        let is_kept = self.next_is_kept();
        let inner = match expr {
            Expr::Alias(alias) => &*alias.expr,
            other => other,
        };
        let Expr::WindowFunction(call) = inner else { return Err(unknown("this window")) };
        let WindowFunction { fun, params } = &**call;
        let WindowFunctionParams { args, partition_by, order_by, window_frame, filter, null_treatment, distinct } =
            params;
        let name = match fun {
            WindowFunctionDefinition::AggregateUDF(function) => function.name(),
            WindowFunctionDefinition::WindowUDF(function) => function.name(),
        };
        let here = |error: QueryError| error.at(place_of([inner])).about("OVER");
        if null_treatment.is_some() {
            return Err(here(unknown("NULL treatment in a window")));
        }
        let partition = partition_by
            .iter()
            .map(|by| self.lowering.expr(by, scope))
            .collect::<Result<Vec<Id>, _>>()
            .map_err(here)?;
        if partition != [self.key.0] {
            return Err(here(by_another_key(self.key.1)));
        }
        let mut order = Vec::new();
        for by in order_by {
            let id = self.lowering.expr(&by.expr, scope).map_err(here)?;
            let by = OwnSort { by: 0, ascending: by.asc, nulls_first: by.nulls_first };
            order.push((id, by));
        }
        let fold = match (name, args.as_slice()) {
            ("lag" | "lead" | "row_number", _) if order.is_empty() => return Err(here(unordered(name, self.key.1))),
            ("row_number", []) => is_kept.then(|| Fold::Place(self.order(&order))),
            ("lag" | "lead", [value, rest @ ..]) => {
                let places = match rest {
                    [] => Some(1),
                    [places] => constant_integer(places),
                    _ => {
                        let help = format!("write COALESCE({}(x) OVER (...), value)", name.to_uppercase());
                        let construct = format!("{} with a value for missing rows", name.to_uppercase());
                        return Err(here(QueryError::refused(construct, help)));
                    }
                };
                let places = places.filter(|places| (0..=FURTHEST).contains(places));
                let places = places.ok_or_else(|| here(unknown(&format!("{} by this much", name.to_uppercase()))))?;
                let value = self.lowering.expr(value, scope).map_err(here)?;
                let places = if name == "lag" { places } else { -places };
                is_kept.then(|| {
                    let order = self.order(&order);
                    Fold::Shifted { value: self.collected.argument(value, None), order, places }
                })
            }
            _ if !matches!(fun, WindowFunctionDefinition::AggregateUDF(_)) => {
                return Err(here(unknown(&name.to_uppercase())));
            }
            _ if !order.is_empty() || frame(window_frame, true).ok() != Some(Frame::Peers) => {
                let help = format!(
                    "leave ORDER BY and the frame out for a value of all rows of each {}; ROW_NUMBER() counts the rows \
                     up to this one",
                    self.key.1
                );
                return Err(here(QueryError::refused("a running aggregate over one person's rows", help)));
            }
            _ => {
                let WindowFunctionDefinition::AggregateUDF(function) = fun else { return Err(here(unknown(name))) };
                let params = AggregateFunctionParams {
                    args: args.clone(),
                    distinct: *distinct,
                    filter: filter.clone(),
                    order_by: Vec::new(),
                    null_treatment: None,
                };
                let call = Expr::AggregateFunction(AggregateFunction { func: function.clone(), params });
                return self.folded(&call, None, scope, is_kept).map_err(here);
            }
        };
        Ok(match fold {
            Some(fold) => {
                let words = expr.schema_name().to_string();
                self.add(fold, words)
            }
            None => ComputedColumn::Unused(self.kind_of(name, args, scope)?),
        })
    }

    /// The arguments of sort keys.
    fn order(&mut self, order: &[(Id, OwnSort)]) -> Vec<OwnSort> {
        order.iter().map(|(id, sort)| OwnSort { by: self.collected.argument(*id, None), ..*sort }).collect()
    }

    /// The type of a value that the query does not read.
    fn kind_of(&mut self, name: &str, args: &[Expr], scope: Scope<'_>) -> Result<Type, QueryError> {
        match (name, args) {
            ("lag" | "lead", [value, ..]) => {
                let value = self.lowering.expr(value, scope)?;
                Ok(self.lowering.program.kind(value))
            }
            _ => Ok(Type::Integer),
        }
    }

    /// An aggregate of all rows of each entity; `only` restricts the rows.
    fn folded(
        &mut self,
        call: &Expr,
        only: Option<Id>,
        scope: Scope<'_>,
        is_kept: bool,
    ) -> Result<ComputedColumn, QueryError> {
        let mut unused = CollectedMeasures::default();
        let collected = if is_kept { &mut self.collected } else { &mut unused };
        let mut context = Context { scope, lowering: self.lowering, ranges: self.ranges, entities: &[] };
        let (fold, name) = folded(call, only, collected, &mut context)?;
        Ok(if is_kept { self.add(fold, name) } else { ComputedColumn::Unused(self.kind_of_fold(&fold, &unused)) })
    }

    fn kind_of_fold(&self, fold: &Fold, collected: &CollectedMeasures) -> Type {
        match fold {
            Fold::Average(_) | Fold::Sum(_, false) => Type::Decimal,
            Fold::Rows | Fold::Present(_) | Fold::Distinct(..) | Fold::Sum(..) | Fold::Place(_) => Type::Integer,
            _ => fold.argument().map_or(Type::Integer, |at| self.lowering.program.kind(collected.arguments[at].value)),
        }
    }

    /// The columns of an aggregate by the entity key, and that of the number of rows that it covers, if a condition
    /// restricts them.
    fn joined(&mut self, aggregate: &Aggregate) -> Result<(Vec<ComputedColumn>, Option<usize>), QueryError> {
        let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
        let InlinedPlan { columns, filters, lookups, tables: _ } = inline(input, self.lowering)?;
        let scope = Scope { schema: input.schema(), columns: &columns };
        if !lookups.is_empty() {
            let help = "join the public table to the rows, outside the inner query";
            return Err(QueryError::refused("an inner query with a public table beside rows", help).about("JOIN"));
        }
        let is_by_key = match group_expr.as_slice() {
            [group] => self.lowering.expr(group, scope)? == self.key.0,
            _ => false,
        };
        if !is_by_key {
            let help = format!("GROUP BY {} alone in the inner query", self.key.1);
            return Err(
                QueryError::refused("rows beside an aggregate by anything but the entity key", help).about("GROUP")
            );
        }
        let mut conditions = filters.iter().map(|condition| condition.id);
        let first = conditions.next();
        let only = conditions.try_fold(first, |all, id| match all {
            Some(all) => self.lowering.call(Operation::And, &[all, id]).map(Some),
            None => Ok(Some(id)),
        })?;
        let presence = match only {
            Some(only) => {
                let mut context = Context { scope, lowering: self.lowering, ranges: self.ranges, entities: &[] };
                let truth = truth_where(only, &mut context)?;
                let fold = Fold::Present(self.collected.argument(truth, None));
                match self.add(fold, "rows".to_owned()) {
                    ComputedColumn::At(at) => Some(at),
                    ComputedColumn::Unused(_) => None,
                }
            }
            None => None,
        };
        // The key is the first column of the aggregate.
        self.next_is_kept();
        let mut all = vec![ComputedColumn::At(0)];
        for expr in aggr_expr {
            let is_kept = self.next_is_kept();
            all.push(self.folded(expr, only, scope, is_kept)?);
        }
        Ok((all, presence))
    }
}

/// The columns of the plan that these inputs of the first table stand for, as positions among all computed columns.
pub(super) fn kept(computed: &ComputedColumns, inputs: &BTreeSet<usize>) -> BTreeSet<usize> {
    let all = computed.rows.iter().chain(&computed.joined).enumerate();
    let is_read = |column: &ComputedColumn| matches!(column, ComputedColumn::At(at) if inputs.contains(at));
    all.filter(|(_, column)| is_read(column)).map(|(at, _)| at).collect()
}

/// Removes the condition that rows and the aggregate beside them belong to one entity, which computed rows meet.
pub(super) fn match_entities(conditions: &mut Vec<Condition>, lowering: &mut Lowering<'_>) -> Result<(), QueryError> {
    let name = lowering.tables[0].columns[0].name.clone();
    let key = lowering.column(0, &name)?;
    let before = conditions.len();
    conditions.retain(|condition| equated(condition.id, lowering) != Some([key, key]));
    if conditions.len() < before {
        return Ok(());
    }
    let help = format!("join on the entity key: ... JOIN (SELECT {name}, ... GROUP BY {name}) AS e USING ({name})");
    Err(QueryError::refused("a join with values of other people", help).about("JOIN"))
}

fn unknown(construct: &str) -> QueryError {
    let help = "over one person's rows write LAG(x), LEAD(x) or ROW_NUMBER() with ORDER BY, or COUNT, SUM, AVG, MIN or \
                MAX without; other windows are over results";
    QueryError::refused(format!("{construct} over one person's rows"), help)
}

fn unordered(name: &str, key: &str) -> QueryError {
    let call = name.to_uppercase();
    let help = format!("name the order of the rows: {call}(...) OVER (PARTITION BY {key} ORDER BY day)");
    QueryError::refused(format!("{call} without ORDER BY"), help)
}

fn by_another_key(key: &str) -> QueryError {
    let help = format!(
        "a row's value may depend on rows of the same person alone: OVER (PARTITION BY {key} ORDER BY ...); or \
         aggregate first, and write the window over the results"
    );
    QueryError::refused("a window over rows of several people", help)
}

fn of_several(tables: &[TableSchema]) -> QueryError {
    let key = tables.iter().find_map(|table| table.entity.as_ref()).map_or("key", |entity| entity.key.as_str());
    by_another_key(key).about("OVER")
}
