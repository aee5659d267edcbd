"""Faults of robot files are found before anything is built, and say where they are."""

from __future__ import annotations

import pytest

from holdfast.errors import FileError, InputError
from holdfast.robots import RobotWarning
from holdfast.robots.urdf import read_urdf
from tests.robots.sample_robots import joint, link, two_link_arm, urdf

A, B, C = link("a", 1.0), link("b", 1.0), link("c", 1.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot><link name='a'>", "URDF text:1: is no XML"),
        ("<sdf/>", "begins with <sdf>"),
        (urdf(), "has no links"),
        (urdf(A, A), "'a' is given twice"),
        (urdf(A, B), "2 links without a parent: a, b"),
        (urdf(A, B, joint("j", "a", "bb")), "there is no link 'bb' .did you mean 'b'"),
        (urdf(A, B, joint("j", "a", "b"), joint("j", "a", "b")), "'j' is given twice"),
        (urdf(A, B, joint("j", "a", "b"), joint("k", "a", "b")), "'b' is the child of two joints"),
        (urdf(A, B, C, joint("j", "b", "c"), joint("k", "c", "b")), "links b, c go round in a ring"),
        (urdf(A, B, joint("j", "a", "b", kind="planar")), "no type of joint 'planar'"),
        (urdf(A, B, joint("j", "a", "b", axis="0 0 0")), "axis is the zero vector"),
        (urdf(A, B, joint("j", "a", "b", axis="0 x 0")), "<axis xyz> is '0 x 0' .give 3 numbers"),
        (urdf(A, B, joint("j", "a", "b", limits=(1.0, -1.0))), "lower 1 is above upper -1"),
        (urdf(A, B, joint("j", "a", "b", effort=-1.0)), "effort is -1"),
        (urdf(A, B, joint("j", "a", "b", friction=-1.0)), "friction is -1"),
        (urdf(link("a"), link("b"), joint("j", "a", "b")), "no link has a mass .*<inertial>"),
        (urdf(link("a", -1.0)), "mass is -1 kg"),
    ],
)
def test_a_fault_of_the_file_is_an_error_that_says_what_and_where(text, says):
    with pytest.raises(FileError, match=says):
        read_urdf(text)


def test_a_file_and_its_text_give_the_same(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(two_link_arm())
    assert read_urdf(path).links == read_urdf(two_link_arm()).links
    assert read_urdf(str(path)).joints == read_urdf(two_link_arm()).joints


def test_a_link_with_a_shape_and_a_joint_but_no_mass_is_warned_of_once():
    shape = '<visual><geometry><sphere radius="0.1"/></geometry></visual>'
    text = urdf(A, link("b", extra=shape), link("c", extra=shape), joint("j", "a", "b"), joint("k", "b", "c"))
    with pytest.warns(RobotWarning, match="weigh nothing: b, c") as seen:
        read_urdf(text)
    assert len(seen) == 1


def test_inertia_is_not_needed_beside_the_mass():
    text = urdf('<link name="a"><inertial><mass value="2"/></inertial></link>')
    assert read_urdf(text).masses == {"a": 2.0}


def test_a_joint_that_mimics_another_is_warned_of():
    text = urdf(A, B, joint("j", "a", "b").replace("</joint>", '<mimic joint="k" multiplier="2"/></joint>'))
    with pytest.warns(RobotWarning, match="count as driven by themselves: j"):
        assert read_urdf(text).joints["j"].kind == "revolute"


@pytest.mark.parametrize(("source", "says"), [(None, "is a NoneType"), (b"<robot/>", "is a bytes"), ("", "is empty")])
def test_what_is_neither_a_path_nor_a_text_is_told(source, says):
    with pytest.raises(InputError, match=says):
        read_urdf(source)
