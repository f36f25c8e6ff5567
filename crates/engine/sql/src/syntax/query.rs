//! Queries: WITH, SELECT, FROM, GROUP BY, ORDER BY and LIMIT.

use super::{absent, expression, refuse};
use datafusion_sql::sqlparser::ast::{
    Cte, Expr, GroupByExpr, GroupByWithModifier, Join, JoinConstraint, JoinOperator, LimitClause, Offset, OrderBy,
    OrderByExpr, OrderByKind, Query, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    Spanned, TableAlias, TableFactor, TableWithJoins, Value, ValueWithSpan, Visit, Visitor, WildcardAdditionalOptions,
    With,
};
use deniable_query::QueryError;
use std::ops::ControlFlow;

const JOIN_HELP: &str =
    "join protected tables with JOIN ... ON the entity key, public ones with JOIN or LEFT JOIN on their key";

/// Most tables that a query reads once every CTE is expanded, as the planner does: a chain of CTEs that joins the one
/// before with itself doubles at each step.
const MOST_TABLES: u64 = 64;

/// Rejects a query that reads too many tables, counting repetitions.
pub(super) fn few_enough_tables(query: &Query) -> Result<(), QueryError> {
    if tables_read(query, &mut Vec::new()) <= MOST_TABLES {
        return Ok(());
    }
    let help = "each table may occur once in a query: filter and compute in CTEs, and join them once";
    Err(QueryError::refused(format!("a query that reads more than {MOST_TABLES} tables"), help).about("WITH"))
}

/// The number of tables that a query reads; `known` contains the CTEs in scope and the number of tables of each.
fn tables_read(query: &Query, known: &mut Vec<(String, u64)>) -> u64 {
    let outside = known.len();
    for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
        let read = tables_read(&cte.query, known);
        known.push((cte.alias.name.value.to_lowercase(), read));
    }
    let read = match &*query.body {
        SetExpr::Select(select) => {
            let all = select
                .from
                .iter()
                .flat_map(|from| std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation)));
            let tables = all.fold(0_u64, |sum, relation| sum.saturating_add(read_by(relation, known)));
            let mut inside = InExpressions { known, depth: 0, read: 0 };
            let Select { projection, selection, having, qualify, group_by, .. } = &**select;
            let _ = projection.visit(&mut inside);
            let _ = selection.visit(&mut inside);
            let _ = having.visit(&mut inside);
            let _ = qualify.visit(&mut inside);
            let _ = group_by.visit(&mut inside);
            let _ = query.order_by.visit(&mut inside);
            tables.saturating_add(inside.read)
        }
        SetExpr::Query(inner) => tables_read(inner, known),
        // Rejected by the allow-list.
        _ => 0,
    };
    known.truncate(outside);
    read
}

/// A visitor that stops at the first query.
struct AnyQuery;

impl Visitor for AnyQuery {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// Counts the tables that the subqueries of expressions read.
struct InExpressions<'a> {
    known: &'a mut Vec<(String, u64)>,
    depth: usize,
    read: u64,
}

impl Visitor for InExpressions<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        // Nested subqueries are counted with the outer one.
        if self.depth == 0 {
            self.read = self.read.saturating_add(tables_read(query, self.known));
        }
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
}

fn read_by(relation: &TableFactor, known: &mut Vec<(String, u64)>) -> u64 {
    match relation {
        TableFactor::Table { name, .. } => {
            let name = name.to_string().trim_matches('"').to_lowercase();
            known.iter().rev().find(|(known, _)| *known == name).map_or(1, |(_, read)| *read)
        }
        TableFactor::Derived { subquery, .. } => tables_read(subquery, known),
        // Rejected by the allow-list.
        _ => 0,
    }
}

