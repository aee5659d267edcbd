"""Failure sequences: the forces of contacts on springs while a load grows, and the order in which they fail.

Contact i has a stiffness K_i (3, 3) [N/m] in its frame (u, v, n) and a preload f0_i. With u_i the displacement of the
object against the surface, f_i = f0_i - K_i u_i acts on the object. The object moves by a small twist, the joints by
small angles theta: u_i = R_i^T (t + w x r_i - J_i theta). Forces balance base + d load; d is the load factor.

The equation of a joint row is jacobian @ f = h - stiffness theta, with h within [lower, upper]. While h is between its
limits, the joint holds its position like a spring of stiffness `servo` (rigid by default). At a limit it moves at
constant h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import suspension_of
from ..assembly.assembly import Assembly, SceneLike, asked_about, checked_assembly
from ..assembly.suspension import RULES, Rule, stiffness_matrix
from ..checks import Array, IntArray
from ..errors import GeometryError, InputError
from ..force_limits.volume import ForceVolume
from ..geometry.frames import skew_matrices
from ..public_names import with_advice
from ..results import Result, proof
from ..statics import LoadLimit, largest_on_ramp, load_limit
from ..statics.holding import Method
from ..statics.strength import RampLimit
from . import kernels
from .kernels import SharingPath, SharingProblem
from .mechanisms import driven_mechanism, near_border
from .uniqueness import OtherPath

#: Names of the stages of a path; the first is called "preload" where there is no base load.
STAGES = ("base", "load")

#: A motion is free when it stretches the springs by less than this fraction of what the stiffest motion does.
FREE_MOTION = 1e-10

#: Segments of a path per contact: room at first, and the most before the path is given up.
ROOM, MOST_SEGMENTS = 3, 512


class SharingStatus(StrEnum):
    """Outcome of a path; the value is the message."""

    COLLAPSES = "collapses"
    UNLIMITED = "no limit"
    HOLDS_THROUGHOUT = "holds as far as was asked"
    FAILS_AT_BASE = "does not hold the base load"
    UNSTABLE = "slips suddenly"
    UNDECIDED = "undecided"


_ENDS = {
    kernels.COLLAPSED: SharingStatus.COLLAPSES,
    kernels.ENDLESS: SharingStatus.UNLIMITED,
    kernels.REACHED: SharingStatus.HOLDS_THROUGHOUT,
    kernels.LOST: SharingStatus.UNSTABLE,
    kernels.FULL: SharingStatus.UNDECIDED,
}

#: Kinds of events that are failures.
FAILURES = ("fails", "slips", "yields")


@dataclass(frozen=True)
class SharingEvent(Result):
    """A change of state while the load grows.

    Attributes:
        stage: "base" (preload, joint torques and base load together; "preload" without a base load) or "load".
        factor: load factor; 0 before the load.
        share: applied fraction of its stage; the factor itself in the last stage.
        kind: "fails" (brittle), "slips", "yields"; "opens", "closes", "disengages" (it cannot carry the next force and
            carries nothing), "sticks"; "joint slips", "joint holds".
        contact: its number, or None.
        joint: its number, or None.
        name: name of the contact or joint.
        cascade: whether it follows another failure at the same load.
    """

    stage: str
    factor: float
    share: float
    kind: str
    contact: int | None
    joint: int | None
    name: str
    cascade: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return dict(vars(self))

    @property
    def is_failure(self) -> bool:
        """Whether a contact failed, slipped or yielded."""
        return self.kind in FAILURES


@dataclass(frozen=True, eq=False)
class LoadSharing(Result):
    """How contacts share a growing load, and in which order they fail.

    Attributes:
        assembly: contacts and joint rows.
        load: (6,) wrench that is multiplied by the factor, torque about the world origin.
        base: (6,) constant wrench, torque about the world origin.
        status: collapses, no limit, holds as far as was asked (`until`), does not hold the base load; slips suddenly:
            slipping contacts unload faster than the load grows, and no forces continue the path; undecided.
        first_failure: factor at which the first contact fails, slips or yields; 0 before the load, inf for none.
        peak: the largest factor that is reached; inf without a limit, -inf where not even the base load is held.
        stiffness: (k, 3, 3) in the contact frames [N/m].
        preload: (k, 3) forces at zero displacement, contact frames [N].
        rules: (k,) rule of failure of each contact.
        until: the requested end of the path, a load factor.
        path: the segments of the path, in the scaled coordinates of the kernels.
        problem: the input of the kernels.
        mechanism: (n,) motion of the collapse, which no contact resists or stops, in the scaled coordinates of the
            kernels; None without a collapse.
    """

    assembly: Assembly
    load: Array
    base: Array
    status: SharingStatus
    first_failure: float
    peak: float
    stiffness: Array
    preload: Array
    rules: tuple[Rule, ...]
    until: float
    path: SharingPath = field(repr=False)
    problem: SharingProblem = field(repr=False)
    mechanism: Array | None = None

    def rows(self) -> list[dict[str, Any]]:
        """The force [N] of every contact at the end of each linear part of the path, in world and contact frames."""
        rows = []
        for knot, (stage, applied) in enumerate(zip(self.path.stage, self.path.share, strict=True)):
            name = self.stage_name(int(stage))
            for index, contact in enumerate(self.assembly.contacts):
                local = self.path.force[knot, index]
                world = contact.rotation @ local
                row: dict[str, Any] = {"knot": knot, "stage": name, "share": float(applied)}
                row |= {"factor": float(applied) if name == "load" else 0.0, "contact": contact.name or str(index)}
                row |= {f"f_{axis}": float(value) for axis, value in zip("xyz", world, strict=True)}
                row |= {f"local_{axis}": float(value) for axis, value in zip("xyz", local, strict=True)}
                rows.append(row)
        return rows

    def stage_name(self, stage: int) -> str:
        """The name of a stage of the path: "preload" or "base" at first, then "load"."""
        return "preload" if stage == kernels.BASE and not self.base.any() else STAGES[stage]

    def __repr__(self) -> str:
        return f"LoadSharing({self.status.value}, first failure {self.first_failure:.6g}, peak {self.peak:.6g})"

    # -- the events -----------------------------------------------------------------------------

    @cached_property
    def events(self) -> tuple[SharingEvent, ...]:
        """Every change of state, in order."""
        return tuple(_events(self))

    @property
    def failures(self) -> tuple[SharingEvent, ...]:
        """The events at which contacts fail, slip or yield, in order."""
        return tuple(event for event in self.events if event.is_failure)

    @property
    def order(self) -> IntArray:
        """(k,) place of each contact in the order of failure, from 1; equal if they fail at once; 0: does not fail."""
        places, last, place = np.zeros(len(self.assembly), dtype=np.int64), None, 0
        for event in self.failures:
            if event.contact is None or places[event.contact]:
                continue
            mark = (event.stage, event.share, event.cascade)
            place += last != mark
            last, places[event.contact] = mark, place
        return places

    # -- forces and displacements ---------------------------------------------------------------

    @property
    def point(self) -> Array:
        """(3,) the point whose translation `displacement` gives: the centre of the contacts, in the world [m]."""
        return self.assembly.positions.mean(axis=0)

    def forces(self, factor: ArrayLike = 1.0, *, frame: Literal["world", "contact"] = "world") -> Array:
        """(k, 3) or (n, k, 3) forces on the object [N] at one or n load factors, in the world or the contact frames.

        Piecewise linear. At a factor where forces jump, the forces after the jump; at the peak of a collapse the forces
        before it, since none follow. nan beyond the peak.
        """
        local = self._at(factor, self.path.force)
        if frame == "contact":
            return local
        if frame != "world":
            raise InputError(f"is {frame!r}", where="frame", fix='give "world" or "contact"')
        return np.einsum("kij,...kj->...ki", self.assembly.rotations, local)

    def displacement(self, factor: ArrayLike = 1.0) -> Array:
        """(6,) or (n, 6) translation of `point` [m] and rotation [rad] of the object in the world."""
        x = self._at(factor, self.path.x)[..., :6].copy()
        x[..., 3:] /= self.assembly.length
        return x

    def joint_motion(self, factor: ArrayLike = 1.0) -> Array:
        """(r,) or (n, r) displacements of the joints [rad, m]."""
        return self._at(factor, self.path.x)[..., 6:] * joint_scales(self.assembly)

    def joint_values(self, factor: ArrayLike = 1.0) -> Array:
        """(r,) or (n, r) values of the joint rows: jacobian @ f [N m, N]."""
        if self.assembly.joints is None:
            return np.zeros((*np.shape(factor), 0))
        forces = self.forces(factor)
        return forces.reshape(*forces.shape[:-2], -1) @ self.assembly.joints.jacobian.T

    def _at(self, factor: ArrayLike, values: Array) -> Array:
        """Values at the ends of segments, interpolated linearly in the factor."""
        try:
            wanted = np.asarray(factor, dtype=np.float64)
        except (TypeError, ValueError):
            wanted = np.array(np.nan)
        if not np.all(np.isfinite(wanted)) or (wanted < 0.0).any():
            raise InputError("is not a finite number >= 0", where="factor", fix="give factors from 0 to the peak")
        rows = np.nonzero(self.path.stage == kernels.LOAD)[0]
        if len(rows) and self.status in (SharingStatus.COLLAPSES, SharingStatus.UNSTABLE):
            rows = rows[: 1 + int(np.argmax(self.path.share[rows] == self.path.share[rows[-1]]))]
        flat = wanted.ravel()
        result = np.full((flat.size, *values.shape[1:]), np.nan)
        if len(rows):
            shares = self.path.share[rows]
            last = np.searchsorted(shares, flat, side="right") - 1
            last = np.clip(last, 0, len(rows) - 2) if len(rows) > 1 else np.zeros(flat.size, dtype=int)
            following = np.minimum(last + 1, len(rows) - 1)
            width = shares[following] - shares[last]
            part = np.divide(flat - shares[last], width, out=np.zeros(flat.size), where=width > 0.0)
            jump = (width <= 0.0) & (flat >= shares[following])
            part = np.where(jump, 1.0, part).reshape(-1, *(1,) * (values.ndim - 1))
            result = values[rows[last]] + part * (values[rows[following]] - values[rows[last]])
            result[flat > self.peak * (1.0 + tolerances.ROUNDING)] = np.nan
        return result.reshape(*wanted.shape, *values.shape[1:])

    # -- against the load limit -----------------------------------------------------------------

    @cached_property
    def limit(self) -> LoadLimit | RampLimit:
        """What the same contacts carry with the best possible forces, see `best_limit`."""
        return best_limit(self.assembly, self.load, self.base)

    @property
    def efficiency(self) -> float:
        """peak / load limit: the reached fraction of the best possible load; nan where either has no limit."""
        limit = self.limit.value
        if not (np.isfinite(limit) and np.isfinite(self.peak)) or limit <= 0.0:
            return float("nan")
        return self.peak / limit

    @property
    def bracket(self) -> str:
        """First failure, peak and load limit in one line, with words where there is no number."""
        from .description import bracket_line

        return bracket_line(self)

    # -- other paths ----------------------------------------------------------------------------

    @cached_property
    def other_paths(self) -> tuple[OtherPath, ...]:
        """First failures and peaks of other paths that the model allows as well, as far as they were found.

        Slipping contacts, contacts without a force and mixed rules may allow several continuations of a path.
        """
        from .uniqueness import other_paths

        return other_paths(self)

    @property
    def unique(self) -> bool:
        """Whether no other path was found: then first failure and peak are the model's answer, not one of several."""
        return not self.other_paths

    # -- proof ----------------------------------------------------------------------------------

    @proof
    def verify(self) -> bool:
        """Check the path without the kernels: balance, joints, membership, springs, flow, the motion of a collapse.

        For a path that slips suddenly it is not checked that no forces continue it.
        """
        from .proof import path_faults

        return self.status is not SharingStatus.UNDECIDED and not path_faults(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "status": self.status.value,
            "first_failure": self.first_failure,
            "peak": self.peak,
            "load_limit": self.limit.value,
            "efficiency": self.efficiency,
            "unique": self.unique,
            "other_paths": [path._asdict() for path in self.other_paths],
            "until": self.until,
            "load": self.load.tolist(),
            "base": self.base.tolist(),
            "rules": list(self.rules),
            "events": [event.to_dict() for event in self.events],
            "proof_verified": self.verify(),
        }


