//! The statement that an engine runs: from its rows to exact totals.
//!
//! ```text
//! typed     the used columns as values of the declared types                       c0, c1, ...
//! valued    conditions, the combination of keys, the entity, each value             e, c, v0, v1, ...
//! gridded   values on their grids, as integers                                      u0, u1, ...
//! alike     groups of equal rows of one entity, and their number                    m
//! ranked    the rank of the cell in its entity, the rows before and in the cell     k, before, total
//! chosen    of the rows before, and of these too, how many evenly spaced ones are   low, r
//! counted   the number of rows that count under the caps                            n
//! totals    sums of integers in each cell, the largest ranks, and the number of cells
//! contents  besides, as a separate cell: the number of rows, and keyed sums over all of them (V-1)
//! ```

use super::contents;
use super::dialect::{Dialect, INTEGER, Spellings, around};
use super::expression::{Text, Writer, integer, typed, wide};
use super::grid::{ROOM, on_grid};
use super::keys::combination;
use super::refusal::{MATERIALISE, PULL, Refusal};
use super::{Statement, StorageType};
use deniable_execute::{TotalKind, Totals};
use deniable_expression::Type;
use deniable_query::declared;
use deniable_query::{CentredArgument, Query};
use std::collections::BTreeMap;

/// Most arguments: each has a bit of an integer that records whether it is present.
const MOST_ARGUMENTS: usize = 30;

/// Writes the statement for an engine, about a relation in the engine's notation. `stored` is the engine's type of each
/// column.
///
/// # Errors
/// When engines cannot compute the query.
pub fn statement(
    query: &Query,
    dialect: Dialect,
    relation: &str,
    stored: &BTreeMap<String, StorageType>,
) -> Result<Statement, Refusal> {
    let wanted = Totals::new(query).wanted();
    expect_plain(query)?;
    let spelt = dialect.spellings();
    let (columns, kept) = columns(query, dialect, stored)?;
    let mut writer = Writer::new(dialect, &query.rows().program, &kept);

    let mut conditions = Vec::new();
    let mut valued: Vec<String> = Vec::new();
    for filter in &query.rows().filters {
        conditions.push(writer.value(*filter)?);
    }
    if let Some(key) = query.entity() {
        valued.push(format!("{} AS e", entity(query, dialect, key)?));
        conditions.push(Text { sql: format!("c{} IS NOT NULL", entity_input(query, key)?), layer: 0 });
    }
    let combination = combination(query, dialect, &mut writer)?;
    let arguments = &query.rows().arguments;
    if arguments.len() > MOST_ARGUMENTS {
        return Err(Refusal::new(
            "a query of this many values",
            "at most 30 fit in a statement",
            "divide it into several queries",
        ));
    }
    let mut units = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        let value = writer.value(argument.value)?;
        let kind = query.rows().program.kind(argument.value);
        units.push(match &argument.grid {
            Some(grid) => on_grid(dialect, &mut writer, at, &value, kind, grid)?,
            // Only presence counts.
            None => {
                let sql = format!("CASE WHEN {} IS NOT NULL THEN {} END", value.sql, integer(0));
                Text { sql, ..value }
            }
        });
    }

    let mut from = format!("SELECT {} FROM {relation}", columns.join(", "));
    for (at, layer) in writer.layers.iter().enumerate() {
        let own: Vec<String> = layer.iter().map(|(name, sql)| format!("{sql} AS {name}")).collect();
        from = match own.as_slice() {
            [] => from,
            own => format!("SELECT *, {} FROM (\n{from}\n) layer{at}", own.join(", ")),
        };
    }
    valued.push(format!("{} AS c", combination.sql));
    valued.extend(units.iter().enumerate().map(|(at, text)| format!("{} AS u{at}", text.sql)));
    let conditions: Vec<&str> = conditions.iter().map(|condition| condition.sql.as_str()).collect();
    let filter = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    let rows = format!(
        "SELECT * FROM (\nSELECT {} FROM (\n{from}\n) typed{filter}\n) valued WHERE c IS NOT NULL",
        valued.join(", ")
    );
    let rows = match query.entity() {
        None => counted_singly(&rows, units.len()),
        Some(_) => counted(&rows, units.len(), query, spelt, &wanted),
    };
    let sums: Vec<String> = wanted
        .iter()
        .enumerate()
        .map(|(at, what)| Ok(format!("{} AS s{at}", sum(*what, query)?)))
        .collect::<Result<_, Refusal>>()?;
    let width = sums.len().max(contents::NUMBERS);
    let none = (sums.len()..width).map(|at| format!("{} AS s{at}", wide("0")));
    let sums: String = sums.iter().cloned().chain(none).map(|sum| format!(", {sum}")).collect();
    let totals = format!(
        "SELECT {} AS c{sums}, {} AS k, {} AS r, {} AS cells FROM (\n{rows}\n) counted GROUP BY c",
        wide("c"),
        wide("MAX(k)"),
        wide("MAX(r)"),
        wide("COUNT(*) OVER ()"),
    );
    let contents = contents::as_cell(dialect, relation, stored, width);
    Ok(Statement { sql: format!("{totals}\nUNION ALL\n{contents}"), sums: wanted.len() })
}

