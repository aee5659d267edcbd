from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from studies.hauser.figures import (
    SLICES,
    SpaceFigure,
    VolumeFigure,
    concavity,
    figure_data,
    single_unit,
)

pytestmark = pytest.mark.nightly


def made(number: int) -> SpaceFigure:
    data = figure_data(number, level=0, workers=1)
    assert isinstance(data, SpaceFigure)
    return data


def test_figure_3_holds_a_pull_only_under_shear() -> None:
    data = figure_data(3)
    assert isinstance(data, VolumeFigure) and data.volume is not None
    assert not data.volume.contains([0.0, 0.0, -1e-3])
    assert data.volume.contains([10.0, 0.0, -2.9]) and not data.volume.contains([10.0, 0.0, -3.1])  # mu = 0.3


def test_figures_4_and_5_are_the_same_unit() -> None:
    volume, surface = figure_data(4), figure_data(5)
    assert isinstance(volume, VolumeFigure) and isinstance(surface, VolumeFigure)
    assert volume.volume is not None and surface.surface is not None
    assert len(volume.volume) > 1
    limit = float(surface.surface.radial([1.0, 0.0, 0.0]))
    assert limit == pytest.approx(40.0, rel=1e-6)
    assert volume.volume.contains([0.96 * limit, 0.0, 0.0]) and not volume.volume.contains([1.01 * limit, 0.0, 0.0])


def test_slices_are_of_the_named_device_through_its_centre_of_mass() -> None:
    data = made(7)
    assert data.device.name == "2OU" and tuple(data.spaces) == SLICES
    for words, space in data.spaces.items():
        assert ",".join(space.subspace.labels) == words if space.subspace else False
        assert space.model_hash == data.device.assembly().fingerprint
        assert len(space) == 12 and space.verify()
    assert data.reach("fx,ty,fz")["fz"][0] == pytest.approx(
        -hf.load_limit(data.device.assembly(), hf.devices.PULL).value, rel=1e-2
    )


#: A cross of two thin bars of force: holds 4 N along x or y, and half of that between them; its hull is a square.
CROSS = [
    np.array([[x, y, z] for x in (-4.0, 4.0) for y in (-0.5, 0.5) for z in (-1.0, 1.0)]),
    np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-4.0, 4.0) for z in (-1.0, 1.0)]),
]


def test_a_cross_of_bars_loses_what_lies_between_its_arms() -> None:
    """In closed form: the union's radius is the larger of two boxes', the hull's that of an octagon of its corners."""
    found = concavity(hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume(CROSS))]), level=2, workers=1)
    directions = found.union.directions[:, :3]
    with np.errstate(divide="ignore"):
        bars = [np.min(half / np.abs(directions), axis=1) for half in ([4.0, 0.5, 1.0], [0.5, 4.0, 1.0])]
        across = 4.5 / np.abs(directions[:, :2]).sum(axis=1)
        hull = np.minimum(np.min([4.0, 4.0, 1.0] / np.abs(directions), axis=1), across)
    np.testing.assert_allclose(found.union.values, np.max(bars, axis=0), rtol=2e-6)
    np.testing.assert_allclose(found.hull.values, hull, rtol=2e-6)
    losses = 1.0 - np.max(bars, axis=0) / hull
    assert found.mean == pytest.approx(losses.mean(), abs=1e-5)
    assert found.largest == pytest.approx(losses.max(), abs=1e-5)
    near = directions[:, 0] >= np.cos(0.2)
    assert found.near((1, 0, 0), 0.2) == pytest.approx(losses[near].mean(), abs=1e-5)
    assert 0.0 < found.volume < 1.0


def test_a_convex_contact_loses_nothing() -> None:
    found = concavity(hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.ForceVolume(CROSS[:1]))]), level=1, workers=1)
    assert found.largest <= 1e-6 and found.volume == pytest.approx(0.0, abs=1e-6)


def test_rays_without_limit_or_without_hold_do_not_count() -> None:
    free = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    found = concavity(free, level=1, workers=1)
    assert not np.isinf(found.hull.values[found.counted]).any()
    assert (found.mean, found.largest, found.volume) == (0.0, 0.0, 0.0)


def test_the_single_unit_is_loaded_in_its_middle_and_pressed_from_above() -> None:
    unit = single_unit()
    np.testing.assert_allclose(unit.positions.mean(axis=0), 0.0, atol=1e-12)
    assert hf.load_limit(unit, [0, 0, 1, 0, 0, 0]).value == pytest.approx(100.0, rel=1e-2)  # its compressive cap
