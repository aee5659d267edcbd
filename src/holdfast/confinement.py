"""Work in a process of its own with limits: programs that files contain, and readers of files that are native code.

A reader in native code can end its process, and ignores signals while it runs; a program can do anything. Both run in
a child process with limited time, memory and output. The child has none of the environment variables of this process
that could contain secrets or change what is run. This is no sandbox: a program in it can still read files.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from tempfile import TemporaryFile
from typing import Any

from .errors import FileError, HoldfastError

#: Environment variables that the child keeps: Python and its libraries are not found without them on some systems.
KEPT_VARIABLES = ("SYSTEMROOT", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")

#: How much longer than its time on a processor a child may wait for one.
PATIENCE = 5.0

#: First byte of what the child writes: a result, or an error.
_RESULT, _ERROR = b"+", b"-"


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of a child process; macOS does not bound the memory, and Windows bounds only `PATIENCE` times the time.

    Attributes:
        seconds: time on a processor [s].
        memory: address space [bytes].
        output: size of the result, and of each file that it writes [bytes].
    """

    seconds: int
    memory: int
    output: int


def confined(
    function: str,
    given: Any,
    limits: ProcessLimits,
    *,
    path: str,
    what: str,
    fix: str,
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """The bytes that a function returns in a child process; its errors, and its end by a limit, raise HoldfastError.

    Args:
        function: "module:name"; it is called with `given`, and returns bytes.
        given: data of JSON.
        limits: of the process.
        path: the file named in errors.
        what: the beginning of the error if a limit ends the process: "the mesh cannot be read".
        fix: what to do then.
        variables: further environment variables.
    """
    own = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ} | dict(variables or {})
    places = os.pathsep.join(entry for entry in sys.path if entry)
    own |= {"PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    call = f"from {__name__} import _work; _work({function!r}, {limits.seconds}, {limits.memory}, {limits.output})"
    with TemporaryFile() as request, TemporaryFile() as answer:
        request.write(json.dumps(given).encode())
        request.seek(0)
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", call],  # -P: no modules of the working folder
                stdin=request,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                env=own,
                start_new_session=True,
            )
        except OSError as error:
            raise FileError(f"{what}: a process for it cannot be started: {error}", path=path, fix=fix) from None
        try:
            process.wait(PATIENCE * limits.seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end(process)
        answer.seek(0)
        kind, said = answer.read(1), answer.read(limits.output + 1)
    if kind == _RESULT and process.returncode == 0 and len(said) <= limits.output:
        return said
    try:
        fault = json.loads(said) if kind == _ERROR else None
    except ValueError:
        fault = None
    if fault is None:
        ended = f"it ends by itself, or needs more than {limits.seconds} s or {limits.memory // 1024**2} MiB"
        raise FileError(f"{what}: {ended}", path=path, fix=fix)
    if "line" in fault:
        raise FileError(**fault | {"path": fault["path"] or path})
    raise FileError(f"{what}: {fault['what']}", path=path, fix=fix)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it has started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # Windows
            process.kill()
    process.wait()


# In the child process.


def _work(function: str, seconds: int, memory: int, output: int) -> None:
    """Call a function with the JSON of the standard input, and write its bytes to the standard output."""
    given = json.load(sys.stdin)
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what is printed is not the result
    _limit(seconds, memory, output + len(_RESULT))
    module, name = function.split(":")
    try:
        kind, said = _RESULT, getattr(import_module(module), name)(given)
        if len(said) > output:
            raise ValueError(f"the result has more than {output // 1024**2} MiB")
    except BaseException as error:  # noqa: BLE001 - programs raise anything
        kind, said = _ERROR, json.dumps(_fault(error)).encode()
    out.write(kind + said)
    out.flush()
    os._exit(0)  # nothing that the work has left behind runs now


def _fault(error: BaseException) -> dict[str, Any]:
    """The arguments of a FileError for an error of this package; of others what they say."""
    if isinstance(error, HoldfastError):
        path = getattr(error, "path", "")
        place = {"path": str(path), "line": getattr(error, "line", None), "field": getattr(error, "field", "")}
        return {"what": error.what, "fix": error.fix, **place}
    inner: Any = error
    while inner is not None:
        if isinstance(inner, MemoryError):
            return {"what": "it takes too much memory"}
        if isinstance(inner, RecursionError):
            return {"what": "it is nested too deeply, or without end"}
        inner = getattr(inner, "exc", None)  # the package xacro wraps errors
    return {"what": " ".join(str(error).split()) or type(error).__name__}


def _limit(seconds: int, memory: int, output: int) -> None:
    """Bound the time, the memory and the files of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(PATIENCE * seconds) + 1)  # where the process that waits for it has been killed
    sizes = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, output))
    for kind, most in (*sizes, (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS does not bound the memory
            resource.setrlimit(kind, (bound, bound))
