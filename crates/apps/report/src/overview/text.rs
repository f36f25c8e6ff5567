//! The overview of a ledger as text.

use super::{
    AcceptanceOverview, AccountOverview, ChargedVersion, EngineOverview, NewEntitiesOverview, Overview, PartOverview,
    ReleaseOverview, RequestOverview, WithdrawalOverview,
};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::{printable, shown};
use deniable_ledger::Sharing;
use deniable_publication::REHEARSAL;
use std::fmt::{self, Display, Formatter, Write};

/// A query's name, with its SQL if other queries have the same name.
fn asked(query: &str, sql: &str, all: &[ReleaseOverview]) -> String {
    if all.iter().all(|other| other.query != query || other.sql == sql) {
        return query.to_owned();
    }
    let words: Vec<&str> = sql.split_whitespace().collect();
    format!("{query}: {}", shown(&words.join(" ")))
}

/// The part of the promise that is set aside for an account.
fn set_aside(part: &PartOverview) -> String {
    let how = match part.sharing {
        Sharing::Reserved => "reserved",
        Sharing::Overlapping => "overlapping with other accounts: no bound of its own",
    };
    let name = printable(&part.part);
    let mut text = format!("  \"{name}\" has {} of the promise, {how}\n", part.share);
    let _ = writeln!(text, "    spent: an odds ratio of {}", part.spent);
    let _ = writeln!(text, "    left:  {}", part.left);
    if let Some(but_for) = &part.but_for {
        let _ = writeln!(text, "    {}", but_for.in_words());
    }
    let _ = writeln!(text, "    from this part and the common answers, in total:");
    for belief in &part.alone {
        let _ = writeln!(text, "    - {}", belief.sentence());
    }
    text
}

/// A request for approval, and its decision.
fn request(request: &RequestOverview) -> String {
    let words: Vec<&str> = request.sql.split_whitespace().collect();
    let decided = match &request.decision {
        None => "waits".to_owned(),
        Some(decision) => {
            let what = if decision.approved { "approved" } else { "rejected" };
            let why =
                if decision.reason.is_empty() { String::new() } else { format!(": {}", printable(&decision.reason)) };
            format!("{what} by \"{}\", {}{why}", printable(&decision.by), decision.at)
        }
    };
    format!(
        "  entry {}, {}: \"{}\" requests {} for {}; {decided}\n",
        request.entry,
        request.at,
        printable(&request.part),
        request.cost,
        shown(&words.join(" "))
    )
}

/// The charges about one version.
fn charges(account: &AccountOverview, version: &ChargedVersion) -> Grid {
    // The analyst is shown if an account has a part of the budget.
    let is_divided = !account.parts.is_empty();
    let mut header = vec!["entry", "when", "policy", "query", "cost (odds)", "answered"];
    if is_divided {
        header.insert(3, "analyst");
    }
    let mut grid = Grid::new(header);
    for release in account.releases.iter().filter(|release| version.has(release)) {
        let mut row = vec![
            right(release.entry),
            cell(&release.at),
            cell(&release.policy),
            cell(asked(&release.query, &release.sql, &account.releases)),
            cell(&release.cost),
            cell(release.state()),
        ];
        if is_divided {
            row.insert(3, cell(release.part.as_deref().unwrap_or("everyone")));
        }
        grid.add_row(row);
    }
    grid
}

impl Display for Overview {
    /// Lists the charges about the newest version; those about all versions in the alternate form, `{:#}`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self, f.alternate()))
    }
}

/// The text, with the charges about the newest version, or about all versions.
fn text(overview: &Overview, all_versions: bool) -> String {
    let mut text = if overview.rehearsal { format!("{REHEARSAL}\n") } else { String::new() };
    let _ = writeln!(text, "ledger of \"{}\"", printable(&overview.population));
    for version in &overview.versions {
        let accepted = match version.accepted.as_slice() {
            [] => String::new(),
            names => format!("; accepted: {}", printable(&names.join(", "))),
        };
        let (table, version) = (printable(&version.table), printable(&version.version));
        let _ = writeln!(text, "  data: `{table}`, version \"{version}\"{accepted}");
    }
    for EngineOverview { about, at, passed, failed } in &overview.engines {
        let _ =
            writeln!(text, "  engine: {}; trials passed: {passed}, failed: {failed}; the last {at}", printable(about));
    }
    for other in &overview.other_than {
        let _ = writeln!(text, "  stated to be other people than \"{}\"", printable(other));
    }
    for AcceptanceOverview { entry, at, reason } in &overview.accepted {
        let _ = writeln!(
            text,
            "  entry {entry}, {at}: continued from an older copy of the ledger; charges of the newer copy are not \
             counted; reason: {}",
            printable(reason)
        );
    }
    if overview.accounts.is_empty() {
        text.push_str("  no promise and no releases yet\n");
    }
    for account in &overview.accounts {
        let _ = writeln!(text, "\naccount: {}", account.account);
        let _ = writeln!(text, "  promise: {} against {}", account.promise, account.adversary);
        let _ = writeln!(text, "  limit: an odds ratio of {}", account.limit_in_words);
        let _ = writeln!(text, "  spent: an odds ratio of {}", account.spent);
        let _ = writeln!(text, "  left:  {}", account.left);
        if let Some(but_for) = &account.but_for {
            let _ = writeln!(text, "         {}", but_for.in_words());
            for fixed in &but_for.fixed {
                let _ = writeln!(text, "         {}", fixed.in_words());
            }
        }
        for sentence in account.new_entities.iter().flat_map(NewEntitiesOverview::sentences) {
            let _ = writeln!(text, "         {}", printable(&sentence));
        }
        for headroom in &account.more {
            let asked = asked(&headroom.query, &headroom.sql, &account.releases);
            let _ = writeln!(text, "         {} like \"{}\"", headroom.questions_in_words(), printable(&asked));
        }
        if !account.releases.is_empty() {
            text.push_str("  by now,\n");
            for belief in &account.beliefs {
                let _ = writeln!(text, "  - {}", belief.sentence());
            }
            for (at, version) in account.versions.iter().enumerate() {
                let heading = format!("{}: {}", printable(&version.heading()), version.in_words());
                if at == 0 || all_versions {
                    let _ = writeln!(text, "  {heading}\n{}", charges(account, version));
                    continue;
                }
                if at == 1 {
                    text.push_str("  earlier versions, whose charges are listed with --all-versions:\n");
                }
                let _ = writeln!(text, "  - {heading}");
            }
            for release in &account.releases {
                let Some(WithdrawalOverview { entry, at, reason }) = &release.withdrawn else { continue };
                let _ = writeln!(
                    text,
                    "  entry {entry}, {at}: the answer of entry {} was withdrawn; reason: {}",
                    release.entry,
                    printable(reason)
                );
            }
        }
        for part in &account.parts {
            text.push_str(&set_aside(part));
        }
        for asked in &account.requests {
            text.push_str(&request(asked));
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
                printable(&change.reason)
            );
        }
    }
    let _ = writeln!(text, "\nhead {}", overview.head);
    text
}
