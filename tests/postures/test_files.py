from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from scipy.optimize import linprog

import holdfast
from holdfast.errors import SceneError
from holdfast.files.reader import KINDS
from holdfast.geometry.frames import rotation_about
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.postures import LazyGrip
from holdfast.postures.files import (
    POSTURES,
    PostureDocument,
    load_posture,
    posture_schema,
)
from holdfast.postures.hands import PostureScene
from holdfast.scenes import load_scene, ready_names, ready_path
from holdfast.scenes.files import SceneDocument

STORED = Path(holdfast.__file__).parent / "data" / "posture.schema.json"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = posture_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def data_of(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_stored_schema_is_the_current_one() -> None:
    """To renew it: holdfast posture --schema > src/holdfast/data/posture.schema.json."""
    assert json.loads(STORED.read_text(encoding="utf-8")) == posture_schema()


@pytest.mark.parametrize("name", POSTURES.names())
def test_ready_postures_satisfy_the_schema(validator: jsonschema.Draft202012Validator, name: str) -> None:
    assert [fault.message for fault in validator.iter_errors(data_of(POSTURES.path(f"@{name}")))] == []


@pytest.mark.parametrize("name", ready_names()[:3])
def test_scenes_do_not_satisfy_it(validator: jsonschema.Draft202012Validator, name: str) -> None:
    assert not validator.is_valid(data_of(ready_path(f"@{name}")))


def test_every_field_says_what_it_is() -> None:
    silent = []
    for name, part in posture_schema()["$defs"].items():
        silent += [
            f"{name}.{field}" for field, entry in part.get("properties", {}).items() if "description" not in entry
        ]
    assert set(silent) <= {"LinkPart.name"}


def test_the_fields_that_tell_the_files_apart_are_fields_of_one_kind_alone() -> None:
    posture, scene = set(PostureDocument.model_fields), set(SceneDocument.model_fields)
    assert set(KINDS["posture"].fields) == posture - scene
    assert set(KINDS["scene"].fields) == scene - posture


Build = Callable[..., PostureScene]

HEAD = "holdfast: 1\nbody: {mass: 1.0}\n"
CORNERS = "[[1, 2, 3, 4, 5, 6], [-1, 0, 0, 0, 0, 0], [0, 0, -1, 0, 0, 0]]"
BOX = [[*row, 2.0] for row in np.vstack([np.eye(6), -np.eye(6)]).tolist()]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """A posture of hands at the origin with the grip given, and further hands."""

    def make(grip: str, *hands: str) -> PostureScene:
        path = tmp_path / "posture.yaml"
        entries = "".join(f"  - {hand}\n" for hand in (hands or ("{grip: g, position: [0, 0, 0]}",)))
        path.write_text(f"{HEAD}grips:\n  g: {grip}\nhands:\n{entries}", encoding="utf-8")
        return load_posture(path)

    return make


def test_vertices_and_rays_come_in_the_palm_frame_as_they_stand(build: Build) -> None:
    (grip,) = build(f"{{vertices: {CORNERS}, rays: [[0, 0, 2, 0, 0, 0]]}}").grips
    assert isinstance(grip, Grip)
    assert np.array_equal(grip.vertices, [[1, 2, 3, 4, 5, 6], [-1, 0, 0, 0, 0, 0], [0, 0, -1, 0, 0, 0]])
    assert grip.support([0, 0, 1.0, 0, 0, 0]) == np.inf


def test_a_grip_is_scaled_and_mirrored(build: Build) -> None:
    plain = build(f"{{vertices: {CORNERS}}}").grips[0]
    other = build(f"{{vertices: {CORNERS}, scale: 0.5, mirror: [0, 1, 0]}}").grips[0]
    # Forces mirror as vectors, torques as axial ones.
    assert np.allclose(other.vertices, 0.5 * plain.vertices * [1, -1, 1, -1, 1, -1])


def test_half_spaces_and_bounds(build: Build) -> None:
    outer = build(f"{{halfspaces: {BOX}}}").grips[0]
    assert isinstance(outer, OuterGrip)
    assert outer.support([0, 3.0, 0, 0, 0, 0]) == pytest.approx(6.0)
    bounds = build(f"{{inner: [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]], outer: {BOX}}}").grips[0]
    assert isinstance(bounds, GripBounds)
    assert len(bounds.inner.vertices) == 2


def test_bounds_that_cross_are_a_fault_of_the_file(build: Build) -> None:
    with pytest.raises(SceneError) as caught:
        build(f"{{inner: [[0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 0, 0]], outer: {BOX}}}")
    assert caught.value.field == "grips.g"


def test_a_box_reaches_its_limits_in_every_component(build: Build) -> None:
    grip = build("{box: {lower: [-1, -2, -3, -4, -5, -6], upper: [1, 2, 3, 4, 5, 6]}}").grips[0]
    assert np.allclose([grip.support(row) for row in np.eye(6)], [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(("side", "compare"), [("inner", np.less_equal), ("outer", np.greater_equal)])
def test_a_friction_pyramid_is_inside_or_around_the_cone(build: Build, side: str, compare: np.ufunc) -> None:
    grip = build(f"{{coulomb: {{mu: 0.5, sides: 7, side: {side}}}}}").grips[0]
    forces = grip.rays[:, :3]
    assert not grip.rays[:, 3:].any()
    slope = np.linalg.norm(forces[:, :2], axis=1) / forces[:, 2]
    assert compare(slope, 0.5 + (1e-12 if side == "inner" else -1e-12)).all()


def test_a_stored_grip_is_found_beside_the_posture(build: Build, tmp_path: Path) -> None:
    grip = Grip.box([-1] * 6, [1] * 6)
    grip.save(tmp_path / "box.h5")
    assert build("{file: box.h5}").grips[0] == grip
    bounds = GripBounds(grip, OuterGrip(np.vstack([np.eye(6), -np.eye(6)]), np.full(12, 2.0)))
    bounds.save(tmp_path / "bounds.h5")
    assert isinstance(build("{file: bounds.h5}").grips[0], GripBounds)
    assert build("{file: bounds.h5, side: inner}").grips[0] == grip
    assert isinstance(build("{file: bounds.h5, side: outer}").grips[0], OuterGrip)


def test_a_truncated_grip_file_is_a_fault_at_its_line(build: Build, tmp_path: Path) -> None:
    Grip.box([-1] * 6, [1] * 6).save(tmp_path / "whole.h5")
    whole = (tmp_path / "whole.h5").read_bytes()
    (tmp_path / "half.h5").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SceneError, match=r"half\.h5") as caught:
        build("{file: half.h5}")
    assert caught.value.line == 4


def test_hands_with_one_grip_share_it(build: Build) -> None:
    scene = build("{coulomb: {mu: 0.5}}", "{grip: g, position: [0, 0, 0]}", "{grip: g, position: [1, 0, 0]}")
    assert scene.grips[0] is scene.grips[1]


def test_palms_stand_as_normal_shear_or_rotation_say(build: Build) -> None:
    scene = build(
        "{coulomb: {mu: 0.5}}",
        "{grip: g, position: [1, 2, 3], normal: [0, 1, 0], shear: [1, 1, 0]}",
        "{grip: g, position: [0, 0, 0], rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}",
        "{grip: g, position: [0, 0, 0]}",
    )
    assert np.allclose(scene.poses[0].rotation, np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]).T)
    assert np.allclose(scene.poses[0].translation, [1, 2, 3])
    assert np.allclose(scene.poses[1].rotation, rotation_about([0, 0, 1], np.pi / 2))
    assert np.array_equal(scene.poses[2].rotation, np.eye(3))


