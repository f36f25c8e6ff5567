//! The counted allele: two files may name the same two alleles in either order.

/// The relation between the alleles of one file and those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// The same allele is counted.
    Same,
    /// The other allele is counted: copies are `2 − copies`, frequencies `1 − frequency`.
    Swapped,
}

impl Fit {
    /// The frequency of the allele that the other file counts.
    #[must_use]
    pub fn frequency(self, frequency: f64) -> f64 {
        match self {
            Self::Same => frequency,
            Self::Swapped => 1.0 - frequency,
        }
    }

    /// The number of copies, 0 to 2, of the allele that the other file counts.
    #[must_use]
    pub fn copies(self, copies: u8) -> u8 {
        match self {
            Self::Same => copies,
            Self::Swapped => 2_u8.saturating_sub(copies),
        }
    }
}

/// The reason why alleles do not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AlleleMismatch {
    /// A and T, or C and G, in reverse order: either the same pair in reverse order, or the same order read from the
    /// other strand. The files do not determine which.
    Ambiguous,
    /// The alleles of the other DNA strand. They are not complemented: a file that mixes strands should be corrected
    /// first.
    Strand,
    /// Other alleles.
    Other,
}

/// The relation of the alleles `found` to the `wanted` ones. PLINK writes `0` for an allele that no person in a file
/// carries: it matches any allele opposite the other one.
///
/// # Errors
/// If they do not match.
pub fn fit(wanted: (&str, &str), found: (&str, &str)) -> Result<Fit, AlleleMismatch> {
    let upper = |(a1, a2): (&str, &str)| (a1.to_ascii_uppercase(), a2.to_ascii_uppercase());
    let (wanted, found) = (upper(wanted), upper(found));
    let same = |one: &str, other: &str| one == other || one == "0" || other == "0";
    let fits = |(w1, w2): (&str, &str), (f1, f2): (&str, &str)| {
        // Two alleles, neither of which is known in both files, do not determine the order.
        (same(w1, f1) && same(w2, f2)) && (known(w1, f1) || known(w2, f2))
    };
    let (w, f) = ((wanted.0.as_str(), wanted.1.as_str()), (found.0.as_str(), found.1.as_str()));
    let half_known = [w.0, w.1, f.0, f.1].contains(&"0");
    let palindrome = complement(w.0) == Some(w.1) || complement(f.0) == Some(f.1);
    match (fits(w, f), fits(w, (f.1, f.0))) {
        // `0 A` and `A T`: the A could be the T of the other strand.
        _ if palindrome && half_known => Err(AlleleMismatch::Ambiguous),
        (true, _) => Ok(Fit::Same),
        (false, true) if palindrome => Err(AlleleMismatch::Ambiguous),
        (false, true) => Ok(Fit::Swapped),
        (false, false) => match (complement(f.0), complement(f.1)) {
            (Some(c1), Some(c2)) if fits(w, (c1, c2)) || fits(w, (c2, c1)) => Err(AlleleMismatch::Strand),
            _ => Err(AlleleMismatch::Other),
        },
    }
}

fn known(one: &str, other: &str) -> bool {
    one == other && one != "0"
}

/// The complementary base.
fn complement(allele: &str) -> Option<&'static str> {
    match allele {
        "A" => Some("T"),
        "T" => Some("A"),
        "C" => Some("G"),
        "G" => Some("C"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_strands() {
        for (wanted, found, expected) in [
            (("A", "G"), ("A", "G"), Ok(Fit::Same)),
            (("A", "G"), ("a", "g"), Ok(Fit::Same)),
            (("A", "G"), ("G", "A"), Ok(Fit::Swapped)),
            (("A", "G"), ("T", "C"), Err(AlleleMismatch::Strand)),
            (("A", "G"), ("C", "T"), Err(AlleleMismatch::Strand)),
            (("A", "G"), ("A", "C"), Err(AlleleMismatch::Other)),
            (("A", "T"), ("A", "T"), Ok(Fit::Same)),
            (("A", "T"), ("T", "A"), Err(AlleleMismatch::Ambiguous)),
            (("C", "G"), ("G", "C"), Err(AlleleMismatch::Ambiguous)),
            (("A", "G"), ("0", "G"), Ok(Fit::Same)),
            (("A", "G"), ("0", "A"), Ok(Fit::Swapped)),
            (("A", "T"), ("0", "T"), Err(AlleleMismatch::Ambiguous)),
            (("A", "G"), ("0", "0"), Err(AlleleMismatch::Other)),
            (("CAT", "C"), ("C", "CAT"), Ok(Fit::Swapped)),
            (("CAT", "C"), ("CAG", "C"), Err(AlleleMismatch::Other)),
        ] {
            assert_eq!(fit(wanted, found), expected, "{wanted:?} {found:?}");
        }
        assert_eq!((Fit::Swapped.copies(2), Fit::Swapped.copies(1), Fit::Same.copies(2)), (0, 1, 2));
    }
}
