"""Wrench spaces against other methods, and the laws that every one of them obeys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.devices import two_finger_gripper, two_opposed_units
from holdfast.errors import FileError, GeometryError, InputError
from holdfast.geometry.frames import frame_from_normal
from holdfast.wrench_spaces import Rays, Refinement, Subspace, WrenchSpace, wrench_space, wrench_supports
from holdfast.wrench_spaces.computation import (
    BATCH,
    Extrusions,
    HalfSpaces,
    RayTask,
    bends,
    difference,
    extents_of,
    new_directions,
    outer_extrusions,
    projection,
    rays_of,
    surface_extents,
    wrench_extents,
)
from tests.geometry.test_directions import assert_closed_sphere
from tests.referee import Case, assert_forces_hold, random_case, random_rotation, verdict
from tests.wrench_spaces.known_spaces import BOX, box_limit, hooks, largest, polytope_limit, space_of

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
        milp = hf.load_limit(assembly, direction, method=hf.solvers.HullMilp(gap=1e-9, time_limit=300.0))
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
    space = wrench_space(case.assembly, rays_near(case, 3), side="outer", workers=1)
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
    hull = wrench_space(case.assembly, union.rays, side="outer", workers=1)
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
        wrench_space(opposed, np.eye(6), journal=journal, side="outer", workers=1)


def test_a_chunk_can_be_computed_from_its_pickle(opposed: hf.Assembly) -> None:
    import pickle

    task = RayTask(opposed, hf.solvers.Exact(), "outer")
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
        ({"side": "hull"}, "no side"),
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


# Refinement: bends are seen where they are, rays go there, and the surface gets as exact as it says.

FORCES = Subspace.named("fx,fy,fz")


def octahedron_limit(directions: np.ndarray) -> np.ndarray:
    """|fx| + |fy| + |fz| <= 1."""
    return 1.0 / np.abs(directions[:, :3]).sum(axis=1)


def box_space(refinement: Refinement | None, level: int = 1) -> WrenchSpace:
    """One contact that holds up to 3, 2 and 1 N along x, y and z."""
    corners = np.array([3.0, 2.0, 1.0]) * [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))])
    return wrench_space(assembly, Rays.sphere(FORCES, level), refinement=refinement, workers=1)


def force_box_limit(directions: np.ndarray) -> np.ndarray:
    """Limits of that box along forces (n, 3)."""
    with np.errstate(divide="ignore"):
        return (np.array([3.0, 2.0, 1.0]) / np.abs(directions)).min(axis=1)


def test_a_flat_face_does_not_bend_and_its_edges_do() -> None:
    space = space_of(Rays.sphere(FORCES, 2), octahedron_limit)
    triangles = np.asarray(space.triangles)
    bend = bends(space)
    signs = np.sign(np.round(space.directions[:, :3], 12))
    for i, triangle in enumerate(triangles):
        for j in range(3):
            edge = set(triangle) - {triangle[j]}
            far = next(set(t) - edge for t in triangles if edge < set(t) and set(t) != set(triangle))
            octants = signs[[*triangle, *far]]
            flat = not ((octants.min(axis=0) < 0) & (octants.max(axis=0) > 0)).any()
            assert bend[i, j] < 1e-12 if flat else bend[i, j] > 1e-3


def test_the_bend_of_a_kink_bounds_how_far_the_surface_is_off_its_triangles() -> None:
    space = box_space(None, 2)
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(4000, 3))
    wrenches = np.hstack([directions, np.zeros_like(directions)])
    off = np.abs(space.estimate(wrenches) / force_box_limit(directions) - 1.0)
    assert off.max() <= space.bend


@pytest.mark.parametrize("tolerance", [0.05, 0.02])
def test_the_refined_surface_is_as_exact_as_was_asked_for(tolerance: float) -> None:
    space = box_space(Refinement(tolerance=tolerance, rounds=8))
    assert space.bend <= tolerance
    directions = np.random.default_rng(1).normal(size=(5000, 3))
    wrenches = np.hstack([directions, np.zeros_like(directions)])
    off = np.abs(space.estimate(wrenches) / force_box_limit(directions) - 1.0)
    assert off.max() <= tolerance
    assert space.verify()


def test_rays_go_where_the_surface_bends() -> None:
    """After a few rounds most rays lie near the box's edges, and the middles of its faces have hardly any."""
    space = box_space(Refinement(tolerance=0.02, rounds=5))
    loads = np.abs(np.sort(np.abs(space.coordinates / [3.0, 2.0, 1.0]), axis=1))
    near_edge = loads[:, 1] > 0.8  # the second largest share is close to its limit, too
    assert near_edge.mean() > 0.5
    directions = np.random.default_rng(2).normal(size=(4000, 3))
    points = np.sort(np.abs(force_box_limit(directions)[:, None] * directions / [3.0, 2.0, 1.0]), axis=1)
    assert (points[:, 1] > 0.8).mean() < 0.35  # of evenly spread rays


