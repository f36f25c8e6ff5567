//! Exact decisions on finite mechanisms: the tight parameter of a privacy notion, with a witness (`docs/how-to/check.md`).
//!
//! ```
//! use deniable::check::{Options, Source, check};
//! use deniable::exact::whole;
//!
//! // Randomised response of one person: the odds ratio is 3, and no more.
//! let source = Source::named("randomized-response", [("entities", "1"), ("odds", "3")]);
//! let options = Options { notion: Some("dp".into()), claim: Some("epsilon=ln(3)".into()), ..Options::default() };
//! let report = check(&source, &options)?;
//! assert!(report.holds());
//! assert_eq!(report.value.high().finite(), Some(&whole(3)));
//! println!("{report}");
//! # Ok::<(), deniable::check::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | name, read or build a mechanism | [`Source`] |
//! | decide one notion, and a claim about it | [`check`] |
//! | decide all notions | [`everything`] |
//! | find out whether a family of priors is scalable | [`scalable`] |
//! | pair the datasets of a prior | [`coupling`] |

mod error;
mod source;
#[cfg(test)]
mod tests;

pub use deniable_check::counts::CountMechanism;
pub use deniable_check::family::{Family, Prior};
pub use deniable_check::mechanism::builtin::{Builtin, LIST as MECHANISMS};
pub use deniable_check::mechanism::{Mechanism, MechanismError};
pub use deniable_check::protocol::{Party, Protocol};
pub use deniable_check::report::{
    CertificateReport, ClaimReport, Decision, EverythingReport, Pair, Pairing, PairingReport, ScalableReport, Scaling,
    VerdictReport,
};
pub use deniable_check::scalable::{Obstacle, Scale};
pub use deniable_check::subject::{PROTOCOLS, Subject};
pub use deniable_check::verdict::{Value, Verdict};
pub use deniable_check::words::{FAMILIES, NOTIONS, Word};
pub use error::{Error, File, FileKind, Misfit};
pub use source::Source;

use deniable_check::claim::Claim;
use deniable_check::constraint::Formula;
use deniable_check::mechanism::Dataset;
use deniable_check::notion::Notion;
use deniable_check::protocol::simulate::Sides;
use deniable_check::report::title;
use deniable_check::subject::View;
use deniable_check::{certificate, sample, shrink, words};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Rational;
use deniable_core::notion::{Notion as NotionName, find};
use deniable_recheck::{LIMIT, Statement, time};
use std::path::{Path, PathBuf};

/// Maximum number of smaller mechanisms decided in search of the smallest that violates a claim.
const MOST_SHRUNK: usize = 2_000;

/// Maximum number of entities for which a box of priors is expanded.
const MOST_BOXED: usize = 100_000;

/// Maximum number of entities for which a mechanism by counts is expanded to be sampled.
const MOST_SAMPLED: usize = 12;

/// The options of a decision about a mechanism. By default, membership privacy over independent entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The notion of privacy, as `dp`, `pmp` or `rho:100`; `pmp` by default.
    pub notion: Option<String>,
    /// The family of priors, as `bounded`, `uniform` or `sampled:1/10`; `independent` by default.
    pub family: Option<String>,
    /// The range of uncertain priors, as `1/5..4/5`.
    pub prior: Option<String>,
    /// The file with the priors of the family `explicit`: TOML, JSON or CSV.
    pub priors: Option<PathBuf>,
    /// A claim about the parameter, as `gain=3/2`, `odds=3` or `epsilon=ln(3)`.
    pub claim: Option<String>,
    /// The file for a certificate, which [`recheck`](crate::recheck) verifies.
    pub certificate: Option<PathBuf>,
    /// The party of a protocol whose view is examined; the first by default.
    pub party: Option<Party>,
    /// For induced neighbours, a formula for the possible datasets, such as `size = 2 and (ann or bob)`; by default all
    /// datasets of the mechanism.
    pub possible: Option<String>,
    /// The probability of keeping each member, to decide about the mechanism on a random sample.
    pub sample: Option<Rational>,
}

/// A mechanism with the options about it.
struct Question<'a> {
    options: &'a Options,
    subject: Subject,
    view: View,
    priors: Option<PriorRange>,
    title: String,
}

