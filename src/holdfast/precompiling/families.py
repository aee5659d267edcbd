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
from typing import Any

from .. import checks
from ..compiling import VARIABLE
from ..errors import UnknownNameError, WorkerError
from ..feature import imported
from ..features import features
from ..public_names import with_advice
from ..results import Result

#: The families of all features by their names; the longest to compile first.
FAMILIES = {
    family.name: family
    for family in sorted((x for feature in features().values() for x in feature.kernels), key=lambda x: x.place)
}


def is_compiled() -> bool:
    """Whether a compiled form of every family is stored; it may belong to older sources."""
    return all(imported(f"holdfast.{kernel}").is_stored for family in FAMILIES.values() for kernel in family.stored)


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
    imported(f"holdfast.{FAMILIES[name].use}")()
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
