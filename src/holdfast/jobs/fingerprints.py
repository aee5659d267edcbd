"""Short hashes of values, the same in every process: what a journal belongs to."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError


def fingerprint(*parts: Any) -> str:
    """A short hash of JSON-like parts and arrays, the same in every process; names what a journal belongs to."""
    try:
        text = json.dumps(parts, sort_keys=True, default=plain)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"has no fingerprint: {error}", where="parts", fix="give numbers, texts, lists or arrays"
        ) from None
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain(value: Any) -> Any:
    """Arrays and numpy's numbers as lists and numbers, to the last digit; paths as text."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a {type(value).__name__} is neither JSON nor an array")
