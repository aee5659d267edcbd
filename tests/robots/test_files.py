"""What a robot file may say, and what is complained of."""

from __future__ import annotations

import jsonschema
import numpy as np
import pytest
import yaml
from pydantic import ValidationError

import holdfast as hf
from holdfast.errors import InputError, SceneError, UnknownNameError
from holdfast.robots import ContactSite, Robot, RobotWarning, whole_body
from holdfast.robots.files import RobotDocument, load_robot, robot_schema
from tests.robots.sample_robots import joint, link, urdf
from tests.scenes.robot_files import BRACED, PINCH, PINCH_URDF, WALL

GRIP = {"coulomb": {"mu": 0.6}}
HANDS = {
    "holdfast": 1,
    "robot": {"urdf": "@climber_without_fingers"},
    "grips": {"foot": GRIP},
    "hands": [{"palm": "front_left_palm", "grip": "foot"}],
}
UNITS = {
    "holdfast": 1,
    "robot": {"urdf": "arm.urdf", "base": "fixed"},
    "object": {"mass": 1.0},
    "volumes": {"rubber": {"model": "coulomb", "mu": 0.6}},
    "touches": [{"link": "tip", "volume": "rubber", "normal": [0.0, 0.0, 1.0]}],
}


@pytest.mark.parametrize("data", [HANDS, UNITS])
def test_a_document_fits_the_schema_for_editors_too(data):
    read = RobotDocument.model_validate(data)
    assert (read.robot.urdf, len(read.hands) + len(read.touches)) == (data["robot"]["urdf"], 1)
    faults = jsonschema.Draft202012Validator(robot_schema()).iter_errors(data)
    assert [fault.message for fault in faults] == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (HANDS | {"hands": []}, "nothing touches"),
        (HANDS | {"touches": UNITS["touches"], "volumes": UNITS["volumes"]}, "touches and hands"),
        (HANDS | {"robot": {"urdf": "a.urdf", "base": "fixed"}}, "no hands"),
        (HANDS | {"object": {"mass": 1.0}}, "fixed base"),
        (HANDS | {"robot": {"urdf": "a.urdf", "at": {}}}, "fixed base"),
        (UNITS | {"posture": {"base": {}}}, "floating base"),
        (UNITS | {"touches": [{"link": "tip", "volume": "rubber"}]}, "no frame"),
        (HANDS | {"feet": []}, "feet"),
    ],
)
def test_contradictions_are_complained_of(data, words):
    with pytest.raises(ValidationError, match=words):
        RobotDocument.model_validate(data)


# What a robot file builds, against the same made by hand.


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("robots")
    for name, text in (("wall", WALL), ("fours", BRACED), ("pinch", PINCH)):
        (place / f"{name}.yaml").write_text(text, encoding="utf-8")
    (place / "pinch.urdf").write_text(PINCH_URDF, encoding="utf-8")
    return place


def test_limits_and_couplings_can_be_changed_in_the_file(folder):
    coupled = PINCH_URDF.replace("</joint>", '<mimic joint="left" multiplier="-1"/></joint>', 2).replace(
        '<mimic joint="left" multiplier="-1"/></joint>', "</joint>", 1
    )
    (folder / "coupled.urdf").write_text(coupled, encoding="utf-8")
    robot = "{urdf: coupled.urdf, base: fixed, limits: {left: [-2, 2]}"
    text = PINCH.replace("{urdf: pinch.urdf, base: fixed", robot)
    (folder / "coupled.yaml").write_text(text + "posture: {joints: {left: 1.5, right: -1.5}}\n", encoding="utf-8")
    scene = load_robot(folder / "coupled.yaml")
    assert scene.robot.joint_names == ("left",)
    assert scene.robot.coordinates(scene.q) == {"left": 1.5, "right": -1.5}
    (folder / "motors.yaml").write_text(text.replace("limits:", "mimic: independent, limits:"), encoding="utf-8")
    with pytest.warns(RobotWarning, match="independently driven: right"):
        assert load_robot(folder / "motors.yaml").robot.joint_names == ("left", "right")
    (folder / "wrong.yaml").write_text(text.replace("left: [-2, 2]", "right: [-2, 2]"), encoding="utf-8")
    with pytest.raises(SceneError, match="joint 'right' follows 'left'"):
        load_robot(folder / "wrong.yaml")


