"""Kernels: functions on arrays, interpreted by Python at first and compiled by numba when there is enough work.

Compiling takes 5 to 60 seconds, once; loading the stored code takes about a second in every process. An interpreted
kernel answers a single question in milliseconds. So a kernel is interpreted until as much time was spent in it as
compiling (or loading) would have taken; from then on it is compiled. Both forms come from the same source, take the
same arrays and give the same answers up to rounding. Callers with much work call `Kernel.compile` at once.

The environment variable HOLDFAST_KERNELS may be "auto" (this rule), "compiled" or "interpreted".

Each compiled function is optimised again inside every one that calls it, so the parts of a kernel are inlined into it
(`inlined`) where that keeps it small, and compiled on their own (`kernel`) where they are called from several places.
Kernels allocate nothing and count no references (`_nrt`), which halves the code. numba's cache on
disk is checked against a kernel's own file only; here it is checked against all files of the kernel's feature.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from .errors import InputError

#: The environment variable that chooses how kernels run, and its values.
VARIABLE, MODES = "HOLDFAST_KERNELS", ("auto", "compiled", "interpreted")

#: Seconds that it takes to load the stored code of a family of kernels (with numba itself), and to compile it.
LOADING_SECONDS, COMPILING_SECONDS = 1.0, 25.0
_PACKAGE = Path(__file__).parent

LOG = logging.getLogger(__name__)

#: CPU seconds spent in interpreted kernels, by family.
_spent: dict[str, float] = {}

#: Seconds spent compiling, one entry per kernel.
_compiling: list[float] = []


class _Rules:
    """What was decided for the rest of this process.

    Attributes:
        compiled: every kernel is compiled, since there is much work.
        stored: compiled kernels are read from the disk and written to it; False after the store turned out damaged.
    """

    compiled = False
    stored = True


def require_compiled() -> None:
    """Compile every kernel at its first call: for much work, or where the digits must not depend on the time spent."""
    _Rules.compiled = True


#: A context to show progress, called with the name of a family while its kernels are compiled or loaded.
announce: Callable[[str], AbstractContextManager[Any]] = nullcontext


def mode() -> str:
    """How kernels run: "auto", "compiled" or "interpreted"."""
    value = os.environ.get(VARIABLE) or MODES[0]
    if value not in MODES:
        raise InputError(f"is {value!r}", where=VARIABLE, fix=f"use one of {', '.join(MODES)}")
    return value


#: All kernels of the modules that were imported.
every: list[Kernel] = []


def clock() -> float:
    """A clock [s] for time limits: it stops while kernels are compiled."""
    return time.perf_counter() - sum(_compiling)


class Kernel:
    """A function on arrays in two forms: interpreted and compiled.

    Attributes:
        py_func: the function as written.
        options: further options of `numba.njit`.
        stores: whether the compiled form is kept on disk.
        made_of: a hash of the sources of the kernel and of all that it calls; stored forms of another are not used.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], stores: bool, made_of: str | None):
        functools.update_wrapper(self, function)
        self.py_func: Any = function
        self.options, self.stores, self._made_of = options, stores, made_of
        every.append(self)
        self._twin: Callable[..., Any] | None = None
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call one of the two forms; kernels that are only parts of others are interpreted."""
        if self._compiled is not None:
            return self._compiled(*arguments)
        return self.form(not self.has_entrance or self.is_interpreted)(*arguments)

    @property
    def has_entrance(self) -> bool:
        """Whether Python can call the compiled form."""
        return self.stores and not self.options.get("no_cpython_wrapper")

    def form(self, interpreted: bool) -> Callable[..., Any]:
        """The function in one of the two forms, for callers whose arguments depend on the form."""
        if interpreted:
            return self._interpret
        self.compile()
        return self._compiled or self._interpret

    def _interpret(self, *arguments: Any) -> Any:
        """Call the interpreted form, and add its time to `_spent`."""
        from numpy import errstate

        began = time.process_time()
        try:
            with errstate(all="ignore"):
                return self.interpreted(*arguments)
        finally:
            _spent[self.family] = _spent.get(self.family, 0.0) + time.process_time() - began

    @property
    def is_interpreted(self) -> bool:
        """Whether the next call is interpreted."""
        return self.allows(0.0)

    def allows(self, seconds: float) -> bool:
        """Whether `seconds` more of interpreted work take less time than compiling."""
        if self._compiled is not None:
            return False
        how = mode()
        if how != "auto":
            return how == "interpreted"
        return not _Rules.compiled and _spent.get(self.family, 0.0) + seconds < self._price

    def compile(self) -> None:
        """Use the compiled form from now on, unless everything is to be interpreted."""
        if self._compiled is None and self.has_entrance and mode() != "interpreted":
            self._compiled = self._first_call

    def _first_call(self, *arguments: Any) -> Any:
        """Compile or load the compiled form, and call it."""
        began = time.perf_counter()
        how = "loading" if self.is_stored else "compiling"
        LOG.debug("%s the kernel %s of %s", how, self.__name__, self.family)  # pyright: ignore[reportAttributeAccessIssue]
        with announce(self.family), _no_collection():
            try:
                answer = self.machine_code(*arguments)
            except Exception:
                if not _Rules.stored:
                    raise
                LOG.warning("the stored kernels cannot be used: all are compiled again, and not stored")
                _Rules.stored = False
                for kernel in every:
                    kernel.__dict__.pop("machine_code", None)
                answer = self.machine_code(*arguments)
        _compiling.append(time.perf_counter() - began)
        LOG.info("kernels of %s are ready after %s for %.1f s", self.family, how, _compiling[-1])
        self._compiled = self.machine_code
        return answer

    def twin(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Use `function` as the interpreted form: the same result by array operations, since Python loops are slow."""
        self._twin = function
        return function

    @cached_property
    def family(self) -> str:
        """The folder whose kernels share one account of time spent: "exact" for solvers/exact."""
        return Path(self.py_func.__code__.co_filename).parent.name

    @cached_property
    def interpreted(self) -> Callable[..., Any]:
        """The Python function, which calls the interpreted forms of the kernels that it calls."""
        return self._twin or self._linked(lambda called: called.interpreted)

    @cached_property
    def machine_code(self) -> Any:
        """numba's dispatcher, which calls the compiled forms of the kernels that this one calls."""
        import numba

        def made(stores: bool) -> Any:
            njit: Any = numba.njit  # its type annotations lack some options
            return njit(cache=stores, error_model="numpy", _nrt=False, **self.options)(function)

        function = self._linked(lambda called: called.machine_code)
        try:
            compiled = made(self.stores and _Rules.stored)
        except RuntimeError:  # there is no folder to store it in
            compiled = made(False)
        # A literal has a type of its own: each combination of literal arguments would be compiled separately.
        template = compiled.get_call_template
        compiled.get_call_template = lambda args, kws: template(tuple(map(numba.types.unliteral, args)), kws)
        file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            made_of = self._made_of or feature_sources(self.py_func.__code__.co_filename)
            file._source_stamp = (file._source_stamp, made_of)
        return compiled

    @cached_property
    def _price(self) -> float:
        """Seconds that it takes to get the compiled form."""
        return LOADING_SECONDS if self.is_stored else COMPILING_SECONDS

    @property
    def is_stored(self) -> bool:
        """Whether a compiled form lies on the disk; it may be of older sources."""
        code = self.py_func.__code__
        pattern = f"{Path(code.co_filename).stem}.{self.py_func.__name__}-*.nbi"
        folder = os.environ.get("NUMBA_CACHE_DIR")
        places = Path(folder).glob(f"*/{pattern}") if folder else _pycache(code).glob(pattern)
        return any(places)

    def _linked(self, form: Callable[[Kernel], Any]) -> FunctionType:
        """The function, with each kernel that it calls in the given form."""
        function = self.py_func
        known = function.__globals__
        called = {name: known.get(name) for name in _names(function.__code__)}
        forms = {name: form(other) for name, other in called.items() if isinstance(other, Kernel)}
        linked = FunctionType(
            function.__code__, known | forms, function.__name__, function.__defaults__, function.__closure__
        )
        linked.__qualname__ = function.__qualname__
        return linked


