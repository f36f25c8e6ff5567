//! The adversaries of indistinguishable privacy (LXL Definition 1, Table 1 and section 3): their knowledge, the
//! protected information, and the observed operation.
//!
//! The definition is one inequality for all of them, `P(SI|BK) ≤ e^ε·P(SI|BK,OK)`; they differ in these three parts.
//! LXL claims that each row *is* the notion beside it; [`Case`] states what holds (I-IND, E-5).

use super::Notion;

/// Whether the inequality of a row is the notion beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// The same, with the same ε, over the family of priors of this name in `check --family`.
    Over(&'static str),
    /// The same, for the objects named here.
    Of(&'static str),
    /// Not the same, for this reason.
    Not(&'static str),
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adversary {
    /// The notion that LXL maps to this adversary.
    pub notion: Notion,
    /// Background knowledge (BK): what is known before the operation.
    pub background: &'static str,
    /// Sensitive information (SI): the protected information.
    pub sensitive: &'static str,
    /// Operation knowledge (OK): what the operation shows.
    pub operation: &'static str,
    /// Whether the inequality is the notion.
    pub case: Case,
    /// The place in LXL.
    pub source: &'static str,
}

const fn row(
    notion: Notion,
    [background, sensitive, operation]: [&'static str; 3],
    case: Case,
    source: &'static str,
) -> Adversary {
    Adversary { notion, background, sensitive, operation, case, source }
}

/// Every adversary, in the paper's order.
pub const ADVERSARIES: [Adversary; 7] = [
    row(
        Notion::BayesOptimal,
        ["data that quasi-identifiers link to the table", "a person's sensitive attributes", "the anonymised table"],
        Case::Of("generalised tables, which `deniable assess` measures"),
        "LXL Table 1",
    ),
    row(
        Notion::Dp,
        ["all of the data but one person", "whether that person is in", "an answer about the data"],
        Case::Over("two-datasets"),
        "LXL Table 1",
    ),
    row(
        Notion::SemiHonest,
        ["the party's own input and output", "the other party's input and output", "what the other party sends"],
        Case::Not("the simulator is compared with the view, and information in the output is allowed"),
        "LXL Table 1",
    ),
    row(
        Notion::FreeLunch,
        ["any subset of the data without the person", "whether that person is in", "an answer about any dataset"],
        Case::Over("all"),
        "LXL section 3.1",
    ),
    row(
        Notion::ZeroKnowledge,
        ["any k members other than the person", "whether that person is in", "an answer about the data"],
        Case::Not("a simulator can be nearer than beliefs move"),
        "LXL section 3.2",
    ),
    row(
        Notion::CrowdBlending,
        [
            "a particular crowd of k − 1 members",
            "whether that person is in",
            "an answer about the crowd and the person",
        ],
        Case::Not("an answer may reveal a crowd and identify one of its members"),
        "LXL section 3.3",
    ),
    row(
        Notion::InducedNeighbours,
        [
            "that one of two datasets which constraints allow is the data",
            "which of the two it is",
            "an answer about the data",
        ],
        Case::Of("observers who hesitate between two induced neighbours"),
        "LXL section 3.5",
    ),
];
