//! Papers about a release in plain words, as Markdown: a method note, a statement for an ethics board, and answers to the
//! questions of a guideline. Everything in them follows from the policy, the ledger's account and released answers.

use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rounding, percent};
use deniable_core::guarantee::Guarantee;
use deniable_core::schema::Column;
use deniable_core::text::printable;
use deniable_ledger::Account;
use deniable_policy::Policy;
use deniable_publication::remaining::RemainingBudget;
use deniable_publication::statement::beliefs_so_far;
use deniable_publication::statement::examples;
use deniable_publication::{Answer, Confidence, Statement};

/// A paper about a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    /// How the numbers were made and how to read them, for their readers.
    MethodNote,
    /// What the people in the data risk, for an ethics board.
    EthicsStatement,
    /// The questions of NIST SP 800-226, "Guidelines for Evaluating Differential Privacy Guarantees".
    Nist800226,
}

/// The contents of papers.
pub(crate) struct Contents<'a> {
    pub policy: &'a Policy,
    /// The account, if anything was charged to it.
    pub account: Option<&'a Account>,
    /// The released answers of the policy.
    pub answers: &'a [Answer],
    pub confidence: Confidence,
}

/// Markdown that is written line by line.
#[derive(Default)]
struct Markdown(String);

/// A text without Markdown's signs, which would become links, headings or HTML. Between pairs of single backquotes is code;
/// other backquotes are no pairs, and are signs themselves.
fn escaped(text: &str) -> String {
    let text = printable(text);
    let has_code = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut written = String::new();
    let mut is_code = false;
    for sign in text.chars() {
        if sign == '`' && has_code {
            is_code = !is_code;
        } else if !is_code && matches!(sign, '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&' | '`') {
            written.push('\\');
        }
        written.push(sign);
    }
    written
}

impl Markdown {
    fn heading(&mut self, level: usize, text: &str) {
        let gap = if self.0.is_empty() { "" } else { "\n" };
        self.0.push_str(&format!("{gap}{} {}\n\n", "#".repeat(level), escaped(text)));
    }

    fn paragraph(&mut self, text: &str) {
        self.0.push_str(&format!("{}\n\n", escaped(text)));
    }

    fn list<T: AsRef<str>>(&mut self, items: impl IntoIterator<Item = T>) {
        let before = self.0.len();
        for item in items {
            self.0.push_str(&format!("- {}\n", escaped(item.as_ref())));
        }
        if self.0.len() > before {
            self.0.push('\n');
        }
    }

    fn code(&mut self, text: &str) {
        let lines = text.trim().lines().map(|line| format!("    {}\n", printable(line)));
        self.0.push_str(&format!("{}\n", lines.collect::<String>()));
    }

    fn done(self) -> String {
        format!("{}\n", self.0.trim_end())
    }
}