@contextmanager
def _no_collection() -> Iterator[None]:
    """Switch the garbage collector off.

    The compiler makes millions of objects, and checking them takes a fifth of its time. Without the collector they
    take about 200 MB.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _names(code: CodeType) -> Iterator[str]:
    """The global names of a function and of the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _pycache(code: CodeType) -> Path:
    return Path(code.co_filename).parent / "__pycache__"


def sources(folder: Path, *called: Path) -> str:
    """A hash of what the kernels of a folder are made of: its files, those they call into, the tolerances."""
    files = [*sorted(folder.rglob("*.py")), *called, _PACKAGE / "tolerances.py"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@cache
def feature_sources(file: str) -> str:
    """`sources` of the feature folder that holds a module of this package; of the file alone for any other module."""
    path = Path(file)
    if _PACKAGE not in path.parents or path.parent == _PACKAGE:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return _folder_sources(_PACKAGE / path.relative_to(_PACKAGE).parts[0])


_folder_sources = cache(sources)


def stored(sources: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """A kernel whose compiled form is stored, and used again only while its `sources` have not changed.

    Args:
        sources: a hash of what the kernel is made of; None: that of the feature folder of its own file.
        options: further options of `numba.njit`.
    """
    return lambda function: Kernel(function, {"no_cfunc_wrapper": True, **options}, True, sources)


def _part(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """A kernel that is compiled only as a part of others."""
    return lambda function: Kernel(function, options, False, None)


#: A kernel that other kernels call. Python cannot call its compiled form, since the code to unpack its arrays is large.
kernel = stored(no_cpython_wrapper=True)

#: A kernel called from Python.
entry_kernel = stored()

#: A kernel called from Python that lets other threads run (it releases the GIL).
released_kernel = stored(nogil=True)

#: A small kernel that is called very often: passing its many arrays would cost more than its own work.
small_kernel = _part(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)

#: A part of a kernel, written as a function for clarity and inlined into its callers.
inlined = _part(inline="always")

#: A short loop over many columns. Sums may be reordered, so that the processor takes several columns at a time: their
#: rounding changes in the last digit. All numbers must be finite.
vectorised = _part(no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath={"nnan", "nsz", "reassoc", "contract"})

#: Numbers that `positive_lanes` compares at once.
LANES = 8


class _Instruction(Kernel):
    """A kernel whose compiled form is made by hand from the compiler's instructions, when it is first needed."""

    @cached_property
    def machine_code(self) -> Any:
        """An intrinsic function of numba."""
        return self.py_func()


def _positive_lanes() -> Any:
    """The intrinsic function `positive_lanes`. The compiler does not find these vector instructions by itself."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def lanes(context: Any, blocks: Any, at: Any, x: Any, y: Any, z: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vector, number = ir.VectorType(ir.DoubleType(), LANES), ir.IntType(32)
            nothing, first = ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(number, LANES), [0] * LANES)
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            rows = builder.bitcast(data, vector.as_pointer())
            row = builder.mul(arguments[1], ir.Constant(arguments[1].type, 3))
            zero = total = ir.Constant(vector, [0.0] * LANES)
            for c, factor in enumerate(arguments[2:]):
                own = builder.load(builder.gep(rows, [builder.add(row, ir.Constant(row.type, c))]), align=8)
                alone = builder.insert_element(nothing, factor, ir.Constant(number, 0))
                product = builder.fmul(own, builder.shuffle_vector(alone, nothing, first), flags=("contract",))
                total = builder.fadd(total, product, flags=("contract", "nsz"))
            positive = builder.fcmp_ordered(">", total, zero)
            return builder.zext(builder.bitcast(positive, ir.IntType(LANES)), ir.IntType(64))

        return types.int64(blocks, types.int64, types.float64, types.float64, types.float64), emit

    return intrinsic(lanes)


#: positive_lanes(blocks, at, x, y, z): which of the `LANES` numbers x blocks[at, 0] + y blocks[at, 1] + z blocks[at, 2]
#: are positive, as a set of bits.
positive_lanes = _Instruction(_positive_lanes, {}, False, None)


@positive_lanes.twin
def _positive_numbers(blocks: Any, at: int, x: float, y: float, z: float) -> int:
    """`positive_lanes` by one product."""
    positive = x * blocks[at, 0] + y * blocks[at, 1] + z * blocks[at, 2] > 0.0
    return sum(1 << lane for lane in range(LANES) if positive[lane])
