"""Torque sets for every posture of a box, against the torque sets of single postures within it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import Chain, ContactLike, LinkContact
from holdfast.planar.posture_boxes import Geometry, PostureRobustness, Uncertain, torque_sets_over_postures
from holdfast.planar.torque_space import Task, standstill
from holdfast.planar.torques import TorqueSet, torque_sets
from tests.nightly import nightly_after
from tests.planar.greenfield import LEFT, LENGTH, MASS, RIGHT

MIDDLE = np.array([0.0, 0.0, *np.deg2rad([135.0, -90.0])])
SNAKE = Chain([LENGTH] * 2, MASS)


def between_walls(mu: float, nodes: int = 3) -> list[ContactLike]:
    return [(i, (RIGHT, LEFT)[i % 2], mu) for i in range(nodes)]


def degrees(*error: float) -> np.ndarray:
    return np.deg2rad([0.0, 0.0, *error])


@pytest.fixture(scope="module")
def rough() -> PostureRobustness:
    """Walls of mu 1 and joints that are off by 8 degrees: some links come into their friction cones."""
    return torque_sets_over_postures(SNAKE, MIDDLE, degrees(8, 8), between_walls(1.0), "FFF")


def test_a_posture_inside_the_box_takes_torques_that_all_corners_allow(rough):
    """At (+3, -6) degrees -0.076 N m also allows SFF, which no corner of the box and not its middle shows."""
    torque = -0.076
    posture = MIDDLE + degrees(3, -6)
    alone = torque_sets(SNAKE.system(posture, None, between_walls(1.0)), "FFF")
    assert alone.classify(torque) == "ambiguous" and "SFF" in alone.overlaps
    corners = [torque_sets(SNAKE.system(q, None, between_walls(1.0)), "FFF") for q in rough.box.corners()]
    assert len(corners) == 5 and all(corner.classify(torque) == "unique" for corner in corners)
    assert rough.inner.classify(torque) != "unique" and rough.classify(torque) == "ambiguous"


def test_the_inner_set_is_useful_and_close_to_the_outer_one(rough):
    (inner,), (outer,) = rough.inner.unique, rough.outer.unique
    low, high = (float(piece.generators.vertices[0, 0]) for piece in (inner, outer))
    assert rough.status == "proven" and -0.086 < low <= high < -0.082
    assert rough.gap == pytest.approx(high - low) and rough.gap <= 0.01 * rough.reach
    assert rough.classify([low - 1e-3, 0.5 * (low + high), 0.1]).tolist() == ["unique", "undecided", "infeasible"]
    assert rough.inner.classify(rough.inner.least_norm(0.01)) == "unique"


def test_three_hundred_postures_keep_the_inner_limit(rough):
    """The limit of T*, as the closest torque to zero, of 300 postures drawn from the box."""
    limit = float(rough.inner.unique[0].generators.vertices[0, 0])
    rng = np.random.default_rng(3)
    for error in rng.uniform(-8.0, 8.0, (300, 2)):
        alone = torque_sets(SNAKE.system(MIDDLE + degrees(*error), None, between_walls(1.0)), "FFF")
        assert float(alone.unique[0].generators.vertices[0, 0]) >= limit - 1e-9


def drawn(answer: TorqueSet, rng: np.random.Generator, count: int) -> np.ndarray:
    """Torques (., t) of the pieces of T*, near their vertices and far out along their rays."""
    points = []
    for piece in answer.unique:
        vertices, rays, _ = piece.generators
        middle = vertices.mean(axis=0) + (0.1 * rays.mean(axis=0) if len(rays) else 0.0)
        for _ in range(count):
            point = rng.dirichlet(np.full(len(vertices), 0.4)) @ vertices
            point = point + (rng.exponential(0.3, len(rays)) * (rng.random(len(rays)) < 0.5)) @ rays
            points.append(point + 1e-6 * (middle - point))
    return np.array(points)


def check(found: PostureRobustness, rng: np.random.Generator, postures: int = 20) -> None:
    """Every torque of the inner T* is unique, and of the inner T_c feasible, in postures drawn from the box."""
    box = found.box
    inside = drawn(found.inner, rng, 12)
    vertices = found.inner.feasible.generators.vertices
    for _ in range(postures):
        share = (
            rng.uniform(-1.0, 1.0, len(box.middle)) if rng.random() < 0.6 else rng.choice([-1.0, 1.0], len(box.middle))
        )
        alone = box.at(box.middle + box.half * share)
        assert (np.atleast_1d(alone.classify(inside)) == "unique").all()
        assert alone.feasible.contains(vertices, tolerance=1e-7).all()


def random_case(
    rng: np.random.Generator, links: int
) -> tuple[Chain, np.ndarray, np.ndarray, list[ContactLike], dict[str, Any]]:
    """A zigzag of random lengths, masses, friction and errors, some with limits, disturbances, an interval of mu."""
    zigzag = np.array([135.0, *([-90.0, 90.0] * links)[: links - 1]]) + rng.uniform(-12.0, 12.0, links)
    mu = rng.uniform(0.2, 1.6)
    rods = {"link_masses": 0.05 * rng.random(links)} if rng.random() < 0.4 else {}
    chain = Chain(LENGTH * rng.uniform(0.8, 1.2, links), MASS * rng.uniform(0.5, 2.0, links + 1), **rods)
    error = degrees(*rng.uniform(0.0, 6.0, links) * (rng.random(links) < 0.8))
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        options["limits"] = (-1.5, 1.5)
    if rng.random() < 0.3:
        options["friction"] = (0.95 * mu, 1.05 * mu)
    if rng.random() < 0.3 and links == 2:
        size = np.array([0.1, 0.1, *[0.01] * links])
        options["disturbance"] = (-size * rng.random(links + 2), size * rng.random(links + 2))
    return chain, np.array([0.0, 0.0, *np.deg2rad(zigzag)]), error, between_walls(mu, links + 1), options


CASES = [
    *((seed, 2) for seed in range(7)),
    (5, 3),
    *((seed, 2) for seed in range(7, 60)),
    *((seed, 3) for seed in range(5)),
]


@pytest.mark.parametrize("case", nightly_after(8, CASES))
def test_random_boxes_are_proven_for_the_postures_in_them(case):
    seed, links = case
    rng = np.random.default_rng(seed)
    chain, q, error, contacts, options = random_case(rng, links)
    found = torque_sets_over_postures(chain, q, error, contacts, "F" * (links + 1), cells=6, **options)
    assert found.status == "proven" and found.verify()
    check(found, rng)


PINNED = Chain([LENGTH] * 2, MASS, base="pinned")
BENT = np.array([0.0, 0.0, *np.deg2rad([60.0, -90.0])])
FLOOR: list[ContactLike] = [(2, (0.0, 1.0), 0.5)]
CORNERS: list[ContactLike] = [LinkContact(0, 0.5, 1, 0.8), LinkContact(1, 0.5, 1, 0.8)]


@pytest.mark.parametrize(
    ("chain", "q", "contacts", "mode", "tasks"),
    [
        (SNAKE, MIDDLE, between_walls(0.3), "LRL", ()),
        (SNAKE, MIDDLE, between_walls(0.3), "SSS", ()),
        (SNAKE, MIDDLE, between_walls(0.3), "FFF", standstill(4)),
        (PINNED, BENT, FLOOR, "F", ()),
        (Chain([LENGTH] * 2, MASS, base="pinned", passive=[1]), BENT, FLOOR, "F", ()),
        (SNAKE, np.array([0.0, 0.0, *np.deg2rad([170.0, -160.0])]), CORNERS, "FF", ()),
    ],
    ids=["sliding", "separating", "standstill", "pinned", "passive joint", "corners on links"],
)
def test_other_modes_bases_and_contacts(chain, q, contacts, mode, tasks):
    found = torque_sets_over_postures(chain, q, degrees(1, 1), contacts, mode, tasks, limits=(-1.0, 1.0), cells=6)
    assert found.status == "proven" and found.verify()
    check(found, np.random.default_rng(0))


def test_a_box_without_width_is_its_posture():
    alone = torque_sets(SNAKE.system(MIDDLE, None, between_walls(1.2)), "FFF")
    for error in (0.0, [0.3, 0.1, 0.0, 0.0]):  # where node 0 is does not matter
        found = torque_sets_over_postures(SNAKE, MIDDLE, error, between_walls(1.2), "FFF")
        assert found.gap == 0.0 and len(found.cells) == 1 and found.verify()
        for sets in (found.inner, found.outer):
            assert sets.overlaps == alone.overlaps and len(sets.unique) == len(alone.unique)
            assert np.array_equal(sets.unique[0].b, alone.unique[0].b)
            assert np.array_equal(sets.feasible.A, alone.feasible.A)


def test_a_thin_box_tends_to_its_posture():
    alone = torque_sets(SNAKE.system(MIDDLE, None, between_walls(0.3)), "FFF")
    found = torque_sets_over_postures(SNAKE, MIDDLE, degrees(1e-4, 1e-4), between_walls(0.3), "FFF")
    assert found.inner.unique[0].b == pytest.approx(alone.unique[0].b, rel=1e-4)


def test_entries_of_the_matrices_stay_within_their_bounds(rough):
    """M, J and the weight at random postures, by the chain itself, against middle, slopes and remainders."""
    box, rng = rough.box, np.random.default_rng(1)
    chain, half = Chain([0.1, 0.2, 0.15], [1.0, 0.5, 0.7, 0.2], link_masses=0.3), degrees(5, 9, 7)
    contacts: list[ContactLike] = [(1, RIGHT, 0.5), (3, (0.6, 0.8), 0.5), LinkContact(1, 0.3, 1, 0.5)]
    q = np.array([0.1, 0.2, 0.3, 1.0, -2.0])
    box = replace(box, chain=chain, middle=q, half=half, contacts=tuple(contacts), mode="FFF")
    parts = Geometry.of(box, q, half).dynamics()
    turn = np.eye(5)
    turn[2:, 2:] = chain.turns[:, 2:]
    back = np.linalg.inv(turn)  # of accelerations of absolute angles
    for _ in range(50):
        change = half * rng.uniform(-1.0, 1.0, 5)
        system = chain.system(q + change, None, contacts)
        true = [back.T @ system.mass_matrix @ back, system.jacobian @ back, (back.T @ system.bias)[:, None]]
        for part, value in zip(parts, true, strict=True):
            assert isinstance(part, Uncertain)
            assert (np.abs(value - part.value) <= part.off + 1e-12).all()
            linear = part.value + np.einsum("w,wrc->rc", change[2:], part.slopes)
            assert (np.abs(value - linear) <= part.bend + 1e-12).all()


def larger(sets: TorqueSet, by: float) -> TorqueSet:
    """The same with a T_c that is larger by a share of its scale, and without ambiguities."""
    return replace(sets, scaled=sets.scaled.changed(b=sets.scaled.b - by * sets.scaled.scale), ambiguities=())


def test_a_changed_proof_is_false(rough):
    assert rough.verify()
    inner, outer, cells = rough.inner, rough.outer, rough.cells
    thin, moved, holed = (cells.copy() for _ in range(3))
    thin[0, 1] *= 0.99
    moved[0, 0, 2] += 1e-3
    changes = [
        {"inner": larger(inner, 0.01)},
        {"inner": larger(inner, 0.0)},
        {"inner": replace(inner, mode="FFS")},
        {"inner": outer},
        {"outer": larger(outer, 0.01)},
        {"outer": replace(outer, ambiguities=())},
        {"cells": thin},
        {"cells": moved},
        {"cells": holed[1:]},
        {"cells": np.concatenate([cells, cells[:1]])},
        {"postures": rough.postures[:5]},
        {"postures": rough.postures + 1.0},
        {"box": replace(rough.box, half=1.01 * rough.box.half)},
        {"box": replace(rough.box, friction=(0.9, 1.1))},
        {"inner": None},
    ]
    for change in changes:
        assert not replace(rough, **change).verify(), change


def test_plain_data_names_the_box_and_both_sets(rough):
    data = rough.to_dict()
    part = data["posture_box"]
    assert data["status"] == "proven" and part["gap"] == rough.gap and part["cells"] == len(rough.cells)
    assert np.allclose(np.subtract(part["upper"], part["lower"]), 2.0 * degrees(8, 8))
    assert data["unique"][0]["vertices"][0] < part["outer"]["unique"][0]["vertices"][0]


def test_a_box_that_no_cell_can_decide_is_undecided():
    """One cell of a box of a right angle proves nothing; with more cells there is no torque for all of them."""
    found = torque_sets_over_postures(SNAKE, MIDDLE, degrees(20, 20), between_walls(0.3), "FFF", cells=1)
    assert (
        found.status == "undecided" and found.gap == np.inf and found.classify(-5.0) == "undecided" and found.verify()
    )
    slippery = torque_sets_over_postures(SNAKE, MIDDLE, degrees(2, 2), between_walls(0.0), "FFF")
    assert slippery.status == "infeasible" and slippery.inner.is_empty


def test_tasks_on_forces_that_turn_with_a_link_are_refused():
    pressed, q = Task(f=[0.0, 1.0, 0.0, 0.0], c=0.1, kind=">="), np.array([0.0, 0.0, *np.deg2rad([170.0, -160.0])])
    with pytest.raises(InputError) as caught:
        torque_sets_over_postures(SNAKE, q, degrees(1, 1), CORNERS, "FF", pressed, limits=(-1.0, 1.0), cells=1)
    assert caught.value.where == "tasks[0].f"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"error": [0, 0, -0.1, 0]}, "error[2]"),
        ({"error": [0, 0, 0.1]}, "error"),
        ({"error": np.nan}, "error"),
        ({"q": [0, 0, 1.0]}, "q"),
        ({"mode": "FF"}, "mode"),
        ({"cells": 0}, "cells"),
        ({"accuracy": -1.0}, "accuracy"),
        ({"contacts": 5}, "contacts"),
        ({"chain": None}, "chain"),
        ({"disturbance": ([0.0], [1.0])}, "disturbance"),
        ({"tasks": 5}, "tasks"),
    ],
)
def test_bad_questions_are_refused(changes, where):
    given: dict[str, Any] = {"chain": SNAKE, "q": MIDDLE, "error": 0.1, "contacts": between_walls(0.3), "mode": "FFF"}
    with pytest.raises(InputError) as caught:
        torque_sets_over_postures(**(given | changes))
    assert str(caught.value.where).startswith(where)
