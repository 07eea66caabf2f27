// Any bytes as a GraphDef: an error, or a graph that is written, printed, drawn and read back the same.
#include "tests/fuzz/graph_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  flowlatch::CheckGraph(flowlatch::ReadGraphDef(bytes, flowlatch::FuzzRegistry()));
  return 0;
}
