"""Posture files: their schema, building a `PostureScene` from one, ready postures, and reading.

All units are SI; vectors are in the world unless stated otherwise, wrenches of a grip in the frame of its palm.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, model_validator

from .. import grips, tolerances
from ..assembly.files import MOST_CONTACTS
from ..assembly.loads import STANDARD_GRAVITY, checked_gravity
from ..checks import Array, check_size
from ..errors import UnknownNameError
from ..files.reader import KINDS, FileFormat
from ..files.schema import (
    File,
    LoadPart,
    Matrix,
    Name,
    Number,
    Part,
    Placed,
    Positive,
    Vector,
    build_load,
    build_pose,
    complaint,
    field_tags,
    misspelt,
    tagged_union,
)
from ..files.yaml_source import Site
from ..force_limits.models.parameters import LARGEST_FRICTION, MOST_FACETS
from ..geometry.frames import Pose, frame_from_normal, rotation
from ..public_names import with_advice
from ..tolerances import LARGEST_MASS, SMALLEST_MASS
from .hands import AnyGrip, PostureScene

if TYPE_CHECKING:
    from ..grips import Grip, GripBounds, OuterGrip
    from ..scenes.scene import Scene


# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false


#: Version of the posture format that this Holdfast reads.
POSTURE_VERSION = 1


#: More samples of a wrench space or hands are a mistake.
MOST_SAMPLES = 1_000_000
MOST_HANDS = 1000

Wrench = Annotated[list[Number], Field(min_length=6, max_length=6)]
HalfSpace = Annotated[list[Number], Field(min_length=7, max_length=7)]


class SetGripPart(Part):
    """Common fields of grips with a given set of wrenches."""

    scale: Positive = Field(1.0, description="multiplies all wrenches: 0.5 for a hand of half the strength")
    mirror: Vector | None = Field(
        None, description="normal of the palm's plane in which the set is mirrored: [0, 1, 0] makes a left hand a right"
    )


class StoredGripPart(SetGripPart):
    """A learned grip in a file."""

    file: File = Field(description="what `holdfast grip learn` or Grip.save wrote; path relative to the posture file")
    side: Literal["both", "inner", "outer"] = Field(
        "both", description="which set to use of a file that has an inner and an outer one"
    )


class VerticesGripPart(SetGripPart):
    """A grip by the corners of its set of wrenches."""

    vertices: list[Wrench] = Field(
        min_length=1, description="wrenches on the body in the palm frame: f_x, f_y, f_z [N], t_x, t_y, t_z [N m]"
    )
    rays: list[Wrench] = Field([], description="directions in which the set has no limit")


class HalfSpacesGripPart(SetGripPart):
    """A grip by linear limits on its wrenches."""

    halfspaces: list[HalfSpace] = Field(
        min_length=1,
        description="rows of seven numbers (a, b): a . w <= b for wrenches w on the body, in the palm frame",
    )


class BoundsGripPart(SetGripPart):
    """A grip that is known between two sets."""

    inner: list[Wrench] = Field(
        min_length=1, description="corners of a set of wrenches that the hand is guaranteed to apply, as in vertices"
    )
    outer: list[HalfSpace] = Field(
        min_length=1, description="limits that it never exceeds: rows of seven numbers, as in halfspaces"
    )


class CoulombPart(Part):
    """A point with dry friction; z of the palm is the normal into the body."""

    mu: Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=LARGEST_FRICTION)] = Field(
        description="coefficient of friction"
    )
    sides: Annotated[int, Field(ge=3, le=MOST_FACETS)] = Field(16, description="sides of the pyramid for the cone")
    side: Literal["inner", "outer"] = Field(
        "inner", description="inner: a pyramid inside the cone; outer: a pyramid around the cone"
    )


class CoulombGripPart(Part):
    """A foot or fingertip that touches at a point with dry friction."""

    coulomb: CoulombPart = Field(description="a point with dry friction; z of the palm is the normal into the body")


class WrenchLimitsPart(Part):
    """Limits for each component by itself."""

    lower: Wrench = Field(description="least f_x, f_y, f_z [N], t_x, t_y, t_z [N m]")
    upper: Wrench = Field(description="largest f_x, f_y, f_z [N], t_x, t_y, t_z [N m]")

    @model_validator(mode="after")
    def _in_order(self) -> WrenchLimitsPart:
        names = ("f_x", "f_y", "f_z", "t_x", "t_y", "t_z")
        for name, low, high in zip(names, self.lower, self.upper, strict=True):
            if low > high:
                raise complaint(f"{name} is at least {low:g} and at most {high:g}", "give lower <= upper")
        return self


class BoxGripPart(SetGripPart):
    """A grip whose components are limited each by itself."""

    box: WrenchLimitsPart = Field(description="limits of the wrench on the body in the palm frame")


class LearnPart(Part):
    """How a hand's set of wrenches is sampled."""

    n: Annotated[int, Field(ge=1, le=MOST_SAMPLES)] = Field(1000, description="number of samples")
    seed: Annotated[int, Field(ge=0)] = Field(0, description="seed of the samples")
    certified: bool = Field(False, description="a smaller inner set in which every wrench is held")