pub(super) fn check(query: &Query) -> Result<(), QueryError> {
    let Query { with, body, order_by, limit_clause, fetch, locks, for_clause, settings, format_clause, pipe_operators } =
        query;
    if let Some(with) = with {
        check_with(with)?;
    }
    absent(fetch.is_some(), query, "FETCH", "write LIMIT n")?;
    absent(!locks.is_empty(), query, "a locking clause", "leave it out: the data is only read")?;
    absent(for_clause.is_some(), query, "a FOR clause", "leave it out")?;
    absent(settings.is_some(), query, "a SETTINGS clause", "leave it out")?;
    absent(
        format_clause.is_some(),
        query,
        "a FORMAT clause",
        "leave it out: the format of the answers is chosen outside of SQL",
    )?;
    absent(!pipe_operators.is_empty(), query, "a pipe operator", "write the steps as CTEs")?;
    match &**body {
        SetExpr::Select(select) => check_select(select)?,
        SetExpr::Query(inner) => check(inner)?,
        SetExpr::SetOperation { op, .. } => {
            return Err(refuse(
                query,
                "UNION, INTERSECT or EXCEPT",
                "ask each part on its own; counts can be added up afterwards",
            )
            .narrowed_to(op.to_string()));
        }
        SetExpr::Values(_)
        | SetExpr::Insert(_)
        | SetExpr::Update(_)
        | SetExpr::Delete(_)
        | SetExpr::Merge(_)
        | SetExpr::Table(_) => {
            return Err(refuse(query, "anything but SELECT", "write SELECT ... FROM the declared table"));
        }
    }
    if let Some(OrderBy { kind, interpolate }) = order_by {
        absent(interpolate.is_some(), query, "INTERPOLATE", "leave it out")?;
        match kind {
            OrderByKind::Expressions(all) => {
                all.iter().try_for_each(|OrderByExpr { expr, options: _, with_fill }| {
                    absent(with_fill.is_some(), expr, "WITH FILL", "declared groups always appear")?;
                    // The planner reads it as a column of the same name.
                    let help = "name the number in SELECT, as in (SELECT ...) AS whole, and order by that name";
                    absent(expr.visit(&mut AnyQuery).is_break(), expr, "a subquery in ORDER BY", help)?;
                    expression::check(expr)
                })?
            }
            OrderByKind::All(_) => return Err(refuse(query, "ORDER BY ALL", "name the columns to order by")),
        }
    }
    match limit_clause {
        None => Ok(()),
        Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
            absent(!limit_by.is_empty(), query, "LIMIT ... BY", "write a plain LIMIT")?;
            for count in limit.iter().chain(offset.as_ref().map(|Offset { value, rows: _ }| value)) {
                expression::check(count)?;
                let is_whole = |digits: &str| digits.parse::<i64>().is_ok();
                if let Expr::Value(ValueWithSpan { value: Value::Number(digits, _), .. }) = count
                    && !is_whole(digits)
                {
                    return Err(refuse(
                        count,
                        "LIMIT or OFFSET by this number",
                        "write a whole number, as in LIMIT 10",
                    ));
                }
            }
            Ok(())
        }
        Some(LimitClause::OffsetCommaLimit { .. }) => {
            Err(refuse(query, "LIMIT offset, n", "write LIMIT n OFFSET m").narrowed_to("LIMIT"))
        }
    }
}

fn check_with(with: &With) -> Result<(), QueryError> {
    let With { with_token: _, recursive, cte_tables } = with;
    absent(*recursive, with, "WITH RECURSIVE", "CTEs may filter and project, not recurse")?;
    for cte in cte_tables {
        let Cte { alias, query, from, materialized, closing_paren_token: _ } = cte;
        check_alias(alias, &**query)?;
        absent(from.is_some(), cte, "FROM inside a CTE's name", "leave it out")?;
        absent(materialized.is_some(), cte, "MATERIALIZED", "leave it out")?;
        check(query)?;
    }
    Ok(())
}

fn check_alias(alias: &TableAlias, node: &impl Spanned) -> Result<(), QueryError> {
    let TableAlias { explicit: _, name: _, columns, at } = alias;
    absent(at.is_some(), node, "AT in an alias", "leave it out")?;
    absent(!columns.is_empty(), node, "an alias with a column list", "name the columns with AS inside the query")
}

