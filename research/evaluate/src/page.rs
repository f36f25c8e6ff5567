//! The page for a statistician: `docs/evaluation/README.md`. Every number in it is computed.

mod several;
mod wrapped;

use crate::adversary::Adversary;
use crate::calibrate::{Noise, scale};
use crate::pictures::{self, surface_file};
use crate::queries::{Aggregate, Query};
use crate::quoted::{RatioComparison, top};
use crate::record::{Line, points};
use crate::surface::{Measure, Surface};
use crate::written::{at_most, exact, grouped, significant, three};
use crate::{EvaluateError, Evaluation};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, whole};
use num_traits::ToPrimitive;
use std::fmt::Write;

/// The page as Markdown, with pictures beside it.
///
/// # Errors
/// When a line of the table cannot be computed.
pub fn readme(evaluation: &Evaluation) -> Result<String, EvaluateError> {
    let mut page = beginning(evaluation)?;
    page.push_str(&table(evaluation)?);
    for adversary in Adversary::ALL {
        page.push_str(&section(evaluation, adversary)?);
    }
    page.push_str(&figures_of_the_text(evaluation));
    page.push_str(&several::composition(evaluation)?);
    page.push_str(&ending());
    Ok(wrapped::wrapped(&page))
}

/// The difference of geometric noise and Laplace noise of the same scale, in mean size: largest at the narrowest noise.
fn from_laplace(evaluation: &Evaluation) -> Result<f64, EvaluateError> {
    let mut widest: f64 = 0.0;
    for adversary in Adversary::ALL {
        let odds = evaluation.settings.grid.odds(adversary, evaluation.worlds)?;
        let Some(largest) = odds.iter().flatten().flatten().max() else { continue };
        for query in crate::DRAWN {
            let noise = Noise::hiding(largest, &query.theta_units())?;
            let scale = scale(largest, &whole(query.theta_units())).1;
            widest = widest.max((noise.mean_size() / scale - whole(1)).to_f64().unwrap_or(f64::NAN).abs());
        }
    }
    Ok(widest)
}

