"""Strong stability: is rest the only motion that rigid contacts with Coulomb friction allow?

Rest is possible where admissible forces balance the load (`equilibrium`). Another motion may also be possible: a
jammed peg may fall. Three facts make the search for other motions finite. With x = L^T a, M = L L^T,
x0 = L^-1 w and forces f_i above their apexes,

    |x|^2 = x . (x0 + sum B_i f_i) = x0 . x + sum f_i . a_i <= x0 . x,

since contacts only dissipate: f_n a_n = 0 and f_t . a_t <= 0. (Joints that move by theta add their work: at most
push . theta, with the torque of least size within their bounds.) So every motion has x0 . x > 0 and lies in the ball
with the diameter from 0 to x0. If normal forces alone balance the load, x0 = -sum f_n n and x0 . x = -sum f_n a_n <= 0:
no motion is possible for any friction. And the cells of contact modes (see `kernels`) contain every motion.

A closed tree of empty cells is the certificate. Its leaves carry multipliers; `verify` checks them with the circular
cones themselves, without the solver. It excludes motions with x0 . x above `STRICT` of |x0|^2, in which contacts that
touch or stick accelerate by no more than `SLACK`, and those that separate by more than `OPENS` times that.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..assembly.assembly import Assembly, SceneLike
from ..checks import Array
from ..compiling import clock
from ..public_names import with_advice
from ..results import Result, proof
from ..solvers import SolverStats, Status
from ..statics.holding import Equilibrium, stats_data
from .certificates import NoMotion
from .cones import CoulombProblem, build_problem
from .coulomb import CoulombMotion, CoulombStatus, checked_question, is_about, is_rest, rest_of
from .kernels import FOUND
from .mass import dynamic_question
from .search import MotionSearch, SearchRun


class StabilityStatus(StrEnum):
    """Outcome; the value is the message."""

    STAYS = "stays"
    MAY_STAY = "may stay"
    MOVES = "moves"
    INCONSISTENT = "inconsistent"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False, kw_only=True)
class StrongStability(Result):
    """Result of `strong_stability`, with the proof that no other motion exists, or with the other motion.

    Attributes:
        assembly: contacts and joint rows.
        wrench: (6,) the external wrench on the object, torque about the world origin.
        mass_matrix: (6, 6) about the world origin.
        status: "stays": rest is the only motion. "may stay": rest is possible, and so is `other_motion`. "moves": rest
            is not possible; `other_motion` is one that is. "inconsistent": neither rest nor any motion obeys the law.
            "undecided": a limit was reached, or rest is too close to its limit.
        rest: whether rest is possible, with forces or a certificate.
        other_motion: a motion that obeys Coulomb's law; None where there is none, or none was found.
        certificate: the closed trees that prove that there is no other motion; None where there is one.
        open_cells: cells of contact modes that are left where it is undecided.
        effort: counts and time of the computation.
    """

    assembly: Assembly
    wrench: Array
    mass_matrix: Array
    status: StabilityStatus
    rest: Equilibrium
    other_motion: CoulombMotion | None
    certificate: NoMotion | None
    open_cells: int
    effort: SolverStats

    def __repr__(self) -> str:
        return f"StrongStability({self.status.value}, {len(self.assembly)} contacts)"

    @property
    def holds(self) -> bool:
        """Whether rest is the only motion. "May stay" and "undecided" do not count."""
        return self.status is StabilityStatus.STAYS

    @cached_property
    def problem(self) -> CoulombProblem:
        """The law of every contact, whitened."""
        return build_problem(self.assembly, self.wrench, self.mass_matrix, np.zeros(6))

    @proof
    def verify(self) -> bool:
        """Check the result without the solver: rest, the other motion, and the multipliers of every leaf."""
        question = checked_question(self.assembly, self.wrench, self.mass_matrix, None, None)
        other, closed = self.other_motion, self.certificate
        moves = other is not None and is_about(other, question) and other.status == CoulombStatus.MOVES
        known = _status(self.rest.status, moves, closed is not None)
        if self.status == StabilityStatus.UNDECIDED or self.status != known or self.open_cells != 0:
            return False
        if (other is None) is (closed is None) or not is_rest(self.rest, question):
            return False
        return other.verify() if other is not None else closed is not None and closed.verify(question.problem)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in sentences."""
        words = {
            StabilityStatus.STAYS: "It stays: rest is the only motion that obeys Coulomb's law.",
            StabilityStatus.MAY_STAY: "It may stay: rest is possible, but another motion obeys Coulomb's law too.",
            StabilityStatus.MOVES: "It moves: no admissible forces keep it at rest.",
            StabilityStatus.INCONSISTENT: "Neither rest nor any motion obeys Coulomb's law: a contact cannot press as "
            "hard as it would have to.",
            StabilityStatus.UNDECIDED: f"It is undecided whether it stays: {self._left()}.",
        }
        return (words[self.status], *(() if self.other_motion is None else self.other_motion.sentences))

    def _left(self) -> str:
        if self.rest.status is Status.UNDECIDED:
            return "the load is too close to the largest that friction can hold"
        return f"{self.open_cells} cells of contact modes are not decided"

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the verdict, the other motion, the size of the proof."""
        return {
            "status": self.status.value,
            "holds": self.holds,
            "rests": self.rest.status.value,
            "wrench": self.wrench.tolist(),
            "other_motion": None if self.other_motion is None else self.other_motion.to_dict(),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "open_cells": self.open_cells,
            "sentences": list(self.sentences),
            "effort": stats_data(self.effort),
        }


@with_advice()
def strong_stability(
    assembly: Assembly | SceneLike,
    load: ArrayLike | None = None,
    mass_matrix: ArrayLike | None = None,
    *,
    method: MotionSearch | None = None,
) -> StrongStability:
    """Whether rest is the only motion of an object at rest that obeys Coulomb's law at every contact.

    Args:
        assembly: contacts that are cones about their normals (coulomb, soft_finger, suction, magnet, ...), joint rows;
            or a scene, whose weight and mass matrix are the defaults.
        load: (6,) external force [N] and torque [N m] about the world origin, weight included.
        mass_matrix: (6, 6) about the world origin, symmetric and positive definite; see `mass_matrix`.
        method: limits of the search.
    """
    began = clock()
    question = checked_question(*dynamic_question(assembly, load, mass_matrix), None, method)
    rest = rest_of(question.assembly, question.load)
    run = SearchRun(question.problem, moving=rest.status is not Status.DOES_NOT_HOLD)
    outcome = run.go(question.method, began)
    effort = run.effort(clock() - began)
    other, open_cells, certificate = None, run.open_cells + int(run.states[-1].counts[0]), None
    if outcome == FOUND:
        other, open_cells = question.moving(run.found(), rest, effort), 0
    elif not open_cells:
        certificate = NoMotion.from_run(run)
    return StrongStability(
        assembly=question.assembly, wrench=question.load, mass_matrix=question.mass_matrix,
        status=_status(rest.status, other is not None, certificate is not None), rest=rest, other_motion=other,
        certificate=certificate, open_cells=open_cells, effort=effort,
    )  # fmt: skip


def _status(rest: Status, other: bool, closed: bool) -> StabilityStatus:
    """The verdict from the results for rest and for other motions."""
    if rest is Status.UNDECIDED or not (other or closed):
        return StabilityStatus.UNDECIDED
    if rest is Status.HOLDS:
        return StabilityStatus.MAY_STAY if other else StabilityStatus.STAYS
    return StabilityStatus.MOVES if other else StabilityStatus.INCONSISTENT


def use_kernels() -> None:
    """Call the kernels of motion by Coulomb's law: how a body moves, and whether rest is its only motion."""
    from ..files.reader import load

    scene = load("@block_on_slope")
    strong_stability(scene.assembly, scene.gravity_load(), scene.mass_matrix())
