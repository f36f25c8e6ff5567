//! Where an expression stands in the SQL: from its first column to its last. Nothing else in a plan knows its place.

use datafusion_common::Span;
use datafusion_common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion_expr::Expr;
use deniable_query::Place;

/// Where these expressions stand, as far as their columns tell.
pub(crate) fn place_of<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Option<Place> {
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
    Span::union_iter(spans).map(of_span)
}

/// The planner's way to say where.
pub(super) fn of_span(span: Span) -> Place {
    Place { line: span.start.line, column: span.start.column, end_line: span.end.line, end_column: span.end.column }
}