def test_every_round_leaves_one_closed_surface_that_begins_with_the_old_rays() -> None:
    coarse = box_space(None)
    for rounds in (1, 2, 3):
        space = box_space(Refinement(rounds=rounds))
        assert_closed_sphere(space.rays.unit_vectors, np.asarray(space.triangles))
        np.testing.assert_array_equal(space.directions[: len(coarse)], coarse.directions)


def test_refinement_is_the_same_every_time() -> None:
    first, second = (box_space(Refinement(rounds=3)) for _ in range(2))
    assert first.directions.tobytes() == second.directions.tobytes()
    assert np.asarray(first.triangles).tobytes() == np.asarray(second.triangles).tobytes()


def test_no_more_rays_than_allowed_and_the_worst_bends_first() -> None:
    coarse = box_space(None)
    assert len(box_space(Refinement(rounds=4, most=100))) == 100
    assert len(box_space(Refinement(rounds=0))) == len(coarse)
    few = new_directions(coarse, Refinement(most=len(coarse) + 5))
    assert len(few) == 5
    worst = bends(coarse).max()
    chosen = [
        t for t, bend in zip(np.asarray(coarse.triangles), bends(coarse).max(axis=1), strict=True) if bend == worst
    ]
    middles = coarse.rays.unit_vectors[np.array(chosen)]
    assert np.linalg.norm(middles.reshape(-1, 1, 3) - few[None, :, :3], axis=2).min() < 1.0


def test_what_is_flat_enough_is_left_alone() -> None:
    space = space_of(Rays.sphere(FORCES, 2), lambda d: 1.0 / np.linalg.norm(d[:, :3], axis=1))
    assert 0.0 < space.bend < 0.05
    assert not len(new_directions(space, Refinement(tolerance=space.bend)))


def test_directions_without_a_limit_do_not_bend_and_their_border_does() -> None:
    """Pushed down it holds any load, sideways up to 1 N, and up nothing."""

    def limit(directions: np.ndarray) -> np.ndarray:
        z = directions[:, 2]
        return np.where(z < -0.5, np.inf, np.where(z > 0.5, 0.0, 1.0))

    space = space_of(Rays.sphere(FORCES, 2), limit)
    corners = limit(space.directions)[np.asarray(space.triangles)]
    bend = bends(space).max(axis=1)
    neighbours = bends(space)
    assert (neighbours[(corners == np.inf).all(axis=1)] <= 1.0).all()
    assert bend[(corners == 0.0).any(axis=1) & (corners == 1.0).any(axis=1)].min() == 1.0
    inside = (corners == np.inf).all(axis=1)
    assert (bend[inside] == 0.0).any()


def test_a_device_is_refined_with_torques_scaled() -> None:
    assembly = two_opposed_units().assembly()
    rays = Rays.sphere(Subspace.named("fx,ty,fz", length=assembly.length), 1)
    space = wrench_space(assembly, rays, refinement=Refinement(tolerance=0.1, rounds=2), workers=1)
    assert len(space) > len(rays) and space.bend < wrench_space(assembly, rays, workers=1).bend
    assert space.verify()


def test_a_space_without_triangles_has_no_bend() -> None:
    with pytest.raises(InputError, match="has no surface"):
        bends(space_of(Rays(np.eye(6)), lambda d: np.ones(len(d))))


