"""Planar bodies in the viewer."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast import planar
from holdfast.planar.files import PlanarBodyScene
from holdfast.planar.page import SIZE, BodyState, body_answer, force_ranges
from holdfast.planar.plots import STEP
from holdfast.scenes import load_planar
from holdfast.web.marks import Arrows, Dots, Surface


def scene(name: str) -> PlanarBodyScene:
    found = load_planar(f"@{name}")
    assert isinstance(found, PlanarBodyScene)
    return found


def asked(own: PlanarBodyScene, **changes: object) -> BodyState:
    fx, fy, torque = (float(v) for v in own.force)
    return BodyState(**({"mu": None, "force": (fx, fy, torque)} | changes))  # type: ignore[arg-type]


def test_a_block_stays_while_the_incline_is_flatter_than_its_friction() -> None:
    block = scene("block_on_incline")
    normal = block.contacts[0].normal
    tangent = abs(normal[0] / normal[1])  # of the incline's angle
    holds = body_answer(asked(block, mu=1.02 * tangent), block)
    slides = body_answer(asked(block, mu=0.98 * tangent), block)
    assert holds.verdict.status == "it stays where it is" and holds.moving is None
    assert slides.verdict.status == "one motion" and slides.moving is not None


@pytest.mark.parametrize("name", ["three_points", "box_pushed", "ladder", "painleve_rod", "peg_jammed"])
def test_the_verdict_is_that_of_all_motions(name: str) -> None:
    own = scene(name)
    answer = body_answer(asked(own), own)
    direct = planar.motions(own.body, own.contacts, own.force, own.velocity)
    assert len(answer.verdict.lines) == min(len(direct.modes), 8)
    assert all(line.startswith(mode) for line, mode in zip(answer.verdict.lines, direct.modes, strict=False))
    tones = {"unique": "good", "finite": "open", "continuum": "open", "inconsistent": "bad", "impact": "bad"}
    assert answer.verdict.tone == tones[direct.status.value]


def test_above_mu_two_several_ghosts_go_their_ways() -> None:
    own = scene("three_points")
    state = BodyState(3.0, (0.99, 0.16, 0.03))
    answer = body_answer(state, own)
    assert answer.verdict.status == "3 motions are possible" and answer.moving is not None
    first, last = answer.moving(0.0), answer.moving(1.0)
    ghosts = [name for name, mark in last.items() if isinstance(mark, Surface)]
    assert len(ghosts) == 3
    for name in ghosts:
        start, end = first[name], last[name]
        assert isinstance(start, Surface) and isinstance(end, Surface)
        farthest = np.linalg.norm((end.vertices - start.vertices)[:, [0, 2]], axis=1).max()
        assert np.isclose(farthest, STEP * SIZE, rtol=0.1)
    one = body_answer(BodyState(3.0, (0.99, 0.16, 0.03), chosen=1), own)
    assert one.moving is not None
    assert sum(isinstance(mark, Surface) for mark in one.moving(1.0).values()) == 1


def test_reactions_and_load_balance_a_body_at_rest() -> None:
    own = scene("ladder")
    marks = body_answer(asked(own), own).drawing.marks
    load, reactions = marks["load"], marks["reactions"]
    assert isinstance(load, Arrows) and isinstance(reactions, Arrows)
    total = np.diff(load.points, axis=1).sum(axis=(0, 1)) + np.diff(reactions.points, axis=1).sum(axis=(0, 1))
    assert np.allclose(total, 0.0, atol=1e-6)


def test_the_body_is_drawn_where_it_is() -> None:
    own = scene("box_pushed")
    marks = body_answer(asked(own), own).drawing.marks
    body, contact = marks["body/inside"], marks["contacts/0"]
    assert isinstance(body, Surface) and isinstance(contact, Dots)
    corners = body.vertices[:, [0, 2]]
    near = np.linalg.norm(corners - contact.points[0, [0, 2]], axis=1).min()
    assert near < 1e-9  # a corner of the box is on the floor
    assert own.outline is not None and np.isclose(np.ptp(corners[:, 1]) / np.ptp(corners[:, 0]), 2.0)


def test_sliders_reach_beyond_the_scenes_own_load() -> None:
    for name in ("three_points", "box_pushed", "peg_jammed", "three_finger_grasp"):
        own = scene(name)
        assert (np.array(force_ranges(own)) >= np.abs(own.force)).all()
