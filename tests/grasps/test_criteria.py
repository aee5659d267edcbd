"""Inputs of the criteria are named, shaped and bounded, or refused with the name of what is wrong.

The ten criteria at their edge cases, against another formulation, and under motions of the plane.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FrameError, HoldfastError, InputError, UnknownNameError
from holdfast.grasps import criteria
from holdfast.grasps.criteria import CRITERIA, evaluate, read

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


EXACT = {"rel": 1e-9, "abs": 1e-9}
MU = 0.4
CONE = math.atan(MU)
ORIGIN = np.zeros(2)


def turned(vectors: np.ndarray, angle: float | np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[..., 0] - s * vectors[..., 1], s * vectors[..., 0] + c * vectors[..., 1]], axis=-1)


def disc_grasp(radius: float = 50.0, **changes: Any) -> dict[str, Any]:
    """The centred equilateral grasp of a disc, with regions 20 mm long, all by hand."""
    angle = np.deg2rad([-90.0, 150.0, 30.0])
    out = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    along = turned(out, np.pi / 2)
    grasp = {
        "contacts_mm": radius * out,
        "inward_normals": -out,
        "regions_mm": np.stack([radius * out - 10.0 * along, radius * out + 10.0 * along], axis=1),
        "region_curvature": np.full(3, -10.0 / radius),
        "force_directions": -out,
        "grasp_focus_mm": ORIGIN,
        "real_focus_mm": ORIGIN,
        "extensions_mm": np.full(3, radius),
        "spread_rad": np.pi / 3,
        "area_mm2": np.pi * radius**2,
        "centroid_mm": ORIGIN,
        "major_axis_mm": 2.0 * radius,
        "minor_axis_mm": 2.0 * radius,
    }
    return {**grasp, **changes}


def virtual_grasp(**changes: Any) -> dict[str, Any]:
    """Thumb below, two fingers above a bar 30 mm high, the thumb's line 3 mm right of the focus."""
    grasp = {
        "contacts_mm": [[3.0, -15.0], [-22.0, 15.0], [28.0, 15.0]],
        "inward_normals": [[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]],
        "regions_mm": [[[-60.0, -15.0], [60.0, -15.0]], [[60.0, 15.0], [-60.0, 15.0]], [[60.0, 15.0], [-60.0, 15.0]]],
        "region_curvature": [0.1, 0.25, 0.25],
        "force_directions": [[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]],
        "grasp_focus_mm": [0.0, 2.0],
        "real_focus_mm": None,
        "extensions_mm": [15.0, 15.0, 15.0],
        "spread_rad": 0.0,
        "virtual_two_finger": True,
        "area_mm2": 3600.0,
        "centroid_mm": [0.0, 0.0],
        "major_axis_mm": 140.0,
        "minor_axis_mm": 35.0,
    }
    return {**grasp, **changes}


def random_grasp(rng: np.random.Generator) -> dict[str, Any]:
    """Any grasp with contacts well inside their regions or close to an end, no cone edge hit."""
    contacts = rng.normal(size=(3, 2)) * 40.0
    headings = rng.uniform(-np.pi, np.pi, 3)
    normals = np.stack([np.cos(headings), np.sin(headings)], axis=1)
    along = turned(normals, -np.pi / 2)
    ahead, behind = rng.uniform(0.2, 12.0, (2, 3, 1))
    return {
        "contacts_mm": contacts,
        "inward_normals": normals,
        "regions_mm": np.stack([contacts - behind * along, contacts + ahead * along], axis=1),
        "region_curvature": rng.normal(size=3) * 0.3,
        "force_directions": turned(normals, rng.normal(size=3) * 0.3),
        "grasp_focus_mm": rng.normal(size=2) * 20.0,
        "real_focus_mm": rng.normal(size=2) * 20.0,
        "extensions_mm": rng.uniform(0.0, 150.0, 3),
        "spread_rad": rng.uniform(0.0, 1.5),
        "area_mm2": rng.uniform(500.0, 9000.0),
        "centroid_mm": rng.normal(size=2) * 5.0,
        "major_axis_mm": rng.uniform(60.0, 90.0),
        "minor_axis_mm": rng.uniform(20.0, 60.0),
        "mu": rng.uniform(0.1, 1.2),
        "lambda_mm": rng.uniform(1.0, 4.0),
        "W": rng.choice([0.5, 1.0, 2.0]),
        "eta_mm": rng.uniform(80.0, 130.0),
    }


