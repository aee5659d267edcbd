from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.assembly.loads import sphere_directions
from holdfast.errors import InputError, UnknownNameError
from holdfast.wrench_spaces import Rays, Subspace, wrench_space
from holdfast.wrench_spaces.comparison import (
    AXES,
    HALF_AXES,
    MEASURES,
    SLICES,
    Comparison,
    Design,
    Strength,
    as_designs,
    common_length,
    compare,
    fitted_rays,
    fitted_space,
    measure_strength,
    proportions,
    search,
    weakest_load,
)
from studies.hauser.figures import single_unit
from tests.wrench_spaces.known_spaces import at_one_point, cross, tripod, weakest_wrench


@pytest.fixture(scope="module")
def three() -> Comparison:
    designs = {"small": cross(0.1, 1.0), "large": cross(0.3, 1.0), "strong": cross(0.1, 2.0)}
    return compare(designs, level=1, workers=1)


def test_designs_are_ranked_from_the_best_to_the_worst_and_ties_stand_together(three: Comparison) -> None:
    assert three.ranking("+fx") == (("strong",), ("small", "large"))
    assert three.ranking("+tz") == (("large",), ("strong",), ("small",))
    assert three.best("+tz") == ("large",)
    assert three.best("+fx") == ("strong",)


def test_all_stand_on_one_length(three: Comparison) -> None:
    assert three.length == pytest.approx((0.1 + 0.3 + 0.1) / 3)
    for strength in three.strengths:
        assert strength.length == three.length
        subspace = strength.spaces["torque volume"].subspace
        assert subspace is not None and list(subspace.scales) == [1.0, three.length, 1.0]
        assert len(strength.spaces["torque volume"]) == 42


def test_twice_the_strength_is_twice_every_limit_and_eight_times_the_volume(three: Comparison) -> None:
    for measure in MEASURES:
        factor = 8.0 if measure.group == "volume" else 2.0
        expected = pytest.approx(factor * three["small"].value(measure.key), rel=1e-3)
        assert three["strong"].value(measure.key) == expected, measure.key


def test_another_length_changes_the_weakest_wrench_alone() -> None:
    design = {"a": cross(0.1, 1.0)}
    short, long = (compare(design, length=length, level=0, workers=1)["a"] for length in (0.02, 0.5))
    for measure in MEASURES:
        if measure.key not in ("weakest wrench", "torque volume"):
            assert short.value(measure.key) == pytest.approx(long.value(measure.key), rel=1e-3), measure.key
    assert short.value("weakest wrench") > 2.0 * long.value("weakest wrench")


def test_one_design_alone_is_measured_and_nothing_is_best() -> None:
    alone = compare({"only": at_one_point(1, 2, 3)}, level=0, workers=1)
    assert len(alone) == 1 and alone.ranking("+fx") == (("only",),)
    assert all(row["best"] == () for row in alone.rows())


def test_equal_designs_tie_in_everything() -> None:
    same = compare({"a": at_one_point(1, 2, 3), "b": at_one_point(1, 2, 3)}, level=0, workers=1)
    assert all(same.ranking(measure.key) == (("a", "b"),) for measure in MEASURES)


def test_no_limit_is_better_than_any_limit() -> None:
    free = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    found = compare({"free": free, "box": at_one_point(1, 1, 1)}, level=0, workers=1)
    assert found.ranking("-fz") == (("free",), ("box",))
    assert found.ranking("+fz") == (("box",), ("free",))


def test_rows_and_data_say_the_same(three: Comparison) -> None:
    data = three.to_dict()
    json.dumps(data)
    assert [entry["name"] for entry in data["measures"]] == [row["measure"] for row in three.rows()]
    for row in three.rows():
        for design in data["designs"]:
            assert design["measures"][row["measure"]]["value"] == row[design["name"]]
    assert data["measures"][0]["ranking"] == [["strong"], ["small", "large"]]


def test_progress_ends_at_its_total_and_never_goes_back() -> None:
    seen: list[tuple[int, int]] = []
    given = {"a": at_one_point(1, 1, 1), "b": at_one_point(1, 1, 2)}
    compare(given, level=0, workers=1, progress=lambda done, total: seen.append((done, total)))
    dones = [done for done, _ in seen]
    assert dones == sorted(dones) and seen[-1][0] == seen[-1][1] and len({total for _, total in seen}) == 1


