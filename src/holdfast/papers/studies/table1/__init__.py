"""Table I: equilibrium tests and load limits of nine devices, by our method and by rivals, timed."""

from __future__ import annotations

from .study import FEW_RIVALS, RIVALS, Settings, TableOne, TableRow, table_one

__all__ = ["FEW_RIVALS", "RIVALS", "Settings", "TableOne", "TableRow", "table_one"]