def best_limit(assembly: Assembly, load: Array, base: Array, *, method: Method | None = None) -> LoadLimit | RampLimit:
    """The largest factor with the best possible forces: `load_limit`, or `largest_on_ramp` with a base load."""
    if base.any():
        return largest_on_ramp(assembly, base, load, method=method)
    return load_limit(assembly, load, method=method)


@with_advice(wrench="give load")
def load_sharing(
    assembly: Assembly | SceneLike,
    load: ArrayLike | None = None,
    stiffness: ArrayLike | None = None,
    preload: ArrayLike | None = None,
    base: ArrayLike | None = None,
    rule: Rule | Sequence[Rule] | None = None,
    *,
    units: Literal["together", "pointwise"] = "together",
    until: float = np.inf,
) -> LoadSharing:
    """How contacts on springs share a growing load, which fails first, and the largest load that is carried.

    Preload, torques of driven joints and base load come first and grow together; then the load times a factor that
    grows from 0. The path is exact between events: there are no steps of load or time.

    Args:
        assembly: contacts and joint rows, or a scene.
        load: (6,) external wrench that is multiplied by the factor, torque about the world origin. For a scene its
            weight by default.
        stiffness: (normal, tangential) [N/m] for all contacts, one such pair per contact, or (k, 3, 3) in the contact
            frames (u, v, n), symmetric and positive semidefinite. By default that of the contacts' suspensions, or
            of the models of their volumes (`hf.models.default_suspension`), with their rules.
        preload: (k, 3) forces at zero displacement in the contact frames [N], or one pressing force for all contacts.
            By default that of the suspensions, or zero.
        base: (6,) external wrench that is constant, such as the weight; torque about the world origin. Zero by default.
        rule: what a contact does at the border of its force volume; one rule, or one per contact. "brittle": its
            force drops to zero and stays zero. "slip": the force within the surface stays at its limit, for volumes of
            one piece. "ductile": the force stays on the border of its volume, with displacements along the border's
            normal. By default that of the suspensions, or "brittle".
        units: whether all points of a unit fail "together" when one of them fails, or independently ("pointwise").
        until: stop at this load factor.
    """
    assembly, asked = asked_about(assembly, load, "load")
    assembly = assembly.with_free_pressure()  # the springs of the points share the pressure
    wrench = checks.vector("load", checked_assembly(assembly).stacked(asked), 6)
    if not wrench.any():
        raise InputError("is the zero wrench", where="load", fix="give a load to multiply")
    fixed = np.zeros(6) if base is None else checks.vector("base", base, 6)
    if isinstance(until, bool) or not isinstance(until, (int, float, np.floating, np.integer)) or not until > 0.0:
        raise InputError(f"is {until!r}", where="until", fix="give a factor above 0")
    elastic = resolve_springs(assembly, stiffness, preload, rule)
    problem = build_problem(assembly, wrench, fixed, elastic, units)
    done = followed(problem, float(until))
    result = LoadSharing(
        assembly=assembly,
        load=wrench,
        base=fixed,
        status=done.status,
        first_failure=done.first_failure,
        peak=done.peak,
        stiffness=elastic.stiffness,
        preload=elastic.preload,
        rules=tuple(RULES[number] for number in elastic.rule),  # type: ignore[arg-type]
        until=float(until),
        path=done.path,
        problem=problem,
        mechanism=done.mechanism,
    )
    if done.mechanism is not None:
        _check_mechanism(result)
    return result