@pytest.mark.parametrize("changes", [{"tolerance": 0.0}, {"tolerance": 2.0}, {"rounds": -1}, {"most": 0}])
def test_impossible_refinements_are_refused(changes: dict) -> None:
    with pytest.raises(InputError):
        Refinement(**changes)


def corners(half: tuple[float, float, float]) -> np.ndarray:
    return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half


def test_two_grips_of_box_shaped_strength_have_extents_in_closed_form() -> None:
    volume = hf.ForceVolume([corners((3.0, 2.0, 1.0))])
    contacts = [hf.Contact([s * 0.2, 0, 0], frame_from_normal([0, 0, 1], [1, 0, 0]), volume) for s in (-1, 1)]
    found = wrench_extents(hf.Assembly(contacts))
    # Forces add up; about x nothing is held, about y and z both grips have 0.2 m of lever.
    half = [6.0, 4.0, 2.0, 0.0, 0.2 * 2 * 1.0, 0.2 * 2 * 2.0]
    np.testing.assert_allclose(found.values, np.outer(half, [-1.0, 1.0]), atol=1e-9)
    np.testing.assert_allclose(found.bounds, found.values, rtol=1e-6, atol=1e-9)
    assert found.verify()
    assert [row.label for row in found.rows()] == ["fx", "fy", "fz", "tx", "ty", "tz"]
    assert found.rows()[4].unit == "N m" and found.rows()[4].highest == pytest.approx(0.4)
    assert "fx -6 to 6 N" in repr(found)


def test_extents_are_load_limits_with_their_proofs() -> None:
    assembly = hooks()
    subspace = Subspace.named("fx,ty,fz", length=assembly.length)
    space = wrench_space(assembly, Rays.axes(subspace), workers=1)
    found = extents_of(space)
    for axis, backward, forward in zip(subspace.axes, found.backward, found.forward, strict=True):
        assert forward.verify() and backward.verify()
        assert forward.value == pytest.approx(
            hf.load_limit(assembly, axis, method=hf.solvers.Reference()).value, rel=1e-5
        )
    np.testing.assert_allclose(surface_extents(space), found.values, rtol=1e-6)
    hulls = wrench_extents(assembly, subspace, side="outer")
    assert (hulls.values[:, 1] >= found.values[:, 1] - 1e-6).all()
    assert hulls.values[0, 1] > found.values[0, 1] + 1e-3  # the hooks are no convex sets
    assert found.values[2, 1] == np.inf  # they press without limit
    assert found.to_dict()["rows"] == space.to_dict()["extents"]
    assert "proof verified</th><td>yes" in found._repr_html_()


def test_a_loaded_space_has_its_surface_only(tmp_path: Path) -> None:
    space = space_of(Rays.sphere(Subspace.named("fx,ty,fz", length=0.1), 2), box_limit(BOX))
    with pytest.raises(InputError, match="no assembly.*surface_extents"):
        extents_of(space)
    np.testing.assert_allclose(surface_extents(space), np.outer(BOX[[0, 4, 2]], [-1.0, 1.0]))


def test_what_cannot_be_asked_is_told() -> None:
    with pytest.raises(InputError, match=r"give a holdfast\.Assembly"):
        wrench_extents("hand")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no side"):
        wrench_extents(hooks(), side="both")  # type: ignore[arg-type]


# Supports against programs of our own, closed forms, and the rays they bound.


def normals_for(assembly: hf.Assembly, n: int, seed: int) -> np.ndarray:
    """Random normals whose torque part counts as much as their force part."""
    return np.random.default_rng(seed).normal(size=(n, 6)) / np.repeat([1.0, assembly.length], 3)


def strongest(assembly: hf.Assembly) -> float:
    return max(float(np.abs(p).max()) for c in assembly.contacts for p in c.volume.pieces)