/// Rejects queries that need joins, several levels or rows of entities.
fn expect_plain(query: &Query) -> Result<(), Refusal> {
    if query.is_per_entity() || query.entity_rows().is_some() {
        return Err(Refusal::new("a query about each entity's own rows", "its rows are grouped a second time", PULL));
    }
    if !query.rows().joins.others.is_empty() {
        return Err(Refusal::new("a join", "tables may be read at different moments", PULL));
    }
    let is_nested = (0..query.groups().len()).any(|group| query.nesting().is_determined(group));
    if query.levels().len() != 1 || is_nested {
        return Err(Refusal::new(
            "a table of several levels",
            "each level is capped separately",
            "ask one query for each level",
        ));
    }
    Ok(())
}

/// The used columns, typed, and the engine's type of each by its position among the inputs.
fn columns(
    query: &Query,
    dialect: Dialect,
    stored: &BTreeMap<String, StorageType>,
) -> Result<(Vec<String>, BTreeMap<usize, StorageType>), Refusal> {
    let tables = &query.rows().tables;
    let mut inputs = query.rows().program.inputs(&query.roots());
    if let Some(key) = query.entity() {
        inputs.insert(entity_input(query, key)?);
    }
    let (mut columns, mut kept) = (Vec::new(), BTreeMap::new());
    for input in inputs {
        let unknown = || Refusal::new("a column", "it is not declared", PULL);
        let (_, column) = declared(tables, input).ok_or_else(unknown)?;
        let not_read = || Refusal::column(&column.name);
        let found = *stored.get(&column.name).ok_or_else(not_read)?;
        let kind = Type::from(column.kind);
        let sql = typed(dialect, kind, found, &column.name).ok_or_else(not_read)?;
        columns.push(format!("{sql} AS c{input}"));
        kept.insert(input, found);
    }
    if columns.is_empty() {
        columns.push(format!("{} AS c", integer(0)));
    }
    Ok((columns, kept))
}

fn entity_input(query: &Query, key: &str) -> Result<usize, Refusal> {
    let first = query.rows().joins.first;
    let before: usize = query.rows().tables[..first].iter().map(|table| table.columns.len()).sum();
    let found = query.rows().tables[first].position(key).map(|at| before + at);
    found.ok_or_else(|| Refusal::new("the entity key", "it is not declared", PULL))
}

