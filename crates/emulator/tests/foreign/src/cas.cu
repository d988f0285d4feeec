// Atomics: a maximum of floats by compare and swap, sums of doubles, a counter that wraps, a lock.
extern "C" __global__ void cas(const float *x, int *most, double *sum, unsigned *counters, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    int seen = *most;
    while (__int_as_float(seen) < v) {
        int old = atomicCAS(most, seen, __float_as_int(v));
        if (old == seen) break;
        seen = old;
    }
    atomicAdd(sum, (double)(int)(v * 64));
    atomicInc(&counters[0], 36);
    atomicMin((int *)&counters[1], (int)(v * 100));
    atomicXor(&counters[2], i * 2654435761u);
    atomicOr(&counters[3], 1u << (i & 31));
    if (i % 32 == 0) {
        while (atomicCAS(&counters[4], 0u, 1u)) {}
        __threadfence();
        ((volatile unsigned *)counters)[5] += i;
        __threadfence();
        atomicExch(&counters[4], 0u);
    }
    atomicAdd((unsigned long long *)(counters + 6), (unsigned long long)i << 20);
}
