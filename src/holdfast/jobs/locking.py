"""One run at a time: a lock beside a journal that ends with the process that holds it."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import FileError

#: Errors by which a file system says that it has no locks; the run then goes on without one.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the file `path`; a `FileError` when another run holds it.

    The system's own lock on the empty file `NAME.lock`: a process that dies gives it up, and what it leaves behind is
    an empty file that the next run takes over and removes.
    """
    beside = path.with_name(path.name + ".lock")
    handle = _opened(beside, path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows removes no open file
            _remove_empty(beside)
        os.close(handle)
        if os.name == "nt":
            with contextlib.suppress(OSError):
                _remove_empty(beside)


def _opened(beside: Path, path: Path) -> int:
    """A descriptor that holds the lock on the file now at `beside`."""
    while True:
        try:
            handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            fix = "name a file in a folder you may write to"
            raise FileError(f"cannot be written: {error.strerror}", path=path, fix=fix) from None
        if not _taken(handle):
            os.close(handle)
            fix = "wait for the other run, or name another file"
            raise FileError("is in use by another run of this sweep", path=path, fix=fix)
        # The last holder may have removed the file after it was opened here: a lock on nothing.
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(handle), os.stat(beside)):  # noqa: PTH116 - beside fstat
                return handle
        os.close(handle)


def _taken(handle: int) -> bool:
    """Take the lock of an open file, without waiting; False when another run has it."""
    try:
        import fcntl
    except ImportError:
        return _taken_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _NO_LOCKS
    return True


def _taken_on_windows(handle: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # pyright: ignore[reportAttributeAccessIssue]
    except OSError:
        return False
    return True


def _remove_empty(beside: Path) -> None:
    """Remove the lock's file; one with content is somebody else's."""
    if beside.stat().st_size == 0:
        beside.unlink()
