"""Models whose samples may have weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ._base import Factorization
from ._types import FilePath, Floats, Labels, SamplesLike

if TYPE_CHECKING:
    from typing_extensions import Self


class Weighable(Factorization):
    """What models with a loss that is a sum over samples share."""

    def fit(
        self,
        X: SamplesLike,
        y: Labels | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        entry_weight: ArrayLike | None = None,
        checkpoint: FilePath | None = None,
        layers: str | None = None,
    ) -> Self:
        """Fit the model to samples.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples. Arrays of float32 or float64 in C or Fortran order are not copied, nor are
            SciPy's CSR and CSC, which stay sparse; other sparse formats are converted to CSR. Of
            an AnnData object ``X`` is taken, and the names of its features.
        y : None, default=None
            Ignored, as all models without labels do.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the loss, numbers above 0. A sample of weight 2 counts as two
            copies of it, and ``reconstruction_err_`` is that of the weighted loss. Neighbours,
            penalties, nonlinear models and missing entries take none. If None, all samples count
            alike.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries in the loss, at least 0. Only their ratios decide: each entry
            counts as its weight divided by the largest one, and not at all if that is 0. Models of
            the Kullback-Leibler divergence take none, nor does `sample_weight` beside it. If None,
            all entries count alike.
        checkpoint : str or path-like, default=None
            Folder for checkpoints, which are written every 30 seconds. If the same fit was
            interrupted there before, by whatever means, it goes on and ends with the same bits.
            Remove the folder when the result is safe.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C raises KeyboardInterrupt as usual; the estimator then
            holds the best factors so far.
        """
        return self._fit(
            X,
            y,
            checkpoint=checkpoint,
            layers=layers,
            sample_weight=sample_weight,
            entry_weight=entry_weight,
        )

    def fit_transform(
        self,
        X: SamplesLike,
        y: Labels | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        entry_weight: ArrayLike | None = None,
        layers: str | None = None,
    ) -> Floats:
        """Fit the model to samples and compute their features, as ``fit(X).transform(X)``.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        y : None, default=None
            Ignored, as for `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the loss, as for `fit`.
        entry_weight : array-like of shape (n_samples, n_features), default=None
            Weights of the entries in the loss, as for `fit`.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            The best features for the fitted basis. Those of the last iteration of the fit are
            ``features_[-1]``. After `set_output` a data frame.
        """
        fitted = self.fit(
            X, y, sample_weight=sample_weight, entry_weight=entry_weight, layers=layers
        )
        return fitted.transform(X, entry_weight=entry_weight, layers=layers)
