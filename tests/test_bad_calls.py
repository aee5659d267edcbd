"""Every argument of every public function, replaced by what does not belong there: a HoldfastError or a finite answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike

import holdfast as hf
from holdfast.errors import HoldfastError, InputError
from holdfast.geometry import directions
from holdfast.public_names import with_advice

#: What does not belong there, or only there where it is a number, a vector, a matrix, a word or an option.
HOSTILE: tuple[Any, ...] = (
    None, True, "", "x", b"x", object(), {}, {"x": 1}, [], [[]], [1, [2]], 1j, (x for x in "ab"), lambda *_: None,
    np.nan, np.inf, -np.inf, 1e155, 1e300, 1e-300, -1, 0, 0.5, 2**53, 2**63, 10**400, 10**5000,
    np.array("a"), np.array(["a", "b"]), np.zeros(0), np.array([None, 1.0]), np.zeros((2, 3, 4)), [object()] * 3,
    (np.nan,) * 3, (np.nan,) * 6, (1e155,) * 3, (1e155,) * 6, (1e300,) * 3, (1e300,) * 6, (10**400,) * 3, [10**400] * 6,
    np.full((3, 3), np.nan), np.ones((3, 3)), 1e300 * np.eye(3), -np.eye(6), 1e200 * np.eye(6), 1e-300 * np.eye(6),
)  # fmt: skip


FEET = [hf.Contact([x, y, 0.0], np.eye(3), hf.models.coulomb(0.6, facets=8)) for x in (0.1, -0.1) for y in (0.1, -0.1)]
TABLE = hf.Assembly(FEET)
CUPS = hf.Assembly([hf.Contact(c.position, c.rotation, hf.models.suction(40.0, 0.5, facets=4)) for c in FEET])
CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (0, 1)], dtype=float)
VOLUME = hf.ForceVolume([CUBE])
MASS = hf.dynamics.mass_matrix(1.0, 0.01 * np.eye(3))
PUSH = np.array([8.0, 0.0, -9.81, 0.0, 0.0, 0.0])
SCATTER = hf.reliability.Scatter(strength=0.1)
MESH = CUBE[[[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6],
             [0, 6, 4], [1, 7, 3], [1, 5, 7]]]  # fmt: skip

asm, dyn, geo, rel, st, shapes = hf.assembly, hf.dynamics, hf.geometry, hf.reliability, hf.statics, hf.assembly.shapes


def robust(**widths: Any) -> Any:
    return rel.robust_limit(CUPS, PUSH, rel.Intervals(**widths))


#: Calls that are right: each of their arguments is replaced in turn.
CALLS: tuple[tuple[Callable[..., Any], dict[str, Any]], ...] = (
    (dyn.mass_matrix, {"mass": 1.0, "inertia": np.eye(3), "com": (0, 0, 0)}),
    (dyn.ball_inertia, {"mass": 1.0, "radius": 0.1}),
    (dyn.box_inertia, {"mass": 1.0, "size": (1, 1, 1), "rotation": np.eye(3)}),
    (dyn.cylinder_inertia, {"mass": 1.0, "radius": 0.1, "length": 1.0, "rotation": np.eye(3), "half_angle": 1.0}),
    (dyn.mesh_inertia, {"mass": 1.0, "triangles": MESH}),
    (dyn.inertia_matrix, {"moments": 1.0}),
    (dyn.inertia_of, {"mass": 1.0, "shape": shapes.Box((1, 1, 1)), "com": (0, 0, 0), "contacts": np.eye(3)}),
    (dyn.RigidBody, {"mass": 1.0, "com": (0, 0, 0), "inertia": np.eye(3), "name": "b", "shape": None}),
    (hf.motion, {"assembly": TABLE, "load": PUSH, "mass_matrix": MASS, "velocity": np.zeros(6), "method": None}),
    (hf.strong_stability, {"assembly": TABLE, "load": PUSH, "mass_matrix": MASS, "method": None}),
    (hf.motions, {"assembly": TABLE, "load": PUSH, "mass_matrix": MASS, "velocity": np.zeros(6), "resolution": 0.5}),
    (hf.separation, {"assembly": TABLE, "wrench": PUSH, "mass_matrix": MASS, "method": None}),
    (dyn.simulate_release, {"assembly": TABLE, "wrench": PUSH, "mass_matrix": MASS, "frames": 2, "step": 0.01,
                            "touch": "rest", "gaps": 0.0, "reach": 1.0, "clearance": 1e-3, "principle": None}),
    (dyn.MotionSearch, {"node_limit": 10, "time_limit": 1.0}),
    (dyn.Separating, {"gap": 1e-3, "node_limit": 10, "time_limit": 1.0}),
    (geo.generators, {"normals": np.vstack([np.eye(3), -np.eye(3)]), "offsets": np.ones(6), "size": 1.0,
                      "tolerance": 1e-9, "farthest": 1e9}),
    (geo.sphere_directions, {"n": 10}),
    (directions.icosphere, {"level": 1}),
    (geo.Pose, {"rotation": np.eye(3), "translation": (0, 0, 0)}),
    (geo.frame_from_normal, {"normal": (0, 0, 1), "shear": (1, 0, 0)}),
    (geo.rotation_about, {"axis": (0, 0, 1), "angle": 1.0}),
    (geo.Polytope, {"vertices": CUBE, "rays": np.zeros((0, 3))}),
    (hf.ForceVolume, {"pieces": [CUBE], "rays": [None], "allow_flat": True, "report": None}),
    (hf.models.coulomb, {"mu": 0.5, "facets": 8, "cap": 10.0, "side": "inner"}),
    (asm.Contact, {"position": (0, 0, 0), "rotation": np.eye(3), "volume": VOLUME, "name": "", "unit": None,
                   "suspension": None, "body": "a", "against": "b"}),
    (asm.Unit, {"name": "u"}),
    (asm.contacts_from_arrays, {"points": np.eye(3), "normals": np.eye(3), "shear": (1, 1, 1), "volume": VOLUME,
                                "fractions": (0.5, 0.5, 1.0), "name": "p", "unit": None, "suspension": None}),
    (asm.Assembly, {"contacts": FEET, "joints": None, "name": "a"}),
    (asm.JointRows, {"jacobian": np.ones((1, 12)), "lower": [-1.0], "upper": [1.0], "names": ("a",),
                     "stiffness": [0.0], "servo": [np.inf]}),
    (asm.Joint, {"name": "j", "torque_min": -1.0, "torque_max": 1.0, "friction": 0.1, "stiffness": 1.0, "rest": 0.0,
                 "preload": 0.0, "servo": 10.0}),
    (asm.joint_rows, {"joints": [asm.Joint("j")], "coordinates": [0.0], "jacobian": np.ones((1, 12)),
                      "gravity_torque": [0.0]}),
    (asm.Suspension, {"stiffness": (1e3, 1e3), "preload": 0.0, "rule": "slip"}),
    (asm.rubber_pad_stiffness, {"area": 1e-3, "thickness": 1e-3, "shear_modulus": 1e6}),
    (shapes.Box, {"size": (1, 1, 1), "pose": geo.Pose(np.eye(3), (0, 0, 0))}),
    (hf.loads.gravity_wrench, {"mass": 1.0, "gravity": (0, 0, -9.81), "com": (0, 0, 0)}),
    (rel.Distribution, {"kind": "normal", "mean": 1.0, "variation": 0.1}),
    (rel.Scatter, {"strength": 0.1, "correlation": 0.5, "position": 0.0, "mass": 0.1, "com": 0.0}),
    (robust, {"strength": 0.1, "joint": 0.1, "at": None}),
    (rel.Intervals, {"strength": 0.1, "friction": 0.1, "position": 0.0, "joint": 0.1, "angle": 0.1, "point": 0.0,
                     "at": (0, 0, 0)}),
    (hf.robots.Mimic, {"joint": "a", "multiplier": 1.0, "offset": 0.0}),
    (hf.robots.Hold, {"name": "h", "pose": geo.Pose(np.eye(3), (0, 0, 0)), "grip": None}),
    (rel.probability, {"assembly": CUPS, "wrench": PUSH, "scatter": SCATTER, "n": 20, "seed": 0, "confidence": 0.95}),
    (rel.robust_limit, {"assembly": CUPS, "direction": PUSH, "intervals": rel.Intervals(joint=0.1)}),
    (hf.equilibrium, {"assembly": CUPS, "wrench": PUSH, "method": None}),
    (hf.load_limit, {"assembly": CUPS, "direction": PUSH, "method": None}),
    (st.ramp, {"assembly": TABLE, "base": PUSH, "increment": np.eye(6)[0]}),
    (st.chained, {"legs": [(st.ramp(TABLE, PUSH, np.eye(6)[0]), 0.0, 1.0)]}),
    (hf.load_sharing, {"assembly": CUPS, "load": PUSH, "stiffness": (1e3, 1e3), "preload": 0.0, "rule": "slip",
                       "units": "together", "until": 0.1}),
    (hf.models.microspine_force, {"phi": 0.1, "theta": 0.2, "unit": None}),
    (VOLUME.contains, {"forces": np.eye(3), "tolerance": 1e-9}),
    (VOLUME.support, {"directions": np.eye(3), "pieces": None}),
    (VOLUME.made_of, {"other": VOLUME}),
    (VOLUME.hull, {"subset": [0]}),
    (asm.Patch.rectangle, {"pose": geo.Pose(np.eye(3), (0, 0, 0)), "size": (0.1, 0.1), "volume": VOLUME, "points": None,
                           "pressure": None, "corners": "shared", "name": "p", "suspension": None}),
    (asm.Patch.polygon, {"pose": geo.Pose(np.eye(3), (0, 0, 0)), "outline": [(0, 0), (1, 0), (0, 1)], "volume": VOLUME,
                         "points": (2, 2), "pressure": None, "corners": "shared", "name": "p"}),
    (asm.touching, {"shapes": {"a": shapes.Box((1, 1, 1))}, "volume": VOLUME, "share": "region", "shear": None,
                    "world": [shapes.Box((1, 1, 1), geo.Pose(np.eye(3), (0, 0, -1)))], "gap": None, "pairs": None}),
    (hf.wrench_spaces.Subspace, {"axes": np.eye(6)[:2], "labels": ("a", "b"), "units": ("N", "N"), "scales": [1, 1]}),
    (hf.wrench_spaces.Design, {"assembly": TABLE, "point": (0, 0, 0), "load": PUSH}),
    (hf.planar.standstill, {"accelerations": 3}),
)  # fmt: skip


def numbers(value: Any, depth: int = 0) -> Iterator[float]:
    """All numbers in plain data."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        yield from value.reshape(-1).tolist()
    elif isinstance(value, (list, tuple)) and depth < 10:
        for part in value:
            yield from numbers(part, depth + 1)
    elif isinstance(value, float):
        yield value


