"""Freed memory goes back to the system: a viewer runs for days, and each of its threads would keep what it freed."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

#: Number of glibc's parameter (malloc.h) for how many heaps there may be.
M_ARENA_MAX = -8

#: Heaps that all threads share; without a limit there would be up to eight a core, each with its own gaps.
HEAPS = 2


def share_heaps() -> bool:
    """Let all threads share few heaps where the C library can be told to (glibc); whether it was told.

    To be called before the threads begin. What one thread frees then serves the next, instead of waiting for its own.
    """
    tell = _function("mallopt")
    return tell is not None and bool(tell(M_ARENA_MAX, HEAPS))


def give_back() -> bool:
    """Return freed memory to the system where the C library can be asked to (glibc); whether it was asked."""
    trim = _function("malloc_trim")
    if trim is None:
        return False
    trim(0)
    return True


def _function(name: str) -> Any:
    """A function of the C library; None where there is none."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
