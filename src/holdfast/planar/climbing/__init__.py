"""Climbing by bracing (Greenfield et al. 2005, section III).

A snake between two walls holds on with one end, reaches up with the other, braces there and pulls itself up.
"""
