"""Walls: bodies side by side have friction only where something squeezes them; tilts in closed form."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.shapes import Box, Mesh, convex_mesh
from holdfast.scenes import Scene

#: Another world: gravity along no axis.
TURN = hf.Pose(hf.rotation_about((1, 2, 3), 1.1), (0.3, -0.2, 0.1))
WORLDS = {"z up": hf.Pose.identity(), "turned": TURN}
G = 9.80665


def pile(boxes: Sequence[tuple], mu: float, world: hf.Pose, *, walls: bool = False, mass: float = 1.0) -> Scene:
    """Boxes (centre, size) on a floor at z = 0, everything turned."""

    def shape(centre, size) -> Box:
        return Box(np.array(size, float), world @ hf.Pose(np.eye(3), centre))

    bodies = [hf.RigidBody(mass, name=f"box {i}", shape=shape(*box)) for i, box in enumerate(boxes)]
    floor = shape((0, 0, -0.05), (4, 4, 0.1))
    volume = hf.models.coulomb(mu, facets=32)
    gravity = world.rotation @ [0, 0, -G]
    along = world.rotation @ [1, 0, 0]  # the facets follow the direction of the tilt
    return Scene.touching(bodies, volume, world=[floor], shear=along, walls=walls, gravity=gravity)


def steepest(scene: Scene, world: hf.Pose) -> float:
    """The largest tilt towards x [deg] at which the scene holds."""
    aside = scene.gravity_load(world.rotation @ [1, 0, 0])
    ramp = hf.load_ramp(scene.assembly, scene.gravity_load(), aside, stop=50.0)
    assert ramp.verify()
    return float(np.degrees(np.arctan(ramp.value)))


CUBE = (0.1, 0.1, 0.1)
PILES = {
    "two cubes tip": (((0, 0, 0.05), CUBE), ((0, 0, 0.15), CUBE), 0.8, np.degrees(np.arctan(0.5))),
    "a cube slides": (((0, 0, 0.05), CUBE), 0.84, np.degrees(np.arctan(0.84))),
    "a cube tips": (((0, 0, 0.05), CUBE), 1.2, 45.0),
    "a row slides": (*(((0.1 * i, 0, 0.05), CUBE) for i in range(4)), 0.84, np.degrees(np.arctan(0.84))),
    "slender boxes in a row tip": (
        *(((0.1 * i, 0, 0.2), (0.1, 0.1, 0.4)) for i in range(3)),
        0.8,
        np.degrees(np.arctan(0.25)),
    ),
}


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
@pytest.mark.parametrize("name", PILES)
def test_piles_and_rows_tip_and_slide_where_they_should(name: str, world: hf.Pose) -> None:
    *boxes, mu, angle = PILES[name]
    assert steepest(pile(boxes, mu, world), world) == pytest.approx(angle, abs=0.01)


HIGH = [((0, 0, 0.2), (0.1, 0.1, 0.4)), ((0.1, 0, 0.2), (0.1, 0.1, 0.4)), ((0.05, 0.1, 0.05), CUBE)]


def test_slender_boxes_hang_on_their_neighbours_only_with_friction_at_walls() -> None:
    """Side by side they tip together at 1/4, as they can slide on each other; glued by friction at 1/2."""
    identity = WORLDS["z up"]
    smooth, rough = (pile(HIGH[:2], 0.8, identity, walls=walls) for walls in (False, True))
    assert smooth.smooth_walls == ("box 1 on box 0",) and not rough.smooth_walls
    assert "box 1 on box 0" in smooth.wall_note and "--walls" in smooth.wall_note and not rough.wall_note
    assert steepest(smooth, identity) == pytest.approx(np.degrees(np.arctan(0.25)), abs=0.01)
    assert steepest(rough, identity) > np.degrees(np.arctan(0.35))
    again = smooth.with_friction_at_walls()
    assert steepest(again, identity) == steepest(rough, identity) and not again.smooth_walls
    assert again.squeezed().smooth_walls == smooth.smooth_walls == smooth.turned((0.3, 0, -1)).smooth_walls


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_a_box_between_two_others_does_not_hang_by_friction(world: hf.Pose) -> None:
    boxes = [((-0.1, 0, 0.05), CUBE), ((0.0, 0, 0.08), CUBE), ((0.1, 0, 0.05), CUBE)]
    scene = pile(boxes, 1.5, world)
    assert len(scene.smooth_walls) == 2 and not hf.equilibrium(scene.assembly, scene.gravity_load()).holds
    rough = pile(boxes, 1.5, world, walls=True)
    assert hf.equilibrium(rough.assembly, rough.gravity_load()).holds


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2), (2, 0, 3, 1)])
def test_walls_that_can_take_the_place_of_one_another_are_all_squeezed(order: tuple, world: hf.Pose) -> None:
    """A slab slides down onto three posts: the middle one, or the outer two, or all may carry it."""
    boxes = [((0, 0, 0.05), (0.1, 0.5, 0.1)), *(((0.1, y, 0.05), CUBE) for y in (-0.2, 0, 0.2))]
    shapes = [Box(np.array(size, float), world @ hf.Pose(np.eye(3), at)) for at, size in boxes]
    bodies = [hf.RigidBody(1.0, name=f"body {i}", shape=shapes[i]) for i in order]
    around = [((0, 0, -0.05), (4, 4, 0.1)), ((0.2, 0, 0.05), (0.1, 2, 0.1))]
    fixed = [Box(np.array(size), world @ hf.Pose(np.eye(3), at)) for at, size in around]
    gravity = G * world.rotation @ [np.sin(0.7), 0, -np.cos(0.7)]
    scene = Scene.touching(bodies, hf.models.coulomb(0.3, facets=32), world=fixed, gravity=gravity)
    assert not scene.smooth_walls


@pytest.mark.parametrize("degrees", [44.0, 45.0, 46.0, 60.0])
@pytest.mark.parametrize("slip", [0.95, 1.05])
def test_a_slab_on_a_steep_free_wedge_holds_where_friction_exceeds_the_slope(degrees: float, slip: float) -> None:
    """Its own weight presses it on, however steep the surface is."""
    slope = np.tan(np.radians(degrees))
    turn = hf.rotation_about((0, -1, 0), np.radians(degrees))
    corners = [(x, y, z) for x, z in ((0, 0), (1, 0), (1, slope)) for y in (-0.2, 0.2)]
    pose = hf.Pose(turn, turn @ (0, 0, 0.005) + (0.5, 0, 0.5 * slope))
    bodies = [
        hf.RigidBody(50.0, name="wedge", shape=convex_mesh(corners)),
        hf.RigidBody(1.0, name="slab", shape=Box(np.array([0.05, 0.05, 0.01]), pose)),
    ]
    floor = Box(np.array([4, 4, 0.1]), hf.Pose(np.eye(3), (0, 0, -0.05)))
    scene = Scene.touching(bodies, hf.models.coulomb(slip * slope, facets=64), world=[floor], shear=(0, 1, 0))
    assert not scene.smooth_walls
    assert hf.equilibrium(scene.assembly, scene.gravity_load()).holds == (slip > 1.0)


@pytest.mark.parametrize("lean", [-0.1, 0.0, 0.01, 0.3])
def test_a_key_between_two_blocks_holds_where_it_is_a_wedge(lean: float) -> None:
    """Its sides lean outwards by `lean`; the blocks stand against stops. The other way it is a dovetail and falls."""

    def block(side: float) -> Mesh:
        ends = [(0.05 + lean * (z - 0.05), z) for z in (0.0, 0.2)] + [(0.2, 0.0), (0.2, 0.2)]
        return convex_mesh([(side * x, y, z) for x, z in ends for y in (-0.05, 0.05)])

    key = [(side * (0.05 + lean * (z - 0.05)), y, z) for side in (-1, 1) for z in (0.05, 0.15) for y in (-0.05, 0.05)]
    shapes = {"left": block(-1.0), "key": convex_mesh(key), "right": block(1.0)}
    bodies = [hf.RigidBody(1.0, name=name, shape=shape) for name, shape in shapes.items()]
    stops = [Box(np.array([0.1, 1, 0.4]), hf.Pose(np.eye(3), (x, 0, 0.2))) for x in (-0.25, 0.25)]
    floor = Box(np.array([4, 4, 0.1]), hf.Pose(np.eye(3), (0, 0, -0.05)))
    scene = Scene.touching(bodies, hf.models.coulomb(0.5), world=[floor, *stops])
    wedged = lean > 0.0
    assert len(scene.smooth_walls) == (0 if wedged else 2)
    assert hf.equilibrium(scene.assembly, scene.gravity_load()).holds == wedged


JAWS = """\
holdfast: 1
bodies:
  left: {mass: 0.1, shape: {kind: box, size: [0.02, 0.04, 0.04], position: [-0.03, 0, 0.1]}}
  part: {mass: 1.0, shape: {kind: box, size: [0.04, 0.04, 0.04], position: [0, 0, 0.1]}}
  right: {mass: 0.1, shape: {kind: box, size: [0.02, 0.04, 0.04], position: [0.03, 0, 0.1]}}
