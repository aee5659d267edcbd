"""What a planar scene file may say: a body in contact, a chain of links, or a climb. All units are SI."""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from ..files.schema import Bound, Length, NotNegative, Number, Part, Positive, by_type, complaint
from .problems import GRAVITY

#: A scene with more contacts, obstacles, links or corners of a polygon is a mistake.
MOST_PARTS = 1000

Pair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]
Numbers = Annotated[list[Number], Field(min_length=1, max_length=MOST_PARTS)]
Corners = Annotated[list[Pair], Field(min_length=3, max_length=MOST_PARTS)]
Polyline = Annotated[list[Pair], Field(min_length=2, max_length=MOST_PARTS)]


def _rising(values: list[float]) -> list[float]:
    if values[0] > values[1]:
        raise complaint(f"is {values[0]:g} to {values[1]:g}", "give the least first, then the largest")
    return values


Interval = Annotated[list[NotNegative], Field(min_length=2, max_length=2), AfterValidator(_rising)]

_NUMBER = ((int, float), Number)
_FIX = "give one number for all, or a list with one each"
Gravity = by_type(_NUMBER, (list, Pair), fix="give a number, along -y, or two: [0, -9.81]")
OneOrEach = by_type(_NUMBER, (list, Numbers), fix=_FIX)
NotNegativeOrEach = by_type(
    ((int, float), NotNegative),
    (list, Annotated[list[NotNegative], Field(min_length=1, max_length=MOST_PARTS)]),
    fix=_FIX,
)
BoundOrEach = by_type(
    ((int, float), Bound), (list, Annotated[list[Bound], Field(min_length=1, max_length=MOST_PARTS)]), fix=_FIX
)
MaybeNumbers = Annotated[list[Number | None], Field(min_length=1, max_length=MOST_PARTS)]


# -- a body in contact ------------------------------------------------------------------------------


class BodyPart(Part):
    """The body: mass and radius of gyration, or the outline of a uniform plate with its mass or density."""

    mass: Positive | None = Field(None, description="[kg]")
    density: Positive | None = Field(None, description="of the plate inside the outline [kg/m^2], in place of mass")
    radius_of_gyration: Length | None = Field(
        None, description="[m]; the moment of inertia is mass times its square; that of the outline by default"
    )
    centre: Pair | None = Field(
        None, description="centre of mass [m]; that of the outline by default, without outline the origin"
    )
    outline: Corners | None = Field(None, description="corners of the body in place, in order [m]")

    @model_validator(mode="after")
    def _one_mass(self) -> BodyPart:
        if (self.mass is None) == (self.density is None):
            what = "has no mass" if self.mass is None else "has a mass and a density"
            raise complaint(what, "give mass [kg], or density [kg/m^2] with an outline")
        if self.density is not None and self.outline is None:
            raise complaint("is without an outline", "give outline, or mass in place of density", "density")
        if self.outline is None and self.radius_of_gyration is None:
            raise complaint("has no inertia", "give radius_of_gyration [m], or an outline")
        return self


class BodyContactPart(Part):
    """A point at which the body touches an obstacle that stands still."""

    name: str = Field("", max_length=100, description="how reports call it")
    point: Pair | None = Field(None, description="where it is [m]; or r")
    r: Pair | None = Field(None, description="from the contact to the centre of mass [m], in place of point")
    normal: Pair = Field(description="out of the obstacle, towards the body, of any length")
    mu: NotNegative | None = Field(None, description="friction coefficient; that of the scene by default")
    kind: Literal["vertex", "edge"] = Field(
        "vertex",
        description="vertex: of the body, on a flat obstacle (type B); edge: of the body, on a corner (type A)",
    )
    second_variation: Number | None = Field(None, description="overrides the curvature term Delta h [m/s^2]")

    @model_validator(mode="after")
    def _one_place(self) -> BodyContactPart:
        if (self.point is None) == (self.r is None):
            what = "has no place" if self.point is None else "has two places"
            raise complaint(what, "give point, or r from the contact to the centre of mass")
        return self


class GroundPart(Part):
    """A straight obstacle: a rectangle below a face through a point."""

    point: Pair = Field([0.0, 0.0], description="a point of its face, halfway along it [m]")
    normal: Pair = Field([0.0, 1.0], description="out of the ground, of any length")
    extent: Length = Field(description="how far it reaches to either side of the point [m]")
    depth: Length | None = Field(None, description="how thick it is [m]; as its extent by default")


class ObstaclePart(Part):
    """A polygon, or straight ground, that stands still."""

    outline: Corners | None = Field(None, description="corners in order [m]")
    ground: GroundPart | None = Field(None, description="in place of an outline")
    mu: NotNegative | None = Field(None, description="friction coefficient; that of the scene by default")

    @model_validator(mode="after")
    def _one_shape(self) -> ObstaclePart:
        if (self.outline is None) == (self.ground is None):
            what = "has no shape" if self.outline is None else "has two shapes"
            raise complaint(what, "give outline or ground")
        return self


