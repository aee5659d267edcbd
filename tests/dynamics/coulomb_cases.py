"""Questions with known answers about Coulomb motions: cases checked by hand, random ones, planar and simulated scenes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import holdfast as hf
from holdfast.dynamics import mass_matrix
from tests.dynamics.coulomb_referee import Case, Law, built

G = 9.81


@dataclass(frozen=True)
class Known:
    """A case with its answer: verdict of strong stability and the acceleration (6,), None where there are several."""

    case: Case
    verdict: str
    acceleration: np.ndarray | None = None


HAND_CHECKED: dict[str, Callable[[], Known]] = {}


def hand_checked(make: Callable[[], Known]) -> Callable[[], Known]:
    """List a case under the name of its function, in plain words."""
    HAND_CHECKED[make.__name__.replace("_", " ")] = make
    return make


def ball_mass(mass: float = 1.0, radius: float = 0.05, com: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Mass matrix of a solid ball."""
    return mass_matrix(mass, 0.4 * mass * radius**2 * np.eye(3), com)


def weight(mass: float = 1.0, com: Any = (0.0, 0.0, 0.0), towards: Any = (0.0, 0.0, -1.0)) -> np.ndarray:
    """(6,) wrench of the weight about the world origin."""
    force = mass * G * np.asarray(towards, dtype=float)
    return np.concatenate([force, np.cross(com, force)])


def along(*acceleration: float) -> np.ndarray:
    """(6,) acceleration without rotation."""
    return np.array([*acceleration, 0.0, 0.0, 0.0])


# -- rest among other motions -----------------------------------------------------------------------------------


@hand_checked
def nail_between_vertical_walls() -> Known:
    """It stays if it is squeezed, and falls freely if it is not."""
    places, normals = [(-0.01, 0, 0), (0.01, 0, 0)], [(1, 0, 0), (-1, 0, 0)]
    return Known(built(places, normals, [Law(0.5)] * 2, weight(), ball_mass()), "may stay")


def ball_between(tilt: float, mu: float) -> Case:
    """A ball between two walls whose normals rise by `tilt` [rad]."""
    normals = np.array([[np.cos(tilt), 0, np.sin(tilt)], [-np.cos(tilt), 0, np.sin(tilt)]])
    return built(-0.05 * normals, list(normals), [Law(mu)] * 2, weight(), ball_mass())


@hand_checked
def ball_under_converging_walls() -> Known:
    """The walls close above it; tan 10 degrees = 0.176 is below the friction."""
    return Known(ball_between(np.radians(-10.0), 0.5), "may stay")


@hand_checked
def ball_under_slippery_converging_walls() -> Known:
    """tan 30 degrees = 0.577 is above the friction."""
    return Known(ball_between(np.radians(-30.0), 0.5), "moves", along(0, 0, -G))


@hand_checked
def ball_in_upright_groove() -> Known:
    """Held without friction."""
    return Known(ball_between(np.radians(45.0), 0.5), "stays", np.zeros(6))


@hand_checked
def ball_in_upright_groove_without_friction() -> Known:
    return Known(ball_between(np.radians(45.0), 0.0), "stays", np.zeros(6))


def peg(depth: float, mu: float = 0.2, diameter: float = 1.0) -> Case:
    """A peg pressed along its axis into a hole that it touches at two points: jams up to depth = mu diameter."""
    places = [(-0.5 * diameter, 0.0, -depth), (0.5 * diameter, 0.0, 0.0)]
    mass = mass_matrix(1.0, np.diag([0.2, 0.2, 0.1]))
    return built(places, [(1, 0, 0), (-1, 0, 0)], [Law(mu)] * 2, [0, 0, -10.0, 0, 0, 0], mass)


@hand_checked
def peg_jammed_at_a_small_depth() -> Known:
    return Known(peg(0.1), "may stay")


@hand_checked
def peg_at_a_large_depth() -> Known:
    return Known(peg(0.6), "moves", along(0, 0, -10.0))


# -- blocks ---------------------------------------------------------------------------------------------------------


def feet(count: int, half: float = 0.05) -> np.ndarray:
    """(count, 3) corners of a regular polygon in the plane z = 0, or of a square grid line for line."""
    angles = 2.0 * np.pi * (np.arange(count) + 0.5) / count
    return half * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(count)])


