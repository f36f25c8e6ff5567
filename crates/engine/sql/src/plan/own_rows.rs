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
        unread: CollectedMeasures::default(),
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
    /// The arguments of columns that the query does not read.
    unread: CollectedMeasures,
    folds: Vec<Fold>,
    names: Vec<String>,
    lowering: &'a mut Lowering<'b>,
    ranges: &'a mut Ranges,
}

impl Building<'_, '_> {
    /// Whether the query reads the next column of the plan.
    fn next_is_read(&mut self) -> bool {
        let at = self.position;
        self.position += 1;
        self.keep.is_none_or(|keep| keep.contains(&at))
    }

    fn argument(&mut self, value: Id, is_read: bool) -> usize {
        let collected = if is_read { &mut self.collected } else { &mut self.unread };
        collected.argument(value, None)
    }

    /// Adds a column; one that the query does not read has a type and no values.
    fn column(&mut self, fold: Fold, name: String, is_read: bool) -> ComputedColumn {
        if is_read {
            self.folds.push(fold);
            self.names.push(name);
            // The first column is the entity's key.
            return ComputedColumn::At(self.folds.len());
        }
        ComputedColumn::Unused(match &fold {
            Fold::Average(_) | Fold::Sum(_, false) => Type::Decimal,
            Fold::Rows | Fold::Present(_) | Fold::Distinct(..) | Fold::Sum(..) | Fold::Place(_) => Type::Integer,
            _ => {
                fold.argument().map_or(Type::Integer, |at| self.lowering.program.kind(self.unread.arguments[at].value))
            }
        })
    }

    fn words(&self, id: Id) -> String {
        self.lowering.program.words(id, MOST_NAME)
    }

    /// The columns of the rows themselves.
    fn own(&mut self, columns: &[Id]) -> Vec<ComputedColumn> {
        let mut own = Vec::new();
        for id in columns {
            let is_read = self.next_is_read();
            own.push(if *id == self.key.0 {
                ComputedColumn::At(0)
            } else {
                let fold = Fold::Own(self.argument(*id, is_read));
                self.column(fold, self.words(*id), is_read)
            });
        }
        own
    }

    /// A window over the rows of each entity.
    fn window(&mut self, expr: &Expr, scope: Scope<'_>) -> Result<ComputedColumn, QueryError> {
        let inner = match expr {
            Expr::Alias(alias) => &*alias.expr,
            other => other,
        };
        self.window_call(inner, scope).map_err(|error| error.at(place_of([inner])).about("OVER"))
    }

    fn window_call(&mut self, expr: &Expr, scope: Scope<'_>) -> Result<ComputedColumn, QueryError> {
        let is_read = self.next_is_read();
        let Expr::WindowFunction(call) = expr else { return Err(unknown("this window")) };
        let WindowFunction { fun, params } = &**call;
        let WindowFunctionParams { args, partition_by, order_by, window_frame, filter, null_treatment, distinct } =
            params;
        if null_treatment.is_some() {
            return Err(unknown("NULL treatment in a window"));
        }
        let partition: Vec<Id> =
            partition_by.iter().map(|by| self.lowering.expr(by, scope)).collect::<Result<_, _>>()?;
        if partition != [self.key.0] {
            return Err(by_another_key(self.key.1));
        }
        let function = match fun {
            WindowFunctionDefinition::WindowUDF(function) => function.name(),
            WindowFunctionDefinition::AggregateUDF(function) => {
                if !order_by.is_empty() || frame(window_frame, true).ok() != Some(Frame::Peers) {
                    return Err(running(self.key.1));
                }
                let params = AggregateFunctionParams {
                    args: args.clone(),
                    distinct: *distinct,
                    filter: filter.clone(),
                    order_by: Vec::new(),
                    null_treatment: None,
                };
                let call = Expr::AggregateFunction(AggregateFunction { func: function.clone(), params });
                return self.folded(&call, None, scope, is_read);
            }
        };
        let call = function.to_uppercase();
        if !matches!(function, "lag" | "lead" | "row_number") {
            return Err(unknown(&call));
        }
        if order_by.is_empty() {
            return Err(unordered(&call, self.key.1));
        }
        let (mut order, mut words) = (Vec::new(), Vec::new());
        for by in order_by {
            let id = self.lowering.expr(&by.expr, scope)?;
            let (ascending, nulls_first) = (by.asc, by.nulls_first);
            order.push(OwnSort { by: self.argument(id, is_read), ascending, nulls_first });
            words.push(format!("{}{}", self.words(id), if ascending { "" } else { " DESC" }));
        }
        let words = words.join(", ");
        let [value, rest @ ..] = args.as_slice() else {
            return Ok(self.column(Fold::Place(order), format!("{function}() by {words}"), is_read));
        };
        let places = match rest {
            [] => Some(1),
            [places] => constant_integer(places),
            _ => {
                let help = format!("write COALESCE({call}(x) OVER (...), value)");
                return Err(QueryError::refused(format!("{call} with a value for missing rows"), help));
            }
        };
        let places = places.filter(|places| (0..=FURTHEST).contains(places));
        let places = places.ok_or_else(|| unknown(&format!("{call} by this much")))?;
        let value = self.lowering.expr(value, scope)?;
        let name = format!("{function}({}, {places}) by {words}", self.words(value));
        let places = if function == "lag" { places } else { -places };
        let fold = Fold::Shifted { value: self.argument(value, is_read), order, places };
        Ok(self.column(fold, name, is_read))
    }

