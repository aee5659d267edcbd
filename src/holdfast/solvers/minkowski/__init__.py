"""Linear programs over a Minkowski sum of transformed polytopes and cones, given by their vertices and rays alone.

The sum itself, with its facets, is never computed: only its support function is needed, which is one product of a
matrix and a vector per hand. `SumSolver` is compiled; it is loaded, with the compiler, when it is first used.
"""

from ...public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
