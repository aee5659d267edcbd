from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import STANDARD_GRAVITY
from holdfast.checks import Array
from holdfast.errors import FileError, InputError
from holdfast.solvers import Status
from holdfast.statics.paths import (
    GravityTask,
    OnsetStatus,
    chained,
    evaluate_path,
    first_change,
    gravity_sweep,
    grid,
    ramp,
    rotating_gravity,
    rotating_gravity_about,
    slip_onset,
    under_gravity,
)
from tests.statics.moving_scenes import UP, block, box, plates, tilted


def test_a_device_turned_is_the_device_under_gravity_from_the_circle() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    path = rotating_gravity(device, towards=(0, 1, 0))
    for i, direction in enumerate(hf.loads.circle_directions(8, towards=(0, 1, 0))):
        gravity = STANDARD_GRAVITY * direction
        assembly, wrench = path(2.0 * np.pi * i / 8)
        assert np.allclose(wrench, device.weight(gravity), atol=1e-12)
        rows, wanted = assembly.joints, device.joint_rows(gravity)
        assert rows
        assert wanted
        assert np.allclose(rows.lower, wanted.lower, atol=1e-12)
        assert np.allclose(rows.upper, wanted.upper, atol=1e-12)


def test_a_scene_keeps_the_size_of_its_gravity_and_its_links_weigh() -> None:
    scene = hf.scenes.load_scene("@two_finger_gripper_md_pmd").with_gravity((0, 0, -1.62))
    device = hf.devices.two_finger_gripper("MD", "PMD")
    assembly, wrench = rotating_gravity(scene)(0.5)
    gravity = 1.62 * np.array([np.sin(0.5), 0, -np.cos(0.5)])
    assert np.allclose(wrench, device.weight(gravity), atol=1e-12)
    rows, wanted = assembly.joints, device.joint_rows(gravity)
    assert rows
    assert wanted
    assert np.allclose(rows.upper, wanted.upper, atol=1e-9)


def test_turning_about_an_axis_goes_round_a_cone() -> None:
    device = hf.devices.two_opposed_units()
    path = rotating_gravity_about(device, (0, 0, 1), (1, 0, -1))
    forces = np.array([path(angle)[1][:3] for angle in np.linspace(0, 6, 7)])
    assert np.allclose(forces[:, 2], forces[0, 2])
    assert np.allclose(np.linalg.norm(forces, axis=1), device.object.mass * STANDARD_GRAVITY)
    assert forces[1, 1] > 0  # right-hand rule


def test_a_load_besides_stays_with_the_object() -> None:
    device = hf.devices.two_opposed_units()
    extra = (1, 2, 3, 4, 5, 6)
    for angle in (0.0, 1.0):
        assert np.allclose(rotating_gravity(device, load=extra)(angle)[1] - rotating_gravity(device)(angle)[1], extra)


def test_a_ramp_is_base_and_multiples() -> None:
    assembly = block()
    path = ramp(assembly, (0, 0, -1, 0, 0, 0), (2, 0, 0, 0, 0, 1))
    same, wrench = path(0.5)
    assert same is assembly
    assert wrench.tolist() == [1, 0, -1, 0, 0, 0.5]


def test_chained_legs_are_gone_through_in_turn() -> None:
    assembly = block()
    along = ramp(assembly, np.zeros(6), (1, 0, 0, 0, 0, 0))
    across = ramp(assembly, (1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0))
    path, length = chained([(along, 0.0, 1.0), (across, 2.0, 0.0)])
    assert length == 3.0
    assert path(0.25)[1][:2].tolist() == [0.25, 0]
    assert path(1.0)[1][:2].tolist() == [1, 2]  # the later leg answers where two meet
    assert path(2.5)[1][:2].tolist() == [1, 0.5]
    assert path(3.0)[1][:2].tolist() == [1, 0]
    with pytest.raises(InputError):
        path(3.1)


def test_bad_paths_are_refused() -> None:
    device = hf.devices.two_opposed_units()
    with pytest.raises(InputError, match="parallel"):
        rotating_gravity(device, (0, 0, -1), (0, 0, 2))
    with pytest.raises(InputError, match="zero wrench"):
        ramp(block(), np.ones(6), np.zeros(6))
    with pytest.raises(InputError, match="is empty"):
        chained([])
    with pytest.raises(InputError, match="Device or a Scene"):
        under_gravity(block(), (0, 0, -1))  # pyright: ignore[reportArgumentType]


