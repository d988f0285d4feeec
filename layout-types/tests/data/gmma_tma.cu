// Descriptors and tensor maps that CuTe makes of its canonical tiles of shared memory, one JSON object a line.
//
//   nvcc -std=c++17 -O1 -I CUTLASS/include -gencode=arch=compute_90a,code=sm_90a --expt-relaxed-constexpr gmma_tma.cu -lcuda
//
// gmma_tma.jsonl has what it printed with CUTLASS 7107b05535f8977f5ecb9d01ee203205b1fd9bc4, nvcc 13.0.88, on an H200 (driver
// 580.159.04, 2026-11-22), without CuTe's `_`, and of the arguments of cuTensorMapEncodeTiled box and swizzle: element strides were
// 1, interleave none, extents and strides those of the tensor.
//
// A tile is tile_to_shape(GMMA::Layout_*_Atom<T>, (m,k)). "descriptors": make_fragment_A or _B of a tiled MMA with one SS atom,
// all of (MMA,MMA_M,MMA_K), first mode first, of a tile at "base". "encode": what make_tma_copy(SM90_TMA_LOAD, gtensor, tile) gives
// cuTensorMapEncodeTiled; the gtensor is (1024,512) with the tile's contiguous mode contiguous.
#include <cuda.h>
#include <cstdio>
#include <string>
#include <vector>

static std::string encoded;
static CUresult record_encode(CUtensorMap*, CUtensorMapDataType type, cuuint32_t rank, void*, const cuuint64_t* dim,
                       const cuuint64_t* stride, const cuuint32_t* box, const cuuint32_t* step, CUtensorMapInterleave interleave,
                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  auto list = [](auto* values, unsigned n) {
    std::string text = "[";
    for (unsigned i = 0; i < n; ++i) text += (i ? "," : "") + std::to_string((unsigned long long)values[i]);
    return text + "]";
  };
  encoded = "{\"type\":" + std::to_string(int(type)) + ",\"dim\":" + list(dim, rank) + ",\"stride\":" + list(stride, rank - 1) +
            ",\"box\":" + list(box, rank) + ",\"step\":" + list(step, rank) + ",\"interleave\":" + std::to_string(int(interleave)) +
            ",\"swizzle\":" + std::to_string(int(swizzle)) + "}";
  return CUDA_SUCCESS;
}
#define cuTensorMapEncodeTiled record_encode
#define CUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL 1
#include <cute/tensor.hpp>
#include <cute/atom/copy_traits_sm90_tma.hpp>
#include <cute/atom/mma_atom.hpp>
using namespace cute;
using GMMA::Major;

template <class Mma, class T, class Tile, bool IsA>
__global__ void descriptors(uint64_t* out) {
  extern __shared__ __align__(1024) uint8_t smem[];
  auto s = make_tensor(make_smem_ptr(reinterpret_cast<T*>(smem)), Tile{});
  auto thr = Mma{}.get_slice(0);
  auto fragment = [&] {
    if constexpr (IsA) return thr.make_fragment_A(thr.partition_A(s));
    else return thr.make_fragment_B(thr.partition_B(s));
  }();
  if (threadIdx.x == 0) {
    out[0] = cast_smem_ptr_to_uint(smem);
    int n = 2;
    for (int k = 0; k < size<2>(fragment); ++k)
      for (int m = 0; m < size<1>(fragment); ++m) out[n++] = uint64_t(fragment(Int<0>{}, m, k).desc_);
    out[1] = n - 2;
    printf("\"fragment\":\"");
    print(fragment.layout());
    printf("\",");
  }
}

