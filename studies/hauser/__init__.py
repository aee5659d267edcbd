"""Hauser, Wang and Cutkosky 2018: Table I, the figures, the slip experiment, hands on bodies, the climber."""
