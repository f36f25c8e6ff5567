"""Association results of case-control cohorts."""

from __future__ import annotations

import logging
import os
import warnings
from fractions import Fraction
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from . import _deniable
from ._answer import Release
from ._errors import LedgerWarning, usage
from ._exact import Exact, dictionary, exact, names, path, prior_range, short, truth, whole
from ._progress import wait
from ._price import Limit, part_of
from ._promise import Promises, stated_epsilon

_LOG = logging.getLogger("deniable")

Path = Union[str, "os.PathLike[str]"]


def gwas(
    bfile: Optional[Path] = None,
    *,
    vcf: Optional[Path] = None,
    pheno: Optional[Path] = None,
    pheno_name: Optional[str] = None,
    adjacency: Union[str, Sequence[str]],
    promise: Optional[Promises] = None,
    policy: Optional[Path] = None,
    prior: Union[None, Exact, Tuple[Exact, Exact]] = None,
    population: Optional[str] = None,
    ledger: Optional[Path] = None,
    version: str = "1",
    spend: Optional[Exact] = None,
    epsilon: Optional[Exact] = None,
    register: bool = True,
    other_people: bool = False,
    top: Optional[int] = None,
    score: str = "distance",
    threshold: Optional[Exact] = None,
    p_value: Optional[Exact] = None,
    snps: Union[str, Sequence[str]] = (),
    statistics: bool = False,
    counts: bool = False,
    test: str = "allelic",
    fill: Optional[str] = None,
    threads: Optional[int] = None,
) -> Release:
    """Releases the most associated SNPs of a cohort, or their statistics, without revealing any person's participation or status (docs/how-to/gwas.md).

    Charged to a ledger, computed, stored, shown; the same release again is free. Findings about the cohort are for the curator: the logger
    ``deniable`` has it.

    >>> import deniable as dn, subprocess, sys, tempfile, os, warnings
    >>> folder = tempfile.TemporaryDirectory()
    >>> cohort = os.path.join(folder.name, "cohort")
    >>> made = subprocess.run([sys.executable, "-m", "deniable", "gwas", "simulate", "--cases", "60", "--controls", "60",
    ...     "--snps", "200", "--out", cohort], capture_output=True, check=True)
    >>> released = dn.gwas(cohort, adjacency="label-swap", promise=dn.gain(2), prior="1/2", top=2, p_value="0.05")
    >>> [len(answer) for answer in released.values()]
    [2]
    >>> folder.cleanup()

    :param bfile: the prefix of PLINK files.
    :param vcf: a VCF file, with ``pheno``.
    :param pheno: phenotypes in a separate file; ``pheno_name`` names one of several.
    :param adjacency: the secret: ``genotype`` (that a person took part), ``label-swap`` (who is a case), or both.
    :param promise: the promise: ``dn.gain(2)``; or the ``policy`` that states it.
    :param prior: the priors of observers.
    :param population: the name of the people in the ledger; by default the files' name.
    :param ledger: the ledger; by default beside the files.
    :param version: the declared version of the files (``--data-version``).
    :param spend: the part of the promise that this may use; by default all of it.
    :param epsilon: the same as an ε, in place of ``spend``, if the promise is an ε.
    :param register: whether an unregistered cohort is registered and released from at once.
    :param top: the number of SNPs to pick, by ``score`` and the distance from ``threshold`` (χ²) or ``p_value`` (Bonferroni).
    :param snps: SNPs by name, with ``statistics`` or ``counts``; the list must not come from the data.
    """
    stated = dictionary({} if promise is None else promise, "promise=", '{"gain": 2}')
    known = {"gain", "negative_gain", "posterior_at_most", "posterior_at_least", "epsilon"}
    for key in stated:
        if key not in known:
            raise usage(f"`{key}` is not a promise about association results", "state one of " + ", ".join(sorted(known)))
    part = _part(stated, spend, epsilon)
    call = _deniable.gwas(
        {
            "bfile": None if bfile is None else path(bfile, "bfile="),
            "vcf": None if vcf is None else path(vcf, "vcf="),
            "pheno": None if pheno is None else path(pheno, "pheno="),
            "pheno_name": None if pheno_name is None else short(pheno_name, "pheno_name="),
            "adjacency": ",".join(names(adjacency, "adjacency=")),
            "promise": [(key, str(exact(value))) for key, value in stated.items()],  # type: ignore[arg-type]
            "policy": None if policy is None else path(policy, "policy="),
            "prior": prior_range(prior),
            "population": None if population is None else short(population, "population="),
            "ledger": None if ledger is None else path(ledger, "ledger="),
            "version": short(version, "version="),
            "spend": None if part is None else str(part),
            "register": truth(register, "register="),
            "other_people": truth(other_people, "other_people="),
            "top": whole(top, "top="),
            "score": short(score, "score="),
            "threshold": None if threshold is None else str(exact(threshold)),
            "p_value": None if p_value is None else str(exact(p_value)),
            "snps": [name for one in names(snps, "snps=") for name in one.split(",")],
            "statistics": truth(statistics, "statistics="),
            "counts": truth(counts, "counts="),
            "test": short(test, "test="),
            "fill": None if fill is None else short(fill, "fill="),
            "threads": whole(threads, "threads="),
        }
    )
    try:
        (written,) = wait(call)
    finally:
        news = call.news()
        for _, said in news:
            _LOG.info("%s", said)
    for kind, said in news:
        if kind == "new ledger":
            warnings.warn(f"{said}. Keep it, and its key beside it", LedgerWarning, stacklevel=2)
    return Release(written)


def _part(promise: Mapping[str, Any], spend: Optional[Exact], epsilon: Optional[Exact]) -> Optional[Fraction]:
    """The stated price as a part of ln R; ``None`` without one."""
    if epsilon is None:
        return None if spend is None else exact(spend)
    if set(promise) != {"epsilon"}:
        raise usage("epsilon= is the price of a release whose promise is an ε", 'add promise=dn.epsilon(1), or write spend="1/40" in its place')
    return part_of(Limit(*stated_epsilon(promise["epsilon"])), spend, epsilon)
