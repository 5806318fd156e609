"""The page that explores a fitted model."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from . import _check as check
from . import _core
from ._data import Dataset, ImageShape, image_words
from ._labels import words
from ._sklearn import check_is_fitted
from ._watch import teller

# Maps and neighbours look at all pairs.
MOST_SAMPLES = 5000


class Reporting:
    """A fitted model that can be looked at."""

    _model: _core.Model
    n_jobs: int | None
    verbose: int

    def report(
        self,
        X: ArrayLike | Dataset,
        path: str | PathLike[str] = "report.html",
        *,
        labels: Any = None,
        image: tuple[int, int] | ImageShape | str | None = None,
        sample_names: Iterable[str] | None = None,
        samples: int = 1000,
        clusters: int | None = None,
        scale: Literal["none", "unit-samples", "unit-rows", "whitened"] = "none",
        title: str | None = None,
        random_state: Any = 0,
    ) -> Path:
        """Write one HTML page that explores the model; it needs no network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or Dataset
            Samples to look at the model with: those of the fit, or others like them. What a
            `Dataset` knows besides need not be given again.
        path : str or path-like, default='report.html'
            The page, written whole or not at all.
        labels : mapping, DataFrame or array-like, default=None
            What is known of the samples: labels by attribute, such as ``{"pose": [...]}``, or a
            column for each; -1, NaN and None stand for unknown ones.
        image : tuple of int, ImageShape or str, default=None
            Width and height of the pictures that the samples are.
        sample_names : iterable of str, default=None
            What the samples are called.
        samples : int, default=1000
            The most samples with a point and a picture, at most 5000; more are drawn from.
        clusters : int, default=None
            The clusters of every layer. As many as the attribute it speaks of most has classes if
            None.
        scale : {'none', 'unit-samples', 'unit-rows', 'whitened'}, default='none'
            What is done to features before they are clustered, classified and mapped.
        title : str, default=None
            The heading.
        random_state : int, RandomState instance or None, default=0
            The seed of everything random on the page.

        Returns
        -------
        pathlib.Path
            The page.
        """
        check_is_fitted(self)
        if isinstance(X, Dataset):
            labels = X.labels if labels is None else labels
            image = X.image_shape if image is None else image
            sample_names = X.sample_names if sample_names is None else sample_names
            X = X.X
        found = check.samples(self, X, dtype=self._model.dtype, reset=False)
        if check.whole("samples", samples) > MOST_SAMPLES:
            raise check.refuse("samples", samples, f"it must be at most {MOST_SAMPLES}")
        names = None if sample_names is None else [str(name) for name in sample_names]
        if names is not None and len(names) != len(found):
            raise ValueError(
                f"sample_names has {len(names)} names, but X has {len(found)} samples: "
                "give one for each"
            )
        request: _core._Request = {
            "labels": words(labels, len(found)),
            "feature_names": [str(name) for name in getattr(self, "feature_names_in_", [])] or None,
            "sample_names": names,
            "image": image_words(image),
            "title": title,
            "samples": samples,
            "clusters": check.maybe(check.whole, "clusters", clusters),
            "scale": scale,
            "seed": check.seed(random_state),
        }
        threads, tell = check.threads(self.n_jobs), teller(self.verbose)
        self._model.report(found, path, request, threads, tell)
        return Path(path)
