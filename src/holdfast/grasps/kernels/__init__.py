"""Compiled kernels of planar grasps; arrays in and out, lengths in mm, angles in rad."""
