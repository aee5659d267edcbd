"""Families of kernels. A family is compiled by calling its functions once; every family has its own process.

The compiler uses one core. Families share no stored kernels, so several processes can compile at the same time. Each
compiled kernel is stored on disk, where every later process finds it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from .. import checks
from ..compiling import VARIABLE
from ..errors import UnknownNameError, WorkerError
from ..public_names import with_advice
from ..results import Result


def _solver() -> None:
    """Equilibrium, load limits, and the motion of a body that does not hold."""
    from ..dynamics import separation
    from ..scenes import load_scene
    from ..statics import Solver, equilibrium, load_limit

    scene = load_scene("@microspine_pull")
    assembly, weight = scene.assembly, scene.gravity_load()
    equilibrium(assembly, weight)
    load_limit(assembly, weight)
    Solver(assembly).load_limit_many(np.array([weight]))
    separation(assembly, weight, np.diag([1.0, 1.0, 1.0, 0.01, 0.01, 0.01]))


def _postures() -> None:
    """Postures, their support regions, and batches of them."""
    from ..grips import Grip, OuterGrip
    from ..postures import posture_equilibrium, posture_many, support_region
    from ..postures.files import load_posture
    from ..solvers.minkowski.limited import LimitedSum

    for name in ("@quadruped_on_rock", "@climber_on_overhang", "@braced_in_a_chimney"):
        scene = load_posture(name)
        posture_equilibrium(scene.grips, scene.poses, scene.wrench).verify()
        support_region(scene.grips, scene.poses, scene.mass, scene.gravity)
    scene = load_posture("@climber_on_overhang")
    posture_many(scene.grips, [scene.poses] * 16, scene.wrench)
    planes = np.concatenate([np.eye(6), -np.eye(6)])
    posture_equilibrium([OuterGrip(planes, np.full(12, 100.0))] * len(scene.poses), scene.poses, scene.wrench)
    grip = Grip.box(np.full(6, -100.0), np.full(6, 100.0))
    limbs = LimitedSum([grip.prepared], [0], length=1.0, row_lengths=[1.0], force=1.0)
    limbs.place(np.eye(6)[None], np.ones((1, 1, 6)))
    limbs.limit([0.0], [-1.0], [1.0])
    limbs.holds(np.zeros(6))


def _planar() -> None:
    """Motions of planar contacts, and torques of planar chains."""
    from ..planar import load_planar

    peg, snake, brace = (
        cast(Any, load_planar(name)) for name in ("@peg_in_hole", "@six_link_snake", "@two_link_snake")
    )
    peg.motions()
    snake.motions()
    brace.torque_sets()


def _sharing() -> None:
    """How contacts on springs share a load, with contacts that fail, slip and yield."""
    from ..scenes import load_scene
    from ..sharing import load_sharing

    scene = load_scene("@microspine_pull")
    load_sharing(scene.assembly, scene.gravity_load(), (1000.0, 500.0))


def _motion() -> None:
    """How a body moves on contacts with Coulomb friction, and whether rest is its only motion."""
    from ..dynamics import strong_stability
    from ..scenes import load_scene

    scene = load_scene("@block_on_slope")
    strong_stability(scene.assembly, scene.gravity_load(), scene.mass_matrix())


#: What each family of kernels is for, with a function that calls all its kernels; the longest to compile first.
FAMILIES: dict[str, Callable[[], None]] = {
    "postures and support regions": _postures,
    "equilibrium, load limits, separation": _solver,
    "motion by Coulomb's law": _motion,
    "load sharing": _sharing,
    "planar contact": _planar,
}


def is_compiled() -> bool:
    """Whether a compiled form of every family is stored; it may belong to older sources."""
    from ..planar.kernels import enumerate_modes
    from ..sharing.kernels import run as follow
    from ..solvers.exact.search import solve
    from ..solvers.min_norm import run
    from ..solvers.minkowski.solver import ask

    return all(kernel.is_stored for kernel in (solve, ask, run, follow, enumerate_modes))


@dataclass(frozen=True)
class CompiledFamily(Result):
    """One family of kernels that was compiled, or found compiled.

    Attributes:
        name: what its kernels are for.
        seconds: wall time [s].
        cpu_seconds: CPU time of its process [s].
    """

    name: str
    seconds: float
    cpu_seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Its name and times as plain data."""
        return asdict(self)


@with_advice()
def compile(
    families: Iterable[str] | None = None,
    *,
    jobs: int | None = None,
    priority: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[CompiledFamily, ...]:
    """Compile all kernels and store them; those that are stored already are only loaded.

    Args:
        families: which kernels, by the names in `FAMILIES`; all by default.
        jobs: how many processes compile at a time; as many as there are cores by default.
        priority: added to the nice value of the processes (POSIX); 10 gives other programs precedence.
        progress: called with (families done, families) at the start and after each.
    """
    chosen = list(FAMILIES) if families is None else list(families)
    for name in chosen:
        if name not in FAMILIES:
            raise UnknownNameError("family of kernels", name, FAMILIES, where="families")
    most = checks.count("jobs", (os.cpu_count() or 1) if jobs is None else jobs)
    done: list[CompiledFamily] = []
    if progress is not None:
        progress(0, len(chosen))
    with ThreadPoolExecutor(most) as pool:
        for future in as_completed([pool.submit(_compiled, name, priority) for name in chosen]):
            done.append(future.result())
            if progress is not None:
                progress(len(done), len(chosen))
    return tuple(sorted(done, key=lambda family: list(FAMILIES).index(family.name)))


def ask(name: str, priority: int) -> None:
    """Call the functions of a family in this process; print the CPU seconds that it took."""
    if priority and hasattr(os, "nice"):
        os.nice(priority)
    FAMILIES[name]()
    print(time.process_time())  # noqa: T201 - read by `_compiled`


def _compiled(name: str, priority: int) -> CompiledFamily:
    began = time.perf_counter()
    own_path = f"import sys; sys.path[:] = {sys.path!r}"
    question = f"from holdfast.precompiling.families import ask; ask({name!r}, {priority})"
    command = [sys.executable, "-c", f"{own_path}; {question}"]
    environment = {**os.environ, VARIABLE: "compiled"}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if process.returncode:
        last = process.stderr.strip().rpartition("\n")[2]
        raise WorkerError(f"the compiler ended with code {process.returncode}: {last}", where=name, fix="report it")
    return CompiledFamily(name, time.perf_counter() - began, float(process.stdout.split()[-1]))
