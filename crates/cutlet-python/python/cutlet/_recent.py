"""Finds what is known about an earlier call with equal tensors, by one comparison of the tensors in
torch's C++.

    key (operator, numbers) ─► the call found last ─► torch's guard of its tensors ── holds ─► its plan: launch
                                                       │ no
    key, shapes ─► the calls with them, up to MOST ─► torch's guard of each call's tensors
                                                       ├─ holds ─► its plan, a result's shape: launch
                                                       └─ none  ─► checks, the dispatcher, `keep`

A guard is the check by which `torch.compile` decides whether it may run compiled code again. The
guard compares types, shapes, strides, devices, and the dispatch keys as the thread's modes and
transforms change them.

Law: `find` returns something only if nothing intercepts the call, and if `keep` was called for
tensors with the same properties. A call that needs gradients and a call that does not are kept
separately.

Without this module, a call would read each of these properties in Python, which takes longer than
the launch.
"""

from typing import Any, Dict, List, Sequence, Tuple

import torch
from torch import Tensor
from torch.compiler import is_compiling

from ._operators import MOST_PLANS, is_watched

# Some versions of torch lack these guards. In those versions no call is kept.
_Guards: Any = getattr(getattr(torch._C._dynamo, "guards", None), "TensorGuards", None)

# The calls by a key and shapes, the one found last first. The key says how many tensors a guard
# takes. Calls with one key and the same shapes differ only in strides, devices, types, and in which
# tensors require gradients.
MOST = 8
_CALLS: Dict[Any, List[Tuple[Any, Any]]] = {}
# The call found last, by a key. The layers of a model make equal calls one after another, and
# reading two shapes takes almost as long as a guard.
_LAST: Dict[Any, Tuple[Any, Any]] = {}


def find(key: Any, tensors: Sequence[Tensor]) -> Any:
    """Returns what `keep` stored for a call with this key and tensors with the same properties.
    Returns None if nothing is stored, or if something intercepts the call."""
    # `is_compiling` comes first, since torch.compile cannot trace the guards.
    if is_compiling() or is_watched():
        return None
    last = _LAST.get(key)
    if last is not None and last[0](*tensors):
        return last[1]
    return recent(key, tensors)


def recent(key: Any, tensors: Sequence[Tensor]) -> Any:
    """`find` behind torch's dispatcher, where nothing intercepts a call any more."""
    with_shapes = _with_shapes(key, tensors)
    calls: Sequence[Tuple[Any, Any]] = _CALLS.get(with_shapes, ())
    for call in calls:
        if call[0](*tensors):
            if call is not calls[0]:
                # A new list, since other threads may go through this one.
                _CALLS[with_shapes] = [call, *(of for of in calls if of is not call)]
            _LAST[key] = call
            return call[1]
    return None


def _with_shapes(key: Any, tensors: Sequence[Tensor]) -> Any:
    """Returns a key with the shapes of the first two tensors, by which most calls differ."""
    return key, tensors[0].shape, tensors[1].shape


def keep(key: Any, known: Any, tensors: Sequence[Tensor], is_dispatched: bool = False, has_gradients: bool = False) -> None:
    """Stores what is known about a call that nothing intercepted, or that torch's dispatcher has
    passed on. The key contains everything that the tensors' properties do not determine, and the
    number of tensors. ``has_gradients`` says that gradients are on and some tensor requires them,
    and that ``known`` provides them."""
    # The call must not bypass the dispatcher's part for gradients. A guard of tensors that require
    # gradients also holds while gradients are on if it was kept while they were off.
    if _Guards is None or not (is_dispatched or has_gradients) and any(of.requires_grad for of in tensors):
        return
    if len(_CALLS) >= MOST_PLANS:
        _CALLS.clear()
        _LAST.clear()
    holds = _Guards(*tensors, dynamic_dims_sizes=None, dynamic_dims_strides=None).check
    # A guard takes no tensor twice.
    if holds(*tensors):
        with_shapes = _with_shapes(key, tensors)
        _CALLS[with_shapes] = [(holds, known), *_CALLS.get(with_shapes, ())][:MOST]
