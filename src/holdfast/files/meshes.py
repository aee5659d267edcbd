"""Triangle meshes in files, for every reader of meshes: plain files of known endings, read in a process with limits.

STL, OBJ, PLY, OFF and GLB are read by trimesh, Collada (.dae) by Coal, which comes with Pinocchio. No file that a mesh
names (materials, textures, buffers) is opened. The nodes of GLB and Collada, which may use one mesh many times, are
counted before anything is built.
"""

from __future__ import annotations

import io
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import Array, IntArray
from ..confinement import ProcessLimits, confined
from ..errors import FileError, HoldfastError, missing_extra
from ..inputs import LARGEST_TEXT, checked_path, file_bytes, parsed_xml, plain_file

#: Endings of the mesh files that are read.
MESH_ENDINGS = (".stl", ".obj", ".ply", ".off", ".glb", ".dae")

#: Limits of the process that reads the meshes of one robot, or one mesh.
LIMITS = ProcessLimits(seconds=30, memory=3 * 1024**3, output=512 * 1024**2)

#: Most nodes of a GLB or Collada file, each counted as often as it is used, and most of them inside each other.
MOST_NODES, DEEPEST_NODES = 2000, 100

#: Most corners of triangles that the nodes of a file use, each counted as often as it is used.
MOST_CORNERS = 10_000_000


@dataclass(frozen=True, eq=False)
class MeshData:
    """A triangle mesh, in the units of its file; of Collada in metres.

    Attributes:
        vertices: (n, 3), not all used.
        faces: (m, 3) numbers of the vertices of each triangle.
    """

    vertices: Array
    faces: IntArray


def read_mesh(path: str | PathLike[str]) -> MeshData:
    """The mesh in a file; see `read_meshes`."""
    (found,) = read_meshes([path])
    if isinstance(found, FileError):
        raise found
    return found


def read_meshes(paths: Sequence[str | PathLike[str]]) -> tuple[MeshData | FileError, ...]:
    """The mesh in each file, or the error that says why it cannot be read; in one process for all files."""
    stamps = [_stamp(str(checked_path(path))) for path in paths]
    different = tuple(dict.fromkeys(stamps))
    read = dict(zip(different, _read(different), strict=True)) if different else {}
    return tuple(read[stamp] for stamp in stamps)


def _stamp(name: str) -> tuple[str, int, int]:
    """(name, time of the last change, size) of a file; zeros where there is none."""
    try:
        state = Path(name).stat()
    except (OSError, ValueError):
        return name, 0, 0
    return name, state.st_mtime_ns, state.st_size


def _checked(place: Path) -> Path:
    """A plain file of a known ending and of bounded size."""
    if place.suffix.lower() not in MESH_ENDINGS:
        fix = f"save it as one of {', '.join(MESH_ENDINGS)}"
        raise FileError(f"is no mesh that is read: it ends in {place.suffix!r}", path=place, fix=fix)
    return plain_file(place, most=LARGEST_TEXT)


@lru_cache(maxsize=8)  # at most some 300 MB each
def _read(files: tuple[tuple[str, int, int], ...]) -> tuple[MeshData | FileError, ...]:
    """The meshes in files (name, time of the last change, size)."""
    names = [name for name, *_ in files]
    what = "cannot be read as a mesh" if len(names) == 1 else f"the {len(names)} meshes cannot be read"
    fix = f"check the file; formats: {', '.join(MESH_ENDINGS)}"
    try:
        data = confined("holdfast.files.meshes:_read_here", names, LIMITS, path=names[0], what=what, fix=fix)
    except FileError as error:  # kept, so that it is not tried again
        return tuple(FileError(error.what, path=name, fix=error.fix) for name in names)
    end = data.index(b"\n")
    found: list[MeshData | FileError] = []
    start = end + 1
    for name, entry in zip(names, json.loads(data[:end]), strict=True):
        if isinstance(entry, dict):
            found.append(FileError(entry["what"], path=name, fix=entry["fix"] or fix))
            continue
        parts = []
        for kind, count in ((np.float64, entry[0]), (np.int64, entry[1])):
            parts.append(np.frombuffer(data, kind, 3 * count, start).reshape(count, 3))
            start += parts[-1].nbytes
        found.append(MeshData(*parts))
    return tuple(found)


