"""Pictures of force volumes and limit surfaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import rgb_to_hsv, to_rgb
from matplotlib.path import Path
from shapely import Polygon

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.force_limits.plots import (
    bands,
    force_volume,
    limit_surface,
    piece_sheet,
    plane_of,
    polygon_section,
    section,
    surface_outline,
    triangle_polygon,
    union_outline,
)
from holdfast.force_limits.volume import DecompositionReport
from holdfast.geometry.polytopes import Polytope
from holdfast.plotting import style
from holdfast.plotting.artists import Arrow
from holdfast.plotting.solids import Solids

# -- plots planes ----------------------------------------------------------------------------------

PLANES = ["xz", "yz", "xy", ((1.0, 1.0, 0.0), (0.0, 0.0, 1.0)), ((1.0, 0.3, -0.2), (0.1, 0.5, 2.0))]


def radii(outline: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Farthest crossing of each ray with a closed line (m, 2): brute force over all its sides."""
    a, b = outline, np.roll(outline, -1, axis=0)
    result = np.zeros(len(angles))
    for row, angle in enumerate(angles):
        d = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-d[1], d[0]])
        ha, hb = a @ across, b @ across
        split = ha * hb < 0.0
        share = ha[split] / (ha[split] - hb[split])
        along = a[split] @ d + share * ((b[split] - a[split]) @ d)
        result[row] = along.max(initial=0.0)
    return result


