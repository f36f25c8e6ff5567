//! The SNPs that a released table, a reference and targets share, with the same allele counted in all.

use crate::alleles::{AlleleMismatch, Fit, fit};
use crate::frequencies::Frequencies;
use deniable_genome::Variant;
use serde::Serialize;
use std::collections::HashMap;

/// The number of SNPs of a released table that are used, and of those left out by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PanelCounts {
    /// SNPs with a frequency in the released table.
    pub released: u64,
    /// Used SNPs.
    pub used: u64,
    /// Used SNPs of which another file counts the other allele, and was swapped.
    #[serde(rename = "turned")]
    pub swapped: u64,
    /// Left out: not in the reference.
    pub not_in_reference: u64,
    /// Left out: not among the targets' SNPs.
    pub not_in_targets: u64,
    /// Left out: several SNPs of the targets' file have the name.
    #[serde(rename = "several_in_targets")]
    pub twice: u64,
    /// Left out: A and T, or C and G, in reverse order or with one allele unknown.
    #[serde(rename = "ambiguous_strand")]
    pub ambiguous: u64,
    /// Left out: alleles of the other strand.
    #[serde(rename = "other_strand")]
    pub strand: u64,
    /// Left out: other alleles.
    #[serde(rename = "other_alleles")]
    pub alleles: u64,
}

impl PanelCounts {
    fn unfit(&mut self, why: AlleleMismatch) {
        *match why {
            AlleleMismatch::Ambiguous => &mut self.ambiguous,
            AlleleMismatch::Strand => &mut self.strand,
            AlleleMismatch::Other => &mut self.alleles,
        } += 1;
    }
}

/// One line: the number used, and the numbers left out by reason.
impl std::fmt::Display for PanelCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} released SNPs used", self.used, self.released)?;
        if self.swapped > 0 {
            write!(f, "; {} of them turned to the released allele", self.swapped)?;
        }
        self.left_out().try_for_each(|(count, what)| write!(f, "; {count} {what}"))
    }
}

impl PanelCounts {
    /// The nonzero numbers of SNPs left out, with their reasons.
    pub fn left_out(&self) -> impl Iterator<Item = (u64, &'static str)> {
        let all = [
            (self.not_in_reference, "not in the reference"),
            (self.not_in_targets, "not in the targets' file"),
            (self.twice, "several times in the targets' file"),
            (self.ambiguous, "with A and T or C and G in an order that may be the other strand's"),
            (self.strand, "with the alleles of the other strand"),
            (self.alleles, "with other alleles"),
        ];
        all.into_iter().filter(|(count, _)| *count > 0)
    }
}

/// SNPs that a released table and a reference share.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    sites: Vec<Site>,
    matched: PanelCounts,
}

#[derive(Debug, Clone)]
struct Site {
    name: String,
    a1: String,
    a2: String,
    released: f64,
    reference: f64,
    swapped: bool,
}

impl Panel {
    /// Matches by name and alleles; reference frequencies are converted to the allele that the released table counts.
    #[must_use]
    pub fn new(released: &Frequencies, reference: &Frequencies) -> Self {
        let by_name: HashMap<&str, _> = reference.sites.iter().map(|site| (site.name.as_str(), site)).collect();
        let mut panel = Self::default();
        for site in &released.sites {
            panel.matched.released += 1;
            let Some(other) = by_name.get(site.name.as_str()) else {
                panel.matched.not_in_reference += 1;
                continue;
            };
            match fit((&site.a1, &site.a2), (&other.a1, &other.a2)) {
                Err(why) => panel.matched.unfit(why),
                Ok(turn) => panel.sites.push(Site {
                    name: site.name.clone(),
                    a1: site.a1.clone(),
                    a2: site.a2.clone(),
                    released: site.frequency,
                    reference: turn.frequency(other.frequency),
                    swapped: turn == Fit::Swapped,
                }),
            }
        }
        panel
    }

    /// The number of SNPs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether the panel is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The released and the reference frequency of a site.
    pub(crate) fn frequencies(&self, site: usize) -> (f64, f64) {
        self.sites.get(site).map_or((0.0, 0.0), |site| (site.released, site.reference))
    }

    pub(crate) fn finder(&self) -> Finder<'_> {
        let by_name = (0..).zip(&self.sites).map(|(place, site)| (site.name.as_str(), place)).collect();
        Finder { panel: self, by_name, met: vec![SiteMatch::Never; self.sites.len()] }
    }
}

/// The matches of a site in the targets' file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SiteMatch {
    Never,
    Once(Result<Fit, AlleleMismatch>),
    Often,
}

/// Finds the sites of a panel in a file of targets.
pub(crate) struct Finder<'a> {
    panel: &'a Panel,
    by_name: HashMap<&'a str, usize>,
    met: Vec<SiteMatch>,
}

impl Finder<'_> {
    /// The site of a SNP, and the relation of its alleles; `None` if it is not in the panel.
    pub(crate) fn find(&mut self, variant: &Variant) -> Option<(usize, Fit)> {
        let place = *self.by_name.get(variant.id.as_str())?;
        let site = self.panel.sites.get(place)?;
        let met = self.met.get_mut(place)?;
        if *met != SiteMatch::Never {
            *met = SiteMatch::Often;
            return None;
        }
        let found = fit((&site.a1, &site.a2), (&variant.a1, &variant.a2));
        *met = SiteMatch::Once(found);
        found.ok().map(|fit| (place, fit))
    }

    /// The counts; and, given the sites of the rows read, the indices and sites of the rows to keep.
    pub(crate) fn finish(&self, rows: &[usize]) -> (PanelCounts, Vec<(usize, usize)>) {
        let mut matched = self.panel.matched;
        for (met, site) in self.met.iter().zip(&self.panel.sites) {
            match met {
                SiteMatch::Never => matched.not_in_targets += 1,
                SiteMatch::Often => matched.twice += 1,
                SiteMatch::Once(Err(why)) => matched.unfit(*why),
                SiteMatch::Once(Ok(fit)) => {
                    matched.used += 1;
                    matched.swapped += u64::from(site.swapped || *fit == Fit::Swapped);
                }
            }
        }
        let stays = |site: &usize| matches!(self.met.get(*site), Some(SiteMatch::Once(Ok(_))));
        (matched, (0..).zip(rows.iter().copied()).filter(|(_, site)| stays(site)).collect())
    }
}
