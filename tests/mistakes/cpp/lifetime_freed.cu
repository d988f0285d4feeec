#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) { d[threadIdx.x] = 2 * a[threadIdx.x]; }
int main() {
  Numbers const a = numbers(128);
  Numbers found(128, 0.f);
  float *on_a, *on_d, *other;
  cudaMalloc(&on_a, 512);
  cudaMalloc(&on_d, 512);
  cudaMemcpy(on_a, a.data(), 512, cudaMemcpyHostToDevice);
  if (!RIGHT) cudaFree(on_a);
  cudaMalloc(&other, 512);
  cudaMemset(other, 0, 512);
  kernel<<<1, 128>>>(on_d, on_a, 128);
  if (failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return 1;
  cudaMemcpy(found.data(), on_d, 512, cudaMemcpyDeviceToHost);
  return compare(found, [&](int i) { return double(2 * a[i]); });
}
