//! Lowers DataFusion's analysed expressions to our own language, or rejects them.
//!
//! This is the second gate for expressions, as `plan` is for plan nodes. Every accepted expression is a typed, total
//! node of a [`Program`], and DataFusion's expressions do not leave this module. Names that refer to expressions are
//! nodes already, so an expression is never duplicated, however often a query uses it.

mod constant;
mod function;

pub(crate) use constant::{constant_decimal, constant_integer, constant_period, text_of};

use crate::plan::membership::{Memberships, membership};
use crate::plan::place::place_of;
use constant::{literal, read_constant};
use datafusion_common::DFSchema;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_expr::expr::{AggregateFunction, Exists, InList, InSubquery, Like, ScalarFunction};
use datafusion_expr::{Between, BinaryExpr, Case, Cast, Expr, Operator, TryCast};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, Key, Parents};
use deniable_expression::{
    Comparison, Entries, Id, InputColumn, Lookup, Operation, Pattern, Program, ProgramError, Type, Value,
};
use deniable_query::QueryError;
use deniable_query::facts::labels::meant;

/// What to write in place of other arithmetic on dates.
pub(crate) const DATE_ARITHMETIC: &str =
    "write DATE_DIFF('day', a, b) for the days between two dates, and day + INTERVAL '30 days' for a later date";

/// A growing program over the declared columns of all tables, in their order.
pub(crate) struct Lowering<'a> {
    pub(crate) program: Program,
    pub(crate) tables: &'a [TableSchema],
    /// Whether the rows of the first table are computed from each entity's rows by an inner query.
    pub(crate) computed: Option<&'a ComputedColumns>,
    /// Lookups in public tables, while the conditions of WHERE are lowered.
    pub(crate) memberships: Option<Memberships>,
}

/// The columns of the plan nodes that an inner query computes, as columns of the first table.
#[derive(Debug, Clone)]
pub(crate) struct ComputedColumns {
    /// Those of the node whose rows stay.
    pub(crate) rows: Vec<ComputedColumn>,
    /// Those of an aggregate by the entity key that is joined to these rows.
    pub(crate) joined: Vec<ComputedColumn>,
    /// The column of the number of rows that the joined aggregate covers; entities without any have no row in it.
    pub(crate) presence: Option<ComputedColumn>,
}

impl ComputedColumns {
    /// All columns of an aggregate by the entity key.
    pub(crate) fn of_one_row(columns: usize) -> Self {
        Self { rows: (0..columns).map(ComputedColumn::At).collect(), joined: Vec::new(), presence: None }
    }
}

/// A column of a plan node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ComputedColumn {
    /// The column at this position of the first table.
    At(usize),
    /// The entity key of the joined aggregate.
    JoinedKey,
    /// A column of this type that the query does not use.
    Unused(Type),
}

