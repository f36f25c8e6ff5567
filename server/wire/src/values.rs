//! Conversion of values between PostgreSQL's text format and its binary formats.

use crate::failure::{Code, Failure};
use bytes::{BufMut, Bytes, BytesMut};
use deniable_catalog::Type;
use jiff::civil::{Date, DateTime, date};
use jiff::{SignedDuration, Unit};

/// Day zero of binary dates and times.
const EPOCH: Date = date(2000, 1, 1);
/// Decimal digits per group of a binary decimal.
const PART: usize = 4;
const NEGATIVE: u16 = 0x4000;
const NOT_A_NUMBER: u16 = 0xC000;

fn name(of: Type) -> &'static str {
    of.about().map_or("unknown", |about| about.name)
}

fn unfit(text: &str, of: Type) -> Failure {
    Failure::new(Code::Value, format!("\"{text}\" is not a valid {}", of.about().map_or("value", |about| about.sql)))
}

/// Appends the binary form of a value.
///
/// # Errors
/// When the text is not a value of the type, or the type has no binary format here.
pub fn to_binary(text: &str, of: Type, out: &mut BytesMut) -> Result<(), Failure> {
    let unfit = || unfit(text, of);
    match name(of) {
        "bool" => out.put_u8(u8::from(text == "t")),
        "int2" => out.put_i16(text.parse().map_err(|_| unfit())?),
        "int4" => out.put_i32(text.parse().map_err(|_| unfit())?),
        "int8" => out.put_i64(text.parse().map_err(|_| unfit())?),
        "oid" | "regproc" | "regclass" | "regtype" => out.put_u32(text.parse().map_err(|_| unfit())?),
        "float4" => out.put_f32(text.parse().map_err(|_| unfit())?),
        "float8" => out.put_f64(text.parse().map_err(|_| unfit())?),
        "numeric" => decimal_to_binary(text, out).ok_or_else(unfit)?,
        "date" => {
            let day: Date = text.parse().map_err(|_| unfit())?;
            let days = day.since((Unit::Day, EPOCH)).map_err(|_| unfit())?.get_days();
            out.put_i32(days);
        }
        "timestamp" => {
            let moment: DateTime = text.replacen(' ', "T", 1).parse().map_err(|_| unfit())?;
            let since = moment.duration_since(EPOCH.to_datetime(jiff::civil::Time::midnight()));
            out.put_i64(i64::try_from(since.as_micros()).map_err(|_| unfit())?);
        }
        "text" | "name" | "varchar" | "bpchar" | "char" | "json" | "unknown" | "aclitem" => {
            out.put_slice(text.as_bytes())
        }
        _ => match of.about().map(|about| about.element).and_then(Type::of_oid) {
            Some(element) => list_to_binary(text, of, element, out)?,
            None => {
                let message = format!("values of type {} have no binary form", name(of));
                return Err(Failure::new(Code::NotSupported, message));
            }
        },
    }
    Ok(())
}

/// The sign, and the digits before and after the point.
fn decimal(text: &str) -> Option<(bool, &str, &str)> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits(whole) && are_digits(rest) && !(whole.is_empty() && rest.is_empty())).then_some((negative, whole, rest))
}

fn decimal_to_binary(text: &str, out: &mut BytesMut) -> Option<()> {
    let (negative, whole, rest) = decimal(text)?;
    let padded = format!("{}{whole}", "0".repeat((PART - whole.len() % PART) % PART));
    let before = padded.len() / PART;
    let padded = format!("{padded}{rest}{}", "0".repeat((PART - rest.len() % PART) % PART));
    let parts: Vec<i16> = padded
        .as_bytes()
        .chunks(PART)
        .map(|part| std::str::from_utf8(part).ok()?.parse().ok())
        .collect::<Option<_>>()?;
    let leading = parts.iter().take_while(|part| **part == 0).count();
    let trailing = parts[leading..].iter().rev().take_while(|part| **part == 0).count();
    let shown = &parts[leading..parts.len() - trailing];
    let weight = if shown.is_empty() { 0 } else { i16::try_from(before).ok()? - 1 - i16::try_from(leading).ok()? };
    out.put_i16(i16::try_from(shown.len()).ok()?);
    out.put_i16(weight);
    out.put_u16(if negative && !shown.is_empty() { NEGATIVE } else { 0 });
    out.put_i16(i16::try_from(rest.len()).ok()?);
    shown.iter().for_each(|part| out.put_i16(*part));
    Some(())
}

