//! The table of notions, each once. Sentences are about one mechanism and an observer of its answer.

use super::{BoundedQuantity, Entry, Notion, Parameter, PromiseSpelling, key};

const ODDS: BoundedQuantity =
    BoundedQuantity { name: "odds", symbol: "e^ε", example: "3", range: "odds of at least 1", least: 1, most: None };
const GAIN: BoundedQuantity =
    BoundedQuantity { name: "gain", symbol: "γ", example: "3/2", range: "a gain of at least 1", least: 1, most: None };
const BELIEF: BoundedQuantity = BoundedQuantity {
    name: "posterior",
    symbol: "c",
    example: "3/4",
    range: "a belief from 0 to 1",
    least: 0,
    most: Some(1),
};
const DELTA: BoundedQuantity =
    BoundedQuantity {
        name: "delta", symbol: "δ", example: "1/100", range: "a δ from 0 to 1", least: 0, most: Some(1)
    };
const CHANCE: BoundedQuantity = BoundedQuantity {
    name: "chance",
    symbol: "β*",
    example: "1/100",
    range: "a chance from 0 to 1",
    least: 0,
    most: Some(1),
};
const ALPHA: BoundedQuantity = BoundedQuantity {
    name: "alpha",
    symbol: "α",
    example: "1/2",
    range: "a part of a belief, from 0 to 1",
    least: 0,
    most: Some(1),
};
const BETA: BoundedQuantity = BoundedQuantity {
    name: "beta",
    symbol: "β",
    example: "1/2",
    range: "how far a belief rises: 0 or more",
    least: 0,
    most: None,
};

const PRIORS: &str = "a family of priors; any prior where none is stated";
const PUBLIC_SIZE: &str = "a public number of people";

const fn promised(key: &'static str) -> Option<PromiseSpelling> {
    Some(PromiseSpelling { key, beside: &[] })
}

/// An entry with names only.
const fn plain(notion: Notion, name: &'static str, title: &'static str, bounds: BoundedQuantity) -> Entry {
    Entry {
        notion,
        name,
        title,
        aliases: &[],
        form: name,
        bounds,
        parameters: &[],
        needs: "",
        theorem: "",
        page: "",
        promise: None,
        sentence: "",
    }
}

const DP: Entry = Entry {
    aliases: &[
        "unbounded-dp",
        "udp",
        key::EPSILON,
        "odds",
        "unbounded-epsilon",
        "unbounded-odds",
        "differential privacy",
        "unbounded differential privacy",
        "add-remove",
    ],
    theorem: "C-1",
    page: "unbounded-dp",
    promise: promised(key::EPSILON),
    sentence: "ε-differential privacy, one entity more or less (unbounded)",
    ..plain(Notion::Dp, "dp", "differential privacy", ODDS)
};

const POSITIVE_DP: Entry = Entry {
    aliases: &["dp-positive", "positive-epsilon", "positive-odds", "positive unbounded dp"],
    theorem: "C-1",
    page: "positive-dp",
    sentence: "ε-differential privacy for an entity that is added: no answer becomes likelier by a larger factor",
    ..plain(Notion::PositiveDp, "positive-dp", "positive differential privacy", ODDS)
};

const NEGATIVE_DP: Entry = Entry {
    aliases: &["dp-negative", "negative-epsilon", "negative-odds", "negative unbounded dp"],
    theorem: "C-1",
    page: "negative-dp",
    sentence: "ε-differential privacy for an entity that is removed: no answer becomes likelier by a larger factor",
    ..plain(Notion::NegativeDp, "negative-dp", "negative differential privacy", ODDS)
};

const BOUNDED_DP: Entry = Entry {
    aliases: &["bdp", "bounded-epsilon", "bounded-odds", "bounded differential privacy", "replace-one"],
    needs: PUBLIC_SIZE,
    theorem: "C-1",
    page: "bounded-dp",
    sentence: "ε-differential privacy, one entity exchanged for another",
    ..plain(Notion::BoundedDp, "bounded-dp", "bounded differential privacy", ODDS)
};

const DELTA_AT: Entry = Entry {
    aliases: &["approximate-dp", "epsilon-delta", "adp", "approximate differential privacy"],
    form: "delta:ODDS",
    parameters: &[Parameter::ODDS],
    theorem: "S-ADD",
    page: "approximate-dp",
    sentence: "the δ of (ε,δ)-differential privacy at e^ε = ODDS, one more or less",
    ..plain(Notion::Delta, "delta", "(ε,δ)-differential privacy, its δ", DELTA)
};