fn check_select(select: &Select) -> Result<(), QueryError> {
    let Select {
        select_token: _,
        optimizer_hints,
        distinct,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection,
        exclude,
        into,
        from,
        lateral_views,
        prewhere,
        selection,
        connect_by,
        group_by,
        cluster_by,
        distribute_by,
        sort_by,
        having,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor,
    } = select;
    absent(!optimizer_hints.is_empty(), select, "an optimizer hint", "leave it out")?;
    absent(
        distinct.is_some(),
        select,
        "SELECT DISTINCT",
        "use GROUP BY over declared keys, or COUNT(DISTINCT <entity key>)",
    )
    .map_err(|error| error.narrowed_to("DISTINCT"))?;
    absent(select_modifiers.is_some(), select, "a SELECT modifier", "leave it out")?;
    absent(top.is_some(), select, "TOP", "write LIMIT n").map_err(|error| error.narrowed_to("TOP"))?;
    absent(exclude.is_some(), select, "EXCLUDE", "name the columns you want")?;
    absent(into.is_some(), select, "SELECT INTO", "leave it out: answers are not stored as tables")
        .map_err(|error| error.narrowed_to("INTO"))?;
    absent(!lateral_views.is_empty(), select, "LATERAL VIEW", JOIN_HELP)?;
    absent(prewhere.is_some(), select, "PREWHERE", "write WHERE")?;
    absent(!connect_by.is_empty(), select, "CONNECT BY", JOIN_HELP)?;
    absent(!cluster_by.is_empty(), select, "CLUSTER BY", "write ORDER BY")?;
    absent(!distribute_by.is_empty(), select, "DISTRIBUTE BY", "leave it out")?;
    absent(!sort_by.is_empty(), select, "SORT BY", "write ORDER BY")?;
    absent(!named_window.is_empty(), select, "a WINDOW", "write the window after OVER")?;
    if let Some(condition) = qualify {
        expression::check(condition)?;
    }
    absent(value_table_mode.is_some(), select, "SELECT AS", "leave it out")?;
    match flavor {
        SelectFlavor::Standard => {}
        SelectFlavor::FromFirst | SelectFlavor::FromFirstNoSelect => {
            return Err(refuse(select, "FROM before SELECT", "write SELECT ... FROM ..."));
        }
    }
    if projection.is_empty() {
        return Err(refuse(
            select,
            "SELECT without columns",
            "name the columns to show, as in SELECT COUNT(*) FROM ...",
        ));
    }
    for item in projection {
        check_item(item)?;
    }
    if from.is_empty() {
        return Err(refuse(select, "SELECT without FROM", "name the declared table"));
    }
    from.iter().try_for_each(check_from)?;
    if let Some(condition) = selection {
        expression::check(condition)?;
    }
    if let Some(condition) = having {
        expression::check(condition)?;
    }
    match group_by {
        GroupByExpr::All(_) => Err(refuse(select, "GROUP BY ALL", "name the columns to group by")),
        GroupByExpr::Expressions(keys, modifiers) => {
            modifiers.first().map_or(Ok(()), |modifier| Err(refuse_modifier(select, modifier, keys)))?;
            keys.iter().try_for_each(expression::check)
        }
    }
}

/// Some databases write these modifiers after the keys of GROUP BY; here they precede the keys.
fn refuse_modifier(select: &Select, modifier: &GroupByWithModifier, keys: &[Expr]) -> QueryError {
    let keys = expression::shortened(&keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    let (construct, help) = match modifier {
        GroupByWithModifier::Rollup => ("WITH ROLLUP", format!("write GROUP BY ROLLUP ({keys})")),
        GroupByWithModifier::Cube => ("WITH CUBE", format!("write GROUP BY CUBE ({keys})")),
        GroupByWithModifier::Totals => ("WITH TOTALS", format!("write GROUP BY GROUPING SETS (({keys}), ())")),
        GroupByWithModifier::GroupingSets(_) => {
            ("GROUPING SETS after other keys", "write GROUP BY GROUPING SETS ((a, b), (a), ())".to_owned())
        }
    };
    refuse(select, construct, help)
}

fn check_item(item: &SelectItem) -> Result<(), QueryError> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, alias: _ } => expression::check(expr),
        SelectItem::ExprWithAliases { .. } => Err(refuse(item, "several aliases", "give one name")),
        SelectItem::Wildcard(options) => check_wildcard(item, options),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(_), options) => {
            check_wildcard(item, options)
        }
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _) => {
            Err(refuse(item, "an expression with .*", "name the columns you want"))
        }
    }
}

