"""Wrench spaces against other methods, and the laws that every one of them obeys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import FileError, InputError
from holdfast.papers.devices import two_finger_gripper, two_opposed_units
from holdfast.wrench_spaces import Rays, Refinement, Subspace, WrenchSpace, wrench_space
from holdfast.wrench_spaces.computation import BATCH, RayTask, rays_of
from tests.referee import Case, assert_forces_hold, random_case, random_rotation, verdict
from tests.wrench_spaces.independent import largest

#: Values found to the default gap on both sides of a comparison.
AGREE = 2.1e-6

SEEDS = st.integers(0, 3000)
FEW = settings(max_examples=settings.default.max_examples // 10)


def bounded_case(seed: int) -> Case:
    """A random case of unions without rays; every other one has joint rows, every other pair pieces without zero."""
    return random_case(12 * (seed // 12) + (seed % 4) * 3, most_choices=24)


def star_case(seed: int) -> Case:
    """A random bounded case in which no load at all is surely held."""
    case = bounded_case(seed - seed % 4 + 3 * (seed % 2))
    joints = case.assembly.joints
    if joints is None:
        return case
    rows = hf.JointRows(joints.jacobian, np.minimum(joints.lower, 0.0), np.maximum(joints.upper, 0.0))
    return Case(case.seed, hf.Assembly(case.assembly.contacts, rows), case.direction)


def rays_near(case: Case, n: int) -> Rays:
    """The case's own load, which is mostly held, and random others of the contacts."""
    return Rays(np.vstack([case.direction, Rays.random(case.assembly, n, seed=case.seed).directions]))


def floors(space: WrenchSpace) -> np.ndarray:
    """(n,) values this near to zero are zero."""
    assert space.assembly is not None
    strongest = max(float(np.abs(p).max()) for c in space.assembly.contacts for p in c.volume.pieces)
    return 1e-8 * strongest / np.abs(space.directions).max(axis=1)


# -- against other methods --------------------------------------------------------------------------


@FEW
@given(SEEDS)
def test_every_value_agrees_with_an_independent_mixed_integer_program(seed: int) -> None:
    """Random small assemblies of 1 to 4 pieces a contact, half of them with joint rows, some without zero."""
    case = bounded_case(seed)
    space = wrench_space(case.assembly, rays_near(case, 3), workers=1)
    for value, direction, floor in zip(space.values, space.directions, floors(space), strict=True):
        milp = largest(case.assembly, direction[None], np.ones(1))
        assert value == pytest.approx(milp, rel=1e-6, abs=floor)
        assert value == pytest.approx(verdict(case.assembly, direction).largest, rel=1e-6, abs=floor)


@pytest.mark.parametrize("device", [two_opposed_units(), two_finger_gripper()], ids=["2OU", "2FG D-D"])
def test_the_devices_values_agree_with_the_disjunctive_program_on_highs(device) -> None:
    assembly = device.assembly()
    space = wrench_space(assembly, Rays.random(assembly, 3, seed=7), workers=1)
    for i, direction in enumerate(space.directions):
        milp = hf.load_limit(assembly, direction, method=hf.solvers.HullMilp(gap=1e-9, time_limit=30.0))
        assert milp.status is hf.Status.OPTIMAL
        assert space.values[i] == pytest.approx(milp.value, rel=1e-6)
    assert space.verify()


@FEW
@given(SEEDS)
def test_inner_points_are_held_and_points_beyond_outer_planes_are_not(seed: int) -> None:
    """By the referee's own check of the forces, and by `equilibrium` with its proof."""
    case = bounded_case(seed)
    space = wrench_space(case.assembly, rays_near(case, 4), workers=1)
    assert space.verify(), space.faults()
    assert space.forces is not None and space.pieces is not None
    for i in np.nonzero(np.isfinite(space.values))[0]:
        assert_forces_hold(case.assembly, space.points[i], space.forces[i], space.pieces[i])
    planes = np.isfinite(space.offsets)
    slopes = (space.normals * space.directions).sum(axis=1)
    for i in np.nonzero(planes & np.isfinite(space.values))[0]:
        slack = 1e-9 * (np.abs(space.normals[i] * space.points[i]).sum() + abs(space.offsets[i]))
        assert slopes[i] > 0.0 and slopes[i] * space.values[i] <= space.offsets[i] + slack
    rng = np.random.default_rng(seed)
    loads = rng.normal(size=(6, len(space))) @ space.directions * rng.uniform(0, 3)
    sizes = np.abs(loads) @ np.abs(space.normals[planes]).T + np.abs(space.offsets[planes])
    beyond = (loads @ space.normals[planes].T - space.offsets[planes] > 1e-3 * sizes).any(axis=1)
    for load in loads[beyond]:
        answer = hf.equilibrium(case.assembly, load)
        assert answer.status is hf.Status.DOES_NOT_HOLD and answer.verify()