def test_palms_are_where_the_file_wants_them(folder):
    scene = load_robot(folder / "wall.yaml")
    scene.robot.checked(scene.q)
    palm = scene.hands[1].pose(scene.robot, scene.q)
    assert scene.hands[1].name == "right hand"
    assert palm.translation == pytest.approx([0.0, -0.42, 0.55], abs=2e-6)
    assert palm.rotation == pytest.approx(hf.frame_from_normal((-1, 0.15, 0), (0, 0, 1)), abs=2e-5)
    assert scene.hands[0].grip is scene.hands[3].grip
    assert scene.grip_names == ("hook",) * 4


def test_units_are_those_made_by_hand(folder):
    scene = load_robot(folder / "fours.yaml")
    robot = Robot.from_urdf("@climber_without_fingers")
    q = robot.configuration(base=hf.Pose(np.eye(3), [0, 0, 0.6]))
    rubber = hf.models.coulomb(0.6)
    frame = hf.frame_from_normal((0, 0, -1), (1, 0, 0))
    pad = hf.Patch.rectangle(hf.Pose.identity(), (0.1, 0.1), rubber)
    touches = [ContactSite("front_left_palm", pad, hf.Pose(frame, np.zeros(3)))]
    touches += [
        ContactSite(f"{name}_palm", rubber, hf.Pose(frame, np.zeros(3))) for name in ("front_right", "rear_left")
    ]
    own, made = scene.whole_body(), whole_body(robot, q, touches)
    assert own.assembly.positions[:6] == pytest.approx(made.assembly.positions)
    assert own.assembly.rotations[:4] == pytest.approx(made.assembly.rotations[:4])
    assert own.load == pytest.approx(made.load)


def test_a_fixed_robot_holds_the_weight_and_loads_of_its_object(folder):
    scene = load_robot(folder / "pinch.yaml")
    assert scene.extra(["tug"])[:3] == pytest.approx([60.0, 0.0, -0.4 * 9.80665])
    body = scene.whole_body()
    assert body.held == "object"
    assert body.equilibrium().holds
    # Two fingers of 2 N m at 0.1 m press with 20 N each: 24 N of friction in all.
    limit = body.load_limit(np.array([1.0, 0, 0, 0, 1.0, 0])).value
    assert limit == pytest.approx(24.0, rel=1e-6)
    assert not scene.whole_body(["tug"]).equilibrium().holds


def test_gravity_can_be_another(folder):
    scene = load_robot(folder / "wall.yaml", gravity=(0, 0, -1.62))
    assert scene.posture().wrench[:3] == pytest.approx([0, 0, -1.62 * scene.robot.mass])


# Robot files: what they say comes out, and every fault names its line and field.


def written(folder, text: str):
    path = folder / "robot.yaml"
    path.write_text(text, encoding="utf-8")
    (folder / "pinch.urdf").write_text(PINCH_URDF, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", [WALL, BRACED, PINCH])
def test_files_of_each_kind_are_read(tmp_path, text):
    scene = load_robot(written(tmp_path, text))
    assert scene.path == tmp_path / "robot.yaml"
    assert bool(scene.hands) != bool(scene.touches)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("front_left_palm", "front_left_plam", r"robot.yaml:15: hands\[0\].palm: .*did you mean 'front_left_palm'"),
        ("front_left_2: -0.5", "front_left_9: 1", r"posture.*did you mean"),
        ("front_left_2: -0.5", "front_left_2: -9", r"posture.*limits"),
        ("@climber_without_fingers", "@climber_with_finger", "did you mean '@climber_without_fingers'"),
        ("@climber_without_fingers", "nowhere.urdf", "nowhere.urdf"),
        ("grip: hook", "grip: hok", "did you mean 'hook'"),
        ("[0, 0.45, 0.5]", "[0, 0.45, 9.5]", "the error is"),
        ("name: right hand", "name: left hand", "two hands"),
    ],
)
def test_faults_name_their_place(tmp_path, old, new, words):
    with pytest.raises(SceneError, match=words):
        load_robot(written(tmp_path, WALL.replace(old, new, 1)))


