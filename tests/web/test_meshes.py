from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.plots import Box, Sphere
from holdfast.web import meshes


def volume_of(mesh: meshes.Mesh) -> float:
    """Of a closed mesh with outward faces, by the divergence theorem."""
    vertices, faces = mesh
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_the_mesh_of_a_box_encloses_it_and_has_its_edges() -> None:
    corners = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    mesh, lines = meshes.shape_mesh(Box(np.array([0.2, 0.3, 0.4])), corners)
    assert volume_of(mesh) == pytest.approx(0.024)
    assert len(np.unique(np.sort(lines.round(9), axis=1).reshape(-1, 6), axis=0)) == 12


def test_a_shape_much_larger_than_what_touches_it_is_cut() -> None:
    points = np.array([[-0.01, -0.01, 1.0], [0.01, 0.01, 1.0]])
    mesh, _ = meshes.shape_mesh(Sphere(1.0), points)
    assert np.abs(mesh[0][:, :2]).max() < 0.05


def test_pieces_of_a_volume_enclose_it_and_cones_are_left_open_where_they_are_cut() -> None:
    cube = np.array(list(np.ndindex(2, 2, 2)), dtype=float) * 3.0
    volume = hf.ForceVolume([cube, cube + 10.0])
    assert [volume_of(mesh) for mesh in meshes.piece_meshes(volume)] == pytest.approx([27.0, 27.0])
    assert meshes.mesh_reach(meshes.piece_meshes(volume)) == pytest.approx(13.0 * np.sqrt(3.0))
    cone = meshes.piece_meshes(hf.models.coulomb(0.5))[0]
    normals = np.cross(cone[0][cone[1][:, 1]] - cone[0][cone[1][:, 0]], cone[0][cone[1][:, 2]] - cone[0][cone[1][:, 0]])
    assert (normals[:, 2] < 0.0).all()  # no lid on top


def test_quaternions_and_rotations_are_inverse() -> None:
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    assert np.allclose(meshes.rotations(meshes.quaternions(turn[None])[0]), turn)


def test_a_turn_is_right_handed_about_its_axis() -> None:
    lines = meshes.turn_lines(np.ones(3), np.array([0.0, 0.0, 2.0]), 0.5)
    arms, steps = lines[:, 0] - 1.0, lines[:, 1] - lines[:, 0]
    assert np.allclose(np.linalg.norm(arms, axis=1), 0.5)
    assert (np.cross(arms, steps)[:, 2] > 0.0).all()
    assert meshes.rgb("#0A10FF") == (10, 16, 255)
