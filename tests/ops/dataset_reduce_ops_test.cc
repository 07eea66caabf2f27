#include "ops/dataset_reduce_ops.h"

#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

std::string Reduce(Pipeline& p, const std::string& dataset, const std::string& function, int64_t state) {
  return p.Add("ReduceDataset", {dataset, p.Number(state)},
               ElementAttrs({DType::kInt64}, {{"f", FunctionRef{function, {}}},
                                              {"Tstate", std::vector<DType>{DType::kInt64}},
                                              {"Targuments", std::vector<DType>()}}));
}

TEST(DatasetReduceOpsTest, Reduce) {
  for (const int threads : {1, 4}) {
    Pipeline p;
    EXPECT_EQ(ElementText(p.Run(Reduce(p, p.Range(5), "Plus", 100), {.threads = threads}).value()), "110");
    EXPECT_EQ(ElementText(p.Run(Reduce(p, p.Range(0), "Plus", 7), {.threads = threads}).value()), "7");
    const std::string pipeline = p.Prefetch(p.ParallelMap(p.Range(100), "Double"), 3);
    EXPECT_EQ(ElementText(p.Run(Reduce(p, pipeline, "Plus", 0), {.threads = threads}).value()), "9900");
  }
}

TEST(DatasetReduceOpsTest, ReduceErrors) {
  Pipeline p;
  ExpectInvalid(p.Run(Reduce(p, p.Map(p.Range(5), "FailAtTwo"), "Plus", 0)).status(), "assertion failed");
  ExpectInvalid(p.Run(Reduce(p, p.Range(5), "Double", 0)).status(), "function 'Double': expected 1 arguments, got 2");
  ExpectInvalid(p.Run(Reduce(p, p.Add("OptionalNone", {}), "Plus", 0)).status(), "input_dataset: expected a dataset, got Optional");
  const std::string other_shape =
      p.Add("ReduceDataset", {p.Range(2), p.Number(0)},
            {{"f", FunctionRef{"Plus", {}}},
             {"Tstate", std::vector<DType>{DType::kInt64}},
             {"Targuments", std::vector<DType>()},
             {"output_types", std::vector<DType>{DType::kInt64}},
             {"output_shapes", std::vector<PartialShape>{Shape::Of({3})}}});
  ExpectInvalid(p.Run(other_shape).status(), "expected int64[3], got int64[]");
}

TEST(DatasetReduceOpsTest, SingleElement) {
  Pipeline p;
  const auto single = [&](int64_t n) { return p.Add("DatasetToSingleElement", {p.Range(n)}, ElementAttrs({DType::kInt64})); };
  EXPECT_EQ(ElementText(p.Run(single(1)).value()), "0");
  ExpectInvalid(p.Run(single(0)).status(), "dataset: expected one element, got none");
  ExpectInvalid(p.Run(single(2)).status(), "dataset: expected one element, got more");
  ExpectInvalid(p.Run(p.Add("DatasetToSingleElement", {p.Range(1)}, ElementAttrs({DType::kInt32}))).status(), "expected int32");
}

TEST(DatasetReduceOpsTest, Shapes) {
  OpLibrary library;
  ASSERT_TRUE(RegisterDatasetReduceOps(library).ok());
  const AttrMap attrs{{"output_types", std::vector<DType>{DType::kInt64}},
                      {"output_shapes", std::vector<PartialShape>{PartialShape::Of({-1, 2})}}};
  EXPECT_EQ(InferShapes(library, "DatasetToSingleElement", attrs, {PartialShape()}).value()[0], PartialShape::Of({-1, 2}));
  ExpectInvalid(InferShapes(library, "DatasetToSingleElement", attrs, {Shape::Of({1})}).status(), "");
  EXPECT_EQ(InferShapes(library, "DatasetCardinality", {}, {Shape()}).value()[0], Shape());
}

}  // namespace
}  // namespace flowlatch
