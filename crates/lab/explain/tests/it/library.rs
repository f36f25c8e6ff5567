//! The pages are complete, without dead references, and found by every name.

use deniable_explain::entry::Kind;
use deniable_explain::library::{NOTIONS, THEOREMS, aliases, key};
use deniable_explain::{Library, ids, library, lookup, meant, terms};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn every_entry_is_complete() {
    assert_eq!(library().problems, Vec::<String>::new());
    let headings = NOTIONS.iter().chain(&THEOREMS).flat_map(|(_, page)| page.lines());
    let headings = headings.filter(|line| line.starts_with("### ")).count();
    let merged =
        library().entries.iter().filter(|entry| entry.theorem.is_some() && entry.kind != Kind::Theorem).count();
    assert_eq!(library().entries.len() + merged, headings);
    for entry in &library().entries {
        assert!(entry.definition.len() > 20 && !entry.source.is_empty() && !entry.name.is_empty(), "{}", entry.id);
        let full = entry.frame.is_some() && entry.laws.is_some() && entry.implies.is_some() && entry.traps.is_some();
        assert_eq!(full, entry.kind != Kind::Theorem, "{}", entry.id);
        assert!(entry.kind != Kind::Theorem || entry.theorem.is_some());
    }
}

#[test]
fn every_cited_identifier_has_an_entry() {
    for (path, page) in NOTIONS {
        for (line, text) in (1..).zip(page.lines()) {
            for id in ids::cited(text) {
                assert!(library().get(&id).is_some(), "docs/notions/{path}:{line}: no entry {id}");
            }
        }
    }
    let laws = library().entries.iter().filter_map(|entry| Some((entry, entry.laws.as_ref()?)));
    for (entry, laws) in laws {
        for law in [&laws.composition, &laws.post_processing, &laws.mixture] {
            assert_eq!(law.holds, law.counterexample.is_none(), "{}", entry.id);
        }
    }
}

#[test]
fn every_page_is_compiled_in() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    for (folder, pages) in [("notions", NOTIONS.as_slice()), ("theorems", THEOREMS.as_slice())] {
        for file in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            let page = name.ends_with(".md") && name != "README.md";
            assert!(!page || pages.iter().any(|(path, _)| *path == name), "docs/{folder}/{name}");
        }
    }
}

#[test]
fn every_notion_of_the_mathematics_is_here() {
    let wanted = "PMP NMP unbounded-dp positive-dp negative-dp bounded-dp approximate-dp posterior rho-m alpha-beta \
                  group-privacy I-IND I-DPS I-FLP I-ZKP I-ZKR I-CBP I-INP I-BOP I-SMC \
                  F-DU F-DI F-DI2 F-DFβ F-DN F-DB F-DB2 F-DCm F-DI[a,b] F-DB[a,b] F-NIk F-EXPL \
                  M-RR M-GEO truncated-geometric M-EXP M-PF report-noisy-max M-KMAX C-5 M-DI";
    for id in wanted.split_whitespace() {
        assert!(library().get(id).is_some_and(|entry| entry.kind != Kind::Theorem), "{id}");
    }
    for id in ["B-1", "B-3n", "C-1", "E-3", "S-CAP"] {
        assert_eq!(library().get(id).unwrap().kind, Kind::Theorem);
    }
}

/// Every adversary of indistinguishable privacy has a page with its own background, sensitive and operation knowledge.
#[test]
fn every_adversary_has_a_page() {
    assert_eq!(lookup("indistinguishable privacy").unwrap().id, "I-IND");
    for row in deniable_core::notion::adversary::ADVERSARIES {
        let page = library().get(row.notion.entry().page).unwrap();
        assert!(page.frame.is_some(), "{row:?}");
        for said in [row.background, row.sensitive, row.operation] {
            assert!(!said.is_empty() && !said.ends_with('.'), "{row:?}");
        }
    }
}

#[test]
fn names_are_unique() {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for entry in &library().entries {
        for name in entry.aliases.iter().chain([&entry.id]) {
            let name = key(name);
            assert!(!name.is_empty(), "{}", entry.id);
            if let Some(other) = seen.insert(name.clone(), &entry.id) {
                panic!("`{name}` is {other} and {}", entry.id);
            }
        }
    }
}

#[test]
fn entries_are_found_by_every_name() {
    for entry in &library().entries {
        for name in entry.aliases.iter().chain([&entry.id]) {
            assert_eq!(lookup(name).unwrap().id, entry.id, "{name}");
            assert_eq!(lookup(&name.to_uppercase().replace('-', " ")).unwrap().id, entry.id, "{name}");
        }
    }
    for (asked, id) in
        [("F-NI3", "F-NIk"), ("pmp", "PMP"), ("Differential Privacy", "unbounded-dp"), ("f-di [a,b]", "F-DI[a,b]")]
    {
        assert_eq!(lookup(asked).unwrap().id, id);
    }
}