# -- what is asked ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Springs:
    """Stiffness (k, 3, 3) [N/m], preload (k, 3) [N] and number of the rule (k,) of every contact."""

    stiffness: Array
    preload: Array
    rule: IntArray


def resolve_springs(assembly: Assembly, stiffness: Any, preload: Any, rule: Any) -> Springs:
    """The given values, checked; missing ones are taken from the contacts."""
    own = [contact.suspension for contact in assembly.contacts]
    if stiffness is None:
        own = [suspension_of(contact) for contact in assembly.contacts]
        for index, (contact, suspension) in enumerate(zip(assembly.contacts, own, strict=True)):
            if suspension is None:
                name = contact.name or str(index)
                fix = "give stiffness=(normal, tangential) [N/m], or Contact(..., suspension=Suspension(...))"
                raise InputError(f"contact {name} has none", where="stiffness", fix=fix)
        stiffness = [suspension.stiffness for suspension in own if suspension is not None]
    if preload is None:
        preload = [np.zeros(3) if suspension is None else suspension.preload for suspension in own]
    if rule is None:
        rule = ["brittle" if suspension is None else suspension.rule for suspension in own]
    matrices = _stiffness(stiffness, len(assembly))
    forces = _preload(preload, assembly)
    return Springs(matrices, forces, _rules(rule, assembly))


