"""Damaged and hostile files of every kind that Holdfast reads, each the same for its number and seed.

They start from small sound files and are changed: bytes flipped, cut, repeated; numbers replaced by huge, negative or
missing ones; values by other types; keys twice; deep nesting, long lists, odd letters, null characters; archives that
point to other files or declare more than they hold; pictures whose header states another size.
"""

from __future__ import annotations

import copy
import io
import json
import random
import re
import struct
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import holdfast as hf

DATA = Path(hf.__file__).parent / "data"

#: Numbers that are hard to swallow, as text.
NUMBERS = (
    *("0", "-0", "-1", "1e-320", "1e-30", "1e9", "1e30", "1e200", "1e308", "1e400", "-1e400", "nan"),
    *(".nan", "NaN", "inf", "-inf", ".inf", "Infinity", "0x10", "1_000", "1,5", "1e", "--1", "true"),
    *("null", "2147483648", "18446744073709551616", "0.1.2", "\u0663", "1e-5000"),
    *("", "1 2", "9" * 30, "9" * 5000),
)

#: Pieces of text that files should not have.
WORDS = (
    *("\x00", "\ufeff", "\u202e", "\xe9", "\u65e5\u672c", "\U0001f600", "\ud7ff", "\t", "\r", "\n\n", " "),
    *("'", '"', "\\", "%", "#", "&", "<", ">", "&lt;", "&x;", "<!--", "-->", "<![CDATA[", "]]>", "<a>"),
    *("</a>", "${", "$(", "}", "{", "[", "]", "- ", ": ", "*a", "&a ", "!!", "!!python/object:os.system"),
    *("<<: *a", "../../etc/passwd", "/dev/zero", "file:///etc/passwd", "package://", "@", "@none", "null"),
    *("true", "[]", "{}", "~", "NaN"),
    "a" * 300,
)

#: Values of other types, for the fields of YAML and JSON.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 10**30, -(10**18), 1e-320, 1e300, -1e300, 1e9, float("nan"), float("inf"), 0.5),
    *("", "a", "é\0", "a" * 5000, "../x", "/dev/zero", "@arch", [], {}, [[]], [0, 0, 0], [1, 2], [1, 2, 3, 4]),
    *(["x", "y", "z"], [1e300] * 3, [float("nan")] * 3, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0] * 500),
    *({"a": 1}, {"": ""}, {"model": "coulomb", "mu": -1}),
)


# -- changes of bytes and of text -------------------------------------------------------------------


