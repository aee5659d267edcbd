"""Checking a grip against its hand: every vertex asked of the exact solver, every plane of the supports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, BoolArray
from ..errors import InputError
from ..geometry.frames import Pose
from ..solvers import Exact, Status
from ..statics.solver import Solver
from ..wrench_spaces.computation import LONGEST, MOST_NODES
from .bounds import GripBounds
from .facts import Acting
from .grip import Grip
from .hand_supports import HandSupports
from .learning import in_palm_frame, sign_of
from .outer_grip import OuterGrip

#: Vertices are asked at this share of the way from the middle of the vertices: a border within rounding is held.
JUST_INSIDE = 1.0 - 10.0 * tolerances.FEASIBILITY


@dataclass(frozen=True, eq=False)
class GripCheck:
    """What a hand's exact solver says of a grip.

    What is asked is the border itself, where rounding decides, and the exact solver may leave it undecided: with
    contacts of 1e-4 N beside others of 1e4 N, `holdfast.equilibrium` of a learned vertex can be "undecided". A vertex
    counts as held where the solver proves it, or proves the wrench 1e-8 of the way towards the middle of the vertices.
    Learning proves more directly: the forces of every vertex balance it to 1e-8 of the largest force or load, and lie
    in their pieces and joint limits to such a share, checked without the solver.

    Attributes:
        held: (n,) whether each vertex of the inner set is held, itself or a hair inside.
        excess: (m,) by how much the hand's own support exceeds each outer plane, as a share of the largest one; at
            most rounding where the plane is outer.
    """

    held: BoolArray
    excess: Array

    def __repr__(self) -> str:
        return f"GripCheck({int(self.held.sum())} of {len(self.held)} vertices held, excess {self._worst:.2g})"

    @property
    def all_held(self) -> bool:
        """Whether every vertex of the inner set is held."""
        return bool(self.held.all())

    @property
    def all_outer(self) -> bool:
        """Whether every plane of the outer set is one."""
        return self._worst <= 10.0 * tolerances.SEPARATION

    @property
    def holds(self) -> bool:
        """Whether the grip is that of the hand in all that was checked."""
        return self.all_held and self.all_outer

    @cached_property
    def _worst(self) -> float:
        return float(self.excess.max(initial=0.0))


def check_grip(
    grip: Grip | OuterGrip | GripBounds, assembly: Assembly, *, palm: Pose | None = None, acting: Acting | None = None
) -> GripCheck:
    """A grip checked against the hand it is said to be of; `palm` and `acting` as in `learn_grip`.

    Args:
        grip: a Grip (vertices), an OuterGrip (planes) or GripBounds (both).
        assembly: the hand.
        palm: pose of the palm in the assembly's frame; that of the grip's facts by default, else the frame itself.
        acting: "direct" or "reaction"; that of the grip's facts by default.
    """
    if not isinstance(grip, (Grip, OuterGrip, GripBounds)):
        raise InputError(f"is a {type(grip).__name__}", where="grip", fix="give a Grip, an OuterGrip or GripBounds")
    hand = in_palm_frame(assembly, grip.facts.palm_pose if palm is None else palm)
    acting = grip.facts.acting or "direct" if acting is None else acting
    sign = sign_of(acting)
    inner = grip.inner if isinstance(grip, GripBounds) else grip if isinstance(grip, Grip) else None
    outer = grip.outer if isinstance(grip, GripBounds) else grip if isinstance(grip, OuterGrip) else None
    held = np.zeros(0, dtype=bool) if inner is None else _held(hand, sign * inner.vertices)
    excess = np.zeros(0) if outer is None else _excess(hand, sign * outer.normals, outer.offsets)
    return GripCheck(held, excess)


def _held(hand: Assembly, wrenches: Array) -> BoolArray:
    """(n,) whether wrenches (n, 6) are held, to the rounding of a balance."""
    solver = Solver(hand, Exact(node_limit=MOST_NODES, time_limit=LONGEST))
    held = solver.equilibrium_many(wrenches, threads=1).status == Status.HOLDS
    left = np.nonzero(~held)[0]
    if len(left):  # on the border within rounding: a hair inside decides
        middle = wrenches.mean(axis=0)
        inside = middle + JUST_INSIDE * (wrenches[left] - middle)
        held[left] = solver.equilibrium_many(inside, threads=1).status == Status.HOLDS
    return held


def _excess(hand: Assembly, normals: Array, offsets: Array) -> Array:
    """(m,) how far the hand's supports stand beyond planes, relative to the largest support of a unit normal."""
    checks.array("normals", normals, ("m", 6))
    sizes = np.linalg.norm(normals * np.repeat([1.0, hand.length], 3), axis=1)
    supports = HandSupports.of(hand).many(normals).values
    scale = float(np.abs(supports / sizes).max(initial=0.0)) or 1.0
    return np.clip((supports - offsets) / sizes / scale, 0.0, None)
