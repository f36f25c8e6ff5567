//! Operations on whole columns. They never fail: a row without a result is NULL.

use crate::calendar::{day_name, month_name, part, truncate};
use crate::cast::{cast, map};
use crate::column::{Column, booleans, both, numbers, truth};
use crate::lookup::Entries;
use crate::operation::{Comparison, Operation};
use crate::value::{Day, Moment, Type};
use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, BooleanArray, PrimitiveArray, StringViewArray, UInt32Array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_ord::cmp;
use std::collections::{HashMap, HashSet};

/// From this size on, texts are checked for duplicates.
const MANY_BYTES: u64 = 4 << 20;

/// The value of an operation for every row. `kind` is the type of its result, `rows` the length of all arguments.
pub(crate) fn compute(operation: &Operation, kind: Type, arguments: &[&Column], rows: usize) -> Column {
    use Column::{Boolean, Date, Decimal, Integer, Text, Timestamp};
    let nothing = || Column::nulls(kind, rows);
    match (operation, arguments) {
        (Operation::Compare(comparison), [left, right]) => Boolean(compare(*comparison, left, right)),
        (Operation::And, [Boolean(left), Boolean(right)]) => Boolean(and(left, right)),
        (Operation::Or, [Boolean(left), Boolean(right)]) => Boolean(or(left, right)),
        (Operation::Not, [Boolean(value)]) => Boolean(booleans(!value.values(), value.nulls().cloned())),
        (Operation::IsNull, [value]) => Boolean(booleans(!&value.valid(), None)),
        (Operation::IsTrue, [Boolean(value)]) => Boolean(booleans(truth(value), None)),
        (Operation::In, [value, list @ ..]) => Boolean(one_of(value, list)),
        (Operation::Case, [pairs @ .., otherwise]) => case(pairs, otherwise),
        (Operation::Coalesce, [first, others @ ..]) => coalesce(first, others),
        (Operation::NullIf, [left, right]) => left.only(&!&truth(&compare(Comparison::Equal, left, right))),
        (Operation::Greatest, [first, others @ ..]) => extreme(Comparison::Greater, first, others),
        (Operation::Least, [first, others @ ..]) => extreme(Comparison::Less, first, others),
        (Operation::Add, [Integer(left), Integer(right)]) => Integer(integers(left, right, i64::overflowing_add)),
        (Operation::Add, [Decimal(left), Decimal(right)]) => Decimal(decimals(left, right, |l, r| l + r)),
        (Operation::Subtract, [Integer(left), Integer(right)]) => Integer(integers(left, right, i64::overflowing_sub)),
        (Operation::Subtract, [Decimal(left), Decimal(right)]) => Decimal(decimals(left, right, |l, r| l - r)),
        (Operation::Multiply, [Integer(left), Integer(right)]) => Integer(integers(left, right, i64::overflowing_mul)),
        (Operation::Multiply, [Decimal(left), Decimal(right)]) => Decimal(decimals(left, right, |l, r| l * r)),
        (Operation::Divide, [Integer(left), Integer(right)]) => {
            Integer(integers(left, right, |l, r| known(l.checked_div(r))))
        }
        // Division by zero gives an infinite number or NaN.
        (Operation::Divide, [Decimal(left), Decimal(right)]) => Decimal(decimals(left, right, |l, r| l / r)),
        (Operation::Remainder, [Integer(left), Integer(right)]) => {
            Integer(integers(left, right, |l, r| known(l.checked_rem(r))))
        }
        (Operation::Remainder, [Decimal(left), Decimal(right)]) => Decimal(decimals(left, right, |l, r| l % r)),
        (Operation::Negate, [Integer(value)]) => Integer(map::<_, Int64Type>(value, i64::checked_neg)),
        (Operation::Negate, [Decimal(value)]) => Decimal(map::<_, Float64Type>(value, |v| finite(-v))),
        (Operation::Absolute, [Integer(value)]) => Integer(map::<_, Int64Type>(value, i64::checked_abs)),
        (Operation::Absolute, [Decimal(value)]) => Decimal(map::<_, Float64Type>(value, |v| finite(v.abs()))),
        (Operation::Round(digits), [Integer(value)]) => Integer(round_integers(value, *digits)),
        (Operation::Round(digits), [Decimal(value)]) => Decimal(round_decimals(value, *digits)),
        (Operation::Floor | Operation::Ceil, [Integer(value)]) => Integer(value.clone()),
        (Operation::Floor, [Decimal(value)]) => Decimal(map::<_, Float64Type>(value, |v| finite(v.floor()))),
        (Operation::Ceil, [Decimal(value)]) => Decimal(map::<_, Float64Type>(value, |v| finite(v.ceil()))),
        // Undefined results are infinite or NaN.
        (Operation::Ln, [Decimal(value)]) => Decimal(map::<_, Float64Type>(value, |v| finite(v.ln()))),
        (Operation::Exp, [Decimal(value)]) => Decimal(map::<_, Float64Type>(value, |v| finite(v.exp()))),
        (Operation::Sqrt, [Decimal(value)]) => Decimal(map::<_, Float64Type>(value, |v| finite(v.sqrt()))),
        (Operation::Power, [Decimal(base), Decimal(exponent)]) => Decimal(decimals(base, exponent, f64::powf)),
        (Operation::Cast(to), [value]) => cast(value, *to),
        (Operation::Lower, [Text(value)]) => Text(letters(value, str::to_lowercase, str::make_ascii_lowercase)),
        (Operation::Upper, [Text(value)]) => Text(letters(value, str::to_uppercase, str::make_ascii_uppercase)),
        (Operation::Trim(characters), [Text(value)]) => Text(trim(value, characters)),
        (Operation::Substring { skipped, length }, [Text(value)]) => {
            Text(parts(value, |text| substring(text, *skipped, *length)))
        }
        (Operation::Like(pattern), [Text(value)]) => {
            let found = value.iter().map(|text| text.is_some_and(|text| pattern.matches(text)));
            Boolean(booleans(found.collect(), value.nulls().cloned()))
        }
        (Operation::Lookup(lookup), [value]) => match (&lookup.entries, value) {
            (Entries::Texts(list), Text(value)) => {
                Text(found(value.iter().map(|key| list.get(key?).map(|text| &**text))))
            }
            (Entries::Integers(list), Integer(value)) => {
                Text(found(value.iter().map(|key| list.get(&key?).map(|text| &**text))))
            }
            (Entries::Texts(_) | Entries::Integers(_), _) => nothing(),
        },
        (Operation::Truncate(unit), [Timestamp(value)]) => {
            let cut = |micros| truncate(*unit, Moment::new(micros)?).map(Moment::get);
            Timestamp(map::<_, TimestampMicrosecondType>(value, cut))
        }
        (Operation::Part(wanted), [Timestamp(value)]) => {
            Integer(map::<_, Int64Type>(value, |micros| part(*wanted, Moment::new(micros)?)))
        }
        (Operation::DayName, [Timestamp(value)]) => Text(names(value, day_name)),
        (Operation::MonthName, [Timestamp(value)]) => Text(names(value, month_name)),
        (Operation::Format(pattern), [Timestamp(value)]) => {
            let mut texts = StringViewBuilder::with_capacity(value.len());
            for micros in value {
                texts.append_option(micros.and_then(Moment::new).map(|moment| pattern.write(moment)));
            }
            Text(texts.finish())
        }
        (Operation::Shift(period), [Date(value)]) => {
            let later = |days: i32| period.after_day(Day::new(days.into())?).map(Day::get);
            Date(map::<_, Date32Type>(value, later))
        }
        (Operation::Shift(period), [Timestamp(value)]) => {
            let later = |micros| period.after(Moment::new(micros)?).map(Moment::get);
            Timestamp(map::<_, TimestampMicrosecondType>(value, later))
        }
        (Operation::DaysBetween, [Date(from), Date(to)]) => {
            let between = |(from, to): (&i32, &i32)| i64::from(*to).saturating_sub((*from).into());
            let days: ScalarBuffer<i64> = from.values().iter().zip(to.values()).map(between).collect();
            Integer(numbers(days, both(from.nulls(), to.nulls())))
        }
        _ => nothing(),
    }
}

