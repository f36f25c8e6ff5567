//! `deniable gwas power`: would a selection find the causes, and how many people would that take?

use crate::args::gwas::{Adjacency, Power as Args, Score as By};
use crate::args::limits::all_threads;
use crate::args::output::LedgerFormat;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::genotypes::{file_failure, files};
use crate::output::{publish, writable};
use crate::priors;
use crate::progress::Progress;
use crate::render;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::ratio;
use deniable_core::promise::Promise;
use deniable_genome::simulate::{Settings, SimulateError};
use deniable_gwas::power::{
    Cohorts, Curves, Power, PowerFailure, PowerQuery, RequiredSize, Score, SizeComparison, compared_sentences,
    needed_markdown, power,
};
use deniable_gwas::{Cohort, Cut};
use deniable_report::power::{self as report, Point};
use serde::Serialize;
use std::path::PathBuf;

/// Everything, for programs.
#[derive(Serialize)]
struct PowerReport<'a> {
    #[serde(flatten)]
    power: &'a Power,
    needed: &'a [RequiredSize],
    compared: &'a [SizeComparison],
}

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !(args.target > 0.0 && args.target < 1.0) {
        return Err(Failure::usage(
            format!("--target {} is no probability", args.target),
            "write --target 0.5 or --target 0.9",
        ));
    }
    let question = question(args)?;
    let progress = Progress::new();
    let measured = power(&question, all_threads(args.threads), &mut |done| {
        progress.rows("chances computed", done.done as u64);
    })
    .map_err(failure)?;
    progress.done();
    let (needed, compared) = (measured.needed(args.target), measured.compared(args.target));
    let text = match args.format {
        LedgerFormat::Json => render::json(&PowerReport { power: &measured, needed: &needed, compared: &compared })?,
        LedgerFormat::Table => {
            let mut text = measured.markdown();
            if measured.simulated {
                text += &format!(
                    "\nParticipants at which all planted SNPs are found with probability {}:\n\n{}",
                    args.target,
                    needed_markdown(&needed)
                );
                for sentence in compared_sentences(&compared) {
                    text += &format!("\n{sentence}\n");
                }
            }
            text
        }
    };
    // What is said of somebody's own cohort is not for standard output, which may be published.
    match (&args.out, measured.simulated) {
        (None, false) => say(text.trim_end()),
        (out, _) => publish(&text, out.as_ref())?,
    }
    if let Some(prefix) = &args.chart {
        for curves in measured.curves() {
            let mut path = prefix.as_os_str().to_owned();
            path.push(format!("-{}.svg", curves.name().replace(' ', "-")));
            let path = PathBuf::from(path);
            publish(&drawn(curves, args.target), Some(&path))?;
            say(format!("the curves are in {}", shown(&path)));
        }
    }
    Ok(())
}

/// Curves as a picture.
fn drawn(curves: Curves, target: f64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "numbers of participants are far below 2^53")]
    let point = |at: &deniable_gwas::power::Point| Point {
        participants: at.participants as f64,
        found: at.found,
        low: at.found - at.within,
        high: at.found + at.within,
    };
    let protects = curves.protects().to_owned();
    let all = curves.curves.into_iter().map(|curve| (curve.name, curve.points.iter().map(point).collect()));
    report::power(report::Power { protects, curves: all.collect(), target: Some(target) })
}

fn question(args: &Args) -> Result<PowerQuery, Failure> {
    let ranges: Vec<PriorRange> = args.prior.iter().map(|text| priors::range(Some(text))).collect::<Result<_, _>>()?;
    let gains = if args.gain.is_empty() && args.epsilon.is_empty() { vec![ratio(2, 1)] } else { args.gain.clone() };
    let mut promises = Vec::new();
    for gain in gains {
        promises.extend(ranges.iter().map(|range| (Promise::Gain(gain.clone()), range.clone())));
    }
    // Plain differential privacy is the same for all beliefs.
    promises.extend(args.epsilon.iter().map(|epsilon| (Promise::Epsilon(epsilon.clone()), PriorRange::any())));
    let mut thresholds: Vec<Cut> = args.threshold.iter().cloned().map(Cut::ChiSquare).collect();
    thresholds.extend(args.p_value.iter().cloned().map(Cut::PValue));
    if thresholds.is_empty() {
        thresholds.push(Cut::PValue(ratio(1, 20)));
    }
    let cohorts = cohorts(args)?;
    let planted = match &cohorts {
        Cohorts::Simulated { settings, .. } => settings.causes.len(),
        Cohorts::Given { planted, .. } => planted.len(),
    };
    let adjacency = |one: &Adjacency| match one {
        Adjacency::Genotype => deniable_genome::CohortAdjacency::Genotype,
        Adjacency::LabelSwap => deniable_genome::CohortAdjacency::LabelSwap,
    };
    let score = |one: &By| match one {
        By::Distance => Score::Distance,
        By::Chi2 => Score::Statistic { grid: args.grid.clone() },
        By::Noisy => Score::Noise { grid: args.grid.clone() },
    };
    Ok(PowerQuery {
        cohorts,
        promises,
        picks: if args.top.is_empty() { vec![planted] } else { args.top.clone() },
        thresholds,
        test: args.test.into(),
        adjacencies: args.adjacency.iter().map(adjacency).collect(),
        scores: args.score.iter().map(score).collect(),
    })
}

/// Simulated cohorts, or the curator's own.
fn cohorts(args: &Args) -> Result<Cohorts, Failure> {
    if args.input.bfile.is_none() && args.input.vcf.is_none() {
        if !args.causal.is_empty() {
            return Err(Failure::usage("--causal names SNPs of your own cohort", "add --bfile PREFIX or --vcf FILE"));
        }
        let settings = Settings {
            snps: args.simulated_snps,
            causes: args.odds_ratios.clone(),
            frequencies: args.frequencies,
            block: args.block,
            risk: args.risk,
            ..Settings::default()
        };
        let sizes = args.participants.iter().map(|people| (people / 2, people - people / 2)).collect();
        return Ok(Cohorts::Simulated { settings, sizes, seeds: (1..=args.seeds).collect() });
    }
    if args.chart.is_some() {
        let help = "leave --chart out: pictures look as if they could be shown to anybody";
        return Err(Failure::usage("--chart draws simulated cohorts, and yours must not be published", help));
    }
    if args.causal.is_empty() {
        return Err(Failure::usage("nothing says which SNPs should be found", "add --causal rs1,rs2"));
    }
    let files = files(&args.input)?;
    writable(&[("--out", args.out.as_deref())], &files.all())?;
    let progress = Progress::new();
    // The key does not matter: the fingerprint is not kept.
    let opened = files.open().map_err(|error| file_failure(&error))?;
    let cohort = Cohort::read(&opened, args.fill.into(), [0; 32], all_threads(args.threads), &|snps| {
        progress.rows("reading SNPs", snps);
    })
    .map_err(|error| file_failure(&error))?;
    progress.done();
    let planted =
        cohort.places(&args.causal).map_err(|error| Failure::usage(error, "names are those of the file's own SNPs"))?;
    let named = |(place, table): (usize, &deniable_genome::ContingencyTable)| Some((cohort.variant(place)?, *table));
    Ok(Cohorts::Given { tables: cohort.tables.iter().enumerate().filter_map(named).collect(), planted })
}

fn failure(error: PowerFailure) -> Failure {
    let help = match &error {
        PowerFailure::Simulate(SimulateError::Setting { .. }) => "`deniable gwas power --help` lists the usual values",
        _ => "`deniable gwas power --help` has examples",
    };
    Failure::usage(error, help)
}