fn list_to_binary(text: &str, of: Type, element: Type, out: &mut BytesMut) -> Result<(), Failure> {
    let items = list_items(text).ok_or_else(|| unfit(text, of))?;
    out.put_i32(i32::from(!items.is_empty()));
    out.put_i32(i32::from(items.iter().any(Option::is_none)));
    out.put_u32(element.oid());
    if items.is_empty() {
        return Ok(());
    }
    out.put_i32(i32::try_from(items.len()).map_err(|_| unfit(text, of))?);
    out.put_i32(1);
    for item in items {
        put_sized(item.as_deref(), out, |item, out| to_binary(item, element, out))?;
    }
    Ok(())
}

/// Writes a value after its length; NULL has the length -1.
pub(crate) fn put_sized(
    value: Option<&str>,
    out: &mut BytesMut,
    write: impl FnOnce(&str, &mut BytesMut) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(value) = value else {
        out.put_i32(-1);
        return Ok(());
    };
    let at = out.len();
    out.put_i32(0);
    write(value, out)?;
    let length = i32::try_from(out.len() - at - 4).map_err(|_| Failure::new(Code::TooMany, "a value is too long"))?;
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// The items of a one-dimensional list `{a,"b c",NULL}`; `None` if the text is malformed.
#[must_use]
pub fn list_items(text: &str) -> Option<Vec<Option<String>>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut items = Vec::new();
    let mut characters = inner.chars().peekable();
    if inner.trim().is_empty() {
        return Some(items);
    }
    loop {
        let mut item = String::new();
        let mut is_quoted = false;
        loop {
            match characters.next() {
                Some('"') if item.is_empty() && !is_quoted => {
                    is_quoted = true;
                    loop {
                        match characters.next()? {
                            '"' => break,
                            '\\' => item.push(characters.next()?),
                            other => item.push(other),
                        }
                    }
                }
                Some('\\') => item.push(characters.next()?),
                Some('{' | '}') => return None,
                end @ (Some(',') | None) => {
                    let is_null = !is_quoted && item.eq_ignore_ascii_case("null");
                    items.push((!is_null).then_some(item));
                    match end {
                        Some(_) => break,
                        None => return Some(items),
                    }
                }
                Some(other) => item.push(other),
            }
        }
    }
}

/// A list in the text format.
fn list(items: &[Option<String>]) -> String {
    let item = |item: &Option<String>| match item {
        None => "NULL".to_owned(),
        Some(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    };
    format!("{{{}}}", items.iter().map(item).collect::<Vec<_>>().join(","))
}

/// The part of a binary value that is not read yet.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn int2(&mut self) -> Option<i16> {
        self.take().map(i16::from_be_bytes)
    }

    fn int4(&mut self) -> Option<i32> {
        self.take().map(i32::from_be_bytes)
    }

    fn int8(&mut self) -> Option<i64> {
        self.take().map(i64::from_be_bytes)
    }
}