HOLDS, FAILS, OPEN = Status.HOLDS, Status.DOES_NOT_HOLD, Status.UNDECIDED


def ask_of(verdict: Any) -> Any:
    return lambda p: SimpleNamespace(status=verdict(p))


def test_the_grid_has_both_ends_and_no_step_is_too_long() -> None:
    points = grid(0.0, 1.0, 0.3)
    assert (points[0], points[-1]) == (0.0, 1.0)
    assert np.diff(points).max() <= 0.3
    assert np.allclose(grid(1.0, -1.0, 1.0), [1.0, 0.0, -1.0])
    assert len(grid(0.0, 1.0, 0.1)) == 11  # 1/0.1 is a little more than 10 in floating point
    assert len(grid(0.0, 1.0, 7.0)) == 2


def test_a_grid_of_nothing_or_of_too_much_is_refused() -> None:
    with pytest.raises(InputError, match="the same as start"):
        grid(1.0, 1.0, 0.1)
    with pytest.raises(InputError, match="at most"):
        grid(0.0, 1.0, 1e-9)


def test_the_first_of_several_changes_is_bisected() -> None:
    def verdict(p: float) -> Status:
        return FAILS if 0.331 < p < 0.5 or p > 0.8 else HOLDS

    change = first_change(ask_of(verdict), grid(0.0, 1.0, 0.1), 1e-6)
    assert change.before
    assert change.after
    assert change.before.parameter <= 0.331 < change.after.parameter
    assert change.after.parameter - change.before.parameter <= 1e-6
    assert len(change.scan) == 5  # 0, 0.1, ..., 0.4
    whole = first_change(ask_of(verdict), grid(0.0, 1.0, 0.1), 1e-6, whole=True)
    assert whole.before
    assert (len(whole.scan), whole.before.parameter) == (11, change.before.parameter)


def test_a_change_to_holding_is_found_as_well() -> None:
    change = first_change(ask_of(lambda p: HOLDS if p > 0.7 else FAILS), grid(0.0, 1.0, 0.25), 1e-3, leaving=FAILS)
    assert change.before
    assert change.after
    assert (change.before.status, change.after.status) == (FAILS, HOLDS)
    assert change.before.parameter <= 0.7 < change.after.parameter


@pytest.mark.parametrize("band", [(0.42, 0.47), (0.4499, 0.4501), (0.31, 0.59)])
def test_a_band_of_undecided_answers_is_reported_and_narrowed_from_both_sides(band: tuple[float, float]) -> None:
    low, high = band

    def verdict(p: float) -> Status:
        return OPEN if low < p < high else HOLDS if p <= low else FAILS

    change = first_change(ask_of(verdict), grid(0.0, 1.0, 0.3), 1e-4)
    assert change.before
    assert change.after
    if change.band is None:  # narrower than the tolerance can tell
        assert change.after.parameter - change.before.parameter <= 1e-4
        return
    assert change.before.parameter <= low < change.band[0].parameter <= change.band[1].parameter < high
    assert high <= change.after.parameter
    assert change.band[0].parameter - change.before.parameter <= 1e-4
    assert change.after.parameter - change.band[1].parameter <= 1e-4


def test_undecided_samples_before_the_change_are_kept() -> None:
    def verdict(p: float) -> Status:
        return OPEN if 0.15 < p < 0.25 else HOLDS if p < 0.55 else FAILS

    change = first_change(ask_of(verdict), grid(0.0, 1.0, 0.1), 1e-3)
    assert change.after
    assert [round(sample.parameter, 9) for sample in change.passed] == [0.2]
    assert change.band is None


def test_bisection_that_passes_an_undecided_point_keeps_it() -> None:
    def verdict(p: float) -> Status:
        return OPEN if p == 0.5 else HOLDS if p < 0.7 else FAILS

    change = first_change(ask_of(verdict), [0.0, 1.0], 1e-3)
    assert change.before
    assert 0.699 <= change.before.parameter < 0.7
    assert {sample.parameter for sample in change.passed} == {0.5}
    assert change.band is None


