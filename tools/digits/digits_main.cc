// digits: a trained network on real handwritten digits, by the public API alone. tools/demo runs it.
//
//   digits FOLDER [MODEL]    (FOLDER with digits_cnn.pb and digits.npz, see tools/demo_data/README.md; MODEL instead of
//                             digits_cnn.pb, a SavedModel for example)

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/base/status_macros.h"
#include "graph/io/model.h"
#include "ops/default_ops.h"
#include "runtime/checkpoint/saved_model.h"
#include "runtime/session/session.h"
#include "tools/arrays/npz.h"
#include "tools/graph_runner/text.h"

namespace flowlatch {
namespace {

constexpr int kSide = 8;  // pixels of an image in each direction
constexpr int kPixels = kSide * kSide;
constexpr int kLevels = 16;  // of grey
constexpr int kFifth = 5;    // the network never saw image i where i % 5 == 4

// Images that the network never saw, with the digits that people say they are.
struct Digits {
  Tensor images;  // float32 [n,8,8,1], 0 to 1
  std::vector<int64_t> labels;
};

absl::StatusOr<Digits> ReadDigits(const std::string& path) {
  ASSIGN_OR_RETURN(const NpzReader npz, NpzReader::Open(path));
  ASSIGN_OR_RETURN(const Tensor images, npz.ReadAs("images", DType::kUInt8));
  ASSIGN_OR_RETURN(const Tensor labels, npz.ReadAs("labels", DType::kUInt8));
  if (images.rank() != 3 || images.dim(1) != kSide || images.dim(2) != kSide ||
      labels.num_elements() != images.dim(0)) {
    return absl::InvalidArgumentError("digits: expected images [n,8,8] and labels [n], got " + images.ShapeString() +
                                      " and " + labels.ShapeString());
  }
  Digits digits;
  const int64_t held_back = images.dim(0) / kFifth;
  ASSIGN_OR_RETURN(digits.images, Tensor::Make(DType::kFloat32, Shape::Of({held_back, kSide, kSide, 1})));
  float* out = digits.images.mutable_data<float>();
  for (int64_t i = kFifth - 1; i < images.dim(0); i += kFifth) {
    const uint8_t label = labels.data<uint8_t>()[i];
    if (label > 9) return absl::InvalidArgumentError("digits: expected labels 0 to 9, got " + std::to_string(label));
    digits.labels.push_back(label);
    const uint8_t* pixels = images.data<uint8_t>() + i * kPixels;
    for (int p = 0; p < kPixels; ++p) *out++ = static_cast<float>(pixels[p]) / kLevels;
  }
  return digits;
}

// Draws images side by side, with a line of text below each.
void Draw(const Tensor& images, const std::vector<int64_t>& which, const std::vector<std::string>& captions) {
  static constexpr const char* kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  for (int row = 0; row < kSide; ++row) {
    std::string line = "  ";
    for (const int64_t i : which) {
      for (int column = 0; column < kSide; ++column) {
        const float grey = images.data<float>()[i * kPixels + row * kSide + column];
        line += kShades[static_cast<int>(grey * 4 + 0.5f)];
      }
      line += "  ";
    }
    std::printf("%s\n", line.c_str());
  }
  std::string line = "  ";
  for (const std::string& caption : captions)
    line += caption + std::string(2 * kSide + 2 - std::min<size_t>(caption.size(), 2 * kSide), ' ');
  std::printf("%s\n\n", line.c_str());
}

// An image to draw, and what to write below it.
struct Drawing {
  int64_t image = -1;
  std::string caption;
};

void DrawRow(const Tensor& images, absl::Span<const Drawing> row) {
  std::vector<int64_t> which;
  std::vector<std::string> captions;
  for (const Drawing& drawing : row) {
    if (drawing.image < 0) continue;
    which.push_back(drawing.image);
    captions.push_back(drawing.caption);
  }
  Draw(images, which, captions);
}

// Draws one image of each digit that the network read right, and those that it did not.
void DrawResults(const Digits& digits, const Tensor& classes, const Tensor& probabilities) {
  constexpr size_t kDigits = 10, kRow = 5;
  std::vector<Drawing> right(kDigits), wrong;
  for (int64_t i = 0; i < digits.images.dim(0); ++i) {
    const int64_t guess = classes.data<int64_t>()[i], label = digits.labels[static_cast<size_t>(i)];
    const float probability = probabilities.data<float>()[i * int64_t{kDigits} + guess];
    char caption[40];
    if (guess != label) {
      std::snprintf(caption, sizeof caption, "  %d read as %d", static_cast<int>(label), static_cast<int>(guess));
      if (wrong.size() < kRow) wrong.push_back({i, caption});
    } else if (right[static_cast<size_t>(label)].image < 0) {
      std::snprintf(caption, sizeof caption, "   it is %d (%.0f%%)", static_cast<int>(guess), 100 * probability);
      right[static_cast<size_t>(label)] = {i, caption};
    }
  }
  DrawRow(digits.images, absl::MakeConstSpan(right).first(kRow));
  DrawRow(digits.images, absl::MakeConstSpan(right).subspan(kRow));
  if (wrong.empty()) return;
  std::printf("What it got wrong:\n\n");
  DrawRow(digits.images, wrong);
}

// Times steps of one image each.
absl::Status TimeSingleImages(const Callable& classify, const Digits& digits) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 10;
  std::vector<int64_t> times;
  std::vector<Tensor> outputs;
  for (int64_t k = 0; k < kRounds * digits.images.dim(0); ++k) {
    const Tensor image = digits.images.Rows(k % digits.images.dim(0), 1);
    const Clock::time_point start = Clock::now();
    RETURN_IF_ERROR(classify.Run({image}, &outputs));
    times.push_back(std::chrono::nanoseconds(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double q) {
    return DurationText(static_cast<double>(times[static_cast<size_t>(q * static_cast<double>(times.size() - 1))]));
  };
  std::printf("One image takes %s (median of %zu), 90%% at most %s, 99%% at most %s, fastest %s.\n\n", at(0.5).c_str(),
              times.size(), at(0.9).c_str(), at(0.99).c_str(), at(0).c_str());
  return absl::OkStatus();
}

absl::Status Run(const std::string& folder, const std::string& model_path) {
  ASSIGN_OR_RETURN(const Digits digits, ReadDigits(folder + "/digits.npz"));
  ASSIGN_OR_RETURN(Model model, LoadModel(model_path, DefaultOps().registry()));
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, OpenSession(model, DefaultOps(), {}));
  ASSIGN_OR_RETURN(const Callable classify, session->Prepare({"images"}, {"classes", "probabilities"}, {}));

  std::vector<Tensor> outputs;
  RunOptions options;
  options.trace = true;
  RunMetadata metadata;
  RETURN_IF_ERROR(classify.Run({digits.images}, &outputs));  // the first run warms up
  RETURN_IF_ERROR(classify.Run({digits.images}, &outputs, options, &metadata));
  const Tensor &classes = outputs[0], &probabilities = outputs[1];
  int64_t right = 0;
  for (size_t i = 0; i < digits.labels.size(); ++i) right += classes.data<int64_t>()[i] == digits.labels[i];
  std::printf("Accuracy: %d of %zu images that it never saw, %.2f%%\n\n", static_cast<int>(right), digits.labels.size(),
              100.0 * static_cast<double>(right) / static_cast<double>(digits.labels.size()));
  DrawResults(digits, classes, probabilities);
  RETURN_IF_ERROR(TimeSingleImages(classify, digits));
  std::printf("All %zu images in one step:\n%s", digits.labels.size(), StatsText(metadata.stats, {}).c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace flowlatch

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: digits FOLDER [MODEL]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const absl::Status status = flowlatch::Run(folder, argc == 3 ? argv[2] : folder + "/digits_cnn.pb");
  if (status.ok()) return 0;
  std::fprintf(stderr, "digits: %s\n", std::string(status.message()).c_str());
  return 1;
}
