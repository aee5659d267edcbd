"""What changes no answer, over all questions: rigid motions, the order of contacts, units, a contact cut in two.

One table: `QUESTIONS` names what is asked and of which cases, `CHANGES` how a case is written differently. An answer is
a dictionary of words, and of numbers with their dimension: powers of the unit of force and of the unit of length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from tests.dynamics import coulomb_cases
from tests.planar.greenfield import two_links
from tests.planar.scenes import random_query
from tests.referee import block, dented_unit, random_case, random_rotation, random_unit_case
from tests.several_bodies import names_of, random_bodies
from tests.sharing import referee as sharing

#: Numbers agree to this share; limits are found to the default gap on both sides of a comparison.
AGREE = 3e-6

#: Numbers below this share of the largest of an answer (or of the case's own size) are zero.
ZERO = 1e-7

#: The units of force and of length that are tried, in newtons and metres.
FORCE, LENGTH = 1e3, 1e-2


@dataclass(frozen=True)
class Number:
    """A value (or several) of the dimension force^force length^length."""

    value: Any
    force: float = 0.0
    length: float = 0.0


Answer = dict[str, Any]


def factor(value: Any) -> Number:
    return Number(value)


@dataclass(frozen=True)
class Spatial:
    """Contacts with all that any question needs: loads (6 n,), a mass matrix, stiffness and preload of each contact."""

    assembly: hf.Assembly
    load: np.ndarray
    base: np.ndarray = field(default_factory=lambda: np.zeros(6))
    mass: np.ndarray = field(default_factory=lambda: np.eye(6))
    stiffness: np.ndarray | None = None
    preload: np.ndarray | None = None
    rule: str = "brittle"

    def moved(self, rng: np.random.Generator) -> Spatial:
        """Everything turned and shifted by some metres."""
        pose = hf.Pose(random_rotation(rng), 3.0 * rng.normal(size=3))
        carry = pose.wrench_transport()
        bodies = len(self.load) // 6
        return replace(
            self,
            assembly=self.assembly.moved(pose),
            load=(self.load.reshape(bodies, 6) @ carry.T).ravel(),
            base=carry @ self.base,
            mass=carry @ self.mass @ carry.T,
        )

    def reordered(self, rng: np.random.Generator) -> Spatial:
        """The contacts (and units) in another order; loads are given body by body, in the order of their first mention."""
        groups: dict[Any, list[int]] = {}  # points of a unit stay together
        for i, contact in enumerate(self.assembly.contacts):
            groups.setdefault(contact.unit or i, []).append(i)
        order = [i for g in rng.permutation(len(groups)) for i in list(groups.values())[g]]
        other = self._rearranged(order, [1.0] * len(order))
        if len(self.load) == 6:
            return other
        parts = dict(zip(names_of(self.assembly), self.load.reshape(-1, 6), strict=True))
        return replace(other, load=np.concatenate([parts[name] for name in names_of(other.assembly)]))

    def cut(self, rng: np.random.Generator) -> Spatial:
        """The first convex contact as two, each with its share of the volume, the stiffness and the preload."""
        first = next((i for i, c in enumerate(self.assembly.contacts) if len(c.volume) == 1 and c.unit is None), None)
        if first is None:
            pytest.skip("no contact of one piece")
        share = float(rng.uniform(0.2, 0.8))
        order = [*range(first), first, *range(first, len(self.assembly))]
        shares = [1.0] * len(order)
        shares[first], shares[first + 1] = share, 1.0 - share
        return self._rearranged(order, shares)

    def _rearranged(self, order: list[int], shares: list[float]) -> Spatial:
        contacts = []
        for i, share in zip(order, shares, strict=True):
            c = self.assembly.contacts[i]
            contacts.append(c if share == 1.0 else replace(c, volume=c.volume.scaled(share)))
        joints = self.assembly.joints
        if joints is not None:
            blocks = joints.jacobian.reshape(len(joints), -1, 3)[:, order]
            joints = replace(joints, jacobian=blocks.reshape(len(joints), -1))
        parts = np.array(shares)[:, None]
        return replace(
            self,
            assembly=hf.Assembly(contacts, joints),
            stiffness=None if self.stiffness is None else self.stiffness[order] * parts[:, :, None],
            preload=None if self.preload is None else self.preload[order] * parts,
        )

    def unit(self, force: float, length: float) -> Spatial:
        """The same numbers in a unit of force that is 1 / `force` newtons, and of length 1 / `length` metres."""
        made: dict[int, hf.ForceVolume] = {}
        contacts = [
            replace(
                c,
                position=length * c.position,
                volume=made.setdefault(id(c.volume), c.volume.scaled(force) if force != 1.0 else c.volume),
            )
            for c in self.assembly.contacts
        ]
        joints = self.assembly.joints
        if joints is not None:
            joints = replace(
                joints,
                jacobian=length * joints.jacobian,
                lower=force * length * joints.lower,
                upper=force * length * joints.upper,
                stiffness=force * length * joints.stiffness,  # torque per radian
                servo=force * length * joints.servo,
            )
        wrench = force * np.repeat([1.0, length], 3)
        twist = np.repeat([length, 1.0], 3)
        return replace(
            self,
            assembly=hf.Assembly(contacts, joints),
            load=self.load * np.tile(wrench, len(self.load) // 6),
            base=self.base * wrench,
            mass=self.mass * np.outer(wrench, 1.0 / twist),
            stiffness=None if self.stiffness is None else self.stiffness * force / length,
            preload=None if self.preload is None else self.preload * force,
        )

    # -- what is asked ---------------------------------------------------------------------------------

    def holds(self) -> Answer:
        """Well inside and well outside the limit, and at the load itself."""
        found = hf.equilibrium(self.assembly, 0.4137 * self.load)
        assert found.verify()
        return {"status": found.status}

    def limit(self) -> Answer:
        found = hf.load_limit(self.assembly, self.load)
        assert found.verify()
        return {"status": found.status, "limit": factor(found.value)}

    def interior(self) -> Answer:
        found = hf.load_limit(self.assembly, self.load, method=hf.solvers.InteriorPoint())
        assert found.verify()
        return {"status": found.status, "limit": factor(found.value)}

    def ramp(self) -> Answer:
        found = hf.load_ramp(self.assembly, 0.1 * self.load, self.load)
        return {"limit": factor(found.value)}

    def onset(self) -> Answer:
        path = hf.statics.ramp(self.assembly, np.zeros(6), self.load)
        found = hf.slip_onset(path, 0.0, 50.0, step=5.0, tolerance=1e-7)
        return {"status": found.status, "factor": factor(np.nan if found.value is None else found.value)}

    def strength(self) -> Answer:
        found = hf.statics.strength_factor(self.assembly, 0.3 * self.load)
        return {"status": found.status, "factor": factor(found.value)}

    def bar(self) -> Answer:
        """How the limit changes with each contact's strength, whatever the order: the sum and the largest."""
        found = hf.sensitivity(self.assembly, self.load)
        slopes = np.array([d.value for d in found.contacts_strength]) if hasattr(found, "contacts_strength") else None
        return {"limit": factor(found.limit.value)} | ({} if slopes is None else {"sum": factor(slopes.sum())})

    def space(self) -> Answer:
        rays = np.array([self.load, -self.load])
        found = hf.wrench_space(self.assembly, rays)
        return {"values": factor(found.values)}

    def supports(self) -> Answer:
        """How far the wrench space reaches along the power of a twist: given by the load's own mass matrix."""
        twist = np.linalg.solve(self.mass, self.load)
        found = hf.wrench_spaces.wrench_supports(self.assembly, twist[None, :])
        return {"reach": Number(found.values / (twist @ self.load))}

    def probability(self) -> Answer:
        scatter = hf.reliability.Scatter(strength=0.3)
        limit = hf.load_limit(self.assembly, self.load).value
        found = hf.probability(self.assembly, 0.8 * limit * self.load, scatter, n=60, seed=4)
        return {"probability": factor(found.value)}

    def separates(self) -> Answer:
        found = hf.separation(self.assembly, self.load, self.mass)
        assert found.verify()
        speeds = [] if found.contact_accelerations is None else np.linalg.norm(found.contact_accelerations, axis=1)
        return {
            "status": found.status,
            "value": Number(found.value, 1.0, 1.0),
            "fastest": Number(np.max(speeds, initial=0.0), 0.0, 1.0),
        }

    def stays(self) -> Answer:
        found = hf.strong_stability(self.assembly, self.load, self.mass)
        assert found.verify()
        return {"status": found.status}

    def moves(self) -> Answer:
        found = hf.motion(self.assembly, self.load, self.mass)
        assert found.verify()
        if found.status != "moves" or hf.motions(self.assembly, self.load, self.mass).status != "unique":
            return {"status": found.status}
        speeds = np.linalg.norm(found.contact_accelerations, axis=1)
        return {"status": found.status, "fastest": Number(speeds.max(), 0.0, 1.0)}

    def all_motions(self) -> Answer:
        found = hf.motions(self.assembly, self.load, self.mass)
        return {"status": found.status}

    def shares(self) -> Answer:
        found = hf.load_sharing(
            self.assembly, self.load, self.stiffness, preload=self.preload, base=self.base, rule=self.rule
        )
        assert found.verify()
        answer = {
            "status": found.status,
            "peak": factor(found.peak),
            "first": factor(found.first_failure),
            "names": sorted({e.kind for e in found.failures}),
        }
        until = 0.9 * min(found.first_failure, found.peak)
        if np.isfinite(until) and until > 0.0:
            about = np.append(self.load[:3], self.load[3:] - np.cross(found.point, self.load[:3]))
            answer["work"] = Number(found.displacement(until) @ about, 1.0, 1.0)
        return answer


