"""Load sharing: failure sequences of cups and of the paper's hand, against a quadratic program at every load step."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import clocked, row
from benchmarks.reporting import Report, TextTable, duration, times
from holdfast.reliability import Scatter
from holdfast.sharing import LoadSharing, sharing_probability

SEED = 3
#: Targets [s]: a whole sequence of 48 contacts; 10,000 scattered sequences on two cores.
TARGET, SCATTER_TARGET = 5e-3, 10.0
SCATTERED = 10_000
#: The rival takes load steps of this share of the load limit.
STEP = 0.01
STIFFNESS = (5000.0, 1500.0)


def cups(columns: int, rows: int) -> hf.Assembly:
    """Suction cups on a grid of 100 mm; each 45 N with friction 0.5."""
    volume = hf.models.suction(45.0, 0.5)
    frame = np.diag([1.0, -1.0, -1.0])
    centre = 0.1 * (np.array([columns, rows]) - 1.0) / 2.0
    return hf.Assembly(
        [
            hf.Contact((0.1 * i - centre[0], 0.1 * j - centre[1], 0.0), frame, volume, f"cup {i} {j}")
            for i in range(columns)
            for j in range(rows)
        ]
    )


def hung(assembly: hf.Assembly) -> np.ndarray:
    """A plate of 1 kg a cup, its centre of mass 60 mm and 20 mm off."""
    return hf.loads.gravity_wrench(float(len(assembly)), com=(0.06, 0.02, 0.0))


def stepped_peak(result: LoadSharing, step: float) -> tuple[float, int]:
    """(peak, programs) by load steps: at each, least spring energy of the cups that hold (Clarabel), fail, repeat."""
    import clarabel
    import scipy.sparse as sp

    assembly, k = result.assembly, len(result.assembly)
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    holds = np.ones(k, dtype=bool)
    normals, offsets = assembly.contacts[0].volume.polytopes[0].halfspaces
    factor = programs = 0
    length = assembly.length
    scale = np.array([1.0, 1.0, 1.0, 1.0 / length, 1.0 / length, 1.0 / length])
    while holds.any():
        factor += step
        while True:
            members = np.nonzero(holds)[0]
            blocks = [assembly.wrench_matrix[:, 3 * i : 3 * i + 3] @ assembly.rotations[i] for i in members]
            if not len(members):
                return factor - step, programs
            rows = scale[:, None] * np.concatenate(blocks, axis=1)
            energy = sp.block_diag([np.linalg.inv(result.stiffness[i]) for i in members]).tocsc() * STIFFNESS[0]
            solver = clarabel.DefaultSolver(
                sp.triu(energy).tocsc(),
                np.zeros(3 * len(members)),
                sp.csc_matrix(rows),
                -scale * factor * result.load,
                [clarabel.ZeroConeT(6)],
                settings,
            )
            solution = solver.solve()
            programs += 1
            if "Solved" not in str(solution.status):
                return factor - step, programs
            forces = np.array(solution.x).reshape(-1, 3)
            out = (forces @ normals.T > offsets + 1e-6).any(axis=1)
            if not out.any():
                break
            holds[members[out]] = False
    return factor - step, programs


def run(quick: bool) -> Report:
    repeats, grids, scattered = (3, ((4, 3),), 256) if quick else (30, ((4, 3), (6, 4), (8, 6)), SCATTERED)
    rows, cells, data = [], [], []
    for columns, lines in grids:
        assembly = cups(columns, lines)
        load = hung(assembly)
        for rule in ("brittle", "ductile", "slip"):
            hf.load_sharing(assembly, load, STIFFNESS, rule=rule)  # compiled, and facets made
            result, seconds = clocked(
                lambda a=assembly, w=load, r=rule: hf.load_sharing(a, w, STIFFNESS, rule=r), repeats
            )
            rival = programs = peak = None
            if rule == "brittle":
                start = time.perf_counter()
                peak, programs = stepped_peak(result, STEP * result.limit.value)
                rival = time.perf_counter() - start
            entry = {
                "contacts": len(assembly),
                "rule": rule,
                "seconds": seconds,
                "segments": len(result.path.stage),
                "first_failure": result.first_failure,
                "peak": result.peak,
                "limit": result.limit.value,
                "rival_seconds": rival,
                "rival_programs": programs,
                "rival_peak": peak,
            }
            data.append(entry)
            rows.append(row(f"{len(assembly)} cups, {rule}", [1e3 * seconds], "ms"))
            cells.append(
                [
                    str(len(assembly)),
                    rule,
                    duration(seconds),
                    str(len(result.path.stage)),
                    f"{result.first_failure:.3f} / {result.peak:.3f} / {result.limit.value:.3f}",
                    "-" if rival is None else f"{duration(rival)} ({programs} programs, peak {peak:.3f})",
                    "-" if rival is None else times(rival / seconds),
                ]
            )
    header = ("contacts", "rule", "time", "segments", "first failure / peak / limit", "QP each step", "ratio")
    note = (
        f"Target: at most {duration(TARGET)} with 48 contacts. The rival solves the least spring energy by Clarabel at "
        f"load steps of {100 * STEP:g} % of the load limit, and again after each failure; its peak is known to a step."
    )
    sequences = TextTable("Load sharing: whole failure sequences", header, cells, note)
    return Report(rows, [sequences, _scatter(rows, data, scattered, quick)], {"cases": data})


def _scatter(rows: list[Any], data: list[Any], n: int, quick: bool) -> TextTable:
    cells = []
    for columns, lines in ((4, 3),) if quick else ((4, 3), (8, 6)):
        assembly = cups(columns, lines)
        scatter = Scatter(strength=0.1, position=0.002, com=0.01, mass=0.03)
        options: dict[str, Any] = {"stiffness": STIFFNESS, "stiffness_spread": 0.2, "seed": SEED}
        sharing_probability(assembly, hung(assembly), scatter, n=16, **options)
        cpu = time.process_time()
        found, wall = clocked(lambda a=assembly, s=scatter, o=options: sharing_probability(a, hung(a), s, n=n, **o))
        cpu = time.process_time() - cpu
        data.append({"contacts": len(assembly), "specimens": n, "seconds": wall, "cpu_seconds": cpu, "p": found.value})
        rows.append(row(f"{n} specimens of {len(assembly)} cups", [wall], "s"))
        cells.append([str(len(assembly)), str(n), duration(wall), duration(cpu), f"{found.value:.4f}"])
    note = f"Target: {SCATTERED} specimens in at most {duration(SCATTER_TARGET)} on two cores."
    return TextTable("Load sharing under scatter", ("contacts", "specimens", "wall", "CPU", "probability"), cells, note)
