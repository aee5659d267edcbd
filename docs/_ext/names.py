"""The public names of Holdfast: which package ("room") documents each of them, and what a name in a module means.

Public names are those of a room's `__all__`, or of its module where it has none. Rooms load their names when they are
first used; here they are loaded one by one. A name that `import holdfast as hf` also offers is documented as
`holdfast.NAME`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = "holdfast"
REFERENCE = Path(__file__).resolve().parents[1] / "reference"


@cache
def rooms() -> tuple[str, ...]:
    """The rooms that the pages of the reference document."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(REFERENCE.glob("*.rst"))]
    return tuple(name for text in texts for name in re.findall(r"^\.\. room:: (\S+)", text, re.MULTILINE))


@cache
def public_names(room: str) -> tuple[str, ...]:
    """The names a room offers, sub-rooms left out."""
    module = importlib.import_module(room)
    if hasattr(module, "__all__"):
        names = [name for name in module.__all__ if not name.startswith("__")]
    else:
        names = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == room]
    return tuple(sorted(name for name in names if name[0] != "_" and not inspect.ismodule(getattr(module, name))))


@cache
def lives_in(room: str, name: str) -> bool:
    """Whether the room documents the object: it is defined there or below, or in a room that does not offer it."""
    home = getattr(getattr(importlib.import_module(room), name), "__module__", room) or room
    if home == room or home.startswith(f"{room}."):
        return True
    return not any(home.startswith(other) and name in public_names(other) for other in rooms() if other != room)


@cache
def short_name(room: str) -> str:
    """The room by its name in the package: `holdfast.models` for `holdfast.force_limits.models`."""
    top, module = importlib.import_module(PACKAGE), importlib.import_module(room)
    return next((f"{PACKAGE}.{name}" for name in top.__all__ if getattr(top, name) is module), room)


@cache
def full_name(room: str, name: str) -> str:
    """The name of an object in the reference."""
    top, thing = importlib.import_module(PACKAGE), getattr(importlib.import_module(room), name)
    same = name in top.__all__ and getattr(top, name) is thing
    return f"{PACKAGE}.{name}" if same else f"{short_name(room)}.{name}"


@cache
def told() -> dict[int, str]:
    """The names in the reference by the identity of the class or function."""
    found: dict[int, str] = {}
    for room in rooms():
        for name in public_names(room):
            thing = getattr(importlib.import_module(room), name)
            if lives_in(room, name) and (inspect.isclass(thing) or inspect.isroutine(thing)):
                found[id(thing)] = full_name(room, name)
    return found


def reference_name(room: str, name: str) -> str:
    """The name under which the reference documents what a room offers, in that room or in another."""
    return told().get(id(getattr(importlib.import_module(room), name))) or full_name(room, name)


@cache
def last_words() -> frozenset[str]:
    """The last words of all names in the reference."""
    return frozenset(name.rpartition(".")[2] for name in told().values())


@cache
def typing_imports(module: str) -> dict[str, tuple[str, str]]:
    """Where the names come from that a module imports for its annotations alone: (module, name)."""
    loaded = importlib.import_module(module)
    source = Path(inspect.getfile(loaded))
    package = module if source.name == "__init__.py" else module.rpartition(".")[0]
    found: dict[str, tuple[str, str]] = {}
    for block in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING":
            for line in (line for line in block.body if isinstance(line, ast.ImportFrom)):
                base = package.rsplit(".", line.level - 1)[0] if line.level else ""
                home = ".".join(part for part in (base, line.module or "") if part)
                found.update({alias.asname or alias.name: (home, alias.name) for alias in line.names})
    return found


@cache
def meaning(module: str, word: str) -> str | None:
    """The name in the reference of what `word` means in `module`; None where it is not documented."""
    if not module.startswith(PACKAGE):
        return None
    loaded: Any = importlib.import_module(module)
    thing = vars(loaded).get(word)
    if thing is None and word in typing_imports(module):
        home, name = typing_imports(module)[word]
        thing = getattr(importlib.import_module(home), name, None) if home.startswith(PACKAGE) else None
    return told().get(id(thing))


class _Names(ast.NodeTransformer):
    """Documented names in full; other names that could be confused with one of them, with their module."""

    def __init__(self, module: str) -> None:
        self.module = module

    def visit_Name(self, node: ast.Name) -> ast.Name:
        known = meaning(self.module, node.id)
        twin = known is None and node.id in last_words()
        return ast.Name(f"{self.module}.{node.id}" if twin else known or node.id)


@cache
def annotation(module: str, text: str) -> str:
    """An annotation as it is written in `module`, with the documented names in full."""
    return ast.unparse(_Names(module).visit(ast.parse(text, mode="eval")))
