"""Chinellato and others 2003, table by table: qualities, variation, stability and correlation on an example part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from holdfast import grasps
from studies.tables import Claim, claim_table, keep, parsed, parser

#: The part of the study, and its picture's scale [mm per pixel].
PART, SCALE = "casting", 0.5


def ranking() -> grasps.Ranking:
    """The part's grasps for the Barrett hand in the paper's ranking."""
    return grasps.plan(grasps.example_part(PART).picture(SCALE), "barrett", SCALE, rank="paper")


def formulas() -> Claim:
    """S1 of an equilateral and of a right triangle, in closed form."""
    equal = np.array([[0.0, 0.0], [60.0, 0.0], [30.0, 30.0 * np.sqrt(3)]])
    right = np.array([[0.0, 0.0], [60.0, 0.0], [0.0, 60.0]])
    found = [float(grasps.criteria.s1(corners)) for corners in (equal, right)]
    holds = abs(found[0]) < 1e-12 and bool(np.isclose(found[1], 3 / (2 * np.pi) * (np.pi / 6 + 2 * np.pi / 12)))
    return Claim(
        "S1 (formula printed): 0 for an equilateral triangle",
        holds,
        f"S1 = {abs(found[0]):.3f} and, for a right isosceles one, {found[1]:.3f}",
    )


def figures(of: grasps.Ranking) -> list[Claim]:
    """Figs. 1 to 5: the number of candidates, and the qualities of the best."""
    best = [float(of[place].Q) for place in range(6)]
    ours = ", ".join(f"{quality:.2f}" for quality in best)
    return [
        Claim("30 to 300 candidates per part", 30 <= len(of) <= 300, f"{len(of)} candidates"),
        Claim(
            "Fig. 5 (another shape): Q 2.45, 2.83, 3.60, 3.86, 3.90, 3.98; two clearly better than the rest",
            best[2] - best[1] > max(best[1] - best[0], best[3] - best[2]),
            ours,
        ),
    ]


def variation(of: grasps.Ranking) -> Claim:
    """Table 1: the best grasps keep their ranks under other parameters."""
    rows = grasps.parameter_variation(of).rows(best=4)
    kept = all(row[name] == row["rank"] for row in rows for name in row if name.startswith("rank ("))
    return Claim(
        "Table 1: the first grasps keep their ranks under other friction, margin and weight",
        kept,
        "the first four keep theirs" if kept else "not all of the first four",
    )


def stability(of: grasps.Ranking) -> Claim:
    """Table 2: the best grasps are stable, a few others become much worse."""
    rows = grasps.stability_study(of).rows(best=10)
    changes = [-float(row["worst %"]) for row in rows]
    large = [str(row["rank"]) for row, change in zip(rows, changes, strict=True) if change > 30.0]
    text = "Table 2: the worst changes of the first four are 3 to 14 %; two of the ten lose more than 50 %"
    return Claim(
        text,
        max(changes[:4]) < 14.0 and len(large) == 2,
        f"{min(changes[:4]):.1f} to {max(changes[:4]):.1f} %; grasps {' and '.join(large)} lose more than 30 %",
    )


def correlation(of: grasps.Ranking) -> list[Claim]:
    """The correlation table: criteria are different, and mostly uncorrelated."""
    found = grasps.correlations(of)
    values, names = np.abs(np.asarray(found.values)), list(found.names)
    pairs = {(names[j], names[i]): values[i, j] for i in range(10) for j in range(i) if np.isfinite(values[i, j])}
    high = sorted(pairs, key=pairs.__getitem__, reverse=True)[:3]
    shown = ", ".join(f"{a} {b} {pairs[a, b]:.2f}" for a, b in high)
    share = float(np.mean(np.array(list(pairs.values())) < 0.3))
    return [
        Claim("no two criteria are the same; the highest correlation is 0.81 (C1, C2)", pairs[high[0]] < 0.9, shown),
        Claim("many criteria are nearly uncorrelated", share > 0.5, f"{share:.0%} of the pairs below 0.3"),
    ]


def claims() -> list[Claim]:
    """All of them, in the order of the paper."""
    of = ranking()
    return [formulas(), *figures(of), variation(of), stability(of), *correlation(of)]


def main(words: Sequence[str] | None = None) -> None:
    """Compute and save the claims."""
    chosen = parsed(parser(__doc__), words)
    keep(Path(__file__), chosen.out, {"claims": claim_table("Chinellato and others 2003", claims())}, {})


if __name__ == "__main__":
    main()