@pytest.mark.parametrize("plane", PLANES)
def test_corners_of_a_section_lie_in_the_plane_and_on_the_border(dented: hf.ForceVolume, plane: object) -> None:
    flat = plane_of(plane)
    for piece in dented.polytopes:
        corners = polygon_section(piece, flat, 100.0)
        assert len(corners) >= 3
        outside = corners[np.linalg.norm(corners, axis=1) > 1e-9]
        np.testing.assert_allclose(piece.radial(outside @ flat.axes.T), 1.0, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_section_holds_exactly_the_points_of_the_plane_that_the_set_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body = Polytope(rng.normal(size=(12, 3)) + 0.3)
    flat = plane_of((rng.normal(size=3), rng.normal(size=3)))
    corners = polygon_section(body, flat, 50.0)
    points = rng.uniform(-2.0, 2.0, size=(2000, 2))
    inside = Path(np.vstack([corners, corners[:1]])).contains_points(points) if len(corners) else np.zeros(2000, bool)
    truth = body.signed_distance(points @ flat.axes.T)
    assert (inside == (truth < 0.0))[np.abs(truth) > 1e-6].all()


def test_a_plane_that_misses_the_set_gives_nothing_and_a_face_in_the_plane_gives_the_face() -> None:
    cube = np.array([[x, y, z] for x in (0.0, 1) for y in (0.0, 1) for z in (0.0, 1)])
    assert not len(polygon_section(Polytope(cube + np.array([0, 0, 1.0])), plane_of("xy"), 10.0))
    corners = polygon_section(Polytope(cube), plane_of("xy"), 10.0)
    assert {tuple(c) for c in corners.round(9).tolist()} == {(0, 0), (1, 0), (1, 1), (0, 1)}
    square = Polytope([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    assert len(polygon_section(square, plane_of("xy"), 10.0)) == 4


def test_a_cone_is_cut_off_by_the_square(cone: hf.ForceVolume) -> None:
    corners = polygon_section(cone.polytopes[0], plane_of("xz"), 4.0)
    assert corners.max() == pytest.approx(4.0)
    assert {tuple(c) for c in corners.round(9).tolist()} == {(0, 0), (2, 4), (-2, 4)}


@pytest.mark.parametrize("plane", PLANES)
def test_the_outline_of_a_union_is_its_radial_function(dented: hf.ForceVolume, plane: object) -> None:
    flat = plane_of(plane)
    polygons = [polygon_section(p, flat, 100.0) for p in dented.polytopes]
    outline = union_outline(polygons, dented.polytopes, flat, 100.0)
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, 500)
    np.testing.assert_allclose(radii(outline, angles), dented.radial(flat.point(angles)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("plane", PLANES)
def test_the_outline_of_a_surface_is_its_radial_function(measured: hf.LimitSurface, plane: object) -> None:
    flat = plane_of(plane)
    outline = surface_outline(measured, flat, 100.0)
    angles = np.random.default_rng(2).uniform(-np.pi, np.pi, 500)
    np.testing.assert_allclose(radii(outline, angles), measured.radial(flat.point(angles)), rtol=1e-7, atol=1e-9)


def test_a_surface_without_limit_goes_on_past_the_picture() -> None:
    flat = plane_of("xz")
    shear = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(12) * np.pi / 6])
    pull = np.array([[0.0, 0.0, -1.0]])
    surface = hf.LimitSurface.from_limits(np.vstack([shear, pull]), np.full(13, 2.0), compression="unlimited")
    outline = surface_outline(surface, flat, 10.0)
    assert outline[:, 1].max() > 10.0
    angles = np.radians(np.arange(-88.1, 60.0, 4.0))
    np.testing.assert_allclose(radii(outline, angles), surface.radial(flat.point(angles)), rtol=1e-9)


def test_planes_are_named_by_their_axes_with_units() -> None:
    assert plane_of("xz").names == ("shear $f_x$ [N]", "normal $f_z$ [N]")
    assert plane_of(((0, -2, 0), (0, 1, 3))).names == ("minus lateral $f_y$ [N]", "normal $f_z$ [N]")
    assert plane_of(((1, 1, 0), (0, 0, 1))).names[0] == "force along (0.71, 0.71, 0) [N]"


def test_planes_that_are_none_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="xz"):
        plane_of("zx")
    with pytest.raises(InputError, match="parallel"):
        plane_of(((1, 0, 0), (-2, 0, 0)))
    with pytest.raises(InputError, match="plane"):
        plane_of(((1, 0, 0),))
    with pytest.raises(InputError, match=r"plane\[0\]"):
        plane_of(((0, 0, 0), (1, 0, 0)))


# -- plots volumes ---------------------------------------------------------------------------------

Pixels = Callable[[Any], np.ndarray]


def arrows(ax: Any, colour: str) -> list[Arrow]:
    return [a for a in ax.get_children() if isinstance(a, Arrow) and to_rgb(a.get_edgecolor()) == to_rgb(colour)]


@pytest.mark.parametrize(("one_colour", "shown"), [(False, (0, 1)), (True, (0,))])
def test_the_picture_shows_every_piece_in_its_colour(
    one_colour: bool, shown: tuple[int, ...], dented: hf.ForceVolume, pixels: Pixels
) -> None:
    image = pixels(force_volume(dented, opacity=1.0, one_colour=one_colour))
    assert image.std() > 5.0
    hues = rgb_to_hsv(image / 255.0)
    for index in range(2):
        hue = rgb_to_hsv(np.array(to_rgb(style.colour(index))))[0]
        count = ((np.abs(hues[..., 0] - hue) < 0.02) & (hues[..., 1] > 0.4)).sum()
        assert count > 1000 if index in shown else count < 20


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


# -- plots surfaces --------------------------------------------------------------------------------


def marks(ax: Any) -> dict[str, np.ndarray]:
    """(n, 3) points of every named cloud."""
    return {c.get_label(): np.column_stack(c._offsets3d) for c in ax.collections if not c.get_label().startswith("_")}


def test_the_picture_is_no_blank_and_its_corners_are_the_limits(
    measured: hf.LimitSurface, drawn: list[Solids], pixels: Callable[[Any], np.ndarray]
) -> None:
    assert pixels(limit_surface(measured)).std() > 5.0
    faces = drawn[0].polygons
    corners = {tuple(c) for c in np.concatenate(faces).round(9).tolist()}
    whole = np.isfinite(measured.gauges[measured.triangles]).all(axis=1)  # others have a corner with limit zero
    assert 0 < whole.sum() < len(whole)
    assert len(faces) == whole.sum()
    assert corners == {tuple(c) for c in measured.vertices[measured.triangles[whole]].reshape(-1, 3).round(9).tolist()}


def test_measured_limits_are_dots_and_outliers_crosses(measured: hf.LimitSurface) -> None:
    found = marks(limit_surface(measured))
    np.testing.assert_allclose(found["measured"], measured.vertices[measured.measured])
    assert len(measured.outliers) >= 1
    wanted = np.array([np.array(o.direction) * o.limit for o in measured.outliers])
    np.testing.assert_allclose(found["outlier"], wanted)


def test_what_was_never_measured_is_marked_and_grey(drawn: list[Solids]) -> None:
    directions = hf.loads.sphere_directions(60)
    directions = directions[directions[:, 2] < 0.5]
    surface = hf.LimitSurface.from_limits(directions, np.full(len(directions), 4.0), fill="least")
    found = marks(limit_surface(surface))
    np.testing.assert_allclose(found["assumed, never measured"], surface.vertices[~surface.measured])
    hues = [np.ptp(face.inside[:3]) < 0.01 for face in drawn[0].faces]  # greys have none
    known = surface.measured[surface.triangles].all(axis=1)
    assert sum(hues) == (~known).sum() > 0 and len(hues) - sum(hues) == known.sum() > 0
    assert marks(limit_surface(surface, samples=False)) == {}


def test_a_model_has_no_measurements_to_show() -> None:
    surface = hf.LimitSurface.from_function(lambda d: np.full(len(d), 3.0))
    ax = limit_surface(surface)
    assert marks(ax) == {} and ax.get_legend() is None


def test_without_limit_the_surface_runs_up_to_reach(drawn: list[Solids]) -> None:
    shear = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(12) * np.pi / 6])
    surface = hf.LimitSurface.from_limits(
        np.vstack([shear, [[0.0, 0.0, -1.0]]]), np.full(13, 2.0), compression="unlimited"
    )
    limit_surface(surface, reach=7.0)
    corners = drawn[0].corners
    assert corners[:, 2].max() == pytest.approx(7.0)
    walls = corners[corners[:, 2] > 0.1]
    np.testing.assert_allclose(np.hypot(walls[:, 0], walls[:, 1]), 2.0)  # a prism over the rim


