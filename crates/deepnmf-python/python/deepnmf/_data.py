"""Data files, built-in data and gradient orientations of pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _core
from ._check import Floats
from ._sklearn import check_array


class ImageShape(NamedTuple):
    """How a sample is a picture.

    Attributes
    ----------
    width, height : int
        Pixels from left to right, and from top to bottom.
    order : {'row-major', 'column-major'}
        Whether pixels run along the rows of a picture (NumPy) or down its columns (MATLAB).
    """

    width: int
    height: int
    order: str = "row-major"

    def __str__(self) -> str:
        """Write it as the program does."""
        return f"{self.width}x{self.height}:{self.order}"


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples with what is known about them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    labels : dict of str to ndarray of shape (n_samples,)
        Labels by attribute: whole numbers where all labels are, -1 for unknown ones; otherwise
        words, None for unknown ones.
    feature_names : list of str or None
        The names of the features.
    sample_names : list of str or None
        The names of the samples.
    image_shape : ImageShape or None
        How a sample is a picture.
    """

    X: Floats = field(repr=False)
    labels: dict[str, NDArray[Any]] = field(repr=False)
    feature_names: list[str] | None = field(repr=False)
    sample_names: list[str] | None = field(repr=False)
    image_shape: ImageShape | None

    @property
    def images(self) -> Floats:
        """The samples as pictures, of shape (n_samples, height, width)."""
        if self.image_shape is None:
            raise ValueError("nothing says how wide and high the samples are: load with image=")
        width, height, order = self.image_shape
        if order == "row-major":
            return self.X.reshape(-1, height, width)
        return self.X.reshape(-1, width, height).transpose(0, 2, 1)


def load_data(
    path: str | PathLike[str],
    *,
    data_key: str | None = None,
    labels_key: str | None = None,
    labels_file: str | PathLike[str] | None = None,
    labels_by: str | None = None,
    image: tuple[int, int] | ImageShape | str | None = None,
    pattern: str | None = None,
    resize: tuple[int, int] | None = None,
    dtype: Literal["float64", "float32"] = "float64",
) -> Dataset:
    r"""Read a file whose rows are samples, or a folder of pictures.

    ``.npy``, ``.npz``, MATLAB ``.mat``, AnnData ``.h5ad``, ``.parquet``, ``.csv``, ``.tsv`` and
    folders of pictures, as the program reads them.

    Parameters
    ----------
    path : str or path-like
        The file or folder.
    data_key : str, default=None
        The variable that holds the samples, if not the usual one.
    labels_key : str, default=None
        The variable or column that holds labels, if not the usual one.
    labels_file : str or path-like, default=None
        A text file with labels, a column for each attribute.
    labels_by : str, default=None
        The column of that file that names the samples; row by row if None.
    image : tuple of int, ImageShape or str, default=None
        Width and height of the pictures that the rows of a file are, such as ``(32, 32)`` or
        ``"32x32:column-major"``.
    pattern : str, default=None
        How names of pictures hold labels, such as ``"{identity}_{pose}"``.
    resize : tuple of int, default=None
        Width and height that the pictures of a folder are brought to.
    dtype : {'float64', 'float32'}, default='float64'
        The type of the numbers.

    Returns
    -------
    Dataset
        Samples and labels.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deepnmf import load_data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "flowers.csv"
    ...     _ = path.write_text("length,width,kind\n5.1,3.5,setosa\n6.2,2.9,versicolor\n")
    ...     flowers = load_data(path, labels_key="kind")
    >>> flowers.X
    array([[5.1, 3.5],
           [6.2, 2.9]])
    >>> flowers.labels["kind"].tolist()
    ['setosa', 'versicolor']
    """
    found = _core.load(
        path,
        narrow=_is_narrow(dtype),
        data_key=data_key,
        labels_key=labels_key,
        labels_file=labels_file,
        labels_by=labels_by,
        image=image_words(image),
        pattern=pattern,
        resize=resize,
    )
    return _dataset(*found)


