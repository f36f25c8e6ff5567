#!/usr/bin/env python3
"""The expression language of docs/reference/expressions.md in plain Python: a reference for tests of the evaluator.

Written from that page, not from the Rust code. Whole numbers are exact; floating point is used where the page says so.

    scripts/expressions.py < CASES > RESULTS

One case a line, as JSON: {"columns": [TYPE, ...], "rows": [[VALUE, ...], ...], "tree": TREE}. One result a line: the
tree's value for each row. Values: null; Boolean true, false; Integer and Timestamp (microseconds), Date (days) as
decimal strings; Decimal as the 16 hexadecimal digits of its bits; Text as a string. Trees:
{"column": NUMBER}, {"constant": TYPE, "value": VALUE}, {"call": NAME, ..., "arguments": [TREE, ...]}.
"""

import datetime
import decimal
import json
import math
import re
import struct
import sys

BOOLEAN, INTEGER, DECIMAL, TEXT, DATE, TIMESTAMP = "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP"
LONGEST_TEXT = 65536
LEAST, GREATEST = -(2**63), 2**63 - 1
EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST_DAY = datetime.date(1, 1, 1).toordinal() - EPOCH
LAST_DAY = datetime.date(9999, 12, 31).toordinal() - EPOCH
DAY = 24 * 60 * 60 * 10**6


# --- Values: a value outside its type is NULL. ---


def integer(number):
    return number if LEAST <= number <= GREATEST else None


def real(number):
    if math.isinf(number) or math.isnan(number):
        return None
    return 0.0 if number == 0 else number


def text(characters):
    return characters if len(characters.encode()) <= LONGEST_TEXT else None


def date(days):
    return days if FIRST_DAY <= days <= LAST_DAY else None


def timestamp(micros):
    return micros if FIRST_DAY * DAY <= micros < (LAST_DAY + 1) * DAY else None


def read(kind, value):
    if value is None:
        return None
    if kind in (BOOLEAN, TEXT):
        return value
    if kind == DECIMAL:
        return struct.unpack(">d", bytes.fromhex(value))[0]
    return int(value)


def write(kind, value):
    if value is None or kind in (BOOLEAN, TEXT):
        return value
    if kind == DECIMAL:
        return struct.pack(">d", value).hex()
    return str(value)


# --- Comparisons and logic. ---


def order(kind, value):
    """Texts are compared by their bytes."""
    return value.encode() if kind == TEXT else value


