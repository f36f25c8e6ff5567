//! `deniable gwas`: releases.

use super::people::{open, people, phenotype, stem, tell, version};
use crate::args::gwas::{Adjacency, DeclaredFiles, GwasFormat, PromiseFlags, Release, Score};
use crate::args::limits::all_threads;
use crate::console::say;
use crate::error::Failure;
use crate::genotypes::{file_failure, files};
use crate::ledgers;
use crate::output::{publish, publish_page, writable};
use crate::priors;
use crate::progress::Progress;
use crate::render;
use deniable::ProtocolError;
use deniable::diagnostic::{Code, Diagnostic};
use deniable_core::exact::whole;
use deniable_core::guarantee::GuaranteeError;
use deniable_core::noise::SystemRng;
use deniable_core::promise::{Promise, PromiseError};
use deniable_core::secret::Secret;
use deniable_core::text::meant_as_percentage;
use deniable_gwas::{
    CohortFiles, CohortPromise, CohortPromiseError, Cut, Event, Files, GwasError, Means, Protects, Query,
    ReleaseOutcome, Snps, release, tab_separated,
};
use deniable_ledger::Summary;
use deniable_policy::Policy;
use deniable_publication::Publication;
use deniable_report::Report;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Runs it.
pub fn run(args: &Release) -> Result<(), Failure> {
    if let Some(reason) = &args.change_promise {
        return change_promise(&Setup::of(args, false)?.promised, reason);
    }
    let asked = Setup::of(args, true)?;
    let own: Vec<PathBuf> =
        asked.located.files().all().into_iter().chain([asked.promised.ledger().to_owned()]).collect();
    let own: Vec<PathBuf> = own.into_iter().chain(args.policy.clone()).chain(args.extract.clone()).collect();
    writable(&[("--out", args.out.as_deref()), ("--report", args.report.as_deref())], &own)?;
    if args.dry_run {
        return publish(&asked.forecast()?, None);
    }
    let ReleaseOutcome { publication, unanswered } = asked.release()?;
    // The last of the releases without an answer is the failure beside the answers to the others.
    let mut failed = None;
    for error in unanswered {
        failed.replace(failure(error)).iter().for_each(Failure::tell);
    }
    if !publication.answers.is_empty() {
        publish(&written(&publication, args, asked.protects)?, args.out.as_ref())?;
    }
    if let Some(report) = &args.report {
        let summary = deniable_ledger::show(asked.promised.ledger())?;
        publish_page(&Report::of_ledger(&summary)?.html(), report)?;
    }
    failed.map_or(Ok(()), Err)
}

/// What is asked of which files, under which promise.
pub struct Setup {
    located: CohortFiles,
    protects: Protects,
    promised: CohortPromise,
    declared: DeclaredFiles,
    request: Option<Query>,
    threads: NonZeroUsize,
    register: bool,
}

impl Setup {
    /// By flags; whether they must ask for something.
    pub fn of(args: &Release, something: bool) -> Result<Self, Failure> {
        let located = CohortFiles::new(files(&args.input)?);
        let protects = protects(&args.adjacency)?;
        let promised = promised(args, located.files())?;
        let request = something.then(|| request(args, located.files(), protects)).transpose()?;
        let (threads, register) = (all_threads(args.threads), args.register);
        let declared = args.declared.clone();
        Ok(Self { located, protects, promised, declared, request, threads, register })
    }

