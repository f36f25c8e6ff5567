//! Lists in PostgreSQL's text format, and aggregates.

use super::{MOST_BYTES, PLAIN, argument, counted, elements, list, number};
use crate::limits::{CatalogQueryError, Meter};
use rusqlite::functions::{Aggregate, Context};
use rusqlite::{Connection, Error};
use std::sync::Arc;

/// Maximum number of values of `generate_series`.
const MOST_NUMBERS: i64 = 10_000;

/// Adds functions on lists, and aggregates that return lists.
pub(super) fn add(connection: &Connection, meter: &Arc<Meter>) -> Result<(), Error> {
    let text = |name: &str, arguments: i32, of: fn(&Context<'_>) -> Option<String>| {
        let meter = Arc::clone(meter);
        connection
            .create_scalar_function(name, arguments, PLAIN, move |context| counted(&meter, of(context), String::len))
    };
    text("list", -1, |context| Some(list((0..context.len()).map(|at| argument(context, at)))))?;
    text("elements", 1, |context| {
        let found = argument(context, 0).map(|list| elements(&list)).unwrap_or_default();
        Some(serde_json::Value::from_iter(found).to_string())
    })?;
    text("element", 2, |context| {
        let at = number(context, 1).and_then(|at| usize::try_from(at).ok()?.checked_sub(1))?;
        elements(&argument(context, 0)?).get(at).cloned().flatten()
    })?;
    text("series", -1, |context| {
        let (Some(first), Some(end)) = (number(context, 0), number(context, 1)) else { return Some("[]".to_owned()) };
        // Queries about catalogs do not need more numbers.
        let end = end.min(first.saturating_add(MOST_NUMBERS));
        Some(serde_json::Value::from_iter(first..=end).to_string())
    })?;
    text("array_to_string", -1, |context| {
        let (list, between) = (argument(context, 0)?, argument(context, 1)?);
        let found: Vec<String> = elements(&list).into_iter().flatten().collect();
        let is_short = found.len().saturating_mul(between.len()).saturating_add(list.len()) <= MOST_BYTES;
        is_short.then(|| found.join(&between))
    })?;
    text("string_to_array", -1, |context| {
        let (text, between) = (argument(context, 0)?, argument(context, 1)?);
        Some(list(text.split(&between).map(|part| Some(part.to_owned()))))
    })?;
    for name in ["array_upper", "array_length", "cardinality"] {
        let meter = Arc::clone(meter);
        connection.create_scalar_function(name, -1, PLAIN, move |context| {
            meter.made(0)?;
            let found = argument(context, 0).map(|list| elements(&list).len());
            Ok(found.filter(|length| *length > 0).and_then(|length| i64::try_from(length).ok()))
        })?;
    }
    connection.create_scalar_function("array_lower", -1, PLAIN, |_| Ok(1))?;
    connection.create_aggregate_function("array_agg", 1, PLAIN, Gather(Arc::clone(meter)))?;
    for (name, all) in [("bool_and", true), ("every", true), ("bool_or", false)] {
        connection.create_aggregate_function(name, 1, PLAIN, Truth { all })?;
    }
    Ok(())
}

/// `array_agg`.
struct Gather(Arc<Meter>);

/// The gathered values, and their number of bytes.
type GatheredValues = (Vec<Option<String>>, usize);

impl Aggregate<GatheredValues, Option<String>> for Gather {
    fn init(&self, _: &mut Context<'_>) -> Result<GatheredValues, Error> {
        Ok(GatheredValues::default())
    }

    fn step(&self, context: &mut Context<'_>, (gathered, bytes): &mut GatheredValues) -> Result<(), Error> {
        let value = argument(context, 0);
        let length = 1 + value.as_ref().map_or(0, String::len);
        *bytes += length;
        gathered.push(value);
        if *bytes > MOST_BYTES {
            Err(self.0.end(CatalogQueryError::Limit("1 MiB of one value")))
        } else {
            self.0.made(length)
        }
    }

    fn finalize(&self, _: &mut Context<'_>, gathered: Option<GatheredValues>) -> Result<Option<String>, Error> {
        Ok(gathered.map(|(gathered, _)| list(gathered.into_iter())))
    }
}

/// `bool_and` and `bool_or`.
struct Truth {
    all: bool,
}

impl Aggregate<bool, Option<bool>> for Truth {
    fn init(&self, _: &mut Context<'_>) -> Result<bool, Error> {
        Ok(self.all)
    }

    fn step(&self, context: &mut Context<'_>, so_far: &mut bool) -> Result<(), Error> {
        let is_true = number(context, 0) == Some(1);
        *so_far = if self.all { *so_far && is_true } else { *so_far || is_true };
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, so_far: Option<bool>) -> Result<Option<bool>, Error> {
        Ok(so_far)
    }
}
