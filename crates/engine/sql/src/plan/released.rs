//! Operations on results, above the lowest aggregates of a plan, as terms over the aggregates' keys and answers. All of
//! it is post-processing (C-3).

use super::entity_rows;
use super::groups::{AggregateTerms, Core, core};
use super::place::of_span;
use super::public::PublicRows;
use super::refuse_node;
use super::results::{Results, condition, term};
use super::windows::{over_group, windowed};
use crate::lower::constant_integer;
use crate::plan::place::place_of;
use datafusion_common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion_expr::{Aggregate, Expr, Join, LogicalPlan, Subquery};
use deniable_core::schema::TableSchema;
use deniable_query::QueryError;
use deniable_query::output::{Frame, Sort, Step, Term, Window, WindowFunction};

/// Most parts of an expression on results, once the expressions that it uses are expanded.
const MOST_PARTS: usize = 2_000;

/// Most parts of all expressions on results of one query.
const MOST_PARTS_OF_ALL: usize = 100_000;

/// Rows of results.
pub(super) struct RowSet {
    /// The levels whose cells are the rows.
    pub(super) levels: Vec<usize>,
    pub(super) columns: Vec<Term>,
    /// The steps applied to the rows.
    pub(super) steps: Vec<Step>,
    /// Whether there is never more than one row.
    single: bool,
}

/// Translates everything above the lowest aggregates.
pub(super) fn released<'a>(
    plan: &'a LogicalPlan,
    tables: &'a [TableSchema],
    public: PublicRows<'a>,
) -> Result<(Core, RowSet, Vec<Window>), QueryError> {
    let mut lowest = Vec::new();
    gather(plan, tables, &mut lowest)?;
    let (core, aggregated) = core(&lowest, tables)?;
    let mut above = OuterPlan {
        tables,
        public,
        lowest: lowest.into_iter().zip(aggregated).collect(),
        windows: Vec::new(),
        parts: 0,
    };
    let rows = above.rows(plan)?;
    Ok((core, rows, above.windows))
}

/// Whether an aggregate reads results: the aggregate below it was released, and is not a value of each entity.
fn is_about_results(aggregate: &Aggregate, tables: &[TableSchema]) -> Result<bool, QueryError> {
    let mut plan = &*aggregate.input;
    loop {
        plan = match plan {
            LogicalPlan::Aggregate(inner) => return Ok(!entity_rows::is_by_entity(inner, tables)?),
            LogicalPlan::Projection(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Join(_) => match plan.inputs().into_iter().find(|input| has_aggregate(input)) {
                Some(input) => input,
                None => return Ok(false),
            },
            _ => return Ok(false),
        }
    }
}

pub(super) fn has_aggregate(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Aggregate(_)) || plan.inputs().into_iter().any(has_aggregate)
}

/// Collects the lowest aggregates of a plan and its subqueries, that of the plan first.
fn gather<'a>(plan: &'a LogicalPlan, tables: &[TableSchema], found: &mut Vec<&'a Aggregate>) -> Result<(), QueryError> {
    let (exprs, input): (Vec<&'a Expr>, &'a LogicalPlan) = match plan {
        LogicalPlan::Aggregate(aggregate) if !is_about_results(aggregate, tables)? => {
            found.push(aggregate);
            return Ok(());
        }
        LogicalPlan::Aggregate(aggregate) => {
            (aggregate.group_expr.iter().chain(&aggregate.aggr_expr).collect(), &aggregate.input)
        }
        LogicalPlan::SubqueryAlias(alias) => (Vec::new(), &alias.input),
        LogicalPlan::Projection(projection) => (projection.expr.iter().collect(), &projection.input),
        LogicalPlan::Sort(sort) => (sort.expr.iter().map(|by| &by.expr).collect(), &sort.input),
        LogicalPlan::Limit(limit) => (Vec::new(), &limit.input),
        LogicalPlan::Filter(filter) => (vec![&filter.predicate], &filter.input),
        LogicalPlan::Window(window) => (window.window_expr.iter().collect(), &window.input),
        LogicalPlan::Join(Join { left, right, .. }) => match (has_aggregate(left), has_aggregate(right)) {
            (true, false) => (Vec::new(), left),
            (false, true) => (Vec::new(), right),
            _ => return Err(refuse_node(plan)),
        },
        _ => return Err(refuse_node(plan)),
    };
    gather(input, tables, found)?;
    for (_, subquery) in subqueries(exprs) {
        if !subquery.outer_ref_columns.is_empty() {
            let help = "a subquery is one number, the same for every row; for one number per group write a window, as \
                        in SUM(COUNT(*)) OVER (PARTITION BY department)";
            return Err(refused(subquery, "a subquery that refers to the outer query", help));
        }
        let known = found.len();
        gather(&subquery.subquery, tables, found)?;
        let is_other = |other: &&Aggregate| found.first().is_some_and(|first| first.input != other.input);
        if found[known..].iter().any(is_other) {
            let help = "all parts of a query read the same rows: write the conditions of both as FILTER (WHERE ...), \
                        as in COUNT(*) FILTER (WHERE x = 1), or ask two queries";
            return Err(refused(subquery, "a subquery about other rows", help));
        }
    }
    Ok(())
}

