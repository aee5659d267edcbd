"""Statics: equilibrium, load limits, the warm solver, diagnosis, load paths."""
