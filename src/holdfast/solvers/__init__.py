"""The convex programs behind every question, and the methods that answer with them.

A `ContactProblem` (rows, force volumes, load) goes to a method with `test` (does d = 1 hold?) and `maximise` (the
largest d); a `Solution` with its proof comes back. `Exact` is the default; it is compiled on first use. `Reference`
checks it; `Hull` and `Bracket` bound without a search; `BigM`, `HullMilp` and `PaperBranchAndBound` are baselines.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
