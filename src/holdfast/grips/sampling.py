"""Ways to sample a grip: greedily where the hull falls short, or along random rays as in the paper."""

from __future__ import annotations

from dataclasses import dataclass

from .. import checks


@dataclass(frozen=True, kw_only=True)
class GreedySampling:
    """Many cheap supports, of which the best are kept, and the true facets that rays leave the set through.

    Attributes:
        candidates: directions asked for each vertex that is kept.
        ray_share: share of the outer planes that come from rays; the others are supports of the kept vertices.
    """

    candidates: int = 8
    ray_share: float = 0.5

    def __post_init__(self) -> None:
        checks.count("candidates", self.candidates)
        checks.number("ray_share", self.ray_share, low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class PaperSampling:
    """Load limits along n random rays through 0, drawn from N(0, W W^T), and n random half-spaces (V.A, V.D).

    For comparison: at the same n its bounds are much wider than those of `GreedySampling`. 0 must be held.
    """
