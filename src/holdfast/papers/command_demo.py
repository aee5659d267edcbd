"""`holdfast demo`: from measured forces of a microspine unit to the verdict for a gripper, all the way round."""

from __future__ import annotations

import json as json_module
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import tolerances
from ..console.options import JsonOption, folder, method
from ..console.output import emit, note, number, plain, say
from ..force_limits.command import show_surface, show_volume, surface_data
from ..statics.command_sweep import counts, gravity_sweep, show_sweep

if TYPE_CHECKING:
    from ..force_limits import ForceVolume, LimitSurface
    from ..scenes import Scene

#: The measurements, with this package's other data.
MEASUREMENTS = Path(__file__).resolve().parent.parent / "data" / "microspine_unit.csv"

#: Directions of gravity round the circle.
DIRECTIONS = 72

#: The gripper, as a scene file that the demo leaves behind.
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
    """From a CSV of measured forces to a gripper's verdict over 72 directions of gravity, with pictures."""
    from ..scenes import load_scene

    began = time.perf_counter()
    target = folder(output)
    surface, volume = _measured(target)
    scene = load_scene(target / "gripper.yaml")
    results = gravity_sweep(scene, n=DIRECTIONS, plane="xz", solver=method())
    files = _write(target, scene, surface, volume, results)
    summary = _summary(results)
    if json:
        data = {"command": "demo", "surface": surface_data(surface), "pieces": len(volume), "summary": summary}
        emit(data | {"files": files, "results": results} | counts(results))
    else:
        _show(surface, volume, scene, results, summary)
    note(f"wrote {', '.join(files)} to {target} in {time.perf_counter() - began:.0f} s")


def _measured(target: Path) -> tuple[LimitSurface, ForceVolume]:
    """The unit's surface and its convex pieces, from the measurements; left behind as files of a scene."""
    from ..force_limits import decompose, read_measurements
    from ..scenes import save_volume

    surface = read_measurements(MEASUREMENTS).surface()
    volume = decompose(surface, side="inner")
    save_volume(volume, target / "unit.json", source=MEASUREMENTS.name)
    (target / "gripper.yaml").write_text(SCENE, encoding="utf-8")
    return surface, volume


def _write(
    target: Path, scene: Scene, surface: LimitSurface, volume: ForceVolume, results: list[dict[str, Any]]
) -> list[str]:
    """Pictures and numbers into the folder; the names of all files there."""
    from .. import plotting
    from ..console.pictures import draw_scene, draw_sweep
    from ..statics.equilibrium import equilibrium

    plotting.save(plotting.force_volume(volume, title="microspine unit: convex pieces"), target / "unit.png")
    plotting.save(plotting.section([surface, volume], "xz", labels=["measured", "pieces"]), target / "section.png")
    answer = equilibrium(scene.assembly, scene.gravity_load())
    draw_scene(scene, target / "gripper.png", answer, quiet=True)
    draw_sweep(results, target / "sweep.png", title=scene.name, quiet=True)
    text = json_module.dumps(plain({"scene": scene.name, "results": results}), indent=1)
    (target / "sweep.json").write_text(text + "\n", encoding="utf-8")
    return ["unit.json", "gripper.yaml", "sweep.json", "unit.png", "section.png", "gripper.png", "sweep.png"]


def _show(
    surface: LimitSurface, volume: ForceVolume, scene: Scene, results: list[dict[str, Any]], summary: str
) -> None:
    say("1. One microspine unit, measured", style="bold underline")
    show_surface(MEASUREMENTS.name, surface)
    show_volume(volume)
    say()
    units = len({contact.name.rpartition("[")[0] for contact in scene.assembly.contacts})
    say(f"2. {scene.name}: {units} such units, gravity from {len(results)} sides", style="bold underline")
    show_sweep(results)
    say(_accuracy(results))
    say()
    say(summary)


def _summary(results: list[dict[str, Any]]) -> str:
    """What came out, in words."""
    total = counts(results)
    known = [result for result in results if result["load_factor"] is not None]
    best = max(known, key=lambda result: float(result["load_factor"]))
    return (
        f"The gripper holds its object with gravity from {total['holding']} of {len(results)} sides"
        f"{_arcs(results)}. It is strongest at {number(best['angle_deg'])} degrees, where it would bear "
        f"{number(float(best['load_factor']), 3)} times the weight."
    )


def _accuracy(results: list[dict[str, Any]]) -> str:
    """How closely the load factors are known, in words."""
    still_open = sum(not _is_closed(result) for result in results)
    if still_open:
        return f"{still_open} load factors are not proven to be the largest: sweep.json has what each could be at most."
    return f"Load factors are the largest there are, to {tolerances.GAP:g} of each."


def _is_closed(result: dict[str, Any]) -> bool:
    """Whether a load factor and its upper bound are the same, within the gap and rounding."""
    if result["load_factor"] is None:
        return False
    factor, most = float(result["load_factor"]), float(result["load_factor_upper_bound"])
    return most == factor or most - factor <= tolerances.GAP * abs(factor) + tolerances.FEASIBILITY


def _arcs(results: list[dict[str, Any]]) -> str:
    """The arcs of the circle on which it holds, in degrees."""
    holds = [result["status"] == "holds" for result in results]
    if all(holds) or not any(holds):
        return ""
    count = len(results)
    starts = [i for i in range(count) if holds[i] and not holds[i - 1]]
    arcs = []
    for start in starts:
        end = start
        while holds[(end + 1) % count]:
            end += 1
        arcs.append(f"{number(results[start]['angle_deg'])} to {number(results[end % count]['angle_deg'])}")
    return f": {', '.join(arcs)} degrees from straight down, towards +x"
