"""Derivatives of load limits and tornadoes: against closed forms and finite differences, kinks included."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability import derivatives
from holdfast.reliability.derivatives import (
    TIGHT_GAP,
    Changes,
    Derivative,
    Optimum,
    Sensitivity,
    TiedChoices,
    sensitivity,
    tornado,
)
from holdfast.reliability.parameters import Kind, changed_problem, parameters_of, rate_of
from holdfast.scenes import load_scene
from holdfast.statics.diagnosis import FixedPieces
from tests import referee
from tests.reliability.changed_assemblies import changed


def optimum_of(assembly: hf.Assembly, direction: np.ndarray) -> tuple[hf.statics.LoadLimit, Optimum]:
    limit = hf.load_limit(assembly, direction)
    assert limit.pieces is not None
    found = Optimum.of(FixedPieces(limit.problem, limit.pieces))
    assert found is not None
    return limit, found


@pytest.mark.parametrize("seed", [0, 3, 11, 13, 21])
def test_slopes_are_those_of_the_confined_limit(seed: int) -> None:
    case = referee.random_case(seed)
    limit, found = optimum_of(case.assembly, case.direction)
    rng = np.random.default_rng(seed)
    parameters = parameters_of(case.assembly, limit.direction)
    for index in rng.choice(len(parameters), size=10, replace=False):
        parameter = parameters[int(index)]
        left, right = found.slopes([rate_of(case.assembly, limit.problem, limit.direction, parameter)])
        h = 1e-6 * parameter.size
        for side, slope in ((-1.0, left[0]), (1.0, right[0])):
            problem = changed_problem(case.assembly, limit.problem, limit.direction, parameter, side * h)
            after = FixedPieces(problem, limit.pieces).largest_factor()
            if np.isfinite(slope):
                assert (after - found.factor) / (side * h) == pytest.approx(
                    slope, rel=1e-4, abs=2e-4 * abs(found.factor) / parameter.size
                )
            else:  # nothing balances any more, or less does
                assert not after > found.factor * (1.0 - 1e-5)


def test_unique_forces_and_multipliers_are_distinguished_from_others() -> None:
    smooth = referee.random_case(3)
    _, found = optimum_of(smooth.assembly, smooth.direction)
    assert found.one_y
    assert found.one_f
    box = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])
    pair = hf.Assembly([hf.Contact([s, 0, 0], np.eye(3), box) for s in (-1.0, 1.0)])
    _, found = optimum_of(pair, np.array([0, 1.0, 0, 0, 0, 0]))
    assert not found.one_f  # the two may squeeze each other as they like
    _, found = optimum_of(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), box)]), np.array([1.0, 1, 0, 0, 0, 0]))
    assert not found.one_y  # an edge of the cube


def test_forces_that_are_free_choose_the_side_that_helps() -> None:
    """Two contacts that may squeeze each other: shifting one turns the squeeze into a torque that helps either way."""
    box = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])
    pair = hf.Assembly([hf.Contact([s, 0, 0], np.eye(3), box) for s in (-1.0, 1.0)])
    load = np.array([0, 0, 0, 0, 0, 1.0])
    limit, found = optimum_of(pair, load)
    assert found.factor == pytest.approx(2.0)
    shift = next(p for p in parameters_of(pair, load) if p.label == "contact 0: position y")
    left, right = found.slopes([rate_of(pair, limit.problem, limit.direction, shift)])
    # limit = 2 + |shift|: the squeeze of 1 N acts with the arm of the shift
    assert right[0] == pytest.approx(1.0)
    assert left[0] == pytest.approx(-1.0)


def mirrored(seed: int, k: int, points: int = 1) -> tuple[hf.Assembly, np.ndarray]:
    """k contacts, each a random piece and its mirror image in y; all in the plane of the load, so that choices tie.

    With several points, so many neighbours are a unit.
    """
    rng = np.random.default_rng(seed)
    contacts = []
    units = [hf.assembly.Unit() for _ in range(k)]
    for i, x in enumerate(np.linspace(-0.1, 0.1, k)):
        piece = np.vstack([np.zeros(3), rng.normal(size=(5, 3)) + [0.5, 0.6, 0.3]])
        volume = hf.ForceVolume([piece, piece * [1.0, -1.0, 1.0]])
        angle = rng.uniform(-0.4, 0.4)
        turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
        unit = units[i // points] if points > 1 else None
        contacts.append(hf.Contact([x, 0.0, 0.05 * rng.normal()], turn, volume, unit=unit))
    return hf.Assembly(contacts), np.array([-1.0, 0, -0.4, 0, 0.01, 0])


def listed(limit: hf.statics.LoadLimit) -> tuple[np.ndarray, np.ndarray, int]:
    """Least left and largest right slope over all choices that attain the limit, and how many do."""
    parameters = parameters_of(limit.assembly, limit.direction)
    rates = [rate_of(limit.assembly, limit.problem, limit.direction, p) for p in parameters]
    left, right, tied = np.full(len(rates), np.inf), np.full(len(rates), -np.inf), 0
    for choice in referee.choices_of(limit.assembly):
        found = Optimum.of(FixedPieces(limit.problem, np.array(choice)))
        if found is not None and found.factor >= limit.value * (1 - 1e-8):
            low, high = found.slopes(rates)
            left, right, tied = np.fmin(left, low), np.fmax(right, high), tied + 1
    return left, right, tied


@pytest.mark.parametrize(
    ("seed", "k", "points"), [(0, 3, 1), (1, 3, 1), (2, 4, 1), (3, 4, 1), (2, 4, 2), (3, 6, 2), (4, 6, 3)]
)
def test_slopes_are_those_of_all_choices_listed(seed: int, k: int, points: int) -> None:
    assembly, load = mirrored(seed, k, points)
    limit = hf.load_limit(assembly, load, method=hf.solvers.Exact(gap=TIGHT_GAP))
    rates = [rate_of(assembly, limit.problem, limit.direction, p) for p in parameters_of(assembly, limit.direction)]
    search = TiedChoices(limit, rates)
    left, right, proven = search.slopes()
    low, high, tied = listed(limit)
    assert tied > 1
    assert proven.all()
    slack = 1e-5 * np.maximum(search.sizes, 1e-9)
    finite = np.isfinite(low) & np.isfinite(high)
    assert (np.abs(left - low)[finite] <= slack[finite]).all()
    assert (np.abs(right - high)[finite] <= slack[finite]).all()
    assert (np.isfinite(left) == np.isfinite(low)).all()
    assert (np.isfinite(right) == np.isfinite(high)).all()


def test_what_is_not_compared_is_not_proven_and_no_steeper(monkeypatch: pytest.MonkeyPatch) -> None:
    assembly, load = mirrored(2, 4)
    whole = sensitivity(assembly, load)
    monkeypatch.setattr(derivatives, "MOST_BOXES", 0)
    part = sensitivity(assembly, load)
    assert not any(d.proven for d in part.derivatives)
    assert not any(d.smooth for d in part.derivatives)
    for short, full in zip(part.derivatives, whole.derivatives, strict=True):
        slack = 1e-6 * (1.0 + abs(full.right)) if np.isfinite(full.right) else 0.0
        assert short.right <= full.right + slack
        assert short.left >= full.left - (1e-6 * (1.0 + abs(full.left)) if np.isfinite(full.left) else 0.0)


#: How closely limits are solved for finite differences.
TIGHT = hf.solvers.Exact(gap=1e-9)


def cube(size: float = 1.0) -> hf.ForceVolume:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    return hf.ForceVolume([size * corners])


def limit_after(found: Sensitivity, derivative: Derivative, amount: float) -> float:
    assembly, wrench = changed(found.assembly, found.limit.direction, derivative.parameter, amount)
    return hf.load_limit(assembly, wrench, method=TIGHT).value


def step_of(derivative: Derivative) -> float:
    kind = derivative.parameter.kind
    return 1e-5 if kind in (Kind.POSITION, Kind.POINT) else 1e-4 * derivative.parameter.size


def one_sided(found: Sensitivity, derivative: Derivative, side: float) -> float:
    """Slope to one side by finite differences, the second-order error taken out (Richardson)."""
    h, base = step_of(derivative), hf.load_limit(found.assembly, found.limit.direction, method=TIGHT).value
    whole = (limit_after(found, derivative, side * h) - base) / (side * h)
    half = (limit_after(found, derivative, side * h / 2) - base) / (side * h / 2)
    return 2 * half - whole


def check(found: Sensitivity, derivative: Derivative) -> None:
    """Both slopes equal finite differences to 1e-5; infinite ones are jumps."""
    scale = abs(found.value) / derivative.parameter.size if derivative.parameter.kind is Kind.LOAD else abs(found.value)
    for side, slope in ((-1.0, derivative.left), (1.0, derivative.right)):
        if np.isfinite(slope):
            rounding = 2e-10 * abs(found.value) / step_of(derivative)
            near = pytest.approx(slope, rel=1e-5, abs=1e-5 * scale + rounding)
            assert one_sided(found, derivative, side) == near, (derivative.parameter.label, side)
        else:
            change = limit_after(found, derivative, side * step_of(derivative)) - found.value
            assert change * side * np.sign(slope) > 1e-3 * abs(found.value), derivative.parameter.label


# -- closed forms -----------------------------------------------------------------------------------


def lever() -> tuple[hf.Assembly, np.ndarray]:
    """A bar on two props at x = 0 and x = 1 that only press, up to 2 N and 3 N; a weight at x = 0.4.

    The first prop bears 0.6 of it: the limit is 2 / 0.6. A third contact takes up all other motions.
    """
    line = hf.ForceVolume([np.array([[0, 0, 0], [0, 0, 2.0]])], allow_flat=True)
    other = hf.ForceVolume([np.array([[0, 0, 0], [0, 0, 3.0]])], allow_flat=True)
    props = [hf.Contact([0, 0, 0], np.eye(3), line, "a"), hf.Contact([1, 0, 0], np.eye(3), other, "b")]
    return hf.Assembly(props), np.array([0, 0, -1, 0, 0.4, 0.0])


def test_the_lever_is_the_closed_form() -> None:
    assembly, load = lever()
    found = sensitivity(assembly, load)
    assert found.value == pytest.approx(2 / 0.6)
    by = {d.parameter.label: d for d in found.derivatives}
    # limit = s_a 2 (x_b - x_a) / (x_b - p), p = 0.4 where the weight acts, s_a the strength of a
    assert found.strength == pytest.approx([2 / 0.6, 0.0], abs=1e-9)
    assert by["a: position x"].value == pytest.approx(-2 / 0.6)
    assert by["b: position x"].value == pytest.approx(2 / 0.6 - 2 / 0.36)
    assert by["load point x"].value == pytest.approx(2 / 0.36)
    assert by["load Fz"].value == pytest.approx(2 / 0.36 * 1.0, rel=1e-6)  # (0, 0, F, 0, 0.4, 0): p = -0.4 / F
    assert by["load point z"].value == pytest.approx(0.0, abs=1e-9)
    # Nothing can bear a torque about the bar or a force along it: the limit jumps to zero, and says so.
    assert (by["a: position y"].left, by["a: position y"].right) == (np.inf, -np.inf)
    assert not by["load Fx"].smooth
    assert by["b: strength"].smooth


def test_a_joint_bound_is_worth_its_lever() -> None:
    rows = hf.JointRows([[0.5, 0.0, 0.0]], [-0.2], [0.3], ("hinge",))
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cube(), "tip")], rows)
    found = sensitivity(assembly, [-1, 0, 0, 0, 0, 0])
    assert found.value == pytest.approx(0.6)
    assert found.joint_upper == pytest.approx([2.0])
    assert found.joint_lower == pytest.approx([0.0])
    assert found.strength == pytest.approx([0.0])


def test_a_load_towards_an_edge_is_a_kink() -> None:
    """A cube of forces and a load along a diagonal: turning it either way shortens the limit."""
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cube())])
    found = sensitivity(assembly, [1, 1, 0, 0, 0, 0])
    by = {d.parameter.label: d for d in found.derivatives}
    assert found.value == pytest.approx(1.0)
    assert by["load Fx"].right == pytest.approx(-1.0)
    assert by["load Fx"].left == pytest.approx(0.0, abs=1e-9)
    assert not by["load Fx"].smooth
    assert np.isnan(by["load Fx"].value)
    assert by["load Fx"].proven
    assert found.strength == pytest.approx([1.0])
    assert found.kinks
    assert not found.smooth


def test_a_joint_pinned_between_equal_bounds_jumps_when_they_cross() -> None:
    rows = hf.JointRows([[0.5, 0.0, 0.0]], [0.3], [0.3], ("hinge",))
    slab = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cube())], rows)
    found = sensitivity(slab, [-1, 0, 0, 0, 0, 0])
    by = {d.parameter.label: d for d in found.derivatives}
    assert by["hinge: lower bound"].right == -np.inf
    assert by["hinge: lower bound"].left == pytest.approx(0.0, abs=1e-9)
    assert by["hinge: upper bound"].right == pytest.approx(2.0)
    assert by["hinge: upper bound"].left == np.inf


def test_two_pieces_that_tie_make_a_kink_that_one_piece_does_not_show() -> None:
    """Either hook bears the load alone; stretching the shear helps one of them only."""
    flat = np.array([[0, 0, 0], [1, 0.2, 0], [1, -0.2, 0], [1, 0, 0.1]], dtype=float)
    tilted = np.array([[0, 0, 0], [1, 0.1, 0.3], [1, -0.1, -0.3], [1.0, 0.2, 0]], dtype=float)
    one, two = hf.ForceVolume([flat]), hf.ForceVolume([flat, tilted])
    load = [-1, 0, 0, 0, 0, 0]
    assemblies = [hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)]) for volume in (one, two)]
    lone, both = (sensitivity(a, load) for a in assemblies)
    for found in (lone, both):
        assert found.value == pytest.approx(1.0)
        for derivative in found.derivatives:
            if derivative.parameter.kind in (Kind.LOAD, Kind.FRICTION, Kind.STRENGTH, Kind.ORIENTATION):
                check(found, derivative)
    slopes = [{d.parameter.label: (d.left, d.right) for d in f.derivatives} for f in (lone, both)]
    assert any(slopes[0][label] != pytest.approx(slopes[1][label], abs=1e-6) for label in ("load Fz", "load Fy"))


# -- against finite differences ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3, 4, 5, 9, 11, 13, 16])
def test_derivatives_equal_finite_differences(seed: int) -> None:
    case = referee.random_case(seed)
    found = sensitivity(case.assembly, case.direction)
    assert all(d.proven for d in found.derivatives)
    rng = np.random.default_rng(seed)
    for index in rng.choice(len(found.derivatives), size=min(12, len(found.derivatives)), replace=False):
        check(found, found.derivatives[int(index)])


@pytest.mark.parametrize("seed", [0, 4, 5, 8, 9, 12, 13])
def test_with_units_derivatives_equal_finite_differences(seed: int) -> None:
    case = referee.random_unit_case(seed)
    found = sensitivity(case.assembly, case.direction)
    assert found.value == pytest.approx(referee.verdict(case.assembly, case.direction).largest, rel=1e-6)
    assert all(d.proven for d in found.derivatives)
    rng = np.random.default_rng(seed)
    for index in rng.choice(len(found.derivatives), size=min(12, len(found.derivatives)), replace=False):
        check(found, found.derivatives[int(index)])


@pytest.mark.parametrize(
    ("scene", "load", "kinks"),
    [
        ("@two_opposed_units", [0.3, -0.5, 0.8, 0, 0, 0], 0),
        ("@two_opposed_units", [0, 0, -1, 0, 0, 0], 75),
        ("@two_finger_gripper_d_d", [0.1, 0.9, 0.3, 0, 0.01, 0], 0),
    ],
)
def test_devices_equal_finite_differences_at_kinks_and_away_from_them(
    scene: str, load: list[float], kinks: int
) -> None:
    assembly = load_scene(scene).with_gravity((0, 0, 0)).assembly
    found = sensitivity(hf.load_limit(assembly, load))
    assert len(found.kinks) == kinks
    rng = np.random.default_rng(0)
    choice = [d for d in found.derivatives if d.parameter.kind not in (Kind.STRENGTH, Kind.FRICTION)]
    for index in rng.choice(len(choice), size=4, replace=False):
        check(found, choice[int(index)])


# -- what must add up -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3, 4, 9])
def test_a_longer_load_has_a_shorter_limit_and_strengths_and_bounds_make_it_up(seed: int) -> None:
    case = referee.random_case(seed)
    found = sensitivity(case.assembly, case.direction)
    assert found.load @ case.direction == pytest.approx(-found.value, rel=1e-6)
    bounds = 0.0
    if case.assembly.joints is not None:
        lower, upper = (
            np.where(np.isfinite(b), b, 0.0) for b in (case.assembly.joints.lower, case.assembly.joints.upper)
        )
        bounds = found.joint_lower @ lower + found.joint_upper @ upper
    assert found.strength.sum() + bounds == pytest.approx(found.value, rel=1e-6)


def test_moving_everything_together_changes_nothing() -> None:
    case = referee.random_case(4)
    found = sensitivity(case.assembly, case.direction)
    assert found.position.sum(axis=0) + found.point == pytest.approx(
        np.zeros(3), abs=1e-6 * np.abs(found.position).max()
    )


def test_units_are_the_sum_of_their_points_where_smooth() -> None:
    found = sensitivity(load_scene("@two_opposed_units").with_gravity((0, 0, 0)).assembly, [0.3, -0.5, 0.8, 0, 0, 0])
    units = [d for d in found.of(Kind.STRENGTH) if len(d.parameter.contacts) > 1]
    assert units
    for unit in units:
        assert unit.value == pytest.approx(found.strength[list(unit.parameter.contacts)].sum(), abs=1e-9)


def test_a_load_without_a_limit_has_no_derivative() -> None:
    cone = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5))])
    with pytest.raises(hf.errors.InputError, match="no finite limit"):
        sensitivity(cone, [0, 0, -1, 0, 0, 0])
    with pytest.raises(hf.errors.InputError, match="has no load"):
        sensitivity(cone)


def test_data_is_plain() -> None:
    assembly, load = lever()
    data = sensitivity(assembly, load).to_dict()
    assert data["limit"] == pytest.approx(2 / 0.6)
    assert {"parameter", "kind", "left", "right", "smooth", "proven"} <= set(data["derivatives"][0])


def test_squeezing_less_counts_for_cones_behind_a_joint() -> None:
    """The apex of a cone is zero and belongs to the face that it is squeezed from: both slopes by differences."""
    left, right = hf.frame_from_normal((1, 0, 0)), hf.frame_from_normal((-1, 0, 0))
    rows = hf.JointRows(np.array([[1.0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0, 0, 0]]), np.array([-1.0]), np.array([8.0]))
    places = np.array([[-0.1, -0.05, 0], [-0.1, 0.05, 0], [0.1, -0.05, 0], [0.1, 0.05, 0]])
    load = [0.2, 0.2, -1, 0, 0.003, 0.01]

    def moved(by: float) -> hf.Assembly:
        at = places.copy()
        at[0, 0] += by
        frames = (left, left, right, right)
        return hf.Assembly([hf.Contact(p, r, hf.models.coulomb(0.5)) for p, r in zip(at, frames, strict=True)], rows)

    found = hf.sensitivity(moved(0.0), load).of(Kind.POSITION)[0]
    here, step, tight = (
        hf.load_limit(moved(0.0), load, method=hf.solvers.Exact(gap=1e-10)).value,
        1e-4,
        hf.solvers.Exact(gap=1e-10),
    )
    before, after = (hf.load_limit(moved(by), load, method=tight).value for by in (-step, step))
    assert found.left == pytest.approx((here - before) / step, rel=2e-3)
    assert found.right == pytest.approx((after - here) / step, rel=2e-3)
    assert not found.smooth and found.left < found.right - 2.0


BOX = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])


def pair() -> hf.Assembly:
    return hf.Assembly([hf.Contact([s, 0, 0], np.eye(3), BOX, n) for s, n in ((-1.0, "a"), (1.0, "b"))])


def test_bars_are_slopes_times_changes_largest_first() -> None:
    found = sensitivity(pair(), [0, 1, 0, 0, 0, 0.2])
    data = tornado(found, Changes(share=0.1))
    sizes = [bar.size for bar in data.bars]
    assert sizes == sorted(sizes, reverse=True)
    for bar in data.bars:
        assert bar.up == bar.derivative.change(bar.amount)
        assert bar.down == bar.derivative.change(-bar.amount)
        assert np.isnan(bar.solved_up)
    strength = next(bar for bar in data.bars if bar.label == "b: strength")
    assert strength.amount == 0.1
    assert len(data.bars) == len(found.derivatives)


def test_what_is_solved_anew_is_the_limit_of_the_changed_assembly() -> None:
    found = sensitivity(pair(), [0, 1, 0, 0, 0, 0.2])
    data = tornado(found, Changes(share=0.2), solve=40)
    bar = next(bar for bar in data.bars if bar.label == "b: strength")
    for solved, factor in ((bar.solved_down, 0.8), (bar.solved_up, 1.2)):
        contacts = [pair().contacts[0], hf.Contact([1, 0, 0], np.eye(3), BOX.scaled(factor))]
        after = hf.load_limit(hf.Assembly(contacts), [0, 1, 0, 0, 0, 0.2]).value
        assert found.value + solved == pytest.approx(after, rel=1e-5)


def test_bad_changes_are_named() -> None:
    with pytest.raises(hf.errors.InputError, match="share"):
        Changes(share=0.0)
    with pytest.raises(hf.errors.InputError, match="shift"):
        Changes(shift=-1.0)


def test_the_data_of_a_tornado_is_plain() -> None:
    data = tornado(sensitivity(pair(), [0, 1, 0, 0, 0, 0.2])).to_dict()
    assert set(data) == {"limit", "smooth", "changes", "bars"}
    assert {"parameter", "amount", "down", "up", "left", "right"} <= set(data["bars"][0])
