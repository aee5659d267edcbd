"""One solver for many questions: cold, warm and batched answers are the same, and each can prove itself."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import pickle
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly import loads
from holdfast.assembly.assembly import JointRows
from holdfast.errors import InputError
from holdfast.solvers import Exact, Status
from holdfast.statics.paths import rotating_gravity
from holdfast.statics.solver import KEPT_VOLUMES, Anchor, WarmSolver, chosen_contacts, weakened
from tests.nightly import nightly_after
from tests.referee import (
    assert_forces_hold,
    assert_limit,
    assert_verdict,
    block,
    dented_unit,
    random_case,
    random_rotation,
    random_volume,
)
from tests.statics.moving_scenes import block as block_on_floor
from tests.statics.moving_scenes import tilted

#: Limits found to the default gap from two sides differ by no more than this share.
AGREE = 1.01e-6

#: Assemblies of `random_case`: with and without joint rows, rays and zero in every piece.
SEEDS = nightly_after(12, [0, 1, 2, 3, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 23, 28, 29, 32, 33, 36, 37, 41, 44, 45, 49])


def questions(assembly: hf.Assembly, direction: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(n, 6) loads in random order: repeated, opposite, a million times larger and smaller, and others all around."""
    size = np.array([1.0, 1.0, 1.0, *np.full(3, assembly.length)])
    others = rng.normal(size=(6, 6)) * size * np.linalg.norm(direction)
    near = direction + 1e-3 * rng.normal(size=(3, 6)) * size * np.linalg.norm(direction)
    wrenches = [direction, direction, -direction, 1e6 * direction, 1e-6 * direction, *others, *near, -others[0]]
    return np.array(wrenches)[rng.permutation(len(wrenches))]


def devices() -> list[hf.devices.Device]:
    return [
        hf.devices.create("2OU"),
        hf.devices.create("2FG", left="D", right="MD"),
        hf.devices.create("4FH", fingers="opposed"),
    ]


def all_around(device: hf.devices.Device, count: int) -> np.ndarray:
    """(count, 6) unit forces through the object's centre of mass."""
    return np.array([loads.gravity_wrench(1.0, f, device.object.com) for f in loads.sphere_directions(count)])


def assert_same_limits(assembly: hf.Assembly, answers: hf.statics.Answers, cold: list[hf.statics.LoadLimit]) -> None:
    """Statuses, values, and the forces of a batch checked from scratch."""
    assert len(answers) == len(cold)
    for i, alone in enumerate(cold):
        assert answers.status[i] == alone.status
        scale = np.abs(answers.wrenches[i]).max()
        assert answers.values[i] * scale == pytest.approx(alone.value * scale, rel=AGREE, abs=1e-7)
        if alone.status == "optimal":
            wrench = answers.values[i] * answers.wrenches[i]
            assert_forces_hold(assembly, wrench, answers.forces[i], answers.pieces[i])
        elif alone.status == "does not hold":
            assert np.isnan(answers.forces[i]).all()
            assert (answers.pieces[i] == -1).all()


# -- cold, warm, batched ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_limits_are_the_same_cold_warm_and_batched(seed: int) -> None:
    case = random_case(seed, most_choices=32)
    directions = questions(case.assembly, case.direction, np.random.default_rng(seed))
    cold = [hf.load_limit(case.assembly, direction) for direction in directions]
    solver = hf.Solver(case.assembly)
    for direction, alone in zip(directions, cold, strict=True):
        warm = solver.load_limit(direction)
        assert warm.status == alone.status
        assert warm.verify()
        scale = np.abs(direction).max()
        assert warm.value * scale == pytest.approx(alone.value * scale, rel=AGREE, abs=1e-7)
    assert_same_limits(case.assembly, hf.Solver(case.assembly).load_limit_many(directions), cold)
    assert_same_limits(case.assembly, solver.load_limit_many(directions, threads=1), cold)


