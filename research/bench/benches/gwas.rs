//! The whole private release of the most associated SNPs, compared with `plink1.9 --assoc` on the same files.
//!
//! ```text
//! cargo bench -p deniable-bench --bench gwas                                     all sizes, medians of five
//! cargo bench -p deniable-bench --bench gwas -- --write docs/explanation/performance.md      and writes the tables
//! cargo bench -p deniable-bench --bench gwas -- --only 2500x100000               one size, as for a profiler
//! ```
//!
//! Both sides are whole processes that read the files and write a table: this program runs itself again for each
//! release, with a new ledger. Cohorts are simulated (`deniable_genome::simulate`) in a temporary folder, which needs
//! 250 MB and is removed at the end. Needs Debian's `plink1.9`; without it, only Deniable is measured.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a benchmark")]

use deniable_bench::{Spread, peak_kib, write_between};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::SystemRng;
use deniable_core::promise::Promise;
use deniable_genome::simulate::{Settings, write as simulate};
use deniable_genome::{Fill, Test};
use deniable_gwas::{
    CohortFiles, CohortPromise, Cut, Event, Files, Means, Protects, Query, Score, Snps, release, tab_separated,
};
use deniable_ledger::Ledger;
use std::cell::RefCell;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const THREADS: usize = 2;
const ROUNDS: usize = 5;
const PICKS: usize = 5;
/// Numbers of people and SNPs. All sizes are compared with the last.
const SIZES: [(u32, u32); 5] =
    [(10_000, 25_000), (10_000, 50_000), (2_500, 100_000), (5_000, 100_000), (10_000, 100_000)];
const ADJACENCIES: [Protects; 2] = [Protects::Genotype, Protects::LabelSwap];
const PLINK: &str = "plink1.9";
/// The argument by which the program recognises that it makes one release.
const ONE: &str = "--one-release";
const BEGIN: &str = "<!-- cargo bench -p deniable-bench --bench gwas: begin -->";
const END: &str = "<!-- cargo bench -p deniable-bench --bench gwas: end -->";
/// The phases of a release, as the tables name them.
const PHASES: [&str; 5] = ["reading, counting, fingerprint", "distances", "picking", "ledger", "writing the table"];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == ONE) {
        return one_release(&args[at + 1..]);
    }
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let only = value("--only");
    let with_plink = Command::new(PLINK).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !with_plink {
        eprintln!("NO {PLINK} HERE (apt-get install plink1.9): OUR SIDE IS MEASURED ALONE");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for (people, snps) in SIZES {
        if only.as_ref().is_some_and(|only| *only != format!("{people}x{snps}")) {
            continue;
        }
        let measured = measure(folder.path(), people, snps, with_plink);
        println!("{}", times(std::slice::from_ref(&measured)));
        all.push(measured);
    }
    assert!(!all.is_empty(), "--only names none of the sizes {SIZES:?}");
    let tables = times(&all) + &phases(all.last().unwrap());
    println!("{tables}");
    if let Some(page) = value("--write") {
        assert!(only.is_none() && with_plink, "a page gets all sizes, and {PLINK} beside them");
        write_between(Path::new(&page), BEGIN, END, &tables).unwrap();
    }
}

/// One program on one cohort.
struct Runs {
    seconds: Spread,
    /// The peak of all runs, in KiB.
    peak: u64,
    /// Medians of the phases, in the order of [`PHASES`]; `None` if unknown.
    phases: Vec<f64>,
}

struct GenomeMeasurement {
    people: u32,
    snps: u32,
    /// Bytes of the .bed file.
    bytes: u64,
    ours: Vec<Runs>,
    plink: Option<Runs>,
}

