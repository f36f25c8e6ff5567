//! Answers about SNPs, drawn along the genome.

use super::{finest, number, value};
use deniable_chart::answers::Point;
use deniable_chart::genome::{Axis, Genome, Snp, genome};
use deniable_publication::{Answer, Cell, KeyValue};

/// Most SNPs of one chart: names of more would hide each other.
const MOST_SNPS: usize = 60;

/// Positions of the columns of an answer about SNPs, by PLINK's names.
#[derive(Debug, Clone, Copy)]
struct Columns {
    /// The rank among the picks; if `None`, heights are numbers.
    pick: Option<usize>,
    chromosome: usize,
    name: usize,
    position: usize,
}

/// The columns of an answer about SNPs, if it is one: CHR, SNP and BP come first, or second after PICK, and all rows
/// have values of these kinds.
fn found(table: &Answer) -> Option<Columns> {
    let pick = (table.columns.first()? == "PICK").then_some(0);
    let first = usize::from(pick.is_some());
    let columns = Columns { pick, chromosome: first, name: first + 1, position: first + 2 };
    let named = table.columns.get(first..first + 3)?.iter().eq(["CHR", "SNP", "BP"]);
    let whole =
        |row: &Vec<Cell>| columns.pick.is_none_or(|at| integer(row, at).is_some()) && snp(row, &columns).is_some();
    (named && table.rows.iter().all(whole)).then_some(columns)
}

fn integer(row: &[Cell], at: usize) -> Option<i64> {
    match row.get(at) {
        Some(Cell::Key(Some(KeyValue::Integer(value)))) => Some(*value),
        _ => None,
    }
}

/// The SNP of a row, without its height.
fn snp(row: &[Cell], columns: &Columns) -> Option<Snp> {
    let Some(Cell::Key(Some(KeyValue::Text(name)))) = row.get(columns.name) else { return None };
    Some(Snp {
        chromosome: integer(row, columns.chromosome)?.try_into().ok()?,
        position: integer(row, columns.position)?.try_into().ok()?,
        point: Point { label: name.clone(), ..Point::default() },
    })
}

/// Whether an answer is about SNPs with ranks or numbers.
pub fn suits(table: &Answer, numbers: &[usize]) -> bool {
    !table.rows.is_empty() && found(table).is_some_and(|columns| columns.pick.is_some() || !numbers.is_empty())
}

/// The chart of such an answer with its caption: by rank if there are picks, else by the first number.
pub fn picture(table: &Answer, numbers: &[usize]) -> Option<(String, String)> {
    let columns = found(table)?;
    let rows = finest(table);
    let (axis, title, points): (Axis, String, Vec<Point>) = match (columns.pick, numbers.first()) {
        (Some(at), _) => {
            let points = rows.iter().map(|row| place(integer(row, at))).collect();
            (Axis::Places, "picks along the genome".to_owned(), points)
        }
        (None, Some(at)) => {
            let points: Vec<Point> = rows.iter().map(|row| released(row, *at)).collect();
            let name = table.columns.get(*at).cloned().unwrap_or_default();
            let is_p = name.starts_with('P') && points.iter().filter_map(|point| point.value).all(|p| p <= 1.0);
            let (label, points) =
                if is_p { (format!("−log10 {name}"), points.iter().map(strength).collect()) } else { (name, points) };
            (Axis::Numbers { label: label.clone(), threshold: None }, format!("{label} along the genome"), points)
        }
        (None, None) => return None,
    };
    let mut snps: Vec<Snp> = rows
        .iter()
        .zip(points)
        .filter_map(|(row, point)| {
            let snp = snp(row, &columns)?;
            Some(Snp { point: Point { label: snp.point.label.clone(), ..point }, ..snp })
        })
        .collect();
    if !snps.iter().any(|snp| snp.point.value.is_some()) {
        return None;
    }
    // The first picks, or the highest numbers, are the most interesting.
    let rank = |snp: &Snp| snp.point.value.map_or(f64::INFINITY, |at| if columns.pick.is_some() { at } else { -at });
    snps.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
    let all = snps.len();
    snps.truncate(MOST_SNPS);
    let caption = if all > MOST_SNPS {
        let which = if columns.pick.is_some() { "first" } else { "highest" };
        format!("{title}; the {which} {MOST_SNPS} of {all} are drawn, the table has more")
    } else {
        title.clone()
    };
    Some((genome(&Genome { title, axis, snps }), caption))
}

/// The height of a pick.
fn place(at: Option<i64>) -> Point {
    Point { value: at.map(|at| at as f64), ..Point::default() }
}

/// The height of a number, with its interval.
fn released(row: &[Cell], at: usize) -> Point {
    let Some(cell) = number(row, at) else {
        return Point::default();
    };
    let shown = value(&cell.value);
    // A value chosen by its rank has an interval of ranks, not of values: it is drawn without an interval.
    let end = |end| if cell.rows.is_some() { shown } else { value(end) };
    Point { value: shown, low: end(&cell.low), high: end(&cell.high), ..Point::default() }
}

