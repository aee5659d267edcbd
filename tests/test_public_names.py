"""Names and arguments that do not exist: the error says which is meant, at no cost to calls that are right."""

from __future__ import annotations

import importlib
import inspect
import logging
import pickle
import pkgutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast import public_names
from holdfast.errors import ArgumentError, HoldfastError, InputError, UnknownAttributeError
from holdfast.public_names import refused, with_advice

#: Rooms with a list of public names; `jobs` and `plotting` load theirs at once, by Python's own means.
ROOMS = [
    name
    for name in hf.__all__
    if hasattr(getattr(hf, name), "__path__")
    and getattr(hf, name).__name__ not in ("holdfast.jobs", "holdfast.plotting")
]


@pytest.mark.parametrize(
    ("package", "name", "advice"),
    [
        (hf, "equilibrum", "did you mean holdfast.equilibrium?"),
        (hf, "Contacts", "did you mean holdfast.Contact?"),
        (hf, "Scatter", "it is holdfast.reliability.Scatter"),
        (hf.statics, "gravity_sweeep", "did you mean holdfast.statics.gravity_sweep?"),
        (hf.models, "coulom", "did you mean holdfast.force_limits.models.coulomb?"),
        (hf, "xyzzy", "see dir(holdfast)"),
    ],
)
def test_a_name_that_does_not_exist_leads_to_the_one_that_is_meant(package: Any, name: str, advice: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(package, name)
    assert isinstance(caught.value, UnknownAttributeError) and isinstance(caught.value, HoldfastError)
    assert (caught.value.where, caught.value.fix) == (package.__name__, advice)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("name", ROOMS)
def test_every_room_gives_such_advice_but_not_about_names_of_python(name: str) -> None:
    room = getattr(hf, name)
    with pytest.raises(UnknownAttributeError, match=f"did you mean {room.__name__}.{room.__all__[0]}"):
        getattr(room, f"{room.__all__[0]}_")
    assert not hasattr(room, "__wrapped__") and not hasattr(room, "_none")


#: What is public at the top and not called by users with arguments of their own.
NOT_CALLED = {"HoldfastError", "Status"}


def _called() -> list[Any]:
    own = [(hf, name) for name in hf.__all__ if name not in NOT_CALLED]
    own += [(hf.planar, name) for name in ("Body", "Contact", "System", "Chain", "Task", "motions", "torque_sets")]
    own += [(hf.models, info.name) for info in hf.models.list()]
    own += [(hf.grasps, "plan"), (hf.loads, "gravity_wrench"), (hf.reliability, "Scatter")]
    found = [getattr(place, name) for place, name in own]
    return [pytest.param(thing, id=f"{thing.__module__}.{thing.__name__}") for thing in found if callable(thing)]


@pytest.mark.parametrize("thing", _called())
def test_a_wrong_keyword_of_everything_that_users_call_is_explained(thing: Any) -> None:
    name = next(iter(inspect.signature(thing).parameters))
    with pytest.raises(ArgumentError) as caught:
        thing(**{f"{name}_": 1})
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, InputError)
    assert caught.value.what == f"there is no argument '{name}_'" and caught.value.where == thing.__name__
    assert name in caught.value.fix or "from_urdf" in caught.value.fix


def test_what_beginners_try_leads_on() -> None:
    with pytest.raises(ArgumentError, match=r"rotation=holdfast.frame_from_normal\(normal\)"):
        hf.Contact(position=(0, 0, 0), normal=(0, 0, 1), volume=hf.models.coulomb(0.5))  # pyright: ignore[reportCallIssue]
    with pytest.raises(InputError, match=r"rotation: is one direction .*frame_from_normal"):
        hf.Contact((0, 0, 0), (0, 0, 1), hf.models.coulomb(0.5))  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentError, match=r"Robot.from_urdf\(path\).*holdfast.load\(path\)"):
        hf.Robot("dog.urdf")  # pyright: ignore[reportCallIssue, reportArgumentType]
    with pytest.raises(ArgumentError, match="needs increment|needs"):
        hf.frame_from_normal()  # pyright: ignore[reportCallIssue]


def test_missing_repeated_and_surplus_arguments_are_named() -> None:
    @with_advice()
    def asked(one: int, two: int = 2, *, three: int = 3) -> int:
        return one + two + three

    assert asked(1, two=5) == 9
    for args, given, what in (
        ((), {"two": 1}, "needs one"),
        ((1,), {"one": 1}, "got 'one' twice"),
        ((1, 2, 3), {}, "takes at most 2 positional arguments"),
        ((1,), {"there": 1}, "there is no argument 'there'"),
    ):
        with pytest.raises(ArgumentError) as caught:
            asked(*args, **given)
        assert caught.value.what == what
        assert "asked(one, two=..., three=...)" in caught.value.fix
    assert "did you mean three?" in refused(asked, 1, ["thre"]).fix  # pyright: ignore[reportAttributeAccessIssue]


def test_a_type_error_from_inside_comes_through_as_it_is() -> None:
    @with_advice()
    def broken(value: Any) -> int:
        return len(value)

    with pytest.raises(TypeError, match="has no len") as caught:
        broken(3)
    assert not isinstance(caught.value, ArgumentError)


def test_marked_names_keep_signature_text_and_identity() -> None:
    assert hf.equilibrium is importlib.import_module("holdfast.statics.holding").equilibrium
    assert [*inspect.signature(hf.Contact).parameters][:3] == ["position", "rotation", "volume"]
    assert inspect.signature(hf.equilibrium).parameters["method"].default is None
    assert (hf.equilibrium.__doc__ or "").startswith("Whether")
    assert pickle.loads(pickle.dumps(hf.equilibrium)) is hf.equilibrium
    pose = hf.Pose(np.eye(3), np.zeros(3))
    assert np.array_equal(pickle.loads(pickle.dumps(pose)).translation, np.zeros(3))


def test_the_library_is_quiet_and_its_log_says_what_was_solved(caplog: pytest.LogCaptureFixture) -> None:
    handlers = logging.getLogger("holdfast").handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)
    scene = hf.load("@suction_cup")
    with caplog.at_level(logging.DEBUG, logger="holdfast"):
        hf.equilibrium(scene)
    assert any("equilibrium of 8 contacts by Exact(" in record.getMessage() for record in caplog.records)
    code = "import holdfast as hf; hf.equilibrium(hf.load('@suction_cup'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


def test_a_fall_back_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    # a piece without the zero force and a load without a limit are left to the reference method
    volume = hf.ForceVolume([[[0, 0, 1.0], [0.1, 0, 2], [-0.1, 0, 2], [0, 0.1, 2], [0, -0.1, 2]]])
    assembly = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)])
    with caplog.at_level(logging.INFO, logger="holdfast"):
        answer = hf.load_limit(assembly, (0, 0, -1, 0, 0, 0))
    said = any("falling back on the reference method" in record.getMessage() for record in caplog.records)
    assert said is answer.effort.referee


def test_every_package_uses_the_one_mechanism() -> None:
    for module in pkgutil.walk_packages(hf.__path__, "holdfast."):
        if module.ispkg:
            source = inspect.getsource(importlib.import_module(module.name))
            assert "lazy_loader" not in source, module.name
    assert "attach_stub" in inspect.getsource(public_names)
