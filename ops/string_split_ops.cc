// Strings in pieces.
//   StringStrip: without ASCII whitespace at either end.
//   StringSplit(input [n], delimiter): a sparse [n, most pieces] of what is between any of the delimiter's bytes; without
//     a delimiter, single bytes. An empty string has no pieces; skip_empty leaves out empty ones.
//   StringSplitV2(input [n], sep): the same between whole separators, at most maxsplit of them if that is positive, as
//     str.split does in Python; an empty sep splits at runs of whitespace.
//   StringNGrams(data [n], data_splits): the runs of each width in ngram_widths within each row, joined by separator. Rows
//     are padded on both sides by pad_width (at most the width less one; -1: as much). preserve_short_sequences gives a
//     row that is shorter than every width one run.
#include "ops/string_split_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

using Pieces = std::vector<std::string_view>;

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

std::string_view WithoutLeadingSpace(std::string_view s) {
  while (!s.empty() && IsSpace(s.front())) s.remove_prefix(1);
  return s;
}

// ---- StringStrip

absl::Status StringStrip(KernelCall& c) {
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  for (size_t i = 0; i < strings.size(); ++i) {
    std::string_view s = WithoutLeadingSpace(strings[i]);
    while (!s.empty() && IsSpace(s.back())) s.remove_suffix(1);
    output->mutable_data<String>()[i] = s;
  }
  return absl::OkStatus();
}

// ---- StringSplit, StringSplitV2

class SplitState : public KernelState {
 public:
  bool skip_empty = false;  // StringSplit
  int64_t most_splits = -1;  // StringSplitV2
};

void SplitAtAny(std::string_view s, std::string_view delimiters, bool skip_empty, Pieces& pieces) {
  if (s.empty()) return;
  if (delimiters.empty()) {
    for (size_t i = 0; i < s.size(); ++i) pieces.push_back(s.substr(i, 1));
    return;
  }
  for (size_t begin = 0; begin <= s.size();) {
    const size_t end = std::min(s.find_first_of(delimiters, begin), s.size());
    if (end > begin || !skip_empty) pieces.push_back(s.substr(begin, end - begin));
    begin = end + 1;
  }
}

void SplitAtSpace(std::string_view s, int64_t most_splits, Pieces& pieces) {
  s = WithoutLeadingSpace(s);
  for (int64_t splits = 0; !s.empty();) {
    const size_t end = static_cast<size_t>(std::find_if(s.begin(), s.end(), IsSpace) - s.begin());
    pieces.push_back(s.substr(0, end));
    s = WithoutLeadingSpace(s.substr(end));
    if (++splits == most_splits) {
      pieces.push_back(s);
      return;
    }
  }
}

void SplitAtSeparator(std::string_view s, std::string_view separator, int64_t most_splits, Pieces& pieces) {
  if (most_splits == 0) {
    pieces.push_back(s);
  } else if (separator.empty()) {
    SplitAtSpace(s, most_splits, pieces);
  } else {
    for (int64_t splits = 0; splits != most_splits; ++splits) {
      const size_t end = s.find(separator);
      if (end == std::string_view::npos) break;
      pieces.push_back(s.substr(0, end));
      s.remove_prefix(end + separator.size());
    }
    pieces.push_back(s);
  }
}

