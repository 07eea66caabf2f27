// Replay: runs the steps of a corpus case in a session.
#ifndef FLOWLATCH_TOOLS_CORPUS_REPLAY_H_
#define FLOWLATCH_TOOLS_CORPUS_REPLAY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"
#include "runtime/session/session.h"
#include "tools/arrays/npz.h"
#include "tools/corpus/case.h"

namespace flowlatch {

// Errors that mean that the case itself cannot be read, rather than an answer of the runtime, are DataLoss from Open.
class Replay {
 public:
  // Reads the recorded arrays. Changes the working directory and empties folders where the case asks for it; what it
  // empties must be below the folder for temporary files.
  static absl::StatusOr<Replay> Open(Case c);

  const Case& spec() const { return case_; }

  // Loads the graph, makes the session and restores its variables. `as_tensorflow`: refuses what TensorFlow's import
  // refuses and Flowlatch need not, names that begin with `_` and shapes that can never fit. Errors: the runtime's.
  // `change`, if it is set, makes the graph that is run of the one that was read.
  using Change = std::function<absl::StatusOr<Graph>(Graph)>;
  absl::Status Load(const OpLibrary& library, SessionOptions options, bool as_tensorflow = false, const Change& change = nullptr);
  // Requires: Load succeeded, for this and what follows.
  Session& session() { return *session_; }

  // The feeds of a step, in order. Errors: DataLoss for arrays that are not there.
  absl::StatusOr<std::vector<Tensor>> Inputs(const CaseStep& step) const;
  // The fetches of a step, in order. One that is fed as well is the feed: TensorFlow's own client, which made the
  // records, answers so before any session sees it.
  absl::StatusOr<std::vector<Tensor>> Run(const CaseStep& step) const;
  absl::StatusOr<Callable> Prepare(const CaseStep& step) const;
  // What was recorded. Requires: tensor.key. Errors: DataLoss for arrays that are not there.
  absl::StatusOr<Tensor> Recorded(const RecordedTensor& tensor) const;

 private:
  Case case_;
  NpzReader arrays_;
  std::unique_ptr<Session> session_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_CORPUS_REPLAY_H_
