from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.plotting import style
from holdfast.statics.plots import factor_radius, gravity_polar, interface_utilisation, load_limits, utilisation

LIMITS = {"2OU": {"pull": 18.0, "push": np.inf, "fx": 9.0}, "2FG": {"pull": 2.7, "push": -np.inf}}


def widths(ax: Any, device: str) -> list[float]:
    return [bar.get_width() for bar in ax.patches if bar.get_gid() == device]


def test_bars_are_as_long_as_the_limits_and_a_colour_a_device(pixels: Callable[[Any], np.ndarray]) -> None:
    ax = load_limits(LIMITS, title="limits")
    assert widths(ax, "2OU") == pytest.approx([18.0, 18.0 * 1.15, 9.0])
    assert widths(ax, "2FG") == pytest.approx([2.7, 0.0])
    finite = [bar for bar in ax.patches if bar.get_gid() == "2FG"]
    assert to_rgb(finite[0].get_facecolor()) == to_rgb(style.colour(1))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["pull", "push", "fx"]
    assert ax.get_xlabel() == "load limit [N]" and ax.get_title() == "limits"
    assert pixels(ax).std() > 5.0


def test_no_limit_and_no_hold_are_said_in_words() -> None:
    ax = load_limits(LIMITS)
    assert [t.get_text() for t in ax.texts] == ["18", "no limit", "9", "2.7", "does not hold"]
    (endless,) = [bar for bar in ax.patches if bar.get_hatch()]
    assert endless.get_width() > 18.0


def test_bars_stand_in_the_place_of_their_direction_and_do_not_overlap() -> None:
    ax = load_limits(LIMITS)
    spans = sorted((bar.get_y(), bar.get_y() + bar.get_height()) for bar in ax.patches)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(round(0.5 * (low + high)) in (0, 1, 2) for low, high in spans)


def test_a_logarithmic_scale_shows_small_and_large(pixels: Callable[[Any], np.ndarray]) -> None:
    ax = load_limits({"a": {"x": 0.02, "y": 0.0}, "b": {"x": 3000.0}}, log=True, unit="N m")
    assert ax.get_xscale() == "log" and ax.get_xlabel() == "load limit [N m]"
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert ends == pytest.approx([0.02, ax.get_xlim()[0], 3000.0])
    assert pixels(ax).std() > 5.0


def test_one_device_needs_no_legend() -> None:
    assert load_limits({"2OU": {"pull": 1.0}}).get_legend() is None
    names = [t.get_text() for t in load_limits(LIMITS).get_legend().get_texts()]
    assert names == ["2OU", "2FG"]


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({}, "limits"),
        ([1.0], "limits"),
        ({"a": {}}, r"limits\['a'\]"),
        ({"a": 3.0}, r"limits\['a'\]"),
        ({"a": {"x": "much"}}, r"limits\['a'\]\['x'\]"),
        ({"a": {"x": -1.0}}, r"limits\['a'\]\['x'\]"),
    ],
)
def test_bad_input_is_named(bad: Any, where: str) -> None:
    with pytest.raises(InputError, match=where):
        load_limits(bad)


def table(names: tuple[str, ...] = ("corner", "right", "left")) -> hf.Assembly:
    """Three capped Coulomb feet on a right triangle; none can pull."""
    edges = np.array([[0.5, 0, 1], [0, 0.5, 1], [-0.5, 0, 1], [0, -0.5, 1]])
    volume = hf.ForceVolume([np.vstack([np.zeros(3), 100.0 * edges])])
    feet = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    return hf.Assembly([hf.Contact(x, np.eye(3), volume, n) for x, n in zip(feet, names, strict=True)], name="table")


@pytest.fixture
def standing() -> hf.statics.Diagnosis:
    return hf.diagnose(hf.equilibrium(table(), hf.loads.gravity_wrench(1.0, (0, 0, -10.0), (0.25, 0.25, 0.0))))


def test_bars_are_as_long_as_the_use_and_the_limit_stands_out(standing, pixels: Callable[[Any], np.ndarray]) -> None:
    ax = utilisation(standing)
    bars = {bar.get_gid(): bar for bar in ax.patches}
    for contact in standing.contacts:
        assert bars[contact.label].get_width() == pytest.approx(100.0 * contact.utilisation)
    assert bars['contact "corner"'].get_width() == pytest.approx(100.0)
    assert to_rgb(bars['contact "corner"'].get_facecolor()) == to_rgb(style.LIMIT)
    assert to_rgb(bars['contact "left"'].get_facecolor()) != to_rgb(style.LIMIT)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["corner", "right", "left"]
    assert ax.get_title() == "table: it holds 20 times this load"
    assert pixels(ax).std() > 5.0


