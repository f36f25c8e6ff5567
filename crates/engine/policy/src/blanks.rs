//! Blanks: the text `"?"` in place of a value that a person has to decide, with the question to decide.

use crate::tree::{Node, Shape};
use deniable_core::adversary::Preset;
use deniable_core::secret::Secret;
use deniable_core::text::shown;
use std::ops::Range;

/// The placeholder of a value that is not decided yet.
pub(crate) const BLANK: &str = "?";

#[derive(Debug)]
pub(crate) struct Blank {
    /// The last key of its path.
    pub(crate) key: String,
    /// The column of the key, with its table if that is not the main one.
    pub(crate) column: Option<String>,
    pub(crate) span: Range<usize>,
    /// The decision and its consequences.
    pub(crate) help: String,
}

/// Every blank of a document.
///
/// A blank is the whole value of a key, or an end of `bounds`. The entries of other lists are words of the data
/// (`keys`, `nulls`, `columns`), where `"?"` is a valid word.
pub(crate) fn find(root: &Node) -> Vec<Blank> {
    let mut found = Vec::new();
    walk(root, &mut Vec::new(), &mut found);
    found
}

fn walk<'n>(node: &'n Node, path: &mut Vec<&'n str>, found: &mut Vec<Blank>) {
    let key = path.last().copied().unwrap_or_default();
    match &node.shape {
        Shape::Text(text) if text == BLANK => {
            let column = match path.as_slice() {
                ["columns", column, _] | ["columns", column, "keys", _] => Some(shown(column)),
                ["tables", table, "columns", column, _] | ["tables", table, "columns", column, "keys", _] => {
                    Some(shown(&format!("{table}.{column}")))
                }
                _ => None,
            };
            found.push(Blank { key: key.to_owned(), column, span: node.span.clone(), help: help(path) });
        }
        Shape::Table(members) => {
            for member in members {
                path.push(&member.key);
                walk(&member.value, path, found);
                path.pop();
            }
        }
        Shape::List(items) => {
            for item in items.iter().filter(|item| key == "bounds" || matches!(item.shape, Shape::Table(_))) {
                walk(item, path, found);
            }
        }
        Shape::Text(_) | Shape::Number(_) | Shape::Boolean(_) | Shape::Date(_) => {}
    }
}

/// The help for keys without one of their own, in a section in which everything is undecided.
const WHOLE_SECTION: &str = "write its keys in place of the \"?\"; docs/reference/policy.md describes them";

/// The decision at a path of keys, and its consequences.
pub(crate) fn help(path: &[&str]) -> String {
    let text = match path {
        ["name"] => {
            "choose a name for this policy, such as \"clinic\": the ledger counts what the policy spends under it"
        }
        ["population"] => {
            "name the people whom the promise protects, such as \"clinic-patients\"; all policies about the same people \
             must name the same population, for their releases add up"
        }
        ["ledger"] => {
            "name the file that counts what was spent on these people, the same for all policies about them; or remove \
             the line for the usual one beside the policy"
        }
        ["data", "csv", key] | ["tables", _, "csv", key] => csv(key),
        ["columns", _, key] | ["tables", _, "columns", _, key] => column(key),
        ["columns", _, "keys_from", _] | ["tables", _, "columns", _, "keys_from", _] => {
            "name the public table (`table`), its column that has the keys (`column`), and the one that has their labels (`label`), if \
             there is one"
        }
        ["columns", _, "within", ..] | ["tables", _, "columns", _, "within", ..] => {
            "name what each key lies within, such as county = { \"0101\" = \"01\" }; beside `keys_from`, the column of the public \
             table that names it"
        }
        ["columns", _, "keys", _] | ["tables", _, "columns", _, "keys", _] => {
            "what does this key mean? Write the label that is shown in its place, such as \"women\""
        }
        ["tables", _, key @ ("rows_per_group" | "groups")] => entity(key),
        ["data", key] | ["tables", _, key] => data(key),
        ["entity", key] => entity(key),
        ["adversary", "preset"] => return presets(),
        ["adversary", rest @ ..] => adversary(rest),
        ["promise", "but_for", key] => but_for(key),
        ["promise", key] => promise(key),
        ["budget", key] => budget(key),
        ["quality", key] => quality(key),
        ["display", key] => display(key),
        ["publication", key] => publication(key),
        ["query", "every", key] => every(key),
        ["query", key] => query(key),
        _ => WHOLE_SECTION,
    };
    text.to_owned()
}

