"""How much does my gripper carry, and what would have to be stronger for it to carry more?

The result is a number with its proof, and an explanation: which contacts and joints are at their limit, and how much
each percent of strength adds.

Run it: python examples/03_what_limits_the_load.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import holdfast as hf
from holdfast import plotting


def main(folder: Path) -> None:
    gripper = hf.devices.two_finger_gripper("D", "PMD")  # left: distal phalanx; right: all three phalanges
    pull = hf.load_limit(gripper.assembly(), hf.devices.PULL)  # pull the object straight out of the gripper
    print(f"load limit {pull.value:.2f} N, at most {pull.upper_bound:.2f} N; proof verified: {pull.verify()}")
    diagnosis = hf.diagnose(pull)
    print(diagnosis)
    print("at their limit:", ", ".join(state.name for state in diagnosis.limiting))

    ax = hf.statics.plots.utilisation(diagnosis, title=f"Two-finger gripper D-PMD at its limit of {pull.value:.1f} N")
    plotting.save(ax, folder / "03_what_limits_the_load.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