template <bool kV2>
absl::Status StringSplit(KernelCall& c) {
  const SplitState& state = c.state<SplitState>();
  const Tensor& input = c.input(0);
  if (!input.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected a vector, got shape ", input.ShapeString()));
  }
  if (!c.input(1).is_scalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kV2 ? "sep" : "delimiter", ": expected a scalar, got shape ", c.input(1).ShapeString()));
  }
  const std::string_view separator = c.input(1).scalar<String>();
  Pieces pieces;
  std::vector<int64_t> rows;  // where each row's pieces end
  int64_t widest = 0;
  for (const String& s : input.values<String>()) {
    const int64_t begin = static_cast<int64_t>(pieces.size());
    if constexpr (kV2) SplitAtSeparator(s, separator, state.most_splits, pieces);
    else SplitAtAny(s, separator, state.skip_empty, pieces);
    rows.push_back(static_cast<int64_t>(pieces.size()));
    widest = std::max(widest, rows.back() - begin);
  }
  const int64_t n = static_cast<int64_t>(pieces.size());
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(0, DType::kInt64, {n, 2}));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, DType::kString, {n}));
  int64_t* index = indices->mutable_data<int64_t>();
  for (int64_t row = 0, i = 0; row < static_cast<int64_t>(rows.size()); ++row) {
    for (int64_t column = 0; i < rows[row]; ++i, ++column) {
      *index++ = row;
      *index++ = column;
      values->mutable_data<String>()[i] = pieces[i];
    }
  }
  c.SetOutput(2, Tensor::Vector<int64_t>({input.num_elements(), widest}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> SplitKernel(const NodeInfo& node) {
  auto state = std::make_shared<SplitState>();
  ASSIGN_OR_RETURN(state->skip_empty, node.Bool("skip_empty"));
  return Kernel{.fn = &RunKernel<StringSplit<false>>, .state = std::move(state)};
}

absl::StatusOr<Kernel> SplitV2Kernel(const NodeInfo& node) {
  auto state = std::make_shared<SplitState>();
  ASSIGN_OR_RETURN(const int64_t most, node.Int("maxsplit"));
  state->most_splits = std::max(most, int64_t{-1});
  return Kernel{.fn = &RunKernel<StringSplit<true>>, .state = std::move(state)};
}

absl::Status SplitShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  RETURN_IF_ERROR(c.ExpectScalar(1));
  c.SetOutput(0, PartialShape::Of({-1, 2}));
  c.SetOutput(1, PartialShape::Of({-1}));
  c.SetOutput(2, PartialShape::Of({2}));
  return absl::OkStatus();
}

// ---- StringNGrams

class NGramsState : public KernelState {
 public:
  std::string separator, left_pad, right_pad;
  std::vector<int64_t> widths;
  int64_t pad_width = 0;
  bool preserve_short = false;

  int64_t PadOf(int64_t width) const { return pad_width < 0 ? width - 1 : std::min(pad_width, width - 1); }
  // How many runs of `width` a row of `length` has.
  int64_t Count(int64_t length, int64_t width) const { return std::max(length + 2 * PadOf(width) - width + 1, int64_t{0}); }
  int64_t Count(int64_t length) const {
    int64_t count = 0;
    for (const int64_t width : widths) count += Count(length, width);
    return count;
  }
};

// The `i`th run of `width` in a row with `pad` paddings on both sides.
std::string NGram(const NGramsState& state, absl::Span<const String> row, int64_t i, int64_t width, int64_t pad) {
  const int64_t length = static_cast<int64_t>(row.size());
  std::string joined;
  for (int64_t at = i - pad; at < i - pad + width; ++at) {
    if (at > i - pad) joined += state.separator;
    joined += at < 0 ? std::string_view(state.left_pad) : at < length ? row[at].view() : std::string_view(state.right_pad);
  }
  return joined;
}

template <typename Split>
absl::Status StringNGrams(KernelCall& c) {
  const NGramsState& state = c.state<NGramsState>();
  const Tensor& data = c.input(0);
  if (!data.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("data: expected a vector, got shape ", data.ShapeString()));
  }
  ASSIGN_OR_RETURN(const Dims splits, ReadIntVector(c.input(1), "data_splits"));
  if (splits.empty()) {  // no rows: TensorFlow gives as many empty strings as data has
    RETURN_IF_ERROR(c.AllocateOutput(0, DType::kString, data.dims()).status());
    c.SetOutput(1, c.input(1));
    return absl::OkStatus();
  }
  const int64_t rows = static_cast<int64_t>(splits.size()) - 1;
  if (splits.front() != 0 || splits.back() != data.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat("data_splits: expected 0 first and ", data.num_elements(),
                                                   " last, got ", splits.front(), " and ", splits.back()));
  }
  std::vector<int64_t> ends{0};  // of each row's runs
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t length = splits[row + 1] - splits[row];
    if (length < 0) {
      return absl::InvalidArgumentError(absl::StrCat("data_splits: expected values that do not decrease, got ",
                                                     splits[row], " before ", splits[row + 1]));
    }
    const int64_t count = state.Count(length);
    const bool kept_short = state.preserve_short && count == 0 && length > 0;
    ends.push_back(ends.back() + (kept_short ? 1 : count));
  }
  if (ends.back() > std::numeric_limits<Split>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("ngrams: expected as many as Tsplits can count, got ", ends.back()));
  }
  ASSIGN_OR_RETURN(Tensor * ngrams, c.AllocateOutput(0, DType::kString, {ends.back()}));
  ASSIGN_OR_RETURN(Tensor * out_splits, c.AllocateOutput(1, c.input(1).dtype(), {rows + 1}));
  std::copy(ends.begin(), ends.end(), out_splits->mutable_data<Split>());
  String* to = ngrams->mutable_data<String>();
  for (int64_t row = 0; row < rows; ++row) {
    const absl::Span<const String> strings = data.values<String>().subspan(splits[row], splits[row + 1] - splits[row]);
    const int64_t length = static_cast<int64_t>(strings.size());
    if (state.Count(length) == 0 && ends[row + 1] > ends[row]) {
      *to++ = std::string_view(NGram(state, strings, 0, length + 2 * state.pad_width, state.pad_width));
      continue;
    }
    for (const int64_t width : state.widths) {
      for (int64_t i = 0; i < state.Count(length, width); ++i) {
        *to++ = std::string_view(NGram(state, strings, i, width, state.PadOf(width)));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> NGramsKernel(const NodeInfo& node) {
  constexpr int64_t kWidest = 1 << 20;  // bounds what one element can become
  auto state = std::make_shared<NGramsState>();
  ASSIGN_OR_RETURN(state->separator, node.Str("separator"));
  ASSIGN_OR_RETURN(state->left_pad, node.Str("left_pad"));
  ASSIGN_OR_RETURN(state->right_pad, node.Str("right_pad"));
  ASSIGN_OR_RETURN(state->widths, node.Ints("ngram_widths"));
  ASSIGN_OR_RETURN(state->pad_width, node.Int("pad_width"));
  ASSIGN_OR_RETURN(state->preserve_short, node.Bool("preserve_short_sequences"));
  state->pad_width = std::min(state->pad_width, kWidest);
  for (const int64_t width : state->widths) {
    if (width < 1 || width > kWidest) {
      return absl::InvalidArgumentError(absl::StrCat("ngram_widths: expected values in [1,", kWidest, "], got ", width));
    }
  }
  const bool wide = node.input_dtype(1) == DType::kInt64;
  return Kernel{.fn = wide ? &RunKernel<StringNGrams<int64_t>> : &RunKernel<StringNGrams<int32_t>>, .state = std::move(state)};
}

absl::Status NGramsShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  RETURN_IF_ERROR(c.ExpectVector(1));
  c.SetOutput(0, PartialShape::Of({-1}));
  c.SetOutput(1, c.input(1).has_rank() ? c.input(1) : PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterStringSplitOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("StringStrip"),
                               .doc = "Strings without whitespace at their ends",
                               .shape = shapes::SameAsInput,
                               .kernel = PlainKernel<StringStrip>}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("StringSplit"),
                               .doc = "Pieces of strings between delimiters of one byte",
                               .shape = SplitShape,
                               .kernel = SplitKernel}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("StringSplitV2"),
                               .doc = "Pieces of strings between separators",
                               .shape = SplitShape,
                               .kernel = SplitV2Kernel}));
  return library.Add({.signature = TensorFlowSignature("StringNGrams"),
                      .doc = "Runs of neighbouring strings, joined",
                      .shape = NGramsShape,
                      .kernel = NGramsKernel});
}

}  // namespace flowlatch
