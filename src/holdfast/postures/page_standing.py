"""A body on its hands, whatever its centre of mass: whether it holds, where it may lean, and how both are drawn.

World frame with gravity in any direction; regions lie across gravity, at the height of the centre of mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..checks import Array
from ..geometry.frames import Pose
from ..grips import GripBounds
from ..plotting import style
from ..web.marks import Arrows, Dots, Lines, Mark, Surface, colour, fan, ring, turn_lines
from ..web.page import Tone
from .plots_postures import lifted_outline
from .plots_support_regions import INNER, OUTER
from .solver import PostureSolver
from .support_regions import Sampling, SupportRegion, support_region

#: Directions along which outer regions of grips with bounds are asked for.
DIRECTIONS = 32

#: A hand is named as one at its limit when it matters to the border at least this much of what the first one does.
NAMED = 0.2

#: Length of an arrow as large as the weight, radius of shafts, diameter of the centre of mass, and radius of a torque's
#: arc that is the weight times the posture's size: shares of that size. Smaller shares of the weight are not drawn.
ARROW, RADIUS, DOT, ARC, NEGLIGIBLE = 0.45, 0.009, 0.04, 0.9, 1e-3

#: Down, where nothing else is said [m/s^2].
DOWN = (0.0, 0.0, -STANDARD_GRAVITY)

#: What inner and outer regions and arrows mean.
LEGEND = (
    "**Green**: inner region, there the body surely holds. **Red**: outer region, beyond it surely does not; both "
    "lie across gravity at the height of the centre of mass. Drag the handle at the centre of mass. Black arrows: "
    "forces of the hands on the body (arcs: torques); violet: its weight and loads."
)

TONES: dict[str, Tone] = {"holds": "good", "does not hold": "bad", "undecided": "open"}


@dataclass(frozen=True, eq=False)
class Standing:
    """Hands that hold a body of some mass under gravity, whatever its centre of mass.

    Attributes:
        names: of the hands.
        poses: from each palm frame into the world.
        mass: of the body [kg].
        gravity: (3,) [m/s^2] in the world.
        beside: (6,) what acts beside the weight, torque about the world origin.
        solver: answers for any load, warm; None when there are no hands.
        inner: region where it surely holds, or None where none is known.
        outer: region beyond which it surely does not, or None.
    """

    names: tuple[str, ...]
    poses: tuple[Pose, ...]
    mass: float
    gravity: Array
    beside: Array
    solver: PostureSolver | None
    inner: SupportRegion | None
    outer: SupportRegion | None

    @property
    def palms(self) -> Array:
        """(k, 3) places of the palms [m]."""
        return np.array([pose.translation for pose in self.poses]).reshape(-1, 3)

    @property
    def weight(self) -> float:
        """Size of the weight [N]."""
        return self.mass * float(np.linalg.norm(self.gravity))


@dataclass(frozen=True, eq=False)
class Decision:
    """What a centre of mass comes to.

    Attributes:
        status: "holds", "does not hold" or "undecided".
        margin: where the centre of mass is in the regions, in words.
        lines: further sentences.
        wrenches: (k, 6) of the hands on the body, torques about the world origin, or None.
        at_limit: numbers of the hands at their limit where the centre of mass would leave the inner region first.
    """

    status: str
    margin: str
    lines: tuple[str, ...]
    wrenches: Array | None
    at_limit: tuple[int, ...]


def standing(
    names: Sequence[str],
    grips: Sequence[Any],
    poses: Sequence[Pose],
    mass: float,
    gravity: Any = DOWN,
    beside: Array | None = None,
    solver: PostureSolver | None = None,
) -> Standing:
    """Hands with grips, as `Standing` has them; the solver of an earlier one with the same hands goes on."""
    down, other = np.asarray(gravity, dtype=float), np.zeros(6) if beside is None else beside
    if not len(poses):
        return Standing((), (), mass, down, other, None, None, None)
    inner, outer = _regions(grips, poses, mass, down, other)
    asked = PostureSolver(grips, poses, gravity=down) if solver is None else solver
    return Standing(tuple(names), tuple(poses), mass, down, other, asked, inner, outer)


def _regions(
    grips: Sequence[Any], poses: Sequence[Pose], mass: float, gravity: Array, beside: Array
) -> tuple[SupportRegion | None, SupportRegion]:
    """The region of the inner sets, exact, and one around that of the outer sets.

    Hands that are asked as they are may have no inner region: then there is None.
    """
    inners = [grip.inner if isinstance(grip, GripBounds) else grip for grip in grips]
    inner = support_region(inners, poses, mass, gravity, wrench=beside)
    known = None if inner.side == "outer" else inner
    if not any(isinstance(grip, GripBounds) for grip in grips):
        return known, inner
    outers = [grip.outer if isinstance(grip, GripBounds) else grip for grip in grips]
    return known, support_region(outers, poses, mass, gravity, wrench=beside, method=Sampling(DIRECTIONS)).outer


def decided(stand: Standing, com: Any) -> Decision:
    """Whether the body holds with its centre of mass at `com` (3,), and how far that is from the borders."""
    if stand.solver is None:
        return Decision("does not hold", "no hand holds", (), None, ())
    load = gravity_wrench(stand.mass, stand.gravity, com) + stand.beside
    answer = stand.solver.equilibrium(load)
    lines: list[str] = []
    if answer.holds:
        most = stand.solver.scale_interval(load)[1]
        word = "without limit" if np.isinf(most) else f"to {most:.3g} times itself"
        lines.append(f"the load may grow {word}")
    at_limit = _at_limit(stand.inner, com)
    if at_limit:
        every = len(at_limit) == len(stand.names)
        listed = "all hands" if every else ", ".join(stand.names[hand] for hand in at_limit)
        lines.append(f"at the nearest border at {'its' if len(at_limit) == 1 else 'their'} limit: {listed}")
    if stand.inner is stand.outer:
        lines.append(f"region {_area(stand.outer)}, exact")
    else:
        lines.append(f"inner region {_area(stand.inner)}, outer region {_area(stand.outer)}")
    wrenches = answer.world_wrenches
    return Decision(str(answer.status.value), _margin(stand, com), tuple(lines), wrenches, at_limit)


def _margin(stand: Standing, com: Any) -> str:
    """Where the centre of mass is, in words."""
    inside = -np.inf if stand.inner is None else float(stand.inner.signed_distance(com))
    beyond = np.inf if stand.outer is None else float(stand.outer.signed_distance(com))
    alone = stand.inner is stand.outer
    if inside >= 0.0:
        return f"centre of mass {_length(inside)} inside the {'region' if alone else 'inner region'}"
    if beyond < 0.0:
        if np.isinf(beyond):
            return "no centre of mass would do"
        return f"centre of mass {_length(-beyond)} outside the {'region' if alone else 'outer region'}"
    return "centre of mass between the inner and the outer region"


def _at_limit(region: SupportRegion | None, com: Any) -> tuple[int, ...]:
    """Hands at their limit on the nearest border, those that matter most first."""
    if region is None or region.is_empty:
        return ()
    active = region.active(com)
    return () if active is None else tuple(hand.hand for hand in active.hands if hand.share >= NAMED)


def _area(region: SupportRegion | None) -> str:
    if region is None:
        return "unknown"
    if region.is_empty:
        return "empty"
    return f"{region.area:.3g} m\u00b2" if region.is_bounded else "without end"


def _length(value: float) -> str:
    return "without end" if np.isinf(value) else f"{1e3 * value:.0f} mm"


# -- what is drawn ------------------------------------------------------------------------------------


def region_marks(stand: Standing, com: Array) -> dict[str, Mark]:
    """Inner and outer regions as sheets with borders, at the height of the centre of mass."""
    marks: dict[str, Mark] = {}
    looks = (("outer", stand.outer, OUTER, 0.10, -0.004), ("inner", stand.inner, INNER, 0.28, 0.0))
    for name, region, tint, opacity, lower in looks:
        if region is None or region.is_empty or (name == "outer" and region is stand.inner):
            continue
        corners = lifted_outline(region, com, stand.palms) + lower * region.frame.up
        if len(corners) >= 3:
            marks[f"{name}/sheet"] = Surface(corners, fan(len(corners)), colour(tint), opacity)
        marks[f"{name}/border"] = Lines(ring(corners), colour(tint), 3.0)
    return marks


def action_marks(stand: Standing, com: Array, decision: Decision, size: float) -> dict[str, Mark]:
    """Forces and torques of the hands, the weight with what acts beside it, and the centre of mass.

    Forces start at the palms, torques turn about them; the scale is the same for all, by the weight.

    Args:
        stand: the hands.
        com: (3,) centre of mass.
        decision: with the wrenches.
        size: of what is drawn [m].
    """
    marks: dict[str, Mark] = {}
    weight = stand.weight or 1.0
    scale = ARROW * size / weight
    load = scale * (stand.mass * stand.gravity + stand.beside[:3])
    marks["weight"] = Arrows(np.array([[com, com + load]]), colour(style.LOAD), RADIUS * size)
    marks["com"] = Dots(com[None, :], colour(style.VERDICT[decision.status]), DOT * size)
    if decision.wrenches is None:
        return marks
    palms, forces = stand.palms, decision.wrenches[:, :3]
    torques = decision.wrenches[:, 3:] - np.cross(palms, forces)
    strong = np.linalg.norm(forces, axis=1) > NEGLIGIBLE * weight
    arrows = np.stack([palms, palms + scale * forces], axis=1)[strong]
    marks["forces"] = Arrows(arrows, colour(style.FORCE), RADIUS * size)
    arcs = []
    for palm, torque in zip(palms, torques, strict=True):
        strength = float(np.linalg.norm(torque)) / (weight * size)
        if strength > NEGLIGIBLE:
            arcs.append(turn_lines(palm, torque / np.linalg.norm(torque), size * ARC * strength))
    marks["torques"] = Lines(np.concatenate(arcs) if arcs else np.zeros((0, 2, 3)), colour(style.FORCE), 2.5)
    return marks