def block_on_slope(
    slope: float, mu: float, azimuth: float = 0.0, count: int = 4, *, mu_lateral: float | None = None, turn: float = 0.0
) -> Case:
    """A block on `count` feet in the plane z = 0; gravity leans by `slope` towards `azimuth` [degrees].

    `turn` [degrees] turns the contact frames about the normal, so that facets of the model lie elsewhere.
    """
    s, phi, t = np.radians([slope, azimuth, turn])
    down = [np.sin(s) * np.cos(phi), np.sin(s) * np.sin(phi), -np.cos(s)]
    com = (0.0, 0.0, 0.01)
    frame = np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1.0]])
    mass = mass_matrix(2.0, 2.0 * np.diag([0.002, 0.002, 0.003]), com)
    return built(feet(count), [frame] * count, [Law(mu, mu_lateral)] * count, weight(2.0, com, down), mass)


@hand_checked
def block_on_a_gentle_slope() -> Known:
    return Known(block_on_slope(20.0, 0.5), "stays", np.zeros(6))


@hand_checked
def block_on_the_level() -> Known:
    return Known(block_on_slope(0.0, 0.5), "stays", np.zeros(6))


def sliding_block(slope: float, mu: float, azimuth: float, *, turn: float = 0.0, count: int = 4) -> Known:
    """g (sin - mu cos) along the slope, whatever the direction."""
    s, phi = np.radians([slope, azimuth])
    rate = G * (np.sin(s) - mu * np.cos(s))
    case = block_on_slope(slope, mu, azimuth, count, turn=turn)
    return Known(case, "moves", along(rate * np.cos(phi), rate * np.sin(phi), 0))


@hand_checked
def block_on_a_steep_slope() -> Known:
    return sliding_block(40.0, 0.5, 0.0)


@hand_checked
def block_that_slides_between_facets() -> Known:
    return sliding_block(35.0, 0.5, 11.25)


@hand_checked
def block_that_slides_across_its_grain() -> Known:
    """Elliptic friction: down the slope along v, where the coefficient is 0.2."""
    s = np.radians(25.0)
    return Known(
        block_on_slope(25.0, 0.8, 90.0, mu_lateral=0.2), "moves", along(0, G * (np.sin(s) - 0.2 * np.cos(s)), 0)
    )


@hand_checked
def block_on_skates() -> Known:
    """Friction along u alone, and a slope in between: it slides across, and friction holds it along u."""
    s = np.radians(20.0)
    case = block_on_slope(20.0, 0.5, 60.0, mu_lateral=0.0)
    return Known(case, "moves", along(0, G * np.sin(s) * np.sin(np.radians(60.0)), 0))


@hand_checked
def spinning_disc_pad() -> Known:
    """A soft finger turned by more than e times its normal force: (torque - e N) / I about the normal."""
    pad = hf.models.soft_finger(0.5, 0.005, points=10)
    law = Law(0.5)
    torque, inertia = 0.2, 0.001
    load = np.array([0, 0, -20.0, 0, 0, torque])
    mass = mass_matrix(1.0, np.diag([0.0006, 0.0006, inertia]))
    case = built(pad.points, [np.eye(3)] * 10, [law] * 10, load, mass)
    assembly = hf.Assembly([hf.Contact(p, np.eye(3), pad.volume) for p in pad.points])
    rate = (torque - 0.005 * 20.0) / inertia
    return Known(replace(case, assembly=assembly), "moves", np.array([0, 0, 0, 0, 0, rate]))


# -- pulls and caps -------------------------------------------------------------------------------------------------


def under_magnets(mass: float, pull: float = 25.0, cap: float = np.inf, count: int = 4) -> Case:
    """A plate that hangs below four magnets."""
    places = feet(count)
    inertia = mass * np.diag([0.002, 0.002, 0.004])
    load = weight(mass, (0, 0, -0.02))
    frame = np.diag([1.0, -1.0, -1.0])
    return built(
        places, [frame] * count, [Law(0.3, pull=pull, cap=cap)] * count, load, mass_matrix(mass, inertia, (0, 0, -0.02))
    )


@hand_checked
def plate_below_magnets() -> Known:
    return Known(under_magnets(5.0), "stays", np.zeros(6))


@hand_checked
def plate_torn_off_magnets() -> Known:
    """The magnets keep pulling while it comes off: 100 N on 15 kg."""
    return Known(under_magnets(15.0), "moves", along(0, 0, 100.0 / 15.0 - G))


