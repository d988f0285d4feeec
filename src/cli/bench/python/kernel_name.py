# Says which kernel cuBLAS takes for a product, by PyTorch's profiler: a question a line, {"m", "n", "k", "dtype"}.
import json
import sys

try:
    import torch
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch sees no GPU")
except Exception as error:
    print(json.dumps({"error": str(error)}), flush=True)
    sys.exit()

print(json.dumps({"torch": torch.__version__}), flush=True)
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "tf32": torch.float32}
torch.backends.cuda.matmul.allow_tf32 = True

for line in sys.stdin:
    try:
        question = json.loads(line)
        kind = TYPES[question["dtype"]]
        a = torch.rand(question["m"], question["k"], device="cuda", dtype=kind)
        b = torch.rand(question["n"], question["k"], device="cuda", dtype=kind)
        a @ b.T
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as found:
            a @ b.T
            torch.cuda.synchronize()
        on_gpu = [event for event in found.events() if event.device_type == DeviceType.CUDA]
        # Without the parameters of a template.
        names = [event.name.split("<")[0] for event in on_gpu if "Memset" not in event.name]
        answer = {"kernel": " + ".join(dict.fromkeys(names))}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