const BOUNDED_DELTA: Entry = Entry {
    form: "bounded-delta:ODDS",
    parameters: &[Parameter::ODDS],
    needs: PUBLIC_SIZE,
    theorem: "S-REP",
    page: "approximate-dp",
    sentence: "the δ of (ε,δ)-differential privacy at e^ε = ODDS, one exchanged",
    ..plain(Notion::BoundedDelta, "bounded-delta", "bounded (ε,δ)-differential privacy, its δ", DELTA)
};

const EPSILON_AT: Entry = Entry {
    form: "epsilon-at:DELTA",
    parameters: &[Parameter::DELTA],
    theorem: "S-ADD",
    page: "approximate-dp",
    sentence: "the e^ε of (ε,δ)-differential privacy at this δ, one more or less",
    ..plain(Notion::EpsilonAt, "epsilon-at", "(ε,δ)-differential privacy, its ε", ODDS)
};

const BOUNDED_EPSILON_AT: Entry = Entry {
    form: "bounded-epsilon-at:DELTA",
    parameters: &[Parameter::DELTA],
    needs: PUBLIC_SIZE,
    theorem: "S-REP",
    page: "approximate-dp",
    sentence: "the e^ε of (ε,δ)-differential privacy at this δ, one exchanged",
    ..plain(Notion::BoundedEpsilonAt, "bounded-epsilon-at", "bounded (ε,δ)-differential privacy, its ε", ODDS)
};

const CHANCE_AT: Entry = Entry {
    aliases: &["odds but for a chance"],
    form: "chance:ODDS",
    parameters: &[Parameter::ODDS],
    theorem: "B-7",
    page: "chance",
    sentence: "the chance that odds exceed ODDS, after any computation, one more or less",
    ..plain(Notion::Chance, "chance", "the chance of an event of larger odds", CHANCE)
};

const BOUNDED_CHANCE: Entry = Entry {
    form: "bounded-chance:ODDS",
    parameters: &[Parameter::ODDS],
    needs: PUBLIC_SIZE,
    theorem: "B-7",
    page: "chance",
    sentence: "the chance that odds exceed ODDS, after any computation, one exchanged",
    ..plain(Notion::BoundedChance, "bounded-chance", "the bounded chance of an event of larger odds", CHANCE)
};

const TAIL_AT: Entry = Entry {
    aliases: &["probabilistic-dp", "pdp", "probabilistic differential privacy"],
    form: "tail:ODDS",
    parameters: &[Parameter::ODDS],
    theorem: "E-7",
    page: "tail",
    sentence: "the chance that the output alone has odds above ODDS, one more or less; not kept by computation",
    ..plain(Notion::Tail, "tail", "probabilistic differential privacy, its chance", CHANCE)
};

const BOUNDED_TAIL: Entry = Entry {
    form: "bounded-tail:ODDS",
    parameters: &[Parameter::ODDS],
    needs: PUBLIC_SIZE,
    theorem: "E-7",
    page: "tail",
    sentence: "the chance that the output alone has odds above ODDS, one exchanged; not kept by computation",
    ..plain(Notion::BoundedTail, "bounded-tail", "bounded probabilistic differential privacy, its chance", CHANCE)
};

const PMP: Entry = Entry {
    aliases: &[key::GAIN, "gamma", "positive-membership", "positive membership privacy"],
    needs: PRIORS,
    theorem: "B-3",
    page: "PMP",
    promise: promised(key::GAIN),
    sentence: "positive membership privacy over a family: how far belief in presence may grow",
    ..plain(Notion::PositiveMembership, "pmp", "positive membership privacy", GAIN)
};

const NMP: Entry = Entry {
    aliases: &["negative-gain", "loss", "negative-membership", "negative membership privacy"],
    needs: PRIORS,
    theorem: "B-3n",
    page: "NMP",
    promise: promised(key::NEGATIVE_GAIN),
    sentence: "negative membership privacy over a family: how far belief in absence may grow",
    ..plain(Notion::NegativeMembership, "nmp", "negative membership privacy", GAIN)
};

const MEMBERSHIP: Entry = Entry {
    aliases: &["membership privacy"],
    needs: PRIORS,
    theorem: "B-3n",
    page: "PMP",
    sentence: "positive and negative membership privacy with one γ",
    ..plain(Notion::Membership, "membership", "membership privacy", GAIN)
};

