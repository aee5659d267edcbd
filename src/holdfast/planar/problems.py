"""Ready problems of planar mechanics: a body, what it touches, its load and velocity, and outlines to draw.

Lengths in m, masses in kg, forces in N, angles in rad; gravity is along -y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..public_names import with_advice
from .bodies import Body, Contact, PlanarOutline, touching_contacts
from .erdmann import FrictionCone
from .motion_sets import MotionSet, motions

GRAVITY = 9.81  # [m/s^2]

#: Half the angle of the point at the end of a drawn rod, where nothing nearer limits it [rad].
POINTED = 0.14


@dataclass(frozen=True, eq=False)
class Problem:
    """A body in contact, with what is needed to compute its motions and to draw it.

    Attributes:
        name: a short description.
        body, contacts, force, velocity: as in `motions`.
        outline: of the body, at its position.
        obstacles: outlines of the obstacles.
        centre: (2,) the body's centre of mass.
        points: (k, 2) where the contacts are.
    """

    name: str
    body: Body
    contacts: tuple[Contact, ...]
    force: Array
    velocity: Array
    outline: PlanarOutline
    obstacles: tuple[PlanarOutline, ...]
    centre: Array
    points: Array

    def motions(self) -> MotionSet:
        """All its possible motions."""
        return motions(self.body, self.contacts, self.force, self.velocity)

    def friction_cone(self) -> FrictionCone:
        """Its composite friction cone."""
        return FrictionCone(self.body, self.contacts)

    def changed(
        self, *, force: ArrayLike | None = None, velocity: ArrayLike | None = None, mu: float | None = None
    ) -> Self:
        """The same under another (Fx, Fy, torque about the centre of mass) [N, N m], velocity, or friction."""
        given = {"force": force, "velocity": velocity}
        changes: dict[str, Any] = {n: checks.vector(n, value, 3) for n, value in given.items() if value is not None}
        if mu is not None:
            changes["contacts"] = tuple(replace(contact, mu=mu) for contact in self.contacts)
        return replace(self, **changes)

    def under(self, force: ArrayLike) -> Self:
        """The same under another (Fx, Fy, torque about the centre of mass) [N, N m]."""
        return self.changed(force=force)

    def with_friction(self, mu: float) -> Self:
        """The same with the friction coefficient `mu` at every contact."""
        return self.changed(mu=mu)


@with_advice()
def from_outlines(
    outline: PlanarOutline,
    obstacles: Sequence[PlanarOutline],
    mu: float | Sequence[float],
    force: ArrayLike,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    *,
    mass: float | None = None,
    density: float | None = None,
    body: Body | None = None,
    centre: ArrayLike | None = None,
    name: str = "",
) -> Problem:
    """A problem from outlines at their positions, with contacts found by `touching_contacts`.

    The body is a uniform plate of `mass` [kg] or `density` [kg/m^2], or the given `body` with its `centre` of mass.
    """
    found = touching_contacts(outline, obstacles, mu, centre=centre)
    if body is None:
        if centre is not None:
            raise InputError("is given without a body", where="centre", fix="give body, or leave the centre out")
        body = outline.body(mass=mass, density=density)
    elif mass is not None or density is not None:
        raise InputError("has its mass already", where="body", fix="leave mass and density out")
    load, speed = checks.vector("force", force, 3), checks.vector("velocity", velocity, 3)
    return Problem(
        name, body, found.contacts, load, speed, outline, tuple(obstacles), found.centre, found.points
    )  # fmt: skip


def three_points(mu: float = 0.25, force: ArrayLike = (0.0, -1.0, 0.0), *, rho: float = 1.0) -> Problem:
    """Erdmann's body on three points of a horizontal edge (Section 5.2): left, right, middle; mass 1."""
    feet = [(-1, 0), (-0.85, 0.3), (-0.15, 0.3), (0, 0), (0.15, 0.3), (0.85, 0.3), (1, 0), (1.15, 0.7), (0.8, 1.7)]
    outline = PlanarOutline([*feet, (-0.8, 1.7), (-1.15, 0.7)])
    floor = PlanarOutline.ground((0.0, 0.0), (0.0, 1.0), 1.9, 0.3)
    found = from_outlines(outline, [floor], mu, force, body=Body(1.0, rho), centre=(0.0, 1.0), name="three points")
    order = [0, 2, 1]
    return replace(found, contacts=tuple(found.contacts[i] for i in order), points=found.points[order])


