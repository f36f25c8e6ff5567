//! A policy with other queries, another version of its data, or other caps.

use super::Policy;
use crate::budget::QueryBudget;
use crate::query::{OwnCaps, Query, QueryError, Size, check_part};
use crate::reader::{ONE_LINE, is_line};
use crate::shares;
use deniable_core::exact::Rational;
use num_traits::Signed;

impl Policy {
    /// This policy with another version of one of its tables: a line of text, as `version` in a file. Unchanged if it
    /// does not have the table.
    ///
    /// With the version of the main table, queries with `every` move to the period of that name.
    ///
    /// # Errors
    /// `one line of text without spaces around it`, when the version is not such a line; `the name of a period of the
    /// horizon`, when queries with `every` have no such period.
    pub fn with_version(mut self, table: &str, version: &str) -> Result<Self, &'static str> {
        if !is_line(version) {
            return Err(ONE_LINE);
        }
        let further = self.more.iter_mut().map(|further| &mut further.data);
        if let Some(data) = std::iter::once(&mut self.data).chain(further).find(|data| data.table == table) {
            version.clone_into(&mut data.version);
        }
        if self.data.table == table {
            let moved = self.queries.iter().map(|query| query.moved(version)).collect::<Option<Vec<_>>>();
            self.queries = moved.ok_or("the name of a period of the horizon of each query with `every`")?.concat();
        }
        Ok(self)
    }

    /// This policy with other caps for all its queries.
    #[must_use]
    pub fn with_caps(&self, caps: OwnCaps) -> Self {
        let own = |query: &Query| {
            let own = |caps: OwnCaps| query.every.as_ref().map_or(caps, |node| node.caps(caps));
            let rows_per_group =
                caps.rows_per_group.and_then(|_| own(caps).rows_per_group).or(query.caps.rows_per_group);
            Query { caps: OwnCaps { rows_per_group, groups: caps.groups.or(query.caps.groups) }, ..query.clone() }
        };
        Self { queries: self.queries.iter().map(own).collect(), ..self.clone() }
    }

    /// This policy with only the queries of these names, which spend this part of the promise together: weights divide
    /// what explicit shares leave of it. The policy's own `spend` limits them no more; `per_version` does.
    ///
    /// # Errors
    /// When the part is not in (0, 1] or less than the explicit shares, when it leaves nothing for queries by weight,
    /// and when a query has a target error or is repeated.
    pub fn with_spend(&self, names: &[&str], spend: &Rational) -> Result<Self, QueryError> {
        check_part(spend)?;
        let chosen = self.queries.iter().filter(|query| names.contains(&query.name.as_str()));
        let queries: Vec<Query> = chosen.cloned().collect();
        let has_own = |query: &&Query| query.every.is_some() || matches!(query.size, Size::TargetError(_));
        if let Some(query) = queries.iter().find(has_own) {
            return Err(QueryError::OwnShare(query.name.clone()));
        }
        let explicit = queries.iter().filter_map(|query| match &query.size {
            Size::Share(share) => Some(share),
            Size::Weight(_) | Size::TargetError(_) => None,
        });
        let shares: Rational = explicit.sum();
        if shares > *spend {
            return Err(QueryError::Explicit { shares, spend: spend.clone() });
        }
        let queries = shares::with_solved(&queries, &[], QueryBudget { key: "spend", part: spend })?;
        Ok(Self { queries, spend: Rational::from_integer(1.into()), ..self.clone() })
    }

    /// A policy with the same promise and only this query, which is charged as `asker` for a share of the whole
    /// promise.
    ///
    /// # Errors
    /// When the share is not in (0, 1], or a name is not one line.
    pub fn with_query(&self, asker: &str, name: &str, sql: &str, share: &Rational) -> Result<Self, QueryError> {
        let query = Query::single(name, sql, share)?;
        let asker = asker.to_owned();
        let spend = Rational::from_integer(1.into());
        Ok(Self { name: asker, spend, queries: vec![query], is_asked: true, ..self.clone() })
    }

    /// A policy with the same promise that asks for advice on the caps and bounds of these queries, by their positions,
    /// and is charged as `asker` for a part of the whole promise, which they share equally.
    ///
    /// # Errors
    /// When the part is not in (0, 1].
    pub fn with_advice(&self, asker: &str, on: &[usize], part: &Rational) -> Result<Self, QueryError> {
        let one = Rational::from_integer(1.into());
        if !part.is_positive() || *part > one {
            return Err(QueryError::Share(part.clone()));
        }
        let each = part / Rational::from_integer(on.len().max(1).into());
        let queries =
            on.iter().filter_map(|at| self.queries.get(*at)).map(|query| query.values(each.clone())).collect();
        Ok(Self { name: asker.to_owned(), spend: one, queries, ..self.clone() })
    }
}