const CEILING: Entry = Entry {
    aliases: &["posterior", "ceiling", "posterior ceiling"],
    needs: "an upper bound on prior beliefs (`prior.at_most`)",
    theorem: "B-4",
    page: "posterior",
    promise: promised(key::POSTERIOR_AT_MOST),
    sentence: "the highest belief in presence after an answer, over a family",
    ..plain(Notion::PosteriorAtMost, "posterior-at-most", "a ceiling on belief in presence", BELIEF)
};

const FLOOR: Entry = Entry {
    aliases: &["floor", "posterior floor"],
    needs: "a lower bound on prior beliefs (`prior.at_least`)",
    theorem: "B-4",
    page: "posterior",
    promise: promised(key::POSTERIOR_AT_LEAST),
    sentence: "the lowest belief in presence after an answer, over a family",
    ..plain(
        Notion::PosteriorAtLeast,
        "posterior-at-least",
        "a floor under belief in presence",
        BoundedQuantity { symbol: "f", example: "1/10", ..BELIEF },
    )
};

const RHO: Entry = Entry {
    aliases: &["rho-m", "identifiability", "differential identifiability", "(ρ,m)-identifiability"],
    form: "rho:M",
    parameters: &[Parameter::AMONG],
    needs: PUBLIC_SIZE,
    theorem: "B-5",
    page: "rho-m",
    promise: Some(PromiseSpelling { key: key::RHO, beside: &[key::AMONG] }),
    sentence: "(ρ,M)-differential identifiability: one of M equally likely entities",
    ..plain(
        Notion::Rho,
        "rho",
        "(ρ,m)-differential identifiability",
        BoundedQuantity { name: "rho", symbol: "ρ", ..BELIEF },
    )
};

const ALPHA_OF: Entry = Entry {
    form: "alpha:P_MIN",
    parameters: &[Parameter::P_MIN],
    needs: PUBLIC_SIZE,
    theorem: "B-6",
    page: "alpha-beta",
    sentence: "(α,β)-differential identifiability: how far belief in a world may fall",
    ..plain(Notion::Alpha, "alpha", "(α,β)-differential identifiability, its α", ALPHA)
};

const BETA_OF: Entry = Entry {
    form: "beta:P_MIN",
    parameters: &[Parameter::P_MIN],
    needs: PUBLIC_SIZE,
    theorem: "B-6",
    page: "alpha-beta",
    sentence: "(α,β)-differential identifiability: how far belief in a world may rise",
    ..plain(Notion::Beta, "beta", "(α,β)-differential identifiability, its β", BETA)
};

const ALPHA_BETA: Entry = Entry {
    aliases: &["(α,β)", "ab-di"],
    form: "alpha-beta:P_MIN..P_MAX",
    parameters: &[Parameter::P_MIN, Parameter::P_MAX],
    needs: PUBLIC_SIZE,
    theorem: "B-6",
    page: "alpha-beta",
    promise: Some(PromiseSpelling { key: key::ALPHA, beside: &[key::BETA] }),
    sentence: "(α,β)-differential identifiability: how far belief in a world may fall and rise",
    ..plain(
        Notion::AlphaBeta,
        "alpha-beta",
        "(α,β)-differential identifiability",
        BoundedQuantity { name: "alpha-beta", symbol: "α, β", example: "1/2,1/2", range: "an α and a β", ..ALPHA },
    )
};

const GROUP_PRIVACY: Entry = Entry {
    aliases: &["group", "people who move together"],
    form: "group-privacy:K",
    parameters: &[Parameter::SIZE],
    needs: "the size of the largest group",
    theorem: "F-NIk",
    page: "group-privacy",
    sentence: "odds for groups of up to K entities that may depend on each other",
    ..plain(Notion::GroupPrivacy, "group-privacy", "group privacy", ODDS)
};

const SAMPLING: Entry = Entry {
    aliases: &["dps", "I-DPS", "dp under sampling", "(β,ε)-dp under sampling"],
    form: "sampling:RATE",
    parameters: &[Parameter::RATE],
    needs: "that the sample is secret",
    theorem: "I-DPS",
    page: "I-DPS",
    sentence: "differential privacy after members were kept with this probability",
    ..plain(Notion::Sampling, "sampling", "differential privacy under sampling", ODDS)
};

