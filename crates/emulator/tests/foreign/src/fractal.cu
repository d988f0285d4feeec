// Loops that end at different times in each thread, in float and in 64-bit integers.
extern "C" __global__ void fractal(int *y, int width, int height) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= width || r >= height) return;
    float x0 = -2 + 3.f * c / width, y0 = -1 + 2.f * r / height, x = 0, z = 0;
    int t = 0;
    while (x * x + z * z < 4 && t < 60) {
        float next = x * x - z * z + x0;
        z = 2 * x * z + y0;
        x = next;
        t++;
    }
    long long v = 27 + r * width + c;
    int steps = 0;
    while (v != 1 && steps < 80) v = v % 2 ? 3 * v + 1 : v / 2, steps++;
    y[r * width + c] = t + 100 * steps;
}