/// The kernels of Arrow fail only for different types or lengths.
pub(crate) fn compare(comparison: Comparison, left: &Column, right: &Column) -> BooleanArray {
    let nothing = || BooleanArray::new_null(left.len());
    if left.kind() != right.kind() || left.len() != right.len() {
        return nothing();
    }
    let kernel = match comparison {
        Comparison::Equal => cmp::eq,
        Comparison::NotEqual => cmp::neq,
        Comparison::Less => cmp::lt,
        Comparison::LessOrEqual => cmp::lt_eq,
        Comparison::Greater => cmp::gt,
        Comparison::GreaterOrEqual => cmp::gt_eq,
        Comparison::Distinct => cmp::distinct,
        Comparison::NotDistinct => cmp::not_distinct,
    };
    let compared = match (left, right) {
        (Column::Boolean(left), Column::Boolean(right)) => kernel(left, right),
        (Column::Integer(left), Column::Integer(right)) => kernel(left, right),
        (Column::Decimal(left), Column::Decimal(right)) => kernel(left, right),
        (Column::Text(left), Column::Text(right)) => kernel(left, right),
        (Column::Date(left), Column::Date(right)) => kernel(left, right),
        (Column::Timestamp(left), Column::Timestamp(right)) => kernel(left, right),
        _ => return nothing(),
    };
    compared.unwrap_or_else(|_| nothing())
}

