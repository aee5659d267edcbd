"""Freed memory goes back to the system: a viewer runs for days, and each of its threads keeps what it freed."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> bool:
    """Return freed memory to the system where the C library can be asked to (glibc); whether it was asked.

    glibc keeps what a thread has freed for this thread; after a large computation that is hundreds of megabytes.
    """
    if not sys.platform.startswith("linux"):
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return False
    trim(0)
    return True
