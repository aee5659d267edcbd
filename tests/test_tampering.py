"""Answers of every class with every status, changed claim by claim: `verify()` is False and raises nothing."""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast import postures, reliability, robots, statics, wrench_spaces
from holdfast.grips import Grip
from holdfast.results import same
from holdfast.robots import PosturePlanner
from holdfast.robots.sequences import PostureSequence
from holdfast.robots.torques import holding_torques
from holdfast.solvers.certificates import LeafArrays
from tests.postures.full import BOX, random_bounds, still
from tests.postures.known_regions import foot, standing
from tests.robots.climbing import climber, hands, on_the_wall, rough_grip
from tests.robots.sample_robots import crouching, legged, point_feet

SOURCE = Path(hf.__file__).parent

#: Classes whose answers are changed in the tests of their own room, and where.
ELSEWHERE = {
    "LoadSharing": "tests/sharing",
    "DeviceAnswers": "tests/postures/test_device.py",
    "PostureRobustness": "tests/planar/test_posture_boxes.py",
}

#: Parts that are the question, or tools: they are not changed. The answer is about them.
GIVEN = (
    "Assembly", "Contact", "JointRows", "Exact", "Hands", "Grip", "GripBounds", "OuterGrip", "LazyGrip", "WholeBody", "Robot",
    "HierarchicalBody", "Spread", "GrowthPrices", "MotionSearch", "Separating", "Weight", "RegionFrame", "Subspace", "Rays",
    "PlanarBody", "SlipEvent", "SlipScatter", "SumStats", "SolverStats", "Pose", "Hand", "DeviceSolver",
)  # fmt: skip

#: Fields that claim nothing, in every class.
HARMLESS = {
    "*effort": "what the computation cost",
    "*seconds": "what the computation cost",
    "*rounds": "what the computation cost",
    "*solves": "what the computation cost",
    "*tests": "what the computation cost",
    "*method": "the tool for further questions",
    "*solver": "the tool for further questions",
    "*multipliers: +1 %": "any positive multiple of a separating wrench proves the same",
    "*multipliers: x100": "any positive multiple of a separating wrench proves the same",
}


@dataclass(frozen=True)
class Case:
    """A right answer, what its `verify()` is given, and which changes leave it true, with the reason."""

    make: Callable[[], Any]
    given: Callable[[Any], tuple[Any, ...]] = lambda _: ()
    harmless: Mapping[str, str] = field(default_factory=dict)
    depth: int = 3


# Questions with small answers.

EYE = np.eye(3)
CORNERS = [(x, y, 0.0) for x in (0.1, -0.1) for y in (0.1, -0.1)]


@cache
def feet(mu: float = 0.6, cap: float | None = None) -> hf.Assembly:
    volume = hf.models.coulomb(mu, facets=8, cap=cap)
    return hf.Assembly([hf.Contact(at, EYE, volume) for at in CORNERS])


@cache
def cups() -> hf.Assembly:
    return hf.Assembly([hf.Contact(at, EYE, hf.models.suction(40.0, 0.5, facets=4)) for at in CORNERS])


@cache
def pull_or_push() -> hf.Assembly:
    """Contacts that carry a push along x or along y, not both: their volumes are unions."""
    corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    pieces = [corners * [10.0, 2.0, 8.0] - [5.0, 1.0, 2.0], corners * [2.0, 10.0, 6.0] - [1.0, 5.0, 3.0]]
    return hf.Assembly([hf.Contact(at, EYE, hf.ForceVolume(pieces)) for at in CORNERS])


WEIGHT = np.array([0.0, 0.0, -9.81, 0.3, 0.1, 0.0])
PUSH = np.array([8.0, 1.0, 0.0, 0.0, 0.0, 0.0])
PULL = np.array([1.0, 0.0, 5.0, 0.0, 0.1, 0.0])
MASS = hf.dynamics.mass_matrix(1.0, 0.01 * EYE, com=(0.0, 0.0, 0.05))


def leaning(angle: float) -> tuple[hf.Assembly, Any]:
    return feet(), np.array([9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle), 0.0, 0.3 * np.sin(angle), 0.0])