/// The names that an expression may use: the columns of a plan node, and the nodes that they refer to.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) schema: &'a DFSchema,
    pub(crate) columns: &'a [Id],
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(tables: &'a [TableSchema]) -> Self {
        let input = |table: &TableSchema, column: &Column| InputColumn {
            table: table.name.clone(),
            name: column.name.clone(),
            kind: Type::from(column.kind),
        };
        let columns = tables.iter().flat_map(|table| table.columns.iter().map(move |column| input(table, column)));
        Self { program: Program::new(columns.collect()), tables, computed: None, memberships: None }
    }

    /// A declared column of a table, or a coarser column that follows from it, by its name.
    pub(crate) fn column(&mut self, table: usize, name: &str) -> Result<Id, QueryError> {
        let before: usize = self.tables[..table].iter().map(|table| table.columns.len()).sum();
        let columns = &self.tables[table].columns;
        for (place, column) in columns.iter().enumerate() {
            if let Some(parents) = column.parents.iter().find(|parents| parents.name == name) {
                let entries = entries(column.kind, parents).ok_or_else(|| not_read(&column.name, name))?;
                let own = self.program.column(before + place).map_err(not_built)?;
                return self.call(Operation::Lookup(Box::new(Lookup { name: name.into(), entries })), &[own]);
            }
        }
        let place = columns.iter().position(|column| column.name == name);
        let place = place.ok_or_else(|| QueryError::meaning(format!("there is no column `{name}`")))?;
        self.program.column(before + place).map_err(not_built)
    }

    pub(crate) fn constant(&mut self, value: Value) -> Result<Id, QueryError> {
        self.program.constant(value).map_err(not_built)
    }

    pub(crate) fn null(&mut self, kind: Type) -> Result<Id, QueryError> {
        self.program.null(kind).map_err(not_built)
    }

    /// Applies an operation to nodes whose types the analysis has unified. The remaining conversions happen here: NULL
    /// takes the type of the other operand, an integer beside a decimal becomes a decimal, a date beside a timestamp
    /// its midnight.
    pub(crate) fn call(&mut self, operation: Operation, arguments: &[Id]) -> Result<Id, QueryError> {
        let arguments = match &operation {
            Operation::Compare(_)
            | Operation::In
            | Operation::Coalesce
            | Operation::NullIf
            | Operation::Greatest
            | Operation::Least
            | Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::Divide
            | Operation::Remainder => self.alike(arguments)?,
            Operation::Case => {
                // Conditions are at even positions, except the last argument, which is a value.
                let is_value = |at: usize| at % 2 == 1 || at + 1 == arguments.len();
                let values: Vec<Id> = (0..arguments.len()).filter(|at| is_value(*at)).map(|at| arguments[at]).collect();
                let mut values = self.alike(&values)?.into_iter();
                let mut all = Vec::with_capacity(arguments.len());
                for (at, argument) in arguments.iter().enumerate() {
                    let value = if is_value(at) { values.next() } else { None };
                    all.push(match value {
                        Some(value) => value,
                        None => self.typed(*argument, Type::Boolean)?,
                    });
                }
                all
            }
            Operation::And | Operation::Or | Operation::Not | Operation::IsTrue => {
                self.all(arguments, Type::Boolean)?
            }
            Operation::Lower
            | Operation::Upper
            | Operation::Trim(_)
            | Operation::Substring { .. }
            | Operation::Like(_) => self.all(arguments, Type::Text)?,
            Operation::Truncate(_)
            | Operation::Part(_)
            | Operation::DayName
            | Operation::MonthName
            | Operation::Format(_) => self.all(arguments, Type::Timestamp)?,
            Operation::DaysBetween => self.all(arguments, Type::Date)?,
            Operation::Negate | Operation::Absolute | Operation::Round(_) | Operation::Floor | Operation::Ceil => {
                let mut numbers = Vec::new();
                for argument in arguments {
                    let kind = self.program.kind(*argument);
                    let is_number = matches!(kind, Type::Integer | Type::Decimal);
                    numbers.push(if is_number { *argument } else { self.typed(*argument, Type::Integer)? });
                }
                numbers
            }
            Operation::Ln | Operation::Exp | Operation::Sqrt | Operation::Power => {
                self.all(arguments, Type::Decimal)?
            }
            Operation::Cast(_) | Operation::IsNull | Operation::Lookup(_) | Operation::Shift(_) => arguments.to_vec(),
        };
        self.program.call(operation, &arguments).map_err(not_built)
    }

    fn all(&mut self, arguments: &[Id], kind: Type) -> Result<Vec<Id>, QueryError> {
        arguments.iter().map(|argument| self.typed(*argument, kind)).collect()
    }

    /// Converts a value to this type if that is lossless; otherwise returns it unchanged, and the operation checks it.
    fn typed(&mut self, id: Id, kind: Type) -> Result<Id, QueryError> {
        match (self.program.kind(id), kind) {
            (from, to) if from == to => Ok(id),
            (_, to) if self.program.constant_of(id) == Some(None) => self.null(to),
            (Type::Integer, Type::Decimal) | (Type::Date, Type::Timestamp) => self.cast(id, kind),
            _ => Ok(id),
        }
    }

    fn alike(&mut self, arguments: &[Id]) -> Result<Vec<Id>, QueryError> {
        let known = |id: &&Id| self.program.constant_of(**id) != Some(None);
        let kinds: Vec<Type> = arguments.iter().filter(known).map(|id| self.program.kind(*id)).collect();
        let widest = |from: Type, to: Type| match (from, to) {
            (Type::Integer, Type::Decimal) | (Type::Date, Type::Timestamp) => to,
            _ => from,
        };
        match kinds.into_iter().reduce(widest) {
            Some(kind) => self.all(arguments, kind),
            None => Ok(arguments.to_vec()),
        }
    }

    /// Casts a value to another type. Constants are converted here, once, and must be valid.
    pub(crate) fn cast(&mut self, id: Id, kind: Type) -> Result<Id, QueryError> {
        if self.program.kind(id) == kind {
            return Ok(id);
        }
        match self.program.constant_of(id) {
            Some(None) => self.null(kind),
            Some(Some(value)) => {
                let value = value.clone();
                match read_constant(&value, kind).map_err(|error| self.about_label(error, &value, kind))? {
                    Some(read) => self.constant(read),
                    None => self.call(Operation::Cast(kind), &[id]),
                }
            }
            None => self.call(Operation::Cast(kind), &[id]),
        }
    }

    /// Adds a hint to an error about a text that is not a value of this type, if the text is the label of a value.
    fn about_label(&self, error: QueryError, value: &Value, kind: Type) -> QueryError {
        let Value::Text(text) = value else { return error };
        let mut columns = self.tables.iter().flat_map(|table| &table.columns);
        let meant = columns.find_map(|column| (Type::from(column.kind) == kind).then(|| meant(column, text))?);
        match meant {
            Some(meant) => error.with_help(meant),
            None => error,
        }
    }

    /// Lowers an analysed expression.
    pub(crate) fn expr(&mut self, expr: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        self.unplaced(expr, scope).map_err(|error| error.at(place_of([expr])))
    }

    fn exprs<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Expr>,
        scope: Scope<'_>,
    ) -> Result<Vec<Id>, QueryError> {
        exprs.into_iter().map(|expr| self.expr(expr, scope)).collect()
    }

    fn unplaced(&mut self, expr: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        match expr {
            Expr::Alias(alias) => self.expr(&alias.expr, scope),
            Expr::Column(column) => {
                let position = scope.schema.index_of_column(column).ok();
                let found = position.and_then(|position| scope.columns.get(position)).copied();
                found.ok_or_else(|| QueryError::meaning(format!("there is no column `{}`", column.name)))
            }
            Expr::Literal(value, _) => match literal(value)? {
                Some(value) => self.constant(value),
                None => self.null(constant::null_type(value)),
            },
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => self.binary(left, *op, right, scope),
            Expr::Like(Like { negated, expr: inner, pattern, escape_char, case_insensitive }) => {
                let Some(pattern) = text_of(pattern) else {
                    return Err(QueryError::refused("LIKE with a computed pattern", "write the pattern as 'text'"));
                };
                let like = Pattern::new(&pattern, *escape_char, *case_insensitive).map_err(|error| {
                    QueryError::refused("this pattern of LIKE", error.to_string()).about_text(&pattern)
                })?;
                let inner = self.expr(inner, scope)?;
                let inner = self.cast(inner, Type::Text)?;
                let matches = self.call(Operation::Like(Box::new(like)), &[inner])?;
                self.negated(*negated, matches)
            }
            Expr::Not(inner) => self.unary(Operation::Not, inner, scope),
            Expr::IsNull(inner) => self.unary(Operation::IsNull, inner, scope),
            Expr::IsTrue(inner) => self.unary(Operation::IsTrue, inner, scope),
            Expr::Negative(inner) => self.number(Operation::Negate, inner, scope),
            Expr::IsNotNull(inner) | Expr::IsNotUnknown(inner) => {
                let is_null = self.unary(Operation::IsNull, inner, scope)?;
                self.negated(true, is_null)
            }
            Expr::IsUnknown(inner) => self.unary(Operation::IsNull, inner, scope),
            Expr::IsNotTrue(inner) => {
                let is_true = self.unary(Operation::IsTrue, inner, scope)?;
                self.negated(true, is_true)
            }
            Expr::IsFalse(inner) => self.is_false(inner, scope),
            Expr::IsNotFalse(inner) => {
                let is_false = self.is_false(inner, scope)?;
                self.negated(true, is_false)
            }
            Expr::Between(Between { expr: inner, negated, low, high }) => {
                let inner = self.expr(inner, scope)?;
                let (low, high) = (self.expr(low, scope)?, self.expr(high, scope)?);
                let above = self.compare(Comparison::GreaterOrEqual, inner, low)?;
                let below = self.compare(Comparison::LessOrEqual, inner, high)?;
                let both = self.call(Operation::And, &[above, below])?;
                self.negated(*negated, both)
            }
            Expr::Case(case) => self.case(case, scope),
            // Every cast becomes one that gives NULL if it cannot succeed.
            Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field }) => {
                let kind = row_type(field.data_type()).ok_or_else(|| wrong_type(field.data_type()))?;
                let inner = self.expr(inner, scope)?;
                self.cast(inner, kind)
            }
            Expr::ScalarFunction(ScalarFunction { func, args }) => self.function(func.name(), args, scope),
            Expr::InList(InList { expr: inner, list, negated }) => {
                let all = self.exprs(std::iter::once(&**inner).chain(list), scope)?;
                if all.len() < 2 {
                    return Err(unlisted("IN ()"));
                }
                let found = self.call(Operation::In, &all)?;
                self.negated(*negated, found)
            }
            Expr::AggregateFunction(AggregateFunction { func, .. }) => {
                let help = "aggregate once, over what each row contributes";
                Err(QueryError::refused(format!("{} inside a row's expression", func.name().to_uppercase()), help))
            }
            Expr::WindowFunction(_) => {
                let help = "a person's value may not depend on other rows; aggregate instead";
                Err(QueryError::refused("a window function", help))
            }
            Expr::InSubquery(InSubquery { expr: inner, subquery, negated }) => {
                let inner = self.expr(inner, scope)?;
                let found = membership(subquery, Some(inner), scope, self)?;
                self.negated(*negated, found)
            }
            Expr::Exists(Exists { subquery, negated }) => {
                let found = membership(subquery, None, scope, self)?;
                self.negated(*negated, found)
            }
            Expr::OuterReferenceColumn(_, column)
                if let Some(id) = self.memberships.as_ref().and_then(|memberships| memberships.outer(column)) =>
            {
                Ok(id)
            }
            Expr::SetComparison(_) | Expr::ScalarSubquery(_) => {
                let help =
                    "a person's value may not depend on other rows; query the number first, and write it as a constant";
                Err(QueryError::refused("a subquery inside a row's expression", help).about("SELECT"))
            }
            #[expect(deprecated, reason = "named so that the match stays exhaustive")]
            Expr::Wildcard { .. } => Err(unlisted("*")),
            Expr::SimilarTo(_) => Err(unlisted("SIMILAR TO")),
            Expr::ScalarVariable(..) => Err(unlisted("a variable")),
            Expr::GroupingSet(_) => Err(unlisted("a grouping set")),
            Expr::Placeholder(_) => Err(unlisted("a placeholder")),
            Expr::OuterReferenceColumn(..) => Err(unlisted("a reference to an outer query")),
            Expr::Unnest(_) => Err(unlisted("UNNEST")),
            Expr::HigherOrderFunction(_) | Expr::Lambda(_) | Expr::LambdaVariable(_) => Err(unlisted("a lambda")),
        }
    }

    fn unary(&mut self, operation: Operation, inner: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let inner = self.expr(inner, scope)?;
        self.call(operation, &[inner])
    }

    fn is_false(&mut self, inner: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let not = self.unary(Operation::Not, inner, scope)?;
        self.call(Operation::IsTrue, &[not])
    }

    pub(crate) fn negated(&mut self, negated: bool, id: Id) -> Result<Id, QueryError> {
        if negated { self.call(Operation::Not, &[id]) } else { Ok(id) }
    }

    fn compare(&mut self, comparison: Comparison, left: Id, right: Id) -> Result<Id, QueryError> {
        self.call(Operation::Compare(comparison), &[left, right])
    }

    /// An operation on a number.
    fn number(&mut self, operation: Operation, inner: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let inner = self.expr(inner, scope)?;
        self.require_number(inner)?;
        // A negated constant is a negative constant.
        if let (Operation::Negate, Some(Some(Value::Integer(number)))) = (&operation, self.program.constant_of(inner))
            && let Some(negated) = number.checked_neg()
        {
            return self.constant(Value::Integer(negated));
        }
        self.call(operation, &[inner])
    }

    fn require_number(&self, id: Id) -> Result<(), QueryError> {
        let kind = self.program.kind(id);
        if matches!(kind, Type::Integer | Type::Decimal) || self.program.constant_of(id) == Some(None) {
            return Ok(());
        }
        if matches!(kind, Type::Date | Type::Timestamp) {
            return Err(QueryError::refused("arithmetic on a date", DATE_ARITHMETIC));
        }
        let help = "arithmetic takes numbers; cast with CAST(x AS DOUBLE)";
        Err(QueryError::refused(format!("arithmetic on a value of type {kind}"), help))
    }

    fn binary(&mut self, left: &Expr, op: Operator, right: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        match (op, constant_period(left), constant_period(right)) {
            (Operator::Plus, None, Some(period)) => return self.shifted(left, period, scope),
            (Operator::Plus, Some(period), None) => return self.shifted(right, period, scope),
            (Operator::Minus, None, Some(period)) => return self.shifted(left, period.negated(), scope),
            _ => {}
        }
        let operation = match op {
            Operator::Eq => Operation::Compare(Comparison::Equal),
            Operator::NotEq => Operation::Compare(Comparison::NotEqual),
            Operator::Lt => Operation::Compare(Comparison::Less),
            Operator::LtEq => Operation::Compare(Comparison::LessOrEqual),
            Operator::Gt => Operation::Compare(Comparison::Greater),
            Operator::GtEq => Operation::Compare(Comparison::GreaterOrEqual),
            Operator::IsDistinctFrom => Operation::Compare(Comparison::Distinct),
            Operator::IsNotDistinctFrom => Operation::Compare(Comparison::NotDistinct),
            Operator::And => Operation::And,
            Operator::Or => Operation::Or,
            Operator::Plus => Operation::Add,
            Operator::Minus => Operation::Subtract,
            Operator::Multiply => Operation::Multiply,
            Operator::Divide => Operation::Divide,
            Operator::Modulo => Operation::Remainder,
            Operator::RegexMatch
            | Operator::RegexIMatch
            | Operator::RegexNotMatch
            | Operator::RegexNotIMatch
            | Operator::LikeMatch
            | Operator::ILikeMatch
            | Operator::NotLikeMatch
            | Operator::NotILikeMatch
            | Operator::BitwiseAnd
            | Operator::BitwiseOr
            | Operator::BitwiseXor
            | Operator::BitwiseShiftRight
            | Operator::BitwiseShiftLeft
            | Operator::StringConcat
            | Operator::AtArrow
            | Operator::ArrowAt
            | Operator::Arrow
            | Operator::LongArrow
            | Operator::HashArrow
            | Operator::HashLongArrow
            | Operator::AtAt
            | Operator::IntegerDivide
            | Operator::HashMinus
            | Operator::AtQuestion
            | Operator::Question
            | Operator::QuestionAnd
            | Operator::QuestionPipe
            | Operator::Colon => return Err(unlisted(&format!("the operator {op}"))),
        };
        let (left, right) = (self.expr(left, scope)?, self.expr(right, scope)?);
        if matches!(
            operation,
            Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide | Operation::Remainder
        ) {
            self.require_number(left)?;
            self.require_number(right)?;
        }
        self.call(operation, &[left, right])
    }

    fn case(&mut self, case: &Case, scope: Scope<'_>) -> Result<Id, QueryError> {
        let Case { expr: operand, when_then_expr, else_expr } = case;
        let operand = operand.as_deref().map(|operand| self.expr(operand, scope)).transpose()?;
        let mut arguments = Vec::with_capacity(when_then_expr.len() * 2 + 1);
        for (when, then) in when_then_expr {
            let when = self.expr(when, scope)?;
            arguments.push(match operand {
                Some(operand) => self.compare(Comparison::Equal, operand, when)?,
                None => when,
            });
            arguments.push(self.expr(then, scope)?);
        }
        arguments.push(match else_expr.as_deref() {
            Some(otherwise) => self.expr(otherwise, scope)?,
            None => self.null(Type::Boolean)?,
        });
        self.call(Operation::Case, &arguments)
    }

    /// `CASE WHEN condition THEN value END`: a value with FILTER.
    pub(crate) fn only_where(&mut self, value: Id, condition: Option<Id>) -> Result<Id, QueryError> {
        let Some(condition) = condition else { return Ok(value) };
        let otherwise = self.null(self.program.kind(value))?;
        self.call(Operation::Case, &[condition, value, otherwise])
    }

    /// The operands of nested ANDs.
    pub(crate) fn conjuncts(&self, id: Id) -> Vec<Id> {
        let (mut waiting, mut found) = (vec![id], Vec::new());
        while let Some(id) = waiting.pop() {
            match self.program.node(id) {
                deniable_expression::Node::Call(Operation::And, both) => waiting.extend(both.iter().rev()),
                _ if !found.contains(&id) => found.push(id),
                _ => {}
            }
        }
        found
    }
}

