//! Values that no curator expects: reading returns the right value or NULL and never fails, and the check reports
//! unreadable ones.

use arrow_array::{
    Array, ArrayRef, Date32Array, Date64Array, Decimal128Array, Float64Array, Int64Array, LargeStringArray,
    RecordBatch, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, CsvOptions, Data, Format};
use deniable_core::zone::Zone;
use deniable_data::memory_schema;
use deniable_data::{Meter, Resources, Source, WantedColumn};
use deniable_expression::LONGEST_TEXT;
use parquet::arrow::ArrowWriter;
use parquet::data_type::{Int96, Int96Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::path::Path;
use std::sync::Arc;

fn column(name: &str, kind: ColumnType) -> Column {
    Column::new(name, kind)
}

fn locate(folder: &Path, path: &str, format: Format, columns: Vec<Column>) -> Source {
    let data = Data {
        table: "t".to_owned(),
        path: path.to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(TableSchema::protected("t", columns, None), &data, folder).unwrap()
}

/// The values of all columns, read by this number of threads.
fn read(source: &Source, threads: usize) -> Vec<ArrayRef> {
    let wanted: Vec<WantedColumn> = (0..source.table().columns.len()).map(WantedColumn::typed).collect();
    let scan = source.scan(&wanted, &Meter::new()).unwrap();
    let parts = scan.run(threads, Vec::new, |parts, batch| {
        parts.push(batch);
        Ok::<(), ()>(())
    });
    let parts = parts.unwrap().concat();
    let declared: Vec<DataType> =
        memory_schema(source.table()).fields().iter().map(|field| field.data_type().clone()).collect();
    let column = |(at, kind): (usize, &DataType)| {
        let arrays: Vec<ArrayRef> = parts.iter().map(|batch| batch.columns[at].to_array()).collect();
        assert!(arrays.iter().all(|array| array.data_type() == kind));
        let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
        arrow_select::concat::concat(&arrays).unwrap()
    };
    declared.iter().enumerate().map(column).collect()
}

fn rows(source: &Source) -> Vec<ArrayRef> {
    read(source, 1)
}

fn shown(column: &ArrayRef) -> Vec<Option<String>> {
    let value = |row| column.is_valid(row).then(|| array_value_to_string(column, row).unwrap());
    (0..column.len()).map(value).collect()
}

/// The values of the first column. The check must count present values that are read as NULL as unreadable.
fn values(source: &Source, missing: usize) -> Vec<Option<String>> {
    let values = shown(&rows(source)[0]);
    let report = source.check(&Resources::default(), &|_| {}).unwrap();
    assert_eq!((report.problems.as_slice(), report.rows), (&[][..], values.len() as u64));
    let unreadable = values.iter().filter(|value| value.is_none()).count() - missing;
    let kind = source.table().columns[0].kind.name();
    let expected = format!("x: {unreadable} of {} values cannot be read as {kind} ", values.len() - missing);
    let notes: Vec<&String> = report.notes.iter().filter(|note| note.contains("cannot be read as")).collect();
    assert_eq!(notes.len(), usize::from(unreadable > 0), "{notes:?}");
    assert!(notes.iter().all(|note| note.starts_with(&expected)), "{notes:?} are not {expected}");
    assert_eq!(shown(&rows(&source.clone().into_memory().unwrap())[0]), values, "in memory");
    let (mut found, mut expected) = (shown(&read(source, 3)[0]), values.clone());
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "on three threads");
    values
}

/// Checks texts of one column, each with its expected value. Texts that mean NULL are missing, not unreadable.
fn from_texts(column: &Column, options: &CsvOptions, texts: &[(&str, Option<&str>)]) {
    let folder = tempfile::tempdir().unwrap();
    let delimiter = char::from(options.delimiter);
    let field = |text: &str| format!("\"{}\"{delimiter}\n", text.replace('"', "\"\""));
    let rows: String = texts.iter().map(|(text, _)| field(text)).collect();
    std::fs::write(folder.path().join("t.csv"), format!("x{delimiter}y\n{rows}")).unwrap();
    let source = locate(folder.path(), "t.csv", Format::Csv(options.clone()), vec![column.clone()]);
    let missing = texts.iter().filter(|(text, _)| options.nulls.iter().any(|null| null == text)).count();
    for ((text, expected), found) in texts.iter().zip(values(&source, missing)) {
        assert_eq!(found.as_deref(), *expected, "{} from {:?}", column.kind.name(), text.get(..60).unwrap_or(text));
    }
}

#[test]
fn numbers_and_truths_from_text() {
    let huge = "9".repeat(LONGEST_TEXT);
    let options = CsvOptions::with_delimiter(b';');
    let integers = [
        ("1", Some("1")),
        ("-9223372036854775808", Some("-9223372036854775808")),
        ("9223372036854775807", Some("9223372036854775807")),
        ("9223372036854775808", None),
        ("1.5", None),
        ("1,5", None),
        ("1.", None),
        (".0", None),
        ("1 .0", None),
        ("1.0.0", None),
        ("1.00e0", None),
        ("9223372036854775808.0", None),
        ("1e3", None),
        ("", None),
        ("x", None),
        ("NULL", None),
        ("1;2\n3", None),
        ("\"", None),
        ("\0", None),
        ("١", None),
        (huge.as_str(), None),
    ];
    from_texts(&column("x", ColumnType::Integer), &options, &integers);
    let comma = CsvOptions { decimal_comma: true, ..options.clone() };
    from_texts(&column("x", ColumnType::Integer), &comma, &integers);
    // An integer may have a fraction of zeros, independently of the other rows.
    let zeros = [("1.0", Some("1")), ("-3.00", Some("-3")), ("+7.0", Some("7")), ("1,0", None), ("1.50", None)];
    from_texts(&column("x", ColumnType::Integer), &options, &zeros);
    let zeros = [("1,0", Some("1")), ("-3,00", Some("-3")), ("1.0", None), ("1,50", None)];
    from_texts(&column("x", ColumnType::Integer), &comma, &zeros);
    let decimals = [
        ("1.5", Some("1.5")),
        ("-0.25", Some("-0.25")),
        ("1e300", Some("1e300")),
        ("1e309", None),
        ("-1e309", None),
        ("inf", None),
        ("-Infinity", None),
        ("NaN", None),
        ("1,5", None),
        ("", None),
        ("1.5.2", None),
        (huge.as_str(), None),
    ];
    from_texts(&column("x", ColumnType::Decimal), &options, &decimals);
    let with_comma = [
        ("1234,5", Some("1234.5")),
        ("-0,25", Some("-0.25")),
        ("7", Some("7.0")),
        ("1,5e3", Some("1500.0")),
        ("1.234,5", None),
        ("1.5", None),
        ("1,2,3", None),
        ("1.", None),
        (",", None),
        ("1 234,5", None),
        ("inf", None),
        ("nan", None),
        ("", None),
    ];
    from_texts(&column("x", ColumnType::Decimal), &comma, &with_comma);
    let truths = [("true", Some("true")), ("false", Some("false")), ("maybe", None), ("", None), ("2", None)];
    from_texts(&column("x", ColumnType::Boolean), &options, &truths);
}

#[test]
fn texts_are_read_unchanged() {
    let (long, longer) = ("ä".repeat(LONGEST_TEXT / 2), "x".repeat(LONGEST_TEXT + 1));
    let huge = "y".repeat(deniable_testing::sized(3 << 20, 20 << 20));
    let texts: Vec<(&str, Option<&str>)> =
        ["a", " a ", "a;b", "a\nb", "a\r\nb", "\"a\"", "\"", "'", "\u{feff}", "NULL", "\0", "\u{10ffff}", &long]
            .into_iter()
            .map(|text| (text, Some(text)))
            .chain([("", None), (longer.as_str(), None), (huge.as_str(), None), ("after", Some("after"))])
            .collect();
    for delimiter in *b";,\t" {
        from_texts(&column("x", ColumnType::Text), &CsvOptions::with_delimiter(delimiter), &texts);
    }
    let mut other = CsvOptions { nulls: vec!["-".to_owned(), "NA".to_owned()], ..CsvOptions::with_delimiter(b';') };
    let spaced = [("", Some("")), ("-", None), ("NA", None), (" - ", Some(" - ")), (" a ", Some(" a "))];
    from_texts(&column("x", ColumnType::Text), &other, &spaced);
    other.nulls.clear();
    from_texts(&column("x", ColumnType::Text), &other, &[("", Some("")), ("-", Some("-"))]);
    other.trim = true;
    from_texts(&column("x", ColumnType::Text), &other, &[("  ", Some("")), (" a b ", Some("a b"))]);
}

#[test]
fn days_and_moments_from_text() {
    let options = CsvOptions::with_delimiter(b';');
    let long = "2024-01-01".repeat(1000);
    let days = [
        ("2024-02-29", Some("2024-02-29")),
        ("0001-01-01", Some("0001-01-01")),
        ("9999-12-31", Some("9999-12-31")),
        ("0000-12-31", None),
        ("10000-01-01", None),
        ("+10000-01-01", None),
        ("-0001-01-01", None),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("2024-1-1", None),
        ("20240101", None),
        ("01.02.2024", None),
        ("2024-01-01T00:00:00", None),
        ("2024-01-01\n", None),
        ("5881580-07-11", None),
        ("2147483647", None),
        ("", None),
        (long.as_str(), None),
    ];
    from_texts(&column("x", ColumnType::Date), &options, &days);
    let german = Column { format: Some("%d.%m.%Y".to_owned()), ..column("x", ColumnType::Date) };
    let days = [
        ("29.02.2024", Some("2024-02-29")),
        ("1.2.2024", Some("2024-02-01")),
        ("31.12.9999", Some("9999-12-31")),
        ("31.12.0000", None),
        ("31.12.-100", None),
        ("29.02.2023", None),
        ("2024-02-29", None),
        ("29.02.2024 12:00", None),
        ("", None),
    ];
    from_texts(&german, &options, &days);
    let moments = [
        ("2024-02-29T12:30:15", Some("2024-02-29T12:30:15")),
        ("2024-02-29 12:30", Some("2024-02-29T12:30:00")),
        ("2024-02-29", Some("2024-02-29T00:00:00")),
        ("1969-12-31T23:59:59.9999999", Some("1969-12-31T23:59:59.999999")),
        ("0001-01-01T00:00:00", Some("0001-01-01T00:00:00")),
        ("9999-12-31T23:59:59.999999", Some("9999-12-31T23:59:59.999999")),
        ("2024-02-29T12:30:15Z", None),
        ("2024-02-29T12:30:15+01:00", None),
        ("2024-02-29T24:00:00", None),
        ("2024-02-29T23:59:60", None),
        ("9223372036854775807", None),
        ("", None),
    ];
    from_texts(&column("x", ColumnType::Timestamp), &options, &moments);
    let german = Column { format: Some("%d.%m.%Y %H:%M".to_owned()), ..column("x", ColumnType::Timestamp) };
    let moments = [
        ("29.02.2024 12:30", Some("2024-02-29T12:30:00")),
        ("31.12.0000 23:59", None),
        ("29.02.2024 25:30", None),
        ("29.02.2024", None),
        ("2024-02-29T12:30:15", None),
    ];
    from_texts(&german, &options, &moments);
}

/// Checks an array as a column of a Parquet file, with its expected values.
fn from_array(kind: ColumnType, array: ArrayRef, expected: &[Option<&str>]) {
    from_moments(column("x", kind), array, expected);
}

/// The same for a column that states a zone.
fn from_moments(declared: Column, array: ArrayRef, expected: &[Option<&str>]) {
    let folder = tempfile::tempdir().unwrap();
    let missing = array.null_count();
    let stored = array.data_type().clone();
    let batch = RecordBatch::try_from_iter_with_nullable([("x", array, true)]).unwrap();
    let file = std::fs::File::create(folder.path().join("t.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let kind = declared.kind.name();
    let source = locate(folder.path(), "t.parquet", Format::Parquet, vec![declared]);
    let found = values(&source, missing);
    assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{kind} from {stored}");
}

const FIRST_DAY: i32 = -719_162;
const LAST_DAY: i32 = 2_932_896;

#[test]
fn stored_days() {
    let days = [Some(0), Some(FIRST_DAY - 1), Some(FIRST_DAY), Some(LAST_DAY), Some(LAST_DAY + 1), None];
    let extremes = [Some(i32::MIN), Some(i32::MAX)];
    let expected = [Some("1970-01-01"), None, Some("0001-01-01"), Some("9999-12-31"), None, None, None, None];
    let array = Arc::new(Date32Array::from_iter(days.into_iter().chain(extremes)));
    from_array(ColumnType::Date, array.clone(), &expected);
    let midnights = expected.map(|day| day.map(|day| format!("{day}T00:00:00")));
    from_array(ColumnType::Timestamp, array, &midnights.iter().map(Option::as_deref).collect::<Vec<_>>());
    let millis = |day: i32| i64::from(day) * 86_400_000;
    let days = [Some(0), Some(millis(FIRST_DAY) - 1), Some(millis(FIRST_DAY)), Some(millis(LAST_DAY + 1) - 1)];
    let beyond = [Some(millis(LAST_DAY + 1)), None, Some(i64::MIN), Some(i64::MAX)];
    let array = Arc::new(Date64Array::from_iter(days.into_iter().chain(beyond)));
    from_array(ColumnType::Date, array.clone(), &expected);
    let moments = [Some("1970-01-01T00:00:00"), None, Some("0001-01-01T00:00:00"), Some("9999-12-31T23:59:59.999")];
    from_array(ColumnType::Timestamp, array, &[&moments[..], &[None; 4]].concat());
}

#[test]
fn stored_moments() {
    let (first, last) = (i64::from(FIRST_DAY) * 86_400, i64::from(LAST_DAY + 1) * 86_400 - 1);
    let counts = |per_second: i64| {
        let known = [0, first * per_second - 1, first * per_second, last * per_second, (last + 1) * per_second];
        [i64::MIN, i64::MAX].into_iter().chain(known).map(Some).chain([None])
    };
    let start = [None, None, Some("1970-01-01T00:00:00"), None, Some("0001-01-01T00:00:00")];
    let end = [Some("9999-12-31T23:59:59"), None, None];
    let expected = [&start[..], &end].concat();
    for zone in [None, Some("+02:00"), Some("America/New_York")] {
        // The column's zone is UTC, so its local times are UTC for every stored zone.
        let stated = zone.and_then(|_| Zone::named("UTC"));
        let declared = Column { zone: stated, ..column("x", ColumnType::Timestamp) };
        let from_array = |array: ArrayRef, expected: &[Option<&str>]| from_moments(declared.clone(), array, expected);
        let zone = zone.map(Arc::<str>::from);
        let seconds = TimestampSecondArray::from_iter(counts(1)).with_timezone_opt(zone.clone());
        from_array(Arc::new(seconds), &expected);
        let millis = TimestampMillisecondArray::from_iter(counts(1_000)).with_timezone_opt(zone.clone());
        from_array(Arc::new(millis), &expected);
        let micros = TimestampMicrosecondArray::from_iter(counts(1_000_000)).with_timezone_opt(zone.clone());
        from_array(Arc::new(micros), &expected);
        let nanos = [Some(i64::MIN), Some(i64::MAX), Some(0), Some(-1), Some(1_999), None];
        let nanos = TimestampNanosecondArray::from_iter(nanos).with_timezone_opt(zone);
        let expected = [
            Some("1677-09-21T00:12:43.145224"),
            Some("2262-04-11T23:47:16.854775"),
            Some("1970-01-01T00:00:00"),
            Some("1969-12-31T23:59:59.999999"),
            Some("1970-01-01T00:00:00.000001"),
            None,
        ];
        from_array(Arc::new(nanos), &expected);
    }
}

/// Moments are read in the local time of the zone that the policy states, and of no other.
#[test]
fn stored_moments_in_a_zone() {
    let micros = |array: &[i64], zone: Option<&str>| -> ArrayRef {
        let counts = array.iter().map(|seconds| seconds * 1_000_000);
        Arc::new(TimestampMicrosecondArray::from_iter_values(counts).with_timezone_opt(zone))
    };
    // 2024-06-30T23:30Z, and 2024-03-31T00:59:59Z and 01:00:00Z, when clocks in Berlin were set from 2 to 3.
    let moments = [1_719_790_200, 1_711_846_799, 1_711_846_800];
    let stated = |zone: &str| Column { zone: Zone::named(zone), ..column("x", ColumnType::Timestamp) };
    for stored in ["UTC", "+00:00", "America/New_York"] {
        let berlin = [Some("2024-07-01T01:30:00"), Some("2024-03-31T01:59:59"), Some("2024-03-31T03:00:00")];
        from_moments(stated("Europe/Berlin"), micros(&moments, Some(stored)), &berlin);
        let new_york = [Some("2024-06-30T19:30:00"), Some("2024-03-30T20:59:59"), Some("2024-03-30T21:00:00")];
        from_moments(stated("America/New_York"), micros(&moments, Some(stored)), &new_york);
    }
    // 9999-12-31T23:00Z is in the year 10000 in Berlin.
    from_moments(stated("Europe/Berlin"), micros(&[253_402_297_200], Some("UTC")), &[None]);
    let refused = |declared: Column, array: ArrayRef| {
        let batch = RecordBatch::try_from_iter([("x", array)]).unwrap();
        let source = Source::memory(TableSchema::protected("t", vec![declared], None), vec![batch]);
        source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap_err().to_string()
    };
    let unstated = refused(column("x", ColumnType::Timestamp), micros(&moments, Some("UTC")));
    assert!(unstated.contains("`x` stores moments with the zone UTC"), "{unstated}");
    let misplaced = refused(stated("UTC"), micros(&moments, None));
    assert!(misplaced.contains("stores local times without a zone"), "{misplaced}");
    let texts = [
        ("2024-07-01T01:30:00+02:00", Some("2024-07-01T01:30:00")),
        ("2024-06-30 23:30:00Z", Some("2024-07-01T01:30:00")),
        ("2024-06-30T19:30:00.5-04:00", Some("2024-07-01T01:30:00.500")),
        ("2024-07-01T01:30:00", None),
        ("2024-07-01", None),
        ("", None),
    ];
    from_texts(&stated("Europe/Berlin"), &CsvOptions::with_delimiter(b';'), &texts);
}

/// Two digits of a year denote one of the hundred years up to the pivot.
#[test]
fn years_of_two_digits() {
    let options = CsvOptions::with_delimiter(b';');
    let with = |pivot| Column { format: Some("%d/%m/%y".to_owned()), pivot, ..column("x", ColumnType::Date) };
    from_texts(&with(None), &options, &[("03/04/57", Some("2057-04-03")), ("03/04/69", Some("1969-04-03"))]);
    let days = [
        ("03/04/57", Some("1957-04-03")),
        ("31/12/24", Some("2024-12-31")),
        ("01/01/25", Some("1925-01-01")),
        ("29/02/00", Some("2000-02-29")),
        ("29/02/57", None),
    ];
    from_texts(&with(Some(2024)), &options, &days);
    let moments =
        Column { format: Some("%d/%m/%y %H:%M".to_owned()), pivot: Some(1999), ..column("x", ColumnType::Timestamp) };
    from_texts(&moments, &options, &[("03/04/24 10:30", Some("1924-04-03T10:30:00"))]);
    let odd = |declared: Column, texts: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.csv"), format!("x\n{texts}\n")).unwrap();
        let source = locate(folder.path(), "t.csv", Format::Csv(options.clone()), vec![declared]);
        let report = source.check(&Resources::default(), &|_| {}).unwrap();
        assert_eq!(report.notes.iter().any(|note| note.contains("%Y reads 24")), report.columns[0].odd_years.is_some());
        report.columns[0].odd_years.as_ref().map_or(0, |found| found.count)
    };
    assert_eq!(odd(with(None), "03/04/57\n03/04/69\n03/04/20"), 1);
    assert_eq!(odd(with(Some(2024)), "03/04/57\n03/04/69\n03/04/20"), 0);
    let long = Column { format: Some("%d/%m/%Y".to_owned()), ..column("x", ColumnType::Date) };
    assert_eq!(odd(long.clone(), "03/04/24\n03/04/2057"), 1);
    assert_eq!(odd(Column { kind: ColumnType::Timestamp, format: None, ..long }, "0999-12-31\n1000-01-01"), 1);
}

#[test]
fn stored_numbers_and_texts() {
    let floats = [1.0, 1.5, -0.0, f64::NAN, f64::INFINITY, 9_007_199_254_740_992.0, 9_007_199_254_740_994.0];
    let array: ArrayRef = Arc::new(Float64Array::from_iter(floats.into_iter().map(Some).chain([None])));
    let whole = [Some("1"), None, Some("0"), None, None, Some("9007199254740992"), None, None];
    from_array(ColumnType::Integer, array, &whole);
    let decimals = |units: &[i128], scale| -> ArrayRef {
        Arc::new(Decimal128Array::from(units.to_vec()).with_precision_and_scale(38, scale).unwrap())
    };
    let fits = i128::from(i64::MAX);
    from_array(ColumnType::Integer, decimals(&[7, fits, fits + 1], 0), &[Some("7"), Some("9223372036854775807"), None]);
    from_array(ColumnType::Integer, decimals(&[700, 750, -300], 2), &[Some("7"), None, Some("-3")]);
    let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 1.5];
    let floats = Arc::new(Float64Array::from_iter(floats.into_iter().map(Some).chain([None])));
    let most = format!("{:?}", f64::MAX);
    from_array(ColumnType::Decimal, floats, &[None, None, None, Some(&most), Some("0.0"), Some("1.5"), None]);
    let big = Arc::new(UInt64Array::from(vec![0, u64::MAX, i64::MAX as u64]));
    from_array(ColumnType::Integer, big, &[Some("0"), None, Some("9223372036854775807")]);
    let ends = Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(i64::MAX), None]));
    from_array(ColumnType::Integer, ends, &[Some("-9223372036854775808"), Some("9223372036854775807"), None]);
    let (long, longer) = ("x".repeat(LONGEST_TEXT), "x".repeat(LONGEST_TEXT + 1));
    let texts = [Some(""), Some(long.as_str()), Some(longer.as_str()), None, Some("a\nb")];
    let expected = [Some(""), Some(long.as_str()), None, None, Some("a\nb")];
    from_array(ColumnType::Text, Arc::new(StringArray::from_iter(texts)), &expected);
    from_array(ColumnType::Text, Arc::new(LargeStringArray::from_iter(texts)), &expected);
}

