// The program of docs/getting_started.md.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/io/model.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"

using namespace flowlatch;

int main() {
  absl::StatusOr<Graph> graph = LoadGraph("tools/demo_data/collatz.pb", DefaultOps().registry());
  if (!graph.ok()) return std::puts(std::string(graph.status().message()).c_str()), 1;

  // A session holds a graph and its variables; any number of threads may run steps in it.
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(std::move(*graph), DefaultOps(), {});
  if (!session.ok()) return std::puts(std::string(session.status().message()).c_str()), 1;

  // A prepared step looks no name up.
  absl::StatusOr<Callable> collatz = (*session)->Prepare({"n"}, {"steps", "peak"}, {});
  if (!collatz.ok()) return std::puts(std::string(collatz.status().message()).c_str()), 1;

  std::vector<Tensor> outputs;
  for (int64_t n : {6, 27, 97}) {
    if (absl::Status status = collatz->Run({Tensor::Scalar(n)}, &outputs); !status.ok()) return 1;
    std::printf("%2d: %3d steps, peak %d\n", static_cast<int>(n), static_cast<int>(outputs[0].scalar<int64_t>()),
                static_cast<int>(outputs[1].scalar<int64_t>()));
  }
}
