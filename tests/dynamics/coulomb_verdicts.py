"""Verdicts of the referee on random cases: computed once, kept in `coulomb_verdicts.json`, one letter per seed.

`python -m tests.dynamics.coulomb_verdicts` writes the file again; the nightly run compares every one of them.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.dynamics.coulomb_cases import random_case, random_joint_case
from tests.dynamics.coulomb_referee import Case, enumerated

FILE = Path(__file__).with_suffix(".json")

#: Seeds of each set of laws.
COUNTS = {"round": 420, "all": 240, "joints": 60}

#: One letter per verdict; ? where rest or motion is too close to call.
LETTERS = {"stays": "s", "may stay": "b", "moves": "m", "inconsistent": "i", None: "?"}


def case_of(laws: str, seed: int) -> Case:
    """One case of a set."""
    return random_joint_case(seed) if laws == "joints" else random_case(seed, laws=laws)


def letter(case: Case) -> str:
    """The referee's verdict on a case."""
    return LETTERS[enumerated(case).verdict]


def verdicts(laws: str) -> list[str | None]:
    """The stored verdicts of one set, by seed."""
    names = {short: verdict for verdict, short in LETTERS.items()}
    return [names[short] for short in json.loads(FILE.read_text(encoding="utf-8"))[laws]]


if __name__ == "__main__":
    found = {laws: "".join(letter(case_of(laws, seed)) for seed in range(n)) for laws, n in COUNTS.items()}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