def box_on_floor(
    mu: float = 0.5, push: float = 0.0, at: float = 0.5, *, width: float = 1.0, height: float = 1.0, mass: float = 1.0
) -> Problem:
    """A uniform box on a floor, pushed by `push` [N] along +x at the share `at` of its height."""
    outline = PlanarOutline.rectangle(width, height, (0.0, 0.5 * height))
    floor = PlanarOutline.ground((0.0, 0.0), (0.0, 1.0), 1.4 * width, 0.25 * height)
    force = (push, -mass * GRAVITY, -push * (at - 0.5) * height)
    return from_outlines(outline, [floor], mu, force, mass=mass, name="box on a floor")


def block_on_incline(
    slope: float = 0.4, mu: float = 0.5, *, width: float = 1.0, height: float = 0.6, mass: float = 1.0
) -> Problem:
    """A uniform block on an incline that falls to the right by the angle `slope` [rad]."""
    outline = PlanarOutline.rectangle(width, height, (0.0, 0.5 * height)).moved(angle=-slope)
    normal = (np.sin(slope), np.cos(slope))
    incline = PlanarOutline.ground((0.0, 0.0), normal, 1.5 * width, 0.3 * height)
    force = (0.0, -mass * GRAVITY, 0.0)
    return from_outlines(outline, [incline], mu, force, mass=mass, name="block on an incline")


def ladder(
    angle: float = 1.0,
    mu_floor: float = 0.4,
    mu_wall: float = 0.3,
    *,
    length: float = 4.0,
    mass: float = 10.0,
    climber: float = 0.0,
    at: float = 0.5,
) -> Problem:
    """A uniform ladder against a wall on its right, `angle` [rad] from the floor, without velocity.

    A climber of `climber` [kg] at the share `at` of its length loads it but does not add to its inertia.
    """
    _between("angle", angle, 0.0, 0.5 * np.pi)
    along = np.array([np.cos(angle), np.sin(angle)])
    outline = _rod(np.zeros(2), length * along, min(POINTED, 0.5 * angle, 0.5 * (0.5 * np.pi - angle)))
    foot = PlanarOutline.ground((0.4 * length, 0.0), (0.0, 1.0), 0.75 * length, 0.1 * length)
    wall = PlanarOutline.ground((length * along[0], 0.5 * length), (-1.0, 0.0), 0.72 * length, 0.1 * length)
    force = (0.0, -(mass + climber) * GRAVITY, -climber * GRAVITY * (at - 0.5) * length * along[0])
    body = Body(mass, length / np.sqrt(12.0))
    centre = 0.5 * length * along
    return from_outlines(outline, [foot, wall], (mu_floor, mu_wall), force, body=body, centre=centre, name="ladder")


def painleve_rod(
    mu: float = 1.5,
    spin: float = 0.0,
    *,
    angle: float = float(np.arctan(2.0)),
    slip: float = -5.0,
    length: float = 2.0,
    mass: float = 1.0,
) -> Problem:
    """Painleve's rod, leaning to the right at `angle` [rad]: its lower end slips along the floor at `slip` [m/s].

    It turns at `spin` [rad/s], and its lower end stays on the floor.
    """
    _between("angle", angle, 0.0, np.pi)
    r = 0.5 * length * np.array([np.cos(angle), np.sin(angle)])
    outline = _rod(np.zeros(2), 2.0 * r, min(POINTED, 0.5 * angle, 0.5 * (np.pi - angle)))
    floor = PlanarOutline.ground(r * (1.0, 0.0), (0.0, 1.0), 0.8 * length, 0.1 * length)
    velocity = (slip - spin * r[1], spin * r[0], spin)
    body = Body(mass, length / np.sqrt(12.0))
    force = (0.0, -mass * GRAVITY, 0.0)
    return from_outlines(outline, [floor], mu, force, velocity, body=body, centre=r, name="Painleve's rod")