/// Spark and Impala store such times; they write 9999-12-31 for "never".
#[test]
fn old_times_beyond_nanoseconds() {
    let folder = tempfile::tempdir().unwrap();
    let schema = Arc::new(parse_message_type("message m { required int96 x; }").unwrap());
    let file = std::fs::File::create(folder.path().join("t.parquet")).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut times = group.next_column().unwrap().unwrap();
    // Nanoseconds of the day, low and high, and the Julian day.
    let time = |day: u32| Int96::from(vec![1_000, 0, day]);
    let never = 2_440_588 + 2_932_896;
    let all = [time(2_440_588), time(never), time(never + 1), time(0), time(u32::MAX)];
    times.typed::<Int96Type>().write_batch(&all, None, None).unwrap();
    times.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let source = locate(folder.path(), "t.parquet", Format::Parquet, vec![column("x", ColumnType::Timestamp)]);
    let expected = [Some("1970-01-01T00:00:00.000001"), Some("9999-12-31T00:00:00.000001"), None, None, None];
    assert_eq!(values(&source, 0).iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
}

/// Rows in memory have the declared types, but individual values may be invalid.
#[test]
fn values_in_memory() {
    let times = vec![Some(i64::MAX), Some(i64::MIN), Some(0), None];
    let batch = RecordBatch::try_from_iter([
        ("day", Arc::new(Date32Array::from(vec![i32::MAX, i32::MIN, 0, 1])) as ArrayRef),
        ("time", Arc::new(TimestampMicrosecondArray::from(times)) as ArrayRef),
        ("cost", Arc::new(Float64Array::from(vec![f64::NAN, f64::INFINITY, 0.5, 1.0])) as ArrayRef),
    ])
    .unwrap();
    let columns = vec![
        column("day", ColumnType::Date),
        column("time", ColumnType::Timestamp),
        column("cost", ColumnType::Decimal),
    ];
    let rows = rows(&Source::memory(TableSchema::protected("t", columns, None), vec![batch]));
    assert_eq!(rows.iter().map(|column| column.null_count()).collect::<Vec<_>>(), [2, 3, 2]);
    assert_eq!(shown(&rows[0])[3].as_deref(), Some("1970-01-02"));
}
