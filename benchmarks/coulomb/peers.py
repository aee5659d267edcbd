"""Other programs that decide whether friction cones balance a load, each optional, each in this process.

A peer is made for a scene ("prepared") and then asked about one load after another. `fresh` says that nothing of
an earlier query helps a later one.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np

from benchmarks.coulomb.scenes import EDGES, GRAVITY, MASS, MU, Edges, Scene

LIBRARY = re.compile(r"([^\s/]+): cannot open shared object file")


class Peer(Protocol):
    """A program, prepared for the contacts of one scene."""

    def holds(self, force: np.ndarray, com: np.ndarray) -> bool:
        """Whether contact forces balance a force [N] on the object that acts at `com` [m]."""
        ...


@dataclass(frozen=True)
class Contestant:
    """A way to use a program.

    Attributes:
        name: how the tables call it.
        package: what must be installed for it.
        module: what is imported.
        edges: how it places the edges of its pyramids.
        prepare: makes the peer of a scene.
        warm: whether it goes on from the query before.
    """

    name: str
    package: str
    module: str
    edges: Edges
    prepare: Callable[[Scene], Peer]
    warm: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether its module can be imported, tried once."""
        try:
            load(self.module)
        except ImportError:
            return False
        return True


def load(name: str) -> ModuleType:
    """Import a module; one whose wheel does not say where its shared libraries lie has them loaded first.

    Wheels of the cmeel family keep them in `lib`, three folders above the module.
    """
    while True:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            missing, spec = LIBRARY.search(str(error)), importlib.util.find_spec(name)
            if missing is None or spec is None or spec.origin is None:
                raise
            _load_library(Path(spec.origin).parents[2], missing[1])


def _load_library(folder: Path, name: str) -> None:
    """Load a shared library of `folder`, and before it those of the folder that it needs."""
    while True:
        try:
            ctypes.CDLL(str(folder / name))
        except OSError as error:
            missing = LIBRARY.search(str(error))
            if missing is None or not (folder / missing[1]).is_file():
                raise ImportError(str(error)) from error
            _load_library(folder, missing[1])
        else:
            return


class Hpp:
    """hpp-centroidal-dynamics: the dual linear program, which its authors found fastest."""

    def __init__(self, scene: Scene, solver: str, warm: bool) -> None:
        self._hpp = load("hpp_centroidal_dynamics")
        lp = getattr(self._hpp.SolverLP, f"SOLVER_LP_{solver}")
        self._equilibrium = self._hpp.Equilibrium("scene", MASS, EDGES, lp, warm)
        dual = self._hpp.EquilibriumAlgorithm.EQUILIBRIUM_ALGORITHM_DLP
        self._equilibrium.setNewContacts(scene.positions, scene.normals, MU, dual)

    def holds(self, force: np.ndarray, com: np.ndarray) -> bool:
        """Its masses hang in gravity, so that other forces are accelerations; unbounded robustness holds, too."""
        status, robustness = self._equilibrium.computeEquilibriumRobustness(com, GRAVITY - force / MASS)
        if status == self._hpp.LP_STATUS_OPTIMAL:
            return robustness >= 0.0
        return status == self._hpp.LP_STATUS_UNBOUNDED


class Klampt:
    """Klampt's test of a centre of mass, which takes all contacts anew with every query."""

    def __init__(self, scene: Scene) -> None:
        self._robotsim = load("klampt.robotsim")
        self._robotsim.set_friction_cone_approximation_edges(EDGES)
        self._contacts = [[*x, *n, MU] for x, n in zip(scene.positions.tolist(), scene.normals.tolist(), strict=True)]

    def holds(self, force: np.ndarray, com: np.ndarray) -> bool:
        """Forces at the contacts, or None."""
        return self._robotsim.com_equilibrium(self._contacts, force.tolist(), com.tolist()) is not None


class Drake:
    """Drake: a linear program over the edges, solved by Clp; the load is changed from query to query."""

    def __init__(self, scene: Scene) -> None:
        solvers = load("pydrake.solvers")
        self._columns = scene.generators(Edges.HPP)
        self._program = solvers.MathematicalProgram()
        weights = self._program.NewContinuousVariables(self._columns.shape[1])
        self._program.AddBoundingBoxConstraint(0.0, np.inf, weights)
        self._balance = self._program.AddLinearEqualityConstraint(self._columns, np.zeros(6), weights)
        self._solver = solvers.ClpSolver()

    def holds(self, force: np.ndarray, com: np.ndarray) -> bool:
        """Whether the program has a solution."""
        load_to_carry = -np.concatenate([force, np.cross(com, force)])
        self._balance.evaluator().UpdateCoefficients(self._columns, load_to_carry)
        return self._solver.Solve(self._program).is_success()


class PlainHighs:
    """The full linear program over all edges by highspy alone: what one writes first."""

    def __init__(self, scene: Scene, warm: bool) -> None:
        highspy = load("highspy")
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._warm = warm
        columns = scene.generators(Edges.HPP)
        n = columns.shape[1]
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = n, 6
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(n), np.zeros(n), np.full(n, highspy.kHighsInf)
        lp.row_lower_ = lp.row_upper_ = np.zeros(6)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = 6 * np.arange(n + 1)
        lp.a_matrix_.index_ = np.tile(np.arange(6), n)
        lp.a_matrix_.value_ = columns.T.ravel()
        self._highs = highspy.Highs()
        self._highs.setOptionValue("output_flag", False)
        self._highs.passModel(lp)

    def holds(self, force: np.ndarray, com: np.ndarray) -> bool:
        """Whether the program has a solution; without memory of the one before unless warm."""
        for row, value in enumerate(np.concatenate([-force, -np.cross(com, force)]).tolist()):
            self._highs.changeRowBounds(row, value, value)
        if not self._warm:
            self._highs.clearSolver()
        self._highs.run()
        return self._highs.getModelStatus() == self._optimal


def _hpp(solver: str, warm: bool) -> Callable[[Scene], Peer]:
    return lambda scene: Hpp(scene, solver, warm)


def _highs(warm: bool) -> Callable[[Scene], Peer]:
    return lambda scene: PlainHighs(scene, warm)


HPP_PACKAGE = ("hpp-centroidal-dynamics", "hpp_centroidal_dynamics")
CONTESTANTS = (
    Contestant("hpp, qpOASES", *HPP_PACKAGE, Edges.HPP, _hpp("QPOASES", False)),
    Contestant("hpp, qpOASES, warm", *HPP_PACKAGE, Edges.HPP, _hpp("QPOASES", True), warm=True),
    Contestant("hpp, Clp", *HPP_PACKAGE, Edges.HPP, _hpp("CLP", False)),
    Contestant("Drake, Clp", "drake", "pydrake.solvers", Edges.HPP, Drake),
    Contestant("Klampt", "klampt", "klampt.robotsim", Edges.KLAMPT, Klampt),
    Contestant("highspy", "highspy", "highspy", Edges.HPP, _highs(False)),
    Contestant("highspy, warm", "highspy", "highspy", Edges.HPP, _highs(True), warm=True),
)
