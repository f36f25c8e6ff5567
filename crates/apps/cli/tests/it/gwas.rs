//! `deniable gwas`, from simulated cohorts to picks, pages and curves; and usage errors.

use crate::support::{Place, Run};
use insta::assert_snapshot;

/// A small cohort with three strong causes, simulated by the command itself.
fn cohort() -> Place {
    let place = Place::empty();
    let make = ["gwas", "simulate", "--out", "cohort", "--cases", "200", "--controls", "180", "--snps", "400"];
    place.run(&[&make[..], &["--odds-ratios", "6,6,6", "--missing", "0.01"]].concat()).done();
    place
}

const PROMISE: [&str; 4] = ["--gain", "2", "--prior", "1/2"];

/// A release that registers the cohort if necessary.
fn gwas(place: &Place, more: &[&str]) -> Run {
    place.run(&[&["gwas", "--bfile", "cohort", "--register"], &PROMISE[..], more].concat())
}

/// With negligible noise, so that answers are known.
fn surely(place: &Place, more: &[&str]) -> Run {
    place.run(&[&["gwas", "--bfile", "cohort", "--register", "--epsilon", "4096"], more].concat())
}

/// The parts of a text that depend neither on the machine nor on the day.
fn fixed(text: &str) -> String {
    let line = |line: &str| match line.split_once("ledger head ") {
        Some((before, _)) => format!("{before}ledger head ..."),
        None => line.to_owned(),
    };
    text.lines().map(|text| line(text).trim_end().to_owned() + "\n").collect()
}

#[test]
fn the_job_of_the_first_page() {
    let place = cohort();
    let job = ["--adjacency", "label-swap", "--top", "3", "--threshold", "19.5", "--out", "picks.tsv"];
    let first = gwas(&place, &job).done();
    assert_eq!(first.stdout, "");
    let picks = place.read("picks.tsv");
    let again = gwas(&place, &job).done();
    assert_eq!(place.read("picks.tsv"), picks);
    assert!(again.stderr.contains("stored answer, free"), "{}", again.stderr);
    assert_snapshot!("job_stderr", fixed(&first.stderr));
    assert_snapshot!("tsv_header", picks.lines().next().unwrap());
    assert_eq!(picks.lines().count(), 4);
    // The whole promise is spent.
    let refused = gwas(&place, &["--adjacency", "label-swap", "--top", "2", "--threshold", "19.5"]).refused();
    assert_snapshot!("over_budget", fixed(&refused.stderr));
}

/// A cohort is checked first, by `gwas check` or by a release that stops after it.
#[test]
fn cohort_is_checked_before_its_first_release() {
    let place = cohort();
    let ask = |more: &[&str]| {
        let top = ["gwas", "--bfile", "cohort", "--adjacency", "label-swap", "--p-value", "0.05", "--spend", "1/8"];
        place.run(&[&top[..], &PROMISE, more].concat())
    };
    let stopped = ask(&["--top", "2"]).refused();
    assert_snapshot!("only_registered", fixed(&stopped.stderr));
    ask(&["--top", "2"]).done();
    let again = place.run(&["gwas", "check", "--bfile", "cohort"]).done();
    assert!(again.stderr.contains("version \"1\" of `cohort` is already registered"), "{}", again.stderr);
    let json = ["gwas", "check", "--bfile", "cohort", "--data-version", "2", "--format", "json"];
    assert_snapshot!("check_json", place.run(&json).done().stdout);
    ask(&["--top", "2", "--data-version", "2"]).done();
    // Changed files are refused by name, and stored answers are shown without the files.
    let bed = place.path("cohort.bed");
    let mut bytes = std::fs::read(&bed).unwrap();
    bytes[100] ^= 0b10;
    std::fs::write(&bed, bytes).unwrap();
    let check = place.run(&["gwas", "check", "--bfile", "cohort"]).refused();
    assert_snapshot!("changed", fixed(&check.stderr));
    for more in [&["--top", "3"] as &[&str], &["--top", "3", "--register"]] {
        let refused = ask(more).refused();
        assert!(refused.stderr.contains("version `1` of `cohort` was registered with other contents"), "{refused:?}");
    }
    let shown = ask(&["--top", "2"]).done();
    for file in ["cohort.bed", "cohort.bim", "cohort.fam"] {
        std::fs::remove_file(place.path(file)).unwrap();
    }
    let without = ask(&["--top", "2"]).done();
    assert_eq!(without.stdout, shown.stdout);
    assert!(without.stderr.contains("stored answer, free"), "{}", without.stderr);
    ask(&["--top", "3"]).refused();
}