# -- postures, regions and grips -----------------------------------------------------------------------


@dataclass(frozen=True)
class Stance:
    """Hands at palms, a load, and a mass under gravity."""

    grips: list[hf.Grip]
    poses: list[hf.Pose]
    load: np.ndarray
    mass: float = 20.0
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))

    def moved(self, rng: np.random.Generator) -> Stance:
        pose = hf.Pose(random_rotation(rng), rng.normal(size=3))
        poses = [hf.Pose(pose.rotation @ p.rotation, pose.apply(p.translation)) for p in self.poses]
        load = pose.wrench_transport() @ self.load
        return replace(self, poses=poses, load=load, gravity=pose.rotation @ self.gravity)

    def reordered(self, rng: np.random.Generator) -> Stance:
        order = rng.permutation(len(self.grips))
        return replace(self, grips=[self.grips[i] for i in order], poses=[self.poses[i] for i in order])

    def cut(self, rng: np.random.Generator) -> Stance:
        """The first hand as two, each of a share of its wrenches."""
        share = float(rng.uniform(0.2, 0.8))
        halves = [hf.Grip(s * self.grips[0].vertices, self.grips[0].rays) for s in (share, 1.0 - share)]
        return replace(self, grips=[*halves, *self.grips[1:]], poses=[self.poses[0], *self.poses])

    def unit(self, force: float, length: float) -> Stance:
        wrench = force * np.repeat([1.0, length], 3)
        grips = [hf.Grip(wrench * g.vertices, wrench * g.rays) for g in self.grips]
        poses = [hf.Pose(p.rotation, length * p.translation) for p in self.poses]
        return replace(self, grips=grips, poses=poses, load=wrench * self.load, mass=force * self.mass)

    def scales(self) -> Answer:
        found = hf.posture_equilibrium(self.grips, self.poses, self.load)
        assert found.verify()
        return {"status": found.status, "scales": factor(np.array(found.scale_interval))}

    def margin(self) -> Answer:
        found = hf.postures.posture_margin(self.grips, self.poses, 0.2 * self.load, self.load)
        return {"margin": factor(found.value)}

    def many(self) -> Answer:
        loads = np.outer([0.1, 0.7, 1.3, 4.0], self.load)
        found = hf.postures.posture_many(self.grips, [self.poses] * len(loads), loads)
        assert found.verify()
        return {"status": [str(s) for s in found.status]}

    def region(self) -> Answer:
        found = hf.support_region(self.grips, self.poses, self.mass, self.gravity)
        assert found.verify()
        return {"kind": found.kind, "area": Number(found.area, 0.0, 2.0)}


