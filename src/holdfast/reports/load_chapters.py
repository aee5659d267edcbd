"""The chapters on loads: a summary, and for each load its verdict, its proof and what limits it."""

from __future__ import annotations

import math

from .. import tolerances
from ..statics.diagnosis import ContactState, Diagnosis, JointState, action, contact_forces, joint_values
from . import drawings
from .contents import LoadAnswer, ReportContents
from .markup import Markup, bullets, element, number, picture, table, together, triple, verdict

#: Rows of tables on what limits a load; the rest is counted.
MOST_ROWS = 12


def summary(contents: ReportContents) -> Markup:
    """One row a load: verdict, load factor, certainty."""
    if not contents.loads:
        return element("p", "The scene has neither a mass nor loads: only its limits all around are reported.")
    scattered = contents.scene.scatter is not None
    rows = []
    for load in contents.loads:
        row = [
            load.words,
            verdict(load.equilibrium.status.value),
            number(None if load.limit is None else load.limit.value, 6),
            number(_at_most(load), 6),
            "yes" if load.equilibrium.verify() and (load.limit is None or load.limit.verify()) else "no",
        ]
        if scattered:
            chance = load.probability
            row.append(
                "–" if chance is None else f"{chance.value:.4g} ({chance.interval[0]:.4g} to {chance.interval[1]:.4g})"
            )
        rows.append(row)
    columns = ["load", "verdict", "load factor", "at most", "proof verified", *(["probability"] if scattered else [])]
    said = "The load factor is the largest multiple of the load that is held; 1 is the border."
    return table(columns, rows, caption=said)


def _at_most(load: LoadAnswer) -> float | None:
    """The proven bound of the load factor; the factor itself where the two are the same but for their tolerance."""
    if load.limit is None:
        return None
    value, most = float(load.limit.value), float(load.limit.upper_bound)
    return value if most - value <= tolerances.GAP * max(1.0, abs(value)) else most


def load_chapter(contents: ReportContents, load: LoadAnswer) -> Markup:
    """Verdict, forces or certificate, and what limits one load."""
    answer = load.equilibrium
    wrench = f"{triple(load.wrench[:3])} N, {triple(load.wrench[3:])} N m about the origin"
    proved = f"Proof verified: {'yes' if answer.verify() else 'no'}."
    parts = [
        element("h2", f"Load: {load.words}"),
        element("p", "Verdict: ", verdict(answer.status.value), f", under {wrench}. ", proved),
    ]
    caption = _caption(load)
    drawn = picture(drawings.answer(contents, load), caption, describes=f"The scene under {load.words}: {caption}")
    use = Markup("")
    if any(not state.idle for state in load.diagnosis.contacts):
        when = "when the limit is reached" if load.diagnosis.has_prices else "in these forces"
        said = f"How much of its strength each contact uses {when}."
        use = picture(drawings.use(load), said, describes=said)
    parts += [element("div", drawn, use, class_="pair"), _proof(load), _forces(load), _why(load.diagnosis)]
    return together(*parts)


def _caption(load: LoadAnswer) -> str:
    if load.equilibrium.forces is not None:
        return "Forces on the object that hold the load; those at their limit stand out."
    return "The motion of the certificate: the load does more work in it than contacts and joints can take up."


def _proof(load: LoadAnswer) -> Markup:
    """The certificate, or the balance, in words."""
    answer = load.equilibrium
    if answer.forces is not None:
        off = f"{answer.residual:.0e}" if answer.residual >= 1e-15 else "less than 1e-15"
        words = f"The forces below balance the load (off by {off} of it), each within the convex piece named."
    elif answer.certificate is not None:
        count = len(answer.certificate.leaves)
        which = "Whatever convex piece each contact uses, there is a motion"
        if count > 1:
            which = (
                f"The certificate divides all choices of convex pieces into {count} parts; for each there is a motion"
            )
        words = (
            f"No admissible forces balance the load. {which} in which the load does more work than contacts and joints "
            "can take up."
        )
    else:
        words = "The search ended without forces and without a certificate: the question is open."
    return element("p", words)


def _forces(load: LoadAnswer) -> Markup:
    rows = [
        (
            force.name,
            *(number(float(f)) for f in force.local),
            str(force.piece),
            f"{100.0 * force.use:.3g} %",
            number(force.margin, 3),
        )
        for force in contact_forces(load.equilibrium)
    ]
    if not rows:
        return Markup("")
    columns = ["contact", "shear f_x [N]", "lateral f_y [N]", "normal f_z [N]", "piece", "use", "margin [N]"]
    said = "On the object, in the contact frames; f_z below 0 pulls. Margin: the least change beyond the limits."
    found = [element("h3", "Contact forces"), table(columns, rows, caption=said)]
    joints = [
        (row.name, number(row.lower), number(row.value), number(row.upper)) for row in joint_values(load.equilibrium)
    ]
    if joints:
        found.append(table(["joint row", "least [N m, N]", "value", "largest"], joints, caption="Joint rows."))
    return together(*found)


def _why(diagnosis: Diagnosis) -> Markup:
    """What limits the load: the sentences, and what single changes would bring."""
    parts = [element("h3", "What limits it"), bullets(diagnosis.sentences)]
    limiting = [
        (
            state.name or str(state.index),
            action(state),
            f"{100.0 * state.utilisation:.0f} %",
            _gain(diagnosis, state.price),
        )
        for state in diagnosis.limiting
    ]
    if diagnosis.has_prices and limiting:
        columns = ["contact at its limit", "bears", "use", "1 % more strength adds"]
        parts.append(table(columns, limiting[:MOST_ROWS]))
        if len(limiting) > MOST_ROWS:
            parts.append(element("p", f"and {len(limiting) - MOST_ROWS} more", class_="quiet"))
    gains = [
        (_changed(gain.state), gain.side, _step(gain.state, gain.step), number(gain.gain, 3))
        for gain in diagnosis.gains
    ]
    if gains:
        said = "Single changes, solved anew; the limit grows by so many loads."
        parts.append(table(["change of", "what", "by", "adds [loads]"], gains[:MOST_ROWS], caption=said))
    return together(*parts)


def _gain(diagnosis: Diagnosis, price: float) -> str:
    """A price as a share of the limit; in loads where the limit is zero."""
    factor = abs(diagnosis.factor)
    if factor == 0.0 or math.isnan(price):
        return f"{number(price, 3)} loads"
    return f"{number(100.0 * price / factor, 3)} %"


def _changed(state: ContactState | JointState) -> str:
    kind = "joint" if isinstance(state, JointState) else "contact"
    return f"{kind} {state.name or state.index}"


def _step(state: ContactState | JointState, step: float) -> str:
    return f"{number(step, 3)} {state.unit if isinstance(state, JointState) else '%'}"
