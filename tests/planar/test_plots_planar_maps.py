from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import region_map
from holdfast.planar.plots import region_map as draw
from holdfast.plotting import style


def test_cells_stand_round_their_grid_values_and_have_the_colour_of_their_label(artists):
    found = region_map(lambda x, y: "near" if x * x + y * y < 1.0 else ("F", "R"), [0.0, 0.5, 2.0], [0.0, 1.0])
    ax = draw(found, xlabel="load [N]", ylabel="friction")
    (mesh,) = artists(ax, "regions")
    corners = mesh.get_coordinates()
    np.testing.assert_allclose(corners[0, :, 0], [-0.25, 0.25, 1.25, 2.75])
    np.testing.assert_allclose(corners[:, 0, 1], [-0.5, 0.5, 1.5])
    np.testing.assert_array_equal(mesh.get_array(), found.regions)
    legend = ax.get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["F or R", "near"]
    colours = mesh.to_rgba(mesh.get_array().ravel())
    for cell, label in zip(colours, found.regions.ravel(), strict=True):
        np.testing.assert_allclose(cell, legend.get_patches()[label].get_facecolor(), atol=0.01)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("load [N]", "friction")


def test_more_labels_than_the_palette_have_still_different_colours(artists):
    count = 2 * len(style.PALETTE)
    found = region_map(lambda x, _: f"{x:g}", np.arange(float(count)), [0.0])
    patches = draw(found).get_legend().get_patches()
    assert len({patch.get_facecolor() for patch in patches}) == count


def test_only_region_maps_are_drawn():
    with pytest.raises(InputError, match="regions"):
        draw(np.zeros((2, 2)))  # type: ignore[arg-type]
