#include "tools/graph_runner/records.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "flowlatch/proto/event.pb.h"
#include "flowlatch/proto/example.pb.h"
#include "graph/base/status_macros.h"
#include "runtime/data/record_file.h"
#include "tools/arrays/files.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/table.h"

namespace flowlatch {
namespace {

using nlohmann::json;

std::string Dump(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

constexpr size_t kShownBytes = 60;

// Bytes as text, cut short.
std::string Quoted(std::string_view bytes) {
  const std::string text = absl::Utf8SafeCEscape(std::string(bytes.substr(0, kShownBytes)));
  return absl::StrCat("\"", text, bytes.size() > kShownBytes ? absl::StrCat("...\" (", bytes.size(), " bytes)") : "\"");
}

// Text as a string, other bytes as {"b64": ...}.
json BytesJson(const std::string& bytes) {
  try {
    json(bytes).dump();  // throws for what is no UTF-8
    return bytes;
  } catch (const json::exception&) {
    return {{"b64", absl::Base64Escape(bytes)}};
  }
}

// ---- Examples

template <typename List>
std::string ListText(const List& values) {
  constexpr int kShown = 8;
  std::vector<std::string> shown;
  for (int i = 0; i < std::min(values.size(), kShown); ++i) shown.push_back(absl::StrCat(values[i]));
  return absl::StrCat("[", absl::StrJoin(shown, " "), values.size() > kShown ? absl::StrCat(" ...] (", values.size(), ")") : "]");
}

std::string FeatureText(const proto::Feature& feature) {
  switch (feature.kind_case()) {
    case proto::Feature::kBytesList:
      return feature.bytes_list().value_size() == 1 ? Quoted(feature.bytes_list().value(0))
                                                    : absl::StrCat(feature.bytes_list().value_size(), " strings");
    case proto::Feature::kFloatList:
      return absl::StrCat("float", ListText(feature.float_list().value()));
    case proto::Feature::kInt64List:
      return absl::StrCat("int64", ListText(feature.int64_list().value()));
    case proto::Feature::KIND_NOT_SET:
      break;
  }
  return "nothing";
}

json FeatureJson(const proto::Feature& feature) {
  json values = json::array();
  for (const std::string& value : feature.bytes_list().value()) values.push_back(BytesJson(value));
  for (const float value : feature.float_list().value()) values.push_back(value);
  for (const int64_t value : feature.int64_list().value()) values.push_back(value);
  return values;
}

void DescribeFeatures(const proto::Features& features, std::vector<std::string>* texts, json* document) {
  const std::map<std::string, proto::Feature> sorted(features.feature().begin(), features.feature().end());
  for (const auto& [key, feature] : sorted) {
    texts->push_back(absl::StrCat(key, "=", FeatureText(feature)));
    (*document)[key] = FeatureJson(feature);
  }
}

void DescribeExample(const proto::SequenceExample& example, RecordReport* record) {
  std::vector<std::string> texts;
  json document = json::object();
  DescribeFeatures(example.context(), &texts, &document);
  const auto& lists = example.feature_lists().feature_list();
  const std::map<std::string, proto::FeatureList> sorted(lists.begin(), lists.end());
  for (const auto& [key, list] : sorted) {
    texts.push_back(absl::StrCat(key, "=", list.feature_size(), " steps", list.feature_size() > 0 ? " of " + FeatureText(list.feature(0)) : ""));
    json steps = json::array();
    for (const proto::Feature& step : list.feature()) steps.push_back(FeatureJson(step));
    document[key] = std::move(steps);
  }
  record->text = absl::StrJoin(texts, " ");
  record->json = Dump(document);
}

// ---- Events

std::string ValueText(const proto::Summary::Value& value) {
  switch (value.value_case()) {
    case proto::Summary::Value::kSimpleValue:
      return absl::StrCat(value.simple_value());
    case proto::Summary::Value::kHisto:
      return absl::StrFormat("histogram of %g values from %g to %g", value.histo().num(), value.histo().min(), value.histo().max());
    case proto::Summary::Value::kImage:
      return absl::StrFormat("image %dx%d", value.image().width(), value.image().height());
    case proto::Summary::Value::kAudio:
      return absl::StrFormat("sound of %d frames", value.audio().length_frames());
    case proto::Summary::Value::kTensor:
      return absl::StrCat("tensor of dtype ", static_cast<int>(value.tensor().dtype()));
    default:
      return "nothing";
  }
}

void DescribeEvent(const proto::Event& event, RecordReport* record) {
  std::vector<std::string> texts;
  json document = {{"step", event.step()}, {"wall_time", event.wall_time()}};
  switch (event.what_case()) {
    case proto::Event::kFileVersion:
      texts.push_back(absl::StrCat("version ", event.file_version()));
      document["file_version"] = event.file_version();
      break;
    case proto::Event::kGraphDef:
    case proto::Event::kMetaGraphDef:
      texts.push_back(absl::StrCat("graph of ", event.graph_def().size() + event.meta_graph_def().size(), " bytes"));
      document["graph_bytes"] = event.graph_def().size() + event.meta_graph_def().size();
      break;
    case proto::Event::kSummary:
      for (const proto::Summary::Value& value : event.summary().value()) {
        texts.push_back(absl::StrCat(value.tag(), "=", ValueText(value)));
        document["summary"][value.tag()] = value.has_simple_value() ? json(value.simple_value()) : json(ValueText(value));
      }
      break;
    case proto::Event::kTaggedRunMetadata:
      texts.push_back(absl::StrCat("run metadata '", event.tagged_run_metadata().tag(), "'"));
      document["run_metadata"] = event.tagged_run_metadata().tag();
      break;
    default:
      texts.push_back("other");
  }
  record->text = absl::StrCat("step ", event.step(), " ", absl::StrJoin(texts, " "));
  record->json = Dump(document);
}

// ---- Files

// "auto" as what the file and its first record look like.
std::string KindOf(const RecOptions& options, const std::string& path, const std::string& record) {
  if (options.as != "auto") return options.as;
  if (absl::StrContains(path, "tfevents")) return "event";
  proto::SequenceExample example;
  const bool parsed = example.ParseFromString(record);
  return parsed && example.context().feature_size() + example.feature_lists().feature_list_size() > 0 ? "example" : "raw";
}

absl::Status Describe(const std::string& kind, const std::string& bytes, RecordReport* record) {
  if (kind == "event") {
    proto::Event event;
    if (!event.ParseFromString(bytes)) return absl::InvalidArgumentError("expected an Event, got other bytes");
    DescribeEvent(event, record);
  } else if (kind == "example") {
    proto::SequenceExample example;
    if (!example.ParseFromString(bytes)) return absl::InvalidArgumentError("expected an Example, got other bytes");
    DescribeExample(example, record);
  } else {
    record->text = Quoted(bytes);
    record->json = Dump(BytesJson(bytes));
  }
  return absl::OkStatus();
}

constexpr const char* kCompressions[] = {"none", "gzip", "zlib"};  // by the number of the Compression

absl::StatusOr<RecordFileReport> ReadFileOf(const RecOptions& options, const std::string& path) {
  absl::StatusOr<std::unique_ptr<RecordReader>> opened = RecordReader::Open(FileSystem::Default(), path);
  if (!opened.ok()) return WithExit(ExitCode::kFiles, opened.status());
  RecordReader& reader = **opened;
  RecordFileReport report;
  report.path = path;
  report.compression = kCompressions[static_cast<int>(reader.compression())];
  std::string bytes, kind;
  while (options.first == 0 || report.records < options.first) {
    RecordReport record;
    record.offset = reader.offset();
    const absl::StatusOr<bool> more = reader.Next(&bytes);
    if (!more.ok()) {
      if (options.action == "cat") return WithExit(ExitCode::kFiles, more.status());
      report.damage.emplace_back(more.status().message());
      if (reader.offset() == record.offset) break;  // there is no way on
      continue;
    }
    if (!*more) break;
    ++report.records;
    report.bytes += static_cast<int64_t>(bytes.size());
    if (options.action == "verify") continue;
    record.bytes = static_cast<int64_t>(bytes.size());
    if (kind.empty()) kind = KindOf(options, path, bytes);
    if (const absl::Status status = Describe(kind, bytes, &record); !status.ok()) {
      return WithExit(ExitCode::kBadModel, absl::Status(status.code(), absl::StrCat("record file '", path, "', record at ", record.offset, ": ", status.message())));
    }
    report.listed.push_back(std::move(record));
  }
  return report;
}

absl::StatusOr<RecordFileReport> WriteFileOf(const RecOptions& options) {
  if (options.from.empty() || options.files.size() != 1) {
    return WithExit(ExitCode::kUsage, absl::InvalidArgumentError("rec write: expected one file and --from LINES"));
  }
  absl::StatusOr<std::string> text = ReadBytes(options.from);
  if (!text.ok()) return WithExit(ExitCode::kFiles, text.status());
  const Compression compression = options.compression == "gzip"   ? Compression::kGzip
                                  : options.compression == "zlib" ? Compression::kZlib
                                                                  : Compression::kNone;
  RecordFileReport report;
  report.path = options.files[0];
  report.compression = options.compression;
  std::vector<std::string> records;
  int64_t line_number = 0;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++line_number;
    if (line.empty()) continue;
    if (options.as == "raw") {
      records.emplace_back(line);
      continue;
    }
    absl::StatusOr<std::string> example = ExampleFromJson({line.data(), line.size()});
    if (!example.ok()) {
      return WithExit(ExitCode::kUsage, absl::InvalidArgumentError(absl::StrCat("file '", options.from, "', line ", line_number, ": ", example.status().message())));
    }
    records.push_back(*std::move(example));
  }
  const auto write = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(FileSystem::Default(), report.path, compression));
    for (const std::string& record : records) {
      RETURN_IF_ERROR(writer->Append(record));
      ++report.records;
      report.bytes += static_cast<int64_t>(record.size());
    }
    return writer->Close();
  };
  RETURN_IF_ERROR(WithExit(ExitCode::kFiles, write()));
  return report;
}

}  // namespace

