from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import Body, Contact, friction_cone, problems
from holdfast.planar.plots import ORDER
from holdfast.planar.plots import friction_cone as draw


def test_sheets_are_the_edges_of_fig_6_and_the_rim_joins_the_outer_ones(artists):
    problem = problems.three_points(0.25)
    cone = problem.friction_cone()
    ax = draw(cone)
    sheets = artists(ax, "sheet")
    assert len(sheets) == 3
    for sheet, edges in zip(sheets, cone.edges, strict=True):
        corners = np.asarray(sheet._faces[0])[:3]
        np.testing.assert_allclose(corners, np.vstack([np.zeros(3), edges])[:, ORDER], atol=1e-12)
    (rim,) = artists(ax, "rim")
    ends = np.array([segment[0] for segment in rim._segments3d])
    outer = cone.edges[:2].reshape(-1, 3)[:, ORDER]
    assert len(ends) == 4
    for corner in outer:
        assert np.abs(ends - corner).max(axis=1).min() < 1e-12
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "contact 1",
        "contact 2",
        "contact 3",
        "composite cone",
    ]


def test_axes_are_right_handed_and_named_with_units():
    ax = draw(problems.three_points().friction_cone(), names=("a", "b", "c"))
    assert np.linalg.det(np.eye(3)[list(ORDER)]) == pytest.approx(1.0)
    assert [ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()] == [r"torque / $\rho$ [N]", "$F_x$ [N]", "$F_y$ [N]"]


@pytest.mark.parametrize(
    ("contacts", "title", "rims"),
    [
        ([], "", 0),
        ([Contact((0, 1), (0, 1), 0.3)], "", 0),
        ([Contact((0, 1), (0, 1), 0.3), Contact((0, -1), (0, -1), 0.3)], "every force", 0),
        ([Contact((0, 1), (0, 1), 0.0), Contact((0, -1), (0, -1), 0.0)], "holds lines", 0),
        ([Contact((1, 1), (0, 1), 0.3), Contact((-1, 1), (0.5, 1), 0.6)], "", 1),
    ],
)
def test_flat_cones_cones_with_lines_and_slanted_ones_are_drawn_as_what_they_are(
    contacts, title, rims, artists, pixels
):
    ax = draw(friction_cone(Body(1.0, 0.7), contacts))
    assert ax.get_title() == title
    assert len(artists(ax, "sheet")) == len(contacts)
    assert len(artists(ax, "rim")) == rims
    assert pixels(ax).std() > 0.0


def test_only_cones_are_drawn():
    with pytest.raises(InputError, match="cone"):
        draw(problems.three_points())  # type: ignore[arg-type]
