//! Releases from files to answers: their costs, their contents, and rejections before any charge.

use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::Promise;
use deniable_core::secret::Secret;
use deniable_genome::select::SelectError;
use deniable_genome::simulate::{Settings, write};
use deniable_genome::{CohortAdjacency, Fill, Test, Threshold, distance};
use deniable_gwas::{
    Cohort, CohortFiles, CohortPromise, Cut, Event, Files, GwasError, Means, Origin, PaymentError, Protects, Query,
    ReleaseOutcome, Score, Snps, release, tab_separated,
};
use deniable_ledger::{Ledger, Summary};
use deniable_protocol::ProtocolError;
use deniable_publication::{Cell, KeyValue, Publication};
use deniable_testing::sized;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, TryCryptoRng, TryRng};
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::path::Path;

pub const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// A cohort on disk, and its ledger.
pub struct Place {
    folder: tempfile::TempDir,
    pub files: Files,
}

impl Place {
    /// 60 cases and 50 controls at 300 SNPs, a tenth of the calls missing.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let prefix = folder.path().join("cohort");
        let settings = Settings { cases: 60, controls: 50, snps: 300, missing: 0.1, ..Settings::default() };
        write(&settings, 7, &prefix).unwrap();
        Self { folder, files: Files::Plink { prefix, pheno: None } }
    }

    pub fn promised(&self, promise: Promise) -> CohortPromise {
        CohortPromise::new("people".into(), self.ledger(), PriorRange::any(), vec![promise]).unwrap()
    }

    pub fn ledger(&self) -> std::path::PathBuf {
        self.folder.path().join("people.ledger")
    }

    pub fn summary(&self) -> Summary {
        deniable_ledger::show(&self.ledger()).unwrap()
    }

    /// One separate run, and the origins of its answers.
    pub fn run(&self, promise: &Promise, request: &Query) -> (Result<Publication, GwasError>, Vec<Origin>) {
        self.run_with(promise, request, &mut ChaCha20Rng::seed_from_u64(1))
    }

    fn run_with<R: rand_core::CryptoRng>(
        &self,
        promise: &Promise,
        request: &Query,
        rng: &mut R,
    ) -> (Result<Publication, GwasError>, Vec<Origin>) {
        let (released, origins) = self.released(promise, request, true, rng);
        (released.and_then(ReleaseOutcome::complete), origins)
    }

    pub fn released<R: rand_core::CryptoRng>(
        &self,
        promise: &Promise,
        request: &Query,
        register: bool,
        rng: &mut R,
    ) -> (Result<ReleaseOutcome, GwasError>, Vec<Origin>) {
        let promised = self.promised(promise.clone());
        let mut ledger = Ledger::open_or_create(promised.ledger(), "people").unwrap();
        let origins = RefCell::new(vec![]);
        let tell = |event: Event<'_>| {
            if let Event::Answered(_, origin) = event {
                origins.borrow_mut().push(origin);
            }
        };
        let files = CohortFiles::new(self.files.clone());
        let means = Means { files: &files, threads: TWO, register, tell: &tell };
        let released = release(&means, &promised, request, &mut ledger, rng);
        (released, origins.into_inner())
    }

    fn spent(&self, kind: Secret) -> Spend {
        let summary = self.summary();
        let account = summary.accounts.iter().find(|account| account.id.kind == kind);
        account.map_or_else(Spend::nothing, |account| account.spent.clone())
    }

    fn cohort(&self) -> Cohort {
        Cohort::read(&self.files.open().unwrap(), Fill::default(), [0; 32], TWO, &|_| {}).unwrap()
    }
}

pub fn top(picks: usize) -> Query {
    Query {
        source: "cohort".into(),
        version: "1".into(),
        phenotype: None,
        protects: Protects::LabelSwap,
        test: Test::Allelic,
        fill: Fill::default(),
        snps: Snps::Top { picks, score: Score::Distance(Cut::ChiSquare(ratio(10, 1))) },
        statistics: false,
        counts: false,
        share: ratio(1, 2),
        grid: ratio(1, 1000),
    }
}

