//! Whether a private selection would find the causes: over promises, priors, picks, thresholds and sizes of cohorts.