/// The pseudonym of a row's entity: hexadecimal digits of 128 bits. Rows are grouped and ranked by it and never by the
/// stored column. Otherwise an engine could use the partitions of the stored table as groups, and an entity would be
/// capped once in each of them.
fn entity(query: &Query, dialect: Dialect, key: &str) -> Result<String, Refusal> {
    let spelt = dialect.spellings();
    let input = entity_input(query, key)?;
    let kind = declared(&query.rows().tables, input).map(|(_, column)| Type::from(column.kind));
    let key = match kind {
        Some(Type::Integer) => format!("'i' || CAST(c{input} AS {})", spelt.text),
        Some(Type::Text) => format!("'t' || {}", around(spelt.digits_of, &format!("c{input}"))),
        _ => return Err(Refusal::new("an entity key of this type", "keys are whole numbers or texts", MATERIALISE)),
    };
    Ok(format!("substr({}, 1, 32)", around(spelt.hash_digits, &format!("{} || 'e' || {key}", spelt.salt))))
}

/// Counts every row as a separate person.
fn counted_singly(rows: &str, values: usize) -> String {
    let one = integer(1);
    let units: String = (0..values).map(|at| format!(", u{at}")).collect();
    format!("SELECT c{units}, {one} AS n, {one} AS k, {one} AS r FROM (\n{rows}\n) alone")
}

/// Counts the rows of each group of equal rows that the caps keep.
fn counted(rows: &str, values: usize, query: &Query, spelt: &Spellings, wanted: &[TotalKind]) -> String {
    let (most_rows, most_cells) = (query.caps().rows_per_group, query.caps().groups);
    let units: String = (0..values).map(|at| format!(", u{at}")).collect();
    let alike = format!("SELECT e, c{units}, COUNT(*) AS m FROM (\n{rows}\n) gridded GROUP BY e, c{units}");
    // Rows are sorted by the combination and above it a bit for each argument that is present, then by values.
    let bits: String = (0..values)
        .map(|at| format!(" + CASE WHEN u{at} IS NOT NULL THEN {} ELSE 0 END", 1_u64 << (32 + at)))
        .collect();
    let with_grid = query.rows().arguments.iter().enumerate().filter(|(_, argument)| argument.grid.is_some());
    let words: String = with_grid.map(|(at, _)| format!(", COALESCE(u{at}, 0)")).collect();
    let text = spelt.text;
    let salted =
        |tag: &str, rest: &str| around(spelt.hash, &format!("{} || '{tag}' || e || ':' || {rest}", spelt.salt));
    let of_cell = salted("c", &format!("CAST(c AS {text})"));
    // 60 bits; the choice of rows starts at their remainder by the number of rows.
    let digits = around(spelt.hash_digits, &format!("{} || 'r' || e || ':' || CAST(c AS {text})", spelt.salt));
    let draw = around(spelt.large_number_of, &format!("substr({digits}, 1, 15)"));
    let any: String = wanted
        .iter()
        .filter_map(|what| match what {
            TotalKind::Entities { present: Some(at), .. } => Some(*at),
            _ => None,
        })
        .map(|at| format!(", MAX(CASE WHEN u{at} IS NOT NULL THEN 1 ELSE 0 END) OVER (PARTITION BY e, c) AS any{at}"))
        .collect();
    let ranks = format!("SELECT *, {of_cell} AS rank_c, {draw} AS draw FROM (\n{alike}\n) alike");
    let number = |sum: &str| format!("CAST({sum} AS {INTEGER})");
    let before = number(&format!(
        "SUM(m) OVER (PARTITION BY e, c ORDER BY c{bits}{words} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - m"
    ));
    let total = number("SUM(m) OVER (PARTITION BY e, c)");
    let ranked = format!(
        "SELECT *, DENSE_RANK() OVER (PARTITION BY e ORDER BY rank_c, c) AS k, {before} AS before, {total} AS total{any} \
         FROM (\n{ranks}\n) ranks"
    );
    // Products fit in 64 bits while an entity has fewer than 2^31 rows in a cell.
    let chosen = |rows: &str| {
        let (open, between, close) = spelt.quotient;
        let chosen = format!("{open}(({rows}) * {most_rows} + total - 1 - draw % total){between}total{close}");
        format!("CASE WHEN total <= {most_rows} THEN {rows} ELSE {} END", number(&chosen))
    };
    let (low, high) = (chosen("before"), chosen("before + m"));
    let chosen = format!("SELECT *, {low} AS low, {high} AS r FROM (\n{ranked}\n) ranked WHERE k <= {most_cells}");
    format!("SELECT *, r - low AS n FROM (\n{chosen}\n) chosen WHERE r > low OR before = 0")
}

