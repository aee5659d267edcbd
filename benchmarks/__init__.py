"""Benchmarks of Holdfast through its public names; `python -m benchmarks` runs them."""