def changed_bytes(data: bytes, rng: random.Random) -> bytes:
    """Some bytes flipped, cut, repeated or replaced."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at, length = rng.randrange(len(found) + 1), rng.choice((1, 2, 4, 16, 100))
        way = rng.randrange(6)
        if way == 0 and found:
            found[min(at, len(found) - 1)] ^= 1 << rng.randrange(8)
        elif way == 1:
            found[at : at + length] = b""
        elif way == 2:
            found[at:at] = found[at : at + length]
        elif way == 3:
            found[at : at + length] = rng.randbytes(length)
        elif way == 4:
            found[at : at + length] = rng.choice((b"\0", b"\xff")) * length
        elif rng.random() < 0.3:
            del found[at:]
    return bytes(found)


_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[A-Za-z_]\w+")


def changed_text(data: bytes, rng: random.Random) -> bytes:
    """Numbers, words, lines and brackets of a text changed."""
    text = data.decode()
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        way = rng.randrange(9)
        if way <= 2:
            text = _replaced(text, _NUMBER, rng.choice(NUMBERS), rng)
        elif way == 3:
            words = _WORD.findall(text)
            text = _replaced(text, _WORD, rng.choice(words) if words and rng.random() < 0.6 else rng.choice(WORDS), rng)
        elif way == 4:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif way == 5:
            lines = text.splitlines(keepends=True) or [""]
            at = rng.randrange(len(lines))
            lines[at : at + 1] = [lines[at]] * rng.choice((0, 2, 2, 30))
            text = "".join(lines)
        elif way == 6:
            at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
            text = text[:at] + text[at : min(end, at + 200)] * rng.choice((0, 2, 50)) + text[min(end, at + 200) :]
        elif way == 7:
            text = _nested(text, rng)
        elif rng.random() < 0.5:
            return changed_bytes(text.encode("utf-8", "replace"), rng)
        if len(text) > 300_000:
            break
    return text.encode("utf-8", "replace")


def _replaced(text: str, pattern: re.Pattern[str], by: str, rng: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text + by
    one = rng.choice(found)
    return text[: one.start()] + by + text[one.end() :]


def _nested(text: str, rng: random.Random) -> str:
    """Many elements or brackets inside each other, around a part of the text or in it."""
    depth = rng.choice((3, 20, 60, 110, 1100, 1100, 20_000))
    if depth == 20_000 and rng.random() < 0.9:
        depth = 200
    if "<" in text and rng.random() < 0.8:
        opened, closed, found = "<g>", "</g>", [match.end() for match in re.finditer(">", text)]
    else:
        opened, closed = rng.choice((("[", "]"), ("{a: ", "}"), ("- ", ""), ('{"a":', "}"), ("(", ")")))
        found = [match.end() for match in re.finditer(r"[:,\n]", text)]
    at = rng.choice(found) if found else 0
    return text[:at] + opened * depth + closed * (depth if rng.random() < 0.9 else depth // 2) + text[at:]


# -- changes of data --------------------------------------------------------------------------------


def changed_data(data: Any, rng: random.Random) -> bytes:
    """A tree of dictionaries and lists with some of its values changed, as JSON, which is YAML too."""
    tree = {"": copy.deepcopy(data)}
    for _ in range(rng.choice((1, 1, 2, 3))):
        parent, key = _place(tree, rng)
        _change(parent, key, rng)
    text = json.dumps(tree[""])
    if rng.random() < 0.1:  # a key twice
        found = re.findall(r'"(\w+)":', text)
        if found:
            text = text.replace("{", f'{{"{rng.choice(found)}": 1, ', rng.choice((1, -1)))
    return text.encode("utf-8", "replace")


def _place(tree: Any, rng: random.Random) -> tuple[Any, Any]:
    """A random parent and the key of one of its values."""
    parent: Any = tree
    key: Any = ""
    while rng.random() < 0.8:
        value = parent[key]
        if not isinstance(value, (dict, list)) or not value:
            break
        parent, key = value, rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    return parent, key


def _change(parent: Any, key: Any, rng: random.Random) -> None:
    value, way = parent[key], rng.randrange(10)
    if way <= 4:
        parent[key] = copy.deepcopy(rng.choice(VALUES))
    elif way == 5 and isinstance(value, (int, float)) and not isinstance(value, bool):
        parent[key] = value * rng.choice((-1, 0, 1e-12, 1e6, 1e12, 2, 1.0001))
    elif way == 6 and isinstance(parent, dict) and key:
        parent[rng.choice((key + "x", "", "é", "unknown", key.upper()))] = value
    elif way == 7 and key != "":
        del parent[key]
    elif way == 8 and isinstance(value, list) and value:
        parent[key] = (value * rng.choice((2, 3, 40)))[: rng.choice((1, 2, 5, 1000))]
    elif way == 9:
        for _ in range(rng.choice((1, 5, 60, 300))):
            value = [value] if rng.random() < 0.5 else {"a": value}
        parent[key] = value
    else:
        parent[key] = copy.deepcopy(rng.choice(VALUES))


# -- kinds of files ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class HostileKind:
    """A kind of file.

    Attributes:
        name: of the kind; names of saved inputs begin with it.
        ending: of the file's name.
        sound: sound files, of which others are made.
        change: makes a file from a sound one.
        load: reads it; a HoldfastError is a refusal.
        share: how often it comes, compared with others.
    """

    name: str
    ending: str
    sound: Callable[[], list[Any]]
    change: Callable[[Any, random.Random], bytes]
    load: Callable[[Path], object]
    share: int = 1


def _yaml_seeds(folder: str, names: str) -> Callable[[], list[Any]]:
    """The text of ready files of one folder, and their data."""

    def seeds() -> list[Any]:
        from holdfast.files.yaml_source import read_source

        paths = [DATA / folder / f"{name}.yaml" for name in names.split()]
        return [(path.read_bytes(), read_source(path).data) for path in paths]

    return seeds


def _changed_yaml(seed: tuple[bytes, Any], rng: random.Random) -> bytes:
    return changed_data(seed[1], rng) if rng.random() < 0.7 else changed_text(seed[0], rng)


def _load_posture(path: Path) -> None:
    from holdfast.postures.files import POSTURES

    found = POSTURES.faults(path, learn=False)
    if found:
        raise found[0]


def _changed_json(seed: bytes, rng: random.Random) -> bytes:
    return changed_data(json.loads(seed), rng) if rng.random() < 0.7 else changed_text(seed, rng)


def _robot_seeds() -> list[Any]:
    urdf = str(DATA / "robots" / "two_finger_gripper.urdf")
    data = {
        "holdfast": 1,
        "robot": {"urdf": urdf, "base": "floating"},
        "volumes": {"feet": {"model": "coulomb", "mu": 0.6}},
        "posture": {"joints": {"left_P": 0.1}},
        "feet": {"links": ["left_D", "right_D"]},
    }
    return [(json.dumps(data, indent=1).encode(), data)]


def _load_robot(path: Path) -> object:
    from holdfast.robots.files import load_robot

    return load_robot(path)


def _load_urdf(path: Path) -> object:
    from holdfast.robots import Robot
    from holdfast.robots.urdf import read_urdf

    # a share goes through the kinematics of Pinocchio
    return Robot.from_urdf(path) if zlib.crc32(path.read_bytes()) % 8 == 0 else read_urdf(path)


SMALL_URDF = b"""<robot name="arm">
 <link name="a"><inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><cylinder radius="0.1" length="0.5"/></geometry></visual></link>
 <link name="b"><inertial><mass value="2"/></inertial><collision><geometry><mesh filename="package://arm/b.stl" scale="1 1 1"/></geometry></collision></link>
 <link name="c"><inertial><mass value="0.5"/></inertial><visual><geometry><sphere radius="0.2"/></geometry></visual></link>
 <joint name="ab" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/><dynamics friction="0.1"/></joint>
 <joint name="bc" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="5" velocity="1"/><mimic joint="ab" multiplier="2" offset="0.1"/></joint>
