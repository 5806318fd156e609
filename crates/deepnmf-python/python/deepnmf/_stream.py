"""Models that learn from one batch of samples after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _check as check
from ._base import Factorization
from ._types import Labels, Progress, SamplesLike

if TYPE_CHECKING:
    from typing_extensions import Self


class Streaming(Factorization):
    """What models that have `partial_fit` share."""

    _progress: Progress | None

    def partial_fit(
        self, X: SamplesLike, y: Labels | None = None, *, layers: str | None = None
    ) -> Self:
        """Learn from a batch of samples, after those of earlier calls.

        The first batch is fitted as by `fit`, later ones change the components by all that was seen
        so far (Mairal, Bach, Ponce and Sapiro, 2010). Earlier samples fade slowly, so that what
        early components made of them does not stay for ever. For samples in random order the
        components come near those of a fit to all of them; for others nothing is promised, so
        shuffle what is sorted. After a `fit`, or on a model that was loaded, it goes on from there.
        In a deep model the first layer learns on, which is enough for the best product of all.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Batch of samples, the first one with at least as many as the model has components.
        y : None, default=None
            Ignored.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        self
            The estimator. ``features_`` and ``reconstruction_err_`` are those of this batch,
            ``batch_errors_`` has the error that the components had for each batch before they
            learnt from it, and ``n_samples_seen_`` counts the samples.
        """
        if not self.__sklearn_is_fitted__():
            if getattr(self, "init", None) == "custom":
                raise ValueError(
                    "init='custom' needs W and H: give them to fit, and go on from there"
                )
            self._fit(X, None, layers=layers, batch=True)
            self.batch_errors_: list[float] = []
            self.n_samples_seen_ = len(self.features_[0])
            return self
        if "_progress" not in self.__dict__ or self._progress is None:
            self.batch_errors_ = []
            self.n_samples_seen_ = len(self.features_[0])
            self._progress = None
        found = self._samples(X, layers)
        threads = check.threads(self.n_jobs, found.size * self._model.layers[0])
        model, self._progress, error = self._model.learn(
            check.given(self, found), self._progress, threads
        )
        self._keep(model)
        self.batch_errors_.append(error)
        self.n_samples_seen_ += found.shape[0]
        return self
