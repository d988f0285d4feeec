// A histogram: atomics in shared memory, then in global memory.
extern "C" __global__ void histogram(const unsigned char *bytes, unsigned *bins, unsigned n) {
    __shared__ unsigned mine[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[bytes[i]], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
        if (mine[b]) atomicAdd(&bins[b], mine[b]);
}
