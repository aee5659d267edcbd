"""Plain Coulomb friction, k = 4 .. 256: ours against Klampt, hpp-centroidal-dynamics, Drake and a plain LP."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.progress import Progress

from benchmarks import machine
from benchmarks.coulomb.contest import COLD, WARM, SceneFigures, contest
from benchmarks.coulomb.peers import CONTESTANTS, Contestant
from benchmarks.coulomb.scenes import grasp, ground
from benchmarks.measuring import Row, exponent, row
from benchmarks.reporting import Report, TextTable, duration, mean_and_worst, times

CONTACTS = (4, 8, 16, 32, 64, 128, 256)
SEED = 3


def run(quick: bool) -> Report:
    present = [contestant for contestant in CONTESTANTS if contestant.is_installed]
    numbers = CONTACTS[::2] if quick else CONTACTS
    size = {"repeats": 1, "fresh": 2, "batch": 1000} if quick else {"repeats": 5, "fresh": 8, "batch": 10_000}
    scenes = [make(k, 8 if quick else 48, SEED) for make in (ground, grasp) for k in numbers]
    figures: list[SceneFigures] = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for scene in progress.track(scenes, description="coulomb"):
            figures.append(contest(scene, present, **size))
    tables = [_cold(figures, present), _fresh(figures, present), _warm(figures, present), _summary(figures)]
    data = {
        "scenes": [scene.data() for scene in figures],
        "packages": {c.package: machine.version(c.package) for c in CONTESTANTS},
    }
    return Report(_rows(figures), tables, data)


def _cold(figures: Sequence[SceneFigures], present: Sequence[Contestant]) -> TextTable:
    names = [COLD, *(c.name for c in present if not c.warm)]
    cells = [
        [f.kind, str(f.contacts), f"{f.holding} of {f.queries}", *(mean_and_worst(f.by_name[n].each) for n in names)]
        for f in figures
    ]
    note = "Contacts set up once, loads in random order. Mean / worst over the loads, each the median of its passes."
    return TextTable("Coulomb: tests, cold", ("scene", "k", "holds", *names), cells, note)


def _fresh(figures: Sequence[SceneFigures], present: Sequence[Contestant]) -> TextTable:
    names = [COLD, *(c.name for c in present if not c.warm)]
    cells = [[f.kind, str(f.contacts), *(mean_and_worst(f.by_name[n].fresh) for n in names)] for f in figures]
    return TextTable("Coulomb: contacts set up from scratch, and one test", ("scene", "k", *names), cells)


def _warm(figures: Sequence[SceneFigures], present: Sequence[Contestant]) -> TextTable:
    names = [WARM, *(c.name for c in present if c.warm)]
    cells = [
        [
            f.kind,
            str(f.contacts),
            *(mean_and_worst(f.by_name[n].each[1:]) for n in names),
            duration(1.0 / f.batch_rate),
        ]
        for f in figures
    ]
    note = "The load moves by 0.5 degrees from test to test. The last column is the time a test of a batch, all cores."
    return TextTable(
        "Coulomb: tests, warm; and batches of ours", ("scene", "k", *names, "ours in a batch, each"), cells, note
    )


def _summary(figures: Sequence[SceneFigures]) -> TextTable:
    """Growth with k, ratios to ours, verdicts against the referee, versions."""
    cells = []
    for name, package in [(COLD, "holdfast"), (WARM, "holdfast"), *((c.name, c.package) for c in CONTESTANTS)]:
        found = [f for f in figures if name in f.by_name]
        if not found:
            cells.append([name, package, machine.version(package), "-", "-", "-", "-"])
            continue
        ours = WARM if name.endswith("warm") or name == WARM else COLD
        ratios = [float(np.mean(f.by_name[name].each) / np.mean(f.by_name[ours].each)) for f in found]
        judged, wrong = (sum(getattr(f.by_name[name], what) for f in found) for what in ("judged", "wrong"))
        powers = [
            f"{exponent([f.contacts for f in of_kind], [float(np.mean(f.by_name[name].each)) for f in of_kind]):.2f}"
            for kind in ("ground", "grasp")
            if (of_kind := [f for f in found if f.kind == kind])
        ]
        spread = f"{times(min(ratios))} .. {times(max(ratios))}"
        cells.append([name, package, machine.version(package), *powers, spread, f"{wrong} of {judged}"])
    header = (
        "method",
        "package",
        "version",
        "ground: p of k^p",
        "grasp: p of k^p",
        "time over ours",
        "contradict referee",
    )
    note = (
        "p: least-squares fit of the mean time. Warm methods are compared with our Solver, the others with cold Exact. "
        "The referee is a linear program over all edges by scipy; loads within 1e-6 of the border are not judged."
    )
    return TextTable("Coulomb: growth, ratios, verdicts", header, cells, note)


def _rows(figures: Sequence[SceneFigures]) -> list[Row]:
    return [
        row(f"{f.kind}, k = {f.contacts}: {name}", [1e6 * s for s in found.each], "us")
        for f in figures
        for name, found in f.by_name.items()
    ]
