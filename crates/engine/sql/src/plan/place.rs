//! Places of expressions in the SQL, from the first column to the last. Only columns have a place in a plan.

use datafusion_common::Span;
use datafusion_common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion_expr::Expr;
use deniable_query::Place;

/// The place of these expressions, from the first to the last of their columns.
pub(crate) fn place_of<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Option<Place> {
    let mut spans: Vec<Span> = Vec::new();
    let mut look = |expr: &Expr| {
        if let Expr::Column(column) = expr {
            spans.extend(column.spans().iter());
        }
        Ok(TreeNodeRecursion::Continue)
    };
    for expr in exprs {
        // The visitor never fails; the traversal's type requires a result.
        let _ = expr.apply(&mut look);
    }
    Span::union_iter(spans).map(of_span)
}

/// Converts the planner's places.
pub(super) fn of_span(span: Span) -> Place {
    Place { line: span.start.line, column: span.start.column, end_line: span.end.line, end_column: span.end.column }
}
