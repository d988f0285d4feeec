#!/usr/bin/env python3
"""PyTorch's sequence of exchange and product by NCCL, timed as `cutlet bench distributed` times its own: medians of samples, each from
idle GPUs to idle GPUs over several products one behind the other. Times in microseconds.

    python3 examples/distributed/torch_sequence.py [GPUS]
"""
import os
import statistics
import sys
import tempfile
import time

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # no NVLink multicast
import torch
import torch.distributed as dist

SHAPES = [(8192, 8192, 8192), (16384, 12288, 4096), (16384, 4096, 12288), (16384, 16384, 16384)]


def median(work, runs, samples=7):
    seconds = []
    for sample in range(samples + 1):
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(runs):
            work()
        torch.cuda.synchronize()
        if sample:
            seconds.append((time.perf_counter() - start) / runs)
    slowest = torch.tensor([statistics.median(seconds)], device="cuda")
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item() * 1e6


def random(*shape):
    return torch.rand(*shape, device="cuda", dtype=torch.bfloat16) * 2 - 1


def program(rank, size, meeting):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{meeting}", rank=rank, world_size=size)
    say = print if rank == 0 else lambda *_: None
    say(f"torch {torch.__version__}, NCCL {torch.cuda.nccl.version()}, {size} x {torch.cuda.get_device_name()}")
    for mebibytes in map(int, filter(None, os.environ.get("MEBIBYTES", "64,1024").split(","))):
        count = mebibytes * 2**20 // 2
        whole, other, part = random(count), random(count), random(count // size)
        calls = {
            "all_reduce": (lambda: dist.all_reduce(whole), 2),
            "all_gather": (lambda: dist.all_gather_into_tensor(whole, part), 1),
            "reduce_scatter": (lambda: dist.reduce_scatter_tensor(part, whole), 1),
            "all_to_all": (lambda: dist.all_to_all_single(whole, other), 1),
        }
        for name, (call, times) in calls.items():
            whole.zero_()
            us = median(call, 10 if mebibytes > 256 else 40)
            say(f"{name} {mebibytes} MiB {us:.1f} us, {times * (size - 1) / size * count * 2 / us * 1e-3:.1f} GB/s on the bus")
        del whole, other, part
    for m, n, k in SHAPES:
        mine, gathered, columns = random(m // size, k), torch.empty(m, k, device="cuda", dtype=torch.bfloat16), random(n // size, k).t()

        def column():
            dist.all_gather_into_tensor(gathered, mine)
            return gathered @ columns

        us = median(column, 10)
        gather = median(lambda: dist.all_gather_into_tensor(gathered, mine), 10)
        product = median(lambda: gathered @ columns, 10)
        say(f"column {m} {n} {k}: {gather:.1f} + {product:.1f} = {us:.1f} us")
        del mine, gathered, columns
        a, b, scattered = random(m, k // size), random(n, k // size).t(), torch.empty(m // size, n, device="cuda", dtype=torch.bfloat16)

        def row():
            dist.reduce_scatter_tensor(scattered, a @ b)

        us = median(row, 10)
        product = median(lambda: a @ b, 10)
        partial = a @ b
        scatter = median(lambda: dist.reduce_scatter_tensor(scattered, partial), 10)
        say(f"row {m} {n} {k}: {product:.1f} + {scatter:.1f} = {us:.1f} us")
        if (m, n, k) == SHAPES[-1]:
            del a, b, scattered, partial
            a, b = random(m, k), random(n, k).t()
            say(f"one GPU {m} {n} {k}: {median(lambda: a @ b, 10):.1f} us")
    dist.destroy_process_group()


if __name__ == "__main__":
    gpus = int(sys.argv[1]) if len(sys.argv) > 1 else torch.cuda.device_count()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(program, (gpus, os.path.join(folder, "meeting")), gpus)