static uint64_t* buffer;
static uint64_t found[64];
template <class Mma, class T, class Tile, bool IsA>
void line(char const* atom, char const* type, char const* major, int rows) {
  printf("{\"atom\":\"%s\",\"type\":\"%s\",\"major\":\"%s\",\"tile\":[%d,%d],\"operand\":\"%s\",\"rows\":%d,", atom, type, major,
         int(size<0>(Tile{})), int(size<1>(Tile{})), IsA ? "A" : "B", rows);
  fflush(stdout);
  int bytes = 160 * 1024;
  auto kernel = descriptors<Mma, T, Tile, IsA>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<1, 128, bytes>>>(buffer);
  cudaError_t error = cudaMemcpy(found, buffer, sizeof(found), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) { printf("%s\n", cudaGetErrorString(error)); exit(1); }
  printf("\"base\":%llu,\"descriptors\":[", (unsigned long long)found[0]);
  for (uint64_t i = 0; i < found[1]; ++i) printf("%s\"%016llx\"", i ? "," : "", (unsigned long long)found[2 + i]);
  printf("],\"encode\":");
  T* pointer = reinterpret_cast<T*>(uintptr_t(1) << 32);
  encoded = "null";
  if (major[0] == 'K') {
    auto g = make_tensor(make_gmem_ptr(pointer), make_layout(make_shape(1024, 512), make_stride(512, Int<1>{})));
    (void)make_tma_copy(SM90_TMA_LOAD{}, g, Tile{});
  } else {
    auto g = make_tensor(make_gmem_ptr(pointer), make_layout(make_shape(1024, 512), make_stride(Int<1>{}, 1024)));
    (void)make_tma_copy(SM90_TMA_LOAD{}, g, Tile{});
  }
  printf("%s}\n", encoded.c_str());
  fflush(stdout);
}
template <class T> struct Atoms;
template <> struct Atoms<half_t> {
  template <Major a, Major b> using N64 = SM90_64x64x16_F32F16F16_SS<a, b>;
  template <Major a, Major b> using N128 = SM90_64x128x16_F32F16F16_SS<a, b>;
  template <Major a, Major b> using N256 = SM90_64x256x16_F32F16F16_SS<a, b>;
};
template <> struct Atoms<tfloat32_t> {
  template <Major, Major> using N64 = SM90_64x64x8_F32TF32TF32_SS_TN<>;
  template <Major, Major> using N128 = SM90_64x128x8_F32TF32TF32_SS_TN<>;
  template <Major, Major> using N256 = SM90_64x256x8_F32TF32TF32_SS_TN<>;
};
template <> struct Atoms<int8_t> {
  template <Major, Major> using N64 = SM90_64x64x32_S32S8S8_SS_TN;
  template <Major, Major> using N128 = SM90_64x128x32_S32S8S8_SS_TN;
  template <Major, Major> using N256 = SM90_64x256x32_S32S8S8_SS_TN;
};
template <class T, Major major, class Atom, int M, int K>
void tile(char const* atom, char const* type) {
  using Tile = decltype(tile_to_shape(Atom{}, Shape<Int<M>, Int<K>>{}));
  using A = Atoms<T>;
  char const* name = major == Major::K ? "K" : "MN";
  line<decltype(make_tiled_mma(typename A::template N64<major, major>{})), T, Tile, true>(atom, type, name, 64);
  line<decltype(make_tiled_mma(typename A::template N64<major, major>{})), T, Tile, false>(atom, type, name, 64);
  if constexpr (M % 128 == 0)
    line<decltype(make_tiled_mma(typename A::template N128<major, major>{})), T, Tile, false>(atom, type, name, 128);
  if constexpr (M % 256 == 0)
    line<decltype(make_tiled_mma(typename A::template N256<major, major>{})), T, Tile, false>(atom, type, name, 256);
}
template <class T, Major major, class Atom, int K>
void tiles(char const* atom, char const* type) {
  tile<T, major, Atom, 64, K>(atom, type);
  tile<T, major, Atom, 128, K>(atom, type);
  tile<T, major, Atom, 256, K>(atom, type);
}
// K-major, by the bytes of a row.
template <class T, class Atom, int Bytes>
void rows(char const* atom, char const* type) { tiles<T, Major::K, Atom, Bytes / int(sizeof(T))>(atom, type); }
template <class T>
void k_major(char const* type) {
  rows<T, GMMA::Layout_K_INTER_Atom<T>, 32>("K_INTER", type);
  rows<T, GMMA::Layout_K_INTER_Atom<T>, 128>("K_INTER", type);
  rows<T, GMMA::Layout_K_SW32_Atom<T>, 32>("K_SW32", type);
  rows<T, GMMA::Layout_K_SW32_Atom<T>, 128>("K_SW32", type);
  rows<T, GMMA::Layout_K_SW64_Atom<T>, 64>("K_SW64", type);
  rows<T, GMMA::Layout_K_SW64_Atom<T>, 128>("K_SW64", type);
  rows<T, GMMA::Layout_K_SW128_Atom<T>, 128>("K_SW128", type);
  rows<T, GMMA::Layout_K_SW128_Atom<T>, 256>("K_SW128", type);
}
int main() {
  cudaMalloc(&buffer, sizeof(found));
  k_major<half_t>("f16");
  k_major<tfloat32_t>("tf32");
  k_major<int8_t>("s8");
  tiles<half_t, Major::MN, GMMA::Layout_MN_INTER_Atom<half_t>, 16>("MN_INTER", "f16");
  tiles<half_t, Major::MN, GMMA::Layout_MN_INTER_Atom<half_t>, 64>("MN_INTER", "f16");
  tiles<half_t, Major::MN, GMMA::Layout_MN_SW32_Atom<half_t>, 16>("MN_SW32", "f16");
  tiles<half_t, Major::MN, GMMA::Layout_MN_SW32_Atom<half_t>, 64>("MN_SW32", "f16");
  tiles<half_t, Major::MN, GMMA::Layout_MN_SW64_Atom<half_t>, 16>("MN_SW64", "f16");
  tiles<half_t, Major::MN, GMMA::Layout_MN_SW64_Atom<half_t>, 64>("MN_SW64", "f16");
  tiles<half_t, Major::MN, GMMA::Layout_MN_SW128_Atom<half_t>, 16>("MN_SW128", "f16");
  tiles<half_t, Major::MN, GMMA::Layout_MN_SW128_Atom<half_t>, 64>("MN_SW128", "f16");
}