/// Converts a value from its binary form to text.
///
/// # Errors
/// When the bytes are not a value of the type, or the type has no binary format here.
pub fn from_binary(bytes: &Bytes, of: Type) -> Result<String, Failure> {
    let unfit = || Failure::new(Code::Value, format!("a parameter is not a valid {} in its binary form", name(of)));
    let mut reader = Reader(bytes);
    let known = match name(of) {
        "bool" => reader.take::<1>().map(|[truth]| if truth == 0 { "f" } else { "t" }.to_owned()),
        "int2" => reader.int2().map(|number| number.to_string()),
        "int4" => reader.int4().map(|number| number.to_string()),
        "int8" => reader.int8().map(|number| number.to_string()),
        "oid" | "regproc" | "regclass" | "regtype" => reader.take().map(|bytes| u32::from_be_bytes(bytes).to_string()),
        "float4" => reader.take().map(|bytes| f32::from_be_bytes(bytes).to_string()),
        "float8" => reader.take().map(|bytes| f64::from_be_bytes(bytes).to_string()),
        "numeric" => decimal_from_binary(&mut reader),
        "date" => reader.int4().and_then(|days| {
            let days = jiff::Span::new().try_days(days).ok()?;
            EPOCH.checked_add(days).ok().map(|day| day.to_string())
        }),
        "timestamp" | "timestamptz" => reader.int8().and_then(|micros| {
            let moment =
                EPOCH.to_datetime(jiff::civil::Time::midnight()).checked_add(SignedDuration::from_micros(micros));
            moment.ok().map(|moment| moment.to_string().replacen('T', " ", 1))
        }),
        "text" | "name" | "varchar" | "bpchar" | "char" | "json" | "unknown" => {
            let text = std::str::from_utf8(reader.0).ok().map(str::to_owned);
            reader.0 = &[];
            text
        }
        _ => match of.about().map(|about| about.element).and_then(Type::of_oid) {
            Some(element) => Some(list_from_binary(&mut reader, bytes, element)?),
            None => {
                let message = format!("parameters of type {} have no binary form", name(of));
                return Err(Failure::new(Code::NotSupported, message));
            }
        },
    };
    known.filter(|_| reader.0.is_empty()).ok_or_else(unfit)
}

fn decimal_from_binary(reader: &mut Reader<'_>) -> Option<String> {
    let (count, weight) = (usize::try_from(reader.int2()?).ok()?, i32::from(reader.int2()?));
    let sign = reader.take().map(u16::from_be_bytes)?;
    let places = usize::try_from(reader.int2()?).ok()?;
    if sign == NOT_A_NUMBER || ![0, NEGATIVE].contains(&sign) {
        return None;
    }
    let mut parts = Vec::new();
    for _ in 0..count {
        parts.push(reader.int2().filter(|part| (0..10_000).contains(part))?);
    }
    // The group for this power of 10,000; 0 if it was omitted.
    let part = |power: i32| usize::try_from(weight - power).ok().and_then(|at| parts.get(at)).copied().unwrap_or(0);
    let whole: String = (0..=weight.max(0)).rev().map(|power| format!("{:04}", part(power))).collect();
    let whole = whole.trim_start_matches('0');
    let mut text = format!("{}{}", if sign == NEGATIVE { "-" } else { "" }, if whole.is_empty() { "0" } else { whole });
    if places > 0 {
        let rest =
            (1..=places.div_ceil(PART)).map(|at| format!("{:04}", part(-(i32::try_from(at).unwrap_or(i32::MAX)))));
        let mut rest: String = rest.collect();
        rest.truncate(places);
        text.push('.');
        text.push_str(&rest);
    }
    Some(text)
}