/// The rows where the array is false, excluding NULL.
fn falsehood(array: &BooleanArray) -> BooleanBuffer {
    match array.nulls() {
        Some(nulls) => &!array.values() & nulls.inner(),
        None => !array.values(),
    }
}

fn and(left: &BooleanArray, right: &BooleanArray) -> BooleanArray {
    if left.nulls().is_none() && right.nulls().is_none() {
        return booleans(left.values() & right.values(), None);
    }
    let true_in_both = &truth(left) & &truth(right);
    let false_in_one = &falsehood(left) | &falsehood(right);
    let valid = NullBuffer::new(&true_in_both | &false_in_one);
    booleans(true_in_both, Some(valid))
}

fn or(left: &BooleanArray, right: &BooleanArray) -> BooleanArray {
    if left.nulls().is_none() && right.nulls().is_none() {
        return booleans(left.values() | right.values(), None);
    }
    let true_in_one = &truth(left) | &truth(right);
    let false_in_both = &falsehood(left) & &falsehood(right);
    let valid = NullBuffer::new(&true_in_one | &false_in_both);
    booleans(true_in_one, Some(valid))
}

fn one_of(value: &Column, list: &[&Column]) -> BooleanArray {
    let nothing = BooleanArray::new(BooleanBuffer::new_unset(value.len()), None);
    list.iter().fold(nothing, |found, other| or(&found, &compare(Comparison::Equal, value, other)))
}

/// `then` where `choose` is set, else `otherwise`.
fn select(choose: &BooleanBuffer, then: &Column, otherwise: &Column) -> Column {
    fn pick<T: ArrowPrimitiveType>(
        choose: &BooleanBuffer,
        then: &PrimitiveArray<T>,
        otherwise: &PrimitiveArray<T>,
        nulls: Option<NullBuffer>,
    ) -> PrimitiveArray<T> {
        let pairs = then.values().iter().zip(otherwise.values());
        let pick =
            |(choose, (then, otherwise)): (bool, (&T::Native, &T::Native))| if choose { *then } else { *otherwise };
        numbers(choose.iter().zip(pairs).map(pick).collect(), nulls)
    }
    let mixed = |then: &BooleanBuffer, otherwise: &BooleanBuffer| &(choose & then) | &(&!choose & otherwise);
    let nulls = || match (then.nulls_of(), otherwise.nulls_of()) {
        (None, None) => None,
        _ => Some(NullBuffer::new(mixed(&then.valid(), &otherwise.valid()))),
    };
    if choose.len() != then.len() || choose.len() != otherwise.len() {
        return Column::nulls(then.kind(), choose.len());
    }
    match (then, otherwise) {
        (Column::Boolean(then), Column::Boolean(other)) => {
            Column::Boolean(booleans(mixed(then.values(), other.values()), nulls()))
        }
        (Column::Integer(then), Column::Integer(other)) => Column::Integer(pick(choose, then, other, nulls())),
        (Column::Decimal(then), Column::Decimal(other)) => Column::Decimal(pick(choose, then, other, nulls())),
        (Column::Date(then), Column::Date(other)) => Column::Date(pick(choose, then, other, nulls())),
        (Column::Timestamp(then), Column::Timestamp(other)) => Column::Timestamp(pick(choose, then, other, nulls())),
        (Column::Text(then), Column::Text(other)) => {
            Column::Text(gather(choose.iter().map(|choose| usize::from(!choose)), &[then, other]))
        }
        _ => Column::nulls(then.kind(), choose.len()),
    }
}

