//! The charts of the page.

use crate::Evaluation;
use crate::adversary::Adversary;
use crate::calibrate::largest_odds;
use crate::composed::{ComposedEnds, Composition};
use crate::surface::{Cells, Grid, Measure, Surface};
use crate::written::three;
use deniable_chart::composition::{Composition as Curves, Panel as Curve, curve};
use deniable_chart::palette::standalone;
use deniable_chart::surface::{Axis, Cell, Panel, Spot, Surface as Picture, cells};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::ToPrimitive;

/// Most answers of the curves.
const LONGEST: u32 = 20;

/// Colours of the factor by which belief can fall under composed odds.
const FALLS: [(f64, &str); 6] = [(1.01, "1.01"), (1.1, "1.1"), (2.0, "2"), (10.0, "10"), (100.0, "100"), (1e6, "1e6")];

/// A setting of the curves: the number of equally likely worlds, and the (α,β) of each answer.
pub type Setting = (usize, Rational, Rational);

/// The settings of the curves: E-2's two worlds, ten worlds, and the worlds of the data, each where α binds.
#[must_use]
pub fn settings(evaluation: &Evaluation) -> [Setting; 3] {
    let half = || ratio(1, 2);
    [(2, half(), half()), (10, half(), whole(1)), (evaluation.worlds, half(), whole(1))]
}

/// All charts by the name of their file.
#[must_use]
pub fn all(evaluation: &Evaluation) -> Vec<(String, String)> {
    let grid = &evaluation.settings.grid;
    let surfaces = evaluation
        .surfaces
        .iter()
        .map(|surface| (surface_file(surface), standalone(&cells(&of_surface(evaluation, surface)))));
    let compositions = evaluation.compositions.iter().map(|(adversary, all)| {
        (composition_file(*adversary), standalone(&cells(&of_compositions(grid, *adversary, all))))
    });
    let curves = ("answers.svg".to_owned(), standalone(&curve(&of_answers(evaluation))));
    surfaces.chain(compositions).chain([curves]).collect()
}

/// The file of a surface.
#[must_use]
pub fn surface_file(surface: &Surface) -> String {
    format!("{}-{}.svg", surface.adversary.slug(), surface.query.slug())
}

/// The file of an adversary's composed answers.
#[must_use]
pub fn composition_file(adversary: Adversary) -> String {
    format!("{}-composition.svg", adversary.slug())
}

fn float(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

fn axis(name: &str, values: &[Rational]) -> Axis {
    Axis { name: name.to_owned(), values: values.iter().map(float).collect() }
}

fn outside(adversary: Adversary) -> String {
    match adversary {
        Adversary::Strong => "no such promise: α ≥ 1 or β ≥ 9".to_owned(),
        Adversary::Weak | Adversary::Unknown => "no such promise: α ≥ 1".to_owned(),
    }
}

/// The divisor of a surface's noise, in words.
#[must_use]
pub fn measure(surface: &Surface) -> &'static str {
    match surface.measure {
        Measure::Answer => "error ratio (noise / answer)",
        Measure::Width => "noise / width of the domain (the answer is 0)",
    }
}

fn of_surface(evaluation: &Evaluation, surface: &Surface) -> Picture {
    let Grid { alphas, betas } = &evaluation.settings.grid;
    let (name, who) = (surface.query.name(), surface.adversary.name());
    let values = || surface.expected.iter().flatten().flatten().copied();
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let spots = |from: &Cells<f64>| {
        let quoted = evaluation.compared.iter().map(|compared| &compared.quoted);
        let here = quoted.filter(|quoted| quoted.query == surface.query && quoted.adversary == surface.adversary);
        let spot = |quoted: &crate::quoted::QuotedRatio| {
            let (row, column) = evaluation.settings.grid.position(&quoted.alpha, &quoted.beta)?;
            Some(Spot { at: (float(&quoted.beta), float(&quoted.alpha)), name: three(from[row][column]?) })
        };
        here.filter_map(spot).collect()
    };
    let panel = |title: String, from: &Cells<f64>| Panel {
        title,
        cells: from.iter().map(|row| row.iter().map(|value| Cell { value: *value, warned: false }).collect()).collect(),
        spots: spots(from),
    };
    Picture {
        title: format!("{name}, {who}: how large the noise is"),
        description: format!(
            "{} over α and β: from {} where both are large to {} where one is small; left as expected, right as measured.",
            measure(surface),
            three(least),
            three(most)
        ),
        across: axis("β", betas),
        up: axis("α", alphas),
        panels: vec![
            panel(format!("{name}, {who}: expected"), &surface.expected),
            panel(format!("mean of {} draws", evaluation.settings.repetitions), &surface.measured),
        ],
        colours: measure(surface).to_owned(),
        limits: limits(least),
        warning: String::new(),
        outside: outside(surface.adversary),
    }
}

