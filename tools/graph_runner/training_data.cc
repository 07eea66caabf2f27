#include "tools/graph_runner/training_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "flowlatch/proto/example.pb.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "runtime/data/csv.h"
#include "runtime/data/example_dataset.h"
#include "runtime/data/prefetcher.h"
#include "runtime/data/record_file.h"
#include "runtime/kernel/dispatch.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npz.h"
#include "tools/arrays/spec.h"
#include "tools/graph_runner/errors.h"

namespace flowlatch {
namespace {

absl::Status Usage(const std::string& text) { return WithExit(ExitCode::kUsage, absl::InvalidArgumentError(text)); }

// Where an input gets its values from.
struct Feed {
  PortReport input;
  std::vector<std::string> keys;  // several are put side by side, as a new last dimension
  std::optional<DType> dtype;     // of values that are stored as bytes
  double divisor = 1;
};

// "NAME=KEY[,KEY...][:DTYPE][/DIVISOR]"
absl::StatusOr<Feed> ParseFeed(const std::string& text, const std::vector<PortReport>& inputs) {
  const auto split = SplitAssignment(text);
  if (!split.ok()) return WithExit(ExitCode::kUsage, split.status());
  auto [name, rest] = *split;
  Feed feed;
  NearNames near(name);
  bool found = false;
  for (const PortReport& input : inputs) {
    near.Consider(input.name);
    if (input.name != name && input.name + ":0" != name) continue;
    feed.input = input;
    found = true;
  }
  if (!found) return Usage(absl::StrCat("--feed ", text, ": expected an input of the model, got '", name, "'", near.Hint()));
  // Keys may have slashes of their own.
  if (const size_t slash = rest.rfind('/'); slash != std::string::npos && absl::SimpleAtod(rest.substr(slash + 1), &feed.divisor)) {
    if (!(std::abs(feed.divisor) > 0)) return Usage(absl::StrCat("--feed ", text, ": expected a divisor other than zero"));
    rest.resize(slash);
  }
  if (const size_t colon = rest.rfind(':'); colon != std::string::npos) {
    feed.dtype = ParseShortDType(rest.substr(colon + 1));
    if (!feed.dtype.has_value()) return Usage(absl::StrCat("--feed ", text, ": expected a dtype behind ':', got '", rest.substr(colon + 1), "'"));
    rest.resize(colon);
  }
  feed.keys = absl::StrSplit(rest, ',');
  return feed;
}

// "pixel*" stands for all columns that begin so. Errors: kUsage for columns that are not there.
absl::Status ExpandKeys(const std::vector<std::string>& columns, Feed* feed) {
  std::vector<std::string> keys;
  for (const std::string& key : feed->keys) {
    const size_t before = keys.size();
    NearNames near(key);
    for (const std::string& column : columns) {
      near.Consider(column);
      const bool matches = absl::EndsWith(key, "*") ? absl::StartsWith(column, key.substr(0, key.size() - 1)) : column == key;
      if (matches) keys.push_back(column);
    }
    if (keys.size() == before) {
      return Usage(absl::StrCat("--feed ", feed->input.name, "=", key, ": expected a column of the data", near.Hint(), "; it has ",
                                absl::StrJoin(columns, ", ")));
    }
  }
  feed->keys = std::move(keys);
  return absl::OkStatus();
}

// The feeds that the user named, and those whose column has the name of an input.
absl::StatusOr<std::vector<Feed>> ResolveFeeds(const DataOptions& options, const std::vector<PortReport>& inputs,
                                               const std::vector<std::string>& columns) {
  std::vector<Feed> feeds;
  std::set<std::string> fed;
  for (const std::string& text : options.feeds) {
    ASSIGN_OR_RETURN(Feed feed, ParseFeed(text, inputs));
    RETURN_IF_ERROR(ExpandKeys(columns, &feed));
    if (!fed.insert(feed.input.name).second) return Usage(absl::StrCat("--feed ", text, ": expected one for each input"));
    feeds.push_back(std::move(feed));
  }
  for (const PortReport& input : inputs) {
    if (fed.contains(input.name) || std::find(columns.begin(), columns.end(), input.name) == columns.end()) continue;
    feeds.push_back({input, {input.name}, std::nullopt, 1});
  }
  if (feeds.empty()) {
    std::vector<std::string> names;
    for (const PortReport& input : inputs) names.push_back(input.name);
    return Usage(absl::StrCat("--feed: expected NAME=KEY for inputs of the model (", absl::StrJoin(names, ", "),
                              ") from columns of the data (", absl::StrJoin(columns, ", "), "), got none"));
  }
  return feeds;
}

// ---- Values

// All elements as V.
template <typename V>
std::vector<V> ElementsAs(const Tensor& t) {
  std::vector<V> values;
  DispatchDType<kRealTypes | DTypeSet{DType::kBool}>(t.dtype(), false, [&]<typename T>() {
    for (const T& value : t.values<T>()) values.push_back(static_cast<V>(value));
    return true;
  });
  return values;
}

// The same elements as another dtype, divided. Floats become no integers.
absl::StatusOr<Tensor> Cast(const Tensor& t, DType dtype, double divisor, const std::string& what) {
  if (t.dtype() == dtype && divisor == 1) return t;
  constexpr DTypeSet kNumbers = kRealTypes | DTypeSet{DType::kBool};
  const bool to_float = IsFloating(dtype);
  if (!kNumbers.contains(t.dtype()) || !kNumbers.contains(dtype) || (!to_float && (IsFloating(t.dtype()) || divisor != 1))) {
    return Usage(absl::StrCat(what, ": expected data for ", std::string(DTypeName(dtype)), ", got ", std::string(DTypeName(t.dtype())),
                              divisor != 1 ? absl::StrCat(" divided by ", divisor) : ""));
  }
  ASSIGN_OR_RETURN(Tensor out, Tensor::Make(dtype, t.shape()));
  const std::vector<double> floats = to_float ? ElementsAs<double>(t) : std::vector<double>();
  const std::vector<int64_t> integers = to_float ? std::vector<int64_t>() : ElementsAs<int64_t>(t);
  DispatchDType<kNumbers>(dtype, false, [&]<typename T>() {
    T* const to = out.mutable_data<T>();
    for (size_t i = 0; i < floats.size(); ++i) to[i] = static_cast<T>(floats[i] / divisor);
    for (size_t i = 0; i < integers.size(); ++i) to[i] = static_cast<T>(integers[i]);
    return true;
  });
  return out;
}

// A batch in the shape that the input takes, if another one of as many elements.
absl::StatusOr<Tensor> Reshape(const Tensor& batch, const PartialShape& wanted, const std::string& what) {
  if (!wanted.has_rank() || wanted.MergeWith(PartialShape(batch.shape())).ok()) return batch;
  std::vector<int64_t> dims(wanted.dims().begin(), wanted.dims().end());
  int64_t known = 1;
  int unknown = -1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d == 0 && dims[d] < 0) dims[d] = batch.dim(0);
    if (dims[d] >= 0) {
      known *= std::max<int64_t>(1, dims[d]);
    } else if (unknown < 0) {
      unknown = static_cast<int>(d);
    }
  }
  if (unknown >= 0 && batch.num_elements() % known == 0) dims[static_cast<size_t>(unknown)] = batch.num_elements() / known;
  const absl::StatusOr<Shape> shape = Shape::Make(dims);
  if (!shape.ok() || shape->num_elements() != batch.num_elements()) {
    return Usage(absl::StrCat(what, ": expected batches of shape ", wanted.ToString(), ", got ", batch.ShapeString()));
  }
  return batch.Reshaped(*shape);
}

