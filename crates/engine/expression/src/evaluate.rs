//! Evaluates a program: column by column, every node for every row.
//!
//! Evaluation never stops early and skips no row: which row contains which value affects neither whether there is an
//! answer, nor much of the time it takes.

use crate::column::Column;
use crate::compute::compute;
use crate::list::List;
use crate::operation::Operation;
use crate::program::{Id, Node, Program};
use crate::value::Type;

/// Most values in memory for one block of rows, over all steps: programs of thousands of steps are computed for fewer
/// rows at a time.
const MOST_VALUES: usize = 1 << 22;
/// Longer lists of constants are searched instead of compared one by one.
const SHORT_LIST: usize = 6;

/// Computes some nodes of a program for batches of rows.
#[derive(Debug, Clone)]
pub struct Evaluator {
    steps: Vec<Step>,
    /// The type and step of each result.
    roots: Vec<(Type, usize)>,
}

#[derive(Debug, Clone)]
struct Step {
    kind: Type,
    what: StepKind,
    /// The steps whose values are not needed after this step.
    done: Vec<usize>,
}

#[derive(Debug, Clone)]
enum StepKind {
    /// An input, by its position.
    Column(usize),
    /// The same value in every row: one row, and a repetition of the largest length needed so far.
    Constant(Column, Column),
    /// Whether the value of a step is in a list of constants.
    Listed(usize, List),
    /// An operation on earlier steps.
    Call(Operation, Vec<usize>),
}

impl StepKind {
    fn arguments(&self) -> &[usize] {
        match self {
            Self::Column(_) | Self::Constant(..) => &[],
            Self::Listed(value, _) => std::slice::from_ref(value),
            Self::Call(_, arguments) => arguments,
        }
    }
}

impl Evaluator {
    /// Prepares these nodes of the program, each of which becomes one column.
    #[must_use]
    pub fn new(program: &Program, roots: &[Id]) -> Self {
        let constants = constants(program, &program.reached(roots));
        let constant = |id: Id| constants.get(id.position()).and_then(Option::as_ref);
        let list = |operation: &Operation, arguments: &[Id]| match (operation, arguments) {
            (Operation::In, [value, list @ ..]) if list.len() > SHORT_LIST => {
                let list = list.iter().map(|id| constant(*id)).collect::<Option<Vec<&Column>>>()?;
                Some((*value, List::new(program.kind(*value), &list)?))
            }
            _ => None,
        };
        // Steps needed for the results, after constants are evaluated.
        let mut needed = vec![false; constants.len()];
        let need = |needed: &mut Vec<bool>, id: Id| {
            if let Some(needed) = needed.get_mut(id.position()) {
                *needed = true;
            }
        };
        roots.iter().for_each(|root| need(&mut needed, *root));
        for (id, node) in program.ids().rev() {
            if needed.get(id.position()) != Some(&true) || constant(id).is_some() {
                continue;
            }
            if let Node::Call(operation, arguments) = node {
                match list(operation, arguments) {
                    Some((value, _)) => need(&mut needed, value),
                    None => arguments.iter().for_each(|argument| need(&mut needed, *argument)),
                }
            }
        }
        let mut steps: Vec<Step> = Vec::new();
        // The step of each node that has one.
        let mut places = vec![usize::MAX; needed.len()];
        for (id, node) in program.ids() {
            if needed.get(id.position()) != Some(&true) {
                continue;
            }
            let kind = program.kind(id);
            let place = |id: &Id| places.get(id.position()).copied().unwrap_or(usize::MAX);
            let what = match (constant(id), node) {
                (Some(once), _) => StepKind::Constant(once.clone(), once.slice(0, 0)),
                (None, Node::Column(position)) => StepKind::Column(usize::try_from(*position).unwrap_or(usize::MAX)),
                (None, Node::Constant(..)) => StepKind::Constant(Column::nulls(kind, 1), Column::nulls(kind, 0)),
                (None, Node::Call(operation, arguments)) => match list(operation, arguments) {
                    Some((value, list)) => StepKind::Listed(place(&value), list),
                    None => StepKind::Call(operation.clone(), arguments.iter().map(place).collect()),
                },
            };
            if let Some(place) = places.get_mut(id.position()) {
                *place = steps.len();
            }
            steps.push(Step { kind, what, done: Vec::new() });
        }
        let place = |id: &Id| places.get(id.position()).copied().unwrap_or(usize::MAX);
        let roots = roots.iter().map(|root| (program.kind(*root), place(root))).collect();
        let mut evaluator = Self { steps, roots };
        evaluator.find_last_uses();
        evaluator
    }

