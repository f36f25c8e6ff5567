//! The page: controls above, pictures below. The server computes the contents for each choice.

use crate::card::DRAWS;
use crate::dial::{self, Dial};
use crate::view::{Explorer, exact};
use deniable_chart::palette;
use deniable_core::exact::{Rational, percent_exactly};
use deniable_publication::Confidence;
use maud::{DOCTYPE, PreEscaped, html};
use num_traits::{One, ToPrimitive, Zero};
use serde::Serialize;

/// The script of the page.
pub const SCRIPT: &str = include_str!("explore.js");
const STYLE: &str = include_str!("explore.css");

/// A control in the form for the page.
#[derive(Debug, Serialize)]
pub struct Control {
    key: &'static str,
    name: &'static str,
    /// Exact values, which the page sends back.
    values: Vec<String>,
    shown: Vec<String>,
}

/// Converts the controls to the form for the page.
pub fn dials(dials: &[Dial]) -> Vec<Control> {
    let control = |dial: &Dial| Control {
        key: dial.key,
        name: dial::name(dial.key),
        values: dial.values.iter().map(exact).collect(),
        shown: dial.values.iter().map(|value| dial::shown(dial.key, value)).collect(),
    };
    dials.iter().map(control).collect()
}

/// The positions of the controls for the policy as it was last read or written here.
#[derive(Debug, Serialize)]
pub struct OwnChoice {
    key: &'static str,
    value: String,
    low: u32,
    low_shown: String,
    high: u32,
    high_shown: String,
    /// The change that was written last and can be undone.
    written: Option<String>,
}

/// The positions of the controls for the policy's own promise.
pub fn own(explorer: &Explorer) -> OwnChoice {
    let file = explorer.file();
    let policy = file.plan.policy();
    let priors = policy.guarantee().adversary().priors();
    let whole = |share: &Rational| (share * deniable_core::exact::whole(100)).round().to_integer();
    let end = |end: &Rational, open: bool| if open { "any".to_owned() } else { percent_exactly(end) };
    let (key, value) = dial::current(policy);
    OwnChoice {
        key,
        value: exact(&value),
        low: whole(priors.low()).to_u32().unwrap_or(0),
        low_shown: end(priors.low(), priors.low().is_zero()),
        high: whole(priors.high()).to_u32().unwrap_or(100),
        high_shown: end(priors.high(), priors.high().is_one()),
        written: file.earlier.as_ref().map(|earlier| earlier.change.clone()),
    }
}

/// The page of a policy.
pub fn page(explorer: &Explorer) -> String {
    let plan = explorer.plan();
    let policy = plan.policy();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Without an icon here, browsers request /favicon.ico.
                link rel="icon" href="data:,";
                title { "Explore: " (policy.name()) }
                style { (PreEscaped(STYLE)) (PreEscaped(palette::style())) }
                script src="explore.js" defer {}
            }
            body {
                header {
                    h1 { "What would another promise cost? " span.muted { (policy.name()) } }
                    p.muted { "No data is read. Answers below are about made-up rows of the sizes that the policy states." }
                }
                noscript { p.refusal { "This page needs JavaScript. “deniable plan --sweep” has the same numbers as a table." } }
                main {
                    section.controls aria-label="Controls" {
                        div.control {
                            label for="kind" { "The promise" }
                            select #kind {}
                            input #value type="range" min="0" max="1" step="1" value="0" aria-describedby="value-shown"
                                aria-label="How much is promised";
                            output #value-shown for="value" {}
                        }
                        div.control {
                            label for="low" { "Beliefs beforehand, from" }
                            input #low type="range" min="0" max="95" step="5" value="0" aria-describedby="low-shown";
                            output #low-shown for="low" {}
                        }
                        div.control {
                            label for="high" { "to" }
                            input #high type="range" min="5" max="100" step="5" value="100" aria-describedby="high-shown";
                            output #high-shown for="high" {}
                        }
                        dl.read aria-label="Result" {
                            div { dt { "largest odds ratio" } dd #odds {} }
                            div { dt { "as ε, rounded up" } dd #epsilon {} }
                        }
                        div.change {
                            p #change role="status" {}
                            div.buttons {
                                button #write type="button" disabled { "Write into the policy" }
                                button #undo type="button" disabled { "Undo" }
                            }
                        }
                        p #status role="status" {}
                    }
                    section aria-labelledby="cost" {
                        h2 #cost { "What it costs in accuracy" }
                        p.muted {
                            "Errors hold with a confidence of " (Confidence::new(policy.confidence()))
                            ". Usable numbers are counted by the classes of released ones, in the worst of at most "
                            (DRAWS.0) " draws of the noise. " button #redraw type="button" { "Other noise" }
                        }
                        p #but-for {}
                        div #queries {}
                    }
                    section aria-labelledby="learn" {
                        h2 #learn { "What anyone can learn" }
                        p #sentence {}
                        div.pair { figure #belief {} figure #people {} }
                    }
                }
            }
        }
    }
    .into_string()
}
