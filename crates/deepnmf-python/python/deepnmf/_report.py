"""The HTML page that explores a fitted model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import _check as check
from . import _core
from ._data import Dataset, ImageShape, image_words
from ._labels import words
from ._sklearn import check_is_fitted
from ._types import FeatureScaling, FilePath, NamedLabels, RandomState, SamplesLike
from ._watch import teller

# Maps and neighbours need all pairs of samples.
MOST_SAMPLES = 5000


class Reporting:
    """The method `report` of a fitted model."""

    _model: _core.Model
    n_jobs: int | None
    verbose: int

    def report(
        self,
        X: SamplesLike | Dataset,
        path: FilePath = "report.html",
        *,
        labels: NamedLabels | None = None,
        image: tuple[int, int] | ImageShape | str | None = None,
        sample_names: Iterable[str] | None = None,
        samples: int = 1000,
        clusters: int | None = None,
        scale: FeatureScaling = "none",
        title: str | None = None,
        random_state: RandomState = 0,
        layers: str | None = None,
    ) -> Path:
        """Write an HTML page that explores the model.

        The page is a single file and needs no network.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), Dataset or AnnData
            Samples to show: those of the fit, or others with the same features. A `Dataset` also
            provides ``labels``, ``image`` and ``sample_names``, unless they are given; an AnnData
            object provides ``sample_names``.
        path : str or path-like, default='report.html'
            File to write. If writing fails, a file that was there before stays as it was.
        labels : mapping, DataFrame or array-like, default=None
            Labels of the samples: a mapping of attributes to labels, such as ``{"pose": [...]}``,
            or one column for each attribute. -1, NaN and None mean unknown.
        image : tuple of int, ImageShape or str, default=None
            Width and height of the images, if the samples are images.
        sample_names : iterable of str, default=None
            Names of the samples.
        samples : int, default=1000
            Maximum number of samples on the page, at most 5000. If there are more, a random part
            of them is shown.
        clusters : int, default=None
            Number of clusters of every layer. If None, the number of classes of the attribute that
            the clusters of the layer agree with best, or 8 without labels.
        scale : {'none', 'unit-samples', 'unit-rows', 'whitened'}, default='none'
            Scaling of the features before clustering, classification and maps:

            - 'none': no scaling;
            - 'unit-samples': each sample to norm 1;
            - 'unit-rows': each feature to norm 1;
            - 'whitened': uncorrelated features of variance 1.
        title : str, default=None
            Heading of the page.
        random_state : int, RandomState instance or None, default=0
            Seed of all random numbers.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        check_is_fitted(self)
        if isinstance(X, Dataset):
            labels = X.labels if labels is None else labels
            image = X.image_shape if image is None else image
            sample_names = X.sample_names if sample_names is None else sample_names
            table: SamplesLike = X.X
        else:
            table = X
            if sample_names is None:
                sample_names = getattr(X, "obs_names", None)
        dtype = self._model.dtype
        found = check.samples(self, table, dtype=dtype, reset=False, sparse=True, layers=layers)
        n_samples = found.shape[0]
        if check.whole("samples", samples) > MOST_SAMPLES:
            raise check.refuse("samples", samples, f"it must be at most {MOST_SAMPLES}")
        names = None if sample_names is None else [str(name) for name in sample_names]
        if names is not None and len(names) != n_samples:
            raise ValueError(
                f"sample_names has {len(names)} names, but X has {n_samples} samples: "
                "give one for each"
            )
        pixels = image_words(image)
        if pixels is not None:
            width, height = (int(size) for size in pixels.split(":")[0].split("x"))
            if width * height not in (found.shape[1], self._model.features_before):
                accepted = f"the samples have {found.shape[1]} features, not as many pixels"
                raise check.refuse("image", image, accepted)
        request: _core._Request = {
            "labels": words(labels, n_samples),
            "feature_names": [str(name) for name in getattr(self, "feature_names_in_", [])] or None,
            "sample_names": names,
            "image": pixels,
            "title": title,
            "samples": samples,
            "clusters": check.maybe_whole("clusters", clusters),
            "scale": scale,
            "seed": check.seed(random_state),
        }
        threads, tell = check.threads(self.n_jobs), teller(self.verbose)
        self._model.report(found, path, request, threads, tell)
        return Path(path)
