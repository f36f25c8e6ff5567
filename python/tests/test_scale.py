"""The scale of these tests follows the rule of the tests in Rust."""

from __future__ import annotations

import pytest
from conftest import scale_of

FULL = {"DENIABLE_SCALE": "full"}


def test_full_scale_applies_to_named_packages_before_the_deadline() -> None:
    assert scale_of({}, 7) == "small" and scale_of(FULL, 7) == "full"
    named, other = {"DENIABLE_FULL_PACKAGES": "deniable-sql deniable-python"}, {"DENIABLE_FULL_PACKAGES": "deniable-sql deniable"}
    assert scale_of({**FULL, **named, "DENIABLE_FULL_UNTIL": "8"}, 7) == "full"
    assert scale_of({**FULL, **named, "DENIABLE_FULL_UNTIL": "7"}, 7) == "small"
    assert scale_of({**FULL, **other}, 7) == scale_of({**FULL, "DENIABLE_FULL_PACKAGES": ""}, 7) == "small"
    assert scale_of({"DENIABLE_SCALE": "slow", **other, "DENIABLE_FULL_UNTIL": "7"}, 7) == "slow"


@pytest.mark.parametrize("wrong", [{"DENIABLE_SCALE": "Full"}, {"DENIABLE_SCALE": ""}, {"DENIABLE_FULL_UNTIL": "-1"}, {"DENIABLE_FULL_UNTIL": ""}])
def test_other_values_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(pytest.UsageError, match=next(iter(wrong))):
        scale_of({**FULL, **wrong}, 7)
