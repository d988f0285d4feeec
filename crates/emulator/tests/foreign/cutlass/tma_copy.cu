// A matrix of f32 copied by CuTe's TMA copies, tiles of 64 by 32 through shared memory with a swizzle of 128 bytes: `make_tma_copy`,
// `cute::copy` with SM90_TMA_LOAD and SM90_TMA_STORE, CUTLASS's barrier between them. host.cuh makes the arguments and runs it.
#include "host.cuh"
#include "cutlass/arch/barrier.h"
#include "cute/atom/copy_traits_sm90_tma.hpp"

using namespace cute;
using Matrix = Layout<Shape<int, int>, Stride<int, _1>>;
using BlockTile = Shape<_64, _32>;
using Staged = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<float>{}, BlockTile{}));
template <class Operation>
using Tma = decltype(make_tma_copy(Operation{}, make_tensor(make_gmem_ptr((float*)nullptr), Matrix{}), Staged{}));

struct Copy {
  static constexpr int MaxThreadsPerBlock = 128, MinBlocksPerMultiprocessor = 1;
  struct Params {
    Tma<SM90_TMA_LOAD> load;
    Tma<SM90_TMA_STORE> store;
    int rows, columns;
  };
  struct Shared {
    alignas(1024) ArrayEngine<float, cosize_v<Staged>> tile;
    cutlass::arch::ClusterTransactionBarrier full;
  };
  static constexpr int SharedStorageSize = sizeof(Shared);
  static dim3 get_grid_shape(Params const& params) { return dim3(ceil_div(params.rows, 64), ceil_div(params.columns, 32)); }
  static dim3 get_block_shape() { return dim3(MaxThreadsPerBlock); }

  CUTLASS_DEVICE void operator()(Params const& params, char* memory) {
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    auto shape = make_shape(params.rows, params.columns);
    auto at = make_coord(blockIdx.x, blockIdx.y);
    Tensor staged = make_tensor(make_smem_ptr(shared.tile.begin()), Staged{});
    Tensor from = local_tile(params.load.get_tma_tensor(shape), BlockTile{}, at);
    Tensor to = local_tile(params.store.get_tma_tensor(shape), BlockTile{}, at);
    auto load = params.load.get_slice(_0{});
    auto store = params.store.get_slice(_0{});
    if (threadIdx.x == 0) {
      prefetch_tma_descriptor(params.load.get_tma_descriptor());
      prefetch_tma_descriptor(params.store.get_tma_descriptor());
      shared.full.init(1);
      cutlass::arch::fence_barrier_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      shared.full.arrive_and_expect_tx(sizeof(float) * size(Staged{}));
      copy(params.load.with(reinterpret_cast<uint64_t&>(shared.full)), load.partition_S(from), load.partition_D(staged));
    }
    shared.full.wait(0);
    if (threadIdx.x == 0) {
      copy(params.store, store.partition_S(staged), store.partition_D(to));
      tma_store_arrive();
      tma_store_wait<0>();
    }
  }
};

KERNEL(cute_tma_copy, Copy)

void run(const char* name, int rows, int columns) {
  float *x = buffer<float>("x", size_t(rows) * columns), *y = buffer<float>("y", size_t(rows) * columns, true);
  Matrix layout(make_shape(rows, columns), make_stride(columns, _1{}));
  Copy::Params params{make_tma_copy(SM90_TMA_LOAD{}, make_tensor(make_gmem_ptr(x), layout), Staged{}),
                      make_tma_copy(SM90_TMA_STORE{}, make_tensor(make_gmem_ptr(y), layout), Staged{}), rows, columns};
  launch<Copy>(name, cute_tma_copy, params);
}

int main(int count, char** words) {
  start(count, words);
  run("tma_copy.0", 128, 96);
  run("tma_copy.1", 150, 84);
}
