"""Pictures of load sharing: what is drawn is what was computed, for few contacts and for many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly import Suspension
from holdfast.errors import InputError
from holdfast.sharing import plots
from holdfast.sharing.description import bracket_line, event_rows, names_of, verdict

Pixels = Callable[[Any], np.ndarray]

DOWN = np.diag([1.0, -1.0, -1.0])


def cups(nx: int, ny: int, *, seed: int, pitch: float = 0.1) -> hf.Assembly:
    """Suction cups under a plate, with strengths and stiffnesses that differ: they let go one after another."""
    rng = np.random.default_rng(seed)
    contacts = []
    for i in range(nx):
        for j in range(ny):
            volume = hf.models.suction(45.0 * rng.uniform(0.6, 1.4), mu=0.5)
            stiffness = 1e4 * rng.uniform(0.1, 3.0)
            spring = Suspension((stiffness, 0.3 * stiffness))  # pyright: ignore[reportArgumentType]
            position = ((i - (nx - 1) / 2) * pitch, (j - (ny - 1) / 2) * pitch, 0.0)
            contacts.append(hf.Contact(position, DOWN, volume, f"cup {i}{j}", suspension=spring))
    return hf.Assembly(contacts, name="cups")


def weight(mass: float, x: float, y: float) -> np.ndarray:
    return hf.loads.gravity_wrench(mass, (0, 0, -9.81), com=(x, y, 0.0))


@pytest.fixture(scope="module")
def twelve() -> hf.sharing.LoadSharing:
    """Twelve cups: one fails early, then all at once."""
    return hf.load_sharing(cups(4, 3, seed=3), weight(10.0, 0.03, 0.02))


@pytest.fixture(scope="module")
def gripper() -> tuple[Any, hf.sharing.LoadSharing]:
    """24 points in six units, with joints that slip on the way."""
    scene = hf.scenes.load_scene("@two_finger_gripper_pmd_pmd")
    return scene, hf.load_sharing(scene.assembly, scene.gravity_load())


def lines(ax: Any, gid: str) -> list[Any]:
    return [line for line in ax.lines if (line.get_gid() or "").startswith(gid)]


def words(ax: Any, gid: str) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_gid() == gid]


# -- forces against the factor -----------------------------------------------------------------------


def test_there_is_a_line_for_each_contact_with_the_size_of_its_force(twelve: hf.sharing.LoadSharing) -> None:
    ax = plots.forces_against_factor(twelve)
    drawn = {int(line.get_gid().split()[1]): line for line in lines(ax, "force ")}
    assert sorted(drawn) == list(range(12))
    jumps = {event.factor for event in twelve.events}
    for index, line in drawn.items():
        x, y = (np.asarray(part) for part in line.get_data())
        between = ~np.isin(x, list(jumps)) & (x < twelve.peak)
        expected = np.linalg.norm(twelve.forces(x[between])[:, index], axis=1)
        assert y[between] == pytest.approx(expected, abs=1e-9)
        assert between.sum() > 20


def test_every_event_has_a_mark_on_the_line_of_its_contact(twelve: hf.sharing.LoadSharing) -> None:
    ax = plots.forces_against_factor(twelve)
    marks = lines(ax, "event ")
    assert len(marks) == len(twelve.events)
    for event, mark in zip(twelve.failures, lines(ax, "event fails"), strict=True):
        (x,), (y,) = mark.get_data()
        before = twelve.forces(x * (1.0 - 1e-9))[event.contact]
        assert x == pytest.approx(event.factor)
        assert y == pytest.approx(np.linalg.norm(before), rel=1e-6)


def test_a_force_that_is_lost_falls_to_zero_in_the_picture(twelve: hf.sharing.LoadSharing) -> None:
    first = twelve.failures[0].contact
    ax = plots.forces_against_factor(twelve)
    x, y = (np.asarray(part) for part in lines(ax, f"force {first}")[0].get_data())
    assert twelve.first_failure < twelve.peak
    assert np.abs(y[x > twelve.first_failure * (1.0 + 1e-9)]).max() < 1e-9
    assert y[x < twelve.first_failure].max() > 10.0


def test_lines_stand_at_first_failure_peak_load_limit_and_load(twelve: hf.sharing.LoadSharing) -> None:
    ax = plots.forces_against_factor(twelve)
    places = sorted(line.get_xdata()[0] for line in lines(ax, "line "))
    limit = hf.load_limit(twelve.assembly, twelve.load).value
    assert places == pytest.approx(sorted([1.0, twelve.first_failure, twelve.peak, limit]))
    assert ax.get_xlim()[1] > limit
    assert {text.split(" ")[0] for text in words(ax, "factor")} == {"first", "peak", "load", "the"}


def test_names_above_the_axes_do_not_meet(twelve: hf.sharing.LoadSharing) -> None:
    for size in ((3.2, 2.6), (6.0, 4.4), (12.0, 5.0)):
        ax = plots.forces_against_factor(twelve)
        figure = ax.get_figure()
        figure.set_size_inches(size)
        figure.clf()
        ax = plots.forces_against_factor(twelve, figure.add_subplot())
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts if text.get_gid() == "factor"]
        assert len(boxes) == 4
        assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_a_load_limit_far_beyond_the_peak_is_named_at_the_border(gripper: tuple[Any, hf.sharing.LoadSharing]) -> None:
    _, result = gripper
    assert result.limit.value > 3.0 * result.peak
    ax = plots.forces_against_factor(result)
    assert ax.get_xlim()[1] < 1.3 * result.peak
    assert [text for text in words(ax, "factor") if text.startswith("load limit") and text.endswith("→")]
    assert not plots.forces_against_factor(result, limit=False).texts[0].get_text().startswith("load limit")


def test_many_points_are_drawn_a_unit_at_a_time(gripper: tuple[Any, hf.sharing.LoadSharing]) -> None:
    _, result = gripper
    ax = plots.forces_against_factor(result)
    assert len(lines(ax, "force ")) == 6
    x, y = (np.asarray(part) for part in lines(ax, "force 0")[0].get_data())
    inside = x < 0.99 * result.peak
    inside &= ~np.isin(x, [event.factor for event in result.events])
    expected = np.linalg.norm(result.forces(x[inside])[:, :4].sum(axis=1), axis=1)
    assert y[inside] == pytest.approx(expected, abs=1e-9)
    assert len(lines(plots.forces_against_factor(result, by="contact"), "force ")) == 24


def test_joints_that_slip_are_marked(gripper: tuple[Any, hf.sharing.LoadSharing]) -> None:
    _, result = gripper
    marks = lines(plots.forces_against_factor(result), "event joint slips")
    expected = {(e.joint, e.factor) for e in result.events if e.kind == "joint slips"}
    assert sorted(mark.get_xdata()[0] for mark in marks) == pytest.approx(sorted(factor for _, factor in expected))
    assert expected


def test_parts_of_the_force_are_those_of_the_contact_frame(twelve: hf.sharing.LoadSharing) -> None:
    at = 0.5 * twelve.first_failure
    local = twelve.forces(at, frame="contact")
    for component, values in (("normal", local[:, 2]), ("tangential", np.linalg.norm(local[:, :2], axis=1))):
        ax = plots.forces_against_factor(twelve, component=component)
        for line in lines(ax, "force "):
            x, y = line.get_data()
            assert np.interp(at, x[:10], y[:10]) == pytest.approx(values[int(line.get_gid().split()[1])], abs=1e-9)
    assert ax.get_ylabel().startswith("tangential force")


def test_the_legend_stays_short_for_48_contacts(pixels: Pixels) -> None:
    result = hf.load_sharing(cups(8, 6, seed=5, pitch=0.05), weight(10.0, 0.01, 0.0))
    ax = plots.forces_against_factor(result, named=6)
    assert len(lines(ax, "force ")) == 48
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(legend) == 6 + len({event.kind for event in result.events})
    assert legend[0] == result.failures[0].name
    assert "and 43 more" in legend[5]
    assert pixels(ax).std() > 0.0


def test_a_path_without_a_limit_and_one_that_ends_before_the_load_are_drawn() -> None:
    block = hf.scenes.load_scene("@block_on_three_points")
    free = hf.load_sharing(block.assembly, block.gravity_load())
    ax = plots.forces_against_factor(free)
    assert free.peak == np.inf and ax.get_xlim()[1] > 1.0
    for line in lines(ax, "force "):
        x, y = line.get_data()
        assert y[-1] == pytest.approx(np.linalg.norm(free.forces(x[-1])[int(line.get_gid().split()[1])]))
    tug = hf.load_sharing(cups(2, 2, seed=1), [1.0, 0, 0, 0, 0, 0], base=weight(100.0, 0.0, 0.0))
    assert tug.status == "does not hold the base load"
    ax = plots.forces_against_factor(tug)
    assert ax.get_xlabel() == "share of the base load"
    assert max(line.get_xdata()[-1] for line in lines(ax, "force ")) == pytest.approx(tug.failures[0].share)


def test_wrong_words_are_refused(twelve: hf.sharing.LoadSharing) -> None:
    with pytest.raises(InputError, match="component"):
        plots.forces_against_factor(twelve, component="shear")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="by"):
        plots.forces_against_factor(twelve, by="finger")  # pyright: ignore[reportArgumentType]


# -- the order of failure -----------------------------------------------------------------------------


def test_every_contact_that_fails_has_its_number_at_its_place(twelve: hf.sharing.LoadSharing) -> None:
    ax = plots.failure_order(twelve)
    found = {tuple(np.round(text.get_position_3d(), 9)): int(text.get_text()) for text in ax.texts}
    order = twelve.order
    expected = {
        tuple(np.round(position, 9)): int(place)
        for position, place in zip(twelve.assembly.positions, order, strict=True)
        if place
    }
    assert found == expected
    assert set(order) >= {0, 1, 2}
    discs = [disc for disc in ax.collections if (disc.get_gid() or "").startswith("place ")]
    assert len(discs) == 12
    assert sum(disc.get_gid() == "place 0" for disc in discs) == int((order == 0).sum())


def test_a_unit_that_fails_at_once_has_one_number(gripper: tuple[Any, hf.sharing.LoadSharing]) -> None:
    scene, result = gripper
    ax = plots.failure_order(result, scene)
    contacts = zip(result.assembly.contacts, result.order, strict=True)
    failing = {(contact.name[:-3], int(place)) for contact, place in contacts if place}
    assert sorted(int(text.get_text()) for text in ax.texts) == sorted(place for _, place in failing)
    assert len(failing) == len({name for name, _ in failing})
    first = " and ".join(sorted(name for name, place in failing if place == 1))
    assert first == "left D and right D"
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any(text.startswith("1  at ") and text.endswith(": left D, right D") for text in legend)


def test_the_first_to_fail_is_the_darkest_and_what_holds_is_grey() -> None:
    order = np.array([3, 1, 0, 2, 1])
    colours = plots.order_colours(order)
    light = [float(np.dot(colour[:3], (0.3, 0.59, 0.11))) for colour in colours if not isinstance(colour, str)]
    third, first, second, also_first = light
    assert first == also_first < second < third
    assert colours[2] == plots.style.ASSUMED


def test_the_scene_must_be_that_of_the_result(twelve: hf.sharing.LoadSharing) -> None:
    with pytest.raises(InputError, match="has 8 contacts, the result 12"):
        plots.failure_order(twelve, hf.scenes.load_scene("@suction_cup"))


def test_pictures_of_several_sizes_are_not_empty(
    pixels: Pixels, twelve: hf.sharing.LoadSharing, gripper: tuple[Any, hf.sharing.LoadSharing]
) -> None:
    scene, result = gripper
    for ax in (plots.failure_order(twelve), plots.failure_order(result, scene, title="a title")):
        for size in ((3.0, 3.0), (8.0, 6.0)):
            ax.get_figure().set_size_inches(size)
            assert pixels(ax).std() > 1.0


# -- samples and slopes -------------------------------------------------------------------------------


def test_every_sample_with_a_finite_peak_is_in_a_bar() -> None:
    asked = (cups(2, 2, seed=1), weight(9.0, 0.02, 0.01))
    found = hf.sharing.sharing_probability(*asked, hf.reliability.Scatter(strength=0.3), n=300, seed=4)
    assert 0.05 < found.value < 0.95
    ax = plots.peak_samples(found)
    heights = {
        gid: sum(bar.get_height() for bar in ax.patches if bar.get_gid() == gid)
        for gid in ("peaks that hold", "peaks that fail")
    }
    assert heights == {"peaks that hold": found.holding, "peaks that fail": 300 - found.holding}
    (outline,) = [patch for patch in ax.patches if patch.get_gid() == "first failures"]
    assert outline.get_data().values.sum() == 300
    assert all(not bar.get_x() < 1.0 - 1e-9 < bar.get_x() + bar.get_width() - 1e-9 for bar in ax.patches[:-1])


def test_peaks_that_are_not_numbers_are_counted_below_the_picture() -> None:
    @dataclass
    class Samples:
        peaks: np.ndarray
        first_failures: np.ndarray
        n: int

    values = np.array([0.5, 1.5, np.inf, -np.inf, np.inf])
    ax = plots.peak_samples(Samples(values, values, 5))  # pyright: ignore[reportArgumentType]
    assert ax.get_xlabel() == "load factor (not shown: 2 without a limit, 1 that fail before the load)"
    with pytest.raises(InputError, match="no sample has a finite peak"):
        plots.peak_samples(Samples(values[2:], values[2:], 3))  # pyright: ignore[reportArgumentType]


def test_bars_are_the_slopes_for_a_tenth_of_the_stiffness(twelve: hf.sharing.LoadSharing) -> None:
    slopes = hf.sharing.stiffness_sensitivity(twelve)
    ax = plots.stiffness_bars(slopes, most=5)
    names = [contact.name for contact in twelve.assembly.contacts]
    shown = [names.index(label.get_text()) for label in ax.get_yticklabels()]
    sizes = np.abs(slopes.derivative).max(axis=1)
    assert len(shown) == 5 and sizes[shown].min() >= np.sort(sizes)[-5]
    for axis, gid in enumerate(plots.AXES):
        lengths = [bar.get_width() for bar in ax.patches if bar.get_gid() == gid]
        assert lengths == pytest.approx(0.1 * slopes.derivative[shown, axis])
    # 1 % more normal stiffness of the contact with the longest bar, followed anew.
    stiffness = twelve.stiffness.copy()
    stiffness[shown[0], 2, 2] *= 1.01
    moved = hf.load_sharing(twelve.assembly, twelve.load, stiffness).first_failure - twelve.first_failure
    assert moved == pytest.approx(slopes.derivative[shown[0], 2] * np.log(1.01), rel=0.02)


# -- words --------------------------------------------------------------------------------------------


def test_rows_of_events_name_units_and_count_the_rest(gripper: tuple[Any, hf.sharing.LoadSharing]) -> None:
    _, result = gripper
    first = event_rows(result, failures=True)[0]
    assert (first.who, first.what) == ("left D, right D", "fail")
    assert first.when == f"at {result.first_failure:.4g}" and not first.cascade
    assert names_of(result.assembly, range(24)) == ["left P", "left M", "left D", "right P", "right M", "right D"]
    assert names_of(result.assembly, [0, 1]) == ["left P[0]", "left P[1]"]
    assert event_rows(result, failures=True, longest=8)[0].who == "left D and 1 more"


def test_a_block_squeezed_between_walls_has_a_peak_but_no_load_limit() -> None:
    wall = hf.models.coulomb(0.5)
    frames = [hf.geometry.frame_from_normal(np.array([side, 0.0, 0.0])) for side in (1.0, -1.0)]
    contacts = [hf.Contact((-0.1, 0, 0), frames[0], wall, "left"), hf.Contact((0.1, 0, 0), frames[1], wall, "right")]
    result = hf.load_sharing(hf.Assembly(contacts), [0, 0, -1.0, 0, 0, 0], (1e5, 1e5), 3.0, rule="slip")
    assert result.peak == pytest.approx(2 * 0.5 * 3.0)  # friction of both sides, pressed by the preload
    assert bracket_line(result) == "first failure 3 <= peak 3, no load limit"
    assert verdict(result) == "holds"
    ax = plots.forces_against_factor(result)
    assert not [text for text in words(ax, "factor") if text.startswith("load limit")]