/// Decides one notion, and whether the claim about it holds. Writes a certificate if the options name a file.
///
/// # Errors
/// When an option is invalid, a file cannot be read or written, or the notion cannot be decided about the mechanism.
pub fn check(source: &Source, options: &Options) -> Result<VerdictReport, Error> {
    let question = Question::new(source, options)?;
    if let Some(path) = &options.certificate {
        source.spare(path, options.priors.as_deref())?;
        if matches!(question.subject, Subject::Counts(_)) {
            return Err(Misfit::CertificateOfCounts.into());
        }
    }
    let text = options.notion.as_deref().unwrap_or("pmp");
    if let Some(sides) = semi_honest(text) {
        return question.simulated(text, sides);
    }
    let notion = question.notion(text)?;
    let family = question.family(&notion)?;
    let claim = options.claim.as_deref().map(|text| Claim::read(text, &notion)).transpose()?;
    if let Some(why) = certificate::none_of(&notion).filter(|_| options.certificate.is_some()) {
        return Err(Error::NoCertificate(why.to_owned()));
    }
    let answer = question.view.answer(&notion, &family).map_err(Error::Undecided)?;
    let holds = claim.as_ref().map(|claim| claim.holds(notion.is_worse_when_larger(), &answer.verdict.value));
    let holds = holds.transpose().map_err(Error::Comparison)?.flatten();
    let smallest = match (&question.view, claim.as_ref().and_then(Claim::at_most), holds) {
        (View::Table(mechanism), Some(claim), Some(false)) => {
            let case = shrink::shrink(mechanism, &notion, &family, &claim, MOST_SHRUNK).ok().flatten();
            case.and_then(|case| case.line(mechanism))
        }
        _ => None,
    };
    let certificate =
        options.certificate.as_ref().map(|path| write(path, &question, &notion, &family, &answer.verdict));
    let certificate = certificate.transpose()?;
    let mut report = VerdictReport::new(question.title, text, &notion, &family, answer);
    report.certificate = certificate;
    Ok(report.with_claim(options.claim.as_deref(), holds, smallest))
}

fn write(
    path: &Path,
    question: &Question<'_>,
    notion: &Notion,
    family: &Family,
    verdict: &Verdict,
) -> Result<CertificateReport, Error> {
    let certificate = certificate::certificate(question.table()?, notion, family, verdict)
        .map_err(|error| Error::NoCertificate(error.to_string()))?;
    std::fs::write(path, &certificate).map_err(|source| Error::Unwritten { path: path.to_owned(), source })?;
    let steps = Statement::read(&certificate).map_or(0, |statement| statement.steps());
    Ok(CertificateReport { path: path.to_owned(), unverified: (steps > LIMIT).then(|| time(steps)) })
}

/// Decides every notion with its usual parameters, the strictest first. `begins` is called with the name of each notion
/// before it is decided. The options may contain a prior, a party and a sample.
///
/// # Errors
/// When an option is invalid, or a file cannot be read. If a notion cannot be decided about this mechanism, its
/// [`Decision`] contains the reason.
pub fn everything(source: &Source, options: &Options, begins: &dyn Fn(&str)) -> Result<EverythingReport, Error> {
    if options.claim.is_some() || options.certificate.is_some() {
        return Err(Misfit::OneNotion.into());
    }
    if options.family.is_some() || options.notion.is_some() || options.possible.is_some() {
        return Err(Misfit::AllNotions.into());
    }
    let Question { subject, view, priors, title, .. } = Question::new(source, options)?;
    Ok(EverythingReport::new(title, &subject, &view, priors.as_ref(), begins))
}

/// Decides whether a family of priors is scalable, downward and upward (LQS13 3.5, 3.9).
///
/// # Errors
/// When an option is invalid, a file cannot be read, or too many priors are given.
pub fn scalable(source: &Source, options: &Options) -> Result<ScalableReport, Error> {
    let question = Question::new(source, options)?;
    // The family itself is relevant here, not the notion, so any notion about beliefs will do.
    let family = question.family(&Notion::Indistinguishable)?;
    Ok(ScalableReport::new(question.title, &question.view, family)?)
}

/// Pairs the datasets with an entity and those without it that are one step apart, according to the weights of the
/// single prior of the family `explicit`, or returns datasets that cannot be paired (LQS13 4.9). Neighbours are defined
/// by the notion `bounded-dp` (by default) or `dp`.
///
/// # Errors
/// When an option is invalid, a file cannot be read, or the prior is certain of the entity.
pub fn coupling(source: &Source, entity: &str, options: &Options) -> Result<PairingReport, Error> {
    let question = Question::new(source, options)?;
    let family = question.family(&Notion::Indistinguishable)?;
    let mechanism = question.table()?;
    let exchange = match options.notion.as_deref().map(|text| question.notion(text)).transpose()? {
        None | Some(Notion::Bounded) => true,
        Some(Notion::Unbounded { .. }) => false,
        Some(_) => return Err(Misfit::CouplingNotion.into()),
    };
    let Family::Explicit(priors) = family else { return Err(Misfit::CouplingFamily.into()) };
    let [prior] = priors.as_slice() else { return Err(Error::SeveralPriors(priors.len())) };
    let Some(position) = mechanism.entities().iter().position(|name| name == entity) else {
        return Err(Error::NoEntity { entity: entity.to_owned(), known: mechanism.entities().to_vec() });
    };
    Ok(PairingReport::new(question.title.clone(), mechanism, prior, position, exchange)?)
}

