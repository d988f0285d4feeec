"""The competitors of `cutlet bench attention`: PyTorch's, asked line by line, so that theirs and ours are timed in turn.

A line with a problem answers with the rows asked for, of O, or, where it has `d_o`, of dQ, dK and dV in this order; a line with `time` (a name), `runs` and
`least` (seconds a sample) answers with the median of its samples in seconds.
"""
import json
import math
import sys

try:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    if not torch.cuda.is_available():
        raise RuntimeError("it sees no GPU")
except Exception as error:  # Whatever it is, Cutlet says it.
    print(json.dumps({"error": f"no PyTorch: {error}"}), flush=True)
    sys.exit(0)

BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention-2": SDPBackend.FLASH_ATTENTION}
print(json.dumps({"torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}), flush=True)


def read(path, batches, heads, rows, dim, dtype):
    kind = {"bf16": torch.bfloat16, "f16": torch.float16}[dtype]
    count = batches * heads * rows * dim
    return torch.from_file(path, size=count, dtype=kind).reshape(batches, heads, rows, dim).cuda()


def sample(work, executions):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(executions):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 / executions


def median(work, runs, least):
    """As ours: one execution behind the other for `least` seconds a sample, or what the processor does before each would count."""
    for _ in range(3):
        once = sample(work, 1)
    executions = max(2, math.ceil(least / once))
    times = sorted(sample(work, executions) for _ in range(runs))
    return times[len(times) // 2]


def attend(name):
    with sdpa_kernel(BACKENDS[name]):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)


def gradients(o):
    """Those of Q, K and V by the kernel that O came from, which stays for the next call."""
    return torch.autograd.grad(o, (q, k, v), d_o, retain_graph=True)


def results(name):
    """O, or the gradients; what is timed is left in `work`."""
    if not backward:
        work[name] = lambda: attend(name)
        return [attend(name)]
    o = attend(name)
    work[name] = lambda: gradients(o)
    return gradients(o)


for line in sys.stdin:
    asked = json.loads(line)
    try:
        if "time" in asked:
            answer = {"seconds": median(work[asked["time"]], asked["runs"], asked["least"])}
        else:
            work, backward = {}, "d_o" in asked
            extents = [asked[name] for name in ("batches", "heads", "rows", "dim", "dtype")]
            q, k, v = (read(asked[name], *extents).requires_grad_(backward) for name in ("q", "k", "v"))
            d_o = read(asked["d_o"], *extents) if backward else None
            causal, scale = asked["causal"], asked["scale"]
            answer = {}
            for name in BACKENDS:
                try:
                    rows = [of.reshape(-1, asked["dim"])[asked["compared"]] for of in results(name)]
                    answer[name] = {"rows": torch.cat(rows).double().flatten().tolist()}
                except Exception as error:
                    answer[name] = {"error": str(error).splitlines()[0]}
    except Exception as error:
        answer = {"error": str(error).splitlines()[0]}
    print(json.dumps(answer), flush=True)
