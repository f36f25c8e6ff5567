//! Sources after FROM that SQLite writes differently.
//!
//! | PostgreSQL | SQLite |
//! |---|---|
//! | `unnest(list) x`, `generate_series(1, n) x` | `json_each(elements(list)) x`, of which `x` is the column `value` |
//! | `generate_series(1, n) AS s(i)` | `(SELECT value AS i FROM json_each(series(1, n))) AS s` |
//! | `unnest(c.list) AS s(x)`, of an adjacent table | `json_each(elements(c.list)) s`, of which `s.x` and `x` are
//!   `s.value` |
//! | `... WITH ORDINALITY AS s(x, n)` | the same, and `n` is `key + 1` |
//! | `f(x) s`, of a single value | `(SELECT f(x) AS s) AS s` |
//! | `(VALUES ...) AS v(a, b)` | `(WITH v(a, b) AS (VALUES ...) SELECT * FROM v) AS v` |

use super::{call, last, plain, select};
use crate::tables::number_of_catalog;
use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, Query, SelectItem, TableAlias, TableFactor,
    TableFunctionArgs, Visit, VisitMut, Visitor, VisitorMut,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Replacements for names in a query.
#[derive(Default)]
pub(super) struct Sources {
    /// Replacements for columns of lists, by column name.
    columns: BTreeMap<String, Expr>,
    /// The same, by list name and column name.
    qualified: BTreeMap<(String, String), Expr>,
    /// The OIDs of catalogs, by their names in the query.
    catalogs: BTreeMap<String, i64>,
}

impl Sources {
    /// Translates all sources after FROM; `None` if one cannot be translated.
    pub(super) fn of(query: &mut Query) -> Option<Self> {
        let mut sources = Self::default();
        VisitMut::visit(query, &mut sources).is_continue().then_some(sources)
    }

    /// The replacement for a column.
    pub(super) fn column(&self, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Identifier(name) => self.columns.get(&plain(name)).cloned(),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                // The catalog that a row belongs to.
                [source, column] if plain(column) == "tableoid" => {
                    let number = self.catalogs.get(&plain(source))?;
                    Some(Expr::Value(sqlparser::ast::Value::Number(number.to_string(), false).into()))
                }
                [source, column] => self.qualified.get(&(plain(source), plain(column))).cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Keeps the name of a replaced column in the result.
    pub(super) fn name(&self, item: &mut SelectItem) {
        let SelectItem::UnnamedExpr(expr) = item else { return };
        let name = match expr {
            Expr::Identifier(name) => name.clone(),
            Expr::CompoundIdentifier(names) if let Some(name) = names.last() => name.clone(),
            _ => return,
        };
        if self.column(expr).is_some() {
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: name };
        }
    }

    fn knows(&mut self, source: &str, column: &str, expr: &Expr) {
        self.columns.insert(column.to_owned(), expr.clone());
        self.qualified.insert((source.to_owned(), column.to_owned()), expr.clone());
    }

    /// A list used as a table.
    fn list(&mut self, called: &CalledFunction) -> Option<TableFactor> {
        let make = if called.name == "unnest" { "elements" } else { "series" };
        let each = call(make, called.args.clone());
        let names: Vec<Ident> = called.columns();
        if !names.is_empty() && !reads(&called.args) {
            let columns: Vec<String> =
                names.iter().zip(["value", "key + 1"]).map(|(name, of)| format!("{of} AS {name}")).collect();
            let sql = format!("SELECT {} FROM json_each({each})", columns.join(", "));
            return Some(derived(select(&sql)?, called.alias.clone()));
        }
        let source = called.shown();
        let of = |column: &str| Expr::CompoundIdentifier(vec![Ident::new(&source), Ident::new(column)]);
        match names.first() {
            Some(name) => self.knows(&source, &plain(name), &of("value")),
            None => self.knows(&source, &source, &of("value")),
        }
        if called.ordinality {
            let count = sqlparser::parser::Parser::new(&sqlparser::dialect::GenericDialect {})
                .try_with_sql(&format!("({} + 1)", of("key")))
                .ok()?
                .parse_expr()
                .ok()?;
            self.knows(&source, &names.get(1).map_or_else(|| "ordinality".to_owned(), plain), &count);
        }
        Some(TableFactor::Table {
            name: ObjectName::from(vec![Ident::new("json_each")]),
            alias: Some(TableAlias { explicit: true, name: Ident::new(source), columns: Vec::new(), at: None }),
            args: Some(TableFunctionArgs { args: vec![argument(each)], settings: None }),
            with_hints: Vec::new(),
            version: None,
            with_ordinality: false,
            partitions: Vec::new(),
            json_path: None,
            sample: None,
            index_hints: Vec::new(),
        })
    }
}