const POSITIVE_SAMPLING: Entry = Entry {
    aliases: &["positive-dps", "positive dp under sampling", "(β,ε)-positive dps"],
    form: "positive-sampling:RATE",
    parameters: &[Parameter::RATE],
    needs: "that the sample is secret",
    theorem: "LQS13-5.10",
    page: "positive-dps",
    sentence: "differential privacy for an entity that is added, after members were kept with this probability",
    ..plain(Notion::PositiveSampling, "positive-sampling", "positive differential privacy under sampling", ODDS)
};

const SAMPLED_GAIN: Entry = Entry {
    form: "sampled-gain:RATE",
    parameters: &[Parameter::RATE],
    theorem: "F-DFβ",
    page: "PMP",
    sentence: "positive membership privacy where everyone is out for certain, or in with this probability",
    ..plain(Notion::SampledGain, "sampled-gain", "positive membership privacy over sampled priors", GAIN)
};

const UNIFORM_GAIN: Entry = Entry {
    theorem: "F-DN",
    page: "PMP",
    sentence: "positive membership privacy where everyone is as likely in as out",
    ..plain(Notion::UniformGain, "uniform-gain", "positive membership privacy under the uniform prior", GAIN)
};

const INDISTINGUISHABLE: Entry = Entry {
    aliases: &["indistinguishable privacy", "I-IND"],
    needs: PRIORS,
    theorem: "I-IND",
    page: "I-IND",
    sentence: "ε-indistinguishable privacy over a family: no belief, in presence or absence, is more than e^ε times what it becomes",
    ..plain(Notion::Indistinguishable, "indistinguishable", "indistinguishable privacy", ODDS)
};

const FREE_LUNCH: Entry = Entry {
    aliases: &["flp", "I-FLP", "free-lunch privacy"],
    theorem: "I-FLP",
    page: "I-FLP",
    sentence: "ε-free-lunch privacy: any two datasets",
    ..plain(Notion::FreeLunch, "free-lunch", "free-lunch privacy", ODDS)
};

const ZERO_KNOWLEDGE: Entry = Entry {
    aliases: &["zkp", "I-ZKP", "zero-knowledge privacy"],
    form: "zero-knowledge:K",
    parameters: &[Parameter::ROWS],
    theorem: "I-ZKP",
    page: "I-ZKP",
    sentence: "ε-zero-knowledge privacy: a simulator sees K random members of the others",
    ..plain(Notion::ZeroKnowledge, "zero-knowledge", "zero-knowledge privacy", ODDS)
};

const ZERO_KNOWLEDGE_ROWS: Entry = Entry {
    aliases: &["zkp-rows", "I-ZKR", "zero-knowledge privacy as published"],
    form: "zero-knowledge-rows:K",
    parameters: &[Parameter::ROWS],
    theorem: "I-ZKR",
    page: "I-ZKR",
    sentence: "ε-zero-knowledge privacy as published: a simulator sees K random rows of all, ⊥ where an entity is missing",
    ..plain(Notion::ZeroKnowledgeRows, "zero-knowledge-rows", "zero-knowledge privacy with rows of ⊥", ODDS)
};

const CROWD_BLENDING: Entry = Entry {
    aliases: &["cbp", "I-CBP", "crowd-blending privacy"],
    form: "crowd-blending:K",
    parameters: &[Parameter::CROWD],
    theorem: "I-CBP",
    page: "I-CBP",
    sentence: "(K,ε)-crowd-blending privacy",
    ..plain(Notion::CrowdBlending, "crowd-blending", "crowd-blending privacy", ODDS)
};

const INDUCED_NEIGHBOURS: Entry = Entry {
    aliases: &["induced", "induced neighbors", "induced neighbour privacy", "constraints", "I-INP"],
    needs: "the datasets that public constraints allow",
    theorem: "I-INP",
    page: "I-INP",
    sentence: "ε-differential privacy between allowed datasets that no smaller set of moves joins",
    ..plain(Notion::InducedNeighbours, "induced-neighbours", "privacy between induced neighbours", ODDS)
};

const INDUCED_EXCHANGE: Entry = Entry {
    aliases: &["induced neighbours with exchange"],
    needs: "the datasets that public constraints allow",
    theorem: "I-INX",
    page: "I-INP",
    sentence: "the same as induced-neighbours where to exchange one entity for another is one move",
    ..plain(
        Notion::InducedExchange,
        "induced-exchange",
        "privacy between induced neighbours, with exchange as a move",
        ODDS,
    )
};

