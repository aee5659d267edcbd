"""Results share one shape: proof, plain data, a readable repr, a table in notebooks."""

from __future__ import annotations

import importlib
import inspect
import json

import numpy as np
import pytest

import holdfast as hf
from holdfast.console.output import plain
from holdfast.errors import InputError
from holdfast.results import Result

ROOMS = (
    *("dynamics", "force_limits", "grasps", "grips", "planar", "postures", "reliability", "robots", "statics"),
    "wrench_spaces",
)
#: Proofs and parts of results, which are checked but not printed by themselves.
PARTS = {"SeparationCertificate", "RayEnd", "ScaleInterval", "SeparatingWrench", "SumBound"}


@pytest.mark.parametrize("room", ROOMS)
def test_what_can_be_verified_can_be_printed(room: str) -> None:
    module = importlib.import_module(f"holdfast.{room}")
    classes = [thing for name in module.__all__ if inspect.isclass(thing := getattr(module, name))]
    found = {c.__name__ for c in classes if hasattr(c, "verify") and c.__name__ not in PARTS}
    assert found <= {c.__name__ for c in classes if issubclass(c, Result)}
    for c in classes:
        assert not issubclass(c, Result) or c.to_dict is not Result.to_dict, c.__name__


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
    with pytest.raises(InputError, match=r"LoadLimit: has no truth value \(ask \.status"):
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