// Batches of the data's columns as batches of the model's inputs.
class Fitted final : public Dataset {
 public:
  Fitted(std::unique_ptr<Dataset> batches, std::vector<Feed> feeds) : batches_(std::move(batches)), feeds_(std::move(feeds)) {
    for (const Feed& feed : feeds_) columns_.push_back(feed.input.name);
  }
  const std::vector<std::string>& columns() const override { return columns_; }
  std::optional<int64_t> num_rows() const override { return batches_->num_rows(); }
  absl::Status StartEpoch(int64_t epoch) override { return batches_->StartEpoch(epoch); }
  absl::StatusOr<bool> Next(std::vector<Tensor>* row) override {
    std::vector<Tensor> batch;
    ASSIGN_OR_RETURN(const bool more, batches_->Next(&batch));
    if (!more) return false;
    row->clear();
    for (const Feed& feed : feeds_) {
      ASSIGN_OR_RETURN(Tensor value, ValueOf(feed, batch));
      row->push_back(std::move(value));
    }
    return true;
  }
  void Cancel() override { batches_->Cancel(); }

 private:
  const Tensor& ColumnOf(const std::string& key, const std::vector<Tensor>& batch) const {
    const std::vector<std::string>& names = batches_->columns();
    return batch[static_cast<size_t>(std::find(names.begin(), names.end(), key) - names.begin())];
  }
  absl::StatusOr<Tensor> ValueOf(const Feed& feed, const std::vector<Tensor>& batch) const {
    const std::string what = absl::StrCat("input '", feed.input.name, "'");
    std::vector<Tensor> parts;
    for (const std::string& key : feed.keys) {
      ASSIGN_OR_RETURN(Tensor part, Cast(ColumnOf(key, batch), feed.input.dtype, feed.divisor, what));
      parts.push_back(std::move(part));
    }
    if (parts.size() == 1) return Reshape(parts[0], feed.input.shape, what);
    // Row by row, the parts side by side.
    std::vector<Tensor> rows;
    for (int64_t i = 0; i < parts[0].dim(0); ++i) {
      std::vector<Tensor> row;
      for (const Tensor& part : parts) row.push_back(part.Rows(i, 1));
      ASSIGN_OR_RETURN(Tensor side_by_side, Stack(row, /*pad=*/false, what));
      rows.push_back(std::move(side_by_side));
    }
    ASSIGN_OR_RETURN(const Tensor stacked, Stack(rows, /*pad=*/false, what));
    ASSIGN_OR_RETURN(const Tensor flat, stacked.Reshaped(Shape::FromValid({stacked.dim(0), stacked.num_elements() / stacked.dim(0)})));
    return Reshape(flat, feed.input.shape, what);
  }

