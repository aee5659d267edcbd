"""Inputs of the criteria are named, shaped and bounded, or refused with the name of what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from holdfast.errors import FrameError, HoldfastError, InputError, UnknownNameError
from holdfast.grasps.criteria import evaluate, read

GRASP: dict[str, Any] = {
    "contacts_mm": [[0.0, -10.0], [-10.0, 10.0], [10.0, 10.0]],
    "inward_normals": [[0.0, 1.0], [0.6, -0.8], [-0.6, -0.8]],
    "regions_mm": [[[-9.0, -10.0], [9.0, -10.0]], [[-5.0, 15.0], [-15.0, 5.0]], [[15.0, 5.0], [5.0, 15.0]]],
    "region_curvature": [0.0, 0.1, -0.1],
    "force_directions": [[0.0, 1.0], [0.8, -0.6], [-0.8, -0.6]],
    "grasp_focus_mm": [0.0, 0.0],
    "real_focus_mm": [0.0, 1.0],
    "extensions_mm": [10.0, 20.0, 30.0],
    "spread_rad": 1.0,
}
OBJECT = {"area_mm2": 400.0, "centroid_mm": [0.0, 0.0], "major_axis_mm": 25.0, "minor_axis_mm": 20.0}
PARAMS = {"mu": 0.4, "lambda_mm": 2.0, "W": 1.0, "eta_mm": 110.0}


def test_a_grasp_of_the_exchange_form_is_scored_as_it_is():
    told = {"rank": 1, "kind": "three_finger", "criteria": {"S1": 3.0}, "Q": 4.0, "palm": {"x_mm": 1.0}, "valid": True}
    flat = evaluate(**GRASP, **OBJECT, **PARAMS)
    assert evaluate(**GRASP, **told, **OBJECT, **PARAMS) == flat
    assert evaluate(**GRASP, **told, object=OBJECT, params=PARAMS) == flat
    assert evaluate(**GRASP, **OBJECT) == flat


def test_what_is_given_once_counts_for_all_grasps():
    two = evaluate(**{**GRASP, "spread_rad": [1.0, 1.4]}, **OBJECT)
    assert two["S1"][0] == two["S1"][1] and two["C4"][0] == 0.0 < two["C4"][1]


def test_some_real_foci_of_many_may_lie_at_infinity():
    many = {name: [value] * 3 for name, value in GRASP.items()} | {"real_focus_mm": [[0.0, 1.0], None, None]}
    inputs = read({**many, **OBJECT, "virtual_two_finger": [False, True, False]})
    assert inputs.at_infinity.tolist() == [False, True, True] and inputs.count == 3
    scores = evaluate(**many, **OBJECT, virtual_two_finger=[False, True, False])
    assert scores["valid"].tolist() == [True, True, False]
    assert evaluate(**{**many, "real_focus_mm": [None] * 3}, **OBJECT)["valid"].tolist() == [False] * 3


def test_a_virtual_grasp_needs_no_real_focus_and_may_be_flagged_by_a_number():
    without = {name: value for name, value in GRASP.items() if name != "real_focus_mm"}
    flagged = evaluate(**GRASP, **OBJECT, virtual_two_finger=True)
    assert evaluate(**without, **OBJECT, virtual_two_finger=1) == flagged
    assert evaluate(**without, **OBJECT, virtual_two_finger=[1, 1])["Q"].tolist() == [flagged["Q"]] * 2


@pytest.mark.parametrize("name", [*GRASP, *OBJECT])
def test_a_missing_quantity_is_named(name):
    with pytest.raises(InputError, match=name):
        evaluate(**{key: value for key, value in {**GRASP, **OBJECT}.items() if key != name})


@pytest.mark.parametrize("wrong, nearest", [("contact_mm", "contacts_mm"), ("lamda_mm", "lambda_mm"), ("w", "")])
def test_an_unknown_name_is_refused_with_the_nearest_one(wrong, nearest):
    with pytest.raises(UnknownNameError) as raised:
        evaluate(**GRASP, **OBJECT, **{wrong: 1.0})
    assert raised.value.nearest == nearest and "lambda_mm" in str(raised.value)


@pytest.mark.parametrize(
    "change, place",
    [
        ({"contacts_mm": [[0.0, np.nan], [1.0, 0.0], [0.0, 1.0]]}, r"contacts_mm\[0, 1\]"),
        ({"contacts_mm": [[0.0, np.inf], [1.0, 0.0], [0.0, 1.0]]}, r"contacts_mm\[0, 1\]"),
        ({"contacts_mm": [[0.0, 1e300], [1.0, 0.0], [0.0, 1.0]]}, r"contacts_mm\[0, 1\]"),
        ({"contacts_mm": np.zeros((2, 2))}, "contacts_mm"),
        ({"contacts_mm": np.zeros((1, 1, 3, 2))}, "contacts_mm"),
        ({"contacts_mm": "triangle"}, "contacts_mm"),
        ({"regions_mm": np.zeros((3, 2))}, "regions_mm"),
        ({"extensions_mm": [1.0, 2.0]}, "extensions_mm"),
        ({"real_focus_mm": [1.0, np.nan]}, "real_focus_mm"),
        ({"real_focus_mm": [1.0, 2.0, 3.0]}, "real_focus_mm"),
        ({"spread_rad": -0.1}, "spread_rad"),
        ({"spread_rad": 60.0}, "spread_rad"),
        ({"spread_rad": None}, "spread_rad"),
        ({"virtual_two_finger": "no"}, "virtual_two_finger"),
        ({"virtual_two_finger": 2}, "virtual_two_finger"),
        ({"mu": 0.0}, "mu"),
        ({"mu": -0.4}, "mu"),
        ({"mu": np.nan}, "mu"),
        ({"mu": [0.4, 0.0]}, r"mu\[1\]"),
        ({"lambda_mm": 0.0}, "lambda_mm"),
        ({"W": 0.0}, "W"),
        ({"eta_mm": -1.0}, "eta_mm"),
        ({"area_mm2": 0.0}, "area_mm2"),
        ({"major_axis_mm": -5.0}, "major_axis_mm"),
        ({"minor_axis_mm": 0.0}, "minor_axis_mm"),
        ({"spread_rad": [1.0, 1.0], "mu": [0.4, 0.4, 0.4]}, "unequal numbers"),
        ({"object": 3.0}, "object"),
        ({"object": OBJECT}, "given twice"),
    ],
)
def test_bad_input_is_refused_where_it_stands(change, place):
    with pytest.raises(InputError, match=place):
        evaluate(**{**GRASP, **OBJECT, **PARAMS, **change})


@pytest.mark.parametrize("name", ["inward_normals", "force_directions"])
@pytest.mark.parametrize("vector", [[0.0, 0.0], [2.0, 0.0], [0.9, 0.0]])
def test_directions_have_unit_length(name, vector):
    value = np.array(GRASP[name])
    value[1] = vector
    with pytest.raises(FrameError, match=rf"{name}\[1\]"):
        evaluate(**{**GRASP, **OBJECT, name: value})


def test_errors_are_holdfasts_own_for_any_type_of_nonsense():
    for name in (*GRASP, *OBJECT, *PARAMS):
        for nonsense in ("x", object(), [[1.0], [1.0, 2.0]], {"a": 1}):
            with pytest.raises(HoldfastError):
                evaluate(**{**GRASP, **OBJECT, **PARAMS, name: nonsense})


@pytest.mark.parametrize("focus", [None, [np.nan, np.nan]])
def test_parallel_fingers_that_meet_at_infinity_are_a_virtual_grasp(focus):
    parallel = {**GRASP, "real_focus_mm": focus, "spread_rad": 0.0}
    flagged = evaluate(**parallel, **OBJECT, virtual_two_finger=True)
    assert flagged["valid"]
    assert evaluate(**parallel, **OBJECT) == flagged
    assert not evaluate(**parallel, **OBJECT, virtual_two_finger=False)["valid"]
    assert not evaluate(**{**parallel, "spread_rad": 0.5}, **OBJECT)["valid"]
    assert evaluate(**{**parallel, "spread_rad": [0.0, 0.5, 0.0]}, **OBJECT)["valid"].tolist() == [True, False, True]


def test_the_flag_of_a_virtual_grasp_counts_more_than_its_spread():
    wide = {**GRASP, "real_focus_mm": None, "spread_rad": 1.5}
    assert evaluate(**wide, **OBJECT, virtual_two_finger=True)["C4"] == 0.0


@pytest.mark.parametrize("change", [{"W": "1"}, {"spread_rad": "0.5"}, {"extensions_mm": ["1", "2", "3"]}, {"W": 0.0}])
def test_text_and_weights_of_zero_are_refused(change):
    with pytest.raises(InputError, match=next(iter(change))):
        evaluate(**{**GRASP, **OBJECT, **PARAMS, **change})
