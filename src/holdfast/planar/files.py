"""Planar scene files: a body in contact, a chain of links, or a climb; schema, scenes, reader. All units are SI.

Every fault of a file names its line, its field and what would be right.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import AfterValidator, Field, model_validator

from .. import checks
from ..checks import Array
from ..errors import InputError, SceneError, UnknownNameError
from ..files.reader import FileFormat, json_schema, kind_of
from ..files.schema import Bound, Length, NotNegative, Number, Part, Positive, by_type, complaint
from ..files.yaml_source import Site, YamlSource
from ..geometry.polytopes import Polytope
from ..public_names import with_advice
from .bodies import Body, Contact, PlanarOutline, gap_to, touching_contacts
from .chains import SAME_STATE, Chain, LinkContact, NodeContact, RestToRest, contact_of, first_links
from .channels import Channel
from .climbing import SnakeClimb, check_request, climb
from .disturbances import free_part_disturbance, free_part_forces
from .motion_sets import MotionSet, system_motions
from .posture_boxes import PostureRobustness, torque_sets_over_postures
from .problems import GRAVITY, Problem
from .system import System
from .torque_space import DisturbanceSet, Task, standstill
from .torques import TorqueSet, torque_sets

# The unions below are built at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false


#: Most contacts, obstacles, links or corners of a polygon; more are a mistake.
MOST_PARTS = 1000


def _several(kind: Any) -> Any:
    """A list of 1 to `MOST_PARTS` of a kind."""
    return Annotated[list[kind], Field(min_length=1, max_length=MOST_PARTS)]


Pair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]
Numbers = _several(Number)
Corners = Annotated[list[Pair], Field(min_length=3, max_length=MOST_PARTS)]
Polyline = Annotated[list[Pair], Field(min_length=2, max_length=MOST_PARTS)]


def _rising(values: list[float]) -> list[float]:
    if values[0] > values[1]:
        raise complaint(f"is {values[0]:g} to {values[1]:g}", "give the least first, then the largest")
    return values


Interval = Annotated[list[NotNegative], Field(min_length=2, max_length=2), AfterValidator(_rising)]

_NUMBER = ((int, float), Number)
_FIX = "give one number for all, or a list with one number per entry"
Gravity = by_type(_NUMBER, (list, Pair), fix="give a number, along -y, or two: [0, -9.81]")
OneOrEach = by_type(_NUMBER, (list, Numbers), fix=_FIX)
NotNegativeOrEach = by_type(((int, float), NotNegative), (list, _several(NotNegative)), fix=_FIX)
BoundOrEach = by_type(((int, float), Bound), (list, _several(Bound)), fix=_FIX)
MaybeNumbers = _several(Number | None)


# -- a body in contact ------------------------------------------------------------------------------


class PlanarBodyPart(Part):
    """The body: mass and radius of gyration, or the outline of a uniform plate with its mass or density."""

    mass: Positive | None = Field(None, description="[kg]")
    density: Positive | None = Field(None, description="of the plate inside the outline [kg/m^2], instead of mass")
    radius_of_gyration: Length | None = Field(
        None, description="[m]; the moment of inertia is mass times its square; by default that of the outline"
    )
    centre: Pair | None = Field(
        None, description="centre of mass [m]; by default that of the outline, or the origin without an outline"
    )
    outline: Corners | None = Field(None, description="corners of the body at its position, in order [m]")

    @model_validator(mode="after")
    def _one_mass(self) -> PlanarBodyPart:
        if (self.mass is None) == (self.density is None):
            what = "has no mass" if self.mass is None else "has a mass and a density"
            raise complaint(what, "give mass [kg], or density [kg/m^2] with an outline")
        if self.density is not None and self.outline is None:
            raise complaint("is given without an outline", "give outline, or mass instead of density", "density")
        if self.outline is None and self.radius_of_gyration is None:
            raise complaint("has no inertia", "give radius_of_gyration [m], or an outline")
        return self


class BodyContactPart(Part):
    """A point at which the body touches a fixed obstacle."""

    name: str = Field("", max_length=100, description="name used in reports")
    point: Pair | None = Field(None, description="position [m]; or give r")
    r: Pair | None = Field(None, description="vector from the contact to the centre of mass [m], instead of point")
    normal: Pair = Field(description="out of the obstacle, towards the body, of any length")
    mu: NotNegative | None = Field(None, description="friction coefficient; that of the scene by default")
    kind: Literal["vertex", "edge"] = Field(
        "vertex",
        description="vertex of the body on a flat obstacle (type B), or edge of the body on a corner (type A)",
    )
    second_variation: Number | None = Field(None, description="overrides the curvature term Delta h [m/s^2]")

    @model_validator(mode="after")
    def _one_place(self) -> BodyContactPart:
        if (self.point is None) == (self.r is None):
            what = "has no position" if self.point is None else "has two positions"
            raise complaint(what, "give point, or r from the contact to the centre of mass")
        return self


class GroundPart(Part):
    """A straight obstacle: a rectangle below a face through a point."""

    point: Pair = Field([0.0, 0.0], description="a point of its face, halfway along it [m]")
    normal: Pair = Field([0.0, 1.0], description="out of the ground, of any length")
    extent: Length = Field(description="distance to its ends on either side of the point [m]")
    depth: Length | None = Field(None, description="thickness [m]; by default equal to extent")


class ObstaclePart(Part):
    """A fixed obstacle: a polygon or straight ground."""

    outline: Corners | None = Field(None, description="corners in order [m]")
    ground: GroundPart | None = Field(None, description="instead of an outline")
    mu: NotNegative | None = Field(None, description="friction coefficient; that of the scene by default")

    @model_validator(mode="after")
    def _one_shape(self) -> ObstaclePart:
        if (self.outline is None) == (self.ground is None):
            what = "has no shape" if self.outline is None else "has two shapes"
            raise complaint(what, "give outline or ground")
        return self


class PlanarLoadPart(Part):
    """A load on the body in addition to its weight and the contacts."""

    force: Pair = Field([0.0, 0.0], description="[N]")
    torque: Number = Field(0.0, description="couple, in addition to the torque of the force [N m]")
    at: Pair | None = Field(None, description="point where the force acts [m]; by default the centre of mass")


class _Headed(Part):
    """What all planar files begin with."""

    holdfast: Literal[1] = Field(description="version of the scene format")
    name: str = Field("", max_length=200, description="name used in reports")
    description: str = Field("", max_length=10_000, description="description of the scene")


class BodyDocument(_Headed):
    """A rigid body that touches obstacles: for `holdfast motions`."""

    planar: Literal["body"] = Field(description="what the file is about")
    body: PlanarBodyPart = Field(description="what moves")
    contacts: list[BodyContactPart] = Field(
        [], max_length=MOST_PARTS, description="contacts; found from outline and obstacles if left out"
    )
    obstacles: list[ObstaclePart] = Field(
        [], max_length=MOST_PARTS, description="fixed obstacles; only for pictures if contacts are given"
    )
    mu: NotNegative | None = Field(None, description="friction coefficient where none is given")
    gravity: Gravity = Field(GRAVITY, description="along -y, or a vector [m/s^2]")
    load: PlanarLoadPart = Field(PlanarLoadPart(), description="load in addition to the weight")
    velocity: Triple = Field([0.0, 0.0, 0.0], description="vx, vy of the centre of mass [m/s] and omega [rad/s]")

    @model_validator(mode="after")
    def _found_or_given(self) -> BodyDocument:
        if self.obstacles and not self.contacts and self.body.outline is None:
            raise complaint("has no outline, so that contacts cannot be found", "give its outline, or contacts", "body")
        return self


# -- chains ---------------------------------------------------------------------------------------


class ChainPart(Part):
    """Rigid links joined at nodes; link i runs from node parents[i] to node i + 1."""

    links: Annotated[list[Length], Field(min_length=1, max_length=MOST_PARTS, description="lengths [m]")]
    masses: OneOrEach = Field(description="point masses at the nodes [kg], one for all or links + 1 of them")
    gravity: Gravity = Field(GRAVITY, description="along -y, or a vector [m/s^2]")
    link_masses: OneOrEach | None = Field(None, description="masses of the links themselves [kg]; zero by default")
    inertias: OneOrEach | None = Field(
        None, description="moments of inertia of the links about their centres [kg m^2]; by default of uniform rods"
    )
    parents: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, description="node at which each link begins; by default the end of the previous link"
    )
    base: Literal["free", "pinned", "welded"] = Field("free", description="how node 0 and link 0 are fixed")
    passive: list[Annotated[int, Field(ge=0)]] = Field([], description="links whose joint has no motor")


class ChainContactPart(Part):
    """A node on a flat wall, or a corner of the surroundings on a link."""

    name: str = Field("", max_length=100, description="name used in reports")
    node: Annotated[int, Field(ge=0)] | None = Field(None, description="the node that touches; or give link")
    normal: Pair | None = Field(None, description="out of the wall, of any length; with node")
    link: Annotated[int, Field(ge=0)] | None = Field(None, description="link touched by a corner, instead of node")
    along: Annotated[float, Field(ge=0.0, le=1.0)] = Field(0.5, description="place, as a share of its length")
    side: Literal[1, -1] = Field(1, description="1: the corner lies to the right of the link; -1: to the left")
    mu: NotNegative | None = Field(None, description="friction coefficient; that of the scene by default")

    @model_validator(mode="after")
    def _node_or_link(self) -> ChainContactPart:
        if (self.node is None) == (self.link is None):
            what = "has neither a node nor a link" if self.node is None else "has a node and a link"
            raise complaint(what, "give node with normal, or link with along and side")
        if self.node is not None and self.normal is None:
            raise complaint("has no normal", "give normal: out of the wall")
        if self.link is not None and self.normal is not None:
            raise complaint("is given for a link, which has its own", "leave it out; give side: 1 or -1", "normal")
        return self


Row = by_type(
    (list, _several(Number | Numbers)),
    fix="give a list of numbers, or of lists of numbers",
)


class TaskPart(Part):
    """a . accelerations + f . forces + tau . torques = c, or >= c."""

    a: Row | None = Field(None, description="coefficients of the accelerations, one per coordinate")
    f: Row | None = Field(None, description="coefficients of the contact forces, in the order ft1, fn1, ft2, fn2, ...")
    tau: Row | None = Field(None, description="coefficients of the torques")
    c: OneOrEach = Field(0.0, description="the right-hand side")
    kind: Literal["=", ">="] = Field("=", description="equality or lower bound")


TaskChoice = by_type((str, Literal["standstill"]), (dict, TaskPart), fix="give standstill, or a, f or tau with c")


class MovePart(Part):
    """A move of the free part from rest to rest."""

    to: Numbers = Field(description="the final posture, as many numbers as q")
    duration: Positive = Field(1.0, description="[s]")


class DisturbancePart(Part):
    """Generalised forces that may act on the coordinates: a box, corners, or those caused by moves of the free part."""

    lower: MaybeNumbers | None = Field(None, description="least force on each coordinate; null for none")
    upper: MaybeNumbers | None = Field(None, description="largest force on each coordinate")
    vertices: _several(Numbers) | None = Field(
        None, description="corners of a polytope of forces, instead of lower and upper"
    )
    moves: Annotated[list[MovePart], Field(min_length=1, max_length=100)] | None = Field(
        None, description="moves of the links beyond brace_links, one after another, instead of lower and upper"
    )

    @model_validator(mode="after")
    def _one_form(self) -> DisturbancePart:
        if (self.lower is None) != (self.upper is None):
            raise complaint("has only one bound", "give lower and upper")
        forms = [form for form in (self.lower, self.vertices, self.moves) if form is not None]
        if len(forms) != 1:
            what = "is empty" if not forms else "is given in two forms"
            raise complaint(what, "give lower and upper, or vertices, or moves")
        return self


class TorqueLimitsPart(Part):
    """Limits of the motors' torques."""

    lower: BoundOrEach = Field(description="[N m], one for all motors or one per motor; -.inf for none")
    upper: BoundOrEach = Field(description="[N m], one for all motors or one per motor; .inf for none")


