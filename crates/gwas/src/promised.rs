//! What is promised to the people of a cohort, about what, against whom.

use deniable_core::adversary::{Adversary, AdversaryError, MovesTogether, Preset, PriorRange};
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, ratio};
use deniable_core::promise::{Promise, PromiseError, binding};
use deniable_core::secret::Secret;
use deniable_core::words;
use deniable_genome::Adjacency;
use deniable_ledger::{Account, AccountId, Terms};
use deniable_policy::Policy;
use deniable_publication::{Guarantee, Subject};
use std::path::PathBuf;

/// A promise, the people it is made to, and where it is kept.
#[derive(Debug, Clone)]
pub struct Promised {
    /// Who asks, as the ledger knows it.
    pub asker: String,
    /// The people.
    pub population: String,
    /// The ledger.
    pub ledger: PathBuf,
    /// The column that tells people apart in other data about them, where there is some.
    pub entity: Option<String>,
    /// From whom it is kept: people who know how many cases and how many controls there are.
    pub adversary: Adversary,
    /// The preset that the adversary started from.
    pub preset: Option<Preset>,
    /// What is promised; all of it is kept.
    pub promises: Vec<Promise>,
    /// The largest odds ratio that keeps all of it, over everything ever released.
    pub limit: Spend,
    /// The theorem that turned the binding promise into it.
    pub theorem: &'static str,
    /// The coverage of intervals.
    pub confidence: Rational,
}

/// A promise that cannot be made to a cohort.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromisedError {
    /// Nothing is promised.
    #[error("nothing says how much may be learned")]
    Nothing,
    /// A promise that cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// No theorem covers these adversaries.
    #[error(transparent)]
    Adversary(#[from] AdversaryError),
    /// A policy that protects how many people there are.
    #[error(
        "the policy protects how many people are in the data, and association results tell how many cases and controls there \
         are"
    )]
    SizeProtected,
}

/// What a release protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protects {
    /// That a person took part: one participant's genotypes are replaced by others, and who is a case is public.
    Genotype,
    /// Who is a case: one case and one control exchange labels, and the cohort is public.
    LabelSwap,
    /// Both.
    Both,
}

impl Protects {
    /// The adjacency that distances and sensitivities follow. A label swap is two replacements of genotypes: the case gets the
    /// control's and the control the case's. So odds `r` about one genotype are at most `r²` about labels.
    #[must_use]
    pub fn adjacency(self) -> Adjacency {
        match self {
            Self::Genotype | Self::Both => Adjacency::Genotype,
            Self::LabelSwap => Adjacency::LabelSwap,
        }
    }

    /// The secret that is spoken of first.
    #[must_use]
    pub fn secret(self) -> Secret {
        match self {
            Self::Genotype | Self::Both => Secret::Membership,
            Self::LabelSwap => Secret::Label,
        }
    }

    /// As it is written on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Genotype => "genotype",
            Self::LabelSwap => "label-swap",
            Self::Both => "genotype,label-swap",
        }
    }

    /// In one sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Genotype => {
                "adjacency genotype: any one participant's genotypes could be replaced by anyone's; it protects that a person \
                 took part, and takes who is a case to be public"
            }
            Self::LabelSwap => {
                "adjacency label-swap: any one case and one control could exchange labels; it protects who is a case, and takes \
                 who took part, with all genotypes, to be public"
            }
            Self::Both => {
                "adjacency genotype,label-swap: any one participant's genotypes could be replaced by anyone's, and any one case \
                 and one control could exchange labels; it protects that a person took part, and who is a case"
            }
        }
    }
}

