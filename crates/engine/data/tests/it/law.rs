//! The law of readers: reading an array equals reading its rows one at a time, for any stored values. Values read are
//! also compared with an independent computation.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Decimal256Array, DictionaryArray, Float64Array, Int64Array,
    NullArray, RecordBatch, StringArray, UInt32Array,
};
use arrow_buffer::i256;
use arrow_cast::cast;
use arrow_schema::{DataType, TimeUnit};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, CsvOptions, Data, Format};
use deniable_core::zone::Zone;
use deniable_data::reading::ColumnReader;
use deniable_data::{Meter, Resources, Source, WantedColumn};
use deniable_expression::{Column as Values, LONGEST_TEXT, Type};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use proptest::test_runner::Config;
use std::path::Path;
use std::sync::Arc;

fn column(kind: ColumnType, format: Option<&str>) -> Column {
    Column { format: format.map(str::to_owned), ..Column::new("x", kind) }
}

/// Texts that are almost values, and others.
fn text() -> impl Strategy<Value = Option<String>> {
    let words = [
        "",
        " ",
        "  ",
        "NA",
        " NA",
        "NA ",
        "-",
        "0",
        "-0",
        "+1",
        "1.5",
        "1,5",
        "1.000,5",
        " 7 ",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "1e308",
        "1e309",
        "-1e-400",
        "inf",
        "NaN",
        "true",
        "T",
        "no",
        "2024-02-29",
        "2023-02-29",
        "0001-01-01",
        "9999-12-31",
        "10000-01-01",
        "31.12.2024",
        "2024-02-29T12:30:15.5",
        "9999-12-31T23:59:59.9999999",
        "ä",
        "\u{0}",
        "\t1\t",
        "more than twelve bytes",
        " more than twelve bytes ",
    ];
    prop_oneof![
        8 => proptest::sample::select(words.to_vec()).prop_map(|text| Some(text.to_owned())),
        2 => Just(None),
        2 => any::<String>().prop_map(Some),
        1 => (LONGEST_TEXT - 2..LONGEST_TEXT + 3).prop_map(|long| Some(format!("{}1 ", " ".repeat(long - 2)))),
        1 => any::<i64>().prop_map(|number| Some(number.to_string())),
        1 => any::<f64>().prop_map(|number| Some(number.to_string())),
    ]
}

fn whole() -> impl Strategy<Value = Option<i64>> {
    let extremes = [
        0,
        1,
        -1,
        i64::MIN,
        i64::MAX,
        -719_163,
        -719_162,
        2_932_896,
        2_932_897,
        i32::MIN.into(),
        i32::MAX.into(),
        -62_135_596_800_000_000,
        -62_135_596_800_000_001,
        253_402_300_799_999_999,
        253_402_300_800_000_000,
    ];
    prop_oneof![
        4 => proptest::sample::select(extremes.to_vec()).prop_map(Some),
        2 => Just(None),
        2 => any::<i64>().prop_map(Some),
        2 => any::<i32>().prop_map(|number| Some(number.into())),
    ]
}

fn float() -> impl Strategy<Value = Option<f64>> {
    let extremes = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE / 2.0, f64::MAX];
    prop_oneof![
        2 => proptest::sample::select(extremes.to_vec()).prop_map(Some),
        1 => Just(None),
        2 => any::<f64>().prop_map(Some),
    ]
}