/// For every row the text of that row in the source with this number. Views are copied, bytes are not.
fn gather(choices: impl ExactSizeIterator<Item = usize>, sources: &[&StringViewArray]) -> StringViewArray {
    let len = choices.len();
    let nothing = || StringViewArray::new_null(len);
    let last = sources.len().saturating_sub(1);
    if sources.is_empty() || sources.iter().any(|source| source.len() != len) {
        return nothing();
    }
    let places: Vec<(usize, usize)> = choices.enumerate().map(|(row, source)| (source.min(last), row)).collect();
    let sources: Vec<&dyn Array> = sources.iter().map(|source| *source as &dyn Array).collect();
    let gathered = arrow_select::interleave::interleave(&sources, &places).ok();
    gathered.as_ref().and_then(|gathered| gathered.as_string_view_opt()).cloned().unwrap_or_else(nothing)
}

/// Selects texts in one pass: from the first source whose row is set, or from the last source if no row is set.
fn gather_first<'a>(len: usize, sources: impl DoubleEndedIterator<Item = (BooleanBuffer, &'a Column)>) -> Column {
    let mut choices = vec![0_usize; len];
    let mut texts = Vec::new();
    // From the end, so that earlier sources overwrite later ones.
    for (number, (choose, source)) in sources.rev().enumerate() {
        let Column::Text(source) = source else { return Column::nulls(Type::Text, len) };
        for (place, choose) in choices.iter_mut().zip(choose.iter()) {
            if choose {
                *place = number;
            }
        }
        texts.push(source);
    }
    Column::Text(gather(choices.into_iter(), &texts))
}

fn case(pairs: &[&Column], otherwise: &Column) -> Column {
    let (pairs, _) = pairs.as_chunks::<2>();
    let branches = pairs.iter().filter_map(|[when, then]| match when {
        Column::Boolean(when) => Some((truth(when), *then)),
        _ => None,
    });
    if otherwise.kind() == Type::Text {
        let all = BooleanBuffer::new_set(otherwise.len());
        return gather_first(otherwise.len(), branches.chain([(all, otherwise)]));
    }
    branches.rev().fold(otherwise.clone(), |otherwise, (when, then)| select(&when, then, &otherwise))
}

fn coalesce(first: &Column, others: &[&Column]) -> Column {
    let Some((last, before)) = others.split_last() else { return first.clone() };
    if first.nulls_of().is_none_or(|nulls| nulls.null_count() == 0) {
        return first.clone();
    }
    let branches = [first].into_iter().chain(before.iter().copied()).map(|value| (value.valid(), value));
    if last.kind() == Type::Text {
        let all = BooleanBuffer::new_set(last.len());
        return gather_first(last.len(), branches.chain([(all, *last)]));
    }
    branches.rev().fold((*last).clone(), |otherwise, (valid, value)| select(&valid, value, &otherwise))
}

fn extreme(better: Comparison, first: &Column, others: &[&Column]) -> Column {
    others.iter().fold(first.clone(), |best, other| {
        let better = &truth(&compare(better, other, &best)) | &(&other.valid() & &!&best.valid());
        select(&better, other, &best)
    })
}

