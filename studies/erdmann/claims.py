"""Erdmann 1993, figure by figure: the claims of the paper, computed by `holdfast.planar`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from holdfast import planar
from holdfast.planar import plots, problems
from studies.tables import Claim, claim_table, keep, parsed, parser

#: Friction of the worked example, and friction coefficients for which one motion is claimed.
MU, FRICTIONS = 0.25, (0.1, 0.5, 1.0, 1.5, 1.9)

#: Number of random loads for each friction coefficient.
LOADS = 20


def two_kinds() -> Claim:
    """Figs. 1 to 3: a corner of the body on an edge, an edge of the body on a corner."""
    box = planar.PlanarOutline.rectangle(1.0, 1.0, centre=(0.0, 0.5))
    table = planar.PlanarOutline([(-2, -0.2), (0.2, -0.2), (0.2, 0), (-2, 0)])
    both = planar.from_outlines(box, [table], 0.5, force=(0, -9.81, 0), mass=1.0)
    turned = [planar.Contact((0, 1), (0.5, 0.5), 0.5, kind=kind) for kind in ("vertex", "edge")]
    moving, resting = ([c.normal_bias(v) for c in turned] for v in ((1.0, 0.0, 2.0), (0.0, 0.0, 0.0)))
    kinds = [contact.kind for contact in both.contacts]
    holds = kinds == ["vertex", "edge"] and not np.isclose(moving[0], moving[1]) and bool(np.allclose(resting, 0.0))
    text = "Figs. 1-3: two kinds of contact, which differ only in second-order terms of a moving body"
    return Claim(
        text, holds, f"{' and '.join(kinds)}; second-order terms {moving[0]:.3g} and {moving[1]:.3g}, 0 at rest"
    )


def single_cone() -> Claim:
    """Fig. 4: the friction cone of one contact in configuration space."""
    example = problems.three_points(MU, (1.0, -1.0, 0.0))
    edges = planar.friction_cone(example.body, example.contacts[:1]).edges[0]
    holds = bool(np.allclose(edges, [[MU, 1, MU - 1], [-MU, 1, -(MU + 1)]]))
    return Claim(
        "Fig. 4: edges (mu, 1, mu - 1) and (-mu, 1, -mu - 1) of one contact", holds, f"{edges.round(3).tolist()}"
    )


def one_motion() -> Claim:
    """Fig. 5: for small friction each applied force has one motion."""
    rng, unique = np.random.default_rng(0), True
    for mu in FRICTIONS:
        for force in rng.normal(size=(LOADS, 3)):
            unique = unique and problems.three_points(mu, tuple(force)).motions().status == "unique"
    slides = problems.three_points(MU, (1.0, -1.0, 0.0)).motions()
    pivots = problems.three_points(MU, (0.0, -1.0, 3.0)).motions()
    named = list(slides.modes) == ["RRR"] and next(iter(pivots.modes)).count("S") == 2
    modes = f"modes {', '.join(slides.modes)}; {', '.join(pivots.modes)}"
    ours = f"{len(FRICTIONS) * LOADS} random loads, mu up to {FRICTIONS[-1]:g}; {modes}"
    return Claim(
        "Fig. 5: one motion for small friction: sliding, or a turn about an outer point", unique and named, ours
    )


def composite_cone() -> Claim:
    """Fig. 6: six edges; those of the middle contact lie in sides of the composite cone."""
    example = problems.three_points(MU, (1.0, -1.0, 0.0))
    cone = planar.friction_cone(example.body, example.contacts)
    printed = ((MU - 1, -(MU + 1)), (MU + 1, -(MU - 1)), (MU, -MU))
    same = all(
        np.allclose(edges, [(MU, 1, plus), (-MU, 1, minus)])
        for edges, (plus, minus) in zip(cone.edges, printed, strict=True)
    )
    text = "Fig. 6: six printed edges; those of the middle contact lie in sides of the composite cone"
    return Claim(text, same and len(cone.facets) == 4, f"the printed edges, {len(cone.facets)} sides")


def validity() -> Claim:
    """Table 1: when the plus and the minus edge of a friction cone are valid."""
    example = problems.three_points(MU, (1.0, -1.0, 0.0))

    def intervals(velocity: tuple[float, float, float]) -> tuple[Any, Any]:
        line = planar.validity_intervals(example.body, example.contacts, example.force, velocity)
        assert line is not None
        return line.plus[0], line.minus[0]

    right, left, resting = (intervals(velocity) for velocity in ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    holds = (
        right[0][0] > right[0][1] and np.isinf(right[1]).all() and left[1][0] > left[1][1] and np.isinf(left[0]).all()
    )
    holds = bool(holds and np.isclose(resting[0][1], resting[1][0]))
    ours = f"slipping: one edge always, the other never; at rest the change is at c = {resting[0][1]:.3g}"
    return Claim(
        "Table 1: the edge against the slip is valid; at rest one edge up to c_i, the other from it", holds, ours
    )


def claims() -> list[Claim]:
    """All of them, in the order of the paper."""
    return [two_kinds(), single_cone(), one_motion(), composite_cone(), validity()]


def main(words: Sequence[str] | None = None) -> None:
    """Compute and save the claims and the picture of one contact's cone."""
    chosen = parsed(parser(__doc__), words)
    example = problems.three_points(MU, (1.0, -1.0, 0.0))
    single = planar.friction_cone(example.body, example.contacts[:1])
    drawn: dict[str, Callable[[], Any]] = {
        "erdmann_single": lambda: plots.friction_cone(single, names=("left contact",), title="One contact"),
    }
    keep(Path(__file__), chosen.out, {"claims": claim_table("Erdmann 1993", claims())}, drawn)


if __name__ == "__main__":
    main()
