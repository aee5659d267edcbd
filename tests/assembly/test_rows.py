"""Joint rows: validation, combination, and the bounds of (5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.assembly.assembly import JointRows
from holdfast.assembly.joints import Joint, joint_rows, side_by_side, stacked
from holdfast.errors import InputError


def rows(count: int, contacts: int, seed: int = 0, names: tuple[str, ...] = ()) -> JointRows:
    rng = np.random.default_rng(seed)
    return JointRows(rng.normal(size=(count, 3 * contacts)), -np.ones(count), np.ones(count), names)


def test_values_are_the_jacobian_times_the_stacked_forces() -> None:
    made = rows(2, 3)
    forces = np.arange(9.0).reshape(3, 3)
    expected = [sum(made.jacobian[r, 3 * i + a] * forces[i, a] for i in range(3) for a in range(3)) for r in range(2)]
    np.testing.assert_allclose(made.values(forces), expected)


def test_infinite_bounds_mean_no_limit() -> None:
    made = JointRows(np.zeros((2, 3)), [-np.inf, 0.0], [0.0, np.inf])
    assert made.lower[0] == -np.inf
    assert len(made) == 2
    assert made.contacts == 1


@pytest.mark.parametrize(
    "jacobian, lower, upper, names, match",
    [
        (np.zeros((2, 4)), [0, 0], [0, 0], (), "jacobian: has 4 columns"),
        (np.zeros(3), [0], [0], (), r"jacobian: has shape \(3,\)"),
        (np.zeros((2, 3)), [0], [0, 0], (), r"lower: has shape \(1,\)"),
        (np.zeros((2, 3)), [0, 0], [0, 0, 0], (), r"upper: has shape \(3,\)"),
        (np.zeros((2, 3)), [0, 2], [0, 1], (), "row 1: lower 2 is above upper 1"),
        (np.zeros((2, 3)), [0, 2], [0, 1], ("knee", "hip"), r"row 1 \(hip\): lower 2 is above upper 1"),
        (np.zeros((1, 3)), [np.nan], [1], (), r"lower\[0\]: is nan"),
        (np.zeros((1, 3)), [np.inf], [np.inf], (), "row 0: .*no finite value"),
        (np.zeros((1, 3)), [-np.inf], [-np.inf], (), "row 0: .*no finite value"),
        (np.full((1, 3), np.inf), [0], [0], (), r"jacobian\[0, 0\]: is inf"),
        (np.zeros((1, 3)), [0], [0], ("a", "b"), "names: has 2 entries for 1 rows"),
    ],
)
def test_bad_rows_are_refused(jacobian: object, lower: object, upper: object, names: tuple, match: str) -> None:
    with pytest.raises(InputError, match=match):
        JointRows(jacobian, lower, upper, names)  # type: ignore[arg-type]


def test_padded_rows_do_not_feel_the_new_contacts() -> None:
    made = rows(2, 2)
    wide = made.padded(before=1, after=2)
    forces = np.random.default_rng(3).normal(size=(5, 3))
    np.testing.assert_allclose(wide.values(forces), made.values(forces[1:3]))
    with pytest.raises(InputError, match="before: is -1"):
        made.padded(before=-1)


def test_stacked_rows_keep_their_order_and_names() -> None:
    first, second = rows(1, 2, 1, ("a",)), rows(2, 2, 2)
    both = stacked([first, second])
    assert both.names == ("a", "row 1", "row 2")
    np.testing.assert_array_equal(both.jacobian, np.concatenate([first.jacobian, second.jacobian]))
    assert stacked([second]).names == ()


def test_fingers_side_by_side_feel_only_their_own_contacts() -> None:
    fingers = [rows(2, 1, 1), rows(3, 2, 2), rows(1, 1, 3)]
    both = side_by_side(fingers)
    forces = np.random.default_rng(4).normal(size=(4, 3))
    expected = [fingers[0].values(forces[:1]), fingers[1].values(forces[1:3]), fingers[2].values(forces[3:])]
    np.testing.assert_allclose(both.values(forces), np.concatenate(expected))


def test_rows_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(InputError, match=r"rows: are for 1, 2 contacts.*padded"):
        stacked([rows(1, 1), rows(1, 2)])
    with pytest.raises(InputError, match="rows: is no list of JointRows"):
        side_by_side([])


@given(
    st.floats(-5, 5),
    st.floats(0, 5),
    st.floats(0, 2),
    st.floats(0, 10),
    st.floats(-2, 2),
    st.floats(-3, 3),
    st.floats(-1, 1),
    st.floats(-4, 4),
    st.floats(-9, 9),
)
def test_a_row_holds_exactly_when_actuator_and_friction_can_close_the_balance(
    low: float,
    width: float,
    friction: float,
    stiffness: float,
    rest: float,
    preload: float,
    q: float,
    g: float,
    f: float,
) -> None:
    """(4) with tau = actuator + spring + friction: what actuator and friction must give lies in their range."""
    joint = Joint("j", low, low + width, friction, stiffness, rest, preload)
    made = joint_rows([joint], [q], [[0.5, 0.0, 0.0]], [g])
    tau = g + 0.5 * f  # (4)
    wanted = tau - (preload - stiffness * (q - rest))
    margin = min(wanted - (low - friction), (low + width + friction) - wanted)
    value = float(made.values([[f, 0, 0]])[0])
    assert min(value - made.lower[0], made.upper[0] - value) == pytest.approx(margin, abs=1e-9)


def test_a_passive_joint_is_held_by_friction_about_its_gravity_torque() -> None:
    made = joint_rows([Joint.passive("pin", friction=0.01)], [0.3], np.zeros((1, 3)), [0.004])
    np.testing.assert_allclose((made.lower[0], made.upper[0]), (-0.014, 0.006))
    assert made.names == ("pin",)


def test_a_motor_without_limits_gives_no_bounds() -> None:
    made = joint_rows([Joint("m", -np.inf, np.inf, preload=2.0)], [0.0], np.zeros((1, 3)))
    assert (made.lower[0], made.upper[0]) == (-np.inf, np.inf)


def test_a_motor_gives_its_torque_either_way() -> None:
    made = joint_rows([Joint.motor(torque=10.0, friction=0.5)], [1.0], np.zeros((1, 3)))
    assert (made.lower[0], made.upper[0]) == (-10.5, 10.5)
    assert made.names == ()


@pytest.mark.parametrize(
    "arguments, match",
    [
        ({"torque_min": 1.0}, "elbow.torque_min: is 1 with torque_max 0"),
        ({"torque_max": np.nan}, "torque_max.*is nan"),
        ({"friction": -0.1}, "elbow.friction: is -0.1"),
        ({"stiffness": -1.0}, "elbow.stiffness: is -1"),
        ({"preload": np.inf}, "elbow.preload: is inf"),
        ({"rest": "far"}, "elbow.rest: is not a number"),
    ],
)
def test_impossible_joints_are_refused(arguments: dict, match: str) -> None:
    with pytest.raises(InputError, match=match):
        Joint("elbow", **arguments)


def test_a_builder_with_mismatched_arrays_says_which() -> None:
    joint = Joint.passive()
    with pytest.raises(InputError, match="joints: is no list"):
        joint_rows([], [], np.zeros((0, 3)))
    with pytest.raises(InputError, match="coordinates: has shape"):
        joint_rows([joint], [0, 0], np.zeros((1, 3)))
    with pytest.raises(InputError, match="jacobian: has shape"):
        joint_rows([joint], [0], np.zeros((2, 3)))
    with pytest.raises(InputError, match="gravity_torque: has shape"):
        joint_rows([joint], [0], np.zeros((1, 3)), [0, 0])
