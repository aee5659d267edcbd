from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.plotting import style
from holdfast.plotting.arrows import Arrow, add_arrow


def axes():
    ax = style.axes(None, "space")
    style.dress_space(ax, -np.ones(3), np.ones(3), view=(0, 0))  # seen from +x: y to the right, z up
    return ax


def test_an_arrow_goes_where_it_was_sent_in_space_and_on_paper() -> None:
    ax = axes()
    arrow = add_arrow(ax, [0, 0, 0], [0, 0.5, 0.5], "black", width=1.0, head=6.0)
    ax.get_figure().draw_without_rendering()
    np.testing.assert_array_equal(arrow.start, [0, 0, 0])
    np.testing.assert_array_equal(arrow.end, [0, 0.5, 0.5])
    (x0, y0), (x1, y1) = arrow._posA_posB
    assert x1 > x0 and y1 > y0
    assert y1 - y0 == pytest.approx(x1 - x0)


def test_outward_arrows_are_over_bodies_when_they_come_near_and_under_them_when_they_leave() -> None:
    ax = axes()
    near = add_arrow(ax, [0, 0, 0], [1, 0, 0], "black", width=1.0, head=6.0, outward=True)
    away = add_arrow(ax, [0, 0, 0], [-1, 0, 0], "black", width=1.0, head=6.0, outward=True)
    plain = add_arrow(ax, [0, 0, 0], [1, 0, 0], "black", width=1.0, head=6.0)
    ax.get_figure().draw_without_rendering()
    assert near.get_zorder() > style.BODIES > away.get_zorder()
    assert plain.get_zorder() > style.BODIES
    ax.view_init(elev=0, azim=180)  # from the other side
    ax.get_figure().draw_without_rendering()
    assert away.get_zorder() > style.BODIES > near.get_zorder()


def test_a_bad_end_is_refused() -> None:
    with pytest.raises(InputError, match="end"):
        Arrow([0, 0, 0], [0, np.nan, 0])