/// An error at the place of a subquery.
fn refused(subquery: &Subquery, construct: &str, help: &str) -> QueryError {
    QueryError::refused(construct, help).at(subquery.spans.first().map(of_span))
}

/// The scalar subqueries of expressions, each with its place.
fn subqueries<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Vec<(&'a Expr, &'a Subquery)> {
    let mut found = Vec::new();
    for expr in exprs {
        // The visitor never fails.
        let _ = expr.apply(|part| {
            if let Expr::ScalarSubquery(subquery) = part {
                found.push((part, subquery));
            }
            Ok(TreeNodeRecursion::Continue)
        });
    }
    found
}

pub(super) struct OuterPlan<'a> {
    pub(super) tables: &'a [TableSchema],
    pub(super) public: PublicRows<'a>,
    /// The lowest aggregates.
    lowest: Vec<(&'a Aggregate, AggregateTerms)>,
    windows: Vec<Window>,
    /// Number of parts of all expressions so far.
    parts: usize,
}

impl<'a> OuterPlan<'a> {
    /// Rejects expressions that are too large. Each step of a query can use the step before several times, so sizes can
    /// double.
    fn few_enough_parts(&mut self, size: usize, expr: &Expr) -> Result<(), QueryError> {
        self.parts = self.parts.saturating_add(size);
        let (most, what) = match (size > MOST_PARTS, self.parts > MOST_PARTS_OF_ALL) {
            (true, _) => (MOST_PARTS, "an expression on results"),
            (_, true) => (MOST_PARTS_OF_ALL, "a query with expressions on results"),
            _ => return Ok(()),
        };
        let help = "use each step fewer times, or compute the rest from the published numbers";
        Err(QueryError::refused(format!("{what} of more than {most} parts"), help).at(place_of([expr])).about("SELECT"))
    }

    pub(super) fn rows(&mut self, plan: &'a LogicalPlan) -> Result<RowSet, QueryError> {
        match plan {
            LogicalPlan::Aggregate(aggregate) => self.aggregate(aggregate),
            LogicalPlan::SubqueryAlias(alias) => self.rows(&alias.input),
            LogicalPlan::Projection(projection) => {
                let mut inner = self.rows(&projection.input)?;
                let numbers = self.numbers(&projection.expr, &mut inner)?;
                let results =
                    Results { schema: projection.input.schema(), columns: &inner.columns, subqueries: &numbers };
                let mut columns = Vec::new();
                for expr in &projection.expr {
                    let column = term(expr, results)?;
                    self.few_enough_parts(column.size(), expr)?;
                    columns.push(column);
                }
                Ok(RowSet { columns, ..inner })
            }
            LogicalPlan::Sort(sort) => {
                let mut inner = self.rows(&sort.input)?;
                let numbers = self.numbers(sort.expr.iter().map(|by| &by.expr), &mut inner)?;
                let results = Results { schema: sort.input.schema(), columns: &inner.columns, subqueries: &numbers };
                let by = sort.expr.iter().map(|by| {
                    Ok(Sort { term: term(&by.expr, results)?, ascending: by.asc, nulls_first: by.nulls_first })
                });
                let by = by.collect::<Result<Vec<Sort>, QueryError>>()?;
                for (by, sort) in by.iter().zip(&sort.expr) {
                    self.few_enough_parts(by.term.size(), &sort.expr)?;
                }
                inner.steps.push(Step::Sort(by));
                if let Some(fetch) = sort.fetch {
                    inner.limit(0, Some(fetch));
                }
                Ok(inner)
            }
            LogicalPlan::Limit(limit) => {
                let mut inner = self.rows(&limit.input)?;
                let skip = limit.skip.as_deref().map(|rows| row_count(rows, "OFFSET")).transpose()?.unwrap_or(0);
                let fetch = limit.fetch.as_deref().map(|rows| row_count(rows, "LIMIT")).transpose()?;
                inner.limit(skip, fetch);
                Ok(inner)
            }
            LogicalPlan::Filter(filter) => {
                let mut inner = self.rows(&filter.input)?;
                let numbers = self.numbers([&filter.predicate], &mut inner)?;
                let results = Results { schema: filter.input.schema(), columns: &inner.columns, subqueries: &numbers };
                let condition = condition(&filter.predicate, results)?;
                self.few_enough_parts(condition.size(), &filter.predicate)?;
                inner.steps.push(Step::Filter(condition));
                Ok(inner)
            }
            LogicalPlan::Window(window) => {
                let mut inner = self.rows(&window.input)?;
                let numbers = self.numbers(&window.window_expr, &mut inner)?;
                let mut found = Vec::new();
                for expr in &window.window_expr {
                    let results =
                        Results { schema: window.input.schema(), columns: &inner.columns, subqueries: &numbers };
                    let window = windowed(expr, results, &inner.levels)?;
                    self.few_enough_parts(window.size(), expr)?;
                    found.push(window);
                }
                found.into_iter().for_each(|window| self.look(window, &mut inner));
                Ok(inner)
            }
            LogicalPlan::Join(join) => self.joined(join, plan),
            LogicalPlan::TableScan(_)
            | LogicalPlan::Repartition(_)
            | LogicalPlan::Union(_)
            | LogicalPlan::EmptyRelation(_)
            | LogicalPlan::Subquery(_)
            | LogicalPlan::Statement(_)
            | LogicalPlan::Values(_)
            | LogicalPlan::Explain(_)
            | LogicalPlan::Analyze(_)
            | LogicalPlan::Extension(_)
            | LogicalPlan::Distinct(_)
            | LogicalPlan::Dml(_)
            | LogicalPlan::Ddl(_)
            | LogicalPlan::Copy(_)
            | LogicalPlan::DescribeTable(_)
            | LogicalPlan::Unnest(_)
            | LogicalPlan::RecursiveQuery(_) => Err(refuse_node(plan)),
        }
    }

