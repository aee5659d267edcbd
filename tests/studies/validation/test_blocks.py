"""Textbook blocks: the angles of the books, and verdicts on both sides of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from studies.validation import Validation, blocks


@pytest.fixture(scope="module")
def found(report: dict[str, Validation]) -> dict[str, Any]:
    return {value.quantity: value for value in report["blocks"].comparisons}


def test_every_comparison_is_within_its_bound_and_proven(report: dict[str, Validation]) -> None:
    assert report["blocks"].agrees
    assert report["blocks"].verify()


@pytest.mark.parametrize(
    ("name", "degrees"),
    [
        ("cube, mu 0.84: slides at", 40.03),
        ("cube, mu 1.2: tips at", 45.0),
        ("two cubes glued: tip at", 26.57),
        ("two cubes, two bodies: tip at", 26.57),
    ],
)
def test_blocks_slide_and_tip_at_the_angles_of_the_books(name: str, degrees: float, found: dict[str, Any]) -> None:
    assert round(found[name].ours, 2) == degrees


@pytest.mark.parametrize(
    ("question", "angle"),
    [
        (blocks.standing_cubes(0.84), math.atan(0.84)),
        (blocks.standing_cubes(1.2), math.radians(45.0)),
        (blocks.stacked_cubes(0.84), math.atan(0.5)),
    ],
)
def test_verdicts_change_at_the_angle(question: Any, angle: float) -> None:
    assembly, into, along = question
    for turn, holds in ((angle - 1e-4, True), (angle + 1e-4, False)):
        load = math.cos(turn) * assembly.stacked(into) + math.sin(turn) * assembly.stacked(along)
        answer = hf.equilibrium(assembly, load)
        assert answer.holds is holds
        assert answer.verify()


def test_an_upper_cube_slides_off_where_friction_is_low() -> None:
    ramp = hf.load_ramp(*blocks.stacked_cubes(0.3))
    assert ramp.value == pytest.approx(0.3, rel=1e-9)


@pytest.mark.parametrize(("scale", "holds"), [(0.999, True), (1.001, False)])
def test_the_stack_reaches_as_far_as_the_harmonic_series(scale: float, holds: bool) -> None:
    assert blocks.overhang(10) == pytest.approx(1.46448, abs=1e-5)
    assembly, weights = blocks.overhanging_stack(scale)
    assert assembly.body_count == 10
    assert assembly.positions[:, 0].max() < scale * blocks.overhang(10)
    assert hf.equilibrium(assembly, weights).holds is holds


def test_the_ladder_balances_where_the_closed_form_says() -> None:
    """Foot and wall forces from three equations: the foot's friction is used up there."""
    length, angle, mass, mu, person = blocks.LADDER
    share, g = blocks.climbed_share(), 9.80665
    wall = g * (0.5 * mass + share * person) / math.tan(math.radians(angle))  # torques about the foot
    assert wall == pytest.approx(mu * g * (mass + person))
    assembly, at_foot, climb = blocks.ladder()
    answer = hf.equilibrium(assembly, at_foot + (share - 1e-9) * climb)
    assert answer.forces[1] == pytest.approx([-wall, 0.0, 0.0], abs=1e-4)
    assert 0.0 < share < 1.0 < length


def test_the_h_shaped_block_can_hold_but_falls_unless_it_is_squeezed(found: dict[str, Any]) -> None:
    assert found["H-shaped block: forces that balance it"].ours == "holds"
    assert found["H-shaped block: is rest certain?"].ours == "may stay"
    assert found["H-shaped block, no squeeze: share of its weight"].ours == 0.0
    assert (
        found["H-shaped block, 2 N at each end: share"].ours
        < 1.0
        < found["H-shaped block, 3 N at each end: share"].ours
    )


def test_sixteen_sides_are_low_by_the_stated_share(found: dict[str, Any]) -> None:
    low = found["slope between corners, 16 sides: tan"].ours / 0.84
    assert low == pytest.approx(math.cos(math.pi / 16))
    assert 1.0 - low == pytest.approx(0.019, abs=5e-4)
    assert np.isclose(found["slope between corners, round cone: tan"].ours, 0.84, rtol=1e-4)
