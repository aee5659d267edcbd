"""Bands of repeated measurements as ladders of volumes."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.force_limits.samples import direction_grid
from holdfast.reliability.scatter import Band, surface_at
from tests.referee import block


def measured() -> hf.LimitSurface:
    """A ball of 10 N whose trials scatter by half as much upwards as sideways."""
    rays = direction_grid(0.5)
    spread = 1.0 + np.abs(rays[:, 0]) - 0.5 * np.abs(rays[:, 2])
    return hf.LimitSurface(rays, np.full(len(rays), 10.0), lower=10.0 - spread, upper=10.0 + 2.0 * spread)


@pytest.mark.parametrize(("quantile", "share"), [(0.0, -1.0), (0.25, -0.5), (0.5, 0.0), (0.75, 1.0), (1.0, 2.0)])
def test_each_direction_climbs_from_its_least_limit_to_its_greatest(quantile, share):
    surface = measured()
    spread = surface.radii - surface.lower
    np.testing.assert_allclose(surface_at(surface, quantile).radii, 10.0 + share * spread)


def test_levels_are_nested_and_start_at_the_inner_surface():
    surface = measured()
    band = Band.of_surface(surface, levels=3, max_pieces=2)
    reach = [level.radial(surface.directions) for level in band.levels]
    assert (reach[0] <= surface.lower * (1 + 1e-9)).all()
    assert all((reach[i].mean() < reach[i + 1].mean()) for i in range(2))
    assert (reach[2] <= surface_at(surface, 2 / 3).radii * (1 + 1e-9)).all()


def test_shares_of_the_nominal_volume_are_recognised_and_others_are_not():
    volume = hf.models.microspine()
    band = Band(volume, [volume])
    assert band.share(volume.scaled(0.25)) == pytest.approx(0.25)
    assert band.share(volume.stretched(1.1)) is None
    assert band.share(hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])) is None
    cone = hf.models.coulomb(0.5)
    assert Band(cone, [cone]).share(hf.models.coulomb(0.6)) is None


def test_plain_data_give_the_same_band_back():
    cone = hf.models.coulomb(0.5)
    back = Band.from_dict(Band(cone, [hf.models.coulomb(0.4), cone]).to_dict())
    assert (
        back.levels[0].fingerprint == hf.models.coulomb(0.4).fingerprint
        and back.nominal.fingerprint == cone.fingerprint
    )


def test_bad_bands_are_told():
    volume = hf.models.coulomb(0.5)
    with pytest.raises(InputError, match="levels"):
        Band(volume, [])
    with pytest.raises(InputError, match=r"levels\[1\]"):
        Band(volume, [volume, 0.5])  # pyright: ignore[reportArgumentType]