</robot>
"""  # noqa: E501

XACRO = b"""<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
 <xacro:arg name="mass" default="2"/><xacro:property name="deg" value="${pi / 180}"/>
 <xacro:macro name="part" params="name mass"><link name="${name}"><inertial><mass value="${mass}"/></inertial></link></xacro:macro>
 <xacro:part name="a" mass="$(arg mass)"/><xacro:part name="b" mass="1"/>
 <xacro:if value="${1 &lt; 2}"><link name="c"><inertial><mass value="${2 * 3}"/></inertial></link></xacro:if>
 <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="${-90 * deg}" upper="1" effort="3" velocity="1"/></joint>
 <joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>
</robot>
"""  # noqa: E501

SRDF = b"""<robot name="arm">
 <virtual_joint name="world" type="floating" parent_frame="world" child_link="a"/>
 <group name="all"><joint name="ab"/><link name="b"/><chain base_link="a" tip_link="c"/></group>
 <group_state name="home" group="all"><joint name="ab" value="0.5"/><joint name="bc" value="1"/></group_state>
 <end_effector name="hand" parent_link="c" group="all"/>
 <disable_collisions link1="a" link2="b" reason="Adjacent"/>
</robot>
"""

MJCF = b"""<mujoco model="m"><compiler angle="radian"/>
 <worldbody><body name="base" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/>
  <body name="leg" pos="0.1 0 0"><joint name="hip" axis="0 1 0" range="-1 1" limited="true" frictionloss="0.1"/>
   <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" density="500"/>
   <site name="tip" pos="0 0 -0.4"/></body></body></worldbody>
 <actuator><motor joint="hip" gear="2" ctrlrange="-3 3"/></actuator>
 <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.2"/></keyframe>