def test_numbers_say_what_one_percent_more_brings(standing) -> None:
    texts = [t.get_text() for t in utilisation(standing).texts]
    assert any("100 %" in text and "+1 %" in text for text in texts)
    assert not any("+" in text for text in texts if text.startswith("gain") is False and "100 %" not in text)


def test_contacts_without_force_say_so_and_unnamed_ones_have_numbers() -> None:
    over_the_corner = hf.loads.gravity_wrench(1.0, (0, 0, -10.0))
    ax = utilisation(hf.diagnose(hf.equilibrium(table(("", "", "")), over_the_corner)), title="alone")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0", "1", "2"]
    assert [t.get_text() for t in ax.texts][1:3] == ["no force", "no force"]
    assert ax.get_title() == "alone"


def test_of_many_contacts_the_most_used_are_drawn(standing) -> None:
    ax = utilisation(standing, most=1)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["corner"]


def test_a_contact_at_the_border_of_its_piece_is_hatched() -> None:
    low = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1.0]])
    halves = hf.ForceVolume(
        [np.concatenate([low, low + [0, 0, 1.0]]), np.concatenate([low + [0, 0, 1.0], low + [0, 0, 2.0]])]
    )
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), halves)])
    diagnosis = hf.diagnose(hf.equilibrium(assembly, np.zeros(6)))
    assert not [bar for bar in utilisation(diagnosis).patches if bar.get_hatch()]  # no force, no limit
    sideways = hf.diagnose(hf.load_limit(assembly, [-1, 0, 0, 0, 0, 0]))
    assert sideways.contacts[0].at_limit
    between = hf.JointRows([[1.0, 0, 0]], [-0.5], [0.5])
    held = hf.diagnose(hf.load_limit(hf.Assembly(assembly.contacts, between), [-1, 0, 0, 0, 0, 0]))
    assert held.contacts[0].at_piece_limit
    assert [bar.get_hatch() for bar in utilisation(held).patches] == ["////"]


@pytest.mark.parametrize("bad", [None, 3.0])
def test_only_a_diagnosis_is_drawn(bad: Any) -> None:
    with pytest.raises(InputError, match="diagnosis"):
        utilisation(bad)


def test_a_diagnosis_without_forces_cannot_be_drawn() -> None:
    stuck = hf.Assembly(table().contacts, hf.JointRows([[0, 0, 1.0] + [0.0] * 6], [-2.0], [-1.0]))
    with pytest.raises(InputError, match="no forces"):
        utilisation(hf.diagnose(hf.load_limit(stuck, [0, 0, -1.0, 0, 0, 0])))


ANGLES = 2.0 * np.pi * np.arange(12) / 12
STATUSES = ["holds"] * 5 + ["undecided"] + ["does not hold"] * 6


def sectors(ax: Any, verdict: str) -> list[Rectangle]:
    return [p for p in ax.patches if p.get_gid() == verdict]


def colour_at(ax: Any, angle: float) -> set[str]:
    """Verdicts whose sector holds an angle."""
    found = set()
    for verdict in style.VERDICT:
        for bar in sectors(ax, verdict):
            if (angle - bar.get_x()) % (2.0 * np.pi) < bar.get_width():
                found.add(verdict)
                assert to_rgb(bar.get_facecolor()) == to_rgb(style.VERDICT[verdict])
    return found


@pytest.mark.parametrize("factors", [None, np.linspace(0.2, 5.0, 12)])
def test_every_direction_has_a_sector_of_its_verdict_and_none_overlap(factors: Any) -> None:
    ax = gravity_polar(ANGLES, STATUSES, factors)
    for angle, status in zip(ANGLES, STATUSES, strict=True):
        for aside in (-0.49, 0.0, 0.49):
            assert colour_at(ax, angle + aside * 2.0 * np.pi / 12) == {status}
    widths = [bar.get_width() for verdict in style.VERDICT for bar in sectors(ax, verdict)]
    assert sum(widths) == pytest.approx(2.0 * np.pi)


def test_angle_zero_is_down_and_angles_grow_to_the_right_as_circle_directions_do() -> None:
    ax = gravity_polar(ANGLES, STATUSES)
    ax.get_figure().draw_without_rendering()
    centre = ax.transData.transform((0.0, 0.0))
    for angle, direction in zip(ANGLES, hf.loads.circle_directions(12), strict=True):
        on_paper = ax.transData.transform((angle, 1.0)) - centre
        np.testing.assert_allclose(on_paper / np.linalg.norm(on_paper), direction[[0, 2]], atol=1e-9)
    labels = [t.get_text() for t in ax.get_xticklabels()]
    assert labels[0] == "0°\ngravity down"


