def load():
    global BACKENDS, sdpa_kernel
    from torch.nn.attention import SDPBackend, sdpa_kernel

    BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention-2": SDPBackend.FLASH_ATTENTION}
    return {"version": f"{torch.__version__}, cuDNN {torch.backends.cudnn.version()}"}


def prepare(asked):
    q, k, v, d_o = tensors(asked)

    def by(backend):
        def attend():
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=asked["causal"], scale=asked["scale"])

        return lambda: forward_or_gradients(attend, (q, k, v), d_o)

    return {name: by(backend) for name, backend in BACKENDS.items()}
