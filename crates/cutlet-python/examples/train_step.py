"""A training step of a small transformer, with Cutlet's attention and with torch's, compiled: losses, milliseconds a step, microseconds a call.

    python train_step.py [--layers 4] [--heads 16] [--dim 128] [--rows 2048] [--batch 4] [--steps 20] [--device cuda]

On the CPU the emulator computes. To see whether it works, use ``--layers 1 --heads 2 --dim 64 --rows 32 --batch 1 --steps 2 --device cpu``.
"""

import argparse
import time

import torch

import cutlet


class Layer(torch.nn.Module):
    """Attention and a perceptron, each on normalised rows, added to them."""

    def __init__(self, heads, dim, attention):
        super().__init__()
        width = heads * dim
        self.heads, self.dim, self.attention = heads, dim, attention
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.qkv = torch.nn.Linear(width, 3 * width, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.perceptron = torch.nn.Sequential(torch.nn.Linear(width, 2 * width), torch.nn.GELU(), torch.nn.Linear(2 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, self.dim)).transpose(1, 3).unbind(2)
        x = x + self.out(self.attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.perceptron(self.norms[1](x))


def cutlets(q, k, v):
    return cutlet.ops.attention(q, k, v, causal=True)


def torchs(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("layers", 4), ("heads", 16), ("dim", 128), ("rows", 2048), ("batch", 4), ("steps", 20)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--backend", help="torch.compile's; by default inductor on a GPU, which needs a C compiler")
    of = parser.parse_args()
    on_gpu = of.device.startswith("cuda")
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    found = {}
    for name, attention in (("cutlet", cutlets), ("torch", torchs)):
        torch.manual_seed(0)
        model = torch.nn.Sequential(*(Layer(of.heads, of.dim, attention) for _ in range(of.layers))).to(of.device, torch.bfloat16)
        compiled = torch.compile(model, fullgraph=True, backend=of.backend or ("inductor" if on_gpu else "aot_eager"))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        x = torch.randn(of.batch, of.rows, of.heads * of.dim, device=of.device, dtype=torch.bfloat16)
        y = torch.randn_like(x)
        losses, times = [], []
        for _ in range(of.steps):
            wait()
            begun = time.perf_counter()
            loss = torch.nn.functional.mse_loss(compiled(x).float(), y.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            wait()
            times.append(time.perf_counter() - begun)
            losses.append(loss.item())
        found[name] = losses
        print(f"{name:7} loss {losses[0]:.5f} .. {losses[-1]:.5f}   {1e3 * sorted(times)[len(times) // 2]:.2f} ms a step")
    apart = max(abs(a - b) / b for a, b in zip(found["cutlet"], found["torch"]))
    print(f"losses at most {100 * apart:.3f} % apart")
    assert apart < 0.01, found
    if on_gpu:
        # Measures the host's time for a call, with a problem that the GPU computes in less time.
        q, k, v = (torch.randn(1, 1, 64, of.dim, device=of.device, dtype=torch.bfloat16) for _ in range(3))
        for name, attention in (("cutlet", cutlets), ("torch", torchs)):
            for _ in range(100):
                attention(q, k, v)
            wait()
            begun = time.perf_counter()
            for _ in range(1000):
                attention(q, k, v)
            print(f"{name:7} {1e3 * (time.perf_counter() - begun):.1f} us a call")
            wait()


if __name__ == "__main__":
    main()
