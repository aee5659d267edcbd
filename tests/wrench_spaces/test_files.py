from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import trimesh

import holdfast as hf
from holdfast.errors import FileError, GeometryError, InputError
from holdfast.geometry.frames import frame_from_normal
from holdfast.solvers import Exact, Status
from holdfast.storage.archive import stored
from holdfast.wrench_spaces.computation import wrench_space
from holdfast.wrench_spaces.files import FORMAT, export_mesh, load_space, save_space
from holdfast.wrench_spaces.space import WrenchSpace, slice_surface, slice_volume
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, box_planes, space_of

RAYS = Rays.sphere(Subspace.named("fx,ty,fz", length=0.1), 1)
FIELDS = ("values", "upper_bounds", "status", "normals", "offsets", "joint_multipliers", "forces", "pieces")


def known(**changes: Any) -> WrenchSpace:
    """A space with an answer of every kind, with unknown planes and forces."""
    space = space_of(RAYS, box_limit(BOX), box_planes(BOX))
    values, status = space.values.copy(), space.status.copy()
    for row, (value, state) in enumerate(
        [(np.inf, Status.UNBOUNDED), (-np.inf, Status.DOES_NOT_HOLD), (0.25, Status.UNDECIDED), (-0.5, Status.OPTIMAL)]
    ):
        values[row], status[row] = value, state
    bounds = values.copy()
    bounds[2] = 1.5
    facts = {"rays": RAYS, "values": values, "upper_bounds": bounds, "status": status, "offsets": space.offsets}
    for name in ("normals", "forces"):
        rows = getattr(space, name).copy()
        rows[:2] = np.nan
        facts[name] = rows
    facts |= {"pieces": space.pieces, "joint_multipliers": None, "side": "outer", "model_hash": "abc", "length": 0.1}
    return WrenchSpace(**(facts | {"star_shaped": False, "convex": True, "method": Exact(gap=1e-4)} | changes))


def assert_same(a: WrenchSpace, b: WrenchSpace) -> None:
    """Equal to the last bit."""
    for name in FIELDS:
        first, second = getattr(a, name), getattr(b, name)
        assert (first is None) == (second is None), name
        if first is not None:
            np.testing.assert_array_equal(first, second, err_msg=name)
    np.testing.assert_array_equal(a.directions, b.directions)
    assert (a.triangles is None) == (b.triangles is None)
    if a.triangles is not None and b.triangles is not None:
        np.testing.assert_array_equal(a.triangles, b.triangles)
    assert (a.subspace is None) == (b.subspace is None)
    if a.subspace is not None and b.subspace is not None:
        np.testing.assert_array_equal(a.subspace.axes, b.subspace.axes)
        np.testing.assert_array_equal(a.subspace.scales, b.subspace.scales)
        assert (a.subspace.labels, a.subspace.units) == (b.subspace.labels, b.subspace.units)
    for name in ("side", "model_hash", "length", "star_shaped", "convex", "method"):
        assert getattr(a, name) == getattr(b, name), name
    assert a.rays.seed == b.rays.seed


@pytest.mark.parametrize(
    "space",
    [
        known(),
        known(joint_multipliers=np.random.default_rng(0).normal(size=(len(RAYS), 4)), forces=None, pieces=None),
        known(method=None),
        space_of(Rays(np.random.default_rng(5).normal(size=(9, 6)), seed=5), box_limit(BOX)),
        space_of(Rays(np.eye(6)[:1]), box_limit(BOX), joint_multipliers=np.zeros((1, 0))),
    ],
    ids=["every status", "joints", "default method", "all of R^6", "one ray"],
)
def test_what_is_read_is_what_was_written_to_the_last_bit(tmp_path: Path, space: WrenchSpace) -> None:
    save_space(space, tmp_path / "a.h5")
    assert_same(load_space(tmp_path / "a.h5"), space)
    save_space(load_space(tmp_path / "a.h5"), tmp_path / "b.h5")
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_labels_of_any_letters_and_units_of_none_come_back(tmp_path: Path) -> None:
    basis = np.eye(6)[:3] * 2.0
    subspace = Subspace.spanned(basis, ["τ links", "", "f\u2032"], length=0.1)
    assert subspace.units == ("", "", "")
    save_space(space_of(Rays.axes(subspace), box_limit(BOX)), tmp_path / "a.h5")
    loaded = load_space(tmp_path / "a.h5").subspace
    assert loaded is not None and (loaded.labels, loaded.units) == (subspace.labels, subspace.units)


