"""The naive way: all 4^k contact modes, each decided by a linear program over accelerations and reactions in HiGHS.

Written down straight from Newton's and Coulomb's laws, in natural units, without any of the package's geometry. One
model serves all modes, so that only bounds change and HiGHS starts warm: as fast as naive gets.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import highspy
import numpy as np

from holdfast.planar import System

INFINITY = highspy.kHighsInf

#: Strict conditions are met by more than this; cases are of order one.
STRICTLY = 1e-7


class NaiveModes:
    """All modes of a system under torques tau: columns (a, fe, t), fe the edges ft = -mu fn and ft = mu fn of cones."""

    def __init__(self, system: System, tau: np.ndarray | None = None) -> None:
        self.system = system
        n, k = system.coordinate_count, system.contact_count
        self.n, self.k = n, k
        load = system.bias if tau is None else system.bias + system.selector @ tau
        minus = np.zeros((2 * k, k))
        plus = np.zeros((2 * k, k))
        for i in range(k):
            minus[2 * i : 2 * i + 2, i] = -system.mu[i], 1.0
            plus[2 * i : 2 * i + 2, i] = system.mu[i], 1.0
        edges = np.hstack([minus, plus])
        width = n + 2 * k + 1
        blocks = [np.hstack([system.mass_matrix, -system.jacobian.T @ edges, np.zeros((n, 1))])]
        for rows, lack in (
            (system.normal_jacobian, 0.0),
            (system.tangent_jacobian, 0.0),
            (system.normal_jacobian, -1.0),
            (system.tangent_jacobian, -1.0),
            (-system.tangent_jacobian, -1.0),
        ):
            block = np.zeros((k, width))
            block[:, :n] = rows
            block[:, -1] = lack
            blocks.append(block)
        matrix = np.vstack(blocks)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = width, len(matrix)
        lp.col_cost_ = np.append(np.zeros(width - 1), -1.0)
        lp.col_lower_ = np.concatenate([np.full(n, -INFINITY), np.zeros(2 * k), [-INFINITY]])
        lp.col_upper_ = np.concatenate([np.full(n + 2 * k, INFINITY), [1.0]])
        lp.row_lower_ = np.concatenate([load, np.full(5 * k, -INFINITY)])
        lp.row_upper_ = np.concatenate([load, np.full(5 * k, INFINITY)])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.arange(0, matrix.size + 1, width)
        lp.a_matrix_.index_ = np.tile(np.arange(width), len(matrix))
        lp.a_matrix_.value_ = matrix.ravel()
        self.highs: Any = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off"), ("solver", "simplex")):
            self.highs.setOptionValue(option, value)
        self.highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
        self.highs.passModel(lp)

    def _pose(self, mode: str) -> None:
        """Bounds of the mode: Tables I and II, strict conditions by at least t."""
        s, n, k = self.system, self.n, self.k
        low, high = np.full((5, k), -INFINITY), np.full((5, k), INFINITY)
        push = np.zeros((2, k))
        hn, ht = s.normal_bias, s.tangent_bias
        for i, letter in enumerate(mode):
            if letter == "S":
                if s.normal_velocity[i] == 0.0:
                    low[2, i] = -hn[i]
                continue
            low[0, i] = high[0, i] = -hn[i]
            if letter == "F":
                low[1, i] = high[1, i] = -ht[i]
                push[:, i] = INFINITY
            else:
                push[0 if letter == "R" else 1, i] = INFINITY
                if s.tangent_velocity[i] == 0.0:
                    low[3 if letter == "R" else 4, i] = -ht[i] if letter == "R" else ht[i]
        rows = np.arange(n, n + 5 * k, dtype=np.int32)
        self.highs.changeRowsBounds(len(rows), rows, low.ravel(), high.ravel())
        columns = np.arange(n, n + 2 * k, dtype=np.int32)
        self.highs.changeColsBounds(len(columns), columns, np.zeros(2 * k), push.ravel())

    def _solve(self, cost: np.ndarray) -> float:
        """Largest cost . x; -inf when there is none, inf when it has no end."""
        columns = np.arange(len(cost), dtype=np.int32)
        self.highs.changeColsCost(len(columns), columns, -cost)
        self.highs.run()
        status = self.highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return -self.highs.getInfo().objective_function_value
        if status == highspy.HighsModelStatus.kUnbounded:
            return np.inf
        return -np.inf

    def possible(self, mode: str) -> bool:
        """Whether some (a, f) moves in the strict mode."""
        if any(letter not in letters for letter, letters in zip(mode, self.system.choices, strict=True)):
            return False
        self._pose(mode)
        return self._solve(np.append(np.zeros(self.n + 2 * self.k), 1.0)) > STRICTLY

    def reach(self, mode: str, direction: np.ndarray) -> float:
        """Largest direction . a over the closure of a possible mode."""
        self._pose(mode)
        last = np.array([self.n + 2 * self.k], dtype=np.int32)
        self.highs.changeColsBounds(1, last, np.zeros(1), np.zeros(1))
        value = self._solve(np.concatenate([direction, np.zeros(2 * self.k + 1)]))
        self.highs.changeColsBounds(1, last, np.full(1, -INFINITY), np.ones(1))
        return value

    def all_modes(self) -> list[str]:
        """Every possible mode among all 4^k."""
        return [mode for mode in map("".join, product("SFRL", repeat=self.k)) if self.possible(mode)]