def faults(call: Callable[..., Any], right: Mapping[str, Any], hostile: tuple[Any, ...] = HOSTILE) -> list[str]:
    """What goes wrong when each argument of a right call is replaced."""
    found = []
    for name in right:
        for bad in hostile:
            try:
                answer = call(**{**right, name: bad})
                data = answer.to_dict() if hasattr(answer, "to_dict") else getattr(answer, "__dict__", answer)
                if any(np.isnan(x) for x in numbers(data)):
                    found.append(f"{name}={bad!r:.40}: nan")
                verified = answer.verify() if hasattr(answer, "verify") else True
                if not verified and str(answer.status) != "undecided":
                    found.append(f"{name}={bad!r:.40}: {answer!r} does not verify")
            except HoldfastError as error:
                str(error)
            except Exception as error:  # noqa: BLE001 - any other exception is a fault
                found.append(f"{name}={bad!r:.40}: {type(error).__name__}: {error}"[:200])
    return found


@pytest.mark.parametrize("call, right", CALLS, ids=[call.__name__ for call, _ in CALLS])
def test_bad_arguments_end_in_holdfast_errors_or_finite_answers(call, right):
    call(**right)
    assert not faults(call, right)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hf.load_limit(CUPS, PUSH, method="x"), "method: is 'x'.*Method"),  # pyright: ignore[reportArgumentType]
        (lambda: hf.load_sharing(CUPS, PUSH, [1e3, [1e3]]), "stiffness"),  # pyright: ignore[reportArgumentType]
        (lambda: st.ramp(None, PUSH, PUSH), "assembly: is None.*Assembly"),  # pyright: ignore[reportArgumentType]
        (lambda: hf.motion(TABLE, PUSH, np.diag([1e-20, 1, 1, 1, 1, 1])), "differ by more than a factor"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named(call: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()


def test_an_error_inside_stays_where_all_arguments_are_of_the_right_kind() -> None:
    @with_advice()
    def broken(values: ArrayLike, kind: Literal["a", "b"] = "a", scale: float = 1.0) -> None:
        raise AttributeError("inside")

    for values in (1, (1.0, 2), [[1]], np.eye(3)):
        with pytest.raises(AttributeError, match="inside"):
            broken(values)
    for wrong in ({"kind": "c"}, {"scale": "x"}, {"scale": 10**400}, {"values": "x"}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            broken(**{"values": 1, **wrong})  # pyright: ignore[reportArgumentType]