    fn find_last_uses(&mut self) {
        let mut needed = vec![false; self.steps.len()];
        for (_, root) in &self.roots {
            if let Some(needed) = needed.get_mut(*root) {
                *needed = true;
            }
        }
        for step in self.steps.iter_mut().rev() {
            for argument in step.what.arguments() {
                if let Some(needed) = needed.get_mut(*argument)
                    && !*needed
                {
                    *needed = true;
                    step.done.push(*argument);
                }
            }
        }
    }

    /// The columns of the nodes, in their order, for `rows` rows. `inputs` are the program's columns by position; a
    /// column that is missing, or has another type or length, is NULL in every row.
    pub fn evaluate(&mut self, rows: usize, inputs: &[Option<Column>]) -> Vec<Column> {
        let most = MOST_VALUES.checked_div(self.steps.len()).unwrap_or(MOST_VALUES).max(1);
        if rows <= most {
            return self.evaluate_block(rows, inputs);
        }
        // The length is checked for all rows: the length of a block could match by chance.
        let inputs: Vec<Option<Column>> =
            inputs.iter().map(|input| input.clone().filter(|column| column.len() == rows)).collect();
        let mut parts: Vec<Vec<Column>> = vec![Vec::new(); self.roots.len()];
        for from in (0..rows).step_by(most) {
            let count = most.min(rows.saturating_sub(from));
            let cut = |input: &Option<Column>| input.as_ref().map(|column| column.slice(from, count));
            let block = self.evaluate_block(count, &inputs.iter().map(cut).collect::<Vec<_>>());
            for (parts, part) in parts.iter_mut().zip(block) {
                parts.push(part);
            }
        }
        self.roots.iter().zip(&parts).map(|((kind, _), parts)| Column::concat(*kind, parts)).collect()
    }

    fn evaluate_block(&mut self, rows: usize, inputs: &[Option<Column>]) -> Vec<Column> {
        let mut values: Vec<Option<Column>> = Vec::with_capacity(self.steps.len());
        for step in &mut self.steps {
            let kind = step.kind;
            let value_of = |place: &usize| values.get(*place).and_then(Option::as_ref);
            let value = match &mut step.what {
                StepKind::Column(position) => inputs.get(*position).cloned().flatten(),
                StepKind::Constant(once, made) => {
                    if made.len() < rows {
                        *made = once.repeated(rows);
                    }
                    Some(made.slice(0, rows))
                }
                StepKind::Listed(value, list) => value_of(value).map(|value| Column::Boolean(list.holds(value))),
                StepKind::Call(operation, arguments) => {
                    let arguments = arguments.iter().map(value_of).collect::<Option<Vec<&Column>>>();
                    arguments.map(|arguments| compute(operation, kind, &arguments, rows))
                }
            };
            let value = value.filter(|column| column.kind() == kind && column.len() == rows);
            values.push(Some(value.unwrap_or_else(|| Column::nulls(kind, rows))));
            for place in &step.done {
                if let Some(value) = values.get_mut(*place) {
                    *value = None;
                }
            }
        }
        let result = |(kind, place): &(Type, usize)| {
            values.get(*place).cloned().flatten().unwrap_or_else(|| Column::nulls(*kind, rows))
        };
        self.roots.iter().map(result).collect()
    }
}

/// The value of each node without columns, as one row: evaluation by rows gives the same value for every row.
fn constants(program: &Program, reached: &[bool]) -> Vec<Option<Column>> {
    let mut found: Vec<Option<Column>> = Vec::with_capacity(reached.len());
    for ((id, node), reached) in program.ids().zip(reached) {
        let kind = program.kind(id);
        found.push(match node {
            Node::Constant(_, value) if *reached => Some(Column::repeat(kind, value.as_ref(), 1)),
            Node::Call(operation, arguments) if *reached => {
                let arguments = arguments.iter().map(|id| found.get(id.position()).and_then(Option::as_ref));
                let arguments = arguments.collect::<Option<Vec<&Column>>>();
                arguments.map(|arguments| compute(operation, kind, &arguments, 1))
            }
            _ => None,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Comparison;
    use crate::program::InputColumn;
    use crate::value::Value;

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
        // A column that is missing, or has another type or length, is NULL.
        for inputs in [vec![], vec![None, None], vec![Some(booleans(&[None; 2])), Some(integers(&[Some(1)]))]] {
            let found = evaluator.evaluate(2, &inputs);
            assert!(found[1].same_as(&integers(&[None, None])) && found[0].same_as(&booleans(&[None, None])));
            assert!(found[2].same_as(&integers(&[Some(7), Some(7)])));
        }
        assert!(evaluator.evaluate(0, &[]).iter().all(Column::is_empty));
    }
}