/// The result with an overflow flag, in the form of the `overflowing_` functions.
fn known(result: Option<i64>) -> (i64, bool) {
    (result.unwrap_or_default(), result.is_none())
}

fn integers(
    left: &PrimitiveArray<Int64Type>,
    right: &PrimitiveArray<Int64Type>,
    compute: impl Fn(i64, i64) -> (i64, bool),
) -> PrimitiveArray<Int64Type> {
    let mut beyond = false;
    let pairs = || left.values().iter().zip(right.values());
    let one = |(left, right): (&i64, &i64)| {
        let (result, overflow) = compute(*left, *right);
        beyond |= overflow;
        result
    };
    let values = pairs().map(one).collect();
    let nulls = both(left.nulls(), right.nulls());
    if !beyond {
        return numbers(values, nulls);
    }
    let within: BooleanBuffer = pairs().map(|(left, right)| !compute(*left, *right).1).collect();
    numbers(values, both(nulls.as_ref(), Some(&NullBuffer::new(within))))
}

fn decimals(
    left: &PrimitiveArray<Float64Type>,
    right: &PrimitiveArray<Float64Type>,
    compute: impl Fn(f64, f64) -> f64,
) -> PrimitiveArray<Float64Type> {
    let mut all = true;
    let one = |(left, right): (&f64, &f64)| {
        // Adding 0.0 removes the sign of zero.
        let result = compute(*left, *right) + 0.0;
        all &= result.is_finite();
        result
    };
    let values: ScalarBuffer<f64> = left.values().iter().zip(right.values()).map(one).collect();
    let nulls = both(left.nulls(), right.nulls());
    if all {
        return numbers(values, nulls);
    }
    let finite: BooleanBuffer = values.iter().map(|value| value.is_finite()).collect();
    numbers(values, both(nulls.as_ref(), Some(&NullBuffer::new(finite))))
}

/// Removes the sign of zero; `None` for infinities and NaN.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number + 0.0)
}

fn round_integers(array: &PrimitiveArray<Int64Type>, digits: i8) -> PrimitiveArray<Int64Type> {
    if digits >= 0 {
        return array.clone();
    }
    let unit = 10_i64.saturating_pow(digits.unsigned_abs().into());
    let half = unit.checked_div(2).unwrap_or_default();
    map(array, |value| {
        let beyond = if value < 0 { value.checked_sub(half)? } else { value.checked_add(half)? };
        beyond.checked_sub(beyond.checked_rem(unit)?)
    })
}

fn round_decimals(array: &PrimitiveArray<Float64Type>, digits: i8) -> PrimitiveArray<Float64Type> {
    // Powers of ten up to 10^22 are exact.
    let unit = 10_f64.powi(digits.unsigned_abs().into());
    if digits < 0 {
        return map(array, |value| finite((value / unit).round() * unit));
    }
    map(array, |value| {
        let shifted = value * unit;
        finite(if shifted.is_finite() { shifted.round() / unit } else { value })
    })
}

fn letters(array: &StringViewArray, all: fn(&str) -> String, ascii: fn(&mut str)) -> StringViewArray {
    let bytes = array.lengths().fold(0_u64, |sum, length| sum.saturating_add(length.into()));
    if bytes <= MANY_BYTES {
        return letters_of_each(array, all, ascii);
    }
    // A long text in many rows, such as a constant in CASE, is stored once: equal views are equal texts.
    let (mut known, mut firsts, mut places) = (HashMap::new(), Vec::new(), Vec::with_capacity(array.len()));
    for (row, view) in (0_u32..).zip(array.views()) {
        places.push(*known.entry((*view, array.is_valid(places.len()))).or_insert_with(|| {
            firsts.push(row);
            u32::try_from(firsts.len().saturating_sub(1)).unwrap_or(u32::MAX)
        }));
    }
    let Column::Text(texts) = Column::Text(array.clone()).take(&UInt32Array::from(firsts)) else {
        return StringViewArray::new_null(array.len());
    };
    match Column::Text(letters_of_each(&texts, all, ascii)).take(&UInt32Array::from(places)) {
        Column::Text(texts) => texts,
        _ => StringViewArray::new_null(array.len()),
    }
}

