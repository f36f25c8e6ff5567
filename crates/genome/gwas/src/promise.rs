//! The promise to the people of a cohort: the secrets, the bounds and the observers.

use deniable_core::adversary::{Adversary, AdversaryError, MovesTogether, PriorRange};
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{Rational, ratio};
use deniable_core::guarantee::{Guarantee, GuaranteeError, NotPlain, Subject};
use deniable_core::promise::{Promise, PromiseError};
use deniable_core::secret::Secret;
use deniable_core::text::meant_as_percentage;
use deniable_genome::CohortAdjacency;
use deniable_ledger::{Account, AccountId};
use deniable_policy::Policy;
use deniable_publication::Statement;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A promise, the people it is made to, and its ledger.
#[derive(Debug, Clone)]
pub struct CohortPromise {
    asker: String,
    ledger: PathBuf,
    /// The guarantee about membership; the guarantee about labels is the same.
    guarantee: Guarantee,
    confidence: Rational,
    /// The share of the promise that all charges on one version of the cohort may use together.
    per_version: Option<Rational>,
}

/// A promise that cannot be made to a cohort.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CohortPromiseError {
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] GuaranteeError),
    /// An invalid name of people or of an entity.
    #[error(transparent)]
    Name(#[from] NotPlain),
    /// Adversaries that no theorem covers.
    #[error(transparent)]
    Adversary(#[from] AdversaryError),
    /// A policy that protects the number of people.
    #[error(
        "the policy protects the number of people in the data, but association results reveal the numbers of cases and \
         controls"
    )]
    SizeProtected,
}

impl Diagnose for CohortPromiseError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let (set, option) = (|name, value| surface.set(name, value), |name| surface.option(name));
        let help = match self {
            Self::Promise(GuaranteeError::Promise(PromiseError::OutOfRange { value, name, .. }))
                if name.starts_with("posterior") && meant_as_percentage(value).is_some() =>
            {
                meant_as_percentage(value).map(|meant| format!("did you mean {meant}?")).unwrap_or_default()
            }
            Self::Promise(GuaranteeError::Nothing) => format!(
                "add {} (belief may at most double), {} with {}, or {}; or name a policy with {}",
                promise(surface, "gain", "2"),
                promise(surface, "posterior-at-most", "75%"),
                set("prior", "..1/2"),
                promise(surface, "epsilon", "1"),
                option("policy")
            ),
            Self::SizeProtected => format!(
                "set `knows_size = true` under [adversary] if these numbers are public, or state a promise in {} and another {}",
                if surface == Surface::Command { "flags" } else { "options" },
                option("population")
            ),
            Self::Promise(GuaranteeError::Promise(PromiseError::NeedsPriorBound { end, .. })) => {
                let (end, example) = if *end == "at_most" { ("above", "..1/2") } else { ("below", "1/2..") };
                format!(
                    "bound the prior belief from {end}, such as with {}; {} sets no bound",
                    set("prior", example),
                    set("prior", "any")
                )
            }
            Self::Promise(_) => {
                let [gain, prior] = [promise(surface, "gain", "2"), set("prior", "1/2")];
                let between = if surface == Surface::Command { " " } else { ", " };
                format!("for example {gain}{between}{prior}; a policy explains each promise (docs/reference/policy.md)")
            }
            Self::Adversary(_) | Self::Name(_) => String::new(),
        };
        vec![Diagnostic::new(Code::Usage, self).with_help(help)]
    }
}

/// A promise as the caller states it: `--gain 2`, `promise=dn.gain("2")`.
fn promise(surface: Surface, name: &str, value: &str) -> String {
    match surface {
        Surface::Python => format!("promise=dn.{}(\"{value}\")", name.replace('-', "_")),
        Surface::Command | Surface::Library => surface.set(name, value),
    }
}

/// The secrets that a release protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protects {
    /// Participation: one participant's genotypes are replaced by others; the labels (case or control) are public.
    Genotype,
    /// Labels: one case and one control exchange labels; the cohort is public.
    LabelSwap,
    /// Both.
    #[serde(rename = "genotype,label-swap")]
    Both,
}

impl Protects {
    /// The adjacency that determines distances and sensitivities. A label swap is two replacements of genotypes: the
    /// case gets the control's and the control the case's. So odds `r` about one genotype are at most `r²` about
    /// labels.
    #[must_use]
    pub fn adjacency(self) -> CohortAdjacency {
        match self {
            Self::Genotype | Self::Both => CohortAdjacency::Genotype,
            Self::LabelSwap => CohortAdjacency::LabelSwap,
        }
    }