    fn aggregate(&mut self, aggregate: &'a Aggregate) -> Result<RowSet, QueryError> {
        let lowest = self.lowest.iter().find(|(known, _)| std::ptr::eq(*known, aggregate));
        if let Some((_, AggregateTerms { levels, columns })) = lowest {
            // GROUP BY gives as many rows as it has keys.
            let single = levels.len() == 1 && aggregate.group_expr.is_empty();
            return Ok(RowSet { levels: levels.clone(), columns: columns.clone(), steps: Vec::new(), single });
        }
        let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
        let mut inner = self.rows(input)?;
        let numbers = self.numbers(group_expr.iter().chain(aggr_expr), &mut inner)?;
        let results = Results { schema: input.schema(), columns: &inner.columns, subqueries: &numbers };
        if let Some(set) = group_expr.iter().find(|expr| matches!(expr, Expr::GroupingSet(_))) {
            let help = "write ROLLUP, CUBE or GROUPING SETS in the inner query, and GROUP BY columns in the outer one";
            return Err(QueryError::refused("several groupings of results", help).at(place_of([set])).about("GROUP"));
        }
        let by = group_expr.iter().map(|expr| term(expr, results)).collect::<Result<Vec<_>, _>>()?;
        let over = aggr_expr.iter().map(|expr| over_group(expr, &by, results, &inner.levels));
        let over = over.collect::<Result<Vec<_>, _>>()?;
        let sizes = by.iter().map(Term::size).chain(over.iter().map(Window::size));
        for (size, expr) in sizes.zip(group_expr.iter().chain(aggr_expr)) {
            self.few_enough_parts(size, expr)?;
        }
        inner.columns.clear();
        inner.columns.extend(by.iter().cloned());
        over.into_iter().for_each(|window| self.look(window, &mut inner));
        inner.single |= by.is_empty();
        inner.steps.push(Step::Group(by));
        Ok(inner)
    }

    /// Adds a column that rows read through a window.
    fn look(&mut self, window: Window, rows: &mut RowSet) {
        rows.steps.push(Step::Look(self.windows.len()));
        rows.columns.push(Term::Window(self.windows.len()));
        self.windows.push(window);
    }

    /// The terms of the scalar subqueries in expressions over these rows.
    fn numbers(
        &mut self,
        exprs: impl IntoIterator<Item = &'a Expr>,
        rows: &mut RowSet,
    ) -> Result<Vec<(&'a Expr, Term)>, QueryError> {
        let mut numbers = Vec::new();
        for (expr, subquery) in subqueries(exprs) {
            let RowSet { levels, columns, steps, single } = self.rows(&subquery.subquery)?;
            let [only] = columns.as_slice() else {
                return Err(refused(subquery, "a subquery of several columns", "name one of them"));
            };
            if !single {
                let help = "a subquery must return one number: aggregate all of its rows, or write LIMIT 1";
                return Err(refused(subquery, "a subquery of several rows", help));
            }
            let window = self.windows.len();
            let (argument, own) = (only.clone(), levels.clone());
            let function = WindowFunction::Only;
            let (partition, order) = (Vec::new(), Vec::new());
            self.windows.push(Window { function, argument, partition, order, frame: Frame::Peers, levels: own });
            rows.steps.push(Step::Subquery { window, levels, steps });
            numbers.push((expr, Term::Window(window)));
        }
        Ok(numbers)
    }
}

impl RowSet {
    fn limit(&mut self, skip: usize, fetch: Option<usize>) {
        self.steps.push(Step::Limit { skip, fetch });
        self.single |= fetch.is_some_and(|most| most <= 1);
    }
}

fn row_count(expr: &Expr, clause: &str) -> Result<usize, QueryError> {
    constant_integer(expr)
        .and_then(|rows| usize::try_from(rows).ok())
        .ok_or_else(|| QueryError::refused("this LIMIT or OFFSET", "write a number of rows, 0 or more").about(clause))
}
