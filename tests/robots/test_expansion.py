"""Xacro files compute, include what is theirs, and end."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import FileError
from holdfast.robots import expansion
from holdfast.robots.expansion import expand_xacro
from holdfast.robots.packages import FileFinder
from holdfast.robots.urdf import read_urdf
from holdfast.viewer.gallery import file_pages
from tests.robots.sample_robots import joint, link

pytest.importorskip("xacro")

HEAD = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def robot(body: str) -> str:
    return f"{HEAD}{body}</robot>"


def links(body: str, **arguments: object) -> list[str]:
    """Names of the links of a robot with this body, which need not be one tree."""
    return re.findall(
        r'<link name="([^"]*)"', expand_xacro(robot(body), "URDF text", FileFinder(), arguments, trust=True)
    )


def named(expression: str) -> str:
    (name,) = links(f'<link name="{expression}"/>')
    return name


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("${2 * 3 + 1}", "7"),
        ("${'%.3f' % sin(radians(30))}", "0.500"),
        ("${'a' if 1 &lt; 2 else 'b'}", "a"),
        ("${' '.join([str(2 * i) for i in range(3)])}", "0 2 4"),
        ("${max(map(lambda x: x * x, [1, 2]))}", "4"),
        ("${python.sum([1, 2])}", "3"),
        ("${'%s_%d' % ('left', 3)}", "left_3"),
        ("${dict(a=1)['a']}", "1"),
        ("${xacro.arg('n')}", "5"),
        ("$(arg n)", "5"),
        ("$(eval 2 * n + pi / pi)", "11.0"),
        ("$(optenv NO_SUCH_VARIABLE base)", "base"),
        ("${'abc'[1:].upper()}", "BC"),
        ("${-pi &lt; 0 and not False}", "True"),
    ],
)
def test_what_robots_compute_is_computed(expression: str, value: str) -> None:
    assert links(f'<xacro:arg name="n" default="5"/><link name="{expression}"/>') == [value]


@pytest.mark.parametrize(
    "body",
    [
        '<xacro:macro name="a" params=""><xacro:a/></xacro:macro><xacro:a/>',
        '<xacro:macro name="a" params=""><xacro:b/></xacro:macro><xacro:macro name="b" params=""><xacro:a/></xacro:macro><xacro:a/>',
        '<xacro:property name="p" value="${(lambda f: f(f))(lambda f: f(f))}"/><link name="${p}"/>',
    ],
)
def test_what_calls_itself_without_end_is_refused(body: str) -> None:
    with pytest.raises(FileError, match="too deeply, or without end"):
        links(body)


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xacro"
    path.write_text(robot('<xacro:include filename="a.xacro"/>'))
    with pytest.raises(FileError, match="too deeply, or without end"):
        read_urdf(path, trust=True)


def test_macros_that_grow_without_bound_end_at_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "LIMITS", replace(expansion.LIMITS, seconds=1))
    levels = "".join(
        f'<xacro:macro name="m{k}" params="">{f"<xacro:m{k - 1}/>" * 10 if k else "<a/>"}</xacro:macro>'
        for k in range(12)
    )
    with pytest.raises(FileError, match="needs more than 1 s or 1024 MiB"):
        links(levels + "<xacro:m11/>")
    with pytest.raises(FileError, match="needs more than 1 s or"):
        named("${10 ** 10 ** 9}")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound the memory")
def test_memory_is_bounded() -> None:
    with pytest.raises(FileError, match="too much memory"):
        named("${'a' * 10 ** 10}")
    with pytest.raises(FileError, match="too much memory"):
        named("${len(list(range(10 ** 9)))}")


def test_files_are_included_and_packages_found_above_the_file(tmp_path: Path) -> None:
    package = tmp_path / "bot"
    (package / "urdf").mkdir(parents=True)
    (package / "config").mkdir()
    (package / "config" / "sizes.yaml").write_text("arm: {length: 0.5, turn: !degrees 90}\n")
    (package / "part.xacro").write_text(robot('<link name="part"/>'))
    path = package / "urdf" / "bot.xacro"
    path.write_text(
        robot(
            '<xacro:include filename="../part.xacro"/><xacro:include filename="$(find bot)/part.xacro" ns="again"/>'
            '<xacro:include filename="none.xacro" optional="true"/>'
            """<xacro:property name="sizes" value="${xacro.load_yaml('../config/sizes.yaml')}"/>"""
            "<link name=\"${sizes.arm.length}\"/><link name=\"${sizes['arm']['turn'] > 1.5}\"/>"
        )
    )
    text = expand_xacro(path.read_text(), str(path), FileFinder(path.parent), trust=True)
    assert [f'name="{name}"' in text for name in ("part", "0.5", "True")] == [True] * 3


def test_without_trust_no_expression_and_no_include_is_read_and_the_message_says_why_and_how(tmp_path: Path) -> None:
    marks = (tmp_path / "made", tmp_path / "robot.urdf.xacro", tmp_path / "robot.yaml")
    marks[1].write_text(
        robot("""<link name="${xacro.load_yaml('/etc/hostname')}$(optenv HOME)"/><xacro:include filename="x"/>""")
    )
    marks[2].write_text(
        "holdfast: 1\nrobot: {urdf: robot.urdf.xacro}\nvolumes: {a: {model: coulomb, mu: 1}}\nfeet: auto\n"
    )
    for read in (
        lambda: hf.Robot.from_urdf(marks[1]),
        lambda: hf.Robot.from_urdf(marks[1].read_text()),
        lambda: hf.robots.load_robot(marks[2]),
        lambda: hf.load(marks[2]),
        lambda: file_pages(str(marks[1])),
        lambda: file_pages(str(marks[2])),
    ):
        with pytest.raises(
            FileError,
            match=r"is a xacro file, a program that .* can do anything .*trust=True.*--trust.*xacro .* > robot.urdf",
        ):
            read()


@pytest.mark.parametrize(
    "namespace", ["http://www.ros.org/wiki/xacro", "http://wiki.ros.org/xacro", "http://ros.org/xacro"]
)
def test_every_namespace_of_xacro_is_known(namespace: str) -> None:
    text = f'<robot name="x" xmlns:xacro="{namespace}"><xacro:include filename="a"/></robot>'
    with pytest.raises(FileError, match="is a xacro file, a program"):
        read_urdf(text)


def test_with_trust_every_door_opens_it(tmp_path: Path, run) -> None:
    pytest.importorskip("pinocchio")
    path, document = tmp_path / "robot.xacro", tmp_path / "robot.yaml"
    foot = '<collision><geometry><box size="${2 * 0.1} 0.2 0.2"/></geometry></collision>'
    parts = link("b", 0.5) + joint("ab", "a", "b", (0, 0, 0.2))
    path.write_text(robot(f'<link name="a"><inertial><mass value="1.5"/></inertial>{foot}</link>{parts}'))
    document.write_text("holdfast: 1\nrobot: {urdf: robot.xacro}\nvolumes: {a: {model: coulomb, mu: 1}}\nfeet: auto\n")
    scenes = hf.load(document, trust=True), hf.robots.load_robot(document, trust=True)
    assert [scene.robot.mass for scene in scenes] == [2.0, 2.0]
    assert len(file_pages(str(path), trust=True)) == len(file_pages(str(document), trust=True)) == 1
    for command in (["robot", str(document)], ["robot", str(path), "--mu", "1"]):
        refused = run(*command)
        assert refused.exit_code == 2 and "--trust" in refused.output
        assert run(*command, "--trust").exit_code == 0


def test_the_environment_is_bare_and_there_is_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "swordfish")
    assert named("$(optenv SECRET_TOKEN none)") == "none"
    task = {"text": robot(""), "path": "a", "home": None, "named": {}, "folders": [], "arguments": {}}
    words = (
        f"from holdfast.robots.expansion import _expand_here; _expand_here({task!r}); import socket; socket.socket()"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=60, check=False)
    assert "PermissionError: a xacro file has no network here" in done.stderr


def test_a_result_that_is_too_large_is_refused_and_one_that_is_no_robot_is_read_with_limits() -> None:
    with pytest.raises(FileError, match="the result has more than 32 MiB"):
        named("${'a' * 40 * 2 ** 20}")
    deep = "".join(f'<xacro:macro name="m{k}" params=""><a><xacro:m{k + 1}/></a></xacro:macro>' for k in range(120))
    with pytest.raises(FileError, match="is nested too deeply"):
        read_urdf(robot(deep + '<xacro:macro name="m120" params=""/><xacro:m0/>'), trust=True)


def test_modules_of_the_working_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("xacro", "ast", "json"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\nraise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    assert named("${1 + 1}") == "2"
    assert not (tmp_path / "run").exists()
