"""A short file cannot ask for a robot that takes the memory, the stack or the time of the process that reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

from holdfast.errors import HoldfastError
from holdfast.robots import Robot, find_feet
from tests.robots.sample_robots import joint, link, urdf

pytest.importorskip("pinocchio")


def tree(count: int, kind: str, *, chain: bool = False, extra: str = "") -> str:
    """A URDF of many links, on the first one or on each other."""
    joints = [joint(f"j{k}", f"l{k - 1 if chain else 0}", f"l{k}", kind=kind) for k in range(1, count)]
    return urdf(*(link(f"l{k}", 1.0, extra=extra) for k in range(count)), *joints)


def mjcf(body: str, more: str = "") -> str:
    return f"<mujoco><worldbody>{body}</worldbody>{more}</mujoco>"


def repeated(count: int, part: str) -> str:
    return f'<replicate count="{count}">{part}</replicate>'


BODY = '<body pos="0 0 1"><geom size=".1"/>{}</body>'

CASES = {
    "joints": (tree(500, "revolute"), "499 joints that move"),  # 8 GB
    "a chain": (tree(1000, "fixed", chain=True), "1,000 links in one chain"),  # 5000 end the process
    "links": (tree(3000, "fixed"), "3,000 links"),
    "shapes": (
        urdf(link("a", 1.0, extra="<visual><geometry><sphere radius='1'/></geometry></visual>" * 12_000)),
        "12,000 shapes",
    ),
    "joints of an MJCF": (mjcf(repeated(500, BODY.format("<joint/>"))), "500 joints that move"),
    "ball joints of an MJCF": (mjcf(repeated(100, BODY.format("<joint type='ball'/>"))), "300 joints that move"),
    "bodies of an MJCF": (mjcf(repeated(3000, BODY.format(""))), "3,000 links"),
    "sites of an MJCF": (mjcf(BODY.format(repeated(3000, "<site/>"))), "3,001 links"),
    "geoms of an MJCF": (mjcf(BODY.format(repeated(12_000, "<geom size='.1'/>"))), "12,001 shapes"),
    "replicas": (mjcf(repeated(300, repeated(300, BODY.format("")))), "elements with all replicas"),
    "a grid": (mjcf('<flexcomp name="f" type="grid" count="100 100 100" radius=".01"/>'), "elements with all replicas"),
    "states of an MJCF": (mjcf(BODY.format("<joint/>"), f"<keyframe>{'<key/>' * 12_000}</keyframe>"), "key frames"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_robot_that_is_too_large_is_refused_before_it_is_built(case: str) -> None:
    text, what = CASES[case]
    if text.startswith("<mujoco"):
        pytest.importorskip("mujoco")
    with pytest.raises(HoldfastError, match=rf"has ([0-9,]+ )?{what} in all \(give at most"):
        (Robot.from_mjcf if text.startswith("<mujoco") else Robot.from_urdf)(text)


def test_one_mesh_is_not_used_more_often_than_can_be_computed(tmp_path: Path) -> None:
    trimesh.creation.icosphere(subdivisions=5).export(tmp_path / "ball.stl")  # 10,242 corners
    shape = f'<collision><geometry><mesh filename="file://{tmp_path}/ball.stl"/></geometry></collision>'
    robot = Robot.from_urdf(urdf(link("a", 1.0, extra=shape * 2000)))
    with pytest.raises(HoldfastError, match="corners of meshes in all"):
        find_feet(robot, robot.neutral())
    one = Robot.from_urdf(urdf(link("a", 1.0, extra=shape)))
    assert len(find_feet(one, one.neutral())) == 1


def test_a_robot_of_the_largest_size_is_read() -> None:
    robot = Robot.from_urdf(tree(256, "revolute", chain=True))
    assert robot.com(robot.neutral()).shape == (3,)


def test_textures_of_an_mjcf_are_neither_made_nor_read() -> None:
    pytest.importorskip("mujoco")
    made = (
        '<texture type="2d" name="t" builtin="checker" width="16000" height="16000"/><material name="m" texture="t"/>'
    )
    read = (
        '<texture type="2d" name="u" file="nowhere.png"/><material name="n"><layer texture="u" role="rgb"/></material>'
    )
    more = f"<asset>{made}{read}</asset>"
    robot = Robot.from_mjcf(mjcf('<body><geom size=".1" material="m"/><geom size=".1" material="n"/></body>', more))
    assert len(robot.shapes) == 4