class ChainDocument(_Headed):
    """A chain of links that touches walls: for `holdfast torques` and `holdfast motions`."""

    planar: Literal["chain"] = Field(description="what the file is about")
    chain: ChainPart = Field(description="the links")
    q: Numbers = Field(description="x, y of node 0 [m], angle of link 0, then of each link relative to its parent")
    qd: Numbers | None = Field(None, description="velocity [m/s, angle/s]; rest by default")
    angle_unit: Literal["rad", "deg"] = Field("rad", description="unit of the angles of q, qd, q_error and moves")
    contacts: list[ChainContactPart] = Field(min_length=1, max_length=MOST_PARTS, description="contacts")
    mu: NotNegative | None = Field(None, description="friction coefficient where none is given")
    mode: str | None = Field(None, description="wanted mode: one letter of S, F, R, L per contact; all F by default")
    tasks: list[TaskChoice] = Field([], max_length=MOST_PARTS, description="required in addition to the mode")
    brace_links: Annotated[int, Field(ge=1)] | None = Field(
        None, description="number of links of the brace; the others are the free part, which disturbs it"
    )
    disturbance: DisturbancePart | None = Field(None, description="other forces that may act")
    limits: TorqueLimitsPart | None = Field(None, description="of the torques")
    friction: Interval | None = Field(None, description="least and largest friction coefficient, for all contacts")
    q_error: NotNegativeOrEach | None = Field(
        None, description="largest error of the posture in both directions; one number for all, or one per coordinate"
    )
    torque: Numbers | None = Field(
        None, description="the motors' torques for `holdfast motions` [N m]; zero by default"
    )
    walls: list[Polyline] = Field([], max_length=MOST_PARTS, description="lines to draw [m]")

    @model_validator(mode="after")
    def _brace_of_moves(self) -> ChainDocument:
        if self.disturbance is not None and self.disturbance.moves is not None and self.brace_links is None:
            raise complaint("has moves of a free part", "give brace_links: how many links brace", "disturbance")
        return self