const BAYES_OPTIMAL: Entry = Entry {
    aliases: &["bop", "bayes-optimal privacy", "epsilon-bop", "I-BOP"],
    needs: "how sensitive values are distributed for given quasi-identifiers",
    theorem: "I-BOP",
    page: "I-BOP",
    sentence: "ε-Bayes-optimal privacy of a table: no belief is more than e^ε times what it becomes",
    ..plain(Notion::BayesOptimal, "bayes-optimal", "Bayes-optimal privacy", ODDS)
};

const BAYES_OPTIMAL_TWO_SIDED: Entry = Entry {
    aliases: &["epsilon-bop-two-sided"],
    needs: "how sensitive values are distributed for given quasi-identifiers",
    theorem: "I-BOP",
    page: "I-BOP",
    sentence: "ε-Bayes-optimal privacy of a table: no belief changes by more than e^ε, up or down",
    ..plain(Notion::BayesOptimalTwoSided, "bayes-optimal-two-sided", "Bayes-optimal privacy, two-sided", ODDS)
};

const SEMI_HONEST: Entry = Entry {
    aliases: &["smc", "multi-party", "semi-honest privacy", "I-SMC"],
    needs: "a protocol of two parties",
    theorem: "I-SMC",
    page: "I-SMC",
    sentence: "ε-privacy against a semi-honest party: what it sees can be simulated from its input and output",
    ..plain(Notion::SemiHonest, "semi-honest", "privacy against semi-honest parties", ODDS)
};

const SEMI_HONEST_BOTH: Entry = Entry {
    needs: "a protocol of two parties",
    theorem: "I-SMC",
    page: "I-SMC",
    sentence: "ε-privacy against a semi-honest party, the simulation near the view in both directions",
    ..plain(Notion::SemiHonestBoth, "semi-honest-both", "privacy against semi-honest parties, two-sided", ODDS)
};

pub(super) const fn entry(notion: Notion) -> &'static Entry {
    match notion {
        Notion::Dp => &DP,
        Notion::PositiveDp => &POSITIVE_DP,
        Notion::NegativeDp => &NEGATIVE_DP,
        Notion::BoundedDp => &BOUNDED_DP,
        Notion::Delta => &DELTA_AT,
        Notion::BoundedDelta => &BOUNDED_DELTA,
        Notion::EpsilonAt => &EPSILON_AT,
        Notion::BoundedEpsilonAt => &BOUNDED_EPSILON_AT,
        Notion::Chance => &CHANCE_AT,
        Notion::BoundedChance => &BOUNDED_CHANCE,
        Notion::Tail => &TAIL_AT,
        Notion::BoundedTail => &BOUNDED_TAIL,
        Notion::PositiveMembership => &PMP,
        Notion::NegativeMembership => &NMP,
        Notion::Membership => &MEMBERSHIP,
        Notion::PosteriorAtMost => &CEILING,
        Notion::PosteriorAtLeast => &FLOOR,
        Notion::Rho => &RHO,
        Notion::Alpha => &ALPHA_OF,
        Notion::Beta => &BETA_OF,
        Notion::AlphaBeta => &ALPHA_BETA,
        Notion::GroupPrivacy => &GROUP_PRIVACY,
        Notion::Sampling => &SAMPLING,
        Notion::PositiveSampling => &POSITIVE_SAMPLING,
        Notion::SampledGain => &SAMPLED_GAIN,
        Notion::UniformGain => &UNIFORM_GAIN,
        Notion::Indistinguishable => &INDISTINGUISHABLE,
        Notion::FreeLunch => &FREE_LUNCH,
        Notion::ZeroKnowledge => &ZERO_KNOWLEDGE,
        Notion::ZeroKnowledgeRows => &ZERO_KNOWLEDGE_ROWS,
        Notion::CrowdBlending => &CROWD_BLENDING,
        Notion::InducedNeighbours => &INDUCED_NEIGHBOURS,
        Notion::InducedExchange => &INDUCED_EXCHANGE,
        Notion::BayesOptimal => &BAYES_OPTIMAL,
        Notion::BayesOptimalTwoSided => &BAYES_OPTIMAL_TWO_SIDED,
        Notion::SemiHonest => &SEMI_HONEST,
        Notion::SemiHonestBoth => &SEMI_HONEST_BOTH,
    }
}
