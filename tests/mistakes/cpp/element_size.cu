#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) { d[threadIdx.x] = a[127 - threadIdx.x]; }
int main() {
  Numbers const a = numbers(128);
  std::vector<double> const doubles(a.begin(), a.end());
  Numbers found(128, 0.f);
  void *on_a, *on_d;
  cudaMalloc(&on_a, 1024);
  cudaMalloc(&on_d, 512);
  cudaMemcpy(on_a, RIGHT ? (void const*)a.data() : (void const*)doubles.data(), RIGHT ? 512 : 1024, cudaMemcpyHostToDevice);
  int n = 128;
  void* arguments[] = {&on_d, &on_a, &n};
  cudaLaunchKernel((void const*)kernel, dim3(1), dim3(128), arguments, 0, nullptr);
  if (failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return 1;
  cudaMemcpy(found.data(), on_d, 512, cudaMemcpyDeviceToHost);
  return compare(found, [&](int i) { return double(a[127 - i]); });
}
