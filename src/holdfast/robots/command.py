"""`holdfast robot`: a robot from its URDF in a posture: does it hold, how far may it lean, and what fails first?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..console.options import SchemaOption, TrustOption, vector, verdict
from ..console.output import counted, emit, number
from ..console.pictures import FeaturePlots
from ..console.questions import Output, SceneQuestion, with_groups
from ..console.sheets import Block, TableBlock, heading, present, warning_lines, yes_no
from ..errors import InputError
from ..results import flat

if TYPE_CHECKING:
    from ..checks import Array
    from .files import RobotScene

plots = FeaturePlots(__package__)

#: Ends of the names of files that describe a robot and nothing else.
DESCRIPTIONS = (".urdf", ".xacro", ".xml")

#: Joints named in the table of torques; --json has all.
MOST_JOINTS = 8

#: Parts of a vector below this share of the largest are shown as none.
DUST = 1e-6

#: Unbounded regions are drawn so far round the centre of mass [m].
REACH = 2.0

#: Pictures show a region on the plane of the palms where that is a plane, by the ratio of its widths, and not
#: steeper than this [deg].
FLAT_GROUND, STEEPEST = 0.05, 60.0

#: Colours of regions in pictures.
SHADES = {"exact": "#0072b2", "inner": "#009e73", "outer": "#d55e00"}


#: How the output calls the wrench of --wrench.
GIVEN = "the wrench given"


@dataclass(frozen=True)
class RobotQuestion(SceneQuestion):
    """A question about a robot under a load."""

    kind: ClassVar[str] = "robot"

    scene: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Robot file; or a URDF, xacro, MJCF (.xml) or @name (--list) on its feet.",
            show_default=False,
        ),
    ] = None

    def list_ready(self, *, json: bool) -> None:
        """Print the robots that are known by name, and end."""
        from .urdf import robot_files

        self.list_files([(f"@{name}", path.name) for name, path in robot_files().items()], json=json)

    def acceleration(self) -> Array | None:
        """(3,) no gravity, without weight; None where the options or the file say which."""
        import numpy as np

        if self.wrench is not None:
            fix = "--wrench is the total load, without weight: give one of the two"
            self.refuse("is given with --wrench", fix, "gravity", "tilt", "load")
        if self.no_weight:
            self.refuse("is given with --no-weight", "there is no gravity to turn: give one of the two", "tilt")
        return np.zeros(3) if self.no_weight or self.wrench is not None else None

    def under_load(self, scene: RobotScene) -> tuple[RobotScene, list[str]]:
        """The robot and the names of its loads; a wrench becomes one of them, in place of all others."""
        if self.wrench is None:
            return scene, self.loads
        import numpy as np

        given = {GIVEN: vector("--wrench", self.wrench, 6)}
        return replace(scene, loads=given, object_weight=np.zeros(6)), [GIVEN]


@with_groups
def robot(
    question: RobotQuestion,
    output: Output,
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="NAME", help="Named state of the SRDF, or key frame, as the posture."),
    ] = None,
    mu: Annotated[
        float | None, typer.Option("--mu", min=0.0, help="Friction of the feet of a URDF, xacro or MJCF.")
    ] = None,
    srdf: Annotated[
        str | None,
        typer.Option("--srdf", metavar="FILE", help="SRDF of a URDF; by default the one in the same folder."),
    ] = None,
    directions: Annotated[
        int,
        typer.Option(
            "--directions", metavar="N", min=1, help="Number of leaning directions, for a robot with contact units."
        ),
    ] = 8,
    trust: TrustOption = False,
    schema: SchemaOption = False,
) -> None:
    """Test whether a robot in a posture holds: verdict, joint torques, how far it may lean, what fails first.

    Hands with grips: the support region and the limbs' torques as the hands' wrenches load them. Units on links: every
    unit and joint in one exact problem, and how far the centre of mass may shift in several directions. A URDF, xacro
    or MJCF is read as it is: feet are found from the shapes of its links, for example
    holdfast robot a1.urdf --state standing --mu 0.6. @name is a ready robot, or one of example-robot-data: @go2.
    """
    from .files import load_robot, load_standing, robot_schema
    from .urdf import RobotWarning

    if schema:
        emit(robot_schema())
        return
    path, none = question.path, question.acceleration()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        if path.endswith(DESCRIPTIONS) or path.startswith("@"):
            read = partial(load_standing, path, state=state, mu=mu, srdf=srdf, trust=trust)
        else:
            for name, value in (("--mu", mu), ("--srdf", srdf)):
                if value is not None:
                    raise InputError("is for a URDF, xacro or MJCF", where=name, fix="set it in the robot file")
            read = partial(load_robot, path, state=state, trust=trust)
        with question.naming_kind():
            scene = question.read_under_gravity(lambda given: read(gravity=given if none is None else none))
    said = [str(warning.message) for warning in caught if issubclass(warning.category, RobotWarning)]
    scene, loads = question.under_load(scene)
    found = _on_hands(scene, loads) if scene.hands else _on_units(scene, loads, directions)
    data: dict[str, Any] = _metadata(scene, loads) | found
    hint = None if question.tilt is not None else _hint(scene, loads, found)  # on a slope feet face the slope
    data |= {"hint": hint, "warnings": list(dict.fromkeys(said))}
    present(
        "robot",
        data,
        sheet=_sheet(scene, data),
        **output.targets,
        rows=lambda: [flat(row) for row in (data["hands"] if scene.hands else data["torques"])],
        picture=lambda: _picture(scene),
        code=verdict([data["status"]]),
    )


def _metadata(scene: RobotScene, loads: list[str]) -> dict[str, Any]:
    """What is known without asking anything."""
    return {
        "name": scene.name,
        "robot": scene.robot.name,
        "base": scene.robot.base,
        "joints": len(scene.robot.joints),
        "mass": scene.robot.mass,
        "com": scene.robot.com(scene.q),
        "posture": scene.q,
        "gravity": scene.gravity,
        "load": " + ".join([*(["weight"] if scene.gravity.any() else []), *loads]) or "none",
    }


def _hint(scene: RobotScene, loads: list[str], found: dict[str, Any]) -> str | None:
    """What to do where a robot does not hold only because its point feet tilt with their links; None for nothing."""
    tilted = scene.tilted()
    empty = any(region["kind"] == "empty" for region in found.get("regions", {}).values())
    if not tilted or (found["status"] == "holds" and not empty):
        return None
    faced = scene.faced()
    if scene.hands:
        from ..postures import posture_equilibrium

        body = faced.posture()
        helps = posture_equilibrium(body.grips, body.poses, body.with_loads(loads), gravity=scene.gravity).holds
        helps = helps or (empty and all(part.kind != "empty" for part in _regions(faced, loads).values()))
    else:
        helps = faced.whole_body(loads).equilibrium().holds
    if not helps:
        return None
    names, most = ", ".join(tilted), math.degrees(max(tilted.values()))
    normal = [round(float(x), 6) + 0.0 for x in (-1.0 if scene.hands else 1.0) * scene.gravity / _size(scene.gravity)]
    return (
        f"the normals of {names} turn with their links and are up to {most:.0f} degrees off the vertical; "
        f"feet that face the ground would hold: give facing: {normal} to round feet"
    )


def _size(vector: Any) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in vector))


# -- hands with grips -------------------------------------------------------------------------------


def _on_hands(scene: RobotScene, loads: list[str]) -> dict[str, Any]:
    """The body on its hands' grips, its support region, and what the limbs bear."""
    from ..postures import posture_equilibrium
    from ..postures.command import hand_rows

    body = scene.posture()
    answer = posture_equilibrium(body.grips, body.poses, body.with_loads(loads), gravity=scene.gravity).even()
    limbs = _limbs(scene, loads)
    status = answer.status.value
    if status == "holds" and limbs is not None and limbs["certainty"] != "certainly":
        status = (
            "does not hold" if limbs["certainty"] == "certainly not" or not answer.hands.has_bounds else "undecided"
        )
    return {
        "status": status,
        "hands_alone": answer.status.value,
        "certainty": str(answer.certainty.value) if answer.hands.has_bounds else None,
        "scale_max": answer.scale_interval[1],
        "proof_verified": answer.verify(),
        "hands": hand_rows(body, answer),
        "limbs": limbs,
        "regions": {name: _region(scene, part) for name, part in _regions(scene, loads).items()},
    }


