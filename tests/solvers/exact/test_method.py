"""The exact method against every choice of pieces tried, and against the mixed-integer programs on devices.

Variants of a layout, against problems that are built for each of them anew.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly import loads
from holdfast.errors import InputError
from holdfast.solvers.exact import method as method_module
from holdfast.solvers.exact.method import JOINTS_FIRST, JOINTS_SHARE, Batch, Variants
from holdfast.solvers.exact.search import FINISHED, HELD, PAUSED, POOL
from holdfast.wrench_spaces import Rays, Subspace
from tests.nightly import nightly_after
from tests.referee import (
    Case,
    assert_forces_hold,
    assert_limit,
    assert_verdict,
    block,
    dented_unit,
    random_case,
    random_rotation,
    random_volume,
    verdict,
)

EXACT = hf.solvers.Exact()
PUSH_ON = np.array([0, 0, -1.0, 0, 0, 0])

#: Seeds of `random_case` whose pieces all contain the zero force, and of those where some do not.
WITH_ZERO = [seed for seed in range(600) if seed % 4 < 2]
WITHOUT_ZERO = [seed for seed in range(80) if seed % 4 >= 2]

#: How many of them the default run takes.
DEFAULT_WITH_ZERO, DEFAULT_WITHOUT_ZERO = 60, 12
SEEDS = [*nightly_after(DEFAULT_WITH_ZERO, WITH_ZERO), *nightly_after(DEFAULT_WITHOUT_ZERO, WITHOUT_ZERO)]

#: How near to the limit verdicts must be right, as shares of it.
NEAR = (1e-3, 1e-4, 1e-6)


def dented_case(seed: int, contacts: int = 6) -> Case:
    """Units that pull only while they shear, here and there: the hull of their pieces promises too much."""
    rng = np.random.default_rng(seed)
    unit = dented_unit(shear=20, pull=5)
    placed = [hf.Contact(rng.normal(size=3) * 0.05, random_rotation(rng), unit) for _ in range(contacts)]
    return Case(seed, hf.Assembly(placed), np.concatenate([rng.normal(size=3), 0.05 * rng.normal(size=3)]))


@cache
def dented_limit(seed: int) -> float:
    """The limit of a dented case by every choice of pieces."""
    case = dented_case(seed)
    return verdict(case.assembly, case.direction).largest


def device_loads(device: hf.devices.Device, count: int) -> np.ndarray:
    """(count, 6) unit forces through the object's centre of mass, all around."""
    return np.array([loads.gravity_wrench(1.0, f, device.object.com) for f in loads.sphere_directions(count)])


# -- against every choice of pieces -----------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_limits_and_verdicts_beside_them_are_those_of_every_choice_tried(seed: int) -> None:
    case = random_case(seed, most_choices=24)
    expected = verdict(case.assembly, case.direction)
    answer = hf.load_limit(case.assembly, case.direction)
    assert_limit(answer, expected.largest, exact=True)
    if not 1e-3 < abs(expected.largest) < np.inf:
        return
    for change in NEAR:
        for factor in (
            expected.largest - change * abs(expected.largest),
            expected.largest + change * abs(expected.largest),
        ):
            if factor >= expected.least:
                beside = hf.equilibrium(case.assembly, factor * case.direction)
                assert_verdict(beside, factor < expected.largest)


def test_the_random_assemblies_are_of_every_kind() -> None:
    """What the test above claims to try is there, and not a few times only; all of it already in the default run."""
    every = [random_case(seed, most_choices=24) for seed in WITH_ZERO]
    assert len(every) >= 300
    for cases, least in ((every, 10), (every[:DEFAULT_WITH_ZERO], 2)):
        for kind in (
            [case for case in cases if case.assembly.joints is None],
            [case for case in cases if case.assembly.joints is not None],
            [case for case in cases if any(len(r) for c in case.assembly.contacts for r in c.volume.rays)],
            [case for case in cases if not case.assembly.build(case.direction).is_star_shaped],
            *([case for case in cases if len(case.assembly) == k] for k in range(1, 7)),
            *([case for case in cases if max(len(c.volume) for c in case.assembly.contacts) == n] for n in range(1, 5)),
        ):
            assert len(kind) >= least
    without = [random_case(seed, most_choices=24).assembly.layout.contains_zero for seed in WITHOUT_ZERO]
    assert without.count(False) >= 25
    assert without[:DEFAULT_WITHOUT_ZERO].count(False) >= 10