fn check_wildcard(item: &SelectItem, options: &WildcardAdditionalOptions) -> Result<(), QueryError> {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    let any = opt_ilike.is_some()
        || opt_exclude.is_some()
        || opt_except.is_some()
        || opt_replace.is_some()
        || opt_rename.is_some()
        || opt_alias.is_some();
    absent(any, item, "a wildcard with options", "name the columns you want")
}

fn check_from(from: &TableWithJoins) -> Result<(), QueryError> {
    let TableWithJoins { relation, joins } = from;
    check_relation(relation)?;
    joins.iter().try_for_each(check_join)
}

fn check_join(join: &Join) -> Result<(), QueryError> {
    let Join { relation, global, join_operator } = join;
    absent(*global, join, "GLOBAL", "leave it out")?;
    check_relation(relation)?;
    let constraint = match join_operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::CrossJoin(constraint) => constraint,
        JoinOperator::Right(_) | JoinOperator::RightOuter(_) | JoinOperator::FullOuter(_) => {
            let help = "rows without a person do not count: write JOIN, or LEFT JOIN of a public table";
            return Err(refuse(join, "RIGHT or FULL JOIN", help));
        }
        JoinOperator::Semi(_)
        | JoinOperator::LeftSemi(_)
        | JoinOperator::RightSemi(_)
        | JoinOperator::Anti(_)
        | JoinOperator::LeftAnti(_)
        | JoinOperator::RightAnti(_)
        | JoinOperator::CrossApply
        | JoinOperator::OuterApply
        | JoinOperator::AsOf { .. }
        | JoinOperator::StraightJoin(_)
        | JoinOperator::ArrayJoin
        | JoinOperator::LeftArrayJoin
        | JoinOperator::InnerArrayJoin => return Err(refuse(join, "this kind of join", JOIN_HELP)),
    };
    match constraint {
        JoinConstraint::On(condition) => expression::check(condition),
        JoinConstraint::Using(_) | JoinConstraint::None => Ok(()),
        JoinConstraint::Natural => Err(refuse(join, "NATURAL JOIN", "name the key: JOIN ... USING (key)")),
    }
}

fn check_relation(relation: &TableFactor) -> Result<(), QueryError> {
    match relation {
        TableFactor::Table {
            name: _,
            alias,
            args,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } => {
            if let Some(alias) = alias {
                check_alias(alias, relation)?;
            }
            absent(args.is_some(), relation, "a table function", "read the declared table")?;
            absent(!with_hints.is_empty() || !index_hints.is_empty(), relation, "a table hint", "leave it out")?;
            absent(version.is_some(), relation, "a table version", "the policy declares the version")?;
            absent(*with_ordinality, relation, "WITH ORDINALITY", "row numbers are not part of a person's data")?;
            absent(!partitions.is_empty(), relation, "PARTITION", "filter with WHERE")?;
            absent(json_path.is_some(), relation, "a JSON path", "declare the value as a column")?;
            absent(sample.is_some(), relation, "TABLESAMPLE", "leave it out")
        }
        TableFactor::Derived { lateral, subquery, alias, sample } => {
            if let Some(alias) = alias {
                check_alias(alias, relation)?;
            }
            absent(*lateral, relation, "LATERAL", JOIN_HELP)?;
            absent(sample.is_some(), relation, "TABLESAMPLE", "leave it out")?;
            check(subquery)
        }
        TableFactor::TableFunction { .. }
        | TableFactor::Function { .. }
        | TableFactor::UNNEST { .. }
        | TableFactor::JsonTable { .. }
        | TableFactor::OpenJsonTable { .. }
        | TableFactor::NestedJoin { .. }
        | TableFactor::Pivot { .. }
        | TableFactor::Unpivot { .. }
        | TableFactor::MatchRecognize { .. }
        | TableFactor::XmlTable { .. }
        | TableFactor::SemanticView { .. } => Err(refuse(relation, "this kind of table", "read the declared table")),
    }
}
