"""Xacro: XML macros that the package `xacro` expands to a URDF, for those who trust the file.

A xacro file is a program: it includes other files, and its ${...} and $(eval ...) are expressions of Python, from which
there are ways to everything that Python can do. It runs only where the caller says that it is trusted; then in a child
process with limited time, memory and output, without the environment variables of this process, and without a network.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..confinement import ProcessLimits, confined
from ..errors import FileError
from ..files.yaml_source import is_uploaded
from .packages import PACKAGE_NAME, PATH_VARIABLES, FileFinder

#: Limits of an expansion.
LIMITS = ProcessLimits(seconds=10, memory=1024**3, output=32 * 1024**2)


def is_xacro(root: ElementTree.Element) -> bool:
    """Whether a robot's file has to be expanded: it has elements of xacro, or ${...} or $(...) in an attribute.

    The namespace alone does not count: expanded files keep it.
    """
    for element in root.iter():
        if "/xacro}" in str(element.tag) or any("${" in text or "$(" in text for text in element.attrib.values()):
            return True
    return False


def expand_xacro(
    text: str, path: str, finder: FileFinder, arguments: Mapping[str, Any] | None = None, *, trust: bool = False
) -> str:
    """The URDF that a xacro file expands to; needs the package `xacro` (the extra `robots`).

    Args:
        text: of the file.
        path: of the file, or how errors call the text.
        finder: where the packages of $(find ...) are looked for.
        arguments: values of <xacro:arg>, by name.
        trust: whether the file, and all that it includes, may run; otherwise it is refused.
    """
    expand = f"xacro {Path(path).name if is_uploaded(finder.home) else path} > robot.urdf"
    if is_uploaded(finder.home):
        raise FileError(
            "is a xacro file, a program", path=path, fix=f"expand it on your machine, upload that: {expand}"
        )
    if not trust:
        what = "is a xacro file, a program that runs when it is read and can do anything on this machine"
        fix = f"if you trust it and what it includes: trust=True, on the command line --trust; or expand it: {expand}"
        raise FileError(what, path=path, fix=fix)
    try:
        import xacro  # noqa: F401 - the child process needs it
    except ImportError:
        fix = f"pip install xacro, or expand it where ROS is installed: {expand}"
        raise FileError("is a xacro file, which has to be expanded to a URDF", path=path, fix=fix) from None
    given = {str(name): value for name, value in (arguments or {}).items()}
    task = {
        "text": text,
        "path": path,
        "home": None if finder.home is None else str(finder.home),
        "named": {name: str(folder) for name, folder in finder.named.items()},
        "folders": [str(folder) for folder in finder.folders],
        "arguments": {
            name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()
        },
    }
    fix = "correct it there, or give the arguments and packages that it needs (xacro=, packages=)"
    places = {name: os.environ[name] for name in PATH_VARIABLES if name in os.environ}
    said = confined(
        "holdfast.robots.expansion:_expand_here",
        task,
        LIMITS,
        path=path,
        what="xacro cannot expand it",
        fix=fix,
        variables=places,
    )
    return said.decode("utf-8", "replace")


# In the process that expands.


def _expand_here(task: dict[str, Any]) -> bytes:
    """The URDF of a xacro file."""
    import xacro
    from xacro import substitution_args

    home = None if task["home"] is None else Path(task["home"])
    named = {name: Path(folder) for name, folder in task["named"].items()}
    finder = FileFinder(home, named, tuple(Path(folder) for folder in task["folders"]))

    def package(name: str) -> str:
        folder = finder.package(name) or _package_above(name, home)
        if folder is None:
            raise LookupError(f"package {name!r} was not found{finder.searched([f'package://{name}/'])}")
        return str(folder)

    sys.addaudithook(_without_network)
    substitution_args._eval_find = substitution_args._eval_dict["find"] = package
    xacro.init_stacks(None if home is None else task["path"])
    document: Any = xacro.parse(task["text"])
    xacro.process_doc(document, mappings=task["arguments"])
    return document.toxml().encode("utf-8", "replace")


def _without_network(event: str, _: Any) -> None:
    """Refuse sockets."""
    if event.startswith("socket."):
        raise PermissionError("a xacro file has no network here")


def _package_above(name: str, home: Path | None) -> Path | None:
    """The package in which the robot's file lies, or one beside it or a folder above it."""
    if home is None or not PACKAGE_NAME.fullmatch(name):
        return None
    above = (*home.resolve().parents, home.resolve())
    found = [place for place in above if place.name == name] + [place / name for place in reversed(above)]
    return next((place for place in found if place.is_dir()), None)
