"""Xacro: XML macros that the package `xacro` expands to a URDF, in a process of its own with limits.

A xacro file is a program: it includes other files, and its ${...} and $(eval ...) are expressions of Python, which the
package evaluates with few precautions. Here every expression is checked before it is evaluated: names that begin with
an underscore, attributes that lead into the interpreter and functions that give access to classes are refused, so that
it can compute and nothing else. Files are read from the folders of the robot alone. The process that expands has
limited time and memory, and ends with the expansion.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType
from typing import Any
from xml.etree import ElementTree

from ..errors import FileError, HoldfastError, shortened
from ..files.yaml_source import is_uploaded
from ..inputs import file_text, parsed_xml
from .packages import PACKAGE_NAME, FileFinder

#: Seconds of CPU and bytes of memory that an expansion may take, how much longer it may wait for a processor, and the
#: largest URDF that may result [characters].
MOST_SECONDS, MOST_MEMORY, PATIENCE, LARGEST_RESULT = 10, 1024**3, 5.0, 32 * 1024 * 1024

#: Longest expression [characters].
LONGEST_EXPRESSION = 10_000

#: Attributes that lead from a value into the interpreter.
FORBIDDEN_ATTRIBUTES = (
    *("mro", "gi_code", "gi_frame", "gi_yieldfrom", "cr_await", "cr_code", "cr_frame", "cr_origin", "ag_await"),
    *("ag_code", "ag_frame", "f_back", "f_builtins", "f_code", "f_globals", "f_locals", "f_trace", "tb_frame"),
    *("tb_next", "co_code", "co_consts", "co_names"),
)

#: Functions of Python in $(eval ...).
ARGUMENT_FUNCTIONS = {"list": list, "dict": dict, "map": map, "str": str, "float": float, "int": int}

#: Functions that the package offers and that give access to classes.
FORBIDDEN_FUNCTIONS = ("type", "vars")

#: The process that expands.
_CHILD = "from holdfast.robots.expansion import _expand_here; _expand_here()"


def is_xacro(root: ElementTree.Element) -> bool:
    """Whether a robot's file has to be expanded: it has elements of xacro, or ${...} or $(...) in an attribute.

    The namespace alone does not count: expanded files keep it.
    """
    for element in root.iter():
        if "wiki/xacro}" in str(element.tag) or any("${" in text or "$(" in text for text in element.attrib.values()):
            return True
    return False


def expand_xacro(text: str, path: str, finder: FileFinder, arguments: Mapping[str, Any] | None = None) -> str:
    """The URDF that a xacro file expands to; needs the package `xacro` (the extra `robots`).

    Args:
        text: of the file.
        path: of the file, or how errors call the text.
        finder: where the packages of $(find ...) are looked for.
        arguments: values of <xacro:arg>, by name.
    """
    if is_uploaded(finder.home):
        fix = f"expand it on your machine, and upload the result: xacro {Path(path).name} > robot.urdf"
        raise FileError("is a xacro file", path=path, fix=fix)
    try:
        import xacro  # noqa: F401 - the process below needs it
    except ImportError:
        fix = f"pip install xacro, or expand it where ROS is installed: xacro {path} > robot.urdf"
        raise FileError("is a xacro file, which has to be expanded to a URDF", path=path, fix=fix) from None
    given = {str(name): value for name, value in (arguments or {}).items()}
    task = {
        "text": text,
        "path": path,
        "home": None if finder.home is None else str(finder.home),
        "named": {name: str(folder) for name, folder in finder.named.items()},
        "folders": [str(folder) for folder in finder.folders],
        "limits": [MOST_SECONDS, MOST_MEMORY],
        "arguments": {
            name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()
        },
    }
    answer = _answer(task, path)
    if "error" in answer:
        fix = "correct it there, or give the arguments and packages that it needs (xacro=, packages=)"
        raise FileError(f"xacro cannot expand it: {answer['error']}", path=path, fix=answer.get("fix") or fix)
    return answer["text"]


def _answer(task: dict[str, Any], path: str) -> dict[str, Any]:
    """What the process that expands says."""
    fix = "look for macros or expressions without end, or expand it elsewhere: xacro FILE > robot.urdf"
    places = os.pathsep.join(entry for entry in sys.path if entry)
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _CHILD],  # -P: no modules of the working folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": places},
        )
    except OSError as error:
        what = f"xacro needs a process of its own, which cannot be started: {error}"
        raise FileError(what, path=path, fix="expand it elsewhere: xacro FILE > robot.urdf") from None
    with process:
        try:
            said, _ = process.communicate(json.dumps(task).encode(), timeout=PATIENCE * MOST_SECONDS)
        except BaseException as error:
            process.kill()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            said = b""
    try:
        return json.loads(said)
    except ValueError:  # it was ended
        what = f"xacro does not expand it within {MOST_SECONDS:g} s and {MOST_MEMORY // 1024**2} MiB"
        raise FileError(what, path=path, fix=fix) from None


# In the process that expands.


class _Refusal(Exception):
    """What a xacro file may not do, and what helps."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.fix = fix


