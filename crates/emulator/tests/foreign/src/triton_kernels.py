"""Kernels in Triton, compiled to PTX for sm_80 without a device: python triton_kernels.py FOLDER"""
import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, i < n) + 2 * tl.load(y + i, i < n), i < n)


@triton.jit
def triton_softmax(x, y, columns, BLOCK: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, c < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * columns + c, e / tl.sum(e, 0), c < columns)


@triton.jit
def triton_layernorm(x, scale, shift, y, columns, epsilon, BLOCK: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, c < columns, other=0.0)
    mean = tl.sum(v, 0) / columns
    d = tl.where(c < columns, v - mean, 0.0)
    inverse = 1 / tl.sqrt(tl.sum(d * d, 0) / columns + epsilon)
    r = d * inverse * tl.load(scale + c, c < columns) + tl.load(shift + c, c < columns)
    tl.store(y + row * columns + c, r, c < columns)


@triton.jit
def triton_matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), tl.float32)
    for t in range(0, k, BK):
        rk = t + tl.arange(0, BK)
        ta = tl.load(a + rm[:, None] * k + rk[None, :], (rm[:, None] < m) & (rk[None, :] < k), other=0.0)
        tb = tl.load(b + rk[:, None] * n + rn[None, :], (rk[:, None] < k) & (rn[None, :] < n), other=0.0)
        sum = tl.dot(ta, tb, sum)
    tl.store(c + rm[:, None] * n + rn[None, :], sum, (rm[:, None] < m) & (rn[None, :] < n))


@triton.jit
def triton_attention(q, k, v, o, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    tq = tl.load(q + rows[:, None] * D + d[None, :], rows[:, None] < length, other=0.0)
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sum = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        c = start + tl.arange(0, BN)
        tk = tl.load(k + c[None, :] * D + d[:, None], c[None, :] < length, other=0.0)
        s = tl.dot(tq, tk) * scale
        s = tl.where(c[None, :] < length, s, -float("inf"))
        now = tl.maximum(most, tl.max(s, 1))
        p, fade = tl.exp(s - now[:, None]), tl.exp(most - now)
        tv = tl.load(v + c[:, None] * D + d[None, :], c[:, None] < length, other=0.0)
        sum = tl.dot(p.to(tl.float16), tv, sum * fade[:, None])
        total, most = total * fade + tl.sum(p, 1), now
    tl.store(o + rows[:, None] * D + d[None, :], sum / total[:, None], rows[:, None] < length)


@triton.jit
def triton_cumsum(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n, other=0)
    tl.store(y + i, tl.cumsum(v, 0) + 1000 * (tl.sort(v) & 15), i < n)


KERNELS = [
    (triton_add, dict(x="*fp32", y="*fp32", z="*fp32", n="i32"), dict(BLOCK=256), 4),
    (triton_softmax, dict(x="*fp32", y="*fp32", columns="i32"), dict(BLOCK=256), 4),
    (triton_layernorm, dict(x="*fp32", scale="*fp32", shift="*fp32", y="*fp32", columns="i32", epsilon="fp32"), dict(BLOCK=256), 4),
    (triton_matmul, dict(a="*fp16", b="*fp16", c="*fp32", m="i32", n="i32", k="i32"), dict(BM=32, BN=32, BK=32), 4),
    (triton_attention, dict(q="*fp16", k="*fp16", v="*fp16", o="*fp32", length="i32", scale="fp32"), dict(BM=32, BN=32, D=32), 4),
    (triton_cumsum, dict(x="*i32", y="*i32", n="i32"), dict(BLOCK=128), 4),
]

for kernel, signature, constants, warps in KERNELS:
    signature = signature | {name: "constexpr" for name in constants}
    aligned = {(i,): [["tt.divisibility", 16]] for i, ty in enumerate(signature.values()) if ty[0] == "*"}
    source = ASTSource(kernel, signature, constants, aligned)
    built = triton.compile(source, target=GPUTarget("cuda", 80, 32), options=dict(num_warps=warps, num_stages=3))
    name = kernel.fn.__name__
    with open(f"{sys.argv[1]}/{name}.ptx", "w") as file:
        file.write(f"// shared memory: {built.metadata.shared} bytes, {warps} warps\n" + built.asm["ptx"])
