"""Layouts in CuTe's notation, PTX kernels that are checked and profiled without a GPU, and Cutlet's
kernels as operators of torch.

====================  ======================================================
``layout(text)``      a value of CuTe's notation: its laws, its picture
``draw(text)``        a picture: SVG, PNG, LaTeX, text
``check(ptx, ..)``    runs a kernel, or a launch file; raises the first `Finding`
``profile(ptx, ..)``  runs a kernel; counters by instruction, all findings
``ops``               attention and matrix products of torch's tensors
====================  ======================================================

Kernels are PTX of any compiler: Triton (``kernel.asm["ptx"]``), CuTe's DSL, TileLang, nvcc. They
run on an emulator, which executes the PTX and checks every access. Arrays are numpy arrays or torch
tensors on the CPU, and contain the results after the call. A `TensorMap` of an array is an argument
for kernels that use TMA.
"""

from typing import Any

from ._errors import (
    CutletError,
    DrawError,
    Finding,
    LaunchError,
    LaunchFileError,
    NotationError,
    OperatorError,
    OutputError,
    Place,
    PtxError,
)
from ._launch import Counters, Line, Profile, Report, TensorMap, check, kernels, profile, uninitialised
from ._layout import Layout, Picture, draw, layout

# Where users find them: a traceback names them so.
for _error in (
    CutletError,
    DrawError,
    Finding,
    LaunchError,
    LaunchFileError,
    NotationError,
    OperatorError,
    OutputError,
    PtxError,
):
    _error.__module__ = __name__

__all__ = [
    "Counters",
    "CutletError",
    "DrawError",
    "Finding",
    "LaunchError",
    "LaunchFileError",
    "Layout",
    "Line",
    "NotationError",
    "OperatorError",
    "OutputError",
    "Picture",
    "Place",
    "Profile",
    "PtxError",
    "Report",
    "TensorMap",
    "check",
    "draw",
    "kernels",
    "layout",
    "profile",
    "uninitialised",
]


def __getattr__(name: str) -> Any:
    """Imports `cutlet.ops` at its first use. That module needs torch, which no other module of the
    package needs."""
    if name == "ops":
        import importlib

        return importlib.import_module(".ops", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
