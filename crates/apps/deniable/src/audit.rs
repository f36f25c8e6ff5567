//! Audits of programs and functions: certified lower bounds on what their outputs disclose (`docs/how-to/audit.md`).
//!
//! ```
//! use deniable::audit::{InputAdjacency, Mechanism, MechanismError, Neighbours, Options, Outputs, audit};
//!
//! /// Claims odds of 3, and publishes the count itself.
//! struct Honest;
//! impl Mechanism for Honest {
//!     fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
//!         (0..times).for_each(|_| {
//!             out.integer(input[0]);
//!         });
//!         Ok(())
//!     }
//! }
//! let options = Options {
//!     claim: Some("odds=3".into()),
//!     samples: 10_000,
//!     ..Options::new(Neighbours::counts(InputAdjacency::OneEntry, 1))
//! };
//! let report = audit(vec![Box::new(Honest)], &options)?;
//! assert!(!report.holds());
//! println!("{report}");
//! # Ok::<(), deniable::audit::Error>(())
//! ```

#[cfg(feature = "zoo")]
pub use deniable_audit::zoo::{self, Member, Supremum, ZooError};
pub use deniable_audit::{
    AuditError, AuditReport, Cell, Deadlines, Event, Finding, InputAdjacency, Mechanism, MechanismError, Neighbours,
    Outputs, Pair, Program, Verdict, end_all,
};

use deniable_audit::{Rounded, Settings};
use deniable_core::adversary::PriorRange;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{ParseRationalError, Rational, inside_ln, parse_rational, ratio, whole};
use deniable_core::notion::find;
use deniable_core::notion::parse::ParseError;
use deniable_core::promise::{NotAPromise, Promise, PromiseError};
use num_traits::{Signed, ToPrimitive};

/// The options of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The claim, as `epsilon=0.1`, `epsilon=ln(3)`, `odds=3`, or `gain=2` with a prior.
    pub claim: Option<String>,
    /// The beliefs that observers may have had, as `1/2`, `1/5..4/5` or `any`, for claims about beliefs and for examples; any by
    /// default.
    pub prior: Option<String>,
    /// The probability with which all bounds hold together, from 9/10 to below 1; 999/1000 by default.
    pub confidence: Rational,
    /// The number of outputs to draw in all, from 1,000 on; a million by default.
    pub samples: u64,
    /// The inputs that are tried.
    pub neighbours: Neighbours,
    /// The step to whose multiples floating-point outputs are rounded before the audit, positive: it hides their last
    /// bits, so that other faults are found. They are not rounded by default.
    pub round_to: Option<Rational>,
}

impl Options {
    /// The defaults, for these inputs.
    #[must_use]
    pub fn new(neighbours: Neighbours) -> Self {
        let samples = Settings::default().samples;
        Self { claim: None, prior: None, confidence: ratio(999, 1000), samples, neighbours, round_to: None }
    }

    /// Checks the options without an audit: a program under audit need not start for options that are invalid.
    ///
    /// # Errors
    /// When an option is invalid.
    pub fn validate(&self) -> Result<(), Error> {
        self.parsed().and(self.step()).map(|_| ())
    }

    /// The step of rounding.
    fn step(&self) -> Result<Option<f64>, Error> {
        let Some(step) = &self.round_to else { return Ok(None) };
        let float = step.to_f64().filter(|step| *step > 0.0 && step.is_finite());
        float.map(Some).ok_or_else(|| Error::Step(step.clone()))
    }

    /// A mechanism as it is audited.
    fn rounded(&self, mechanism: Box<dyn Mechanism>) -> Result<Box<dyn Mechanism>, Error> {
        Ok(match self.step()? {
            Some(step) => Box::new(Rounded::new(mechanism, step)),
            None => mechanism,
        })
    }

    /// The report of an audit with these options.
    fn report(&self, verdict: Verdict, priors: PriorRange) -> AuditReport {
        let report = AuditReport::new(verdict, priors);
        match &self.round_to {
            Some(step) => report.of_rounded(step.clone()),
            None => report,
        }
    }

    /// The validated options: the claim as an odds ratio, the priors, and the settings.
    fn parsed(&self) -> Result<(Option<Spend>, PriorRange, Settings), Error> {
        let priors = self.prior.as_deref().map_or_else(|| Ok(PriorRange::any()), str::parse).map_err(Error::Prior)?;
        let wrong = |text: &str| {
            let text = text.to_owned();
            move |problem| Error::Claim { text, problem }
        };
        let claim = self.claim.as_deref().map(|text| claim(text, &priors).map_err(wrong(text))).transpose()?;
        let error = whole(1) - &self.confidence;
        // Rounded down: a smaller probability of error gives wider bounds.
        let below = |nearest: f64| {
            if Rational::from_float(nearest)? > error { Some(nearest.next_down()) } else { Some(nearest) }
        };
        let probability = error.to_f64().and_then(below).filter(|_| error.is_positive() && error <= ratio(1, 10));
        let error = probability.ok_or_else(|| Error::Confidence(self.confidence.clone()))?;
        Ok((claim, priors, Settings { samples: self.samples, error, ..Settings::default() }))
    }
}

