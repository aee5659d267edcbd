"""Load sharing as text: verdict, first failure and peak, events with the names of units, possible improvements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tolerances
from ..assembly import suspension_of
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..reliability.scatter import units_of
from ..statics import LoadLimit
from . import kernels
from .sequences import LoadSharing, SharingEvent, SharingStatus, load_sharing

if TYPE_CHECKING:
    from .design import StiffnessSensitivity

#: Names of the stages before the load.
STAGE_NAMES = {"preload": "preload", "base": "base load"}

#: Factors with a smaller relative difference are equal.
SAME = 1e-6

#: A peak within this fraction of the load limit counts as reaching it.
WHOLE = 1e-3


def missing_stiffness(assembly: Assembly) -> InputError | None:
    """An error for the first contact without a known stiffness; None where all have one."""
    for index, contact in enumerate(assembly.contacts):
        if suspension_of(contact) is None:
            fix = "give a suspension in the scene file, or holdfast share --stiffness NORMAL,TANGENTIAL"
            return InputError(f"contact {contact.name or index} has none", where="stiffness", fix=fix)
    return None


def sharing_or_reason(
    assembly: Assembly, load: Array, base: Array | None = None, *, limit: LoadLimit | None = None
) -> LoadSharing | str:
    """How the contacts of a scene share a load by their own stiffness; the reason as text where that is not possible.

    `base` acts before the load. `limit` is the load limit of the same load without a base, if it is already known.
    """
    unknown = missing_stiffness(assembly)
    if unknown is not None:
        return str(unknown)
    try:
        result = load_sharing(assembly, load, base=base)
    except InputError as error:
        return str(error)
    if limit is not None:
        vars(result)["limit"] = limit  # fills the cached property
    return result


def verdict(result: LoadSharing) -> str:
    """Whether the path reaches the load itself (factor 1), or the factor `until`: holds, does not hold, undecided.

    A path that could not be followed to its end is undecided unless it reached the load. So is a question with several
    paths of which some reach the load and others do not.
    """
    wanted = min(1.0, result.until) - tolerances.GAP
    holds = result.peak >= wanted
    if any((path.peak >= wanted) != holds for path in result.other_paths):
        return "undecided"
    if holds:
        return "holds"
    return "undecided" if result.status is SharingStatus.UNDECIDED else "does not hold"


def verdict_line(result: LoadSharing) -> str:
    """The verdict and how the path ends: "holds; it collapses at 1.7 times the load"."""
    ends = {
        SharingStatus.COLLAPSES: f"; it collapses at {_factor(result.peak)} times the load",
        SharingStatus.UNLIMITED: ", without a limit",
        SharingStatus.HOLDS_THROUGHOUT: f" up to {result.until:.4g} times the load, the requested end",
        SharingStatus.FAILS_AT_BASE: f"; it {_lost(result)}",
        SharingStatus.UNSTABLE: f"; contacts slip suddenly at {_factor(result.peak)} times the load",
        SharingStatus.UNDECIDED: f"; the path could not be followed beyond {_reached(result)}",
    }
    return verdict(result) + ends[result.status] + _otherwise(result)


def _otherwise(result: LoadSharing) -> str:
    """That the path is not the only one, and the least that another reaches; "" where no other was found."""
    if result.unique:
        return ""
    least = min(result.other_paths, key=lambda path: (path.peak, path.first_failure))
    reached = f"first failure {_factor(least.first_failure)}, peak {_factor(least.peak)}"
    return f"; not unique: the model also allows another path ({reached})"


def bracket_line(result: LoadSharing) -> str:
    """First failure, peak and load limit in one line, with words where there is no number or more than one."""
    return _bracket(result) + _otherwise(result)


def _bracket(result: LoadSharing) -> str:
    if result.status is SharingStatus.UNDECIDED:
        return f"not followed beyond {_reached(result)}; load limit {_factor(result.limit.value)}"
    if result.status is SharingStatus.FAILS_AT_BASE:
        return f"{_lost(result)}; load limit {_factor(result.limit.value)}"
    if result.status is SharingStatus.UNLIMITED:
        first = result.first_failure
        return "no failure and no limit" if np.isinf(first) else f"first failure {_factor(first)}, no limit"
    if result.status is SharingStatus.HOLDS_THROUGHOUT:
        first = "no failure" if np.isinf(result.first_failure) else f"first failure {_factor(result.first_failure)}"
        return f"{first} up to {result.until:.4g}, the requested end; load limit {_factor(result.limit.value)}"
    first = "no failure," if np.isinf(result.first_failure) else f"first failure {result.first_failure:.4g} <="
    limit = result.limit.value
    if np.isinf(limit):
        return f"{first} peak {result.peak:.4g}, no load limit"
    relation = "<=" if result.peak <= limit * (1.0 + tolerances.GAP) else ">"
    return f"{first} peak {result.peak:.4g} {relation} load limit {limit:.4g}"


def _factor(value: float) -> str:
    return "none" if value == -np.inf else "no limit" if np.isinf(value) else f"{value:.4g}"


def _reached(result: LoadSharing) -> str:
    """The last load or stage that a path reached."""
    return f"{result.peak:.4g} times the load" if np.isfinite(result.peak) else f"the {STAGE_NAMES[_early(result)]}"


def _lost(result: LoadSharing) -> str:
    return f"lets go under the {STAGE_NAMES[_early(result)]}, before the load grows"


def _early(result: LoadSharing) -> str:
    """The stage in which a path ends that does not reach the load."""
    return result.stage_name(kernels.BASE)


def efficiency_line(result: LoadSharing) -> str:
    """How much of the load limit is reached; "" where there is no such fraction, or the path is not complete."""
    share = result.efficiency
    if np.isnan(share) or result.status in (SharingStatus.HOLDS_THROUGHOUT, SharingStatus.UNDECIDED):
        return ""
    if share >= 1.0 - WHOLE:
        return "the whole load limit is reached: no stiffness can raise the peak"
    return f"{100.0 * share:.3g} % of the load limit is reached"


def short_line(result: LoadSharing) -> str:
    """First failure, peak, fraction of the load limit, and what fails first, in one line."""
    parts = [bracket_line(result)]
    if not np.isnan(result.efficiency):
        parts.append(f"{100.0 * result.efficiency:.3g} % of the limit")
    rows = event_rows(result, failures=True)
    if rows:
        parts.append(f"{rows[0].who} {rows[0].what} first")
    return "; ".join(parts)


def springs_line(result: LoadSharing, *, given: bool = False) -> str:
    """Stiffness and rules of the contacts, and where they come from."""
    own = [contact.suspension is not None for contact in result.assembly.contacts]
    source = "as given" if given else "by the suspensions" if all(own) else "by the models of the volumes"
    if not given and any(own) and not all(own):
        source = "by the suspensions, the others by the models of their volumes"
    normal = result.stiffness[:, 2, 2]
    tangential = 0.5 * (result.stiffness[:, 0, 0] + result.stiffness[:, 1, 1])
    rules = ", ".join(dict.fromkeys(result.rules))
    pressed = result.preload[:, 2]
    preload = f"; preload {_span(pressed)} N" if np.abs(result.preload).max() > 0.0 else ""
    return f"normal {_span(normal)} N/m, tangential {_span(tangential)} N/m, {rules}{preload}, {source}"


def _span(values: Array) -> str:
    low, high = f"{values.min():.4g}", f"{values.max():.4g}"
    return low if low == high else f"{low} to {high}"


def sharing_data(found: LoadSharing | str) -> dict[str, Any]:
    """First failure and peak as plain data, or the reason why they are unknown."""
    if isinstance(found, str):
        return {"unknown": found}
    numbers = {"first_failure": found.first_failure, "peak": found.peak, "efficiency": found.efficiency}
    return {"status": found.status.value, **numbers, "bracket": bracket_line(found)}


def sharing_line(found: LoadSharing | str) -> str:
    """One line for an explanation: first failure, peak and what fails first, or why they are unknown."""
    if isinstance(found, str):
        return f"load sharing: not known; {found}"
    return f"load sharing: {short_line(found)}"


# -- events -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EventRow:
    """Events of one kind at one load.

    Attributes:
        when: "at 1.7", "under the preload".
        factor: load factor; 0 before the load.
        what: "fails", "slips", ... singular or plural as `who`.
        who: names of contacts, of units of which all points have the event, or of joints.
        cascade: whether they follow another failure at the same load.
    """

    when: str
    factor: float
    what: str
    who: str
    cascade: bool


_PLURALS = {
    "fails": "fail",
    "slips": "slip",
    "yields": "yield",
    "opens": "open",
    "closes": "close",
    "disengages": "disengage",
    "sticks": "stick",
    "joint slips": "slip",
    "joint holds": "hold",
}


def event_rows(result: LoadSharing, *, failures: bool = False, longest: int = 60) -> list[EventRow]:
    """The events in order; events of one kind at one load share a row. With `failures` only failures.

    A list of names longer than `longest` characters is cut off, and the remaining names are counted.
    """
    groups: dict[tuple[Any, ...], list[SharingEvent]] = {}
    for event in result.failures if failures else result.events:
        key = (event.stage, f"{event.share:.9g}", event.cascade, event.kind, event.contact is None)
        groups.setdefault(key, []).append(event)
    rows = []
    for events in groups.values():
        first = events[0]
        if first.contact is None:
            names = list(dict.fromkeys(f"joint {event.name}" for event in events))
        else:
            names = names_of(result.assembly, [event.contact for event in events if event.contact is not None])
        what = first.kind.removeprefix("joint ") if len(names) == 1 else _PLURALS[first.kind]
        rows.append(EventRow(when(result, first), first.factor, what, joined(names, longest), first.cascade))
    return rows


def when(result: LoadSharing, event: SharingEvent) -> str:
    """The load at which an event happens: "at 1.7", "under the preload"."""
    if event.stage == "load":
        return f"at {event.factor:.4g}"
    return f"under the {STAGE_NAMES[event.stage]}"


def names_of(assembly: Assembly, contacts: Iterable[int]) -> list[str]:
    """Names of contacts, or of their unit where all of its points are among them."""
    units = units_of(assembly)
    chosen = list(contacts)
    missing = set(range(len(assembly))) - set(chosen)
    whole = set(units) - {units[i] for i in missing}
    names = (units[i] if units[i] in whole else assembly.contacts[i].name or f"contact {i}" for i in chosen)
    return list(dict.fromkeys(names))


def joined(names: Sequence[str], longest: int = 60) -> str:
    """Names in a list up to `longest` characters, and the number of the others."""
    kept = 1
    while kept < len(names) and len(", ".join(names[: kept + 1])) <= longest:
        kept += 1
    more = f" and {len(names) - kept} more" if kept < len(names) else ""
    return ", ".join(names[:kept]) + more


# -- what would help --------------------------------------------------------------------------------


def sensitivity_or_none(result: LoadSharing) -> StiffnessSensitivity | None:
    """Derivatives of the first failure; None where no contact fails under the load, or no stiffness can help."""
    from .design import stiffness_sensitivity

    if not np.isfinite(result.peak) or np.isnan(result.efficiency) or result.efficiency >= 1.0 - WHOLE:
        return None
    try:
        return stiffness_sensitivity(result)
    except InputError:
        return None


def advice(result: LoadSharing, sensitivity: StiffnessSensitivity | None) -> list[str]:
    """What would raise the peak, in sentences: the best change of one unit's stiffness, computed again."""
    if sensitivity is None:
        return []
    best = sensitivity.best
    if best is None or best.gain <= SAME * result.peak:
        by = 100.0 * (max((max(c.factor, 1.0 / c.factor) for c in sensitivity.changes), default=1.0) - 1.0)
        return [f"No change of one unit's stiffness by {by:.0f} % that was tried raises the peak."]
    way = "stiffer" if best.factor > 1.0 else "softer"
    change = f"{best.unit} {way} along its {_DIRECTIONS[best.direction]} ({best.factor:.3g} times its stiffness)"
    said = f"{change} raises the peak from {result.peak:.4g} to {best.peak:.4g}"
    if best.first_failure > result.first_failure * (1.0 + SAME):
        said += f", the first failure from {result.first_failure:.4g} to {best.first_failure:.4g}"
    return [f"Of the single changes tried, this helps most: {said}."]


_DIRECTIONS = {"normal": "normal", "tangential": "surface"}