# In the process that reads.


def _read_here(names: Sequence[str]) -> bytes:
    """The meshes of files: one line of JSON with their sizes, or the error of each, then vertices and faces."""
    sizes, parts = [], []
    for name in names:
        try:
            vertices, faces = (_collada if name.lower().endswith(".dae") else _by_trimesh)(_checked(Path(name)))
            if not len(vertices) or not np.isfinite(vertices).all():
                raise ValueError("it has no vertices, or some that are no numbers")
            if len(faces) and not (faces.min() >= 0 and faces.max() < len(vertices)):
                raise ValueError("its faces name vertices that it does not have")
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - readers of meshes raise whatever they meet
            own = isinstance(error, HoldfastError)
            what = error.what if own else f"cannot be read as a mesh: {' '.join(str(error).split())}"
            sizes.append({"what": what, "fix": error.fix if own else ""})
            continue
        sizes.append([len(vertices), len(faces)])
        parts += [np.ascontiguousarray(vertices, np.float64).tobytes(), np.ascontiguousarray(faces, np.int64).tobytes()]
    return b"".join([json.dumps(sizes).encode(), b"\n", *parts])


def _by_trimesh(place: Path) -> tuple[Array, IntArray]:
    """(vertices (n, 3), faces (m, 3)) of a file that trimesh reads; without resolver it opens no other file."""
    data, ending = file_bytes(place), place.suffix.lower().removeprefix(".")
    if ending == "glb":
        _check_glb(data, place)
    elif ending == "obj":
        text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\\\n", "")
        data = text.replace("usemtl", "#").encode()  # each material would be a mesh of its own
    elif ending == "stl" and data.lower().count(b"endsolid") > MOST_NODES:
        raise FileError("has too many solids", path=place, fix=f"at most {MOST_NODES:,} solids in a file")
    import trimesh

    loaded: Any = trimesh.load(
        io.BytesIO(data), file_type=ending, resolver=None, force="mesh", process=False, skip_materials=True
    )
    faces = getattr(loaded, "faces", np.zeros((0, 3)))  # a cloud of points has none
    return np.array(loaded.vertices, float).reshape(-1, 3), np.array(faces, np.int64).reshape(-1, 3)


def _check_glb(data: bytes, place: Path) -> None:
    """Refuse a GLB file with nodes in each other, with too many nodes and faces, or with more than the file holds."""
    end = 20 + int.from_bytes(data[12:16], "little")
    if data[:4] != b"glTF" or data[16:20] != b"JSON" or end > len(data):
        raise ValueError("it is not GLB")
    content = json.loads(data[20:end])
    counts = [int(accessor["count"]) for accessor in content.get("accessors", [])]
    if any(not 0 <= count <= len(data) for count in counts):
        raise ValueError("it declares more numbers than it has")
    meshes = [
        sum(counts[part.get("indices", part["attributes"]["POSITION"])] for part in mesh["primitives"])
        for mesh in content.get("meshes", [])
    ]
    if sum(len(mesh["primitives"]) for mesh in content.get("meshes", [])) > MOST_NODES:
        raise FileError("has too many parts of meshes", path=place, fix=f"at most {MOST_NODES:,} primitives")
    nodes = content.get("nodes", [])
    corners: dict[Hashable, int] = {number: meshes[node["mesh"]] for number, node in enumerate(nodes) if "mesh" in node}
    _check_nodes({number: node.get("children", ()) for number, node in enumerate(nodes)}, corners, place)


