"""`holdfast scene`: validate, show, schema, list, copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import STDOUT, CsvOption, Exit, JsonOption, PlotOption, check_distinct, check_target
from ..console.output import bound, counted, emit, number, write_text
from ..console.questions import ReadyFile, with_groups
from ..console.sheets import Block, Line, TableBlock, heading, numbers, present, triple, warning_lines
from ..errors import FileError, InputError, SceneError
from ..inputs import write_whole

if TYPE_CHECKING:
    from .scene import Scene

app = typer.Typer(
    help="Scene files: check, show, list, copy; their JSON Schema.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
@with_groups
def validate(question: ReadyFile, json: JsonOption = False) -> None:
    """Check a scene file; report every error with line, field and fix. Exit code 2 if there is an error.

    Normals that point out of the object's shape, or away from its centre of mass, give warnings.
    """
    from ..planar.files import is_planar, planar_faults
    from .files import load_scene, scene_faults

    scene = question.path
    planar = is_planar(scene)
    found = planar_faults(scene) if planar else scene_faults(scene)
    warnings = [] if planar or found else [str(warning) for warning in load_scene(scene).warnings]
    total = sum(fault.count for fault in found)
    keys = {"file": "path", "line": "line", "field": "field", "what": "what", "fix": "fix"}
    faults = [{key: getattr(fault, name) for key, name in keys.items()} for fault in found]
    sheet = [Line(str(fault), "red") for fault in found] + [Line(counted(total, "fault"), "bold red")]
    present(
        "scene validate",
        {"file": scene, "valid": not found, "faults": faults, "warnings": warnings},
        sheet=sheet if found else [Line(f"{scene}: valid", "green"), *warning_lines(warnings)],
        json=json,
        code=Exit.BAD_INPUT if found else Exit.HOLDS,
    )


@app.command()
@with_groups
def show(question: ReadyFile, json: JsonOption = False, plot: PlotOption = None) -> None:
    """Show the contents of a scene: object, contacts, joints, loads."""
    from ..statics.command import model_lines

    loaded = question.read()

    def picture() -> object:
        from ..assembly import plots as assembly_plots

        return assembly_plots.assembly(loaded)

    sheet = [*scene_sheet(loaded), *model_lines(loaded)]
    present("scene show", loaded, sheet=sheet, json=json, plot=plot, picture=picture)


@app.command()
def schema(
    planar: Annotated[bool, typer.Option("--planar", help="The schema of planar scene files.")] = False,
) -> None:
    """Print the JSON Schema of scene files, for editors."""
    from ..planar.files import planar_schema
    from .files import scene_schema

    emit(planar_schema() if planar else scene_schema())


@app.command("list")
def list_(json: JsonOption = False, csv: CsvOption = None) -> None:
    """List the ready scenes; use them as @name. Planar ones: holdfast motions, torques or climb --list."""
    from .files import SCENES

    entries = list(SCENES.titles())
    check_distinct(csv=csv, json=STDOUT if json else None)
    rows = [{"name": name, "title": title} for name, title in entries]
    sheet = [TableBlock(["scene", "what it is"], entries)]
    present("scene list", {"scenes": rows}, sheet=sheet, json=json, csv=csv, rows=lambda: rows)


@app.command()
@with_groups
def copy(
    question: ReadyFile,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="The file to write, which must not exist yet; - for standard output.",
            show_default=False,
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Write models, patches and devices as convex pieces, points and joint rows."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Copy a scene to a new file, unchanged or with everything written as numbers."""
    from ..files.yaml_source import yaml_text
    from ..planar.files import PLANAR_SCENES, is_planar, load_planar
    from .files import load_scene, ready_path, save_scene, scene_data

    scene = question.path
    if file is None:
        raise InputError("is missing", where="FILE", fix="give the file to write, or - for standard output")
    check_target("FILE", file, stdout=True)
    if file.exists():
        raise FileError("exists already", path=file, fix="give another file name")
    data = {"file": file, "plain": plain}
    if file == STDOUT:
        if json:
            raise InputError(
                "is given with -", where="--json", fix="both write to standard output: give one of the two"
            )
        if is_planar(scene):
            load_planar(scene)  # raises an error for an invalid file
            write_text(file, PLANAR_SCENES.path(scene).read_text(encoding="utf-8"))
            return
        loaded = load_scene(scene)
        text = yaml_text(scene_data(loaded, Path())) if plain else ready_path(scene).read_text(encoding="utf-8")
        write_text(file, text)
        return
    if is_planar(scene):
        if plain:
            raise InputError("is for scenes in space", where="--plain", fix="leave it out: planar scenes are plain")
        load_planar(scene)
        _write(PLANAR_SCENES.path(scene), file)
    else:
        loaded = load_scene(scene)
        data["contacts"] = len(loaded.assembly)
        if plain:
            save_scene(loaded, file)
        else:
            _copy(ready_path(scene), file)
    present("scene copy", data, sheet=[f"wrote {file}"], json=json)


