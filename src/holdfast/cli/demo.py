"""`holdfast demo`: from measured forces of one unit to the verdicts of a gripper that turns, with pictures."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from ..console.options import JsonOption, folder, method
from ..console.output import counted, note, number, plain
from ..console.sheets import Line, present
from ..inputs import write_whole
from ..statics.command import circle_sweep, sweep_sheet, with_angles

#: The measurements, with this package's other data.
MEASUREMENTS = Path(__file__).resolve().parent.parent / "data" / "microspine_unit.csv"

#: Directions of gravity on the circle.
DIRECTIONS = 72

#: Largest pressing force in the pictures of the unit [N], and part of its section: the side on which it pulls.
PRESSING, SECTION = 25.0, ((-12.0, 52.0), (-7.0, 12.0))

#: The gripper as a scene file that the demo writes.
SCENE = """\
# The two-finger gripper (2FG), its units as measured; made by `holdfast demo`
holdfast: 1
name: two-finger gripper MD-PMD
volumes:
  unit: {file: unit.json} # what `holdfast decompose` makes of the measurements
device:
  kind: 2FG
  left: MD # phalanges that touch: P proximal, M middle, D distal
  right: PMD
  unit: unit
"""


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the pictures and files.")
    ] = Path("holdfast-demo"),
    json: JsonOption = False,
) -> None:
    """Example: from a CSV of measured forces to the verdict for a gripper in 72 gravity directions, with pictures."""
    from ..assembly import plots as assembly_plots
    from ..force_limits import decompose, read_measurements
    from ..force_limits import plots as force_plots
    from ..force_limits.files import save_volume
    from ..plotting import save
    from ..scenes import load_scene
    from ..statics import equilibrium
    from ..statics import plots as statics_plots

    target = folder(output)
    note("fit a limit surface to the measured forces of one unit and divide it into convex pieces")
    surface = read_measurements(MEASUREMENTS).surface()
    volume = decompose(surface, side="inner")
    save_volume(volume, target / "unit.json", source=MEASUREMENTS.name)
    write_whole(target / "gripper.yaml", SCENE.encode())
    scene = load_scene(target / "gripper.yaml")
    answer = equilibrium(scene.assembly, scene.gravity_load())
    note(f"{counted(len(volume), 'piece')}; with gravity along -z the gripper {answer.status.value}; turn gravity")
    found = circle_sweep(scene, DIRECTIONS, "xz", method())
    results = with_angles(found)
    note("draw the pictures")
    title = f"microspine unit: forces up to {PRESSING:g} N of pressing, and the convex pieces of their section"
    section = force_plots.section([surface, volume], "xz", labels=["measured", "pieces"], window=SECTION)
    pictures = {
        "unit.png": force_plots.piece_sheet(volume, reach=PRESSING, window=SECTION, title=title),
        "section.png": section,
        "gripper.png": assembly_plots.assembly(scene, result=answer),
        "sweep.png": statics_plots.sweep_polar(found, title=scene.name),
    }
    for name, picture in pictures.items():
        save(picture, target / name)
    text = json_module.dumps(plain({"scene": scene.name, "results": results}), indent=1)
    write_whole(target / "sweep.json", (text + "\n").encode())
    files = ["unit.json", "gripper.yaml", "sweep.json", *pictures]
    note(f"wrote {', '.join(files)} to {target}")
    summary = _summary(results)
    heading = Line(f"{scene.name}: {len(found)} directions of gravity", "bold underline")
    present(
        "demo",
        found.to_dict() | {"results": results},
        sheet=[heading, *sweep_sheet(found), "", summary],
        json=json,
        metadata={"pieces": len(volume), "summary": summary, "files": files},
    )


def _summary(results: list[dict[str, Any]]) -> str:
    """The result in two sentences."""
    holding = sum(result["status"] == "holds" for result in results)
    best = max(
        (result for result in results if result["load_factor"] is not None), key=lambda one: float(one["load_factor"])
    )
    return (
        f"The gripper holds its object for {holding} of {len(results)} directions of gravity. It is strongest at "
        f"{number(best['angle_deg'])} degrees from straight down, where it would hold "
        f"{number(float(best['load_factor']), 3)} times the weight."
    )
