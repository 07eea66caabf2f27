// A graph of variables that threads use at once, for tests of what locks promise and races may do.
#ifndef FLOWLATCH_TESTS_E2E_VARIABLE_GRAPH_H_
#define FLOWLATCH_TESTS_E2E_VARIABLE_GRAPH_H_

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/session/session.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {

inline void InThreads(int n, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < n; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

inline Tensor Filled(DType dtype, const Shape& shape, int value) {
  Tensor t = *Tensor::Make(dtype, shape);
  DispatchDType<kNumberTypes>(dtype, false, [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      for (T& x : t.mutable_values<T>()) x = static_cast<T>(value);  // wraps
    } else {
      for (T& x : t.mutable_values<T>()) x = static_cast<T>(static_cast<float>(value));
    }
    return true;
  });
  return t;
}

inline double First(const Tensor& t) {
  if (t.dtype() == DType::kComplex64) return t.scalar<std::complex<float>>().real();
  if (t.dtype() == DType::kComplex128) return t.scalar<std::complex<double>>().real();
  return DispatchDType<kRealTypes>(t.dtype(), -1.0, [&]<typename T>() { return static_cast<double>(t.scalar<T>()); });
}

// A graph of variables, each behind a reference or a handle, with a node that gives it its value (<name>/assign), its
// feed (<name>/value) and a read (<name>/read).
class VariableGraph {
 public:
  VariableGraph() : g(DefaultOps().registry()) {}

  void AddVariable(const std::string& name, DType dtype, bool resource, const std::string& container = "",
                   bool use_locking = true) {
    g.Add(name, resource ? "VarHandleOp" : "VariableV2", {},
          {{"dtype", dtype}, {"shape", PartialShape()}, {"container", container}, {"shared_name", name}});
    g.Add(name + "/value", "Placeholder", {}, {{"dtype", dtype}});
    if (resource) {
      g.Add(name + "/assign", "AssignVariableOp", {name, name + "/value"}, {{"dtype", dtype}});
      g.Add(name + "/read", "ReadVariableOp", {name}, {{"dtype", dtype}});
    } else {
      g.Add(name + "/assign", "Assign", {name, name + "/value"},
            {{"T", dtype}, {"validate_shape", false}, {"use_locking", use_locking}});
      g.Add(name + "/read", "Identity", {name}, {{"T", dtype}});
    }
  }
  void AddConst(const std::string& name, const Tensor& value) {
    g.Add(name, "Const", {}, {{"dtype", value.dtype()}, {"value", value}});
  }
  std::unique_ptr<Session> Open(std::shared_ptr<ResourceManager> resources = nullptr) {
    absl::StatusOr<Graph> graph = g.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    SessionOptions options;
    options.threads = 2;
    options.resources = std::move(resources);
    return *Session::Create(*std::move(graph), DefaultOps(), options);
  }
  TestGraph g;
};

inline void Assign(Session& session, const std::string& variable, const Tensor& value) {
  const absl::Status status = session.Run({{variable + "/value", value}}, {}, {variable + "/assign"}).status();
  ASSERT_TRUE(status.ok()) << status;
}

inline Tensor Read(Session& session, const std::string& variable) {
  const absl::StatusOr<std::vector<Tensor>> value = session.Run({}, {variable + "/read"}, {});
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? (*value)[0] : Tensor();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_E2E_VARIABLE_GRAPH_H_
