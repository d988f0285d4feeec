#include "common.cuh"
__global__ void kernel(float* d, float const*, int n) {
  if (int(threadIdx.x) < n) d[threadIdx.x] = float(n);
}
int main() {
  float* d;
  cudaMalloc(&d, 640);
  float *const low = d, *const high = d + (RIGHT ? 80 : 64);
  kernel<<<1, 128>>>(low, nullptr, 80);
  kernel<<<1, 128>>>(high, nullptr, 64);
  if (failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return 1;
  Numbers found(80);
  cudaMemcpy(found.data(), low, 320, cudaMemcpyDeviceToHost);
  return compare(found, [](int) { return 80.0; });
}