    fn asking<T>(&self, run: impl FnOnce(&Means<'_>, &Query) -> Result<T, Failure>) -> Result<T, Failure> {
        let Some(request) = &self.request else { return Err(Failure::usage("nothing is asked for", "add --top 5")) };
        let progress = Progress::new();
        let tell = |event: Event<'_>| tell(&progress, event, (&request.source, &request.version));
        let means = Means { files: &self.located, threads: self.threads, register: self.register, tell: &tell };
        let found = run(&means, request);
        progress.done();
        found
    }

    /// What it would cost, and how far it would be off.
    pub fn forecast(&self) -> Result<String, Failure> {
        let summary = match self.promised.ledger().exists() {
            true => deniable_ledger::show(self.promised.ledger())?,
            false => Summary::before_any(self.promised.population()),
        };
        self.asking(|means, request| deniable_gwas::forecast(means, &self.promised, request, &summary).map_err(failure))
    }

    /// Releases it: charged, computed, stored, shown.
    pub fn release(&self) -> Result<ReleaseOutcome, Failure> {
        let mut ledger = open(self.promised.ledger(), self.promised.population(), &self.declared, &self.located)?;
        let before = ledger.head().clone();
        let released = self.asking(|means, request| {
            release(means, &self.promised, request, &mut ledger, &mut SystemRng::new()?).map_err(failure)
        });
        if released.is_ok() || *ledger.head() != before {
            say(format!("ledger head {}", ledger.head()));
        }
        released
    }
}

/// Puts the stated promise in place of the recorded one, in every account of the people.
fn change_promise(promised: &CohortPromise, reason: &str) -> Result<(), Failure> {
    let mut ledger = ledgers::existing(promised.ledger(), promised.population())?;
    let kinds = ledger.summary().accounts.into_iter().map(|account| account.id.kind);
    let all: Vec<_> = kinds.map(|kind| promised.guarantee(kind)).collect();
    let weaker = crate::commands::ledger::change_all(&mut ledger, &all, reason)?;
    let way = if weaker { "weaker" } else { "not weaker" };
    let limit = promised.guarantee(Secret::Membership).limit().clone();
    say(format!("the promise is now an odds ratio of {}, {way} than before; the reason is kept", limit.with_epsilon()));
    say(format!("ledger head {}", ledger.head()));
    Ok(())
}

/// Which secret is kept. Nothing may be assumed about it.
fn protects(stated: &[Adjacency]) -> Result<Protects, Failure> {
    let has = |one| stated.contains(&one);
    match (has(Adjacency::Genotype), has(Adjacency::LabelSwap)) {
        (true, true) => Ok(Protects::Both),
        (true, false) => Ok(Protects::Genotype),
        (false, true) => Ok(Protects::LabelSwap),
        (false, false) => Err(Failure::usage(
            "--adjacency says which secret is kept, and nothing is assumed about it",
            "add --adjacency genotype if nobody may learn who took part (who is a case is public); --adjacency label-swap if \
             nobody may learn who is a case (who took part is public, with all genotypes); or --adjacency genotype,label-swap \
             if neither may be learned",
        )),
    }
}

/// The promise, from flags or a policy.
fn promised(args: &Release, files: &Files) -> Result<CohortPromise, Failure> {
    if let Some(policy) = &args.policy {
        let promised = CohortPromise::of_policy(&Policy::load(policy)?).map_err(promise_failure)?;
        return Ok(match &args.declared.ledger {
            Some(ledger) => promised.in_ledger(ledger),
            None => promised,
        });
    }
    let (population, ledger) = people(&args.declared, files)?;
    let priors = priors::range(args.promise.prior.as_deref())?;
    CohortPromise::new(population, ledger, priors, promises(&args.promise)).map_err(promise_failure)
}

fn promise_failure(error: CohortPromiseError) -> Failure {
    if let CohortPromiseError::Promise(GuaranteeError::Promise(PromiseError::OutOfRange { value, name, .. })) = &error
        && name.starts_with("posterior")
        && let Some(meant) = meant_as_percentage(value)
    {
        let help = format!("did you mean {meant}?");
        return Failure::usage(error, help);
    }
    let help = match &error {
        CohortPromiseError::Promise(GuaranteeError::Nothing) => {
            "add --gain 2 (belief may at most double), --posterior-at-most 75% with --prior ..1/2, or --epsilon 1; or name a \
             policy with --policy"
        }
        CohortPromiseError::SizeProtected => {
            "set `knows_size = true` under [adversary] if these numbers are public, or state a promise in flags and another \
             --population"
        }
        CohortPromiseError::Promise(GuaranteeError::Promise(PromiseError::NeedsPriorBound {
            end: "at_most", ..
        })) => "add what observers may believe beforehand at most, such as --prior ..1/2; --prior any bounds nothing",
        CohortPromiseError::Promise(GuaranteeError::Promise(PromiseError::NeedsPriorBound { .. })) => {
            "add what observers may believe beforehand at least, such as --prior 1/2..; --prior any bounds nothing"
        }
        CohortPromiseError::Promise(_) => {
            "for example --gain 2 --prior 1/2; a policy explains each promise (docs/policy.md)"
        }
        CohortPromiseError::Adversary(_) | CohortPromiseError::Name(_) => "",
    };
    Failure::usage(error, help)
}

/// What is asked.
fn request(args: &Release, files: &Files, protects: Protects) -> Result<Query, Failure> {
    let named = match &args.extract {
        Some(file) => names(file)?,
        None => args.snps.iter().map(|name| name.trim().to_owned()).collect(),
    };
    let cut = match (&args.threshold, &args.p_value) {
        (Some(value), _) => Some(Cut::ChiSquare(value.clone())),
        (None, Some(p)) => Some(Cut::PValue(p.clone())),
        (None, None) => None,
    };
    let score = match (args.score, cut) {
        (Score::Distance, Some(cut)) => Some(deniable_gwas::Score::Distance(cut)),
        (Score::Distance, None) => None,
        (Score::Chi2, _) => Some(deniable_gwas::Score::ChiSquare),
        (Score::Noisy, _) => Some(deniable_gwas::Score::Noisy),
    };
    let snps = match (args.top, score) {
        (Some(picks), Some(score)) => Snps::Top { picks: picks.get(), score },
        (Some(_), None) => {
            let help = "add --p-value 0.05, which is divided by the number of SNPs, or --threshold 29.7 on χ² itself; it must \
                        not come from the data";
            return Err(Failure::usage(
                "--top picks SNPs by their distance from a threshold of significance, and none is stated",
                help,
            ));
        }
        (None, _) if !named.is_empty() => Snps::Named(named),
        (None, _) => {
            let help = "add --top 5 with --p-value 0.05, or --snps rs1,rs2 with --statistics or --counts";
            return Err(Failure::usage("nothing is asked for", help));
        }
    };
    let request = Query {
        source: stem(files).1,
        version: version(&args.declared)?,
        phenotype: phenotype(&args.input),
        protects,
        test: args.test.into(),
        fill: args.fill.into(),
        snps,
        statistics: args.statistics,
        counts: args.counts,
        share: args.spend.clone().unwrap_or_else(|| whole(1)),
        grid: args.grid.clone(),
    };
    if request.parts().is_empty() {
        return Err(Failure::usage("nothing is asked of these SNPs", "add --statistics, --counts or both"));
    }
    Ok(request)
}

/// Every promise that is made.
fn promises(flags: &PromiseFlags) -> Vec<Promise> {
    let PromiseFlags { gain, negative_gain, posterior_at_most, posterior_at_least, epsilon, .. } = flags;
    let all = [
        gain.clone().map(Promise::Gain),
        negative_gain.clone().map(Promise::NegativeGain),
        posterior_at_most.clone().map(Promise::PosteriorAtMost),
        posterior_at_least.clone().map(Promise::PosteriorAtLeast),
        epsilon.clone().map(Promise::Epsilon),
    ];
    all.into_iter().flatten().collect()
}

/// The names in a file, one a line, as PLINK's --extract.
fn names(file: &Path) -> Result<Vec<String>, Failure> {
    let unreadable =
        |error: std::io::Error| Failure::usage(format!("--extract {}: {error}", file.display()), "check its name");
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    let names: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if names.is_empty() {
        return Err(Failure::usage(
            format!("--extract {}: there are no names in it", file.display()),
            "write one a line",
        ));
    }
    Ok(names)
}

/// The results as they are written.
fn written(publication: &Publication, args: &Release, protects: Protects) -> Result<String, Failure> {
    let ending = args.out.as_ref().and_then(|out| out.extension()).and_then(|ending| ending.to_str());
    let format = args.format.unwrap_or(match ending {
        Some("tsv" | "txt" | "assoc") => GwasFormat::Tsv,
        Some("json") => GwasFormat::Json,
        _ => GwasFormat::Table,
    });
    Ok(match format {
        GwasFormat::Table => render::table::publication(publication),
        GwasFormat::Json => render::json(publication)?,
        GwasFormat::Tsv => {
            say(render::table::guarantee(publication));
            say(protects.sentence());
            tab_separated(&publication.answers, protects)
        }
    })
}

/// What to do about it.
pub fn failure(error: GwasError) -> Failure {
    match error {
        GwasError::File(error) => file_failure(&error),
        GwasError::Version(error) => Failure::refused(
            error,
            "bring the registered files back, or give these a version of their own with --data-version 2; nothing was charged",
        ),
        GwasError::OnlyRegistered => Failure::refused(
            error,
            "nothing was charged. Read what was found, above; if it is as it should be, the same command now releases. --register \
             does both in one run",
        ),
        GwasError::Unanswered { .. } => {
            Failure::refused(error, "repeat the command: it costs nothing unless the draw had begun")
        }
        GwasError::Payment(error) => {
            let help = error.help();
            Failure::refused(error, help)
        }
        GwasError::Protocol(ProtocolError::OverBudget { ref fits, .. }) => {
            let fits = match fits {
                Some(share) => format!("--spend {share} fits, at most"),
                None => "nothing is left".to_owned(),
            };
            let help = format!(
                "{fits}; what was answered before is free, with the flags it was asked with. `deniable ledger show` lists it; \
                 nothing was charged"
            );
            vec![Diagnostic::new(Code::Budget, error).with_help(help)].into()
        }
        GwasError::Protocol(error) => error.into(),
        GwasError::Name(error) => {
            let help = "names are those of the second column of .bim, or the third of VCF, among SNPs on chromosomes 1 to 22 and XY";
            Failure::refused(error, help)
        }
        GwasError::TooMany { .. } => Failure::refused(error, "ask for fewer with --top"),
        GwasError::Threshold(_) => Failure::refused(error, "write --threshold 29.7 or --p-value 0.05"),
        GwasError::Select(_) | GwasError::Noisy(_) | GwasError::Decay(_) => Failure::refused(
            error,
            "nothing was charged; another --threshold or --p-value, fewer SNPs with --top, or a coarser --grid may do",
        ),
        GwasError::Unwritable(_) | GwasError::Subject(_) | GwasError::People(_) | GwasError::Spend(_) => {
            Failure::refused(error, "")
        }
    }
}
