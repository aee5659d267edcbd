"""Contacts of a MuJoCo simulation: what touches the robot now, with MuJoCo's normals and friction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..errors import InputError, MissingDependencyError, UnknownNameError
from .array_contacts import TouchingPoints, of_body, touching_points


def load_mujoco() -> Any:
    """MuJoCo, or an error that says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise MissingDependencyError(
            "mujoco", purpose="contacts of a MuJoCo model", install="pip install mujoco"
        ) from None
    return mujoco


def mujoco_contacts(
    model: Any, data: Any, body: str | None = None, *, bodies: Sequence[str] | None = None
) -> TouchingPoints:
    """Where a body of a MuJoCo model touches anything else.

    MuJoCo must have looked for contacts at the posture of `data` (`mj_forward`, or `mj_fwdPosition`). Contacts that it
    leaves out of its own dynamics (in the gap, fused) are left out here as well. The body weighs what its subtree does:
    `model.body_subtreemass`, with its centre of mass in `data.subtree_com`.

    Args:
        model: mujoco.MjModel.
        data: mujoco.MjData.
        body: name of the body that is asked about, with all that hangs on it. By default every body that can move.
        bodies: names of several such bodies.
    """
    mujoco = load_mujoco()
    for name, value, kind in (("model", model, mujoco.MjModel), ("data", data, mujoco.MjData)):
        if not isinstance(value, kind):
            raise InputError(f"is a {type(value).__name__}", where=name, fix=f"give a mujoco.{kind.__name__}")
    if body is not None and bodies is not None:
        raise InputError("is given with bodies", where="body", fix="give one of the two")
    if bodies is not None:
        checks.iterable("bodies", bodies, fix="give the names of bodies")
    for given in [body] if body is not None else bodies or ():
        checks.instance("body", given, str, fix="give its name; mujoco.mj_id2name turns a number into it")
    wanted = [body] if body is not None else None if bodies is None else list(bodies)
    mine = _subtrees(mujoco, model, wanted)
    geoms = np.array(data.contact.geom, dtype=np.int64).reshape(-1, 2)
    counts = np.array(data.contact.exclude).reshape(-1) == 0
    geoms, seen = geoms[counts], np.nonzero(counts)[0]
    keys = [[str(int(geom)) for geom in geoms[:, side]] for side in (0, 1)]
    rows, signs, links, terrains = of_body(keys[0], keys[1], lambda geom: bool(mine[model.geom_bodyid[int(geom)]]))
    chosen = seen[rows]
    frames = np.array(data.contact.frame).reshape(-1, 3, 3)[chosen]  # rows: normal from geom 1 to geom 2, two tangents
    return touching_points(
        np.array(data.contact.pos).reshape(-1, 3)[chosen],
        signs[:, None] * frames[:, 0],
        shears=frames[:, 1],
        links=[_body_name(mujoco, model, int(geom)) for geom in links],
        terrains=[_geom_name(mujoco, model, int(geom)) for geom in terrains],
        friction=_friction(data, chosen),
        gaps=np.array(data.contact.dist).reshape(-1)[chosen],
    )


def _friction(data: Any, rows: Any) -> Any:
    """(n, 2) along the two tangents; contacts of one dimension have none."""
    sliding = np.array(data.contact.friction).reshape(-1, 5)[rows, :2]
    return np.where(np.array(data.contact.dim).reshape(-1)[rows, None] > 1, sliding, 0.0)


def _subtrees(mujoco: Any, model: Any, bodies: Sequence[str] | None) -> Any:
    """(nbody,) whether each body belongs to those named or hangs on one of them; without names, whether it can move."""
    if bodies is None:
        return np.array([model.body_weldid[number] != 0 for number in range(model.nbody)], dtype=bool)
    kind = mujoco.mjtObj.mjOBJ_BODY
    known = [mujoco.mj_id2name(model, kind, number) or "" for number in range(model.nbody)]
    mine = np.zeros(model.nbody, dtype=bool)
    for name in bodies:
        if name not in known or not name:
            raise UnknownNameError("body", name, [word for word in known if word], where="body")
        mine[known.index(name)] = True
    for number in range(1, model.nbody):  # parents come before their children
        mine[number] |= mine[model.body_parentid[number]]
    return mine


def _body_name(mujoco: Any, model: Any, geom: int) -> str:
    """Name of the body that carries a geom."""
    number = int(model.geom_bodyid[geom])
    return mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, number) or f"body {number}"


def _geom_name(mujoco: Any, model: Any, geom: int) -> str:
    """Name of a geom, or of its body where it has none."""
    return mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, geom) or _body_name(mujoco, model, geom)
