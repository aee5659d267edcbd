"""Postures one after another: verdict and margin of each, warm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ... import checks
from ...assembly.assembly import Assembly
from ...checks import Array, BoolArray
from ...errors import InputError
from ...solvers import Status
from ..equilibrium import Equilibrium, LoadLimit, Method
from .warm import Warm


@dataclass(frozen=True, eq=False)
class Followed:
    """The answers along a sequence of postures.

    Attributes:
        answers: one Equilibrium a posture, with its proof.
        limits: one LoadLimit a posture along its own wrench, or () when they were not asked for.
    """

    answers: tuple[Equilibrium, ...]
    limits: tuple[LoadLimit, ...] = ()

    def __repr__(self) -> str:
        return f"Followed({int(self.holds.sum())} of {len(self)} hold)"

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def statuses(self) -> tuple[Status, ...]:
        """What came out of each posture."""
        return tuple(answer.status for answer in self.answers)

    @property
    def holds(self) -> BoolArray:
        """(n,) whether forces were found; undecided does not count as holding."""
        return np.array([answer.holds for answer in self.answers], dtype=bool)

    @property
    def margins(self) -> Array:
        """(n,) load limits as multiples of each posture's wrench; inf without a limit, nan when not asked for.

        A posture whose links weigh on the joints may hold its wrench once and not a smaller share of it.
        """
        if not self.limits:
            return np.full(len(self), np.nan)
        return np.array([limit.value for limit in self.limits])

    @property
    def first_loss(self) -> int | None:
        """Number of the first posture that is proven not to hold, or None."""
        return next((i for i, status in enumerate(self.statuses) if status is Status.DOES_NOT_HOLD), None)

    def verify(self) -> bool:
        """Check every verdict and margin without the solver; False if any is undecided."""
        return all(answer.verify() for answer in (*self.answers, *self.limits))


def follow(
    postures: Iterable[tuple[Assembly, Array]], *, margins: bool = False, method: Method | None = None
) -> Followed:
    """Whether each of a sequence of postures holds, each asked from where the last one ended.

    Args:
        postures: (assembly, external wrench (6,)) in order; neighbours that are alike are answered fastest.
        margins: whether to find the load limit of each along its wrench as well.
        method: how to solve; `Exact()` by default.
    """
    warm = Warm(method)
    answers: list[Equilibrium] = []
    limits: list[LoadLimit] = []
    checks.iterable("postures", postures, fix="give a list of (assembly, wrench)")
    for index, posture in enumerate(postures):
        if not isinstance(posture, tuple) or len(posture) != 2 or not isinstance(posture[0], Assembly):
            raise InputError("is no posture", where=f"postures[{index}]", fix="give (assembly, wrench)")
        assembly, wrench = posture[0], checks.vector(f"postures[{index}][1]", posture[1], 6)
        if margins and not wrench.any():
            fix = "give a load to multiply, or leave margins out"
            raise InputError("is zero and has no margin", where=f"postures[{index}][1]", fix=fix)
        answers.append(warm.equilibrium(assembly, wrench))
        if margins:
            limits.append(warm.load_limit(assembly, wrench))
    if not answers:
        raise InputError("is empty", where="postures", fix="give at least one (assembly, wrench)")
    return Followed(tuple(answers), tuple(limits))
