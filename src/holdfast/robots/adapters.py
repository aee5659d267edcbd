"""Contacts found by other programs: plain arrays, Pinocchio's collision checker (Coal), MuJoCo.

All give `TouchingPoints`: points in the world, normals INTO the body in question, and the names of what touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly import Contact
from ..checks import Array, BoolArray, IntArray
from ..errors import FrameError, InputError, UnknownNameError, missing_extra, warn_caller
from ..force_limits import models
from ..force_limits.models.friction import friction_cone
from ..force_limits.volume import ForceVolume
from ..geometry.frames import Pose, frame_from_normal
from ..public_names import with_advice
from .robot import load_pinocchio
from .urdf import RobotWarning

#: One volume for all points, or one per part of the terrain by its name.
Volumes = ForceVolume | Mapping[str, ForceVolume]


@dataclass(frozen=True, eq=False, repr=False)
class TouchingPoints:
    """Contact points of a body with other objects.

    Attributes:
        positions: (n, 3) points of contact in the world [m].
        normals: (n, 3) unit normals there, INTO the body.
        shears: (n, 3) unit directions along the surface: x of the contact frames.
        links: (n,) link of the body at each point.
        terrains: (n,) part of the terrain at each point.
        friction: (n, 2) coefficients of friction along x and y of the contact frames; NaN where they are unknown.
        gaps: (n,) distance between the surfaces [m]; negative where they overlap.
        adhesion: (n,) pull of an adhesive surface that presses the surfaces together at each point [N]; 0 for none.
    """

    positions: Array
    normals: Array
    shears: Array
    links: tuple[str, ...]
    terrains: tuple[str, ...]
    friction: Array
    gaps: Array
    adhesion: Array

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"TouchingPoints({len(self)} points, {len(dict.fromkeys(self.links))} links)"

    @property
    def names(self) -> tuple[str, ...]:
        """(n,) "link on terrain", numbered where several points have the same two names."""
        pairs = list(zip(self.links, self.terrains, strict=True))
        seen: dict[tuple[str, str], int] = {}
        found = []
        for pair in pairs:
            seen[pair] = seen.get(pair, -1) + 1
            words = " on ".join(word for word in pair if word)
            found.append(f"{words}[{seen[pair]}]" if pairs.count(pair) > 1 and words else words)
        return tuple(found)

    @property
    def poses(self) -> tuple[Pose, ...]:
        """(n,) contact frames in the world, z into the body: palms for `hf.coulomb_grip` and other feet."""
        frames = zip(self.normals, self.shears, self.positions, strict=True)
        return tuple(Pose(frame_from_normal(normal, shear), position) for normal, shear, position in frames)

    def of_links(self, links: Sequence[str]) -> TouchingPoints:
        """The points of these links."""
        for link in links:
            if link not in self.links:
                raise UnknownNameError("touching link", link, dict.fromkeys(self.links), where="links")
        return self.chosen(np.array([link in links for link in self.links], dtype=bool))

    def within(self, gap: float) -> TouchingPoints:
        """The points whose surfaces are at most `gap` [m] apart."""
        return self.chosen(self.gaps <= checks.number("gap", gap, unit="m"))

    def contacts(self, volumes: Volumes | None = None, *, sides: int = 16) -> tuple[Contact, ...]:
        """Contacts on the body, for `hf.Assembly`.

        Args:
            volumes: admissible forces, one for all or by the name of the terrain, adhesion included. None takes dry
                friction with the points' coefficients and adhesion: f_z >= -adhesion, |f_t| <= mu (f_z + adhesion).
            sides: sides of the pyramids inside the friction cones, if `volumes` is None.
        """
        if not len(self):
            raise InputError("there are no points", where="points", fix="search points with a larger gap")
        if volumes is None:
            chosen = self._dry(checks.count("sides", sides, low=3))
        elif isinstance(volumes, Mapping):
            for terrain in dict.fromkeys(self.terrains):
                if terrain not in volumes:
                    raise UnknownNameError("volume for the terrain", terrain, volumes, where="volumes")
            chosen = [volumes[terrain] for terrain in self.terrains]
        else:
            chosen = [volumes] * len(self)
        placed = zip(self.poses, chosen, self.names, strict=True)
        return tuple(Contact(pose.translation, pose.rotation, volume, name) for pose, volume, name in placed)

    def _dry(self, sides: int) -> list[ForceVolume]:
        """Friction cones of the coefficients and the adhesion; equal ones are one object."""
        unknown = np.isnan(self.friction).any(axis=1)
        if unknown.any():
            where = f"friction[{int(unknown.argmax())}]"
            raise InputError("is unknown", where=where, fix="give volumes, or friction with the points")
        rows = [tuple(row) for row in np.column_stack([self.friction, self.adhesion]).tolist()]
        cones = {
            (mu, lateral, pull): models.coulomb(mu, mu_lateral=lateral, facets=sides)
            if pull == 0.0
            else friction_cone(mu, lateral, facets=sides, cap=None, side="inner", pull=pull)
            for mu, lateral, pull in dict.fromkeys(rows)
        }
        return [cones[row] for row in rows]

    def chosen(self, rows: BoolArray | IntArray) -> TouchingPoints:
        """The points of these rows, by numbers or as a mask."""
        numbers = np.arange(len(self))[rows]
        return TouchingPoints(
            self.positions[rows],
            self.normals[rows],
            self.shears[rows],
            tuple(self.links[i] for i in numbers),
            tuple(self.terrains[i] for i in numbers),
            self.friction[rows],
            self.gaps[rows],
            self.adhesion[rows],
        )


@with_advice()
def touching_points(
    positions: ArrayLike,
    normals: ArrayLike,
    *,
    shears: ArrayLike | None = None,
    links: str | Sequence[str] = "",
    terrains: str | Sequence[str] = "",
    friction: ArrayLike | None = None,
    gaps: ArrayLike | None = None,
    adhesion: ArrayLike | None = None,
) -> TouchingPoints:
    """Points of contact from plain arrays in the world.

    Args:
        positions: (n, 3) [m].
        normals: (n, 3) INTO the body, of any length above zero.
        shears: (n, 3) or (3,) directions along the surface; the part orthogonal to the normal is used. By default
            the world axis least aligned with the normal.
        links: link of the body, one per point or one for all.
        terrains: part of the terrain, one per point or one for all.
        friction: coefficient of all, (n,) one per point, or (n, 2) along the shear and across it.
        gaps: (n,) distance of the surfaces [m]; 0 by default.
        adhesion: (n,) pull of an adhesive surface at each point [N], at least 0; none by default.
    """
    x = checks.array("positions", positions, ("n", 3))
    n = checks.array("normals", normals, (len(x), 3))
    wanted = None if shears is None else _rows("shears", shears, len(x), 3)
    units, along = np.zeros_like(x), np.zeros_like(x)
    for row in range(len(x)):
        try:
            frame = frame_from_normal(n[row], None if wanted is None else wanted[row])
        except InputError as error:
            kind = FrameError if isinstance(error, FrameError) else InputError
            where = {"normal": "normals", "shear": "shears"}.get(error.where, error.where)
            raise kind(error.what, where=f"{where}[{row}]", fix=error.fix) from None
        along[row], units[row] = frame[:, 0], frame[:, 2]
    return TouchingPoints(
        x,
        units,
        along,
        _words("links", links, len(x)),
        _words("terrains", terrains, len(x)),
        _coefficients(friction, len(x)),
        np.zeros(len(x)) if gaps is None else checks.array("gaps", gaps, (len(x),)),
        _pulls(adhesion, len(x)),
    )


def _pulls(adhesion: ArrayLike | None, n: int) -> Array:
    """(n,) pull at each point [N]."""
    values = np.zeros(n) if adhesion is None else checks.array("adhesion", adhesion, (n,))
    if (values < 0.0).any():
        raise InputError(f"is {values.min():g} N, a push", where="adhesion", fix="give pulls of at least 0; add a load")
    return values


def _rows(name: str, value: ArrayLike, n: int, size: int) -> Array:
    """(n, size) from one row for all or one each."""
    if np.ndim(value) == 1:
        return np.broadcast_to(checks.vector(name, value, size), (n, size))
    return checks.array(name, value, (n, size))


def _words(name: str, value: str | Sequence[str], n: int) -> tuple[str, ...]:
    words = (value,) * n if isinstance(value, str) else tuple(str(word) for word in value)
    if len(words) != n:
        raise InputError(f"are {len(words)}", where=name, fix=f"give {n}, one per point, or one word for all")
    return words


def _coefficients(friction: ArrayLike | None, n: int) -> Array:
    """(n, 2); NaN when unknown."""
    if friction is None:
        return np.full((n, 2), np.nan)
    shape = {0: (), 1: (n,)}.get(np.ndim(friction), (n, 2))
    values = checks.array("friction", friction, shape)
    if (values < 0.0).any():
        raise InputError(f"is {values.min():g}", where="friction", fix="give coefficients of at least 0")
    columns = values if values.ndim == 2 else np.reshape(values, (-1, 1))
    return np.array(np.broadcast_to(columns, (n, 2)))


def of_body(
    first: Sequence[str], second: Sequence[str], is_body: Callable[[str], bool]
) -> tuple[IntArray, Array, tuple[str, ...], tuple[str, ...]]:
    """Pairs of touching parts, from the point of view of the body.

    Args:
        first, second: (m,) names of the two parts of each pair; their normal leads from first to second.
        is_body: whether a part belongs to the body.

    Returns:
        (rows (n,) of the pairs between body and terrain, signs (n,) that turn their normals into the body, names of
        the body's parts, names of the terrain's parts).
    """
    found = []
    for row, (a, b) in enumerate(zip(first, second, strict=True)):
        if is_body(a) != is_body(b):
            found.append((row, 1.0, b, a) if is_body(b) else (row, -1.0, a, b))
    rows, signs, links, terrains = zip(*found, strict=True) if found else ((), (), (), ())
    return np.array(rows, dtype=np.int64), np.array(signs), links, terrains


# Contacts of a Pinocchio collision query: contact points of a robot's geometries with its surroundings, by Coal.


@with_advice()
def collision_contacts(
    model: Any,
    geometry: Any,
    q: ArrayLike,
    *,
    body: Sequence[str] | None = None,
    gap: float = 0.0,
    friction: ArrayLike | None = None,
) -> TouchingPoints:
    """Contact points of a robot with its surroundings, in a posture, for the collision pairs of its geometry model.

    Faces in contact touch along a patch: its corners are the points. Round shapes touch at one point. The patch of two
    overlapping shapes is halfway between their surfaces.

    Args:
        model: pinocchio.Model.
        geometry: pinocchio.GeometryModel with collision pairs; the surroundings are attached to the universe
            joint, 0.
        q: posture, as Pinocchio has it.
        body: names of the geometries that are the body. By default all that are attached to a joint.
        gap: shapes within this distance [m] touch.
        friction: coefficient, as in `touching_points`; None: unknown.
    """
    pin = load_pinocchio()
    for name, value, kind in (("model", model, pin.Model), ("geometry", geometry, pin.GeometryModel)):
        if not isinstance(value, kind):
            raise InputError(f"is a {type(value).__name__}", where=name, fix=f"give a pinocchio.{kind.__name__}")
    posture = checks.vector("q", q, model.nq)
    margin = checks.number("gap", gap, low=0.0, unit="m")
    if not len(geometry.collisionPairs):
        fix = "add the pairs: geometry.addCollisionPair(pinocchio.CollisionPair(floor, foot))"
        raise InputError("has no collision pairs", where="geometry", fix=fix)
    names = [shape.name for shape in geometry.geometryObjects]
    for name in body or ():
        if name not in names:
            raise UnknownNameError("geometry", name, names, where="body")
    mine = {
        shape.name
        for shape in geometry.geometryObjects
        if (shape.parentJoint != 0 if body is None else shape.name in body)
    }
    found = _query(pin, model, geometry, np.array(posture), margin)
    first, second = [names[pair[0]] for pair, *_ in found], [names[pair[1]] for pair, *_ in found]
    rows, signs, links, terrains = of_body(first, second, lambda name: name in mine)
    return touching_points(
        np.array([found[row][1] for row in rows]).reshape(-1, 3),
        np.array([sign * found[row][2] for row, sign in zip(rows, signs, strict=True)]).reshape(-1, 3),
        links=links,
        terrains=terrains,
        friction=friction,
        gaps=[found[row][3] for row in rows],
    )


def _query(
    pin: Any, model: Any, geometry: Any, q: Array, margin: float
) -> list[tuple[tuple[int, int], Array, Array, float]]:
    """((first, second), point, normal from first to second, gap) of every point that touches.

    A round shape on a flat one gives its whole patch only in one order of the pair, and a single point in the other:
    both are computed, and the larger result is used.
    """
    turned = pin.GeometryModel(geometry)
    turned.removeAllCollisionPairs()
    for pair in geometry.collisionPairs:
        turned.addCollisionPair(pin.CollisionPair(pair.second, pair.first))
    straight, swapped = (_patches(pin, model, shapes, q, margin) for shapes in (geometry, turned))
    found = []
    for pair, points, others in zip(geometry.collisionPairs, straight, swapped, strict=True):
        more = len(others) > len(points)
        between = (int(pair.first), int(pair.second))
        found += [(between, x, -normal if more else normal, depth) for x, normal, depth in (others if more else points)]
    return found


def _patches(pin: Any, model: Any, geometry: Any, q: Array, margin: float) -> list[list[tuple[Array, Array, float]]]:
    """The points of each pair: (point, normal from its first to its second, gap); none without contact."""
    data, shapes = model.createData(), geometry.createData()
    for request in shapes.collisionRequests:
        request.enable_contact = True
        request.security_margin = margin
    pin.computeCollisions(model, data, geometry, shapes, q, False)
    pin.computeContactPatches(geometry, shapes)
    pairs = []
    for result, patches in zip(shapes.collisionResults, shapes.contactPatchResults, strict=True):
        points: list[tuple[Array, Array, float]] = []
        for number in range(patches.numContactPatches() if result.isCollision() else 0):
            patch = patches.getContactPatch(number)
            normal, depth = np.array(patch.getNormal()), float(patch.penetration_depth)
            points += [(np.array(patch.getPoint(i)), normal, depth) for i in range(patch.size())]
        pairs.append(points)
    return pairs


# Contacts of a MuJoCo simulation, with MuJoCo's normals and friction.


def load_mujoco() -> Any:
    """MuJoCo, or an error that says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise missing_extra("mujoco", "mujoco", purpose="contacts of a MuJoCo model") from None
    return mujoco


