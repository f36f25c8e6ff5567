"""diffprivlib: tools over arrays. Grouping, and caps for people with several rows, are written here, with pandas."""

from runner import Ask, cell, main
from workload import HIGH, LOW, Answers, Case, Noise, scale


def prepare() -> str:
    import diffprivlib
    import pandas  # noqa: F401

    return diffprivlib.__version__


def begin(case: Case) -> Ask:
    import numpy as np
    import pandas as pd
    from diffprivlib import BudgetAccountant, tools

    # The library has no caps: this is what a careful user writes around it. The noise for them must be requested
    # separately, by dividing epsilon; the accountant then records a smaller loss than one person can have.
    epsilon = case.epsilon / case.rows_of_one
    # It has no parallel composition over disjoint groups: every group's sum and mean are charged one after another.
    accountant = BudgetAccountant(epsilon=(1 + 2 * len(case.keys)) * epsilon * (1 + 1e-9), delta=0)

    def read() -> pd.DataFrame:
        columns = ["person", "key", "value"] if case.people else ["key", "value"]
        if case.path.endswith(".csv"):
            table = pd.read_csv(case.path, usecols=columns)
        else:
            table = pd.read_parquet(case.path, columns=columns)
        if case.people:
            table = table.sample(frac=1)
            table = table[table.groupby(["person", "key"]).cumcount() < case.rows_per_group]
            pairs = table[["person", "key"]].drop_duplicates()
            pairs = pairs[pairs.groupby("person").cumcount() < case.groups]
            table = table.merge(pairs, on=["person", "key"])
        return table

    def ask() -> Answers:
        table = read()
        codes = pd.Categorical(table["key"], categories=case.keys).codes
        values = table["value"].to_numpy()
        bins = len(case.keys)
        counts, _ = tools.histogram(
            codes[codes >= 0], epsilon=epsilon, bins=bins, range=(0, bins), accountant=accountant
        )
        cells: dict[str, list[float | None]] = {}
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(bins + 1))
        for number, key in enumerate(case.keys):
            group = values[order[ends[number] : ends[number + 1]]]
            # Whole numbers get geometric noise only on request: the default is floating-point Laplace.
            kind = None if case.decimal else int
            total = tools.sum(group, epsilon=epsilon, bounds=(LOW, HIGH), dtype=kind, accountant=accountant)
            mean = tools.mean(group, epsilon=epsilon, bounds=(LOW, HIGH), accountant=accountant) if len(group) else None
            cells[key] = [cell(counts[number]), cell(total), cell(mean)]
        return Answers(cells, report)

    def report() -> Noise:
        # The library does not report a scale: sensitivity over epsilon, as in tools._sum, tools._mean and
        # tools.histogram.
        return Noise(
            count=scale(1 / epsilon),
            sum=scale((HIGH - LOW) / epsilon),
            average=f"{scale((HIGH - LOW) / epsilon)} over the exact number of rows",
            mechanism="geometric and Laplace (floating-point), cut off",
            spent=float(accountant.total()[0]),
        )

    return ask


if __name__ == "__main__":
    main(prepare, begin)