# -- climbs ---------------------------------------------------------------------------------------


class ChannelPart(Part):
    """The space between two walls."""

    left: Polyline = Field(description="points of the left wall, from bottom to top [m]")
    right: Polyline = Field(description="points of the right wall, from bottom to top [m]")


Count = Annotated[int, Field(ge=1, le=100_000)]
BraceCount = Annotated[int, Field(ge=2, le=MOST_PARTS)]


class ClimbDocument(_Headed):
    """A snake that climbs between walls by bracing: for `holdfast climb`."""

    planar: Literal["climb"] = Field(description="what the file is about")
    chain: ChainPart = Field(description="the snake")
    channel: ChannelPart = Field(description="the walls")
    goal: Number = Field(description="wanted height of the lowest contact [m]")
    mu: NotNegative = Field(description="friction coefficient of the walls")
    friction: Interval | None = Field(
        None, description="least and largest friction coefficient under which braces must hold; includes mu"
    )
    brace_links: by_type(
        (int, BraceCount), (list, Annotated[list[BraceCount], Field(min_length=1)]), fix="give 2, or [2, 3]"
    ) = Field(2, description="numbers of links that may brace at an end, in the order they are tried")
    limits: TorqueLimitsPart | None = Field(None, description="limits of the joint torques")
    margin: NotNegative | None = Field(
        None,
        description="least distance of a brace's torque from other motions [N m]; from weight and length by default",
    )
    duration: Positive = Field(1.0, description="duration of each move [s]")
    start: Number | None = Field(None, description="height of the lowest node at the start [m]; default: walls' bottom")
    side: Literal["left", "right"] = Field("right", description="the wall that the lowest node touches at the start")
    branches: Count = Field(3, description="continuations tried from a stance")
    tries: Count = Field(120, description="total number of steps tried")


