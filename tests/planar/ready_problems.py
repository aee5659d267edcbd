"""Bodies in contact by their sizes, for closed forms of statics and for pictures.

Lengths in m, masses in kg, forces in N, angles in rad; gravity is along -y.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from holdfast.planar import Body, PlanarOutline, Problem, from_outlines
from holdfast.planar.problems import GRAVITY, three_points

#: Half the angle of the point at the end of a drawn rod, where nothing nearer limits it [rad].
POINTED = 0.14


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
    mass: float = 1.0,
) -> Problem:
    """A peg tilted in a hole on two points: its lower left corner on the wall, the hole's right rim on its side.

    The load is `side` [N] to the right across the peg, `press` [N] along it into the hole and `moment` [N m] about the
    middle of its lower end, as in jamming diagrams; there is no gravity.

    Args:
        depth: from the peg's lower end to the rim, along the peg.
        diameter: of the peg.
        clearance: by how much the hole is wider than the peg.
    """
    # The lower left corner is on the left wall and the rim on the right side: d cos + l sin = D.
    wide = diameter + clearance
    tilt = float(np.arctan2(depth, diameter) - np.arccos(wide / np.hypot(diameter, depth)))
    across, up = np.array([np.cos(tilt), -np.sin(tilt)]), np.array([np.sin(tilt), np.cos(tilt)])
    rim = np.array([0.5 * wide, 0.0])
    right = rim - depth * up
    left = right - diameter * across
    tall = 2.0 * depth
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


#: Every problem by its name.
READY: dict[str, Callable[..., Problem]] = {
    "three_points": three_points,
    "box_on_floor": box_on_floor,
    "block_on_incline": block_on_incline,
    "ladder": ladder,
    "painleve_rod": painleve_rod,
    "peg_in_hole": peg_in_hole,
    "three_finger_grasp": three_finger_grasp,
}


def _rod(start: np.ndarray, end: np.ndarray, half_angle: float) -> PlanarOutline:
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