def _stiffness(given: Any, k: int) -> Array:
    """(k, 3, 3) from one pair, k pairs or k matrices."""
    try:
        value = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        fix = f"give (normal, tangential) [N/m], {k} such pairs, or matrices of shape ({k}, 3, 3)"
        raise InputError("is not an array of real numbers", where="stiffness", fix=fix) from None
    if value.shape in ((2,), (k, 2), (k, 3, 3)):
        each = [value] * k if value.shape == (2,) else list(value)
        known: dict[bytes, Array] = {}
        for index, entry in enumerate(each):
            if entry.tobytes() not in known:
                known[entry.tobytes()] = stiffness_matrix(f"stiffness[{index}]", entry)
        matrices = np.array([known[entry.tobytes()] for entry in each])
    else:
        fix = f"give (normal, tangential), {k} such pairs, or matrices of shape ({k}, 3, 3)"
        raise InputError(f"has the shape {value.shape}", where="stiffness", fix=fix)
    if not matrices.any():
        raise InputError("is zero everywhere", where="stiffness", fix="give at least one contact a stiffness")
    return matrices


def _preload(given: Any, assembly: Assembly) -> Array:
    """(k, 3) forces, each in its contact's volume."""
    k = len(assembly)
    if np.ndim(given) == 0:
        force = checks.number("preload", given, low=0.0, unit="N")
        forces = np.tile([0.0, 0.0, force], (k, 1))
    else:
        forces = checks.array("preload", given, (k, 3))
    for index in np.nonzero(forces.any(axis=1))[0]:
        contact, force = assembly.contacts[int(index)], forces[index]
        if not contact.volume.contains(force):
            amount = float(contact.volume.signed_distance(force))
            name = contact.name or str(index)
            text = ", ".join(f"{value:.4g}" for value in force)
            raise InputError(
                f"of contact {name}, ({text}) N, lies {amount:.3g} N outside its force volume",
                where=f"preload[{index}]",
                fix="give a force that the contact can carry: contact frame, z presses",
            )
    return forces