#: The documents by the value of their field `planar`.
DOCUMENTS: dict[str, type[BodyDocument] | type[ChainDocument] | type[ClimbDocument]] = {
    "body": BodyDocument,
    "chain": ChainDocument,
    "climb": ClimbDocument,
}


def planar_schema() -> dict[str, Any]:
    """The JSON Schema of planar scene files, for editors and other programs."""
    either = Annotated[BodyDocument | ChainDocument | ClimbDocument, Field(discriminator="planar")]
    return json_schema(either, "Holdfast planar scene")


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanarBodyScene(Problem):
    """A rigid body that touches obstacles: a `Problem` whose force contains the weight.

    Without an outline in the file, pictures show the hull of the contacts and of a square around the centre of mass
    with the radius of gyration.

    Attributes:
        names: of the contacts.
        load: (3,) the load in addition to the weight: (Fx, Fy, couple) [N, N m], the force at `load_point`.
        load_point: (2,) where it acts [m].
        description, path: a description, and the file it was read from.
    """

    kind: ClassVar[Literal["body"]] = "body"
    names: tuple[str, ...]
    load: Array
    load_point: Array
    description: str = ""
    path: Path | None = None

    @property
    def gap(self) -> float | None:
        """Distance of the outline from the nearest obstacle [m]; None where the body has contacts."""
        return None if self.contacts or not self.obstacles else gap_to(self.outline, self.obstacles)

    @property
    def weight(self) -> Array:
        """(2,) the force at the centre of mass without the load [N]."""
        return self.force[:2] - self.load[:2]

    def loaded(self, load: ArrayLike, point: ArrayLike) -> PlanarBodyScene:
        """The same with another load (Fx, Fy, couple) [N, N m] in addition to the weight, at `point` (2,) [m]."""
        acting, at = checks.vector("load", load, 3), checks.vector("load point", point, 2)
        return replace(self, force=_total(self.weight, acting, at - self.centre), load=acting, load_point=at)


def _total(weight: Array, load: Array, lever: Array) -> Array:
    """(3,) weight and load together, torque about the centre of mass; `lever` (2,) from there to the load's point."""
    torque = load[2] + lever[0] * load[1] - lever[1] * load[0]
    return np.array([*(weight + load[:2]), torque])