fn data(key: &str) -> &'static str {
    match key {
        "table" => "choose the name that the queries call the rows by, in lower-case letters, such as \"visits\"",
        "path" => "name the file, the folder or the pattern in which the rows are, relative to this policy",
        "version" => {
            "choose a public name for the data as it is now, such as \"2024-06\"; changed data needs a new one, because \
             answers are kept and given again for the same version"
        }
        "period" => {
            "which period are the new rows of, such as \"2024-06\"? Only queries with `every` need it, where the version is not \
             the name of a period"
        }
        "rows" => {
            "does the file contain only rows of its own period (\"new\"), or also those of all periods before (\"all\")? Leave \
             it out for \"new\""
        }
        "new_entities_only" => {
            "does each version contain only people who are in no other version, such as new admissions, true or false? Then \
             versions do not share the promise"
        }
        "format" => {
            "state how the rows are stored, \"csv\" or \"parquet\", or that they are in a database: \"postgres\""
        }
        "relation" => "name the table or view that the rows are in, with its schema, such as \"clinic.visits\"",
        "connect" => {
            "name the variable of the environment that holds the database's or the engine's address, such as \
             \"env:CLINIC_PG\": passwords do not belong in a policy"
        }
        "engine" => {
            "name the engine that holds the rows and computes totals, such as \"spark\"; for rows that are read here \
             give a `path`, or `format = \"postgres\"`"
        }
        "partitions" => {
            "list the columns whose values are in folder names, such as [\"year\"] for year=2024, outermost first"
        }
        "typical_rows" => {
            "guess from public knowledge how many rows there are, such as 10_000: `plan` estimates errors from it; or \
             remove the line"
        }
        "entity" => {
            "which column identifies the person of each row, with the same values as the key of [entity]? If the \
             table is public and contains no personal data, write `unprotected = true` and its `key` instead"
        }
        "unprotected" => {
            "is the table public knowledge, such as a list of towns, and about none of the protected people? `true` promises \
             nothing about its rows; otherwise remove it and name the column that identifies the person of each row \
             as `entity`"
        }
        "key" => "which column do no two rows of this public table share, such as \"town\"? Rows are found by it",
        _ => WHOLE_SECTION,
    }
}

fn csv(key: &str) -> &'static str {
    match key {
        "header" => "does the file's first line name the columns? `true` or `false`",
        "columns" => "list the names of all columns in file order, as the first line does not contain them",
        "delimiter" => "write the character between two fields, such as \",\" or \";\" (it cannot be \"?\")",
        "quote" => {
            "write the character around fields that hold a delimiter, such as \"'\" (it cannot be \"?\"); leave it out for \""
        }
        "decimal" => "is a half written 0.5 or 0,5? \".\" or \",\"",
        "encoding" => "write the encoding in which the file was saved, such as \"latin1\"; leave it out for UTF-8",
        "compression" => {
            "how is the file compressed? \"none\", \"gzip\" or \"zstd\"; by the path's ending when left out"
        }
        "trim" => "should spaces around a field be dropped? `true` or `false`",
        "nulls" => "list the texts that mean \"not recorded\", such as [\"\", \"NA\"]; they become NULL",
        _ => WHOLE_SECTION,
    }
}

