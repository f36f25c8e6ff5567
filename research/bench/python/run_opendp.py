"""OpenDP, through its Polars interface, as its documentation recommends for tables."""

from runner import Ask, cell, main
from workload import HIGH, LOW, Answers, Case, Noise, scale


def prepare() -> str:
    from importlib.metadata import version

    import opendp.prelude as dp
    import polars  # noqa: F401  registers the `dp` namespace of expressions

    dp.enable_features("contrib")
    return version("opendp")


def begin(case: Case) -> Ask:
    import opendp.prelude as dp
    import polars as pl

    table = pl.scan_csv(case.path) if case.path.endswith(".csv") else pl.scan_parquet(case.path)
    context = dp.Context.compositor(
        data=table,
        privacy_unit=dp.unit_of(contributions=1, identifier="person" if case.people else None),
        # Two measures: without `scale`, each gets noise in proportion to its sensitivity, half of epsilon each.
        privacy_loss=dp.loss_of(epsilon=2 * case.epsilon),
        split_evenly_over=1,
        # Sums need a public bound on the rows of a group. It costs nothing for whole numbers; for floating-point ones
        # it adds noise, because rounding errors grow with it.
        margins=[dp.polars.Margin(by=["key"], max_length=10_000_000)],
    )

    def ask() -> Answers:
        query = context.query()
        if case.people:
            query = query.truncate_per_group(case.rows_per_group, by=["key"])
            # keep="first" and not the default "sample", which fails in 0.16.0 ("multiple fields with name 'key'").
            query = query.truncate_num_groups(case.groups, by=["key"], keep="first")
        # NULL and NaN count as the middle of the bounds, unless the query sets `fill_null` or `fill_nan`.
        bounds = (float(LOW), float(HIGH)) if case.decimal else (LOW, HIGH)
        query = (
            query.group_by("key")
            .agg(dp.len(signed=True).alias("count"), pl.col("value").dp.sum(bounds).alias("sum"))
            .with_keys(pl.DataFrame({"key": case.keys}))
        )
        # The average is the noisy sum over the noisy count: free. `dp.mean` would pay for both once more.
        answers = query.release().collect().with_columns((pl.col("sum") / pl.col("count")).alias("average"))
        return Answers(
            {str(key): [cell(x) for x in row] for key, *row in answers.select("key", "count", "sum", "average").rows()},
            lambda: report(query.summarize()),
        )

    def report(summary: pl.DataFrame) -> Noise:
        count, total = summary.iter_rows(named=True)
        return Noise(
            count=scale(count["scale"]),
            sum=scale(total["scale"]),
            average="the noisy SUM over the noisy COUNT",
            mechanism=total["distribution"],
            # The context was given this much for one query, and allows no further query.
            spent=2 * case.epsilon,
        )

    return ask


if __name__ == "__main__":
    main(prepare, begin)
