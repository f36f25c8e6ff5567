//! Weighted means: equality with a reference, little noise, and the rejection of weights below zero (S-LS). Their
//! intervals are tested beside those of fits (`regression`), their sensitivity beside all others.

use super::regression::{Row, decays, rows, shown, table, totals};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, TableSchema};
use num_traits::ToPrimitive;

fn first(answer: &str, rows: &[Row]) -> [Option<Rational>; 3] {
    let query = deniable_sql::plan(&format!("SELECT {answer} FROM t"), &[table()]).unwrap();
    let decays = decays(&query, &whole(3), Adjacency::AddRemove);
    shown(&query, totals(&query, rows), decays).remove(0)
}

#[test]
fn exact_sums_give_the_weighted_mean() {
    for seed in 0..20 {
        let rows = rows(150, seed, true);
        // y, x, z and b are at 0, 1, 2 and 3.
        let mean = |x: usize, w: usize, holds: &dyn Fn(&Row) -> bool| {
            let both = rows.iter().filter(|row| holds(row)).filter_map(|row| Some((row[x]?, row[w]?)));
            let (over, under) = both.fold((0, 0), |(over, under), (x, w)| (over + x * w, under + w));
            whole(over) / whole(under)
        };
        let always = |_: &Row| true;
        assert_eq!(first("AVG_WEIGHTED(y, x)", &rows)[0], Some(mean(0, 1, &always)));
        assert_eq!(first("AVG_WEIGHTED(z, y)", &rows)[0], Some(mean(2, 0, &always)));
        assert_eq!(first("AVG_WEIGHTED(b, x)", &rows)[0], Some(mean(3, 1, &always)));
        assert_eq!(first("AVG_WEIGHTED(x, b)", &rows)[0], Some(mean(1, 3, &always)));
        assert_eq!(first("AVG_WEIGHTED(y, y)", &rows)[0], Some(mean(0, 0, &always)));
        let older = |row: &Row| row[1].is_some_and(|x| x > 50);
        assert_eq!(first("AVG_WEIGHTED(y, z + 5) FILTER (WHERE x > 50)", &rows)[0], {
            let both = rows.iter().filter(|row| older(row)).filter_map(|row| Some((row[0]?, row[2]? + 5)));
            let (over, under) = both.fold((0, 0), |(over, under), (y, w)| (over + y * w, under + w));
            Some(whole(over) / whole(under))
        });
        // A weight that is 1 for all rows gives the average.
        assert_eq!(
            first("AVG_WEIGHTED(x, CASE WHEN b = 1 THEN 1 ELSE 0 END)", &rows)[0],
            Some(mean(1, 3, &|row| row[1].is_some()))
        );
    }
    // Without weights the mean is NULL, and its interval contains all possible values.
    assert_eq!(first("AVG_WEIGHTED(x, y)", &[]), [None, Some(whole(17)), Some(whole(90))]);
}

/// Values far from zero have no more noise than values near zero.
#[test]
fn centring_removes_the_extra_noise_of_far_values() {
    let rows = rows(3_000, 4, false);
    let width = |answer: &str| {
        let [_, low, high] = first(answer, &rows);
        (high.unwrap() - low.unwrap()).to_f64().unwrap()
    };
    let near = width("AVG_WEIGHTED(x, y)");
    let far = width("AVG_WEIGHTED(x + 1000, y)");
    let plain = width("SUM(y * (x + 1000)) / SUM(y)");
    println!("weighted {near:.4}, 1000 further {far:.4}, as a quotient of sums {plain:.4}");
    assert!((near - far).abs() < near / 100.0 && far * 10.0 < plain);
    assert!(near < width("SUM(y * x) / SUM(y)") * 0.7);
}

#[test]
fn weights_that_give_no_mean_are_refused() {
    let refused = |answer: &str| {
        let times = Column::new("d", ColumnType::Date);
        let mut table = table();
        table.columns.push(times.within(Bounds::new(whole(0), whole(9), whole(1)).unwrap()));
        table.columns.push(Column::new("free", ColumnType::Integer));
        let table = TableSchema::protected("t", table.columns, None);
        let query = deniable_sql::plan(&format!("SELECT {answer} FROM t"), &[table]);
        format!("{:?}", query.err().unwrap_or_else(|| panic!("{answer}")))
    };
    let below = refused("AVG_WEIGHTED(x, z)");
    assert!(below.contains("may be below 0") && below.contains("declare bounds of `z`"), "{below}");
    assert!(below.contains("GREATEST(z, 0)"), "{below}");
    assert!(refused("AVG_WEIGHTED(x, z - 1)").contains("GREATEST(w, 0)"));
    assert!(refused("AVG_WEIGHTED(x, 1)").contains("AVG(x)"));
    assert!(refused("AVG_WEIGHTED(3, x)").contains("of a constant"));
    assert!(refused("AVG_WEIGHTED(x)").contains("with these arguments"));
    assert!(refused("AVG_WEIGHTED(x, free)").contains("free"));
    assert!(refused("AVG_WEIGHTED(d, x)").contains("DATE_DIFF"));
    assert!(refused("AVG_WEIGHTED(x, d)").contains("DATE_DIFF"));
    assert!(deniable_sql::plan("SELECT AVG_WEIGHTED(x, GREATEST(z, 0)) FROM t", &[table()]).is_ok());
}