    /// The secret that is named first.
    #[must_use]
    pub fn secret(self) -> Secret {
        match self {
            Self::Genotype | Self::Both => Secret::Membership,
            Self::LabelSwap => Secret::Label,
        }
    }

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Genotype => "genotype",
            Self::LabelSwap => "label-swap",
            Self::Both => "genotype,label-swap",
        }
    }

    /// A description in one sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Genotype => {
                "adjacency genotype: any one participant's genotypes could be replaced by any others; this protects that a person \
                 took part, and assumes that it is public who is a case"
            }
            Self::LabelSwap => {
                "adjacency label-swap: any one case and one control could exchange labels; this protects who is a case, and \
                 assumes that participation and all genotypes are public"
            }
            Self::Both => {
                "adjacency genotype,label-swap: any one participant's genotypes could be replaced by any others, and any one case \
                 and one control could exchange labels; this protects that a person took part, and who is a case"
            }
        }
    }
}

impl CohortPromise {
    /// A promise stated without a policy, against observers with prior beliefs in `priors`, who may know the numbers of
    /// cases and controls.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn new(
        population: String,
        ledger: PathBuf,
        priors: PriorRange,
        promises: Vec<Promise>,
    ) -> Result<Self, CohortPromiseError> {
        let adversary = Adversary::new(true, priors, MovesTogether::Alone)?;
        let subject = Subject::new(population, None)?;
        let guarantee = Guarantee::new(subject, Secret::Membership, adversary, None, promises)?;
        Ok(Self { asker: "gwas".to_owned(), ledger, guarantee, confidence: ratio(95, 100), per_version: None })
    }

    /// The promise of a policy, to the people of its ledger.
    ///
    /// # Errors
    /// If the policy protects the number of people.
    pub fn of_policy(policy: &Policy) -> Result<Self, CohortPromiseError> {
        if !policy.guarantee().adversary().knows_size() {
            return Err(CohortPromiseError::SizeProtected);
        }
        Ok(Self {
            asker: format!("{}/gwas", policy.name()),
            ledger: policy.ledger().to_owned(),
            guarantee: policy.guarantee().clone(),
            confidence: policy.confidence().clone(),
            per_version: policy.per_version().cloned(),
        })
    }

    /// The same promise with another ledger.
    #[must_use]
    pub fn in_ledger(self, ledger: &Path) -> Self {
        Self { ledger: ledger.to_owned(), ..self }
    }

    /// The same promise in a ledger: if its accounts identify people by a column of other data, every sample is assumed
    /// to be one of these people.
    ///
    /// # Errors
    /// Never: names in a ledger were validated when they were written.
    pub fn within(&self, accounts: &[Account]) -> Result<Self, NotPlain> {
        let (population, own) = (self.population(), self.guarantee.subject().entity());
        let of_these = |account: &&Account| account.id.universe == population;
        let entity = accounts.iter().filter(of_these).find_map(|account| account.id.entity.clone());
        let subject = Subject::new(population, own.map(str::to_owned).or(entity))?;
        Ok(Self { guarantee: self.guarantee.of(subject), ..self.clone() })
    }

    /// The name under which the ledger records its requests.
    #[must_use]
    pub fn asker(&self) -> &str {
        &self.asker
    }

    /// The people that the promise is made to.
    #[must_use]
    pub fn population(&self) -> &str {
        self.guarantee.subject().population()
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Path {
        &self.ledger
    }

    /// The coverage of intervals.
    #[must_use]
    pub fn confidence(&self) -> &Rational {
        &self.confidence
    }

    /// The share of the promise that all charges on one version of the cohort may use together; `None` without a limit.
    #[must_use]
    pub fn per_version(&self) -> Option<&Rational> {
        self.per_version.as_ref()
    }

    /// The guarantee about one of the secrets.
    #[must_use]
    pub fn guarantee(&self, secret: Secret) -> Guarantee {
        self.guarantee.about(secret)
    }

    /// The account of the ledger for one secret.
    #[must_use]
    pub fn account(&self, secret: Secret) -> AccountId {
        AccountId::of(&self.guarantee(secret))
    }

    /// The guarantee in words and numbers, for one of the protected secrets.
    #[must_use]
    pub fn statement(&self, protects: Protects, secret: Secret) -> Statement {
        let statement = Statement::assuming(&self.guarantee(secret), &assumptions(protects, secret));
        match (protects, secret) {
            (Protects::Both, Secret::Label) => statement.beside(self.guarantee(Secret::Membership)),
            (Protects::Both, Secret::Membership) => statement.beside(self.guarantee(Secret::Label)),
            _ => statement,
        }
    }
}

/// The assumptions about a cohort, in the account of a secret.
pub(crate) fn assumptions(protects: Protects, secret: Secret) -> Vec<String> {
    let person = "one sample is one person, and no person is in the files twice";
    let counts = "the numbers of cases and of controls are public, as are the SNPs, their order and that of their alleles \
                     in the files";
    let taken = match (protects, secret) {
        (Protects::Both, _) => "neither participation nor the labels (who is a case) are assumed to be public",
        (_, Secret::Membership) => "who is a case is public, for participants and for all other people",
        (_, Secret::Label) => "participation and all genotypes are public, and not protected",
    };
    [person, counts, taken].map(str::to_owned).to_vec()
}