/// A policy names the people and their ledger, and a mistyped path creates no ledger.
#[test]
fn check_takes_people_and_ledger_from_the_policy() {
    let place = cohort();
    let check = |more: &[&str]| place.run(&[&["gwas", "check", "--bfile", "cohort"], more].concat());
    place.run(&["gwas", "check", "--bfile", "cohor"]).refused();
    check(&["--data-version", " "]).misused();
    check(&["--population", "the people"]).misused();
    assert!(!place.files().iter().any(|file| file.contains(".ledger")), "{:?}", place.files());
    check(&["--population", "biobank"]).done();
    assert!(place.files().contains(&"biobank.ledger".to_owned()));
}

/// If one of several answers fails after its charge, the others are shown, and the exit status is 1.
#[test]
fn the_others_are_shown_where_one_fails() {
    let (whole, place) = (cohort(), cohort());
    let asked = ["--adjacency", "label-swap", "--top", "2", "--p-value", "0.05", "--counts", "--format", "json"];
    let shown = gwas(&whole, &asked).done().json();
    // The same picks, except one that is not a SNP of the files, so the answers about it cannot be computed.
    let summary = deniable_ledger::show(&whole.path("cohort.ledger")).unwrap();
    let (account, picks) = (&summary.accounts[0], &summary.accounts[0].releases[0]);
    let mut answer = picks.answer.as_ref().unwrap().read().unwrap();
    answer["snps"][1]["place"] = 4711.into();
    let mut numbers = picks.numbers.as_ref().unwrap().read().unwrap();
    numbers[1] = 4711;
    place.run(&["gwas", "check", "--bfile", "cohort"]).done();
    let mut ledger = deniable_ledger::Ledger::open_or_create(&place.path("cohort.ledger"), "cohort").unwrap();
    let guarantee = &account.guarantee;
    ledger.open_account(guarantee).unwrap();
    let request = deniable_ledger::ChargeRequest {
        account: account.id.clone(),
        policy: picks.policy.clone(),
        policy_limit: guarantee.limit().clone(),
        version_limit: None,
        query: picks.query.clone(),
        cost: picks.cost.clone(),
        part: picks.part.clone(),
        basis: String::new(),
    };
    let seq = ledger.charge(&request).unwrap().seq();
    let form = deniable_gwas::release::FORM;
    ledger.draw(seq, &form, numbers.len(), || Ok::<_, ()>(numbers)).unwrap().unwrap();
    ledger.store_answer(seq, &form, &answer).unwrap();
    let run = gwas(&place, &asked);
    assert_eq!(run.code, Some(1));
    let publication = run.json();
    assert_eq!(
        (publication["answers"].as_array().unwrap().len(), &publication["answers"][0]),
        (1, &shown["answers"][0])
    );
    assert_snapshot!("one_failed", fixed(&run.stderr));
}

#[test]
fn planted_snps_are_found_without_noise() {
    let place = cohort();
    let mut planted: Vec<String> = place
        .read("cohort.causal.tsv")
        .lines()
        .skip(1)
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect();
    let more = ["--adjacency", "genotype", "--p-value", "0.05", "--statistics", "--counts", "--format", "json"];
    // Neighbours in linkage can rank above a cause: thirty picks contain all three.
    let publication = surely(&place, &[&more[..], &["--top", "30"]].concat()).done().json();
    let picked: Vec<&str> =
        publication["answers"][0]["rows"].as_array().unwrap().iter().map(|row| row[2].as_str().unwrap()).collect();
    planted.retain(|name| !picked.contains(&name.as_str()));
    assert!(planted.is_empty(), "{planted:?} not in {picked:?}");
    assert_eq!(publication["answers"].as_array().unwrap().len(), 3);
    assert!(publication["guarantee"]["assumptions"].to_string().contains("who is a case is public"));
}

#[test]
fn a_table_with_everything_that_goes_with_it() {
    let place = cohort();
    let named = ["--adjacency", "genotype", "--snps", "sim1,sim2", "--counts"];
    let table = surely(&place, &named).done().stdout;
    assert_snapshot!("table", table);
}

#[test]
fn dry_run_shows_the_cost() {
    let place = cohort();
    let asked = ["--adjacency", "label-swap", "--top", "5", "--p-value", "0.05", "--statistics", "--spend", "1/2"];
    let said = gwas(&place, &[&asked[..], &["--dry-run"]].concat()).done();
    assert_snapshot!("dry_run", said.stdout);
    assert!(!place.files().iter().any(|file| file.contains("ledger")), "{:?}", place.files());
}

#[test]
fn a_page_with_the_picks_along_the_genome() {
    let place = cohort();
    let asked = ["--adjacency", "genotype,label-swap", "--top", "3", "--p-value", "0.05", "--spend", "1/4", "--counts"];
    gwas(&place, &[&asked[..], &["--report", "page.html"]].concat()).done();
    let page = place.read("page.html");
    assert!(page.contains("place among the picks") && page.contains("chromosome"), "no picture along the genome");
    assert!(page.contains("that a given person is in the data") && page.contains("that a given person is a case"));
    assert!(!page.contains("<script") && !page.contains("href=\"http"), "it loads something");
    let ledger = place.run(&["ledger", "show", "cohort.ledger"]).done().stdout;
    assert!(ledger.contains("membership") && ledger.contains("who is a case"), "{ledger}");
}