/// The largest contribution of one row to a total, in absolute value: a count, the farther end of a grid, or a product
/// of two.
pub(super) fn greatest(what: TotalKind, query: &Query) -> i128 {
    let end = |at: usize| {
        let grid = query.rows().arguments.get(at).and_then(|argument| argument.grid.as_ref());
        grid.map_or(0, |grid| i128::from(grid.low.abs().max(grid.high.abs())))
    };
    let part = |of: CentredArgument| end(of.argument) * i128::from(of.times.abs()) + i128::from(of.centre).abs();
    match what {
        TotalKind::Rows | TotalKind::Present(_) | TotalKind::Entities { .. } => 1,
        TotalKind::Units(at) => end(at),
        TotalKind::Products([one, other]) => part(one).checked_mul(part(other)).unwrap_or(i128::MAX),
        TotalKind::Pile(_) => 0,
    }
}

/// The sum over the rows that count: `n` of each group of equal rows.
fn sum(what: TotalKind, query: &Query) -> Result<String, Refusal> {
    // Sums over 2^40 rows fit in 64 bits, which engines add several times as fast as wider numbers.
    let is_small = greatest(what, query) < 1 << 22;
    let total = |number: &str| {
        if is_small { wide(&format!("SUM({number})")) } else { format!("SUM({})", wide(number)) }
    };
    let large = || Refusal::new("a sum of numbers this large", "its parts exceed 64 bits", "declare narrower bounds");
    // For one group of equal rows of an entity.
    let most = greatest(what, query).checked_mul(query.caps().rows_per_group.into());
    let fits = most.is_some_and(|most| most < ROOM);
    let present = |at: usize| format!("u{at} IS NOT NULL");
    Ok(match what {
        TotalKind::Rows => total("n"),
        TotalKind::Present(at) => total(&format!("CASE WHEN {} THEN n ELSE 0 END", present(at))),
        TotalKind::Entities { present: None, .. } if query.entity().is_none() => total("n"),
        TotalKind::Entities { present: Some(at), .. } if query.entity().is_none() => {
            total(&format!("CASE WHEN {} THEN n ELSE 0 END", present(at)))
        }
        TotalKind::Entities { present: None, .. } => total("CASE WHEN before = 0 THEN 1 ELSE 0 END"),
        TotalKind::Entities { present: Some(at), .. } => {
            total(&format!("CASE WHEN before = 0 THEN any{at} ELSE 0 END"))
        }
        TotalKind::Units(_) | TotalKind::Products(_) if !fits => return Err(large()),
        TotalKind::Units(at) => total(&format!("CASE WHEN {} THEN n * u{at} ELSE 0 END", present(at))),
        TotalKind::Products([one, other]) => {
            let text = |of: CentredArgument| {
                let [times, centre] = [of.times, of.centre].map(|number| integer(number.into()));
                format!("(u{} * {times} - {centre})", of.argument)
            };
            let (one, other, both) =
                (text(one), text(other), [present(one.argument), present(other.argument)].join(" AND "));
            total(&format!("CASE WHEN {both} THEN n * {one} * {other} ELSE 0 END"))
        }
        TotalKind::Pile(_) => {
            return Err(Refusal::new("a quantile, minimum or maximum", "it needs the values, not their sums", PULL));
        }
    })
}
