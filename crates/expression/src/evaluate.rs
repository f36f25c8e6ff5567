//! The values of a program: column by column, every node for every row.
//!
//! Nothing stops early and nothing is left out: neither whether there is an answer nor much of the time that it takes
//! depends on which row holds what.

use crate::column::Column;
use crate::compute::compute;
use crate::operation::Operation;
use crate::program::{Id, Node, Program};
use crate::value::{Type, Value};

/// Computes some nodes of a program for one batch of rows after another.
#[derive(Debug, Clone)]
pub struct Evaluator {
    steps: Vec<Step>,
    /// The steps of the results.
    roots: Vec<usize>,
}

#[derive(Debug, Clone)]
struct Step {
    kind: Type,
    what: What,
    /// The steps whose values are not needed after this one.
    done: Vec<usize>,
}

#[derive(Debug, Clone)]
enum What {
    /// An input, by its position.
    Column(usize),
    /// The same in every row, and as many of them as were needed so far.
    Constant(Option<Value>, Column),
    /// An operation on earlier steps.
    Call(Operation, Vec<usize>),
}

impl Evaluator {
    /// For these nodes of the program, each of which becomes one column.
    #[must_use]
    pub fn new(program: &Program, roots: &[Id]) -> Self {
        let reached = program.reached(roots);
        let mut steps: Vec<Step> = Vec::new();
        // The step of each node.
        let mut places = Vec::with_capacity(reached.len());
        for ((id, node), reached) in program.ids().zip(&reached) {
            places.push(steps.len());
            if !reached {
                continue;
            }
            let kind = program.kind(id);
            let what = match node {
                Node::Column(position) => What::Column(usize::try_from(*position).unwrap_or(usize::MAX)),
                Node::Constant(_, value) => What::Constant(value.clone(), Column::nulls(kind, 0)),
                Node::Call(operation, arguments) => {
                    let place = |id: &Id| places.get(id.position()).copied().unwrap_or(usize::MAX);
                    What::Call(operation.clone(), arguments.iter().map(place).collect())
                }
            };
            steps.push(Step { kind, what, done: Vec::new() });
        }
        let place = |id: &Id| places.get(id.position()).copied().unwrap_or(usize::MAX);
        let roots: Vec<usize> = roots.iter().map(place).collect();
        let mut evaluator = Self { steps, roots };
        evaluator.find_last_uses();
        evaluator
    }

    fn find_last_uses(&mut self) {
        let mut needed = vec![false; self.steps.len()];
        for root in &self.roots {
            if let Some(needed) = needed.get_mut(*root) {
                *needed = true;
            }
        }
        for step in self.steps.iter_mut().rev() {
            let What::Call(_, arguments) = &step.what else { continue };
            for argument in arguments {
                if let Some(needed) = needed.get_mut(*argument)
                    && !*needed
                {
                    *needed = true;
                    step.done.push(*argument);
                }
            }
        }
    }

    /// The columns of the nodes, in their order, for so many rows. `inputs` are the program's columns by position; one that
    /// is missing, or of another type or length, is NULL in every row.
    pub fn evaluate(&mut self, rows: usize, inputs: &[Option<Column>]) -> Vec<Column> {
        let mut values: Vec<Option<Column>> = Vec::with_capacity(self.steps.len());
        for step in &mut self.steps {
            let kind = step.kind;
            let value = match &mut step.what {
                What::Column(position) => match inputs.get(*position) {
                    Some(Some(column)) if column.kind() == kind && column.len() == rows => column.clone(),
                    _ => Column::nulls(kind, rows),
                },
                What::Constant(value, made) => {
                    if made.len() < rows {
                        *made = Column::repeat(kind, value.as_ref(), rows);
                    }
                    made.slice(0, rows)
                }
                What::Call(operation, arguments) => {
                    let found = arguments.iter().map(|place| values.get(*place).and_then(Option::as_ref));
                    let value = match found.collect::<Option<Vec<&Column>>>() {
                        Some(arguments) => compute(operation, kind, &arguments, rows),
                        None => Column::nulls(kind, rows),
                    };
                    if value.kind() == kind && value.len() == rows { value } else { Column::nulls(kind, rows) }
                }
            };
            values.push(Some(value));
            for place in &step.done {
                if let Some(value) = values.get_mut(*place) {
                    *value = None;
                }
            }
        }
        let result = |place: &usize| values.get(*place).cloned().flatten();
        self.roots.iter().map(|root| result(root).unwrap_or_else(|| Column::nulls(Type::Boolean, rows))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Comparison;
    use crate::program::InputColumn;

    #[test]
    fn columns_come_in_the_order_of_the_roots() {
        let column = |name: &str| InputColumn { table: "t".into(), name: name.into(), kind: Type::Integer };
        let mut program = Program::new(vec![column("a"), column("b")]);
        let (a, b) = (program.column(0).unwrap(), program.column(1).unwrap());
        let seven = program.constant(Value::Integer(7)).unwrap();
        let sum = program.call(Operation::Add, &[a, seven]).unwrap();
        let large = program.call(Operation::Compare(Comparison::Greater), &[sum, b]).unwrap();
        let mut evaluator = Evaluator::new(&program, &[large, sum, seven, sum]);
        let integers = |values: &[Option<i64>]| {
            Column::from_values(Type::Integer, values.iter().map(|value| value.map(Value::Integer)))
        };
        let booleans = |values: &[Option<bool>]| {
            Column::from_values(Type::Boolean, values.iter().map(|value| value.map(Value::Boolean)))
        };
        let inputs = [Some(integers(&[Some(1), None, Some(i64::MAX)])), Some(integers(&[Some(9), Some(1), Some(2)]))];
        let sums = integers(&[Some(8), None, None]);
        let expected = [booleans(&[Some(false), None, None]), sums.clone(), integers(&[Some(7); 3]), sums];
        for _ in 0..2 {
            let found = evaluator.evaluate(3, &inputs);
            assert!(found.iter().zip(&expected).all(|(found, expected)| found.same_as(expected)), "{found:?}");
        }
        // What is missing, of another type or of another length is NULL.
        for inputs in [vec![], vec![None, None], vec![Some(booleans(&[None; 2])), Some(integers(&[Some(1)]))]] {
            let found = evaluator.evaluate(2, &inputs);
            assert!(found[1].same_as(&integers(&[None, None])) && found[0].same_as(&booleans(&[None, None])));
            assert!(found[2].same_as(&integers(&[Some(7), Some(7)])));
        }
        assert!(evaluator.evaluate(0, &[]).iter().all(Column::is_empty));
    }
}
