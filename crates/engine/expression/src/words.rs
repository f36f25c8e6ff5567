//! Displays an expression as SQL, as a person would write it.

use crate::operation::Operation;
use crate::program::{Id, Node, Program};
use crate::value::{Type, Value};
use std::borrow::Cow;

/// The precedence of a form; a form with lower precedence than its place requires gets parentheses.
type Tightness = u8;
const LOOSE: Tightness = 0;
const OR: Tightness = 1;
const AND: Tightness = 2;
const NOT: Tightness = 3;
const PREDICATE: Tightness = 4;
const SIGNED: Tightness = 5;
const TIGHT: Tightness = 6;

/// A piece of the text that is still to be written.
enum Piece<'a> {
    Text(Cow<'a, str>),
    /// A text with its closing quote, whose opening quote is written already.
    Quoted(&'a str),
    Node(Id, Tightness),
}

impl Program {
    /// A node as SQL, of at most `most` characters, with "…" in place of the rest.
    #[must_use]
    pub fn words(&self, id: Id, most: usize) -> String {
        let mut text = String::new();
        let mut room = most;
        // The next piece is the last one in the list. Each piece of a node writes text or removes a cast, so the loop
        // ends.
        let mut pieces = vec![Piece::Node(id, LOOSE)];
        while let Some(piece) = pieces.pop() {
            let all = match piece {
                Piece::Text(piece) => put(&mut text, &mut room, piece.chars()),
                Piece::Quoted(piece) => {
                    let doubled = |character| std::iter::repeat_n(character, if character == '\'' { 2 } else { 1 });
                    put(&mut text, &mut room, piece.chars().flat_map(doubled).chain(['\'']))
                }
                Piece::Node(id, place) => {
                    let (tightness, mut form) = self.form(id);
                    if tightness < place {
                        pieces.push(Piece::Text(")".into()));
                        form.insert(0, Piece::Text("(".into()));
                    }
                    pieces.extend(form.into_iter().rev());
                    true
                }
            };
            if !all {
                text.push('…');
                break;
            }
        }
        text
    }

    /// The pieces of one node.
    fn form<'a>(&'a self, id: Id) -> (Tightness, Vec<Piece<'a>>) {
        let text = |text: &'static str| Piece::Text(text.into());
        let (operation, arguments) = match self.node(id) {
            Node::Column(_) => {
                let name = self.column_of(id).map_or("", |column| column.name.as_str());
                return (TIGHT, vec![Piece::Text(name.into())]);
            }
            Node::Constant(_, None) => return (TIGHT, vec![text("NULL")]),
            Node::Constant(_, Some(value)) => return constant(value),
            Node::Call(operation, arguments) => (operation, arguments.as_slice()),
        };
        match (operation, arguments) {
            (Operation::Compare(comparison), [left, right]) => {
                let sign = Piece::Text(format!(" {} ", comparison.sign()).into());
                (PREDICATE, vec![Piece::Node(*left, SIGNED), sign, Piece::Node(*right, SIGNED)])
            }
            (Operation::And, [left, right]) => {
                (AND, vec![Piece::Node(*left, AND), text(" AND "), Piece::Node(*right, NOT)])
            }
            (Operation::Or, [left, right]) => {
                (OR, vec![Piece::Node(*left, OR), text(" OR "), Piece::Node(*right, AND)])
            }
            (Operation::Not, [value]) => match self.node(*value) {
                Node::Call(inner, arguments) => self
                    .predicate(inner, arguments, true)
                    .unwrap_or_else(|| (NOT, vec![text("NOT "), Piece::Node(*value, NOT)])),
                _ => (NOT, vec![text("NOT "), Piece::Node(*value, NOT)]),
            },
            (Operation::Case, [pairs @ .., otherwise]) => {
                let mut form = vec![text("CASE")];
                for pair in pairs.chunks(2) {
                    for (word, id) in [" WHEN ", " THEN "].into_iter().zip(pair) {
                        form.extend([text(word), Piece::Node(*id, LOOSE)]);
                    }
                }
                if self.constant_of(*otherwise) != Some(None) {
                    form.extend([text(" ELSE "), Piece::Node(*otherwise, LOOSE)]);
                }
                form.push(text(" END"));
                (TIGHT, form)
            }
            (
                Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide | Operation::Remainder,
                [left, right],
            ) => {
                let sign = Piece::Text(format!(" {} ", operation.name()).into());
                let form = vec![text("("), Piece::Node(*left, SIGNED), sign, Piece::Node(*right, SIGNED), text(")")];
                (TIGHT, form)
            }
            (Operation::Negate, [value]) => (SIGNED, vec![text("-"), Piece::Node(*value, TIGHT)]),
            (Operation::Round(digits), [value]) => {
                let digits = Piece::Text(format!(", {digits})").into());
                (TIGHT, vec![text("round("), Piece::Node(*value, LOOSE), digits])
            }
            (Operation::Cast(kind @ (Type::Text | Type::Boolean)), [value]) => {
                let kind = Piece::Text(format!(" AS {kind})").into());
                (TIGHT, vec![text("CAST("), Piece::Node(*value, LOOSE), kind])
            }
            // Casts between numbers and between times are not displayed.
            (Operation::Cast(_), [value]) => {
                let mut shown = *value;
                while let Node::Call(Operation::Cast(kind), arguments) = self.node(shown)
                    && !matches!(kind, Type::Text | Type::Boolean)
                    && let [inner] = arguments.as_slice()
                {
                    shown = *inner;
                }
                self.form(shown)
            }
            (Operation::Trim(characters), [value]) => {
                let begin = vec![text("btrim("), Piece::Node(*value, LOOSE)];
                let end = if &**characters == " " {
                    vec![text(")")]
                } else {
                    vec![text(", '"), Piece::Quoted(characters), text(")")]
                };
                (TIGHT, begin.into_iter().chain(end).collect())
            }
            (Operation::Substring { skipped, length }, [value]) => {
                let length = length.map_or(String::new(), |length| format!(", {length}"));
                let places = format!(", {}{length})", u64::from(*skipped).saturating_add(1));
                (TIGHT, vec![text("substr("), Piece::Node(*value, LOOSE), Piece::Text(places.into())])
            }
            (Operation::Truncate(unit), _) => function(format!("date_trunc('{}', ", unit.name()), arguments),
            (Operation::Part(part), _) => function(format!("date_part('{}', ", part.name()), arguments),
            (Operation::Format(pattern), [time]) => {
                let end = [text(", '"), Piece::Quoted(pattern.text()), text(")")];
                (TIGHT, [text("to_char("), Piece::Node(*time, LOOSE)].into_iter().chain(end).collect())
            }
            (Operation::Lookup(lookup), _) => (TIGHT, vec![Piece::Text((&*lookup.name).into())]),
            (Operation::Shift(period), [time]) => {
                let period = Piece::Text(format!(" + INTERVAL '{period}')").into());
                (TIGHT, vec![text("("), Piece::Node(*time, SIGNED), period])
            }
            (Operation::DaysBetween, _) => function("date_diff('day', ".into(), arguments),
            _ => self
                .predicate(operation, arguments, false)
                .unwrap_or_else(|| function(format!("{}(", operation.name()), arguments)),
        }
    }

    /// Forms that may contain NOT.
    fn predicate<'a>(
        &'a self,
        operation: &'a Operation,
        arguments: &[Id],
        negated: bool,
    ) -> Option<(Tightness, Vec<Piece<'a>>)> {
        let (value, others) = arguments.split_first()?;
        let not = if negated { "NOT " } else { "" };
        let mut form = vec![Piece::Node(*value, SIGNED)];
        match operation {
            Operation::IsNull => form.push(Piece::Text(format!(" IS {not}NULL").into())),
            Operation::IsTrue => form.push(Piece::Text(format!(" IS {not}TRUE").into())),
            Operation::In => {
                form.push(Piece::Text(format!(" {not}IN (").into()));
                form.extend(list(others));
                form.push(Piece::Text(")".into()));
            }
            Operation::Like(pattern) => {
                form.push(Piece::Text(format!(" {not}{} '", operation.name()).into()));
                form.push(Piece::Quoted(pattern.text()));
                match pattern.escape() {
                    '\\' => {}
                    '\'' => form.push(Piece::Text(" ESCAPE ''''".into())),
                    other => form.push(Piece::Text(format!(" ESCAPE '{other}'").into())),
                }
            }
            _ => return None,
        }
        Some((PREDICATE, form))
    }
}

