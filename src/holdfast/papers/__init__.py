"""The papers: ready devices, and every table, figure and experiment computed again and compared.

`devices` has the grippers of Hauser, Wang and Cutkosky 2018 (2OU, 2FG, 4FH) and the climber; `table_one`, `figures`,
`slip`, `hierarchy` and `climbing` have the studies; `tables` writes their tables as text, Markdown and CSV.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