/// Creates a cohort and measures everything on it: `ROUNDS` times all programs in turn, so that other load affects all
/// alike, after a round that brings the files into memory.
fn measure(folder: &Path, people: u32, snps: u32, with_plink: bool) -> GenomeMeasurement {
    let prefix = folder.join("t");
    let causes = vec![1.5, 1.4, 1.3, 1.25, 1.2];
    let settings =
        Settings { cases: people / 2, controls: people / 2, snps, causes, missing: 0.002, ..Settings::default() };
    simulate(&settings, 1, &prefix).unwrap();
    let bytes = std::fs::metadata(folder.join("t.bed")).unwrap().len();
    let mut own = vec![Vec::new(); ADJACENCIES.len()];
    let mut plinks = Vec::new();
    for round in 0..=ROUNDS {
        let timed = round > 0;
        for (runs, adjacency) in own.iter_mut().zip(ADJACENCIES) {
            let run = ours(folder, adjacency);
            if timed {
                runs.push(run);
            }
        }
        if with_plink {
            // Polling the memory would disturb the measurement: only the first round does it.
            let run = plink(folder, snps, !timed);
            plinks.push(run);
        }
    }
    let of = |runs: &[Run]| {
        let column = |at: usize| Spread::of(runs.iter().filter_map(|run| run.phases.get(at).copied()).collect()).median;
        let known = runs.iter().map(|run| run.phases.len()).min().unwrap_or(0);
        Runs {
            seconds: Spread::of(runs.iter().map(|run| run.seconds).collect()),
            peak: runs.iter().map(|run| run.peak).max().unwrap_or(0),
            phases: (0..known).map(column).collect(),
        }
    };
    let plink = plinks.split_first().map(|(first, timed)| Runs { peak: first.peak, ..of(timed) });
    GenomeMeasurement { people, snps, bytes, ours: own.iter().map(|runs| of(runs)).collect(), plink }
}

#[derive(Clone)]
struct Run {
    seconds: f64,
    peak: u64,
    phases: Vec<f64>,
}

/// A release in a separate process.
fn ours(folder: &Path, adjacency: Protects) -> Run {
    let ledger = tempfile::tempdir_in(folder).unwrap();
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args([ONE, adjacency.name()]).args([folder.join("t"), ledger.path().join("ledger"), folder.join("d.tsv")]);
    let began = Instant::now();
    let output = program.stderr(Stdio::inherit()).output().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", output.status);
    let lines = std::fs::read_to_string(folder.join("d.tsv")).unwrap().lines().count();
    assert_eq!(lines, PICKS + 1, "lines of the table");
    // The peak in KiB, then the seconds of each phase.
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().unwrap());
    Run { peak: numbers.next().unwrap() as u64, phases: numbers.collect(), seconds }
}