def window(s: float) -> tuple[hf.Assembly, Any]:
    """Holds below 0.35 and beyond 0.65."""
    return cups(), np.array([0.0, 0.0, 200.0 if 0.35 < s < 0.65 else 20.0, 0.0, 0.0, 0.0])


def onset(path: Any = leaning, stop: float = 1.2, **options: Any) -> statics.Onset:
    return hf.slip_onset(path, 0.0, stop, **({"step": 0.2, "tolerance": 1e-3} | options))


SLICE = wrench_spaces.Subspace.named("fx,ty,fz", length=0.1)

LARGER = "a looser one is true as well"
LESS = "it says less, and that is true"
ANOTHER = "a right answer to another question: the same proof applies"
SOLVER = "numbers of the solver from which nothing is derived"
ASKED = {"*step: +1 %": LARGER, "*step: x100": LARGER, "*step: inf": LARGER}
ASKED |= {f"*{name}: {how}": LARGER for name in ("tolerance", "wanted") for how in ("+1 %", "x100", "inf")}
SCANNED = ASKED | {"*is_whole": "where the scan ends is not claimed", "curved: nothing": LESS, "*given*": LARGER}
ENDLESS = {
    "largest.solution*": "without a limit only `endless` is proven; the status, the value and the bound are checked"
}
RAY = {f"*optimum.{name}": SOLVER for name in ("z", "upper_bound", "ray", "clear")}
EVEN = {"*indices: nothing": "without numbers these are all vertices, in their order"}
ALIKE = {"wrenches: rows": "the hands are symmetric"}
PLANES = {"*planes: shorter": "hands with vertices have none"}
SIZE = {"*size": "the scale of tolerances: it must be that of the region or the hands, to a factor of ten"}
MASSES = {"mass_matrix: +1 %": ANOTHER, "mass_matrix: x100": ANOTHER}
SPACE = {
    "normals*": "planes may be missing, and of any length",
    "offsets*": LARGER,
    "upper_bounds*": "a limit of zero is known to rounding",
}
BLOCK = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@cache
def box() -> hf.Assembly:
    return hf.Assembly([hf.Contact([0, 0, 0], EYE, hf.ForceVolume([BLOCK]))])


#: One hand, its bounds, two palms, and a square of feet.
HAND = Grip(np.array([[(BOX[i >> k & 1][k]) for k in range(6)] for i in range(64)]))
BOUNDS = random_bounds(np.random.default_rng(0))
PALMS = still([0, 0, 0], [1, 0, 0])
HELD, LOST = np.array([0, 0, -5.0, 0, 2.5, 0]), np.array([0, 0, -7.0, 0, 3.5, 0])
SQUARE = standing([(0, 0, 0), (1, 0.1, 0), (1.2, 1, 0), (-0.1, 0.7, 0)])
DOWN = (0.0, 0.0, -9.81)


def region(points: Any = None, normals: Any = None, **options: Any) -> Any:
    palms = SQUARE if points is None else standing(points, normals)
    return hf.support_region(foot(), palms, 20.0, options.pop("gravity", DOWN), **options)


@cache
def wall() -> tuple[Any, ...]:
    """A climbing robot with joint limits, its posture on a wall, and its hands."""
    grip = rough_grip()
    robot = climber()
    robot = robot.with_joints({n: hf.assembly.Joint(n, -150.0, 150.0, friction=1.0) for n in robot.joint_names})
    return robot, on_the_wall(robot, grip), hands(grip)


def climbing(load: Any = None) -> Any:
    robot, q, held = wall()
    return robots.hierarchical_body(robot, q, held, load=load).equilibrium()


def body() -> robots.WholeBody:
    robot = robots.Robot.from_urdf(legged(effort=500.0))
    return robots.whole_body(robot, crouching(robot), point_feet())


def sequence() -> PostureSequence:
    robot, q, held = wall()
    names = tuple(hand.name for hand in held)
    return PostureSequence.of(PosturePlanner(robot, held), [(q, names), (q, names[1:])], "two")