def _rules(given: Any, assembly: Assembly) -> IntArray:
    k = len(assembly)
    if not isinstance(given, (str, Sequence, np.ndarray)):
        raise InputError(f"is a {type(given).__name__}", where="rule", fix=f"give one of {', '.join(RULES)}")
    names = [given] * k if isinstance(given, str) else list(given)
    if len(names) != k:
        raise InputError(
            f"has {len(names)} entries for {k} contacts", where="rule", fix="give one rule, or one per contact"
        )
    for index, (name, contact) in enumerate(zip(names, assembly.contacts, strict=True)):
        if name not in RULES:
            raise InputError(f"is {name!r}", where=f"rule[{index}]", fix=f"give one of {', '.join(RULES)}")
        if name == "slip" and len(contact.volume) > 1:
            raise InputError(
                f'is "slip" for a volume of {len(contact.volume)} pieces',
                where=f"rule[{index}]",
                fix='slip is undefined for several pieces: give "brittle" or "ductile"',
            )
    return np.array([RULES.index(name) for name in names], dtype=np.int64)


def joint_scales(assembly: Assembly) -> Array:
    """(r,) displacement of each joint that moves the contacts by about one metre; used to scale joints to metres."""
    if assembly.joints is None:
        return np.zeros(0)
    blocks = assembly.joints.jacobian.reshape(len(assembly.joints), -1, 3)
    reach = np.linalg.norm(blocks, axis=2).max(axis=1)
    return 1.0 / np.where(reach > 0.0, reach, 1.0)


def build_problem(
    assembly: Assembly, load: Array, base: Array, springs: Springs, units: str = "together"
) -> SharingProblem:
    """The input of the kernels: coordinates are the translation of the centre and the rotation times `length` [m]."""
    if units not in ("together", "pointwise"):
        raise InputError(f"is {units!r}", where="units", fix='give "together" or "pointwise"')
    k = len(assembly)
    turned = assembly.rotations.transpose(0, 2, 1)
    maps = object_maps(assembly, assembly.positions)
    joints, scales = assembly.joints, joint_scales(assembly)
    rows = [np.zeros(0)] * 4
    if joints is not None:
        blocks = joints.jacobian.reshape(len(joints), k, 3) * scales[:, None, None]
        maps = np.concatenate([maps, np.einsum("kij,rkj->kir", turned, blocks)], axis=2)
        rows = [joints.lower * scales, joints.upper * scales, joints.stiffness * scales**2, joints.servo * scales**2]
        _check_joints(assembly)
    volumes = {id(contact.volume): contact.volume for contact in assembly.contacts}
    numbers = {key: index for index, key in enumerate(volumes)}
    facets = facets_of(list(volumes.values()))
    shape_of = np.array([numbers[id(contact.volume)] for contact in assembly.contacts])
    starts = np.nonzero(np.diff(assembly.unit_of, prepend=-1))[0]
    names: dict[Any, int] = {}
    group = [
        names.setdefault(index if contact.unit is None or units == "pointwise" else contact.unit, len(names))
        for index, contact in enumerate(assembly.contacts)
    ]

    return SharingProblem(
        maps=np.ascontiguousarray(maps),
        stiffness=np.ascontiguousarray(springs.stiffness),
        preload=np.ascontiguousarray(springs.preload),
        normals=facets.normals,
        offsets=facets.offsets,
        first=facets.first[shape_of],
        pieces=facets.pieces[shape_of],
        shrink=np.ones((k, 3)),
        size=facets.size[shape_of],
        floor=facets.floor[shape_of],
        unit=assembly.unit_of,
        first_point=np.append(starts, k).astype(np.int64),
        group=np.array(group, dtype=np.int64),
        rule=springs.rule,
        lower=rows[0],
        upper=rows[1],
        spring=rows[2],
        servo=rows[3],
        base=scaled_wrench(assembly, base),
        load=scaled_wrench(assembly, load),
    )