impl Promised {
    /// A promise stated without a policy, against anyone whose belief beforehand was in `priors`, and who may know how many
    /// cases and controls there are.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn new(
        population: String,
        ledger: PathBuf,
        priors: PriorRange,
        promises: Vec<Promise>,
    ) -> Result<Self, PromisedError> {
        let (theorem, limit) = match binding(&promises, &priors, true)? {
            Some((promise, limit)) => (promise.theorem(), limit),
            None => return Err(PromisedError::Nothing),
        };
        Ok(Self {
            asker: "gwas".to_owned(),
            population,
            ledger,
            entity: None,
            adversary: Adversary::new(true, priors, MovesTogether::Alone)?,
            preset: None,
            promises,
            limit,
            theorem,
            confidence: ratio(95, 100),
        })
    }

    /// The promise of a policy, to the people of its ledger.
    ///
    /// # Errors
    /// When the policy protects the number of people.
    pub fn of_policy(policy: &Policy) -> Result<Self, PromisedError> {
        if !policy.adversary.knows_size() {
            return Err(PromisedError::SizeProtected);
        }
        let theorem = policy.promises.get(policy.binding).map(Promise::theorem).ok_or(PromisedError::Nothing)?;
        Ok(Self {
            asker: format!("{}/gwas", policy.name),
            population: policy.population.clone(),
            ledger: policy.ledger.clone(),
            entity: policy.entity.as_ref().map(|entity| entity.key.clone()),
            adversary: policy.adversary.clone(),
            preset: policy.preset,
            promises: policy.promises.clone(),
            limit: policy.limit.clone(),
            theorem,
            confidence: policy.confidence.clone(),
        })
    }

    /// The same promise in a ledger: where its accounts tell people apart by a column of other data, every sample is taken to
    /// be one of these people.
    #[must_use]
    pub fn within(&self, accounts: &[Account]) -> Self {
        let of_these = |account: &&Account| account.id.universe == self.population;
        let entity = accounts.iter().filter(of_these).find_map(|account| account.id.entity.clone());
        Self { entity: self.entity.clone().or(entity), ..self.clone() }
    }

    /// The account of the ledger for one kind of secret.
    #[must_use]
    pub fn account(&self, kind: Secret) -> AccountId {
        AccountId {
            universe: self.population.clone(),
            kind,
            entity: self.entity.clone(),
            adjacency: self.adversary.adjacency(),
        }
    }

    /// What an account promises.
    #[must_use]
    pub fn terms(&self) -> Terms {
        let promises: Vec<String> = self.promises.iter().map(ToString::to_string).collect();
        Terms {
            promise: promises.join("; "),
            adversary: self.adversary.family(),
            limit: self.limit.clone(),
            group: self.adversary.moves_together().size(),
        }
    }

    /// The odds ratio of one person's change, where groups of people may be known to move together (F-NIk).
    pub(crate) fn of_one(&self, odds: &Spend) -> Result<Spend, SpendError> {
        odds.share(&ratio(1, i64::from(self.adversary.moves_together().size())))
    }

    /// The guarantee in words and numbers, about one of the secrets that are protected.
    #[must_use]
    pub fn guarantee(&self, protects: Protects, secret: Secret) -> Guarantee {
        let person = "one sample is one person, and nobody stands in the files twice";
        let counts = "how many cases and how many controls there are is public, as are the SNPs, their order and that of their \
                      alleles in the files";
        let taken = match (protects, secret) {
            (Protects::Both, _) => "neither who took part nor who is a case is taken to be public",
            (_, Secret::Membership) => "who is a case is public, and known of everybody in question",
            (_, Secret::Label) => "who took part is public, with all genotypes; neither is protected",
        };
        let mut guarantee = Guarantee::about(&Subject {
            population: &self.population,
            secret,
            assumptions: [person, counts, taken].map(str::to_owned).to_vec(),
            adversary: &self.adversary,
            preset: self.preset,
            promises: &self.promises,
            limit: &self.limit,
            theorem: self.theorem,
        });
        if protects == Protects::Both {
            // Of both secrets the same is promised, and each reader should find their own.
            let other = if secret == Secret::Label { Secret::Membership } else { Secret::Label };
            let said = self.promises.iter().map(|promise| words::promise(promise, true, other));
            guarantee.promises.extend(said);
        }
        guarantee
    }
}
