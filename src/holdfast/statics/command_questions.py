"""What a command asks of a scene: the external wrench, from options; and how it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..console.options import is_exact, vector
from ..errors import InputError

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..checks import Array
    from ..scenes import Scene
    from ..solvers import SolverStats
    from .equilibrium import Equilibrium, LoadLimit, Method
    from .solver import Solver


@dataclass(frozen=True, eq=False)
class Question:
    """A scene under its gravity, and the wrench (6,) on its object; `words` tell what it consists of."""

    scene: Scene
    wrench: Array
    words: str


def ask(scene: Scene, *, loads: Sequence[str], gravity: str | None, wrench: str | None, weight: bool) -> Question:
    """The question that the options of `check` pose.

    The object's weight always acts, under the scene's gravity or the one given, unless it is left out; named loads
    come on top. A wrench given by its numbers is the whole load.
    """
    import numpy as np

    if gravity is not None:
        scene = scene.with_gravity(vector("--gravity", gravity, 3))
    if wrench is not None:
        if loads:
            raise InputError(
                "is given with --load", where="--wrench", fix="--wrench is the whole load: give one of the two"
            )
        return Question(scene, vector("--wrench", wrench, 6), "the wrench given")
    parts, words = [scene.load(name) for name in loads], list(loads)
    if weight and (scene.mass is not None or not loads):
        parts.insert(0, scene.gravity_load())
        words.insert(0, "weight")
    if not parts:
        raise InputError("nothing is left to ask about", where="--no-weight", fix="give --load NAME or --wrench")
    return Question(scene, np.sum(parts, axis=0), " + ".join(words))


class Asker:
    """Puts many questions about assemblies that differ little; the exact method starts from its last answer."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._solver: Solver | None = None

    def equilibrium(self, assembly: Assembly, wrench: Array) -> Equilibrium:
        """Whether the wrench (6,) is held."""
        from .equilibrium import equilibrium

        solver = self._solver_for(assembly)
        return equilibrium(assembly, wrench, method=self._method) if solver is None else solver.equilibrium(wrench)

    def load_limit(self, assembly: Assembly, direction: Array) -> LoadLimit:
        """The largest multiple of the wrench (6,) that is held."""
        from .equilibrium import load_limit

        solver = self._solver_for(assembly)
        return load_limit(assembly, direction, method=self._method) if solver is None else solver.load_limit(direction)

    def _solver_for(self, assembly: Assembly) -> Solver | None:
        """The warm solver, now about this assembly; None where the method has none."""
        if not is_exact(self._method):
            return None
        from .solver import Solver

        if self._solver is None:
            self._solver = Solver(assembly, self._method)
        elif self._solver.assembly is not assembly:
            self._solver.move_to(assembly)
        return self._solver


def effort_data(effort: SolverStats) -> dict[str, Any]:
    """What an answer cost, as data."""
    return {
        "nodes": effort.nodes,
        "programs": effort.programs,
        "pivots": effort.pivots,
        "seconds": effort.seconds,
        "stages": dict(effort.stages),
        "referee": effort.referee,
    }