def test_another_process_writes_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "import sys; from holdfast.wrench_spaces.files import *; "
        "[save_space(load_space(sys.argv[1]), sys.argv[2]) for _ in range(2)]"
    )
    save_space(known(), tmp_path / "a.h5")
    subprocess.run([sys.executable, "-c", code, tmp_path / "a.h5", tmp_path / "b.h5"], check=True)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def test_a_space_of_an_assembly_is_verified_again_with_it_and_measured_without(tmp_path: Path) -> None:
    unit = hf.models.gecko_two_way(5)
    contacts = [hf.Contact([s * 0.05, 0.0, 0.0], frame_from_normal([0.2 * s, 0, -1], [1, 0, 0]), unit) for s in (-1, 1)]
    assembly = hf.Assembly(contacts)
    space = wrench_space(assembly, Rays.sphere(Subspace.named("fx,fy,fz"), 1), workers=1)
    space.save(tmp_path / "a.h5")
    with_it, without = (WrenchSpace.load(tmp_path / "a.h5", given) for given in (assembly, None))
    assert_same(with_it, space)
    assert with_it.verify()
    assert without.assembly is None and without.volume == space.volume
    with pytest.raises(FileError, match=rf"model_hash: belongs to another assembly.*{assembly.fingerprint}"):
        load_space(tmp_path / "a.h5", hf.Assembly(contacts[:1]))


