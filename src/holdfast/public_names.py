"""Public names: loaded when they are first used, with advice where a name or an argument does not exist.

A package offers the names of its `__init__.pyi`:

    __getattr__, __dir__, __all__ = attach(__name__, __file__)

and public functions and classes are marked, so that a wrong argument is explained:

    @with_advice(normal="rotation=holdfast.frame_from_normal(normal)")
    @dataclass(frozen=True)
    class Contact: ...
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import lazy_loader

T = TypeVar("T", bound=Callable[..., Any])


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, whose names are those of the stub beside `file`.

    A name that does not exist raises UnknownAttributeError, which states the most similar name or the package that has
    the name.
    """
    load, listed, names = lazy_loader.attach_stub(package, file)
    known, missing = frozenset(names), missing_name(package, names)

    def loaded(name: str) -> Any:
        return load(name) if name in known else missing(name)

    return loaded, listed, names


def missing_name(package: str, names: Sequence[str]) -> Callable[[str], Any]:
    """`__getattr__` of a package whose public `names` are all loaded: raises an error with advice."""

    def missing(name: str) -> Any:
        if name.startswith("_"):  # Python itself asks for such names
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from .errors import UnknownAttributeError

        raise UnknownAttributeError(package, name, names)

    return missing


def with_advice(instead: str = "", /, **hints: str) -> Callable[[T], T]:
    """Mark a public function, method or class: a call whose arguments do not fit raises an error with advice.

    ArgumentError if Python rejects the call; InputError if it fails inside and an argument is not of the annotated
    kind. A call takes 0.1 microseconds longer; arguments are examined only after it has failed.

    Args:
        instead: how to get such an object, for a class that is not called directly.
        hints: what to write instead of arguments that do not exist but may be expected.
    """

    def mark(target: T) -> T:
        plain: Callable[..., Any] = target.__init__ if isinstance(target, type) else target

        @functools.wraps(plain)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                return plain(*args, **kwargs)
            except MISTAKEN as error:
                own = args[isinstance(target, type) :]
                if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                    wrong = mistake(error, target, plain, own, kwargs)  # the error is from inside the function
                    if wrong is None:
                        raise
                    raise wrong from error
                raise refused(target, len(own), kwargs, instead, hints) from None

        if isinstance(target, type):
            target.__init__ = called  # pyright: ignore[reportAttributeAccessIssue]
            return target  # pyright: ignore[reportReturnType]
        return called  # pyright: ignore[reportReturnType]

    return mark


def refused(
    target: Callable[..., Any],
    positional: int,
    given: Collection[str],
    instead: str = "",
    hints: Mapping[str, str] | None = None,
) -> Exception:
    """The ArgumentError of a call that Python rejected: `positional` arguments, and keyword arguments `given`."""
    import inspect

    from .errors import ArgumentError, nearest

    where, parameters = target.__name__, [*inspect.signature(target).parameters.values()]
    public = [entry for entry in parameters if not entry.name.startswith("_")]
    names = [entry.name for entry in public]
    placed = [entry.name for entry in public if entry.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    needed = [entry.name for entry in public if entry.default is entry.empty]
    unknown = [name for name in given if name not in names]
    twice = [name for name in placed[:positional] if name in given]
    missing = [name for name in needed if name not in given and name not in placed[:positional]]
    advice, usage = instead, f"the arguments are {where}({', '.join(map(_shown, public))})"
    if unknown:
        what, alike = f"there is no argument {unknown[0]!r}", nearest(unknown[0], names)
        advice = (hints or {}).get(unknown[0]) or (f"did you mean {alike}?" if alike else advice)
    elif instead:
        what = "is not constructed by calling it"
    elif twice or missing:
        what = f"got {twice[0]!r} twice" if twice else f"needs {' and '.join(missing)}"
    else:
        what = f"takes at most {len(placed)} positional arguments"
    return ArgumentError(what, where=where, fix=instead or "; ".join([*([advice] if advice else []), usage]))


#: What a call may raise from inside where an argument is of another kind than its annotation.
MISTAKEN = (TypeError, AttributeError, ValueError, LookupError, ArithmeticError, MemoryError)


def mistake(
    error: Exception, target: Any, plain: Any, given: Sequence[Any], named: Mapping[str, Any]
) -> Exception | None:
    """The InputError for the first argument that is not of the annotated kind; None if all are.

    Also None for an error of Holdfast itself, which is more exact.
    """
    import inspect

    import numpy as np

    from .checks import shown
    from .errors import HoldfastError, InputError, shortened

    if isinstance(error, HoldfastError):
        return None

    class Names(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            """A name that the module imports for type checkers only: from the loaded module that has it."""
            loaded = [module for key, module in sys.modules.items() if key.partition(".")[0] == "holdfast"]
            return next((vars(module)[name] for module in loaded if name in vars(module)), Any)

    names = Names({**vars(builtins), **vars(sys.modules[plain.__module__]), "ArrayLike": np.ndarray})  # no texts
    for name, value in inspect.signature(target).bind(*given, **named).arguments.items():
        annotation = plain.__annotations__.get(name, "Any")
        try:
            kind = eval(annotation, {}, names) if isinstance(annotation, str) else annotation
            fits = _fits(value, kind)
        except TypeError:
            continue
        if not fits:
            return InputError(f"is {shortened(shown(value))}", where=name, fix=f"its type must be {annotation}")
    return None


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of an annotated kind; True where that is not known."""
    import types
    import typing

    import numpy as np

    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if getattr(origin or kind, "__module__", "").startswith("numpy"):  # arrays, and the parts of ArrayLike
        return _is_numbers(value)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in inside)
    if origin is typing.Literal:
        return isinstance(value, str) and value in inside
    if kind in (None, types.NoneType):
        return value is None
    if kind is float:
        return _is_numbers(value) and np.ndim(value) == 0 and not isinstance(value, (str, bytes))
    if kind is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and _is_numbers(value)
    if isinstance(origin, type):
        fits = isinstance(value, origin) and not isinstance(value, (str, bytes)) and getattr(value, "shape", None) != ()
        one = len(inside) == 1 or inside[1:] == (...,)
        return fits and (not one or not isinstance(value, Sequence) or all(_fits(part, inside[0]) for part in value))
    if getattr(kind, "_is_protocol", False):
        return type(value).__module__ not in ("builtins", "numpy")
    return not isinstance(kind, type) or isinstance(value, kind)


def _is_numbers(value: Any) -> bool:
    import numpy as np

    try:
        return value is not None and not np.iscomplexobj(value) and np.asarray(value, dtype=float) is not None
    except (TypeError, ValueError, OverflowError):
        return False


def _shown(entry: Any) -> str:
    """A parameter as a user writes it: "wrench", or "method=..." where it may be left out."""
    return entry.name if entry.default is entry.empty else f"{entry.name}=..."
