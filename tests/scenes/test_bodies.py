"""Several bodies in scene files: what is read, what is written, what is wrong, and what the ready scenes do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from holdfast.assembly.shapes import Box, Mesh, convex_mesh, filled
from holdfast.errors import GeometryError, SceneError
from holdfast.scenes import Scene, load_scene, save_scene, scene_faults
from holdfast.statics.paths import rotating_gravity

Write = Callable[..., Path]

READY = ("stacked_cubes", "arch", "pallet", "sheets_in_two_grippers")

TWO = """holdfast: 1
bodies:
  lower: {mass: 1.0, shape: {kind: box, size: [0.1, 0.1, 0.1], position: [0, 0, 0.05]}}
  upper: {mass: 2.0, com: [0.01, 0, 0.15], inertia: [1e-3, 1e-3, 2e-3], shape: {kind: box, size: [0.1, 0.1, 0.1], position: [0, 0, 0.15]}}
world: [{kind: box, size: [1, 1, 0.1], position: [0, 0, -0.05]}]
volumes: {wood: {model: coulomb, mu: 0.5}}
interfaces: [{touching: all, volume: wood}]
loads:
  push: {body: upper, force: [1, 0, 0], at: [0, 0, 0.2]}
"""


# -- reading and writing -------------------------------------------------------------------------------


def test_bodies_the_world_and_interfaces_make_a_scene(write: Write) -> None:
    scene = load_scene(write(TWO))
    assert scene.assembly.bodies == ("lower", "upper")
    assert [side.name for side in scene.assembly.interfaces] == ["lower on world", "upper on lower"]
    assert [body.mass for body in scene.bodies] == [1.0, 2.0]
    np.testing.assert_allclose(scene.body("lower").com, [0, 0, 0.05])
    np.testing.assert_allclose(scene.body("upper").com, [0.01, 0, 0.15])
    assert scene.mass == pytest.approx(3.0)
    push = scene.load("push").reshape(2, 6)
    np.testing.assert_allclose(push, [[0] * 6, [1, 0, 0, 0, 0.2, 0]])
    (floor,) = scene.drawing.world
    assert isinstance(floor, Box)
    assert len(scene.drawing.faces) == 2


def test_interfaces_are_the_contacts_that_touching_finds(write: Write) -> None:
    scene = load_scene(write(TWO))
    shapes = {body.name: body.shape for body in scene.bodies}
    expected = hf.assembly.touching(shapes, hf.models.coulomb(0.5), world=scene.drawing.world)
    assert [c.name for c in scene.assembly.contacts] == [c.name for c in expected]
    np.testing.assert_allclose(scene.assembly.positions, [c.position for c in expected])
    np.testing.assert_allclose(scene.assembly.rotations, [c.rotation for c in expected])


def test_named_pairs_have_their_own_volume_and_the_others_share_one(write: Write) -> None:
    text = TWO.replace("volumes: {", "volumes: {ice: {model: coulomb, mu: 0.05}, ").replace(
        "interfaces: [", "interfaces: [{body: lower, volume: ice, gap: 1e-4}, "
    )
    scene = load_scene(write(text))
    frictions = {c.body: float(c.volume.support([1.0, 0.0, -0.05 if c.body == "lower" else -0.5])) for c in
                 scene.assembly.contacts}  # fmt: skip
    assert frictions == pytest.approx({"lower": 0.0, "upper": 0.0}, abs=1e-12)
    assert len(scene.assembly) == 8


def test_contacts_patches_and_fingers_name_their_bodies(write: Write) -> None:
    text = """holdfast: 1
bodies: {lower: {mass: 1, com: [0, 0, 0]}, upper: {density: 1000, shape: {kind: sphere, radius: 0.1, position: [0, 0, 1]}}}
volumes: {v: {model: coulomb, mu: 0.5, cap: 80}}
contacts:
  - {position: [0, 0, -1], normal: [0, 0, 1], volume: v, body: lower}
  - {position: [0, 0, 0.9], normal: [0, 0, 1], volume: v, body: upper, against: lower}
patches:
  - {kind: rectangle, position: [0, 0, -1], normal: [0, 0, 1], size: [0.1, 0.1], volume: v, body: lower, against: world}