def _limbs(scene: RobotScene, loads: list[str]) -> dict[str, Any] | None:
    """Whether the limbs' joints bear it too, and their torques; None for hands that are not learned."""
    from ..postures import LazyGrip
    from .bodies import hierarchical_body

    if any(isinstance(hand.grip, LazyGrip) for hand in scene.hands):
        return None
    answer = hierarchical_body(scene.robot, scene.q, scene.hands, scene.gravity, load=scene.extra(loads)).equilibrium()
    holds = str(answer.inner.status.value) == "holds"
    torques = answer.inner.limb_torques if holds else {}
    return {"certainty": str(answer.certainty.value), "torques": _torque_rows(scene, torques)}


def _torque_rows(scene: RobotScene, torques: dict[str, float]) -> list[dict[str, Any]]:
    """One dictionary a joint: torque, its limits, the share of the limit that it takes; the most loaded first."""
    lower, upper = scene.robot.torque_limits
    rows = []
    for name, torque in torques.items():
        index = scene.robot.joint_index(name)
        limit = float(upper[index] if torque >= 0.0 else -lower[index])
        share = abs(torque) / limit if limit > 0.0 else float("inf") if torque else 0.0
        rows.append({"joint": name, "torque": torque, "limit": limit, "share": share})
    return sorted(rows, key=lambda row: -row["share"])


