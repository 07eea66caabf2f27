#include "tools/graph_runner/doctor.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/base/status_macros.h"
#include "graph/ir/graph.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

// The value of the first line of /proc/cpuinfo that begins with `key`.
std::string CpuInfo(absl::string_view key) {
  const absl::StatusOr<std::string> text = ReadBytes("/proc/cpuinfo");
  if (!text.ok()) return "";
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (!absl::ConsumePrefix(&line, key)) continue;
    const size_t colon = line.find(':');
    if (colon != absl::string_view::npos) return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return "";
}

std::string VectorFeatures() {
  const std::vector<std::string> flags = absl::StrSplit(CpuInfo("flags"), ' ');
  std::vector<std::string> known;
  for (const char* feature :
       {"sse4_2", "avx", "avx2", "fma", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_bf16"}) {
    for (const std::string& flag : flags) {
      if (flag == feature) known.push_back(flag);
    }
  }
  return known.empty() ? "none known" : absl::StrJoin(known, " ");
}

int UsableProcessors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                     : static_cast<int>(std::thread::hardware_concurrency());
}

// Multiplies matrices of small integers, whose product every correct BLAS gives exactly.
absl::Status CheckMatMul() {
  constexpr int64_t kSize = 96;
  Graph graph(DefaultOps().registry());
  const OpSchema* placeholder = graph.registry().FindRegistered("Placeholder");
  const OpSchema* matmul = graph.registry().FindRegistered("MatMul");
  if (placeholder == nullptr || matmul == nullptr) return absl::UnimplementedError("MatMul: no kernel");
  ASSIGN_OR_RETURN(const NodeId a, graph.AddNode("a", placeholder, {{"dtype", DType::kFloat32}}));
  ASSIGN_OR_RETURN(const NodeId b, graph.AddNode("b", placeholder, {{"dtype", DType::kFloat32}}));
  ASSIGN_OR_RETURN(const NodeId product, graph.AddNode("product", matmul, {{"T", DType::kFloat32}}));
  graph.SetInputs(product, {Port{a, 0}, Port{b, 0}}, {});
  ASSIGN_OR_RETURN(Tensor x, Tensor::Make(DType::kFloat32, Shape::Of({kSize, kSize})));
  ASSIGN_OR_RETURN(Tensor y, Tensor::Make(DType::kFloat32, Shape::Of({kSize, kSize})));
  for (int64_t i = 0; i < kSize * kSize; ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(i * 7 % 11 - 5);
    y.mutable_data<float>()[i] = static_cast<float>(i * 5 % 13 - 6);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                   Session::Create(std::move(graph), DefaultOps(), {.threads = 1}));
  ASSIGN_OR_RETURN(const std::vector<Tensor> results, session->Run({{"a", x}, {"b", y}}, {"product"}, {}));
  for (int64_t row = 0; row < kSize; ++row) {
    for (int64_t column = 0; column < kSize; ++column) {
      float sum = 0;
      for (int64_t k = 0; k < kSize; ++k) sum += x.data<float>()[row * kSize + k] * y.data<float>()[k * kSize + column];
      const float got = results[0].data<float>()[row * kSize + column];
      if (got != sum) return absl::InternalError(absl::StrCat("product of matrices: expected ", sum, ", got ", got));
    }
  }
  return absl::OkStatus();
}

std::string Environment() {
  std::vector<std::string> set;
  for (const char* name :
       {"OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX", "NO_COLOR"}) {
    if (const char* value = std::getenv(name)) set.push_back(absl::StrCat(name, "=", value));
  }
  return set.empty() ? "nothing that matters is set" : absl::StrJoin(set, " ");
}

std::string Limit(int resource) {
  rlimit limit;
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "unlimited";
  return absl::StrCat(limit.rlim_cur >> 20, " MiB");
}

std::string BuildFlags() {
  std::string flags = absl::StrCat("g++ or clang ", __VERSION__, ", C++", __cplusplus / 100 % 100);
#ifdef NDEBUG
  absl::StrAppend(&flags, ", without assertions");
#else
  absl::StrAppend(&flags, ", with assertions");
#endif
#ifdef FLOWLATCH_SANITIZED
  absl::StrAppend(&flags, ", sanitized");
#endif
  return flags;
}

}  // namespace

DoctorReport Doctor() {
  DoctorReport report;
  const auto add = [&](const char* topic, std::string finding, bool ok = true) {
    report.rows.push_back({topic, std::move(finding), ok});
  };
  const absl::Status matmul = CheckMatMul();
  const std::string cpu = CpuInfo("model name");
  add("processor", cpu.empty() ? "unknown" : cpu);
  add("vector features", VectorFeatures());
  add("processors", absl::StrCat(UsableProcessors(), " of ", std::thread::hardware_concurrency(), " may be used"));
  add("memory", absl::StrCat(int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) >> 20, " MiB, address space ",
                             Limit(RLIMIT_AS), ", stack ", Limit(RLIMIT_STACK)));
  add("matrix products", matmul.ok() ? "right" : std::string(matmul.message()), matmul.ok());
  add("ops", absl::StrCat(DefaultOps().registry().Registered().size(), " of the ", TensorFlowSignatures().size(),
                          " ops of TensorFlow 2.21"));
  add("build", BuildFlags());
  add("environment", Environment());
  return report;
}

}  // namespace flowlatch
