//! The ledger for reading, and for programs.

use super::table::grid;
use comfy_table::CellAlignment;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rounding, decimal, ratio, whole};
use deniable_ledger::{Account, Release, Summary};
use deniable_publication::guarantee::{Belief, beliefs_so_far, odds_decimal};
use deniable_publication::left::{MOST, questions_left};
use serde::Serialize;
use std::fmt::Write;

/// A ledger, in a form that can be written as JSON.
#[derive(Serialize)]
pub struct Shown {
    population: String,
    head: String,
    versions: Vec<ShownVersion>,
    accounts: Vec<ShownAccount>,
}

#[derive(Serialize)]
struct ShownVersion {
    table: String,
    version: String,
}

#[derive(Serialize)]
struct ShownAccount {
    account: String,
    promise: String,
    adversary: String,
    limit: String,
    spent: String,
    left: String,
    /// How many more questions like recent ones the promise pays for.
    more: Vec<ShownMore>,
    beliefs: Vec<Belief>,
    releases: Vec<ShownRelease>,
    changes: Vec<ShownChange>,
}

#[derive(Serialize)]
struct ShownMore {
    ask: String,
    cost: String,
    /// Exact; stops at a million.
    questions: u64,
}

#[derive(Serialize)]
struct ShownRelease {
    entry: u64,
    at: String,
    policy: String,
    ask: String,
    sql: String,
    cost: String,
    answered: bool,
}

#[derive(Serialize)]
struct ShownChange {
    entry: u64,
    at: String,
    from: String,
    to: String,
    weaker: bool,
    reason: String,
}

impl Shown {
    /// Brings a summary into this form.
    pub fn new(summary: &Summary) -> Self {
        Self {
            population: summary.population.clone(),
            head: summary.head.to_string(),
            versions: summary
                .versions
                .iter()
                .map(|version| ShownVersion { table: version.source.clone(), version: version.version.clone() })
                .collect(),
            accounts: summary.accounts.iter().map(ShownAccount::new).collect(),
        }
    }
}

impl ShownAccount {
    fn new(account: &Account) -> Self {
        let releases = account.releases.iter().map(|release| ShownRelease {
            entry: release.seq,
            at: release.at.to_string(),
            policy: release.policy.clone(),
            ask: release.ask.name.clone(),
            sql: release.ask.sql.trim().to_owned(),
            cost: release.cost.to_string(),
            answered: release.answer.is_some(),
        });
        let changes = account.changes.iter().map(|change| ShownChange {
            entry: change.seq,
            at: change.at.to_string(),
            from: change.from.to_string(),
            to: change.to.to_string(),
            weaker: change.weaker,
            reason: change.reason.clone(),
        });
        Self {
            account: account.id.to_string(),
            promise: account.terms.promise.clone(),
            adversary: account.terms.adversary.clone(),
            limit: account.terms.limit.to_string(),
            spent: amount(&account.spent),
            left: left(&account.spent, &account.terms.limit),
            more: more(account),
            beliefs: beliefs_so_far(&account.spent, &[ratio(1, 100), ratio(1, 5), ratio(1, 2)]),
            releases: releases.collect(),
            changes: changes.collect(),
        }
    }
}

/// Costs that are shown as examples.
const EXAMPLES: usize = 3;

/// How many more questions fit, by the last charges of different costs.
fn more(account: &Account) -> Vec<ShownMore> {
    let mut examples: Vec<&Release> = Vec::new();
    for release in account.releases.iter().rev() {
        if examples.len() < EXAMPLES && examples.iter().all(|known| known.cost != release.cost) {
            examples.push(release);
        }
    }
    let shown = |release: &&Release| ShownMore {
        ask: release.ask.name.clone(),
        cost: release.cost.to_string(),
        questions: questions_left(&account.spent, &release.cost, &account.terms.limit),
    };
    examples.iter().map(shown).collect()
}

/// An odds ratio, with a decimal beside it where it is no fraction.
fn amount(spend: &Spend) -> String {
    match spend.exact_odds() {
        Some(odds) => odds.to_string(),
        None => format!("{spend} (at most {})", odds_decimal(&spend.odds_at_most())),
    }
}

/// What part of the promise is left.
fn left(spent: &Spend, limit: &Spend) -> String {
    match spent.exact_part_of(limit) {
        Some(part) => {
            let rest = whole(1) - part;
            format!("{rest} of ln {limit} (about {}%)", decimal(&(&rest * whole(100)), 1, Rounding::Down))
        }
        None => format!("what lies between {} and {limit}", amount(spent)),
    }
}

/// The ledger for reading.
pub fn table(summary: &Summary) -> String {
    let shown = Shown::new(summary);
    let mut text = format!("ledger of \"{}\"\n", shown.population);
    for version in &shown.versions {
        let _ = writeln!(text, "  data: `{}`, version \"{}\"", version.table, version.version);
    }
    if shown.accounts.is_empty() {
        text.push_str("  nothing was promised or released yet\n");
    }
    for account in &shown.accounts {
        let _ = writeln!(text, "\naccount: {}", account.account);
        let _ = writeln!(text, "  promise: {} against {}", account.promise, account.adversary);
        let _ = writeln!(text, "  limit: an odds ratio of {}", account.limit);
        let _ = writeln!(text, "  spent: an odds ratio of {}", account.spent);
        let _ = writeln!(text, "  left:  {}", account.left);
        for ShownMore { ask, questions, .. } in &account.more {
            let questions = match questions {
                0 => "no more question".to_owned(),
                1 => "1 more question".to_owned(),
                &MOST => format!("{MOST} and more questions"),
                many => format!("{many} more questions"),
            };
            let _ = writeln!(text, "         {questions} like \"{ask}\"");
        }
        if !account.releases.is_empty() {
            text.push_str("  by now,\n");
            for belief in &account.beliefs {
                let _ = writeln!(text, "  - {}", belief.sentence());
            }
            let mut grid = grid();
            grid.set_header(vec!["entry", "when", "policy", "ask", "cost (odds)", "answered"]);
            for release in &account.releases {
                grid.add_row(vec![
                    comfy_table::Cell::new(release.entry).set_alignment(CellAlignment::Right),
                    comfy_table::Cell::new(&release.at),
                    comfy_table::Cell::new(&release.policy),
                    comfy_table::Cell::new(&release.ask),
                    comfy_table::Cell::new(&release.cost),
                    comfy_table::Cell::new(if release.answered { "yes" } else { "not yet" }),
                ]);
            }
            let _ = writeln!(text, "{grid}");
        }
        for change in &account.changes {
            let _ = writeln!(
                text,
                "  entry {}, {}: promise changed from {} to {}",
                change.entry, change.at, change.from, change.to
            );
            let _ = writeln!(
                text,
                "    {}; reason: {}",
                if change.weaker { "weaker" } else { "not weaker" },
                change.reason
            );
        }
    }
    let _ = writeln!(text, "\nhead {}", shown.head);
    text
}
