//! Columns beside noisy numbers: for all numbers by a setting, or for one number by a function.
//!
//! In `SELECT department, AVG(minutes) AS m, low(m), high(m) FROM visits GROUP BY department`, the functions are
//! removed from the query before it is planned, so that the query and its price are the same as without them.

use crate::rows::truth;
use deniable_wire::catalog::print;
use deniable_wire::{self as wire, Code, Failure};
use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, OrderByKind, Query, Select, SelectItem,
    SetExpr, Statement, Value, Visit, Visitor,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// The property of a noisy number that a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberPart {
    /// The number itself.
    Value,
    /// The lower end of its interval.
    Low,
    /// The upper end.
    High,
    /// The standard error of the noise.
    Error,
    /// The class of its quality.
    Quality,
}

impl NumberPart {
    /// The property that a function of this name shows.
    fn of_function(name: &[String]) -> Option<Self> {
        let name = match name {
            [name] => name,
            [schema, name] if schema == "deniable" => name,
            _ => return None,
        };
        Some(match name.as_str() {
            "low" => Self::Low,
            "high" => Self::High,
            "standard_error" => Self::Error,
            "quality" => Self::Quality,
            _ => return None,
        })
    }
}

/// A column of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The index of the number among the columns of the remaining query.
    pub of: usize,
    /// The property shown.
    pub what: NumberPart,
    /// The column's name, if it is not the default for `of` and `what`.
    pub name: Option<String>,
}

/// The output columns beside noisy numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumberColumns {
    /// Whether all numbers have columns `..._low` and `..._high`, the ends of their confidence intervals.
    pub intervals: bool,
    /// Whether all numbers have columns `..._error` and `..._quality`.
    pub quality: bool,
    /// The output columns in their order, if functions request some of them.
    pub columns: Option<Vec<Column>>,
}

impl NumberColumns {
    /// The columns that a query requests, and the SQL without the functions.
    ///
    /// # Errors
    /// When a function names a column that the query does not show.
    pub fn of(query: &wire::Query) -> Result<(Self, String), Failure> {
        let is_on = |name: &str| query.setting(name).and_then(truth).unwrap_or(false);
        let (columns, sql) = match taken_out(&query.sql)? {
            Some((columns, sql)) => (Some(columns), sql),
            None => (None, query.sql.clone()),
        };
        Ok((Self { intervals: is_on("intervals"), quality: is_on("quality"), columns }, sql))
    }
}

/// The name of a column as PostgreSQL folds it.
fn folded(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_ascii_lowercase() }
}

/// The property and the column name of a call; `None` for other functions.
fn asked(expr: &Expr) -> Result<Option<(NumberPart, String)>, Failure> {
    let Expr::Function(function) = expr else { return Ok(None) };
    let name: Option<Vec<String>> = function.name.0.iter().map(|part| part.as_ident().map(folded)).collect();
    let Some(what) = name.as_deref().and_then(NumberPart::of_function) else { return Ok(None) };
    let is_plain = function.filter.is_none() && function.over.is_none() && function.within_group.is_empty();
    let argument = match &function.args {
        FunctionArguments::List(list) if is_plain && list.duplicate_treatment.is_none() && list.clauses.is_empty() => {
            match list.args.as_slice() {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(name)))] => Some(folded(name)),
                _ => None,
            }
        }
        _ => None,
    };
    let usage = || {
        let message = format!("{} takes the name of a column of this query", function.name);
        Failure::new(Code::Syntax, message).hint("give the number a name: SELECT AVG(x) AS m, low(m), high(m) FROM ...")
    };
    argument.map(|of| Some((what, of))).ok_or_else(usage)
}

/// The expression of a column, and its alias.
fn named(item: &SelectItem) -> Option<(&Expr, Option<String>)> {
    match item {
        SelectItem::ExprWithAlias { expr, alias } => Some((expr, Some(folded(alias)))),
        SelectItem::UnnamedExpr(expr @ Expr::Identifier(name)) => Some((expr, Some(folded(name)))),
        SelectItem::UnnamedExpr(expr @ Expr::CompoundIdentifier(names)) => Some((expr, names.last().map(folded))),
        SelectItem::UnnamedExpr(expr) => Some((expr, None)),
        _ => None,
    }
}

