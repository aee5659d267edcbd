"""Apply each mutant to a copy of the sources and ask the claims: `died`, with the first claim that found it, or `survived`.

    python -m tests.mutants.run               every mutant; claims of its room first, then all others
    python -m tests.mutants.run --quick       the claims of its room alone
    python -m tests.mutants.run --only planar grasps

Kernels are interpreted where the mutant's feature is that of the solvers, whose kernels all claims use. Elsewhere the
stored kernels of other features are used. Exit code 1 where a mutant survives.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
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

#: Started in the copy; the copy must be what is imported.
START = """
import sys, pytest, holdfast
assert holdfast.__file__.startswith(sys.argv[1]), holdfast.__file__
sys.exit(pytest.main(sys.argv[2:]))
"""


def mutated(mutant: Mutant, folder: Path) -> None:
    """Copy the sources to `folder` and apply the mutant."""
    shutil.copytree(PROJECT / "src", folder / "src", ignore=shutil.ignore_patterns("*.pyc"))  # keeps times of change
    path = folder / "src" / "holdfast" / mutant.file
    for stored in (folder / "src" / "holdfast" / Path(mutant.file).parts[0]).rglob("*.nb[ic]"):
        stored.unlink()
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.file}: stands {text.count(mutant.old)} times, not once: {mutant.old!r}")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def first_failure(folder: Path, files: list[Path], kernels: str) -> str:
    """The first claim that fails; "" when none does."""
    paths = os.pathsep.join([str(folder / "src"), str(PROJECT)])
    setting = {**os.environ, "PYTHONPATH": paths, "HOLDFAST_KERNELS": kernels, "PYTHONDONTWRITEBYTECODE": "1"}
    words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--tb=line", *map(str, files)]
    command = [sys.executable, "-c", START, str(folder), *words]
    try:
        found = subprocess.run(command, cwd=PROJECT, env=setting, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return "(takes too long)"
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
        with tempfile.TemporaryDirectory(prefix="holdfast-mutant-") as name:
            mutated(mutant, Path(name))
            kernels = "interpreted" if mutant.file.startswith("solvers/") else "auto"
            failure = first_failure(Path(name), own, kernels)
            if not failure and not chosen.quick:
                failure = first_failure(Path(name), others, kernels)
        survivors += not failure
        outcome = f"died      {failure}" if failure else "SURVIVED"
        seconds = time.perf_counter() - began
        sys.stdout.write(f"{number:3d} {mutant.file:38s} {mutant.why:45s} {seconds:5.0f} s  {outcome}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{survivors} survived\n")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
