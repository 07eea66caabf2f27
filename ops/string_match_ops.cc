// Hash buckets and regular expressions, element by element.
//   StringToHashBucketFast:    FarmHash's fingerprint % num_buckets
//   StringToHashBucketStrong:  SipHash with a key of two numbers % num_buckets
//   StringToHashBucket:        the hash of old graphs (MurmurHash64A) % num_buckets
//   StaticRegexFullMatch, RegexFullMatch: whether the whole element matches the pattern
//   StaticRegexReplace, RegexReplace: the element with matches, or the first one, replaced; \0 to \9 in the rewrite are
//                              the match and its groups
// Patterns have RE2's syntax and read elements as UTF-8. The Static forms have them in attrs. A rewrite that names a
// group which the pattern does not have replaces nothing.
#include "ops/string_match_ops.h"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/string_hash.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// ---- Hash buckets

class BucketState : public KernelState {
 public:
  uint64_t num_buckets = 1;
  SipKey key;  // of StringToHashBucketStrong
};

template <uint64_t (*kHash)(const BucketState&, std::string_view)>
absl::Status ToBuckets(KernelCall& c) {
  const BucketState& state = c.state<BucketState>();
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kInt64, c.input(0).dims()));
  int64_t* const buckets = output->mutable_data<int64_t>();
  c.ParallelFor(static_cast<int64_t>(strings.size()), 30, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      buckets[i] = static_cast<int64_t>(kHash(state, strings[i].view()) % state.num_buckets);
    }
  });
  return absl::OkStatus();
}

uint64_t FastHash(const BucketState&, std::string_view s) { return FingerprintOf(s); }
uint64_t StrongHash(const BucketState& state, std::string_view s) { return SipHashOf(state.key, s); }
uint64_t OldHash(const BucketState&, std::string_view s) { return MurmurHashOf(s); }

template <uint64_t (*kHash)(const BucketState&, std::string_view)>
absl::StatusOr<Kernel> BucketKernel(const NodeInfo& node) {
  auto state = std::make_shared<BucketState>();
  ASSIGN_OR_RETURN(const int64_t num_buckets, node.Int("num_buckets"));
  if (num_buckets < 1) {
    return absl::InvalidArgumentError(absl::StrCat("num_buckets: expected a number >= 1, got ", num_buckets));
  }
  state->num_buckets = static_cast<uint64_t>(num_buckets);
  if (node.schema().FindAttr("key") != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> key, node.Ints("key"));
    if (key.size() != 2) {
      return absl::InvalidArgumentError(absl::StrCat("key: expected 2 numbers, got ", key.size()));
    }
    state->key = {static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])};
  }
  return Kernel{.fn = &RunKernel<ToBuckets<kHash>>, .state = std::move(state)};
}

// ---- Regular expressions

re2::StringPiece Piece(std::string_view s) { return {s.data(), s.size()}; }

absl::StatusOr<std::unique_ptr<const RE2>> Compile(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_unique<const RE2>(Piece(pattern), options);
  if (compiled->ok()) return compiled;
  return absl::InvalidArgumentError(absl::StrCat("pattern: expected a regular expression, got '",
                                                 absl::string_view(pattern.data(), pattern.size()),
                                                 "': ", compiled->error()));
}

class RegexState : public KernelState {
 public:
  std::unique_ptr<const RE2> pattern;  // of the Static forms
  std::string rewrite;
  bool global = true;
};

absl::Status MatchAll(KernelCall& c, const RE2& pattern) {
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kBool, c.input(0).dims()));
  bool* const matches = output->mutable_data<bool>();
  c.ParallelFor(static_cast<int64_t>(strings.size()), 300, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) matches[i] = RE2::FullMatch(Piece(strings[i].view()), pattern);
  });
  return absl::OkStatus();
}

// Rewriting each place between bytes may make as much of a long text and a long rewrite as no memory holds.
absl::Status CheckLength(absl::Span<const String> strings, std::string_view rewrite) {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  for (size_t i = 0; i < strings.size(); ++i) {
    const int64_t places = static_cast<int64_t>(strings[i].size()) + 1;
    if (places > kMostBytes / (static_cast<int64_t>(rewrite.size()) + 1)) {
      return absl::ResourceExhaustedError(absl::StrCat("input ", i, ": expected at most ", kMostBytes, " bytes once rewritten, got perhaps ",
                                                       places, " times ", rewrite.size()));
    }
  }
  return absl::OkStatus();
}