def object_maps(assembly: Assembly, positions: Array) -> Array:
    """(..., k, 3, 6) motions of the object to minus the displacements of contacts at positions (..., k, 3)."""
    arms = skew_matrices(positions - assembly.positions.mean(axis=0)) / -assembly.length  # w x r = -r x w
    motion = np.concatenate([np.broadcast_to(np.eye(3), arms.shape), arms], axis=-1)
    return -(assembly.rotations.transpose(0, 2, 1) @ motion)


def scaled_wrench(assembly: Assembly, wrench: Array) -> Array:
    """(..., n) wrenches (..., 6) about the centre of the contacts, torques divided by `length`; zero for the joints."""
    torque = wrench[..., 3:] - np.cross(assembly.positions.mean(axis=0), wrench[..., :3])
    joints = np.zeros((*wrench.shape[:-1], 0 if assembly.joints is None else len(assembly.joints)))
    return np.concatenate([wrench[..., :3], torque / assembly.length, joints], axis=-1)


def _check_joints(assembly: Assembly) -> None:
    """Refuse a joint row that no contact loads and whose limits exclude zero."""
    joints = assembly.joints
    assert joints is not None
    for row in np.nonzero(~joints.jacobian.any(axis=1) & ((joints.lower > 0.0) | (joints.upper < 0.0)))[0]:
        name = joints.names[row] if joints.names else str(row)
        raise InputError(
            f"joint {name} must give {joints.lower[row]:g} to {joints.upper[row]:g}, but no contact loads it",
            where=f"joints.row {row}",
            fix="give it limits that contain zero, or the contacts that it moves",
        )


class Facets(NamedTuple):
    """The facets of several volumes, one after another: normals . f <= offsets."""

    normals: Array  # (m, 3)
    offsets: Array  # (m,)
    first: IntArray  # (v, p + 1) where the facets of the pieces of a volume begin
    pieces: IntArray  # (v,) number of pieces
    size: Array  # (v,) [N]
    floor: Array  # (v,) least normal force [N]


def facets_of(volumes: Sequence[ForceVolume]) -> Facets:
    """The facets of volumes, each of which must contain the zero force."""
    normals: list[Array] = []
    offsets: list[Array] = []
    first = np.zeros((len(volumes), 1 + max(len(volume) for volume in volumes)), dtype=np.int64)
    size, total = np.zeros(len(volumes)), 0
    for index, volume in enumerate(volumes):
        if not volume.contains(np.zeros(3)):
            raise GeometryError(
                f"of {len(volume)} pieces does not contain the zero force",
                where="force volume",
                fix="load sharing starts without forces: give a volume that contains the zero force",
            )
        first[index, 0] = total
        for number, piece in enumerate(volume.polytopes):
            a, b = piece.halfspaces
            normals.append(a)
            offsets.append(b)
            size[index] = max(size[index], np.abs(b).max(initial=0.0))
            total += len(b)
            first[index, number + 1] = total
    floor = np.array([min(points[:, 2].min() for points in volume.pieces) for volume in volumes])
    pieces = np.array([len(volume) for volume in volumes], dtype=np.int64)
    return Facets(np.concatenate(normals), np.concatenate(offsets), first, pieces, size, floor)


class Follower:
    """Arrays to follow many paths of problems of one size, one after another."""

    def __init__(self, problem: SharingProblem, room: int = 1, *, gives_in: bool = False) -> None:
        k, _, n = problem.maps.shape
        self._sizes = k, n, len(problem.lower), len(problem.first_point) - 1
        self._state = kernels.new_state(*self._sizes)
        self.work = kernels.new_work(*self._sizes[:3], int(max(np.diff(problem.first, axis=1).max(), 1)))
        self.work.gives_in[0] = gives_in
        self.path = kernels.new_path(room, *self._sizes)
        self.found = np.zeros(7)
        self.most = MOST_SEGMENTS * (k + 8)

    def run(self, problem: SharingProblem, until: float) -> int:
        """Follow a path and return how it ended; `found` and, with room for several segments, `path` have the rest."""
        for array in self._state:
            array[...] = 0
        self.work.scale[:] = 0.0
        return int(kernels.run(problem, self._state, self.work, self.path, until, self.most, self.found))


