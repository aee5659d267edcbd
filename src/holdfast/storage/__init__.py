"""Archives: HDF5 files of arrays and facts, whole, checksummed and versioned."""

from __future__ import annotations

from .archive import ArchiveKind, Contents, OpenArchive, format_of, release

__all__ = ["ArchiveKind", "Contents", "OpenArchive", "format_of", "release"]
