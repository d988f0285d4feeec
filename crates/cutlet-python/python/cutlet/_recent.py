"""Finds what is known of a call that was made before, by one comparison of its tensors in torch's C++.

    key (operator, numbers, shapes) ─► the calls with it, up to MOST ─► torch's guard of each call's tensors
                                                                         ├─ holds ─► its plan, a result's shape: launch
                                                                         └─ none  ─► checks, the dispatcher, `keep`

A guard is what `torch.compile` asks whether it may run compiled code again. It compares types,
shapes, strides, devices, and the dispatch keys as modes and transforms of the thread change them.

Law: `find` returns something only if nothing intercepts the call, and it was kept for tensors with
the same properties. A call is known either with gradients to come or without.

Without it a call in Python reads each of these properties by itself, which takes longer than the
launch.
"""

from typing import Any, Dict, List, Sequence, Tuple

import torch
from torch import Tensor
from torch.compiler import is_compiling

from ._operators import MOST_PLANS, is_watched

# Absent in some versions of torch: then no call is kept.
_Guards: Any = getattr(getattr(torch._C._dynamo, "guards", None), "TensorGuards", None)

# By a key, which says how many tensors a guard takes, the last call that was found first. Calls of one
# key differ only in strides, devices, types, and in which tensors require gradients.
MOST = 8
_CALLS: Dict[Any, List[Tuple[Any, Any]]] = {}


def find(key: Any, tensors: Sequence[Tensor]) -> Any:
    """What `keep` was given for a call with this key and such tensors; None if there is none, or
    something intercepts the call."""
    # First, since torch.compile does not trace the guards.
    return None if is_compiling() or is_watched() else recent(key, tensors)


def recent(key: Any, tensors: Sequence[Tensor]) -> Any:
    """`find` behind torch's dispatcher, where nothing intercepts a call any more."""
    calls: Sequence[Tuple[Any, Any]] = _CALLS.get(key, ())
    for call in calls:
        if call[0](*tensors):
            if call is not calls[0]:
                # A new list, since other threads may go through this one.
                _CALLS[key] = [call, *(of for of in calls if of is not call)]
            return call[1]
    return None


def keep(key: Any, known: Any, tensors: Sequence[Tensor], is_dispatched: bool = False, has_gradients: bool = False) -> None:
    """Keeps what is known of a call that nothing intercepted, or that is behind torch's dispatcher.
    The key holds what the tensors' properties do not say, and how many tensors there are.
    ``has_gradients`` says that some tensor requires gradients, which are on, and that ``known``
    provides them."""
    # The dispatcher's part for gradients is not to be passed by. A guard of tensors that require
    # gradients holds while these are on, even if it was kept while they were off.
    if _Guards is None or not (is_dispatched or has_gradients) and any(of.requires_grad for of in tensors):
        return
    if len(_CALLS) >= MOST_PLANS:
        _CALLS.clear()
    holds = _Guards(*tensors, dynamic_dims_sizes=None, dynamic_dims_strides=None).check
    # A guard takes no tensor twice.
    if holds(*tensors):
        _CALLS[key] = [(holds, known), *_CALLS.get(key, ())][:MOST]
