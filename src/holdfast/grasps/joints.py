"""Finger joints: from the extension of a fingertip to the angles of its links, and back.

In the vertical plane of a finger's ray, x runs out along the ray from the pivot's axis and z from the hand's base
towards the object. With q the angle of the first joint, p = q + proximal_offset and
b = p + coupling q + distal_offset the angles of the links, the pad of the fingertip is at

    x = knuckle + proximal cos p + distal cos b - tip_offset sin b,
    z = base_height + proximal sin p + distal sin b + tip_offset cos b.

A finger closes as q grows; the extension e is x. The inverse takes the stretch on which x falls from its largest to
its smallest value, on which it is unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray
from ..errors import InputError
from .hands import Linkage

if TYPE_CHECKING:
    from .hands import Hand

#: Joint angles at which a linkage is looked at before its inverse is refined.
SAMPLES = 513

#: Halvings that bring a joint angle from a sample's width below the resolution of float64.
HALVINGS = 52


@dataclass(frozen=True, eq=False)
class FingerJoints:
    """Joints of fingers at given extensions; arrays of the shape of the extensions.

    Attributes:
        proximal: angle of the first joint [rad]; NaN where the fingertip does not get, and for a sliding fingertip.
        distal: angle of the second joint, as the coupling turns it [rad]; NaN alike.
        height: of the fingertip above the hand's base, towards the object [mm]; NaN where it does not get.
        reached: whether the finger's joints take the fingertip there.
    """

    proximal: Array
    distal: Array
    height: Array
    reached: BoolArray


def fingertip(proximal: ArrayLike, linkage: Linkage) -> tuple[Array, Array]:
    """Extension x and height z [mm] of the fingertip's pad at the first joint's angle [rad] (forward kinematics)."""
    angle = np.asarray(proximal, dtype=np.float64)
    first = angle + linkage.proximal_offset
    second = first + linkage.coupling * angle + linkage.distal_offset
    along, across = np.cos(second), np.sin(second)
    extension = (
        linkage.knuckle + linkage.proximal * np.cos(first) + linkage.distal * along - linkage.tip_offset * across
    )
    height = (
        linkage.base_height + linkage.proximal * np.sin(first) + linkage.distal * across + linkage.tip_offset * along
    )
    return extension, height


def _closing(linkage: Linkage) -> tuple[Array, Array]:
    """Samples (angle, extension) of the stretch on which the finger closes, extension strictly falling."""
    angles = np.linspace(linkage.proximal_low, linkage.proximal_high, SAMPLES)
    extension = fingertip(angles, linkage)[0]
    start = int(np.argmax(extension))
    rising = np.flatnonzero(np.diff(extension[start:]) >= 0.0)
    stop = start + int(rising[0]) + 1 if rising.size else SAMPLES
    return angles[start:stop], extension[start:stop]


def reach(hand: Hand) -> tuple[float, float]:
    """Smallest and largest extension [mm] that the finger's joints allow; a slide goes from 0 to any."""
    if not isinstance(hand.kinematics, Linkage):
        return 0.0, np.inf
    _, extension = _closing(hand.kinematics)
    return float(extension[-1]), float(extension[0])


def finger_joints(extensions: ArrayLike, hand: Hand) -> FingerJoints:
    """Joint angles and heights of fingertips at the extensions [mm] of any shape (inverse kinematics).

    All fingers of a hand are alike: equal extensions have equal angles and heights.
    """
    try:
        wanted = np.asarray(extensions, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"not an array of numbers: {error}", where="extensions", fix="give lengths in mm") from None
    none = np.full(wanted.shape, np.nan)
    if not isinstance(hand.kinematics, Linkage):
        reached = (wanted >= 0.0) & (wanted <= hand.longest_extension)
        return FingerJoints(none, none.copy(), np.where(reached, hand.kinematics.height, np.nan), reached)
    angles, samples = _closing(hand.kinematics)
    reached = (wanted <= samples[0]) & (wanted >= samples[-1])
    target = np.where(reached, wanted, samples[0])
    right = np.clip(samples.size - np.searchsorted(samples[::-1], target, side="left"), 1, samples.size - 1)
    low, high = angles[right - 1], angles[right]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        open_ = fingertip(middle, hand.kinematics)[0] > target
        low, high = np.where(open_, middle, low), np.where(open_, high, middle)
    # The end of the bracket that lies nearer is taken, which is exact at both limits of the joint.
    misses = [np.abs(fingertip(angle, hand.kinematics)[0] - target) for angle in (low, high)]
    angle = np.where(misses[1] < misses[0], high, low)
    height = fingertip(angle, hand.kinematics)[1]
    turned = hand.kinematics.coupling * angle
    return FingerJoints(
        np.where(reached, angle, none), np.where(reached, turned, none), np.where(reached, height, none), reached
    )


def fingertip_drop(extensions: ArrayLike, hand: Hand) -> Array:
    """How far the fingertips stand out from the first joints' plane, towards the object [mm]; NaN without links."""
    if not isinstance(hand.kinematics, Linkage):
        return np.full(np.shape(extensions), np.nan)
    return finger_joints(extensions, hand).height - hand.kinematics.base_height