/// Arrays of every type that a column may be stored in.
fn stored() -> impl Strategy<Value = ArrayRef> {
    let zone = || Some(Arc::<str>::from("+02:00"));
    let times = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let times =
        times.into_iter().flat_map(move |unit| [DataType::Timestamp(unit, None), DataType::Timestamp(unit, zone())]);
    let from_whole: Vec<DataType> = [
        DataType::Int64,
        DataType::Int32,
        DataType::Int16,
        DataType::Int8,
        DataType::UInt64,
        DataType::UInt32,
        DataType::UInt16,
        DataType::UInt8,
        DataType::Boolean,
        DataType::Date32,
        DataType::Date64,
        DataType::Decimal128(38, 0),
        DataType::Decimal64(18, 2),
        DataType::Decimal32(9, 1),
        DataType::Decimal256(70, 3),
        DataType::Null,
    ]
    .into_iter()
    .chain(times)
    .collect();
    let of = |array: ArrayRef, kind: DataType| match kind {
        // Random bits: a cast would lose the hostile values.
        DataType::Timestamp(..) | DataType::Date64 | DataType::UInt64 => {
            let data = array.to_data().into_builder().data_type(kind).build().unwrap();
            arrow_array::make_array(data)
        }
        DataType::Null => Arc::new(NullArray::new(array.len())),
        DataType::Date32 => cast(&cast(&array, &DataType::Int32).unwrap(), &kind).unwrap(),
        kind => cast(&array, &kind).unwrap(),
    };
    let wholes = proptest::collection::vec(whole(), 0..40);
    let wholes = (wholes, proptest::sample::select(from_whole))
        .prop_map(move |(values, kind)| of(Arc::new(Int64Array::from(values)) as ArrayRef, kind));
    let floats = (proptest::collection::vec(float(), 0..40), 0..3_usize).prop_map(|(values, kind)| {
        let kinds = [DataType::Float64, DataType::Float32, DataType::Float16];
        cast(&(Arc::new(Float64Array::from(values)) as ArrayRef), &kinds[kind]).unwrap()
    });
    let texts = (proptest::collection::vec(text(), 0..40), 0..3_usize).prop_map(|(values, kind)| {
        let kinds = [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View];
        cast(&(Arc::new(StringArray::from(values)) as ArrayRef), &kinds[kind]).unwrap()
    });
    let plain = prop_oneof![4 => wholes, 1 => floats, 2 => texts].boxed();
    let keys = proptest::collection::vec(proptest::option::of(0..40_usize), 0..60);
    let dictionary = (plain.clone(), keys).prop_map(|(values, keys)| {
        let key = |key: Option<usize>| Some(i32::try_from(key? % values.len()).unwrap());
        let keys: Vec<Option<i32>> =
            keys.into_iter().map(|found| if values.is_empty() { None } else { key(found) }).collect();
        Arc::new(DictionaryArray::<Int32Type>::try_new(keys.into(), values).unwrap()) as ArrayRef
    });
    // Slices have offsets.
    (prop_oneof![3 => plain, 1 => dictionary], 0..5_usize).prop_map(|(array, begin)| {
        let begin = begin.min(array.len());
        array.slice(begin, array.len() - begin)
    })
}

fn options() -> impl Strategy<Value = CsvOptions> {
    let nulls = proptest::sample::subsequence(vec!["", "NA", "-"], 0..=3);
    (any::<bool>(), any::<bool>(), nulls).prop_map(|(trim, decimal_comma, nulls)| CsvOptions {
        trim,
        decimal_comma,
        nulls: nulls.into_iter().map(str::to_owned).collect(),
        ..CsvOptions::with_delimiter(b';')
    })
}

/// Checks the law for one reader and array; every value read is a value of its type, or NULL.
fn hold(reader: &ColumnReader, array: &ArrayRef) {
    let whole = reader.read(array);
    assert_eq!((whole.len(), whole.kind()), (array.len(), reader.kind()));
    assert!(whole.same_as(&whole.clone().checked()), "{whole:?}");
    let present = reader.present(array);
    let as_stored = reader.stored(array);
    assert_eq!((present.len(), present.null_count(), as_stored.len()), (array.len(), 0, array.len()));
    for row in 0..array.len() {
        let one = array.slice(row, 1);
        assert!(reader.read(&one).same_as(&whole.slice(row, 1)), "row {row} of {array:?}");
        assert_eq!(reader.present(&one).value(0), present.value(row), "row {row} of {array:?}");
        // Only present rows have values.
        assert!(present.value(row) || !whole.is_valid(row));
    }
    if reader.kind() == Type::Text {
        let texts = cast(&as_stored, &DataType::Utf8View).unwrap();
        assert!(Values::Text(texts.as_string_view().clone()).same_as(&whole), "{as_stored:?} is not {whole:?}");
    }
}