    /// An aggregate of all rows of each entity; `only` restricts the rows.
    fn folded(
        &mut self,
        call: &Expr,
        only: Option<Id>,
        scope: Scope<'_>,
        is_read: bool,
    ) -> Result<ComputedColumn, QueryError> {
        let collected = if is_read { &mut self.collected } else { &mut self.unread };
        let mut context = Context { scope, lowering: self.lowering, ranges: self.ranges, entities: &[] };
        let (fold, name) = folded(call, only, collected, &mut context)?;
        Ok(self.column(fold, name, is_read))
    }

    /// The columns of an aggregate by the entity key, and that of the number of rows that it covers, if a condition
    /// restricts them.
    fn joined(&mut self, aggregate: &Aggregate) -> Result<(Vec<ComputedColumn>, Option<ComputedColumn>), QueryError> {
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
                let fold = Fold::Present(self.argument(truth, true));
                Some(self.column(fold, "rows".to_owned(), true))
            }
            None => None,
        };
        // The key is the first column of the aggregate.
        self.next_is_read();
        let mut all = vec![ComputedColumn::JoinedKey];
        for expr in aggr_expr {
            let is_read = self.next_is_read();
            all.push(self.folded(expr, only, scope, is_read)?);
        }
        Ok((all, presence))
    }
}

/// The positions, among all computed columns, of those that are these inputs of the first table.
pub(super) fn kept(computed: &ComputedColumns, inputs: &BTreeSet<usize>) -> BTreeSet<usize> {
    let all = computed.rows.iter().chain(&computed.joined).enumerate();
    let is_read = |column: &ComputedColumn| matches!(column, ComputedColumn::At(at) if inputs.contains(at));
    all.filter(|(_, column)| is_read(column)).map(|(at, _)| at).collect()
}

/// The entity key of the aggregate beside rows: it has the value of the rows' own key, and differs from it as a node, so
/// that a condition between the two differs from one about either of them. As a value it is refused like the key itself.
pub(super) fn joined_key(lowering: &mut Lowering<'_>) -> Result<Id, QueryError> {
    let name = lowering.tables[0].columns[0].name.clone();
    let key = lowering.column(0, &name)?;
    lowering.call(Operation::Coalesce, &[key, key])
}

/// Removes the condition that rows and the aggregate beside them belong to one entity, which computed rows meet.
pub(super) fn match_entities(conditions: &mut Vec<Condition>, lowering: &mut Lowering<'_>) -> Result<(), QueryError> {
    let name = lowering.tables[0].columns[0].name.clone();
    let (key, joined) = (lowering.column(0, &name)?, joined_key(lowering)?);
    let before = conditions.len();
    let is_match = |condition: &Condition| {
        equated(condition.id, lowering).is_some_and(|sides| sides == [key, joined] || sides == [joined, key])
    };
    conditions.retain(|condition| !is_match(condition));
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

fn running(key: &str) -> QueryError {
    let help = format!(
        "leave ORDER BY and the frame out for a value of all rows of each {key}; ROW_NUMBER() counts the rows up to \
         this one"
    );
    QueryError::refused("a running aggregate over one person's rows", help)
}

fn unordered(call: &str, key: &str) -> QueryError {
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