@hand_checked
def plate_between_equal_magnets() -> Known:
    """Pulls that cancel, and no load."""
    normals = np.array([[0.3, 0.4, 0.9], [-0.3, -0.4, -0.9]])
    case = built(0.01 * normals, list(normals), [Law(0.3, pull=70.0)] * 2, np.zeros(6), ball_mass())
    return Known(case, "stays", np.zeros(6))


@hand_checked
def crushed_feet() -> Known:
    """Four feet that carry 4 N each below 2 kg: no forces keep the block out of the ground."""
    case = block_on_slope(0.0, 0.5)
    laws = (Law(0.5, cap=4.0),) * 4
    contacts = [replace(c, volume=laws[0].volume()) for c in case.assembly.contacts]
    return Known(replace(case, laws=laws, assembly=hf.Assembly(contacts)), "inconsistent")


# -- joints ---------------------------------------------------------------------------------------------------------


def pinched(lower: float, upper: float, load: Any, mu: float = 0.5) -> Case:
    """A block of 1 kg between a wall (normal +x) and a finger that slides along -x; the row is its pressing force."""
    row = np.zeros((1, 6))
    row[0, 3:] = [-1.0, 0.0, 0.0]
    places, normals = [(-0.05, 0, 0), (0.05, 0, 0)], [(1, 0, 0), (-1, 0, 0)]
    joints = hf.JointRows(row, [lower], [upper])
    return built(places, normals, [Law(mu)] * 2, load, ball_mass(), joints=joints)


@hand_checked
def finger_that_presses_enough() -> Known:
    """Constant 15 N with friction 0.5 on both sides carry 15 N, above 9.81 N."""
    return Known(pinched(15.0, 15.0, weight()), "stays", np.zeros(6))


@hand_checked
def finger_that_presses_too_little() -> Known:
    """Constant 5 N hold back 5 N."""
    return Known(pinched(5.0, 5.0, weight()), "moves", along(0, 0, 5.0 - G))


@hand_checked
def finger_with_a_friction_joint() -> Known:
    """The joint bears up to 15 N, if it is loaded; without, the block falls."""
    return Known(pinched(-15.0, 15.0, weight()), "may stay")


@hand_checked
def finger_with_a_friction_joint_pushed_back() -> Known:
    """40 N along +x leave the wall against 15 N of the joint; the ball rolls down the finger.

    Held at its side, a solid ball falls by 5/7 g: friction carries 2/7 of the weight, 2.8 N of at most 7.5 N.
    """
    case = pinched(-15.0, 15.0, weight() + np.array([40.0, 0, 0, 0, 0, 0]))
    return Known(case, "moves", np.array([25.0, 0, -5.0 / 7.0 * G, 0, -5.0 / 7.0 * G / 0.05, 0]))


@hand_checked
def finger_that_cannot_be_driven_back() -> Known:
    """40 N along +x do not move the finger. The wall helps to hold the ball, or does not: then it rolls down."""
    return Known(pinched(15.0, np.inf, weight() + np.array([40.0, 0, 0, 0, 0, 0])), "may stay")


@hand_checked
def finger_that_presses_enough_and_cannot_be_driven_back() -> Known:
    return Known(pinched(15.0, np.inf, weight()), "stays", np.zeros(6))


# -- a rod that slides: Painleve's paradox ------------------------------------------------------------------------


def sliding_rod(mu: float, off: float = 0.0, spin: float = 0.0, half: float = 0.5) -> Case:
    """A slender rod with tan(lean) = 2 on its lower end, at the world origin, slipping `off` [degrees] from its plane.

    The normal acceleration at the tip by a normal force f is (1 + 3 cos^2 - 3 mu cos(off) sin cos) f / m: it changes
    its sign at mu cos(off) = 4/3. `spin` [rad/s] turns the rod in its plane and adds spin^2 half sin to the free -g.
    """
    lean = np.arctan(2.0)
    axis = np.array([np.cos(lean), 0.0, np.sin(lean)])
    com = half * axis
    inertia = half**2 / 3.0 * (np.eye(3) - np.outer(axis, axis)) + 1e-4 * np.outer(axis, axis)
    way = np.radians(off)
    velocity = [-np.cos(way), -np.sin(way), 0.0, 0.0, spin, 0.0]
    return built(
        [(0, 0, 0)], [np.eye(3)], [Law(mu)], weight(1.0, com), mass_matrix(1.0, inertia, com), velocity=velocity
    )


