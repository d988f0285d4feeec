"""Serves a competitor of `cutlet bench` from a process of its own, line by line, so that its rounds alternate with ours.

The code appended to this text defines `load()`, which imports the library and returns its version, and `prepare(problem)`, which returns for each name
a function that returns the work to time and a function for its results. The answer to a problem has the compared rows of each result, by name. The
answer to `time` (a name), `runs` and `least` (seconds of a sample) is the median of the samples in seconds.
"""
import importlib.metadata
import json
import math
import os
import sys


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def read(path, shape, kind):
    """Reads a tensor from a file onto the GPU. 8-bit floats are read as bytes, because not every torch maps files of them."""
    name = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "tf32": "float32", "e4m3": "uint8", "u8": "uint8"}[kind]
    of = getattr(torch, name)
    all_of_it = torch.from_file(path, size=math.prod(shape), dtype=of)
    return (all_of_it.view(torch.float8_e4m3fn) if kind == "e4m3" else all_of_it).reshape(*shape).cuda()


def sample(work, executions):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(executions):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 / executions


def median(work, runs, least):
    """The median of samples that repeat the work for `least` seconds each, as ours do: a single execution would include the host's time before it."""
    for _ in range(3):
        once = sample(work, 1)
    executions = max(2, math.ceil(least / once))
    times = sorted(sample(work, executions) for _ in range(runs))
    return times[len(times) // 2]


def said(error):
    return (str(error).splitlines() or [repr(error)])[0]


def rows_of(results, compared):
    if not results:
        return []
    rows = [of.reshape(-1, of.shape[-1])[compared] for of in results]
    # JSON has no NaN.
    return [x if math.isfinite(x) else None for x in torch.cat(rows).double().flatten().tolist()]


def answer_to(asked, work, prepare):
    if "time" in asked:
        return {"seconds": median(work[asked["time"]], asked["runs"], asked["least"])}
    work.clear()
    answer = {}
    for name, begin in prepare(asked).items():
        try:
            # The work to time, and the function for its results.
            work[name], results = begin()
            answer[name] = {"rows": rows_of(results(), asked["compared"])}
        except Exception as error:
            answer[name] = {"error": said(error)}
    return answer


def serve(load, prepare):
    global torch
    # Sends the output of the library and of its child processes to stderr: only answers go to stdout.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answer = lambda of: print(json.dumps(of), file=answers, flush=True)
    try:
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        answer(load())
    except Exception as error:  # Cutlet reports it.
        answer({"error": said(error)})
        sys.exit(0)
    work = {}
    for line in sys.stdin:
        try:
            answer(answer_to(json.loads(line), work, prepare))
        except Exception as error:
            answer({"error": said(error)})
