//! Values that break partial operations: the ends of every range, and texts that resemble other types.

use super::dice::Dice;
use arrow_array::{Date32Array, Float64Array, StringViewArray, TimestampMicrosecondArray};
use deniable_expression::value::{Day, Decimal, Moment};
use deniable_expression::{Column, LONGEST_TEXT, Type, Value};

const INTEGERS: [i64; 38] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MIN + 5,
    i64::MAX,
    i64::MAX - 1,
    i64::MAX - 499,
    0,
    1,
    -1,
    2,
    5,
    -5,
    10,
    15,
    -15,
    25,
    49,
    50,
    -50,
    1_000_000_007,
    i32::MAX as i64,
    i32::MIN as i64,
    i32::MAX as i64 + 1,
    1 << 53,
    (1 << 53) + 1,
    (1 << 53) - 1,
    -(1 << 53) - 1,
    3_037_000_500,
    -719_162,
    -719_163,
    2_932_896,
    2_932_897,
    -62_135_596_800_000_000,
    -62_135_596_800_000_001,
    253_402_300_799_999_999,
    253_402_300_800_000_000,
    86_400_000_000,
    -86_400_000_001,
];

const DECIMALS: [f64; 40] = [
    0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.1,
    0.25,
    5e-324,
    -5e-324,
    2.225_073_858_507_201e-308,
    f64::MIN_POSITIVE,
    1e-300,
    -1e-300,
    1e308,
    -1e308,
    f64::MAX,
    f64::MIN,
    9_007_199_254_740_991.0,
    9_007_199_254_740_992.0,
    9_007_199_254_740_994.0,
    4_503_599_627_370_496.5,
    4_503_599_627_370_497.5,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    9_223_372_036_854_774_784.0,
    1e15,
    1e16,
    9_999_999_999_999_998.0,
    0.0001,
    0.000_099_999,
    1.5e-7,
    1e-15,
    1.005,
    2.675,
    49_999.5,
    123_456_789.987_654_33,
    1e22,
];

const TEXTS: [&str; 89] = [
    "",
    " ",
    "  a ",
    "a",
    "b",
    "ab",
    "abc",
    "ABC",
    "aBc%",
    "%",
    "_",
    "\\",
    "\\%",
    "\\\\",
    "'",
    "\"",
    "%%",
    "a_c",
    "\t1\n",
    "e\u{301}",
    "é",
    "ΑΣ",
    "ΑΣ ",
    "Σ",
    "ς",
    "σας",
    "ΟΔΟΣ ΟΔΟΣ",
    "Σ\u{301}",
    "Α\u{301}Σ",
    "\u{130}",
    "i\u{307}",
    "ß",
    "ẞ",
    "STRASSE",
    "ŉ",
    "ﬁ",
    "ı",
    "\u{212a}",
    "K",
    "k",
    "Å",
    "ǅ",
    "\u{0}",
    "\u{202e}x",
    "\u{1b}[2J",
    "𝒳",
    "🦀",
    "\u{10ffff}",
    "longer than a view holds",
    "   padded, and longer than a view holds  ",
    "aa%a longer than a view holds  ",
    "  \u{130} ŉ ß longer, padded ΑΣ ",
    "LONGER THAN A VIEW HOLDS",
    "2024-02-29",
    "2023-02-29",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "0000-12-31",
    "9999-12-31T23:59:59.999999999",
    "2024-12-31 23:59",
    "1970-01-01T00:00:00.5",
    "1969-12-31t23:59:59.9999999",
    "2024-01-01T24:00",
    "2024-01-01T10:00Z",
    "true",
    " YES ",
    "Off",
    "n",
    "0",
    "1",
    "-0",
    "+1",
    "-1",
    "007",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "9007199254740993",
    "1e308",
    "1e309",
    "-1e-400",
    ".5",
    "5.",
    "1.5e-7",
    "NaN",
    "inf",
    "0x1F",
    "1e99999999999999999999",
];

/// Letters whose case, width and position in a text matter.
const LETTERS: [char; 32] = [
    'a', 'b', 'c', 'A', 'B', 'k', 'K', '\u{212a}', 'ß', 'Σ', 'σ', 'ς', 'Α', '\u{130}', 'ı', 'é', '\u{301}', 'Å', '%',
    '_', '\\', '\'', ' ', ' ', '.', '-', '1', '0', 'T', ':', '𝒳', '🦀',
];

/// A short text.
pub fn letters(dice: &mut Dice, most: usize) -> String {
    (0..dice.below(most + 1)).map(|_| *dice.pick(&LETTERS)).collect()
}

