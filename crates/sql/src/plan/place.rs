//! Where an expression stands in the SQL: from its first column to its last. Nothing else in a plan knows its place.

use crate::error::{Place, QueryError};
use datafusion::common::Span;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::Expr;

impl QueryError {
    /// The same at these expressions, unless a place is known.
    pub(crate) fn near<'a>(self, exprs: impl IntoIterator<Item = &'a Expr>) -> Self {
        let mut spans: Vec<Span> = Vec::new();
        let mut look = |expr: &Expr| {
            if let Expr::Column(column) = expr {
                spans.extend(column.spans().iter());
            }
            Ok(TreeNodeRecursion::Continue)
        };
        for expr in exprs {
            // Looking cannot fail; the traversal's type says otherwise.
            let _ = expr.apply(&mut look);
        }
        self.at(Span::union_iter(spans).map(of_span))
    }
}

/// The planner's way to say where.
pub(super) fn of_span(span: Span) -> Place {
    Place { line: span.start.line, column: span.start.column, end_line: span.end.line, end_column: span.end.column }
}