@pytest.mark.parametrize(
    "contacts, value",
    [
        ([[0, 0], [1, 0], [0, 1]], 0.5),
        ([[0, 0], [2, 0], [1, math.sqrt(3)]], 0.0),
        ([[0, 0], [1, 1], [2, 2]], 2.0),
        ([[0, 0], [3, 3], [2, 2]], 2.0),
        ([[5, 1], [5, 1], [2, 7]], 2.0),
        ([[5, 1], [2, 7], [2, 7]], 2.0),
        ([[5, 1], [2, 7], [5, 1]], 2.0),
        ([[5, 1], [5, 1], [5, 1]], 2.0),
        ([[0, 0], [0, 0], [0, 0]], 2.0),
    ],
)
def test_s1_at_its_anchors(contacts, value):
    assert criteria.s1(np.array(contacts, dtype=float)) == pytest.approx(value, **EXACT)


def test_contacts_in_a_line_of_any_direction_have_no_triangle():
    rng = np.random.default_rng(5)
    heading, start = rng.uniform(-np.pi, np.pi, 2000), rng.normal(size=(2000, 1, 2)) * 30.0
    direction = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    contacts = start + rng.uniform(-50.0, 50.0, (2000, 3, 1)) * direction[:, None, :]
    assert np.array_equal(criteria.s1(contacts), np.full(2000, 2.0))
    assert np.isposinf(criteria.s2(contacts, 1000.0)).all()


def test_a_thin_triangle_is_still_a_triangle():
    assert criteria.s2(np.array([[0.0, 0.0], [100.0, 0.0], [50.0, 1e-9]]), 1.0) == pytest.approx(1 / 2e-7, rel=1e-6)


@pytest.mark.parametrize(
    "distance, value", [(2.0, 0.0), (7.0, 0.0), (1.0, 1.0), (0.5, 3.0), (0.0, math.inf), (-0.1, math.inf)]
)
def test_s3_of_one_contact_near_an_end(distance, value):
    along = np.array([0.6, 0.8])
    regions = np.stack([np.zeros((3, 2)), np.tile(20.0 * along, (3, 1))], axis=1)
    contacts = np.tile(10.0 * along, (3, 1))
    for finger in range(3):
        for end in (distance * along, (20.0 - distance) * along):
            moved = contacts.copy()
            moved[finger] = end
            assert criteria.s3(moved, regions, 2.0) == pytest.approx(value, **EXACT)


def test_s3_adds_up_all_six_distances_and_looks_along_the_region_only():
    regions = np.tile([[0.0, 0.0], [2.0, 0.0]], (3, 1, 1))
    assert criteria.s3(np.tile([1.0, 0.0], (3, 1)), regions, 2.0) == pytest.approx(6.0, **EXACT)
    assert criteria.s3(np.tile([1.0, 0.7], (3, 1)), regions, 2.0) == pytest.approx(6.0, **EXACT)


def test_a_region_of_no_length_leaves_no_margin():
    scores = evaluate(**disc_grasp(regions_mm=np.repeat(disc_grasp()["contacts_mm"][:, None, :], 2, axis=1)))
    assert scores["S3"] == math.inf and scores["Q"] == math.inf and scores["valid"] is False


def test_s4_is_not_clamped():
    assert criteria.s4(np.array([1.0, 2.0, 3.0])) == -5.0
    assert criteria.s4(np.array([-1.0, -2.0, -3.0])) == 7.0


