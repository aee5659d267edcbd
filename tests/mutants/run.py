"""Read the sources as each mutant has them and ask the claims: `died`, with the first that found it, or `survived`.

    python -m tests.mutants.run               every mutant; claims of its room first, then all others
    python -m tests.mutants.run --quick       the claims of its room alone
    python -m tests.mutants.run --only planar grasps

Kernels are interpreted where the mutant is in a file of kernels; elsewhere the stored ones are used. Nothing is written.
Exit code 1 where a mutant survives.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutants.mutants import MUTANTS, Mutant

PROJECT = Path(__file__).parents[2]
CLAIMS = PROJECT / "tests" / "claims"

#: A mutant may loop for ever: claims that take longer than this [s] have found it.
LONGEST = 1200.0

#: Runs pytest with one source file read as the mutant has it; the file itself stays, and with it the stored kernels.
START = """
import importlib.machinery, sys, pytest
file, old, new = sys.argv[1:4]
read, changed = importlib.machinery.SourceFileLoader.get_data, []
def get_data(loader, path):
    data = read(loader, path)
    if path == file:
        changed.append(path)
        data = data.decode().replace(old, new).encode()
    return data
importlib.machinery.SourceFileLoader.get_data = get_data
code = pytest.main(sys.argv[4:])
sys.exit(code if changed else 99)
"""


def first_failure(mutant: Mutant, files: list[Path]) -> str:
    """The first claim that fails; "" when none does."""
    path = PROJECT / "src" / "holdfast" / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.file}: stands {text.count(mutant.old)} times, not once: {mutant.old!r}")
    kernels = "interpreted" if re.search(r"^from \.+compiling import", text, re.MULTILINE) else "compiled"
    with tempfile.TemporaryDirectory() as folder:
        setting = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(PROJECT / "src"), str(PROJECT)]),
            "PYTHONPYCACHEPREFIX": folder,  # no compiled module hides the change
            "HOLDFAST_KERNELS": kernels,
        }
        words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--tb=line", *map(str, files)]
        command = [sys.executable, "-c", START, str(path), mutant.old, mutant.new, *words]
        try:
            found = subprocess.run(command, cwd=PROJECT, env=setting, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return "(takes too long)"
    if found.returncode == 99:
        raise SystemExit(f"{mutant.file} is not imported by {', '.join(path.name for path in files)}")
    if found.returncode == 0:
        return ""
    named = re.search(r"^(?:FAILED|ERROR) \S*?([^/\s]+\.py(?:::\S+)?)", found.stdout, re.MULTILINE)
    if named is None and found.returncode != 1:
        return f"(exit code {found.returncode}) {(found.stdout + found.stderr).strip()[-200:]}"
    return named[1] if named else "(no name)"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="the claims of the mutant's room alone")
    options.add_argument("--only", nargs="*", default=[], help="parts of the names of files that are changed")
    options.add_argument("--numbers", nargs="*", type=int, default=[], help="numbers of mutants, from 1 on")
    chosen = options.parse_args()
    survivors = 0
    for number, mutant in enumerate(MUTANTS, 1):
        if chosen.only and not any(part in mutant.file for part in chosen.only):
            continue
        if chosen.numbers and number not in chosen.numbers:
            continue
        own = [CLAIMS / f"test_{name}.py" for name in mutant.claims.split()]
        others = [path for path in sorted(CLAIMS.glob("test_*.py")) if path not in own]
        began = time.perf_counter()
        failure = first_failure(mutant, own) or ("" if chosen.quick else first_failure(mutant, others))
        survivors += not failure
        outcome = f"died      {failure}" if failure else "SURVIVED"
        seconds = time.perf_counter() - began
        sys.stdout.write(f"{number:3d} {mutant.file:38s} {mutant.why:45s} {seconds:5.0f} s  {outcome}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{survivors} survived\n")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
