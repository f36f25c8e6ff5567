//! The ledger for reading.

use super::table::grid;
use comfy_table::CellAlignment;
use deniable_ledger::Summary;
use deniable_report::overview::Overview;
use std::fmt::Write;

/// The ledger for reading.
pub fn table(summary: &Summary) -> String {
    let shown = Overview::new(summary);
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
        for headroom in &account.more {
            let _ = writeln!(text, "         {} like \"{}\"", headroom.questions_in_words(), headroom.ask);
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
