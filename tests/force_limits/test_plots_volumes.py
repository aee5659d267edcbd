from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import rgb_to_hsv, to_rgb

import holdfast as hf
from holdfast.errors import InputError
from holdfast.plotting import force_volume, style
from holdfast.plotting.arrows import Arrow
from holdfast.plotting.solids import Solids

Pixels = Callable[[Any], np.ndarray]


def arrows(ax: Any, colour: str) -> list[Arrow]:
    return [a for a in ax.get_children() if isinstance(a, Arrow) and to_rgb(a.get_edgecolor()) == to_rgb(colour)]


def test_the_picture_shows_every_piece_in_its_colour(dented: hf.ForceVolume, pixels: Pixels) -> None:
    image = pixels(force_volume(dented, opacity=1.0))
    assert image.std() > 5.0
    hues = rgb_to_hsv(image / 255.0)
    for index in range(2):
        hue = rgb_to_hsv(np.array(to_rgb(style.colour(index))))[0]
        assert ((np.abs(hues[..., 0] - hue) < 0.02) & (hues[..., 1] > 0.4)).sum() > 1000


def test_only_the_border_of_the_union_is_drawn(
    two_boxes: hf.ForceVolume, drawn: list[Solids], area: Callable[[np.ndarray], float]
) -> None:
    force_volume(two_boxes)
    polygons = drawn[0].polygons
    # Parts of a facet overlap a little, so that no seam shows.
    assert sum(area(p) for p in polygons) == pytest.approx(2 * (6 + 6 + 4), rel=0.01)
    corners = np.concatenate(polygons)
    assert np.abs(np.abs(corners - [0.5, 0, 0]) / [1.5, 1, 1]).max(axis=1) == pytest.approx(1.0, rel=0.01)


def test_axes_are_named_with_units_and_have_equal_scales(dented: hf.ForceVolume) -> None:
    ax = force_volume(dented, title="dented", view=(10, 20))
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == style.AXIS_NAMES
    assert all("[N]" in name for name in style.AXIS_NAMES)
    spans = np.array([np.ptp(getattr(ax, f"get_{k}lim")()) for k in "xyz"])
    np.testing.assert_allclose(np.array(ax._box_aspect) / spans, ax._box_aspect[0] / spans[0])
    assert ax.get_title() == "dented" and (ax.elev, ax.azim) == (10, 20)


def test_the_frame_leaves_the_volume_along_its_axes_red_green_blue(dented: hf.ForceVolume) -> None:
    ax = force_volume(dented)
    for k, colour in enumerate(style.FRAME):
        (arrow,) = arrows(ax, colour)
        axis = np.eye(3)[k]
        np.testing.assert_allclose(arrow.start, dented.radial(axis) * axis)
        np.testing.assert_allclose(np.cross(arrow.end, axis), 0.0, atol=1e-12)
        assert arrow.end @ axis > arrow.start @ axis


def test_what_has_no_limit_is_open_where_it_is_cut_and_goes_on_with_arrows(
    cone: hf.ForceVolume, drawn: list[Solids]
) -> None:
    ax = force_volume(cone, reach=3.0)
    polygons = drawn[0].polygons
    assert len(polygons) == 4  # the sides, not the cut
    assert max(p[:, 2].max() for p in polygons) == pytest.approx(3.0)
    growth = arrows(ax, style.INK)
    assert len(growth) == 4
    for arrow in growth:
        along = (arrow.end - arrow.start) / np.linalg.norm(arrow.end - arrow.start)
        rays = cone.rays[0] / np.linalg.norm(cone.rays[0], axis=1, keepdims=True)
        assert (rays @ along).max() == pytest.approx(1.0)
        assert arrow.start[2] == pytest.approx(3.0)


def test_reach_cuts_large_pressing_forces_and_draws_no_arrows_there(
    dented: hf.ForceVolume, drawn: list[Solids]
) -> None:
    ax = force_volume(dented, reach=2.0)
    assert drawn[0].corners[:, 2].max() == pytest.approx(2.0, rel=0.01)
    assert arrows(ax, style.INK) == []


def test_levels_draw_the_hulls_of_the_hierarchy(dented: hf.ForceVolume, drawn: list[Solids]) -> None:
    force_volume(dented, level=0)
    force_volume(dented, level=1)
    force_volume(dented)
    hull = np.concatenate(drawn[0].polygons)
    assert np.abs(dented.hull().signed_distance(hull)).max() < 1e-9
    assert len(drawn[1].polygons) == len(drawn[2].polygons)
    assert len(drawn[1].lines) == len(drawn[2].lines)


def test_flat_pieces_and_segments_can_be_drawn(drawn: list[Solids]) -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    stick = np.array([[0, 0, 0], [0, 0, 2.0]])
    force_volume(hf.ForceVolume([square, stick], allow_flat=True))
    assert len(drawn[0].polygons) == 1
    assert any(abs(end[2] - start[2]) == 2.0 for start, end in drawn[0].lines)


def test_labels_make_a_legend(dented: hf.ForceVolume) -> None:
    ax = force_volume(dented, labels=["right", "left"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["right", "left"]
    assert force_volume(dented).get_legend() is None


def test_pictures_are_drawn_where_they_are_wanted(dented: hf.ForceVolume) -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot(projection="3d")
    assert force_volume(dented, ax) is ax


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({"opacity": 2.0}, "opacity"),
        ({"level": -1}, "level"),
        ({"reach": 0.0}, "reach"),
        ({"labels": ["one"]}, "labels"),
        ({"view": (1, 2, 3)}, "view"),
    ],
)
def test_bad_options_are_named(dented: hf.ForceVolume, bad: dict, where: str) -> None:
    with pytest.raises(InputError, match=where):
        force_volume(dented, **bad)


def test_only_volumes_are_drawn(dented: hf.ForceVolume) -> None:
    with pytest.raises(InputError, match="volume: is a list"):
        force_volume([np.eye(3)])