/// An audit that failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.words(Surface::Library).1)]
#[non_exhaustive]
pub enum Error {
    /// A claim that cannot be parsed, or cannot be made.
    Claim {
        /// The claim.
        text: String,
        /// The problem.
        problem: ClaimProblem,
    },
    /// A range of priors that cannot be parsed.
    Prior(ParseError),
    /// A confidence outside its range.
    Confidence(Rational),
    /// A step of rounding that is not positive, or beyond floating-point numbers.
    Step(Rational),
    /// The mechanism failed, a setting is out of range, or no inputs are neighbours.
    Audit(#[from] AuditError),
    /// The zoo has no mechanism of this name.
    #[cfg(feature = "zoo")]
    NoMember {
        /// The name.
        name: String,
        /// The names of its mechanisms.
        known: Vec<&'static str>,
    },
    /// The zoo cannot be built.
    #[cfg(feature = "zoo")]
    Zoo(#[from] ZooError),
}

/// The fault of a claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimProblem {
    /// It has no `=`.
    #[error("it has no value")]
    NoValue,
    /// Its value is not a number.
    #[error(transparent)]
    Number(#[from] ParseRationalError),
    /// Its odds are not above 1.
    #[error(transparent)]
    Spend(#[from] SpendError),
    /// It is not a promise.
    #[error(transparent)]
    Parse(#[from] NotAPromise),
    /// It cannot be promised to observers with these priors.
    #[error(transparent)]
    Promise(#[from] PromiseError),
}

/// Audits a mechanism from its outputs alone. `workers` are at least one independent instance of it, each on a separate
/// thread; a single one runs on the calling thread.
///
/// # Errors
/// When an option is invalid, or the mechanism fails.
pub fn audit(workers: Vec<Box<dyn Mechanism>>, options: &Options) -> Result<AuditReport, Error> {
    let (claim, priors, settings) = options.parsed()?;
    let mut workers = workers.into_iter().map(|worker| options.rounded(worker)).collect::<Result<Vec<_>, _>>()?;
    let verdict = deniable_audit::audit(&mut workers, &options.neighbours, claim.as_ref(), &settings)?;
    Ok(options.report(verdict, priors))
}

/// The mechanism of the zoo with this name.
///
/// # Errors
/// When the zoo has no mechanism of this name.
#[cfg(feature = "zoo")]
pub fn member(name: &str) -> Result<Member, Error> {
    let known = || zoo::members().map(|all| all.iter().map(|member| member.name).collect());
    match zoo::find(name)? {
        Some(member) => Ok(member),
        None => Err(Error::NoMember { name: name.to_owned(), known: known()? }),
    }
}

/// Audits a mechanism of the zoo with its own neighbours, against its own claim unless the options have one.
///
/// # Errors
/// As of [`audit`].
#[cfg(feature = "zoo")]
pub fn audit_member(member: &Member, options: &Options) -> Result<AuditReport, Error> {
    let (claim, priors, settings) = options.parsed()?;
    let worker = options.rounded(member.start().map_err(AuditError::from)?)?;
    let claim = claim.as_ref().unwrap_or(&member.claim);
    let verdict = deniable_audit::audit(&mut [worker], &member.neighbours, Some(claim), &settings)?;
    Ok(options.report(verdict, priors))
}

/// The odds ratio of a claim: its own, or the largest that keeps a promise about beliefs.
fn claim(text: &str, priors: &PriorRange) -> Result<Spend, ClaimProblem> {
    let (name, value) = text.split_once('=').ok_or(ClaimProblem::NoValue)?;
    let (name, value) = (name.trim(), value.trim());
    if let ("epsilon", Some(odds)) = (name, inside_ln(value)) {
        return Ok(Spend::odds(parse_rational(odds)?)?);
    }
    if name == "odds" {
        return Ok(Spend::odds(parse_rational(value)?)?);
    }
    // A promise is parsed by its key in a policy, whichever of its names the claim has.
    let found = find(name).filter(|found| !found.is_odds());
    let key = found.and_then(|found| found.notion.entry().promise).map_or(name, |promise| promise.key);
    let promise: Promise = format!("{key} = {value}").parse()?;
    Ok(promise.largest_odds(priors)?)
}

impl Error {
    fn words(&self, surface: Surface) -> (Code, String, String) {
        let set = |name, value: &str| surface.set(name, value);
        match self {
            Self::Claim { text, problem } => {
                let [one, two, three, gain] =
                    ["epsilon=0.1", "epsilon=ln(3)", "odds=3", "gain=2"].map(|claim| set("claim", claim));
                let help = format!("write {one}, {two}, {three}, or {gain} with {}", set("prior", "1/2"));
                (Code::Usage, format!("{}: {problem}", set("claim", text)), help)
            }
            Self::Prior(error) => {
                let [belief, range, below, any] = ["1/2", "1/5..4/5", "..1/2", "any"].map(|prior| set("prior", prior));
                (
                    Code::Usage,
                    format!("{} {error}", surface.option("prior")),
                    format!("write {belief}, {range}, {below} or {any}"),
                )
            }
            Self::Confidence(value) => (
                Code::Usage,
                format!("{} is not between 90% and 100%", set("confidence", &value.to_string())),
                format!("write {}", set("confidence", "99.9%")),
            ),
            Self::Step(value) => (
                Code::Usage,
                format!("{} is not a positive number", set("round-to", &value.to_string())),
                format!("write {}", set("round-to", "0.001")),
            ),
            Self::Audit(AuditError::Mechanism(error)) => {
                let help = "docs/how-to/audit.md has the protocol; `examples/audit/half_noise.py` is a whole program";
                (Code::Other, error.to_string(), help.to_owned())
            }
            Self::Audit(error @ (AuditError::Setting(_) | AuditError::NoPairs)) => {
                (Code::Usage, error.to_string(), "`deniable audit --help` has examples".to_owned())
            }
            Self::Audit(error) => (Code::Other, error.to_string(), String::new()),
            #[cfg(feature = "zoo")]
            Self::NoMember { name, known } => {
                let near = deniable_core::text::nearest(name, known);
                let help = near.map_or_else(
                    || "`deniable audit --list` names them all".to_owned(),
                    |near| format!("did you mean {near}?"),
                );
                (Code::Usage, format!("there is no mechanism \"{name}\" in the zoo"), help)
            }
            #[cfg(feature = "zoo")]
            Self::Zoo(error) => (Code::Other, error.to_string(), String::new()),
        }
    }
}

impl Diagnose for Error {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let (code, message, help) = self.words(surface);
        vec![Diagnostic::new(code, message).with_help(help)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Constant;

    impl Mechanism for Constant {
        fn sample(&mut self, _: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
            (0..times).for_each(|_| out.integer(0));
            Ok(())
        }
    }

    fn audited(change: impl FnOnce(&mut Options)) -> Result<AuditReport, Error> {
        let mut options = Options::new(Neighbours::counts(InputAdjacency::OneEntry, 1));
        options.samples = 1_000;
        change(&mut options);
        audit(vec![Box::new(Constant)], &options)
    }

    #[test]
    fn errors_name_options_as_each_surface_has_them() {
        let claim = |claim: &str| audited(|options| options.claim = Some(claim.to_owned()));
        for (result, name) in [
            (claim("epsilon"), "claim"),
            (claim("odds=1/2"), "claim"),
            (claim("posterior_at_most=3/4"), "claim"),
            (audited(|options| options.prior = Some("3/2".to_owned())), "prior"),
            (audited(|options| options.confidence = ratio(89, 100)), "confidence"),
            (audited(|options| options.confidence = whole(1)), "confidence"),
            (audited(|options| options.round_to = Some(whole(0))), "round-to"),
        ] {
            let error = result.unwrap_err();
            for surface in [Surface::Command, Surface::Python] {
                let all = error.diagnostics(surface);
                let text = format!("{} {}", all[0].message(), all[0].help().unwrap_or_default());
                assert!(all[0].code == Code::Usage && text.contains(&surface.option(name)), "{text}");
                assert!(surface == Surface::Command || !text.contains("--"), "{text}");
            }
        }
    }

    #[test]
    fn nothing_is_found_against_a_constant() {
        let report = audited(|options| options.claim = Some("epsilon=ln(3)".to_owned())).unwrap();
        assert!(report.holds() && report.verdict.odds() == whole(1), "{report}");
        assert_eq!(report.prior(), ratio(1, 2));
    }

    #[cfg(feature = "zoo")]
    #[test]
    fn faults_of_floating_point_are_known_and_hidden_by_rounding() {
        let laplace = member("laplace-floating-point").unwrap();
        let mut options = Options { samples: 400_000, ..Options::new(laplace.neighbours.clone()) };
        let found = audit_member(&laplace, &options).unwrap();
        assert!(!found.holds() && found.is_floating_point() && found.to_string().contains("\nfloating point: "));
        options.round_to = Some(ratio(1, 1000));
        let past = audit_member(&laplace, &options).unwrap();
        assert!(past.holds() && !past.is_floating_point() && past.to_string().contains("multiples of 1/1000"));
    }
}
