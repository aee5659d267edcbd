from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

from holdfast import plotting
from holdfast.errors import InputError
from holdfast.grips import Grip, GripBounds, OuterGrip, coulomb_grip
from holdfast.grips.plots import INNER, OUTER, grip, section

UPPER = np.array([3.0, 4.0, 5.0, 0.3, 0.4, 0.5])
BOUNDS = GripBounds(Grip.box(-UPPER, UPPER, length=0.1), OuterGrip.box(-2 * UPPER, 1.5 * UPPER, length=0.1))


def lines(ax: Any) -> dict[str, np.ndarray]:
    """What is drawn, by its colour."""
    return {to_hex(line.get_color()).upper(): line.get_xydata() for line in ax.get_lines()}


def test_inner_is_green_within_outer_red() -> None:
    ax = section(BOUNDS, "fx,tz")
    drawn = lines(ax)
    np.testing.assert_allclose(drawn[INNER.upper()].max(axis=0), UPPER[[0, 5]])
    np.testing.assert_allclose(drawn[OUTER.upper()].max(axis=0), 1.5 * UPPER[[0, 5]])
    np.testing.assert_allclose(drawn[OUTER.upper()].min(axis=0), -2 * UPPER[[0, 5]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$f_x$ [N]", r"$\tau_z$ [N m]")


def test_six_planes_of_forces_and_torques_go_to_a_file(tmp_path: Path) -> None:
    figure = grip(BOUNDS, title="box")
    assert len(figure.axes) == 6
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["inner", "outer"]
    assert plotting.save(figure, tmp_path / "a.png").stat().st_size > 10_000


def test_one_side_alone_and_sets_without_limit_are_drawn() -> None:
    foot = section(coulomb_grip(0.5), "fx,fz", look="projection")
    assert OUTER.upper() not in lines(foot) and foot.get_ylim()[1] > 0.0
    assert INNER.upper() not in lines(section(BOUNDS.outer, "fx,fz"))
    vanishing = section(Grip.point([1, 0, 0, 0, 0, 0]), "fy,fz")  # the plane misses it
    assert vanishing.get_xlim() == (-1.0, 1.0)


def styles(ax: Any) -> dict[str, Any]:
    """Lines by what the legend calls them."""
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


def test_what_goes_on_ends_dashed_and_has_no_false_border() -> None:
    ax = section(coulomb_grip(0.5), "fx,fz", look="projection")
    drawn = styles(ax)
    assert set(drawn) == {"inner", "inner, continues"}
    solid, dashed = (drawn[name].get_xydata() for name in ("inner", "inner, continues"))
    assert drawn["inner, continues"].is_dashed() and not drawn["inner"].is_dashed()
    level = np.abs(solid[:, 0]) - 0.5 * solid[:, 1]
    np.testing.assert_allclose(level[np.isfinite(level)], 0.0, atol=1e-9)  # nothing but the two true slopes
    assert np.ptp(dashed[:, 1]) <= 1e-9 and dashed[0, 1] < ax.get_ylim()[1]
    whole = styles(section(coulomb_grip(0.5), "fx,fy", look="projection"))  # all of the plane
    assert set(whole) == {"inner, continues"}
    ray = styles(section(Grip(np.zeros((1, 6)), [[1, 0, 1, 0, 0, 0]]), "fx,fz"))
    assert set(ray) == {"inner", "inner, continues"}
    slab = OuterGrip.box([-1, -2, -np.inf, -1, -1, -1], [1, 2, 1, 1, 1, 1])
    assert set(styles(section(slab, "fx,fy"))) == {"outer"}  # it ends in this plane
    assert set(styles(section(slab, "fx,fz"))) == {"outer", "outer, continues"}


def test_the_legend_has_what_any_plane_shows_and_there_is_always_a_title() -> None:
    figure = grip(coulomb_grip(0.5))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["inner", "inner, continues"]
    assert figure.get_suptitle() == "grip, sections"
    assert grip(coulomb_grip(0.5, label="toe"), planes=("fx,fz",)).get_suptitle() == "toe"


def test_an_empty_set_is_said_to_be_empty() -> None:
    nothing = OuterGrip([[1, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0]], [-1, -1])
    for look in ("section", "projection"):
        words = [text.get_text() for text in section(nothing, "fx,fz", look=look).texts]
        assert words == ["the outer set is empty"]
    missed = section(Grip.point([1, 0, 0, 0, 0, 0]), "fy,fz")
    assert [text.get_text() for text in missed.texts] == ["nothing of the inner set here"]


def test_a_far_larger_outer_set_does_not_hide_the_inner_one() -> None:
    wide = GripBounds(Grip.box(-UPPER, UPPER), OuterGrip.box(-100 * UPPER, 100 * UPPER))
    assert section(wide, "fx,fy").get_xlim()[1] < 10 * UPPER[1]


def test_what_is_no_grip_is_refused() -> None:
    with pytest.raises(InputError, match="grip: is a str"):
        grip("hand")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="planes: is empty"):
        grip(BOUNDS, planes=())
