"""Superset over the server: connects, browses, draws two charts and refreshes a dashboard of them ten times, which is charged once.

scripts/slow superset runs it, with an interpreter that has Superset and with DENIABLE, the program with its server. Everything is on loopback, and
in a temporary folder.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import psycopg2
import requests

ROOT = pathlib.Path(__file__).resolve().parent.parent
DENIABLE = os.environ["DENIABLE"]
REFRESHES = 10
SETTINGS = """
SECRET_KEY = "of this trial alone"
SQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/superset.db"
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
"""


def serve(folder):
    """The server with one analyst, and its port."""
    for name in ("policy.toml", "visits.csv"):
        shutil.copy(ROOT / "examples/clinic" / name, folder)
    (folder / "serve.toml").write_text('answers_take = "50ms"\n')
    account = [DENIABLE, "account", "add", "policy.toml", "ana", "--share", "1/2"]
    subprocess.run(account, cwd=folder, input="correct horse battery\n", text=True, check=True, capture_output=True)
    command = [DENIABLE, "serve", "policy.toml", "--listen", "127.0.0.1:0"]
    log = open(folder / "serve.log", "w")
    server = subprocess.Popen(command, cwd=folder, stderr=log, stdout=subprocess.DEVNULL)
    before = "listening: psql -h 127.0.0.1 -p "
    for _ in range(600):
        for line in (folder / "serve.log").read_text().splitlines():
            if line.startswith(before):
                return server, int(line[len(before) :].split()[0])
        assert server.poll() is None, (folder / "serve.log").read_text()
        time.sleep(0.1)
    raise AssertionError("the server does not listen")


def superset(folder):
    """Superset with an empty database of its own, and its address."""
    (folder / "superset_config.py").write_text(SETTINGS.format(folder=folder))
    environment = dict(os.environ, SUPERSET_CONFIG_PATH=str(folder / "superset_config.py"), SUPERSET_HOME=str(folder))
    environment["FLASK_APP"] = "superset.app:create_app()"
    program = str(pathlib.Path(sys.executable).parent / "superset")
    admin = ["fab", "create-admin", "--username", "admin", "--firstname", "a", "--lastname", "b", "--email", "a@example.org", "--password", "admin"]
    log = open(folder / "superset.log", "w")
    for step in (["db", "upgrade"], admin, ["init"]):
        done = subprocess.run([program, *step], env=environment, stdout=log, stderr=log)
        assert done.returncode == 0, (folder / "superset.log").read_text()[-2000:]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([program, "run", "-h", "127.0.0.1", "-p", str(port)], env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            if requests.get(address + "/health", timeout=5).ok:
                return process, address
        except requests.exceptions.ConnectionError:
            pass
        assert process.poll() is None, (folder / "superset.log").read_text()[-2000:]
        time.sleep(0.5)
    raise AssertionError("Superset does not listen")


class Api:
    """Superset's own interface, as its pages use it."""

    def __init__(self, address):
        self.address = address + "/api/v1"
        self.session = requests.Session()
        login = {"username": "admin", "password": "admin", "provider": "db", "refresh": False}
        token = self.post("/security/login", login)["access_token"]
        self.session.headers["Authorization"] = f"Bearer {token}"

    def told(self, reply):
        assert reply.ok, f"{reply.request.method} {reply.url}: {reply.status_code} {reply.text[:2000]}"
        return reply.json()

    def get(self, path, **query):
        return self.told(self.session.get(self.address + path, params=query, timeout=120))

    def post(self, path, body):
        return self.told(self.session.post(self.address + path, json=body, timeout=120))


def chart(api, dashboard, dataset, name, columns, metrics):
    """A chart of a query, as a table on the dashboard."""
    query = {"columns": columns, "metrics": metrics, "filters": [], "orderby": [], "row_limit": 1000, "extras": {}}
    source = {"id": dataset, "type": "table"}
    context = {"datasource": source, "queries": [query], "result_format": "json", "result_type": "full", "force": False}
    form = {"viz_type": "table", "datasource": f"{dataset}__table", "groupby": columns, "metrics": metrics, "row_limit": 1000}
    body = {"slice_name": name, "viz_type": "table", "datasource_id": dataset, "datasource_type": "table", "dashboards": [dashboard]}
    return api.post("/chart/", body | {"params": json.dumps(form), "query_context": json.dumps(context)})["id"]