@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_are_the_same_cold_warm_and_batched(seed: int) -> None:
    case = random_case(seed, most_choices=32)
    wrenches = questions(case.assembly, case.direction, np.random.default_rng(seed))
    limits = [hf.load_limit(case.assembly, wrench) for wrench in wrenches]
    beside = [
        factor * limit.value * limit.direction
        for limit in limits
        if limit.status == "optimal" and limit.value > 1e-3
        for factor in (0.5, 1 - 1e-4, 1 + 1e-4)
    ]
    wrenches = np.array([*wrenches, *beside, np.zeros(6), wrenches[0], np.zeros(6)])
    solver = hf.Solver(case.assembly)
    answers = solver.equilibrium_many(wrenches)
    for i, wrench in enumerate(wrenches):
        cold, warm = hf.equilibrium(case.assembly, wrench), solver.equilibrium(wrench)
        assert cold.status == warm.status == answers.status[i]
        assert cold.verify()
        assert warm.verify()
        assert answers.holds[i] == cold.holds
        if cold.holds:
            assert answers.values[i] == 1.0
            assert_forces_hold(case.assembly, wrench, warm.forces, warm.pieces)
            assert_forces_hold(case.assembly, wrench, answers.forces[i], answers.pieces[i])
        else:
            assert np.isnan(answers.values[i])
            assert np.isnan(answers.forces[i]).all()
            assert (answers.pieces[i] == -1).all()


@pytest.mark.parametrize("number", range(3))
def test_devices_are_answered_the_same_cold_warm_and_batched(number: int) -> None:
    device = devices()[number]
    assembly = device.assembly()
    rng = np.random.default_rng(number)
    directions = all_around(device, 24)
    directions = np.concatenate([directions, -directions[:4], 1e6 * directions[:2], 1e-6 * directions[:2]])
    directions = directions[rng.permutation(len(directions))]
    cold = [hf.load_limit(assembly, direction) for direction in directions]
    solver = hf.Solver(assembly)
    assert_same_limits(assembly, solver.load_limit_many(directions), cold)
    middling = float(np.median([limit.value * np.linalg.norm(limit.direction) for limit in cold]))
    wrenches = middling * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    answers = solver.equilibrium_many(wrenches)
    assert {"holds", "does not hold"} == {str(status) for status in answers.status}
    for i, (direction, limit) in enumerate(zip(directions, cold, strict=True)):
        warm = solver.load_limit(direction)
        assert warm.verify()
        assert warm.value == pytest.approx(limit.value, rel=AGREE)
        tested = solver.equilibrium(wrenches[i])
        assert tested.verify()
        assert tested.status == answers.status[i]
        if answers.holds[i]:
            assert_forces_hold(assembly, wrenches[i], answers.forces[i], answers.pieces[i])


def test_a_warm_solver_goes_round_a_circle_with_the_limits_of_cold_ones() -> None:
    device = hf.devices.create("2FG", left="D", right="D")
    assembly = device.assembly()
    solver = hf.Solver(assembly)
    com = device.object.com
    pivots = {"warm": 0, "cold": 0}
    for force in loads.circle_directions(90):
        direction = loads.gravity_wrench(1.0, force, com)
        warm, cold = solver.load_limit(direction), hf.load_limit(assembly, direction)
        assert warm.value == pytest.approx(cold.value, rel=AGREE)
        pivots["warm"] += warm.effort.pivots
        pivots["cold"] += cold.effort.pivots
    assert pivots["warm"] < pivots["cold"]  # it does begin where it ended


def test_loads_of_very_different_sizes_may_share_a_batch() -> None:
    """A contact of 5 N with a ray: how far the ray must reach for the largest load is no matter for the smallest."""
    volume = hf.ForceVolume([block([-1, -1, 0], [1, 1, 5])], [[[1.0, 0, 0]]])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)])
    press, along = np.array([0, 0, -1.0, 0, 0, 0]), np.array([-1.0, 0, 0, 0, 0, 0])
    for size in 10.0 ** np.arange(0, 13, 2):
        wrenches = np.array([3 * press, size * along, 6 * press, 4.999 * press, 5.001 * press, 1e-3 * press])
        answers = hf.Solver(assembly).equilibrium_many(wrenches, threads=1)
        assert answers.holds.tolist() == [True, True, False, True, False, True]
        for i in np.nonzero(answers.holds)[0]:
            assert_forces_hold(assembly, wrenches[i], answers.forces[i], answers.pieces[i])


def test_a_load_that_nothing_holds_leaves_no_basis_to_begin_from() -> None:
    """The joint asks for a pull that the contact cannot give: no load factor at all, and nothing solved to keep."""
    from holdfast.solvers.exact.method import WarmStart

    volume = hf.ForceVolume([block([-5, -5, 0], [5, 5, 100])])
    rows = hf.JointRows([[0, 0, 0.1]], [-2.0], [-1.0])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)], rows)
    memory = WarmStart()
    found = hf.solvers.Exact().maximise(assembly.build([0, 0, -1.0, 0, 0, 0]), memory)
    assert found.status == "does not hold"
    assert not memory.warm


