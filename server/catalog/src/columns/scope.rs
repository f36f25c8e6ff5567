//! The tables that a query reads, and their columns.

use super::{Columns, name_of, type_of};
use crate::rewrite::{first_select, last, plain};
use crate::types::Type;
use crate::{Description, functions, tables};
use sqlparser::ast::{
    Expr, ObjectName, ObjectNamePart, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableAlias,
    TableFactor, TableWithJoins,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of columns copied or inspected for one query, which bounds the time.
const MAX_INSPECTED: usize = 1_000_000;
/// Maximum number of columns of a query, and of sources after one FROM, as in SQLite.
const MOST_COLUMNS: usize = 2_000;
const MOST_SOURCES: usize = 64;

/// The meaning of names at a position of a query.
pub(super) struct Scope<'a> {
    description: &'a Description,
    /// The scope of the enclosing query.
    around: Option<&'a Scope<'a>>,
    /// Queries named by `WITH`.
    named: BTreeMap<String, Rc<Columns>>,
    /// The sources after FROM: names, and columns if known.
    sources: Vec<(String, Option<Rc<Columns>>)>,
    left: Rc<Cell<usize>>,
}

/// The first column of a query: its name and expression, not resolved.
pub(super) fn first_column(query: &Query) -> Option<(String, &Expr)> {
    match first_select(query)?.projection.first()? {
        SelectItem::UnnamedExpr(expr) => Some((name_of(expr), expr)),
        SelectItem::ExprWithAlias { expr, alias } => Some((plain(alias), expr)),
        _ => None,
    }
}

/// Columns renamed by an alias.
fn renamed(mut columns: Columns, alias: Option<&TableAlias>) -> Columns {
    for (column, name) in columns.iter_mut().zip(alias.iter().flat_map(|alias| &alias.columns)) {
        column.0 = plain(&name.name);
    }
    columns
}

impl<'a> Scope<'a> {
    pub(super) fn of(description: &'a Description) -> Self {
        let left = Rc::new(Cell::new(MAX_INSPECTED));
        Self { description, around: None, named: BTreeMap::new(), sources: Vec::new(), left }
    }

    /// The scope of a subquery.
    pub(super) fn within(&'a self) -> Self {
        let left = Rc::clone(&self.left);
        Self { description: self.description, around: Some(self), named: BTreeMap::new(), sources: Vec::new(), left }
    }

    /// Uses up this cost. Returns whether the limit allows it.
    fn affords(&self, cost: usize) -> bool {
        let left = self.left.get().checked_sub(cost);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The columns of a query; `None` if they cannot be inferred.
    pub(super) fn columns(mut self, query: &Query) -> Option<Columns> {
        for with in query.with.iter().flat_map(|with| &with.cte_tables) {
            // In a recursive query, the inner reference has the columns of the first part.
            if let Some(columns) = self.within().columns(&with.query) {
                self.named.insert(plain(&with.alias.name), Rc::new(renamed(columns, Some(&with.alias))));
            }
        }
        match first_select(query) {
            Some(select) => self.selected(select),
            None => match query.body.as_ref() {
                SetExpr::Values(values) => {
                    let first = values.rows.first()?.iter().enumerate().take(MOST_COLUMNS);
                    Some(first.map(|(at, expr)| (format!("column{}", at + 1), type_of(expr, &self))).collect())
                }
                _ => None,
            },
        }
    }

    fn selected(mut self, select: &Select) -> Option<Columns> {
        for from in &select.from {
            self.adds(from)?;
        }
        let mut columns = Columns::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => columns.push((name_of(expr), type_of(expr, &self))),
                SelectItem::ExprWithAlias { expr, alias } => columns.push((plain(alias), type_of(expr, &self))),
                SelectItem::Wildcard(_) => {
                    for (_, source) in &self.sources {
                        self.takes(source.as_deref()?, &mut columns)?;
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let name = last(name);
                    let (_, source) = self.sources.iter().find(|(source, _)| *source == name)?;
                    self.takes(source.as_deref()?, &mut columns)?;
                }
                _ => return None,
            }
            if columns.len() > MOST_COLUMNS {
                return None;
            }
        }
        Some(columns)
    }

    fn takes(&self, source: &Columns, columns: &mut Columns) -> Option<()> {
        (columns.len() + source.len() <= MOST_COLUMNS && self.affords(source.len()))
            .then(|| columns.extend(source.iter().cloned()))
    }