def _write(original: Path, file: Path) -> None:
    write_whole(file, original.read_bytes())


def _copy(original: Path, file: Path) -> None:
    """Copy the file unchanged; an error if it refers to other files that are not found from its new folder."""
    from .files import load_scene

    _write(original, file)
    try:
        load_scene(file)
    except SceneError as error:
        file.unlink()
        fix = "add --plain to write everything into one file"
        raise FileError(f"a copy would not find its other files: {error.what}", path=file, fix=fix) from None


def scene_sheet(scene: Scene) -> Iterator[Block]:
    """What a scene consists of: bodies, contacts, joint rows, loads."""
    data = scene.to_dict()
    yield heading(scene.name)
    if scene.description:
        yield scene.description.strip()
    mass = "no mass" if scene.mass is None else f"{number(scene.mass)} kg"
    what = f"{len(scene.bodies)} bodies" if scene.bodies else "object"
    yield f"{what}: {mass}, centre of mass ({triple(scene.com)}) m; gravity ({triple(scene.gravity)}) m/s^2"
    if scene.inertia is not None:
        moments, products = scene.inertia.diagonal(), scene.inertia[[0, 0, 1], [1, 2, 2]]
        yield f"inertia: ({triple(moments)}) kg m^2" + (f", products ({triple(products)})" if products.any() else "")
    if scene.bodies:
        rows = [(body.name, number(body.mass), *numbers(body.com), _shape_word(body.shape)) for body in scene.bodies]
        yield TableBlock(["body", "mass [kg]", "x [m]", "y [m]", "z [m]", "shape"], rows, "Bodies, centres of mass")
        rows = [(side.name, len(side.contacts)) for side in scene.assembly.interfaces]
        yield TableBlock(["interface", "contacts"], rows, "Interfaces")
    rows = [
        (
            contact["name"],
            *numbers(contact["position"]),
            f"({triple(contact['rotation'][:, 2], 3)})",
            f"({triple(contact['rotation'][:, 0], 3)})",
            contact["pieces"],
            _stiffness(contact["suspension"]),
        )
        for contact in data["contacts"]
    ]
    columns = [
        "contact",
        "x [m]",
        "y [m]",
        "z [m]",
        "normal into the body" if scene.bodies else "normal into the object",
        "shear",
        "pieces",
        "stiffness n, t [N/m]",
    ]
    yield TableBlock(columns, rows, "Contacts")
    if data["joints"]:
        rows = [(row["name"], bound(row["lower"]), bound(row["upper"])) for row in data["joints"]]
        columns = ["joint row", "lowest [N m, N]", "largest [N m, N]"]
        yield TableBlock(columns, rows, "Joint rows, links' weight included")
    if scene.loads:
        columns = ["f_x [N]", "f_y [N]", "f_z [N]", "t_x [N m]", "t_y [N m]", "t_z [N m]"]
        rows = [
            ((name, *([body] if body else [])), wrench)
            for name, load in scene.loads.items()
            for body, wrench in scene.parts_of_load(load)
        ]
        names = ["load", "body"] if scene.bodies else ["load"]
        table = [(*named, *(number(x) for x in wrench)) for named, wrench in rows]
        yield TableBlock([*names, *columns], table, "Loads, torques about the origin")


def _shape_word(shape: object) -> str:
    return "-" if shape is None else type(shape).__name__.lower()


def _stiffness(gives: dict[str, Any] | None) -> str:
    """Normal and tangential stiffness, and the failure rule; the larger value of the two tangential axes."""
    if gives is None:
        return "-"
    along, across, normal = (gives["stiffness"][axis][axis] for axis in range(3))
    return f"{number(normal)}, {number(max(along, across))} ({gives['rule']})"