def _expand_here() -> None:
    """Expand what stands on the standard input, and write the result to the standard output."""
    import xacro  # noqa: F401 - before there are limits

    task = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr  # messages of the file are not the result
    _limit(*task["limits"])
    refused: list[_Refusal] = []
    try:
        text = _expanded(task, refused)
        answer = {"text": text}
        if len(text) > LARGEST_RESULT:
            answer = {"error": f"the URDF has more than {LARGEST_RESULT // 1024**2} MiB"}
    except Exception as error:  # noqa: BLE001 - the package raises whatever its expressions raise
        answer = {"error": _words(error), "fix": refused[-1].fix if refused else ""}
    json.dump(answer, out)
    out.flush()


def _words(error: BaseException) -> str:
    """What an error of the package says; of the one at its bottom, where that is a limit."""
    inner: Any = error
    while inner is not None:
        if isinstance(inner, MemoryError):
            return "it takes too much memory"
        if isinstance(inner, RecursionError):
            return "its macros, includes or expressions call each other too deeply, or without end"
        inner = getattr(inner, "exc", None)
    return shortened(" ".join(str(error).split())) or type(error).__name__


def _limit(seconds: int, memory: int) -> None:
    """Bound the time and memory of this process, and let it write no file, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, 0)):
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS does not bound the memory
            resource.setrlimit(kind, (bound, bound))


def _expanded(task: dict[str, Any], refused: list[_Refusal]) -> str:
    """The URDF; what is refused is also added to `refused`, because the package wraps errors."""
    import xacro
    from xacro import substitution_args

    home = None if task["home"] is None else Path(task["home"])
    named = {name: Path(folder) for name, folder in task["named"].items()}
    finder = FileFinder(home, named, tuple(Path(folder) for folder in task["folders"]))
    roots = _roots(finder)

    def refuse(what: str, fix: str = "") -> _Refusal:
        refused.append(_Refusal(what, fix))
        return refused[-1]

    def package(name: str) -> str:
        folder = finder.package(name) or _package_above(name, home)
        if folder is None:
            raise LookupError(f"package {name!r} was not found{finder.searched([f'package://{name}/'])}")
        roots.append(folder.resolve())
        return str(folder)

    def opened(name: str) -> io.StringIO:
        place = Path(name).resolve()
        if not any(place.is_relative_to(root) for root in roots):
            what = f"it reads {str(name)!r}, which is not in the folders of the robot"
            raise refuse(what, "if you trust it, give that folder: packages=[folder], or packages in a robot file")
        if not place.exists():  # as the package expects it, for <xacro:include optional="true">
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(name))
        try:
            text = file_text(place)
            if text.lstrip().startswith("<"):
                parsed_xml(text, name)
        except HoldfastError as error:
            raise refuse(f"{error.where}: {error.what}", error.fix) from None
        return io.StringIO(text)

    def evaluated(expression: str, names: dict[str, Any], local: Any = None) -> Any:
        code = _checked(expression, refuse)
        names.update(__builtins__={})  # not by the table of xacro, which would look at it
        return eval(code, names, local)

    def evaluated_argument(expression: str, context: dict[str, Any]) -> str:
        given = context.setdefault("arg", {})
        known = {name: value for name, value in substitution_args._eval_dict.items() if not name.startswith("_")}
        own = {"arg": lambda name: substitution_args.convert_value(given[name], "auto"), "find": package}
        values: Any = substitution_args._DictWrapper(given, known | ARGUMENT_FUNCTIONS | own)
        return str(eval(_checked(expression, refuse), {"__builtins__": {}}, values))

    module: Any = xacro
    module.open, module.safe_eval = opened, evaluated  # the first stands before that of Python
    for names in (xacro._global_symbols, xacro._global_symbols["python"]):
        for name in FORBIDDEN_FUNCTIONS:
            dict.pop(names, name, None)
    substitution_args._eval_find, substitution_args._eval = package, evaluated_argument
    xacro.init_stacks(None if home is None else task["path"])
    document: Any = xacro.parse(task["text"])
    xacro.process_doc(document, mappings=task["arguments"])
    return document.toxml()


def _roots(finder: FileFinder) -> list[Path]:
    """Folders that files are read from: that of the robot's file, its package, and those that were given."""
    home = (Path.cwd() if finder.home is None else finder.home).resolve()
    own = next((place for place in (home, *home.parents) if (place / "package.xml").is_file()), home)
    return [own, *(folder.resolve() for folder in (*finder.named.values(), *finder.folders))]


def _package_above(name: str, home: Path | None) -> Path | None:
    """A package above the robot's file or beside a folder above it; never a folder directly below the root."""
    if home is None or not PACKAGE_NAME.fullmatch(name):
        return None
    above = (*home.resolve().parents, home.resolve())
    found = [place for place in above if place.name == name] + [place / name for place in reversed(above)]
    return next((place for place in found if len(place.parts) > 2 and place.is_dir()), None)


def _checked(expression: str, refuse: Callable[[str], _Refusal]) -> CodeType:
    """An expression of Python that computes, and has no way to anything else."""
    if len(expression) > LONGEST_EXPRESSION:
        raise refuse(f"an expression has more than {LONGEST_EXPRESSION:,} characters")
    tree = ast.parse(expression.strip(), "<expression>", "eval")
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) if name.startswith("_"):
                raise refuse(f"the name {name!r} is not allowed in an expression")
            case ast.Attribute(attr=name) if name.startswith("_") or name in FORBIDDEN_ATTRIBUTES:
                raise refuse(f"the attribute {name!r} is not allowed in an expression")
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                raise refuse("generators are not allowed in an expression")
            case _:
                pass
    return compile(tree, "<expression>", "eval")