def test_units_on_the_fixed_base_and_unknown_links_are_refused(tmp_path):
    with pytest.raises(SceneError, match=r"touches\[0\].*fixed base"):
        load_robot(written(tmp_path, PINCH.replace("link: left", "link: base", 1)))
    with pytest.raises(SceneError, match=r"touches\[0\].link.*did you mean 'left'"):
        load_robot(written(tmp_path, PINCH.replace("link: left", "link: lef", 1)))
    with pytest.raises(SceneError, match="two units"):
        load_robot(written(tmp_path, PINCH.replace("name: right", "name: left", 1)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("holdfast: 1\nbody: {mass: 1}\nhands: []\n", "posture file"),
        ("holdfast: 1\ncontacts: []\n", "scene file"),
        ("holdfast: 9\n", "version 9"),
        ("holdfast: 1\nrobot: {urdf: a.urdf}\n", "nothing touches"),
    ],
)
def test_other_files_are_reported_from_it(tmp_path, text, words):
    with pytest.raises(SceneError, match=words):
        load_robot(written(tmp_path, text))


# A robot scene answers by its hands or by its units, and says which it has.


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    place = tmp_path_factory.mktemp("robots")
    found = []
    for name, text in (("wall", WALL), ("fours", BRACED)):
        (place / f"{name}.yaml").write_text(text, encoding="utf-8")
        found.append(load_robot(place / f"{name}.yaml"))
    return found


def test_the_posture_of_its_hands_is_the_robot_as_one_body(scenes):
    wall, _ = scenes
    body, planner = wall.posture(), wall.planner()
    assert body.mass == pytest.approx(wall.robot.mass)
    assert body.com == pytest.approx(wall.robot.com(wall.q))
    low, high = hf.posture_equilibrium(body.grips, body.poses, body.wrench).scale_interval
    assert planner.margin(wall.q) == pytest.approx(min(high - 1.0, 1.0 - low), rel=1e-7)


def test_each_kind_of_file_is_asked_its_own_way(scenes):
    wall, fours = scenes
    with pytest.raises(InputError, match="planner"):
        wall.whole_body()
    with pytest.raises(InputError, match="whole_body"):
        fours.planner()
    assert fours.whole_body().equilibrium().holds
    with pytest.raises(UnknownNameError, match="did you mean 'gust'"):
        wall.load("gusts")