def _region(scene: RobotScene, region: Any) -> dict[str, Any]:
    """A support region, where the centre of mass is in it, and what it meets first."""
    com = scene.robot.com(scene.q)
    active = region.active(com)
    data = {
        "kind": str(region.kind),
        "area": region.area,
        "vertices": region.vertices,
        "signed_distance": float(region.signed_distance(com)),
        "contains_com": bool(region.contains(com)),
        "first": None,
    }
    if active is not None:
        names = [{"name": scene.hands[hand.hand].name, "share": hand.share} for hand in active.hands]
        data["first"] = {"direction": active.direction, "slack": active.slack, "hands": names}
    return data


# -- units on links ---------------------------------------------------------------------------------


def _on_units(scene: RobotScene, loads: list[str], count: int) -> dict[str, Any]:
    """Every unit and joint in one exact problem: verdict, torques, leaning, or why it does not hold."""
    from ..statics.diagnosis import diagnose

    body = scene.whole_body(loads)
    answer = body.equilibrium()
    status = answer.status.value
    data: dict[str, Any] = {
        "status": status,
        "proof_verified": answer.verify(),
        "contacts": len(body.touching),
        "units": [touch.name for touch in scene.touches],
        "torques": [],
        "leaning": [],
        "reasons": [],
    }
    if status != "holds":
        held = "the robot " if body.held == "robot" else "the object "
        return data | {"reasons": [text.replace("the object ", held) for text in diagnose(answer).sentences]}
    torques = body.torques("least norm").torques
    if torques is not None:
        named = dict(zip(scene.robot.joint_names, (float(x) for x in torques), strict=True))
        data["torques"] = _torque_rows(scene, named)
    if body.held == "robot":
        data["leaning"] = [body.lean(way).to_dict() for way in _ways(scene.gravity, count)]
    return data


def _ways(gravity: Array, count: int) -> Array:
    """(n, 3) directions all round, across gravity."""
    import numpy as np

    from ..geometry.frames import frame_from_normal

    if not np.any(gravity):
        return np.zeros((0, 3))
    frame = frame_from_normal(-gravity, None if abs(gravity[0]) > 0.9 * np.linalg.norm(gravity) else (1.0, 0.0, 0.0))
    angles = 2.0 * np.pi * np.arange(count) / count
    return np.cos(angles)[:, None] * frame[:, 0] + np.sin(angles)[:, None] * frame[:, 1]


# -- the answer as text -----------------------------------------------------------------------------


def _sheet(scene: RobotScene, data: dict[str, Any]) -> Iterator[Block]:
    what = counted(len(scene.hands), "hand") if scene.hands else counted(len(scene.touches), "unit")
    base = f"{scene.robot.base} base, {counted(data['joints'], 'joint')}, {number(data['mass'])} kg"
    yield heading(f"{scene.name}: {scene.robot.name}, {base}, {what}")
    gravity = f", gravity ({_numbers(data['gravity'])}) m/s^2" if scene.gravity.any() else ""
    yield f"centre of mass at ({_numbers(data['com'])}) m; load: {data['load']}{gravity}"
    yield from warning_lines(data["warnings"])
    yield heading(f"verdict: {data['status']}", data["status"])
    yield from _hand_sheet(data) if scene.hands else _unit_sheet(data)
    yield f"proof verified: {yes_no(data['proof_verified'])}"
    if data["hint"]:
        yield f"hint: {data['hint']}"


def _hand_sheet(data: dict[str, Any]) -> Iterator[Block]:
    if data["certainty"] is not None:
        yield f"with the bounds of the grips: {data['certainty']}"
    yield f"largest multiple of the load that the hands hold: {number(data['scale_max'])}"
    limbs = data["limbs"]
    if limbs is not None:
        words = {"certainly": "yes", "certainly not": "no"}
        yield f"with the torque limits of the limbs: {words.get(limbs['certainty'], limbs['certainty'])}"
        yield from _torque_sheet(limbs["torques"])
    for name, region in data["regions"].items():
        area = f", {number(region['area'])} m^2" if region["kind"] == "polygon" else ""
        yield heading(f"{name} support region of the hands, limbs apart: {region['kind']}{area}")
        if region["kind"] not in ("empty", "plane"):
            side = "inside" if region["signed_distance"] >= 0.0 else "outside"
            yield f"centre of mass: {number(abs(region['signed_distance']))} m {side}"
        first = region["first"]
        if first is not None and first["hands"] and region["kind"] != "empty":
            yield f"nearest border: along ({_numbers(first['direction'])})"
            names = ", ".join(hand["name"] for hand in first["hands"])
            yield f"what fails there first (most important first): {names}"


