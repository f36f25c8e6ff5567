//! Which tables a query reads, and which columns they have.

use super::{Columns, name_of, type_of};
use crate::rewrite::{first_select, last, plain};
use crate::types::Type;
use crate::{Description, functions, tables};
use sqlparser::ast::{
    Expr, ObjectName, ObjectNamePart, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableAlias,
    TableFactor, TableWithJoins,
};
use std::collections::BTreeMap;

/// What names stand for at a place in a query.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    description: &'a Description,
    /// Queries that `WITH` gives a name.
    named: BTreeMap<String, Columns>,
    /// What stands after FROM: names, and columns where they are known.
    sources: Vec<(String, Option<Columns>)>,
    /// The same of the queries around this one.
    around: Vec<(String, Option<Columns>)>,
}

/// The first column of a query, by its name and without what it reads.
pub(super) fn first_column(query: &Query) -> Option<(String, &Expr)> {
    match first_select(query)?.projection.first()? {
        SelectItem::UnnamedExpr(expr) => Some((name_of(expr), expr)),
        SelectItem::ExprWithAlias { expr, alias } => Some((plain(alias), expr)),
        _ => None,
    }
}

/// Columns by the names that an alias gives them.
fn renamed(mut columns: Columns, alias: Option<&TableAlias>) -> Columns {
    for (column, name) in columns.iter_mut().zip(alias.iter().flat_map(|alias| &alias.columns)) {
        column.0 = plain(&name.name);
    }
    columns
}

impl<'a> Scope<'a> {
    pub(super) fn of(description: &'a Description) -> Self {
        Self { description, named: BTreeMap::new(), sources: Vec::new(), around: Vec::new() }
    }

    /// For a query inside of this one.
    pub(super) fn within(&self) -> Self {
        let around = self.sources.iter().chain(&self.around).cloned().collect();
        Self { sources: Vec::new(), around, ..self.clone() }
    }

    /// The columns of a query; `None` where they cannot be told.
    pub(super) fn columns(mut self, query: &Query) -> Option<Columns> {
        for with in query.with.iter().flat_map(|with| &with.cte_tables) {
            // One that reads itself knows itself by its first part alone.
            if let Some(columns) = self.within().columns(&with.query) {
                self.named.insert(plain(&with.alias.name), renamed(columns, Some(&with.alias)));
            }
        }
        match first_select(query) {
            Some(select) => self.selected(select),
            None => match query.body.as_ref() {
                SetExpr::Values(values) => {
                    let first = values.rows.first()?.iter().enumerate();
                    Some(first.map(|(at, expr)| (format!("column{}", at + 1), type_of(expr, &self))).collect())
                }
                _ => None,
            },
        }
    }

    fn selected(mut self, select: &Select) -> Option<Columns> {
        for from in &select.from {
            self.adds(from);
        }
        let mut columns = Columns::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => columns.push((name_of(expr), type_of(expr, &self))),
                SelectItem::ExprWithAlias { expr, alias } => columns.push((plain(alias), type_of(expr, &self))),
                SelectItem::Wildcard(_) => {
                    for (_, source) in &self.sources {
                        columns.extend(source.as_ref()?.iter().cloned());
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let name = last(name);
                    let (_, source) = self.sources.iter().find(|(source, _)| *source == name)?;
                    columns.extend(source.as_ref()?.iter().cloned());
                }
                _ => return None,
            }
        }
        Some(columns)
    }

    fn adds(&mut self, from: &TableWithJoins) {
        self.add(&from.relation);
        for join in &from.joins {
            self.add(&join.relation);
        }
    }

    fn add(&mut self, factor: &TableFactor) {
        let (shown, alias, columns) = match factor {
            TableFactor::Table { name, alias, args: None, .. } => (last(name), alias, self.table(name)),
            TableFactor::Table { name, alias, args: Some(_), .. } | TableFactor::Function { name, alias, .. } => {
                let known = tables::columns_of(None, &last(name));
                (last(name), alias, known.or_else(|| Some(called(&last(name), alias.as_ref()))))
            }
            TableFactor::UNNEST { alias, .. } => ("unnest".to_owned(), alias, Some(called("unnest", alias.as_ref()))),
            TableFactor::Derived { subquery, alias, .. } => (String::new(), alias, self.within().columns(subquery)),
            TableFactor::NestedJoin { table_with_joins, .. } => return self.adds(table_with_joins),
            _ => (String::new(), &None, None),
        };
        let columns = columns.map(|columns| renamed(columns, alias.as_ref()));
        self.sources.push((alias.as_ref().map_or(shown, |alias| plain(&alias.name)), columns));
    }

    fn table(&self, name: &ObjectName) -> Option<Columns> {
        let parts: Vec<String> = name.0.iter().filter_map(ObjectNamePart::as_ident).map(plain).collect();
        let (schema, table) = match parts.as_slice() {
            [table] => (None, table),
            [.., schema, table] => (Some(schema.as_str()), table),
            [] => return None,
        };
        if schema.is_none()
            && let Some(named) = self.named.get(table)
        {
            return Some(named.clone());
        }
        let described = self.description.tables.iter().find(|known| {
            Some(known.schema.as_str()) == schema && known.schema != tables::PUBLIC && known.name == *table
        });
        let described =
            described.map(|known| known.columns.iter().map(|column| (column.name.clone(), column.data_type)).collect());
        described.or_else(|| tables::columns_of(schema, table))
    }

    /// The type of a column that an expression names.
    pub(super) fn column(&self, expr: &Expr) -> Option<Type> {
        let (source, column) = match expr {
            Expr::Identifier(name) => (None, plain(name)),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [.., source, column] => (Some(plain(source)), plain(column)),
                _ => return None,
            },
            _ => return None,
        };
        let all = self.sources.iter().chain(&self.around);
        let mut named = all.filter(|(name, _)| source.as_ref().is_none_or(|source| source == name));
        named.find_map(|(_, columns)| {
            let found = columns.as_ref()?.iter().find(|(name, _)| *name == column);
            found.map(|(_, of)| *of)
        })
    }
}

/// The column of a function that stands as a table.
fn called(function: &str, alias: Option<&TableAlias>) -> Columns {
    let name = alias.map_or_else(|| function.to_owned(), |alias| plain(&alias.name));
    let of = match function {
        "generate_series" => Type::INT4,
        "unnest" => Type::TEXT,
        function => functions::returned(function),
    };
    // The second is the one of `WITH ORDINALITY`, where the alias names one.
    let both = alias.is_some_and(|alias| alias.columns.len() > 1);
    let ordinality = both.then(|| ("ordinality".to_owned(), Type::INT8));
    std::iter::once((name, of)).chain(ordinality).collect()
}
