"""Validation: comparison with measurements, structures that stood or fell, textbooks and other programs.

report = validate()                # all cases; validate(["pushes"]) computes some of them
print(report.status, report["pushes"].comparisons)       # a table "theirs / ours" of each case
assert report.agrees and report.verify()
"""

from holdfast.public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
