"""The tree over contacts: modes against points of the arrangement, room that grows, and its generators."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.planar.kernels import mode_faces, walk

AT_REST = 63  # all letters, both signs asked


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def arrangement(rng: np.random.Generator, count: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Homogenised rows of random contacts: (k, n + 1) normals and tangents, and their choices."""
    rows = rng.normal(size=(2, count, size + 1))
    return unit(rows[0]), unit(rows[1]), np.full(count, AT_REST)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_every_random_acceleration_has_the_mode_of_a_face_found(size):
    """Random points lie in open faces: all contacts separate there, or the point is not allowed."""
    rng = np.random.default_rng(size)
    normals, tangents, choices = arrangement(rng, 4, size)
    found = {tuple(row) for row in walk(normals, tangents, choices).letters.tolist()}
    assert any(0 < sum(letter > 0 for letter in mode) < 4 for mode in found) or size < 3
    # Points on the plane of one contact: it slides there by the sign of at.
    for i in range(4):
        for point in rng.normal(size=(200, size)) * 3.0:
            flat = normals[i, :-1]
            moved = point - flat * (normals[i] @ [*point, 1.0]) / (flat @ flat)
            an, at = normals @ [*moved, 1.0], tangents @ [*moved, 1.0]
            rest = np.delete(an, i)
            if (rest > 1e-6).all():
                mode = [0] * 4
                mode[i] = 2 if at[i] > 0.0 else 3
                assert tuple(mode) in found


def test_a_mode_is_found_once_and_its_generators_have_its_signs():
    rng = np.random.default_rng(3)
    for _ in range(10):
        normals, tangents, choices = arrangement(rng, 5, 3)
        faces = walk(normals, tangents, choices)
        assert len({tuple(row) for row in faces.letters.tolist()}) == len(faces.letters)
        for letters, rays, lines in zip(faces.letters, faces.rays, faces.lines, strict=True):
            an, at = (rays @ rows.T for rows in (normals, tangents))
            assert np.abs(lines @ normals[letters > 0].T).max(initial=0.0) < 1e-9
            for i, letter in enumerate(letters):
                signs = {0: (an, 1.0), 1: (at, 0.0), 2: (at, 1.0), 3: (at, -1.0)}[letter]
                values = signs[0][:, i] * (signs[1] or 1.0)
                assert (values > -1e-9).all()
                assert (values.max() > 1e-10) == (signs[1] != 0.0)
                assert letter == 0 or np.abs(an[:, i]).max() < 1e-9


def test_reactions_pick_the_faces_in_which_newtons_law_can_hold():
    """One frictionless contact under a push: it holds against a load towards it and leaves under one away from it."""
    normals, tangents = np.array([[0.0, 1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]])
    edges = np.zeros((1, 2, 3))
    edges[0, :, 1] = 1.0
    for push, letter, a in ((-1.0, 1, (0.0, 0.0, 0.0)), (1.0, 0, (0.0, 1.0, 0.0))):
        faces = walk(
            normals, tangents, np.array([AT_REST]),
            edges=edges, edge_count=np.array([1]), test=np.eye(3), offset=np.array([0.0, push, 0.0]),
        )  # fmt: skip
        assert faces.letters.tolist() == [[letter]]
        (ray,) = faces.rays[0]
        assert np.allclose(ray[:-1] / ray[-1], a)


def test_room_grows_until_the_answer_fits(monkeypatch):
    rng = np.random.default_rng(0)
    normals, tangents, choices = arrangement(rng, 5, 3)
    plain = walk(normals, tangents, choices)
    asked = []
    real = mode_faces.enumerate_modes

    def cramped(*arrays):
        asked.append(arrays[9].shape[1])
        return (
            (-1, 0)
            if len(asked) == 1
            else (-2, 0)
            if len(asked) == 2
            else (-3, 0)
            if len(asked) == 3
            else real(*arrays)
        )

    monkeypatch.setattr(mode_faces, "enumerate_modes", cramped)
    again = walk(normals, tangents, choices)
    assert asked[1] == 2 * asked[0]
    assert again.letters.tolist() == plain.letters.tolist()
