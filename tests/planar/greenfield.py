"""The examples of Greenfield et al. 2005 and a naive judge of torques: every mode tried, one HiGHS program each."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import linprog

from holdfast.planar.chains import Chain
from holdfast.planar.system import System

LENGTH, MASS, GRAVITY, MU = 0.127, 0.0849, 9.81, 0.3
BOX = ([-0.2, -3.0, -0.05, -0.25], [0.1, -2.3, 0.25, 0.0])
LEFT, RIGHT = (1.0, 0.0), (-1.0, 0.0)


def two_links(mu: float = MU) -> System:
    """Example A: nodes 0 and 2 on the right wall, node 1 on the left one."""
    q = (0.0, 0.0, *np.deg2rad([135.0, -90.0]))
    return Chain([LENGTH] * 2, MASS).system(q, None, [(0, RIGHT, mu), (1, LEFT, mu), (2, RIGHT, mu)])


def six_links() -> System:
    """Example B: nodes 0 and 6 on the right wall, node 3 on the left one."""
    q = (0.0, 0.0, *np.deg2rad([160.0, -20.0, -20.0, -60.0, -20.0, -20.0]))
    return Chain([LENGTH] * 6, MASS).system(q, None, [(0, RIGHT, MU), (3, LEFT, MU), (6, RIGHT, MU)])


def slack_of(system: System, mode: str, tau: np.ndarray, extra: tuple[np.ndarray, float] | None = None) -> float:
    """Largest s <= 1 by which a motion (a, f) in `mode` meets the strict conditions under `tau`; -inf if there is none.

    `extra` = (row over (a, f), c) asks row . (a, f) > c too. Tables I and II at rest, straight from the page.
    """
    n, k = len(system.bias), len(system.mu)
    eye, width = np.eye(2 * k), n + 2 * k + 1
    equal, level = (
        [np.hstack([system.mass_matrix, -system.jacobian.T, np.zeros((n, 1))])],
        [system.bias + system.selector @ tau],
    )
    above: list[np.ndarray] = []

    def row(a=None, f=None, strict=False) -> np.ndarray:
        result = np.zeros(width)
        if a is not None:
            result[:n] = a
        if f is not None:
            result[n:-1] = f
        result[-1] = -float(strict)
        return result

    for i, letter in enumerate(mode):
        an, at = system.normal_jacobian[i], system.tangent_jacobian[i]
        fn, ft = eye[2 * i + 1], eye[2 * i]
        if letter == "S":
            equal.append(np.array([row(f=fn), row(f=ft)]))
            level.append(np.zeros(2))
            above.append(row(a=an, strict=True))
            continue
        above.append(row(f=fn))
        sign = {"F": 0.0, "R": 1.0, "L": -1.0}[letter]
        if letter == "F":
            equal.append(np.array([row(a=an), row(a=at)]))
            above += [row(f=system.mu[i] * fn - ft), row(f=system.mu[i] * fn + ft)]
        else:
            equal.append(np.array([row(a=an), row(f=ft + sign * system.mu[i] * fn)]))
            above.append(row(a=sign * at, strict=True))
        level.append(np.zeros(2))
    floor = np.zeros(len(above))
    if extra is not None:
        above.append(np.append(extra[0], -1.0))
        floor = np.append(floor, extra[1])
    cost = np.zeros(width)
    cost[-1] = -1.0
    bounds = [(None, None)] * (width - 1) + [(None, 1.0)]
    A_ub, b_ub = (-np.array(above), -floor) if above else (None, None)
    answer = linprog(cost, A_ub=A_ub, b_ub=b_ub, A_eq=np.vstack(equal), b_eq=np.concatenate(level), bounds=bounds)
    return -float(answer.fun) if answer.status == 0 else -np.inf


def judge(system: System, wanted: str, tau: np.ndarray) -> tuple[str, list[str]]:
    """(classification, other modes) of one torque by brute force; "close" where a slack is too small to tell."""
    slacks = {"".join(mode): 0.0 for mode in product("SFRL", repeat=len(system.mu))}
    for mode in slacks:
        slacks[mode] = slack_of(system, mode, tau)
    if any(1e-9 < slack < 1e-5 for slack in slacks.values()):
        return "close", []
    if not slacks[wanted] > 1e-5:
        return "infeasible", []
    others = [mode for mode, slack in slacks.items() if slack > 1e-5 and mode != wanted]
    return ("ambiguous" if others else "unique"), others