/// The zone that a column of a stored type must state.
fn zone_of(stored: &DataType) -> Option<Zone> {
    match stored {
        DataType::Dictionary(_, values) => zone_of(values),
        DataType::Timestamp(_, Some(_)) => Zone::named("UTC"),
        _ => None,
    }
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn law_of_stored_arrays(array in stored()) {
        for kind in ColumnType::ALL {
            let column = Column { zone: zone_of(array.data_type()), ..column(kind, None) };
            match ColumnReader::from_stored(&column, array.data_type(), Path::new("t")) {
                Ok(reader) => hold(&reader, &array),
                Err(error) => prop_assert!(error.to_string().contains("cannot be read as"), "{error}"),
            }
            // An array of another type than the reader's gives only NULL.
            if *array.data_type() != DataType::Boolean {
                let reader = ColumnReader::from_stored(&column, &DataType::Null, Path::new("t")).unwrap();
                let null = *array.data_type() == DataType::Null;
                prop_assert!(null || reader.read(&array).same_as(&Values::nulls(reader.kind(), array.len())));
            }
        }
    }

    #[test]
    fn law_of_texts(values in proptest::collection::vec(text(), 0..30), options in options(), german in any::<bool>()) {
        let array: ArrayRef = Arc::new(StringArray::from(values));
        for kind in ColumnType::ALL {
            let format = if german { Some("%d.%m.%Y") } else { None };
            for array in [array.clone(), cast(&array, &DataType::Utf8View).unwrap()] {
                hold(&ColumnReader::from_text(&column(kind, format), &options), &array);
                hold(&ColumnReader::from_folder(&column(kind, format)), &array);
            }
        }
    }

    /// A decimal is read as the nearest double.
    #[test]
    fn decimals_are_rounded_once(units in any::<i128>(), shift in 0..128_u32, scale in -30..38_i8, wide in any::<bool>()) {
        let units = units >> shift;
        let array: ArrayRef = if wide {
            let array = Decimal256Array::from(vec![i256::from_i128(units)]);
            Arc::new(array.with_precision_and_scale(76, scale).unwrap())
        } else {
            prop_assume!(units.unsigned_abs() < 10_u128.pow(38));
            Arc::new(Decimal128Array::from(vec![units]).with_precision_and_scale(38, scale).unwrap())
        };
        let reader = ColumnReader::from_stored(&column(ColumnType::Decimal, None), array.data_type(), Path::new("t"));
        let read = reader.unwrap().read(&array).to_array();
        let expected: f64 = format!("{units}e{}", -i32::from(scale)).parse().unwrap();
        prop_assert_eq!(read.as_primitive::<Float64Type>().value(0).to_bits(), (expected + 0.0).to_bits());
    }

    /// Any bytes are a table or an error; the values read are the same on several threads.
    #[test]
    fn bytes_never_panic(
        bytes in proptest::collection::vec(
            prop_oneof![4 => proptest::sample::select(&b"\",;\n\r\t '\\0159.-+eE\xe4NA"[..]), 1 => any::<u8>()], 0..400),
        options in options(),
        encoding in proptest::sample::select(&["UTF-8", "UTF-16LE", "windows-1252", "Shift_JIS"][..]),
        has_header in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let head = if has_header { &b"a;b\n"[..] } else { b"" };
        std::fs::write(&path, [head, &bytes].concat()).unwrap();
        let names = ["a", "b"].map(str::to_owned);
        let columns = if has_header { None } else { Some(names.to_vec()) };
        let options = CsvOptions { columns, encoding: encoding.to_owned(), ..options };
        let kinds = [ColumnType::Integer, ColumnType::Text];
        let declared = names.iter().zip(kinds).map(|(name, kind)| Column { name: name.clone(), ..column(kind, None) });
        let source = csv(folder.path(), declared.collect(), options);
        drop(source.check(&Resources::default(), &|_| {}));
        let wanted = [WantedColumn::typed(0), WantedColumn::typed(1)];
        let Ok(scan) = source.scan(&wanted, &Meter::new()) else { return Ok(()) };
        let rows = scan.run(2, || 0, |rows, batch| {
            *rows += batch.rows;
            Ok::<(), ()>(())
        });
        let memory = source.into_memory();
        prop_assert_eq!(rows.is_ok(), memory.is_ok());
        if let (Ok(rows), Ok(memory)) = (rows, memory) {
            let counted = memory.scan(&[], &Meter::new()).unwrap().run(1, || 0, |rows, batch| {
                *rows += batch.rows;
                Ok::<(), ()>(())
            });
            prop_assert_eq!(rows.iter().sum::<usize>(), counted.unwrap().iter().sum::<usize>());
        }
    }
}

