#include "tests/testing/test_functions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string AttrText(const std::string& attr) {
  const size_t at = attr.find('=');
  return absl::StrCat("attr { key: '", attr.substr(0, at), "' value { ", attr.substr(at + 1), " } } ");
}

}  // namespace

FunctionDef Define(const FunctionText& f) {
  std::string text = absl::StrCat("signature { name: '", f.name, "' ");
  for (const std::string& arg : f.args)
    absl::StrAppend(&text, "input_arg { name: '", Split(arg, ' ')[0], "' type: ", Split(arg, ' ')[1], " } ");
  for (const std::string& r : f.results)
    absl::StrAppend(&text, "output_arg { name: '", Split(r, ' ')[0], "' type: ", Split(r, ' ')[1], " } ");
  for (const std::string& node : f.control_returns) absl::StrAppend(&text, "control_output: '", node, "' ");
  text += "} ";
  for (const std::string& node : f.nodes) {
    const std::vector<std::string> parts = Split(node, ' ');
    absl::StrAppend(&text, "node_def { name: '", parts[0], "' op: '", parts[1], "' ");
    if (parts.size() > 2 && !parts[2].empty()) {
      for (const std::string& input : Split(parts[2], ',')) absl::StrAppend(&text, "input: '", input, "' ");
    }
    if (parts.size() > 3) {
      for (const std::string& attr : Split(parts[3], ';')) text += AttrText(attr);
    }
    text += "} ";
  }
  for (const std::string& r : f.returns)
    absl::StrAppend(&text, "ret { key: '", Split(r, ' ')[0], "' value: '", Split(r, ' ')[1], "' } ");
  for (const std::string& node : f.control_returns)
    absl::StrAppend(&text, "control_ret { key: '", node, "' value: '", node, "' } ");
  for (const std::string& attr : f.attrs) text += AttrText(attr);
  FunctionDef definition;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &definition)) << text;
  return definition;
}

}  // namespace flowlatch