def test_a_tolerance_finer_than_the_numbers_ends() -> None:
    change = first_change(ask_of(lambda p: HOLDS if p < 1.0 / 3.0 else FAILS), [0.0, 1.0], 1e-300)
    assert change.before
    assert change.after
    assert np.nextafter(change.before.parameter, 1.0) == change.after.parameter


def incline(assembly: hf.Assembly):
    return lambda angle: (assembly, tilted(angle))


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.2])
def test_a_block_on_an_incline_slips_at_the_angle_of_friction(mu: float) -> None:
    onset = slip_onset(incline(block(mu)), 0.0, 1.5, step=0.1, tolerance=1e-7)
    assert onset.status is OnsetStatus.SLIPS
    low, high = onset.bracket
    assert low <= np.arctan(mu) <= high
    assert high - low <= 1e-7
    assert abs(onset.value - np.arctan(mu)) <= 1e-7
    assert onset.held is not None and onset.held
    assert onset.failed is not None and not onset.failed
    assert np.array_equal(onset.held.wrench, tilted(low))
    assert onset.verify()


def test_a_tall_block_topples_first() -> None:
    """It topples when its weight passes the outer feet: tan(angle) = half width / height."""
    onset = slip_onset(incline(block(mu=5.0, height=2.0)), 0.0, 1.0, step=0.05, tolerance=1e-6)
    assert onset.value == pytest.approx(np.arctan(0.5 / 2.0), abs=1e-6)
    assert onset.verify()


def test_the_angle_may_fall_instead_of_rise() -> None:
    onset = slip_onset(incline(block(0.5)), 0.0, -1.5, step=0.1, tolerance=1e-6)
    assert onset.bracket[1] < onset.bracket[0] < 0.0
    assert onset.value == pytest.approx(-np.arctan(0.5), abs=1e-6)
    assert onset.verify()


def test_what_holds_throughout_is_verified_sample_by_sample() -> None:
    onset = slip_onset(incline(block(0.5)), 0.0, 0.4, step=0.1, tolerance=1e-3)
    assert onset.status is OnsetStatus.HOLDS_THROUGHOUT
    assert (onset.tests, len(onset.scan), np.isnan(onset.value)) == (5, 5, True)
    assert onset.verify()
    spoilt = replace(onset, scan=(*onset.scan, slip_onset(incline(block()), 1.0, 1.1, step=1, tolerance=1).scan[0]))
    assert not spoilt.verify()


def test_what_does_not_hold_at_the_start_is_said_with_its_proof() -> None:
    onset = slip_onset(incline(block(0.5)), 1.0, 0.0, step=0.1, tolerance=1e-3)
    assert onset.status is OnsetStatus.FAILS_AT_START
    assert (onset.bracket[1], onset.held, onset.tests) == (1.0, None, 1)
    assert onset.verify()


def window(low: float, high: float):
    """Holds outside of low < p < high only."""
    volume, load = box(), np.array([0.0, 0.0, -8.0, 0.0, 0.0, 0.0])
    assembly = plates(volume)

    def path(parameter: float) -> tuple[hf.Assembly, Array]:
        pull = 100.0 if low < parameter < high else 0.0
        return assembly, load + np.array([pull, 0.0, 0.0, 0.0, 0.0, 0.0])

    return path


def test_a_step_misses_a_loss_that_is_shorter_and_sees_one_that_is_longer() -> None:
    missed = slip_onset(window(0.41, 0.49), 0.0, 1.0, step=0.1, tolerance=1e-3)
    assert missed.status is OnsetStatus.HOLDS_THROUGHOUT  # true of every sample, and no more is claimed
    seen = slip_onset(window(0.41, 0.49), 0.0, 1.0, step=0.05, tolerance=1e-3)
    assert seen.status is OnsetStatus.SLIPS
    assert seen.value == pytest.approx(0.41, abs=1e-3)


def test_a_pickled_onset_leaves_its_path_behind_and_says_the_same() -> None:
    onset = slip_onset(window(0.35, 0.65), 0.0, 1.0, step=0.1, tolerance=1e-3)
    again = pickle.loads(pickle.dumps(onset))
    assert again.bracket == onset.bracket and again.statuses == onset.statuses
    assert not again.verify() and replace(again, path=onset.path).verify()


