"""Launches Cutlet's kernels on PyTorch's tensors, by the driver alone: ctypes, no binding.

    cutlet ptx --out ptx          kernels.ptx, and kernels.json, which says what each kernel takes
    python3 launch.py ptx         needs a GPU and PyTorch

Parameters are packed by the manifest: names, types, and a structure's fields at their offsets. Results are held to torch's.
"""

import ctypes
import json
import statistics
import struct
import sys
import time
from pathlib import Path

import torch

CODES = {"u32": "<I", "i32": "<i", "f32": "<f", "u64": "<Q"}
cuda = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    """Raises with the driver's own words where a call failed."""
    if code != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else code}")


class Module:
    """A module's kernels in the context that PyTorch made current."""

    def __init__(self, folder, name="kernels"):
        self.manifest = json.loads(Path(folder, f"{name}.json").read_text())
        self.entries = {kernel["entry"]: kernel for kernel in self.manifest["kernels"]}
        self.structures = {structure["name"]: structure for structure in self.manifest["structures"]}
        self.module = ctypes.c_void_p()
        ptx = Path(folder, self.manifest["ptx"]).read_bytes()
        check(cuda.cuModuleLoadData(ctypes.byref(self.module), ctypes.c_char_p(ptx)), "cuModuleLoadData")

    def pack(self, ty, value):
        """A parameter's bytes."""
        if ty.startswith("*"):
            return struct.pack("<Q", 0 if value is None else value.data_ptr())
        if ty in CODES:
            return struct.pack(CODES[ty], value)
        structure = self.structures[ty]
        out = bytearray(structure["bytes"])
        for field in structure["fields"]:
            struct.pack_into(CODES[field["type"]], out, field["offset"], value[field["name"]])
        return bytes(out)

    def kernel(self, entry):
        """A function: grid and parameters by name, on torch's current stream."""
        described = self.entries[entry]
        function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(function), self.module, entry.encode()), entry)
        shared = described["shared_bytes"]
        if shared > 48 * 1024:
            check(cuda.cuFuncSetAttribute(function, 8, shared), "dynamic shared memory")
        block = [int(extent) for extent in described["block"]]

        def launch(grid, **parameters):
            packed = [self.pack(of["type"], parameters[of["name"]]) for of in described["parameters"]]
            buffers = [ctypes.create_string_buffer(one, len(one)) for one in packed]
            pointers = (ctypes.c_void_p * len(buffers))(*[ctypes.addressof(one) for one in buffers])
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            check(cuda.cuLaunchKernel(function, *grid, *block, shared, stream, pointers, None), entry)

        return launch


def main():
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    module = Module(sys.argv[1])
    flags = {flag["name"]: flag["value"] for flag in module.structures["GemmParams"]["flags"]}

    n = 1_000_003
    a, b = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    c = torch.full_like(a, float("nan"))
    vecadd = module.kernel("vecadd")
    vecadd((-(-n // 1024), 1, 1), a=a, b=b, c=c, n=n)
    right = torch.equal(c, a + b)
    print(f"vecadd, {n} elements: {'equal to torch' if right else 'WRONG'}")

    m, n, k = 1000, 1496, 520
    a, b = (torch.randn(rows, k, device="cuda", dtype=torch.float16) for rows in (m, n))
    d = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)
    gemm = module.kernel("gemm_f16_f32_tn_128x256x64_s4")
    params = dict(m=m, n=n, k=k, k_slices=1, lda=k, ldb=k, ldc=0, ldd=n, batch_a=0, batch_b=0, batch_c=0, batch_d=0)
    params |= dict(alpha=1.0, beta=0.0, epilogue=flags["VECTORS"], raster_group=8)
    gemm((-(-m // 128) * -(-n // 256), 1, 1), d=d, a=a, b=b, c=None, bias=None, workspace=None, params=params)
    exact = a.double() @ b.double().T
    error = ((d.double() - exact).norm() / exact.norm()).item()
    theirs = (((a @ b.T).double() - exact).norm() / exact.norm()).item()
    right &= error <= 1.01 * theirs
    print(f"gemm {m}x{n}x{k}, f16: relative error {error:.2e}, torch's {theirs:.2e}: {'right' if error <= 1.01 * theirs else 'WRONG'}")

    n = 1024
    a, b, c = (torch.zeros(n, device="cuda") for _ in range(3))
    samples = []
    for _ in range(50):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(100):
            vecadd((1, 1, 1), a=a, b=b, c=c, n=n)
        samples.append((time.perf_counter() - begun) / 100)
    print(f"a launch by ctypes: {1e6 * statistics.median(samples):.1f} us of the host's time")
    sys.exit(0 if right else 1)


main()
