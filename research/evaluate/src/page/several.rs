//! The section of the page about several answers (C-1, C-6, E-2).

use super::listed;
use crate::adversary::Adversary;
use crate::calibrate::{Noise, largest_odds};
use crate::composed::{ComposedEnds, Composition, Verdict};
use crate::pictures::{answers, composition_file, settings};
use crate::record::points;
use crate::surface::{Measure, Yardstick};
use crate::written::{exact, grouped, share, significant, three};
use crate::{ANSWERS, DRAWN, EvaluateError, Evaluation};
use deniable_core::exact::{Rational, whole};
use num_traits::ToPrimitive;
use std::fmt::Write;

/// The bounds after 1, 5 and 20 answers for one adversary, with the chart.
pub(super) fn after_answers(evaluation: &Evaluation, adversary: Adversary) -> String {
    let Some((_, all)) = evaluation.compositions.iter().find(|(who, _)| *who == adversary) else {
        return String::new();
    };
    let mut text = format!(
        "\nAfter several answers, each with its own (α,β), by composed odds; [what this shows](#several-answers). It is the same for every query.\n\n![{}: how far belief in a world can fall after 1, 5 and 20 answers]({})\n\n",
        adversary.name(),
        composition_file(adversary)
    );
    let verdicts: Vec<Verdict> = all.iter().map(Composition::verdict).collect();
    let points = verdicts.iter().map(|verdict| verdict.points).max().unwrap_or(0);
    if verdicts.iter().all(|verdict| verdict.falls_below + verdict.rises_above == 0) {
        let _ = write!(
            text,
            "Theorem 1 holds at all {} points, as it must where P_min = 0 (C-6).\n\n",
            grouped(&points.to_string())
        );
        return text;
    }
    let said: Vec<String> =
        all.iter().zip(&verdicts).map(|(composition, verdict)| said_of(evaluation, composition, verdict)).collect();
    let _ = write!(text, "Theorem 1 is unsafe {}. ", listed(&said));
    let (binding, both) = where_alpha_binds(all);
    if both {
        let _ = write!(
            text,
            "These are exactly the {} points where α, and not β, decides R. ",
            grouped(&binding.to_string())
        );
    }
    let rises: usize = verdicts.iter().map(|verdict| verdict.rises_above).sum();
    text.push_str(if rises == 0 {
        "The upper claim holds at every point.\n\n"
    } else {
        "The upper claim fails as well.\n\n"
    });
    text
}

/// The number of points at which α decides R, and whether these are exactly the points where belief falls below the
/// claim after more than one answer. Where α decides, one answer takes belief down to `1−α` exactly.
fn where_alpha_binds(all: &[Composition]) -> (usize, bool) {
    let Some(first) = all.iter().find(|composition| composition.answers == 1) else { return (0, false) };
    let binds = |cell: &ComposedEnds| cell.kept.low == cell.claimed.low;
    let of = |composition: &Composition, test: &dyn Fn(&ComposedEnds) -> bool| -> Vec<bool> {
        composition.cells.iter().flatten().flatten().map(test).collect()
    };
    let binding = of(first, &binds);
    let mut more = all.iter().filter(|composition| composition.answers > 1);
    let same = more.all(|composition| of(composition, &ComposedEnds::falls_below) == binding);
    (binding.iter().filter(|binds| **binds).count(), same)
}

fn said_of(evaluation: &Evaluation, composition: &Composition, verdict: &Verdict) -> String {
    let many = match composition.answers {
        1 => "after 1 answer".to_owned(),
        answers => format!("after {answers} answers"),
    };
    let Some((part, row, column)) = &verdict.worst else { return format!("{many} nowhere") };
    let grid = &evaluation.settings.grid;
    let short = (whole(1) - part).to_f64().unwrap_or(0.0);
    format!(
        "{many} at {} of {} points ({}; at worst belief falls to {}% less than claimed, at α = {}, β = {})",
        grouped(&verdict.falls_below.to_string()),
        grouped(&verdict.points.to_string()),
        share(verdict.falls_below, verdict.points),
        significant(100.0 * short, 2),
        exact(&grid.alphas[*row]),
        exact(&grid.betas[*column]),
    )
}