@pytest.mark.parametrize("seed", range(8))
def test_searches_of_many_nodes_are_right_and_their_trees_prove_it(seed: int) -> None:
    case = dented_case(seed)
    expected = dented_limit(seed)
    answer = hf.load_limit(case.assembly, case.direction)
    assert_limit(answer, expected, exact=True)
    assert not answer.effort.referee
    for change in NEAR:
        assert_verdict(hf.equilibrium(case.assembly, (1 - change) * expected * case.direction), holds=True)
        assert_verdict(hf.equilibrium(case.assembly, (1 + change) * expected * case.direction), holds=False)


@pytest.mark.parametrize("seed", range(10))
def test_volumes_of_more_pieces_than_are_tabulated_together_are_right(seed: int) -> None:
    """Seven to twenty pieces: beyond some number only single pieces and all together have tables."""
    rng = np.random.default_rng(seed)
    pieces = 7 + seed if seed < 6 else 14 + 2 * (seed - 6)
    volume = random_volume(rng, pieces, rays=seed % 2 == 1, offset=False)
    contacts = [hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), volume) for _ in range(2)]
    assembly = hf.Assembly(contacts)
    forces = [c.rotation @ (rng.dirichlet(np.ones(len(p))) @ p) for c, p in zip(contacts, volume.pieces, strict=False)]
    direction = -sum(np.concatenate([f, np.cross(c.position, f)]) for c, f in zip(contacts, forces, strict=True))
    answer = hf.load_limit(assembly, direction)
    assert_limit(answer, verdict(assembly, direction).largest, exact=True)
    assert seed % 2 == 1 or not answer.effort.referee


# -- joint rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lower, upper, expected",
    [
        (-1.0, 2.0, 20.0),
        (-np.inf, 2.0, 20.0),
        (-1.0, np.inf, 100.0),
        (-np.inf, np.inf, 100.0),
        (2.0, 2.0, 20.0),
        (0.0, 0.0, 0.0),
        (0.5, 2.0, 20.0),
        (-2.0, -0.5, -np.inf),
        (11.0, np.inf, -np.inf),
        (-np.inf, 10.0, 100.0),
    ],
)
def test_a_joint_row_limits_the_load_as_it_says(lower: float, upper: float, expected: float) -> None:
    """A contact presses up to 100 N, and its force has a lever of 0.1 m about the joint."""
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([block([-50, -50, 0], [50, 50, 100])]))
    assembly = hf.Assembly([contact], hf.JointRows([[0, 0, 0.1]], [lower], [upper]))
    answer = hf.load_limit(assembly, PUSH_ON)
    assert_limit(answer, expected)
    if 0.0 < expected < np.inf:
        for change in NEAR:
            assert_verdict(hf.equilibrium(assembly, (1 + change) * expected * PUSH_ON), holds=False)
            within = (1 - change) * expected
            assert_verdict(hf.equilibrium(assembly, within * PUSH_ON), holds=0.1 * within >= lower)


@pytest.mark.parametrize("lower, upper", [(-1.0, 2.0), (-np.inf, 2.0), (-1.0, np.inf), (-np.inf, np.inf), (0.5, 2.0)])
def test_a_joint_row_limits_a_cone_as_it_says(lower: float, upper: float) -> None:
    """The same without a limit of the contact itself."""
    assembly = hf.Assembly(
        [hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5))], hf.JointRows([[0, 0, 0.1]], [lower], [upper])
    )
    assert_limit(hf.load_limit(assembly, PUSH_ON), 10.0 * upper)
    if lower < 0.0:
        assert_limit(hf.load_limit(assembly, -PUSH_ON), 0.0)
    elif lower > 0.0:
        assert_limit(hf.load_limit(assembly, -PUSH_ON), -10.0 * lower)


@pytest.mark.parametrize("times", [2, 5])
def test_the_same_joint_row_many_times_and_rows_of_zeros_change_nothing(times: int) -> None:
    case = random_case(5, most_choices=24)
    assert case.assembly.joints is not None
    rows = case.assembly.joints
    nothing = np.zeros((1, rows.jacobian.shape[1]))
    more = hf.JointRows(
        np.concatenate([rows.jacobian] * times + [nothing]),
        np.concatenate([rows.lower] * times + [[-1.0]]),
        np.concatenate([rows.upper] * times + [[0.0]]),
    )
    answer = hf.load_limit(hf.Assembly(case.assembly.contacts, more), case.direction)
    assert_limit(answer, verdict(case.assembly, case.direction).largest)


# -- the load's length ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21])
def test_a_direction_of_any_length_has_the_same_limit(seed: int) -> None:
    case = random_case(seed, most_choices=24)
    expected = verdict(case.assembly, case.direction).largest
    for scale in 10.0 ** np.arange(-6, 7):
        answer = hf.load_limit(case.assembly, scale * case.direction)
        assert answer.verify()
        assert answer.value * scale == pytest.approx(expected, rel=1.01e-6, abs=1e-9)