pub fn gain() -> Promise {
    Promise::Gain(whole(2))
}

/// Negligible noise: the largest ε that a promise may have.
fn next_to_none() -> Promise {
    Promise::Epsilon(whole(4096))
}

pub fn names(publication: &Publication, ask: usize) -> Vec<String> {
    let table = &publication.answers[ask];
    let column = table.columns.iter().position(|column| column == "SNP").unwrap();
    let name = |row: &Vec<Cell>| match &row[column] {
        Cell::Key(Some(KeyValue::Text(name))) => name.clone(),
        other => panic!("{other:?}"),
    };
    table.rows.iter().map(name).collect()
}

fn numbers(publication: &Publication, ask: usize, column: &str) -> Vec<f64> {
    let table = &publication.answers[ask];
    let column = table.columns.iter().position(|own| own == column).unwrap();
    let number = |row: &Vec<Cell>| match &row[column] {
        Cell::Number(number) => number.value.as_ref().unwrap().to_string().parse().unwrap(),
        other => panic!("{other:?}"),
    };
    table.rows.iter().map(number).collect()
}

#[test]
fn the_same_request_is_free() {
    let place = Place::new();
    let request = Query { statistics: true, counts: true, ..top(3) };
    let (first, origins) = place.run(&gain(), &request);
    assert_eq!(origins, [Origin::Charged; 3]);
    assert_eq!(place.spent(Secret::Label), Spend::parse("2", "1/2").unwrap());
    let (second, origins) = place.run_with(&gain(), &request, &mut ChaCha20Rng::seed_from_u64(2));
    assert_eq!(origins, [Origin::Stored; 3]);
    assert_eq!(first.unwrap(), second.unwrap());
    assert_eq!(place.spent(Secret::Label), Spend::parse("2", "1/2").unwrap());
}

/// A random generator that panics at its first draw.
struct FailingRng;

impl TryRng for FailingRng {
    type Error = std::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        panic!("killed")
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        panic!("killed")
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        panic!("killed")
    }
}

impl TryCryptoRng for FailingRng {}

/// P-1: a draw that failed at its first random bit is never repeated, and the picks are charged anew.
#[test]
fn picks_whose_draw_failed_are_charged_anew() {
    let place = Place::new();
    let killed =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| place.run_with(&gain(), &top(3), &mut FailingRng)));
    assert!(killed.is_err());
    let spent = place.spent(Secret::Label);
    assert!(!spent.is_nothing());
    let (answered, origins) = place.run(&gain(), &top(3));
    assert!(answered.is_ok());
    assert_eq!((origins, place.spent(Secret::Label)), (vec![Origin::Charged], spent.and(&spent)));
}

/// A grid so fine that a large χ² has too many steps: it is rejected by the number of people, before the charge.
#[test]
fn grids_that_are_too_fine_are_rejected_before_the_charge() {
    let place = Place::new();
    let fine = ratio(1, 1 << 62) / whole(1 << 20);
    for request in [
        Query { snps: Snps::Top { picks: 2, score: Score::ChiSquare }, grid: fine.clone(), ..top(2) },
        Query { snps: Snps::Top { picks: 2, score: Score::Noisy }, grid: fine.clone(), ..top(2) },
    ] {
        let refused = place.run(&gain(), &request).0.unwrap_err();
        assert!(matches!(refused, GwasError::Select(SelectError::TooFine { .. })), "{refused:?}");
        assert!(place.spent(Secret::Label).is_nothing());
    }
}

