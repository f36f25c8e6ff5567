"""The example of the package's page, from the root of the project: prints its results."""

import os
import tempfile
import warnings

import deniable as dn

# The ledger of the example is deleted at its end.
folder = tempfile.TemporaryDirectory()
warnings.simplefilter("ignore", dn.LedgerWarning)

policy = dn.Policy("examples/clinic/policy.toml")
print(policy.guarantee)
print(policy.plan())
with policy.session(ledger=os.path.join(folder.name, "clinic.ledger")) as session:
    answer = session.ask(
        "SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department", spend="1/4"
    )
    print(answer)
    for department, (low, high) in zip((row[0] for row in answer), answer.intervals["minutes"]):
        print(f"{department}: between {low} and {high}")
    print("left:", session.left)

response = {(): {"no": "3/4", "yes": "1/4"}, "ann": {"no": "1/4", "yes": "3/4"}}
print(dn.check(response, notion="dp", claim="odds=3"))
folder.cleanup()