@FEW
@given(SEEDS)
def test_an_outer_plane_bounds_the_values_of_all_other_rays(seed: int) -> None:
    case = bounded_case(seed)
    space = wrench_space(case.assembly, rays_near(case, 8), workers=1)
    held = space.points[np.isfinite(space.values)]
    known = np.isfinite(space.offsets)
    slack = 1e-9 * (np.abs(held) @ np.abs(space.normals[known]).T + np.abs(space.offsets[known]))
    assert (held @ space.normals[known].T <= space.offsets[known] + slack).all()


@FEW
@given(SEEDS)
def test_of_hulls_the_plane_touches_the_point_and_the_bound_is_the_hulls_limit(seed: int) -> None:
    case = star_case(seed)
    space = wrench_space(case.assembly, rays_near(case, 3), volumes="hull", workers=1)
    slopes = (space.normals * space.directions).sum(axis=1)
    floor = floors(space)
    for i, direction in enumerate(space.directions):
        limit = hf.load_limit(case.assembly, direction, method=hf.solvers.Hull()).upper_bound
        assert space.values[i] == pytest.approx(limit, rel=AGREE, abs=floor[i])
        if np.isfinite(space.offsets[i]):
            assert space.offsets[i] / slopes[i] == pytest.approx(limit, rel=1e-5, abs=10 * floor[i])


# -- laws -------------------------------------------------------------------------------------------


@FEW
@given(SEEDS, st.floats(0.0, 1.0))
def test_a_space_is_star_shaped_about_zero(seed: int, share: float) -> None:
    case = star_case(seed)
    space = wrench_space(case.assembly, rays_near(case, 3), workers=1)
    assert space.star_shaped and (space.values >= -floors(space)).all()
    for point in space.points:
        answer = hf.equilibrium(case.assembly, share * point)
        assert answer.holds and answer.verify()


@FEW
@given(SEEDS)
def test_a_space_grows_under_added_contacts(seed: int) -> None:
    case, rng = star_case(seed), np.random.default_rng(seed)
    assembly = case.assembly
    before = wrench_space(assembly, rays_near(case, 4), workers=1)
    extra = hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), assembly.contacts[0].volume)
    joints = assembly.joints
    if joints is not None:
        jacobian = np.hstack([joints.jacobian, np.zeros((len(joints.lower), 3))])
        joints = hf.JointRows(jacobian, joints.lower, joints.upper)
    after = wrench_space(hf.Assembly([*assembly.contacts, extra], joints), before.rays, workers=1)
    assert (after.values >= before.values * (1 - AGREE) - floors(before)).all()


@FEW
@given(SEEDS, st.floats(-1, 1))
def test_a_space_turns_with_the_object(seed: int, decade: float) -> None:
    case, rng = bounded_case(seed), np.random.default_rng(seed + 1)
    pose = hf.Pose(random_rotation(rng), 10.0**decade * rng.normal(size=3))
    rays = rays_near(case, 3)
    here = wrench_space(case.assembly, rays, workers=1)
    there = wrench_space(case.assembly.moved(pose), rays.moved(pose), workers=1)
    np.testing.assert_allclose(there.values, here.values, rtol=AGREE, atol=floors(here).max())


@FEW
@given(SEEDS)
def test_the_hulls_space_contains_the_unions(seed: int) -> None:
    case = bounded_case(seed)
    union = wrench_space(case.assembly, rays_near(case, 4), workers=1)
    hull = wrench_space(case.assembly, union.rays, volumes="hull", workers=1)
    assert (hull.values >= union.values - AGREE * np.abs(union.values) - floors(union))[np.isfinite(union.values)].all()
    assert hull.convex and hull.model_hash == union.model_hash


def test_a_single_contact_holds_its_own_volume_turned_about() -> None:
    """A box at the origin: along a ray the limit is that of the opposite force, and torques are not held at all."""
    half = np.array([3.0, 2.0, 1.0])
    corners = half * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))])
    space = wrench_space(assembly, "fx,fy,fz", workers=1)
    np.testing.assert_allclose(space.values, (half / np.abs(space.directions[:, :3]).clip(1e-300)).min(axis=1))
    torque = wrench_space(assembly, [[0, 0, 0, 1, 0, 0]], workers=1)
    assert torque.values[0] == pytest.approx(0.0, abs=1e-9) and torque.upper_bounds[0] == pytest.approx(0.0, abs=1e-9)