absl::StatusOr<std::string> ExampleFromJson(std::string_view line) {
  const json document = json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return absl::InvalidArgumentError("expected a JSON object, got something else");
  proto::Example example;
  for (const auto& [key, value] : document.items()) {
    const json values = value.is_array() ? value : json::array({value});
    proto::Feature& feature = (*example.mutable_features()->mutable_feature())[key];
    bool floats = false;
    for (const json& element : values) floats |= element.is_number_float();
    for (const json& element : values) {
      std::string bytes;
      if (element.is_string()) {
        feature.mutable_bytes_list()->add_value(element.get<std::string>());
      } else if (element.is_object() && element.size() == 1 && element.contains("b64") && element["b64"].is_string() &&
                 absl::Base64Unescape(element["b64"].get<std::string>(), &bytes)) {
        feature.mutable_bytes_list()->add_value(bytes);
      } else if (element.is_number() && floats) {
        feature.mutable_float_list()->add_value(element.get<float>());
      } else if (element.is_number_integer() || element.is_boolean()) {
        feature.mutable_int64_list()->add_value(element.is_boolean() ? element.get<bool>() : element.get<int64_t>());
      } else {
        return absl::InvalidArgumentError(absl::StrCat("'", key, "': expected numbers or strings, got ", Dump(element)));
      }
    }
    // Setting another kind drops what was there.
    const int kept = feature.bytes_list().value_size() + feature.float_list().value_size() + feature.int64_list().value_size();
    if (kept != static_cast<int>(values.size())) return absl::InvalidArgumentError(absl::StrCat("'", key, "': expected values of one kind, got several"));
  }
  // Maps have no order of their own.
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  example.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

absl::StatusOr<RecordsReport> Records(const RecOptions& options) {
  RecordsReport report;
  report.action = options.action;
  if (options.action == "write") {
    ASSIGN_OR_RETURN(RecordFileReport file, WriteFileOf(options));
    report.files.push_back(std::move(file));
    return report;
  }
  for (const std::string& path : options.files) {
    ASSIGN_OR_RETURN(RecordFileReport file, ReadFileOf(options, path));
    report.files.push_back(std::move(file));
  }
  return report;
}

std::string RecordsText(const RecordsReport& report, const GlobalOptions& global) {
  std::string text;
  for (const RecordFileReport& file : report.files) {
    if (report.action == "cat") {
      for (const RecordReport& record : file.listed) absl::StrAppend(&text, record.json, "\n");
      continue;
    }
    absl::StrAppend(&text, Bold(file.path, global), ": ", report.action == "write" ? "wrote " : "", file.records, " records, ",
                    BytesText(file.bytes), file.compression == "none" ? "" : ", " + file.compression,
                    report.action == "verify" && file.damage.empty() ? Paint("32", ", all checksums right", global) : "", "\n");
    Table table({true, true, false});
    if (!file.listed.empty()) table.Add({"offset", "bytes", "record"});
    for (const RecordReport& record : file.listed) table.Add({absl::StrCat(record.offset), absl::StrCat(record.bytes), record.text});
    text += table.Text();
    for (const std::string& damage : file.damage) absl::StrAppend(&text, Paint("31", "! ", global), damage, "\n");
  }
  return text;
}

std::string RecordsJson(const RecordsReport& report) {
  json files = json::array();
  for (const RecordFileReport& file : report.files) {
    json records = json::array();
    for (const RecordReport& record : file.listed) {
      records.push_back({{"offset", record.offset}, {"bytes", record.bytes}, {"value", json::parse(record.json, nullptr, false)}});
    }
    files.push_back({{"path", file.path},
                     {"compression", file.compression},
                     {"records", file.records},
                     {"bytes", file.bytes},
                     {"listed", std::move(records)},
                     {"damage", file.damage}});
  }
  return Dump({{"files", std::move(files)}}) + "\n";
}

}  // namespace flowlatch
