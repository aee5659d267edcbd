from __future__ import annotations

import numpy as np

from holdfast.plotting import style
from holdfast.plotting.solids import Solids

UP = np.array([0.0, 0.0, 1.0])
TRIANGLE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


def test_a_face_keeps_its_parts_and_lines_together() -> None:
    solids = Solids()
    solids.add_face([TRIANGLE, TRIANGLE + 1.0], UP, "#0072B2", 0.5, [(TRIANGLE[0], TRIANGLE[1])])
    solids.add_lines([(UP, 2 * UP), (UP, 3 * UP)], "#000000", 0.7)
    assert [(len(f.parts), len(f.lines)) for f in solids.faces] == [(2, 1), (0, 1), (0, 1)]
    assert solids.faces[0].inside[3] == 0.5 and solids.faces[1].border == (0.0, 0.0, 0.0, 0.7)
    assert len(solids.polygons) == 2 and len(solids.lines) == 3
    np.testing.assert_array_equal(solids.faces[1].corners, [UP, 2 * UP])
    assert solids.corners.shape == (3 + 3 + 2 + 2, 3)


def test_everything_goes_on_the_axes_as_one_collection() -> None:
    ax = style.axes(None, "space")
    solids = Solids()
    solids.add_face([TRIANGLE], UP, "#0072B2", 0.5)
    solids.add_lines([(UP, 2 * UP)], "#000000")
    limits = ax.get_xlim()
    solids.draw(ax, gid="all")
    assert [c.get_gid() for c in ax.collections] == ["all"]
    assert ax.get_xlim() == limits


def test_nothing_is_drawn_of_nothing() -> None:
    ax = style.axes(None, "space")
    solids = Solids()
    solids.add_face([], UP, "#0072B2", 0.5)
    solids.draw(ax)
    assert not ax.collections and solids.corners.shape == (0, 3)
