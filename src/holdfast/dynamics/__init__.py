"""Motion of an object that does not hold: forces and accelerations by maximum dissipation (section III.E).

`separation` finds the admissible contact forces of least acceleration energy, with a proof, and what each contact then
does: it sticks, slips or separates. `simulate_release` follows that acceleration in small steps, for illustration.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
