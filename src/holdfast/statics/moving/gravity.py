"""Gravity sweeps: verdict and load factor of a device or scene with gravity from many sides, saved as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...assembly.loads import circle_directions
from ...checks import Array, BoolArray
from ...errors import InputError, SolverError
from ...jobs import fingerprint, sweep
from ...solvers import Status
from ..equilibrium import Method
from .paths import Subject, gravity_size, under_gravity
from .warm import Warm

#: Directions that are asked one after the other from one warm start: the unit of saving and of sharing out.
CHUNK = 16


@dataclass(frozen=True, eq=False)
class GravitySweep:
    """The verdicts of a gravity sweep.

    Attributes:
        gravities: (n, 3) gravity in the frame of the contacts [m/s^2].
        status: (n,) as `Status`.
        verified: (n,) whether the proof of each verdict was checked and found right.
        factors: (n,) load factors: the largest multiple of the object's weight that is held, the links' weight kept;
            nan when not asked for.
        upper_bounds: (n,) no factor above this holds.
    """

    gravities: Array
    status: Array
    verified: BoolArray
    factors: Array
    upper_bounds: Array

    def __repr__(self) -> str:
        return f"GravitySweep(holds in {int(self.holds.sum())} of {len(self)} directions)"

    def __len__(self) -> int:
        return len(self.gravities)

    @property
    def holds(self) -> BoolArray:
        """(n,) whether it was found to hold; undecided does not count."""
        return np.array([status is Status.HOLDS for status in self.status], dtype=bool)

    @property
    def least_factor(self) -> float:
        """The smallest load factor of all directions; nan when none was asked for."""
        return float(np.min(self.factors))


class GravityTask:
    """What a sweep asks of each direction; travels to other processes, and answers alike in all of them."""

    batch = CHUNK

    def __init__(self, subject: Subject, method: Method | None = None, *, factors: bool = True) -> None:
        self.subject, self.method, self.factors = subject, method, factors

    def __call__(self, query: Any) -> dict[str, Any]:
        """The answer for one gravity (3,) [m/s^2], asked cold."""
        return self.many([query])[0]

    def many(self, queries: Sequence[Any]) -> list[dict[str, Any]]:
        """The answers for several gravities, each asked from where the last one ended."""
        warm = Warm(self.method)
        return [self._answer(warm, query) for query in queries]

    def _answer(self, warm: Warm, query: Any) -> dict[str, Any]:
        gravity = np.asarray(query, dtype=np.float64)
        assembly, weight = under_gravity(self.subject, gravity)
        result: dict[str, Any] = {
            "gravity": gravity.tolist(),
            "status": Status.UNDECIDED.value,
            "proof_verified": False,
            "load_factor": None,
            "load_factor_upper_bound": None,
        }
        with suppress(SolverError):  # a backend that fails leaves one direction open, and does not end the sweep
            held = warm.equilibrium(assembly, weight)
            result |= {"status": held.status.value, "proof_verified": held.verify()}
            if self.factors:
                most = warm.load_limit(assembly, weight)
                result["load_factor"] = _json_number(most.value)
                result["load_factor_upper_bound"] = _json_number(most.upper_bound)
        return result


def _json_number(value: float) -> float | str:
    """A number that JSON knows, or "inf" and "-inf"."""
    return float(value) if np.isfinite(value) else str(float(value))


def gravity_sweep(
    subject: Subject,
    directions: ArrayLike | int = 72,
    *,
    factors: bool = True,
    method: Method | None = None,
    journal: str | Path | None = None,
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GravitySweep:
    """Whether a device or scene holds with gravity along each of many directions, and how many times its weight.

    Args:
        subject: a `Device` or a `Scene`, held by its base.
        directions: (n, 3) directions of gravity in the frame of the contacts; a whole number n asks for a circle in the
            x-z plane that begins straight down (IV.E: 72).
        factors: whether to find load factors too; verdicts alone are about twice as fast.
        method: how to solve; `Exact()` by default.
        journal: file to save to and to resume from; only what it lacks is computed.
        workers: processes that share the work.
        cluster: address of a Dask scheduler that shares it out instead.
        progress: called with (done, total).
    """
    if isinstance(directions, int | np.integer):
        units = circle_directions(int(directions))
    else:
        given = checks.array("directions", directions, ("n", 3))
        if not len(given):
            raise InputError("is empty", where="directions", fix="give at least one direction of gravity")
        units = np.array([checks.direction(f"directions[{i}]", row, 3) for i, row in enumerate(given)])
    under_gravity(subject, units[0])  # what cannot be asked is told before the sweep begins
    queries = (gravity_size(subject) * units).tolist()
    results = sweep(
        GravityTask(subject, method, factors=factors),
        queries,
        workers=workers,
        cluster=cluster,
        journal=journal,
        key=_key(subject, method, factors),
        progress=progress,
    )
    return sweep_of(results)


def sweep_of(results: Sequence[dict[str, Any]]) -> GravitySweep:
    """The results of a gravity sweep, as they were computed or read back from a journal."""
    return GravitySweep(
        gravities=np.array([result["gravity"] for result in results], dtype=np.float64).reshape(-1, 3),
        status=np.array([Status(result["status"]) for result in results], dtype=object),
        verified=np.array([result["proof_verified"] for result in results], dtype=bool),
        factors=_numbers(results, "load_factor"),
        upper_bounds=_numbers(results, "load_factor_upper_bound"),
    )


def _numbers(results: Sequence[dict[str, Any]], name: str) -> Array:
    return np.array([np.nan if result[name] is None else float(result[name]) for result in results])


def _key(subject: Subject, method: Method | None, factors: bool) -> str:
    """What the results depend on besides the direction: contacts, joints and weights at three gravities, the method."""
    parts: list[Any] = ["gravity sweep", repr(method), factors]
    for axis in np.eye(3):  # weights are linear in gravity: three directions tell all of them
        assembly, weight = under_gravity(subject, axis)
        rows = assembly.joints
        contacts = [[c.position, c.rotation, c.volume.fingerprint] for c in assembly.contacts]
        parts.append([contacts, [] if rows is None else [rows.jacobian, rows.lower, rows.upper], weight])
    return fingerprint(*parts)