fn beginning(evaluation: &Evaluation) -> Result<String, EvaluateError> {
    let (rows, worlds) = (grouped(&evaluation.adult.rows().to_string()), grouped(&evaluation.worlds.to_string()));
    let settings = &evaluation.settings;
    let (alphas, betas) = (&settings.grid.alphas, &settings.grid.betas);
    let ends = |values: &[Rational]| {
        let end = |value: Option<&Rational>| value.map(exact).unwrap_or_default();
        format!("{} to {}", end(values.first()), end(values.last()))
    };
    Ok(format!(
        "# The (α,β) evaluation on UCI Adult

The paper on (α,β)-differential identifiability (AB-DI in [docs/theorems](../theorems/papers.md)) ends with an evaluation on UCI Adult: how
large is the noise beside the answer, for aggregate queries and for two adversaries? This page repeats it with the noise that Deniable draws, and
checks what the paper says about several answers.

All numbers and pictures come from one command; see [the end](#make-it-again). For programs: [queries.csv](queries.csv) and
[evaluation.json](evaluation.json).

## The setting

- **The promise.** An observer knows every record of the universe and knows that exactly one person
  is missing from the data. The observer has a belief in each of the possible worlds, one for each person who may be the missing one. An answer may move belief in a world down to `1−α` times what it was, and up to `1+β`
  times (B-6).
- **The data.** {rows} records. One more person makes a universe of {worlds} people, so there are {worlds} worlds; the paper has the same number.
- **The noise.** The largest odds ratio `R` that keeps the promise is an exact fraction. The noise is two-sided geometric with scale `λ = Θ / ln R` (M-GEO): the
  paper's Laplace noise on whole numbers. For the queries that are drawn, the mean sizes of both differ by {width}% at most.
- **The error ratio.** The size of the noise over the size of the answer. *Expected* is `E|k| = 2r/(1−r²)` for the exact distribution. *Measured* is
  the mean of {repetitions} draws at each point, which is within about {error:.0}% of the expected one in two cases of three. The draws have a fixed seed
  ({seed}), so that this page can be made again. A release takes its randomness from the operating system and has no seed.
- **The grid.** {na} values of α ({alpha}) by {nb} of β ({beta}), ten to a factor of ten. The definition wants α below 1; the last values
  show where it ends.

MIN, MAX and MEDIAN get the paper's noise here. A release of Deniable answers them by permute-and-flip (M-PF) instead.

",
        repetitions = settings.repetitions,
        error = 100.0 / f64::from(settings.repetitions).sqrt(),
        seed = settings.seed,
        na = alphas.len(),
        nb = betas.len(),
        alpha = ends(alphas),
        beta = ends(betas),
        width = significant(100.0 * from_laplace(evaluation)?, 2),
    ))
}

fn table(evaluation: &Evaluation) -> Result<String, EvaluateError> {
    let adult = &evaluation.adult;
    let mut text = String::from(
        "## The queries

Domains are declared, as in [examples/adult](../../examples/adult); none is read from the data. Θ is how far two answers can be apart over data that
arises from one data set by leaving out one record (S-ID). It is `hi − lo` for sums, MIN and MAX. For averages it is `(hi − lo)/n`, as the number of
records is public. For MEDIAN it is `hi − lo` as well: when about half of the records have one end of the domain as their value and the rest the other,
the record that is left out decides where the middle falls. All are attained; a test tries every small data set. Counting queries have Θ = 0 and are left out, as in the paper.

Δ is the ordinary sensitivity of differential privacy, when one record is added or removed. When one is replaced, Δ equals Θ. The last two columns are
Theorem 4's ε = Δ/λ = (Δ/Θ) ln R against A_w, for adding or removing and rounded up; for replacing, it is ln R in every row.

",
    );
    let [first, second] = points();
    let heading = |(alpha, beta): &(Rational, Rational)| format!("ε at ({}, {})", exact(alpha), exact(beta));
    let _ = write!(
        text,
        "| query | domain | value | Θ | Δ | {} | {} |\n|---|---|---:|---:|---:|---:|---:|\n",
        heading(&first),
        heading(&second)
    );
    for query in Query::all() {
        let (low, high) = query.column.domain();
        let epsilon = |point| {
            Line::of(evaluation, query, Adversary::Weak, point).map(|line| at_most(&line.epsilon_add_remove, 5))
        };
        let _ = writeln!(
            text,
            "| {} | {} to {} | {} | {} | {} | {} | {} |",
            query.name(),
            grouped(&low.to_string()),
            grouped(&high.to_string()),
            exact(&query.value(adult)),
            exact(&query.theta(adult)),
            exact(&query.delta(adult, Adjacency::AddRemove)),
            epsilon(&first)?,
            epsilon(&second)?,
        );
    }
    let zero: Vec<String> =
        Query::all().into_iter().filter(|query| query.value(adult) == whole(0)).map(Query::name).collect();
    if !zero.is_empty() {
        let _ = write!(
            text,
            "\nFor {} the answer is 0, so there is no error ratio. The paper draws one for MIN(capital_gain) without saying what it divides by. Here its noise is divided by \
             the width of the domain instead.\n",
            listed(&zero)
        );
    }
    text.push('\n');
    Ok(text)
}

fn introduction(evaluation: &Evaluation, adversary: Adversary) -> (String, String) {
    let worlds = grouped(&evaluation.worlds.to_string());
    match adversary {
        Adversary::Weak => (
            "The weak adversary, A_w".to_owned(),
            format!(
                "The weak adversary cannot distinguish the worlds: each has prior 1/{worlds}, so P_min = P_max = 1/{worlds}. This is the paper's Figure 1. Its text names (b) MIN(capital_gain), \
                 (c) MAX(capital_loss) and (d) SUM(hours_per_week), but not (a); AVG(age) stands in for that."
            ),
        ),
        Adversary::Strong => (
            "The strong adversary, A_s".to_owned(),
            "The strong adversary knows that some worlds are impossible, so P_min = 0, and believes no world more than P_max = 1/10. A promise with β ≥ 1/P_max − 1 = 9 would allow certainty; \
             it is refused. This is the paper's Figure 2."
                .to_owned(),
        ),
        Adversary::Unknown => (
            "Without priors".to_owned(),
            "The paper's Theorem 2: `R = min(1/(1−α), 1+β)` holds for every adversary. There is no limit on β, and from some β on the promise does not \
             restrict an observer who already finds a world likely."
                .to_owned(),
        ),
    }
}

fn section(evaluation: &Evaluation, adversary: Adversary) -> Result<String, EvaluateError> {
    let (title, words) = introduction(evaluation, adversary);
    let mut text = format!("## {title}\n\n{words}\n\n");
    let surfaces: Vec<&Surface> = evaluation.surfaces.iter().filter(|surface| surface.adversary == adversary).collect();
    for surface in &surfaces {
        let name = surface.query.name();
        let _ = write!(
            text,
            "![{name}, {}: {}]({})\n\n",
            adversary.name(),
            pictures::measure(surface),
            surface_file(surface)
        );
    }
    let (least, most) = (|surface: &Surface| range(surface).0, |surface: &Surface| range(surface).1);
    let said: Vec<String> = surfaces
        .iter()
        .map(|surface| format!("{} to {} for {}", three(least(surface)), three(most(surface)), surface.query.name()))
        .collect();
    let points_drawn: usize = surfaces.iter().map(|surface| surface.expected.iter().flatten().flatten().count()).sum();
    let deviation = surfaces.iter().map(|surface| surface.largest_deviation()).fold(0.0, f64::max);
    let _ = write!(
        text,
        "Over the grid the expected ratio goes from {}. The measured ratio is within {:.0}% of the expected one at all of {} points; one point's standard error is {:.0}%. ",
        listed(&said),
        100.0 * deviation,
        grouped(&points_drawn.to_string()),
        100.0 / f64::from(evaluation.settings.repetitions).sqrt()
    );
    text.push_str(&compared_with_weak(evaluation, adversary));
    let [first, second] = points();
    let _ = write!(
        text,
        "\n\n| query | noise over | at ({a1}, {b1}) | measured | at ({a2}, {b2}) | measured |\n|---|---|---:|---:|---:|---:|\n",
        a1 = exact(&first.0),
        b1 = exact(&first.1),
        a2 = exact(&second.0),
        b2 = exact(&second.1),
    );
    for surface in &surfaces {
        let at = |(alpha, beta): &(Rational, Rational)| {
            let place = evaluation.settings.grid.position(alpha, beta);
            let of = |cells: &crate::surface::Cells<f64>| {
                place.and_then(|(row, column)| cells[row][column]).map_or_else(|| "–".to_owned(), three)
            };
            (of(&surface.expected), of(&surface.measured))
        };
        let over = match surface.measure {
            Measure::Answer => "the answer",
            Measure::Width => "the domain's width",
        };
        let ((e1, m1), (e2, m2)) = (at(&first), at(&second));
        let _ = writeln!(text, "| {} | {over} | {e1} | {m1} | {e2} | {m2} |", surface.query.name());
    }
    text.push_str(&several::after_answers(evaluation, adversary));
    Ok(text)
}

fn range(surface: &Surface) -> (f64, f64) {
    let values = || surface.expected.iter().flatten().flatten().copied();
    (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
}

/// The differences of an adversary's surfaces from the weak adversary's.
fn compared_with_weak(evaluation: &Evaluation, adversary: Adversary) -> String {
    let of = |adversary| evaluation.surfaces.iter().filter(move |surface| surface.adversary == adversary);
    let mut largest: f64 = 0.0;
    for (mine, weak) in of(adversary).zip(of(Adversary::Weak)) {
        for (mine, weak) in mine.expected.iter().flatten().zip(weak.expected.iter().flatten()) {
            if let (Some(mine), Some(weak)) = (mine, weak) {
                largest = largest.max((mine / weak - 1.0).abs());
            }
        }
    }
    let same_best = of(adversary).zip(of(Adversary::Weak)).all(|(mine, weak)| range(mine).0 < range(weak).0 * 1.001);
    match adversary {
        Adversary::Weak => {
            let worlds = grouped(&evaluation.worlds.to_string());
            format!("With {worlds} worlds the prior hardly matters: 1/{worlds} is next to 0.")
        }
        Adversary::Strong => {
            let best = if same_best {
                hidden_range(evaluation)
            } else {
                "The smaller range of β leaves more noise at best.".to_owned()
            };
            format!(
                "Where both have a promise, the expected ratio differs from that against A_w by at most {}%. {best}",
                significant(100.0 * largest, 2)
            )
        }
        Adversary::Unknown => format!(
            "Against A_w the expected ratio differs by at most {}%; against A_s it is the same wherever β < 9. Knowledge of the prior has almost no effect with so many worlds.",
            significant(100.0 * largest, 2)
        ),
    }
}

/// The reason why the range of the strong adversary's β is not visible on the grid.
fn hidden_range(evaluation: &Evaluation) -> String {
    let strong = Adversary::Strong;
    let largest = evaluation.settings.grid.alphas.iter().filter(|alpha| **alpha < whole(1)).max();
    let (Some(alpha), Some(limit)) = (largest, strong.beta_below(evaluation.worlds)) else { return String::new() };
    let odds = (whole(1) - alpha).recip();
    format!(
        "The paper sees more noise for MIN(capital_gain) here, as β must stay below {}. On this grid that does not show: α is at most {}, which holds R at {}, and β = {} allows as \
         much. It would show for α above {}.",
        exact(&limit),
        exact(alpha),
        exact(&odds),
        exact(&(&odds - whole(1))),
        exact(&(whole(1) - (whole(1) + &limit).recip())),
    )
}

fn figures_of_the_text(evaluation: &Evaluation) -> String {
    let mut text = String::from("## The two figures of the paper's text\n\n");
    for compared in &evaluation.compared {
        let quoted = &compared.quoted;
        let theta = quoted.query.theta_units();
        let _ = write!(
            text,
            "**{} at α = {}, β = {}.** The text gives {}. With Θ = {} of the declared domain we expect {}: Θ / (ln R · {}) with R = {}. ",
            quoted.query.name(),
            exact(&quoted.alpha),
            exact(&quoted.beta),
            exact(&quoted.ratio),
            grouped(&theta.to_string()),
            three(compared.expected),
            exact(&quoted.query.value(&evaluation.adult)),
            significant(compared.odds.to_f64().unwrap_or(f64::NAN), 6),
        );
        text.push_str(&verdict_on(evaluation, compared));
        text.push_str("\n\n");
    }
    text
}

fn verdict_on(evaluation: &Evaluation, compared: &RatioComparison) -> String {
    let quoted = &compared.quoted;
    let [low, middle, high] = [&compared.theta.0, &compared.theta.1, &compared.theta.2]
        .map(|theta| three(theta.to_f64().unwrap_or(f64::NAN)));
    if compared.agrees() {
        return format!("This agrees: what rounds to the quoted figure has Θ from {low} to {high}.");
    }
    let mut text = format!(
        "This does not agree, and nor does any other adversary here (see the tables above). A Θ of {middle} would give the quoted figure, and {low} to {high} what rounds to it."
    );
    if quoted.query.aggregate == Aggregate::Max {
        let (largest, times, next) = top(&evaluation.adult, quoted.query.column);
        let value = quoted.query.value(&evaluation.adult);
        if let Some(next) = next {
            let ratio =
                compared.expected * (largest - next) as f64 / quoted.query.theta_units().to_f64().unwrap_or(f64::NAN);
            let _ = write!(
                text,
                " No Θ that we know of does. The next smaller value in the data is {} below {}; that would give {}, and is not a sensitivity: {} records have the largest value, so leaving out one changes nothing.",
                grouped(&(largest - next).to_string()),
                exact(&value),
                three(ratio),
                times
            );
        }
        let _ = write!(
            text,
            " One single draw with our Θ rounds to the quoted figure in {}% of all cases. The paper's table of Θ is not in our copy of its text.",
            significant(100.0 * compared.one_draw, 2)
        );
    }
    text
}

fn ending() -> String {
    "## Make it again

```
cargo run -p deniable-evaluate -- PATH docs/evaluation
```

`PATH` is `adult.data` of UCI Adult. A test makes this page again and compares, where the file is there. The code is in [research/evaluate](../../research/evaluate).
"
    .to_owned()
}

/// `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
