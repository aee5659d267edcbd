"""The convex programs behind every question, and the methods that answer with them.

A `ContactProblem` (rows, force volumes, load) goes to a method with `test` (does d = 1 hold?) and `maximise` (the
largest d); a `Solution` with its proof comes back. `Exact` is the default; it is compiled on first use. `Reference`
checks it; `Hull` and `Bracket` bound without a search; `BigM`, `HullMilp` and `PaperBranchAndBound` are baselines.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