impl Contents<'_> {
    /// Writes a paper.
    pub(crate) fn write(&self, paper: Paper) -> String {
        match paper {
            Paper::MethodNote => self.method_note(),
            Paper::EthicsStatement => self.ethics_statement(),
            Paper::Nist800226 => self.nist_800_226(),
        }
    }

    fn title(&self) -> String {
        let population = self.policy.population();
        let title = self.policy.imprint().title.as_deref().map(plain);
        title.unwrap_or_else(|| format!("Releases about {population}"))
    }

    /// The guarantee in force: that of the ledger, which an edited policy does not change.
    fn guarantee(&self) -> &Guarantee {
        self.account.map_or_else(|| self.policy.guarantee(), |account| &account.guarantee)
    }

    fn statement(&self) -> Statement {
        Statement::of(self.guarantee())
    }

    fn facts(&self, text: &mut Markdown) {
        let data = self.policy.data();
        let stated = self.policy.imprint().facts().map(|(name, fact)| format!("{name}: {}", plain(fact)));
        text.list(stated.chain([format!("data: table `{}`, version \"{}\"", data.table, plain(&data.version))]));
    }

    fn method_note(&self) -> String {
        let mut text = Markdown::default();
        text.heading(1, &format!("Method note: {}", self.title()));
        self.facts(&mut text);
        text.heading(2, "What was published");
        if self.answers.is_empty() {
            text.paragraph("Nothing was released yet. These queries are planned:");
            text.list(self.planned());
        }
        for answer in self.answers {
            text.heading(3, &plain(answer.title()));
            if let Some(withdrawn) = &answer.withdrawn {
                text.paragraph(&format!("Withdrawn: {}.", plain(&withdrawn.to_string())));
            }
            text.code(&answer.sql);
            text.list(answer.noise.iter().map(|noise| noise.sentence(&self.confidence)));
            text.list(&answer.warnings);
        }
        text.list(self.further());
        text.heading(2, "How the people in the data are protected");
        text.paragraph(&format!(
            "Sums and counts were computed exactly and then changed by random noise; medians and other ranked values were \
             chosen at random near their rank. The noise was drawn once from the operating system's generator, and its \
             distribution depends on the policy and the query alone. The unit of protection: {}.",
            self.unit()
        ));
        text.list(self.limits());
        self.promise(&mut text);
        text.heading(2, "How to read the numbers");
        text.paragraph(&format!(
            "An interval contains the number without noise in {} of all cases. It does not account for rows and values that \
             caps and bounds leave out, nor for the error of a sample. Numbers may be negative or not add up where noise is \
             large, unless the policy rounds, hides or adjusts them.",
            self.confidence
        ));
        if let Some(classes) = self.answers.iter().find_map(|answer| answer.classes.as_ref()) {
            text.paragraph(&format!("{classes}."));
        }
        text.heading(2, "What was spent");
        text.list(self.spending());
        text.done()
    }

    fn ethics_statement(&self) -> String {
        let guarantee = self.guarantee();
        let mut text = Markdown::default();
        text.heading(1, &format!("Statement on the protection of people: {}", self.title()));
        self.facts(&mut text);
        text.heading(2, "Who is protected, and from what");
        text.paragraph(&format!(
            "Everyone in \"{}\"; {}. An observer may try to learn from the published numbers whether a given person is {}.",
            guarantee.subject().population(),
            self.unit(),
            guarantee.secret().of_one()
        ));
        self.promise(&mut text);
        text.heading(2, "What a person risks at most");
        text.list(self.statement().beliefs_in_words());
        if let Some(account) = self.account {
            text.paragraph("By everything that was released so far:");
            let priors = examples(guarantee.adversary().priors());
            text.list(beliefs_so_far(&account.spent, &priors).iter().map(|belief| belief.sentence()));
        }
        text.heading(2, "What is not protected");
        text.list(self.statement().outside());
        text.heading(2, "Who sees the data themselves");
        text.paragraph(
            "The rows are read where the release is computed, by the curator. The messages of `deniable data check` about \
             the rows are for the curator alone and must not be passed on. The ledger contains released numbers, hashes of the \
             data and all charges; its key must stay secret.",
        );
        text.heading(2, "How further releases are limited");
        text.list(self.spending());
        text.paragraph(
            "Every release about these people is charged to one ledger before anything is computed, and is refused when the \
             promise in force would not be kept. The curator can change the promise, which the ledger records. People who can read \
             the rows can publish them in other ways: the promise covers only the releases of this ledger.",
        );
        if let Some(contact) = &self.policy.imprint().contact {
            text.paragraph(&format!("Contact: {}", plain(contact)));
        }
        text.done()
    }

    fn nist_800_226(&self) -> String {
        let guarantee = self.guarantee();
        let mut text = Markdown::default();
        text.heading(1, &format!("{}: answers to the questions of NIST SP 800-226", self.title()));
        text.paragraph(
            "The guideline asks for the facts below before a claim of differential privacy is relied on. Questions that only \
             the publisher's organisation can answer are marked TO BE ANSWERED.",
        );
        self.facts(&mut text);
        let mut ask = |question: &str, answers: Vec<String>| {
            text.heading(2, question);
            text.list(answers);
        };
        ask(
            "What is the privacy parameter, and how strong is the guarantee?",
            [
                vec![format!(
                    "all releases together: an odds ratio of at most {}, pure differential privacy (δ = 0)",
                    guarantee.limit().with_epsilon()
                )],
                self.statement().beliefs_in_words(),
            ]
            .concat(),
        );
        let neighbours = match guarantee.adjacency() {
            Adjacency::AddRemove => "data sets that differ in the rows of one person (add or remove)",
            Adjacency::ReplaceOne => "data sets of the same size in which one person is replaced (bounded)",
        };
        ask(
            "What is the unit of privacy?",
            vec![
                self.unit(),
                format!("neighbours are {neighbours}"),
                format!("people who may move together: {}", guarantee.group()),
            ],
        );
        ask(
            "Who is the adversary?",
            [guarantee.adversary_in_words(), vec!["the guarantee by theorem ".to_owned() + guarantee.theorem()]]
                .concat(),
        );
        ask("What does the guarantee assume?", self.statement().assumptions());
        ask("What is outside the guarantee?", self.statement().outside());
        ask(
            "In which trust model are the numbers computed?",
            vec![
                "central: the curator has the rows, computes exact totals and adds noise before anything is shown"
                    .to_owned(),
            ],
        );
        ask("Which queries are answered, and with which mechanisms?", self.mechanisms());
        ask(
            "How is one person's contribution bounded?",
            [self.limits(), vec!["caps and bounds are stated in the policy; whether they were chosen without a look at the rows is TO BE ANSWERED \
                     by the publisher"
                        .to_owned()]]
                .concat(),
        );
        ask(
            "How accurate are the results?",
            vec![
                format!(
                    "numbers have an interval of their noise at {} and a class of quality; ranked values an error in rows",
                    self.confidence
                ),
                "`deniable plan` predicts the errors from the policy alone".to_owned(),
            ],
        );
        ask(
            "Which biases are known?",
            [
                vec![
                    "caps and bounds leave out rows and values of people with many rows or extreme values; groups of few people \
                     have the largest relative errors"
                        .to_owned(),
                ],
                self.notes(),
            ]
            .concat(),
        );
        ask(
            "How is the budget managed?",
            [self.spending(), vec!["charges precede computation, in one ledger with a hash chain".to_owned()]].concat(),
        );
        ask(
            "Are floating-point numbers a risk?",
            vec!["sums are integers, noise is exact and discrete, and parameters are rational; arithmetic on single rows may use \
                 floating point before rows are added up, which changes what is counted and not the guarantee"
                    .to_owned()],
        );
        ask(
            "Which side channels are known?",
            vec![
                "groups are declared and not discovered; errors, prices and plans do not depend on private rows".to_owned(),
                "what is not defended against, such as the time that a query takes, is in KNOWN-VULNERABILITIES of the project".to_owned(),
            ],
        );
        ask(
            "How are the data collected, stored and accessed?",
            vec![
                "TO BE ANSWERED by the publisher: consent, storage, access control, retention, staff".to_owned(),
                "the ledger, its key and its backups need the same care as the rows".to_owned(),
            ],
        );
        text.done()
    }

    /// The unit that counts as one person.
    fn unit(&self) -> String {
        deniable_publication::statement::person(self.guarantee())
    }

    fn promise(&self, text: &mut Markdown) {
        let statement = self.statement();
        text.heading(2, "What is promised");
        text.list(statement.promises());
        text.paragraph("This holds against observers of this kind, for everything released here together:");
        text.list(statement.guarantee().adversary_in_words());
        text.paragraph("It rests on these assumptions:");
        text.list(statement.assumptions());
    }

    /// The bounds on what one person contributes.
    fn limits(&self) -> Vec<String> {
        let caps = self.policy.entity().map(|entity| {
            format!(
                "of one person, at most this many rows count in a group: {}; and this many groups: {}; unless a table or a query \
                 states others, or takes one row of each person",
                entity.caps.rows_per_group, entity.caps.groups
            )
        });
        let bounds = self.policy.tables().into_iter().flat_map(|table| {
            let of = move |column: &Column| {
                // Bounds of days are counted from 1970, which is no reading for a person.
                let bounds = column.bounds.as_ref().filter(|_| column.kind.is_number())?;
                Some(format!(
                    "`{}.{}`: in sums and averages, values below {} or above {} count as these bounds",
                    table.data.table,
                    column.name,
                    bounds.low(),
                    bounds.high()
                ))
            };
            table.columns.iter().filter_map(of).collect::<Vec<_>>()
        });
        caps.into_iter().chain(bounds).collect()
    }

    /// The queries with their noise.
    fn mechanisms(&self) -> Vec<String> {
        if self.answers.is_empty() {
            return self.planned().into_iter().map(|query| format!("planned: {query}")).collect();
        }
        let of = |answer: &Answer| {
            let noises =
                answer.noise.iter().map(|noise| noise.sentence(&self.confidence)).collect::<Vec<_>>().join("; ");
            let withdrawn = if answer.withdrawn.is_some() { " (withdrawn)" } else { "" };
            let (title, sql) = (plain(answer.title()), one_line(&answer.sql));
            format!("{title}{withdrawn}: `{sql}`: share {} of the promise; {noises}", answer.share)
        };
        self.answers.iter().map(of).chain(self.further()).collect()
    }

    /// The queries of the policy, before a release.
    fn planned(&self) -> Vec<String> {
        let queries = self.policy.queries().iter();
        queries.map(|query| format!("{}: `{}`", plain(&query.name), one_line(&query.sql))).collect()
    }

    /// The number of charges about these people that are not answers of the policy about this version.
    fn further(&self) -> Option<String> {
        let charges = self.account.map_or(0, |account| account.releases.len());
        let further = charges.saturating_sub(self.answers.len());
        (further > 0).then(|| {
            format!(
                "{further} further charges about these people, of other queries, advice or versions, which `deniable ledger show` \
                 lists; what was spent includes them"
            )
        })
    }

    /// The notes on all answers, each once.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for note in self.answers.iter().flat_map(|answer| &answer.warnings) {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        notes
    }

    fn spending(&self) -> Vec<String> {
        let policy = self.policy;
        let limit = self.guarantee().limit();
        let part = percent(policy.spend(), 1, Rounding::Up);
        let mut lines = vec![
            format!("the promise allows an odds ratio of {} in all", limit.in_words()),
            format!("this policy may use {} of it ({part})", policy.spend()),
        ];
        lines.extend(policy.per_version().map(|part| format!("each version of the data may use {part} of it")));
        lines.extend(self.account.iter().flat_map(|account| &account.changes).map(|change| {
            let weaker = if change.weaker { ", which is weaker" } else { "" };
            format!(
                "the promise was changed from {} to {}{weaker}; reason: {}",
                change.from,
                change.to,
                plain(&change.reason)
            )
        }));
        lines.extend(self.account.iter().flat_map(|account| {
            let left = RemainingBudget::new(account.spent.clone(), account.limit());
            [format!("spent: an odds ratio of {}", account.spent.in_words()), format!("left: {left}")]
        }));
        lines
    }
}

/// The SQL in one line, for a code span.
fn one_line(sql: &str) -> String {
    plain(&sql.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A text of the policy without backquotes, which would end a code span.
fn plain(text: &str) -> String {
    text.replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_no_markup() {
        for (text, written) in [
            ("a <b> [c](d) `e<f>`", "a \\<b\\> \\[c\\](d) `e<f>`"),
            ("odd ` <b>", "odd \\` \\<b\\>"),
            ("`a``<b>```", "\\`a\\`\\`\\<b\\>\\`\\`\\`"),
        ] {
            assert_eq!(escaped(text), written);
        }
    }
}
