"""Rankings and studies of planar grasps as tables and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..console.output import counted, note, number, say, table
from ..errors import FileError

if TYPE_CHECKING:
    from .grasp import Grasp
    from .ranking import Ranking

#: The kinds of grasps in a table.
KINDS = {"three_finger": "three fingers", "virtual_two_finger": "virtual two"}


def show_ranking(ranking: Ranking, name: str, best: int) -> None:
    """The best grasps: criteria, then where the hand goes; or why there is none."""
    shape = ranking.scored.shape
    if not len(ranking):
        say(f"{name}: no grasp with the hand {ranking.scored.hand.name}: {ranking.reason}", style="yellow")
        return
    left_out = f", {counted(len(ranking.excluded), 'candidate')} left out" if ranking.excluded else ""
    say(f"{name}: {counted(len(ranking), 'grasp')} with the hand {ranking.scored.hand.name}{left_out}", style="bold")
    say(
        f"part: {shape.area_mm2:.0f} mm^2, centroid ({_mm(shape.centroid_mm)}) mm, axes "
        f"{shape.major_axis_mm:.1f} and {shape.minor_axis_mm:.1f} mm; lower is better"
    )
    shown = ranking.grasps[:best]
    names = list(shown[0].criteria)
    own = [key for key, _ in shown[0].own_criteria]
    by_score = ranking.method.name != "sum" or bool(own)
    columns = ["rank", "kind", "Q", *(["score"] if by_score else []), *names, *own]
    rows = [
        [
            grasp.rank,
            KINDS[grasp.kind],
            f"{grasp.Q:.3f}",
            *([f"{grasp.score:.3f}"] if by_score else []),
            *(f"{value:.2f}" for value in grasp.criteria.values()),
            *(f"{value:.3g}" for _, value in grasp.own_criteria),
        ]
        for grasp in shown
    ]
    table(columns, rows, title="Criteria")
    _show_poses(shown)


def _show_poses(shown: Sequence[Grasp]) -> None:
    import math

    columns = ["rank", "thumb", "finger 2", "finger 3", "palm", "yaw", "spread", "extensions"]
    rows = [
        [
            grasp.rank,
            *(_mm(point) for point in grasp.contacts_mm),
            _mm(grasp.palm_mm),
            f"{math.degrees(grasp.yaw_rad):.1f}",
            f"{math.degrees(grasp.spread_rad):.1f}",
            _mm(grasp.extensions_mm),
        ]
        for grasp in shown
    ]
    table(columns, rows, title="Contacts and hand [mm, deg]")


def show_reachability(ranking: Ranking, most: int = 8) -> None:
    """What is in the way of the grasps that the hand cannot get to, by how often."""
    from collections import Counter

    blocked = [grasp for grasp in ranking.excluded if _blocked(grasp)]
    if not blocked:
        say("Reachability: nothing is in the way of any grasp.")
        return
    kinds = Counter(obstacle(grasp.reason) for grasp in blocked)
    rows = [(count, words) for words, count in kinds.most_common(most)]
    table(["grasps", "what is in the way"], rows, title="Grasps that the fingers cannot get to")


def _blocked(grasp: Grasp) -> bool:
    """Whether a grasp that would be a good one has something in its way."""
    return grasp.valid and grasp.reachability is not None and not grasp.reachability[0]


def obstacle(reason: str) -> str:
    """The first thing in the way without its figures, so that like ones count together."""
    first = reason.split("; ")[0].split(":")[0]
    without = re.sub(r", [0-9.]+ mm wide,", "", first)
    return re.sub(r" [0-9.]+ mm\b", "", without)


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with the same columns as CSV, and a note that the file is there."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    try:
        path.write_text(text.getvalue(), encoding="utf-8")
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=path, fix=fix) from None
    note(f"written: {path}")


def ranking_rows(ranking: Ranking, *, metrics: bool = False) -> list[dict[str, Any]]:
    """All ranked grasps, flat, for CSV: criteria, contacts, normals, forces, foci, pose of the hand; mm and rad.

    Where a clearance check was made, the grasps that the fingers cannot get to follow without a rank, and two columns
    tell whether and why not. With `metrics`, those of the wrench space are added.
    """
    from .metrics import measure

    blocked = [] if ranking.reach is None else [grasp for grasp in ranking.excluded if _blocked(grasp)]
    rows = []
    for grasp in (*ranking.grasps, *blocked):
        flat: dict[str, Any] = {
            "rank": "" if grasp.rank is None else grasp.rank,
            "kind": grasp.kind,
            "Q": grasp.Q,
            "score": grasp.score,
            **grasp.criteria,
            **dict(grasp.own_criteria),
        }
        for label, points in (
            ("contact", grasp.contacts_mm),
            ("normal", grasp.inward_normals),
            ("force", grasp.force_directions),
        ):
            for finger, point in enumerate(points, start=1):
                flat |= {f"{label}{finger}_{axis}": float(x) for axis, x in zip("xy", point, strict=True)}
        for label, point in (("grasp_focus", grasp.grasp_focus_mm), ("real_focus", grasp.real_focus_mm)):
            pair = ("", "") if point is None else tuple(map(float, point))
            flat |= {f"{label}_{axis}": x for axis, x in zip("xy", pair, strict=True)}
        flat |= {f"extension{finger}": float(x) for finger, x in enumerate(grasp.extensions_mm, start=1)}
        flat |= {
            "spread_rad": grasp.spread_rad,
            "palm_x": float(grasp.palm_mm[0]),
            "palm_y": float(grasp.palm_mm[1]),
            "yaw_rad": grasp.yaw_rad,
        }
        if grasp.reachability is not None:
            flat |= {"reachable": str(grasp.reachability[0]).lower(), "in_the_way": grasp.reachability[1]}
        if metrics:
            flat |= measure(grasp).to_dict()
        rows.append(flat)
    return rows


def show_rows(rows: Sequence[Mapping[str, Any]], *, title: str = "", digits: int = 4) -> None:
    """Rows with the same columns as a table; "-" where there is nothing."""
    if not rows:
        return
    cells = [[_cell(value, digits) for value in row.values()] for row in rows]
    table(list(rows[0]), cells, title=title)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float) or value is None:
        return number(value, digits)
    return str(value)


def variation_table(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a variation with short heads: "Q mu=0.3"."""
    return [{_short(name): value for name, value in row.items()} for row in rows]


def _short(name: str) -> str:
    return name.replace(" = ", "=").replace("lambda_mm", "lambda").replace("(", "").replace(")", "")


def triangle(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a correlation with two digits after the point, blank above the diagonal."""
    return [
        {name: _coefficient(value, above=column > row + 1) for column, (name, value) in enumerate(entries.items())}
        for row, entries in enumerate(rows)
    ]


def _coefficient(value: Any, *, above: bool) -> str:
    if isinstance(value, str):
        return value
    return "" if above else "-" if value is None else f"{value:.2f}"


def _mm(values: Any) -> str:
    return ", ".join(f"{float(value):.1f}" for value in values)
