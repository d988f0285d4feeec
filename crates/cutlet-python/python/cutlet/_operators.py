"""What operators of torch share: their plans, their definition, and what they refuse of a tensor.

    tensors ─ key_of ─► PLANS ── known ─► Plan.run: torch's current stream, or the emulator
                          └───── new ─► checks, a plan of `_native`, `remember`
"""

import ctypes
from itertools import zip_longest
from typing import Any, Dict, Optional, Sequence, Tuple

import torch
from torch import Tensor

from . import _native
from ._errors import OperatorError

LIBRARY = torch.library.Library("cutlet", "DEF")
# A plan is made for the strides of its operands: torch.compile must not change them.
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)

# The roles in `Launches.buffers`.
OUTPUT, SCRATCH = 1, 2


class Plan:
    """An operator's launches for one problem on one device."""

    __slots__ = ("native", "buffers", "outputs", "scratch")

    def __init__(self, native: _native.Launches) -> None:
        self.native = native
        self.buffers = native.buffers()
        self.outputs = [place for place, (_, _, role) in enumerate(self.buffers) if role == OUTPUT]
        self.scratch = [(place, size) for place, (_, size, role) in enumerate(self.buffers) if role == SCRATCH and size > 0]

    def run(self, tensors: Sequence[Optional[Tensor]], device: Any) -> None:
        """Computes on the tensors of the buffers, in their order: ``None`` for scratch, and for buffers
        that the problem does not use. Scratch at the end may be left out."""
        if device.type == "cuda":
            addresses = [0 if tensor is None else tensor.data_ptr() for tensor in tensors]
            addresses += [0] * (len(self.buffers) - len(addresses))
            # Scratch is held until the launches are enqueued. The allocator then gives its memory
            # to this stream alone, whose later work runs after the launches.
            kept = []
            for place, size in self.scratch:
                kept.append(torch.empty(size, dtype=torch.uint8, device=device))
                addresses[place] = kept[-1].data_ptr()
            self.native.launch(torch._C._cuda_getCurrentRawStream(device.index), addresses)
            return
        held = zip_longest(tensors, self.buffers)
        results = self.native.emulate([b"" if tensor is None else ctypes.string_at(tensor.data_ptr(), of[1]) for tensor, of in held])
        for place, result in zip(self.outputs, results):
            tensor = tensors[place]
            if tensor is not None:
                ctypes.memmove(tensor.data_ptr(), result, len(result))


def number_of(device: Any) -> Optional[int]:
    """The GPU's number; ``None`` for the CPU."""
    return int(device.index) if device.type == "cuda" else None


def check_alike(name: str, tensor: Tensor, first: str, other: Tensor) -> None:
    """Refuses a tensor of another type or device than the first."""
    if tensor.dtype != other.dtype:
        raise OperatorError(f"{name} is of {tensor.dtype}; it must be of {first}'s {other.dtype}")
    if tensor.device != other.device:
        raise OperatorError(f"{name} is on {tensor.device}; it must be on {first}'s {other.device}")


def check_half(name: str, tensor: Tensor) -> None:
    """Refuses a tensor of neither f16 nor bf16, and devices that no kernel is for."""
    if tensor.dtype not in (torch.bfloat16, torch.float16):
        raise OperatorError(f"{name} is of {tensor.dtype}; the kernels are for torch.float16 and torch.bfloat16")
    if tensor.device.type not in ("cuda", "cpu"):
        raise OperatorError(f"{name} is on {tensor.device}; the kernels run on cuda, and on cpu by the emulator")


# Plans by all that they are made of. A problem that has a plan has passed the checks.
PLANS: Dict[Any, Plan] = {}


def remember(key: Any, plan: Plan) -> Plan:
    if len(PLANS) >= 4096:
        PLANS.clear()
    PLANS[key] = plan
    return plan


def key_of(*tensors: Tensor) -> Tuple[Any, ...]:
    """What a plan depends on in its tensors."""
    return tuple([(of.shape, of.stride(), of.dtype, of.device) for of in tensors])


def define(name: str, schema: str, compute: Any, fake: Any) -> None:
    """Defines an operator of torch, with its kernel for GPUs and the CPU and its fake kernel."""
    LIBRARY.define(name + schema, tags=TAGS)
    for key in ("CUDA", "CPU"):
        LIBRARY.impl(name, compute, key)
    torch.library.register_fake(f"cutlet::{name}", fake, lib=LIBRARY)
