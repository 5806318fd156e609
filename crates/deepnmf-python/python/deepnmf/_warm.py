"""Models that may begin where their last fit has ended."""

from __future__ import annotations

from numpy.typing import ArrayLike

from . import _check as check
from ._base import Factorization
from ._types import Json


class WarmStarting(Factorization):
    """What models with the parameter `warm_start` share."""

    warm_start: bool

    def _last_factors(
        self, shape: tuple[int, int], settings: Json
    ) -> tuple[ArrayLike, ArrayLike] | None:
        """Return features and components of the last fit, if they are of this size."""
        wanted = check.flag("warm_start", self.warm_start) and "_model" in vars(self)
        if not wanted or getattr(self, "n_neighbors", None) is not None:
            return None
        features, components = self.features_[-1], self.components_
        count = settings["components"]
        agree = features.shape == (shape[0], count) and components.shape == (count, shape[1])
        return (features, components) if agree else None
