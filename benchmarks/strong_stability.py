"""Strong stability and motions with Coulomb friction, against all modes one by one and HiGHS's mixed-integer program.

All use the same contacts, and arcs that enclose the friction circle. The rivals build their programs from positions,
frames and the mass matrix alone: one linear program for each combination of modes of the first contacts that is still
possible, contact by contact, or one binary per mode. They answer for the arcs they start with; Holdfast halves arcs
where it has to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.measuring import clocked, row
from benchmarks.reporting import Report, TextTable, duration, times
from holdfast.dynamics import mass_matrix

#: Targets [s] by number of contacts; of a load that is held without friction; of one motion with 8 contacts.
TARGETS = {4: 10e-3, 8: 60e-3, 12: 200e-3}
HELD, MOTION = 0.1e-3, 1e-3
#: The rivals stop after this time [s].
PATIENCE = 60.0
#: Arcs of the circle for the rivals: the fewest that leave four contacts no other motion.
ARCS = 12
MU, G = 0.5, 9.81


def block(slope: float, count: int) -> tuple[hf.Assembly, np.ndarray, np.ndarray]:
    """A block of 2 kg on `count` feet on a slope [degrees] with friction 0.5, its load and mass matrix."""
    angles = 2.0 * np.pi * (np.arange(count) + 0.5) / count
    places = 0.05 * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(count)])
    volume = hf.models.coulomb(MU)
    com, s = np.array([0.0, 0.0, 0.01]), np.radians(slope)
    force = 2.0 * G * np.array([np.sin(s), 0.0, -np.cos(s)])
    assembly = hf.Assembly([hf.Contact(place, np.eye(3), volume) for place in places])
    mass = mass_matrix(2.0, np.diag([0.004, 0.004, 0.006]), com)
    return assembly, np.concatenate([force, np.cross(com, force)]), mass


# -- rivals -------------------------------------------------------------------------------------------------------


class Modes:
    """The modes of contacts with one friction coefficient: separates, sticks, or slides within one of the arcs.

    Attributes:
        pushes: (6, 3k) x = x0 + pushes f in whitened coordinates, |x0| = 1; contacts accelerate by pushes^T x.
        rays: generators (m, 3) of the force in each mode; equal, above: rows (., 3) on the acceleration.
    """

    def __init__(self, assembly: hf.Assembly, load: np.ndarray, mass: np.ndarray, arcs: int = ARCS) -> None:
        lower = np.linalg.cholesky(mass)
        self.k = len(assembly)
        maps = [np.vstack([c.rotation, np.cross(c.position, c.rotation.T).T]) for c in assembly.contacts]
        self.pushes = np.linalg.solve(lower, np.hstack(maps))
        self.pushes /= np.linalg.norm(self.pushes, axis=0).max()
        x0 = np.linalg.solve(lower, load)
        self.x0 = x0 / np.linalg.norm(x0)
        normal, none = np.array([[0.0, 0.0, 1.0]]), np.zeros((0, 3))
        half = np.pi / arcs
        around = 2.0 * np.pi * (np.arange(16) + 0.5) / 16
        hull = MU / np.cos(np.pi / 16) * np.column_stack([np.cos(around), np.sin(around)])
        self.rays = [none, np.column_stack([hull, np.ones(16)])]
        self.equal, self.above = [none, np.eye(3)], [normal, none]
        for arc in range(arcs):
            a = 2.0 * half * (arc + np.array([0.0, 0.5, 1.0]))
            reach = -MU * np.array([1.0, 1.0 / np.cos(half), 1.0])
            self.rays.append(np.column_stack([reach * np.cos(a), reach * np.sin(a), np.ones(3)]))
            self.equal.append(normal)
            self.above.append(np.array([[-np.sin(a[0]), np.cos(a[0]), 0.0], [np.sin(a[2]), -np.cos(a[2]), 0.0]]))

    def program(self, modes: list[int]) -> bool:
        """Whether a motion other than rest is possible with these modes of the first contacts; the others are free."""
        from scipy.optimize import linprog

        k = self.k
        # A free contact pushes from anywhere in its cone and does not enter the ground.
        rays = [self.rays[m] for m in modes] + [self.rays[1]] * (k - len(modes))
        equal = [self.equal[m] for m in modes] + [self.equal[0]] * (k - len(modes))
        above = [self.above[m] for m in modes] + [self.above[0]] * (k - len(modes))
        force = np.zeros((3 * k, sum(map(len, rays))))
        at = 0
        for i, block in enumerate(rays):
            force[3 * i : 3 * i + 3, at : at + len(block)] = block.T
            at += len(block)
        x = self.pushes @ force
        c, c0 = self.pushes.T @ x, self.pushes.T @ self.x0
        parts = [slice(3 * i, 3 * i + 3) for i in range(k)]
        fixed, least = (list(zip(rows, parts, strict=True)) for rows in (equal, above))
        equal_rows = np.vstack([rows @ c[part] for rows, part in fixed])
        above_rows = np.vstack([rows @ c[part] for rows, part in least])
        found = linprog(
            -(self.x0 @ x),
            np.vstack([-above_rows, x, -x]),
            np.concatenate([*(rows @ c0[part] for rows, part in least), 1.0 - self.x0, 1.0 + self.x0]),
            equal_rows if len(equal_rows) else None,
            np.concatenate([-rows @ c0[part] for rows, part in fixed]) if len(equal_rows) else None,
        )
        return found.status == 0 and 1.0 - found.fun > 1e-6


def one_by_one(modes: Modes, patience: float) -> tuple[bool | None, int]:
    """(whether another motion is possible, programs): every combination of modes, those of the first contacts first."""
    start, programs = time.perf_counter(), 0
    stack: list[list[int]] = [[]]
    while stack:
        if time.perf_counter() - start > patience:
            return None, programs
        chosen = stack.pop()
        programs += 1
        if modes.program(chosen):
            if len(chosen) == modes.k:
                return True, programs
            stack += [[*chosen, m] for m in range(len(modes.rays))]
    return False, programs


def by_binaries(modes: Modes, patience: float) -> bool | None:
    """Whether another motion is possible, by HiGHS: one binary per mode and contact. None when the time is up."""
    from scipy.optimize import LinearConstraint, milp

    k, most, big = modes.k, 1e3, 4.0
    picks = [(i, m) for i in range(k) for m in range(len(modes.rays))]
    counts = [len(modes.rays[m]) for _, m in picks]
    n, b = sum(counts), len(picks)
    force = np.zeros((3 * k, n + b))
    ends = np.cumsum([0, *counts])
    for (i, m), at, end in zip(picks, ends, ends[1:], strict=False):
        force[3 * i : 3 * i + 3, at:end] = modes.rays[m].T
    x = modes.pushes @ force
    c, c0 = modes.pushes.T @ x, modes.pushes.T @ modes.x0
    rows, low, high = [x], [-1.0 - modes.x0], [1.0 - modes.x0]
    unit = np.eye(n + b)
    for number, (i, m) in enumerate(picks):
        part, on = slice(3 * i, 3 * i + 3), unit[n + number]
        weights = unit[ends[number] : ends[number + 1]] - most * on
        above, equal = modes.above[m], modes.equal[m]
        rows += [weights, above @ c[part] - big * on, equal @ c[part] - big * on, equal @ c[part] + big * on]
        low += [np.full(len(weights), -np.inf), -big - above @ c0[part], -big - equal @ c0[part]]
        low += [np.full(len(equal), -np.inf)]
        high += [np.zeros(len(weights)), np.full(len(above) + len(equal), np.inf), big - equal @ c0[part]]
    for i in range(k):
        rows.append(np.sum([unit[n + number] for number, (j, _) in enumerate(picks) if j == i], axis=0)[None])
        low.append(np.ones(1))
        high.append(np.ones(1))
    bounds: Any = np.concatenate(low), np.concatenate(high)
    found = milp(
        -(modes.x0 @ x),
        constraints=LinearConstraint(np.vstack(rows), *bounds),
        integrality=np.array([0] * n + [1] * b),
        bounds=(np.zeros(n + b), np.array([np.inf] * n + [1.0] * b)),
        options={"time_limit": patience},
    )
    return None if found.status not in (0, 2) else bool(found.status == 0 and 1.0 - found.fun > 1e-6)


def _rival(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return call(), time.perf_counter() - start


def run(quick: bool) -> Report:
    repeats, sizes, patience = (3, (4,), 10.0) if quick else (20, (4, 8, 12), PATIENCE)
    rows, cells, data = [], [], []
    for count in sizes:
        question = block(20.0, count)
        hf.strong_stability(*question)  # compiled
        found, seconds = clocked(lambda q=question: hf.strong_stability(*q), repeats)
        modes = Modes(*question)
        (other, programs), listed = _rival(lambda m=modes: one_by_one(m, patience))
        mip, binaries = _rival(lambda m=modes: by_binaries(m, patience))
        entry = {
            "contacts": count, "status": found.status.value, "seconds": seconds, "target": TARGETS[count],
            "enumerated_seconds": listed, "enumerated_programs": programs, "enumerated_other_motion": other,
            "mip_seconds": binaries, "mip_other_motion": mip,
        }  # fmt: skip
        data.append(entry)
        rows.append(row(f"block on a slope, {count} contacts", [1e3 * seconds], "ms"))
        cells.append(
            [
                f"block on a 20 degree slope, {count} contacts",
                found.status.value,
                f"{duration(seconds)} ({duration(TARGETS[count])})",
                _told(other, listed, seconds, f"{programs} programs"),
                _told(mip, binaries, seconds),
            ]
        )
    for name, question, target, ask in (
        ("block on the level, 4 contacts: held without friction", block(0.0, 4), HELD, hf.strong_stability),
        ("motion of a block on a 40 degree slope, 8 contacts", block(40.0, 8), MOTION, hf.motion),
    ):
        ask(*question)
        found, seconds = clocked(lambda f=ask, q=question: f(*q), 10 * repeats)
        data.append({"case": name, "status": found.status.value, "seconds": seconds, "target": target})
        rows.append(row(name, [1e3 * seconds], "ms"))
        cells.append([name, found.status.value, f"{duration(seconds)} ({duration(target)})", "-", "-"])
    header = ("case", "answer", "time (target)", "all modes, one program each", "one mixed-integer program")
    note = (
        f"The rivals look for another motion with {ARCS} arcs of the friction circle, and do not halve them: "
        f"'another' means that these arcs do not exclude one. They stop after {patience:g} s. "
        "The ratio is to the time of Holdfast."
    )
    return Report(rows, [TextTable("Strong stability with Coulomb friction", header, cells, note)], {"cases": data})


def _told(other: bool | None, seconds: float, own: float, more: str = "") -> str:
    """Answer, time and ratio of a rival."""
    answer = {None: "no answer", True: "another", False: "no other"}[other]
    parts = [answer, duration(seconds), *([more] if more else [])]
    return f"{', '.join(parts)} ({'> ' if other is None else ''}{times(seconds / own)})"