fn function<'a>(begin: String, arguments: &[Id]) -> (Tightness, Vec<Piece<'a>>) {
    let mut form = vec![Piece::Text(begin.into())];
    form.extend(list(arguments));
    form.push(Piece::Text(")".into()));
    (TIGHT, form)
}

fn list<'a>(ids: &[Id]) -> Vec<Piece<'a>> {
    let mut form = Vec::new();
    for id in ids {
        if !form.is_empty() {
            form.push(Piece::Text(", ".into()));
        }
        form.push(Piece::Node(*id, LOOSE));
    }
    form
}

fn constant(value: &Value) -> (Tightness, Vec<Piece<'_>>) {
    let number = |text: String| {
        let tightness = if text.starts_with('-') { SIGNED } else { TIGHT };
        (tightness, vec![Piece::Text(text.into())])
    };
    match value {
        Value::Boolean(value) => (TIGHT, vec![Piece::Text(value.to_string().into())]),
        Value::Integer(value) => number(value.to_string()),
        Value::Decimal(value) => number(value.get().to_string()),
        Value::Text(text) => (TIGHT, vec![Piece::Text("'".into()), Piece::Quoted(text)]),
        Value::Date(day) => {
            let mut text = "DATE '".to_owned();
            crate::cast::write_day(*day, &mut text);
            (TIGHT, vec![Piece::Text((text + "'").into())])
        }
        Value::Timestamp(moment) => {
            let mut text = "TIMESTAMP '".to_owned();
            crate::cast::write_moment(*moment, &mut text);
            (TIGHT, vec![Piece::Text((text + "'").into())])
        }
    }
}