/// Six limits of colours, two in a decade (1, 3, 10, 30 ...), from the first one above the smallest value on.
fn limits(least: f64) -> Vec<(f64, String)> {
    let from = least.log10().floor() as i32;
    let steps = (from..).flat_map(|decade| [1.0, 3.0].map(|step| step * 10_f64.powi(decade)));
    steps.filter(|limit| *limit > least * 1.05).take(6).map(|limit| (limit, plain(limit))).collect()
}

/// `0.003`, `300`.
fn plain(limit: f64) -> String {
    let places = usize::try_from(-limit.log10().floor() as i32).unwrap_or(0);
    format!("{limit:.places$}")
}

fn of_compositions(grid: &Grid, adversary: Adversary, all: &[Composition]) -> Picture {
    let cell = |cell: &Option<ComposedEnds>| Cell {
        value: cell.as_ref().map(|cell| float(&cell.kept.low.recip())),
        warned: cell.as_ref().is_some_and(ComposedEnds::is_unsafe),
    };
    let panel = |composition: &Composition| {
        let verdict = composition.verdict();
        let many =
            if composition.answers == 1 { "1 answer".to_owned() } else { format!("{} answers", composition.answers) };
        let warned = verdict.falls_below.max(verdict.rises_above);
        let panel = Panel {
            title: format!("{}: {many}", adversary.name()),
            cells: composition.cells.iter().map(|row| row.iter().map(cell).collect()).collect(),
            spots: Vec::new(),
        };
        (panel, format!("{many}: {warned} of {} points unsafe", verdict.points))
    };
    let (panels, said): (Vec<_>, Vec<_>) = all.iter().map(panel).unzip();
    Picture {
        title: format!("{}: how far belief in a world can fall", adversary.name()),
        description: format!(
            "By composed odds; hatched where Theorem 1 claims that it falls less. {}.",
            said.join("; ")
        ),
        across: axis("β of each answer", &grid.betas),
        up: axis("α of each answer", &grid.alphas),
        panels,
        colours: "belief before / lowest belief after, by composed odds".to_owned(),
        limits: FALLS.map(|(limit, name)| (limit, name.to_owned())).to_vec(),
        warning: "Theorem 1 is unsafe: belief can fall below its claim".to_owned(),
        outside: outside(adversary),
    }
}

/// After 1 to 20 answers of a setting, where its promise is defined.
#[must_use]
pub fn answers((worlds, alpha, beta): &Setting) -> Vec<ComposedEnds> {
    let adversary = Adversary::Weak;
    let Ok(odds) = largest_odds(adversary, *worlds, alpha, beta) else { return Vec::new() };
    let least = adversary.least(*worlds);
    (1..=LONGEST).map(|answers| ComposedEnds::after(answers, (alpha, beta), &least, &odds)).collect()
}

fn of_answers(evaluation: &Evaluation) -> Curves {
    let panel = |setting: &Setting| {
        let all = answers(setting);
        let (worlds, alpha, beta) = setting;
        Curve {
            title: format!("{} worlds, α = {alpha}, β = {beta}", crate::written::grouped(&worlds.to_string())),
            claimed: all.iter().map(|composed| float(&composed.claimed.low)).collect(),
            reached: all.iter().map(|composed| float(&composed.kept.low)).collect(),
        }
    };
    let settings = settings(evaluation);
    let said: Vec<String> = settings
        .iter()
        .filter_map(|setting| {
            let last = answers(setting).pop()?;
            let part = three(float(&(&last.claimed.low / &last.kept.low)));
            Some(format!("{} worlds: the claim is {part} times what is kept", setting.0))
        })
        .collect();
    Curves {
        title: "Belief after 1 to 20 answers".to_owned(),
        description: format!(
            "The lowest belief in a world, of equally likely ones. After 20 answers, {}.",
            said.join("; ")
        ),
        panels: settings.iter().map(panel).collect(),
        reached: "can be reached (odds composed)".to_owned(),
        claimed: "claimed by Theorem 1".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_begin_above_the_least_value() {
        let names = |least| limits(least).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(names(4.6e-5), ["0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03"]);
        assert_eq!(names(0.62), ["1", "3", "10", "30", "100", "300"]);
    }
}