def _collada(place: Path) -> tuple[Array, IntArray]:
    """(vertices (n, 3) [m], faces (m, 3)) of a Collada file, whose nodes have been checked, by Coal."""
    root = parsed_xml(file_bytes(place).decode("utf-8-sig", "replace"), place)
    if root.tag.rpartition("}")[2] != "COLLADA":
        raise ValueError(f"it begins with <{root.tag}>, not with <COLLADA>")
    _check_collada(root, place)
    try:
        import coal
    except ImportError:
        raise missing_extra("coal", "robots", purpose="Collada meshes (.dae)") from None
    unit = root.find("{*}asset/{*}unit")
    loader: Any = coal.MeshLoader()  # pyright: ignore[reportAttributeAccessIssue]
    found: Any = loader.load(str(place), np.ones(3))
    vertices = np.array(found.vertices(), float).reshape(-1, 3) * float("1" if unit is None else unit.get("meter", "1"))
    triangles = (found.tri_indices(number) for number in range(found.num_tris))
    return vertices, np.array([[t[0], t[1], t[2]] for t in triangles], np.int64).reshape(-1, 3)


def _check_collada(root: Any, place: Path) -> None:
    """Refuse a Collada file with nodes or controllers in each other, or with too many nodes and faces."""
    sizes = {
        part.get("id"): sum(len((indices.text or "").split()) for indices in part.iterfind(".//{*}p"))
        for part in root.iterfind(".//{*}geometry")
    }
    nodes = list(root.iterfind(".//{*}node"))
    named: dict[str, list[Any]] = {}
    for node in nodes:
        for key in {node.get("id", ""), node.get("name", "")}:  # some files refer to names
            named.setdefault(key, []).append(node)
    children: dict[Hashable, list[Any]] = {}
    corners: dict[Hashable, int] = {}
    for part in root.iterfind(".//{*}controller"):  # a skin of a geometry, or of another controller
        skinned = [_named(skin, "source") for kind in ("skin", "morph") for skin in part.iterfind(f".//{{*}}{kind}")]
        children.setdefault(part.get("id"), []).extend(skinned)
        corners[part.get("id")] = sum(sizes.get(name, 0) for name in skinned)
    for node in nodes:
        used = [_named(part, "url") for part in node.findall("{*}instance_node")]
        children[node] = [*node.findall("{*}node"), *(other for name in used for other in named.get(name, ()))]
        children[node] += [_named(part, "url") for part in node.findall("{*}instance_controller")]
        corners[node] = sum(sizes.get(_named(part, "url"), 0) for part in node.findall("{*}instance_geometry"))
    _check_nodes(children, corners, place)


def _named(part: Any, attribute: str) -> str:
    """What an element of Collada refers to."""
    return part.get(attribute, "").removeprefix("#")


def _check_nodes(children: Mapping[Hashable, Sequence[Hashable]], corners: Mapping[Hashable, int], place: Path) -> None:
    """Refuse nodes in each other, too deep, and more than the limits, each node counted as often as it is used.

    Args:
        children: of each node, by its key.
        corners: corners of the triangles of each node.
        place: the file named in errors.
    """
    measured: dict[Hashable, tuple[int, int, int]] = {}  # nodes, corners, depth

    def checked(found: tuple[int, int, int], above: int) -> tuple[int, int, int]:
        if above + found[2] > DEEPEST_NODES:
            fix = f"at most {DEEPEST_NODES} nodes inside each other, and none inside itself"
            raise FileError("has nodes that are nested too deeply, or in themselves", path=place, fix=fix)
        if found[0] > MOST_NODES or found[1] > MOST_CORNERS:
            fix = f"at most {MOST_NODES:,} nodes and {MOST_CORNERS // 3:,} triangles, each as often as it is used"
            raise FileError("has too many nodes or triangles", path=place, fix=fix)
        return found

    def measure(node: Hashable, above: int) -> tuple[int, int, int]:
        if node not in measured:
            checked((1, 0, 1), above)  # a node in itself ends here
            below = [measure(child, above + 1) for child in children.get(node, ())]
            sums = [sum(part[i] for part in below) for i in (0, 1)]
            depth = max((part[2] for part in below), default=0)
            measured[node] = (1 + sums[0], corners.get(node, 0) + sums[1], 1 + depth)
        return checked(measured[node], above)

    for node in children:
        measure(node, 0)
    inside = {child for own in children.values() for child in own}
    tops = [measured[node] for node in children if node not in inside]
    checked((sum(part[0] for part in tops), sum(part[1] for part in tops), 0), 0)
