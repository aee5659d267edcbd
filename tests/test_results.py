"""Results share one shape: proof, plain data, a readable repr, a table in notebooks."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import sys
from enum import Enum
from html import escape
from types import ModuleType

import numpy as np
import pytest

import holdfast as hf
from holdfast.console.output import plain
from holdfast.errors import InputError, MissingDependencyError
from holdfast.results import Result, flat

#: Rooms with public names.
ROOMS = [module.name for module in pkgutil.iter_modules(hf.__path__, "holdfast.") if module.ispkg]

#: What an answer has: a class with one of these is a result.
ANSWERS = ("status", "verify", "holds", "value")

#: Proofs, raw answers and parts of results, which are checked but not printed by themselves; and solvers.
PARTS = {
    *("SeparationCertificate", "RayEnd", "ScaleInterval", "SeparatingWrench", "SumBound", "Certificate", "Solution"),
    *("PostureSolver", "Channel", "Brace"),
}


def public_classes(room: str) -> list[type]:
    module = importlib.import_module(room)
    found = [getattr(module, name) for name in getattr(module, "__all__", ())]
    return [thing for thing in found if inspect.isclass(thing) and thing.__module__.startswith("holdfast")]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_answer_has_the_shape_of_a_result(room: str) -> None:
    for c in public_classes(room):
        fields = getattr(c, "__dataclass_fields__", {})
        answers = any(hasattr(c, name) or name in fields for name in ANSWERS)
        if answers and not issubclass(c, Enum) and c.__name__ not in PARTS:
            assert issubclass(c, Result), c.__name__
        if issubclass(c, Result) and not inspect.isabstract(c):
            assert c.to_dict is not Result.to_dict, c.__name__
            assert c.__repr__ is not object.__repr__, c.__name__
            assert callable(c._repr_html_) and callable(c.rows) and callable(c.to_frame)


def test_the_rooms_of_the_library_have_results() -> None:
    found = {c.__name__ for room in ROOMS for c in public_classes(room) if issubclass(c, Result)}
    assert len(found) > 80 and {"Equilibrium", "LoadLimit", "SupportRegion", "Ranking", "GripMembership"} <= found


@pytest.fixture(scope="module")
def answers() -> list[Result]:
    """One result of each kind of question."""
    scene, block, tripod = hf.load("@suction_cup"), hf.load("@block_on_slope"), hf.load("@tripod_on_flat_ground")
    jerk, scatter = scene.load("jerk"), hf.reliability.Scatter(strength=0.2)
    limit = hf.load_limit(scene, jerk)
    sampled = hf.reliability.load_limit_samples(scene.assembly, jerk, scatter, n=20)
    body = hf.planar.Body(1.0, 0.1)
    foot = hf.planar.Contact((0.0, 1.0), (0.0, 0.1), 0.5)
    grip = hf.coulomb_grip(0.5)
    return [
        scene,
        hf.equilibrium(scene),
        hf.equilibrium(scene, jerk),
        limit,
        hf.load_limit(block),
        hf.load_ramp(scene, increment=jerk),
        hf.statics.largest_on_ramp(scene.assembly, scene.gravity_load(), jerk),
        hf.slip_onset(scene, 0.0, 0.4, step=0.2, tolerance=0.01),
        hf.statics.gravity_sweep(scene, 4),
        hf.Solver(scene).load_limit_many([jerk, -jerk]),
        hf.diagnose(limit),
        hf.load_sharing(scene),
        hf.sensitivity(limit),
        hf.reliability.tornado(hf.sensitivity(limit)),
        hf.reliability.least_change(scene.assembly, jerk),
        hf.probability(scene, scatter=scatter, n=20),
        sampled,
        hf.reliability.failure_modes(sampled),
        hf.reliability.size_curve(sampled),
        hf.wrench_space(scene, np.eye(6)),
        hf.wrench_spaces.wrench_extents(scene.assembly),
        hf.separation(block),
        hf.motion(block),
        hf.motions(block),
        hf.strong_stability(block),
        hf.posture_equilibrium(tripod),
        hf.support_region(tripod),
        hf.planar.motions(body, [foot], (0.0, -9.81, 0.0)),
        grip,
        grip.contains((0.0, 0.0, -1.0, 0.0, 0.0, 0.0)),
        hf.grasps.plan(hf.grasps.example_part("rectangle")),
    ]


def test_every_answer_is_printed_as_text_data_and_table(answers: list[Result]) -> None:
    for answer in answers:
        assert repr(answer).startswith(f"{type(answer).__name__}(") and len(repr(answer)) < 800, repr(answer)
        assert escape(repr(answer)) in answer._repr_html_()
        json.dumps(plain(answer.to_dict()), allow_nan=False)
        for row in answer.rows():
            row = row._asdict() if hasattr(row, "_asdict") else row
            cells = [plain(value) for value in row.values()]
            assert cells and all(value is None or isinstance(value, str | bool | int | float) for value in cells), row


def test_a_repr_has_the_verdict_with_its_margin_and_the_value_with_its_bound() -> None:
    scene, tripod = hf.load("@suction_cup"), hf.load("@tripod_on_flat_ground")
    held = hf.equilibrium(scene)
    use = max(contact.use for contact in held.even().contact_forces)
    assert repr(held) == f"Equilibrium(holds, 8 contacts, at most {100 * use:.3g} % of a contact's strength used)"
    limit = hf.load_limit(scene)
    assert repr(limit) == (f"LoadLimit(optimal, holds {limit.value:.6g} times the load, bound {limit.upper_bound:.6g})")
    endless = hf.load_limit(hf.load("@block_on_three_points"))
    assert repr(endless) == "LoadLimit(unbounded, holds any multiple of the load)"
    assert repr(hf.load_limit(FOOT, UP)).startswith("LoadLimit(optimal, holds 0 times the load")
    low, high = hf.posture_equilibrium(tripod).scale_interval
    assert f"holds {low:.4g} to {high:.4g} times the load" in repr(hf.posture_equilibrium(tripod))


class Frames(ModuleType):
    """A stand-in for pandas that keeps the rows."""

    DataFrame = staticmethod(lambda rows: rows)


def test_a_frame_has_the_rows_and_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = hf.equilibrium(hf.load("@suction_cup"))
    monkeypatch.setitem(sys.modules, "pandas", Frames("pandas"))
    assert answer.to_frame() == answer.rows() and len(answer.to_frame()) == 8
    extents = hf.wrench_spaces.wrench_extents(FOOT)
    assert extents.to_frame()[0]["label"] == "fx"
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"Equilibrium.to_frame\(\) needs pandas.*pip install pandas"):
        answer.to_frame()


def test_a_frame_of_pandas_itself() -> None:
    pandas = pytest.importorskip("pandas")
    sweep = hf.statics.gravity_sweep(hf.load("@suction_cup"), 4)
    frame = sweep.to_frame()
    assert isinstance(frame, pandas.DataFrame) and [*frame["status"]] == [str(status) for status in sweep.status]


def test_vectors_and_dictionaries_become_columns() -> None:
    row = flat({"name": "a", "force": np.arange(3.0), "effort": {"nodes": 2}, "pieces": [1, 2, 3, 4], "pair": (1, 2)})
    assert row == {
        "name": "a", "force_x": 0.0, "force_y": 1.0, "force_z": 2.0, "effort_nodes": 2, "pair_x": 1, "pair_y": 2,
    }  # fmt: skip


def test_a_notebook_shows_the_verdict_and_its_numbers() -> None:
    scene = hf.load("@suction_cup")
    for answer in (
        hf.equilibrium(scene.assembly, scene.gravity_load()),
        hf.load_limit(scene.assembly, scene.gravity_load()),
    ):
        page = answer._repr_html_()
        assert repr(answer).split("(")[0] in page
        assert "<th style='text-align:left'>proof verified</th><td>yes</td>" in page
        data = json.loads(json.dumps(plain(answer.to_dict())))
        assert data["status"] == answer.status.value


def test_names_are_escaped_in_notebooks() -> None:
    class Named(Result):
        def __repr__(self) -> str:
            return "Named(<b>)"

        def to_dict(self) -> dict[str, object]:
            return {"the_name": "<b>", "value": 1.0 / 3.0, "none": None, "list": [1, 2]}

    page = Named()._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;" in page
    assert "<td>0.333333</td>" in page and "<td>-</td>" in page and "list" not in page


FOOT = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.5), "foot")])
DOWN, UP = np.array([0, 0, -1.0, 0, 0, 0]), np.array([0, 0, 1.0, 0, 0, 0])


class Tired:
    """A method that gives up."""

    def test(self, problem: hf.solvers.ContactProblem) -> hf.solvers.Solution:
        return hf.solvers.Solution(hf.solvers.Status.UNDECIDED, -np.inf, np.inf)

    maximise = test


def test_an_answer_with_a_verdict_is_true_when_it_holds() -> None:
    assert hf.equilibrium(FOOT, DOWN)
    assert not hf.equilibrium(FOOT, UP)
    undecided = hf.equilibrium(FOOT, DOWN, method=Tired())
    assert undecided.status == "undecided" and not undecided
    grip, pose = hf.coulomb_grip(0.5), hf.Pose(np.eye(3), np.zeros(3))
    assert hf.posture_equilibrium(grip, [pose], DOWN)
    assert not hf.posture_equilibrium(grip, [pose], UP)
    assert hf.separation(FOOT, DOWN, np.eye(6))
    assert not hf.separation(FOOT, UP, np.eye(6))


def test_other_answers_have_no_truth_value_and_say_what_to_ask() -> None:
    with pytest.raises(InputError, match=r"LoadLimit: has no truth value \(use \.status"):
        bool(hf.load_limit(FOOT, UP))
    with pytest.raises(InputError, match=r"\.holds\.all\(\) or \.holds\.any\(\)"):
        bool(hf.statics.evaluate_path([(FOOT, DOWN)]))
    with pytest.raises(InputError, match=r"\.status"):
        _ = hf.load_limit(FOOT, DOWN) or None


def test_what_is_no_answer_is_true_unless_it_is_empty() -> None:
    class Part(Result):
        def to_dict(self) -> dict[str, object]:
            return {}

    class Several(Part):
        def __init__(self, count: int) -> None:
            self.count = count

        def __len__(self) -> int:
            return self.count

    assert Part() and Several(1) and not Several(0)
    assert hf.load("@suction_cup")