  const std::unique_ptr<Dataset> batches_;
  const std::vector<Feed> feeds_;
  std::vector<std::string> columns_;
};

// Row i is held back when i % every == every - 1; this gives those rows or the others.
class Part final : public Dataset {
 public:
  Part(std::unique_ptr<Dataset> rows, int64_t every, bool held_back) : rows_(std::move(rows)), every_(every), held_back_(held_back) {}
  const std::vector<std::string>& columns() const override { return rows_->columns(); }
  std::optional<int64_t> num_rows() const override {
    const std::optional<int64_t> all = rows_->num_rows();
    if (!all.has_value()) return all;
    return held_back_ ? *all / every_ : *all - *all / every_;
  }
  absl::Status StartEpoch(int64_t epoch) override {
    next_ = 0;
    return rows_->StartEpoch(epoch);
  }
  absl::StatusOr<bool> Next(std::vector<Tensor>* row) override {
    while (true) {
      const absl::StatusOr<bool> more = rows_->Next(row);
      if (!more.ok() || !*more || (next_++ % every_ == every_ - 1) == held_back_) return more;
    }
  }
  void Cancel() override { rows_->Cancel(); }

 private:
  const std::unique_ptr<Dataset> rows_;
  const int64_t every_;
  const bool held_back_;
  int64_t next_ = 0;
};

// ---- Sources

using Arrays = std::vector<std::pair<std::string, Tensor>>;

// Rows of the keys that the feeds need, and the feeds.
struct Source {
  std::unique_ptr<Dataset> rows;
  std::vector<Feed> feeds;
};

std::vector<std::string> KeysOf(const std::vector<Feed>& feeds) {
  std::set<std::string> keys;
  for (const Feed& feed : feeds) keys.insert(feed.keys.begin(), feed.keys.end());
  return {keys.begin(), keys.end()};
}

absl::StatusOr<Arrays> ReadNpz(const std::string& path) {
  ASSIGN_OR_RETURN(const NpzReader npz, NpzReader::Open(path));
  Arrays arrays;
  for (const std::string& name : npz.Names()) {
    ASSIGN_OR_RETURN(Tensor array, npz.Read(name));
    arrays.emplace_back(name, std::move(array));
  }
  return arrays;
}

absl::StatusOr<Arrays> ReadCsv(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadBytes(path));
  return ParseCsv(text, path);
}

absl::StatusOr<Source> OpenArrays(Arrays arrays, const DataOptions& options, const std::vector<PortReport>& inputs) {
  std::vector<std::string> columns;
  for (const auto& [name, array] : arrays) columns.push_back(name);
  Source source;
  ASSIGN_OR_RETURN(source.feeds, ResolveFeeds(options, inputs, columns));
  const std::vector<std::string> keys = KeysOf(source.feeds);
  std::erase_if(arrays, [&](const auto& array) { return !std::binary_search(keys.begin(), keys.end(), array.first); });
  ASSIGN_OR_RETURN(source.rows, ArrayDataset(std::move(arrays)));
  return source;
}

