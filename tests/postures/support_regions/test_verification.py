"""Regions that were tampered with do not pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.postures.known_regions import GRAVITY, MASS, foot, standing, strong_hands

from holdfast.postures import support_region
from holdfast.postures.region import SupportRegion


@pytest.fixture(scope="module")
def region() -> SupportRegion:
    return support_region(*strong_hands(40, 3), MASS, GRAVITY)


def test_what_was_found_passes_with_room_to_spare(region: SupportRegion) -> None:
    assert region.residuals.worst < 1e-11 and region.residuals.passed


def test_a_moved_corner_fails(region: SupportRegion) -> None:
    vertices = region.vertices.copy()
    vertices[2] += 1e-6
    moved = replace(region, vertices=vertices)
    assert not moved.verify() and moved.residuals.balance > 1e-8


def test_a_half_plane_that_is_too_tight_or_too_loose_fails(region: SupportRegion) -> None:
    for shift, name in ((-1e-6, "offsets"), (1e-6, "agreement")):
        offsets = region.offsets.copy()
        offsets[1] += shift
        found = replace(region, offsets=offsets).residuals
        assert not found.passed and getattr(found, name) > 1e-8


def test_a_missing_corner_fails(region: SupportRegion) -> None:
    keep = np.arange(len(region.vertices)) != 4
    proof = replace(
        region.proof,
        wrenches=region.proof.wrenches[keep],
        weights=[w for w, kept in zip(region.proof.weights, keep, strict=True) if kept],
        multipliers=region.proof.multipliers[keep],
    )
    less = replace(
        region, vertices=region.vertices[keep], normals=region.normals[keep], offsets=region.offsets[keep], proof=proof
    )
    assert less.residuals.agreement > 1e-6


def test_a_multiplier_of_another_edge_fails(region: SupportRegion) -> None:
    other = replace(region.proof, multipliers=np.roll(region.proof.multipliers, 1, axis=0))
    assert replace(region, proof=other).residuals.multipliers > 1e-6


def test_a_false_ray_and_a_false_separator_fail() -> None:
    walls = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
    line = support_region(foot(), standing([[0, 0, 0], [1, 0, 0]], walls), MASS, GRAVITY)
    assert not replace(line, rays=line.rays[:, ::-1]).verify()
    nothing = support_region(foot(), standing([[0, 0, 0]], [[0.0, 0.0, -1.0]]), MASS, GRAVITY)
    assert nothing.proof.separator is not None
    wrong = replace(nothing.proof, separator=-nothing.proof.separator)
    assert nothing.verify() and not replace(nothing, proof=wrong).verify()