def rod_motions(mu: float, off: float = 0.0, spin: float = 0.0, half: float = 0.5) -> list[np.ndarray]:
    """Normal forces of all motions of `sliding_rod` (1 kg)."""
    lean = np.arctan(2.0)
    s, c = np.sin(lean), np.cos(lean)
    pushed = 1.0 + 3.0 * c * c - 3.0 * mu * np.cos(np.radians(off)) * s * c
    free = spin**2 * half * s - G
    found = []
    if free >= 0.0:
        found.append(0.0)
    if pushed * free < 0.0:
        found.append(-free / pushed)
    return found


# -- random cases ---------------------------------------------------------------------------------------------------


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Uniform over all rotations."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else q[:, [1, 0, 2]]


def random_mass(rng: np.random.Generator) -> np.ndarray:
    spread = rng.normal(size=(3, 3))
    return mass_matrix(rng.uniform(0.3, 3.0), 0.003 * (spread @ spread.T + 0.5 * np.eye(3)), 0.02 * rng.normal(size=3))


def random_case(seed: int, most: int = 3, *, laws: str = "round") -> Case:
    """One to `most` contacts. Every third load is random, every third is balanced by forces in the cones, and every
    third is light on contacts that squeeze the body. `laws`: "round" circles and ellipses, "all" also pulls, caps and
    polygons.
    """
    rng = np.random.default_rng([seed, 21])
    kind = seed % 3
    k = int(rng.integers(1 + (kind == 2), most + 1))
    found = []
    for _ in range(k):
        mu = float(rng.choice([0.0, 0.2, 0.5, 0.8, 1.3]))
        law = Law(mu, mu * rng.uniform(0.4, 1.6) if rng.random() < 0.3 else None)
        if laws == "all":
            pick = rng.random()
            if pick < 0.25:
                law = Law(mu, pull=rng.uniform(0.5, 8.0))
            elif pick < 0.4:
                law = replace(law, cap=rng.uniform(2.0, 20.0))
            elif pick < 0.6 and mu:
                angles = np.sort(2.0 * np.pi * (np.arange(5) + rng.uniform(-0.3, 0.3, size=5)) / 5)
                law = Law(corners=mu * np.column_stack([np.cos(angles), np.sin(angles)]))
        found.append(law)
    frames = [random_rotation(rng) for _ in range(k)]
    places = 0.1 * rng.normal(size=(k, 3))
    if kind == 2:  # two contacts face each other
        axis = frames[0][:, 2]
        places[1] = places[0] + 0.1 * axis
        frames[1] = hf.frame_from_normal(-axis + 0.2 * rng.normal(size=3))
    else:  # bodies that lie on something: normals lean upwards
        frames = [f if f[2, 2] > -0.2 or rng.random() < 0.4 else f @ np.diag([1.0, -1.0, -1.0]) for f in frames]
    mass = random_mass(rng)
    if kind == 0:
        load = rng.normal(size=6) * [5.0, 5.0, 5.0, 0.3, 0.3, 0.3]
        load[2] -= 5.0
    else:
        load = np.zeros(6)
        for place, frame, law in zip(places, frames, found, strict=True):
            n = rng.uniform(0.5, 4.0)
            angle, share = rng.uniform(0.0, 2.0 * np.pi), 0.9 * np.sqrt(rng.random())
            t = share * n * law.axes * [np.cos(angle), np.sin(angle)] * (0.5 if law.corners is not None else 1.0)
            if law.corners is not None:
                t = share * n * law.corners.mean(axis=0) + 0.3 * t
            force = frame @ np.array([*t, min(n, law.cap + law.pull) - law.pull])
            load -= np.concatenate([force, np.cross(place, force)])
    return built(places, frames, found, load, mass)


def random_joint_case(seed: int) -> Case:
    """Two or three contacts, the last one or two on fingers: driven, with friction, not driven back, or locked."""
    rng = np.random.default_rng([seed, 24])
    case = random_case(3 * seed + int(rng.integers(1, 3)), 3)
    k = len(case.assembly)
    rows, low, high = [], [], []
    for finger in range(k - 1, max(k - 1 - int(rng.integers(1, 3)), -1), -1):
        row = np.zeros(3 * k)
        towards = case.assembly.contacts[finger].rotation @ np.array([*(0.4 * rng.normal(size=2)), 1.0])
        row[3 * finger : 3 * finger + 3] = towards / np.linalg.norm(towards)
        torque = rng.uniform(0.5, 6.0)
        bounds = [(torque, torque), (-torque, torque), (torque, np.inf), (-np.inf, np.inf)][int(rng.integers(4))]
        arm = rng.uniform(0.02, 2.0)
        rows.append(arm * row)
        low.append(arm * bounds[0])
        high.append(arm * bounds[1])
    joints = hf.JointRows(np.array(rows), low, high)
    return replace(case, assembly=hf.Assembly(case.assembly.contacts, joints))


