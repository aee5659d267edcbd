"""Many independent queries: on one core, on processes or on a cluster; saved while running, and resumable.

A sweep is cut into chunks by the index of its queries alone. The results and the bytes of the finished journal do not
depend on where and in which order the chunks are computed.
"""

from __future__ import annotations

from .journal import fingerprint
from .workers import sweep

__all__ = ["fingerprint", "sweep"]
