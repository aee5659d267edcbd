"""The convex programs behind every question, and the methods that answer with them."""

from .certificate import Certificate, Leaf
from .problem import ContactProblem, Effort, Layout, Solution, Status
from .reference import Reference

__all__ = ["Certificate", "ContactProblem", "Effort", "Layout", "Leaf", "Reference", "Solution", "Status"]