@FEW
@given(st.integers(0, 1000))
def test_supports_of_all_wrenches_agree_with_an_independent_mixed_integer_program(seed: int) -> None:
    """Bounded unions, half of them with joint rows, half of them without zero in their pieces."""
    case = random_case(3 * seed, most_choices=24)
    found = wrench_supports(case.assembly, normals_for(case.assembly, 2, seed))
    for i, normal in enumerate(found.normals):
        expected = largest(case.assembly, np.eye(6), normal)
        assert found.values[i] == pytest.approx(expected, rel=1e-6, abs=1e-7 * strongest(case.assembly))
        if found.status[i] is hf.Status.OPTIMAL:
            assert normal @ found.points[i] == pytest.approx(found.values[i], rel=1e-8, abs=1e-8)
            pieces = found.solutions[i].pieces
            assert pieces is not None
            assert_forces_hold(case.assembly, found.points[i], found.forces[i], pieces)
    assert found.verify()


@FEW
@given(st.integers(0, 1000))
def test_supports_of_a_slice_agree_with_an_independent_mixed_integer_program(seed: int) -> None:
    """Slices of three random wrenches that the contacts can balance, and of the named axes."""
    case = random_case(3 * seed, most_choices=24)
    assembly = case.assembly
    reach = Rays.random(assembly, 3, seed=seed).directions
    own = len(assembly) > 1 and np.linalg.matrix_rank(reach) == 3
    subspace = Subspace.spanned(reach, length=assembly.length) if own else Subspace.named("fx,fy,fz")
    found = wrench_supports(assembly, normals_for(assembly, 2, seed), subspace=subspace)
    for i, normal in enumerate(found.normals):
        expected = largest(assembly, subspace.axes, subspace.axes @ normal)
        assert found.values[i] == pytest.approx(expected, rel=1e-6, abs=1e-7 * strongest(assembly))
    assert found.verify()


@FEW
@given(st.integers(0, 1000))
def test_without_joints_the_support_is_the_sum_of_the_contacts_own(seed: int) -> None:
    case = random_case(6 * seed, most_choices=24)
    normals = normals_for(case.assembly, 4, seed)
    expected = np.zeros(4)
    for contact in case.assembly.contacts:
        forces = np.concatenate(contact.volume.pieces) @ contact.rotation.T
        wrenches = np.hstack([forces, np.cross(contact.position, forces)])
        expected += (-normals @ wrenches.T).max(axis=1)
    found = wrench_supports(case.assembly, normals)
    np.testing.assert_allclose(found.values, expected, rtol=1e-6, atol=1e-9 * strongest(case.assembly))


@pytest.mark.parametrize("device", [two_opposed_units(), two_finger_gripper()], ids=["2OU", "2FG D-D"])
@pytest.mark.parametrize("side", ["inner", "outer"])
def test_the_devices_rays_stay_below_their_supports_which_are_attained(device, side) -> None:
    """A slice sampled by rays: no point exceeds the support, and the ray through the touching point ends there."""
    assembly = device.assembly()
    space = wrench_space(assembly, "fx,ty,fz", side=side)
    found = wrench_supports(assembly, normals_for(assembly, 3, 5), subspace=space.subspace, side=side)
    assert found.verify()
    along = (space.points @ found.normals.T).max(axis=0)
    assert (along <= found.upper_bounds * (1 + 1e-9)).all()
    for point in found.points:
        limit = hf.load_limit(assembly.hulled() if side == "outer" else assembly, point).value
        assert limit == pytest.approx(1.0, rel=2e-6)


def test_of_hulls_an_outer_plane_has_the_support_for_its_offset() -> None:
    assembly = two_finger_gripper().assembly()
    space = wrench_space(assembly, Rays.random(assembly, 4, seed=1), side="outer", workers=1)
    found = wrench_supports(assembly, space.normals, side="outer")
    np.testing.assert_allclose(found.values, space.offsets, rtol=2e-6)


