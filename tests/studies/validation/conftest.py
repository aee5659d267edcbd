"""All cases, computed once for all tests of the validation."""

from __future__ import annotations

import pytest

from holdfast.validation import ValidationReport, validate


@pytest.fixture(scope="session")
def report() -> ValidationReport:
    return validate()
