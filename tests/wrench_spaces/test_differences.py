from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.wrench_spaces.computation import difference
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, space_of

FORCES = Subspace.named("fx,fy,fz")
RAYS = Rays.sphere(FORCES, 2)


def test_a_box_that_grew_one_way_and_shrank_another() -> None:
    a, b = (space_of(RAYS, box_limit(half)) for half in (BOX * [1, 1, 1.5, 1, 1, 1], BOX * [1.25, 1, 1, 1, 1, 1]))
    found = difference(a, b)
    np.testing.assert_allclose(found.amounts, a.values - b.values)
    gain, loss = found.gain, found.loss
    assert gain is not None and loss is not None
    assert gain.amount == pytest.approx(found.amounts.max()) and loss.amount == pytest.approx(found.amounts.min())
    most = a.values - b.values
    np.testing.assert_array_equal(gain.direction, RAYS.directions[most.argmax()])
    assert (loss.first, loss.second) == (a.values[most.argmin()], b.values[most.argmin()])
    along_y = np.abs(RAYS.directions[:, 1]) > 0.99
    assert along_y.any() and not (found.stronger | found.weaker)[along_y].any()
    assert found.volumes[0] > found.volumes[1]
    assert not found.same_shape()
    assert "stronger on" in repr(found)


def test_the_difference_is_antisymmetric_and_of_itself_nothing() -> None:
    a, b = (space_of(RAYS, box_limit(half)) for half in (BOX, BOX[::-1]))
    forth, back = difference(a, b), difference(b, a)
    np.testing.assert_array_equal(forth.amounts, -back.amounts)
    np.testing.assert_array_equal(forth.stronger, back.weaker)
    np.testing.assert_allclose(forth.ratios * back.ratios, 1.0)
    nothing = difference(a, a)
    assert not nothing.amounts.any() and (nothing.ratios == 1.0).all()
    assert nothing.gain is None and nothing.loss is None and nothing.same_shape()


def test_the_same_shape_at_another_size_is_seen() -> None:
    a, b = (space_of(RAYS, box_limit(half)) for half in (BOX, 3.0 * BOX))
    assert difference(a, b).same_shape(tolerance=1e-6)
    c = space_of(RAYS, lambda d: box_limit(3.0 * BOX)(d) * (1.0 + 0.02 * d[:, 0]))
    assert not difference(a, c).same_shape(tolerance=0.01) and difference(a, c).same_shape(tolerance=0.05)


def test_infinite_and_empty_limits_are_compared_with_care() -> None:
    rays = Rays.axes(FORCES)
    a = space_of(rays, lambda d: np.array([np.inf, np.inf, 0.0, 0.0, -np.inf, 2.0]))
    b = space_of(rays, lambda d: np.array([np.inf, 5.0, 0.0, 1.0, -np.inf, -np.inf]))
    found = difference(a, b)
    np.testing.assert_array_equal(found.amounts, [0.0, np.inf, 0.0, -1.0, 0.0, np.inf])
    np.testing.assert_array_equal(found.ratios, [1.0, np.inf, 1.0, 0.0, np.nan, np.nan])
    np.testing.assert_array_equal(found.stronger, [False, True, False, False, False, True])
    np.testing.assert_array_equal(found.weaker, [False, False, False, True, False, False])
    assert found.gain is not None and found.gain.amount == np.inf
    assert not found.same_shape()


def test_other_rays_are_refused_with_where_they_part() -> None:
    a = space_of(RAYS, box_limit(BOX))
    with pytest.raises(InputError, match=r"has 42 rays, the first 162.*a\.rays"):
        difference(a, space_of(Rays.sphere(FORCES, 1), box_limit(BOX)))
    moved = RAYS.directions.copy()
    moved[7] = moved[7] + [0.0, 0.0, 1e-3, 0.0, 0.0, 0.0]
    with pytest.raises(InputError, match=r"1 of 162 rays differ, the first of them ray 7"):
        difference(a, space_of(Rays(moved), box_limit(BOX)))
    mixed = [Subspace.named("fx,ty,fz", length=length) for length in (0.1, 0.101)]
    with pytest.raises(InputError, match="rays differ"):
        difference(*(space_of(Rays.sphere(s, 1), box_limit(BOX)) for s in mixed))


def test_what_is_no_space_is_refused() -> None:
    with pytest.raises(InputError, match=r"b: is a NoneType \(give a holdfast.wrench_spaces.WrenchSpace\)"):
        difference(space_of(RAYS, box_limit(BOX)), None)  # pyright: ignore[reportArgumentType]