# -- no limit, and nothing --------------------------------------------------------------------------


@FEW
@given(SEEDS)
def test_cones_and_pieces_without_zero_are_answered_as_every_choice_of_pieces_tried(seed: int) -> None:
    """Limits, their absence, and loads of which no multiple is held; all of them proven."""
    case = random_case(seed, most_choices=12)
    space = wrench_space(case.assembly, rays_near(case, 2), workers=1)
    for value, direction, floor in zip(space.values, space.directions, floors(space), strict=True):
        assert value == pytest.approx(verdict(case.assembly, direction).largest, rel=1e-6, abs=floor)
    assert (space.status[np.isposinf(space.values)] == hf.Status.UNBOUNDED).all()
    assert (space.status[np.isneginf(space.values)] == hf.Status.DOES_NOT_HOLD).all()
    assert space.verify(), space.faults()


def test_directions_into_coulomb_cones_have_no_limit_and_out_of_them_hold_nothing() -> None:
    cone = hf.models.coulomb(0.5)
    contacts = [hf.Contact([x, y, 0], np.eye(3), cone) for x, y in ((0.1, 0), (-0.1, 0.1), (-0.1, -0.1))]
    rays = Rays([[0, 0, -1, 0, 0, 0], [0.2, 0, -1, 0, 0, 0], [0, 0, 1, 0, 0, 0], [1, 0, -1, 0, 0, 0]])
    space = wrench_space(hf.Assembly(contacts), rays, workers=1)
    assert space.values[:2].tolist() == [np.inf, np.inf] and space.upper_bounds[:2].tolist() == [np.inf, np.inf]
    assert [s.name for s in space.status] == ["UNBOUNDED", "UNBOUNDED", "OPTIMAL", "OPTIMAL"]
    np.testing.assert_allclose(space.values[2:], 0.0, atol=1e-9)
    assert np.isnan(space.points[:2]).all() and np.isnan(space.offsets[:2]).all()
    assert space.verify()


def test_a_preload_that_holds_itself_keeps_a_convex_space_star_shaped() -> None:
    """Two boxes pressed against each other by 1 to 2 N: no force at all is not admissible, no load at all is held."""
    corners = 5.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    box = hf.ForceVolume([corners])
    contacts = [hf.Contact([x, 0, 0], np.eye(3), box) for x in (-0.1, 0.1)]
    joints = hf.JointRows([[0.5, 0, 0, -0.5, 0, 0]], [1.0], [2.0])
    space = wrench_space(hf.Assembly(contacts, joints), Rays.axes(), workers=1)
    assert space.star_shaped and space.convex and (space.values > 0.0)[:6].all()
    halves = hf.ForceVolume([corners * [0.5, 1, 1] + [side * 2.5, 0, 0] for side in (-1, 1)])
    union = hf.Assembly([hf.Contact(c.position, c.rotation, halves) for c in contacts], joints)
    assert not wrench_space(union, Rays.axes(), workers=1).star_shaped


def test_joint_gravity_that_excludes_zero_gives_negative_values_and_none() -> None:
    """A joint that must be pushed by 1 to 2 N: loads along -x hold from 1 to 2, those along +x from -2 to -1 only."""
    corners = 5.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))
    joints = hf.JointRows([[1.0, 0.0, 0.0]], [1.0], [2.0])
    space = wrench_space(
        hf.Assembly([contact], joints), [[-1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]], workers=1
    )
    assert not space.star_shaped
    np.testing.assert_allclose(space.values, [2.0, -1.0, -np.inf])
    assert space.status[2] is hf.Status.DOES_NOT_HOLD
    assert space.verify()


# -- ways of running --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def opposed() -> hf.Assembly:
    return two_opposed_units().assembly()


def arrays_of(space: WrenchSpace) -> dict[str, bytes]:
    names = ("values", "upper_bounds", "normals", "offsets", "joint_multipliers", "forces", "pieces")
    return {name: getattr(space, name).tobytes() for name in names} | {"status": "".join(space.status).encode()}


