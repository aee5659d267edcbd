"""Structures of many bodies: walls, pallets, towers, arches, random piles, and bricks that snap together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

import holdfast as hf
from holdfast.assembly import touching
from holdfast.assembly.loads import STANDARD_GRAVITY, gravity_wrench
from holdfast.assembly.shapes import Box, Mesh, convex_mesh, filled
from holdfast.dynamics import RigidBody
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.scenes import Scene

Shape = Box | Mesh

MU = 0.6
DENSITY = 1000.0  # [kg/m^3]
SEED = 22
#: Largest pressing force of a capped contact [N]: some fifty times the weight of a box of 0.1 m.
CAP = 500.0


def at(place: ArrayLike) -> Pose:
    """Not turned."""
    return Pose(np.eye(3), place)


FLOOR = Box([20.0, 20.0, 0.2], at([0.0, 0.0, -0.1]))


@dataclass(frozen=True, eq=False)
class Structure:
    """Bodies with their weights, and a load that grows on top of them.

    Attributes:
        name: what it is.
        assembly: bodies and contacts.
        weights: (6 n,) the weight of every body.
        push: (6 n,) a horizontal force on one body, as large as all weights together.
        scene: the same as a scene, for gravity that tilts.
    """

    name: str
    assembly: hf.Assembly
    weights: np.ndarray
    push: np.ndarray
    scene: Scene

    @property
    def label(self) -> str:
        """Such as "wall, 20 bodies, 250 contacts"."""
        return f"{self.name}, {self.assembly.body_count} bodies, {len(self.assembly)} contacts"


def structure(
    name: str, shapes: dict[str, Shape], contacts: tuple[hf.Contact, ...], *, pushed: str | None = None
) -> Structure:
    """The structure of shapes with these contacts; the last body is pushed along x and a little along y by default."""
    assembly = hf.Assembly(contacts, name=name)
    parts = {body: filled(shape) for body, shape in shapes.items()}
    bodies = tuple(RigidBody(DENSITY * parts[b][0], parts[b][1], name=b) for b in assembly.bodies)
    gravity = (0.0, 0.0, -STANDARD_GRAVITY)
    weights = np.concatenate([gravity_wrench(body.mass, gravity, body.com) for body in bodies])
    last = pushed or list(shapes)[-1]
    force = np.abs(weights.reshape(-1, 6)[:, 2]).sum() * np.array([np.cos(0.2), np.sin(0.2), 0.0])
    push = assembly.stacked({last: np.concatenate([force, np.cross(parts[last][1], force)])})
    return Structure(name, assembly, weights, push, Scene(assembly=assembly, bodies=bodies, name=name))


def rough(shapes: dict[str, Shape], cap: float | None) -> tuple[hf.Contact, ...]:
    """Contacts wherever shapes touch, with Coulomb friction of 16 facets; each bears `cap` [N] at most."""
    return touching(shapes, hf.models.coulomb(MU, cap=cap), world=[FLOOR], share="point")


def wall(n: int, *, cap: float | None = None) -> Structure:
    """Bricks of 0.2 x 0.1 x 0.1 m in running bond in two leaves, twice as long as high.

    Bricks touch at the sides, and the leaves touch each other: a brick inside has eight neighbours.
    """
    across = max(2, round(np.sqrt(n)))
    shapes: dict[str, Shape] = {}
    for number in range(n):
        row, column = divmod(number // 2, across)
        leaf = number % 2
        x = 0.2 * column + 0.1 * ((row + leaf) % 2)
        shapes[f"brick {number}"] = Box([0.2, 0.1, 0.1], at([x, 0.1 * leaf, 0.05 + 0.1 * row]))
    return structure("wall", shapes, rough(shapes, cap))


def pallet(n: int, *, cap: float | None = None) -> Structure:
    """Boxes of 0.3 x 0.2 x 0.2 m in layers of five by two, the layers in bond: odd ones shifted by a third of a box."""
    shapes: dict[str, Shape] = {}
    for number in range(n):
        layer, place = divmod(number, 10)
        i, j = divmod(place, 2)
        shift = 0.1 * (layer % 2)
        shapes[f"box {number}"] = Box([0.3, 0.2, 0.2], at([0.301 * i + shift, 0.201 * j, 0.1 + 0.2 * layer]))
    return structure("pallet", shapes, rough(shapes, cap))


def tower(n: int, *, cap: float | None = None) -> Structure:
    """One box of 0.2 x 0.2 x 0.1 m on the other, each turned and moved a little."""
    rng = np.random.default_rng([SEED, n])
    shapes: dict[str, Shape] = {}
    for number in range(n):
        turn = rotation_about([0.0, 0.0, 1.0], rng.uniform(0.0, 2.0 * np.pi))
        x, y = rng.uniform(-0.005, 0.005, 2)
        shapes[f"box {number}"] = Box([0.2, 0.2, 0.1], Pose(turn, [x, y, 0.05 + 0.1 * number]))
    return structure("tower", shapes, rough(shapes, cap), pushed=f"box {n // 2}")


def arch(n: int, *, cap: float | None = None) -> Structure:
    """n voussoirs of a semicircular arch of radius 1 m, 0.25 m thick and 0.3 m wide."""
    shapes: dict[str, Shape] = {}
    for number in range(n):
        angles = np.pi * np.array([number, number + 1]) / n
        points = [(-r * np.cos(a), y, r * np.sin(a)) for r in (0.875, 1.125) for a in angles for y in (-0.15, 0.15)]
        shapes[f"stone {number}"] = convex_mesh(points)
    return structure("arch", shapes, rough(shapes, cap), pushed=f"stone {n // 2}")


def pile(n: int, *, cap: float | None = None) -> Structure:
    """Boxes of random sizes and directions, put down one by one; each stands when it is put down.

    Heights are multiples of 0.1 m, so that a box may rest on several others. Whether a box stays when others are put on
    it is left open.
    """
    from shapely import MultiPoint, Point, Polygon

    rng = np.random.default_rng([SEED, n])
    shapes: dict[str, Shape] = {}
    tops: list[tuple[float, Polygon]] = []
    side = 0.12 * np.sqrt(n) + 0.1
    while len(shapes) < n:
        size = np.array([*rng.uniform(0.15, 0.35, 2), 0.1 * rng.integers(1, 3)])
        x, y, angle = *rng.uniform(0.0, side, 2), rng.uniform(0.0, np.pi)
        turn = rotation_about([0.0, 0.0, 1.0], angle)
        corners = (turn @ (0.5 * size * [(1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0)]).T).T[:, :2] + (x, y)
        outline = Polygon(corners)
        below = [(top, outline.intersection(other)) for top, other in tops]
        level = max((top for top, part in below if part.area > 0.0), default=0.0)
        parts = [part for top, part in below if top == level and part.area > 0.0] if level else [outline]
        support = MultiPoint([p for part in parts for p in part.exterior.coords]).convex_hull
        if not support.buffer(-0.01).contains(Point(x, y)) or min(part.area for part in parts) < 1e-4:
            continue
        shapes[f"box {len(shapes)}"] = Box(size, Pose(turn, [x, y, level + size[2] / 2.0]))
        tops.append((round(level + size[2], 3), outline))
    return structure("pile", shapes, rough(shapes, cap))


def snapped(n: int, *, cap: float | None = None) -> Structure:
    """Bricks of 2 x 4 studs in running bond, each held by snap points of limited pull and shear.

    A stud is a contact whose force is bounded in every direction but that of pressing: 2 N of pull, 2 N of shear along
    either axis, or `cap` of pressing.
    """
    pitch, height = 0.008, 0.0096
    corners = np.array([[x, y, -2.0] for x in (-2.0, 2.0) for y in (-2.0, 2.0)])
    if cap is None:
        volume = hf.ForceVolume([corners], [np.array([[0.0, 0.0, 1.0]])])
    else:
        volume = hf.ForceVolume([np.concatenate([corners, corners * [1.0, 1.0, -cap / 2.0]])])
    shapes: dict[str, Shape] = {}
    contacts: list[hf.Contact] = []
    per_layer = max(1, round(n ** (1.0 / 3.0)))
    places: dict[tuple[int, int, int], str] = {}
    for number in range(n):
        layer, place = divmod(number, per_layer)
        x, y = 4 * place + 2 * (layer % 2), 0
        name = f"brick {number}"
        centre = pitch * np.array([x + 2.0, y + 1.0, 0.0]) + [0.0, 0.0, height * (layer + 0.5)]
        shapes[name] = Box([4 * pitch, 2 * pitch, height], at(centre))
        for i in range(x, x + 4):
            for j in range(y, y + 2):
                places[i, j, layer] = name
                against = places.get((i, j, layer - 1))
                if layer == 0 or against is not None:
                    point = pitch * np.array([i + 0.5, j + 0.5, 0.0]) + [0.0, 0.0, height * layer]
                    contacts.append(hf.Contact(point, np.eye(3), volume, body=name, against=against))
    return structure("snap bricks", shapes, tuple(contacts))


def adhesive(n: int, model: str) -> Structure:
    """n plates of 0.1 x 0.1 x 0.02 m hanging below each other, each held to the one above at its four corners.

    Contacts are two-way gecko pads or microspine units, whose shear axes point to the middle: unions of pieces.
    """
    volume = hf.models.gecko_two_way(20.0) if model == "gecko" else hf.models.microspine()
    shapes: dict[str, Shape] = {}
    contacts: list[hf.Contact] = []
    for number in range(n):
        name, top = f"plate {number}", -0.02 * number
        shapes[name] = Box([0.1, 0.1, 0.02], at([0.0, 0.0, top - 0.01]))
        for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
            shear, normal = np.array([-x, -y, 0.0]) / np.sqrt(2.0), np.array([0.0, 0.0, -1.0])
            frame = np.column_stack([shear, np.cross(normal, shear), normal])
            against = f"plate {number - 1}" if number else None
            contacts.append(hf.Contact([0.04 * x, 0.04 * y, top], frame, volume, body=name, against=against))
    return structure(f"plates on {model}", shapes, tuple(contacts))


KINDS: dict[str, Callable[..., Structure]] = {
    "wall": wall,
    "pallet": pallet,
    "tower": tower,
    "arch": arch,
    "pile": pile,
    "snap bricks": snapped,
}
