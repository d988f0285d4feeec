// Double precision: Newton's square root, a polynomial, conversions, comparisons.
extern "C" __global__ void doubles(const double *x, double *y, long long *whole, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i], r = v > 1 ? v / 2 : 1, p = 0;
    for (int t = 0; t < 8; t++) r = 0.5 * (r + v / r);
    for (int t = 6; t >= 0; t--) p = fma(p, v, 1.0 / (t + 1));
    y[i] = sqrt(v) - r + p + (double)(float)v + floor(v * 10) + (v < 2.5 ? fmin(v, 1.5) : fabs(-v));
    whole[i] = __double2ll_rn(v * 1e6) + (long long)rint(v) + __double_as_longlong(v) % 1000;
}