/// The list of a coarser column; `None` if it is in a public table that was not read.
fn entries(kind: ColumnType, parents: &Parents) -> Option<Entries> {
    let of = parents.of.iter().map(|(key, parent)| (key, parent.as_str().into()));
    let entries = match kind {
        ColumnType::Integer => Entries::Integers(
            of.filter_map(|(key, parent)| if let Key::Integer(number) = key { Some((*number, parent)) } else { None })
                .collect(),
        ),
        _ => Entries::Texts(
            of.filter_map(
                |(key, parent)| if let Key::Text(text) = key { Some((text.as_str().into(), parent)) } else { None },
            )
            .collect(),
        ),
    };
    Some(entries).filter(|_| !parents.of.is_empty())
}

fn not_read(column: &str, name: &str) -> QueryError {
    let help = format!("`within` of `{column}` refers to a public table, which must be read first");
    QueryError::refused(format!("`{name}`, whose values are not known yet,"), help).about(name)
}

fn unlisted(construct: &str) -> QueryError {
    QueryError::refused(construct, "use columns, constants, arithmetic, comparisons, CASE and the listed functions")
}

/// The error for a node that the program rejects, in terms of the types.
fn not_built(error: ProgramError) -> QueryError {
    match error {
        ProgramError::Types(Operation::Cast(to), from) => {
            let from = from.first().map_or("", |kind| kind.name());
            QueryError::refused(format!("a cast of {from} to {to}"), "cast in two steps, or prepare a column")
        }
        ProgramError::Types(..) => {
            QueryError::refused(error.to_string(), "convert both sides to one type, as in CAST(x AS DOUBLE)")
        }
        ProgramError::Unknown => QueryError::meaning("an expression refers to an unknown column"),
        ProgramError::TooLarge => {
            QueryError::refused("an expression of this size", "compute less at once, or prepare a column")
        }
    }
}

/// The type of rows for a type of SQL: INTEGER has 64 bits here, and REAL is a DOUBLE.
fn row_type(data_type: &DataType) -> Option<Type> {
    Some(match data_type {
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64 => Type::Integer,
        DataType::Float32 | DataType::Float64 => Type::Decimal,
        DataType::Date32 | DataType::Date64 => Type::Date,
        DataType::Timestamp(_, None) => Type::Timestamp,
        DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8 => Type::Text,
        DataType::Boolean => Type::Boolean,
        _ => return None,
    })
}

fn wrong_type(found: &DataType) -> QueryError {
    if matches!(found, DataType::Interval(_) | DataType::Duration(_)) {
        return QueryError::refused("arithmetic on a date", DATE_ARITHMETIC);
    }
    let help =
        "values are whole numbers, decimals, texts, true/false, dates and timestamps; convert the value with CAST";
    QueryError::refused(format!("a value of type {found}"), help)
}