# -- answers in full --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 5, 8])
def test_any_answer_of_a_batch_can_be_had_in_full_with_its_proof(seed: int) -> None:
    case = random_case(seed, most_choices=32)
    solver = hf.Solver(case.assembly)
    directions = questions(case.assembly, case.direction, np.random.default_rng(seed))
    limits = solver.load_limit_many(directions)
    tests = solver.equilibrium_many(directions)
    for i in range(len(directions)):
        limit, test = limits[i], tests[i]
        assert isinstance(limit, hf.statics.LoadLimit)
        assert isinstance(test, hf.statics.Equilibrium)
        assert_limit(limit, limits.values[i])
        assert_verdict(test, bool(tests.holds[i]))
        np.testing.assert_array_equal(limit.direction, directions[i])
        np.testing.assert_array_equal(test.wrench, directions[i])


def test_answers_say_how_many_came_out_how() -> None:
    case = random_case(0)
    limit = hf.load_limit(case.assembly, case.direction).value
    solver = hf.Solver(case.assembly)
    answers = solver.equilibrium_many([f * limit * case.direction for f in (0.5, 0.9, 1.1)])
    assert repr(answers) == "Answers(2 holds, 1 does not hold)"
    assert len(answers) == 3
    assert repr(solver.equilibrium_many(np.zeros((0, 6)))) == "Answers(none)"
    with pytest.raises(IndexError):
        answers[3]


# -- postures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 9])
def test_another_posture_gives_the_answers_of_a_fresh_solver(seed: int) -> None:
    """Small changes of posture, a large one, other joint rows, fewer contacts and other volumes."""
    case, other = random_case(seed, most_choices=32), random_case(seed + 100, most_choices=32)
    rng = np.random.default_rng(seed)
    solver = hf.Solver(case.assembly)
    postures = [case.assembly]
    for step in (1e-3, 1e-2, 0.3):
        pose = hf.Pose(hf.rotation_about(rng.normal(size=3), step), 0.1 * step * rng.normal(size=3))
        contacts = [
            hf.Contact(c.position + 0.05 * step * rng.normal(size=3), pose.rotation @ c.rotation, c.volume)
            for c in postures[-1].contacts
        ]
        postures.append(hf.Assembly(contacts, case.assembly.joints))
    postures += [hf.Assembly(case.assembly.contacts[:1]), other.assembly, case.assembly]
    for assembly in postures:
        solver.move_to(assembly)
        assert solver.assembly is assembly
        for wrench in (case.direction, 0.3 * case.direction, other.direction):
            warm, fresh = solver.load_limit(wrench), hf.Solver(assembly).load_limit(wrench)
            assert warm.status == fresh.status
            assert warm.verify()
            assert warm.assembly is assembly
            assert warm.value == pytest.approx(fresh.value, rel=AGREE, abs=1e-8)
            assert solver.equilibrium(wrench).status == hf.equilibrium(assembly, wrench).status
            assert solver.equilibrium(wrench).verify()
        many = solver.load_limit_many(np.array([case.direction, other.direction]))
        for i, wrench in enumerate((case.direction, other.direction)):
            assert many.values[i] == pytest.approx(hf.load_limit(assembly, wrench).value, rel=AGREE, abs=1e-8)


# -- threads ----------------------------------------------------------------------------------------


def test_several_threads_may_ask_one_solver() -> None:
    rng = np.random.default_rng(3)
    unit = dented_unit()
    contacts = [hf.Contact(0.05 * rng.normal(size=3), random_rotation(rng), unit) for _ in range(6)]
    assembly = hf.Assembly(contacts)
    directions = np.concatenate([rng.normal(size=(24, 3)), 0.05 * rng.normal(size=(24, 3))], axis=1)
    right = np.array([hf.load_limit(assembly, direction).value for direction in directions])
    wrenches = directions * right[:, None] * np.where(np.arange(24) % 2, 0.99, 1.01)[:, None]
    solver = hf.Solver(hf.Assembly(contacts))
    ready = threading.Barrier(4)

    def ask(worker: int) -> None:
        ready.wait()
        order = np.random.default_rng(worker).permutation(24)
        for i in order:
            limit = solver.load_limit(directions[i])
            assert limit.verify()
            assert limit.value == pytest.approx(right[i], rel=AGREE)
            test = solver.equilibrium(wrenches[i])
            assert test.verify()
            assert test.holds == bool(i % 2)
        many = solver.load_limit_many(directions[order], threads=2)
        np.testing.assert_allclose(many.values, right[order], rtol=AGREE)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(ask, worker) for worker in range(4)]:
            done.result()


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 100])
def test_the_number_of_threads_changes_no_answer(threads: int) -> None:
    case = random_case(8, most_choices=32)
    directions = questions(case.assembly, case.direction, np.random.default_rng(0))
    answers = hf.Solver(case.assembly).load_limit_many(directions, threads=threads)
    assert_same_limits(case.assembly, answers, [hf.load_limit(case.assembly, d) for d in directions])


