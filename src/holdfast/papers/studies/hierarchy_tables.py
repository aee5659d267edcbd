"""Tables of the hierarchy study: times of Fig. 15, regions of Fig. 16."""

from __future__ import annotations

from .hierarchy import Growth
from .hierarchy_regions import Regions
from .text_tables import Table, duration, times


def growth_table(found: Growth) -> Table:
    """Fig. 15 as a table."""
    rows = [
        (
            row.kind,
            f"{row.count:,}",
            duration(row.cold),
            duration(row.warm),
            duration(row.highs),
            times(row.ratio),
            f"{row.factor:.6g}",
            f"{row.highs_factor:.6g}",
        )
        for row in found.rows
    ]
    header = ("kind", "a grip", "new solver", "warm solver", "HiGHS", "ratio", "bears", "by HiGHS")
    note = (
        f"Medians of {found.repeats} tests of four hands. Bears: the largest multiple of the weight. "
        "Ratio: HiGHS to a new solver."
    )
    return Table("Fig. 15: time of a four-hand test", header, rows, note)


def region_table(found: Regions) -> Table:
    """Fig. 16 as a table."""
    rows = [
        (
            "inner" if row.kind == "vertices" else "outer",
            row.name,
            str(row.region.kind),
            f"{row.region.area:.4g}",
            "yes" if row.region.contains(found.body.com) else "no",
            duration(row.seconds),
        )
        for row in (*found.inner, *found.outer)
    ]
    header = ("side", "each grip", "region", "area [m^2]", "has the centre of mass", "time")
    note = "Every region is exact for its grips; every inner one lies in every outer one."
    return Table("Fig. 16: support regions", header, rows, note)