def test_a_hand_with_a_scene_of_its_own_is_lazy(build: Build) -> None:
    grip = build("{scene: '@suction_cup', acting: reaction, palm: {position: [0, 0, 0.1]}}").grips[0]
    assert isinstance(grip, LazyGrip)
    assert grip.acting == "reaction"
    assert grip.palm is not None
    assert np.allclose(grip.palm.translation, [0, 0, 0.1])
    assert grip.assembly.fingerprint == load_scene("@suction_cup").assembly.fingerprint


def test_a_scene_can_be_learned_on_the_fly(build: Build) -> None:
    grip = build("{scene: '@two_opposed_units', learn: {n: 40, seed: 3}}").grips[0]
    assert isinstance(grip, GripBounds)
    directions = np.random.default_rng(0).normal(size=(20, 6))
    assert (grip.inner.support(directions) <= grip.outer.support(directions) * (1 + 1e-9) + 1e-9).all()


def test_links_with_a_weight_give_each_orientation_its_own_grip(build: Build) -> None:
    down = "{grip: g, position: [0, 0, 0]}"
    scene = build("{scene: '@two_finger_gripper_d_d'}", down, "{grip: g, position: [0, 0, 0], normal: [0, 1, 0]}", down)
    first, turned, again = scene.grips
    assert scene.hands_weigh
    assert first is again
    assert turned is not first
    hand = load_scene("@two_finger_gripper_d_d").with_gravity(scene.poses[1].rotation.T @ scene.gravity)
    assert hand.assembly.joints is not None
    assert np.allclose(turned.assembly.joints.upper, hand.assembly.joints.upper)
    assert not np.allclose(turned.assembly.joints.upper, first.assembly.joints.upper)