class SceneGripPart(Part):
    """A hand by its own scene file: contacts and joints."""

    scene: File = Field(description="scene file of the hand, relative to the posture file, or @name of a ready one")
    acting: Literal["direct", "reaction"] = Field(
        "direct",
        description="direct: the object of the scene is the body, contacts press on it; "
        "reaction: the object is gripped by the hand, the opposite acts on the body",
    )
    palm: Placed | None = Field(None, description="where the palm is in the hand's scene; its world frame by default")
    learn: LearnPart | None = Field(
        None, description="learn inner and outer sets first; without it the hand is solved exactly"
    )


def check_samples(grips: Mapping[str, Any]) -> None:
    """A fault where all grips of a file together are learned from more samples than one may be."""
    learned = [part.learn.n for part in grips.values() if getattr(part, "learn", None) is not None]
    if sum(learned) > MOST_SAMPLES:
        raise complaint(f"has {sum(learned):,} samples in all", f"give at most {MOST_SAMPLES:,}", "grips")


#: The parts that are distinguished by the field they have.
GRIP_PARTS: dict[str, type[Part]] = {
    "file": StoredGripPart,
    "vertices": VerticesGripPart,
    "halfspaces": HalfSpacesGripPart,
    "inner": BoundsGripPart,
    "coulomb": CoulombGripPart,
    "box": BoxGripPart,
    "scene": SceneGripPart,
}


def _tag_of(value: Any) -> str:
    """Which of the parts a grip is: that of the field it has."""
    given = [name for name in GRIP_PARTS if name in value] if isinstance(value, dict) else []
    if not given:
        raise misspelt(value, GRIP_PARTS, "does not define its wrenches", f"give one of: {', '.join(GRIP_PARTS)}")
    return f"<grip {given[0]}>"


GripChoice = tagged_union(_tag_of, field_tags(GRIP_PARTS, "grip"))


class HandPart(Part):
    """A hand or foot: which grip, and where its palm is."""

    name: str = Field("", max_length=100, description="how reports call it")
    grip: Name = Field(description="one of grips")
    position: Vector = Field(description="origin of the palm [m]")
    normal: Vector | None = Field(None, description="z of the palm, into the body, of any length")
    shear: Vector | None = Field(None, description="x of the palm: the part of this at right angles to the normal")
    rotation: Matrix | None = Field(
        None, description="rows of the rotation from the palm into the world; none by default"
    )

    @model_validator(mode="after")
    def _one_frame(self) -> HandPart:
        if self.normal is not None and self.rotation is not None:
            raise complaint("has two frames", "give normal with shear, or rotation")
        if self.shear is not None and self.normal is None:
            raise complaint("has a shear without a normal", "give normal with shear, or rotation")
        return self


class RigidBodyPart(Part):
    """The robot as one rigid body."""

    mass: Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_MASS, le=LARGEST_MASS)] = Field(
        description="of everything that hangs on the hands [kg]"
    )
    com: Vector = Field([0.0, 0.0, 0.0], description="centre of mass in the world [m]")


class PostureDocument(Part):
    """A posture: a body, the hands it stands or hangs on, and what pulls at it. Units are SI, vectors in the world."""

    holdfast: Literal[1] = Field(description="version of the posture format")
    name: str = Field("", max_length=200, description="how reports call it")
    description: str = Field("", max_length=10_000, description="what it is, in words")
    body: RigidBodyPart = Field(description="mass [kg] and centre of mass [m]")
    gravity: Vector = Field([0.0, 0.0, -STANDARD_GRAVITY], description="acceleration [m/s^2]")
    loads: dict[Name, LoadPart] = Field(
        {}, description="named external wrenches on the body, in addition to its weight"
    )
    grips: dict[Name, GripChoice] = Field(min_length=1, description="named sets of wrenches that a hand can apply")
    hands: list[HandPart] = Field(min_length=1, max_length=MOST_HANDS, description="hands and feet in contact")

    @model_validator(mode="after")
    def _not_too_many_samples(self) -> PostureDocument:
        check_samples(self.grips)
        return self