CASES: dict[str, Case] = {
    "Equilibrium: holds": Case(lambda: hf.equilibrium(feet(), WEIGHT + 0.3 * PUSH)),
    "Equilibrium: does not hold": Case(
        lambda: hf.equilibrium(feet(), PULL), harmless={"wrench: +1 %": ANOTHER, "wrench: x100": ANOTHER}
    ),
    "Equilibrium: even": Case(lambda: hf.equilibrium(feet(), WEIGHT + 0.3 * PUSH).even()),
    "LoadLimit: optimal": Case(lambda: hf.load_limit(cups(), PULL)),
    "LoadLimit: unions": Case(lambda: hf.load_limit(pull_or_push(), PULL)),
    "LoadLimit: unbounded": Case(lambda: hf.load_limit(feet(), WEIGHT)),
    "RampLimit": Case(lambda: hf.load_ramp(feet(), WEIGHT, PUSH).largest),
    "LoadRamp: found": Case(lambda: hf.load_ramp(feet(), WEIGHT, PUSH)),
    "LoadRamp: unions": Case(
        lambda: hf.load_ramp(pull_or_push(), WEIGHT, PUSH, step=0.5),
        harmless=SCANNED | {"largest.solution.status: undecided": LESS},
    ),
    "LoadRamp: no limit": Case(lambda: hf.load_ramp(feet(), WEIGHT, WEIGHT), harmless=ENDLESS),
    "LoadRamp: throughout": Case(lambda: hf.load_ramp(feet(), WEIGHT, PUSH, stop=0.2)),
    "LoadRamp: fails": Case(lambda: hf.load_ramp(cups(), 100.0 * PULL, PULL)),
    "Onset: slips": Case(onset, harmless=SCANNED),
    "Onset: throughout": Case(lambda: onset(stop=0.3), harmless=SCANNED),
    "Onset: fails": Case(lambda: onset(lambda s: leaning(s + 0.8)), harmless=SCANNED),
    "Onset: holds again": Case(lambda: onset(window, 1.0, whole=True), harmless=SCANNED | {"scan: shorter": LESS}),
    "CurvedOnset": Case(lambda: onset().curved, harmless=SCANNED),
    "Factor: found": Case(lambda: statics.strength_factor(cups(), PULL, tolerance=1e-3), harmless=ASKED),
    "Factor: any": Case(lambda: statics.strength_factor(feet(), WEIGHT), harmless=ASKED | {"contacts": ANOTHER}),
    "Factor: none": Case(lambda: statics.strength_factor(feet(), PULL), harmless=ASKED | {"contacts": ANOTHER}),
    "Factor: friction": Case(
        lambda: statics.friction_factor(feet(), WEIGHT + 0.3 * PUSH, tolerance=1e-3), harmless=ASKED
    ),
    "PathEvaluation": Case(lambda: statics.evaluate_path([leaning(0.1), leaning(0.2)], margins=True)),
    "Certificate": Case(
        lambda: hf.load_limit(cups(), PULL).certificate, lambda _: (cups().problem(PULL),), harmless={"claim": LARGER}
    ),
    "CoulombMotion: rests": Case(lambda: hf.motion(feet(), WEIGHT, MASS), depth=1, harmless=MASSES),
    "CoulombMotion: moves": Case(lambda: hf.motion(feet(), WEIGHT + 2.0 * PUSH, MASS), depth=1),
    "CoulombMotion: impact": Case(
        lambda: hf.motion(feet(), WEIGHT, MASS, velocity=(0, 0, -1.0, 0, 0, 0)),
        depth=1,
        harmless=MASSES | {"wrench": ANOTHER, "velocity: +1 %": ANOTHER, "velocity: x100": ANOTHER},
    ),
    "StrongStability: stays": Case(lambda: hf.strong_stability(feet(), WEIGHT, MASS), depth=1, harmless=MASSES),
    "StrongStability: moves": Case(lambda: hf.strong_stability(feet(), WEIGHT + 2.0 * PUSH, MASS), depth=1),
    "CoulombMotions": Case(
        lambda: hf.motions(feet(), WEIGHT + 2.0 * PUSH, MASS), depth=2, harmless={"pieces[[]0].upper*": LARGER}
    ),
    "NoMotion": Case(
        lambda: hf.strong_stability(feet(), WEIGHT, MASS).certificate,
        lambda _: (hf.strong_stability(feet(), WEIGHT, MASS).problem,),
        harmless={"tree.range*": "the first node is no arc"},
    ),
    "Separation: holds": Case(lambda: hf.separation(feet(), WEIGHT, MASS), depth=1, harmless=MASSES),
    "Separation: separates": Case(lambda: hf.separation(feet(), WEIGHT + 2.0 * PUSH, MASS), depth=1),
    "SeparationCertificate": Case(
        lambda: hf.separation(feet(), WEIGHT + 2.0 * PUSH, MASS).certificate,
        lambda _: (hf.separation(feet(), WEIGHT + 2.0 * PUSH, MASS).problem,),
        harmless={
            "claim: *": "a smaller one is true as well",
            "*multipliers.motion: *": HARMLESS["*multipliers: x100"],
        },
    ),
    "WrenchSpace: convex": Case(
        lambda: hf.wrench_space(cups(), wrench_spaces.Rays.axes(SLICE), workers=1), harmless=SPACE
    ),
    "WrenchSpace: unions": Case(
        lambda: hf.wrench_space(pull_or_push(), wrench_spaces.Rays.axes(SLICE), workers=1), harmless=SPACE
    ),
    "WrenchSpace: no limits": Case(
        lambda: hf.wrench_space(feet(), wrench_spaces.Rays.axes(SLICE), workers=1), harmless=SPACE
    ),
    "Extents": Case(
        lambda: wrench_spaces.wrench_extents(cups(), SLICE),
        harmless={"*forces: rows": "other forces that balance the load as well"},
    ),
    "WrenchSupports": Case(lambda: wrench_spaces.wrench_supports(pull_or_push(), [PULL, PUSH])),
    "RobustLimit: weaker": Case(lambda: reliability.robust_limit(cups(), PULL, reliability.Intervals(strength=0.1))),
    "RobustLimit: rule": Case(
        lambda: reliability.robust_limit(cups(), PULL, reliability.Intervals(position=1e-3, angle=0.02, point=1e-3))
    ),
    "Rule": Case(
        lambda: reliability.robust_limit(cups(), PULL, reliability.Intervals(position=1e-3)).rule,
        lambda _: (
            cups().problem(PULL),
            reliability.robust.Spread.of(cups(), PULL, reliability.Intervals(position=1e-3)),
        ),
    ),
    "LeastChange: found": Case(lambda: reliability.least_change(box(), [2.5, 0, 0, 0, 0, 0]), harmless=ASKED),
    "LeastChange: holds": Case(
        lambda: reliability.least_change(box(), [0.5, 0, 0, 0, 0, 0]), harmless=ASKED | {"wrench*": ANOTHER}
    ),
    "LeastChange: impossible": Case(
        lambda: reliability.least_change(box(), [0, 0, 0, 0, 0, 1.0]), harmless=ASKED | {"wrench*": ANOTHER}
    ),
    "PostureEquilibrium: holds": Case(lambda: hf.posture_equilibrium(HAND, PALMS, HELD)),
    "PostureEquilibrium: does not hold": Case(lambda: hf.posture_equilibrium(HAND, PALMS, LOST), harmless=PLANES),
    "PostureEquilibrium: even": Case(lambda: hf.posture_equilibrium(HAND, PALMS, HELD).even(), harmless=EVEN | ALIKE),
    "PostureEquilibrium: even bounds": Case(lambda: hf.posture_equilibrium(BOUNDS, PALMS, HELD).even(), harmless=EVEN),
    "PostureEquilibrium: bounds": Case(lambda: hf.posture_equilibrium(BOUNDS, PALMS, HELD)),
    "PostureEquilibrium: bounds fail": Case(
        lambda: hf.posture_equilibrium(BOUNDS, PALMS, 100.0 * LOST),
        harmless=PLANES | {"inner.status: undecided": LESS},
    ),
    "SeparatingWrench": Case(
        lambda: hf.posture_equilibrium(HAND, PALMS, LOST).certificate,
        harmless=PLANES | {"wrench: +1 %": ANOTHER, "wrench: x100": ANOTHER},
    ),
    "ScaleInterval": Case(lambda: hf.posture_equilibrium(HAND, PALMS, HELD).scale, harmless=RAY),
    "PostureMargin": Case(lambda: postures.posture_margin(HAND, PALMS, HELD, PUSH), harmless=RAY),
    "PostureMargin: bounds": Case(lambda: postures.posture_margin(BOUNDS, PALMS, HELD, PUSH), harmless=RAY),
    "RayEnd": Case(lambda: postures.posture_margin(HAND, PALMS, HELD, PUSH).inner, harmless=RAY),
    "SumBound": Case(
        lambda: postures.posture_margin(HAND, PALMS, HELD, PUSH).certificate,
        harmless=PLANES
        | {"*multipliers: sign": "the hands are symmetric", "*multipliers: rows": "the hands are symmetric"},
    ),
    "CrossPolytopeMargin": Case(lambda: postures.cross_polytope_margin(HAND, PALMS, HELD), depth=1),
    "BallMargin": Case(
        lambda: postures.ball_margin(HAND, PALMS, 0.1 * HELD, gap=0.5),
        harmless=ASKED
        | PLANES
        | {"*multipliers: sign": "the hands are symmetric", "*multipliers: rows": "the hands are symmetric"},
    ),
    "BallMargin: not held": Case(
        lambda: postures.ball_margin(HAND, PALMS, LOST),
        harmless=ASKED | PLANES | {"length: +1 %": ANOTHER, "length: x100": ANOTHER},
    ),
    "PostureMargin: not held": Case(
        lambda: postures.posture_margin(HAND, PALMS, LOST, PUSH),
        harmless=RAY | PLANES | {"*wrenches: inf": "there are none", "*wrenches: shorter": "there are none"},
    ),
    "CrossPolytopeMargin: not held": Case(lambda: postures.cross_polytope_margin(HAND, PALMS, LOST), depth=1),
    "PostureAnswers": Case(lambda: postures.posture_many(HAND, [PALMS, PALMS], np.array([HELD, LOST]))),
    "SupportRegion: polygon": Case(region, harmless=SIZE),
    "SupportRegion: segment": Case(lambda: region([(0, 0, 0), (1, 0, 0)]), harmless=SIZE),
    "SupportRegion: point": Case(lambda: region([(0, 0, 0)]), harmless=SIZE),
    "SupportRegion: empty": Case(
        lambda: region([(0, 0, 0)], [(0, 0, -1.0)]),
        harmless=SIZE | {"proof.separator: +1 %": ANOTHER, "proof.separator: x100": ANOTHER},
    ),
    "SupportRegion: plane": Case(
        lambda: region([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(1, 0, 0), (-1, 0, 0)] * 2),
        harmless=SIZE
        | {"rays: sign": "every direction is without limit", "rays: rows": "every direction is without limit"},
    ),
    "SupportRegionBounds": Case(lambda: region(method=postures.Sampling(6)), depth=2, harmless=SIZE),
    "SupportVolume": Case(
        lambda: region(gravity=[DOWN, (1.0, 0, -9.81)]), depth=1, harmless={"regions: shorter": LESS}
    ),
    "SupportVolumeBounds": Case(lambda: region(gravity=[DOWN, (1.0, 0, -9.81)], method=postures.Sampling(6)), depth=1),
    "Leaning": Case(lambda: robots.lean(body(), (1, 0, 0)), depth=1),
    "HoldingTorques: norm": Case(lambda: holding_torques(body(), "least norm"), depth=1),
    "HoldingTorques: margin": Case(lambda: holding_torques(body(), "most margin"), depth=1),
    "HierarchicalAnswer: certainly": Case(climbing, depth=2),
    "HierarchicalAnswer: certainly not": Case(lambda: climbing((0, 0, -1e4, 0, 0, 0)), depth=2),
    "SideAnswer": Case(lambda: climbing().inner),
    "PostureSequence": Case(sequence, depth=1),
}


