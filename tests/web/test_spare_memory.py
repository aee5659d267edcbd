from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.web.spare_memory import HEAPS, give_back, share_heaps

#: Counts the heaps that eight threads at once take their memory from, as glibc lists them.
COUNTED = """
import ctypes, threading
from holdfast.web.spare_memory import HEAPS, share_heaps
asked = share_heaps()
barrier = threading.Barrier(8)
def work():
    kept = [bytes(5000) for _ in range(200)]
    barrier.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library = ctypes.CDLL(None)
if asked and hasattr(library, "malloc_info"):
    library.fdopen.restype = ctypes.c_void_p
    stream = ctypes.c_void_p(library.fdopen(1, b"w"))
    library.malloc_info(0, stream)
    library.fflush(stream)
else:
    print("<heap nr>" * HEAPS)
"""


def test_freed_memory_is_given_back_where_that_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert give_back() in (True, False)  # without glibc there is nothing to ask
    monkeypatch.setattr(sys, "platform", "win32")
    assert give_back() is False
    assert share_heaps() is False


def test_threads_share_few_heaps() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.count("<heap nr") == HEAPS