def test_units_say_how_they_give(folder):
    text = (folder / "fours.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    data["volumes"]["rubber"]["suspension"] = {"normal": 800.0, "tangential": 300.0}
    data["touches"][-1]["suspension"] = {"normal": 50.0, "tangential": 20.0, "rule": "slip"}
    (folder / "springs.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    *others, last = load_robot(folder / "springs.yaml").touches
    assert {touch.suspension.normal for touch in others} == {800.0}
    assert (last.suspension.normal, last.suspension.rule) == (50.0, "slip")
    bare = load_robot(folder / "fours.yaml")
    assert all(touch.suspension is None for touch in bare.touches)
    data["touches"][-1]["suspension"] = {"matrix": [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}
    (folder / "springs.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(SceneError, match="semidefinite") as caught:
        load_robot(folder / "springs.yaml")
    assert caught.value.field == f"touches[{len(others)}].suspension.matrix"


# States, feet that are found, feet that face the world, and MJCF in robot files.

QUADRUPED = urdf(
    link("body", 10.0),
    *(
        part
        for number, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)])
        for part in (
            link(f"thigh{number}", 1.0, (0, 0, -0.15)),
            link(
                f"shin{number}",
                0.5,
                (0, 0, -0.12),
                '<collision><origin xyz="0 0 -0.25"/><geometry><sphere radius="0.02"/></geometry></collision>',
            ),
            link(f"foot{number}"),
            joint(f"hip{number}", "body", f"thigh{number}", (x, y, 0)),
            joint(f"knee{number}", f"thigh{number}", f"shin{number}", (0, 0, -0.3)),
            joint(f"ankle{number}", f"shin{number}", f"foot{number}", (0, 0, -0.25), kind="fixed"),
        )
    ),
    name="quadruped",
)
STATES = (
    '<robot name="quadruped"><group_state name="standing" group="all"><joint name="root_joint" value="0 0 0.5 0 0 0 1"/>'
    + "".join(f'<joint name="hip{i}" value="0.5"/><joint name="knee{i}" value="-1.3"/>' for i in range(4))
    + "</group_state></robot>"
)
ON_FEET = """
holdfast: 1
robot: {urdf: quadruped.urdf, srdf: auto}
posture: {state: standing}
volumes: {rubber: {model: coulomb, mu: 0.6}}
feet: auto
"""
ON_PALMS = """
holdfast: 1
robot: {urdf: quadruped.urdf, srdf: quadruped.srdf}
posture: {state: standing}
grips: {foot: {coulomb: {mu: 0.6}}}
hands:
  - {palm: foot0, grip: foot}
  - {palm: foot1, grip: foot}
  - {palm: foot2, grip: foot}
  - {palm: foot3, grip: foot}
"""
ON_UNITS = """
holdfast: 1
robot: {urdf: quadruped.urdf, srdf: quadruped.srdf}
posture: {state: standing}
volumes: {rubber: {model: coulomb, mu: 0.6}}
touches:
  - {link: foot0, volume: rubber, facing: [0, 0, -1]}
  - {link: foot1, volume: rubber, facing: {normal: [0, 0, -1], shear: [1, 0, 0]}}
  - {link: foot2, volume: rubber, facing: [0, 0, -1]}
  - {link: foot3, volume: rubber, facing: [0, 0, -1]}
"""


@pytest.fixture
def kennel(tmp_path):
    (tmp_path / "quadruped.urdf").write_text(QUADRUPED)
    (tmp_path / "quadruped.srdf").write_text(STATES)
    return tmp_path


def loaded(folder, text: str):
    path = folder / "robot.yaml"
    path.write_text(text)
    return load_robot(path)


def test_the_posture_is_a_state_with_joints_and_base_of_the_file_in_its_place(kennel):
    scene = loaded(kennel, ON_FEET)
    assert scene.q[:3].tolist() == [0, 0, 0.5]
    assert scene.q[7:].tolist() == [0.5, -1.3] * 4
    changed = "posture: {state: standing, base: {position: [1, 0, 0]}, joints: {hip2: 0.1}}"
    q = loaded(kennel, ON_FEET.replace("posture: {state: standing}", changed)).q
    assert q[:3].tolist() == [1, 0, 0] and q[7 + 4] == 0.1 and q[7] == 0.5
    other = load_robot(kennel / "robot.yaml", state="standing")
    assert other.q[:3].tolist() == [0, 0, 0.5] and other.q[7 + 4] == 0.5


def test_feet_are_found_and_carry_the_volume(kennel):
    scene = loaded(kennel, ON_FEET)
    assert [touch.link for touch in scene.touches] == [f"shin{i}" for i in range(4)]
    assert scene.whole_body().equilibrium().holds
    # Point feet at the corners of a rectangle of 0.6 by 0.4: so far may the centre of mass go sideways.
    assert scene.whole_body().lean((0, 1, 0)).reach == pytest.approx(0.2, abs=1e-6)
    # A unit takes the place of the foot on its body: here it lies 0.1 further out on one side.
    own = "touches: [{link: foot0, volume: rubber, position: [0, 0.1, 0], facing: [0, 0, -1]}, {link: foot2, volume: rubber, position: [0, 0.1, 0], facing: [0, 0, -1]}]"
    mixed = loaded(kennel, ON_FEET + own)
    assert [touch.link for touch in mixed.touches] == ["foot0", "foot2", "shin1", "shin3"]
    assert mixed.whole_body().lean((0, 1, 0)).reach == pytest.approx(0.3, abs=1e-6)
    grips = ON_FEET.replace("volumes: {rubber: {model: coulomb, mu: 0.6}}", "grips: {foot: {coulomb: {mu: 0.6}}}")
    on_grips = loaded(kennel, grips.replace("feet: auto", "feet: {grip: foot, links: [foot0, foot1, foot2]}"))
    assert len(on_grips.hands) == 3 and not on_grips.touches
    region = hf.support_region(
        [h.grip for h in on_grips.hands],
        [h.pose(on_grips.robot, on_grips.q) for h in on_grips.hands],
        16.0,
        (0, 0, -9.81),
    )
    assert region.area == pytest.approx(0.6 * 0.4 / 2, rel=1e-6)


def test_facing_is_as_in_python(kennel):
    scene = loaded(kennel, ON_UNITS)
    down = np.diag([1.0, -1.0, -1.0])
    made = [ContactSite(f"foot{i}", hf.models.coulomb(0.6), facing=down) for i in range(4)]
    own, by_hand = scene.whole_body(), whole_body(scene.robot, scene.q, made)
    assert own.assembly.positions == pytest.approx(by_hand.assembly.positions)
    assert own.assembly.rotations[1] == pytest.approx(by_hand.assembly.rotations[1])
    assert own.equilibrium().holds
    tilted = loaded(kennel, ON_PALMS)
    assert not tilted.planner().feasible(tilted.q)
    assert tilted.tilted() == pytest.approx({f"foot{i}": 0.8 for i in range(4)})
    faced = loaded(kennel, ON_PALMS.replace("grip: foot}", "grip: foot, facing: [0, 0, 1]}"))
    assert faced.planner().feasible(faced.q) and not faced.tilted()
    assert tilted.faced().planner().margin(tilted.q) == pytest.approx(faced.planner().margin(faced.q))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("state: standing", "state: standng", r"robot.yaml:4: posture: .*no state 'standng' .did you mean 'standing'"),
        ("srdf: auto", "srdf: gone.srdf", r"robot.yaml:3: robot.*gone.srdf.*there is no such file"),
        (", srdf: auto", "", "has no states.*srdf="),
        ("feet: auto", "feet: atuo", "feet: .*auto"),
        ("feet: auto", "feet: {volume: ruber}", "did you mean 'rubber'"),
        ("feet: auto", "feet: {links: [fot1]}", "feet.*did you mean 'foot1'"),
        ("feet: auto", "feet: {volume: rubber, grip: foot}", "volume and a grip"),
        (
            "feet: auto",
            "feet: auto\ntouches: [{name: shin1, link: body, volume: rubber, normal: [0, 0, -1]}]",
            "touches: there are two units 'shin1'",
        ),
        (
            "feet: auto",
            "grips: {foot: {coulomb: {mu: 0.6}}}\nfeet: {grip: foot}\ntouches: [{link: body, volume: rubber, normal: [0, 0, -1]}]",
            "feet: have a grip beside touches",
        ),
        (
            "feet: auto",
            "grips: {foot: {coulomb: {mu: 0.6}}}\nfeet: auto\nhands: [{palm: foot1, grip: foot}]",
            "has hands and feet",
        ),
        ("volumes: {rubber: {model: coulomb, mu: 0.6}}\n", "", "feet: do not define which volume"),
        ("urdf: quadruped.urdf", "urdf: quadruped.urdf, mjcf: a.xml", "has a urdf and an mjcf"),
        ("urdf: quadruped.urdf, srdf: auto", "base: floating", "has no description"),
        ("urdf: quadruped.urdf", "urdf: quadruped.urdf, packages: [gone]", "gone' is not a folder"),
        ("urdf: quadruped.urdf", "mjcf: quadruped.urdf", r"robot.srdf: is for a URDF"),
        ("urdf: quadruped.urdf", "urdf: quadruped.urdf, base: fixed", "fixed base stands on no feet"),
        ("urdf: quadruped.urdf", "urdf: quadruped.urdf, body: a", "body: is for an MJCF"),
    ],
)
def test_faults_of_states_and_feet_name_their_place(kennel, old, new, words):
    with pytest.raises(SceneError, match=words):
        loaded(kennel, ON_FEET.replace(old, new, 1))


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("facing: [0, 0, -1], normal: [0, 0, 1]", r"touches\[0\]: has 2 frames: normal, facing"),
        ("shear: [1, 0, 0], facing: [0, 0, -1]", "shear without a normal"),
        ("facing: 3", "give a normal in the world"),
        ("facing: [0, 0, 0]", r"touches\[0\]"),
        ("scale: 1", "has no frame"),
    ],
)
def test_a_unit_has_one_frame(kennel, new, words):
    with pytest.raises(SceneError, match=words):
        loaded(kennel, ON_UNITS.replace("facing: [0, 0, -1]", new, 1))