def load_faces(
    preset: Literal["default", "multipie", "pie"] = "default",
    *,
    identities: int | None = None,
    poses: int | None = None,
    expressions: int | None = None,
    illuminations: int | None = None,
    noise: float | None = None,
    size: int | None = None,
    seed: int | None = None,
    dtype: Literal["float64", "float32"] = "float64",
) -> Dataset:
    """Draw faces with known identity, pose, expression and illumination.

    Parameters
    ----------
    preset : {'default', 'multipie', 'pie'}, default='default'
        20 people in 5 poses with 3 expressions under 3 lamps; or a set of the shape of CMU
        Multi-PIE or of CMU PIE's pose 27.
    identities, poses, expressions, illuminations : int, default=None
        How many there are of each, if not as in the preset.
    noise : float, default=None
        The standard deviation of what the camera adds to every pixel; 0.02 if None.
    size : int, default=None
        Width and height of a picture; 32 if None.
    seed : int, default=None
        The seed that people and noise are drawn from; 0 if None.
    dtype : {'float64', 'float32'}, default='float64'
        The type of the numbers.

    Returns
    -------
    Dataset
        Samples and labels.

    Examples
    --------
    >>> from deepnmf import load_faces
    >>> faces = load_faces(identities=4, poses=3)
    >>> faces.images.shape, sorted(faces.labels)
    ((108, 32, 32), ['expression', 'identity', 'illumination', 'pose'])
    """
    check.choice("preset", preset, ("default", "multipie", "pie"))
    name = "faces" if preset == "default" else f"faces-{preset}"
    options = {
        "identities": identities,
        "poses": poses,
        "expressions": expressions,
        "illuminations": illuminations,
        "noise": noise,
        "size": size,
        "seed": seed,
    }
    return _dataset(*_core.builtin(_spec(name, options), _is_narrow(dtype)))


def load_xor(
    *,
    samples: int | None = None,
    sigma: float | None = None,
    distance: float | None = None,
    seed: int | None = None,
    dtype: Literal["float64", "float32"] = "float64",
) -> Dataset:
    """Draw two subjects in two poses, so that no line tells the subjects apart.

    Parameters
    ----------
    samples : int, default=None
        How many there are at each of the four corners; 100 if None.
    sigma : float, default=None
        The standard deviation at each corner; 1 if None.
    distance : float, default=None
        How far neighbouring corners are apart; 8 if None.
    seed : int, default=None
        The seed; 0 if None.
    dtype : {'float64', 'float32'}, default='float64'
        The type of the numbers.

    Returns
    -------
    Dataset
        Samples and labels.

    Examples
    --------
    >>> from deepnmf import load_xor
    >>> load_xor(samples=5).X.shape
    (20, 2)
    """
    options = {"samples": samples, "sigma": sigma, "distance": distance, "seed": seed}
    return _dataset(*_core.builtin(_spec("xor", options), _is_narrow(dtype)))


def igo(X: ArrayLike, image: tuple[int, int] | ImageShape, *, order: str = "row-major") -> Floats:
    """Give the image gradient orientations of pictures, the paper's preprocessing of faces.

    Parameters
    ----------
    X : array-like of shape (n_samples, width * height)
        Pictures.
    image : tuple of int or ImageShape
        Width and height.
    order : {'row-major', 'column-major'}, default='row-major'
        Whether pixels run along the rows of a picture or down its columns.

    Returns
    -------
    ndarray of shape (n_samples, 2 * width * height)
        The cosine of every pixel's gradient angle, then the sine, each sample of norm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import igo
    >>> igo(np.array([[0.0, 1.0, 0.0, 1.0]]), (2, 2)).round(3)
    array([[0.5, 0.5, 0.5, 0.5, 0. , 0. , 0. , 0. ]])
    """
    check.choice("order", order, ("row-major", "column-major"))
    width, height = image[:2]
    shape = ImageShape(width, height, image[2] if isinstance(image, ImageShape) else order)
    found = check_array(X, dtype=[np.float64, np.float32])
    return _core.gradient_orientations(check.contiguous(found), str(shape))


def image_words(image: tuple[int, int] | ImageShape | str | None) -> str | None:
    """Write how a sample is a picture, as the program does."""
    if type(image) is tuple:
        return "x".join(str(side) for side in image)
    return None if image is None else str(image)


def _spec(name: str, options: dict[str, Any]) -> str:
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    return f"{name}:{','.join(given)}"


def _is_narrow(dtype: Any) -> bool:
    return check.choice("dtype", np.dtype(dtype).name, ("float64", "float32")) == "float32"


def _dataset(
    X: Floats,
    attributes: list[tuple[str, list[str], NDArray[np.int64]]],
    feature_names: list[str] | None,
    sample_names: list[str] | None,
    shape: str | None,
) -> Dataset:
    labels = {name: _labels(classes, codes) for name, classes, codes in attributes}
    image_shape = None
    if shape is not None:
        size, _, order = shape.partition(":")
        width, height = (int(side) for side in size.split("x"))
        image_shape = ImageShape(width, height, order or "row-major")
    return Dataset(X, labels, feature_names, sample_names, image_shape)


def _labels(classes: list[str], codes: NDArray[np.int64]) -> NDArray[Any]:
    """Give the labels themselves: as numbers where all are, with -1 for those missing."""
    try:
        numbers = np.asarray([*(int(name) for name in classes), -1], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.asarray([*classes, None], dtype=object)[codes]
    return numbers[codes]
