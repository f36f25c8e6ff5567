"""SmartNoise SQL over a pandas table, which it copies into SQLite."""

from runner import Ask, cell, main
from workload import HIGH, LOW, Answers, Case, Noise, scale

DELTA = 1e-9
"""The δ for finding the groups: `censor_dims` (on by default) drops groups whose noisy number of people is small."""


def prepare() -> str:
    from importlib.metadata import version

    import pandas  # noqa: F401
    import snsql  # noqa: F401

    return version("smartnoise-sql")


def begin(case: Case) -> Ask:
    import pandas as pd
    import snsql

    columns = ["person", "key", "value"] if case.people else ["key", "value"]
    if case.path.endswith(".csv"):
        table = pd.read_csv(case.path, usecols=columns)
    else:
        table = pd.read_parquet(case.path, columns=columns)
    value = {"type": "float" if case.decimal else "int", "lower": LOW, "upper": HIGH}
    metadata: dict[str, object] = {"key": {"type": "string"}, "value": value}
    if case.people:
        # One cap, on all rows of a person: there is no cap per group or on the number of groups.
        metadata |= {"person": {"type": "int", "private_id": True}, "max_ids": case.rows_of_one}
    else:
        metadata |= {"row_privacy": True}
    reader = snsql.from_connection(
        table,
        privacy=snsql.Privacy(epsilon=case.epsilon, delta=DELTA),
        metadata={"": {"data": {"rows": metadata}}},
    )
    sql = "SELECT key, COUNT(*) AS n, SUM(value) AS total, AVG(value) AS average FROM data.rows GROUP BY key"

    def ask() -> Answers:
        answers = reader.execute(sql)[1:]
        return Answers({str(key): [cell(x) for x in row] for key, *row in answers}, report)

    def report() -> Noise:
        inner, _ = reader._rewrite(sql)  # what it runs before noise: tells the mechanism of each column
        mechanisms = {symbol.name: symbol.mechanism for symbol in inner._select_symbols if symbol.mechanism}
        count = next(m for name, m in mechanisms.items() if name in ("count_star", "keycount"))
        return Noise(
            count=scale(count.scale),
            sum=scale(mechanisms["sum_value"].scale),
            average=f"the noisy SUM over a noisy COUNT(value), {scale(mechanisms['count_value'].scale)}",
            mechanism=f"{type(count).__name__} (floating-point)",
            spent=float(reader.odometer.spent[0]),
        )

    return ask


if __name__ == "__main__":
    main(prepare, begin)
