"""The pages of the viewer, one module a kind; each module lists its ready pages in `ENTRIES`."""

from __future__ import annotations
