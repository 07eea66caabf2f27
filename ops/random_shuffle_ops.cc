// RandomShuffle(value [n, ..]): its rows in random order. Row i of the result is drawn from those that are left by the
// next word of the node's generator, modulo their number; n rows take n - 1 words, rounded up to draws of four. As in
// random_ops.cc, seed and seed2 name the sequence, which goes on from run to run. Every dtype.
#include "ops/random_shuffle_ops.h"

#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <utility>

#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/entropy.h"
#include "ops/kernels/philox.h"
#include "ops/kernels/slice_copy.h"

namespace flowlatch {
namespace {

class ShuffleState : public KernelState {
 public:
  ShuffleState(uint64_t seed, uint64_t seed2) : random_(seed, seed2) {}
  // The generator as it stands, which then goes on by `words` words.
  Philox Take(int64_t words) const {
    const std::lock_guard<std::mutex> lock(mu_);
    const Philox taken = random_;
    random_.Skip((static_cast<uint64_t>(words) + 3) / 4);
    return taken;
  }

 private:
  mutable std::mutex mu_;
  mutable Philox random_;  // guarded by mu_
};

// Puts [0, n) in random order.
void Shuffle(Philox random, int64_t* order, int64_t n) {
  std::iota(order, order + n, int64_t{0});
  Philox::Words words{};
  for (int64_t i = 0; i + 1 < n; ++i) {
    if (i % 4 == 0) words = random.Next();
    const uint32_t left = static_cast<uint32_t>(n - i);  // as many as there are words; rows beyond keep their place
    if (left != 0) std::swap(order[i], order[i + words[i % 4] % left]);
  }
}

absl::Status RandomShuffle(KernelCall& c) {
  const Tensor& value = c.input(0);
  if (value.num_elements() <= 1 || value.dim(0) <= 1) {
    c.SetOutput(0, value);
    return absl::OkStatus();
  }
  const int64_t n = value.dim(0);
  ASSIGN_OR_RETURN(Tensor order, Tensor::Make(DType::kInt64, {n}));
  Shuffle(c.state<ShuffleState>().Take(n - 1), order.mutable_data<int64_t>(), n);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, value.dtype(), value.dims()));
  const char* from = static_cast<const char*>(value.raw_data());
  char* to = static_cast<char*>(output->raw_mutable_data());
  WithSlice(value.dtype(), value.num_elements() / n, [&](auto slice) {
    for (const int64_t row : order.values<int64_t>()) {
      slice(from + row * slice.bytes, to);
      to += slice.bytes;
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> RandomShuffleKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(int64_t seed, node.Int("seed"));
  ASSIGN_OR_RETURN(int64_t seed2, node.Int("seed2"));
  if (seed == 0 && seed2 == 0) {
    const auto [any, any2] = FreshSeeds();
    seed = static_cast<int64_t>(any);
    seed2 = static_cast<int64_t>(any2);
  }
  return Kernel{.fn = &RunKernel<RandomShuffle>,
                .state = std::make_shared<ShuffleState>(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2))};
}

}  // namespace

absl::Status RegisterRandomShuffleOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("RandomShuffle"),
                      .doc = "The rows of value in random order",
                      .shape = shapes::SameAsInput,
                      .kernel = RandomShuffleKernel,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
