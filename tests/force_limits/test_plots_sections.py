from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.force_limits.plots import plane_of
from holdfast.force_limits.volume import DecompositionReport
from holdfast.plotting import bands, section, style

Artists = Callable[[Any, str], list[Any]]
Pixels = Callable[[Any], np.ndarray]


def names(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("plane", ["xz", "yz", "xy", ((1, 1, 0), (0, 0, 1))])
def test_every_piece_is_its_exact_polygon_in_its_colour(dented: hf.ForceVolume, plane: Any, artists: Artists) -> None:
    ax = section(dented, plane)
    flat = plane_of(plane)
    for index, piece in enumerate(dented.polytopes):
        (line,) = artists(ax, f"piece {index}")
        corners = line.get_xydata()
        outside = corners[np.linalg.norm(corners, axis=1) > 1e-9]
        np.testing.assert_allclose(piece.radial(outside @ flat.axes.T), 1.0, rtol=1e-6)
        assert to_rgb(line.get_color()) == to_rgb(style.colour(index))
    assert (ax.get_xlabel(), ax.get_ylabel()) == flat.names
    assert ax.get_aspect() == 1.0


def test_the_dent_is_seen_and_the_hull_fills_it(dented: hf.ForceVolume, artists: Artists, pixels: Pixels) -> None:
    ax = section([dented, dented.hull()], labels=["unit", "hull"], window=((-5, 5), (-2, 1)))
    (unit,), (hull,) = artists(ax, "unit"), artists(ax, "hull")
    below = [line.get_xydata()[:, 1][np.abs(line.get_xydata()[:, 0]) < 1e-4].min(initial=0.0) for line in (unit, hull)]
    assert below[0] == pytest.approx(0.0, abs=1e-4)  # straight off, the unit holds nothing
    assert hull.get_xydata()[:, 1].min() == pytest.approx(-1.0)
    assert names(ax) == ["unit", "hull"]
    assert ax.get_xlim() == (-5, 5) and ax.get_ylim() == (-2, 1)
    assert pixels(ax).std() > 5.0


def test_a_surface_is_a_line_with_its_measurements(measured: hf.LimitSurface, artists: Artists) -> None:
    ax = section(measured, near=8.0)
    (line,) = artists(ax, "limit surface")
    assert to_rgb(line.get_color()) == to_rgb(style.INK)
    (dots,) = [x for x in ax.lines if x.get_label().startswith("measured within 8")]
    close = measured.measured & (np.abs(measured.directions[:, 1]) <= np.sin(np.radians(8.0)))
    assert len(dots.get_xydata()) == close.sum() > 0
    lengths = np.linalg.norm(dots.get_xydata(), axis=1)
    np.testing.assert_allclose(lengths, measured.radii[close])
    quiet = section(measured, samples=False)
    assert names(quiet) == ["limit surface"]


def test_everything_with_a_limit_is_inside_the_picture(dented: hf.ForceVolume, measured: hf.LimitSurface) -> None:
    ax = section([measured, dented])
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for line in ax.lines:
        if line.get_gid():
            data = line.get_xydata()
            assert left <= data[:, 0].min() and data[:, 0].max() <= right
            assert bottom <= data[:, 1].min() and data[:, 1].max() <= top


def test_cones_run_out_of_the_picture(cone: hf.ForceVolume) -> None:
    ax = section(cone)
    line = next(x for x in ax.lines if x.get_gid() == "piece 0")
    assert line.get_xydata()[:, 1].max() > ax.get_ylim()[1]
    assert ax.get_ylim()[1] > 0.0


def test_bands_lie_in_each_other_and_bars_span_the_trials(measured: hf.LimitSurface, artists: Artists) -> None:
    ax = bands(measured, "xz", near=8.0)
    (inner,), (outer,) = artists(ax, "inner"), artists(ax, "outer")
    inside = inner.get_xy()
    directions = inside @ plane_of("xz").axes.T
    some = np.linalg.norm(inside, axis=1) > 1e-9
    assert (measured.outer.gauge(directions[some]) <= 1.0 + 1e-9).all()
    np.testing.assert_allclose(measured.inner.gauge(0.999999 * directions[some]) <= 1.0, True)
    assert np.abs(outer.get_xy()).max() > np.abs(inside).max()
    (ranges,) = artists(ax, "ranges")
    close = measured.measured & (np.abs(measured.directions[:, 1]) <= np.sin(np.radians(8.0)))
    lengths = np.array([np.linalg.norm(bar, axis=1) for bar in ranges.get_segments()])
    np.testing.assert_allclose(lengths, np.stack([measured.lower[close], measured.upper[close]], axis=1))
    assert names(ax)[:2] == ["some trials held", "every trial held"]


def test_volumes_say_which_side_they_are_on(dented: hf.ForceVolume) -> None:
    report = DecompositionReport("inner", 2, 0, 0, 0, 0, 0, 0)
    told = hf.ForceVolume.from_polytopes(dented.polytopes, report)
    assert "inner volume" in names(section([told]))


@pytest.mark.parametrize(
    ("things", "options", "where"),
    [
        ([], {}, "things"),
        (["volume"], {}, r"things\[0\]"),
        ([hf.Polytope(np.eye(2))], {}, r"things\[0\]: is in R\^2"),
        (None, {"labels": ["a", "b"]}, "labels"),
        (None, {"labels": "ab"}, "labels"),
        (None, {"near": 100.0}, "near"),
        (None, {"reach": -1.0}, "reach"),
        (None, {"window": ((1, 0), (0, 1))}, "window"),
        (None, {"window": (1, 0)}, "window"),
    ],
)
def test_bad_input_is_named(dented: hf.ForceVolume, things: Any, options: dict, where: str) -> None:
    with pytest.raises(InputError, match=where):
        section(dented if things is None else things, **options)


def test_bands_need_a_surface_and_a_plane(dented: hf.ForceVolume, measured: hf.LimitSurface) -> None:
    with pytest.raises(InputError, match="surface: is a ForceVolume"):
        bands(dented)
    with pytest.raises(UnknownNameError, match="plane"):
        bands(measured, "zz")
