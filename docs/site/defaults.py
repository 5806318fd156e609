"""Keeps the choices of parameters from being read as their defaults on the page of the Python API.

``name : {'a', 'b'}, default='b'`` is read as ``name : 'a' or 'b', default='b'``.
"""

from __future__ import annotations

import re

import griffe

CHOICES = re.compile(r"^( *\w+ : )\{([^}\n]*)\}", re.M)


class Defaults(griffe.Extension):
    """Rewrites the docstring of every object."""

    def on_object(self, *, obj: griffe.Object, **kwargs: object) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring:
            obj.docstring.value = CHOICES.sub(
                lambda found: found[1] + found[2].replace(", ", " or "), obj.docstring.value
            )
