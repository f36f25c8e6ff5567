//! `deniable attack linkage` and `ratings`: whose row, and whose ratings?

use crate::args::attack::{Linkage as ByColumns, Output, Ratings as ByRatings};
use crate::commands::attack::files::{outputs, table_failure};
use crate::commands::attack::share::{WrittenShare, confidence, coverage};
use crate::error::Failure;
use crate::output::results;
use crate::progress::Progress;
use crate::render::table::{cell, grid, right, wrapped};
use deniable_attack::Proportion;
use deniable_attack::linkage::{JoinColumns, Linkage, LinkageCounts, TextTable, link};
use deniable_attack::ratings::{self, Columns, Records, Settings};
use deniable_report::attack as page;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Everything, for programs.
#[derive(Serialize)]
struct LinkageReport {
    released: String,
    how: String,
    confidence: f64,
    targets: GroupReport,
    outside: Option<GroupReport>,
    correct_of_all_matches: Option<WrittenShare>,
}

/// One group of people.
#[derive(Serialize)]
struct GroupReport {
    people: u64,
    incomplete: u64,
    agreeing: u64,
    unique: WrittenShare,
    correct: Option<WrittenShare>,
}

/// An attack with everything that is said of it.
struct MembershipFindings<'a> {
    released: &'a Path,
    rows: usize,
    how: String,
    found: Linkage,
    confidence: f64,
    /// What went in, and the names of its files.
    files: Vec<(String, String)>,
}

/// Runs `linkage`.
pub fn by_columns(args: &ByColumns) -> Result<(), Failure> {
    let confidence = confidence(&args.output)?;
    let columns: Vec<String> = args.on.iter().map(|name| name.trim().to_owned()).collect();
    if let Some(twice) = columns.iter().enumerate().find(|(at, name)| columns[..*at].contains(name)) {
        return Err(Failure::usage(format!("--on names {} twice", twice.1), "name each column once"));
    }
    if args.truth.as_ref().is_some_and(|truth| columns.contains(truth)) {
        let help = "an adversary does not know it; name another column, or leave it out of --on";
        return Err(Failure::usage("--truth is one of the columns of --on", help));
    }
    let files = [Some(&args.released), Some(&args.auxiliary), args.outsiders.as_ref()];
    let [released, auxiliary, outsiders] = read(&args.output, files)?;
    let files = named(files);
    let (Some(released), Some(auxiliary)) = (released, auxiliary) else { return Ok(()) };
    let on = JoinColumns { columns: columns.clone(), truth: args.truth.clone() };
    let found = link(&released, &auxiliary, outsiders.as_ref(), &on).map_err(|error| table_failure(&error))?;
    let how = format!("joined on {}", columns.join(", "));
    let rows = released.rows.len();
    show(&args.output, &MembershipFindings { released: &args.released, rows, how, found, confidence, files })
}

/// Runs `ratings`.
pub fn by_ratings(args: &ByRatings) -> Result<(), Failure> {
    let confidence = confidence(&args.output)?;
    let finite = args.rating_within.is_finite() && args.ahead.is_finite();
    if !finite || args.rating_within < 0.0 || args.ahead <= 0.0 {
        let help = "--rating-within is at least 0, --ahead above 0";
        return Err(Failure::usage("a tolerance is out of its range", help));
    }
    let files = [Some(&args.released), Some(&args.auxiliary), args.outsiders.as_ref()];
    let tables = read(&args.output, files)?;
    let columns = Columns {
        person: args.person.clone(),
        item: args.item.clone(),
        rating: args.rating.clone(),
        day: args.day.clone(),
    };
    let mut all = Vec::new();
    for table in tables.iter() {
        let records = table.as_ref().map(|table| Records::of(table, &columns)).transpose();
        all.push(records.map_err(|error| table_failure(&error))?);
    }
    let [Some(released), Some(auxiliary), outsiders] = all.as_slice() else { return Ok(()) };
    let settings =
        Settings { rating: args.rating_within, days: args.days_within, items: args.items, eccentricity: args.ahead };
    let progress = Progress::new();
    progress.says("comparing everybody with every record");
    let found = ratings::link(released, auxiliary, outsiders.as_ref(), args.same_names, &settings);
    progress.done();
    let how = format!(
        "matched where at least {} of the items of {} agree, ratings within {}, days within {}, and the best record is {} standard \
         deviations ahead",
        settings.items, args.item, settings.rating, settings.days, settings.eccentricity
    );
    let (rows, files) = (released.each.len(), named(files));
    show(&args.output, &MembershipFindings { released: &args.released, rows, how, found, confidence, files })
}

/// What went in, for a page.
fn named([released, auxiliary, outsiders]: [Option<&PathBuf>; 3]) -> Vec<(String, String)> {
    let named =
        [("released", released), ("people who are looked for", auxiliary), ("people not in the data", outsiders)];
    named.into_iter().filter_map(|(what, path)| Some((what.to_owned(), path?.display().to_string()))).collect()
}

