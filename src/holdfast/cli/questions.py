"""What a command asks of a scene: the external wrench, from options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InputError
from .options import vector

if TYPE_CHECKING:
    from ..checks import Array
    from ..scene import Scene


@dataclass(frozen=True, eq=False)
class Question:
    """A scene under its gravity, and the wrench (6,) on its object; `words` tell what it consists of."""

    scene: Scene
    wrench: Array
    words: str


def ask(scene: Scene, *, loads: Sequence[str], gravity: str | None, wrench: str | None, weight: bool) -> Question:
    """The question that the options of `check` pose.

    The object's weight always acts, under the scene's gravity or the one given, unless it is left out; named loads
    come on top. A wrench given by its numbers is the whole load.
    """
    import numpy as np

    if gravity is not None:
        scene = scene.with_gravity(vector("--gravity", gravity, 3))
    if wrench is not None:
        if loads:
            raise InputError(
                "is given with --load", where="--wrench", fix="--wrench is the whole load: give one of the two"
            )
        return Question(scene, vector("--wrench", wrench, 6), "the wrench given")
    parts, words = [scene.load(name) for name in loads], list(loads)
    if weight and (scene.mass is not None or not loads):
        parts.insert(0, scene.gravity_load())
        words.insert(0, "weight")
    if not parts:
        raise InputError("nothing is left to ask about", where="--no-weight", fix="give --load NAME or --wrench")
    return Question(scene, np.sum(parts, axis=0), " + ".join(words))