#[test]
fn unknown_names_are_guessed() {
    for (asked, guess) in [
        ("pnp", "PMP"),
        ("free-lunhc", "I-FLP"),
        ("exponental", "M-EXP"),
        ("noisy", "report-noisy-max"),
        ("B-33", "B-3"),
    ] {
        let unknown = lookup(asked).unwrap_err();
        assert!(unknown.did_you_mean.iter().any(|id| id == guess), "{asked}: {unknown}");
        assert!(unknown.to_string().contains("did you mean"));
    }
    let unknown = lookup("zzzzzzzzzz").unwrap_err();
    assert!(unknown.did_you_mean.is_empty() && unknown.to_string().contains("name a notion"), "{unknown}");
}

#[test]
fn texts_keep_their_width_and_are_complete() {
    for entry in &library().entries {
        for width in [60, 100] {
            let text = entry.text(width);
            let long = |line: &&str| line.chars().count() > width && line.trim().contains(' ');
            // The title is one line.
            assert_eq!(text.lines().skip(1).find(long), None, "{}", entry.id);
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        let text = words(&entry.text(100));
        assert!(text.contains(&words(&entry.definition)) && text.contains(&words(&entry.source)));
        if let Some(theorem) = &entry.theorem {
            assert!(text.contains(&words(&theorem.hypotheses)) && text.contains(&words(&theorem.verdict)));
        }
    }
}

#[test]
fn entries_are_json() {
    let json = serde_json::to_value(lookup("k-max").unwrap()).unwrap();
    assert_eq!((&json["id"], &json["kind"]), (&"M-KMAX".into(), &"mechanism".into()));
    assert_eq!(json["laws"]["composition"]["counterexample"], "E-3");
    assert_eq!(json["laws"]["composition"]["holds"], false);
}

#[test]
fn broken_pages_are_reported() {
    let broken = "### X name\n**Kind.** notion\n**Source.** none\n";
    let library = Library::read(&[("p.md", broken)], &[("q.md", "### Y name\n**Statement.** Words.\n")]);
    assert_eq!((library.entries.len(), library.problems.len()), (0, 2));
    assert!(library.problems[0].starts_with("docs/notions/p.md: X needs Kind, Aliases"), "{:?}", library.problems);
}

/// Every word of `deniable check --list` has an entry of its kind.
#[test]
fn every_word_of_check_is_explained() {
    use deniable_check::mechanism::builtin;
    use deniable_check::subject::PROTOCOLS;
    use deniable_check::words::{FAMILIES, NOTIONS as WORDS};
    let explained = |name: &str, kind: Kind| {
        let entry = lookup(name).unwrap_or_else(|unknown| panic!("{unknown}"));
        assert_eq!(entry.kind, kind, "`{name}` opens {}", entry.id);
    };
    for word in WORDS.iter() {
        explained(word.name, Kind::Notion);
        explained(word.form, Kind::Notion);
    }
    for word in FAMILIES.iter() {
        explained(word.name, Kind::Family);
        explained(word.form, Kind::Family);
    }
    for name in ["semi-honest", "semi-honest-both", "induced", "rho:100"] {
        explained(name, Kind::Notion);
    }
    let built_in = builtin::LIST.iter().map(|builtin| builtin.name);
    for name in built_in.chain(PROTOCOLS.iter().map(|(name, _)| *name)) {
        // Differential privacy under sampling and k-anonymity have the names of their mechanisms.
        explained(name, if ["sampling", "k-anonymity"].contains(&name) { Kind::Notion } else { Kind::Mechanism });
    }
    assert_eq!(lookup("groups").unwrap().id, "F-NIk");
}

/// Every explained name of a translated notion is accepted by the translator.
#[test]
fn every_name_of_a_translated_notion_is_accepted() {
    use deniable_translate::notion::{SPELLINGS, canonical};
    for spelling in &SPELLINGS {
        let Ok(entry) = lookup(spelling.name) else { continue };
        if entry.kind != Kind::Notion {
            continue;
        }
        // A page may also describe variants that are decided but not translated.
        let meant = deniable_core::notion::find(spelling.name).unwrap().notion;
        let same = |name: &&String| deniable_core::notion::find(name).is_none_or(|found| found.notion == meant);
        for name in entry.aliases.iter().chain([&entry.id]).filter(same) {
            assert!(canonical(name).is_some(), "`{name}` of {} is unknown to translate", entry.id);
        }
    }
    for (alias, name) in [("gamma", "gain"), ("PMP", "gain"), ("dp", "epsilon"), ("ceiling", "posterior-at-most")] {
        assert_eq!(canonical(alias), Some(name));
    }
}

/// The table of notions and the pages: every notion has a page and a theorem, and a page's names are those of the
/// table.
#[test]
fn the_table_of_notions_is_explained() {
    use deniable_core::notion::{Notion, every_name};
    for notion in Notion::ALL {
        let entry = notion.entry();
        assert_eq!(library().get(entry.page).map(|page| page.kind), Some(Kind::Notion), "{notion:?}: {}", entry.page);
        let theorem = library().get(entry.theorem).unwrap_or_else(|| panic!("{notion:?}: {}", entry.theorem));
        assert!(theorem.theorem.is_some(), "{notion:?}: docs/theorems has no {}", entry.theorem);
    }
    for found in every_name() {
        assert_eq!(lookup(found.name).unwrap().id, found.notion.entry().page, "{}", found.name);
    }
    // Other pages describe notions that no command accepts (`dalenius`), under names of their own.
    let is_taken = |id: &str| Notion::ALL.iter().any(|notion| notion.entry().page == id);
    for entry in library().entries.iter().filter(|entry| is_taken(&entry.id)) {
        assert_eq!(entry.aliases, aliases(&entry.id), "{}: run `cargo xtask notions --write`", entry.id);
    }
}

/// Names that were explained before the table of notions existed still find the same pages.
#[test]
fn earlier_aliases_open_the_same_pages() {
    for (id, earlier) in [
        ("PMP", "gamma, gain, positive membership privacy, membership privacy, membership"),
        ("NMP", "loss, negative membership privacy"),
        ("unbounded-dp", "dp, udp, epsilon, odds, unbounded epsilon, differential privacy, add-remove"),
        ("unbounded-dp", "unbounded differential privacy"),
        ("positive-dp", "dp-positive, positive epsilon, positive odds, positive unbounded dp"),
        ("negative-dp", "dp-negative, negative epsilon, negative odds, negative unbounded dp"),
        ("bounded-dp", "bdp, bounded epsilon, bounded odds, bounded differential privacy, replace-one"),
        ("approximate-dp", "epsilon-delta, adp, delta, bounded-delta, epsilon-at, bounded-epsilon-at"),
        ("approximate-dp", "approximate differential privacy"),
        ("posterior", "ceiling, floor, posterior ceiling, posterior floor, posterior at most, posterior at least"),
        ("rho-m", "rho, identifiability, differential identifiability, rho:100"),
        ("alpha-beta", "alpha, beta, ab-di"),
        ("group-privacy", "group, people who move together"),
        ("I-FLP", "free-lunch, flp"),
        ("I-ZKP", "zero-knowledge, zkp"),
        ("I-CBP", "crowd-blending, cbp"),
        ("I-INP", "induced, induced neighbors, induced neighbour privacy, constraints"),
        ("I-DPS", "sampling, dps, dp under sampling"),
        ("I-BOP", "bayes-optimal, bop, bayes-optimal privacy"),
        ("I-SMC", "semi-honest, semi-honest-both, smc, multi-party, semi-honest privacy"),
    ] {
        for alias in earlier.split(", ") {
            assert_eq!(lookup(alias).unwrap().id, id, "{alias}");
        }
    }
    for (name, id) in
        [("(α,β)", "alpha-beta"), ("(β,ε)-dp under sampling", "I-DPS"), ("(ρ,m)-identifiability", "rho-m")]
    {
        assert_eq!(lookup(name).unwrap().id, id);
    }
}

/// Every row of `docs/reference/terms.md` is found by its words, here and elsewhere.
#[test]
fn every_term_is_found() {
    let rows =
        deniable_explain::terms::PAGE.lines().filter(|line| line.starts_with('|') && line.matches('|').count() >= 5);
    assert!(terms().len() > 50 && terms().len() < rows.count(), "{}", terms().len());
    for term in terms() {
        assert!(meant(&term.here.replace('`', "")).contains(&term) || term.here.contains([',', '=', ';']), "{term:?}");
        for word in term.here.split([',', ';', '=']) {
            let found = !meant(word).is_empty() || lookup(word).is_ok();
            assert!(found, "`{word}` of {term:?}");
        }
        assert!(!term.told.contains('['), "{term:?}");
    }
    let found = |text: &str| meant(text).iter().map(|term| term.here.as_str()).collect::<Vec<_>>();
    assert_eq!(found("privacy unit"), ["entity, `[entity]`", "no `[entity]`"]);
    assert_eq!(found("max_partitions_contributed"), ["cap `groups`"]);
    assert_eq!(found("MaxGroupsPerID"), ["cap `groups`"]);
    assert_eq!(found("parallel composition"), ["groups of one query"]);
    assert_eq!(found("colour"), Vec::<&str>::new());
    assert_eq!(lookup("privcy unit").unwrap_err().did_you_mean, ["privacy unit"]);
}