# -- in the plane --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planar:
    """A body on contacts in the plane."""

    body: hf.planar.Body
    contacts: list[hf.planar.Contact]
    force: np.ndarray
    velocity: np.ndarray

    def moved(self, rng: np.random.Generator) -> Planar:
        """Turned: places are relative to the centre of mass."""
        angle = rng.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        contacts = [hf.planar.Contact(turn @ c.normal, turn @ c.r, c.mu, c.kind) for c in self.contacts]
        force, velocity = (np.append(turn @ v[:2], v[2]) for v in (self.force, self.velocity))
        return replace(self, contacts=contacts, force=force, velocity=velocity)

    def reordered(self, rng: np.random.Generator) -> Planar:
        return replace(self, contacts=[self.contacts[i] for i in rng.permutation(len(self.contacts))])

    def cut(self, _: np.random.Generator) -> Planar:
        """A contact that is listed twice."""
        return replace(self, contacts=[self.contacts[0], *self.contacts])

    def unit(self, force: float, length: float) -> Planar:
        """Masses change with the unit of force, so that accelerations change with that of length alone."""
        body = hf.planar.Body(force / length * self.body.mass, length * self.body.radius_of_gyration)
        contacts = [hf.planar.Contact(c.normal, length * c.r, c.mu, c.kind) for c in self.contacts]
        return Planar(body, contacts, self.force * [force, force, force * length], self.velocity * [length, length, 1])

    def motions(self) -> Answer:
        found = hf.planar.motions(self.body, self.contacts, self.force, self.velocity)
        answer: Answer = {"status": found.status, "modes": sorted({"".join(sorted(set(m))) for m in found.modes})}
        if found.status == "unique":
            answer["speed"] = Number(np.hypot(*found.acceleration[:2]), 0.0, 1.0)
            answer["turning"] = Number(found.acceleration[2])
        return answer