fn list_from_binary(reader: &mut Reader<'_>, bytes: &Bytes, element: Type) -> Result<String, Failure> {
    let unfit = || Failure::new(Code::Value, "a parameter is not a one-dimensional list in its binary form");
    let (dimensions, _nulls, _of) = (reader.int4(), reader.int4(), reader.int4());
    match dimensions {
        Some(0) => return Ok("{}".to_owned()),
        Some(1) => {}
        _ => return Err(unfit()),
    }
    let count = reader.int4().and_then(|count| usize::try_from(count).ok()).filter(|count| *count <= bytes.len());
    let (count, _from) = (count.ok_or_else(unfit)?, reader.int4());
    let mut items = Vec::new();
    for _ in 0..count {
        let length = reader.int4().ok_or_else(unfit)?;
        let Ok(length) = usize::try_from(length) else {
            items.push(None);
            continue;
        };
        let (item, rest) = reader.0.split_at_checked(length).ok_or_else(unfit)?;
        items.push(Some(from_binary(&Bytes::copy_from_slice(item), element)?));
        reader.0 = rest;
    }
    Ok(list(&items))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(text: &str, of: Type) -> Vec<u8> {
        let mut out = BytesMut::new();
        to_binary(text, of, &mut out).unwrap();
        out.to_vec()
    }

    /// Bytes that PostgreSQL sent for these values (`SELECT numeric_send(...)` and the like).
    #[test]
    fn binary_forms_match_postgresql() {
        assert_eq!(binary("12345.678", Type::NUMERIC), [0, 3, 0, 1, 0, 0, 0, 3, 0, 1, 9, 41, 26, 124]);
        assert_eq!(binary("-0.0001", Type::NUMERIC), [0, 1, 255, 255, 64, 0, 0, 4, 0, 1]);
        assert_eq!(binary("0", Type::NUMERIC), [0; 8]);
        assert_eq!(binary("10000", Type::NUMERIC), [0, 1, 0, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(binary("2000-01-02", Type::DATE), [0, 0, 0, 1]);
        assert_eq!(binary("1999-12-31 23:59:59.5", Type::TIMESTAMP), (-500_000_i64).to_be_bytes());
        assert_eq!(
            binary("{a,NULL}", Type::TEXTS),
            [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 97, 255, 255, 255, 255]
        );
        assert_eq!(binary("{}", Type::TEXTS), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25]);
        assert_eq!(binary("t", Type::BOOL), [1]);
    }

    #[test]
    fn values_come_back() {
        let cases: [(Type, &[&str]); 7] = [
            (Type::INT8, &["0", "-9223372036854775808", "9223372036854775807"]),
            (Type::INT4, &["-1", "2147483647"]),
            (
                Type::NUMERIC,
                &[
                    "0",
                    "0.00",
                    "-12.5",
                    "100000000",
                    "0.00001",
                    "12345678901234567890.123456789",
                    "-0.00000000012",
                    "9999.9999",
                ],
            ),
            (Type::DATE, &["1970-01-01", "2024-02-29", "1582-10-15"]),
            (Type::TIMESTAMP, &["2024-06-30 12:00:00", "1969-12-31 23:59:59.999999"]),
            (Type::FLOAT8, &["0.1", "-1.5", "123456789.25"]),
            (Type::TEXTS, &["{}", r#"{"a","b \"c\" \\ d",NULL,"null",""}"#]),
        ];
        for (of, texts) in cases {
            for text in texts {
                assert_eq!(from_binary(&Bytes::from(binary(text, of)), of).as_deref(), Ok(*text), "{of:?}");
            }
        }
    }

    /// Malformed bytes are refused, and have no other effect.
    #[test]
    fn malformed_bytes_are_refused() {
        for of in deniable_catalog::types::ALL.iter().filter_map(|about| Type::of_oid(about.oid)) {
            for length in 0..40 {
                for byte in [0, 1, 0x40, 0x7f, 0xff] {
                    let _ = from_binary(&Bytes::from(vec![byte; length]), of);
                }
            }
        }
        assert!(from_binary(&Bytes::from_static(&[0, 1, 2]), Type::INT4).is_err());
        assert!(from_binary(&Bytes::from_static(&[0xff]), Type::TEXT).is_err());
        assert!(to_binary("x", Type::INT8, &mut BytesMut::new()).is_err());
        assert!(to_binary("99999999999999999999", Type::INT8, &mut BytesMut::new()).is_err());
    }

    #[test]
    fn lists() {
        let items = |text| {
            list_items(text).map(|items| items.into_iter().map(|item| item.unwrap_or("-".into())).collect::<Vec<_>>())
        };
        assert_eq!(items("{a,\"b,c\",NULL}"), Some(vec!["a".into(), "b,c".into(), "-".into()]));
        assert_eq!(items("{}"), Some(vec![]));
        for none in ["", "a", "{", "{{a}}", "{\"a}"] {
            assert_eq!(items(none), None, "{none}");
        }
    }
}