#[test]
fn true_values_are_for_the_curator_alone() {
    let place = cohort();
    let before = place.files();
    let view = place.run(&["gwas", "--bfile", "cohort", "--curator", "--top", "3"]).done();
    assert_eq!((view.stdout.as_str(), place.files()), ("", before));
    assert!(view.stderr.starts_with("# NOT FOR PUBLICATION"), "{}", view.stderr);
    place.run(&["gwas", "--bfile", "cohort", "--curator", "--test", "genotypic", "--out", "true.tsv"]).done();
    assert!(place.read("true.tsv").starts_with("# NOT FOR PUBLICATION"));
    let power = place.run(&["gwas", "power", "--bfile", "cohort", "--causal", "sim1", "--prior", "1/2"]).done();
    assert!(power.stdout.is_empty() && power.stderr.contains("Not for publication"), "{power:?}");
}

#[test]
fn the_first_mistakes() {
    let place = cohort();
    place.write("list", "sim1\nsim2\n");
    place.write("quantitative", "p0 p0 1.5\np1 p1 2\n");
    place.write("half.bed", "l\u{1b}\u{1}");
    for file in ["bim", "fam"] {
        place.write(&format!("half.{file}"), place.read(&format!("cohort.{file}")));
    }
    let mut said = String::new();
    let mut note = |run: Run| {
        assert_eq!(run.stdout, "");
        said += &format!("[{}] {}\n", run.code.unwrap(), fixed(&run.stderr));
    };
    let label = ["--adjacency", "label-swap"];
    let all = |more: &[&str]| gwas(&place, &[&label[..], more].concat());
    let of = |flag: &str, file: &str| {
        place.run(&["gwas", flag, file, "--gain", "2", "--adjacency", "genotype", "--top", "1", "--threshold", "9"])
    };
    note(place.run(&["gwas", "--bfile", "cohort"]));
    note(gwas(&place, &["--top", "5"]));
    note(place.run(&["gwas", "--bfile", "cohort", "--adjacency", "genotype", "--top", "5", "--p-value", "0.05"]));
    for promise in [["--posterior-at-most", "3/4"], ["--posterior-at-least", "1/4"], ["--posterior-at-most", "75"]] {
        let rest = ["gwas", "--bfile", "cohort", "--adjacency", "genotype", "--top", "5", "--p-value", "0.05"];
        note(place.run(&[&rest[..], &promise].concat()));
    }
    note(all(&[]));
    note(all(&["--top", "5"]));
    note(all(&["--extract", "list"]));
    note(all(&["--snps", "sim1,rs9", "--counts"]));
    note(all(&["--top", "401", "--p-value", "0.05"]));
    note(all(&["--top", "5", "--p-value", "5"]));
    note(all(&["--top", "5", "--p-value", "0.05", "--pheno", "quantitative"]));
    let over = all(&["--top", "5", "--p-value", "0.05", "--out", "cohort.bed"]).misused();
    assert!(over.stderr.contains("--out would overwrite"), "{}", over.stderr);
    note(all(&["--top", "5", "--p-value", "0.05", "--out", "nowhere/picks.tsv"]));
    note(of("--bfile", "half"));
    note(of("--bfile", "none"));
    note(of("--bfile", "cohort.bim"));
    note(of("--vcf", "cohort.vcf"));
    note(place.run(&["gwas", "simulate", "--out", "cohort"]));
    note(place.run(&["gwas", "simulate", "--out", "other", "--frequencies", "0..2"]));
    note(place.run(&["gwas", "power", "--target", "2"]));
    note(place.run(&["gwas", "power", "--causal", "sim1"]));
    assert_snapshot!("mistakes", said);
    assert!(
        place.files().iter().all(|file| !file.ends_with(".ledger") || file == "cohort.ledger" || file == "half.ledger")
    );
}

