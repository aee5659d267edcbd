"""Robots from MJCF, MuJoCo's format: the compiled model is written as a URDF tree, exact to rounding.

MuJoCo compiles the file, so that defaults, includes, frames, replicas and inertias from geoms are its own. A joint of
MuJoCo rotates about an anchor in its body, and a body may have several; each becomes a joint of one coordinate, which
is MuJoCo's own. Links between them have no mass.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np

from ..assembly import Joint
from ..checks import Array, check_size
from ..confinement import ProcessLimits, confined
from ..errors import FileError, InputError, UnknownNameError, warn_caller
from ..geometry.directions import sphere_directions
from ..geometry.frames import Pose, rotation_about, rotation_of
from ..inputs import LARGEST_TEXT, checked_path, file_text, parsed_xml, plain_file
from .adapters import load_mujoco
from .srdf import ROOT_JOINT, Semantics
from .urdf import Description, FileFinder, LinkShape, RobotWarning, _description, check_counts

#: Treatment of meshes, as for a URDF.
MESHES = ("optional", "required", "ignored")

#: Name of MuJoCo's own initial posture among the states.
INITIAL = "qpos0"

#: MuJoCo's name of a model without a name.
UNNAMED = "MuJoCo Model"

#: Name of the world link of robots that are fixed to it.
WORLD = "world"

#: Number of points of an ellipsoid, which has no simple shape here.
ELLIPSOID_POINTS = 256

#: Geoms of higher groups are not drawn, as in MuJoCo's viewer.
LARGEST_VISIBLE_GROUP = 2

#: Axes of the three hinges that replace a ball joint.
BALL_AXES = (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0)))


def read_mjcf(
    source: Any,
    *,
    base: Literal["floating", "fixed"] | None = None,
    body: str | None = None,
    meshes: str = "optional",
) -> tuple[Description, Literal["floating", "fixed"], Pose]:
    """(description, kind of base, pose of a fixed root) of a path, a text that begins with "<" or an MjModel."""
    mujoco = load_mujoco()
    if meshes not in MESHES:
        raise UnknownNameError("treatment of meshes", str(meshes), MESHES, where="meshes")
    model, path = _compiled(mujoco, source, meshes)
    if base not in (None, "floating", "fixed"):
        raise UnknownNameError("kind of base", str(base), ("floating", "fixed"), where="base")
    try:
        found = _Conversion(mujoco, model, path, base, body).result()
    except InputError as error:
        raise FileError(error.what, path=path, field=error.where, fix=error.fix) from None
    return found


def _compiled(mujoco: Any, source: Any, meshes: str) -> tuple[Any, str]:
    """(the model, its name in messages)."""
    if isinstance(source, mujoco.MjModel):
        return source, "MjModel"
    if not isinstance(source, (str, PathLike)) or not str(source).strip():
        what = "is empty" if isinstance(source, str) else f"is a {type(source).__name__}"
        raise InputError(what, where="source", fix="give the path of an MJCF file, its text, or a mujoco.MjModel")
    inline = isinstance(source, str) and source.lstrip().startswith("<")
    path = "MJCF text" if inline else str(source)
    said = confined(
        "holdfast.robots.mjcf:_compile_here",
        {"source": str(source), "inline": inline, "path": path, "meshes": meshes},
        LIMITS,
        path=path,
        what="MuJoCo cannot read it",
        fix="correct the MJCF there; simpler meshes, and fewer replicas and textures, need less",
    )
    end = said.index(b"\n")
    if missing := json.loads(said[:end]):
        message = f"{path}: all meshes are left out, because some are missing: {missing}"
        warn_caller(RobotWarning(message, [missing]))
    return mujoco.MjModel.from_binary_path("model.mjb", {"model.mjb": said[end + 1 :]}), path


# In the process that compiles: MuJoCo reads meshes and pictures by native code, and a short file can be a large model.

#: Limits of that process.
LIMITS = ProcessLimits(seconds=30, memory=4 * 1024**3, output=256 * 1024**2)


def _compile_here(task: dict[str, Any]) -> bytes:
    """A line of JSON that says which mesh is missing (or ""), and the compiled model in MuJoCo's binary format."""
    mujoco, path, inline = load_mujoco(), task["path"], task["inline"]
    text = task["source"] if inline else file_text(path)
    root = parsed_xml(text, path)
    if root.tag == "robot":
        raise FileError("begins with <robot>", path=path, fix="it is a URDF: use Robot.from_urdf")
    if (unfolded := _replicas(root)) > sum(1 for _ in root.iter()):
        check_size("elements with all replicas", unfolded, MOST_UNFOLDED)
    _check_files(root, Path() if inline else checked_path(path).parent)
    missing = ""
    try:
        spec = mujoco.MjSpec.from_string(text) if inline else mujoco.MjSpec.from_file(path)
        _drop_textures(spec)
        try:
            model = (_without_meshes(mujoco, spec, path) if task["meshes"] == "ignored" else spec).compile()
        except ValueError as error:
            if task["meshes"] != "optional" or "opening file" not in str(error):
                raise
            missing = _line(error)
            model = _without_meshes(mujoco, spec, path).compile()
    except (ValueError, mujoco.FatalError) as error:
        if isinstance(error, InputError):
            raise
        raise FileError(f"MuJoCo cannot read it: {_line(error)}", path=path, fix="correct the MJCF there") from None
    data = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return json.dumps(missing).encode() + b"\n" + data.tobytes()