/// The section on several answers.
pub(super) fn composition(evaluation: &Evaluation) -> Result<String, EvaluateError> {
    let mut text = String::from(
        "## Several answers

Noise for one answer allows odds up to R. After k answers the odds can be R^k, and belief in a world of prior P falls to `1/(P + R^k (1−P))` of what it was at worst.
This bound is attained: by a world whose answers are Θ away from those of all others (C-1, B-6). The paper's Theorem 1 claims `∏(1−α_i)` instead, and `∏(1+β_i)` upwards. With P_min = 0
both rules agree wherever α binds (C-6). With P_min > 0 they do not: the second answer meets an adversary whose beliefs are no longer those that the noise was made for. Then
belief falls below the claim wherever α decides R and two answers or more are given (E-2). In the pictures above that is hatched; each point was decided on exact fractions. The
upward claim is always on the safe side. All this is about the promise, which covers every data set; such queries need not exist for Adult.

The size of the error depends on the number of worlds. The chart and the table have equally likely worlds, at an (α,β) where α decides R.

![Lowest belief after 1 to 20 answers: claimed by Theorem 1, and reached](answers.svg)

| worlds | α, β | R | answers | claimed | reached | claimed / reached |
|---:|---|---:|---:|---:|---:|---:|
",
    );
    for setting in settings(evaluation) {
        let all = answers(&setting);
        let (worlds, alpha, beta) = &setting;
        let odds = largest_odds(Adversary::Weak, *worlds, alpha, beta)?;
        for (answers, composed) in (1_u32..).zip(&all).filter(|(answers, _)| [1, 2, 5, 20].contains(answers)) {
            let float = |value: &Rational| value.to_f64().unwrap_or(f64::NAN);
            let _ = writeln!(
                text,
                "| {} | {}, {} | {} | {answers} | {} | {} | {} |",
                grouped(&worlds.to_string()),
                exact(alpha),
                exact(beta),
                significant(float(&odds), 6),
                three(float(&composed.claimed.low)),
                three(float(&composed.kept.low)),
                significant(float(&(&composed.claimed.low / &composed.kept.low)), 6),
            );
        }
    }
    text.push_str(
        "\nThe first rows are the example of E-2: two worlds, two answers, and 0.2 of a belief where 0.25 was claimed. With as many worlds as Adult has, the claim is false but close. It is not close in
small universes, and those are where a prior says most. Deniable never composes α and β. It multiplies odds, and translates the total once.\n\n",
    );
    text.push_str(&shared(evaluation)?);
    Ok(text)
}

/// The cost per answer of a promise about all answers together.
fn shared(evaluation: &Evaluation) -> Result<String, EvaluateError> {
    let (alpha, beta) = points()[1].clone();
    let mut text = format!(
        "Read the other way: if (α,β) = ({}, {}) is promised about all answers together, each of k answers gets odds of R^(1/k), and its noise is k times as wide. Against A_w:\n\n| query | noise over | 1 answer | 5 answers | 20 answers |\n|---|---|---:|---:|---:|\n",
        exact(&alpha),
        exact(&beta)
    );
    let odds = largest_odds(Adversary::Weak, evaluation.worlds, &alpha, &beta)?;
    for query in DRAWN {
        let yardstick = Yardstick::of(query, &evaluation.adult);
        let over = if yardstick.measure == Measure::Answer { "the answer" } else { "the domain's width" };
        let mut cells = Vec::new();
        for answers in ANSWERS {
            let noise = Noise::sharing(&odds, answers, &query.theta_units())?;
            cells.push(three(yardstick.multiple(noise.mean_size())));
        }
        let _ = writeln!(text, "| {} | {over} | {} |", query.name(), cells.join(" | "));
    }
    text.push('\n');
    Ok(text)
}
