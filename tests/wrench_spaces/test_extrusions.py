from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.wrench_spaces.computation import (
    Extrusions,
    HalfSpaces,
    outer_extrusions,
    projection,
    wrench_space,
    wrench_supports,
)
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, hooks, polytope_limit, space_of

LENGTH = 0.1
FORCES, TORQUES = Subspace.named("fx,fy,fz"), Subspace.named("tx,ty,tz", length=LENGTH)
ANYWHERE = Rays(np.random.default_rng(2).normal(size=(400, 6)) * [1, 1, 1, 0.1, 0.1, 0.1])


def test_slices_of_a_box_give_the_box_back() -> None:
    slices = Extrusions([space_of(Rays.sphere(s, 5), box_limit(BOX)) for s in (FORCES, TORQUES)])
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

    slices = Extrusions([space_of(Rays.axes(s), cross) for s in (FORCES, TORQUES)])  # octahedra: exact
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
    slices = Extrusions([space_of(Rays.axes(s), limit) for s in (FORCES, TORQUES)])
    held = np.array([[1.0, 0, 0, 0.2, 0, 0]])
    misfit = slices.compare(space_of(Rays(held), limit))
    assert misfit.exact == pytest.approx(1.0)
    assert misfit.approximate == pytest.approx(0.25)  # fx alone and the torque alone: 0.25 N, 0.05 N m; not outer
    assert misfit.largest_underestimate == pytest.approx(0.75)
    assert not slices.contains(held[0])


def test_a_direction_that_no_slice_sees_is_not_limited() -> None:
    only_forces = Extrusions([space_of(Rays.axes(FORCES), box_limit(BOX))])
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
    space = space_of(Rays.axes(FORCES), box_limit(BOX))
    with pytest.raises(InputError, match=r"spaces\[1\]: belongs to another assembly"):
        Extrusions([space, space_of(Rays.axes(FORCES), box_limit(BOX), model_hash="another")])
    with pytest.raises(InputError, match=r"spaces\[1\]"):
        Extrusions([space, space_of(Rays.axes(FORCES), box_limit(BOX), volumes="hull")])
    with pytest.raises(InputError, match="is empty"):
        Extrusions([])
    with pytest.raises(InputError, match="no triangulated slice"):
        Extrusions([space_of(Rays.axes(), box_limit(BOX))])
    with pytest.raises(InputError, match="zero wrench"):
        Extrusions([space]).radial(np.zeros(6))
    with pytest.raises(InputError, match="no list of subspaces"):
        outer_extrusions(hooks(), "fx,fy,fz")


def test_what_is_no_list_of_spaces_is_refused() -> None:
    space = space_of(Rays.axes(FORCES), box_limit(BOX))
    with pytest.raises(InputError, match="spaces: is a WrenchSpace.*give a list"):
        Extrusions(space)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="spaces: is a NoneType.*give a list"):
        Extrusions(None)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"spaces\[1\]: is a NoneType"):
        Extrusions([space, None])  # pyright: ignore[reportArgumentType]