def test_the_results_do_not_depend_on_how_many_worked(opposed: hf.Assembly) -> None:
    rays = Rays.spiral(Subspace.named("fx,ty,fz", length=opposed.length), 2 * BATCH + 5)
    assert arrays_of(wrench_space(opposed, rays, workers=1)) == arrays_of(wrench_space(opposed, rays, workers=3))


def test_a_space_resumes_from_its_journal_round_by_round(opposed: hf.Assembly, tmp_path: Path) -> None:
    """Interrupted in the first round, then robbed of the second; the end is the same to the last bit."""
    rays = Rays.sphere(Subspace.named("fx,ty,fz", length=opposed.length), 2)
    refinement = Refinement(tolerance=0.05, rounds=1)
    paths = [tmp_path / name for name in ("space.journal", "space.journal.1")]
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    def run(name: Path, progress=None) -> WrenchSpace:
        return wrench_space(opposed, rays, refinement=refinement, journal=name, workers=1, progress=progress)

    whole = run(tmp_path / "undisturbed.journal")
    assert len(whole) > len(rays)
    with pytest.raises(KeyboardInterrupt):
        run(paths[0], stop)
    assert arrays_of(run(paths[0], lambda done, total: seen.append(done))) == arrays_of(whole)
    assert seen[0] == BATCH
    paths[1].unlink()
    assert arrays_of(run(paths[0])) == arrays_of(whole)
    for path in paths:
        other = path.with_name(path.name.replace("space", "undisturbed"))
        assert path.read_bytes() == other.read_bytes()


def test_the_journal_of_another_question_is_refused(opposed: hf.Assembly, tmp_path: Path) -> None:
    journal = tmp_path / "space.journal"
    wrench_space(opposed, np.eye(6), journal=journal, workers=1)
    with pytest.raises(FileError):
        wrench_space(opposed, np.eye(6), journal=journal, volumes="hull", workers=1)


def test_a_chunk_can_be_computed_from_its_pickle(opposed: hf.Assembly) -> None:
    import pickle

    task = RayTask(opposed, hf.solvers.Exact(), "hull")
    directions = np.eye(6)[:3].tolist()
    assert pickle.loads(pickle.dumps(task)).many(directions) == task.many(directions)
    assert pickle.loads(pickle.dumps(task)).key == task.key


def test_a_cluster_gets_the_chunks_and_no_thread_of_ours(opposed: hf.Assembly, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is handed to the sweep, computed here instead of on the cluster."""
    asked: dict = {}

    def instead(task: RayTask, queries: list, **options: object) -> list:
        asked.update(options, batch=task.batch, prefer=task.prefer)
        return task.many(queries)

    monkeypatch.setattr("holdfast.wrench_spaces.computation.sweep", instead)
    wrench_space(opposed, np.eye(6), cluster="tcp://there:8786")
    assert (asked["workers"], asked["cluster"]) == (1, "tcp://there:8786")
    wrench_space(opposed, np.eye(6))
    assert asked["cluster"] is None and (asked["batch"], asked["prefer"]) == (BATCH, "threads")


# -- asking properly --------------------------------------------------------------------------------


def test_a_name_a_subspace_and_rays_ask_the_same(opposed: hf.Assembly) -> None:
    subspace = Subspace.named("fx,ty,fz", length=opposed.length)
    for asked in ("fx,ty,fz", subspace, Rays.sphere(subspace, 3)):
        np.testing.assert_array_equal(rays_of(opposed, asked).directions, Rays.sphere(subspace).directions)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"directions": np.zeros((2, 6))}, r"directions\[0\]: is the zero wrench"),
        ({"directions": [[1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0]]}, r"directions\[1\]: is on the same ray"),
        ({"directions": "fx,fy"}, "three different axes"),
        ({"volumes": "outer"}, 'give "union" or "hull"'),
        ({"method": hf.solvers.HullMilp()}, "is a HullMilp"),
        ({"workers": 0}, "workers"),
        ({"refinement": Refinement()}, "needs triangles"),
        ({"refinement": 0.1}, r"refinement: is a float \(give holdfast.wrench_spaces.Refinement\(tolerance=0.1\)\)"),
        ({"refinement": "fine"}, r"refinement: is a str .*Refinement\(tolerance=\.\.\.\)"),
        ({"assembly": "2OU"}, "is a str"),
    ],
)
def test_wrong_questions_are_refused(opposed: hf.Assembly, changes: dict, message: str) -> None:
    question = {"assembly": opposed, "directions": np.eye(6)} | changes
    with pytest.raises(InputError, match=message):
        wrench_space(**question)