/// Reads the tables, once it is known that results can be written.
fn read<const N: usize>(output: &Output, files: [Option<&PathBuf>; N]) -> Result<[Option<TextTable>; N], Failure> {
    let own: Vec<PathBuf> = files.iter().flatten().map(|path| (*path).clone()).collect();
    outputs(output, None, &own)?;
    let progress = Progress::new();
    let mut tables = [const { None }; N];
    for (file, table) in files.iter().zip(&mut tables) {
        let Some(file) = file else { continue };
        progress.says(&format!("reading {}", file.display()));
        *table = Some(TextTable::read(file).map_err(|error| table_failure(&error))?);
    }
    progress.done();
    Ok(tables)
}

fn show(output: &Output, attacked: &MembershipFindings<'_>) -> Result<(), Failure> {
    results(&output.results, &attacked.table(), &attacked.written(), &|| attacked.page())
}

impl MembershipFindings<'_> {
    /// What is said, as sentences with shares.
    fn lines(&self) -> Vec<(&'static str, Proportion)> {
        let Linkage { targets, outside } = &self.found;
        let known = targets.correct.is_some();
        let mut lines = vec![(
            if known { "in the data, matched uniquely" } else { "looked for, matched uniquely" },
            targets.matched(),
        )];
        lines.extend(targets.precision().map(|share| ("of these matches, correct", share)));
        lines.extend(targets.found().map(|share| ("in the data, matched uniquely and correctly", share)));
        if let Some(outside) = outside {
            lines.push(("not in the data, matched uniquely all the same", outside.matched()));
        }
        lines.extend(self.found.trust().map(|share| ("of all these matches, correct", share)));
        lines
    }

    fn table(&self) -> String {
        let mut text = format!("Linkage with {}: whose rows are these?\n", self.released.display());
        wrapped(&mut text, "  ", &format!("{} rows, {}", self.rows, self.how));
        let mut grid = grid();
        let header = ["", "people", "share", &(coverage(self.confidence) + " interval")].map(str::to_owned);
        grid.set_header(header);
        for (what, share) in self.lines() {
            let (low, high) = share.interval(self.confidence);
            grid.add_row(vec![
                cell(what),
                right(share.to_string()),
                right(share.value().map_or_else(|| "-".to_owned(), |value| format!("{:.1}%", 100.0 * value))),
                right(format!("{:.1}% to {:.1}%", 100.0 * low, 100.0 * high)),
            ]);
        }
        let _ = writeln!(text, "{grid}");
        for note in self.notes() {
            wrapped(&mut text, "  ", &note);
        }
        text
    }

    fn notes(&self) -> Vec<String> {
        let Linkage { targets, outside } = &self.found;
        let mut notes = Vec::new();
        let incomplete = targets.incomplete + outside.map_or(0, |outside| outside.incomplete);
        if incomplete > 0 {
            notes.push(format!("{incomplete} people lack a value that is joined on, and match nobody"));
        }
        if targets.agreeing == 0 && targets.people > 0 {
            notes.push(
                "nobody agrees with any row: is the table generalised, or are values written otherwise? `deniable assess --auxiliary` \
                 reads ranges and stars"
                    .to_owned(),
            );
        }
        if targets.correct.is_none() {
            notes.push(
                "nothing says who somebody is in both tables, so no match can be called right or wrong".to_owned(),
            );
        }
        if outside.is_none() {
            notes.push(
                "there is no baseline: nobody is known not to be in the data, so how often such people are matched is not known"
                    .to_owned(),
            );
        }
        notes
    }

    fn written(&self) -> LinkageReport {
        let group = |linked: &LinkageCounts| GroupReport {
            people: linked.people,
            incomplete: linked.incomplete,
            agreeing: linked.agreeing,
            unique: WrittenShare::of(linked.matched(), self.confidence),
            correct: linked.precision().map(|share| WrittenShare::of(share, self.confidence)),
        };
        LinkageReport {
            released: self.released.display().to_string(),
            how: self.how.clone(),
            confidence: self.confidence,
            targets: group(&self.found.targets),
            outside: self.found.outside.as_ref().map(group),
            correct_of_all_matches: self.found.trust().map(|share| WrittenShare::of(share, self.confidence)),
        }
    }

    fn page(&self) -> String {
        let share = |share: Proportion| {
            let (low, high) = share.interval(self.confidence);
            page::MatchShare { hits: share.hits, of: share.of, low, high }
        };
        let group = |linked: &LinkageCounts| page::Group {
            incomplete: linked.incomplete,
            agreeing: linked.agreeing,
            matched: share(linked.matched()),
            correct: linked.precision().map(share),
        };
        page::linkage(&page::Linkage {
            title: format!("Linkage with {}: whose rows are these?", self.released.display()),
            files: self.files.clone(),
            how: vec![format!("{} rows, {}.", self.rows, self.how)],
            confidence: coverage(self.confidence),
            targets: group(&self.found.targets),
            outside: self.found.outside.as_ref().map(group),
            trust: self.found.trust().map(share),
        })
    }
}