def hull_outline(body: Body, centre: Array, points: Array) -> PlanarOutline:
    """An outline to draw for a body without one."""
    near = centre + body.radius_of_gyration * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    corners = Polytope(np.vstack([near, points])).extreme
    around = corners - corners.mean(axis=0)
    return PlanarOutline(corners[np.argsort(np.arctan2(around[:, 1], around[:, 0]))])


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanarChainScene:
    """A chain of links that touches walls, with the wanted mode and tasks.

    Attributes:
        chain: all links.
        q, qd: posture and velocity of all links [m, rad].
        contacts: its contacts, named by `names`.
        mode, tasks, limits, friction: as in `hf.planar.torque_sets`.
        brace_links: number of links of the brace, to which questions are restricted, or None for all.
        disturbance: box or polytope of forces on the coordinates of these links, or None.
        moves: of the links beyond the brace, which disturb it.
        q_error: (n,) largest error of the posture in both directions, or None.
        torque: (t,) for motions under given torques [N m], or None.
        walls: polylines (m, 2) to draw [m].
        name, description, path: its name, a description, and the file it was read from.
    """

    kind: ClassVar[Literal["chain"]] = "chain"
    chain: Chain
    q: Array
    qd: Array | None
    contacts: tuple[NodeContact | LinkContact, ...]
    names: tuple[str, ...]
    mode: str
    tasks: tuple[Task, ...] = ()
    brace_links: int | None = None
    disturbance: DisturbanceSet | None = None
    moves: tuple[RestToRest, ...] = ()
    limits: tuple[Any, Any] | None = None
    friction: tuple[float, float] | None = None
    q_error: Array | None = None
    torque: Array | None = None
    walls: tuple[Array, ...] = ()
    name: str = ""
    description: str = ""
    path: Path | None = field(default=None)

    @property
    def asked(self) -> tuple[Chain, Array, Array | None]:
        """(chain, q, qd) of the brace, or of all links."""
        if self.brace_links is None:
            return self.chain, self.q, self.qd
        size = self.brace_links + 2
        return first_links(self.chain, self.brace_links), self.q[:size], None if self.qd is None else self.qd[:size]

    def system(self) -> System:
        """The equations of motion of the brace, or of all links."""
        chain, q, qd = self.asked
        return chain.system(q, qd, self.contacts)

    def whole(self) -> System:
        """The equations of motion of all links."""
        return self.chain.system(self.q, self.qd, self.contacts)

    def motions(self, torque: ArrayLike | None = None) -> MotionSet:
        """All motions of all links under the motors' torques (t,) [N m], those of the file by default; undisturbed."""
        return system_motions(self.whole(), self.torque if torque is None else torque)

    def disturbances(self) -> DisturbanceSet | None:
        """The disturbances of the links of `asked`: the set given, or the certified box of the free part's moves.

        A free part without moves is at rest, and loads the brace with its weight.
        """
        if self.brace_links is None or self.disturbance is not None:
            return self.disturbance
        if not self.moves:
            still = np.zeros_like(self.q)
            force = free_part_forces(self.chain, self.brace_links, self.q, still, still)[0]
            return DisturbanceSet.box(force, force)
        return free_part_disturbance(self.chain, self.brace_links, self.moves, samples=MOVE_SAMPLES).set

    def torque_sets(self) -> TorqueSet:
        """Torques that allow the wanted motion, and those that allow only it; with `q_error` the proven ones."""
        if self.q_error is not None:
            return self.over_postures().inner
        return torque_sets(
            self.system(), self.mode, self.tasks, self.disturbances(), self.limits, friction=self.friction
        )

    def over_postures(self) -> PostureRobustness:
        """`torque_sets` for every posture within `q_error`, as a bracket."""
        chain, q, qd = self.asked
        if self.q_error is None:
            raise InputError("is not given", where="q_error", fix="give the largest error of the posture")
        if qd is not None and qd.any():
            raise InputError("is not zero", where="qd", fix="leave out qd or q_error: errors need a scene at rest")
        return torque_sets_over_postures(
            chain,
            q,
            self.q_error[: len(q)],
            self.contacts,
            self.mode,
            self.tasks,
            disturbance=self.disturbances(),
            limits=self.limits,
            friction=self.friction,
        )

    def with_mu(self, mu: float) -> PlanarChainScene:
        """The scene with this friction coefficient at all contacts, instead of theirs and of a `friction` interval."""
        return replace(self, contacts=tuple(replace(c, mu=mu) for c in self.contacts), friction=None)


#: Instants of each move from which the certified box of disturbances is made.
MOVE_SAMPLES = 401


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanarClimbScene:
    """A snake and the channel that it climbs.

    Attributes:
        chain, channel, goal: the snake, its walls and the wanted height [m].
        options: the other arguments of `hf.planar.climb`.
        name, description, path: its name, a description, and the file it was read from.
    """

    kind: ClassVar[Literal["climb"]] = "climb"
    chain: Chain
    channel: Channel
    goal: float
    options: dict[str, Any]
    name: str = ""
    description: str = ""
    path: Path | None = None

    def with_mu(self, mu: float) -> PlanarClimbScene:
        """The scene with this friction coefficient of the walls, instead of its own and of a `friction` interval."""
        return replace(self, options={**self.options, "mu": mu, "friction": None})

    def climb(self) -> SnakeClimb:
        """The climb, as far as it goes."""
        return climb(self.chain, self.channel, self.goal, **self.options)


PlanarScene = PlanarBodyScene | PlanarChainScene | PlanarClimbScene


def in_radians(values: ArrayLike, unit: str) -> Array:
    """Postures or velocities (..., 2 + n) whose angles, all but x and y, are in `unit`: "rad" or "deg"."""
    result = np.array(values, dtype=float)
    if unit == "deg":
        result[..., 2:] = np.deg2rad(result[..., 2:])
    return result