def test_a_whole_scan_shows_where_it_holds_again() -> None:
    onset = slip_onset(window(0.35, 0.65), 0.0, 1.0, step=0.1, tolerance=1e-6, whole=True)
    assert onset.value == pytest.approx(0.35, abs=1e-3)
    held = [status is Status.HOLDS for status in onset.statuses]
    assert held == [True] * 4 + [False] * 3 + [True] * 4
    assert np.allclose(onset.parameters, np.linspace(0, 1, 11))
    assert onset.recovery == pytest.approx(0.65, abs=1e-3)
    (again,) = onset.later
    assert again.holds and again.bracket[1] - again.bracket[0] <= 1e-6 and onset.verify()
    assert onset.in_words("m") == "slips from 0.35 to 0.65 m and holds again beyond, as far as 1 m"
    assert "holds again from 0.65" in repr(onset)
    assert onset.to_dict()["later_changes"] == [{"bracket": again.bracket, "holds": True}]
    wrong = replace(again, after=again.before)
    assert not replace(onset, later=(wrong,)).verify()


def test_every_later_change_is_said_in_order() -> None:
    one, two = window(0.15, 0.35), window(0.55, 0.75)

    def path(parameter: float) -> tuple[hf.Assembly, Array]:
        return one(parameter) if parameter < 0.5 else two(parameter)

    onset = slip_onset(path, 0.0, 1.0, step=0.1, tolerance=1e-6, whole=True)
    assert [change.holds for change in onset.later] == [True, False, True]
    assert [change.value for change in onset.later] == pytest.approx([0.35, 0.55, 0.75], abs=1e-4)
    words = "slips from 0.15 to 0.35, holds again to 0.55, slips to 0.75 and holds again beyond, as far as 1"
    assert onset.in_words() == words


def test_nothing_is_said_beyond_the_first_loss_unless_it_was_tested() -> None:
    short = slip_onset(window(0.35, 0.65), 0.0, 1.0, step=0.1, tolerance=1e-6)
    assert short.later == () and np.isnan(short.recovery) and short.in_words() == "slips at 0.35"
    lost = slip_onset(window(0.35, 2.0), 0.0, 1.0, step=0.1, tolerance=1e-6, whole=True)
    assert lost.later == () and lost.in_words() == "slips at 0.35 and holds at no test beyond, as far as 1"


def test_a_path_that_fails_at_its_start_says_from_where_it_holds() -> None:
    onset = slip_onset(window(-1.0, 0.65), 0.0, 1.0, step=0.1, tolerance=1e-6, whole=True)
    assert onset.status is OnsetStatus.FAILS_AT_START and onset.verify()
    assert onset.recovery == pytest.approx(0.65, abs=1e-3)
    assert onset.in_words() == "does not hold at the start, from 0 to 0.65 and holds beyond, as far as 1"