fn csv(folder: &Path, columns: Vec<Column>, options: CsvOptions) -> Source {
    let data = Data {
        table: "t".to_owned(),
        path: "t.csv".to_owned(),
        version: "1".to_owned(),
        format: Format::Csv(options),
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(TableSchema::protected("t", columns, None), &data, folder).unwrap()
}

/// Rows written to Parquet are read back unchanged, for every type that it can store.
#[test]
fn through_parquet() {
    let mut runner = proptest::test_runner::TestRunner::new(config(200));
    runner
        .run(&stored(), |array| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.parquet");
            // Dictionaries of other types than text are not read back as dictionaries; hostile Date64 values lose their
            // milliseconds.
            let values = match array.data_type() {
                DataType::Dictionary(_, values) => values.as_ref().clone(),
                kind => kind.clone(),
            };
            let batch = RecordBatch::try_from_iter_with_nullable([("x", array.clone(), true)]).unwrap();
            if matches!(array.data_type(), DataType::Dictionary(..)) && values == DataType::Utf8View {
                // No writer supports them.
                return Ok(());
            }
            let Ok(mut writer) = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None)
            else {
                return Ok(());
            };
            if writer.write(&batch).is_err() || writer.close().is_err() {
                return Ok(());
            }
            for kind in ColumnType::ALL {
                let column = Column { zone: zone_of(array.data_type()), ..column(kind, None) };
                let Ok(reader) = ColumnReader::from_stored(&column, array.data_type(), Path::new("t")) else {
                    continue;
                };
                let data = Data {
                    table: "t".to_owned(),
                    path: "t.parquet".to_owned(),
                    version: "1".to_owned(),
                    format: Format::Parquet,
                    partitions: Vec::new(),
                    typical_rows: None,
                };
                let source =
                    Source::locate(TableSchema::protected("t", vec![column], None), &data, folder.path()).unwrap();
                let scan = source.scan(&[WantedColumn::typed(0)], &Meter::new()).unwrap();
                let parts = scan.run(1, Vec::new, |parts, batch| {
                    parts.push(batch.columns[0].to_array());
                    Ok::<(), ()>(())
                });
                let parts = parts.unwrap().concat();
                let expected = reader.read(&array).to_array();
                if parts.is_empty() {
                    prop_assert_eq!(expected.len(), 0);
                    continue;
                }
                let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
                let found = arrow_select::concat::concat(&parts).unwrap();
                prop_assert_eq!(&found, &expected, "{} from {}", kind.name(), values);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn overlong_texts_in_dictionaries_are_null() {
    let long = "x".repeat(LONGEST_TEXT + 1);
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some(&long), None]));
    let keys = vec![Some(0), Some(1), None, Some(2), Some(0)];
    let array: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(keys.into(), values).unwrap());
    let reader = ColumnReader::from_stored(&column(ColumnType::Text, None), array.data_type(), Path::new("t")).unwrap();
    hold(&reader, &array);
    let valid: Vec<bool> = (0..5).map(|row| reader.read(&array).is_valid(row)).collect();
    assert_eq!(valid, [true, false, false, false, true]);
    assert_eq!(reader.present(&array), BooleanArray::from(vec![true, true, false, false, true]));
    let taken = reader.read(&array).take(&UInt32Array::from(vec![4, 1]));
    assert!(taken.is_valid(0) && !taken.is_valid(1));
}

/// An accepted type is read: zero and one, as far as the type has them, are values in every form.
#[test]
fn accepted_types_are_read() {
    let ones: ArrayRef = Arc::new(Int64Array::from(vec![0, 1]));
    let zone = Some(Arc::<str>::from("UTC"));
    let units = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let times = units.into_iter().flat_map(|unit| [None, zone.clone()].map(|zone| DataType::Timestamp(unit, zone)));
    let kinds: Vec<DataType> = [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Float16,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal32(5, 2),
        DataType::Decimal64(12, -2),
        DataType::Decimal128(20, 3),
        DataType::Decimal256(60, 30),
        DataType::Boolean,
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Date32,
        DataType::Date64,
    ]
    .into_iter()
    .chain(times)
    .collect();
    let mut read = 0;
    for stored in kinds {
        let array = match &stored {
            DataType::Date32 => cast(&cast(&ones, &DataType::Int32).unwrap(), &stored).unwrap(),
            stored => cast(&ones, stored).unwrap(),
        };
        let keys = vec![Some(1), Some(0)];
        let dictionary: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(keys.into(), array.clone()).unwrap());
        for array in [array, dictionary] {
            for kind in ColumnType::ALL {
                let column = column(kind, None);
                let Ok(reader) = ColumnReader::from_stored(&column, array.data_type(), Path::new("t")) else {
                    continue;
                };
                let values = reader.read(&array);
                assert!(values.is_valid(0) && values.is_valid(1), "{} from {}", kind.name(), array.data_type());
                read += 1;
            }
        }
    }
    // Eight integer types and seven other numeric ones in two encodings, one of booleans, three of texts, two of dates
    // in two encodings, four of timestamps: those with a zone need a column that states one.
    assert_eq!(read, 2 * (8 * 2 + 7 * 2 + 1 + 3 + 2 * 2 + 4));
}
