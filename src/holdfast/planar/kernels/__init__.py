"""Compiled kernels of planar contact: double description, small linear programs, contact modes; arrays in and out."""
