"""Connects Deniable to an engine through its Python client: a line of JSON in, a line of JSON out.

Only rows of totals are passed on, and no other value and no message of the engine, because messages quote values.
"""

import sys

# No module of this program may be imported from the working directory.
sys.path[:] = [path for path in sys.path if path]

import json  # noqa: E402
import os  # noqa: E402

sys.stdin.reconfigure(encoding="utf-8")
# Output of a client library goes to standard error.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


class Spark:
    """Apache Spark: a master (spark://host:7077, local[2]) or a Connect server (sc://host:15002)."""

    def __init__(self, address):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName("deniable")
        if address.startswith("sc://"):
            builder = builder.remote(address)
        else:
            builder = builder.master(address).config("spark.ui.enabled", "false")
            builder = builder.config("spark.log.level", "OFF")
        self.session = builder.getOrCreate()

    def version(self):
        return self.session.version

    def pin(self, key, value):
        self.session.conf.set(key, value)
        return self.session.conf.get(key)

    def others(self):
        """Legacy settings, which restore the semantics of earlier versions."""
        return [key for key in self.session.conf.getAll if key.startswith("spark.sql.legacy.")]

    def columns(self, relation):
        fields = self.session.sql(f"SELECT * FROM {relation}").schema.fields
        # Padding and length of a text are stored beside its type. The collation is irrelevant, since bytes are
        # compared.
        kinds = [field.metadata.get("__CHAR_VARCHAR_TYPE_STRING", field.dataType.simpleString()) for field in fields]
        return [[field.name, kind.split(" collate ")[0]] for field, kind in zip(fields, kinds)]

    def rows(self, sql, salt):
        return self.session.sql(sql, args={"salt": salt}).collect()


class DuckDb:
    """DuckDB, in memory or in a file."""

    def __init__(self, address):
        import duckdb

        # The database is opened read-only.
        self.connection = duckdb.connect(address, read_only=address != ":memory:")
        self.connection.execute("SET enable_progress_bar = false")

    def version(self):
        return self.connection.execute("SELECT version()").fetchone()[0]

    def pin(self, key, value):
        self.connection.execute(f"SET {key} = '{value}'")
        return self.connection.execute("SELECT current_setting(?)", [key]).fetchone()[0]

    def others(self):
        return []

    def columns(self, relation):
        rows = self.connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        return [[row[0], row[1]] for row in rows]

    def rows(self, sql, salt):
        return self.connection.execute(sql, {"salt": salt} if "$salt" in sql else None).fetchall()


def answer(engine, question):
    match question["ask"]:
        case "settings":
            pinned = {key: engine.pin(key, value) for key, value in question["pinned"].items()}
            return {"version": engine.version(), "pinned": pinned, "others": engine.others()}
        case "columns":
            return engine.columns(question["relation"])
        case "rows":
            rows = engine.rows(question["sql"], question["salt"])
            return [[None if value is None else str(value) for value in row] for row in rows]
        case _:
            raise ValueError("an unknown request")


def main():
    engine = None
    for line in sys.stdin:
        try:
            question = json.loads(line)
            if engine is None:
                engine = {"spark": Spark, "duckdb": DuckDb}[question["engine"]](question["address"])
                told = None
            else:
                told = answer(engine, question)
            reply = {"answer": told}
        except BaseException as error:  # noqa: BLE001: no message of any error is passed on.
            if os.environ.get("DENIABLE_ENGINE_TALKS", "") not in ("", "0"):
                print(error, file=sys.stderr)
            condition = getattr(error, "getCondition", lambda: None)
            reply = {"error": type(error).__name__, "condition": condition()}
        print(json.dumps(reply), file=answers, flush=True)


main()