/// PLINK; its memory is measured only if `watched`.
fn plink(folder: &Path, snps: u32, watched: bool) -> Run {
    let mut plink = Command::new(PLINK);
    plink.args(["--bfile", "t", "--assoc", "--allow-no-sex", "--threads", &THREADS.to_string(), "--out", "p"]);
    let began = Instant::now();
    let mut child = plink.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    while watched && child.try_wait().unwrap().is_none() {
        peak = peak_kib(&child.id().to_string()).unwrap_or(0).max(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    let status = child.wait().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    assert!(status.success(), "{PLINK}: {status}");
    let lines = std::fs::read_to_string(folder.join("p.assoc")).unwrap().lines().count();
    assert_eq!(lines, snps as usize + 1, "lines of {PLINK}'s table");
    Run { seconds, peak, phases: vec![] }
}

/// The program when it runs itself: creates a ledger, releases, writes the table, and prints its peak memory and the
/// duration of each phase.
fn one_release(args: &[String]) {
    let began = Instant::now();
    let [protects, prefix, ledger, out] = args else { unreachable!("{ONE} with {args:?}") };
    let protects = ADJACENCIES.into_iter().find(|known| known.name() == protects).unwrap();
    let half = ratio(1, 2);
    let priors = PriorRange::new(Some(half.clone()), Some(half)).unwrap();
    let gain = vec![Promise::Gain(whole(2))];
    let promised = CohortPromise::new("people".to_owned(), PathBuf::from(ledger), priors, gain).unwrap();
    let request = Query {
        source: "cohort".to_owned(),
        version: "1".to_owned(),
        phenotype: None,
        protects,
        test: Test::Allelic,
        fill: Fill::default(),
        snps: Snps::Top { picks: PICKS, score: Score::Distance(Cut::PValue(ratio(1, 20))) },
        statistics: false,
        counts: false,
        share: whole(1),
        grid: ratio(1, 1000),
    };
    let marks = RefCell::new(vec![("start", began)]);
    let mark = |name| marks.borrow_mut().push((name, Instant::now()));
    let tell = |event: Event<'_>| match event {
        Event::Read(_) => mark("read"),
        Event::Scoring(_) => mark("paid"),
        Event::Picking => mark("scored"),
        Event::Storing => mark("picked"),
        Event::Answered(..) => mark("stored"),
        _ => {}
    };
    let mut ledger = Ledger::open_or_create(promised.ledger(), promised.population()).unwrap();
    mark("opened");
    let files = CohortFiles::new(Files::Plink { prefix: PathBuf::from(prefix), pheno: None });
    let means = Means { files: &files, threads: NonZeroUsize::new(THREADS).unwrap(), register: true, tell: &tell };
    let released = release(&means, &promised, &request, &mut ledger, &mut SystemRng::new().unwrap()).unwrap();
    let publication = released.complete().unwrap();
    std::fs::write(out, tab_separated(&publication.answers, protects)).unwrap();
    mark("written");
    let marks = marks.into_inner();
    let at = |name: &str| marks.iter().find(|(known, _)| *known == name).unwrap().1;
    let between = |from: &str, to: &str| (at(to) - at(from)).as_secs_f64();
    let ledger = between("start", "opened") + between("read", "paid") + between("picked", "stored");
    let phases = [
        between("opened", "read"),
        between("paid", "scored"),
        between("scored", "picked"),
        ledger,
        between("stored", "written"),
    ];
    let phases: Vec<String> = phases.iter().map(f64::to_string).collect();
    println!("{} {}", peak_kib("self").unwrap_or(0), phases.join(" "));
}

/// The table of all sizes.
fn times(all: &[GenomeMeasurement]) -> String {
    let mut text = format!(
        "Top {PICKS}, allelic, p ≤ 0.05 / number of SNPs, a gain of at most 2; {THREADS} threads; medians of {ROUNDS}, fastest and\n\
         slowest.\n\n"
    );
    text += "| people | SNPs | .bed, MB | what | s | range | ns per 1,000 genotypes | × plink | peak MB |\n";
    text += "|---|---|---|---|---|---|---|---|---|\n";
    for GenomeMeasurement { people, snps, bytes, ours, plink } in all {
        let base = plink.as_ref().map(|plink| plink.seconds.median);
        let names = ADJACENCIES.iter().map(|adjacency| format!("release, {}", adjacency.name()));
        let rows = names.zip(ours).chain(plink.iter().map(|plink| (format!("{PLINK} --assoc"), plink)));
        for (name, Runs { seconds: Spread { median, low, high }, peak, .. }) in rows {
            let each = median * 1e12 / f64::from(*people) / f64::from(*snps);
            let times = base.map_or_else(String::new, |base| format!("{:.2}", median / base));
            let (megabytes, peak) = (*bytes as f64 / 1e6, *peak as f64 * 1024.0 / 1e6);
            writeln!(
                text,
                "| {people} | {snps} | {megabytes:.0} | {name} | {median:.3} | {low:.3} to {high:.3} | {each:.0} | {times} | \
                 {peak:.0} |"
            )
            .unwrap();
        }
    }
    text + "\n"
}

/// The time of a release by phase.
fn phases(measured: &GenomeMeasurement) -> String {
    let mut text = format!(
        "Where the time goes, {} people and {} SNPs: ms, and the share of the whole.\n\n",
        measured.people, measured.snps
    );
    let names = ADJACENCIES.map(Protects::name);
    write!(text, "| part | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len())).unwrap();
    let cell =
        |seconds: f64, runs: &Runs| format!("{:.1} ({:.0}%)", seconds * 1e3, 100.0 * seconds / runs.seconds.median);
    let mut row = |name: &str, of: &dyn Fn(&Runs) -> f64| {
        let cells: Vec<String> = measured.ours.iter().map(|runs| cell(of(runs), runs)).collect();
        writeln!(text, "| {name} | {} |", cells.join(" | ")).unwrap();
    };
    for (at, name) in PHASES.iter().enumerate() {
        row(name, &|runs| runs.phases[at]);
    }
    row("starting and ending the process", &|runs| runs.seconds.median - runs.phases.iter().sum::<f64>());
    text + "\n"
}