/// Writes as many characters as fit; returns whether all did.
fn put(text: &mut String, room: &mut usize, characters: impl Iterator<Item = char>) -> bool {
    for character in characters {
        let Some(left) = room.checked_sub(1) else { return false };
        *room = left;
        text.push(character);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::like::Pattern;
    use crate::operation::{Comparison, Unit};
    use crate::program::InputColumn;

    fn program(columns: &[(&str, Type)]) -> (Program, Vec<Id>) {
        let column = |(name, kind): &(&str, Type)| InputColumn { table: "t".into(), name: (*name).into(), kind: *kind };
        let mut program = Program::new(columns.iter().map(column).collect());
        let ids = (0..columns.len()).map(|position| program.column(position).unwrap()).collect();
        (program, ids)
    }

    #[test]
    fn parentheses_where_needed() {
        let (mut p, ids) = program(&[("a", Type::Boolean), ("b", Type::Boolean), ("n", Type::Integer)]);
        let [a, b, n] = ids[..] else { panic!() };
        let mut call = |operation: Operation, arguments: &[Id]| {
            let id = p.call(operation, arguments).unwrap();
            (id, p.words(id, 1_000))
        };
        let and = call(Operation::And, &[a, b]);
        let or = call(Operation::Or, &[a, b]);
        assert_eq!((and.1.as_str(), or.1.as_str()), ("a AND b", "a OR b"));
        assert_eq!(call(Operation::Not, &[and.0]).1, "NOT (a AND b)");
        let not = call(Operation::Not, &[a]);
        assert_eq!(call(Operation::And, &[not.0, b]).1, "NOT a AND b");
        assert_eq!(call(Operation::And, &[or.0, and.0]).1, "(a OR b) AND (a AND b)");
        assert_eq!(call(Operation::And, &[and.0, a]).1, "a AND b AND a");
        assert_eq!(call(Operation::Or, &[and.0, or.0]).1, "a AND b OR (a OR b)");
        let null = call(Operation::IsNull, &[n]);
        assert_eq!((null.1.as_str(), call(Operation::Not, &[null.0]).1.as_str()), ("n IS NULL", "n IS NOT NULL"));
        assert_eq!(call(Operation::IsNull, &[and.0]).1, "(a AND b) IS NULL");
        let same = call(Operation::Compare(Comparison::Equal), &[a, b]);
        assert_eq!(call(Operation::Compare(Comparison::Less), &[same.0, b]).1, "(a = b) < b");
        assert_eq!(call(Operation::Not, &[same.0]).1, "NOT a = b");
        let truth = call(Operation::IsTrue, &[same.0]);
        assert_eq!(call(Operation::Not, &[truth.0]).1, "(a = b) IS NOT TRUE");
        let minus = call(Operation::Negate, &[n]);
        assert_eq!(call(Operation::Negate, &[minus.0]).1, "-(-n)");
        let sum = call(Operation::Add, &[n, minus.0]);
        assert_eq!(sum.1, "(n + -n)");
        let list = call(Operation::In, &[n, sum.0, n]);
        assert_eq!(list.1, "n IN ((n + -n), n)");
        assert_eq!(call(Operation::Not, &[list.0]).1, "n NOT IN ((n + -n), n)");
        let cast = call(Operation::Cast(Type::Integer), &[same.0]);
        assert_eq!(call(Operation::Add, &[cast.0, n]).1, "((a = b) + n)");
        assert_eq!(call(Operation::Round(2), &[n]).1, "round(n, 2)");
        assert_eq!(call(Operation::Cast(Type::Text), &[n]).1, "CAST(n AS VARCHAR)");
    }

    #[test]
    fn constants_and_functions() {
        let (mut p, ids) = program(&[("s", Type::Text), ("m", Type::Timestamp)]);
        let [s, m] = ids[..] else { panic!() };
        let quoted = p.constant(Value::text("it's").unwrap()).unwrap();
        let null = p.null(Type::Text).unwrap();
        let pattern = |text, escape| Operation::Like(Box::new(Pattern::new(text, escape, true).unwrap()));
        let like = p.call(pattern("a'%", None), &[s]).unwrap();
        assert_eq!(p.words(like, 99), "s ILIKE 'a''%'");
        let case = p.call(Operation::Case, &[like, quoted, null]).unwrap();
        assert_eq!(p.words(case, 99), "CASE WHEN s ILIKE 'a''%' THEN 'it''s' END");
        let like = p.call(pattern("a!%", Some('!')), &[s]).unwrap();
        let not = p.call(Operation::Not, &[like]).unwrap();
        assert_eq!(p.words(not, 99), "s NOT ILIKE 'a!%' ESCAPE '!'");
        let month = p.call(Operation::Truncate(Unit::Month), &[m]).unwrap();
        assert_eq!(p.words(month, 99), "date_trunc('month', m)");
        let pattern = crate::TimePattern::new("YYYY 'MM").unwrap();
        let month = p.call(Operation::Format(Box::new(pattern)), &[m]).unwrap();
        assert_eq!(p.words(month, 99), "to_char(m, 'YYYY ''MM')");
        let later = Operation::Shift("1 month -3 days".parse().unwrap());
        let later = p.call(later, &[m]).unwrap();
        assert_eq!(p.words(later, 99), "(m + INTERVAL '1 month -3 days')");
        let trim = p.call(Operation::Trim(" ".into()), &[s]).unwrap();
        assert_eq!(p.words(trim, 99), "btrim(s)");
        let trim = p.call(Operation::Trim("'x".into()), &[s]).unwrap();
        assert_eq!((p.words(trim, 99).as_str(), p.words(trim, 4).as_str()), ("btrim(s, '''x')", "btri…"));
        let day = p.constant(Value::Date(crate::parse_day("2024-01-31", None).unwrap())).unwrap();
        assert_eq!(p.words(day, 99), "DATE '2024-01-31'");
        let cast = p.call(Operation::Cast(Type::Timestamp), &[day]).unwrap();
        assert_eq!(p.words(cast, 99), "DATE '2024-01-31'");
    }

    #[test]
    fn chains_that_double_are_displayed_quickly() {
        let (mut p, ids) = program(&[("s", Type::Text)]);
        let mut id = ids[0];
        for _ in 0..1_000 {
            id = p.call(Operation::Coalesce, &[id, id]).unwrap();
        }
        let words = p.words(id, 300);
        assert!(words.starts_with("coalesce(coalesce(") && words.ends_with('…') && words.chars().count() == 301);
        let (mut p, ids) = program(&[("n", Type::Integer)]);
        let mut id = ids[0];
        for _ in 0..1_000 {
            id = p.call(Operation::Add, &[id, id]).unwrap();
            id = p.call(Operation::Cast(Type::Decimal), &[id]).unwrap();
            id = p.call(Operation::Cast(Type::Integer), &[id]).unwrap();
        }
        assert_eq!(p.words(id, 20), format!("{}…", "(".repeat(20)));
    }
}
