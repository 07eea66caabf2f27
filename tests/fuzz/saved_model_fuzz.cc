// Any bytes as saved_model.pb: an error, or a model whose graph is as in graph_def_fuzz.cc.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "graph/io/model.h"
#include "tests/fuzz/graph_checks.h"

namespace {

const std::string& Folder() {
  static const auto* folder = [] {
    std::string path = (std::filesystem::temp_directory_path() / "flowlatch-saved-model-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) abort();
    return new std::string(path);
  }();
  return *folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::ofstream(Folder() + "/saved_model.pb", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  absl::StatusOr<flowlatch::Model> model = flowlatch::LoadModel(Folder(), flowlatch::FuzzRegistry());
  if (model.ok()) {
    flowlatch::CheckGraph(std::move(model->graph));
  } else {
    flowlatch::CheckGraph(model.status());
  }
  return 0;
}
