// RETURN_IF_ERROR and ASSIGN_OR_RETURN. Only .cc files and internal headers include this: embedders have macros of their own.
#ifndef FLOWLATCH_GRAPH_BASE_STATUS_MACROS_H_
#define FLOWLATCH_GRAPH_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define FLOWLATCH_CONCAT_INNER(a, b) a##b
#define FLOWLATCH_CONCAT(a, b) FLOWLATCH_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expr)                                       \
  do {                                                              \
    absl::Status flowlatch_status = (expr);                         \
    if (ABSL_PREDICT_FALSE(!flowlatch_status.ok())) return flowlatch_status; \
  } while (false)

#define ASSIGN_OR_RETURN(lhs, expr) \
  FLOWLATCH_ASSIGN_OR_RETURN(FLOWLATCH_CONCAT(flowlatch_value_, __LINE__), lhs, expr)
#define FLOWLATCH_ASSIGN_OR_RETURN(var, lhs, expr)                \
  auto var = (expr);                                              \
  if (ABSL_PREDICT_FALSE(!var.ok())) return std::move(var).status(); \
  lhs = std::move(var).value()

#endif  // FLOWLATCH_GRAPH_BASE_STATUS_MACROS_H_
