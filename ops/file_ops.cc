// Whole files, for steps that may touch them.
//   ReadFile: the bytes of the file `filename`, a scalar.
//   WriteFile: replaces a file, and makes the folders on the way to it.
//   MatchingFiles: the paths, sorted, that one of the patterns (a scalar or a vector) matches; * does not match a slash.
#include "ops/file_ops.h"

#include <glob.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/file_access.h"
#include "runtime/checkpoint/file_system.h"

namespace flowlatch {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 31;

absl::StatusOr<std::string> ScalarString(const KernelCall& c, int input, std::string_view name) {
  const Tensor& t = c.input(input);
  if (t.is_scalar()) return std::string(t.scalar<String>().view());
  return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": expected a scalar, got shape ", t.ShapeString()));
}

absl::StatusOr<std::string> PathInput(const KernelCall& c, int input, std::string_view name) {
  ASSIGN_OR_RETURN(std::string path, ScalarString(c, input, name));
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  RETURN_IF_ERROR(CheckPath(path, name));
  return path;
}

absl::Status ReadWholeFile(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string path, PathInput(c, 0, "filename"));
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(FileSystem::Default(), path, kMaxFileBytes));
  c.SetOutput(0, Tensor::Scalar(std::string_view(bytes)));
  return absl::OkStatus();
}

absl::Status WriteWholeFile(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string contents, ScalarString(c, 1, "contents"));
  ASSIGN_OR_RETURN(const std::string path, PathInput(c, 0, "filename"));
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);  // Create says what is wrong
  ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file, FileSystem::Default().Create(path));
  RETURN_IF_ERROR(file->Append(contents));
  return file->Close();
}

absl::Status MatchFiles(KernelCall& c) {
  const Tensor& patterns = c.input(0);
  if (patterns.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("pattern: expected a scalar or a vector, got shape ", patterns.ShapeString()));
  }
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  std::set<std::string> found;
  for (const String& pattern : patterns.values<String>()) {
    const std::string text(pattern.view());
    if (text.find('\0') != std::string::npos) continue;
    glob_t paths = {};
    if (glob(text.c_str(), 0, nullptr, &paths) == 0) found.insert(paths.gl_pathv, paths.gl_pathv + paths.gl_pathc);
    globfree(&paths);
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, {static_cast<int64_t>(found.size())}));
  int64_t i = 0;
  for (const std::string& path : found) output->mutable_data<String>()[i++] = std::string_view(path);
  return absl::OkStatus();
}

absl::Status WriteFileShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  return c.ExpectScalar(1);
}

absl::Status ReadFileShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  return shapes::Scalar(c);
}

absl::Status MatchingFilesShape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() > 1) return c.ExpectVector(0);
  c.SetOutput(0, PartialShape::Of({-1}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterFileOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("ReadFile"),
                               .doc = "The bytes of a file",
                               .shape = ReadFileShape,
                               .kernel = PlainKernel<ReadWholeFile>}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("WriteFile"),
                               .doc = "Replaces a file",
                               .shape = WriteFileShape,
                               .kernel = PlainKernel<WriteWholeFile>}));
  return library.Add({.signature = TensorFlowSignature("MatchingFiles"),
                      .doc = "The paths of the files that a pattern matches",
                      .shape = MatchingFilesShape,
                      .kernel = PlainKernel<MatchFiles>});
}

}  // namespace flowlatch
