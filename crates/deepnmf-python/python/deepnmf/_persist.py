"""Model files, which the program reads and writes, too."""

from __future__ import annotations

import json

import numpy as np

from . import _core
from ._base import Factorization
from ._types import FilePath


def load(path: FilePath) -> Factorization:
    """Read a model file that `save` or the program has written.

    Parameters
    ----------
    path : str or path-like
        Model file.

    Returns
    -------
    estimator
        A fitted estimator of the class of the model, with the parameters of its fit. If the
        program preprocessed the samples, `transform` does the same (see ``preprocessing_``), but
        a new `fit` does not.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import deepnmf
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "m.safetensors"
    ...     deepnmf.SemiNMF(3, random_state=0).fit(X).save(path)
    ...     model = deepnmf.load(path)
    >>> model.n_components, model.transform(X).shape
    (3, (50, 3))
    """
    return estimator_of(_core.Model.load(path))


def estimator_of(model: _core.Model) -> Factorization:
    """Return the fitted estimator of a model."""
    settings = json.loads(model.settings)
    estimator = Factorization._estimators[settings["model"]]
    fitted = estimator(**estimator._params(settings))
    fitted.n_features_in_ = model.features_before
    names = json.loads(model.provenance).get("feature_names")
    if names is not None and len(names) == fitted.n_features_in_:
        fitted.feature_names_in_ = np.asarray(names, dtype=object)
    fitted._keep(model)
    return fitted
