"""Many independent questions: on one core, on processes, on a cluster; saved while running, resumed where they stopped.

A sweep is cut into chunks by the index of its queries alone. Whoever computes a chunk, and in whatever order, the
results and the bytes of the finished journal are the same.
"""

from __future__ import annotations

from .journal import fingerprint
from .workers import sweep

__all__ = ["fingerprint", "sweep"]
