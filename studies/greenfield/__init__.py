"""Greenfield, Rizzi and Choset 2005: torques for which a braced snake robot has one motion only."""
