"""From what a posture file says to a PostureScene: grips, hands, loads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import tolerances
from ..assembly.loads import checked_gravity
from ..checks import Array
from ..errors import UnknownNameError
from ..files.schema import build_load, build_pose
from ..files.yaml_source import Site
from ..geometry.frames import Pose, frame_from_normal, rotation
from .files_posture_scene import PostureScene
from .files_posture_schema import (
    BoundsGripPart,
    BoxGripPart,
    CoulombGripPart,
    HalfSpacesGripPart,
    HandPart,
    PostureDocument,
    SceneGripPart,
    SetGripPart,
    StoredGripPart,
    VerticesGripPart,
)

if TYPE_CHECKING:
    from ..grips import Grip, GripBounds, OuterGrip
    from ..scenes.scene import Scene


def build_posture(
    document: PostureDocument, site: Site, *, gravity: ArrayLike | None = None, learn: bool = True
) -> PostureScene:
    """The posture that `document` describes; every fault is a SceneError of the file behind `site`.

    Args:
        document: what the file says.
        site: where it says so.
        gravity: (3,) [m/s^2] instead of the file's.
        learn: whether to learn the grips that the file wants learned; without it they stay lazy (only the file is
            checked then).
    """
    if gravity is None:
        with site.watch():
            down = checked_gravity("gravity", document.gravity)
    else:
        down = checked_gravity("gravity", gravity)
    shelf = GripShelf(document, site / "grips", down, learn)
    grips: list[Any] = []
    poses: list[Pose] = []
    names: list[str] = []
    for number, part in enumerate(document.hands):
        with (here := site / "hands" / number).watch():
            poses.append(Pose(_frame(part), np.array(part.position)))
            name = part.name or f"hand {number + 1}"
            if name in names:
                raise (here / "name").fault(f"there are two hands {name!r}", fix="give each hand a name of its own")
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
    """The grips of a file, each built once, or once a direction of gravity where the hand's links have a weight."""

    def __init__(self, document: PostureDocument, site: Site, gravity: Array, learn: bool) -> None:
        self._parts = document.grips
        self._site = site
        self._gravity = gravity
        self._learn = learn
        self._scenes: dict[str, Scene] = {}
        self._made: list[tuple[str, Array | None, Any]] = []
        self.hands_weigh = False

    def grip(self, name: str, pose: Pose, asked: Site) -> Any:
        """The grip called `name`, for a palm at `pose`; `asked` is where the file wants it."""
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
            from ..scenes.files import load_scene

            file = part.scene if part.scene.startswith("@") else self._site.file(part.scene)
            self._scenes[name] = load_scene(file)
        return self._scenes[name]

    def _build(self, name: str, part: Any, gravity: Array | None) -> Any:
        """The grip of one part."""
        from .. import grips

        if isinstance(part, SceneGripPart):
            return self._of_scene(part, name, gravity)
        if isinstance(part, CoulombGripPart):
            cone = part.coulomb
            with (self._site / name / "coulomb").watch():
                return grips.coulomb_grip(cone.mu, sides=cone.sides, inner=cone.side == "inner")
        grip = self._set(name, part)
        grip = grip if part.scale == 1.0 else grip.scaled(part.scale)
        return grip if part.mirror is None else grip.mirrored(part.mirror)

    def _set(self, name: str, part: SetGripPart) -> Grip | OuterGrip | GripBounds:
        """The grip whose set stands in the file or in one of its own."""
        from .. import grips

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

    def _of_scene(self, part: SceneGripPart, name: str, gravity: Array | None) -> Any:
        """The grip of a hand that has a scene of its own: learned, or with the hand's own solver behind it."""
        scene = self._scene(name, part)
        palm = Pose.identity() if part.palm is None else build_pose(part.palm)
        if gravity is not None:
            scene = scene.with_gravity(palm.rotation @ gravity)
        if part.learn is None or not self._learn:
            from .lazy import LazyGrip

            return LazyGrip(scene.assembly, palm, part.acting, palm_gravity=gravity, label=name)
        from ..grips import learn_grip

        down = None if gravity is None else palm.rotation @ gravity
        wanted = part.learn
        return learn_grip(
            scene.assembly,
            wanted.n,
            wanted.seed,
            palm=palm,
            acting=part.acting,
            gravity=down,
            surely=wanted.surely,
            label=name,
        )


def _outer(name: str, halfspaces: list[list[float]]) -> OuterGrip:
    """The grip of rows (a, b): a . w <= b."""
    from ..grips import OuterGrip

    rows = np.array(halfspaces)
    return OuterGrip(rows[:, :6], rows[:, 6], label=name)


def _chosen(stored: Any, part: StoredGripPart) -> Grip | OuterGrip | GripBounds:
    """The side of a stored grip that the file wants; a file with one set has only that."""
    from ..grips import GripBounds

    if part.side == "both" or not isinstance(stored, GripBounds):
        return stored
    return stored.inner if part.side == "inner" else stored.outer


def _alike(first: Array, second: Array | None) -> bool:
    """Whether two vectors of gravity are the same but for rounding."""
    return second is not None and bool(
        np.allclose(first, second, rtol=0.0, atol=tolerances.MERGE * np.abs(first).max())
    )
