"""Very many random queries, every answer checked: `python -m benchmarks.nightly`."""
