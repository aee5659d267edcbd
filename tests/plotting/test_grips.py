from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

from holdfast import plotting
from holdfast.errors import InputError
from holdfast.grips import Grip, GripBounds, OuterGrip, coulomb_grip
from holdfast.plotting.grips import INNER, OUTER, grip, section

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
    foot = section(coulomb_grip(0.5), "fx,fz", look="shadow")
    assert OUTER.upper() not in lines(foot) and foot.get_ylim()[1] > 0.0
    assert INNER.upper() not in lines(section(BOUNDS.outer, "fx,fz"))
    vanishing = section(Grip.point([1, 0, 0, 0, 0, 0]), "fy,fz")  # the plane misses it
    assert vanishing.get_xlim() == (-1.0, 1.0)


def test_a_far_larger_outer_set_does_not_hide_the_inner_one() -> None:
    wide = GripBounds(Grip.box(-UPPER, UPPER), OuterGrip.box(-100 * UPPER, 100 * UPPER))
    assert section(wide, "fx,fy").get_xlim()[1] < 10 * UPPER[1]


def test_what_is_no_grip_is_refused() -> None:
    with pytest.raises(InputError, match="grip: is a str"):
        grip("hand")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="planes: is empty"):
        grip(BOUNDS, planes=())
