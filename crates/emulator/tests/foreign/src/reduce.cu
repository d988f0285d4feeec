// Sums by blocks: shuffles within warps, shared memory between them.
extern "C" __global__ void reduce(const float *x, float *sums, unsigned n) {
    __shared__ float part[8];
    float s = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 4; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        if (threadIdx.x == 0) sums[blockIdx.x] = s;
    }
}