fn column(key: &str) -> &'static str {
    match key {
        "type" => {
            "state the type of the values, \"integer\", \"decimal\", \"text\", \"boolean\", \"date\" or \
             \"timestamp\"; values that cannot be read as it count as NULL"
        }
        "bounds" => {
            "the least and greatest value that are publicly plausible, such as [0, 110] for an age; wide bounds cost \
             noise, values beyond are moved to the bound; never copy them out of the data"
        }
        "step" => {
            "how finely do values count, such as 0.01 for an amount? They are rounded to multiples of it, and sums are \
             exact in them"
        }
        "keys" => {
            "list the groups that are publicly known to exist, such as [\"F\", \"M\"]; these always appear and others never \
             do, because the mere appearance of a group would reveal a person in it; never copy them out of the data"
        }
        "null_key" => {
            "should the rows without a value be a group of their own? `true` or `false`, or the label of that group, such as \
             \"unknown\""
        }
        "within" => {
            "which coarser columns follow from the keys? Write within.county = { \"0101\" = \"01\" } with every key, or beside `keys_from` \
             the column of the public table that names it"
        }
        "keys_from" => {
            "in which public table are the keys listed? Write { table = \"regions\", column = \"code\" }, with `label` if they have labels"
        }
        "other" => {
            "what is the label of the group of all values that are not among `keys`, such as \"elsewhere\"? Omit it \
             to leave these rows out"
        }
        "typical" => {
            "guess from public knowledge what a usual value is, such as 45 for an age: `plan` states errors relative \
             to it; or remove the line"
        }
        "typical_spread" => {
            "guess the usual standard deviation of the values, from which `plan` computes those of VAR and STDDEV; or \
             remove the line"
        }
        "label" => "what is the column called for readers, such as \"Length of visit\"?",
        "unit" => "in which unit are its values, such as \"minutes\"?",
        "pivot" => "write the last year that two digits may mean, such as 2024: 57 is then 1957, and 24 is 2024",
        "zone" => {
            "in which zone's local time do these moments count? \"UTC\", or a place such as \"Europe/Berlin\": 2024-06-30T23:30Z is a time of \
             July there"
        }
        "format" => "write the pattern of the dates in the file, such as \"%d.%m.%Y\"; leave it out for 2024-12-31",
        _ => WHOLE_SECTION,
    }
}

pub(crate) fn entity(key: &str) -> &'static str {
    match key {
        "key" => {
            "is one row one person? Then remove [entity]. Otherwise name the column that identifies the person of \
             each row, such as \"patient\": the promise covers all rows with the same value"
        }
        "rows_per_group" => {
            "how many rows of one person may count in each group of an answer? More rows mean more noise, fewer leave \
             out more of the truth; choose a number that few people exceed, from knowledge and not from the data. \
             `deniable suggest` gives private advice"
        }
        "groups" => {
            "in how many groups of one answer may one person count? More groups mean more noise, fewer leave out more \
             of the truth; choose a number that few people exceed, from knowledge and not from the data. `deniable \
             suggest` gives private advice"
        }
        "levels" => {
            "are rows capped once, below all levels of a ROLLUP (\"together\", so that parts add up to their totals, for more noise), or \
             at each level by itself (\"apart\")? Leave it out for \"apart\""
        }
        "rows_in_joins" => {
            "how many rows of one person and table may enter a join, such as 100? Omit it for 1,000; \
             its product over the joined tables may be at most ten million"
        }
        "typical_entities" => {
            "guess from public knowledge how many people have rows, such as 2_000: `plan` compares errors with it; or remove \
             the line"
        }
        _ => WHOLE_SECTION,
    }
}

/// The question about the preset, with all presets.
fn presets() -> String {
    let known: Vec<String> = Preset::ALL
        .iter()
        .map(|preset| format!("\"{}\" ({})", preset.name(), preset.sentence(Secret::Membership)))
        .collect();
    format!("from which observers are the people protected? Choose one of {}", known.join(", "))
}

fn adversary(path: &[&str]) -> &'static str {
    match path {
        ["knows_size"] => {
            "is the number of people in the data public? `true` if anyone may know it, otherwise `false`: then one person \
             more or less stays hidden"
        }
        ["prior"] => {
            "how sure may an observer be beforehand that a given person is in the data? Give an interval such as \
             \"..1/2\"; observers outside it are not covered by the promise"
        }
        ["prior", "at_least"] => {
            "the lowest probability that an observer may give a person beforehand of being in the data"
        }
        ["prior", "at_most"] => {
            "the highest probability that an observer may give a person beforehand of being in the data, such as \
             \"1/2\"; observers with a higher one are not covered by the promise"
        }
        ["moves_together"] => {
            "how many people may be known to be in the data or not together, such as 4 for families? 1 if everyone is \
             independent; the promise is kept for whole groups, at the price of more noise"
        }
        ["moves_together", "one_group"] => "how many people are in the one group that is in the data or not together?",
        ["moves_together", "all_of_size"] => "how many people are in each of the groups, all of the same size?",
        _ => WHOLE_SECTION,
    }
}