def test_cones_have_no_support_where_they_reach_for_ever() -> None:
    cone = hf.models.coulomb(0.5)
    contacts = [hf.Contact([x, y, 0], np.eye(3), cone) for x, y in ((0.1, 0), (-0.1, 0.1), (-0.1, -0.1))]
    found = wrench_supports(hf.Assembly(contacts), [[0, 0, -1, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
    assert found.values[0] == np.inf and found.upper_bounds[0] == np.inf
    assert found.values[1] == pytest.approx(0.0, abs=1e-9)
    assert not found.verify()


def test_a_slice_that_holds_nothing_has_no_support() -> None:
    """A joint that must be pushed along x, and loads along y and z alone."""
    corners = 5.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))
    assembly = hf.Assembly([contact], hf.JointRows([[1.0, 0.0, 0.0]], [1.0], [2.0]))
    subspace = Subspace(np.eye(6)[1:3], ("fy", "fz"), ("N", "N"), [1.0, 1.0])
    found = wrench_supports(assembly, [[0, 1, 0, 0, 0, 0]], subspace=subspace)
    assert found.values.tolist() == [-np.inf] and found.verify()
    whole = wrench_supports(assembly, [[1, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0]])
    np.testing.assert_allclose(whole.values, [-1.0, 2.0])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"normals": np.zeros((1, 6))}, InputError, r"normals\[0\]: is zero"),
        ({"normals": np.eye(3)}, InputError, r"the shape must be \(n, 6\)"),
        ({"normals": [[1, np.nan, 0, 0, 0, 0]]}, InputError, "is nan"),
        ({"side": "hull"}, InputError, "no side"),
        ({"assembly": None}, InputError, "is a NoneType"),
        ({"subspace": 3}, InputError, r"subspace: is a int \(give a holdfast.wrench_spaces.Subspace"),
        ({"subspace": "fx,fy"}, InputError, "three different axes"),
        (
            {"normals": [[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]], "subspace": Subspace.named("fx,fy,fz")},
            GeometryError,
            r"normals\[1\]: is orthogonal to the whole subspace",
        ),
    ],
)
def test_wrong_questions_are_refused_of_supports(changes: dict, error: type, message: str) -> None:
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5, cap=1.0))
    with pytest.raises(error, match=message):
        wrench_supports(**({"assembly": hf.Assembly([contact]), "normals": np.eye(6)} | changes))


def test_the_repr_says_how_many_and_where() -> None:
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.models.coulomb(0.5, cap=1.0))
    assert repr(wrench_supports(hf.Assembly([contact]), np.eye(6)[:2])) == "WrenchSupports(2 in R^6)"


def test_a_name_stands_for_its_subspace_with_the_assemblys_length() -> None:
    assembly = two_opposed_units().assembly()
    normals = np.eye(6)[[0, 4]]
    named = wrench_supports(assembly, normals, subspace="fx,ty,fz")
    meant = wrench_supports(assembly, normals, subspace=Subspace.named("fx,ty,fz", length=assembly.length))
    assert named.subspace is not None and named.subspace.labels == ("fx", "ty", "fz")
    np.testing.assert_array_equal(named.values, meant.values)


LENGTH = 0.1
EXTRUSIONS_FORCES, TORQUES = Subspace.named("fx,fy,fz"), Subspace.named("tx,ty,tz", length=LENGTH)
ANYWHERE = Rays(np.random.default_rng(2).normal(size=(400, 6)) * [1, 1, 1, 0.1, 0.1, 0.1])


def test_slices_of_a_box_give_the_box_back() -> None:
    slices = Extrusions([space_of(Rays.sphere(s, 5), box_limit(BOX)) for s in (EXTRUSIONS_FORCES, TORQUES)])
    misfit = slices.compare(space_of(ANYWHERE, box_limit(BOX)))
    assert misfit.largest_overestimate < 1e-9  # flat triangles inside a convex box
    assert misfit.largest_underestimate < 0.03  # its edges between the rays
    corner = np.full(6, 0.999) * BOX
    corner[3:] *= 0.0
    assert slices.contains(0.95 * BOX) and not slices.contains(1.001 * BOX)
    assert slices.contains(np.zeros(6))


