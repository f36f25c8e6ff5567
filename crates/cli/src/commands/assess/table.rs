//! An assessment for reading in a terminal.

use super::words::{
    PLACES, beliefs, demands, fraction, linkage, many, original, presence, readings, short, up, upward,
};
use super::{Assessed, name};
use crate::render::table::{cell, grid, right, wrapped};
use comfy_table::Table as Grid;
use deniable_assess::Assessment;
use deniable_assess::assessment::OfSecret;
use deniable_assess::belief::Extreme;
use deniable_assess::limit::epsilon;
use deniable_assess::risk::Known;
use deniable_core::exact::{Rounding, decimal, percent};
use std::fmt::Write;
use std::path::Path;

/// The whole assessment.
pub fn text(file: &Path, assessed: &Assessed) -> String {
    let assessment = &assessed.assessment;
    let columns: Vec<&str> = assessment.readings.iter().map(|reading| reading.column.as_str()).collect();
    let (people, classes) = (assessment.sizes.people, assessment.sizes.classes);
    let people = many(people, "person", "people");
    let classes = many(classes, "class", "classes");
    let mut text = format!("{}: {people} in {classes} by {}\n", name(file), columns.join(", "));
    for line in readings(assessment) {
        wrapped(&mut text, "  ", &line);
    }
    let _ = writeln!(text, "{}", overview(assessment));
    for column in &assessment.sensitive {
        let _ = writeln!(
            text,
            "\n{}: {}\n{}",
            column.name,
            many(column.values, "value", "values"),
            secret(assessment, column)
        );
        for line in beliefs(assessment, column) {
            wrapped(&mut text, "  ", &line);
        }
    }
    if assessment.sensitive.len() > 1 {
        wrapped(
            &mut text,
            "  ",
            "each sensitive column is looked at alone; several together may say more about a person",
        );
    }
    text.push_str("\nWho is in the table\n");
    for line in presence(assessment) {
        wrapped(&mut text, "  - ", &line);
    }
    for (title, lines) in [
        ("Beside the original", original(assessment)),
        ("Linkage", assessed.linking.as_ref().map_or_else(Vec::new, linkage)),
        ("Required", demands(assessment)),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{title}");
            lines.iter().for_each(|line| wrapped(&mut text, "  - ", line));
        }
    }
    text
}

fn rows(rows: Vec<[String; 3]>) -> Grid {
    let mut grid = grid();
    grid.set_header(vec!["", "value", "class"]);
    for [name, value, class] in rows {
        grid.add_row(vec![cell(name), right(value), cell(class)]);
    }
    grid
}

/// The measures of classes: name, value, and the class where it is attained.
fn overview(assessment: &Assessment) -> Grid {
    let (sizes, risk) = (&assessment.sizes, &assessment.risk);
    let class = |class: u32| assessment.classes.name(class);
    let none = String::new;
    let threshold = short(&decimal(&risk.threshold, PLACES, Rounding::Nearest));
    let mut all = vec![
        ["k: people in the smallest class".to_owned(), sizes.smallest.value.to_string(), class(sizes.smallest.class)],
        ["mean class size".to_owned(), short(&decimal(&sizes.mean, 2, Rounding::Down)), none()],
        ["people alone in their class".to_owned(), sizes.uniques.to_string(), none()],
    ];
    let is_bound = matches!(risk.journalist, Known::AtMost(_));
    let most = if is_bound { "at most " } else { "" };
    // Where classes overlap, not even who knows that somebody is in the table knows their class.
    let overlaps = assessment.readings.iter().any(|reading| reading.overlap.is_some());
    let prosecutor = if overlaps { "at most " } else { "" };
    let attackers = [("prosecutor", prosecutor, &risk.prosecutor), ("journalist", most, risk.journalist.value())];
    for (who, most, attacker) in attackers {
        all.push([
            format!("{who}: highest chance"),
            format!("{most}{}", fraction(&attacker.highest.value)),
            class(attacker.highest.class),
        ]);
        all.push([format!("{who}: average"), format!("{most}{}", up(&attacker.average)), none()]);
        let above = percent(&attacker.above, 2, Rounding::Up);
        all.push([format!("{who}: people above {threshold}"), format!("{most}{above}"), none()]);
    }
    all.push(["marketer: expected share".to_owned(), format!("{most}{}", up(risk.marketer.value())), none()]);
    rows(all)
}

fn secret(assessment: &Assessment, column: &OfSecret) -> Grid {
    let class = |class: u32| assessment.classes.name(class);
    let diversity = &column.diversity;
    let mut all = vec![
        [
            "l: different values, least".to_owned(),
            diversity.distinct.value.to_string(),
            class(diversity.distinct.class),
        ],
        ["entropy l, least".to_owned(), short(&diversity.entropy.value.l(PLACES)), class(diversity.entropy.class)],
    ];
    for recursive in &diversity.recursive {
        all.push([
            format!("recursive ({}): c above", recursive.l),
            fraction(&recursive.c.value),
            class(recursive.c.class),
        ]);
    }
    all.push([format!("t, {} distance", column.distance), fraction(&column.t.value), class(column.t.class)]);
    let priors = [("margins", Some(&column.by_margins)), ("background", column.informed.as_ref())];
    for (prior, beliefs) in priors {
        let Some(beliefs) = beliefs else { continue };
        let at = |extreme: &Extreme| extreme.farthest().map_or_else(String::new, |moved| class(moved.class));
        let two_sided = beliefs.two_sided();
        all.extend([
            [format!("epsilon of I-BOP, {prior}"), short(&epsilon(&beliefs.loss.value(), PLACES)), at(&beliefs.loss)],
            [format!("  two-sided, {prior}"), short(&epsilon(&two_sided.value(), PLACES)), at(two_sided)],
            [format!("  odds grow by, {prior}"), upward(&beliefs.up.value()), at(&beliefs.up)],
            [format!("  odds fall by, {prior}"), upward(&beliefs.down.value()), at(&beliefs.down)],
        ]);
    }
    rows(all)
}
