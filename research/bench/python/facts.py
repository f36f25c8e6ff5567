"""Facts from documentation and source that measurements do not show. Every statement cites its source. The citations
are checked at each run, and a statement whose words are gone from the installed package is marked as stale."""

from __future__ import annotations

from pathlib import Path

from libraries import CACHE, HERE, Library, say

Fact = tuple[str, list[tuple[str, str]]]
"""The statement, and (file, words in it). Files are in site-packages; `docs/` and the like are in this repository."""

OPENDP = "opendp/extras/polars/__init__.py"
TRUNCATION = "tmlt/analytics/constraints/_truncation.py"
REWRITER = "snsql/sql/private_rewriter.py"
TOOLS = "diffprivlib/tools/utils.py"
HISTOGRAMS = "diffprivlib/tools/histograms.py"

FACTS: dict[str, dict[str, Fact]] = {
    "deniable": {
        "People with several rows": (
            "`[entity]`: rows in a group, and groups; kept rows evenly spaced by value",
            [("docs/reference/policy.md", "`rows_per_group` and `groups`")],
        ),
        "Which groups appear": (
            "the declared `keys`, always and only",
            [("docs/reference/policy.md", "these always appear, others never")],
        ),
        "Noise": (
            "exact two-sided geometric on whole numbers; ChaCha20, seeded by the operating system",
            [("README.md", "exact two-sided geometric"), ("crates/core/src/noise/entropy.rs", "getrandom::fill")],
        ),
        "Bookkeeping": (
            "a ledger on disk, over all runs and policies; the same question again is free",
            [("ARCHITECTURE.md", "append-only, hash-chained")],
        ),
        "Errors": (
            "standard error and the exit status can depend on rows and are for the curator alone",
            [("README.md", "Standard error, the exit status, progress and timing are for the curator alone")],
        ),
        "Timing": ("not hidden, and said so", [("KNOWN-VULNERABILITIES.md", "Timing, memory and other side channels")]),
    },
    "opendp": {
        "People with several rows": (
            "`truncate_per_group` and `truncate_num_groups`, which keeps ranks below k, counted from 1: one group less than "
            'it charges for; its default `keep="sample"` fails in this version, `"first"` favours low keys',
            [
                (OPENDP, "def truncate_per_group"),
                (OPENDP, 'struct.rank("dense", descending=False)'),
                (OPENDP, "ranks.over(input_metric.identifier) < k"),
            ],
        ),
        "Which groups appear": (
            '`with_keys`: the declared ones; otherwise a threshold with delta, or `invariant="keys"`',
            [
                (OPENDP, "Shorthand to join with an explicit key-set"),
                (OPENDP, "designates that keys are not protected"),
            ],
        ),
        "Noise": (
            "exact discrete Laplace on whole numbers; OpenSSL",
            [
                ("opendp/lib/opendp.abi3.so", "openssl-0.10.81/src/rand.rs"),
                ("opendp/measurements.py", "all sampling is done using the discrete Laplace distribution"),
            ],
        ),
        "Bookkeeping": (
            "a context in memory; a further query is refused",
            [("opendp/context.py", "tracks the privacy expenditure")],
        ),
        "Errors": ("queries are checked against the schema before data is read", [(OPENDP, "make_private_lazyframe")]),
        "Timing": ("we found no promise", []),
    },
    "tumult": {
        "People with several rows": (
            "`MaxRowsPerGroupPerID` and `MaxGroupsPerID`, or `MaxRowsPerID`; required with `AddRowsWithID`",
            [(TRUNCATION, "class MaxRowsPerGroupPerID"), (TRUNCATION, "class MaxGroupsPerID")],
        ),
        "Which groups appear": (
            "a `KeySet`: the declared ones; or `get_groups`, with delta",
            [("tmlt/analytics/query_builder.py", "def get_groups")],
        ),
        "Noise": (
            "exact discrete Laplace on whole numbers, its scale rounded up; RDRAND or the system's generator",
            [
                ("tmlt/core/measurements/noise_mechanisms.py", "_sample_dlaplace(float_scale)"),
                ("tmlt/core/random/rng.py", "RDRAND()"),
                ("tmlt/core/random/rng.py", "os.urandom(8)"),
            ],
        ),
        "Bookkeeping": (
            "a session in memory; a question beyond its budget is refused",
            [("tmlt/analytics/session.py", "def _format_insufficient_budget_msg")],
        ),
        "Errors": (
            "NULL and NaN in measured columns are dropped; the order of result rows is made independent of the data",
            [
                ("tmlt/analytics/query_builder.py", "contains NaN or null values"),
                ("tmlt/core/measurements/spark_measurements.py", "pseudo-side-channel-mitigations"),
            ],
        ),
        "Timing": (
            "not hidden, and said so",
            [("tmlt/core/measurements/postprocess.py", "no protections against the use of side channel information")],
        ),
    },
    "smartnoise": {
        "People with several rows": (
            "`max_ids`: rows in the whole query, drawn by the database's RANDOM(); no cap on groups or per group",
            [(REWRITER, "per_key_random.row_num"), (REWRITER, 'FuncName("RANDOM")')],
        ),
        "Which groups appear": (
            "those in the data; `censor_dims` (default) drops small ones by a noisy count, with delta; "
            "keys cannot be declared",
            [("snsql/sql/private_reader.py", "# censor infrequent dimensions")],
        ),
        "Noise": (
            "Laplace on floating-point numbers, by OpenDP's sampler, which is exact on a fine grid; OpenSSL. "
            "Fractions are then cut off, so answers are half too low on average",
            [
                ("snsql/sql/_mechanisms/laplace.py", "meas = make_laplace("),
                ("opendp/lib/opendp.abi3.so", "openssl-0.10.75/src/rand.rs"),
                ("snsql/sql/private_reader.py", "return int(float(str(val)"),
                ("opendp/measurements.py", "all sampling is done using the discrete Laplace distribution"),
            ],
        ),
        "Bookkeeping": (
            "an odometer in memory that counts and refuses nothing",
            [("snsql/sql/private_reader.py", "# increment odometer")],
        ),
        "Errors": (
            "errors of the database reach the caller as they are",
            [("snsql/sql/reader/pandas.py", "conn.execute(text(query))")],
        ),
        "Timing": ("we found no promise", []),
    },
    "diffprivlib": {
        "People with several rows": ("none: here by hand, in pandas, and epsilon divided by hand", []),
        "Which groups appear": (
            "no groups: bins of `histogram` are declared; the rest is the caller's loop",
            [(HISTOGRAMS, "Range parameter has not been specified")],
        ),
        "Noise": (
            "geometric and Laplace by floating-point formulas (Laplace from four uniform draws); the system's generator. "
            "SUM is cut to bounds times the exact number of rows, AVG is divided by it",
            [
                ("diffprivlib/mechanisms/geometric.py", "np.log(sgn * unif_rv) / self._scale"),
                ("diffprivlib/mechanisms/laplace.py", "def _laplace_sampler(unif1, unif2, unif3, unif4)"),
                ("diffprivlib/utils.py", "return secrets.SystemRandom()"),
                (TOOLS, "upper=upper * array.size"),
                (TOOLS, "sensitivity=(upper - lower) / array.size"),
            ],
        ),
        "Bookkeeping": (
            "`BudgetAccountant` in memory; refuses above a limit; charges disjoint groups one after another",
            [("diffprivlib/accountant.py", "raise BudgetError")],
        ),
        "Errors": (
            "missing bounds are taken from the data, with a warning; NaN goes through `sum` into the answer "
            "(`nansum` leaves it out)",
            [
                (TOOLS, "np.nansum if nan else np.sum"),
                (TOOLS, "Bounds have not been specified and will be calculated on the data provided"),
            ],
        ),
        "Timing": ("we found no promise", []),
    },
}


def one_line(path: Path) -> str:
    """The text of a file with single spaces: prose may be wrapped anywhere."""
    return " ".join(path.read_text(encoding="utf-8", errors="replace").split())


def checked(library: Library) -> dict[str, str]:
    """The statements about a library; stale ones are marked."""
    packages = next((CACHE / library.environment).glob("lib/python*/site-packages"), None)
    said = {}
    for topic, (text, citations) in FACTS.get(library.name, {}).items():
        for file, words in citations:
            path = HERE.parents[2] / file if library.name == "deniable" else packages and packages / file
            if not path or not path.exists() or words not in one_line(path):
                say(f"STALE: {library.name}, {topic}: {file} does not say {words!r}")
                text += " (stale citation)"
        said[topic] = text
    return said
