"""Slices of wrench spaces in the viewer."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import GeometryError
from holdfast.scenes import load_scene
from holdfast.web.marks import Lines, ShadedSurface, Word, written
from holdfast.wrench_spaces.page import (
    ENTRIES,
    OFF,
    OWN,
    WIDTH,
    Configuration,
    SpaceState,
    WrenchSpacePage,
    ready_configurations,
    round_levels,
    scene_entry,
    slice_of,
    space_answer,
)
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind

TWO_UNITS = "two opposed units (2OU)"


def block(mu: float) -> Configuration:
    """A cube held between two facing Coulomb contacts: no limit along some loads, none at all along others."""
    turn = hf.frame_from_normal
    volume = hf.models.coulomb(mu)
    contacts = [
        hf.Contact((-0.1, 0, 0), turn((1, 0, 0)), volume),
        hf.Contact((0.1, 0, 0), turn((-1, 0, 0)), volume),
    ]
    return Configuration(f"block {mu}", lambda: (hf.Assembly(contacts), np.zeros(3)))


def test_vertices_of_the_surface_are_load_limits() -> None:
    ready = ready_configurations()
    state = SpaceState(TWO_UNITS, axes=("fx", "ty", "fz"), level=1)
    surface = space_answer(state, ready).drawing.marks["space 1/surface"]
    assert isinstance(surface, ShadedSurface)
    assembly, about = ready[TWO_UNITS].make()
    space = slice_of(ready[TWO_UNITS], state.axes, 1, False)
    for i in range(0, len(space), 5):
        direct = hf.load_limit(assembly, space.directions[i])
        assert np.isclose(space.values[i], direct.value, rtol=2e-2)  # slices are computed to a hundredth
    # The scene's x and z are newtons on one scale, y newton metres on its own.
    wrenches = space.points
    coordinates = np.column_stack(
        [wrenches[:, 0], wrenches[:, 4] - np.cross(about, wrenches[:, :3])[:, 1], wrenches[:, 2]]
    )
    factors = surface.vertices[np.abs(coordinates).argmax(axis=0), range(3)] / np.abs(coordinates).max(axis=0)
    factors = np.abs(factors)
    assert np.isclose(factors[0], factors[2]) and np.allclose(surface.vertices, coordinates * factors, atol=1e-9)
    assert np.isclose(max(np.ptp(surface.vertices[:, 0]), np.ptp(surface.vertices[:, 2])), WIDTH)
    assert np.isclose(np.ptp(surface.vertices[:, 1]), WIDTH)


def test_level_lines_lie_at_round_values_of_the_second_axis() -> None:
    marks = space_answer(SpaceState(TWO_UNITS, level=1), ready_configurations()).drawing.marks
    lines, surface = marks["space 1/levels"], marks["space 1/surface"]
    assert isinstance(lines, Lines) and isinstance(surface, ShadedSurface)
    space = slice_of(ready_configurations()[TWO_UNITS], ("fx", "fy", "fz"), 1, False)
    factor = np.abs(surface.vertices[:, 1]).max() / np.abs(space.points[:, 1]).max()
    heights = np.unique(np.round(lines.points[:, :, 1] / (1.0 + OFF) / factor, 6))
    expected = round_levels(float(space.points[:, 1].min()), float(space.points[:, 1].max()))
    assert np.allclose(heights, expected, atol=1e-4)
    without = space_answer(SpaceState(TWO_UNITS, level=1, levels=False), ready_configurations()).drawing.marks
    assert "space 1/levels" not in without


def test_axes_are_labelled_with_the_limits_along_them_alone() -> None:
    ready = ready_configurations()
    assembly, about = ready[TWO_UNITS].make()
    marks = space_answer(SpaceState(TWO_UNITS, axes=("fx", "fy", "ty"), level=1), ready).drawing.marks
    for label, force, torque in (("fy", (0, 1, 0), (0, 0, 0)), ("ty", (0, 0, 0), (0, 1, 0))):
        along = np.concatenate([force, np.cross(about, force) + torque])
        low, high = (sign * hf.load_limit(assembly, sign * along).value for sign in (-1.0, 1.0))
        word = marks[f"space 1/{label}"]
        assert isinstance(word, Word)
        unit = "N" if label == "fy" else "N m"
        assert word.text == f"along {label}: {written(low)} to {written(high)} {unit}"


def test_two_configurations_stand_apart_on_one_scale() -> None:
    ready = ready_configurations()
    other = "two-finger gripper, middle + distal / middle + distal (2FG MD-MD)"
    both = space_answer(SpaceState(TWO_UNITS, other, level=1), ready).drawing.marks
    left, right = both["space 1/surface"], both["space 2/surface"]
    assert isinstance(left, ShadedSurface) and isinstance(right, ShadedSurface)
    assert left.vertices[:, 0].max() < right.vertices[:, 0].min()
    spaces = [slice_of(ready[name], ("fx", "fy", "fz"), 1, False) for name in (TWO_UNITS, other)]
    pairs = zip((left, right), spaces, strict=True)
    sizes = [np.ptp(mark.vertices, axis=0) / np.ptp(space.points[:, :3], axis=0) for mark, space in pairs]
    assert np.allclose(sizes[0], sizes[1]) and np.allclose(sizes[0], sizes[0][0])


def test_what_has_no_limit_is_cut_off_and_said() -> None:
    own = block(0.5)
    answer = space_answer(SpaceState(own.name, level=1, hull=True), {own.name: own})
    surface = answer.drawing.marks["space 1/surface"]
    assert isinstance(surface, ShadedSurface) and np.isfinite(surface.vertices).all()
    assert "Grey parts have no limit" in answer.notes and "outer" in answer.notes
    assert any("no limit" in line for line in answer.verdict.lines)
    word = answer.drawing.marks["space 1/name"]
    assert isinstance(word, Word) and word.text == own.name


def test_an_axis_without_a_limit_says_so() -> None:
    free = block(0.5)
    marks = space_answer(SpaceState(free.name, axes=("fx", "fy", "ty"), level=1), {free.name: free}).drawing.marks
    texts = {mark.text for mark in marks.values() if isinstance(mark, Word)}
    assert "no limit along fx" in texts


def test_axes_must_be_three_different_ones() -> None:
    with pytest.raises(GeometryError, match="not three different axes"):
        space_answer(SpaceState(TWO_UNITS, axes=("fx", "fx", "fz")), ready_configurations())


def test_what_is_computed_is_said() -> None:
    own, said = block(0.25), []
    space_answer(SpaceState(own.name, level=1), {own.name: own}, said.append)
    assert said == ["computing block 0.25, 42 rays ..."]


@pytest.mark.parametrize(("low", "high"), [(-31.0, 42.0), (0.0, 1.0), (1e-4, 3e-4), (-900.0, -100.0), (-1e6, 3.0)])
def test_levels_are_round_within_and_not_too_many(low: float, high: float) -> None:
    levels = round_levels(low, high)
    assert 3 <= len(levels) <= 12 and (levels > low).all() and (levels < high).all()
    step = float(np.diff(levels).min())
    assert np.allclose(np.diff(levels), step)
    mantissa = step / 10.0 ** np.floor(np.log10(step) + 1e-9)
    assert np.isclose(mantissa, [1.0, 2.0, 5.0, 10.0]).any()
    assert len(round_levels(low, low)) == 0


# The page of wrench spaces.

QUICK = "quick: 162 rays"


def test_the_page_shows_what_the_library_answers_for_its_menus() -> None:
    with Visit(WrenchSpacePage) as visit:
        controls = visit.browser.gui.controls
        visit.drag("Fineness", QUICK)
        visit.drag("Beside it", "two-finger gripper, middle + distal / middle + distal (2FG MD-MD)")
        visit.drag("Slice", "fx, ty, fz")
        assert not visit.errors and not controls["Axis x"].visible
        state = SpaceState(controls["Configuration"].value, controls["Beside it"].value, ("fx", "ty", "fz"), 2)
        direct = space_answer(state, ready_configurations())
        assert visit.verdict.shown.status == direct.verdict.status and visit.names == set(direct.drawing.marks)
        visit.drag("Beside it", "nothing")
        assert not any(name.startswith("space 2") for name in visit.names)
        assert_leaves_nothing_behind(visit)


def test_own_axes_are_chosen_one_by_one_and_equal_ones_are_told() -> None:
    with Visit(WrenchSpacePage) as visit:
        visit.drag("Fineness", QUICK)
        visit.drag("Slice", OWN)
        assert visit.browser.gui.controls["Axis y"].visible
        visit.drag("Axis y", "fz")
        (error,) = visit.errors
        assert "not three different axes" in str(error)
        visit.drag("Axis z", "tz")
        assert "space 1/tz" in visit.names and len(visit.errors) == 1


def test_a_scene_of_a_file_is_the_first_configuration() -> None:
    scene = load_scene("@block_on_three_points")
    entry = scene_entry(scene)
    assert entry.group == "Wrench spaces" and entry.title == scene.name
    with Visit(entry.make) as visit:
        assert visit.browser.gui.controls["Configuration"].value == scene.name and not visit.errors
        points = visit.browser.scene.nodes["/page/space 1/axes"].points
        assert np.isfinite(points).all()


def test_entries_have_keys_of_their_own() -> None:
    assert [entry.key for entry in ENTRIES] == ["wrench-space"]


def test_all_slices_of_a_configuration_share_its_assembly() -> None:
    own = block(0.5)
    first, second = (slice_of(own, axes, 1, False) for axes in (("fx", "fy", "fz"), ("fx", "fy", "tz")))
    assert first is not second and first.assembly is second.assembly
