//! Intervals of numbers with a limited range: they are clipped to that range, and never to a point, which would suggest
//! certainty.

use deniable_answers::{Noisy, ShownValue};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::{Decay, margin};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType};
use deniable_query::Query;
use num_bigint::BigInt;
use num_traits::Zero;

fn query(sql: &str) -> Query {
    let column = |name: &str, low: i64, high: i64| {
        let bounds = Bounds::new(whole(low), whole(high), whole(1)).unwrap();
        Column::new(name, ColumnType::Integer).within(bounds)
    };
    let columns = vec![column("age", 0, 90), column("debt", -50, -10), column("change", -5, 5)];
    deniable_sql::plan(sql, &[TableSchema::protected("t", columns, None)]).unwrap()
}

/// The value and the interval of a query's only answer, for noisy numbers of its measures.
fn shown(query: &Query, values: &[i128]) -> [Option<Rational>; 3] {
    let decays = vec![decay(); query.measures().len()];
    let noisy = Noisy { values: values.iter().map(|value| vec![*value]).collect(), consistent: None, decays };
    let row = deniable_answers::show(query, &noisy, &ratio(19, 20)).remove(0);
    let ShownValue::Number { estimate, low, high, .. } = &row.0[0] else { panic!("{row:?}") };
    [estimate.clone(), low.clone(), high.clone()]
}

fn decay() -> Decay {
    Decay::hiding(&Spend::odds(ratio(11, 10)).unwrap(), &BigInt::from(1)).unwrap()
}

fn reach() -> Rational {
    whole(margin(&decay(), &ratio(19, 20)))
}

#[test]
fn counts_and_sums_keep_the_width_of_their_noise() {
    let reach = reach();
    assert!(reach > whole(20) && reach < whole(100), "{reach}");
    for (sql, sign) in [("SELECT COUNT(*) FROM t", 1), ("SELECT SUM(age) FROM t", 1), ("SELECT SUM(debt) FROM t", -1)] {
        let query = query(sql);
        for value in [-10_000_i128, -1_000, -30, -1, 0, 1, 30, 1_000] {
            let [estimate, low, high] = shown(&query, &[value * sign]);
            let value = whole(value * sign);
            assert_eq!(estimate, Some(value.clone()), "{sql}");
            let (low, high) = (low.unwrap(), high.unwrap());
            assert!(&high - &low >= reach, "{sql}, {value}: {low} .. {high}");
            // The result contains the interval of the noise, clipped at zero.
            let inside = |end: Rational| if sign > 0 { end.max(Rational::zero()) } else { end.min(Rational::zero()) };
            let (cut_low, cut_high) = (inside(&value - &reach), inside(&value + &reach));
            assert!(low <= cut_low && cut_high <= high, "{sql}, {value}: {low} .. {high}");
            assert!(low == inside(low.clone()) && high == inside(high.clone()), "{sql}, {value}: {low} .. {high}");
        }
    }
}

#[test]
fn sums_of_either_sign_are_not_cut() {
    let query = query("SELECT SUM(change) FROM t");
    let reach = reach();
    assert_eq!(
        shown(&query, &[-1_000]),
        [Some(whole(-1_000)), Some(whole(-1_000) - &reach), Some(whole(-1_000) + reach)]
    );
}

/// Whatever the noise, averages and variances are never shown as a point, and stay within their bounds.
#[test]
fn averages_and_variances_are_never_certain() {
    for (sql, most) in [
        ("SELECT AVG(age) FROM t", whole(90)),
        ("SELECT VAR_POP(age) FROM t", whole(2_025)),
        ("SELECT VAR_SAMP(age) FROM t", whole(4_050)),
        ("SELECT STDDEV_POP(age) FROM t", whole(45)),
    ] {
        let query = query(sql);
        let numbers = [-1_000_000_i128, -1_000, 0, 500, 1_000_000];
        let all = numbers.iter().flat_map(|a| numbers.iter().flat_map(move |b| numbers.map(|c| [*a, *b, c])));
        for values in all {
            let [_, low, high] = shown(&query, &values[..query.measures().len()]);
            let (low, high) = (low.unwrap(), high.unwrap());
            assert!(low < high && low >= whole(0) && high <= most, "{sql}, {values:?}: {low} .. {high}");
        }
    }
}