def posture_schema() -> dict[str, Any]:
    """The JSON Schema of posture files, for editors and other programs."""
    schema = PostureDocument.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdfast posture",
        **{key: value for key, value in schema.items() if key != "title"},
    }


# From a posture file to a PostureScene: grips, hands, loads.


def build_posture(
    document: PostureDocument, site: Site, *, gravity: ArrayLike | None = None, learn: bool = True
) -> PostureScene:
    """The posture that `document` describes; every fault is a SceneError with the file of `site`.

    Args:
        document: contents of the file.
        site: place in the file.
        gravity: (3,) [m/s^2] instead of the file's.
        learn: whether to learn the grips for which the file requests it; otherwise they stay lazy (only the file is
            checked then).
    """
    if gravity is None:
        with site.watch():
            down = checked_gravity("gravity", document.gravity)
    else:
        down = checked_gravity("gravity", gravity)
    shelf = GripShelf(document, site / "grips", down, learn)
    grips: list[AnyGrip] = []
    poses: list[Pose] = []
    names: list[str] = []
    for number, part in enumerate(document.hands):
        with (here := site / "hands" / number).watch():
            poses.append(Pose(_frame(part), np.array(part.position)))
            name = part.name or f"hand {number + 1}"
            if name in names:
                raise (here / "name").fault(f"there are two hands {name!r}", fix="give each hand a different name")
            names.append(name)
        grips.append(shelf.grip(part.grip, poses[-1], here / "grip"))
    with site.watch():
        return PostureScene(
            grips=tuple(grips),
            poses=tuple(poses),
            hands=tuple(names),
            grip_names=tuple(part.grip for part in document.hands),
            mass=document.body.mass,
            com=np.array(document.body.com),
            gravity=down,
            loads={name: build_load(part) for name, part in document.loads.items()},
            hands_weigh=shelf.hands_weigh,
            name=document.name or site.source.path.stem,
            description=document.description,
            path=site.source.path,
        )


def _frame(part: HandPart) -> Array:
    """(3, 3) from the palm into the world; z of the palm is the normal."""
    if part.rotation is not None:
        return rotation("rotation", part.rotation)
    return np.eye(3) if part.normal is None else frame_from_normal(part.normal, part.shear)


class GripShelf:
    """The grips of a file, each built once, or once per direction of gravity if links of the hand have weight."""

    def __init__(self, document: PostureDocument, site: Site, gravity: Array, learn: bool) -> None:
        self._parts = document.grips
        self._site = site
        self._gravity = gravity
        self._learn = learn
        self._scenes: dict[str, Scene] = {}
        self._made: list[tuple[str, Array | None, AnyGrip]] = []
        self.hands_weigh = False

    def grip(self, name: str, pose: Pose, asked: Site) -> AnyGrip:
        """The grip called `name`, for a palm at `pose`; `asked` is its place in the file."""
        if name not in self._parts:
            unknown = UnknownNameError("grip", name, self._parts)
            raise asked.fault(unknown.what, fix=unknown.fix)
        part: Any = self._parts[name]
        with (self._site / name).watch():
            gravity = self._palm_gravity(name, part, pose)
            for known, wanted, grip in self._made:
                if known == name and (wanted is None or _alike(wanted, gravity)):
                    return grip
            grip = self._build(name, part, gravity)
        self._made.append((name, gravity, grip))
        return grip

    def _palm_gravity(self, name: str, part: Any, pose: Pose) -> Array | None:
        """(3,) gravity in the palm frame [m/s^2] where the grip depends on it, else None."""
        if not isinstance(part, SceneGripPart):
            return None
        weight = self._scene(name, part).link_gravity
        if weight is None or not weight.any():
            return None
        self.hands_weigh = True
        return pose.rotation.T @ self._gravity

    def _scene(self, name: str, part: SceneGripPart) -> Scene:
        """The scene of a hand, read once."""
        if name not in self._scenes:
            file = part.scene if part.scene.startswith("@") else self._site.file(part.scene)
            scene = KINDS["scene"].read(file)
            count = len(scene.assembly) + sum(len(other.assembly) for other in self._scenes.values())
            check_size("contacts", count, MOST_CONTACTS)
            self._scenes[name] = scene
        return self._scenes[name]

    def _build(self, name: str, part: Any, gravity: Array | None) -> AnyGrip:
        """The grip of one part."""
        if isinstance(part, SceneGripPart):
            return self._of_scene(part, name, gravity)
        if isinstance(part, CoulombGripPart):
            cone = part.coulomb
            with (self._site / name / "coulomb").watch():
                return grips.coulomb_grip(cone.mu, sides=cone.sides, side=cone.side)
        grip = self._set(name, part)
        grip = grip if part.scale == 1.0 else grip.scaled(part.scale)
        return grip if part.mirror is None else grip.mirrored(part.mirror)

    def _set(self, name: str, part: SetGripPart) -> Grip | OuterGrip | GripBounds:
        """The grip whose set is in the file or in another one."""
        if isinstance(part, StoredGripPart):
            return _chosen(grips.load_grip(self._site.file(part.file)), part)
        if isinstance(part, VerticesGripPart):
            return grips.Grip(part.vertices, part.rays or None, label=name)
        if isinstance(part, HalfSpacesGripPart):
            return _outer(name, part.halfspaces)
        if isinstance(part, BoundsGripPart):
            return grips.GripBounds(grips.Grip(part.inner, label=name), _outer(name, part.outer))
        assert isinstance(part, BoxGripPart)  # the schema has no others
        return grips.Grip.box(part.box.lower, part.box.upper, label=name)

    def _of_scene(self, part: SceneGripPart, name: str, gravity: Array | None) -> AnyGrip:
        """The grip of a hand with its own scene: learned, or lazy."""
        scene = self._scene(name, part)
        palm = Pose.identity() if part.palm is None else build_pose(part.palm)
        if gravity is not None:
            scene = scene.with_gravity(palm.rotation @ gravity)
        if part.learn is None or not self._learn:
            from .hands import LazyGrip

            return LazyGrip(scene.assembly, palm, part.acting, palm_gravity=gravity, label=name)
        down = None if gravity is None else palm.rotation @ gravity
        wanted = part.learn
        return grips.learn_grip(
            scene.assembly,
            wanted.n,
            wanted.seed,
            palm=palm,
            acting=part.acting,
            gravity=down,
            certified=wanted.certified,
            label=name,
        )


