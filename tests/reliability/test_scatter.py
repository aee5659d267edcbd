"""What a scatter may say, and which unit a contact belongs to."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import HoldfastError, InputError, UnknownNameError
from holdfast.reliability.scatter import Band, Distribution, Scatter, checked_units, units_of
from tests.referee import block
from tests.reliability.closed_forms import parallel

FULL = {
    "strength": Distribution("weibull", 1.0, 0.3),
    "friction": 0.1,
    "units": {"left": 0.2, "right": 0.0},
    "correlation": 0.4,
    "position": (0.001, 0.0, 0.002),
    "position_correlation": 0.0,
    "mass": 0.02,
    "com": 0.005,
}


def test_json_gives_the_same_scatter_back():
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    scatter = Scatter(**FULL, bands=[Band(volume, [volume.scaled(0.8), volume])])
    back = Scatter.from_dict(json.loads(json.dumps(scatter.to_dict())))
    assert back.to_dict() == scatter.to_dict()
    assert pickle.loads(pickle.dumps(scatter)).to_dict() == scatter.to_dict()
    assert back.units["right"] is None and not back.is_zero


def test_zero_scatter_is_no_scatter():
    assert Scatter().is_zero and Scatter(strength=0.0, position=0.0, mass=0).is_zero
    assert Scatter(strength=0.0).to_dict() == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("strength", -0.3),
        ("friction", -1e-9),
        ("mass", -0.1),
        ("position", -0.001),
        ("position", (0.001, -0.001, 0.0)),
        ("com", -1.0),
        ("correlation", 1.1),
        ("position_correlation", -0.1),
        ("units", {"a": -0.2}),
    ],
)
def test_negative_scatter_is_an_error_that_names_it(name, value):
    with pytest.raises(InputError, match=name):
        Scatter(**{name: value})


def test_millimetres_given_as_metres_are_noticed():
    with pytest.raises(InputError, match="position: is 2 m"):
        Scatter(position=2.0)


def test_units_are_the_patches_that_contacts_are_named_after():
    device = hf.devices.two_finger_gripper("D", "MD")
    assert list(dict.fromkeys(units_of(device.assembly()))) == ["left D", "right M", "right D"]
    contact = parallel().contacts[0]
    named = [hf.Contact(np.zeros(3), np.eye(3), contact.volume, name) for name in ("pad/0", "pad/1", "", "hook")]
    assert units_of(hf.Assembly(named)) == ("pad", "pad", "contact 2", "hook")
    assert units_of(parallel(), ["one", "one"]) == ("one", "one")
    with pytest.raises(InputError, match="groups"):
        units_of(parallel(), ["one"])


def test_a_unit_that_is_not_there_is_told():
    with pytest.raises(UnknownNameError, match="did you mean 'a'"):
        checked_units(Scatter(units={"aa": 0.1}), ["a", "b"])


def test_contacts_of_one_name_that_are_no_patch_are_units_of_their_own() -> None:
    volume = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)])
    names = ("pad", "pad", "foot[0]", "foot[1]", "", "hook")
    assembly = hf.Assembly([hf.Contact((x, 0, 0), np.eye(3), volume, name) for x, name in enumerate(names)])
    assert units_of(assembly) == ("pad (0)", "pad (1)", "foot", "foot", "contact 4", "hook")


@pytest.mark.parametrize(
    "data", [{"bogus": 1}, {"strength": {"kind": "weibull"}}, [1], {"units": [1]}, {"bands": 5}, {"bands": [5]}]
)
def test_data_that_are_no_scatter_are_told_so(data: Any) -> None:
    with pytest.raises(HoldfastError):
        Scatter.from_dict(data) if not isinstance(data, dict) or "bands" not in data else Scatter(**data)