class PlanarLoadPart(Part):
    """What acts on the body beside its weight and the contacts."""

    force: Pair = Field([0.0, 0.0], description="[N]")
    torque: Number = Field(0.0, description="couple, beside that of the force [N m]")
    at: Pair | None = Field(None, description="where the force acts [m]; the centre of mass by default")


class _Headed(Part):
    """What all planar files begin with."""

    holdfast: Literal[1] = Field(description="version of the scene format")
    name: str = Field("", max_length=200, description="how reports call it")
    description: str = Field("", max_length=10_000, description="what it is, in words")


class BodyDocument(_Headed):
    """A rigid body that touches obstacles: for `holdfast motions`."""

    planar: Literal["body"] = Field(description="what the file is about")
    body: BodyPart = Field(description="what moves")
    contacts: list[BodyContactPart] = Field(
        [], max_length=MOST_PARTS, description="where it touches; found from outline and obstacles when left out"
    )
    obstacles: list[ObstaclePart] = Field(
        [], max_length=MOST_PARTS, description="what stands still; with contacts given, for pictures only"
    )
    mu: NotNegative | None = Field(None, description="friction coefficient where none is given")
    gravity: Gravity = Field(GRAVITY, description="along -y, or a vector [m/s^2]")
    load: PlanarLoadPart = Field(PlanarLoadPart(), description="beside the weight")
    velocity: Triple = Field([0.0, 0.0, 0.0], description="vx, vy of the centre of mass [m/s] and omega [rad/s]")

    @model_validator(mode="after")
    def _found_or_given(self) -> BodyDocument:
        if self.obstacles and not self.contacts and self.body.outline is None:
            raise complaint("has no outline to touch the obstacles", "give its outline, or contacts", "body")
        return self


# -- chains ---------------------------------------------------------------------------------------


class ChainPart(Part):
    """Rigid links joined at nodes; link i runs from node parents[i] to node i + 1."""

    links: Annotated[list[Length], Field(min_length=1, max_length=MOST_PARTS, description="lengths [m]")]
    masses: OneOrEach = Field(description="point masses at the nodes [kg], one for all or links + 1 of them")
    gravity: Gravity = Field(GRAVITY, description="along -y, or a vector [m/s^2]")
    link_masses: OneOrEach | None = Field(None, description="of the links themselves [kg]; none by default")
    inertias: OneOrEach | None = Field(
        None, description="of the links about their centres [kg m^2]; those of uniform rods by default"
    )
    parents: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, description="node at which each link begins; one after the other by default"
    )
    base: Literal["free", "pinned", "welded"] = Field("free", description="how node 0 and link 0 are held")
    passive: list[Annotated[int, Field(ge=0)]] = Field([], description="links whose joint has no motor")


class ChainContactPart(Part):
    """A node on a flat wall, or a corner of the surroundings on a link."""

    name: str = Field("", max_length=100, description="how reports call it")
    node: Annotated[int, Field(ge=0)] | None = Field(None, description="the node that touches; or link")
    normal: Pair | None = Field(None, description="out of the wall, of any length; with node")
    link: Annotated[int, Field(ge=0)] | None = Field(None, description="the link that a corner touches, for node")
    along: Annotated[float, Field(ge=0.0, le=1.0)] = Field(0.5, description="where, as a share of the link's length")
    side: Literal[1, -1] = Field(1, description="1: the corner lies to the right of the link; -1: to the left")
    mu: NotNegative | None = Field(None, description="friction coefficient; that of the scene by default")

    @model_validator(mode="after")
    def _node_or_link(self) -> ChainContactPart:
        if (self.node is None) == (self.link is None):
            what = "touches nowhere" if self.node is None else "has a node and a link"
            raise complaint(what, "give node with normal, or link with along and side")
        if self.node is not None and self.normal is None:
            raise complaint("has no normal", "give normal: out of the wall")
        if self.link is not None and self.normal is not None:
            raise complaint("is that of the link itself", "leave it out; give side: 1 or -1", "normal")
        return self


Row = by_type(
    (list, Annotated[list[Number | Numbers], Field(min_length=1, max_length=MOST_PARTS)]),
    fix="give a list of numbers, or of lists of numbers",
)


class TaskPart(Part):
    """a . accelerations + f . forces + tau . torques = c, or >= c."""

    a: Row | None = Field(None, description="coefficients of the accelerations, one each")
    f: Row | None = Field(None, description="of the contact forces, in the order ft1, fn1, ft2, fn2, ...")
    tau: Row | None = Field(None, description="of the torques")
    c: OneOrEach = Field(0.0, description="the right-hand side")
    kind: Literal["=", ">="] = Field("=", description="equality or lower bound")


TaskChoice = by_type((str, Literal["standstill"]), (dict, TaskPart), fix="give standstill, or a, f or tau with c")


class MovePart(Part):
    """A move of the free part from rest to rest."""

    to: Numbers = Field(description="the posture it ends in, as long as q")
    duration: Positive = Field(1.0, description="[s]")