fn promise(key: &str) -> &'static str {
    match key {
        "posterior_at_most" => {
            "how sure may anyone become that a given person is in the data, whatever is released, such as \"75%\"? A lower \
             ceiling protects more and costs more noise"
        }
        "posterior_at_least" => {
            "how unsure may anyone become that a given person is in the data, such as \"2%\"? A higher floor protects more \
             and costs more noise"
        }
        "gain" => "by what factor may belief that a person is in the data grow, such as 3? Less protects more",
        "negative_gain" => {
            "by what factor may belief that a person is not in the data grow, such as 3? Less protects more"
        }
        "rho" => {
            "how sure may an observer become about one person among `among` equally likely ones, such as \"1/2\"? \
             Less protects more"
        }
        "among" => "how many people are equally likely beforehand to be the one in question, such as 100?",
        "alpha" => "by what part of itself may belief in the true data fall, such as \"1/2\"? Less protects more",
        "beta" => "by what part of itself may belief in the true data grow, such as 1? Less protects more",
        "p_min" => "the lowest probability that an observer gives the true data beforehand, such as 0",
        "p_max" => "the highest probability that an observer gives the true data beforehand, such as \"1/10\"",
        "epsilon" => "the epsilon of plain differential privacy, such as 1; less protects more",
        _ => WHOLE_SECTION,
    }
}

fn but_for(key: &str) -> &'static str {
    match key {
        "chance" => {
            "with what chance may what is released move somebody's belief beyond the promises of this section, such as \
             \"1/1000000\"? Those of [promise] hold even then"
        }
        "people" => {
            "how many people are in the data, roughly and publicly? Only for saying how many the chance concerns"
        }
        _ => promise(key),
    }
}

const LEFT_OUT: &str = "which part of a number do caps and bounds leave out at most, such as \"2%\"? A public guess, never read from the data";

fn quality(key: &str) -> &'static str {
    match key {
        "a" => "up to which coefficient of variation of its noise is a number good, such as \"10%\"?",
        "b" => "up to which coefficient of variation is a number acceptable, such as \"25%\"?",
        "c" => {
            "up to which coefficient of variation may a number be used with caution, such as \"50%\"? Beyond it is not usable"
        }
        "typical_left_out" => LEFT_OUT,
        _ => WHOLE_SECTION,
    }
}

fn display(key: &str) -> &'static str {
    match key {
        "hide_unusable" => {
            "should numbers beyond class C be hidden, true or false? Free: they are released all the same"
        }
        "hide_below" => "below which released value should counts be hidden, such as 11? Free, as all rules of display",
        "round_to" => "to multiples of what should counts be rounded, such as 5? Free, as all rules of display",
        "label" => "what text should replace a hidden number, such as \"hidden\"?",
        _ => WHOLE_SECTION,
    }
}

fn publication(key: &str) -> &'static str {
    match key {
        "title" => "what is the publication called, such as \"Visits to the clinic, June 2024\"?",
        "publisher" => "who publishes it?",
        "period" => "which period are the data about, such as \"June 2024\"?",
        "source" => "where do the data come from, such as \"appointment register\"?",
        "unit" => "what is one row of the data, such as \"visits\"?",
        "contact" => "whom may readers ask about it?",
        "licence" => "under which terms may it be used, such as \"CC BY 4.0\"?",
        "next_release" => "when is the next publication due, such as \"2024-09-15\"?",
        _ => WHOLE_SECTION,
    }
}

fn budget(key: &str) -> &'static str {
    match key {
        "spend" => {
            "what part of the promise may this policy use up, such as \"1/2\"? The rest is left for later queries about \
             the same people; 1 leaves nothing"
        }
        "per_version" => {
            "what part of the promise may all answers about one version of the data use together, such as \"1/12\" for \
             twelve versions?"
        }
        "confidence" => "how sure should the intervals around answers be, such as \"95%\"? Surer ones are wider",
        _ => WHOLE_SECTION,
    }
}