#[test]
fn files_are_those_of_their_version() {
    let place = Place::new();
    place.run(&gain(), &top(1)).0.unwrap();
    let Files::Plink { prefix, .. } = &place.files else { panic!() };
    // Changes one call of one person: from missing to no copy, or conversely.
    let mut bed = prefix.as_os_str().to_owned();
    bed.push(".bed");
    let mut bytes = std::fs::read(&bed).unwrap();
    bytes[50] ^= 0b10;
    std::fs::write(&bed, bytes).unwrap();
    let spent = place.spent(Secret::Label);
    let (refused, _) = place.run(&gain(), &top(2));
    assert!(matches!(refused, Err(GwasError::Version(_))), "{refused:?}");
    // Stored answers are about the registered version, and are shown as such.
    assert_eq!(place.run(&gain(), &top(1)).1, [Origin::Stored]);
    assert_eq!(place.spent(Secret::Label), spent);
    let again = Query { version: "2".into(), ..top(2) };
    assert_eq!(place.run(&gain(), &again).1, [Origin::Charged]);
}

#[test]
fn invalid_and_unaffordable_requests_are_not_charged() {
    let place = Place::new();
    let refused = |request: &Query| {
        let (refused, _) = place.run(&gain(), request);
        assert!(place.summary().accounts.iter().all(|account| account.releases.is_empty()));
        refused.unwrap_err()
    };
    let named = |names: &[&str]| Query {
        snps: Snps::Named(names.iter().map(|name| (*name).to_owned()).collect()),
        counts: true,
        ..top(1)
    };
    assert!(matches!(refused(&named(&["sim0", "nobody"])), GwasError::Name(_)));
    assert!(matches!(refused(&top(301)), GwasError::TooMany { wanted: 301, of: 300 }));
    let cut = Snps::Top { picks: 1, score: Score::Distance(Cut::PValue(whole(2))) };
    assert!(matches!(refused(&Query { snps: cut, ..top(1) }), GwasError::Threshold(_)));
    // No table of this many people reaches the threshold, so no SNP can be picked; known before any charge.
    for protects in [Protects::Genotype, Protects::LabelSwap] {
        let far = Snps::Top { picks: 1, score: Score::Distance(Cut::ChiSquare(whole(5000))) };
        assert!(matches!(refused(&Query { snps: far, protects, ..top(1) }), GwasError::Select(_)));
    }
    let fine = Query { grid: deniable_core::exact::power(&ratio(1, 10), 30), statistics: true, ..top(1) };
    assert!(matches!(refused(&fine), GwasError::Select(_) | GwasError::Decay(_)));
    // Together they exceed the budget, though the first alone would not.
    place.run(&gain(), &Query { share: ratio(3, 4), ..top(2) }).0.unwrap();
    let before = place.spent(Secret::Label);
    let (refused, _) = place.run(&gain(), &Query { counts: true, share: ratio(1, 3), ..top(2) });
    assert!(matches!(refused, Err(GwasError::Protocol(ProtocolError::OverBudget { .. }))), "{refused:?}");
    assert_eq!(place.spent(Secret::Label), before);
}

/// With negligible noise, picks are the SNPs of largest distance score, and numbers are the true ones.
#[test]
fn without_noise_true_values_are_released() {
    for protects in [Protects::Genotype, Protects::LabelSwap] {
        let place = Place::new();
        let request = Query { statistics: true, counts: true, protects, share: whole(1), ..top(3) };
        let publication = place.run(&next_to_none(), &request).0.unwrap();
        let cohort = place.cohort();
        let threshold = Threshold::new(&ratio(10, 1)).unwrap();
        let score = |place: usize| {
            let table = &cohort.tables[place];
            distance(table, Test::Allelic, protects.adjacency(), &threshold).unwrap().score().unwrap_or(i64::MIN)
        };
        let mut best: Vec<i64> = (0..cohort.tables.len()).map(score).collect();
        best.sort_unstable_by(|one, other| other.cmp(one));
        let picked = cohort.places(&names(&publication, 0)).unwrap();
        let scores: Vec<i64> = picked.iter().map(|place| score(*place)).collect();
        assert_eq!(scores, best[..3], "{protects:?}");
        assert_eq!(names(&publication, 1), names(&publication, 0));
        let close = |one: f64, other: f64, by: f64| (one - other).abs() < by;
        for (at, place) in picked.iter().enumerate() {
            let table = &cohort.tables[*place];
            let chi2 = deniable_genome::chi2::approximate(table, Test::Allelic);
            assert!(close(numbers(&publication, 1, "CHISQ")[at], chi2, 2.0), "{protects:?}");
            assert!(close(numbers(&publication, 2, "C_A")[at], table.case_alleles() as f64, 0.5));
            assert!(close(numbers(&publication, 2, "F_A")[at], table.case_alleles() as f64 / 120.0, 0.001));
        }
        let sides = publication.answers[2].columns.iter().any(|column| column == "C_U");
        assert_eq!(
            sides,
            protects == Protects::Genotype,
            "under label swap the controls' counts follow from the cases'"
        );
    }
}

