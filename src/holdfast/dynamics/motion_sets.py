"""Every motion that rigid contacts with Coulomb friction allow in space: rest, single motions, and continua.

The tree of contact modes (see `kernels`) is searched completely. Cells that cannot be excluded are kept: they enclose
every motion. In each of them a motion is searched from its middle and from its ends in every direction.
Pieces collect the cells of the same contact modes. The planar counterpart, exact to its last vertex, is
`hf.planar.motions`; in space friction is curved, so that continua are reported by bounds and by motions in them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly, SceneLike
from ..checks import Array, IntArray
from ..compiling import clock
from ..public_names import with_advice
from ..results import Result, proof
from ..solvers import SolverStats, Status
from ..statics.holding import Equilibrium
from .certificates import NoMotion
from .cones import CoulombProblem, build_problem
from .contact_states import ContactMode
from .coulomb import CoulombMotion, Question, checked_question, is_about, is_lawful, is_rest, rest_of
from .kernels import FREE, KEPT, OPEN, SEPARATE, SLIDE, STICK, TOUCH, new_state, search
from .mass import dynamic_question
from .search import MotionSearch, SearchRun

#: Two motions are equal if they differ by less than this fraction of the free acceleration.
SAME_MOTION = 1e-6


#: Range of the resolution of `motions`, and its default: arcs of slip directions [rad].
FINEST_ARC, USUAL_ARC, WIDEST_ARC = 1e-3, np.pi / 32.0, np.pi / 2.0

#: This many different motions in one narrow cell count as a continuum, even if points between them are not motions.
MANY = 3


class CoulombMotionsStatus(StrEnum):
    """How many motions there are; the value is the message."""

    UNIQUE = "unique"
    FINITE = "finite"
    CONTINUUM = "continuum"
    INCONSISTENT = "inconsistent"
    IMPACT = "impact"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class CoulombPiece(Result):
    """The motions of one combination of contact modes.

    Attributes:
        modes: (k,) state of each contact in `motion`.
        motions: the different motions that were found, at least one.
        lower, upper: (6,) bounds on the acceleration (of the object's point at the world origin, angular): every motion
            with these modes lies between them, also in cells that are left open; infinite where nothing bounds it.
            Outer bounds.
        is_continuum: whether points between the found motions are motions too.
    """

    modes: tuple[ContactMode, ...]
    motions: tuple[CoulombMotion, ...]
    lower: Array
    upper: Array
    is_continuum: bool = False

    def __repr__(self) -> str:
        kind = "a continuum" if self.is_continuum else f"{len(self.motions)} motion" + "s" * (len(self.motions) > 1)
        return f"CoulombPiece({', '.join(self.modes)}: {kind})"

    @property
    def motion(self) -> CoulombMotion:
        """One of the motions."""
        return self.motions[0]

    @property
    def is_point(self) -> bool:
        """Whether there is one motion only, as far as could be found.

        Newton's method led to the same motion from the middle and from all ends of its cells.
        """
        return len(self.motions) == 1 and not self.is_continuum

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "modes": [mode.value for mode in self.modes],
            "is_point": self.is_point,
            "is_continuum": self.is_continuum,
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "motion": self.motion.to_dict(),
            "accelerations": [found.acceleration.tolist() for found in self.motions if found.acceleration is not None],
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class CoulombMotions(Result):
    """Every motion that the contacts allow.

    Attributes:
        assembly: contacts and joint rows.
        wrench: (6,) the external wrench on the object, torque about the world origin.
        mass_matrix: (6, 6) about the world origin.
        velocity: (6,) velocity of the object's point at the world origin, angular velocity.
        status: "unique", "finite", "continuum": how many motions there are. "inconsistent": none obeys the law.
            "impact": a contact's velocity points into its surface. "undecided": cells are left in which no motion was
            found and that could not be excluded, or a limit was reached.
        rest: whether rest is possible, with forces or a certificate; None with a velocity.
        pieces: the motions by contact modes, rest first where it is possible.
        open_cells: cells that were neither excluded nor decided.
        effort: counts and time of the computation.
        certificate: the closed trees: no motion lies outside of the cells that were kept; None where cells are left.
    """

    TABLE: ClassVar[str] = "pieces"

    assembly: Assembly
    wrench: Array
    mass_matrix: Array
    velocity: Array
    status: CoulombMotionsStatus
    rest: Equilibrium | None
    pieces: tuple[CoulombPiece, ...]
    open_cells: int
    effort: SolverStats
    certificate: NoMotion | None = None

    def __repr__(self) -> str:
        return f"CoulombMotions({self.status.value}, {len(self.pieces)} pieces, {len(self.assembly)} contacts)"

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def rests(self) -> bool:
        """Whether rest is one of the motions."""
        return any(piece.motion.holds for piece in self.pieces)

    @cached_property
    def problem(self) -> CoulombProblem | None:
        """The law of every contact, whitened; None with an impact."""
        if self.status == CoulombMotionsStatus.IMPACT:
            return None
        return build_problem(self.assembly, self.wrench, self.mass_matrix, self.velocity)

    @proof
    def verify(self) -> bool:
        """Check every motion by substitution, and that there is none outside of the kept cells, without the solver.

        False where it is undecided. The bounds of pieces are checked against the motions that were found only.
        """
        question = checked_question(self.assembly, self.wrench, self.mass_matrix, np.asarray(self.velocity), None)
        if self.status == CoulombMotionsStatus.IMPACT or question.impacts:
            nothing = self.pieces == () and self.open_cells == 0 and self.certificate is None and self.rest is None
            return nothing and bool(question.impacts) and self.status == CoulombMotionsStatus.IMPACT
        if (self.rest is not None) is not question.at_rest or (self.open_cells == 0) is (self.certificate is None):
            return False
        if self.rest is not None and not is_rest(self.rest, question):
            return False
        still = self.rest is not None and self.rest.status is Status.HOLDS
        if self.status != _status(self.pieces, known=self.certificate is not None and _is_decided(self.rest)):
            return False
        moving = self.pieces[still:]
        if still and not (self.pieces and len(self.pieces[0].motions) == 1 and self.pieces[0].motion.holds):
            return False
        if any(piece.motion.holds for piece in moving) or not all(_is_piece(piece, question) for piece in self.pieces):
            return False
        if self.certificate is None:
            return self.status == CoulombMotionsStatus.CONTINUUM  # the found motions are sufficient proof
        if bool(self.certificate.kept) is not bool(moving) or (self.certificate.tree.moving and self.rest is None):
            return False
        return self.certificate.verify(question.problem, kept=self.certificate.kept)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: how many motions, and every piece."""
        return {
            "status": self.status.value,
            "wrench": self.wrench.tolist(),
            "velocity": self.velocity.tolist(),
            "rests": self.rests,
            "pieces": [piece.to_dict() for piece in self.pieces],
            "open_cells": self.open_cells,
            "effort": {"programs": self.effort.programs, "nodes": self.effort.nodes, "seconds": self.effort.seconds},
        }


@with_advice()
def motions(
    assembly: Assembly | SceneLike,
    load: ArrayLike | None = None,
    mass_matrix: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    *,
    resolution: float = USUAL_ARC,
    method: MotionSearch | None = None,
) -> CoulombMotions:
    """Every motion of an object that obeys Coulomb's law at every contact.

    Args:
        assembly: contacts that are cones about their normals, and joint rows; or a scene, whose weight and mass matrix
            are the defaults.
        load: (6,) external force [N] and torque [N m] about the world origin, weight included.
        mass_matrix: (6, 6) about the world origin, symmetric and positive definite; see `mass_matrix`.
        velocity: (6,) velocity [m/s] of the object's point at the world origin, angular velocity [rad/s]; rest when
            None.
        resolution: arcs of slip directions are divided down to this angle [rad].
        method: limits of the search.
    """
    began = clock()
    question = checked_question(*dynamic_question(assembly, load, mass_matrix), velocity, method)
    width = checks.number("resolution", resolution, low=FINEST_ARC, high=WIDEST_ARC, unit="rad")
    common: dict[str, Any] = {"assembly": question.assembly, "wrench": question.load}
    common |= {"mass_matrix": question.mass_matrix, "velocity": question.velocity}
    if question.impacts:
        common |= {"status": CoulombMotionsStatus.IMPACT, "rest": None, "pieces": (), "open_cells": 0}
        return CoulombMotions(**common, effort=SolverStats(seconds=clock() - began))
    rest = rest_of(question.assembly, question.load) if question.at_rest else None
    run = SearchRun(question.problem, moving=rest is not None, resolution=width)
    run.go(question.method, began)
    left = run.open_cells + int(run.states[-1].counts[0])
    pieces = _pieces(question, rest, run)
    if rest is not None and rest.status is Status.HOLDS:
        still = question.resting(rest, clock() - began)
        resting = CoulombPiece((ContactMode.STICKS,) * len(question.assembly), (still,), np.zeros(6), np.zeros(6))
        pieces = [resting, *pieces]
    return CoulombMotions(
        **common, status=_status(pieces, known=not left and _is_decided(rest)), rest=rest, pieces=tuple(pieces),
        open_cells=left, effort=run.effort(clock() - began), certificate=None if left else NoMotion.from_run(run),
    )  # fmt: skip


def _is_decided(rest: Equilibrium | None) -> bool:
    """Whether it is known if rest is possible; with a velocity it is not."""
    return rest is None or rest.status is not Status.UNDECIDED


def _is_piece(piece: CoulombPiece, question: Question) -> bool:
    """Whether the motions of a piece are different motions of its modes and within its bounds, and its kind is right.

    A continuum is proven by a motion half-way between two motions, or by many motions.
    """
    found = piece.motions
    if not all(is_about(one, question) and one.acceleration is not None and one.verify() for one in found):
        return False
    scale = question.problem.scale
    apart = [_distance(one, other) > SAME_MOTION * scale for one, other in itertools.combinations(found, 2)]
    rows = np.array([one.acceleration for one in found])
    give = SAME_MOTION * np.abs(rows).max(initial=0.0)
    inside = piece.lower.shape == piece.upper.shape == (6,)
    inside = inside and bool(((rows >= piece.lower - give) & (rows <= piece.upper + give)).all())
    between = any(is_between(found[0], other, question) for other in found[1:])
    continuum = between or (piece.is_continuum is True and len(found) >= MANY)
    return piece.modes == _modes(piece.motion) and all(apart) and inside and piece.is_continuum is continuum


def is_between(one: CoulombMotion, other: CoulombMotion, question: Question) -> bool:
    """Whether half-way between two motions there is a motion too."""
    names = ("acceleration", "forces", "joint_accelerations")
    middle = {name: 0.5 * (getattr(one, name) + getattr(other, name)) for name in names}
    return is_lawful(replace(one, **middle), question.problem)


def _modes(motion: CoulombMotion) -> tuple[ContactMode, ...]:
    """The state of each contact."""
    return tuple(contact.mode for contact in motion.states)


def _status(pieces: Sequence[CoulombPiece], *, known: bool) -> CoulombMotionsStatus:
    """How many motions there are, from the pieces; `known`: no cell is left."""
    if any(piece.is_continuum for piece in pieces):
        return CoulombMotionsStatus.CONTINUUM
    if not known:
        return CoulombMotionsStatus.UNDECIDED
    count = sum(len(piece.motions) for piece in pieces)
    few = (CoulombMotionsStatus.INCONSISTENT, CoulombMotionsStatus.UNIQUE)
    return few[count] if count < len(few) else CoulombMotionsStatus.FINITE


#: The states of a contact in the cells of one contact mode.
ALLOWED: dict[int, tuple[ContactMode, ...]] = {
    FREE: tuple(ContactMode),
    SEPARATE: (ContactMode.SEPARATES,),
    TOUCH: (ContactMode.STICKS, ContactMode.SLIPS),
    STICK: (ContactMode.STICKS,),
    SLIDE: (ContactMode.SLIPS,),
}


@dataclass
class _Group:
    """Cells of the same modes: their bounds, the different motions found in them, and whether they are a continuum."""

    lower: Array
    upper: Array
    motions: list[CoulombMotion]
    is_continuum: bool = False

    def widen(self, lower: Array, upper: Array) -> None:
        """Include the bounds of a cell."""
        self.lower, self.upper = np.minimum(self.lower, lower), np.maximum(self.upper, upper)

    def add(self, motion: CoulombMotion, scale: float) -> None:
        """Store a motion unless it is already known."""
        if not any(_distance(motion, other) <= SAME_MOTION * scale for other in self.motions):
            self.motions.append(motion)


def _distance(first: CoulombMotion, second: CoulombMotion) -> float:
    """How far two motions differ, in whitened units."""
    apart = np.asarray(first.acceleration) - np.asarray(second.acceleration)
    return float(np.sqrt(max(0.0, apart @ first.mass_matrix @ apart)))


def _pieces(question: Question, rest: Equilibrium | None, run: SearchRun) -> list[CoulombPiece]:
    """The kept cells by the modes of their motions, with the bounds of all cells in which such motions may lie.

    A motion may lie on the border of several cells. Its states of the contacts count, not the cell where it was found.
    """
    problem = question.problem
    scale = problem.scale
    ways = np.concatenate([problem.to_acceleration, -problem.to_acceleration])
    groups: dict[tuple[ContactMode, ...], _Group] = {}
    bounds: list[tuple[IntArray, Array, Array]] = []
    for state in run.states:
        for at in np.nonzero(np.isin(state.branch[: state.counts[1]], (KEPT, OPEN)))[0]:
            cell = state.mode[at], state.arc[at], state.cuts[at]
            lower, upper, rows = _probed(question, run, cell, state.found[at], ways)
            bounds.append((cell[0], lower, upper))
            if state.branch[at] == OPEN:
                continue
            rows = _different([state.found[at], *rows])
            found = [_motion(question, rest, row) for row in rows]
            group = groups.setdefault(_modes(found[0]), _Group(lower, upper, []))
            group.widen(lower, upper)
            for motion in found:
                group.add(motion, scale)
            between = (is_between(found[0], motion, question) for motion in found[1:])
            if len(rows) >= MANY or any(between):
                group.is_continuum = True
    waiting, nothing = run.states[-1], np.full(6, np.inf)
    bounds += [(mode, -nothing, nothing) for mode in waiting.stack_mode[: waiting.counts[0]]]
    for modes, group in groups.items():
        for cell_modes, lower, upper in bounds:
            if all(modes[i] in ALLOWED[int(cell_modes[at])] for at, i in enumerate(problem.touching)):
                group.widen(lower, upper)
    return [
        CoulombPiece(modes, tuple(group.motions), group.lower, group.upper, group.is_continuum)
        for modes, group in groups.items()
    ]


def _different(rows: list[Array]) -> list[Array]:
    """Rows of the record whose accelerations differ, the first one first."""
    kept: list[Array] = []
    for row in rows:
        if all(np.linalg.norm(row[:6] - other[:6]) > SAME_MOTION for other in kept):
            kept.append(row)
    return kept


def _probed(
    question: Question, run: SearchRun, cell: tuple[IntArray, IntArray, Array], known: Array, ways: Array
) -> tuple[Array, Array, list[Array]]:
    """Bounds on the acceleration of a cell, and the rows of the motions found from its ends."""
    record = new_state(run.work, 1, len(ways) + 1)
    record.mode[0], record.arc[0], record.cuts[0] = cell
    lengths = np.linalg.norm(ways, axis=1)  # tolerances of the program are those of unit directions
    record.plane[:-1], record.found[-1], record.counts[4] = ways / lengths[:, None], known, 2
    search(run.arrays, run.work, record)
    half, ends = len(ways) // 2, question.problem.scale * lengths * record.angle[:-1]
    lower, upper = -ends[half:], ends[:half]
    return lower, upper, [row for row in record.found[:-1] if row[-1] == 1.0]


def _motion(question: Question, rest: Equilibrium | None, row: Array) -> CoulombMotion:
    """The motion in a row of the record: x, theta, f, 1."""
    r = len(question.problem.moving_joints)
    x, theta, f = row[:6], row[6 : 6 + r], row[6 + r : -1].reshape(-1, 3)
    return question.moving((x, theta, f), rest, SolverStats())
