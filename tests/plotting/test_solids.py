from __future__ import annotations

import numpy as np

from holdfast.plotting import style
from holdfast.plotting.solids import Solids, darker


def test_everything_is_one_collection_with_the_order_of_depth_kept() -> None:
    triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    hexagon = np.array([[np.cos(a), np.sin(a), 5.0] for a in np.arange(6) * np.pi / 3])
    solids = Solids()
    solids.add_faces([triangle, hexagon], [np.array([0.0, 0, 1])] * 2, "#0072B2", 0.5)
    solids.add_lines([(triangle[0], triangle[1])], "black", 0.7)
    ax = style.axes(None, "space")
    solids.draw(ax, gid="all")
    (collection,) = [c for c in ax.collections if c.get_gid() == "all"]
    corners = np.asarray(collection._faces)
    assert corners.shape == (3, 6, 3)  # padded alike, without gaps
    np.testing.assert_allclose(corners.mean(axis=1), [triangle.mean(axis=0), hexagon.mean(axis=0), [0.5, 0, 0]])
    assert solids.faces[2][3] == 0.0 and solids.borders[2][3] == 0.7
    assert solids.borders[0][3] == 0.0
    assert len(solids.corners) == 3 + 6 + 2


def test_nothing_is_drawn_of_nothing() -> None:
    ax = style.axes(None, "space")
    solids = Solids()
    solids.add_faces([], [], "#0072B2", 0.5)
    solids.draw(ax)
    assert not ax.collections and solids.corners.shape == (0, 3)


def test_darker_keeps_the_hue() -> None:
    assert darker("#804020", 0.5) == "#402010"