class Followed(NamedTuple):
    """A path and what follows from it."""

    path: SharingPath
    status: SharingStatus
    first_failure: float
    peak: float
    mechanism: Array | None


def followed(problem: SharingProblem, until: float, *, gives_in: bool = False) -> Followed:
    """The path of a problem, its outcome, and the motion of its collapse.

    With `gives_in` a motion that nothing resists is preferred to rates, where there are both.
    """
    room = ROOM * (len(problem.maps) + 8)
    while True:
        follower = Follower(problem, room, gives_in=gives_in)
        end = follower.run(problem, until)
        kept = int(follower.found[4]) + 1
        if kept < room or room > follower.most:
            break
        room *= 4
    path, found = SharingPath(*(array[:kept].copy() for array in follower.path)), follower.found
    motion = follower.work.step.copy() if end == kernels.COLLAPSED else None
    if end == kernels.LOST:  # no rates were found: the object may collapse by another motion than those tried
        motion = driven_mechanism(problem, path, near_border(problem, path))
        end = kernels.LOST if motion is None else kernels.COLLAPSED
    status = _ENDS[end]
    if end == kernels.LOST and not (problem.rule == kernels.SLIP).any():
        status = SharingStatus.UNDECIDED
    if status in (SharingStatus.COLLAPSES, SharingStatus.UNSTABLE) and found[5] < kernels.LOAD:
        status = SharingStatus.FAILS_AT_BASE
    peak = np.inf if end == kernels.ENDLESS else float(found[1])
    return Followed(path, status, float(found[0]), peak, motion)


def _check_mechanism(result: LoadSharing) -> None:
    """Refuse an assembly that can move without stretching a spring while every contact still holds."""
    problem, path, motion = result.problem, result.path, result.mechanism
    assert motion is not None
    slipping = np.isin(path.joint_mode, (kernels.AT_UPPER, kernels.AT_LOWER)).any()
    if slipping or (path.mode != kernels.HELD).any() or (path.flow != kernels.NO_FACET).any():
        return
    n, r = problem.maps.shape[2], len(problem.lower)
    given = problem.lower == problem.upper
    resists = np.where(given, problem.spring, problem.spring + problem.servo)
    rigid = np.isinf(resists)
    joints = np.zeros((r, n))
    joints[:, n - r :] = np.diag(np.sqrt(np.where(rigid, 0.0, resists)))
    moves = np.concatenate([np.ones(n - r, dtype=bool), ~rigid])
    springs = np.concatenate([(_roots(problem.stiffness) @ problem.maps).reshape(-1, n), joints])[:, moves]
    _, values, rows = np.linalg.svd(springs)
    stretch = np.concatenate([values, np.zeros(len(rows) - len(values))])
    unresisted = rows[stretch <= np.sqrt(FREE_MOTION) * max(stretch.max(), np.finfo(float).tiny)]
    if not len(unresisted):
        return
    free = np.zeros((len(unresisted), n))
    free[:, moves] = unresisted
    stage, drives = path.stage[-1], np.zeros(n)
    drives[n - r :] = np.clip(0.0, problem.lower, problem.upper)
    applied = problem.base + drives if stage == kernels.BASE else problem.load
    driver = "the joints' torques drive" if stage == kernels.BASE and not problem.base.any() else "the load drives"
    raise GeometryError(
        f"is a mechanism: {describe_motion(result, free.T @ (free @ applied))} stretches no spring, and {driver} it",
        where="assembly",
        fix="give the contacts stiffness in that direction, add a contact, or choose a load that does not drive it",
    )


def _roots(stiffness: Array) -> Array:
    """(k, 3, 3) square roots of positive semidefinite matrices."""
    values, vectors = np.linalg.eigh(stiffness)
    return np.sqrt(np.maximum(values, 0.0))[:, :, None] * vectors.transpose(0, 2, 1)


