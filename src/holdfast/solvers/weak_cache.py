"""A cache of what was computed from polytopes, kept for as long as they exist.

Tables of one force volume take megabytes. A cache of the last few hundred results would keep volumes in memory that are
no longer used: polytopes are compared by identity, not by value.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar

from ..geometry.polytopes import Polytope

T = TypeVar("T")

#: The pieces of one shape, or of several shapes.
Pieces: TypeAlias = tuple[Polytope, ...] | tuple[tuple[Polytope, ...], ...]

_Key: TypeAlias = tuple[Any, ...]


class WeakCache(Generic[T]):
    """A function of polytopes whose results are kept until one of its polytopes is deleted.

    Of polytopes that stay, the last `most` results are kept. Threads may share it; two that ask for the same thing at
    once may both make it.

    Args:
        make: takes the pieces of a shape, or of several shapes, and numbers.
        most: results that are kept at once.
    """

    def __init__(self, make: Callable[..., T], most: int) -> None:
        self._make = make
        self._most = most
        self._known: OrderedDict[_Key, tuple[T, list[weakref.ref[Polytope]]]] = OrderedDict()
        self.__doc__ = make.__doc__

    def __len__(self) -> int:
        return len(self._known)

    def __call__(self, pieces: Pieces, *numbers: float) -> T:
        """The result for these pieces and numbers: the stored one, or a new one."""
        key = (_identity(pieces), *numbers)
        found = self._known.get(key)
        if found is None:
            result = self._make(pieces, *numbers)
            # Called when a polytope is deleted, before another one can take its place in memory.
            refs = [weakref.ref(piece, lambda _: self._known.pop(key, None)) for piece in _flat(pieces)]
            found = self._known[key] = (result, refs)
        with suppress(KeyError):  # another thread may just have dropped it
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return found[0]


def weakly_cached(most: int) -> Callable[[Callable[..., T]], WeakCache[T]]:
    """Decorates a function of polytopes: its last `most` results are kept while their polytopes exist."""
    return lambda make: WeakCache(make, most)


def _flat(pieces: Pieces) -> Iterable[Polytope]:
    """All polytopes, without their grouping."""
    for entry in pieces:
        yield from (entry,) if isinstance(entry, Polytope) else entry


def _identity(pieces: Pieces) -> tuple[Any, ...]:
    """The identities of the polytopes, grouped as given."""
    return tuple(id(entry) if isinstance(entry, Polytope) else tuple(map(id, entry)) for entry in pieces)