def _outer(name: str, halfspaces: list[list[float]]) -> OuterGrip:
    """The grip of rows (a, b): a . w <= b."""
    rows = np.array(halfspaces)
    return grips.OuterGrip(rows[:, :6], rows[:, 6], label=name)


def _chosen(stored: Any, part: StoredGripPart) -> Grip | OuterGrip | GripBounds:
    """The chosen side of a stored grip; a file with one set has only that."""
    if part.side == "both" or not isinstance(stored, grips.GripBounds):
        return stored
    return stored.inner if part.side == "inner" else stored.outer


def _alike(first: Array, second: Array | None) -> bool:
    """Whether two vectors of gravity are equal up to rounding."""
    return second is not None and bool(
        np.allclose(first, second, rtol=0.0, atol=tolerances.MERGE * np.abs(first).max())
    )


# Ready postures that come with Holdfast, called by "@name".


#: How posture files are read; ready ones are called by "@name".
POSTURES = FileFormat("posture", PostureDocument, build_posture, version=POSTURE_VERSION)


@with_advice()
def load_posture(path: str | Path, *, gravity: ArrayLike | None = None) -> PostureScene:
    """The posture in a file, or a ready one by "@name"; an invalid file raises a SceneError.

    Paths in the posture file are relative to its folder. Grips for which the file requests learning are learned here.
    If there are several faults, the first is raised and the others are its notes.

    Args:
        path: the file, or "@name".
        gravity: (3,) [m/s^2] instead of the file's; it acts on the body, and on the links of hands that have weight.
    """
    return POSTURES.load(path, gravity=gravity)


def use_kernels() -> None:
    """Call the kernels of postures, their support regions, and batches of them."""
    from ..grips import Grip, OuterGrip
    from ..solvers.minkowski.limited import LimitedSum
    from . import posture_equilibrium, posture_many, support_region

    for name in ("@quadruped_on_rock", "@climber_on_overhang", "@braced_in_a_chimney"):
        scene = load_posture(name)
        posture_equilibrium(scene.grips, scene.poses, scene.wrench).verify()
        support_region(scene.grips, scene.poses, scene.mass, scene.gravity)
    scene = load_posture("@climber_on_overhang")
    posture_many(scene.grips, [scene.poses] * 16, scene.wrench)
    planes = np.concatenate([np.eye(6), -np.eye(6)])
    posture_equilibrium([OuterGrip(planes, np.full(12, 100.0))] * len(scene.poses), scene.poses, scene.wrench)
    grip = Grip.box(np.full(6, -100.0), np.full(6, 100.0))
    limbs = LimitedSum([grip.prepared], [0], length=1.0, row_lengths=[1.0], force=1.0)
    limbs.place(np.eye(6)[None], np.ones((1, 1, 6)))
    limbs.limit([0.0], [-1.0], [1.0])
    limbs.holds(np.zeros(6))