#: Most elements of an MJCF that repeats some; MuJoCo needs seconds for so many.
MOST_UNFOLDED = 20_000


def _replicas(element: ElementTree.Element) -> int:
    """How many elements an element stands for, each as often as it is repeated."""
    inside = sum(map(_replicas, element))
    if element.tag not in ("replicate", "composite", "flexcomp"):
        return 1 + inside
    counts = [int(word) for word in element.get("count", "1").split() if word.isdecimal() and len(word) < 20]
    return 1 + max(inside, 1) * math.prod(counts)


#: Largest depth of nested includes.
DEEPEST_INCLUDE = 10


def _check_files(root: ElementTree.Element, home: Path) -> None:
    """Refuse pipes, devices and endless includes among the files of an MJCF, which MuJoCo would open."""
    parts = _parts(root, home)
    compilers = [compiler for part, _ in parts for compiler in part.iter("compiler")]
    folders = ["", *(one for part in compilers for key, one in part.items() if key.endswith("dir"))]
    for part, place in parts:
        named = {one for element in part.iter() for key, one in element.items() if key.startswith("file") and one}
        for name in named | {Path(one).name for one in named}:  # <compiler strippath="true"/>
            for file in [place / folder / name for folder in folders]:
                if os.path.lexists(file) and not file.is_dir():
                    plain_file(file, most=LARGEST_TEXT)


def _parts(
    root: ElementTree.Element, home: Path, depth: int = 0, known: set[tuple[Path, int]] | None = None
) -> list[tuple[ElementTree.Element, Path]]:
    """(root, folder of its files) of an MJCF and of those that it includes or attaches."""
    known = set() if known is None else known
    found = [(root, home)]
    for element in root.iter():
        place = home / element.get("file", "")
        if element.tag not in ("include", "model") or not os.path.lexists(place) or (place, depth) in known:
            continue
        known.add((place, depth))
        if depth >= DEEPEST_INCLUDE:
            what = f"is included more than {DEEPEST_INCLUDE} levels deep"
            raise FileError(what, path=place, fix="do not include a file in itself")
        part = parsed_xml(file_text(place), place)
        found += [
            (part, place.parent),
            *_parts(part, home if element.tag == "include" else place.parent, depth + 1, known),
        ]
    return found


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _drop_textures(spec: Any) -> None:
    """Remove the textures of a specification: nothing here draws them, and a short file can ask for large ones."""
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)


def _without_meshes(mujoco: Any, spec: Any, path: str) -> Any:
    """The specification without geoms of meshes; an error if the mass of a body comes from one."""
    for geom in list(spec.geoms):
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH:
            continue
        weighs = geom.mass != 0.0 and geom.density != 0.0
        if weighs and geom.parent is not spec.worldbody and not geom.parent.explicitinertial:
            what = f"the mass of body {geom.parent.name!r} comes from its mesh {geom.meshname!r}"
            raise FileError(what, path=path, field="mesh", fix="put the mesh there, or give the body an <inertial>")
        spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    return spec