fn query(key: &str) -> &'static str {
    match key {
        "name" => "choose a name for this query, under which its answer is shown and kept",
        "title" => "what is the answer called for readers, such as \"Visits by department\"?",
        "sql" => "write the query, such as SELECT COUNT(*) FROM visits",
        "weight" => {
            "how large a part of the budget should this answer get, against 1 for each other? A larger part means less noise"
        }
        "share" => "what part of the promise may this answer use, such as \"1/8\"? A larger part means less noise",
        "target_error" => {
            "how large may the error of the answer be, at the stated confidence and in the answer's own units, such \
             as 5? Less costs more of the promise"
        }
        "consistent" => {
            "should the levels of GROUPING SETS, ROLLUP and CUBE be made to add up? `true`, unless raw noise is wanted"
        }
        "rows_per_group" | "groups" => entity(key),
        "left_out" => {
            "which part of the promise should pay for a count of the people of whom the caps leave out rows of this \
             query, such as 1/50? Omit it if that count is not needed"
        }
        "sampling" => {
            "are the people in the data a simple random sample of the population? Then \"simple\" adds intervals for \
             the population; otherwise remove the line"
        }
        "test" => {
            "should the answer say whether the two columns of GROUP BY are independent of each other? Then \
             \"independence\"; otherwise remove the line"
        }
        "every" => {
            "is the query repeated for every period of a horizon, with running totals? Write { unit = \"month\", column = \"day\", from = \
             \"2024-01\", periods = 12 }; otherwise remove the line"
        }
        "display" => {
            "which numbers of this answer should be shown, such as { hide_below = 11 }? Without it, [display] applies"
        }
        "typical_share" => {
            "guess what part of the rows passes the query's WHERE, such as \"30%\": `plan` compares errors with it; or remove \
             the line"
        }
        "typical" => {
            "guess usual values of expressions in the query, such as { \"age > 65\" = \"30%\" }, as `plan` asks for them; or \
             remove the line"
        }
        "typical_left_out" => LEFT_OUT,
        _ => WHOLE_SECTION,
    }
}

fn every(key: &str) -> &'static str {
    match key {
        "unit" => "how long is a period: a \"day\", \"week\", \"month\", \"quarter\" or \"year\"?",
        "column" => "which date or timestamp of a row decides about its period, such as \"day\"?",
        "from" => "with which period does the horizon begin, such as \"2024-01\"?",
        "periods" => {
            "how many periods will be released, such as 12? The share is divided among them; later ones need a further query"
        }
        _ => WHOLE_SECTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        adversary, budget, columns, csv, data, entity, every, imprint, policy, promise, quality, query, tables,
    };

    /// A person must find help at every blank.
    #[test]
    fn every_key_has_a_help() {
        let sections: [(&[&str], &[&str]); 17] = [
            (&["data"], &data::KEYS),
            (&["data", "csv"], &csv::KEYS),
            (&["columns", "age"], &columns::KEYS),
            (&["entity"], &entity::KEYS),
            (&["tables", "towns"], &tables::KEYS),
            (&["tables", "towns", "csv"], &csv::KEYS),
            (&["tables", "towns", "columns", "name"], &columns::KEYS),
            (&["adversary"], &adversary::KEYS),
            (&["promise"], &promise::KEYS),
            (&["promise", "but_for"], &promise::BUT_FOR_KEYS),
            (&["budget"], &budget::KEYS),
            (&["quality"], &quality::QUALITY_KEYS),
            (&["display"], &quality::DISPLAY_KEYS),
            (&["publication"], &imprint::KEYS),
            (&["query"], &query::KEYS),
            (&["query", "every"], &every::KEYS),
            (&[], &policy::sections::SECTIONS),
        ];
        // The names of sections, whose own keys have to be decided.
        // `every` is decided as a whole, too: most queries have none.
        let sections_of_all: Vec<&[&str]> =
            sections.iter().map(|(path, _)| *path).filter(|path| *path != ["query", "every"]).collect();
        let whole = |path: &[&str]| {
            sections_of_all.contains(&path)
                || [&["columns"][..], &["tables"], &["tables", "towns", "columns"]].contains(&path)
        };
        let mut said = std::collections::BTreeMap::new();
        for (path, keys) in sections {
            for key in keys {
                let path = [path, &[*key]].concat();
                let help = help(&path);
                assert_eq!(help == WHOLE_SECTION, whole(&path), "{path:?}");
                if !whole(&path) {
                    // The same key of another table may have the same help.
                    assert_eq!(said.entry(help).or_insert(*key), key, "{path:?}");
                }
            }
        }
        for path in [
            ["adversary", "prior", "at_least"],
            ["adversary", "prior", "at_most"],
            ["adversary", "moves_together", "one_group"],
            ["adversary", "moves_together", "all_of_size"],
        ] {
            assert_ne!(help(&path), WHOLE_SECTION, "{path:?}");
        }
    }
}