/// One population, one ledger: promises of SQL bind the results, and results that the promise does not cover are
/// refused.
#[test]
fn one_ledger_with_sql() {
    let place = cohort();
    place.write(
        "policy.toml",
        r#"
name = "survey"
population = "cohort"
data = { table = "people", path = "people.csv", version = "1" }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { preset = "insider", prior = "1/2..1/2" }
promise = { gain = 2 }
[[query]]
sql = "SELECT COUNT(*) FROM people"
share = "1/4"
"#,
    );
    place.write("people.csv", "age\n30\n40\n");
    place.release(&[]).done();
    let picks = |more: &[&str]| {
        place.run(&[&["gwas", "--bfile", "cohort", "--register", "--top", "2", "--p-value", "0.05"], more].concat())
    };
    picks(&["--policy", "policy.toml", "--adjacency", "genotype", "--spend", "1/2"]).done();
    let ledger = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(ledger.contains("query 1") && ledger.contains("top 2 SNPs"), "{ledger}");
    // Flags with the same promise are charged to the same account.
    let spent = picks(&[&PROMISE[..], &["--adjacency", "genotype", "--spend", "1/3"]].concat()).refused();
    assert!(spent.stderr.contains("nothing was charged"), "{}", spent.stderr);
    let public = picks(&[&PROMISE[..], &["--adjacency", "label-swap", "--spend", "1/8"]].concat()).refused();
    assert!(public.stderr.contains("protects participation"), "{}", public.stderr);
    // Conversely, where labels are promised, SQL is not answered.
    let labels = ["--adjacency", "label-swap", "--population", "labels", "--spend", "1/8"];
    let refused = picks(&[&PROMISE[..], &labels].concat()).refused();
    assert!(refused.says("table `cohort`") && !place.files().contains(&"labels.ledger".into()), "{refused:?}");
    let begun = picks(&[&PROMISE[..], &labels, &["--other-people"]].concat()).done();
    assert!(begun.stderr.contains("other ledgers beside it: cohort.ledger"), "{}", begun.stderr);
    place.edit("policy.toml", "population = \"cohort\"", "population = \"labels\"");
    let sql = place.release(&[]).refused();
    assert!(sql.stderr.contains("who is a case"), "{}", sql.stderr);
    // A policy that protects the size does not permit results that reveal it.
    place.edit("policy.toml", "insider", "anyone");
    let size = picks(&["--policy", "policy.toml", "--adjacency", "genotype"]);
    assert_eq!(size.code, Some(2));
    assert!(size.stderr.contains("protects the number of people"), "{}", size.stderr);
}

/// A promise changes for both secrets or for none: otherwise no flags would match the ledger.
#[test]
fn a_promise_is_changed_for_both_secrets() {
    let place = cohort();
    let both = |more: &[&str]| {
        let all = ["gwas", "--bfile", "cohort", "--register", "--prior", "1/2", "--adjacency", "genotype,label-swap"];
        place.run(&[&all[..], more].concat())
    };
    let top = ["--top", "1", "--p-value", "0.05", "--spend", "1/2"];
    both(&[&top[..], &["--gain", "2"]].concat()).done();
    both(&[&top[..], &["--gain", "3"]].concat()).refused();
    // The account of labels has spent more than this, that of membership has not: neither is changed.
    let change = |gain: &str| both(&["--gain", gain, "--change-promise", "the board said so"]);
    change("9/8").refused();
    both(&[&top[..], &["--gain", "2"]].concat()).done();
    assert!(change("3").done().stderr.contains("weaker than before"));
    both(&["--top", "2", "--p-value", "0.05", "--spend", "1/8", "--gain", "3"]).done();
    change("3").refused();
}

#[test]
fn power_reports_the_participants_needed() {
    let place = Place::empty();
    let run = place
        .run(&[
            "gwas",
            "power",
            "--participants",
            "100,200,400",
            "--seeds",
            "2",
            "--simulated-snps",
            "50",
            "--odds-ratios",
            "3,3",
            "--chart",
            "curves",
        ])
        .done();
    assert_snapshot!("power", run.stdout);
    assert_eq!(place.files(), ["curves-genotype.svg", "curves-label-swap.svg"]);
    let json =
        ["gwas", "power", "--participants", "100,200", "--seeds", "1", "--simulated-snps", "50", "--format", "json"];
    let json = place.run(&json).done().json();
    assert!(json["rows"].as_array().unwrap().len() == 8 && json["needed"].is_array(), "{json}");
}

/// The public study with two planted causes: γ = 2 against a belief of one half finds both almost surely, while γ = 2
/// against any belief rarely does.
#[test]
fn a_bounded_prior_finds_the_causes_of_the_public_study() {
    let Some(prefix) = deniable_testing::gwas() else { return };
    let place = Place::empty();
    let prefix = prefix.display().to_string();
    let power = ["gwas", "power", "--bfile", &prefix, "--causal", "rs4111409,rs2324591", "--adjacency", "label-swap"];
    place.run(&[&power[..], &["--format", "json", "--out", "power.json"]].concat()).done();
    let rows: serde_json::Value = serde_json::from_str(&place.read("power.json")).unwrap();
    let all = |row: usize| rows["rows"][row]["all"].as_f64().unwrap();
    assert!(all(0) < 0.2 && all(1) > 0.9, "{rows}");
}
