"""What this package uses of scikit-learn and of what that is built on, with the types they lack."""

from joblib.parallel import get_active_backend
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_info

try:
    from sklearn.callback import (
        CallbackSupportMixin,  # pyright: ignore[reportAssignmentType]
        with_callbacks,  # pyright: ignore[reportAssignmentType]
    )
except ImportError:  # before version 1.9

    class CallbackSupportMixin:
        """Nothing."""

    def with_callbacks(method):
        """Return the method as it is."""
        return method


__all__ = [
    "BaseEstimator",
    "CallbackSupportMixin",
    "ClassNamePrefixFeaturesOutMixin",
    "ClusterMixin",
    "ConvergenceWarning",
    "TransformerMixin",
    "check_array",
    "check_is_fitted",
    "check_random_state",
    "clone",
    "euclidean_distances",
    "get_active_backend",
    "threadpool_info",
    "validate_data",
    "with_callbacks",
]
