"""Values of CuTe's notation, and pictures of them."""

import html
import operator
import os
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _native


def _argument(coordinate: Any) -> str:
    """Returns a coordinate in CuTe's notation. ``None`` and ``:`` become ``_``."""
    if coordinate is None or coordinate == slice(None):
        return "_"
    if isinstance(coordinate, (tuple, list)):
        return "(" + ",".join(map(_argument, coordinate)) + ")"
    if isinstance(coordinate, slice):
        raise TypeError(f"{coordinate} is no coordinate: a mode is taken whole (:) or at an index")
    # An integer of Python's or numpy's; not a float, whose fraction would be lost.
    return str(operator.index(coordinate))


class Layout:
    """A value of CuTe's notation: a layout, a swizzled layout, an atom, a tiled copy, an integer, a tuple.

    >>> tiles = layout("zipped_divide((8,8):(1,8), (4,2))")
    >>> str(tiles), tiles.size, tiles(3, 2)
    ('((4,2),(2,4)):((1,8),(4,16))', 64, 19)
    >>> tiles.laws["compact"]
    True

    In a notebook it is its picture. Two are equal where they print the same value.
    """

    def __init__(self, text: str) -> None:
        self._value = _native.Value(text)
        self.text = text

    @classmethod
    def _of(cls, value: Any, text: str) -> "Layout":
        made = cls.__new__(cls)
        made._value, made.text = value, text
        return made

    @property
    def value(self) -> str:
        """Returns the value as CuTe prints it."""
        return self._value.value

    @property
    def kind(self) -> str:
        """Returns the kind of the value: ``a layout``, ``an MMA atom``, .."""
        return self._value.kind

    @property
    def laws(self) -> Dict[str, Any]:
        """Returns the properties of a layout: ``size``, ``cosize``, ``rank``, ``depth``,
        ``injective``, ``compact``, ``contiguous`` (the number of elements from index 0 on that
        follow each other in memory), ``vector`` (the widest vector access that the layout allows
        everywhere). A property is ``None`` if the layout is too large to compute it. A value that
        is not a layout has no properties."""
        return self._value.laws() or {}

    @property
    def size(self) -> Optional[int]:
        """Returns the number of elements of a layout."""
        return self.laws.get("size")

    @property
    def cosize(self) -> Any:
        """Returns the largest offset plus 1."""
        return self.laws.get("cosize")

    def __call__(self, *coordinate: Any) -> Union[int, "Layout"]:
        """Returns the offset at an index or a coordinate. With ``None`` for a mode, returns the
        slice.

        >>> rows = layout("(4,8):(8,1)")
        >>> rows(1, 2), rows(9), str(rows(1, None))
        (10, 10, '(8):(1)')
        """
        text = ",".join(map(_argument, coordinate))
        found = self._value.call(text)
        number = found.integer()
        return self._of(found, f"{self.text}({text})") if number is None else number

    def __getitem__(self, coordinate: Any) -> Union[int, "Layout"]:
        """Does the same as a call: ``rows[1, 2]``, ``rows[1, :]``."""
        return self(*coordinate) if isinstance(coordinate, tuple) else self(coordinate)

    # Without this, Python would ask for `self[0]`, `self[1]` and so on without end: every index has an
    # offset.
    __iter__ = None

    def draw(self, **options: Any) -> "Picture":
        """Returns the picture of the value, with the options of `draw`."""
        return draw(self, **options)

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"cutlet.layout({self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __reduce__(self) -> Any:
        return (layout, (self.text,))

    def _repr_svg_(self) -> Optional[str]:
        try:
            return draw(self).svg
        except ValueError:
            return None

    def _repr_html_(self) -> str:
        lines = "\n".join(self._value.described())
        picture = self._repr_svg_() or ""
        return f"{picture}<pre>{html.escape(lines)}</pre>"


def layout(text: Union[str, Layout]) -> Layout:
    """Evaluates an expression of CuTe's notation; returns a `Layout` as it is.

    Raises `NotationError` with the place in the text.

    >>> layout("(4,8):(8,1)").cosize
    32
    """
    return text if isinstance(text, Layout) else Layout(text)


class Picture:
    """A picture of a value. A notebook displays it, light or dark as in the reader's system."""

    def __init__(self, text: str, options: Tuple[str, str, int, int]) -> None:
        self.text = text
        self._options = options
        # A value that has no picture is refused here, and not only when the picture is displayed.
        self._svg = _native.draw(text, "svg", *options).decode()

    @property
    def svg(self) -> str:
        """Returns the picture as SVG."""
        return self._svg

    @property
    def png(self) -> bytes:
        """Returns the picture as PNG."""
        return _native.draw(self.text, "png", *self._options)

    @property
    def latex(self) -> str:
        """Returns the picture as a LaTeX document."""
        return _native.draw(self.text, "latex", *self._options).decode()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a file in the format that the end of its name states: ``.svg``, ``.png``, ``.tex``
        or ``.txt``."""
        formats = {".svg": "svg", ".png": "png", ".tex": "latex", ".txt": "text"}
        end = os.path.splitext(os.fspath(path))[1].lower()
        if end not in formats:
            raise ValueError(f"{os.fspath(path)!r} ends in none of {', '.join(formats)}")
        contents = _native.draw(self.text, formats[end], *self._options)
        with open(path, "wb") as file:
            file.write(contents)

    def __str__(self) -> str:
        return _native.draw(self.text, "text", *self._options).decode()

    def __repr__(self) -> str:
        return f"cutlet.draw({self.text!r})"

    def _repr_svg_(self) -> str:
        return self._svg


def draw(
    value: Union[str, Layout], *, theme: str = "auto", colour: str = "auto", bits: int = 16, access: int = 16
) -> Picture:
    """Draws an expression or a value: a layout, a swizzle, a thread-value layout, an MMA, a copy, a
    divide, ``pipeline(stages, tiles)``.

    ``theme`` is ``auto``, ``light`` or ``dark``. ``colour`` is ``auto``, ``offset``, ``bank`` or
    ``none``. If banks are coloured, ``bits`` is the number of bits of an element, and ``access``
    the number of bytes of an access. Raises `NotationError`, or `DrawError` for a value that has no
    picture.

    >>> draw("(2,2):(2,1)").svg.count("data-o=")
    4
    """
    text = value if isinstance(value, str) else value.text
    return Picture(text, (theme, colour, bits, access))