# -- copies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [lambda solver: pickle.loads(pickle.dumps(solver)), copy.deepcopy, copy.copy])
@pytest.mark.parametrize("seed", [1, 4])
def test_a_copy_answers_the_same_and_moves_on_its_own(copied: Callable[[hf.Solver], hf.Solver], seed: int) -> None:
    case, other = random_case(seed, most_choices=32), random_case(seed + 100, most_choices=32)
    solver = hf.Solver(case.assembly, hf.solvers.Exact(gap=1e-7))
    limit = solver.load_limit(case.direction)  # warm when it is copied
    again = copied(solver)
    assert again.method == solver.method
    found = again.load_limit(case.direction)
    assert found.status == limit.status
    assert found.verify()
    assert found.value == pytest.approx(limit.value, rel=AGREE, abs=1e-8)
    again.move_to(other.assembly)
    assert solver.assembly is case.assembly
    assert again.equilibrium(other.direction).verify()


def test_a_solver_answers_in_another_process() -> None:
    case = random_case(4, most_choices=32)
    solver = hf.Solver(case.assembly)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(solver.load_limit, case.direction).result()
    assert there.verify()
    assert there.value == pytest.approx(solver.load_limit(case.direction).value, rel=AGREE)


# -- what is refused, what is empty -----------------------------------------------------------------


def test_no_wrenches_give_no_answers() -> None:
    for seed in (0, 2):  # the second has pieces without zero
        solver = hf.Solver(random_case(seed).assembly)
        for answers in (solver.equilibrium_many(np.zeros((0, 6))), solver.load_limit_many(np.zeros((0, 6)))):
            assert len(answers) == 0
            assert answers.forces.shape == (0, len(solver.assembly), 3)
            assert answers.values.shape == answers.status.shape == (0,)


@pytest.mark.parametrize(
    "wrenches", [np.zeros(6), np.zeros((2, 5)), np.zeros((2, 6, 1)), [[0, 0, np.nan, 0, 0, 0]], "pull", [[1j] * 6]]
)
def test_wrenches_of_a_wrong_kind_are_refused(wrenches: object) -> None:
    solver = hf.Solver(random_case(0).assembly)
    for ask in (solver.equilibrium_many, solver.load_limit_many):
        with pytest.raises(InputError, match=r"wrenches|directions"):
            ask(wrenches)


@pytest.mark.parametrize("wrench", [np.zeros(5), np.zeros((1, 6)), [0, 0, np.inf, 0, 0, 0], None])
def test_a_wrench_of_a_wrong_kind_is_refused(wrench: object) -> None:
    solver = hf.Solver(random_case(0).assembly)
    for ask in (solver.equilibrium, solver.load_limit):
        with pytest.raises(InputError, match=r"wrench|direction"):
            ask(wrench)


def test_a_load_limit_needs_a_load_and_says_which_is_none() -> None:
    case = random_case(0)
    solver = hf.Solver(case.assembly)
    with pytest.raises(InputError, match="zero wrench"):
        solver.load_limit(np.zeros(6))
    with pytest.raises(InputError, match=r"directions\[1\]: is the zero wrench"):
        solver.load_limit_many([case.direction, np.zeros(6)])


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_a_number_of_threads_that_is_none_is_refused(threads: object) -> None:
    solver = hf.Solver(random_case(0).assembly)
    with pytest.raises(InputError, match="threads"):
        solver.equilibrium_many(np.zeros((1, 6)), threads=threads)  # pyright: ignore[reportArgumentType]


def test_only_the_exact_method_keeps_warm() -> None:
    assembly = random_case(0).assembly
    with pytest.raises(InputError, match="is a Reference"):
        hf.Solver(assembly, hf.solvers.Reference())  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="assembly"):
        hf.Solver("gripper")  # pyright: ignore[reportArgumentType]
    solver = hf.Solver(assembly)
    with pytest.raises(InputError, match="assembly"):
        solver.move_to(None)  # pyright: ignore[reportArgumentType]
    assert solver.assembly is assembly