# -- planar cases, extruded ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planar:
    """A body in the plane with its contacts (positions relative to its centre of mass), and a load about that."""

    body: hf.planar.Body
    contacts: tuple[hf.planar.Contact, ...]
    force: np.ndarray

    @property
    def verdict(self) -> str:
        """What the planar enumeration says about rest."""
        found = hf.planar.motions(self.body, self.contacts, self.force)
        size = np.abs(self.force).max() / self.body.mass
        rests = any(self.is_rest(piece, size) for piece in found.modes.values())
        moves = any(len(piece.rays) or np.abs(piece.vertices).max() > 1e-9 * size for piece in found.modes.values())
        return {
            (True, False): "stays",
            (True, True): "may stay",
            (False, True): "moves",
            (False, False): "inconsistent",
        }[rests, moves]

    @staticmethod
    def is_rest(piece: Any, size: float) -> bool:
        return bool(piece.contains(np.zeros((1, 3)))[0])


def random_planar(seed: int) -> Planar:
    """Two to four contacts; loads as in `random_case`."""
    rng = np.random.default_rng([seed, 22])
    kind, k = seed % 3, int(rng.integers(2, 5))
    mu = float(rng.choice([0.2, 0.5, 0.9]))
    angles = rng.uniform(0.0, 2.0 * np.pi, size=k)
    if kind == 2:
        angles[1] = angles[0] + np.pi + rng.uniform(-0.3, 0.3)
    places = [0.1 * np.array([-np.cos(a), -np.sin(a)]) + 0.05 * rng.normal(size=2) for a in angles]
    contacts = tuple(hf.planar.Contact((np.cos(a), np.sin(a)), -p, mu) for a, p in zip(angles, places, strict=True))
    if kind == 0:
        load = rng.normal(size=3) * [5.0, 5.0, 0.3]
    else:
        load = np.zeros(3)
        for contact in contacts:
            n = rng.uniform(0.5, 4.0)
            force = n * contact.normal + rng.uniform(-0.9, 0.9) * mu * n * contact.tangent
            place = -contact.r
            load -= [*force, place[0] * force[1] - place[1] * force[0]]
    return Planar(hf.planar.Body(rng.uniform(0.5, 2.0), rng.uniform(0.03, 0.1)), contacts, load)


def extruded(planar: Planar) -> Case:
    """The planar body between two slippery plates that touch it at three points each.

    The plates leave three coordinates free, a_x, a_y and alpha_z, and take every force across and every moment about x
    and y. A contact in the plane z = 0 then slides along its planar tangent alone, and the share of its force along z
    is free where it sticks: the circular cone, seen along z, is the planar one. So all verdicts are the same.
    """
    body, k = planar.body, len(planar.contacts)
    places = [np.array([*(-c.r), 0.0]) for c in planar.contacts]
    frames: list[Any] = [np.column_stack([[*c.tangent, 0.0], [0, 0, -1.0], [*c.normal, 0.0]]) for c in planar.contacts]
    frames = [f if np.linalg.det(f) > 0 else f * [1.0, -1.0, 1.0] for f in frames]
    laws = [Law(c.mu) for c in planar.contacts]
    for sign in (1.0, -1.0):
        places += [np.array([*p[:2], 0.0]) for p in feet(3, 0.1)]
        frames += [np.array([0, 0, sign])] * 3
        laws += [Law(0.0)] * 3
    load = np.array([*planar.force[:2], 0.0, 0.0, 0.0, planar.force[2]])
    spin = body.mass * body.radius_of_gyration**2
    mass = mass_matrix(body.mass, np.diag([0.7 * spin, 0.8 * spin, spin]))
    assert len(laws) == k + 6
    return built(places, frames, laws, load, mass)


# -- scenes simulated by MuJoCo -----------------------------------------------------------------------------------

_SCENE = """
<mujoco>
  <option timestep="{step}" cone="elliptic" impratio="{impratio}" gravity="{gravity}" integrator="implicitfast"
          solver="Newton" tolerance="1e-12" iterations="200"/>
  <default><geom solref="0.001 1" solimp="0.99 0.999 0.0001" condim="3"/></default>
  <worldbody>
    {planes}
    <body pos="{centre}">
      <freejoint/>
      <geom type="box" size="{box}" mass="{mass}" friction="{mu} 0 0"/>
    </body>
  </worldbody>
</mujoco>
"""


