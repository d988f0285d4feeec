#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  d[i] = a[i] + a[(i + 1) % n];
}
int main() {
  int const n = 1 << 16;
  Numbers const a = numbers(n);
  Numbers found(n, 0.f);
  float *on_a, *on_d;
  cudaMalloc(&on_a, 4 * n);
  cudaMalloc(&on_d, 4 * n);
  cudaMemcpy(on_a, a.data(), 4 * n, cudaMemcpyHostToDevice);
  if (!RIGHT) on_d = on_a;
  kernel<<<n / 256, 256>>>(on_d, on_a, n);
  if (failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return 1;
  cudaMemcpy(found.data(), on_d, 4 * n, cudaMemcpyDeviceToHost);
  return compare(found, [&](int i) { return double(a[i] + a[(i + 1) % n]); });
}
