// The mathematics of float: functions that nvcc expands, and those that it leaves to the device.
extern "C" __global__ void maths(const float *x, float *exact, float *near, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    exact[4 * i] = sqrtf(v) + 1 / (v + 0.5f);
    exact[4 * i + 1] = v / 3.3f + fmaf(v, v, -1) + __fdividef(v, 1) * truncf(v);
    exact[4 * i + 2] = fmodf(v, 0.7f) + ldexpf(v, 3) + roundf(v * 10) + remainderf(v, 0.3f);
    exact[4 * i + 3] = __frcp_rz(v + 1) + __fsqrt_ru(v) + __fadd_rd(v, 1e-9f) + __fmul_rz(v, v) + rintf(v);
    near[4 * i] = __expf(-v) + __logf(v + 1) + __sinf(v);
    near[4 * i + 1] = expf(-v) * logf(v + 2) + powf(v, 1.5f);
    near[4 * i + 2] = sinf(v) + cosf(3 * v) + tanhf(v) + rsqrtf(v + 1);
    near[4 * i + 3] = erff(v) + atan2f(v, 2) + cbrtf(v) + exp2f(v);
}
