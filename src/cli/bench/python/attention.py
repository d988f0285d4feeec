def tensors(asked):
    """Q, K, V, and dO or none: each (batches, heads, rows, dim), which take gradients where there is a dO."""
    shape = [asked[name] for name in ("batches", "heads", "rows", "dim")]
    q, k, v = (read(asked[name], shape, asked["dtype"]).requires_grad_("d_o" in asked) for name in ("q", "k", "v"))
    return q, k, v, read(asked["d_o"], shape, asked["dtype"]) if "d_o" in asked else None


def forward_or_gradients(attend, operands, d_o):
    """O by `attend`, or the gradients of Q, K and V by the kernel that O came from, which stays for the next call."""
    if d_o is None:
        return attend, lambda: [attend()]
    o = attend()
    gradients = lambda: torch.autograd.grad(o, operands, d_o, retain_graph=True)
    return gradients, gradients