def largest_factor(scene: PostureScene, wrench: np.ndarray) -> float:
    """Largest share of the load, up to 100, that vertices and rays of the hands balance, by the full program (20)."""
    columns, rows = [], []
    for number, (grip, pose) in enumerate(zip(scene.grips, scene.poses, strict=True)):
        assert isinstance(grip, Grip)
        transport = pose.wrench_transport()
        for corner in grip.vertices:
            columns.append(np.concatenate([transport @ corner, np.eye(len(scene))[number]]))
        for ray in grip.rays:
            columns.append(np.concatenate([transport @ ray, np.zeros(len(scene))]))
    columns.append(np.concatenate([wrench, np.zeros(len(scene))]))
    rows = np.array(columns).T
    cost = np.zeros(len(columns))
    cost[-1] = -1.0
    wanted = np.concatenate([np.zeros(6), np.ones(len(scene))])
    bounds = [(0.0, None)] * (len(columns) - 1) + [(0.0, 100.0)]
    found = linprog(cost, A_eq=rows, b_eq=wanted, bounds=bounds, method="highs")
    assert found.status == 0  # nothing at all is held by hands that need not pull
    return float(found.x[-1])


def test_a_name_leads_to_its_file_and_a_path_to_itself() -> None:
    assert POSTURES.path("@tripod_on_flat_ground").name == "tripod_on_flat_ground.yaml"
    assert POSTURES.path("tripod_on_flat_ground") == Path("tripod_on_flat_ground")


def test_a_wrong_name_suggests_the_nearest() -> None:
    with pytest.raises(SceneError, match="did you mean '@tripod_on_flat_ground'"):
        load_posture("@tripod_on_flatground")


@pytest.mark.parametrize("name", POSTURES.names())
def test_a_ready_posture_begins_with_what_it_is(name: str) -> None:
    first = POSTURES.path(f"@{name}").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# {POSTURES.title(name)}"
    assert 40 < len(first) <= 120


@pytest.mark.parametrize(
    ("name", "load", "holds"),
    [
        ("tripod_on_flat_ground", None, True),
        ("tripod_on_flat_ground", "push", True),
        ("tripod_on_flat_ground", "shove", False),
        ("quadruped_on_rock", None, True),
        ("quadruped_on_rock", "arm", True),
        ("braced_in_a_chimney", None, True),
        ("climber_on_overhang", None, True),
        ("climber_on_overhang", "rope", True),
        ("climber_on_overhang", "bag", True),
        ("climber_with_tired_hands", None, False),
    ],
)
def test_a_ready_posture_does_what_its_comments_say(name: str, load: str | None, holds: bool) -> None:
    scene = load_posture(f"@{name}")
    wrench = scene.with_loads([] if load is None else [load])
    factor = largest_factor(scene, wrench)
    assert (factor >= 1.0) is holds
    assert abs(factor - 1.0) > 0.05  # not by a hair


# Faults of posture files: each a SceneError with file, line, field and fix.

POSTURE = """\
holdfast: 1
name: stand
body:
  mass: 2.0
  com: [0, 0, 0.5]
loads:
  push: {force: [5, 0, 0], at: [0, 0, 1]}
grips:
  foot:
    coulomb: {mu: 0.6, sides: 8}
  hand:
    box:
      lower: [-1, -1, -1, 0, 0, 0]
      upper: [1, 1, 1, 0, 0, 0]
hands:
  - name: left
    grip: foot
    position: [0, 0.1, 0]
    normal: [0, 0, 1]
  - name: right
    grip: hand
    position: [0, -0.1, 0]
    rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
"""

