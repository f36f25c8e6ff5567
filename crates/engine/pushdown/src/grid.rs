//! Rounds values to the grids on which they are summed.

use super::dialect::{Dialect, INTEGER};
use super::expression::{Text, Writer, double, integer};
use super::refusal::{MATERIALISE, Refusal};
use deniable_expression::{Decimal, Type};
use deniable_query::facts::range::Grid;
use num_traits::ToPrimitive;

/// Below this, doubles count grid points exactly, with room for one more step.
const MOST_UNITS: i64 = 1 << 50;
/// Integers below this can be added to each other in 64 bits.
pub(super) const ROOM: i128 = 1 << 62;

/// A value in units of its grid, rounded as values of files are (`execute::bound::decode`).
pub(super) fn on_grid(
    dialect: Dialect,
    writer: &mut Writer<'_>,
    at: usize,
    value: &Text,
    kind: Type,
    grid: &Grid,
) -> Result<Text, Refusal> {
    let fine =
        || Refusal::new("a value on a grid this fine", "doubles do not represent it exactly", "declare a wider `step`");
    let most = grid.low.abs().max(grid.high.abs());
    let (Some(span), Some(per)) = (grid.unit.numer().to_i64(), grid.unit.denom().to_i64()) else { return Err(fine()) };
    if most >= MOST_UNITS {
        return Err(fine());
    }
    let value = writer.column(format!("v{at}"), value);
    let (low, high) = (integer(grid.low.into()), integer(grid.high.into()));
    let clamped = |units: &str, layer| Text { sql: format!("LEAST(GREATEST({units}, {low}), {high})"), layer };
    // LEAST and GREATEST of engines ignore NULL, which is therefore tested separately.
    let present = |text: Text| Text { sql: format!("CASE WHEN v{at} IS NOT NULL THEN {} END", text.sql), ..text };
    match kind {
        Type::Integer | Type::Date => {
            // Values beyond these have units beyond the bounds.
            let beyond = i128::from(most) * i128::from(span) / i128::from(per) + 1 + i128::from(span);
            if beyond * i128::from(per) + i128::from(span) >= ROOM {
                return Err(fine());
            }
            let near = format!("LEAST(GREATEST(v{at}, {}), {})", integer(-beyond), integer(beyond));
            let scaled = Text { sql: format!("{near} * {}", integer(per.into())), layer: value.layer };
            let scaled = writer.column(format!("w{at}"), &scaled);
            if span == 1 {
                return Ok(present(clamped(&scaled.sql, scaled.layer)));
            }
            // Rounds ties away from zero, on the absolute value.
            let half = integer((span / 2).into());
            let sql = format!("CASE WHEN w{at} < 0 THEN - w{at} ELSE w{at} END + {half}");
            let size = writer.column(format!("x{at}"), &Text { sql, layer: scaled.layer });
            let span = integer(span.into());
            let (before, between, behind) = dialect.spellings().quotient;
            let whole = format!("{before}(x{at} - MOD(x{at}, {span})){between}{span}{behind}");
            let units = format!("CASE WHEN w{at} < 0 THEN - ({whole}) ELSE {whole} END");
            Ok(present(clamped(&units, size.layer)))
        }
        Type::Decimal => {
            let unit = grid.unit.to_f64().unwrap_or(f64::NAN);
            let beyond = (most + 2) as f64 * unit;
            let fits = Decimal::new(beyond).is_some() && (beyond * per as f64).is_finite() && beyond > 0.0;
            if !fits || (per as f64) as i64 != per || (span as f64) as i64 != span {
                return Err(fine());
            }
            let (least, greatest) = (double(dialect, -beyond), double(dialect, beyond));
            let near = format!(
                "CASE WHEN v{at} < {least} THEN {least} WHEN v{at} > {greatest} THEN {greatest} ELSE v{at} END"
            );
            let (times, by) = (double(dialect, per as f64), double(dialect, span as f64));
            let scaled = Text { sql: format!("({near}) * {times} / {by}"), layer: value.layer };
            let scaled = writer.column(format!("w{at}"), &scaled);
            let size = writer.column(format!("x{at}"), &Text { sql: format!("ABS(w{at})"), ..scaled });
            let whole = writer.column(format!("y{at}"), &Text { sql: format!("FLOOR(x{at})"), ..size });
            // The fraction is exact; ties round away from zero.
            let up = format!(
                "CASE WHEN x{at} - y{at} >= {} THEN {} ELSE {} END",
                double(dialect, 0.5),
                integer(1),
                integer(0)
            );
            let sql = format!("CAST(y{at} AS {INTEGER}) + {up}");
            let units = writer.column(format!("z{at}"), &Text { sql, ..whole });
            Ok(present(clamped(&format!("CASE WHEN w{at} < 0 THEN - z{at} ELSE z{at} END"), units.layer)))
        }
        Type::Boolean | Type::Text | Type::Timestamp => {
            Err(Refusal::new("a sum of this type", "engines do not agree on its values", MATERIALISE))
        }
    }
}