absl::Status ReplaceAll(KernelCall& c, const RE2& pattern, std::string_view rewrite) {
  const bool global = c.state<RegexState>().global;
  const absl::Span<const String> strings = c.input(0).values<String>();
  if (global) RETURN_IF_ERROR(CheckLength(strings, rewrite));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  String* const replaced = output->mutable_data<String>();
  c.ParallelFor(static_cast<int64_t>(strings.size()), 1000, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::string text(strings[i].view());
      if (global) {
        RE2::GlobalReplace(&text, pattern, Piece(rewrite));
      } else {
        RE2::Replace(&text, pattern, Piece(rewrite));
      }
      replaced[i] = std::string_view(text);
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> ReadScalar(const Tensor& t, const char* what) {
  if (t.is_scalar()) return t.scalar<String>().view();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
}

absl::Status StaticFullMatch(KernelCall& c) { return MatchAll(c, *c.state<RegexState>().pattern); }

absl::Status FullMatch(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string_view text, ReadScalar(c.input(1), "pattern"));
  ASSIGN_OR_RETURN(const std::unique_ptr<const RE2> pattern, Compile(text));
  return MatchAll(c, *pattern);
}

absl::Status StaticReplace(KernelCall& c) {
  const RegexState& state = c.state<RegexState>();
  return ReplaceAll(c, *state.pattern, state.rewrite);
}

absl::Status Replace(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string_view text, ReadScalar(c.input(1), "pattern"));
  ASSIGN_OR_RETURN(const std::string_view rewrite, ReadScalar(c.input(2), "rewrite"));
  ASSIGN_OR_RETURN(const std::unique_ptr<const RE2> pattern, Compile(text));
  return ReplaceAll(c, *pattern, rewrite);
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> RegexKernel(const NodeInfo& node) {
  auto state = std::make_shared<RegexState>();
  if (node.schema().FindAttr("pattern") != nullptr) {
    ASSIGN_OR_RETURN(const std::string pattern, node.Str("pattern"));
    ASSIGN_OR_RETURN(state->pattern, Compile(pattern));
  }
  if (node.schema().FindAttr("rewrite") != nullptr) {
    ASSIGN_OR_RETURN(state->rewrite, node.Str("rewrite"));
  }
  if (node.schema().FindAttr("replace_global") != nullptr) {
    ASSIGN_OR_RETURN(state->global, node.Bool("replace_global"));
  }
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::Status RegexShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  return shapes::SameAsInput(c);
}

}  // namespace

absl::Status RegisterStringMatchOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradients::None});
  };
  RETURN_IF_ERROR(add("StringToHashBucketFast", "A bucket for each string, by a fast hash that never changes",
                      shapes::SameAsInput, BucketKernel<FastHash>));
  RETURN_IF_ERROR(add("StringToHashBucketStrong", "A bucket for each string, by a hash with a secret key",
                      shapes::SameAsInput, BucketKernel<StrongHash>));
  RETURN_IF_ERROR(add("StringToHashBucket", "A bucket for each string, by the hash of old graphs", shapes::SameAsInput,
                      BucketKernel<OldHash>));
  RETURN_IF_ERROR(add("StaticRegexFullMatch", "Whether strings match a regular expression as a whole", RegexShape,
                      RegexKernel<StaticFullMatch>));
  RETURN_IF_ERROR(add("RegexFullMatch", "Whether strings match a regular expression as a whole", RegexShape,
                      RegexKernel<FullMatch>));
  RETURN_IF_ERROR(add("StaticRegexReplace", "Strings with what matches a regular expression replaced", RegexShape,
                      RegexKernel<StaticReplace>));
  return add("RegexReplace", "Strings with what matches a regular expression replaced", RegexShape,
             RegexKernel<Replace>);
}

}  // namespace flowlatch