# Changes of one claim.


def numbers(value: float) -> Iterator[tuple[str, Any]]:
    """Other numbers; for counts and indices, others that are whole."""
    if isinstance(value, int):
        yield from (("+1", value + 1), ("+1000", value + 1000), ("-1000", value - 1000))
        return
    yield from (("+1 %", value * 1.01), ("x100", value * 100.0), ("sign", -value), ("zero", type(value)(0)))
    yield from (("inf", np.inf), ("nan", np.nan))


def arrays(value: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Other arrays: numbers, order, shape and kind."""
    if not value.size:
        return
    if value.dtype.kind == "f":
        for how, other in numbers(1.0):
            first = np.arange(value.size).reshape(value.shape) == 0
            with np.errstate(invalid="ignore"):
                yield how, value * other if np.isfinite(other) else np.where(first, other, value)
    elif value.dtype.kind in "iu":
        yield from (("index", value + 1000), ("negative index", value - 1000))
    elif value.dtype.kind == "b":
        yield "flipped", ~value
    if len(value) > 1:
        yield from (("rows", value[::-1].copy()), ("shorter", value[:-1]))
    yield "nothing", None


def others(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """(what was changed, the changed value) for every part of a value."""
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, Enum):
        yield from ((str(other), other) for other in type(value) if other is not value)
    elif isinstance(value, int | float):
        yield from numbers(value)
    elif isinstance(value, np.ndarray):
        yield from arrays(value)
    elif isinstance(value, LeafArrays):
        yield "shorter", value[:-1]
        for how, masks in (("more masks", 2 * value.masks + 1), ("no masks", 0 * value.masks)):
            yield how, LeafArrays(masks, value.multipliers, value.bounds, value.count_masks, value.count_multipliers)
        for how, rows in arrays(value.multipliers):
            yield f"multipliers: {how}", LeafArrays(value.masks, rows, value.bounds)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for name in value._fields if type(value).__name__ not in GIVEN else ():
            for how, other in others(getattr(value, name), depth - 1):
                yield f".{name}: {how}", value._replace(**{name: other})
    elif isinstance(value, tuple | list) and value:
        yield "shorter", value[:-1]
        for how, other in others(value[0], depth):
            yield f"[0]{': ' if ':' not in how and '.' not in how else ''}{how}", type(value)([other, *value[1:]])
    elif is_dataclass(value) and type(value).__name__ not in GIVEN and depth:
        yield "nothing", None
        for part in fields(value):
            if not part.init:
                continue
            for how, other in others(getattr(value, part.name), depth - 1):
                yield (
                    f".{part.name}{how if how.startswith(('.', '[')) else ': ' + how}",
                    replace(value, **{part.name: other}),
                )


def changes(answer: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """(what was changed, changed answer)."""
    for how, other in others(answer, depth):
        if how != "nothing" and not same(answer, other):
            yield how[1:], other


def is_harmless(case: Case, change: str) -> bool:
    """Whether it is known why a change leaves the answer true."""
    known = (*HARMLESS, *case.harmless)
    return any(fnmatch.fnmatch(change, path) or fnmatch.fnmatch(change, path + ":*") for path in known)


@pytest.mark.parametrize("name", CASES)
def test_no_changed_claim_verifies(name: str) -> None:
    case = CASES[name]
    answer = case.make()
    given = case.given(answer)
    assert answer.verify(*given) is True
    proven = [change for change, other in changes(answer, case.depth) if other.verify(*given)]
    assert [change for change in proven if not is_harmless(case, change)] == []


def verified() -> dict[str, bool]:
    """The classes that have a `verify`, and whether it is decorated so that it raises nothing."""
    found = {}
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    for text in (text for text in texts if "def verify(" in text):
        for node in ast.parse(text).body:
            methods = node.body if isinstance(node, ast.ClassDef) else ()
            for method in methods:
                if isinstance(method, ast.FunctionDef) and method.name == "verify":
                    marks = {ast.unparse(mark).removeprefix("results.") for mark in method.decorator_list}
                    if "abstractmethod" not in marks:
                        found[node.name] = "proof" in marks
    return found


def test_every_class_with_a_proof_is_changed_here() -> None:
    changed, found = {name.partition(":")[0] for name in CASES}, verified()
    assert changed | set(ELSEWHERE) == set(found)
    assert all(found.values())