class Tired:
    """A method that leaves loads open whose x component lies between two values."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high, self.inner = low, high, hf.solvers.Reference()

    def test(self, problem):
        solution = self.inner.test(problem)
        if self.low < problem.load[0] < self.high:
            return replace(solution, status=Status.UNDECIDED, forces=None, certificate=None)
        return solution

    def maximise(self, problem):
        return self.inner.maximise(problem)


def growing():
    return ramp(plates(box()), (0, 0, -8, 0, 0, 0), (1, 0, 0, 0, 0, 0))  # four feet: holds up to 4 N


def test_an_undecided_band_around_the_onset_is_not_hidden() -> None:
    onset = slip_onset(growing(), 0.0, 6.0, step=0.5, tolerance=1e-3, method=Tired(3.8, 4.3))
    assert onset.status is OnsetStatus.UNDECIDED
    assert onset.band
    low, high = onset.bracket
    assert low <= 3.8 < onset.band[0] <= onset.band[1] < 4.3 <= high
    assert high - low <= 0.5 + 2e-3
    assert not onset.verify()
    assert onset.held
    assert onset.held.verify()


def test_undecided_samples_before_the_onset_are_listed() -> None:
    onset = slip_onset(growing(), 0.0, 6.0, step=0.5, tolerance=1e-3, method=Tired(0.9, 1.6))
    assert onset.status is OnsetStatus.SLIPS
    assert onset.open == (1.0, 1.5)
    assert onset.value == pytest.approx(4.0, abs=1e-3)
    assert onset.verify()


def test_undecided_to_the_end_is_undecided() -> None:
    onset = slip_onset(growing(), 0.0, 3.0, step=0.5, tolerance=1e-3, method=Tired(2.0, 9.0))
    assert onset.status is OnsetStatus.UNDECIDED
    start = slip_onset(growing(), 5.0, 9.0, step=0.5, tolerance=1e-3, method=Tired(4.9, 5.2))
    assert start.status is OnsetStatus.UNDECIDED


def test_a_gripper_and_its_scene_slip_at_the_same_angle_with_proofs() -> None:
    device = hf.devices.two_finger_gripper("MD", "MD")
    scene = hf.scenes.load_scene("@two_finger_gripper_md_md")
    onsets = [slip_onset(rotating_gravity(s), 0.0, 0.5, step=0.05, tolerance=1e-5) for s in (device, scene)]
    assert onsets[0].value == pytest.approx(onsets[1].value, abs=2e-5)
    for onset in onsets:
        assert onset.verify()
        low, high = onset.bracket
        for angle, status in ((low, Status.HOLDS), (high, Status.DOES_NOT_HOLD)):
            assembly, wrench = rotating_gravity(device)(angle)
            assert hf.equilibrium(assembly, wrench, method=hf.solvers.Reference()).status is status


def test_bad_questions_are_refused() -> None:
    path = incline(block())
    with pytest.raises(InputError, match="function"):
        slip_onset(block(), 0, 1, step=0.1, tolerance=0.1)  # pyright: ignore[reportArgumentType]
    for step, tolerance in ((0.0, 0.1), (-1.0, 0.1), (0.1, 0.0), (np.nan, 0.1)):
        with pytest.raises(InputError):
            slip_onset(path, 0, 1, step=step, tolerance=tolerance)


def test_a_single_contact_is_enough() -> None:
    assembly = hf.Assembly([hf.Contact((0, 0, 0), UP, box())])
    onset = slip_onset(ramp(assembly, np.zeros(6), (0, 0, -1, 0, 0, 0)), 0.0, 9.0, step=1.0, tolerance=1e-6)
    assert onset.value == pytest.approx(5.0, abs=1e-6)


@pytest.mark.parametrize("given", [None, (block(),), 3.0])
def test_a_path_that_returns_no_posture_is_refused(given) -> None:
    with pytest.raises(InputError, match=r"path: returns a \w+ at 0 .*\(assembly, wrench\)"):
        slip_onset(lambda _: given, 0, 1, step=0.1, tolerance=0.1)


def postures() -> list[tuple[hf.Assembly, np.ndarray]]:
    """A gripper on ever larger objects, turned as it goes: contacts, joints and loads all change."""
    result = []
    for i, radius in enumerate(np.linspace(0.12, 0.2, 6)):
        device = hf.devices.two_finger_gripper("MD", "MD", dimensions=hf.devices.TwoFingerDimensions(radius=radius))
        result.append(rotating_gravity(device)(np.radians(3.0 * i)))
    return result


def test_warm_answers_are_those_of_cold_ones() -> None:
    asked = postures()
    found = evaluate_path(asked, margins=True)
    assert len(found) == 6
    assert found.verify()
    for i, (assembly, wrench) in enumerate(asked):
        assert found.statuses[i] is hf.equilibrium(assembly, wrench).status
        assert found.margins[i] == pytest.approx(hf.load_limit(assembly, wrench).value, rel=2e-6, abs=1e-6)
    assert found.first_loss is not None
    assert found.first_loss == int(np.argmin(found.holds))


def test_margins_are_left_out_when_nobody_asks() -> None:
    found = evaluate_path((block(), tilted(angle)) for angle in (0.0, 0.2, 0.6, 0.1))
    assert found.holds.tolist() == [True, True, False, True]
    assert found.first_loss == 2
    assert np.isnan(found.margins).all()
    assert evaluate_path([(block(), tilted(0.1))]).first_loss is None


def test_other_methods_follow_too() -> None:
    found = evaluate_path([(block(), tilted(0.1)), (block(), tilted(0.6))], margins=True, method=hf.solvers.Reference())
    assert found.holds.tolist() == [True, False]
    assert found.margins[0] == np.inf


def test_bad_postures_are_refused() -> None:
    with pytest.raises(InputError, match="is empty"):
        evaluate_path([])
    with pytest.raises(InputError, match=r"postures\[1\]"):
        evaluate_path([(block(), tilted(0.1)), (block(),)])  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"postures\[0\]\[1\]"):
        evaluate_path([(block(), np.zeros(5))])
    with pytest.raises(InputError, match="postures: is a NoneType"):
        evaluate_path(None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"postures\[0\]\[1\]: is zero and has no margin"):
        evaluate_path([(block(), np.zeros(6))], margins=True)
    assert evaluate_path([(block(), np.zeros(6))]).holds.all()


def test_every_verdict_and_factor_is_that_of_a_cold_question() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    found = gravity_sweep(device, 20)
    assert len(found) == 20
    assert found.verified.all()
    assert 0 < found.holds.sum() < 20
    for i in range(0, 20, 3):
        gravity = found.gravities[i]
        assert np.allclose(gravity, 9.80665 * hf.loads.circle_directions(20)[i])
        assembly, weight = device.assembly(gravity), device.weight(gravity)
        assert found.status[i] is hf.equilibrium(assembly, weight).status
        limit = hf.load_limit(assembly, weight)
        assert found.factors[i] == pytest.approx(limit.value, rel=2e-6, abs=1e-6)
        assert found.factors[i] <= found.upper_bounds[i]
    assert found.least_factor == found.factors.min()


def test_a_scene_is_swept_over_the_sphere_without_factors() -> None:
    scene = hf.scenes.load_scene("@block_on_three_points")
    directions = hf.loads.sphere_directions(12)
    found = gravity_sweep(scene, directions, factors=False)
    assert np.isnan(found.factors).all()
    for direction, status in zip(directions, found.status, strict=True):
        turned = scene.turned(direction)
        assert status is hf.equilibrium(turned.assembly, turned.gravity_load()).status


def test_a_journal_is_resumed_with_the_same_bytes_and_belongs_to_its_gripper(tmp_path: Path) -> None:
    device, path = hf.devices.two_opposed_units(), tmp_path / "sweep.jsonl"
    whole = gravity_sweep(device, 40, journal=path)
    wanted = path.read_bytes()
    path.unlink()

    def stop(done: int, total: int) -> None:
        if done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gravity_sweep(device, 40, journal=path, progress=stop)
    asked: list[int] = []
    again = gravity_sweep(device, 40, journal=path, progress=lambda done, total: asked.append(done))
    assert asked[0] == 18  # the three chunks that were saved are not asked again
    assert path.read_bytes() == wanted
    assert np.array_equal(again.factors, whole.factors)
    heavier = hf.devices.two_opposed_units(dimensions=hf.devices.OpposedUnitsDimensions(object_mass=0.5))
    with pytest.raises(FileError, match="another sweep"):
        gravity_sweep(heavier, 40, journal=path)


def test_a_task_answers_in_json_whoever_asks() -> None:
    task = GravityTask(hf.devices.two_opposed_units())
    one = task([0.0, 0.0, -9.8])
    assert json.loads(json.dumps(one)) == one
    assert one["status"] == "holds"
    scene = hf.scenes.load_scene("@block_on_three_points")
    assert GravityTask(scene)([0.0, 0.0, -9.8])["load_factor"] == "inf"
    assert gravity_sweep(scene, [(0, 0, -1)]).factors[0] == np.inf


def test_a_method_that_fails_leaves_its_direction_open() -> None:
    class Broken:
        def test(self, problem):
            from holdfast.errors import SolverError

            raise SolverError("gave up")

        maximise = test

    found = gravity_sweep(hf.devices.two_opposed_units(), 3, method=Broken())
    assert [status is Status.UNDECIDED for status in found.status] == [True] * 3
    assert not found.verified.any()


def test_bad_directions_are_refused() -> None:
    device = hf.devices.two_opposed_units()
    with pytest.raises(InputError, match="is empty"):
        gravity_sweep(device, np.zeros((0, 3)))
    with pytest.raises(InputError, match=r"directions\[1\]"):
        gravity_sweep(device, [(0, 0, -1), (0, 0, 0)])
    with pytest.raises(InputError):
        gravity_sweep(device, 0)


def test_an_evaluated_path_is_plain_data() -> None:
    data = evaluate_path([(block(), tilted(0.1)), (block(), tilted(0.6))], margins=True).to_dict()
    assert data["statuses"] == ["holds", "does not hold"] and data["first_loss"] == 1 and data["proof_verified"]
    assert data["margins"][0] > data["margins"][1]


# -- polygons in place of curved limits ---------------------------------------------------------------


def leaning(foot: hf.ForceVolume, azimuth: float):
    """A block on four feet whose gravity leans towards an azimuth [rad] of the feet's frames."""
    assembly = plates(foot)
    way = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    return lambda angle: (
        assembly,
        10.0 * np.append(np.sin(angle) * way - np.cos(angle) * np.array([0, 0, 1.0]), np.zeros(3)),
    )


