"""What the object does when nothing holds it: poses to play in a loop, with the words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..geometry.frames import Pose
from ..geometry.screws import displacement

if TYPE_CHECKING:
    from ..dynamics.release import Release
    from .page_contact_answers import ContactAnswer

#: Stills of the motion that are computed at most, and seconds that each may take.
STILLS, STILL_SECONDS = 10, 1.0

#: How far the object travels in the loop, as a share of the size of what is drawn.
TRAVEL = 0.35

#: Poses in a loop.
POSES = 24


@dataclass(frozen=True, eq=False)
class PredictedMotion:
    """An illustrative motion of the object.

    Attributes:
        poses: how it has moved since the first pose, which is the identity.
        words: what it shows.
        certain: whether it is the motion of (7); else only the direction of the certificate.
    """

    poses: tuple[Pose, ...]
    words: str
    certain: bool


def predicted_motion(answer: ContactAnswer, size: float) -> PredictedMotion | None:
    """What the object of an answer does next, over about `TRAVEL` of `size` [m]; None when it holds or is not known.

    By maximum dissipation (7), step by step. Where (7) has no solution or was not found in time, the certificate's
    letting-go motion is played instead, and the words say so. Without contacts it falls freely.
    """
    if answer.holds or (answer.equilibrium is not None and answer.equilibrium.certificate is None):
        return None
    found = _release(answer)
    if found is not None and len(found) > 1:
        return PredictedMotion(_beyond(found, size), f"{found.description} Illustrative.", True)
    if answer.equilibrium is None:
        way = np.linalg.solve(_mass_matrix(answer), answer.wrench)
        return PredictedMotion(along(way, answer.scene.com, size), "Nothing touches it: it falls freely.", True)
    if answer.letting_go is None:
        return None
    words = "What it does is not known; shown is the way in which it lets go."
    return PredictedMotion(along(answer.letting_go, answer.scene.com, size), words, False)


def along(motion: Array, com: Array, size: float) -> tuple[Pose, ...]:
    """Poses along a motion (6,) about the world origin, faster and faster, over `TRAVEL` of `size` [m] in all."""
    speed = float(np.linalg.norm(motion[:3] + np.cross(motion[3:], com))) + 0.5 * size * float(
        np.linalg.norm(motion[3:])
    )
    if speed == 0.0:
        return (Pose.identity(),)
    whole = motion * (TRAVEL * size / speed)
    return tuple(displacement(share**2 * whole) for share in np.linspace(0.0, 1.0, POSES))


def _mass_matrix(answer: ContactAnswer) -> Array:
    """(6, 6) B of the object with the state's mass; 1 kg where it has none, since only directions are shown."""
    from ..dynamics.mass import inertia_of, mass_matrix

    scene, mass = answer.scene, answer.state.mass or 1.0
    inertia = inertia_of(mass, scene.drawing.shape, scene.com, scene.assembly.positions)
    return mass_matrix(mass, inertia.matrix, scene.com)


def _release(answer: ContactAnswer) -> Release | None:
    """The motion by (7); None without contacts."""
    from ..dynamics.dissipation import Separating
    from ..dynamics.release import simulate_release

    if answer.equilibrium is None:
        return None
    method = Separating(time_limit=STILL_SECONDS)
    return simulate_release(
        answer.equilibrium.assembly, answer.wrench, _mass_matrix(answer), frames=STILLS, method=method
    )


def _beyond(found: Release, size: float) -> tuple[Pose, ...]:
    """Poses of a release, and where it falls free, those of the way it then goes on."""
    from ..dynamics.release import ReleaseEnd

    poses = between([frame.pose for frame in found.frames])
    last = found.frames[-1]
    if found.end is not ReleaseEnd.FALLS or last.step is not None or len(found) < 2:
        return poses
    step = found.frames[-2].step
    if step is None:
        return poses
    return poses + tuple(pose @ last.pose for pose in along(step, last.com, size)[1:])


def between(poses: Sequence[Pose], most: int = POSES) -> tuple[Pose, ...]:
    """The poses with others between neighbours, so that few of them still play smoothly; about `most` in all."""
    if len(poses) < 2:
        return tuple(poses)
    steps = max(1, most // (len(poses) - 1))
    result = [poses[0]]
    for start, end in pairwise(poses):
        turn = rotation_vector(end.rotation @ start.rotation.T)
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
            rotation = displacement(np.concatenate([np.zeros(3), share * turn])).rotation @ start.rotation
            result.append(Pose(rotation, start.translation + share * (end.translation - start.translation)))
    return tuple(result)


def rotation_vector(rotation: Array) -> Array:
    """(3,) axis times angle [rad] of a rotation (3, 3)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(rotation).as_rotvec()