#: Advice for a contact without a friction coefficient.
_MU_FIX = "give mu here, or one mu for the whole scene"


def build_planar(document: BodyDocument | ChainDocument | ClimbDocument, site: Site) -> PlanarScene:
    """The scene that `document` describes; every fault raises a SceneError of the file of `site`."""
    with site.watch():
        if isinstance(document, BodyDocument):
            return _body_scene(document, site)
        return _chain_scene(document, site) if isinstance(document, ChainDocument) else _climb_scene(document, site)


def _head(document: Any, site: Site) -> dict[str, Any]:
    path = site.source.path
    return {"name": document.name or path.stem, "description": document.description, "path": path}


def _mu(given: float | None, common: float | None, site: Site) -> float:
    if given is not None:
        return given
    if common is None:
        raise site.fault("has no friction coefficient", fix=_MU_FIX)
    return common


# -- bodies -----------------------------------------------------------------------------------------


def _body_scene(document: BodyDocument, site: Site) -> PlanarBodyScene:
    part, here = document.body, site / "body"
    outline = None
    if part.outline is not None:
        with (here / "outline").watch():
            outline = PlanarOutline(part.outline)
    with here.watch():
        mass = part.mass
        if mass is None:
            assert part.density is not None and outline is not None  # the schema asked for both
            mass = part.density * outline.area
        rho = part.radius_of_gyration
        if rho is None:
            assert outline is not None
            rho = outline.radius_of_gyration
        body = Body(mass, rho)
    centre = part.centre if part.centre is not None else (outline.centroid if outline is not None else (0.0, 0.0))
    centre = np.asarray(centre, dtype=float)
    obstacles = _obstacles(document, site)
    if document.contacts or not document.obstacles:
        contacts, points = _given(document, centre, site)
    else:
        assert outline is not None  # the schema asked for it
        contacts, points = _found(document, outline, obstacles, centre, site)
    names = tuple(part.name for part in document.contacts) or ("",) * len(contacts)
    gravity = document.gravity if isinstance(document.gravity, list) else [0.0, -document.gravity]
    load = np.array([*document.load.force, document.load.torque], dtype=float)
    at = centre if document.load.at is None else np.asarray(document.load.at, dtype=float)
    return PlanarBodyScene(
        body=body,
        contacts=contacts,
        force=_total(mass * np.asarray(gravity, dtype=float), load, at - centre),
        load=load,
        load_point=at,
        velocity=np.array(document.velocity, dtype=float),
        centre=centre,
        points=points,
        names=tuple(name or str(i + 1) for i, name in enumerate(names)),
        outline=hull_outline(body, centre, points) if outline is None else outline,
        obstacles=obstacles,
        **_head(document, site),
    )


def _given(document: BodyDocument, centre: Array, site: Site) -> tuple[tuple[Contact, ...], Array]:
    """The contacts of a list, and where they are."""
    contacts: list[Contact] = []
    for i, part in enumerate(document.contacts):
        with (here := site / "contacts" / i).watch():
            r = np.asarray(part.r, dtype=float) if part.point is None else centre - np.asarray(part.point)
            mu = _mu(part.mu, document.mu, here)
            contacts.append(Contact(part.normal, r, mu, part.kind, part.second_variation))
    return tuple(contacts), np.array([centre - contact.r for contact in contacts]).reshape(-1, 2)


def _found(
    document: BodyDocument, outline: PlanarOutline, obstacles: tuple[PlanarOutline, ...], centre: Array, site: Site
) -> tuple[tuple[Contact, ...], Array]:
    """The contacts of the body's outline with the obstacles, and where they are."""
    frictions = [_mu(part.mu, document.mu, site / "obstacles" / i) for i, part in enumerate(document.obstacles)]
    with (site / "obstacles").watch():
        found = touching_contacts(outline, obstacles, frictions, centre=centre, must_touch=False)
    return tuple(found.contacts), np.asarray(found.points)


def _obstacles(document: BodyDocument, site: Site) -> tuple[PlanarOutline, ...]:
    obstacles: list[PlanarOutline] = []
    for i, part in enumerate(document.obstacles):
        here = site / "obstacles" / i
        if part.ground is not None:
            with (here / "ground").watch():
                obstacles.append(
                    PlanarOutline.ground(part.ground.point, part.ground.normal, part.ground.extent, part.ground.depth)
                )
        else:
            with (here / "outline").watch():
                assert part.outline is not None  # the schema asked for one of them
                obstacles.append(PlanarOutline(part.outline))
    return tuple(obstacles)


# -- chains -----------------------------------------------------------------------------------------


def _chain(part: ChainPart, site: Site) -> Chain:
    with (site / "chain").watch():
        return Chain(
            part.links,
            part.masses,
            part.gravity,
            link_masses=part.link_masses,
            inertias=part.inertias,
            parents=part.parents,
            base=part.base,
            passive=part.passive,
        )