    fn adds(&mut self, from: &TableWithJoins) -> Option<()> {
        self.add(&from.relation)?;
        from.joins.iter().try_for_each(|join| self.add(&join.relation))
    }

    fn add(&mut self, factor: &TableFactor) -> Option<()> {
        let (shown, alias, columns) = match factor {
            TableFactor::Table { name, alias, args: None, .. } => (last(name), alias, self.table(name)),
            TableFactor::Table { name, alias, args: Some(_), .. } | TableFactor::Function { name, alias, .. } => {
                let known = tables::columns_of(None, &last(name));
                (last(name), alias, Some(Rc::new(known.unwrap_or_else(|| called(&last(name), alias.as_ref())))))
            }
            TableFactor::UNNEST { alias, .. } => {
                ("unnest".to_owned(), alias, Some(Rc::new(called("unnest", alias.as_ref()))))
            }
            TableFactor::Derived { subquery, alias, .. } => {
                (String::new(), alias, self.within().columns(subquery).map(Rc::new))
            }
            TableFactor::NestedJoin { table_with_joins, .. } => return self.adds(table_with_joins),
            _ => (String::new(), &None, None),
        };
        let is_renamed = alias.as_ref().is_some_and(|alias| !alias.columns.is_empty());
        let columns = match columns {
            Some(columns) if is_renamed => Some(Rc::new(renamed(columns.as_ref().clone(), alias.as_ref()))),
            columns => columns,
        };
        let cost = columns.as_ref().map_or(1, |columns| columns.len());
        self.sources.push((alias.as_ref().map_or(shown, |alias| plain(&alias.name)), columns));
        (self.sources.len() <= MOST_SOURCES && self.affords(cost)).then_some(())
    }

    fn table(&self, name: &ObjectName) -> Option<Rc<Columns>> {
        let parts: Vec<String> = name.0.iter().filter_map(ObjectNamePart::as_ident).map(plain).collect();
        let (schema, table) = match parts.as_slice() {
            [table] => (None, table),
            [.., schema, table] => (Some(schema.as_str()), table),
            [] => return None,
        };
        if schema.is_none()
            && let Some(named) = self.scopes().find_map(|scope| scope.named.get(table))
        {
            return Some(Rc::clone(named));
        }
        let described = self.description.tables.iter().find(|known| {
            Some(known.schema.as_str()) == schema && known.schema != tables::PUBLIC && known.name == *table
        });
        let described =
            described.map(|known| known.columns.iter().map(|column| (column.name.clone(), column.data_type)).collect());
        described.or_else(|| tables::columns_of(schema, table)).map(Rc::new)
    }

    /// This scope and the enclosing ones, from the inside out.
    fn scopes(&self) -> impl Iterator<Item = &Scope<'a>> {
        std::iter::successors(Some(self), |scope| scope.around)
    }

    /// The type of the column that an expression names.
    pub(super) fn column(&self, expr: &Expr) -> Option<Type> {
        let (source, column) = match expr {
            Expr::Identifier(name) => (None, plain(name)),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [.., source, column] => (Some(plain(source)), plain(column)),
                _ => return None,
            },
            _ => return None,
        };
        let all = self.scopes().flat_map(|scope| &scope.sources);
        let mut named = all.filter(|(name, _)| source.as_ref().is_none_or(|source| source == name));
        named.find_map(|(_, columns)| {
            let columns = columns.as_ref().filter(|columns| self.affords(columns.len()))?;
            columns.iter().find(|(name, _)| *name == column).map(|(_, of)| *of)
        })
    }
}

/// The column of a function used as a table.
fn called(function: &str, alias: Option<&TableAlias>) -> Columns {
    let name = alias.map_or_else(|| function.to_owned(), |alias| plain(&alias.name));
    let of = match function {
        "generate_series" => Type::INT4,
        "unnest" => Type::TEXT,
        function => functions::returned(function),
    };
    // The second column is that of `WITH ORDINALITY`, if the alias names one.
    let both = alias.is_some_and(|alias| alias.columns.len() > 1);
    let ordinality = both.then(|| ("ordinality".to_owned(), Type::INT8));
    std::iter::once((name, of)).chain(ordinality).collect()
}
