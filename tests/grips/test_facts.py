from __future__ import annotations

import math
from typing import Any

import pytest

from holdfast.errors import InputError
from holdfast.grips import GripFacts


def test_everything_may_be_unknown_and_facts_compare_by_what_they_say() -> None:
    assert GripFacts() == GripFacts() and GripFacts().seed is None
    assert GripFacts(seed=2**100).seed == 2**100
    assert GripFacts(inner_error=math.inf).inner_error == math.inf


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"seed": -1}, "seed: is -1"),
        ({"n": 1.5}, "n: is 1.5"),
        ({"inner_error": math.nan}, "inner_error: is nan"),
        ({"outer_error": -0.1}, "outer_error: is -0.1"),
        ({"concavity": "much"}, "concavity: is not a number"),
        ({"acting": "sideways"}, "acting: is 'sideways'"),
        ({"method": 3}, "method: is a int"),
    ],
)
def test_facts_that_cannot_be_are_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GripFacts(**entries)