def compare(sign, kind, left, right):
    if sign in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
        if left is None or right is None:
            same = left is None and right is None
        else:
            same = order(kind, left) == order(kind, right)
        return same if sign == "IS NOT DISTINCT FROM" else not same
    if left is None or right is None:
        return None
    left, right = order(kind, left), order(kind, right)
    return {
        "=": left == right,
        "<>": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[sign]


def logical_and(left, right):
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def logical_or(left, right):
    if left is True or right is True:
        return True
    return None if left is None or right is None else False


def one_of(kind, value, others):
    found = False
    for other in others:
        found = logical_or(found, compare("=", kind, value, other))
    return found


def case(arguments):
    *pairs, otherwise = arguments
    for when, then in zip(pairs[::2], pairs[1::2]):
        if when is True:
            return then
    return otherwise


def extreme(kind, values, better):
    values = [value for value in values if value is not None]
    return better(values, key=lambda value: order(kind, value)) if values else None


# --- Numbers. ---


def nearest_whole(number):
    """Ties away from zero."""
    below = math.floor(abs(number))
    if abs(number) - below >= 0.5:
        below += 1
    return math.copysign(float(below), number)


def arithmetic(sign, kind, left, right):
    if sign in "/%" and right == 0:
        return None
    if kind == INTEGER:
        if sign in "/%":
            quotient = abs(left) // abs(right)
            quotient = quotient if (left < 0) == (right < 0) else -quotient
            if sign == "/":
                return integer(quotient)
            # The quotient of -2^63 and -1 overflows, so the remainder is NULL too.
            return None if integer(quotient) is None else left - quotient * right
        return integer({"+": left + right, "-": left - right, "*": left * right}[sign])
    try:
        if sign == "+":
            return real(left + right)
        if sign == "-":
            return real(left - right)
        if sign == "*":
            return real(left * right)
        return real(left / right) if sign == "/" else real(math.fmod(left, right))
    except OverflowError:
        return None


def rounded(kind, number, digits):
    unit = 10 ** abs(digits)
    if kind == INTEGER:
        if digits >= 0:
            return number
        if integer(abs(number) + unit // 2 if number >= 0 else -(abs(number) + unit // 2)) is None:
            return None
        size = (abs(number) + unit // 2) // unit * unit
        return integer(size if number >= 0 else -size)
    unit = float(unit)
    if digits < 0:
        return real(nearest_whole(number / unit) * unit)
    shifted = number * unit
    return number if math.isinf(shifted) else real(nearest_whole(shifted) / unit)


# --- Texts. ---


def small(character):
    letters = character.lower()
    return letters if len(letters) == 1 else character


def tokens(pattern, escape):
    found, characters = [], iter(pattern)
    for character in characters:
        if character == escape:
            found.append(("exactly", next(characters)))
        elif character in "%_":
            found.append((character, None))
        else:
            found.append(("exactly", character))
    return found


def like(value, pattern, escape, ignore_case):
    """By the definition: the set of prefixes of the text that the pattern so far matches."""
    ends = {0}
    for kind, wanted in tokens(pattern, escape):
        if kind == "%":
            ends = set(range(min(ends), len(value) + 1)) if ends else ends
        elif kind == "_":
            ends = {end + 1 for end in ends if end < len(value)}
        elif ignore_case:
            ends = {end + 1 for end in ends if end < len(value) and small(value[end]) == small(wanted)}
        else:
            ends = {end + 1 for end in ends if end < len(value) and value[end] == wanted}
    return len(value) in ends


# --- Times. ---


def calendar(days):
    return datetime.date.fromordinal(days + EPOCH)


def days_of(day):
    return day.toordinal() - EPOCH


def truncate(unit, moment):
    days, clock = divmod(moment, DAY)
    day = calendar(days)
    if unit == "year":
        return timestamp(days_of(day.replace(month=1, day=1)) * DAY)
    if unit == "quarter":
        return timestamp(days_of(day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)) * DAY)
    if unit == "month":
        return timestamp(days_of(day.replace(day=1)) * DAY)
    if unit == "week":
        return timestamp((days - day.weekday()) * DAY)
    size = {"day": DAY, "hour": 3600 * 10**6, "minute": 60 * 10**6, "second": 10**6}[unit]
    return timestamp(days * DAY + clock // size * size)


def shifted(kind, value, months, days, micros):
    """Months first, clamped to the end of the month, then days, then the rest."""
    day, clock = divmod(value, DAY) if kind == TIMESTAMP else (value, 0)
    day = calendar(day)
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return None
    first_of_next = datetime.date(year, month + 2, 1).toordinal() if month < 11 else datetime.date(year, 12, 31).toordinal() + 1
    last = first_of_next - datetime.date(year, month + 1, 1).toordinal()
    later = date(days_of(datetime.date(year, month + 1, min(day.day, last))) + days)
    if later is None or kind == DATE:
        return later
    return timestamp(later * DAY + clock + micros)


DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June"]
MONTHS += ["July", "August", "September", "October", "November", "December"]


def to_char(pattern, moment):
    """As in PostgreSQL's manual: each part is looked up in a table, longer parts first."""
    days, clock = divmod(moment, DAY)
    day, seconds = calendar(days), clock // 10**6
    iso_year, week, weekday = day.isocalendar()
    numbers = {
        "YYYY": (day.year, 4), "YY": (day.year % 100, 2), "IYYY": (iso_year, 4), "Q": ((day.month + 2) // 3, 1),
        "MM": (day.month, 2), "IW": (week, 2), "DDD": (day.timetuple().tm_yday, 3), "DD": (day.day, 2), "ID": (weekday, 1),
        "HH24": (seconds // 3600, 2), "MI": (seconds // 60 % 60, 2), "SS": (seconds % 60, 2),
    }
    table = {}
    for name, (number, width) in numbers.items():
        table[name] = table[name.lower()] = (f"{number:0{width}}", str(number))
    for long, short, full in (("Month", "Mon", MONTHS[day.month - 1]), ("Day", "Dy", DAYS[weekday - 1])):
        for letters in (str, str.upper, str.lower):
            name = letters(full)
            table[letters(long)], table[letters(short)] = (name.ljust(9), name), (name[:3], name[:3])
    names = "|".join(sorted(table, key=len, reverse=True))
    written = ""
    for quoted, fill, name, other in re.findall(f'"([^"]*)"|(?:(FM|fm)?({names}))|([^"])', pattern):
        written += table[name][1 if fill else 0] if name else quoted + other
    return written


def part(name, moment):
    days, clock = divmod(moment, DAY)
    day = calendar(days)
    seconds = clock // 10**6
    return {
        "year": lambda: day.year,
        "quarter": lambda: (day.month + 2) // 3,
        "month": lambda: day.month,
        "week": lambda: day.isocalendar()[1],
        "day": lambda: day.day,
        "doy": lambda: day.timetuple().tm_yday,
        "dow": lambda: day.isoweekday() % 7,
        "isodow": lambda: day.isoweekday(),
        "hour": lambda: seconds // 3600,
        "minute": lambda: seconds // 60 % 60,
        "second": lambda: seconds % 60,
    }[name]()


# --- Casts. ---

TRUE = {"t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"}
FALSE = {"f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"}


def boolean_of_text(value):
    word = value.strip("\t\n\v\f\r ")
    if not word.isascii():
        return None
    word = word.lower()
    return True if word in TRUE else False if word in FALSE else None


def integer_of_text(value):
    value = value.strip("\t\n\v\f\r ")
    return integer(int(value)) if re.fullmatch(r"[+-]?[0-9]+", value) else None


def decimal_of_text(value):
    value = value.strip("\t\n\v\f\r ")
    number = re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", value)
    return real(float(value)) if number else None


def date_of_text(value):
    found = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", value)
    try:
        return date(days_of(datetime.date(*map(int, found.groups())))) if found else None
    except ValueError:
        return None


def timestamp_of_text(value):
    days = date_of_text(value[:10])
    if days is None:
        return None
    if value[10:] == "":
        return days * DAY
    found = re.fullmatch(r"[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?", value[10:])
    if not found:
        return None
    hour, minute, second = (int(found[number] or 0) for number in (1, 2, 3))
    if hour > 23 or minute > 59 or second > 59:
        return None
    micros = int((found[4] or "").ljust(6, "0")[:6])
    return timestamp(days * DAY + ((hour * 60 + minute) * 60 + second) * 10**6 + micros)


def text_of_decimal(number):
    sign, digits, exponent = decimal.Decimal(repr(number)).as_tuple()
    digits = "".join(map(str, digits)).rstrip("0") or "0"
    exponent += len(decimal.Decimal(repr(number)).as_tuple().digits) - len(digits)
    minus = "-" if sign else ""
    if number != 0 and not 0.0001 <= abs(number) < 1e16:
        fraction = "." + digits[1:] if len(digits) > 1 else ""
        return f"{minus}{digits[0]}{fraction}e{exponent + len(digits) - 1}"
    if exponent >= 0:
        return f"{minus}{digits}{'0' * exponent}.0" if number else "0.0"
    digits = digits.rjust(1 - exponent, "0")
    return f"{minus}{digits[:exponent]}.{digits[exponent:]}"


def text_of_date(days):
    day = calendar(days)
    return f"{day.year:04}-{day.month:02}-{day.day:02}"


def text_of_timestamp(moment):
    days, clock = divmod(moment, DAY)
    seconds, micros = divmod(clock, 10**6)
    written = f"{text_of_date(days)}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{written}.{micros:06}" if micros else written


CASTS = {
    (BOOLEAN, INTEGER): int,
    (BOOLEAN, DECIMAL): float,
    (BOOLEAN, TEXT): lambda value: "true" if value else "false",
    (INTEGER, BOOLEAN): lambda value: value != 0,
    (DECIMAL, BOOLEAN): lambda value: value != 0,
    (INTEGER, DECIMAL): float,
    (DECIMAL, INTEGER): lambda value: integer(math.trunc(value)),
    (INTEGER, TEXT): str,
    (DECIMAL, TEXT): text_of_decimal,
    (TEXT, BOOLEAN): boolean_of_text,
    (TEXT, INTEGER): integer_of_text,
    (TEXT, DECIMAL): decimal_of_text,
    (TEXT, DATE): date_of_text,
    (TEXT, TIMESTAMP): timestamp_of_text,
    (DATE, TEXT): text_of_date,
    (TIMESTAMP, TEXT): text_of_timestamp,
    (INTEGER, DATE): date,
    (INTEGER, TIMESTAMP): timestamp,
    (DATE, INTEGER): int,
    (TIMESTAMP, INTEGER): int,
    (DATE, TIMESTAMP): lambda days: days * DAY,
    (TIMESTAMP, DATE): lambda moment: moment // DAY,
}


def function_of_numbers(name, values):
    """As the C library computes it; None without a finite result."""
    try:
        return real({"ln": math.log, "exp": math.exp, "sqrt": math.sqrt, "power": math.pow}[name](*values))
    except (ValueError, OverflowError):
        return None


# --- Trees. ---


def evaluate(tree, kinds, row):
    """The type and the value."""
    if "column" in tree:
        kind = kinds[tree["column"]]
        return kind, read(kind, row[tree["column"]])
    if "constant" in tree:
        return tree["constant"], read(tree["constant"], tree["value"])
    name = tree["call"]
    arguments = [evaluate(argument, kinds, row) for argument in tree["arguments"]]
    kind, values = arguments[0][0], [value for _, value in arguments]
    first = values[0]
    # Calls with their own rules for NULL.
    if name in ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
        return BOOLEAN, compare(name, kind, *values)
    if name == "AND":
        return BOOLEAN, logical_and(*values)
    if name == "OR":
        return BOOLEAN, logical_or(*values)
    if name == "IS NULL":
        return BOOLEAN, first is None
    if name == "IS TRUE":
        return BOOLEAN, first is True
    if name == "IN":
        return BOOLEAN, one_of(kind, first, values[1:])
    if name == "CASE":
        return arguments[-1][0], case(values)
    if name == "coalesce":
        return kind, next((value for value in values if value is not None), None)
    if name == "nullif":
        return kind, None if compare("=", kind, *values) is True else first
    if name == "greatest":
        return kind, extreme(kind, values, max)
    if name == "least":
        return kind, extreme(kind, values, min)
    result = {"CAST": tree.get("to"), "LIKE": BOOLEAN, "ILIKE": BOOLEAN, "date_part": INTEGER, "date_diff": INTEGER}
    result |= {"dayname": TEXT, "monthname": TEXT, "to_char": TEXT, "lookup": TEXT}
    result = result.get(name, kind)
    if any(value is None for value in values):
        return result, None
    if name == "NOT":
        return result, not first
    if name in ("+", "-", "*", "/", "%"):
        return result, arithmetic(name, kind, *values)
    number = integer if kind == INTEGER else real
    if name == "negate":
        return result, number(-first)
    if name == "abs":
        return result, number(abs(first))
    if name == "round":
        return result, rounded(kind, first, tree["digits"])
    if name in ("ln", "exp", "sqrt", "power"):
        return result, function_of_numbers(name, values)
    if name == "floor":
        return result, first if kind == INTEGER else real(float(math.floor(first)))
    if name == "ceil":
        return result, first if kind == INTEGER else real(float(math.ceil(first)))
    if name == "CAST":
        return result, CASTS[kind, result](first)
    if name == "lower":
        return result, text(first.lower())
    if name == "upper":
        return result, text(first.upper())
    if name == "btrim":
        return result, first.strip(tree["characters"]) if tree["characters"] else first
    if name == "substr":
        rest = first[tree["skipped"] :]
        return result, rest if tree["length"] is None else rest[: tree["length"]]
    if name in ("LIKE", "ILIKE"):
        return result, like(first, tree["pattern"], tree["escape"], name == "ILIKE")
    if name == "lookup":
        return result, tree["entries"].get(str(first))
    if name == "date_trunc":
        return result, truncate(tree["unit"], first)
    if name == "date_part":
        return result, part(tree["unit"], first)
    if name == "dayname":
        return result, DAYS[part("isodow", first) - 1]
    if name == "monthname":
        return result, MONTHS[part("month", first) - 1]
    if name == "to_char":
        return result, to_char(tree["pattern"], first)
    if name == "interval":
        return result, shifted(kind, first, *tree["period"])
    if name == "date_diff":
        return result, values[1] - first
    raise ValueError(f"no operation {name}")


def main():
    if len(sys.argv) > 1:
        print(__doc__, end="")
        sys.exit(0 if sys.argv[1] in ("--help", "-h") else 2)
    # Whole numbers of 65,536 digits must parse, too.
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        given = json.loads(line)
        results = []
        for row in given["rows"]:
            kind, value = evaluate(given["tree"], given["columns"], row)
            results.append(write(kind, value))
        print(json.dumps(results))


if __name__ == "__main__":
    main()
