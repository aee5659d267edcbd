"""Where a polygon touches others: points, normals and kinds of contact, ready for `motions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, IntArray
from ..errors import GeometryError, InputError
from .bodies import Contact
from .outlines import Outline, crossings, edge_distances

#: A corner touches an edge when it is within this share of the body's size of it.
TOUCHING = 1e-6

#: Normals are parallel when their cross product is below this.
PARALLEL = 1e-6


@dataclass(frozen=True, eq=False)
class Touching:
    """The contacts of a body's outline with its obstacles.

    Attributes:
        contacts: one for each touching point; an edge that lies on an edge gives two, at the ends of what they share.
        points: (k, 2) where they are [m].
        obstacles: (k,) which obstacle each is with.
        centre: (2,) the centre of mass that the contacts' r lead to [m].
    """

    contacts: tuple[Contact, ...]
    points: Array
    obstacles: IntArray
    centre: Array

    def __len__(self) -> int:
        return len(self.contacts)


def touching_contacts(
    outline: Outline,
    obstacles: Sequence[Outline],
    mu: float | Sequence[float],
    *,
    centre: ArrayLike | None = None,
    tolerance: float = TOUCHING,
    must_touch: bool = True,
) -> Touching:
    """Find where a body touches obstacles, with normals out of the obstacles and the kind of each contact.

    A corner of the body on an edge of an obstacle is of kind "vertex" (type B), a corner of an obstacle on an edge of
    the body of kind "edge" (type A). A corner in a notch touches both edges of it. Edges are straight, so that the kind
    gives the second variation. Contacts are ordered by obstacle, then by the body's corners, then the obstacle's.

    Args:
        outline: of the body, in place.
        obstacles: outlines that stand still.
        mu: friction coefficient, one for all or one for each obstacle.
        centre: (2,) centre of mass; by default that of a uniform plate [m].
        tolerance: largest gap or overlap that counts as touching, as a share of the body's size.
        must_touch: whether a body that touches nothing is an error; without it there are no contacts then.

    Raises:
        GeometryError: the body overlaps an obstacle; it touches nothing; a corner meets a corner, where there is no
            normal.
    """
    checks.instance("outline", outline, Outline, fix="give holdfast.planar.Outline(vertices)")
    checks.iterable("obstacles", obstacles, fix="give a list of Outline")
    obstacles = tuple(obstacles)
    for j, obstacle in enumerate(obstacles):
        checks.instance(f"obstacles[{j}]", obstacle, Outline, fix="give holdfast.planar.Outline(vertices)")
    friction = _frictions(mu, len(obstacles))
    near = checks.number("tolerance", tolerance, low=0.0, high=0.1) * outline.size
    com = outline.centroid if centre is None else checks.vector("centre", centre, 2)
    contacts: list[Contact] = []
    points: list[Array] = []
    owners: list[int] = []
    for j, obstacle in enumerate(obstacles):
        _check_apart(outline, obstacle, near, f"obstacles[{j}]")
        for point, normal, kind in _with_one(outline, obstacle, near, f"obstacles[{j}]"):
            contacts.append(Contact(normal, com - point, float(friction[j]), kind))
            points.append(point)
            owners.append(j)
    if must_touch and not contacts:
        gap = gap_to(outline, obstacles)
        what = f"touches nothing; the nearest obstacle is {gap:.3g} m away" if obstacles else "has no obstacles"
        fix = f"move it, or give a tolerance above {gap / outline.size:.2g}" if obstacles else "give some"
        raise GeometryError(what, where="outline", fix=f"{fix}; must_touch=False takes it as free")
    return Touching(tuple(contacts), np.array(points).reshape(-1, 2), np.array(owners, dtype=np.int64), com)


def _frictions(mu: float | Sequence[float], count: int) -> list[float]:
    """One coefficient for each of `count` obstacles."""
    if isinstance(mu, str) or not np.iterable(mu):
        return [checks.number("mu", mu, low=0.0)] * count
    given = list(mu)  # pyright: ignore[reportArgumentType]
    if len(given) != count:
        what = f"has {len(given)} numbers"
        raise InputError(what, where="mu", fix=f"give one number, or one for each of {count} obstacles")
    return [checks.number(f"mu[{j}]", one, low=0.0) for j, one in enumerate(given)]


def gap_to(outline: Outline, obstacles: Sequence[Outline]) -> float:
    """The least distance of a body from obstacles that it does not overlap [m]; infinite without any."""
    return min((_gap(outline, obstacle) for obstacle in obstacles), default=np.inf)


def _with_one(outline: Outline, obstacle: Outline, near: float, where: str) -> list[tuple[Array, Array, str]]:
    """(point, normal, kind) of all contacts with one obstacle."""
    ours = edge_distances(outline.vertices, obstacle) <= near  # our corner i on its edge j
    theirs = edge_distances(obstacle.vertices, outline) <= near
    found: list[tuple[Array, Array, str]] = []
    met: set[int] = set()  # corners of the obstacle that meet a corner of ours
    for i, corner in enumerate(outline.vertices):
        if not ours[i].any():
            continue
        twins = np.flatnonzero(np.linalg.norm(obstacle.vertices - corner, axis=1) <= near)
        if len(twins):
            twin = int(twins[0])
            met.add(twin)
            found += [(corner, *rest) for rest in _at_corner(outline, i, obstacle, twin, where)]
        else:
            found += [(corner, obstacle.normals[j], "vertex") for j in np.flatnonzero(ours[i])]
    for i, corner in enumerate(obstacle.vertices):
        if i not in met:
            found += [(corner, -outline.normals[j], "edge") for j in np.flatnonzero(theirs[i])]
    return found


def _at_corner(outline: Outline, i: int, obstacle: Outline, j: int, where: str) -> list[tuple[Array, str]]:
    """(normal out of the obstacle, kind) of the contacts where corner i of the body meets its corner j.

    A corner in a notch touches both of the notch's edges. An edge of the body along an edge of the obstacle has that
    edge's normal. Two corners that only meet have none.
    """
    mine, its = outline.normals[[i - 1, i]], obstacle.normals[[j - 1, j]]
    if _same_way(*its):  # a corner without a turn, on a straight side
        return [(its[0], "vertex")]
    if _same_way(*mine):
        return [(-mine[0], "edge")]
    if not obstacle.is_convex_corner[j]:
        return [(normal, "vertex") for normal in its]
    if not outline.is_convex_corner[i]:
        return [(-normal, "edge") for normal in mine]
    for own in _ways(outline, i):
        for other, normal in zip(_ways(obstacle, j), its, strict=True):
            if _same_way(own, other):
                return [(normal, "vertex")]
    place = ", ".join(f"{x:.4g}" for x in outline.vertices[i])
    what = f"corner {j} meets corner {i} of the body at ({place}), where there is no one normal"
    raise GeometryError(what, where=where, fix="move the body a little, or give the Contact by hand")


def _same_way(first: Array, second: Array) -> bool:
    return bool(first @ second > 0.0 and abs(first[0] * second[1] - first[1] * second[0]) <= PARALLEL)


def _ways(outline: Outline, corner: int) -> Array:
    """(2, 2) unit directions of the edge before a corner and the edge after it, both away from the corner."""
    before, after = outline.normals[corner - 1], outline.normals[corner]
    return np.array([(before[1], -before[0]), (-after[1], after[0])])


def _check_apart(outline: Outline, obstacle: Outline, near: float, where: str) -> None:
    """No part of either border may lie deeper than `near` in the other."""
    depth = max(_depth(outline, obstacle), _depth(obstacle, outline))
    if depth > near:
        what = f"overlaps the body, by {depth:.3g} m or more"
        raise GeometryError(what, where=where, fix="move the body out of it, or give a larger tolerance")


def _depth(first: Outline, second: Outline) -> float:
    """How deep points of the first's border lie in the second: its corners, the middles between crossings, a centre."""
    s, t = crossings(first, second)
    tried = [first.vertices, first.centroid[None]]
    for i in range(len(first)):
        along = first.ends[i] - first.vertices[i]
        reach = float(along @ along)
        cuts = s[i][(t[i] >= 0.0) & (t[i] <= 1.0)]
        # Corners of the second along this edge end what the two share.
        corners = (second.vertices - first.vertices[i]) @ along / reach
        marks = np.concatenate([[0.0, 1.0], cuts, corners])
        marks = np.unique(marks[(marks >= 0.0) & (marks <= 1.0)])
        tried.append(first.vertices[i] + 0.5 * (marks[:-1] + marks[1:])[:, None] * along)
    points = np.vstack(tried)
    inside = second.contains(points)
    inside[len(first)] &= bool(first.contains(first.centroid[None])[0])  # a hollow body's centre is none of it
    return float(second.distances(points)[inside].max(initial=0.0))


def _gap(first: Outline, second: Outline) -> float:
    return float(min(first.distances(second.vertices).min(), second.distances(first.vertices).min()))
