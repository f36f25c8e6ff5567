//! Expressions as a list of unique nodes, arguments first.
//!
//! An expression that occurs twice in SQL is one node and computed once, so that a query of a few lines never becomes a
//! computation of billions of steps: names of expressions (CTEs, subqueries) are positions in this list. No traversal
//! of a program recurses.

use crate::operation::Operation;
use crate::value::{Type, Value};
use std::collections::{BTreeSet, HashMap};

/// Most nodes of a program.
pub const MOST_NODES: usize = 4_000;
/// Most arguments of one operation.
pub const MOST_ARGUMENTS: usize = 1_000;

/// The position of a node in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u32);

impl Id {
    /// The position in the list of nodes.
    #[must_use]
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// A column of a table that rows may be read from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InputColumn {
    /// The table's name.
    pub table: String,
    /// The column's name.
    pub name: String,
    /// The type of its values.
    pub kind: Type,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// The value of an input column, by its position.
    Column(u32),
    /// The same value in every row; `None` is NULL.
    Constant(Type, Option<Value>),
    /// An operation on earlier nodes.
    Call(Operation, Vec<Id>),
}

/// Expressions over the columns of some tables.
#[derive(Debug, Clone, Default)]
pub struct Program {
    columns: Vec<InputColumn>,
    nodes: Vec<Node>,
    types: Vec<Type>,
    known: HashMap<Node, Id>,
}

/// An invalid expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramError {
    /// The operation does not accept arguments of these types.
    Types(Operation, Vec<Type>),
    /// An argument or column does not exist.
    Unknown,
    /// The program would have too many nodes or arguments.
    TooLarge,
}

impl std::fmt::Display for ProgramError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Types(operation, types) => {
                let types: Vec<&str> = types.iter().map(|kind| kind.name()).collect();
                write!(f, "{} does not take {}", operation.name(), types.join(", "))
            }
            Self::Unknown => f.write_str("an argument that is not there"),
            Self::TooLarge => write!(f, "more than {MOST_NODES} steps, or {MOST_ARGUMENTS} arguments of one"),
        }
    }
}

impl std::error::Error for ProgramError {}