def test_c1_at_half_the_cone_is_one_and_at_the_cone_still_uses_weight_one():
    normals = disc_grasp()["inward_normals"]
    rng = np.random.default_rng(8)
    for mu in (0.1, 0.3, 0.4, 1.0, 2.5):
        cone = math.atan(mu)
        assert criteria.c1(turned(normals, cone / 2), normals, mu) == pytest.approx(1.0, **EXACT)
        for heading in rng.uniform(-np.pi, np.pi, 50):
            upright = turned(normals, heading)
            for sign in (1.0, -1.0):
                assert criteria.c1(turned(upright, sign * cone), upright, mu) == pytest.approx(4.0, **EXACT)
        assert criteria.c1(turned(normals, cone * (1 + 1e-9)), normals, mu) == pytest.approx(12.0, rel=1e-7)
    one = turned(normals, np.array([0.0, 0.0, CONE * 1.5]))
    assert criteria.c1(one, normals, MU) == pytest.approx(4.0 * 2.25, **EXACT)


def test_deviations_reach_from_zero_to_pi_without_loss_at_the_ends():
    normal = np.array([0.6, 0.8])
    for angle in (0.0, 1e-12, 1e-7, 0.3, np.pi / 2, 3.0, np.pi - 1e-9, np.pi):
        assert criteria.deviations(turned(normal, angle), normal) == pytest.approx(angle, abs=1e-15, rel=1e-3)
        assert criteria.deviations(turned(normal, -angle), normal) == pytest.approx(angle, abs=1e-15, rel=1e-3)
    assert criteria.deviations(-normal, normal) == np.pi


def test_c3_of_one_finger_stretched_out_is_two():
    assert criteria.c3(np.array([0.0, 0.0, 110.0]), 110.0) == pytest.approx(2.0, **EXACT)


@pytest.mark.parametrize(
    "degrees, value", [(0, 0), (59.9, 0), (60, 0), (75, 1), (80, 2), (85, 5), (90, math.inf), (120, math.inf)]
)
def test_c4_at_its_anchors(degrees, value):
    assert criteria.c4(math.radians(degrees)) == pytest.approx(value, **EXACT)
    assert criteria.c4(degrees * math.pi / 180.0, virtual=True) == 0.0


def test_c6_is_in_mm():
    assert criteria.c6(np.array([110.0, 112.5, 150.0]), 110.0) == pytest.approx(42.5, **EXACT)


def test_c2_and_c5_measure_distances():
    scores = evaluate(**disc_grasp(real_focus_mm=[3.0, 4.0], centroid_mm=[3.0, 0.0], W=0.5))
    assert scores["C2"] == pytest.approx(2 * 5 / (110 * 0.4), **EXACT)
    assert scores["C5"] == pytest.approx(4 * 4 * 0.5 / 200, **EXACT)


def test_a_virtual_grasp_takes_the_point_of_the_thumb_line_nearest_to_the_focus():
    scores = evaluate(**virtual_grasp())
    assert scores["C2"] == pytest.approx(2 * 3 / (110 * 0.4), **EXACT)
    assert scores["C5"] == pytest.approx(4 * math.hypot(3, 2) / 175, **EXACT)
    assert scores["C4"] == 0.0
    assert scores["S4"] == pytest.approx(1 - 0.1 - 2 * 0.25, **EXACT)
    assert scores["valid"] is True
    for same in ({"real_focus_mm": [None, None]}, {"real_focus_mm": [np.nan, np.nan]}, {"spread_rad": 1.5}):
        assert evaluate(**virtual_grasp(**same)) == scores
    by_kind = virtual_grasp(kind="virtual_two_finger")
    del by_kind["virtual_two_finger"]
    assert evaluate(**by_kind) == scores


def test_a_focus_at_infinity_of_any_other_grasp_is_infinitely_far():
    scores = evaluate(**virtual_grasp(virtual_two_finger=False))
    assert scores["C2"] == scores["C5"] == scores["Q"] == math.inf and scores["valid"] is False


def test_an_infinite_criterion_makes_the_sum_infinite_and_nothing_nan():
    flat = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
    ends = np.tile([[2.0, 0.0], [5.0, 0.0]], (3, 1, 1))
    scores = evaluate(**disc_grasp(contacts_mm=flat, regions_mm=ends, spread_rad=np.pi / 2, real_focus_mm=None))
    assert {scores[name] for name in ("S2", "S3", "C2", "C4", "C5", "Q")} == {math.inf}
    assert not any(math.isnan(value) for value in scores.values())
    assert scores["valid"] is False