/// Names need not be unique: picks are identified by their indices.
#[test]
fn snps_without_names_are_picked_and_counted() {
    let place = Place::new();
    let Files::Plink { prefix, .. } = &place.files else { panic!() };
    let bim = prefix.with_extension("bim");
    let text = std::fs::read_to_string(&bim).unwrap();
    let nameless = text.lines().map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        format!("{}\t.\t{}\n", columns[0], columns[2..].join("\t"))
    });
    std::fs::write(&bim, nameless.collect::<String>()).unwrap();
    let request = Query { counts: true, ..top(3) };
    let publication = place.run(&gain(), &request).0.unwrap();
    assert_eq!(names(&publication, 1), [".", ".", "."]);
    assert_eq!(place.run(&gain(), &request).1, [Origin::Stored; 2]);
}

/// The same SNPs in another order, or with repetitions, are the same request.
#[test]
fn lists_of_snps_are_sets() {
    let place = Place::new();
    let of = |names: &[&str]| Query {
        snps: Snps::Named(names.iter().map(|name| (*name).to_owned()).collect()),
        counts: true,
        share: ratio(1, 4),
        ..top(1)
    };
    let first = place.run(&gain(), &of(&["sim7", "sim3"])).0.unwrap();
    let (second, origins) = place.run(&gain(), &of(&["sim3", "sim7", "sim3"]));
    assert_eq!((first, origins), (second.unwrap(), vec![Origin::Stored]));
}

/// All people are in every table: if missing calls were left out, no person's influence could be bounded.
#[test]
fn missing_calls_are_filled() {
    let cohort = Place::new().cohort();
    assert!(cohort.log.missing_calls > 1000);
    assert!(cohort.tables.iter().all(|table| (table.all_cases(), table.all_controls()) == (60, 50)));
}

#[test]
fn a_release_that_affects_both_secrets_is_charged_to_each() {
    let place = Place::new();
    let both = Query { protects: Protects::Both, ..top(2) };
    let publication = place.run(&gain(), &both).0.unwrap();
    assert_eq!(place.spent(Secret::Membership), Spend::parse("2", "1/4").unwrap());
    assert_eq!(place.spent(Secret::Label), Spend::parse("2", "1/2").unwrap());
    // Each account's record has the same answer, and assumes neither secret to be public.
    let summary = place.summary();
    let said = |kind: Secret| {
        let account = summary.accounts.iter().find(|account| account.id.kind == kind).unwrap();
        account.releases[0].answer.as_ref().unwrap().read().unwrap()["published"].to_string()
    };
    let neither = "neither participation nor the labels (who is a case) are assumed to be public";
    assert!(said(Secret::Label).contains(neither) && said(Secret::Membership).contains(neither));
    let picked = names(&publication, 0);
    assert!(picked.iter().all(|name| said(Secret::Label).contains(name) && said(Secret::Membership).contains(name)));
    assert_eq!(place.run(&gain(), &both).1, [Origin::Stored]);
    // A later genotype release still reveals information on labels.
    place.run(&gain(), &Query { protects: Protects::Genotype, share: ratio(1, 8), ..top(1) }).0.unwrap();
    assert_eq!(place.spent(Secret::Membership), Spend::parse("2", "3/8").unwrap());
    assert_eq!(place.spent(Secret::Label), Spend::parse("2", "3/4").unwrap());
    let (refused, _) = place.run(&gain(), &top(1));
    assert!(matches!(refused, Err(GwasError::Payment(_))), "{refused:?}");
}

