"""Chinellato, Fisher, Morales and del Pobil 2003: ranking planar grasps for a three-finger hand."""
