"""Data files, built-in data and gradient orientations of images."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from . import _check as check
from . import _core
from ._sklearn import check_array
from ._types import Codes, FacePreset, FilePath, Floats, FloatType, PixelOrder


class ImageShape(NamedTuple):
    """The size of the image that a sample is, and the order of its pixels.

    Attributes
    ----------
    width : int
        Number of pixels from left to right.
    height : int
        Number of pixels from top to bottom.
    order : {'row-major', 'column-major'}, default='row-major'
        Whether pixels run along the rows of an image (NumPy) or down its columns (MATLAB).
    """

    width: int
    height: int
    order: PixelOrder = "row-major"

    def __str__(self) -> str:
        """Write the shape in the form that the program reads."""
        return f"{self.width}x{self.height}:{self.order}"


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples with their labels and names.

    Attributes
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        Samples; SciPy's ``csr_array`` or ``csc_array`` where the file holds a sparse table.
    labels : dict of str to ndarray of shape (n_samples,)
        Labels of each attribute. Integers if all labels are whole numbers, with -1 for unknown
        ones; otherwise strings, with None for unknown ones.
    feature_names : list of str or None
        Names of the features, if known.
    sample_names : list of str or None
        Names of the samples, if known.
    image_shape : ImageShape or None
        Size of the images, if the samples are images.
    """

    X: Any = field(repr=False)
    labels: dict[str, NDArray[Any]] = field(repr=False)
    feature_names: list[str] | None = field(repr=False)
    sample_names: list[str] | None = field(repr=False)
    image_shape: ImageShape | None

    @property
    def images(self) -> Floats:
        """The samples as images, of shape (n_samples, height, width)."""
        if self.image_shape is None:
            raise ValueError("nothing says how wide and high the samples are: load with image=")
        width, height, order = self.image_shape
        X: Floats = self.X if isinstance(self.X, np.ndarray) else self.X.toarray()
        if order == "row-major":
            return X.reshape(-1, height, width)
        return X.reshape(-1, width, height).transpose(0, 2, 1)


