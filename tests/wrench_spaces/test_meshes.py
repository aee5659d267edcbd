from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from holdfast.errors import FileError, GeometryError
from holdfast.wrench_spaces.files import export_mesh
from holdfast.wrench_spaces.space import slice_surface, slice_volume
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, space_of

FORCES = Subspace.named("fx,fy,fz")
MIXED = Subspace.named("fx,ty,fz", length=0.1)
SPACE = space_of(Rays.sphere(MIXED, 2), box_limit(BOX))
FORMATS = [("a.ply", {}), ("a.ply", {"text": True}), ("a.obj", {})]


@pytest.mark.parametrize(("name", "options"), FORMATS)
def test_another_reader_finds_a_closed_solid_of_the_same_volume(tmp_path: Path, name: str, options: dict) -> None:
    path = export_mesh(SPACE, tmp_path / name, **options)
    mesh = trimesh.load_mesh(path)
    assert mesh.is_watertight and mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(slice_volume(SPACE), rel=1e-6)  # positive: outward
    assert len(mesh.vertices) == len(SPACE) and len(mesh.faces) == 2 * len(SPACE) - 4
    np.testing.assert_allclose(np.sort(mesh.vertices, axis=0), np.sort(SPACE.coordinates, axis=0), atol=1e-6)


@pytest.mark.parametrize(("name", "options"), FORMATS)
def test_units_axes_and_model_stand_in_comments(tmp_path: Path, name: str, options: dict) -> None:
    text = export_mesh(SPACE, tmp_path / name, **options).read_bytes().decode("latin-1")
    for words in ("axis x: fx [N]", "axis y: ty [N m]", "axis z: fz [N]", "model 0123456789abcdef", "world origin"):
        assert words in text


def test_the_same_space_gives_the_same_bytes_and_nothing_is_left_beside(tmp_path: Path) -> None:
    first = export_mesh(SPACE, tmp_path / "a.ply").read_bytes()
    assert export_mesh(SPACE, tmp_path / "b.ply").read_bytes() == first
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.ply", "b.ply"]


def test_in_newtons_torques_are_over_the_length(tmp_path: Path) -> None:
    mesh = trimesh.load_mesh(export_mesh(SPACE, tmp_path / "a.ply", newtons=True))
    assert mesh.volume == pytest.approx(slice_volume(SPACE) / 0.1, rel=1e-6)
    assert b"ty [N, over 0.1" in (tmp_path / "a.ply").read_bytes()


@pytest.mark.parametrize("name", ["a.ply", "a.obj"])
def test_rays_without_strength_meet_in_one_point_and_the_solid_stays_closed(tmp_path: Path, name: str) -> None:
    space = space_of(Rays.sphere(FORCES, 3), lambda d: np.where(d[:, 2] > 0.3, 5.0, 0.0))
    mesh = trimesh.load_mesh(export_mesh(space, tmp_path / name))
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(slice_volume(space), rel=1e-6)
    assert (np.abs(mesh.vertices).max(axis=1) == 0.0).sum() == 1


def test_a_space_of_no_strength_is_no_solid(tmp_path: Path) -> None:
    with pytest.raises(GeometryError, match="every limit is zero"):
        export_mesh(space_of(Rays.sphere(FORCES, 1), lambda d: np.zeros(len(d))), tmp_path / "a.ply")
    with pytest.raises(GeometryError, match="encloses nothing"):
        export_mesh(space_of(Rays.axes(FORCES), lambda d: np.where(d[:, 2] > 0.3, 5.0, 0.0)), tmp_path / "a.ply")
    assert not list(tmp_path.iterdir())


def test_without_limit_it_takes_a_cap(tmp_path: Path) -> None:
    half = BOX.copy()
    half[1] = np.inf
    space = space_of(Rays.sphere(FORCES, 3), box_limit(half))
    with pytest.raises(GeometryError, match="cap="):
        export_mesh(space, tmp_path / "a.ply")
    mesh = trimesh.load_mesh(export_mesh(space, tmp_path / "a.ply", cap=10.0))
    assert mesh.is_watertight
    assert np.linalg.norm(mesh.vertices, axis=1).max() == pytest.approx(10.0)
    assert b"cut off at 10 N" in (tmp_path / "a.ply").read_bytes()
    assert mesh.bounds[1] == pytest.approx(slice_surface(space).cut(10.0).points.max(axis=0))


def test_a_wrong_name_and_a_missing_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"'\.stl'.*\.ply, \.obj"):
        export_mesh(SPACE, tmp_path / "a.stl")
    with pytest.raises(FileError, match="no suffix"):
        export_mesh(SPACE, tmp_path / "a")
    with pytest.raises(FileError, match="make its folder first"):
        export_mesh(SPACE, tmp_path / "none" / "a.ply")