@pytest.mark.parametrize("facets", [4, 8, 16])
@pytest.mark.parametrize("side", ["inner", "outer"])
@pytest.mark.parametrize("mu", [0.3, 1.1])
def test_the_round_cone_slips_within_the_bracket_of_polygons(facets: int, side: str, mu: float) -> None:
    path = leaning(hf.models.coulomb(mu, facets=facets, side=side), np.pi / facets)  # midway between two edges
    onset = slip_onset(path, 0.0, 1.5, step=0.1, tolerance=1e-4)
    short = 1.0 if side == "outer" else np.cos(np.pi / facets)
    long = 1.0 / np.cos(np.pi / facets) if side == "outer" else 1.0
    assert onset.bracket[0] <= np.arctan(mu * short * long) <= onset.bracket[1]
    curved = onset.curved
    assert curved is not None and curved.verify()
    assert curved.given_facets == facets < curved.facets <= 720
    assert curved.bracket[0] <= np.arctan(mu) <= curved.bracket[1] <= curved.bracket[0] + 1e-4
    inner, outer = np.arctan(mu * np.cos(np.pi / facets)), np.arctan(mu / np.cos(np.pi / facets))
    assert curved.given == pytest.approx((inner, outer), abs=1e-4)
    assert curved.to_dict()["bracket"] == curved.bracket and onset.to_dict()["curved"] == curved.to_dict()