def describe_motion(result: LoadSharing, x: Array) -> str:
    """A motion in scaled coordinates as text: a shift, a turn about a line, or a screw motion."""
    shift, turn = x[:3], x[3:6] / result.assembly.length
    largest, joints = float(np.abs(x[:6]).max()), result.assembly.joints

    def text(vector: Array) -> str:
        rounded = np.round(vector / np.linalg.norm(vector), 3) + 0.0
        return "(" + ", ".join(f"{value:g}" for value in rounded) + ")"

    moving = np.nonzero(np.abs(x[6:]) > 1e-6 * np.abs(x).max())[0]
    names = [joints.names[j] if joints.names else str(j) for j in moving] if joints is not None else []
    called = f"joint{'s' * (len(names) > 1)} {', '.join(names)}"
    if largest <= 1e-9 * float(np.abs(x).max()):
        return f"a motion of {called}"
    if names:
        return f"{describe_motion(result, x[:6])} together with {called}"
    if np.linalg.norm(x[3:6]) <= 1e-6 * largest:
        return f"a shift along {text(shift)}"
    axis = turn / np.linalg.norm(turn)
    through = result.point + np.cross(turn, shift) / (turn @ turn)
    pitch = float(shift @ axis) / float(np.linalg.norm(turn))
    place = ", ".join(f"{value:.4g}" for value in np.round(through, 6) + 0.0)
    words = f"a turn about the line through ({place}) m along {text(turn)}"
    return words if abs(pitch) <= 1e-6 * result.assembly.length else f"{words} with a shift along it"


# -- events -----------------------------------------------------------------------------------------

_FLOWS = {"slip": "slips", "ductile": "yields", "brittle": "fails"}


def _events(result: LoadSharing) -> list[SharingEvent]:
    """Changes from one segment to the next."""
    path, found = result.path, []
    names = [contact.name or str(index) for index, contact in enumerate(result.assembly.contacts)]
    joints = result.assembly.joints
    joint_names = [] if joints is None else list(joints.names) or [str(row) for row in range(len(joints))]
    k = len(names)
    mode = np.full(k, kernels.HELD)
    flows = np.zeros(k, dtype=bool)
    locked = np.ones(len(joint_names), dtype=bool)
    last = len(path.stage) - 1
    # At the end of a path without collapse there is no rate, so there is no new flow.
    collapsed = result.mechanism is not None
    lets_go = result.status in (SharingStatus.UNSTABLE, SharingStatus.FAILS_AT_BASE)
    unstable = lets_go and not collapsed
    for at in range(len(path.stage)):
        if at == last and not (collapsed or unstable):
            break
        stage, share = result.stage_name(int(path.stage[at])), float(path.share[at])
        factor = share if stage == "load" else 0.0
        lost = bool((mode == kernels.FAILED).any()) and at > 0 and bool(path.released[at - 1])

        def add(kind: str, contact: int | None, joint: int | None = None) -> None:
            name = joint_names[joint] if joint is not None else names[contact or 0]
            found.append(SharingEvent(stage, factor, share, kind, contact, joint, name, lost))  # noqa: B023

        for i in range(k):
            now, flowing = int(path.mode[at, i]), bool(path.flow[at, i, 0] != kernels.NO_FACET)
            if at == last:  # there are no more rates: nothing sticks, and contacts on their border fail
                flowing = flows[i] or (_is_on_border(result, i) if unstable else flowing)
            if now != mode[i]:
                if now == kernels.FAILED:
                    add("fails", i)
                elif now == kernels.OPEN:
                    add(_parting(result, at, i), i)
                else:
                    add("closes", i)
            if now == kernels.HELD and flowing != flows[i]:
                rule = result.rules[i]
                add(_FLOWS[rule] if flowing else "sticks", i)
            mode[i], flows[i] = now, flowing and now == kernels.HELD
        for j in range(len(joint_names)):
            state = path.joint_mode[at, j]
            holds = state in (kernels.LOCKED, kernels.DRIVEN)
            if holds != locked[j]:
                add("joint holds" if holds else "joint slips", None, j)
            locked[j] = holds
    return found


def _is_on_border(result: LoadSharing, i: int) -> bool:
    """Whether a contact's last force lies on the border of its volume."""
    force = result.path.force[-1, i]
    near = 10.0 * kernels.ON_FACET * (float(np.abs(result.path.force[-1]).max()) + float(result.problem.size[i]))
    return float(result.assembly.contacts[i].volume.signed_distance(force)) >= -near


def _parting(result: LoadSharing, at: int, i: int) -> str:
    """Whether a contact opens or disengages: its surface leaves the object, or does not."""
    later = min(at + 1, len(result.path.stage) - 1)
    return "opens" if result.path.gap[later, i] >= result.path.gap[at, i] else "disengages"


def use_kernels() -> None:
    """Call the kernels of load sharing, with contacts that fail, slip and yield."""
    from ..files.reader import load

    scene = load("@microspine_pull")
    load_sharing(scene.assembly, scene.gravity_load(), (1000.0, 500.0))