#: (what to replace, by what, line, field, words of the message).
FAULTS = [
    ("holdfast: 1", "holdfast: 2", 1, "holdfast", "version 2, this Holdfast reads up to 1.*newer Holdfast"),
    ("holdfast: 1\n", "", 1, "holdfast", "is missing.*a posture file begins with"),
    ("name: stand", "nam: stand", 2, "nam", "not a field here.*did you mean 'name'"),
    ("mass: 2.0", "mass: 0.0", 4, "body.mass", "is 0 "),
    ("mass: 2.0", "mas: 2.0", 3, "body.mass", "is missing.*\\[kg\\]"),
    ("com: [0, 0, 0.5]", "com: [0, 0]", 5, "body.com", "has 2 entries"),
    ("force: [5", "forse: [5", 7, "loads.push.forse", "did you mean 'force'"),
    ("coulomb: {mu", "colomb: {mu", 10, "grips.foot.colomb", "did you mean 'coulomb'"),
    ("coulomb: {mu: 0.6", "coulomb: {mue: 0.6", 10, "grips.foot.coulomb.mu", "is missing"),
    ("sides: 8", "sides: 2", 10, "grips.foot.coulomb.sides", "at least 3"),
    ("sides: 8", "sides: 721", 10, "grips.foot.coulomb.sides", "at most 720"),
    ("mu: 0.6", "mu: 101", 10, "grips.foot.coulomb.mu", "at most 100"),
    ("mu: 0.6", "mu: 1.0e-12", 10, "grips.foot.coulomb.mu", "is 1e-12.*give 0 for a foot without friction"),
    ("name: stand", "name: stand\ngravity: [0, 0, -1.0e+11]", 3, "gravity", r"is 1e\+11 m/s\^2.*1e\+09"),
    ("upper: [1,", "upper: [-2,", 12, "grips.hand.box", "f_x is at least -1 and at most -2"),
    ("upper: [1, 1, 1, 0, 0, 0]", "upper: [1, 1, 1, 0, 0]", 14, "grips.hand.box.upper", "has 5 entries"),
    ("upper: [1, 1", "upper: [1, .nan", 14, "grips.hand.box.upper[1]", "is nan"),
    ("grip: foot", "grip: fot", 17, "hands[0].grip", "no grip 'fot'.*did you mean 'foot'"),
    ("normal: [0, 0, 1]", "norml: [0, 0, 1]", 19, "hands[0].norml", "did you mean 'normal'"),
    ("normal: [0, 0, 1]", "normal: [0, 0, 0]", 19, "hands[0].normal", "zero vector"),
    ("normal: [0, 0, 1]", "shear: [1, 0, 0]", 16, "hands[0]", "a shear without a normal"),
    ("rotation: [[1, 0, 0]", "normal: [1, 0, 0]\n    rotation: [[1, 0, 0]", 20, "hands[1]", "has two frames"),
    ("rotation: [[1, 0", "rotation: [[2, 0", 23, "hands[1].rotation", "must have length 1"),
    ("name: right", "name: left", 20, "hands[1].name", "two hands 'left'"),
    ("coulomb: {mu: 0.6, sides: 8}", "file: none.h5", 9, "grips.foot", "none.h5"),
    ("coulomb: {mu: 0.6, sides: 8}", "scene: none.yaml", None, "", "none.yaml.*no such file"),
]


@pytest.fixture
def right(tmp_path: Path) -> Path:
    path = tmp_path / "stand.yaml"
    path.write_text(POSTURE, encoding="utf-8")
    return path


def test_the_posture_is_right(right: Path) -> None:
    scene = load_posture(right)
    assert isinstance(scene, PostureScene)
    assert scene.hands == ("left", "right")
    assert POSTURES.faults(right, learn=False) == []


@pytest.mark.parametrize(("old", "new", "line", "field", "words"), FAULTS)
def test_a_fault_names_its_line_field_and_fix(
    right: Path, old: str, new: str, line: int | None, field: str, words: str
) -> None:
    assert POSTURE.count(old) >= 1
    right.write_text(POSTURE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SceneError, match=words) as caught:
        load_posture(right)
    if line is not None:
        assert (caught.value.line, caught.value.field) == (line, field)
    assert caught.value.fix
    assert str(POSTURES.faults(right, learn=False)[0]) == str(caught.value)


def test_several_faults_are_told_at_once(right: Path) -> None:
    right.write_text(POSTURE.replace("mass: 2.0", "mass: -1").replace("sides: 8", "sides: 1"), encoding="utf-8")
    assert [fault.line for fault in POSTURES.faults(right, learn=False)] == [4, 10]
    with pytest.raises(SceneError) as caught:
        load_posture(right)
    assert "also: " in caught.value.__notes__[0]


def test_scene_and_posture_files_tell_each_other_apart(right: Path, write: Callable[..., Path], block: str) -> None:
    with pytest.raises(SceneError, match=r"is a scene file: it has .* holdfast check"):
        load_posture(write(block))
    with pytest.raises(SceneError, match=r"is a posture file: it has hands .* holdfast posture"):
        load_scene(right)


def test_ready_names_of_the_other_kind_say_where_to_ask() -> None:
    with pytest.raises(SceneError, match="is a ready scene, not a posture"):
        load_posture("@suction_cup")
    with pytest.raises(SceneError, match="is a ready posture, not a scene"):
        load_scene("@tripod_on_flat_ground")


def test_a_truncated_posture_is_a_clear_fault_at_every_length(right: Path) -> None:
    for length in range(0, len(POSTURE), 17):
        right.write_text(POSTURE[:length], encoding="utf-8")
        try:
            assert isinstance(load_posture(right), PostureScene)
        except SceneError as error:
            assert error.path == right


@pytest.mark.parametrize("name", POSTURES.names())
def test_ready_postures_have_no_fault(name: str) -> None:
    assert POSTURES.faults(POSTURES.path(f"@{name}"), learn=False) == []
