// Pipeline: graphs of datasets, for tests.
#ifndef FLOWLATCH_TESTS_OPS_PIPELINE_H_
#define FLOWLATCH_TESTS_OPS_PIPELINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/ir/function_library.h"
#include "graph/tensor/tensor.h"
#include "runtime/session/session.h"
#include "tests/testing/test_functions.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {

// "7", "[1 2]"; components of an element by '|'.
std::string ElementText(const std::vector<Tensor>& element);

// Nodes are known by names that it makes up. Knows some functions of int64 scalars:
//   Double(x) -> 2x    Plus(x, y) -> x + y    IsOdd(x)    BelowThree(x)    FailAtTwo(x) -> x, or InvalidArgument
//   EndAtTwo(x) -> x, or OutOfRange    CopiesOf(x) -> a dataset of x, x times    Numbers(x) -> the dataset 0 .. x - 1
//   RunningSum(state, x) -> (state + x, 10 * state)    Vector(x) -> [x, .., x], x of them
class Pipeline {
 public:
  Pipeline();
  Pipeline& Define(const FunctionText& f);
  std::string Const(const Tensor& value);
  std::string Add(const std::string& op, std::vector<std::string> inputs, AttrMap attrs = {});
  // A dataset of these dtypes. What the op takes beside a dataset is given as int64 scalars where it is a number.
  std::string Dataset(const std::string& op, std::vector<std::string> inputs, AttrMap attrs = {},
                      std::vector<DType> dtypes = {DType::kInt64});
  std::string Number(int64_t n) { return Const(Tensor::Scalar(n)); }
  // 0 .. n - 1
  std::string Range(int64_t n);
  // MapDataset and the like.
  std::string Map(const std::string& input, const std::string& function, std::vector<DType> dtypes = {DType::kInt64});
  std::string ParallelMap(const std::string& input, const std::string& function, int64_t calls = -1);
  std::string Repeat(const std::string& input, int64_t count) { return Dataset("RepeatDataset", {input, Number(count)}); }
  std::string Batch(const std::string& input, int64_t size, bool drop_remainder = false);
  std::string Prefetch(const std::string& input, int64_t ahead) { return Dataset("PrefetchDataset", {input, Number(ahead)}); }

  // A session of the graph so far.
  std::unique_ptr<Session> Start(SessionOptions options = {}) const;
  absl::StatusOr<std::vector<Tensor>> Run(const std::string& fetch, SessionOptions options = {}) const;

  // Iterates over a dataset, with one thread and with several: the texts of its elements, and of errors ("InvalidArgument:
  // .."), after which it goes on; up to `max` of both. All are equal, or the test fails.
  std::vector<std::string> Elements(const std::string& dataset, std::vector<DType> dtypes = {DType::kInt64}, int max = 100) const;
  // The code and text of the error with which a dataset is not made; OK if it is.
  absl::Status Error(const std::string& dataset) const;
  int64_t Cardinality(const std::string& dataset);

 private:
  struct Node {
    std::string name, op;
    std::vector<std::string> inputs;
    AttrMap attrs;
  };
  absl::StatusOr<Graph> Build(const std::vector<Node>& more) const;

  std::shared_ptr<FunctionLibrary> functions_;
  std::vector<Node> nodes_;
};

// Attributes of a dataset or iterator.
AttrMap ElementAttrs(const std::vector<DType>& dtypes, AttrMap attrs = {}, const char* types = "output_types");

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_PIPELINE_H_