class DisturbancePart(Part):
    """Generalised forces that may act on the coordinates: a box, corners, or what the free part's moves bring about."""

    lower: MaybeNumbers | None = Field(None, description="least force on each coordinate; null where none acts")
    upper: MaybeNumbers | None = Field(None, description="largest force on each coordinate")
    vertices: Annotated[list[Numbers], Field(min_length=1, max_length=MOST_PARTS)] | None = Field(
        None, description="corners of a polytope of forces, in place of lower and upper"
    )
    moves: Annotated[list[MovePart], Field(min_length=1, max_length=100)] | None = Field(
        None, description="moves of the links beyond brace_links, in turn, in place of lower and upper"
    )

    @model_validator(mode="after")
    def _one_form(self) -> DisturbancePart:
        if (self.lower is None) != (self.upper is None):
            raise complaint("has one side only", "give lower and upper")
        forms = [form for form in (self.lower, self.vertices, self.moves) if form is not None]
        if len(forms) != 1:
            what = "says nothing" if not forms else "is given twice"
            raise complaint(what, "give lower and upper, or vertices, or moves")
        return self


class LimitsPart(Part):
    """Torques that the motors can give."""

    lower: BoundOrEach = Field(description="[N m], one for all motors or one each; -.inf for none")
    upper: BoundOrEach = Field(description="[N m], one for all motors or one each; .inf for none")


class ChainDocument(_Headed):
    """A chain of links that touches walls: for `holdfast torques` and `holdfast motions`."""

    planar: Literal["chain"] = Field(description="what the file is about")
    chain: ChainPart = Field(description="the links")
    q: Numbers = Field(description="posture: x, y of node 0 [m], angle of link 0, then each link against its parent")
    qd: Numbers | None = Field(None, description="velocity [m/s, angle/s]; rest by default")
    angle_unit: Literal["rad", "deg"] = Field("rad", description="of the angles of q, qd, q_error and moves")
    contacts: list[ChainContactPart] = Field(min_length=1, max_length=MOST_PARTS, description="where it touches")
    mu: NotNegative | None = Field(None, description="friction coefficient where none is given")
    mode: str | None = Field(None, description="wanted contact mode, a letter of S, F, R, L each; all F by default")
    tasks: list[TaskChoice] = Field([], max_length=MOST_PARTS, description="wanted beyond the mode")
    brace_links: Annotated[int, Field(ge=1)] | None = Field(
        None, description="only the first so many links are asked about; the others disturb them"
    )
    disturbance: DisturbancePart | None = Field(None, description="forces that may act besides")
    limits: LimitsPart | None = Field(None, description="of the torques")
    friction: Interval | None = Field(None, description="least and largest coefficient that must be borne, for all")
    q_error: NotNegativeOrEach | None = Field(
        None, description="by how much the posture may be off, either way; one for all"
    )
    torque: Numbers | None = Field(
        None, description="the motors' torques for `holdfast motions` [N m]; none by default"
    )
    walls: list[Polyline] = Field([], max_length=MOST_PARTS, description="lines to draw [m]")

    @model_validator(mode="after")
    def _brace_of_moves(self) -> ChainDocument:
        if self.disturbance is not None and self.disturbance.moves is not None and self.brace_links is None:
            raise complaint("has moves of a free part", "give brace_links: how many links brace", "disturbance")
        return self


# -- climbs ---------------------------------------------------------------------------------------


class ChannelPart(Part):
    """The room between two walls that rise."""

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
        None, description="least and largest coefficient that the braces must bear; mu lies between"
    )
    brace_links: by_type(
        (int, BraceCount), (list, Annotated[list[BraceCount], Field(min_length=1)]), fix="give 2, or [2, 3]"
    ) = Field(2, description="links that may brace at an end, in the order they are tried")
    limits: LimitsPart | None = Field(None, description="of the joint torques")
    margin: NotNegative | None = Field(
        None,
        description="least distance of a brace's torque from other behaviour [N m]; by weight and length if left out",
    )
    duration: Positive = Field(1.0, description="of each move [s]")
    start: Number | None = Field(None, description="height of the lowest node at the start [m]; the walls' by default")
    side: Literal["left", "right"] = Field("right", description="the wall it touches there")
    branches: Count = Field(3, description="continuations tried from a stance")
    tries: Count = Field(120, description="steps tried in all")


#: The documents by the word of their field `planar`.
DOCUMENTS: dict[str, type[BodyDocument] | type[ChainDocument] | type[ClimbDocument]] = {
    "body": BodyDocument,
    "chain": ChainDocument,
    "climb": ClimbDocument,
}


def planar_schema() -> dict[str, Any]:
    """The JSON Schema of planar scene files, for editors and other programs."""
    either = Annotated[BodyDocument | ChainDocument | ClimbDocument, Field(discriminator="planar")]
    schema = TypeAdapter(either).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdfast planar scene",
        **{key: value for key, value in schema.items() if key != "title"},
    }
