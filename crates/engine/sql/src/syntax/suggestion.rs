//! What to write in place of a function that queries do not have: the nearest way that works.

use super::expression::{AGGREGATES, SUBSTRING_HELP};
use crate::plan::{WINDOWS, row_functions};
use deniable_core::text::nearest;

const LISTS: &str = "no answer lists values of rows: count them by groups, as in SELECT k, COUNT(*) ... GROUP BY k";
const TEXTS: &str = "compare texts with LIKE, IN, LOWER, UPPER, TRIM and SUBSTRING, or prepare a column";
const PATTERNS: &str = "write LIKE 'A0%' or IN ('A01', 'A02'); for other patterns prepare a column";
const ANSWERS: &str = "an answer may depend on the data and the noise alone; write the value itself";
const WHETHER: &str = "count the rows that meet the condition: COUNT(*) FILTER (WHERE condition), whose noisy value may be \
                       compared with 0 in HAVING or CASE";
const COUNTED: &str = "write COUNT(DISTINCT key) of the entity key, or GROUP BY the column";
const TESTS: &str = "release AVG(x), STDDEV_SAMP(x) and COUNT(*) by group: a test must include the noise of each, which their \
                     intervals state";
const MOVED: &str = "write day + INTERVAL '1 month' or day - INTERVAL '30 days'";
const TO_DATE: &str =
    "write CAST(x AS DATE) or CAST(x AS TIMESTAMP) of ISO texts; other formats are declared in the policy";
const MIN_BY: &str = "write MIN_BY(x, t), the value x where t is smallest, of the rows of one entity";
const MAX_BY: &str = "write MAX_BY(x, t), the value x where t is largest, of the rows of one entity";
const GINI: &str = "count people and sum their values by bins; docs/reference/policy.md has the query under Inequality";
const CHI2: &str = "write SELECT a, b, COUNT(*) ... GROUP BY a, b, and `test = \"independence\"` in its [[query]]: its p-value \
                    accounts for the noise";