def _check_order(part: TorqueLimitsPart | None, site: Site) -> None:
    if part is not None and (np.asarray(part.lower) > np.asarray(part.upper)).any():
        raise site.fault("has a lower limit above the upper one", fix="swap them")


def _chain_scene(document: ChainDocument, site: Site) -> PlanarChainScene:
    chain = _chain(document.chain, site)
    unit, size = document.angle_unit, chain.coordinate_count
    q = in_radians(checks.vector("q", document.q, size), unit)
    qd = None if document.qd is None else in_radians(checks.vector("qd", document.qd, size), unit)
    error = None
    if document.q_error is not None:
        whole = np.ndim(document.q_error) == 0
        error = in_radians(
            checks.vector("q_error", np.full(size, document.q_error) if whole else document.q_error, size), unit
        )
    brace = document.brace_links
    if brace is not None and brace > len(chain.links):
        raise (site / "brace_links").fault(
            f"is {brace} of {len(chain.links)} links", fix="give fewer links than the chain has"
        )
    if brace is not None and qd is not None and qd.any():
        raise (site / "qd").fault("is given with brace_links", fix="leave qd out: a brace is at rest")
    links = len(chain.links) if brace is None else brace
    contacts, names = [], []
    for i, part in enumerate(document.contacts):
        with (here := site / "contacts" / i).watch():
            contact = _chain_contact(part, _mu(part.mu, document.mu, here))
            contacts.append(contact_of(contact, links))
            names.append(part.name or str(i + 1))
    scene = PlanarChainScene(
        chain=chain,
        q=q,
        qd=qd,
        contacts=tuple(contacts),
        names=tuple(names),
        mode="F" * len(contacts) if document.mode is None else document.mode,
        brace_links=brace,
        moves=_moves(document, q, size, site),
        limits=document.limits and (document.limits.lower, document.limits.upper),
        friction=None if document.friction is None else (document.friction[0], document.friction[1]),
        q_error=error,
        walls=tuple(np.array(wall, dtype=float) for wall in document.walls),
        **_head(document, site),
    )
    return _asked(scene, document, site)


def _asked(scene: PlanarChainScene, document: ChainDocument, site: Site) -> PlanarChainScene:
    """The scene with what depends on the sizes of its system: tasks, disturbance, torque; mode and limits checked."""
    with (site / "chain").watch():  # contacts are checked already; remaining faults are about the links
        system = scene.system()
    n, k, t = system.coordinate_count, system.contact_count, system.torque_count
    with site.watch():
        system.check_mode(scene.mode)
    tasks: list[Task] = []
    for i, part in enumerate(document.tasks):
        with (site / "tasks" / i).watch():
            if isinstance(part, TaskPart):
                here = site / "tasks" / i
                sizes = (("a", n), ("f", 2 * k), ("tau", t))
                a, f, tau = (_row(getattr(part, name), size, here / name) for name, size in sizes)
                task = Task(a, f, tau, part.c, part.kind)
                task.rows(n, 2 * k, t)
                tasks.append(task)
            else:
                tasks += standstill(n)
    with (site / "disturbance").watch():
        disturbance = _disturbance(document.disturbance, n, site / "disturbance")
    with site.watch():
        torque = (
            None if document.torque is None else checks.vector("torque", document.torque, scene.whole().torque_count)
        )
    with (site / "limits").watch():
        for name in ("lower", "upper") if document.limits is not None else ():
            bounds = getattr(document.limits, name)
            if isinstance(bounds, list):
                checks.array(name, bounds, (t,), infinite=True)
        _check_order(document.limits, site / "limits")
    return replace(scene, tasks=tuple(tasks), disturbance=disturbance, torque=torque)


def _row(values: list[Any] | None, size: int, site: Site) -> list[Any] | None:
    """Coefficients of a task: `size` numbers, or rows of so many."""
    if values is None:
        return None
    lengths = {len(value) if isinstance(value, list) else -1 for value in values}
    if len(lengths) > 1:
        raise site.fault("has rows of different lengths", fix="give one list of numbers, or lists of the same length")
    given = len(values) if lengths == {-1} else lengths.pop()
    if given != size:
        raise site.fault(f"has {given} coefficients", fix=f"this system has {size}")
    return values


def _chain_contact(part: ChainContactPart, mu: float) -> NodeContact | LinkContact:
    if part.node is not None:
        assert part.normal is not None
        return NodeContact(part.node, part.normal, mu)
    assert part.link is not None
    return LinkContact(part.link, part.along, part.side, mu)