# -- devices ----------------------------------------------------------------------------------------

DEVICES = {
    "2OU": {},
    "2FG": {"left": "D", "right": "D"},
    "4FH": {},
}


@pytest.mark.parametrize("name", nightly_after(2, DEVICES))
def test_limits_of_devices_are_within_what_the_mixed_integer_program_leaves_open(name: str) -> None:
    """It proves nothing that could be checked, but it is another program by other people."""
    device = hf.devices.create(name, **DEVICES[name])
    assembly = device.assembly()
    rival = hf.solvers.HullMilp(time_limit=1.0)
    for direction in device_loads(device, 7)[1::3]:
        answer = hf.load_limit(assembly, direction)
        assert answer.status == "optimal"
        assert answer.verify()
        assert_forces_hold(assembly, answer.value * direction, answer.forces, answer.pieces)
        other = hf.load_limit(assembly, direction, method=rival)
        assert other.value <= answer.upper_bound * (1 + 1e-9)
        assert answer.value <= other.upper_bound * (1 + 1e-6)
        if other.status == "optimal":
            assert answer.value == pytest.approx(other.value, rel=1.01e-6)


@pytest.mark.parametrize("name", nightly_after(2, DEVICES))
def test_verdicts_on_devices_are_those_of_the_mixed_integer_program(name: str) -> None:
    """Weights all around, of an object as heavy as the device just holds in the middle of its range."""
    device = hf.devices.create(name, **DEVICES[name])
    assembly = device.assembly()
    directions = device_loads(device, 9)
    middling = float(np.median([hf.load_limit(assembly, direction).value for direction in directions]))
    seen = set()
    for direction in directions[:4]:
        answer = hf.equilibrium(assembly, 1.05 * middling * direction)
        assert answer.verify()
        other = hf.equilibrium(assembly, 1.05 * middling * direction, method=hf.solvers.HullMilp(time_limit=2.0))
        assert other.status in (answer.status, "undecided")
        seen.add(str(answer.status))
    assert seen == {"holds", "does not hold"}


def test_the_reference_method_gives_the_same_limits_on_a_device() -> None:
    device = hf.devices.create("2OU")
    for direction in device_loads(device, 12)[1::2]:
        answer = hf.load_limit(device.assembly(), direction)
        other = hf.load_limit(device.assembly(), direction, method=hf.solvers.Reference())
        assert other.status == "optimal"
        assert answer.value == pytest.approx(other.value, rel=2.02e-6)


def test_joint_gravity_of_a_device_is_answered_as_the_reference_method_does() -> None:
    """Links that weigh on their joints: zero forces need not be allowed."""
    device = hf.devices.create("2FG", left="D", right="D")
    for turn in loads.circle_directions(6):
        gravity = loads.STANDARD_GRAVITY * turn
        assembly, weight = device.assembly(gravity), device.weight(gravity)
        answer = hf.equilibrium(assembly, weight)
        assert answer.verify()
        assert answer.status == hf.equilibrium(assembly, weight, method=hf.solvers.Reference()).status


# -- options, limits, effort ------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-6, 1e-8])
def test_the_gap_is_kept_and_stated(gap: float) -> None:
    for seed in range(4):
        case = dented_case(seed)
        expected = dented_limit(seed)
        answer = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Exact(gap=gap))
        assert_limit(answer, expected, gap=gap)
        assert answer.gap <= 1.001 * gap


@pytest.mark.parametrize("seed", range(12))
def test_out_of_nodes_the_limit_is_undecided_within_a_true_bracket(seed: int) -> None:
    case = dented_case(seed)
    expected = dented_limit(seed)
    answer = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Exact(node_limit=1))
    if answer.status == "optimal":  # the root was enough
        assert_limit(answer, expected)
        return
    assert answer.status == "undecided"
    assert answer.value <= expected * (1 + 1e-9)
    assert answer.upper_bound >= expected * (1 - 1e-9)
    assert answer.upper_bound > answer.value
    assert not answer.verify()
    assert answer.certificate is None
    assert answer.effort.nodes == 1
    assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("limit", [150, 300])
def test_a_limit_of_nodes_is_used_up(limit: int) -> None:
    """Many nodes stay open in this direction, which ends a first attempt early, but not the only one."""
    hand = hf.devices.four_finger_hand("parallel", corners="independent").assembly()
    direction = Rays.spiral(Subspace.named("fx,fy,fz", length=hand.length), 10_000).directions[3609]
    answer = hf.load_limit(hand, direction, method=hf.solvers.Exact(node_limit=limit))
    assert (answer.status, answer.effort.nodes) == ("undecided", limit)


