"""Linear programs over a Minkowski sum of transformed polytopes and cones, known by their vertices and rays alone.

The sum itself, with its facets, is never made: it is only needed through its support function, which is one product of
a matrix and a vector per hand. `SumSolver` is compiled; it is loaded, with the compiler, when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import loader
from .optimum import HandWeights, SumEffort, SumOptimum, SumStatus

if TYPE_CHECKING:
    from .batches import SumBatch
    from .columns import Shape, prepare
    from .full_program import FullProgram
    from .solver import SumSolver

__all__ = [
    "FullProgram",
    "HandWeights",
    "Shape",
    "SumBatch",
    "SumEffort",
    "SumOptimum",
    "SumSolver",
    "SumStatus",
    "prepare",
]

_HOME = {
    "FullProgram": "full_program",
    "Shape": "columns",
    "SumBatch": "batches",
    "SumSolver": "solver",
    "prepare": "columns",
}

__getattr__ = loader(__name__, _HOME)