def test_what_is_not_there_is_named(three: Comparison) -> None:
    with pytest.raises(UnknownNameError, match="large"):
        three["larg"]
    with pytest.raises(UnknownNameError, match="weakest force"):
        three.values("weakest forse")


@pytest.mark.parametrize("wrong", [{"length": 0.0}, {"level": -1}, {"level": 1.5}, {"point": (0, 0)}, {"seed": -1}])
def test_bad_numbers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        compare({"a": at_one_point(1, 1, 1)}, **wrong)  # pyright: ignore[reportArgumentType]


def test_wrenches_of_the_centred_assembly_are_those_about_the_point() -> None:
    """By the transport (13) of a frame at the point."""
    design = Design(hf.devices.two_finger_gripper("D", "MD").assembly(), np.array([0.01, -0.02, 0.03]))
    transport = hf.Pose(np.eye(3), design.point).wrench_transport()
    for wrench in ([1.0, 0, 0, 0, 0, 0], [0, 0, -1.0, 0, 0, 0], [0.2, 0.5, -0.3, 0.01, -0.02, 0.03]):
        here = hf.load_limit(design.centred, wrench)
        there = hf.load_limit(design.assembly, transport @ wrench)
        assert here.value == pytest.approx(there.value, rel=2e-6) and here.verify()


def test_a_device_stands_at_its_centre_of_mass_and_an_assembly_at_the_origin() -> None:
    device = hf.devices.two_opposed_units()
    found = as_designs({"device": device, "assembly": device.assembly()}, None)
    np.testing.assert_array_equal(found["device"].point, device.object.com)
    np.testing.assert_array_equal(found["assembly"].point, np.zeros(3))
    assert found["device"].joints == 1


def test_one_point_for_all_replaces_their_own() -> None:
    given = {"a": Design(cross(0.1, 1.0), np.array([1.0, 0.0, 0.0])), "b": at_one_point(1, 1, 1)}
    for design in as_designs(given, (0.0, 0.0, 0.5)).values():
        np.testing.assert_array_equal(design.point, [0.0, 0.0, 0.5])


def test_the_common_length_is_the_mean_of_the_own_ones() -> None:
    given = as_designs({"a": cross(0.1, 1.0), "b": cross(0.3, 1.0)}, None)
    assert common_length(given) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "given", [{}, [], None, {"a": 3}, {"a": "two_opposed_units"}, {"1": cross(1, 1), 1: cross(1, 1)}]
)
def test_what_is_no_design_is_named(given: object) -> None:
    with pytest.raises(InputError, match="designs"):
        as_designs(given, None)


def test_a_design_needs_an_assembly_and_a_point() -> None:
    with pytest.raises(InputError, match="assembly"):
        Design("no assembly")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="point"):
        Design(cross(0.1, 1.0), np.array([0.0, np.nan, 0.0]))


Ask = Callable[[np.ndarray], Any]


def polytope(normals: np.ndarray, offsets: np.ndarray) -> Ask:
    """Radial extent of {x: normals x <= offsets}, with the face that ends each ray."""

    def ask(units: np.ndarray) -> Any:
        slopes = units @ normals.T
        with np.errstate(divide="ignore"):
            reach = np.where(slopes > 0.0, offsets / np.maximum(slopes, 1e-300), np.inf)
        face = reach.argmin(axis=1)
        return SimpleNamespace(values=reach.min(axis=1), normals=normals[face])

    return ask