@dataclass
class _Driven:
    """Summed actuators of one joint."""

    lower: float = 0.0
    upper: float = 0.0


@dataclass
class _Conversion:
    """The conversion of one model to a description."""

    mujoco: Any
    model: Any
    path: str
    base: Literal["floating", "fixed"] | None
    body: str | None
    root: ElementTree.Element = field(default_factory=lambda: ElementTree.Element("robot"))
    shapes: list[LinkShape] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    joints: dict[int, tuple[str, ...]] = field(default_factory=dict)  # names of the joints of one coordinate
    meshes: dict[int, Array] = field(default_factory=dict)  # vertices, which all geoms of a mesh share
    taken: dict[str, set[str]] = field(init=False)  # names of links and joints

    def __post_init__(self) -> None:
        self.taken = {"link": {self._body(number) for number in range(1, self.model.nbody)}, "joint": set()}

    def result(self) -> tuple[Description, Literal["floating", "fixed"], Pose]:
        model = self.model
        tops, free = self._roots()
        base = self.base or ("floating" if free is not None else "fixed")
        if base == "floating" and free is None:
            if len(tops) != 1 or model.body_jntnum[tops[0]]:
                what = f"its root bodies are {', '.join(self._body(top) for top in tops)}, without a free joint"
                raise InputError(
                    what, where="base", fix='one body without joints can float; give body=, or base="fixed"'
                )
            free = tops[0]
        included = [*(roots := tops if free is None else [free]), *self._below(roots)]
        self._check_counts(included, free)
        self.root.set("name", self._model_name())
        at = Pose.identity()
        if free is not None:  # the root link is a body of its own, held by its free joint or at its place
            at = Pose(rotation_of(_xyzw(model.body_quat[free])), np.array(model.body_pos[free]))
            self._link(free)
            root_name = self._body(free)
        else:
            self._element("link", name=self._unique(WORLD))
            root_name = WORLD
        for number in included:
            if number != free:
                self._attach(number, WORLD if number in roots else self._body(int(model.body_parentid[number])))
        couplings = self._couplings()
        strengths = self._strengths(couplings)
        description, _ = _description(self.root, coupled=True)
        known = {name: replace(j, strength=strengths.get(name, j.strength)) for name, j in description.joints.items()}
        semantics = Semantics(self.path, self._states(free), virtual={ROOT_JOINT: "floating"})
        adhesion = self._adhesion(included)
        self._name_passive_parts()
        if self.notes:
            message = f"{self.path}: parts of the MJCF are left out or changed: {'; '.join(self.notes)}"
            warn_caller(RobotWarning(message, self.notes))
        home = None if self.path in ("MJCF text", "MjModel") else Path(self.path).parent
        described = replace(
            description,
            joints=known,
            shapes=tuple(self.shapes),
            semantics=semantics,
            adhesion=adhesion,
            finder=FileFinder(home),
        )
        assert described.root == root_name
        return described, base, at

    # -- the tree -------------------------------------------------------------------------------

    def _check_counts(self, included: Sequence[int], free: int | None) -> None:
        """Refuse a robot that is too large; a short file can repeat a body or a geom as often as it likes."""
        model, chosen = self.model, np.array(included)
        sites = int(np.isin(np.array(model.site_bodyid), chosen).sum())
        moving = int(np.array(model.body_dofnum)[chosen].sum()) - (6 if free is not None and self._is_free(free) else 0)
        shapes = int(np.array(model.body_geomnum)[chosen].sum())
        links = len(included) + sites
        check_counts({"links": links, "joints that move": moving, "shapes": shapes, "key frames": int(model.nkey)})

    def _roots(self) -> tuple[list[int], int | None]:
        """(root bodies of the robot, the one with a free joint or None)."""
        model = self.model
        tops = [number for number in range(1, model.nbody) if model.body_parentid[number] == 0]
        if self.body is not None:
            names = [self._body(top) for top in tops]
            if self.body not in names:
                raise UnknownNameError("body of the world", self.body, names, where="body")
            tops = [tops[names.index(self.body)]]
        if not tops:
            raise InputError("has no bodies", where="worldbody", fix="give at least one <body>")
        moving = [top for top in tops if self._moves(top)]
        loose = [top for top in moving if self._is_free(top)]
        if loose and len(moving) > 1:
            names = ", ".join(self._body(top) for top in moving)
            raise InputError(
                f"has several moving bodies in the world: {names}", where="worldbody", fix="choose one: body="
            )
        return (loose, loose[0]) if loose else (moving or tops, None)

    def _moves(self, top: int) -> bool:
        return bool(np.array(self.model.body_jntnum)[np.array(self.model.body_rootid) == top].any())

    def _is_free(self, number: int) -> bool:
        first = int(self.model.body_jntadr[number])
        return first >= 0 and int(self.model.jnt_type[first]) == self.mujoco.mjtJoint.mjJNT_FREE

    def _below(self, tops: Sequence[int]) -> list[int]:
        """Bodies attached to `tops`; parents come before their children."""
        inside = set(tops)
        for number in range(1, self.model.nbody):
            if int(self.model.body_parentid[number]) in inside:
                inside.add(number)
        return sorted(inside - set(tops))

    def _attach(self, number: int, parent: str) -> None:
        """A body with its joints: p + anchors, each rotated back to MuJoCo's reference coordinate."""
        model, link = self.model, self._body(number)
        place = Pose(rotation_of(_xyzw(model.body_quat[number])), np.array(model.body_pos[number]))
        first, count = int(model.body_jntadr[number]), int(model.body_jntnum[number])
        here = parent
        for joint in range(first, first + count):
            kind, anchor = int(model.jnt_type[joint]), np.array(model.jnt_pos[joint])
            if kind == self.mujoco.mjtJoint.mjJNT_FREE:
                raise InputError(
                    "has a free joint", where=f"body {link!r}", fix="only the root body may float; give body="
                )
            place = place @ Pose(np.eye(3), anchor)
            ball = kind == self.mujoco.mjtJoint.mjJNT_BALL
            name = self._name(self.mujoco.mjtObj.mjOBJ_JOINT, joint, "joint")
            axes = BALL_AXES if ball else (("", tuple(np.array(model.jnt_axis[joint]))),)
            own = []
            for suffix, axis in axes:
                title = self._unique(f"{name} {suffix}".strip(), "joint")
                slides = kind == self.mujoco.mjtJoint.mjJNT_SLIDE
                reference = 0.0 if ball else float(model.qpos0[model.jnt_qposadr[joint]])
                if slides:
                    place = place @ Pose(np.eye(3), -reference * np.array(axis))
                elif reference:
                    place = place @ Pose(rotation_about(axis, -reference), np.zeros(3))
                beyond = self._unique(f"{link} {title}")
                self._element("link", name=beyond)
                shape = "prismatic" if slides else "revolute"
                self._joint(title, shape, here, beyond, place, axis, self._range(joint, ball))
                here, place = beyond, Pose.identity()
                own.append(title)
            if ball:
                note = f"ball joint {name!r} has three hinges x, y, z, singular where y is at +-pi/2"
                self.notes.append(note + (", each within its range" if model.jnt_limited[joint] else ""))
            self.joints[joint] = tuple(own)
            place = Pose(np.eye(3), -anchor)
        self._link(number)
        self._joint(self._unique(f"{link} fixed", "joint"), "fixed", here, link, place)

    def _range(self, joint: int, ball: bool) -> tuple[float, float] | None:
        if not self.model.jnt_limited[joint]:
            return None
        lower, upper = (float(x) for x in self.model.jnt_range[joint])
        return (-upper, upper) if ball else (lower, upper)

    def _link(self, number: int) -> None:
        """A body as a link: mass, geoms and sites."""
        model, name = self.model, self._body(number)
        element = self._element("link", name=name)
        if (mass := float(model.body_mass[number])) > 0.0:
            inertial = ElementTree.SubElement(element, "inertial")
            self._origin(
                inertial, Pose(rotation_of(_xyzw(model.body_iquat[number])), np.array(model.body_ipos[number]))
            )
            ElementTree.SubElement(inertial, "mass", value=repr(mass))
            inertia = ElementTree.SubElement(inertial, "inertia", ixy="0", ixz="0", iyz="0")
            for entry, value in zip(("ixx", "iyy", "izz"), model.body_inertia[number], strict=True):
                inertia.set(entry, repr(float(value)))
        if model.body_gravcomp[number]:
            self.notes.append(f"gravity compensation of body {name!r}")
        for geom in range(
            int(model.body_geomadr[number]), int(model.body_geomadr[number] + model.body_geomnum[number])
        ):
            self.shapes += self._shapes(geom, name)
        for site in np.flatnonzero(np.array(model.site_bodyid) == number):
            title = self._name(self.mujoco.mjtObj.mjOBJ_SITE, int(site), "site")
            bodies = [self._body(other) for other in range(1, model.nbody)]
            title = self._unique(f"{title} site" if title in bodies else title)
            self._element("link", name=title)
            place = Pose(rotation_of(_xyzw(model.site_quat[site])), np.array(model.site_pos[site]))
            self._joint(self._unique(f"{title} fixed", "joint"), "fixed", name, title, place)

    def _shapes(self, geom: int, link: str) -> list[LinkShape]:
        """The visual and collision shapes of a geom."""
        mujoco, model = self.mujoco, self.model
        kinds, size = mujoco.mjtGeom, np.array(model.geom_size[geom])
        pose = Pose(rotation_of(_xyzw(model.geom_quat[geom])), np.array(model.geom_pos[geom]))
        kind, made = int(model.geom_type[geom]), []
        if kind == kinds.mjGEOM_SPHERE:
            made = [("sphere", (size[0], 0, 0), pose, None)]
        elif kind == kinds.mjGEOM_BOX:
            made = [("box", 2.0 * size, pose, None)]
        elif kind in (kinds.mjGEOM_CYLINDER, kinds.mjGEOM_CAPSULE):
            made = [("cylinder", (size[0], 2.0 * size[1], 0), pose, None)]
            if kind == kinds.mjGEOM_CAPSULE:
                ends = [pose @ Pose(np.eye(3), np.array([0, 0, z])) for z in (-size[1], size[1])]
                made += [("sphere", (size[0], 0, 0), end, None) for end in ends]
        elif kind == kinds.mjGEOM_ELLIPSOID:
            made = [("mesh", (1, 1, 1), pose, sphere_directions(ELLIPSOID_POINTS) * size)]
        elif kind == kinds.mjGEOM_MESH:
            mesh = int(model.geom_dataid[geom])
            if mesh not in self.meshes:
                first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
                self.meshes[mesh] = np.array(model.mesh_vert[first : first + count], dtype=float)
            made = [("mesh", (1, 1, 1), pose, self.meshes[mesh])]
        roles: list[Literal["visual", "collision"]] = []
        if model.geom_group[geom] <= LARGEST_VISIBLE_GROUP:
            roles.append("visual")
        if model.geom_contype[geom] or model.geom_conaffinity[geom]:
            roles.append("collision")
        friction = float(model.geom_friction[geom][0])
        title = self._name(mujoco.mjtObj.mjOBJ_GEOM, geom, "geom")
        return [
            LinkShape(link, shape, np.array(lengths, dtype=float), place, role, title, points, friction)  # pyright: ignore[reportArgumentType]
            for role in roles
            for shape, lengths, place, points in made
        ]

    # -- couplings, actuators, springs -----------------------------------------------------------

    def _couplings(self) -> dict[str, tuple[str, float]]:
        """{following joint: (driving joint, multiplier)} of the linear couplings, which are written as <mimic>."""
        mujoco, model = self.mujoco, self.model
        elements = {element.get("name"): element for element in self.root.findall("joint")}
        found: dict[str, tuple[str, float]] = {}
        for number in range(model.neq):
            if not model.eq_active0[number]:
                continue
            kind = int(model.eq_type[number])
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_EQUALITY, number) or f"equality {number}"
            if kind != mujoco.mjtEq.mjEQ_JOINT:
                word = mujoco.mjtEq(kind).name.removeprefix("mjEQ_").lower()
                self.notes.append(f"the {word} constraint {name!r}: its loop counts as open")
                continue
            one, two = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            first, second = self.joints.get(one, ()), self.joints.get(two, ())
            constant, slope, *higher = (float(x) for x in model.eq_data[number][:5])
            if not first:
                continue  # of another robot in the model
            if len(first) != 1 or len(second) != 1 or any(higher) or not slope:
                self.notes.append(
                    f"the coupling {name!r}, which is not linear in one other joint: its joint counts as free"
                )
                continue
            zero, other = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (one, two))
            offset = constant + zero - slope * other  # q1 - q1_0 = constant + slope (q2 - q2_0)
            found[first[0]] = (second[0], slope)
            attributes = {"joint": second[0], "multiplier": repr(slope), "offset": repr(offset)}
            ElementTree.SubElement(elements[first[0]], "mimic", attributes)
        return found

    def _strengths(self, couplings: dict[str, tuple[str, float]]) -> dict[str, Joint]:
        """Limits of each joint: the sum of its actuators within the joint's own limit, friction and springs."""
        mujoco, model = self.mujoco, self.model
        driven = {name: _Driven() for own in self.joints.values() for name in own}
        endless: list[str] = []
        for number in range(model.nu):
            lower, upper = self._force_range(number)
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, number) or f"actuator {number}"
            levers = self._levers(number, name, couplings)
            if len(levers) > 1:
                self.notes.append(
                    f"the coupling by actuator {name!r} of {', '.join(levers)}: each joint may have the full force"
                )
            for joint, lever in levers.items():
                ends = sorted((lower * lever, upper * lever)) if lever else (0.0, 0.0)
                driven[joint].lower += ends[0]
                driven[joint].upper += ends[1]
                if not np.isfinite(ends).all():
                    endless.append(joint)
        strengths: dict[str, Joint] = {}
        for joint, own in self.joints.items():
            dof, address = int(model.jnt_dofadr[joint]), int(model.jnt_qposadr[joint])
            for part, name in enumerate(own):
                lower, upper = driven[name].lower, driven[name].upper
                if model.jnt_actfrclimited[joint] and name not in couplings:
                    lower, upper = np.clip((lower, upper), *model.jnt_actfrcrange[joint])
                friction = float(model.dof_frictionloss[dof + part])
                stiffness = float(model.jnt_stiffness[joint])
                if len(own) > 1 and stiffness:
                    self.notes.append(f"the spring of ball joint {own[0][:-2]!r}")
                    stiffness = 0.0
                rest = float(model.qpos_spring[address]) if len(own) == 1 else 0.0
                if name in couplings and stiffness:
                    self.notes.append(f"the spring of joint {name!r}, which follows another")
                if name in endless and not np.isfinite((lower, upper)).all():
                    self.notes.append(f"a force limit of joint {name!r}, whose actuator has none: it has no limit")
                strengths[name] = Joint(
                    name, float(lower), float(upper), friction=friction, stiffness=stiffness, rest=rest
                )
        return strengths

    def _force_range(self, number: int) -> tuple[float, float]:
        """(smallest, largest) force of an actuator [N, N m before its gear]; for a servo, its forcerange."""
        mujoco, model = self.mujoco, self.model
        lower, upper = -np.inf, np.inf
        plain = int(model.actuator_gaintype[number]) == mujoco.mjtGain.mjGAIN_FIXED
        if plain and int(model.actuator_biastype[number]) == mujoco.mjtBias.mjBIAS_NONE:
            instant = (mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT)
            dynamics = int(model.actuator_dyntype[number])
            gain = float(model.actuator_gainprm[number][0])
            if dynamics in instant and model.actuator_ctrllimited[number]:
                lower, upper = sorted(gain * np.array(model.actuator_ctrlrange[number]))
            elif model.actuator_actlimited[number]:
                lower, upper = sorted(gain * np.array(model.actuator_actrange[number]))
        if model.actuator_forcelimited[number]:
            lower, upper = np.clip((lower, upper), *model.actuator_forcerange[number])
        return float(lower), float(upper)

    def _levers(self, number: int, name: str, couplings: dict[str, tuple[str, float]]) -> dict[str, float]:
        """{joint: torque per unit of the actuator's force}, with followers at their driving joints."""
        mujoco, model = self.mujoco, self.model
        kind, gear = int(model.actuator_trntype[number]), float(model.actuator_gear[number][0])
        target = int(model.actuator_trnid[number][0])
        levers: dict[str, float] = {}
        if kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
            own = self.joints.get(target, ())
            if len(own) == 3:
                self.notes.append(f"actuator {name!r} of a ball joint, which counts as passive")
            elif own:
                levers[own[0]] = gear
            elif int(model.jnt_type[target]) == mujoco.mjtJoint.mjJNT_FREE:
                self.notes.append(f"actuator {name!r} on the free joint")
        elif kind == mujoco.mjtTrn.mjTRN_TENDON:
            first, count = int(model.tendon_adr[target]), int(model.tendon_num[target])
            parts = range(first, first + count)
            if any(int(model.wrap_type[part]) != mujoco.mjtWrap.mjWRAP_JOINT for part in parts):
                self.notes.append(f"actuator {name!r} on a spatial tendon: its joints count as passive")
                parts = range(0)
            for part in parts:
                for joint in self.joints.get(int(model.wrap_objid[part]), ())[:1]:
                    levers[joint] = levers.get(joint, 0.0) + gear * float(model.wrap_prm[part])
        elif kind != mujoco.mjtTrn.mjTRN_BODY:
            word = mujoco.mjtTrn(kind).name.removeprefix("mjTRN_").lower()
            self.notes.append(f"actuator {name!r} on a {word}")
        result: dict[str, float] = {}
        for joint, lever in levers.items():
            for _ in couplings:  # at most as many steps as there are couplings
                if joint in couplings:
                    joint, slope = couplings[joint]
                    lever *= slope
            result[joint] = result.get(joint, 0.0) + lever
        return result

    def _adhesion(self, included: Sequence[int]) -> dict[str, float]:
        """{link: largest adhesive force [N]} of the adhesion actuators."""
        mujoco, model = self.mujoco, self.model
        found: dict[str, float] = {}
        for number in range(model.nu):
            if int(model.actuator_trntype[number]) == mujoco.mjtTrn.mjTRN_BODY:
                body, force = int(model.actuator_trnid[number][0]), self._force_range(number)[1]
                if body in included and not np.isfinite(force):
                    name = self._name(mujoco.mjtObj.mjOBJ_ACTUATOR, number, "actuator")
                    self.notes.append(f"adhesion by {name!r}, whose force has no limit")
                elif body in included:
                    found[self._body(body)] = found.get(self._body(body), 0.0) + force
        return found

    def _name_passive_parts(self) -> None:
        """Note tendons that pull without an actuator, and friction that belongs to pairs of geoms."""
        model = self.model
        for number in range(model.ntendon):
            if (
                model.tendon_limited[number]
                or model.tendon_frictionloss[number]
                or np.any(model.tendon_stiffness[number])
            ):
                name = self._name(self.mujoco.mjtObj.mjOBJ_TENDON, number, "tendon")
                self.notes.append(f"spring, limit and friction of {name!r}")
        if model.npair:
            self.notes.append("friction of contact pairs: that of their geoms counts")

    # -- postures ---------------------------------------------------------------------------------

    def _states(self, free: int | None) -> dict[str, dict[str, tuple[float, ...]]]:
        """MuJoCo's initial posture and the key frames, by name."""
        mujoco, model = self.mujoco, self.model
        postures = {INITIAL: np.array(model.qpos0)}
        for number in range(model.nkey):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_KEY, number) or f"key {number}"
            postures[name] = np.array(model.key_qpos[number])
        return {name: self._state(qpos, free) for name, qpos in postures.items()}

    def _state(self, qpos: Array, free: int | None) -> dict[str, tuple[float, ...]]:
        values: dict[str, tuple[float, ...]] = {}
        for joint, names in self.joints.items():
            address = int(self.model.jnt_qposadr[joint])
            if len(names) == 1:
                values[names[0]] = (float(qpos[address]),)
            else:
                turn = rotation_of(_xyzw(qpos[address : address + 4]))
                angles = -np.array(roll_pitch_yaw(turn.T))  # R = Rx Ry Rz, so that its transpose is Rz Ry Rx
                values |= {name: (float(angle),) for name, angle in zip(names, angles, strict=True)}
        if free is not None and self._is_free(free):
            address = int(self.model.jnt_qposadr[self.model.body_jntadr[free]])
            values[ROOT_JOINT] = (*map(float, qpos[address : address + 3]), *_xyzw(qpos[address + 3 : address + 7]))
        elif free is not None:
            values[ROOT_JOINT] = (*map(float, self.model.body_pos[free]), *_xyzw(self.model.body_quat[free]))
        return values

    # -- names and elements -----------------------------------------------------------------------

    def _model_name(self) -> str:
        name = bytes(self.model.names).split(b"\0", 1)[0].decode()
        inline = self.path in ("MJCF text", "MjModel")
        return name if name not in ("", UNNAMED) else "robot" if inline else Path(self.path).stem

    def _name(self, kind: Any, number: int, word: str) -> str:
        return self.mujoco.mj_id2name(self.model, kind, number) or f"{word} {number}"

    def _body(self, number: int) -> str:
        return self._name(self.mujoco.mjtObj.mjOBJ_BODY, number, "body")

    def _unique(self, name: str, tag: str = "link") -> str:
        """`name`, numbered where it is taken."""
        taken = self.taken[tag]
        number, found = 2, name
        while found in taken:
            found, number = f"{name} {number}", number + 1
        taken.add(found)
        return found

    def _element(self, tag: str, **attributes: str) -> ElementTree.Element:
        return ElementTree.SubElement(self.root, tag, attributes)

    def _origin(self, element: ElementTree.Element, pose: Pose) -> None:
        ElementTree.SubElement(
            element, "origin", xyz=_words(pose.translation), rpy=_words(roll_pitch_yaw(pose.rotation))
        )

    def _joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        place: Pose,
        axis: Sequence[float] | None = None,
        limits: tuple[float, float] | None = None,
    ) -> None:
        element = self._element("joint", name=name, type=kind)
        ElementTree.SubElement(element, "parent", link=parent)
        ElementTree.SubElement(element, "child", link=child)
        self._origin(element, place)
        if axis is not None:
            ElementTree.SubElement(element, "axis", xyz=_words(axis))
        if kind != "fixed":
            bounds = {} if limits is None else {"lower": repr(limits[0]), "upper": repr(limits[1])}
            ElementTree.SubElement(element, "limit", {**bounds, "effort": "0"})


def roll_pitch_yaw(turn: Array) -> tuple[float, float, float]:
    """(roll, pitch, yaw) [rad] of a rotation (3, 3), R = Rz(yaw) Ry(pitch) Rx(roll), also for a pitch of +-pi/2.

    The roll is computed from the rest after yaw and pitch, so that the product is exact up to rounding.
    """
    yaw = float(np.arctan2(turn[1, 0], turn[0, 0]))
    pitch = float(np.arctan2(-turn[2, 0], np.hypot(turn[0, 0], turn[1, 0])))
    rest = rotation_about((0, 1, 0), -pitch) @ rotation_about((0, 0, 1), -yaw) @ turn
    return float(np.arctan2(rest[2, 1], rest[1, 1])), pitch, yaw


def _xyzw(quaternion: Any) -> Array:
    """MuJoCo's quaternion (w, x, y, z) in the order x y z w, of unit length."""
    w, x, y, z = (float(part) for part in quaternion)
    values = np.array([x, y, z, w])
    return values / np.linalg.norm(values)


def _words(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
