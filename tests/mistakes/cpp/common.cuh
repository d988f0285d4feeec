// What the programs of this folder share: a launch on (d, a, n), and the comparison of d with plain code.
//
//   NAME.cu -DMISTAKE   the mistake of the catalogue's entry NAME, in CUDA C++ with CuTe
//   NAME.cu             its right twin
//
// A program prints one line: `right`, `wrong: ...`, or `error: ...` with what the CUDA runtime said.
#pragma once
#include <cstdint>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cute/tensor.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/atom/copy_atom.hpp>
#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cutlass/arch/barrier.h>
#ifndef __CUDACC__
#include <device_launch_parameters.h>
#endif

using namespace cute;
using cute::size; // std has one, too

#ifdef MISTAKE
constexpr bool RIGHT = false;
#else
constexpr bool RIGHT = true;
#endif

using Numbers = std::vector<float>;
using Kernel = void (*)(float*, float const*, int);

// Small whole numbers of both signs, whose sums are exact.
inline Numbers numbers(int n) {
  Numbers a(n);
  for (int i = 0; i < n; ++i) a[i] = float((i * 37 + 11) % 64) - 32.f;
  return a;
}

inline int say(int wrong, int all, int first, double found, double expected) {
  if (wrong == 0) { std::printf("right\n"); return 0; }
  std::printf("wrong: %d of %d elements, element %d is %g, not %g\n", wrong, all, first, found, expected);
  return 1;
}

template <class Expected>
int compare(Numbers const& found, Expected const& expected, double tolerance = 0) {
  int wrong = 0, first = 0;
  for (int i = 0; i < int(found.size()); ++i) {
    double const want = expected(i), error = std::abs(double(found[i]) - want);
    if (!(error <= tolerance * std::abs(want) + 1e-37) && wrong++ == 0) first = i;
  }
  return say(wrong, int(found.size()), first, found.empty() ? 0 : found[first], found.empty() ? 0 : expected(first));
}

inline bool failed(cudaError_t error, char const* what) {
  if (error != cudaSuccess) std::printf("error: %s: %s\n", what, cudaGetErrorString(error));
  return error != cudaSuccess;
}

struct Launch {
  int grid, block;
  int shared = 0, cluster = 1;
};

// Launches on a in and d, which begins as `before`, or as NaN; compares with expected(a, i).
template <class Expected>
int launch(Kernel kernel, Launch const& how, Numbers const& a, int results, Expected const& expected, double tolerance = 0,
           Numbers before = {}) {
  float *on_a = nullptr, *on_d = nullptr;
  if (before.empty()) before.assign(results, std::numeric_limits<float>::quiet_NaN());
  if (failed(cudaMalloc(&on_a, a.size() * 4), "cudaMalloc")) return 1;
  if (failed(cudaMalloc(&on_d, before.size() * 4), "cudaMalloc")) return 1;
  cudaMemcpy(on_a, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(on_d, before.data(), before.size() * 4, cudaMemcpyHostToDevice);
  if (how.shared > 48 * 1024 &&
      failed(cudaFuncSetAttribute((void const*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, how.shared), "cudaFuncSetAttribute"))
    return 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(how.grid);
  config.blockDim = dim3(how.block);
  config.dynamicSmemBytes = how.shared;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {unsigned(how.cluster), 1, 1};
  config.attrs = &attribute;
  config.numAttrs = how.cluster > 1 ? 1 : 0;
  int n = int(a.size());
  void* arguments[] = {&on_d, &on_a, &n};
  if (failed(cudaLaunchKernelExC(&config, (void const*)kernel, arguments), "launch")) return 1;
  if (failed(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return 1;
  Numbers d(results);
  cudaMemcpy(d.data(), on_d, results * 4, cudaMemcpyDeviceToHost);
  int const result = compare(d, [&](int i) { return double(expected(a, i)); }, tolerance);
  cudaFree(on_a);
  cudaFree(on_d);
  return result;
}

template <class Expected>
int map(Kernel kernel, Launch const& how, int n, int results, Expected const& expected) {
  return launch(kernel, how, numbers(n), results, expected);
}

inline float reversed(Numbers const& a, int i) { return a[a.size() - 1 - i]; }
// The sum over steps of 128 elements, each backwards.
inline float sums_of_steps(Numbers const& a, int i) {
  float sum = 0;
  for (int k = 0; k < int(a.size()) / 128; ++k) sum += a[128 * k + 127 - i];
  return sum;
}
inline float total(Numbers const& a, int) {
  float sum = 0;
  for (float x : a) sum += x;
  return sum;
}
// A product of an (m,k) and an (n,k) matrix of ones-and-small-numbers: the operand's element (row, k).
__host__ __device__ inline float element(int row, int k) { return float((row * 5 + k * 3) % 7) - 3.f; }
