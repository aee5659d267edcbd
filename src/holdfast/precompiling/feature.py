"""Compiling: its command."""

from ..feature import Command, Feature

FEATURE = Feature({"compile": Command("Compile all numerical kernels now, once per machine.", 250, exit_codes=False)})
