"""Meshes of known endings are read as their own programs read them; hostile ones are refused within limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

from holdfast.errors import FileError
from holdfast.files.meshes import MESH_ENDINGS, read_mesh, read_meshes

#: How long a file may take to be refused, in a process of its own [s].
MOST_SECONDS = 40.0

#: Reads a mesh through both public doors: the feet of a robot, and a patch of a contact.
READER = """
import resource, sys, warnings
import holdfast as hf
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30,) * 2)
warnings.simplefilter("ignore")
name = sys.argv[1]
robot = hf.Robot.from_urdf(f'<robot name="x"><link name="a"><inertial><mass value="1"/></inertial><collision>'
    f'<geometry><mesh filename="file://{name}"/></geometry></collision></link></robot>')
for read in (lambda: hf.robots.find_feet(robot, robot.neutral()),
             lambda: hf.assembly.patch_from_mesh(name, hf.models.coulomb(0.5), points=1, shear=(1, 0, 0))):
    try:
        read()
        print("read")
    except hf.HoldfastError as error:
        print("refused", error)
"""

SQUARE = "0 0 0 1 0 0 1 1 0 0 1 0"


def collada(nodes: str, library: str = "", *, faces: str = "0 1 2 0 2 3", head: str = "", points: str = SQUARE) -> str:
    """A Collada file with one geometry and the nodes of its scene."""
    count = len(points.split())
    return f"""<?xml version="1.0"?>{head}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="{count}">{points}</float_array>
<technique_common><accessor source="#a" count="{count // 3}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(faces.split()) // 3}"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>
</mesh></geometry></library_geometries><library_nodes>{library}</library_nodes>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


USED = '<node id="n"><instance_geometry url="#g"/></node>'


def with_controllers(sources: dict[str, str]) -> str:
    """A Collada file with the skin of each controller, by the name of what it changes."""
    skins = "".join(f'<controller id="{name}"><skin source="#{of}"/></controller>' for name, of in sources.items())
    return collada(USED).replace(
        "<library_nodes>", f"<library_controllers>{skins}</library_controllers><library_nodes>"
    )


def doubled(levels: int, leaf: str = '<instance_geometry url="#g"/>') -> str:
    """Nodes that use the next one twice: 2^levels in all."""
    twice = '<instance_node url="#n{0}"/><instance_node url="#n{0}"/>'
    return "".join(f'<node id="n{k}">{twice.format(k + 1)}</node>' for k in range(levels)) + (
        f'<node id="n{levels}">{leaf}</node>'
    )


def glb(nodes: list[dict[str, object]], **changes: object) -> bytes:
    """A GLB file of one triangle that the nodes use."""
    content = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36}],
    } | changes
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    data = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    chunks = [(text, b"JSON"), (data, b"BIN\0")]
    body = b"".join(len(part).to_bytes(4, "little") + kind + part for part, kind in chunks)
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


LAUGHS = (
    "<!DOCTYPE a [<!ENTITY e0 'ha'>" + "".join(f"<!ENTITY e{k} '{f'&e{k - 1};' * 10}'>" for k in range(1, 10)) + "]>"
)
BOX = trimesh.creation.box().export(file_type="obj")

