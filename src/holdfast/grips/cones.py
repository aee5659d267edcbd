"""Grips without learning: Coulomb feet, and contacts with one convex piece each and without joints.

Their sets are exact: the vertices of a sum of convex sets of forces, mapped to wrenches, are sums of vertices, and its
rays are all their rays.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, Side
from ..errors import InputError
from ..force_limits.models import parameters
from ..force_limits.models.friction import coulomb
from ..geometry.frames import Pose, frame_from_normal, wrench_matrix
from ..public_names import with_advice
from ..storage import release
from .grip import Acting, Grip, GripMetadata, checked_pose, pose_rows

#: Cones narrower than this are lines up to rounding; give 0 for a line.
SMALLEST_FRICTION = 1e-10

#: Largest number of sums of vertices: learning a grip needs fewer.
MOST_VERTICES = 4096


@with_advice()
def coulomb_grip(
    mu: float,
    *,
    sides: int = 16,
    side: Side = "inner",
    normal: ArrayLike = (0.0, 0.0, 1.0),
    point: ArrayLike = (0.0, 0.0, 0.0),
    label: str = "",
) -> Grip:
    """A point foot with Coulomb friction: the cone |shear| <= mu times pressure as a pyramid, its apex at zero.

    Args:
        mu: friction coefficient; 0 for a force only along the normal, else at least 1e-10.
        sides: of the pyramid, 3 to 720; the shear is at most 1 - cos(pi/sides) too small, 1.9 % for 16.
        side: "inner", the pyramid inside the cone, or "outer", the one around it.
        normal: unit vector out of the terrain and into the body, in the palm frame.
        point: contact point, in the palm frame [m].
        label: how reports call it.
    """
    mu, sides = parameters.friction("mu", mu), parameters.facets("sides", sides)
    if 0.0 < mu < SMALLEST_FRICTION:
        fix = f"give 0 for a foot without friction, else at least {SMALLEST_FRICTION:g}"
        raise InputError(f"is {mu:g}: so narrow a cone cannot be distinguished from a line", where="mu", fix=fix)
    volume = coulomb(mu, facets=sides, side=side)
    forces = volume.rays[0] @ frame_from_normal(normal).T
    wrenches = forces @ wrench_matrix([checks.vector("point", point, 3)]).T
    short, over = 1.0 - math.cos(math.pi / sides), 1.0 / math.cos(math.pi / sides) - 1.0
    metadata = GripMetadata(
        method="cones",
        inner_error=short if side == "inner" and mu else 0.0,
        outer_error=over if side == "outer" and mu else 0.0,
        concavity=0.0,
        joint_limits=False,
        acting="direct",
        version=release(),
    )
    return Grip(np.zeros((1, 6)), wrenches, label=label, metadata=metadata)


@with_advice()
def cone_grip(assembly: Assembly, *, acting: Acting = "direct", palm: Pose | None = None, label: str = "") -> Grip:
    """The exact grip of contacts with one convex piece each, bounded or with rays, and without joint rows.

    Args:
        assembly: the contacts. The result is as exact as the models of the contacts, such as a polygon for a circle.
        acting: "direct" when the forces f of the contacts act on the body, which gets W f; "reaction" when they act
            on what is gripped, and the body gets -W f.
        palm: the palm's pose in the assembly's world frame; the world frame itself by default.
        label: how reports call it; the assembly's name by default.

    Raises:
        InputError: where there are joint rows, unions of pieces, or more than 4096 sums of vertices; `learn_grip`
            can handle these.
    """
    checked_assembly(assembly)
    if not isinstance(acting, str) or acting not in ("direct", "reaction"):
        raise InputError(f"is {checks.shown(acting)}", where="acting", fix='give "direct" or "reaction"')
    learn = "learn it: learn_grip(assembly)"
    if assembly.joints is not None:
        raise InputError(
            "has joint rows, or pads of uniform pressure, which cut the sum of the cones",
            where="assembly.joints",
            fix=learn,
        )
    transport = np.eye(6) if palm is None else checked_pose(palm).inverse().wrench_transport()
    sign = 1.0 if acting == "direct" else -1.0
    sums, rays = np.zeros((1, 6)), [np.zeros((0, 6))]
    for index, contact in enumerate(assembly.contacts):
        if len(contact.volume) > 1:
            what = f"has a volume of {len(contact.volume)} pieces, whose union is not convex"
            raise InputError(what, where=f"contacts[{index}]", fix=learn)
        piece = contact.volume.polytopes[0]
        to_palm = sign * transport @ wrench_matrix([contact.position]) @ contact.rotation  # (6, 3)
        corners = piece.extreme
        if len(sums) * len(corners) > MOST_VERTICES:
            what = f"makes the sums of vertices more than {MOST_VERTICES}"
            raise InputError(what, where=f"contacts[{index}]", fix=learn)
        sums = (sums[:, None, :] + (corners @ to_palm.T)[None, :, :]).reshape(-1, 6)
        rays.append(piece.rays @ to_palm.T)
    metadata = GripMetadata(
        method="cones",
        model_hash=assembly.fingerprint,
        inner_error=0.0,
        outer_error=0.0,
        concavity=0.0,
        joint_limits=False,
        acting=acting,
        palm=pose_rows(Pose.identity() if palm is None else palm),
        version=release(),
    )
    return Grip(_once(sums), _once(np.concatenate(rays)), label=label or assembly.name, metadata=metadata)


def _once(rows: Array) -> Array:
    """Rows without repetitions, in order."""
    return rows[np.sort(np.unique(rows + 0.0, axis=0, return_index=True)[1])] if len(rows) else rows
