// Functions for tests, written down shortly.
#ifndef FLOWLATCH_TESTS_TESTING_TEST_FUNCTIONS_H_
#define FLOWLATCH_TESTS_TESTING_TEST_FUNCTIONS_H_

#include <string>
#include <vector>

#include "flowlatch/proto/function.pb.h"

namespace flowlatch {

struct FunctionText {
  std::string name;
  std::vector<std::string> args, results;    // "name dtype"
  std::vector<std::string> nodes;            // "name op input,input attr=value;attr=value", values as in text protos
  std::vector<std::string> returns;          // "result port"
  std::vector<std::string> control_returns;  // nodes
  std::vector<std::string> attrs;            // of the function: "attr=value"
};

// A test fails here if the text is malformed.
FunctionDef Define(const FunctionText& f);

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_TESTING_TEST_FUNCTIONS_H_