impl Program {
    /// An empty program over these columns.
    #[must_use]
    pub fn new(columns: Vec<InputColumn>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The columns that may be read.
    #[must_use]
    pub fn columns(&self) -> &[InputColumn] {
        &self.columns
    }

    /// All nodes, arguments first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The value of the column of this table, name and type, which is added if it is new.
    ///
    /// # Errors
    /// When the program is full.
    pub fn input(&mut self, column: InputColumn) -> Result<Id, ProgramError> {
        let known = self.columns.iter().position(|other| *other == column);
        let position = known.unwrap_or(self.columns.len());
        if known.is_none() {
            if self.columns.len() >= MOST_NODES {
                return Err(ProgramError::TooLarge);
            }
            self.columns.push(column);
        }
        self.column(position)
    }

    /// The value of a column, by its position.
    ///
    /// # Errors
    /// When there is no such column, or the program is full.
    pub fn column(&mut self, position: usize) -> Result<Id, ProgramError> {
        let kind = self.columns.get(position).ok_or(ProgramError::Unknown)?.kind;
        let position = u32::try_from(position).map_err(|_| ProgramError::TooLarge)?;
        self.intern(Node::Column(position), kind)
    }

    /// A constant that is not NULL.
    ///
    /// # Errors
    /// When it is a text that is too long, or the program is full.
    pub fn constant(&mut self, value: Value) -> Result<Id, ProgramError> {
        if matches!(&value, Value::Text(text) if text.len() > crate::LONGEST_TEXT) {
            return Err(ProgramError::TooLarge);
        }
        let kind = value.kind();
        self.intern(Node::Constant(kind, Some(value)), kind)
    }

    /// NULL of a type.
    ///
    /// # Errors
    /// When the program is full.
    pub fn null(&mut self, kind: Type) -> Result<Id, ProgramError> {
        self.intern(Node::Constant(kind, None), kind)
    }

    /// Applies an operation to existing nodes.
    ///
    /// # Errors
    /// When the operation does not accept their types, a node does not exist, a text is too long, or the program is
    /// full.
    pub fn call(&mut self, operation: Operation, arguments: &[Id]) -> Result<Id, ProgramError> {
        let long = matches!(&operation, Operation::Trim(characters) if characters.len() > crate::LONGEST_TEXT);
        if long || arguments.len() > MOST_ARGUMENTS {
            return Err(ProgramError::TooLarge);
        }
        let types = arguments.iter().map(|id| self.types.get(id.position()).copied());
        let types = types.collect::<Option<Vec<Type>>>().ok_or(ProgramError::Unknown)?;
        match operation.result(&types) {
            Some(kind) => self.intern(Node::Call(operation, arguments.to_vec()), kind),
            None => Err(ProgramError::Types(operation, types)),
        }
    }

    fn intern(&mut self, node: Node, kind: Type) -> Result<Id, ProgramError> {
        if let Some(id) = self.known.get(&node) {
            return Ok(*id);
        }
        if self.nodes.len() >= MOST_NODES {
            return Err(ProgramError::TooLarge);
        }
        let id = Id(u32::try_from(self.nodes.len()).map_err(|_| ProgramError::TooLarge)?);
        self.known.insert(node.clone(), id);
        self.nodes.push(node);
        self.types.push(kind);
        Ok(id)
    }

    /// A node of this program; for the ID of another program any node.
    #[must_use]
    pub fn node(&self, id: Id) -> &Node {
        const NOWHERE: &Node = &Node::Constant(Type::Boolean, None);
        self.nodes.get(id.position()).unwrap_or(NOWHERE)
    }

    /// The type of a node.
    #[must_use]
    pub fn kind(&self, id: Id) -> Type {
        self.types.get(id.position()).copied().unwrap_or(Type::Boolean)
    }

    /// All nodes with their positions, arguments first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = (Id, &Node)> {
        (0_u32..).map(Id).zip(&self.nodes).collect::<Vec<_>>().into_iter()
    }

    /// The input column of a node, if it is one.
    #[must_use]
    pub fn column_of(&self, id: Id) -> Option<&InputColumn> {
        match self.node(id) {
            Node::Column(position) => self.columns.get(*position as usize),
            Node::Constant(..) | Node::Call(..) => None,
        }
    }

    /// The constant of a node, if it is one; NULL is `Some(None)`.
    #[must_use]
    pub fn constant_of(&self, id: Id) -> Option<Option<&Value>> {
        match self.node(id) {
            Node::Constant(_, value) => Some(value.as_ref()),
            Node::Column(_) | Node::Call(..) => None,
        }
    }

    /// For every node whether any of `roots` depends on it, the roots included.
    #[must_use]
    pub fn reached(&self, roots: &[Id]) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        for root in roots {
            if let Some(reached) = reached.get_mut(root.position()) {
                *reached = true;
            }
        }
        // Arguments come before the nodes that use them.
        for (position, node) in self.nodes.iter().enumerate().rev() {
            if reached.get(position) != Some(&true) {
                continue;
            }
            if let Node::Call(_, arguments) = node {
                for argument in arguments {
                    if let Some(reached) = reached.get_mut(argument.position()) {
                        *reached = true;
                    }
                }
            }
        }
        reached
    }

    /// The positions of the input columns on which `roots` depend.
    #[must_use]
    pub fn inputs(&self, roots: &[Id]) -> BTreeSet<usize> {
        let reached = self.reached(roots);
        let columns = self.nodes.iter().zip(reached).filter_map(|(node, reached)| match node {
            Node::Column(position) if reached => Some(*position as usize),
            Node::Column(_) | Node::Constant(..) | Node::Call(..) => None,
        });
        columns.collect()
    }
}
