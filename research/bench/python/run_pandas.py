"""Plain pandas: the exact answer, and its cost without protection."""

from runner import Ask, cell, main
from workload import Answers, Case


def prepare() -> str:
    import pandas

    return pandas.__version__


def begin(case: Case) -> Ask:
    import pandas as pd

    def ask() -> Answers:
        columns = ["key", "value"]
        if case.path.endswith(".csv"):
            table = pd.read_csv(case.path, usecols=columns)
        else:
            table = pd.read_parquet(case.path, columns=columns)
        answers = table.groupby("key", dropna=False)["value"].agg(["size", "sum", "mean"])
        return Answers({str(key): [cell(x) for x in row] for key, *row in answers.itertuples()})

    return ask


if __name__ == "__main__":
    main(prepare, begin)