fn names(
    moments: &PrimitiveArray<TimestampMicrosecondType>,
    of: fn(Moment) -> Option<&'static str>,
) -> StringViewArray {
    let mut texts = StringViewBuilder::with_capacity(moments.len());
    for micros in moments {
        texts.append_option(micros.and_then(Moment::new).and_then(of));
    }
    texts.finish()
}

fn found<'a>(values: impl Iterator<Item = Option<&'a str>>) -> StringViewArray {
    let mut texts = StringViewBuilder::with_capacity(values.size_hint().0);
    values.for_each(|value| texts.append_option(value));
    texts.finish()
}

fn letters_of_each(array: &StringViewArray, all: fn(&str) -> String, ascii: fn(&mut str)) -> StringViewArray {
    let mut texts = StringViewBuilder::with_capacity(array.len());
    let mut copy = String::new();
    for text in array {
        match text {
            None => texts.append_null(),
            Some(text) if text.is_ascii() => {
                copy.clear();
                copy.push_str(text);
                ascii(&mut copy);
                texts.append_value(&copy);
            }
            Some(text) => match all(text) {
                // The other case of a letter may be longer.
                text if text.len() <= crate::LONGEST_TEXT => texts.append_value(&text),
                _ => texts.append_null(),
            },
        }
    }
    texts.finish()
}

fn trim(array: &StringViewArray, characters: &str) -> StringViewArray {
    let set: HashSet<char> = characters.chars().collect();
    let few: Vec<char> = characters.chars().take(4).collect();
    parts(array, |text| {
        let rest = if set.len() <= 1 {
            text.trim_start_matches(few.as_slice())
        } else {
            text.trim_start_matches(|character| set.contains(&character))
        };
        let before = text.len().saturating_sub(rest.len());
        let rest = if set.len() <= 1 {
            rest.trim_end_matches(few.as_slice())
        } else {
            rest.trim_end_matches(|character| set.contains(&character))
        };
        (before, rest.len())
    })
}

/// The first byte of a part of a text, and its number of bytes.
fn substring(text: &str, skipped: u32, length: Option<u32>) -> (usize, usize) {
    let end_of = |text: &str, characters: u32| {
        let after = usize::try_from(characters).ok().and_then(|count| text.char_indices().nth(count));
        after.map_or(text.len(), |(at, _)| at)
    };
    let begin = end_of(text, skipped);
    let rest = text.get(begin..).unwrap_or_default();
    (begin, length.map_or(rest.len(), |length| end_of(rest, length)))
}

/// A part of each text; `part` returns the number of bytes before it and its length. Long parts share the bytes of
/// their texts.
fn parts(array: &StringViewArray, part: impl Fn(&str) -> (usize, usize)) -> StringViewArray {
    let whole = |text: &str| part(text) == (0, text.len());
    if array.iter().flatten().all(whole) {
        return array.clone();
    }
    let mut texts = StringViewBuilder::with_capacity(array.len());
    // Blocks that builders do not accept are copied.
    let usual = array.data_buffers().iter().all(|block| u32::try_from(block.len()).is_ok_and(|len| len < u32::MAX));
    if usual {
        for block in array.data_buffers() {
            texts.append_block(block.clone());
        }
    }
    for (text, view) in array.iter().zip(array.views()) {
        let Some(text) = text else {
            texts.append_null();
            continue;
        };
        let (before, len) = part(text);
        let end = before.saturating_add(len);
        let shorter = text.get(before..end).unwrap_or_default();
        // Short texts are stored in the view itself.
        let placed = if usual && len > 12 { place(*view, before).zip(u32::try_from(len).ok()) } else { None };
        let viewed = placed.is_some_and(|((block, offset), len)| texts.try_append_view(block, offset, len).is_ok());
        if !viewed {
            texts.append_value(shorter);
        }
    }
    texts.finish()
}