def test_the_curve_of_factors_is_logarithmic_clipped_and_closed() -> None:
    factors = np.array([1.0, 10.0, 0.1, 2.0, np.inf, 1e3, -np.inf, 0.0, 0.5, 1.0, 1.0, 1.0])
    ax = gravity_polar(ANGLES, STATUSES, factors)
    (curve,) = [line for line in ax.lines if line.get_gid() == "factors"]
    wanted = [1.0, 2.0, 0.0, 1.0 + np.log10(2.0), 2.0, 2.0, 0.0, 0.0, 1.0 + np.log10(0.5), 1, 1, 1]
    np.testing.assert_allclose(curve.get_ydata()[:12], wanted, atol=1e-12)
    assert curve.get_ydata()[12] == wanted[0] and curve.get_xdata()[12] == pytest.approx(2.0 * np.pi)
    (one,) = [line for line in ax.lines if line.get_gid() == "one"]
    assert set(one.get_ydata()) == {1.0}
    (over,) = [line for line in ax.lines if line.get_label() == "above 10"]
    np.testing.assert_allclose(over.get_xdata(), ANGLES[[4, 5]])
    ticks = dict(zip([t.get_text() for t in ax.get_yticklabels()], ax.get_yticks(), strict=True))
    assert ticks["1"] == 1.0 and ticks["5"] == pytest.approx(float(factor_radius(5.0, 10.0)))


def test_a_part_of_the_circle_leaves_the_rest_empty() -> None:
    angles = np.radians([0.0, 10.0, 20.0, 30.0])
    ax = gravity_polar(angles, ["holds"] * 4, np.ones(4))
    assert colour_at(ax, np.radians(180.0)) == set()
    assert colour_at(ax, np.radians(33.0)) == {"holds"}
    (curve,) = [line for line in ax.lines if line.get_gid() == "factors"]
    assert len(curve.get_xdata()) == 4


def test_order_and_full_turns_do_not_matter() -> None:
    order = np.random.default_rng(0).permutation(12)
    ax = gravity_polar(ANGLES[order] - 2.0 * np.pi, [STATUSES[k] for k in order])
    for angle, status in zip(ANGLES, STATUSES, strict=True):
        assert colour_at(ax, angle) == {status}


def test_statuses_of_the_solvers_are_understood_and_counted() -> None:
    ax = gravity_polar([0.0, 1.0], [hf.Status.HOLDS, hf.Status.DOES_NOT_HOLD])
    names = [t.get_text() for t in ax.get_legend().get_texts()]
    assert names == ["holds (1 of 2)", "does not hold (1 of 2)"]


def test_the_picture_is_green_and_red(pixels: Callable[[Any], np.ndarray]) -> None:
    image = pixels(gravity_polar(ANGLES, STATUSES))
    for verdict in ("holds", "does not hold"):
        near = np.abs(image - 255.0 * np.array(to_rgb(style.VERDICT[verdict]))).max(axis=2) < 3.0
        assert near.sum() > 2000


@pytest.mark.parametrize(
    ("angles", "statuses", "factors", "where"),
    [
        ([], [], None, "angles"),
        ([0.0, np.nan], ["holds"] * 2, None, "angles"),
        ([0.0, 1.0], ["holds"], None, "statuses"),
        ([0.0], "h", None, "statuses"),
        ([0.0, 1.0], ["holds"] * 2, [1.0], "factors"),
        ([0.0, 1.0], ["holds"] * 2, [1.0, np.nan], "factors"),
    ],
)
def test_bad_sweeps_are_named(angles: Any, statuses: Any, factors: Any, where: str) -> None:
    with pytest.raises(InputError, match=where):
        gravity_polar(angles, statuses, factors)


def test_unknown_statuses_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'holds'"):
        gravity_polar([0.0], ["hold"])
    with pytest.raises(InputError, match="farthest"):
        gravity_polar([0.0], ["holds"], [1.0], farthest=1.0)


def test_the_use_of_interfaces_is_drawn_with_those_that_give_way() -> None:
    scene = hf.load("@sheets_in_two_grippers")
    found = hf.statics.diagnose(hf.load_limit(scene.assembly, scene.load("pull")))
    ax = interface_utilisation(found)
    assert [label.get_text() for label in ax.get_yticklabels()] == [side.name for side in found.interfaces]
    widths = {bar.get_gid(): bar.get_width() for bar in ax.patches}
    for side in found.interfaces:
        assert widths[side.name] == pytest.approx(100.0 * side.utilisation)
    labels = ax.get_legend_handles_labels()[1]
    assert "gives way" in labels
    cubes = hf.load("@stacked_cubes")
    tips = hf.statics.diagnose(hf.equilibrium(cubes.assembly, cubes.gravity_load() + cubes.load("shove")))
    assert [text.get_text() for text in interface_utilisation(tips).texts] == ["gives way", ""]
    block = hf.load("@block_on_slope")
    one_object = hf.statics.diagnose(hf.equilibrium(block.assembly, block.gravity_load()))
    with pytest.raises(InputError, match="no interfaces"):
        interface_utilisation(one_object)