@pytest.mark.parametrize("corners, number", [("independent", 3609), ("shared", 9723)])
def test_a_proof_with_counts_covers_every_choice(
    corners: Literal["independent", "shared"], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranges of counts are pruned like pieces: a count whose value lies outside of what is left is not divided there."""
    monkeypatch.setattr(method_module, "FIRST_NODES", 60)
    hand = hf.devices.four_finger_hand("parallel", corners=corners).assembly()
    direction = Rays.spiral(Subspace.named("fx,fy,fz", length=hand.length), 10_000).directions[number]
    solver = hf.Solver(hand)
    answers = [solver.load_limit(direction), hf.load_limit(hand, direction)]
    for answer in answers:
        assert answer.certificate is not None and answer.certificate.counts
        assert answer.certificate.covers(answer.problem)
    assert answers[1].verify()


def test_out_of_nodes_some_limits_are_undecided() -> None:
    """What the bracket test claims is seen at least sometimes."""
    method = hf.solvers.Exact(node_limit=1)
    cases = [dented_case(seed) for seed in range(12)]
    statuses = [str(hf.load_limit(case.assembly, case.direction, method=method).status) for case in cases]
    assert statuses.count("undecided") >= 3


@pytest.mark.parametrize("joints", [False, True])
def test_out_of_nodes_a_test_is_undecided_and_its_bound_is_true(joints: bool) -> None:
    """Just above the limit of the union and below that of the hull: one node cannot tell."""
    undecided = 0
    for seed in range(12):
        case = dented_case(seed, contacts=4)
        assembly = case.assembly
        if joints:  # a spring that presses the first contact on its object even without a load
            row = np.zeros((1, 3 * len(assembly)))
            row[0, :3] = 0.1 * assembly.rotations[0, :, 2]
            assembly = hf.Assembly(assembly.contacts, hf.JointRows(row, [0.1], [0.2]))
        expected = verdict(assembly, case.direction).largest
        if not np.isfinite(expected):
            continue
        wrench = 1.001 * expected * case.direction
        answer = hf.equilibrium(assembly, wrench, method=hf.solvers.Exact(node_limit=1))
        if answer.status == "undecided":
            undecided += 1
            assert not answer.holds
            assert not answer.verify()
            assert answer.forces is None
            assert answer.solution.bound >= verdict(assembly, wrench).largest * (1 - 1e-9)
        else:
            assert_verdict(answer, holds=False)
    assert undecided > 0


def test_out_of_time_the_answer_is_undecided_within_a_true_bracket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.solvers.exact.method.FIRST_NODES", 1)  # time is looked at after every first node
    cases = [dented_case(seed, contacts=4) for seed in range(12)]
    answers = [hf.load_limit(c.assembly, c.direction, method=hf.solvers.Exact(time_limit=1e-9)) for c in cases]
    assert any(answer.status == "undecided" for answer in answers)
    for case, answer in zip(cases, answers, strict=True):
        expected = verdict(case.assembly, case.direction).largest
        assert answer.value <= expected * (1 + 1e-9) <= answer.upper_bound * (1 + 2e-9)


def test_attempts_that_run_out_of_nodes_or_room_are_repeated_with_more(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [dented_case(seed) for seed in range(6)]
    usual = [hf.load_limit(case.assembly, case.direction) for case in cases]
    assert max(len(answer.certificate.leaves) for answer in usual) > 2
    monkeypatch.setattr("holdfast.solvers.exact.method.FIRST_NODES", 2)
    monkeypatch.setattr("holdfast.solvers.exact.method.FIRST_LEAVES", 16)
    monkeypatch.setattr("holdfast.solvers.exact.model.FIRST_LEAVES", 16)
    for case, before in zip(cases, usual, strict=True):
        assembly = hf.Assembly(case.assembly.contacts)  # with rooms of its own
        answer = hf.load_limit(assembly, case.direction)
        assert answer.verify()
        assert answer.value == pytest.approx(before.value, rel=1.01e-6)
        assert_verdict(hf.equilibrium(assembly, 1.0001 * before.upper_bound * case.direction), holds=False)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"gap": 0.0}, "gap"),
        ({"gap": -1e-6}, "gap"),
        ({"gap": 0.5}, "gap"),
        ({"gap": np.nan}, "gap"),
        ({"gap": "small"}, "gap: is not a number"),
        ({"node_limit": 0}, "node_limit"),
        ({"node_limit": 10.5}, "node_limit: is 10.5"),
        ({"node_limit": True}, "node_limit"),
        ({"time_limit": 0.0}, "time_limit"),
        ({"time_limit": np.inf}, "time_limit"),
        ({"time_limit": None}, "time_limit"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        hf.solvers.Exact(**options)


def test_options_are_given_by_name_only() -> None:
    with pytest.raises(TypeError):
        hf.solvers.Exact(1e-6)  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize("wrench", [np.zeros(5), np.zeros((6, 1)), [0, 0, np.nan, 0, 0, 0], [0, 0, np.inf, 0, 0, 0]])
def test_a_wrench_that_is_none_is_refused(wrench: object) -> None:
    assembly = random_case(0).assembly
    for question in (hf.equilibrium, hf.load_limit):
        with pytest.raises(InputError):
            question(assembly, wrench, method=EXACT)
    with pytest.raises(InputError, match="zero wrench"):
        hf.load_limit(assembly, np.zeros(6), method=EXACT)


@pytest.mark.parametrize("seed", range(6))
def test_effort_counts_what_was_done(seed: int) -> None:
    case = dented_case(seed)
    answer = hf.load_limit(case.assembly, case.direction)
    effort = answer.effort
    assert 1 <= effort.nodes <= effort.programs
    assert len(answer.certificate.leaves) >= 1
    assert effort.pivots >= 1
    assert effort.seconds > 0.0
    assert set(effort.stages) == {"prepare", "search"}
    assert all(seconds >= 0.0 for seconds in effort.stages.values())
    assert sum(effort.stages.values()) <= effort.seconds * (1 + 1e-9)
    assert effort.referee is False


def test_a_single_convex_contact_is_one_node_and_one_leaf() -> None:
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([block([-1, -1, 0], [1, 1, 9])]))])
    answer = hf.load_limit(assembly, PUSH_ON)
    assert_limit(answer, 9.0)
    assert answer.effort.nodes == 1
    assert len(answer.certificate.leaves) == 1


def test_the_referee_is_asked_for_pieces_without_zero_and_the_answer_says_so() -> None:
    raised = hf.ForceVolume([block([-1, -1, 1], [1, 1, 9])])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), raised)])
    answer = hf.load_limit(assembly, PUSH_ON)
    assert_limit(answer, 9.0)
    assert answer.effort.referee
    assert_verdict(hf.equilibrium(assembly, 0.5 * PUSH_ON), holds=False)
    assert_verdict(hf.equilibrium(assembly, np.zeros(6)), holds=False)
    assert hf.equilibrium(assembly, PUSH_ON).effort.referee


def test_the_kernels_answer_most_questions_about_pieces_with_zero_themselves() -> None:
    cases = [random_case(seed, most_choices=24) for seed in WITH_ZERO[:120]]
    answers = [hf.load_limit(case.assembly, case.direction) for case in cases]
    assert sum(answer.effort.referee for answer in answers) <= 6


def test_the_same_question_gives_the_same_bytes() -> None:
    for seed in range(4):
        case = dented_case(seed)
        first, second = (hf.load_limit(hf.Assembly(case.assembly.contacts), case.direction) for _ in range(2))
        assert first.value == second.value
        np.testing.assert_array_equal(first.forces, second.forces)
        for a, b in zip(first.certificate.leaves, second.certificate.leaves, strict=True):
            assert a.masks == b.masks
            np.testing.assert_array_equal(a.multipliers, b.multipliers)


def test_every_assembly_is_answered_by_the_same_compiled_code() -> None:
    """Arrays of another layout or type would be compiled for once more, for half a minute."""
    from holdfast.solvers.exact.search import solve

    plain = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([block([-1, -1, 0], [1, 1, 9])]))])
    joined = hf.Assembly(plain.contacts, hf.JointRows([[0, 0, 0.1]], [-1.0], [np.inf]))
    coned = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5))])
    flat = [[[0.0, 0, 0]], [[0.0, 0, 0], [0, 1, 5.0]], [[0.0, 0, 0], [1, 0, 5.0], [-1, 1, 5.0]]]
    flats = [hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([f], allow_flat=True))]) for f in flat]
    for assembly in (plain, joined, coned, *flats[1:], dented_case(0).assembly, random_case(5).assembly):
        hf.load_limit(assembly, PUSH_ON)
        hf.equilibrium(assembly, list(PUSH_ON))
        solver = hf.Solver(assembly)
        solver.load_limit(PUSH_ON)
        solver.load_limit(np.asfortranarray([PUSH_ON, PUSH_ON])[1])
        solver.load_limit_many(np.asfortranarray([PUSH_ON, -PUSH_ON]))
        solver.equilibrium_many([PUSH_ON])
    assert len(solve.machine_code.signatures) == 1


def test_it_is_the_default_method() -> None:
    case = random_case(0)
    assert hf.load_limit(case.assembly, case.direction).method == hf.solvers.Exact()
    assert hf.equilibrium(case.assembly, case.direction).method == hf.solvers.Exact()


def scaled_maps(layout, seed: int, count: int) -> np.ndarray:
    """(count, k, m, 3) maps with factors on the columns, and some noise on the torque rows."""
    rng = np.random.default_rng(seed)
    maps = layout.maps * rng.uniform(0.3, 2.5, size=(count, len(layout.shape_of), 1, 3))
    maps[:, :, 3:6] += 0.05 * rng.normal(size=maps[:, :, 3:6].shape)
    return maps


@pytest.mark.parametrize("seed", range(6))
def test_variants_have_the_verdicts_and_limits_of_problems_built_anew(seed):
    case = random_case(seed)
    assembly, wrench = case.assembly, case.direction
    layout, load = assembly.layout, assembly.problem(np.asarray(wrench)).load
    variants, method = Variants(layout, load), hf.solvers.Exact()
    maps = scaled_maps(layout, seed, 8)
    loads = load * np.linspace(0.4, 2.0, 8)[:, None, None]
    tests = variants.many(method, maps, loads, "test")
    limits = variants.many(method, maps, loads, "maximise")
    for i in range(8):
        problem = variants.problem(maps[i], loads[i, 0])
        alone = method.test(problem)
        if tests.outcomes[i] in (HELD, FINISHED):
            assert (tests.outcomes[i] == HELD) == (alone.status is hf.Status.HOLDS)
        if tests.outcomes[i] == HELD:
            assert problem.residual(tests.forces[i] / tests.factors[i], 1.0) <= 1e-8 * problem.force_scale(
                tests.forces[i] / tests.factors[i], 1.0
            )
        if limits.outcomes[i] == FINISHED and np.isfinite(limits.factors[i]):
            assert limits.factors[i] == pytest.approx(method.maximise(problem).factor, rel=1e-5, abs=1e-9)


def test_several_loads_of_a_variant_come_one_after_the_other():
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    layout = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), volume)]).layout
    loads = np.zeros((3, 2, 6))
    loads[:, 0, 2], loads[:, 1, 0] = 1.0, 2.0
    maps = layout.maps * np.array([1.0, 2.0, 0.5])[:, None, None, None]
    found = Variants(layout, loads[0, 0]).many(hf.solvers.Exact(), maps, loads, "maximise")
    np.testing.assert_allclose(found.factors.reshape(3, 2), [[1.0, 0.5], [2.0, 1.0], [0.5, 0.25]], rtol=1e-6)
    assert np.abs(found.multipliers).max(axis=1).min() > 0.0


def test_variants_may_choose_among_shapes_of_different_numbers_of_pieces():
    small, large = block([-1.0] * 3, [1.0] * 3), block([-3.0, -1.0, -1.0], [3.0, 1.0, 1.0])
    contacts = [hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume(p)) for p in ([small], [small, large])]
    layout = hf.Assembly(contacts).layout
    one = Variants(layout, np.array([1.0, 0, 0, 0, 0, 0]))
    maps = np.repeat(layout.maps[None], 3, axis=0)
    shape_of = np.array([[0, 0], [0, 1], [1, 1]])
    loads = np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], (3, 1, 1))
    found = one.many(hf.solvers.Exact(), maps, loads, "maximise", shape_of)
    np.testing.assert_allclose(found.factors, [2.0, 4.0, 6.0], rtol=1e-6)
    np.testing.assert_allclose(
        [
            hf.solvers.Exact().maximise(one.problem(m, w[0], s)).factor
            for m, w, s in zip(maps, loads, shape_of, strict=True)
        ],
        found.factors,
        rtol=1e-6,
    )


def test_variants_of_other_shapes_keep_nothing_of_those_before_them():
    """Vertices that one variant found are no start for the next, whose contacts have other shapes."""
    rng = np.random.default_rng(17)
    units = [dented_unit(shear=20, pull=5), dented_unit(shear=8, pull=2)]
    contacts = [hf.Contact(rng.normal(size=3) * 0.05, random_rotation(rng), units[k % 2]) for k in range(8)]
    layout = hf.Assembly(contacts).layout
    one = Variants(layout, np.array([0.3, 0.2, 1.0, 0.0, 0.0, 0.0]))
    shape_of = rng.integers(0, 2, size=(24, 8))
    maps, loads_of = np.repeat(layout.maps[None], 24, axis=0), rng.normal(size=(24, 1, 6))
    found = one.many(EXACT, maps, loads_of, "maximise", shape_of)
    assert (found.outcomes == FINISHED).all()
    for i in range(24):
        alone = EXACT.maximise(one.problem(maps[i], loads_of[i, 0], shape_of[i]))
        assert found.factors[i] == pytest.approx(alone.factor, rel=3e-6)
        assert found.bounds[i] >= alone.factor * (1.0 - 1e-12)


def test_one_sided_rows_are_cut_off_beyond_what_the_strongest_variant_can_push():
    """A row with a limit on one side alone never binds on the other, however strong the contacts are."""
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    joints = hf.JointRows(np.array([[0.0, 0.0, 1.0]]), [-np.inf], [5.0])
    assembly = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), volume)], joints)
    layout = assembly.layout
    load = assembly.problem(np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])).load
    maps = np.repeat(layout.maps[None], 3, axis=0) * np.array([1.0, 300.0, 1e5])[:, None, None, None]
    found = Variants(layout, load).many(hf.solvers.Exact(), maps, np.repeat(load[None, None], 3, axis=0), "maximise")
    np.testing.assert_allclose(found.factors, [1.0, 300.0, 1e5], rtol=1e-5)


def test_answers_do_not_depend_on_the_variants_before():
    rng = np.random.default_rng(3)
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3), block([-2.0, -1.0, -1.0], [2.0, 1.0, 1.0])])
    layout = hf.Assembly([hf.Contact(rng.normal(size=3), random_rotation(rng), volume) for _ in range(4)]).layout
    load = rng.normal(size=6)
    variants, maps = Variants(layout, load), scaled_maps(layout, 1, 6)
    loads = np.repeat(load[None, None], 6, axis=0)
    together = variants.many(hf.solvers.Exact(), maps, loads, "maximise")
    alone = variants.many(hf.solvers.Exact(), maps[4:5], loads[4:5], "maximise")
    assert together.factors[4] == alone.factors[0]


def test_what_the_kernels_cannot_treat_is_left_open():
    away = hf.ForceVolume([block([1.0] * 3, [2.0] * 3)])  # no zero force
    layout = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), away)]).layout
    found = Variants(layout, np.ones(6)).many(hf.solvers.Exact(), layout.maps[None], np.ones((1, 1, 6)), "test")
    assert found.outcomes.tolist() == [PAUSED]
    empty = Variants(layout, np.ones(6)).many(
        hf.solvers.Exact(), np.zeros((0, *layout.maps.shape)), np.ones((0, 1, 6)), "test"
    )
    assert len(empty.outcomes) == 0


def hand() -> hf.Assembly:
    return hf.devices.four_finger_hand("opposed", corners="shared").assembly()


def test_a_load_starts_from_the_root_of_the_nearest_one_before_it() -> None:
    """Of loads all around, asked in an order that jumps, those that come again a little turned take few pivots."""
    solver, rng = hf.Solver(hand()), np.random.default_rng(4)
    directions = np.concatenate([loads.sphere_directions(24), np.zeros((24, 3))], axis=1)
    first = [solver.load_limit(way) for way in directions]
    turned = directions + 1e-3 * rng.normal(size=directions.shape) * [1, 1, 1, 0, 0, 0]
    again = [solver.load_limit(way) for way in turned]
    cold = [hf.load_limit(solver.assembly, way) for way in turned]
    convex = [k for k in range(24) if first[k].effort.nodes == again[k].effort.nodes == 1]
    assert len(convex) > 2
    assert sum(again[k].effort.pivots for k in convex) < 0.5 * sum(cold[k].effort.pivots for k in convex)
    for one, other in zip(again, cold, strict=True):
        assert one.value == pytest.approx(other.value, rel=2e-6)
        assert one.verify()


def test_more_roots_than_the_pool_keeps_are_as_right() -> None:
    solver = hf.Solver(dented_case(3).assembly)
    ways = np.random.default_rng(5).normal(size=(3 * POOL, 6)) * [1, 1, 1, 0.05, 0.05, 0.05]
    many = solver.load_limit_many(ways)
    for index in range(0, len(ways), 7):
        assert solver.load_limit(ways[index]).value == pytest.approx(many.values[index], rel=2e-6)
        assert hf.load_limit(solver.assembly, ways[index]).value == pytest.approx(many.values[index], rel=2e-6)


def hand_with_limits(torque: float) -> hf.Assembly:
    """Five units here and there, and two joints that hold at most `torque` [N m]."""
    placed = dented_case(8, contacts=5).assembly.contacts
    jacobian = 0.1 * np.random.default_rng(8).normal(size=(2, 15))
    return hf.Assembly(placed, joints=hf.JointRows(jacobian, np.full(2, -torque), np.full(2, torque)))


@pytest.mark.parametrize("torque", [0.2, 1.0, 3.0, 50.0])
def test_answers_that_were_first_sought_without_limits_of_joints_are_those_with_them(torque: float) -> None:
    """The referee tries every choice of pieces with the limits; proofs must hold for the assembly as it is."""
    assembly, rng = hand_with_limits(torque), np.random.default_rng(5)
    directions = rng.normal(size=(30, 6)) * [1.0, 1.0, 1.0, 0.1, 0.1, 0.1]
    expected = [verdict(assembly, direction).largest for direction in directions]
    solver = hf.Solver(assembly)
    trials = solver._memories["maximise"].trials
    for direction, largest in zip(directions, expected, strict=True):
        assert_limit(solver.load_limit(direction), largest)
        assert_verdict(solver.equilibrium(0.999 * largest * direction), True)
        assert_verdict(solver.equilibrium(1.001 * largest * direction), False)
    assert trials.tried > 0
    assert (trials.outside == 0) == (torque == 50.0)
    assert trials.pay == (trials.outside <= JOINTS_SHARE * trials.tried + JOINTS_FIRST)
    many = hf.Solver(hand_with_limits(torque)).load_limit_many(np.repeat(directions, 5, axis=0))
    np.testing.assert_allclose(many.values, np.repeat(expected, 5), rtol=2e-6)
    torques = many.forces.reshape(len(many.forces), -1) @ assembly.joints.jacobian.T
    assert np.abs(torques).max() <= torque * (1.0 + 1e-9)


def test_joint_limits_that_always_bind_are_soon_respected_at_once() -> None:
    assembly = hand_with_limits(0.02)
    solver = hf.Solver(assembly)
    trials = solver._memories["maximise"].trials
    for _ in range(40):
        solver.load_limit([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert trials.tried == trials.outside < 10
    assert not trials.pay


@pytest.mark.parametrize("kind", ["cones", "demand"])
def test_limits_of_joints_that_forces_need_are_never_left_out(kind: str) -> None:
    """Cones would carry any load without them, and limits that exclude zero demand forces."""
    volume = hf.models.coulomb(0.5) if kind == "cones" else dented_unit(shear=20, pull=5)
    contact = hf.Contact((0, 0, 0), np.eye(3), volume)
    lower = 0.1 if kind == "demand" else -1.0
    joints = hf.JointRows(np.array([[0.0, 0.0, 1.0]]), np.array([lower]), np.array([2.0]))
    layout = hf.Assembly([contact], joints=joints).layout
    assert layout.without_joint_limits is None
    assert replace(layout, lower=-np.ones(7), upper=np.ones(7), balance=12).without_joint_limits is None
    assert hf.Assembly([contact]).layout.without_joint_limits is None


def test_a_known_factor_that_comes_back_rounded_up_keeps_its_forces() -> None:
    earlier, later = Batch.empty(1, 2, 6), Batch.empty(1, 2, 6)
    earlier.factors[0], earlier.forces[0], earlier.pieces[0] = 0.3, 1.0, 2
    for factor, kept in ((0.3, True), (np.nextafter(0.3, 1.0), True), (0.3 * (1.0 + 1e-12), False)):
        later.factors[0], later.forces[0], later.pieces[0] = factor, 5.0, 1
        later.keep_better(earlier)
        assert (later.forces[0] == (1.0 if kept else 5.0)).all()
        assert later.factors[0] == (0.3 if kept else factor)


def test_what_was_tried_in_vain_counts_as_effort() -> None:
    solver = hf.Solver(hand_with_limits(0.02))
    nodes = [solver.load_limit([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).effort.nodes for _ in range(8)]
    assert solver._memories["maximise"].trials.outside > 0
    assert max(nodes[JOINTS_FIRST:]) > nodes[JOINTS_FIRST - 1]


def test_a_start_whose_work_on_the_load_is_rounding_is_not_taken() -> None:
    """The load acts through the only contact: its torque about that point is rounding, and no proof may rest on it."""
    case = random_case(283186538, most_choices=64)
    for factor in np.linspace(0.5, 2.5, 41):
        wrench, solver = factor * case.direction, hf.Solver(case.assembly)
        assert not solver.equilibrium(0.7 * wrench + 0.1 * np.abs(wrench).max()).holds  # by a torque
        assert solver.equilibrium(wrench).holds
