// Arguments and launches of CUTLASS's kernels, as its own host code makes them, by themselves: on a GPU their outputs are
// written to files; without one (-DDESCRIBE) the arguments are described, for a launch file.
#pragma once
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>
#ifdef DESCRIBE
// In place of the driver's: says what the map is of.
static CUresult describe(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* extents,
                         const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave,
                         CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  static int number = 0;
  printf("map %d type %d address %p swizzle %d fill %d extents", ++number, int(type), address, int(swizzle), int(fill));
  for (unsigned i = 0; i < rank; i++) printf(" %llu", (unsigned long long)extents[i]);
  printf(" strides");
  for (unsigned i = 0; i + 1 < rank; i++) printf(" %llu", (unsigned long long)strides[i]);
  printf(" box");
  for (unsigned i = 0; i < rank; i++) printf(" %u", box[i]);
  printf(" steps");
  for (unsigned i = 0; i < rank; i++) printf(" %u", steps[i]);
  puts("");
  memset(map, 0, sizeof *map);
  for (int i = 0; i < 16; i++) ((cuuint64_t*)map)[i] = 0x7a7a7a7a00000000ull | number;
  return CUDA_SUCCESS;
}
#define cuTensorMapEncodeTiled describe
#define cuTensorMapEncodeIm2col(...) CUDA_ERROR_NOT_SUPPORTED
#define CUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL
#endif
#include "cutlass/cutlass.h"
#include "cute/tensor.hpp"
#include "cutlass/device_kernel.h"
#include "cutlass/kernel_hardware_info.hpp"

// A kernel under a name of its own; otherwise it is cutlass::device_kernel.
#define KERNEL(name, Type)                                                                    \
  extern "C" __global__ void __launch_bounds__(Type::MaxThreadsPerBlock, Type::MinBlocksPerMultiprocessor) \
      name(CUTLASS_GRID_CONSTANT typename Type::Params const params) {                        \
    extern __shared__ char smem[];                                                            \
    Type()(params, smem);                                                                     \
  }

struct Buffer {
  std::string name;
  char* address;
  size_t bytes;
  bool output;
};
static std::vector<Buffer> buffers;
static std::string folder;

static void check(cudaError_t error) {
  if (error != cudaSuccess) exit(printf("%s\n", cudaGetErrorString(error)));
}

static void start(int count, char** words) {
#ifndef DESCRIBE
  if (count != 2) exit(puts("usage: PROGRAM FOLDER"));
  folder = words[1];
#endif
}

// A buffer, of which the launch says what it is filled with: files of the launch's and the buffer's name.
template <class T>
T* buffer(const char* name, size_t count, bool output = false) {
  Buffer made{name, nullptr, count * sizeof(T), output};
#ifdef DESCRIBE
  made.address = (char*)((buffers.size() + 1) << 32);
#else
  check(cudaMalloc(&made.address, made.bytes));
  check(cudaMemset(made.address, 0xff, made.bytes));
#endif
  buffers.push_back(made);
  return (T*)made.address;
}

template <class Kernel, class... Cluster>
void launch(const char* name, void (*kernel)(typename Kernel::Params), typename Kernel::Params params, dim3 cluster = dim3(1)) {
  dim3 grid = Kernel::get_grid_shape(params), block = Kernel::get_block_shape();
  int shared = Kernel::SharedStorageSize;
  printf("%s: grid %u %u %u, block %u, cluster %u %u, shared %d, params %zu\n", name, grid.x, grid.y, grid.z, block.x, cluster.x,
         cluster.y, shared, sizeof params);
#ifdef DESCRIBE
  for (auto& b : buffers) printf("buffer %s %zu %s at %p\n", b.name.c_str(), b.bytes, b.output ? "out" : "in", b.address);
  for (size_t i = 0; i < sizeof params / 4; i++) printf("%s%08x", i % 16 ? " " : "\n", ((unsigned*)&params)[i]);
  puts("\n");
#else
  for (auto& b : buffers) {
    if (b.output) continue;
    std::ifstream file(folder + "/" + name + "." + b.name + ".in", std::ios::binary);
    std::vector<char> bytes(b.bytes + 1);
    file.read(bytes.data(), b.bytes + 1);
    if (size_t(file.gcount()) != b.bytes) exit(printf("%s.%s: wrong size\n", name, b.name.c_str()));
    check(cudaMemcpy(b.address, bytes.data(), b.bytes, cudaMemcpyHostToDevice));
  }
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared;
  config.attrs = &attribute, config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, params));
  check(cudaDeviceSynchronize());
  std::ofstream out(folder + "/" + name + ".bin", std::ios::binary);
  for (auto& b : buffers) {
    if (!b.output) continue;
    std::vector<char> bytes(b.bytes);
    check(cudaMemcpy(bytes.data(), b.address, b.bytes, cudaMemcpyDeviceToHost));
    out.write(bytes.data(), b.bytes);
  }
  for (auto& b : buffers) check(cudaFree(b.address));
#endif
  buffers.clear();
}