def test_two_loads_held_alone_may_be_too_much_together() -> None:
    def cross(directions: np.ndarray) -> np.ndarray:
        return 1.0 / (np.abs(directions) / BOX).sum(axis=1)  # all six share one strength

    slices = Extrusions([space_of(Rays.axes(s), cross) for s in (EXTRUSIONS_FORCES, TORQUES)])  # octahedra: exact
    directions = np.array([[4.0, 0, 0, 0.5, 0, 0], [4.0, 0, 0, 0, 0, 0], [1.0, 1.0, 0, 0.2, 0, 0.01]])
    misfit = slices.compare(space_of(Rays(directions), cross))
    use = np.abs(directions) / BOX
    wanted = use.sum(axis=1) / np.maximum(use[:, :3].sum(axis=1), use[:, 3:].sum(axis=1))
    np.testing.assert_allclose(misfit.ratios, wanted)
    assert misfit.largest_overestimate == pytest.approx(1.0)  # twice what is held: not inner
    np.testing.assert_array_equal(misfit.overestimated, directions[0])
    assert slices.contains(0.9 * directions[0])


def test_a_load_held_only_with_the_help_of_another_is_thrown_away() -> None:
    # A lever: the torque about x must be 0.2 m of fx, within 0.05 N m. Held: (1, 0, 0, 0.2, 0, 0).
    normals = np.concatenate([np.eye(6), -np.eye(6)])
    offsets = np.full(12, 1.0)
    lever = np.array([[-0.2, 0, 0, 1, 0, 0], [0.2, 0, 0, -1, 0, 0]])
    limit = polytope_limit(np.concatenate([normals, lever]), np.concatenate([offsets, [0.05, 0.05]]))
    slices = Extrusions([space_of(Rays.axes(s), limit) for s in (EXTRUSIONS_FORCES, TORQUES)])
    held = np.array([[1.0, 0, 0, 0.2, 0, 0]])
    misfit = slices.compare(space_of(Rays(held), limit))
    assert misfit.exact == pytest.approx(1.0)
    assert misfit.approximate == pytest.approx(0.25)  # fx alone and the torque alone: 0.25 N, 0.05 N m; not outer
    assert misfit.largest_underestimate == pytest.approx(0.75)
    assert not slices.contains(held[0])


def test_a_direction_that_no_slice_sees_is_not_limited() -> None:
    only_forces = Extrusions([space_of(Rays.axes(EXTRUSIONS_FORCES), box_limit(BOX))])
    assert only_forces.radial([0.0, 0, 0, 1, 2, 3]) == np.inf
    assert only_forces.contains([1.0, 0, 0, 1e6, 0, 0])


def test_the_outer_one_holds_all_that_holds_and_touches_it() -> None:
    assembly = hooks(cap=20.0)
    outer = outer_extrusions(assembly, ["fx,fy,fz", "tx,ty,tz"], level=0)
    space = wrench_space(assembly, Rays.random(assembly, 60, seed=1), workers=1)
    misfit = outer.compare(space)
    assert misfit.largest_underestimate <= 1e-6  # nothing that is held is thrown away
    assert outer.contains(space.points[np.isfinite(space.values)]).all()
    supports = wrench_supports(assembly, outer.normals)
    np.testing.assert_allclose(outer.offsets, supports.upper_bounds)
    assert supports.verify()
    np.testing.assert_allclose(outer.radial(supports.points), 1.0, rtol=1e-5)  # each half-space is met by a held load
    for point in supports.points[:6]:
        assert hf.equilibrium(assembly, point * (1 - 1e-7)).holds


def test_slices_of_a_real_device_promise_what_its_exact_space_does_not_hold() -> None:
    assembly = hooks()
    slices = Extrusions(
        [
            wrench_space(assembly, Rays.sphere(Subspace.named(name, length=assembly.length), 1), workers=1)
            for name in ("fx,fy,fz", "tx,ty,tz")
        ]
    )
    space = wrench_space(assembly, Rays.random(assembly, 60, seed=1), workers=1)
    misfit = slices.compare(space)
    assert misfit.largest_overestimate > 0.05
    worst = misfit.overestimated * float(slices.radial(misfit.overestimated)) * 0.99
    assert slices.contains(worst)
    answer = hf.equilibrium(assembly, worst)
    assert answer.status == "does not hold" and answer.verify()


