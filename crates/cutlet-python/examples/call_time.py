"""The host's time for a call of each operator, beside torch's own: microseconds, the median and the least of several runs.

    python call_time.py [--calls 2000] [--runs 7] [--device cuda]

The problems are tiny, so that the host and not the GPU bounds the rate of calls. The clock stops before
the GPU has finished: what is timed is how long the caller waits until a call returns. On the CPU the
emulator computes, which takes far longer than a call: there the script only shows that it works.
"""

import argparse
import statistics
import time

import torch

import cutlet

# Fewer calls than fit in the driver's queue. If the queue is full, a call waits for the GPU.
QUEUED = 200


def operators(device):
    """Pairs of a name and a function, Cutlet's operators and torch's own."""
    of = dict(device=device, dtype=torch.bfloat16)
    heads = [torch.randn(1, 2, 64, 64, **of) for _ in range(3)]
    trained = [each.clone().requires_grad_() for each in heads]
    rows = [torch.randn(64, 2, 64, **of) for _ in range(3)]
    starts = torch.tensor([0, 24, 64], device=device, dtype=torch.int32)
    a, b, x = torch.randn(64, 64, **of), torch.randn(64, 64, **of), torch.randn(8, 1024, **of)
    linear = torch.randn(1024, 1024, **of)
    codes = torch.randint(0, 16, (1024, 1024), device=device, dtype=torch.uint8)
    packed = cutlet.ops.pack_int4(codes, torch.rand(1024, 8, device=device).to(torch.bfloat16))
    sdpa = torch.nn.functional.scaled_dot_product_attention
    yield "attention", lambda: cutlet.ops.attention(*heads)
    yield "  torch", lambda: sdpa(*heads)
    yield "attention_varlen", lambda: cutlet.ops.attention_varlen(*rows, starts, starts)
    yield "matmul", lambda: cutlet.ops.matmul(a, b)
    yield "  torch", lambda: torch.matmul(a, b)
    yield "linear_int4", lambda: cutlet.ops.linear_int4(x, packed)
    yield "  torch, bf16", lambda: torch.nn.functional.linear(x, linear)
    yield "attention, with gradients to come", lambda: cutlet.ops.attention(*trained)
    yield "  torch", lambda: sdpa(*trained)


def microseconds(call, calls, runs, wait):
    """The median and the least of a call's time over the runs."""
    found = []
    for _ in range(runs):
        passed = 0.0
        for _ in range(0, calls, QUEUED):
            wait()
            begun = time.perf_counter()
            for _ in range(QUEUED):
                call()
            passed += time.perf_counter() - begun
        found.append(passed / (-(-calls // QUEUED) * QUEUED) * 1e6)
    return statistics.median(found), min(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    of = parser.parse_args()
    wait = torch.cuda.synchronize if of.device.startswith("cuda") else lambda: None
    for name, call in operators(of.device):
        try:
            # In the first call, Cutlet plans and the driver compiles.
            call()
        except cutlet.OperatorError as error:
            print(f"{name:35} {error}")
            continue
        median, least = microseconds(call, of.calls, of.runs, wait)
        print(f"{name:35} {median:8.1f} µs, least {least:.1f}")


if __name__ == "__main__":
    main()
