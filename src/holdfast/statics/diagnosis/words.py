"""The sentences of a diagnosis: the verdict, then what limits it, the most important first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ... import tolerances
from ...solvers import Status
from ..equilibrium import Equilibrium, LoadLimit
from ..moving.factors import FactorStatus
from .gains import Gain
from .states import ContactState, JointState

if TYPE_CHECKING:
    from .diagnosis import Diagnosis

#: A part of a force below this share of it is not worth a word.
SMALL_PART = 0.02

#: Names that are spelled out before the rest is counted.
MOST_NAMES = 2


def sentences(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What limits the load, in words."""
    return (
        verdict(diagnosis),
        *_separated(diagnosis),
        *_counted(diagnosis),
        *_bottlenecks(diagnosis),
        *_gives_way(diagnosis),
    )


def amount(value: float, digits: int = 3) -> str:
    """A number with a few significant digits, without an exponent where that is short enough."""
    if not np.isfinite(value) or value == 0.0 or not 1e-4 <= abs(value) < 1e7:
        return f"{value + 0.0:.{digits}g}"
    return np.format_float_positional(value, precision=digits, unique=False, fractional=False, trim="-")


def verdict(diagnosis: Diagnosis) -> str:
    """Whether it holds, and how many times the load."""
    result, limit = diagnosis.result, diagnosis.limit
    if isinstance(result, Equilibrium) and not result.wrench.any():
        return {
            Status.HOLDS: "It holds; there is no load.",
            Status.DOES_NOT_HOLD: "It does not hold, even without a load.",
        }.get(result.status, "It is undecided whether it holds without a load.")
    opening = ""
    if isinstance(result, Equilibrium) and not result.holds:
        opening = "It does not hold" if result.status is Status.DOES_NOT_HOLD else "It is undecided whether it holds"
    if limit is None:
        return f"{opening}, though smaller and larger multiples of this load do: no pieces fit in between."
    if diagnosis.is_least:
        reach = "" if limit.scale_interval[0] == -np.inf else f" to {amount(-limit.scale_interval[0], 4)}"
        return f"{opening}: this load is too small; from {amount(diagnosis.factor, 4)}{reach} times this load it holds."
    if limit.status is Status.DOES_NOT_HOLD:
        return f"{opening}, and no multiple of this load does." if opening else "It holds no multiple of this load."
    held = _held(diagnosis, limit)
    return f"{opening}: it bears {held}." if opening else f"It holds {held}."


def _held(diagnosis: Diagnosis, limit: LoadLimit) -> str:
    """The multiples of the load that hold, after "it holds"."""
    if np.isnan(diagnosis.factor):
        bound = "an unknown part of" if limit.upper_bound == np.inf else f"at most {amount(limit.upper_bound, 4)} times"
        return f"{bound} this load; no multiple was found that holds"
    least = -np.inf if limit.problem.is_star_shaped else limit.scale_interval[0]
    if limit.status is Status.UNBOUNDED:
        return (
            f"any multiple of this load from {amount(least, 4)} times on"
            if least > 0.0
            else "any multiple of this load"
        )
    factor = diagnosis.factor
    largest = amount(factor, 4)
    if limit.upper_bound - factor > tolerances.GAP * max(1.0, abs(factor)):
        unknown = limit.upper_bound == np.inf
        largest = f"at least {largest}" if unknown else f"at least {largest} and at most {amount(limit.upper_bound, 4)}"
    elif abs(factor) <= tolerances.GAP and least <= 0.0:
        return "nothing of this load"
    if least > 0.0 or (factor < 0.0 and np.isfinite(least)):
        return f"from {amount(least, 4)} to {largest} times this load"
    return f"{largest} times this load and less" if factor < 0.0 else f"{largest} times this load"


def _separated(diagnosis: Diagnosis) -> list[str]:
    """What the certificate says."""
    certificate = diagnosis.result.certificate
    if diagnosis.separation is None or certificate is None:
        return []
    parts = len(certificate.leaves)
    cases = "" if parts == 1 else f" (the nearest of {parts} cases of pieces)"
    way, result = diagnosis.separation.words, diagnosis.result
    if isinstance(result, LoadLimit):
        text = f"No multiple of the load brings contacts and joints into balance: the object {way}"
    elif not result.wrench.any():
        text = f"Without any load contacts and joints are out of balance already: the object {way}"
    elif diagnosis.separation.work(result.wrench) > 0.0:
        text = f"When the object {way}, the load does more work than contacts and joints can take up"
    else:
        text = f"When the object {way}, contacts and joints do more work than this load can take up"
    if diagnosis.separation_joints:
        text += f"; the bounds of {_listed(diagnosis.separation_joints)} count"
    return [f"{text}{cases}."]


