"""Studies: the papers' tables, figures and experiments computed again, and the library compared with others' results.

They use public names of Holdfast only and are not part of the wheel; `README.md` says how to run them.
"""
