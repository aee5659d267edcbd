"""Validation: comparison with measurements, structures that stood or fell, textbooks and other programs.

`python -m studies.validation` computes all cases and saves a table "theirs / ours" of each, `validate` only computes.
"""

from .comparisons import ComparedValue as ComparedValue
from .comparisons import Validation as Validation
from .validating import CASES as CASES
from .validating import validate as validate