def _counted(diagnosis: Diagnosis) -> list[str]:
    """How many contacts and joint rows are at their limit, and what the limit is made of."""
    # Prices that are not unique may have left some of the binding contacts unmarked.
    sure = diagnosis.prices_unique or len(diagnosis.limiting) == len(diagnosis.at_limit)
    loaded = len(diagnosis.limiting) or (0 if sure else len(diagnosis.at_limit))
    least = "" if sure or not diagnosis.limiting else "at least "
    stuck = len(diagnosis.joints_at_limit)
    if not diagnosis.has_prices or loaded + stuck == 0:
        return []
    whose = "its" if loaded <= 1 else "their"
    text = f"{least}{_share_words(loaded, len(diagnosis.contacts), 'contact')} at {whose} limit"
    if diagnosis.joints:
        text += f", and {_share_words(stuck, len(diagnosis.joints), 'joint row')}"
    strength, torque = diagnosis.from_contacts, diagnosis.from_joints
    whole = strength + torque
    if diagnosis.joints and diagnosis.prices_unique and min(strength, torque) >= 0.0 and whole > 0.0:
        share = 100.0 * strength / whole
        text += f"; contact strength makes {share:.0f} % of the load limit, joint bounds {100.0 - share:.0f} %"
    return [f"{_capital(text)}."]


def _share_words(count: int, total: int, noun: str) -> str:
    """How many of some things are: "all 8 contacts are", "2 of 6 joint rows are", "no contact is"."""
    if count == total:
        return f"the only {noun} is" if total == 1 else f"{'both' if total == 2 else f'all {total}'} {noun}s are"
    return f"{count} of {total} {noun}s {'is' if count == 1 else 'are'}" if count else f"no {noun} is"


def _bottlenecks(diagnosis: Diagnosis) -> list[str]:
    """Those whose strength counts most, with what more of it brings."""
    if not diagnosis.has_prices or diagnosis.limit is None:
        return []
    found = [f"{_capital(_stands(g.state, g.side))}; {_brings(diagnosis, g)}." for g in diagnosis.gains]
    if found:
        return found
    if diagnosis.strength_is_useless:
        return [f"More strength would not help: {_scaled(diagnosis)}.", *_friction(diagnosis)]
    return ["No single contact or joint limits it alone: several would have to be stronger together."]


def _scaled(diagnosis: Diagnosis) -> str:
    """What force limits bring that are larger by any factor."""
    pieces = "" if all(len(c.volume) == 1 for c in diagnosis.assembly.contacts) else " with each contact in its piece"
    return f"with force limits scaled up, these contacts and joints bear nothing of this load either{pieces}"


def _friction(diagnosis: Diagnosis) -> list[str]:
    """What friction would have to be; nothing where that is not proven."""
    factor = diagnosis.friction
    if factor is None or not factor.is_monotone or not factor.verify():
        return []
    if factor.status is FactorStatus.NONE:
        return ["Nor would more friction, even a million times as much."] if factor.bracket[0] >= 1e6 else []
    if factor.status is not FactorStatus.FOUND or factor.value <= 1.0:
        return []
    return [f"Friction {amount(_rounded_up(factor.value))} times as high would hold this load."]


def _rounded_up(value: float, digits: int = 3) -> float:
    """The next number with so many significant digits: what is promised is not less than what was shown to do."""
    step = 10.0 ** (np.floor(np.log10(value)) - digits + 1)
    return float(np.ceil(value / step) * step)


def _stands(state: ContactState | JointState, side: str = "") -> str:
    """What a contact or joint bears at the limit."""
    if isinstance(state, JointState):
        bound = state.lower if side == "lower" else state.upper
        return f"{state.label} is at its {side} bound of {amount(bound)} {state.unit}"
    where = "its limit" if state.at_limit or not state.at_piece_limit else "the border of its piece"
    return f"{state.label} is at {where} ({100.0 * state.utilisation:.0f} %), {action(state)}"


def action(state: ContactState) -> str:
    """What the contact does to the object: pulls, presses, shears, with how many newtons."""
    shear, normal = float(np.hypot(*state.force[:2])), float(state.force[2])
    strength = float(np.linalg.norm(state.force))
    if strength == 0.0 or state.idle:
        return "without force"
    words = []
    if abs(normal) > SMALL_PART * strength:
        words.append(f"{'pressing' if normal > 0.0 else 'pulling'} {amount(abs(normal))} N")
    if shear > SMALL_PART * strength:
        words.append(f"shearing {amount(shear)} N")
    return " and ".join(words)


def _brings(diagnosis: Diagnosis, gain: Gain) -> str:
    """What one change brings."""
    if isinstance(gain.state, JointState):
        less = "lower" if gain.side == "lower" else "more"
        change = f"{amount(gain.step)} {gain.state.unit} {less} there"
    else:
        change = f"{amount(gain.step)} % more strength there"
    if gain.gain == np.inf:
        return f"{change} takes the limit away"
    if diagnosis.is_least:
        return f"{change} lets it hold from {amount(diagnosis.factor - gain.gain, 4)} times on"
    if diagnosis.factor > tolerances.GAP:
        return f"{change} adds {amount(100.0 * gain.gain / diagnosis.factor, 2)} %"
    return f"{change} adds {amount(gain.gain, 2)} of the load"


def _gives_way(diagnosis: Diagnosis) -> list[str]:
    """How the object begins to move past the limit."""
    if diagnosis.motion is None or diagnosis.separation is not None:
        return []
    return [f"One way to give way past the limit: the object {diagnosis.motion.words}."]


def _listed(names: tuple[str, ...]) -> str:
    """The first names in quotes, the others counted."""
    shown, rest = [f'"{name}"' for name in names[:MOST_NAMES]], len(names) - MOST_NAMES
    return " and ".join(shown) if rest <= 0 else f"{', '.join(shown)} and {rest} more"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