/// A p-value on a logarithmic scale: the smaller, the higher, so the ends of its interval are swapped. Zero has no
/// height.
fn strength(p: &Point) -> Point {
    let height = |p: Option<f64>| p.filter(|p| *p > 0.0).map(|p| -p.log10());
    // A p-value above 1 is impossible, so the interval is cut there.
    let high = p.high.map(|high| high.min(1.0));
    // `-log10 1` is a negative zero.
    let plain = |height: Option<f64>| height.map(|height| height + 0.0);
    Point { value: plain(height(p.value)), low: plain(height(high)), high: plain(height(p.low)), ..Point::default() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::super::{Shape, pictures, shape};
    use serde_json::json;

    fn cell(value: f64, low: f64, high: f64) -> serde_json::Value {
        json!({ "value": value, "low": low, "high": high })
    }

    #[test]
    fn picks_are_drawn_by_their_place() {
        let rows = json!([[1, 6, "rs1", 32_000_000, cell(40.5, 30.0, 50.0)], [2, 0, "rs2", 0, cell(3.0, 1.0, 5.0)]]);
        let picked = table(&["PICK", "CHR", "SNP", "BP", "CHISQ"], rows);
        assert_eq!(shape(&picked), Shape::Genome);
        let drawn = pictures(&picked, None);
        let [(svg, caption)] = drawn.as_slice() else { panic!("one picture") };
        assert_eq!(caption, "picks along the genome");
        assert!(svg.contains("rs1 on chromosome 6 at 32,000,000: place 1. rs2 on an unknown chromosome"), "{svg}");
        assert!(!svg.contains("40.5"), "{svg}");
        // Ranks need no number beside them.
        let bare = table(&["PICK", "CHR", "SNP", "BP"], json!([[1, 6, "rs1", 32_000_000]]));
        assert_eq!((shape(&bare), pictures(&bare, None).len()), (Shape::Genome, 1));
    }

    #[test]
    fn numbers_are_drawn_with_their_intervals_and_p_values_by_their_powers() {
        let by = |column: &str, cells: serde_json::Value| {
            let drawn = table(&["CHR", "SNP", "BP", column], json!([[25, "rs7", 1_500_000, cells]]));
            assert_eq!(shape(&drawn), Shape::Genome);
            pictures(&drawn, None).remove(0)
        };
        let (svg, caption) = by("CHISQ", cell(40.5, 30.0, 51.0));
        assert!(svg.contains("rs7 on what X and Y share at 1,500,000: 40.5, from 30 to 51."), "{svg}");
        assert_eq!(caption, "CHISQ along the genome");
        let (svg, caption) = by("P", cell(1e-8, 1e-10, 1e-6));
        assert!(svg.contains(": 8, from 6 to 10.") && caption == "−log10 P along the genome", "{svg}");
        let (svg, _) = by("P", cell(0.01, 0.0, 2.0));
        assert!(svg.contains(": 2, at least 0."), "{svg}");
        let (svg, _) = by("PEOPLE", cell(400.0, 300.0, 500.0));
        assert!(svg.contains(": 400, from 300 to 500."), "no p-value is above 1: {svg}");
        let (svg, _) = by("MEDIAN", json!({ "value": 30, "low": 0, "high": 60, "rows": 9 }));
        assert!(svg.contains(": 30.") && !svg.contains("interval"), "{svg}");
    }

    #[test]
    fn columns_with_other_values_are_not_snps() {
        let n = cell(1.0, 0.0, 2.0);
        for (columns, row) in [
            (["CHR", "SNP", "BP", "n"], json!(["6", "rs1", 5, n])),
            (["CHR", "SNP", "BP", "n"], json!([6, 1, 5, n])),
            (["CHR", "SNP", "BP", "n"], json!([6, "rs1", -5, n])),
            (["CHR", "SNP", "BP", "n"], json!([600, "rs1", 5, n])),
            (["CHR", "SNP", "BP", "n"], json!([6, "rs1", null, n])),
            (["CHR", "BP", "SNP", "n"], json!([6, 5, "rs1", n])),
            (["SNP", "CHR", "BP", "n"], json!(["rs1", 6, 5, n])),
        ] {
            assert_eq!(shape(&table(&columns, json!([row]))), Shape::Bars, "{columns:?} {row}");
        }
        assert_eq!(shape(&table(&["CHR", "SNP", "BP"], json!([[6, "rs1", 5]]))), Shape::Table);
        assert_eq!(shape(&table(&["PICK", "CHR", "SNP", "BP", "n"], json!([["1", 6, "rs1", 5, n]]))), Shape::Bars);
        assert_eq!(shape(&table(&["PICK", "CHR", "SNP", "BP"], json!([]))), Shape::Table);
        let unknown = json!([[6, "rs1", 5, { "value": null, "low": null, "high": null }]]);
        assert!(pictures(&table(&["CHR", "SNP", "BP", "n"], unknown), None).is_empty());
    }

    #[test]
    fn of_many_the_highest_are_drawn() {
        let rows: Vec<_> = (1..=80).map(|at| json!([at, at % 22 + 1, format!("rs{at}"), at * 100_000])).collect();
        let (svg, caption) = pictures(&table(&["PICK", "CHR", "SNP", "BP"], rows.into()), None).remove(0);
        assert_eq!(caption, "picks along the genome; the first 60 of 80 are drawn, the table has more");
        assert!(svg.contains("60 SNPs along") && svg.contains("rs1 on") && !svg.contains("rs61<"), "{svg}");
        let row = |at: i32| json!([at % 22 + 1, format!("rs{at}"), at * 100_000, cell(0.5_f64.powi(at), 0.0, 1.0)]);
        let (svg, caption) =
            pictures(&table(&["CHR", "SNP", "BP", "P"], (1..=80).map(row).collect::<Vec<_>>().into()), None).remove(0);
        assert_eq!(caption, "−log10 P along the genome; the highest 60 of 80 are drawn, the table has more");
        assert!(svg.contains("The highest 12: rs80 on") && !svg.contains(">rs20<"), "{svg}");
    }
}