@dataclass(frozen=True)
class Torques:
    """A planar system, a wanted mode and torques to judge; coordinates and contacts may be written in other ways."""

    system: hf.planar.System
    mode: str
    torques: np.ndarray

    def moved(self, rng: np.random.Generator) -> Torques:
        """Other coordinates of the same system: velocities q' = T q."""
        n = len(self.system.bias)
        change = rng.normal(size=(n, n)) + 2.0 * np.eye(n)
        s, back = self.system, np.linalg.inv(change)
        return replace(
            self,
            system=hf.planar.System(
                back.T @ s.mass_matrix @ back, back.T @ s.bias, back.T @ s.selector,
                s.normal_jacobian @ back, s.tangent_jacobian @ back, s.mu,
            ),
        )  # fmt: skip

    def reordered(self, rng: np.random.Generator) -> Torques:
        order = rng.permutation(len(self.mode))
        s = self.system
        system = hf.planar.System(
            s.mass_matrix, s.bias, s.selector, s.normal_jacobian[order], s.tangent_jacobian[order], s.mu[order]
        )
        return replace(self, system=system, mode="".join(self.mode[i] for i in order))

    def unit(self, force: float, length: float) -> Torques:
        """Coordinates are angles and lengths of links in the unit; forces of contacts grow with its force."""
        s, f = self.system, force * length
        system = hf.planar.System(
            f * s.mass_matrix, f * s.bias, s.selector, length * s.normal_jacobian, length * s.tangent_jacobian, s.mu
        )
        return replace(self, system=system, torques=f * self.torques)

    def classes(self) -> Answer:
        found = hf.planar.torque_sets(self.system, self.mode)
        return {"classes": list(found.classify(self.torques)), "overlaps": len(found.overlaps)}


@dataclass(frozen=True)
class Drawn:
    """A contour to grasp [mm]."""

    contour: np.ndarray

    def moved(self, rng: np.random.Generator) -> Drawn:
        angle = rng.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return Drawn(self.contour @ turn.T + rng.uniform(-500.0, 500.0, 2))

    def best(self) -> Answer:
        found = hf.grasps.plan(self.contour, hand="barrett", reachability="none").to_dict()
        first = found["grasps"][0]
        return {
            "area": Number(found["object"]["area_mm2"]),
            "count": len(found["grasps"]) > 0,
            **{name: Number(first["criteria"][name]) for name in ("S1", "S4", "C1", "C6")},
        }


# -- the table -----------------------------------------------------------------------------------------

Case = Spatial | Stance | Planar | Torques | Drawn


