"""What the commands on planar scenes share: their argument, the list of ready scenes, loading, words for sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.output import emit, number, table
from ..errors import InputError, SceneError

if TYPE_CHECKING:
    from ..checks import Array
    from .files_planar_scene import PlanarScene
    from .polyhedra import Polyhedron

PlanarArgument = Annotated[
    str | None, typer.Argument(metavar="SCENE", help="Planar scene file, or @name of a ready one.", show_default=False)
]
ListOption = Annotated[bool, typer.Option("--list", help="List the ready scenes for this command and end.")]
MuOption = Annotated[
    float | None,
    typer.Option("--mu", metavar="MU", help="Friction at all contacts instead of the scene's mu and friction."),
]

#: Which command asks about which kind of scene.
COMMANDS = {"body": "motions", "chain": "torques", "climb": "climb"}

#: Rows of a table for one set; the rest is in the JSON.
MOST_ROWS = 12

#: Numbers below this share of the largest beside them are shown as 0.
ROUNDING = 1e-10


def planar_scene(scene: str | None, kinds: Sequence[str], *, listing: bool, json: bool) -> PlanarScene:
    """The scene of the argument, of one of `kinds`; with `listing` the ready ones are printed instead, and it ends."""
    if listing:
        list_ready(kinds, json=json)
        raise typer.Exit
    if scene is None:
        raise InputError("is missing", where="SCENE", fix="name a planar scene file; --list shows the ready ones")
    from .files_planar_reader import load_planar

    loaded = load_planar(scene)
    kind = kind_of(loaded)
    if kind not in kinds:
        wanted = " or ".join(kinds)
        raise SceneError(
            f"is about a {kind}", path=scene, field="planar", fix=f"give a {wanted}, or ask: holdfast {COMMANDS[kind]}"
        )
    return loaded


def kind_of(scene: PlanarScene) -> str:
    """What a scene is about: "body", "chain" or "climb"."""
    from .files_planar_scene import PlanarBodyScene, PlanarChainScene

    if isinstance(scene, PlanarBodyScene):
        return "body"
    return "chain" if isinstance(scene, PlanarChainScene) else "climb"


def list_ready(kinds: Sequence[str], *, json: bool) -> None:
    """Print the ready scenes of some kinds with what they are."""
    from .files_planar_reader import planar_names, planar_path

    entries = []
    for kind in kinds:
        for name in planar_names(kind):
            text = planar_path(f"@{name}").read_text(encoding="utf-8")
            entries.append((f"@{name}", text.splitlines()[0].removeprefix("# ")))
    if json:
        emit({"scenes": [{"name": name, "title": title} for name, title in entries]})
    else:
        table(["scene", "what it is"], entries)


def set_data(polyhedron: Polyhedron) -> dict[str, Any]:
    """A convex set for JSON: A x >= b (> where strict), C x = d; its vertices, rays and lines."""
    vertices, rays, lines = polyhedron.generators
    return {
        "dimension": polyhedron.dimension,
        "A": polyhedron.A,
        "b": polyhedron.b,
        "strict": polyhedron.strict,
        "C": polyhedron.C,
        "d": polyhedron.d,
        "vertices": vertices,
        "rays": rays,
        "lines": lines,
    }


def row_in_words(row: Array, offset: float, sign: str) -> str:
    """row . tau `sign` offset in words, a row of one torque solved for it: "tau_1 <= -0.1926"."""
    largest = float(abs(row).max()) or 1.0
    terms = [(float(x) / largest, i) for i, x in enumerate(row) if abs(x) > 1e-9 * largest]
    level = offset / largest
    if len(terms) == 1 and terms[0][0] < 0.0:
        terms, level, sign = [(1.0, terms[0][1])], -level, sign.replace(">", "<")
    words = ""
    for share, i in terms:
        size = "" if abs(abs(share) - 1.0) < 1e-9 else f"{number(abs(share))} "
        joint = f"{' + ' if words else ''}" if share > 0.0 else f"{' - ' if words else '-'}"
        words += f"{joint}{size}tau_{i + 1}"
    return f"{words} {sign} {number(level)}"


def rows_in_words(polyhedron: Polyhedron) -> list[str]:
    """The rows of a set of torques in words; ["every torque"] where there is none."""
    rows = [
        row_in_words(row, float(offset), ">" if strict else ">=")
        for row, offset, strict in zip(polyhedron.A, polyhedron.b, polyhedron.strict, strict=True)
    ]
    rows += [row_in_words(row, float(level), "=") for row, level in zip(polyhedron.C, polyhedron.d, strict=True)]
    return rows or ["every torque"]


def tuple_in_words(values: Sequence[float] | Array, digits: int = 4) -> str:
    """Numbers in brackets: "(1, 2.5)"; one alone stands without."""
    words = [number(float(value), digits) for value in values]
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def cleaned(rows: Array) -> Array:
    """`rows` for a table: numbers that are rounding beside the largest of all are 0."""
    import numpy as np

    return np.where(np.abs(rows) <= ROUNDING * float(np.abs(rows).max(initial=0.0)), 0.0, rows)
