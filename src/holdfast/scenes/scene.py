"""Scene: an object, its contacts and its loads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import suspension_of
from ..assembly.assembly import Assembly
from ..assembly.contacts import free_pads
from ..assembly.interfaces import Share, contact_regions, region_contacts
from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..assembly.normals import NormalWarning, normal_warnings
from ..assembly.shapes import Shape, as_shape
from ..assembly.walls import frictionless, squeezed, walls_of
from ..checks import Array
from ..dynamics.mass import Inertia, RigidBody, inertia_matrix, inertia_of, mass_matrix
from ..errors import InputError, UnknownNameError
from ..force_limits.volume import ForceVolume
from ..jobs import fingerprint
from ..public_names import with_advice
from ..reliability.scatter import Scatter, checked_units, units_of
from ..results import Result


@dataclass(frozen=True, eq=False)
class SceneDrawing:
    """What pictures show in addition to the contacts; it has no effect on results.

    Attributes:
        shape: outline of the object, or None.
        faces: polygons (m, 3) of the patches in the world [m].
        links: name and points (m, 3) [m] of each part of the gripper.
        world: shapes that do not move, such as a floor.
    """

    shape: Shape | None = None
    faces: tuple[Array, ...] = ()
    links: tuple[tuple[str, Array], ...] = ()
    world: tuple[Shape, ...] = ()


@with_advice()
@dataclass(frozen=True, eq=False, kw_only=True)
class Scene(Result):
    """An object, its contacts and joints, and its loads; immutable.

    Attributes:
        assembly: contacts and joint rows; the bounds of the rows contain the links' weight under `gravity`.
        name: its name in reports.
        mass: of the object [kg], or None when unknown.
        com: (3,) centre of mass in the world [m].
        inertia: (3, 3) about the centre of mass, in world axes [kg m^2], or None when unknown; one number, three
            moments or six entries are accepted as in `holdfast.dynamics.inertia_matrix`.
        gravity: (3,) acceleration in the world [m/s^2].
        loads: named external wrenches (6,) on the object, torque about the world origin; of several bodies (6 n,).
        link_gravity: (r, 3) with G(q) = link_gravity @ gravity, the weight of the links on the joint rows.
        drawing: what pictures show in addition to the contacts.
        description: description of the scene.
        path: the file it was read from, or None.
        scatter: scatter of the specimens about the nominal values, or None when unknown.
        volume_names: names of the force volumes in the file, by fingerprint; no effect on results.
        bodies: the bodies, if there are several, in the order of `assembly.bodies`; `mass` and `com` are then those of
            all bodies together, and a load is one wrench per body, as in `Assembly.stacked`. () for one object.
        found: the volumes, with friction, of the contacts that were found from shapes, by contact. Those of walls that
            nothing squeezes have no friction in `assembly`: see `squeezed`.
    """

    TABLE: ClassVar[str] = "contacts"

    assembly: Assembly
    name: str = ""
    mass: float | None = None
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array | None = None
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -STANDARD_GRAVITY]))
    loads: Mapping[str, Array] = field(default_factory=dict)
    link_gravity: Array | None = None
    drawing: SceneDrawing = field(default_factory=SceneDrawing)
    description: str = ""
    path: Path | None = None
    scatter: Scatter | None = None
    volume_names: Mapping[str, str] = field(default_factory=dict)
    bodies: tuple[RigidBody, ...] = ()
    found: Mapping[int, ForceVolume] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.assembly, Assembly):
            raise InputError(f"is a {type(self.assembly).__name__}", where="assembly", fix="give a holdfast.Assembly")
        self._take_bodies()
        if self.mass is not None:
            low, high = tolerances.SMALLEST_MASS, tolerances.LARGEST_MASS
            object.__setattr__(self, "mass", checks.number("mass", self.mass, low=low, high=high, unit="kg"))
        object.__setattr__(self, "com", checks.vector("com", self.com, 3))
        if self.inertia is not None:
            if self.mass is None:
                raise InputError("is given without a mass", where="inertia", fix="also give the mass of the object")
            object.__setattr__(self, "inertia", inertia_matrix(self.inertia))
        object.__setattr__(self, "gravity", checks.vector("gravity", self.gravity, 3))
        loads = {str(n): self.assembly.stacked(load, name=f"loads[{n!r}]") for n, load in self.loads.items()}
        object.__setattr__(self, "loads", MappingProxyType(loads))
        object.__setattr__(self, "volume_names", MappingProxyType(dict(self.volume_names)))
        rows = 0 if self.assembly.mechanism is None else len(self.assembly.mechanism)
        weight = np.zeros((rows, 3)) if self.link_gravity is None else self.link_gravity
        object.__setattr__(self, "link_gravity", checks.array("link_gravity", weight, (rows, 3)))
        if self.scatter is not None:
            if not isinstance(self.scatter, Scatter):
                fix = "give a holdfast.reliability.Scatter or None"
                raise InputError(f"is a {type(self.scatter).__name__}", where="scatter", fix=fix)
            checked_units(self.scatter, units_of(self.assembly))

    @classmethod
    @with_advice()
    def touching(
        cls,
        bodies: Sequence[RigidBody],
        volume: ForceVolume,
        *,
        world: Sequence[Shape] = (),
        gap: float | None = None,
        share: Share | None = None,
        shear: ArrayLike | None = None,
        walls: bool = False,
        **more: Any,
    ) -> Scene:
        """Several bodies that touch each other and the world, with the contacts of `holdfast.assembly.touching`.

        Args:
            bodies: with a name, a mass and a shape each; the centre of mass is the middle of the shape by default.
            volume: admissible forces of every contact in its frame.
            world: shapes that do not move: floor, walls.
            gap: surfaces closer than this touch [m]; by default a thousandth of the size of the smaller shape.
            share: what has the strength `volume`, see `holdfast.assembly.touching`.
            shear: direction in the world that the shear axes follow.
            walls: whether walls, interfaces between bodies side by side, always have friction; by default only those
                that something squeezes, see `squeezed`.
            more: name, gravity, loads and other attributes of the scene.
        """
        for index, body in enumerate(bodies):
            checks.instance(f"bodies[{index}]", body, RigidBody, fix="give holdfast.RigidBody objects")
            if body.shape is None or not body.name:
                lacks, fix = ("shape", "shape=hf.assembly.shapes.Box(...)") if body.name else ("name", 'name="lower"')
                raise InputError(f"has no {lacks}", where=f"bodies[{index}]", fix=f"give {fix}")
        shapes = {body.name: body.shape for body in bodies}
        if len(shapes) < len(bodies):
            raise InputError("need different names", where="bodies", fix="give every RigidBody another name")
        regions = contact_regions(shapes, world=world, gap=gap)
        contacts = region_contacts(regions, volume, share=share, shear=shear)
        if not contacts:
            raise InputError("touch nothing", where="bodies", fix="move them together, or give a larger gap [m]")
        faces = tuple(piece for region in regions for piece in region.pieces if len(piece) > 2)
        drawing = SceneDrawing(faces=faces, world=tuple(as_shape(shape) for shape in world))
        found = {} if walls else {index: contact.volume for index, contact in enumerate(contacts)}
        scene = cls(assembly=Assembly(contacts), bodies=tuple(bodies), drawing=drawing, found=found, **more)
        return scene.squeezed()

    @with_advice()
    def squeezed(self, load: ArrayLike | None = None) -> Scene:
        """The scene with friction at those of its walls that the weight and a load (6 n,) squeeze; at others without.

        A wall is an interface from shapes, between two bodies, whose normal is more than 45 degrees from the direction
        of gravity. It is squeezed if the bodies are in balance only with a force across it: see `assembly.walls`.
        Walls are judged once, for the scene as it stands; they stay the same where it is tilted (`turned`,
        `with_gravity`) and under other loads.
        """
        rough = self.with_friction_at_walls()
        walls = walls_of(rough.assembly, self.gravity, tuple(self.found))
        if not walls:
            return rough
        other = 0.0 if load is None else self.assembly.stacked(load)
        pressed = squeezed(rough.assembly, walls, self.gravity_load() + other)
        smooth = cache(frictionless)
        contacts = list(rough.assembly.contacts)
        for wall, friction in zip(walls, pressed, strict=True):
            for index in () if friction else wall:
                contacts[index] = replace(contacts[index], volume=smooth(contacts[index].volume))
        return replace(self, assembly=Assembly(contacts, self.assembly.joints, self.assembly.name))

    def with_friction_at_walls(self) -> Scene:
        """The scene with friction at all walls, whether something squeezes them or not."""
        contacts = [
            replace(contact, volume=self.found.get(index, contact.volume))
            for index, contact in enumerate(self.assembly.contacts)
        ]
        return replace(self, assembly=Assembly(contacts, self.assembly.joints, self.assembly.name))

    @property
    def wall_note(self) -> str:
        """A sentence on the walls that have no friction; "" where all have."""
        names = self.smooth_walls
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        how = "with friction: --walls, or walls: true"
        return f"no friction at walls, which nothing squeezes: {shown} ({how})" if names else ""

    @property
    def smooth_walls(self) -> tuple[str, ...]:
        """The walls that have no friction, as nothing squeezes them: "box 2 on box 1"."""
        contacts = self.assembly.contacts
        smooth = [index for index, volume in self.found.items() if contacts[index].volume is not volume]
        return tuple(dict.fromkeys(contacts[index].name.rpartition("[")[0] for index in smooth))

    @property
    def pad_note(self) -> str:
        """A sentence on the torsion of pads whose pressure is free; "" without such pads."""
        pads = self.free_pads
        shown = ", ".join(list(pads)[:3]) + (f" and {len(pads) - 3} more" if len(pads) > 3 else "")
        most = max(pads.values(), default=0.0)
        error = f"a soft pad carries less torsion, by a factor of up to {most:.3g} (pressure: uniform)"
        return f"pads of free pressure: {shown}; {error}" if pads else ""

    @cached_property
    def free_pads(self) -> dict[str, float]:
        """Pads of free pressure, and the ratio of their torsion to that of uniform pressure, at most."""
        return free_pads(self.assembly.contacts)

    def __repr__(self) -> str:
        return f"Scene({self.name!r}, {len(self.assembly)} contacts)"

    def _take_bodies(self) -> None:
        """Check the bodies against the contacts, put them in order, and sum up their masses."""
        known, bodies = self.assembly.bodies, tuple(self.bodies)
        if not bodies and not known:
            return
        for index, body in enumerate(bodies):
            checks.instance(f"bodies[{index}]", body, RigidBody, fix="give holdfast.RigidBody objects")
        by_name = {body.name: body for body in bodies}
        if len(by_name) < len(bodies) or "" in by_name:
            raise InputError("need different names", where="bodies", fix="give every RigidBody another name")
        for name in by_name:
            if name not in known:
                fix = "give it a contact, or leave the body out"
                raise InputError(f"body {name!r} touches nothing", where="bodies", fix=fix)
        missing = [name for name in known if name not in by_name]
        if missing and bodies:
            raise UnknownNameError("body", missing[0], by_name, where="contacts")
        if missing:
            fix = f"give bodies=(hf.RigidBody(mass, com, name={missing[0]!r}), ...)"
            raise InputError("is empty, but contacts name bodies", where="bodies", fix=fix)
        ordered = tuple(by_name[name] for name in known)
        masses = np.array([body.mass for body in ordered])
        total = float(masses.sum())
        other = self.mass is not None and abs(self.mass - total) > tolerances.ROUNDING * total
        if self.inertia is not None or other:
            fix = "give mass, com and inertia with each body"
            raise InputError("is given for several bodies together", where="mass", fix=fix)
        object.__setattr__(self, "bodies", ordered)
        object.__setattr__(self, "mass", total)
        object.__setattr__(self, "com", masses @ np.array([body.com for body in ordered]) / masses.sum())

    def body(self, name: str) -> RigidBody:
        """The body called `name`."""
        if name not in self.assembly.bodies:
            raise UnknownNameError("body", name, self.assembly.bodies, where=str(self.path or self.name))
        return self.bodies[self.assembly.bodies.index(name)]

    def moments_of_inertia(self, inertia: ArrayLike | None = None, *, mass: float | None = None) -> Inertia:
        """The moments of inertia of the object about its centre of mass, in world axes, and where they come from.

        The first of these that is known: `inertia`, the scene's own, those of its shape with uniform density, those of
        a solid ball that reaches the furthest contact (`Inertia.assumed`).

        Args:
            inertia: [kg m^2], as in `holdfast.dynamics.inertia_matrix`.
            mass: [kg] in place of the scene's; its own moments are scaled by the ratio.
        """
        if self.bodies:
            fix = "ask each of scene.bodies for its moments; give an inertia with each body"
            raise InputError(f"there are {len(self.bodies)} bodies", where="inertia", fix=fix)
        if inertia is not None:
            return Inertia(inertia_matrix(inertia), "given")
        weighed = self._known_mass() if mass is None else mass
        if self.inertia is not None:
            return Inertia(self.inertia * (weighed / self._known_mass()), "given with the scene")
        return inertia_of(weighed, self.drawing.shape, self.com, self.assembly.positions)

    def mass_matrix(self, inertia: ArrayLike | None = None, *, mass: float | None = None) -> Array:
        """(6, 6) the object's mass matrix about the world origin, with the inertia of `moments_of_inertia`.

        Of several bodies (6 n, 6 n), block by block in their order.
        """
        if self.bodies and inertia is None and mass is None:
            matrix = np.zeros((6 * len(self.bodies), 6 * len(self.bodies)))
            for at, body in enumerate(self.bodies):
                points = self.assembly.positions[(self.assembly.sides == at).any(axis=1)]
                block = slice(6 * at, 6 * at + 6)
                matrix[block, block] = mass_matrix(body.mass, body.moments(points).matrix, body.com)
            return matrix
        moments = self.moments_of_inertia(inertia, mass=mass)
        return mass_matrix(self._known_mass() if mass is None else mass, moments.matrix, self.com)

    def _known_mass(self) -> float:
        if self.mass is None:
            raise InputError("the object has no mass", where="object.mass", fix="give object: {mass: ...} in the scene")
        return self.mass

    @with_advice()
    def gravity_load(self, direction: ArrayLike | None = None, *, bodies: Iterable[str] | None = None) -> Array:
        """(6,) the object's weight [N, N m] about the world origin, by the scene's gravity or along `direction` (3,).

        The weight of a gripper's links is not included: use `turned(direction)` where it matters. For several
        bodies (6 n,), or only the weight of the named `bodies`, for a load that grows while the other weights stay
        (`load_ramp`).
        """
        gravity = self.gravity if direction is None else self._along(direction)
        if self.bodies:
            chosen = self.bodies if bodies is None else [self.body(name) for name in bodies]
            return self.assembly.stacked({body.name: body.weight(gravity) for body in chosen})
        if bodies is not None:
            raise InputError("names bodies of a scene with one object", where="bodies", fix="leave it out")
        return gravity_wrench(self._known_mass(), gravity, self.com)

    @with_advice()
    def turned(self, direction: ArrayLike) -> Scene:
        """The scene with gravity of the same size along `direction` (3,), as when everything is turned."""
        return self.with_gravity(self._along(direction))

    @with_advice()
    def with_gravity(self, gravity: ArrayLike) -> Scene:
        """The scene under another gravity (3,) [m/s^2], which acts on the object and on the links."""
        wanted = checks.vector("gravity", gravity, 3)
        joints = self.assembly.mechanism
        if joints is None or self.link_gravity is None or not self.link_gravity.any():
            return replace(self, gravity=wanted)
        shift = self.link_gravity @ (wanted - self.gravity)  # G(q) is on the other side of equation (5)
        rows = joints.shifted(-shift)
        return replace(self, gravity=wanted, assembly=Assembly(self.assembly.contacts, rows, self.assembly.name))

    @with_advice()
    def load(self, name: str) -> Array:
        """(6,) the load called `name`."""
        if name not in self.loads:
            raise UnknownNameError("load", name, self.loads, where=str(self.path or self.name))
        return self.loads[name]

    def parts_of_load(self, load: Array) -> list[tuple[str, Array]]:
        """(body, wrench (6,)) of a load, for tables: every body that it acts on; one object is called ""."""
        if not self.bodies:
            return [("", load)]
        return [(body.name, own) for body, own in zip(self.bodies, load.reshape(-1, 6), strict=True) if own.any()]

    @property
    def warnings(self) -> tuple[NormalWarning, ...]:
        """Valid input that may be a mistake: normals that point out of the object, see `normal_warnings`.

        The centre of mass is used where the object has a mass.
        """
        if self.bodies:
            acting = self.assembly.sides[:, 0]
            found = [
                normal_warnings(self.assembly, com=b.com, shape=b.shape, contacts=np.nonzero(acting == at)[0].tolist())
                for at, b in enumerate(self.bodies)
            ]
            return tuple(warning for own in found for warning in own)
        com = None if self.mass is None else self.com
        return normal_warnings(self.assembly, com=com, shape=self.drawing.shape)

    @property
    def fingerprint(self) -> str:
        """Hash of everything that results depend on; the same in every process."""
        numbers = [self.mass, self.com.tolist(), self.gravity.tolist(), np.asarray(self.link_gravity).tolist()]
        if self.inertia is not None:
            numbers.append(self.inertia.tolist())
        for body in self.bodies:
            moments = None if body.inertia is None else body.inertia.tolist()
            numbers.append([body.name, body.mass, body.com.tolist(), moments])
        return fingerprint(self.assembly.fingerprint, numbers)

    def to_dict(self) -> dict[str, Any]:
        """The contents of the scene: object, gravity, loads, contacts and joint rows; arrays are not converted."""
        joints = self.assembly.mechanism
        return {
            "name": self.name,
            "description": self.description,
            "file": self.path,
            "mass": self.mass,
            "com": self.com,
            "inertia": self.inertia,
            "bodies": [
                {"name": body.name, "mass": body.mass, "com": body.com, "inertia": body.inertia} for body in self.bodies
            ],
            "gravity": self.gravity,
            "loads": dict(self.loads),
            "contacts": [
                {
                    "name": contact.name or str(index),
                    "body": contact.body,
                    "against": contact.against,
                    "position": contact.position,
                    "rotation": contact.rotation,
                    "unit": contact.unit and contact.unit.name,
                    "pieces": len(contact.volume),
                    "strongest_newtons": contact.volume.size,
                    "bounded": contact.volume.is_bounded,
                    "suspension": None if (gives := suspension_of(contact)) is None else gives.to_dict(),
                }
                for index, contact in enumerate(self.assembly.contacts)
            ],
            "joints": []
            if joints is None
            else [
                {
                    "name": joints.names[row] if joints.names else str(row),
                    "lower": joints.lower[row],
                    "upper": joints.upper[row],
                    "stiffness": joints.stiffness[row],
                    "servo": joints.servo[row],
                }
                for row in range(len(joints))
            ],
        }

    def _along(self, direction: ArrayLike) -> Array:
        size = float(np.linalg.norm(self.gravity)) or STANDARD_GRAVITY
        return size * checks.direction("direction", direction, 3)