def _unit_sheet(data: dict[str, Any]) -> Iterator[Block]:
    yield f"{counted(data['contacts'], 'contact')} in {counted(len(data['units']), 'unit')}"
    yield from data["reasons"]
    yield from _torque_sheet(data["torques"])
    rows = []
    for entry in data["leaning"]:
        rows.append((f"({_numbers(entry['direction'])})", number(entry["reach"]), _first_to_fail(entry)))
    if rows:
        columns = ["leaning along", "reach [m]", "what fails first"]
        yield TableBlock(columns, rows, title="How far the centre of mass may shift")


def _first_to_fail(entry: dict[str, Any]) -> str:
    """The most important limiting element of one direction, and those that reach the same limit with it."""
    if not entry["limiting"]:
        return entry["status"]
    first = entry["limiting"][0]
    names = [item["name"] for item in entry["limiting"] if (item["kind"], item["how"]) == (first["kind"], first["how"])]
    return f"{first['kind']}{'s' if len(names) > 1 else ''} {', '.join(names)}: {first['how']}"


def _torque_sheet(rows: list[dict[str, Any]]) -> Iterator[Block]:
    """The most loaded joints."""
    cells = []
    for row in rows[:MOST_JOINTS]:
        limited = math.isfinite(row["limit"])
        share = f"{100.0 * row['share']:.0f} %" if limited and math.isfinite(row["share"]) else "-"
        torque = row["torque"] if row["share"] > DUST or not limited else 0.0
        cells.append((row["joint"], number(torque), number(row["limit"]) if limited else "none", share))
    if cells:
        yield TableBlock(["joint", "torque [N m, N]", "limit", "share"], cells, title="Joints with the largest load")
    if len(rows) > MOST_JOINTS:
        yield f"and {counted(len(rows) - MOST_JOINTS, 'joint')} more (--json has all)"


def _numbers(values: Any) -> str:
    largest = max((abs(float(value)) for value in values), default=0.0)
    return ", ".join(number(float(v) if abs(v) > DUST * max(1.0, largest) else 0.0, 4) for v in values)


# -- pictures ---------------------------------------------------------------------------------------


def _picture(scene: RobotScene) -> Any:
    """The robot, with its support region on the ground, or at the height of its centre of mass on a wall."""
    import numpy as np

    com, sheets, plumb = scene.robot.com(scene.q), [], None
    up = -scene.gravity / max(_size(scene.gravity), DUST)
    place, normal = _ground(scene, up)
    for name, region in reversed(_regions(scene).items()):  # the larger first
        outline = region.outline(REACH, com)
        if len(outline) > 2:
            flat = region.frame.points(outline)
            sheets.append((flat + np.outer((place - flat) @ normal / (up @ normal), up), SHADES[name], 0.35))
            drop = (place - com) @ normal / (up @ normal)
            plumb = com + drop * up if abs(drop) > DUST else None
    title = f"{scene.name}, support region shaded" if sheets else scene.name
    grippers = [hand.palm for hand in scene.hands] or [touch.link for touch in scene.touches]
    look = {"sheets": sheets, "plumb": plumb, "gravity": scene.gravity, "title": title}
    return plots.robot(scene.robot, scene.q, grippers=grippers, **look)


def _ground(scene: RobotScene, up: Array) -> tuple[Array, Array]:
    """(point, normal) of the plane through the palms; level and through the centre of mass where they span a wall."""
    import numpy as np

    points = np.array([hand.pose(scene.robot, scene.q).translation for hand in scene.hands]).reshape(-1, 3)
    if len(points) > 2:
        middle = points.mean(axis=0)
        _, sizes, axes = np.linalg.svd(points - middle, full_matrices=False)
        if sizes[1] > FLAT_GROUND * sizes[0] and abs(axes[2] @ up) > math.cos(math.radians(STEEPEST)):
            return middle, axes[2]
    return scene.robot.com(scene.q), up


def _regions(scene: RobotScene, loads: list[str] | None = None) -> dict[str, Any]:
    """Support regions by name: "exact", or "inner" and "outer"; none without hands or without weight."""
    from ..postures import support_region
    from ..postures.region_computation import SupportRegionBounds

    if not scene.hands or not scene.gravity.any():  # without weight every centre of mass is the same
        return {}
    body = scene.posture()
    extra = body.with_loads(loads or []) - body.wrench
    found = support_region(body.grips, body.poses, body.mass, body.gravity, wrench=extra)
    return {"inner": found.inner, "outer": found.outer} if isinstance(found, SupportRegionBounds) else {"exact": found}