def faces(dimension: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(count, dimension))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return np.concatenate([normals, np.eye(dimension), -np.eye(dimension)]), rng.uniform(
        1.0, 6.0, count + 2 * dimension
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_weakest_direction_of_a_polytope_is_its_nearest_face(seed: int) -> None:
    """The ray along the normal of a face ends at its plane's foot point: the least radius is the least offset."""
    normals, offsets = faces(3, 30, seed)
    ask = polytope(normals, offsets)
    units = sphere_directions(160)
    found, _ = search(ask, np.eye(3), units, ask(units).values, largest=False)
    assert ask(found[None]).values[0] == pytest.approx(offsets.min(), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_strongest_direction_of_a_polytope_is_its_farthest_corner(seed: int) -> None:
    normals, offsets = faces(3, 6, seed)
    ask = polytope(normals, offsets)
    units = sphere_directions(640)
    found, _ = search(ask, np.eye(3), units, ask(units).values, largest=True)
    outside = [linprog(-u, A_ub=normals, b_ub=offsets, bounds=(None, None)).x for u in sphere_directions(300)]
    farthest = max(np.linalg.norm(corner) for corner in outside)
    assert ask(found[None]).values[0] == pytest.approx(farthest, rel=1e-2)


def test_a_dent_is_found_that_no_plane_of_the_hull_shows() -> None:
    """A ball with a narrow dent: its normals point outwards and lead nowhere, the pattern search goes in."""

    def ask(units: np.ndarray) -> Any:
        depth = np.exp(-((np.arccos(np.clip(units @ dent, -1, 1)) / 0.3) ** 2))
        return SimpleNamespace(values=5.0 - 4.0 * depth, normals=units)

    dent = np.array([1.0, 2.0, -2.0]) / 3.0
    units = sphere_directions(160)
    found, asked = search(ask, np.eye(3), units, ask(units).values, largest=False)
    assert found @ dent == pytest.approx(1.0, abs=1e-5)
    assert asked < 2000


def test_rays_without_limit_are_no_weakness_and_the_utmost_strength() -> None:
    units = sphere_directions(160)

    def ask(directions: np.ndarray) -> Any:
        values = np.where(directions[:, 2] > 0.2, np.inf, 2.0 + directions[:, 2])
        return SimpleNamespace(values=values, normals=np.full((len(directions), 3), np.nan))

    weakest, _ = search(ask, np.eye(3), units, ask(units).values, largest=False)
    np.testing.assert_allclose(weakest, [0, 0, -1], atol=2e-2)
    strongest, asked = search(ask, np.eye(3), units, ask(units).values, largest=True)
    assert strongest[2] > 0.2 and asked == 0


def test_where_every_ray_is_without_limit_any_will_do() -> None:
    units = sphere_directions(12)

    def ask(directions: np.ndarray) -> Any:
        return SimpleNamespace(values=np.full(len(directions), np.inf), normals=np.full((len(directions), 3), np.nan))

    found, _ = search(ask, np.eye(3), units, ask(units).values, largest=False)
    assert np.linalg.norm(found) == pytest.approx(1.0)


FORCES = Subspace.named("fx,fy,fz")


def needle(turn: np.ndarray) -> hf.Assembly:
    """A box of forces a hundred times as long as it is wide, turned in the world."""
    made = at_one_point(1.0, 100.0, 2.0)
    return made.moved(hf.Pose(turn, np.zeros(3)))


TURN = hf.rotation_about([1.0, 2.0, -1.0], 0.7) if hasattr(hf, "rotation_about") else np.eye(3)


def test_the_volume_of_a_needle_needs_rays_that_fit_it() -> None:
    assembly, exact = needle(TURN), 8.0 * 1.0 * 100.0 * 2.0
    regular = wrench_space(assembly, Rays.sphere(FORCES, 2), workers=1)
    fitted = fitted_space(assembly, FORCES, 2, workers=1)
    assert float(regular.volume) < 0.5 * exact
    assert 0.85 * exact < float(fitted.space.volume) < exact * (1 + 1e-6)


def test_the_last_rays_see_the_shape_from_its_middle_alike_on_all_sides() -> None:
    """In the coordinates of the fit the box is nearly a cube: its nearest and farthest points differ by root 3."""
    fitted = fitted_space(needle(TURN), FORCES, 2, workers=1)
    values = fitted.space.values / fitted.space.values.mean()
    assert values.max() / values.min() < 2.5


def test_the_first_pilot_is_a_regular_sphere_and_every_ray_is_exact() -> None:
    assembly = at_one_point(1.0, 3.0, 2.0)
    fitted = fitted_space(assembly, FORCES, 1, workers=1)
    np.testing.assert_allclose(fitted.pilots[0].directions, Rays.sphere(FORCES, 2).directions)
    for space in (*fitted.pilots, fitted.space):
        with np.errstate(divide="ignore"):
            expected = np.min([1.0, 3.0, 2.0] / np.abs(space.directions[:, :3]), axis=1)
        np.testing.assert_allclose(space.values, expected, rtol=2e-6)


def test_the_scales_of_torques_are_kept_out_of_the_proportions() -> None:
    subspace = Subspace.named("fx,ty,fz", length=0.01)
    rays = fitted_rays(subspace, np.diag([1.0, 0.01, 1.0]), 1)
    np.testing.assert_allclose(rays.directions, Rays.sphere(subspace, 1).directions, atol=1e-12)


def test_a_slice_without_limit_keeps_the_sphere() -> None:
    free = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    fitted = fitted_space(free, FORCES, 1, workers=1)
    assert len(fitted.pilots) == 1
    np.testing.assert_allclose(fitted.space.directions, Rays.sphere(FORCES, 1).directions)


def test_a_flat_slice_has_no_volume_and_rays_all_round() -> None:
    assembly = at_one_point(1.0, 3.0, 2.0)
    fitted = fitted_space(assembly, Subspace.named("fx,ty,fz", length=0.1), 1, workers=1)
    assert float(fitted.space.volume) == pytest.approx(0.0, abs=1e-6)
    assert np.isfinite(proportions(fitted.space)).all()


def test_the_half_axes_are_unit_wrenches_both_ways() -> None:
    assert len(HALF_AXES) == 12
    for key, direction in HALF_AXES.items():
        expected = np.zeros(6)
        expected[AXES.index(key[1:])] = 1.0 if key[0] == "+" else -1.0
        np.testing.assert_array_equal(direction, expected)


def test_forces_are_in_newtons_torques_in_newton_metres_and_no_key_comes_twice() -> None:
    keys = [measure.key for measure in MEASURES]
    assert len(set(keys)) == len(keys) and set(HALF_AXES) | set(SLICES) <= set(keys)
    for measure in MEASURES:
        if measure.group in ("force", "direction"):
            assert measure.unit == "N"
        if measure.group == "torque":
            assert measure.unit == "N m"
        assert measure.meaning


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


def test_rays_cut_short_are_counted_apart_from_the_limits() -> None:
    scene = hf.load("@two_finger_gripper_md_md").with_gravity((0, 0, 0))
    tired = hf.solvers.Exact(gap=1e-6, node_limit=1)
    found = compare({"gripper": Design(scene.assembly, scene.com)}, level=1, sampling=tired).strengths[0]
    assert found.open_rays > 0 and found.open_limits == () and found.undecided == found.open_rays
    assert found.proven == 15
    assert found.to_dict()["open_rays"] == found.open_rays and found.to_dict()["rays"] == 84


def test_undecided_at_the_level_of_rounding_is_known() -> None:
    """A unit that holds nothing one way: its limit there is zero, whether or not the search can close."""
    scene = hf.load("@microspine_pull").with_gravity((0, 0, 0))
    found = compare({"unit": Design(scene.assembly, scene.com)}, level=0).strengths[0]
    limits = dict(found.limits)
    held = limits["-fz"]
    tiny = 1e-12 * found.size
    open_end = replace(held.solution, status=hf.solvers.Status.UNDECIDED, factor=0.0, bound=tiny)
    limits["-fz"] = replace(held, solution=open_end)
    assert replace(found, limits=limits).open_limits == ()
    limits["-fz"] = replace(held, solution=replace(open_end, bound=1e-3 * found.size))
    assert replace(found, limits=limits).open_limits == ("-fz",)


def test_the_weakest_load_of_a_drawn_slice_is_searched_between_its_rays() -> None:
    scene = hf.load("@two_opposed_units").with_gravity((0, 0, 0))
    space = hf.wrench_space(scene.assembly, Rays.sphere(Subspace.named("fx,fy,fz", length=scene.assembly.length), 2))
    unit, limit = weakest_load(space)
    assert limit < space.values.min()
    direct = hf.load_limit(scene.assembly, np.append(unit, np.zeros(3)))
    assert limit == pytest.approx(direct.value, rel=1e-6) and np.linalg.norm(unit) == pytest.approx(1.0)
    fine = hf.wrench_space(scene.assembly, Rays.sphere(Subspace.named("fx,fy,fz", length=scene.assembly.length), 4))
    assert limit <= fine.values.min() * (1.0 + 1e-6)
