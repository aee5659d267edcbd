"""The three failures of the slip study (Fig. 13): what the model was not told of the contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...statics.paths import Onset
from ..devices import Device, TwoFingerDimensions, two_finger_gripper
from .slip_truth import STEP, TOLERANCE, SlipEvent, caught_on_edge, nominal, true_onset, without


@dataclass(frozen=True, eq=False)
class Failure:
    """One failure: what the model assumed, what was true, and the onset once the model is put right.

    Attributes:
        name: which of the paper's failures it is like.
        event: condition the model assumed, object and direction.
        told: what the model was not told.
        predicted: onset of the wrong model.
        true: onset of the truth.
        mended: onset of the model that is put right; the truth again where that is all there is to know.
    """

    name: str
    event: SlipEvent
    told: str
    predicted: Onset
    true: Onset
    mended: Onset


def failures(*, step: float = STEP, tolerance: float = TOLERANCE) -> tuple[Failure, ...]:
    """The three failures, without scatter, so that the contacts alone make the difference.

    1. Predicted early: the left distal phalanx has caught the tip of the object besides. A contact more can only
       postpone the slip, so that a model without it is early or right, never late.
    2. Not predicted: the phalanx has caught the tip, but its spines are off the surface; the model counts them.
    3. Not predicted: the left proximal unit is counted though it does not engage. It and the others oppose each other
       and hold on for ever; without it the slip is predicted.
    """

    def onset(device: Device, event: SlipEvent) -> Onset:
        return true_onset(nominal(device), event.towards, step=step, tolerance=tolerance)

    results = []
    early = SlipEvent("PD", "MD", 0.150, np.pi)
    caught = caught_on_edge(early.device(), TwoFingerDimensions(radius=early.radius))
    true = onset(caught, early)
    results.append(Failure("1, early", early, "left D has caught the tip", onset(early.device(), early), true, true))
    missed = SlipEvent("PD", "PMD", 0.150, 0.0)
    lifted = caught_on_edge(without(missed.device(), "left D"), TwoFingerDimensions(radius=missed.radius))
    true = onset(lifted, missed)
    results.append(
        Failure(
            "2, missed", missed, "left D is on the tip, its spines are off", onset(missed.device(), missed), true, true
        )
    )
    wrong = SlipEvent("PMD", "PMD", 0.150, np.pi)
    right = SlipEvent("MD", "PMD", wrong.radius, wrong.azimuth)
    true = onset(right.device(), right)
    dimensions = TwoFingerDimensions(radius=wrong.radius)
    excluded = without(two_finger_gripper("PMD", "PMD", dimensions=dimensions), "left P")
    results.append(
        Failure(
            "3, missed", wrong, "left P does not engage", onset(wrong.device(), wrong), true, onset(excluded, wrong)
        )
    )
    return tuple(results)
