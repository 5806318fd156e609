"""What this package uses of scikit-learn; ``_sklearn.pyi`` has the types, which that has not."""

from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClusterMixin",
    "ConvergenceWarning",
    "TransformerMixin",
    "check_array",
    "check_is_fitted",
    "check_random_state",
    "euclidean_distances",
    "validate_data",
]
