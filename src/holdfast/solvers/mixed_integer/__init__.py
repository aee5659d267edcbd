"""Mixed-integer formulations of the contact problem, on HiGHS and SCIP."""