ATTACKS = {
    "itself.dae": collada('<node id="n"><instance_node url="#n"/><instance_geometry url="#g"/></node>'),
    "circle.dae": collada(
        USED + '<node><instance_node url="#a"/></node>',
        '<node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node>',
    ),
    "circle_of_names.dae": collada('<node name="n"><node><instance_node url="#n"/></node></node>' + USED),
    "skin_of_itself.dae": with_controllers({"c": "c"}),
    "skins_in_a_circle.dae": with_controllers({"c": "d", "d": "e", "e": "d"}),
    "hidden_skin.dae": with_controllers({"c": "c"}).replace("</controller>", '<extra source="#g"/></controller>'),
    "nested.dae": collada("<node>" * 200_000 + "</node>" * 200_000),
    "chain.dae": collada(
        '<node><instance_node url="#n0"/></node>',
        "".join(f'<node id="n{k}"><instance_node url="#n{k + 1}"/></node>' for k in range(100_000)),
    ),
    "doubled.dae": collada('<node><instance_node url="#n0"/></node>', doubled(40)),
    "doubled_a_little.dae": collada('<node><instance_node url="#n0"/></node>', doubled(9), faces="0 1 2 " * 50_000),
    "many.dae": collada('<node><instance_geometry url="#g"/></node>' * 20_000),
    "entities.dae": collada(USED, head=LAUGHS, points="&e9;"),
    "outside.dae": collada(USED, head="<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///dev/zero'>]>", points="&e;"),
    "not_a_number.dae": collada(USED, points=SQUARE.replace("1", "nan")),
    "no_vertex.dae": collada(USED, faces="0 1 900000"),
    "another.dae": "ply\nformat ascii 1.0\n",
    "itself.glb": glb([{"children": [0], "mesh": 0}]),
    "doubled.glb": glb([{"children": [k + 1, k + 1]} for k in range(40)] + [{"mesh": 0}]),
    "chain.glb": glb([{"children": [k + 1]} for k in range(20_000)] + [{"mesh": 0}]),
    "many.glb": glb([{"children": list(range(1, 20_001))}, *[{"mesh": 0}] * 20_000]),
    "parts.glb": glb([{"mesh": 0}], meshes=[{"primitives": [{"attributes": {"POSITION": 0}}] * 50_000}]),
    "empty_numbers.glb": glb([{"mesh": 0}], accessors=[{"componentType": 5126, "count": 10**10, "type": "VEC3"}]),
    "outside.glb": glb([{"mesh": 0}], buffers=[{"byteLength": 36, "uri": "/dev/zero"}]),
    "huge.ply": "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\n"
    "property float z\nend_header\n0 0 0\n",
    "huge.off": "OFF\n99999999999 99999999999 0\n0 0 0\n",
    "huge.stl": bytes(80) + b"\xff" * 4 + bytes(100),
    "solids.stl": "solid a\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid\n" * 200_000,
    "model.stl.bz2": b"BZh91AY&SY",
    "model.zip": b"PK\x03\x04",
    "model.gltf": json.dumps({"asset": {"version": "2.0"}, "nodes": [{"children": [0]}]}),
    "model.stl": None,  # a named pipe
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the limits are those of POSIX")
@pytest.mark.parametrize("name", ATTACKS)
def test_a_hostile_mesh_is_refused_and_ends_nothing(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    path, content = tmp_path / name, ATTACKS[name]
    if content is None:
        os.mkfifo(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    command = [sys.executable, "-c", READER, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    said = done.stdout.splitlines()
    assert done.returncode == 0 and len(said) == 2, done.stderr
    assert all(line.startswith("refused") and line.endswith(")") for line in said), said
    assert "by itself" not in done.stdout  # before a limit ends it


def test_materials_and_textures_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    use = ("usemtl", "use\\\nmtl", "usemtl\\\r\n")
    changes = "".join(f"{use[k % 3]} m{k}\nf 1 2 3\n" for k in range(20_000))  # of material, for each face
    (tmp_path / "a.obj").write_text(f"mtllib pipe\nmtllib /dev/zero\n{BOX}\n{changes}")
    ply = trimesh.creation.box().export(file_type="ply", encoding="ascii").decode()
    (tmp_path / "a.ply").write_text(ply.replace("end_header", "comment TextureFile pipe\nend_header"))
    image = '<library_images><image id="i"><init_from>pipe</init_from></image></library_images>'
    (tmp_path / "a.dae").write_text(collada(USED).replace("<library_geometries>", f"{image}<library_geometries>"))
    found = read_meshes([tmp_path / f"a.{ending}" for ending in ("obj", "ply", "dae")])
    assert [len(mesh.faces) for mesh in found] == [20_012, 12, 2]


@pytest.mark.parametrize("ending", [ending for ending in MESH_ENDINGS if ending != ".dae"])
def test_a_mesh_has_the_volume_of_its_file(ending: str, tmp_path: Path) -> None:
    scene = trimesh.Scene(
        [trimesh.creation.box((1, 2, 3)), trimesh.creation.box((1, 1, 1)).apply_translation((5, 0, 0))]
    )
    made = scene if ending == ".glb" else scene.to_mesh()
    made.export(tmp_path / f"a{ending}")
    mesh = read_mesh(tmp_path / f"a{ending}")
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).volume == pytest.approx(7.0)
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([6.0, 2.0, 3.0])


def test_collada_nodes_are_placed_as_coal_places_them_in_metres(tmp_path: Path) -> None:
    coal = pytest.importorskip("coal")
    turn = '<rotate>0 0 1 90</rotate><translate>3 0 0</translate><scale>2 1 1</scale><instance_node url="#n0"/>'
    (tmp_path / "a.dae").write_text(collada(f"<node>{turn}</node>{USED}", doubled(3)))
    mesh = read_mesh(tmp_path / "a.dae")
    assert_allclose(mesh.vertices, 0.01 * coal.MeshLoader().load(str(tmp_path / "a.dae"), np.ones(3)).vertices())
    assert len(mesh.faces) == 2 * 9 and not mesh.vertices.flags.writeable
    (tmp_path / "a.dae").write_text(collada(USED))
    assert len(read_mesh(tmp_path / "a.dae").faces) == 2  # a changed file is read again


def test_one_bad_mesh_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(BOX)
    (tmp_path / "b.obj").write_text("nothing")
    good, bad, missing = read_meshes([tmp_path / "a.obj", tmp_path / "b.obj", tmp_path / "a.ob"])
    assert len(good.faces) == 12 and isinstance(bad, FileError) and isinstance(missing, FileError)
    with pytest.raises(FileError, match=r"b\.obj: cannot be read as a mesh"):
        read_mesh(tmp_path / "b.obj")
