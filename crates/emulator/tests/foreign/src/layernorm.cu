// Rows less their mean over their deviation, four values at a time.
extern "C" __global__ void layernorm(const float4 *x, const float4 *scale, float4 *y, int quads, float epsilon) {
    __shared__ float part[2][32];
    const float4 *row = x + blockIdx.x * quads;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = row[i];
        s += v.x + v.y + v.z + v.w;
        q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d), q += __shfl_xor_sync(~0u, q, d);
    if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = s, part[1][threadIdx.x / 32] = q;
    __syncthreads();
    s = q = 0;
    for (int w = 0; w < blockDim.x / 32; w++) s += part[0][w], q += part[1][w];
    float mean = s / (4 * quads), inverse = rsqrtf(q / (4 * quads) - mean * mean + epsilon);
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = row[i], g = scale[i];
        y[blockIdx.x * quads + i] = make_float4((v.x - mean) * inverse * g.x, (v.y - mean) * inverse * g.y, (v.z - mean) * inverse * g.z, (v.w - mean) * inverse * g.w);
    }
}
