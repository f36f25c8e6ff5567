"""Sessions for tests of code that uses this package: rows in memory, a temporary ledger, and no warnings.

Noise is as random as anywhere else: there is no seed, so a test states what holds for every noise, or gives a promise of an ε of 1000.
"""

from __future__ import annotations

from typing import Mapping, Optional, Union

from ._arrow import Tables
from ._errors import shown, usage
from ._policy import Policy
from ._session import Session

__all__ = ["session"]


def session(
    policy: Policy,
    rows: Tables,
    *,
    version: Union[None, str, Mapping[str, str]] = None,
    register: bool = True,
    threads: Optional[int] = None,
    memory: Union[None, int, str] = None,
) -> Session:
    """Opens a session whose ledger is deleted with it. It and its answers are marked ``TEST``: their budget is counted nowhere.

    >>> import deniable as dn, deniable.testing, polars
    >>> policy = dn.Policy("visits", promise=dn.epsilon(1000), columns={"minutes": dn.Integer(0, 60)})
    >>> with deniable.testing.session(policy, polars.DataFrame({"minutes": [10, 20]})) as session:
    ...     answer = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/2")
    >>> answer
    Answer(TEST, 'query', columns=('visits',), rows=1)

    :param policy: the policy.
    :param rows: made-up rows, as of ``Policy.session``. The file of the policy's main table is never
        read, as the charges would be forgotten.
    :param version: the name of the rows' contents; by default ``"test"``.
    :param register: as of ``Policy.session``.
    :param threads: as of ``Policy.session``.
    :param memory: as of ``Policy.session``.
    """
    if not isinstance(policy, Policy):
        raise usage(f"a session is of a policy, not of {shown(policy)}", 'give dn.Policy("visits", ...)')
    main = policy._policy.tables[0][0]
    if rows is None or (isinstance(rows, Mapping) and main not in rows):
        raise usage(f"the rows of {main!r} are missing: a test has made-up rows", "give them, deniable.testing.session(policy, df)")
    if version is None:
        version = dict.fromkeys(rows, "test") if isinstance(rows, Mapping) else "test"
    return Session(
        policy,
        rows,
        version=version,
        ledger=None,
        register=register,
        again=False,
        other_people=False,
        threads=threads,
        memory=memory,
        progress=False,
        test=True,
    )
