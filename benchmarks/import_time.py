"""How long a user waits before anything happens: start-up of a fresh interpreter, to the end."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.measuring import Row, timed

IMPORT_TARGET = 0.4  # [s]
HELP_TARGET = 0.7  # [s]
HELP = "import sys; sys.argv = ['holdfast', '--help']; from holdfast.cli import main; main()"


def run(quick: bool) -> list[Row]:
    repeats = 3 if quick else 20

    def python(name: str, code: str, note: str) -> Row:
        def call() -> None:
            subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)

        return timed(name, call, repeats=repeats, note=note)

    return [
        python("bare interpreter", "pass", "contained in the rows below"),
        python("import holdfast", "import holdfast", f"target {IMPORT_TARGET} s"),
        python("holdfast --help", HELP, f"target {HELP_TARGET} s"),
    ]