def test_its_method_is_used() -> None:
    case = random_case(4, most_choices=32)
    coarse = hf.Solver(case.assembly, hf.solvers.Exact(gap=1e-2))
    assert coarse.method == hf.solvers.Exact(gap=1e-2)
    assert coarse.load_limit(case.direction).method == coarse.method
    assert "6 contacts" in repr(hf.Solver(hf.Assembly(case.assembly.contacts[:1] * 6)))
    few = hf.Solver(case.assembly, hf.solvers.Exact(node_limit=1))
    wrenches = questions(case.assembly, case.direction, np.random.default_rng(0))
    single = [few.load_limit(wrench).status for wrench in wrenches]
    assert [str(s) for s in few.load_limit_many(wrenches).status] == [str(s) for s in single]


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_is_held_lies_beyond_any_plane_of_a_batch(seed: int) -> None:
    case = random_case(seed)
    answers = hf.Solver(case.assembly).load_limit_many(
        questions(case.assembly, case.direction, np.random.default_rng(seed))
    )
    held = np.isfinite(answers.values)
    points = answers.values[held, None] * answers.wrenches[held]
    known = np.isfinite(answers.offsets)
    assert (known == np.isfinite(answers.normals).all(axis=1)).all()
    size = np.abs(points[:, :3]).max(initial=0.0) + np.abs(points[:, 3:]).max(initial=0.0) / case.assembly.length
    assert (answers.normals[known] @ points.T <= answers.offsets[known, None] + 1e-8 * size).all()


@pytest.mark.parametrize("number", range(3))
def test_a_plane_cuts_its_ray_at_the_limit_of_the_hulls(number: int) -> None:
    device = devices()[number]
    wrenches = all_around(device, 24)
    answers = hf.Solver(device.assembly()).load_limit_many(wrenches)
    hulls = [hf.load_limit(device.assembly(), w, method=hf.solvers.Hull()).upper_bound for w in wrenches]
    cuts = answers.offsets / np.einsum("ij,ij->i", answers.normals, wrenches)
    assert cuts == pytest.approx(hulls, rel=AGREE)
    assert (answers.values <= answers.upper_bounds).all()
    assert (answers.upper_bounds <= np.array(hulls) * (1 + AGREE)).all()
    apart = hf.Solver(device.assembly().hulled()).load_limit_many(wrenches)  # the hull of each point by itself
    assert (np.array(hulls) <= apart.values * (1 + AGREE)).all()


def test_a_load_without_a_limit_has_no_plane() -> None:
    floor = hf.Assembly([hf.Contact((x, y, 0), np.eye(3), hf.models.coulomb(0.5)) for x in (-1, 1) for y in (-1, 1)])
    answers = hf.Solver(floor).load_limit_many([[0, 0, -1, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
    assert answers.values.tolist() == [np.inf, 0.0]
    assert np.isnan(answers.offsets).tolist() == [True, False]
    assert answers.upper_bounds[1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["cones", "unions", "one-sided joints"])
def test_loads_without_a_limit_are_found_by_the_kernels_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same statuses as the reference method's; each with a growth that `verify` confirms."""
    foot, pad = hf.models.coulomb(0.5), hf.models.gecko_two_way(5.0)
    volumes = [foot, foot, pad, foot.union(pad)] if kind == "unions" else [foot] * 4
    spots = [(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)]
    feet = [hf.Contact((x, y, 0.0), np.eye(3), v) for (x, y), v in zip(spots, volumes, strict=True)]
    knee = JointRows([[0.0, 0.0, 1.0] * 2 + [0.0] * 6, [0.0] * 9 + [0.0, 0.0, 1.0]], [-1.0, -2.0], [np.inf, 20.0])
    solver = hf.Solver(hf.Assembly(feet, knee if kind == "one-sided joints" else None))
    rng = np.random.default_rng(5)
    down = np.concatenate([rng.uniform(-0.3, 0.3, (40, 2)), -np.ones((40, 1)), rng.uniform(-0.1, 0.1, (40, 3))], axis=1)
    loads = np.concatenate([down, rng.normal(size=(20, 6))])
    expected = [hf.load_limit(solver.assembly, load, method=hf.solvers.Reference()).status for load in loads]
    assert expected.count(Status.UNBOUNDED) >= 5 and expected.count(Status.OPTIMAL) >= 5
    referee, asked = Exact._referee, []
    monkeypatch.setattr(Exact, "_referee", lambda *own: asked.append(referee(*own)) or asked[-1])
    many = solver.load_limit_many(loads, threads=1)
    assert many.status.tolist() == expected
    assert (np.isinf(many.values) == (many.status == Status.UNBOUNDED)).all()
    for index, load in enumerate(loads):
        for one in (many[index], solver.load_limit(load)):
            assert one.status == expected[index] and one.verify()
    assert Status.UNBOUNDED not in [answer.status for answer in asked]


def test_answers_in_full_are_about_the_assembly_that_was_asked() -> None:
    unit = hf.ForceVolume([block((-1, -1, -1), (1, 1, 1))])
    one, two = (hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), unit)] * n) for n in (1, 2))
    solver = hf.Solver(one)
    answers = solver.load_limit_many([[1, 0, 0, 0, 0, 0]])
    solver.move_to(two)
    assert answers[0].value == pytest.approx(1.0)


