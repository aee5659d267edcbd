"""Facts of a grip: how its set of wrenches came about, and how near the truth it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from .. import checks
from ..errors import InputError

#: Whose wrench the contact forces f of an assembly give: the body's itself, W f, or of what is gripped, so -W f.
Acting = Literal["direct", "reaction"]


@dataclass(frozen=True, kw_only=True)
class GripFacts:
    """What is known of a grip beside its wrenches; every entry may be unknown.

    Attributes:
        method: how the set came about: "given", "cones", the name of a way of learning, "" when not known.
        n: how many samples (programs solved) it took.
        seed: the seed of what was random.
        model_hash: fingerprint of the assembly it was learned from, "" when there is none.
        inner_error: largest known shortfall of the inner set, as a share of the set's size in that direction.
        outer_error: largest known excess of the outer set, alike.
        concavity: largest share by which the union of the contacts' pieces falls short of their hull along a tried
            ray; 0 for convex volumes.
        joint_limits: whether joints limited the wrenches.
        acting: how contact forces were read: "direct" (on the body) or "reaction" (on what is gripped).
        version: the release of Holdfast that made it.
    """

    method: str = ""
    n: int | None = None
    seed: int | None = None
    model_hash: str = ""
    inner_error: float | None = None
    outer_error: float | None = None
    concavity: float | None = None
    joint_limits: bool | None = None
    acting: Acting | None = None
    version: str = ""

    def __post_init__(self) -> None:
        for name in ("method", "model_hash", "version"):
            checks.instance(name, getattr(self, name), str, fix="give words, or leave it out")
        if self.n is not None:
            object.__setattr__(self, "n", checks.count("n", self.n, low=0))
        if self.seed is not None:
            object.__setattr__(self, "seed", checks.count("seed", self.seed, low=0))
        for name in ("inner_error", "outer_error", "concavity"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _share(name, value))
        if self.joint_limits is not None:
            object.__setattr__(self, "joint_limits", bool(self.joint_limits))
        if self.acting not in (None, "direct", "reaction"):
            raise InputError(f"is {self.acting!r}", where="acting", fix='give "direct", "reaction" or None')


def _share(name: str, value: Any) -> float:
    """An error of at least zero; inf says that there is no bound."""
    return math.inf if value == math.inf else checks.number(name, value, low=0.0)
