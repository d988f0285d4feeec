#include "common.cuh"
#ifdef MISTAKE
__device__
#else
__global__
#endif
void clear_all(float* d, float const*, int) { d[threadIdx.x] = 0; }
int main() {
  float* d;
  cudaMalloc(&d, 512);
  cudaMemset(d, 1, 512);
  clear_all<<<1, 128>>>(d, nullptr, 128);
  if (failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return 1;
  Numbers found(128);
  cudaMemcpy(found.data(), d, 512, cudaMemcpyDeviceToHost);
  return compare(found, [](int) { return 0.0; });
}
