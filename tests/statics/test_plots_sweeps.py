from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.plotting import gravity_polar, style
from holdfast.statics.plots import factor_radius

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
def test_bad_input_is_named(angles: Any, statuses: Any, factors: Any, where: str) -> None:
    with pytest.raises(InputError, match=where):
        gravity_polar(angles, statuses, factors)


def test_unknown_statuses_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'holds'"):
        gravity_polar([0.0], ["hold"])
    with pytest.raises(InputError, match="farthest"):
        gravity_polar([0.0], ["holds"], [1.0], farthest=1.0)