/// The output columns, and the query without the functions; `None` if the outer list of columns has no such function.
fn taken_out(sql: &str) -> Result<Option<(Vec<Column>, String)>, Failure> {
    // The planner reports syntax errors better.
    let Ok(mut parsed) = Parser::parse_sql(&PostgreSqlDialect {}, sql) else { return Ok(None) };
    let [Statement::Query(query)] = parsed.as_mut_slice() else { return Ok(None) };
    let Query { body, order_by, .. } = query.as_mut();
    let SetExpr::Select(select) = body.as_mut() else { return Ok(None) };
    let mut functions = Vec::new();
    for item in &select.projection {
        functions.push(match named(item) {
            Some((expr, _)) => asked(expr)?,
            None => None,
        });
    }
    if functions.iter().all(Option::is_none) {
        return elsewhere(query).map_or(Ok(None), Err);
    }
    let kept: Vec<&SelectItem> =
        select.projection.iter().zip(&functions).filter(|(_, asked)| asked.is_none()).map(|(item, _)| item).collect();
    if kept.iter().any(|item| named(item).is_none()) {
        return Err(Failure::new(
            Code::NotSupported,
            "low(), high(), standard_error() and quality() cannot be combined with *",
        )
        .hint("list the columns by name"));
    }
    let names: Vec<Option<String>> = kept.iter().map(|item| named(item).and_then(|(_, name)| name)).collect();
    let mut columns = Vec::new();
    let mut own = 0..;
    for (item, function) in select.projection.iter().zip(&functions) {
        let Some((what, of)) = function else {
            columns.extend(own.next().map(|of| Column { of, what: NumberPart::Value, name: None }));
            continue;
        };
        let place = names.iter().position(|name| name.as_ref() == Some(of)).ok_or_else(|| {
            let message = format!("no column of this query is called \"{of}\"");
            Failure::new(Code::Syntax, message).hint(format!("give the number that name: SELECT AVG(x) AS {of}, ..."))
        })?;
        let name = match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(folded(alias)),
            _ => None,
        };
        columns.push(Column { of: place, what: *what, name });
    }
    renumbered(select, order_by.as_mut().map(|order| &mut order.kind), &columns)?;
    let mut at = functions.iter();
    select.projection.retain(|_| at.next().is_some_and(Option::is_none));
    if let Some(failure) = elsewhere(query) {
        return Err(failure);
    }
    let unfit = || {
        Failure::new(
            Code::NotSupported,
            "this query cannot be rewritten without low(), high(), standard_error() and quality()",
        )
    };
    let sql = print::faithful(&parsed[0])
        .ok_or_else(|| unfit().hint("SET deniable.intervals = on shows the same of all numbers"))?;
    Ok(Some((columns, sql)))
}

