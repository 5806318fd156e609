"""Prediction of attributes, for models that have learnt from labels of some samples."""

from __future__ import annotations

import json
from numbers import Integral
from typing import Any

import numpy as np

from . import _check as check
from ._base import LabelledFactorization
from ._labels import Attribute, attributes, class_name, classes_from_text
from ._sklearn import check_is_fitted
from ._types import SamplesLike


class PredictingFactorization(LabelledFactorization):
    """A factorization that predicts the attributes whose labels it has learnt from."""

    def predict(
        self,
        X: SamplesLike,
        attribute: int | str | None = None,
        *,
        return_margin: bool = False,
        layers: str | None = None,
    ) -> Any:
        """Predict attributes of samples.

        Each attribute has a linear machine on the features of the first layer, learnt from the
        given labels. Its choices are made by leave-one-out errors on these labels; where most
        samples have none, those have their say after that. Attributes are learnt one after the
        other, that which makes up most of the samples first, each from what the earlier ones leave
        over unless the samples as they are serve better.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        attribute : int or str, default=None
            Attribute: the number of its column in ``y``, from 0, or its name if ``y`` had names. If
            None, all attributes that the model has learnt from.
        return_margin : bool, default=False
            Whether to return margins, too.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_attributes)
            Class of each sample. With ``return_margin`` a tuple of that and of the margins by which
            the class is ahead of the next one: 1 is certain, 0 undecided.
        """
        check_is_fitted(self)
        wanted = self._learnt(attribute)
        samples = self._samples(X, layers)
        threads = check.threads(self.n_jobs)
        found = [
            self._model.predict(check.given(self, samples), place, threads) for place in wanted
        ]
        classes = [
            self._classes_of(place)[codes] for place, (codes, _) in zip(wanted, found, strict=True)
        ]
        margins = [margin for _, margin in found]
        single = attribute is not None or len(wanted) == 1
        predicted = classes[0] if single else np.column_stack(classes)
        if not check.flag("return_margin", return_margin):
            return predicted
        return predicted, margins[0] if single else np.column_stack(margins)

    def score(self, X: SamplesLike, y: Any = None, *, layers: str | None = None) -> float:
        """Measure how well the model predicts the labels of samples, or reconstructs them.

        So a search over parameters, such as scikit-learn's ``GridSearchCV``, chooses layers and
        weights by the labels that it is given, and nothing else.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features), or AnnData
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_attributes), default=None
            Labels, as for ``fit``; samples without a label are left out. If None, the model is
            measured by its reconstruction.
        layers : str, default=None
            Name of the layer of an AnnData object to take instead of its ``X``.

        Returns
        -------
        float
            Share of the labels that ``predict`` gets right, mean over the attributes that the model
            has learnt. Without labels, minus the mean squared error of all entries.
        """
        check_is_fitted(self)
        given = attributes(y, self._samples(X, layers).shape[0])
        if all(attribute.is_unknown for attribute in given):
            return super().score(X, layers=layers)
        learnt, shares = self._places(), []
        for place, attribute in enumerate(given):
            if not attribute.is_unknown and (place in learnt or len(given) == 1):
                known = attribute.codes >= 0
                predicted = self.predict(X, place, layers=layers)
                right = predicted == attribute.classes[attribute.codes]
                shares.append(float(np.mean(right[known])))
        if not shares:
            raise ValueError("y has labels of attributes that this model has not learnt")
        return float(np.mean(shares))

    @property
    def classes_(self) -> Any:
        """Classes of the attribute, or a list with those of each attribute learnt from."""
        found = [self._classes_of(place) for place in self._places()]
        if not found:
            raise AttributeError("this model has learnt no attribute: fit it with labels")
        return found[0] if len(found) == 1 else found

    @property
    def prediction_errors_(self) -> dict[str, float]:
        """Share of labelled samples that are predicted wrong when left out, by attribute."""
        machines = json.loads(self._fitted.predictors)
        return {self._attribute_name(m["attribute"]): m["error"] for m in machines}

    def _class_names(self, places: list[Attribute | None]) -> list[list[str]]:
        names = [
            [] if place is None else [class_name(label) for label in place.classes.tolist()]
            for place in places
        ]
        return names if any(len(classes) > 1 for classes in names) else []

    def _places(self) -> list[int]:
        """Return the columns of ``y`` that the model predicts."""
        return sorted(machine["attribute"] for machine in json.loads(self._fitted.predictors))

    def _learnt(self, attribute: object) -> list[int]:
        """Return the columns asked for."""
        places = self._places()
        if not places:
            raise ValueError(
                f"this {type(self).__name__} has learnt no attribute: fit it with labels of at "
                "least two classes"
            )
        if attribute is None:
            return places
        names = [self._attribute_name(place) for place in places]
        if isinstance(attribute, str) and attribute in names:
            return [places[names.index(attribute)]]
        if isinstance(attribute, Integral) and int(attribute) in places:
            return [int(attribute)]
        if isinstance(attribute, Integral) and int(attribute) == 0 and len(places) == 1:
            return places  # the only column, which belongs to the top layer
        accepted = ", ".join(
            f"{place} ({name!r})" for place, name in zip(places, names, strict=True)
        )
        raise check.refuse("attribute", attribute, f"this model has learnt {accepted}")

    def _attribute_name(self, place: int) -> str:
        names = json.loads(self._fitted.provenance).get("attributes", [])
        return names[place] if place < len(names) and names[place] else f"y{place + 1}"

    def _classes_of(self, place: int) -> Any:
        """Return the classes of an attribute by their codes."""
        kept = getattr(self, "_classes", None)
        if kept is not None and place < len(kept) and kept[place] is not None:
            return kept[place]
        words = json.loads(self._fitted.provenance).get("classes", [])
        return classes_from_text(words[place] if place < len(words) else [])
