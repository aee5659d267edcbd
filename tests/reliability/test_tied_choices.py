"""Slopes over tied choices of pieces: against every choice listed and solved on its own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability import tied_choices
from holdfast.reliability.derivatives import TIGHT_GAP, Optimum, TiedChoices, sensitivity
from holdfast.reliability.parameters import parameters_of, rate_of
from holdfast.statics.diagnosis.prices import FixedPieces


def mirrored(seed: int, k: int) -> tuple[hf.Assembly, np.ndarray]:
    """k contacts, each a random piece and its mirror image in y; all in the plane of the load, so that choices tie."""
    rng = np.random.default_rng(seed)
    contacts = []
    for x in np.linspace(-0.1, 0.1, k):
        piece = np.vstack([np.zeros(3), rng.normal(size=(5, 3)) + [0.5, 0.6, 0.3]])
        volume = hf.ForceVolume([piece, piece * [1.0, -1.0, 1.0]])
        angle = rng.uniform(-0.4, 0.4)
        turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
        contacts.append(hf.Contact([x, 0.0, 0.05 * rng.normal()], turn, volume))
    return hf.Assembly(contacts), np.array([-1.0, 0, -0.4, 0, 0.01, 0])


def listed(limit: hf.LoadLimit) -> tuple[np.ndarray, np.ndarray, int]:
    """Least left and largest right slope over all choices that attain the limit, and how many do."""
    parameters = parameters_of(limit.assembly, limit.direction)
    rates = [rate_of(limit.assembly, limit.problem, limit.direction, p) for p in parameters]
    left, right, tied = np.full(len(rates), np.inf), np.full(len(rates), -np.inf), 0
    for choice in itertools.product(*(range(len(c.volume)) for c in limit.assembly.contacts)):
        found = Optimum.of(FixedPieces(limit.problem, np.array(choice)))
        if found is not None and found.factor >= limit.value * (1 - 1e-8):
            low, high = found.slopes(rates)
            left, right, tied = np.fmin(left, low), np.fmax(right, high), tied + 1
    return left, right, tied


@pytest.mark.parametrize(("seed", "k"), [(0, 3), (1, 3), (2, 4), (3, 4)])
def test_slopes_are_those_of_all_choices_listed(seed: int, k: int) -> None:
    assembly, load = mirrored(seed, k)
    limit = hf.load_limit(assembly, load, method=hf.Exact(gap=TIGHT_GAP))
    rates = [rate_of(assembly, limit.problem, limit.direction, p) for p in parameters_of(assembly, limit.direction)]
    search = TiedChoices(limit, rates)
    left, right, proven = search.slopes()
    low, high, tied = listed(limit)
    assert tied > 1
    assert proven.all()
    slack = 1e-5 * np.maximum(search.sizes, 1e-9)
    finite = np.isfinite(low) & np.isfinite(high)
    assert (np.abs(left - low)[finite] <= slack[finite]).all()
    assert (np.abs(right - high)[finite] <= slack[finite]).all()
    assert (np.isfinite(left) == np.isfinite(low)).all()
    assert (np.isfinite(right) == np.isfinite(high)).all()


def test_what_is_not_compared_is_not_proven_and_no_steeper(monkeypatch: pytest.MonkeyPatch) -> None:
    assembly, load = mirrored(2, 4)
    whole = sensitivity(assembly, load)
    monkeypatch.setattr(tied_choices, "MOST_BOXES", 0)
    part = sensitivity(assembly, load)
    assert not any(d.proven for d in part.derivatives)
    assert not any(d.smooth for d in part.derivatives)
    for short, full in zip(part.derivatives, whole.derivatives, strict=True):
        slack = 1e-6 * (1.0 + abs(full.right)) if np.isfinite(full.right) else 0.0
        assert short.right <= full.right + slack
        assert short.left >= full.left - (1e-6 * (1.0 + abs(full.left)) if np.isfinite(full.left) else 0.0)
