"""All cases, computed once for all tests of the validation."""

from __future__ import annotations

import pytest

from studies.validation import Validation, validate


@pytest.fixture(scope="session")
def report() -> dict[str, Validation]:
    return {case.name: case for case in validate()}
