// Any text as a GraphDef: as graph_def_fuzz.cc.
#include "tests/fuzz/graph_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  flowlatch::CheckGraph(flowlatch::ReadGraphDefText(text, flowlatch::FuzzRegistry()));
  return 0;
}
