"""Archives: HDF5 files of arrays and facts, whole, checksummed and versioned."""

from __future__ import annotations

from .contents import Contents
from .kind import ArchiveKind, release
from .open_archive import OpenArchive
from .whole_files import write_whole

__all__ = ["ArchiveKind", "Contents", "OpenArchive", "release", "write_whole"]