/// The refusal of these functions outside the outer list of columns.
fn elsewhere(query: &Query) -> Option<Failure> {
    struct FunctionSearch(Option<String>);
    impl Visitor for FunctionSearch {
        type Break = ();
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if let Expr::Function(function) = expr {
                let name: Option<Vec<String>> =
                    function.name.0.iter().map(|part| part.as_ident().map(folded)).collect();
                if name.as_deref().and_then(NumberPart::of_function).is_some() {
                    self.0 = Some(function.name.to_string());
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        }
    }
    let mut found = FunctionSearch(None);
    let _ = query.visit(&mut found);
    found.0.map(|name| {
        let message = format!("{name} is allowed only as a whole column of the outer SELECT");
        Failure::new(Code::NotSupported, message)
            .hint("SELECT AVG(x) AS m, low(m), high(m) FROM ...; order by the number itself")
    })
}

/// Renumbers `GROUP BY 1` and `ORDER BY 2`, since the remaining query has fewer columns.
fn renumbered(select: &mut Select, order_by: Option<&mut OrderByKind>, columns: &[Column]) -> Result<(), Failure> {
    let grouped = match &mut select.group_by {
        GroupByExpr::Expressions(exprs, _) => exprs.iter_mut().collect(),
        GroupByExpr::All(_) => Vec::new(),
    };
    let ordered = match order_by {
        Some(OrderByKind::Expressions(exprs)) => exprs.iter_mut().map(|one| &mut one.expr).collect(),
        _ => Vec::new(),
    };
    for expr in grouped.into_iter().chain(ordered) {
        let mut expr = expr;
        while let Expr::Nested(inner) = expr {
            expr = inner;
        }
        let Expr::Value(value) = expr else { continue };
        let Value::Number(digits, _) = &mut value.value else { continue };
        let Some(Column { of, what, .. }) = digits.parse::<usize>().ok().and_then(|at| columns.get(at.checked_sub(1)?))
        else {
            continue;
        };
        if *what != NumberPart::Value {
            let message =
                format!("column {digits} is derived from a noisy number, and cannot be grouped or ordered by");
            return Err(Failure::new(Code::NotSupported, message).hint("order by the number itself"));
        }
        *digits = (of + 1).to_string();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(of: usize, what: NumberPart, name: Option<&str>) -> Column {
        Column { of, what, name: name.map(str::to_owned) }
    }

    #[test]
    fn functions_of_numbers_are_removed() {
        let sql = "SELECT low(m) AS lowest, d, AVG(x) AS m, HIGH(M), deniable.quality(m), standard_error(m) FROM t GROUP BY 2 ORDER BY 3 DESC, d";
        let (columns, left) = taken_out(sql).unwrap().unwrap();
        assert_eq!(left, "SELECT d, AVG(x) AS m FROM t GROUP BY 1 ORDER BY 2 DESC, d");
        let expected = [
            column(1, NumberPart::Low, Some("lowest")),
            column(0, NumberPart::Value, None),
            column(1, NumberPart::Value, None),
            column(1, NumberPart::High, None),
            column(1, NumberPart::Quality, None),
            column(1, NumberPart::Error, None),
        ];
        assert_eq!(columns, expected);
        assert_eq!(
            taken_out("WITH a AS (SELECT x FROM t) SELECT COUNT(*) AS \"N\", low(\"N\") FROM a")
                .unwrap()
                .unwrap()
                .0
                .len(),
            2
        );
    }

    #[test]
    fn queries_without_them_stay_as_they_are() {
        for sql in ["SELECT COUNT(*) FROM t", "SELECT lower(x), COUNT(*) FROM t GROUP BY 1", "SELEC"] {
            assert_eq!(taken_out(sql).unwrap(), None, "{sql}");
        }
    }

    #[test]
    fn misplaced_functions_are_reported() {
        for (sql, wanted) in [
            ("SELECT AVG(x) AS m, low(n) FROM t", "no column of this query is called \"n\""),
            ("SELECT AVG(x), low(x) FROM t", "no column of this query is called \"x\""),
            ("SELECT AVG(x) AS m, low(AVG(x)) FROM t", "low takes the name"),
            ("SELECT AVG(x) AS m, low(m, 1) FROM t", "low takes the name"),
            ("SELECT AVG(x) AS m, low(DISTINCT m) FROM t", "low takes the name"),
            ("SELECT AVG(x) AS m, low(m) OVER () FROM t", "low takes the name"),
            ("SELECT AVG(x) AS m, low(\"M\") FROM t", "is called \"M\""),
            ("SELECT *, low(n) FROM t", "cannot be combined with *"),
            ("SELECT AVG(x) AS m, low(m) FROM t ORDER BY 2", "column 2 is derived from a noisy number"),
            ("SELECT AVG(x) AS m, high(m) - low(m) AS w FROM t", "is allowed only as a whole column"),
            ("SELECT AVG(x) AS m, low(m) FROM t ORDER BY low(m)", "low is allowed only"),
            ("SELECT n FROM (SELECT COUNT(*) AS n, low(n) AS l FROM t) s", "low is allowed only"),
        ] {
            let told = taken_out(sql).unwrap_err();
            assert!(told.message.contains(wanted), "{sql}: {told:?}");
            assert!(told.hint.is_some());
        }
    }
}
