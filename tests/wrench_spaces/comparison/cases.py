"""Assemblies whose wrench spaces are known in closed form."""

from __future__ import annotations

import itertools

import numpy as np

import holdfast as hf


def box(*half: float) -> hf.ForceVolume:
    """Forces within +-half [N] along each axis."""
    return hf.ForceVolume([np.array(list(itertools.product(*((-h, h) for h in half))))])


def at_one_point(*half: float, point: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> hf.Assembly:
    """One contact with a box of forces: it holds every force through its point up to the box, and no torque about it."""
    return hf.Assembly([hf.Contact(np.array(point), np.eye(3), box(*half))])


def cross(reach: float, half: float) -> hf.Assembly:
    """Four equal boxes at +-reach on the x and y axes.

    Forces up to 4 half along each axis. Torques up to 4 reach half about z (all forces along the circle), and up
    to 2 reach half about x and y (the pair on the other axis pushes and pulls along z).
    """
    volume = box(half, half, half)
    places = [(reach, 0, 0), (-reach, 0, 0), (0, reach, 0), (0, -reach, 0)]
    return hf.Assembly([hf.Contact(np.array(place, dtype=float), np.eye(3), volume) for place in places])


def tripod(seed: int = 3) -> hf.Assembly:
    """Three contacts with small convex volumes round zero, turned at random: a wrench space of full dimension."""
    rng = np.random.default_rng(seed)
    contacts = []
    for place in ((0.1, 0.0, 0.0), (-0.06, 0.08, 0.01), (-0.05, -0.09, 0.02)):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn[:, 2] *= np.sign(np.linalg.det(turn))
        corners = np.array([[3, 0, 0], [-2, 2, 0], [-2, -2, 0], [0, 0, 4], [0, 0, -1.5]]) * rng.uniform(
            0.8, 1.2, (5, 1)
        )
        contacts.append(hf.Contact(np.array(place), turn, hf.ForceVolume([corners])))
    return hf.Assembly(contacts)


def weakest_wrench(assembly: hf.Assembly, length: float) -> float:
    """Radius of the largest ball about zero in the wrench space of convex volumes, torques divided by `length`.

    By brute force: the hull of the wrenches of all choices of vertices. The nearest facet touches the ball.
    """
    from scipy.spatial import ConvexHull

    corners = [c.volume.pieces[0] @ c.rotation.T for c in assembly.contacts]
    scale = np.array([1, 1, 1, 1 / length, 1 / length, 1 / length])
    wrenches = [-(assembly.wrench_matrix @ np.concatenate(choice)) * scale for choice in itertools.product(*corners)]
    return float(-ConvexHull(np.array(wrenches)).equations[:, -1].max())
