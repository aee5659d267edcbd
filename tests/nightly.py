"""Parameters of which the default run takes a few and the nightly run all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def nightly_after(count: int, values: Iterable[Any]) -> list[Any]:
    """All values as parameters; those after the first `count` are marked `nightly`."""
    return [
        value if number < count else pytest.param(value, marks=pytest.mark.nightly)
        for number, value in enumerate(values)
    ]
