//! Constants with which a question compares a column, and that are none of the column's declared keys: allowed, since keys
//! need not be all values that there are, and seldom meant.

use crate::plan::Table;
use crate::plan::table::declared;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use deniable_core::text::{nearest, shown};
use deniable_policy::{Column, Key};

/// Most keys that are listed.
const LISTED: usize = 12;

/// A sentence about each. Constants and keys are public, both.
pub(crate) fn undeclared<'e>(exprs: impl Iterator<Item = &'e Expr>, tables: &[Table]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for expr in exprs {
        let mut compared = |value: &Expr, constant: &Expr| {
            let (Expr::Column(column), Expr::Literal(constant, _)) = (value, constant) else { return };
            let sentence = declared(tables, column).and_then(|column| sentence(column, constant));
            found.extend(sentence.filter(|sentence| !found.contains(sentence)));
        };
        let walked: Result<TreeNodeRecursion> = expr.apply(|node| {
            match node {
                Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq | Operator::NotEq, right }) => {
                    compared(left, right);
                    compared(right, left);
                }
                Expr::InList(InList { expr, list, .. }) => list.iter().for_each(|constant| compared(expr, constant)),
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        });
        // The walk itself never fails.
        walked.ok();
    }
    found
}

fn sentence(column: &Column, constant: &ScalarValue) -> Option<String> {
    let keys = column.keys.as_ref()?;
    let (key, written) = match constant {
        ScalarValue::Utf8(Some(text)) => (Key::Text(text.clone()), text.clone()),
        ScalarValue::Int64(Some(number)) => (Key::Integer(*number), number.to_string()),
        _ => return None,
    };
    if keys.contains(&key) {
        return None;
    }
    let known: Vec<String> = keys
        .iter()
        .filter_map(|key| match key {
            Key::Text(text) => Some(text.clone()),
            Key::Integer(number) => Some(number.to_string()),
            _ => None,
        })
        .collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let begins = known.iter().find(|key| written.chars().count() > 2 && key.starts_with(&written)).copied();
    // Numbers are seldom misspelt.
    let near = matches!(key, Key::Text(_)).then(|| nearest(&written, &known).or(begins)).flatten();
    let mend = match near {
        Some(near) => format!("did you mean `{}`?", shown(near)),
        None => {
            let more = if known.len() > LISTED { ", ..." } else { "" };
            format!(
                "these are: {}{more}",
                known.iter().take(LISTED).map(|key| shown(key)).collect::<Vec<_>>().join(", ")
            )
        }
    };
    Some(format!(
        "`{}` is compared with `{}`, which is none of its declared keys; {mend}",
        shown(&column.name),
        shown(&written)
    ))
}