/// Functions of other dialects, by their names in lower case, with what to write.
const SUGGESTIONS: &[(&[&str], &str)] = &[
    (
        &["weighted_avg", "wavg", "avgweighted", "weighted_mean"],
        "write AVG_WEIGHTED(x, w), the mean of x in which a row counts w times",
    ),
    (
        &["mode", "most_common", "topk", "approx_top_k", "top_k"],
        "count by groups: the group with the largest noisy count is the mode",
    ),
    (&["first", "first_value", "any_value", "argmin"], MIN_BY),
    (&["last", "last_value", "argmax"], MAX_BY),
    (
        &["quantile", "percentile", "percentile_disc", "quantile_disc", "approx_quantile", "approx_quantiles"],
        "write PERCENTILE_CONT(x, 0.9): it is answered with a value of x's grid",
    ),
    (
        &["iqr", "mad", "quartile", "quantiles"],
        "write PERCENTILE_CONT(x, 0.25), MEDIAN(x) and PERCENTILE_CONT(x, 0.75)",
    ),
    (
        &["linear_regression", "linregr", "linreg", "ols", "lm"],
        "write REGR_SLOPE(y, x, z), the coefficient of x beside z, REGR_INTERCEPT(y, x, z) and REGR_R2(y, x, z): they \
         share their noise",
    ),
    (
        &["skew", "skewness", "kurtosis", "kurt", "moment"],
        "write averages of powers with bounds: AVG(x), AVG(x * x), AVG(x * x * x)",
    ),
    (&["geomean", "geometric_mean", "geo_mean"], "write EXP(AVG(ROUND(LN(x), 3)))"),
    (
        &["harmonic_mean", "harmean"],
        "write 1 / AVG(ROUND(1.0 / x, 3)), with LEAST and GREATEST as the bounds of 1.0 / x",
    ),
    (&["product", "multiply"], "write EXP(SUM(ROUND(LN(x), 3)))"),
    (&["gini", "lorenz"], GINI),
    (&["entropy"], "count by groups and add up -p * LN(p) of the shares p in an outer query"),
    (&["rmse", "mae", "mse"], "write AVG of the squared or absolute difference, with bounds"),
    (
        &[
            "chisq_test",
            "chisquare_test",
            "chi_square_test",
            "chi2",
            "chisq",
            "stats_crosstab",
            "cramersv",
            "contingency",
            "chi_square",
        ],
        CHI2,
    ),
    (
        &[
            "ttest",
            "t_test",
            "studentttest",
            "welchttest",
            "mannwhitneyutest",
            "stats_t_test_indep",
            "anova",
            "kolmogorovsmirnovtest",
            "ztest",
        ],
        TESTS,
    ),
    (
        &["date_bin", "time_bucket", "histogram", "ntile_bin", "bucket"],
        "write BIN(x, width), WIDTH_BUCKET(x, low, high, count), DATE_TRUNC('month', x) or CASE",
    ),
    (
        &["strftime", "date_format", "format", "format_timestamp", "to_varchar", "format_date", "dateformat"],
        "write TO_CHAR(day, 'YYYY-MM'), with the patterns of PostgreSQL",
    ),
    (&["log", "log10", "log2", "log1p"], "write LN(x), the natural logarithm; LN(x) / LN(10) is the common one"),
    (&["cbrt"], "write POWER(x, 1.0 / 3)"),
    (&["square"], "write x * x"),
    (&["clamp", "clip", "greatest_least"], "write LEAST(GREATEST(x, low), high)"),
    (
        &["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "radians", "degrees", "pi", "sinh", "cosh", "tanh"],
        "prepare a column with the value",
    ),
    (&["div", "intdiv", "int_div"], "write FLOOR(x / y)"),
    (&["dayofweek", "weekday"], "write EXTRACT(dow FROM x): Sunday is 0"),
    (&["dayofmonth"], "write EXTRACT(day FROM x)"),
    (&["dayofyear"], "write EXTRACT(doy FROM x)"),
    (&["weekofyear", "isoweek", "yearweek"], "write EXTRACT(week FROM x), the week of EXTRACT(isoyear FROM x)"),
    (&["yearmonth", "month_name", "to_month"], "write TO_CHAR(x, 'YYYY-MM'), or MONTHNAME(x)"),
    (&["last_day", "eomonth", "end_of_month"], "write DATE_TRUNC('month', x) + INTERVAL '1 month' - INTERVAL '1 day'"),
    (&["date_add", "adddate", "date_sub", "subdate", "dateadd", "timestampadd", "add_months", "date_shift"], MOVED),
    (
        &["datediff", "timestampdiff", "age", "months_between", "days_between", "date_part_diff"],
        "write DATE_DIFF('day', from, to), with another unit for timestamps",
    ),
    (
        &[
            "to_date",
            "to_timestamp",
            "str_to_date",
            "strptime",
            "parse_date",
            "date",
            "make_date",
            "date_parse",
            "from_unixtime",
            "to_datetime",
        ],
        TO_DATE,
    ),
    (&["to_unixtime", "unix_timestamp", "epoch"], "write DATE_DIFF('second', TIMESTAMP '1970-01-01 00:00:00', x)"),
    (&["if", "iff", "iif", "decode", "choose", "nvl2"], "write CASE WHEN condition THEN a ELSE b END"),
    (&["count_if", "countif"], "write COUNT(*) FILTER (WHERE condition)"),
    (&["sum_if", "sumif"], "write SUM(x) FILTER (WHERE condition)"),
    (&["avg_if", "avgif"], "write AVG(x) FILTER (WHERE condition)"),
    (&["bool_or", "bool_and", "every", "some", "any", "logical_or", "logical_and", "any_match"], WHETHER),
    (&["ifnull", "nvl", "isnull", "zeroifnull"], "write COALESCE(x, instead)"),
    (&["nullifzero"], "write NULLIF(x, 0)"),
    (&["approx_distinct", "approx_count_distinct", "uniq", "hll", "ndv", "count_distinct"], COUNTED),
    (&["ratio_to_report"], "write 100.0 * COUNT(*) / SUM(COUNT(*)) OVER ()"),
    (
        &[
            "array_agg",
            "string_agg",
            "group_concat",
            "listagg",
            "list",
            "json_agg",
            "collect_list",
            "collect_set",
            "array",
            "unnest",
            "explode",
            "json_object_agg",
            "jsonb_agg",
            "string_to_array",
        ],
        LISTS,
    ),
    (&["concat", "concat_ws"], "group by both columns, as in GROUP BY a, b"),
    (&["substr", "substring", "left", "mid"], SUBSTRING_HELP),
    (&["right"], "compare the end of a text by LIKE '%01'"),
    (
        &[
            "starts_with",
            "startswith",
            "ends_with",
            "endswith",
            "contains",
            "strpos",
            "instr",
            "position",
            "locate",
            "charindex",
        ],
        "write LIKE 'A%', LIKE '%A' or LIKE '%A%'",
    ),
    (
        &[
            "regexp_like",
            "regexp_matches",
            "regexp_match",
            "regexp_replace",
            "regexp_extract",
            "regexp_substr",
            "rlike",
            "regexp",
        ],
        PATTERNS,
    ),
    (
        &["length", "len", "char_length", "character_length", "octet_length"],
        "compare with LIKE: '___' is any three characters, '___%' at least three",
    ),
    (
        &[
            "replace",
            "translate",
            "reverse",
            "lpad",
            "rpad",
            "split_part",
            "initcap",
            "repeat",
            "overlay",
            "ltrim",
            "rtrim",
            "split",
            "ascii",
            "chr",
            "soundex",
        ],
        TEXTS,
    ),
    (
        &["json_extract", "json_value", "get_json_object", "json_extract_scalar", "element_at"],
        "prepare a column with the value",
    ),
    (
        &["md5", "sha1", "sha256", "hash", "crc32"],
        "group by declared keys; a hash of a private value is a private value",
    ),
    (
        &[
            "random",
            "rand",
            "uuid",
            "now",
            "current_timestamp",
            "current_date",
            "getdate",
            "sysdate",
            "today",
            "current_user",
            "gen_random_uuid",
        ],
        ANSWERS,
    ),
];

/// The nearest way that works, for a function by its name in lower case.
pub(super) fn instead_of(name: &str) -> String {
    if matches!(name, "rollup" | "cube") {
        let call = name.to_uppercase();
        return format!(
            "write it alone in GROUP BY: GROUP BY {call} (a, b); or list groupings: GROUPING SETS ((a, b), (a), ())"
        );
    }
    if let Some((_, help)) = SUGGESTIONS.iter().find(|(names, _)| names.contains(&name)) {
        return (*help).to_owned();
    }
    if WINDOWS.contains(&name) {
        let arguments = if matches!(name, "ntile") {
            "4"
        } else if matches!(name, "lag" | "lead") {
            "n"
        } else {
            ""
        };
        return format!("over results write {}({arguments}) OVER (ORDER BY n DESC)", name.to_uppercase());
    }
    let known = [AGGREGATES.as_slice(), &row_functions(), &WINDOWS].concat();
    if let Some(near) = nearest(name, &known) {
        return format!("did you mean `{}`?", near.to_uppercase());
    }
    let others: Vec<&str> = SUGGESTIONS.iter().flat_map(|(names, _)| names.iter().copied()).collect();
    match nearest(name, &others) {
        Some(near) => instead_of(near),
        None => "write it with arithmetic, CASE and the functions that docs/reference/policy.md lists under SQL, or prepare \
                 a column"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    #[test]
    fn suggestions_are_short_and_about_unknown_functions() {
        let known = [AGGREGATES.as_slice(), &row_functions()].concat();
        for (names, help) in SUGGESTIONS {
            assert!(help.len() < 200, "{help}");
            for name in *names {
                assert_eq!(*name, name.to_lowercase());
                let again = SUGGESTIONS.iter().flat_map(|(names, _)| *names).filter(|other| *other == name).count();
                assert_eq!(again, 1, "{name}");
                // Functions with this name are refused for other reasons, or have another meaning without OVER.
                assert!(!known.contains(name) || *name == "substr", "{name}");
            }
        }
    }

    #[test]
    fn the_reference_has_every_function() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/reference/policy.md");
        let page = std::fs::read_to_string(page).unwrap();
        let words: Vec<&str> = page.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).collect();
        for name in [AGGREGATES.as_slice(), &row_functions(), &WINDOWS].concat() {
            assert!(words.contains(&name.to_uppercase().as_str()), "{name} is not in docs/reference/policy.md");
        }
    }

    #[test]
    fn refusals_of_functions_name_few_ways() {
        for (call, help) in [
            ("DATE_FORMAT(day, '%Y')", "TO_CHAR"),
            ("STRING_AGG(name, ',')", "GROUP BY k"),
            ("REGEXP_LIKE(name, 'a+')", "LIKE"),
            ("ADD_MONTHS(day, 1)", "INTERVAL '1 month'"),
            ("BOOL_OR(smoker)", "FILTER"),
            ("T_TEST(x, y)", "noise"),
            ("MEDAIN(x)", "did you mean `MEDIAN`?"),
            ("STRNG_AGG(name, ',')", "GROUP BY k"),
            ("PERCENT_RANK()", "OVER (ORDER BY"),
            ("XYZZY_PLUGH(x)", "docs/reference/policy.md"),
        ] {
            let error = parse(&format!("SELECT {call} FROM visits")).expect_err(call);
            let found = error.help().unwrap_or_default();
            assert!(found.contains(help) && found.len() < 200, "{call}: {found}");
        }
    }
}