def test_triangles_with_corners_at_infinity_are_strips() -> None:
    surface = hf.LimitSurface([[1, 0, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 1], [0, 0, -1]], [1.0, 2.0, 2.0, np.inf, 3.0])
    top = [t for t in surface.triangles if 3 in t]
    for triangle in top:
        strip = triangle_polygon(surface, triangle, 5.0)
        assert strip.shape == (4, 3)
        np.testing.assert_allclose(strip[2] - strip[1], [0, 0, 10.0])
        np.testing.assert_allclose(strip[3] - strip[0], [0, 0, 10.0])


def test_bad_input_is_named(measured: hf.LimitSurface) -> None:
    with pytest.raises(InputError, match="surface: is a str"):
        limit_surface("surface")
    with pytest.raises(InputError, match="reach"):
        limit_surface(measured, reach=-1.0)


# -- plots sections --------------------------------------------------------------------------------

Artists = Callable[[Any, str], list[Any]]


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
        ([hf.geometry.Polytope(np.eye(2))], {}, r"things\[0\]: is in R\^2"),
        (None, {"labels": ["a", "b"]}, "labels"),
        (None, {"labels": "ab"}, "labels"),
        (None, {"near": 100.0}, "near"),
        (None, {"reach": -1.0}, "reach"),
        (None, {"window": ((1, 0), (0, 1))}, "window"),
        (None, {"window": (1, 0)}, "window"),
    ],
)
def test_bad_sections_are_named(dented: hf.ForceVolume, things: Any, options: dict, where: str) -> None:
    with pytest.raises(InputError, match=where):
        section(dented if things is None else things, **options)


def test_bands_need_a_surface_and_a_plane(dented: hf.ForceVolume, measured: hf.LimitSurface) -> None:
    with pytest.raises(InputError, match="surface: is a ForceVolume"):
        bands(dented)
    with pytest.raises(UnknownNameError, match="plane"):
        bands(measured, "zz")


# -- pieces one at a time --------------------------------------------------------------------------


def test_a_sheet_shows_the_whole_and_each_piece_alone_in_its_section(dented: hf.ForceVolume) -> None:
    figure = piece_sheet(dented, "xz", title="two pieces")
    space, *panels = figure.axes
    assert space.name == "3d"
    assert len(panels) == len(dented)
    assert figure.get_suptitle() == "two pieces"
    for index, (ax, part) in enumerate(zip(panels, dented.polytopes, strict=True)):
        (own,) = (patch for patch in ax.patches if patch.get_gid() == f"piece {index}")
        wanted = polygon_section(part, plane_of("xz"), 100.0)
        assert Polygon(own.get_xy()).symmetric_difference(Polygon(wanted)).area < 1e-9 * Polygon(wanted).area
        assert to_rgb(own.get_facecolor()[:3]) == pytest.approx(to_rgb(style.colour(index)))
        others = [patch for patch in ax.patches if patch is not own]
        assert len(others) == len(dented)  # the whole behind it