@dataclass(frozen=True)
class Simulated:
    """A box that touches one to three planes at its faces, from rest, under gravity and a constant wrench."""

    xml: str
    wrench: np.ndarray
    step: float

    def model(self) -> tuple[Any, Any]:
        import mujoco

        model = mujoco.MjModel.from_xml_string(self.xml)
        data = mujoco.MjData(model)
        data.xfrc_applied[1] = self.wrench
        mujoco.mj_forward(model, data)
        return model, data

    def case(self, mu: float) -> Case:
        """The contacts that MuJoCo sees at the start, as an assembly."""
        model, data = self.model()
        places, frames, laws = [], [], []
        for contact in data.contact[: data.ncon]:
            normal = contact.frame[:3] if contact.geom[0] != model.ngeom - 1 else -contact.frame[:3]
            places.append(contact.pos.copy())
            frames.append(np.array(normal))
            laws.append(Law(mu))
        mass, com = model.body_mass[1], data.xipos[1].copy()
        inertia = data.ximat[1].reshape(3, 3)
        matrix = mass_matrix(mass, inertia @ np.diag(model.body_inertia[1]) @ inertia.T, com)
        force = mass * model.opt.gravity + self.wrench[:3]
        load = np.concatenate([force, self.wrench[3:] + np.cross(com, force)])
        return built(places, frames, laws, load, matrix)

    def displaced(self, seconds: float) -> np.ndarray:
        """(8, 3) how far the corners of the box have moved."""
        import mujoco

        model, data = self.model()
        size = model.geom_size[model.ngeom - 1]
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size

        def now() -> np.ndarray:
            return data.xipos[1] + corners @ data.ximat[1].reshape(3, 3).T

        start = now().copy()
        for _ in range(round(seconds / self.step)):
            mujoco.mj_step(model, data)
        return now() - start

    def free(self, case: Case) -> float:
        """Largest acceleration [m/s^2] of a corner without contacts."""
        model, data = self.model()
        size = model.geom_size[model.ngeom - 1]
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size + data.xipos[1]
        a = np.linalg.solve(case.mass, case.load)
        return float(np.linalg.norm(a[:3] + np.cross(a[3:], corners), axis=1).max())

    def corners(self) -> np.ndarray:
        """(8, 3) corners of the box at the start."""
        model, data = self.model()
        size = model.geom_size[model.ngeom - 1]
        return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size + data.xipos[1]


def random_scene(seed: int, *, step: float = 1e-4, impratio: float = 10.0) -> tuple[Simulated, float]:
    """(scene, mu): a box of random size on the floor, with up to two walls, random gravity and push."""
    rng = np.random.default_rng([seed, 23])
    mu = float(rng.choice([0.2, 0.4, 0.7]))
    half = rng.uniform(0.03, 0.1, size=3)
    mass = rng.uniform(0.5, 2.0)
    # A penetration of a micron, so that every corner is seen to touch.
    deep = 1e-6
    planes = [f'<geom type="plane" size="5 5 0.1" pos="0 0 {deep}" friction="{mu} 0 0"/>']
    if seed % 3 >= 1:
        planes.append(
            f'<geom type="plane" size="5 5 0.1" pos="{-half[0] + deep} 0 0" zaxis="1 0 0" friction="{mu} 0 0"/>'
        )
    if seed % 3 == 2:
        planes.append(
            f'<geom type="plane" size="5 5 0.1" pos="0 {-half[1] + deep} 0" zaxis="0 1 0" friction="{mu} 0 0"/>'
        )
    lean, way = rng.uniform(0.0, 0.9), rng.uniform(0.0, 2.0 * np.pi)
    gravity = G * np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), -np.cos(lean)])
    push = mass * G * rng.uniform(0.0, 0.5) * rng.normal(size=3)
    wrench = np.concatenate([push, 0.3 * np.abs(half).min() * mass * G * rng.uniform(0.0, 0.5) * rng.normal(size=3)])
    xml = _SCENE.format(
        step=step, impratio=impratio, gravity=" ".join(map(str, gravity)), planes="\n    ".join(planes),
        centre=f"0 0 {half[2]}", box=" ".join(map(str, half)), mass=mass, mu=mu,
    )  # fmt: skip
    return Simulated(xml, wrench, step), mu
