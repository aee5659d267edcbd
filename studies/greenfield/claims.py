"""Greenfield, Rizzi and Choset 2005, figure by figure: torques of braced snakes, computed by `holdfast.planar`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from holdfast import planar
from holdfast.plotting import style
from studies.tables import Claim, claim_table, keep, parsed, parser

#: Length of a link [m], mass at every node [kg], friction; normals out of the walls.
LINK, MASS, MU = 0.127, 0.0849, 0.3
LEFT, RIGHT = (1, 0), (-1, 0)

#: The paper's box of disturbances on the four coordinates of the brace.
BOX = ([-0.2, -3.0, -0.05, -0.25], [0.1, -2.3, 0.25, 0.0])


def two_links(mu: float) -> planar.System:
    """Two links braced between the walls, each inclined by 45 degrees."""
    q = np.concatenate([[0, 0], np.deg2rad([135, -90])])
    return planar.Chain([LINK, LINK], MASS).system(q, None, [(0, RIGHT, mu), (1, LEFT, mu), (2, RIGHT, mu)])


def certain(mu: float) -> float:
    """The largest torque [N m] for which the two links stay fixed, and do nothing else."""
    found = planar.torque_sets(two_links(mu), "FFF")
    return max(float(piece.generators.vertices.max()) for piece in found.unique)


def two_link_claims() -> list[Claim]:
    """Fig. 2: the torque border, and ambiguities above mu = 1."""
    answer = planar.torque_sets(two_links(MU), "FFF")
    (border,) = answer.feasible.generators.vertices[:, 0]
    frictions = np.linspace(0.15, 1.6, 31)
    plain = [planar.torque_sets(two_links(mu), "FFF").status == "unambiguous" for mu in frictions]
    return [
        Claim(
            "Fig. 2: tau <= -0.19 N m, no ambiguity",
            round(float(border), 2) == -0.19 and answer.status == "unambiguous",
            f"tau <= {border:.4f} N m, {answer.status}",
        ),
        Claim(
            "larger friction causes ambiguities as soon as the links are inside the friction cones",
            plain == (frictions < 1.0).tolist(),
            f"ambiguous above mu = 1; at mu = 1.2 one motion only up to {certain(1.2):.4f} N m",
        ),
    ]


def six_links() -> Claim:
    """Fig. 3: three dimensions, no ambiguity, the printed torque is in the set."""
    q = np.concatenate([[0, 0], np.deg2rad([160, -20, -20, -60, -20, -20])])
    system = planar.Chain([LINK] * 6, MASS).system(q, None, [(0, RIGHT, MU), (3, LEFT, MU), (6, RIGHT, MU)])
    held = planar.torque_sets(system, "FFF", planar.standstill(8))
    rows, values = held.feasible.equalities
    printed = np.array([-0.15, -0.58, -1.20, -0.70, -0.30])
    miss = float(np.abs(rows.T @ np.linalg.solve(rows @ rows.T, rows @ printed - values)).max())
    return Claim(
        "Fig. 3: a set of three dimensions in the space of five torques, no ambiguity; the printed torque is in it",
        held.feasible.dimension == 3 and held.status == "unambiguous" and miss < 0.005,
        f"{held.feasible.dimension} dimensions, {held.status}; the printed torque misses its plane by {miss:.4f} N m",
    )


def disturbed() -> Claim:
    """Fig. 4: a brace under the paper's box of disturbances."""
    robust = planar.torque_sets(two_links(MU), "FFF", disturbance=BOX)
    (limit,) = robust.feasible.generators.vertices[:, 0]
    holds = round(float(limit), 2) == -0.61 and robust.status == "unambiguous"
    return Claim(
        "Fig. 4: under disturbances tau <= -0.61 N m, no ambiguity", holds, f"tau <= {limit:.4f} N m, {robust.status}"
    )


def over_time() -> Claim:
    """Fig. 5: the free part of the robot moves; its disturbance stays in the box. Postures and duration are ours."""
    five = planar.Chain([LINK] * 5, MASS)
    ends = (
        np.concatenate([[0, 0], np.deg2rad(angles)]) for angles in ([135, -90, 75, -60, 60], [135, -90, 60, -30, 30])
    )
    moving = planar.free_part_disturbance(five, 2, [planar.RestToRest(*ends, duration=1.5)], samples=401)
    half = np.abs(moving.set.basis).sum(axis=1)
    inside = bool((moving.set.centre - half > BOX[0]).all() and (moving.set.centre + half < BOX[1]).all())
    (limit,) = planar.torque_sets(two_links(MU), "FFF", disturbance=moving.set).feasible.generators.vertices[:, 0]
    return Claim(
        "Fig. 5: the disturbance of a motion stays in the box, which is conservative",
        inside,
        f"our motion needs {limit:.2f} N m",
    )


def claims() -> list[Claim]:
    """All of them, in the order of the paper."""
    return [*two_link_claims(), six_links(), disturbed(), over_time()]


def friction_figure() -> Any:
    """Torques that are guaranteed to hold two links, over friction."""
    from matplotlib.figure import Figure

    frictions = np.linspace(0.15, 1.6, 31)
    sure = [certain(mu) for mu in frictions]
    figure = Figure(figsize=(5.6, 3.2), layout="constrained")
    ax = figure.subplots()
    bottom, (green, orange, red) = -0.4, (style.colour(number) for number in (2, 1, 3))
    ax.fill_between(frictions, bottom, sure, color=green, alpha=0.35, label="stays fixed, and nothing else")
    ax.fill_between([1.0, 1.6], sure[-1], 0.1, color=orange, alpha=0.45, label="fixed or slipping")
    ax.plot(frictions, sure, color=style.INK, linewidth=style.THIN)
    ax.plot(MU, -0.19, "x", color=red, markersize=8, label="printed in the paper")
    ax.set(xlabel="friction coefficient", ylabel="joint torque [N m]", ylim=(bottom, 0.1), xlim=(0.15, 1.6))
    ax.legend(frameon=False, loc="lower right")
    return figure


def main(words: Sequence[str] | None = None) -> None:
    """Compute and save the claims and the picture over friction."""
    chosen = parsed(parser(__doc__), words)
    drawn = {} if chosen.quick else {"greenfield_friction": friction_figure}
    keep(Path(__file__), chosen.out, {"claims": claim_table("Greenfield, Rizzi and Choset 2005", claims())}, drawn)


if __name__ == "__main__":
    main()
