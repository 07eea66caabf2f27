// An op of one's own, registered from outside the tree: schema, shape function, kernel, and a graph that uses it beside the
// ops that Flowlatch has. Written as a program would write it, against public headers only.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/io/graph_def.h"
#include "graph/schema/shape_context.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"

namespace {

using namespace flowlatch;  // NOLINT: as a short program does

// Hypot(x, y) = sqrt(x^2 + y^2), elementwise, for equal shapes.
absl::Status ComputeHypot(KernelCall& c) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  if (x.dims() != y.dims()) {
    return absl::InvalidArgumentError("hypot: expected equal shapes, got " + x.ShapeString() + " and " + y.ShapeString());
  }
  absl::StatusOr<Tensor*> out = c.ForwardOrAllocate(0, 0, DType::kFloat32, x.shape());
  if (!out.ok()) return out.status();
  const float* a = x.data<float>();
  const float* b = y.data<float>();
  float* r = (*out)->mutable_data<float>();
  for (int64_t i = 0; i < x.num_elements(); ++i) r[i] = std::hypot(a[i], b[i]);
  return absl::OkStatus();
}

// All of Flowlatch's ops, and ours.
absl::Status FillLibrary(OpLibrary& library) {
  if (absl::Status status = RegisterAllOps(library); !status.ok()) return status;
  return library.Add({
      .signature = "Acme>Hypot(x: float32, y: float32) -> (z: float32)",
      .doc = "Length of the vector (x, y)",
      .shape = shapes::MergeOfInputs,
      .kernel = PlainKernel<ComputeHypot>,
  });
}

constexpr char kGraph[] = R"pb(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "length" op: "Acme>Hypot" input: "x" input: "y" }
  node { name: "twice" op: "AddV2" input: "length" input: "length" attr { key: "T" value { type: DT_FLOAT } } }
)pb";

class CustomOpTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(FillLibrary(library_).ok());
    absl::StatusOr<Graph> graph = ReadGraphDefText(kGraph, library_.registry());
    ASSERT_TRUE(graph.ok()) << graph.status();
    session_ = Session::Create(std::move(*graph), library_, {.threads = 1}).value();
  }
  OpLibrary library_;
  std::unique_ptr<Session> session_;
};

TEST_F(CustomOpTest, RunsBesideOtherOps) {
  const auto out = session_->Run({{"x", Tensor::Vector<float>({3, 5})}, {"y", Tensor::Vector<float>({4, 12})}}, {"twice"}, {});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).values<float>(), absl::Span<const float>({10, 26}));
}

TEST_F(CustomOpTest, ItsErrorNamesTheNode) {
  const auto out = session_->Run({{"x", Tensor::Vector<float>({3})}, {"y", Tensor::Vector<float>({4, 12})}}, {"twice"}, {});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(out.status().message(), "node 'length' (Acme>Hypot): hypot: expected equal shapes, got [1] and [2]");
}

TEST_F(CustomOpTest, ATakenNameIsRefused) {
  EXPECT_EQ(FillLibrary(library_).code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