def load_data(
    path: FilePath,
    *,
    data_key: str | None = None,
    labels_key: str | None = None,
    labels_file: FilePath | None = None,
    labels_by: str | None = None,
    image: tuple[int, int] | ImageShape | str | None = None,
    pattern: str | None = None,
    resize: tuple[int, int] | None = None,
    dtype: FloatType = "float64",
) -> Dataset:
    r"""Read a file whose rows are samples, or a folder of images.

    It reads ``.npy``, ``.npz``, MATLAB ``.mat``, Matrix Market ``.mtx``, AnnData ``.h5ad``,
    ``.parquet``, ``.csv``, ``.tsv`` and folders of 10x Genomics or of images, as the program does.
    What a file holds as a sparse table stays sparse.

    Parameters
    ----------
    path : str or path-like
        File or folder.
    data_key : str, default=None
        Variable that holds the samples. If None, ``fea`` or ``X``, or the only table.
    labels_key : str, default=None
        Variable or column that holds the labels. If None, the variable ``gnd`` or ``Y``.
    labels_file : str or path-like, default=None
        Text file with labels, one column for each attribute.
    labels_by : str, default=None
        Column of ``labels_file`` with the names of the samples. If None, the rows of the file are
        in the order of the samples.
    image : tuple of int, ImageShape or str, default=None
        Width and height of the images, if the rows of a file are images, such as ``(32, 32)`` or
        ``"32x32:column-major"``.
    pattern : str, default=None
        Pattern of labels in the names of image files, such as ``"{identity}_{pose}"``.
    resize : tuple of int, default=None
        Width and height to which the images of a folder are resized.
    dtype : {'float64', 'float32'}, default='float64'
        Type of the numbers.

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
    preset: FacePreset = "default",
    *,
    identities: int | None = None,
    poses: int | None = None,
    expressions: int | None = None,
    illuminations: int | None = None,
    noise: float | None = None,
    size: int | None = None,
    seed: int | None = None,
    dtype: FloatType = "float64",
) -> Dataset:
    """Draw faces with known identity, pose, expression and illumination.

    Parameters
    ----------
    preset : {'default', 'multipie', 'pie'}, default='default'
        Size of the data set:

        - 'default': 20 people in 5 poses with 3 expressions under 3 lamps;
        - 'multipie': as CMU Multi-PIE;
        - 'pie': as pose 27 of CMU PIE.
    identities : int, default=None
        Number of people. If None, that of the preset.
    poses : int, default=None
        Number of poses. If None, that of the preset.
    expressions : int, default=None
        Number of expressions. If None, that of the preset.
    illuminations : int, default=None
        Number of illuminations. If None, that of the preset.
    noise : float, default=None
        Standard deviation of the noise of every pixel. If None, 0.02.
    size : int, default=None
        Width and height of an image. If None, 32.
    seed : int, default=None
        Seed of people and noise. If None, 0.
    dtype : {'float64', 'float32'}, default='float64'
        Type of the numbers.

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
    check.choice("preset", preset, FacePreset)
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
    dtype: FloatType = "float64",
) -> Dataset:
    """Draw two subjects in two poses, such that no line separates the subjects.

    Parameters
    ----------
    samples : int, default=None
        Number of samples at each of the four corners. If None, 100.
    sigma : float, default=None
        Standard deviation at each corner. If None, 1.
    distance : float, default=None
        Distance between neighbouring corners. If None, 8.
    seed : int, default=None
        Seed of all random numbers. If None, 0.
    dtype : {'float64', 'float32'}, default='float64'
        Type of the numbers.

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


def igo(
    X: ArrayLike, image: tuple[int, int] | ImageShape, *, order: PixelOrder = "row-major"
) -> Floats:
    """Compute the gradient orientations of images, the preprocessing of faces in the paper.

    Parameters
    ----------
    X : array-like of shape (n_samples, width * height)
        Images.
    image : tuple of int or ImageShape
        Width and height of the images.
    order : {'row-major', 'column-major'}, default='row-major'
        Whether pixels run along the rows of an image or down its columns. Ignored if ``image`` is
        an `ImageShape`, which has its own.

    Returns
    -------
    ndarray of shape (n_samples, 2 * width * height)
        The cosine of the gradient angle of every pixel, then the sine. Each sample has norm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from deepnmf import igo
    >>> igo(np.array([[0.0, 1.0, 0.0, 1.0]]), (2, 2)).round(3)
    array([[0.5, 0.5, 0.5, 0.5, 0. , 0. , 0. , 0. ]])
    """
    check.choice("order", order, PixelOrder)
    width, height = image[:2]
    shape = ImageShape(width, height, image[2] if isinstance(image, ImageShape) else order)
    found = check_array(X, dtype=[np.float64, np.float32])
    return _core.gradient_orientations(check.contiguous(found), str(shape))


def image_words(image: tuple[int, int] | ImageShape | str | None) -> str | None:
    """Write the shape of images in the form that the program reads."""
    if type(image) is tuple:
        return "x".join(str(side) for side in image)
    return None if image is None else str(image)


def _spec(name: str, options: dict[str, Any]) -> str:
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    return f"{name}:{','.join(given)}"


def _is_narrow(dtype: Any) -> bool:
    return check.choice("dtype", np.dtype(dtype).name, FloatType) == "float32"


def _dataset(
    X: Any,
    attributes: list[tuple[str, list[str], Codes]],
    feature_names: list[str] | None,
    sample_names: list[str] | None,
    shape: str | None,
) -> Dataset:
    if isinstance(X, tuple):
        *lists, kind, dimensions = X
        made = {"csr": scipy.sparse.csr_array, "csc": scipy.sparse.csc_array}[kind]
        X = made(tuple(lists), shape=dimensions)
    labels = {name: _labels(classes, codes) for name, classes, codes in attributes}
    image_shape = None
    if shape is not None:
        size, _, order = shape.partition(":")
        width, height = (int(side) for side in size.split("x"))
        image_shape = ImageShape(
            width, height, "column-major" if order == "column-major" else "row-major"
        )
    return Dataset(X, labels, feature_names, sample_names, image_shape)


def _labels(classes: list[str], codes: Codes) -> NDArray[Any]:
    """Return the labels: numbers if all are, with -1 for unknown ones; otherwise strings."""
    try:
        numbers = np.asarray([*(int(name) for name in classes), -1], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.asarray([*classes, None], dtype=object)[codes]
    return numbers[codes]