</mujoco>
"""


def _load_xacro(path: Path) -> object:
    from holdfast.robots.urdf import read_urdf

    return read_urdf(path, trust=True)


def _load_srdf(path: Path) -> object:
    from holdfast.robots.srdf import read_srdf

    return read_srdf(path)


def _load_mjcf(path: Path) -> object:
    from holdfast.robots import Robot

    return Robot.from_mjcf(path)


def _load_part(path: Path) -> object:
    from holdfast.grasps.contour_files import read_workpiece

    return read_workpiece(path)


SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="80mm" viewBox="0 0 100 80">'
    b'<rect width="100" height="80" fill="white"/><g transform="translate(5 5) rotate(10)"><path fill="black" '
    b'd="M10 10 h40 v20 C50 40 40 50 30 40 S10 40 10 30 Q5 20 10 10 Z M20 15 a5 5 0 0 1 10 0 L25 25 z"/></g></svg>',
    b'<svg viewBox="0 0 90 90"><circle cx="40" cy="40" r="20" fill="none" stroke="black"/><ellipse cx="40" cy="40" '
    b'rx="9" ry="5" style="fill:none;stroke:#000"/><polygon points="1,1 9,1 9,9" fill="none" stroke="red"/></svg>',
    b'<svg><path d="M0 0 A30 20 0 1 1 50 50 A 30 20 15 0 0 0 0 Z"/>'
    b'<rect x="5" y="60" width="30" height="20" rx="4"/></svg>',
)
DXF = (
    b"0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n4\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n0\nLWPOLYLINE\n8\n0\n90\n4\n70\n1\n"
    b"10\n0\n20\n0\n10\n60\n20\n0\n42\n0.5\n10\n60\n20\n40\n10\n0\n20\n40\n0\nCIRCLE\n8\n0\n10\n30\n20\n20\n40\n8\n0\nENDSEC\n0\nEOF\n",
    b"0\nSECTION\n2\nENTITIES\n0\nLINE\n10\n0\n20\n0\n11\n50\n21\n0\n0\nARC\n10\n50\n20\n20\n40\n20\n50\n270\n51\n90\n"
    b"0\nLINE\n10\n50\n20\n40\n11\n0\n21\n40\n0\nSPLINE\n71\n3\n73\n4\n40\n0\n40\n0\n40\n0\n40\n0\n40\n1\n40\n1\n40\n1\n40\n1\n"
    b"10\n0\n20\n40\n10\n-9\n20\n30\n10\n-9\n20\n9\n10\n0\n20\n0\n0\nELLIPSE\n10\n20\n20\n20\n11\n9\n21\n0\n40\n0.5\n41\n0\n42\n6.283185307\n"
    b"0\nENDSEC\n0\nEOF\n",
)
POINTS = (
    b"x,y\n0,0\n50,0\n50,30\n20,40\n0,30\n\n10,10\n20,10\n20,20\n10,20\n",
    b"0;0;a\n40,5;0;a\n40;30;a\n0;30;a\n9;9;b\n15;9;b\n15;15;b\n",
    b"# part\n0 0\n40 0\n40 30\n0 30\n",
)
MEASURED = (
    b"fx [N],fy [N],fz [N],trial,unit\n1,0,0,1,a\n-1,0,0,1,a\n0,1,0,1,b\n0,-1,0,1,b\n0,0,1,1,a\n0,0,-1,1,a\n",
    b"azimuth,elevation,force_N,preload [N]\n0,0,1,0\n90,0,1,5\n180,0,1,0\n270,0,1,5\n0,90,2,0\n0,-90,1,0\n",
    b"# pull-off\nforce\n1.5\n1.7\n1.4\n1.6\n",
)


def _load_measured(path: Path) -> object:
    from holdfast.force_limits.measurements import read_measurements

    return read_measurements(path)


@cache
def _saved(suffix: str) -> list[bytes]:
    """Small files that Holdfast wrote itself: JSON or HDF5."""
    import tempfile

    from holdfast.force_limits.files import save_volume

    rng = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if suffix == "json":
            directions = rng.normal(size=(20, 3))
            hf.LimitSurface.from_samples(directions / np.linalg.norm(directions, axis=1)[:, None]).save(
                place / "a.json"
            )
            save_volume(hf.models.coulomb(0.5), place / "b.json")
            return [(place / name).read_bytes() for name in ("a.json", "b.json")]
        hf.Grip(rng.normal(size=(12, 6))).save(place / "a.h5")
        hf.coulomb_grip(0.5, sides=4).save(place / "b.h5")
        places, frame = np.diag([1.0, 2.0, 0.0]), hf.frame_from_normal([0, 0, 1])
        assembly = hf.Assembly([hf.Contact(place, frame, hf.models.coulomb(0.5)) for place in places])
        hf.wrench_space(assembly, rng.normal(size=(5, 6))).save(place / "c.h5")
        return [(place / name).read_bytes() for name in ("a.h5", "b.h5", "c.h5")]


def _changed_archive(seed: bytes, rng: random.Random) -> bytes:
    """Bytes changed; or an array or a fact of the file replaced, moved elsewhere, or declared larger than it is."""
    import h5py

    if rng.random() < 0.5:
        return changed_bytes(seed, rng)
    memory = io.BytesIO(seed)
    with h5py.File(memory, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = rng.choice(names)
        way = rng.randrange(9)
        if way <= 1:
            place = rng.choice([file, *(file[one] for one in names)])
            key = rng.choice([*place.attrs, "format", "version", "extra"])
            value = rng.choice(
                [v for v in VALUES if v is not None and not isinstance(v, (dict, list)) and v != 10**30 and v != "é\0"]
            )
            place.attrs[key] = np.bytes_(value.encode()) if isinstance(value, str) and rng.random() < 0.8 else value
            return _closed(file, memory)
        shape = tuple(getattr(file[name], "shape", (3,)) or (3,))
        del file[name]
        if way == 2:
            file[name] = np.full(
                shape[:1] if rng.random() < 0.3 else shape, rng.choice((np.nan, np.inf, 0.0, -1.0, 1e300))
            )
        elif way == 3:
            huge = tuple(rng.choice((1, 10**5, 10**9)) for _ in shape)
            file.create_dataset(name, huge, dtype="f8", chunks=tuple(min(n, 10) for n in huge), compression="gzip")
        elif way == 4:
            file.create_dataset(name, shape, dtype="f8", external=[("/etc/passwd", 0, int(np.prod(shape)) * 8)])
        elif way == 5:
            layout = h5py.VirtualLayout(shape=shape, dtype="f8")
            layout[...] = h5py.VirtualSource("none.h5", "x", shape=shape)
            file.create_virtual_dataset(name, layout)
        elif way == 6:
            target = rng.choice(("/etc/passwd", "other.h5"))
            file[name] = rng.choice((h5py.SoftLink("/"), h5py.SoftLink("/none"), h5py.ExternalLink(target, "/x")))
        elif way == 7:
            file[name] = rng.choice(("words", [b"a", b"b"], np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]), 1 + 2j))
        else:
            group = file.create_group(name)
            group["loop"] = file["/"] if rng.random() < 0.5 else np.zeros(3)
        return _closed(file, memory)


def _closed(file: Any, memory: io.BytesIO) -> bytes:
    file.flush()
    return memory.getvalue()


def _load_any(path: Path) -> object:
    return hf.load(path)


# -- journals ---------------------------------------------------------------------------------------


def _identity() -> Any:
    from holdfast.jobs.journal import Identity

    return Identity("key", 6, "queries", 2)


def _journal_seeds() -> list[bytes]:
    identity = _identity()
    lines = [identity.record(k, {"value": [k, 0.5], "words": "text"}) for k in range(6)]
    return [identity.header(finished=False) + b"".join(lines[:4]), identity.header(finished=True) + b"".join(lines)]


def _changed_journal(seed: bytes, rng: random.Random) -> bytes:
    """Bytes changed; or lines with a right checksum and a content that no sweep wrote."""
    from holdfast.jobs.journal import _checked  # pyright: ignore[reportPrivateUsage]

    if rng.random() < 0.6:
        return changed_bytes(seed, rng)
    lines = seed.splitlines(keepends=True)
    identity, value = _identity(), copy.deepcopy(rng.choice(VALUES))
    for _ in range(rng.choice((1, 300))):
        value = [value]
    mark = "header" if rng.random() < 0.3 else identity._mark  # pyright: ignore[reportPrivateUsage]
    fields = rng.choice(
        ({"index": value, "result": 1}, {"index": 2}, {"index": 3, "result": value}, {}, {"finished": 1})
    )
    lines.insert(rng.randrange(len(lines) + 1), _checked(fields, mark))
    return b"".join(lines)


def _load_journal(path: Path) -> object:
    from holdfast.jobs.journal import read_records

    return read_records(path.read_bytes(), _identity(), path)


# -- pictures ---------------------------------------------------------------------------------------


@cache
def _pictures(kind: str) -> list[bytes]:
    """Small pictures of a disc in one format."""
    from PIL import Image

    y, x = np.mgrid[:40, :48]
    inside = (x - 24) ** 2 + (y - 20) ** 2 < 150
    colours = np.where(inside[:, :, None], [200, 40, 30], [30, 120, 90]).astype(np.uint8)
    grey = np.where(inside, 40, 210).astype(np.uint8)
    opaque = np.dstack([colours, np.where(inside, 255, 0).astype(np.uint8)])
    pictures = [Image.fromarray(colours), Image.fromarray(grey)]
    if kind in ("PNG", "TIFF"):
        pictures += [Image.fromarray(opaque), Image.fromarray(grey.astype(np.uint16) * 257), pictures[0].convert("P")]
    if kind == "JPEG":
        pictures += [pictures[0].convert("CMYK")]
    found = []
    for picture in pictures:
        memory = io.BytesIO()
        picture.save(
            memory,
            kind,
            **(
                {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"}
                if kind in ("PNG", "JPEG")
                else {}
            ),
        )
        found.append(memory.getvalue())
    return found


def _changed_picture(seed: bytes, rng: random.Random) -> bytes:
    """Bytes changed; or, of a PNG, the header with another size or type and a right checksum."""
    if not seed.startswith(b"\x89PNG") or rng.random() < 0.6:
        return changed_bytes(seed, rng)
    header = bytearray(seed[16:29])
    if rng.random() < 0.5:
        sizes = [rng.choice((0, 1, 7, 40, 5000, 30_000, 2**31 - 1)) for _ in range(2)]
        header[:8] = struct.pack(">II", *sizes)
    else:
        header[8 + rng.randrange(5)] = rng.randrange(20)
    return seed[:16] + bytes(header) + struct.pack(">I", zlib.crc32(b"IHDR" + header)) + seed[33:]


def _load_picture(path: Path) -> object:
    from holdfast.grasps.contour_files import read_workpiece
    from holdfast.grasps.pictures import read_photograph

    # a share is segmented too, which takes longer
    return read_workpiece(path) if zlib.crc32(path.read_bytes()) % 16 == 0 else read_photograph(path)


def _picture(kind: str, share: int) -> HostileKind:
    return HostileKind(
        kind.lower(), f".{kind.lower()}", lambda: list(_pictures(kind)), _changed_picture, _load_picture, share
    )


def _hands() -> list[bytes]:
    return [path.read_bytes() for path in sorted((DATA / "hands").glob("*.toml"))]


def _load_hand_file(path: Path) -> object:
    from holdfast.grasps.hands import load_hand

    return load_hand(path)


def _meshes() -> list[bytes]:
    import trimesh

    box = trimesh.creation.box()
    memory = io.BytesIO()
    box.export(memory, file_type="stl")
    return [memory.getvalue(), str(box.export(file_type="stl_ascii")).encode()]


COLLADA = b"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor source="#a" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries><library_nodes><node id="m"><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>1 2 3</translate><instance_node url="#m"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""  # noqa: E501


def _load_mesh(path: Path) -> object:
    from holdfast.assembly.contacts import world_triangles

    return world_triangles(path, 1.0, hf.Pose.identity())


# -- arguments that are no files ----------------------------------------------------------------------

#: What a caller may give in the place of a path.
ARGUMENTS: tuple[Any, ...] = (
    *(None, 5, 1.5, True, b"a.yaml", b"\0", [], {}, (), object, float("nan"), np.zeros(3), np.array("x")),
    *("", " ", ".", "/", "a\0b", "a\0.yaml", "\ud800.yaml", "a" * 5000 + ".yaml", "/dev/null", "/proc/self/mem"),
    *("@", "@none", "@\0", "none.h5", "none.csv", "none.json", "none.png", "none.svg", "none.urdf", "http://x.yaml"),
    *("a/b/../c.yaml", "~", "con", Path("a\0b"), Path()),
)

#: Public functions that take a path.
LOADERS = (
    "holdfast:load",
    "holdfast:LimitSurface.load",
    *(f"holdfast.{name}" for name in ("scenes:load_scene", "postures:load_posture", "planar:load_planar")),
    *(f"holdfast.robots{name}" for name in (":load_robot", ".urdf:read_urdf", ".srdf:read_srdf", ":Robot.from_mjcf")),
    *(f"holdfast.robots{name}" for name in (":Robot.from_urdf", ".sequences:load_sequence")),
    *("holdfast.grips:load_grip", "holdfast.wrench_spaces.files:load_space"),
    *("holdfast.force_limits.files:load_volume", "holdfast.force_limits.measurements:read_measurements"),
    *(f"holdfast.grasps.{name}" for name in ("contour_files:read_contour", "contour_files:read_workpiece")),
    *(f"holdfast.grasps.{name}" for name in ("pictures:read_image", "hands:load_hand")),
)


def _argument(_: Any, rng: random.Random) -> bytes:
    return struct.pack("<II", rng.randrange(len(LOADERS)), rng.randrange(len(ARGUMENTS)))


def _load_argument(path: Path) -> object:
    from holdfast.feature import imported

    which, what = struct.unpack("<II", path.read_bytes())
    return imported(LOADERS[which])(ARGUMENTS[what])


#: Ready files that are quickly built.
SCENES = "block_on_slope suction_cup stacked_cubes gecko_on_glass two_opposed_units ball_in_groove jammed_peg"
POSTURES = "tripod_on_flat_ground quadruped_on_rock braced_in_a_chimney"
PLANAR = "block_on_incline two_link_snake peg_in_hole climb_straight three_points ladder"

#: All kinds, by name.
KINDS = {
    kind.name: kind
    for kind in (
        HostileKind("scene", ".yaml", _yaml_seeds("scenes", SCENES), _changed_yaml, _load_any, 6),
        HostileKind("posture", ".yaml", _yaml_seeds("postures", POSTURES), _changed_yaml, _load_posture, 3),
        HostileKind("planar", ".yaml", _yaml_seeds("planar", PLANAR), _changed_yaml, _load_any, 4),
        HostileKind("robot", ".yaml", _robot_seeds, _changed_yaml, _load_robot, 1),
        HostileKind("urdf", ".urdf", lambda: [SMALL_URDF], changed_text, _load_urdf, 4),
        HostileKind("xacro", ".xacro", lambda: [XACRO], changed_text, _load_xacro, 1),
        HostileKind("srdf", ".srdf", lambda: [SRDF], changed_text, _load_srdf, 4),
        HostileKind("mjcf", ".xml", lambda: [MJCF], changed_text, _load_mjcf, 1),
        HostileKind("svg", ".svg", lambda: list(SVG), changed_text, _load_part, 4),
        HostileKind("dxf", ".dxf", lambda: list(DXF), changed_text, _load_part, 4),
        HostileKind("points", ".csv", lambda: list(POINTS), changed_text, _load_part, 4),
        HostileKind("measured", ".csv", lambda: list(MEASURED), changed_text, _load_measured, 4),
        HostileKind("json", ".json", lambda: _saved("json"), _changed_json, _load_any, 4),
        HostileKind("archive", ".h5", lambda: _saved("h5"), _changed_archive, _load_any, 4),
        HostileKind("journal", ".jsonl", _journal_seeds, _changed_journal, _load_journal, 6),
        HostileKind("hand", ".toml", _hands, changed_text, _load_hand_file, 4),
        HostileKind("mesh", ".stl", _meshes, changed_bytes, _load_mesh, 1),
        HostileKind("collada", ".dae", lambda: [COLLADA], changed_text, _load_mesh, 1),
        HostileKind("argument", ".bin", lambda: [b""], _argument, _load_argument, 2),
        _picture("PNG", 4),
        _picture("JPEG", 3),
        _picture("AVIF", 1),
        _picture("WEBP", 2),
        _picture("TIFF", 2),
        _picture("BMP", 2),
        _picture("GIF", 2),
    )
}  # fmt: skip

#: Kinds in the order in which they come, each as often as its share says.
TURNS = tuple(kind for share in range(6) for kind in KINDS.values() if kind.share > share)


@cache
def _sound(name: str) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KINDS[name].sound()


def kind_of(number: int) -> HostileKind:
    """The kind of the file of this number."""
    return TURNS[number % len(TURNS)]


def hostile_file(number: int, seed: int) -> tuple[HostileKind, bytes]:
    """The kind and the content of the file of this number."""
    kind = kind_of(number)
    rng = random.Random(f"{seed} {number}")
    return kind, kind.change(rng.choice(_sound(kind.name)), rng)
