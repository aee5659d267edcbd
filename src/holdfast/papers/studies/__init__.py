"""The papers' tables, figures and experiments, each a function.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import loader

if TYPE_CHECKING:
    from .table1 import TableOne, table_one

_HOME = {
    "TableOne": "table1",
    "table_one": "table1",
}

__all__ = ["TableOne", "table_one"]

__getattr__ = loader(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