def test_of_opposed_units_extruded_slices_are_neither_inner_nor_outer_and_supports_are_outer() -> None:
    device = hf.devices.create("2OU", unit=hf.models.gecko(40.0, cap=60.0))
    assembly, names = device.assembly(), ["fx,fy,fz", "tx,ty,tz"]
    subspaces = [Subspace.named(name, length=assembly.length) for name in names]
    slices = Extrusions([wrench_space(assembly, Rays.sphere(s, 2), workers=1) for s in subspaces])
    space = wrench_space(assembly, Rays.random(assembly, 80, seed=1), workers=1)
    misfit = slices.compare(space)
    assert misfit.largest_overestimate > 0.1 and misfit.largest_underestimate > 0.1
    thrown = misfit.underestimated * misfit.exact[misfit.ratios.argmin()]
    assert hf.equilibrium(assembly, thrown * (1 - 1e-6)).verify() and not slices.contains(thrown)
    assert outer_extrusions(assembly, names, level=0).compare(space).largest_underestimate <= 1e-6


def test_half_spaces_of_a_box_are_the_box() -> None:
    box = HalfSpaces(np.concatenate([np.eye(6), -np.eye(6)]), np.concatenate([BOX, BOX]), LENGTH)
    np.testing.assert_allclose(box.radial(ANYWHERE.directions), box_limit(BOX)(ANYWHERE.directions))
    np.testing.assert_array_equal(box.contains(ANYWHERE.directions), (np.abs(ANYWHERE.directions) <= BOX).all(axis=1))
    assert HalfSpaces(np.eye(6)[:1], np.array([np.inf]), LENGTH).radial([1.0, 0, 0, 0, 0, 0]) == np.inf


def test_the_projection_on_named_axes_picks_them_out() -> None:
    np.testing.assert_allclose(projection(TORQUES, LENGTH), np.eye(6)[:, 3:], atol=1e-15)
    about = Subspace.named("fx,fy,fz", about=(0.1, 0.0, 0.0))  # forces that act beside the origin
    coordinates = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(coordinates @ about.axes @ projection(about, LENGTH), coordinates)


def test_slices_of_different_things_are_refused() -> None:
    space = space_of(Rays.axes(EXTRUSIONS_FORCES), box_limit(BOX))
    with pytest.raises(InputError, match=r"spaces\[1\]: belongs to another assembly"):
        Extrusions([space, space_of(Rays.axes(EXTRUSIONS_FORCES), box_limit(BOX), model_hash="another")])
    with pytest.raises(InputError, match=r"spaces\[1\]"):
        Extrusions([space, space_of(Rays.axes(EXTRUSIONS_FORCES), box_limit(BOX), side="outer")])
    with pytest.raises(InputError, match="is empty"):
        Extrusions([])
    with pytest.raises(InputError, match="not a triangulated slice"):
        Extrusions([space_of(Rays.axes(), box_limit(BOX))])
    with pytest.raises(InputError, match="zero wrench"):
        Extrusions([space]).radial(np.zeros(6))
    with pytest.raises(InputError, match="not a list of subspaces"):
        outer_extrusions(hooks(), "fx,fy,fz")


def test_what_is_no_list_of_spaces_is_refused() -> None:
    space = space_of(Rays.axes(EXTRUSIONS_FORCES), box_limit(BOX))
    with pytest.raises(InputError, match="spaces: is a WrenchSpace.*give a list"):
        Extrusions(space)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="spaces: is a NoneType.*give a list"):
        Extrusions(None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"spaces\[1\]: is a NoneType"):
        Extrusions([space, None])  # pyright: ignore[reportArgumentType]


RAYS = Rays.sphere(FORCES, 2)


def test_a_box_that_grew_one_way_and_shrank_another() -> None:
    a, b = (space_of(RAYS, box_limit(half)) for half in (BOX * [1, 1, 1.5, 1, 1, 1], BOX * [1.25, 1, 1, 1, 1, 1]))
    found = difference(a, b)
    np.testing.assert_allclose(found.amounts, a.values - b.values)
    gain, loss = found.gain, found.loss
    assert gain is not None and loss is not None
    assert gain.amount == pytest.approx(found.amounts.max()) and loss.amount == pytest.approx(found.amounts.min())
    most = a.values - b.values
    np.testing.assert_array_equal(gain.direction, RAYS.directions[most.argmax()])
    assert (loss.first, loss.second) == (a.values[most.argmin()], b.values[most.argmin()])
    along_y = np.abs(RAYS.directions[:, 1]) > 0.99
    assert along_y.any() and not (found.stronger | found.weaker)[along_y].any()
    assert found.volumes[0] > found.volumes[1]
    assert not found.same_shape()
    assert "stronger on" in repr(found)


