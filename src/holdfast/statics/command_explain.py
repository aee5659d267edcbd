"""What `--explain` prints: the sentences of a diagnosis, and what they rest on as tables or as data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..console.output import bound, number, say, table

if TYPE_CHECKING:
    from .diagnosis import ContactState, Diagnosis, JointState, Motion

#: Rows of a table; the rest is counted.
MOST_ROWS = 12


def explanation(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis as data: sentences, contacts, joints, prices, gains, motions."""
    limit = diagnosis.limit
    interval = None if limit is None or limit.problem.is_star_shaped else limit.scale_interval
    if interval is not None and diagnosis.is_least:
        interval = (-interval[1], -interval[0])
    return {
        "sentences": diagnosis.sentences,
        "factor": diagnosis.factor,
        "is_least": diagnosis.is_least,
        "scale_interval": interval,
        "prices_unique": diagnosis.prices_unique,
        "from_contacts": diagnosis.from_contacts,
        "from_joints": diagnosis.from_joints,
        "contacts": [_contact(state) for state in diagnosis.contacts],
        "joints": [_joint(state) for state in diagnosis.joints],
        "gains": [
            {"of": g.state.label, "side": g.side, "step": g.step, "unit": getattr(g.state, "unit", "%"), "gain": g.gain}
            for g in diagnosis.gains
        ],
        "motion": _motion(diagnosis.motion),
        "separating_motion": _motion(diagnosis.separation),
    }


def _contact(state: ContactState) -> dict[str, Any]:
    return {
        "name": state.name or str(state.index),
        "local_force": state.force,
        "piece": state.piece,
        "utilisation": state.utilisation,
        "at_limit": state.at_limit,
        "binding": state.binding,
        "at_piece_limit": state.at_piece_limit,
        "idle": state.idle,
        "price_per_percent": state.price,
    }


def _joint(state: JointState) -> dict[str, Any]:
    return {
        "name": state.name or str(state.index),
        "value": state.value,
        "lower": state.lower,
        "upper": state.upper,
        "unit": state.unit,
        "at_lower": state.at_lower,
        "at_upper": state.at_upper,
        "price_lower": state.price_lower,
        "price_upper": state.price_upper,
    }


def _motion(motion: Motion | None) -> dict[str, Any] | None:
    if motion is None:
        return None
    return {"words": motion.words, "velocity": motion.velocity, "angular_velocity": motion.angular}


def show_explanation(diagnosis: Diagnosis) -> None:
    """Print the sentences, and the contacts and joint rows at their limit with their prices."""
    for sentence in diagnosis.sentences:
        say(f"- {sentence}")
    say()
    if not diagnosis.has_prices:
        return
    _show_contacts(diagnosis)
    _show_joints(diagnosis)
    if not diagnosis.prices_unique and (diagnosis.limiting or diagnosis.joints_at_limit):
        say("gains are upper bounds here: more than one set of prices fits this limit")


def _show_contacts(diagnosis: Diagnosis) -> None:
    from .diagnosis.words import action

    rows = [
        (c.name or str(c.index), action(c), f"{100.0 * c.utilisation:.0f}", number(_percent(diagnosis, c.price), 3))
        for c in diagnosis.limiting
    ]
    if rows:
        price = f"gain for 1 % strength [{'loads' if diagnosis.factor == 0.0 else '%'}]"
        table(["contact", "bears", "use [%]", price], rows[:MOST_ROWS], title="Contacts at their limit")
        _rest(rows)


def _show_joints(diagnosis: Diagnosis) -> None:
    rows = [
        (
            f"{j.name or j.index} [{j.unit}]",
            bound(j.lower),
            number(j.value),
            bound(j.upper),
            number(j.price_lower, 3),
            number(j.price_upper, 3),
        )
        for j in diagnosis.joints_at_limit
    ]
    if rows:
        gains = ["gain a unit lower [loads]", "gain a unit higher [loads]"]
        columns = ["joint row", "least", "value", "largest", *gains]
        table(columns, rows[:MOST_ROWS], title="Joint rows at a bound")
        _rest(rows)


def _rest(rows: Sequence[Any]) -> None:
    if len(rows) > MOST_ROWS:
        say(f"and {len(rows) - MOST_ROWS} more")


def _percent(diagnosis: Diagnosis, price: float) -> float:
    """A price as percent of the limit; in loads where the limit is zero."""
    factor = abs(diagnosis.factor)
    return price if factor == 0.0 or math.isnan(price) else 100.0 * price / factor
