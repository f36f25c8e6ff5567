"""What analysts do with Python's clients: each way gives the same answer, in the types that fit, and only the first is paid for."""

import asyncio
import sys
from decimal import Decimal

import asyncpg
import pandas
import psycopg
import psycopg2
import sqlalchemy

host, port, user, password, database = sys.argv[1:6]
place = {"host": host, "port": int(port), "user": user, "password": password}
SQL = "SELECT department, COUNT(*) AS n, SUM(cost) AS c, AVG(age) AS a FROM visits WHERE age > {} GROUP BY department ORDER BY department"
LITERAL = SQL.format("40")


def same(name, rows, other):
    found = [tuple(row) for row in rows]
    assert found == other, f"{name}: {found} and {other}"
    print(f"{name}: {len(found)} rows")


with psycopg.connect(dbname=database, **place) as connection:
    notices = []
    connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
    try:
        connection.execute(LITERAL)
        raise AssertionError("nothing is given without a price")
    except psycopg.errors.ObjectNotInPrerequisiteState as refused:
        assert "deniable.spend" in refused.diag.message_hint, refused.diag.message_hint
    connection.rollback()
    connection.execute("SET deniable.spend = '1/10'")
    paid = connection.execute(SQL.format("%s"), (40,)).fetchall()
    assert len(paid) == 5 and isinstance(paid[0][1], int) and isinstance(paid[0][2], Decimal), paid
    connection.execute("RESET deniable.spend")
    same("psycopg 3", connection.execute(SQL.format("%s"), (40,)).fetchall(), paid)
    same("psycopg 3, binary", connection.cursor(binary=True).execute(SQL.format("%s"), (40,)).fetchall(), paid)
    told = [notice for notice in notices if notice != "notes on these numbers"]
    assert len(told) == 1 < len(notices) and told[0].startswith("charged: 1/10 of the promise (10%)"), notices
    with connection.cursor(name="rows") as cursor:
        cursor.execute(LITERAL)
        same("psycopg 3, server-side cursor", cursor.fetchmany(2) + cursor.fetchall(), paid)
    with connection.cursor().copy(f"COPY ({LITERAL}) TO STDOUT") as copy:
        copy.set_types(["text", "int8", "numeric", "float8"])
        same("psycopg 3, COPY", copy.rows(), paid)
    with connection.cursor().copy(f"COPY ({LITERAL}) TO STDOUT (FORMAT binary)") as copy:
        copy.set_types(["text", "int8", "numeric", "float8"])
        same("psycopg 3, binary COPY", copy.rows(), paid)
    listed = "/* deniable.spend = 1/10 */ SELECT COUNT(*) FROM visits WHERE department = ANY(%s)"
    assert len(connection.execute(listed, (["neurology", "cardiology"],)).fetchall()) == 1

connection = psycopg2.connect(dbname=database, **place)
cursor = connection.cursor()
cursor.execute(SQL.format("%s"), (40,))
same("psycopg 2", cursor.fetchall(), paid)
cursor = connection.cursor("named")
cursor.itersize = 2
cursor.execute(SQL.format("%s"), (40,))
same("psycopg 2, named cursor", list(cursor), paid)
connection.close()


async def asynchronous():
    connection = await asyncpg.connect(database=database, **place)
    same("asyncpg", await connection.fetch(SQL.format("$1"), 40), paid)
    async with connection.transaction():
        same("asyncpg, cursor", [row async for row in connection.cursor(SQL.format("$1"), 40, prefetch=2)], paid)
    await connection.close()


asyncio.run(asynchronous())

for driver in ("psycopg", "psycopg2"):
    engine = sqlalchemy.create_engine(f"postgresql+{driver}://{user}:{password}@{host}:{port}/{database}")
    seen = sqlalchemy.inspect(engine)
    assert seen.get_table_names() == ["visits"], seen.get_table_names()
    assert [column["name"] for column in seen.get_columns("visits")][:2] == ["patient", "age"]
    assert seen.get_indexes("visits") == [] and seen.get_foreign_keys("visits") == []
    table = sqlalchemy.Table("visits", sqlalchemy.MetaData(), autoload_with=engine)
    columns = [table.c.department, sqlalchemy.func.count().label("n"), sqlalchemy.func.sum(table.c.cost).label("c")]
    columns.append(sqlalchemy.func.avg(table.c.age).label("a"))
    wanted = sqlalchemy.select(*columns).where(table.c.age > 40).group_by(table.c.department).order_by(table.c.department)
    with engine.connect() as connection:
        same(f"SQLAlchemy, {driver}", connection.execute(wanted).fetchall(), paid)
        frame = pandas.read_sql(sqlalchemy.text(LITERAL), connection)
        assert list(frame["n"]) == [row[1] for row in paid] and str(frame["n"].dtype) == "int64", frame.dtypes
        print(f"pandas, {driver}: {len(frame)} rows")

with psycopg.connect(dbname=database, **place) as connection:
    spent = connection.execute("SELECT spent FROM deniable.budget").fetchone()[0]
    assert spent == Decimal("0.2"), spent
print("done")
