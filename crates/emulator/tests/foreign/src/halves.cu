// Pairs of halves, and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void halves(const half2 *x, half2 *y, __nv_bfloat162 *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half2 v = x[i], w = x[(i + 7) % n];
    half2 r = __hfma2(v, w, __hadd2(v, __float2half2_rn(0.25f)));
    r = __hmax2(r, __hsub2(w, v));
    if (__hbgt2(v, w)) r = __hmul2_sat(r, r);
    r = __hadd2(r, __hlt2(v, w));
    y[i] = __halves2half2(__hdiv(__low2half(r), __high2half(w)), hsqrt(__habs(__high2half(r))));
    float2 f = __half22float2(v);
    __nv_bfloat162 b = __floats2bfloat162_rn(f.x * 3.3f, f.y - 1e3f);
    z[i] = __hfma2(b, b, __hneg2(b));
}
