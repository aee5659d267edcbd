"""Task constraints: what the motion, the forces and the torques shall do beyond the contact mode (Greenfield II.B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError

KINDS = ("=", ">=")


@dataclass(frozen=True)
class Task:
    """a . qdd + f . forces + tau . torques = c, or >= c; one row, or several rows that belong together.

    Attributes:
        a: (n,) or (r, n) coefficients of the accelerations, or None.
        f: (2k,) or (r, 2k) coefficients of the contact forces in the order (ft1, fn1, ft2, fn2, ...), or None.
        tau: (t,) or (r, t) coefficients of the torques, or None.
        c: the right-hand side, one number or (r,).
        kind: "=" or ">=".
    """

    a: Array | None = None
    f: Array | None = None
    tau: Array | None = None
    c: Array | float = 0.0
    kind: Literal["=", ">="] = "="

    def __init__(
        self,
        a: ArrayLike | None = None,
        f: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        c: ArrayLike = 0.0,
        kind: Literal["=", ">="] = "=",
    ) -> None:
        if kind not in KINDS:
            raise UnknownNameError("kind of task", str(kind), KINDS, where="kind")
        if a is None and f is None and tau is None:
            raise InputError("a task without coefficients constrains nothing", where="task", fix="give a, f or tau")
        for name, value in (("a", a), ("f", f), ("tau", tau)):
            if value is not None:
                shape = ("n",) if _dimensions(name, value) == 1 else ("r", "n")
                value = checks.array(name, value, shape)
            object.__setattr__(self, name, value)
        right = checks.array("c", c, ("r",) if _dimensions("c", c) == 1 else ())
        object.__setattr__(self, "c", right if right.ndim else float(right))
        object.__setattr__(self, "kind", kind)

    def rows(self, accelerations: int, forces: int, torques: int, where: str = "task") -> tuple[Array, Array]:
        """Coefficients (r, accelerations + forces + torques) and right-hand sides (r,) for a system of these sizes."""
        parts: list[Array] = []
        counts = {np.atleast_2d(part).shape[0] for part in (self.a, self.f, self.tau) if part is not None}
        if np.ndim(self.c):
            counts.add(len(np.atleast_1d(self.c)))
        height = max(counts)
        if counts - {height, 1}:
            raise InputError(f"mixes {sorted(counts)} rows", where=where, fix="give the same number of rows to each")
        for name, part, size in (("a", self.a, accelerations), ("f", self.f, forces), ("tau", self.tau, torques)):
            given = np.zeros((1, size)) if part is None else np.atleast_2d(part)
            if given.shape[1] != size:
                raise InputError(
                    f"has {given.shape[1]} coefficients", where=f"{where}.{name}", fix=f"this system has {size}"
                )
            parts.append(np.broadcast_to(given, (height, size)))
        return np.hstack(parts), np.broadcast_to(np.asarray(self.c, dtype=float), (height,))


def _dimensions(name: str, value: ArrayLike) -> int:
    """How many dimensions an array has; rows of different lengths are an error."""
    try:
        return np.ndim(value)
    except ValueError:
        raise InputError("has rows of different lengths", where=name, fix="give rows of one length") from None


def standstill(accelerations: int) -> tuple[Task, ...]:
    """The tasks qdd = 0, one per coordinate: the robot shall not start to move."""
    return tuple(Task(a=row) for row in np.eye(accelerations))