def test_an_mjcf_stands_on_the_friction_of_its_file(kennel):
    pytest.importorskip("mujoco")
    legs = "".join(
        f'<body name="leg{i}" pos="{x} {y} 0"><joint name="j{i}" axis="0 1 0" range="-60 60"/>'
        f'<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="0.5" friction="0.4"/></body>'
        for i, (x, y) in enumerate([(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)])
    )
    motors = "".join(f'<motor joint="j{i}" ctrlrange="-20 20"/>' for i in range(4))
    (kennel / "table.xml").write_text(
        '<mujoco model="table"><worldbody><body name="top" pos="0 0 0.32"><freejoint/><geom type="box" size=".25 .15 .02" mass="4"/>'
        f'{legs}</body></worldbody><actuator>{motors}</actuator><keyframe><key name="stand" qpos="0 0 0.32 1 0 0 0 0 0 0 0"/></keyframe></mujoco>'
    )
    scene = loaded(kennel, "holdfast: 1\nrobot: {mjcf: table.xml}\nposture: {state: stand}\nfeet: auto\n")
    assert [touch.link for touch in scene.touches] == [f"leg{i}" for i in range(4)]
    assert scene.robot.base == "floating"
    body = scene.whole_body()
    assert body.equilibrium().holds
    # Gravity that leans forwards by less or more than the friction angle of the file's coefficient.
    slid = whole_body(scene.robot, scene.q, scene.touches, (9.80665 * 0.399, 0.0, -9.80665))
    assert slid.equilibrium().holds
    assert not whole_body(scene.robot, scene.q, scene.touches, (9.80665 * 0.401, 0.0, -9.80665)).equilibrium().holds
    bolted = "holdfast: 1\nrobot: {mjcf: table.xml, base: fixed}\nfeet: auto\n"
    with pytest.raises(SceneError, match="fixed base stands on no feet"):
        loaded(kennel, bolted)
    (kennel / "arm.xml").write_text(
        '<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(SceneError, match="fixed base stands on no feet"):
        loaded(kennel, "holdfast: 1\nrobot: {mjcf: arm.xml}\nfeet: auto\n")