/// Two processes create a ledger at once, one for labels and one for membership: the second is rejected before its
/// charge.
#[test]
fn an_account_opened_by_another_process_is_detected_before_the_charge() {
    let place = Place::new();
    let promised = place.promised(gain());
    let mut ledger = Ledger::open_or_create(promised.ledger(), "people").unwrap();
    let other = RefCell::new(Some(Ledger::open_or_create(promised.ledger(), "people").unwrap()));
    let tell = |event: Event<'_>| {
        if let Event::Scoring(_) = event
            && let Some(mut other) = other.take()
        {
            other.open_account(&promised.guarantee(Secret::Membership)).unwrap();
        }
    };
    let files = CohortFiles::new(place.files.clone());
    let means = Means { files: &files, threads: TWO, register: true, tell: &tell };
    let labels = Query { protects: Protects::LabelSwap, ..top(2) };
    let refused = release(&means, &promised, &labels, &mut ledger, &mut ChaCha20Rng::seed_from_u64(1));
    assert!(other.take().is_none(), "no account was opened meanwhile");
    let Err(GwasError::Payment(PaymentError::MembershipPromised(_))) = refused else { panic!("it was released") };
    assert!(place.summary().accounts.iter().all(|account| account.releases.is_empty()));
}

/// For all genotypes, the same request succeeds with as many lines and the same columns, or fails with the same
/// message.
#[test]
fn the_form_of_results_does_not_depend_on_genotypes() {
    let shape = |place: &Place, request: &Query| {
        place.run(&gain(), request).0.map_err(|error| error.to_string()).map(|publication| {
            let text = tab_separated(&publication.answers, request.protects);
            let columns: Vec<usize> = text.lines().map(|line| line.split('\t').count()).collect();
            let notes: Vec<Vec<String>> = publication.answers.iter().map(|ask| ask.warnings.clone()).collect();
            (columns, text.lines().next().unwrap().to_owned(), notes)
        })
    };
    let emptied = |byte: u8| {
        let place = Place::new();
        let Files::Plink { prefix, .. } = &place.files else { panic!() };
        let bed = prefix.with_extension("bed");
        let mut bytes = std::fs::read(&bed).unwrap();
        bytes[3..].fill(byte);
        std::fs::write(&bed, bytes).unwrap();
        place
    };
    let named = Snps::Named(vec!["sim3".into(), "sim4".into()]);
    for request in [
        Query { protects: Protects::Genotype, statistics: true, counts: true, ..top(4) },
        Query { protects: Protects::LabelSwap, snps: named.clone(), statistics: true, counts: true, ..top(1) },
        Query { protects: Protects::Genotype, snps: named, grid: ratio(1, 1), statistics: true, ..top(1) },
    ] {
        let usual = shape(&Place::new(), &request);
        assert!(usual.is_ok(), "{usual:?}");
        // All calls missing; all people without a copy.
        for byte in [0b0101_0101, 0b1111_1111] {
            assert_eq!(shape(&emptied(byte), &request), usual);
        }
    }
}