fingers:
  - {name: f, position: [-0.06, 0, 1.2], along: [1, 0, 0], away: [0, 0, 1], lengths: [0.1], angles: [0], joints: {torque: 1},
     units: [{phalanx: 0, size: [0.02, 0.02], offset: 0.05, volume: v}], body: upper}
"""
    scene = load_scene(write(text))
    pairs = [(c.body, c.against) for c in scene.assembly.contacts]
    assert pairs == [("lower", None), ("upper", "lower"), *[("lower", None)] * 16, *[("upper", None)] * 4]
    assert scene.body("upper").mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.1**3)


def test_a_mesh_patch_belongs_to_its_body_or_to_the_other_side(write: Write) -> None:
    write("\n".join(["v 0 0 0", "v 1 0 0", "v 0 1 0", "f 1 2 3"]), "sheet.obj")
    text = """holdfast: 1
bodies: {gripper: {mass: 1, com: [0, 0, 0]}}
volumes: {v: {model: coulomb, mu: 0.5, cap: 80}}
patches: [{kind: mesh, file: sheet.obj, volume: v, points: 1, shear: [1, 0, 0], body: gripper%s}]
"""
    into = [load_scene(write(text % end)).assembly.rotations[0][:, 2] for end in ("", ", surface: against")]
    np.testing.assert_allclose(into, [[0, 0, -1], [0, 0, 1]], atol=1e-12)


def test_a_limited_volume_is_that_of_the_whole_face_or_of_its_area(write: Write) -> None:
    text = TWO.replace("mu: 0.5}", "mu: 0.5, cap: 80}")
    with pytest.raises(SceneError, match=r'interfaces\[0\].volume: is not a convex cone.*share="region"'):
        load_scene(write(text))
    for share, total in (("region", 80.0), ("area", 0.8)):
        scene = load_scene(write(text.replace("volume: wood}", f"volume: wood, share: {share}}}")))
        presses = [float(c.volume.support([0.0, 0.0, 1.0])) for c in scene.assembly.contacts]
        np.testing.assert_allclose(presses, total / 4.0)


@pytest.mark.parametrize("name", READY)
def test_what_is_written_is_read_back_the_same(name: str, tmp_path: Path) -> None:
    scene = load_scene(f"@{name}")
    save_scene(scene, tmp_path / "plain.yaml")
    again = load_scene(tmp_path / "plain.yaml")
    assert again.assembly.fingerprint == scene.assembly.fingerprint
    assert again.fingerprint == scene.fingerprint
    assert again.assembly.bodies == scene.assembly.bodies
    for load in scene.loads:
        np.testing.assert_allclose(again.load(load), scene.load(load), atol=1e-12)
    assert [type(shape) for shape in again.drawing.world] == [type(shape) for shape in scene.drawing.world]
    for one, two in zip(scene.bodies, again.bodies, strict=True):
        assert type(one.shape) is type(two.shape)
        if isinstance(one.shape, Mesh) and isinstance(two.shape, Mesh):
            np.testing.assert_array_equal(one.shape.triangles, two.shape.triangles)


def test_hulls_and_meshes_by_their_triangles_have_the_volume_of_what_they_are(write: Write) -> None:
    corners = [[x, y, z] for x in (0.0, 0.2) for y in (0.0, 0.3) for z in (0.0, 0.4)]
    volume, middle = filled(convex_mesh([*corners, [0.1, 0.1, 0.1]]))
    assert volume == pytest.approx(0.024)
    np.testing.assert_allclose(middle, [0.1, 0.15, 0.2])
    text = TWO.replace("{kind: box, size: [0.1, 0.1, 0.1], position: [0, 0, 0.05]}",
                       "{kind: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "
                       "faces: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], scale: 0.1}").replace(
        "interfaces: [{touching: all", "contacts: [{position: [0, 0, 0.1], normal: [0, 0, 1], volume: wood, body: upper}]\n"
        "interfaces: [{body: lower, against: world")  # fmt: skip
    np.testing.assert_allclose(load_scene(write(text)).body("lower").com, [0.025] * 3)
    with pytest.raises(GeometryError, match="do not span a solid"):
        convex_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])


# -- faults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("mass: 1.0, ", "", 3, "bodies.lower: has no mass"),
        ("mass: 1.0, ", "mass: 0, ", 3, "bodies.lower.mass: is 0"),
        ("mass: 1.0, ", "mass: 1.0, density: 9, ", 3, "bodies.lower: has its mass twice"),
        ("mass: 1.0, shape", "density: 7, shap", 3, "bodies.lower.shap: is not a field here (did you mean 'shape'?"),
        ("  lower: {mass: 1.0, shape: {kind: box, size: [0.1, 0.1, 0.1], position: [0, 0, 0.05]}}",
         "  lower: {mass: 1.0}", 3, "bodies.lower: has no centre of mass"),
        ("body: upper, force", "force", 9, "loads.push: names no body (give body: one of lower, upper)"),
        ("body: upper, force", "body: uper, force", 9, "loads.push.body: there is no body 'uper' (did you mean 'upper'?"),
        ("{body: upper, force: [1, 0, 0], at: [0, 0, 0.2]}", "{bodies: {uper: {force: [1, 0, 0]}}}", 9,
         "there is no body 'uper'"),
        ("body: upper, force", "body: upper, bodies: {}, force", 9, "has both a wrench and bodies"),
        ("{touching: all", "{body: upper, against: upper", 7, "body 'upper' touches itself"),
        ("{touching: all", "{body: upper, against: lwer", 7, "did you mean 'lower'?"),
        ("{touching: all", "{body: upper, touching: all", 7, "has both a body and touching: all"),
        ("{touching: all", "{body: upper, against: lower", 3, "bodies.lower: is not connected to the world"),
        ("{touching: all", "{body: lower, against: world", 4, "bodies.upper: touches nothing"),
        ("[{touching: all, volume: wood}]", "[{body: upper, against: lower, volume: wood}, "
         "{body: lower, against: upper, volume: wood}]", 7, "repeats an interface"),
        ("{touching: all", "{body: upper, against: world", 7, "'upper' and 'world' do not touch"),
        ("position: [0, 0, 0.15]}}", "position: [0, 0, 0.14]}}", 7, "upper and lower: penetrate each other by 0.01 m"),
        ("interfaces: [{touching: all, volume: wood}]", "contacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: wood}]",
         7, "contacts[0]: names no body"),
        ("interfaces: [{touching: all, volume: wood}]", "joints: []", 1, "nothing touches the bodies"),
        ("bodies:", "object: {mass: 1}\nbodies:", 1, "has an object and bodies"),
        ("  upper: {", "  world: {", 4, "bodies.world: is not allowed as the name of a body"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(write: Write, old: str, new: str, line: int, words: str) -> None:
    assert old in TWO
    (fault, *_) = scene_faults(write(TWO.replace(old, new)))
    assert words in str(fault)
    assert fault.line == line


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("interfaces: [{touching: all, volume: v}]", "interfaces: has interfaces and no bodies"),
        ("loads: {a: {body: x, force: [1, 0, 0]}}", "loads.a.body: names a body, and there are none"),
        ("patches: [{kind: pad, position: [0, 0, 0], normal: [0, 0, 1], volume: v, body: x}]", "names a body, and there are"),
        ("patches: [{kind: mesh, file: x.stl, points: 1, shear: [1, 0, 0], volume: v, body: griper}]", "did you mean 'gripper'"),
    ],
)  # fmt: skip
def test_bodies_in_a_scene_of_one_object_are_faults(write: Write, end: str, words: str) -> None:
    text = (
        "holdfast: 1\nvolumes: {v: {model: coulomb}}\ncontacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n"
    )
    assert words in str(scene_faults(write(text + end))[0])


# -- ready scenes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "load", "holds"),
    [
        ("stacked_cubes", None, True),
        ("stacked_cubes", "push", True),
        ("stacked_cubes", "shove", False),
        ("stacked_cubes", "lift", False),
        ("arch", None, True),
        ("arch", "crown", True),
        ("arch", "haunch", True),
        ("pallet", None, True),
        ("pallet", "strap", True),
        ("sheets_in_two_grippers", "pull", True),
        ("sheets_in_two_grippers", "pull apart", False),
    ],
)
def test_a_ready_scene_does_what_its_comments_say(name: str, load: str | None, holds: bool) -> None:
    scene = load_scene(f"@{name}")
    answer = hf.equilibrium(scene.assembly, scene.gravity_load() + (0.0 if load is None else scene.load(load)))
    assert answer.holds is holds
    assert answer.verify()
    assert scene.warnings == ()


def tilt(scene: Scene, start: float, stop: float) -> float:
    """Angle [deg] of a tilt about y at which the scene stops to hold."""
    path = rotating_gravity(scene, (0, 0, -1), (1, 0, 0))
    return float(np.degrees(hf.slip_onset(path, np.radians(start), np.radians(stop), step=0.02, tolerance=1e-6).value))


def test_the_stack_tips_at_half_the_slope_of_one_cube() -> None:
    assert tilt(load_scene("@stacked_cubes"), 25.0, 28.0) == pytest.approx(np.degrees(np.arctan(0.5)), abs=1e-4)


def test_the_boxes_slide_at_the_angle_of_friction() -> None:
    assert tilt(load_scene("@pallet"), 21.6, 22.0) == pytest.approx(np.degrees(np.arctan(0.4)), abs=1e-4)


def test_the_sheets_slide_at_the_sum_of_the_frictions_at_three_faces() -> None:
    scene = load_scene("@sheets_in_two_grippers")
    found = hf.load_ramp(scene.assembly, scene.gravity_load(), scene.load("pull") / 40.0)
    weight = 0.05 * 9.80665
    assert found.value == pytest.approx(2 * 0.6 * 50.0 + 0.3 * (2 * 50.0 + weight), rel=1e-6)


def thrust_line_limit(
    weights: np.ndarray, stones: int, radius: float, thickness: float, load: tuple[int, float]
) -> float:
    """Largest force [N] down on one stone that a plane arch bears without sliding: a linear program over joint forces.

    Unknowns: force (x, z) and moment about the middle of every joint on the stone after it. A joint presses, and the
    pressure lies within its thickness. `load`: number of the stone, and x of the force [m].
    """
    angles = np.pi * (1.0 - np.arange(stones + 1) / stones)
    middles = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    along = np.column_stack([np.sin(angles), -np.cos(angles)])  # in the sense of the stones
    size = 3 * (stones + 1) + 1
    equal, right, most = [], [], []
    for stone in range(stones):
        rows = np.zeros((3, size))
        for joint, sign in ((stone, 1.0), (stone + 1, -1.0)):
            x, z = middles[joint]
            rows[:, 3 * joint : 3 * joint + 3] = sign * np.array([[1, 0, 0], [0, 1, 0], [-z, x, 1]])
        if stone == load[0]:
            rows[:, -1] = [0.0, -1.0, -load[1]]
        force, at = weights[stone]
        equal.append(rows)
        right += [0.0, force, force * at]
    for joint in range(stones + 1):
        for side in (-1.0, 1.0):  # |moment| <= thickness / 2 times the pressure
            row = np.zeros(size)
            row[3 * joint : 3 * joint + 3] = [*(-0.5 * thickness * along[joint]), side]
            most.append(row)
    goal = np.zeros(size)
    goal[-1] = -1.0
    answer = linprog(
        goal, A_ub=most, b_ub=np.zeros(len(most)), A_eq=np.concatenate(equal), b_eq=right, bounds=(None, None)
    )
    assert answer.status == 0
    return -float(answer.fun)


@pytest.mark.parametrize(("load", "stone", "at"), [("crown", 4, 0.0), ("haunch", 2, -0.35)])
def test_the_arch_bears_what_its_line_of_thrust_allows(load: str, stone: int, at: float) -> None:
    scene = load_scene("@arch")
    weights = np.array([(9.80665 * body.mass, body.com[0]) for body in scene.bodies])
    limit = thrust_line_limit(weights, 9, 0.5, 0.09, (stone, at))
    found = hf.load_ramp(scene.assembly, scene.gravity_load(), scene.load(load) / 100.0)
    assert found.value == pytest.approx(limit, rel=1e-3)
    assert limit > 100.0
