from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.geometry.frames import frame_from_normal
from holdfast.wrench_spaces.computation import extents_of, surface_extents, wrench_extents, wrench_space
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, hooks, space_of


def corners(half: tuple[float, float, float]) -> np.ndarray:
    return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half


def test_two_grips_of_box_shaped_strength_have_extents_in_closed_form() -> None:
    volume = hf.ForceVolume([corners((3.0, 2.0, 1.0))])
    contacts = [hf.Contact([s * 0.2, 0, 0], frame_from_normal([0, 0, 1], [1, 0, 0]), volume) for s in (-1, 1)]
    found = wrench_extents(hf.Assembly(contacts))
    # Forces add up; about x nothing is held, about y and z both grips have 0.2 m of lever.
    half = [6.0, 4.0, 2.0, 0.0, 0.2 * 2 * 1.0, 0.2 * 2 * 2.0]
    np.testing.assert_allclose(found.values, np.outer(half, [-1.0, 1.0]), atol=1e-9)
    np.testing.assert_allclose(found.bounds, found.values, rtol=1e-6, atol=1e-9)
    assert found.verify()
    assert [row.label for row in found.rows()] == ["fx", "fy", "fz", "tx", "ty", "tz"]
    assert found.rows()[4].unit == "N m" and found.rows()[4].highest == pytest.approx(0.4)
    assert "fx -6 to 6 N" in repr(found)


def test_extents_are_load_limits_with_their_proofs() -> None:
    assembly = hooks()
    subspace = Subspace.named("fx,ty,fz", length=assembly.length)
    space = wrench_space(assembly, Rays.axes(subspace), workers=1)
    found = extents_of(space)
    for axis, backward, forward in zip(subspace.axes, found.backward, found.forward, strict=True):
        assert forward.verify() and backward.verify()
        assert forward.value == pytest.approx(
            hf.load_limit(assembly, axis, method=hf.solvers.Reference()).value, rel=1e-5
        )
    np.testing.assert_allclose(surface_extents(space), found.values, rtol=1e-6)
    hulls = wrench_extents(assembly, subspace, volumes="hull")
    assert (hulls.values[:, 1] >= found.values[:, 1] - 1e-6).all()
    assert hulls.values[0, 1] > found.values[0, 1] + 1e-3  # the hooks are no convex sets
    assert found.values[2, 1] == np.inf  # they press without limit


def test_a_loaded_space_has_its_surface_only(tmp_path: Path) -> None:
    space = space_of(Rays.sphere(Subspace.named("fx,ty,fz", length=0.1), 2), box_limit(BOX))
    with pytest.raises(InputError, match="no assembly to ask.*surface_extents"):
        extents_of(space)
    np.testing.assert_allclose(surface_extents(space), np.outer(BOX[[0, 4, 2]], [-1.0, 1.0]))


def test_what_cannot_be_asked_is_told() -> None:
    with pytest.raises(InputError, match=r"give a holdfast\.Assembly"):
        wrench_extents("hand")  # type: ignore[arg-type]
    with pytest.raises(InputError, match='"union" or "hull"'):
        wrench_extents(hooks(), volumes="both")  # type: ignore[arg-type]