#[test]
fn one_line_for_each_snp() {
    let place = Place::new();
    let request = Query { statistics: true, counts: true, protects: Protects::Genotype, ..top(2) };
    let publication = place.run(&gain(), &request).0.unwrap();
    let text = tab_separated(&publication.answers, request.protects);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[0][..7], ["CHR", "SNP", "BP", "A1", "A2", "PICK", "CHISQ"]);
    assert_eq!(*lines[0].last().unwrap(), "ADJACENCY");
    assert!(lines.iter().all(|line| line.len() == lines[0].len()) && lines.len() == 3);
    assert_eq!(lines[1][1], names(&publication, 0)[0]);
    assert_eq!(*lines[2].last().unwrap(), "genotype");
}

/// The interval of every number covers the true value in at least 95% of all draws; with 400 draws, the probability of
/// less than 90% for a 95% interval is below 10⁻⁴. At small scale, 100 draws of fixed seeds.
#[test]
fn intervals_cover() {
    let place = Place::new();
    let cohort = place.cohort();
    let snps: Vec<usize> = (5..15).collect();
    let (releases, mut covered) = (sized(10, 40), 0);
    for seed in 0..releases {
        let request = Query {
            protects: Protects::Genotype,
            snps: Snps::Named(snps.iter().map(|snp| format!("sim{snp}")).collect()),
            counts: true,
            version: seed.to_string(),
            share: ratio(1, 1000),
            ..top(1)
        };
        // A promise of 1/1000 of ε = 1000 is ε = 1.
        let promise = Promise::Epsilon(whole(1000));
        let publication = place.run_with(&promise, &request, &mut ChaCha20Rng::seed_from_u64(seed)).0.unwrap();
        let end =
            |end: &Option<deniable_publication::Scalar>| -> f64 { end.as_ref().unwrap().to_string().parse().unwrap() };
        for (snp, row) in snps.iter().zip(&publication.answers[0].rows) {
            let Cell::Number(number) = &row[5] else { panic!() };
            let truth = cohort.tables[*snp].case_alleles() as f64;
            covered += u64::from(end(&number.low) <= truth && truth <= end(&number.high));
        }
    }
    let draws = releases * snps.len() as u64;
    assert!(covered * 10 >= draws * 9, "{covered} of {draws}");
}

/// The odds of the answer are at most those that were paid: on a tiny cohort, over every pair of neighbours, the exact
/// probability of each pick changes by at most the odds of one move.
#[test]
fn picks_do_not_exceed_the_odds_paid() {
    let threshold = Threshold::new(&ratio(2, 1)).unwrap();
    let odds = Spend::odds(whole(3)).unwrap();
    let decay = deniable_genome::select::decay(&odds, 1, &1.into()).unwrap();
    let tables = |x: [u32; 3], y: [u32; 3]| deniable_genome::ContingencyTable { cases: x, controls: y };
    let cohorts = [
        [tables([3, 0, 0], [0, 0, 3]), tables([1, 1, 1], [1, 1, 1])],
        [tables([2, 1, 0], [0, 0, 3]), tables([0, 2, 1], [1, 1, 1])],
        [tables([2, 0, 1], [0, 0, 3]), tables([2, 1, 0], [1, 1, 1])],
    ];
    let chance = |cohort: &[deniable_genome::ContingencyTable; 2]| -> Vec<Rational> {
        let scores: Vec<Option<i64>> = cohort
            .iter()
            .map(|table| distance(table, Test::Allelic, CohortAdjacency::Genotype, &threshold).unwrap().score())
            .collect();
        deniable_genome::select::probabilities(&scores, 1, &decay).into_iter().map(|(_, chance)| chance).collect()
    };
    let base = chance(&cohorts[0]);
    for neighbour in &cohorts[1..] {
        for (one, other) in base.iter().zip(chance(neighbour)) {
            assert!(one <= &(whole(3) * &other) && other <= whole(3) * one);
        }
    }
}

#[test]
fn a_ledger_of_another_population_is_rejected() {
    let place = Place::new();
    Ledger::open_or_create(&place.ledger(), "others").unwrap();
    assert!(Ledger::open_or_create(Path::new(&place.ledger()), "people").is_err());
}