volumes:
  rubber: {model: coulomb, mu: 0.5}
  slide: {pieces: [[[0, -100, -100], [0, 100, -100], [0, -100, 100], [0, 100, 100]]], flat: true}
contacts: # each jaw on a guide along x, which carries any force across it
  - {name: a, position: [-0.04, 0.01, 0.11], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], volume: slide, body: left}
  - {name: b, position: [-0.04, -0.01, 0.09], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], volume: slide, body: left}
  - {name: c, position: [-0.02, 0.0, 0.09], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], volume: slide, body: left}
  - {name: d, position: [0.04, 0.01, 0.11], rotation: [[0, 0, -1], [0, 1, 0], [1, 0, 0]], volume: fixed, body: right}
  - {name: e, position: [0.04, -0.01, 0.09], rotation: [[0, 0, -1], [0, 1, 0], [1, 0, 0]], volume: fixed, body: right}
  - {name: f, position: [0.02, 0.0, 0.09], rotation: [[0, 0, -1], [0, 1, 0], [1, 0, 0]], volume: fixed, body: right}
interfaces: [{touching: all, volume: rubber}]
loads: {clamp: {body: left, force: [40, 0, 0], at: [-0.03, 0, 0.1]}}
"""
FIXED = "  fixed: {pieces: [[[-100, -100, -100], [100, -100, -100], [-100, 100, -100], [100, 100, -100], [-100, -100, 100], [100, -100, 100], [-100, 100, 100], [100, 100, 100]]]}\n"


def test_jaws_that_a_load_presses_keep_their_friction(tmp_path: Path, run: Callable) -> None:
    file = tmp_path / "jaws.yaml"
    file.write_text(JAWS.replace("contacts:", FIXED + "contacts:"))
    scene = hf.load(file)
    assert len(scene.smooth_walls) == 2  # without the clamp nothing presses the jaws
    clamp = scene.load("clamp")
    assert not scene.squeezed(clamp).smooth_walls
    assert run("check", str(file), "--load", "clamp").exit_code == 0
    open_jaws = run("check", str(file))
    assert open_jaws.exit_code == 1 and "nothing squeezes" in open_jaws.output


@pytest.fixture
def two_in_a_row(tmp_path: Path) -> Path:
    """A scene file of two boxes side by side."""
    file = tmp_path / "row.yaml"
    shapes = "".join(
        f"  box {k}: {{density: 500, shape: {{kind: box, size: [0.1, 0.1, 0.4], position: [{0.1 * k}, 0, 0.2]}}}}\n"
        for k in range(2)
    )
    file.write_text(
        f"holdfast: 1\nbodies:\n{shapes}world: [{{kind: box, size: [2, 2, 0.1], position: [0, 0, -0.05]}}]\n"
        "volumes: {wood: {model: coulomb, mu: 0.8}}\ninterfaces: [{touching: all, volume: wood}]\n"
    )
    return file


def test_a_shown_scene_and_its_report_name_walls_without_friction(two_in_a_row: Path, run: Callable) -> None:
    said = "no friction at walls, which nothing squeezes: box 1 on box 0"
    assert said in run("scene", "show", str(two_in_a_row)).output
    page = two_in_a_row.with_suffix(".html")
    assert run("report", str(two_in_a_row), "-o", str(page)).exit_code == 0
    assert said in page.read_text()


@pytest.mark.parametrize("command", ["check", "limit", "onset"])
def test_commands_say_which_walls_have_no_friction(two_in_a_row: Path, run: Callable, command: str) -> None:
    file = two_in_a_row
    said = run(command, str(file))
    assert "nothing squeezes" in said.output and "--walls" in said.output
    data = json.loads(run(command, str(file), "--json").stdout)
    assert data["walls_without_friction"] == ["box 1 on box 0"]
    assert data["polygons"]["facets"] == 16 and data["polygons"]["error"] == pytest.approx(1 - np.cos(np.pi / 16))
    rough = json.loads(run(command, str(file), "--walls", "--json").stdout)
    assert rough["walls_without_friction"] == []
    file.write_text(file.read_text().replace("volume: wood}", "volume: wood, walls: true}"))
    assert "squeezes" not in run(command, str(file)).output


def test_check_compares_the_largest_use_with_the_load_factor(run: Callable) -> None:
    """The first contact fails no later than the load factor; both are named."""
    data = json.loads(run("check", "@suction_cup", "--json").stdout)
    use = data["largest_use"]
    assert (
        1.0 / use["use"] == pytest.approx(use["first_failure"], rel=1e-6) and use["first_failure"] < data["load_factor"]
    )
    text = run("check", "@suction_cup").output
    assert "largest use" in text and "the first contact fails at" in " ".join(text.split())


def test_glue_and_contacts_of_the_user_stay_as_they_are() -> None:
    boxes = HIGH[:2]
    shapes = {f"box {i}": Box(np.array(size, float), hf.Pose(np.eye(3), at)) for i, (at, size) in enumerate(boxes)}
    floor = Box(np.array([4, 4, 0.1]), hf.Pose(np.eye(3), (0, 0, -0.05)))
    contacts = hf.assembly.touching(shapes, hf.models.coulomb(0.8), world=[floor])
    bodies = [hf.RigidBody(1.0, name=name, shape=shape) for name, shape in shapes.items()]
    own = Scene(assembly=hf.Assembly(contacts), bodies=tuple(bodies))
    assert not own.squeezed().smooth_walls and all(c.volume is contacts[0].volume for c in own.assembly.contacts)
    glue = Scene.touching(bodies, hf.models.suction(20.0, 0.5), world=[floor], share="region")
    assert not glue.smooth_walls
