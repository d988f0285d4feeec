#include "common.cuh"
#include <cuda.h>
// A kernel of one instruction, which was renamed, and the host's launch by name.
char const* const PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry plain_2() { ret; }\n";
int main() {
  cudaFree(nullptr);
  CUmodule module;
  CUfunction entry;
  char const* said = "no message";
  CUresult result = cuModuleLoadData(&module, PTX);
  if (result == CUDA_SUCCESS) result = cuModuleGetFunction(&entry, module, RIGHT ? "plain_2" : "plain");
  if (result == CUDA_SUCCESS) result = cuLaunchKernel(entry, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  if (result == CUDA_SUCCESS) return say(0, 1, 0, 0, 0);
  cuGetErrorName(result, &said);
  std::printf("error: %s\n", said);
  return 1;
}
