// Op functions for C++: what graph-runner ops --cpp writes, and ops/op_functions.h is.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_OP_FUNCTIONS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_OP_FUNCTIONS_H_

#include <string>

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// A header with one function for each op of the library. Deterministic.
std::string OpFunctionsHeader(const OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_OP_FUNCTIONS_H_