def tried(folder, api, port):
    def own(sql):
        with psycopg2.connect(host="127.0.0.1", port=port, user="ana", password="correct horse battery", dbname="clinic") as connection:
            cursor = connection.cursor()
            cursor.execute(sql)
            return cursor.fetchall()

    address = f"postgresql+psycopg2://ana:correct%20horse%20battery@127.0.0.1:{port}/clinic"
    # The share that each new query of this connection may use.
    extra = {"engine_params": {"connect_args": {"options": "-c deniable.spend=1/40"}}}
    database = {"database_name": "clinic", "sqlalchemy_uri": address, "extra": json.dumps(extra)}
    api.post("/database/test_connection/", database)
    database = api.post("/database/", database | {"expose_in_sqllab": True})["id"]
    schemas = api.get(f"/database/{database}/schemas/", q="(force:!t)")["result"]
    assert {"public", "simulated", "deniable"} <= set(schemas), schemas
    tables = api.get(f"/database/{database}/tables/", q="(force:!t,schema_name:public)")["result"]
    assert [table["value"] for table in tables] == ["visits"], tables
    columns = api.get(f"/database/{database}/table_metadata/", name="visits", schema="public")["columns"]
    assert [column["name"] for column in columns][:2] == ["patient", "age"], columns
    print(f"browsed: {len(schemas)} schemas, {len(tables)} table, {len(columns)} columns")
    assert own("SELECT spent FROM deniable.budget")[0][0] == 0, "browsing is free"

    dataset = api.post("/dataset/", {"database": database, "schema": "public", "table_name": "visits"})["id"]
    dashboard = api.post("/dashboard/", {"dashboard_title": "visits", "published": True})["id"]
    count = {"expressionType": "SQL", "sqlExpression": "COUNT(*)", "label": "visits"}
    cost = {"expressionType": "SIMPLE", "column": {"column_name": "cost"}, "aggregate": "SUM", "label": "cost"}
    chart(api, dashboard, dataset, "visits by department", ["department"], [count])
    chart(api, dashboard, dataset, "cost by sex", ["sex"], [cost])
    first = None
    for refresh in range(REFRESHES):
        shown = {}
        for known in api.get(f"/dashboard/{dashboard}/charts")["result"]:
            # `force` bypasses Superset's own cache.
            answer = api.get(f"/chart/{known['id']}/data/", force="true")["result"][0]
            assert answer["error"] is None and not answer["is_cached"], answer
            shown[known["slice_name"]] = answer["data"]
        assert len(shown["visits by department"]) == 5 and len(shown["cost by sex"]) == 3, shown
        first = first or shown
        assert shown == first, f"refresh {refresh + 1} shows something else"
        spent, releases = own("SELECT spent FROM deniable.budget")[0][0], own("SELECT COUNT(*) FROM deniable.releases")[0][0]
        assert str(spent) == "0.05" and releases == 2, f"refresh {refresh + 1}: {spent} is spent on {releases} answers"
    print(f"refreshed {REFRESHES} times: the same numbers, {spent} of the promise spent on {releases} answers")

    # SQL Lab, with the price in a comment.
    asked = {"database_id": database, "schema": "public", "runAsync": False, "client_id": "trial", "queryLimit": 100}
    ask = "/* deniable.spend = 1/100 */ SELECT smoker, COUNT(*) AS n FROM visits GROUP BY smoker"
    rows = api.post("/sqllab/execute/", asked | {"sql": ask})["data"]
    spent = own("SELECT spent FROM deniable.budget")[0][0]
    print(f"SQL Lab: {len(rows)} rows, {spent} of the promise spent")


def main():
    running = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            server, port = serve(folder)
            running.append(server)
            process, address = superset(folder)
            running.append(process)
            tried(folder, Api(address), port)
        finally:
            for process in running:
                process.terminate()
                process.wait()
    print("done")


if __name__ == "__main__":
    main()
