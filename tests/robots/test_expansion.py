"""Xacro files compute, include what is theirs, and end."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from holdfast.errors import FileError
from holdfast.robots import expansion
from holdfast.robots.expansion import expand_xacro
from holdfast.robots.packages import FileFinder
from holdfast.robots.urdf import read_urdf

pytest.importorskip("xacro")

HEAD = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def robot(body: str) -> str:
    return f"{HEAD}{body}</robot>"


def links(body: str, **arguments: object) -> list[str]:
    """Names of the links of a robot with this body, which need not be one tree."""
    return re.findall(r'<link name="([^"]*)"', expand_xacro(robot(body), "URDF text", FileFinder(), arguments))


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
    "expression",
    [
        "${().__class__}",
        "${(lambda: ().__class__.__base__.__subclasses__())()}",
        "${[c for c in [1].__class__.__mro__]}",
        "${str.mro()}",
        "${(i for i in [1]).gi_frame}",
        "${python.type(1)}",
        "${python.vars(python.list)}",
        "${open('/etc/passwd').read()}",
        "${__import__('os').getcwd()}",
        "$(eval [].append.__self__)",
        "$(eval exec)",
        "$(eval __import__)",
        "${xacro.load_yaml('/etc/hostname')}",
        "${xacro.load_yaml('/dev/zero')}",
        "${(lambda _x: 1)(2)}",
        "${exec('1')}",
    ],
)
def test_what_leads_out_of_an_expression_is_refused(expression: str) -> None:
    with pytest.raises(
        FileError, match="xacro cannot expand it: .*(not allowed|not defined|not in the folders)"
    ) as caught:
        named(expression)
    assert caught.value.fix


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
        read_urdf(path)


def test_macros_that_grow_without_bound_end_at_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MOST_SECONDS", 1)
    levels = "".join(
        f'<xacro:macro name="m{k}" params="">{f"<xacro:m{k - 1}/>" * 10 if k else "<a/>"}</xacro:macro>'
        for k in range(12)
    )
    with pytest.raises(FileError, match="does not expand it within 1 s and 1024 MiB") as caught:
        links(levels + "<xacro:m11/>")
    assert "without end" in caught.value.fix
    with pytest.raises(FileError, match="does not expand it within 1 s"):
        named("${10 ** 10 ** 9}")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound the memory")
def test_memory_is_bounded() -> None:
    with pytest.raises(FileError, match="too much memory"):
        named("${'a' * 10 ** 10}")
    with pytest.raises(FileError, match="too much memory"):
        named("${len(list(range(10 ** 9)))}")


def test_files_of_the_folder_the_package_and_what_was_given_are_read(tmp_path: Path) -> None:
    package = tmp_path / "bot"
    (package / "urdf").mkdir(parents=True)
    (package / "config").mkdir()
    (package / "package.xml").write_text("<package/>")
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
    text = expand_xacro(path.read_text(), str(path), FileFinder(path.parent))
    assert [f'name="{name}"' in text for name in ("part", "0.5", "True")] == [True] * 3
    outside = tmp_path / "elsewhere" / "part.xacro"
    outside.parent.mkdir()
    outside.write_text(robot('<link name="far"/>'))
    for reference in ("../../elsewhere/part.xacro", str(outside), "$(find bot)/../elsewhere/part.xacro"):
        text = robot(f'<xacro:include filename="{reference}"/>')
        with pytest.raises(FileError, match="is not in the folders of the robot") as caught:
            expand_xacro(text, str(path), FileFinder(path.parent))
        assert "packages=" in caught.value.fix
        assert "far" in expand_xacro(text, str(path), FileFinder.of(path.parent, [outside.parent]))
    (package / "urdf" / "link.xacro").symlink_to(outside)
    with pytest.raises(FileError, match="is not in the folders"):
        expand_xacro(robot('<xacro:include filename="link.xacro"/>'), str(path), FileFinder(path.parent))
    for name in ("..", "etc", "a/b"):
        with pytest.raises(FileError, match="was not found|not in the folders"):
            expand_xacro(
                robot(f'<xacro:include filename="$(find {name})/passwd"/>'), str(path), FileFinder(path.parent)
            )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
def test_pipes_and_hostile_xml_among_the_included_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xacro")
    (tmp_path / "deep.xacro").write_text("<a>" * 5000 + "</a>" * 5000)
    laughs = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 10))
    (tmp_path / "laughs.xacro").write_text(f'<!DOCTYPE a [<!ENTITY e0 "ha">{laughs}]><a>&e9;</a>')
    for name in ("pipe", "deep", "laughs"):
        path = tmp_path / "a.xacro"
        path.write_text(robot(f'<xacro:include filename="{name}.xacro"/>'))
        with pytest.raises(FileError, match=f"xacro cannot expand it: .*{name}.xacro"):
            read_urdf(path)


def test_modules_of_the_working_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("xacro", "ast", "json"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\nraise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    assert named("${1 + 1}") == "2"
    assert not (tmp_path / "run").exists()
