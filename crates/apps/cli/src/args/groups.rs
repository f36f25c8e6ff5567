//! The overview of the commands in `deniable --help`, grouped by purpose.

use clap::Command;
use clap::builder::StyledStr;
use std::fmt::Write;

/// Headings of the overview, each with its commands in order.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Prepare a release", &["init", "schema", "plan", "explore", "simulate", "data"]),
    ("Release, under a promise", &["release", "ask", "suggest", "gwas"]),
    ("Serve several analysts", &["serve", "account"]),
    ("Inspect past releases", &["ledger", "report"]),
    ("Measure what a mechanism or table reveals", &["check", "recheck", "audit", "attack", "assess"]),
    ("Understand promises", &["translate", "explain"]),
];

/// Returns the command with its subcommands listed in groups in the help. clap has headings for flags but not for
/// commands, so clap renders the list of each group from a command with these subcommands alone, and a template puts
/// the groups in place of clap's own list.
pub fn grouped(command: Command) -> Command {
    let heading = command.get_styles().get_header();
    let mut groups = StyledStr::new();
    for (wanted, names) in GROUPS {
        let parts = names.iter().enumerate();
        let parts = parts.filter_map(|(at, name)| Some(command.find_subcommand(name)?.clone().display_order(at)));
        // Commands of a feature that is not built are hidden.
        let parts: Vec<Command> = parts.filter(|part| !part.is_hide_set()).collect();
        if parts.is_empty() {
            continue;
        }
        let group = Command::new("group").disable_help_subcommand(true).subcommands(parts);
        // `render_help` takes the one-line summaries; the long descriptions are in each command's own help.
        let list = group.help_template("{subcommands}").render_help().ansi().to_string();
        // Writing to a `StyledStr` does not fail.
        let _ = write!(groups, "{heading}{wanted}:{heading:#}\n{}\n\n", list.trim_end());
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{heading}Options:{heading:#}\n{{options}}{{after-help}}",
        groups.ansi()
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;
    use std::collections::BTreeMap;

    /// A command outside all groups would be missing from the overview.
    #[test]
    fn every_command_is_in_one_group() {
        let mut times: BTreeMap<String, usize> =
            command().get_subcommands().map(|part| (part.get_name().to_owned(), 0)).collect();
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            *times.get_mut(*name).unwrap_or_else(|| panic!("there is no command {name}")) += 1;
        }
        assert!(times.values().all(|times| *times == 1), "{times:?}");
    }

    /// The overview has every command once, at the beginning of a line, with its own words.
    #[test]
    fn the_overview_has_every_command_once() {
        let help = command().render_help().to_string();
        for part in command().get_subcommands().filter(|part| !part.is_hide_set()) {
            // Continuation lines are indented further.
            let start = format!("  {} ", part.get_name());
            let lines: Vec<&str> = help.lines().filter(|line| line.starts_with(&start)).collect();
            let [line] = lines.as_slice() else { panic!("{}: {lines:?}", part.get_name()) };
            let about = part.get_about().map(ToString::to_string).unwrap_or_default();
            let first = about.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
            assert!(line.contains(&first), "{line}");
        }
    }
}