def loaded(seeds: Iterable[int], **options: int) -> list[Spatial]:
    return [Spatial(c.assembly, c.direction) for c in (random_case(s, **options) for s in seeds)]


def boxes(seed: int) -> Spatial:
    """Convex contacts that hold zero, and a load that they carry: with a mass, springs and preload."""
    case = sharing.random_case(seed, sharing.random_convex, contacts=(3, 5), preload=1.0, base=0.5)
    spread = np.random.default_rng(seed).normal(size=(3, 3))
    mass = hf.dynamics.mass_matrix(1.3, 0.005 * (spread @ spread.T + np.eye(3)), (0.01, 0.02, -0.03))
    return Spatial(case.assembly, case.load, case.base, mass, case.stiffness, case.preload)


def overloaded(seed: int) -> Spatial:
    case = boxes(seed)
    return replace(case, load=3.0 * hf.load_limit(case.assembly, case.load).value * case.load)


def coulomb(seed: int) -> Spatial:
    case = coulomb_cases.random_case(seed)
    return Spatial(case.assembly, case.load, mass=case.mass)


def jointed(seed: int, *kinds: str) -> Spatial:
    """Sprung, driven and free joints behind the contacts, as a robot has."""
    case = sharing.random_case(seed, sharing.random_convex, contacts=(4, 6), kinds=kinds, preload=0.5)
    return Spatial(case.assembly, case.load, case.base, stiffness=case.stiffness, preload=case.preload, rule="ductile")


def hooked(seed: int) -> Spatial:
    """Dented units: the choice of pieces decides."""
    rng = np.random.default_rng(seed)
    unit = dented_unit(shear=20.0, pull=5.0)
    contacts = [hf.Contact(0.05 * rng.normal(size=3), random_rotation(rng), unit) for _ in range(4)]
    return Spatial(hf.Assembly([*contacts, replace(contacts[0], volume=hf.ForceVolume([block([-3] * 3, [3] * 3)]))]),
                   np.array([0.3, 0.2, 1.0, 0.01, 0.0, 0.02]))  # fmt: skip


def united(seed: int) -> Spatial:
    case = random_unit_case(seed, most_choices=8)
    return Spatial(case.assembly, case.direction)


def bodies(seed: int) -> Spatial:
    case = random_bodies(seed, bodies=3)
    return Spatial(case.assembly, case.load)


def hands(seed: int) -> Stance:
    rng = np.random.default_rng(seed)
    wrenches = rng.normal(size=(3, 14, 6)) * np.repeat([60.0, 5.0], 3) + [0, 0, 70.0, 0, 0, 0]
    poses = [hf.Pose(hf.frame_from_normal(rng.normal(size=3) * 0.3 + [0, 0, 1]), rng.normal(size=3)) for _ in range(3)]
    return Stance([hf.Grip(w) for w in wrenches], poses, np.array([5.0, -9.0, -120.0, 4.0, 3.0, 1.0]))


def feet(seed: int) -> Stance:
    rng = np.random.default_rng(seed)
    angles = 2.0 * np.pi * np.arange(4) / 4 + rng.uniform(-0.3, 0.3, 4)
    places = np.column_stack([np.cos(angles), np.sin(angles), 0.2 * rng.normal(size=4)])
    poses = [hf.Pose(hf.frame_from_normal(0.2 * rng.normal(size=3) + [0, 0, 1]), p) for p in places]
    return Stance([hf.coulomb_grip(0.5, sides=8)] * 4, poses, np.array([0.0, 0.0, -100.0, 1.0, 2.0, 0.0]))


def wheel(seed: int) -> Drawn:
    """A smooth outline without symmetry."""
    t = 2.0 * np.pi * np.arange(240) / 240
    radius = 40.0 + 6.0 * np.cos(2 * t + seed) + 4.0 * np.cos(3 * t + 0.7)
    return Drawn(np.column_stack([radius * np.cos(t), radius * np.sin(t)]))


def planar(seed: int) -> Planar:
    return Planar(*random_query(np.random.default_rng(seed), 2 + seed % 2))


def snake(mu: float) -> Torques:
    half = 0.0849 * 9.81 * 0.127
    return Torques(two_links(mu), "FFF", half * np.array([[-1.5], [-0.9], [-0.6], [-0.2], [0.3]]))


