// Graphs and sessions of variables alone, whose values tests set and read by the session's resources.
#ifndef FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_VARIABLE_GRAPH_H_
#define FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_VARIABLE_GRAPH_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/io/graph_def.h"
#include "graph/schema/op_registry.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/saved_variables.h"
#include "runtime/resource/variable.h"
#include "runtime/session/session.h"
#include "tests/testing/fake_ops.h"

namespace flowlatch {

inline const OpLibrary& NoKernels() {
  static FakeOps* const ops = new FakeOps;
  return ops->library();
}

inline Graph VariableGraph(const std::string& text) {
  absl::StatusOr<Graph> graph = ReadGraphDefText(text, NoKernels().registry());
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

// Variables v0, v1, ... of int32.
inline std::unique_ptr<Session> VariableSession(int num_variables) {
  std::string text;
  for (int i = 0; i < num_variables; ++i) {
    absl::StrAppend(&text, "node { name: 'v", i, "' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_INT32 } } ",
                    "attr { key: 'shape' value { shape { unknown_rank: true } } } ",
                    "attr { key: 'shared_name' value { s: 'v", i, "' } } }\n");
  }
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(VariableGraph(text), NoKernels(), {});
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

// Each variable vI gets 10 + I elements, all of them `value`.
inline void SetVariables(Session& session, int num_variables, int32_t value) {
  for (int i = 0; i < num_variables; ++i) {
    const std::string name = absl::StrCat("v", i);
    const RefPtr<Variable> variable = *session.resources().LookupOrCreate<Variable>(
        "", name, [&]() -> absl::StatusOr<RefPtr<Variable>> { return MakeRef<Variable>(DType::kInt32, name); });
    Tensor values = *Tensor::Make(DType::kInt32, Shape::FromValid({10 + i}));
    for (int32_t& x : values.mutable_values<int32_t>()) x = value;
    const std::unique_lock<std::shared_mutex> lock(variable->mu);
    variable->value = std::move(values);
  }
}

// What all elements of all variables are, or -1 if they differ or there are none.
inline int32_t ValueOf(Session& session, int num_variables) {
  int32_t value = -1;
  for (int i = 0; i < num_variables; ++i) {
    const absl::StatusOr<RefPtr<Variable>> variable = session.resources().Lookup<Variable>("", absl::StrCat("v", i));
    if (!variable.ok()) return -1;
    const Tensor values = (*variable)->Read();
    if (!values.has_value() || values.num_elements() != 10 + i) return -1;
    for (const int32_t x : values.values<int32_t>()) {
      if (value != -1 && x != value) return -1;
      value = x;
    }
  }
  return value;
}

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_VARIABLE_GRAPH_H_