def peg_in_hole(
    mu: float = 0.3,
    side: float = 0.0,
    press: float = 1.0,
    moment: float = 0.0,
    *,
    depth: float = 1.5,
    diameter: float = 1.0,
    clearance: float = 0.01,
    length: float | None = None,
    mass: float = 1.0,
) -> Problem:
    """A peg tilted in a hole on two points: its lower left corner on the wall, the hole's right rim on its side.

    The load is `side` [N] to the right across the peg, `press` [N] along it into the hole and `moment` [N m] about the
    middle of its lower end, as in jamming diagrams; there is no gravity.

    Args:
        depth: from the peg's lower end to the rim, along the peg.
        diameter: of the peg.
        clearance: by how much the hole is wider than the peg.
        length: of the peg; twice the depth by default.
    """
    wide = checks.positive("diameter", diameter, unit="m") + checks.positive("clearance", clearance, unit="m")
    deep = checks.positive("depth", depth, unit="m")
    if wide >= np.hypot(diameter, deep):
        fix = "give a deeper peg or less clearance"
        raise InputError("is too wide for contact on two points", where="clearance", fix=fix)
    # The lower left corner is on the left wall and the rim on the right side: d cos + l sin = D.
    tilt = float(np.arctan2(deep, diameter) - np.arccos(wide / np.hypot(diameter, deep)))
    across, up = np.array([np.cos(tilt), -np.sin(tilt)]), np.array([np.sin(tilt), np.cos(tilt)])
    rim = np.array([0.5 * wide, 0.0])
    right = rim - deep * up
    left = right - diameter * across
    tall = 2.0 * deep if length is None else checks.number("length", length, low=deep, ends="open low", unit="m")
    outline = PlanarOutline([left, right, right + tall * up, left + tall * up])
    bottom = left[1] - 0.5 * diameter
    walls = [
        PlanarOutline([(s * 0.5 * wide, 0.0), (s * (0.5 * wide + 0.7 * diameter), 0.0),
                 (s * (0.5 * wide + 0.7 * diameter), bottom), (s * 0.5 * wide, bottom)])
        for s in (-1.0, 1.0)
    ]  # fmt: skip
    load = side * across - press * up
    lever = -0.5 * tall * up  # from the centre of mass to the middle of the lower end
    force = (*load, moment + lever[0] * load[1] - lever[1] * load[0])
    return from_outlines(outline, walls, mu, force, mass=mass, name="peg in a hole")


def three_finger_grasp(
    mu: float = 0.3,
    force: ArrayLike = (0.0, -GRAVITY, 0.0),
    *,
    side: float = 1.0,
    shift: float = 0.0,
    mass: float = 1.0,
) -> Problem:
    """A triangle held by a finger at each side, `shift` (a share of the side) from its middle; fingers do not move."""
    _between("shift", shift, -0.5, 0.5)
    corners = side / np.sqrt(3.0) * np.array([[np.sin(a), np.cos(a)] for a in 2.0 * np.pi / 3.0 * np.arange(3)])[::-1]
    outline = PlanarOutline(corners)
    fingers = []
    for start, end, n in zip(outline.vertices, outline.ends, outline.normals, strict=True):
        tip = 0.5 * (start + end) + shift * (end - start)
        t = np.array([n[1], -n[0]])
        back = tip + 0.25 * side * n
        shoulder = tip + 0.1 * side * n
        w = 0.05 * side * t
        fingers.append(PlanarOutline([tip, shoulder + w, back + w, back - w, shoulder - w]))
    return from_outlines(outline, fingers, mu, force, mass=mass, name="three-finger grasp")


#: Every ready problem by its name.
READY: dict[str, Callable[..., Problem]] = {
    "three_points": three_points,
    "box_on_floor": box_on_floor,
    "block_on_incline": block_on_incline,
    "ladder": ladder,
    "painleve_rod": painleve_rod,
    "peg_in_hole": peg_in_hole,
    "three_finger_grasp": three_finger_grasp,
}


def _between(name: str, value: float, low: float, high: float) -> None:
    checks.number(name, value, low=low, high=high, ends="open")


def _rod(start: Array, end: Array, half_angle: float) -> PlanarOutline:
    """The outline of a thin rod with pointed ends, to draw a body that is a line in mechanics."""
    along = end - start
    across = np.array([-along[1], along[0]])
    shoulder, thick = 0.1, 0.1 * np.tan(half_angle)
    return PlanarOutline(
        [
            start,
            start + shoulder * along - thick * across,
            end - shoulder * along - thick * across,
            end,
            end - shoulder * along + thick * across,
            start + shoulder * along + thick * across,
        ]
    )
