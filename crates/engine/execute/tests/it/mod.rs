//! Integration tests: sensitivity, neighbours, hostile values, files, and damaged texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod canonical;
mod consistent;
mod differential;
mod entity_rows;
mod extreme_row;
mod fuzz;
mod generate;
mod groups;
mod keys;
mod losses;
mod nested;
mod own_rows;
mod per_entity;
#[cfg(feature = "postgres")]
mod postgres;
mod regression;
mod sensitivity;
mod synonyms;
mod weighted;

use deniable_core::schema::TableSchema;
use deniable_query::Query;
use generate::Dice;

/// A random question that is answered, and its query: those whose WHERE excludes every group are refused, from the query
/// and the declarations alone (S-ONE), and another is drawn.
fn answered(dice: &mut Dice, tables: &[TableSchema], draw: &dyn Fn(&mut Dice) -> String) -> (String, Query) {
    loop {
        let sql = draw(dice);
        match deniable_sql::plan(&sql, tables) {
            Ok(query) => return (sql, query),
            Err(error) if error.to_string().contains("excludes every group") => {}
            Err(error) => panic!("{sql}: {error}"),
        }
    }
}