def test_weakened_contacts_carry_scaled_forces_and_share_their_volumes() -> None:
    device = hf.devices.two_finger_gripper("D", "MD")
    scales = np.ones((12, 3))
    scales[:4], scales[4:8, :2] = 0.5, 0.25
    changed = weakened(device.assembly(), scales)
    before = device.contacts[0].volume
    assert len({id(contact.volume) for contact in changed.contacts}) == 3
    assert changed.contacts[8].volume is before  # nothing changed there
    ways = hf.loads.sphere_directions(40)
    assert np.allclose(changed.contacts[0].volume.support(ways), 0.5 * before.support(ways))
    assert np.allclose(changed.contacts[5].volume.support(ways), before.support(ways * [0.25, 0.25, 1.0]))
    with pytest.raises(InputError, match="equal factors"):
        weakened(block_on_floor(), np.tile([1.0, 2.0, 1.0], (4, 1)))


def test_contacts_are_chosen_by_number_name_or_patch() -> None:
    assembly = hf.devices.two_finger_gripper("D", "MD").assembly()
    assert chosen_contacts(assembly, None).all()
    assert np.flatnonzero(chosen_contacts(assembly, [3])).tolist() == [3]
    assert np.flatnonzero(chosen_contacts(assembly, ["right M"])).tolist() == [4, 5, 6, 7]
    assert np.flatnonzero(chosen_contacts(assembly, ["left D[1]", 7])).tolist() == [1, 7]
    assert np.flatnonzero(chosen_contacts(assembly, "left D")).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("contacts", [["thumb"], [12], []])
def test_contacts_that_are_not_there_are_refused(contacts: list[int | str]) -> None:
    assembly = hf.devices.two_finger_gripper("D", "MD").assembly()
    with pytest.raises(InputError):
        chosen_contacts(assembly, contacts)
    nameless = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), block_on_floor().contacts[0].volume)])
    with pytest.raises(InputError, match="none named"):
        chosen_contacts(nameless, ["x"])


@pytest.mark.parametrize(("left", "right"), [("MD", "PMD"), ("MD", "MD")])
def test_answers_round_the_circle_are_those_of_cold_questions_and_verify(left: str, right: str) -> None:
    device = hf.devices.two_finger_gripper(left, right)
    warm, path = WarmSolver(), rotating_gravity(device, towards=(-1, 0.3, 0))
    for angle in np.linspace(0.0, np.pi, 13):
        assembly, wrench = path(angle)
        answer = warm.equilibrium(assembly, wrench)
        assert answer.assembly is assembly
        assert answer.status is hf.equilibrium(assembly, wrench).status
        assert answer.verify()
        assert not answer.effort.referee


def test_scaled_contacts_are_the_weakened_assembly() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    scales = np.repeat(np.random.default_rng(3).uniform(0.1, 1.5, 5), 4)[:, None] * np.ones(3)
    warm, path, made = WarmSolver(), rotating_gravity(device, towards=(-1, 0, 0)), {}
    statuses = set()
    for angle in np.linspace(0.0, 1.5, 7):
        assembly, wrench = path(angle)
        answer = warm.equilibrium(assembly, wrench, scales)
        assert answer.status is hf.equilibrium(weakened(assembly, scales, made), wrench).status
        assert answer.verify()  # forces in the weakened volumes, or multipliers against their supports
        statuses.add(answer.status)
    assert len(statuses) == 2