ALL = ("moved", "reordered", "force", "length", "cut")
STATIC = loaded((1, 2, 4, 11), most_choices=8)

#: Question: what is asked, of which cases, and the changes that leave the answer alone.
QUESTIONS: dict[str, tuple[str, list[Case], tuple[str, ...]]] = {
    "equilibrium": ("holds", [*STATIC, hooked(0), united(3)], ALL),
    "load limit": ("limit", [*STATIC, hooked(0), united(3)], ALL),
    "load limit of several bodies": ("limit", [bodies(1), bodies(5)], ALL),
    "load limit by the interior point": ("interior", [bodies(2), boxes(7)], ALL),
    "load ramp": ("ramp", [boxes(1), boxes(2)], ALL),
    "slip onset": ("onset", [boxes(1)], ALL),
    "strength factor": ("strength", [boxes(1), boxes(3)], ALL),
    "sensitivity": ("bar", [boxes(1)], ALL),
    "wrench space": ("space", [boxes(1), hooked(1)], ALL),
    "supports of the wrench space": ("supports", [boxes(1), boxes(2)], ALL),
    "probability": ("probability", [boxes(1)], ("moved", "force", "length")),
    "least acceleration": ("separates", [overloaded(1), overloaded(2)], ALL),
    "strong stability": ("stays", [coulomb(s) for s in (0, 2, 4, 5)], ALL),
    "motion": ("moves", [coulomb(s) for s in (0, 3, 6)], ALL),
    "all motions": ("all_motions", [coulomb(s) for s in (0, 3, 5)], ALL),
    "load sharing": ("shares", [boxes(1), boxes(2), replace(boxes(3), rule="ductile")], ALL),
    "sharing of robots": ("shares", [jointed(2, "sprung", "servo"), jointed(4, "free", "driven")], ALL),
    "postures": ("scales", [hands(1), hands(2), feet(1)], ALL),
    "posture margins": ("margin", [hands(1)], ALL),
    "many postures": ("many", [hands(1), hands(3)], ALL),
    "support regions": ("region", [hands(1), feet(1), feet(2)], ALL),
    "planar motions": ("motions", [planar(s) for s in range(6)], ALL),
    "torque sets": ("classes", [snake(0.3), snake(1.5)], ("moved", "reordered", "force", "length")),
    "grasps": ("best", [wheel(0), wheel(1)], ("moved",)),
}

CHANGES: dict[str, Callable[[Any, np.random.Generator], tuple[Any, float, float]]] = {
    "moved": lambda case, rng: (case.moved(rng), 1.0, 1.0),
    "reordered": lambda case, rng: (case.reordered(rng), 1.0, 1.0),
    "cut": lambda case, rng: (case.cut(rng), 1.0, 1.0),
    "force": lambda case, _: (case.unit(FORCE, 1.0), FORCE, 1.0),
    "length": lambda case, _: (case.unit(1.0, LENGTH), 1.0, LENGTH),
}

ASKED: dict[tuple[str, int], Answer] = {}


def first_answer(name: str, number: int) -> Answer:
    """The answer to a case as it stands, found once."""
    if (name, number) not in ASKED:
        question, cases, _ = QUESTIONS[name]
        ASKED[name, number] = getattr(cases[number], question)()
    return ASKED[name, number]


@pytest.mark.parametrize(
    ("name", "change", "number"),
    [
        (name, change, number)
        for name, (_, cases, changes) in QUESTIONS.items()
        for change in changes
        for number in range(len(cases))
    ],
)
def test_the_answer_stays(name: str, change: str, number: int) -> None:
    question, cases, _ = QUESTIONS[name]
    before = first_answer(name, number)
    case, force, length = CHANGES[change](cases[number], np.random.default_rng([number, len(change)]))
    after = getattr(case, question)()
    assert after.keys() == before.keys()
    for key, value in before.items():
        if not isinstance(value, Number):
            assert after[key] == value, key
            continue
        unit = force**value.force * length**value.length
        size = float(np.abs(np.asarray(value.value)[np.isfinite(value.value)]).max(initial=1.0))
        found = np.asarray(after[key].value) / unit
        assert found == pytest.approx(np.asarray(value.value), rel=AGREE, abs=ZERO * size, nan_ok=True), key