/// A function call in FROM, in place of a table.
struct CalledFunction {
    name: String,
    args: Vec<Expr>,
    alias: Option<TableAlias>,
    ordinality: bool,
}

impl CalledFunction {
    fn of(factor: &TableFactor) -> Option<Self> {
        let (name, args, alias, ordinality) = match factor {
            TableFactor::UNNEST { alias, array_exprs, with_offset: false, with_ordinality, .. } => {
                return Some(Self {
                    name: "unnest".to_owned(),
                    args: array_exprs.clone(),
                    alias: alias.clone(),
                    ordinality: *with_ordinality,
                });
            }
            TableFactor::Table { name, args: Some(args), alias, with_ordinality, .. } => {
                (name, &args.args, alias, *with_ordinality)
            }
            TableFactor::Function { name, args, alias, with_ordinality, .. } => (name, args, alias, *with_ordinality),
            _ => return None,
        };
        let args = args.iter().map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        });
        Some(Self { name: last(name), args: args.collect::<Option<_>>()?, alias: alias.clone(), ordinality })
    }

    /// Its name as a table.
    fn shown(&self) -> String {
        self.alias.as_ref().map_or_else(|| self.name.clone(), |alias| plain(&alias.name))
    }

    /// The aliases of its columns.
    fn columns(&self) -> Vec<Ident> {
        self.alias.iter().flat_map(|alias| &alias.columns).map(|column| column.name.clone()).collect()
    }
}

fn argument(expr: Expr) -> FunctionArg {
    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))
}

/// Whether an argument refers to a table.
fn reads(args: &[Expr]) -> bool {
    struct FunctionFinder;
    impl Visitor for FunctionFinder {
        type Break = ();
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    args.iter().any(|arg| Visit::visit(arg, &mut FunctionFinder).is_break())
}

/// A query as a table, with its own column names.
fn derived(subquery: Box<Query>, alias: Option<TableAlias>) -> TableFactor {
    let alias = alias.map(|alias| TableAlias { explicit: true, columns: Vec::new(), ..alias });
    TableFactor::Derived { lateral: false, subquery, alias, sample: None }
}

/// A query as a table with other column names.
fn renamed(subquery: &Query, alias: &TableAlias) -> Option<TableFactor> {
    let columns: Vec<String> = alias.columns.iter().map(|column| column.name.to_string()).collect();
    let mut made = select(&format!("WITH renamed({}) AS (SELECT 1) SELECT * FROM renamed", columns.join(", ")))?;
    let with = made.with.as_mut()?.cte_tables.first_mut()?;
    *with.query = subquery.clone();
    Some(derived(made, Some(alias.clone())))
}

impl VisitorMut for Sources {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived { lateral: false, subquery, alias: Some(alias), .. } = factor
            && !alias.columns.is_empty()
        {
            // Aliases for only some of the columns are not supported.
            let Some(made) = renamed(subquery, alias) else { return ControlFlow::Break(()) };
            *factor = made;
            return ControlFlow::Continue(());
        }
        if let TableFactor::Table { name, args: None, alias, .. } = factor {
            if let Some(number) = number_of_catalog(&last(name)) {
                let shown = alias.as_ref().map_or_else(|| last(name), |alias| plain(&alias.name));
                self.catalogs.insert(shown, number);
            }
            return ControlFlow::Continue(());
        }
        let Some(called) = CalledFunction::of(factor) else { return ControlFlow::Continue(()) };
        let made = match called.name.as_str() {
            "json_each" => return ControlFlow::Continue(()),
            "unnest" | "generate_series" => self.list(&called),
            // Functions that return catalogs are tables here.
            name if number_of_catalog(name).is_some() => return ControlFlow::Continue(()),
            name => {
                let shown = called.columns().first().map_or_else(|| called.shown(), plain);
                let sql = format!("SELECT {} AS {}", call(name, called.args.clone()), Ident::with_quote('"', shown));
                let alias = called.alias.clone().or_else(|| {
                    let name = Ident::with_quote('"', called.name.clone());
                    Some(TableAlias { explicit: true, name, columns: Vec::new(), at: None })
                });
                select(&sql).map(|query| derived(query, alias))
            }
        };
        match made {
            Some(made) => *factor = made,
            None => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }
}
