#include "tools/graph_runner/convert.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/io/dot.h"
#include "graph/io/graph_def.h"
#include "tools/arrays/files.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/opened_model.h"

namespace flowlatch {

absl::Status Convert(const ConvertOptions& options) {
  const bool text = options.text || absl::EndsWith(options.to, ".pbtxt");
  const bool dot = absl::EndsWith(options.to, ".dot");
  if (!text && !dot && !absl::EndsWith(options.to, ".pb")) {
    return WithExit(ExitCode::kUsage,
                    absl::InvalidArgumentError(absl::StrCat(
                        "'", options.to, "': expected a name that ends in .pb, .pbtxt or .dot, or --text")));
  }
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(const Model model, LoadForTool(options.from, options.tags, &warnings));
  std::string bytes;
  if (dot) {
    bytes = GraphToDot(model.graph);
  } else {
    ASSIGN_OR_RETURN(bytes, text ? WriteGraphDefText(model.graph) : WriteGraphDef(model.graph));
  }
  return WithExit(ExitCode::kFiles, WriteBytes(options.to, bytes));
}

}  // namespace flowlatch
