//! Functions that build texts, and replacements for SQLite functions whose work grows faster than their arguments. Each
//! function checks the limits of the query before it allocates, and takes time proportional to the length of its
//! arguments.

use super::{MOST_BYTES, PLAIN, argument};
use crate::limits::{CatalogQueryError, Meter};
use rusqlite::functions::{Aggregate, Context};
use rusqlite::{Connection, Error};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks that a text of this length may be built.
fn room(meter: &Meter, bytes: usize) -> Result<(), Error> {
    if bytes > MOST_BYTES {
        return Err(meter.end(CatalogQueryError::Limit("1 MiB of one value")));
    }
    meter.made(bytes)
}

fn joined(meter: &Meter, parts: &[String], between: &str) -> Result<String, Error> {
    let bytes = parts.iter().map(String::len).fold(0, usize::saturating_add);
    room(meter, bytes.saturating_add(parts.len().saturating_mul(between.len())))?;
    Ok(parts.join(between))
}

/// Adds the functions to a connection.
pub(super) fn add(connection: &Connection, meter: &Arc<Meter>) -> Result<(), Error> {
    let text = |name: &str, of: fn(&Meter, &Context<'_>) -> Result<Option<String>, Error>| {
        let meter = Arc::clone(meter);
        connection.create_scalar_function(name, -1, PLAIN, move |context| of(&meter, context))
    };
    let present = |context: &Context<'_>, from: usize| {
        (from..context.len()).filter_map(|at| argument(context, at)).collect::<Vec<String>>()
    };
    // `a || b`.
    text("joined", |meter, context| {
        let (Some(one), Some(other)) = (argument(context, 0), argument(context, 1)) else { return Ok(None) };
        joined(meter, &[one, other], "").map(Some)
    })?;
    let own = Arc::clone(meter);
    connection.create_scalar_function("concat", -1, PLAIN, move |context| joined(&own, &present(context, 0), ""))?;
    let own = Arc::clone(meter);
    connection.create_scalar_function("concat_ws", -1, PLAIN, move |context| {
        argument(context, 0).map(|between| joined(&own, &present(context, 1), &between)).transpose()
    })?;
    text("replace", |meter, context| {
        let (Some(text), Some(old), Some(new)) = (argument(context, 0), argument(context, 1), argument(context, 2))
        else {
            return Ok(None);
        };
        let found = if old.is_empty() { 0 } else { text.matches(&old).count() };
        room(meter, text.len().saturating_add(found.saturating_mul(new.len())))?;
        Ok(Some(if found == 0 { text } else { text.replace(&old, &new) }))
    })?;
    for (name, left, right) in
        [("trim", true, true), ("btrim", true, true), ("ltrim", true, false), ("rtrim", false, true)]
    {
        let meter = Arc::clone(meter);
        connection.create_scalar_function(name, -1, PLAIN, move |context| {
            let Some(text) = argument(context, 0) else { return Ok(None) };
            let what = if context.len() > 1 { argument(context, 1) } else { Some(" ".to_owned()) };
            let Some(what) = what else { return Ok(None) };
            let what: BTreeSet<char> = what.chars().collect();
            room(&meter, text.len())?;
            let mut rest = text.as_str();
            rest = if left { rest.trim_start_matches(|c| what.contains(&c)) } else { rest };
            rest = if right { rest.trim_end_matches(|c| what.contains(&c)) } else { rest };
            Ok(Some(rest.to_owned()))
        })?;
    }
    let own = Arc::clone(meter);
    connection.create_scalar_function("instr", 2, PLAIN, move |context| {
        let (Some(text), Some(part)) = (argument(context, 0), argument(context, 1)) else { return Ok(None) };
        own.made(0)?;
        let place = text.find(&part).and_then(|at| text.get(..at)).map_or(0, |before| before.chars().count() + 1);
        Ok(Some(i64::try_from(place).unwrap_or(i64::MAX)))
    })?;
    connection.create_aggregate_function("string_agg", 2, PLAIN, Joins(Arc::clone(meter)))
}

/// `string_agg`.
struct Joins(Arc<Meter>);

impl Aggregate<Option<String>, Option<String>> for Joins {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<String>, Error> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, so_far: &mut Option<String>) -> Result<(), Error> {
        let Some(text) = argument(context, 0) else { return Ok(()) };
        let between = argument(context, 1).unwrap_or_default();
        let before = so_far.as_ref().map_or(0, String::len);
        if before.saturating_add(between.len()).saturating_add(text.len()) > MOST_BYTES {
            return Err(self.0.end(CatalogQueryError::Limit("1 MiB of one value")));
        }
        self.0.made(between.len() + text.len())?;
        match so_far {
            None => *so_far = Some(text),
            Some(known) => {
                known.push_str(&between);
                known.push_str(&text);
            }
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, so_far: Option<Option<String>>) -> Result<Option<String>, Error> {
        Ok(so_far.flatten())
    }
}