/// One of the longest texts, or almost.
fn long(dice: &mut Dice) -> String {
    let piece = *dice.pick(&["a", "k", "_", "ß", "ŉ", "ŉ", "\u{130}", "\u{130}", "Σ", "aΣ", "🦀", "0", "1", " "]);
    let most = LONGEST_TEXT / piece.len();
    let mut text = piece.repeat(if dice.once_in(2) { most } else { most - dice.below(30) });
    if dice.once_in(2) && text.len() < LONGEST_TEXT {
        text.push('b');
    }
    text
}

/// Any value, or NULL. Texts are long with probability `1 / rare`.
pub fn value(dice: &mut Dice, kind: Type, rare: usize) -> Option<Value> {
    if dice.once_in(6) {
        return None;
    }
    let extreme = !dice.once_in(3);
    match kind {
        Type::Boolean => Some(Value::Boolean(dice.once_in(2))),
        Type::Integer if extreme => Some(Value::Integer(*dice.pick(&INTEGERS))),
        Type::Integer if dice.once_in(2) => Some(Value::Integer(dice.bits().cast_signed())),
        Type::Integer => Some(Value::Integer(dice.between(-30, 30))),
        Type::Decimal => {
            let number = match (extreme, dice.once_in(2)) {
                (true, _) => *dice.pick(&DECIMALS),
                (false, true) => f64::from_bits(dice.bits()),
                (false, false) => dice.between(-400, 400) as f64 / 8.0,
            };
            Decimal::new(number).map(Value::Decimal)
        }
        Type::Text => {
            let text = match dice.once_in(rare) {
                true => long(dice),
                false if extreme => (*dice.pick(&TEXTS)).to_owned(),
                false => letters(dice, 20),
            };
            Value::text(&text)
        }
        Type::Date => Day::new(day(dice, extreme)).map(Value::Date),
        Type::Timestamp => {
            let day = day(dice, extreme);
            let clock = match dice.below(4) {
                0 => 0,
                1 => 1,
                2 => Moment::DAY - 1,
                _ => dice.between(0, Moment::DAY - 1),
            };
            Moment::new(day * Moment::DAY + clock).map(Value::Timestamp)
        }
    }
}

fn day(dice: &mut Dice, extreme: bool) -> i64 {
    let (first, last) = (i64::from(Day::FIRST.get()), i64::from(Day::LAST.get()));
    if extreme {
        // 2024-02-29, 2021-01-03 (Sunday of a 53rd week), 1900-03-01, 2000-12-31.
        *dice.pick(&[first, first + 1, last, last - 1, 0, -1, 1, 19_782, 18_630, -25_508, 11_322])
    } else {
        dice.between(first, last)
    }
}

/// A column of such values. Sometimes it has invalid values under its NULLs, as after careless reading.
pub fn column(dice: &mut Dice, kind: Type, rows: usize, rare: usize) -> Column {
    let careless = dice.once_in(3);
    match kind {
        Type::Decimal if careless => {
            let numbers = [f64::NAN, f64::INFINITY, -0.0, f64::NEG_INFINITY, 1.5, f64::MAX];
            let column: Float64Array = (0..rows).map(|_| Some(*dice.pick(&numbers))).collect();
            Column::Decimal(column).checked()
        }
        Type::Date if careless => {
            let days =
                [i32::MIN, i32::MAX, Day::FIRST.get() - 1, Day::FIRST.get(), 0, Day::LAST.get(), Day::LAST.get() + 1];
            let column: Date32Array = (0..rows).map(|_| Some(*dice.pick(&days))).collect();
            Column::Date(column).checked()
        }
        Type::Timestamp if careless => {
            let moments = [i64::MIN, i64::MAX, i64::MAX - 1, 0, -1, 253_402_300_799_999_999, 253_402_300_800_000_000];
            let column: TimestampMicrosecondArray = (0..rows).map(|_| Some(*dice.pick(&moments))).collect();
            Column::Timestamp(column).checked()
        }
        Type::Text if careless && dice.once_in(rare) => {
            let long = "y".repeat(LONGEST_TEXT + 1);
            let column: StringViewArray =
                (0..rows).map(|_| Some(if dice.once_in(2) { long.as_str() } else { "short" })).collect();
            Column::Text(column).checked()
        }
        _ => {
            let padding = dice.below(3);
            let values: Vec<Option<Value>> = (0..rows + padding).map(|_| value(dice, kind, rare)).collect();
            Column::from_values(kind, values.into_iter()).slice(padding, rows)
        }
    }
}
