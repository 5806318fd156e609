"""The picture of a fitted model in notebooks, below scikit-learn's own."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import Any

from . import _core
from ._sklearn import BaseEstimator

_WIDTH, _GAP, _HEIGHT = 74, 42, 96


class Pictured(BaseEstimator):
    """What notebooks show of a model: scikit-learn's diagram, and the layers once it is fitted."""

    def _repr_html_inner(self) -> str:
        return f"{super()._repr_html_inner()}{_picture(self)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        found = super()._repr_mimebundle_(**kwargs)
        if "text/html" in found:
            found["text/html"] += _picture(self)
        return found


def _picture(estimator: Any) -> str:
    """Draw the layers as boxes, the data on the left; nothing before the fit."""
    known: Mapping[str, Any] = vars(estimator)
    model: _core.Model | None = known.get("_model")
    if model is None:
        return ""
    boxes = [("features", model.features_before)]
    boxes += [(f"layer {place + 1}", size) for place, size in enumerate(model.layers)]
    text = _errors(known.get("reconstruction_err_"), known.get("svd_bound_"))
    width = len(boxes) * (_WIDTH + _GAP) - _GAP + 4
    drawn = "".join(_box(place, *box) for place, box in enumerate(boxes))
    said = ", ".join(f"{name}: {size}" for name, size in boxes)
    return (
        f'<svg class="deepnmf-layers" role="img" aria-label="{said}; {text}" '
        f'width="{max(width, 300)}" height="{_HEIGHT + 24}" xmlns="http://www.w3.org/2000/svg" '
        'font-family="sans-serif" font-size="11" fill="currentColor" stroke="none">'
        f'{drawn}<text x="2" y="{_HEIGHT + 16}">{text}</text></svg>'
    )


def _box(place: int, name: str, size: int) -> str:
    """Draw one box, the higher the more there are, and an arrow to it."""
    left, middle = 2 + place * (_WIDTH + _GAP), _HEIGHT / 2
    height = min(_HEIGHT - 4.0, 34 + 14 * log10(max(size, 1)))
    top, center = middle - height / 2, left + _WIDTH / 2
    arrow = (
        f'<path d="M{left - _GAP + 5} {middle}h{_GAP - 15}" stroke="currentColor"/>'
        f'<path d="M{left - 11} {middle - 4}l8 4l-8 4z"/>'
    )
    # Words are in the colour of the text around, on dark pages too.
    return (
        f"{arrow if place else ''}"
        f'<rect x="{left}" y="{top:.1f}" width="{_WIDTH}" height="{height:.1f}" rx="4" '
        'fill="#0072B2" fill-opacity="0.18" stroke="#0072B2"/>'
        f'<text x="{center}" y="{middle - 2}" text-anchor="middle" font-size="15">{size}</text>'
        f'<text x="{center}" y="{middle + 12}" text-anchor="middle">{name}</text>'
    )


def _errors(error: float | None, bound: float | None) -> str:
    """Write the error beside the bound, and how far above it that is."""
    if error is None:
        return ""
    if not bound:
        return f"error {error:.4g}"
    gap = error / bound - 1
    # A nonlinear model may reconstruct better than any linear one.
    how_far = f"gap {gap:.1%}" if gap > -5e-4 else f"{-gap:.1%} below it"
    return f"error {error:.4g}, SVD bound {bound:.4g}, {how_far.replace('-0.0%', '0.0%')}"
