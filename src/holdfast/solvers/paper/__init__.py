"""The search of Hauser, Wang and Cutkosky 2018: BnB-EQ (III.F) and BnB-OPT (III.G), as printed."""