def _disturbance(part: DisturbancePart | None, size: int, site: Site) -> DisturbanceSet | None:
    if part is None or part.moves is not None:
        return None
    if part.vertices is not None:
        for i, vertex in enumerate(part.vertices):
            if len(vertex) != size:
                raise (site / "vertices" / i).fault(
                    f"has {len(vertex)} numbers", fix=f"give {size}: one for each coordinate"
                )
        return DisturbanceSet.polytope(checks.array("vertices", part.vertices, ("p", size)))
    assert part.lower is not None and part.upper is not None
    bounds = []
    for name, values in (("lower", part.lower), ("upper", part.upper)):
        filled = [np.nan if value is None else value for value in values]
        checks.vector(name, [0.0 if value is None else value for value in values], size)
        bounds.append(filled)
    return DisturbanceSet.box(*bounds)


def _moves(document: ChainDocument, q: Array, size: int, site: Site) -> tuple[RestToRest, ...]:
    """The moves of the free part, each from the end of the previous one; the brace must not move."""
    if document.disturbance is None or document.disturbance.moves is None:
        return ()
    assert document.brace_links is not None
    fixed, found = document.brace_links + 2, []
    for i, part in enumerate(document.disturbance.moves):
        with (here := site / "disturbance" / "moves" / i).watch():
            end = in_radians(checks.vector("to", part.to, size), document.angle_unit)
            if not np.allclose(end[:fixed], q[:fixed], rtol=0.0, atol=SAME_STATE):
                raise (here / "to").fault("moves the brace", fix=f"begin with the first {fixed} numbers of q")
            end[:fixed] = q[:fixed]
            found.append(RestToRest(found[-1].end if found else q, end, part.duration))
    return tuple(found)


# -- climbs -----------------------------------------------------------------------------------------


def _climb_scene(document: ClimbDocument, site: Site) -> PlanarClimbScene:
    chain = _chain(document.chain, site)
    with (site / "channel").watch():
        channel = Channel(document.channel.left, document.channel.right)
    options: dict[str, Any] = {
        name: getattr(document, name)
        for name in ("mu", "brace_links", "margin", "duration", "start", "side", "branches", "tries")
    }
    options["friction"] = None if document.friction is None else tuple(document.friction)
    if document.limits is not None:
        for name in ("lower", "upper"):
            bounds = getattr(document.limits, name)
            if isinstance(bounds, list) and len(bounds) != len(chain.links) - 1:
                fix = f"give one number, or {len(chain.links) - 1}: one for each joint"
                raise (site / "limits" / name).fault(f"has {len(bounds)} numbers", fix=fix)
        _check_order(document.limits, site / "limits")
    options["limits"] = document.limits and (document.limits.lower, document.limits.upper)
    asked = {name: options[name] for name in ("mu", "brace_links", "friction", "start")}
    with site.watch():
        check_request(chain, channel, document.goal, **asked)
    return PlanarClimbScene(chain=chain, channel=channel, goal=document.goal, options=options, **_head(document, site))


def _document(source: YamlSource) -> type[Part]:
    """The document that the word of `planar` names."""
    if "planar" not in source.data:
        fix = f"give planar: one of {', '.join(DOCUMENTS)}; scenes in space are for holdfast check and limit"
        raise source.fault("is missing", ("planar",), fix=fix)
    word = source.data["planar"]
    if not isinstance(word, str) or word not in DOCUMENTS:
        unknown = UnknownNameError("kind of planar scene", str(word), DOCUMENTS)
        raise source.fault(unknown.what, ("planar",), fix=unknown.fix)
    return DOCUMENTS[word]


#: How planar scene files are read; ready ones are called by "@name".
PLANAR_SCENES = FileFormat("planar scene", _document, build_planar, noun="scene")


def planar_names(kind: str | None = None) -> list[str]:
    """Names of the ready planar scenes, in order; only those about a `kind`: "body", "chain", "climb"."""
    texts = {name: PLANAR_SCENES.path(f"@{name}").read_text(encoding="utf-8") for name in PLANAR_SCENES.names()}
    return [name for name, text in texts.items() if kind is None or f"\nplanar: {kind}\n" in text]


@with_advice()
def load_planar(path: str | Path) -> PlanarScene:
    """The planar scene in a file, or a ready one by "@name"; any fault of the file raises SceneError.

    Of several faults the first is raised, with the others as notes.
    """
    return PLANAR_SCENES.load(path)


def planar_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a planar scene file, in the order of the lines; [] when there is none.

    Faults that are found only while the scene is built come one at a time.
    """
    return PLANAR_SCENES.faults(path)


def is_planar(path: str | Path) -> bool:
    """Whether a file, or a ready scene by "@name", is planar; False for unreadable ones."""
    try:
        return kind_of(path).name == "planar scene"
    except SceneError:
        return False


def use_kernels() -> None:
    """Call the kernels of motions of planar contacts, and of torques of planar chains."""
    peg: Any = load_planar("@peg_in_hole")
    snake: Any = load_planar("@six_link_snake")
    brace: Any = load_planar("@two_link_snake")
    peg.motions()
    snake.motions()
    brace.torque_sets()