def test_the_difference_is_antisymmetric_and_of_itself_nothing() -> None:
    a, b = (space_of(RAYS, box_limit(half)) for half in (BOX, BOX[::-1]))
    forth, back = difference(a, b), difference(b, a)
    np.testing.assert_array_equal(forth.amounts, -back.amounts)
    np.testing.assert_array_equal(forth.stronger, back.weaker)
    np.testing.assert_allclose(forth.ratios * back.ratios, 1.0)
    nothing = difference(a, a)
    assert not nothing.amounts.any() and (nothing.ratios == 1.0).all()
    assert nothing.gain is None and nothing.loss is None and nothing.same_shape()


def test_the_same_shape_at_another_size_is_seen() -> None:
    a, b = (space_of(RAYS, box_limit(half)) for half in (BOX, 3.0 * BOX))
    assert difference(a, b).same_shape(tolerance=1e-6)
    c = space_of(RAYS, lambda d: box_limit(3.0 * BOX)(d) * (1.0 + 0.02 * d[:, 0]))
    assert not difference(a, c).same_shape(tolerance=0.01) and difference(a, c).same_shape(tolerance=0.05)


def test_infinite_and_empty_limits_are_compared_with_care() -> None:
    rays = Rays.axes(FORCES)
    a = space_of(rays, lambda d: np.array([np.inf, np.inf, 0.0, 0.0, -np.inf, 2.0]))
    b = space_of(rays, lambda d: np.array([np.inf, 5.0, 0.0, 1.0, -np.inf, -np.inf]))
    found = difference(a, b)
    np.testing.assert_array_equal(found.amounts, [0.0, np.inf, 0.0, -1.0, 0.0, np.inf])
    np.testing.assert_array_equal(found.ratios, [1.0, np.inf, 1.0, 0.0, np.nan, np.nan])
    np.testing.assert_array_equal(found.stronger, [False, True, False, False, False, True])
    np.testing.assert_array_equal(found.weaker, [False, False, False, True, False, False])
    assert found.gain is not None and found.gain.amount == np.inf
    assert not found.same_shape()


def test_other_rays_are_refused_with_where_they_part() -> None:
    a = space_of(RAYS, box_limit(BOX))
    with pytest.raises(InputError, match=r"has 42 rays, the first 162.*a\.rays"):
        difference(a, space_of(Rays.sphere(FORCES, 1), box_limit(BOX)))
    moved = RAYS.directions.copy()
    moved[7] = moved[7] + [0.0, 0.0, 1e-3, 0.0, 0.0, 0.0]
    with pytest.raises(InputError, match=r"1 of 162 rays differ, the first of them ray 7"):
        difference(a, space_of(Rays(moved), box_limit(BOX)))
    mixed = [Subspace.named("fx,ty,fz", length=length) for length in (0.1, 0.101)]
    with pytest.raises(InputError, match="rays differ"):
        difference(*(space_of(Rays.sphere(s, 1), box_limit(BOX)) for s in mixed))


def test_what_is_no_space_is_refused() -> None:
    with pytest.raises(InputError, match=r"b: is a NoneType \(give a holdfast.wrench_spaces.WrenchSpace\)"):
        difference(space_of(RAYS, box_limit(BOX)), None)  # pyright: ignore[reportArgumentType]


def test_results_are_plain_data() -> None:
    space = space_of(Rays.axes(FORCES), box_limit(BOX))
    same = space.difference(space).to_dict()
    assert same["gain"] is None and same["loss"] is None and set(same["amounts"]) == {0.0}
    inside = space.contains([0.5 * BOX[0], 0, 0, 0, 0, 0], ask=False).to_dict()
    assert inside["status"] == ["holds"] and inside["proofs"] == ["within the value of its ray"]