def test_an_anchor_turns_bounds_that_moved_into_a_load() -> None:
    device = hf.devices.two_finger_gripper("D", "MD")
    first, second = (device.assembly(gravity) for gravity in ((0, 0, -9.8), (9.8, 0, 0)))
    anchor = Anchor.of(first, None)
    assert anchor.layout.bounds_hold_zero
    problem = anchor.problem(second, device.weight((9.8, 0, 0)), None)
    assert problem
    own = second.problem(device.weight((9.8, 0, 0)))
    for side in ("lower", "upper"):  # lower <= J f + load <= upper, whichever way it is written
        assert np.allclose(getattr(problem, side) - problem.load, getattr(own, side) - own.load, atol=1e-12)


def test_what_does_not_fit_the_anchor_starts_anew() -> None:
    device = hf.devices.two_finger_gripper("D", "MD")
    assembly = device.assembly()
    rows = assembly.joints
    assert rows
    anchor, wrench = Anchor.of(assembly, None), device.weight((0, 0, -9.8))
    wider = JointRows(rows.jacobian, 2.0 * rows.lower, rows.upper, rows.names)
    one_sided = JointRows(rows.jacobian, np.full(len(rows.lower), -np.inf), rows.upper, rows.names)
    other_way = JointRows(-rows.jacobian, rows.lower, rows.upper, rows.names)
    for joints in (wider, one_sided, other_way, None):
        assert anchor.problem(hf.Assembly(assembly.contacts, joints), wrench, None) is None
    assert anchor.problem(hf.devices.two_finger_gripper("D", "MD").assembly(), wrench, None) is None  # other contacts
    assert anchor.problem(assembly, wrench, np.ones((len(assembly), 3))) is None
    warm = WarmSolver()
    for joints in (rows, wider, one_sided, None):
        answer = warm.equilibrium(hf.Assembly(assembly.contacts, joints), wrench)
        assert answer.status is hf.equilibrium(answer.assembly, wrench).status
        assert answer.verify()


def test_one_sided_bounds_move_too() -> None:
    contacts = block_on_floor().contacts
    jacobian = np.zeros((1, 12))
    jacobian[0, 2::3] = 1.0  # the sum of the pressing forces
    warm = WarmSolver()
    for least in (5.0, 9.0, 11.0, 3.0):
        joints = JointRows(jacobian, np.array([least]), np.array([np.inf]))
        answer = warm.equilibrium(hf.Assembly(contacts, joints), tilted(0.0))
        assert answer.holds == (least <= 10.0)
        assert answer.verify()


@pytest.mark.parametrize("offset", [False, True])
def test_random_rows_whose_bounds_move_are_answered_as_the_reference_answers(offset: bool) -> None:
    """Unions with and without the zero force, tight and loose joint rows, loads and bounds that wander."""
    statuses = set()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        volume = random_volume(rng, 2, rays=seed % 2 == 1, offset=offset)
        frames = [random_rotation(rng) for _ in range(4)]
        contacts = [hf.Contact(rng.normal(size=3), frame, volume) for frame in frames]
        jacobian, width = rng.normal(size=(2, 12)), volume.size * rng.uniform(0.1, 3.0, 2)
        warm, wrench = WarmSolver(), hf.Assembly(contacts).wrench_matrix @ rng.normal(size=12) * 0.2 * volume.size
        for _ in range(4):
            wrench = wrench + 0.1 * volume.size * rng.normal(size=6)
            shift = volume.size * rng.normal(size=2)
            assembly = hf.Assembly(contacts, JointRows(jacobian, shift - width, shift + width))
            answer = warm.equilibrium(assembly, wrench)
            assert answer.status is hf.equilibrium(assembly, wrench, method=hf.solvers.Reference()).status
            assert answer.verify()
            statuses.add(answer.status)
    assert len(statuses) == 2


def test_other_methods_answer_too() -> None:
    warm = WarmSolver(hf.solvers.Reference())
    for angle in (0.1, 0.6):
        assert warm.equilibrium(block_on_floor(), tilted(angle)).holds == (np.tan(angle) <= 0.5)
    scales = np.tile([0.1, 0.1, 1.0], (4, 1))
    answer = warm.equilibrium(block_on_floor(), tilted(0.1), scales)
    assert not answer.holds
    assert answer.verify()
    assert warm.load_limit(block_on_floor(), (0, 0, -1, 0, 0, 0)).value == np.inf