def test_shares_of_a_pad_and_pads_of_points_keep_their_curves() -> None:
    whole = hf.models.coulomb(0.5, facets=8, cap=40.0)
    for foot in (whole.scaled(0.5).scaled(0.5), whole.scaled(0.25)):
        onset = slip_onset(leaning(foot, np.pi / 8), 0.0, 1.5, step=0.1, tolerance=1e-3)
        assert onset.curved is not None
        assert onset.curved.bracket[0] <= np.arctan(0.5) <= onset.curved.bracket[1] <= onset.curved.bracket[0] + 1e-3
    finger = hf.models.soft_finger(0.5, 0.005, facets=8).volume
    assert slip_onset(leaning(finger, np.pi / 8), 0.0, 1.5, step=0.1, tolerance=1e-3).curved is not None


def test_what_has_no_curves_has_no_model_error() -> None:
    assert slip_onset(incline(block(0.5)), 0.0, 1.5, step=0.1, tolerance=1e-3).curved is None
    path = leaning(hf.models.coulomb(0.5), 0.1)
    assert slip_onset(path, 0.0, 1.5, step=0.1, tolerance=1e-3, curved=False).curved is None
    assert slip_onset(path, 0.0, 0.3, step=0.1, tolerance=1e-3).curved is None  # it holds throughout


def test_curves_that_hold_to_the_end_leave_the_bracket_open() -> None:
    facets, mu = 8, 0.5
    stop = 0.5 * (np.arctan(mu) + np.arctan(mu * np.cos(np.pi / facets)))
    onset = slip_onset(
        leaning(hf.models.coulomb(mu, facets=facets), np.pi / facets), 0.0, stop, step=0.05, tolerance=1e-3
    )
    assert onset.curved is not None and onset.curved.failed is None and onset.curved.verify()
    assert onset.curved.bracket[0] == pytest.approx(stop, abs=1e-3) and onset.curved.bracket[1] == np.inf
