"""`holdfast scene`: validate, show, schema, list, copy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..console.options import Exit, JsonOption, PlotOption, SceneArgument
from ..console.output import bound, emit, number, say, table
from ..errors import FileError, InputError, SceneError

app = typer.Typer(
    help="Scene files: check, show, list, copy; their JSON Schema.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def validate(scene: SceneArgument, json: JsonOption = False) -> None:
    """Check a scene file; every fault with line, field and fix. Exit code 2 when there is one."""
    from ..planar.files import is_planar, planar_faults
    from .reader import scene_faults

    found = planar_faults(scene) if is_planar(scene) else scene_faults(scene)
    if json:
        faults = [
            {"file": fault.path, "line": fault.line, "field": fault.field, "what": fault.what, "fix": fault.fix}
            for fault in found
        ]
        emit({"command": "scene validate", "file": scene, "valid": not found, "faults": faults})
    elif found:
        for fault in found:
            say(str(fault), style="red")
        say(f"{len(found)} fault{'s' if len(found) > 1 else ''}", style="bold red")
    else:
        say(f"{scene}: valid", style="green")
    raise typer.Exit(Exit.BAD_INPUT if found else Exit.HOLDS)


@app.command()
def show(scene: SceneArgument, json: JsonOption = False, plot: PlotOption = None) -> None:
    """What a scene consists of: object, contacts, joints, loads."""
    from .reader import load_scene

    loaded = load_scene(scene)
    if json:
        emit({"command": "scene show", **_data(loaded)})
    else:
        _show(loaded)
    if plot is not None:
        from ..console.pictures import draw_scene

        draw_scene(loaded, plot)


@app.command()
def schema(
    planar: Annotated[bool, typer.Option("--planar", help="That of planar scene files.")] = False,
) -> None:
    """Print the JSON Schema of scene files, for editors."""
    from ..planar.files import planar_schema
    from .schema import scene_schema

    emit(planar_schema() if planar else scene_schema())


@app.command("list")
def list_(json: JsonOption = False) -> None:
    """The ready scenes; use them as @name. Planar ones: holdfast motions, torques or climb --list."""
    from .ready import ready_names, ready_path

    entries = [(f"@{name}", _title(ready_path(f"@{name}"))) for name in ready_names()]
    if json:
        emit({"command": "scene list", "scenes": [{"name": name, "title": title} for name, title in entries]})
    else:
        table(["scene", "what it is"], entries)


@app.command()
def copy(
    scene: SceneArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not be there yet.")],
    plain: Annotated[
        bool, typer.Option("--plain", help="Write what became of models, patches and devices: pieces, points and rows.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Copy a scene to a file of your own, as it stands or with everything written out as numbers."""
    from ..planar.files import is_planar
    from .reader import load_scene
    from .ready import ready_path
    from .writer import save_scene

    if file.exists():
        raise FileError("is there already", path=file, fix="name a new file")
    if is_planar(scene):
        _copy_planar(scene, file, plain=plain, json=json)
        return
    loaded = load_scene(scene)
    if plain:
        save_scene(loaded, file)
    else:
        _copy(ready_path(scene), file)
    if json:
        emit({"command": "scene copy", "file": file, "plain": plain, "contacts": len(loaded.assembly)})
    else:
        say(f"wrote {file}")


def _copy_planar(scene: str, file: Path, *, plain: bool, json: bool) -> None:
    """A planar scene as it stands; it names no other files."""
    from ..planar.files import load_planar, planar_path

    if plain:
        raise InputError("is for scenes in space", where="--plain", fix="leave it out: planar scenes are plain")
    load_planar(scene)
    try:
        file.write_bytes(planar_path(scene).read_bytes())
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=file, fix=fix) from None
    if json:
        emit({"command": "scene copy", "file": file, "plain": False})
    else:
        say(f"wrote {file}")


def _copy(original: Path, file: Path) -> None:
    """The file as it stands, unless it would not be found whole at its new place."""
    from .reader import load_scene

    try:
        file.write_bytes(original.read_bytes())
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=file, fix=fix) from None
    try:
        load_scene(file)
    except SceneError as error:
        file.unlink()
        fix = "add --plain to write everything into one file"
        raise FileError(f"a copy would not find its other files: {error.what}", path=file, fix=fix) from None


def _title(path: Path) -> str:
    """The first comment of a ready scene."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# ") and "yaml-language-server" not in line:
            return line.removeprefix("# ")
    return ""


def _data(scene: Any) -> dict[str, Any]:
    joints = scene.assembly.joints
    return {
        "name": scene.name,
        "description": scene.description,
        "file": scene.path,
        "mass": scene.mass,
        "com": scene.com,
        "gravity": scene.gravity,
        "loads": dict(scene.loads),
        "contacts": [
            {
                "name": contact.name or str(index),
                "position": contact.position,
                "rotation": contact.rotation,
                "pieces": len(contact.volume),
                "strongest_newtons": contact.volume.size,
                "bounded": contact.volume.is_bounded,
            }
            for index, contact in enumerate(scene.assembly.contacts)
        ],
        "joints": []
        if joints is None
        else [
            {
                "name": joints.names[row] if joints.names else str(row),
                "lower": joints.lower[row],
                "upper": joints.upper[row],
            }
            for row in range(len(joints))
        ],
    }


def _show(scene: Any) -> None:
    data = _data(scene)
    say(scene.name, style="bold")
    if scene.description:
        say(scene.description.strip())
    mass = "no mass" if scene.mass is None else f"{number(scene.mass)} kg"
    say(f"object: {mass}, centre of mass ({_triple(scene.com)}) m; gravity ({_triple(scene.gravity)}) m/s^2")
    rows = [
        (
            contact["name"],
            *(number(x) for x in contact["position"]),
            "({})".format(_triple(contact["rotation"][:, 2], 3)),
            "({})".format(_triple(contact["rotation"][:, 0], 3)),
            contact["pieces"],
        )
        for contact in data["contacts"]
    ]
    table(["contact", "x [m]", "y [m]", "z [m]", "normal into the object", "shear", "pieces"], rows, title="Contacts")
    if data["joints"]:
        rows = [(row["name"], bound(row["lower"]), bound(row["upper"])) for row in data["joints"]]
        table(["joint row", "least [N m, N]", "largest [N m, N]"], rows, title="Joint rows, links' weight included")
    if scene.loads:
        rows = [(name, *(number(x) for x in wrench)) for name, wrench in scene.loads.items()]
        columns = ["load", "f_x [N]", "f_y [N]", "f_z [N]", "t_x [N m]", "t_y [N m]", "t_z [N m]"]
        table(columns, rows, title="Loads, torques about the origin")


def _triple(values: Any, digits: int = 4) -> str:
    return ", ".join(number(float(value), digits) for value in values)
