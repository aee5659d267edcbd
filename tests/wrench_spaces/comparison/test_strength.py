from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.papers.figures import single_unit
from holdfast.wrench_spaces import Rays, Subspace, wrench_space
from holdfast.wrench_spaces.comparison import Design, Strength, compare, measure_strength
from tests.wrench_spaces.comparison.cases import at_one_point, cross, tripod, weakest_wrench


def measured(design: Design, *, length: float = 0.1, level: int = 1) -> Strength:
    settings = {
        "length": length,
        "level": level,
        "seed": 0,
        "workers": 1,
        "method": hf.solvers.Exact(),
        "sampling": hf.solvers.Exact(),
    }
    return measure_strength("it", design, **settings, report=lambda rays: None)


def test_a_box_of_forces_has_its_sides_its_corner_and_its_volume() -> None:
    point = (0.3, -0.1, 0.2)
    strength = measured(Design(at_one_point(2.0, 3.0, 7.0, point=point), np.array(point)), level=2)
    for key, value in (("+fx", 2.0), ("-fx", 2.0), ("+fy", 3.0), ("-fz", 7.0)):
        assert strength.value(key) == pytest.approx(value, rel=1e-6)
        assert strength.upper_bound(key) == pytest.approx(value, rel=2e-6)
    for key in ("+tx", "-ty", "+tz", "weakest wrench"):
        assert strength.value(key) == pytest.approx(0.0, abs=1e-6)
    assert strength.value("weakest force") == pytest.approx(2.0, rel=1e-5)
    assert strength.value("strongest force") == pytest.approx(np.sqrt(4 + 9 + 49), rel=1e-2)
    volume = strength.value("force volume")
    assert 0.93 * 8 * 42 < volume < 8 * 42 * (1 + 1e-6)  # flat between the rays: inside a convex set
    assert 8 * 42 * (1 - 1e-6) < strength.upper_bound("force volume") < 8 * 42 * 1.001
    assert strength.undecided == 0 and strength.proven == len(strength.proofs) == 15


def test_torques_of_a_cross_are_those_of_its_arms() -> None:
    strength = measured(Design(cross(0.2, 1.5)))
    assert strength.value("+fx") == pytest.approx(6.0, rel=1e-6)
    assert strength.value("+tz") == pytest.approx(4 * 0.2 * 1.5, rel=1e-6)
    assert strength.value("-tx") == pytest.approx(2 * 0.2 * 1.5, rel=1e-6)


def test_forces_through_another_point_bring_torques_that_cost() -> None:
    at = np.array([0.0, 0.0, 0.5])
    strength = measured(Design(cross(0.2, 1.5), at))
    assert strength.value("+fz") == pytest.approx(6.0, rel=1e-6)  # along the arm: no torque
    assert strength.value("+fx") < 2.0  # 0.5 N m a newton, of 0.6 N m that the arms can take
    again = hf.load_limit(cross(0.2, 1.5), [1, 0, 0, *np.cross(at, [1, 0, 0])])
    assert strength.value("+fx") == pytest.approx(again.value, rel=1e-6)
    assert strength.value("+tz") == pytest.approx(4 * 0.2 * 1.5, rel=1e-6)  # a pure torque has no point


@pytest.mark.parametrize("seed", [3, 4])
def test_the_weakest_wrench_is_the_nearest_facet_of_the_wrench_space(seed: int) -> None:
    assembly = tripod(seed)
    strength = measured(Design(assembly), length=0.07)
    assert strength.value("weakest wrench") == pytest.approx(weakest_wrench(assembly, 0.07), rel=1e-4)
    direction = strength.extremes["weakest wrench"].direction
    assert np.linalg.norm(direction / [1, 1, 1, 0.07, 0.07, 0.07]) == pytest.approx(1.0)
    assert strength.value("weakest wrench") <= strength.value("weakest force") * (1 + 1e-6)


def test_no_ray_all_round_a_dented_unit_is_weaker_or_stronger_than_what_the_search_found() -> None:
    """The rays of the search are found to half a per cent, and so is the direction that it ends in."""
    unit = single_unit()
    strength = compare({"unit": unit}, level=1, workers=1)["unit"]
    around = wrench_space(unit, Rays.sphere(Subspace.named("fx,fy,fz"), 3), workers=1)
    assert strength.value("weakest force") <= around.values.min() * 1.005
    assert strength.value("strongest force") >= around.values.max() / 1.005
    assert strength.proven == 15


def test_friction_alone_is_without_limit_where_it_is_pressed_and_nothing_where_it_is_pulled() -> None:
    cone = hf.models.coulomb(0.5)
    contacts = [
        hf.Contact(np.array([x, y, 0.0]), np.eye(3), cone) for x, y in ((0.1, 0.0), (-0.05, 0.08), (-0.05, -0.08))
    ]
    strength = measured(Design(hf.Assembly(contacts)))
    assert strength.value("-fz") == np.inf and strength.value("+fz") == pytest.approx(0.0, abs=1e-9)
    assert strength.value("strongest force") == np.inf and strength.value("force volume") == np.inf
    assert strength.value("weakest force") == pytest.approx(0.0, abs=1e-9)
    assert strength.proven == len(strength.proofs)


def test_the_data_are_plain() -> None:
    data = measured(Design(at_one_point(1, 1, 1)), level=0).to_dict()
    assert (data["contacts"], data["joints"], data["point"]) == (1, 0, [0.0, 0.0, 0.0])
    assert set(data["measures"]["+fx"]) == {"value", "upper_bound"}
    assert len(data["directions"]["weakest wrench"]) == 6


def test_no_axis_is_weaker_than_the_weakest_or_stronger_than_the_strongest() -> None:
    gripper = hf.devices.two_finger_gripper("MD", "MD")
    # The search asks loosely, as it does by default, and may end beside an axis that is a little weaker.
    settings = {
        "length": 0.1,
        "level": 1,
        "seed": 0,
        "workers": 1,
        "method": hf.solvers.Exact(),
        "sampling": hf.solvers.Exact(gap=0.05),
    }
    design = Design(gripper.assembly(), gripper.object.com)
    made = measure_strength("it", design, **settings, report=lambda rays: None)
    forces = [made.value(f"{sign}{axis}") for sign in "+-" for axis in ("fx", "fy", "fz")]
    assert made.value("weakest force") <= min(forces) * (1 + 1e-6)
    assert made.value("strongest force") >= max(forces) * (1 - 1e-6)
    assert made.value("weakest wrench") <= made.value("weakest force") * (1 + 1e-6)
