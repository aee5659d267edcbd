"""Erdmann 1993: multiple-point contact with friction, forces and motions in configuration space."""