impl<'a> Question<'a> {
    /// Reads the mechanism. Rejects options that are invalid for every decision.
    fn new(source: &Source, options: &'a Options) -> Result<Self, Error> {
        let subject = source.read()?;
        if options.party.is_some() && !matches!(subject, Subject::Protocol(_)) {
            return Err(Misfit::Party.into());
        }
        match options.family.as_deref() {
            Some("explicit") if options.prior.is_some() => return Err(Misfit::PriorOfExplicit.into()),
            Some("explicit") => {}
            _ if options.priors.is_some() => return Err(Misfit::PriorsOfOthers.into()),
            _ => {}
        }
        let party = options.party.unwrap_or(Party::First);
        let mut title = title(source.name(), &subject, party);
        let mut view = View::of(&subject, party).map_err(Error::TooLarge)?;
        let priors = options.prior.as_deref().map(|text| parsed("prior", text.parse())).transpose()?;
        if let Some(rate) = &options.sample {
            if matches!(subject, Subject::Protocol(_)) {
                return Err(Misfit::SampleOfProtocol.into());
            }
            title.push_str(&format!(", on a sample at rate {rate}"));
            view = View::Table(on_a_sample(&view, rate)?);
        }
        Ok(Self { options, subject, view, priors, title })
    }

    /// The mechanism by datasets.
    fn table(&self) -> Result<&Mechanism, Error> {
        table(&self.view)
    }

    /// The notion with this name. Induced neighbours are among the possible datasets.
    fn notion(&self, text: &str) -> Result<Notion, Error> {
        let name = find(text).map(|found| found.notion);
        let Some(formula) = &self.options.possible else {
            return match (name, &self.view) {
                (Some(NotionName::InducedNeighbours), view) => Ok(view.induced()),
                (Some(NotionName::InducedExchange), View::Table(mechanism)) => {
                    Ok(Notion::InducedExchange { allowed: mechanism.datasets().collect() })
                }
                _ => parsed("notion", words::notion(text)),
            };
        };
        let mechanism = self.table()?;
        let formula = Formula::parse(formula, mechanism.entities())?;
        let allowed: Vec<Dataset> = (0..1 << mechanism.size()).filter(|data| formula.holds(*data)).collect();
        match name {
            Some(NotionName::InducedNeighbours) => Ok(Notion::Induced { allowed }),
            Some(NotionName::InducedExchange) => Ok(Notion::InducedExchange { allowed }),
            _ => Err(Misfit::Possible.into()),
        }
    }

    /// The family with this name; independent entities if the notion needs a family and none is named.
    fn family(&self, notion: &Notion) -> Result<Family, Error> {
        let (text, priors) = (self.options.family.as_deref(), self.priors.as_ref());
        match text {
            Some(text) if !notion.is_about_beliefs() => Err(Error::FamilyOfNotion(text.to_owned())),
            None if !notion.is_about_beliefs() && priors.is_some() => Err(Misfit::PriorOfNotion.into()),
            Some("box") => {
                let range = priors.ok_or(Misfit::BoxWithoutPrior)?;
                match self.view.entities() {
                    entities @ ..=MOST_BOXED => Ok(Family::Box(vec![range.clone(); entities])),
                    entities => Err(Error::LargeBox { entities, most: MOST_BOXED }),
                }
            }
            Some("explicit") => {
                let path = self.options.priors.as_ref().ok_or(Misfit::ExplicitWithoutPriors)?;
                source::priors(path, self.table()?).map(Family::Explicit)
            }
            text => parsed("family", words::family(text.unwrap_or("independent"), priors)),
        }
    }

    /// The disclosure of the protocol to a party besides its input and output.
    fn simulated(self, text: &str, sides: Sides) -> Result<VerdictReport, Error> {
        let Subject::Protocol(protocol) = &self.subject else { return Err(Misfit::NoProtocol.into()) };
        let options = self.options;
        if options.family.is_some() || options.prior.is_some() || options.certificate.is_some() {
            return Err(Misfit::SemiHonest.into());
        }
        // The parameter is e^ε, as that of differential privacy.
        let claim = options.claim.as_deref().map(|text| Claim::read(text, &Notion::Bounded)).transpose()?;
        let party = options.party.unwrap_or(Party::First);
        let found = protocol.simulate(party, sides).ok_or(Misfit::NoInputs)?;
        let holds =
            claim.map(|claim| claim.holds(true, &found.value)).transpose().map_err(Error::Comparison)?.flatten();
        let report = VerdictReport::simulated(self.title, text, &found, protocol);
        Ok(report.with_claim(options.claim.as_deref(), holds, None))
    }
}

fn table(view: &View) -> Result<&Mechanism, Error> {
    match view {
        View::Table(mechanism) => Ok(mechanism),
        View::Counts(_) => Err(Misfit::ByCounts.into()),
    }
}

fn on_a_sample(view: &View, rate: &Rational) -> Result<Mechanism, Error> {
    let expanded = match view {
        View::Counts(counts) if view.entities() <= MOST_SAMPLED => Some(counts.expand().map_err(Error::Expanded)?),
        _ => None,
    };
    let mechanism = expanded.as_ref().map_or_else(|| table(view), Ok)?;
    sample::sampled(mechanism, rate).map_err(Error::Sample)
}

fn semi_honest(notion: &str) -> Option<Sides> {
    match find(notion)?.notion {
        NotionName::SemiHonest => Some(Sides::One),
        NotionName::SemiHonestBoth => Some(Sides::Two),
        _ => None,
    }
}

fn parsed<T>(option: &'static str, result: Result<T, deniable_core::notion::parse::ParseError>) -> Result<T, Error> {
    result.map_err(|error| Error::Parse { option, error })
}