// The features of the first record; none if there is none.
absl::StatusOr<std::vector<std::string>> FirstFeatures(const std::vector<std::string>& paths, ExampleKind* kind) {
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader, RecordReader::Open(FileSystem::Default(), path));
    std::string record;
    ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
    if (!more) continue;
    // Every Example is a SequenceExample without lists.
    proto::SequenceExample example;
    if (!example.ParseFromString(record)) {
      return absl::InvalidArgumentError(absl::StrCat("record file '", path, "': expected Examples, got other records"));
    }
    *kind = example.feature_lists().feature_list().empty() ? ExampleKind::kExample : ExampleKind::kSequence;
    std::set<std::string> keys;
    for (const auto& [key, feature] : example.context().feature()) keys.insert(key);
    for (const auto& [key, list] : example.feature_lists().feature_list()) keys.insert(key);
    return std::vector<std::string>(keys.begin(), keys.end());
  }
  return std::vector<std::string>();
}

absl::StatusOr<Source> OpenRecords(std::vector<std::string> paths, const DataOptions& options, const std::vector<PortReport>& inputs) {
  ExampleKind kind = ExampleKind::kExample;
  const absl::StatusOr<std::vector<std::string>> columns = FirstFeatures(paths, &kind);
  if (!columns.ok()) return WithExit(ExitCode::kFiles, columns.status());
  Source source;
  ASSIGN_OR_RETURN(source.feeds, ResolveFeeds(options, inputs, *columns));
  std::vector<FeatureSpec> features;
  for (const std::string& key : KeysOf(source.feeds)) {
    for (const Feed& feed : source.feeds) {
      if (std::find(feed.keys.begin(), feed.keys.end(), key) == feed.keys.end()) continue;
      features.push_back({key, feed.dtype.value_or(feed.input.dtype), PartialShape::Of({-1})});
      break;
    }
  }
  source.rows = ExampleDataset(FileSystem::Default(), std::move(paths), kind, std::move(features));
  return source;
}

// The files of a folder whose names say that they are record files.
absl::StatusOr<std::vector<std::string>> RecordFilesIn(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, FileSystem::Default().List(folder));
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (absl::StrContains(name, ".tfrecord") || absl::EndsWith(name, ".rec")) paths.push_back(JoinPath(folder, name));
  }
  if (!paths.empty()) return paths;
  return absl::NotFoundError(absl::StrCat("folder '", folder, "': expected files named *.tfrecord* or *.rec, got none"));
}

absl::StatusOr<Source> OpenSource(const DataOptions& options, const std::vector<PortReport>& inputs) {
  const std::string& path = options.path;
  std::error_code error;
  std::vector<std::string> paths = {path};
  if (std::filesystem::is_directory(path, error)) {
    absl::StatusOr<std::vector<std::string>> found = RecordFilesIn(path);
    if (!found.ok()) return WithExit(ExitCode::kFiles, found.status());
    paths = *std::move(found);
  } else if (const bool npz = absl::EndsWith(path, ".npz"); npz || absl::EndsWith(path, ".csv")) {
    absl::StatusOr<Arrays> arrays = npz ? ReadNpz(path) : ReadCsv(path);
    if (!arrays.ok()) return WithExit(ExitCode::kFiles, arrays.status());
    return OpenArrays(*std::move(arrays), options, inputs);
  }
  return OpenRecords(std::move(paths), options, inputs);
}

}  // namespace

absl::StatusOr<TrainingData> OpenTrainingData(const DataOptions& options, const std::vector<PortReport>& model_inputs, Rows rows) {
  ASSIGN_OR_RETURN(Source source, OpenSource(options, model_inputs));
  std::unique_ptr<Dataset> data = std::move(source.rows);
  const bool training = rows == Rows::kTraining;
  if (options.holdout > 0) data = std::make_unique<Part>(std::move(data), options.holdout, !training);
  if (training && options.shuffle > 0) data = Shuffled(std::move(data), options.shuffle, options.seed);
  data = Batched(std::move(data), {.size = options.batch, .drop_remainder = training && options.drop_remainder, .pad = options.pad});
  TrainingData result;
  for (const Feed& feed : source.feeds) result.inputs.push_back(feed.input.name);
  data = std::make_unique<Fitted>(std::move(data), std::move(source.feeds));
  constexpr int kAhead = 8;  // batches
  result.batches = training ? std::make_unique<Prefetcher>(std::move(data), kAhead) : std::move(data);
  return result;
}

}  // namespace flowlatch