/// The block of a view of more than twelve bytes, and the offset in it of the text's byte number `before`.
fn place(view: u128, before: usize) -> Option<(u32, u32)> {
    // Length, first bytes, block, offset: four bytes each.
    let [_, _, _, _, _, _, _, _, a, b, c, d, e, f, g, h] = view.to_le_bytes();
    let offset = u32::from_le_bytes([e, f, g, h]);
    Some((u32::from_le_bytes([a, b, c, d]), offset.checked_add(u32::try_from(before).ok()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn texts(values: &[Option<&str>]) -> Column {
        Column::from_values(Type::Text, values.iter().map(|value| value.and_then(Value::text)))
    }

    #[test]
    fn trimmed_texts_share_their_bytes() {
        let written =
            [Some("  longer than a view holds "), None, Some(" short "), Some("whole text of a view"), Some("")];
        let bare = [Some("longer than a view holds"), None, Some("short"), Some("whole text of a view"), Some("")];
        let trim = Operation::Trim(" ".into());
        let column = texts(&written);
        assert!(compute(&trim, Type::Text, &[&column], 5).same_as(&texts(&bare)));
        assert!(compute(&trim, Type::Text, &[&column.slice(1, 3)], 3).same_as(&texts(&bare[1..4])));
        let letters = Operation::Trim("lsé ".into());
        let column = texts(&[Some("éless than a view has, or more, lé"), Some("éé")]);
        let expected = texts(&[Some("ess than a view has, or more,"), Some("")]);
        assert!(compute(&letters, Type::Text, &[&column], 2).same_as(&expected));
    }

    #[test]
    fn parts_of_texts_begin_and_end_at_characters() {
        let column = texts(&[Some("äöü and more than a view holds"), None, Some("ab"), Some("")]);
        for (skipped, length, expected) in [
            (0, Some(2), [Some("äö"), None, Some("ab"), Some("")]),
            (1, Some(1), [Some("ö"), None, Some("b"), Some("")]),
            (2, None, [Some("ü and more than a view holds"), None, Some(""), Some("")]),
            (1, Some(20), [Some("öü and more than a v"), None, Some("b"), Some("")]),
            (0, Some(0), [Some(""), None, Some(""), Some("")]),
            (u32::MAX, Some(u32::MAX), [Some(""), None, Some(""), Some("")]),
            (0, None, [Some("äöü and more than a view holds"), None, Some("ab"), Some("")]),
        ] {
            let found = compute(&Operation::Substring { skipped, length }, Type::Text, &[&column], 4);
            assert!(found.same_as(&texts(&expected)), "{skipped} {length:?}");
        }
    }

    #[test]
    fn texts_that_become_too_long_are_null() {
        let most = crate::LONGEST_TEXT;
        let (fits, too_long) = ("ß".repeat(most / 2), "ŉ".repeat(most / 2));
        let column = texts(&[Some(&fits), Some(&too_long), Some("a")]);
        let capitals = |column: &Column| compute(&Operation::Upper, Type::Text, &[column], column.len());
        let expected = texts(&[Some(&"S".repeat(most)), None, Some("A")]);
        assert!(capitals(&column).same_as(&expected));
        // Enough rows for the detection of duplicate texts.
        let places: Vec<u32> = (0..300).map(|row| row % 3).collect();
        let places = UInt32Array::from(places);
        assert!(capitals(&column.take(&places)).same_as(&expected.take(&places)));
    }

    #[test]
    fn ties_away_from_zero_and_never_beyond_the_range() {
        let integers = |values: &[Option<i64>]| {
            Column::from_values(Type::Integer, values.iter().map(|value| value.map(Value::Integer)))
        };
        let given = [Some(15), Some(-15), Some(14), Some(i64::MAX), Some(i64::MIN), Some(i64::MAX - 5), None];
        let expected = [Some(20), Some(-20), Some(10), None, None, Some(i64::MAX - 7), None];
        let found = compute(&Operation::Round(-1), Type::Integer, &[&integers(&given)], given.len());
        assert!(found.same_as(&integers(&expected)), "{found:?}");
    }
}
