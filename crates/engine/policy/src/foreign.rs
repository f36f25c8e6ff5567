//! The policy keys for terms of other libraries. `docs/reference/terms.md` defines each of them.

use crate::{adversary, budget, columns, csv, data, entity, imprint, promise, quality, query, tables};

/// Terms separated by spaces, with their hint. They are in lower case and without separators, so that `max_rows`,
/// `max-rows` and `MaxRows` are one term.
const WORDS: &[(&str, &str)] = &[
    (
        "epsilon eps privacyloss privacylossbudget privacybudget totalbudget totalepsilon budget puredp \
         puredpbudget odds oddsratio lossof",
        "write `promise = { epsilon = 1 }`: the total of everything ever released about these people. `spend` under \
         [budget] is the part of it for this policy, and `share` under [[query]] the part for one query",
    ),
    ("loss", "write `negative_gain` under [promise]: by what factor belief that a person is not in the data may grow"),
    (
        "delta approxdp approxdpbudget",
        "no δ is needed, as all noise is pure: leave it out, and write `promise = { epsilon = 1 }`",
    ),
    (
        "zcdp rhozcdp rhozcdpbudget renyi renyidp rdp gdp mu",
        "releases do not use zero-concentrated, Rényi or Gaussian privacy: write `promise = { epsilon = 1 }`",
    ),
    (
        "maxcontributionsperpartition maxrowspergroup maxrowspergroupperid perpartition linf linfinity \
         maxcontributionspergroup rowspergroupperid",
        "this is `rows_per_group` under [entity]: how many rows of one person count in a group",
    ),
    (
        "maxpartitionscontributed maxgroups maxgroupsperid numpartitions l0 lzero maxpartitions \
         maxgroupscontributed",
        "this is `groups` under [entity]: how many groups one person counts in",
    ),
    (
        "maxcontributions contributions contributionbounds contributionbound maxrows maxrowsperid maxids \
         censordims clampcounts usebpls",
        "these are two numbers under [entity]: `rows_per_group`, how many rows of one person count in a group, and \
         `groups`, how many groups they count in",
    ),
    (
        "contribution privacyunit unitofprivacy unit protectedchange idspace addrowswithid",
        "write `entity = { key = \"patient\", rows_per_group = 3, groups = 2 }`: all rows with one key are one person. \
         Without [entity], one row is one person",
    ),
    (
        "privacyid privateid identifier idcolumn userid idcol",
        "this is `key` under [entity]: the column that identifies the person of a row",
    ),
    ("rowprivacy addonerow addmaxrows rowlevel", "leave [entity] out: without it, one row is one person"),
    (
        "partitions publicpartitions partitionkeys keyset groupkeys withkeys categories domain",
        "the groups are declared as `keys` under [columns.name]: these always appear, and others never",
    ),
    (
        "threshold tau minimumgroupsize mincount partitionselection maxpartitionlength",
        "no group is found in the data: the groups are declared as `keys` under [columns.name], and always appear",
    ),
    (
        "lower upper min max clamp clampingbounds valuebounds range low high",
        "write `bounds = [0, 110]` under [columns.name]: values beyond count as the bound",
    ),
    (
        "granularity discretisation discretization precision resolution",
        "this is `step` under [columns.name]: sums are exact in this unit",
    ),
    (
        "mechanism mechanisms noise noisemechanism noisekind noisescale scale laplace gaussian geometric \
         sensitivity",
        "noise is not chosen: it follows from the promise, the caps and the bounds; `deniable plan` shows its scale",
    ),
    (
        "neighbors neighbours neighboring neighbouring neighboringrelation adjacency bounded unbounded \
         changeone replaceone addremove inputmetric",
        "write `adversary = { knows_size = false }` for add/remove neighbours, or `true` for replace-one",
    ),
    (
        "accountant composition odometer filter",
        "the ledger counts, always: costs add up over everything ever released; `ledger` names its file",
    ),
    ("ask asks", "write `[[query]]` above every query"),
    (
        "queries question questions sql measurements statements",
        "write every query below a line `[[query]]` of its own, as `sql = \"SELECT COUNT(*) FROM visits\"`",
    ),
    (
        "accuracy error margin marginoferror target",
        "this is `target_error` under [[query]]: the margin that the answer should have, in its own units",
    ),
    ("confidencelevel confidenceinterval", "this is `confidence` under [budget]"),
    (
        "seed randomseed rng",
        "noise is drawn from the operating system's random bits; with a known seed, it could be subtracted",
    ),
];

/// The keys of a policy by section.
const HOMES: [(&str, &[&str]); 12] = [
    ("[data]", &data::KEYS),
    ("[columns.name]", &columns::KEYS),
    ("[entity]", &entity::KEYS),
    ("[adversary]", &adversary::KEYS),
    ("[promise]", &promise::KEYS),
    ("[budget]", &budget::KEYS),
    ("[quality]", &quality::QUALITY_KEYS),
    ("[display]", &quality::DISPLAY_KEYS),
    ("[publication]", &imprint::KEYS),
    ("[[query]]", &query::KEYS),
    ("[data.csv]", &csv::KEYS),
    ("[tables.name]", &tables::KEYS),
];

/// The hint for an unknown key in this section: a term of another library, or a key of another section.
pub(crate) fn called_here(key: &str, section: &str) -> Option<String> {
    // The ends of a prior have keys of their own.
    let belief = section.contains("prior");
    let bare: String = key.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect::<String>().to_lowercase();
    if let Some((_, hint)) =
        WORDS.iter().find(|(words, _)| words.split(' ').any(|word| word == bare)).filter(|_| !belief)
    {
        return Some((*hint).to_owned());
    }
    let (home, _) = HOMES.iter().find(|(home, keys)| *home != section && keys.contains(&key))?;
    Some(format!("`{key}` belongs under {home}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn one_word_has_one_hint() {
        let mut seen = BTreeSet::new();
        for word in WORDS.iter().flat_map(|(words, _)| words.split(' ')) {
            assert!(seen.insert(word), "{word} is listed twice");
            assert!(word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{word} is never found");
        }
    }

    /// A hint names only existing keys.
    #[test]
    fn hints_name_what_is_there() {
        let keys: Vec<&str> =
            HOMES.iter().flat_map(|(_, keys)| *keys).chain(&crate::policy::sections::SECTIONS).copied().collect();
        for (_, hint) in WORDS {
            for (position, quoted) in hint.split('`').enumerate() {
                let word = quoted.split(' ').next().unwrap();
                let known = keys.contains(&word) || matches!(word, "true" | "deniable" | "[[query]]");
                assert!(position % 2 == 0 || known, "`{quoted}` is not a key");
            }
        }
    }

    #[test]
    fn however_it_is_written() {
        let found = |key| called_here(key, "[entity]");
        let rows = found("max_contributions_per_partition");
        assert!(rows.as_ref().is_some_and(|hint| hint.contains("`rows_per_group`")));
        assert_eq!(found("MaxRowsPerGroupPerID"), rows);
        assert_eq!(found("max-rows-per-group"), rows);
        assert_eq!(found("rows_per_grup"), None);
        assert_eq!(found("gain").as_deref(), Some("`gain` belongs under [promise]"));
        assert_eq!(called_here("max", "prior"), None);
    }
}