def edited(path: Path, change: Callable[[Any], None]) -> Path:
    """The file, changed by another program."""
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def replace(name: str, values: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        del file[name]
        if values is not None:
            file[name] = values

    return change


def set_fact(name: str, value: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        if value is None:
            del file.attrs[name]
        else:
            file.attrs[name] = stored(value) if isinstance(value, str) else value

    return change


BAD_DIRECTIONS = RAYS.directions.copy()
BAD_DIRECTIONS[3, 2] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_fact("format", "another format"), "format: is not a wrench space"),
        (set_fact("format", None), "format: is not a wrench space"),
        (set_fact("version", 3), "version: is 3, written by Holdfast .*this release reads up to 2"),
        (set_fact("version", "one"), "version: is 'one'"),
        (set_fact("length", None), "length: is missing"),
        (set_fact("side", "balloon"), "side: is 'balloon'"),
        (replace("values", None), "values: is missing"),
        (replace("values", np.zeros(7)), r"values: has shape \(7,\).*\(42\)"),
        (replace("values", np.zeros(42, dtype="S3")), "values: has type"),
        (replace("values", np.full(42, np.nan)), r"values\[0\]: is nan"),
        (replace("rays/directions", BAD_DIRECTIONS), r"directions\[3, 2\]: is nan"),
        (replace("rays/directions", np.zeros((42, 6))), r"directions\[0\]: is the zero wrench"),
        (replace("rays/triangles", np.full((80, 3), 42)), "triangles: have wrong numbers of rays"),
        (replace("rays/triangles", np.zeros((80, 3))), "rays/triangles: has type float64.*whole numbers"),
        (replace("forces", np.zeros((42, 3))), r"forces: has shape \(42, 3\)"),
        (replace("pieces", np.zeros((42, 5), dtype=int)), r"pieces: has shape \(42, 5\).*\(42, 2\)"),
        (replace("status", np.full(42, 9)), "status: has the unknown status 9 at ray 0"),
        (replace("normals", None), "normals: is missing"),
        (replace("subspace/scales", None), "subspace/scales: is missing"),
        (replace("subspace/axes", np.zeros((3, 6))), "axes: the 3 wrenches span only 0 dimensions"),
        (lambda file: file["subspace"].attrs.__delitem__("units"), "subspace/units: is missing"),
        (lambda file: file["method"].attrs.__setitem__("name", stored("Oracle")), "method: is 'Oracle'"),
        (lambda file: file["method"].attrs.__setitem__("luck", 7), "method: .*luck"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, change: Callable[[Any], None], message: str) -> None:
    save_space(known(), tmp_path / "a.h5")
    with pytest.raises(FileError, match=message) as caught:
        load_space(edited(tmp_path / "a.h5", change))
    assert str(tmp_path / "a.h5") in str(caught.value)


def test_what_is_no_file_of_ours_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_bytes(b"")
    (tmp_path / "b.h5").write_text("fx,fy,fz\n1,2,3\n", encoding="utf-8")
    with h5py.File(tmp_path / "c.h5", "w") as file:
        file["values"] = np.zeros(3)
    for name, message in {
        "a.h5": "is empty",
        "b.h5": "is not an HDF5 file",
        "c.h5": "is not a wrench space",
        "d.h5": "there is no such file",
        ".": "is a folder",
    }.items():
        with pytest.raises(FileError, match=message):
            load_space(tmp_path / name)
    with pytest.raises(FileError, match="create its folder first"):
        save_space(known(), tmp_path / "none" / "a.h5")


def test_a_file_cut_short_anywhere_is_found(tmp_path: Path) -> None:
    save_space(known(), tmp_path / "a.h5")
    data = (tmp_path / "a.h5").read_bytes()
    for length in np.random.default_rng(0).integers(1, len(data), 40):
        (tmp_path / "b.h5").write_bytes(data[:length])
        with pytest.raises(FileError, match="cut short|damaged|no HDF5"):
            load_space(tmp_path / "b.h5")


def test_a_changed_byte_is_found_or_changes_nothing(tmp_path: Path) -> None:
    whole = known()
    save_space(whole, tmp_path / "a.h5")
    data = (tmp_path / "a.h5").read_bytes()
    rng = np.random.default_rng(1)
    found = 0
    for place in rng.integers(8, len(data), 150):
        damaged = bytearray(data)
        damaged[place] ^= int(rng.integers(1, 256))
        (tmp_path / "b.h5").write_bytes(damaged)
        try:
            loaded = load_space(tmp_path / "b.h5")
        except FileError:
            found += 1
        else:
            assert_same(loaded, whole)  # a byte that nobody reads
    assert found > 75


def test_the_file_says_what_it_is_to_other_programs(tmp_path: Path) -> None:
    save_space(known(), tmp_path / "a.h5")
    with h5py.File(io.BytesIO((tmp_path / "a.h5").read_bytes())) as file:
        assert file.attrs["format"].decode() == FORMAT and file.attrs["holdfast"].decode() == hf.__version__
        assert file["subspace"].attrs["labels"].tolist() == [b"fx", b"ty", b"fz"]
        assert file["status"].attrs["names"].tolist() == [b"optimal", b"unbounded", b"does not hold", b"undecided"]
        assert file["method"].attrs["gap"] == 1e-4


def test_what_is_no_assembly_is_refused(tmp_path: Path) -> None:
    save_space(known(), tmp_path / "a.h5")
    with pytest.raises(InputError, match="assembly: is a str"):
        WrenchSpace.load(tmp_path / "a.h5", "x")  # pyright: ignore[reportArgumentType]


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
    with pytest.raises(FileError, match="create its folder first"):
        export_mesh(SPACE, tmp_path / "none" / "a.ply")
