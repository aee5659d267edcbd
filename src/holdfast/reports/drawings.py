"""Pictures of a report, as addresses that carry their own data."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .. import plotting

if TYPE_CHECKING:
    from ..reliability.derivatives import Tornado
    from ..reliability.probabilities import LimitSamples
    from .contents import LoadAnswer, ReportContents, SliceAnswer

#: Dots an inch of drawings in space, which are kept as pixels: as lines, their many facets would make a heavy page.
DOTS = 110.0

#: Bars of a picture; the table has as many.
MOST_BARS = 15

_KINDS = {".png": "image/png", ".svg": "image/svg+xml"}


def address(figure_or_ax: Any, suffix: Literal[".png", ".svg"] = ".png") -> str:
    """A drawing of `holdfast.plotting` as a data address: the whole file within, nothing to fetch."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"drawing{suffix}"
        plotting.save(figure_or_ax, path, dpi=DOTS)
        return f"data:{_KINDS[suffix]};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def scene(contents: ReportContents) -> str:
    """Contacts, units and object, without forces."""
    return address(plotting.assembly(contents.scene))


def answer(contents: ReportContents, load: LoadAnswer) -> str:
    """The scene with the forces of an answer, or the motion of its certificate."""
    return address(plotting.assembly(contents.scene, result=load.equilibrium))


def use(load: LoadAnswer) -> str:
    """How much of its strength each contact uses."""
    return address(plotting.utilisation(load.diagnosis), ".svg")


def wrench_slice(found: SliceAnswer) -> str:
    """The limit surface of a slice."""
    return address(plotting.wrench_space(found.space))


def specimens(limits: LimitSamples) -> str:
    """Load limits of the specimens drawn."""
    return address(plotting.limit_histogram(limits), ".svg")


def bars(found: Tornado) -> str:
    """What a load limit depends on."""
    return address(plotting.tornado(found, most=MOST_BARS), ".svg")