@with_advice()
def mujoco_contacts(
    model: Any, data: Any, body: str | None = None, *, bodies: Sequence[str] | None = None
) -> TouchingPoints:
    """Contact points of a body of a MuJoCo model with everything else.

    MuJoCo must have computed contacts at the posture of `data` (`mj_forward`, or `mj_fwdPosition`). Contacts that it
    leaves out of its own dynamics (in the gap, fused) are also left out here. The weight of the body is that of its
    subtree: `model.body_subtreemass`, with its centre of mass in `data.subtree_com`.

    The force of an adhesion actuator at the control of `data` is shared evenly by the contacts of its body, as in
    MuJoCo. What holds or pushes the body and is no contact point is named in one `RobotWarning`: joints to other
    bodies, constraints, tendons, actuators at sites, gravity compensation, wind, torsional and rolling friction.

    Args:
        model: mujoco.MjModel.
        data: mujoco.MjData.
        body: name of the body, with everything attached to it. By default every body that can move.
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
    solid = (geoms >= 0).all(axis=1)  # others are contacts of flexible bodies
    held = (np.array(data.contact.exclude).reshape(-1) == 0) & solid
    pulls, notes = _adhesion(mujoco, model, data, geoms)
    seen = np.nonzero(held)[0]
    keys = [[str(int(geom)) for geom in geoms[held, side]] for side in (0, 1)]
    rows, signs, links, terrains = of_body(keys[0], keys[1], lambda geom: bool(mine[model.geom_bodyid[int(geom)]]))
    chosen = seen[rows]
    flexible = [geom for pair in geoms[~solid] for geom in pair if geom >= 0]
    if (~solid).any() and (not flexible or mine[model.geom_bodyid[flexible]].any()):
        notes.append("contacts of flexible bodies")
    if (np.array(data.contact.dim).reshape(-1)[chosen] > 3).any():
        notes.append("torsional and rolling friction at points with condim 4 or 6")
    notes += _beside_contacts(mujoco, model, data, mine)
    if notes:
        message = f"of the MuJoCo model only contact points are read; left out: {'; '.join(notes)}"
        warn_caller(RobotWarning(message, notes))
    frames = np.array(data.contact.frame).reshape(-1, 3, 3)[chosen]  # rows: normal from geom 1 to geom 2, two tangents
    return touching_points(
        np.array(data.contact.pos).reshape(-1, 3)[chosen],
        signs[:, None] * frames[:, 0],
        shears=frames[:, 1],
        links=[_body_name(mujoco, model, int(geom)) for geom in links],
        terrains=[_geom_name(mujoco, model, int(geom)) for geom in terrains],
        friction=_friction(data, chosen),
        gaps=np.array(data.contact.dist).reshape(-1)[chosen],
        adhesion=pulls[chosen],
    )


def _adhesion(mujoco: Any, model: Any, data: Any, geoms: IntArray) -> tuple[Array, list[str]]:
    """((ncon,) pull of adhesion actuators at each contact [N], what of them is left out)."""
    pulls, notes = np.zeros(len(geoms)), []
    numbers = np.flatnonzero(np.array(model.actuator_trntype) == mujoco.mjtTrn.mjTRN_BODY)
    if not len(numbers):
        return pulls, notes
    state = copy(data)
    mujoco.mj_fwdActuation(model, state)  # gain times control, or activation, within the limits
    excluded = np.array(data.contact.exclude).reshape(-1)
    bodies = np.where(geoms >= 0, np.array(model.geom_bodyid)[geoms], -1)
    bodies[(geoms < 0).any(axis=1)] = -1  # MuJoCo leaves out contacts of flexible bodies
    for number in numbers:
        name, force = _name(mujoco, model, "actuator", int(number)), float(state.actuator_force[number])
        own = (bodies == int(model.actuator_trnid[number][0])).any(axis=1) & (excluded <= 1)
        if force < 0.0:
            raise InputError(f"pushes with {-force:g} N", where=name, fix="give it a control of at least 0")
        if force == 0.0:
            notes.append(f"adhesion of {name}, which is off: set data.ctrl")
        elif own.any():
            pulls[own] += force / int(own.sum())
            if (excluded[own] == 1).any():
                notes.append(f"the pull of {name} on contacts that are in their gap")
    return pulls, notes


def _beside_contacts(mujoco: Any, model: Any, data: Any, mine: BoolArray) -> list[str]:
    """What acts between the bodies of `mine` and others and is no contact."""
    notes, parts = [], mujoco.mjtObj
    for body in np.flatnonzero(mine):
        parent, first = int(model.body_parentid[body]), int(model.body_jntadr[body])
        if not mine[parent] and (first < 0 or model.jnt_type[first] != mujoco.mjtJoint.mjJNT_FREE):
            own = range(first, first + int(model.body_jntnum[body]))
            held = ", ".join(_name(mujoco, model, "joint", joint) for joint in own) or "being fixed there"
            notes.append(f"what {_name(mujoco, model, 'body', int(body))} bears on its parent body by {held}")
        if model.body_gravcomp[body]:
            notes.append(f"gravity compensation of {_name(mujoco, model, 'body', int(body))}")

    def mixed(bodies: Iterable[int]) -> bool:
        return len({bool(mine[body]) for body in bodies}) > 1

    for number in np.flatnonzero(np.array(data.eq_active)):
        ends = [int(model.eq_obj1id[number]), int(model.eq_obj2id[number])]
        kind, objects = int(model.eq_type[number]), int(model.eq_objtype[number])
        if kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            bodies = [int(model.site_bodyid[end]) for end in ends] if objects == parts.mjOBJ_SITE else ends
        elif kind == mujoco.mjtEq.mjEQ_JOINT:
            bodies = [int(model.jnt_bodyid[end]) for end in ends if end >= 0]
        else:
            bodies = [0, *np.flatnonzero(mine)[:1]]
        if mixed(bodies):
            notes.append(f"constraint {_name(mujoco, model, 'equality', int(number))}")
    for number in range(model.ntendon):
        first = int(model.tendon_adr[number])
        wraps = range(first, first + int(model.tendon_num[number]))
        sites = [int(model.wrap_objid[wrap]) for wrap in wraps if model.wrap_type[wrap] == mujoco.mjtWrap.mjWRAP_SITE]
        if mixed(int(model.site_bodyid[site]) for site in sites):
            notes.append(_name(mujoco, model, "tendon", number))
    for number in range(model.nu):
        kind, target = int(model.actuator_trntype[number]), [int(end) for end in model.actuator_trnid[number]]
        at_site = kind == mujoco.mjtTrn.mjTRN_SITE and mixed(
            [int(model.site_bodyid[end]) if end >= 0 else 0 for end in target]
        )
        at_joint = kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        free = at_joint and model.jnt_type[target[0]] == mujoco.mjtJoint.mjJNT_FREE
        if at_site or (free and mine[model.jnt_bodyid[target[0]]]):
            notes.append(_name(mujoco, model, "actuator", number))
    if np.any(model.opt.wind) and (model.opt.density or model.opt.viscosity):
        notes.append("wind")
    return notes


def _name(mujoco: Any, model: Any, word: str, number: int) -> str:
    """What a part of a model is called in messages: joint 'hip', or joint 3."""
    name = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{word.upper()}"), number)
    return f"{word} {name!r}" if name else f"{word} {number}"


def _friction(data: Any, rows: Any) -> Array:
    """(n, 2) along the two tangents; contacts of one dimension have none."""
    sliding = np.array(data.contact.friction).reshape(-1, 5)[rows, :2]
    return np.where(np.array(data.contact.dim).reshape(-1)[rows, None] > 1, sliding, 0.0)


def _subtrees(mujoco: Any, model: Any, bodies: Sequence[str] | None) -> BoolArray:
    """(nbody,) whether each body is one of the named ones or attached to one; without names, whether it can move."""
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