def test_limits_are_those_of_cold_questions() -> None:
    device = hf.devices.two_opposed_units()
    warm = WarmSolver()
    for angle in (0.0, 0.5, 1.0):
        assembly, wrench = rotating_gravity(device)(angle)
        assert warm.load_limit(assembly, wrench).value == pytest.approx(hf.load_limit(assembly, wrench).value, rel=2e-6)


def test_what_is_no_assembly_is_refused() -> None:
    with pytest.raises(InputError, match="Assembly"):
        WarmSolver().equilibrium("block", np.zeros(6))  # pyright: ignore[reportArgumentType]


def test_limits_of_scaled_contacts_are_those_of_the_weakened_assembly_and_verify() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    warm, made = WarmSolver(), {}
    values = set()
    for friction, strength, angle in ((0.5, 1.0, 0.0), (0.5, 1.0, 0.4), (1.4, 1.0, 0.4), (0.8, 0.6, 1.2)):
        assembly, wrench = rotating_gravity(device, towards=(-1, 0, 0))(angle)
        scales = np.tile([friction, friction, strength], (len(assembly), 1))
        limit = warm.load_limit(assembly, wrench, scales)
        cold = hf.load_limit(weakened(assembly, scales, made), wrench)
        assert limit.value == pytest.approx(cold.value, rel=1e-6, abs=1e-9)
        assert limit.verify()  # forces in the weakened volumes, and multipliers against their supports
        assert warm.equilibrium(assembly, wrench, scales).assembly is limit.assembly
        values.add(round(limit.value, 6))
    assert len(values) == 4
    with pytest.raises(InputError, match="zero wrench"):
        warm.load_limit(assembly, np.zeros(6), scales)


def test_limits_of_scaled_contacts_agree_between_methods() -> None:
    assembly = block_on_floor()
    scales = np.tile([0.5, 0.5, 1.0], (len(assembly), 1))
    push = np.array([1.0, 0.2, -1.0, 0.0, 0.0, 0.0])
    by_lp = WarmSolver(hf.solvers.Reference()).load_limit(assembly, push, scales)
    assert WarmSolver().load_limit(assembly, push, scales).value == pytest.approx(by_lp.value, rel=1e-6)


def test_what_is_kept_does_not_grow_with_the_number_of_scales() -> None:
    assembly, gone = block_on_floor(), []
    warm, load = WarmSolver(), np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    for shear in np.linspace(0.5, 0.9, 3 * KEPT_VOLUMES):
        answer = warm.equilibrium(assembly, load, np.tile([shear, shear, 1.0], (len(assembly), 1)))
        gone += [weakref.ref(contact.volume) for contact in answer.assembly.contacts[:1]]
    del answer
    gc.collect()
    alive = [ref for ref in gone if ref() is not None]
    assert len(alive) == KEPT_VOLUMES + 1
    assert alive == gone[-len(alive) :]  # the last ones


def test_a_batch_does_not_depend_on_what_was_asked_before() -> None:
    hand = hf.devices.four_finger_hand("parallel", corners="independent").assembly()
    directions = np.random.default_rng(3).normal(size=(80, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    first = hf.Solver(hand).load_limit_many(directions, threads=1)
    hf.Solver(hand).load_limit_many(directions[::-1] + 0.1, threads=1)
    again = hf.Solver(hand).load_limit_many(directions, threads=1)
    np.testing.assert_array_equal(first.values, again.values)
    np.testing.assert_array_equal(first.forces, again.forces)


@pytest.mark.parametrize("cap", [None, 100.0])
@pytest.mark.parametrize("load", [1e-9, 1e-15, 1e-19, 1e-30, 1e-150, 1e-300])
def test_no_load_is_so_small_that_feet_hold_a_pull(load, cap):
    foot = hf.models.coulomb(0.6, facets=8, cap=cap)
    corners = [(x, y, 0.0) for x in (0.1, -0.1) for y in (0.1, -0.1)]
    feet = hf.Assembly([hf.Contact(corner, np.eye(3), foot) for corner in corners])
    up = np.array([0, 0, load, 0, 0, 0])
    for pull in (hf.equilibrium(feet, up), hf.statics.Solver(feet).equilibrium(up)):
        assert not pull.holds
    assert not hf.statics.Solver(feet).equilibrium_many(up[None]).holds.any()
    push = hf.equilibrium(feet, -up)
    assert push.holds and push.verify()
