"""Private answers from a stated risk.

State how sure anyone may become that a given person is in the data, and ask in SQL. Deniable computes the noise that this
needs, answers, and keeps a ledger of the budget spent.

>>> import deniable as dn
>>> policy = dn.Policy(
...     "visits", person=dn.Person("patient", rows=3, groups=2), promise=dn.epsilon("ln(3)"),
...     columns={"department": dn.Text(keys=["cardiology", "neurology"]), "minutes": dn.Integer(0, 60)},
... )
>>> policy.guarantee.odds
Fraction(3, 1)

====================================  =====================================================================
to                                    use
====================================  =====================================================================
draft a policy for a file             ``draft``
read a policy, or build one           ``Policy``, ``epsilon`` and the other promises, ``Person``, ``Adversary``, ``Integer`` ...
see costs and errors, without data    ``Policy.plan``, ``Policy.sweep``, ``Policy.least_promise``
ask, and see the remaining budget     ``Policy.session``, ``Session.ask``, ``Session.release``, ``Session.answers``
see how the rows read                 ``Session.check_data``
ask without SQL                       ``Session.table``, ``col``, ``count``, ``mean`` ...
read an answer                        ``Answer``, ``Guarantee``
decide about a finite mechanism       ``check``
translate a promise to other notions   ``translate``
test a function against its claim     ``audit``
assess an anonymised table             ``assess``
release association results           ``gwas``
test code that uses this package      ``deniable.testing.session``
====================================  =====================================================================

Numbers that decide about privacy are ``fractions.Fraction``, and floats are refused for them: write ``"0.75"``, ``"3/4"`` or
``Fraction(3, 4)``. There is no way to set a seed: noise comes from the operating system.

Answers may be published. Exceptions, warnings, the log, progress and timing are for the curator alone: they can depend on
private rows.
"""

from ._aggregates import count, count_distinct, max, mean, median, min, quantile, std, sum, var
from ._answer import Answer, Noise, Release, Withdrawal
from ._assess import Assessment, assess
from ._audit import Audit, audit
from ._check import Verdict, check
from ._data_check import ColumnCheck, DataCheck
from ._declare import Adversary, Boolean, Date, Decimal, Integer, Person, Text, Timestamp
from ._deniable import __version__
from ._draft import draft
from ._errors import BudgetError, DataError, Error, LedgerError, LedgerWarning, PolicyError, Problem, QueryError, QueryWarning, UsageError
from ._expression import Expression, col
from ._guarantee import Belief, Guarantee
from ._gwas import gwas
from ._plan import Plan, PlannedQuery, Report
from ._policy import Policy
from ._promise import Promise, alpha_beta, epsilon, gain, negative_gain, posterior_at_least, posterior_at_most, rho
from ._query import Query, Table
from ._session import Session
from ._translate import Translation, Translations, translate
from . import testing as testing  # isort: skip
from . import _interpreter as _interpreter

__all__ = [
    "Adversary",
    "Answer",
    "Assessment",
    "Audit",
    "Belief",
    "Boolean",
    "BudgetError",
    "ColumnCheck",
    "DataCheck",
    "DataError",
    "Date",
    "Decimal",
    "Error",
    "Expression",
    "Guarantee",
    "Integer",
    "LedgerError",
    "LedgerWarning",
    "Noise",
    "Person",
    "Plan",
    "PlannedQuery",
    "Policy",
    "PolicyError",
    "Problem",
    "Promise",
    "Query",
    "QueryError",
    "QueryWarning",
    "Release",
    "Report",
    "Session",
    "Table",
    "Text",
    "Timestamp",
    "Translation",
    "Translations",
    "UsageError",
    "Verdict",
    "Withdrawal",
    "__version__",
    "alpha_beta",
    "assess",
    "audit",
    "check",
    "col",
    "count",
    "count_distinct",
    "draft",
    "epsilon",
    "gain",
    "gwas",
    "max",
    "mean",
    "median",
    "min",
    "negative_gain",
    "posterior_at_least",
    "posterior_at_most",
    "quantile",
    "rho",
    "std",
    "sum",
    "translate",
    "var",
]

# The qualified name in tracebacks, types and pickles is ``deniable.BudgetError``, without the private module.
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = __name__
del _name