def test_one_grasp_gives_python_numbers_and_many_give_arrays_with_the_same_values():
    rng = np.random.default_rng(11)
    grasps = [random_grasp(rng) for _ in range(7)] + [virtual_grasp(mu=0.4, lambda_mm=2.0, W=1.0, eta_mm=110.0)]
    single = [evaluate(**grasp) for grasp in grasps]
    assert list(single[0]) == [*CRITERIA, "Q", "valid"]
    assert all(type(value) is float for name, value in single[0].items() if name != "valid")
    batch: dict[str, Any] = {
        name: [grasp[name] for grasp in grasps] for name in grasps[0] if name != "virtual_two_finger"
    }
    many = evaluate(**batch, virtual_two_finger=[False] * 7 + [True])
    for name, column in many.items():
        assert column.shape == (8,) and column == pytest.approx([scores[name] for scores in single], rel=1e-13)
    assert many["valid"].dtype == bool


def test_no_grasps_have_no_scores():
    assert evaluate(**disc_grasp(contacts_mm=np.zeros((0, 3, 2))))["Q"].shape == (0,)


MOTION = st.tuples(st.floats(-3.1, 3.1), st.floats(-80.0, 80.0), st.floats(-80.0, 80.0), st.booleans())


def moved(grasp: dict[str, Any], angle: float, x: float, y: float, mirror: bool, scale: float = 1.0) -> dict[str, Any]:
    def vectors(value: Any) -> np.ndarray:
        result = np.asarray(value, dtype=float) * ([-1.0, 1.0] if mirror else [1.0, 1.0])
        return turned(result, angle)

    points = ("contacts_mm", "regions_mm", "grasp_focus_mm", "real_focus_mm", "centroid_mm")
    changed = {name: scale * vectors(grasp[name]) + [x, y] for name in points if grasp[name] is not None}
    return {**grasp, **changed, **{name: vectors(grasp[name]) for name in ("inward_normals", "force_directions")}}


@given(seed=st.integers(0, 2**32 - 1), motion=MOTION, virtual=st.booleans())
def test_turning_shifting_and_mirroring_change_no_criterion(seed, motion, virtual):
    grasp = virtual_grasp() if virtual else random_grasp(np.random.default_rng(seed))
    before, after = evaluate(**grasp), evaluate(**moved(grasp, *motion))
    assert after == pytest.approx(before, rel=1e-8, abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(0.05, 20.0))
def test_scaling_all_lengths_scales_c6_and_the_curvature_part_of_s4_only(seed, scale):
    grasp = random_grasp(np.random.default_rng(seed))
    larger = moved(grasp, 0.0, 0.0, 0.0, False, scale)
    for name in ("extensions_mm", "major_axis_mm", "minor_axis_mm", "lambda_mm", "eta_mm"):
        larger[name] = scale * grasp[name]
    larger |= {"area_mm2": scale**2 * grasp["area_mm2"], "region_curvature": grasp["region_curvature"] / scale}
    before, after = evaluate(**grasp), evaluate(**larger)
    for name in set(CRITERIA) - {"C6", "S4"}:
        assert after[name] == pytest.approx(before[name], rel=1e-8, abs=1e-9)
    assert after["C6"] == pytest.approx(scale * before["C6"], rel=1e-8, abs=1e-9)
    assert 1 - after["S4"] == pytest.approx((1 - before["S4"]) / scale, rel=1e-8, abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(0.1, 10.0))
def test_weight_scales_s2_and_c5_and_nothing_else(seed, factor):
    grasp = random_grasp(np.random.default_rng(seed))
    before, after = evaluate(**grasp), evaluate(**{**grasp, "W": factor * grasp["W"]})
    for name in CRITERIA:
        assert after[name] == pytest.approx(before[name] * (factor if name in ("S2", "C5") else 1.0), rel=1e-9)
